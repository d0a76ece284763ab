// SPDX-License-Identifier: Apache-2.0
// Static condensation of a body's mass onto its functionals, at rest and with nothing held: of all motions that have
// the functionals Y, those of least elastic energy, v = F Y, and T_s = F'M F (Guyan 1965, with means in the place of
// nodes). With B = K + c Phi M.. any inertia on the functionals, all such B lead to the same F:
//     V = B^-1 M Phi,   F = V (Phi'M V)^-1.
// K of a body that nothing holds is singular, so a little mass is left on its vertices: so little that it counts for
// nothing beside the softest bending, so much that the factor survives. One factor and dim solves a functional, once a
// shape.
#include <math.h>
#include <string.h>

#include "map/condense/condense_impl.h"
#include "math/dense.h"
#include "sparse/ldl.h"

// Of the largest stiffness over mass of a vertex: what the mass on vertices is in the matrix, and that on functionals.
static const double ON_VERTICES = 1e-10, ON_FUNCTIONALS = 1e-3;

typedef struct Fields {
    const ThawCondensed *c;
    ThawMap *map;
    ThawBlockPattern *pattern;
    ThawSolverPlan *plan;
    ThawSolver *solver;
    unsigned char *scripted; // none is
    double *f, *partial;     // scratch
    double *V;               // functionals * dim fields of nv * dim
    double *Gm, *MV, *L;     // (functionals * dim)^2
} Fields;

static double stiffest(const ThawShape *shape) {
    double most = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        most = fmax(most, shape->stiffness[i] / shape->mass[i]);
    return most;
}

static ThawStatus reserve(Fields *s, ThawTasks *tasks, ThawError *error) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t n = (size_t)(s->c->functionals * shape->dim), nx = (size_t)shape->nv * (size_t)shape->dim;
    s->scripted = THAW_NEW(unsigned char, shape->nv);
    s->f = THAW_NEW(double, nx);
    s->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(shape));
    if (!s->scripted || !s->f || !s->partial)
        return thaw_error_memory(error, "a body's static fields");
    ThawStatus status = thaw_map_bordered_create(s->c, s->scripted, &s->map, error);
    if (status == THAW_OK)
        status = s->map->ops->pattern(s->map, &s->pattern, error);
    if (status == THAW_OK)
        status = thaw_solver_plan_bordered(s->pattern, s->map->border, &s->plan, error);
    if (status == THAW_OK)
        status = thaw_solver_create(s->plan, tasks, &s->solver, error);
    if (status != THAW_OK)
        return status;
    s->V = THAW_NEW(double, n *(size_t)s->map->n *(size_t)shape->dim);
    s->Gm = THAW_NEW(double, n *n);
    s->MV = THAW_NEW(double, n *n);
    s->L = THAW_NEW(double, n *n);
    return s->V && s->Gm && s->MV && s->L ? THAW_OK : thaw_error_memory(error, "a body's static fields");
}

static ThawStatus factor(Fields *s, ThawTasks *tasks, ThawError *error) {
    const ThawShape *shape = s->c->inertia.shape;
    ThawBlockMatrix *A = thaw_solver_matrix(s->solver);
    const double stiff = stiffest(shape);
    ThawStatus status =
        s->map->ops->matrix(s->map, tasks, (ThawCombination){.element = {1, 0, 1}, .inertia = &s->c->inertia}, shape->X,
                            A, s->f, s->partial);
    if (status == THAW_OK) {
        s->map->ops->add_diagonal(s->map, shape->mass, ON_VERTICES * stiff, A);
        thaw_map_bordered_fill(s->map, s->c, ON_FUNCTIONALS * stiff, A);
        status = thaw_solver_factor(s->solver);
    }
    return status > THAW_OK ? thaw_error_set(error, THAW_ERROR_INPUT,
                                             "regions of mass: the body's stiffness at rest has no factor (%s)",
                                             thaw_status_name(status))
                            : status;
}

