// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/output.h"
#include "thaw/thaw.h"

static char path[64];

static int make_path(void **state) {
    (void)state;
    strcpy(path, "/tmp/thaw-stats-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int drop_path(void **state) {
    (void)state;
    return unlink(path);
}

static ThawStepStats row(int64_t step) {
    ThawStepStats r = {.step = step, .time = 0.1 * (double)step, .wall_ms = 1, .dofs = 42, .state_hash = 0xabcu};
    r.ledger.kinetic = 1.0 / 3;
    return r;
}

static void write_rows(int64_t keep, int64_t from, int64_t to) {
    ThawTable *stats;
    ThawError error = {0};
    assert_int_equal(thaw_stats_open(path, keep, NULL, &stats, &error), THAW_OK);
    for (int64_t i = from; i <= to; i++) {
        ThawStepStats r = row(i);
        assert_int_equal(thaw_stats_write(stats, NULL, &r, &error), THAW_OK);
    }
    assert_int_equal(thaw_table_close(&stats, &error), THAW_OK);
    assert_null(stats);
}

static char *content(void) {
    static char *text; // GCC 12 takes a returned local pointer for dangling here
    size_t size = 0;
    assert_int_equal(thaw_file_read(path, &text, &size, NULL), THAW_OK);
    return text;
}

static int commas(const char *line) {
    int count = 0;
    for (; *line && *line != '\n'; line++)
        count += *line == ',';
    return count;
}

static void every_row_has_the_columns_of_the_header(void **state) {
    (void)state;
    write_rows(-1, 1, 3);
    char *text = content();
    assert_int_equal(strncmp(text, "step,time,wall_ms,cpu_ms,", 25), 0);
    const char *line = text;
    int lines = 0;
    for (; *line; line = strchr(line, '\n') + 1, lines++)
        assert_int_equal(commas(line), 44);
    assert_int_equal(lines, 4);
    assert_non_null(strstr(text, ",0000000000000abc\n"));
    assert_non_null(strstr(text, ",0.33333333333333331,"));
    thaw_free(text);
}

static void a_resumed_table_equals_one_written_in_one_go(void **state) {
    (void)state;
    write_rows(-1, 1, 20);
    char *whole = content();
    const char *row_14 = strstr(whole, "\n14,");
    assert_non_null(row_14);
    // A run killed in the middle of row 14, whose checkpoint was of step 9.
    assert_int_equal(truncate(path, row_14 - whole + 20), 0);
    write_rows(9, 10, 20);
    char *resumed = content();
    assert_string_equal(whole, resumed);
    thaw_free(whole);
    thaw_free(resumed);
}

static void resuming_without_a_table_begins_one(void **state) {
    (void)state;
    assert_int_equal(truncate(path, 0), 0);
    write_rows(5, 6, 7);
    char *text = content();
    assert_non_null(strstr(text, "\n6,"));
    thaw_free(text);
    assert_int_equal(truncate(path, 10), 0); // killed inside the header
    write_rows(5, 6, 7);
}

static void a_foreign_file_is_not_continued(void **state) {
    (void)state;
    FILE *file = fopen(path, "w");
    fputs("my,precious,data\n1,2,3\n", file);
    fclose(file);
    ThawTable *stats;
    ThawError error = {0};
    assert_int_equal(thaw_stats_open(path, 3, NULL, &stats, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, path));
    char *text = content();
    assert_non_null(strstr(text, "precious"));
    thaw_free(text);
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    ThawTable *stats;
    ThawError error = {0};
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(thaw_stats_open("/dev/full", -1, NULL, &stats, &error), THAW_ERROR_IO);
    assert_null(stats);
    assert_non_null(strstr(error.message, "/dev/full"));
    assert_int_equal(thaw_stats_open("/nowhere/stats.csv", -1, NULL, &stats, &error), THAW_ERROR_IO);
    assert_int_equal(thaw_table_close(NULL, NULL), THAW_OK);
}

static void a_histogram_counts_every_element_and_is_continued(void **state) {
    (void)state;
    ThawWorld *world;
    ThawScene *scene;
    ThawTable *table;
    ThawError error = {0};
    const char *text =
        "{\"thaw\": 1, \"time\": {\"step\": 0.01}, \"materials\": {\"m\": {\"young\": 1e5, \"density\": 100}},"
        "\"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [2, 1, 1]}},"
        "\"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\", \"method\": \"rigidify\", \"pins\": [\"x-min\"]}]}";
    if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK ||
        thaw_world_create(&scene->world, &world, &error) != THAW_OK ||
        thaw_histogram_open(path, -1, &table, &error) != THAW_OK)
        fail_msg("%s", error.message);
    int elements = thaw_world_element_count(world, 0), rows = 0;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(thaw_world_step(world, NULL, &error), THAW_OK);
        assert_int_equal(thaw_histogram_write(table, world, &error), THAW_OK);
    }
    assert_int_equal(thaw_table_close(&table, &error), THAW_OK);
    assert_int_equal(thaw_histogram_open(path, 3, &table, &error), THAW_OK); // the rows of step 4 go
    assert_int_equal(thaw_histogram_write(table, world, &error), THAW_OK);
    assert_int_equal(thaw_table_sync(table, &error), THAW_OK);
    assert_int_equal(thaw_table_close(&table, &error), THAW_OK);
    char *whole = content();
    int columns = commas(whole);
    for (char *line = strchr(whole, '\n') + 1; *line; line = strchr(line, '\n') + 1, rows++) {
        assert_int_equal(commas(line), columns);
        int64_t sum = 0, column = 0, total = 0;
        for (char *at = line; *at != '\n'; at++)
            if (*at == ',' && ++column >= 4)
                sum += strtoll(at + 1, NULL, 10);
            else if (*at == ',' && column == 3)
                total = strtoll(at + 1, NULL, 10);
        assert_int_equal(sum, total);
        assert_int_equal(sum, elements);
    }
    assert_int_equal(rows, 8);
    thaw_free(whole);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

static void the_documentation_names_every_column_and_every_field(void **state) {
    (void)state;
    char *page, name[64];
    size_t size = 0;
    assert_int_equal(thaw_file_read(THAW_SOURCE_DIR "/docs/output.md", &page, &size, NULL), THAW_OK);
    write_rows(-1, 1, 1);
    char *table = content();
    *strchr(table, '\n') = 0;
    for (char *word = strtok(table, ","); word; word = strtok(NULL, ",")) {
        snprintf(name, sizeof name, "`%s`", word);
        if (!strstr(page, name))
            fail_msg("docs/output.md does not tell of the column %s", name);
    }
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        snprintf(name, sizeof name, "\n| `%s` |", thaw_field(i)->name);
        if (!strstr(page, name))
            fail_msg("docs/output.md does not tell of the field %s", thaw_field(i)->name);
    }
    for (int i = 0; i < THAW_REASON_COUNT; i++) {
        snprintf(name, sizeof name, "%d %s", i, thaw_reason_name((ThawReason)i));
        assert_non_null(strstr(page, name));
    }
    thaw_free(table);
    thaw_free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_the_columns_of_the_header),
        cmocka_unit_test(a_resumed_table_equals_one_written_in_one_go),
        cmocka_unit_test(resuming_without_a_table_begins_one),
        cmocka_unit_test(a_foreign_file_is_not_continued),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_histogram_counts_every_element_and_is_continued),
        cmocka_unit_test(the_documentation_names_every_column_and_every_field),
    };
    return cmocka_run_group_tests(tests, make_path, drop_path);
}
