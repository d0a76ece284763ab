// SPDX-License-Identifier: Apache-2.0
// Hinges of sheets in the step. Once a step is final, at the places it has ended with, hinges that yield flow
// (model/crease.c), and all are followed where they turn to another branch of their angle (model/hinges.c). So a step
// is elastic from the folds that it began with, and nothing has to be undone. What flow takes off the elastic energy is
// dissipated: it goes to the ledger's damping. Following takes nothing.
#include <math.h>
#include <string.h>

#include "model/crease.h"
#include "step/body.h"
#include "step/step.h"

ThawStatus thaw_folds_create_state(ThawWorld *world, ThawError *error) {
    const ThawModel *model = world->model;
    if (!(world->state.folds = thaw_alloc((size_t)model->body_count, sizeof *world->state.folds)) ||
        !(world->state.turns = thaw_alloc((size_t)model->body_count, sizeof *world->state.turns)))
        return thaw_error_memory(error, "the hinges of sheets");
    for (int32_t b = 0; b < model->body_count; b++) {
        const ThawShape *base = model->bodies[b].base;
        if ((base->hinges && !(world->state.turns[b] = THAW_NEW(int32_t, thaw_hinges_size(base)))) ||
            (base->creases && !(world->state.folds[b] = THAW_NEW(double, thaw_hinges_size(base)))))
            return thaw_error_memory(error, "the hinges of sheets");
    }
    return THAW_OK;
}

void thaw_folds_free_state(ThawWorld *world) {
    for (int32_t b = 0; world->state.folds && world->state.turns && b < world->model->body_count; b++) {
        thaw_free(world->state.folds[b]);
        thaw_free(world->state.turns[b]);
    }
    thaw_free(world->state.folds);
    thaw_free(world->state.turns);
    world->state.folds = NULL;
    world->state.turns = NULL;
}

void thaw_folds_apply(ThawWorld *world, int32_t body) {
    const ThawShape *shape = world->model->bodies[body].shape;
    if (world->state.turns[body] && shape->hinges)
        thaw_hinges_apply(shape, world->state.folds[body], world->state.turns[body]);
}

// Brings what is evaluated to the shape's hinges.
static void refresh(ThawStepper *s) {
    const ThawIntegrationSet *set = s->system ? s->system->map->set : s->shape->all;
    thaw_hinges_refresh(s->shape, s->shape->all);
    if (set != s->shape->all)
        thaw_hinges_refresh(s->shape, set);
    s->set_energy = NAN;
}

static void follow(ThawWorld *world, int32_t body) {
    ThawStepper *s = &world->steppers[body];
    if (world->state.turns[body] && s->shape->hinges && thaw_hinges_follow(s->shape, s->x, world->state.turns[body]))
        refresh(s);
}

void thaw_folds_begin(ThawWorld *world, int32_t body) {
    if (!world->state.turns[body])
        return;
    memset(world->state.turns[body], 0, sizeof(int32_t) * (size_t)thaw_hinges_size(world->model->bodies[body].base));
    thaw_folds_apply(world, body);
    follow(world, body);
}

static void flow(ThawWorld *world, int32_t body) {
    ThawStepper *s = &world->steppers[body];
    double lost;
    if (!thaw_creases_flow(s->shape, s->system->map->set, s->x, world->state.folds[body], &lost))
        return;
    refresh(s);
    s->elastic -= lost;
    if (world->model->options.ledger)
        world->state.ledger.damping_loss += lost;
}

void thaw_folds_flow(ThawWorld *world) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        const int32_t body = world->awake[i];
        if (world->steppers[body].system->map->set->element_count == 0)
            continue; // it has not bent
        if (world->state.folds[body])
            flow(world, body);
        follow(world, body);
    }
}

ThawStatus thaw_folds_validate(const ThawWorld *world, ThawError *error) {
    for (int32_t b = 0; b < world->model->body_count; b++) {
        const int64_t size = thaw_hinges_size(world->model->bodies[b].base);
        for (int64_t i = 0; world->state.folds[b] && i < size; i++)
            if (!(fabs(world->state.folds[b][i]) <= 1e6))
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "creases: a fold of body %d is %g rad; allowed: -1e6 to 1e6", (int)b,
                                      world->state.folds[b][i]);
        for (int64_t i = 0; i < size; i++)
            if (world->state.turns[b][i] < -THAW_TURNS_MOST || world->state.turns[b][i] > THAW_TURNS_MOST)
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "hinges: one of body %d has made %d quarter turns; allowed: %d to %d", (int)b,
                                      (int)world->state.turns[b][i], -THAW_TURNS_MOST, THAW_TURNS_MOST);
    }
    return THAW_OK;
}
