// SPDX-License-Identifier: Apache-2.0
// The integration set: every element once, chunks of one colour share no vertex, a part of the elements gives a part of
// the sums, and the same bits come out for any number of threads.
#include "force/force.h"
#include "model/model.h"
#include "step/sample.h"

static ThawModel *model_of(const ThawWorldDef *def) {
    ThawModel *model = NULL;
    ThawError error = {0};
    if (thaw_model_create(def, &model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return model;
}

// Each element of `expected` (ne flags) in exactly one used lane; batches are of one material model.
static void check_elements(const ThawShape *shape, const ThawIntegrationSet *set, const unsigned char *expected) {
    int32_t *times = THAW_NEW(int32_t, shape->ne), count = 0;
    assert_int_equal(set->chunk[0], 0);
    assert_int_equal(set->chunk[set->chunk_count], set->batch_count);
    assert_int_equal(set->colour[0], 0);
    assert_int_equal(set->colour[set->colour_count], set->chunk_count);
    for (int32_t b = 0; b < set->batch_count; b++)
        for (int l = 0; l < THAW_LANES; l++) {
            const ThawBatch *batch = &set->batches[b];
            int32_t e = batch->element[l];
            if (e < 0) {
                assert_true(batch->weight[l] == 0);
                continue;
            }
            times[e]++;
            count++;
            assert_true(batch->weight[l] == shape->cells->weight[e]);
            assert_ptr_equal(batch->material, shape->materials[shape->cells->material[e]].ops);
            for (int a = 0; a < set->nodes; a++)
                assert_int_equal(batch->vertex[a][l], shape->cells->elements[e * set->nodes + a]);
        }
    for (int32_t e = 0; e < shape->ne; e++)
        assert_int_equal(times[e], expected ? expected[e] : 1);
    assert_int_equal(count, set->element_count);
    thaw_free(times);
}

static void check_colours(const ThawShape *shape, const ThawIntegrationSet *set) {
    int32_t *owner = THAW_NEW(int32_t, shape->nv);
    for (int32_t c = 0; c < set->colour_count; c++) {
        assert_true(set->colour[c] < set->colour[c + 1]); // no empty colour
        memset(owner, 0, sizeof *owner * (size_t)shape->nv);
        for (int32_t k = set->colour[c]; k < set->colour[c + 1]; k++)
            for (int32_t b = set->chunk[k]; b < set->chunk[k + 1]; b++)
                for (int a = 0; a < set->nodes; a++)
                    for (int l = 0; l < THAW_LANES; l++) {
                        int32_t *o = &owner[set->batches[b].vertex[a][l]];
                        if (*o && *o != k + 1)
                            fail_msg("colour %d: chunks %d and %d share a vertex", (int)c, (int)*o - 1, (int)k);
                        *o = k + 1;
                    }
    }
    thaw_free(owner);
}

static void every_element_is_there_once_and_colours_do_not_touch(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Sample s;
        sample_create(&s, dim, dim == 2 ? 40 : 12, THAW_MATERIAL_STVK, 3);
        s.materials[1].model = THAW_MATERIAL_COROTATIONAL;
        ThawModel *model = model_of(&s.world);
        check_elements(&model->shapes[0], model->shapes[0].all, NULL);
        check_colours(&model->shapes[0], model->shapes[0].all);
        assert_true(model->shapes[0].all->colour_count > 1 && model->shapes[0].all->colour_count < 32);
        assert_true(model->shapes[0].all->has_alpha1);
        thaw_model_free(&model);
        sample_free(&s);
    }
}

static void parts_of_the_elements_give_parts_of_the_sums(void **state) {
    (void)state;
    Sample s;
    ThawError error = {0};
    sample_create(&s, 3, 6, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 3);
    s.materials[1].model = THAW_MATERIAL_NEO_HOOKEAN;
    ThawModel *model = model_of(&s.world);
    const ThawShape *shape = &model->shapes[0];
    int n = 3 * shape->nv;
    double *x = THAW_NEW(double, 8 * n), *f = x + n, *sum = f + n, *y = sum + n, *ysum = y + n, *u = ysum + n;
    double partial[1000], energy = 0, forms[2], whole = 0;
    uint64_t seed = 8;
    for (int i = 0; i < n; i++) {
        x[i] = shape->X[i] + 0.02 * sample_random(&seed);
        u[i] = sample_random(&seed);
    }
    int32_t *elements = THAW_NEW(int32_t, shape->ne);
    unsigned char *part = THAW_NEW(unsigned char, 2 * shape->ne), *expected = part + shape->ne;
    for (int32_t e = 0; e < shape->ne; e++)
        part[e] = (unsigned char)sample_below(&seed, 3);
    for (int p = 0; p < 3; p++) {
        int32_t count = 0;
        ThawIntegrationSet *set = NULL;
        for (int32_t e = 0; e < shape->ne; e++) {
            expected[e] = part[e] == p;
            if (part[e] == p)
                elements[count++] = e;
        }
        assert_int_equal(thaw_integration_create(shape, elements, count, &set, &error), THAW_OK);
        check_elements(shape, set, expected);
        check_colours(shape, set);
        energy += thaw_force_energy(set, NULL, x, partial);
        assert_int_equal(thaw_force_internal(set, NULL, x, shape->nv, f, partial), THAW_OK);
        thaw_force_product(set, NULL, x, u, (ThawStiffness){1, 1, 0}, shape->nv, y, forms, partial);
        for (int i = 0; i < n; i++) {
            sum[i] += f[i];
            ysum[i] += y[i];
        }
        thaw_integration_free(&set);
    }
    whole = thaw_force_energy(shape->all, NULL, x, partial);
    assert_true(fabs(energy - whole) <= 1e-12 * whole);
    thaw_force_internal(shape->all, NULL, x, shape->nv, f, partial);
    thaw_force_product(shape->all, NULL, x, u, (ThawStiffness){1, 1, 0}, shape->nv, y, forms, partial);
    for (int i = 0; i < n; i++) {
        assert_true(fabs(sum[i] - f[i]) <= 1e-12 * 1e5);
        assert_true(fabs(ysum[i] - y[i]) <= 1e-12 * 1e6);
    }
    // Nothing at all is a set too.
    ThawIntegrationSet *none = NULL;
    assert_int_equal(thaw_integration_create(shape, elements, 0, &none, &error), THAW_OK);
    assert_true(thaw_force_energy(none, NULL, x, partial) == 0);
    assert_int_equal(thaw_force_internal(none, NULL, x, shape->nv, f, partial), THAW_OK);
    for (int i = 0; i < n; i++)
        assert_true(f[i] == 0);
    thaw_integration_free(&none);
    thaw_free(x);
    thaw_free(elements);
    thaw_free(part);
    thaw_model_free(&model);
    sample_free(&s);
}

// A disc of `count` triangles round one vertex.
static ThawMesh *star(int32_t count) {
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_mesh_create(2, count + 1, count, &mesh, &error), THAW_OK);
    assert_int_equal(thaw_mesh_set_regions(mesh, 1, &error), THAW_OK);
    mesh->region_names[0] = thaw_strdup("star");
    for (int32_t i = 0; i < count; i++) {
        double angle = 2 * acos(-1) * i / count;
        mesh->x[2 * i + 2] = cos(angle);
        mesh->x[2 * i + 3] = sin(angle);
        memcpy(mesh->elements + 3 * i, (int32_t[3]){0, i + 1, (i + 1) % count + 1}, 3 * sizeof(int32_t));
    }
    return mesh;
}

