// SPDX-License-Identifier: Apache-2.0
// No page, and no scene, makes `thaw view` unusable: it ends, pauses and answers in the middle of a step that would
// take minutes, and what pages may drop is bounded. Time-outs are against hangs only.
static const char program[] = THAW_PROGRAM;
#include "app/program.h"

#include "app/crowd.h"
#include "client.h"

static int set_up(void **state) {
    if (make_folder(state))
        return -1;
    write_text(at("page.html"),
               "<!doctype html><title>a page for tests</title>"); // the program may have none of its own
    return 0;
}

// A page that sees the simulation, which is in its first step.
static int join_crowd(Server *server) {
    write_crowd(at("crowd.json"));
    *server = start_server("@crowd.json --page @page.html");
    if (!available)
        return -1;
    const int handle = join(server);
    size_t size;
    free(await_frame(handle, &size)); // of step 0
    usleep(300000);
    return handle;
}

static void a_signal_ends_it_within_a_step(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        Server server;
        int status = 0;
        const int handle = join_crowd(&server);
        if (!available)
            return;
        const double since = seconds();
        kill(server.pid, signals[i]);
        assert_int_equal(waitpid(server.pid, &status, 0), server.pid);
        print_message("ended %.2f s after the signal\n", seconds() - since);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        close(handle);
    }
}

static void a_page_can_pause_within_a_step(void **state) {
    (void)state;
    Server server;
    const int handle = join_crowd(&server);
    if (!available)
        return;
    say_text(handle, "{\"type\":\"pause\"}");
    char *answer = await(handle, "\"playing\":false");
    assert_non_null(answer);
    free(answer);
    // It is there for others, too, and for what comes next.
    say_text(handle, "{\"type\":\"play\"}");
    answer = await(handle, "\"playing\":true");
    assert_non_null(answer);
    free(answer);
    usleep(200000);
    say_text(handle, "{\"type\":\"reset\"}");
    answer = await(handle, "hello");
    assert_non_null(answer);
    free(answer);
    close(handle); // and no page is there any more
    usleep(200000);
    const int other = join(&server);
    size_t size;
    free(await_frame(other, &size));
    close(other);
    stop_server(&server);
}

static void what_pages_drop_is_bounded(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    Server server = start_server("@bar.json --page @page.html");
    if (!available)
        return;
    const int handle = join(&server);
    say_text(handle, "{\"type\":\"pause\"}");
    free(await(handle, "\"playing\":false"));
    int dropped = 0;
    char *answer = NULL;
    for (; dropped < 64 && !answer; dropped++) { // all in one place
        say_text(handle, "{\"type\":\"drop\",\"shape\":\"bar\",\"position\":[0,0,2]}");
        char *either = await(handle, "\"type\":");
        while (either && !strstr(either, "hello") && !strstr(either, "\"error\"")) {
            free(either);
            either = await(handle, "\"type\":");
        }
        assert_non_null(either);
        answer = strstr(either, "\"error\"") ? either : NULL;
        if (!answer)
            free(either);
    }
    assert_non_null(answer);
    print_message("%d bodies, then: %s\n", dropped - 1, answer);
    assert_non_null(strstr(answer, "bodies are in that place already"));
    free(answer);
    say_text(handle, "{\"type\":\"drop\",\"shape\":\"bar\",\"position\":[0,0,4]}"); // elsewhere it goes on
    answer = await(handle, "hello");
    assert_non_null(answer);
    free(answer);
    close(handle);
    stop_server(&server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_ends_it_within_a_step),
        cmocka_unit_test(a_page_can_pause_within_a_step),
        cmocka_unit_test(what_pages_drop_is_bounded),
    };
    return cmocka_run_group_tests(tests, set_up, drop_folder);
}
