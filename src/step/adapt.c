// SPDX-License-Identifier: Apache-2.0
// Adaptive rigidification in the step (solids paper, algorithm 1): contact forces of the last step and the loads go to the
// oracle, its verdict to the partition, and when that has changed the body gets a new map, integration set and system;
// otherwise the ones it has are kept and only take over how the parts have turned.
#include "step/adapt.h"

#include <math.h>
#include <string.h>

#include "step/keep.h"

static const double STICKS = 0.99; // of the greatest friction: below, a contact sticks
// Of the diameter: a contact that is no farther open holds its vertices, too. It will close, or has just opened; were they free
// to be moved into it, stiff contacts would open and close in turns, and a heap would never come to rest. But one that strikes does
// not hold: what is hit is to feel it.
static const double NEAR = 5e-4;
static const double BALANCE = 1e-3; // of its weight: what is left of forces that balance

// Stiffer by far than any vertex of the body, N/m: contacts that are stiffer are hard.
static double hard_stiffness(const ThawShape *shape) {
    double young = 0;
    for (int32_t e = 0; e < shape->ne; e++)
        young = fmax(young, shape->materials[shape->cells->material[e]].young);
    return 10 * young * shape->diameter;
}

ThawStatus thaw_adaptive_create(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawShape *shape = s->shape;
    const ThawState *state = &world->state;
    ThawStatus status = thaw_world_find_scale(world, s, error);
    if (status != THAW_OK)
        return status;
    ThawAdaptive *a = THAW_NEW(ThawAdaptive, 1);
    if (!a)
        return thaw_error_memory(error, "an adaptive body");
    s->adaptive = a;
    a->pressed = s->loads_changed = 1; // for all that is known
    a->hard = hard_stiffness(shape);
    a->grain = shape->diameter / pow(shape->ne, 1. / shape->dim);
    a->flagged = THAW_NEW(unsigned char, shape->ne);
    a->script = THAW_NEW(unsigned char, shape->nv);
    a->f_contact = THAW_NEW(double, (size_t)shape->nv *(size_t)s->model->dim);
    a->f_past = THAW_NEW(double, (size_t)shape->nv *(size_t)s->model->dim);
    a->k_contact = THAW_NEW(double, (size_t)shape->nv *(size_t)(s->model->dim * s->model->dim));
    if (!a->flagged || !a->script || !a->f_contact || !a->f_past || !a->k_contact)
        return thaw_error_memory(error, "an adaptive body");
    a->options = thaw_scale_options(&s->scale, thaw_state_method_options(state, THAW_METHOD_RIGIDIFY, s->index),
                                    s->model->options.h);
    status = thaw_oracle_create(shape, &a->options, &s->scale, s->tasks, &a->oracle, error);
    if (status == THAW_OK)
        status = thaw_partition_create(shape, a->options.smallest, &a->partition, error);
    if (status == THAW_OK && !s->history)
        status = thaw_history_create(shape->ne, &state->step, &s->history, error);
    if (status == THAW_OK) {
        thaw_oracle_forget(a->oracle, s->x);
        thaw_ledger_find_elastic(s);
    }
    return status;
}

void thaw_adaptive_free(ThawAdaptive **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawAdaptive *a = *pointer;
    thaw_system_free(&a->system);
    thaw_integration_free(&a->set);
    thaw_partition_free(&a->partition);
    thaw_oracle_free(&a->oracle);
    thaw_free(a->flagged);
    thaw_free(a->script);
    thaw_free(a->f_contact);
    thaw_free(a->f_past);
    thaw_free(a->k_contact);
    thaw_free(a);
    *pointer = NULL;
}

void thaw_adapt_configure(const ThawWorld *world, ThawStepper *s) {
    ThawAdaptive *a = s->adaptive;
    a->options = thaw_scale_options(&s->scale, thaw_state_method_options(&world->state, THAW_METHOD_RIGIDIFY, s->index),
                                    s->model->options.h);
    if (a->partition->min_elements != a->options.smallest) // its parts were formed by another one
        thaw_adapt_abandon(s, NULL);
    a->partition->min_elements = a->options.smallest;
    thaw_oracle_set_options(a->oracle, &a->options, &s->scale, s->x);
}

