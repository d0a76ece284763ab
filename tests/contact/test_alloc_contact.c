// SPDX-License-Identifier: Apache-2.0
// Every allocation of contact is made to fail once: the error comes out, nothing leaks (the address sanitizer looks
// after that), and what was there before still works.
#include "contact/touching.h"
#include "support/memory.h"

// A little of everything: bodies in each other, every kind of obstacle, one of them a surface of frames, and a pair.
static void scene(Touching *s) {
    static const double corners[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                       -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const int32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const double time[1] = {0};
    touching_create(s, 3);
    touching_shape(s, (double[3]){1, 1, 1}, (int32_t[3]){2, 2, 2}, 0.1, 1);
    for (int i = 0; i < 5; i++)
        touching_body(s, 0, 0.4 * i, 0.3 * (i % 2), 0.7 * i);
    for (int kind = 0; kind < THAW_OBSTACLE_KIND_COUNT; kind++) {
        ThawObstacleDef *o = touching_obstacle(s, (ThawObstacleKind)kind);
        o->size[0] = o->size[1] = o->size[2] = 0.8;
        o->position[0] = 0.3 * kind;
        o->x = corners, o->vertex_count = 8, o->faces = faces, o->face_count = 12;
        if (kind == THAW_OBSTACLE_MESH)
            o->frames = corners, o->frame_times = time, o->frame_count = 1;
    }
    s->pairs[0] = (ThawPairDef){"*", "floor", 0, 0.3, -1};
    s->world.pair_count = 1;
}

static ThawStatus everything(Touching *s, ThawError *error) {
    ThawOverlap *overlaps = NULL;
    int32_t count;
    ThawStatus status = thaw_model_create(&s->world, &s->model, error);
    if (status == THAW_OK)
        status = thaw_collider_create(s->model, &s->collider, error);
    if (status == THAW_OK) {
        int64_t kept = until_failure; // the state is the test's own
        until_failure = -1;
        s->x = THAW_NEW(double, 3 * s->model->vertex_count);
        until_failure = kept;
        for (int32_t b = 0; b < s->model->body_count; b++)
            for (int32_t i = 0; i < s->model->bodies[b].shape->nv; i++)
                thaw_body_place(&s->model->bodies[b], 3, s->model->bodies[b].shape->X + 3 * i,
                                s->x + 3 * (s->model->bodies[b].first_vertex + i));
        status = thaw_contacts_find(s->collider, NULL, 0, s->world.h, s->x, s->x, &s->set, error);
    }
    if (status == THAW_OK)
        status = thaw_contacts_remember(s->collider, 0, s->world.h, s->x, &s->set, error);
    if (status == THAW_OK)
        status = thaw_contacts_find(s->collider, NULL, s->world.h, s->world.h, s->x, s->x, &s->set, error);
    if (status == THAW_OK)
        status = thaw_contacts_overlaps(s->collider, NULL, 0, s->x, &overlaps, &count, error);
    thaw_free(overlaps);
    return status;
}

static void clear(Touching *s) {
    thaw_contact_set_clear(&s->set);
    thaw_collider_free(&s->collider);
    thaw_model_free(&s->model);
    thaw_free(s->x);
    s->x = NULL;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    Touching s;
    scene(&s);
    int64_t fails = 0;
    for (ThawStatus status = THAW_ERROR_MEMORY; status != THAW_OK; fails++) {
        ThawError error = {0};
        until_failure = fails;
        status = everything(&s, &error);
        until_failure = -1;
        if (status != THAW_OK) {
            assert_int_equal(status, THAW_ERROR_MEMORY);
            assert_int_equal(error.status, status);
        }
        clear(&s);
    }
    assert_true(fails > 100);
    touching_free(&s);
}

static void after_a_failed_search_the_same_set_finds_everything(void **state) {
    (void)state;
    Touching s, good;
    scene(&s);
    scene(&good);
    touching_compile(&s);
    touching_compile(&good);
    touching_find(&good, 0);
    for (int64_t fails = 0; fails < 30; fails++) {
        ThawError error = {0};
        until_failure = fails;
        ThawStatus status = thaw_contacts_find(s.collider, NULL, 0, s.world.h, s.x, s.v, &s.set, &error);
        until_failure = -1;
        assert_true(status == THAW_OK || status == THAW_ERROR_MEMORY);
        touching_find(&s, 0);
        assert_int_equal(s.set.count, good.set.count);
        if (fails % 2)
            thaw_contact_set_clear(&s.set);
    }
    touching_free(&s);
    touching_free(&good);
}

static void a_steady_search_allocates_nothing(void **state) {
    (void)state;
    Touching s;
    scene(&s);
    touching_compile(&s);
    for (int step = 0; step < 2; step++) {
        touching_find(&s, 0);
        touching_remember(&s, 0);
    }
    int64_t before = allocations_made;
    for (int step = 0; step < 5; step++) {
        touching_find(&s, 0);
        touching_remember(&s, 0);
    }
    assert_int_equal(allocations_made, before);
    touching_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(after_a_failed_search_the_same_set_finds_everything),
        cmocka_unit_test(a_steady_search_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
