// SPDX-License-Identifier: Apache-2.0
// The oracle's inside: what its question (oracle.c), when it is put (schedule.c), the force that holds parts together
// (constraint.c), what that would do (foresee.c) and what follows (answer.c) share.
#ifndef THAW_ORACLE_IMPL_H
#define THAW_ORACLE_IMPL_H

#include <math.h>

#include "base/scratch.h"
#include "force/strain.h"
#include "oracle/oracle.h"

// state->moving: at rest by the static question, wholly rigid or not yet; or with a shadow that is followed by long
// strides (short ones unless the body is wholly rigid), by short strides, in every step.
enum { THAW_RESTING, THAW_SLOWING, THAW_DRIFTING, THAW_CREEPING, THAW_MOVING };
// Steps between answers that only relax; where strains are far below epsilon THAW_ORACLE_STRIDE.
enum { THAW_ORACLE_LEISURE = 3 };
// Steps after which it is looked again whether a swing is over, and at the stress in parts that move.
enum { THAW_ORACLE_AUDIT = 10 };
static const double THAW_ORACLE_DRIFT =
    0.25; // of what was left to epsilon: strains beside parts may change by so much between two questions
static const double THAW_ORACLE_SWING = 0.3; // of epsilon: a body that would swing farther by its speed is not at rest
static const double THAW_ORACLE_SLOW = 0.04; // rad a step: a body is slow if its lowest mode is slower
static const double THAW_ORACLE_WAKE = 5; // tau_R: an element that would strain so fast wakes, half the paper's tau_E

// Vertices that would move as one, and how: accelerations a of `at` and alpha.
typedef struct ThawComponent {
    double mass, at[3], force[3], torque[3], inertia[9], omega[3];
    ThawPins pins; // scripted vertices of any kind
    ThawHold hold;
    double a[3], alpha[3];
} ThawComponent;

// What is factored for one horizon.
typedef struct ThawForesight {
    const ThawSystem *system; // that the solver is for
    int direct;               // by the system's direct plan
    ThawSolverPlan *plan;     // else the solver's own
    ThawSolver *solver;
    int factored; // for the present reference
    double T;     // s, that it is for
} ThawForesight;

struct ThawOracle {
    const ThawShape *shape;
    ThawRigidifyOptions options; // as it goes by them now: stricter while it moves against what it touches
    double epsilon, tau_rigid;   // of one that does not
    int rolls;                   // it does
    int presses;                 // as the last question said
    ThawScale scale;
    int same_loads;      // as it slept under: what state.loads says is void, until the next question
    double quiet_change; // m/s^2: a change of c below this cannot change a quiet answer
    double turn;         // strain a rad and m/s^2: what loads do to a body that turns under them, at most
    ThawTasks *tasks;
    ThawOracleState state;
    double *f, *y, *c, *d, *u; // over vertices
    double *before;            // over vertices, the shadow when a question is put, in world axes, for the partition
    double *b, *q;             // over unknowns of the identity map, at most dim * nv
    double *predicted;         // ne: static strain
    unsigned char *trial;      // ne: rigid, or about to be
    int32_t *root;             // nv: component, -1: none
    ThawComponent *components;
    int32_t component_count, component_capacity;
    int32_t *batches;    // of shape->all, that hold elastic elements
    int32_t batch_count; // -1: to be listed
    double *partial;
    ThawScratch bearing;                 // of bear.c
    double Q[9];                         // what turned the reference to where the body is, at the last question
    ThawLanes *lanes;                    // strains, for the published rule; NULL until needed
    double quick_h;                      // s, that its preconditioner is for
    ThawForesight lasting, next, stride; // for what loads do if they last, and within the next step or stride
};

// Its lowest mode does not swing.
static inline int thaw_oracle_is_overdamped(const ThawOracle *oracle) {
    return oracle->scale.omega * oracle->scale.alpha1 > 1;
}

