// SPDX-License-Identifier: Apache-2.0
// A small file that would fill gigabytes when unpacked is refused before memory is made for it, unless that is allowed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mesh/packed.h"
#include "support/folder.h"
#include "thaw/read.h"

static void a_file_that_unpacks_to_too_much_is_refused(void **state) {
    (void)state;
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    write_bomb(at("large.vtu"), 12000000); // 290 MB of numbers in 140 kB
    assert_int_equal(thaw_mesh_read(at("large.vtu"), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "unpacks to 274 MiB"));
    assert_non_null(strstr(error.message, "allowed: 256 MiB"));
    assert_non_null(strstr(error.message, "THAW_UNPACK_LIMIT="));
}

static void the_limit_can_be_moved(void **state) {
    (void)state;
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    write_bomb(at("small.vtu"), 200000); // 4.6 MiB
    ThawReadOptions options = {.unpack_limit = 4 << 20};
    assert_int_equal(thaw_mesh_read_with(at("small.vtu"), &options, &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "allowed: 4 MiB"));
    options.unpack_limit = 5 << 20;
    assert_int_equal(thaw_mesh_read_with(at("small.vtu"), &options, &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_null(strstr(error.message, "unpacks")); // its element is flat
}

// By way of a scene and of the doctor, too.
static void the_limit_goes_with_whoever_reads(void **state) {
    (void)state;
    static const char scene_text[] =
        "{\"thaw\": 1, \"materials\": {\"m\": {}}, \"shapes\": {\"s\": {\"mesh\": {\"file\": \"small.vtu\"},"
        "\"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\"}]}";
    ThawError error = {0};
    ThawScene *scene = NULL;
    ThawDoctorReport *report = NULL;
    write_bomb(at("small.vtu"), 200000); // 4.6 MiB
    const ThawReadOptions options = {.unpack_limit = 4 << 20};
    assert_int_equal(thaw_scene_parse_with(scene_text, strlen(scene_text), "scene", folder, &options, &scene, &error),
                     THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "allowed: 4 MiB"));
    assert_int_equal(thaw_scene_parse(scene_text, strlen(scene_text), "scene", folder, &scene, &error),
                     THAW_ERROR_INPUT);
    assert_null(strstr(error.message, "unpacks"));
    assert_int_equal(thaw_doctor_file_with(at("small.vtu"), &options, &report, &error), THAW_OK);
    assert_int_equal(report->complaint_count, 1);
    assert_non_null(strstr(report->complaints[0].what, "allowed: 4 MiB"));
    thaw_doctor_report_free(&report);
}

// That is for programs: what they are told by the environment they pass on.
static void the_library_does_not_look_at_the_environment(void **state) {
    (void)state;
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    write_bomb(at("small.vtu"), 200000);
    setenv("THAW_UNPACK_LIMIT", "4", 1);
    assert_int_equal(thaw_mesh_read(at("small.vtu"), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_null(strstr(error.message, "unpacks"));
    unsetenv("THAW_UNPACK_LIMIT");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_unpacks_to_too_much_is_refused),
        cmocka_unit_test(the_limit_can_be_moved),
        cmocka_unit_test(the_limit_goes_with_whoever_reads),
        cmocka_unit_test(the_library_does_not_look_at_the_environment),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
