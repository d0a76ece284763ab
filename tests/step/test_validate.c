// SPDX-License-Identifier: Apache-2.0
// thaw_world_validate finds nothing in worlds that run, and names the rule when any one number of them is overwritten.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "map/rigid/rigid.h"
#include "method/rigidify/rigidify.h"
#include "step/method.h"
#include "support/world.h"

#define CUBES                                                                                                          \
    "\"materials\": {\"rubber\": {\"density\": 1000, \"young\": 2e6, \"poisson\": 0.4, \"alpha1\": 0.02}},"            \
    "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.05, 0], \"max\": [0.05, 0.05, 0.1], "            \
    "\"cells\": [2, 2, 2]}}, \"material\": \"rubber\"}},"
#define STACK                                                                                                          \
    "{\"thaw\": 1, " CUBES "\"bodies\": [{\"name\": \"low\", \"shape\": \"cube\", \"method\": \"rigidify\"},"          \
    "{\"name\": \"high\", \"shape\": \"cube\", \"method\": \"rigidify\", \"position\": [0.006, 0, 0.101]}"
static const char two[] = STACK "], \"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";
static const char reference[] = STACK ", {\"name\": \"soft\", \"shape\": \"cube\", \"position\": [1, 0, 0.001]}],"
                                      "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";
static const char joined[] = STACK "], \"attachments\": [{\"name\": \"glue\", \"body\": \"high\", \"group\": "
                                   "\"z-min\", \"to\": \"low\"}]}";

