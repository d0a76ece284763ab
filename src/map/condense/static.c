// SPDX-License-Identifier: Apache-2.0
// Static condensation of a body's mass onto its functionals, at rest and with nothing held: of all motions that have
// the functionals Y, those of least elastic energy, v = F Y, and T_s = F'M F (Guyan 1965, with means in the place of
// nodes). With B = K + c Phi M.. any inertia on the functionals, all such B lead to the same F:
//     V = B^-1 M Phi,   F = V (Phi'M V)^-1.
// K of a body that nothing holds is singular, so a little mass is left on its vertices: so little that it counts for
// nothing beside the softest bending, so much that the factor survives. One factor and dim solves a functional, once a
// shape.
//
// Of a body that pins hold the same factor gives the stiffness of its functionals, S = (Phi'M B^-1 M Phi)^-1 less the
// inertia that B has: by which regions without inertia follow the others.
#include <math.h>
#include <string.h>

#include "map/condense/condense_impl.h"
#include "math/dense.h"
#include "sparse/ldl.h"

// Of the largest stiffness over mass of a vertex: what the mass on vertices is in the matrix, and that on functionals.
static const double ON_VERTICES = 1e-10, ON_FUNCTIONALS = 1e-3;

// Columns that are solved for at once. All of them are needed for V'M V, and are kept in single precision: of a body of
// a million vertices with 64 regions that is 2.4 GB, beside a factor that is tens of it.
enum { SIDES = 48 };

typedef struct Fields {
    const ThawCondensed *c;
    ThawMap *map;
    ThawBlockPattern *pattern;
    ThawSolverPlan *plan;
    ThawSolver *solver;
    unsigned char *scripted; // what is held
    double *f, *u, *partial; // scratch
    double *sides;           // SIDES columns of the solver
    float *V;                // functionals * dim fields of nv * dim: sums of them are doubles
    double *Gm, *MV, *L;     // (functionals * dim)^2
} Fields;

static double stiffest(const ThawShape *shape) {
    double most = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        most = fmax(most, shape->stiffness[i] / shape->mass[i]);
    return most;
}

static ThawStatus reserve(Fields *s, const unsigned char *held, ThawTasks *tasks, ThawError *error) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t n = (size_t)(s->c->functionals * shape->dim), nx = (size_t)shape->nv * (size_t)shape->dim;
    s->scripted = THAW_NEW(unsigned char, shape->nv);
    s->f = THAW_NEW(double, nx);
    s->u = THAW_NEW(double, nx);
    s->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(shape));
    if (!s->scripted || !s->f || !s->u || !s->partial)
        return thaw_error_memory(error, "a body's static fields");
    for (int32_t i = 0; held && i < shape->nv; i++)
        s->scripted[i] = held[i];
    ThawStatus status = thaw_map_bordered_create(s->c, s->scripted, &s->map, error);
    if (status == THAW_OK)
        status = s->map->ops->pattern(s->map, &s->pattern, error);
    if (status == THAW_OK)
        status = thaw_solver_plan_bordered(s->pattern, s->map->border, &s->plan, error);
    if (status == THAW_OK)
        status = thaw_solver_create(s->plan, tasks, &s->solver, error);
    if (status != THAW_OK)
        return status;
    s->sides = THAW_NEW(double, SIDES *(size_t)s->map->n *(size_t)shape->dim);
    s->V = THAW_NEW(float, n *nx);
    s->Gm = THAW_NEW(double, n *n);
    s->MV = THAW_NEW(double, n *n);
    s->L = THAW_NEW(double, n *n);
    return s->sides && s->V && s->Gm && s->MV && s->L ? THAW_OK : thaw_error_memory(error, "a body's static fields");
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

// M phi of functionals and axes.
static void fill_sides(Fields *s, int32_t first, int32_t count) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t dim = (size_t)shape->dim, stride = (size_t)s->map->n * dim;
    for (int32_t b = 0; b < count; b++) {
        memset(s->f, 0, sizeof *s->f * (size_t)shape->nv * dim);
        for (int32_t i = 0; i < shape->nv; i++)
            s->f[(size_t)i * dim + (size_t)(first + b) % dim] =
                shape->mass[i] * thaw_condensed_phi(s->c, (first + b) / (int32_t)dim, i);
        s->map->ops->apply_t(s->map, s->f, s->sides + (size_t)b * stride);
    }
}

// Gm = Phi'M V, a column of it.
static void reduce_column(Fields *s, const double *v, size_t b) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t dim = (size_t)shape->dim, n = (size_t)s->c->functionals * dim;
    for (int32_t i = 0; i < shape->nv; i++)
        for (size_t k = 0; k < dim; k++) {
            const double p = shape->mass[i] * v[(size_t)i * dim + k];
            s->Gm[((size_t)s->c->region_of[i] * dim + k) * n + b] += p;
            for (int32_t l = 0; l < s->c->functionals - s->c->regions; l++)
                s->Gm[((size_t)(s->c->regions + l) * dim + k) * n + b] += p * s->c->lever[(size_t)i * dim + (size_t)l];
        }
}

