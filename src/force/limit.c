// SPDX-License-Identifier: Apache-2.0
// Strain limits of sheets (shells paper, section 4.3, by another way): an energy of the two principal stretches s of a
// triangle, the singular values of F2 = [f1 f2], on top of its membrane. Where the paper clamps s after the solve and
// moves vertices, here a triangle resists: pins, contacts, parts, momentum and energy are what they are of any force.
//
// Half way from 1 to a limit, w = |limit - 1|/2 before it, the resistance begins; with u = (s - 1 - w)/w, E Young's
// modulus (k, of the stiffest direction),
//     f(s) = E w^2 b(u),    b = u^3 / (1 - u),    b' = 1/(1 - u)^2 - 2u - 1,    b'' = 2/(1 - u)^3 - 2,
// which begins with no curvature and would end at the limit; from u = `most` on it goes on as the parabola that fits
// there, 16000 times as stiff as the material, so that any state has an energy, and steps that go too far come
// back. Stretches below a lower limit are the same, mirrored. A tension of E w times b'(1) is what reaches the limit.
//
// With F2 = sum_i s_i u_i v_i' and the normal n, P = sum_i f'(s_i) u_i v_i', and the second derivative has the
// eigenvectors and values (Smith, de Goes, Kim 2019, for three rows and two columns)
//     u_i v_i': f''(s_i);  (u_1 v_2' + u_2 v_1')/sqrt 2: (f'(s_1) - f'(s_2))/(s_1 - s_2);
//     (u_1 v_2' - u_2 v_1')/sqrt 2: (f'(s_1) + f'(s_2))/(s_1 + s_2);  n v_i': f'(s_i)/s_i,
// each of which is at least 0 when projected. Damping is alpha1 times the part with f'': none in rigid motion.
//
// Cost for eight triangles of which none is near a limit: 60 operations and the gather; else about 600 with stiffness.
#include <math.h>
#include <string.h>

#include "force/kernel.h"
#include "force/pass.h"
#include "force/sheet.h"
#include "math/mat3.h"
#include "model/model.h"

enum { MODULUS, UPPER, LOWER }; // of the constants; a limit of 0: none
enum { MODES = 6 };
static const double most = 0.95;  // of u
static const double small = 1e-8; // stretches count as that at least where they divide
static const double equal = 1e-6; // two stretches that differ by less, relative, count as one
static const double half_root = 0.70710678118654752440;

void thaw_limit_constants(const ThawMaterial *material, double thickness, double factor, double *c) {
    (void)thickness;
    c[MODULUS] = factor * fmax(material->young, material->weave.weft_young);
    c[UPPER] = material->strain_limits[1];
    c[LOWER] = material->strain_limits[0];
}

// --- one stretch -----------------------------------------------------------------------------------------------------

typedef struct Resistance {
    ThawLanes energy, slope, curve; // f, f', f''
} Resistance;

// Adds what one limit does; side 1: above, -1: below.
static void add_limit(ThawLanes s, ThawLanes modulus, ThawLanes limit, double side, Resistance *r) {
    const ThawLanes zero = thaw_lanes_set(0), one = thaw_lanes_set(1), end = thaw_lanes_set(most);
    const ThawLaneMask none = ~(ThawLaneMask)(limit > zero);
    const ThawLanes w = thaw_lanes_select(none, one, 0.5 * side * (limit - one));
    ThawLanes u = thaw_lanes_max((side * (s - one) - w) / w, zero);
    u = thaw_lanes_select(none, zero, u);
    const ThawLanes t = -thaw_lanes_max(-u, -end), over = u - t, rest = 1.0 / (one - t);
    const ThawLanes b2 = 2.0 * rest * rest * rest - 2.0, b1 = rest * rest - 2.0 * t - 1.0;
    r->energy += modulus * w * w * (t * t * t * rest + b1 * over + 0.5 * b2 * over * over);
    r->slope += side * modulus * w * (b1 + b2 * over);
    r->curve += modulus * b2;
}

static Resistance resist(const ThawBatch *batch, ThawLanes s) {
    Resistance r = {thaw_lanes_set(0), thaw_lanes_set(0), thaw_lanes_set(0)};
    add_limit(s, batch->c[MODULUS], batch->c[UPPER], 1, &r);
    add_limit(s, batch->c[MODULUS], batch->c[LOWER], -1, &r);
    return r;
}

// --- a triangle ------------------------------------------------------------------------------------------------------

typedef struct Stretch {
    ThawLanes s[2], u[2][3], v[2][2], n[3];
    Resistance f[2];
} Stretch;

