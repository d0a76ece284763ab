// SPDX-License-Identifier: Apache-2.0
// The changes of shapes that have happened: the list, never the shapes, which are compiled from it again.
#include <math.h>
#include <string.h>

#include "output/save.h"
#include "step/change.h"

static int has_schedule(const ThawModel *model, int32_t bodies) {
    for (int32_t b = 0; b < bodies; b++)
        if (model->bodies[b].change_count > 0)
            return 1;
    return 0;
}

ThawStatus thaw_save_changes(ThawCheckpoint *file, const ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    const int32_t count = state->change_count, bodies = world->model->body_count;
    if (count == 0 && !has_schedule(world->model, bodies)) // as checkpoints were before there was such a thing
        return THAW_OK;
    int32_t *integers = THAW_NEW(int32_t, (size_t)count * THAW_CHANGE_INTEGERS);
    double *numbers = THAW_NEW(double, (size_t)count *THAW_CHANGE_NUMBERS);
    ThawStatus status = integers && numbers ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    for (int32_t i = 0; i < count && status == THAW_OK; i++)
        thaw_change_pack(&state->changes[i], integers + (size_t)i * THAW_CHANGE_INTEGERS,
                         numbers + (size_t)i * THAW_CHANGE_NUMBERS);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_i32(file, "changes/kinds", integers, (int64_t)count * THAW_CHANGE_INTEGERS, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "changes/places", numbers, (int64_t)count * THAW_CHANGE_NUMBERS, error);
    if (status == THAW_OK && state->taken)
        status = thaw_checkpoint_put_i32(file, "changes/taken", state->taken, bodies, error);
    thaw_free(integers);
    thaw_free(numbers);
    return status;
}

static int is_choice(const ThawChoice *choice, const ThawShape *base, int may_be_all) {
    double sum = fabs(choice->radius);
    for (int k = 0; k < 3; k++)
        sum += isnan(choice->a[k]) || isnan(choice->b[k]) ? NAN : 0;
    const int by_place = choice->select == THAW_SELECT_ALL || choice->select == THAW_SELECT_BOX ||
                         choice->select == THAW_SELECT_SPHERE || choice->select == THAW_SELECT_PLANE_SIDE;
    return isfinite(sum) && choice->group >= -1 && choice->group < base->group_count &&
           (by_place || (choice->select == -1 && (choice->group >= 0 || may_be_all)));
}

static ThawStatus check(const ThawChange *change, const ThawModel *model, int32_t bodies, ThawError *error) {
    const int good = change->body >= 0 && change->body < bodies && !model->bodies[change->body].unit &&
                     (change->kind == THAW_CHANGE_REMOVE || change->kind == THAW_CHANGE_CUT) &&
                     is_choice(&change->where, model->bodies[change->body].base, 0) &&
                     is_choice(&change->within, model->bodies[change->body].base, 1);
    return good ? THAW_OK
                : thaw_error_set(error, THAW_ERROR_INPUT, "a change of shape in the checkpoint is none of this world");
}

// Bodies that the checkpoint does not know of keep their changes: appends these to a list with room for them.
static int32_t append_later(const ThawWorld *world, int32_t bodies, ThawChange *list, int32_t count, int32_t *taken) {
    const ThawState *state = &world->state;
    for (int32_t i = 0; i < state->change_count; i++)
        if (state->changes[i].body >= bodies)
            list[count++] = state->changes[i];
    for (int32_t b = bodies; state->taken && b < world->model->body_count; b++)
        taken[b] = state->taken[b];
    return count;
}

ThawStatus thaw_load_changes(ThawCheckpoint *file, ThawWorld *world, int32_t bodies, ThawError *error) {
    const ThawModel *model = world->model;
    const int64_t found = thaw_checkpoint_count(file, "changes/kinds");
    if (found < 0 && world->state.change_count == 0 && !has_schedule(model, model->body_count))
        return THAW_OK;
    if (found % THAW_CHANGE_INTEGERS != 0 && found >= 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's changes of shapes are incomplete");
    if (found / THAW_CHANGE_INTEGERS > INT32_MAX - world->state.change_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint has too many changes of shapes");
    const int32_t count = found < 0 ? 0 : (int32_t)(found / THAW_CHANGE_INTEGERS);
    int32_t *integers = THAW_NEW(int32_t, found < 0 ? 0 : found), *taken = THAW_NEW(int32_t, model->body_count);
    double *numbers = THAW_NEW(double, (size_t)count *THAW_CHANGE_NUMBERS);
    ThawChange *list = THAW_NEW(ThawChange, (size_t)count + (size_t)world->state.change_count);
    ThawStatus status = integers && taken && numbers && list ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    if (status == THAW_OK && found >= 0)
        status = thaw_checkpoint_get_i32(file, "changes/kinds", integers, found, error);
    if (status == THAW_OK && found >= 0)
        status = thaw_checkpoint_get_f64(file, "changes/places", numbers, (int64_t)count * THAW_CHANGE_NUMBERS, error);
    if (status == THAW_OK && thaw_checkpoint_count(file, "changes/taken") >= 0)
        status = thaw_checkpoint_get_i32(file, "changes/taken", taken, bodies, error);
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        thaw_change_unpack(integers + (size_t)i * THAW_CHANGE_INTEGERS, numbers + (size_t)i * THAW_CHANGE_NUMBERS,
                           &list[i]);
        status = check(&list[i], model, bodies, error);
    }
    for (int32_t b = 0; b < bodies && status == THAW_OK; b++)
        if (taken[b] < 0 || taken[b] > model->bodies[b].change_count)
            status =
                thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint has %d of body %d's changes; allowed: 0 to %d",
                               (int)taken[b], (int)b, (int)model->bodies[b].change_count);
    if (status == THAW_OK)
        status = thaw_changes_restore(world, list, append_later(world, bodies, list, count, taken), taken, error);
    thaw_free(integers);
    thaw_free(taken);
    thaw_free(numbers);
    thaw_free(list);
    return status;
}
