// SPDX-License-Identifier: Apache-2.0
// Hyperelastic energy densities and their derivatives, eight deformation gradients at a time.
// vec(F) is column-major: F[i + 3 j] = F_ij. Plane problems (2D) embed F with F_33 = 1: plane strain.
#ifndef THAW_MATERIAL_OPS_H
#define THAW_MATERIAL_OPS_H

#include "math/lanes.h"
#include "thaw/material.h"
#include "thaw/status.h"

enum { THAW_MATERIAL_CONSTANTS = 3 };

// Packed index of the symmetric 9x9 matrix C = d2psi/dF2: entry (a, b) and (b, a), 0 <= a, b < 9.
#define THAW_SYM9(a, b) ((a) >= (b) ? (a) * ((a) + 1) / 2 + (b) : (b) * ((b) + 1) / 2 + (a))
enum { THAW_SYM9_SIZE = 45 };

typedef struct ThawMaterialOps {
    const char *name;
    int needs_orientation; // nonzero: psi is infinite where det F <= 0
    // The constants c that the functions below take, from young, poisson and the model's own options.
    void (*constants)(const ThawMaterialDef *def, double c[THAW_MATERIAL_CONSTANTS]);
    void (*psi)(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes *psi);
    void (*dpsi_dF)(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes P[9]);
    void (*d2psi_dF2)(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes C[THAW_SYM9_SIZE]);
    // P, and the stiffness blocks K_ab,ik = scale sum_jl g_a,j C_(ij)(kl) g_b,l, a >= b, of `count` (2 or 3) shape
    // function gradients g (three lanes each), row-major at K[9 (a (a+1)/2 + b)]: all that assembly needs, without
    // forming C.
    void (*blocks)(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], int count, const ThawLanes *g,
                   ThawLanes scale, ThawLanes P[9], ThawLanes *K);
    // The derivative of P in the direction dF, without forming C.
    void (*dP)(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], const ThawLanes dF[9],
               ThawLanes dP[9]);
} ThawMaterialOps;

// The functions of a model; NULL if out of range.
const ThawMaterialOps *thaw_material_ops(ThawMaterialModel model);

// Refuses a definition whose values are out of range, naming the field, the value and what is allowed.
ThawStatus thaw_material_validate(const ThawMaterialDef *def, ThawError *error);

// The Lame constants of linear elasticity, in Pa: mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu) (1 - 2 nu)).
void thaw_material_lame(const ThawMaterialDef *def, double *mu, double *lambda);

// Whether anything of a cloth differs by direction, or bends and shears otherwise than a plate of its moduli.
static inline int thaw_weave_is_given(const ThawWeave *weave) {
    return weave->weft_young > 0 || weave->shear > 0 || weave->bending[0] > 0;
}

// Replaces C by the nearest positive semi-definite matrix (Frobenius), for isotropic energies: in the principal axes of
// F C falls apart into one 3x3 and three 2x2 blocks. Lanes that are positive already keep their bits.
void thaw_material_project(const ThawLanes F[9], ThawLanes C[THAW_SYM9_SIZE]);

#endif