void thaw_adapt_settle(ThawStepper *s, ThawLedger *ledger) {
    ThawAdaptive *a = s->adaptive;
    if (ledger)
        ledger->transition_loss += thaw_oracle_state(a->oracle)->energy;
    thaw_oracle_release(a->oracle, s->x);
}

void thaw_adapt_reset(ThawStepper *s) {
    if (s->adaptive)
        thaw_oracle_forget(s->adaptive->oracle, s->x);
}

void thaw_adapt_renew(ThawStepper *s) {
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&s->adaptive->system);
    thaw_integration_free(&s->adaptive->set);
    thaw_oracle_drop_factor(s->adaptive->oracle);
    s->adaptive->pressed = s->loads_changed = 1;
    s->system = NULL;
}

void thaw_adapt_abandon(ThawStepper *s, ThawLedger *ledger) {
    ThawAdaptive *a = s->adaptive;
    if (!a)
        return;
    double kept = thaw_oracle_state(a->oracle)->energy;
    memset(a->flagged, 0, (size_t)s->shape->ne);
    double *shadow = thaw_oracle_release(a->oracle, s->x);
    thaw_oracle_restart(a->oracle);
    thaw_history_abandon(s->history);
    thaw_partition_update(a->partition, a->flagged, a->script, shadow, s->x, s->v, &a->transition, NULL);
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&a->system);
    s->system = NULL;
    const size_t bytes = sizeof *s->x * (size_t)s->shape->nv * (size_t)s->model->dim;
    s->hash = thaw_hash(thaw_hash(0, s->x, bytes), s->v, bytes); // velocities of parts were chords
    const double elastic = s->elastic;
    thaw_ledger_find_elastic(s);
    if (ledger)
        ledger->follow_work += s->elastic - elastic - kept - a->transition.shadow;
}

// Pinned, or moved by a script, from t to t + h.
static void mark_script(ThawStepper *s, double t, double h) {
    memset(s->adaptive->script, THAW_VERTEX_FREE, (size_t)s->shape->nv);
    for (int32_t k = 0; k < s->body->script_count; k++) {
        const ThawScript *script = &s->body->scripts[k];
        int moves =
            script->key_count > 1 && t + h > script->keys[0].time && t < script->keys[script->key_count - 1].time;
        for (int32_t i = 0; i < script->group->count && s->middle < script->release; i++)
            s->adaptive->script[script->group->vertices[i]] = moves ? THAW_VERTEX_MOVED : THAW_VERTEX_PINNED;
    }
}

ThawStatus thaw_adapt_wake(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error) {
    const ThawState *state = &world->state;
    double h = s->model->options.h;
    ThawStatus status = thaw_adaptive_create(world, s, error);
    if (status != THAW_OK)
        return status;
    ThawAdaptive *a = s->adaptive;
    s->bound = 1;
    s->middle = state->time + h / 2;
    mark_script(s, state->time, h);
    memset(a->flagged, 1, (size_t)s->shape->ne);
    thaw_oracle_rested(a->oracle, loaded);
    return thaw_partition_update(a->partition, a->flagged, a->script, NULL, s->x, s->v, &a->transition, error);
}

// How fast the sides of a contact move against each other, m/s. Velocities are those of the start of the whole step,
// which no other body's oracle touches.
static void relative_velocity(const ThawWorld *world, const ThawContact *contact, double u[3]) {
    int dim = world->model->dim;
    for (int k = 0; k < 3; k++)
        u[k] = k < dim ? -contact->velocity[k] : 0;
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < contact->nodes[side]; n++)
            for (int k = 0; k < dim; k++)
                u[k] += (side == 0 ? 1 : -1) * contact->weight[side][n] *
                        world->steppers[contact->key.body[side]]
                            .start_v[(size_t)contact->vertex[side][n] * (size_t)dim + (size_t)k];
}

// What a spring k, N/m, along the unit vector n adds to K, dim x dim.
static void add_spring(double k, const double *n, int dim, double K[9]) {
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            K[i * dim + j] += k * n[i] * n[j];
}

