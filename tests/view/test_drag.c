// SPDX-License-Identifier: Apache-2.0
// Pulling at a body of a live view: it comes to where it is pulled and rests there, however soft it is and however long
// a step; its weight stretches the spring as promised; what was rigid wakes up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view_live.h"

static ViewLive live;
static const double MASS = 8; // kg

// A cube of 0.2 m, at rest.
static void open_cube(double young, double h, double gravity, const char *method, int floor) {
    char path[] = "/tmp/thaw-drag-XXXXXX";
    ThawError error = {0};
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    dprintf(
        handle,
        "{\"thaw\": 1, \"gravity\": [0, 0, %g], \"time\": {\"step\": %g, \"steps\": 10},\n"
        " \"materials\": {\"soft\": {\"density\": 1000, \"young\": %g, \"poisson\": 0.4, \"alpha1\": 0.002}},\n"
        " \"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.2], \"cells\": [3, 3, "
        "3]}}, \"material\": \"soft\"}},\n"
        " \"bodies\": [{\"name\": \"cube\", \"shape\": \"cube\", \"method\": \"%s\"}]%s}\n",
        gravity, h, young, method, floor ? ", \"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]" : "");
    close(handle);
    if (view_live_open(path, 1, &live, &error) != THAW_OK)
        fail_msg("%s", error.message);
    unlink(path);
}

// The first triangle on top, held at its middle.
static int32_t top_triangle(void) {
    double x[3 * 64];
    assert_int_equal(thaw_world_get_positions(live.runners[0].world, 0, x), THAW_OK);
    const ThawStreamMesh *mesh = live.shown.mesh;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        double lowest = INFINITY;
        for (int k = 0; k < 3; k++)
            lowest = fmin(lowest, x[3 * mesh->points[mesh->triangles[3 * t + k]] + 2]);
        if (lowest > 0.19)
            return t;
    }
    fail_msg("nothing is on top");
    return -1;
}

static void hold(int32_t triangle, const double to[3]) {
    const double bary[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
    ThawError error = {0};
    assert_int_equal(view_drag_hold(&live, 0, 0, triangle, bary, to, &error), THAW_OK);
}

static void make_steps(double duration) {
    ThawError error = {0};
    for (double t = 0; t < duration; t += live.now.world.h) {
        view_drag_apply(&live);
        if (app_runner_step(&live.runners[0], &error) != THAW_OK)
            fail_msg("%s", error.message);
    }
}

// How far the point that is held is from where it is pulled, and how fast the fastest vertex is.
static void look(int32_t triangle, const double to[3], double *off, double *speed) {
    double x[3 * 64], v[3 * 64];
    thaw_world_get_positions(live.runners[0].world, 0, x);
    thaw_world_get_velocities(live.runners[0].world, 0, v);
    const ThawStreamMesh *mesh = live.shown.mesh;
    *off = *speed = 0;
    for (int k = 0; k < 3; k++) {
        double point = 0;
        for (int i = 0; i < 3; i++)
            point += x[3 * mesh->points[mesh->triangles[3 * triangle + i]] + k] / 3;
        *off = hypot(*off, point - to[k]);
    }
    for (int i = 0; i < 3 * 64; i++)
        *speed = fmax(*speed, fabs(v[i]));
}

static void it_comes_to_rest_where_it_is_pulled(void **state) {
    (void)state;
    static const double youngs[] = {1e4, 1e5, 1e7}, steps[] = {0.003, 0.01, 0.03};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            open_cube(youngs[i], steps[j], -9.81, "full", 0);
            const double to[3] = {0.5, 0.3, 0.6};
            const int32_t triangle = top_triangle();
            double off, speed;
            hold(triangle, to);
            make_steps(8);
            const double hanging[3] = {to[0], to[1], to[2] - MASS * 9.81 / live.drag.stiffness};
            look(triangle, hanging, &off, &speed);
            if (!(off < 0.01 && speed < 0.02))
                fail_msg("Young's modulus %g, step %g: %g m off, %g m/s", youngs[i], steps[j], off, speed);
            view_live_clear(&live);
        }
}