// At which strains that are left are made up, 1/s: of the lowest mode or, where that is overdamped, of its damping.
static inline double thaw_oracle_pace(const ThawOracle *oracle) {
    return thaw_oracle_is_overdamped(oracle) ? 1 / oracle->scale.alpha1 : oracle->scale.omega;
}

// The strain rate that wakes, 1/s.
static inline double thaw_oracle_waking_rate(const ThawOracle *oracle) {
    return sqrt(THAW_ORACLE_WAKE * oracle->options.tau_rigid);
}

static inline size_t thaw_oracle_shadow_bytes(const ThawOracle *oracle) {
    return sizeof(double) * (size_t)oracle->shape->nv * (size_t)oracle->shape->dim;
}

// How the bending of a sheet counts: by the body's own rule NULL, the set's own; by the published one its edges against
// thresholds of their own. to: the answer's place; elastic: for what must be elastic.
static inline const ThawStrainMeasure *thaw_oracle_measure(const ThawOracle *oracle, int elastic,
                                                           ThawStrainMeasure *to) {
    const ThawRigidifyOptions *o = &oracle->options;
    const double bend = elastic ? o->bend_elastic : o->bend_rigid;
    if (o->oracle != THAW_ORACLE_PAPER)
        return NULL;
    *to = (ThawStrainMeasure){.bend = bend > 0      ? sqrt(elastic ? o->tau_elastic : o->tau_rigid) / bend
                                      : o->dihedral ? 0.25
                                                    : oracle->shape->all->bend,
                              .bending = o->dihedral ? THAW_STRAIN_ANGLES : THAW_STRAIN_EDGES};
    return to;
}

// schedule.c
// Whether the candidates have waited for long enough, after one more step in which so many waited beside so many
// elastic elements, themselves among them.
int thaw_oracle_has_waited(ThawOracle *oracle, int32_t candidates, int32_t elastic);
// Trial elements: rigid ones, and candidates once enough of them have come together. How many are rigid, and whether
// candidates are among them.
int32_t thaw_oracle_choose_trial(ThawOracle *oracle, const ThawQuestion *question, const ThawPartition *partition,
                                 int *forming, ThawAnswer *answer);
// Whether the next step of a stride is not to be made, for what contacts do.
int thaw_oracle_is_resisted(ThawOracle *oracle, const ThawQuestion *question);
// Whether the last answer may no longer hold.
int thaw_oracle_is_due(const ThawOracle *oracle, const ThawQuestion *question, const ThawPartition *partition);
// Keeps what acts now for the next time; whether loads are others.
int thaw_oracle_note_outside(ThawOracle *oracle, const ThawQuestion *question);
// Whether the reference no longer serves; and how it has turned since, Q.
int thaw_oracle_is_stale(const ThawOracle *oracle, const ThawQuestion *question, int whole, double Q[9]);
// Whether a wholly rigid body that was quiet still is.
int thaw_oracle_is_as_kept(ThawOracle *oracle, const double Q[9]);

// answer.c
// The largest strain that was foreseen of trial elements; and the fastest of those that are about to become rigid, 1/s.
double thaw_oracle_largest(const ThawOracle *oracle);
double thaw_oracle_candidate_rate(const ThawOracle *oracle, const ThawPartition *partition);
// What must be elastic: all that was foreseen to exceed the limit. told: of what was foreseen, kept to be shown; in
// motion it makes the limit epsilon, so that one scale serves.
void thaw_oracle_judge(ThawOracle *oracle, const ThawQuestion *question, const ThawPartition *partition, double limit,
                       double told, unsigned char *flagged, ThawAnswer *answer);
// The batches of the set of all elements that hold elastic ones.
void thaw_oracle_list_batches(ThawOracle *oracle, const ThawPartition *partition);
// steps: since the last answer; most: strain beyond which elements wake; limit: of the strain of a body at rest.
void thaw_oracle_answer_rest(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition, int steps,
                             double most, double limit, double *x, unsigned char *flagged, ThawAnswer *answer);
