// SPDX-License-Identifier: Apache-2.0
// How a rigid part turns: against theory and against a fine integration of Euler's equations.
#include "map/parts.h"
#include "math/vec3.h"

// A part without vertices, with given principal moments and angular velocity, turned by some R.
static ThawPart spinning(const double moments[3], const double omega[3]) {
    ThawPart part = {.hold = THAW_HOLD_FREE, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    part.inertia.mass = 2;
    for (int i = 0; i < 3; i++) {
        part.inertia.second[4 * i] = moments[i];
        part.L[i] = moments[i] * omega[i];
        part.P[i] = 0.1 * (i + 1);
    }
    return part;
}

static void step(ThawPart *part, int dim, double h) {
    double v[3], omega[3];
    thaw_part_velocity(part, dim, v, omega);
    thaw_part_advance(part, dim, h, v, omega, part, NULL);
}

static void check_rotation(const double R[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += R[k + 3 * i] * R[k + 3 * j];
            assert_true(fabs(sum - (i == j)) <= 1e-15 * 4);
        }
}

// The wing nut: spin about the middle axis turns over again and again.
static const double MOMENTS[3] = {1, 2, 3}, SPIN[3] = {0.01, 5, 0.02};

static void tumbling_keeps_angular_momentum_and_energy_to_round_off(void **state) {
    (void)state;
    static const double moments[][3] = {{1, 2, 3}, {0.01, 1, 1.005}, {1, 1, 1.99}, {1e-8, 2e-8, 2.5e-8}};
    static const double h[] = {0.001, 0.01, 0.3};
    double largest = 0;
    for (int m = 0; m < COUNT(moments); m++)
        for (int s = 0; s < COUNT(h); s++) {
            ThawPart part = spinning(moments[m], (double[]){0.3, 5, -0.2});
            memset(part.P, 0, sizeof part.P);
            double L[3], energy = thaw_part_kinetic(&part, 3), flips = 0, sign = 1, worst = 0;
            memcpy(L, part.L, sizeof L);
            for (int i = 0; i < 10000; i++) {
                step(&part, 3, h[s]);
                flips += part.R[4] * sign < 0;
                sign = part.R[4] * sign < 0 ? -sign : sign;
                worst = fmax(worst, fabs(thaw_part_kinetic(&part, 3) / energy - 1));
            }
            assert_true(worst <= 1e-12);
            largest = fmax(largest, worst);
            for (int k = 0; k < 3; k++)
                assert_true(fabs(L[k] - part.L[k]) <= 1e-12 * thaw_v3_norm(L));
            check_rotation(part.R);
            assert_true(flips > 0);
        }
    print_message("energy after 10000 steps: within %.1e\n", largest);
}

// dR/dt = (J^-1 L)^x R by Runge and Kutta, R column by column.
static void rate_of(const double L[3], const double R[9], double dR[9]) {
    double omega[3] = {0};
    for (int i = 0; i < 3; i++) {
        double Pi = R[3 * i] * L[0] + R[3 * i + 1] * L[1] + R[3 * i + 2] * L[2];
        for (int k = 0; k < 3; k++)
            omega[k] += R[k + 3 * i] * Pi / MOMENTS[i];
    }
    for (int j = 0; j < 3; j++)
        thaw_v3_cross(omega, R + 3 * j, dR + 3 * j);
}

static void reference_step(const double L[3], double h, double R[9]) {
    static const double stage[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    double dR[9] = {0}, at[9], sum[9] = {0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 9; i++)
            at[i] = R[i] + stage[s] * h * dR[i];
        rate_of(L, at, dR);
        for (int i = 0; i < 9; i++)
            sum[i] += weight[s] * dR[i];
    }
    for (int i = 0; i < 9; i++)
        R[i] += h * sum[i];
}

static double error_against_reference(double h, double time) {
    ThawPart part = spinning(MOMENTS, SPIN);
    double R[9], worst = 0;
    memcpy(R, part.R, sizeof R);
    for (int i = 0; i < (int)(time / h + 0.5); i++) {
        for (int k = 0; k < 50; k++)
            reference_step(part.L, h / 50, R);
        step(&part, 3, h);
        for (int k = 0; k < 9; k++)
            worst = fmax(worst, fabs(R[k] - part.R[k]));
    }
    return worst;
}

static void the_wing_nut_turns_over_as_a_fine_reference_does(void **state) {
    (void)state;
    double coarse = error_against_reference(0.01, 8), fine = error_against_reference(0.005, 8);
    print_message("orientation error after several flips: %.2e at h .01, %.2e at h .005\n", coarse, fine);
    assert_true(coarse < 2e-2);
    assert_true(fine < coarse / 3.5);
}

static void steady_spin_is_exact_however_large_the_step(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double omega[3] = {0};
        omega[axis] = 7;
        ThawPart part = spinning(MOMENTS, omega);
        for (int i = 0; i < 100; i++)
            step(&part, 3, 0.13);
        double angle = 100 * 0.13 * 7;
        int next = (axis + 1) % 3;
        assert_true(fabs(part.R[next + 3 * next] - cos(angle)) <= 1e-12);
        assert_true(fabs(part.R[(axis + 2) % 3 + 3 * next] - sin(angle)) <= 1e-12);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(part.p[k] - 13 * 0.05 * (k + 1)) <= 1e-12);
    }
    ThawPart flat = {.hold = THAW_HOLD_FREE, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .L = {0, 0, 3}};
    flat.inertia.mass = 1;
    flat.inertia.second[8] = 2;
    step(&flat, 2, 0.8);
    assert_true(fabs(flat.R[0] - cos(1.2)) <= 1e-15 && fabs(flat.R[1] - sin(1.2)) <= 1e-15);
    assert_true(flat.R[8] == 1 && flat.L[2] == 3);
}

