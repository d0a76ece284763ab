// SPDX-License-Identifier: Apache-2.0
// Assembly of G'AG (equations 5 and 11): the diagonal from masses, the rest straight from element blocks through the
// map. The full A is never formed.
#include "reduced/reduced.h"

#include "sparse/ldl.h"

#include <string.h>

// A map without some of the elements is that of an adaptive body, and changes every few steps. One with all of them has
// to give the bits of the reference.
static ThawStatus plan_solver(const ThawMap *map, ThawSolverKind kind, const ThawBlockPattern *pattern,
                              ThawSolverPlan **plan, ThawError *error) {
    if (map->border.count > 0)
        return thaw_solver_plan_bordered(pattern, map->border, plan, error);
    return map->set == map->shape->all ? thaw_solver_plan_create(kind, pattern, plan, error)
                                       : thaw_solver_plan_sketch(kind, pattern, plan, error);
}

// A system of the map, but for the pattern and what follows from it.
static ThawStatus begin_system(const ThawMap *map, const unsigned char *scripted, ThawSystem **result,
                               ThawError *error) {
    ThawSystem *system = *result = THAW_NEW(ThawSystem, 1);
    if (system) {
        system->shape = map->shape;
        system->scripted = THAW_NEW(unsigned char, map->shape->nv);
    }
    if (!system || !system->scripted) {
        thaw_system_free(result);
        return thaw_error_memory(error, "the reduced system");
    }
    memcpy(system->scripted, scripted, (size_t)map->shape->nv);
    return THAW_OK;
}

ThawStatus thaw_system_wrap(ThawMap **map, const unsigned char *scripted, ThawSolverKind solver, ThawSystem **result,
                            ThawError *error) {
    ThawStatus status = begin_system(*map, scripted, result, error);
    ThawSystem *system = *result;
    if (status == THAW_OK && (*map)->n > 0)
        status = (*map)->ops->pattern(*map, &system->pattern, error);
    if (status == THAW_OK && (*map)->n > 0)
        status = plan_solver(*map, solver, system->pattern, &system->plan, error);
    if (status != THAW_OK) {
        thaw_system_free(result);
        return status;
    }
    system->map = *map;
    *map = NULL;
    return THAW_OK;
}

ThawStatus thaw_system_wrap_like(ThawMap **map, ThawSystem *lender, ThawSystem **result, ThawError *error) {
    ThawStatus status = begin_system(*map, lender->scripted, result, error);
    if (status != THAW_OK)
        return status;
    ThawSystem *system = *result;
    system->lender = lender;
    system->pattern = lender->pattern;
    system->plan = lender->plan;
    system->direct = lender->direct;
    system->map = *map;
    *map = NULL;
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
    if (!system->lender) {
        if (system->direct != system->plan)
            thaw_solver_plan_free(&system->direct);
        thaw_solver_plan_free(&system->plan);
        thaw_block_pattern_free(&system->pattern);
    }
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
    const ThawInertia lumped = thaw_inertia_lumped(system->shape);
    const ThawInertia *inertia = combination.inertia ? combination.inertia : &lumped;
    ThawBlockMatrix *A = thaw_solver_matrix(solver);
    size_t bytes = sizeof(double) * (size_t)A->pattern->row[A->pattern->n] * (size_t)(A->pattern->bs * A->pattern->bs);
    if (start)
        memcpy(A->value, start, bytes);
    else
        memset(A->value, 0, bytes);
    if (map->ops->matrix) {
        combination.inertia = inertia;
        return map->ops->matrix(map, tasks, combination, x, A, f, partial);
    }
    ThawAssembly assembly = {map, A->value};
    ThawStatus status =
        thaw_force_linearise(map->set, tasks, x, combination.element, (ThawBlockSink){map->ops->add_blocks, &assembly},
                             system->shape->nv, f, partial);
    if (map->ops->finish)
        map->ops->finish(&assembly);
    if (map->ops->add_stress)
        map->ops->add_stress(
            map, (ThawStiffness){combination.stress, combination.element.damping, combination.element.project}, A);
    inertia->ops->add(inertia, map, combination.mass, combination.mass_damping, A);
    return status;
}

