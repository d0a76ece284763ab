// SPDX-License-Identifier: Apache-2.0
// Condensed inertia. Most of what a body does in a step of some milliseconds is quasistatic: its high modes have died
// out before they have swung once. So vertices have a thousandth of their mass only, and the rest sits on how regions
// move in the mean. Stable at steps at which local vibrations are hopeless, at rest what the full method is, since
// inertia is then of no account (docs/condensation.md).
//
// Functionals Y = Phi'M v (one number for each axis): momenta of regions, and for the body as a whole first moments
// inside its regions, so that a row of regions along an axis still knows how fast it turns about that axis. The energy
// of the motion that they stand for is Y'T Y / 2. Two choices of T are obvious:
//   G^-1, G = Phi'M Phi: the least energy that any motion with these functionals has; too light.
//   T_s = F'M F, F the static fields of least elastic energy with these functionals (static.c): condensation's.
// Ours is the second, made exact for affine motions: with P = Phi'M (1, x), R = P'G^-1P, B = 1 - P R^-1 P'G^-1 and Z =
// G^-1 P R^-1,
//   T = G^-1 + B'(T_s - G^-1) B + Z ((1, x)'M (1, x) - R) Z'.
// So the body as a whole has its own mass and moment of inertia, it falls without a sag, and linear momentum is kept
// whatever it does. With first moments the third term is zero, and momenta of affine motions are those of the vertices'
// masses vertex by vertex; bodies of a few vertices do without. All three terms are positive. (First moments cost a
// factor of a tenth to a seventh more; without them, cubes of eight regions vibrated by up to seven percent too slowly
// at one mesh and too fast at another.)
//
// Damping by alpha0 stays with the vertices. A product costs two passes over them.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "map/condense/condense_impl.h"
#include "math/dense.h"

// Of the mass: it makes the matrix of a body that nothing holds regular. Local modes are thirty times as fast by it,
// which is quasistatic; what moves with its region has all of its mass.
static const double THETA = 1e-3;

enum { MOST = THAW_FUNCTIONALS_MAX };

static const ThawCondensed *self_of(const ThawInertia *inertia) { return (const ThawCondensed *)inertia; }

void thaw_condensed_gather(const ThawCondensed *c, const double *a, double *Y) {
    const ThawShape *shape = c->inertia.shape;
    const size_t dim = (size_t)shape->dim;
    memset(Y, 0, sizeof *Y * (size_t)c->functionals * dim);
    double *moment = Y + (size_t)c->regions * dim;
    for (int32_t i = 0; i < shape->nv && c->functionals > 0; i++) {
        double *mean = Y + (size_t)c->region_of[i] * dim;
        for (size_t k = 0; k < dim; k++)
            mean[k] += shape->mass[i] * a[(size_t)i * dim + k];
        for (int32_t l = 0; l < c->functionals - c->regions; l++)
            for (size_t k = 0; k < dim; k++)
                moment[(size_t)l * dim + k] +=
                    shape->mass[i] * c->lever[(size_t)i * dim + (size_t)l] * a[(size_t)i * dim + k];
    }
}

// Z = scale T Y.
static void weigh(const ThawCondensed *c, double scale, const double *Y, double *Z) {
    const size_t dim = (size_t)c->inertia.shape->dim, n = (size_t)c->functionals;
    for (size_t a = 0; a < n; a++)
        for (size_t k = 0; k < dim; k++) {
            double sum = 0;
            for (size_t b = 0; b < n; b++)
                sum += c->T[a * n + b] * Y[b * dim + k];
            Z[a * dim + k] = scale * sum;
        }
}

static double form(const ThawCondensed *c, const double *Y) {
    double Z[3 * THAW_FUNCTIONALS_MAX], sum = 0;
    weigh(c, 1, Y, Z);
    for (int32_t a = 0; a < c->functionals * c->inertia.shape->dim; a++)
        sum += Y[a] * Z[a];
    return sum;
}

// (Phi Z)_i, component k.
static double at_vertex(const ThawCondensed *c, const double *Z, int32_t i, size_t k) {
    const size_t dim = (size_t)c->inertia.shape->dim;
    if (c->functionals == 0)
        return 0;
    double sum = Z[(size_t)c->region_of[i] * dim + k];
    for (int32_t l = 0; l < c->functionals - c->regions; l++)
        sum += c->lever[(size_t)i * dim + (size_t)l] * Z[(size_t)(c->regions + l) * dim + k];
    return sum;
}

