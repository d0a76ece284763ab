// SPDX-License-Identifier: Apache-2.0
// The kinds of elements there are: linear simplices that fill their space, and those of sheets (sheet.h). With edge
// vectors D = [X1-X0, ..., Xd-X0] the gradients of shape functions 1..d are the rows of D^-1, constant over the
// element: one integration point.
#include "model/element.h"
#include "math/vec3.h"

#include "force/fibre.h"
#include "force/sheet.h"
#include "force/solid.h"
#include "model/model.h"

static void rest_triangle(const double *X, double *weight, double *gradient) {
    double a[2], b[2]; // edges from node 0
    for (int i = 0; i < 2; i++) {
        a[i] = X[2 + i] - X[i];
        b[i] = X[4 + i] - X[i];
    }
    double det = a[0] * b[1] - a[1] * b[0];
    *weight = det / 2;
    gradient[0] = b[1] / det;
    gradient[1] = -b[0] / det;
    gradient[2] = -a[1] / det;
    gradient[3] = a[0] / det;
}

static void rest_tetrahedron(const double *X, double *weight, double *gradient) {
    double e[3][3]; // edges from node 0
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e[a][i] = X[3 * (a + 1) + i] - X[i];
    // Row a of D^-1 is the cross product of the other two edges over the determinant.
    for (int a = 0; a < 3; a++)
        thaw_v3_cross(e[(a + 1) % 3], e[(a + 2) % 3], gradient + 3 * a);
    double det = 0;
    for (int i = 0; i < 3; i++)
        det += e[0][i] * gradient[i];
    *weight = det / 6;
    for (int i = 0; i < 9; i++)
        gradient[i] /= det;
}

static const ThawElementOps TRIANGLE = {.name = "triangle",
                                        .space = 2,
                                        .dim = 2,
                                        .nodes = 3,
                                        .points = 1,
                                        .rest = rest_triangle,
                                        .energy = thaw_solid_energy_2d,
                                        .energy_looking = thaw_solid_energy_looking_2d,
                                        .inverted = thaw_solid_inverted_2d,
                                        .force = thaw_solid_force_2d,
                                        .linearise = thaw_solid_linearise_2d,
                                        .product = thaw_solid_product_2d,
                                        .virial = thaw_solid_virial_2d,
                                        .stress = thaw_solid_stress_2d,
                                        .strain = thaw_solid_strain_2d};

static const ThawElementOps TETRAHEDRON = {.name = "tetrahedron",
                                           .space = 3,
                                           .dim = 3,
                                           .nodes = 4,
                                           .points = 1,
                                           .rest = rest_tetrahedron,
                                           .energy = thaw_solid_energy_3d,
                                           .energy_looking = thaw_solid_energy_looking_3d,
                                           .inverted = thaw_solid_inverted_3d,
                                           .force = thaw_solid_force_3d,
                                           .linearise = thaw_solid_linearise_3d,
                                           .product = thaw_solid_product_3d,
                                           .virial = thaw_solid_virial_3d,
                                           .stress = thaw_solid_stress_3d,
                                           .strain = thaw_solid_strain_3d};

// Moduli of plane stress along warp and weft.
static void woven_constants(const ThawMaterial *material, double thickness, double factor,
                            double c[THAW_ELEMENT_CONSTANTS_MAX]) {
    (void)thickness;
    double C[6];
    thaw_material_moduli(material, C);
    c[0] = factor * C[0], c[1] = factor * C[1], c[2] = factor * C[2], c[3] = factor * C[5];
}

static void lengths_constants(const ThawMaterial *material, double thickness, double factor,
                              double c[THAW_ELEMENT_CONSTANTS_MAX]) {
    c[0] = factor * (material->edge_stiffness / thickness);
    c[1] = factor * (material->area_stiffness / thickness);
}

