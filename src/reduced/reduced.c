// SPDX-License-Identifier: Apache-2.0
// Assembly of G'AG (equations 5 and 11): the diagonal from masses, the rest straight from element blocks through the map.
// The full A is never formed.
#include "reduced/reduced.h"

#include "sparse/ldl.h"

#include <string.h>

// A map without some of the elements is that of an adaptive body, and changes every few steps. One with all of them has to
// give the bits of the reference.
static ThawStatus plan_solver(const ThawMap *map, ThawSolverKind kind, const ThawBlockPattern *pattern,
                              ThawSolverPlan **plan, ThawError *error) {
    return map->set == map->shape->all ? thaw_solver_plan_create(kind, pattern, plan, error)
                                       : thaw_solver_plan_sketch(kind, pattern, plan, error);
}

ThawStatus thaw_system_wrap(ThawMap **map, const unsigned char *scripted, ThawSolverKind solver, ThawSystem **result,
                            ThawError *error) {
    *result = NULL;
    ThawSystem *system = THAW_NEW(ThawSystem, 1);
    if (!system)
        return thaw_error_memory(error, "the reduced system");
    const ThawShape *shape = (*map)->shape;
    system->shape = shape;
    system->scripted = THAW_NEW(unsigned char, shape->nv);
    ThawStatus status = THAW_OK;
    if (system->scripted)
        memcpy(system->scripted, scripted, (size_t)shape->nv);
    else
        status = thaw_error_memory(error, "the reduced system");
    if (status == THAW_OK && (*map)->n > 0)
        status = (*map)->ops->pattern(*map, &system->pattern, error);
    if (status == THAW_OK && (*map)->n > 0)
        status = plan_solver(*map, solver, system->pattern, &system->plan, error);
    if (status != THAW_OK) {
        thaw_system_free(&system);
        return status;
    }
    system->map = *map;
    *map = NULL;
    *result = system;
    return THAW_OK;
}

ThawStatus thaw_system_create(const ThawShape *shape, const unsigned char *scripted, ThawSolverKind solver,
                              ThawSystem **system, ThawError *error) {
    *system = NULL;
    ThawMap *map = NULL;
    ThawStatus status = thaw_map_identity_create(shape, scripted, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, scripted, solver, system, error);
    thaw_map_free(&map);
    return status;
}

void thaw_system_free(ThawSystem **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawSystem *system = *pointer;
    if (system->direct != system->plan)
        thaw_solver_plan_free(&system->direct);
    thaw_solver_plan_free(&system->plan);
    thaw_block_pattern_free(&system->pattern);
    thaw_map_free(&system->map);
    thaw_free(system->scripted);
    thaw_free(system);
    *pointer = NULL;
}

int thaw_system_serves(const ThawSystem *system, const ThawShape *shape, const unsigned char *scripted) {
    return system->shape == shape && memcmp(system->scripted, scripted, (size_t)shape->nv) == 0;
}

ThawStatus thaw_system_assemble(const ThawSystem *system, ThawTasks *tasks, ThawCombination combination,
                                const double *x, const double *start, ThawSolver *solver, double *f, double *partial) {
    const ThawMap *map = system->map;
    ThawBlockMatrix *A = thaw_solver_matrix(solver);
    size_t bytes = sizeof(double) * (size_t)A->pattern->row[A->pattern->n] * (size_t)(A->pattern->bs * A->pattern->bs);
    if (start)
        memcpy(A->value, start, bytes);
    else
        memset(A->value, 0, bytes);
    ThawAssembly assembly = {map, A->value};
    ThawStatus status =
        thaw_force_linearise(map->set, tasks, x, combination.element, (ThawBlockSink){map->ops->add_blocks, &assembly},
                             system->shape->nv, f, partial);
    if (map->ops->finish)
        map->ops->finish(&assembly);
    map->ops->add_diagonal(map, system->shape->mass, combination.mass, A);
    map->ops->add_diagonal(map, system->shape->damping_mass, combination.mass_damping, A);
    return status;
}

