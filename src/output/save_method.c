// SPDX-License-Identifier: Apache-2.0
// What a body's method knows besides x and v, by the method's own list of fields (step/method.h): arrays each under its
// name, numbers together in one table in the order of the list. Whatever the list does not allow is refused.
#include <stdio.h>
#include <string.h>

#include "output/save.h"
#include "step/method.h"

static void name_field(const ThawStepper *s, const char *field, char name[64]) {
    snprintf(name, 64, "body/%d/%s", (int)s->index, field);
}

// --- arrays ----------------------------------------------------------------------------------------------------------

static ThawStatus put_array(ThawCheckpoint *file, const ThawStepper *s, const ThawStateField *f, ThawError *error) {
    const int64_t count = f->rows * f->width;
    char name[64];
    name_field(s, f->name, name);
    uint64_t *copy = THAW_NEW(uint64_t, count); // room for any type
    if (!copy)
        return thaw_error_memory(error, "the checkpoint");
    thaw_field_gather(f, copy);
    const size_t bytes = thaw_field_bytes(f) * (size_t)count;
    ThawStatus status = f->type == THAW_STATE_F64   ? thaw_checkpoint_put_f64(file, name, (double *)copy, count, error)
                        : f->type == THAW_STATE_I32 ? thaw_checkpoint_put_i32(file, name, (int32_t *)copy, count, error)
                                                    : thaw_save_bytes(file, name, copy, bytes, error);
    thaw_free(copy);
    return status;
}

static ThawStatus get_array(ThawCheckpoint *file, const ThawStepper *s, const ThawStateField *f, ThawError *error) {
    const int64_t count = f->rows * f->width;
    char name[64];
    name_field(s, f->name, name);
    uint64_t *copy = THAW_NEW(uint64_t, count);
    if (!copy)
        return thaw_error_memory(error, "the checkpoint");
    const size_t bytes = thaw_field_bytes(f) * (size_t)count;
    ThawStatus status = f->type == THAW_STATE_F64   ? thaw_checkpoint_get_f64(file, name, (double *)copy, count, error)
                        : f->type == THAW_STATE_I32 ? thaw_checkpoint_get_i32(file, name, (int32_t *)copy, count, error)
                                                    : thaw_load_bytes(file, name, copy, bytes, error);
    if (status == THAW_OK)
        thaw_field_scatter(f, copy);
    thaw_free(copy);
    return status == THAW_OK ? thaw_field_check(s, f, error) : status;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

static int64_t count_numbers(const ThawStateField *fields, int count) {
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += fields[i].flags & THAW_STATE_NUMBER ? fields[i].rows * fields[i].width : 0;
    return sum;
}

// Between the fields and words of eight bytes each; to: into the words.
static void move_numbers(const ThawStateField *fields, int count, uint64_t *words, int to) {
    for (int i = 0; i < count; i++) {
        const ThawStateField *f = &fields[i];
        const size_t bytes = thaw_field_bytes(f);
        for (int64_t row = 0; f->flags & THAW_STATE_NUMBER && row < f->rows; row++)
            for (int k = 0; k < f->width; k++, words++) {
                char *at = thaw_field_row(f, row) + (size_t)k * bytes;
                if (to)
                    memcpy(words, at, bytes);
                else
                    memcpy(at, words, bytes);
            }
    }
}

// All of the list's numbers, in one table: into the file, or (get) out of it.
static ThawStatus transfer_numbers(ThawCheckpoint *file, const ThawStepper *s, const ThawStateField *fields, int count,
                                   int get, ThawError *error) {
    char name[64];
    const int64_t numbers = count_numbers(fields, count);
    uint64_t *words = THAW_NEW(uint64_t, numbers);
    if (!words)
        return thaw_error_memory(error, "the checkpoint");
    name_field(s, "numbers", name);
    if (!get)
        move_numbers(fields, count, words, 1);
    ThawStatus status = numbers == 0 ? THAW_OK
                        : get        ? thaw_checkpoint_get_u64(file, name, words, numbers, error)
                                     : thaw_checkpoint_put_u64(file, name, words, numbers, error);
    if (get && status == THAW_OK)
        move_numbers(fields, count, words, 0);
    thaw_free(words);
    for (int i = 0; get && i < count && status == THAW_OK; i++)
        if (fields[i].flags & THAW_STATE_NUMBER)
            status = thaw_field_check(s, &fields[i], error);
    return status;
}

// --- a body ----------------------------------------------------------------------------------------------------------

ThawStatus thaw_save_method(ThawCheckpoint *file, const ThawStepper *s, ThawError *error) {
    ThawStateField fields[THAW_STATE_FIELDS];
    if (!s->method->ops->list)
        return THAW_OK;
    const int count = s->method->ops->list(s, fields);
    ThawStatus status = transfer_numbers(file, s, fields, count, 0, error);
    for (int i = 0; i < count && status == THAW_OK; i++)
        if (!(fields[i].flags & THAW_STATE_NUMBER) && fields[i].rows > 0)
            status = put_array(file, s, &fields[i], error);
    return status;
}

// Arrays that say how long others are, or the others.
static ThawStatus get_arrays(ThawCheckpoint *file, const ThawStepper *s, unsigned sizes, ThawError *error) {
    ThawStateField fields[THAW_STATE_FIELDS];
    const int count = s->method->ops->list(s, fields);
    ThawStatus status = THAW_OK;
    for (int i = 0; i < count && status == THAW_OK; i++)
        if (!(fields[i].flags & THAW_STATE_NUMBER) && (fields[i].flags & THAW_STATE_SIZE) == sizes &&
            fields[i].rows > 0)
            status = get_array(file, s, &fields[i], error);
    return status;
}

ThawStatus thaw_load_method(ThawCheckpoint *file, const ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawMethodOps *ops = s->method->ops;
    ThawStateField fields[THAW_STATE_FIELDS];
    s->events.at = -1;
    if (!ops->list)
        return THAW_OK;
    ThawStatus status = get_arrays(file, s, THAW_STATE_SIZE, error);
    if (status == THAW_OK && s->data && ops->expect)
        status = ops->expect(world, s, error);
    if (status == THAW_OK)
        status = get_arrays(file, s, 0, error);
    if (status == THAW_OK)
        status = transfer_numbers(file, s, fields, ops->list(s, fields), 1, error);
    if (status == THAW_OK && s->data && ops->take)
        status = ops->take(world, s, error);
    return status;
}