// Friction that is as great as it can be, `most` (N). Where the contact has only come to the rim its tangents give all of k_t: across, for friction
// turns towards where the vertex goes, and along, for it may as well go back. The farther it slides in a step, the less.
static void add_rim(const ThawWorld *world, const ThawContact *contact, double h, double most, double k_t,
                    double K[9]) {
    double u[3], square = 0;
    if (!(most > 0))
        return;
    relative_velocity(world, contact, u);
    for (int r = 1; r < world->model->dim; r++) {
        double slip = contact->frame[r][0] * u[0] + contact->frame[r][1] * u[1] + contact->frame[r][2] * u[2];
        square += slip * slip;
    }
    for (int r = 1; r < world->model->dim; r++)
        add_spring(k_t * most / (most + k_t * h * sqrt(square)), contact->frame[r], world->model->dim, K);
}

// By how much the force of a contact at rest changes with the place of what it holds (response.h), N/m: symmetric, dim
// x dim. It is the slope of the law and no bound of it: relaxation moves vertices by what it says, and where a contact
// is stiffer than that its force goes too far by as much, so that bodies on stiff contacts would wake in turns for
// ever. hard: of what has no slope.
static void rest_stiffness(const ThawWorld *world, const ThawContact *contact, double h, double hard, double K[9]) {
    const ThawContactOptions *options = &world->model->options.contact;
    const int dim = world->model->dim, cone = options->friction == THAW_FRICTION_CONE;
    double k = options->erp > 0 ? options->erp / (h * h * options->cfm) : contact->stiffness;
    k = isfinite(k) ? k : hard;
    double k_t = options->tangent > 0 ? options->tangent * k : hard;
    double most = contact->friction * contact->lambda[0];
    memset(K, 0, sizeof(double) * 9);
    add_spring(k, contact->frame[0], dim, K);
    if (cone && hypot(contact->lambda[1], contact->lambda[2]) >= STICKS * most)
        add_rim(world, contact, h, most / h, k_t, K);
    else
        for (int r = 1; r < dim; r++)
            if (fabs(contact->lambda[r]) < STICKS * most)
                add_spring(k_t, contact->frame[r], dim, K);
}

// How much a side gives way, m/s for an impulse of 1 N s. A^-1 gives at least what the diagonal of A alone would, and in a
// body that nothing holds at least what the whole mass does.
static double give_of(const ThawStepper *s, const ThawContact *contact, int side, double h) {
    const ThawShape *shape = s->shape;
    double give = 0;
    int held = 0;
    for (int n = 0; n < contact->nodes[side]; n++) {
        int32_t v = contact->vertex[side][n];
        double A =
            shape->mass[v] + h * (shape->damping_mass[v] + h * shape->stiffness[v] + shape->stiffness_damping[v]);
        give += s->scripted[v] ? 0 : contact->weight[side][n] * contact->weight[side][n] / A;
    }
    for (int32_t k = 0; k < s->body->script_count; k++)
        held |= s->middle < s->body->scripts[k].release;
    return held ? give : fmax(give, 1 / shape->total_mass);
}

// The force (N) along the normal with which a contact that carries nothing yet would have to stop its sides: before the
// step, nobody else knows of it; and the speed (m/s) at which they come nearer.
static double foreseen_force(const ThawWorld *world, const ThawContact *contact, ThawIncrement step, double *speed) {
    int dim = world->model->dim;
    double u[3], S[9] = {0}, give = 0;
    relative_velocity(world, contact, u);
    for (int side = 0; side < 2; side++)
        give +=
            contact->nodes[side] > 0 ? give_of(&world->steppers[contact->key.body[side]], contact, side, step.h) : 0;
    *speed = 0;
    for (int k = 0; k < dim; k++) {
        S[k * dim + k] = give;
        *speed -= contact->frame[0][k] * u[k];
    }
    return thaw_response_estimate(dim, step.h, contact, u, S) / step.h;
}

static int touches_part(const ThawPartition *partition, const ThawContact *contact, int side) {
    int any = 0;
    for (int n = 0; n < contact->nodes[side]; n++)
        any |= partition->part_of_vertex[contact->vertex[side][n]] >= 0;
    return any;
}

// m/s: what comes faster strikes. The speed over the size of an element is a strain rate.
static double striking_speed(const ThawAdaptive *a) { return sqrt(a->options.tau_rigid) * a->grain; }

