// SPDX-License-Identifier: Apache-2.0
// Energy. All that a world has, kinetic + shadow + elastic + gravitational + what the springs of contacts hold, less
// the work of loads, scripts and moving obstacles, may only fall. By how much it rises above the least it has been is
// energy out of nothing; below GROWN of the largest energy so far that is the error of any time step.
//
// Elements inside out. A soft body that is struck turns some for a few steps; which last longer than LASTING, or to the
// end, are told.
#include "watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "app.h"
#include "base/base.h"

static const double GROWN = 0.01;
enum { LASTING = 20 }; // steps

ThawStatus app_watch_create(const ThawWorld *world, AppWatch *w, ThawError *error) {
    *w = (AppWatch){.least = INFINITY, .lowest = INFINITY};
    w->body = THAW_NEW(AppInverted, thaw_world_body_count(world));
    return w->body ? THAW_OK : thaw_error_memory(error, "the watch over a run");
}

void app_watch_clear(AppWatch *w) {
    thaw_free(w->body);
    *w = (AppWatch){0};
}

static void look_at_energy(AppWatch *w, const ThawStepStats *s) {
    const ThawLedger *l = &s->ledger;
    double own = l->kinetic + l->shadow + l->elastic + l->contact_energy + l->gravitational;
    if (!isfinite(own)) // no ledger
        return;
    double left = own - l->external_work - l->obstacle_work;
    w->lowest = fmin(w->lowest, l->gravitational);
    w->largest = fmax(w->largest, own - w->lowest);
    w->least = fmin(w->least, left);
    if (left - w->least > w->grown) {
        w->grown = left - w->least;
        w->grown_at = s->time;
    }
    w->parted = l->parting_work;
}

static void look_at_elements(AppWatch *w, ThawWorld *world, const ThawStepStats *s) {
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        AppInverted *i = &w->body[b];
        i->now = s->inverted > 0 ? thaw_world_inverted_count(world, b) : 0;
        i->most = i->now > i->most ? i->now : i->most;
        if (i->now > 0 && i->steps == 0)
            i->since = s->time;
        i->steps = i->now > 0 ? i->steps + 1 : 0;
        if (i->steps > i->longest) {
            i->longest = i->steps;
            i->until = s->time;
        }
    }
}

void app_watch_step(AppWatch *w, ThawWorld *world, const ThawStepStats *s) {
    if (!w->body)
        return;
    w->steps++;
    w->tolerance = s->response_tolerance;
    w->above += s->response_residual > s->response_tolerance;
    w->worst = fmax(w->worst, s->response_residual);
    look_at_energy(w, s);
    look_at_elements(w, world, s);
}

static int tell_inverted(const AppWatch *w, const ThawWorld *world, int32_t b, char text[400]) {
    const AppInverted *i = &w->body[b];
    const int32_t all = thaw_world_element_count(world, b);
    if (i->now > 0)
        snprintf(text, 400,
                 "body %d (%.80s): %" PRId64 " of %" PRId32
                 " elements are inside out at the end, some since t = %.4g s; "
                 "a smaller time step, a finer mesh or neo-hookean, which does not allow it, may help",
                 (int)b, thaw_world_body_name(world, b), i->now, all, i->since);
    else if (i->longest >= LASTING)
        snprintf(text, 400,
                 "body %d (%.80s): up to %" PRId64 " of %" PRId32 " elements were inside out, for %" PRId64
                 " steps until t = %.4g s",
                 (int)b, thaw_world_body_name(world, b), i->most, all, i->longest, i->until);
    else
        return 0;
    return 1;
}

int app_watch_line(const AppWatch *w, const ThawWorld *world, int number, char text[400]) {
    if (!w->body)
        return 0;
    if (w->above > 0 && number-- == 0) {
        snprintf(text, 400,
                 "%" PRId64 " of %" PRId64
                 " steps: contact forces above their tolerance (worst residual %.2g, tolerance "
                 "%.2g); a smaller time step or more iterations of contact may help",
                 w->above, w->steps, w->worst, w->tolerance);
        return 1;
    }
    if (w->grown > GROWN * w->largest && number-- == 0) {
        int length = snprintf(text, 400,
                              "energy grew by %.3g J beyond the work of loads, scripts and obstacles (%.2g %% of the "
                              "largest energy so far, most at t = %.4g s)",
                              w->grown, 100 * w->grown / w->largest, w->grown_at);
        if (fabs(w->parted) > GROWN * w->largest)
            snprintf(text + length, (size_t)(400 - length),
                     "; %.3g J are of bodies that stood in each other and were parted", w->parted);
        return 1;
    }
    for (int32_t b = 0; b < thaw_world_body_count(world); b++)
        if (tell_inverted(w, world, b, text) && number-- == 0)
            return 1;
    return 0;
}

int app_watch_complain(const AppWatch *w, const ThawWorld *world, const char *command, const char *about) {
    enum { MOST = 12 };
    char text[400];
    int count = 0;
    for (; app_watch_line(w, world, count, text); count++)
        if (count < MOST)
            app_complain(command, "warning: %s%s%s", about ? about : "", about ? ": " : "", text);
    if (count > MOST)
        app_complain(command, "warning: %d more such lines", count - MOST);
    return count;
}
