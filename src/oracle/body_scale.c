// SPDX-License-Identifier: Apache-2.0
// The scale of a body of the model, with the pins that hold it at a time.
#include <string.h>

#include "math/vec3.h"
#include "oracle/scale.h"

int32_t thaw_body_count_released(const ThawModelBody *body, double t) {
    int32_t count = 0;
    for (int32_t k = 0; k < body->script_count; k++)
        count += t >= body->scripts[k].release;
    return count;
}

// The vertices that scripts hold at t.
static void mark_held(const ThawModelBody *body, double t, unsigned char *scripted) {
    memset(scripted, 0, (size_t)body->shape->nv);
    for (int32_t k = 0; k < body->script_count; k++)
        for (int32_t i = 0; i < body->scripts[k].group->count && t < body->scripts[k].release; i++)
            scripted[body->scripts[k].group->vertices[i]] = 1;
}

int thaw_bodies_alike(const ThawModelBody *a, const ThawModelBody *b, double t) {
    if (a->shape != b->shape || a->script_count != b->script_count)
        return 0;
    for (int32_t i = 0; i < a->script_count; i++)
        if (a->scripts[i].group != b->scripts[i].group || (t < a->scripts[i].release) != (t < b->scripts[i].release))
            return 0;
    return 1;
}

ThawStatus thaw_body_find_scale(const ThawModel *model, const ThawModelBody *body, double t, ThawSystem *const *systems,
                                int32_t system_count, ThawTasks *tasks, ThawScale *scale, ThawError *error) {
    unsigned char *scripted = THAW_NEW(unsigned char, body->shape->nv);
    ThawSystem *own = NULL, *system = NULL;
    ThawStatus status = scripted ? THAW_OK : thaw_error_memory(error, "a body's scale");
    if (status == THAW_OK)
        mark_held(body, t, scripted);
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
        status = thaw_scale_find(system, NULL, thaw_v3_norm(model->options.gravity), tasks, scale, error);
    scale->released = thaw_body_count_released(body, t);
    thaw_system_free(&own);
    thaw_free(scripted);
    return status;
}