// v1 of F2'F2 = [a b; b c]: of (half + r, b) and (b, r - half) the longer one.
static void principal(ThawLanes a, ThawLanes b, ThawLanes c, ThawLanes v[2][2]) {
    const ThawLanes half = 0.5 * (a - c), r = thaw_lanes_sqrt(half * half + b * b), one = thaw_lanes_set(1);
    const ThawLaneMask wide = ~(ThawLaneMask)(half < 0), round = ~(ThawLaneMask)(r > 0);
    ThawLanes x = thaw_lanes_select(wide, half + r, b), y = thaw_lanes_select(wide, b, r - half);
    x = thaw_lanes_select(round, one, x);
    y = thaw_lanes_select(round, 0 * one, y);
    const ThawLanes length = thaw_lanes_sqrt(x * x + y * y);
    v[0][0] = x / length, v[0][1] = y / length;
    v[1][0] = -v[0][1], v[1][1] = v[0][0];
}

// Where the mask is set a unit at right angles to the unit a.
static void across(ThawLaneMask mask, const ThawLanes a[3], ThawLanes b[3]) {
    const ThawLaneMask flat = (ThawLaneMask)(thaw_lanes_abs(a[0]) < 0.7);
    const ThawLanes zero = thaw_lanes_set(0),
                    length = thaw_lanes_sqrt(thaw_lanes_select(flat, 1 - a[0] * a[0], 1 - a[1] * a[1]));
    const ThawLanes unit[3] = {thaw_lanes_select(flat, zero, a[2] / length),
                               thaw_lanes_select(flat, -a[2] / length, zero),
                               thaw_lanes_select(flat, a[1] / length, -a[0] / length)};
    for (int i = 0; i < 3; i++)
        b[i] = thaw_lanes_select(mask, unit[i], b[i]);
}

// Stretches and their resistance; 0 where no lane has any.
static int stretch_of(const ThawBatch *batch, const double *x, Stretch *to) {
    ThawLanes d[3][3], F[9];
    gather_edges(batch, 3, 3, x, d);
    gradient_of(batch, 3, 3, d, 0, F);
    principal(thaw_lanes_dot3(F, F), thaw_lanes_dot3(F, F + 3), thaw_lanes_dot3(F + 3, F + 3), to->v);
    ThawLanes any = thaw_lanes_set(0);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            to->u[k][i] = F[i] * to->v[k][0] + F[3 + i] * to->v[k][1];
        to->s[k] = thaw_lanes_sqrt(thaw_lanes_dot3(to->u[k], to->u[k]));
        to->f[k] = resist(batch, to->s[k]);
        any += to->f[k].energy;
    }
    if (!thaw_lanes_any((ThawLaneMask)(any > 0)))
        return 0;
    for (int k = 0; k < 2; k++) {
        const ThawLaneMask none = ~(ThawLaneMask)(to->s[k] > small);
        for (int i = 0; i < 3; i++)
            to->u[k][i] = thaw_lanes_select(none, thaw_lanes_set(i == 0), to->u[k][i] / to->s[k]);
    }
    across(~(ThawLaneMask)(to->s[1] > small), to->u[0], to->u[1]);
    thaw_lanes_cross3(to->u[0], to->u[1], to->n);
    return 1;
}

// dpsi/dF2, the third column 0.
static void stress_of(const Stretch *at, ThawLanes P[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++)
            P[i + 3 * j] = at->f[0].slope * at->u[0][i] * at->v[0][j] + at->f[1].slope * at->u[1][i] * at->v[1][j];
        P[6 + i] = thaw_lanes_set(0);
    }
}

// Eigenvectors of the second derivative and their values; the first two are what damps.
static void modes_of(const Stretch *at, int project, ThawLanes mode[MODES][6], ThawLanes value[MODES]) {
    const ThawLanes zero = thaw_lanes_set(0), least = thaw_lanes_set(small);
    const ThawLanes *f1 = &at->f[0].slope, *f2 = &at->f[1].slope;
    const ThawLanes sum = at->s[0] + at->s[1], gap = at->s[0] - at->s[1]; // s1 is the larger
    const ThawLaneMask one = ~(ThawLaneMask)(gap > equal * sum);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++) {
            const int r = i + 3 * j;
            const ThawLanes first = half_root * at->u[0][i] * at->v[1][j],
                            second = half_root * at->u[1][i] * at->v[0][j];
            mode[0][r] = at->u[0][i] * at->v[0][j];
            mode[1][r] = at->u[1][i] * at->v[1][j];
            mode[2][r] = first + second;
            mode[3][r] = first - second;
            mode[4][r] = at->n[i] * at->v[0][j];
            mode[5][r] = at->n[i] * at->v[1][j];
        }
    value[0] = at->f[0].curve;
    value[1] = at->f[1].curve;
    value[2] = thaw_lanes_select(one, 0.5 * (at->f[0].curve + at->f[1].curve),
                                 (*f1 - *f2) / thaw_lanes_select(one, least, gap));
    value[3] = (*f1 + *f2) / thaw_lanes_max(sum, least);
    value[4] = *f1 / thaw_lanes_max(at->s[0], least);
    value[5] = *f2 / thaw_lanes_max(at->s[1], least);
    for (int m = 0; m < MODES && project; m++)
        value[m] = thaw_lanes_max(value[m], zero);
}

