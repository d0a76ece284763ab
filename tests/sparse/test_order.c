// SPDX-License-Identifier: Apache-2.0
// Nested dissection: a permutation for every graph there is, a good one for meshes, the same on every machine, and none of
// the C library's random numbers' business.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sparse/dissect.h"
#include "sparse/ldl.h"

typedef struct Edges {
    int32_t n, count;
    int32_t (*end)[2];
} Edges;

static Edges edges_new(int32_t n, int32_t room) {
    Edges e = {.n = n, .end = malloc(sizeof *e.end * (size_t)(room + 1))};
    assert_non_null(e.end);
    return e;
}

static void edge_add(Edges *e, int32_t i, int32_t j) {
    e->end[e->count][0] = i;
    e->end[e->count++][1] = j;
}

static ThawBlockPattern *pattern_of(Edges *e) {
    int32_t *offset = calloc((size_t)e->n + 2, sizeof *offset),
            *other = malloc(sizeof *other * 2 * (size_t)(e->count + 1));
    ThawBlockPattern *pattern = NULL;
    for (int32_t k = 0; k < 2 * e->count; k++)
        offset[e->end[k / 2][k % 2] + 2]++;
    for (int32_t i = 0; i < e->n; i++)
        offset[i + 2] += offset[i + 1];
    for (int32_t k = 0; k < 2 * e->count; k++)
        other[offset[e->end[k / 2][k % 2] + 1]++] = e->end[k / 2][1 - k % 2];
    assert_int_equal(thaw_block_pattern_create(e->n, 3, offset, other, &pattern, NULL), THAW_OK);
    free(offset);
    free(other);
    free(e->end);
    return pattern;
}

// The graph of a box of cubes, each cut into six tetrahedra.
static ThawBlockPattern *box(int32_t a, int32_t b, int32_t c) {
    Edges e = edges_new(a * b * c, 7 * a * b * c);
    for (int32_t i = 0; i < e.n; i++)
        for (int s = 1; s < 8; s++) {
            int32_t x = i % a + (s & 1), y = i / a % b + (s >> 1 & 1), z = i / a / b + (s >> 2);
            if (x < a && y < b && z < c)
                edge_add(&e, i, x + a * (y + b * z));
        }
    return pattern_of(&e);
}

static int32_t *dissected(const ThawBlockPattern *pattern) {
    int32_t n = pattern->n, *order = malloc(sizeof *order * (size_t)(n + 1)),
            *seen = calloc((size_t)n + 1, sizeof *seen);
    assert_int_equal(thaw_order_dissect(pattern, order, NULL), THAW_OK);
    for (int32_t i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_int_equal(seen[order[i]]++, 0);
    }
    free(seen);
    return order;
}

static void every_graph_gets_a_permutation(void **state) {
    (void)state;
    uint64_t stream = 3;
    for (int kind = 0; kind < 8; kind++)
        for (int32_t n = 3; n <= 1200; n = n * 5 / 2 + 1) {
            Edges e = edges_new(n, 8 * n + (n < 400 ? n * n / 2 : 0));
            for (int32_t i = 1; i < n; i++) {
                stream = stream * UINT64_C(6364136223846793005) + 1;
                int32_t random = (int32_t)((stream >> 33) % (uint64_t)i);
                if (kind == 0) // a path
                    edge_add(&e, i - 1, i);
                else if (kind == 1) // a star
                    edge_add(&e, 0, i);
                else if (kind == 2 && i % 3) // triangles without a bond
                    for (int32_t j = i - i % 3; j < i; j++)
                        edge_add(&e, j, i);
                else if (kind == 3) // a tree
                    edge_add(&e, random, i);
                else if (kind == 4 && n < 400) // everyone with everyone
                    for (int32_t j = 0; j < i; j++)
                        edge_add(&e, j, i);
                else if (kind == 5 && i >= 5) // five hubs
                    for (int32_t j = 0; j < 5; j++)
                        edge_add(&e, j, i);
                else if (kind == 6 && i == n - 1) // one edge, and else nothing
                    edge_add(&e, 0, i);
                else if (kind == 7 && i > n / 2) // a clique of moderate size on a long tail
                    edge_add(&e, i - 1, i);
            }
            for (int32_t i = 0; kind == 7 && i <= n / 2 && i < 40; i++)
                for (int32_t j = 0; j < i && e.count < 7 * n; j++)
                    edge_add(&e, j, i);
            ThawBlockPattern *pattern = pattern_of(&e);
            free(dissected(pattern));
            thaw_block_pattern_free(&pattern);
        }
}

