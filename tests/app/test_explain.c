// SPDX-License-Identifier: Apache-2.0
// `thaw explain`, `thaw tune`, and pictures by field, on a beam that settles, sleeps, and is loaded.
static const char program[] = THAW_PROGRAM;
#include "program.h"

#include <jansson.h>

#include "base/base.h"
#include "scene_edit.h"
#include "thaw/thaw.h"

static void write_beam(const char *path, const char *method) {
    char text[2048];
    snprintf(text, sizeof text,
             "// a comment that must survive\n"
             "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"steps\": 520},\n"
             " \"output\": {\"every\": 10}, /* and another, with \"rigidify\": {} in it */\n"
             " \"materials\": {\"foam\": {\"young\": 5e4, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.1}},\n"
             " \"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [2, 1, 1], \"cells\": [4, 2, "
             "2]}}, \"material\": \"foam\"}},\n"
             " \"bodies\": [{\"name\": \"beam\", \"shape\": \"beam\", \"method\": \"%s\", \"pins\": [\"x-min\"],\n"
             "   \"forces\": [{\"group\": \"x-max\", \"total\": [0, 0, -20], \"from\": 5}]}]}\n",
             method);
    write_text(path, text);
}

static int make_run(void **state) {
    if (make_folder(state))
        return -1;
    write_beam(at("beam.json"), "rigidify");
    expect("run @beam.json --out @run --histogram @rates.csv --quiet", 0, "");
    return 0;
}

static void a_run_explains_its_elements(void **state) {
    (void)state;
    expect(
        "explain @run --element 90 --step 10", 0,
        "beam, after step 10 (t = 0.1 s):\nElement 90 of body 0 is elastic since the start, because its strain changes "
        "faster than the threshold.");
    expect("explain @run --element 90 --step 499", 0,
           "beam, after step 490 (t = 4.9 s):\nElement 90 of body 0 is asleep");
    expect("explain @run --element 90 --step 510 --quiet", 0, "elastic\n");
    assert_int_equal(strlen(said), strlen("elastic\n"));
    expect("explain @run --element 90 --step 510", 0, "is elastic since step 500 (t = 5 s)");
    assert_non_null(strstr(said, "Before that, as far as the frames show:\n  rigid from step "));
    long long rigid = 0, asleep = 0;
    assert_int_equal(sscanf(strstr(said, "  rigid from step "),
                            "  rigid from step %lld (t = %*f s), asleep by step %lld", &rigid, &asleep),
                     2);
    assert_true(rigid > 0 && asleep > rigid && asleep < 500 && asleep % 10 == 0);
    assert_non_null(strstr(said, "\n  elastic from step 0 (t = 0 s)\n"));
}

static void a_body_that_woke_rigid_and_sleeps_again_says_since_when(void **state) {
    (void)state;
    write_text(at("twice.json"),
               "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"steps\": 700}, "
               "\"output\": {\"every\": 10},"
               "\"materials\": {\"f\": {\"young\": 1e6, \"poisson\": 0.3, \"density\": 1000, \"alpha1\": 0.05}},"
               "\"shapes\": {\"b\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], "
               "\"cells\": [3, 3, 3]}}, \"material\": \"f\"}},"
               "\"bodies\": [{\"shape\": \"b\", \"method\": \"rigidify\", \"pins\": [\"z-min\"],"
               "\"forces\": [{\"group\": \"z-max\", \"total\": [1, 0, 0], \"from\": 4, \"to\": 6}]}]}\n");
    expect("run @twice.json --out @twice --quiet", 0, "");
    static const int from[] = {0, 400, 600}, to[] = {390, 590, 700};
    for (int i = 0; i < 3; i++) {
        char command[100];
        long long asleep = 0;
        snprintf(command, sizeof command, "explain @twice --element 5 --step %d", to[i]);
        expect(command, 0, "is asleep with its whole body");
        assert_int_equal(sscanf(strstr(said, "It was asleep by step "), "It was asleep by step %lld", &asleep), 1);
        assert_true(asleep > from[i] && asleep < to[i] && asleep % 10 == 0);
    }
    expect("explain @twice --element 5 --step 410", 0, "Its body is wholly rigid, and awake");
}

