// SPDX-License-Identifier: Apache-2.0
// Contacts in checkpoints: what a world shows of them is the same after it was loaded, and no file, however well its
// digest fits, names a body, an obstacle, a vertex or a face that is not there.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "output/checkpoint.h"
#include "support/world.h"
#include "thaw/thaw.h"

#define SCENE(method, obstacles)                                                                                       \
    "{\"thaw\": 1, \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e6, \"poisson\": 0.3, \"alpha1\": 0.02}},"   \
    "\"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.05, 0], \"max\": [0.05, 0.05, 0.1], "               \
    "\"cells\": [2, 2, 2]}}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\", \"method\": \"" method "\"},"      \
    "{\"shape\": \"s\", \"method\": \"" method "\", \"position\": [0.01, 0, 0.1]}]" obstacles "}"
#define BOX ", \"obstacles\": [{\"box\": {\"size\": [1, 1, 1]}, \"position\": [0, 0, -0.5]}]"

enum { VERTICES = 27 };

static char path[] = "/tmp/thaw-contacts-XXXXXX", other[] = "/tmp/thaw-contacts-XXXXXX";

static int make_files(void **state) {
    (void)state;
    return close(mkstemp(path)) | close(mkstemp(other));
}

static int drop_files(void **state) {
    (void)state;
    return unlink(path) | unlink(other);
}