static ThawLdlCost cost_of(const ThawBlockPattern *pattern, const int32_t *order) {
    ThawLdlPlan *plan;
    assert_int_equal(thaw_ldl_plan_create(pattern, order, &plan, NULL), THAW_OK);
    ThawLdlCost cost = thaw_ldl_plan_cost(plan);
    thaw_ldl_plan_free(&plan);
    return cost;
}

// The bounds are a tenth above what METIS 5.1 needs.
static void meshes_are_factored_with_few_operations(void **state) {
    (void)state;
    static const struct {
        int32_t a, b, c;
        double megaflops;
    } known[] = {{12, 12, 12, 441}, {16, 16, 16, 2461}, {60, 8, 8, 772},
                 {200, 6, 6, 740},  {40, 40, 3, 683},   {60, 60, 1, 109}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        ThawBlockPattern *pattern = box(known[k].a, known[k].b, known[k].c);
        int32_t *order = dissected(pattern);
        double found = 1e-6 * cost_of(pattern, order).flops;
        print_message("%d x %d x %d: %.1f million operations\n", known[k].a, known[k].b, known[k].c, found);
        assert_true(found < 1.1 * known[k].megaflops);
        free(order);
        thaw_block_pattern_free(&pattern);
    }
}

static void no_edge_joins_the_sides_of_a_split(void **state) {
    (void)state;
    ThawBlockPattern *pattern = box(9, 8, 7);
    int32_t n = pattern->n, count[3] = {0};
    ThawWeb *web;
    unsigned char *side = calloc((size_t)n, 1);
    assert_int_equal(thaw_web_create(n, 2 * (pattern->row[n] - n), &web, NULL), THAW_OK);
    web->total = n;
    for (int32_t i = 0, end = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            if (j != i && thaw_block_find(pattern, i > j ? i : j, i > j ? j : i) >= 0) {
                web->edge[end] = 1;
                web->neighbour[end++] = j;
            }
        web->offset[i + 1] = end;
        web->weight[i] = 1;
    }
    assert_int_equal(thaw_web_split(web, side, NULL), THAW_OK);
    for (int32_t i = 0; i < n; i++) {
        count[side[i]]++;
        for (int32_t e = web->offset[i]; e < web->offset[i + 1]; e++)
            assert_true(side[i] + side[web->neighbour[e]] != THAW_LEFT + THAW_RIGHT);
    }
    print_message("%d + %d + %d\n", count[0], count[2], count[1]);
    assert_true(count[THAW_LEFT] > n / 4 && count[THAW_RIGHT] > n / 4 && count[THAW_SEPARATOR] <= 9 * 7);
    free(side);
    thaw_web_free(&web);
    thaw_block_pattern_free(&pattern);
}

// Another hash is another order, and so other last bits of every run with `ldl`: it needs a reason.
static void the_order_is_that_of_every_other_build(void **state) {
    (void)state;
    ThawBlockPattern *pattern = box(19, 17, 13);
    int32_t *order = dissected(pattern);
    uint64_t hash = thaw_hash(0, order, sizeof *order * (size_t)pattern->n);
    print_message("hash of the order: %016llx\n", (unsigned long long)hash);
    assert_true(hash == UINT64_C(0x7cb97c8b0bd89a00));
    free(order);
    thaw_block_pattern_free(&pattern);
}

static void the_host_keeps_its_random_numbers(void **state) {
    (void)state;
    ThawBlockPattern *pattern = box(10, 10, 10);
    srand(77);
    int first = rand(), second = rand();
    srand(77);
    assert_int_equal(rand(), first);
    int32_t *order = dissected(pattern);
    assert_int_equal(rand(), second);
    srand(5);
    int32_t *again = dissected(pattern);
    assert_memory_equal(order, again, sizeof *order * (size_t)pattern->n);
    free(order);
    free(again);
    thaw_block_pattern_free(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_gets_a_permutation),     cmocka_unit_test(meshes_are_factored_with_few_operations),
        cmocka_unit_test(no_edge_joins_the_sides_of_a_split), cmocka_unit_test(the_order_is_that_of_every_other_build),
        cmocka_unit_test(the_host_keeps_its_random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
