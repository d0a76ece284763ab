// SPDX-License-Identifier: Apache-2.0
// Frames against what they say they are: weights that sum to one and reproduce places, few a vertex, near their nodes
// and fine where the body is soft; motions of fewer frames among those of more; fields that vanish where scripts hold.
#include "map/frames/frames.h"
#include "step/sample.h"

typedef struct Body {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    ThawFrameTree *tree;
    int nx, dim;
    unsigned char *scripted;
} Body;

// A jittered box of uneven materials (even: of one).
static void body_create(Body *b, int dim, int cells, int even, int frames, ThawFrameWeights weights, uint64_t seed) {
    ThawError error = {0};
    *b = (Body){.dim = dim};
    sample_create(&b->sample, dim, cells, THAW_MATERIAL_STABLE_NEO_HOOKEAN, seed);
    if (even)
        b->sample.materials[1].young = b->sample.materials[0].young;
    if (thaw_model_create(&b->sample.world, &b->model, &error) != THAW_OK ||
        thaw_frame_tree_create(b->model->shapes[0], frames, weights, &b->tree, &error) != THAW_OK)
        fail_msg("%s", error.message);
    b->shape = b->model->shapes[0];
    b->nx = dim * b->shape->nv;
    b->scripted = THAW_NEW(unsigned char, b->shape->nv);
}

static void body_free(Body *b) {
    thaw_free(b->scripted);
    thaw_frame_tree_free(&b->tree);
    assert_null(b->tree);
    thaw_model_free(&b->model);
    sample_free(&b->sample);
}

