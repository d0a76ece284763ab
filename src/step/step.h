// SPDX-License-Identifier: Apache-2.0
// World = Model (const) + State (what a checkpoint stores) + one Stepper a body (scratch of a step and kept factors).
#ifndef THAW_STEP_H
#define THAW_STEP_H

#include "contact/contact.h"
#include "map/rigid/motion.h"
#include "model/definition.h"
#include "model/model.h"
#include "reduced/reduced.h"
#include "registry/method.h"
#include "registry/scheme.h"
#include "response/response.h"
#include "step/moving.h"
#include "thaw/field.h"
#include "thaw/world.h"

// Options of a method in force (options.c). Structs are as large as the method's table says.
typedef struct ThawStateOptions {
    void *common; // of the world; NULL: the method has no options
    void **own;   // body_count structs of bodies that have their own; NULL: the common one
} ThawStateOptions;

// Everything that the future depends on. Vectors run over the vertices of all bodies, internal numbering.
typedef struct ThawState {
    int64_t step;
    double time;               // s; step * h
    double *x, *v;             // dim * vertex_count: m, m/s
    double *push;              // dim * vertex_count: forces set through the API, N
    ThawLedger ledger;         // works and losses since the start; energies are not kept here
    ThawContactSet contacts;   // its memory belongs to the state, the contacts themselves to the step
    ThawContactSet resting;    // of bodies asleep, likewise: kept as they were when the bodies fell asleep
    unsigned char *asleep;     // body_count flags: it stands still with all that it touches (sleep.c)
    unsigned char *slow;       // body_count: steps in a row after which it might have fallen asleep, capped; of a unit
                               // the first body's
    unsigned char *method;     // body_count: an index of the registry
    ThawStateOptions *options; // one a method of the registry
    unsigned char *released;   // attachment_count flags: it has let go (attach.c)
    double *let_go;            // 2 * attachment_count: when (s) and at which force (N) it has; NAN: it holds
    double *pull;              // 3 * anchor_count: forces of attachments on their regions' vertices in the last step, N
    struct ThawChange *changes; // of shapes, that have happened (change.h)
    int32_t change_count;
    double **folds;  // body_count: what each sheet that yields is folded by (model/crease.h), rad; NULL: it does not
    int32_t **turns; // body_count: quarter turns of each sheet's hinges (model/hinges.h); NULL: it has none
    int32_t *taken;  // body_count: how many of the body's schedule are among them; NULL: no body has one
} ThawState;

enum { THAW_LARGE_BODY = 10000 }; // elements from which a body's own loops are worth sharing out

// The stages that are timed.
typedef enum ThawStage {
    THAW_STAGE_FORCE,
    THAW_STAGE_ASSEMBLE,
    THAW_STAGE_FACTOR,
    THAW_STAGE_SOLVE,
    THAW_STAGE_ORACLE,   // decisions of methods, and maps and systems for them
    THAW_STAGE_CONTACT,  // detection
    THAW_STAGE_RESPONSE, // rows and impulses, not the shared factor
    THAW_STAGE_ADVANCE,
    THAW_STAGE_LEDGER,
    THAW_STAGE_COUNT
} ThawStage;

// What happened to a body in the step that was begun at `at`; anything older is no event any more (events.c).
typedef struct ThawEvents {
    int64_t at;           // -1: nothing yet
    ThawReason cause;     // of what woke
    int32_t woke, formed; // elements
    int fell, rose;
    ThawReason risen_by; // of a sleeping body that rose
} ThawEvents;

// What corrections have seen of a potential's curvature: ways in the unknowns, and by how much the gradient grew on
// each (correct.c).
enum { THAW_SECANTS = 8 };
typedef struct ThawSecants {
    int room, count;          // of a ring of pairs; and how many have been closed in this stage
    int open;                 // the next slot has q and b as they were
    double rho[THAW_SECANTS]; // 1/J
    double *all;              // room pairs of unknowns
} ThawSecants;

