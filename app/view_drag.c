// SPDX-License-Identifier: Apache-2.0
// Dragging: a spring and a damper between a point of a body and the mouse.
//
// The force is evaluated at the start of a step and held over it, so it is explicit, and a spring that is too stiff for
// the mass it pulls at would blow up. It is shared out over a part of the body around the point, with weights w_i
// proportional to m_i (1 - (d/r)^2)^2, whose effective mass is 1 / sum(w_i^2 / m_i) even if nothing else of the body
// followed. With k h^2 at a quarter of that mass, and the damping c of each vertex such that c w_i h is at most half of
// m_i, the motion decays for every softness of the body (the characteristic polynomial of x, v under v += h(-k x - c
// v)/m, x += h v has its roots inside the unit circle while k h^2/m + 2 c h/m < 4). Below that bound the spring is as
// stiff as is handy: the body's weight stretches it by a twentieth of its diameter. All of the body is slowed down a
// little besides, as what hangs from a hand soon ceases to swing and to spin.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "view_live.h"

static const double REGION = 0.25; // of the diameter: how far the pull is shared out
static const double SAG = 0.05;    // of the diameter: stretch under the body's weight
static const double STIFF = 0.25, DAMPED = 0.5;
static const double HARDEST = 10; // weights of the body: no spring pulls harder, however long
static const double SLOWED = 2;   // 1/s, of every vertex that is held or hangs on

static void drop(ViewDrag *drag) {
    thaw_free(drag->weight);
    thaw_free(drag->mass);
    thaw_free(drag->x);
    thaw_free(drag->v);
    thaw_free(drag->f);
    *drag = (ViewDrag){.body = -1};
}

void view_drag_release(ViewLive *live) {
    for (int v = 0; v < live->views && live->drag.body >= 0; v++)
        thaw_world_set_forces(live->runners[v].world, live->drag.body, NULL);
    drop(&live->drag);
}

static double distance(const double *a, const double *b, int dim) {
    double square = 0;
    for (int k = 0; k < dim; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

static void point_of(const ViewDrag *drag, int dim, double point[3]) {
    for (int k = 0; k < 3; k++)
        point[k] = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < dim; k++)
            point[k] += drag->bary[i] * drag->x[(size_t)drag->corner[i] * (size_t)dim + (size_t)k];
}

// Shares the pull out and chooses the spring for it.
static void settle(ViewLive *live, int32_t count, double diameter) {
    ViewDrag *drag = &live->drag;
    const double *mass = drag->mass;
    const int dim = live->now.world.dim;
    const double *g = live->now.world.gravity, h = live->now.world.h;
    double point[3], total = 0, sum = 0, inverse = 0, reach = REGION * diameter;
    point_of(drag, dim, point);
    for (int i = 0; i < 3; i++) // the triangle itself always takes part
        reach = fmax(reach, 1.01 * distance(&drag->x[(size_t)drag->corner[i] * (size_t)dim], point, dim));
    for (int32_t i = 0; i < count; i++) {
        const double d = distance(&drag->x[(size_t)i * (size_t)dim], point, dim) / reach, near = fmax(0, 1 - d * d);
        drag->weight[i] = mass[i] * near * near;
        sum += drag->weight[i];
        total += mass[i];
    }
    for (int32_t i = 0; i < count; i++) {
        drag->weight[i] /= sum;
        inverse += drag->weight[i] * drag->weight[i] / mass[i];
    }
    const double effective = 1 / inverse, gravity = thaw_v3_norm(g);
    const double weight = total * (gravity > 0 ? gravity : 9.81);
    drag->stiffness = fmin(weight / (SAG * diameter), STIFF * effective / (h * h));
    drag->reach = HARDEST * weight / drag->stiffness;
    drag->damping = fmin(sqrt(drag->stiffness * total), DAMPED * sum / h); // w_i <= m_i / sum
}

static ThawStatus take_hold(ViewLive *live, int view, int32_t triangle, const double bary[3], ThawError *error) {
    ViewDrag *drag = &live->drag;
    const ThawStreamMesh *mesh = live->shown.mesh;
    const ThawWorld *world = live->runners[view].world;
    int32_t body = 0;
    while (mesh->first_triangle[body + 1] <= triangle)
        body++;
    const size_t count = (size_t)thaw_world_vertex_count(world, body);
    *drag = (ViewDrag){.body = body,
                       .count = (int32_t)count,
                       .weight = THAW_NEW(double, count),
                       .mass = THAW_NEW(double, count),
                       .x = THAW_NEW(double, 3 * count),
                       .v = THAW_NEW(double, 3 * count),
                       .f = THAW_NEW(double, 3 * count)};
    memcpy(drag->bary, bary, sizeof drag->bary);
    if (!drag->weight || !drag->mass || !drag->x || !drag->v || !drag->f) {
        drop(drag);
        return thaw_error_memory(error, "dragging");
    }
    for (int i = 0; i < 3; i++)
        drag->corner[i] = mesh->points[mesh->triangles[3 * (size_t)triangle + (size_t)i]] - mesh->first_point[body];
    thaw_world_get_positions(world, body, drag->x);
    thaw_world_get_masses(world, body, drag->mass);
    settle(live, (int32_t)count, live->lockstep.diameter[body]);
    return THAW_OK;
}

ThawStatus view_drag_hold(ViewLive *live, int client, int view, int32_t triangle, const double bary[3],
                          const double to[3], ThawError *error) {
    if (live->drag.body >= 0 && live->drag.client != client)
        return thaw_error_set(error, THAW_ERROR_INPUT, "another page holds a body; one at a time");
    if (live->drag.body < 0) {
        ThawStatus status = take_hold(live, view, triangle, bary, error);
        if (status != THAW_OK)
            return status;
        live->drag.client = client;
    }
    memcpy(live->drag.to, to, sizeof live->drag.to);
    return THAW_OK;
}

void view_drag_apply(ViewLive *live) {
    ViewDrag *drag = &live->drag;
    const int dim = live->now.world.dim;
    for (int v = 0; v < live->views && drag->body >= 0; v++) {
        ThawWorld *world = live->runners[v].world;
        const int32_t count = thaw_world_vertex_count(world, drag->body);
        if (count != drag->count) { // its shape has changed
            view_drag_release(live);
            return;
        }
        double point[3], pull[3];
        thaw_world_get_positions(world, drag->body, drag->x);
        thaw_world_get_velocities(world, drag->body, drag->v);
        point_of(drag, dim, point);
        const double length = distance(drag->to, point, dim);
        const double share = length > drag->reach ? drag->reach / length : 1;
        for (int k = 0; k < dim; k++)
            pull[k] = drag->stiffness * share * (drag->to[k] - point[k]);
        for (size_t i = 0; i < (size_t)count; i++) {
            const double slowed = drag->weight[i] * drag->damping + drag->mass[i] * SLOWED;
            for (size_t k = 0; k < (size_t)dim; k++)
                drag->f[i * (size_t)dim + k] = drag->weight[i] * pull[k] - slowed * drag->v[i * (size_t)dim + k];
        }
        thaw_world_set_forces(world, drag->body, drag->f);
    }
}
