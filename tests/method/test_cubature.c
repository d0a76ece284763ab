// SPDX-License-Identifier: Apache-2.0
// Few elements that stand for all under frames: weights are not negative and few, energies of smooth poses, large ones
// too, are those of all elements; no motion of frames is without stiffness; the same weights in every run.
#include "force/force.h"
#include "method/frames/cubature.h"
#include "step/sample.h"

typedef struct Case {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    ThawFrameTree *tree;
    ThawIntegrationSet *set;
    double *share;
    int32_t count;
} Case;

static void case_create(Case *c, int dim, int frames, int order, int pinned, int most) {
    ThawError error = {0};
    *c = (Case){0};
    sample_create(&c->sample, dim, dim == 3 ? 9 : 24, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 3);
    if (thaw_model_create(&c->sample.world, &c->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    c->shape = c->model->shapes[0];
    unsigned char *scripted = THAW_NEW(unsigned char, c->shape->nv);
    for (int32_t i = 0; i < c->shape->nv; i++)
        scripted[i] = pinned && c->shape->X[i * dim] < 0.05;
    assert_int_equal(thaw_frame_tree_create(c->shape, frames, THAW_FRAME_KERNEL, &c->tree, &error), THAW_OK);
    const ThawFrameMapDef def = {c->tree, NULL, scripted, 0, order, c->shape->X, c->shape->all};
    c->share = THAW_NEW(double, c->shape->ne);
    if (thaw_cubature_find(&def, most, NULL, c->share, &error) != THAW_OK)
        fail_msg("%s", error.message);
    int32_t *list = THAW_NEW(int32_t, c->shape->ne);
    for (int32_t e = 0; e < c->shape->ne; e++) {
        assert_true(c->share[e] >= 0 && isfinite(c->share[e]));
        if (c->share[e] > 0)
            list[c->count++] = e;
    }
    assert_int_equal(thaw_integration_create(c->shape, list, c->count, &c->set, &error), THAW_OK);
    thaw_integration_set_weights(c->set, c->shape, c->share);
    thaw_free(list);
    thaw_free(scripted);
}

static void case_free(Case *c) {
    thaw_integration_free(&c->set);
    thaw_free(c->share);
    thaw_frame_tree_free(&c->tree);
    thaw_model_free(&c->model);
    sample_free(&c->sample);
}

// A bar that is bent, twisted and stretched, by so much, and turned.
static void pose(const ThawShape *shape, double bend, double twist, double stretch, double *x) {
    const int dim = shape->dim;
    for (int32_t i = 0; i < shape->nv; i++) {
        const double *X = shape->X + i * dim;
        double p[3] = {X[0] * (1 + stretch) - bend * X[0] * X[1], X[1] + bend * X[0] * X[0] / 2, dim == 3 ? X[2] : 0};
        if (dim == 3) {
            p[1] -= twist * X[0] * X[2];
            p[2] += twist * X[0] * X[1];
        }
        x[i * dim] = 0.6 * p[0] - 0.8 * p[1];
        x[i * dim + 1] = 0.8 * p[0] + 0.6 * p[1];
        if (dim == 3)
            x[i * dim + 2] = p[2];
    }
}

static void energies_are_those_of_all_elements(void **state) {
    (void)state;
    static const double poses[][3] = {{0.01, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.2}, {0.2, -0.3, 0.1}};
    for (int dim = 2; dim <= 3; dim++)
        for (int order = 1; order <= 2; order++)
            for (int pinned = 0; pinned <= 1; pinned++) {
                Case c;
                double worst = 0;
                case_create(&c, dim, 4, order, pinned, 32);
                assert_true(c.count <= 4 * 32);
                double *x = THAW_NEW(double, dim *c.shape->nv);
                double *partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(c.shape));
                for (int p = 0; p < COUNT(poses); p++) {
                    pose(c.shape, poses[p][0], poses[p][1], poses[p][2], x);
                    if (dim == 2 && poses[p][1] != 0)
                        continue;
                    const double all = thaw_force_energy(c.shape->all, NULL, x, partial);
                    const double few = thaw_force_energy(c.set, NULL, x, partial);
                    worst = fmax(worst, fabs(few / all - 1));
                }
                print_message("%dD, order %d%s: %d of %d elements, energies off by %.2g\n", dim, order,
                              pinned ? ", pinned" : "", c.count, c.shape->ne, worst);
                assert_true(worst < 0.1);
                thaw_free(x);
                thaw_free(partial);
                case_free(&c);
            }
}

static void weights_are_the_same_in_every_run(void **state) {
    (void)state;
    Case a, b;
    case_create(&a, 3, 3, 1, 1, 20);
    case_create(&b, 3, 3, 1, 1, 20);
    assert_memory_equal(a.share, b.share, sizeof *a.share * (size_t)a.shape->ne);
    case_free(&a);
    case_free(&b);
}

// Four elements cannot hold a quadratic frame: then all are taken.
static void too_few_are_refused(void **state) {
    (void)state;
    Case c;
    case_create(&c, 3, 3, 2, 0, 4);
    assert_int_equal(c.count, c.shape->ne);
    case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_are_those_of_all_elements),
        cmocka_unit_test(weights_are_the_same_in_every_run),
        cmocka_unit_test(too_few_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
