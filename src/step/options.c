// SPDX-License-Identifier: Apache-2.0
// Options of methods as part of the state: those of the world, and of bodies that have their own. They hold for as long
// as they are not changed; a change wakes the bodies that it concerns, for they were judged by others.
#include <string.h>

#include "step/method.h"

static void *copy_options(const ThawMethod *method, const void *options, ThawError *error) {
    void *copy = thaw_alloc(1, method->options.size);
    if (!copy)
        thaw_error_memory(error, "options");
    return copy ? memcpy(copy, options, method->options.size) : NULL;
}

ThawStatus thaw_state_create_options(ThawState *state, const ThawWorldDef *def, ThawError *error) {
    state->options = THAW_NEW(ThawStateOptions, thaw_method_count());
    if (!state->options)
        return thaw_error_memory(error, "options");
    for (int m = 0; m < thaw_method_count(); m++) {
        const ThawMethod *method = thaw_method_at(m);
        ThawStateOptions *options = &state->options[m];
        if (method->options.count == 0)
            continue;
        ThawOptionBuffer given;
        thaw_method_world_options(method, def, &given);
        options->common = copy_options(method, given.bytes, error);
        options->own = THAW_NEW(void *, def->body_count);
        if (!options->common || !options->own)
            return thaw_error_memory(error, "options");
        for (int32_t b = 0; b < def->body_count; b++) {
            const bool own = thaw_method_body_options(method, def, &def->bodies[b], &given);
            if (own && !(options->own[b] = copy_options(method, given.bytes, error)))
                return THAW_ERROR_MEMORY;
        }
    }
    return THAW_OK;
}

void thaw_state_free_options(ThawState *state, int32_t body_count) {
    for (int m = 0; state->options && m < thaw_method_count(); m++) {
        for (int32_t b = 0; state->options[m].own && b < body_count; b++)
            thaw_free(state->options[m].own[b]);
        thaw_free(state->options[m].own);
        thaw_free(state->options[m].common);
    }
    thaw_free(state->options);
    state->options = NULL;
}

const void *thaw_state_method_options(const ThawState *state, int method, int32_t body) {
    const ThawStateOptions *options = &state->options[method];
    return options->own && options->own[body] ? options->own[body] : options->common;
}

const void *thaw_state_options(const ThawState *state, int32_t body) {
    return thaw_state_method_options(state, state->method[body], body);
}

void thaw_state_give_own(ThawState *state, int method, int32_t body, void *options) {
    thaw_free(state->options[method].own[body]);
    state->options[method].own[body] = options;
}

// --- from outside ----------------------------------------------------------------------------------------------------

// Options are those of what moves a body, which is the first of its unit; -1: of the world.
static int32_t owner_of(const ThawWorld *world, int32_t body) {
    return body < 0 ? body : world->model->bodies[body].mover;
}

static ThawStatus wake_all_of(ThawWorld *world, int32_t body, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (body < 0 || body == i)
            status = thaw_sleep_wake(world, i, error);
    return status;
}

// The body has other options than it had; it was slow by the old ones.
static void renew(ThawWorld *world, int index, int32_t body) {
    const ThawMethod *method = thaw_method_at(index);
    ThawStepper *s = &world->steppers[body];
    world->state.slow[body] = 0;
    if (s->method == method && s->data && method->ops->configure)
        method->ops->configure(world, s, thaw_ledger_of(world));
}

ThawStatus thaw_world_give_options(ThawWorld *world, int index, int32_t body, const char *where, const void *options,
                                   ThawError *error) {
    const ThawMethod *method = thaw_method_at(index);
    body = owner_of(world, body);
    ThawStatus status = options ? thaw_options_check(&method->options, where, options, error) : THAW_OK;
    void *own = status == THAW_OK && options && body >= 0 ? copy_options(method, options, error) : NULL;
    if (status == THAW_OK && options && body >= 0 && !own)
        status = THAW_ERROR_MEMORY;
    if (status == THAW_OK)
        status = wake_all_of(world, body, error);
    if (status != THAW_OK) {
        thaw_free(own);
        return status;
    }
    if (body < 0 && options)
        memcpy(world->state.options[index].common, options, method->options.size);
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (body < 0 || body == i) {
            thaw_state_give_own(&world->state, index, i, own);
            renew(world, index, i);
        }
    return THAW_OK;
}

