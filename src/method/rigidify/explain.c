// SPDX-License-Identifier: Apache-2.0
// Why an element is awake: what the oracle and the history have of it, put together.
//
// Two questions are kept apart. What made it elastic (woken_by) is decided once, when it happens. Why it is elastic now
// (reason) follows from the present: it is fast; or slow, but it was woken and has not moved since, or must wait, or
// cannot be in any part.
#include <math.h>

#include "method/rigidify/rigidify.h"

// As of the end of a step. An element that was fast since it woke is elastic for its rate, whatever woke it.
static ThawReason reason_now(const ThawOracleState *oracle, const ThawPartition *partition, int32_t e) {
    if (oracle->below[e] == 0)
        return oracle->reason[e] == THAW_REASON_NONE ? THAW_REASON_START : (ThawReason)oracle->reason[e];
    if (partition->flagged[e])
        return THAW_REASON_LONE; // it may be rigid, but no part has taken it
    switch (oracle->reason[e]) {
    case THAW_REASON_STRAIN:
    case THAW_REASON_NEIGHBOUR:
    case THAW_REASON_CONTACT:
    case THAW_REASON_LOAD:
        return (ThawReason)oracle->reason[e];
    default:
        return THAW_REASON_WAIT;
    }
}

void thaw_rigidify_explain(const ThawWorld *world, const ThawStepper *s, int32_t e, ThawElementReport *report) {
    const ThawRigidifyRecord *record = thaw_rigidify_record(s);
    const ThawHistory *history = record->history;
    const ThawScale scale = thaw_rigidify_scale(s);
    const ThawRigidifyOptions options =
        thaw_scale_options(&scale, thaw_rigidify_options(world, s->index), s->model->options.h);
    report->rate = 0;
    report->rate_threshold = options.tau_rigid;
    report->steps_needed = options.frame_count;
    report->predicted_allowed = options.epsilon;
    report->reason = THAW_REASON_NONE;
    report->woken_by = (ThawReason)history->woken_by[e];
    report->since_step = history->since[e];
    report->since_time = thaw_model_time(s->model, (double)report->since_step);
    if (!s->data) { // a sleeping body keeps nothing of an oracle
        report->state = THAW_ELEMENT_ASLEEP;
        report->part = 0;
        report->predicted = NAN;
        return;
    }
    const ThawOracleState *oracle = thaw_oracle_state(thaw_rigidify(s)->oracle);
    report->part = thaw_rigidify(s)->partition->part_of_element[e];
    report->predicted = (double)oracle->predicted[e];
    if (report->part >= 0) {
        report->state = THAW_ELEMENT_RIGID;
        return;
    }
    report->rate = (double)oracle->rate[e];
    report->steps_below = oracle->below[e];
    report->steps_held = oracle->hold[e];
    report->reason = reason_now(oracle, thaw_rigidify(s)->partition, e);
}
