// SPDX-License-Identifier: Apache-2.0
// Attachments as users meet them: listed by `thaw check`, told of by `thaw run`, in its table and frames, by `thaw
// explain`, in pictures and pages; and refused with file and place.
static const char program[] = THAW_PROGRAM;
#include "program.h"

#include <jansson.h>
#include <math.h>

#include "output/frame_data.h"

static int make_run(void **state) {
    if (make_folder(state))
        return -1;
    write_text(
        at("hung.json"),
        "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 60}, \"output\": {\"every\": 10},\n"
        " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.3, 0.1, 0.1], "
        "\"cells\": [3, 1, 1]}}, \"material\": \"silicone\"}},\n"
        " \"bodies\": [{\"name\": \"one\", \"shape\": \"bar\", \"position\": [0, 0, 1]},\n"
        "   {\"name\": \"two\", \"shape\": \"bar\", \"position\": [0.3, 0, 1]}],\n"
        " \"obstacles\": [{\"name\": \"wall\", \"box\": {\"size\": [0.1, 1, 1]}, \"position\": [-0.05, 0, 1]}],\n"
        " \"attachments\": [{\"name\": \"hook, \\\"big\\\"\", \"body\": \"one\", \"group\": \"x-min\", \"to\": "
        "\"wall\"},\n"
        "   {\"name\": \"tie\", \"body\": \"two\", \"group\": \"x-min\", \"to\": \"one\", \"release\": 0.3},\n"
        "   {\"name\": \"rope\", \"kind\": \"distance\", \"body\": \"two\", \"group\": \"x-max\", \"at\": [0.6, "
        "0.05, 2], \"stiffness\": 500, \"release_force\": 1e6}]}\n");
    expect("run @hung.json --out @run --stats @stats.csv", 0, "");
    return 0;
}

static void a_run_says_when_one_lets_go_and_what_each_bears(void **state) {
    (void)state;
    expect("run @hung.json --out @again", 0, "\n  attachment tie let go at t = 0.3 s (");
    assert_non_null(strstr(said, "\n  attachment tie: let go at t = 0.3 s ("));
    assert_non_null(strstr(said, "\n  attachment rope: "));
    assert_non_null(strstr(said, " N on 4 vertices of two\n"));
    expect("run @hung.json --out @again --quiet", 0, "");
    assert_null(strstr(said, "attachment"));
}

static void the_table_has_a_force_for_each(void **state) {
    (void)state;
    size_t size;
    char *text = slurp(at("stats.csv"), &size);
    assert_non_null(text);
    assert_non_null(strstr(text, ",state_hash,\"force_hook, \"\"big\"\"\",force_tie,force_rope\n"));
    const char *last = text + size - 1;
    while (last > text && last[-1] != '\n')
        last--;
    const char *comma = strrchr(last, ',');
    double rope = atof(comma + 1);
    while (*--comma != ',') {
    }
    assert_true(atof(comma + 1) == 0 && rope > 0.1); // tie has let go
    free(text);
}

