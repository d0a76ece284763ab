// SPDX-License-Identifier: Apache-2.0
// Each body's own scales (oracle/scale.c), found once for bodies that agree in shape and pins, and anew when a pin
// lets go. They depend on the model and the time alone, not on when they are asked for: a resumed run goes by the same
// thresholds.
#include <string.h>

#include "method/rigidify/rigidify.h"

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
        status = thaw_scale_find(system, NULL, tasks, scale, error);
    scale->released = count_released(body, t);
    thaw_system_free(&own);
    thaw_free(scripted);
    return status;
}

static ThawStatus find_at(ThawWorld *world, ThawStepper *s, double t, ThawError *error) {
    ThawScale *scale = &thaw_rigidify_record(s)->scale;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *other = &world->steppers[i];
        const ThawRigidifyRecord *record = other->method == s->method ? other->record : NULL;
        if (record && record->scale.known && other->shape == s->shape &&
            record->scale.released == count_released(other->body, t) && thaw_bodies_alike(other->body, s->body, t)) {
            *scale = record->scale;
            return THAW_OK;
        }
    }
    return thaw_body_find_scale(world->model, s->body, t, world->systems, world->system_count, s->tasks, scale, error);
}

// Between steps it is that of the step before, or of the first: whether a run was resumed there must not matter.
static double last_middle(const ThawWorld *world) {
    int64_t last = world->state.step > 0 ? world->state.step - 1 : 0;
    return thaw_step_middle(world->model, last);
}

ThawStatus thaw_rigidify_find_scale(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawScale *scale = &thaw_rigidify_record(s)->scale;
    const double t = last_middle(world);
    return scale->known && scale->released == count_released(s->body, t) ? THAW_OK : find_at(world, s, t, error);
}

ThawStatus thaw_rigidify_fit_scale(ThawWorld *world, ThawStepper *s, int *changed, ThawError *error) {
    ThawRigidifyRecord *record = thaw_rigidify_record(s);
    *changed = record->scale.known && record->scale.released != count_released(s->body, s->middle);
    if (!*changed)
        return THAW_OK;
    record->scale_before = record->scale;
    return find_at(world, s, s->middle, error);
}

int thaw_rigidify_restore_scale(const ThawWorld *world, ThawStepper *s) {
    ThawRigidifyRecord *record = thaw_rigidify_record(s);
    const int32_t released = count_released(s->body, last_middle(world));
    if (record->scale.released == released || record->scale_before.released != released)
        return 0;
    record->scale = record->scale_before;
    return 1;
}
