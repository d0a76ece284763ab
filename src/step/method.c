// SPDX-License-Identifier: Apache-2.0
// Calls through a method's table that more than one place needs.
#include "step/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

void thaw_method_leave(ThawStepper *s) {
    const ThawMethodOps *ops = s->method->ops;
    thaw_stepper_drop_solvers(s);
    if (s->data)
        ops->free(s);
    if (s->record)
        ops->forget(s);
    s->data = s->record = NULL;
    s->inertia = &s->lumped;
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
    if (!s->data)
        s->called = THAW_CALL_NONE;
    return ops->create && !s->data ? ops->create(world, s, error) : THAW_OK;
}

ThawStatus thaw_method_wake(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error) {
    const ThawMethodOps *ops = s->method->ops;
    s->called = THAW_CALL_NONE;
    return ops->wake ? ops->wake(world, s, loaded, error) : thaw_method_create(world, s, error);
}

// --- whether a table is whole ----------------------------------------------------------------------------------------

static size_t size_of(const ThawOption *o) { return o->kind == THAW_OPTION_REAL ? sizeof(double) : sizeof(int); }

// Where two rows of the table mean the same bytes, as where a kind or an offset was forgotten, or one reaches beyond
// the struct; NULL: nowhere.
static const ThawOption *misplaced(const ThawOptionTable *table) {
    for (int i = 0; i < table->count; i++) {
        const ThawOption *o = &table->rows[i];
        if (o->offset + size_of(o) > table->size || o->offset % size_of(o) != 0)
            return o;
        for (const ThawOption *p = table->rows; p < o; p++)
            if (p->offset < o->offset + size_of(o) && o->offset < p->offset + size_of(p))
                return p->offset > o->offset ? o : p;
    }
    return NULL;
}

static const char *missing(const ThawMethod *method) {
    const ThawMethodOps *ops = method->ops;
    if (ops->create && !ops->free)
        return "create without free";
    if (ops->decide && !ops->create)
        return "decide without create";
    if (ops->sleep_steps && (!ops->hindrance || !ops->watch || !ops->drift))
        return "sleep_steps without hindrance, watch and drift";
    if (ops->sleep_steps && !method->sleeps)
        return "sleep_steps, but its entry does not say that it sleeps";
    return NULL;
}

ThawStatus thaw_method_check(const ThawMethod *method, ThawError *error) {
    const char *what = missing(method);
    const ThawOption *o = misplaced(&method->options);
    if (what)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the method \"%s\" has %s (src/step/method.h)", method->name,
                              what);
    if (o)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the method \"%s\": option \"%s\" is not a member of its own of the struct of options; "
                              "kind (REAL is a double, others are ints) and offset say which it is",
                              method->name, o->name);
    return THAW_OK;
}

// --- a step ----------------------------------------------------------------------------------------------------------

static void enter(ThawStepper *s, ThawMethodCall call) {
    static const unsigned before[] = {
        [THAW_CALL_FIT] = ~0u,
        [THAW_CALL_PREPARE] = 1u << THAW_CALL_FIT | 1u << THAW_CALL_PREPARE | 1u << THAW_CALL_DECIDE |
                              1u << THAW_CALL_FINISH | 1u << THAW_CALL_ABANDON,
        [THAW_CALL_DECIDE] = 1u << THAW_CALL_PREPARE,
        [THAW_CALL_COMMIT] = 1u << THAW_CALL_PREPARE | 1u << THAW_CALL_DECIDE,
        [THAW_CALL_FINISH] = 1u << THAW_CALL_COMMIT,
        [THAW_CALL_ABANDON] = ~0u,
    };
    THAW_ASSERT(before[call] >> s->called & 1, "a method's functions are called in the order of step/method.h");
    s->called = (int)call;
}

ThawStatus thaw_method_fit(ThawWorld *world, ThawStepper *s, ThawError *error) {
    if (!s->data)
        return THAW_OK;
    enter(s, THAW_CALL_FIT);
    return s->method->ops->fit ? s->method->ops->fit(world, s, error) : THAW_OK;
}

