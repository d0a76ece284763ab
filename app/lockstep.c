// SPDX-License-Identifier: Apache-2.0
// Worlds side by side. The error of one against another is the largest distance between equal vertices, each over the
// diameter of its body at the start: a number without a unit that says how far off a picture would look.
#include "lockstep.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "step/method.h"

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
                       .apart = THAW_NEW(double, def->body_count),
                       .options = THAW_NEW(ThawOptionDef, def->option_count + THAW_OPTION_ROWS)};
    for (int32_t i = 0; i < def->body_count; i++) {
        const ThawMesh *mesh = def->shapes[def->bodies[i].shape].mesh;
        largest = mesh->vertex_count > largest ? mesh->vertex_count : largest;
        l->elements += mesh->element_count;
    }
    l->room = largest;
    for (int k = 0; k < 2; k++)
        l->x[k] = THAW_NEW(double, 3 * (size_t)largest);
    if (!l->bodies || !l->diameter || !l->apart || !l->options || !l->x[0] || !l->x[1]) {
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
    thaw_free(l->options);
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

// Bodies that start at rest do so asleep, which not every method can. By another method they start from the same
// shapes,
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

// By its method, and by its options where they are not the scene's.
static int can_sleep(const ThawWorldDef *def, const ThawBodyDef *body, const AppOptions *options) {
    const int index = thaw_method_index(body->method);
    const ThawMethod *method = index >= 0 ? thaw_method_at(index) : NULL;
    ThawOptionBuffer own;
    if (!method || !method->sleeps)
        return 0;
    if (!options || options->count == 0 || method->options.count == 0 || !method->ops->sleep_steps)
        return 1;
    thaw_method_body_options(method, def, body, &own);
    return method->ops->sleep_steps(own.bytes) > 0;
}

int32_t app_options_list(const ThawMethod *method, const void *options, ThawOptionDef *rows) {
    for (int i = 0; i < method->options.count; i++) {
        const ThawOption *o = &method->options.rows[i];
        rows[i] = (ThawOptionDef){method->name, o->name, thaw_option_get(o, options)};
    }
    return method->options.count;
}

// Copies that cuts make are more vertices than the meshes have.
static ThawStatus make_room(AppLockstep *l, int32_t vertices, ThawError *error) {
    for (int k = 0; k < 2 && vertices > l->room; k++) {
        double *more = thaw_regrow(l->x[k], 3 * (size_t)l->room, 3 * (size_t)vertices, sizeof *more);
        if (!more)
            return thaw_error_memory(error, "worlds side by side");
        l->x[k] = more;
    }
    l->room = vertices > l->room ? vertices : l->room;
    return THAW_OK;
}

ThawStatus app_runner_create(AppLockstep *l, const char *method, double h, const AppOptions *options, AppRunner *runner,
                             ThawError *error) {
    ThawWorldDef def = l->scene->world;
    int woken = 0;
    if (options && options->count > 0) {
        if (def.option_count > 0)
            memcpy(l->options, def.options, sizeof *l->options * (size_t)def.option_count);
        memcpy(l->options + def.option_count, options->rows, sizeof *l->options * (size_t)options->count);
        def.options = l->options;
        def.option_count += options->count;
    }
    for (int32_t i = 0; i < def.body_count; i++) {
        l->bodies[i].method = method ? method : def.bodies[i].method;
        l->bodies[i].at_rest = def.bodies[i].at_rest && can_sleep(&def, &l->bodies[i], options);
        woken |= l->bodies[i].at_rest != def.bodies[i].at_rest;
    }
    def.bodies = l->bodies;
    def.h = h;
    def.ledger = l->ledger;
    *runner = (AppRunner){.method = method};
    ThawStatus status = thaw_world_create(&def, &runner->world, error);
    for (int32_t i = 0; i < def.body_count && status == THAW_OK; i++)
        status = make_room(l, thaw_world_most_vertices(runner->world, i), error);
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

// From the first runner, or (NULL) from positions of all bodies.
static double distance(AppLockstep *l, const AppRunner *a, const double *from, const AppRunner *b, double *mean) {
    size_t dim = (size_t)thaw_world_dim(b->world);
    double worst = 0, sum = 0;
    int64_t count = 0;
    for (int32_t body = 0; body < thaw_world_body_count(b->world); body++) {
        int32_t vertices = thaw_world_vertex_count(b->world, body);
        const double *x = from;
        l->apart[body] = 0;
        if (a)
            thaw_world_get_positions(a->world, body, l->x[0]), x = l->x[0];
        else
            from += (size_t)vertices * dim;
        thaw_world_get_positions(b->world, body, l->x[1]);
        for (int32_t i = 0; i < vertices; i++) {
            double square = 0;
            for (size_t k = 0; k < dim; k++) {
                double d = x[(size_t)i * dim + k] - l->x[1][(size_t)i * dim + k];
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

double app_lockstep_distance(AppLockstep *l, const AppRunner *a, const AppRunner *b, double *mean) {
    return distance(l, a, NULL, b, mean);
}

double app_lockstep_distance_from(AppLockstep *l, const double *x, const AppRunner *b, double *mean) {
    return distance(l, NULL, x, b, mean);
}
