// SPDX-License-Identifier: Apache-2.0
// Shapes that change, in the page: a header with the mesh as it is then comes before the frames of it, live and in a
// replay.
static const char program[] = THAW_PROGRAM;

#include "view/client.h"

// Reads on until a header tells from `least` to `most` elements of the first body; frames are acknowledged on the way.
static void await_elements(int handle, int least, int most) {
    for (int i = 0; i < 20; i++) {
        static const char key[] = "\"elements\":";
        char *hello = await(handle, "\"hello\"");
        assert_non_null(hello);
        const char *found = strstr(hello, key);
        assert_non_null(found);
        const int count = atoi(found + strlen(key));
        free(hello);
        if (count >= least && count <= most)
            return;
    }
    fail_msg("no header with %d to %d elements", least, most);
}

static void a_live_page_gets_the_new_mesh(void **state) {
    (void)state;
    Server server = start_server(THAW_SOURCE_DIR "/tests/scene/small/changed.json --page @page.html");
    if (!available)
        skip();
    const int handle = join(&server);
    await_elements(handle, 240, 240);
    say_text(handle, "{\"type\":\"drag\",\"triangle\":3,\"bary\":[0.2,0.3,0.5],\"to\":[0,0,1]}");
    say_text(handle, "{\"type\":\"speed\",\"value\":100}");
    say_text(handle, "{\"type\":\"play\"}");
    await_elements(handle, 1, 228); // a slab of twelve went at 0.2 s, more comes later
    size_t size;
    char *frame = await_frame(handle, &size);
    assert_non_null(frame);
    free(frame);
    say_text(handle, "{\"type\":\"pick\",\"element\":500}");
    char *answer = await(handle, "\"element\"");
    assert_non_null(answer);
    free(answer);
    close(handle);
    stop_server(&server);
}

static void a_replay_gets_the_mesh_of_the_frame(void **state) {
    (void)state;
    assert_int_equal(
        thaw("run " THAW_SOURCE_DIR "/tests/scene/small/changed.json --steps 30 --every 10 --quiet --out @run"), 0);
    Server server = start_server("--replay @run --page @page.html");
    if (!available)
        skip();
    const int handle = join(&server);
    await_elements(handle, 240, 240);
    say_text(handle, "{\"type\":\"seek\",\"frame\":2}");
    await_elements(handle, 228, 228);
    say_text(handle, "{\"type\":\"seek\",\"frame\":0}");
    await_elements(handle, 240, 240);
    close(handle);
    stop_server(&server);
}

static int set_up(void **state) {
    const int failed = make_folder(state);
    if (!failed)
        write_text(at("page.html"), "<!doctype html><title>a page for tests</title>");
    return failed;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_page_gets_the_new_mesh),
        cmocka_unit_test(a_replay_gets_the_mesh_of_the_frame),
    };
    return cmocka_run_group_tests(tests, set_up, drop_folder);
}
