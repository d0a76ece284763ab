// SPDX-License-Identifier: Apache-2.0
// The fields of a world: one row of a table each. A new one is a row and a function; viewers, pictures and frames
// follow.
#include <math.h>
#include <string.h>

#include "force/force.h"
#include "force/strain.h"
#include "model/change.h"
#include "model/sheet.h"
#include "step/explain.h"
#include "step/method.h"
#include "thaw/field.h"

static const char *const states[THAW_ELEMENT_STATE_COUNT] = {"elastic", "rigid", "asleep"};
static const char *const reasons[THAW_REASON_COUNT] = {
    [THAW_REASON_NONE] = "none",       [THAW_REASON_METHOD] = "method",    [THAW_REASON_START] = "start",
    [THAW_REASON_RATE] = "rate",       [THAW_REASON_STRAIN] = "strain",    [THAW_REASON_NEIGHBOUR] = "neighbour",
    [THAW_REASON_CONTACT] = "contact", [THAW_REASON_LOAD] = "load change", [THAW_REASON_WAIT] = "wait",
    [THAW_REASON_LONE] = "lone",
};
static const char *const reason_texts[THAW_REASON_COUNT] = {
    [THAW_REASON_NONE] = "it is rigid",
    [THAW_REASON_METHOD] = "the body's method keeps every element elastic",
    [THAW_REASON_START] = "it began elastic, or its state was set from outside",
    [THAW_REASON_RATE] = "its strain changes faster than the threshold",
    [THAW_REASON_STRAIN] = "staying rigid would suppress more strain than allowed",
    [THAW_REASON_NEIGHBOUR] = "it shares a vertex with an element that had to wake",
    [THAW_REASON_CONTACT] = "what touches the body, or how it presses, changed",
    [THAW_REASON_LOAD] = "forces, pins or scripts on the body changed",
    [THAW_REASON_WAIT] =
        "it is slow, but waits to become rigid: for more slow steps, or for more elements to go with it",
    [THAW_REASON_LONE] =
        "it is slow, but no part can take it: a hinge, too few elements, or a vertex that a script moves",
};

const char *thaw_reason_name(ThawReason why) { return why >= 0 && why < THAW_REASON_COUNT ? reasons[why] : "unknown"; }
const char *thaw_reason_text(ThawReason why) {
    return why >= 0 && why < THAW_REASON_COUNT ? reason_texts[why] : "unknown";
}
const char *thaw_element_state_name(ThawElementState state) {
    return state >= 0 && state < THAW_ELEMENT_STATE_COUNT ? states[state] : "unknown";
}

static const char *const hindrances[THAW_HINDRANCE_COUNT][2] = {
    [THAW_HINDRANCE_NONE] = {"none", "nothing does"},
    [THAW_HINDRANCE_METHOD] = {"method", "bodies of its method never sleep, or its options forbid it"},
    [THAW_HINDRANCE_ELASTIC] = {"elastic", "some of its elements are elastic"},
    [THAW_HINDRANCE_INSIDE] = {"inside", "the forces inside it were not found in balance yet"},
    [THAW_HINDRANCE_MOVED] = {"script", "a script moves it"},
    [THAW_HINDRANCE_FAST] = {"too fast", "a point of it is faster than rest allows"},
    [THAW_HINDRANCE_LOADS] = {"load change", "loads, pins or scripts change in the next step"},
    [THAW_HINDRANCE_WAIT] = {"waiting", "it has been slow for too few steps yet"},
    [THAW_HINDRANCE_BALANCE] = {"not balanced",
                                "it is slow, but its velocity changes: in a second it would be elsewhere"},
    [THAW_HINDRANCE_OBSTACLE] = {"moving obstacle", "an obstacle moves that it touches, or that what it touches does"},
    [THAW_HINDRANCE_NEIGHBOUR] = {"neighbour",
                                  "something does not sleep that it touches, or that what it touches does"},
    [THAW_HINDRANCE_LOOSE] = {"loose", "no pin and no obstacle holds it up, and it does not stand still"},
};

