// SPDX-License-Identifier: Apache-2.0
// The published rule (solids paper, section 3.5): a quick solve for the change of velocity of all vertices, some steps
// of conjugate gradients on equation 5 with A = M + h alpha0 M + (h^2 + h alpha1) K, matrix-free, preconditioned by
//     P = M + (h^2 + h alpha1) L,      L_ij = sum_e V_e E_e grad N_i . grad N_j,
// a Laplacian with volumes, Young's modulus and damping, factored completely and once for the rest shape. The strain
// rate that x + h (v + dv) shows (equation 17) wakes a rigid element, or refuses a candidate, where its square exceeds
// tau_E. Contact forces are the last step's, new contacts one by one (equations 18-19).
//
// Of a sheet bending is judged beside the membrane (shells paper, 3.4 and 3.5): a triangle by the fastest of its edges,
// against thresholds of its own, and L has the rest shape's bending, 1/3 of its trace in each direction. Where contacts
// begin the solve may begin with what their impulses do (equations 14 to 16, with the inverse mass that 14 and 16
// lack), which enters the residual:
//     filter   a share of each impulse goes on over the edges to vertices that touch nothing;
//     block    the inverses of the diagonal blocks of A at rest;
//     cg       one step of conjugate gradients without a preconditioner;
//     exact    A^-1, as it is now: what the others are compared with.
//
// It is kept to be compared with. It asks for the strain rate after one step, which is not what a load will have done
// in the end, so parts lock off their balance, or with gravity split off never form where something is pinned or rests
// (docs/rigidification.md). Cost: a pass over the forces, cg_iterations + 1 products, as many solves and a pass over
// the strains in every step in which anything is rigid, or is about to be.
#include <math.h>
#include <string.h>

#include "force/force.h"
#include "force/strain.h"
#include "model/sheet.h"
#include "oracle/oracle_impl.h"

// --- the preconditioner ----------------------------------------------------------------------------------------------

// One batch of L: block (a, b) is a scalar times the identity.
static void put_laplacian(const ThawShape *shape, int32_t batch, double h, ThawBlockSink sink) {
    const ThawBatch *b = &shape->all->batches[batch];
    int dim = shape->dim, nodes = b->kind->nodes;
    ThawLanes blocks[THAW_BLOCKS_MAX * 9], grad[THAW_ELEMENT_NODES_MAX][3], scale, alpha1;
    for (int k = 0; k < dim; k++) {
        grad[0][k] = thaw_lanes_set(0);
        for (int a = 1; a < nodes; a++) {
            grad[a][k] = b->gradient[(a - 1) * 3 + k];
            grad[0][k] -= grad[a][k];
        }
    }
    for (int l = 0; l < THAW_LANES; l++) {
        const ThawMaterial *m = b->element[l] < 0 ? NULL : &shape->materials[shape->cells->material[b->element[l]]];
        scale[l] = m ? thaw_element_modulus(shape, shape->cells, b->element[l]) : 0;
        alpha1[l] = m ? m->alpha1 : 0;
    }
    scale *= b->weight * (h * h + h * alpha1);
    memset(blocks, 0, sizeof *blocks * (size_t)(thaw_batch_pairs(b) * dim * dim));
    for (int a = 0, block = 0; a < nodes; a++)
        for (int c = 0; c <= a; c++, block++) {
            ThawLanes product = thaw_lanes_set(0);
            for (int k = 0; k < dim; k++)
                product += grad[a][k] * grad[c][k];
            for (int k = 0; k < dim; k++)
                blocks[(block * dim + k) * dim + k] = scale * product;
        }
    sink.add(sink.context, batch, blocks);
}

// Takes the stiffness of batches at rest: of bending the third of each block's trace goes on.
typedef struct Bending {
    const ThawIntegrationSet *set;
    ThawBlockSink sink;
} Bending;

static void pass_bending(void *context, int32_t batch, const ThawLanes *blocks) {
    const Bending *to = context;
    const ThawBatch *b = &to->set->batches[batch];
    ThawLanes mean[THAW_BLOCKS_MAX * 9];
    if (b->kind->rest_size == 0)
        return;
    memset(mean, 0, sizeof *mean * (size_t)(thaw_batch_pairs(b) * 9));
    for (int k = 0; k < thaw_batch_pairs(b); k++)
        for (int i = 0; i < 3; i++)
            mean[9 * k + 4 * i] = (blocks[9 * k] + blocks[9 * k + 4] + blocks[9 * k + 8]) / 3.0;
    to->sink.add(to->sink.context, batch, mean);
}

