// SPDX-License-Identifier: Apache-2.0
// The linear equations of one Newton step over an island, with H only multiplied with: they serve both forms.
//
// Each contact has up to dim unknowns d and as many equations (island.h): lambda = base + C d, and
//     E (H + gamma) C d + K d = -E w,
// C, E and K of a contact its own. Newton's method on the law (newton.c) and on its smoothed form (interior.c) differ
// in what they put there.
//
// Solved by GMRES (gmres.c), right-preconditioned by each contact's own block and the whole motions of
// the bodies together (modes.c): exactly where bodies are rigid. H may be singular (more contacts than freedoms): then
// many d are as good, and a share `near` of each block is added to K, which keeps d small where nothing else decides
// and changes no solution, since d is 0 there.
#include <math.h>
#include <string.h>

#include "response/island.h"

ThawStatus thaw_krylov_reserve(ThawResponse *island) {
    double *krylov;
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_LINKS, island->n, &island->links);
    if (status < 0)
        return status;
    status = thaw_modes_plan(island);
    if (status < 0)
        return status;
    // Basis, one preconditioned vector, two vectors over rows, and those of interior.c.
    size_t size = (size_t)island->dim * (size_t)island->n;
    status = THAW_TAKE(island, THAW_BUFFER_KRYLOV,
                       (THAW_GMRES_MOST + 4) * size + (size_t)THAW_INTERIOR_DOUBLES * (size_t)island->n, &krylov);
    island->interior = krylov + (THAW_GMRES_MOST + 4) * size;
    return status;
}

static double own_entry(int d, const ThawLink *link, const double *D, int i, int j) {
    double sum = 0.0;
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
            sum += link->E[d * i + r] * D[d * r + c] * link->C[d * j + c];
    return sum;
}

// P = (E rest C + K)^-1 by elimination with pivoting, `near` of its own block added to K; the identity scaled where
// that fails.
static void invert(int d, const ThawRow *row, const double *rest, double near, ThawLink *link) {
    int m = link->size;
    double A[3][6] = {{0}}, largest = 0.0;
    for (int i = 0; i < m; i++) {
        link->K[(m + 1) * i] += near * fabs(own_entry(d, link, row->D, i, i));
        for (int j = 0; j < m; j++) {
            A[i][j] = own_entry(d, link, rest, i, j) + link->K[m * i + j];
            largest = fmax(largest, fabs(A[i][j]));
        }
    }
    for (int i = 0; i < m; i++)
        A[i][m + i] = 1.0;
    int fine = 1;
    for (int k = 0; k < m && fine; k++) {
        int pivot = k;
        for (int i = k + 1; i < m; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k]))
                pivot = i;
        fine = fabs(A[pivot][k]) > 1e-30 * largest;
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
            link->P[m * i + j] = fine ? A[i][m + j] / A[i][i] : i == j ? row->rho[0] : 0.0;
}

// --- GMRES -----------------------------------------------------------------------------------------------------------

typedef struct Krylov {
    ThawResponse *island;
    const ThawLink *links;
    int32_t size;         // unknowns
    double *basis;        // (THAW_GMRES_MOST + 1) size
    double *image;        // size: preconditioned vector
    double *rows, *speed; // dim n
} Krylov;

static void apply_own(const ThawLink *link, const double *x, double *y) {
    int m = link->size;
    for (int r = 0; r < m; r++) {
        double sum = 0.0;
        for (int c = 0; c < m; c++)
            sum += link->P[m * r + c] * x[c];
        y[r] = sum;
    }
}

// z += B' C y of one contact.
THAW_INLINE void to_motions(const int d, const ThawResponse *island, int32_t i, const ThawLink *link, const double *y,
                            double *z) {
    const ThawRow *row = island->rows + i;
    double lambda[3] = {0};
    for (int m = 0; m < link->size; m++)
        for (int k = 0; k < d; k++)
            lambda[k] += link->C[d * m + k] * y[m];
    for (int32_t s = 0; s < row->slots; s++) {
        const double *B = thaw_row_modes(island, row, s);
        double *to = z + (size_t)THAW_MODE_LANES * (size_t)row->part[s];
        for (int r = 0; r < d; r++)
            for (int k = 0; k < THAW_MODE_LANES; k++)
                to[k] += B[THAW_MODE_LANES * r + k] * lambda[r];
    }
}

// y -= P E B z of one contact.
THAW_INLINE void from_motions(const int d, const ThawResponse *island, int32_t i, const ThawLink *link, const double *z,
                              double *y) {
    const ThawRow *row = island->rows + i;
    double w[3] = {0}, e[3] = {0}, change[3];
    for (int32_t s = 0; s < row->slots; s++) {
        const double *B = thaw_row_modes(island, row, s);
        const double *from = z + (size_t)THAW_MODE_LANES * (size_t)row->part[s];
        for (int r = 0; r < d; r++)
            for (int k = 0; k < THAW_MODE_COUNT; k++)
                w[r] += B[THAW_MODE_LANES * r + k] * from[k];
    }
    for (int m = 0; m < link->size; m++)
        for (int k = 0; k < d; k++)
            e[m] += link->E[d * m + k] * w[k];
    apply_own(link, e, change);
    for (int m = 0; m < link->size; m++)
        y[m] -= change[m];
}

