// SPDX-License-Identifier: Apache-2.0
// What happened to the elements of an adaptive body: since when each is what it is, what woke it, and what changed in
// the last step. Part of the state: a run that is resumed gives the same reasons.
#ifndef THAW_HISTORY_H
#define THAW_HISTORY_H

#include "oracle/oracle.h"
#include "step/step.h"

// The forces of the last question in a few numbers, which tell a change of loads from one of contacts.
typedef struct ThawLastForces {
    uint64_t loads, contacts;               // hashes: forces and pins; which contacts are closed
    double load_size, contact_size;         // N, sums of the sizes of all forces
    double load_total[3], contact_total[3]; // N
    int64_t change, changed_at;             // the last change (ThawReason LOAD or CONTACT) and the step before it
} ThawLastForces;

typedef struct ThawHistory {
    const int64_t *now; // the world's count of steps
    int32_t count;      // elements
    // State:
    unsigned char *woken_by; // count: ThawReason, NONE while rigid
    uint32_t *since;         // count: the change took place after this step
    ThawLastForces last;
    ThawEvents *events; // the body's
    ThawReason asked;   // what the present question would wake for
} ThawHistory;

ThawStatus thaw_history_create(int32_t element_count, const int64_t *now, ThawEvents *events, ThawHistory **history,
                               ThawError *error);
void thaw_history_free(ThawHistory **history);

// Before the oracle is asked: has anything from outside changed, and is it a load or a contact?
void thaw_history_ask(ThawHistory *history, const ThawShape *shape, const ThawQuestion *question);
// After the partition has taken up the verdict. Turns the oracle's reasons into causes.
void thaw_history_record(ThawHistory *history, ThawOracleState *oracle, const ThawPartition *partition, int changed);
// The body rests from the start: all of it is rigid, which is no event.
void thaw_history_rest(ThawHistory *history);
// Everything was made elastic from outside, or because a step failed.
void thaw_history_abandon(ThawHistory *history);

#endif
