// SPDX-License-Identifier: Apache-2.0
// Which elements are to be rigid in the coming step? (solids paper, sections 3.4 and 3.5; docs/rigidification.md)
//
// An element may become rigid when its strain rate has been below tau_R for some steps. It must be elastic when being
// rigid would suppress a deformation that matters. The paper predicts the strain rate after one step from rest; what
// counts, though, is where the body would end up. So the question is which force holds the parts together: the share of
// the loads that rigid motion does not absorb. The displacement d that it would cause statically,
//     [M/T^2 + (1 + alpha1/T) K + K_contact] d = c,
// is the error that staying rigid leaves. Where its strain exceeds epsilon the element wakes; below, the body is moved
// by a small part of d each step, so that loads and ramps under the threshold are followed quasistatically and no body
// freezes away from its equilibrium.
#ifndef THAW_ORACLE_H
#define THAW_ORACLE_H

#include "map/rigid/partition.h"
#include "oracle/scale.h"
#include "reduced/reduced.h"
#include "thaw/field.h"

enum { THAW_ORACLE_MODES = 5, THAW_ORACLE_PATIENCE = 8, THAW_ORACLE_STRIDE = 12 };

// Whether forces inside parts were asked for since those were last moved, and whether they are kept.
enum { THAW_INNER_UNKNOWN, THAW_INNER_SEEN, THAW_INNER_KEPT };

// What the oracle remembers of a body: part of the state.
typedef struct ThawOracleState {
    unsigned char *below;  // ne: steps in a row with a rate below tau_R, capped
    unsigned char *hold;   // ne: steps left during which a woken element may not become rigid
    unsigned char *reason; // ne: ThawReason, why it is elastic
    float *rate;           // ne: |E_dot|_F^2 in the last step that it was elastic, 1/s^2
    float *predicted;      // ne: static strain that the last question foresaw
    // Green strain (strain.h) of elastic elements at the end of the last step; of others, at some time before.
    ThawLanes *strain;
    double *reference; // dim * nv: the shape that K was factored for
    double *held;      // dim * dim * nv: and the stiffness of the contacts that held it, in world axes then, N/m
    double
        *shadow; // dim * nv: how vertices of parts move within them, in the reference's frame (none: world axes), m/s
    double *shadow_accel; // dim * nv: its acceleration until the next answer, in the same frame, m/s^2
    double energy;        // J, of it inside parts
    double gained;        // J, what the body has gained and not yet lost again (method/rigidify/passive.c)
    unsigned char *known; // nv: it was in a part when parts were last made
    double *inner;        // dim * nv: elastic forces of rigid elements in the frames of their parts, N
    double *loads;        // dim * nv: f_ext at the last answer, N
    double *presses;      // dim * nv: f_contact then, N
    double *quiet_force;  // dim * nv: constraint force c at the last quiet answer, in the reference's frame
    int has_reference;
    int inner_is;        // THAW_INNER_*: what is known of inner
    uint64_t touched;    // hash of the contacts on parts at the last answer, and whether they closed then
    int quiet;           // the last answer was: fully rigid, at rest in itself, nothing to relax
    int moving;          // whether the shadow is followed, and how often: below THAW_ORACLE_MODES
    int restless;        // the last answer woke an element, or left something to relax
    int32_t age;         // steps since the reference was taken, capped
    int32_t followed[2]; // shadow questions since the reference was taken, and about the one before it, capped
    int32_t since;       // steps since the last answer, capped
    int32_t left;        // steps for which the shadow is followed without a question
    int32_t pause;       // steps for which that answer stands while a part of the body is elastic
    int32_t tries;       // how often relaxation of the wholly rigid body is halved; THAW_ORACLE_PATIENCE: it is stuck
    int32_t grace;       // steps left in which it may be strained by more than epsilon, and is relaxed
    int32_t waited;      // steps that candidates have waited to become rigid together, summed over them, capped
    double drift;        // strain, and turns, that parts have seen beside them since the last answer
    double load_spread;  // m/s^2, by how much accelerations by loads and contacts differed over the body, then
    double relax_target; // strain below which the next answer makes progress in relaxing
    double margin;       // epsilon less the largest strain of rigid elements at the last answer
} ThawOracleState;

// What a body bears: groups of other bodies that nothing else holds (method/rigidify/burden.c).
typedef struct ThawBorne {
    int32_t count;
    int32_t *group; // nv: that touches the vertex; -1: none
    double *share;  // nv: of the stiffness of the vertex' contacts, those with that group
    double *mass;   // count, kg
} ThawBorne;