// V, a column a functional and axis; all at once.
static ThawStatus solve(Fields *s) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t dim = (size_t)shape->dim, stride = (size_t)s->map->n * dim;
    for (int32_t a = 0; a < s->c->functionals; a++)
        for (size_t k = 0; k < dim; k++)
            for (int32_t i = 0; i < shape->nv; i++)
                s->V[((size_t)a * dim + k) * stride + (size_t)i * dim + k] =
                    shape->mass[i] * thaw_condensed_phi(s->c, a, i);
    return thaw_ldl_solve_many(thaw_solver_ldl(s->solver), s->c->functionals * shape->dim, s->V, s->V, stride);
}

// Gm = Phi'M V, MV = V'M V.
static void reduce(Fields *s) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t dim = (size_t)shape->dim, stride = (size_t)s->map->n * dim, n = (size_t)s->c->functionals * dim;
    for (size_t b = 0; b < n; b++) {
        const double *v = s->V + b * stride;
        for (int32_t i = 0; i < shape->nv; i++)
            for (size_t k = 0; k < dim; k++) {
                const double p = shape->mass[i] * v[(size_t)i * dim + k];
                s->Gm[((size_t)s->c->region_of[i] * dim + k) * n + b] += p;
                for (int32_t l = 0; l < s->c->functionals - s->c->regions; l++)
                    s->Gm[((size_t)(s->c->regions + l) * dim + k) * n + b] +=
                        p * s->c->lever[(size_t)i * dim + (size_t)l];
            }
        for (size_t a = 0; a <= b; a++) {
            const double *u = s->V + a * stride;
            double sum = 0;
            for (int32_t i = 0; i < shape->nv; i++)
                for (size_t k = 0; k < dim; k++)
                    sum += shape->mass[i] * u[(size_t)i * dim + k] * v[(size_t)i * dim + k];
            s->MV[a * n + b] = s->MV[b * n + a] = sum;
        }
    }
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a < b; a++)
            s->Gm[a * n + b] = s->Gm[b * n + a] = (s->Gm[a * n + b] + s->Gm[b * n + a]) / 2;
}

// Gm^-1 V'MV Gm^-1, and of it the mean over the axes.
static int condense(Fields *s, double *Ts) {
    const size_t dim = (size_t)s->c->inertia.shape->dim, nf = (size_t)s->c->functionals, n = nf * dim;
    if (!thaw_dense_invert((int)n, s->Gm, s->L))
        return 0;
    thaw_dense_product((int)n, s->Gm, s->MV, s->L);
    thaw_dense_product((int)n, s->L, s->Gm, s->MV);
    for (size_t a = 0; a < nf; a++)
        for (size_t b = 0; b < nf; b++) {
            double sum = 0;
            for (size_t k = 0; k < dim; k++)
                sum += s->MV[(a * dim + k) * n + b * dim + k] + s->MV[(b * dim + k) * n + a * dim + k];
            Ts[a * nf + b] = sum / (2 * (double)dim);
        }
    return 1;
}

ThawStatus thaw_condensed_find_static(const ThawCondensed *c, ThawTasks *tasks, double *Ts, ThawError *error) {
    Fields s = {.c = c};
    ThawStatus status = reserve(&s, tasks, error);
    if (status == THAW_OK)
        status = factor(&s, tasks, error);
    if (status == THAW_OK)
        status = solve(&s);
    if (status == THAW_OK) {
        reduce(&s);
        condense(&s, Ts); // else what is there stays: G^-1
    }
    thaw_solver_free(&s.solver);
    thaw_solver_plan_free(&s.plan);
    thaw_block_pattern_free(&s.pattern);
    thaw_map_free(&s.map);
    double *all[] = {s.f, s.partial, s.V, s.Gm, s.MV, s.L};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        thaw_free(all[i]);
    thaw_free(s.scripted);
    return status == THAW_NOT_CONVERGED ? THAW_OK : status;
}
