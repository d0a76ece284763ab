// SPDX-License-Identifier: Apache-2.0
// What the files of the moving frame share. Vectors have dim doubles a vertex; levers r are from the frame's origin.
#ifndef THAW_STEP_MOVING_IMPL_H
#define THAW_STEP_MOVING_IMPL_H

#include "math/rotation.h"
#include "math/vec3.h"
#include "step/step.h"

static inline void thaw_moving_load(const ThawStepper *s, const double *from, int32_t i, double to[3]) {
    thaw_v3_load(s->model->dim, from + (size_t)i * (size_t)s->model->dim, to);
}

// Kinetic energy of velocities v of all vertices.
static inline double thaw_moving_energy(const ThawStepper *s, const double *v) {
    double sum = 0;
    s->inertia->ops->add_kinetic(s->inertia, NULL, v, &sum);
    return sum;
}

// J, what contacts have done in an interval of one stage by acting elsewhere than on their points (moving.acting).
static inline double thaw_moving_rolled_work(const ThawStepper *s) {
    const ThawMovingFrame *f = &s->moving;
    double turn[3];
    if (!f->acts || f->scheme->stage_count > 1)
        return 0;
    thaw_rotation_log(f->end, turn);
    return (thaw_v3_dot(f->acting, turn) + thaw_v3_dot(f->acting, f->travel.turn)) / f->span;
}

// Forces of inertia on a unit mass at rho in axes that turn by omega and omega'.
static inline void thaw_moving_inertia(const double omega[3], const double alpha[3], const double rho[3], double a[3]) {
    double spin[3], inward[3], change[3];
    thaw_v3_cross(omega, rho, spin);
    thaw_v3_cross(omega, spin, inward);
    thaw_v3_cross(alpha, rho, change);
    for (int k = 0; k < 3; k++)
        a[k] = -(inward[k] + change[k]);
}

// The rigid motion of velocities a of a body like `whole`, with levers r from its origin: as much as its hold allows.
void thaw_moving_rigid(const ThawStepper *s, const ThawPart *whole, const double *r, const double *a, double v[3],
                       double omega[3]);
// a less the rigid motion v, omega.
void thaw_moving_take_off(const ThawStepper *s, const double *r, const double v[3], const double omega[3], double *a);
// w~ = Cayley(S) w of velocities w against a motion that turns by omega, in place. r: levers; y: scratch.
void thaw_moving_coriolis(const ThawStepper *s, const ThawPart *whole, const double *r, double h, const double omega[3],
                          double *w, double *y);
// omega' of a body free of torque, I omega' = L x omega.
void thaw_moving_gyration(const ThawPart *next, int dim, const double omega[3], double alpha[3]);
// The body as one part, from x and velocities of all its vertices in moving.w, in moving.whole; its levers in moving.r.
// Returns whether it has a rigid motion.
int thaw_moving_whole(ThawStepper *s);
// Its motion for h, if nothing acts on it. foresees: its shape changes on the way, as moving.w says.
void thaw_moving_motion(const ThawStepper *s, double h, int foresees, ThawPart *next, ThawRigidMotion *motion);
// Whether all that scripts hold of the body moves as one rigid thing in the interval of h; by which screw.
int thaw_moving_screw(ThawStepper *s, double h);
// The rigid motion by which momenta of velocities v1 at x1 fall short of what loads and contacts have made of them,
// about part->p. r: levers, then.
void thaw_moving_missing(ThawStepper *s, const double *v1, ThawPart *part, double v[3], double omega[3], double *r);

#endif
