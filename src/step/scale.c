// SPDX-License-Identifier: Apache-2.0
// Each body's own scales (oracle/scale.c), found once for bodies that agree in shape and pins. They depend on the model
// alone, not on when they are asked for: a resumed run goes by the same thresholds.
#include <string.h>

#include "step/step.h"

// The vertices that scripts hold at the start.
static void mark_start(const ThawModelBody *body, double h, unsigned char *scripted) {
    memset(scripted, 0, (size_t)body->shape->nv);
    for (int32_t k = 0; k < body->script_count; k++)
        for (int32_t i = 0; i < body->scripts[k].group->count && h / 2 < body->scripts[k].release; i++)
            scripted[body->scripts[k].group->vertices[i]] = 1;
}

int thaw_bodies_alike(const ThawModelBody *a, const ThawModelBody *b, double h) {
    if (a->shape != b->shape || a->script_count != b->script_count)
        return 0;
    for (int32_t i = 0; i < a->script_count; i++)
        if (a->scripts[i].group != b->scripts[i].group ||
            (h / 2 < a->scripts[i].release) != (h / 2 < b->scripts[i].release))
            return 0;
    return 1;
}

ThawStatus thaw_body_find_scale(const ThawModel *model, const ThawModelBody *body, ThawSystem *const *systems,
                                int32_t system_count, ThawTasks *tasks, ThawScale *scale, ThawError *error) {
    unsigned char *scripted = THAW_NEW(unsigned char, body->shape->nv);
    ThawSystem *own = NULL, *system = NULL;
    ThawStatus status = scripted ? THAW_OK : thaw_error_memory(error, "a body's scale");
    if (status == THAW_OK)
        mark_start(body, model->options.h, scripted);
    for (int32_t i = 0; i < system_count && status == THAW_OK; i++)
        if (thaw_system_serves(systems[i], body->shape, scripted))
            system = systems[i];
    if (status == THAW_OK && !system) {
        status = thaw_system_create(body->shape, scripted, model->options.solver, &own, error);
        system = own;
    }
    if (status == THAW_OK)
        status = thaw_system_plan_direct(system, error);
    if (status == THAW_OK)
        status = thaw_scale_find(system, tasks, scale, error);
    thaw_system_free(&own);
    thaw_free(scripted);
    return status;
}

ThawStatus thaw_world_find_scale(ThawWorld *world, ThawStepper *s, ThawError *error) {
    for (int32_t i = 0; i < world->model->body_count && !s->scale.known; i++)
        if (world->steppers[i].scale.known &&
            thaw_bodies_alike(world->steppers[i].body, s->body, world->model->options.h))
            s->scale = world->steppers[i].scale;
    return s->scale.known ? THAW_OK
                          : thaw_body_find_scale(world->model, s->body, world->systems, world->system_count, s->tasks,
                                                 &s->scale, error);
}