ThawStatus thaw_system_plan_direct(ThawSystem *system, ThawError *error) {
    if (system->direct || !system->plan)
        return THAW_OK;
    if (system->lender) {
        ThawStatus status = thaw_system_plan_direct(system->lender, error);
        system->direct = system->lender->direct;
        return status;
    }
    const ThawSolverKind kind = thaw_solver_plan_kind(system->plan);
    if (kind != THAW_SOLVER_PCG && kind != THAW_SOLVER_PCG_SCALED) {
        system->direct = system->plan;
        return THAW_OK;
    }
    return plan_solver(system->map, THAW_SOLVER_LDL, system->pattern, &system->direct, error);
}

void thaw_compliance_scratch_clear(ThawComplianceScratch *scratch) {
    thaw_free(scratch->start);
    thaw_free(scratch->col);
    thaw_free(scratch->value);
    thaw_free(scratch->number);
    thaw_free(scratch->H);
    thaw_free(scratch->block);
    thaw_free(scratch->at);
    thaw_free(scratch->matrix);
    *scratch = (ThawComplianceScratch){0};
}

// Room for rows on so many blocks in all, each vertex' on as many as the map has.
static ThawStatus grow_scratch(const ThawMap *map, int32_t rows, int32_t blocks, ThawComplianceScratch *scratch) {
    if (rows <= scratch->rows && blocks <= scratch->blocks && map->row_blocks <= scratch->width)
        return THAW_OK;
    thaw_compliance_scratch_clear(scratch);
    const size_t width = (size_t)(map->row_blocks > 2 ? map->row_blocks : 2);
    scratch->start = THAW_NEW(int32_t, 2 * (size_t)rows + 1);
    scratch->col = THAW_NEW(int32_t, 2 * (size_t)blocks);
    scratch->value = THAW_NEW(double, 2 * (size_t)blocks * 9);
    scratch->block = THAW_NEW(int32_t, width);
    scratch->at = THAW_NEW(int32_t, width);
    scratch->matrix = thaw_alloc(width, sizeof *scratch->matrix);
    if (!scratch->start || !scratch->col || !scratch->value || !scratch->block || !scratch->at || !scratch->matrix) {
        thaw_compliance_scratch_clear(scratch);
        return THAW_ERROR_MEMORY;
    }
    scratch->rows = 2 * rows;
    scratch->blocks = 2 * blocks;
    scratch->width = (int32_t)width;
    return THAW_OK;
}

// block (dim x dim) += V G.
static void add_product(int dim, const double *V, const double *G, double *block) {
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            for (int j = 0; j < dim; j++)
                block[dim * i + j] += V[dim * i + k] * G[dim * k + j];
}

// The rows J over vertices as rows J G over unknowns: vertices of one part share its blocks.
static void reduce_rows(const ThawMap *map, const ThawBlockRows *J, ThawComplianceScratch *scratch) {
    int dim = map->shape->dim, size = dim * dim;
    int32_t *start = scratch->start;
    start[0] = 0;
    for (int32_t c = 0; c < J->count; c++) {
        int32_t end = start[c];
        for (int32_t k = J->start[c]; k < J->start[c + 1]; k++) {
            int blocks = map->ops->rows(map, J->col[k], scratch->block, scratch->matrix);
            for (int b = 0; b < blocks; b++) {
                int32_t at = start[c];
                while (at < end && scratch->col[at] != scratch->block[b])
                    at++;
                if (at == end) {
                    scratch->col[end++] = scratch->block[b];
                    memset(scratch->value + (size_t)at * (size_t)size, 0, sizeof(double) * (size_t)size);
                }
                add_product(dim, J->value + (size_t)k * (size_t)size, scratch->matrix[b],
                            scratch->value + (size_t)at * (size_t)size);
            }
        }
        start[c + 1] = end;
    }
}

