// SPDX-License-Identifier: Apache-2.0
// What a page may turn: options of the method's table that have a slider, for all bodies, whatever else these have of
// their own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "registry/method.h"
#include "view_live.h"

static ViewLive live;

// Two cubes, the second with a tolerance of its own.
static int open_cubes(void **state) {
    (void)state;
    char path[] = "/tmp/thaw-settings-XXXXXX";
    ThawError error = {0};
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    dprintf(handle,
            "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"rigidify\": {\"tolerance\": 1e-3},"
            " \"materials\": {\"soft\": {\"young\": 1e5}}, \"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": "
            "[0, 0, 0], \"max\": [1, 1, 1], \"cells\": [2, 2, 2]}}, \"material\": \"soft\"}},\n"
            " \"bodies\": [{\"shape\": \"cube\", \"method\": \"rigidify\"}, {\"shape\": \"cube\", \"method\": "
            "\"rigidify\", \"position\": [3, 0, 0], \"rigidify\": {\"tolerance\": 1e-2, \"hold\": 9}}]}\n");
    close(handle);
    if (view_live_open(path, 1, &live, &error) != THAW_OK)
        fail_msg("%s", error.message);
    unlink(path);
    return 0;
}

static int close_cubes(void **state) {
    (void)state;
    view_live_clear(&live);
    return 0;
}

static ThawRigidifyOptions options_of(int32_t body) {
    ThawRigidifyOptions options = {0};
    assert_int_equal(thaw_world_get_body_rigidify(live.runners[live.views - 1].world, body, &options), THAW_OK);
    return options;
}

static ThawStatus turn(const char *name, double value, ThawError *error) {
    json_t *values = json_pack("{s:f}", name, value);
    ThawOptionDef rows[VIEW_SET];
    int32_t count;
    ThawStatus status = view_settings_read(&live, NULL, values, rows, &count, error);
    if (status == THAW_OK)
        status = view_worlds_set_options(&live, rows, count, error);
    json_decref(values);
    return status;
}

static void a_page_is_told_of_each_option_that_has_a_slider(void **state) {
    (void)state;
    const ThawOptionTable *table = &thaw_method_rigidify.options;
    json_t *settings = view_settings(&live), *list = json_object_get(settings, "thresholds");
    size_t at = 0;
    for (int i = 0; i < table->count; i++) {
        const ThawOption *o = &table->rows[i];
        if (!o->label)
            continue;
        json_t *entry = json_array_get(list, at++);
        assert_string_equal(json_string_value(json_object_get(entry, "name")), o->name);
        assert_string_equal(json_string_value(json_object_get(entry, "help")), o->help);
        assert_true(json_number_value(json_object_get(entry, "low")) == o->slider[0]);
        assert_true(json_number_value(json_object_get(entry, "high")) == o->slider[1]);
        assert_int_equal(json_is_true(json_object_get(entry, "whole")), o->kind != THAW_OPTION_REAL);
    }
    assert_int_equal(json_array_size(list), at);
    assert_true(json_number_value(json_object_get(json_array_get(list, 0), "value")) == 1e-3);
    json_decref(settings);
}

static void what_a_page_turns_is_turned_for_all_and_the_rest_stays_each_body_s_own(void **state) {
    (void)state;
    ThawError error = {0};
    assert_int_equal(turn("relax", 0.5, &error), THAW_OK);
    assert_true(options_of(0).relax == 0.5 && options_of(1).relax == 0.5);
    assert_true(options_of(0).tolerance == 1e-3 && options_of(1).tolerance == 1e-2 && options_of(1).hold == 9);
    assert_int_equal(turn("hold", 3, &error), THAW_OK);
    assert_true(options_of(0).hold == 3 && options_of(1).hold == 3 && options_of(1).tolerance == 1e-2);
    // From the start, side by side, and with a body more that is like the second.
    for (int views = 1; views <= 2; views++) {
        assert_int_equal(view_worlds_build(&live, views, 0, &error), THAW_OK);
        assert_true(options_of(0).relax == 0.5 && options_of(1).relax == 0.5 && options_of(1).hold == 3);
        assert_true(options_of(0).tolerance == 1e-3 && options_of(1).tolerance == 1e-2);
    }
}

static void a_slider_on_its_way_through_what_is_not_allowed_stops_at_what_is(void **state) {
    (void)state;
    ThawError error = {0};
    assert_int_equal(turn("sleep", 1, &error), THAW_OK);
    assert_int_equal(options_of(0).sleep, 2);
    assert_int_equal(turn("sleep", 0, &error), THAW_OK);
    assert_int_equal(options_of(0).sleep, 0);
    assert_int_equal(turn("sleep", 1.5, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "sleep: allowed are whole numbers from 0 to 255"));
    assert_int_equal(turn("tolerance", 2, &error), THAW_ERROR_INPUT);
    assert_int_equal(turn("oracle", 1, &error), THAW_ERROR_INPUT); // it has no slider
    assert_int_equal(turn("secret", 1, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "there is no threshold 'secret'"));
    assert_int_equal(options_of(1).sleep, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_is_told_of_each_option_that_has_a_slider, open_cubes, close_cubes),
        cmocka_unit_test_setup_teardown(what_a_page_turns_is_turned_for_all_and_the_rest_stays_each_body_s_own,
                                        open_cubes, close_cubes),
        cmocka_unit_test_setup_teardown(a_slider_on_its_way_through_what_is_not_allowed_stops_at_what_is, open_cubes,
                                        close_cubes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
