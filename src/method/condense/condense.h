// SPDX-License-Identifier: Apache-2.0
// What the files of this method share.
#ifndef THAW_METHOD_CONDENSE_H
#define THAW_METHOD_CONDENSE_H

#include "map/condense/condense.h"
#include "step/method.h"

typedef enum ThawCondensePlace { THAW_CONDENSE_EVEN, THAW_CONDENSE_GROUP, THAW_CONDENSE_PLACE_COUNT } ThawCondensePlace;

typedef enum ThawCondenseForm {
    THAW_CONDENSE_REGIONS,
    THAW_CONDENSE_PUBLISHED,
    THAW_CONDENSE_FORM_COUNT
} ThawCondenseForm;

// Which regions have inertia.
typedef enum ThawCondenseAdapt {
    THAW_CONDENSE_ALWAYS,
    THAW_CONDENSE_BY_ENERGY,
    THAW_CONDENSE_BY_RATE,
    THAW_CONDENSE_ADAPT_COUNT
} ThawCondenseAdapt;
enum { THAW_CONDENSE_WINDOW = 32 }; // steps

typedef struct ThawCondenseOptions {
    int form;           // ThawCondenseForm
    int search, settle; // of the published form
    double beta, gamma;
    int regions;
    int place;          // ThawCondensePlace
    int adapt;          // ThawCondenseAdapt
    double lively;      // diameters a second
    double rate;        // 1/s
    int window;         // steps
    int sleep;          // steps
    double sleep_speed; // diameters a second
} ThawCondenseOptions;

// What bodies of one shape share, as long as one of them needs it.
typedef struct ThawCondenseMass {
    int32_t users;
    int regions, place; // the options that it was made by
    ThawCondensed *condensed;
} ThawCondenseMass;
typedef struct ThawCondenseSystem {
    int32_t users;
    ThawCondenseMass *mass; // a user of it
    ThawSystem *system;
} ThawCondenseSystem;

// What a body that adapts has beside its state (adapt.c).
typedef struct ThawAdapt {
    const ThawCondensed *of;
    ThawCondensed own; // that, with a T and W of its own
    unsigned char idle[THAW_FUNCTIONALS_MAX];
    double flexibility[THAW_FUNCTIONALS_MAX]; // m kg^2/N, the diagonal of S^-1
    double *S, *R;                            // functionals^2: stiffness with the pins that stay; Y = R Y_a
    double *scratch;                          // 4 functionals^2
} ThawAdapt;

// Of a body awake.
typedef struct ThawCondenseData {
    ThawCondenseMass *mass;
    ThawCondenseSystem *shared;  // NULL until the first step, and after a change of scripts
    ThawSystem *nodes;           // of the published form, in the place of both
    ThawCondenseOptions made_by; // the options that they follow
    int form;
    ThawAdapt *adapt; // NULL: all regions have inertia
    // Flags of functionals without inertia; the published metric, of the last steps; how often regions have switched.
    unsigned char idle[THAW_FUNCTIONALS_MAX];
    float rates[THAW_CONDENSE_WINDOW][THAW_REGIONS_MAX]; // 1/s
    int32_t rates_at, rates_seen;
    int32_t switches;
    int by_rate;
    ThawCondensed places; // of the published form: only regions around nodes
    int rests;            // its nodes may be quasistatic
    double sleep_speed;
    double *slow_v; // dim * nv, m/s: velocities at the first of the slow steps
    double creep;   // m/s, of the fastest vertex's way in the last step, where positions do not go by velocities alone
} ThawCondenseData;

static inline ThawCondenseData *thaw_condense(const ThawStepper *s) { return s->data; }

static inline const ThawCondenseOptions *thaw_condense_options(const ThawWorld *world, int32_t body) {
    return thaw_state_method_options(&world->state, thaw_method_index(thaw_method_condense.name), body);
}

// doubt.c
int thaw_condense_doubt(const void *options, const ThawBuild *body, ThawOptionRemark *remarks);

// published.c: the system of dynamic nodes, made anew where scripts have changed.
ThawStatus thaw_condense_find_nodes(ThawWorld *world, ThawStepper *s, ThawError *error);
// At the very start, if it is wished: to balance.
ThawStatus thaw_condense_decide_nodes(const ThawWorld *world, ThawStepper *s, ThawIncrement step);
// Refuses what the published form cannot step.
ThawStatus thaw_condense_check_nodes(const ThawWorld *world, const ThawStepper *s, ThawError *error);
// condense.c: the vertices that the group "regions" gives, where options ask for it.
ThawStatus thaw_condense_find_group(const ThawStepper *s, int place, const ThawGroup **group, ThawError *error);

// condense.c: the region that has most of an element's vertices; the lowest, where several have as many; -1: none.
int32_t thaw_condense_region_of(const ThawCondensed *c, const ThawShape *shape, int32_t element);

// adapt.c. Before a step: the body's own inertia, if it adapts; and which regions have any in this step. After it,
// while x and x1 are there: how fast they stretch.
ThawStatus thaw_adapt_prepare(ThawWorld *world, ThawStepper *s, ThawError *error);
ThawStatus thaw_adapt_decide(const ThawWorld *world, ThawStepper *s, ThawIncrement step);
void thaw_adapt_note(ThawStepper *s, double h);
void thaw_adapt_forget(ThawStepper *s); // all regions have inertia
void thaw_adapt_drop(ThawStepper *s);
// 1/s, the mean of |S_dot|'s entries (17)-(20); column-major 3 x 3.
double thaw_stretch_rate(const double F[9], const double Fdot[9], int dim);

extern const ThawMethodOps thaw_condense_ops;

#endif
