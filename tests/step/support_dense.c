// SPDX-License-Identifier: Apache-2.0
// A reference that shares nothing with the engine but the definition structs: scalar materials, full matrices, Gaussian
// elimination. Slow (cubic) and hard to get wrong.
//
// With the papers' K = df/dx (negative) and D = -alpha0 M + alpha1 K, the semi-implicit step is equation 5 of the
// solids paper taken literally, for the free coordinates, those of scripted vertices being known:
//     (M - h D - h^2 K) dv = h (D v + f + h K v + f_ext).
// Newton solves the gradient of the incremental potential (shells paper, 3.3), damping linearised at the step's start:
//     M (v1 - v) - h D(x0) v1 - h f(x0 + h v1) - h f_ext = 0.
//
// Stiffness is the derivative of P by a complex step: Im P(F + i e dF) / e, exact to rounding for any small e, because
// no difference is taken. So materials are written once, for complex numbers.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step/dense.h"

typedef double complex Number;

// --- materials -------------------------------------------------------------------------------------------------------

static Number det3(Number F[3][3]) {
    return F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) - F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
           F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
}

// G = det(F) F^-T.
static void cofactor3(Number F[3][3], Number G[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            G[i][j] = F[a][c] * F[b][d] - F[a][d] * F[b][c];
        }
}

// The rotation of F by Higham's iteration R <- (R + R^-T) / 2; needs det F > 0.
static void rotation_of(Number F[3][3], Number R[3][3]) {
    memcpy(R, F, 9 * sizeof **R);
    for (int iteration = 0; iteration < 60; iteration++) {
        Number G[3][3], J = det3(R);
        cofactor3(R, G);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                R[i][j] = (R[i][j] + G[i][j] / J) / 2;
    }
}

static void stress(const ThawMaterialDef *material, Number F[3][3], Number P[3][3]) {
    double E = material->young, nu = material->poisson, mu = E / (2 * (1 + nu)),
           lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    Number G[3][3], R[3][3], J = det3(F), Ic = 0, trace = 0;
    cofactor3(F, G);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Ic += F[i][j] * F[i][j];
    if (material->model == THAW_MATERIAL_STABLE_NEO_HOOKEAN && material->constants == THAW_CONSTANTS_MATCHED) {
        lambda += 5 * mu / 6;
        mu = 4 * mu / 3;
    }
    switch (material->model) {
    case THAW_MATERIAL_STVK: // P = F (2 mu E + lambda tr(E) I)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                P[i][j] = lambda * (Ic - 3) / 2 * F[i][j];
                for (int k = 0; k < 3; k++) {
                    Number E2 = k == j ? -1 : 0; // 2 E_kj
                    for (int l = 0; l < 3; l++)
                        E2 += F[l][k] * F[l][j];
                    P[i][j] += mu * F[i][k] * E2;
                }
            }
        return;
    case THAW_MATERIAL_NEO_HOOKEAN: // P = mu (F - F^-T) + lambda log J F^-T
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                P[i][j] = mu * (F[i][j] - G[i][j] / J) + lambda * clog(J) * G[i][j] / J;
        return;
    case THAW_MATERIAL_STABLE_NEO_HOOKEAN: // P = mu (1 - 1/(Ic+1)) F + lambda (J - alpha) dJ/dF
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                P[i][j] =
                    mu * (1 - 1 / (Ic + 1)) * F[i][j] + lambda * (J - (1 + mu / lambda - mu / (4 * lambda))) * G[i][j];
        return;
    default: // corotational: P = 2 mu (F - R) + lambda tr(R'F - I) R
        rotation_of(F, R);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                trace += R[i][j] * F[i][j];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                P[i][j] = 2 * mu * (F[i][j] - R[i][j]) + lambda * (trace - 3) * R[i][j];
    }
}

// --- elements --------------------------------------------------------------------------------------------------------

