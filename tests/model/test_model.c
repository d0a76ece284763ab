// SPDX-License-Identifier: Apache-2.0
// What a definition is compiled into: rest gradients, masses, groups, scripts and the windows of loads.
#include "model/model.h"
#include "step/sample.h"

static ThawModel *model_of(const Sample *s) {
    ThawModel *model = NULL;
    ThawError error = {0};
    if (thaw_model_create(&s->world, &model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return model;
}

static void near_number(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

// --- elements and masses ---------------------------------------------------------------------------------------------

static void rest_gradients_are_those_of_linear_functions(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int dim = 2; dim <= 3; dim++) {
        const ThawElementOps *kind = thaw_element_kind(dim, dim, dim + 1);
        double X[12], weight[1], g[9];
        for (int i = 0; i < dim * (dim + 1); i++)
            X[i] = sample_random(&seed);
        kind->rest(X, weight, g);
        // N_a(X_b) = delta_ab: gradient a times the edge to b
        for (int a = 1; a <= dim; a++)
            for (int b = 1; b <= dim; b++) {
                double sum = 0;
                for (int k = 0; k < dim; k++)
                    sum += g[(a - 1) * dim + k] * (X[b * dim + k] - X[k]);
                near_number(sum, a == b, 1e-12);
            }
    }
    double unit2[] = {0, 0, 1, 0, 0, 1}, unit3[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, weight[1], g[9];
    thaw_element_kind(2, 2, 3)->rest(unit2, weight, g);
    near_number(*weight, 0.5, 0);
    thaw_element_kind(3, 3, 4)->rest(unit3, weight, g);
    near_number(*weight, 1.0 / 6, 1e-16);
    assert_null(thaw_element_kind(3, 3, 10));
    assert_null(thaw_element_kind(3, 2, 3)); // a sheet in space: not yet
    assert_null(thaw_element_kind(1, 1, 2));
}

static void masses_and_volumes_add_up(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Sample s;
        sample_create(&s, dim, 3, THAW_MATERIAL_STVK, 2);
        ThawModel *model = model_of(&s);
        const ThawShape *shape = model->shapes[0];
        double volume = 0, mass = 0, expected = 0, damping = 0, expected_damping = 0;
        for (int32_t e = 0; e < shape->ne; e++) {
            const ThawMaterialDef *m = &s.materials[s.mesh->region[e]];
            double v = thaw_mesh_volume(s.mesh, e) * (dim == 2 ? s.shape.thickness : 1);
            volume += v;
            expected += v * m->density;
            expected_damping += v * m->density * m->alpha0;
            assert_true(shape->cells->weight[e] > 0);
            assert_int_equal(shape->region[e], s.mesh->region[e]);
        }
        for (int32_t e = 0; e < shape->ne; e++)
            volume -= shape->cells->weight[e];
        for (int32_t i = 0; i < shape->nv; i++) {
            mass += shape->mass[i];
            damping += shape->damping_mass[i];
        }
        near_number(volume, 0, 1e-13);
        near_number(mass, expected, 1e-11 * expected);
        near_number(damping, expected_damping, 1e-11 * expected_damping);
        near_number(shape->total_mass, expected, 1e-11 * expected);
        thaw_model_free(&model);
        sample_free(&s);
    }
}

static void internal_numbers_are_a_permutation_and_elements_are_the_same_sets(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 3, THAW_MATERIAL_STVK, 3);
    uint64_t seed = 9;
    thaw_free(sample_permute(s.mesh, &seed));
    ThawModel *model = model_of(&s);
    const ThawShape *shape = model->shapes[0];
    unsigned char *seen = THAW_NEW(unsigned char, shape->nv + shape->ne);
    for (int32_t i = 0; i < shape->nv; i++) {
        assert_false(seen[shape->vertex_user[i]]++);
        assert_memory_equal(shape->X + 3 * i, s.mesh->x + 3 * shape->vertex_user[i], 3 * sizeof(double));
    }
    for (int32_t e = 0; e < shape->ne; e++) {
        assert_false(seen[shape->nv + shape->element_user[e]]++);
        int32_t id[4];
        for (int a = 0; a < 4; a++) {
            id[a] = shape->vertex_user[shape->cells->elements[4 * e + a]];
            assert_true(a == 0 || shape->cells->elements[4 * e + a] > shape->cells->elements[4 * e + a - 1]);
            assert_true(e == 0 || shape->cells->elements[4 * e] >= shape->cells->elements[4 * e - 4]);
        }
        int32_t user[4];
        memcpy(user, s.mesh->elements + 4 * shape->element_user[e], sizeof user);
        qsort(id, 4, sizeof *id, sample_ascending);
        qsort(user, 4, sizeof *user, sample_ascending);
        assert_memory_equal(id, user, sizeof id);
        assert_int_equal(shape->cells->material[e], s.mesh->region[shape->element_user[e]]);
    }
    thaw_free(seen);
    thaw_model_free(&model);
    sample_free(&s);
}

static void regions_without_a_material_take_the_default(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 2, 2, THAW_MATERIAL_STVK, 3);
    s.region_material[0] = -1;
    s.shape.material = 1;
    ThawModel *model = model_of(&s);
    for (int32_t e = 0; e < model->shapes[0]->ne; e++)
        assert_int_equal(model->shapes[0]->cells->material[e], 1);
    thaw_model_free(&model);
    s.shape.region_material = NULL;
    s.shape.material = 0;
    model = model_of(&s);
    for (int32_t e = 0; e < model->shapes[0]->ne; e++)
        assert_int_equal(model->shapes[0]->cells->material[e], 0);
    thaw_model_free(&model);
    sample_free(&s);
}

