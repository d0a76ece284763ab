// SPDX-License-Identifier: Apache-2.0
// Rigid parts of sheets under the map: what is left to evaluate bends beside parts, presses on them, and is all that
// does anything to them; the assembled matrix is the product of its factors.
#include "force/force.h"
#include "map/rigid/rigid.h"
#include "physics/sheets.h"
#include "reduced/reduced.h"

typedef struct Rig {
    ThawModel *model;
    const ThawShape *shape;
    ThawPartition *partition;
    ThawIntegrationSet *set;
    ThawSystem *system;
    ThawSolver *solver;
    unsigned char *flagged, *script;
    double *x, *v, *f, *y, *u, *partial, *q, *b, *expected;
    size_t n, nq;
} Rig;

static void cone(const void *context, double u, double v, double x[3]) {
    (void)context;
    x[0] = (u + 0.1) * cos(v);
    x[1] = (u + 0.1) * sin(v);
    x[2] = 0.2 * u * u;
}

// Flags: two bands of the sheet, apart from each other, and single triangles in between.
static void rig_create(Rig *r, ThawShapeDef *shape, ThawMaterialDef *material, uint64_t seed) {
    ThawWorldDef world = thaw_world_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawError error = {0};
    ThawTransition transition;
    ThawMap *map = NULL;
    *r = (Rig){0};
    world.materials = material;
    world.shapes = shape;
    world.bodies = &body;
    world.material_count = world.shape_count = world.body_count = 1;
    if (thaw_model_create(&world, &r->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    r->shape = r->model->shapes[0];
    r->n = 3 * (size_t)r->shape->nv;
    double **vectors[] = {&r->x, &r->v, &r->f, &r->y, &r->u};
    for (size_t i = 0; i < COUNT(vectors); i++)
        *vectors[i] = THAW_NEW(double, r->n);
    r->partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(r->shape));
    r->flagged = THAW_NEW(unsigned char, r->shape->ne);
    r->script = THAW_NEW(unsigned char, r->shape->nv);
    for (size_t i = 0; i < r->n; i++) {
        r->x[i] = r->shape->X[i] + 0.01 * sample_random(&seed);
        r->v[i] = sample_random(&seed);
    }
    for (int32_t e = 0; e < r->shape->ne; e++) {
        const double x = r->shape->X[3 * r->shape->cells->elements[3 * e]];
        r->flagged[e] = x < 0.35 || x > 0.7 || sample_below(&seed, 30) == 0;
    }
    r->script[0] = THAW_VERTEX_PINNED;
    assert_int_equal(thaw_partition_create(r->shape, 4, &r->partition, &error), THAW_OK);
    assert_int_equal(thaw_partition_update(r->partition, r->flagged, r->script, NULL, r->x, r->v, &transition, &error),
                     THAW_OK);
    assert_int_equal(
        thaw_integration_create(r->shape, r->partition->elastic, r->partition->packed_count, &r->set, &error), THAW_OK);
    assert_int_equal(thaw_map_rigid_create(r->shape, r->script, r->partition, r->set, &map, &error), THAW_OK);
    assert_int_equal(thaw_system_wrap(&map, r->script, THAW_SOLVER_PCG, &r->system, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(r->system->plan, NULL, &r->solver, &error), THAW_OK);
    r->nq = 3 * (size_t)r->system->map->n;
    r->q = THAW_NEW(double, 3 * r->nq);
    r->b = r->q + r->nq;
    r->expected = r->b + r->nq;
}

static void rig_free(Rig *r) {
    double *vectors[] = {r->x, r->v, r->f, r->y, r->u, r->partial, r->q};
    for (size_t i = 0; i < COUNT(vectors); i++)
        thaw_free(vectors[i]);
    thaw_free(r->flagged);
    thaw_free(r->script);
    thaw_solver_free(&r->solver);
    thaw_system_free(&r->system);
    thaw_integration_free(&r->set);
    thaw_partition_free(&r->partition);
    thaw_model_free(&r->model);
}

static double size_of(size_t n, const double *a) {
    double size = 0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    return size;
}

// The matrix, with the stress in parts or without, beside the products of what is evaluated.
static void compare(Rig *r, const ThawIntegrationSet *set, ThawStiffness element, double stress, uint64_t seed) {
    const ThawMap *map = r->system->map;
    double forms[2];
    assert_int_equal(thaw_system_assemble(r->system, NULL, (ThawCombination){2, 0.5, element, stress, NULL}, r->x, NULL,
                                          r->solver, r->f, r->partial),
                     THAW_OK);
    for (size_t i = 0; i < r->nq; i++)
        r->q[i] = map->idle[i] ? 0 : sample_random(&seed);
    thaw_solver_multiply(r->solver, r->q, r->b);
    map->ops->apply(map, r->q, NULL, r->u);
    thaw_force_product(set, NULL, r->x, r->u, element, r->shape->nv, r->y, forms, r->partial);
    for (size_t i = 0; i < r->n; i++)
        r->y[i] += (2 * r->shape->mass[i / 3] + 0.5 * r->shape->damping_mass[i / 3]) * r->u[i];
    map->ops->apply_t(map, r->y, r->expected);
    for (size_t i = 0; i < r->nq; i++)
        assert_true(fabs(r->expected[i] - r->b[i]) <= 1e-12 * size_of(r->nq, r->expected));
}

static void check(Rig *r, uint64_t seed) {
    const ThawMap *map = r->system->map;
    assert_true(r->partition->part_count >= 2 && r->partition->elastic_count > 0);
    assert_true(r->partition->packed_count < r->shape->all->element_count);
    assert_int_equal(thaw_partition_validate(r->partition, r->x, NULL), THAW_OK);
    // What is left out pushes and turns no part, and no elastic vertex.
    thaw_force_internal(r->shape->all, NULL, r->x, r->shape->nv, r->f, r->partial);
    map->ops->apply_t(map, r->f, r->expected);
    thaw_force_internal(r->set, NULL, r->x, r->shape->nv, r->f, r->partial);
    map->ops->apply_t(map, r->f, r->b);
    for (size_t i = 0; i < r->nq; i++)
        assert_true(fabs(r->expected[i] - r->b[i]) <= 1e-11 * size_of(r->nq, r->expected));
    compare(r, r->set, (ThawStiffness){0.3, 0, 0}, 0, seed);
    // Under tension turning parts resist: all elements count. The pin stays.
    const double pin[3] = {r->x[0], r->x[1], r->x[2]};
    for (size_t i = r->n; i-- > 0;)
        r->x[i] = pin[i % 3] + 1.1 * (r->shape->X[i] - r->shape->X[i % 3] + 0.02 * (r->x[i] - r->shape->X[i]));
    memcpy(r->x, pin, sizeof pin);
    thaw_partition_reshape(r->partition, r->x);
    thaw_partition_find_stress(r->partition, r->f);
    assert_int_equal(map->ops->update(r->system->map, NULL, NULL), THAW_OK);
    compare(r, r->shape->all, (ThawStiffness){0.3, 0.2, 0}, 0.3, seed);
}

static void parts_of_a_curved_sheet_of_either_bending(void **state) {
    (void)state;
    for (int hinge = 0; hinge < 2; hinge++)
        for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++) {
            Sheet s;
            Rig r;
            sheet_create(&s, 16, 7, (SheetFamily)family, 0.2, cone, NULL);
            s.shape.mesh = &s.mesh;
            s.shape.thickness = 0.02;
            s.shape.bending = hinge ? THAW_BENDING_HINGE : THAW_BENDING_PLATE;
            rig_create(&r, &s.shape, &s.material, 5);
            check(&r, 7);
            // A hinge that is rigid has both its triangles in one part; one beside a part bends.
            int32_t beside = 0;
            for (int32_t i = r.partition->elastic_count; i < r.partition->packed_count; i++)
                beside += r.partition->elastic[i] >= r.shape->ne;
            assert_int_equal(beside, r.partition->packed_count - r.partition->elastic_count);
            assert_true(beside > r.partition->elastic_count);
            rig_free(&r);
            sheet_free(&s);
        }
}

static void parts_of_a_closed_sheet_under_pressure(void **state) {
    (void)state;
    ThawTriangleMesh *surface = NULL;
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    ThawMaterialDef material = thaw_material_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    Rig r;
    assert_int_equal(thaw_triangles_sphere(1, 8, &surface, &error), THAW_OK);
    assert_int_equal(thaw_mesh_of_triangles(surface, &mesh, &error), THAW_OK);
    shape.mesh = mesh;
    shape.thickness = 0.01;
    shape.pressure = 50;
    rig_create(&r, &shape, &material, 11);
    check(&r, 12);
    rig_free(&r);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_a_curved_sheet_of_either_bending),
        cmocka_unit_test(parts_of_a_closed_sheet_under_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