// What block (a, b) of the diagonal gets, by vertex.
typedef struct Diagonal {
    const ThawIntegrationSet *set;
    double *blocks; // dim * dim a vertex
} Diagonal;

static void add_diagonal(void *context, int32_t batch, const ThawLanes *blocks) {
    const Diagonal *to = context;
    const ThawBatch *b = &to->set->batches[batch];
    const int square = to->set->dim * to->set->dim;
    for (int a = 0, pair = 0; a < b->kind->nodes; a++)
        for (int c = 0; c <= a; c++, pair++)
            for (int l = 0; l < THAW_LANES; l++)
                for (int i = 0; i < square && a == c && b->element[l] >= 0; i++)
                    to->blocks[(size_t)b->vertex[a][l] * (size_t)square + (size_t)i] += blocks[square * pair + i][l];
}

static ThawStatus fit_preconditioner(ThawOracle *oracle, const ThawQuestion *q, ThawError *error) {
    ThawForesight *quick = &oracle->lasting;
    const ThawSystem *system = q->system;
    if (quick->system == system && quick->factored && oracle->quick_h == q->h)
        return THAW_OK;
    if (quick->system != system) {
        thaw_solver_free(&quick->solver);
        *quick = (ThawForesight){0};
        ThawStatus status = thaw_solver_create(system->direct, oracle->tasks, &quick->solver, error);
        if (status != THAW_OK)
            return status;
        quick->system = system;
    }
    ThawBlockMatrix *A = thaw_solver_matrix(quick->solver);
    const ThawMap *map = system->map;
    memset(A->value, 0,
           sizeof(double) * (size_t)A->pattern->row[A->pattern->n] * (size_t)(A->pattern->bs * A->pattern->bs));
    ThawAssembly assembly = {map, A->value};
    const ThawShape *shape = oracle->shape;
    const ThawBlockSink sink = {map->ops->add_blocks, &assembly};
    for (int32_t b = 0; b < shape->all->batch_count; b++)
        if (shape->all->batches[b].kind == shape->cells->kind)
            put_laplacian(shape, b, q->h, sink);
    Bending bending = {shape->all, sink};
    if (thaw_shape_is_sheet(shape))
        thaw_force_linearise(shape->all, oracle->tasks, shape->X, (ThawStiffness){q->h * q->h, q->h, 1},
                             (ThawBlockSink){pass_bending, &bending}, shape->nv, oracle->f, oracle->partial);
    map->ops->add_diagonal(map, oracle->shape->mass, 1, A);
    map->ops->add_diagonal(map, oracle->shape->damping_mass, q->h, A);
    ThawStatus status = thaw_solver_factor(quick->solver);
    quick->factored = status == THAW_OK;
    oracle->quick_h = q->h;
    return status;
}

// --- the quick solve -------------------------------------------------------------------------------------------------

// y = A u over all vertices.
static void multiply(ThawOracle *oracle, const ThawQuestion *q, const double *u, double *y) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->dim;
    double forms[2];
    thaw_force_product(shape->all, oracle->tasks, q->x, u, (ThawStiffness){q->h * q->h, q->h, 0}, shape->nv, y, forms,
                       oracle->partial);
    for (size_t i = 0; i < (size_t)shape->nv * dim; i++)
        y[i] += (shape->mass[i / dim] + q->h * shape->damping_mass[i / dim]) * u[i];
}

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// --- where contacts begin --------------------------------------------------------------------------------------------

static int begins(const ThawQuestion *q, size_t i, size_t dim) {
    return memcmp(q->f_contact + i * dim, q->f_past + i * dim, sizeof(double) * dim) != 0;
}

static int touches(const ThawQuestion *q, size_t i, size_t dim) {
    for (size_t k = i * dim; k < (i + 1) * dim; k++)
        if (q->f_contact[k] != 0)
            return 1;
    return 0;
}