static void a_rigid_body_says_why_it_is_awake(void **state) {
    (void)state;
    write_text(at("flight.json"),
               "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"output\": {\"every\": 10},"
               "\"shapes\": {\"box\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], "
               "\"cells\": [2, 2, 2]}}, \"material\": \"foam\"}},"
               "\"bodies\": [{\"shape\": \"box\", \"method\": \"rigidify\"}]}\n");
    expect("run @flight.json --out @flight --quiet", 0, "");
    expect("explain @flight --element 5", 0,
           "Its body is wholly rigid, and awake: its fastest vertex moves at 3.92 m/s");
    assert_non_null(strstr(said, "What keeps it from sleep: a point of it is faster than rest allows. It sleeps when"));
    expect("explain @flight --element 5 --json", 0, "\"body_elastic\": 0");
    assert_non_null(strstr(said, "\"body_hindrance\": \"too fast\""));
    assert_non_null(strstr(said, "\"asleep_step\": null"));
}

static void the_same_as_json(void **state) {
    (void)state;
    expect("explain @run --element 90 --step 510 --json --body beam", 0, "{");
    json_t *report = json_loads(said, 0, NULL);
    assert_non_null(report);
    assert_string_equal(json_string_value(json_object_get(report, "state")), "elastic");
    assert_string_equal(json_string_value(json_object_get(report, "body_name")), "beam");
    assert_int_equal(json_integer_value(json_object_get(report, "step")), 510);
    assert_int_equal(json_integer_value(json_object_get(report, "since_step")), 500);
    const char *by = json_string_value(json_object_get(report, "woken_by"));
    assert_true(strcmp(by, "load change") == 0 || strcmp(by, "neighbour") == 0);
    assert_true(json_is_null(json_object_get(report, "part")));
    assert_true(json_number_value(json_object_get(report, "rate_threshold")) > 0);
    assert_true(json_array_size(json_object_get(report, "before")) >= 2);
    assert_int_equal(json_integer_value(json_object_get(report, "body_elements")), 96);
    assert_true(json_integer_value(json_object_get(report, "body_elastic")) > 0);
    json_decref(report);
}

static void explain_refuses_what_is_not_there(void **state) {
    (void)state;
    expect("explain", 1, "name the folder of a run");
    expect("explain @run", 1, "say which element: --element N, from 0 to 95");
    expect("explain @beam.json", 1, "beam.json is a scene; allowed: the folder of a run");
    expect("explain @run --element 96", 1, "element is 96; the body has elements 0 to 95");
    expect("explain @run --element -1", 1, "--element is '-1'; allowed: a whole number from 0");
    expect("explain @run --element 1 --body cat", 1, "--body is 'cat'; allowed: beam");
    expect("explain @nowhere --element 1", 1, "cannot read");
    expect("explain @run --element 1 --step 99999", 1, "--step is 99999; the last frame of the run is of step ");
    expect("explain @run @run --element 1", 1, "one run at a time");
    expect("help explain", 0, "usage: thaw explain DIR --element N");
}

static void a_full_run_says_that_nothing_can_be_rigid(void **state) {
    (void)state;
    expect("run @beam.json --method full --out @full --steps 20 --quiet", 0, "");
    expect("explain @full --element 3", 0, "is elastic: the body's method keeps every element elastic.");
    expect("render @full -o @no.png --colour part", 1,
           "the frames hold no 'part', which only runs with an adaptive method write; they hold body, none, velocity, "
           "von_mises, region");
}