static void save(const ThawWorld *world) {
    ThawError error = {0};
    if (thaw_world_save(world, path, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

// --- what is shown ---------------------------------------------------------------------------------------------------

// Whether forces, pressures and points are the same bits; the force that the second body feels is returned.
static double assert_same_contacts(const ThawWorld *a, const ThawWorld *b) {
    double f[2][3 * VERTICES], p[2][VERTICES], q[2][VERTICES], sum = 0;
    const ThawWorld *worlds[2] = {a, b};
    for (int32_t body = 0; body < 2; body++) {
        for (int w = 0; w < 2; w++) {
            assert_int_equal(thaw_world_get_contact_forces(worlds[w], body, f[w]), THAW_OK);
            assert_int_equal(thaw_world_get_contact_pressures(worlds[w], body, p[w], q[w]), THAW_OK);
        }
        assert_memory_equal(f[0], f[1], sizeof f[0]);
        assert_memory_equal(p[0], p[1], sizeof p[0]);
        assert_memory_equal(q[0], q[1], sizeof q[0]);
    }
    for (int i = 0; i < VERTICES; i++)
        sum += f[0][3 * i + 2];
    int32_t count = thaw_world_contact_count(a);
    assert_int_equal(thaw_world_contact_count(b), count);
    ThawContactPoint *points[2];
    for (int w = 0; w < 2; w++) {
        points[w] = calloc((size_t)count + 1, sizeof **points);
        assert_int_equal(thaw_world_get_contacts(worlds[w], points[w]), THAW_OK);
    }
    assert_memory_equal(points[0], points[1], sizeof **points * (size_t)count);
    free(points[0]);
    free(points[1]);
    return sum;
}

static void contacts_are_the_same_after_loading_awake_falling_asleep_and_asleep(void **state) {
    (void)state;
    ThawWorld *one = make_world(SCENE("rigidify", BOX), 1);
    ThawError error = {0};
    int seen[2] = {0};
    for (int i = 0; i < 1000 && seen[1] < 5; i++) {
        run_world(one, 1);
        const int asleep = thaw_world_is_asleep(one, 0) && thaw_world_is_asleep(one, 1);
        if (i % 7 != 0 && !asleep)
            continue;
        ThawWorld *two = make_world(SCENE("rigidify", BOX), 1);
        save(one);
        if (thaw_world_load(two, path, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_same_contacts(one, two);
        assert_int_equal(thaw_world_event_count(two), 0);
        run_world(one, 1); // may fall asleep with the contacts of the file
        run_world(two, 1);
        const double force = assert_same_contacts(one, two);
        if (asleep)
            assert_true(fabs(force - 9.81) < 0.01);
        seen[asleep]++;
        thaw_world_free(&two);
    }
    assert_true(seen[0] > 2 && seen[1] == 5);
    thaw_world_free(&one);
}

// --- what is refused -------------------------------------------------------------------------------------------------

static void a_world_with_other_obstacles_is_another_world(void **state) {
    (void)state;
    static const char *const others[] = {
        SCENE("full", ""),
        SCENE("full", ", \"obstacles\": [{\"plane\": {}}]"),
        SCENE("full", ", \"obstacles\": [{\"box\": {\"size\": [1, 1, 0.9]}, \"position\": [0, 0, -0.5]}]"),
        SCENE("full",
              ", \"obstacles\": [{\"box\": {\"size\": [1, 1, 1]}, \"position\": [0, 0, -0.5]}, {\"plane\": {}}]"),
    };
    ThawWorld *world = make_world(SCENE("full", BOX), 1);
    run_world(world, 3);
    save(world);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ThawWorld *two = make_world(others[i], 1);
        ThawError error = {0};
        assert_int_equal(thaw_world_load(two, path, &error), THAW_ERROR_INPUT);
        assert_non_null(strstr(error.message, "obstacles"));
        run_world(two, 1);
        thaw_world_free(&two);
    }
    thaw_world_free(&world);
}

// Copies a file, one number of one table replaced.
static void copy_with(const char *table, int64_t at, double value) {
    char name[100];
    ThawCheckpoint *from, *to;
    assert_int_equal(thaw_checkpoint_open(path, &from, NULL), THAW_OK);
    assert_int_equal(thaw_checkpoint_create(other, &to, NULL), THAW_OK);
    for (int64_t i = 0; thaw_checkpoint_name(from, i, name, sizeof name); i++) {
        const int64_t count = thaw_checkpoint_count(from, name);
        assert_true(count >= 0);
        const int change = strcmp(name, table) == 0;
        assert_true(!change || at < count);
        void *data = calloc((size_t)count + 1, sizeof(double));
        if (thaw_checkpoint_get_f64(from, name, data, count, NULL) == THAW_OK) {
            if (change)
                ((double *)data)[at] = value;
            assert_int_equal(thaw_checkpoint_put_f64(to, name, data, count, NULL), THAW_OK);
        } else if (thaw_checkpoint_get_i32(from, name, data, count, NULL) == THAW_OK) {
            if (change)
                ((int32_t *)data)[at] = (int32_t)value;
            assert_int_equal(thaw_checkpoint_put_i32(to, name, data, count, NULL), THAW_OK);
        } else if (thaw_checkpoint_get_i64(from, name, data, count, NULL) == THAW_OK)
            assert_int_equal(thaw_checkpoint_put_i64(to, name, data, count, NULL), THAW_OK);
        else {
            assert_int_equal(thaw_checkpoint_get_u64(from, name, data, count, NULL), THAW_OK);
            if (change)
                memcpy((double *)data + at, &value, sizeof value);
            assert_int_equal(thaw_checkpoint_put_u64(to, name, data, count, NULL), THAW_OK);
        }
        free(data);
    }
    thaw_checkpoint_free(&from);
    assert_int_equal(thaw_checkpoint_commit(&to, NULL), THAW_OK);
}

static void what_a_file_names_is_there_or_it_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *table;
        int64_t at;
        double value;
        const char *message;
    } damages[] = {
        {"contacts/key", 0, 2, "between 2 and"},
        {"contacts/key", 0, -1, "between -1 and"},
        {"contacts/key", 1, 2, "and 2; allowed"},
        {"contacts/key", 1, -2, "and -2; allowed"},
        {"contacts/key", 2, 4, "of kind 4"},
        {"contacts/key", 2, -1, "of kind -1"},
        {"contacts/key", 3, VERTICES, "does not fit"},
        {"contacts/key", 3, -1, "does not fit"},
        {"contacts/key", 4, 6, "does not fit"},
        {"contacts/key", 4, -2, "does not fit"},
        {"contacts/key", 3, VERTICES - 1, "keys ascend"},
        {"contacts/sides", 3, 26, "is not among the contacts"},
        {"contacts/sides", 7, 5, "vertices"},
        {"contacts/sides", 7, 0, "vertices"},
        {"contacts/sides", 8, 1, "vertices"},
        {"contacts/sides", 9, VERTICES, "vertices"},
        {"options/rigidify", 2, NAN, "options/rigidify, row 0: frame_count is nan"},
        {"options/rigidify", 10, 1e300, "options/rigidify, row 0: oracle is 1e+300"},
        {"options/rigidify", 7, -1e300, "options/rigidify, row 0: smallest is -1e+300"},
        {"options/rigidify", 1, NAN, "tau_rigid"},
        {"bodies", 4, 2, "rigidify"}, // the first body's own, which are not there
        {"bodies", 2, 77, "method of body 0"},
    };
    ThawWorld *world = make_world(SCENE("full", BOX), 1);
    ThawError error = {0};
    run_world(world, 20);
    save(world);
    copy_with("", 0, 0);
    if (thaw_world_load(world, other, &error) != THAW_OK)
        fail_msg("an honest copy is refused: %s", error.message);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        copy_with(damages[i].table, damages[i].at, damages[i].value);
        if (thaw_world_load(world, other, &error) != THAW_ERROR_INPUT || !strstr(error.message, damages[i].message))
            fail_msg("%s[%d] = %g: %s", damages[i].table, (int)damages[i].at, damages[i].value, error.message);
        run_world(world, 1);
    }
    thaw_world_free(&world);
}

// A word of floats has two of them, and the upper half of a double that is no number is a float that is none.
static void numbers_of_an_oracle_and_of_parts_that_are_not_finite_are_refused(void **state) {
    (void)state;
    static const char *const tables[] = {"rate",  "predicted", "strain",       "reference", "shadow", "shadow_accel",
                                         "inner", "loads",     "part_inertia", "part_turn", "stress", "r"};
    ThawWorld *world = make_world(SCENE("rigidify", BOX), 1);
    ThawError error = {0};
    for (int i = 0; i < 1000 && run_world(world, 1).elastic_elements > 0; i++)
        continue;
    assert_false(thaw_world_is_asleep(world, 0));
    save(world);
    copy_with("", 0, 0);
    if (thaw_world_load(world, other, &error) != THAW_OK)
        fail_msg("an honest copy is refused: %s", error.message);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char table[64], message[64];
        snprintf(table, sizeof table, "body/0/%s", tables[i]);
        snprintf(message, sizeof message, "of its %s is nan", tables[i]);
        copy_with(table, 5, NAN);
        if (thaw_world_load(world, other, &error) != THAW_ERROR_INPUT || !strstr(error.message, message))
            fail_msg("%s: %s", table, error.message);
    }
    thaw_world_free(&world);
}

