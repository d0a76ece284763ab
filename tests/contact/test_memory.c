// SPDX-License-Identifier: Apache-2.0
// What contacts keep from step to step: keys, warm starts, where they stick. And that threads change no byte.
#include "contact/touching.h"

// A cube on the floor (or on a large body), with forces that a response might have found.
static void cube_on(Touching *s, int dim, int body) {
    touching_create(s, dim);
    int32_t cube = touching_shape(s, (double[3]){1, 1, 1}, (int32_t[3]){2, 2, 2}, 0, 1);
    touching_body(s, cube, 0, dim == 3 ? 0 : 0.499, 0.499);
    if (body) {
        int32_t slab =
            touching_shape(s, (double[3]){4, dim == 3 ? 4 : 1, 1}, (int32_t[3]){7, dim == 3 ? 7 : 1, 1}, 0, 1);
        touching_body(s, slab, 0.03, dim == 3 ? 0.02 : -0.5, -0.5);
    } else
        touching_obstacle(s, THAW_OBSTACLE_HALF_SPACE);
    touching_compile(s);
}

static void give_forces(Touching *s, double normal, double tangent) {
    for (int32_t i = 0; i < s->set.count; i++) {
        ThawContact *c = &s->set.contacts[i];
        c->lambda[0] = normal * s->world.h;
        c->lambda[1] = tangent * s->world.h;
        c->lambda[2] = 0;
    }
}

static void keys_persist_over_a_slow_slide_and_so_do_forces(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int body = 0; body < 2; body++) {
            Touching s;
            cube_on(&s, dim, body);
            touching_find(&s, 0);
            int32_t count = s.set.count;
            assert_true(count >= 3 * (dim - 1));
            for (int32_t i = 0; i < count; i++)
                assert_true(s.set.contacts[i].is_new && s.set.contacts[i].lambda[0] == 0);
            for (int step = 0; step < 40; step++) {
                give_forces(&s, 100, 30);
                double force[64][3] = {{0}};
                for (int32_t i = 0; i < s.set.count && i < 64; i++)
                    for (int k = 0; k < dim; k++)
                        thaw_v3_add(force[i], k == 0 ? 100 : k == 1 ? 30 : 0, s.set.contacts[i].frame[k], force[i]);
                ThawContactKey keys[64];
                for (int32_t i = 0; i < s.set.count && i < 64; i++)
                    keys[i] = s.set.contacts[i].key;
                touching_shift(&s, 0, 0.004, dim == 3 ? 0.003 : 0, 0);
                touching_remember(&s, 0);
                int32_t before = s.set.count;
                touching_find(&s, 0);
                int32_t kept = 0;
                for (int32_t i = 0; i < s.set.count; i++) {
                    const ThawContact *c = &s.set.contacts[i];
                    for (int32_t k = 0; k < before; k++)
                        if (keys[k].body[0] == c->key.body[0] && keys[k].kind == c->key.kind &&
                            keys[k].feature[0] == c->key.feature[0] && c->key.kind != THAW_CONTACT_EDGE_EDGE) {
                            double now[3] = {0, 0, 0}, off[3];
                            kept++;
                            assert_false(c->is_new);
                            for (int j = 0; j < dim; j++)
                                thaw_v3_add(now, c->lambda[j] / s.world.h, c->frame[j], now);
                            thaw_v3_sub(now, force[k], off);
                            assert_true(thaw_v3_norm(off) < 1e-9);
                        }
                }
                assert_true(kept >= before - 2); // one or two may slide out over an edge
            }
            touching_free(&s);
        }
}

