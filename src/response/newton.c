// SPDX-License-Identifier: Apache-2.0
// One step of a nonsmooth Newton method for the contact law, with H only multiplied with: it serves both forms.
//
// The map lambda - P(lambda - rho w) (law.c) says of each contact whether it is open, sticks or slides. Taken at its
// word, each has few unknowns d and as many equations E w = 0:
//     open    none, lambda = 0
//     sticks  lambda free,                             w = 0
//     slides  lambda = s (n + mu tau) + beta t,        w_n = 0,  w_t . t + (|w_t| / (mu s)) beta = 0
// with tau the direction of friction, t at right angles to it. The last equation turns friction with slip: friction stays
// opposite to w_t as both change. In 2D t is absent; with a box each tangent sticks or sits at its bound by itself.
// This is Alart and Curnier's Newton method (1991) with the unknowns that are bound eliminated, so that stick contacts
// leave a symmetric system and only sliding ones make it unsymmetric.
//
// (E H C + kappa) d = -E w is solved by GMRES (Saad and Schultz 1986), right-preconditioned by each contact's own block and
// the whole motions of the bodies together (modes.c): exactly where bodies are rigid.
// H may be singular (more contacts than freedoms): then many steps d are as good, and 1e-6 of each block is added to kappa,
// which keeps d small where nothing else decides and changes no solution, since d is 0 there.
//
// The step is taken whole, though the residual often rises by it: contacts that changed sides are put right by the sweeps
// (or gradient steps) that follow, and only then it is judged. Shortening it by the residual instead was tried and stalls
// on towers of hard boxes.
#include <math.h>
#include <string.h>

#include "response/island.h"

#define NEAR 1e-6 // share of its own block that holds a step near the iterate

enum { KRYLOV = 120 };

// How one contact enters: lambda = base + C d, equations E w + kappa d = 0.
typedef struct State {
    int32_t size, first; // unknowns, and where they start
    double C[9], E[9];   // [unknown][component]
    double kappa[3];
    double P[9]; // inverse of its own E D C + kappa, D without what whole motions account for
} State;

ThawStatus thaw_newton_reserve(ThawResponse *island) {
    State *states;
    double *krylov;
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_STATES, island->n, &states);
    if (status < 0)
        return status;
    status = thaw_modes_plan(island);
    if (status < 0)
        return status;
    // Basis, one preconditioned vector, and two vectors over rows.
    size_t size = (size_t)island->dim * (size_t)island->n;
    return THAW_TAKE(island, THAW_BUFFER_KRYLOV, (KRYLOV + 4) * size, &krylov);
}

static void add_unknown(int d, State *state, const double *C, const double *E, double kappa) {
    memcpy(state->C + d * state->size, C, (size_t)d * sizeof *C);
    memcpy(state->E + d * state->size, E, (size_t)d * sizeof *E);
    state->kappa[state->size++] = kappa;
}

// What the law says at lambda, w; lambda becomes the base, which agrees with it.
static void classify(const ThawResponse *island, const ThawRow *row, const double *w, double *lambda, State *state) {
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int d = island->dim;
    state->size = 0;
    double normal = lambda[0] - row->rho[0] * w[0];
    if (row->rho[0] == 0 || normal <= 0) {
        memset(lambda, 0, (size_t)d * sizeof *lambda);
        return;
    }
    double radius = row->mu * normal, held = lambda[0] > 0 ? lambda[0] : 0.0, y[3];
    double C[3] = {1, 0, 0}, turn[3] = {0}, stiffness = 0.0;
    int bound[3] = {0}, turns = 0;
    for (int k = 1; k < d; k++)
        y[k] = lambda[k] - row->rho[1] * w[k];
    if (d == 2 || island->options->friction == THAW_FRICTION_BOX) {
        for (int k = 1; k < d; k++)
            if (row->mu == 0 || fabs(y[k]) > radius) {
                bound[k] = 1;
                C[k] = y[k] > 0 ? row->mu : -row->mu;
            }
    } else {
        double size = hypot(y[1], y[2]);
        if (row->mu == 0 || size > radius) {
            bound[1] = bound[2] = 1;
            turns = row->mu > 0;
            stiffness = turns ? hypot(w[1], w[2]) / radius : 0.0;
            C[1] = turns ? row->mu * y[1] / size : 0.0;
            C[2] = turns ? row->mu * y[2] / size : 0.0;
            turn[1] = -C[2] / (turns ? row->mu : 1.0);
            turn[2] = C[1] / (turns ? row->mu : 1.0);
        }
    }
    add_unknown(d, state, C, axes[0], 0.0);
    lambda[0] = held;
    for (int k = 1; k < d; k++)
        if (bound[k])
            lambda[k] = C[k] * held;
        else
            add_unknown(d, state, axes[k], axes[k], 0.0);
    if (turns)
        add_unknown(d, state, turn, turn, stiffness);
}