// V, a column a functional and axis, and Gm.
static ThawStatus solve(Fields *s) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t dim = (size_t)shape->dim, stride = (size_t)s->map->n * dim, nx = (size_t)shape->nv * dim;
    const int32_t n = s->c->functionals * shape->dim;
    ThawStatus status = THAW_OK;
    for (int32_t first = 0; first < n && status == THAW_OK; first += SIDES) {
        const int32_t count = n - first < SIDES ? n - first : SIDES;
        fill_sides(s, first, count);
        status = thaw_ldl_solve_many(thaw_solver_ldl(s->solver), count, s->sides, s->sides, stride);
        for (int32_t b = 0; b < count && status == THAW_OK; b++) {
            s->map->ops->apply(s->map, s->sides + (size_t)b * stride, NULL, s->u);
            reduce_column(s, s->u, (size_t)(first + b));
            for (size_t i = 0; i < nx; i++)
                s->V[(size_t)(first + b) * nx + i] = (float)s->u[i];
        }
    }
    return status;
}

// MV = V'M V.
static void reduce(Fields *s) {
    const ThawShape *shape = s->c->inertia.shape;
    const size_t dim = (size_t)shape->dim, nx = (size_t)shape->nv * dim, n = (size_t)s->c->functionals * dim;
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a <= b; a++) {
            const float *u = s->V + a * nx, *v = s->V + b * nx;
            double sum = 0;
            for (int32_t i = 0; i < shape->nv; i++)
                for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
                    sum += shape->mass[i] * (double)u[at] * (double)v[at];
            s->MV[a * n + b] = s->MV[b * n + a] = sum;
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

static void drop(Fields *s) {
    thaw_solver_free(&s->solver);
    thaw_solver_plan_free(&s->plan);
    thaw_block_pattern_free(&s->pattern);
    thaw_map_free(&s->map);
    double *all[] = {s->f, s->u, s->partial, s->sides, s->Gm, s->MV, s->L};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        thaw_free(all[i]);
    thaw_free(s->V);
    thaw_free(s->scripted);
}

static ThawStatus find_fields(Fields *s, const unsigned char *held, ThawTasks *tasks, ThawError *error) {
    ThawStatus status = reserve(s, held, tasks, error);
    if (status == THAW_OK)
        status = factor(s, tasks, error);
    if (status == THAW_OK)
        status = solve(s);
    if (status == THAW_OK)
        reduce(s);
    return status;
}

ThawStatus thaw_condensed_find_static(const ThawCondensed *c, ThawTasks *tasks, double *Ts, ThawError *error) {
    Fields s = {.c = c};
    ThawStatus status = find_fields(&s, NULL, tasks, error);
    if (status == THAW_OK)
        condense(&s, Ts); // else what is there stays: G^-1
    drop(&s);
    return status == THAW_NOT_CONVERGED ? THAW_OK : status;
}

// Of regions that are held as a whole the functionals are zero, and their stiffness is endless: this share of the
// largest flexibility stands for none.
static const double NONE = 1e-12;

ThawStatus thaw_condensed_find_stiffness(const ThawCondensed *c, const unsigned char *held, ThawTasks *tasks, double *S,
                                         ThawError *error) {
    Fields s = {.c = c};
    ThawStatus status = find_fields(&s, held, tasks, error);
    const size_t dim = (size_t)c->inertia.shape->dim, nf = (size_t)c->functionals, n = nf * dim;
    double most = 0;
    for (size_t b = 0; b < n && status == THAW_OK; b++)
        most = fmax(most, s.Gm[b * n + b]);
    for (size_t b = 0; b < n && status == THAW_OK; b++)
        s.Gm[b * n + b] += NONE * most;
    if (status == THAW_OK && !thaw_dense_invert((int)n, s.Gm, s.L))
        status = thaw_error_set(error, THAW_ERROR_INPUT, "regions of mass: their stiffness at rest has no inverse");
    const double inertia = ON_FUNCTIONALS * stiffest(c->inertia.shape);
    for (size_t a = 0; a < nf && status == THAW_OK; a++)
        for (size_t b = 0; b < nf; b++) {
            double sum = 0;
            for (size_t k = 0; k < dim; k++)
                sum += s.Gm[(a * dim + k) * n + b * dim + k];
            S[a * nf + b] = sum / (double)dim - inertia * c->T[a * nf + b];
        }
    drop(&s);
    return status;
}
