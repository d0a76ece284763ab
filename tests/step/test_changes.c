// SPDX-License-Identifier: Apache-2.0
// Shapes that change while a world runs: a bar held at both ends loses a slab or is cut through, in the plane and in
// space, by every method. What is left keeps its mass and momentum; bits depend on neither threads nor checkpoints.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/frame_data.h"
#include "output/output.h"
#include "support/folder.h"
#include "support/world.h"

// A bar 1 m long along x, held at both ends unless `held` is 0.
typedef struct Bar {
    int dim, held;
    const char *method, *changes; // of the list
    const char *more;             // of the body
    const char *others;           // bodies, obstacles
    const char *time;
} Bar;

static char *text_of(const Bar *b) {
    static char text[4000];
    const int flat = b->dim == 2;
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"dimension\": %d, \"gravity\": %s, \"time\": {\"step\": 0.005%s}, "
             "\"materials\": {\"r\": {\"young\": 1e5, \"density\": 500, \"poisson\": 0.3, \"alpha1\": 0.01}}, "
             "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": %s, \"max\": %s, \"cells\": %s}}, \"material\": "
             "\"r\", \"groups\": {\"ends\": {\"side\": {\"point\": [0.001, 0, 0], \"normal\": [-1, 0, 0]}}, \"far\": "
             "{\"side\": {\"point\": [0.999, 0, 0], \"normal\": [1, 0, 0]}}, \"middle\": {\"box\": {\"min\": [0.39, "
             "-1, %s], \"max\": [0.61, 1, %s]}}}}}, "
             "\"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"method\": \"%s\", \"pins\": %s%s%s%s}%s}",
             b->dim, flat ? "[0, -9.81]" : "[0, 0, -9.81]", b->time ? b->time : "", flat ? "[0, 0]" : "[0, 0, 0]",
             flat ? "[1, 0.1]" : "[1, 0.1, 0.1]", flat ? "[20, 2]" : "[20, 2, 2]", flat ? "0" : "-1", flat ? "0" : "1",
             b->method, b->held ? "[\"ends\", \"far\"]" : "[]", b->changes ? ", \"changes\": " : "",
             b->changes ? b->changes : "", b->more ? b->more : "", b->others ? b->others : "]");
    return text;
}

static const char SLAB_2D[] = "[{\"at\": 0.2, \"remove\": {\"box\": {\"min\": [0.4, -1], \"max\": [0.6, 1]}}}]";
static const char SLAB_3D[] = "[{\"at\": 0.2, \"remove\": {\"box\": {\"min\": [0.4, -1, -1], \"max\": [0.6, 1, 1]}}}]";
static const char CUT_2D[] = "[{\"at\": 0.2, \"cut\": {\"side\": {\"point\": [0.5, 0], \"normal\": [1, 0]}}}]";
static const char CUT_3D[] = "[{\"at\": 0.2, \"cut\": {\"side\": {\"point\": [0.5, 0, 0], \"normal\": [1, 0, 0]}}}]";

typedef struct Sums {
    double mass, momentum[3], angular[3], energy;
} Sums;

static Sums sums_of(const ThawWorld *world) {
    ThawError error = {0};
    if (thaw_world_validate(world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    const int dim = thaw_world_dim(world);
    const int32_t nv = thaw_world_vertex_count(world, 0);
    double *x = calloc(3 * (size_t)nv, sizeof *x), *v = calloc(3 * (size_t)nv, sizeof *v), *m = calloc(nv, sizeof *m);
    Sums s = {0};
    assert_true(x && v && m);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_get_velocities(world, 0, v), THAW_OK);
    assert_int_equal(thaw_world_get_masses(world, 0, m), THAW_OK);
    for (int32_t i = 0; i < nv; i++) {
        double p[3] = {0}, r[3] = {0};
        s.mass += m[i];
        for (int k = 0; k < dim; k++) {
            p[k] = m[i] * v[dim * i + k];
            r[k] = x[dim * i + k];
            s.momentum[k] += p[k];
        }
        for (int k = 0; k < 3; k++)
            s.angular[k] += r[(k + 1) % 3] * p[(k + 2) % 3] - r[(k + 2) % 3] * p[(k + 1) % 3];
    }
    free(x);
    free(v);
    free(m);
    return s;
}

// The lowest point of elements between two places of the bar at rest; by the present mesh.
static double lowest_of(const ThawWorld *world) {
    const int dim = thaw_world_dim(world), nodes = dim + 1;
    const int32_t nv = thaw_world_vertex_count(world, 0), ne = thaw_world_element_count(world, 0);
    double *x = calloc(3 * (size_t)nv, sizeof *x), lowest = INFINITY;
    int32_t *e = calloc(4 * (size_t)ne, sizeof *e);
    assert_true(x && e);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_get_elements(world, 0, e), THAW_OK);
    for (int32_t i = 0; i < ne * nodes; i++) {
        assert_in_range(e[i], 0, nv - 1);
        lowest = fmin(lowest, x[dim * e[i] + dim - 1]);
    }
    free(x);
    free(e);
    return lowest;
}