// The step of one body, or of one unit: then the body is the unit's, its index that of the first body, and the steppers
// of the others stay empty. Vectors have dim doubles a vertex of the body; b, q, p, r and trial_q dim doubles a block
// of q.
typedef struct ThawStepper {
    int32_t index;            // of the body
    int32_t island;           // it is in, in this step
    const ThawMethod *method; // that of the state
    void *data;               // the method's, of a body awake; NULL: it needs none, or the body sleeps
    void *record;             // the method's, also asleep, or NULL
    int changed;              // by the method's last decision its unknowns are others
    int moved;                // that decision has moved x, from x1; until springs have seen it (attach.c)
    int called;               // a ThawMethodCall: what of the method's table was called last
    ThawEvents events;
    const ThawModel *model;
    const ThawModelBody *body;
    const ThawShape *shape;
    ThawTasks *tasks;
    ThawInertia lumped;           // of the shape's masses
    const ThawInertia *inertia;   // that; or another one, which the method has set and which goes with its data
    ThawSystem *system;           // shared; NULL until the first step and after a change of scripts
    ThawSolver *solver;           // the one of the present step:
    ThawSolver *plain, *direct;   // of the system's plan, and of its direct plan for steps in contact; made when needed
    ThawSolver *stiff;            // of the direct plan: of the matrix with contacts' springs; made when needed
    int touching;                 // in contact in this step
    double residual;              // of its island's contacts, as last solved
    int parted;                   // shifted out of something in this step
    int again;                    // its island is to be solved again, for contacts that were missed; then: was solved
    int answered;                 // its method has decided for the interval that is being solved
    const ThawSolver *linearised; // whose factor and b (of x0) are those of the interval that is being solved, or NULL
    double linearised_t, linearised_h; // s, that interval
    const ThawSolver *factored;        // whose factor is that of the step at hand, at whatever place; or NULL
    double factored_h;                 // s, its interval
    unsigned char *scripted;           // nv flags for the present step
    double middle;                     // s, of the present step: decides which scripts act, for all its parts
    double marked_until;               // s, `scripted` is good for middles before this
    double loads_until;                // s, f_ext and w are good for steps that end by then
    int loads_changed;                 // they have been computed since this was cleared last
    double *x, *v;                     // the body's part of the state
    const double *push;                // likewise
    double *start_x, *start_v;         // at the start of the whole step, to go back to
    double *w;                         // offset: velocities of scripted vertices
    int offset_moves;                  // w is not zero
    double *f, *f_ext;                 // elastic and external forces, N
    double *v1, *x1;                   // the result
    double *before;                    // velocities that contact starts from
    double *impulse;                   // N s, J' lambda of its contacts
    int impulse_acts;                  // not all of it is zero
    double *y, *u;                     // scratch
    double *b, *q, *p, *r, *trial_q;
    ThawSecants secants;         // of corrections
    double *v0;                  // Newton: velocities of the start, of rigid parts by their momenta
    double *chord;               // Newton: what chords of turning parts have on top of Gq + w
    double *d, *dp;              // Newton: damping forces h D(x0) (v + chord) and h D(x0) p
    int damped;                  // Newton: d and dp are there
    double *damping;             // Newton: values of h D(x0); NULL without stiffness damping
    double *partial;             // sums by chunk
    ThawComplianceScratch reach; // of contact
    ThawMovingFrame moving;      // of the interval that is being solved
    ThawMotion motion;           // before its method decides
    int project;                 // this attempt projects element stiffness at x0
    int gains;                   // the attempt before made energy out of nothing by stiffness that is not definite
    double excess;               // J, that its last attempt made out of nothing; 0: so little that it passes for that
    int iterated;                // this step was iterated to convergence
    int stood_projected;         // the linearised attempt before that was projected
    int resisted;                // y and forms are those of thaw_body_resist
    double forms[2];             // J, v1'Kv1 and v1'Dv1 of elastic elements, see thaw_force_product
    int element_projected;       // Newton: the present iteration does at x1
    double energy_rounding;      // J, what rounding leaves of an elastic energy that ought to be zero
    // What happened in this step:
    ThawStatus status;
    double ms[THAW_STAGE_COUNT];
    int newton_iterations, projected;
    int64_t solver_iterations;
    ThawLedger work;           // works and losses of this step
    double accounted;          // J, what of their sum the method's finish has seen
    double open;               // J, what its island has gained in parts of the step so far (balance.c)
    double balanced;           // J, what it had gained by them when the interval began (balance.c)
    int bound;                 // its method's is_bound when the step began
    double elastic;            // J, of x; kept by the ledger
    double next_elastic;       // J, of x1, where the check of the step has come by it; else NAN
    double set_energy;         // J, of the elements of the map's set, at x, or NAN: not known
    double next_set_energy;    // the same at x1
    int64_t set_inverted;      // of these elements, those that are inside out at x; -1: not known
    int64_t next_set_inverted; // the same at x1
    int64_t inverted;          // elements of rigid parts (asleep: of the body) that are inside out; -1: not counted yet
    uint64_t hash;             // of x and v after it
    // While it sleeps:
    double wake_time; // s, when its loads or scripts change next
    double height;    // J, gravitational
    int32_t parts;    // rigid parts it had
} ThawStepper;