// One plain solve a scalar row; the upper triangle counts.
static ThawStatus solve_columns(const ThawSystem *system, ThawSolver *solver, const ThawBlockRows *J, double tolerance,
                                double *H, double *y, double *u, double *q, double *r) {
    const ThawMap *map = system->map;
    size_t dim = (size_t)system->shape->dim, size = dim * (size_t)J->count;
    memset(y, 0, sizeof *y * (size_t)system->shape->nv * dim);
    for (size_t column = 0; column < size; column++) {
        const size_t c = column / dim, p = column % dim;
        for (int32_t k = J->start[c]; k < J->start[c + 1]; k++)
            for (size_t i = 0; i < dim; i++)
                y[(size_t)J->col[k] * dim + i] += J->value[((size_t)k * dim + p) * dim + i];
        map->ops->apply_t(map, y, r);
        for (int32_t k = J->start[c]; k < J->start[c + 1]; k++)
            memset(y + (size_t)J->col[k] * dim, 0, sizeof *y * dim);
        memset(q, 0, sizeof *q * (size_t)map->n * dim);
        ThawStatus status = thaw_solver_solve(solver, r, q, tolerance, NULL);
        if (status != THAW_OK)
            return status;
        map->ops->apply(map, q, NULL, u);
        for (size_t row = 0; row <= column; row++) {
            double sum = 0;
            for (int32_t k = J->start[row / dim]; k < J->start[row / dim + 1]; k++)
                for (size_t i = 0; i < dim; i++)
                    sum += J->value[((size_t)k * dim + row % dim) * dim + i] * u[(size_t)J->col[k] * dim + i];
            H[row * size + column] = H[column * size + row] = sum;
        }
    }
    return THAW_OK;
}

// Unit rows of the blocks of unknowns in scratch->col.
static ThawBlockRows unit_rows(int dim, int32_t count, const ThawComplianceScratch *scratch) {
    size_t d = (size_t)dim, size = d * (size_t)count;
    memset(scratch->value, 0, sizeof(double) * size * d);
    for (int32_t c = 0; c <= count; c++)
        scratch->start[c] = c;
    for (size_t i = 0; i < size; i++)
        scratch->value[i * d + i % d] = 1;
    return (ThawBlockRows){count, dim, scratch->start, scratch->col, scratch->value};
}

// The blocks that the reduced rows lie on, in the order in which they are met: into scratch->col where they serve
// better than the rows. A change of a row then moves the ports by as many columns as it has entries; without ports, all
// rows by one.
static ThawStatus list_ports(const ThawMap *map, int32_t rows, ThawComplianceScratch *scratch, ThawPorts *ports) {
    size_t square = (size_t)map->shape->dim * (size_t)map->shape->dim;
    int32_t entries = scratch->start[rows], count = 0;
    if (entries > ports->room)
        return THAW_OK;
    if (scratch->unknowns < map->n) {
        thaw_free(scratch->number);
        scratch->number = THAW_NEW(int32_t, map->n);
        scratch->unknowns = scratch->number ? map->n : 0;
        if (!scratch->number)
            return THAW_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < entries; k++) {
        int32_t *number = &scratch->number[scratch->col[k]];
        if (*number == 0)
            *number = ++count;
        ports->port[k] = *number - 1;
    }
    int pays = 4 * (int64_t)count * entries < 3 * (int64_t)rows * rows;
    for (int32_t k = 0, met = 0; k < entries; k++) {
        scratch->number[scratch->col[k]] = 0;
        if (pays && ports->port[k] == met)
            scratch->col[met++] = scratch->col[k];
    }
    if (pays) {
        memcpy(ports->start, scratch->start, sizeof *ports->start * ((size_t)rows + 1));
        memcpy(ports->value, scratch->value, sizeof *ports->value * square * (size_t)entries);
        ports->count = count;
    }
    return THAW_OK;
}

// Of so many vertices' rows.
static int32_t most_blocks(const ThawMap *map, int32_t vertices) {
    return vertices * (map->row_blocks > 2 ? map->row_blocks : 2);
}

