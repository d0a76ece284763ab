// SPDX-License-Identifier: Apache-2.0
// A slender cantilever (length ten times its thickness) against Timoshenko's beam: deflection under its small weight
// and first bending frequency, in 3D and (plane strain) in 2D. Linear elements lock: they add stiffness of second order
// in the cell, so 1 / deflection and omega^2 of three meshes are extrapolated, with the order they show. Kuhn's cells
// are alike in y and z; in 3D the beam therefore bends along the diagonal, where the coarse mesh does not couple it to
// other modes.
//
// Deflection: q L^4 / (8 E I) + q L^2 / (2 kappa G A). Frequency: Huang 1961, the clamped-free case, with shear and
// rotary inertia. Plane strain puts E / (1 - nu^2) for E. The swing is measured between zero crossings of the tip;
// backward Euler turns by atan(omega h) in a step, so omega = tan(angle of a step) / h is exact for a linear mode, and
// the second mode dies out within the first period.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/support_physics.h"

static const double LENGTH = 1, THICK = 0.1, WEIGHT = 1e-3; // m, m, m/s^2

typedef struct Beam {
    double deflection, omega; // m, 1/s
} Beam;

static Beam theory(const ThawMaterialDef *m, int dim) {
    double E = dim == 2 ? m->young / (1 - m->poisson * m->poisson) : m->young, G = m->young / (2 * (1 + m->poisson));
    double kappa = dim == 2 ? 5.0 / 6 : 10 * (1 + m->poisson) / (12 + 11 * m->poisson);
    double A = THICK, I = THICK * THICK * THICK / 12; // a unit of width: it cancels
    double q = m->density * A * WEIGHT, L = LENGTH;
    double r2 = I / (A * L * L), s2 = E * I / (kappa * G * A * L * L);
    double low = 2, high = 3.6; // of b = omega sqrt(rho A L^4 / (E I)); 3.516 without shear and rotary inertia
    for (int i = 0; i < 100; i++) {
        double b = (low + high) / 2, root = sqrt((r2 - s2) * (r2 - s2) + 4 / (b * b));
        double alpha = sqrt((root - (r2 + s2)) / 2), beta = sqrt((root + (r2 + s2)) / 2);
        double value = 2 + (b * b * (r2 - s2) * (r2 - s2) + 2) * cosh(b * alpha) * cos(b * beta) -
                       b * (r2 + s2) / sqrt(1 - b * b * r2 * s2) * sinh(b * alpha) * sin(b * beta);
        if (value > 0) // still below the first root
            low = b;
        else
            high = b;
    }
    return (Beam){q * pow(L, 4) / (8 * E * I) + q * L * L / (2 * kappa * G * A),
                  low * sqrt(E * I / (m->density * A * pow(L, 4)))};
}

// The tip's displacement against the weight: along -y in 2D, along the diagonal of -y and -z in 3D.
static double sag(const ThawWorld *world, const PhysicsScene *scene, int32_t tip) {
    int dim = scene->mesh->dim;
    double *x = physics_positions(world), sum = 0;
    for (int k = 1; k < dim; k++)
        sum += scene->mesh->x[tip * dim + k] - x[tip * dim + k];
    free(x);
    return sum / sqrt(dim - 1);
}

// omega from the zero crossings of the tip; about `turn` radians a step.
static double swing(ThawWorld *world, const PhysicsScene *scene, int32_t tip, double turn) {
    double first = 0, last = 0, before = sag(world, scene, tip);
    int crossings = 0, steps = (int)(3.1 * 2 * M_PI / turn);
    for (int i = 0; i < steps; i++) {
        physics_run(world, 1);
        double now = sag(world, scene, tip);
        if (i * turn > 2 * M_PI && before * now < 0) {
            last = i + before / (before - now);
            first = crossings++ ? first : last;
        }
        before = now;
    }
    assert_true(crossings >= 3);
    return tan(M_PI * (crossings - 1) / (last - first)) / scene->world.h;
}

static Beam simulate(int dim, int across, int along, const ThawMaterialDef *material) {
    PhysicsScene *scene = physics_box(dim, LENGTH, THICK, THICK, along, across, across);
    scene->material = *material;
    scene->world.solver_tolerance = 1e-8;
    scene->world.newton_tolerance = 1e-6;
    double turn = 2 * M_PI / 40;
    scene->world.h = tan(turn) / theory(material, dim).omega;
    physics_pin(scene, "x-min");
    ThawWorld *world = physics_world(scene);
    double *m = physics_masses(world), *f = calloc(physics_coordinates(world), sizeof *f);
    assert_non_null(f);
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        for (int k = 1; k < dim; k++)
            f[i * dim + k] = -m[i] * WEIGHT / sqrt(dim - 1);
    assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
    physics_static(world);
    int32_t tip = physics_nearest(scene, LENGTH, THICK / 2, THICK / 2);
    Beam beam = {.deflection = sag(world, scene, tip)};
    assert_int_equal(thaw_world_set_forces(world, 0, NULL), THAW_OK);
    beam.omega = swing(world, scene, tip, turn);
    free(m);
    free(f);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return beam;
}

static void compare_with_theory(int dim, int across, int along, double nu, double allowed) {
    ThawMaterialDef material = thaw_material_def_default();
    material.alpha1 = 0;
    material.poisson = nu;
    material.model = THAW_MATERIAL_STVK;
    Beam exact = theory(&material, dim), beam[3];
    double stiffness[3], square[3], order[2];
    for (int i = 0; i < 3; i++) {
        beam[i] = simulate(dim, across << i, along << i, &material);
        stiffness[i] = exact.deflection / beam[i].deflection;
        square[i] = pow(beam[i].omega / exact.omega, 2);
    }
    Beam limit = {1 / physics_richardson(stiffness, &order[0]), sqrt(physics_richardson(square, &order[1]))};
    print_message("%dD, nu %.2f, %d to %d cells across, over theory:\n", dim, nu, across, across << 2);
    print_message("  deflection %.4f, %.4f, %.4f -> %.4f (order %.2f)\n", 1 / stiffness[0], 1 / stiffness[1],
                  1 / stiffness[2], limit.deflection, order[0]);
    print_message("  frequency  %.4f, %.4f, %.4f -> %.4f (order %.2f)\n", sqrt(square[0]), sqrt(square[1]),
                  sqrt(square[2]), limit.omega, order[1]);
    assert_true(fabs(limit.deflection - 1) < allowed);
    assert_true(fabs(limit.omega - 1) < allowed);
}

static void a_slender_beam_is_timoshenko_s(void **state) {
    (void)state;
#ifdef __OPTIMIZE__
    compare_with_theory(3, 2, 10, 0.3, 0.01);
    compare_with_theory(3, 2, 10, 0.15, 0.01);
#else
    print_message("skipped: too slow without optimisation\n");
    skip();
#endif
}

static void a_triangulated_beam_is_timoshenko_s_in_plane_strain(void **state) {
    (void)state;
    compare_with_theory(2, 2, 20, 0, 0.01);
    compare_with_theory(2, 2, 20, 0.3, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slender_beam_is_timoshenko_s),
        cmocka_unit_test(a_triangulated_beam_is_timoshenko_s_in_plane_strain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