// Bodies that are joined by contacts in this step, or one body alone: what is solved together.
typedef struct ThawIsland {
    const ThawWorld *world;
    ThawStepper **bodies;    // count, by ascending index
    ThawResponseBody *views; // count, scratch
    int32_t count;
    ThawContactSet *set;
    const int32_t *contacts; // contact_count indices into the set, ascending
    int32_t contact_count;
    ThawResponse *response; // made at the first contact and kept
    ThawTasks *tasks;
    int64_t elements;             // of all bodies
    int stands;                   // its last solution stands: no contact of it was missed
    int frames;                   // how often bodies have got other frames in the stage
    int turns;                    // they need others once more
    double merit, merit_rounding; // J, of what is iterated, where the last search has ended; NAN: not known
    double gain;                  // J, of all of it in the interval (balance.c); NAN: not known
    double springs;               // J, that contacts hold before and after
    int held;                     // attachments hold bodies of it
    int lost;                     // it has failed, or made energy that cannot be taken off
    // What happened:
    ThawStatus status;
    int32_t failed; // the body that failed
    int32_t iterations;
    double residual, response_ms;
} ThawIsland;

// A body's way out of others that it stands in (parting.c).
typedef struct ThawShift {
    double way[3]; // m
    double ease;   // 1/kg; 0: it stays
} ThawShift;

typedef struct ThawRebound ThawRebound;

// How a body makes its step. All that touch make it alike: in the most parts that any of them needs, and struck if any
// of them is.
typedef struct ThawPace {
    int32_t parts;          // of equal length, 1 at least
    unsigned char blow;     // flag: it is struck, and goes by the scheme of blows
    unsigned char rebounds; // flag: it is struck by what is too stiff for that, and rebounds
} ThawPace;

