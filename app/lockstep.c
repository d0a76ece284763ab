// SPDX-License-Identifier: Apache-2.0
// Worlds side by side. The error of one against another is the largest distance between equal vertices, each over the
// diameter of its body at the start: a number without a unit that says how far off a picture would look.
#include "lockstep.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

static double box_diameter(const ThawMesh *mesh) {
    double square = 0;
    for (int k = 0; k < mesh->dim; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            double x = mesh->x[(size_t)v * (size_t)mesh->dim + (size_t)k];
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        square += (hi - lo) * (hi - lo);
    }
    return sqrt(square);
}

ThawStatus app_lockstep_create(const ThawScene *scene, AppLockstep *l, ThawError *error) {
    const ThawWorldDef *def = &scene->world;
    int32_t largest = 0;
    *l = (AppLockstep){.scene = scene,
                       .bodies = THAW_NEW(ThawBodyDef, def->body_count),
                       .diameter = THAW_NEW(double, def->body_count),
                       .apart = THAW_NEW(double, def->body_count)};
    for (int32_t i = 0; i < def->body_count; i++) {
        const ThawMesh *mesh = def->shapes[def->bodies[i].shape].mesh;
        largest = mesh->vertex_count > largest ? mesh->vertex_count : largest;
        l->elements += mesh->element_count;
    }
    for (int k = 0; k < 2; k++)
        l->x[k] = THAW_NEW(double, 3 * (size_t)largest);
    if (!l->bodies || !l->diameter || !l->apart || !l->x[0] || !l->x[1]) {
        app_lockstep_clear(l);
        return thaw_error_memory(error, "worlds side by side");
    }
    memcpy(l->bodies, def->bodies, sizeof *l->bodies * (size_t)def->body_count);
    for (int32_t i = 0; i < def->body_count; i++) // bodies of one shape follow each other
        l->diameter[i] = i > 0 && def->bodies[i].shape == def->bodies[i - 1].shape
                             ? l->diameter[i - 1]
                             : box_diameter(def->shapes[def->bodies[i].shape].mesh);
    return THAW_OK;
}

void app_lockstep_clear(AppLockstep *l) {
    thaw_free(l->bodies);
    thaw_free(l->diameter);
    thaw_free(l->apart);
    thaw_free(l->x[0]);
    thaw_free(l->x[1]);
    *l = (AppLockstep){0};
}

int32_t app_lockstep_shift(AppLockstep *l, double share) {
    int32_t free = 0, dim = l->scene->world.dim;
    for (int32_t i = 0; i < l->scene->world.body_count; i++)
        if (l->bodies[i].script_count == 0) {
            int axis = (free++ + dim - 1) % dim;
            l->bodies[i].position[axis] = l->scene->world.bodies[i].position[axis] + share * l->diameter[i];
        }
    return free;
}

// Bodies that start at rest do so asleep, which only "rigidify" can be. By another method they start from the same shapes,
// elastic: taken over from a world that is made as the scene says.
static ThawStatus start_at_rest(AppLockstep *l, ThawWorld *world, ThawError *error) {
    ThawWorld *asleep = NULL;
    ThawStatus status = thaw_world_create(&l->scene->world, &asleep, error);
    for (int32_t i = 0; i < l->scene->world.body_count && status == THAW_OK; i++)
        if (l->scene->world.bodies[i].at_rest) {
            thaw_world_get_positions(asleep, i, l->x[0]);
            status = thaw_world_set_positions(world, i, l->x[0]);
        }
    thaw_world_free(&asleep);
    return status;
}

ThawStatus app_runner_create(AppLockstep *l, const char *method, double h, const ThawRigidifyOptions *rigidify,
                             AppRunner *runner, ThawError *error) {
    ThawWorldDef def = l->scene->world;
    int woken = 0;
    for (int32_t i = 0; i < def.body_count; i++) {
        l->bodies[i].method = method ? method : def.bodies[i].method;
        l->bodies[i].at_rest = def.bodies[i].at_rest && strcmp(l->bodies[i].method, "rigidify") == 0 &&
                               !(rigidify && !l->bodies[i].rigidify && rigidify->sleep == 0);
        woken |= l->bodies[i].at_rest != def.bodies[i].at_rest;
    }
    def.bodies = l->bodies;
    def.h = h;
    def.ledger = l->ledger;
    if (rigidify)
        def.rigidify = *rigidify;
    *runner = (AppRunner){.method = method};
    ThawStatus status = thaw_world_create(&def, &runner->world, error);
    if (status == THAW_OK && woken)
        status = start_at_rest(l, runner->world, error);
    return status == THAW_OK ? app_watch_create(runner->world, &runner->watch, error) : status;
}

void app_runner_clear(AppRunner *runner) {
    app_watch_clear(&runner->watch);
    thaw_world_free(&runner->world);
    *runner = (AppRunner){0};
}

ThawStatus app_runner_step(AppRunner *runner, ThawError *error) {
    ThawStatus status = thaw_world_step(runner->world, &runner->last, error);
    if (status != THAW_OK)
        return status;
    runner->steps++;
    app_watch_step(&runner->watch, runner->world, &runner->last);
    runner->wall_ms += runner->last.wall_ms;
    runner->cpu_ms += runner->last.cpu_ms;
    runner->contact_ms += runner->last.contact_ms + runner->last.response_ms;
    runner->dofs += (double)runner->last.dofs;
    return THAW_OK;
}

double app_lockstep_distance(AppLockstep *l, const AppRunner *a, const AppRunner *b, double *mean) {
    size_t dim = (size_t)thaw_world_dim(a->world);
    double worst = 0, sum = 0;
    int64_t count = 0;
    for (int32_t body = 0; body < thaw_world_body_count(a->world); body++) {
        int32_t vertices = thaw_world_vertex_count(a->world, body);
        l->apart[body] = 0;
        thaw_world_get_positions(a->world, body, l->x[0]);
        thaw_world_get_positions(b->world, body, l->x[1]);
        for (int32_t i = 0; i < vertices; i++) {
            double square = 0;
            for (size_t k = 0; k < dim; k++) {
                double d = l->x[0][(size_t)i * dim + k] - l->x[1][(size_t)i * dim + k];
                square += d * d;
            }
            double error = sqrt(square) / l->diameter[body];
            l->apart[body] = fmax(l->apart[body], error);
            sum += error;
        }
        worst = fmax(worst, l->apart[body]);
        count += vertices;
    }
    if (mean)
        *mean = count > 0 ? sum / (double)count : 0;
    return worst;
}