static ThawStatus check_body(const ThawWorld *world, const char *function, int32_t body, int32_t least,
                             ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: world is NULL", function);
    if (body < least || body >= world->model->body_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: body is %d; allowed: %d to %d", function, (int)body,
                              (int)least, (int)world->model->body_count - 1);
    return THAW_OK;
}

static int names_method(const ThawOptionDef *rows, int32_t count, const ThawMethod *method) {
    for (int32_t i = 0; i < count; i++)
        if (strcmp(rows[i].method, method->name) == 0)
            return 1;
    return 0;
}

ThawStatus thaw_world_set_options(ThawWorld *world, int32_t body, const ThawOptionDef *rows, int32_t count,
                                  ThawError *error) {
    void **made = THAW_NEW(void *, thaw_method_count()); // options of the body's own, where it had none
    ThawStatus status = check_body(world, "thaw_world_set_options", body, -1, error);
    if (status == THAW_OK)
        status = thaw_option_rows_check("thaw_world_set_options", rows, count, error);
    body = status == THAW_OK ? owner_of(world, body) : body;
    if (status == THAW_OK && !made)
        status = thaw_error_memory(error, "options");
    for (int m = 0; m < thaw_method_count() && status == THAW_OK && body >= 0; m++)
        if (names_method(rows, count, thaw_method_at(m)) && !world->state.options[m].own[body]) {
            made[m] = copy_options(thaw_method_at(m), world->state.options[m].common, error);
            status = made[m] ? THAW_OK : THAW_ERROR_MEMORY;
        }
    if (status == THAW_OK && count > 0)
        status = wake_all_of(world, body, error);
    for (int m = 0; m < thaw_method_count() && made; m++) {
        const ThawMethod *method = thaw_method_at(m);
        if (status != THAW_OK || !names_method(rows, count, method)) {
            thaw_free(made[m]);
            continue;
        }
        ThawStateOptions *options = &world->state.options[m];
        if (made[m])
            thaw_state_give_own(&world->state, m, body, made[m]);
        if (body < 0)
            thaw_option_rows_put(method, rows, count, options->common);
        for (int32_t b = 0; b < world->model->body_count; b++)
            if (body < 0 || body == b) {
                if (options->own[b])
                    thaw_option_rows_put(method, rows, count, options->own[b]);
                renew(world, m, b);
            }
    }
    thaw_free(made);
    return status;
}

ThawStatus thaw_world_set_option(ThawWorld *world, int32_t body, const char *method, const char *name, double value,
                                 ThawError *error) {
    return thaw_world_set_options(world, body, &(ThawOptionDef){method, name, value}, 1, error);
}

ThawStatus thaw_world_clear_options(ThawWorld *world, int32_t body, const char *name, ThawError *error) {
    int index = 0;
    ThawStatus status = check_body(world, "thaw_world_clear_options", body, -1, error);
    if (status == THAW_OK)
        status = thaw_method_find("thaw_world_clear_options", name, &index, error);
    if (status != THAW_OK || thaw_method_at(index)->options.count == 0)
        return status;
    return thaw_world_give_options(world, index, body, "", NULL, error);
}

ThawStatus thaw_world_get_option(const ThawWorld *world, int32_t body, const char *method, const char *name,
                                 double *value) {
    const int index = thaw_method_index(method);
    const ThawOption *o = index >= 0 && name ? thaw_option_find(&thaw_method_at(index)->options, name) : NULL;
    if (!o || !value || check_body(world, "", body, -1, NULL) != THAW_OK)
        return THAW_ERROR_INPUT;
    *value = thaw_option_get(o, body < 0 ? world->state.options[index].common
                                         : thaw_state_method_options(&world->state, index, owner_of(world, body)));
    return THAW_OK;
}

ThawStatus thaw_world_get_option_in_force(const ThawWorld *world, int32_t body, const char *name, double *value) {
    ThawOptionBuffer options;
    if (!name || !value || check_body(world, "", body, 0, NULL) != THAW_OK)
        return THAW_ERROR_INPUT;
    const ThawStepper *s = thaw_world_mover(world, body);
    const ThawOption *o = thaw_option_find(&s->method->options, name);
    if (!o)
        return THAW_ERROR_INPUT;
    memcpy(options.bytes, thaw_state_options(&world->state, s->index), s->method->options.size);
    if (s->method->ops->settle)
        s->method->ops->settle(world, s, options.bytes);
    *value = thaw_option_get(o, options.bytes);
    return THAW_OK;
}
