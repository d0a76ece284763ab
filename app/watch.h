// SPDX-License-Identifier: Apache-2.0
// What went wrong in a run that has come to its end: contact forces that were not found, energy that came from nowhere,
// elements that are inside out. Looks at every step, says it in one line each. Of a run that was resumed it has seen
// the part since then, and says so.
#ifndef THAW_APP_WATCH_H
#define THAW_APP_WATCH_H

#include "thaw/thaw.h"

// Elements of one body that are inside out.
typedef struct AppInverted {
    int64_t now, most;      // how many
    int64_t steps, longest; // without a break, up to now; the longest such time
    double since, until;    // s, the time that began last, and the end of the longest
} AppInverted;

typedef struct AppSpan {
    double low, high;
} AppSpan;

typedef struct AppWatch {
    int64_t steps; // looked at
    int64_t first; // step that was seen first; above 1: a run that was resumed
    // Contact.
    int64_t above; // steps whose residual was above the tolerance
    double worst, tolerance;
    // Energy, J.
    double least;                      // of what the world has beyond the work done on it, so far
    ThawLedger at_least;               // of that moment
    AppSpan height, external, machine; // gravitational energy; the work of loads and scripts, of obstacles
    double largest;                    // of all energies, and of what went through
    double grown;                      // the most by which it was above the least
    double grown_at;                   // s
    ThawLedger by;                     // what has changed between the two
    double parted;                     // the most that lifting bodies apart has put in
    double parted_before;              // what it had before the first step
    AppInverted *body;                 // by body; NULL: nothing is watched
} AppWatch;

ThawStatus app_watch_create(const ThawWorld *world, AppWatch *watch, ThawError *error);
void app_watch_clear(AppWatch *watch);
// After each step.
void app_watch_step(AppWatch *watch, ThawWorld *world, const ThawStepStats *stats);
// The next warning; 0: there are no more. *place: 0 for the first, and moved on by each call.
int app_watch_line(const AppWatch *watch, const ThawWorld *world, int32_t *place, char text[400]);
// All of them to stderr, as from that subcommand and, if not NULL, about that method. Returns how many.
int app_watch_complain(const AppWatch *watch, const ThawWorld *world, const char *command, const char *about);

#endif