ThawStatus thaw_system_compliance(const ThawSystem *system, ThawSolver *solver, const ThawBlockRows *J,
                                  double tolerance, double *H, ThawPorts *ports, double *y, double *u, double *q,
                                  double *r, ThawComplianceScratch *scratch) {
    const ThawMap *map = system->map;
    ThawBlockRows rows = *J;
    ThawStatus status = THAW_OK;
    const int reaches = map->ops->rows && map->n > 0 && thaw_solver_ldl(solver);
    if (reaches) {
        status = grow_scratch(map, J->count, most_blocks(map, J->start[J->count]), scratch);
        if (status != THAW_OK)
            return status;
        reduce_rows(map, J, scratch);
        rows = (ThawBlockRows){J->count, J->height, scratch->start, scratch->col, scratch->value};
        if (ports)
            status = list_ports(map, J->count, scratch, ports);
        if (ports && ports->count > 0)
            rows = unit_rows(map->shape->dim, ports->count, scratch);
    }
    size_t size = (size_t)rows.height * (size_t)rows.count;
    memset(H, 0, sizeof *H * size * size);
    if (status != THAW_OK || map->n == 0)
        return status;
    return reaches ? thaw_ldl_schur(thaw_solver_ldl(solver), &rows, H, size)
                   : solve_columns(system, solver, J, tolerance, H, y, u, q, r);
}

// --- springs ---------------------------------------------------------------------------------------------------------

// block += V'K W.
static void add_spring(int dim, const double *V, const double *K, const double *W, double *block) {
    double KW[9] = {0};
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            for (int j = 0; j < dim; j++)
                KW[dim * i + j] += K[dim * i + k] * W[dim * k + j];
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            for (int j = 0; j < dim; j++)
                block[dim * i + j] += V[dim * k + i] * KW[dim * k + j];
}

int thaw_system_stiffen(const ThawSystem *system, ThawSolver *from, const ThawBlockRows *J, const double *K,
                        ThawSolver *into, ThawComplianceScratch *scratch) {
    const ThawMap *map = system->map;
    const int dim = map->shape->dim, size = dim * dim;
    const ThawBlockMatrix *A = thaw_solver_matrix(from);
    ThawBlockMatrix *sum = thaw_solver_matrix(into);
    if (!map->ops->rows || grow_scratch(map, J->count, most_blocks(map, J->start[J->count]), scratch) != THAW_OK)
        return 0;
    memcpy(sum->value, A->value, sizeof *sum->value * (size_t)size * (size_t)A->pattern->row[A->pattern->n]);
    reduce_rows(map, J, scratch);
    for (int32_t c = 0; c < J->count; c++) {
        const double *k = K + (size_t)size * (size_t)c;
        int acts = 0;
        for (int i = 0; i < size; i++)
            acts |= k[i] != 0;
        for (int32_t a = scratch->start[c]; a < scratch->start[c + 1] && acts; a++)
            for (int32_t b = scratch->start[c]; b < scratch->start[c + 1]; b++) {
                if (scratch->col[b] > scratch->col[a])
                    continue;
                const int32_t at = thaw_block_find(A->pattern, scratch->col[a], scratch->col[b]);
                if (at < 0)
                    return 0;
                add_spring(dim, scratch->value + (size_t)size * (size_t)a, k, scratch->value + (size_t)size * (size_t)b,
                           sum->value + (size_t)size * (size_t)at);
            }
    }
    return 1;
}

// --- blocks of single vertices ---------------------------------------------------------------------------------------

enum { COLUMNS = 128 }; // at most, those of parts included

// Whether a vertex' velocity is a block of unknowns of its own.
static int is_own(int dim, int blocks, double (*matrix)[9]) {
    int own = blocks == 1;
    for (int i = 0; i < dim * dim && own; i++)
        own = matrix[0][i] == (i % (dim + 1) == 0);
    return own;
}

static int32_t find_column(const int32_t *col, int32_t first, int32_t count, int32_t wanted) {
    while (first < count && col[first] != wanted)
        first++;
    return first;
}

// The sample that stands for the n-th of so many vertices.
static int32_t sample_of(int32_t n, int32_t own, int32_t samples) { return (int32_t)((int64_t)n * samples / own); }