static void product_condensed(const ThawInertia *inertia, const int32_t *frame_of, double mass, double damping,
                              const double *a, double *r) {
    const ThawCondensed *c = self_of(inertia);
    const ThawShape *shape = inertia->shape;
    const size_t dim = (size_t)shape->dim;
    double Y[3 * THAW_FUNCTIONALS_MAX], Z[3 * THAW_FUNCTIONALS_MAX];
    (void)frame_of;
    THAW_ASSERT(!frame_of, "condensed inertia serves maps without frames");
    thaw_condensed_gather(c, a, Y);
    weigh(c, (1 - c->theta) * mass, Y, Z);
    for (int32_t i = 0; i < shape->nv; i++) {
        const double m = shape->mass[i], own = c->theta * mass * m + damping * shape->damping_mass[i];
        for (size_t k = 0; k < dim; k++)
            r[(size_t)i * dim + k] += own * a[(size_t)i * dim + k] + m * at_vertex(c, Z, i, k);
    }
}

static void add_condensed(const ThawInertia *inertia, const ThawMap *map, double mass, double damping,
                          ThawBlockMatrix *A) {
    const ThawCondensed *c = self_of(inertia);
    map->ops->add_diagonal(map, inertia->shape->mass, c->theta * mass, A);
    if (inertia->shape->has_drag)
        map->ops->add_diagonal(map, inertia->shape->damping_mass, damping, A);
    thaw_map_bordered_fill(map, c, (1 - c->theta) * mass, A);
}

static void add_kinetic_condensed(const ThawInertia *inertia, const int32_t *frame_of, const double *v,
                                  double *energy) {
    const ThawCondensed *c = self_of(inertia);
    const ThawInertia lumped = thaw_inertia_lumped(inertia->shape);
    double Y[3 * THAW_FUNCTIONALS_MAX], own = 0;
    thaw_condensed_gather(c, v, Y);
    lumped.ops->add_kinetic(&lumped, frame_of, v, &own);
    *energy += c->theta * own + (1 - c->theta) * form(c, Y) / 2;
}

static void change_condensed(const ThawInertia *inertia, double h, const double *v0, const double *v1, double forms[2],
                             double *impulse) {
    const ThawCondensed *c = self_of(inertia);
    const ThawShape *shape = inertia->shape;
    const size_t dim = (size_t)shape->dim, n = (size_t)c->functionals * dim;
    double Y[3 * THAW_FUNCTIONALS_MAX], Z[3 * THAW_FUNCTIONALS_MAX], change = 0, loss = 0;
    thaw_condensed_gather(c, v1, Y);
    thaw_condensed_gather(c, v0, Z);
    for (size_t a = 0; a < n; a++)
        Y[a] -= Z[a];
    weigh(c, 1 - c->theta, Y, Z);
    for (size_t a = 0; a < n; a++)
        change += Y[a] * Z[a];
    for (int32_t i = 0; i < shape->nv; i++) {
        const double m = shape->mass[i], d = h * shape->damping_mass[i];
        for (size_t k = 0; k < dim; k++) {
            const size_t at = (size_t)i * dim + k;
            const double dv = v1[at] - v0[at], drag = d * v1[at];
            change += c->theta * m * dv * dv;
            loss += drag * v1[at];
            if (impulse)
                impulse[at] = m * (c->theta * dv + at_vertex(c, Z, i, k)) + drag;
        }
    }
    forms[0] = change;
    forms[1] = loss;
}

// Nearest up to what v says of scripted vertices other than w does.
static void project_condensed(const ThawInertia *inertia, const ThawMap *map, const double *w, const double *v,
                              double *q) {
    (void)inertia;
    map->ops->project(map, w, v, q);
}

