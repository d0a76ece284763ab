// SPDX-License-Identifier: Apache-2.0
// Bodies against bodies: the hierarchy against brute force, deformed and tumbled; flush stacks, crossed bars, thin
// plates, bullets; which bodies may touch.
#include "contact/touching.h"

#include "support/world.h"

// Bends and stretches all bodies smoothly.
static void deform(Touching *s) {
    int dim = s->world.dim;
    for (int32_t i = 0; i < s->model->vertex_count; i++) {
        double *x = s->x + i * dim, y = x[1];
        x[1] += 0.1 * sin(2 * x[0]);
        x[0] += 0.08 * cos(3 * y);
    }
}

// The nearest face by looking at all of them; ties to the lowest.
static void brute_nearest(const ThawContactBody *b, const double x[3], ThawNearest *nearest) {
    *nearest = (ThawNearest){.face = -1, .square = INFINITY};
    for (int32_t f = 0; f < b->shape->nf; f++) {
        const int32_t *v = b->shape->face + f * b->shape->nodes;
        double w[3] = {0, 0, 0}, q[3] = {0, 0, 0}, d[3];
        if (b->shape->nodes == 3)
            thaw_triangle_closest(b->x + 3 * v[0], b->x + 3 * v[1], b->x + 3 * v[2], x, w);
        else
            thaw_segment_closest(b->x + 3 * v[0], b->x + 3 * v[1], x, w);
        for (int i = 0; i < b->shape->nodes; i++)
            thaw_v3_add(q, w[i], b->x + 3 * v[i], q);
        thaw_v3_sub(x, q, d);
        double square = thaw_v3_dot(d, d);
        if (square < nearest->square) {
            *nearest = (ThawNearest){.face = f, .square = square};
            memcpy(nearest->w, w, sizeof w);
            thaw_v3_copy(q, nearest->point);
        }
    }
}

// Inside, by how often a ray leaves the elements: by elements themselves, which need no surface at all.
static int is_in_element(const Touching *s, int32_t body, const double *x) {
    const ThawShape *shape = s->model->bodies[body].shape;
    int dim = s->world.dim, nodes = dim + 1;
    for (int32_t e = 0; e < shape->ne; e++) {
        double m[4], total = 0, sum = 0;
        for (int k = 0; k <= nodes; k++) { // volumes with vertex k replaced by x; the whole one last
            double p[4][3] = {{0}};
            for (int i = 0; i < nodes; i++)
                memcpy(p[i],
                       i == k
                           ? x
                           : s->x + (s->model->bodies[body].first_vertex + shape->cells->elements[e * nodes + i]) * dim,
                       sizeof(double) * (size_t)dim);
            double a[3], b[3], c[3], n[3];
            thaw_v3_sub(p[1], p[0], a);
            thaw_v3_sub(p[2], p[0], b);
            thaw_v3_sub(p[3], p[0], c);
            thaw_v3_cross(a, b, n);
            double volume = dim == 3 ? thaw_v3_dot(n, c) : n[2];
            if (k < nodes)
                m[k] = fabs(volume), sum += m[k];
            else
                total = fabs(volume);
        }
        if (sum <= total * (1 + 1e-12))
            return 1;
    }
    return 0;
}

static void tumbled_boxes(Touching *s, int dim, uint64_t seed, int32_t count) {
    touching_create(s, dim);
    touching_shape(s, (double[3]){1, 0.8, 0.7}, (int32_t[3]){4, 3, 3}, 0.15, seed);
    touching_shape(s, (double[3]){0.6, 0.6, 0.6}, (int32_t[3]){7, 7, 7}, 0.2, seed + 1);
    for (int32_t i = 0; i < count; i++) {
        ThawBodyDef *body = touching_body(s, i % 2, 1.2 * sample_random(&seed), 1.2 * sample_random(&seed),
                                          dim == 3 ? 0.7 * sample_random(&seed) : 0);
        sample_quaternion(&seed, dim, 3, body->rotation);
        for (int k = 0; k < dim; k++)
            body->velocity[k] = 0.5 * sample_random(&seed);
    }
    touching_compile(s);
    deform(s);
}