// Only bodies of the method "rigidify" sleep, whatever a file says of how long they have been slow.
static void a_full_body_that_is_said_to_be_slow_stays_awake(void **state) {
    (void)state;
    ThawWorld *one = make_world(SCENE("full", BOX), 1), *two = make_world(SCENE("full", BOX), 1);
    ThawError error = {0};
    save(one); // before its first contact, so that each body is an island
    copy_with("bodies", 1, 255);
    if (thaw_world_load(two, other, &error) != THAW_OK)
        fail_msg("%s", error.message);
    run_world(one, 5);
    run_world(two, 5);
    assert_false(thaw_world_is_asleep(two, 0));
    assert_true(worlds_apart(one, two, 0) == 0 && worlds_apart(one, two, 1) == 0);
    thaw_world_free(&one);
    thaw_world_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_the_same_after_loading_awake_falling_asleep_and_asleep),
        cmocka_unit_test(a_world_with_other_obstacles_is_another_world),
        cmocka_unit_test(what_a_file_names_is_there_or_it_is_refused),
        cmocka_unit_test(numbers_of_an_oracle_and_of_parts_that_are_not_finite_are_refused),
        cmocka_unit_test(a_full_body_that_is_said_to_be_slow_stays_awake),
    };
    return cmocka_run_group_tests(tests, make_files, drop_files);
}
