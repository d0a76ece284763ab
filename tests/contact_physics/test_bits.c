// SPDX-License-Identifier: Apache-2.0
// Contact and the books: the energy ledger closes, results do not depend on threads, and a run that is taken up again
// in the middle of contact goes on with the same bits.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"

// Four bodies fall on each other, on a slope and on a moving obstacle.
static Touch tumble(const char *integrator, const char *extra) {
    return touch_open(
        "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s'},"
        " 'materials': {'m': {'density': 1000, 'young': 2e5, 'poisson': 0.35, 'alpha0': 0.1, 'alpha1': 0.005}},"
        " 'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, -0.1, -0.1], 'max': [0.1, 0.1, 0.1], 'cells': [3, 3, "
        "3]}}, 'material': 'm'},"
        "   'bar': {'mesh': {'box': {'min': [-0.25, -0.06, -0.06], 'max': [0.25, 0.06, 0.06], 'cells': [6, 2, 2]}}, "
        "'material': 'm'}},"
        " 'bodies': [{'shape': 'cube', 'position': [0, 0, 0.2], 'rotation': {'axis': [1, 2, 0], 'degrees': 20}},"
        "   {'shape': 'cube', 'position': [0.05, 0.03, 0.45], 'velocity': [0, 0, -1], 'spin': [1, 2, 3]},"
        "   {'shape': 'bar', 'position': [0.05, 0, 0.72], 'velocity': [0, 0, -1.5]},"
        "   {'shape': 'cube', 'position': [0.7, 0, 0.2], 'velocity': [-1, 0, 0], 'forces': [{'group': 'all', "
        "'acceleration': [-2, 0, 0]}]}],"
        " 'obstacles': [{'plane': {'normal': [0.1, 0, 1]}},"
        "   {'sphere': {'radius': 0.15}, 'position': [-0.4, 0, 0.15],"
        "    'keys': [{'time': 0}, {'time': 0.5, 'translation': [0.2, 0, 0]}]}],"
        " 'contact': {'iterations': 3000%s}}",
        integrator, extra);
}

static void the_ledger_closes_with_contact(void **state) {
    (void)state;
    static const char *const extras[] = {"", ", 'stiffness': 'hard'"};
    for (int newton = 0; newton < 2; newton++)
        for (int i = 0; i < 2; i++) {
            Touch t = tumble(newton ? "newton" : "semi-implicit", extras[i]);
            t.scene->world.ledger = 1;
            thaw_world_free(&t.world);
            assert_int_equal(thaw_world_create(&t.scene->world, &t.world, NULL), THAW_OK);
            double start = touch_balance(&t), worst = 0, moved = 0;
            int64_t contacts = 0;
            for (int k = 0; k < (newton ? 60 : 120); k++) {
                if (i == 0)
                    touch_run(&t, 1);
                else // hard contacts of many bodies at once need not have a solution
                    touch_try(&t, 1);
                worst = fmax(worst, fabs(touch_balance(&t) - start));
                moved = fmax(moved, fabs(t.last.ledger.contact_work));
                contacts += t.last.contacts;
            }
            printf("%s {%s}: the ledger is off by %.1e J; contact did %.3g J, %lld contacts, residual left in %lld "
                   "steps\n",
                   newton ? "newton" : "semi-implicit", extras[i], worst, moved, (long long)contacts,
                   (long long)t.left);
            assert_true(contacts > 100 && moved > 0.1);
            assert_true(worst < 1e-4);
            touch_close(&t);
        }
}

static void threads_change_no_bit(void **state) {
    (void)state;
    for (int newton = 0; newton < 2; newton++) {
        uint64_t hash[2];
        for (int i = 0; i < 2; i++) {
            Touch t = tumble(newton ? "newton" : "semi-implicit", "");
            t.scene->world.threads = 1 + i;
            thaw_world_free(&t.world);
            assert_int_equal(thaw_world_create(&t.scene->world, &t.world, NULL), THAW_OK);
            touch_run(&t, newton ? 60 : 120);
            hash[i] = thaw_world_hash(t.world);
            touch_close(&t);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static void a_run_taken_up_in_the_middle_of_contact_goes_on_with_the_same_bits(void **state) {
    (void)state;
    char path[] = "/tmp/thaw_contact_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ThawError error = {0};
    Touch t = tumble("semi-implicit", ""), other = tumble("semi-implicit", "");
    do
        touch_run(&t, 1);
    while (t.last.contacts < 25);
    assert_int_equal(thaw_world_save(t.world, path, &error), THAW_OK);
    assert_int_equal(thaw_world_load(other.world, path, &error), THAW_OK);
    for (int i = 0; i < 40; i++) {
        touch_run(&t, 1);
        touch_run(&other, 1);
        assert_true(thaw_world_hash(t.world) == thaw_world_hash(other.world));
    }
    unlink(path);
    touch_close(&t);
    touch_close(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ledger_closes_with_contact),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_run_taken_up_in_the_middle_of_contact_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