// How far up and down the lowest point goes in so many steps, m.
static double swing_of(ThawWorld *world, int steps, ThawStepStats *stats) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < steps; i++) {
        step_world(world, stats);
        lo = fmin(lo, lowest_of(world));
        hi = fmax(hi, lowest_of(world));
    }
    return hi - lo;
}

// --- what happens ----------------------------------------------------------------------------------------------------

static void test_the_halves_swing(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int dim = 2; dim <= 3; dim++)
        for (int m = 0; m < 2; m++)
            for (int cut = 0; cut < 2; cut++) {
                Bar bar = {.dim = dim, .held = 1, .method = methods[m]};
                bar.changes = cut ? (dim == 2 ? CUT_2D : CUT_3D) : dim == 2 ? SLAB_2D : SLAB_3D;
                ThawWorld *world = make_world(text_of(&bar), 1);
                const int32_t nv = thaw_world_vertex_count(world, 0), ne = thaw_world_element_count(world, 0);
                const Sums before = sums_of(world);
                ThawStepStats stats = run_world(world, 39); // to 0.195 s
                assert_int_equal(thaw_world_element_count(world, 0), ne);
                assert_int_equal(thaw_world_topology(world), 0);
                const double balance = ledger_balance(&stats.ledger), low = lowest_of(world);
                step_world(world, &stats); // 0.2 s
                assert_int_equal(thaw_world_change_count(world, 0), 1);
                assert_true(thaw_world_topology(world) != 0);
                assert_true(stats.state_hash == thaw_world_hash(world));
                const Sums after = sums_of(world);
                if (cut) {
                    const int32_t copies = dim == 2 ? 3 : 9;
                    assert_int_equal(thaw_world_vertex_count(world, 0), nv + copies);
                    assert_int_equal(thaw_world_element_count(world, 0), ne);
                    assert_float_equal(after.mass, before.mass, 1e-12 * before.mass);
                } else {
                    assert_int_equal(thaw_world_vertex_count(world, 0), nv);
                    assert_int_equal(thaw_world_element_count(world, 0), ne / 5 * 4);
                    assert_float_equal(after.mass, 0.8 * before.mass, 1e-12 * before.mass);
                }
                const double swing = swing_of(world, 60, &stats);
                print_message("%dD %s %s: lowest %.4f m before, then by %.4f m; balance %.9g to %.9g J\n", dim,
                              methods[m], cut ? "cut" : "slab", low, swing, balance, ledger_balance(&stats.ledger));
                assert_true(swing > 0.02);
                assert_float_equal(ledger_balance(&stats.ledger), balance, 1e-6);
                thaw_world_free(&world);
            }
}

