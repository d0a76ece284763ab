// SPDX-License-Identifier: Apache-2.0
// Sheets that are held: seams draw the edges of two cloths together and hold them until they are cut, a weight hangs on
// a cloth that is glued to it, and corners are held by frames that move and let go.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "step/step.h"
#include "support/folder.h"
#include "support/world.h"
#include "thaw/live.h"
#include "thaw/scene.h"

#define PATCH                                                                                                          \
    "\"patch\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.4, \"height\": 0.4}}, \"size\": 0.1}, "                \
    "\"material\": \"cotton\", \"thickness\": 0.002}"

// Two patches 5 cm apart, the outer sides pinned loosely enough to meet.
static const char seam[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH "}, \"bodies\": ["
    "{\"name\": \"left\", \"shape\": \"patch\", \"position\": [-0.225, 0, 0]}, "
    "{\"name\": \"right\", \"shape\": \"patch\", \"position\": [0.225, 0, 0]}], \"attachments\": ["
    "{\"body\": \"left\", \"group\": \"x-max\", \"to\": \"right\", \"kind\": \"distance\", \"length\": 0, "
    "\"stiffness\": 50, \"damping\": 0.05, \"contact\": false, \"release\": 1.5}]}";

static double gap_of(const ThawWorld *world, double lowest[2]) {
    double left[3 * 25], right[3 * 25], widest = 0;
    assert_int_equal(thaw_world_get_positions(world, 0, left), THAW_OK);
    assert_int_equal(thaw_world_get_positions(world, 1, right), THAW_OK);
    for (int j = 0; j < 5; j++) {
        const double *p = left + 3 * (5 * j + 4), *q = right + 3 * (5 * j);
        widest = fmax(widest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
    }
    lowest[0] = left[0], lowest[1] = right[12];
    return widest;
}

static void a_seam_closes_and_is_cut(void **state) {
    (void)state;
    ThawWorld *world = make_world(seam, 1);
    ThawStepStats stats;
    double outer[2];
    assert_true(fabs(gap_of(world, outer) - 0.05) < 1e-9);
    run_world(world, 20);
    assert_true(gap_of(world, outer) < 0.049); // closing
    stats = run_world(world, 260);
    assert_true(gap_of(world, outer) < 1e-3);
    assert_true(outer[0] > -0.425 && outer[1] < 0.425); // both have come
    (void)stats;
    thaw_world_free(&world);
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 3;
}

static void a_seam_has_the_same_bits_after_resume(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(seam, 60, at("seam.h5"), has_begun) > 2);
}

// A cube under a cloth that is pinned at one side, glued to the other.
static void a_weight_hangs_on_a_cloth(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH
        ", \"cube\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.05, -0.05], \"max\": [0.05, 0.05, 0.05], \"cells\": [1, "
        "1, "
        "1]}}, \"material\": \"silicone\"}}, \"bodies\": [{\"name\": \"cloth\", \"shape\": \"patch\", \"rotation\": "
        "{\"axis\": [0, 1, 0], \"degrees\": 90}, \"pins\": [\"x-min\"]}, {\"name\": \"cube\", \"shape\": \"cube\", "
        "\"position\": [0, 0, -0.251]}], \"attachments\": [{\"body\": \"cube\", \"group\": \"z-max\", \"to\": "
        "\"cloth\"}]}",
        1);
    double before[3 * 8], after[3 * 8], sum[2] = {0, 0};
    thaw_world_get_positions(world, 1, before);
    run_world(world, 200);
    thaw_world_get_positions(world, 1, after);
    for (int v = 0; v < 8; v++)
        sum[0] += before[3 * v + 2] / 8, sum[1] += after[3 * v + 2] / 8;
    assert_true(fabs(sum[1] - sum[0]) < 0.02);
    thaw_world_free(&world);
}

// A corner rides on a frame to the side, and falls once it lets go.
static void corners_ride_on_frames_and_are_let_go(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH "}, \"bodies\": [{\"shape\": \"patch\"}], "
        "\"attachments\": [{\"body\": \"body-0\", \"group\": \"rim\", \"keys\": [{\"time\": 0}, {\"time\": 0.5, "
        "\"translation\": [0.3, 0, 0]}], \"release\": 0.7}]}",
        1);
    double x[3 * 25];
    run_world(world, 130);
    thaw_world_get_positions(world, 0, x);
    assert_true(fabs(x[0] - 0.1) < 5e-3 && fabs(x[2]) < 5e-3);
    run_world(world, 70);
    thaw_world_get_positions(world, 0, x);
    assert_true(x[2] < -0.2);
    thaw_world_free(&world);
}

