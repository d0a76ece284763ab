// SPDX-License-Identifier: Apache-2.0
// What moves by decree: placements, keyframed scripts, and the windows of loads.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "model/model.h"

// y = q x q* for a unit quaternion (w, x, y, z).
static void rotate(const double q[4], const double x[3], double y[3]) {
    const double *u = q + 1;
    double t[3], s[3]; // 2 u x x, and u x t
    thaw_v3_cross(u, x, t);
    for (int k = 0; k < 3; k++)
        t[k] *= 2;
    thaw_v3_cross(u, t, s);
    for (int k = 0; k < 3; k++)
        y[k] = x[k] + q[0] * t[k] + s[k];
}

void thaw_body_place(const ThawModelBody *body, int dim, const double *X, double *x) {
    double in[3] = {0, 0, 0}, out[3];
    memcpy(in, X, sizeof *X * (size_t)dim);
    rotate(body->rotation, in, out);
    for (int i = 0; i < dim; i++)
        x[i] = out[i] + body->position[i];
}

void thaw_body_unplace(const ThawModelBody *body, int dim, const double *x, double *X) {
    const double back[4] = {body->rotation[0], -body->rotation[1], -body->rotation[2], -body->rotation[3]};
    double in[3] = {0, 0, 0}, out[3];
    for (int i = 0; i < dim; i++)
        in[i] = x[i] - body->position[i];
    rotate(back, in, out);
    memcpy(X, out, sizeof *X * (size_t)dim);
}

// Between two unit quaternions along the shorter arc at constant angular speed.
static void slerp(const double a[4], const double b[4], double s, double q[4]) {
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += a[i] * b[i];
    double sign = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot)));
    double wa = 1 - s, wb = s;
    if (angle > 1e-6) {
        wa = sin((1 - s) * angle) / sin(angle);
        wb = sin(s * angle) / sin(angle);
    }
    double norm = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = wa * a[i] + sign * wb * b[i];
        norm += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(norm);
}

void thaw_script_pose(const ThawScript *script, double t, ThawPose *pose) {
    *pose = (ThawPose){.rotation = {1, 0, 0, 0}};
    memcpy(pose->centre, script->centre, sizeof pose->centre);
    const ThawKey *keys;
    const int32_t count = thaw_script_keys(script, &keys);
    if (count == 0)
        return;
    int32_t k = 0; // the last key at or before t
    while (k + 1 < count && keys[k + 1].time <= t)
        k++;
    memcpy(pose->translation, keys[k].translation, sizeof pose->translation);
    memcpy(pose->rotation, keys[k].rotation, sizeof pose->rotation);
    if (t <= keys[k].time || k + 1 == count)
        return;
    double s = (t - keys[k].time) / (keys[k + 1].time - keys[k].time);
    if (script->interpolation == THAW_INTERPOLATE_SMOOTH && !script->drive.on)
        s = s * s * (3 - 2 * s);
    for (int i = 0; i < 3; i++)
        pose->translation[i] += s * (keys[k + 1].translation[i] - keys[k].translation[i]);
    slerp(keys[k].rotation, keys[k + 1].rotation, s, pose->rotation);
}

void thaw_pose_apply(const ThawPose *pose, int dim, const double *start, double *x) {
    double arm[3] = {0, 0, 0}, turned[3];
    for (int i = 0; i < dim; i++)
        arm[i] = start[i] - pose->centre[i];
    rotate(pose->rotation, arm, turned);
    // start + (turned - arm): a pose that does not turn leaves the bits of start alone.
    for (int i = 0; i < dim; i++)
        x[i] = start[i] + (turned[i] - arm[i]) + pose->translation[i];
}

void thaw_obstacle_place(const ThawModelObstacle *obstacle, double t, ThawPlace *place) {
    ThawPose pose;
    thaw_script_pose(&obstacle->script, t, &pose);
    for (int j = 0; j < 3; j++) {
        double axis[3] = {j == 0, j == 1, j == 2}, placed[3], turned[3];
        rotate(obstacle->rotation, axis, placed);
        rotate(pose.rotation, placed, turned);
        for (int i = 0; i < 3; i++)
            place->R[3 * i + j] = turned[i];
    }
    thaw_pose_apply(&pose, 3, obstacle->position, place->p);
}

void thaw_obstacle_frames(const ThawModelObstacle *obstacle, double t, int32_t *a, int32_t *b, double *s) {
    const double *times = obstacle->frame_times;
    int32_t lo = 0, hi = obstacle->frame_count; // the last frame at or before t
    while (hi - lo > 1) {
        int32_t mid = lo + (hi - lo) / 2;
        if (times[mid] <= t)
            lo = mid;
        else
            hi = mid;
    }
    *a = lo;
    *b = lo + 1 < obstacle->frame_count ? lo + 1 : lo;
    *s = *b > *a ? fmin(1, fmax(0, (t - times[*a]) / (times[*b] - times[*a]))) : 0;
}

double thaw_load_factor(const ThawLoad *load, double t) {
    if (t < load->from || t >= load->to)
        return 0;
    return load->ramp > 0 ? fmin(1, (t - load->from) / load->ramp) : 1;
}