static void frames_have_lines_until_it_lets_go(void **state) {
    (void)state;
    const int lines[] = {12, 8};
    for (int i = 0; i < 2; i++) {
        ThawFrameData *frame = NULL;
        ThawError error = {0};
        if (thaw_vtu_read(at(i ? "run/frame_000006.vtu" : "run/frame_000000.vtu"), &frame, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(frame->attachment_count, 3);
        assert_int_equal(frame->line_count, lines[i]);
        const double *tie = frame->attachments + THAW_FRAME_ATTACHMENT, *rope = tie + THAW_FRAME_ATTACHMENT;
        assert_true(tie[0] == 1 && tie[1] == 0 && tie[2] == -1);
        assert_true(frame->attachments[2] == 0 && rope[1] == -1 && rope[2] == -1 && rope[4] == -1);
        assert_true(i ? fabs(tie[4] - 0.3) < 1e-6 && tie[3] > 0 : tie[4] == -1);
        const double *line = frame->lines + 6 * (frame->line_count - 1); // of the rope
        assert_true(fabs(line[3] - 0.6) < 1e-6 && fabs(line[4] - 0.05) < 1e-6 && fabs(line[5] - 2) < 1e-6);
        thaw_frame_data_free(&frame);
    }
}

static void an_element_is_told_what_holds_its_body(void **state) {
    (void)state;
    expect("explain @run --body two --element 3 --step 10", 0, "Attachment tie holds its body to body one, by ");
    assert_non_null(strstr(said, "Attachment rope holds its body to a frame, by "));
    expect("explain @run --body one --element 3", 0, "Attachment hook, \"big\" holds its body to obstacle wall, by ");
    assert_non_null(strstr(said, "Attachment tie held its body to body two, and let go at t = 0.3 s ("));
    expect("explain @run --body two --element 3 --json", 0, "\"released\": 0.29");
}

static void pictures_show_them(void **state) {
    (void)state;
    size_t sizes[2];
    char *pictures[2];
    expect("render @run -o @with.png --frame 0 --size 300x200", 0, "");
    pictures[0] = slurp(at("with.png"), &sizes[0]);
    // The same frame without its lines.
    size_t size;
    char *text = slurp(at("run/frame_000000.vtu"), &size), *count = NULL;
    for (size_t i = 0; i + 20 < size && !count; i++)
        count = memcmp(text + i, "\"attachment_counts\"", 19) == 0 ? text + i : NULL;
    assert_non_null(count);
    memcpy(count, "\"attachment_nothing\"", 18);
    FILE *file = fopen(at("bare.vtu"), "wb");
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    free(text);
    expect("render @bare.vtu -o @without.png --size 300x200", 0, "");
    pictures[1] = slurp(at("without.png"), &sizes[1]);
    assert_true(pictures[0] && pictures[1] &&
                (sizes[0] != sizes[1] || memcmp(pictures[0], pictures[1], sizes[0]) != 0));
    free(pictures[0]);
    free(pictures[1]);
}

static void the_doctor_lists_them(void **state) {
    (void)state;
    expect("check @hung.json", 0, "attachment tie: x-min of two glued to one, 4 vertices, glue of ");
    assert_non_null(strstr(said, "no contact there, lets go at 0.3 s\n"));
    assert_non_null(strstr(said, "attachment rope: x-max of two at a distance from a frame, 4 vertices, 500 N/m, "));
    assert_non_null(strstr(said, "lets go above 1e+06 N\n"));
    expect("check @hung.json --json -", 0, "{");
    json_t *report = json_loads(said, 0, NULL), *list = json_object_get(report, "attachments");
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "to")), "one");
    assert_true(json_is_null(json_object_get(json_array_get(list, 2), "to")));
    json_decref(report);
}

static void what_is_refused_late_names_file_and_place(void **state) {
    (void)state;
    write_text(at("far.json"),
               "{\"thaw\": 1, \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], "
               "\"cells\": [2, 2, 2]}}, \"material\": \"foam\"}},"
               "\"bodies\": [{\"name\": \"one\", \"shape\": \"bar\"}, {\"name\": \"two\", \"shape\": \"bar\", "
               "\"position\": [900, 0, 0]}],"
               "\"attachments\": [{\"body\": \"two\", \"group\": \"x-min\", \"to\": \"one\"}]}\n");
    expect("run @far.json --out @far", 1, "far.json: attachments[0] (attachment-0): a vertex of the region lies ");
    expect("check @far.json", 1, "far.json: attachments[0] (attachment-0): a vertex of the region lies");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_says_when_one_lets_go_and_what_each_bears),
        cmocka_unit_test(the_table_has_a_force_for_each),
        cmocka_unit_test(frames_have_lines_until_it_lets_go),
        cmocka_unit_test(an_element_is_told_what_holds_its_body),
        cmocka_unit_test(pictures_show_them),
        cmocka_unit_test(the_doctor_lists_them),
        cmocka_unit_test(what_is_refused_late_names_file_and_place),
    };
    return cmocka_run_group_tests(tests, make_run, drop_folder);
}