static void pictures_are_coloured_by_any_field(void **state) {
    (void)state;
    static const char *const names[] = {
        "part",        "state",    "reason",    "woken_by", "strain_rate", "predicted_strain",
        "awake_since", "velocity", "von_mises", "region",   "body",        "none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[200];
        snprintf(line, sizeof line, "render @run -o @by.png --size 320x180 --frame 51 --color %s", names[i]);
        expect(line, 0, "320 x 180");
    }
    expect("render @run -o @by.png --colour stat", 1,
           "--colour is 'stat' (did you mean state?); allowed: body, none, velocity");
    expect("render @run -o @by.png --colour contact_pressure", 1, "which only runs where something can touch write");
}

static void a_histogram_follows_the_run(void **state) {
    (void)state;
    size_t size = 0;
    int rows = 0;
    char *text = slurp(at("rates.csv"), &size);
    assert_non_null(text);
    for (char *line = text; (line = strchr(line, '\n')); line++)
        rows++;
    assert_int_equal(rows, 1 + 2 * 52);                            // the frames after the first, two quantities
    assert_non_null(strstr(text, "\n490,4.9,strain_rate,96,96,")); // asleep: all zero
    free(text);
}

static void tune_writes_thresholds_that_keep_the_budget(void **state) {
    (void)state;
    expect("tune @beam.json --error 1% -o @tuned.json --steps 300", 0, "chosen: tolerance ");
    double tolerance = 0, error = 0;
    assert_int_equal(sscanf(strstr(said, "chosen:"), "chosen: tolerance %lf: %lf %%", &tolerance, &error), 2);
    assert_true(error <= 1 && tolerance >= 1e-3);
    size_t size = 0;
    char *text = slurp(at("tuned.json"), &size), want[100];
    assert_non_null(strstr(text, "// a comment that must survive\n"));
    assert_non_null(strstr(text, "/* and another, with \"rigidify\": {} in it */"));
    snprintf(want, sizeof want, "\"rigidify\": {\"tolerance\": %.3g}", tolerance);
    assert_non_null(strstr(text, want));
    free(text);
    expect("compare @tuned.json --steps 300 --no-floor --json @compare.json --quiet", 0, "");
    json_t *figures = json_load_file(at("compare.json"), 0, NULL);
    assert_true(json_number_value(json_object_get(figures, "max_error")) <= 0.01 * (1 + 1e-3));
    json_decref(figures);
    // Asked again, it starts from there, changes the file in place, and needs no more than it has.
    expect("tune @tuned.json --error 1% --steps 300 --quiet", 0, "");
    text = slurp(at("tuned.json"), &size);
    assert_non_null(strstr(text, "// a comment that must survive\n"));
    free(text);
}

