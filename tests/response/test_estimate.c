// SPDX-License-Identifier: Apache-2.0
// The impulse of a new contact on its own, against the dense bilateral system that it stands for.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "response/response.h"

enum { MOST = 30 }; // unknowns of both bodies and the impulse

static double next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / (1u << 30) - 1;
}

// M x = b by elimination with pivots.
static void solve(int n, double M[MOST][MOST], double *b) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            p = fabs(M[i][k]) > fabs(M[p][k]) ? i : p;
        for (int j = 0; j < n; j++) {
            double swap = M[k][j];
            M[k][j] = M[p][j], M[p][j] = swap;
        }
        double swap = b[k];
        b[k] = b[p], b[p] = swap;
        for (int i = k + 1; i < n; i++) {
            double f = M[i][k] / M[k][k];
            for (int j = k; j < n; j++)
                M[i][j] -= f * M[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= M[k][j] * b[j];
        b[k] /= M[k][k];
    }
}

// Two bodies of four vertices each: A = B'B + 1, a vertex of one on a face of the other.
typedef struct Pair {
    int dim, n;
    double A[MOST][MOST], v[MOST], z[MOST];
    double J[3][MOST]; // relative velocity at the contact, world axes
    ThawContact contact;
} Pair;

static void make_pair(Pair *p, int dim, uint64_t *seed) {
    double B[MOST][MOST], length = 0;
    *p = (Pair){.dim = dim, .n = 8 * dim, .contact = {.nodes = {1, dim}}};
    for (int i = 0; i < p->n; i++) {
        p->v[i] = next(seed);
        p->z[i] = next(seed);
        for (int j = 0; j < p->n; j++)
            B[i][j] = next(seed);
    }
    int half = p->n / 2;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            p->A[i][j] = i == j;
            for (int k = 0; k < p->n && i / half == j / half; k++)
                p->A[i][j] += B[k][i] * B[k][j];
        }
    double weight[3] = {dim == 3 ? 0.2 : 0.35, dim == 3 ? 0.3 : 0.65, 0.5};
    for (int k = 0; k < dim; k++) {
        p->J[k][k] = 1;
        for (int a = 0; a < dim; a++)
            p->J[k][half + a * dim + k] = -weight[a];
        p->contact.frame[0][k] = next(seed);
        length += p->contact.frame[0][k] * p->contact.frame[0][k];
    }
    for (int k = 0; k < dim; k++)
        p->contact.frame[0][k] /= sqrt(length);
}

// What thaw_response_estimate is given: u = J (v + A^-1 z), S = J A^-1 J'.
static void reduce(const Pair *p, double *u, double *S) {
    for (int c = -1; c < p->dim; c++) {
        double M[MOST][MOST], b[MOST];
        memcpy(M, p->A, sizeof M);
        memcpy(b, c < 0 ? p->z : p->J[c], sizeof b);
        solve(p->n, M, b);
        for (int k = 0; k < p->dim; k++) {
            double sum = 0;
            for (int i = 0; i < p->n; i++)
                sum += p->J[k][i] * (b[i] + (c < 0 ? p->v[i] : 0));
            *(c < 0 ? &u[k] : &S[k * p->dim + c]) = sum;
        }
    }
}

static void a_contact_on_its_own_gets_the_impulse_of_the_bilateral_system(void **state) {
    (void)state;
    uint64_t seed = 7;
    int pushed = 0, pulled = 0;
    for (int trial = 0; trial < 200; trial++) {
        Pair p;
        int dim = 2 + trial % 2;
        double h = 0.01, u[3], S[9], M[MOST][MOST], b[MOST];
        make_pair(&p, dim, &seed);
        p.contact.gap = trial % 3 == 0 ? 0.004 * (next(&seed) + 1) : -0.01;
        reduce(&p, u, S);
        // (A, -n'J; n'J, 0) (dv, lambda) = (z, -n'J v - Phi/h)
        memcpy(M, p.A, sizeof M);
        memcpy(b, p.z, sizeof b);
        b[p.n] = -fmax(0, p.contact.gap) / h;
        M[p.n][p.n] = 0;
        for (int i = 0; i < p.n; i++) {
            double row = 0;
            for (int k = 0; k < dim; k++)
                row += p.contact.frame[0][k] * p.J[k][i];
            M[p.n][i] = row;
            M[i][p.n] = -row;
            b[p.n] -= row * p.v[i];
        }
        solve(p.n + 1, M, b);
        double lambda = thaw_response_estimate(dim, h, &p.contact, u, S);
        pushed += b[p.n] > 0;
        pulled += b[p.n] < 0;
        assert_true(fabs(lambda - fmax(0, b[p.n])) < 1e-9 * (1 + fabs(b[p.n])));
    }
    assert_true(pushed > 20 && pulled > 20);
}

static void what_cannot_be_moved_or_does_not_come_nearer_gets_nothing(void **state) {
    (void)state;
    ThawContact contact = {.frame = {{0, 0, 1}}};
    double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5}, none[9] = {0};
    assert_true(thaw_response_estimate(3, 0.01, &contact, (double[]){0, 0, -2}, S) == 4);
    assert_true(thaw_response_estimate(3, 0.01, &contact, (double[]){0, 0, 2}, S) == 0);
    assert_true(thaw_response_estimate(3, 0.01, &contact, (double[]){5, 5, 0}, S) == 0);
    assert_true(thaw_response_estimate(3, 0.01, &contact, (double[]){0, 0, -2}, none) == 0);
    contact.gap = 0.03; // it does not arrive in this step
    assert_true(thaw_response_estimate(3, 0.01, &contact, (double[]){0, 0, -2}, S) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_on_its_own_gets_the_impulse_of_the_bilateral_system),
        cmocka_unit_test(what_cannot_be_moved_or_does_not_come_nearer_gets_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
