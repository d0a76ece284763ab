// SPDX-License-Identifier: Apache-2.0
// The oracle's inside: what its question (oracle.c), the force that holds parts together (constraint.c) and the static
// answer (foresee.c) share.
#ifndef THAW_ORACLE_IMPL_H
#define THAW_ORACLE_IMPL_H

#include "oracle/oracle.h"

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
    ThawRigidifyOptions options;
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
    double Q[9];                         // what turned the reference to where the body is, at the last question
    ThawLanes *lanes;                    // strains, for the published rule; NULL until needed
    double quick_h;                      // s, that its preconditioner is for
    ThawForesight lasting, next, stride; // for what loads do if they last, and within the next step or stride
};

// Its lowest mode does not swing.
static inline int thaw_oracle_is_overdamped(const ThawOracle *oracle) {
    return oracle->scale.omega * oracle->scale.alpha1 > 1;
}

// paper.c: oracle->predicted, the squared strain rates that the published quick solve foresees, 1/s^2.
ThawStatus thaw_oracle_quick_solve(ThawOracle *oracle, const ThawQuestion *question, ThawError *error);

// constraint.c: oracle->c, the force that keeps each component of the trial elements rigid; 0 on other vertices.
// candidates: some trial elements are not rigid yet.
ThawStatus thaw_oracle_constraint(ThawOracle *oracle, const ThawQuestion *question, const ThawPartition *partition,
                                  int candidates, ThawError *error);

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
// The pull on the shadow velocity in the stride that comes; oracle->d, the way it goes in a step of it on the mean, and
// oracle->predicted, the strain of that.
ThawStatus thaw_oracle_follow(ThawOracle *oracle, const ThawQuestion *question, const double Q[9], int stride,
                              ThawError *error);
// The same of a stride that is over, all of it or the first steps: the shadow velocity makes up for them; oracle->d, the way it goes in them.
ThawStatus thaw_oracle_catch_up(ThawOracle *oracle, const ThawQuestion *question, const double Q[9], int steps,
                                int stride, ThawError *error);
// The shadow velocity goes on by a step; oracle->d, the way in it.
void thaw_oracle_glide(ThawOracle *oracle, const double Q[9], double h);
// Moves the body by a share of d, parts with it. Returns the largest displacement, m.
double thaw_oracle_move(ThawOracle *oracle, const ThawQuestion *question, ThawPartition *partition, double share,
                        double *x);

#endif
