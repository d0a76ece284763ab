// SPDX-License-Identifier: Apache-2.0
// Condensation, the method: every element is elastic, and the body's inertia is that of its regions
// (map/condense/mass.c). Steps, contacts, Newton's method, moving frames and the ledger are the engine's own; the
// method only says which inertia and which map a body has.
//
// Both depend on the shape, on where regions are and on which vertices are scripted, and on nothing that moves. So
// bodies that agree share them, there is no state but velocities at the beginning of rest, and a resumed run has the
// same bits.
#include <math.h>
#include <string.h>

#include "method/condense/condense.h"

// --- what bodies share -----------------------------------------------------------------------------------------------

static void leave_mass(ThawCondenseMass **mass) {
    if (*mass && --(*mass)->users == 0) {
        thaw_condensed_free(&(*mass)->condensed);
        thaw_free(*mass);
    }
    *mass = NULL;
}

static void leave_system(ThawCondenseSystem **shared) {
    if (*shared && --(*shared)->users == 0) {
        thaw_system_free(&(*shared)->system);
        leave_mass(&(*shared)->mass);
        thaw_free(*shared);
    }
    *shared = NULL;
}

static const ThawGroup *find_group(const ThawShape *shape) {
    for (int32_t g = 0; g < shape->group_count; g++)
        if (strcmp(shape->groups[g].name, "regions") == 0)
            return &shape->groups[g];
    return NULL;
}

// Another body's, if there is one that has the same; its bodies come in the order of their indices.
static const ThawCondenseData *find_like(const ThawWorld *world, const ThawStepper *s, int regions, int place,
                                         const unsigned char *scripted) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *other = &world->steppers[i];
        if (other == s || other->method != s->method || other->shape != s->shape || !other->data)
            continue;
        const ThawCondenseData *data = other->data;
        if (!data->mass || data->mass->regions != regions || data->mass->place != place)
            continue;
        if (!scripted || (data->shared && thaw_system_serves(data->shared->system, s->shape, scripted)))
            return data;
    }
    return NULL;
}

// Nothing holds it, or might: then it cannot do without mass.
static int is_free(const ThawModelBody *body) { return body->script_count == 0; }

ThawStatus thaw_condense_find_group(const ThawStepper *s, int place, const ThawGroup **group, ThawError *error) {
    *group = place == THAW_CONDENSE_GROUP ? find_group(s->shape) : NULL;
    if (place == THAW_CONDENSE_GROUP && !*group)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): condense: place is \"group\", and its shape has no group \"regions\"",
                              (int)s->index, s->body->name);
    if (*group && (*group)->count > THAW_REGIONS_MAX)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): condense: the group \"regions\" has %d vertices; allowed: at most %d",
                              (int)s->index, s->body->name, (int)(*group)->count, THAW_REGIONS_MAX);
    return THAW_OK;
}

static ThawStatus make_mass(ThawWorld *world, ThawStepper *s, int regions, int place, ThawError *error) {
    const ThawGroup *group = NULL;
    ThawStatus found = thaw_condense_find_group(s, place, &group, error);
    if (found != THAW_OK)
        return found;
    ThawCondenseMass *mass = THAW_NEW(ThawCondenseMass, 1);
    if (!mass)
        return thaw_error_memory(error, "a body's regions");
    ThawStatus status = thaw_condensed_create(s->shape, regions, group ? group->vertices : NULL,
                                              group ? group->count : 0, world->tasks, &mass->condensed, error);
    if (status != THAW_OK) {
        thaw_free(mass);
        return status;
    }
    mass->users = 1;
    mass->regions = regions;
    mass->place = place;
    thaw_condense(s)->mass = mass;
    return THAW_OK;
}

static void drop_all(ThawStepper *s) {
    ThawCondenseData *data = thaw_condense(s);
    thaw_stepper_drop_solvers(s);
    s->system = NULL;
    s->inertia = &s->lumped;
    thaw_adapt_drop(s);
    thaw_adapt_forget(s);
    leave_system(&data->shared);
    leave_mass(&data->mass);
    thaw_system_free(&data->nodes);
}

// The regions or nodes that options ask for.
static ThawStatus find_mass(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawCondenseOptions *options = thaw_condense_options(world, s->index);
    ThawCondenseData *data = thaw_condense(s);
    const int regions = options->regions > 0 ? options->regions : is_free(s->body);
    if (options->form != data->form) {
        drop_all(s);
        data->form = options->form;
    }
    if (data->form == THAW_CONDENSE_PUBLISHED)
        return thaw_condense_find_nodes(world, s, error);
    if (data->mass && data->mass->regions == regions && data->mass->place == options->place)
        return THAW_OK;
    thaw_stepper_drop_solvers(s);
    s->system = NULL;
    thaw_adapt_drop(s);
    thaw_adapt_forget(s);
    leave_system(&data->shared);
    leave_mass(&data->mass);
    const ThawCondenseData *like = find_like(world, s, regions, options->place, NULL);
    ThawStatus status = THAW_OK;
    if (like) {
        data->mass = like->mass;
        data->mass->users++;
    } else
        status = make_mass(world, s, regions, options->place, error);
    s->inertia = status == THAW_OK ? &data->mass->condensed->inertia : &s->lumped;
    return status;
}