ThawStatus thaw_adapt_strike(const ThawWorld *world, ThawStepper *s, const ThawContact *contact, int side,
                             double speed) {
    if (!s->adaptive || speed <= striking_speed(s->adaptive) || !touches_part(s->adaptive->partition, contact, side))
        return THAW_OK;
    ThawStatus status = world->kept ? thaw_keep_parts(&(ThawKeeping){world->kept, s}) : THAW_OK;
    if (status != THAW_OK)
        return status;
    thaw_adapt_abandon(s, &s->work);
    s->answered = 0;
    s->linearised = NULL;
    return THAW_OK;
}

// The same of an attachment's row. Its force is that of the last step and what the spring adds as its sides now move;
// what moves its stiff spring faster than the body can follow strikes.
static void gather_attachment(const ThawWorld *world, const ThawStepper *s, const ThawContact *row, int side,
                              ThawIncrement step, ThawQuestion *q) {
    ThawAdaptive *a = s->adaptive;
    const size_t dim = (size_t)s->model->dim;
    double u[3], give = 0, gamma = 1 / (step.h * (step.h * row->stiffness + row->damping));
    double lever =
        0; // 1, or more where an anchor lies outside of its element: no row of K is larger than what is set for it
    for (int n = 0; n < row->nodes[side]; n++)
        lever += fabs(row->weight[side][n]);
    relative_velocity(world, row, u);
    for (int i = 0; i < 2; i++)
        give += row->nodes[i] > 0 ? give_of(&world->steppers[row->key.body[i]], row, i, step.h) : 0;
    const int strikes = gamma < give && hypot(hypot(u[0], u[1]), u[2]) > striking_speed(a);
    q->contacts = thaw_hash(q->contacts, &row->key, sizeof row->key);
    q->hard |= row->stiffness > a->hard;
    if (touches_part(a->partition, row, side)) {
        q->on_parts = thaw_hash(thaw_hash(q->on_parts, &row->key, sizeof row->key), &strikes, sizeof strikes);
        q->struck |= strikes;
        q->hit |= strikes;
    }
    for (int n = 0; n < row->nodes[side]; n++) {
        const size_t v = (size_t)row->vertex[side][n];
        const double w = (side == 0 ? 1 : -1) * row->weight[side][n];
        for (size_t k = 0; k < dim; k++) {
            q->presses |= row->lambda[k] != 0;
            a->f_contact[v * dim + k] += w * (row->lambda[k] - u[k] / (gamma + give)) / step.h;
            a->f_past[v * dim + k] += w * row->lambda[k] / step.h;
            a->k_contact[v * dim * dim + k * dim + k] += fabs(row->weight[side][n]) * lever * row->stiffness;
        }
    }
}

// Forces of the contacts on this body: those remembered, and of those that carried nothing what is foreseen; and what the question
// says of them.
static void gather_contacts(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawQuestion *q) {
    const ThawIsland *island = &world->islands[s->island];
    ThawAdaptive *a = s->adaptive;
    size_t dim = (size_t)s->model->dim;
    double slow = striking_speed(a);
    if (a->pressed) {
        memset(a->f_contact, 0, sizeof(double) * (size_t)s->shape->nv * dim);
        memset(a->f_past, 0, sizeof(double) * (size_t)s->shape->nv * dim);
        memset(a->k_contact, 0, sizeof(double) * (size_t)s->shape->nv * dim * dim);
    }
    a->pressed = island->contact_count > 0;
    int32_t against = s->index; // nobody yet
    for (int32_t c = 0; c < island->contact_count; c++) {
        const ThawContact *contact = &island->set->contacts[island->contacts[c]];
        for (int side = 0; side < 2; side++) {
            if (contact->key.body[side] != s->index || contact->nodes[side] == 0)
                continue;
            if (contact->two_sided) {
                gather_attachment(world, s, contact, side, step, q);
                continue;
            }
            double push[2][3] = {{0}}, K[9], speed = 0;
            double foreseen = contact->lambda[0] == 0 ? foreseen_force(world, contact, step, &speed) : 0;
            q->presses |= contact->lambda[0] > 0;
            int holds = contact->lambda[0] > 0 || (contact->gap <= NEAR * s->shape->diameter && speed <= slow);
            int closes = foreseen > 0; // who is hit has to be asked now, not when his stride ends
            if (holds || closes) {
                q->contacts = thaw_hash(q->contacts, &contact->key, sizeof contact->key);
                if (contact->key.body[1 - side] != against) // contacts of the same two come together
                    q->passing = fmax(q->passing, thaw_motion_against(world, s, contact, side, step));
                against = contact->key.body[1 - side];
                if (touches_part(a->partition, contact, side)) {
                    q->on_parts =
                        thaw_hash(thaw_hash(q->on_parts, &contact->key, sizeof contact->key), &closes, sizeof closes);
                    q->struck |= closes;
                    q->hit |= closes && speed > slow;
                }
            }
            if (holds) {
                rest_stiffness(world, contact, step.h, a->hard, K);
                q->hard |= s->model->options.contact.erp == 0 && contact->stiffness > a->hard;
            }
            for (size_t r = 0; r < dim; r++)
                for (size_t k = 0; k < dim; k++) {
                    push[0][k] += contact->frame[r][k] * (contact->lambda[r] / step.h + (r == 0 ? foreseen : 0));
                    push[1][k] += contact->frame[r][k] * (contact->lambda[r] / step.h);
                }
            for (int n = 0; n < contact->nodes[side]; n++) {
                int32_t v = contact->vertex[side][n];
                double w = (side == 0 ? 1 : -1) * contact->weight[side][n];
                for (size_t k = 0; k < dim; k++) {
                    a->f_contact[(size_t)v * dim + k] += w * push[0][k];
                    a->f_past[(size_t)v * dim + k] += w * push[1][k];
                }
                for (size_t k = 0; k < dim * dim && holds; k++) // row sums: pushed as a whole it meets all of K
                    a->k_contact[(size_t)v * dim * dim + k] += contact->weight[side][n] * K[k];
            }
        }
    }
}