static void expect_sound(const ThawWorld *world) {
    ThawError error = {.message = ""};
    if (thaw_world_validate(world, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

// The bytes at `at` become `value`: the message has these words; and then they are as before again.
static void break_bytes(ThawWorld *world, void *at, const void *value, size_t size, const char *words) {
    ThawError error = {.message = ""};
    char before[64];
    assert_true(size <= sizeof before);
    memcpy(before, at, size);
    memcpy(at, value, size);
    ThawStatus status = thaw_world_validate(world, &error);
    memcpy(at, before, size);
    if (status != THAW_ERROR_INPUT || !strstr(error.message, words))
        fail_msg("expected \"%s\", found \"%s\"", words, error.message);
    expect_sound(world);
}

static void break_real(ThawWorld *world, double *at, double value, const char *words) {
    break_bytes(world, at, &value, sizeof value, words);
}

static void break_int(ThawWorld *world, int32_t *at, int32_t value, const char *words) {
    break_bytes(world, at, &value, sizeof value, words);
}

static void break_byte(ThawWorld *world, unsigned char *at, unsigned char value, const char *words) {
    break_bytes(world, at, &value, sizeof value, words);
}

static void break_pointer(ThawWorld *world, void *at, const void *value, const char *words) {
    break_bytes(world, at, &value, sizeof value, words);
}

// A step in which the first body is awake, touches something and has a part.
static ThawWorld *make_awake(const char *text) {
    ThawWorld *world = make_world(text, 1);
    const ThawStepper *s = &world->steppers[0];
    for (int i = 0; i < 300; i++) {
        run_world(world, 1);
        expect_sound(world);
        if (s->data && thaw_method_part_count(s) > 0 && s->system && world->state.contacts.memory_count > 1)
            return world;
    }
    fail_msg("no part was formed");
    return NULL;
}

static void state_that_is_no_state_is_named(void **state) {
    (void)state;
    ThawWorld *world = make_awake(reference);
    ThawState *s = &world->state;
    break_real(world, &s->time, 1e9, "state: the time");
    break_real(world, &s->x[1], NAN, "state: x of vertex 0 of body 0 (low)");
    break_real(world, &s->v[3 * 27 + 3], INFINITY, "state: v of vertex 1 of body 1 (high)");
    break_real(world, &s->push[0], NAN, "state: push");
    break_real(world, &s->ledger.contact_work, NAN, "state: work 3 of the ledger");
    break_byte(world, &s->method[0], 200, "state: the method of body 0 (low) is 200");
    break_byte(world, &s->asleep[2], 1, "state: body 2 (soft) is asleep, which its method full");
    break_byte(world, &s->asleep[1], 7, "state: asleep of body 1");
    ThawRigidifyOptions *options = s->options[s->method[0]].common;
    break_real(world, &options->tolerance, -1, "state: options of the world");
    break_int(world, &world->awake_count, 2, "sleep: body 2 is awake");
    break_int(world, &world->awake[1], 0, "sleep: body 1 is awake");
    ThawWorld *other = make_world(reference, 1);
    break_pointer(world, &world->steppers[2].x, other->state.x, "stepper of body 2 (soft): its vectors");
    break_pointer(world, &world->steppers[0].data, NULL, "stepper of body 0 (low): it is awake");
    break_int(world, &world->steppers[2].index, 1, "stepper of body 2 (soft): it moves body 1");
    break_pointer(world, &world->steppers[2].linearised, other, "stepper of body 2 (soft): the factor");
    world->steppers[2].impulse_acts = 0;
    memset(world->steppers[2].impulse, 0, 27 * 3 * sizeof(double));
    break_real(world, &world->steppers[2].impulse[4], 1, "stepper of body 2 (soft): impulses are not cleared");
    break_pointer(world, &world->steppers[2].system->map->shape, other->model->shapes[0], "map of body 2 (soft)");
    thaw_world_free(&other);
    thaw_world_free(&world);
}

static void contacts_that_are_none_are_named(void **state) {
    (void)state;
    ThawWorld *world = make_awake(two);
    ThawContactSet *set = &world->state.contacts;
    break_real(world, &set->memory[0].force[1], NAN, "contacts: what is remembered of contact 0");
    break_real(world, &set->memory[1].overlap, 0.5, "contacts: what is remembered of contact 1");
    break_int(world, &set->memory[0].key.body[0], 9, "contacts: contact 0 is between 9");
    break_int(world, &set->memory[0].key.feature[0], -5, "contacts: contact 0 of kind");
    ThawContactKey first = set->memory[0].key;
    break_bytes(world, &set->memory[set->memory_count - 1].key, &first, sizeof first, "keys ascend");
    break_int(world, &set->contacts[0].key.feature[0], 99, "is not among the contacts");
    for (int i = 0; i < 1500 && world->awake_count > 0; i++)
        run_world(world, 1);
    assert_int_equal(world->awake_count, 0);
    expect_sound(world);
    assert_true(world->state.resting.memory_count > 0);
    break_real(world, &world->state.resting.memory[0].anchor[0], INFINITY, "contacts at rest: what is remembered");
    break_real(world, &world->state.v[0], 1, "stepper of body 0 (low): it is asleep and moves");
    int32_t *count = &world->state.contacts.memory_count;
    ThawContactMemory *memory = world->state.contacts.memory;
    world->state.contacts.memory = world->state.resting.memory;
    break_int(world, count, 1, "contacts: contact 0 is of body 0, which is asleep");
    world->state.contacts.memory = memory;
    thaw_world_free(&world);
}

static void parts_that_are_none_are_named(void **state) {
    (void)state;
    ThawWorld *world = make_awake(two);
    ThawRigidifyData *a = thaw_rigidify(&world->steppers[0]);
    ThawPartition *p = a->partition;
    ThawPart *part = &p->parts[0];
    const int32_t inside = p->vertices[0];
    break_int(world, &p->part_of_element[0], 5, "partition of body 0 (low): element 0 is in part 5");
    break_int(world, &p->part_of_vertex[inside], -1, "partition of body 0 (low): element");
    break_int(world, &p->elastic_count, p->elastic_count + 1, "partition of body 0 (low): ");
    break_int(world, &p->vertices[0], p->vertices[1], "partition of body 0 (low): part 0 lists vertex");
    break_int(world, &part->first, 3, "partition of body 0 (low): part 0 has vertices");
    break_int(world, &part->pins, 2, "partition of body 0 (low): part 0 says 2 pins");
    break_int(world, (int32_t *)&part->hold, THAW_HOLD_POINT, "partition of body 0 (low): part 0 says 0 pins");
    break_real(world, &part->R[0], 0.9, "partition of body 0 (low): the frame of part 0");
    break_real(world, &part->p[2], part->p[2] + 1e-4, "from where part 0 has it");
    break_byte(world, &p->script[inside], THAW_VERTEX_MOVED, "is moved by a script");
    break_int(world, &p->min_elements, 1000, "partition of body 0 (low): parts of 1000 elements");
    break_int(world, (int32_t *)&p->topology, 0, "map of body 0 (low): it was made for topology");
    ThawRigidMap *map = (ThawRigidMap *)a->system->map;
    break_int(world, &map->map.n, map->map.n + 1, "map of body 0 (low): it has");
    break_int(world, &map->part_block[0], 99, "map of body 0 (low): part 0 begins at block 99");
    break_int(world, &map->map.frame_count, 7, "map of body 0 (low): it has 7 frames");
    break_byte(world, &map->scripted[inside], 1, "map of body 0 (low): vertex");
    ThawOracleState *o = thaw_oracle_state(a->oracle);
    break_real(world, &o->shadow[0], NAN, "body 0 (low): number 0 of its shadow");
    break_real(world, &o->gained, -1, "body 0 (low): number 0 of its gained is -1");
    ThawHistory *history = thaw_rigidify_record(&world->steppers[0])->history;
    break_int(world, (int32_t *)&history->since[2], 1 << 30, "record of body 0 (low): element 2");
    thaw_world_free(&world);
}

static void attachments_that_are_none_are_named(void **state) {
    (void)state;
    ThawWorld *world = make_world(joined, 1);
    run_world(world, 5);
    expect_sound(world);
    break_byte(world, &world->state.released[0], 3, "attachments: released of 0 (glue)");
    break_byte(world, &world->state.released[0], 1, "attachments: a force of 0 (glue), which has let go");
    break_real(world, &world->state.pull[2], NAN, "attachments: a force of 0 (glue), which holds");
    thaw_world_free(&world);
}

static void without_a_world_it_says_so(void **state) {
    (void)state;
    ThawError error = {.message = ""};
    assert_int_equal(thaw_world_validate(NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "world is NULL"));
    assert_int_equal(thaw_world_validate(NULL, NULL), THAW_ERROR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_that_is_no_state_is_named), cmocka_unit_test(contacts_that_are_none_are_named),
        cmocka_unit_test(parts_that_are_none_are_named),   cmocka_unit_test(attachments_that_are_none_are_named),
        cmocka_unit_test(without_a_world_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
