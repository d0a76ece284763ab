// SPDX-License-Identifier: Apache-2.0
// A body's moving frame: the step is made in axes that go along with the rigid motion that the body would have if
// nothing acted on it (moving.c).
#ifndef THAW_STEP_MOVING_H
#define THAW_STEP_MOVING_H

#include "map/map.h"
#include "map/rigid/partition.h"
#include "registry/scheme.h"

struct ThawStepper;
struct ThawIsland;

// The coefficients of one implicit step. A static solve is the same step without mass, damping or history and h = 1.
typedef struct ThawIncrement {
    double t, h; // s, start and length
    double mass; // 1, or 0 for a static solve
    int newton;  // iterate to convergence
    int iterations;
    int still;                    // a static solve: loads and scripts are those of t
    double span;                  // impulses of contact act for so many times h; 0: once
    const ThawSchemeStage *stage; // of the scheme, where bodies have moving frames; else NULL
} ThawIncrement;

// Of the energy that a body has or is given, a linearised step may make so much out of nothing; one that makes more is
// cut in halves, or iterated. No step of the library's scenes does.
#define THAW_LARGEST_GAIN 0.05
// Times what rounding leaves of an elastic energy: nothing is made anew for less.
#define THAW_MANY_ROUNDINGS 1000.0

// A motion by constant rates: in the time t the point that was at `at` has gone by v turned along, and all is turned by
// t omega.
typedef struct ThawScrew {
    double at[3], v[3], omega[3]; // m, m/s at the start, rad/s
} ThawScrew;

// By how much a body goes back that forces have taken too far (travel.c).
typedef struct ThawTravel {
    double at[3];           // m, its centre
    double way[3], turn[3]; // m, rad
    double ease;            // 1/kg; 0: it stays
    double inverse[9];      // of its moments of inertia
} ThawTravel;

// Vectors have dim doubles a vertex of the body.
typedef struct ThawMovingFrame {
    int acts;   // in the interval at hand
    int led;    // what holds the body moves: the frame goes by `screw`
    int mends;  // angular momentum at the end
    int far;    // loads and contacts turn it by more than a step can follow
    int inside; // the stepper's x, v and f_ext are those of the frame
    const ThawScheme *scheme;
    const ThawSchemeStage *stage;
    double h;               // s, of the stage's implicit part
    ThawPart whole;         // the body as one rigid part, as the interval begins: mass, hold, momenta
    ThawScrew screw;        // of what scripts move of it
    ThawRigidMotion motion; // from there to the end of the stage
    // Of the body as a whole against the motion, at the end of the stage before:
    double shift[2][3];   // m, m/s: of its centre; the motion does not turn it
    double turn[2][3];    // rad, rad/s: in axes that go along with the motion, as at the start
    double extra[3];      // rad/s: the frame turns so much faster than the motion, since the stage's result does
    double inertia[2][3]; // rad/s, rad/s^2: what its forces of inertia are made with
    double base[3];       // m, where the centre would be without
    double predicted[9];  // and how it would be turned
    double begun[9];      // how it is turned where the stage was first begun
    struct {
        double at[3], v[3], omega[3];
    } further;             // m, m/s, rad/s: the rigid motion of the stage's result against the frame
    double end[9];         // how the body is turned then
    double turned[9];      // and by what of it the stage's result does that
    double given[2][3];    // N s, N m s: momenta that loads and contacts of the interval have given so far
    double rolled[3];      // N m s: torque that forces of the stage's contacts have beyond those of their points
    double acting[3];      // N m s: of that, by which they act where other points are
    double damping;        // J, what damping of stiffness has taken in it
    double contact;        // J, what contacts have done
    double credit;         // J, by how much more than that they may have (gain.c)
    double own, noise;     // J, what it has gained beyond the work of loads, NAN: not known; and what rounding leaves
    double levered;        // by how much of the way of its contacts levers have been moved
    double unrolled;       // how much of `rolled` has been taken off
    double span;           // s, of the interval
    ThawTravel travel;     // at its end
    double loss;           // J, in the stage
    double driven, drive;  // J, what scripts have done in the interval, and in the stage
    double *r;             // m, levers at the start of the interval
    double *w;             // m/s, velocities against the motion then, turned by the Coriolis force
    double *moved, *speed; // m, m/s: against the motion at the end of the stage before, in axes of the start
    double *lead;          // m/s, along which contacts were looked for
    double *last;          // m, places at the end of the stage before
    double *impulse;       // N s, of contacts in the stages before, as they count for the whole
    // Where the stage begins, in axes of its end:
    double *x, *v;                                     // m, m/s against the motion
    double *along;                                     // m/s, of the motion itself
    double *f_ext;                                     // N, loads and the frame's forces of inertia
    int32_t *vertices;                                 // all
    double *outer_x, *outer_v, *outer_f, outer_energy; // what the stepper has outside
    double *outer_w, *still;                           // likewise; and what it has inside for that, where it is led
} ThawMovingFrame;

