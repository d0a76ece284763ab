// SPDX-License-Identifier: Apache-2.0
// Calls through a method's table that more than one place needs.
#include "step/method.h"

#include <string.h>

void thaw_method_leave(ThawStepper *s) {
    const ThawMethodOps *ops = s->method->ops;
    thaw_stepper_drop_solvers(s);
    if (s->data)
        ops->free(s);
    if (s->record)
        ops->forget(s);
    s->data = s->record = NULL;
    s->system = NULL;
    s->changed = 0;
    s->events = (ThawEvents){.at = -1};
}

void thaw_method_bind(ThawWorld *world, ThawStepper *s) {
    const ThawMethod *method = thaw_method_at(world->state.method[s->index]);
    if (s->method == method)
        return;
    if (s->method)
        thaw_method_leave(s);
    s->method = method;
}

ThawStatus thaw_method_create(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawMethodOps *ops = s->method->ops;
    return ops->create && !s->data ? ops->create(world, s, error) : THAW_OK;
}

ThawStatus thaw_method_wake(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error) {
    const ThawMethodOps *ops = s->method->ops;
    return ops->wake ? ops->wake(world, s, loaded, error) : thaw_method_create(world, s, error);
}

void thaw_method_abandon(ThawStepper *s, ThawLedger *ledger) {
    if (s->data && s->method->ops->abandon)
        s->method->ops->abandon(s, ledger);
}

int32_t thaw_method_part_count(const ThawStepper *s) {
    return s->data && s->method->ops->part_count ? s->method->ops->part_count(s) : 0;
}

void thaw_field_gather(const ThawStateField *field, void *to) {
    const size_t bytes = thaw_field_row_bytes(field);
    for (int64_t row = 0; row < field->rows; row++)
        memcpy((char *)to + (size_t)row * bytes, thaw_field_row(field, row), bytes);
}

void thaw_field_scatter(const ThawStateField *field, const void *from) {
    const size_t bytes = thaw_field_row_bytes(field);
    for (int64_t row = 0; row < field->rows; row++)
        memcpy(thaw_field_row(field, row), (const char *)from + (size_t)row * bytes, bytes);
}