// Impulses p go on over edges: half of each is shared by the neighbours that touch nothing, which weigh by how many
// elements the edge has. degree: nv of scratch.
static void filter(ThawOracle *oracle, const ThawQuestion *q, const double *p, double *degree, double *dv) {
    const ThawShape *shape = oracle->shape;
    const size_t dim = (size_t)shape->dim, nodes = (size_t)shape->cells->kind->nodes, count = (size_t)shape->nv * dim;
    memset(degree, 0, sizeof *degree * (size_t)shape->nv);
    memset(dv, 0, sizeof *dv * count);
    for (int pass = 0; pass < 2; pass++)
        for (size_t e = 0; e < (size_t)shape->ne; e++)
            for (size_t a = 0; a < nodes; a++)
                for (size_t b = 0; b < nodes; b++) {
                    const size_t i = (size_t)shape->cells->elements[e * nodes + a],
                                 j = (size_t)shape->cells->elements[e * nodes + b];
                    if (a == b || !begins(q, i, dim) || touches(q, j, dim))
                        continue;
                    degree[i] += pass == 0;
                    for (size_t k = 0; k < dim && pass == 1; k++)
                        dv[j * dim + k] += 0.5 / degree[i] * p[i * dim + k];
                }
    for (size_t i = 0; i < count; i++)
        dv[i] = (dv[i] + (degree[i / dim] > 0 ? 0.5 : 1) * p[i]) / shape->mass[i / dim];
}

// dv = the inverses of the blocks on A's diagonal, at rest, times p.
static void by_blocks(ThawOracle *oracle, const ThawQuestion *q, const double *p, double *blocks, double *dv) {
    const ThawShape *shape = oracle->shape;
    const size_t dim = (size_t)shape->dim, square = dim * dim;
    Diagonal diagonal = {shape->all, blocks};
    memset(blocks, 0, sizeof *blocks * (size_t)shape->nv * square);
    thaw_force_linearise(shape->all, NULL, shape->X, (ThawStiffness){q->h * q->h, q->h, 1},
                         (ThawBlockSink){add_diagonal, &diagonal}, shape->nv, dv, oracle->partial);
    memset(dv, 0, sizeof *dv * (size_t)shape->nv * dim);
    for (size_t i = 0; i < (size_t)shape->nv; i++) {
        double A[9] = {0}, push[3] = {0}, moved[3];
        if (!begins(q, i, dim))
            continue;
        A[8] = 1;
        for (size_t k = 0; k < dim; k++) {
            for (size_t l = 0; l < dim; l++)
                A[k + 3 * l] = blocks[i * square + k * dim + l];
            A[k + 3 * k] += shape->mass[i] + q->h * shape->damping_mass[i];
            push[k] = p[i * dim + k];
        }
        thaw_part_spin(3, A, push, moved);
        memcpy(dv + i * dim, moved, sizeof *dv * dim);
    }
}

static void multiply(ThawOracle *oracle, const ThawQuestion *q, const double *u, double *y);
static double dot(size_t count, const double *a, const double *b);

// dv = p'p / p'Ap p.
static void by_one_step(ThawOracle *oracle, const ThawQuestion *q, const double *p, double *Ap, double *dv) {
    const size_t count = (size_t)oracle->shape->nv * (size_t)oracle->shape->dim;
    multiply(oracle, q, p, Ap);
    const double curvature = dot(count, p, Ap), length = curvature > 0 ? dot(count, p, p) / curvature : 0;
    for (size_t i = 0; i < count; i++)
        dv[i] = length * p[i];
}

// A dv = p, A as it is now; a factor for each question.
static ThawStatus exactly(ThawOracle *oracle, const ThawQuestion *q, const double *p, double *dv, ThawError *error) {
    ThawForesight *now = &oracle->next;
    const ThawSystem *system = q->system;
    ThawSolveInfo info;
    ThawStatus status = THAW_OK;
    if (now->system != system) {
        thaw_solver_free(&now->solver);
        *now = (ThawForesight){0};
        status = thaw_solver_create(system->direct, oracle->tasks, &now->solver, error);
        now->system = status == THAW_OK ? system : NULL;
    }
    if (status == THAW_OK)
        status =
            thaw_system_assemble(system, oracle->tasks, (ThawCombination){1, q->h, {q->h * q->h, q->h, 1}, 0, NULL},
                                 q->x, NULL, now->solver, oracle->f, oracle->partial);
    if (status == THAW_OK)
        status = thaw_solver_factor(now->solver);
    system->map->ops->apply_t(system->map, p, oracle->q);
    if (status == THAW_OK) {
        memcpy(oracle->y, oracle->q, sizeof(double) * (size_t)system->map->n * (size_t)oracle->shape->dim);
        status = thaw_solver_solve(now->solver, oracle->y, oracle->q, 1e-10, &info);
    }
    if (status == THAW_OK)
        system->map->ops->apply(system->map, oracle->q, NULL, dv);
    return status;
}

