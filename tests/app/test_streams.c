// SPDX-License-Identifier: Apache-2.0
// What surrounds the program: closed standard streams, limits, signals, and a terminal that obeys what is printed.
#include <sys/resource.h>

static const char program[] = THAW_PROGRAM;
#include "program.h"

#include "crowd.h"

static void closed_streams_do_not_lead_into_files(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @open", 0, "state hash");
    for (int closed = 1; closed < 8; closed++) { // every choice of the three
        char scene[200], out[200];
        snprintf(scene, sizeof scene, "%s", at("bar.json"));
        snprintf(out, sizeof out, "%s", at("closed"));
        remove_tree(at("closed"));
        const pid_t pid = fork();
        if (pid == 0) {
            for (int k = 0; k < 3; k++)
                if (closed >> k & 1)
                    close(k);
                else
                    dup2(open("/dev/null", O_RDWR), k);
            execl(program, program, "run", scene, "--out", out, (char *)NULL);
            _exit(99);
        }
        assert_int_equal(finish(pid), 0);
        size_t sizes[2];
        char *expected = slurp(at("open/steps.csv"), &sizes[0]), *found = slurp(at("closed/steps.csv"), &sizes[1]);
        assert_non_null(found);
        int lines[2] = {0, 0}, commas[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            for (const char *c = k ? found : expected; *c; c++) {
                lines[k] += *c == '\n';
                commas[k] += *c == ',';
            }
        assert_int_equal(lines[0], lines[1]);
        assert_int_equal(commas[0], commas[1]);
        assert_null(strstr(found, "steps/s"));
        free(expected);
        free(found);
    }
}

static void a_limit_of_file_sizes_is_an_error_with_a_message(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 6000; // less than a frame, more than what is said
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int status = thaw("run @bar.json --out @limited");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    if (status != 2 || !strstr(said, "File too large"))
        fail_msg("status %d: %s", status, said);
}

// Neither names in scenes nor in messages, nor those of files, reach a terminal as orders.
static void nothing_that_is_printed_steers_a_terminal(void **state) {
    (void)state;
    static const char scene[] =
        "{\"thaw\": 1, \"title\": \"\\u001b[31mred\\u0007 \\u009b2J \\u202Eback \\u007f end\", \"time\": {\"step\": "
        "0.01, "
        "\"steps\": 2}, \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e5}},"
        "\"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}},"
        "\"material\": \"m\"}}, \"bodies\": [{\"name\": \"\\u001b]0;title\\u0007b\", \"shape\": \"s\", \"pins\": "
        "[\"x-min\"]}]%s}";
    static const char *const more[] = {"", ", \"\\u001b[2Jodd\": 1"};
    static const char *const lines[] = {"run @esc.json --out @esc", "run @esc.json --out @esc", "check @esc.json",
                                        "run @no\033[31msuch.json"};
    for (int i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text, scene, more[i == 1]);
        write_text(at("esc.json"), text);
        thaw(lines[i]);
        assert_true(strlen(said) > 10);
        for (const char *c = said; *c; c++)
            if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
                fail_msg("thaw %s prints \\x%02x: %s", lines[i], (unsigned char)*c, said);
        assert_null(strstr(said, "\xc2\x9b"));
        assert_null(strstr(said, "\xe2\x80\xae"));
        if (i != 2) // `check` does not print the title; what is wrong in a scene is shown as JSON has it
            assert_non_null(strstr(said, i == 1 ? "\\u001B[" : "\\x1b["));
    }
    expect("run @esc.json --out @esc", 0, "\\x1b[31mred\\x07 \xef\xbf\xbd"); // letters are shown as they are
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @\xc3\xa4\xe2\x82\xac --steps 1", 0, "\xc3\xa4\xe2\x82\xac");
}

// Ctrl-C, `kill` or a closed terminal during a step that takes minutes.
static void a_long_step_is_given_up(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    write_crowd(at("crowd.json"));
    for (int i = 0; i < 3; i++) {
        remove_tree(at("crowd"));
        const pid_t pid = start("run @crowd.json --out @crowd", at("said"));
        for (int begun = 0; !begun; usleep(10000)) {
            begun = access(at("crowd/steps.csv"), F_OK) == 0; // the last file before the first step
            assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        }
        usleep(300000);
        kill(pid, signals[i]);
        assert_int_equal(finish(pid), 2);
        assert_non_null(strstr(said, "interrupted after step 0 of 100; continue with"));
        assert_int_equal(access(at("crowd/checkpoint.h5"), F_OK), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_streams_do_not_lead_into_files),
        cmocka_unit_test(a_limit_of_file_sizes_is_an_error_with_a_message),
        cmocka_unit_test(nothing_that_is_printed_steers_a_terminal),
        cmocka_unit_test(a_long_step_is_given_up),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
