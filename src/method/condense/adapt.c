// SPDX-License-Identifier: Apache-2.0
// Adaptivity of condensation (section 3 of the paper): regions have inertia while they are lively, and are quasistatic
// otherwise; of the published form it is nodes. Two rules say which are.
//
// energy   What would be lost if the region had no inertia in this very step: what its mean motion has of kinetic
//          energy, and what the net force on it at the start of the step (loads and scripts of the step included) would
//          be relaxed by,
//              E_j = |Y_j|^2 / (2 m_j) + |F_j / m_j|^2 C_jj / 2,   C = S^-1, the flexibility of functionals.
//          In a vibration the sum stays what it is, so there is no window to wait for; and a limb that is let go is
//          awake before it has moved. It wakes above m_j u^2 / 2 and falls back below a quarter of that (half of u).
// rate     The paper's (14-20): the mean of the entries of |S_dot| over the region's elements by volume, from the way
//          of the last step (velocities of quasistatic vertices would never tell), and of that the mean over a window.
//
// Functionals q that are idle follow the others, Y_q = -S_qq^-1 S_qa Y_a, so that Y = R Y_a; the mass that is left is
// T_a = R'T R, and the matrix keeps its pattern (equation 21 with a border in the place of nodes): idle rows get a one
// on their diagonal. What wakes starts with the velocity that it had by following, so nothing jumps; what falls back
// leaves the motion of the others nearest by T, and the kinetic energy that goes is booked.
#include <math.h>
#include <string.h>

#include "math/decompose.h"
#include "math/dense.h"
#include "method/condense/condense.h"

enum { MOST = THAW_FUNCTIONALS_MAX };

// Only while it has inertia where nothing pins it could a body fall and turn.
static int is_held(const ThawModelBody *body) {
    for (int32_t k = 0; k < body->script_count; k++)
        if (isinf(body->scripts[k].release))
            return 1;
    return 0;
}

static int wanted(const ThawWorld *world, const ThawStepper *s) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    return options->adapt != THAW_CONDENSE_ALWAYS && is_held(s->body) && thaw_condense(s)->mass &&
           thaw_condense(s)->mass->condensed->functionals > 0;
}

void thaw_adapt_drop(ThawStepper *s) {
    ThawAdapt *adapt = thaw_condense(s)->adapt;
    if (!adapt)
        return;
    double *all[] = {adapt->own.T, adapt->own.W, adapt->S, adapt->R, adapt->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        thaw_free(all[i]);
    thaw_free(adapt);
    thaw_condense(s)->adapt = NULL;
}

static ThawStatus make(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawCondensed *c = thaw_condense(s)->mass->condensed;
    const size_t square = (size_t)c->functionals * (size_t)c->functionals;
    ThawAdapt *adapt = thaw_condense(s)->adapt = THAW_NEW(ThawAdapt, 1);
    unsigned char *held = THAW_NEW(unsigned char, s->shape->nv);
    if (!adapt || !held) {
        thaw_free(held);
        return thaw_error_memory(error, "a body's lively regions");
    }
    adapt->of = c;
    adapt->own = *c;
    adapt->own.idle = adapt->idle;
    adapt->own.T = THAW_NEW(double, square);
    adapt->own.W = THAW_NEW(double, square);
    adapt->S = THAW_NEW(double, square);
    adapt->R = THAW_NEW(double, square);
    adapt->scratch = THAW_NEW(double, 4 * square);
    ThawStatus status = adapt->own.T && adapt->own.W && adapt->S && adapt->R && adapt->scratch
                            ? THAW_OK
                            : thaw_error_memory(error, "a body's lively regions");
    for (int32_t k = 0; k < s->body->script_count; k++)
        for (int32_t i = 0; isinf(s->body->scripts[k].release) && i < s->body->scripts[k].group->count; i++)
            held[s->body->scripts[k].group->vertices[i]] = 1;
    if (status == THAW_OK)
        status = thaw_condensed_find_stiffness(c, held, world->tasks, adapt->S, error);
    thaw_free(held);
    if (status != THAW_OK)
        return status;
    const int n = c->functionals;
    double *C = adapt->scratch, *L = C + square;
    memcpy(C, adapt->S, sizeof *C * square);
    const int good = thaw_dense_invert(n, C, L);
    for (int a = 0; a < n; a++)
        adapt->flexibility[a] = good ? C[a * n + a] : 0;
    return THAW_OK;
}

// R, T_a and its inverse, for functionals that are idle by the flags of the state.
static void reduce(ThawAdapt *adapt) {
    const ThawCondensed *c = adapt->of;
    const int n = c->functionals;
    double *R = adapt->R, *A = adapt->scratch, *L = A + n * n, *TR = L + n * n, column[MOST];
    int idle[MOST], active[MOST], idles = 0, actives = 0;
    for (int a = 0; a < n; a++)
        if (adapt->idle[a])
            idle[idles++] = a;
        else
            active[actives++] = a;
    for (int a = 0; a < idles; a++)
        for (int b = 0; b < idles; b++)
            A[a * idles + b] = adapt->S[idle[a] * n + idle[b]];
    const int follows = idles > 0 && thaw_dense_factor(idles, A);
    memset(R, 0, sizeof *R * (size_t)(n * n));
    for (int b = 0; b < actives; b++) {
        R[active[b] * n + active[b]] = 1;
        for (int a = 0; a < idles; a++)
            column[a] = -adapt->S[idle[a] * n + active[b]];
        if (follows)
            thaw_dense_solve(idles, A, column);
        for (int a = 0; a < idles; a++)
            R[idle[a] * n + active[b]] = follows ? column[a] : 0;
    }
    thaw_dense_product(n, c->T, R, TR);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += R[k * n + a] * TR[k * n + b];
            adapt->own.T[a * n + b] = sum;
        }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            adapt->own.T[a * n + b] = adapt->own.T[b * n + a] = (adapt->own.T[a * n + b] + adapt->own.T[b * n + a]) / 2;
    memcpy(adapt->own.W, adapt->own.T, sizeof *R * (size_t)(n * n));
    for (int a = 0; a < idles; a++)
        adapt->own.W[idle[a] * n + idle[a]] = 1 / c->gram[0]; // any number: none of it comes into the matrix
    thaw_dense_invert(n, adapt->own.W, L);
}

