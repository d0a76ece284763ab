// SPDX-License-Identifier: Apache-2.0
// What frames show of contact: forces at the vertices, and the obstacles around.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"
#include "math/vec3.h"
#include "output/frame_data.h"
#include "output/output.h"

static Touch scene(int dim, const char *obstacles) {
    if (dim == 2)
        return touch_open("{'thaw': 1, 'dimension': 2, 'materials': {'m': {'young': 2e5}},"
                          " 'shapes': {'s': {'mesh': {'box': {'min': [-0.1, 0], 'max': [0.1, 0.2], 'cells': [2, 2]}}, "
                          "'material': 'm'}},"
                          " 'bodies': [{'shape': 's'}], 'obstacles': [%s]}",
                          obstacles);
    return touch_open(
        "{'thaw': 1, 'materials': {'m': {'young': 2e5}},"
        " 'shapes': {'s': {'mesh': {'box': {'min': [-0.1, -0.1, 0], 'max': [0.1, 0.1, 0.2], 'cells': [2, 2, 2]}},"
        " 'material': 'm'}}, 'bodies': [{'shape': 's'}], 'obstacles': [%s]}",
        obstacles);
}

// Signed volume (2D: area) that triangles enclose, m^3.
static double volume(const ThawObstacleSurface *s, int dim) {
    double sum = 0;
    for (int32_t t = 0; t < s->triangle_count; t++) {
        const double *a = s->x + 3 * s->triangles[3 * t], *b = s->x + 3 * s->triangles[3 * t + 1],
                     *c = s->x + 3 * s->triangles[3 * t + 2];
        sum += dim == 2 ? ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2
                        : thaw_v3_triple(a, b, c) / 6;
    }
    return sum;
}

static void surfaces_of_obstacles_look_outward_and_have_their_size(void **state) {
    (void)state;
    static const struct {
        int dim;
        const char *text;
        double size;
    } cases[] = {
        {3, "{'sphere': {'radius': 0.5}, 'position': [1, 2, 3]}", 4 * M_PI / 3 * 0.125},
        {3, "{'box': {'size': [1, 2, 3]}, 'rotation': {'axis': [1, 1, 1], 'degrees': 40}}", 6},
        {3, "{'capsule': {'radius': 0.5, 'length': 1}}", 4 * M_PI / 3 * 0.125 + M_PI / 4},
        {3, "{'cylinder': {'radius': 0.5, 'height': 2}}", M_PI / 2},
        {3, "{'mesh': {'file': 'bowl.obj'}}", 0.0237},
        {3, "{'plane': {'normal': [1, 0, 2]}}", 8 * 8 * 0.16},
        {2, "{'circle': {'radius': 0.5}}", M_PI / 4},
        {2, "{'box': {'size': [1, 2]}}", 2},
        {2, "{'plane': {}}", 8 * 0.16},
        {2, "{'polygon': [[0, 0], [4, 0], [4, 3]]}", 12 * 0.08},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Touch t = scene(cases[i].dim, cases[i].text);
        ThawObstacleSurface s;
        assert_int_equal(thaw_world_get_obstacle_surface(t.world, 0, (double[]){0, 0, 0}, 8, &s), THAW_OK);
        printf("%s: %.4g of %.4g\n", cases[i].text, volume(&s, cases[i].dim), cases[i].size);
        assert_true(fabs(volume(&s, cases[i].dim) / cases[i].size - 1) < 0.02);
        assert_int_equal(s.moves, 0);
        thaw_obstacle_surface_free(&s);
        assert_int_equal(thaw_world_get_obstacle_surface(t.world, 1, (double[]){0, 0, 0}, 8, &s), THAW_ERROR_INPUT);
        touch_close(&t);
    }
}

static int mentions(const char *folder, const char *name, const char *what) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text;
    size_t size;
    if (thaw_file_read(path, &text, &size, NULL) != THAW_OK)
        return 0;
    int found = memmem(text, size, what, strlen(what)) != NULL;
    thaw_free(text);
    return found;
}

static int is_there(const char *folder, const char *name) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void frames_hold_contact_forces_and_obstacles(void **state) {
    (void)state;
    static const char *const obstacles[2] = {"{'plane': {}}, {'sphere': {'radius': 0.1}, 'position': [1, 0, 0]}",
                                             "{'plane': {}}, {'sphere': {'radius': 0.1}, 'position': [1, 0, 0],"
                                             " 'keys': [{'time': 0}, {'time': 1, 'translation': [0, 0, 1]}]}"};
    for (int moving = 0; moving < 2; moving++) {
        char folder[] = "/tmp/thaw_pictures_XXXXXX", path[300];
        assert_non_null(mkdtemp(folder));
        Touch t = scene(3, obstacles[moving]);
        ThawFramesDef def = thaw_frames_def_default();
        def.folder = folder;
        ThawFrames *frames;
        ThawError error = {0};
        assert_int_equal(thaw_frames_create(t.world, &def, &frames, &error), THAW_OK);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(thaw_frames_write(frames, t.world, i, &error), THAW_OK);
            touch_run(&t, 20);
        }
        assert_true(mentions(folder, "frame_000002.vtu", "Name=\"contact_force\" NumberOfComponents=\"3\""));
        assert_true(mentions(folder, "frame_000002.vtu", "Name=\"contact_pressure\""));
        assert_true(mentions(folder, "frame_000002.vtu", "Name=\"contact_friction\""));
        assert_true(
            mentions(folder, "frames.pvd",
                     moving ? "part=\"1\" file=\"obstacles_000002.vtu\"" : "part=\"1\" file=\"obstacles.vtu\""));
        snprintf(path, sizeof path, "%s/frame_000002.vtu", folder);
        ThawFrameData *data;
        assert_int_equal(thaw_vtu_read(path, &data, &error), THAW_OK);
        assert_int_equal(data->cell_count, 48);
        thaw_frame_data_free(&data);
        assert_true(
            mentions(folder, "frame_000002.vtu", "Name=\"reaction\" NumberOfComponents=\"3\" NumberOfTuples=\"2\""));
        snprintf(path, sizeof path, "%s/%s", folder, moving ? "obstacles_000002.vtu" : "obstacles.vtu");
        assert_int_equal(thaw_vtu_read(path, &data, &error), THAW_OK);
        assert_int_equal(data->nodes, 3);
        assert_int_equal(data->body_count, 2);
        double highest = -INFINITY;
        for (int32_t p = 0; p < data->point_count; p++)
            if (data->body[p] == 1)
                highest = fmax(highest, data->x[3 * p + 2]);
        assert_true(fabs(highest - (moving ? 0.5 : 0.1)) < 1e-3);
        thaw_frame_data_free(&data);
        // What comes after frame 1 goes, and the times of the others are kept.
        assert_int_equal(thaw_frames_keep(frames, 1, NULL, &error), THAW_OK);
        assert_false(is_there(folder, "frame_000002.vtu") || is_there(folder, "obstacles_000002.vtu"));
        assert_true(is_there(folder, moving ? "obstacles_000001.vtu" : "obstacles.vtu"));
        assert_true(mentions(folder, "frames.pvd", "timestep=\"0.2") && !mentions(folder, "frames.pvd", "_000002"));
        thaw_frames_free(&frames);
        snprintf(path, sizeof path, "rm -r %s", folder);
        assert_int_equal(system(path), 0);
        touch_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_of_obstacles_look_outward_and_have_their_size),
        cmocka_unit_test(frames_hold_contact_forces_and_obstacles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
