// SPDX-License-Identifier: Apache-2.0
// The published rule (solids paper, section 3.5): a quick solve for the change of velocity of all vertices, some steps
// of conjugate gradients on equation 5 with A = M + h alpha0 M + (h^2 + h alpha1) K, matrix-free, preconditioned by
//     P = M + (h^2 + h alpha1) L,      L_ij = sum_e V_e E_e grad N_i . grad N_j,
// a Laplacian with volumes, Young's modulus and damping, factored completely and once for the rest shape. The strain
// rate that x + h (v + dv) shows (equation 17) wakes a rigid element, or refuses a candidate, where its square exceeds
// tau_E. Contact forces are the last step's, new contacts one by one (equations 18-19).
//
// It is kept to be compared with. It asks for the strain rate after one step, which is not what a load will have done
// in the end, so parts lock off their balance, or with gravity split off never form where something is pinned or rests
// (docs/rigidification.md). Cost: cg_iterations + 1 products, as many solves, and a pass over the strains in every
// step.
#include <math.h>
#include <string.h>

#include "force/force.h"
#include "force/strain.h"
#include "oracle/oracle_impl.h"

// --- the preconditioner ----------------------------------------------------------------------------------------------

// One batch of L: block (a, b) is a scalar times the identity.
static void put_laplacian(const ThawShape *shape, int32_t batch, double h, ThawBlockSink sink) {
    const ThawBatch *b = &shape->all->batches[batch];
    int dim = shape->dim, nodes = shape->cells->kind->nodes;
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
        scale[l] = m ? m->young : 0;
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
    for (int32_t b = 0; b < oracle->shape->all->batch_count; b++)
        put_laplacian(oracle->shape, b, q->h, (ThawBlockSink){map->ops->add_blocks, &assembly});
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

// oracle->d: dv after some iterations from 0. r: z on entry, over unknowns; all steps are taken in the identity map.
static ThawStatus iterate(ThawOracle *oracle, const ThawQuestion *q, double *r) {
    const ThawMap *map = q->system->map;
    size_t count = (size_t)oracle->shape->nv * (size_t)oracle->shape->dim,
           n = (size_t)map->n * (size_t)oracle->shape->dim;
    double *s = oracle->q, *p = oracle->c, *Ap = oracle->y, before = 0;
    ThawSolveInfo info;
    memset(oracle->d, 0, sizeof(double) * count);
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
    // z = h (f + f_ext + f_contact) - (h alpha0 M + (h^2 + h alpha1) K) v; split: v has fallen already, f_ext without
    // weight.
    for (size_t i = 0; i < count; i++)
        oracle->u[i] = q->v[i] + (split && !q->script[i / dim] ? q->h * q->gravity[i % dim] : 0);
    thaw_force_internal(shape->all, oracle->tasks, q->x, shape->nv, oracle->f, oracle->partial);
    thaw_force_product(shape->all, oracle->tasks, q->x, oracle->u, (ThawStiffness){q->h * q->h, q->h, 0}, shape->nv,
                       oracle->y, forms, oracle->partial);
    for (size_t i = 0; i < count; i++) {
        double weight = split ? shape->mass[i / dim] * q->gravity[i % dim] : 0;
        oracle->f[i] = q->h * (oracle->f[i] + q->f_ext[i] - weight + q->f_contact[i]) - oracle->y[i] -
                       q->h * shape->damping_mass[i / dim] * oracle->u[i];
    }
    q->system->map->ops->apply_t(q->system->map, oracle->f, oracle->b);
    status = iterate(oracle, q, oracle->b);
    if (status != THAW_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        oracle->y[i] = q->x[i] + q->h * (oracle->u[i] + oracle->d[i]);
    thaw_strain_compute(shape->all, oracle->tasks, NULL, 0, q->x, oracle->lanes);
    thaw_strain_rate(shape->all, oracle->tasks, NULL, 0, oracle->y, q->h, oracle->lanes, oracle->predicted);
    return THAW_OK;
}

// The published rule: every step, no schedule, no relaxation.
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
    if ((partition->part_count == 0 && answer->candidates == 0) || q->system->map->n == 0)
        return THAW_OK;
    ThawStatus status = q->keep ? q->keep(q->context) : THAW_OK;
    if (status == THAW_OK)
        status = quick_solve(oracle, q, error);
    if (status != THAW_OK)
        return status;
    answer->asked = 1;
    thaw_oracle_judge(oracle, q, partition, oracle->options.tau_elastic, 1, flagged, answer);
    state->quiet = answer->rigid == oracle->shape->ne;
    return THAW_OK;
}