static const ThawElementOps MEMBRANE = {.name = "membrane",
                                        .space = 3,
                                        .dim = 2,
                                        .nodes = 3,
                                        .points = 1,
                                        .rest = thaw_membrane_rest,
                                        .energy = thaw_membrane_energy_plane,
                                        .energy_looking = thaw_membrane_looking_plane,
                                        .inverted = thaw_sheet_inverted,
                                        .force = thaw_membrane_force_plane,
                                        .linearise = thaw_membrane_linearise_plane,
                                        .product = thaw_membrane_product_plane,
                                        .virial = thaw_membrane_virial_plane,
                                        .stress = thaw_membrane_stress_plane,
                                        .strain = thaw_sheet_strain};

static const ThawElementOps FIXED_MEMBRANE = {.name = "membrane of fixed thickness",
                                              .space = 3,
                                              .dim = 2,
                                              .nodes = 3,
                                              .points = 1,
                                              .rest = thaw_membrane_rest,
                                              .energy = thaw_membrane_energy_fixed,
                                              .energy_looking = thaw_membrane_looking_fixed,
                                              .inverted = thaw_sheet_inverted,
                                              .force = thaw_membrane_force_fixed,
                                              .linearise = thaw_membrane_linearise_fixed,
                                              .product = thaw_membrane_product_fixed,
                                              .virial = thaw_membrane_virial_fixed,
                                              .stress = thaw_membrane_stress_fixed,
                                              .strain = thaw_sheet_strain};

static const ThawElementOps WOVEN = {.name = "woven membrane",
                                     .space = 3,
                                     .dim = 2,
                                     .nodes = 3,
                                     .points = 1,
                                     .constants = woven_constants,
                                     .rest = thaw_membrane_rest,
                                     .energy = thaw_membrane_energy_woven,
                                     .energy_looking = thaw_membrane_looking_woven,
                                     .inverted = thaw_sheet_inverted,
                                     .force = thaw_membrane_force_woven,
                                     .linearise = thaw_membrane_linearise_woven,
                                     .product = thaw_membrane_product_woven,
                                     .virial = thaw_membrane_virial_woven,
                                     .stress = thaw_membrane_stress_woven,
                                     .strain = thaw_sheet_strain};

static const ThawElementOps LENGTHS = {.name = "membrane of lengths",
                                       .space = 3,
                                       .dim = 2,
                                       .nodes = 3,
                                       .points = 1,
                                       .constants = lengths_constants,
                                       .rest = thaw_membrane_rest,
                                       .energy = thaw_membrane_energy_lengths,
                                       .energy_looking = thaw_membrane_looking_lengths,
                                       .inverted = thaw_sheet_inverted,
                                       .force = thaw_membrane_force_lengths,
                                       .linearise = thaw_membrane_linearise_lengths,
                                       .product = thaw_membrane_product_lengths,
                                       .virial = thaw_membrane_virial_lengths,
                                       .stress = thaw_membrane_stress_lengths,
                                       .strain = thaw_sheet_strain};

static const ThawElementOps PRESSURE = {.name = "pressure",
                                        .space = 3,
                                        .dim = 2,
                                        .nodes = 3,
                                        .points = 1,
                                        .damps_itself = 1,
                                        .pushes_parts = 1,
                                        .energy = thaw_pressure_energy,
                                        .energy_looking = thaw_pressure_looking,
                                        .inverted = thaw_sheet_inverted,
                                        .force = thaw_pressure_force,
                                        .linearise = thaw_pressure_linearise,
                                        .product = thaw_pressure_product,
                                        .virial = thaw_pressure_virial,
                                        .stress = thaw_bending_stress};

static const ThawElementOps LIMIT = {.name = "strain limit",
                                     .space = 3,
                                     .dim = 2,
                                     .nodes = 3,
                                     .points = 1,
                                     .damps_itself = 1,
                                     .constants = thaw_limit_constants,
                                     .energy = thaw_limit_energy,
                                     .energy_looking = thaw_limit_looking,
                                     .inverted = thaw_sheet_inverted,
                                     .force = thaw_limit_force,
                                     .linearise = thaw_limit_linearise,
                                     .product = thaw_limit_product,
                                     .virial = thaw_limit_virial,
                                     .stress = thaw_bending_stress};

