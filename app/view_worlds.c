// SPDX-License-Identifier: Apache-2.0
// The worlds of a live view, and every way in which they change while they run.
//
// Methods and thresholds are changed in place. Bodies of a world are fixed, so for a dropped body, and for two views
// instead of one, new worlds are compiled and take over the states of the old ones (thaw_world_load), adaptive parts
// and contacts included: nothing wakes up but what has changed. If any of it fails, the old worlds are still there.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "registry/method.h"
#include "view_live.h"

typedef struct Worlds {
    AppLockstep lockstep;
    AppRunner runners[VIEW_VIEWS];
    int views;
} Worlds;

static void clear(Worlds *worlds) {
    for (int v = 0; v < VIEW_VIEWS; v++)
        app_runner_clear(&worlds->runners[v]);
    app_lockstep_clear(&worlds->lockstep);
}

void view_worlds_clear(ViewLive *live) {
    Worlds old = {.lockstep = live->lockstep, .runners = {live->runners[0], live->runners[1]}};
    clear(&old);
    live->lockstep = (AppLockstep){0};
    memset(live->runners, 0, sizeof live->runners);
    live->views = 0;
}

// With two views the first is the reference.
static const char *method_of(const ViewLive *live, int views, int view) {
    if (views == 1)
        return live->method;
    return view == 0 ? "full" : live->split_method;
}

static ThawStatus take_over(const ViewLive *live, const AppRunner *from, AppRunner *to, ThawError *error) {
    char path[240];
    snprintf(path, sizeof path, "%s/state.h5", live->state);
    ThawStatus status = thaw_world_save(from->world, path, error);
    if (status == THAW_OK)
        status = thaw_world_load(to->world, path, error);
    unlink(path);
    return status;
}

// After the state, which brings its methods along; the scene's own stay until then, for where bodies start may hang on
// them.
static ThawStatus settle_method(AppRunner *runner, const char *method, ThawError *error) {
    ThawStatus status = THAW_OK;
    runner->method = method;
    for (int32_t b = 0; b < thaw_world_body_count(runner->world) && status == THAW_OK && method; b++)
        if (strcmp(thaw_world_get_method(runner->world, b), method) != 0)
            status = thaw_world_set_method(runner->world, b, method, error);
    return status;
}

// What pages have set, in bodies with options of their own, from the first new one on.
static ThawStatus settle_options(const ViewLive *live, int32_t first, ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    ThawOptionBuffer own;
    for (int32_t b = first; b < live->now.world.body_count; b++)
        for (int32_t i = 0; i < live->set_count && status == THAW_OK; i++) {
            const ThawMethod *method = thaw_method_at(thaw_method_index(live->set[i].method));
            if (thaw_method_body_options(method, &live->now.world, &live->now.world.bodies[b], &own))
                status = thaw_world_set_options(world, b, &live->set[i], 1, error);
        }
    return status;
}

ThawStatus view_worlds_build(ViewLive *live, int views, int keep, ThawError *error) {
    Worlds made = {.views = views};
    ThawStatus status = app_lockstep_create(&live->now, &made.lockstep, error);
    for (int v = 0; v < views && status == THAW_OK; v++) {
        status = app_runner_create(&made.lockstep, NULL, live->now.world.h, &(AppOptions){live->set, live->set_count},
                                   &made.runners[v], error);
        // From one view to two both go on from the one; from two to one the adaptive one stays.
        const int from = views == 1 ? live->views - 1 : v < live->views ? v : live->views - 1;
        if (status == THAW_OK && keep && from >= 0)
            status = take_over(live, &live->runners[from], &made.runners[v], error);
        if (status == THAW_OK) // a state brings the options of its bodies along
            status = settle_options(live, keep && from >= 0 ? thaw_world_body_count(live->runners[from].world) : 0,
                                    made.runners[v].world, error);
        if (status == THAW_OK)
            status = settle_method(&made.runners[v], method_of(live, views, v), error);
        if (status == THAW_OK)
            status = thaw_world_set_cancel(made.runners[v].world, &(ThawCancel){view_live_gives_up, live});
    }
    ViewWorld shown;
    ThawStream *streams[VIEW_VIEWS];
    if (status == THAW_OK)
        status = view_show_create(live, made.runners[0].world, views, &shown, streams, error);
    if (status != THAW_OK) {
        clear(&made);
        return status;
    }
    const int before = live->views;
    view_drag_release(live);
    view_worlds_clear(live);
    view_show_set(live, &shown, streams);
    live->lockstep = made.lockstep;
    memcpy(live->runners, made.runners, sizeof live->runners);
    live->next = keep && views > 1 && before > 1 ? live->next : 0;
    live->views = views;
    live->apart = live->apart && keep && views > 1;
    return THAW_OK;
}

ThawStatus view_worlds_set_method(ViewLive *live, const char *method, ThawError *error) {
    AppRunner *runner = &live->runners[live->views - 1];
    ThawStatus status = thaw_world_set_method(runner->world, -1, method, error);
    if (status != THAW_OK)
        return status;
    runner->method = method;
    if (live->views > 1)
        live->split_method = method;
    else
        live->method = method;
    return THAW_OK;
}

