// SPDX-License-Identifier: Apache-2.0
// Energy. All that a world has, kinetic + shadow + elastic + gravitational + what the springs of contacts hold, less
// the work of loads, scripts and moving obstacles, may only fall. By how much it rises above the least it has been is
// energy out of nothing; below GROWN of the largest energy so far, or of the work that went through the world, that is
// the error of any time step. A slow machine does much work on bodies that never have much energy at a time.
//
// Bodies that stand in each other are shifted apart, up or down (parting_work). That is no motion and no force: it is
// left out of the sum, and told of by itself where it has put in as much.
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
    *w = (AppWatch){.least = INFINITY};
    w->body = THAW_NEW(AppInverted, thaw_world_body_count(world));
    return w->body ? THAW_OK : thaw_error_memory(error, "the watch over a run");
}

void app_watch_clear(AppWatch *w) {
    thaw_free(w->body);
    *w = (AppWatch){0};
}

// How far it has gone from its lowest to its highest so far.
static double widen(AppSpan *span, double value, int first) {
    span->low = first ? value : fmin(span->low, value);
    span->high = first ? value : fmax(span->high, value);
    return span->high - span->low;
}

// What contacts have put in beyond what obstacles did and springs hold; never much above 0.
static double from_contacts(const ThawLedger *l) { return l->contact_work - l->obstacle_work + l->contact_energy; }

static void look_at_energy(AppWatch *w, const ThawStepStats *s) {
    const ThawLedger *l = &s->ledger, *from = &w->at_least;
    double own = l->kinetic + l->shadow + l->elastic + l->contact_energy + l->gravitational;
    if (!isfinite(own)) // no ledger
        return;
    int first = isinf(w->least);
    double left = own - l->external_work - l->obstacle_work - l->parting_work;
    if (first)
        w->parted_before = w->first > 1 ? l->parting_work : 0;
    w->parted = fmax(w->parted, l->parting_work - w->parted_before);
    w->largest = fmax(w->largest, widen(&w->height, l->gravitational, first));
    w->largest = fmax(w->largest, own - w->height.low);
    w->largest = fmax(w->largest, widen(&w->external, l->external_work, first));
    w->largest = fmax(w->largest, widen(&w->machine, l->obstacle_work, first));
    if (left < w->least) {
        w->least = left;
        w->at_least = *l;
    }
    if (left - w->least > w->grown) {
        w->grown = left - w->least;
        w->grown_at = s->time;
        w->by = (ThawLedger){.damping_loss = l->damping_loss - from->damping_loss,
                             .integration_loss = l->integration_loss - from->integration_loss,
                             .contact_work = from_contacts(l) - from_contacts(from),
                             .follow_work =
                                 l->follow_work - l->transition_loss - (from->follow_work - from->transition_loss)};
    }
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
    if (w->steps++ == 0)
        w->first = s->step;
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

// Of a run that was resumed: since when.
static const char *since(const AppWatch *w, char text[60]) {
    text[0] = 0;
    if (w->first > 1)
        snprintf(text, 60, ", looked at since step %" PRId64, w->first);
    return text;
}

// Where most of it came from.
static const char *source_of(const ThawLedger *by) {
    static const char *const names[] = {"steps that are too long", "damping of what turns under stress", "contacts",
                                        "rigid parts that follow their loads"};
    const double amounts[] = {-by->integration_loss, -by->damping_loss, by->contact_work, by->follow_work};
    int most = 0;
    for (int i = 1; i < 4; i++)
        most = amounts[i] > amounts[most] ? i : most;
    return names[most];
}

static int tell_residual(const AppWatch *w, char text[400]) {
    char when[60];
    if (w->above > 0)
        snprintf(text, 400,
                 "%" PRId64 " of %" PRId64
                 " steps%s: contact forces above their tolerance (worst residual %.2g, tolerance "
                 "%.2g); a smaller time step or more iterations of contact may help",
                 w->above, w->steps, since(w, when), w->worst, w->tolerance);
    return w->above > 0;
}

static int tell_energy(const AppWatch *w, char text[400]) {
    char when[60];
    if (!(w->grown > GROWN * w->largest))
        return 0;
    snprintf(text, 400,
             "energy grew by %.3g J beyond the work of loads, scripts and obstacles (%.2g %% of the largest energy so "
             "far, most at t = %.4g s%s), mostly by %s",
             w->grown, 100 * w->grown / w->largest, w->grown_at, since(w, when), source_of(&w->by));
    return 1;
}

static int tell_parting(const AppWatch *w, char text[400]) {
    char when[60];
    if (!(w->parted > GROWN * w->largest))
        return 0;
    snprintf(text, 400,
             "bodies that stood in each other were lifted apart, which put in %.3g J (%.2g %% of the largest energy so "
             "far%s)",
             w->parted, 100 * w->parted / w->largest, since(w, when));
    return 1;
}

int app_watch_line(const AppWatch *w, const ThawWorld *world, int32_t *place, char text[400]) {
    static int (*const tell[])(const AppWatch *, char[400]) = {tell_residual, tell_energy, tell_parting};
    enum { FIRST_BODY = sizeof tell / sizeof *tell };
    if (!w->body)
        return 0;
    while (*place < FIRST_BODY)
        if (tell[(*place)++](w, text))
            return 1;
    while (*place - FIRST_BODY < thaw_world_body_count(world))
        if (tell_inverted(w, world, (*place)++ - FIRST_BODY, text))
            return 1;
    return 0;
}

int app_watch_complain(const AppWatch *w, const ThawWorld *world, const char *command, const char *about) {
    enum { MOST = 12 };
    char text[400];
    int count = 0;
    for (int32_t place = 0; app_watch_line(w, world, &place, text); count++)
        if (count < MOST)
            app_complain(command, "warning: %s%s%s", about ? about : "", about ? ": " : "", text);
    if (count > MOST)
        app_complain(command, "warning: %d more such lines", count - MOST);
    return count;
}