static void the_hierarchy_finds_what_brute_force_finds(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Touching s;
            tumbled_boxes(&s, dim, seed, dim == 3 ? 8 : 6);
            touching_find(&s, 0);
            touching_check(&s);
            int32_t inside = 0, nearest_taken = 0, other = 0;
            for (int32_t a = 0; a < s.model->body_count; a++)
                for (int32_t b = 0; b < s.model->body_count; b++) {
                    const ThawContactBody *from = &s.set.scratch->bodies[a], *to = &s.set.scratch->bodies[b];
                    for (int32_t v = 0; a != b && v < from->shape->nv; v++) {
                        const double *x = from->x + 3 * v;
                        const ThawContact *found = NULL;
                        for (int32_t i = 0; i < s.set.count; i++) {
                            const ThawContact *c = &s.set.contacts[i];
                            if (c->key.body[0] == a && c->key.body[1] == b && c->gap <= 0 &&
                                c->key.kind == THAW_CONTACT_VERTEX_FACE && c->key.feature[0] == from->shape->vertex[v])
                                found = c;
                        }
                        assert_int_equal(found != NULL, is_in_element(&s, b, x));
                        if (!found)
                            continue;
                        ThawNearest nearest;
                        brute_nearest(to, x, &nearest);
                        double distance = sqrt(nearest.square), off[3], q[3];
                        inside++;
                        if (found->key.feature[1] == nearest.face && fabs(found->gap + distance) < 1e-12) {
                            nearest_taken++;
                            thaw_v3_sub(found->point, nearest.point, off);
                            assert_true(thaw_v3_norm(off) < 1e-14);
                            thaw_v3_add(found->point, found->gap, found->frame[0], q);
                            thaw_v3_sub(q, x, off);
                            assert_true(thaw_v3_norm(off) < 1e-12);
                        } else { // a face that looks the vertex in the eye, not much farther away
                            double own[3];
                            thaw_contact_vertex_normal(from->shape, from->x, v, own);
                            assert_true(thaw_v3_dot(own, found->frame[0]) <= -0.1);
                            assert_true(-found->gap <= distance + from->shape->length[v]);
                            other++;
                        }
                    }
                }
            assert_true(inside > 20 && nearest_taken > other);
            touching_free(&s);
        }
}

static void a_refitted_hierarchy_answers_like_a_rebuilt_one(void **state) {
    (void)state;
    Touching s;
    tumbled_boxes(&s, 3, 4, 2);
    touching_find(&s, 0);
    ThawContactBody *body = &s.set.scratch->bodies[1];
    ThawContactShape rebuilt = *body->shape;
    ThawError error;
    uint64_t seed = 2;
    rebuilt.tree = NULL, rebuilt.order = NULL, rebuilt.tree_count = 0;
    assert_int_equal(thaw_contact_tree_build(body->x, &rebuilt, &error), THAW_OK);
    double *boxes = THAW_NEW(double, 6 * rebuilt.tree_count);
    thaw_contact_tree_refit(&rebuilt, body->x, boxes);
    thaw_contact_tree_refit(body->shape, body->x, body->boxes);
    for (int k = 0; k < 6; k++)
        assert_true(boxes[k] == body->boxes[k] && boxes[k] == body->box[k]);
    for (int i = 0; i < 2000; i++) {
        double x[3] = {2 * sample_random(&seed), 2 * sample_random(&seed), 2 * sample_random(&seed)};
        ThawNearest a = {.face = -1, .square = INFINITY}, b = {.face = i % 100, .square = INFINITY}, c;
        thaw_contact_nearest(body->shape, body->x, body->boxes, x, NULL, NULL, &a);
        thaw_contact_nearest(&rebuilt, body->x, boxes, x, NULL, NULL, &b);
        brute_nearest(body, x, &c);
        assert_memory_equal(&a, &b, sizeof a);
        assert_int_equal(a.face, c.face);
    }
    thaw_free(rebuilt.tree);
    thaw_free(rebuilt.order);
    thaw_free(boxes);
    touching_free(&s);
}