ThawStatus view_worlds_set_options(ViewLive *live, const ThawOptionDef *rows, int32_t count, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int v = 0; v < live->views && status == THAW_OK; v++)
        status = thaw_world_set_options(live->runners[v].world, -1, rows, count, error);
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        int32_t at = 0; // the names belong to the registry
        while (at < live->set_count && (live->set[at].method != rows[i].method || live->set[at].name != rows[i].name))
            at++;
        if (at == VIEW_SET)
            return thaw_error_set(error, THAW_ERROR_INPUT, "at most %d options", VIEW_SET);
        live->set[at] = rows[i];
        live->set_count += at == live->set_count;
    }
    return status;
}

// --- dropping a body -------------------------------------------------------------------------------------------------

static int32_t find_shape(const ThawWorldDef *def, const char *name) {
    for (int32_t i = 0; i < def->shape_count; i++)
        if (strcmp(def->shapes[i].name, name) == 0)
            return i;
    return -1;
}

static void box_of(const double *x, int32_t count, int dim, double box[2][3]) {
    for (int k = 0; k < dim; k++) {
        box[0][k] = INFINITY;
        box[1][k] = -INFINITY;
        for (size_t i = (size_t)k; i < (size_t)count * (size_t)dim; i += (size_t)dim) {
            box[0][k] = fmin(box[0][k], x[i]);
            box[1][k] = fmax(box[1][k], x[i]);
        }
    }
}

// A body of that shape like the first one there is, without its pins and loads, with its middle at `position`.
static ThawBodyDef describe(const ThawWorldDef *def, int32_t shape, const double position[3]) {
    ThawBodyDef body = thaw_body_def_default();
    const ThawMesh *mesh = def->shapes[shape].mesh;
    for (int32_t b = def->body_count - 1; b >= 0; b--)
        if (def->bodies[b].shape == shape || b == 0) {
            body.method = def->bodies[b].method;
            body.friction = def->bodies[b].friction;
            body.restitution = def->bodies[b].restitution;
            body.self_contact = def->bodies[b].self_contact;
            body.rigidify = def->bodies[b].rigidify;
            body.options = def->bodies[b].options;
            body.option_count = def->bodies[b].option_count;
        }
    body.shape = shape;
    double box[2][3];
    box_of(mesh->x, mesh->vertex_count, mesh->dim, box);
    for (int k = 0; k < mesh->dim; k++)
        body.position[k] = position[k] - (box[0][k] + box[1][k]) / 2;
    return body;
}

// Bodies that are where one of that shape would be, by their boxes.
static int32_t crowd_of(const ViewLive *live, const ThawBodyDef *body) {
    const ThawWorld *world = live->runners[0].world;
    const ThawMesh *mesh = live->now.world.shapes[body->shape].mesh;
    const int dim = mesh->dim;
    double box[2][3], other[2][3];
    int32_t crowd = 0;
    box_of(mesh->x, mesh->vertex_count, dim, box);
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        const int32_t count = thaw_world_vertex_count(world, b);
        double *x = live->shown.x; // which has room for all of them
        int apart = thaw_world_get_positions(world, b, x) != THAW_OK;
        box_of(x, count, dim, other);
        for (int k = 0; k < dim; k++)
            apart |= !(box[0][k] + body->position[k] <= other[1][k] && box[1][k] + body->position[k] >= other[0][k]);
        crowd += !apart;
    }
    return crowd;
}

// What is dropped must not make the program unusable for all other pages.
static ThawStatus check_drop(const ViewLive *live, const ThawBodyDef *body, ThawError *error) {
    const ThawWorldDef *def = &live->now.world;
    int64_t elements = def->shapes[body->shape].mesh->element_count;
    if (live->drops == VIEW_DROPS)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%d bodies were dropped already; reset takes them away",
                              VIEW_DROPS);
    for (int32_t b = def->body_count - live->drops; b < def->body_count; b++)
        elements += def->shapes[def->bodies[b].shape].mesh->element_count;
    if (elements > VIEW_DROP_ELEMENTS && live->drops > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "dropped bodies would have %lld elements; allowed: %d, reset takes them away",
                              (long long)elements, VIEW_DROP_ELEMENTS);
    const int32_t crowd = crowd_of(live, body);
    if (crowd >= VIEW_CROWD)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%d bodies are in that place already; drop it elsewhere, or when they have moved on",
                              (int)crowd);
    return THAW_OK;
}

ThawStatus view_worlds_drop(ViewLive *live, const char *shape, const double position[3], ThawError *error) {
    ThawWorldDef *def = &live->now.world;
    const int32_t index = find_shape(def, shape), count = def->body_count;
    if (index < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "there is no shape '%.60s'", shape);
    const ThawBodyDef body = describe(def, index, position);
    ThawStatus status = check_drop(live, &body, error);
    if (status != THAW_OK)
        return status;
    char *name = live->drop_names[live->drops];
    char start[61];
    view_copy_text(shape, start, sizeof start);
    snprintf(name, VIEW_NAME, "%s, dropped %d", start, (int)live->drops + 1);
    live->bodies[count] = body;
    live->bodies[count].name = name;
    def->body_count++;
    live->drops++;
    status = view_worlds_build(live, live->views, 1, error);
    if (status != THAW_OK) {
        def->body_count--;
        live->drops--;
    }
    return status;
}
