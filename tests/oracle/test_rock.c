// SPDX-License-Identifier: Apache-2.0
// A column that is tilted and let go rocks from edge to edge of its foot. Each
// blow wakes elements of a body that is otherwise rigid: what wakes has to go the way that forces pushed it up to
// then, no farther, and must not feel the blow before it comes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

static void a_column_rocks_as_the_full_one_does_and_gains_nothing(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e7, "
        "\"poisson\": 0.3, \"alpha1\": 0.01}}, \"shapes\": {\"column\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, "
        "0], \"max\": [0.1, 0.1, 1], \"cells\": [3, 3, 12]}}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": "
        "\"column\", \"position\": [0.00054781, 0, 0.01045285], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": "
        "6}}], \"obstacles\": [{\"plane\": {}}]}";
    ThawWorld *full = make_world_by(text, "full", 1), *world = make_world_by(text, "rigidify", 1);
    double worst = 0, least = INFINITY, largest = 0, risen = 0, ground = 0, elastic = 0;
    for (int i = 0; i < 300; i++) {
        ThawStepStats stats;
        step_world(full, NULL);
        step_world(world, &stats);
        const ThawLedger *l = &stats.ledger;
        double held = l->kinetic + l->shadow + l->elastic;
        double energy = held + l->gravitational - l->external_work - l->contact_work - l->parting_work;
        ground = i == 0 ? l->gravitational : ground;
        largest = fmax(largest, held + fabs(l->gravitational - ground));
        least = fmin(least, energy);
        risen = fmax(risen, energy - least);
        worst = fmax(worst, worlds_apart(full, world, 0));
        elastic += (double)stats.elastic_elements / (300. * (double)thaw_world_element_count(world, 0));
    }
    print_message("off by %.2e m at most, energy risen by %.1e of the largest, %.2f of it elastic\n", worst,
                  risen / largest, elastic);
    assert_true(elastic > 0.1 && elastic < 0.8);
    assert_true(worst < 6e-3);           // when what wakes crept on by its last speed, 2.5e-2
    assert_true(risen < 1e-6 * largest); // then 1.4e-3
    thaw_world_free(&full);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_rocks_as_the_full_one_does_and_gains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
