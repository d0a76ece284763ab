// SPDX-License-Identifier: Apache-2.0
// Distances to obstacles: against brute force over their surfaces, normals against finite differences, velocities of
// moving and deforming ones against where they go.
#include "contact/touching.h"

// A box as a mesh: corners and outward triangles (2D: edges, interior to the left).
static const double CORNERS[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
static const int32_t BOX_FACES[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
static const double SQUARE[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
static const int32_t SQUARE_FACES[8] = {0, 1, 1, 2, 2, 3, 3, 0};
static ThawKey keys[2] = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {2, {0.6, -0.4, 0}, {0.8, 0, 0, 0.6}}};

static void make_obstacle(Touching *s, ThawObstacleKind kind, int moves) {
    ThawObstacleDef *o = touching_obstacle(s, kind);
    uint64_t seed = 7;
    o->size[0] = 0.7, o->size[1] = 1.1, o->size[2] = 0.4;
    o->position[0] = 0.2, o->position[1] = -0.3, o->position[2] = 0.1;
    sample_quaternion(&seed, s->world.dim, 3, o->rotation);
    if (kind == THAW_OBSTACLE_MESH) {
        o->x = s->world.dim == 3 ? CORNERS : SQUARE;
        o->vertex_count = s->world.dim == 3 ? 8 : 4;
        o->faces = s->world.dim == 3 ? BOX_FACES : SQUARE_FACES;
        o->face_count = s->world.dim == 3 ? 12 : 4;
    }
    if (moves) {
        o->keys = keys;
        o->key_count = 2;
        o->centre[0] = 0.5;
    }
}

static void begin(Touching *s, int dim) {
    touching_create(s, dim);
    touching_shape(s, (double[3]){1, 1, 1}, (int32_t[3]){1, 1, 1}, 0, 1);
    touching_body(s, 0, 0, 0, 100);
}

static void the_normal_is_the_gradient_of_the_distance(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Touching s;
        uint64_t seed = 3;
        begin(&s, dim);
        for (int kind = 0; kind < THAW_OBSTACLE_KIND_COUNT; kind++)
            if (dim == 3 || (kind != THAW_OBSTACLE_CAPSULE && kind != THAW_OBSTACLE_CYLINDER))
                make_obstacle(&s, (ThawObstacleKind)kind, kind % 2);
        touching_compile(&s);
        for (int32_t o = 0; o < s.world.obstacle_count; o++) {
            int smooth = 0;
            for (int i = 0; i < 400; i++) {
                double x[3] = {1.5 * sample_random(&seed), 1.5 * sample_random(&seed),
                               dim == 3 ? 1.5 * sample_random(&seed) : 0};
                double n[3], u[3], m[3], worst = 0, phi = thaw_obstacle_distance(s.collider, o, 0.7, x, n, u);
                assert_true(fabs(thaw_v3_norm(n) - 1) < 1e-12);
                for (int k = 0; k < dim; k++) {
                    double y[3] = {x[0], x[1], x[2]}, p[2];
                    for (int side = 0; side < 2; side++) {
                        y[k] = x[k] + (side ? 1e-6 : -1e-6);
                        p[side] = thaw_obstacle_distance(s.collider, o, 0.7, y, m, u);
                    }
                    worst = fmax(worst, fabs((p[1] - p[0]) / 2e-6 - n[k]));
                }
                smooth += worst < 1e-4; // but for the few points next to a kink of the distance
                // The closest point is on the surface.
                double q[3];
                thaw_v3_add(x, -phi, n, q);
                assert_true(fabs(thaw_obstacle_distance(s.collider, o, 0.7, q, m, u)) < 1e-9);
            }
            assert_true(smooth >= 398);
        }
        touching_free(&s);
    }
}

// The least distance to points spread over the surface, by brute force in the obstacle's own frame, unsigned.
static double brute_distance(const ThawModelObstacle *o, const double x[3]) {
    double best = INFINITY, n[3];
    int32_t face;
    enum { N = 60 };
    double half = fmax(o->size[0], fmax(o->size[1], o->size[2])) * 1.5; // on rays from the centre, where it is crossed
    for (int i = 0; i < 2 * N; i++)
        for (int k = 0; k < N; k++) {
            double a = M_PI * i / N, b = M_PI * (k + 0.5) / N, ray[3] = {sin(b) * cos(a), sin(b) * sin(a), cos(b)};
            double lo = 0, hi = half;
            for (int it = 0; it < 40; it++) {
                double mid = (lo + hi) / 2, y[3] = {mid * ray[0], mid * ray[1], mid * ray[2]};
                if (thaw_obstacle_local(o, 3, y, n, &face) < 0)
                    lo = mid;
                else
                    hi = mid;
            }
            double d[3];
            thaw_v3_add(x, -lo, ray, d);
            best = fmin(best, thaw_v3_norm(d));
        }
    return best;
}

static void distances_agree_with_brute_force_over_the_surface(void **state) {
    (void)state;
    Touching s;
    uint64_t seed = 5;
    begin(&s, 3);
    for (int kind = THAW_OBSTACLE_SPHERE; kind <= THAW_OBSTACLE_CYLINDER; kind++)
        make_obstacle(&s, (ThawObstacleKind)kind, 0);
    touching_compile(&s);
    for (int32_t o = 0; o < s.world.obstacle_count; o++)
        for (int i = 0; i < 8; i++) {
            double x[3] = {1.2 * sample_random(&seed), 1.2 * sample_random(&seed), 1.2 * sample_random(&seed)}, n[3];
            int32_t face;
            double phi = thaw_obstacle_local(&s.model->obstacles[o], 3, x, n, &face);
            assert_true(fabs(fabs(phi) - brute_distance(&s.model->obstacles[o], x)) < 0.02);
        }
    touching_free(&s);
}

static void a_mesh_of_a_box_is_as_far_as_the_box(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Touching s;
        uint64_t seed = 11;
        begin(&s, dim);
        make_obstacle(&s, THAW_OBSTACLE_BOX, 1);
        make_obstacle(&s, THAW_OBSTACLE_MESH, 1);
        for (int k = 0; k < 3; k++)
            s.obstacles[0].size[k] = 2;
        touching_compile(&s);
        for (int i = 0; i < 2000; i++) {
            double x[3] = {2 * sample_random(&seed), 2 * sample_random(&seed), dim == 3 ? 2 * sample_random(&seed) : 0};
            double n[2][3], u[2][3], phi[2];
            for (int o = 0; o < 2; o++)
                phi[o] = thaw_obstacle_distance(s.collider, o, 1.3, x, n[o], u[o]);
            assert_true(fabs(phi[0] - phi[1]) < 1e-12);
            assert_true(thaw_v3_dot(n[0], n[1]) > 1 - 1e-9);
            for (int k = 0; k < 3; k++)
                assert_true(fabs(u[0][k] - u[1][k]) < 1e-9);
        }
        touching_free(&s);
    }
}

