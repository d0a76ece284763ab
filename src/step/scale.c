// SPDX-License-Identifier: Apache-2.0
// Each body's own scales (oracle/scale.c), found once for bodies that agree in shape and pins, and anew when a pin
// lets go. They depend on the model and the time alone, not on when they are asked for: a resumed run goes by the same
// thresholds.
#include <string.h>

#include "step/step.h"

// Scripts that have let go by t. They never take hold again, so their number tells which.
static int32_t count_released(const ThawModelBody *body, double t) {
    int32_t count = 0;
    for (int32_t k = 0; k < body->script_count; k++)
        count += t >= body->scripts[k].release;
    return count;
}

// The vertices that scripts hold at t.
static void mark_held(const ThawModelBody *body, double t, unsigned char *scripted) {
    memset(scripted, 0, (size_t)body->shape->nv);
    for (int32_t k = 0; k < body->script_count; k++)
        for (int32_t i = 0; i < body->scripts[k].group->count && t < body->scripts[k].release; i++)
            scripted[body->scripts[k].group->vertices[i]] = 1;
}

int thaw_bodies_alike(const ThawModelBody *a, const ThawModelBody *b, double t) {
    if (a->shape != b->shape || a->script_count != b->script_count)
        return 0;
    for (int32_t i = 0; i < a->script_count; i++)
        if (a->scripts[i].group != b->scripts[i].group || (t < a->scripts[i].release) != (t < b->scripts[i].release))
            return 0;
    return 1;
}

ThawStatus thaw_body_find_scale(const ThawModel *model, const ThawModelBody *body, double t, ThawSystem *const *systems,
                                int32_t system_count, ThawTasks *tasks, ThawScale *scale, ThawError *error) {
    unsigned char *scripted = THAW_NEW(unsigned char, body->shape->nv);
    ThawSystem *own = NULL, *system = NULL;
    ThawStatus status = scripted ? THAW_OK : thaw_error_memory(error, "a body's scale");
    if (status == THAW_OK)
        mark_held(body, t, scripted);
    for (int32_t i = 0; i < system_count && status == THAW_OK; i++)
        if (thaw_system_serves(systems[i], body->shape, scripted))
            system = systems[i];
    if (status == THAW_OK && !system) {
        status = thaw_system_create(body->shape, scripted, model->options.solver, &own, error);
        system = own;
    }
    if (status == THAW_OK)
        status = thaw_system_plan_direct(system, error);
    if (status == THAW_OK)
        status = thaw_scale_find(system, tasks, scale, error);
    scale->released = count_released(body, t);
    thaw_system_free(&own);
    thaw_free(scripted);
    return status;
}

static ThawStatus find_at(ThawWorld *world, ThawStepper *s, double t, ThawError *error) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *other = &world->steppers[i];
        if (other->scale.known && other->scale.released == count_released(other->body, t) &&
            thaw_bodies_alike(other->body, s->body, t)) {
            s->scale = other->scale;
            return THAW_OK;
        }
    }
    return thaw_body_find_scale(world->model, s->body, t, world->systems, world->system_count, s->tasks, &s->scale,
                                error);
}

// Between steps it is that of the step before, or of the first: whether a run was resumed there must not matter.
ThawStatus thaw_world_find_scale(ThawWorld *world, ThawStepper *s, ThawError *error) {
    int64_t last = world->state.step > 0 ? world->state.step - 1 : 0;
    double t = thaw_step_middle(world->model, last);
    return s->scale.known && s->scale.released == count_released(s->body, t) ? THAW_OK : find_at(world, s, t, error);
}

ThawStatus thaw_world_fit_scale(ThawWorld *world, ThawStepper *s, int *changed, ThawError *error) {
    *changed = s->scale.known && s->scale.released != count_released(s->body, s->middle);
    return *changed ? find_at(world, s, s->middle, error) : THAW_OK;
}
