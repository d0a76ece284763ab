// SPDX-License-Identifier: Apache-2.0
// Strains of sheets: bending counts as strain, by a measure that no rigid motion changes, that agrees over resolutions,
// and whose foresight is its slope.
#include <float.h>

#include "force/strain.h"
#include "model/fold.h"
#include "physics/sheets.h"

static const double radius = 0.6;

// A rectangle of 1 by 0.5 rolled around a cylinder of 1/`curvature`; along its length.
static void roll(const void *context, double u, double v, double x[3]) {
    const double k = *(const double *)context;
    x[0] = k > 0 ? sin(k * u) / k : u;
    x[1] = 0.5 * v;
    x[2] = k > 0 ? (1 - cos(k * u)) / k : 0;
}

// One sheet's shape, its vertices at x, and strains.
typedef struct Bent {
    Sheet sheet;
    ThawModel *model;
    const ThawShape *shape;
    double *x, *y, *d, *out[2];
    ThawLanes *E;
    size_t n;
} Bent;

static void bent_create(Bent *b, int nx, int ny, double curvature) {
    ThawWorldDef world = thaw_world_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawError error = {0};
    sheet_create(&b->sheet, nx, ny, SHEET_AT_RANDOM, 0.2, roll, &curvature);
    b->sheet.shape.mesh = &b->sheet.mesh;
    b->sheet.shape.thickness = 0.01;
    world.materials = &b->sheet.material;
    world.shapes = &b->sheet.shape;
    world.bodies = &body;
    world.material_count = world.shape_count = world.body_count = 1;
    if (thaw_model_create(&world, &b->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    b->shape = b->model->shapes[0];
    b->n = 3 * (size_t)b->shape->nv;
    b->x = THAW_NEW(double, b->n);
    b->y = THAW_NEW(double, b->n);
    b->d = THAW_NEW(double, b->n);
    b->out[0] = THAW_NEW(double, b->shape->ne);
    b->out[1] = THAW_NEW(double, b->shape->ne);
    b->E = THAW_NEW(ThawLanes, thaw_strain_size(b->shape->all));
    memcpy(b->x, b->shape->X, sizeof *b->x * b->n);
}

static void bent_free(Bent *b) {
    thaw_free(b->x);
    thaw_free(b->y);
    thaw_free(b->d);
    thaw_free(b->out[0]);
    thaw_free(b->out[1]);
    thaw_free(b->E);
    thaw_model_free(&b->model);
    sheet_free(&b->sheet);
}

static double largest(const Bent *b, const double *values) {
    double most = 0;
    for (int32_t e = 0; e < b->shape->ne; e++)
        most = fmax(most, values[e]);
    return most;
}

// A crumpled sheet turned by any angle and moved far, by our measure and by the two published ones.
static void rigid_motion_of_a_crumpled_sheet_shows_no_rate(void **state) {
    (void)state;
    uint64_t seed = 3;
    Bent b;
    bent_create(&b, 12, 6, 1 / radius);
    for (size_t i = 0; i < b.n; i++)
        b.x[i] += 0.03 * sample_random(&seed);
    const ThawStrainMeasure measure[] = {{b.shape->diameter / 4, THAW_STRAIN_CURVATURE},
                                         {b.shape->diameter / 4, THAW_STRAIN_EDGES},
                                         {0.25, THAW_STRAIN_ANGLES}};
    for (int round = 0; round < 30; round++) {
        double q[4], R[9];
        sample_quaternion(&seed, 3, 6, q);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const int k = (i + 1) % 3 == j ? (j + 1) % 3 : (i + 1) % 3, turn = (i + 1) % 3 == j ? -1 : 1;
                R[i + 3 * j] =
                    i == j ? 1 - 2 * (q[1 + (i + 1) % 3] * q[1 + (i + 1) % 3] + q[1 + (i + 2) % 3] * q[1 + (i + 2) % 3])
                           : 2 * (q[1 + i] * q[1 + j] + turn * q[0] * q[1 + k]);
            }
        for (size_t i = 0; i < b.n; i++)
            b.y[i] =
                1 + R[i % 3] * b.x[i - i % 3] + R[i % 3 + 3] * b.x[i - i % 3 + 1] + R[i % 3 + 6] * b.x[i - i % 3 + 2];
        thaw_strain_compute(b.shape->all, NULL, NULL, 0, b.x, b.E);
        thaw_strain_rate_by(&measure[round % 3], b.shape->all, NULL, NULL, 0, b.y, 1, b.E, b.out[0]);
        assert_true(largest(&b, b.out[0]) < 1e-22);
    }
    bent_free(&b);
}

// Rolled from one radius to the next in a second: over four resolutions the curvature counts for the same.
static void curvature_rates_agree_over_resolutions(void **state) {
    (void)state;
    const double from = 1.2, by = 0.05, to = from + by;
    double mean[4];
    for (int fine = 0; fine < 4; fine++) {
        Bent b;
        double sum = 0;
        bent_create(&b, 10 << fine, 5 << fine, 0);
        for (int turn = 0; turn < 2; turn++) {
            for (size_t v = 0; v < b.n; v += 3) {
                const double u[3] = {b.shape->X[v], b.shape->X[v + 1] / 0.5, 0};
                roll(turn ? &to : &from, u[0], u[1], b.x + v);
            }
            if (turn == 0)
                thaw_strain_compute(b.shape->all, NULL, NULL, 0, b.x, b.E);
        }
        thaw_strain_rate(b.shape->all, NULL, NULL, 0, b.x, 1, b.E, b.out[0]);
        int count = 0;
        for (int32_t e = 0; e < b.shape->ne; e++) {
            const int32_t *v = b.shape->cells->elements + 3 * (size_t)e;
            int inner = 1;
            for (int a = 0; a < 3; a++)
                inner &= b.shape->folds[e].scale[a] > 0 && fabs(b.shape->X[3 * (size_t)v[a]] - .5) < 0.35;
            sum += inner ? sqrt(b.out[0][e]) : 0;
            count += inner;
        }
        mean[fine] = sum / count / (b.shape->diameter / 4 * by);
        bent_free(&b);
    }
    print_message("a change of curvature counts %.3f %.3f %.3f %.3f times\n", mean[0], mean[1], mean[2], mean[3]);
    for (int fine = 0; fine < 4; fine++)
        assert_true(fabs(mean[fine] - 1) < 0.12 && fabs(mean[fine] - mean[3]) < 0.03);
}

static void foresight_is_the_slope_of_strains(void **state) {
    (void)state;
    const double step = 1e-6;
    uint64_t seed = 8;
    Bent b;
    bent_create(&b, 8, 4, 1 / radius);
    for (size_t i = 0; i < b.n; i++) {
        b.x[i] += 0.02 * sample_random(&seed);
        b.d[i] = sample_random(&seed);
        b.y[i] = b.x[i] + step * b.d[i];
        b.x[i] -= step * b.d[i];
    }
    thaw_strain_compute(b.shape->all, NULL, NULL, 0, b.x, b.E);
    thaw_strain_rate(b.shape->all, NULL, NULL, 0, b.y, 2 * step, b.E, b.out[0]);
    for (size_t i = 0; i < b.n; i++)
        b.x[i] += step * b.d[i];
    thaw_strain_predict(b.shape->all, NULL, NULL, 0, b.x, b.d, b.out[1]);
    for (int32_t e = 0; e < b.shape->ne; e++)
        assert_true(fabs(sqrt(b.out[0][e]) - b.out[1][e]) < 1e-6 * b.out[1][e]);
    bent_free(&b);
}

// What is squeezed to a line cannot become rigid; an angle that passes half a turn is followed.
static void degenerate_triangles_and_full_folds_have_rates(void **state) {
    (void)state;
    Bent b;
    bent_create(&b, 4, 2, 0);
    for (size_t v = 0; v < b.n; v += 3)
        b.x[v + 1] = 0;
    thaw_strain_compute(b.shape->all, NULL, NULL, 0, b.x, b.E);
    thaw_strain_rate(b.shape->all, NULL, NULL, 0, b.x, 1, b.E, b.out[0]);
    for (int32_t e = 0; e < b.shape->ne; e++)
        assert_true(b.out[0][e] >= 1e12 && isfinite(b.out[0][e]));
    // One corner swings through its neighbour, by a thousandth of a turn.
    const int32_t tip =
        b.shape->folds[0].far[0] != b.shape->cells->elements[0] ? b.shape->folds[0].far[0] : b.shape->folds[0].far[1];
    for (int through = 0; through < 2; through++) {
        memcpy(b.x, b.shape->X, sizeof *b.x * b.n);
        double *at = b.x + 3 * (size_t)tip;
        const int32_t *v = b.shape->cells->elements;
        const double *mid = b.shape->X + 3 * (size_t)v[2];
        for (int k = 0; k < 2; k++)
            at[k] = 2 * mid[k] - at[k];
        at[2] = (through ? 1 : -1) * 1e-3;
        if (through == 0)
            thaw_strain_compute(b.shape->all, NULL, NULL, 0, b.x, b.E);
    }
    thaw_strain_rate(b.shape->all, NULL, NULL, 0, b.x, 1, b.E, b.out[0]);
    assert_true(largest(&b, b.out[0]) < 1);
    bent_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_of_a_crumpled_sheet_shows_no_rate),
        cmocka_unit_test(curvature_rates_agree_over_resolutions),
        cmocka_unit_test(foresight_is_the_slope_of_strains),
        cmocka_unit_test(degenerate_triangles_and_full_folds_have_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
