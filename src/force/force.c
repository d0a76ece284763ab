// SPDX-License-Identifier: Apache-2.0
// Sums over an integration set: every chunk is asked of its kind of element (model/element.h), in an order that no
// thread changes, and what they answer is added up here.
#include "force/force.h"

#include <string.h>

#include "force/pass.h"
#include "model/model.h"

static const ThawElementOps *kind_of(const void *context, int32_t chunk) {
    return thaw_integration_kind(((const ThawForcePass *)context)->set, chunk);
}

static void run_energy(void *context, int32_t chunk) { kind_of(context, chunk)->energy(context, chunk); }
static void run_looking(void *context, int32_t chunk) { kind_of(context, chunk)->energy_looking(context, chunk); }
static void run_force(void *context, int32_t chunk) { kind_of(context, chunk)->force(context, chunk); }
static void run_linearise(void *context, int32_t chunk) { kind_of(context, chunk)->linearise(context, chunk); }
static void run_product(void *context, int32_t chunk) { kind_of(context, chunk)->product(context, chunk); }

// --- energy ----------------------------------------------------------------------------------------------------------

double thaw_force_energy(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial) {
    ThawForcePass pass = {.set = set, .x = x, .partial = partial};
    thaw_tasks_for(tasks, set->chunk_count, run_energy, &pass);
    double sum = 0;
    for (int32_t k = 0; k < set->chunk_count; k++)
        sum += partial[k];
    return sum;
}

double thaw_force_energy_inverted(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial,
                                  int64_t *inverted) {
    ThawForcePass pass = {.set = set, .x = x, .partial = partial};
    thaw_tasks_for(tasks, set->chunk_count, run_looking, &pass);
    double sum = 0, any = 0;
    for (int32_t k = 0; k < set->chunk_count; k++) {
        sum += partial[k];
        any += partial[set->chunk_count + k];
    }
    *inverted = any > 0 ? thaw_force_count_inverted(set, tasks, x, partial) : 0; // seldom
    return sum;
}

static void run_inverted(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    pass->partial[chunk] = kind_of(pass, chunk)->inverted(pass, chunk);
}

int64_t thaw_force_count_inverted(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial) {
    int64_t count = 0;
    ThawForcePass pass = {.set = set, .x = x, .partial = partial};
    if (partial)
        thaw_tasks_for(tasks, set->chunk_count, run_inverted, &pass);
    for (int32_t k = 0; k < set->chunk_count; k++)
        count += partial ? (int64_t)partial[k] : kind_of(&pass, k)->inverted(&pass, k);
    return count;
}

// --- forces and products ---------------------------------------------------------------------------------------------

static ThawStatus any_inverted(const ThawIntegrationSet *set, const double *partial) {
    for (int32_t k = 0; k < set->chunk_count; k++)
        if (partial[k] != 0)
            return THAW_INVERTED;
    return THAW_OK;
}

ThawStatus thaw_force_internal(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, int32_t nv, double *f,
                               double *partial) {
    memset(f, 0, sizeof *f * (size_t)nv * (size_t)set->dim);
    ThawForcePass pass = {.set = set, .x = x, .y = f, .partial = partial};
    thaw_integration_for(set, tasks, run_force, &pass);
    return any_inverted(set, partial);
}

ThawStatus thaw_force_linearise(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, ThawStiffness scale,
                                ThawBlockSink sink, int32_t nv, double *f, double *partial) {
    memset(f, 0, sizeof *f * (size_t)nv * (size_t)set->dim);
    ThawForcePass pass = {.set = set, .x = x, .scale = scale, .sink = sink, .y = f, .partial = partial};
    thaw_integration_for(set, tasks, run_linearise, &pass);
    return any_inverted(set, partial);
}

void thaw_force_product(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, const double *u,
                        ThawStiffness scale, int32_t nv, double *y, double forms[2], double *partial) {
    memset(y, 0, sizeof *y * (size_t)nv * (size_t)set->dim);
    ThawForcePass pass = {.set = set, .x = x, .u = u, .scale = scale, .y = y, .partial = partial};
    thaw_integration_for(set, tasks, run_product, &pass);
    forms[0] = forms[1] = 0;
    for (int32_t k = 0; k < set->chunk_count; k++) {
        forms[0] += partial[2 * k];
        forms[1] += partial[2 * k + 1];
    }
}

// --- stress ----------------------------------------------------------------------------------------------------------

void thaw_force_virial(const ThawIntegrationSet *set, const double *x, const int32_t *group_of,
                       const int32_t *group_of_vertex, double (*sums)[2][9]) {
    ThawVirial virial = {.group = -1};
    ThawForcePass pass = {
        .set = set, .x = x, .group_of = group_of, .group_of_vertex = group_of_vertex, .virial = &virial, .sums = sums};
    for (int32_t k = 0; k < set->chunk_count; k++)
        kind_of(&pass, k)->virial(&pass, k);
    thaw_virial_flush(&virial, -1, sums);
}

void thaw_force_stress(const ThawShape *shape, const double *x, double *von_mises) {
    const ThawIntegrationSet *set = shape->all;
    ThawForcePass pass = {.set = set, .x = x, .element_user = shape->element_user, .von_mises = von_mises};
    for (int32_t k = 0; k < set->chunk_count; k++)
        kind_of(&pass, k)->stress(&pass, k);
}