// The map, integration set and system of a partition that has changed.
static ThawStatus renew_system(ThawStepper *s, ThawError *error) {
    ThawAdaptive *a = s->adaptive;
    ThawPartition *partition = a->partition;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&a->system);
    thaw_integration_free(&a->set);
    s->system = NULL;
    ThawMap *map = NULL;
    ThawStatus status = THAW_OK;
    if (partition->part_count > 0)
        status = thaw_integration_create(s->shape, partition->elastic, partition->elastic_count, &a->set, error);
    if (status == THAW_OK)
        status =
            thaw_map_rigid_create(s->shape, partition->script, partition, a->set ? a->set : s->shape->all, &map, error);
    // Without parts the unknowns are those of the full body, whose order and plan take longer to make than all the rest.
    if (status == THAW_OK)
        status = partition->part_count == 0 && map->n == a->full->map->n &&
                         thaw_system_serves(a->full, s->shape, s->scripted)
                     ? thaw_system_wrap_like(&map, a->full, &a->system, error)
                     : thaw_system_wrap(&map, s->scripted, s->model->options.solver, &a->system, error);
    if (status != THAW_OK) {
        thaw_map_free(&map);
        return status;
    }
    s->system = a->system;
    return thaw_stepper_fit(s, error);
}

ThawStatus thaw_adapt_prepare(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawAdaptive *a = s->adaptive;
    ThawStatus status = THAW_OK;
    if (!a->full || !s->system)
        status = thaw_world_full_system(world, s, &a->full, error);
    return status == THAW_OK ? thaw_system_plan_direct(a->full, error) : status;
}

// Energies of a question. What forming has taken and no shadow keeps, and what a body that rests no longer follows, is lost.
// What else has changed the shadow's energy is the work of the forces that it follows.
static void book_shadow(ThawStepper *s) {
    ThawAdaptive *a = s->adaptive;
    ThawOracleState *state = thaw_oracle_state(a->oracle);
    double kept = state->energy;
    s->work.transition_loss += a->transition.loss + a->answer.dropped;
    if (!a->answer.shadow && !a->answer.followed)
        return;
    state->energy = thaw_oracle_shadow_energy(a->oracle, a->partition);
    s->work.follow_work += state->energy - kept - a->transition.shadow + a->answer.dropped;
}

// Whether the way of the shadow puts more energy into the body than all that it has: where stiff elements beside parts and
// the parts themselves, which move by turns, drive each other. work, elastic: before that way.
static int is_astray(const ThawStepper *s, const ThawLedger *work, double elastic) {
    ThawLedger has = {0};
    thaw_ledger_add_energies(s, 0, &has);
    return s->work.follow_work - work->follow_work > has.kinetic + has.shadow + fabs(elastic) + s->energy_rounding;
}