// y = (Gamma + U V')^-1 x (modes.c).
static void precondition(const Krylov *krylov, const double *x, double *y) {
    ThawResponse *island = krylov->island;
    const ThawLink *links = krylov->links;
    double *z = island->motion_scratch;
    for (int32_t i = 0; i < island->n; i++)
        apply_own(links + i, x + links[i].first, y + links[i].first);
    if (!island->whole)
        return;
    memset(z, 0, (size_t)THAW_MODE_LANES * (size_t)island->body_count * sizeof *z);
    for (int32_t i = 0; i < island->n; i++)
        if (links[i].size > 0 && island->dim == 3)
            to_motions(3, island, i, links + i, y + links[i].first, z);
        else if (links[i].size > 0)
            to_motions(2, island, i, links + i, y + links[i].first, z);
    thaw_modes_solve(island, z);
    for (int32_t i = 0; i < island->n; i++)
        if (links[i].size > 0 && island->dim == 3)
            from_motions(3, island, i, links + i, z, y + links[i].first);
        else if (links[i].size > 0)
            from_motions(2, island, i, links + i, z, y + links[i].first);
}

// rows += C d.
static void expand(const Krylov *krylov, const double *d, double *rows) {
    int dim = krylov->island->dim;
    for (int32_t i = 0; i < krylov->island->n; i++) {
        const ThawLink *link = krylov->links + i;
        for (int m = 0; m < link->size; m++)
            for (int k = 0; k < dim; k++)
                rows[dim * i + k] += link->C[dim * m + k] * d[link->first + m];
    }
}

// out = E w (+ K d).
static void restrict_rows(const Krylov *krylov, const double *w, const double *d, double *out) {
    int dim = krylov->island->dim;
    for (int32_t i = 0; i < krylov->island->n; i++) {
        const ThawLink *link = krylov->links + i;
        for (int m = 0; m < link->size; m++) {
            double sum = 0.0;
            for (int k = 0; k < link->size && d; k++)
                sum += link->K[link->size * m + k] * d[link->first + k];
            for (int k = 0; k < dim; k++)
                sum += link->E[dim * m + k] * w[dim * i + k];
            out[link->first + m] = sum;
        }
    }
}

// y = (E (H + gamma) C + K) P^-1 x, one of GMRES's products.
static ThawStatus multiply(void *context, int32_t step, const double *x, double *y) {
    Krylov *krylov = context;
    (void)step;
    precondition(krylov, x, krylov->image);
    memset(krylov->rows, 0, (size_t)krylov->island->dim * (size_t)krylov->island->n * sizeof(double));
    expand(krylov, krylov->image, krylov->rows);
    ThawStatus status = thaw_island_multiply(krylov->island, krylov->rows, NULL, krylov->speed);
    if (status >= 0)
        restrict_rows(krylov, krylov->speed, krylov->image, y);
    return status;
}

// Each contact's own block, less what the motions account for, and the motions' factor with Q = C P E of every contact.
static void prepare_preconditioner(ThawResponse *island, double near) {
    int d = island->dim;
    if (island->whole) {
        thaw_modes_complete(island);
        thaw_modes_begin(island);
    }
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        ThawLink *link = island->links + i;
        double rest[9], taken[9] = {0}, Q[9] = {0};
        for (int32_t s = 0; s < row->slots && island->whole; s++)
            thaw_modes_own_block(island, row, s, taken);
        for (int k = 0; k < d * d; k++)
            rest[k] = row->D[k] - taken[k];
        invert(d, row, rest, near, link);
        if (!island->whole || link->size == 0)
            continue;
        for (int a = 0; a < link->size; a++)
            for (int b = 0; b < link->size; b++)
                for (int r = 0; r < d; r++)
                    for (int c = 0; c < d; c++)
                        Q[d * r + c] += link->C[d * a + r] * link->P[link->size * a + b] * link->E[d * b + c];
        thaw_modes_add(island, row, Q);
    }
    if (island->whole)
        thaw_modes_factor(island);
}

ThawStatus thaw_krylov_solve(ThawResponse *island, const double *w, double near, double goal, int32_t products,
                             double *lambda) {
    size_t size = (size_t)island->dim * (size_t)island->n;
    double *memory = island->buffer[THAW_BUFFER_KRYLOV].data;
    Krylov krylov = {.island = island,
                     .links = island->links,
                     .rows = memory,
                     .speed = memory + size,
                     .image = memory + 2 * size,
                     .basis = memory + 3 * size};
    for (int32_t i = 0; i < island->n; i++) {
        island->links[i].first = krylov.size;
        krylov.size += island->links[i].size;
    }
    prepare_preconditioner(island, near);
    restrict_rows(&krylov, w, NULL, krylov.basis);
    for (int32_t k = 0; k < krylov.size; k++)
        krylov.basis[k] = -krylov.basis[k];
    const ThawGmres problem = {krylov.size, krylov.basis, &krylov, multiply};
    double share[THAW_GMRES_MOST], *sum = krylov.basis + (size_t)THAW_GMRES_MOST * (size_t)krylov.size;
    int32_t used; // at most THAW_GMRES_MOST: no combination needs the last vector, and the sum goes there
    ThawStatus status = thaw_gmres(&problem, goal, products, share, &used);
    if (status != THAW_OK)
        return status;
    thaw_gmres_sum(krylov.size, krylov.basis, share, used, sum);
    precondition(&krylov, sum, krylov.image);
    expand(&krylov, krylov.image, lambda);
    return THAW_OK;
}