static void a_sticking_contact_remembers_where_it_began_and_a_sliding_one_what_it_carries(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int body = 0; body < 4; body++) {
            Touching s;
            cube_on(&s, dim, body % 2);
            s.model->options.contact.tangent = body / 2 ? 0.5 : 0;
            touching_find(&s, 0);
            double moved = 0;
            for (int step = 0; step < 10; step++) {
                give_forces(&s, 100, step < 8 ? 30 : 50); // mu 0.5: sticks, then slides
                touching_shift(&s, 0, 1e-4, 0, 0);
                moved = step < 8 ? moved + 1e-4 : 0;
                touching_remember(&s, 0);
                touching_find(&s, 0);
                for (int32_t i = 0; i < s.set.count; i++) {
                    const ThawContact *c = &s.set.contacts[i];
                    double drift[3] = {0, 0, 0};
                    if (c->key.kind == THAW_CONTACT_EDGE_EDGE || c->gap > 0)
                        continue;
                    for (int k = 1; k < dim; k++)
                        thaw_v3_add(drift, c->drift[k - 1], c->frame[k], drift);
                    double sign = c->key.body[0] == 0 ? 1 : -1;
                    if (step < 8) {
                        assert_true(fabs(sign * drift[0] - moved) < 1e-12 && fabs(drift[1]) < 1e-12);
                    } else { // hard tangents begin anew; springs are stretched by the friction of the last step
                        double stretch = body / 2 ? 50 / (0.5 * c->stiffness) : 0;
                        assert_true(fabs(thaw_v3_norm(drift) - stretch) <= 1e-3 * stretch + 1e-12);
                    }
                }
            }
            touching_free(&s);
        }
}

static void a_force_that_changes_steadily_is_expected_to_go_on_and_no_other(void **state) {
    (void)state;
    const double normal[] = {100, 104, 107, 150, 152}, change[] = {0, 4, 3, 0, 2}; // a jump is no trend
    Touching s;
    cube_on(&s, 3, 0);
    for (int step = 0; step < 5; step++) {
        touching_find(&s, 0);
        give_forces(&s, normal[step], 0);
        touching_remember(&s, 0);
        touching_find(&s, 0);
        assert_true(s.set.count >= 6);
        for (int32_t i = 0; i < s.set.count; i++) {
            const ThawContact *c = &s.set.contacts[i];
            assert_true(fabs(c->lambda[0] - normal[step] * s.world.h) < 1e-12);
            assert_true(fabs(c->trend[0] - change[step] * s.world.h) < 1e-12);
            assert_true(fabs(c->trend[1]) + fabs(c->trend[2]) < 1e-12);
        }
    }
    touching_free(&s);
}

static void an_anchor_rides_on_a_moving_obstacle(void **state) {
    (void)state;
    Touching s;
    touching_create(&s, 3);
    touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){1, 1, 1}, 0, 1);
    touching_body(&s, 0, 0.2, 0.1, 0.999);
    ThawObstacleDef *table = touching_obstacle(&s, THAW_OBSTACLE_BOX);
    table->size[0] = table->size[1] = 5, table->size[2] = 1;
    table->keys = (ThawKey[2]){{0, {0, 0, 0}, {1, 0, 0, 0}}, {1, {0.5, 0, 0}, {0.8, 0, 0, 0.6}}};
    table->key_count = 2;
    touching_compile(&s);
    double t = 0, h = s.world.h;
    touching_find(&s, t);
    for (int step = 0; step < 50; step++, t += h) {
        ThawPlace from, to;
        give_forces(&s, 100, 10);
        thaw_obstacle_place(&s.model->obstacles[0], t, &from);
        thaw_obstacle_place(&s.model->obstacles[0], t + h, &to);
        for (int32_t i = 0; i < s.model->vertex_count; i++) { // the cube rides exactly
            double arm[3], local[3];
            thaw_v3_sub(s.x + 3 * i, from.p, arm);
            thaw_v3_turn_back(from.R, arm, local);
            thaw_v3_turn(to.R, local, s.x + 3 * i);
            thaw_v3_add(s.x + 3 * i, 1, to.p, s.x + 3 * i);
        }
        touching_remember(&s, t);
        touching_find(&s, t + h);
        assert_int_equal(touching_count(&s, 0, -1, THAW_CONTACT_VERTEX_OBSTACLE), 4);
        for (int32_t i = 0; i < s.set.count; i++) {
            assert_true(hypot(s.set.contacts[i].drift[0], s.set.contacts[i].drift[1]) < 1e-12);
            assert_false(s.set.contacts[i].is_new);
        }
    }
    touching_free(&s);
}