static double own_entry(int d, const State *state, const double *D, int i, int j) {
    double sum = 0.0;
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
            sum += state->E[d * i + r] * D[d * r + c] * state->C[d * j + c];
    return sum;
}

// P = (E rest C + kappa)^-1 by elimination with pivoting; the identity scaled where that fails.
static void invert_block(int d, const ThawRow *row, const double *rest, State *state) {
    int m = state->size;
    double A[3][6] = {{0}}, largest = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            A[i][j] = own_entry(d, state, rest, i, j);
    for (int i = 0; i < m; i++) {
        state->kappa[i] += NEAR * fabs(own_entry(d, state, row->D, i, i));
        A[i][i] += state->kappa[i];
        for (int j = 0; j < m; j++)
            largest = fmax(largest, fabs(A[i][j]));
    }
    for (int i = 0; i < m; i++)
        A[i][m + i] = 1.0;
    int fine = 1;
    for (int k = 0; k < m && fine; k++) {
        int pivot = k;
        for (int i = k + 1; i < m; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k]))
                pivot = i;
        fine = fabs(A[pivot][k]) > 1e-8 * largest;
        for (int j = 0; j < 2 * m && fine; j++) {
            double swap = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        for (int i = 0; i < m && fine; i++) {
            double factor = i == k ? 0.0 : A[i][k] / A[k][k];
            for (int j = 0; j < 2 * m && i != k; j++)
                A[i][j] -= factor * A[k][j];
        }
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            state->P[m * i + j] = fine ? A[i][m + j] / A[i][i] : i == j ? row->rho[0] : 0.0;
}

// --- GMRES -----------------------------------------------------------------------------------------------------------

typedef struct Krylov {
    ThawResponse *island;
    const State *states;
    int32_t size;         // unknowns
    double *basis;        // (KRYLOV + 1) size
    double *image;        // size: preconditioned vector
    double *rows, *speed; // dim n
} Krylov;