static void its_weight_stretches_the_spring_as_promised(void **state) {
    (void)state;
    open_cube(1e6, 0.005, -9.81, "full", 0);
    const double to[3] = {0.1, 0.1, 0.6};
    const int32_t triangle = top_triangle();
    hold(triangle, to);
    const double expected = MASS * 9.81 / live.drag.stiffness;
    make_steps(6);
    double off, speed;
    look(triangle, to, &off, &speed);
    assert_true(fabs(off - expected) < 0.1 * expected);
    assert_true(expected < 0.2 * sqrt(3) * 0.2);
    view_live_clear(&live);
}

static void what_is_rigid_wakes_when_pulled_and_falls_when_let_go(void **state) {
    (void)state;
    open_cube(1e5, 0.01, -9.81, "rigidify", 1);
    const int32_t triangle = top_triangle();
    make_steps(3);
    assert_int_equal(live.runners[0].last.elastic_elements, 0);
    const double to[3] = {0.2, 0.1, 0.5};
    hold(triangle, to);
    make_steps(0.2);
    assert_false(thaw_world_is_asleep(live.runners[0].world, 0));
    assert_true(live.runners[0].last.elastic_elements > 0);
    make_steps(2);
    double off, speed, before;
    look(triangle, to, &before, &speed);
    view_drag_release(&live);
    make_steps(1);
    look(triangle, to, &off, &speed);
    assert_true(off > before + 0.1); // it fell
    view_live_clear(&live);
}

static void ask(int client, const char *text) {
    json_t *message = json_loads(text, 0, NULL);
    assert_non_null(message);
    view_live_request(&live, client, message);
    json_decref(message);
}

static void only_who_holds_a_body_moves_it_and_lets_it_go(void **state) {
    (void)state;
    const double bary[3] = {1 / 3.0, 1 / 3.0, 1 / 3.0}, here[3] = {0.1, 0.1, 0.5}, there[3] = {1, 1, 1};
    ThawError error = {0};
    open_cube(1e5, 0.01, 0, "full", 0);
    assert_int_equal(view_drag_hold(&live, 3, 0, 0, bary, here, &error), THAW_OK);
    assert_int_equal(view_drag_hold(&live, 4, 0, 1, bary, there, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "another page"));
    assert_memory_equal(live.drag.to, here, sizeof here);
    ask(4, "{\"type\":\"release\"}");
    assert_int_equal(live.drag.body, 0);
    ask(3, "{\"type\":\"release\"}");
    assert_int_equal(live.drag.body, -1);
    view_live_clear(&live);
}

static void put(ViewInbox *inbox, int client, const char *type) {
    view_inbox_received(inbox, client, json_pack("{s:s}", "type", type));
}

static void a_full_inbox_still_takes_a_pause_and_a_release(void **state) {
    (void)state;
    static const char *const floods[] = {"pick", "pause", "release"};
    for (size_t f = 0; f < sizeof floods / sizeof *floods; f++) {
        ViewInbox inbox;
        ViewRequest request;
        int count = 0, paused = 0, released = 0, came = 0;
        view_inbox_init(&inbox);
        put(&inbox, 2, "release");
        view_inbox_joined(&inbox, 9);
        for (int i = 0; i < 3 * VIEW_INBOX_ROOM; i++)
            put(&inbox, 1, floods[f]);
        put(&inbox, 3, "pause");
        put(&inbox, 3, "release");
        put(&inbox, 3, "pick");
        for (; view_inbox_take(&inbox, 0, &request); count++) {
            const char *type = json_string_value(json_object_get(request.message, "type"));
            came += !type;
            paused += type && request.client == 3 && strcmp(type, "pause") == 0;
            released += type && request.client != 1 && strcmp(type, "release") == 0;
            json_decref(request.message);
        }
        assert_int_equal(count, VIEW_INBOX_ROOM);
        assert_int_equal(came, 1);
        assert_int_equal(paused, 1);
        assert_int_equal(released, 2);
        view_inbox_clear(&inbox);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_to_rest_where_it_is_pulled),
        cmocka_unit_test(its_weight_stretches_the_spring_as_promised),
        cmocka_unit_test(what_is_rigid_wakes_when_pulled_and_falls_when_let_go),
        cmocka_unit_test(only_who_holds_a_body_moves_it_and_lets_it_go),
        cmocka_unit_test(a_full_inbox_still_takes_a_pause_and_a_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
