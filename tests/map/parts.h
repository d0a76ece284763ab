// SPDX-License-Identifier: Apache-2.0
// A small body and its partition, for tests of parts and of the map that moves them.
#ifndef THAW_TEST_PARTS_H
#define THAW_TEST_PARTS_H

#include "map/rigid/partition.h"
#include "math/vec3.h"
#include "model/model.h"
#include "step/sample.h"

typedef struct Parts {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    int dim, nx;
    unsigned char *flagged, *script;
    double *x, *v;
    ThawPartition *partition;
    ThawTransition transition;
    uint64_t seed;
} Parts;

// x of all vertices of parts that are not pinned = p + R r.
static inline void parts_place(const ThawPartition *partition, double *x) {
    const size_t dim = (size_t)partition->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        for (int32_t m = part->first; m < part->first + part->count && part->hold != THAW_HOLD_FIXED; m++) {
            double rho[3];
            thaw_part_rotate(part, (int)dim, partition->r + (size_t)m * dim, rho);
            for (size_t i = 0; i < dim && !partition->script[partition->vertices[m]]; i++)
                x[(size_t)partition->vertices[m] * dim + i] = part->p[i] + rho[i];
        }
    }
}

// Positions a little off rest, random velocities, nothing flagged and nothing pinned.
static inline void parts_create(Parts *p, int dim, int32_t cells, int32_t min_elements, uint64_t seed) {
    ThawError error = {0};
    *p = (Parts){.seed = seed, .dim = dim};
    sample_create(&p->sample, dim, cells, THAW_MATERIAL_STABLE_NEO_HOOKEAN, seed);
    if (thaw_model_create(&p->sample.world, &p->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    p->shape = p->model->shapes[0];
    p->nx = dim * p->shape->nv;
    p->flagged = THAW_NEW(unsigned char, p->shape->ne);
    p->script = THAW_NEW(unsigned char, p->shape->nv);
    p->x = THAW_NEW(double, p->nx);
    p->v = THAW_NEW(double, p->nx);
    for (int i = 0; i < p->nx; i++) {
        p->x[i] = p->shape->X[i] + 0.1 / cells * sample_random(&p->seed);
        p->v[i] = sample_random(&p->seed);
    }
    assert_int_equal(thaw_partition_create(p->shape, min_elements, &p->partition, &error), THAW_OK);
}

static inline void parts_free(Parts *p) {
    thaw_partition_free(&p->partition);
    assert_null(p->partition);
    thaw_partition_free(&p->partition);
    thaw_free(p->flagged);
    thaw_free(p->script);
    thaw_free(p->x);
    thaw_free(p->v);
    thaw_model_free(&p->model);
    sample_free(&p->sample);
}

static inline void parts_flag(Parts *p, int percent) {
    for (int32_t e = 0; e < p->shape->ne; e++)
        p->flagged[e] = sample_below(&p->seed, 100) < percent;
}

static inline void parts_update(Parts *p) {
    ThawError error = {0};
    if (thaw_partition_update(p->partition, p->flagged, p->script, NULL, p->x, p->v, &p->transition, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

// Linear momentum, angular momentum about the origin, kinetic energy.
static inline void parts_momenta(const Parts *p, const double *v, double out[7]) {
    memset(out, 0, 7 * sizeof *out);
    for (int32_t i = 0; i < p->shape->nv; i++) {
        double x[3] = {0}, u[3] = {0}, turn[3], m = p->shape->mass[i];
        memcpy(x, p->x + i * p->dim, sizeof *x * (size_t)p->dim);
        memcpy(u, v + i * p->dim, sizeof *u * (size_t)p->dim);
        thaw_v3_cross(x, u, turn);
        for (int k = 0; k < 3; k++) {
            out[k] += m * u[k];
            out[3 + k] += m * turn[k];
            out[6] += m * u[k] * u[k] / 2;
        }
    }
}

#endif
