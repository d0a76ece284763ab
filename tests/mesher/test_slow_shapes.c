// SPDX-License-Identifier: Apache-2.0
// Every solid in scenes/shapes from a thousand elements up to two hundred thousand: one piece, good angles, and a
// volume that settles.
#include "mesher/shapes.h"

#include <glob.h>

static void check_shape(const char *path) {
    static const int32_t counts[] = {1500, 3000, 12000, 50000, 200000};
    enum { COUNTS = sizeof counts / sizeof *counts };
    ThawSolid *solid = NULL;
    ThawError error = {0};
    double volume[COUNTS];
    if (thaw_solid_load(path, 3, &solid, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < COUNTS; i++) {
        ThawMesherDef def = thaw_mesher_def_default();
        def.elements = counts[i];
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        if (report.pieces != 1 || abs(report.elements - counts[i]) > 0.05 * counts[i])
            fail_msg("%s: %d elements in %d pieces for %d", path, report.elements, report.pieces, counts[i]);
        assert_true(report.min_angle * DEGREES > 10 && report.max_angle * DEGREES < 165);
        check_mesh(mesh, report.elements);
        volume[i] = report.volume;
        thaw_mesh_free(&mesh);
    }
    // First order at creases: errors fall with the size, which falls by 1.6 each time.
    const double last = fabs(volume[4] - volume[3]) / volume[4], first = fabs(volume[4] - volume[0]) / volume[4];
    print_message("%s: volume %.5g m^3, off by %.2f percent at %d elements, %.2f at %d\n", strrchr(path, '/') + 1,
                  volume[4], 100 * first, counts[0], 100 * last, counts[3]);
    assert_true(last < 0.02 && last < first);
    thaw_solid_free(&solid);
}

static void every_shape_is_whole_at_any_count(void **state) {
    (void)state;
    glob_t files;
    assert_int_equal(glob(THAW_SOURCE_DIR "/scenes/shapes/*.json", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 14);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_shape(files.gl_pathv[i]);
    globfree(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape_is_whole_at_any_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