// A body that says something for itself: what it leaves out follows the scene's, what it gives stays.
static void tune_leaves_alone_what_a_body_says_for_itself(void **state) {
    (void)state;
    static const char scene[] =
        "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 150}, \"materials\": {\"soft\": {\"young\": 1e6, "
        "\"alpha1\": 0.02}}, \"shapes\": {\"beam\": {\"mesh\": {\"beam\": {\"length\": 1, \"width\": 0.2, \"height\": "
        "0.2, \"size\": 0.1}}, \"material\": \"soft\"}}, \"bodies\": [\n"
        " {\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": [\"x-min\"], \"rigidify\": {\"%s\": %s}}]}\n";
    static const char *const own[][2] = {{"hold", "5"}, {"tolerance", "2e-4"}};
    for (int i = 0; i < 2; i++) {
        char text[1000], kept[100];
        snprintf(text, sizeof text, scene, own[i][0], own[i][1]);
        write_text(at("own.json"), text);
        expect("tune @own.json --error 1% -o @own-tuned.json", 0, "chosen: tolerance ");
        size_t size = 0;
        char *tuned = slurp(at("own-tuned.json"), &size);
        snprintf(kept, sizeof kept, "[\"x-min\"], \"rigidify\": {\"%s\": %s}}", own[i][0], own[i][1]);
        assert_non_null(strstr(tuned, kept));
        assert_non_null(strstr(tuned, "\"rigidify\": {\"tolerance\": "));
        free(tuned);
        ThawScene *read = NULL;
        assert_int_equal(thaw_scene_load(at("own-tuned.json"), &read, NULL), THAW_OK);
        const double tolerance = read->world.bodies[0].rigidify->tolerance;
        assert_true(tolerance == (i == 0 ? read->world.rigidify.tolerance : 2e-4));
        thaw_scene_free(&read);
    }
}

// Dice that bounce off each other: a hundred thousandth at the start makes a percent.
static void tune_says_when_the_budget_is_below_what_chance_does(void **state) {
    (void)state;
    static const char die[] = "{\"shape\": \"die\", \"method\": \"rigidify\", ";
    char text[2048];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"time\": {\"step\": 0.001, \"steps\": 1500}, \"obstacles\": [{\"plane\": {}}],"
             "\"materials\": {\"m\": {\"density\": 1000, \"young\": 1e6, \"poisson\": 0.3, \"alpha1\": 0}},"
             "\"shapes\": {\"die\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": [0.1, 0.1, 0.1],"
             "\"cells\": [2, 2, 2]}}, \"material\": \"m\"}}, \"bodies\": ["
             "%s\"position\": [0, 0, 0.3], \"rotation\": {\"axis\": [1, 1, 0], \"degrees\": 40}, \"spin\": [3, 0, 1]},"
             "%s\"position\": [0.08, 0.05, 0.7], \"rotation\": {\"axis\": [1, -1, 0.3], \"degrees\": 50}},"
             "%s\"position\": [-0.02, 0.03, 1.1], \"rotation\": {\"axis\": [0, 1, 0.3], \"degrees\": 30}}]}",
             die, die, die);
    write_text(at("dice.json"), text);
    thaw("tune @dice.json --error 1% --dry-run"); // whether it finds any is chance
    assert_non_null(strstr(said, "chaotic: with its free bodies moved by 1e-05 of their diameter at the start"));
    expect("tune @dice.json --error 1% --dry-run --steps 100", 0, "chosen: ");
    assert_null(strstr(said, "chaotic"));
}

static void tune_refuses_what_makes_no_sense(void **state) {
    (void)state;
    expect("tune", 1, "a scene is missing");
    expect("tune @beam.json", 1, "say how large the error may be: --error 0.5%");
    expect("tune @beam.json --error 80%", 1,
           "--error is '80%'; allowed: a share of a body's diameter from 0.001% to 50%");
    expect("tune @beam.json --error 1%x", 1, "--error is '1%x'");
    expect("tune @nothing.json --error 1%", 1, "nothing.json");
    expect("tune @beam.json --error 1% --steps 2 -o @none/x.json", 2, "none/x.json");
    write_beam(at("full.json"), "full");
    expect("tune @full.json --error 0.01 --steps 5 --dry-run", 0, "run it with --method rigidify, or set it there");
    expect("tune @full.json --error 50% --steps 5 --dry-run", 0, "looser ones were not tried: ");
    expect("tune @full.json --error 0.01 --steps 5 --dry-run", 0, "judged by the first 5 of the scene's ");
    size_t size = 0;
    char *text = slurp(at("full.json"), &size);
    assert_null(strstr(text, "tau_rigid"));
    free(text);
}