static void cubes_stacked_flush_push_each_other_up_not_sideways(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int32_t cells = 1; cells <= 3; cells += 2)
            for (int shifted = 0; shifted < 3; shifted++) {
                Touching s;
                touching_create(&s, dim);
                touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){cells, cells, cells}, 0, 1);
                double up = 0.999, e = shifted == 0 ? 0 : shifted == 1 ? 1e-5 : 2e-3, f = dim == 3 ? -e : up;
                touching_body(&s, 0, 0, 0, 0);
                touching_body(&s, 0, e, f, up);
                ThawObstacleDef *box = touching_obstacle(&s, THAW_OBSTACLE_BOX); // flush below
                box->size[0] = box->size[1] = box->size[2] = 1;
                box->position[0] = -e, box->position[1] = dim == 3 ? e : -up, box->position[2] = -up;
                touching_compile(&s);
                touching_find(&s, 0);
                touching_check(&s);
                int32_t between = 0, on_box = 0;
                for (int32_t i = 0; i < s.set.count; i++) {
                    const ThawContact *c = &s.set.contacts[i];
                    if (c->gap > 1e-9)
                        continue;
                    double sign = c->key.body[1] < c->key.body[0] ? 1 : -1;
                    assert_true(sign * c->frame[0][dim - 1] > 0.999);
                    assert_true(fabs(c->gap + 1e-3) < 1e-6);
                    between += c->key.body[1] >= 0;
                    on_box += c->key.body[1] < 0;
                }
                // At least a support polygon of four points (2D: two), however they are shifted.
                assert_true(between >= 2 * (dim - 1) && on_box >= 2 * (dim - 1));
                touching_free(&s);
            }
}

static void crossed_bars_touch_with_their_edges(void **state) {
    (void)state;
    for (int obstacle = 0; obstacle < 2; obstacle++) {
        Touching s;
        touching_create(&s, 3);
        int32_t along = touching_shape(&s, (double[3]){4, 0.5, 0.5}, (int32_t[3]){1, 1, 1}, 0, 1);
        int32_t across = touching_shape(&s, (double[3]){0.5, 4, 0.5}, (int32_t[3]){1, 1, 1}, 0, 1);
        touching_body(&s, along, 0.1, 0, 0.49);
        if (obstacle) {
            ThawObstacleDef *box = touching_obstacle(&s, THAW_OBSTACLE_BOX);
            box->size[0] = 0.5, box->size[1] = 4, box->size[2] = 0.5;
        } else
            touching_body(&s, across, 0, 0.1, 0);
        touching_compile(&s);
        touching_find(&s, 0);
        touching_check(&s);
        int32_t edges = 0;
        for (int32_t i = 0; i < s.set.count; i++) {
            const ThawContact *c = &s.set.contacts[i];
            if (c->gap > 0)
                continue;
            assert_int_equal(c->key.kind, THAW_CONTACT_EDGE_EDGE);
            assert_true(c->frame[0][2] > 0.999 && fabs(c->gap + 0.01) < 1e-12);
            assert_true(fabs(fabs(c->point[0]) - 0.25) < 1e-12 && fabs(fabs(c->point[1]) - 0.25) < 1e-12);
            assert_true(c->nodes[0] == 2 && c->nodes[1] == (obstacle ? 0 : 2));
            edges++;
        }
        assert_int_equal(edges, 4);
        s.model->options.contact.edges = 0;
        touching_find(&s, 0);
        assert_int_equal(touching_count(&s, 0, obstacle ? -1 : 1, THAW_CONTACT_EDGE_EDGE), 0);
        // Bars one above the other with air between them do not touch, however thin they are.
        s.model->options.contact.edges = 1;
        memset(s.v, 0, sizeof *s.v * 3 * (size_t)s.model->vertex_count);
        touching_shift(&s, 0, 0, 0, 0.05);
        touching_find(&s, 0);
        assert_int_equal(s.set.count, 0);
        touching_shift(&s, 0, 0, 0, -1.1); // below
        touching_find(&s, 0);
        assert_int_equal(s.set.count, 0);
        touching_free(&s);
    }
}

