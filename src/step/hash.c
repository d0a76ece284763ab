// SPDX-License-Identifier: Apache-2.0
// Hashes of the state. That of positions and velocities is made in every step and compared everywhere: it is what a run
// shows. The full one adds the state and the options of methods. Two runs may agree in the first and not in the second
// for a while (a counter that is about to wake an element), so tests of checkpoints and cancelled steps compare the
// second.
#include <string.h>

#include "model/hinges.h"
#include "step/change.h"
#include "step/method.h"

uint64_t thaw_world_hash(const ThawWorld *world) {
    if (!world)
        return 0;
    uint64_t hash = thaw_hash(0, &world->state.step, sizeof world->state.step);
    for (int32_t i = 0; i < world->model->body_count; i++)
        hash = thaw_hash(hash, &world->steppers[i].hash, sizeof world->steppers[i].hash);
    for (int32_t i = 0; i < world->state.change_count; i++)
        hash = thaw_change_hash(hash, &world->state.changes[i]);
    return hash;
}

// Row by row: what lies between rows is not state.
static uint64_t hash_field(uint64_t hash, const ThawStateField *field) {
    hash = thaw_hash(hash, field->name, strlen(field->name));
    hash = thaw_hash(hash, &field->rows, sizeof field->rows);
    if (field->stride == 0)
        return thaw_hash(hash, field->at, (size_t)field->rows * thaw_field_row_bytes(field));
    for (int64_t row = 0; row < field->rows; row++)
        hash = thaw_hash(hash, thaw_field_row(field, row), thaw_field_row_bytes(field));
    return hash;
}

uint64_t thaw_world_full_hash(const ThawWorld *world) {
    uint64_t hash = thaw_world_hash(world);
    ThawStateField fields[THAW_STATE_FIELDS];
    for (int32_t i = 0; world && i < world->model->body_count; i++) {
        const ThawStepper *s = &world->steppers[i];
        const int64_t size = thaw_hinges_size(world->model->bodies[i].base);
        if (world->state.folds[i])
            hash = thaw_hash(hash, world->state.folds[i], sizeof(double) * (size_t)size);
        if (world->state.turns[i])
            hash = thaw_hash(hash, world->state.turns[i], sizeof(int32_t) * (size_t)size);
        if (world->model->bodies[i].moved == 0)
            continue;
        const unsigned char flags[] = {world->state.method[i], world->state.asleep[i], world->state.slow[i]};
        hash = thaw_hash(hash, flags, sizeof flags);
        for (int m = 0; m < thaw_method_count(); m++)
            if (thaw_method_at(m)->options.count > 0)
                hash = thaw_options_hash(&thaw_method_at(m)->options, hash,
                                         thaw_state_method_options(&world->state, m, i));
        const int count = s->method->ops->list ? s->method->ops->list(s, fields) : 0;
        for (int f = 0; f < count; f++)
            hash = hash_field(hash, &fields[f]);
    }
    return hash;
}