struct ThawWorld {
    ThawDefinition *definition; // what the model was compiled from
    struct ThawEdit *edit;      // changes that are being made of it (edit.h); NULL: none are
    uint64_t next_id;           // of what is added next
    uint64_t edition;           // grows when memory that views look at is given back
    ThawModel *model;
    ThawState state;
    ThawTasks *tasks;
    ThawTasks *alone;      // of bodies too small to share out their loops: one thread, which `stop` stops, too
    ThawStepper *steppers; // one a body
    int32_t *awake; // bodies that neither sleep nor are aside, ascending: all that a step looks at; of a unit the
                    // first
    int32_t awake_count;
    unsigned char *marks; // body_count, scratch
    ThawSystem **systems; // shared between bodies
    int32_t system_count;
    int32_t lent;           // the first of them: another world's, while this one is made in its place (edit.c)
    ThawCollider *collider; // NULL where nothing can touch
    ThawIsland *islands;    // body_count of them, the first island_count in use
    int32_t island_count;
    ThawStepper **members;   // body_count, island by island
    ThawResponseBody *views; // likewise
    int32_t *island_of;      // body_count
    int32_t *contact_order;  // contacts, island by island
    int32_t contact_capacity;
    ThawContactSet missed;           // contacts of a second search; scratch
    double *end_v;                   // dim * vertex_count, velocities for it
    unsigned char *astray;           // body_count flags: bodies that it is made for
    ThawShift *shift;                // body_count, scratch
    ThawContactMemory *start_memory; // at the start of the whole step, to go back to
    int32_t start_memory_count, start_memory_capacity;
    unsigned char *start_released; // at the start of the whole step, likewise
    double *start_pull;            // likewise
    double *start_let_go;          // likewise
    double *expected;              // 3 * anchor_count, N s: impulses of attachments in the interval at hand
    double middle;                 // s, of the present step
    double attached_at;            // s, what rows of attachments were made for
    const ThawScheme *scheme;      // of the interval: the world's integrator, or that of blows
    ThawCancel cancel;
    ThawStop stop;         // asks `cancel` while a step is under way
    struct ThawKept *kept; // what a cancelled step goes back to (keep.h); NULL where nothing can cancel
    int found;             // contacts are those of the interval that is tried next
    // Islands that make a step in parts (parts.c):
    ThawPace *pace;         // body_count: how it makes this step
    int32_t *party;         // body_count: with whom it does; 0: those of the plain pace; -1: asleep
    int32_t parties, turn;  // how many parties there are, and whose turn it is
    int32_t *together;      // body_count, a forest: bodies that are of one party in this step
    unsigned char *aside;   // body_count, not 0: awake, and waiting for others; put aside at that depth
    int blows;              // those whose turn it is make the step for their blows
    int parts_left;         // of a step in parts for blows, of those whose turn it is
    int depth;              // how often some of those whose turn it was have been put aside
    double *span;           // 6 * body_count, m: boxes of where bodies have been in the step
    int spans;              // they are known
    ThawContactSet waiting; // contacts of bodies aside
    int went_back;          // how often this step has been begun anew
    ThawRebound *rebound;   // NULL: no pair has a coefficient of restitution
    // What happened in this step:
    int substeps;
    double contact_ms, response_ms, response_residual;
    int response_iterations;
};

// The stepper that moves a body: its own, or that of the first body of its unit.
static inline ThawStepper *thaw_world_mover(const ThawWorld *world, int32_t body) {
    return &world->steppers[world->model->bodies[body].mover];
}

// m, the gap of a contact that the step from v to v1 ends with, as its velocities say (missed.c).
double thaw_step_gap_at_end(const ThawWorld *world, const ThawContact *contact, double h);
// missed.c: adds to the contacts those that the step (x, v to v1) ran into without a row. Nonzero *added: solve again;
// *woken: it ran into bodies that slept, so all of it has to be done again.
ThawStatus thaw_step_find_missed(ThawWorld *world, ThawIncrement increment, int32_t *added, int *woken,
                                 ThawError *error);

// passing.c: rows of smooth surfaces get the points by which they touch after a share `at` of the step.
ThawStatus thaw_step_find_points(ThawWorld *world, ThawIncrement step, double at, ThawError *error);

// blow.c: into how many parts the step from t to t + h had better be cut for the blows of contacts, which were looked
// for along v: in world->pace, of the bodies on their first sides; elsewhere the step is one.
void thaw_blow_find(ThawWorld *world, const double *v, double h);
// Whether the blow of a contact takes more parts than are allowed, so that a step of h does not resolve it; and below
// which speed (m/s) it is none.
int thaw_blow_is_unresolved(const ThawWorld *world, const ThawContact *contact, double h);
double thaw_blow_slow(const ThawWorld *world, const ThawContact *contact, double h);
// facet.c: after that, the same for what rolls over facets.
void thaw_facet_find(ThawWorld *world, double h);

// rebound.c: contacts of the interval of h have been found. Where any that rebound meet within `window` (s), bodies get
// the velocities after that, and *until is 0; else it is the time until the first meet, or more than h.
ThawStatus thaw_rebound_create(ThawWorld *world, ThawError *error);
void thaw_rebound_free(ThawWorld *world);
ThawStatus thaw_rebound_strike(ThawWorld *world, double h, double window, double *until, ThawError *error);

