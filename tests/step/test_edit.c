// SPDX-License-Identifier: Apache-2.0
// Worlds that change while they run: what stays goes on with the same bits, what comes is as if it had been there, and
// whatever is wrong leaves the world alone.
#include "step/sample.h"
#include "step/step.h"
#include "support/world.h"
#include "thaw/thaw.h"

// Two piles far apart, a beam that is pinned, and a bar sprung to it.
static const char piles[] =
    "{ \"thaw\": 1, \"contact\": {},"
    "  \"materials\": {\"foam\": {\"young\": 5e4, \"density\": 200, \"alpha1\": 0.02}},"
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.2,0.2,0.2], \"cells\": [2,2,2]}}},"
    "    \"bar\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.8,0.1,0.1], \"cells\": [8,1,1]}}}},"
    "  \"obstacles\": [{\"plane\": {}}],"
    "  \"bodies\": ["
    "    {\"name\": \"a\", \"shape\": \"cube\", \"position\": [0,0,0.01], \"method\": \"rigidify\"},"
    "    {\"name\": \"b\", \"shape\": \"cube\", \"position\": [0.02,0,0.25], \"method\": \"rigidify\"},"
    "    {\"name\": \"c\", \"shape\": \"cube\", \"position\": [5,0,0.05], \"method\": \"rigidify\"},"
    "    {\"name\": \"d\", \"shape\": \"bar\", \"position\": [10,0,1], \"pins\": [\"x-min\"]},"
    "    {\"name\": \"e\", \"shape\": \"bar\", \"position\": [10.8,0,1]}],"
    "  \"attachments\": [{\"body\": \"e\", \"group\": \"x-min\", \"to\": \"d\"}] }";

