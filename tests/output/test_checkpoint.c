// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/checkpoint.h"
#include "output/output.h"
#include "support/folder.h"

static char path[128], other[128];

static const double f64[5] = {1.5, -0.0, INFINITY, 4.9e-324, 0.1};
static const int64_t i64[3] = {INT64_MIN, 0, INT64_MAX};
static const uint64_t u64[2] = {0, UINT64_MAX};
static const int32_t i32[4] = {INT32_MIN, -1, 0, INT32_MAX};

static int make_paths(void **state) {
    if (make_folder(state))
        return -1;
    snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
    snprintf(other, sizeof other, "%s/other.h5", folder);
    return 0;
}

static void write_example(const char *where) {
    ThawError error = {0};
    ThawCheckpoint *c;
    assert_int_equal(thaw_checkpoint_create(where, &c, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_f64(c, "body/0/x", f64, 5, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_i64(c, "step", i64, 3, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_u64(c, "hash", u64, 2, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_i32(c, "body/0/parts", i32, 4, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_f64(c, "body/1/x", NULL, 0, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_commit(&c, &error), THAW_OK);
    assert_null(c);
}

static void what_was_put_comes_back_with_the_same_bits(void **state) {
    (void)state;
    ThawError error = {0};
    ThawCheckpoint *c;
    write_example(path);
    assert_int_equal(thaw_checkpoint_open(path, &c, &error), THAW_OK);
    double x[5];
    int64_t a[3];
    uint64_t b[2];
    int32_t d[4];
    assert_int_equal(thaw_checkpoint_get_f64(c, "body/0/x", x, 5, &error), THAW_OK);
    assert_memory_equal(x, f64, sizeof f64);
    assert_int_equal(thaw_checkpoint_get_i64(c, "step", a, 3, &error), THAW_OK);
    assert_memory_equal(a, i64, sizeof i64);
    assert_int_equal(thaw_checkpoint_get_u64(c, "hash", b, 2, &error), THAW_OK);
    assert_memory_equal(b, u64, sizeof u64);
    assert_int_equal(thaw_checkpoint_get_i32(c, "body/0/parts", d, 4, &error), THAW_OK);
    assert_memory_equal(d, i32, sizeof i32);
    assert_int_equal(thaw_checkpoint_get_f64(c, "body/1/x", x, 0, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_count(c, "body/0/x"), 5);
    assert_int_equal(thaw_checkpoint_count(c, "body/7/x"), -1);
    thaw_checkpoint_free(&c);
    assert_null(c);
}

static void a_wrong_name_type_or_count_is_refused_with_a_message(void **state) {
    (void)state;
    ThawError error = {0};
    ThawCheckpoint *c;
    double x[6];
    int64_t a[5];
    write_example(path);
    assert_int_equal(thaw_checkpoint_open(path, &c, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_get_f64(c, "nothing", x, 5, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nothing"));
    assert_int_equal(thaw_checkpoint_get_f64(c, "body/0/x", x, 6, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "5 values; 6"));
    assert_int_equal(thaw_checkpoint_get_i64(c, "body/0/x", a, 5, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "int64"));
    assert_int_equal(thaw_checkpoint_get_f64(c, "body/0", x, 5, &error), THAW_ERROR_INPUT);
    thaw_checkpoint_free(&c);
    assert_int_equal(thaw_checkpoint_create(path, &c, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_f64(c, "x", f64, 5, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_f64(c, "x", f64, 5, &error), THAW_OK);
    assert_int_equal(thaw_checkpoint_commit(&c, &error), THAW_ERROR_IO);
    assert_non_null(strstr(error.message, "'x'"));
    assert_null(c);
}

static void equal_states_give_equal_files(void **state) {
    (void)state;
    char *a, *b;
    size_t size_a, size_b;
    write_example(path);
    write_example(other);
    assert_int_equal(thaw_file_read(path, &a, &size_a, NULL), THAW_OK);
    assert_int_equal(thaw_file_read(other, &b, &size_b, NULL), THAW_OK);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(a, b, size_a);
    thaw_free(a);
    thaw_free(b);
}

static void one_that_is_not_committed_leaves_the_old_file_alone(void **state) {
    (void)state;
    ThawCheckpoint *c;
    write_example(path);
    assert_int_equal(thaw_checkpoint_create(path, &c, NULL), THAW_OK);
    assert_int_equal(thaw_checkpoint_put_f64(c, "x", f64, 5, NULL), THAW_OK);
    thaw_checkpoint_free(&c);
    assert_int_equal(thaw_checkpoint_open(path, &c, NULL), THAW_OK);
    assert_int_equal(thaw_checkpoint_count(c, "body/0/x"), 5);
    thaw_checkpoint_free(&c);
}

static void write_bytes(const char *where, const char *bytes, size_t size) {
    FILE *file = fopen(where, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void a_truncated_or_mutated_file_is_refused(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    write_example(path);
    assert_int_equal(thaw_file_read(path, &bytes, &size, NULL), THAW_OK);
    ThawError error;
    ThawCheckpoint *c;
    for (size_t cut = 0; cut < size; cut += 1 + cut / 7) {
        write_bytes(other, bytes, cut);
        assert_int_equal(thaw_checkpoint_open(other, &c, &error), THAW_ERROR_INPUT);
        assert_null(c);
    }
    uint64_t random = 1;
    int refused = 0;
    for (int trial = 0; trial < 300; trial++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t at = (size_t)(random >> 20) % size;
        if (at >= 32 && at < 512) // the unused part of the user block
            continue;
        char kept = bytes[at];
        bytes[at] ^= (char)(1 << (random >> 60 & 7));
        write_bytes(other, bytes, size);
        bytes[at] = kept;
        refused += thaw_checkpoint_open(other, &c, &error) == THAW_ERROR_INPUT;
        assert_null(c);
        assert_true(strlen(error.message) > 20);
    }
    assert_true(refused > 200);
    thaw_free(bytes);
    write_bytes(other, "garbage", 7);
    assert_int_equal(thaw_checkpoint_open(other, &c, &error), THAW_ERROR_INPUT);
}

static void a_missing_file_or_folder_is_an_io_error(void **state) {
    (void)state;
    ThawError error = {0};
    ThawCheckpoint *c;
    assert_int_equal(thaw_checkpoint_open("/nowhere/at/all.h5", &c, &error), THAW_ERROR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.h5"));
    assert_int_equal(thaw_checkpoint_open(folder, &c, &error), THAW_ERROR_IO);
    assert_int_equal(thaw_checkpoint_create("/nowhere/at/all.h5", &c, &error), THAW_ERROR_IO);
    assert_null(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_comes_back_with_the_same_bits),
        cmocka_unit_test(a_wrong_name_type_or_count_is_refused_with_a_message),
        cmocka_unit_test(equal_states_give_equal_files),
        cmocka_unit_test(one_that_is_not_committed_leaves_the_old_file_alone),
        cmocka_unit_test(a_truncated_or_mutated_file_is_refused),
        cmocka_unit_test(a_missing_file_or_folder_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, make_paths, drop_folder);
}