static void bars_thrown_across_each_other_find_the_edges_they_will_cross(void **state) {
    (void)state;
    for (int obstacle = 0; obstacle < 2; obstacle++) {
        Touching s;
        touching_create(&s, 3);
        int32_t along = touching_shape(&s, (double[3]){4, 0.1, 0.1}, (int32_t[3]){1, 1, 1}, 0, 1);
        int32_t across = touching_shape(&s, (double[3]){0.1, 4, 0.1}, (int32_t[3]){1, 1, 1}, 0, 1);
        ThawBodyDef *thrown = touching_body(&s, along, 0.1, 0, 0.4);
        thrown->velocity[0] = 3, thrown->velocity[2] = -50; // half a metre a step
        if (obstacle) {
            ThawObstacleDef *box = touching_obstacle(&s, THAW_OBSTACLE_BOX);
            box->size[0] = box->size[2] = 0.1, box->size[1] = 4;
        } else
            touching_body(&s, across, 0, 0.1, 0);
        touching_compile(&s);
        touching_find(&s, 0);
        touching_check(&s);
        int32_t edges = 0;
        for (int32_t i = 0; i < s.set.count; i++) {
            const ThawContact *c = &s.set.contacts[i];
            edges += c->key.kind == THAW_CONTACT_EDGE_EDGE && c->frame[0][2] > 0.999 && fabs(c->gap - 0.3) < 1e-9;
        }
        assert_int_equal(edges, 4);
        for (int32_t i = 0; i < s.model->bodies[0].shape->nv; i++)
            s.v[3 * i + 2] = 50;
        touching_find(&s, 0);
        assert_int_equal(s.set.count, 0);
        touching_free(&s);
    }
}

static void a_large_face_rests_on_corners_and_balls_smaller_than_itself(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = THAW_OBSTACLE_SPHERE; kind <= THAW_OBSTACLE_CYLINDER; kind++) {
            if (dim == 2 && kind > THAW_OBSTACLE_BOX)
                continue;
            Touching s;
            touching_create(&s, dim);
            touching_shape(&s, (double[3]){4, 4, 1}, (int32_t[3]){1, 1, 1}, 0, 1);
            ThawObstacleDef *o = touching_obstacle(&s, (ThawObstacleKind)kind);
            o->size[0] = o->size[1] = o->size[2] = 0.2;
            o->position[0] = 0.3, o->position[1] = 0.1;
            double top = kind == THAW_OBSTACLE_SPHERE || kind == THAW_OBSTACLE_CAPSULE ? 0.2 : 0.1;
            top += kind == THAW_OBSTACLE_CAPSULE ? 0.1 : 0;
            touching_body(&s, 0, 0, dim == 3 ? 0 : 2.1 + top - 0.01, 0.5 + top - 0.01);
            touching_compile(&s);
            touching_find(&s, 0);
            touching_check(&s);
            int32_t points = 0;
            for (int32_t i = 0; i < s.set.count; i++) {
                const ThawContact *c = &s.set.contacts[i];
                if (c->gap > 0)
                    continue;
                assert_int_equal(c->key.kind, THAW_CONTACT_FACE_POINT);
                assert_true(c->frame[0][dim - 1] > 0.999 && fabs(c->gap + 0.01) < 1e-9);
                points++;
            }
            assert_int_equal(points, kind == THAW_OBSTACLE_BOX        ? (dim == 3 ? 4 : 2)
                                     : kind == THAW_OBSTACLE_CYLINDER ? 24
                                                                      : 1);
            touching_free(&s);
        }
}

