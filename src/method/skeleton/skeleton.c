// SPDX-License-Identifier: Apache-2.0
// Bones, the method: coordinates and rates of joints are its state, the map (map/bones) moves what bones carry by them,
// and limits of joints are rows of the island's response.
#include "method/skeleton/skeleton.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

// --- life ------------------------------------------------------------------------------------------------------------

static void drop_system(ThawStepper *s) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&data->system);
    s->system = NULL;
}

static ThawStatus make_set(const ThawStepper *s, ThawSkeletonData *data, ThawError *error) {
    const ThawModelBody *bodies = &s->model->bodies[s->index];
    int32_t *elements = THAW_NEW(int32_t, s->shape->all->element_count), count = 0;
    if (!elements)
        return thaw_error_memory(error, "a skeleton");
    for (int32_t b = 0; b < s->body->moved; b++)
        for (int32_t e = 0; e < bodies[b].shape->ne && !bodies[b].is_bone; e++)
            elements[count++] = bodies[b].unit_element + e;
    for (int32_t e = s->shape->cells->count, soft = count; soft > 0 && e < s->shape->all->element_count; e++)
        elements[count++] = e; // fibres, which only soft bodies have need of
    ThawStatus status = thaw_integration_create(s->shape, elements, count, &data->set, error);
    thaw_free(elements);
    return status;
}

static ThawStatus create_skeleton(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawSkeleton *tree = s->body->skeleton;
    (void)world;
    if (!tree)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): it is no bone, and no bone carries it; allowed with the method "
                              "\"skeleton\": bodies whose definition has a joint, or says what carries it",
                              (int)s->index, s->body->name);
    const size_t n = (size_t)tree->dof_count, coordinates = (size_t)s->shape->nv * (size_t)tree->dim;
    ThawSkeletonData *data = s->data = THAW_NEW(ThawSkeletonData, 1);
    if (!data)
        return thaw_error_memory(error, "a skeleton");
    data->tree = tree;
    data->started = -1;
    data->state.at = THAW_NEW(double, tree->at_count);
    data->state.rate = THAW_NEW(double, n);
    data->motor = THAW_NEW(ThawMotorNow, n);
    data->pose = THAW_NEW(ThawLinkPose, tree->link_count);
    data->start_at = THAW_NEW(double, tree->at_count);
    data->start_rate = THAW_NEW(double, n);
    data->x = THAW_NEW(double, coordinates);
    data->v = THAW_NEW(double, coordinates);
    data->number = THAW_NEW(double, n);
    data->square = THAW_NEW(double, n *n);
    if (!data->state.at || !data->state.rate || !data->motor || !data->pose || !data->start_at || !data->start_rate ||
        !data->x || !data->v || !data->number || !data->square)
        return thaw_error_memory(error, "a skeleton");
    ThawStatus status = make_set(s, data, error);
    if (status != THAW_OK)
        return status;
    thaw_tree_start(tree, data->state.at);
    thaw_skeleton_start_motors(data);
    thaw_skeleton_fit(s);
    return THAW_OK;
}

static void free_skeleton(ThawStepper *s) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    thaw_system_free(&data->system);
    thaw_integration_free(&data->set);
    thaw_free(data->state.at);
    thaw_free(data->state.rate);
    thaw_free(data->motor);
    thaw_free(data->pose);
    thaw_free(data->start_at);
    thaw_free(data->start_rate);
    thaw_free(data->x);
    thaw_free(data->v);
    thaw_free(data->number);
    thaw_free(data->square);
    thaw_free(data);
    s->data = NULL;
}

// Whether vertices that are carried are where coordinates say, to the bit.
static int is_at(const ThawStepper *s, const double *at) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    const size_t bytes = sizeof *s->x * (size_t)s->shape->nv * (size_t)data->tree->dim;
    memcpy(data->x, s->x, bytes);
    thaw_skeleton_place(s, at, NULL, data->x, NULL);
    return memcmp(data->x, s->x, bytes) == 0;
}

// x was set back, or is about to be set: velocities become those of the bones.
static void abandon_skeleton(ThawStepper *s, ThawLedger *ledger) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    (void)ledger;
    if (!is_at(s, data->state.at) && data->started >= 0 && is_at(s, data->start_at)) {
        memcpy(data->state.at, data->start_at, sizeof(double) * (size_t)data->tree->at_count);
        memcpy(data->state.rate, data->start_rate, sizeof(double) * (size_t)data->tree->dof_count);
    }
    thaw_skeleton_place(s, data->state.at, data->state.rate, data->x, s->v);
}

static void reset_skeleton(ThawStepper *s) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    const size_t bytes = sizeof *s->v * (size_t)s->shape->nv * (size_t)data->tree->dim;
    memcpy(data->v, s->v, bytes);
    thaw_skeleton_place(s, data->state.at, data->state.rate, data->x, data->v);
    if (memcmp(data->v, s->v, bytes) != 0 || !is_at(s, data->state.at))
        thaw_skeleton_fit(s);
}

