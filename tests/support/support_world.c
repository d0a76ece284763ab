// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

ThawWorld *make_world(const char *text, int threads) { return make_world_by(text, NULL, threads); }

ThawWorld *make_world_by(const char *text, const char *method, int threads) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    ThawWorldDef def = scene->world;
    ThawBodyDef *bodies = calloc((size_t)def.body_count + 1, sizeof *bodies);
    assert_non_null(bodies);
    for (int32_t i = 0; i < def.body_count; i++) {
        bodies[i] = def.bodies[i];
        bodies[i].method = method ? method : bodies[i].method;
    }
    def.bodies = bodies;
    def.threads = threads;
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    free(bodies);
    thaw_scene_free(&scene);
    return world;
}

void step_world(ThawWorld *world, ThawStepStats *stats) {
    ThawError error = {0};
    if (thaw_world_step(world, stats, &error) != THAW_OK)
        fail_msg("%s", error.message);
#ifdef THAW_ASSERTIONS
    if (thaw_world_validate(world, &error) != THAW_OK)
        fail_msg("%s", error.message);
#endif
}

ThawStepStats run_world(ThawWorld *world, int steps) {
    ThawStepStats stats = {0};
    for (int i = 0; i < steps; i++)
        step_world(world, &stats);
    return stats;
}

double worlds_apart(const ThawWorld *a, const ThawWorld *b, int32_t body) {
    int32_t nv = thaw_world_vertex_count(a, body);
    double *x = calloc(6 * (size_t)nv, sizeof *x), worst = 0;
    assert_non_null(x);
    assert_int_equal(thaw_world_get_positions(a, body, x), THAW_OK);
    assert_int_equal(thaw_world_get_positions(b, body, x + 3 * nv), THAW_OK);
    for (int32_t i = 0; i < nv; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (x[3 * i + k] - x[3 * (nv + i) + k]) * (x[3 * i + k] - x[3 * (nv + i) + k]);
        worst = fmax(worst, sqrt(square));
    }
    free(x);
    return worst;
}

double ledger_balance(const ThawLedger *l) {
    return l->kinetic + l->shadow + l->elastic + l->gravitational -
           (l->external_work - l->damping_loss - l->integration_loss + l->contact_work + l->parting_work -
            l->transition_loss + l->follow_work);
}

int bits_across_checkpoints(const char *text, int steps, const char *path,
                            int (*is_ripe)(const ThawWorld *world, const ThawStepStats *stats)) {
    ThawWorld *one = make_world(text, 1), *two = make_world(text, 2);
    ThawStepStats a, b;
    ThawError error = {0};
    int saved = 0, last = 0;
    for (int i = 0; i < steps; i++) {
        step_world(one, &a);
        step_world(two, &b);
        assert_int_equal(a.state_hash, b.state_hash);
        assert_int_equal(thaw_world_full_hash(one), thaw_world_full_hash(two));
        assert_true(memcmp(&a.ledger, &b.ledger, sizeof a.ledger) == 0);
        if (!is_ripe(one, &a) || i < last + 7)
            continue;
        assert_int_equal(thaw_world_save(two, path, &error), THAW_OK);
        thaw_world_free(&two);
        two = make_world(text, saved++ % 2 ? 2 : 1);
        assert_int_equal(thaw_world_load(two, path, &error), THAW_OK);
        last = i;
    }
    print_message("saved %d times, the last time in step %d\n", saved, last);
    remove(path);
    thaw_world_free(&one);
    thaw_world_free(&two);
    return saved;
}