typedef struct Element {
    const ThawMaterialDef *material;
    const int32_t *vertex;
    double volume;         // m^3
    double gradient[4][3]; // of the shape functions, 1/m
} Element;

static const ThawMaterialDef *material_of(const Dense *d, int32_t e) {
    int32_t index = d->shape->region_material ? d->shape->region_material[d->mesh->region[e]] : -1;
    return &d->def->materials[index < 0 ? d->shape->material : index];
}

static Element element_at(const Dense *d, int32_t e) {
    int dim = d->mesh->dim;
    Element element = {material_of(d, e), d->mesh->elements + e * (dim + 1), 0, {{0}}};
    Number D[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, G[3][3];
    for (int a = 0; a < dim; a++)
        for (int i = 0; i < dim; i++)
            D[i][a] = d->mesh->x[element.vertex[a + 1] * dim + i] - d->mesh->x[element.vertex[0] * dim + i];
    double det = creal(det3(D));
    cofactor3(D, G);
    for (int a = 0; a < dim; a++)
        for (int i = 0; i < dim; i++) {
            element.gradient[a + 1][i] = creal(G[i][a]) / det;
            element.gradient[0][i] -= element.gradient[a + 1][i];
        }
    element.volume = dim == 2 ? det / 2 * d->shape->thickness : det / 6;
    return element;
}

// F = sum_a x_a grad N_a, and 1 out of plane.
static void deformation(const Dense *d, const Element *element, const double *x, Number F[3][3]) {
    int dim = d->mesh->dim;
    memset(F, 0, 9 * sizeof **F);
    if (dim == 2)
        F[2][2] = 1;
    for (int a = 0; a <= dim; a++)
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                F[i][j] += x[element->vertex[a] * dim + i] * element->gradient[a][j];
}

// f += elastic forces at x; K += stiffness, KD += alpha1 times stiffness (papers' sign: negative), where not NULL.
static void add_elements(const Dense *d, const double *x, double *f, double *K, double *KD) {
    const double step = 1e-40;
    int dim = d->mesh->dim, nodes = dim + 1;
    for (int32_t e = 0; e < d->mesh->element_count; e++) {
        Element element = element_at(d, e);
        Number F[3][3], P[3][3];
        deformation(d, &element, x, F);
        stress(element.material, F, P);
        for (int a = 0; f && a < nodes; a++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    f[element.vertex[a] * dim + i] -= element.volume * creal(P[i][j]) * element.gradient[a][j];
        for (int k = 0; K && k < dim; k++)
            for (int l = 0; l < dim; l++) {
                F[k][l] += I * step;
                stress(element.material, F, P);
                F[k][l] = creal(F[k][l]);
                for (int a = 0; a < nodes; a++)
                    for (int b = 0; b < nodes; b++)
                        for (int i = 0; i < dim; i++)
                            for (int j = 0; j < dim; j++) {
                                double entry = -element.volume * cimag(P[i][j]) / step * element.gradient[a][j] *
                                               element.gradient[b][l];
                                size_t at = (size_t)(element.vertex[a] * dim + i) * (size_t)d->n +
                                            (size_t)(element.vertex[b] * dim + k);
                                K[at] += entry;
                                if (KD)
                                    KD[at] += element.material->alpha1 * entry;
                            }
            }
    }
}

// --- scripts and loads -----------------------------------------------------------------------------------------------

static int in_group(const Dense *d, const ThawGroupDef *group, int32_t vertex) {
    int dim = d->mesh->dim;
    const double *x = d->mesh->x + vertex * dim;
    double square = 0, side = 0, nearest = INFINITY;
    int inside = 1, best = 0;
    for (int k = 0; k < dim; k++) {
        square += (x[k] - group->a[k]) * (x[k] - group->a[k]);
        side += (x[k] - group->a[k]) * group->b[k];
        if (x[k] < group->a[k] || x[k] > group->b[k])
            inside = 0;
    }
    switch (group->select) {
    case THAW_SELECT_ALL:
        return 1;
    case THAW_SELECT_BOX:
        return inside;
    case THAW_SELECT_SPHERE:
        return sqrt(square) <= group->radius;
    case THAW_SELECT_PLANE_SIDE:
        return side >= 0;
    case THAW_SELECT_MESH_GROUP:
        for (int32_t g = 0; g < d->mesh->group_count; g++)
            for (int32_t i = 0; i < d->mesh->groups[g].count; i++)
                if (strcmp(d->mesh->groups[g].name, group->mesh_group) == 0 && d->mesh->groups[g].vertices[i] == vertex)
                    return 1;
        return 0;
    case THAW_SELECT_NEAREST:
        for (int32_t i = 0; i < d->mesh->vertex_count; i++) {
            double distance = 0;
            for (int k = 0; k < dim; k++)
                distance += pow(d->mesh->x[i * dim + k] - group->a[k], 2);
            if (distance < nearest) {
                nearest = distance;
                best = i;
            }
        }
        return vertex == best;
    }
    return 0;
}

static void multiply(const double a[4], const double b[4], double c[4]) {
    double r[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(c, r, sizeof r);
}

// y = q (0, x) q*.
static void turn(const double q[4], const double x[3], double y[3]) {
    double p[4] = {0, x[0], x[1], x[2]}, conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
    multiply(q, p, p);
    multiply(p, conjugate, p);
    memcpy(y, p + 1, 3 * sizeof *y);
}

// a, then the share s of the shorter turn from a to b.
static void turn_between(const double a[4], const double b[4], double s, double q[4]) {
    double inverse[4] = {a[0], -a[1], -a[2], -a[3]}, d[4];
    multiply(b, inverse, d);
    if (d[0] < 0)
        for (int i = 0; i < 4; i++)
            d[i] = -d[i];
    double length = sqrt(d[1] * d[1] + d[2] * d[2] + d[3] * d[3]), angle = s * atan2(length, d[0]);
    double part[4] = {cos(angle), 0, 0, 0};
    for (int i = 1; i < 4 && length > 0; i++)
        part[i] = sin(angle) * d[i] / length;
    multiply(part, a, q);
}

static void scripted_place(const ThawScriptDef *script, int dim, double t, const double *start, double *x) {
    double translation[3] = {0}, rotation[4] = {1, 0, 0, 0}, arm[3] = {0};
    const ThawKey *keys = script->keys;
    int last = script->key_count - 1;
    for (int k = 0; k <= last; k++) {
        if (t < keys[k].time && k > 0)
            break;
        memcpy(translation, keys[k].translation, sizeof translation);
        memcpy(rotation, keys[k].rotation, sizeof rotation);
        if (t > keys[k].time && k < last && t < keys[k + 1].time) {
            double s = (t - keys[k].time) / (keys[k + 1].time - keys[k].time);
            if (script->interpolation == THAW_INTERPOLATE_SMOOTH)
                s = 3 * s * s - 2 * s * s * s;
            for (int i = 0; i < 3; i++)
                translation[i] = (1 - s) * keys[k].translation[i] + s * keys[k + 1].translation[i];
            turn_between(keys[k].rotation, keys[k + 1].rotation, s, rotation);
        }
    }
    for (int i = 0; i < dim; i++)
        arm[i] = start[i] - script->centre[i];
    turn(rotation, arm, arm);
    for (int i = 0; i < dim; i++)
        x[i] = script->centre[i] + arm[i] + translation[i];
}

// Velocities of scripted coordinates into w, flags into fixed.
static void follow_scripts(const Dense *d, double *w, unsigned char *fixed) {
    int dim = d->mesh->dim;
    double h = d->def->h;
    for (int32_t s = 0; s < d->body->script_count; s++) {
        const ThawScriptDef *script = &d->body->scripts[s];
        for (int32_t i = 0; i < d->mesh->vertex_count && d->t + h / 2 < script->release; i++) {
            if (!in_group(d, &d->shape->groups[script->group], i))
                continue;
            double x[3];
            scripted_place(script, dim, d->t + h, d->start + i * dim, x);
            for (int k = 0; k < dim; k++) {
                w[i * dim + k] = (x[k] - d->x[i * dim + k]) / h;
                fixed[i * dim + k] = 1;
            }
        }
    }
}

static void external_forces(const Dense *d, double *f) {
    int dim = d->mesh->dim;
    double middle = d->t + d->def->h / 2;
    for (int i = 0; i < d->n; i++)
        f[i] = d->m[i] * d->def->gravity[i % dim];
    for (int32_t l = 0; l < d->body->force_count; l++) {
        const ThawForceDef *load = &d->body->forces[l];
        const ThawGroupDef *group = &d->shape->groups[load->group];
        double share = middle < load->from || middle >= load->to ? 0 : 1, mass = 0;
        if (load->ramp > 0 && middle - load->from < load->ramp)
            share *= (middle - load->from) / load->ramp;
        for (int32_t i = 0; i < d->mesh->vertex_count; i++)
            mass += in_group(d, group, i) ? d->m[i * dim] : 0;
        for (int32_t i = 0; i < d->mesh->vertex_count; i++)
            for (int k = 0; k < dim && in_group(d, group, i); k++)
                f[i * dim + k] += share * load->value[k] *
                                  (load->kind == THAW_FORCE_PER_VERTEX     ? 1
                                   : load->kind == THAW_FORCE_ACCELERATION ? d->m[i * dim]
                                                                           : d->m[i * dim] / mass);
    }
}

// --- the step --------------------------------------------------------------------------------------------------------

// Solves A y = b for the coordinates that are not fixed, by elimination with partial pivoting; y is 0 at the fixed
// ones.
static int solve(int n, const unsigned char *fixed, const double *A, const double *b, double *y) {
    int m = 0, ok = 1, *id = malloc(sizeof *id * (size_t)n);
    for (int i = 0; i < n; i++)
        if (!fixed[i])
            id[m++] = i;
    double *L = malloc(sizeof *L * (size_t)(m + 1) * (size_t)(m + 1)), *r = malloc(sizeof *r * (size_t)(m + 1));
    for (int i = 0; i < m; i++) {
        r[i] = b[id[i]];
        for (int j = 0; j < m; j++)
            L[i * m + j] = A[(size_t)id[i] * (size_t)n + (size_t)id[j]];
    }
    for (int c = 0; c < m && ok; c++) {
        int pivot = c;
        for (int i = c + 1; i < m; i++)
            pivot = fabs(L[i * m + c]) > fabs(L[pivot * m + c]) ? i : pivot;
        for (int j = c; j < m; j++) {
            double swap = L[c * m + j];
            L[c * m + j] = L[pivot * m + j], L[pivot * m + j] = swap;
        }
        double swap = r[c];
        r[c] = r[pivot], r[pivot] = swap;
        ok = fabs(L[c * m + c]) > 0;
        for (int i = c + 1; i < m && ok; i++) {
            double factor = L[i * m + c] / L[c * m + c];
            for (int j = c; j < m && factor != 0; j++)
                L[i * m + j] -= factor * L[c * m + j];
            r[i] -= factor * r[c];
        }
    }
    memset(y, 0, sizeof *y * (size_t)n);
    for (int i = m - 1; i >= 0 && ok; i--) {
        for (int j = i + 1; j < m; j++)
            r[i] -= L[i * m + j] * y[id[j]];
        y[id[i]] = r[i] / L[i * m + i];
    }
    free(id);
    free(L);
    free(r);
    return ok;
}

// Work space of a step.
typedef struct Work {
    double *K, *KD, *A;                 // n * n
    double *f, *f_ext, *w, *b, *dv, *x; // n
    unsigned char *fixed;               // n
} Work;

// D = -alpha0 M + alpha1 K, element by element, into KD, which holds the second part.
static void add_mass_damping(const Dense *d, double *KD) {
    int dim = d->mesh->dim;
    for (int32_t e = 0; e < d->mesh->element_count; e++) {
        Element element = element_at(d, e);
        double m = element.material->alpha0 * element.material->density * element.volume / (dim + 1);
        for (int a = 0; a <= dim; a++)
            for (int k = 0; k < dim; k++)
                KD[(size_t)(element.vertex[a] * dim + k) * (size_t)(d->n + 1)] -= m;
    }
}

// dv of equation 5. Scripted coordinates change by a known dv, which moves to the right-hand side.
static int semi_implicit(const Dense *d, Work *s) {
    double h = d->def->h;
    size_t n = (size_t)d->n;
    for (size_t i = 0; i < n; i++) {
        double Dv = 0, Kv = 0;
        for (size_t j = 0; j < n; j++) {
            double D = s->KD[i * n + j], K = s->K[i * n + j];
            Dv += D * d->v[j];
            Kv += K * d->v[j];
            s->A[i * n + j] = (i == j ? d->m[i] : 0) - h * D - h * h * K;
        }
        s->b[i] = h * (Dv + s->f[i] + h * Kv + s->f_ext[i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (s->fixed[j])
                s->b[i] -= s->A[i * n + j] * (s->w[j] - d->v[j]);
    int ok = solve(d->n, s->fixed, s->A, s->b, s->dv);
    for (size_t j = 0; j < n; j++)
        if (s->fixed[j])
            s->dv[j] = s->w[j] - d->v[j];
    return ok;
}

// The size of the gradient of the incremental potential at v + dv, which goes into b with its sign turned.
static double gradient(const Dense *d, Work *s, const double *dv) {
    double h = d->def->h, square = 0;
    size_t n = (size_t)d->n;
    for (size_t i = 0; i < n; i++)
        s->x[i] = d->x[i] + h * (d->v[i] + dv[i]);
    memset(s->f, 0, sizeof *s->f * n);
    add_elements(d, s->x, s->f, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        double Dv = 0;
        for (size_t j = 0; j < n; j++)
            Dv += s->KD[i * n + j] * (d->v[j] + dv[j]);
        s->b[i] = h * (s->f[i] + s->f_ext[i] + Dv) - d->m[i] * dv[i];
        square += s->fixed[i] ? 0 : s->b[i] * s->b[i];
    }
    return sqrt(square);
}

// From the semi-implicit dv on: full steps, halved while the gradient does not shrink.
static int newton(const Dense *d, Work *s) {
    size_t n = (size_t)d->n;
    double h = d->def->h, *trial = malloc(sizeof *trial * n), *p = malloc(sizeof *p * n);
    double before = gradient(d, s, s->dv), first = before;
    int ok = 1, done = 0;
    for (int iteration = 0; iteration < 100 && ok && !done; iteration++) {
        memset(s->K, 0, sizeof *s->K * n * n);
        add_elements(d, s->x, NULL, s->K, NULL);
        for (size_t i = 0; i < n * n; i++)
            s->A[i] = (i % (n + 1) == 0 ? d->m[i / (n + 1)] : 0) - h * s->KD[i] - h * h * s->K[i];
        ok = solve(d->n, s->fixed, s->A, s->b, p);
        double size = 0, step = 0, now = INFINITY;
        for (double alpha = 1; ok && alpha > 1e-6 && !(now < before); alpha /= 2) {
            for (size_t i = 0; i < n; i++)
                trial[i] = s->dv[i] + alpha * p[i];
            now = gradient(d, s, trial);
        }
        for (size_t i = 0; i < n; i++) {
            size = fmax(size, fabs(s->dv[i] + d->v[i]));
            step = fmax(step, fabs(p[i]));
        }
        done = step <= 1e-13 * size || before <= 1e-15 * first || before == 0;
        if (now < before)
            memcpy(s->dv, trial, sizeof *trial * n);
        else
            done = ok = step <= 1e-10 * size; // at the limit of rounding, or lost
        before = now < before ? now : before;
        gradient(d, s, s->dv);
    }
    free(trial);
    free(p);
    return ok && done;
}

int dense_step(Dense *d) {
    size_t n = (size_t)d->n;
    double *room = calloc(3 * n * n + 6 * n, sizeof *room);
    double *vectors = room + 3 * n * n;
    Work s = {room,
              room + n * n,
              room + 2 * n * n,
              vectors,
              vectors + n,
              vectors + 2 * n,
              vectors + 3 * n,
              vectors + 4 * n,
              vectors + 5 * n,
              calloc(n, 1)};
    follow_scripts(d, s.w, s.fixed);
    external_forces(d, s.f_ext);
    add_elements(d, d->x, s.f, s.K, s.KD);
    add_mass_damping(d, s.KD);
    int ok = semi_implicit(d, &s);
    if (ok && d->def->integrator == THAW_INTEGRATOR_NEWTON)
        ok = newton(d, &s);
    for (size_t i = 0; i < n && ok; i++) {
        d->v[i] += s.dv[i];
        d->x[i] += d->def->h * d->v[i];
    }
    d->steps += ok;
    d->t = d->steps * d->def->h;
    free(room);
    free(s.fixed);
    return ok;
}

// A = M - h D - h^2 K, b = M v + h (f + f_ext): the same equation, solved for v1 and not for its change.
void dense_linearise(const Dense *d, double *A, double *b) {
    size_t n = (size_t)d->n;
    double h = d->def->h, *K = calloc(2 * n * n + 2 * n, sizeof *K), *D = K + n * n, *f = D + n * n, *f_ext = f + n;
    external_forces(d, f_ext);
    add_elements(d, d->x, f, K, D);
    add_mass_damping(d, D);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = (i == j ? d->m[i] : 0) - h * D[i * n + j] - h * h * K[i * n + j];
        b[i] = d->m[i] * d->v[i] + h * (f[i] + f_ext[i]);
    }
    free(K);
}

Dense dense_create(const ThawWorldDef *def, int body) {
    const ThawBodyDef *b = &def->bodies[body];
    const ThawShapeDef *shape = &def->shapes[b->shape];
    int dim = shape->mesh->dim;
    size_t n = (size_t)(dim * shape->mesh->vertex_count);
    double *room = calloc(4 * n, sizeof *room);
    Dense d = {def, b, shape, shape->mesh, (int)n, 0, 0, room, room + n, room + 2 * n, room + 3 * n};
    double centre[3] = {0}, total = 0;
    for (int32_t e = 0; e < d.mesh->element_count; e++) {
        Element element = element_at(&d, e);
        for (int a = 0; a <= dim; a++)
            for (int k = 0; k < dim; k++)
                d.m[element.vertex[a] * dim + k] += element.material->density * element.volume / (dim + 1);
    }
    for (int32_t i = 0; i < d.mesh->vertex_count; i++) {
        double X[3] = {0};
        memcpy(X, d.mesh->x + i * dim, sizeof *X * (size_t)dim);
        turn(b->rotation, X, X);
        total += d.m[i * dim];
        for (int k = 0; k < dim; k++) {
            d.x[i * dim + k] = d.start[i * dim + k] = X[k] + b->position[k];
            centre[k] += d.m[i * dim] * d.x[i * dim + k];
        }
    }
    for (int32_t i = 0; i < d.mesh->vertex_count; i++) {
        double r[3] = {0};
        const double *w = b->spin;
        for (int k = 0; k < dim; k++)
            r[k] = d.x[i * dim + k] - centre[k] / total;
        double cross[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
        for (int k = 0; k < dim; k++)
            d.v[i * dim + k] = b->velocity[k] + cross[k];
    }
    return d;
}

void dense_free(Dense *d) { free(d->x); }