// --- groups ----------------------------------------------------------------------------------------------------------

// The vertices of a group, by the mesh's ids, as a string of 0 and 1.
static void group_text(const ThawShape *shape, const ThawGroup *group, char *text) {
    double mass = 0;
    memset(text, '0', (size_t)shape->nv);
    text[shape->nv] = 0;
    for (int32_t i = 0; i < group->count; i++) {
        assert_true(i == 0 || group->vertices[i] > group->vertices[i - 1]);
        text[shape->vertex_user[group->vertices[i]]] = '1';
        mass += shape->mass[group->vertices[i]];
    }
    near_number(group->mass, mass, 1e-12 * mass);
}

static void every_selector_finds_its_vertices(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 2, 2, THAW_MATERIAL_STVK, 1);
    for (int32_t i = 0; i < 9; i++) { // a plain 3 x 3 grid on the unit square
        s.mesh->x[2 * i] = i % 3 * 0.5;
        s.mesh->x[2 * i + 1] = i / 3 * 0.5;
    }
    ThawGroupDef groups[] = {
        {.name = "all", .select = THAW_SELECT_ALL},
        {.name = "file", .select = THAW_SELECT_MESH_GROUP, .mesh_group = "y-max"},
        {.name = "box", .select = THAW_SELECT_BOX, .a = {0.5, 0.5, 9}, .b = {1, 1, 8}},
        {.name = "half", .select = THAW_SELECT_BOX, .a = {-INFINITY, -INFINITY}, .b = {INFINITY, 0}},
        {.name = "sphere", .select = THAW_SELECT_SPHERE, .a = {0.5, 0.5, 7}, .radius = 0.5},
        {.name = "side", .select = THAW_SELECT_PLANE_SIDE, .a = {0.5, 0.5, 7}, .b = {1, -1, 3}},
        {.name = "nearest", .select = THAW_SELECT_NEAREST, .a = {0.9, 0.6, 7}},
        {.name = "tie", .select = THAW_SELECT_NEAREST, .a = {0.25, 0.25}},
    };
    const char *const expected[] = {"111111111", "000000111", "000011011", "111000000",
                                    "010111010", "111011001", "000001000", "100000000"};
    s.shape.groups = groups;
    s.shape.group_count = COUNT(groups);
    ThawModel *model = model_of(&s);
    for (int g = 0; g < COUNT(groups); g++) {
        char text[10];
        group_text(model->shapes[0], &model->shapes[0]->groups[g], text);
        assert_string_equal(text, expected[g]);
        assert_string_equal(model->shapes[0]->groups[g].name, groups[g].name);
    }
    thaw_model_free(&model);
    sample_free(&s);
}

