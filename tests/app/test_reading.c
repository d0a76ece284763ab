// SPDX-License-Identifier: Apache-2.0
// What the environment says of reading files, the program passes on to the library, by whichever way it reads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mesh/packed.h"
#include "reading.h"
#include "support/folder.h"

static const char scene_text[] = "{\"thaw\": 1, \"materials\": {\"m\": {}}, \"shapes\": {\"s\": {\"mesh\": {\"file\": "
                                 "\"small.vtu\"}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\"}]}";

// Whether each way of reading small.vtu says this.
static void check_says(const char *what, int wanted) {
    ThawMesh *mesh = NULL;
    ThawScene *scene = NULL;
    ThawDoctorReport *report = NULL;
    ThawError error[4] = {{0}};
    const char *path = at("small.vtu");
    assert_int_equal(app_mesh_read(path, &mesh, &error[0]), THAW_ERROR_INPUT);
    assert_int_equal(app_scene_parse(scene_text, strlen(scene_text), "scene", folder, &scene, &error[1]),
                     THAW_ERROR_INPUT);
    assert_int_equal(app_scene_load(at("scene.json"), &scene, &error[2]), THAW_ERROR_INPUT);
    if (app_doctor_file(path, &report, &error[3]) == THAW_OK) { // a report with an error in it
        assert_int_equal(report->complaint_count, 1);
        snprintf(error[3].message, sizeof error[3].message, "%s", report->complaints[0].what);
    }
    thaw_doctor_report_free(&report);
    for (int i = 0; i < 4; i++)
        if ((strstr(error[i].message, what) != NULL) != wanted)
            fail_msg("way %d: '%s'", i, error[i].message);
}

static void the_unpack_limit_of_the_environment_holds(void **state) {
    (void)state;
    write_bomb(at("small.vtu"), 200000); // 4.6 MiB; its one element is flat, so it is refused in the end
    FILE *file = fopen(at("scene.json"), "w");
    assert_non_null(file);
    fputs(scene_text, file);
    assert_int_equal(fclose(file), 0);
    check_says("unpacks to", 0);
    setenv("THAW_UNPACK_LIMIT", "4", 1);
    check_says("allowed: 4 MiB", 1);
    setenv("THAW_UNPACK_LIMIT", "5", 1);
    check_says("unpacks to", 0);
    static const char *const wrong[] = {"much", "", "-1", "0", "4 MiB", "5000000000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("THAW_UNPACK_LIMIT", wrong[i], 1);
        check_says("allowed: a number of MiB, from 1", 1);
    }
    unsetenv("THAW_UNPACK_LIMIT");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unpack_limit_of_the_environment_holds),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