const char *thaw_hindrance_name(ThawHindrance what) {
    return (unsigned)what < THAW_HINDRANCE_COUNT ? hindrances[what][0] : "unknown";
}
const char *thaw_hindrance_text(ThawHindrance what) {
    return (unsigned)what < THAW_HINDRANCE_COUNT ? hindrances[what][1] : "unknown";
}

// --- what fills them -------------------------------------------------------------------------------------------------

// From two doubles a vertex to three.
static ThawStatus widen(const ThawWorld *world, int32_t body, ThawStatus status, double *values) {
    if (status != THAW_OK || thaw_world_dim(world) == 3)
        return status;
    for (int64_t i = (int64_t)thaw_world_vertex_count(world, body) - 1; i >= 0; i--) {
        double x = values[2 * i], y = values[2 * i + 1];
        values[3 * i] = x;
        values[3 * i + 1] = y;
        values[3 * i + 2] = 0;
    }
    return THAW_OK;
}

static ThawStatus get_velocity(const ThawWorld *world, int32_t body, double *values) {
    return widen(world, body, thaw_world_get_velocities(world, body, values), values);
}

static ThawStatus get_force(const ThawWorld *world, int32_t body, double *values) {
    return widen(world, body, thaw_world_get_contact_forces(world, body, values), values);
}

static ThawStatus get_pressure(const ThawWorld *world, int32_t body, double *values) {
    return thaw_world_get_contact_pressures(world, body, values, NULL);
}

static ThawStatus get_friction(const ThawWorld *world, int32_t body, double *values) {
    return thaw_world_get_contact_pressures(world, body, NULL, values);
}

static ThawStatus get_region(const ThawWorld *world, int32_t body, double *values) {
    const ThawShape *shape = world->model->bodies[body].shape;
    for (int32_t e = 0; e < shape->ne; e++)
        values[e] = shape->region[e];
    return THAW_OK;
}

// Those that an element's report holds.
typedef double (*Look)(const ThawElementReport *report);
static double look_rate(const ThawElementReport *r) { return r->rate; }
static double look_predicted(const ThawElementReport *r) { return isnan(r->predicted) ? 0 : r->predicted; }
static double look_part(const ThawElementReport *r) { return r->part; }
static double look_state(const ThawElementReport *r) { return r->state; }
static double look_reason(const ThawElementReport *r) { return r->reason; }
static double look_woken_by(const ThawElementReport *r) { return r->woken_by; }
static double look_since(const ThawElementReport *r) { return r->since_time; }

static ThawStatus look_at_all(const ThawWorld *world, int32_t body, Look look, double *values) {
    const ThawShape *shape = world->model->bodies[body].shape;
    for (int32_t e = 0; e < shape->ne; e++) {
        ThawElementReport report;
        thaw_body_explain(world, body, e, &report);
        values[shape->element_user[e]] = look(&report);
    }
    return THAW_OK;
}

// Every step of a full body ends where it can be compared with where it began; of others the method tells.
static ThawStatus get_rate(const ThawWorld *world, int32_t body, double *values) {
    const ThawStepper *s = thaw_world_mover(world, body);
    const ThawModelBody *b = &world->model->bodies[body];
    const ThawShape *shape = b->shape;
    const size_t first = (size_t)b->unit_vertex * (size_t)world->model->dim;
    if (s->method->ops->explain)
        return look_at_all(world, body, look_rate, values);
    ThawLanes *E = THAW_NEW(ThawLanes, thaw_strain_size(shape->all));
    double *rate = THAW_NEW(double, shape->ne);
    if (E && rate) {
        thaw_strain_compute(shape->all, s->tasks, NULL, 0, s->start_x + first, E);
        thaw_strain_rate(shape->all, s->tasks, NULL, 0, s->x + first, s->model->options.h, E, rate);
        for (int32_t e = 0; e < shape->ne; e++)
            values[shape->element_user[e]] = rate[e];
    }
    ThawStatus status = E && rate ? THAW_OK : THAW_ERROR_MEMORY;
    thaw_free(rate);
    thaw_free(E);
    return status;
}

