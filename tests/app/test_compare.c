// SPDX-License-Identifier: Apache-2.0
// `thaw compare`: its figures add up, its judge counts as it says, and a comparison that is stopped goes on to the same
// figures.
static const char program[] = THAW_PROGRAM;

#include <jansson.h>
#include <math.h>

#include "app/program.h"
#include "base/base.h"
#include "versus.h"

static const char BEAM[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 120}, \"gravity\": [0, 0, -9.8],\n"
    " \"materials\": {\"m\": {\"density\": 10, \"young\": 5e4, \"poisson\": 0.35, \"alpha1\": 0.1}},\n"
    " \"rigidify\": {\"tau_rigid\": 1e-5, \"epsilon\": 1e-3},\n"
    " \"shapes\": {\"beam\": {\"mesh\": {\"beam\": {\"length\": 2, \"width\": 0.5, \"height\": 0.5, \"size\": 0.25}}, "
    "\"material\": \"m\"}},\n"
    " \"bodies\": [{\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": [\"x-min\"]}]}\n";

static json_t *figures(const char *name) {
    json_error_t error;
    json_t *json = json_load_file(at(name), 0, &error);
    if (!json)
        fail_msg("%s: %s", name, error.text);
    return json;
}

static double number(const json_t *json, const char *key) {
    const json_t *value = json_object_get(json, key);
    if (!json_is_number(value))
        fail_msg("%s is no number", key);
    return json_number_value(value);
}

static void every_figure_is_there_and_they_add_up(void **state) {
    (void)state;
    write_text(at("beam.json"), BEAM);
    expect("compare @beam.json --json @a.json --csv @a.csv --histogram @h.csv", 0, " in total; without contact ");
    json_t *json = figures("a.json");
    static const char *const sides[] = {"reference", "other"};
    for (int i = 0; i < 2; i++) {
        const json_t *side = json_object_get(json, sides[i]);
        assert_true(json_is_string(json_object_get(side, "method")));
        assert_true(number(side, "cpu_ms") > 0 && number(side, "wall_ms") > 0 && number(side, "mean_dofs") > 0);
        assert_true(number(side, "contact_ms") >= 0);
    }
    double speedup =
        number(json_object_get(json, "reference"), "cpu_ms") / number(json_object_get(json, "other"), "cpu_ms");
    assert_true(fabs(number(json, "total_speedup") / speedup - 1) < 1e-2);
    assert_int_equal(number(json, "steps"), 120);
    assert_true(number(json, "mean_speedup") > 0 && number(json, "nc_total_speedup") > 0 &&
                number(json, "nc_mean_speedup") > 0);
    assert_true(number(json, "mean_error") <= number(json, "max_error") && number(json, "max_error") < 1e-2);
    assert_true(number(json, "error_floor") > 0 && number(json, "error_floor") < 0.2);
    assert_true(number(json, "shift_floor") == 0); // a pinned beam: nothing can be moved
    assert_string_equal(json_string_value(json_object_get(json, "verdict")), "within-tolerance");
    assert_true(json_is_null(json_object_get(json, "reference_error")));
    assert_true(number(json, "mean_rigid_share") > 0 && number(json, "mean_rigid_share") <= 1);
    const json_t *oracle = json_object_get(json, "oracle");
    double cells = number(oracle, "moving_elastic") + number(oracle, "moving_rigid") + number(oracle, "still_elastic") +
                   number(oracle, "still_rigid");
    assert_int_equal(cells, 120 * 8 * 2 * 2 * 6); // every element in every step
    assert_true(number(json, "oracle_recall") > 0.99 && number(json, "oracle_recall") <= 1);
    assert_true(number(json, "oracle_precision") > 0 && number(json, "oracle_precision") <= 1);
    json_decref(json);
    size_t size;
    char *rates = slurp(at("h.csv"), &size);
    assert_non_null(rates);
    assert_non_null(strstr(rates, ",predicted,"));
    free(rates);
}

// Full is as far from where it converges to as its step makes it; the reference's own error is a part of that.
static void errors_are_told_from_where_full_converges_to(void **state) {
    (void)state;
    expect("compare @beam.json --method full --against converged --steps 30 --json @c.json --csv @c.csv", 0, "verdict");
    json_t *json = figures("c.json");
    const double error = number(json, "max_error"), floor = number(json, "error_floor");
    assert_true(error > 0 && error == floor);
    assert_true(number(json, "reference_error") > 0 && number(json, "reference_error") < 0.2 * error);
    assert_true(number(json, "reference_extrapolated") > 0.5);
    assert_string_equal(json_string_value(json_object_get(json, "against")), "converged");
    json_decref(json);
    size_t size;
    char *lines = slurp(at("c.csv"), &size);
    assert_non_null(strstr(lines, "error_floor,shift_floor,reference_error"));
    free(lines);
    expect("compare @beam.json --against converged --steps 20 --keep @c-kept --quiet", 0, "");
    expect("compare @beam.json --against converged --steps 30 --keep @c-kept --resume --json @d.json", 0, "goes on");
    expect("compare @beam.json --against converged --steps 30 --json @e.json", 0, "converges to");
    json_t *parts = figures("d.json"), *whole = figures("e.json");
    static const char *const same[] = {"max_error", "error_floor", "reference_error", "reference_extrapolated"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(number(whole, same[i]) == number(parts, same[i]));
    json_decref(parts);
    json_decref(whole);
}

static void a_verdict_looks_at_the_floors_in_turn(void **state) {
    (void)state;
    static const struct {
        AppFloors floors;
        AppVerdict verdict;
    } cases[] = {{{.error = 3e-3, .tolerance = 1e-3}, APP_WITHIN_TOLERANCE},
                 {{.error = 0.1, .tolerance = 1e-3, .reference_error = 0.2, .step = 1}, APP_UNRESOLVED},
                 {{.error = 0.1, .tolerance = 1e-3, .step = 0.2, .shift = 1}, APP_WITHIN_STEP},
                 {{.error = 0.1, .tolerance = 1e-3, .step = 0.05, .shift = 1}, APP_WITHIN_SHIFT},
                 {{.error = 0.1, .tolerance = 1e-3, .step = 0.05, .shift = 0.01}, APP_STRAYS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(app_verdict(&cases[i].floors), cases[i].verdict);
}

static void a_method_against_itself_has_no_error(void **state) {
    (void)state;
    expect("compare @beam.json --method full --steps 20 --no-floor --json @full.json", 0, "speedup");
    json_t *json = figures("full.json");
    assert_true(number(json, "max_error") == 0 && number(json, "oracle_recall") == 1);
    assert_true(json_is_null(json_object_get(json, "error_floor")));
    json_decref(json);
}

static void bodies_that_start_at_rest_are_compared_from_there(void **state) {
    (void)state;
    char text[sizeof BEAM + 40];
    const char *pins = strstr(BEAM, "\"pins\"");
    snprintf(text, sizeof text, "%.*s\"start\": \"rest\", %s", (int)(pins - BEAM), BEAM, pins);
    write_text(at("rest.json"), text);
    expect("compare @rest.json --steps 20 --no-floor --json @rest-figures.json", 0, "speedup");
    json_t *json = figures("rest-figures.json");
    assert_true(number(json, "max_error") < 1e-5 && number(json, "final_rigid_share") == 1);
    json_decref(json);
}

static void a_comparison_that_was_stopped_goes_on_to_the_same_figures(void **state) {
    (void)state;
    expect("compare @beam.json --steps 70 --keep @kept --csv @b.csv --quiet", 0, "");
    expect("compare @beam.json --keep @kept --resume --csv @b.csv --json @b.json", 0, "goes on after step 70");
    json_t *whole = figures("a.json"), *parts = figures("b.json");
    static const char *const same[] = {"max_error",     "mean_error",       "error_floor",      "mean_rigid_share",
                                       "oracle_recall", "oracle_precision", "final_rigid_share"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(number(whole, same[i]) == number(parts, same[i]));
    assert_true(json_equal(json_object_get(whole, "oracle"), json_object_get(parts, "oracle")));
    json_decref(whole);
    json_decref(parts);
    size_t size;
    char *lines = slurp(at("b.csv"), &size);
    int count = 0;
    for (char *c = lines; *c; c++)
        count += *c == '\n';
    assert_int_equal(count, 121);
    free(lines);
    expect("compare @beam.json --keep @kept --resume --no-floor --quiet", 1, "of another scene");
}

static void with_nothing_kept_the_tables_of_an_earlier_run_are_gone(void **state) {
    (void)state;
    size_t size;
    expect("compare @beam.json --steps 20 --csv @c.csv --histogram @c-rates.csv --quiet", 0, "");
    char *before = slurp(at("c-rates.csv"), &size);
    expect("compare @beam.json --steps 10 --keep @fresh --resume --csv @c.csv --histogram @c-rates.csv --quiet", 0, "");
    char *lines = slurp(at("c.csv"), &size), *rates = slurp(at("c-rates.csv"), &size);
    int count = 0;
    for (char *c = lines; *c; c++)
        count += *c == '\n';
    assert_int_equal(count, 11);
    assert_memory_equal(before, rates, strcspn(before, "\n")); // the header, and only one
    assert_true(strlen(rates) < strlen(before));
    free(before);
    free(lines);
    free(rates);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    expect("compare", 1, "a scene is missing");
    expect("compare @beam.json --resume", 1, "--keep DIR");
    expect("compare @beam.json --tau -1", 1, "greater than 0");
    expect("compare @beam.json --csv @none/x.csv", 2, "cannot write");
    expect("compare @missing.json", 1, "missing.json");
}

// A world of one body whose fields say whatever the judge is to see is hard to come by; its counting is checked through
// its flags instead: one element, moving in step 5 only, elastic from step `from` to step `to`.
static AppJudge judge_of(int64_t tolerance, int from, int to) {
    AppJudge judge = {.tolerance = tolerance, .elements = 1};
    judge.seen = THAW_NEW(unsigned char, tolerance + 1);
    judge.moved = THAW_NEW(int32_t, 1);
    judge.elastic = THAW_NEW(int32_t, 1);
    judge.moved[0] = judge.elastic[0] = INT32_MIN / 2;
    for (int step = 0; step < 30; step++)
        app_judge_note(&judge, 0, step == 5, step >= from && step <= to), app_judge_next(&judge);
    app_judge_finish(&judge);
    return judge;
}

static void what_was_elastic_within_the_tolerance_counts_as_caught(void **state) {
    (void)state;
    static const struct {
        int tolerance, from, to, caught, justified;
    } cases[] = {{0, 5, 5, 1, 1}, {0, 6, 6, 0, 0}, {3, 8, 10, 1, 1}, {3, 9, 12, 0, 0},
                 {3, 2, 2, 1, 1}, {3, 0, 1, 0, 0}, {3, 0, 29, 1, 7}, {10, 15, 29, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AppJudge judge = judge_of(cases[i].tolerance, cases[i].from, cases[i].to);
        assert_int_equal(judge.needed[0], 1);
        assert_int_equal(judge.caught[0], cases[i].caught);
        assert_int_equal(judge.together[0], 1); // as long as the runs have not parted all counts
        assert_int_equal(judge.together[1], cases[i].caught);
        assert_int_equal(judge.kept, cases[i].to - cases[i].from + 1);
        assert_int_equal(judge.justified, cases[i].justified);
        app_judge_clear(&judge);
    }
}

// Two worlds of which one starts where it does not belong: its body has parted, and is told of apart.
static void a_body_that_has_gone_another_way_counts_for_recall_but_not_for_that_of_bodies_together(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_scene_load(at("beam.json"), &scene, &error), THAW_OK);
    for (int far = 0; far < 2; far++) {
        AppLockstep lockstep;
        AppRunner full, other;
        AppJudge judge;
        double apart = far ? 0.2 : 0.01;
        assert_int_equal(app_lockstep_create(scene, &lockstep, &error), THAW_OK);
        assert_int_equal(app_runner_create(&lockstep, "full", scene->world.h, NULL, &full, &error), THAW_OK);
        assert_int_equal(app_runner_create(&lockstep, "rigidify", scene->world.h, NULL, &other, &error), THAW_OK);
        assert_int_equal(app_judge_create(other.world, 0, 2, &judge, &error), THAW_OK);
        for (int step = 0; step < 10; step++) {
            assert_int_equal(app_runner_step(&full, &error), THAW_OK);
            assert_int_equal(app_runner_step(&other, &error), THAW_OK);
            app_judge_look(&judge, full.world, other.world, step == 4 ? &apart : (double[]){0}, NULL);
        }
        app_judge_finish(&judge);
        assert_true(judge.needed[0] > 0 && judge.together[0] > 0);
        assert_true(far ? judge.together[0] < judge.needed[0] : judge.together[0] == judge.needed[0]);
        assert_true(app_judge_recall_together(&judge) == 1);
        app_judge_clear(&judge);
        app_runner_clear(&full);
        app_runner_clear(&other);
        app_lockstep_clear(&lockstep);
    }
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_there_and_they_add_up),
        cmocka_unit_test(errors_are_told_from_where_full_converges_to),
        cmocka_unit_test(a_verdict_looks_at_the_floors_in_turn),
        cmocka_unit_test(a_method_against_itself_has_no_error),
        cmocka_unit_test(a_body_that_has_gone_another_way_counts_for_recall_but_not_for_that_of_bodies_together),
        cmocka_unit_test(bodies_that_start_at_rest_are_compared_from_there),
        cmocka_unit_test(a_comparison_that_was_stopped_goes_on_to_the_same_figures),
        cmocka_unit_test(with_nothing_kept_the_tables_of_an_earlier_run_are_gone),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(what_was_elastic_within_the_tolerance_counts_as_caught),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