static void expect_refusal(ThawStatus status, const ThawError *error, const char *words) {
    assert_int_equal(status, THAW_ERROR_INPUT);
    if (!strstr(error->message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, error->message);
}

static void same_body(const ThawWorld *a, int32_t i, const ThawWorld *b, int32_t k) {
    const int32_t n = thaw_world_vertex_count(a, i), dim = thaw_world_dim(a);
    assert_int_equal(n, thaw_world_vertex_count(b, k));
    double *x = THAW_NEW(double, 4 * n * dim), *y = x + 2 * n * dim;
    thaw_world_get_positions(a, i, x);
    thaw_world_get_velocities(a, i, x + n * dim);
    thaw_world_get_positions(b, k, y);
    thaw_world_get_velocities(b, k, y + n * dim);
    assert_memory_equal(x, y, sizeof(double) * (size_t)(2 * n * dim));
    thaw_free(x);
}

static void check(const ThawWorld *world) {
    ThawError error = {0};
    if (thaw_world_validate(world, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

static void must(ThawStatus status, const ThawError *error) {
    if (status != THAW_OK)
        fail_msg("%s", error->message);
}

static ThawBodyDef cube_at(double x, double z) {
    ThawBodyDef def = thaw_body_def_default();
    def.method = "rigidify";
    def.position[0] = x;
    def.position[2] = z;
    return def;
}

// Something far away comes and goes: nobody notices, in any stage of the world, and by any number of threads.
static void test_others_go_on_with_the_same_bits(void **state) {
    (void)state;
    const int stages[] = {0, 7, 40, 120, 400};
    for (int k = 0; k < COUNT(stages); k++) {
        ThawError error = {0};
        ThawWorld *straight = make_world(piles, 1), *edited = make_world(piles, 2);
        run_world(straight, stages[k]);
        run_world(edited, stages[k]);
        const uint64_t before = thaw_world_full_hash(edited);
        ThawBodyDef def = cube_at(20, 0.3);
        ThawId id = 0;
        must(thaw_world_add_body(edited, &def, &id, &error), &error);
        check(edited);
        assert_int_equal(thaw_world_body_count(edited), 6);
        assert_int_equal(thaw_world_body_index(edited, id), 5);
        for (int i = 0; i < 30; i++) {
            run_world(straight, 1);
            run_world(edited, 1);
            for (int32_t b = 0; b < 5; b++)
                same_body(straight, b, edited, b);
        }
        must(thaw_world_remove_body(edited, id, &error), &error);
        check(edited);
        assert_int_equal(thaw_world_body_index(edited, id), -1);
        assert_true(thaw_world_full_hash(edited) == thaw_world_full_hash(straight));
        run_world(straight, 60);
        run_world(edited, 60);
        assert_true(thaw_world_full_hash(edited) == thaw_world_full_hash(straight));
        assert_true(before != thaw_world_full_hash(edited));
        thaw_world_free(&straight);
        thaw_world_free(&edited);
    }
}

// What is in front of others goes: indices move up, ids do not.
static void test_indices_move_and_ids_stay(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *straight = make_world(piles, 1), *world = make_world(piles, 1);
    run_world(straight, 50);
    run_world(world, 50);
    const ThawId a = thaw_world_body_id(world, 0), c = thaw_world_body_id(world, 2), e = thaw_world_body_id(world, 4);
    int mark = 0;
    assert_int_equal(thaw_world_set_user(world, e, &mark), THAW_OK);
    must(thaw_world_begin_edit(world, &error), &error);
    must(thaw_world_remove_body(world, a, &error), &error);
    must(thaw_world_remove_body(world, thaw_world_body_id(world, 1), &error), &error);
    assert_int_equal(thaw_world_body_count(world), 5);
    expect_refusal(thaw_world_step(world, NULL, &error), &error, "edit");
    must(thaw_world_end_edit(world, &error), &error);
    check(world);
    assert_int_equal(thaw_world_body_count(world), 3);
    assert_int_equal(thaw_world_body_index(world, c), 0);
    assert_int_equal(thaw_world_body_index(world, a), -1);
    assert_string_equal(thaw_world_body_name(world, 2), "e");
    assert_ptr_equal(thaw_world_user(world, e), &mark);
    for (int i = 0; i < 100; i++) {
        run_world(straight, 1);
        run_world(world, 1);
        for (int32_t b = 0; b < 3; b++)
            same_body(straight, b + 2, world, b);
    }
    ThawAttachmentState one, other;
    thaw_world_get_attachment(world, 0, &one);
    thaw_world_get_attachment(straight, 0, &other);
    assert_int_equal(one.body, 2);
    assert_memory_equal(one.force, other.force, sizeof one.force);
    expect_refusal(thaw_world_remove_body(world, a, &error), &error, "nothing has the id");
    must(thaw_world_remove_body(world, thaw_world_body_id(world, 1), &error), &error); // d, and what held e to it
    assert_int_equal(thaw_world_attachment_count(world), 0);
    run_world(world, 30);
    check(world);
    thaw_world_free(&straight);
    thaw_world_free(&world);
}

// From an empty world on: the same bits as one that was defined at once.
static void test_from_nothing(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorldDef def = thaw_world_def_default();
    def.threads = 1;
    ThawWorld *world = NULL, *at_once = NULL;
    must(thaw_world_create(&def, &world, &error), &error);
    run_world(world, 0);
    check(world);
    ThawMesh *mesh = NULL;
    must(thaw_mesh_box(3, (double[]){0, 0, 0}, (double[]){0.2, 0.2, 0.2}, (int32_t[]){2, 2, 2}, &mesh, &error), &error);
    ThawMaterialDef material = thaw_material_def_default();
    material.young = 5e4;
    ThawShapeDef shape = thaw_shape_def_default();
    shape.mesh = mesh;
    ThawBodyDef bodies[2] = {cube_at(0, 0.1), cube_at(0.05, 0.4)};
    ThawObstacleDef floor = thaw_obstacle_def_default();
    def.materials = &material;
    def.shapes = &shape;
    def.bodies = bodies;
    def.obstacles = &floor;
    def.material_count = def.shape_count = def.obstacle_count = 1;
    def.body_count = 2;
    must(thaw_world_create(&def, &at_once, &error), &error);
    int32_t index = -1;
    must(thaw_world_add_material(world, &material, &index, &error), &error);
    assert_int_equal(index, 0);
    must(thaw_world_add_shape(world, &shape, &index, &error), &error);
    must(thaw_world_add_body(world, &bodies[0], NULL, &error), &error);
    must(thaw_world_add_obstacle(world, &floor, NULL, &error), &error);
    must(thaw_world_add_body(world, &bodies[1], NULL, &error), &error);
    thaw_mesh_free(&mesh);
    check(world);
    for (int i = 0; i < 200; i++) {
        run_world(world, 1);
        run_world(at_once, 1);
        assert_true(thaw_world_full_hash(world) == thaw_world_full_hash(at_once));
    }
    assert_true(thaw_world_save(world, "edit.h5", &error) == THAW_OK);
    run_world(world, 20);
    must(thaw_world_load(at_once, "edit.h5", &error), &error); // a checkpoint of what it has become
    run_world(at_once, 20);
    assert_true(thaw_world_full_hash(world) == thaw_world_full_hash(at_once));
    remove("edit.h5");
    for (int i = 2; i > 0; i--)
        must(thaw_world_remove_body(world, thaw_world_body_id(world, 0), &error), &error);
    run_world(world, 3);
    thaw_world_free(&world);
    thaw_world_free(&at_once);
}

static const char resting[] =
    "{ \"thaw\": 1, \"contact\": {},"
    "  \"materials\": {\"foam\": {\"young\": 2e5, \"density\": 300, \"alpha1\": 0.02}},"
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.2,0.2,0.2], \"cells\": [2,2,2]}}}},"
    "  \"obstacles\": [{\"plane\": {}, \"name\": \"floor\"}],"
    "  \"bodies\": ["
    "    {\"name\": \"low\", \"shape\": \"cube\", \"position\": [0,0,0.001], \"method\": \"rigidify\"},"
    "    {\"name\": \"high\", \"shape\": \"cube\", \"position\": [0,0,0.203], \"method\": \"rigidify\"},"
    "    {\"name\": \"far\", \"shape\": \"cube\", \"position\": [3,0,0.001], \"method\": \"rigidify\"}] }";

static ThawWorld *asleep(void) {
    ThawWorld *world = make_world(resting, 1);
    for (int i = 0; i < 3000 && !(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 2)); i++)
        run_world(world, 1);
    assert_true(thaw_world_is_asleep(world, 1));
    return world;
}

static double height(const ThawWorld *world, int32_t body) {
    const int32_t n = thaw_world_vertex_count(world, body);
    double *x = THAW_NEW(double, 3 * n), sum = 0;
    thaw_world_get_positions(world, body, x);
    for (int32_t i = 0; i < n; i++)
        sum += x[3 * i + 2] / n;
    thaw_free(x);
    return sum;
}

// Every change wakes what it concerns, and nothing else.
static void test_changes_wake(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = asleep();
    must(thaw_world_remove_body(world, thaw_world_body_id(world, 0), &error), &error); // from below another one
    assert_false(thaw_world_is_asleep(world, 0));
    assert_true(thaw_world_is_asleep(world, 1));
    const double before = height(world, 0);
    run_world(world, 100);
    assert_true(height(world, 0) < before - 0.15);
    thaw_world_free(&world);

    world = asleep();
    ThawBodyDef def = cube_at(3, 0.5); // onto a sleeping one
    must(thaw_world_add_body(world, &def, NULL, &error), &error);
    assert_true(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 2));
    int woke = 0;
    for (int i = 0; i < 100; i++) {
        run_world(world, 1);
        woke |= !thaw_world_is_asleep(world, 2);
    }
    assert_true(woke && thaw_world_is_asleep(world, 0));
    thaw_world_free(&world);

    world = asleep();
    must(thaw_world_remove_obstacle(world, thaw_world_obstacle_id(world, 0), &error), &error);
    run_world(world, 100);
    assert_true(height(world, 0) < -3 && height(world, 2) < -3);
    thaw_world_free(&world);

    world = asleep();
    must(thaw_world_set_gravity(world, (double[]){0, 0, 2}, &error), &error);
    run_world(world, 100);
    assert_true(height(world, 0) > 0.5 && height(world, 2) > 0.5);
    thaw_world_free(&world);

    world = asleep();
    ThawMaterialDef material;
    thaw_world_get_material(world, 0, &material);
    const double stood = height(world, 0);
    material.young /= 20;
    must(thaw_world_set_material(world, 0, &material, &error), &error);
    run_world(world, 200);
    assert_true(height(world, 0) < stood - 0.002);
    thaw_world_free(&world);
}

// h from one step to the next: time goes on, and a fall is a fall.
static void test_step_size(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(resting, 1);
    must(thaw_world_remove_obstacle(world, thaw_world_obstacle_id(world, 0), &error), &error);
    const double start = height(world, 2);
    run_world(world, 20); // 0.2 s
    must(thaw_world_set_h(world, 0.002, &error), &error);
    check(world);
    run_world(world, 50); // 0.1 s
    must(thaw_world_set_h(world, 0.005, &error), &error);
    run_world(world, 20);
    check(world);
    assert_true(fabs(thaw_world_time(world) - 0.4) < 1e-12);
    assert_int_equal(thaw_world_step_count(world), 90);
    assert_true(fabs(start - height(world, 2) - 0.5 * 9.81 * 0.16) < 1e-6);
    thaw_world_free(&world);
}

// Messages name the thing, its value and what is allowed; the world stays.
static void test_refusals(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(piles, 1), *straight = make_world(piles, 1);
    run_world(world, 10);
    run_world(straight, 10);
    ThawBodyDef body = cube_at(0, 1);
    body.shape = 7;
    expect_refusal(thaw_world_add_body(world, &body, NULL, &error), &error, "shape is 7; allowed: 0 to 1");
    body = cube_at(0, NAN);
    expect_refusal(thaw_world_add_body(world, &body, NULL, &error), &error, "position[2] is");
    expect_refusal(thaw_world_add_body(world, NULL, NULL, &error), &error, "NULL");
    ThawBodyDef bare = {.name = "bare", .method = "full", .rotation = {1, 0, 0, 0}};
    expect_refusal(thaw_world_add_body(world, &bare, NULL, &error), &error, "not made by thaw_body_def_default");
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", THAW_VERSION_MAJOR, THAW_VERSION_MINOR, THAW_VERSION_PATCH);
    assert_string_equal(version, thaw_version());
    ThawObstacleDef sphere = thaw_obstacle_def_default();
    sphere.kind = THAW_OBSTACLE_SPHERE;
    expect_refusal(thaw_world_add_obstacle(world, &sphere, NULL, &error), &error, "size[0] is 0");
    ThawAttachmentDef held = thaw_attachment_def_default();
    held.body = 9;
    expect_refusal(thaw_world_add_attachment(world, &held, NULL, &error), &error, "body is 9; allowed: 0 to 4");
    expect_refusal(thaw_world_set_h(world, 0, &error), &error, "h is 0 s");
    expect_refusal(thaw_world_set_gravity(world, (double[]){0, NAN, 0}, &error), &error, "gravity[1]");
    expect_refusal(thaw_world_set_friction(world, 0, -1, &error), &error, "friction is -1");
    ThawMaterialDef material;
    assert_int_equal(thaw_world_get_material(world, 0, &material), THAW_OK);
    material.poisson = 0.5;
    expect_refusal(thaw_world_set_material(world, 0, &material, &error), &error, "poisson");
    expect_refusal(thaw_world_end_edit(world, &error), &error, "no edit is open");
    must(thaw_world_begin_edit(world, &error), &error);
    expect_refusal(thaw_world_begin_edit(world, &error), &error, "an edit is open");
    expect_refusal(thaw_world_solve_static(world, NULL, &error), &error, "an edit is open");
    thaw_world_cancel_edit(world);
    check(world);
    run_world(world, 30);
    run_world(straight, 30);
    assert_true(thaw_world_hash(world) == thaw_world_hash(straight));
    thaw_world_free(&world);
    thaw_world_free(&straight);
}

// An attachment that is made while bodies are bent and elsewhere starts without force, and then holds.
static void test_attach_later(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(piles, 1);
    run_world(world, 30);
    must(thaw_world_remove_attachment(world, thaw_world_attachment_id(world, 0), &error), &error);
    run_world(world, 10); // it falls freely
    ThawAttachmentDef held = thaw_attachment_def_default();
    held.body = 4; // to the air, where it is
    held.stiffness = 200;
    ThawId id = 0;
    must(thaw_world_add_attachment(world, &held, &id, &error), &error);
    check(world);
    ThawAttachmentState now;
    const int32_t i = thaw_world_attachment_index(world, id);
    thaw_world_get_attachment(world, i, &now);
    assert_true(now.energy < 1e-12);
    const double z = height(world, 4);
    run_world(world, 300);
    assert_true(fabs(height(world, 4) - z) < 0.6);
    thaw_world_get_attachment(world, i, &now);
    assert_true(now.force[2] > 5);
    thaw_world_free(&world);
}

// In an edit things are told by the indices that the edit has made of them; what is refused is no part of it.
static void test_indices_in_an_edit(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(piles, 1);
    const ThawId a = thaw_world_body_id(world, 0), c = thaw_world_body_id(world, 2), d = thaw_world_body_id(world, 3);
    ThawBodyDef def = cube_at(10, 1.15);
    ThawAttachmentDef held = thaw_attachment_def_default();
    ThawId id = 0, none = 7, first = 0;
    held.stiffness = 100;
    must(thaw_world_begin_edit(world, &error), &error);
    must(thaw_world_remove_body(world, a, &error), &error);
    expect_refusal(thaw_world_remove_body(world, a, &error), &error, "nothing has the id");
    expect_refusal(thaw_world_add_body(world, NULL, &none, &error), &error, "def is NULL");
    expect_refusal(thaw_world_set_pressure(world, 5, 1, &error), &error, "shape is 5");
    assert_int_equal(none, 0);
    must(thaw_world_add_body(world, &def, &id, &error), &error); // the edit is still open
    assert_int_equal(thaw_world_body_count(world), 5);
    assert_int_equal(thaw_world_body_index(world, c), 2);
    assert_int_equal(thaw_world_edit_index(world, a), -1);
    assert_int_equal(held.body = thaw_world_edit_index(world, d), 2);
    assert_int_equal(held.other_body = thaw_world_edit_index(world, id), 4);
    assert_int_equal(thaw_world_body_shape(world, id), 0);
    assert_int_equal(thaw_world_body_shape(world, d), 1);
    assert_int_equal(thaw_world_body_shape(world, a), -1);
    must(thaw_world_add_attachment(world, &held, &first, &error), &error);
    assert_int_equal(thaw_world_edit_index(world, first), 1);
    must(thaw_world_end_edit(world, &error), &error);
    check(world);
    ThawAttachmentState now;
    thaw_world_get_attachment(world, thaw_world_attachment_index(world, first), &now);
    assert_int_equal(now.body, thaw_world_body_index(world, d));
    assert_int_equal(now.other_body, thaw_world_body_index(world, id));
    assert_int_equal(thaw_world_edit_index(world, id), thaw_world_body_index(world, id));
    thaw_world_free(&world);
}

// What comes and goes, and settings, are work from outside: the balance closes.
static void test_ledger(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(piles, 1);
    run_world(world, 25);
    ThawLedger ledger;
    thaw_world_get_ledger(world, &ledger);
    const double before = ledger_balance(&ledger);
    ThawBodyDef def = cube_at(20, 3);
    must(thaw_world_add_body(world, &def, NULL, &error), &error);
    must(thaw_world_remove_body(world, thaw_world_body_id(world, 2), &error), &error);
    must(thaw_world_set_gravity(world, (double[]){0, 1, -5}, &error), &error);
    thaw_world_get_ledger(world, &ledger);
    assert_true(fabs(ledger_balance(&ledger) - before) < 1e-9 * fabs(ledger.gravitational));
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_go_on_with_the_same_bits),
        cmocka_unit_test(test_indices_move_and_ids_stay),
        cmocka_unit_test(test_from_nothing),
        cmocka_unit_test(test_changes_wake),
        cmocka_unit_test(test_step_size),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_attach_later),
        cmocka_unit_test(test_indices_in_an_edit),
        cmocka_unit_test(test_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