// To before that way, with everything elastic.
static ThawStatus go_back(const ThawWorld *world, ThawStepper *s, double h, const ThawLedger *work, double elastic) {
    ThawAdaptive *a = s->adaptive;
    ThawOracleState *state = thaw_oracle_state(a->oracle);
    ThawStatus status = world->kept ? thaw_keep_parts(&(ThawKeeping){world->kept, s}) : THAW_OK;
    if (status != THAW_OK)
        return status;
    memcpy(s->x, s->x1, sizeof *s->x * (size_t)s->shape->nv * (size_t)s->model->dim);
    for (size_t i = 0; i < (size_t)s->shape->nv * (size_t)s->model->dim; i++)
        state->shadow[i] -= h * state->pull[i]; // as the shadow went on
    thaw_partition_reshape(a->partition, s->x);
    s->work = *work;
    s->elastic = elastic;
    a->answer = (ThawAnswer){0};
    s->bound = 1;
    thaw_adapt_abandon(s, &s->work);
    s->set_energy = NAN;
    s->inverted = s->set_inverted = -1;
    return THAW_OK;
}

ThawStatus thaw_adapt_body(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    ThawAdaptive *a = s->adaptive;
    double since = thaw_wall_ms(), booking = s->ms[THAW_STAGE_LEDGER];
    mark_script(s, step.t, step.h);
    thaw_loads_evaluate(s, step);
    ThawStatus status = THAW_OK;
    if (a->partition->elastic_count > 0 && a->partition->part_count > 0 && !a->set) // after loading
        status = thaw_integration_create(s->shape, a->partition->elastic, a->partition->elastic_count, &a->set, error);
    if (status != THAW_OK)
        return status;
    int was_pressed = a->pressed;
    ThawQuestion question = {.x = s->x,
                             .v = s->v,
                             .f_ext = s->f_ext,
                             .f_contact = a->f_contact,
                             .f_past = a->f_past,
                             .k_contact = a->k_contact,
                             .script = a->script,
                             .elastic = a->partition->part_count > 0 ? a->set : s->shape->all,
                             .gravity = s->model->options.gravity,
                             .system = a->full,
                             .h = step.h};
    ThawKeeping keeping = {world->kept, s};
    if (world->kept) {
        question.keep = thaw_keep_parts;
        question.context = &keeping;
    }
    gather_contacts(world, s, step, &question);
    question.same_loads = !s->loads_changed;
    question.same_presses = !was_pressed && !a->pressed;
    s->loads_changed = 0;
    thaw_history_ask(s->history, s->shape, &question);
    const ThawLedger work = s->work;
    const double elastic = s->elastic;
    thaw_ledger_move(s, a->f_contact, 1);
    status = thaw_oracle_ask(a->oracle, &question, a->partition, s->x, a->flagged, &a->answer, error);
    if (a->answer.moved > 0)
        thaw_ledger_move(s, a->answer.past ? a->f_past : a->f_contact, 0);
    else
        s->work = work; // nothing was moved
    if (status == THAW_OK && a->answer.followed && is_astray(s, &work, elastic))
        status = go_back(world, s, step.h, &work, elastic);
    if (status == THAW_OK && world->kept &&
        (memcmp(a->flagged, a->partition->flagged, (size_t)s->shape->ne) != 0 ||
         memcmp(a->script, a->partition->script, (size_t)s->shape->nv) != 0))
        status = thaw_keep_parts(&keeping); // pins may change parts that nobody was asked about
    if (status == THAW_OK)
        status = thaw_partition_update(a->partition, a->flagged, a->script, a->answer.shadow, s->x, s->v,
                                       &a->transition, error);
    if (status == THAW_OK)
        thaw_history_record(s->history, thaw_oracle_state(a->oracle), a->partition, a->transition.changed);
    if (status == THAW_OK && (a->transition.changed || (a->answer.shadow && a->partition->part_count == 0)))
        thaw_oracle_repartitioned(a->oracle, &a->answer, a->partition);
    if (status == THAW_OK && (a->transition.changed || s->system != a->system || !a->system))
        status = renew_system(s, error);
    else if (status == THAW_OK && a->answer.moved > 0)
        thaw_map_rigid_update(a->system->map);
    if (a->answer.moved > 0) {
        s->set_energy = NAN;
        s->inverted = s->set_inverted = -1;
    }
    if (status == THAW_OK && a->answer.followed)
        s->work.follow_work += thaw_oracle_hand_over(a->oracle, a->partition, s->v);
    if (status == THAW_OK)
        book_shadow(s);
    s->ms[THAW_STAGE_ORACLE] += thaw_wall_ms() - since - (s->ms[THAW_STAGE_LEDGER] - booking);
    return status;
}