// parts.c
ThawStatus thaw_parts_create(ThawWorld *world, ThawError *error);
void thaw_parts_free(ThawWorld *world);
int thaw_parts_may_be(const ThawWorld *world);  // whether steps may be cut for blows
int thaw_parts_may_cut(const ThawWorld *world); // whether islands may make intervals in halves beside others
void thaw_parts_begin(ThawWorld *world);        // a step
void thaw_parts_begin_try(ThawWorld *world);    // and each time that it is begun anew: all are of one party
// After thaw_blow_find: all that may touch gets one pace, and all of one pace are a party. Whether there are several.
int thaw_parts_plan(ThawWorld *world);
// It is the turn of that party, if anybody of it is awake; the others are put aside.
ThawStatus thaw_parts_turn(ThawWorld *world, int32_t party, int *any, ThawError *error);
// Of the islands at hand: what is near to one that is lost is lost with it. Whether others are left.
int thaw_parts_spread_loss(ThawWorld *world);
// Bodies of islands that are lost are a party of their own from now on, and put aside. Then it is the turn of that
// party, and the others are aside; and then all go on together, whose turn it was before.
ThawStatus thaw_parts_split(ThawWorld *world, int32_t *party, ThawError *error);
ThawStatus thaw_parts_change(ThawWorld *world, int32_t party, ThawError *error);
ThawStatus thaw_parts_join(ThawWorld *world, int32_t turn, ThawError *error);
void thaw_parts_seen(ThawWorld *world); // where those whose turn it is are, after an interval
// All have made the step: none is aside. Or none of it is to stand, and the world goes back.
ThawStatus thaw_parts_end(ThawWorld *world, ThawError *error);
void thaw_parts_forget(ThawWorld *world);
// Whether bodies may have met that were not each other's company: the step is to be made anew.
int thaw_parts_met(ThawWorld *world);

// parting.c: how far bodies that stand in each other are to be shifted, from contacts and v1 of the step; nonzero: any
// is. And the shift itself, once the step is done.
void thaw_parting_mark(ThawWorld *world); // before: which contacts that concerns
int thaw_parting_find(ThawWorld *world, ThawIncrement increment);
void thaw_parting_apply(ThawWorld *world);

// sleep.c
// Before the step from t to t + h: wakes bodies whose loads or scripts change, and lets islands fall asleep that have
// been at rest for long enough.
ThawStatus thaw_sleep_turn(ThawWorld *world, double t, double h, ThawError *error);
// Wakes a body and all that it rests on or carries; nothing happens if it is awake.
ThawStatus thaw_sleep_wake(ThawWorld *world, int32_t body, ThawError *error);
// After contacts were found: drops those between bodies asleep or obstacles that stand still, and wakes bodies asleep
// that anything else touches. *woken: contacts have to be found again.
ThawStatus thaw_sleep_disturb(ThawWorld *world, ThawContactSet *set, double t, double h, int *woken, ThawError *error);
// Contacts of bodies with world->marks, and what is remembered of them, go from one set to the other. Both stay sorted.
ThawStatus thaw_contacts_move(ThawWorld *world, ThawContactSet *from, ThawContactSet *to, ThawError *error);
// A body starts asleep, or is asleep in a checkpoint: gives back all that only a body awake needs.
void thaw_sleep_lay(ThawWorld *world, ThawStepper *stepper);
// Brings all bodies to the flags, methods and thresholds of a checkpoint, whose x, v and time are in place.
ThawStatus thaw_sleep_restore(ThawWorld *world, const unsigned char *asleep, ThawError *error);
// Whether an obstacle is elsewhere at t + h than at t.
int thaw_obstacle_moves(const ThawModelObstacle *obstacle, double t, double h);
// The list of bodies that are awake.
void thaw_world_list_awake(ThawWorld *world);

// The middle of a step: what windows of loads and pins are asked at. From the number of the step, so that it has the
// same bits for all callers.
static inline double thaw_step_middle(const ThawModel *model, int64_t step) {
    return thaw_model_time(model, (double)step + 0.5);
}

// drive.c: obstacles that stood still may move from now on, or stand elsewhere.
void thaw_drives_forget_places(ThawWorld *world);

