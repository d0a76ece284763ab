// SPDX-License-Identifier: Apache-2.0
// Allocations of the whole program, its libraries' included, are made to fail one at a time (failing.c): whatever is
// asked of it, it says that memory ran out and ends with status 2, or it does without and leaves the very bytes that it
// should. It never crashes, and never ends without a word. THAW_ALL_POINTS in the environment: every single one, which
// takes minutes.
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

enum { TRIES = 40 };

static const char scene[] =
    "{\"thaw\": 1, \"title\": \"a bar and a box\", \"time\": {\"step\": 0.01, \"steps\": 6},\n"
    " \"output\": {\"every\": 3, \"formats\": [\"vtu\"], \"checkpoint_every\": 3},\n"
    " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"alpha1\": 0.001}},\n"
    " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.6, 0.1, 0.1], \"cells\": [3, 1, "
    "1]}},\n"
    "  \"material\": \"rubber\", \"groups\": {\"end\": {\"box\": {\"min\": [-1, -1, -1], \"max\": [0.01, 1, 1]}}}}},\n"
    " \"obstacles\": [{\"name\": \"floor\", \"plane\": {\"normal\": [0, 0, 1]}, \"position\": [0, 0, -0.05]}],\n"
    " \"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"pins\": [\"end\"]},\n"
    "  {\"name\": \"free\", \"shape\": \"bar\", \"method\": \"rigidify\", \"position\": [0, 1, 0]}]}\n";

static int thaw_failing(const char *line, long at_allocation) {
    char number[32];
    snprintf(number, sizeof number, "%ld", at_allocation);
    setenv("LD_PRELOAD", THAW_FAILING, 1);
    setenv("THAW_FAIL_AT", number, 1);
    const int status = thaw(line);
    unsetenv("LD_PRELOAD");
    unsetenv("THAW_FAIL_AT");
    return status;
}

static long count_allocations(const char *line) {
    size_t size;
    setenv("THAW_FAIL_COUNT", at("count"), 1);
    assert_int_equal(thaw_failing(line, -1), 0);
    unsetenv("THAW_FAIL_COUNT");
    char *text = slurp(at("count"), &size);
    assert_non_null(text);
    const long count = atol(text);
    free(text);
    assert_true(count > 100);
    return count;
}

// result: the file that must be right whenever the program says that all is well.
static void try_points(const char *line, const char *result) {
    size_t wanted_size, size;
    const long count = count_allocations(line), stride = getenv("THAW_ALL_POINTS") ? 1 : count / TRIES + 1;
    char *wanted = slurp(at(result), &wanted_size);
    int told = 0, well = 0;
    assert_non_null(wanted);
    for (long n = 0; n < count; n += stride) {
        const int status = thaw_failing(line, n);
        if (status != 0 && (status != 2 || !strstr(said, "emory")))
            fail_msg("thaw %s, allocation %ld of %ld: status %d; it said: %s", line, n, count, status, said);
        char *bytes = status == 0 ? slurp(at(result), &size) : NULL;
        if (status == 0 && (!bytes || size != wanted_size || memcmp(bytes, wanted, size) != 0))
            fail_msg("thaw %s, allocation %ld of %ld: status 0, but %s is another", line, n, count, result);
        free(bytes);
        told += status == 2;
        well += status == 0;
    }
    print_message("thaw %s: %ld allocations, %d refused with a message, %d did without\n", line, count, told, well);
    assert_true(told > 0);
    free(wanted);
}

static void a_run_with_checkpoints(void **state) {
    (void)state;
    try_points("run @scene.json --out @run --threads 1 --quiet", "run/checkpoint.h5");
}

static void a_run_that_goes_on(void **state) {
    (void)state;
    assert_int_equal(thaw("run @scene.json --out @part --threads 1 --quiet --steps 3"), 0);
    try_points("run @scene.json --out @part --threads 1 --quiet --resume", "part/checkpoint.h5");
}

static void exports(void **state) {
    (void)state;
    assert_int_equal(thaw("run @scene.json --out @run --threads 1 --quiet"), 0);
    try_points("export @run --vtkhdf @a.vtkhdf --quiet", "a.vtkhdf");
    try_points("export @run --usd @a.usda --quiet", "a.usda");
    try_points("export @run --gltf @a.glb --quiet", "a.glb");
    try_points("export @run --pc2 @a.pc2 --quiet", "a.pc2");
}

static void the_page(void **state) {
    (void)state;
    if (thaw("export @run --html @a.html --quiet") != 0)
        skip(); // built without it
    try_points("export @run --html @a.html --quiet", "a.html");
}

static void a_picture(void **state) {
    (void)state;
    try_points("render @run -o @a.png", "a.png");
}

static void the_doctor(void **state) {
    (void)state;
    try_points("check @scene.json --json @a.json --quiet", "a.json");
}

static int make_scene(void **state) {
    if (make_folder(state))
        return -1;
    write_text(at("scene.json"), scene);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_with_checkpoints),
        cmocka_unit_test(a_run_that_goes_on),
        cmocka_unit_test(exports),
        cmocka_unit_test(the_page),
        cmocka_unit_test(a_picture),
        cmocka_unit_test(the_doctor),
    };
    return cmocka_run_group_tests(tests, make_scene, drop_folder);
}
