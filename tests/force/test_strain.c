// SPDX-License-Identifier: Apache-2.0
#include "force/strain.h"
#include "map/parts.h"

// F of an element, dense and by hand: column-major dim x dim.
static void gradient_of_element(const Parts *p, int32_t e, const double *x, double F[9]) {
    int dim = p->dim, nodes = p->shape->cells->kind->nodes;
    const int32_t *vertex = p->shape->cells->elements + e * nodes;
    const double *g = p->shape->cells->gradient + (size_t)e * (size_t)((nodes - 1) * dim);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            F[i + dim * j] = 0;
            for (int a = 1; a < nodes; a++)
                F[i + dim * j] += (x[vertex[a] * dim + i] - x[vertex[0] * dim + i]) * g[(a - 1) * dim + j];
        }
}

// sym(A'B), full.
static void product_of(int dim, const double *A, const double *B, double S[9]) {
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            S[i + dim * j] = 0;
            for (int k = 0; k < dim; k++)
                S[i + dim * j] += (A[k + dim * i] * B[k + dim * j] + A[k + dim * j] * B[k + dim * i]) / 2;
        }
}

static void turn(int dim, double angle, const double shift[3], const double *x, double *y, int32_t nv) {
    double c = cos(angle), s = sin(angle);
    for (int32_t i = 0; i < nv; i++) {
        const double *from = x + i * dim;
        y[i * dim] = c * from[0] - s * from[1] + shift[0];
        y[i * dim + 1] = s * from[0] + c * from[1] + shift[1];
        if (dim == 3) { // and about x
            double a = y[i * dim + 1], b = from[2];
            y[i * dim + 1] = c * a - s * b;
            y[i * dim + 2] = s * a + c * b + shift[2];
        }
    }
}

static void strain_rates_are_those_of_the_dense_formula(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Parts p;
        ThawTasks *tasks;
        ThawError error = {0};
        double h = 0.013;
        parts_create(&p, dim, 5, 1, 1);
        assert_int_equal(thaw_tasks_create(2, &tasks, &error), THAW_OK);
        const ThawIntegrationSet *set = p.shape->all;
        ThawLanes *E = THAW_NEW(ThawLanes, thaw_strain_size(set)), *other = THAW_NEW(ThawLanes, thaw_strain_size(set));
        double *y = THAW_NEW(double, p.nx), *rate = THAW_NEW(double, p.shape->ne);
        double *some = THAW_NEW(double, p.shape->ne), *predicted = THAW_NEW(double, p.shape->ne);
        unsigned char *wanted = THAW_NEW(unsigned char, p.shape->ne);
        int32_t *batches = THAW_NEW(int32_t, set->batch_count);
        for (int i = 0; i < p.nx; i++)
            y[i] = p.x[i] + h * p.v[i];
        thaw_strain_compute(set, NULL, NULL, 0, p.x, E);
        memcpy(other, E, sizeof *E * thaw_strain_size(set));
        thaw_strain_rate(set, tasks, NULL, 0, y, h, E, rate);
        thaw_strain_predict(set, tasks, NULL, 0, p.x, p.v, predicted);
        for (int32_t e = 0; e < p.shape->ne; e++) {
            double F[9], G[9], D[9], S[9], T[9], square = 0, strain = 0;
            gradient_of_element(&p, e, p.x, F);
            gradient_of_element(&p, e, y, G);
            gradient_of_element(&p, e, p.v, D);
            product_of(dim, F, F, S);
            product_of(dim, G, G, T);
            for (int i = 0; i < dim * dim; i++)
                square += (T[i] - S[i]) * (T[i] - S[i]) / (4 * h * h);
            product_of(dim, F, D, S);
            for (int i = 0; i < dim * dim; i++)
                strain += S[i] * S[i];
            assert_true(fabs(square - rate[e]) <= 1e-10 * square && square > 0);
            assert_true(fabs(sqrt(strain) - predicted[e]) <= 1e-12 * sqrt(strain));
            wanted[e] = e % 37 == 0;
        }
        int32_t count = thaw_strain_batches(set, wanted, batches);
        assert_true(count > 0 && count < set->batch_count);
        thaw_strain_rate(set, NULL, batches, count, y, h, other, some);
        for (int32_t e = 0; e < p.shape->ne; e++)
            assert_true(!wanted[e] || some[e] == rate[e]);
        thaw_tasks_free(&tasks);
        thaw_free(E);
        thaw_free(other);
        thaw_free(y);
        thaw_free(rate);
        thaw_free(some);
        thaw_free(predicted);
        thaw_free(wanted);
        thaw_free(batches);
        parts_free(&p);
    }
}

static void a_deformed_body_in_rigid_rotation_shows_no_strain_rate(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Parts p;
        double h = 0.01;
        parts_create(&p, dim, 4, 1, 2);
        ThawLanes *E = THAW_NEW(ThawLanes, thaw_strain_size(p.shape->all));
        double *y = THAW_NEW(double, p.nx), *rate = THAW_NEW(double, p.shape->ne);
        for (int i = 0; i < p.nx; i++)
            p.x[i] *= 1 + 0.5 * (i % dim);
        thaw_strain_compute(p.shape->all, NULL, NULL, 0, p.x, E);
        for (int k = 1; k <= 20; k++) {
            turn(dim, 0.3 * k, (double[]){0.1 * k, -0.2, 0.3}, p.x, y, p.shape->nv);
            thaw_strain_rate(p.shape->all, NULL, NULL, 0, y, h, E, rate);
            for (int32_t e = 0; e < p.shape->ne; e++)
                assert_true(rate[e] <= 1e-24);
        }
        thaw_free(E);
        thaw_free(y);
        thaw_free(rate);
        parts_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_rates_are_those_of_the_dense_formula),
        cmocka_unit_test(a_deformed_body_in_rigid_rotation_shows_no_strain_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
