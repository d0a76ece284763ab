// SPDX-License-Identifier: Apache-2.0
// What a body's method knows besides x and v, by the method's own list of fields (step/method.h): arrays each under its
// name, numbers together in one table in the order of the list. Whatever the list does not allow is refused.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/save.h"
#include "step/method.h"

static void name_field(const ThawStepper *s, const char *field, char name[64]) {
    snprintf(name, 64, "body/%d/%s", (int)s->index, field);
}

static int is_real(const ThawStateField *f) { return f->type == THAW_STATE_F32 || f->type == THAW_STATE_F64; }

// A number of a field, as wide as can be; whole ones are exact as far as they have a bound.
static double value_of(const ThawStateField *f, const char *at) {
    union {
        uint8_t u8;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    memcpy(&v, at, thaw_field_bytes(f));
    switch (f->type) {
    case THAW_STATE_U8:
        return v.u8;
    case THAW_STATE_I32:
        return v.i32;
    case THAW_STATE_U32:
        return v.u32;
    case THAW_STATE_I64:
        return (double)v.i64;
    case THAW_STATE_U64:
        return (double)v.u64;
    case THAW_STATE_F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}

static int is_allowed(const ThawStateField *f, double value) {
    if (!is_real(f))
        return value >= 0 && value <= f->most;
    if (f->flags & THAW_STATE_ENERGY && value < 0)
        return 0;
    return f->flags & THAW_STATE_INFINITE ? !isnan(value) : isfinite(value);
}

static ThawStatus check_field(const ThawStepper *s, const ThawStateField *f, ThawError *error) {
    if (!is_real(f) && f->most == 0)
        return THAW_OK;
    for (int64_t row = 0; row < f->rows; row++)
        for (int k = 0; k < f->width; k++) {
            const double value = value_of(f, thaw_field_row(f, row) + (size_t)k * thaw_field_bytes(f));
            if (is_allowed(f, value))
                continue;
            char allowed[40];
            if (is_real(f))
                snprintf(allowed, sizeof allowed, "finite numbers%s",
                         f->flags & THAW_STATE_ENERGY ? ", not below 0" : "");
            else
                snprintf(allowed, sizeof allowed, "0 to %.0f", f->most);
            return thaw_error_set(error, THAW_ERROR_INPUT, "body %d (%s): number %lld of its %s is %g; allowed: %s",
                                  (int)s->index, s->body->name, (long long)(row * f->width + k), f->name, value,
                                  allowed);
        }
    return THAW_OK;
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
    return status == THAW_OK ? check_field(s, f, error) : status;
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

static ThawStatus put_numbers(ThawCheckpoint *file, const ThawStepper *s, const ThawStateField *fields, int count,
                              ThawError *error) {
    char name[64];
    const int64_t numbers = count_numbers(fields, count);
    uint64_t *words = THAW_NEW(uint64_t, numbers);
    if (!words)
        return thaw_error_memory(error, "the checkpoint");
    name_field(s, "numbers", name);
    move_numbers(fields, count, words, 1);
    ThawStatus status = numbers > 0 ? thaw_checkpoint_put_u64(file, name, words, numbers, error) : THAW_OK;
    thaw_free(words);
    return status;
}

static ThawStatus get_numbers(ThawCheckpoint *file, const ThawStepper *s, const ThawStateField *fields, int count,
                              ThawError *error) {
    char name[64];
    const int64_t numbers = count_numbers(fields, count);
    uint64_t *words = THAW_NEW(uint64_t, numbers);
    if (!words)
        return thaw_error_memory(error, "the checkpoint");
    name_field(s, "numbers", name);
    ThawStatus status = numbers > 0 ? thaw_checkpoint_get_u64(file, name, words, numbers, error) : THAW_OK;
    if (status == THAW_OK)
        move_numbers(fields, count, words, 0);
    for (int i = 0; i < count && status == THAW_OK; i++)
        if (fields[i].flags & THAW_STATE_NUMBER)
            status = check_field(s, &fields[i], error);
    thaw_free(words);
    return status;
}

// --- a body ----------------------------------------------------------------------------------------------------------

ThawStatus thaw_save_method(ThawCheckpoint *file, const ThawStepper *s, ThawError *error) {
    ThawStateField fields[THAW_STATE_FIELDS];
    if (!s->method->ops->list)
        return THAW_OK;
    const int count = s->method->ops->list(s, fields);
    ThawStatus status = put_numbers(file, s, fields, count, error);
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
        status = get_numbers(file, s, fields, ops->list(s, fields), error);
    if (status == THAW_OK && s->data && ops->take)
        status = ops->take(s, error);
    return status;
}
