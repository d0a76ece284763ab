// SPDX-License-Identifier: Apache-2.0
// A run that went wrong says so at its end, on stderr and even when it is to be quiet, and still ends with status 0.
static const char program[] = THAW_PROGRAM;

#include <jansson.h>
#include <math.h>

#include "app/program.h"
#include "watch.h"

// A block that rests on the floor with friction; its contacts get next to no iterations.
#define BLOCK(contact)                                                                                                 \
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"contact\": {" contact "},\n"                           \
    " \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e5}},\n"                                                  \
    " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.2], \"cells\": [3, 3, "      \
    "3]}}, "                                                                                                           \
    "\"material\": \"m\"}},\n"                                                                                         \
    " \"bodies\": [{\"shape\": \"s\", \"position\": [0, 0, 0.02], \"velocity\": [2, 1, 0], \"spin\": [0, 3, 1]}],\n"   \
    " \"obstacles\": [{\"plane\": {}}]}\n"

// A soft body pressed flat and through itself by keyframes, of a material that has nothing against it.
static const char CRUSHED[] =
    "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"time\": {\"step\": 0.01, \"steps\": 60},\n"
    " \"materials\": {\"m\": {\"model\": \"stvk\", \"density\": 1000, \"young\": 1e4, \"poisson\": 0.3}},\n"
    " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0], \"max\": [0.2, 0.2], \"cells\": [4, 4]}}, "
    "\"material\": "
    "\"m\"}},\n"
    " \"bodies\": [{\"name\": \"crushed\", \"shape\": \"s\", \"pins\": [\"x-min\"], \"scripts\": [{\"group\": "
    "\"x-max\", "
    "\"keys\": [{\"time\": 0}, {\"time\": 0.2, \"translation\": [-0.3, 0]}]}]}]}\n";

static void forces_that_were_not_found_are_told_and_counted(void **state) {
    (void)state;
    write_text(at("left.json"), BLOCK("\"tolerance\": 1e-15, \"iterations\": 1"));
    expect("run @left.json --out @left --stats @left.csv --quiet", 0,
           "steps: contact forces above their tolerance (worst");
    assert_null(strstr(said, "stage")); // quiet it is
    size_t size;
    char *table = slurp(at("left.csv"), &size);
    assert_non_null(table);
    assert_non_null(strstr(table, ",response_residual,response_tolerance,"));
    assert_non_null(strstr(table, ",1e-15,"));
    free(table);
    expect("compare @left.json --method full --no-floor --quiet --json @left_figures.json", 0, "warning: full: ");
    json_t *json = json_load_file(at("left_figures.json"), 0, NULL);
    assert_non_null(json);
    assert_true(json_array_size(json_object_get(json, "warnings")) >= 2);
    json_decref(json);
}

static void a_run_that_went_well_warns_of_nothing(void **state) {
    (void)state;
    write_text(at("well.json"), BLOCK("\"tolerance\": 1e-6"));
    expect("run @well.json --out @well --quiet", 0, "");
    if (strstr(said, "warning"))
        fail_msg("%s", said);
}

static void elements_inside_out_are_told_with_their_body(void **state) {
    (void)state;
    write_text(at("crushed.json"), CRUSHED);
    expect("run @crushed.json --out @crushed --stats @crushed.csv --quiet", 0, "body 0 (crushed): ");
    assert_non_null(strstr(said, " elements are inside out at the end, some since t = "));
    size_t size;
    char *table = slurp(at("crushed.csv"), &size);
    assert_non_null(table);
    assert_non_null(strstr(table, ",substeps,inverted,"));
    free(table);
}

// A world of our own making: energies as the watch gets them.
static void energy_out_of_nothing_is_told_beyond_a_hundredth(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    char text[400];
    write_text(at("well.json"), BLOCK("\"tolerance\": 1e-6"));
    assert_int_equal(thaw_scene_load(at("well.json"), &scene, &error), THAW_OK);
    assert_int_equal(thaw_world_create(&scene->world, &world, &error), THAW_OK);
    static const struct {
        double kinetic, external_work;
        int warns;
    } ends[] = {{100.5, 0, 0}, {103, 0, 1}, {103, 3, 0}, {50, -60, 1}};
    for (int k = 0; k < 4; k++) {
        AppWatch watch;
        assert_int_equal(app_watch_create(world, &watch, &error), THAW_OK);
        app_watch_step(&watch, world, &(ThawStepStats){.ledger = {.kinetic = 100}});
        app_watch_step(
            &watch, world,
            &(ThawStepStats){.ledger = {.kinetic = ends[k].kinetic, .external_work = ends[k].external_work}});
        assert_int_equal(app_watch_line(&watch, world, 0, text), ends[k].warns);
        if (ends[k].warns)
            assert_non_null(strstr(text, "energy grew by "));
        app_watch_clear(&watch);
    }
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

// Nobody deforms: a share of nothing is none, not all.
static void a_share_of_nothing_is_none(void **state) {
    (void)state;
    write_text(
        at("still.json"),
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"steps\": 30},\n"
        " \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e5}}, \"shapes\": {\"s\": {\"material\": \"m\", "
        "\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [2, 2, 2]}}}},\n"
        " \"bodies\": [{\"shape\": \"s\"}]}\n");
    expect("compare @still.json --no-floor --json @still_figures.json", 0, "no element deforms in the reference");
    json_t *json = json_load_file(at("still_figures.json"), 0, NULL);
    assert_non_null(json);
    assert_true(json_is_null(json_object_get(json, "oracle_recall")));
    assert_true(json_is_null(json_object_get(json_object_get(json, "oracle"), "recall_10_tau")));
    assert_int_equal(json_array_size(json_object_get(json, "warnings")), 0);
    json_decref(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_that_were_not_found_are_told_and_counted),
        cmocka_unit_test(a_run_that_went_well_warns_of_nothing),
        cmocka_unit_test(elements_inside_out_are_told_with_their_body),
        cmocka_unit_test(energy_out_of_nothing_is_told_beyond_a_hundredth),
        cmocka_unit_test(a_share_of_nothing_is_none),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