static const ThawElementOps BENDING = {.name = "bending",
                                       .space = 3,
                                       .dim = 2,
                                       .nodes = 6,
                                       .points = 1,
                                       .rest_size = 15,
                                       .damps_itself = 1,
                                       .energy = thaw_bending_energy_near,
                                       .energy_looking = thaw_bending_looking_near,
                                       .inverted = thaw_sheet_inverted,
                                       .force = thaw_bending_force_near,
                                       .linearise = thaw_bending_linearise_near,
                                       .product = thaw_bending_product_near,
                                       .virial = thaw_bending_virial_near,
                                       .stress = thaw_bending_stress};

static const ThawElementOps WIDE_BENDING = {.name = "bending, wide",
                                            .space = 3,
                                            .dim = 2,
                                            .nodes = 12,
                                            .points = 1,
                                            .rest_size = 45,
                                            .damps_itself = 1,
                                            .energy = thaw_bending_energy_wide,
                                            .energy_looking = thaw_bending_looking_wide,
                                            .inverted = thaw_sheet_inverted,
                                            .force = thaw_bending_force_wide,
                                            .linearise = thaw_bending_linearise_wide,
                                            .product = thaw_bending_product_wide,
                                            .virial = thaw_bending_virial_wide,
                                            .stress = thaw_bending_stress};

static const ThawElementOps PLANE_FIBRE = {.name = "fibres of a triangle",
                                           .space = 2,
                                           .dim = 2,
                                           .nodes = 3,
                                           .points = 1,
                                           .rest_size = 2,
                                           .damps_itself = 1,
                                           .constants = thaw_fibre_constants,
                                           .energy = thaw_fibre_energy_2d,
                                           .energy_looking = thaw_fibre_looking_2d,
                                           .inverted = thaw_sheet_inverted,
                                           .force = thaw_fibre_force_2d,
                                           .linearise = thaw_fibre_linearise_2d,
                                           .product = thaw_fibre_product_2d,
                                           .virial = thaw_fibre_virial_2d,
                                           .stress = thaw_bending_stress};

static const ThawElementOps FIBRE = {.name = "fibres of a tetrahedron",
                                     .space = 3,
                                     .dim = 3,
                                     .nodes = 4,
                                     .points = 1,
                                     .rest_size = 3,
                                     .damps_itself = 1,
                                     .constants = thaw_fibre_constants,
                                     .energy = thaw_fibre_energy_3d,
                                     .energy_looking = thaw_fibre_looking_3d,
                                     .inverted = thaw_sheet_inverted,
                                     .force = thaw_fibre_force_3d,
                                     .linearise = thaw_fibre_linearise_3d,
                                     .product = thaw_fibre_product_3d,
                                     .virial = thaw_fibre_virial_3d,
                                     .stress = thaw_bending_stress};

const ThawElementOps *thaw_element_fibre(int dim) { return dim == 2 ? &PLANE_FIBRE : &FIBRE; }

static const ThawElementOps *const KINDS[] = {&TRIANGLE, &TETRAHEDRON};

const ThawElementOps *thaw_element_kind(int space, int dim, int nodes) {
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (KINDS[i]->space == space && KINDS[i]->dim == dim && KINDS[i]->nodes == nodes)
            return KINDS[i];
    return NULL;
}

const ThawElementOps *thaw_element_membrane(ThawMembrane membrane) {
    static const ThawElementOps *const forms[] = {[THAW_MEMBRANE_PLANE_STRESS] = &MEMBRANE,
                                                  [THAW_MEMBRANE_FIXED_THICKNESS] = &FIXED_MEMBRANE,
                                                  [THAW_MEMBRANE_WOVEN] = &WOVEN,
                                                  [THAW_MEMBRANE_LENGTHS] = &LENGTHS};
    return forms[membrane];
}

const ThawElementOps *thaw_element_pressure(void) { return &PRESSURE; }

const ThawElementOps *thaw_element_limit(void) { return &LIMIT; }

const ThawElementOps *thaw_element_bending(int wide) { return wide ? &WIDE_BENDING : &BENDING; }
