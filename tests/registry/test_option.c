// SPDX-License-Identifier: Apache-2.0
// The registry of methods and their tables of options: each table is sound, and each walk over one does what it says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "registry/method.h"
#include "scene/read.h"

static const ThawOptionTable *const rigidify = &thaw_method_rigidify.options;

static void each_method_is_found_by_its_name_and_has_a_page(void **state) {
    (void)state;
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        char path[500];
        assert_int_equal(thaw_method_index(method->name), i);
        assert_true(strlen(method->summary) > 10 && strlen(method->summary) < 100);
        snprintf(path, sizeof path, THAW_SOURCE_DIR "/docs/%s", method->page);
        FILE *page = fopen(path, "r");
        assert_non_null(page);
        fclose(page);
        assert_true(method->options.count < THAW_SCENE_KEYS - 1);
    }
    assert_int_equal(thaw_method_index("magic"), -1);
    assert_int_equal(thaw_method_index(NULL), -1);
    ThawError error = {0};
    int index = 7;
    assert_int_equal(thaw_method_find("here", "magic", &index, &error), THAW_ERROR_INPUT);
    assert_string_equal(error.message,
                        "here: method is \"magic\"; allowed: \"full\" or \"rigidify\" or \"condense\" or "
                        "\"frames\" or \"skeleton\"");
    assert_int_equal(index, 7);
    assert_int_equal(thaw_method_find("here", "rigidify", &index, &error), THAW_OK);
    assert_ptr_equal(thaw_method_at(index), &thaw_method_rigidify);
}

// Members neither overlap nor are left out: with padding to eight bytes, as a struct of doubles and ints has it, all
// bytes belong to an option.
static void check_members(const ThawOptionTable *table) {
    unsigned char owner[512] = {0};
    assert_true(table->size <= sizeof owner);
    for (int i = 0; i < table->count; i++) {
        const size_t size = table->rows[i].kind == THAW_OPTION_REAL ? sizeof(double) : sizeof(int);
        assert_true(table->rows[i].offset % size == 0 && table->rows[i].offset + size <= table->size);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(owner[table->rows[i].offset + k]++, 0);
    }
    for (size_t word = 0; word < table->size / 4; word++) // of two neighbours one may be padding
        assert_true(owner[4 * word] || owner[4 * (word ^ 1)]);
}

static void check_row(const ThawOptionTable *table, const ThawOption *o) {
    char text[200];
    assert_ptr_equal(thaw_option_find(table, o->name), o);
    assert_true(o->unit && strlen(o->help) > 10 && o->help[strlen(o->help) - 1] != '.');
    assert_true(!strchr(o->help, '"') && !strchr(o->help, '\\') &&
                !strchr(o->help, '|')); // it goes into JSON and tables
    assert_true(thaw_option_allows(o, o->value));
    assert_false(thaw_option_allows(o, NAN));
    assert_true(!o->derived || (o->value == 0 && o->kind == THAW_OPTION_REAL));
    if (o->only_with) {
        const ThawOption *choice = thaw_option_find(table, o->only_with);
        assert_true(choice && choice->kind == THAW_OPTION_CHOICE && thaw_option_allows(choice, o->only_choice));
    }
    if (o->label) {
        assert_true(thaw_option_allows(o, o->slider[0]) && thaw_option_allows(o, o->slider[1]));
        assert_true(o->slider[0] < o->slider[1] && (!o->logarithmic || o->slider[0] > 0));
    }
    assert_true(o->power == 0 || o->kind == THAW_OPTION_REAL);
    thaw_option_say_allowed(o, text, sizeof text);
    assert_true(*text);
    thaw_option_say_range(o, text, sizeof text);
    assert_true(*text);
    thaw_option_say_default(o, text, sizeof text);
    assert_true(*text);
}

static void each_table_is_sound(void **state) {
    (void)state;
    for (int m = 0; m < thaw_method_count(); m++) {
        const ThawOptionTable *table = &thaw_method_at(m)->options;
        check_members(table);
        for (int i = 0; i < table->count; i++)
            check_row(table, &table->rows[i]);
    }
    assert_null(thaw_option_find(rigidify, "secret"));
}

