// SPDX-License-Identifier: Apache-2.0
// Runs as streams: replayed by a server, exported into a page, compared in a page; all of it read back. The page itself
// is a stand-in, so that this runs in builds without one.
static const char program[] = THAW_PROGRAM;
#include "view/client.h"

#include <sys/stat.h>

#include "export.h"
#include "view/decode.h"
#include "view_page.h"
#include "view_recorded.h"
#include "view_report.h"

extern const char app_page[];
extern const size_t app_page_size;
const char app_page[] = "<!doctype html><body><!--thaw-data--></body>";
const size_t app_page_size = sizeof app_page - 1;

static int set_up(void **state) {
    if (make_folder(state))
        return -1;
    write_scene(at("bar.json"), "1e5");
    write_text(at("page.html"), "<!doctype html>");
    return thaw("run @bar.json --out @run --quiet --method rigidify");
}

// The text of an element of the page, which the caller frees.
static char *element_of(const char *path, const char *id) {
    size_t size;
    char *page = slurp(path, &size), start[100];
    assert_non_null(page);
    snprintf(start, sizeof start, " id=\"%s\">", id);
    char *from = strstr(page, start);
    assert_non_null(from);
    from += strlen(start);
    char *end = strstr(from, "</script>");
    assert_non_null(end);
    char *text = strndup(from, (size_t)(end - from));
    free(page);
    return text;
}

static json_t *header_of(const char *path) {
    char *text = element_of(path, "thaw-header");
    json_error_t why;
    assert_null(strchr(text, '<'));
    json_t *header = json_loads(text, 0, &why);
    if (!header)
        fail_msg("the header is no JSON: %s", why.text);
    free(text);
    return header;
}

// All frames of a page behind each other, and where each begins.
static unsigned char *frames_of(const char *path, size_t *size) {
    char *text = element_of(path, "thaw-frames");
    size_t packed;
    unsigned char *bytes = decode_base64(text, strlen(text), &packed);
    unsigned char *all = inflate_all(bytes, packed, size);
    free(bytes);
    free(text);
    return all;
}

static void a_run_is_exported_with_all_its_frames_and_fields(void **state) {
    (void)state;
    ThawReplay *replay = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_replay_open(at("run"), &replay, &error), THAW_OK);
    assert_int_equal(app_export_html(replay, at("run.html"), &error), THAW_OK);
    json_t *header = header_of(at("run.html"));
    const int64_t count = thaw_replay_count(replay);
    assert_int_equal(count, 16);
    assert_int_equal(integer_of(header, "frames"), count);
    assert_int_equal(json_array_size(json_object_get(header, "times")), count);
    assert_true(json_is_false(json_object_get(header, "live")));
    size_t triangles;
    const char *encoded = json_string_value(json_object_get(json_object_get(header, "mesh"), "triangles"));
    free(decode_base64(encoded, strlen(encoded), &triangles));
    const json_t *bar = json_array_get(json_object_get(header, "bodies"), 0);
    assert_string_equal(json_string_value(json_object_get(bar, "name")), "bar");
    assert_int_equal(triangles, 12 * integer_of(bar, "triangles"));
    const json_t *fields = json_object_get(header, "fields");
    assert_true(json_array_size(fields) >= 5);
    // The inside is there: every vertex and the tetrahedra between them.
    size_t tets;
    encoded = json_string_value(json_object_get(json_object_get(header, "mesh"), "tets"));
    assert_true(json_is_true(json_object_get(header, "interior")) && encoded);
    free(decode_base64(encoded, strlen(encoded), &tets));
    assert_int_equal(tets, 16 * integer_of(bar, "elements"));
    // And the numbers of every step.
    const json_t *series = json_object_get(json_array_get(json_object_get(header, "views"), 0), "series");
    assert_int_equal(json_array_size(json_object_get(series, "dofs")), 60);
    assert_int_equal(json_array_size(json_object_get(header, "methods")), 0);
    assert_string_equal(json_string_value(json_object_get(bar, "method")), "rigidify");
    assert_true(json_number_value(json_object_get(header, "h")) > 0);

    size_t size, at_byte = 0;
    unsigned char *all = frames_of(at("run.html"), &size);
    uint32_t *q = calloc(3 * (size_t)integer_of(bar, "vertices"), sizeof *q);
    for (int64_t i = 0; i < count; i++) {
        uint32_t length;
        memcpy(&length, all + at_byte, 4);
        Frame frame = read_frame(all + at_byte + 4, length);
        assert_int_equal(integer_of(frame.header, "frame"), i);
        for (size_t f = 0; f < json_array_size(fields); f++)
            assert_non_null(section_of(&frame, json_string_value(json_object_get(json_array_get(fields, f), "name"))));
        // Against the frame on the disk: the lattice is at most twice the size of what moves.
        ThawFrameData *data = NULL;
        assert_int_equal(thaw_replay_read(replay, i, &data, &error), THAW_OK);
        int vertices;
        double *x = read_section(&frame, "positions", q, &vertices);
        double low = INFINITY, high = -INFINITY, lowest = INFINITY, highest = -INFINITY;
        for (int v = 0; v < vertices; v++) {
            low = fmin(low, x[3 * v + 2]);
            high = fmax(high, x[3 * v + 2]);
        }
        for (int v = 0; v < data->point_count; v++) {
            lowest = fmin(lowest, data->x[3 * v + 2]);
            highest = fmax(highest, data->x[3 * v + 2]);
        }
        assert_true(fabs(low - lowest) < 1e-4 && fabs(high - highest) < 1e-4);
        free(x);
        thaw_frame_data_free(&data);
        json_decref(frame.header);
        at_byte += 4 + (size_t)length;
    }
    assert_int_equal(at_byte, size);
    free(q);
    free(all);
    json_decref(header);
    thaw_replay_free(&replay);
}