// Sewn later, when one of the patches has been turned over: what lies side by side now belongs together, though at the
// start it was the other way round.
static void a_seam_that_is_made_later_goes_by_present_places(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH "}, \"bodies\": ["
        "{\"name\": \"left\", \"shape\": \"patch\", \"position\": [-0.225, 0, 0]}, "
        "{\"name\": \"right\", \"shape\": \"patch\", \"position\": [0.225, 0, 0]}], \"attachments\": ["
        "{\"body\": \"left\", \"group\": \"x-max\", \"to\": \"right\", \"to_group\": \"x-min\", \"pairing\": "
        "\"along\", "
        "\"kind\": \"distance\", \"length\": 0, \"close\": 1}]}",
        1);
    ThawError error = {0};
    const ThawAttachmentDef def = world->definition->def.attachments[0];
    double left[3 * 25], lines[6 * 5];
    ThawId id = 0;
    ThawAttachmentState sewn;
    assert_int_equal(thaw_world_begin_edit(world, &error), THAW_OK);
    assert_int_equal(thaw_world_add_attachment(world, &def, &id, &error), THAW_OK);
    assert_int_equal(thaw_world_remove_attachment(world, thaw_world_attachment_id(world, 0), &error), THAW_OK);
    assert_int_equal(thaw_world_get_positions(world, 0, left), THAW_OK);
    for (int i = 0; i < 25; i++)
        left[3 * i + 1] *= -1;
    assert_int_equal(thaw_world_set_positions(world, 0, left), THAW_OK);
    assert_int_equal(thaw_world_end_edit(world, &error), THAW_OK);
    const int32_t index = thaw_world_attachment_index(world, id);
    assert_int_equal(thaw_world_get_attachment(world, index, &sewn), THAW_OK);
    assert_int_equal(sewn.vertices, 5);
    assert_int_equal(thaw_world_get_attachment_lines(world, index, lines), THAW_OK);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(lines[6 * i + 1] - lines[6 * i + 4]) < 1e-9); // 0.4 m at the ends, by places of the start
    thaw_world_free(&world);
}