static void a_vertex_of_more_than_64_chunks_is_coloured_right(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 2, 1, THAW_MATERIAL_STVK, 3);
    thaw_mesh_free(&s.mesh);
    s.shape.mesh = s.mesh = star(16000);
    s.shape.group_count = 0;
    s.shape.region_material = NULL;
    ThawModel *model = model_of(&s.world);
    check_elements(&model->shapes[0], model->shapes[0].all, NULL);
    check_colours(&model->shapes[0], model->shapes[0].all);
    // As part of a mesh so large that the star's own bandwidth does not make the chunks wide.
    ThawShape part = model->shapes[0];
    part.nv = 1000000;
    ThawIntegrationSet *set = NULL;
    assert_int_equal(thaw_integration_create(&part, NULL, 0, &set, NULL), THAW_OK);
    assert_true(set->chunk_count > 80);
    assert_int_equal(set->colour_count, set->chunk_count); // all share the middle
    check_elements(&part, set, NULL);
    check_colours(&part, set);
    thaw_integration_free(&set);
    thaw_model_free(&model);
    sample_free(&s);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 10, THAW_MATERIAL_COROTATIONAL, 3);
    ThawModel *model = model_of(&s.world);
    const ThawShape *shape = &model->shapes[0];
    int n = 3 * shape->nv;
    double *x = THAW_NEW(double, 5 * n), *partial = THAW_NEW(double, 2 * shape->all->chunk_count);
    double forms[2], first[2], energies[2];
    uint64_t seed = 8;
    for (int i = 0; i < n; i++)
        x[i] = shape->X[i] + 0.01 * sample_random(&seed);
    for (int threads = 1; threads <= 4; threads++) {
        ThawTasks *tasks = NULL;
        assert_int_equal(thaw_tasks_create(threads, &tasks, NULL), THAW_OK);
        double *f = x + (threads == 1 ? 1 : 2) * n, *y = x + (threads == 1 ? 3 : 4) * n;
        assert_int_equal(thaw_force_internal(shape->all, tasks, x, shape->nv, f, partial), THAW_OK);
        thaw_force_product(shape->all, tasks, x, shape->X, (ThawStiffness){1, 1, 0}, shape->nv, y,
                           threads == 1 ? first : forms, partial);
        energies[threads > 1] = thaw_force_energy(shape->all, tasks, x, partial);
        if (threads > 1) {
            assert_memory_equal(x + n, f, sizeof *f * (size_t)n);
            assert_memory_equal(x + 3 * n, y, sizeof *y * (size_t)n);
            assert_memory_equal(first, forms, sizeof first);
            assert_memory_equal(&energies[0], &energies[1], sizeof energies[0]);
        }
        thaw_tasks_free(&tasks);
    }
    thaw_free(x);
    thaw_free(partial);
    thaw_model_free(&model);
    sample_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_there_once_and_colours_do_not_touch),
        cmocka_unit_test(parts_of_the_elements_give_parts_of_the_sums),
        cmocka_unit_test(a_vertex_of_more_than_64_chunks_is_coloured_right),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