// --- switching -------------------------------------------------------------------------------------------------------

// Y' of what is idle now: Y as it was led by what was awake, and of that the nearest that can be led now.
static void lead(const ThawAdapt *adapt, const double *R0, const double *T0, size_t dim, const double *Y, double *to) {
    const ThawCondensed *c = adapt->of;
    const int n = c->functionals;
    for (size_t k = 0; k < dim; k++) {
        double y[MOST], z[MOST];
        for (int a = 0; a < n; a++) {
            y[a] = 0;
            for (int b = 0; b < n; b++)
                y[a] += R0[a * n + b] * Y[(size_t)b * dim + k];
        }
        for (int a = 0; a < n; a++) { // R'T y
            z[a] = 0;
            for (int b = 0; b < n; b++)
                for (int d = 0; d < n && adapt->R[b * n + a] != 0; d++)
                    z[a] += adapt->R[b * n + a] * T0[b * n + d] * y[d];
        }
        for (int a = 0; a < n; a++) { // T_a^-1 of that
            y[a] = 0;
            for (int b = 0; b < n && !adapt->idle[a]; b++)
                y[a] += adapt->idle[b] ? 0 : adapt->own.W[a * n + b] * z[b];
        }
        for (int a = 0; a < n; a++) {
            to[(size_t)a * dim + k] = 0;
            for (int b = 0; b < n; b++)
                to[(size_t)a * dim + k] += adapt->R[a * n + b] * y[b];
        }
    }
}

// v of vertices that are free becomes one with functionals Y + change, in the fields phi.
static void change_by(const ThawStepper *s, const ThawCondensed *c, double *change, double *scratch) {
    const int n = c->functionals;
    const size_t dim = (size_t)s->model->dim;
    double *G = scratch, *L = G + n * n, column[MOST];
    memset(G, 0, sizeof *G * (size_t)(n * n));
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (!s->scripted[i])
            thaw_condensed_add_gram(c, i, G);
    for (int b = 0; b < n; b++)
        if (!(G[b * n + b] > 1e-9 * c->gram[b * n + b])) // held as a whole
            for (int d = 0; d < n; d++)
                G[b * n + d] = G[d * n + b] = b == d;
    memcpy(L, G, sizeof *L * (size_t)(n * n));
    if (!thaw_dense_factor(n, L))
        return;
    for (size_t k = 0; k < dim; k++) {
        for (int a = 0; a < n; a++)
            column[a] = change[(size_t)a * dim + k];
        thaw_dense_solve(n, L, column);
        for (int a = 0; a < n; a++)
            change[(size_t)a * dim + k] = column[a];
    }
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int a = 0; a < n && !s->scripted[i]; a++)
            for (size_t k = 0; k < dim; k++)
                s->v[(size_t)i * dim + k] += thaw_condensed_phi(c, a, i) * change[(size_t)a * dim + k];
}

