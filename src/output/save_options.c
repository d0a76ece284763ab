// SPDX-License-Identifier: Apache-2.0
// Options of methods in a checkpoint. The table options/NAME has a row of numbers, in the order of the method's
// options, for the world and then for each body that has its own; which bodies these are stands with the bodies.
#include <stdio.h>

#include "output/save.h"

static void name_of(const ThawMethod *method, char name[100]) { snprintf(name, 100, "options/%s", method->name); }

int32_t thaw_save_own_options(const ThawState *state, int32_t body) {
    int32_t bits = 0;
    for (int m = 0; m < thaw_method_count(); m++)
        if (state->options[m].own && state->options[m].own[body])
            bits |= (int32_t)1 << m;
    return bits;
}

ThawStatus thaw_save_options(ThawCheckpoint *file, const ThawState *state, int32_t body_count, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int m = 0; m < thaw_method_count() && status == THAW_OK; m++) {
        const ThawMethod *method = thaw_method_at(m);
        const ThawStateOptions *options = &state->options[m];
        const size_t width = (size_t)method->options.count;
        if (width == 0)
            continue;
        double *numbers = THAW_NEW(double, width *((size_t)body_count + 1)), *row = numbers;
        if (!numbers)
            return thaw_error_memory(error, "the checkpoint");
        thaw_options_list(&method->options, options->common, row);
        for (int32_t b = 0; b < body_count; b++)
            if (options->own[b])
                thaw_options_list(&method->options, options->own[b], row += width);
        char name[100];
        name_of(method, name);
        status = thaw_checkpoint_put_f64(file, name, numbers, row - numbers + (int64_t)width, error);
        thaw_free(numbers);
    }
    return status;
}

// Of one method. Nothing of the state changes before all of it was found good.
static ThawStatus load_method(ThawCheckpoint *file, ThawState *state, int m, const int32_t *bits, int stride,
                              int32_t body_count, ThawError *error) {
    const ThawMethod *method = thaw_method_at(m);
    const ThawOptionTable *table = &method->options;
    const int32_t bit = (int32_t)1 << m;
    int32_t rows = 1;
    for (int32_t b = 0; b < body_count; b++)
        rows += (bits[(size_t)b * (size_t)stride] & bit) != 0;
    double *numbers = THAW_NEW(double, (size_t)table->count *(size_t)rows);
    void **read = THAW_NEW(void *, rows);
    ThawStatus status = numbers && read ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    char name[100], where[140];
    name_of(method, name);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, name, numbers, (int64_t)table->count * rows, error);
    for (int32_t k = 0; k < rows && status == THAW_OK; k++) {
        snprintf(where, sizeof where, "the checkpoint's %s, row %d", name, (int)k);
        read[k] = thaw_alloc(1, table->size);
        status = read[k] ? thaw_options_take(table, where, numbers + (size_t)k * (size_t)table->count, read[k], error)
                         : thaw_error_memory(error, "the checkpoint");
    }
    if (status == THAW_OK) {
        void *before = state->options[m].common;
        state->options[m].common = read[0];
        read[0] = before;
        for (int32_t b = body_count - 1, k = rows; b >= 0; b--) {
            const int own = (bits[(size_t)b * (size_t)stride] & bit) != 0;
            thaw_state_give_own(state, m, b, own ? read[--k] : NULL);
        }
        rows = 1;
    }
    for (int32_t k = 0; read && k < rows; k++)
        thaw_free(read[k]);
    thaw_free(read);
    thaw_free(numbers);
    return status;
}

ThawStatus thaw_load_options(ThawCheckpoint *file, ThawState *state, const int32_t *bits, int stride,
                             int32_t body_count, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int m = 0; m < thaw_method_count() && status == THAW_OK; m++)
        if (thaw_method_at(m)->options.count > 0)
            status = load_method(file, state, m, bits, stride, body_count, error);
    return status;
}