// The larger singular value of a triangle's F.
static double stretch_of(const ThawShape *shape, const double *x, size_t e) {
    const int32_t *v = shape->cells->elements + 3 * e;
    const double *g = shape->cells->gradient + 4 * e;
    double a = 0, b = 0, c = 0; // F'F
    for (size_t i = 0; i < 3; i++) {
        const double d1 = x[3 * (size_t)v[1] + i] - x[3 * (size_t)v[0] + i];
        const double d2 = x[3 * (size_t)v[2] + i] - x[3 * (size_t)v[0] + i];
        const double f1 = d1 * g[0] + d2 * g[2], f2 = d1 * g[1] + d2 * g[3];
        a += f1 * f1, b += f1 * f2, c += f2 * f2;
    }
    return sqrt(0.5 * (a + c) + hypot(0.5 * (a - c), b));
}

static ThawStatus get_stretch(const ThawWorld *world, int32_t body, double *values) {
    const ThawModelBody *b = &world->model->bodies[body];
    const double *x = world->state.x + (size_t)b->first_vertex * (size_t)world->model->dim;
    for (size_t e = 0; e < (size_t)b->shape->ne; e++)
        values[b->shape->element_user[e]] = thaw_shape_is_sheet(b->shape) ? stretch_of(b->shape, x, e) : 1;
    return THAW_OK;
}

static int has_limits(const ThawShape *shape) {
    for (int b = 1; b < shape->block_count; b++)
        if (shape->blocks[b].kind == thaw_element_limit())
            return 1;
    return shape->clamped;
}

// Of methods that put mass on regions.
static ThawStatus get_mass_region(const ThawWorld *world, int32_t body, double *values) {
    const ThawStepper *s = thaw_world_mover(world, body);
    const ThawModelBody *b = &world->model->bodies[body];
    for (int32_t e = 0; e < b->shape->ne; e++)
        values[b->shape->element_user[e]] =
            s->data && s->method->ops->region ? s->method->ops->region(s, b->unit_element + e) : -1;
    return THAW_OK;
}

// The largest of its edges.
static ThawStatus get_fold(const ThawWorld *world, int32_t body, double *values) {
    const ThawShape *shape = world->model->bodies[body].shape;
    const double *folds = world->state.folds[body];
    for (int32_t e = 0; e < shape->ne; e++) {
        const size_t of = 3 * (size_t)(shape->variant ? shape->variant->element[e] : e);
        values[e] = folds ? fmax(fabs(folds[of]), fmax(fabs(folds[of + 1]), fabs(folds[of + 2]))) : 0;
    }
    return THAW_OK;
}

typedef struct FieldRow {
    ThawField field;
    ThawStatus (*get)(const ThawWorld *world, int32_t body, double *values); // or
    Look look;
} FieldRow;

