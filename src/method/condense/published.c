// SPDX-License-Identifier: Apache-2.0
// The published form of condensation: a map of dynamic nodes (map/condense/nodes.c) and the vertices' own masses. The
// map follows the state, so it is the body's own, and is made anew when scripts or options change.
#include <math.h>

#include "method/condense/condense.h"
#include "step/attach.h"

static int is_held(const ThawModelBody *body) {
    for (int32_t k = 0; k < body->script_count; k++)
        if (isinf(body->scripts[k].release))
            return 1;
    return 0;
}

// Nodes may rest where nothing but scripts and loads acts on a body that is held.
static int may_rest(const ThawWorld *world, const ThawStepper *s) {
    return thaw_condense_options(world, s->index)->adapt == THAW_CONDENSE_BY_RATE && is_held(s->body) &&
           !world->collider && !thaw_attach_holds(world, s->index);
}

// The nodes, and the regions around them.
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
    ThawCondensed *places = &thaw_condense(s)->places;
    int32_t centre[THAW_REGIONS_MAX];
    thaw_free(places->region_of);
    *places = (ThawCondensed){.region_of = THAW_NEW(int32_t, s->shape->nv)};
    if (status == THAW_OK && !places->region_of)
        status = thaw_error_memory(error, "dynamic nodes");
    if (status != THAW_OK || (!group && options->regions == 0))
        return status;
    status = thaw_regions_place(s->shape, options->regions, group ? group->vertices : NULL, group ? group->count : 0,
                                places->region_of, centre, &places->regions, error);
    nodes->count = group ? group->count : places->regions; // pieces without a node of the group get none
    for (int32_t k = 0; k < nodes->count; k++)
        nodes->vertex[k] = centre[k];
    return status;
}

// Nodes are all that contact and attachments act on, and all that holds a free body while the others are solved for.
ThawStatus thaw_condense_check_nodes(const ThawWorld *world, const ThawStepper *s, ThawError *error) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    const ThawGroup *group = NULL;
    if (options->adapt == THAW_CONDENSE_BY_ENERGY)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): condense: adapt is \"energy\", which knows regions and no nodes; allowed "
                              "with the published form: \"rate\", \"never\"",
                              (int)s->index, s->body->name);
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

// J; all of it falls, by what quasistatic vertices relax.
static ThawStatus settle(ThawStepper *s) {
    const double *gravity = s->model->options.gravity;
    const size_t dim = (size_t)s->model->dim, count = (size_t)s->shape->nv * dim;
    const int booked = thaw_ledger_is_kept(s);
    double before = booked ? thaw_force_energy(s->shape->all, s->tasks, s->x, s->partial) : 0, work = 0, external = 0;
    memcpy(s->u, s->x, sizeof *s->u * count);
    ThawStatus status = thaw_map_nodes_settle(thaw_condense(s)->nodes->map, s->x, s->f_ext);
    thaw_ledger_find_elastic(s);
    for (size_t at = 0; at < count; at++) {
        const double way = s->x[at] - s->u[at];
        work += way * s->f_ext[at];
        external += way * (s->f_ext[at] - s->shape->mass[at / dim] * gravity[at % dim]);
    }
    if (booked) {
        s->work.external_work += external;
        s->work.transition_loss += fmax(0, before - s->elastic + work);
    }
    s->set_energy = NAN;
    return status;
}

ThawStatus thaw_condense_decide_nodes(const ThawWorld *world, ThawStepper *s, ThawIncrement step) {
    const ThawCondenseData *data = thaw_condense(s);
    if (step.t > 0 || !thaw_condense_options(world, s->index)->settle)
        return THAW_OK;
    thaw_map_nodes_rest(data->nodes->map, data->idle);
    thaw_loads_evaluate(s, step);
    return settle(s);
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
    data->rests = may_rest(world, s);
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
