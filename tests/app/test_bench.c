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

static void what_cannot_run_says_why(void **state) {
    (void)state;
    expect("bench", 0, "rigidify:");
    expect("bench rigidly", 1, "did you mean rigidify?");
    expect("bench rigidify --scenes @nowhere --only octopus -o @other", 2, "octopus.json");
    expect("bench rigidify --steps 0", 1, "--steps");
    expect("bench rigidify --only validation -o @beam", 0, "left out; --validation names the folder");
    expect("bench rigidify --only validation --validation @nowhere -o @beam", 2, "beam913.mesh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_kept_and_a_page_is_written),
        cmocka_unit_test(what_cannot_run_says_why),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
