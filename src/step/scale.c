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

// Whether two bodies are held in the same way for certain.
static int are_alike(const ThawModelBody *a, const ThawModelBody *b, double h) {
    if (a->shape != b->shape || a->script_count != b->script_count)
        return 0;
    for (int32_t i = 0; i < a->script_count; i++)
        if (a->scripts[i].group != b->scripts[i].group ||
            (h / 2 < a->scripts[i].release) != (h / 2 < b->scripts[i].release))
            return 0;
    return 1;
}

ThawStatus thaw_world_find_scale(ThawWorld *world, ThawStepper *s, ThawError *error) {
    double h = world->model->options.h;
    for (int32_t i = 0; i < world->model->body_count && !s->scale.known; i++)
        if (world->steppers[i].scale.known && are_alike(world->steppers[i].body, s->body, h))
            s->scale = world->steppers[i].scale;
    if (s->scale.known)
        return THAW_OK;
    unsigned char *scripted = THAW_NEW(unsigned char, s->shape->nv);
    ThawSystem *own = NULL, *system = NULL;
    ThawStatus status = scripted ? THAW_OK : thaw_error_memory(error, "a body's scale");
    if (status == THAW_OK)
        mark_start(s->body, h, scripted);
    for (int32_t i = 0; i < world->system_count && status == THAW_OK; i++)
        if (thaw_system_serves(world->systems[i], s->shape, scripted))
            system = world->systems[i];
    if (status == THAW_OK && !system) {
        status = thaw_system_create(s->shape, scripted, world->model->options.solver, &own, error);
        system = own;
    }
    if (status == THAW_OK)
        status = thaw_system_plan_direct(system, error);
    if (status == THAW_OK)
        status = thaw_scale_find(system, s->tasks, &s->scale, error);
    thaw_system_free(&own);
    thaw_free(scripted);
    return status;
}