// M a = f in the fields Phi, which is all that M sees of a: with what is left of them where scripted vertices stay,
// G_s,
//     (theta G_s + (1 - theta) G_s T G_s) z = Phi' f,   a = Phi z.
// Where fewer vertices are left than fields, that has no one solution: then vertices go by their own masses.
static void accelerate_condensed(const ThawInertia *inertia, const unsigned char *scripted, const double *f,
                                 double *a) {
    const ThawCondensed *c = self_of(inertia);
    const ThawShape *shape = inertia->shape;
    const size_t dim = (size_t)shape->dim, n = (size_t)c->functionals;
    double G[THAW_FUNCTIONALS_MAX * THAW_FUNCTIONALS_MAX] = {0}, A[THAW_FUNCTIONALS_MAX * THAW_FUNCTIONALS_MAX],
                                    GT[THAW_FUNCTIONALS_MAX * THAW_FUNCTIONALS_MAX], z[3 * THAW_FUNCTIONALS_MAX] = {0},
                                    column[THAW_FUNCTIONALS_MAX];
    for (int32_t i = 0; i < shape->nv && n > 0; i++) {
        if (scripted[i])
            continue;
        thaw_condensed_add_gram(c, i, G);
        for (size_t k = 0; k < dim; k++) {
            const double force = f[(size_t)i * dim + k];
            z[(size_t)c->region_of[i] * dim + k] += force;
            for (size_t l = (size_t)c->regions; l < n; l++)
                z[l * dim + k] += c->lever[(size_t)i * dim + l - (size_t)c->regions] * force;
        }
    }
    thaw_dense_product((int)n, G, c->T, GT);
    thaw_dense_product((int)n, GT, G, A);
    for (size_t b = 0; b < n * n; b++)
        A[b] = c->theta * G[b] + (1 - c->theta) * A[b];
    for (size_t b = 0; b < n; b++) { // what is scripted as a whole
        const int none = !(G[b * n + b] > 1e-9 * c->gram[b * n + b]) || (c->idle && c->idle[b]);
        for (size_t d = 0; d < n && none; d++)
            A[b * n + d] = A[d * n + b] = b == d;
        for (size_t k = 0; k < dim && none; k++)
            z[b * dim + k] = 0;
    }
    if (!thaw_dense_factor((int)n, A)) {
        const ThawInertia lumped = thaw_inertia_lumped(shape);
        lumped.ops->accelerate(&lumped, scripted, f, a);
        return;
    }
    for (size_t k = 0; k < dim; k++) {
        for (size_t b = 0; b < n; b++)
            column[b] = z[b * dim + k];
        thaw_dense_solve((int)n, A, column);
        for (size_t b = 0; b < n; b++)
            z[b * dim + k] = column[b];
    }
    for (int32_t i = 0; i < shape->nv; i++)
        for (size_t k = 0; k < dim; k++)
            a[(size_t)i * dim + k] = scripted[i] ? 0 : at_vertex(c, z, i, k);
}

static const ThawInertiaOps CONDENSED = {.name = "condensed",
                                         .product = product_condensed,
                                         .add = add_condensed,
                                         .add_kinetic = add_kinetic_condensed,
                                         .change = change_condensed,
                                         .project = project_condensed,
                                         .accelerate = accelerate_condensed};

// --- making it -------------------------------------------------------------------------------------------------------

void thaw_condensed_add_gram(const ThawCondensed *c, int32_t i, double *G) {
    const ThawShape *shape = c->inertia.shape;
    const size_t n = (size_t)c->functionals, nr = (size_t)c->regions, region = (size_t)c->region_of[i];
    const double m = shape->mass[i], *lever = c->lever + (size_t)i * (size_t)shape->dim;
    G[region * n + region] += m;
    for (size_t k = nr; k < n; k++) {
        G[region * n + k] += m * lever[k - nr];
        G[k * n + region] += m * lever[k - nr];
        for (size_t l = nr; l < n; l++)
            G[k * n + l] += m * lever[k - nr] * lever[l - nr];
    }
}

// Of the diameter: regions that are no larger have no first moments.
static const double FLAT = 1e-6;

// Places inside regions, and whether first moments are functionals of their own.
static int find_levers(ThawCondensed *c) {
    const ThawShape *shape = c->inertia.shape;
    const size_t dim = (size_t)shape->dim;
    double centre[THAW_REGIONS_MAX][3] = {{0}}, mass[THAW_REGIONS_MAX] = {0}, square[3] = {0};
    for (int32_t i = 0; i < shape->nv; i++) {
        mass[c->region_of[i]] += shape->mass[i];
        for (size_t k = 0; k < dim; k++)
            centre[c->region_of[i]][k] += shape->mass[i] * shape->X[(size_t)i * dim + k];
    }
    for (int32_t i = 0; i < shape->nv; i++)
        for (size_t k = 0; k < dim; k++) {
            double *lever = &c->lever[(size_t)i * dim + k];
            *lever = shape->X[(size_t)i * dim + k] - centre[c->region_of[i]][k] / mass[c->region_of[i]];
            square[k] += shape->mass[i] * *lever * *lever;
        }
    for (size_t k = 0; k < dim; k++) {
        const double mean = sqrt(square[k] / shape->total_mass);
        if (!(mean > FLAT * shape->diameter))
            return 0;
        for (int32_t i = 0; i < shape->nv; i++)
            c->lever[(size_t)i * dim + k] /= mean;
    }
    return 1;
}

