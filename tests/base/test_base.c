// SPDX-License-Identifier: Apache-2.0
// Hashing, memory and errors: what every folder relies on without looking.
#include "base/scratch.h"
#include "step/sample.h"

// --- hashing ---------------------------------------------------------------------------------------------------------

static void every_input_bit_changes_about_half_of_the_hash(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 8, 9, 31, 32, 33, 64, 100, 1000};
    unsigned char bytes[1000];
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)sample_below(&seed, 256);
    for (int s = 0; s < COUNT(sizes); s++) {
        uint64_t hash = thaw_hash(0, bytes, sizes[s]);
        double flips = 0;
        for (size_t bit = 0; bit < 8 * sizes[s]; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            int changed = __builtin_popcountll(hash ^ thaw_hash(0, bytes, sizes[s]));
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(changed >= 8);
            flips += changed;
        }
        flips /= (double)(8 * sizes[s]);
        assert_true(flips > 27 && flips < 37);
    }
    // so does every bit of the seed
    for (int bit = 0; bit < 64; bit++)
        assert_true(__builtin_popcountll(thaw_hash(0, bytes, 100) ^ thaw_hash(UINT64_C(1) << bit, bytes, 100)) >= 8);
}

static void lengths_and_orders_are_told_apart(void **state) {
    (void)state;
    const unsigned char zeros[300] = {0};
    uint64_t hashes[300];
    for (size_t n = 0; n < 300; n++) {
        hashes[n] = thaw_hash(0, zeros, n);
        for (size_t k = 0; k < n; k++)
            assert_true(hashes[n] != hashes[k]);
    }
    double a[2] = {1, 2}, b[2] = {2, 1}, zero = 0.0, minus = -0.0;
    assert_true(thaw_hash(0, a, sizeof a) != thaw_hash(0, b, sizeof b));
    assert_true(thaw_hash(0, &zero, 8) != thaw_hash(0, &minus, 8)); // bits, not values
    assert_true(thaw_hash(thaw_hash(0, a, 8), b, 8) != thaw_hash(thaw_hash(0, b, 8), a, 8));
    assert_true(thaw_hash(7, NULL, 0) == thaw_hash(7, zeros, 0));
}

static void where_the_bytes_lie_does_not_matter(void **state) {
    (void)state;
    unsigned char text[80], moved[96];
    for (int i = 0; i < 80; i++)
        text[i] = (unsigned char)(i * 37);
    for (size_t shift = 0; shift < 16; shift++)
        for (size_t n = 0; n <= 80; n++) {
            memset(moved, 0xff, sizeof moved); // what follows must not be read
            memcpy(moved + shift, text, n);
            assert_true(thaw_hash(5, moved + shift, n) == thaw_hash(5, text, n));
        }
}

static void the_hash_is_the_same_everywhere(void **state) {
    (void)state;
    // Stored state hashes depend on these; they may change only together with the format of checkpoints.
    unsigned char bytes[45];
    for (int i = 0; i < 45; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(thaw_hash(0, bytes, 45), UINT64_C(0xD23969BD97F7A693));
    assert_int_equal(thaw_hash(1, "", 0), UINT64_C(0x0619B23288FC97FD));
}

// --- memory ----------------------------------------------------------------------------------------------------------

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    for (size_t count = 0; count < 200; count += 7) {
        unsigned char *p = thaw_alloc(count, 3);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < 3 * count; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, 3 * count);
        thaw_free(p);
    }
    thaw_free(NULL);
}