static void switch_regions(ThawStepper *s) {
    ThawAdapt *adapt = thaw_condense(s)->adapt;
    const ThawCondensed *c = adapt->of;
    const int n = c->functionals;
    const size_t dim = (size_t)s->model->dim, square = (size_t)n * (size_t)n;
    double *R0 = adapt->scratch + 3 * square, Y[3 * MOST], to[3 * MOST], before = 0, after = 0;
    s->inertia->ops->add_kinetic(s->inertia, NULL, s->v, &before);
    memcpy(R0, adapt->R, sizeof *R0 * square);
    memcpy(adapt->idle, thaw_condense(s)->idle, sizeof adapt->idle);
    reduce(adapt);
    thaw_condensed_gather(c, s->v, Y);
    lead(adapt, R0, c->T, dim, Y, to);
    for (size_t a = 0; a < (size_t)n * dim; a++)
        to[a] -= Y[a];
    change_by(s, c, to, adapt->scratch);
    s->inertia->ops->add_kinetic(s->inertia, NULL, s->v, &after);
    if (before - after > 1e-12 * before) // below that it is rounding
        s->work.transition_loss += before - after;
    s->changed = 1;
}

// --- what is lively --------------------------------------------------------------------------------------------------

static double square_of(const double *a, size_t dim) {
    double sum = 0;
    for (size_t k = 0; k < dim; k++)
        sum += a[k] * a[k];
    return sum;
}

// J/kg, of each region: twice E_j / m_j.
static ThawStatus find_energies(ThawStepper *s, ThawIncrement step, double *lively) {
    const ThawCondensed *c = thaw_condense(s)->adapt->of;
    const size_t dim = (size_t)s->model->dim;
    double Y[3 * MOST], F[THAW_REGIONS_MAX][3] = {{0}};
    thaw_loads_evaluate(s, step);
    ThawStatus status = thaw_force_internal(s->shape->all, s->tasks, s->x, s->shape->nv, s->f, s->partial);
    thaw_condensed_gather(c, s->v, Y);
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (size_t k = 0, at = (size_t)i * dim; k < dim && !s->scripted[i]; k++, at++)
            F[c->region_of[i]][k] += s->f[at] + s->f_ext[at];
    for (int32_t j = 0; j < c->regions; j++) {
        const double m = c->gram[j * c->functionals + j];
        lively[j] = square_of(Y + (size_t)j * dim, dim) / (m * m) +
                    square_of(F[j], dim) / (m * m * m) * thaw_condense(s)->adapt->flexibility[j];
    }
    return status;
}

// Mean over the window that there has been so far.
static double windowed(const ThawCondenseData *data, int32_t region, int window) {
    const int count = data->rates_seen < window ? data->rates_seen : window;
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += data->rates[(data->rates_at + THAW_CONDENSE_WINDOW - 1 - k) % THAW_CONDENSE_WINDOW][region];
    return count > 0 ? sum / count : INFINITY; // nothing is known: awake
}

// Flags of regions that are idle from this step on.
static ThawStatus judge(const ThawWorld *world, ThawStepper *s, ThawIncrement step, unsigned char *idle) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    const ThawCondenseData *data = thaw_condense(s);
    const ThawCondensed *c = data->adapt->of;
    double lively[THAW_REGIONS_MAX];
    const int by_energy = options->adapt == THAW_CONDENSE_BY_ENERGY;
    const double u = options->lively * s->shape->diameter;
    ThawStatus status = by_energy ? find_energies(s, step, lively) : THAW_OK;
    int any = 0;
    for (int32_t j = 0; j < c->regions && status == THAW_OK; j++) {
        if (by_energy)
            idle[j] = lively[j] < (data->idle[j] ? u * u : u * u / 4);
        else
            idle[j] = windowed(data, j, options->window) < options->rate;
        any |= !idle[j];
    }
    for (int32_t a = c->regions; a < c->functionals; a++)
        idle[a] = !any; // moments inside regions go with all of them
    return status;
}

ThawStatus thaw_adapt_prepare(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawCondenseData *data = thaw_condense(s);
    if (data->adapt && (!wanted(world, s) || data->adapt->of != data->mass->condensed))
        thaw_adapt_drop(s);
    ThawStatus status = THAW_OK;
    if (!data->adapt && wanted(world, s)) {
        status = make(world, s, error);
        if (status == THAW_OK) {
            memcpy(data->adapt->idle, data->idle, sizeof data->idle); // as the state says
            reduce(data->adapt);
        }
    }
    if (status == THAW_OK && data->adapt && memcmp(data->adapt->idle, data->idle, sizeof data->idle) != 0) {
        memcpy(data->adapt->idle, data->idle, sizeof data->idle);
        reduce(data->adapt);
    }
    if (status == THAW_OK)
        s->inertia = data->adapt ? &data->adapt->own.inertia : &data->mass->condensed->inertia;
    return status;
}