// Affine motions, a + B x along each axis by itself: their functionals P, their own energies Q = (1, x)'M (1, x), and
// what of these the fields Phi have, R = P'G^-1P. x is from the first vertex, over the diameter.
typedef struct Affine {
    int count;
    double P[4][THAW_FUNCTIONALS_MAX], GP[4][THAW_FUNCTIONALS_MAX]; // GP = G^-1 P
    double Q[16], R[16];
} Affine;

static void find_affine(const ThawCondensed *c, const double *inverse, Affine *affine) {
    const ThawShape *shape = c->inertia.shape;
    const int n = c->functionals, dim = shape->dim, count = dim + 1;
    memset(affine, 0, sizeof *affine);
    affine->count = count;
    for (int32_t i = 0; i < shape->nv; i++) {
        double x[4] = {1};
        for (int k = 0; k < dim; k++)
            x[k + 1] = (shape->X[(size_t)i * (size_t)dim + (size_t)k] - shape->X[k]) / shape->diameter;
        for (int p = 0; p < count; p++) {
            const double value = shape->mass[i] * x[p];
            affine->P[p][c->region_of[i]] += value;
            for (int l = 0; l < n - c->regions; l++)
                affine->P[p][c->regions + l] += value * c->lever[(size_t)i * (size_t)dim + (size_t)l];
            for (int q = 0; q < count; q++)
                affine->Q[p * count + q] += value * x[q];
        }
    }
    for (int p = 0; p < count; p++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                affine->GP[p][a] += inverse[a * n + b] * affine->P[p][b];
    for (int p = 0; p < count; p++)
        for (int q = 0; q < count; q++)
            for (int a = 0; a < n; a++)
                affine->R[p * count + q] += affine->P[p][a] * affine->GP[q][a];
}

// T, and its inverse. scratch: 3 n * n.
static int mix(ThawCondensed *c, const double *Ts, double *scratch) {
    const int n = c->functionals;
    double *A = scratch, *B = A + n * n, *L = B + n * n, small[16], unused[16];
    Affine affine;
    memcpy(A, c->gram, sizeof *A * (size_t)(n * n));
    if (!thaw_dense_invert(n, A, L)) // A = G^-1
        return 0;
    find_affine(c, A, &affine);
    const int m = affine.count;
    memcpy(small, affine.R, sizeof small);
    const int mixes = thaw_dense_invert(m, small, unused); // else there are too few functionals for that
    for (int a = 0; a < n; a++)                            // B = 1 - P R^-1 P'G^-1
        for (int b = 0; b < n; b++) {
            B[a * n + b] = a == b;
            for (int p = 0; p < m && mixes; p++)
                for (int q = 0; q < m; q++)
                    B[a * n + b] -= affine.P[p][a] * small[p * m + q] * affine.GP[q][b];
        }
    double *half = c->W; // (T_s - G^-1) B
    for (int a = 0; a < n * n; a++)
        L[a] = Ts[a] - A[a];
    thaw_dense_product(n, L, B, half);
    double Z[4][THAW_FUNCTIONALS_MAX] = {{0}};
    for (int p = 0; p < m && mixes; p++)
        for (int q = 0; q < m; q++)
            for (int a = 0; a < n; a++)
                Z[p][a] += small[p * m + q] * affine.GP[q][a];
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double sum = A[a * n + b];
            for (int k = 0; k < n; k++)
                sum += B[k * n + a] * half[k * n + b];
            for (int p = 0; p < m; p++)
                for (int q = 0; q < m; q++)
                    sum += Z[p][a] * (affine.Q[p * m + q] - affine.R[p * m + q]) * Z[q][b];
            c->T[a * n + b] = sum;
        }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            c->T[a * n + b] = c->T[b * n + a] = (c->T[a * n + b] + c->T[b * n + a]) / 2;
    memcpy(c->W, c->T, sizeof *c->W * (size_t)(n * n));
    return thaw_dense_invert(n, c->W, L);
}

