// SPDX-License-Identifier: Apache-2.0
// `thaw bench`: rows are written as they are done, kept when it goes on, and shown on a page.
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

static int occurrences(const char *text, const char *word) {
    int count = 0;
    for (const char *at_word = text; (at_word = strstr(at_word, word)); at_word++)
        count++;
    return count;
}

static void rows_are_kept_and_a_page_is_written(void **state) {
    (void)state;
    expect("bench rigidify --scenes " THAW_SOURCE_DIR "/scenes --only sweep-2d-1e-5 --steps 30 -o @bench", 0,
           "rigidify.md");
    expect("bench rigidify --scenes " THAW_SOURCE_DIR "/scenes --only sweep-2d-1e-5 --steps 30 -o @bench --resume", 0,
           "kept");
    expect("bench rigidify --scenes " THAW_SOURCE_DIR "/scenes --only sweep-2d-1e-4 --steps 30 -o @bench --resume", 0,
           "...");
    size_t size;
    char *table = slurp(at("bench/rigidify.csv"), &size), *page = slurp(at("bench/rigidify.md"), &size);
    assert_non_null(table);
    assert_non_null(page);
    assert_int_equal(occurrences(table, "sweep-2d-1e-5,done,1\n"), 1);
    assert_int_equal(occurrences(table, "sweep-2d-1e-4,done,1\n"), 1);
    assert_int_equal(occurrences(table, "row,key,value"), 1);
    assert_int_equal(occurrences(table, ",max_error,"), 2);
    assert_non_null(strstr(page, "(figure 5)"));
    assert_non_null(strstr(page, "| 1e-05 | 1e-06 |"));
    free(table);
    free(page);
}

// Rows by another integrator are in files of their own.
static void an_integrator_is_chosen(void **state) {
    (void)state;
    size_t size;
    expect("bench rigidify --scenes " THAW_SOURCE_DIR
           "/scenes --only sweep-2d-1e-5 --steps 30 --integrator tr-bdf2 -o @bench --resume",
           0, "rigidify-tr-bdf2.md");
    char *page = slurp(at("bench/rigidify-tr-bdf2.md"), &size);
    assert_non_null(strstr(page, "integrator tr-bdf2"));
    free(page);
    expect("bench rigidify --integrator euleh", 1, "allowed: semi-implicit");
    expect("bench integrators --integrator euler", 1, "by every integrator");
}

static void integrators_are_compared(void **state) {
    (void)state;
    size_t size;
    expect("bench integrators --only cantilever --steps 1 -o @motion", 0, "integrators.md");
    expect("bench integrators --only c --steps 1 -o @motion --resume", 0, "cantilever: kept");
    char *table = slurp(at("motion/integrators.csv"), &size), *page = slurp(at("motion/integrators.md"), &size),
         *picture = slurp(at("motion/integrators.png"), &size);
    assert_true(picture && size > 1000 && memcmp(picture, "\x89PNG", 4) == 0);
    assert_int_equal(occurrences(table, "cantilever,done,1\n"), 1);
    assert_int_equal(occurrences(table, "collision,done,1\n"), 1);
    assert_int_equal(occurrences(table, "_error,"), 2 * 6 * 7);
    assert_non_null(strstr(page, "| tr-bdf2-newton |"));
    assert_non_null(strstr(page, "Two soft blocks"));
    free(table);
    free(page);
    free(picture);
}

// Three rows a scene, with the paper's factor, and floors with the first of them.
static void scenes_of_shells_are_rows(void **state) {
    (void)state;
    size_t size;
    expect("bench shells --scenes " THAW_SOURCE_DIR "/scenes --only hat --steps 5 -o @shells", 0, "shells.md");
    char *table = slurp(at("shells/shells.csv"), &size), *page = slurp(at("shells/shells.md"), &size);
    assert_int_equal(occurrences(table, ",done,1\n"), 3);
    assert_int_equal(occurrences(table, ",paper,1.42\n"), 3);
    assert_non_null(strstr(table, "hat,step_floor,"));
    assert_non_null(strstr(page, "\n| hat-published | 2754 | 5 |"));
    free(table);
    free(page);
}

static void what_cannot_run_says_why(void **state) {
    (void)state;
    expect("bench", 0, "rigidify:");
    expect("bench", 0, "shells:");
    expect("bench rigidly", 1, "did you mean rigidify?");
    expect("bench rigidify --scenes @nowhere --only octopus -o @other", 2, "octopus.json");
    expect("bench rigidify --steps 0", 1, "--steps");
    expect("bench rigidify --only validation -o @beam", 0, "left out; --validation names the folder");
    expect("bench rigidify --only validation --validation @nowhere -o @beam", 2, "beam913.mesh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_kept_and_a_page_is_written),
        cmocka_unit_test(an_integrator_is_chosen),
        cmocka_unit_test(integrators_are_compared),
        cmocka_unit_test(scenes_of_shells_are_rows),
        cmocka_unit_test(what_cannot_run_says_why),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
