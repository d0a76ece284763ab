// SPDX-License-Identifier: Apache-2.0
// Wake and sleep events of the last step, from what each body's history counted in it. Computed when asked for.
#include "step/adapt.h"
#include "thaw/field.h"

static void put(ThawSleepEvent *events, int32_t *count, ThawSleepEvent event) {
    if (events)
        events[*count] = event;
    ++*count;
}

// What the body did in the last step; NULL without any change.
static const ThawHistory *history_of(const ThawWorld *world, int32_t body) {
    const ThawHistory *h = world->steppers[body].history;
    return h && h->at >= 0 && h->at == world->state.step - 1 ? h : NULL;
}

static int32_t list_events(const ThawWorld *world, ThawSleepEvent *events) {
    int32_t count = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawHistory *h = history_of(world, i);
        if (!h)
            continue;
        if (h->rose)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_ROSE, h->count, h->risen_by});
        if (h->woke > 0)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_WOKE, h->woke, h->cause});
        if (h->formed > 0)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_FORMED, h->formed, THAW_REASON_NONE});
        if (h->fell)
            put(events, &count, (ThawSleepEvent){i, THAW_SLEEP_FELL, h->count, THAW_REASON_NONE});
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

void thaw_history_count(const ThawWorld *world, ThawStepStats *stats) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawHistory *h = history_of(world, i);
        stats->woken += h ? h->woke : 0;
        stats->settled += h ? h->formed : 0;
        stats->asleep += world->state.asleep[i];
    }
}
