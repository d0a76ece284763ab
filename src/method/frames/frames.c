// SPDX-License-Identifier: Apache-2.0
// Frames, the method: the unknowns of a body are the fields of a few frames (map/frames/frames.h). Steps, contacts,
// Newton's method, moving frames of reference and the ledger are the engine's own.
//
// A body's shape is x, and its frames say how it may move from there. Fields are laid out over y, the place where the
// body was when what it can do last changed (at the start, when scripts take or leave vertices, when something else
// moved it), so that rigid motions of the shape that it has are among them. y is state, since x forgets it.
#include "method/frames/frames.h"

#include <string.h>

#include "method/frames/cubature.h"
#include "step/keep.h"

static const ThawFrameOptions *options_of(const ThawWorld *world, int32_t body) {
    return thaw_state_method_options(&world->state, thaw_method_index(thaw_method_frames.name), body);
}

static size_t coordinates(const ThawStepper *s) { return (size_t)s->shape->nv * (size_t)s->model->dim; }

// --- what bodies share -----------------------------------------------------------------------------------------------

static void leave_tree(ThawSharedTree **shared) {
    if (*shared && --(*shared)->users == 0) {
        thaw_frame_tree_free(&(*shared)->tree);
        thaw_free(*shared);
    }
    *shared = NULL;
}

static void leave_set(ThawSharedSet **shared) {
    if (*shared && --(*shared)->users == 0) {
        thaw_integration_free(&(*shared)->set);
        thaw_free((*shared)->held);
        thaw_free(*shared);
    }
    *shared = NULL;
}

static void drop_system(ThawStepper *s) {
    thaw_stepper_drop_solvers(s);
    s->system = NULL;
    thaw_system_free(&thaw_frame_data(s)->system);
}

// A mesh has this many times as many vertices as its frames have fields, or fewer frames: more are no coarser than the
// mesh.
enum { COARSER = 4 };

static int frame_count(const ThawStepper *s, const ThawFrameOptions *options) {
    const int dim = s->model->dim, quadratic = options->order == THAW_FRAMES_QUADRATIC;
    const int most = s->shape->nv / (COARSER * (quadratic ? (dim + 1) * (dim + 2) / 2 : dim + 1));
    return options->count < most ? options->count : most > 1 ? most : 1;
}

static int fits(const ThawSharedTree *shared, int count, const ThawFrameOptions *options) {
    return shared && shared->count == count && shared->weights == options->weights;
}

// Another body's tree, if there is one by the same options; bodies come in the order of their indices.
static ThawSharedTree *find_like(const ThawWorld *world, const ThawStepper *s, const ThawFrameOptions *options) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *other = &world->steppers[i];
        if (other == s || other->method != s->method || other->shape != s->shape || !other->data)
            continue;
        if (fits(thaw_frame_data(other)->shared, frame_count(s, options), options))
            return thaw_frame_data(other)->shared;
    }
    return NULL;
}

