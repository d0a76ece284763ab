// SPDX-License-Identifier: Apache-2.0
// The projection to positive semi-definite against the definition: a full 9x9 eigen-decomposition, clamped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "material/solids.h"

// Cyclic Jacobi: A (destroyed) = Q diag(w) Q', columns of Q the eigenvectors.
static void eigen9(double A[9][9], double w[9], double Q[9][9]) {
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            Q[i][j] = i == j;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 9; p++)
            for (int q = p + 1; q < 9; q++) {
                if (A[p][q] == 0)
                    continue;
                double angle = 0.5 * atan2(2 * A[p][q], A[q][q] - A[p][p]), c = cos(angle), s = sin(angle);
                for (int k = 0; k < 9; k++) {
                    double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y, A[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 9; k++) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y, A[q][k] = s * x + c * y;
                    x = Q[k][p], y = Q[k][q];
                    Q[k][p] = c * x - s * y, Q[k][q] = s * x + c * y;
                }
            }
    for (int i = 0; i < 9; i++)
        w[i] = A[i][i];
}

static void unpack(const ThawLanes C[THAW_SYM9_SIZE], int lane, double A[9][9]) {
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            A[i][j] = C[THAW_SYM9(i, j)][lane];
}

typedef struct Tally {
    int projected, kept;
} Tally;

static void compare_with_definition(const ThawLanes C[THAW_SYM9_SIZE], const ThawLanes projected[THAW_SYM9_SIZE],
                                    int lane, Tally *tally) {
    double A[9][9], B[9][9], w[9], Q[9][9], scale = 0, smallest = 0;
    unpack(C, lane, A);
    for (int i = 0; i < 9; i++)
        scale += fabs(A[i][i]);
    eigen9(A, w, Q);
    unpack(projected, lane, B);
    for (int i = 0; i < 9; i++) {
        smallest = fmin(smallest, w[i]);
        scale = fmax(scale, fabs(w[i]));
        for (int j = 0; j < 9; j++) {
            double nearest = 0;
            for (int k = 0; k < 9; k++)
                nearest += Q[i][k] * fmax(w[k], 0) * Q[j][k];
            assert_true(fabs(nearest - B[i][j]) <= 1e-12 * scale);
        }
    }
    if (smallest >= -1e-14 * scale) {
        for (int i = 0; i < THAW_SYM9_SIZE; i++) {
            double before = C[i][lane], after = projected[i][lane];
            assert_memory_equal(&before, &after, sizeof before);
        }
        tally->kept++;
    } else
        tally->projected++;
    double w_after[9];
    eigen9(B, w_after, Q);
    for (int i = 0; i < 9; i++)
        assert_true(w_after[i] >= -1e-13 * scale);
}

static Tally check_model(ThawMaterialModel model, int kind, int repeats) {
    Tally tally = {0, 0};
    uint64_t seed = 10 * (uint64_t)model + (uint64_t)kind;
    for (int n = 0; n < repeats; n++) {
        ThawMaterialDef def = solids_def(model, 0.1 + 0.35 * n / repeats);
        ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE], projected[THAW_SYM9_SIZE];
        solids_constants(&def, c);
        solids_deformation(kind, &seed, F);
        thaw_material_ops(model)->d2psi_dF2(F, c, C);
        memcpy(projected, C, sizeof C);
        thaw_material_project(F, projected);
        for (int l = 0; l < THAW_LANES; l++)
            compare_with_definition(C, projected, l, &tally);
    }
    return tally;
}

static void the_projection_is_the_nearest_positive_matrix(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
        int projected = 0, kept = 0;
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            if (model == THAW_MATERIAL_NEO_HOOKEAN && kind >= KIND_INVERTED && kind <= KIND_RANK0)
                continue;
            Tally tally = check_model(model, kind, 12);
            projected += tally.projected;
            kept += tally.kept;
        }
        assert_true(projected > 10 && kept > 10);
    }
}

static void rest_is_positive_and_keeps_its_bits(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int n = 0; n < 20; n++) {
            ThawMaterialDef def = solids_def(model, 0.02 * n + 0.06);
            ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE], projected[THAW_SYM9_SIZE];
            solids_constants(&def, c);
            solids_rotation(&seed, F);
            for (int i = 0; i < 9; i++)
                F[i][0] = i % 4 == 0;
            thaw_material_ops(model)->d2psi_dF2(F, c, C);
            memcpy(projected, C, sizeof C);
            thaw_material_project(F, projected);
            assert_memory_equal(projected, C, sizeof C);
        }
}

static void the_slightest_compression_is_noticed(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
        ThawMaterialDef def = solids_def(model, 0.3);
        ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE], projected[THAW_SYM9_SIZE];
        solids_constants(&def, c);
        solids_rotation(&seed, F);
        for (int i = 0; i < 9; i++)
            F[i] *= 1.0 - (ThawLanes){1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
        thaw_material_ops(model)->d2psi_dF2(F, c, C);
        memcpy(projected, C, sizeof C);
        thaw_material_project(F, projected);
        Tally tally = {0, 0};
        for (int l = 0; l < THAW_LANES; l++)
            compare_with_definition(C, projected, l, &tally);
        assert_int_equal(tally.projected, THAW_LANES);
    }
}

static void projecting_twice_changes_nothing_more(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        ThawMaterialDef def = solids_def(THAW_MATERIAL_STABLE_NEO_HOOKEAN, 0.4);
        ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE], once[THAW_SYM9_SIZE];
        solids_constants(&def, c);
        solids_deformation(kind, &seed, F);
        thaw_material_ops(def.model)->d2psi_dF2(F, c, C);
        thaw_material_project(F, C);
        memcpy(once, C, sizeof C);
        thaw_material_project(F, C);
        assert_memory_equal(once, C, sizeof C);
    }
}

static void a_lane_does_not_see_its_neighbours(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int n = 0; n < 50; n++) {
            ThawMaterialDef def = solids_def(model, 0.3);
            ThawLanes F[9], F1[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE], C1[THAW_SYM9_SIZE];
            solids_constants(&def, c);
            solids_deformation(n % 2 ? KIND_RANDOM : KIND_NEAR_REST, &seed, F);
            thaw_material_ops(model)->d2psi_dF2(F, c, C);
            thaw_material_project(F, C);
            for (int l = 0; l < THAW_LANES; l++) {
                for (int i = 0; i < 9; i++)
                    F1[i] = thaw_lanes_set(F[i][l]);
                thaw_material_ops(model)->d2psi_dF2(F1, c, C1);
                thaw_material_project(F1, C1);
                for (int i = 0; i < THAW_SYM9_SIZE; i++) {
                    double together = C[i][l], alone = C1[i][0];
                    assert_memory_equal(&together, &alone, sizeof alone);
                }
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_projection_is_the_nearest_positive_matrix),
        cmocka_unit_test(rest_is_positive_and_keeps_its_bits),
        cmocka_unit_test(the_slightest_compression_is_noticed),
        cmocka_unit_test(projecting_twice_changes_nothing_more),
        cmocka_unit_test(a_lane_does_not_see_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