static void the_velocity_takes_a_point_of_the_obstacle_to_where_it_goes(void **state) {
    (void)state;
    Touching s;
    begin(&s, 3);
    ThawObstacleDef *floor = touching_obstacle(&s, THAW_OBSTACLE_HALF_SPACE);
    floor->keys = (ThawKey[2]){{0, {0, 0, 0}, {1, 0, 0, 0}}, {2, {1, 0, 3}, {1, 0, 0, 0}}};
    floor->key_count = 2;
    ThawObstacleDef *wheel = touching_obstacle(&s, THAW_OBSTACLE_SPHERE); // a quarter turn a second about z
    wheel->size[0] = 1;
    wheel->keys = (ThawKey[2]){{0, {0, 0, 0}, {1, 0, 0, 0}}, {1, {0, 0, 0}, {sqrt(0.5), 0, 0, sqrt(0.5)}}};
    wheel->key_count = 2;
    s.world.h = 1e-4;
    touching_compile(&s);
    double n[3], u[3];
    double phi = thaw_obstacle_distance(s.collider, 0, 0.5, (double[3]){4, 4, 1}, n, u);
    assert_true(fabs(phi - (1 - 0.75)) < 1e-12 && n[2] == 1);
    assert_true(fabs(u[0] - 0.5) < 1e-9 && fabs(u[2] - 1.5) < 1e-9);
    thaw_obstacle_distance(s.collider, 1, 0.5, (double[3]){2, 0, 0}, n, u);
    assert_true(fabs(u[1] - M_PI / 2) < 1e-4 && fabs(u[0]) < 1e-3 && fabs(u[2]) < 1e-12);
    thaw_obstacle_distance(s.collider, 1, 2, (double[3]){2, 0, 0}, n, u); // after the last key
    assert_true(thaw_v3_norm(u) == 0);
    touching_free(&s);
}