static double dot(int32_t n, const double *a, const double *b) {
    enum { WIDTH = 32 }; // sums that do not wait for each other
    double sum[WIDTH] = {0};
    int32_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (int k = 0; k < WIDTH; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[i % WIDTH] += a[i] * b[i];
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            sum[k] += sum[k + half];
    return sum[0];
}

static void apply_own(const State *state, const double *x, double *y) {
    int m = state->size;
    for (int r = 0; r < m; r++) {
        double sum = 0.0;
        for (int c = 0; c < m; c++)
            sum += state->P[m * r + c] * x[c];
        y[r] = sum;
    }
}

// z += B' C y of one contact.
static inline __attribute__((always_inline)) void to_motions(const int d, const ThawResponse *island, int32_t i,
                                                             const State *state, const double *y, double *z) {
    const ThawRow *row = island->rows + i;
    double lambda[3] = {0};
    for (int m = 0; m < state->size; m++)
        for (int k = 0; k < d; k++)
            lambda[k] += state->C[d * m + k] * y[m];
    for (int32_t s = 0; s < row->slots; s++) {
        const double *B = thaw_row_modes(island, row, s);
        double *to = z + (size_t)THAW_MODE_LANES * (size_t)row->part[s];
        for (int r = 0; r < d; r++)
            for (int k = 0; k < THAW_MODE_LANES; k++)
                to[k] += B[THAW_MODE_LANES * r + k] * lambda[r];
    }
}

// y -= P E B z of one contact.
static inline __attribute__((always_inline)) void from_motions(const int d, const ThawResponse *island, int32_t i,
                                                               const State *state, const double *z, double *y) {
    const ThawRow *row = island->rows + i;
    double w[3] = {0}, e[3] = {0}, change[3];
    for (int32_t s = 0; s < row->slots; s++) {
        const double *B = thaw_row_modes(island, row, s);
        const double *from = z + (size_t)THAW_MODE_LANES * (size_t)row->part[s];
        for (int r = 0; r < d; r++)
            for (int k = 0; k < THAW_MODE_COUNT; k++)
                w[r] += B[THAW_MODE_LANES * r + k] * from[k];
    }
    for (int m = 0; m < state->size; m++)
        for (int k = 0; k < d; k++)
            e[m] += state->E[d * m + k] * w[k];
    apply_own(state, e, change);
    for (int m = 0; m < state->size; m++)
        y[m] -= change[m];
}

// y = (Gamma + U V')^-1 x (modes.c).
static void precondition(const Krylov *krylov, const double *x, double *y) {
    ThawResponse *island = krylov->island;
    const State *states = krylov->states;
    double *z = island->motion_scratch;
    for (int32_t i = 0; i < island->n; i++)
        apply_own(states + i, x + states[i].first, y + states[i].first);
    if (!island->whole)
        return;
    memset(z, 0, (size_t)THAW_MODE_LANES * (size_t)island->body_count * sizeof *z);
    for (int32_t i = 0; i < island->n; i++)
        if (states[i].size > 0 && island->dim == 3)
            to_motions(3, island, i, states + i, y + states[i].first, z);
        else if (states[i].size > 0)
            to_motions(2, island, i, states + i, y + states[i].first, z);
    thaw_modes_solve(island, z);
    for (int32_t i = 0; i < island->n; i++)
        if (states[i].size > 0 && island->dim == 3)
            from_motions(3, island, i, states + i, z, y + states[i].first);
        else if (states[i].size > 0)
            from_motions(2, island, i, states + i, z, y + states[i].first);
}

// rows += C d.
static void expand(const Krylov *krylov, const double *d, double *rows) {
    int dim = krylov->island->dim;
    for (int32_t i = 0; i < krylov->island->n; i++) {
        const State *state = krylov->states + i;
        for (int m = 0; m < state->size; m++)
            for (int k = 0; k < dim; k++)
                rows[dim * i + k] += state->C[dim * m + k] * d[state->first + m];
    }
}

// out = E w (+ kappa d).
static void restrict_rows(const Krylov *krylov, const double *w, const double *d, double *out) {
    int dim = krylov->island->dim;
    for (int32_t i = 0; i < krylov->island->n; i++) {
        const State *state = krylov->states + i;
        for (int m = 0; m < state->size; m++) {
            double sum = d ? state->kappa[m] * d[state->first + m] : 0.0;
            for (int k = 0; k < dim; k++)
                sum += state->E[dim * m + k] * w[dim * i + k];
            out[state->first + m] = sum;
        }
    }
}

// d with |(E H C + kappa) d + r| <= goal |r|, or as near as `products` bring it; basis[0] holds -r. d ends in image.
static ThawStatus solve_gmres(Krylov *krylov, double goal, int32_t products) {
    int32_t n = krylov->size, steps = products < KRYLOV ? products : KRYLOV, used = 0;
    double h[KRYLOV + 1][KRYLOV], g[KRYLOV + 1] = {0}, cosine[KRYLOV], sine[KRYLOV], y[KRYLOV];
    double *basis = krylov->basis, start = sqrt(dot(n, basis, basis));
    g[0] = start;
    for (int32_t i = 0; i < n && start > 0; i++)
        basis[i] /= start;
    for (int32_t j = 0; j < steps && start > 0; j++) {
        double *next = basis + (size_t)(j + 1) * (size_t)n;
        precondition(krylov, basis + (size_t)j * (size_t)n, krylov->image);
        memset(krylov->rows, 0, (size_t)krylov->island->dim * (size_t)krylov->island->n * sizeof(double));
        expand(krylov, krylov->image, krylov->rows);
        ThawStatus status = thaw_island_multiply(krylov->island, krylov->rows, NULL, krylov->speed);
        if (status < 0)
            return status;
        restrict_rows(krylov, krylov->speed, krylov->image, next);
        double before = sqrt(dot(n, next, next));
        for (int32_t i = 0; i <= j; i++)
            h[i][j] = 0.0;
        double size = before, last = INFINITY;
        // Again where much cancelled: small eigenvalues need a basis that is orthogonal to rounding.
        for (int again = 0; again < 2 && size < 0.5 * last; again++) {
            last = size;
            for (int32_t i = 0; i <= j; i++) {
                const double *old = basis + (size_t)i * (size_t)n;
                double part = dot(n, next, old);
                h[i][j] += part;
                for (int32_t k = 0; k < n; k++)
                    next[k] -= part * old[k];
            }
            size = sqrt(dot(n, next, next));
        }
        h[j + 1][j] = size;
        for (int32_t k = 0; k < n && size > 0; k++)
            next[k] /= size;
        for (int32_t i = 0; i < j; i++) {
            double upper = h[i][j], lower = h[i + 1][j];
            h[i][j] = cosine[i] * upper + sine[i] * lower;
            h[i + 1][j] = cosine[i] * lower - sine[i] * upper;
        }
        double r = hypot(h[j][j], h[j + 1][j]);
        if (r <= 1e-12 * before) // nothing new: the range of a singular H is exhausted
            break;
        cosine[j] = h[j][j] / r;
        sine[j] = h[j + 1][j] / r;
        h[j][j] = r;
        g[j + 1] = -sine[j] * g[j];
        g[j] *= cosine[j];
        used = j + 1;
        if (fabs(g[j + 1]) <= goal * start || size <= 1e-13 * before)
            break;
    }
    for (int32_t i = used - 1; i >= 0; i--) {
        y[i] = g[i];
        for (int32_t k = i + 1; k < used; k++)
            y[i] -= h[i][k] * y[k];
        y[i] /= h[i][i];
    }
    // No combination needs the last vector: the sum goes there.
    double *sum = basis + (size_t)KRYLOV * (size_t)n;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int32_t i = 0; i < used; i++)
        for (int32_t k = 0; k < n; k++)
            sum[k] += y[i] * basis[(size_t)i * (size_t)n + (size_t)k];
    precondition(krylov, sum, krylov->image);
    return THAW_OK;
}

