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
        check_elements(model->shapes[0], model->shapes[0]->all, NULL);
        check_colours(model->shapes[0], model->shapes[0]->all);
        assert_true(model->shapes[0]->all->colour_count > 1 && model->shapes[0]->all->colour_count < 32);
        assert_true(model->shapes[0]->all->has_alpha1);
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
    const ThawShape *shape = model->shapes[0];
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
    check_elements(model->shapes[0], model->shapes[0]->all, NULL);
    check_colours(model->shapes[0], model->shapes[0]->all);
    // As part of a mesh so large that the star's own bandwidth does not make the chunks wide.
    ThawShape part = *model->shapes[0];
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
    const ThawShape *shape = model->shapes[0];
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

// --- weights and offsets of their own --------------------------------------------------------------------------------

// A box of equal cells and one material, and its forces.
typedef struct Patch {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    ThawIntegrationSet *half; // every other element
    int dim, nx;
    double *x, *f, *u, *y, *partial, *share;
    uint64_t seed;
} Patch;

static void patch_create(Patch *p, int dim) {
    ThawError error = {0};
    *p = (Patch){.dim = dim, .seed = 5};
    sample_create(&p->sample, dim, 3, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 3);
    p->sample.materials[1] = p->sample.materials[0];
    p->model = model_of(&p->sample.world);
    p->shape = p->model->shapes[0];
    p->nx = dim * p->shape->nv;
    int32_t *elements = THAW_NEW(int32_t, p->shape->ne), count = 0;
    double all = 0, some = 0;
    for (int32_t e = 0; e < p->shape->ne; e++) {
        all += p->shape->cells->weight[e];
        some += e % 2 == 0 ? p->shape->cells->weight[e] : 0;
        if (e % 2 == 0)
            elements[count++] = e;
    }
    assert_int_equal(thaw_integration_create(p->shape, elements, count, &p->half, &error), THAW_OK);
    p->x = THAW_NEW(double, 4 * p->nx);
    p->f = p->x + p->nx;
    p->u = p->f + p->nx;
    p->y = p->u + p->nx;
    p->partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(p->shape));
    p->share = THAW_NEW(double, p->shape->ne);
    for (int32_t e = 0; e < p->shape->ne; e++) // about two
        p->share[e] = all / some;
    thaw_free(elements);
}

static void patch_free(Patch *p) {
    thaw_integration_free(&p->half);
    thaw_free(p->x);
    thaw_free(p->partial);
    thaw_free(p->share);
    thaw_model_free(&p->model);
    sample_free(&p->sample);
}

// The sum of f_i X_i', row-major: what forces do to affine fields.
static void affine_forces(const Patch *p, const double *f, double sum[9]) {
    memset(sum, 0, 9 * sizeof *sum);
    for (int32_t i = 0; i < p->shape->nv; i++)
        for (int a = 0; a < p->dim; a++)
            for (int b = 0; b < p->dim; b++)
                sum[3 * a + b] += f[i * p->dim + a] * p->shape->X[i * p->dim + b];
}

static void affine_field(const Patch *p, const double A[9], double *v) {
    for (int32_t i = 0; i < p->nx; i++) {
        v[i] = 0;
        for (int k = 0; k < p->dim; k++)
            v[i] += A[3 * (i % p->dim) + k] * p->shape->X[i / p->dim * p->dim + k];
    }
}

static double largest_of(const double *a, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i]));
    return largest;
}

static void half_the_elements_with_twice_the_weight_push_affine_fields_alike(void **state) {
    (void)state;
    static const double F[9] = {1.2, 0.1, 0, -0.15, 0.9, 0.05, 0.1, 0, 1.05},
                        L[9] = {0.3, -1, 2, 0.5, 1, 0, -0.7, 0.2, 1};
    const ThawStiffness scale = {1, 0, 0};
    for (int dim = 2; dim <= 3; dim++) {
        Patch p;
        double all[9], half[9], forms[2], form;
        patch_create(&p, dim);
        affine_field(&p, F, p.x);
        affine_field(&p, L, p.u);
        const double energy = thaw_force_energy(p.shape->all, NULL, p.x, p.partial);
        assert_int_equal(thaw_force_internal(p.shape->all, NULL, p.x, p.shape->nv, p.f, p.partial), THAW_OK);
        affine_forces(&p, p.f, all);
        thaw_force_product(p.shape->all, NULL, p.x, p.u, scale, p.shape->nv, p.y, forms, p.partial);
        form = forms[0];
        assert_true(energy < 2.5 * thaw_force_energy(p.half, NULL, p.x, p.partial));
        thaw_integration_set_weights(p.half, p.shape, p.share);
        assert_true(p.half->weighted);
        assert_true(fabs(energy - thaw_force_energy(p.half, NULL, p.x, p.partial)) <= 1e-12 * energy);
        assert_int_equal(thaw_force_internal(p.half, NULL, p.x, p.shape->nv, p.f, p.partial), THAW_OK);
        affine_forces(&p, p.f, half);
        for (int i = 0; i < 9; i++)
            assert_true(fabs(all[i] - half[i]) <= 1e-12 * largest_of(all, 9));
        thaw_force_product(p.half, NULL, p.x, p.u, scale, p.shape->nv, p.y, forms, p.partial);
        assert_true(fabs(forms[0] - form) <= 1e-12 * form);
        thaw_integration_set_weights(p.half, p.shape, NULL); // and back
        assert_true(!p.half->weighted &&
                    p.half->batches[0].weight[0] == p.shape->cells->weight[p.half->batches[0].element[0]]);
        patch_free(&p);
    }
}