static ThawMap *make_map(const Body *b, const unsigned char *active, int order, const double *y) {
    ThawMap *map;
    ThawError error = {0};
    const ThawFrameMapDef def = {b->tree, active, b->scripted, 0, order, y, b->shape->all};
    if (thaw_map_frames_create(&def, &map, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return map;
}

// The largest part of v, of size 1, that is not among the map's motions.
static double outside(const ThawMap *map, const double *v) {
    const int size = map->shape->nv * map->shape->dim;
    double *q = THAW_NEW(double, map->n * map->shape->dim), *near = THAW_NEW(double, size), most = 0;
    map->ops->project(map, NULL, v, q);
    map->ops->apply(map, q, NULL, near);
    for (int i = 0; i < size; i++)
        most = fmax(most, fabs(v[i] - near[i]));
    thaw_free(q);
    thaw_free(near);
    return most;
}

static double sum_of(const Body *b, const int32_t *node, const double *weight, double place[3]) {
    double sum = 0;
    memset(place, 0, 3 * sizeof *place);
    for (int k = 0; k < THAW_INFLUENCES_MAX && node[k] >= 0; k++) {
        sum += weight[k];
        for (int i = 0; i < b->dim; i++)
            place[i] += weight[k] * b->shape->X[b->tree->vertex[node[k]] * b->dim + i];
    }
    return sum;
}

static void weights_sum_to_one_and_reproduce_places(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < THAW_FRAME_WEIGHTS_COUNT; kind++)
            for (int frames = 1; frames <= 40; frames = 3 * frames + 1) {
                Body b;
                body_create(&b, dim, 8, 0, frames, (ThawFrameWeights)kind, 3);
                const ThawFrameTree *tree = b.tree;
                double place[3], off = 0, largest = 0;
                int32_t exact = 0;
                assert_int_equal(tree->count, frames);
                for (int32_t i = 0; i < b.shape->nv; i++) {
                    const size_t at = (size_t)i * THAW_INFLUENCES_MAX;
                    assert_true(fabs(sum_of(&b, tree->node + at, tree->weight + at, place) - 1) <= 1e-14);
                    double far = 0;
                    for (int k = 0; k < dim; k++)
                        far = fmax(far, fabs(place[k] - b.shape->X[i * dim + k]));
                    exact += far < 1e-12;
                    off = fmax(off, far);
                    for (size_t k = at; k < at + THAW_INFLUENCES_MAX; k++)
                        largest = fmax(largest, fabs(tree->weight[k]));
                }
                for (int32_t n = 1; n < tree->count; n++) {
                    const size_t at = (size_t)n * THAW_INFLUENCES_MAX;
                    assert_true(fabs(sum_of(&b, tree->parent + at, tree->parent_weight + at, place) - 1) <= 1e-14);
                    for (size_t k = at; k < at + THAW_INFLUENCES_MAX && tree->parent[k] >= 0; k++)
                        assert_true(tree->parent[k] < tree->end[thaw_frame_level(tree, n) - 1]);
                }
                print_message("%dD, %s, %d frames: places exact at %.1f %% of vertices, off by %.2g; weights to %.2f\n",
                              dim, kind ? "ratios" : "kernel", frames, 100. * exact / b.shape->nv, off, largest);
                if (kind == THAW_FRAME_KERNEL && frames > 4) // fewer nodes span no cell
                    assert_true(exact > 0.6 * b.shape->nv);
                assert_true(largest < 4);
                body_free(&b);
            }
}

// The same in every run, whatever else is there; nodes of coarser levels stay.
static void nodes_are_nested_and_the_same_in_every_run(void **state) {
    (void)state;
    Body a, b;
    body_create(&a, 3, 6, 0, 27, THAW_FRAME_KERNEL, 2);
    body_create(&b, 3, 6, 0, 27, THAW_FRAME_KERNEL, 2);
    assert_int_equal(a.tree->levels, 4);
    assert_int_equal(a.tree->end[0], 1);
    assert_int_equal(a.tree->end[3], 27);
    assert_memory_equal(a.tree->vertex, b.tree->vertex, 27 * sizeof(int32_t));
    assert_memory_equal(a.tree->weight, b.tree->weight, sizeof(double) * (size_t)a.shape->nv * THAW_INFLUENCES_MAX);
    for (int l = 1; l < a.tree->levels; l++)
        assert_true(a.tree->spacing[l] < a.tree->spacing[l - 1]);
    body_free(&a);
    body_free(&b);
}

// Frames gather where the body is soft.
static void soft_parts_have_more_frames(void **state) {
    (void)state;
    Body b;
    body_create(&b, 2, 12, 0, 20, THAW_FRAME_KERNEL, 5);
    const ThawElementBlock *cells = b.shape->cells;
    double soft = 0, area = 0, whole = 0;
    for (int32_t e = 0; e < cells->count; e++) { // each node counts in all of its elements
        const int is_soft = thaw_element_modulus(b.shape, cells, e) < 2e5;
        whole += cells->weight[e];
        area += is_soft * cells->weight[e];
    }
    for (int32_t n = 0; n < b.tree->count; n++) {
        double near = 0, all = 0;
        for (int32_t e = 0; e < cells->count; e++)
            for (int a = 0; a < 3; a++)
                if (cells->elements[3 * e + a] == b.tree->vertex[n]) {
                    all++;
                    near += thaw_element_modulus(b.shape, cells, e) < 2e5;
                }
        soft += near / all;
    }
    print_message("soft: %.0f %% of the area, %.0f %% of the frames\n", 100 * area / whole, 100 * soft / b.tree->count);
    assert_true(soft / b.tree->count > 1.1 * area / whole);
    body_free(&b);
}

// Any affine motion, by any weights and any set of frames; with quadratic frames quadratic ones.
static void affine_and_quadratic_motions_are_exact(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < THAW_FRAME_WEIGHTS_COUNT; kind++)
            for (uint64_t seed = 1; seed <= 4; seed++) {
                Body b;
                unsigned char active[9] = {0};
                body_create(&b, dim, 5, 0, 9, (ThawFrameWeights)kind, seed);
                for (int n = 0; n < 9; n++)
                    active[n] = sample_below(&seed, 2) == 0;
                double *v = THAW_NEW(double, b.nx), *y = THAW_NEW(double, b.nx);
                for (int i = 0; i < b.nx; i++) // a bent body
                    y[i] = b.shape->X[i] + 0.2 * b.shape->X[i / dim * dim] * b.shape->X[i / dim * dim];
                for (int order = 1; order <= 2; order++) {
                    ThawMap *map = make_map(&b, active, order, y);
                    for (int i = 0; i < b.nx; i++) {
                        const double *at = y + i / dim * dim;
                        v[i] = 0.3 * at[0] - 0.2 * at[1] + 0.1 * (i % dim);
                        v[i] += order == 2 ? 0.4 * at[0] * at[1] - at[dim - 1] * at[dim - 1] : 0;
                    }
                    assert_true(outside(map, v) < 1e-9);
                    thaw_map_free(&map);
                }
                thaw_free(v);
                thaw_free(y);
                body_free(&b);
            }
}