ThawStatus thaw_system_plan_direct(ThawSystem *system, ThawError *error) {
    if (system->direct || !system->plan)
        return THAW_OK;
    if (thaw_solver_plan_kind(system->plan) != THAW_SOLVER_PCG) {
        system->direct = system->plan;
        return THAW_OK;
    }
    return plan_solver(system->map, THAW_SOLVER_LDL, system->pattern, &system->direct, error);
}

void thaw_compliance_scratch_clear(ThawComplianceScratch *scratch) {
    thaw_free(scratch->start);
    thaw_free(scratch->col);
    thaw_free(scratch->value);
    *scratch = (ThawComplianceScratch){0};
}

static ThawStatus grow_scratch(ThawComplianceScratch *scratch, int32_t count) {
    if (count <= scratch->capacity)
        return THAW_OK;
    size_t capacity = 2 * (size_t)count;
    thaw_compliance_scratch_clear(scratch);
    scratch->start = THAW_NEW(int32_t, capacity + 1);
    scratch->col = THAW_NEW(int32_t, 2 * capacity);
    scratch->value = THAW_NEW(double, 2 * capacity * 9);
    if (!scratch->start || !scratch->col || !scratch->value) {
        thaw_compliance_scratch_clear(scratch);
        return THAW_ERROR_MEMORY;
    }
    scratch->capacity = (int32_t)capacity;
    return THAW_OK;
}

// S from J A^-1 J', where J's rows are those of G at the vertices.
static ThawStatus reach_compliance(const ThawSystem *system, ThawLdl *ldl, int32_t count, const int32_t *vertices,
                                   double *S, ThawComplianceScratch *scratch) {
    const ThawMap *map = system->map;
    int32_t dim = system->shape->kind->dim, *start;
    size_t entries = (size_t)(dim * dim);
    ThawStatus status = grow_scratch(scratch, count);
    if (status != THAW_OK)
        return status;
    start = scratch->start;
    start[0] = 0;
    for (int32_t i = 0; i < count; i++) {
        double matrix[2][9];
        int32_t block[2];
        int blocks = map->ops->rows(map, vertices[i], block, matrix);
        for (int b = 0; b < blocks; b++) {
            scratch->col[start[i] + b] = block[b];
            memcpy(scratch->value + (size_t)(start[i] + b) * entries, matrix[b], sizeof(double) * entries);
        }
        start[i + 1] = start[i] + blocks;
    }
    ThawBlockRows J = {count, dim, start, scratch->col, scratch->value};
    return thaw_ldl_schur(ldl, &J, S, (size_t)count * (size_t)dim);
}

ThawStatus thaw_system_compliance(const ThawSystem *system, ThawSolver *solver, int32_t count, const int32_t *vertices,
                                  double tolerance, double *S, double *y, double *u, double *q, double *r,
                                  ThawComplianceScratch *scratch) {
    const ThawMap *map = system->map;
    size_t dim = (size_t)system->shape->kind->dim, size = dim * (size_t)count;
    memset(S, 0, sizeof *S * size * size);
    if (map->n > 0 && thaw_solver_ldl(solver))
        return reach_compliance(system, thaw_solver_ldl(solver), count, vertices, S, scratch);
    memset(y, 0, sizeof *y * (size_t)system->shape->nv * dim);
    for (size_t column = 0; map->n > 0 && column < size; column++) {
        double *impulse = y + (size_t)vertices[column / dim] * dim + column % dim;
        *impulse = 1;
        map->ops->apply_t(map, y, r);
        *impulse = 0;
        memset(q, 0, sizeof *q * (size_t)map->n * dim);
        ThawStatus status = thaw_solver_solve(solver, r, q, tolerance, NULL);
        if (status != THAW_OK)
            return status;
        map->ops->apply(map, q, NULL, u);
        for (size_t row = 0; row < size; row++)
            S[row * size + column] = u[(size_t)vertices[row / dim] * dim + row % dim];
    }
    return THAW_OK;
}
