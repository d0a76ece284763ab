// SPDX-License-Identifier: Apache-2.0
// Every allocation of the doctor is made to fail once: the error must come out, and nothing may leak (the address
// sanitizer looks after that).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "thaw/thaw.h"

// Ill in many ways, so that the report must grow.
static const char ill[] =
    "{\"thaw\": 1, \"materials\": {\"m\": {\"young\": 5, \"density\": 1, \"poisson\": 0.49}, \"n\": {}},\n"
    " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [2, 2, 1]}},\n"
    "   \"material\": \"m\", \"groups\": {\"a\": {\"nearest\": [0, 0, 0]}, \"b\": {\"nearest\": [1, 1, 1]},\n"
    "   \"c\": {\"nearest\": [0, 0, 1]}}}},\n"
    " \"bodies\": [{\"shape\": \"s\"}, {\"shape\": \"s\", \"position\": [0.5, 0.2, 0.3]},\n"
    "  {\"shape\": \"s\", \"position\": [0, 0, 9], \"pins\": [\"a\", \"all\"]}, {\"shape\": \"s\", \"position\": [0, "
    "0, 9]},\n"
    "  {\"shape\": \"s\", \"position\": [5, 0, 0], \"scripts\": [{\"group\": \"a\", \"keys\": [{\"time\": 0,\n"
    "   \"translation\": [1, 0, 0]}, {\"time\": 0.01}]}]}]}\n";

static ThawStatus examine_scene(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    return thaw_doctor_scene(scene, report, error);
}

static ThawStatus examine_mesh(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    return thaw_doctor_mesh(scene->world.shapes[0].mesh, "mesh", report, error);
}

static ThawStatus examine_scene_file(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    (void)scene;
    return thaw_doctor_file(THAW_SOURCE_DIR "/tests/scene/small/two_materials.json", report, error);
}

static ThawStatus examine_mesh_file(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    (void)scene;
    return thaw_doctor_file(THAW_SOURCE_DIR "/tests/mesh/data/two-tets-22.msh", report, error);
}

static ThawStatus examine_surface_file(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    (void)scene;
    return thaw_doctor_file(THAW_SOURCE_DIR "/scenes/rabbit.obj", report, error);
}

static ThawStatus examine_drawing_file(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    (void)scene;
    return thaw_doctor_file(THAW_SOURCE_DIR "/tests/scene/small/hook.svg", report, error);
}

static void every_failing_allocation_is_an_error_without_a_leak(void **state) {
    (void)state;
    ThawStatus (*const calls[])(const ThawScene *, ThawDoctorReport **, ThawError *) = {
        examine_scene, examine_mesh, examine_scene_file, examine_mesh_file, examine_surface_file, examine_drawing_file};
    ThawScene *scene = NULL;
    assert_int_equal(thaw_scene_parse(ill, strlen(ill), "ill", NULL, &scene, NULL), THAW_OK);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        int64_t n = 0;
        for (ThawStatus status = THAW_ERROR_MEMORY; status; n++) {
            ThawDoctorReport *report = NULL;
            ThawError error = {0};
            until_failure = n;
            status = calls[c](scene, &report, &error);
            until_failure = -1;
            assert_true((status == THAW_OK) == (report != NULL));
            if (status) {
                assert_int_equal(status, THAW_ERROR_MEMORY);
                assert_non_null(strstr(error.message, "memory"));
            }
            thaw_doctor_report_free(&report);
            assert_true(n < 5000);
        }
        assert_true(n > 5);
    }
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_an_error_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