static void a_title_cannot_leave_its_element(void **state) {
    (void)state;
    char *text = slurp(at("bar.json"), &(size_t){0}), *title = strstr(text, "test bar");
    assert_non_null(title);
    char scene[4096];
    snprintf(scene, sizeof scene, "%.*s</script><script>alert(1)//%s", (int)(title - text), text, title);
    free(text);
    write_text(at("evil.json"), scene);
    assert_int_equal(thaw("run @evil.json --out @evil --quiet --steps 4"), 0);
    ThawReplay *replay = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_replay_open(at("evil"), &replay, &error), THAW_OK);
    assert_int_equal(app_export_html(replay, at("evil.html"), &error), THAW_OK);
    thaw_replay_free(&replay);
    json_t *header = header_of(at("evil.html"));
    assert_non_null(strstr(json_string_value(json_object_get(header, "title")), "</script>"));
    json_decref(header);
}

static void texts_are_cut_between_characters(void **state) {
    (void)state;
    static const struct {
        const char *text, *copy;
    } cases[] = {{"plain", "plain"},
                 {"abcdef\xC3\xA4", "abcdef"}, // 8 bytes do not fit into 8 with the end
                 {"abcde\xC3\xA4xyz", "abcde\xC3\xA4"},
                 {"abcd\xE2\x82\xAC", "abcd\xE2\x82\xAC"},
                 {"abcd\xF0\x9F\x98\x80", "abcd"},
                 {"\xE4pfel", "?pfel"},
                 {"a\xC0\xAF", "a??"},
                 {"\xED\xA0\x80", "???"},
                 {"ab\xE2\x82", "ab??"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[8];
        view_copy_text(cases[i].text, copy, sizeof copy);
        assert_string_equal(copy, cases[i].copy);
        json_t *json = json_string(copy);
        assert_non_null(json);
        json_decref(json);
    }
}

static void a_comparison_becomes_a_page_of_two_views(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    AppVersus versus = {0};
    ViewReport *report = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_scene_load(at("bar.json"), &scene, &error), THAW_OK);
    const AppVersusDef def = {
        .scene = scene, .method = "rigidify", .against = "full", .steps = 30, .tau = -1, .tolerance = 10};
    assert_int_equal(app_versus_create(&def, &versus, &error), THAW_OK);
    assert_int_equal(view_report_create(&versus, at("bar.json"), &report, &error), THAW_OK);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(app_versus_step(&versus, &error), THAW_OK);
        assert_int_equal(view_report_step(report, &error), THAW_OK);
    }
    app_versus_finish(&versus);
    assert_int_equal(view_report_write(report, at("report.html"), &error), THAW_OK);
    view_report_free(&report);
    app_versus_clear(&versus);
    thaw_scene_free(&scene);

    json_t *header = header_of(at("report.html"));
    const json_t *views = json_object_get(header, "views"), *table = json_object_get(header, "report");
    assert_int_equal(json_array_size(views), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(views, 1), "name")), "rigidify");
    for (size_t v = 0; v < 2; v++) {
        const json_t *series = json_object_get(json_array_get(views, v), "series");
        assert_int_equal(json_array_size(json_object_get(series, "dofs")), 30);
        assert_int_equal(json_array_size(json_object_get(series, "error")), v ? 30 : 0);
    }
    assert_true(json_array_size(json_object_get(table, "rows")) >= 8);
    assert_int_equal(integer_of(header, "frames"), 31);
    size_t size, at_byte = 0;
    unsigned char *all = frames_of(at("report.html"), &size);
    int count = 0;
    for (; at_byte < size; count++) {
        uint32_t length;
        memcpy(&length, all + at_byte, 4);
        Frame frame = read_frame(all + at_byte + 4, length);
        assert_int_equal(integer_of(frame.header, "frame"), count / 2);
        assert_int_equal(integer_of(frame.header, "view"), count % 2);
        json_decref(frame.header);
        at_byte += 4 + (size_t)length;
    }
    assert_int_equal(count, 62);
    free(all);
    json_decref(header);
}