#define THAW_MOVING_VECTORS(frame)                                                                                     \
    &(frame)->r, &(frame)->w, &(frame)->moved, &(frame)->speed, &(frame)->last, &(frame)->lead, &(frame)->impulse,     \
        &(frame)->x, &(frame)->v, &(frame)->along, &(frame)->f_ext

// Room; nothing happens where there is.
ThawStatus thaw_moving_reserve(struct ThawStepper *s, ThawError *error);
// Velocities of vertices along the chords of the way from t to t + h that they will go if nothing but scripts acts on
// them: where to look for contacts.
void thaw_moving_lead(struct ThawStepper *s, double t, double h, double *v);
// The frame of an interval, from the stepper's x, v and map; loads are evaluated. Not where scripts move the body
// otherwise than as one rigid thing, nor where pins leave it no rigid motion, nor for maps and inertias that do not
// turn, nor for units: these go by the world's axes.
void thaw_moving_find(struct ThawStepper *s, ThawIncrement step, const ThawScheme *scheme);
// Whether a step of the body can have several stages: these are put together in axes that turn, which not all maps
// know, and the explicit half of one asks for accelerations of vertices, which offsets of a map and inertias between
// vertices do not have.
int thaw_moving_has_stages(const struct ThawStepper *s);
// Where a stage of the interval begins.
ThawStatus thaw_moving_begin_stage(struct ThawStepper *s, ThawIncrement step, const ThawSchemeStage *stage);
// From here on the stepper is in the frame: x, v, v1 and q are seen from there. And back; x1 and v1 are the world's
// then.
void thaw_moving_enter(struct ThawStepper *s);
void thaw_moving_leave(struct ThawStepper *s, ThawIncrement step);
// Velocities of the stage's result turn the body further; x1 goes along arcs, not chords, or what is stiff would be
// stretched by as much as a blow turns it.
void thaw_moving_turn(struct ThawStepper *s);
// How far they turn it, rad.
double thaw_moving_turns(struct ThawStepper *s);
// The stage begins anew, outside, in a frame that turns along with what the stepper's v1 say.
void thaw_moving_reframe(struct ThawStepper *s);
// Whether they turn it so that what is solved for is not what momenta leave of it.
int thaw_moving_is_crooked(struct ThawStepper *s);
// All rows of contacts and attachments of the island learn how far their sides go beyond what velocities at the end
// say.
void thaw_moving_see_ahead(struct ThawIsland *island, ThawIncrement step);
// What torques contacts of smooth bodies have beyond those of their points, in moving.rolled.
struct ThawWorld;
void thaw_moving_roll(struct ThawWorld *world);
// What the stage's result has for the next one and for the whole.
void thaw_moving_end_stage(struct ThawStepper *s);
// J, what the interval has added to its energy beyond the work of loads; had: what it had and was given is added.
double thaw_moving_gain(struct ThawStepper *s, double *had);
// Whether what is missing of its momenta after the last stage is more than may be mended.
int thaw_moving_is_kicked(struct ThawStepper *s, ThawIncrement step);
// The interval is final: parts of the map move on, and v1 (and their momenta) get exactly the momenta that loads and
// contacts have given. Then the ledger.
void thaw_moving_commit(struct ThawStepper *s, ThawIncrement step);

// travel.c: how far bodies go back, once the interval of h is solved; nonzero: some do. That of positions at the end,
// and then of velocities of all vertices and the map's frames; v: of the centre, m/s.
struct ThawWorld;
int thaw_travel_find(struct ThawWorld *world, double h);
void thaw_travel_back(struct ThawStepper *s);
void thaw_travel_turn(struct ThawStepper *s, const double v[3], double *all);

// gain.c: what contacts may have done on bodies beyond their forces along the way of a whole interval of h.
void thaw_gain_credit(struct ThawWorld *world, double h);
// Takes off v1, velocities of all vertices, and off the map's momenta, what the interval has made out of nothing.
// kinetic0: J, as it began; r: scratch.
void thaw_gain_take(struct ThawStepper *s, double kinetic0, double *v1, double *r);
// Of a body that has no frame in the interval: what it has gained, into moving.own.
void thaw_gain_note(struct ThawStepper *s);
// Once the interval is final: how much can be had of motion against the rigid one, J; takes that much, or at most so
// much of the turn of what touches or is pinned, and returns how much it was.
double thaw_gain_reserve(struct ThawStepper *s);
double thaw_gain_give(struct ThawStepper *s, double most);
double thaw_gain_turn(struct ThawStepper *s, double most);
// J, what the body will have gained at least, whatever is taken off. Added to moving: what it has of motion then; to
// size: what it had and was given.
double thaw_gain_least(struct ThawStepper *s, double *moving, double *size);
// balance.c
// Which islands have made energy that cannot be taken off; any.
int thaw_balance_find_lost(struct ThawWorld *world, double h, int halvings);
void thaw_balance_begin(struct ThawWorld *world);
void thaw_balance_close(struct ThawWorld *world, double h);

#endif