static ThawStatus find_tree(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawFrameOptions *options = options_of(world, s->index);
    ThawFrameData *data = thaw_frame_data(s);
    const int count = frame_count(s, options);
    if (fits(data->shared, count, options))
        return THAW_OK;
    drop_system(s);
    leave_set(&data->few);
    leave_tree(&data->shared);
    data->shared = find_like(world, s, options);
    if (data->shared) {
        data->shared->users++;
        return THAW_OK;
    }
    ThawSharedTree *shared = THAW_NEW(ThawSharedTree, 1);
    if (!shared)
        return thaw_error_memory(error, "a body's frames");
    ThawStatus status =
        thaw_frame_tree_create(s->shape, count, (ThawFrameWeights)options->weights, &shared->tree, error);
    if (status != THAW_OK) {
        thaw_free(shared);
        return status;
    }
    shared->users = 1;
    shared->count = count;
    shared->weights = options->weights;
    data->shared = shared;
    return THAW_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

// From here on its fields are those of the place where it is.
static void lay_out(ThawStepper *s) {
    ThawFrameData *data = thaw_frame_data(s);
    drop_system(s);
    memcpy(data->y, s->x, sizeof *s->x * coordinates(s));
}

static ThawStatus create_frames(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawFrameData *data = s->data = THAW_NEW(ThawFrameData, 1);
    if (!data || !(data->y = THAW_NEW(double, coordinates(s))) ||
        !(data->held = THAW_NEW(unsigned char, s->shape->nv)) || !(data->slow.v = THAW_NEW(double, coordinates(s))))
        return thaw_error_memory(error, "a body's frames");
    data->slow.speed = options_of(world, s->index)->sleep_speed;
    memcpy(data->y, s->x, sizeof *s->x * coordinates(s));
    return find_tree(world, s, error);
}

static void free_frames(ThawStepper *s) {
    ThawFrameData *data = s->data;
    thaw_system_free(&data->system);
    leave_set(&data->few);
    leave_tree(&data->shared);
    thaw_free(data->y);
    thaw_free(data->held);
    thaw_free(data->slow.v);
    thaw_free(data);
    s->data = NULL;
}

static void configure_frames(const ThawWorld *world, ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    thaw_frame_data(s)->slow.speed = options_of(world, s->index)->sleep_speed;
    lay_out(s);
}

static void reset_frames(ThawStepper *s) { lay_out(s); }

static void abandon_frames(ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    lay_out(s);
}

// --- a step ----------------------------------------------------------------------------------------------------------

static int is_led(const ThawModelBody *body) {
    for (int32_t k = 0; k < body->script_count; k++)
        if (body->scripts[k].key_count > 1)
            return 1;
    return 0;
}

// The elements that share tells of, as a set; all of them: none.
static ThawStatus make_set(const ThawFrameMapDef *def, int elements, ThawStepper *s, ThawIntegrationSet **set,
                           ThawError *error) {
    const ThawElementBlock *cells = s->shape->cells;
    double *share = THAW_NEW(double, cells->count);
    int32_t *list = THAW_NEW(int32_t, cells->count), count = 0;
    ThawStatus status = share && list ? thaw_cubature_find(def, elements, s->tasks, share, error)
                                      : thaw_error_memory(error, "the elements of frames");
    for (int32_t e = 0; e < cells->count && status == THAW_OK; e++)
        if (share[e] > 0)
            list[count++] = e;
    if (status == THAW_OK && count < cells->count) {
        status = thaw_integration_create(s->shape, list, count, set, error);
        if (status == THAW_OK)
            thaw_integration_set_weights(*set, s->shape, share);
    }
    thaw_free(share);
    thaw_free(list);
    return status;
}

static int serves(const ThawSharedSet *shared, const ThawFrameMapDef *def, int elements) {
    return shared && shared->tree == def->tree && shared->order == def->order && shared->elements == elements &&
           memcmp(shared->held, def->scripted, (size_t)def->tree->shape->nv) == 0;
}

static ThawStatus find_set(const ThawWorld *world, const ThawFrameMapDef *def, int elements, ThawStepper *s,
                           ThawError *error) {
    ThawFrameData *data = thaw_frame_data(s);
    if (serves(data->few, def, elements))
        return THAW_OK;
    leave_set(&data->few);
    for (int32_t i = 0; i < world->model->body_count && !data->few; i++) {
        const ThawStepper *other = &world->steppers[i];
        if (other != s && other->method == s->method && other->data &&
            serves(thaw_frame_data(other)->few, def, elements))
            data->few = thaw_frame_data(other)->few;
    }
    if (data->few) {
        data->few->users++;
        return THAW_OK;
    }
    ThawSharedSet *shared = THAW_NEW(ThawSharedSet, 1);
    if (!shared || !(shared->held = THAW_NEW(unsigned char, s->shape->nv))) {
        thaw_free(shared);
        return thaw_error_memory(error, "the elements of frames");
    }
    *shared = (ThawSharedSet){1, def->tree, def->order, elements, shared->held, NULL};
    memcpy(shared->held, def->scripted, (size_t)s->shape->nv);
    ThawStatus status = make_set(def, elements, s, &shared->set, error);
    data->few = shared;
    if (status != THAW_OK)
        leave_set(&data->few);
    return status;
}

static ThawStatus make_system(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawFrameOptions *options = options_of(world, s->index);
    ThawFrameData *data = thaw_frame_data(s);
    ThawFrameMapDef def = {.tree = data->shared->tree,
                           .scripted = s->scripted,
                           .led = is_led(s->body),
                           .order = options->order == THAW_FRAMES_QUADRATIC ? 2 : 1,
                           .y = data->y,
                           .set = s->shape->all};
    ThawMap *map = NULL;
    ThawStatus status = THAW_OK;
    if (options->evaluate == THAW_FRAMES_FEW && s->shape->block_count == 1) {
        status = find_set(world, &def, options->elements, s, error);
        if (status == THAW_OK && data->few->set)
            def.set = data->few->set;
    } else
        leave_set(&data->few);
    if (status == THAW_OK)
        status = thaw_map_frames_create(&def, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, THAW_SOLVER_LDL, &data->system, error);
    thaw_map_free(&map);
    data->made_by = *options;
    return status;
}

// One body after the other: here they may look at each other.
static ThawStatus prepare_frames(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawFrameData *data = thaw_frame_data(s);
    s->changed = 0;
    if (memcmp(data->held, s->scripted, (size_t)s->shape->nv) != 0) {
        ThawStatus status = world->kept ? thaw_keep_state(&(ThawKeeping){world->kept, s}) : THAW_OK;
        if (status != THAW_OK)
            return thaw_error_memory(error, "a step to go back to");
        lay_out(s);
        memcpy(data->held, s->scripted, (size_t)s->shape->nv);
        s->changed = 1;
    }
    ThawStatus status = find_tree(world, s, error);
    return status == THAW_OK && !data->system ? make_system(world, s, error) : status;
}

static ThawStatus decide_frames(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    (void)world, (void)step;
    if (s->system)
        return THAW_OK;
    s->system = thaw_frame_data(s)->system;
    return thaw_stepper_fit(s, error);
}

// --- sleep -----------------------------------------------------------------------------------------------------------

static int sleep_steps_frames(const void *options) { return ((const ThawFrameOptions *)options)->sleep; }

static ThawHindrance hindrance_frames(const ThawStepper *s) {
    return thaw_slow_hindrance(s, &thaw_frame_data(s)->slow);
}

static int watch_frames(ThawStepper *s, int slow) { return thaw_slow_watch(s, &thaw_frame_data(s)->slow, slow); }

static double drift_frames(const ThawStepper *s, int slow, double *most, int *held) {
    return thaw_slow_drift(s, &thaw_frame_data(s)->slow, slow, most, held);
}

// --- state -----------------------------------------------------------------------------------------------------------

static int list_frames(const ThawStepper *s, ThawStateField *fields) {
    if (!s->data)
        return 0;
    const ThawFrameData *data = thaw_frame_data(s);
    fields[0] = (ThawStateField){"y", THAW_STATE_F64, 0, data->y, s->shape->nv, s->model->dim, 0, 0};
    fields[1] = (ThawStateField){"held", THAW_STATE_U8, 0, data->held, s->shape->nv, 1, 0, 1};
    fields[2] = (ThawStateField){"slow_v", THAW_STATE_F64, 0, data->slow.v, s->shape->nv, s->model->dim, 0, 0};
    return 3;
}

static ThawStatus take_frames(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world, (void)error;
    drop_system(s);
    return THAW_OK;
}

const ThawMethodOps thaw_frame_ops = {.create = create_frames,
                                      .free = free_frames,
                                      .configure = configure_frames,
                                      .reset = reset_frames,
                                      .prepare = prepare_frames,
                                      .decide = decide_frames,
                                      .abandon = abandon_frames,
                                      .sleep_steps = sleep_steps_frames,
                                      .hindrance = hindrance_frames,
                                      .watch = watch_frames,
                                      .drift = drift_frames,
                                      .list = list_frames,
                                      .take = take_frames};
