// SPDX-License-Identifier: Apache-2.0
// A shape is a list of blocks, and a kind of element is a table: the same tetrahedra in two blocks give the same sums,
// and bars (two nodes, one dimension, in space), a kind that only this file knows, stand beside tetrahedra in one set,
// one force and one matrix.
#include "force/kernel.h"
#include "force/pass.h"
#include "map/map.h"
#include "model/model.h"
#include "step/sample.h"

// --- bars: psi = c/2 (s - 1)^2 with the stretch s = |x1 - x0| g ------------------------------------------------------

static void rest_bar(const double *X, double *weight, double *gradient) {
    *weight = sqrt((X[3] - X[0]) * (X[3] - X[0]) + (X[4] - X[1]) * (X[4] - X[1]) + (X[5] - X[2]) * (X[5] - X[2]));
    *gradient = 1 / *weight;
}

// The direction n from node 0 to node 1, and the stretch.
static ThawLanes stretch_of(const ThawBatch *batch, const double *x, ThawLanes n[3]) {
    ThawLanes d[3][3];
    gather_edges(batch, 3, 2, x, d);
    ThawLanes length = thaw_lanes_sqrt(d[0][0] * d[0][0] + d[0][1] * d[0][1] + d[0][2] * d[0][2]);
    for (int i = 0; i < 3; i++)
        n[i] = d[0][i] / length;
    return length * batch->gradient[0];
}

static void energy_bar(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes sum = thaw_lanes_set(0), n[3];
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes s = stretch_of(batch, pass->x, n) - 1;
        sum += batch->weight * 0.5 * batch->c[0] * s * s;
    }
    pass->partial[chunk] = sum_lanes(sum);
}

// y_1 += t, y_0 -= t.
static void pull(const ThawBatch *batch, const ThawLanes t[3], double *y) {
    for (int l = 0; l < THAW_LANES; l++)
        for (int i = 0; i < 3; i++) {
            y[3 * batch->vertex[1][l] + i] += t[i][l];
            y[3 * batch->vertex[0][l] + i] -= t[i][l];
        }
}

static void force_of(const ThawForcePass *pass, const ThawBatch *batch) {
    ThawLanes n[3], t[3], s = stretch_of(batch, pass->x, n);
    for (int i = 0; i < 3; i++)
        t[i] = -batch->weight * batch->gradient[0] * batch->c[0] * (s - 1) * n[i];
    pull(batch, t, pass->y);
}

static void force_bar(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++)
        force_of(pass, &pass->set->batches[b]);
    pass->partial[chunk] = 0;
}

// K_11 = w c g^2 (nn' + (1 - 1/s) (I - nn')), times the pass' scale.
static void stiffness_of(const ThawForcePass *pass, const ThawBatch *batch, ThawLanes K[3][3]) {
    ThawLanes n[3], s = stretch_of(batch, pass->x, n), g = batch->gradient[0];
    ThawLanes k = (pass->scale.stiffness + pass->scale.damping * batch->alpha1) * batch->weight * batch->c[0] * g * g;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[i][j] = k * (n[i] * n[j] / s + (i == j ? 1 - 1 / s : thaw_lanes_set(0)));
}

static void linearise_bar(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        ThawLanes K[3][3], blocks[3 * 9];
        force_of(pass, &pass->set->batches[b]);
        stiffness_of(pass, &pass->set->batches[b], K);
        for (int i = 0; i < 9; i++) {
            blocks[i] = blocks[18 + i] = K[i / 3][i % 3]; // (0, 0), (1, 1)
            blocks[9 + i] = -K[i / 3][i % 3];             // (1, 0)
        }
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = 0;
}

static void product_bar(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes K[3][3], d[3][3], t[3];
        stiffness_of(pass, batch, K);
        gather_edges(batch, 3, 2, pass->u, d);
        for (int i = 0; i < 3; i++)
            t[i] = K[i][0] * d[0][0] + K[i][1] * d[0][1] + K[i][2] * d[0][2];
        pull(batch, t, pass->y);
    }
    pass->partial[2 * chunk] = pass->partial[2 * chunk + 1] = 0;
}

static const ThawElementOps BAR = {.name = "bar",
                                   .space = 3,
                                   .dim = 1,
                                   .nodes = 2,
                                   .points = 1,
                                   .rest = rest_bar,
                                   .energy = energy_bar,
                                   .force = force_bar,
                                   .linearise = linearise_bar,
                                   .product = product_bar};