static void sizes_that_overflow_give_nothing(void **state) {
    (void)state;
    assert_null(thaw_alloc(SIZE_MAX, 2));
    assert_null(thaw_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(thaw_alloc(SIZE_MAX, 1));
    assert_null(thaw_alloc(SIZE_MAX - 63, 1));
    int32_t *old = THAW_NEW(int32_t, 4);
    old[3] = 9;
    assert_null(thaw_regrow(old, 4, SIZE_MAX, sizeof *old));
    assert_int_equal(old[3], 9); // left alone
    int32_t *larger = thaw_regrow(old, 4, 100, sizeof *larger);
    assert_int_equal(larger[3], 9);
    assert_int_equal(larger[4], 0);
    int32_t *fresh = thaw_regrow(NULL, 0, 5, sizeof *fresh);
    assert_non_null(fresh);
    thaw_free(fresh);
    thaw_free(larger);
    char *copy = thaw_strdup("thaw");
    assert_string_equal(copy, "thaw");
    thaw_free(copy);
}

// --- errors ----------------------------------------------------------------------------------------------------------

static void errors_carry_status_and_message(void **state) {
    (void)state;
    ThawError error = {0};
    assert_int_equal(thaw_error_set(&error, THAW_ERROR_INPUT, "h is %g", -1.5), THAW_ERROR_INPUT);
    assert_int_equal(error.status, THAW_ERROR_INPUT);
    assert_string_equal(error.message, "h is -1.5");
    assert_int_equal(thaw_error_set(NULL, THAW_ERROR_IO, "nobody listens"), THAW_ERROR_IO);
    assert_int_equal(thaw_error_memory(&error, "a mesh"), THAW_ERROR_MEMORY);
    assert_non_null(strstr(error.message, "a mesh"));
    char *text = THAW_NEW(char, 5000);
    memset(text, 'x', 4999);
    thaw_error_set(&error, THAW_ERROR_INPUT, "%s", text); // cut, not overrun
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    thaw_free(text);
}

static void every_status_has_a_name(void **state) {
    (void)state;
    for (int a = THAW_ERROR_UNSUPPORTED; a <= THAW_DIVERGED; a++)
        for (int b = THAW_ERROR_UNSUPPORTED; b < a; b++)
            assert_string_not_equal(thaw_status_name((ThawStatus)a), thaw_status_name((ThawStatus)b));
    assert_string_equal(thaw_status_name((ThawStatus)99), "unknown status");
    assert_string_equal(thaw_status_name(THAW_OK), "ok");
}

static void clocks_do_not_run_backwards(void **state) {
    (void)state;
    double wall = thaw_wall_ms(), cpu = thaw_cpu_ms();
    assert_true(thaw_wall_ms() >= wall && thaw_cpu_ms() >= cpu && cpu > 0);
}

static void scratch_is_zeroed_and_allocated_once(void **state) {
    (void)state;
    ThawScratch scratch = {0};
    const char *block = NULL;
    for (int turn = 0; turn < 3; turn++) {
        double *a = NULL;
        unsigned char *b = NULL;
        int32_t *none = NULL;
        const ThawRoom rooms[] = {THAW_ROOM(a, 9 + turn), THAW_ROOM(b, 70), THAW_ROOM(none, 0)};
        assert_true(thaw_scratch_reserve(&scratch, rooms, COUNT(rooms)));
        assert_true(turn == 0 || scratch.block == block); // half as much again is there
        assert_true((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0 && none != NULL);
        assert_true((char *)b >= (char *)(a + 9 + turn) && (char *)none >= (char *)(b + 70));
        for (int i = 0; i < 9 + turn; i++)
            assert_true(a[i] == 0);
        for (int i = 0; i < 70; i++)
            assert_int_equal(b[i], 0);
        memset(a, 0xff, sizeof *a * (size_t)(9 + turn));
        memset(b, 0xff, 70);
        block = scratch.block;
    }
    double *more = NULL;
    const ThawRoom large = THAW_ROOM(more, 1000),
                   huge[] = {THAW_ROOM(more, SIZE_MAX / 8), THAW_ROOM(more, SIZE_MAX / 8)};
    assert_false(thaw_scratch_reserve(&scratch, huge, 1));
    assert_false(thaw_scratch_reserve(&scratch, huge, 2));
    assert_null(more);
    assert_true(scratch.block == block);
    assert_true(thaw_scratch_reserve(&scratch, &large, 1));
    assert_true(more[999] == 0);
    thaw_scratch_free(&scratch);
    thaw_scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_input_bit_changes_about_half_of_the_hash),
        cmocka_unit_test(lengths_and_orders_are_told_apart),
        cmocka_unit_test(where_the_bytes_lie_does_not_matter),
        cmocka_unit_test(the_hash_is_the_same_everywhere),
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(sizes_that_overflow_give_nothing),
        cmocka_unit_test(scratch_is_zeroed_and_allocated_once),
        cmocka_unit_test(errors_carry_status_and_message),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(clocks_do_not_run_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