// --- a step ----------------------------------------------------------------------------------------------------------

static ThawStatus fit_skeleton(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    (void)error;
    if (data->stale)
        thaw_skeleton_place(s, data->state.at, data->state.rate, s->x, s->v);
    data->stale = 0;
    if (data->started != world->state.step) {
        data->started = world->state.step;
        memcpy(data->start_at, data->state.at, sizeof(double) * (size_t)data->tree->at_count);
        memcpy(data->start_rate, data->state.rate, sizeof(double) * (size_t)data->tree->dof_count);
    }
    return THAW_OK;
}

static double soft_kinetic(const ThawStepper *s) {
    double sum = 0;
    s->inertia->ops->add_kinetic(s->inertia, thaw_skeleton_map(s)->map.frame_of, s->v, &sum);
    return sum;
}

static ThawStatus decide_skeleton(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    ThawStatus status = THAW_OK;
    const ThawSolverKind kind = s->model->options.solver; // a factor keeps momenta that iterations would round
    s->changed = 0;
    if (!data->system || !thaw_system_serves(data->system, s->shape, s->scripted)) {
        ThawMap *map = NULL;
        drop_system(s);
        status = thaw_map_bones_create(s->shape, data->tree, s->scripted, data->set, &data->state, &map, error);
        if (status == THAW_OK)
            status = thaw_system_wrap(&map, s->scripted, kind == THAW_SOLVER_AUTO ? THAW_SOLVER_LDL : kind,
                                      &data->system, error);
        thaw_map_free(&map);
    }
    if (status == THAW_OK && !s->system) {
        s->system = data->system;
        status = thaw_stepper_fit(s, error);
    }
    if (status != THAW_OK) {
        s->system = NULL; // half made
        return status;
    }
    ThawBonesMap *map = thaw_skeleton_map(s);
    data->t = step.t;
    data->h = map->h = step.h;
    map->touching = &s->touching;
    s->touching = world->islands[s->island].contact_count > 0;
    thaw_skeleton_drive(s, &map->fall.drive);
    if (thaw_ledger_is_kept(s)) {
        data->work = s->work;
        data->elastic = s->elastic;
        data->springs = thaw_skeleton_springs(s);
        data->kinetic = thaw_skeleton_kinetic(s) + soft_kinetic(s);
    }
    thaw_loads_evaluate(s, step);
    return map->map.ops->update(&map->map, s->x, s->f_ext);
}

// How far joints have gone, by rate: coordinates; of balls by the mean of rates.
static double way_of(const ThawSkeletonData *data, int32_t link, int k) {
    const ThawLink *l = &data->tree->links[link];
    if (l->kind == THAW_LINK_BALL)
        return data->h * (data->state.rate[l->dof + k] + data->start_rate[l->dof + k]) / 2;
    return data->state.at[l->at] - data->start_at[l->at];
}

// What is not booked yet: work of motors, losses in joints; and what the integration of all that has taken. Impulses in
// joints are those of the fall, and what they have had of what the step changed of it.
static void book(ThawStepper *s) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    const ThawSkeleton *tree = data->tree;
    const ThawBonesMap *map = thaw_skeleton_map(s);
    const ThawJointPush *drive = &map->fall.drive;
    const double *q = s->q + (size_t)map->free_blocks * (size_t)tree->dim, h = data->h;
    double gained = thaw_skeleton_kinetic(s) - data->kinetic, motor = 0, lost = 0;
    for (int32_t l = 0; l < tree->link_count; l++)
        for (int k = 0; k < (tree->links[l].kind == THAW_LINK_BALL ? 3 : 1); k++) {
            const int32_t d = tree->links[l].dof + k;
            const double rate = way_of(data, l, k) / h, more = q[d] - map->hat[d];
            const double pull =
                h * (drive->damping[d] - drive->lost[d]) + h * h * (drive->stiffness[d] - drive->spring[0][d]);
            motor += (map->fall.motor[d] - pull * more) * rate;
            lost -= (map->fall.joint[d] - h * drive->lost[d] * more) * rate;
        }
    double soft = 0;
    s->inertia->ops->add_kinetic(s->inertia, map->map.frame_of, s->v1, &soft);
    gained += soft + thaw_skeleton_springs(s) - data->springs + s->elastic - data->elastic;
    for (size_t i = 0; i < (size_t)s->shape->nv * (size_t)tree->dim; i++)
        gained -= s->shape->mass[i / (size_t)tree->dim] * s->model->options.gravity[i % (size_t)tree->dim] *
                  (s->x1[i] - s->x[i]);
    s->work.external_work += motor;
    s->work.damping_loss += lost;
    const ThawLedger *a = &data->work, *b = &s->work;
    const double given = b->external_work - a->external_work + b->contact_work - a->contact_work;
    s->work.integration_loss = a->integration_loss + given - (b->damping_loss - a->damping_loss) - gained;
}

// Coordinates have moved on with the map.
static void commit_skeleton(ThawStepper *s, ThawIncrement step) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    (void)step;
    if (thaw_ledger_is_kept(s))
        book(s);
    memcpy(data->start_rate, data->state.rate, sizeof(double) * (size_t)data->tree->dof_count);
}

