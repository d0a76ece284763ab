// SPDX-License-Identifier: Apache-2.0
// Plastic folds in the step: hinges flow once a step is final, at the places it has ended with (model/crease.c), so a
// step is elastic from the folds that it began with, and nothing has to be undone. What that takes off the elastic
// energy is dissipated: it goes to the ledger's damping.
#include <math.h>

#include "model/crease.h"
#include "step/body.h"
#include "step/step.h"

ThawStatus thaw_folds_create_state(ThawWorld *world, ThawError *error) {
    const ThawModel *model = world->model;
    if (!(world->state.folds = thaw_alloc((size_t)model->body_count, sizeof *world->state.folds)))
        return thaw_error_memory(error, "the folds of sheets");
    for (int32_t b = 0; b < model->body_count; b++)
        if (model->bodies[b].base->creases &&
            !(world->state.folds[b] = THAW_NEW(double, thaw_creases_size(model->bodies[b].base))))
            return thaw_error_memory(error, "the folds of sheets");
    return THAW_OK;
}

void thaw_folds_free_state(ThawWorld *world) {
    for (int32_t b = 0; world->state.folds && b < world->model->body_count; b++)
        thaw_free(world->state.folds[b]);
    thaw_free(world->state.folds);
    world->state.folds = NULL;
}

void thaw_folds_apply(ThawWorld *world, int32_t body) {
    if (world->state.folds[body])
        thaw_creases_apply(world->model->bodies[body].shape, world->state.folds[body]);
}

void thaw_folds_flow(ThawWorld *world) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        const int32_t body = world->awake[i];
        ThawStepper *s = &world->steppers[body];
        const ThawIntegrationSet *set = s->system->map->set;
        if (!world->state.folds[body] || set->element_count == 0)
            continue;
        double lost;
        if (!thaw_creases_flow(s->shape, set, s->x, world->state.folds[body], &lost))
            continue;
        thaw_creases_refresh(s->shape, s->shape->all);
        if (set != s->shape->all)
            thaw_creases_refresh(s->shape, set);
        s->elastic -= lost;
        s->set_energy = NAN;
        if (world->model->options.ledger)
            world->state.ledger.damping_loss += lost;
    }
}

ThawStatus thaw_folds_validate(const ThawWorld *world, ThawError *error) {
    for (int32_t b = 0; b < world->model->body_count; b++)
        for (int64_t i = 0; world->state.folds[b] && i < thaw_creases_size(world->model->bodies[b].base); i++)
            if (!(fabs(world->state.folds[b][i]) <= 1e6))
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "creases: a fold of body %d is %g rad; allowed: -1e6 to 1e6", (int)b,
                                      world->state.folds[b][i]);
    return THAW_OK;
}