// --- passes ----------------------------------------------------------------------------------------------------------

void thaw_limit_energy(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes sum = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        Stretch at;
        if (stretch_of(batch, pass->x, &at))
            sum += batch->weight * (at.f[0].energy + at.f[1].energy);
    }
    pass->partial[chunk] = sum_lanes(sum);
}

void thaw_limit_looking(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    thaw_limit_energy(context, chunk);
    pass->partial[pass->set->chunk_count + chunk] = 0;
}

void thaw_limit_force(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes P[9];
        Stretch at;
        if (!stretch_of(batch, pass->x, &at))
            continue;
        stress_of(&at, P);
        scatter_force(batch, 3, 3, -batch->weight, P, pass->y);
    }
    pass->partial[chunk] = 0;
}

void thaw_limit_linearise(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes P[9], C[THAW_SYM9_SIZE], K[3 * 9], blocks[6 * 9], mode[MODES][6], value[MODES];
        Stretch at;
        if (!stretch_of(batch, pass->x, &at))
            continue; // sinks add, and there is nothing to be added
        stress_of(&at, P);
        modes_of(&at, pass->scale.project, mode, value);
        memset(C, 0, sizeof C);
        for (int m = 0; m < MODES; m++) {
            ThawLanes scale = pass->scale.stiffness * value[m];
            if (m < 2)
                scale += pass->scale.damping * batch->alpha1 * at.f[m].curve;
            for (int r = 0; r < 6; r++)
                for (int c = 0; c <= r; c++)
                    C[THAW_SYM9(r, c)] += scale * mode[m][r] * mode[m][c];
        }
        contract_blocks(batch, 2, C, batch->weight, K);
        scatter_force(batch, 3, 3, -batch->weight, P, pass->y);
        complete_blocks(3, 3, K, blocks);
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = 0;
}

void thaw_limit_product(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes whole = thaw_lanes_set(0), damped = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes d[3][3], dF[9], dP[9], mode[MODES][6], value[MODES];
        Stretch at;
        if (!stretch_of(batch, pass->x, &at))
            continue;
        gather_edges(batch, 3, 3, pass->u, d);
        gradient_of(batch, 3, 3, d, 0, dF);
        modes_of(&at, pass->scale.project, mode, value);
        memset(dP, 0, sizeof dP);
        for (int m = 0; m < MODES; m++) {
            ThawLanes rate = thaw_lanes_set(0), scale = pass->scale.stiffness * value[m];
            for (int r = 0; r < 6; r++)
                rate += mode[m][r] * dF[r];
            whole += batch->weight * value[m] * rate * rate;
            if (m < 2) {
                scale += pass->scale.damping * batch->alpha1 * at.f[m].curve;
                damped += batch->weight * batch->alpha1 * at.f[m].curve * rate * rate;
            }
            for (int r = 0; r < 6; r++)
                dP[r] += scale * rate * mode[m][r];
        }
        scatter_force(batch, 3, 3, batch->weight, dP, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(whole);
    pass->partial[2 * chunk + 1] = sum_lanes(damped);
}

// V tau = V P F' = V sum_i f'(s_i) s_i u_i u_i'. Damping is none in rigid motion.
void thaw_limit_virial(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; pass->group_of_vertex && b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes tau[9];
        int32_t group[THAW_LANES];
        Stretch at;
        if (!thaw_groups_by_vertices(pass, batch, group) || !stretch_of(batch, pass->x, &at))
            continue;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                tau[i + 3 * k] = batch->weight * (at.f[0].slope * at.s[0] * at.u[0][i] * at.u[0][k] +
                                                  at.f[1].slope * at.s[1] * at.u[1][i] * at.u[1][k]);
        virial_add(pass->virial, thaw_lanes_set(0), group, tau, pass->sums);
    }
}
