// SPDX-License-Identifier: Apache-2.0
// A body against itself: a soft ribbon, set down on its end, folds. In space and in the plane.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"

static Touch ribbon(int dim, int touches, const char *method) {
    static const char *const mesh[] = {
        "'box': {'min': [-0.02, 0], 'max': [0.02, 1], 'cells': [2, 40]}",
        "'box': {'min': [-0.06, -0.02, 0], 'max': [0.06, 0.02, 1], 'cells': [3, 1, 25]}"};
    return touch_open("{'thaw': 1, 'dimension': %d, 'time': {'step': 0.01},"
                      " 'materials': {'m': {'density': 1000, 'young': 3e4, 'poisson': 0.4, 'alpha1': 0.02}},"
                      " 'shapes': {'s': {'mesh': {%s}, 'material': 'm'}},"
                      " 'bodies': [{'shape': 's', 'position': [0, 0.005%s], 'rotation': %s, 'self_contact': %s,"
                      "   'method': '%s'}], 'obstacles': [{'plane': {}}]}",
                      dim, mesh[dim - 2], dim == 3 ? ", 0.005" : "",
                      dim == 3 ? "{'axis': [1, 0, 0], 'degrees': 5}" : "{'degrees': 2}", touches ? "true" : "false",
                      method);
}

// det of the elements' edges with vertex k replaced by p, over the element's own: a barycentric coordinate.
static double coordinate(int dim, double x[4][3], int k, const double p[3]) {
    double det[2];
    for (int pass = 0; pass < 2; pass++) {
        double e[3][3] = {{0}};
        for (int i = 0; i < dim; i++)
            for (int c = 0; c < dim; c++)
                e[i][c] = (pass && i + 1 == k ? p[c] : x[i + 1][c]) - (pass && k == 0 ? p[c] : x[0][c]);
        det[pass] = dim == 2 ? e[0][0] * e[1][1] - e[0][1] * e[1][0]
                             : e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                                   e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                                   e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return det[1] / det[0];
}

// How many vertices are well inside an element that was far from them at rest.
static int count_inside(const Touch *t) {
    const ThawMesh *mesh = t->scene->world.shapes[0].mesh;
    const int dim = mesh->dim;
    double *now = touch_positions(t, 0);
    int inside = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        int deep = 0;
        for (int32_t e = 0; e < mesh->element_count && !deep; e++) {
            double x[4][3] = {{0}}, p[3] = {0}, far = 0, least = INFINITY;
            for (int i = 0; i <= dim; i++)
                for (int c = 0; c < dim; c++)
                    x[i][c] = now[dim * mesh->elements[(dim + 1) * e + i] + c];
            for (int c = 0; c < dim; c++) {
                p[c] = now[dim * v + c];
                far = fmax(far, fabs(mesh->x[dim * v + c] - mesh->x[dim * mesh->elements[(dim + 1) * e] + c]));
            }
            for (int i = 0; i <= dim && far > 0.15; i++)
                least = fmin(least, coordinate(dim, x, i, p));
            deep = far > 0.15 && least > 0.12;
        }
        inside += deep;
    }
    free(now);
    return inside;
}

static void a_ribbon_that_folds_does_not_go_through_itself_if_asked_to(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        int most[2] = {0};
        for (int touches = 0; touches < 2; touches++) {
            Touch t = ribbon(dim, touches, "full");
            for (int k = 0; k < 15; k++) {
                touch_run(&t, 10);
                int inside = count_inside(&t);
                most[touches] = inside > most[touches] ? inside : most[touches];
            }
            touch_close(&t);
        }
        printf("%dD: at most %d vertices well inside the body itself, %d where it does not touch itself\n", dim,
               most[1], most[0]);
        assert_true(most[0] > 0);
        assert_int_equal(most[1], 0);
    }
}

static void folds_have_the_same_bits_for_threads_and_after_a_checkpoint(void **state) {
    (void)state;
    char path[] = "/tmp/thaw_self_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < 2; i++) {
        Touch t = ribbon(2 + i, 1, i ? "rigidify" : "full"), other = ribbon(2 + i, 1, i ? "rigidify" : "full");
        other.scene->world.threads = 2;
        thaw_world_free(&other.world);
        assert_int_equal(thaw_world_create(&other.scene->world, &other.world, NULL), THAW_OK);
        touch_run(&t, 60);
        assert_int_equal(thaw_world_save(t.world, path, NULL), THAW_OK);
        assert_int_equal(thaw_world_load(other.world, path, NULL), THAW_OK);
        int32_t itself = 0;
        for (int k = 0; k < 40; k++) {
            touch_run(&t, 1);
            touch_run(&other, 1);
            assert_true(thaw_world_hash(t.world) == thaw_world_hash(other.world));
            int32_t count = thaw_world_contact_count(t.world);
            ThawContactPoint *points = calloc((size_t)count + 1, sizeof *points);
            assert_int_equal(thaw_world_get_contacts(t.world, points), THAW_OK);
            for (int32_t c = 0; c < count; c++)
                itself += points[c].body[1] == 0;
            free(points);
        }
        assert_true(itself > 0);
        touch_close(&t);
        touch_close(&other);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ribbon_that_folds_does_not_go_through_itself_if_asked_to),
        cmocka_unit_test(folds_have_the_same_bits_for_threads_and_after_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