// A flat strip is sewn to a tube: one edge of it to the other, in half a second, and stays one.
static const char tube[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"density\": 300, "
    "\"young\": 1e6, \"poisson\": 0.3, \"alpha0\": 4, \"alpha1\": 0.005}}, \"shapes\": {\"strip\": {\"mesh\": "
    "{\"sheet\": {\"grid\": {\"width\": 0.6, \"height\": 0.2}}, \"size\": 0.05}, \"material\": \"m\", \"thickness\": "
    "0.002, \"groups\": {\"middle\": {\"nearest\": [0, 0, 0]}}}}, \"bodies\": [{\"name\": \"tube\", \"shape\": "
    "\"strip\", "
    "\"forces\": [{\"group\": \"x-min\", \"total\": [0, 0, 0.01], \"to\": 0.3}, {\"group\": \"x-max\", \"total\": [0, "
    "0, "
    "0.01], \"to\": 0.3}]}], \"attachments\": [{\"body\": \"tube\", \"group\": \"x-min\", \"to\": \"tube\", "
    "\"to_group\": "
    "\"x-max\", \"pairing\": \"%s\", \"kind\": \"distance\", \"length\": 0, \"close\": 0.5}]}";

static double width_of_tube(const ThawWorld *world) {
    double x[3 * 65], widest = 0;
    assert_int_equal(thaw_world_vertex_count(world, 0), 65);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    for (int j = 0; j < 5; j++) {
        const double *p = x + 3 * (13 * j), *q = x + 3 * (13 * j + 12);
        widest = fmax(widest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
    }
    return widest;
}

static void a_strip_is_sewn_to_a_tube(void **state) {
    (void)state;
    static const char *const pairings[] = {"nearest", "along"}, *const methods[] = {"full", "rigidify"};
    for (int run = 0; run < 4; run++) {
        char text[2000];
        ThawStepStats stats = {0};
        snprintf(text, sizeof text, tube, pairings[run / 2]);
        ThawWorld *world = make_world_by(text, methods[run % 2], 1);
        double start = 0, off = 0, half = 0, momentum = 0, x[3 * 65], v[3 * 65], m[65];
        for (int k = 0; k < 600; k++) {
            step_world(world, &stats);
            start = k == 0 ? ledger_balance(&stats.ledger) : start;
            off = fmax(off, fabs(ledger_balance(&stats.ledger) - start));
            half = k == 49 ? width_of_tube(world) : half;
        }
        thaw_world_get_positions(world, 0, x);
        thaw_world_get_velocities(world, 0, v);
        thaw_world_get_masses(world, 0, m);
        for (int i = 0; i < 65; i++)
            momentum += m[i] * v[3 * i];
        print_message("%s, %s: %.4f m half way, %.1e at the end; ledger off %.1e of %.1e J; momentum across %.1e\n",
                      methods[run % 2], pairings[run / 2], half, width_of_tube(world), off, stats.ledger.elastic,
                      momentum);
        assert_true(half > 0.25 && half < 0.36 && width_of_tube(world) < 1e-3);
        assert_true(off < 1e-7 && fabs(momentum) < 1e-9);
        thaw_world_free(&world);
    }
}

static void a_tube_has_the_same_bits_after_resume(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, tube, "along");
    assert_true(bits_across_checkpoints(text, 150, at("tube.h5"), has_begun) > 2);
}

// A disc is sewn to a square of the same rim by its share of the way: it goes around once, and no vertex is left out.
static void edges_of_different_meshes_are_sewn_by_their_length(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"density\": 300, "
        "\"young\": 1e5, \"poisson\": 0.3, \"alpha0\": 4, \"alpha1\": 0.005}}, \"shapes\": {\"square\": {\"mesh\": "
        "{\"sheet\": {\"grid\": {\"width\": 0.314, \"height\": 0.314}}, \"size\": 0.05}, \"material\": \"m\", "
        "\"thickness\": 0.002}, \"disc\": {\"mesh\": {\"sheet\": {\"disc\": {\"radius\": 0.2}}, \"size\": 0.04}, "
        "\"material\": \"m\", \"thickness\": 0.002}}, \"bodies\": [{\"name\": \"disc\", \"shape\": \"disc\", "
        "\"position\": [0, 0, 0.05]}, {\"name\": \"square\", \"shape\": \"square\"}], \"pairs\": [{\"between\": "
        "[\"disc\", \"square\"], \"enabled\": false}], \"attachments\": [{\"body\": \"disc\", \"group\": \"rim\", "
        "\"to\": \"square\", \"to_group\": \"rim\", \"pairing\": \"along\", \"kind\": \"distance\", \"length\": 0, "
        "\"close\": 1}]}",
        1);
    ThawAttachmentState sewn;
    double lines[6 * 200], widest = 0, first = 0;
    thaw_world_get_attachment(world, 0, &sewn);
    thaw_world_get_attachment_lines(world, 0, lines);
    assert_true(sewn.vertices > 20 && sewn.vertices < 200);
    for (int i = 0; i < sewn.vertices; i++) {
        const double *l = lines + 6 * i;
        first = fmax(first, hypot(hypot(l[0] - l[3], l[1] - l[4]), l[2] - l[5]));
    }
    assert_true(first < 0.12); // laid on the side that is nearest
    run_world(world, 400);
    thaw_world_get_attachment_lines(world, 0, lines);
    for (int i = 0; i < sewn.vertices; i++) {
        const double *l = lines + 6 * i;
        widest = fmax(widest, hypot(hypot(l[0] - l[3], l[1] - l[4]), l[2] - l[5]));
    }
    print_message("%d vertices, %.3f m apart at the start, %.1e sewn\n", (int)sewn.vertices, first, widest);
    assert_true(widest < 1e-3);
    thaw_world_free(&world);
}

// The rim of a disc is gathered onto the side of a square, whichever way that is the nearer: it is cut open once, and
// its vertices lie all along the side, none a great way from the place next to it.
static void a_closed_edge_is_cut_open_along_an_open_one(void **state) {
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        char text[1400];
        snprintf(
            text, sizeof text,
            "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"materials\": {\"m\": "
            "{\"density\": 300, \"young\": 1e5, \"poisson\": 0.3}}, \"shapes\": {\"square\": {\"mesh\": {\"sheet\": "
            "{\"grid\": {\"width\": 0.6, \"height\": 0.6}}, \"size\": 0.1}, \"material\": \"m\", \"thickness\": "
            "0.002}, \"disc\": {\"mesh\": {\"sheet\": {\"disc\": {\"radius\": 0.2}}, \"size\": 0.04}, "
            "\"material\": \"m\", \"thickness\": 0.002}}, \"bodies\": [{\"name\": \"disc\", \"shape\": \"disc\", "
            "\"position\": [0, 0.32, 0.1], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": %d}}, {\"name\": "
            "\"square\", \"shape\": \"square\"}], \"attachments\": [{\"body\": \"disc\", \"group\": \"rim\", "
            "\"to\": \"square\", \"to_group\": \"y-max\", \"pairing\": \"along\", \"kind\": \"distance\", "
            "\"length\": 0, \"close\": 1}]}",
            180 * turned);
        ThawWorld *world = make_world(text, 1);
        ThawAttachmentState sewn;
        double lines[6 * 200], low = INFINITY, high = -INFINITY, mean = 0, along = 0;
        thaw_world_get_attachment(world, 0, &sewn);
        thaw_world_get_attachment_lines(world, 0, lines);
        assert_true(sewn.vertices > 20 && sewn.vertices < 200);
        for (int i = 0; i < sewn.vertices; i++) {
            low = fmin(low, lines[6 * i + 3]);
            high = fmax(high, lines[6 * i + 3]);
            mean += lines[6 * i + 3] / sewn.vertices;
            along += lines[6 * i] * lines[6 * i + 3] / sewn.vertices;
        }
        assert_true(low < -0.27 && high > 0.27 && fabs(mean) < 0.02);
        assert_true(along > 0.9 * 0.12 / (2 * M_PI)); // of 0.2 sin(2 pi s) and 0.6 s, where the cut is best
        thaw_world_free(&world);
    }
}

