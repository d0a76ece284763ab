// SPDX-License-Identifier: Apache-2.0
// External forces, and the offset w of scripted vertices: w takes them exactly to where the script has them at the
// end of the step. Windows are asked at the middle of the step, so that no rounding of t decides.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "model/change.h"
#include "step/step.h"

int thaw_loads_mark_scripted(ThawStepper *stepper, double middle) {
    const ThawModelBody *body = stepper->body;
    stepper->middle = middle;
    if (middle < stepper->marked_until && stepper->system)
        return 0;
    stepper->marked_until = INFINITY;
    stepper->loads_until = -INFINITY;
    memset(stepper->scripted, 0, (size_t)stepper->shape->nv);
    for (int32_t s = 0; s < body->script_count; s++) {
        const ThawScript *script = &body->scripts[s];
        if (middle < script->release)
            stepper->marked_until = fmin(stepper->marked_until, script->release);
        for (int32_t i = 0; i < script->group->count && middle < script->release; i++)
            stepper->scripted[script->group->vertices[i]] = 1;
    }
    return !stepper->system || !thaw_system_serves(stepper->system, stepper->shape, stepper->scripted);
}

double thaw_loads_constant_until(const ThawModelBody *body, double t) {
    double until = INFINITY;
    for (int32_t i = 0; i < body->load_count; i++) {
        const ThawLoad *load = &body->loads[i];
        if (t < load->from)
            until = fmin(until, load->from);
        else if (t < load->to && t < load->from + load->ramp)
            return t;
        else if (t < load->to)
            until = fmin(until, load->to);
    }
    for (int32_t i = 0; i < body->script_count; i++) {
        const ThawScript *script = &body->scripts[i];
        if (t >= script->release)
            continue;
        until = fmin(until, script->release);
        const ThawKey *keys;
        const int32_t count = thaw_script_keys(script, &keys);
        if (count > 1 && t < keys[0].time)
            until = fmin(until, keys[0].time);
        else if (count > 1 && t < keys[count - 1].time)
            return t;
    }
    for (int32_t i = 0; i < body->change_count; i++)
        if (t < body->changes[i].wake)
            until = fmin(until, body->changes[i].wake);
    return until;
}

// Whether wind acts at t: steady or not, it depends on how fast triangles go.
static int is_blown_on(const ThawModelBody *body, double t) {
    for (int32_t i = 0; i < body->load_count; i++)
        if (body->loads[i].kind == THAW_FORCE_WIND && t >= body->loads[i].from && t < body->loads[i].to)
            return 1;
    return 0;
}

static void add_load(const ThawStepper *stepper, const ThawLoad *load, double t, double h, double *f) {
    double factor = thaw_load_factor(load, t);
    int dim = stepper->model->dim;
    if (load->kind == THAW_FORCE_WIND) {
        thaw_wind_add(stepper, load, factor, h, f);
        return;
    }
    for (int32_t i = 0; i < load->group->count && factor != 0; i++) {
        int32_t v = load->group->vertices[i];
        double share = factor;
        if (load->kind == THAW_FORCE_ACCELERATION)
            share *= stepper->shape->mass[v];
        else if (load->kind == THAW_FORCE_TOTAL)
            share *= stepper->shape->mass[v] / load->group->mass;
        else if (stepper->shape->variant) // what is left of the vertex
            share *= stepper->shape->variant->share[v];
        for (int k = 0; k < dim; k++)
            f[(size_t)v * dim + k] += share * load->value[k];
    }
}

// The velocities w of a script's group that take it to where it belongs at the time in h; a vertex of several scripts
// follows the last one. Returns whether any moves.
static int aim_script(const ThawStepper *stepper, const ThawScript *script, double time, double h, double *w) {
    int dim = stepper->model->dim, moves = 0;
    ThawPose pose;
    thaw_script_pose(script, time, &pose);
    for (int32_t i = 0; i < script->group->count; i++) {
        int32_t v = script->group->vertices[i];
        double start[3], target[3];
        thaw_body_place(stepper->body, dim, stepper->shape->X + (size_t)v * dim, start);
        thaw_pose_apply(&pose, dim, start, target);
        for (int k = 0; k < dim; k++) {
            w[(size_t)v * dim + k] = (target[k] - stepper->x[(size_t)v * dim + k]) / h;
            moves |= w[(size_t)v * dim + k] != 0;
        }
    }
    return moves;
}

void thaw_loads_lead(const ThawStepper *stepper, double t, double h, double *v) {
    for (int32_t s = 0; s < stepper->body->script_count; s++) {
        const ThawScript *script = &stepper->body->scripts[s];
        const ThawKey *keys;
        if (thaw_script_keys(script, &keys) > 1 && stepper->middle < script->release)
            aim_script(stepper, script, t + h, h, v);
    }
}

static int moves_scripted_only(const ThawStepper *stepper) {
    const size_t dim = (size_t)stepper->model->dim;
    for (size_t i = 0; i < dim * (size_t)stepper->shape->nv; i++)
        if (stepper->w[i] != 0 && !stepper->scripted[i / dim])
            return 0;
    return 1;
}

// What is constant in time, and moves nothing, is not computed again: the scripted vertices are where they belong.
void thaw_loads_evaluate(ThawStepper *stepper, ThawIncrement increment) {
    const ThawModelBody *body = stepper->body;
    int dim = stepper->model->dim;
    if (!increment.still && increment.t + increment.h <= stepper->loads_until)
        return;
    stepper->loads_until =
        !increment.still && !is_blown_on(body, increment.t) ? thaw_loads_constant_until(body, increment.t) : -INFINITY;
    stepper->loads_changed = 1;
    double middle = increment.still ? increment.t : increment.t + increment.h / 2;
    double end = increment.still ? increment.t : increment.t + increment.h;
    for (int32_t i = 0; i < stepper->shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * dim + k;
            stepper->f_ext[at] = stepper->shape->mass[i] * stepper->model->options.gravity[k] + stepper->push[at];
            stepper->w[at] = 0;
        }
    for (int32_t i = 0; i < body->load_count; i++)
        add_load(stepper, &body->loads[i], middle, increment.still ? 0 : increment.h, stepper->f_ext);
    stepper->offset_moves = 0;
    for (int32_t s = 0; s < body->script_count; s++)
        if (stepper->middle < body->scripts[s].release)
            stepper->offset_moves |= aim_script(stepper, &body->scripts[s], end, increment.h, stepper->w);
    if (stepper->offset_moves)
        stepper->loads_until = -INFINITY;
    THAW_ASSERT(moves_scripted_only(stepper), "w is zero but at scripted vertices");
}
