// SPDX-License-Identifier: Apache-2.0
// Rows of attachments: alone they are a linear system that is solved to rounding; among contacts each keeps its own
// law, in both forms, by every solver that takes over what is left.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "response/support_response.h"

// Every `each`-th contact becomes an attachment.
static void attach(Island *island, int each) {
    for (int32_t i = 0; i < island->count; i += each) {
        ThawContact *row = island->contacts + i;
        row->two_sided = 1;
        row->stiffness = isinf(row->stiffness) ? 1e5 : row->stiffness;
        row->across[0] = row->stiffness;
        row->across[1] = row->damping;
        row->lambda[0] -= 0.1; // a warm start may pull
    }
}

static void attachments_alone_are_solved_to_rounding(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++)
        for (int form = 1; form <= 2; form++) {
            Island *island = island_random_problem(seed);
            ThawResponseInfo info;
            attach(island, 1);
            island->options.form = form;
            assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
            assert_true(info.residual <= 1e-10);
            assert_int_equal(island_offender(island, 1e-7), -1);
            island_free(island);
        }
}

static void among_contacts_each_keeps_its_own_law(void **state) {
    (void)state;
    int pulls = 0, presses = 0;
    for (uint64_t seed = 1; seed <= 200; seed++)
        for (int form = 1; form <= 2; form++) {
            Island *island = island_random_problem(seed);
            ThawResponseInfo info;
            attach(island, 3);
            island->options.form = form;
            assert_true(island_solve(island, NULL, &info) == THAW_OK || info.residual < 1e-3);
            if (info.residual <= 1e-6)
                assert_int_equal(island_offender(island, 1e-3), -1);
            for (int32_t i = 0; i < island->count; i++) {
                pulls += island->contacts[i].two_sided && island->contacts[i].lambda[0] < 0;
                presses += !island->contacts[i].two_sided && island->contacts[i].lambda[0] > 0;
                assert_true(island->contacts[i].two_sided || island->contacts[i].lambda[0] >= 0);
            }
            island_free(island);
        }
    assert_true(pulls > 100 && presses > 100);
}

static void a_tower_that_is_sprung_to_its_floor_converges(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int elastic = 0; elastic < 2; elastic++) {
            Island *island = island_stack(dim, 0.01, 6, 2, elastic ? 1e4 : 0, 1, INFINITY, 0.5);
            ThawResponseInfo info;
            island_fall(island, 9.81);
            for (int32_t i = 0; i < island->count; i += 7) {
                island->contacts[i].two_sided = 1;
                island->contacts[i].stiffness = island->contacts[i].across[0] = 100;
                island->contacts[i].gap = 0.05; // stretched: it pulls the boxes together
            }
            assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
            assert_int_equal(island_offender(island, 1e-4), -1);
            assert_true(island->contacts[0].lambda[0] < 0);
            island_free(island);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments_alone_are_solved_to_rounding),
        cmocka_unit_test(among_contacts_each_keeps_its_own_law),
        cmocka_unit_test(a_tower_that_is_sprung_to_its_floor_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
