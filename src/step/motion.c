// SPDX-License-Identifier: Apache-2.0
// How a body moves as a whole, and how fast against what it touches. What rolls is at rest where it touches, and what
// lies on a belt or is carried moves as that does: neither the velocity at contacts nor the body's own tells, only that
// of one whole against the other.
#include <math.h>
#include <string.h>

#include "contact/geometry.h"
#include "math/vec3.h"
#include "step/method.h"

void thaw_motion_note(ThawStepper *s) {
    if (!s->data || !s->method->ops->motion || !s->method->ops->motion(s, &s->motion))
        thaw_motion_find(s->shape, s->x, s->v, &s->motion);
}

// Of the obstacle's material at x, as it goes from t to t + h.
static void follow_obstacle(const ThawModelObstacle *obstacle, ThawIncrement step, const double x[3],
                            ThawMotion *motion) {
    ThawPlace place[2];
    double turn[9];
    thaw_obstacle_place(obstacle, step.t, &place[0]);
    thaw_obstacle_place(obstacle, step.t + step.h, &place[1]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turn[3 * i + j] = thaw_v3_dot(place[1].R + 3 * i, place[0].R + 3 * j);
    for (int i = 0; i < 3; i++) {
        double to = place[1].p[i] - x[i];
        for (int j = 0; j < 3; j++)
            to += turn[3 * i + j] * (x[j] - place[0].p[j]);
        motion->at[i] = x[i];
        motion->v[i] = to / step.h;
    }
    motion->omega[0] = (turn[7] - turn[5]) / (2 * step.h);
    motion->omega[1] = (turn[2] - turn[6]) / (2 * step.h);
    motion->omega[2] = (turn[3] - turn[1]) / (2 * step.h);
}

double thaw_motion_against(const ThawWorld *world, const ThawStepper *s, const ThawContact *contact, int side,
                           ThawIncrement step) {
    const int32_t other = contact->key.body[1 - side];
    const ThawMotion *mine = &s->motion;
    ThawMotion its = {{0}, {0}, {0}};
    double carried[3], v = 0, omega = 0;
    if (other >= 0 && !world->state.asleep[other])
        its = thaw_world_mover(world, other)->motion;
    else if (other < 0 && world->model->obstacles[-1 - other].frame_count > 0)
        memcpy(its.v, contact->velocity, sizeof its.v);
    else if (other < 0 && thaw_obstacle_moves(&world->model->obstacles[-1 - other], step.t, step.h))
        follow_obstacle(&world->model->obstacles[-1 - other], step, mine->at, &its);
    thaw_motion_velocity(&its, mine->at, carried);
    for (int k = 0; k < 3; k++) {
        v += (mine->v[k] - carried[k]) * (mine->v[k] - carried[k]);
        omega += (mine->omega[k] - its.omega[k]) * (mine->omega[k] - its.omega[k]);
    }
    return sqrt(v) + s->shape->diameter * sqrt(omega);
}