// A plate of one element's thickness and a cube that would be through it after one step.
static void a_bullet_finds_rows_at_the_face_it_will_hit_first(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int wall = 0; wall < 5; wall++) { // body, moving body, box, mesh, moving box
            if (dim == 2 && wall == 3)
                continue;
            Touching s;
            touching_create(&s, dim);
            int32_t plate = touching_shape(&s, (double[3]){0.02, 2, 2}, (int32_t[3]){1, 9, 9}, 0, 1);
            int32_t cube = touching_shape(&s, (double[3]){0.1, 0.1, 0.1}, (int32_t[3]){2, 2, 2}, 0.1, 2);
            memset(s.world.gravity, 0, sizeof s.world.gravity);
            double moving = wall == 1 || wall == 4 ? -50 : 0;
            ThawKey keys[2] = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {1, {moving, 0, 0}, {1, 0, 0, 0}}};
            double x[24];
            int32_t faces[36];
            touching_body(&s, cube, -0.2, 0.03, 0.02)->velocity[0] = moving != 0 ? 0 : 50;
            if (wall < 2)
                touching_body(&s, plate, 0, 0, 0)->velocity[0] = moving;
            else {
                ThawObstacleDef *o = touching_obstacle(&s, wall == 3 ? THAW_OBSTACLE_MESH : THAW_OBSTACLE_BOX);
                o->size[0] = 0.02, o->size[1] = o->size[2] = 2;
                o->keys = keys, o->key_count = wall == 4 ? 2 : 0;
                static const int32_t box[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                                2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
                for (int i = 0; i < 24; i++)
                    x[i] = (i / 3 >> i % 3 & 1 ? 1 : -1) * (i % 3 == 0 ? 0.01 : 1);
                memcpy(faces, box, sizeof box);
                o->x = x, o->vertex_count = 8, o->faces = faces, o->face_count = 12;
            }
            touching_compile(&s);
            touching_find(&s, 0);
            touching_check(&s);
            const ThawContactShape *shape = &s.collider->shapes[cube];
            int kind = wall < 2 ? THAW_CONTACT_VERTEX_FACE : THAW_CONTACT_VERTEX_OBSTACLE;
            assert_int_equal(touching_count(&s, 0, wall < 2 ? 1 : -1, kind), shape->nv);
            for (int32_t i = 0; i < s.set.count; i++) {
                const ThawContact *c = &s.set.contacts[i];
                assert_true(c->gap > 0);
                if (c->key.body[0] != 0 || c->key.kind != kind)
                    continue;
                assert_true(c->frame[0][0] < -0.999 && fabs(c->point[0] + 0.01) < 1e-9);
                assert_true(fabs(c->gap + 0.01 + s.x[c->key.feature[0] * dim]) < 1e-9);
            }
            // Slow, or flying away, it finds nothing.
            for (int away = 0; away < 2; away++) {
                for (int32_t i = 0; i < s.model->vertex_count * dim; i++)
                    s.v[i] = away && i / dim < s.model->bodies[0].shape->nv && i % dim == 0 ? -80 : 0;
                if (wall == 4 && !away)
                    continue;
                touching_find(&s, 0);
                assert_int_equal(s.set.count, 0);
            }
            touching_free(&s);
        }
}

static void a_vertex_in_a_thin_plate_stays_with_the_face_it_came_through(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        Touching s;
        touching_create(&s, 3);
        int32_t plate = touching_shape(&s, (double[3]){2, 2, 0.1}, (int32_t[3]){8, 8, 1}, 0, 1);
        int32_t cube = touching_shape(&s, (double[3]){0.3, 0.3, 0.3}, (int32_t[3]){1, 1, 1}, 0, 2);
        touching_body(&s, cube, 0.1, 0.05, 0.19);
        if (kind == 0)
            touching_body(&s, plate, 0, 0, 0);
        else {
            ThawObstacleDef *box = touching_obstacle(&s, THAW_OBSTACLE_BOX);
            box->size[0] = box->size[1] = 2, box->size[2] = 0.1;
        }
        touching_compile(&s);
        touching_find(&s, 0);
        for (int step = 0; step < 9; step++) { // pressed in, to beyond the far side (bodies)
            int32_t up = 0;
            for (int32_t i = 0; i < s.set.count; i++) {
                const ThawContact *c = &s.set.contacts[i];
                if (c->key.body[0] != 0 || c->gap > 0)
                    continue;
                assert_true(c->frame[0][2] > 0.999);
                up++;
            }
            assert_int_equal(up, 4);
            touching_remember(&s, 0);
            if (kind == 1 && step == 6)
                break;
            touching_shift(&s, 0, 0, 0, -0.012);
            touching_find(&s, 0);
        }
        touching_free(&s);
    }
}