// oracle->d: what impulses of contacts that begin do to velocities, as far as warm_start looks.
static ThawStatus warm_up(ThawOracle *oracle, const ThawQuestion *q, ThawError *error) {
    const size_t dim = (size_t)oracle->shape->dim, count = (size_t)oracle->shape->nv * dim;
    double *p = oracle->c, *dv = oracle->d;
    int any = 0;
    memset(dv, 0, sizeof *dv * count);
    for (size_t i = 0; i < count; i++) {
        p[i] = q->script[i / dim] ? 0 : q->h * (q->f_contact[i] - q->f_past[i]);
        any |= p[i] != 0;
    }
    if (!any || oracle->options.warm_start == THAW_WARM_NONE)
        return THAW_OK;
    if (oracle->options.warm_start == THAW_WARM_EXACT)
        return exactly(oracle, q, p, dv, error);
    double *scratch = NULL;
    const ThawRoom room = THAW_ROOM(scratch, dim * count);
    if (!thaw_scratch_reserve(&oracle->bearing, &room, 1))
        return thaw_error_memory(error, "the quick solve");
    if (oracle->options.warm_start == THAW_WARM_FILTER)
        filter(oracle, q, p, scratch, dv);
    else if (oracle->options.warm_start == THAW_WARM_BLOCKS)
        by_blocks(oracle, q, p, scratch, dv);
    else
        by_one_step(oracle, q, p, scratch, dv);
    for (size_t i = 0; i < count; i++)
        dv[i] = q->script[i / dim] ? 0 : dv[i];
    return THAW_OK;
}

// --- iterations ------------------------------------------------------------------------------------------------------

// Some iterations more for dv, oracle->d. r: what is left of z, over unknowns; all steps are taken in the identity map.
static ThawStatus iterate(ThawOracle *oracle, const ThawQuestion *q, double *r) {
    const ThawMap *map = q->system->map;
    size_t count = (size_t)oracle->shape->nv * (size_t)oracle->shape->dim,
           n = (size_t)map->n * (size_t)oracle->shape->dim;
    double *s = oracle->q, *p = oracle->c, *Ap = oracle->y, before = 0;
    ThawSolveInfo info;
    memset(p, 0, sizeof(double) * count);
    for (int k = 0; k < oracle->options.cg_iterations; k++) {
        memset(s, 0, sizeof(double) * n);
        ThawStatus status = thaw_solver_solve(oracle->lasting.solver, r, s, 1e-10, &info);
        if (status != THAW_OK)
            return status;
        double rs = dot(n, r, s), beta = k > 0 && before > 0 ? rs / before : 0;
        map->ops->apply(map, s, NULL, Ap);
        for (size_t i = 0; i < count; i++)
            p[i] = Ap[i] + beta * p[i];
        multiply(oracle, q, p, Ap);
        double curvature = dot(count, p, Ap);
        if (!(rs > 0) || !(curvature > 0))
            break;
        for (size_t i = 0; i < count; i++)
            oracle->d[i] += rs / curvature * p[i];
        map->ops->apply_t(map, Ap, s);
        for (size_t i = 0; i < n; i++)
            r[i] -= rs / curvature * s[i];
        before = rs;
    }
    return THAW_OK;
}

