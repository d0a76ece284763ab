// SPDX-License-Identifier: Apache-2.0
// `thaw check` as its users meet it: what it prints, what it writes for programs, and its exit status.
static const char program[] = THAW_PROGRAM;

#include <jansson.h>

#include <math.h>

#include "app/program.h"

static json_t *load_json(const char *path) {
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return document;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

static void a_healthy_scene_is_told_so(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5"); // whose run is short
    expect("check @bar.json", 0, "scene of 1 body");
    assert_non_null(strstr(said, "bar: 81 vertices, 192 elements, 0.6 x 0.1 x 0.1 m"));
    assert_non_null(strstr(said, "0 errors, 0 warnings, 1 hint\n"));
    expect("check " THAW_SOURCE_DIR "/scenes/beam.json", 0, "nothing to complain about");
    expect("check @bar.json --quiet", 0, "");
    assert_string_equal(said, "");
}

static void warnings_are_told_with_a_cure_and_do_not_fail(void **state) {
    (void)state;
    write_scene(at("soft.json"), "5");
    expect("check @soft.json", 0, "warning: material rubber [odd-young]");
    assert_non_null(strstr(said, "cure: if it was meant in MPa write 5e6"));
    assert_non_null(strstr(said, "0 errors, 2 warnings"));
}

static void errors_fail_and_name_file_and_place(void **state) {
    (void)state;
    write_scene(at("bad.json"), "-1");
    expect("check @bad.json", 1, "error: bad.json [refused]");
    assert_non_null(strstr(said, "materials.rubber.young"));
    expect("check @bad.json --quiet", 1, "");
    assert_string_equal(said, "");
    // All of them at once, but nothing that only follows from another.
    write_text(
        at("many.json"),
        "{\"thaw\": 1, \"gravity\": 3, \"time\": {\"step\": 0}, \"output\": {\"every\": \"x\"}, \"solver\": {\"name\": "
        "\"magic\"},"
        " \"materials\": {\"a\": {\"young\": -1}, \"b\": {\"poison\": 0.3}, \"c\": {}},"
        " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [0, 1, 1]}}, "
        "\"material\": \"a\"},"
        " \"t\": {\"mesh\": {\"file\": \"nowhere.msh\"}, \"material\": \"d\"}}, \"bodies\": [{\"shape\": \"u\"}]}");
    expect("check @many.json", 1, "8 errors, 0 warnings, 0 hints");
    static const char *const places[] = {
        "gravity:",           "time.step:",  "output.every:",           "solver.name:",
        "materials.a.young:", "materials.b", "shapes.s.mesh.box.cells", "shapes.t.material:"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strstr(said, places[i]))
            fail_msg("nothing about %s in\n%s", places[i], said);
    assert_null(strstr(said, "bodies"));
    expect("run @many.json", 1, "gravity:");
    expect("check @missing.msh", 1, "missing.msh");
    write_text(at("bad.msh"), "this is no mesh\n");
    expect("check @bad.msh", 1, "bad.msh [refused]");
}

static void what_frames_take_is_told_in_plain_figures(void **state) {
    (void)state;
    write_text(at("long.json"),
               "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 4000}, \"output\": {\"every\": 1},\n"
               " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4}},\n"
               " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.6, 0.1, 0.1], \"cells\": "
               "[24, 4, 4]}}, \"material\": \"rubber\"}},\n"
               " \"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"pins\": [\"x-min\"]}]}\n");
    expect("check @long.json", 0, "frames of a run: about ");
    const char *at_size = strstr(said, "frames of a run: about ") + 23;
    char unit[4] = "";
    double size = 0;
    assert_int_equal(sscanf(at_size, "%lf %3s", &size, unit), 2);
    assert_true(size >= 100 && size < 1000 && strcspn(at_size, "e+") > strcspn(at_size, "M"));
    assert_string_equal(unit, "MB");
}

static void programs_get_everything_as_json(void **state) {
    (void)state;
    write_scene(at("soft.json"), "5");
    expect("check @soft.json --json @report.json --quiet", 0, "");
    json_t *report = load_json(at("report.json")), *finding;
    assert_string_equal(text_of(report, "kind"), "scene");
    assert_int_equal(json_integer_value(json_object_get(report, "errors")), 0);
    assert_int_equal(json_integer_value(json_object_get(report, "warnings")), 2);
    json_t *body = json_array_get(json_object_get(report, "bodies"), 0);
    assert_string_equal(text_of(body, "name"), "bar");
    assert_int_equal(json_integer_value(json_object_get(body, "elements")), 192);
    size_t i, young = 0;
    json_array_foreach(json_object_get(report, "findings"), i, finding) {
        static const char *const keys[] = {"severity", "id", "where", "what", "cure", "unit", "ids_of"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            text_of(finding, keys[k]);
        assert_true(json_is_array(json_object_get(finding, "ids")));
        assert_true(json_is_integer(json_object_get(finding, "count")));
        if (strcmp(text_of(finding, "id"), "odd-young") == 0) {
            young++;
            assert_true(json_number_value(json_object_get(finding, "value")) == 5);
            assert_string_equal(text_of(finding, "unit"), "Pa");
        }
    }
    assert_int_equal(young, 1);
    json_decref(report);
    write_scene(at("bad.json"), "-1");
    expect("check @bad.json --json @report.json", 1, "refused");
    report = load_json(at("report.json"));
    assert_int_equal(json_integer_value(json_object_get(report, "errors")), 1);
    json_decref(report);
    expect("check @bad.json --json -", 1, "\"refused\"");
    assert_true(said[0] == '{');
}

static void bytes_that_are_no_text_do_not_stop_the_json(void **state) {
    (void)state;
    write_text(at("\xFF\xC0.msh"), "nothing\n");
    expect("check @\xFF\xC0.msh --json @report.json", 1, "refused");
    json_decref(load_json(at("report.json")));
}

static void wrong_command_lines_are_refused(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("check", 1, "name a scene");
    expect("check @bar.json other.msh", 1, "other.msh");
    expect("check @bar.json --jsn x", 1, "did you mean --json?");
    expect("check @bar.json --json", 1, "--json needs a value");
    expect("check @bar.json --json @no/such/folder.json", 2, "cannot write");
    expect("help check", 0, "--json FILE");
    expect("chek", 1, "did you mean check?");
}

static void surfaces_are_checked_for_holes(void **state) {
    (void)state;
    static const char points[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    char text[200];
    snprintf(text, sizeof text, "%sf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", points);
    write_text(at("closed.obj"), text);
    expect("check @closed.obj", 0, "nothing to complain about");
    snprintf(text, sizeof text, "%sf 1 3 2\nf 1 2 4\nf 2 3 4\n", points);
    write_text(at("open.obj"), text);
    expect("check @open.obj", 0, "[hole]");
    assert_non_null(strstr(said, "y of the file is taken for up"));
    assert_non_null(strstr(said, "the surface is open: 3 edges belong to one triangle only"));
    assert_non_null(strstr(said, "near (0, 0.5, 0) in the file's unit"));
    assert_non_null(strstr(said, "thaw new "));
    assert_non_null(strstr(said, "open.obj -o open.msh"));
    write_text(at("sheet.obj"), "v 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3\n");
    expect("check @sheet.obj", 0, "warning: sheet.obj [sheet]");
    assert_non_null(strstr(said, "encloses no volume"));
    assert_non_null(
        strstr(said, "3 vertices, 1 triangle, 0.1 x 0.1 x 0 m if it is in millimetres, as its size suggests"));
    assert_non_null(strstr(said, "the unit is a guess: `thaw new --unit mm`"));
    // Triangles that share no vertices, as many programs write them, are no holes.
    write_text(at("apart.obj"), "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                "v 0 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n");
    expect("check @apart.obj", 0, "0 errors, 0 warnings, 1 hint");
    snprintf(text, sizeof text, "%sf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n", points);
    write_text(at("inverted.obj"), text);
    expect("check @inverted.obj", 0, "[inside-out]");
    snprintf(text, sizeof text, "%sf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", points);
    write_text(at("turned.obj"), text);
    expect("check @turned.obj", 0, "[turned-triangle]");
    assert_non_null(strstr(said, "1 triangle looks the other way than its neighbours"));
}

// What it says a run will write, against what it writes: with contact and an adaptive method, and without both.
static void the_size_of_frames_is_told(void **state) {
    (void)state;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        char text[1200], line[40];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 4}, \"output\": {\"every\": 1},\n"
                 " \"materials\": {\"m\": {\"young\": 1e5}}, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, "
                 "0], \"max\": [0.6, 0.3, 0.3], \"cells\": [12, 6, 6]}}, \"material\": \"m\"}},\n"
                 " \"bodies\": [{\"shape\": \"s\"%s}]%s}\n",
                 adaptive ? ", \"method\": \"rigidify\"" : "",
                 adaptive ? ", \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}}]" : "");
        write_text(at("size.json"), text);
        expect("check @size.json --json @size.out --quiet", 0, "");
        size_t size = 0;
        char *json = slurp(at("size.out"), &size);
        const double told = strtod(strstr(json, "frame_bytes") + 14, NULL);
        free(json);
        expect("run @size.json --out @size --quiet", 0, "");
        double written = 0;
        for (int i = 0; i <= 4; i++) {
            snprintf(line, sizeof line, "size/frame_%06d.vtu", i);
            struct stat info;
            assert_int_equal(stat(at(line), &info), 0);
            written += (double)info.st_size;
        }
        if (!(fabs(told / written - 1) < 0.03))
            fail_msg("%g bytes were told, and %g written", told, written);
    }
}

// The same as `thaw new` would find.
static void pieces_and_cuts_of_surfaces_are_found(void **state) {
    (void)state;
    static const char tetra[] = "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -4 -1 -2\n";
    char text[400];
    snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n%sv 3 0 0\nv 4 0 0\nv 3 1 0\nv 3 0 1\n%s", tetra,
             tetra);
    write_text(at("two.obj"), text);
    expect("check @two.obj", 0, "warning: two.obj [loose-pieces]");
    assert_non_null(strstr(said, "the surface holds 2 separate pieces. A body does not collide with itself"));
    assert_non_null(strstr(said, "--split"));
    assert_non_null(strstr(said, "small things are often drawn in millimetres"));
    snprintf(text, sizeof text,
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n%sv 0.2 0.1 0.15\nv 4 0.1 0.12\nv 0.3 1 0.1\nv 0.3 0.2 1\n%s", tetra,
             tetra);
    write_text(at("cut.obj"), text);
    expect("check @cut.obj", 0, "warning: cut.obj [crossing]");
    assert_null(strstr(said, "loose-pieces"));
}