static void pairs_say_who_touches_whom_and_how_rough(void **state) {
    (void)state;
    Touching s;
    touching_create(&s, 3);
    touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){2, 2, 2}, 0, 1);
    touching_body(&s, 0, 0, 0, 0)->name = "a";
    touching_body(&s, 0, 0.3, 0.3, 0.9)->name = "b";
    touching_body(&s, 0, 0.6, 0.6, 1.8)->name = "c";
    s.bodies[0].friction = 0.2, s.bodies[1].friction = 0.8;
    touching_obstacle(&s, THAW_OBSTACLE_HALF_SPACE)->position[2] = -0.45;
    s.pairs[0] = (ThawPairDef){"*", "floor", 0, 0.9, -1};
    s.pairs[1] = (ThawPairDef){"c", "b", 1, -1, -1};
    s.world.pair_count = 2;
    touching_compile(&s);
    touching_find(&s, 0);
    int32_t floor = 0, ab = 0;
    for (int32_t i = 0; i < s.set.count; i++) {
        const ThawContact *c = &s.set.contacts[i];
        assert_true(c->key.body[0] != 2 && c->key.body[1] != 2);
        assert_true(c->friction == (c->key.body[1] < 0 ? 0.9 : sqrt(0.2 * 0.8)));
        floor += c->key.body[1] < 0;
        ab += c->key.body[1] >= 0;
    }
    assert_true(floor == 9 && ab > 0);
    s.model->options.contact.disabled = 1;
    touching_find(&s, 0);
    assert_int_equal(s.set.count, 0);
    touching_free(&s);
}

static void what_is_pinned_for_ever_makes_no_rows_with_obstacles(void **state) {
    (void)state;
    Touching s;
    touching_create(&s, 3);
    touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){2, 2, 2}, 0, 1);
    ThawGroupDef all = thaw_group_def_default();
    ThawScriptDef pin = thaw_script_def_default();
    s.shapes[0].groups = &all, s.shapes[0].group_count = 1;
    ThawBodyDef *body = touching_body(&s, 0, 0, 0, 0.4);
    body->scripts = &pin, body->script_count = 1;
    touching_body(&s, 0, 0.2, 0.1, 1.3);
    touching_obstacle(&s, THAW_OBSTACLE_HALF_SPACE);
    touching_compile(&s);
    touching_find(&s, 0);
    assert_int_equal(touching_count(&s, 0, -1, THAW_CONTACT_VERTEX_OBSTACLE), 0);
    assert_true(touching_count(&s, 1, 0, THAW_CONTACT_VERTEX_FACE) > 0); // but it holds others
    touching_free(&s);
}

static void stiffness_is_automatic_given_or_hard(void **state) {
    (void)state;
    Touching s;
    touching_create(&s, 3);
    touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){4, 4, 4}, 0, 1);
    touching_body(&s, 0, 0, 0, 0.5 - 1e-4);
    touching_obstacle(&s, THAW_OBSTACLE_HALF_SPACE);
    for (int soft = 0; soft < 2; soft++) {
        if (soft)
            s.material.young = 1e3;
        touching_compile(&s);
        touching_find(&s, 0);
        double total = 0;
        for (int32_t i = 0; i < s.set.count; i++) {
            total += s.set.contacts[i].stiffness;
            assert_true(s.set.contacts[i].damping > 0);
        }
        assert_int_equal(s.set.count, 25);
        // Under its own weight it sinks by less than one percent of an element, be it rubber or pudding.
        assert_true(s.model->shapes[0]->total_mass * 9.81 / total < 0.01 * 0.25);
        touching_free(&s);
        thaw_mesh_free(&s.meshes[0]);
        s.set = (ThawContactSet){0};
        s.world.shape_count = 0;
        touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){4, 4, 4}, 0, 1);
    }
    touching_compile(&s);
    touching_find(&s, 0);
    double automatic = s.set.contacts[0].stiffness;
    s.model->options.contact.stiffness = INFINITY;
    touching_find(&s, 0);
    assert_true(s.set.contacts[0].stiffness >= 1000 * automatic && s.set.contacts[0].damping == 0);
    assert_true(s.set.contacts[0].sink > 0 && s.set.contacts[0].sink <= 1e-4 * 0.5);
    s.model->options.contact.stiffness = 123;
    s.model->options.contact.damping = 4;
    touching_find(&s, 0);
    assert_true(s.set.contacts[0].stiffness == 123 && s.set.contacts[0].damping == 4 && s.set.contacts[0].sink == 0);
    touching_free(&s);
}

