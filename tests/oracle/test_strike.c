// SPDX-License-Identifier: Apache-2.0
// A body in flight is one rigid part, followed by strides. When it is hit it has to feel that in the same step, whatever its
// thresholds: struck as a rigid body it would stop as a whole, at once.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

// The wheel of scenes/wheel.json by fewer elements. Steps are so short that it is near the floor steps before it touches it.
#define WHEEL(thresholds)                                                                                              \
    "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.001}, \"rigidify\": {" thresholds                 \
    ", \"horizon\": 1}, \"contact\": {\"erp\": 0.2, \"cfm\": 0.1, \"friction\": \"box\", \"tolerance\": 1e-4},"        \
    "\"materials\": {\"tyre\": {\"density\": 3, \"young\": 3e3, \"poisson\": 0.3, \"alpha1\": 0.05, \"damping\": "     \
    "\"viscous\"}, \"hub\": {\"density\": 10, \"young\": 1e6, \"poisson\": 0.4, \"alpha1\": 0.01, \"damping\": "       \
    "\"viscous\"}}, \"shapes\": {\"wheel\": {\"mesh\": {\"solid\": \"" THAW_SOURCE_DIR "/scenes/shapes/wheel.json\", " \
    "\"elements\": 2000}, \"material\": \"tyre\", \"regions\": {\"hub\": \"hub\"}}},"                                  \
    "\"bodies\": [{\"shape\": \"wheel\", \"position\": [0, 0, 1.02], \"velocity\": [1, 0, 0], \"spin\": [0, 2, 0]}],"  \
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}"

static void feels_the_floor(const char *text) {
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    ThawStepStats stats[2];
    double worst = 0;
    int hit = -1;
    int64_t before = 0, elastic = 0;
    for (int i = 0; i < 100; i++) {
        before = hit < 0 ? elastic : before;
        step_world(full, &stats[0]);
        step_world(rigid, &stats[1]);
        elastic = hit < 0 ? stats[1].elastic_elements : elastic;
        hit = hit < 0 && stats[0].ledger.contact_work != 0 ? i : hit;
        worst = fmax(worst, worlds_apart(full, rigid, 0));
    }
    print_message("hits the floor in step %d: %lld elements elastic, %lld before; off by %.1e m at most\n", hit,
                  (long long)elastic, (long long)before, worst);
    assert_true(hit > 30 && before == 0 && elastic > 0);
    assert_true(worst < 2e-3); // struck as a rigid body, 1e-2
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

static void a_body_in_flight_feels_the_floor_in_the_step_in_which_it_hits_it(void **state) {
    (void)state;
    feels_the_floor(WHEEL("\"tau_rigid\": 1e-3, \"epsilon\": 7e-3"));
    feels_the_floor(WHEEL("\"tau_rigid\": 1e-2, \"epsilon\": 2e-2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_in_flight_feels_the_floor_in_the_step_in_which_it_hits_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
