// SPDX-License-Identifier: Apache-2.0
// What woke, when and why.
//
// The oracle says which elements must be elastic because staying rigid would suppress too much strain; that strain
// comes from the force which holds the body together, and this changes with loads, with contacts, or with the motion
// itself. Which of them it was is decided for the whole body: within the last few questions, have forces or pins
// changed, have contacts opened, closed or come to press otherwise? Where both have, the larger change of force counts.
// The price is one pass over the vertices at each question and one over the elements whenever the partition changes.
#include "method/rigidify/history.h"

#include <math.h>
#include <string.h>

#include "thaw/field.h"

// Contacts that only press a little more or less than before, as they do in every iterated solution, explain nothing.
static const double PRESS_CHANGE = 0.01;
// A load takes effect over some steps: elements that wake within RECENT steps of a change wake because of it.
enum { RECENT = 10 };

ThawStatus thaw_history_create(int32_t count, const int64_t *now, ThawEvents *events, ThawHistory **result,
                               ThawError *error) {
    ThawHistory *history = *result = THAW_NEW(ThawHistory, 1);
    if (!history)
        return thaw_error_memory(error, "the history of a body");
    history->now = now;
    history->count = count;
    history->events = events;
    history->woken_by = THAW_NEW(unsigned char, count);
    history->since = THAW_NEW(uint32_t, count);
    if (!history->woken_by || !history->since) {
        thaw_history_free(result);
        return thaw_error_memory(error, "the history of a body");
    }
    memset(history->woken_by, THAW_REASON_START, (size_t)count);
    return THAW_OK;
}

void thaw_history_free(ThawHistory **pointer) {
    if (!pointer || !*pointer)
        return;
    thaw_free((*pointer)->woken_by);
    thaw_free((*pointer)->since);
    thaw_free(*pointer);
    *pointer = NULL;
}

static double total(int32_t nv, int dim, const double *f, double sum[3]) {
    double size = 0;
    sum[0] = sum[1] = sum[2] = 0;
    for (int32_t i = 0; i < nv; i++) {
        double square = 0;
        for (int k = 0; k < dim; k++) {
            double part = f[(size_t)i * (size_t)dim + (size_t)k];
            sum[k] += part;
            square += part * part;
        }
        size += sqrt(square);
    }
    return size;
}

// How different two systems of forces must be at least, N.
static double difference(double size0, double size1, const double total0[3], const double total1[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (total1[k] - total0[k]) * (total1[k] - total0[k]);
    return fmax(fabs(size1 - size0), sqrt(square));
}

static uint32_t step_of(const ThawHistory *history) {
    return (uint32_t)(*history->now < UINT32_MAX ? *history->now : UINT32_MAX);
}

void thaw_history_ask(ThawHistory *history, const ThawShape *shape, const ThawQuestion *q) {
    int dim = shape->dim;
    ThawLastForces old = history->last, *present = &history->last;
    thaw_events_begin(history->events, *history->now);
    if (!q->same_loads) {
        present->loads = thaw_hash(thaw_hash(0, q->f_ext, sizeof(double) * (size_t)shape->nv * (size_t)dim), q->script,
                                   (size_t)shape->nv);
        present->load_size = total(shape->nv, dim, q->f_ext, present->load_total);
    }
    present->contacts = q->contacts;
    if (!q->same_presses)
        present->contact_size = total(shape->nv, dim, q->f_contact, present->contact_total);
    double loads = difference(old.load_size, present->load_size, old.load_total, present->load_total);
    double contacts = difference(old.contact_size, present->contact_size, old.contact_total, present->contact_total);
    int other_loads = present->loads != old.loads;
    int other_contacts =
        present->contacts != old.contacts || contacts > PRESS_CHANGE * fmax(old.contact_size, present->contact_size);
    if (other_loads || other_contacts) {
        present->change =
            other_loads && (!other_contacts || loads >= contacts) ? THAW_REASON_LOAD : THAW_REASON_CONTACT;
        present->changed_at = *history->now;
    }
    history->asked = present->change != THAW_REASON_NONE && *history->now - present->changed_at < RECENT
                         ? (ThawReason)present->change
                         : THAW_REASON_STRAIN;
    // A body that was woken with a neighbour, or by a force that was set, has other contacts, too.
    if (history->events->rose && history->events->risen_by != THAW_REASON_LOAD &&
        (history->asked == THAW_REASON_LOAD ||
         (history->asked == THAW_REASON_CONTACT && history->events->risen_by != THAW_REASON_NEIGHBOUR)))
        history->events->risen_by = history->asked;
}

void thaw_history_record(ThawHistory *history, ThawOracleState *oracle, const ThawPartition *partition, int changed) {
    uint32_t now = step_of(history);
    thaw_events_begin(history->events, *history->now);
    for (int32_t e = 0; changed && e < history->count; e++) {
        int rigid = partition->part_of_element[e] >= 0, was_rigid = history->woken_by[e] == THAW_REASON_NONE;
        if (rigid == was_rigid)
            continue;
        if (rigid)
            history->woken_by[e] = THAW_REASON_NONE;
        else // its own strain, or it lost the part that it was in
            history->woken_by[e] = oracle->reason[e] =
                (unsigned char)(oracle->reason[e] == THAW_REASON_STRAIN ? history->asked : THAW_REASON_NEIGHBOUR);
        history->since[e] = now;
        history->events->woke += !rigid;
        history->events->formed += rigid;
        if (!rigid)
            history->events->cause = history->asked;
    }
}

void thaw_history_rest(ThawHistory *history) {
    uint32_t now = step_of(history);
    for (int32_t e = 0; e < history->count; e++)
        if (history->woken_by[e] != THAW_REASON_NONE) {
            history->woken_by[e] = THAW_REASON_NONE;
            history->since[e] = now;
        }
}

void thaw_history_abandon(ThawHistory *history) {
    uint32_t now = step_of(history);
    thaw_events_begin(history->events, *history->now);
    for (int32_t e = 0; e < history->count; e++)
        if (history->woken_by[e] == THAW_REASON_NONE) {
            history->woken_by[e] = THAW_REASON_START;
            history->since[e] = now;
            history->events->woke++;
            history->events->cause = THAW_REASON_START;
        }
}