static void what_is_allowed_is_said_as_it_is_checked(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double good[3], bad[3];
        const char *allowed, *range;
    } cases[] = {
        {"tolerance", {1e-6, 1, 0.5}, {0, 1.1, -1}, "a number greater than 0 and at most 1", "> 0, <= 1"},
        {"relax", {0, 1, 0.5}, {-0.1, 1.1, INFINITY}, "a number of at least 0 and at most 1", ">= 0, <= 1"},
        {"tau_rigid",
         {0, 1e9, INFINITY},
         {-1, -INFINITY, NAN},
         "a number greater than 0, or 0 (by tolerance)",
         "> 0, 1/s^2"},
        {"frame_count", {1, 255, 3}, {0, 256, 1.5}, "an integer from 1 to 255", "1 to 255, steps"},
        {"sleep", {0, 2, 255}, {1, 256, -1}, "0 (never), or 2 to 255", "0, 2 to 255, steps"},
        {"oracle", {0, 1, 1}, {2, -1, 0.5}, "\"static\" or \"paper\"", "\"static\", \"paper\""},
        {"split_gravity", {0, 1, 2}, {0.5, 1e10, NAN}, "true or false", "true, false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ThawOption *o = thaw_option_find(rigidify, cases[i].name);
        char text[200];
        for (int k = 0; k < 3; k++)
            if (!thaw_option_allows(o, cases[i].good[k]) || thaw_option_allows(o, cases[i].bad[k]))
                fail_msg("%s: %g or %g", o->name, cases[i].good[k], cases[i].bad[k]);
        thaw_option_say_allowed(o, text, sizeof text);
        assert_string_equal(text, cases[i].allowed);
        thaw_option_say_range(o, text, sizeof text);
        assert_string_equal(text, cases[i].range);
    }
    char cut[9];
    thaw_option_say_allowed(thaw_option_find(rigidify, "tolerance"), cut, sizeof cut);
    assert_string_equal(cut, "a number");
}

static void defaults_are_those_of_the_interface(void **state) {
    (void)state;
    ThawRigidifyOptions o;
    memset(&o, 0xff, sizeof o);
    thaw_options_default(rigidify, &o);
    ThawWorldDef def = thaw_world_def_default();
    assert_memory_equal(&o, &def.rigidify, sizeof o);
    assert_true(o.tolerance == 1e-3 && o.tau_rigid == 0 && o.frame_count == 10 && o.epsilon == 0 && o.horizon == 0);
    assert_true(o.hold == 20 && o.relax == 0.1 && o.smallest == 8 && o.sleep == 20 && o.sleep_speed == 0);
    assert_true(o.oracle == THAW_ORACLE_STATIC && o.tau_elastic == 0 && o.cg_iterations == 1 && !o.split_gravity);
    assert_null(thaw_body_def_default().rigidify);
}

// Each option by itself is seen by all that hash, list, take and check.
static void no_walk_passes_over_an_option(void **state) {
    (void)state;
    ThawRigidifyOptions plain, other, taken;
    ThawError error = {0};
    double numbers[64], again[64];
    thaw_options_default(rigidify, &plain);
    assert_true(rigidify->count <= 64);
    const uint64_t hash = thaw_options_hash(rigidify, 5, &plain);
    for (int i = 0; i < rigidify->count; i++) {
        const ThawOption *o = &rigidify->rows[i];
        other = plain;
        thaw_option_set(o,
                        o->kind == THAW_OPTION_REAL ? 0.25
                        : o->value == 1             ? 2
                        : o->value == 0             ? 1
                                                    : o->value + 1,
                        &other);
        assert_true(thaw_options_hash(rigidify, 5, &other) != hash);
        thaw_options_list(rigidify, &other, numbers);
        assert_true(numbers[i] == thaw_option_get(o, &other) && numbers[i] != o->value);
        assert_int_equal(thaw_options_take(rigidify, "here", numbers, &taken, &error), THAW_OK);
        thaw_options_list(rigidify, &taken, again);
        assert_memory_equal(again, numbers, sizeof *again * (size_t)rigidify->count);
        assert_int_equal(thaw_options_check(rigidify, "here", &other, &error), THAW_OK);
        numbers[i] = -1e300;
        if (o->kind == THAW_OPTION_FLAG)
            numbers[i] = 0.5;
        assert_int_equal(thaw_options_take(rigidify, "here", numbers, &taken, &error), THAW_ERROR_INPUT);
        assert_non_null(strstr(error.message, "here: "));
        assert_non_null(strstr(error.message, o->name));
    }
    other = plain;
    other.relax = 2;
    assert_int_equal(thaw_options_check(rigidify, "world: rigidify", &other, &error), THAW_ERROR_INPUT);
    assert_string_equal(error.message, "world: rigidify: relax is 2; allowed: a number of at least 0 and at most 1");
}

static void an_option_of_another_rule_is_not_read(void **state) {
    (void)state;
    ThawRigidifyOptions o;
    thaw_options_default(rigidify, &o);
    for (int rule = 0; rule < THAW_ORACLE_RULE_COUNT; rule++) {
        o.oracle = (ThawOracleRule)rule;
        const bool paper = rule == THAW_ORACLE_PAPER;
        assert_true(thaw_option_is_read(rigidify, thaw_option_find(rigidify, "tau_rigid"), &o));
        assert_true(thaw_option_is_read(rigidify, thaw_option_find(rigidify, "epsilon"), &o) != paper);
        assert_true(thaw_option_is_read(rigidify, thaw_option_find(rigidify, "tau_elastic"), &o) == paper);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_method_is_found_by_its_name_and_has_a_page),
        cmocka_unit_test(each_table_is_sound),
        cmocka_unit_test(what_is_allowed_is_said_as_it_is_checked),
        cmocka_unit_test(defaults_are_those_of_the_interface),
        cmocka_unit_test(no_walk_passes_over_an_option),
        cmocka_unit_test(an_option_of_another_rule_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
