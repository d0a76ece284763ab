// SPDX-License-Identifier: Apache-2.0
// How fast is everything? Histograms over the elements of all bodies, two bins a power of ten, one row for the strain
// rates
// |E_dot|^2 (1/s^2) of the elements that are elastic and one for the strains that the oracle foresaw. Their course over
// time is figure 6 of the solids paper, and shows where thresholds would cut. A row costs one pass over the elements.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/output.h"
#include "thaw/field.h"

enum { LOWEST = -16, HIGHEST = 6, A_DECADE = 2, BINS = (HIGHEST - LOWEST) * A_DECADE };

// Columns are named after the lower end of their bin; the first bin holds everything below, the last everything above.
static void name_columns(char *text, size_t size) {
    int length = snprintf(text, size, "step,time,quantity,elements,zero");
    for (int i = 0; i < BINS; i++)
        length += snprintf(text + length, size - (size_t)length, ",%.3g", pow(10, LOWEST + (double)i / A_DECADE));
    snprintf(text + length, size - (size_t)length, "\n");
}

ThawStatus thaw_histogram_open(const char *path, int64_t keep, ThawTable **histogram, ThawError *error) {
    char columns[40 + 12 * BINS];
    name_columns(columns, sizeof columns);
    return thaw_table_open(path, columns, keep, histogram, error);
}

typedef struct Count {
    int64_t elements, zero, bin[BINS];
} Count;

static ThawStatus count_body(const ThawWorld *world, int32_t body, int32_t field, double *values, Count *count) {
    ThawStatus status = thaw_world_get_field(world, body, field, values);
    for (int32_t e = 0; status == THAW_OK && e < thaw_world_element_count(world, body); e++) {
        count->elements++;
        if (!(values[e] > 0)) {
            count->zero++;
            continue;
        }
        double bin = floor((log10(values[e]) - LOWEST) * A_DECADE);
        count->bin[bin < 0 ? 0 : bin < BINS ? (int)bin : BINS - 1]++;
    }
    return status;
}

ThawStatus thaw_histogram_write(ThawTable *histogram, const ThawWorld *world, ThawError *error) {
    static const char *const quantities[] = {"strain_rate", "predicted_strain"};
    int32_t largest = 0;
    for (int32_t b = 0; b < thaw_world_body_count(world); b++)
        if (thaw_world_element_count(world, b) > largest)
            largest = thaw_world_element_count(world, b);
    double *values = THAW_NEW(double, largest);
    ThawStatus status = values ? THAW_OK : thaw_error_memory(error, "a histogram");
    for (int q = 0; q < 2 && status == THAW_OK; q++) {
        Count count = {0};
        int32_t field = thaw_field_find(quantities[q]);
        if (!thaw_world_shows_field(world, field) && q == 1)
            break; // no oracle
        for (int32_t b = 0; b < thaw_world_body_count(world) && status == THAW_OK; b++)
            if (count_body(world, b, field, values, &count) != THAW_OK)
                status = thaw_error_memory(error, "a histogram");
        if (status == THAW_OK)
            status = thaw_table_print(histogram, error, "%" PRId64 ",%.9g,%s,%" PRId64 ",%" PRId64,
                                      thaw_world_step_count(world), thaw_world_time(world), quantities[q],
                                      count.elements, count.zero);
        for (int i = 0; i < BINS && status == THAW_OK; i++)
            status = thaw_table_print(histogram, error, i + 1 < BINS ? ",%" PRId64 : ",%" PRId64 "\n", count.bin[i]);
    }
    thaw_free(values);
    return status;
}