static ThawStatus make_system(ThawStepper *s, ThawError *error) {
    ThawCondenseData *data = thaw_condense(s);
    ThawCondenseSystem *shared = THAW_NEW(ThawCondenseSystem, 1);
    ThawMap *map = NULL;
    ThawStatus status = shared ? thaw_map_bordered_create(data->mass->condensed, s->scripted, &map, error)
                               : thaw_error_memory(error, "a body's system");
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, THAW_SOLVER_LDL, &shared->system, error);
    thaw_map_free(&map);
    if (status != THAW_OK) {
        thaw_free(shared);
        return status;
    }
    shared->users = 1;
    shared->mass = data->mass;
    shared->mass->users++;
    data->shared = shared;
    return THAW_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

static ThawStatus create_condense(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawCondenseData *data = s->data = THAW_NEW(ThawCondenseData, 1);
    if (!data || !(data->slow_v = THAW_NEW(double, (size_t)s->shape->nv *(size_t)s->model->dim)))
        return thaw_error_memory(error, "a body's condensation");
    data->sleep_speed = thaw_condense_options(world, s->index)->sleep_speed;
    data->by_rate = thaw_condense_options(world, s->index)->adapt == THAW_CONDENSE_BY_RATE;
    return thaw_condense_options(world, s->index)->form == THAW_CONDENSE_REGIONS
               ? find_mass(world, s, error)
               : thaw_condense_check_nodes(world, s, error);
}

static void free_condense(ThawStepper *s) {
    ThawCondenseData *data = s->data;
    thaw_adapt_drop(s);
    leave_system(&data->shared);
    leave_mass(&data->mass);
    thaw_system_free(&data->nodes);
    thaw_free(data->places.region_of);
    thaw_free(data->slow_v);
    thaw_free(data);
    s->data = NULL;
    s->inertia = &s->lumped;
}

static void configure_condense(const ThawWorld *world, ThawStepper *s, ThawLedger *ledger) {
    (void)ledger; // other regions come with the next step
    thaw_condense(s)->sleep_speed = thaw_condense_options(world, s->index)->sleep_speed;
    thaw_condense(s)->by_rate = thaw_condense_options(world, s->index)->adapt == THAW_CONDENSE_BY_RATE;
}

// --- a step ----------------------------------------------------------------------------------------------------------

// One body after the other: here they may look at each other.
static ThawStatus prepare_condense(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawCondenseData *data = thaw_condense(s);
    ThawStatus status = find_mass(world, s, error);
    if (status == THAW_OK && data->form == THAW_CONDENSE_REGIONS)
        status = thaw_adapt_prepare(world, s, error);
    if (status != THAW_OK || data->form == THAW_CONDENSE_PUBLISHED ||
        (data->shared && thaw_system_serves(data->shared->system, s->shape, s->scripted)))
        return status;
    thaw_stepper_drop_solvers(s);
    s->system = NULL;
    leave_system(&data->shared);
    const ThawCondenseData *like = find_like(world, s, data->mass->regions, data->mass->place, s->scripted);
    if (!like)
        return make_system(s, error);
    data->shared = like->shared;
    data->shared->users++;
    return THAW_OK;
}

static ThawStatus decide_condense(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    s->changed = 0;
    ThawStatus status = thaw_adapt_decide(world, s, step);
    if (status == THAW_OK && thaw_condense(s)->form == THAW_CONDENSE_PUBLISHED)
        status = thaw_condense_decide_nodes(world, s, step);
    if (s->system || status != THAW_OK)
        return status;
    const ThawCondenseData *data = thaw_condense(s);
    s->system = data->form == THAW_CONDENSE_PUBLISHED ? data->nodes : data->shared->system;
    return thaw_stepper_fit(s, error);
}

// --- sleep -----------------------------------------------------------------------------------------------------------

static int sleep_steps_condense(const void *options) { return ((const ThawCondenseOptions *)options)->sleep; }

// m/s, of the fastest vertex, less what it had (v0 NULL: all of it).
static double fastest(const ThawStepper *s, const double *v0) {
    const size_t dim = (size_t)s->model->dim;
    double most = 0;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double square = 0;
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++) {
            const double v = s->v[at] - (v0 ? v0[at] : 0);
            square += v * v;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

// m/s, by velocities and by ways: corrections of the published form move vertices that have no velocity.
static double speed_of(const ThawStepper *s) { return fmax(fastest(s, NULL), thaw_condense(s)->creep); }

static double creep_of(const ThawStepper *s) {
    const size_t dim = (size_t)s->model->dim;
    double most = 0;
    if (!s->system || s->system->map->ops->laws & THAW_MAP_ADVANCES_LINEARLY)
        return 0;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double square = 0;
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
            square += (s->x[at] - s->start_x[at]) * (s->x[at] - s->start_x[at]);
        most = fmax(most, square);
    }
    return sqrt(most) / s->model->options.h;
}