// A bar that flies and turns: mass, momentum and angular momentum, of a cut by call.
static void test_momenta_are_kept(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int dim = 2; dim <= 3; dim++)
        for (int m = 0; m < 2; m++) {
            Bar bar = {.dim = dim, .method = methods[m]};
            bar.more = dim == 2 ? ", \"velocity\": [0.5, 3], \"spin\": 4"
                                : ", \"velocity\": [0.5, 0.1, 3], \"spin\": [0.3, 4, 1]";
            ThawWorld *world = make_world(text_of(&bar), 1);
            ThawStepStats stats = run_world(world, 60);
            ThawChangeDef cut = thaw_change_def_default();
            cut.kind = THAW_CHANGE_CUT;
            cut.where = (ThawGroupDef){.select = THAW_SELECT_PLANE_SIDE, .a = {0.3}, .b = {1}};
            const Sums before = sums_of(world);
            const int rigid = stats.elastic_elements < thaw_world_element_count(world, 0);
            assert_int_equal(thaw_world_change(world, 0, &cut, NULL), THAW_OK);
            Sums after = sums_of(world);
            // Velocities of rigid parts are told as chords of their ways; momenta are those of the parts themselves.
            const double slack = rigid ? 2e-3 : 1e-12;
            assert_float_equal(after.mass, before.mass, 1e-12 * before.mass);
            for (int k = 0; k < 3; k++) {
                assert_float_equal(after.momentum[k], before.momentum[k], slack * before.mass * 3);
                assert_float_equal(after.angular[k], before.angular[k], slack * before.mass * 3);
            }
            // Both pieces go on: free fall of the whole.
            const double h = 0.005;
            for (int i = 0; i < 40; i++)
                step_world(world, &stats);
            const Sums end = sums_of(world);
            assert_float_equal(end.momentum[dim - 1], after.momentum[dim - 1] - 40 * h * 9.81 * after.mass,
                               1e-3 * after.mass);
            assert_float_equal(end.momentum[0], after.momentum[0], 1e-3 * after.mass);
            thaw_world_free(&world);
        }
}

// A ball above the middle of the bar falls through the gap; without a change it is caught.
static void test_a_ball_falls_through(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    static const char others[] =
        ", {\"name\": \"ball\", \"shape\": \"ball\", \"position\": [0.5, 0.05, 0.2]}], \"contact\": {}";
    for (int m = 0; m < 2; m++)
        for (int change = 0; change < 2; change++) {
            char text[4200];
            Bar bar = {.dim = 3, .held = 1, .method = methods[m], .others = others};
            if (change)
                bar.changes =
                    "[{\"at\": 0.4, \"remove\": {\"box\": {\"min\": [0.35, -1, -1], \"max\": [0.65, 1, 1]}}}]";
            char *from = text_of(&bar), *at = strstr(from, "\"bar\": {\"mesh\"");
            snprintf(text, sizeof text,
                     "%.*s\"ball\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.05, -0.05], \"max\": [0.05, 0.05, 0.05], "
                     "\"cells\": [1, 1, 1]}}, \"material\": \"r\"}, %s",
                     (int)(at - from), from, at);
            ThawWorld *world = make_world(text, 1);
            ThawStepStats stats = run_world(world, 78);
            assert_true(stats.contacts > 0); // it lies on the bar
            run_world(world, 120);
            double x[3 * 8];
            assert_int_equal(thaw_world_vertex_count(world, 1), 8);
            assert_int_equal(thaw_world_get_positions(world, 1, x), THAW_OK);
            print_message("%s, %d changes: ball at %.3f m\n", methods[m], change, x[2]);
            assert_true(change ? x[2] < -0.5 : x[2] > -0.3);
            thaw_world_free(&world);
        }
}

// Pins and loads of what is removed go with it; forces that are shared by mass leave each vertex its own share.
static void test_pins_and_loads_go(void **state) {
    (void)state;
    Bar bar = {.dim = 3,
               .held = 1,
               .method = "full",
               .more = ", \"forces\": [{\"group\": \"middle\", \"total\": [0, 0, 30]}]",
               .changes = "[{\"at\": 0.1, \"remove\": {\"box\": {\"min\": [-1, -1, -1], \"max\": [0.05, 1, 1]}}}, "
                          "{\"at\": 0.1, \"remove\": \"middle\"}, "
                          "{\"at\": 0.15, \"remove\": {\"box\": {\"min\": [0.5, -1, -1], \"max\": [1, 1, 1]}}}]"};
    ThawWorld *world = make_world(text_of(&bar), 1);
    run_world(world, 20);
    assert_int_equal(thaw_world_change_count(world, 0), 2);
    ThawStepStats stats = run_world(world, 20);
    assert_int_equal(thaw_world_change_count(world, 0), 3);
    // What is left, from 0.05 to 0.4 m, is held by nothing and falls freely.
    const Sums before = sums_of(world);
    stats = run_world(world, 20);
    const Sums after = sums_of(world);
    assert_float_equal(after.mass, 0.35 * 5, 1e-9);
    const double loads = (after.momentum[2] - before.momentum[2]) / 0.1 + 9.81 * after.mass;
    print_message("upward load %.4f N of 30\n", loads);
    assert_true(loads > 0.5 && loads < 10); // the face at 0.4 keeps its vertices, which had half of their mass there
    assert_true(stats.substeps >= 1);
    thaw_world_free(&world);
}