// Inputs of one question, over the body's vertices.
typedef struct ThawQuestion {
    const double *x, *v;               // state
    const double *f_ext;               // N, gravity and loads
    const double *f_contact;           // N, warm-started and estimated
    const double *f_past;              // N, without the estimates: of contacts that have acted up to now
    const double *k_contact;           // N/m, dim x dim a vertex: stiffness of its contacts, symmetric; or NULL
    uint64_t contacts;                 // hash of the contact set
    uint64_t on_parts;                 // of those that touch a part, and whether they close in this step
    double passing;                    // m/s, of the body as a whole against what it touches: its fastest point, about
    int presses;                       // one of the contacts carries something
    int struck;                        // one of these closes in this step
    int hit;                           // so fast that it strains the body at more than tau_R
    int hard;                          // one of them is as good as hard
    const unsigned char *script;       // THAW_VERTEX_* flags
    const ThawIntegrationSet *elastic; // the elements that are in no part
    const double *gravity;             // m/s^2
    const ThawSystem *system;          // of the identity map with the present pins: its direct plan is used
    double h;
    int same_loads, same_presses; // f_ext and script, f_contact are known to be those of the question before
    // Called before the oracle changes more than the counters of its state, and parts; may be NULL. Other than THAW_OK:
    // the question ends with that.
    ThawStatus (*keep)(void *context);
    void *context; // of keep
    // What the body bears; NULL: it touches no other. The arrays are good until it is called again.
    ThawStatus (*bear)(const void *bearer, ThawBorne *borne);
    const void *bearer;
} ThawQuestion;

typedef struct ThawAnswer {
    int32_t woken, vetoed, candidates; // elements
    int32_t rigid;                     // elements that may be, after a question
    double largest;                    // predicted strain of the elements that stay rigid
    double moved;                      // m, the largest displacement of relaxation
    double *shadow; // dim * nv, m/s in world axes: at the question, for the partition; NULL: there was none
    double dropped; // J, energy of the shadow of a body that came to rest
    int asked;      // 0: the answer was known
    int followed;   // the shadow has gone on by a step
    int past;       // x was moved by what acted up to now, blows that come left out
} ThawAnswer;

typedef struct ThawOracle ThawOracle;
// options: for this body (thaw_scale_options).
ThawStatus thaw_oracle_create(const ThawShape *shape, const ThawRigidifyOptions *options, const ThawScale *scale,
                              ThawTasks *tasks, ThawOracle **oracle, ThawError *error);
void thaw_oracle_free(ThawOracle **oracle);
ThawOracleState *thaw_oracle_state(ThawOracle *oracle);
// Other thresholds and scales from now on, for the body at x; what was found quiet has to be asked again.
void thaw_oracle_set_options(ThawOracle *oracle, const ThawRigidifyOptions *options, const ThawScale *scale,
                             const double *x);

// The same for a state that was found with these: nothing has to be asked again.
void thaw_oracle_resume_options(ThawOracle *oracle, const ThawRigidifyOptions *options, const ThawScale *scale);

// Decides flagged (ne) from what is rigid now and the question. x is moved by relaxation, parts along with it. Where
// nothing has changed enough since the last answer, that answer stands and the question costs next to nothing.
ThawStatus thaw_oracle_ask(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition, double *x,
                           unsigned char *flagged, ThawAnswer *answer, ThawError *error);
// The partition that this answer asked for has another topology, and parted the answer's shadow anew; or there are no
// parts.
void thaw_oracle_repartitioned(ThawOracle *oracle, const ThawAnswer *answer, const ThawPartition *partition);
// After an answer that `followed`, and the partition: velocities take what they can have of the shadow. Returns the
// kinetic energy that they gain, J.
double thaw_oracle_hand_over(ThawOracle *oracle, ThawPartition *partition, double *v);
// A body that has slept in balance. loaded: whatever acts on it now is new; else its loads are those it slept under,
// and it is about to be asked because something touches it.
void thaw_oracle_rested(ThawOracle *oracle, int loaded);
// After a step: strain rates of the elements that are elastic, and which may become rigid.
void thaw_oracle_observe(ThawOracle *oracle, const ThawPartition *partition, const double *x, double h);
// The shadow of the body at x, dim * nv, m/s in world axes, until the next question: velocities are to take it, the
// oracle has none from here on.
double *thaw_oracle_release(ThawOracle *oracle, const double *x);
// Every element has to show anew that it may become rigid.
void thaw_oracle_restart(ThawOracle *oracle);
// J, of the shadow inside parts as it is now, in the axes of the question just answered.
double thaw_oracle_shadow_energy(ThawOracle *oracle, const ThawPartition *partition);
// After a checkpoint was read: what was derived from the state is made again when it is needed. Decides nothing.
void thaw_oracle_drop_factor(ThawOracle *oracle);
// The strains at x are taken as they are: no rate follows from how x came about (a start, a checkpoint, positions set
// from outside).
void thaw_oracle_forget(ThawOracle *oracle, const double *x);

#endif
