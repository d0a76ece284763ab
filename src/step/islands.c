// SPDX-License-Identifier: Apache-2.0
// The islands of a step: bodies awake that contacts and attachments join, each solved by itself (island.c). Small ones
// are tasks of one loop, large ones take turns and use all threads inside; which is which depends on the model and the
// state only.
#include "base/assert.h"
#include "base/forest.h"
#include "step/step.h"

// Whether members and contacts of each island ascend and both sides of a contact are in one.
static int islands_are_sound(const ThawWorld *world) {
    for (int32_t k = 0; k < world->island_count; k++) {
        const ThawIsland *island = &world->islands[k];
        for (int32_t b = 0; b < island->count; b++)
            if (island->bodies[b]->island != k || (b > 0 && island->bodies[b - 1]->index >= island->bodies[b]->index))
                return 0;
        for (int32_t c = 0; c < island->contact_count; c++) {
            const int32_t *pair = island->set->contacts[island->contacts[c]].key.body;
            if ((c > 0 && island->contacts[c - 1] >= island->contacts[c]) || world->state.asleep[pair[0]] ||
                thaw_world_mover(world, pair[0])->island != k ||
                (pair[1] >= 0 && thaw_world_mover(world, pair[1])->island != k))
                return 0;
        }
    }
    return 1;
}

static ThawIsland *island_of_row(const ThawWorld *world, int32_t row) {
    return &world->islands[thaw_world_mover(world, world->state.contacts.contacts[row].key.body[0])->island];
}

// Bodies awake joined by contacts and attachments, in the order of their lowest body; obstacles join nothing. Linear
// but for the forest.
ThawStatus thaw_islands_form(ThawWorld *world, ThawError *error) {
    ThawContactSet *set = &world->state.contacts;
    const int32_t rows = set->count + set->attached;
    int32_t *island_of = world->island_of;
    if (rows > world->contact_capacity) {
        int32_t *order = THAW_NEW(int32_t, 2 * (size_t)rows);
        if (!order)
            return thaw_error_memory(error, "the islands");
        thaw_free(world->contact_order);
        world->contact_order = order;
        world->contact_capacity = 2 * rows;
    }
    for (int32_t i = 0; i < world->awake_count; i++)
        island_of[world->awake[i]] = world->awake[i];
    for (int32_t c = 0; c < rows; c++) {
        const int32_t *pair = set->contacts[c].key.body;
        if (pair[1] >= 0)
            thaw_forest_join(island_of, thaw_world_mover(world, pair[0])->index,
                             thaw_world_mover(world, pair[1])->index);
    }
    world->island_count = 0;
    for (int32_t k = 0; k < world->awake_count; k++) { // a root comes before its other members
        int32_t i = world->awake[k], root = thaw_forest_root(island_of, i);
        if (root == i) {
            ThawIsland *island = &world->islands[world->island_count];
            *island = (ThawIsland){.world = world, .response = island->response, .set = set, .tasks = world->tasks};
            world->steppers[i].island = world->island_count++;
        }
        world->steppers[i].island = world->steppers[root].island;
        world->islands[world->steppers[i].island].count++;
    }
    int32_t first = 0;
    for (int32_t k = 0; k < world->island_count; k++) {
        ThawIsland *island = &world->islands[k];
        island->bodies = world->members + first;
        island->views = world->views + first;
        first += island->count;
        island->count = 0;
    }
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        ThawIsland *island = &world->islands[s->island];
        island->bodies[island->count++] = s;
        island->elements += s->shape->ne;
    }
    // Contacts by island, in their own order: count, then place.
    for (int32_t c = 0; c < rows; c++)
        island_of_row(world, c)->contact_count++;
    first = 0;
    for (int32_t k = 0; k < world->island_count; k++) {
        ThawIsland *island = &world->islands[k];
        island->contacts = world->contact_order ? world->contact_order + first : NULL; // no contacts, no room
        first += island->contact_count;
        island->contact_count = 0;
    }
    ThawStatus status = THAW_OK;
    for (int32_t c = 0; c < rows && status == THAW_OK; c++) {
        ThawIsland *island = island_of_row(world, c);
        world->contact_order[island->contacts - world->contact_order + island->contact_count++] = c;
        if (!island->response)
            status = thaw_response_create(&island->response, error);
    }
    THAW_ASSERT(status != THAW_OK || islands_are_sound(world),
                "islands are awake, whole, and list bodies and contacts in ascending order");
    return status;
}

typedef struct IslandLoop {
    ThawWorld *world;
    ThawIncrement step;
    int large; // run the large islands, or the small ones
} IslandLoop;

static void solve_island(void *context, int32_t i) {
    const IslandLoop *loop = context;
    ThawIsland *island = &loop->world->islands[i];
    if (island->stands || (island->elements >= THAW_LARGE_BODY) != loop->large)
        return;
    island->status = thaw_island_solve(island, loop->step);
    for (int32_t b = 0; b < island->count; b++) {
        island->bodies[b]->again = 1; // for callers that look at what has changed
        island->bodies[b]->residual = island->residual;
    }
}

void thaw_islands_solve(ThawWorld *world, ThawIncrement step) {
    IslandLoop loop = {world, step, 0};
    thaw_tasks_for(world->tasks, world->island_count, solve_island, &loop);
    loop.large = 1;
    for (int32_t i = 0; i < world->island_count; i++)
        solve_island(&loop, i);
    for (int32_t i = 0; i < world->island_count; i++) {
        const ThawIsland *island = &world->islands[i];
        world->response_ms += island->response_ms;
        if (island->iterations > world->response_iterations)
            world->response_iterations = island->iterations;
    }
}
