// SPDX-License-Identifier: Apache-2.0
// Wake and sleep events of the last step, from what was counted for each body in it. Lists are made when asked for.
#include "step/step.h"
#include "thaw/field.h"

void thaw_events_begin(ThawEvents *events, int64_t now) {
    if (events->at != now)
        *events = (ThawEvents){.at = now};
}

void thaw_events_fall(ThawEvents *events, int64_t now) {
    thaw_events_begin(events, now);
    events->fell = 1;
}

void thaw_events_rise(ThawEvents *events, int64_t now, ThawReason why) {
    thaw_events_begin(events, now);
    events->rose = 1;
    events->risen_by = why;
}

static void put(ThawSleepEvent *events, int32_t *count, ThawSleepEvent event) {
    if (events)
        events[*count] = event;
    ++*count;
}

// What the body, or its unit, did in the last step; NULL without any change.
static const ThawEvents *events_of(const ThawWorld *world, int32_t body) {
    const ThawEvents *e = &thaw_world_mover(world, body)->events;
    return e->at >= 0 && e->at == world->state.step - 1 ? e : NULL;
}

// What a unit's elements did is told of its first body; that they fell asleep or rose, of each.
static int32_t list_events(const ThawWorld *world, ThawSleepEvent *events) {
    int32_t count = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawEvents *e = events_of(world, i);
        const int moves = world->model->bodies[i].moved > 0;
        if (!e)
            continue;
        if (e->rose)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_ROSE, world->model->bodies[i].shape->ne, e->risen_by});
        if (e->woke > 0 && moves)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_WOKE, e->woke, e->cause});
        if (e->formed > 0 && moves)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_FORMED, e->formed, THAW_REASON_NONE});
        if (e->fell)
            put(events, &count,
                (ThawSleepEvent){i, THAW_SLEEP_FELL, world->model->bodies[i].shape->ne, THAW_REASON_NONE});
    }
    return count;
}

int32_t thaw_world_sleep_event_count(const ThawWorld *world) { return world ? list_events(world, NULL) : 0; }

ThawStatus thaw_world_get_sleep_events(const ThawWorld *world, ThawSleepEvent *events) {
    if (!world || !events)
        return THAW_ERROR_INPUT;
    list_events(world, events);
    return THAW_OK;
}

void thaw_events_count(const ThawWorld *world, ThawStepStats *stats) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawEvents *e = events_of(world, i);
        if (e && world->model->bodies[i].moved > 0) {
            stats->woken += e->woke;
            stats->settled += e->formed;
        }
        stats->asleep += world->state.asleep[i];
    }
}