// options.c: those of the definition, and away with them; state->options may be NULL.
ThawStatus thaw_state_create_options(ThawState *state, const ThawWorldDef *def, ThawError *error);
void thaw_state_free_options(ThawState *state, int32_t body_count);
// Options in force for the body with that method, or with its present one; NULL: the method has none.
const void *thaw_state_method_options(const ThawState *state, int method, int32_t body);
const void *thaw_state_options(const ThawState *state, int32_t body);
// Other options of a method from now on: of the world and all its bodies (body: -1), or of one body (NULL: the
// world's). Wakes them; `where` begins the message of an error.
ThawStatus thaw_world_give_options(ThawWorld *world, int method, int32_t body, const char *where, const void *options,
                                   ThawError *error);
// A struct of options becomes the body's own and belongs to the state; NULL: it goes by the world's.
void thaw_state_give_own(ThawState *state, int method, int32_t body, void *options);

// static.c: bodies that start at rest, where they belong and asleep.
ThawStatus thaw_static_start(ThawWorld *world, ThawError *error);

// clamp.c: moves vertices of a body so that its triangles keep to their strain limits; h: the interval just ended.
void thaw_clamp_body(ThawStepper *stepper, const ThawContactSet *contacts, double h);
// creases.c: folds and turns of sheets, which are nothing at the start.
ThawStatus thaw_folds_create_state(ThawWorld *world, ThawError *error);
void thaw_folds_free_state(ThawWorld *world);
void thaw_folds_apply(ThawWorld *world, int32_t body); // its shape is another, or its state
void thaw_folds_flow(ThawWorld *world);                // at the end of a step, of bodies awake
void thaw_folds_begin(ThawWorld *world, int32_t body); // its positions were set: no hinge has turned around
ThawStatus thaw_folds_validate(const ThawWorld *world, ThawError *error);

// access.c: elements that are inside out.
int64_t thaw_stepper_count_inverted(const ThawWorld *world, ThawStepper *stepper);

// stand.c: which islands stand as they have been solved: all of whose bodies may get the momenta that they lack; that
// made no energy out of nothing; that were not thrown off what they pressed. Not 0 where some do not.
int thaw_find_kicked(ThawWorld *world, ThawIncrement step);
int thaw_find_gains(ThawWorld *world);
int thaw_find_hops(ThawWorld *world, double h);
// collect.c: the statistics of what has happened since wall and cpu (ms).
void thaw_world_collect(ThawWorld *world, double wall, double cpu, ThawStepStats *stats);

// events.c: the whole body falls asleep, or is woken from that: for no reason of its own (START: from outside;
// NEIGHBOUR: with its island; CONTACT) unless its loads tell another.
void thaw_events_begin(ThawEvents *events, int64_t now); // what happens first in a step begins the step's events
void thaw_events_fall(ThawEvents *events, int64_t now);
void thaw_events_rise(ThawEvents *events, int64_t now, ThawReason why);
// The last step's events in numbers.
void thaw_events_count(const ThawWorld *world, ThawStepStats *stats);

// loads.c
// The time until which the body's loads and scripts stay as they are at t; t itself while they change.
double thaw_loads_constant_until(const ThawModelBody *body, double t);
// Flags the vertices that are scripted in the step whose middle is given; nonzero when the stepper's system does not
// fit.
int thaw_loads_mark_scripted(ThawStepper *stepper, double middle);
// External forces and the offset w for the (sub)step from t to t + h.
void thaw_loads_evaluate(ThawStepper *stepper, ThawIncrement increment);
// What scripts with keyframes move, in velocities v of all vertices, from t to t + h.
void thaw_loads_lead(const ThawStepper *stepper, double t, double h, double *v);
// wind.c: adds what wind, at this share of its speed, does to a sheet in a step of h (s).
void thaw_wind_add(const ThawStepper *stepper, const ThawLoad *load, double factor, double h, double *f);

// motion.c: how the body moves at the start of the step; and how fast against what it touches there, by both, m/s: of
// its fastest point, about.
void thaw_motion_note(ThawStepper *stepper);
double thaw_motion_against(const ThawWorld *world, const ThawStepper *stepper, const ThawContact *contact, int side,
                           ThawIncrement step);