// Steps `first` to `last` of a comparison that is kept; the page has the numbers of all of them.
static void compare_some(const ThawScene *scene, int first, int last) {
    AppVersus versus = {0};
    ViewReport *report = NULL;
    ThawError error = {0};
    int resumed = 0;
    const AppVersusDef def = {.scene = scene,
                              .method = "rigidify",
                              .against = "full",
                              .steps = 30,
                              .tau = -1,
                              .tolerance = 10,
                              .keep = at("kept")};
    assert_int_equal(app_versus_create(&def, &versus, &error), THAW_OK);
    assert_int_equal(view_report_create(&versus, at("bar.json"), &report, &error), THAW_OK);
    assert_int_equal(app_versus_load(&versus, &resumed, &error), THAW_OK);
    assert_int_equal(resumed, first > 0);
    if (resumed)
        assert_int_equal(view_report_load(report, def.keep, &error), THAW_OK);
    for (int i = first; i < last; i++) {
        assert_int_equal(app_versus_step(&versus, &error), THAW_OK);
        assert_int_equal(view_report_step(report, &error), THAW_OK);
        if (i == 19) { // rows of steps that did not get into the sums do not count
            assert_int_equal(app_versus_save(&versus, &error), THAW_OK);
        }
        assert_int_equal(view_report_save(report, def.keep, &error), THAW_OK);
    }
    assert_int_equal(view_report_write(report, at("kept.html"), &error), THAW_OK);
    view_report_free(&report);
    app_versus_clear(&versus);
}

static void a_comparison_that_goes_on_has_the_numbers_of_all_steps(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    assert_int_equal(thaw_scene_load(at("bar.json"), &scene, NULL), THAW_OK);
    compare_some(scene, 0, 23);
    compare_some(scene, 20, 30);
    thaw_scene_free(&scene);
    json_t *header = header_of(at("kept.html"));
    const json_t *views = json_object_get(header, "views");
    const json_t *series = json_object_get(json_array_get(views, 1), "series"), *time = json_object_get(series, "time");
    assert_int_equal(json_array_size(time), 30);
    for (size_t i = 1; i < 30; i++)
        assert_true(json_number_value(json_array_get(time, i)) > json_number_value(json_array_get(time, i - 1)));
    json_decref(header);
}

static void a_folder_with_nothing_but_frames_still_has_names_and_times(void **state) {
    (void)state;
    write_text(
        at("pair.json"),
        "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 20},"
        " \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.3}},"
        " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}},"
        " \"material\": \"m\"}},"
        " \"bodies\": [{\"shape\": \"s\"}, {\"shape\": \"s\", \"position\": [3, 0, 0]}]}");
    assert_int_equal(thaw("run @pair.json --out @bare --every 4 --quiet"), 0);
    assert_int_equal(unlink(at("bare/run.json")), 0);
    assert_int_equal(unlink(at("bare/frames.pvd")), 0);
    ThawReplay *replay = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_replay_open(at("bare"), &replay, &error), THAW_OK);
    ViewRecorded recorded;
    assert_int_equal(view_recorded_open(replay, 0, THAW_STREAM_LIVE, 0, &recorded, &error), THAW_OK);
    assert_int_equal(recorded.first->body_count, 2);
    assert_string_not_equal(recorded.names[0], recorded.names[1]);
    for (int64_t i = 0; i < thaw_replay_count(replay); i++)
        assert_true(fabs(recorded.times[i] - 0.04 * (double)i) < 1e-9);
    view_recorded_clear(&recorded);
    thaw_replay_free(&replay);
}