// Nodes: velocities of all vertices are at hand, and the next right-hand side takes of them what is left.
static void switch_nodes(const ThawWorld *world, ThawStepper *s) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    ThawCondenseData *data = thaw_condense(s);
    for (int32_t j = 0; j < data->places.regions; j++) {
        const unsigned char idle = data->rests && windowed(data, j, options->window) < options->rate;
        s->changed |= idle != data->idle[j];
        data->switches += idle != data->idle[j];
        data->idle[j] = idle;
    }
    thaw_map_nodes_rest(data->nodes->map, data->idle);
}

ThawStatus thaw_adapt_decide(const ThawWorld *world, ThawStepper *s, ThawIncrement step) {
    ThawCondenseData *data = thaw_condense(s);
    unsigned char idle[THAW_FUNCTIONALS_MAX] = {0};
    if (data->form == THAW_CONDENSE_PUBLISHED)
        switch_nodes(world, s);
    if (!data->adapt)
        return THAW_OK;
    ThawStatus status = judge(world, s, step, idle);
    if (status != THAW_OK || memcmp(idle, data->idle, sizeof idle) == 0)
        return status;
    for (int32_t j = 0; j < data->adapt->of->regions; j++)
        data->switches += idle[j] != data->idle[j];
    memcpy(data->idle, idle, sizeof idle);
    switch_regions(s);
    return THAW_OK;
}

void thaw_adapt_forget(ThawStepper *s) {
    ThawCondenseData *data = thaw_condense(s);
    memset(data->idle, 0, sizeof data->idle);
    data->rates_at = data->rates_seen = 0;
}

// --- the published metric --------------------------------------------------------------------------------------------

// F of an element at x, column-major 3 x 3; in the plane the third axis is as it was.
static void deformation(const ThawElementBlock *cells, int dim, int32_t element, const double *x, int turns,
                        double F[9]) {
    const int32_t *vertex = cells->elements + (size_t)element * (size_t)cells->kind->nodes;
    const double *g =
        cells->gradient + (size_t)element * (size_t)cells->kind->points * thaw_element_gradients(cells->kind);
    memset(F, 0, sizeof(double) * 9);
    F[8] = dim == 2 && turns;
    for (int a = 1; a < cells->kind->nodes; a++)
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                F[i + 3 * j] +=
                    (x[(size_t)vertex[a] * (size_t)dim + (size_t)i] - x[(size_t)vertex[0] * (size_t)dim + (size_t)i]) *
                    g[(a - 1) * dim + j];
}

double thaw_stretch_rate(const double F[9], const double Fdot[9], int dim) {
    double U[9], sigma[3], V[9], E[9] = {0}, A[9], rate[9], sum = 0;
    thaw_svd3(F, U, sigma, V);
    for (int i = 0; i < 3; i++) // F'F_dot + F_dot'F
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                E[i + 3 * j] += F[k + 3 * i] * Fdot[k + 3 * j] + Fdot[k + 3 * i] * F[k + 3 * j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A[i + 3 * j] = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    A[i + 3 * j] += V[k + 3 * i] * E[k + 3 * l] * V[l + 3 * j];
            const double both = sigma[i] + sigma[j];
            A[i + 3 * j] /= fabs(both) > 1e-6 ? both : 1e-6;
        }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            rate[i + 3 * j] = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    rate[i + 3 * j] += V[i + 3 * k] * A[k + 3 * l] * V[j + 3 * l];
            sum += fabs(rate[i + 3 * j]);
        }
    return sum / (dim * dim);
}

void thaw_adapt_note(ThawStepper *s, double h) {
    ThawCondenseData *data = thaw_condense(s);
    if ((!data->adapt && !data->rests) || !data->by_rate)
        return;
    const ThawElementBlock *cells = s->shape->cells;
    const ThawCondensed *c = data->adapt ? data->adapt->of : &data->places;
    const int dim = s->model->dim;
    double sum[THAW_REGIONS_MAX] = {0}, volume[THAW_REGIONS_MAX] = {0};
    for (int32_t e = 0; e < cells->count; e++) {
        double F[9], F1[9];
        deformation(cells, dim, e, s->x, 1, F);
        deformation(cells, dim, e, s->x1, 1, F1);
        for (int k = 0; k < 9; k++)
            F1[k] = (F1[k] - F[k]) / h;
        const int32_t region = thaw_condense_region_of(c, s->shape, e);
        const double V = cells->weight[(size_t)e * (size_t)cells->kind->points];
        sum[region] += V * thaw_stretch_rate(F, F1, dim);
        volume[region] += V;
    }
    for (int32_t j = 0; j < c->regions; j++)
        data->rates[data->rates_at][j] = volume[j] > 0 ? (float)(sum[j] / volume[j]) : 0;
    data->rates_at = (data->rates_at + 1) % THAW_CONDENSE_WINDOW;
    data->rates_seen += data->rates_seen < THAW_CONDENSE_WINDOW;
}