// G of regions and, where they have any extent, of first moments.
static void find_gram(ThawCondensed *c, int moments) {
    c->functionals = c->regions + (moments ? c->inertia.shape->dim : 0);
    memset(c->gram, 0, sizeof *c->gram * MOST * MOST);
    for (int32_t i = 0; i < c->inertia.shape->nv; i++)
        thaw_condensed_add_gram(c, i, c->gram);
}

// T by G^-1 alone: the factor of static fields needs some.
static int start_mass(ThawCondensed *c, double *scratch) {
    const int n = c->functionals;
    double *Ts = scratch + 3 * n * n;
    memcpy(Ts, c->gram, sizeof *Ts * (size_t)(n * n));
    return thaw_dense_invert(n, Ts, scratch) && mix(c, Ts, scratch);
}

static ThawStatus find_mass(ThawCondensed *c, ThawTasks *tasks, ThawError *error) {
    double *scratch = THAW_NEW(double, 4 * MOST * MOST);
    if (!scratch)
        return thaw_error_memory(error, "a body's regions");
    const int moments = find_levers(c);
    find_gram(c, moments);
    int good = start_mass(c, scratch);
    if (!good && moments) { // there are as many functionals as vertices, or nearly
        find_gram(c, 0);
        good = start_mass(c, scratch);
    }
    ThawStatus status = THAW_OK;
    double *Ts = scratch + 3 * c->functionals * c->functionals;
    if (!good)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%d regions are too many for a body of %d vertices",
                                (int)c->regions, (int)c->inertia.shape->nv);
    if (status == THAW_OK)
        status = thaw_condensed_find_static(c, tasks, Ts, error);
    if (status == THAW_OK && !mix(c, Ts, scratch))
        (void)start_mass(c, scratch); // too near to singular: what it began with, which went well
    thaw_free(scratch);
    return status;
}

// Enough to hold a body, few enough to cost next to nothing.
enum { ANCHORS = 8 };

ThawStatus thaw_condensed_create(const ThawShape *shape, int32_t count, const int32_t *given, int32_t given_count,
                                 ThawTasks *tasks, ThawCondensed **result, ThawError *error) {
    ThawCondensed *c = *result = THAW_NEW(ThawCondensed, 1);
    if (c) {
        c->inertia = (ThawInertia){&CONDENSED, shape};
        c->theta = THETA;
        c->region_of = THAW_NEW(int32_t, shape->nv);
        c->centre = THAW_NEW(int32_t, THAW_REGIONS_MAX);
        c->lever = THAW_NEW(double, (size_t)shape->nv *(size_t)shape->dim);
        c->gram = THAW_NEW(double, MOST *MOST);
        c->T = THAW_NEW(double, MOST *MOST);
        c->W = THAW_NEW(double, MOST *MOST);
    }
    ThawStatus status = c && c->region_of && c->centre && c->lever && c->gram && c->T && c->W
                            ? THAW_OK
                            : thaw_error_memory(error, "regions");
    if (status == THAW_OK && (count > 0 || given_count > 0)) {
        const int32_t most = shape->nv / (2 * (shape->dim + 1)); // regions of a vertex or two mean nothing
        status = thaw_regions_place(shape, ANCHORS, NULL, 0, c->region_of, c->anchor, &c->anchors, error);
        if (status == THAW_OK)
            status = thaw_regions_place(shape,
                                        count < most ? count
                                        : most > 1   ? most
                                                     : 1,
                                        given, given_count, c->region_of, c->centre, &c->regions, error);
        if (status == THAW_OK)
            status = find_mass(c, tasks, error);
    }
    if (status != THAW_OK)
        thaw_condensed_free(result);
    return status;
}

void thaw_condensed_free(ThawCondensed **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawCondensed *c = *pointer;
    thaw_free(c->region_of);
    thaw_free(c->centre);
    thaw_free(c->lever);
    thaw_free(c->T);
    thaw_free(c->W);
    thaw_free(c->gram);
    thaw_free(c);
    *pointer = NULL;
}