ThawStatus thaw_method_prepare(ThawWorld *world, ThawStepper *s, ThawError *error) {
    if (!s->data)
        return THAW_OK;
    enter(s, THAW_CALL_PREPARE);
    return s->method->ops->prepare ? s->method->ops->prepare(world, s, error) : THAW_OK;
}

ThawStatus thaw_method_decide(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    THAW_ASSERT(!s->answered, "a body decides once an interval: decisions may move it");
    enter(s, THAW_CALL_DECIDE);
    ThawStatus status = s->method->ops->decide(world, s, step, error);
    THAW_ASSERT(status != THAW_OK || (s->system && s->system->map->shape == s->shape),
                "a decision leaves a system of the body's shape");
    return status;
}

void thaw_method_commit(ThawStepper *s, ThawIncrement step) {
    if (!s->data)
        return;
    THAW_ASSERT(s->answered, "what is committed was decided for this interval");
    enter(s, THAW_CALL_COMMIT);
    if (s->method->ops->commit)
        s->method->ops->commit(s, step);
}

void thaw_method_finish(ThawStepper *s) {
    if (!s->data)
        return;
    enter(s, THAW_CALL_FINISH);
    if (s->method->ops->finish)
        s->method->ops->finish(s);
}

void thaw_method_abandon(ThawStepper *s, ThawLedger *ledger) {
    if (!s->data)
        return;
    enter(s, THAW_CALL_ABANDON);
    if (s->method->ops->abandon)
        s->method->ops->abandon(s, ledger);
}

int32_t thaw_method_part_count(const ThawStepper *s) {
    return s->data && s->method->ops->part_count ? s->method->ops->part_count(s) : 0;
}

// --- fields of the state ---------------------------------------------------------------------------------------------

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
    return f->flags & THAW_STATE_INFINITE ? !isnan(value) : thaw_is_sound(value);
}

ThawStatus thaw_field_check(const ThawStepper *s, const ThawStateField *f, ThawError *error) {
    if (!is_real(f) && f->most == 0)
        return THAW_OK;
    for (int64_t row = 0; row < f->rows; row++)
        for (int k = 0; k < f->width; k++) {
            const double value = value_of(f, thaw_field_row(f, row) + (size_t)k * thaw_field_bytes(f));
            if (is_allowed(f, value))
                continue;
            char allowed[40];
            if (is_real(f))
                snprintf(allowed, sizeof allowed, "%s",
                         f->flags & THAW_STATE_ENERGY ? "0 to 1e150" : "-1e150 to 1e150");
            else
                snprintf(allowed, sizeof allowed, "0 to %.0f", f->most);
            return thaw_error_set(error, THAW_ERROR_INPUT, "body %d (%s): number %lld of its %s is %g; allowed: %s",
                                  (int)s->index, s->body->name, (long long)(row * f->width + k), f->name, value,
                                  allowed);
        }
    return THAW_OK;
}

// Whether rows follow each other, so that one copy does for all.
static int is_dense(const ThawStateField *field) {
    return field->stride == 0 || field->stride == thaw_field_row_bytes(field);
}

void thaw_field_gather(const ThawStateField *field, void *to) {
    const size_t bytes = thaw_field_row_bytes(field);
    if (is_dense(field) && field->rows > 0) {
        memcpy(to, field->at, (size_t)field->rows * bytes);
        return;
    }
    for (int64_t row = 0; row < field->rows; row++)
        memcpy((char *)to + (size_t)row * bytes, thaw_field_row(field, row), bytes);
}

void thaw_field_scatter(const ThawStateField *field, const void *from) {
    const size_t bytes = thaw_field_row_bytes(field);
    if (is_dense(field) && field->rows > 0) {
        memcpy(field->at, from, (size_t)field->rows * bytes);
        return;
    }
    for (int64_t row = 0; row < field->rows; row++)
        memcpy(thaw_field_row(field, row), (const char *)from + (size_t)row * bytes, bytes);
}