// F and first Piola-Kirchhoff stress of an element, from its forces alone.
static void element_stress(const Patch *p, int32_t e, double F[9], double P[9]) {
    ThawError error = {0};
    ThawIntegrationSet *one = NULL;
    const int dim = p->dim, nodes = dim + 1;
    const int32_t *vertex = p->shape->cells->elements + e * nodes;
    const double *g = p->shape->cells->gradient + e * dim * dim;
    assert_int_equal(thaw_integration_create(p->shape, &e, 1, &one, &error), THAW_OK);
    assert_int_equal(thaw_force_internal(one, NULL, p->x, p->shape->nv, p->y, p->partial), THAW_OK);
    thaw_integration_free(&one);
    memset(F, 0, 9 * sizeof *F);
    memset(P, 0, 9 * sizeof *P);
    F[8] = 1;
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++) {
            F[3 * i + k] = 0;
            for (int a = 0; a < nodes; a++) {
                const int32_t v = vertex[a] * dim;
                P[3 * i + k] -= p->y[v + i] * p->shape->X[v + k] / p->shape->cells->weight[e];
                F[3 * i + k] += a > 0 ? (p->x[v + i] - p->x[vertex[0] * dim + i]) * g[(a - 1) * dim + k] : 0;
            }
        }
}

// F^-1 B, row-major.
static void solve3(const double F[9], const double B[9], double out[9]) {
    double inverse[9], det = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            inverse[3 * k + i] = F[3 * ((i + 1) % 3) + (k + 1) % 3] * F[3 * ((i + 2) % 3) + (k + 2) % 3] -
                                 F[3 * ((i + 1) % 3) + (k + 2) % 3] * F[3 * ((i + 2) % 3) + (k + 1) % 3];
    for (int k = 0; k < 3; k++)
        det += F[k] * inverse[3 * k];
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += inverse[3 * (i / 3) + k] * B[3 * k + i % 3] / det;
    }
}

// Offsets that make a bent body rest where it is, each element of it, and half of its elements stand for all.
static void offsets_hold_a_stressed_body_in_balance_however_it_is_turned(void **state) {
    (void)state;
    static const int row[] = {0, 1, 2, 0, 1, 2}, column[] = {0, 1, 2, 1, 2, 0};
    for (int dim = 2; dim <= 3; dim++) {
        Patch p;
        ThawError error = {0};
        patch_create(&p, dim);
        double *S = THAW_NEW(double, THAW_STRESS_SIZE *p.shape->ne), F[9], P[9], full[9];
        for (int32_t i = 0; i < p.nx; i++)
            p.x[i] = p.shape->X[i] + 0.03 * sample_random(&p.seed);
        for (int32_t e = 0; e < p.shape->ne; e++) {
            element_stress(&p, e, F, P);
            solve3(F, P, full);
            assert_true(fabs(full[1] - full[3]) <= 1e-9 * (1 + largest_of(full, 9))); // it is symmetric
            for (int n = 0; n < THAW_STRESS_SIZE; n++)
                S[THAW_STRESS_SIZE * e + n] = -full[3 * row[n] + column[n]];
        }
        thaw_integration_set_weights(p.half, p.shape, p.share);
        assert_int_equal(thaw_force_internal(p.half, NULL, p.x, p.shape->nv, p.f, p.partial), THAW_OK);
        const double before = largest_of(p.f, p.nx);
        assert_int_equal(thaw_integration_set_offset(p.half, S, &error), THAW_OK);
        for (int turn = 0; turn < 2; turn++) { // as it is, and turned by a right angle
            assert_int_equal(thaw_force_internal(p.half, NULL, p.x, p.shape->nv, p.f, p.partial), THAW_OK);
            assert_true(before > 0 && largest_of(p.f, p.nx) <= 1e-11 * before);
            for (int32_t i = 0; i < p.shape->nv; i++) {
                const double first = p.x[i * dim];
                p.x[i * dim] = -p.x[i * dim + 1], p.x[i * dim + 1] = first;
            }
        }
        assert_int_equal(thaw_integration_set_offset(p.half, NULL, &error), THAW_OK);
        assert_int_equal(thaw_force_internal(p.half, NULL, p.x, p.shape->nv, p.f, p.partial), THAW_OK);
        assert_true(largest_of(p.f, p.nx) > 0.5 * before);
        thaw_free(S);
        patch_free(&p);
    }
}

