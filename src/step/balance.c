// SPDX-License-Identifier: Apache-2.0
// One book for an island: no interval in moving frames leaves it more energy than it had and was given. Guards of its
// bodies (gain.c, and those of methods) see each body alone, and what contacts do on one as work from outside. What
// they cannot see is closed here, over bodies, springs of contacts and obstacles together:
//
//     gain = sum over bodies (dK + dE + dG - loads) + C1 - C0 - obstacles,
//
// C: what springs of contacts hold, C0 of all rows that the last interval has left, also of those that are gone, C1 of
// all that there are, also of new ones; obstacles: what those that move do. So a spring that two bodies share is paid
// for by the one that can; rows that come and go make nothing; and energy that an adaptive body has got by following
// its shadow is seen beside what the springs have really given for it.
//
// The two stages of blows let energy swing between springs and motion. There the lesser counts of what is gained by
// this book and by that of what impulses do along the way; and what is left of this book, summed over all parts of the
// step, is closed with its last part. (Not where all steps have two stages: such a step is too short for that.)
//
// What is gained comes off motion against the rigid motion of the bodies, of each the same share of what it has, which
// has no momenta; then off turns (gain.c). dK and dE of a body are its guard's sums, or those of the ledger where its
// method keeps one. Where scripts drive a body without a ledger, or attachments hold one,
// its island is left alone.
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "step/body.h"
#include "step/method.h"

static const double ROUNDING = 1e-12; // of the energies that the gain is the small difference of

// What a body has gained beyond loads since the step began, by its ledger.
static double booked(const ThawStepper *s) {
    const ThawLedger *w = &s->work;
    return w->contact_work + w->follow_work - w->damping_loss - w->integration_loss - w->transition_loss;
}

void thaw_balance_begin(ThawWorld *world) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        s->balanced = booked(s);
    }
}

static ThawIsland *island_of(ThawWorld *world, int32_t body) {
    const ThawStepper *s = thaw_world_mover(world, body);
    return world->state.asleep[s->index] ? NULL : &world->islands[s->island];
}

static void add_springs(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < set->memory_count; i++) {
        ThawIsland *island = island_of(world, set->memory[i].key.body[0]);
        if (!island)
            continue;
        island->gain -= set->memory[i].energy;
        island->springs += set->memory[i].energy;
    }
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        ThawIsland *island = island_of(world, c->key.body[0]);
        if (!island)
            continue;
        const double energy = thaw_contact_energy(&world->model->options.contact, c, world->model->dim, h);
        island->gain += energy;
        island->springs += energy;
        for (int k = 0; k < world->model->dim && c->nodes[1] == 0; k++)
            island->gain -= c->lambda[k] * thaw_v3_dot(c->frame[k], c->velocity);
    }
}

// J, what rounding leaves of the island's gain.
static double noise_of(const ThawIsland *island) {
    double sum = 0;
    for (int32_t b = 0; b < island->count; b++) {
        const ThawStepper *s = island->bodies[b];
        ThawLedger has = {0};
        if (!thaw_ledger_is_needed(s)) {
            sum += s->moving.noise;
            continue;
        }
        thaw_ledger_add_energies(s, 0, &has);
        sum += ROUNDING * (has.kinetic + has.shadow + fabs(has.elastic)) + 2 * s->energy_rounding;
    }
    return sum;
}

static void book(ThawStepper *s, double taken) {
    if (thaw_ledger_is_needed(s)) {
        s->work.transition_loss += taken;
        s->accounted -= taken;
    } else
        s->work.integration_loss += taken;
}

static double take_from_motion(ThawIsland *island, double gain) {
    double has = 0, taken = 0;
    for (int32_t b = 0; b < island->count; b++)
        has += thaw_gain_reserve(island->bodies[b]);
    for (int32_t b = 0; b < island->count && has > 0; b++) {
        ThawStepper *s = island->bodies[b];
        const double given = thaw_gain_give(s, fmin(1, gain / has) * thaw_gain_reserve(s));
        book(s, given);
        taken += given;
    }
    return taken;
}

