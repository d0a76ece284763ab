// SPDX-License-Identifier: Apache-2.0
// A method for tests: elements whose vertices are all in the group "stiff" are rigid from the start and for good, all
// others are elastic. So parts never change, and what the integrator does with them is seen alone.
#ifndef THAW_TEST_FIXED_H
#define THAW_TEST_FIXED_H

#include <string.h>

#include "map/rigid/rigid.h"
#include "step/method.h"

typedef struct Fixed {
    ThawPartition *parts;
    ThawIntegrationSet *set; // the elastic elements
    ThawSystem *system;
    unsigned char *flagged; // ne
    unsigned char *script;  // nv
} Fixed;

static void free_fixed(ThawStepper *s) {
    Fixed *fixed = s->data;
    thaw_system_free(&fixed->system);
    thaw_integration_free(&fixed->set);
    thaw_partition_free(&fixed->parts);
    thaw_free(fixed->flagged);
    thaw_free(fixed->script);
    thaw_free(fixed);
    s->data = NULL;
}

// flagged: an element with a vertex that is not in the group is elastic.
static void flag_stiff(const ThawShape *shape, unsigned char *flagged, unsigned char *stiff) {
    memset(stiff, 0, (size_t)shape->nv);
    for (int32_t g = 0; g < shape->group_count; g++)
        for (int32_t i = 0; i < shape->groups[g].count && strcmp(shape->groups[g].name, "stiff") == 0; i++)
            stiff[shape->groups[g].vertices[i]] = 1;
    for (int32_t e = 0; e < shape->ne; e++) {
        flagged[e] = 1;
        for (int k = 0; k <= shape->dim; k++)
            flagged[e] &= stiff[shape->cells->elements[(size_t)e * (size_t)(shape->dim + 1) + (size_t)k]];
    }
}

static ThawStatus create_fixed(ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world;
    Fixed *fixed = s->data = THAW_NEW(Fixed, 1);
    if (!fixed || !(fixed->flagged = THAW_NEW(unsigned char, s->shape->ne)) ||
        !(fixed->script = THAW_NEW(unsigned char, s->shape->nv)))
        return thaw_error_memory(error, "a body with fixed parts");
    flag_stiff(s->shape, fixed->flagged, fixed->script);
    return thaw_partition_create(s->shape, 1, &fixed->parts, error);
}

static ThawStatus decide_fixed(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    Fixed *fixed = s->data;
    ThawTransition transition = {0};
    ThawMap *map = NULL;
    (void)world;
    thaw_loads_evaluate(s, step);
    for (int32_t i = 0; i < s->shape->nv; i++)
        fixed->script[i] = s->scripted[i] ? THAW_VERTEX_PINNED : THAW_VERTEX_FREE;
    ThawStatus status =
        thaw_partition_update(fixed->parts, fixed->flagged, fixed->script, NULL, s->x, s->v, &transition, error);
    s->changed = transition.changed;
    if (status != THAW_OK || (!s->changed && s->system))
        return status;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&fixed->system);
    thaw_integration_free(&fixed->set);
    status = thaw_integration_create(s->shape, fixed->parts->elastic, fixed->parts->elastic_count, &fixed->set, error);
    if (status == THAW_OK)
        status = thaw_map_rigid_create(s->shape, fixed->script, fixed->parts, fixed->set, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, s->model->options.solver, &fixed->system, error);
    thaw_map_free(&map);
    s->system = fixed->system;
    return status == THAW_OK ? thaw_stepper_fit(s, error) : status;
}

static void commit_fixed(ThawStepper *s, ThawIncrement step) {
    Fixed *fixed = s->data;
    if (s->moving.acts)
        return; // parts have moved with the frame
    const size_t dim = (size_t)s->model->dim;
    for (int32_t m = 0; m < fixed->parts->vertex_count; m++)
        for (size_t k = 0, at = (size_t)fixed->parts->vertices[m] * dim; k < dim; k++, at++)
            s->v1[at] = (s->x1[at] - s->x[at]) / step.h;
}

static void abandon_fixed(ThawStepper *s, ThawLedger *ledger) { (void)s, (void)ledger; }

static int32_t part_count_fixed(const ThawStepper *s) { return ((const Fixed *)s->data)->parts->part_count; }

static const ThawMethodOps fixed_ops = {.create = create_fixed,
                                        .free = free_fixed,
                                        .decide = decide_fixed,
                                        .commit = commit_fixed,
                                        .abandon = abandon_fixed,
                                        .part_count = part_count_fixed};

static const ThawMethod fixed_method = {
    .name = "fixed", .summary = "the group \"stiff\" is rigid", .page = "", .has_parts = true, .ops = &fixed_ops};

#endif