static void a_surface_of_frames_is_interpolated_in_time(void **state) {
    (void)state;
    Touching s;
    begin(&s, 3);
    make_obstacle(&s, THAW_OBSTACLE_MESH, 0);
    double frames[3 * 24], times[3] = {0, 1, 3};
    for (int f = 0; f < 3; f++)
        for (int i = 0; i < 24; i++)
            frames[24 * f + i] = CORNERS[i] * (i % 3 == 2 ? 1 + f : 1); // grows along z
    ThawObstacleDef *o = &s.obstacles[0];
    o->x = NULL, o->frames = frames, o->frame_times = times, o->frame_count = 3;
    o->rotation[0] = 1, o->rotation[1] = o->rotation[2] = o->rotation[3] = 0;
    memset(o->position, 0, sizeof o->position);
    touching_compile(&s);
    double n[3], u[3];
    const double x[3] = {0.1, 0.2, 4};
    assert_true(fabs(thaw_obstacle_distance(s.collider, 0, 0.5, x, n, u) - 2.5) < 1e-12);
    assert_true(fabs(u[2] - 1) < 1e-9 && n[2] > 0.999);
    assert_true(fabs(thaw_obstacle_distance(s.collider, 0, 2, x, n, u) - 1.5) < 1e-12);
    assert_true(fabs(u[2] - 0.5) < 1e-9);
    assert_true(fabs(thaw_obstacle_distance(s.collider, 0, -1, x, n, u) - 3) < 1e-12 && u[2] == 0);
    assert_true(fabs(thaw_obstacle_distance(s.collider, 0, 9, x, n, u) - 1) < 1e-12 && u[2] == 0);
    touching_free(&s);
}

static void contacts_with_obstacles_tell_gap_normal_and_velocity(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = 0; kind < THAW_OBSTACLE_KIND_COUNT; kind++) {
            if (dim == 2 && (kind == THAW_OBSTACLE_CAPSULE || kind == THAW_OBSTACLE_CYLINDER))
                continue;
            Touching s;
            touching_create(&s, dim);
            touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){6, 6, 6}, 0.2, 1);
            touching_body(&s, 0, 0.4, -0.1, 0.2);
            make_obstacle(&s, (ThawObstacleKind)kind, 1);
            s.world.contact.edges = 0;
            touching_compile(&s);
            touching_find(&s, 0.7);
            touching_check(&s);
            int32_t inside = 0, found = 0, told = 0;
            const ThawContactShape *shape = &s.collider->shapes[0];
            for (int32_t i = 0; i < shape->nv; i++) {
                double x[3] = {0, 0, 0}, n[3], u[3];
                memcpy(x, s.x + shape->vertex[i] * dim, sizeof *x * (size_t)dim);
                inside += thaw_obstacle_distance(s.collider, 0, 0.7, x, n, u) < -1e-9;
            }
            for (int32_t i = 0; i < s.set.count; i++) {
                const ThawContact *c = &s.set.contacts[i];
                if (c->key.kind != THAW_CONTACT_VERTEX_OBSTACLE || c->gap >= -1e-9)
                    continue;
                double x[3] = {0, 0, 0}, n[3], u[3], off[3];
                memcpy(x, s.x + c->key.feature[0] * dim, sizeof *x * (size_t)dim);
                double phi = thaw_obstacle_distance(s.collider, 0, 0.7, x, n, u);
                found++;
                if (fabs(phi - c->gap) > 1e-9)
                    continue; // another face suits the vertex better
                told++;
                assert_true(thaw_v3_dot(n, c->frame[0]) > 1 - 1e-9);
                thaw_v3_sub(u, c->velocity, off);
                assert_true(thaw_v3_norm(off) < 1e-9);
            }
            assert_true(inside > 0 && found == inside);
            assert_true(told >= 0.6 * inside);
            touching_free(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_is_the_gradient_of_the_distance),
        cmocka_unit_test(distances_agree_with_brute_force_over_the_surface),
        cmocka_unit_test(a_mesh_of_a_box_is_as_far_as_the_box),
        cmocka_unit_test(the_velocity_takes_a_point_of_the_obstacle_to_where_it_goes),
        cmocka_unit_test(a_surface_of_frames_is_interpolated_in_time),
        cmocka_unit_test(contacts_with_obstacles_tell_gap_normal_and_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
