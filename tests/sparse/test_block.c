// SPDX-License-Identifier: Apache-2.0
// Block patterns, and how their rows are cut for parallel work.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sparse/sparse_impl.h"

// 0-1, 0-3, 1-2, 2-3, and 4 alone; unordered, with a doubled neighbour and a self-reference.
static const int32_t OFFSET[] = {0, 2, 5, 7, 9, 10};
static const int32_t NEIGHBOUR[] = {3, 1, 2, 0, 2, 3, 1, 2, 0, 4};

static void rows_are_sorted_lower_and_end_with_the_diagonal(void **state) {
    (void)state;
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(5, 3, OFFSET, NEIGHBOUR, &pattern, NULL), THAW_OK);
    const int32_t row[] = {0, 1, 3, 5, 8, 9}, col[] = {0, 0, 1, 1, 2, 0, 2, 3, 4};
    assert_int_equal(pattern->n, 5);
    assert_int_equal(pattern->bs, 3);
    assert_memory_equal(pattern->row, row, sizeof row);
    assert_memory_equal(pattern->col, col, sizeof col);
    thaw_block_pattern_free(&pattern);
    assert_null(pattern);
    thaw_block_pattern_free(&pattern);
    thaw_block_pattern_free(NULL);
}

static void blocks_are_found_where_they_are(void **state) {
    (void)state;
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(5, 2, OFFSET, NEIGHBOUR, &pattern, NULL), THAW_OK);
    for (int32_t i = 0; i < 5; i++)
        for (int32_t j = 0; j <= i; j++) {
            int32_t at = -1;
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
                at = pattern->col[e] == j ? e : at;
            assert_int_equal(thaw_block_find(pattern, i, j), at);
        }
    thaw_block_pattern_free(&pattern);
}

static void wrong_graphs_are_refused_by_name(void **state) {
    (void)state;
    ThawBlockPattern *pattern = (ThawBlockPattern *)&state;
    ThawError error;
    assert_int_equal(thaw_block_pattern_create(0, 3, OFFSET, NEIGHBOUR, &pattern, &error), THAW_ERROR_INPUT);
    assert_null(pattern);
    assert_non_null(strstr(error.message, "n is 0"));
    assert_int_equal(thaw_block_pattern_create(5, 4, OFFSET, NEIGHBOUR, &pattern, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "bs is 4"));
    assert_int_equal(thaw_block_pattern_create(4, 3, OFFSET, (int32_t[]){3, 1, 2, 0, 2, 3, 1, 2, -7}, &pattern, &error),
                     THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "-7"));
    assert_int_equal(thaw_block_pattern_create(2, 3, (int32_t[]){0, 1, 0}, (int32_t[]){1}, &pattern, &error),
                     THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "offset[2]"));
}