// --- bits ------------------------------------------------------------------------------------------------------------

static int always(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    (void)stats;
    return 1;
}

static void test_bits(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    static const char two[] =
        "[{\"at\": 0.2, \"cut\": {\"side\": {\"point\": [0.5, 0, 0], \"normal\": [1, 0, 0]}}}, {\"at\": 0.35, "
        "\"remove\": {\"sphere\": {\"centre\": [0.8, 0, 0], \"radius\": 0.12}}}]";
    for (int m = 0; m < 2; m++) {
        Bar bar = {.dim = 3, .held = 1, .method = methods[m], .changes = two};
        bar.others = "], \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}, \"position\": [0, 0, -0.25]}]";
        assert_true(bits_across_checkpoints(text_of(&bar), 140, at("change.h5"), always) > 10);
    }
}

// From before all changes into a world that has had them, and back.
static void test_loading_goes_both_ways(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int m = 0; m < 2; m++) {
        Bar bar = {.dim = 3, .held = 1, .method = methods[m], .changes = CUT_3D};
        ThawWorld *world = make_world(text_of(&bar), 1);
        ThawError error = {0};
        run_world(world, 30);
        const uint64_t early = thaw_world_hash(world);
        assert_int_equal(thaw_world_save(world, at("early.h5"), &error), THAW_OK);
        run_world(world, 30);
        ThawChangeDef hole = thaw_change_def_default();
        hole.where = (ThawGroupDef){.select = THAW_SELECT_SPHERE, .a = {0.2, 0.05, 0.05}, .radius = 0.06};
        assert_int_equal(thaw_world_change(world, 0, &hole, &error), THAW_OK);
        run_world(world, 5);
        const uint64_t late = thaw_world_hash(world);
        assert_int_equal(thaw_world_save(world, at("late.h5"), &error), THAW_OK);
        const uint64_t last = run_world(world, 20).state_hash;
        if (thaw_world_load(world, at("early.h5"), &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_true(thaw_world_hash(world) == early);
        assert_int_equal(thaw_world_change_count(world, -1), 0);
        run_world(world, 20); // the schedule again
        assert_int_equal(thaw_world_change_count(world, -1), 1);
        if (thaw_world_load(world, at("late.h5"), &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_true(thaw_world_hash(world) == late);
        assert_int_equal(thaw_world_change_count(world, -1), 2);
        assert_true(run_world(world, 20).state_hash == last);
        thaw_world_free(&world);
    }
}

// A checkpoint of the first body leaves the second one the shape that it has.
static void test_later_bodies_keep_their_changes(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int m = 0; m < 2; m++) {
        char others[400];
        Bar bar = {.dim = 3, .held = 1, .method = methods[m]};
        ThawWorld *one = make_world(text_of(&bar), 1);
        ThawError error = {0};
        ThawChangeDef slab = thaw_change_def_default();
        slab.where = (ThawGroupDef){.select = THAW_SELECT_BOX, .a = {0.4, -1, -1}, .b = {0.6, 1, 1}};
        run_world(one, 10);
        assert_int_equal(thaw_world_change(one, 0, &slab, &error), THAW_OK);
        assert_int_equal(thaw_world_save(one, at("one.h5"), &error), THAW_OK);
        snprintf(others, sizeof others,
                 ", {\"name\": \"second\", \"shape\": \"bar\", \"position\": [0, 1, 0], \"method\": \"%s\", \"pins\": "
                 "[\"ends\", \"far\"], \"changes\": %s}]",
                 methods[m], CUT_3D);
        bar.others = others;
        ThawWorld *two = make_world(text_of(&bar), 1);
        ThawChangeDef hole = thaw_change_def_default();
        hole.where = (ThawGroupDef){.select = THAW_SELECT_SPHERE, .a = {0.2, 0.05, 0.05}, .radius = 0.06};
        run_world(two, 50);
        assert_int_equal(thaw_world_change(two, 1, &hole, &error), THAW_OK);
        const int32_t vertices = thaw_world_vertex_count(two, 1), elements = thaw_world_element_count(two, 1);
        if (thaw_world_load(two, at("one.h5"), &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(thaw_world_change_count(two, 0), 1);
        assert_int_equal(thaw_world_change_count(two, 1), 2);
        assert_int_equal(thaw_world_vertex_count(two, 1), vertices);
        assert_int_equal(thaw_world_element_count(two, 1), elements);
        assert_true(worlds_apart(one, two, 0) == 0);
        run_world(one, 50); // past the time of the cut, which is not made again
        run_world(two, 50);
        assert_int_equal(thaw_world_change_count(two, 1), 2);
        assert_true(worlds_apart(one, two, 0) == 0);
        thaw_world_free(&one);
        thaw_world_free(&two);
    }
}

// --- what else follows -----------------------------------------------------------------------------------------------

static void test_sleepers_wake(void **state) {
    (void)state;
    Bar bar = {.dim = 3, .held = 1, .method = "rigidify", .changes = SLAB_3D, .more = ", \"start\": \"rest\""};
    ThawWorld *world = make_world(text_of(&bar), 1);
    run_world(world, 20);
    assert_true(thaw_world_is_asleep(world, 0));
    run_world(world, 20);
    assert_false(thaw_world_is_asleep(world, 0));
    ThawStepStats stats;
    assert_true(swing_of(world, 60, &stats) > 0.02);
    thaw_world_free(&world);
    bar.changes = NULL;
    world = make_world(text_of(&bar), 1);
    run_world(world, 5);
    assert_true(thaw_world_is_asleep(world, 0));
    ThawChangeDef slab = thaw_change_def_default();
    slab.where = (ThawGroupDef){.select = THAW_SELECT_BOX, .a = {0.4, -1, -1}, .b = {0.6, 1, 1}};
    assert_int_equal(thaw_world_change(world, 0, &slab, NULL), THAW_OK);
    assert_false(thaw_world_is_asleep(world, 0));
    assert_true(swing_of(world, 60, &stats) > 0.02);
    thaw_world_free(&world);
}

// Frames have the mesh of their time.
static void test_frames_follow(void **state) {
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        Bar bar = {.dim = 3, .held = 1, .method = "rigidify", .changes = cut ? CUT_3D : SLAB_3D};
        ThawWorld *world = make_world(text_of(&bar), 1);
        const int32_t nv = thaw_world_vertex_count(world, 0), ne = thaw_world_element_count(world, 0);
        ThawFrames *frames = NULL;
        ThawError error = {0};
        ThawFramesDef def = thaw_frames_def_default();
        char path[200];
        def.folder = at(cut ? "cut" : "slab");
        def.formats = THAW_FRAMES_VTU | THAW_FRAMES_OBJ;
        if (thaw_frames_create(world, &def, &frames, &error) != THAW_OK)
            fail_msg("%s", error.message);
        for (int i = 0; i < 3; i++) {
            ThawFrameData *frame = NULL;
            if (thaw_frames_write(frames, world, i, &error) != THAW_OK)
                fail_msg("%s", error.message);
            snprintf(path, sizeof path, "%s/frame_%06d.vtu", at(cut ? "cut" : "slab"), i);
            if (thaw_vtu_read(path, &frame, &error) != THAW_OK)
                fail_msg("%s", error.message);
            assert_int_equal(frame->point_count, i == 2 && cut ? nv + 9 : nv);
            assert_int_equal(frame->cell_count, i == 2 && !cut ? ne / 5 * 4 : ne);
            thaw_frame_data_free(&frame);
            run_world(world, 25);
        }
        thaw_frames_free(&frames);
        thaw_world_free(&world);
    }
}

// What holds a region, or is held, may go: a bar that is glued to a frame at its far end, and to another bar.
static void test_attachments_follow(void **state) {
    (void)state;
    static const char others[] =
        ", {\"name\": \"other\", \"shape\": \"bar\", \"position\": [1, 0, 0]}], \"attachments\": [{\"name\": "
        "\"frame\", \"body\": \"bar\", \"group\": \"ends\"}, {\"name\": \"next\", \"body\": \"other\", "
        "\"group\": \"ends\", \"to\": \"bar\"}]";
    static const char *const methods[] = {"full", "rigidify"};
    for (int m = 0; m < 2; m++) {
        Bar bar = {.dim = 3, .method = methods[m], .others = others};
        bar.changes = "[{\"at\": 0.1, \"cut\": {\"side\": {\"point\": [0.5, 0, 0], \"normal\": [1, 0, 0]}}}, {\"at\": "
                      "0.2, \"remove\": {\"box\": {\"min\": [0.95, -1, -1], \"max\": [1, 1, 1]}}}, {\"at\": 0.3, "
                      "\"remove\": {\"box\": {\"min\": [0, -1, -1], \"max\": [0.05, 1, 1]}}}]";
        ThawWorld *world = make_world(text_of(&bar), 1);
        ThawAttachmentState held[2];
        run_world(world, 30);
        for (int i = 0; i < 2; i++) {
            thaw_world_get_attachment(world, i, &held[i]);
            assert_int_equal(held[i].vertices, 9);
        }
        assert_true(held[0].force[2] > 0);
        run_world(world, 20);
        thaw_world_get_attachment(world, 1, &held[1]);
        assert_int_equal(held[1].vertices, 0); // the element that held each is gone
        assert_true(held[1].force[2] == 0 && held[1].energy == 0);
        run_world(world, 20);
        thaw_world_get_attachment(world, 0, &held[0]);
        assert_int_equal(held[0].vertices, 0);
        const Sums before = sums_of(world);
        run_world(world, 20);
        const Sums after = sums_of(world);
        assert_float_equal(after.momentum[2] - before.momentum[2], -0.1 * 9.81 * after.mass, 1e-3 * after.mass);
        thaw_world_free(&world);
    }
}

static int cancels(void *context) { return ++*(int *)context > 3; }

static void test_cancelled_steps_go_back(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int m = 0; m < 2; m++) {
        Bar bar = {.dim = 3, .held = 1, .method = methods[m], .changes = SLAB_3D};
        ThawWorld *world = make_world(text_of(&bar), 1), *straight = make_world(text_of(&bar), 1);
        int cancelled = 0;
        for (int i = 0; i < 60; i++) {
            int asked = 0;
            const uint64_t before = thaw_world_hash(world);
            thaw_world_set_cancel(world, &(ThawCancel){cancels, &asked});
            const ThawStatus status = thaw_world_step(world, NULL, NULL);
            if (status == THAW_CANCELLED) {
                cancelled++;
                assert_true(thaw_world_hash(world) == before);
                asked = -1000000;
                assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
            }
            step_world(straight, NULL);
            assert_true(thaw_world_hash(world) == thaw_world_hash(straight));
        }
        print_message("%s: %d of 60 steps cancelled\n", methods[m], cancelled);
        assert_true(cancelled > 20);
        thaw_world_free(&world);
        thaw_world_free(&straight);
    }
}

// --- refusals --------------------------------------------------------------------------------------------------------

// A piece that nothing holds any more has no mode of its own that is infinitely slow: it falls, comes to rest and
// sleeps.
static void test_a_piece_falls_and_sleeps(void **state) {
    (void)state;
    static const char OUT[] = "[{\"at\": 0.02, \"remove\": {\"box\": {\"min\": [0.3, -1], \"max\": [0.4, 1]}}}, "
                              "{\"at\": 0.02, \"remove\": {\"box\": {\"min\": [0.6, -1], \"max\": [0.7, 1]}}}]";
    const Bar bar = {.dim = 2,
                     .held = 1,
                     .method = "rigidify",
                     .changes = OUT,
                     .others = "], \"obstacles\": [{\"plane\": {\"normal\": [0, 1]}, \"position\": [0, -0.1]}]"};
    ThawWorld *world = make_world(text_of(&bar), 1);
    ThawRigidifyOptions before, after;
    assert_int_equal(thaw_world_get_thresholds(world, 0, &before), THAW_OK);
    int asleep = -1;
    for (int i = 0; i < 2000 && asleep < 0; i++) {
        run_world(world, 1);
        asleep = thaw_world_is_asleep(world, 0) ? i : -1;
    }
    assert_int_equal(thaw_world_get_thresholds(world, 0, &after), THAW_OK);
    print_message("tau_rigid %.1e, then %.1e; asleep in step %d\n", before.tau_rigid, after.tau_rigid, asleep);
    assert_true(after.tau_rigid > 1e-3 * before.tau_rigid);
    assert_true(asleep > 10);
    thaw_world_free(&world);
}

static void test_refusals(void **state) {
    (void)state;
    Bar bar = {.dim = 3, .held = 1, .method = "full"};
    ThawWorld *world = make_world(text_of(&bar), 1);
    const uint64_t hash = thaw_world_hash(world);
    ThawChangeDef def = thaw_change_def_default();
    ThawError error = {0};
    struct {
        ThawChangeKind kind;
        int group;
        ThawGroupDef where;
        const char *says;
    } wrong[] = {
        {THAW_CHANGE_REMOVE, -1, {.select = THAW_SELECT_ALL}, "all elements"},
        {THAW_CHANGE_REMOVE, -1, {.select = THAW_SELECT_SPHERE, .a = {5}, .radius = 1}, "no element goes"},
        {THAW_CHANGE_CUT, -1, {.select = THAW_SELECT_ALL}, "no vertex parts"},
        {THAW_CHANGE_REMOVE, -1, {.select = THAW_SELECT_NEAREST}, "select"},
        {THAW_CHANGE_REMOVE, 17, {.select = THAW_SELECT_ALL}, "group is 17"},
        {THAW_CHANGE_REMOVE, 0, {.select = THAW_SELECT_ALL}, "no element goes"},
        {(ThawChangeKind)9, -1, {.select = THAW_SELECT_ALL}, "kind is 9"},
        {THAW_CHANGE_REMOVE, -1, {.select = THAW_SELECT_SPHERE, .a = {NAN}, .radius = 1}, "nan"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        def.kind = wrong[i].kind;
        def.group = wrong[i].group;
        def.where = wrong[i].where;
        assert_int_equal(thaw_world_change(world, 0, &def, &error), THAW_ERROR_INPUT);
        if (!strstr(error.message, wrong[i].says))
            fail_msg("%zu: %s", i, error.message);
        assert_true(thaw_world_hash(world) == hash);
    }
    assert_int_equal(thaw_world_change(world, 3, &def, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_change(world, 0, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_change(NULL, 0, &def, &error), THAW_ERROR_INPUT);
    thaw_world_free(&world);
    static const char *const lists[][2] = {
        {"[{\"at\": 0.1, \"remove\": \"nobody\"}]", "bodies[0].changes[0].remove"},
        {"[{\"at\": 0.1, \"remove\": {\"sphere\": {\"centre\": [9, 0, 0], \"radius\": 1}}}]", "no element"},
        {"[{\"at\": 0.1, \"remove\": {\"sphere\": {\"centre\": [0, 0, 0], \"radius\": 9}}}]", "all 480 elements"},
        {"[{\"at\": 0, \"remove\": \"middle\"}]", "bodies[0].changes[0].at"},
        {"[{\"remove\": \"middle\"}]", "at"},
        {"[{\"at\": 1}]", "remove"},
        {"[{\"at\": 1, \"remove\": \"middle\", \"within\": {\"sphere\": {\"centre\": [0, 0, 0], \"radius\": 9}}}]",
         "within"},
        {"[{\"at\": 1, \"cut\": {\"nearest\": [0, 0, 0]}}]", "bodies[0].changes[0].cut"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ThawScene *scene = NULL;
        bar.changes = lists[i][0];
        const char *text = text_of(&bar);
        assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error), THAW_ERROR_INPUT);
        if (!strstr(error.message, lists[i][1]))
            fail_msg("%zu: %s", i, error.message);
        thaw_scene_free(&scene);
    }
    // What one leaves is not enough for the next: the world says so.
    ThawScene *scene = NULL;
    bar.changes = "[{\"at\": 0.1, \"remove\": \"middle\"}, {\"at\": 0.2, \"remove\": \"middle\"}]";
    const char *text = text_of(&bar);
    assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error), THAW_OK);
    assert_int_equal(thaw_world_create(&scene->world, &world, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "body 0 (bar): change 1: no element goes"));
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_halves_swing),
        cmocka_unit_test(test_momenta_are_kept),
        cmocka_unit_test(test_a_ball_falls_through),
        cmocka_unit_test(test_pins_and_loads_go),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_loading_goes_both_ways),
        cmocka_unit_test(test_later_bodies_keep_their_changes),
        cmocka_unit_test(test_sleepers_wake),
        cmocka_unit_test(test_frames_follow),
        cmocka_unit_test(test_attachments_follow),
        cmocka_unit_test(test_cancelled_steps_go_back),
        cmocka_unit_test(test_a_piece_falls_and_sleeps),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