// Whether each step lets energy swing between springs and motion, not only blows.
static int swings(const ThawIsland *island) {
    return thaw_scheme(island->world->model->options.integrator)->stage_count > 1;
}

// What islands of these bodies have gained in parts of the step before this one.
static double take_open(ThawIsland *island) {
    double sum = 0;
    for (int32_t b = 0; b < island->count; b++) {
        sum += island->bodies[b]->open;
        island->bodies[b]->open = 0;
    }
    return sum;
}

// Whether scripts may move something of it: what they do then is in no sum over several parts, and whether they do so
// at present depends on where one looks from.
static int is_driven(const ThawIsland *island) {
    for (int32_t b = 0; b < island->count; b++)
        if (island->bodies[b]->body->script_count > 0)
            return 1;
    return 0;
}

static double take(ThawIsland *island, double gain) {
    double left = gain;
    if (!(gain > 0) || !(gain > noise_of(island)))
        return 0;
    left -= take_from_motion(island, left);
    for (int32_t b = 0; b < island->count && left > 0; b++) {
        const double taken = thaw_gain_turn(island->bodies[b], left);
        book(island->bodies[b], taken);
        left -= taken;
    }
    return gain - left;
}

static void close(ThawIsland *island) {
    const int stages = island->world->scheme->stage_count;
    double along = 0;
    for (int32_t b = 0; b < island->count; b++) {
        const ThawStepper *s = island->bodies[b];
        const double own = thaw_ledger_is_needed(s) ? booked(s) - s->balanced : s->moving.own;
        island->gain += own;
        along += own - (s->moving.acts ? s->moving.contact : 0);
    }
    island->gain -= take(island, stages > 1 ? fmin(island->gain, along) : island->gain);
    if (stages == 1 || swings(island) || is_driven(island))
        return;
    island->gain += take_open(island);
    if (island->world->parts_left > 0)
        island->bodies[0]->open = island->gain;
    else
        take(island, island->gain);
}

// Of what an island has and is given: so much may be made out of nothing that cannot be taken off; without contacts,
// and with them.
static const double SMALL = 1e-6, SMALL_PRESSED = 1e-4;
enum { CUTS = 3 }; // in halves, where contacts press

static void add_all_springs(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t k = 0; k < world->island_count; k++) {
        world->islands[k].gain = world->islands[k].springs = 0;
        world->islands[k].held = 0;
    }
    for (int32_t i = set->count; i < set->count + set->attached; i++) {
        ThawIsland *island = island_of(world, set->contacts[i].key.body[0]);
        if (island)
            island->held = 1;
    }
    add_springs(world, h);
}

// Contacts that hold what hardly moves push it to and fro, step by step; shorter steps would not end that. So where
// there are any, only what is left as motion counts.
static int is_lost(const ThawIsland *island, int cuts) {
    double gain = island->gain, along = 0, size = island->springs, moving = 0;
    for (int32_t b = 0; b < island->count; b++) {
        ThawStepper *s = island->bodies[b];
        if (s->offset_moves)
            return 0;
        const double least =
            thaw_gain_least(s, &moving, &size) + (thaw_ledger_is_needed(s) ? booked(s) - s->balanced : 0);
        gain += least;
        along += least - (s->moving.acts ? s->moving.contact : 0);
    }
    if (island->world->scheme->stage_count > 1)
        gain = fmin(gain, along);
    if (island->springs > 0)
        return cuts < CUTS && gain > SMALL_PRESSED * size && moving > gain;
    return gain > SMALL * size;
}

int thaw_balance_find_lost(ThawWorld *world, double h, int halvings) {
    const int cuts = world->model->options.halvings - halvings;
    int any = 0;
    add_all_springs(world, h);
    for (int32_t k = 0; k < world->island_count; k++) {
        ThawIsland *island = &world->islands[k];
        island->lost = !island->held && is_lost(island, cuts);
        any |= island->lost;
    }
    return any;
}

void thaw_balance_close(ThawWorld *world, double h) {
    add_all_springs(world, h);
    for (int32_t k = 0; k < world->island_count; k++)
        if (!world->islands[k].held && !world->islands[k].lost)
            close(&world->islands[k]);
}
