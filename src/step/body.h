// SPDX-License-Identifier: Apache-2.0
// One body's part in the implicit step of its island (body.c). All of it works on the stepper's own vectors, so the
// bodies of an island may run at the same time.
#ifndef THAW_STEP_BODY_H
#define THAW_STEP_BODY_H

#include "step/step.h"

// Linearises at x0 and solves for q without contact: the semi-implicit step. Projects and repeats if that is needed and
// allowed. newton: keeps h D(x0) for later iterations.
ThawStatus thaw_body_linearise(ThawStepper *s, ThawIncrement step);
// v1 = Gq + w and x1 from q.
void thaw_body_move(ThawStepper *s, ThawIncrement step);

// Newton. The unknowns start at q = 0 (v = w) with the direction p that leads to the linearised step.
void thaw_body_start_newton(ThawStepper *s, ThawIncrement step);
// Q(q + alpha p) less the work of contact impulses, leaving that point in trial_q, y (velocities) and x1. *rounding:
// what rounding may have made of it.
double thaw_body_potential(ThawStepper *s, ThawIncrement step, double alpha, double *rounding);
// Moves q, v1 and d to the point that thaw_body_potential looked at last.
void thaw_body_accept(ThawStepper *s, double alpha);
// b = -G' dQ/dv at v1, x1, contact left out; *square: |b + G' impulse|^2. f is f(x1) afterwards.
ThawStatus thaw_body_residual(ThawStepper *s, ThawIncrement step, double *square);
// After that: by how much the body's momentum is off, as a share of all that moves and acts; 0 where something holds
// it.
double thaw_body_momentum_lost(ThawStepper *s, ThawIncrement step);
// p = A(x1)^-1 b, contact left out.
ThawStatus thaw_body_direct(ThawStepper *s, ThawIncrement step, double tolerance);
// result = A^-1 b by the factor that there is.
ThawStatus thaw_body_solve_again(ThawStepper *s, const double *b, double *result);
// correct.c: p from b, by the factor that there is and, where the body is alone, by what was seen of the curvature.
ThawStatus thaw_body_correct(ThawStepper *s, int alone);
// Room for that; and none of it is of this stage. Around a search and the residual that comes of it.
ThawStatus thaw_secants_reserve(ThawStepper *s, ThawError *error);
void thaw_secants_begin(ThawStepper *s);
void thaw_secants_open(ThawStepper *s);
void thaw_secants_close(ThawStepper *s);
// After p is final: what the line search needs of it. Returns the slope of thaw_body_potential at alpha = 0.
double thaw_body_slope(ThawStepper *s, ThawIncrement step);

// The size that a residual is compared with: h (|G'f_ext| + |G'f(x0)|); and of rounding in M v.
double thaw_body_scale(ThawStepper *s, ThawIncrement step);

// Contact. What the response asks of a body (context: the stepper): with the factor of the last linearisation.
ThawStatus thaw_body_compliance(void *stepper, const ThawBlockRows *J, ThawPorts *ports, double *H);
ThawStatus thaw_body_blocks(void *stepper, int32_t count, const int32_t *vertices, int32_t *from, double *S);
ThawStatus thaw_body_apply(void *stepper, const double *impulse, double *dv);
ThawStatus thaw_body_stiffen(void *stepper, const ThawBlockRows *J, const double *K);
ThawStatus thaw_body_apply_stiff(void *stepper, const double *impulse, double *dv);
// modes.c
ThawMotions thaw_body_modes(void *stepper, int32_t count, const int32_t *vertices, double *B);
// target += (G'AG)^-1 G' impulse.
ThawStatus thaw_body_push(ThawStepper *s, double *target);

// y = h^2 K v1 + h D v1 at x0, of elastic elements (Newton: h D v1), and s->forms; once a step.
void thaw_body_resist(ThawStepper *s, ThawIncrement step);
// Whether x1, v1 can be gone on from: finite, and no element inverted where that has no energy.
ThawStatus thaw_body_check(ThawStepper *s, ThawIncrement step);

#endif