// --- shapes of two blocks --------------------------------------------------------------------------------------------

typedef struct Two {
    Sample sample;
    ThawModel *model;
    ThawShape shape; // the model's, with blocks of our own
    ThawElementBlock blocks[2];
    int n;
    double *x, *u, *a, *b, *partial;
} Two;

static void two_create(Two *t) {
    ThawError error = {0};
    uint64_t seed = 11;
    *t = (Two){.n = 0};
    sample_create(&t->sample, 3, 6, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 3);
    if (thaw_model_create(&t->sample.world, &t->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    t->shape = *t->model->shapes[0];
    t->blocks[0] = t->blocks[1] = t->shape.blocks[0];
    t->shape.blocks = t->blocks;
    t->shape.cells = t->blocks;
    t->shape.block_count = 2;
    t->n = 3 * t->shape.nv;
    t->x = THAW_NEW(double, 4 * t->n);
    t->u = t->x + t->n;
    t->a = t->u + t->n;
    t->b = t->a + t->n;
    t->partial = THAW_NEW(double, 1000);
    for (int i = 0; i < t->n; i++) {
        t->x[i] = t->shape.X[i] + 0.02 * sample_random(&seed);
        t->u[i] = sample_random(&seed);
    }
}

static void two_free(Two *t) {
    thaw_integration_free(&t->shape.all);
    thaw_free(t->x);
    thaw_free(t->partial);
    thaw_model_free(&t->model);
    sample_free(&t->sample);
}

static void pack(Two *t) {
    assert_int_equal(thaw_integration_create(&t->shape, NULL, 0, &t->shape.all, NULL), THAW_OK);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// y = A u from the lower triangle.
static void multiply(const ThawBlockMatrix *A, const double *u, double *y) {
    memset(y, 0, sizeof *y * 3 * (size_t)A->pattern->n);
    for (int32_t i = 0; i < A->pattern->n; i++)
        for (int32_t k = A->pattern->row[i]; k < A->pattern->row[i + 1]; k++)
            for (int e = 0; e < 9; e++) {
                const int32_t j = A->pattern->col[k], r = 3 * i + e / 3, c = 3 * j + e % 3;
                y[r] += A->value[9 * k + e] * u[c];
                if (i != j)
                    y[c] += A->value[9 * k + e] * u[r];
            }
}

static void the_same_elements_in_two_blocks_give_the_same_sums(void **state) {
    (void)state;
    Two t;
    two_create(&t);
    const ThawIntegrationSet *one = t.shape.all;
    const int32_t half = t.shape.ne / 3;
    t.blocks[0].count = t.blocks[1].first = half;
    t.blocks[1].count -= half;
    t.blocks[1].elements += 4 * half;
    t.blocks[1].material += half;
    t.blocks[1].weight += half;
    t.blocks[1].gradient += 9 * half;
    pack(&t);
    const ThawIntegrationSet *two = t.shape.all;
    assert_int_equal(two->element_count, one->element_count);
    for (int32_t k = 0; k < two->chunk_count; k++) // no chunk has elements of both
        for (int32_t b = two->chunk[k]; b < two->chunk[k + 1]; b++)
            assert_int_equal(two->batches[b].element[0] < half, two->batches[two->chunk[k]].element[0] < half);
    const double energy[] = {thaw_force_energy(one, NULL, t.x, t.partial),
                             thaw_force_energy(two, NULL, t.x, t.partial)};
    assert_true(energy[0] > 0 && fabs(energy[0] - energy[1]) < 1e-12 * energy[0]);
    double forms[2];
    for (int k = 0; k < 2; k++) {
        thaw_force_internal(one, NULL, t.x, t.shape.nv, t.a, t.partial);
        thaw_force_internal(two, NULL, t.x, t.shape.nv, t.b, t.partial);
        if (k == 1)
            thaw_force_product(one, NULL, t.x, t.u, (ThawStiffness){1, 1, 0}, t.shape.nv, t.a, forms, t.partial);
        if (k == 1)
            thaw_force_product(two, NULL, t.x, t.u, (ThawStiffness){1, 1, 0}, t.shape.nv, t.b, forms, t.partial);
        const double size = sqrt(dot(t.n, t.a, t.a));
        for (int i = 0; i < t.n; i++)
            assert_true(fabs(t.a[i] - t.b[i]) < 1e-12 * size);
    }
    two_free(&t);
}

// Bars along the first edge of every other tetrahedron.
static void add_bars(Two *t, int32_t *elements, double *weight, double *gradient) {
    ThawElementBlock *bars = &t->blocks[1];
    *bars = (ThawElementBlock){.kind = &BAR,
                               .first = t->shape.ne,
                               .elements = elements,
                               .material = t->blocks[0].material,
                               .weight = weight,
                               .gradient = gradient};
    for (int32_t e = 0; e < t->shape.ne; e += 2, bars->count++) {
        double X[6];
        for (int a = 0; a < 2; a++) {
            elements[2 * bars->count + a] = t->blocks[0].elements[4 * e + a];
            memcpy(X + 3 * a, t->shape.X + 3 * elements[2 * bars->count + a], 3 * sizeof *X);
        }
        BAR.rest(X, weight + bars->count, gradient + bars->count);
    }
    t->shape.ne += bars->count;
}

static void a_kind_of_its_own_stands_beside_tetrahedra(void **state) {
    (void)state;
    Two t;
    two_create(&t);
    int32_t *elements = THAW_NEW(int32_t, 2 * t.shape.ne), cells = t.shape.ne;
    double *rest = THAW_NEW(double, 2 * t.shape.ne), forms[2];
    const ThawIntegrationSet *solids = t.shape.all;
    add_bars(&t, elements, rest, rest + cells);
    pack(&t);
    const ThawIntegrationSet *set = t.shape.all;
    assert_int_equal(set->element_count, cells + t.blocks[1].count);
    const double energy = thaw_force_energy(set, NULL, t.x, t.partial);
    assert_true(energy > 1.001 * thaw_force_energy(solids, NULL, t.x, t.partial));

    // Forces are minus the slope of the energy; a product is minus the slope of the forces.
    const double step = 1e-6;
    double *moved = THAW_NEW(double, 3 * t.n), *ahead = moved + t.n, *behind = ahead + t.n, slope = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < t.n; i++)
            moved[i] = t.x[i] + side * step * t.u[i];
        slope += side * thaw_force_energy(set, NULL, moved, t.partial) / (2 * step);
        thaw_force_internal(set, NULL, moved, t.shape.nv, side > 0 ? ahead : behind, t.partial);
    }
    thaw_force_internal(set, NULL, t.x, t.shape.nv, t.a, t.partial);
    assert_true(fabs(slope + dot(t.n, t.a, t.u)) < 1e-6 * fabs(slope));
    thaw_force_product(set, NULL, t.x, t.u, (ThawStiffness){1, 0, 0}, t.shape.nv, t.b, forms, t.partial);
    const double size = sqrt(dot(t.n, t.b, t.b));
    for (int i = 0; i < t.n; i++)
        assert_true(fabs((behind[i] - ahead[i]) / (2 * step) - t.b[i]) < 1e-6 * size);

    // The matrix that the map makes of their blocks is the product's.
    unsigned char *scripted = THAW_NEW(unsigned char, t.shape.nv);
    ThawMap *map = NULL;
    ThawBlockPattern *pattern = NULL;
    assert_int_equal(thaw_map_identity_create(&t.shape, scripted, &map, NULL), THAW_OK);
    assert_int_equal(map->ops->pattern(map, &pattern, NULL), THAW_OK);
    ThawBlockMatrix A = {pattern, THAW_NEW(double, 9 * pattern->row[pattern->n])};
    ThawAssembly assembly = {map, A.value};
    thaw_force_linearise(set, NULL, t.x, (ThawStiffness){1, 0, 0}, (ThawBlockSink){map->ops->add_blocks, &assembly},
                         t.shape.nv, ahead, t.partial);
    multiply(&A, t.u, moved);
    for (int i = 0; i < t.n; i++) {
        assert_true(fabs(moved[i] - t.b[i]) < 1e-12 * size);
        assert_true(fabs(ahead[i] - t.a[i]) < 1e-12 * sqrt(dot(t.n, t.a, t.a)));
    }
    thaw_free(A.value);
    thaw_block_pattern_free(&pattern);
    thaw_map_free(&map);
    thaw_free(scripted);
    thaw_free(moved);
    thaw_free(elements);
    thaw_free(rest);
    two_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_elements_in_two_blocks_give_the_same_sums),
        cmocka_unit_test(a_kind_of_its_own_stands_beside_tetrahedra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
