// SPDX-License-Identifier: Apache-2.0
// Questions about places, beside what can be computed by hand; views; points of elements.
#include "step/sample.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const char scene[] =
    "{ \"thaw\": 1, \"gravity\": [0,0,0], \"materials\": {\"foam\": {\"young\": 1e5}},"
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [1,1,1], \"cells\": [3,3,3]}}}},"
    "  \"obstacles\": [{\"plane\": {}, \"position\": [0,0,-1]}, {\"sphere\": {\"radius\": 0.5}, \"position\": [5,0,0]},"
    "    {\"box\": {\"size\": [1,2,3]}, \"position\": [0,8,0]}, {\"capsule\": {\"radius\": 0.5, \"length\": 2}, "
    "    \"position\": [0,-6,0]}, {\"cylinder\": {\"radius\": 0.5, \"height\": 2}, \"position\": [-6,0,0]}],"
    "  \"bodies\": [{\"name\": \"cube\", \"shape\": \"cube\"},"
    "    {\"name\": \"beside\", \"shape\": \"cube\", \"position\": [2,0,0], \"velocity\": [1,2,3]}] }";

static ThawHit ray(const ThawWorld *world, double x, double y, double z, double dx, double dy, double dz) {
    ThawHit hit;
    assert_int_equal(thaw_world_cast_ray(world, (double[]){x, y, z}, (double[]){dx, dy, dz}, 100, &hit), THAW_OK);
    return hit;
}

static void near(double a, double b) {
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.12g is not %.12g", a, b);
}

static void test_rays(void **state) {
    (void)state;
    ThawWorld *world = make_world(scene, 1);
    ThawHit hit = ray(world, -2, 0.3, 0.4, 2, 0, 0); // its length does not count
    assert_true(hit.body == 0 && hit.obstacle == -1);
    near(hit.distance, 2);
    near(hit.normal[0], -1);
    near(hit.point[1], 0.3);
    double x[64 * 3], sum[3] = {0, 0, 0};
    thaw_world_get_positions(world, 0, x);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            sum[k] += hit.weight[a] * x[3 * hit.vertex[a] + k];
    for (int k = 0; k < 3; k++)
        near(sum[k], hit.point[k]);
    hit = ray(world, 1.5, 0.5, 0.5, 1, 0, 0);
    assert_int_equal(hit.body, 1);
    near(hit.distance, 0.5);
    hit = ray(world, 0.5, 0.5, 0.5, 0, 0, -1); // from inside: out through the face below
    assert_int_equal(hit.body, 0);
    near(hit.distance, 0.5);
    near(hit.normal[2], -1);
    hit = ray(world, 1.5, 0.5, 0.5, 0.1, 0, -1);
    assert_int_equal(hit.obstacle, 0);
    near(hit.point[2], -1);
    hit = ray(world, 10, 0.3, 0, -1, 0, 0);
    assert_int_equal(hit.obstacle, 1);
    near(hit.distance, 5 - sqrt(0.25 - 0.09));
    hit = ray(world, 0.2, 20, 0.1, 0, -1, 0);
    assert_int_equal(hit.obstacle, 2);
    near(hit.distance, 11);
    hit = ray(world, 0.3, -20, 0.9, 0, 1, 0);
    assert_int_equal(hit.obstacle, 3);
    near(hit.point[1], -6 - 0.4);
    hit = ray(world, -20, 0.3, 0.9, 1, 0, 0);
    assert_int_equal(hit.obstacle, 4);
    near(hit.point[0], -6 - 0.4);
    hit = ray(world, -20, 5, 0.9, 1, 0, 0);
    assert_true(hit.body == -1 && hit.obstacle == -1 && hit.distance == 100);
    assert_int_equal(thaw_world_cast_ray(world, (double[]){0, 0, 0}, (double[]){0, 0, 0}, 1, &hit), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_cast_ray(world, (double[]){NAN, 0, 0}, (double[]){0, 1, 0}, 1, &hit), THAW_ERROR_INPUT);
    thaw_world_free(&world);
}