static void shift_skeleton(ThawStepper *s, const double way[3]) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    for (int32_t b = 0; b < data->tree->bone_count; b++)
        if (thaw_tree_is_root(data->tree, b))
            thaw_tree_shift(data->tree, b, way, data->state.at);
    thaw_skeleton_place(s, data->state.at, NULL, s->x, NULL);
}

// --- what is told of it ----------------------------------------------------------------------------------------------

static void velocities_skeleton(const ThawStepper *s, double *v) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    thaw_skeleton_place(s, data->state.at, data->state.rate, data->x, v);
}

static void add_energies_skeleton(const ThawStepper *s, ThawLedger *ledger) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int32_t k = 0; k < data->tree->dim && data->tree->link_of[i] == THAW_CARRIED_BY_NONE; k++) {
            const double v = s->v[i * data->tree->dim + k];
            ledger->kinetic += s->shape->mass[i] * v * v / 2;
        }
    ledger->kinetic += thaw_skeleton_kinetic(s);
    ledger->elastic += thaw_skeleton_springs(s);
}

static int32_t part_count_skeleton(const ThawStepper *s) { return thaw_skeleton_data(s)->tree->bone_count; }

static void explain_skeleton(const ThawWorld *world, const ThawStepper *s, int32_t element, ThawElementReport *report) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    const ThawModelBody *bodies = &world->model->bodies[s->index];
    int32_t body = 0, bone = -1;
    while (body + 1 < s->body->moved && bodies[body + 1].unit_element <= element)
        body++;
    for (int32_t b = 0; b < data->tree->bone_count; b++)
        bone = data->tree->bones[b].body == s->index + body ? b : bone;
    report->rate = bone >= 0 ? 0 : report->rate;
    report->state = bone >= 0 ? THAW_ELEMENT_RIGID : THAW_ELEMENT_ELASTIC;
    report->part = bone;
    report->reason = report->woken_by = bone >= 0 ? THAW_REASON_NONE : THAW_REASON_METHOD;
}

// --- state -----------------------------------------------------------------------------------------------------------

static int list_skeleton(const ThawStepper *s, ThawStateField *fields) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    if (!data)
        return 0;
    fields[0] =
        (ThawStateField){"joints", THAW_STATE_F64, THAW_STATE_NUMBER, data->state.at, data->tree->at_count, 1, 0, 0};
    fields[1] =
        (ThawStateField){"rates", THAW_STATE_F64, THAW_STATE_NUMBER, data->state.rate, data->tree->dof_count, 1, 0, 0};
    fields[2] = (ThawStateField){"motors",
                                 THAW_STATE_F64,
                                 THAW_STATE_NUMBER,
                                 data->motor,
                                 data->tree->dof_count,
                                 sizeof(ThawMotorNow) / sizeof(double),
                                 0,
                                 0};
    fields[3] =
        (ThawStateField){"fitted", THAW_STATE_I32, THAW_STATE_NUMBER, &thaw_skeleton_data(s)->stale, 1, 1, 0, 1};
    return 4;
}

static ThawStatus take_skeleton(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    (void)world, (void)error;
    data->started = -1;
    drop_system(s);
    return THAW_OK;
}

static ThawStatus validate_skeleton(const ThawWorld *world, const ThawStepper *s, ThawError *error) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    const size_t count = (size_t)s->shape->nv * (size_t)data->tree->dim;
    (void)world;
    memcpy(data->x, s->x, sizeof *s->x * count);
    thaw_skeleton_place(s, data->state.at, NULL, data->x, NULL);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(data->x[i] - s->x[i]) <= 1e-9 * (s->shape->diameter + fabs(s->x[i]))))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "skeleton of body %d (%s): coordinate %d is %g m, and its joints say %g m",
                                  (int)s->index, s->body->name, (int)i, s->x[i], data->x[i]);
    return THAW_OK;
}

static const ThawMethodOps ops = {.create = create_skeleton,
                                  .free = free_skeleton,
                                  .fit = fit_skeleton,
                                  .decide = decide_skeleton,
                                  .commit = commit_skeleton,
                                  .abandon = abandon_skeleton,
                                  .reset = reset_skeleton,
                                  .shift = shift_skeleton,
                                  .rows = thaw_skeleton_limits,
                                  .velocities = velocities_skeleton,
                                  .add_energies = add_energies_skeleton,
                                  .part_count = part_count_skeleton,
                                  .explain = explain_skeleton,
                                  .list = list_skeleton,
                                  .take = take_skeleton,
                                  .validate = validate_skeleton,
                                  .needs_ledger = 1};

const ThawMethod thaw_method_skeleton = {
    .name = "skeleton",
    .summary = "bones on joints, in reduced coordinates, and soft bodies that they carry",
    .page = "bones.md",
    .takes_units = true,
    .moves_bones = true,
    .has_parts = true,
    .ops = &ops,
};
