// SPDX-License-Identifier: Apache-2.0
// Attachments in the step (attach.c): rows of the islands' responses, what is remembered of them, and when they let go.
#ifndef THAW_ATTACH_H
#define THAW_ATTACH_H

#include "model/attachment.h"
#include "step/step.h"

ThawStatus thaw_attach_create(ThawWorld *world, ThawError *error);
void thaw_attach_free(ThawWorld *world);

// Before the step from t to t + h: notes what undoing goes back to, lets go what its time has come for, and wakes
// bodies that this or the motion of a frame concerns.
ThawStatus thaw_attach_begin(ThawWorld *world, double t, double h, ThawError *error);
// Before an interval of length h is tried: the impulses that are expected, by the forces of the last one.
void thaw_attach_expect(ThawWorld *world, double h);
// Puts the rows of bodies awake behind the contacts, where islands find them; and takes the impulses over that they
// found.
ThawStatus thaw_attach_put_rows(ThawWorld *world, ThawIncrement step, ThawError *error);
// The same for steps of 1 s of a static solve, in which frames stand and nothing is damped. And the forces that it
// ended with.
ThawStatus thaw_attach_put_still_rows(ThawWorld *world, ThawIncrement step, ThawError *error);
void thaw_attach_rest(ThawWorld *world);
// In between, when methods have decided: springs start from where these have moved the bodies (stepper->moved), and the
// work on that way is booked as far as it is of both sides; each has booked its own.
void thaw_attach_see_moves(ThawWorld *world, ThawIncrement step);
// And their offsets are those of where vertices of turning parts will be, not of where velocities lead.
void thaw_attach_see_turns(ThawWorld *world, ThawIncrement step);
void thaw_attach_take_rows(ThawWorld *world);
// The interval is final: forces, and the work of what moves.
void thaw_attach_commit(ThawWorld *world, ThawIncrement step);
// The whole step is: what was pulled too hard lets go.
void thaw_attach_end(ThawWorld *world);
void thaw_attach_undo(ThawWorld *world);

// J, what the springs of a row did on the way by which a method has moved the body on one side of it.
double thaw_attach_work_of_move(const ThawWorld *world, const ThawContact *row, int side);

// Joins bodies that are held to each other in a forest over bodies.
void thaw_attach_join(const ThawWorld *world, int32_t *root);
// Whether anything holds a body.
int thaw_attach_holds(const ThawWorld *world, int32_t body);
// J, in all springs.
double thaw_attach_energy(const ThawWorld *world);

// Shapes have changed: forces on vertices that are no longer held become 0.
void thaw_attach_follow(ThawWorld *world);

#endif
