// SPDX-License-Identifier: Apache-2.0
// Every allocation of partitions and rigid maps made to fail once: the error comes out, what was before stands, and
// nothing leaks (the address sanitizer looks). Where the partition is as before, nothing is allocated at all.
#include "map/map.h"
#include "map/parts.h"
#include "map/rigid/rigid.h"
#include "support/memory.h"

// Runs an operation with its 1st, 2nd, ... allocation failing until it has no more; returns how many there were.
static int64_t fail_each(ThawStatus (*operation)(Parts *p, ThawError *error), Parts *p) {
    for (int64_t n = 0;; n++) {
        ThawError error = {0};
        until_failure = n;
        ThawStatus status = operation(p, &error);
        int done = until_failure >= 0;
        until_failure = -1;
        if (done) {
            assert_int_equal(status, THAW_OK);
            return n;
        }
        assert_int_equal(status, THAW_ERROR_MEMORY);
        assert_true(strlen(error.message) > 0);
    }
}

static ThawStatus create_partition(Parts *p, ThawError *error) {
    ThawPartition *partition;
    ThawStatus status = thaw_partition_create(p->shape, 1, &partition, error);
    assert_true((status == THAW_OK) == (partition != NULL));
    thaw_partition_free(&partition);
    return status;
}

static ThawStatus update_partition(Parts *p, ThawError *error) {
    int32_t before = p->partition->part_count;
    ThawStatus status =
        thaw_partition_update(p->partition, p->flagged, p->script, NULL, p->x, p->v, &p->transition, error);
    assert_true(status == THAW_OK || p->partition->part_count == before);
    return status;
}

static ThawStatus create_map(Parts *p, ThawError *error) {
    ThawIntegrationSet *set = NULL;
    ThawMap *map = NULL;
    ThawStatus status =
        thaw_integration_create(p->shape, p->partition->elastic, p->partition->elastic_count, &set, error);
    if (status == THAW_OK)
        status = thaw_map_rigid_create(p->shape, p->script, p->partition, set, &map, error);
    assert_true((status == THAW_OK) == (map != NULL));
    thaw_map_free(&map);
    thaw_integration_free(&set);
    return status;
}

static void partitions_and_maps_survive_each_failing_allocation(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Parts p;
        parts_create(&p, dim, 4, 1, 1);
        assert_true(fail_each(create_partition, &p) > 10);
        for (int i = 0; i < 3; i++) {
            parts_flag(&p, 30 + 20 * i);
            int64_t count = fail_each(update_partition, &p);
            assert_true(i > 0 || count > 0);
            assert_true(fail_each(create_map, &p) > 15);
        }
        parts_free(&p);
    }
}

static void nothing_is_allocated_while_the_partition_stands(void **state) {
    (void)state;
    Parts p;
    ThawError error = {0};
    ThawIntegrationSet *set;
    ThawMap *map;
    parts_create(&p, 3, 4, 1, 2);
    parts_flag(&p, 60);
    parts_update(&p);
    assert_int_equal(thaw_integration_create(p.shape, p.partition->elastic, p.partition->elastic_count, &set, &error),
                     THAW_OK);
    assert_int_equal(thaw_map_rigid_create(p.shape, p.script, p.partition, set, &map, &error), THAW_OK);
    double *q = THAW_NEW(double, 3 * map->n), *x1 = THAW_NEW(double, p.nx);
    allocations_made = 0;
    for (int i = 0; i < 10; i++) {
        parts_update(&p);
        assert_int_equal(p.transition.changed, 0);
        map->ops->project(map, NULL, p.v, q);
        map->ops->apply(map, q, NULL, p.v);
        map->ops->advance(map, 0.01, p.x, q, p.v, x1);
        map->ops->commit(map, 0.01, q);
    }
    for (int i = 0; i < 10; i++) { // nor when parts change and are not more than before
        parts_flag(&p, i % 2 ? 0 : 100);
        parts_update(&p);
        assert_int_equal(p.transition.changed, 1);
    }
    assert_int_equal(allocations_made, 0);
    thaw_free(q);
    thaw_free(x1);
    thaw_map_free(&map);
    thaw_integration_free(&set);
    parts_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_and_maps_survive_each_failing_allocation),
        cmocka_unit_test(nothing_is_allocated_while_the_partition_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