// The blocks of unknowns to ask for: of samples, vertices that have one of their own, and after them those of parts, as
// long as there is room.
static int32_t choose_columns(const ThawMap *map, int32_t count, const int32_t *vertices, int32_t own, int32_t samples,
                              ThawComplianceScratch *scratch) {
    int dim = map->shape->dim;
    int32_t columns = samples, *col = scratch->col;
    const int32_t *block = scratch->block;
    for (int32_t k = 0, met = 0; k < count; k++) {
        int blocks = map->ops->rows(map, vertices[k], scratch->block, scratch->matrix);
        if (is_own(dim, blocks, scratch->matrix)) {
            int32_t sample = sample_of(met, own, samples);
            if (met == 0 || sample != sample_of(met - 1, own, samples))
                col[sample] = block[0];
            met++;
            continue;
        }
        for (int b = 0; b < blocks && columns + blocks <= COLUMNS; b++)
            if (find_column(col, samples, columns, block[b]) == columns)
                col[columns++] = block[b];
    }
    return columns;
}

// H = E'(G'AG)^-1 E for unit columns E.
static ThawStatus invert_columns(ThawSolver *solver, int dim, int32_t unknowns, int32_t columns, double tolerance,
                                 double *q, double *r, ThawComplianceScratch *scratch) {
    size_t d = (size_t)dim, size = d * (size_t)columns;
    ThawLdl *ldl = thaw_solver_ldl(solver);
    memset(scratch->H, 0, sizeof(double) * size * size);
    memset(r, 0, sizeof *r * d * (size_t)unknowns);
    ThawBlockRows units = unit_rows(dim, columns, scratch);
    if (ldl)
        return thaw_ldl_schur(ldl, &units, scratch->H, size);
    for (size_t i = 0; i < size; i++) {
        double *one = r + (size_t)scratch->col[i / d] * d + i % d;
        *one = 1;
        memset(q, 0, sizeof *q * d * (size_t)unknowns);
        ThawStatus status = thaw_solver_solve(solver, r, q, tolerance, NULL);
        *one = 0;
        if (status != THAW_OK && status != THAW_NOT_CONVERGED) // a block that is nearly right will do
            return status;
        for (size_t j = 0; j < size; j++)
            scratch->H[i * size + j] = q[(size_t)scratch->col[j / d] * d + j % d];
    }
    return THAW_OK;
}

// block += V H W', H within a matrix with rows `stride` apart.
static void add_congruence(int dim, const double *V, const double *H, size_t stride, const double *W, double *block) {
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            for (int k = 0; k < dim; k++)
                for (int l = 0; l < dim; l++)
                    block[dim * i + j] += V[dim * i + k] * H[(size_t)k * stride + (size_t)l] * W[dim * j + l];
}

// Without rows: a solve for each axis of a few vertices, spread evenly, which stand for those after them.
static ThawStatus solve_blocks(const ThawSystem *system, ThawSolver *solver, int32_t count, const int32_t *vertices,
                               double tolerance, int32_t *from, double *S, double *y, double *u, double *q, double *r) {
    const ThawMap *map = system->map;
    const size_t dim = (size_t)map->shape->dim, square = dim * dim;
    int32_t own = 0, met = 0, last = 0;
    for (int32_t k = 0; k < count; k++)
        own += !system->scripted[vertices[k]];
    const int32_t samples = own < THAW_BLOCK_SAMPLES ? own : THAW_BLOCK_SAMPLES;
    memset(y, 0, sizeof *y * (size_t)system->shape->nv * dim);
    for (int32_t k = 0; k < count; k++) {
        double *block = S + square * (size_t)k;
        if (system->scripted[vertices[k]])
            continue;
        const int again = met > 0 && sample_of(met, own, samples) == sample_of(met - 1, own, samples);
        met++;
        if (again) {
            from[k] = last;
            memcpy(block, S + square * (size_t)last, sizeof *S * square);
            continue;
        }
        last = k;
        for (size_t j = 0; j < dim; j++) {
            const size_t at = (size_t)vertices[k] * dim;
            y[at + j] = 1;
            map->ops->apply_t(map, y, r);
            y[at + j] = 0;
            memset(q, 0, sizeof *q * (size_t)map->n * dim);
            ThawStatus status = thaw_solver_solve(solver, r, q, tolerance, NULL);
            if (status != THAW_OK && status != THAW_NOT_CONVERGED) // a block that is nearly right will do
                return status;
            map->ops->apply(map, q, NULL, u);
            for (size_t i = 0; i < dim; i++)
                block[i * dim + j] = u[at + i];
        }
    }
    return THAW_OK;
}