typedef struct DenseSink {
    const ThawIntegrationSet *set;
    int dim, nx;
    double *K;
} DenseSink;

static void add_dense(void *context, int32_t batch, const ThawLanes *blocks) {
    const DenseSink *sink = context;
    const ThawBatch *b = &sink->set->batches[batch];
    const int dim = sink->dim;
    for (int a = 0; a < b->kind->nodes; a++)
        for (int c = 0; c <= a; c++)
            for (int i = 0; i < dim * dim; i++, blocks++)
                for (int l = 0; l < THAW_LANES; l++) {
                    const int r = b->vertex[a][l] * dim + i / dim, k = b->vertex[c][l] * dim + i % dim;
                    if (b->element[l] < 0)
                        continue;
                    sink->K[r * sink->nx + k] += (*blocks)[l];
                    if (a != c)
                        sink->K[k * sink->nx + r] += (*blocks)[l];
                }
}

// With random offsets: forces and products are the energy's derivatives, blocks are the products', net force and torque
// are 0, and what is projected resists.
static void offsets_have_an_energy_with_forces_and_stiffness_of_it(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int project = 0; project < 2; project++) {
            Patch p;
            ThawError error = {0};
            const ThawStiffness scale = {0.7, 0, project};
            const double step = 1e-6;
            double forms[2], torque = 0, sum = 0, slope = 0;
            patch_create(&p, dim);
            double *S = THAW_NEW(double, THAW_STRESS_SIZE *p.shape->ne), *K = THAW_NEW(double, p.nx *p.nx);
            for (int32_t i = 0; i < THAW_STRESS_SIZE * p.shape->ne; i++)
                S[i] = 1e5 * sample_random(&p.seed);
            for (int32_t i = 0; i < p.nx; i++) {
                p.x[i] = p.shape->X[i] + 0.03 * sample_random(&p.seed);
                p.u[i] = sample_random(&p.seed);
            }
            thaw_integration_set_weights(p.half, p.shape, p.share);
            assert_int_equal(thaw_integration_set_offset(p.half, S, &error), THAW_OK);
            DenseSink sink = {p.half, dim, p.nx, K};
            assert_int_equal(thaw_force_linearise(p.half, NULL, p.x, scale, (ThawBlockSink){add_dense, &sink},
                                                  p.shape->nv, p.f, p.partial),
                             THAW_OK);
            for (int32_t i = 0; i < p.shape->nv; i++) {
                sum += p.f[i * dim];
                torque += p.x[i * dim] * p.f[i * dim + 1] - p.x[i * dim + 1] * p.f[i * dim];
            }
            assert_true(fabs(sum) + fabs(torque) <= 1e-10 * largest_of(p.f, p.nx));
            thaw_force_product(p.half, NULL, p.x, p.u, scale, p.shape->nv, p.y, forms, p.partial);
            assert_true(!project || forms[0] > 0);
            for (int32_t i = 0; i < p.nx; i++) {
                double product = 0;
                for (int32_t k = 0; k < p.nx; k++)
                    product += K[i * p.nx + k] * p.u[k];
                assert_true(fabs(product - p.y[i]) <= 1e-11 * largest_of(p.y, p.nx));
                slope -= p.f[i] * p.u[i];
                p.x[i] += step * p.u[i];
            }
            if (!project) {
                double *f1 = K, bend = 0, difference = thaw_force_energy(p.half, NULL, p.x, p.partial);
                assert_int_equal(thaw_force_internal(p.half, NULL, p.x, p.shape->nv, f1, p.partial), THAW_OK);
                for (int32_t i = 0; i < p.nx; i++) {
                    bend = fmax(bend, fabs((p.f[i] - f1[i]) / step * 0.7 - p.y[i]));
                    p.x[i] -= 2 * step * p.u[i];
                }
                difference -= thaw_force_energy(p.half, NULL, p.x, p.partial);
                assert_true(fabs(difference / (2 * step) - slope) <= 1e-5 * fabs(slope));
                assert_true(bend <= 1e-3 * largest_of(p.y, p.nx));
            }
            thaw_free(S);
            thaw_free(K);
            patch_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_there_once_and_colours_do_not_touch),
        cmocka_unit_test(parts_of_the_elements_give_parts_of_the_sums),
        cmocka_unit_test(a_vertex_of_more_than_64_chunks_is_coloured_right),
        cmocka_unit_test(half_the_elements_with_twice_the_weight_push_affine_fields_alike),
        cmocka_unit_test(offsets_hold_a_stressed_body_in_balance_however_it_is_turned),
        cmocka_unit_test(offsets_have_an_energy_with_forces_and_stiffness_of_it),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
