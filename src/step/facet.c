// SPDX-License-Identifier: Apache-2.0
// Bodies that roll over facets.
//
// What rolls on facets stands on one corner after the other. The lever of its weight grows while it turns over a
// corner, and jumps back where the next one comes down. A step has that wrong by a share of a facet: backward Euler
// takes the lever of its end, which is too far forward, and where a corner comes down all of the step's weight is on
// that. In the mean one makes up for the other; but the mean is not what a body goes by that hardly gets over its
// facets, and the guard against gains (gain.c) takes off the one alone. So with
//
//     share = what it turns by in the step / the angle at which faces meet where it stands
//
// and an integrator of order p, whose error is share^p, the step is made in n = share 16^(1/p) parts (16:
// THAW_BLOW_STEPS, by which a blow is resolved), by the same integrator. But in no more than MOST: what passes facets
// within a part stands on the mean of them, and its knocks, which what is stiff makes in microseconds, no such part
// resolves.
//
// What rests or slides does not turn, what is smooth (smooth.c) has no facets, and a box that tips over turns by a
// small share of its right angle: none of these is cut. Turning is that of one side against the other about axes along
// the surface. Cost: the motion as a whole of bodies that bear on something bent, once a step.
#include <math.h>

#include "contact/collider.h"
#include "math/vec3.h"
#include "step/step.h"

enum { MOST = 4 };
static const double FLAT = 0.01; // rad: faces that meet by less are one

static int is_of_pair(const ThawContact *a, const ThawContact *b) {
    return a->key.body[0] == b->key.body[0] && a->key.body[1] == b->key.body[1];
}

// rad/s, of a body as a whole; kept in world->shift.
static const double *spin_of(ThawWorld *world, int32_t body) {
    const ThawStepper *s = thaw_world_mover(world, body);
    ThawShift *kept = &world->shift[s->index];
    if (kept->ease < 0) {
        ThawMotion motion;
        thaw_motion_find(s->shape, s->x, s->v, &motion);
        thaw_v3_copy(motion.omega, kept->way);
        kept->ease = 0;
    }
    return kept->way;
}

// rad/s, by which the sides of a contact roll over each other.
static double rolling_of(ThawWorld *world, const ThawContact *c) {
    double omega[3] = {0};
    for (int side = 0; side < 2; side++)
        if (c->key.body[side] >= 0)
            thaw_v3_add(omega, side ? -1 : 1, spin_of(world, c->key.body[side]), omega);
    thaw_v3_add(omega, -thaw_v3_dot(omega, c->frame[0]), c->frame[0], omega);
    return thaw_v3_norm(omega);
}

void thaw_facet_find(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    const double fine = pow(THAW_BLOW_STEPS, 1.0 / world->scheme->order);
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->shift[i].ease = -1;
    for (int32_t first = 0, next; first < set->count; first = next) {
        const ThawContact *stands = NULL; // where faces are bent most
        for (next = first; next < set->count && is_of_pair(&set->contacts[first], &set->contacts[next]); next++) {
            const ThawContact *c = &set->contacts[next];
            if (thaw_v3_norm(c->before) > 0 && c->bend > (stands ? stands->bend : FLAT))
                stands = c;
        }
        if (!stands || !(thaw_model_blow_time(world->model, stands->key.body[0], stands->key.body[1]) > 0))
            continue;
        const double share = h * rolling_of(world, stands) / stands->bend;
        const int32_t wanted = (int32_t)fmin(fmin(MOST, world->model->options.substeps), ceil(fine * share));
        int32_t *parts = &world->pace[stands->key.body[0]].parts;
        if (*parts < wanted)
            *parts = wanted;
    }
}
