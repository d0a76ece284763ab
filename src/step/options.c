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
        options->common = copy_options(method, thaw_method_world_options(method, def), error);
        options->own = THAW_NEW(void *, def->body_count);
        if (!options->common || !options->own)
            return thaw_error_memory(error, "options");
        for (int32_t b = 0; b < def->body_count; b++) {
            const void *own = thaw_method_body_options(method, &def->bodies[b]);
            if (own && !(options->own[b] = copy_options(method, own, error)))
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

ThawStatus thaw_world_set_options(ThawWorld *world, int index, int32_t body, const char *where, const void *options,
                                  ThawError *error) {
    const ThawMethod *method = thaw_method_at(index);
    ThawStatus status = options ? thaw_options_check(&method->options, where, options, error) : THAW_OK;
    void *own = status == THAW_OK && options && body >= 0 ? copy_options(method, options, error) : NULL;
    if (status == THAW_OK && options && body >= 0 && !own)
        status = THAW_ERROR_MEMORY;
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (body < 0 || body == i)
            status = thaw_sleep_wake(world, i, error);
    if (status != THAW_OK) {
        thaw_free(own);
        return status;
    }
    if (body < 0)
        memcpy(world->state.options[index].common, options, method->options.size);
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (body < 0 || body == i) {
            ThawStepper *s = &world->steppers[i];
            thaw_state_give_own(&world->state, index, i, own);
            world->state.slow[i] = 0;
            if (s->method == method && s->data && method->ops->configure)
                method->ops->configure(world, s, thaw_ledger_of(world));
        }
    return THAW_OK;
}
