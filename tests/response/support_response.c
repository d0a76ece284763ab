// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "response/support_response.h"

double island_random(uint64_t *seed) {
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double island_sign(uint64_t *seed) { return 2 * island_random(seed) - 1; }

static ThawStatus dense_compliance(void *context, const ThawBlockRows *J, ThawPorts *ports, double *H) {
    (void)ports;
    const DenseBody *body = context;
    const size_t d = (size_t)body->dim, n = d * (size_t)body->nv, m = d * (size_t)J->count;
    for (size_t i = 0; i < m; i++)
        for (size_t j = i; j < m; j++) {
            double sum = 0;
            for (int32_t a = J->start[i / d]; a < J->start[i / d + 1]; a++)
                for (int32_t b = J->start[j / d]; b < J->start[j / d + 1]; b++)
                    for (size_t r = 0; r < d; r++)
                        for (size_t c = 0; c < d; c++)
                            sum += J->value[((size_t)a * d + i % d) * d + r] *
                                   J->value[((size_t)b * d + j % d) * d + c] *
                                   body->inverse[((size_t)J->col[a] * d + r) * n + (size_t)J->col[b] * d + c];
            H[i * m + j] = H[j * m + i] = sum;
        }
    return THAW_OK;
}

// Every third vertex is asked for, but none that cannot be moved stands for others, nor others for it.
static ThawStatus dense_blocks(void *context, int32_t count, const int32_t *vertices, int32_t *from, double *S) {
    const DenseBody *body = context;
    const size_t d = (size_t)body->dim, n = d * (size_t)body->nv;
    for (int32_t k = 0, last = -1; k < count; k++) {
        int moves = body->inverse[(size_t)vertices[k] * d * (n + 1)] > 0;
        if (moves && (last < 0 || k % 3 == 0))
            last = k;
        from[k] = moves ? last : k;
        size_t at = (size_t)vertices[from[k]] * d;
        for (size_t i = 0; i < d * d; i++)
            S[(size_t)k * d * d + i] = body->inverse[(at + i / d) * n + at + i % d];
    }
    return THAW_OK;
}

static ThawMotions dense_modes(void *context, int32_t count, const int32_t *vertices, double *B);

static ThawStatus dense_apply(void *context, const double *impulse, double *dv) {
    const DenseBody *body = context;
    size_t n = (size_t)body->dim * (size_t)body->nv;
    memset(dv, 0, n * sizeof *dv);
    for (size_t j = 0; j < n; j++)
        if (impulse[j] != 0)
            for (size_t i = 0; i < n; i++)
                dv[i] += body->inverse[j * n + i] * impulse[j];
    return THAW_OK;
}

Island *island_create(int dim, double h) {
    Island *island = calloc(1, sizeof *island);
    island->dim = dim;
    island->contacts = calloc(ISLAND_CONTACTS, sizeof *island->contacts);
    island->index = calloc(ISLAND_CONTACTS, sizeof *island->index);
    island->options = (ThawResponseOptions){.dim = dim, .h = h, .tolerance = 1e-6, .iterations = 500, .form = 1};
    return island;
}

void island_free(Island *island) {
    for (int32_t b = 0; b < island->body_count; b++) {
        free(island->dense[b].x);
        free(island->dense[b].v);
        free(island->dense[b].inverse);
        free(island->dense[b].whole);
        free(island->dense[b].stiff);
    }
    free(island->contacts);
    free(island->index);
    free(island);
}

static DenseBody *add_dense(Island *island, int32_t nv) {
    int32_t b = island->body_count++;
    size_t n = (size_t)island->dim * (size_t)nv;
    DenseBody *body = island->dense + b;
    *body = (DenseBody){.dim = island->dim,
                        .nv = nv,
                        .x = calloc(n, sizeof(double)),
                        .v = calloc(n, sizeof(double)),
                        .inverse = calloc(n * n, sizeof(double))};
    island->bodies[b] = (ThawResponseBody){.context = body,
                                           .body = 3 * b, // gaps between indices are allowed
                                           .compliance = dense_compliance,
                                           .blocks = dense_blocks,
                                           .apply = dense_apply,
                                           .modes = dense_modes,
                                           .v = body->v,
                                           .nv = nv,
                                           .apply_cost = 2.0 * (double)(n * n),
                                           .compliance_cost = 9.0 * (double)nv};
    return body;
}

// The inverse of a symmetric positive definite matrix, in place.
static void invert(size_t n, double *A) {
    for (size_t k = 0; k < n; k++) { // Gauss and Jordan, no pivots needed
        double pivot = 1 / A[k * n + k];
        A[k * n + k] = 1;
        for (size_t j = 0; j < n; j++)
            A[k * n + j] *= pivot;
        for (size_t i = 0; i < n; i++) {
            double factor = A[i * n + k];
            if (i == k || factor == 0)
                continue;
            A[i * n + k] = 0;
            for (size_t j = 0; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
}

// R L^-T with R the velocities of rigid motions about the middle at every vertex (6 columns) and R'MR = L L'.
static double *rigid_motions(const DenseBody *body) {
    int d = body->dim, q = d == 3 ? 6 : 3;
    double L[6][6], centre[3] = {0}, m = body->mass / body->nv;
    size_t n = (size_t)d * (size_t)body->nv;
    double *G = calloc(n * 6, sizeof *G);
    for (int32_t i = 0; i < body->nv; i++)
        for (int k = 0; k < d; k++)
            centre[k] += body->x[d * i + k] / body->nv;
    for (int32_t i = 0; i < body->nv; i++) {
        double r[3] = {0};
        for (int k = 0; k < d; k++) {
            r[k] = body->x[d * i + k] - centre[k];
            G[(size_t)(d * i + k) * 6 + (size_t)k] = 1;
        }
        double *row = G + (size_t)(d * i) * 6;
        if (d == 2) {
            row[2] = -r[1];
            row[6 + 2] = r[0];
        } else { // v = w x r
            row[4] = r[2], row[5] = -r[1];
            row[6 + 3] = -r[2], row[6 + 5] = r[0];
            row[12 + 3] = r[1], row[12 + 4] = -r[0];
        }
    }
    for (int a = 0; a < q; a++)
        for (int b = 0; b <= a; b++) {
            L[a][b] = 0;
            for (size_t i = 0; i < n; i++)
                L[a][b] += m * G[i * 6 + (size_t)a] * G[i * 6 + (size_t)b];
            for (int k = 0; k < b; k++)
                L[a][b] -= L[a][k] * L[b][k];
            L[a][b] = a == b ? sqrt(L[a][a]) : L[a][b] / L[b][b];
        }
    for (size_t i = 0; i < n; i++) // G L^-T
        for (int a = 0; a < q; a++) {
            for (int k = 0; k < a; k++)
                G[i * 6 + (size_t)a] -= L[a][k] * G[i * 6 + (size_t)k];
            G[i * 6 + (size_t)a] /= L[a][a];
        }
    return G;
}

static ThawMotions dense_modes(void *context, int32_t count, const int32_t *vertices, double *B) {
    const DenseBody *body = context;
    size_t block = (size_t)body->dim * THAW_MODE_COUNT;
    for (int32_t v = 0; v < count && B && body->motions != THAW_MOTIONS_NONE; v++)
        memcpy(B + block * (size_t)v, body->whole + block * (size_t)vertices[v], block * sizeof *B);
    return body->motions;
}

static void make_rigid(DenseBody *body) {
    size_t n = (size_t)body->dim * (size_t)body->nv;
    const double *G = body->whole;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t a = 0; a < 6; a++)
                body->inverse[i * n + j] += G[i * 6 + a] * G[j * 6 + a];
}

int32_t island_add_body(Island *island, int32_t nv, const double *x, double mass, double stiffness, double reach) {
    int d = island->dim;
    double h = island->options.h;
    DenseBody *body = add_dense(island, nv);
    memcpy(body->x, x, (size_t)(d * nv) * sizeof *x);
    body->mass = mass;
    body->motions = stiffness == 0 ? THAW_MOTIONS_ALL : THAW_MOTIONS_SOME;
    body->whole = rigid_motions(body);
    if (stiffness == 0) {
        make_rigid(body);
        return island->body_count - 1;
    }
    size_t n = (size_t)d * (size_t)nv;
    double *A = body->inverse;
    for (size_t i = 0; i < n; i++)
        A[i * n + i] = mass / nv;
    for (int32_t i = 0; i < nv; i++)
        for (int32_t j = i + 1; j < nv; j++) {
            double e[3] = {0}, length = 0;
            for (int k = 0; k < d; k++) {
                e[k] = x[d * j + k] - x[d * i + k];
                length += e[k] * e[k];
            }
            length = sqrt(length);
            if (length > reach)
                continue;
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++) {
                    double value = h * h * stiffness * e[r] * e[c] / (length * length);
                    A[(size_t)(d * i + r) * n + (size_t)(d * i + c)] += value;
                    A[(size_t)(d * j + r) * n + (size_t)(d * j + c)] += value;
                    A[(size_t)(d * i + r) * n + (size_t)(d * j + c)] -= value;
                    A[(size_t)(d * j + r) * n + (size_t)(d * i + c)] -= value;
                }
        }
    invert(n, A);
    return island->body_count - 1;
}

int32_t island_add_random(Island *island, int32_t nv, double condition, uint64_t *seed) {
    int d = island->dim;
    DenseBody *body = add_dense(island, nv);
    size_t n = (size_t)d * (size_t)nv;
    // Reflections of a diagonal matrix: Q D Q' with eigenvalues between 1/condition and 1.
    double *A = body->inverse, *u = calloc(n, sizeof *u), *Au = calloc(n, sizeof *Au);
    for (size_t i = 0; i < n; i++)
        A[i * n + i] = pow(condition, -island_random(seed));
    for (int reflection = 0; reflection < 4; reflection++) {
        double square = 0, uAu = 0;
        for (size_t i = 0; i < n; i++) {
            u[i] = island_sign(seed);
            square += u[i] * u[i];
        }
        for (size_t i = 0; i < n; i++)
            u[i] /= sqrt(square);
        for (size_t i = 0; i < n; i++) {
            Au[i] = 0;
            for (size_t j = 0; j < n; j++)
                Au[i] += A[i * n + j] * u[j];
            uAu += u[i] * Au[i];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                A[i * n + j] += 4 * uAu * u[i] * u[j] - 2 * (u[i] * Au[j] + Au[i] * u[j]);
    }
    body->mass = 1;
    for (size_t i = 0; i < n; i++)
        body->v[i] = island_sign(seed);
    free(u);
    free(Au);
    return island->body_count - 1;
}

ThawContact *island_add_contact(Island *island, int32_t a, int32_t vertex, int32_t b, const int32_t *others,
                                const double *weights, const double *normal) {
    int d = island->dim;
    island->index[island->count] = island->count;
    ThawContact *contact = island->contacts + island->count++;
    *contact = (ThawContact){.key = {.body = {3 * a, b < 0 ? -1 : 3 * b}, .kind = b >= 0, .feature = {vertex}},
                             .nodes = {1, b < 0 ? 0 : 3},
                             .vertex = {{vertex}},
                             .weight = {{1}},
                             .stiffness = INFINITY,
                             .is_new = 1};
    for (int k = 0; k < 3 && b >= 0; k++) {
        contact->vertex[1][k] = others[k];
        contact->weight[1][k] = weights[k];
    }
    if (b >= 0 && weights[2] == 0) // an edge's point
        contact->nodes[1] = 2;
    double(*R)[3] = contact->frame, size = 0;
    for (int k = 0; k < d; k++)
        size += normal[k] * normal[k];
    for (int k = 0; k < d; k++)
        R[0][k] = normal[k] / sqrt(size);
    if (d == 2) {
        R[1][0] = -R[0][1];
        R[1][1] = R[0][0];
        R[2][2] = 1;
        return contact;
    }
    int least = fabs(R[0][0]) < fabs(R[0][1]) ? 0 : 1;
    least = fabs(R[0][2]) < fabs(R[0][least]) ? 2 : least;
    double square = 1 - R[0][least] * R[0][least];
    for (int k = 0; k < 3; k++)
        R[1][k] = ((k == least) - R[0][least] * R[0][k]) / sqrt(square);
    for (int k = 0; k < 3; k++)
        R[2][k] = R[0][(k + 1) % 3] * R[1][(k + 2) % 3] - R[0][(k + 2) % 3] * R[1][(k + 1) % 3];
    return contact;
}

void island_fall(Island *island, double g) {
    for (int32_t b = 0; b < island->body_count; b++)
        for (int32_t i = 0; i < island->dense[b].nv; i++)
            island->dense[b].v[island->dim * i + island->dim - 1] -= island->options.h * g;
}

Island *island_stack(int dim, double h, int boxes, int cells, double stiffness, double ratio, double k, double mu) {
    Island *island = island_create(dim, h);
    int edge = cells + 1, layer = dim == 3 ? edge * edge : edge, nv = layer * edge;
    double *x = calloc((size_t)(dim * nv), sizeof *x), up[3] = {0};
    up[dim - 1] = 1;
    for (int box = 0; box < boxes; box++) {
        for (int i = 0; i < nv; i++) {
            int place[3] = {i % edge, i / edge % edge, i / layer};
            x[dim * i] = (double)place[0] / cells;
            x[dim * i + dim - 1] = box + (double)(i / layer) / cells;
            if (dim == 3)
                x[3 * i + 1] = (double)place[1] / cells;
        }
        int32_t b = island_add_body(island, nv, x, pow(ratio, box), stiffness, 1.5 / cells);
        for (int i = 0; i < layer; i++) {
            // Vertices of the bottom, against a point of the top of the box below, a little inside its triangle.
            int corner = layer * cells + i, side = i % edge == cells ? -1 : 1;
            int across = dim == 3 ? (i / edge == cells ? -edge : edge) : 0;
            int32_t others[3] = {corner, corner + side, corner + across};
            double weights[3] = {0.9, dim == 3 ? 0.05 : 0.1, dim == 3 ? 0.05 : 0};
            ThawContact *contact = island_add_contact(island, b, i, b - 1, others, weights, up);
            contact->stiffness = k;
            contact->friction = mu;
        }
    }
    free(x);
    return island;
}

Island *island_random_problem(uint64_t seed) {
    uint64_t s = seed;
    int dim = island_random(&s) < 0.5 ? 2 : 3, bodies = 1 + (int)(3 * island_random(&s));
    Island *island = island_create(dim, 0.01);
    for (int b = 0; b < bodies; b++) {
        int32_t nv = 4 + (int32_t)(8 * island_random(&s));
        if (island_random(&s) < 0.5) {
            island_add_random(island, nv, 100, &s);
            continue;
        }
        double x[60];
        for (int k = 0; k < dim * nv; k++)
            x[k] = island_sign(&s);
        int32_t body = island_add_body(island, nv, x, 0.1 + 0.8 * island_random(&s), 0, 0); // rigid: H is singular
        for (int k = 0; k < dim * nv; k++)
            island->dense[body].v[k] = k % dim == dim - 1 ? -1 : 0.3;
    }
    int count = 1 + (int)(20 * island_random(&s)), hard = island_random(&s) < 0.5;
    for (int c = 0; c < count; c++) {
        int32_t a = (int32_t)(bodies * island_random(&s)), b = (int32_t)((bodies + 1) * island_random(&s)) - 1;
        // A body may touch itself, but not a rigid one: nothing could give way.
        if (a == b && (island->dense[a].mass < 1 || island_random(&s) < 0.8))
            b = -1;
        if (b > a) {
            int32_t swap = a;
            a = b;
            b = swap;
        }
        int32_t nv = island->dense[a].nv, first = 0, others[3];
        double weights[3], sum = 0, normal[3];
        for (int k = 0; k < 3; k++) {
            weights[k] = 0.05 + island_random(&s);
            sum += weights[k];
            normal[k] = island_sign(&s);
            normal[k] += (k == dim - 1) * 1.5;
        }
        if (b >= 0)
            first = (int32_t)((island->dense[b].nv - 2) * island_random(&s));
        for (int k = 0; k < 3; k++) {
            others[k] = first + k;
            weights[k] /= sum;
        }
        int32_t vertex = (int32_t)(nv * island_random(&s));
        if (a == b) // one body against itself: not a vertex against its own face
            vertex = first + 3 < nv ? first + 3 : first > 0 ? first - 1 : 3;
        ThawContact *contact = island_add_contact(island, a, vertex, b, others, weights, normal);
        contact->friction = island_random(&s) < 0.2 ? 0 : 0.8 * island_random(&s);
        contact->gap = 0.01 * (island_random(&s) - 0.8);
        contact->stiffness = hard ? INFINITY : pow(10, 2 + 4 * island_random(&s));
        contact->damping = hard ? 0 : 10 * island_random(&s);
        contact->drift[0] = 1e-3 * island_sign(&s);
        contact->drift[1] = dim == 3 ? 1e-3 * island_sign(&s) : 0;
        contact->lambda[0] = island_random(&s) < 0.5 ? 0 : 0.2 * island_random(&s);
        for (int k = 0; k < dim && b < 0; k++)
            contact->velocity[k] = 0.3 * island_sign(&s);
    }
    return island;
}

Island *island_heap(int bodies, int32_t nv, int count) {
    uint64_t seed = 7;
    Island *island = island_create(3, 0.01);
    for (int b = 0; b < bodies; b++)
        island_add_random(island, nv, 100, &seed);
    for (int c = 0; c < count; c++) {
        int32_t a = c * bodies / count, first = (int32_t)((nv - 2) * island_random(&seed));
        int32_t others[3] = {first, first + 1, first + 2};
        double weights[3] = {0.5, 0.25, 0.25}, normal[3] = {island_sign(&seed), island_sign(&seed), 1.5};
        ThawContact *contact = island_add_contact(island, a, c % nv, c % 2 ? a - 1 : -1, others, weights, normal);
        contact->stiffness = 1e3;
        contact->friction = 0.5;
        contact->gap = -0.01 * island_random(&seed);
    }
    return island;
}

static ThawStatus dense_stiffen(void *context, const ThawBlockRows *J, const double *K) {
    DenseBody *body = context;
    const size_t d = (size_t)body->dim, n = d * (size_t)body->nv;
    if (!body->stiff)
        body->stiff = calloc(n * n, sizeof *body->stiff);
    memcpy(body->stiff, body->inverse, n * n * sizeof *body->stiff);
    invert(n, body->stiff);
    for (int32_t c = 0; c < J->count; c++)
        for (int32_t a = J->start[c]; a < J->start[c + 1]; a++)
            for (int32_t b = J->start[c]; b < J->start[c + 1]; b++)
                for (size_t i = 0; i < d * d * d * d; i++) {
                    const size_t r = i % d, s = i / d % d, k = i / d / d % d, l = i / d / d / d;
                    body->stiff[((size_t)J->col[a] * d + r) * n + (size_t)J->col[b] * d + s] +=
                        J->value[(d * (size_t)a + k) * d + r] * K[d * d * (size_t)c + d * k + l] *
                        J->value[(d * (size_t)b + l) * d + s];
                }
    invert(n, body->stiff);
    return THAW_OK;
}

static ThawStatus dense_apply_stiff(void *context, const double *impulse, double *dv) {
    DenseBody stiff = *(const DenseBody *)context;
    stiff.inverse = stiff.stiff;
    return dense_apply(&stiff, impulse, dv);
}

void island_make_thin(Island *island) {
    for (int32_t b = 0; b < island->body_count; b++) {
        island->bodies[b].thin = 1;
        island->bodies[b].stiffen = dense_stiffen;
        island->bodies[b].apply_stiff = dense_apply_stiff;
        island->bodies[b].stiffen_cost = 10 * island->bodies[b].apply_cost;
    }
}

ThawStatus island_solve(Island *island, ThawTasks *tasks, ThawResponseInfo *info) {
    ThawResponse *response;
    ThawStatus status = thaw_response_create(&response, NULL);
    if (status < 0)
        return status;
    status = thaw_response_solve(response, &island->options, tasks, island->bodies, island->body_count,
                                 island->contacts, island->index, island->count, info, NULL);
    thaw_response_free(&response);
    return status;
}

void island_velocity(const Island *island, int32_t b, double *v) {
    const DenseBody *body = island->dense + b;
    size_t n = (size_t)body->dim * (size_t)body->nv;
    double *f = calloc(n, sizeof *f);
    response_impulses(island->dim, island->contacts, island->index, island->count, 3 * b, f);
    for (size_t i = 0; i < n; i++) {
        long double sum = body->v[i];
        for (size_t j = 0; j < n; j++)
            sum += (long double)body->inverse[i * n + j] * f[j];
        v[i] = (double)sum;
    }
    free(f);
}

void island_w(const Island *island, double *w) {
    int d = island->dim;
    double *v[ISLAND_BODIES];
    for (int32_t b = 0; b < island->body_count; b++) {
        v[b] = calloc((size_t)(d * island->dense[b].nv), sizeof **v);
        island_velocity(island, b, v[b]);
    }
    for (int32_t i = 0; i < island->count; i++) {
        const ThawContact *contact = island->contacts + i;
        double k_b, gamma, k_t, gamma_t, u[3] = {0};
        thaw_response_compliance(&island->options, contact, &k_b, &gamma);
        thaw_response_tangent(&island->options, contact, &k_t, &gamma_t);
        if (contact->two_sided) { // a spring and a damper at the end of the step, the same along all axes
            k_b = k_t = contact->stiffness / (island->options.h * contact->stiffness + contact->damping);
            gamma = gamma_t = k_b / (contact->stiffness * island->options.h);
        }
        for (int k = 0; k < d; k++) {
            u[k] = -contact->velocity[k];
            for (int side = 0; side < 2; side++)
                for (int32_t c = 0; c < contact->nodes[side]; c++)
                    u[k] += (side ? -1 : 1) * contact->weight[side][c] *
                            v[contact->key.body[side] / 3][d * contact->vertex[side][c] + k];
        }
        for (int r = 0; r < d; r++) {
            double value = r ? k_t * contact->drift[r - 1] + gamma_t * contact->lambda[r]
                             : k_b * contact->gap + gamma * contact->lambda[0];
            for (int k = 0; k < d; k++)
                value += contact->frame[r][k] * u[k];
            w[d * i + r] = value;
        }
    }
    for (int32_t b = 0; b < island->body_count; b++)
        free(v[b]);
}

int32_t island_offender(const Island *island, double slack) {
    int32_t offender = -1;
    int d = island->dim;
    double *w = calloc((size_t)(3 * island->count), sizeof *w), force = 1e-12, speed = 1;
    island_w(island, w);
    for (int32_t i = 0; i < island->count; i++)
        force = island->contacts[i].two_sided ? force : fmax(force, fabs(island->contacts[i].lambda[0]));
    for (int32_t i = 0; i < island->count; i++) {
        const ThawContact *contact = island->contacts + i;
        double *wi = w + d * i, n = contact->lambda[0], mu = contact->friction;
        double lt[2] = {contact->lambda[1], d == 3 ? contact->lambda[2] : 0}, wt[2] = {wi[1], d == 3 ? wi[2] : 0};
        double slip = hypot(wt[0], wt[1]), friction = hypot(lt[0], lt[1]);
        int good = n >= 0 && wi[0] >= -slack * speed && fmin(n / force, fabs(wi[0]) / speed) <= slack;
        if (d == 3 && island->options.friction == THAW_FRICTION_BOX) {
            for (int k = 0; k < 2; k++) {
                good &= fabs(lt[k]) <= mu * n * (1 + 1e-12);
                if (fabs(wt[k]) > slack * speed)
                    good &= fabs(lt[k] + copysign(mu * n, wt[k])) <= slack * force;
            }
        } else {
            good &= friction <= mu * n * (1 + 1e-12);
            if (slip > 100 * slack * speed)
                good &= hypot(lt[0] + mu * n * wt[0] / slip, lt[1] + mu * n * wt[1] / slip) <= slack * force * 100;
        }
        if (contact->two_sided)
            good = hypot(wi[0], slip) <= slack * speed;
        if (!good && offender < 0)
            offender = i;
    }
    free(w);
    return offender;
}

void response_slip(const ThawResponseOptions *options, const ThawContact *contact, double drift[2]) {
    double k_t, gamma_t;
    thaw_response_tangent(options, contact, &k_t, &gamma_t);
    for (int k = 0; k < 2; k++)
        drift[k] = gamma_t > 0 ? -gamma_t / k_t * contact->lambda[1 + k] : 0.0;
}

void response_impulses(int dim, const ThawContact *contacts, const int32_t *index, int32_t count, int32_t body,
                       double *impulse) {
    for (int32_t i = 0; i < count; i++) {
        const ThawContact *contact = contacts + index[i];
        for (int side = 0; side < 2; side++) {
            if (contact->key.body[side] != body)
                continue;
            for (int c = 0; c < dim; c++) {
                double sum = 0.0;
                for (int r = 0; r < dim; r++)
                    sum += contact->frame[r][c] * contact->lambda[r];
                for (int32_t k = 0; k < contact->nodes[side]; k++)
                    impulse[dim * contact->vertex[side][k] + c] +=
                        (side ? -contact->weight[side][k] : contact->weight[side][k]) * sum;
            }
        }
    }
}