static void names_in_a_mesh_are_listed(void **state) {
    (void)state;
    expect("check " THAW_SOURCE_DIR "/tests/scene/small/hub.msh --json @report.json", 0, "  regions: ");
    assert_non_null(strstr(said, "hub"));
    assert_non_null(strstr(said, "  groups: "));
    json_t *report = load_json(at("report.json"));
    assert_non_null(strstr(text_of(report, "regions"), "hub"));
    json_decref(report);
}

// How long contact takes is not known before: it is not promised.
static void the_time_of_a_run_is_no_promise_where_things_touch(void **state) {
    (void)state;
    expect("check " THAW_SOURCE_DIR "/scenes/stack.json", 0,
           " of one core without contact, and several times that where much touches, less at rest");
    expect("check " THAW_SOURCE_DIR "/scenes/beam.json --json @report.json", 0, " of one core, less at rest");
    json_t *report = load_json(at("report.json"));
    assert_true(json_is_false(json_object_get(report, "run_touches")));
    json_decref(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_scene_is_told_so),
        cmocka_unit_test(warnings_are_told_with_a_cure_and_do_not_fail),
        cmocka_unit_test(errors_fail_and_name_file_and_place),
        cmocka_unit_test(what_frames_take_is_told_in_plain_figures),
        cmocka_unit_test(programs_get_everything_as_json),
        cmocka_unit_test(bytes_that_are_no_text_do_not_stop_the_json),
        cmocka_unit_test(wrong_command_lines_are_refused),
        cmocka_unit_test(surfaces_are_checked_for_holes),
        cmocka_unit_test(the_size_of_frames_is_told),
        cmocka_unit_test(pieces_and_cuts_of_surfaces_are_found),
        cmocka_unit_test(names_in_a_mesh_are_listed),
        cmocka_unit_test(the_time_of_a_run_is_no_promise_where_things_touch),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