static void the_first_tangent_follows_the_sliding(void **state) {
    (void)state;
    Touching s;
    cube_on(&s, 3, 0);
    s.bodies[0].velocity[0] = 3;
    for (int32_t i = 0; i < s.model->vertex_count; i++)
        s.v[3 * i] = 0.3, s.v[3 * i + 1] = -0.4;
    touching_find(&s, 0);
    for (int32_t i = 0; i < s.set.count; i++)
        assert_true(fabs(s.set.contacts[i].frame[1][0] - 0.6) < 1e-9);
    touching_free(&s);
}

static void heap(Touching *s) {
    uint64_t seed = 9;
    touching_create(s, 3);
    touching_shape(s, (double[3]){1, 0.8, 0.7}, (int32_t[3]){3, 3, 3}, 0.15, 5);
    touching_shape(s, (double[3]){1.5, 0.4, 0.4}, (int32_t[3]){1, 1, 1}, 0, 6);
    for (int32_t i = 0; i < TOUCHING_BODIES; i++) {
        ThawBodyDef *body =
            touching_body(s, i % 2, 1.6 * sample_random(&seed), 1.6 * sample_random(&seed), 1.2 + sample_random(&seed));
        sample_quaternion(&seed, 3, 3, body->rotation);
        for (int k = 0; k < 3; k++)
            body->velocity[k] = 3 * sample_random(&seed);
    }
    touching_obstacle(s, THAW_OBSTACLE_HALF_SPACE)->position[2] = 0.4;
    ThawObstacleDef *box = touching_obstacle(s, THAW_OBSTACLE_BOX);
    box->size[0] = box->size[1] = box->size[2] = 0.9;
    box->position[2] = 1;
    touching_obstacle(s, THAW_OBSTACLE_SPHERE)->size[0] = 0.6;
}

static void threads_change_no_byte(void **state) {
    (void)state;
    Touching s;
    heap(&s);
    touching_compile(&s);
    touching_find(&s, 0);
    touching_check(&s);
    int32_t kinds[4] = {0};
    for (int32_t i = 0; i < s.set.count; i++)
        kinds[s.set.contacts[i].key.kind]++;
    for (int k = 0; k < 4; k++)
        assert_true(kinds[k] > 0);
    for (int threads = 1; threads <= 4; threads++)
        for (int warm = 0; warm < 2; warm++) {
            ThawTasks *tasks = NULL;
            ThawError error;
            ThawContactSet set = {0};
            assert_int_equal(thaw_tasks_create(threads, &tasks, &error), THAW_OK);
            if (warm) // slots, orders and hierarchies of another state must not show
                for (int pass = 0; pass < 2; pass++) {
                    touching_shift(&s, 3, pass ? -1 : 1, pass ? -0.5 : 0.5, 0);
                    assert_int_equal(thaw_contacts_find(s.collider, tasks, 0, s.world.h, s.x, s.v, &set, &error),
                                     THAW_OK);
                }
            touching_find(&s, 0);
            assert_int_equal(thaw_contacts_find(s.collider, tasks, 0, s.world.h, s.x, s.v, &set, &error), THAW_OK);
            assert_int_equal(set.count, s.set.count);
            assert_memory_equal(set.contacts, s.set.contacts, sizeof *set.contacts * (size_t)set.count);
            thaw_contact_set_clear(&set);
            thaw_tasks_free(&tasks);
        }
    touching_free(&s);
}

// A heap that swirls, each body in its own way and by its own speed, in a plate that sinks and comes back.
static void swirl(Touching *s, int step, double pace) {
    for (int32_t b = 0; b < s->model->body_count; b++) {
        const ThawModelBody *body = &s->model->bodies[b];
        const double turn = pace * (b % 3 - 1), way = pace * (b % 4 == 0 ? 2 : 0.2) * sin(0.1 * step + b);
        for (int32_t i = 3 * body->first_vertex; i < 3 * (body->first_vertex + body->shape->nv); i += 3) {
            s->v[i] = -turn * s->x[i + 1] + way;
            s->v[i + 1] = turn * s->x[i] + 0.1 * turn * sin(9 * s->x[i + 2]);
            s->v[i + 2] = -0.5 * way;
            for (int k = 0; k < 3; k++)
                s->x[i + k] += s->world.h * s->v[i + k];
        }
    }
}