static ThawStatus quick_solve(ThawOracle *oracle, const ThawQuestion *q, ThawError *error) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->dim, count = (size_t)shape->nv * dim;
    int split = oracle->options.split_gravity;
    double forms[2];
    if (!oracle->lanes && !(oracle->lanes = THAW_NEW(ThawLanes, thaw_strain_size(shape->all))))
        return thaw_error_memory(error, "the quick solve");
    ThawStatus status = fit_preconditioner(oracle, q, error);
    if (status != THAW_OK)
        return status;
    // z = h (f + f_ext + f_contact) - (h alpha0 M + (h^2 + h alpha1) K) v - A dv, dv what the solve begins with; split:
    // v has fallen already, f_ext without weight.
    for (size_t i = 0; i < count; i++)
        oracle->u[i] = q->v[i] + (split && !q->script[i / dim] ? q->h * q->gravity[i % dim] : 0);
    status = warm_up(oracle, q, error);
    if (status != THAW_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        oracle->c[i] = oracle->u[i] + oracle->d[i];
    thaw_force_internal(shape->all, oracle->tasks, q->x, shape->nv, oracle->f, oracle->partial);
    thaw_force_product(shape->all, oracle->tasks, q->x, oracle->c, (ThawStiffness){q->h * q->h, q->h, 0}, shape->nv,
                       oracle->y, forms, oracle->partial);
    for (size_t i = 0; i < count; i++) {
        double weight = split ? shape->mass[i / dim] * q->gravity[i % dim] : 0;
        oracle->f[i] = q->h * (oracle->f[i] + q->f_ext[i] - weight + q->f_contact[i]) - oracle->y[i] -
                       q->h * shape->damping_mass[i / dim] * oracle->c[i] - shape->mass[i / dim] * oracle->d[i];
    }
    q->system->map->ops->apply_t(q->system->map, oracle->f, oracle->b);
    status = iterate(oracle, q, oracle->b);
    if (status != THAW_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        oracle->y[i] = q->x[i] + q->h * (oracle->u[i] + oracle->d[i]);
    memcpy(oracle->lanes, oracle->state.strain, sizeof *oracle->lanes * thaw_strain_size(shape->all));
    ThawStrainMeasure measure;
    thaw_strain_rate_by(thaw_oracle_measure(oracle, 1, &measure), shape->all, oracle->tasks, NULL, 0, oracle->y, q->h,
                        oracle->lanes, oracle->predicted);
    return THAW_OK;
}

// Whether the parts stay as they are, though some elements might join them: a new map, order and plan cost as much as
// those elements do in a few steps. What wakes takes all others along, since then there are new parts in any case.
static int wait(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, const unsigned char *flagged,
                const ThawAnswer *answer) {
    int32_t ready = 0;
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        ready += flagged[e] && !partition->flagged[e];
    if (partition->part_count > 0 && answer->woken == 0 && ready > 0 &&
        memcmp(q->script, partition->script, (size_t)oracle->shape->nv) == 0 &&
        !thaw_oracle_has_waited(oracle, ready, partition->elastic_count))
        return 1;
    oracle->state.waited = 0;
    return 0;
}

// The published rule: every step, no relaxation.
ThawStatus thaw_oracle_ask_paper(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition,
                                 unsigned char *flagged, ThawAnswer *answer, ThawError *error) {
    ThawOracleState *state = &oracle->state;
    for (int32_t e = 0; e < oracle->shape->ne; e++) {
        int rigid = partition->part_of_element[e] >= 0;
        int candidate = !rigid && state->below[e] >= oracle->options.frame_count && state->hold[e] == 0;
        oracle->trial[e] = (unsigned char)(rigid || candidate);
        answer->candidates += candidate;
    }
    memcpy(flagged, oracle->trial, (size_t)oracle->shape->ne);
    if (q->system->map->n == 0)
        return THAW_OK;
    if (partition->part_count == 0 && !thaw_oracle_has_waited(oracle, answer->candidates, oracle->shape->ne)) {
        memset(flagged, 0, (size_t)oracle->shape->ne); // nothing to ask
        return THAW_OK;
    }
    ThawStatus status = q->keep ? q->keep(q->context) : THAW_OK;
    if (status == THAW_OK)
        status = quick_solve(oracle, q, error);
    if (status != THAW_OK)
        return status;
    answer->asked = 1;
    thaw_oracle_judge(oracle, q, partition, oracle->options.tau_elastic, 1, flagged, answer);
    if (wait(oracle, q, partition, flagged, answer))
        memcpy(flagged, partition->flagged, (size_t)oracle->shape->ne);
    state->quiet = answer->rigid == oracle->shape->ne;
    return THAW_OK;
}