// Each contact's own block, less what the motions account for, and the motions' factor with Q = C P E of every contact.
static void prepare_preconditioner(ThawResponse *island, State *states) {
    int d = island->dim;
    if (island->whole)
        thaw_modes_complete(island);
    if (island->whole)
        thaw_modes_begin(island);
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        State *state = states + i;
        double rest[9], taken[9] = {0}, Q[9] = {0};
        for (int32_t s = 0; s < row->slots && island->whole; s++)
            thaw_modes_own_block(island, row, s, taken);
        for (int k = 0; k < d * d; k++)
            rest[k] = row->D[k] - taken[k];
        invert_block(d, row, rest, state);
        if (!island->whole || state->size == 0)
            continue;
        for (int a = 0; a < state->size; a++)
            for (int b = 0; b < state->size; b++)
                for (int r = 0; r < d; r++)
                    for (int c = 0; c < d; c++)
                        Q[d * r + c] += state->C[d * a + r] * state->P[state->size * a + b] * state->E[d * b + c];
        thaw_modes_add(island, row, Q);
    }
    if (island->whole)
        thaw_modes_factor(island);
}

// --- the step --------------------------------------------------------------------------------------------------------

ThawStatus thaw_newton_step(ThawResponse *island, int32_t products, double *residual) {
    int d = island->dim;
    size_t size = (size_t)d * (size_t)island->n;
    State *states = island->buffer[THAW_BUFFER_STATES].data;
    double *memory = island->buffer[THAW_BUFFER_KRYLOV].data;
    Krylov krylov = {.island = island,
                     .states = states,
                     .rows = memory,
                     .speed = memory + size,
                     .image = memory + 2 * size,
                     .basis = memory + 3 * size};
    double *trial = island->trial, *trial_w = island->trial_w;
    memcpy(trial, island->lambda, size * sizeof *trial);
    for (int32_t i = 0; i < island->n; i++) {
        classify(island, island->rows + i, island->w + d * i, trial + d * i, states + i);
        states[i].first = krylov.size;
        krylov.size += states[i].size;
    }
    prepare_preconditioner(island, states);
    ThawStatus status = THAW_OK;
    if (memcmp(trial, island->lambda, size * sizeof *trial) != 0)
        status = thaw_island_multiply(island, trial, island->b, trial_w);
    else
        memcpy(trial_w, island->w, size * sizeof *trial_w);
    if (status < 0)
        return status;
    restrict_rows(&krylov, trial_w, NULL, krylov.basis);
    for (int32_t k = 0; k < krylov.size; k++)
        krylov.basis[k] = -krylov.basis[k];
    double goal = fmax(1e-2, fmin(0.1, 0.1 * island->options->tolerance / *residual));
    status = solve_gmres(&krylov, goal, products - 2);
    if (status < 0)
        return status;
    expand(&krylov, krylov.image, trial);
    // A slide that turned is off the cone by second order: back to its rim.
    for (int32_t i = 0; i < island->n; i++)
        thaw_law_project(d, island->options->friction, island->rows[i].mu, trial + d * i);
    status = thaw_island_multiply(island, trial, island->b, trial_w);
    if (status < 0)
        return status;

    memcpy(island->lambda, trial, size * sizeof *trial);
    memcpy(island->w, trial_w, size * sizeof *trial);
    *residual = thaw_island_residual(island, trial_w, trial);
    return THAW_OK;
}