static void settings_are_put_into_a_scene_and_nothing_else_changes(void **state) {
    (void)state;
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"{\"a\": 1}", "{\"a\": 1,\n    \"r\": {\"x\": 2, \"y\": 0.5}}"},
        {"{}", "{\n    \"r\": {\"x\": 2, \"y\": 0.5}}"},
        {"{\"r\": {}}", "{\"r\": {\"x\": 2, \"y\": 0.5}}"},
        {"{\"r\": {\"x\": 7}}", "{\"r\": {\"x\": 2, \"y\": 0.5}}"},
        {"{\"r\": {\"y\": 1e-3 , // the y\n \"x\" :7}, \"z\": [1, {\"x\": 3}]}",
         "{\"r\": {\"y\": 0.5 , // the y\n \"x\" :2}, \"z\": [1, {\"x\": 3}]}"},
        {"// \"r\": {\"x\": 1}\n{ /* { */ \"s\": \"a \\\" { // }\", \"r\" /*c*/ : /*d*/ { \"k\": \"x\" } }",
         "// \"r\": {\"x\": 1}\n{ /* { */ \"s\": \"a \\\" { // }\", \"r\" /*c*/ : /*d*/ { \"k\": \"x\", \"x\": 2, "
         "\"y\": 0.5 } }"},
        {"\xEF\xBB\xBF{\"a\": [], \"b\": true // end\n}",
         "\xEF\xBB\xBF{\"a\": [], \"b\": true,\n    \"r\": {\"x\": 2, \"y\": 0.5} // end\n}"},
    };
    const AppSetting settings[] = {{"x", 2}, {"y", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *edited;
        ThawError error = {0};
        assert_int_equal(app_scene_set(cases[i].before, strlen(cases[i].before), "r", settings, 2, &edited, &error),
                         THAW_OK);
        assert_string_equal(edited, cases[i].after);
        thaw_free(edited);
    }
    char *edited;
    ThawError error = {0};
    assert_int_equal(app_scene_set("{\"r\": 3}", 8, "r", settings, 2, &edited, &error), THAW_ERROR_INPUT);
    assert_string_equal(error.message, "\"r\" is not an object");
    assert_int_equal(app_scene_set("[]", 2, "r", settings, 2, &edited, &error), THAW_ERROR_INPUT);
    // Whatever a text is cut to, nothing is read beyond its end.
    const char *whole = cases[5].before;
    for (size_t length = 0; length < strlen(whole); length++) {
        char *copy = malloc(length + 1);
        memcpy(copy, whole, length);
        if (app_scene_set(copy, length, "r", settings, 2, &edited, &error) == THAW_OK)
            thaw_free(edited);
        free(copy);
    }
}

static void a_sheet_says_how_far_it_is_stretched_and_folded(void **state) {
    (void)state;
    write_text(at("card.json"),
               "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 60}, \"materials\": {\"m\": {\"density\": 300, "
               "\"young\": 1e5, \"strain_limits\": [0.9, 1.05]}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": "
               "{\"grid\": {\"width\": 0.4, \"height\": 0.1}}, \"size\": 0.05}, \"material\": \"m\", "
               "\"thickness\": 0.001, \"yield_angle\": 0.1}}, \"bodies\": [{\"shape\": \"s\", \"pins\": "
               "[\"x-min\"]}]}");
    expect("run @card.json --out @card --quiet", 0, "");
    expect("explain @card --element 2", 0, "It is stretched to 1.0");
    assert_non_null(strstr(said, "Its edges have been folded for good, by 0."));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_explains_its_elements),
        cmocka_unit_test(a_body_that_woke_rigid_and_sleeps_again_says_since_when),
        cmocka_unit_test(a_rigid_body_says_why_it_is_awake),
        cmocka_unit_test(the_same_as_json),
        cmocka_unit_test(explain_refuses_what_is_not_there),
        cmocka_unit_test(a_sheet_says_how_far_it_is_stretched_and_folded),
        cmocka_unit_test(a_full_run_says_that_nothing_can_be_rigid),
        cmocka_unit_test(pictures_are_coloured_by_any_field),
        cmocka_unit_test(a_histogram_follows_the_run),
        cmocka_unit_test(tune_writes_thresholds_that_keep_the_budget),
        cmocka_unit_test(tune_leaves_alone_what_a_body_says_for_itself),
        cmocka_unit_test(tune_says_when_the_budget_is_below_what_chance_does),
        cmocka_unit_test(tune_refuses_what_makes_no_sense),
        cmocka_unit_test(settings_are_put_into_a_scene_and_nothing_else_changes),
    };
    return cmocka_run_group_tests(tests, make_run, drop_folder);
}