static const FieldRow rows[] = {
    {{"velocity", "velocity", "m/s", THAW_FIELD_VERTEX, 3, 0, NULL, 0, THAW_FIELD_ALWAYS}, get_velocity, NULL},
    {{"contact_force", "contact force", "N", THAW_FIELD_VERTEX, 3, 0, NULL, 0, THAW_FIELD_TOUCHING}, get_force, NULL},
    {{"contact_pressure", "contact pressure", "Pa", THAW_FIELD_VERTEX, 1, 0, NULL, 0, THAW_FIELD_TOUCHING},
     get_pressure,
     NULL},
    {{"contact_friction", "contact friction", "Pa", THAW_FIELD_VERTEX, 1, 0, NULL, 0, THAW_FIELD_TOUCHING},
     get_friction,
     NULL},
    {{"von_mises", "von Mises stress", "Pa", THAW_FIELD_ELEMENT, 1, 0, NULL, 0, THAW_FIELD_ALWAYS},
     thaw_world_get_stresses,
     NULL},
    {{"region", "region", "", THAW_FIELD_ELEMENT, 1, -1, NULL, 0, THAW_FIELD_ALWAYS}, get_region, NULL},
    {{"strain_rate", "strain rate squared", "1/s^2", THAW_FIELD_ELEMENT, 1, 0, NULL, 1, THAW_FIELD_ADAPTIVE},
     get_rate,
     NULL},
    {{"bending", "share of bending", "", THAW_FIELD_ELEMENT, 1, 0, NULL, 0, THAW_FIELD_SHEETS},
     thaw_body_bending,
     NULL},
    {{"stretch", "largest stretch", "", THAW_FIELD_ELEMENT, 1, 0, NULL, 0, THAW_FIELD_LIMITED}, get_stretch, NULL},
    {{"fold", "plastic fold", "rad", THAW_FIELD_ELEMENT, 1, 0, NULL, 0, THAW_FIELD_FOLDED}, get_fold, NULL},
    {{"predicted_strain", "predicted strain", "", THAW_FIELD_ELEMENT, 1, 0, NULL, 1, THAW_FIELD_ADAPTIVE},
     NULL,
     look_predicted},
    {{"part", "rigid part", "", THAW_FIELD_ELEMENT, 1, -1, NULL, 0, THAW_FIELD_ADAPTIVE}, NULL, look_part},
    {{"state", "state", "", THAW_FIELD_ELEMENT, 1, THAW_ELEMENT_STATE_COUNT, states, 0, THAW_FIELD_ADAPTIVE},
     NULL,
     look_state},
    {{"reason", "why elastic", "", THAW_FIELD_ELEMENT, 1, THAW_REASON_COUNT, reasons, 0, THAW_FIELD_ADAPTIVE},
     NULL,
     look_reason},
    {{"woken_by", "woken by", "", THAW_FIELD_ELEMENT, 1, THAW_REASON_COUNT, reasons, 0, THAW_FIELD_ADAPTIVE},
     NULL,
     look_woken_by},
    {{"awake_since", "in this state since", "s", THAW_FIELD_ELEMENT, 1, 0, NULL, 0, THAW_FIELD_ADAPTIVE},
     NULL,
     look_since},
    {{"mass_region", "region of mass", "", THAW_FIELD_ELEMENT, 1, -1, NULL, 0, THAW_FIELD_REGIONS},
     get_mass_region,
     NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

// --- the list --------------------------------------------------------------------------------------------------------

int32_t thaw_field_count(void) { return ROWS; }

const ThawField *thaw_field(int32_t field) { return field >= 0 && field < ROWS ? &rows[field].field : NULL; }

int32_t thaw_field_find(const char *name) {
    for (int32_t i = 0; name && i < ROWS; i++)
        if (strcmp(rows[i].field.name, name) == 0)
            return i;
    return -1;
}

int thaw_world_shows_field(const ThawWorld *world, int32_t field) {
    if (!world || field < 0 || field >= ROWS)
        return 0;
    switch (rows[field].field.use) {
    case THAW_FIELD_REGIONS:
        for (int32_t i = 0; i < world->model->body_count; i++)
            if (thaw_world_mover(world, i)->method->ops->region)
                return 1;
        return 0;
    case THAW_FIELD_TOUCHING:
        return world->collider != NULL;
    case THAW_FIELD_ADAPTIVE:
    case THAW_FIELD_SHEETS:
        for (int32_t i = 0; i < world->model->body_count; i++)
            if (thaw_world_mover(world, i)->method->ops->explain &&
                (rows[field].field.use == THAW_FIELD_ADAPTIVE || thaw_shape_is_sheet(world->model->bodies[i].shape)))
                return 1;
        return 0;
    case THAW_FIELD_FOLDED:
        for (int32_t i = 0; i < world->model->body_count; i++)
            if (world->state.folds[i])
                return 1;
        return 0;
    case THAW_FIELD_LIMITED:
        for (int32_t i = 0; i < world->model->body_count; i++)
            if (has_limits(world->model->bodies[i].shape))
                return 1;
        return 0;
    default:
        return 1;
    }
}

ThawStatus thaw_world_get_field(const ThawWorld *world, int32_t body, int32_t field, double *values) {
    if (!world || body < 0 || body >= world->model->body_count || field < 0 || field >= ROWS || !values)
        return THAW_ERROR_INPUT;
    if (rows[field].get)
        return rows[field].get(world, body, values);
    return look_at_all(world, body, rows[field].look, values);
}
