// SPDX-License-Identifier: Apache-2.0
// The toy method (toy.h) in the program: this test, called with a subcommand, is the program with one method more. Its
// page is served, its options are sliders there, and `thaw tune`, `compare`, `check`, `help` and scene files take it.
static char program[4096];
#include "app/program.h"

#include "app.h"
#include "toy.h"
#include "view/client.h"

#define SCENE(options, own)                                                                                            \
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 60}, \"gravity\": [0, 0, -9.81]" options ", \"materials\": "  \
    "{\"m\": {\"density\": 1000, \"young\": 1e7, \"poisson\": 0.3, \"alpha1\": 0.01}}, \"shapes\": {\"box\": "         \
    "{\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4], \"cells\": [2, 2, 2]}}, \"material\": "       \
    "\"m\"}}, \"bodies\": [{\"shape\": \"box\", \"method\": \"toy\", \"position\": [0, 0, 0.05]" own "}, {\"shape\": " \
    "\"box\", \"position\": [0.05, 0.02, 0.55]}], \"obstacles\": [{\"plane\": {}}]}"

static int set_up(void **state) {
    if (make_folder(state))
        return -1;
    write_text(at("page.html"), "<!doctype html><title>a page for tests</title>");
    write_text(at("toy.json"), SCENE(", \"toy\": {\"slow\": 0.02}", ", \"toy\": {\"rest\": 40}"));
    return 0;
}

static void expect_said(const char *line, const char *what) {
    const int status = thaw(line);
    if (status != 0 || !strstr(said, what))
        fail_msg("%s: %d, without '%s':\n%s", line, status, what, said);
}

static void expect_answer(int handle, const char *what) {
    char *answer = await(handle, what);
    assert_non_null(answer);
    free(answer);
}

// What an element is changes with a step, and pages are not told when that was.
static void pick_until(int handle, const char *what) {
    for (int i = 0, found = 0; i < 500 && !found; i++) {
        say_text(handle, "{\"type\":\"pick\",\"triangle\":0}");
        char *answer = await(handle, "body_name");
        assert_non_null(answer);
        found = strstr(answer, what) != NULL;
        free(answer);
        usleep(20000);
        assert_true(found || i < 499);
    }
}

static void the_page_shows_it_and_turns_its_options(void **state) {
    (void)state;
    Server server = start_server("@toy.json --page @page.html");
    if (!available)
        return;
    const int handle = join(&server);
    char *hello = await(handle, "\"hello\"");
    assert_non_null(hello);
    assert_non_null(strstr(hello, "\"toy\""));
    assert_non_null(strstr(hello, "speed of rest")); // a slider
    assert_non_null(strstr(hello, "\"part\""));      // a field
    free(hello);
    size_t size;
    free(await_frame(handle, &size));
    say_text(handle, "{\"type\":\"settings\",\"method\":\"toy\",\"values\":{\"slow\":0.5}}");
    expect_answer(handle, "0.5");
    say_text(handle, "{\"type\":\"settings\",\"method\":\"toy\",\"values\":{\"slow\":7}}");
    expect_answer(handle, "slow: allowed are numbers from 1e-06 to 1");
    say_text(handle, "{\"type\":\"method\",\"name\":\"rigidify\"}");
    expect_answer(handle, "rate to fall asleep");
    say_text(handle, "{\"type\":\"method\",\"name\":\"toy\"}");
    expect_answer(handle, "speed of rest");
    pick_until(handle, "\"part\":0,");
    say_text(handle, "{\"type\":\"drop\",\"shape\":\"box\",\"position\":[2,0,1]}");
    expect_answer(handle, "dropped 1");
    say_text(handle, "{\"type\":\"split\",\"on\":true}");
    expect_answer(handle, "\"split\":true");
    free(await_frame(handle, &size));
    close(handle);
    stop_server(&server);
}

static void commands_take_it_by_name_and_by_its_options(void **state) {
    (void)state;
    expect_said("compare @toy.json --method toy --steps 30 --threads 1", "toy ");
    expect_said("tune @toy.json --error 20% --steps 30 -o @tuned.json", "chosen: slow ");
    size_t size;
    char *tuned = slurp(at("tuned.json"), &size);
    assert_true(tuned && strstr(tuned, "\"slow\""));
    free(tuned);
    expect_said("check @toy.json", "first mode");
    expect_said("run @toy.json --steps 5", "state hash");
}

static void a_scene_is_refused_where_its_options_are_wrong(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"{\"slow\": 0}", "toy.slow"}, {"{\"fast\": 1}", "fast"}, {"{\"rest\": 1}", "rest"}};
    char text[2000];
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, SCENE(", \"toy\": %s", ""), wrong[i][0]);
        write_text(at("wrong.json"), text);
        assert_int_equal(thaw("run @wrong.json --steps 1"), 1);
        assert_non_null(strstr(said, wrong[i][1]));
    }
}

static void it_is_listed_with_its_options(void **state) {
    (void)state;
    expect_said("help methods", "every body is one part");
    expect_said("help toy", "a body that is slower may sleep");
}

static int be_the_program(int argc, char **argv) {
    static const AppCommand *const commands[] = {&app_command_run, &app_command_compare, &app_command_check,
                                                 &app_command_view, &app_command_tune};
    if (strcmp(argv[1], "help") == 0)
        return strcmp(argv[2], "methods") == 0 ? app_help_methods() : app_help_method(argv[2], NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc, argv);
    return 9;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_shows_it_and_turns_its_options),
        cmocka_unit_test(commands_take_it_by_name_and_by_its_options),
        cmocka_unit_test(a_scene_is_refused_where_its_options_are_wrong),
        cmocka_unit_test(it_is_listed_with_its_options),
    };
    if (thaw_method_register(&toy_method) < 0)
        return 1;
    if (argc > 1)
        return be_the_program(argc, argv);
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    return length <= 0 ? 1 : cmocka_run_group_tests(tests, set_up, drop_folder);
}