// island.c: one linearised or Newton step of all its bodies from x, v to x1, v1. Leaves x and v alone.
ThawStatus thaw_island_solve(ThawIsland *island, ThawIncrement increment);
// The islands of bodies awake, by the contacts and attachments at hand, in the order of their lowest body; obstacles
// join nothing. And the solves of all that do not stand.
ThawStatus thaw_islands_form(ThawWorld *world, ThawError *error);
void thaw_islands_solve(ThawWorld *world, ThawIncrement step);
// The place in the island of what moves the body of that index; -1: it is not there.
int32_t thaw_island_place(const ThawIsland *island, int32_t moved);

// world.c: the shared system of the identity map for the stepper's scripted vertices; and room for a stepper's system.
ThawStatus thaw_world_full_system(ThawWorld *world, ThawStepper *stepper, ThawSystem **system, ThawError *error);
ThawStatus thaw_stepper_fit(ThawStepper *stepper, ThawError *error);
// world.c: the solver that fits whether the body is touched, made when it is first needed; and away with both.
ThawStatus thaw_stepper_choose_solver(ThawStepper *stepper, ThawError *error);
void thaw_stepper_drop_solvers(ThawStepper *stepper);
// world.c: a stepper of a body's present shape, all else zero but its method, which may be NULL; and away with it.
ThawStatus thaw_stepper_begin(ThawWorld *world, int32_t body, ThawError *error);
void thaw_stepper_clear(ThawStepper *stepper);
// Where its part of the state is.
void thaw_stepper_point(const ThawWorld *world, ThawStepper *stepper);
// world.c: all that a world has of a model that is in place, everything where it starts; tasks and systems that are
// there are taken over. And away with all of it.
ThawStatus thaw_world_populate(ThawWorld *world, const ThawWorldDef *def, ThawError *error);
void thaw_world_clear(ThawWorld *world);
// world.c: the vectors of a stepper that is awake, made where they are missing; and away with them.
ThawStatus thaw_stepper_reserve(ThawStepper *stepper, ThawError *error);
void thaw_stepper_release(ThawStepper *stepper);
// The same without giving anything back: all of it belongs to another now.
void thaw_stepper_forget(ThawStepper *stepper);
// What Newton's iterations need on top, once there is a system: where it is missing. It may allocate.
ThawStatus thaw_stepper_reserve_newton(ThawStepper *stepper, ThawError *error);
// world.c: finds or makes the system for the stepper's scripted vertices. Not for steady steps: it may allocate.
ThawStatus thaw_world_bind_system(ThawWorld *world, ThawStepper *stepper, ThawError *error);

// ledger.c: whether it is kept for this body: for a report, or for its method.
double thaw_ledger_next_elastic(const ThawStepper *stepper); // J, of x1
int thaw_ledger_is_needed(const ThawStepper *stepper);       // by its method, which goes by it
int thaw_ledger_is_kept(const ThawStepper *stepper);
// Where works outside of steps are booked; NULL: no report is wanted.
ThawLedger *thaw_ledger_of(ThawWorld *world);
// Adds the works of the step x, v -> x1, v1 to stepper->work.
void thaw_ledger_record(ThawStepper *stepper, ThawIncrement increment);
// stepper->elastic, of x.
void thaw_ledger_find_elastic(ThawStepper *stepper);
// J, of the velocities of vertices that no frame carries (frame_of: nv, -1: none; or NULL).
void thaw_ledger_add_kinetic(const ThawStepper *stepper, const int32_t *frame_of, ThawLedger *ledger);
// Kinetic, the shadow's, elastic (as kept in the stepper) and gravitational energy of a body's present state, added to
// *ledger.
void thaw_ledger_add_energies(const ThawStepper *stepper, int asleep, ThawLedger *ledger);

// Moving obstacles' share of the contacts' work, to the bodies they touch; and what the springs of contacts hold, J.
void thaw_ledger_add_obstacles(ThawWorld *world);
double thaw_ledger_contact_energy(const ThawWorld *world);

// After x, v or time were set from outside: nothing derived from the old ones may be used again.
void thaw_world_refresh(ThawWorld *world);
void thaw_world_refresh_body(ThawWorld *world, int32_t body);

#endif