static void overlaps_name_the_pairs_and_how_deep(void **state) {
    (void)state;
    Touching s;
    touching_create(&s, 3);
    touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){2, 2, 2}, 0, 1);
    touching_body(&s, 0, 0, 0, 0.45);
    touching_body(&s, 0, 0.4, 0.3, 1.15);
    touching_body(&s, 0, 9, 0, 0.5); // touches the floor exactly: no overlap
    touching_obstacle(&s, THAW_OBSTACLE_HALF_SPACE);
    touching_compile(&s);
    ThawOverlap *overlaps;
    ThawError error;
    int32_t count;
    assert_int_equal(thaw_contacts_overlaps(s.collider, NULL, 0, s.x, &overlaps, &count, &error), THAW_OK);
    assert_int_equal(count, 2);
    assert_true(overlaps[0].body[0] == 0 && overlaps[0].body[1] == -1 && fabs(overlaps[0].depth - 0.05) < 1e-12);
    assert_int_equal(overlaps[0].points, 9);
    assert_true(overlaps[1].body[0] == 0 && overlaps[1].body[1] == 1 && fabs(overlaps[1].depth - 0.3) < 1e-9);
    thaw_free(overlaps);
    touching_free(&s);
}

// So many blocks in a row that touch their neighbours, listed in the order of `place`: contacts of the first step.
static int64_t touches_in_a_row(int count, const int *place) {
    size_t length = 0, room = 400 + 120 * (size_t)count;
    char *text = malloc(room);
    assert_non_null(text);
    length += (size_t)snprintf(text, room,
                               "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01}, "
                               "\"materials\": {\"m\": {\"young\": 1e5, \"density\": 1000}}, \"shapes\": {\"s\": "
                               "{\"material\": \"m\", \"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], "
                               "\"cells\": [1, 1, 1]}}}}, \"bodies\": [");
    for (int i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, room - length, "%s{\"shape\": \"s\", \"position\": [%d, 0, 0]}",
                                   i ? ", " : "", place[i]);
    snprintf(text + length, room - length, "]}");
    ThawWorld *world = make_world(text, 1);
    const int64_t contacts = run_world(world, 1).contacts;
    thaw_world_free(&world);
    free(text);
    return contacts;
}

static void a_crowd_is_searched_in_whatever_order_it_is_listed(void **state) {
    (void)state;
    enum { COUNT = 300 };
    int place[COUNT];
    for (int i = 0; i < COUNT; i++)
        place[i] = i;
    const int64_t ascending = touches_in_a_row(COUNT, place);
    assert_true(ascending >= COUNT - 1);
    for (int i = 0; i < COUNT; i++)
        place[i] = COUNT - 1 - i;
    assert_int_equal(touches_in_a_row(COUNT, place), ascending);
    for (int i = 0; i < COUNT; i++)
        place[i] = i * 7919 % COUNT; // coprime: all of them
    assert_int_equal(touches_in_a_row(COUNT, place), ascending);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hierarchy_finds_what_brute_force_finds),
        cmocka_unit_test(a_refitted_hierarchy_answers_like_a_rebuilt_one),
        cmocka_unit_test(cubes_stacked_flush_push_each_other_up_not_sideways),
        cmocka_unit_test(crossed_bars_touch_with_their_edges),
        cmocka_unit_test(bars_thrown_across_each_other_find_the_edges_they_will_cross),
        cmocka_unit_test(a_large_face_rests_on_corners_and_balls_smaller_than_itself),
        cmocka_unit_test(a_bullet_finds_rows_at_the_face_it_will_hit_first),
        cmocka_unit_test(a_vertex_in_a_thin_plate_stays_with_the_face_it_came_through),
        cmocka_unit_test(pairs_say_who_touches_whom_and_how_rough),
        cmocka_unit_test(what_is_pinned_for_ever_makes_no_rows_with_obstacles),
        cmocka_unit_test(stiffness_is_automatic_given_or_hard),
        cmocka_unit_test(overlaps_name_the_pairs_and_how_deep),
        cmocka_unit_test(a_crowd_is_searched_in_whatever_order_it_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
