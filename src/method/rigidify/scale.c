// SPDX-License-Identifier: Apache-2.0
// Each body's own scales (oracle/body_scale.c), found once for bodies that agree in shape and pins, and anew when a pin
// lets go. They depend on the model and the time alone, not on when they are asked for: a resumed run goes by the same
// thresholds.
#include "method/rigidify/rigidify.h"

static ThawStatus find_at(ThawWorld *world, ThawStepper *s, double t, ThawError *error) {
    ThawScale *scale = &thaw_rigidify_record(s)->scale;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *other = &world->steppers[i];
        const ThawRigidifyRecord *record = other->method == s->method ? other->record : NULL;
        if (record && record->scale.known && other->shape == s->shape &&
            record->scale.released == thaw_body_count_released(other->body, t) &&
            thaw_bodies_alike(other->body, s->body, t)) {
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
    return scale->known && scale->released == thaw_body_count_released(s->body, t) ? THAW_OK
                                                                                   : find_at(world, s, t, error);
}

ThawStatus thaw_rigidify_fit_scale(ThawWorld *world, ThawStepper *s, int *changed, ThawError *error) {
    ThawRigidifyRecord *record = thaw_rigidify_record(s);
    *changed = record->scale.known && record->scale.released != thaw_body_count_released(s->body, s->middle);
    if (!*changed)
        return THAW_OK;
    record->scale_before = record->scale;
    return find_at(world, s, s->middle, error);
}

int thaw_rigidify_restore_scale(const ThawWorld *world, ThawStepper *s) {
    ThawRigidifyRecord *record = thaw_rigidify_record(s);
    const int32_t released = thaw_body_count_released(s->body, last_middle(world));
    if (record->scale.released == released || record->scale_before.released != released)
        return 0;
    record->scale = record->scale_before;
    return 1;
}