// A vertex that is sewn to a group in which there is nothing but itself; another one can be.
static void what_could_hold_only_to_itself_is_refused(void **state) {
    (void)state;
    for (int itself = 0; itself < 2; itself++) {
        char text[1400];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"shapes\": {\"strip\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.6, \"height\": "
                 "0.2}}, \"size\": 0.05}, \"material\": \"cotton\", \"thickness\": 0.002, \"groups\": {\"middle\": "
                 "{\"nearest\": [0, 0, 0]}}}}, \"bodies\": [{\"name\": \"strip\", \"shape\": \"strip\"}], "
                 "\"attachments\": [{\"body\": \"strip\", \"group\": \"%s\", \"to\": \"strip\", \"to_group\": "
                 "\"middle\", \"pairing\": \"nearest\", \"kind\": \"distance\", \"length\": 0, \"close\": 0.5}]}",
                 itself ? "middle" : "x-min");
        ThawScene *scene = NULL;
        ThawWorld *world = NULL;
        ThawError error = {0};
        if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(thaw_world_create(&scene->world, &world, &error), itself ? THAW_ERROR_INPUT : THAW_OK);
        assert_true(!itself || strstr(error.message, "is all that it could hold to"));
        thaw_world_free(&world);
        thaw_scene_free(&scene);
    }
}

// A sphere rolls over its coarse facets, and what its island gains there is taken off: to the bit as if nothing were
// held elsewhere, or had been.
static void what_is_held_elsewhere_changes_no_bit_here(void **state) {
    (void)state;
    static const char text[] =
        "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"integrator\": \"tr-bdf2\", \"substeps\": 0}, \"shapes\": "
        "{\"sphere\": {\"mesh\": {\"solid\": {\"sphere\": {\"radius\": 0.03}}, \"elements\": 400}, \"material\": "
        "\"silicone\"}, \"box\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.1, 0.1, 0.1], \"cells\": [1, 1, "
        "1]}}, \"material\": \"silicone\"}}, \"bodies\": [{\"shape\": \"sphere\", \"position\": [0, 0, 0.03], "
        "\"velocity\": [3, 0, 0], \"spin\": [0, 100, 0], \"friction\": 1}, {\"name\": \"far\", \"shape\": \"box\", "
        "\"position\": [0, 50, 500]}], \"obstacles\": [{\"plane\": {}, \"friction\": 1}]%s}";
    static const char *const more[] = {
        "", ", \"attachments\": [{\"body\": \"far\", \"group\": \"z-max\"}]",
        ", \"attachments\": [{\"body\": \"far\", \"group\": \"z-max\", \"release\": 0.01}]"};
    ThawWorld *world[3];
    for (int k = 0; k < 3; k++) {
        char scene[1400];
        snprintf(scene, sizeof scene, text, more[k]);
        world[k] = make_world(scene, 1);
        run_world(world[k], 40);
    }
    assert_true(worlds_apart(world[0], world[1], 0) == 0 && worlds_apart(world[0], world[2], 0) == 0);
    assert_true(worlds_apart(world[0], world[1], 1) > 0.1);
    for (int k = 0; k < 3; k++)
        thaw_world_free(&world[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seam_closes_and_is_cut),
        cmocka_unit_test(a_seam_has_the_same_bits_after_resume),
        cmocka_unit_test(a_strip_is_sewn_to_a_tube),
        cmocka_unit_test(a_tube_has_the_same_bits_after_resume),
        cmocka_unit_test(edges_of_different_meshes_are_sewn_by_their_length),
        cmocka_unit_test(a_seam_that_is_made_later_goes_by_present_places),
        cmocka_unit_test(a_closed_edge_is_cut_open_along_an_open_one),
        cmocka_unit_test(what_could_hold_only_to_itself_is_refused),
        cmocka_unit_test(what_is_held_elsewhere_changes_no_bit_here),
        cmocka_unit_test(a_weight_hangs_on_a_cloth),
        cmocka_unit_test(corners_ride_on_frames_and_are_let_go),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