// 3 * 0.1 is not 0.3: whoever writes 0.3 means that vertex all the same.
static void rounding_decides_no_selection(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 2, 2, THAW_MATERIAL_STVK, 1);
    for (int32_t i = 0; i < 9; i++) {
        s.mesh->x[2 * i] = 3 * (i % 3 * 0.1);
        s.mesh->x[2 * i + 1] = 3 * (i / 3 * 0.1);
    }
    ThawGroupDef groups[] = {
        {.name = "box", .select = THAW_SELECT_BOX, .a = {0.3 * (1 + 1e-12), 0}, .b = {0.3, 1}},
        {.name = "sphere", .select = THAW_SELECT_SPHERE, .a = {0, 0}, .radius = 0.3 * (1 - 1e-12)},
        {.name = "side", .select = THAW_SELECT_PLANE_SIDE, .a = {0.3 * (1 - 1e-12), 0}, .b = {-1e6, 0}},
        {.name = "less", .select = THAW_SELECT_PLANE_SIDE, .a = {0.3 * (1 - 1e-7), 0}, .b = {-1e6, 0}},
    };
    const char *const expected[] = {"010010010", "110100000", "110110110", "100100100"};
    s.shape.groups = groups;
    s.shape.group_count = COUNT(groups);
    ThawModel *model = model_of(&s);
    for (int g = 0; g < COUNT(groups); g++) {
        char text[10];
        group_text(model->shapes[0], &model->shapes[0]->groups[g], text);
        assert_string_equal(text, expected[g]);
    }
    thaw_model_free(&model);
    sample_free(&s);
}

// --- scripts ---------------------------------------------------------------------------------------------------------

static ThawKey quarter_keys[] = {
    {.time = 1, .translation = {0, 0, 0}, .rotation = {1, 0, 0, 0}},
    {.time = 3, .translation = {2, 0, 4}, .rotation = {0.70710678118654752, 0, 0, 0.70710678118654752}},
    {.time = 4, .translation = {2, 6, 4}, .rotation = {0, 0, 0, -1}}, // 180 degrees, written the other way round
};

static void pose_is(const ThawScript *script, double t, double x, double y, double z, double degrees) {
    ThawPose pose;
    thaw_script_pose(script, t, &pose);
    near_number(pose.translation[0], x, 1e-14);
    near_number(pose.translation[1], y, 1e-14);
    near_number(pose.translation[2], z, 1e-14);
    // The x axis, turned about the centre.
    double start[3] = {script->centre[0] + 1, script->centre[1], script->centre[2]}, at[3];
    double angle = degrees * acos(-1) / 180;
    thaw_pose_apply(&pose, 3, start, at);
    near_number(at[0], script->centre[0] + x + cos(angle), 1e-14);
    near_number(at[1], script->centre[1] + y + sin(angle), 1e-14);
    near_number(at[2], script->centre[2] + z, 1e-14);
}

static void linear_keys_move_and_turn_evenly_and_rest_outside(void **state) {
    (void)state;
    ThawScript script = {.centre = {0.3, -0.2, 0.5}, .keys = quarter_keys, .key_count = 3, .release = INFINITY};
    pose_is(&script, -5, 0, 0, 0, 0);
    pose_is(&script, 1, 0, 0, 0, 0);
    pose_is(&script, 1.5, 0.5, 0, 1, 22.5);
    pose_is(&script, 2, 1, 0, 2, 45);
    pose_is(&script, 3, 2, 0, 4, 90);
    pose_is(&script, 3.75, 2, 4.5, 4, 157.5); // the shorter way, although the key has the other sign
    pose_is(&script, 4, 2, 6, 4, 180);
    pose_is(&script, 99, 2, 6, 4, 180);
}

static void smooth_keys_rest_at_each_key(void **state) {
    (void)state;
    ThawScript script = {.interpolation = THAW_INTERPOLATE_SMOOTH, .keys = quarter_keys, .key_count = 3};
    double s = 0.25 * 0.25 * (3 - 0.5);
    pose_is(&script, 1.5, 2 * s, 0, 4 * s, 90 * s);
    pose_is(&script, 2, 1, 0, 2, 45);
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            ThawPose at, near;
            thaw_script_pose(&script, quarter_keys[k].time, &at);
            thaw_script_pose(&script, quarter_keys[k].time + side * 1e-6, &near);
            near_number((near.translation[0] - at.translation[0]) / 1e-6, 0, 1e-4);
            near_number((near.translation[1] - at.translation[1]) / 1e-6, 0, 1e-4);
        }
}