// S of each vertex, from H of the columns.
static void take_blocks(const ThawMap *map, int32_t count, const int32_t *vertices, int32_t own, int32_t samples,
                        int32_t columns, const ThawComplianceScratch *scratch, int32_t *from, double *S) {
    const int dim = map->shape->dim;
    const size_t stride = (size_t)(dim * columns), square = (size_t)(dim * dim);
    int32_t *at = scratch->at;
    for (int32_t k = 0, met = 0, last = 0, served = 0; k < count; k++) {
        const int blocks = map->ops->rows(map, vertices[k], scratch->block, scratch->matrix);
        if (is_own(dim, blocks, scratch->matrix)) {
            at[0] = sample_of(met++, own, samples);
            if (scratch->col[at[0]] == scratch->block[0])
                last = k;
            from[k] = last;
        } else {
            int found = 1;
            for (int b = 0; b < blocks; b++) {
                at[b] = find_column(scratch->col, samples, columns, scratch->block[b]);
                found &= at[b] < columns;
            }
            if (!found) { // a part for which there was no room: the vertex before stands for it
                from[k] = from[served];
                memcpy(S + square * (size_t)k, S + square * (size_t)served, sizeof *S * square);
                continue;
            }
        }
        served = k;
        for (int a = 0; a < blocks; a++)
            for (int b = 0; b < blocks; b++)
                add_congruence(dim, scratch->matrix[a],
                               scratch->H + (size_t)(dim * at[a]) * stride + (size_t)(dim * at[b]), stride,
                               scratch->matrix[b], S + square * (size_t)k);
    }
}

ThawStatus thaw_system_blocks(const ThawSystem *system, ThawSolver *solver, int32_t count, const int32_t *vertices,
                              double tolerance, int32_t *from, double *S, double *y, double *u, double *q, double *r,
                              ThawComplianceScratch *scratch) {
    const ThawMap *map = system->map;
    int dim = map->shape->dim;
    int32_t own = 0;
    memset(S, 0, sizeof *S * (size_t)(dim * dim) * (size_t)count);
    for (int32_t k = 0; k < count; k++)
        from[k] = k;
    if (map->n == 0)
        return THAW_OK;
    if (!map->ops->rows)
        return solve_blocks(system, solver, count, vertices, tolerance, from, S, y, u, q, r);
    ThawStatus status = grow_scratch(map, most_blocks(map, count), most_blocks(map, count), scratch);
    if (status != THAW_OK)
        return status;
    for (int32_t k = 0; k < count; k++)
        own += is_own(dim, map->ops->rows(map, vertices[k], scratch->block, scratch->matrix), scratch->matrix);
    int32_t samples = own < THAW_BLOCK_SAMPLES ? own : THAW_BLOCK_SAMPLES;
    int32_t columns = choose_columns(map, count, vertices, own, samples, scratch);
    size_t stride = (size_t)(dim * columns);
    if (stride * stride > scratch->square) {
        thaw_free(scratch->H);
        scratch->square = 0;
        scratch->H = THAW_NEW(double, 2 * stride * stride);
        if (!scratch->H)
            return THAW_ERROR_MEMORY;
        scratch->square = 2 * stride * stride;
    }
    status = invert_columns(solver, dim, map->n, columns, tolerance, q, r, scratch);
    if (status == THAW_OK)
        take_blocks(map, count, vertices, own, samples, columns, scratch, from, S);
    return status;
}