void thaw_adapt_commit(ThawStepper *s, ThawIncrement step) {
    ThawAdaptive *a = s->adaptive;
    const ThawPartition *partition = a->partition;
    double since = thaw_wall_ms();
    size_t dim = (size_t)s->model->dim;
    // Vertices of parts report the chords of their paths; the parts themselves keep their momentum.
    for (int32_t m = 0; m < partition->vertex_count; m++)
        for (size_t k = 0, at = (size_t)partition->vertices[m] * dim; k < dim; k++, at++)
            s->v1[at] = (s->x1[at] - s->x[at]) / step.h;
    if (a->system->map->n > 0)
        thaw_map_rigid_move(a->system->map, step.h, s->q);
    thaw_oracle_observe(a->oracle, partition, s->x1, step.h);
    s->ms[THAW_STAGE_ORACLE] += thaw_wall_ms() - since;
}

// Speed of the fastest point, about, from velocities of the origin and of turning, m/s.
static double speed_of(const double v[3], const double omega[3], double diameter) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           diameter * sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
}

ThawHindrance thaw_adapt_hindrance(const ThawStepper *s) {
    const ThawPartition *partition = s->adaptive->partition;
    if (partition->elastic_count > 0)
        return THAW_HINDRANCE_ELASTIC;
    if (!thaw_oracle_state(s->adaptive->oracle)->quiet)
        return THAW_HINDRANCE_INSIDE;
    if (s->offset_moves)
        return THAW_HINDRANCE_MOVED;
    for (int32_t k = 0; k < partition->part_count; k++) {
        double v[3], omega[3];
        thaw_part_velocity(&partition->parts[k], s->model->dim, v, omega);
        if (speed_of(v, omega, s->shape->diameter) > s->adaptive->options.sleep_speed * s->shape->diameter)
            return THAW_HINDRANCE_FAST;
    }
    return THAW_HINDRANCE_NONE;
}

int thaw_adapt_watch_rest(ThawStepper *s, int slow) {
    ThawPartition *partition = s->adaptive->partition;
    if (thaw_adapt_hindrance(s) != THAW_HINDRANCE_NONE)
        return 0;
    for (int32_t k = 0; k < partition->part_count && slow == 0; k++)
        thaw_part_velocity(&partition->parts[k], s->model->dim, partition->parts[k].slow[0],
                           partition->parts[k].slow[1]);
    return 1;
}

// Speed alone says nothing: at the top of a throw, in the first steps of a fall, or on a hinge, a body is slow and far
// from balance. Forces balance, contacts included, where velocity does not change; its mean change tells, since contact
// forces jitter from step to step. Slow steps beyond what `slow` counts make the acceleration seem larger than it is.
double thaw_adapt_drift(const ThawStepper *s, int slow, int *held) {
    const ThawPartition *partition = s->adaptive->partition;
    const double *g = s->model->options.gravity;
    const double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double window = (slow - 1) * s->model->options.h, D = s->shape->diameter;
    double worst = 0;
    *held = 0;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        double v[3], omega[3], dv[3], domega[3];
        thaw_part_velocity(part, s->model->dim, v, omega);
        for (int i = 0; i < 3; i++) {
            dv[i] = v[i] - part->slow[0][i];
            domega[i] = omega[i] - part->slow[1][i];
        }
        *held |= part->hold != THAW_HOLD_FREE;
        double a = speed_of(dv, domega, D) / window;
        if (weight > 0 && a > BALANCE * weight) // however little it weighs
            return INFINITY;
        worst = fmax(worst, THAW_SECOND * speed_of(v, omega, D) + THAW_SECOND * THAW_SECOND / 2 * a);
    }
    return worst / D;
}
