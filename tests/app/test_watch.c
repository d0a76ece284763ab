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
        ThawLedger end;
        const char *says; // NULL: nothing
    } ends[] = {
        {{.kinetic = 100.5}, NULL},
        {{.kinetic = 103, .integration_loss = -3},
         "energy grew by 3 J beyond the work of loads, scripts and obstacles "
         "(2.9 % of the largest energy so far, most at t = 0 s), mostly by steps"},
        {{.kinetic = 103, .external_work = 3}, NULL},
        {{.kinetic = 50, .external_work = -60}, "energy grew by "},
        {{.kinetic = 103, .damping_loss = -3}, "mostly by damping of what turns under stress"},
        {{.kinetic = 103, .contact_work = 3}, "mostly by contacts"},
        // A machine that lets something down: little energy at a time, much work.
        {{.kinetic = 103, .gravitational = -1000, .obstacle_work = -1000, .integration_loss = -3}, NULL},
        // Shifted apart downwards is not a loss that would let energy grow later; upwards it is told by itself.
        {{.kinetic = 100, .gravitational = 3, .parting_work = 3}, "were lifted apart, which put in 3 J"},
        {{.kinetic = 100, .gravitational = -30, .parting_work = -30}, NULL},
    };
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (int resumed = 0; resumed < 2; resumed++) {
            AppWatch watch;
            int32_t place = 0;
            assert_int_equal(app_watch_create(world, &watch, &error), THAW_OK);
            app_watch_step(&watch, world, &(ThawStepStats){.step = resumed ? 11 : 1, .ledger = {.kinetic = 100}});
            app_watch_step(&watch, world, &(ThawStepStats){.step = resumed ? 12 : 2, .ledger = ends[k].end});
            // and back again, by as much as was shifted
            if (ends[k].end.parting_work < 0)
                app_watch_step(&watch, world, &(ThawStepStats){.step = 13, .ledger = {.kinetic = 100}});
            assert_int_equal(app_watch_line(&watch, world, &place, text), ends[k].says != NULL);
            if (ends[k].says && !resumed && !strstr(text, ends[k].says))
                fail_msg("%s", text);
            if (ends[k].says)
                assert_true((strstr(text, ", looked at since step 11") != NULL) == resumed);
            assert_int_equal(app_watch_line(&watch, world, &place, text), 0);
            app_watch_clear(&watch);
        }
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

// A table that tilts slowly under a block lets it down: more work by far than the block ever has of energy.
static void a_slow_machine_is_not_taken_for_energy_out_of_nothing(void **state) {
    (void)state;
    write_text(
        at("tilt.json"),
        "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"steps\": 400},\n"
        " \"materials\": {\"m\": {\"young\": 1e6, \"poisson\": 0.3, \"density\": 1000, \"alpha1\": 0.01}}, "
        "\"shapes\": {\"s\": {\"material\": \"m\", \"mesh\": {\"box\": {\"min\": [-0.1, -0.1, 0], "
        "\"max\": [0.1, 0.1, 0.2], \"cells\": [4, 4, 4]}}}}, \"bodies\": [{\"shape\": \"s\"}],\n"
        " \"obstacles\": [{\"box\": {\"size\": [1, 1, 0.2]}, \"position\": [0, 0, -0.1], \"keys\": [{\"time\": 0}, "
        "{\"time\": 2, \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 25}}]}]}\n");
    for (int k = 0; k < 2; k++) {
        expect(k ? "run @tilt.json --method rigidify --out @tilt --quiet"
                 : "run @tilt.json --method full --out @tilt --quiet",
               0, "");
        if (strstr(said, "energy"))
            fail_msg("%s", said);
    }
}

// The same after a resume: warnings are about what was seen, and say so.
static void a_resumed_run_warns_of_what_it_has_seen(void **state) {
    (void)state;
    write_text(at("half.json"), BLOCK("\"tolerance\": 1e-15, \"iterations\": 1"));
    expect("run @half.json --out @half --steps 7 --quiet", 0, "steps: contact forces above their tolerance (worst");
    expect("run @half.json --out @half --resume --quiet", 0, " steps, looked at since step 8: contact forces above");
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
        cmocka_unit_test(a_slow_machine_is_not_taken_for_energy_out_of_nothing),
        cmocka_unit_test(a_resumed_run_warns_of_what_it_has_seen),
        cmocka_unit_test(a_share_of_nothing_is_none),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