static void a_table_of_steps_counts_as_far_as_it_makes_sense(void **state) {
    (void)state;
    static const struct {
        const char *table;
        int rows;
    } tables[] = {
        {"step,time,dofs,state_hash\n1,0.1,30,00ff\n2,0.2,20,beef\n", 2},
        {"step,time,dofs,state_hash\n1,0.1,30,00ff\n2,0.2,2", 1},         // torn
        {"step,time,dofs,state_hash\n1,0.1,30,00ff\n1,0.1,30,00ff\n", 1}, // backwards
        {"step,time,dofs,state_hash\n1,0.1,nan,0\n2,,3,0\n", 1},
        {"dofs,step,more\n30,1,x\n20,5,y\n", 2}, // of another version
        {"step,time\n", 0},
        {"nonsense", 0},
        {"", 0},
    };
    assert_int_equal(mkdir(at("table"), 0700), 0);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        write_text(at("table/steps.csv"), tables[i].table);
        ViewSeries series;
        ThawError error = {0};
        char text[300] = "\"elements\": 1";
        assert_int_equal(view_series_read(at("table"), &series, &error), THAW_OK);
        assert_int_equal(series.rows, tables[i].rows);
        json_t *json = view_series_json(&series);
        assert_int_equal(json_array_size(json_object_get(json, "dofs")), tables[i].rows);
        json_decref(json);
        view_series_stats(&series, 1, text, sizeof text);
        assert_true((strstr(text, "\"dofs\": 30") != NULL) == (tables[i].rows > 0 && i != 3));
        view_series_stats(&series, 3, text, sizeof text); // there is none
        view_series_clear(&series);
    }
    assert_int_equal(unlink(at("table/steps.csv")), 0);
    ViewSeries none;
    assert_int_equal(view_series_read(at("table"), &none, NULL), THAW_OK);
    assert_int_equal(none.rows, 0);
}

static void a_page_holds_the_inside_while_it_stays_small(void **state) {
    (void)state;
    assert_true(view_page_holds_inside(200, 4000, 20000));
    assert_false(view_page_holds_inside(400, 15000, 60000));
    assert_false(view_page_holds_inside(INT64_MAX, INT32_MAX, INT32_MAX));
}

static void a_replay_shows_the_frames_that_are_asked_for(void **state) {
    (void)state;
    Server server = start_server("--replay @run --page @page.html");
    if (!available)
        skip();
    const int handle = join(&server);
    char *hello = await(handle, "\"hello\"");
    assert_non_null(hello);
    assert_non_null(strstr(hello, "\"live\":false"));
    assert_non_null(strstr(hello, "\"frames\":16"));
    free(hello);
    size_t size;
    char *frame = await_frame(handle, &size);
    assert_true(number_in(frame, "frame") == 0);
    free(frame);
    say_text(handle, "{\"type\":\"seek\",\"frame\":9}");
    frame = await_frame(handle, &size);
    assert_true(number_in(frame, "frame") == 9);
    assert_true(fabs(number_in(frame, "time") - 0.36) < 1e-6);
    assert_true(number_in(frame, "dofs") > 0 && number_in(frame, "elements") > 0);
    free(frame);
    say_text(handle, "{\"type\":\"field\",\"name\":\"von_mises\"}");
    frame = await_frame(handle, &size);
    assert_non_null(strstr(frame, "von_mises"));
    free(frame);
    say_text(handle, "{\"type\":\"pick\",\"triangle\":0}");
    char *answer = await(handle, "\"type\":\"element\"");
    assert_non_null(answer);
    free(answer);
    static const char *const wrong[] = {"{\"type\":\"seek\",\"frame\":16}", "{\"type\":\"seek\",\"frame\":-1}",
                                        "{\"type\":\"play\"}", "{\"type\":\"field\",\"name\":\"secret\"}",
                                        "{\"type\":\"pick\",\"triangle\":100000}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        say_text(handle, wrong[i]);
        answer = await(handle, "\"error\"");
        assert_non_null(answer);
        free(answer);
    }
    say_text(handle, "{\"type\":\"interior\",\"on\":true}");
    answer = await(handle, "\"interior\":true");
    assert_non_null(answer);
    free(answer);
    close(handle);
    stop_server(&server);
}

static void what_cannot_be_shown_is_refused_with_a_reason(void **state) {
    (void)state;
    if (!available)
        skip();
    expect("view", 1, "a scene");
    expect("view @bar.json --replay @run", 1, "not both");
    expect("view @nowhere.json --no-open", 1, "nowhere.json");
    expect("view --replay @nowhere --no-open", 1, "nowhere");
    expect("view @bar.json --page @page.html --host example.org", 1, "allowed");
    expect("view @bar.json --page @page.html --port 70000", 1, "65535");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_exported_with_all_its_frames_and_fields),
        cmocka_unit_test(a_title_cannot_leave_its_element),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(a_comparison_becomes_a_page_of_two_views),
        cmocka_unit_test(a_comparison_that_goes_on_has_the_numbers_of_all_steps),
        cmocka_unit_test(a_folder_with_nothing_but_frames_still_has_names_and_times),
        cmocka_unit_test(a_table_of_steps_counts_as_far_as_it_makes_sense),
        cmocka_unit_test(a_page_holds_the_inside_while_it_stays_small),
        cmocka_unit_test(a_replay_shows_the_frames_that_are_asked_for),
        cmocka_unit_test(what_cannot_be_shown_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, set_up, drop_folder);
}