// A band: vertex i is tied to i - 1 and i - reach.
static ThawBlockPattern *make_band(int32_t n, int32_t reach) {
    int32_t *offset = THAW_NEW(int32_t, n + 1), *neighbour = THAW_NEW(int32_t, 4 * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        offset[i + 1] = offset[i];
        const int32_t candidates[] = {i - reach, i - 1, i + 1, i + reach};
        for (int k = 0; k < 4; k++)
            if (candidates[k] >= 0 && candidates[k] < n)
                neighbour[offset[i + 1]++] = candidates[k];
    }
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(n, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    thaw_free(offset);
    thaw_free(neighbour);
    return pattern;
}

static void a_slab_couples_only_to_its_neighbours(void **state) {
    (void)state;
    const int32_t sizes[][2] = {{1, 1},       {900, 30},     {5000, 10},   {5000, 2000},
                                {5000, 4999}, {100000, 300}, {40000, 9000}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ThawBlockPattern *pattern = make_band(sizes[k][0], sizes[k][1]);
        ThawSlabs slabs;
        assert_int_equal(thaw_slabs_build(pattern, &slabs, NULL), THAW_OK);
        assert_true(slabs.count >= 1 && slabs.count <= 32);
        assert_int_equal(slabs.start[0], 0);
        assert_int_equal(slabs.start[slabs.count], pattern->n);
        for (int32_t s = 0; s < slabs.count; s++) {
            assert_true(slabs.start[s] < slabs.start[s + 1]);
            for (int32_t i = slabs.start[s]; i < slabs.start[s + 1]; i++)
                assert_true(pattern->col[pattern->row[i]] >= slabs.start[s > 0 ? s - 1 : 0]);
        }
        thaw_slabs_clear(&slabs);
        thaw_block_pattern_free(&pattern);
    }
}

static void the_wings_of_a_factor_share_no_block(void **state) {
    (void)state;
    const int32_t sizes[][2] = {{1, 1}, {900, 30}, {5000, 10}, {5000, 2000}, {5000, 900}, {5000, 4999}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ThawBlockPattern *pattern = make_band(sizes[k][0], sizes[k][1]);
        ThawIcPlan plan;
        assert_int_equal(thaw_ic_plan_build(pattern, &plan, NULL), THAW_OK);
        int32_t rows = 0, n = pattern->n;
        int32_t *rank = THAW_NEW(int32_t, n), *wing = THAW_NEW(int32_t, n);
        for (int w = 0; w < THAW_WINGS; w++)
            for (int32_t m = 0; m < plan.wing[w].count; m++) {
                int32_t i = plan.wing[w].first + m * plan.wing[w].step;
                rank[i] = ++rows;
                wing[i] = w;
            }
        assert_int_equal(rows, n);
        assert_int_equal(plan.segment[3 * n], pattern->row[n] - n);
        for (int32_t i = 0; i < n; i++)
            for (int part = 0; part < 3; part++)
                for (int32_t e = plan.segment[3 * i + part]; e < plan.segment[3 * i + part + 1]; e++) {
                    int32_t j = plan.col[e];
                    assert_true(rank[j] > 0 && rank[j] < rank[i]);
                    assert_int_equal(wing[j], part == 2 ? wing[i] : part);
                    assert_true(part == 2 || wing[i] == THAW_MIDDLE);
                    assert_true(e == plan.segment[3 * i + part] || rank[plan.col[e - 1]] < rank[j]);
                }
        thaw_free(rank);
        thaw_free(wing);
        thaw_ic_plan_clear(&plan);
        thaw_block_pattern_free(&pattern);
    }
}

static void the_dissection_is_a_permutation(void **state) {
    (void)state;
    const int32_t sizes[][2] = {{1, 1}, {2, 1}, {3, 1}, {900, 30}, {5000, 70}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ThawBlockPattern *pattern = make_band(sizes[k][0], sizes[k][1]);
        int32_t n = pattern->n, *order = THAW_NEW(int32_t, n), *again = THAW_NEW(int32_t, n),
                *seen = THAW_NEW(int32_t, n);
        assert_int_equal(thaw_order_dissect(pattern, order, NULL), THAW_OK);
        assert_int_equal(thaw_order_dissect(pattern, again, NULL), THAW_OK);
        assert_memory_equal(order, again, (size_t)n * sizeof *order);
        for (int32_t i = 0; i < n; i++) {
            assert_in_range(order[i], 0, n - 1);
            assert_int_equal(seen[order[i]]++, 0);
        }
        thaw_free(order);
        thaw_free(again);
        thaw_free(seen);
        thaw_block_pattern_free(&pattern);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_lower_and_end_with_the_diagonal),
        cmocka_unit_test(blocks_are_found_where_they_are),
        cmocka_unit_test(wrong_graphs_are_refused_by_name),
        cmocka_unit_test(a_slab_couples_only_to_its_neighbours),
        cmocka_unit_test(the_wings_of_a_factor_share_no_block),
        cmocka_unit_test(the_dissection_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