// What a set of frames can do, any set that contains it can.
static void motions_of_fewer_frames_are_among_those_of_more(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            Body b;
            unsigned char few[12] = {0}, more[12] = {0};
            body_create(&b, dim, 5, 0, 12, THAW_FRAME_KERNEL, seed);
            for (int n = 0; n < 12; n++) {
                few[n] = sample_below(&seed, 3) == 0;
                more[n] = few[n] || sample_below(&seed, 3) == 0;
            }
            ThawMap *coarse = make_map(&b, few, 1, b.shape->X), *fine = make_map(&b, more, 1, b.shape->X);
            double *q = THAW_NEW(double, dim * coarse->n), *v = THAW_NEW(double, b.nx);
            for (int i = 0; i < dim * coarse->n; i++)
                q[i] = sample_random(&seed);
            coarse->ops->apply(coarse, q, NULL, v);
            assert_true(outside(fine, v) < 1e-8);
            thaw_map_free(&coarse);
            thaw_map_free(&fine);
            thaw_free(q);
            thaw_free(v);
            body_free(&b);
        }
}

// A face is scripted: nothing moves there, and a polynomial that vanishes on it is exact.
static void fields_vanish_where_scripts_hold(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Body b;
        body_create(&b, dim, 5, 1, 6, THAW_FRAME_KERNEL, 1);
        double least = 1, most = 0, *v = THAW_NEW(double, b.nx);
        for (int32_t i = 0; i < b.shape->nv; i++)
            least = fmin(least, b.shape->X[i * dim]);
        for (int32_t g = 0; g < b.shape->group_count; g++)
            if (strcmp(b.shape->groups[g].name, "x-min") == 0)
                for (int32_t k = 0; k < b.shape->groups[g].count; k++)
                    b.scripted[b.shape->groups[g].vertices[k]] = 1;
        ThawMap *map = make_map(&b, NULL, 2, b.shape->X);
        for (int32_t i = 0; i < b.shape->nv; i++)
            for (int k = 0; k < dim; k++) {
                const double *X = b.shape->X + i * dim, x = b.scripted[i] ? 0 : X[0];
                v[i * dim + k] = k == 0 ? x : x * (0.5 * X[0] - X[1]);
                most = fmax(most, fabs(v[i * dim + k]));
            }
        // The face is not quite flat: as much of it is left.
        print_message("%dD: %.3g of a field that vanishes on a rough face is left out\n", dim, outside(map, v) / most);
        assert_true(outside(map, v) < 0.02 * most);
        double *q = THAW_NEW(double, dim * map->n);
        map->ops->project(map, NULL, v, q);
        map->ops->apply(map, q, NULL, v);
        for (int i = 0; i < b.nx; i++)
            assert_true(!b.scripted[i / dim] || v[i] == 0);
        thaw_map_free(&map);
        thaw_free(q);
        thaw_free(v);
        body_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_sum_to_one_and_reproduce_places),
        cmocka_unit_test(nodes_are_nested_and_the_same_in_every_run),
        cmocka_unit_test(soft_parts_have_more_frames),
        cmocka_unit_test(affine_and_quadratic_motions_are_exact),
        cmocka_unit_test(motions_of_fewer_frames_are_among_those_of_more),
        cmocka_unit_test(fields_vanish_where_scripts_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