static void a_part_at_rest_keeps_every_bit(void **state) {
    (void)state;
    ThawPart part = spinning(MOMENTS, SPIN);
    for (int i = 0; i < 10; i++)
        step(&part, 3, 0.1);
    memset(part.P, 0, sizeof part.P);
    memset(part.L, 0, sizeof part.L);
    ThawPart before = part;
    step(&part, 3, 0.1);
    assert_memory_equal(&before, &part, sizeof part);
}

// Angle (rad, world axes) of the small rotation B A'.
static void between(const double A[9], const double B[9], double angle[3]) {
    double C[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[i + 3 * j] = B[i] * A[j] + B[i + 3] * A[j + 3] + B[i + 6] * A[j + 6];
    angle[0] = (C[5] - C[7]) / 2, angle[1] = (C[6] - C[2]) / 2, angle[2] = (C[1] - C[3]) / 2;
}

static void the_slope_of_a_turn_is_that_of_finite_differences(void **state) {
    (void)state;
    static const double h[] = {0.01, 0.05, 0.3}; // up to six steps of the scheme
    static const double none[3] = {0, 0, 0};
    for (int s = 0; s < COUNT(h); s++) {
        ThawPart part = spinning((double[]){1, 2, 2.5}, (double[]){1, 5, -2}), next, side[2];
        double v[3], omega[3], slope[9], worst = 0;
        step(&part, 3, 0.7);
        thaw_part_velocity(&part, 3, v, omega);
        thaw_part_advance(&part, 3, h[s], v, omega, &next, slope);
        for (int j = 0; j < 3; j++) {
            double angle[3], d = 1e-5;
            for (int i = 0; i < 2; i++) {
                double other[3] = {omega[0], omega[1], omega[2]};
                other[j] += i ? d : -d;
                thaw_part_advance(&part, 3, h[s], v, other, &side[i], NULL);
            }
            between(side[0].R, side[1].R, angle);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(angle[i] / (2 * d * h[s]) - slope[i + 3 * j]));
        }
        print_message("h = %g s: slope off by %.1e\n", h[s], worst);
        assert_true(worst < 1e-7);
        thaw_part_advance(&part, 3, h[s], none, none, &next, slope);
        for (int i = 0; i < 9; i++)
            assert_true(slope[i] == (i % 4 == 0));
    }
}

static void pins_hold_a_point_a_line_or_all_by_where_they_are(void **state) {
    (void)state;
    const double at[5][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 4}, {1, 2, 9}, {1, 2.001, 5}};
    const ThawHold hold[2][6] = {
        {THAW_HOLD_FREE, THAW_HOLD_POINT, THAW_HOLD_POINT, THAW_HOLD_AXIS, THAW_HOLD_AXIS, THAW_HOLD_FIXED},
        {THAW_HOLD_FREE, THAW_HOLD_POINT, THAW_HOLD_POINT, THAW_HOLD_FIXED, THAW_HOLD_FIXED, THAW_HOLD_FIXED}};
    for (int dim = 2; dim <= 3; dim++)
        for (int count = 0; count <= 5; count++) {
            ThawPins pins = {0};
            for (int i = 0; i < count; i++)
                thaw_pins_add(&pins, dim, at[i] + 3 - dim);
            for (int i = 0; i < count; i++)
                thaw_pins_compare(&pins, dim, at[i] + 3 - dim);
            assert_int_equal(thaw_pins_hold(&pins, dim), hold[3 - dim][count]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tumbling_keeps_angular_momentum_and_energy_to_round_off),
        cmocka_unit_test(the_wing_nut_turns_over_as_a_fine_reference_does),
        cmocka_unit_test(steady_spin_is_exact_however_large_the_step),
        cmocka_unit_test(a_part_at_rest_keeps_every_bit),
        cmocka_unit_test(the_slope_of_a_turn_is_that_of_finite_differences),
        cmocka_unit_test(pins_hold_a_point_a_line_or_all_by_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
