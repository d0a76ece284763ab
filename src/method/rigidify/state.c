// SPDX-License-Identifier: Apache-2.0
// The state of a body with rigid parts, field by field: what happened to its elements, the oracle's memory, and the
// parts.
#include <string.h>

#include "force/strain.h"
#include "method/rigidify/rigidify.h"

_Static_assert(sizeof(int) == 4 && sizeof(ThawHold) == 4, "they are stored as I32");
_Static_assert(sizeof(ThawMoments) == 13 * sizeof(double), "its moments are stored as 13 numbers");

enum { LAST_REASON = THAW_REASON_COUNT - 1 };

static int list_record(const ThawStepper *s, ThawStateField *fields) {
    ThawHistory *h = thaw_rigidify_record(s)->history;
    ThawLastForces *t = &h->last;
    ThawBurdened *b = &thaw_rigidify_record(s)->burdened;
    enum { NUMBER = THAW_STATE_ASLEEP | THAW_STATE_NUMBER };
    const ThawStateField all[] = {
        {"woken_by", THAW_STATE_U8, THAW_STATE_ASLEEP, h->woken_by, s->shape->ne, 1, 0, LAST_REASON},
        {"since", THAW_STATE_U32, THAW_STATE_ASLEEP, h->since, s->shape->ne, 1, 0, 0},
        {"last_loads", THAW_STATE_U64, NUMBER, &t->loads, 1, 1, 0, 0},
        {"last_contacts", THAW_STATE_U64, NUMBER, &t->contacts, 1, 1, 0, 0},
        {"load_size", THAW_STATE_F64, NUMBER, &t->load_size, 1, 1, 0, 0},
        {"contact_size", THAW_STATE_F64, NUMBER, &t->contact_size, 1, 1, 0, 0},
        {"load_total", THAW_STATE_F64, NUMBER, t->load_total, 1, 3, 0, 0},
        {"contact_total", THAW_STATE_F64, NUMBER, t->contact_total, 1, 3, 0, 0},
        {"change", THAW_STATE_I64, NUMBER, &t->change, 1, 1, 0, LAST_REASON},
        {"changed_at", THAW_STATE_I64, NUMBER, &t->changed_at, 1, 1, 0, 0},
        {"neighbours", THAW_STATE_U64, NUMBER, &b->neighbours, 1, 1, 0, 0},
        {"borne", THAW_STATE_U64, NUMBER, &b->borne, 1, 1, 0, 0},
        {"burdened_omega", THAW_STATE_F64, NUMBER, &b->omega, 1, 1, 0, 0},
        {"burdened_lever", THAW_STATE_F64, NUMBER, &b->lever, 1, 1, 0, 0},
        {"burdened_soft", THAW_STATE_F64, NUMBER, &b->soft, 1, 1, 0, 0},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int list_oracle_numbers(ThawOracleState *o, ThawStateField *fields) {
    enum { NUMBER = THAW_STATE_NUMBER };
    const ThawStateField all[] = {
        {"has_reference", THAW_STATE_I32, NUMBER, &o->has_reference, 1, 1, 0, INT32_MAX},
        {"inner_is", THAW_STATE_I32, NUMBER, &o->inner_is, 1, 1, 0, THAW_INNER_KEPT},
        {"moving", THAW_STATE_I32, NUMBER, &o->moving, 1, 1, 0, THAW_ORACLE_MODES - 1},
        {"touched", THAW_STATE_U64, NUMBER, &o->touched, 1, 1, 0, 0},
        {"quiet", THAW_STATE_I32, NUMBER, &o->quiet, 1, 1, 0, INT32_MAX},
        {"restless", THAW_STATE_I32, NUMBER, &o->restless, 1, 1, 0, INT32_MAX},
        {"age", THAW_STATE_I32, NUMBER, &o->age, 1, 1, 0, INT32_MAX},
        {"followed", THAW_STATE_I32, NUMBER, o->followed, 1, 2, 0, INT32_MAX},
        {"answered_since", THAW_STATE_I32, NUMBER, &o->since, 1, 1, 0, INT32_MAX},
        {"left", THAW_STATE_I32, NUMBER, &o->left, 1, 1, 0, THAW_ORACLE_STRIDE},
        {"pause", THAW_STATE_I32, NUMBER, &o->pause, 1, 1, 0, INT32_MAX},
        {"tries", THAW_STATE_I32, NUMBER, &o->tries, 1, 1, 0, THAW_ORACLE_PATIENCE},
        {"grace", THAW_STATE_I32, NUMBER, &o->grace, 1, 1, 0, INT32_MAX},
        {"waited", THAW_STATE_I32, NUMBER, &o->waited, 1, 1, 0, INT32_MAX},
        {"energy", THAW_STATE_F64, NUMBER | THAW_STATE_ENERGY, &o->energy, 1, 1, 0, 0},
        {"gained", THAW_STATE_F64, NUMBER | THAW_STATE_ENERGY, &o->gained, 1, 1, 0, 0},
        {"drift", THAW_STATE_F64, NUMBER, &o->drift, 1, 1, 0, 0},
        {"load_spread", THAW_STATE_F64, NUMBER, &o->load_spread, 1, 1, 0, 0},
        {"relax_target", THAW_STATE_F64, NUMBER | THAW_STATE_INFINITE, &o->relax_target, 1, 1, 0, 0},
        {"margin", THAW_STATE_F64, NUMBER, &o->margin, 1, 1, 0, 0},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int list_oracle(const ThawStepper *s, ThawOracleState *o, ThawStateField *fields) {
    const int64_t nv = s->shape->nv, ne = s->shape->ne;
    const int dim = s->model->dim;
    const ThawStateField all[] = {
        {"below", THAW_STATE_U8, 0, o->below, ne, 1, 0, 0},
        {"hold", THAW_STATE_U8, 0, o->hold, ne, 1, 0, 0},
        {"reason", THAW_STATE_U8, 0, o->reason, ne, 1, 0, LAST_REASON},
        {"rate", THAW_STATE_F32, 0, o->rate, ne, 1, 0, 0},
        {"predicted", THAW_STATE_F32, 0, o->predicted, ne, 1, 0, 0},
        {"strain", THAW_STATE_F64, 0, o->strain, (int64_t)thaw_strain_size(s->shape->all), THAW_LANES, 0, 0},
        {"reference", THAW_STATE_F64, 0, o->reference, nv, dim, 0, 0},
        {"held", THAW_STATE_F64, 0, o->held, nv, dim * dim, 0, 0},
        {"quiet_force", THAW_STATE_F64, 0, o->quiet_force, nv, dim, 0, 0},
        {"shadow", THAW_STATE_F64, 0, o->shadow, nv, dim, 0, 0},
        {"shadow_accel", THAW_STATE_F64, 0, o->shadow_accel, nv, dim, 0, 0},
        {"known", THAW_STATE_U8, 0, o->known, nv, 1, 0, 0},
        {"inner", THAW_STATE_F64, 0, o->inner, nv, dim, 0, 0},
        {"loads", THAW_STATE_F64, 0, o->loads, nv, dim, 0, 0},
        {"presses", THAW_STATE_F64, 0, o->presses, nv, dim, 0, 0},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

// Sizes of what follows come first.
static int list_topology(const ThawStepper *s, ThawPartition *p, ThawStateField *fields) {
    const ThawStateField all[] = {
        {"part_count", THAW_STATE_I32, THAW_STATE_SIZE, &p->part_count, 1, 1, 0, s->shape->ne},
        {"part_vertices", THAW_STATE_I32, THAW_STATE_SIZE, &p->vertex_count, 1, 1, 0, s->shape->nv},
        {"flagged", THAW_STATE_U8, 0, p->flagged, s->shape->ne, 1, 0, 0},
        {"script", THAW_STATE_U8, 0, p->script, s->shape->nv, 1, 0, THAW_VERTEX_MOVED},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

// Members of parts are columns. At least one part.
static int list_parts(const ThawStepper *s, ThawPartition *p, ThawStateField *fields) {
    const int64_t n = p->part_count;
    const size_t part = sizeof(ThawPart);
    ThawPart *first = p->parts;
    const ThawStateField all[] = {
        {"part_first", THAW_STATE_I32, 0, &first->first, n, 1, part, INT32_MAX},
        {"part_size", THAW_STATE_I32, 0, &first->count, n, 1, part, INT32_MAX},
        {"part_elements", THAW_STATE_I32, 0, &first->elements, n, 1, part, INT32_MAX},
        {"part_pins", THAW_STATE_I32, 0, &first->pins, n, 1, part, INT32_MAX},
        {"part_hold", THAW_STATE_I32, 0, &first->hold, n, 1, part, THAW_HOLD_FIXED},
        {"part_inertia", THAW_STATE_F64, 0, &first->inertia.mass, n, 13, part, 0},
        {"part_damping", THAW_STATE_F64, 0, &first->damping.mass, n, 13, part, 0},
        {"part_axis", THAW_STATE_F64, 0, first->axis, n, 3, part, 0},
        {"part_place", THAW_STATE_F64, 0, first->p, n, 3, part, 0},
        {"part_turn", THAW_STATE_F64, 0, first->R, n, 9, part, 0},
        {"part_momentum", THAW_STATE_F64, 0, first->P, n, 3, part, 0},
        {"part_angular", THAW_STATE_F64, 0, first->L, n, 3, part, 0},
        {"part_slow", THAW_STATE_F64, 0, first->slow, n, 6, part, 0},
        {"stress", THAW_STATE_F64, 0, p->stress, n, 18, 0, 0},
        {"r", THAW_STATE_F64, 0, p->r, p->vertex_count, s->model->dim, 0, 0},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

int thaw_rigidify_list(const ThawStepper *s, ThawStateField *fields) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    int count = s->record ? list_record(s, fields) : 0;
    if (!a)
        return count;
    count += list_oracle_numbers(thaw_oracle_state(a->oracle), fields + count);
    count += list_topology(s, a->partition, fields + count);
    count += list_oracle(s, thaw_oracle_state(a->oracle), fields + count);
    return a->partition->part_count > 0 ? count + list_parts(s, a->partition, fields + count) : count;
}

// A step that is cancelled goes back to the scale of the one before; of a checkpoint it is in place.
ThawStatus thaw_rigidify_expect(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    if (thaw_rigidify_restore_scale(world, s))
        thaw_rigidify_configure(world, s);
    return thaw_partition_reserve(thaw_rigidify(s)->partition, error);
}

ThawStatus thaw_rigidify_take(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawRigidifyData *a = thaw_rigidify(s);
    ThawPartition *p = a->partition;
    ThawStatus status = thaw_partition_restore(p, p->flagged, p->script, p->parts, (const double *)p->stress,
                                               p->part_count, p->r, p->vertex_count, error);
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&a->system);
    thaw_integration_free(&a->set);
    thaw_rigidify_reconfigure(world, s);
    a->transition.changed = 0;
    a->pressed = s->loads_changed = 1;
    s->system = NULL;
    return status;
}
