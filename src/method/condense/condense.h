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

typedef struct ThawCondenseOptions {
    int form;   // ThawCondenseForm
    int search; // of the published form
    double beta, gamma;
    int regions;
    int place;          // ThawCondensePlace
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

// Of a body awake.
typedef struct ThawCondenseData {
    ThawCondenseMass *mass;
    ThawCondenseSystem *shared;  // NULL until the first step, and after a change of scripts
    ThawSystem *nodes;           // of the published form, in the place of both
    ThawCondenseOptions made_by; // the options that they follow
    int form;
    double sleep_speed;
    double *slow_v; // dim * nv, m/s: velocities at the first of the slow steps
    double creep;   // m/s, of the fastest vertex's way in the last step, where positions do not go by velocities alone
} ThawCondenseData;

static inline ThawCondenseData *thaw_condense(const ThawStepper *s) { return s->data; }

static inline const ThawCondenseOptions *thaw_condense_options(const ThawWorld *world, int32_t body) {
    return thaw_state_method_options(&world->state, thaw_method_index(thaw_method_condense.name), body);
}

// doubt.c
int thaw_condense_doubt(const void *options, double omega, ThawOptionRemark *remarks);

// published.c: the system of dynamic nodes, made anew where scripts have changed.
ThawStatus thaw_condense_find_nodes(ThawWorld *world, ThawStepper *s, ThawError *error);
// Refuses what the published form cannot step.
ThawStatus thaw_condense_check_nodes(const ThawWorld *world, const ThawStepper *s, ThawError *error);
// condense.c: the vertices that the group "regions" gives, where options ask for it.
ThawStatus thaw_condense_find_group(const ThawStepper *s, int place, const ThawGroup **group, ThawError *error);

extern const ThawMethodOps thaw_condense_ops;

#endif