static ThawHindrance hindrance_condense(const ThawStepper *s) {
    if (s->offset_moves)
        return THAW_HINDRANCE_MOVED;
    const double speed = speed_of(s);
    return speed > thaw_condense(s)->sleep_speed * s->shape->diameter ? THAW_HINDRANCE_FAST : THAW_HINDRANCE_NONE;
}

static int watch_condense(ThawStepper *s, int slow) {
    thaw_condense(s)->creep = creep_of(s);
    if (hindrance_condense(s) != THAW_HINDRANCE_NONE)
        return 0;
    if (slow == 0)
        memcpy(thaw_condense(s)->slow_v, s->v, sizeof *s->v * (size_t)s->shape->nv * (size_t)s->model->dim);
    return 1;
}

static const double BALANCE = 1e-3; // of its weight: a change of velocity below that counts as balance

// By its velocity, and by the mean acceleration since it has been slow: at the turning point of a swing a body is slow
// and far from balance.
static double drift_condense(const ThawStepper *s, int slow, double *most, int *held) {
    const double *g = s->model->options.gravity, weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double a = fastest(s, thaw_condense(s)->slow_v) / ((slow - 1) * s->model->options.h);
    *most = thaw_condense(s)->sleep_speed;
    *held = memchr(s->scripted, 1, (size_t)s->shape->nv) != NULL;
    if (slow < 2 || (weight > 0 && a > BALANCE * weight))
        return INFINITY;
    return (speed_of(s) + a / 2) / s->shape->diameter;
}

static int list_condense(const ThawStepper *s, ThawStateField *fields) {
    if (!s->data)
        return 0;
    fields[0] =
        (ThawStateField){"slow_v", THAW_STATE_F64, 0, thaw_condense(s)->slow_v, s->shape->nv, s->model->dim, 0, 0};
    ThawCondenseData *data = thaw_condense(s);
    const unsigned number = THAW_STATE_NUMBER;
    fields[1] = (ThawStateField){"creep", THAW_STATE_F64, 0, &data->creep, 1, 1, 0, 0};
    fields[2] = (ThawStateField){"idle", THAW_STATE_U8, number, data->idle, THAW_FUNCTIONALS_MAX, 1, 0, 1};
    fields[3] = (ThawStateField){"switches", THAW_STATE_I32, number, &data->switches, 1, 1, 0, 0};
    if (!data->by_rate)
        return 4;
    fields[4] =
        (ThawStateField){"rates", THAW_STATE_F32, number, data->rates[0], THAW_CONDENSE_WINDOW, THAW_REGIONS_MAX, 0, 0};
    fields[5] =
        (ThawStateField){"rates_at", THAW_STATE_I32, number, &data->rates_at, 1, 1, 0, THAW_CONDENSE_WINDOW - 1};
    fields[6] =
        (ThawStateField){"rates_seen", THAW_STATE_I32, number, &data->rates_seen, 1, 1, 0, THAW_CONDENSE_WINDOW};
    return 7;
}

int32_t thaw_condense_region_of(const ThawCondensed *c, const ThawShape *shape, int32_t element) {
    const ThawElementBlock *cells = shape->cells;
    const int32_t *vertex = cells->elements + (size_t)element * (size_t)cells->kind->nodes;
    int32_t best = -1;
    int most = 0;
    for (int a = 0; a < cells->kind->nodes && c->regions > 0; a++) {
        const int32_t region = c->region_of[vertex[a]];
        int count = 0;
        for (int b = 0; b < cells->kind->nodes; b++)
            count += c->region_of[vertex[b]] == region;
        if (count > most || (count == most && region < best)) {
            most = count;
            best = region;
        }
    }
    return best;
}

// Regions that are quasistatic have no mass.
static int32_t region_condense(const ThawStepper *s, int32_t element) {
    const ThawCondenseData *data = thaw_condense(s);
    const int32_t region = data->mass ? thaw_condense_region_of(data->mass->condensed, s->shape, element) : -1;
    return region >= 0 && data->adapt && data->idle[region] ? -1 : region;
}

static void commit_condense(ThawStepper *s, ThawIncrement step) { thaw_adapt_note(s, step.h); }

static void abandon_condense(ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    thaw_adapt_forget(s);
}

const ThawMethodOps thaw_condense_ops = {.create = create_condense,
                                         .free = free_condense,
                                         .configure = configure_condense,
                                         .doubt = thaw_condense_doubt,
                                         .prepare = prepare_condense,
                                         .decide = decide_condense,
                                         .commit = commit_condense,
                                         .abandon = abandon_condense,
                                         .sleep_steps = sleep_steps_condense,
                                         .hindrance = hindrance_condense,
                                         .watch = watch_condense,
                                         .drift = drift_condense,
                                         .region = region_condense,
                                         .list = list_condense};