static void a_pin_keeps_the_bits_of_its_start(void **state) {
    (void)state;
    ThawScript pin = {.centre = {0.1, 0.7, -0.3}, .release = INFINITY};
    ThawPose pose;
    double start[3] = {0.123456789, 1e5 / 3, -1e-9 / 7}, at[3];
    thaw_script_pose(&pin, 3, &pose);
    thaw_pose_apply(&pose, 3, start, at);
    assert_memory_equal(at, start, sizeof at);
}

static void bodies_are_placed_turned_and_spun_about_their_centre_of_mass(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 4);
    ThawBodyDef *b = &s.bodies[0];
    memcpy(b->rotation, (double[4]){0, 0, 0, 2}, sizeof b->rotation); // scaled to unit length: half a turn about z
    memcpy(b->position, (double[3]){1, 2, 3}, sizeof b->position);
    memcpy(b->velocity, (double[3]){0.5, 0, 1}, sizeof b->velocity);
    memcpy(b->spin, (double[3]){0.1, 0.2, 2}, sizeof b->spin);
    ThawWorld *world = sample_world(&s);
    double x[81], v[81], m[27], momentum[3] = {0}, total = 0;
    thaw_world_get_positions(world, 0, x);
    thaw_world_get_velocities(world, 0, v);
    thaw_world_get_masses(world, 0, m);
    for (int i = 0; i < 27; i++) {
        near_number(x[3 * i], 1 - s.mesh->x[3 * i], 1e-15);
        near_number(x[3 * i + 1], 2 - s.mesh->x[3 * i + 1], 1e-15);
        near_number(x[3 * i + 2], 3 + s.mesh->x[3 * i + 2], 1e-15);
        total += m[i];
        for (int k = 0; k < 3; k++)
            momentum[k] += m[i] * v[3 * i + k];
        // v - v_0 = spin x (x - x_0)
        double r[3] = {x[3 * i] - x[0], x[3 * i + 1] - x[1], x[3 * i + 2] - x[2]};
        near_number(v[3 * i] - v[0], 0.2 * r[2] - 2 * r[1], 1e-13);
        near_number(v[3 * i + 1] - v[1], 2 * r[0] - 0.1 * r[2], 1e-13);
        near_number(v[3 * i + 2] - v[2], 0.1 * r[1] - 0.2 * r[0], 1e-13);
    }
    for (int k = 0; k < 3; k++)
        near_number(momentum[k], total * b->velocity[k], 1e-11 * total);
    thaw_world_free(&world);
    sample_free(&s);
}

// --- loads -----------------------------------------------------------------------------------------------------------

static void a_load_acts_in_its_window_and_ramps_up(void **state) {
    (void)state;
    ThawLoad load = {.from = 1, .to = 5, .ramp = 2};
    const double expected[][2] = {{0.999, 0}, {1, 0}, {1.5, 0.25}, {2, 0.5}, {3, 1}, {4.999, 1}, {5, 0}, {9, 0}};
    for (int i = 0; i < COUNT(expected); i++)
        near_number(thaw_load_factor(&load, expected[i][0]), expected[i][1], 1e-15);
    load.ramp = 0;
    near_number(thaw_load_factor(&load, 1), 1, 0);
    load.to = INFINITY;
    near_number(thaw_load_factor(&load, 1e300), 1, 0);
    load.from = -INFINITY;
    load.ramp = 3;
    near_number(thaw_load_factor(&load, 0), 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_gradients_are_those_of_linear_functions),
        cmocka_unit_test(masses_and_volumes_add_up),
        cmocka_unit_test(internal_numbers_are_a_permutation_and_elements_are_the_same_sets),
        cmocka_unit_test(regions_without_a_material_take_the_default),
        cmocka_unit_test(every_selector_finds_its_vertices),
        cmocka_unit_test(rounding_decides_no_selection),
        cmocka_unit_test(linear_keys_move_and_turn_evenly_and_rest_outside),
        cmocka_unit_test(smooth_keys_rest_at_each_key),
        cmocka_unit_test(a_pin_keeps_the_bits_of_its_start),
        cmocka_unit_test(bodies_are_placed_turned_and_spun_about_their_centre_of_mass),
        cmocka_unit_test(a_load_acts_in_its_window_and_ramps_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