ThawStatus thaw_oracle_answer_creep(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition,
                                    int forming, int steps, double *x, unsigned char *flagged, ThawAnswer *answer,
                                    ThawError *error);
ThawStatus thaw_oracle_answer_motion(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition,
                                     int forming, int steps, double *x, unsigned char *flagged, ThawAnswer *answer,
                                     ThawError *error);
// A step for which the last answer stands: the body goes on with its shadow.
void thaw_oracle_go_on(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition, double *x,
                       ThawAnswer *answer);

// paper.c: the published rule, every step, no schedule, no relaxation.
ThawStatus thaw_oracle_ask_paper(ThawOracle *oracle, const ThawQuestion *question, const ThawPartition *partition,
                                 unsigned char *flagged, ThawAnswer *answer, ThawError *error);

// constraint.c: oracle->c, the force that keeps each component of the trial elements rigid; 0 on other vertices.
// candidates: some trial elements are not rigid yet.
ThawStatus thaw_oracle_constraint(ThawOracle *oracle, const ThawQuestion *question, const ThawPartition *partition,
                                  int candidates, ThawError *error);

// Of the work that c does on the way d, the share that something pays for: loads, contacts, elastic forces, and the
// spin, which falls as the body gets wider. Damping and the inertia of what is speeded up or slowed down do the rest,
// and lose nothing by it; and elastic vertices, on which c does not act, are moved against what acts on them. At most
// 1. Along d, a displacement at rest, forces lose no more than c does: up to that share of the way no energy is gained.
double thaw_oracle_outer_share(const ThawOracle *oracle);

// foresee.c
// The rotation Q that takes the reference shape nearest to x.
void thaw_oracle_frame(const ThawOracle *oracle, const double *x, double Q[9]);
// The same, and how far any vertex of a component is from there, m.
double thaw_oracle_compare(const ThawOracle *oracle, const double *x, double Q[9]);
// out_i = Q in_i, or (back) Q' in_i.
void thaw_oracle_turn(const ThawShape *shape, const double Q[9], int back, const double *in, double *out);
// The present shape and contacts become the reference: Q becomes the identity.
void thaw_oracle_take_reference(ThawOracle *oracle, const ThawQuestion *question, double Q[9]);
// oracle->d, what c would do if it lasted; and oracle->predicted, the strain of that.
ThawStatus thaw_oracle_foresee(ThawOracle *oracle, const ThawQuestion *question, const double Q[9], ThawError *error);
// c: in, a force in the reference's frame; out, the displacement that it causes if it lasts. After a foresight.
ThawStatus thaw_oracle_displace(ThawOracle *oracle, double *c);
// bear.c: after a foresight, oracle->predicted with what the body bears going along; oracle->d stays.
// leeway: how many times epsilon it may be strained by now.
ThawStatus thaw_oracle_let_follow(ThawOracle *oracle, const ThawQuestion *question, double leeway, ThawError *error);
// The acceleration of the shadow in the stride that comes; oracle->d, the way it goes in a step of it on the mean, and
// oracle->predicted, the strain of that.
ThawStatus thaw_oracle_follow(ThawOracle *oracle, const ThawQuestion *question, const double Q[9], int stride,
                              ThawError *error);
// The same of a stride that is over, all of it or the first steps: the shadow velocity makes up for them; oracle->d,
// the way it goes in them.
ThawStatus thaw_oracle_catch_up(ThawOracle *oracle, const ThawQuestion *question, const double Q[9], int steps,
                                int stride, ThawError *error);
// The shadow velocity goes on by a step; oracle->d, the way in it.
void thaw_oracle_glide(ThawOracle *oracle, const double Q[9], double h);
// Moves the body by a share of d, parts with it. Returns the largest displacement, m.
double thaw_oracle_move(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition, double share,
                        double *x);

#endif