static void test_nearest(void **state) {
    (void)state;
    ThawWorld *world = make_world(scene, 1);
    ThawHit hit;
    thaw_world_find_nearest(world, (double[]){0.5, 0.5, 1.4}, 10, &hit);
    assert_int_equal(hit.body, 0);
    near(hit.distance, 0.4);
    near(hit.point[2], 1);
    near(hit.normal[2], 1);
    thaw_world_find_nearest(world, (double[]){0.5, 0.5, 0.9}, 10, &hit);
    near(hit.distance, -0.1);                                            // inside
    thaw_world_find_nearest(world, (double[]){1.2, 1.3, 1.4}, 10, &hit); // a corner
    near(hit.distance, sqrt(0.04 + 0.09 + 0.16));
    thaw_world_find_nearest(world, (double[]){5, 0, 0.2}, 10, &hit);
    assert_int_equal(hit.obstacle, 1);
    near(hit.distance, -0.3);
    thaw_world_find_nearest(world, (double[]){3, 5, 30}, 2, &hit);
    assert_true(hit.body == -1 && hit.obstacle == -1);
    int32_t bodies[2] = {-1, -1};
    assert_int_equal(thaw_world_overlap_box(world, (double[]){-1, -1, -1}, (double[]){5, 5, 5}, bodies, 2), 2);
    assert_int_equal(thaw_world_overlap_box(world, (double[]){1.5, 0, 0}, (double[]){5, 5, 5}, bodies, 2), 1);
    assert_int_equal(bodies[0], 1);
    thaw_world_free(&world);
}

static void test_points_and_views(void **state) {
    (void)state;
    ThawWorld *world = make_world(scene, 1);
    ThawBodyView view;
    assert_int_equal(thaw_world_view_body(world, 1, &view), THAW_OK);
    assert_true(view.count == 64 && view.dim == 3);
    double x[64 * 3], point[3], v[3], weight[4] = {0.1, 0.2, 0.3, 0.4};
    int32_t elements[4 * 162];
    run_world(world, 3); // the view goes along
    thaw_world_get_positions(world, 1, x);
    for (int i = 0; i < 64; i++)
        assert_memory_equal(view.x + 3 * i, x + 3 * view.order[i], 3 * sizeof *x);
    thaw_world_get_elements(world, 1, elements);
    assert_int_equal(thaw_world_get_point(world, 1, 17, weight, point, v), THAW_OK);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int a = 0; a < 4; a++)
            sum += weight[a] * x[3 * elements[4 * 17 + a] + k];
        near(sum, point[k]);
        near(v[k], k + 1);
    }
    assert_int_equal(thaw_world_get_point(world, 1, 162, weight, point, v), THAW_ERROR_INPUT);
    // A force on a point moves the whole as much as its mass lets it, and is added to others.
    assert_int_equal(thaw_world_add_force_at(world, 0, 3, weight, (double[]){10, 0, 0}), THAW_OK);
    assert_int_equal(thaw_world_add_force_at(world, 0, 90, weight, (double[]){0, 0, 20}), THAW_OK);
    double mass[64], momentum[3] = {0, 0, 0}, u[64 * 3];
    thaw_world_get_masses(world, 0, mass);
    run_world(world, 20);
    thaw_world_get_velocities(world, 0, u);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 3; k++)
            momentum[k] += mass[i] * u[3 * i + k];
    assert_true(fabs(momentum[0] - 2) < 1e-6 && fabs(momentum[1]) < 1e-6 && fabs(momentum[2] - 4) < 1e-6);
    const uint64_t edition = thaw_world_edition(world);
    ThawError error;
    ThawBodyDef def = thaw_body_def_default();
    def.position[0] = 30;
    assert_int_equal(thaw_world_add_body(world, &def, NULL, &error), THAW_OK);
    assert_true(thaw_world_edition(world) != edition);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_points_and_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
