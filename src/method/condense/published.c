// SPDX-License-Identifier: Apache-2.0
// The published form of condensation: a map of dynamic nodes (map/condense/nodes.c) and the vertices' own masses. The
// map follows the state, so it is the body's own, and is made anew when scripts or options change.
#include <math.h>

#include "method/condense/condense.h"
#include "step/attach.h"

static ThawStatus choose_nodes(const ThawWorld *world, const ThawStepper *s, ThawNodes *nodes, ThawError *error) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    const ThawGroup *group = NULL;
    *nodes = (ThawNodes){.beta = options->beta,
                         .gamma = options->gamma,
                         .searches = options->search,
                         .projection = s->model->options.projection};
    for (int32_t k = 0; k < s->body->script_count; k++)
        nodes->led |= thaw_script_moves(&s->body->scripts[k]) && s->middle < s->body->scripts[k].release;
    ThawStatus status = thaw_condense_find_group(s, options->place, &group, error);
    for (int32_t k = 0; group && k < group->count; k++)
        nodes->vertex[nodes->count++] = group->vertices[k];
    if (status != THAW_OK || group || options->regions == 0)
        return status;
    int32_t *region_of = THAW_NEW(int32_t, s->shape->nv);
    status = region_of ? thaw_regions_place(s->shape, options->regions, NULL, 0, region_of, nodes->vertex,
                                            &nodes->count, error)
                       : thaw_error_memory(error, "dynamic nodes");
    thaw_free(region_of);
    return status;
}

static int is_held(const ThawModelBody *body) {
    for (int32_t k = 0; k < body->script_count; k++)
        if (isinf(body->scripts[k].release))
            return 1;
    return 0;
}

// Nodes are all that contact and attachments act on, and all that holds a free body while the others are solved for.
ThawStatus thaw_condense_check_nodes(const ThawWorld *world, const ThawStepper *s, ThawError *error) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    const ThawGroup *group = NULL;
    if (thaw_scheme(s->model->options.integrator)->newton)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): condense: the published form takes one linearised step; allowed with it: "
                              "integrators that do not iterate, or the form \"regions\"",
                              (int)s->index, s->body->name);
    ThawStatus status = thaw_condense_find_group(s, options->place, &group, error);
    const int count = group ? (int)group->count : options->regions, needed = s->model->dim;
    if (status != THAW_OK)
        return status;
    if (count < needed && !is_held(s->body))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): condense: the published form has %d nodes, and no pin holds the body for "
                              "good; allowed: at least %d nodes (regions), pins, or the form \"regions\"",
                              (int)s->index, s->body->name, count, needed);
    if (count == 0 && (world->collider || thaw_attach_holds(world, s->index)))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): condense: the published form without nodes (regions 0) takes no contact "
                              "and no attachment; allowed: nodes, the form \"regions\", or neither obstacles, other "
                              "bodies, contact with itself nor attachments",
                              (int)s->index, s->body->name);
    return THAW_OK;
}

ThawStatus thaw_condense_find_nodes(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawCondenseData *data = thaw_condense(s);
    ThawNodes nodes;
    ThawMap *map = NULL;
    ThawStatus status = thaw_condense_check_nodes(world, s, error);
    if (status != THAW_OK)
        return status;
    const ThawCondenseOptions *now = thaw_condense_options(world, s->index), *then = &data->made_by;
    const int same = now->regions == then->regions && now->place == then->place && now->beta == then->beta &&
                     now->gamma == then->gamma && now->search == then->search;
    if (data->nodes && same && thaw_system_serves(data->nodes, s->shape, s->scripted))
        return THAW_OK;
    data->made_by = *now;
    thaw_stepper_drop_solvers(s);
    s->system = NULL;
    thaw_system_free(&data->nodes);
    status = choose_nodes(world, s, &nodes, error);
    if (status == THAW_OK)
        status = thaw_map_nodes_create(s->shape, s->scripted, &nodes, s->tasks, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, THAW_SOLVER_LDL, &data->nodes, error);
    thaw_map_free(&map);
    return status;
}