// Searches with what the set knows and with nothing: the same bytes. way: of the step that is searched for, in steps.
static void search_warm_and_cold(Touching *s, double t, double way) {
    ThawContactSet fresh = {.memory = s->set.memory, .memory_count = s->set.memory_count};
    const double h = way * s->world.h;
    ThawError error;
    assert_int_equal(thaw_contacts_find(s->collider, NULL, t, h, s->x, s->v, &s->set, &error), THAW_OK);
    assert_int_equal(thaw_contacts_find(s->collider, NULL, t, h, s->x, s->v, &fresh, &error), THAW_OK);
    assert_int_equal(fresh.count, s->set.count);
    assert_memory_equal(fresh.contacts, s->set.contacts, sizeof *fresh.contacts * (size_t)fresh.count);
    fresh.memory = NULL;
    thaw_contact_set_clear(&fresh);
}

// By turns fast, slow, and still; or each at random, and each step searched for twice, as one that is halved or made
// longer.
static void swirl_and_search(int is_random) {
    static double corners[24];
    static int32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const ThawKey keys[3] = {{.time = 0, .rotation = {1}},
                                    {.time = 0.6, .rotation = {1}, .translation = {0, 0, 0.3}},
                                    {.time = 1.2, .rotation = {1}}};
    static const double paces[3] = {1, 1e-2, 0};
    uint64_t seed = 1;
    Touching s;
    heap(&s);
    ThawObstacleDef *plate = touching_obstacle(&s, THAW_OBSTACLE_MESH);
    for (int i = 0; i < 24; i++)
        corners[i] = (i / 3 >> i % 3 & 1 ? 1 : -1) * (i % 3 == 2 ? 0.1 : 0.9);
    plate->x = corners, plate->vertex_count = 8, plate->faces = faces, plate->face_count = 12;
    plate->position[2] = 0.6;
    plate->keys = keys, plate->key_count = 3;
    touching_compile(&s);
    int64_t kinds[4] = {0};
    for (int step = 0; step < (is_random ? 60 : 120); step++) {
        const double t = step * s.world.h, calm = step % 40 < 20 ? 1 : step % 40 < 35 ? 3e-3 : 0;
        swirl(&s, step, is_random ? paces[sample_below(&seed, 3)] : calm);
        if (is_random)
            search_warm_and_cold(&s, t, sample_between(&seed, 0.1, 2));
        search_warm_and_cold(&s, t, 1);
        for (int32_t i = 0; i < s.set.count; i++) {
            kinds[s.set.contacts[i].key.kind]++;
            s.set.contacts[i].lambda[0] = s.set.contacts[i].gap < 0;
        }
        touching_remember(&s, t);
    }
    for (int k = 0; k < 4; k++)
        assert_true(kinds[k] > 100);
    touching_free(&s);
}

static void a_search_that_knows_the_last_finds_what_one_that_does_not_would(void **state) {
    (void)state;
    swirl_and_search(0);
}

static void a_search_knows_nothing_wrong_when_the_pace_or_the_step_changes(void **state) {
    (void)state;
    swirl_and_search(1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_persist_over_a_slow_slide_and_so_do_forces),
        cmocka_unit_test(a_sticking_contact_remembers_where_it_began_and_a_sliding_one_what_it_carries),
        cmocka_unit_test(a_force_that_changes_steadily_is_expected_to_go_on_and_no_other),
        cmocka_unit_test(an_anchor_rides_on_a_moving_obstacle),
        cmocka_unit_test(the_first_tangent_follows_the_sliding),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(a_search_that_knows_the_last_finds_what_one_that_does_not_would),
        cmocka_unit_test(a_search_knows_nothing_wrong_when_the_pace_or_the_step_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
