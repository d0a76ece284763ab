// SPDX-License-Identifier: Apache-2.0
// Writing contacts down: frame, stiffness, warm start, drift; and remembering them for the next step.
//
// The frame's first tangent follows the sliding, where there is any to speak of; else it depends on the normal alone.
// Impulses are remembered as forces in world axes, so neither a turning frame nor a change of h spoils the warm start.
// A contact also remembers where it began to stick: on a rigid obstacle as a point of the obstacle, which is exact for
// ever; elsewhere as the drift so far. A contact whose friction has reached its limit slides, and begins anew there.
//
// What creeps or comes to rest presses a little less or more in each step. So a force that changed by less than STEADY
// of its size in the last step is expected to change as much in the next: the response starts from there, nearer to its
// solution by a factor of ten.
//
// Automatic damping is critical for the mass of the touching vertex on the contact's own spring, 2 sqrt(k m); between
// two bodies m is their vertices' reduced mass.
//
// A hard contact is HARD times as stiff as an automatic one, which gives way as the elements behind it do, so that its
// force is unique; it has no damping; and it acts at a depth of SINK edge lengths, not at 0: a vertex at rest is then
// inside, in every search. At 0 rounding would decide which vertices are found, and between bodies that fall alike none
// that is outside is: a stack would never come to rest.
#include "contact/collider.h"

static const double HARD = 1e3, SINK = 1e-4, STEADY = 0.1;
// Edges that a contact may be deeper than what motion pressed it to: where a vertex slides in beside another that is
// pressed, so much is allowed. What was more is an overlap until it is less than FAIR.
static const double UNSEEN = 0.05, HANDED = 0.5, FAIR = 2e-6;

int thaw_contact_key_compare(const ThawContactKey *a, const ThawContactKey *b) {
    const int32_t p[7] = {a->body[0], a->body[1], a->kind, a->feature[0], a->feature[1], a->feature[2], a->feature[3]};
    const int32_t q[7] = {b->body[0], b->body[1], b->kind, b->feature[0], b->feature[1], b->feature[2], b->feature[3]};
    for (int i = 0; i < 7; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

// The first entry of the memory that does not come before the key.
static int32_t lower_bound(const ThawContactScratch *scratch, const ThawContactKey *key) {
    int32_t lo = 0, hi = scratch->memory_count;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (thaw_contact_key_compare(&scratch->memory[mid].key, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

ThawContactCursor thaw_contact_cursor(const ThawContactScratch *scratch, const ThawContactItem *item) {
    ThawContactKey first = {{item->a, item->b}, (int32_t)item->kind, {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN}};
    ThawContactCursor cursor = {.next = lower_bound(scratch, &first)};
    first.kind++;
    cursor.end = lower_bound(scratch, &first);
    return cursor;
}

const ThawContactMemory *thaw_contact_advance(const ThawContactScratch *scratch, ThawContactCursor *cursor,
                                              int32_t feature) {
    while (cursor->next < cursor->end && scratch->memory[cursor->next].key.feature[0] < feature)
        cursor->next++;
    return cursor->next < cursor->end && scratch->memory[cursor->next].key.feature[0] == feature
               ? &scratch->memory[cursor->next]
               : NULL;
}

const ThawContactMemory *thaw_contact_known(const ThawContactScratch *scratch, const ThawContactItem *item,
                                            int32_t feature, int32_t *count) {
    ThawContactKey first = {{item->a, item->b}, (int32_t)item->kind, {feature, INT32_MIN, INT32_MIN, INT32_MIN}};
    const int32_t from = lower_bound(scratch, &first);
    first.feature[0]++;
    *count = lower_bound(scratch, &first) - from;
    return scratch->memory + from;
}

int thaw_contact_is_known(const ThawContactScratch *scratch, const ThawContactKey *key) {
    const int32_t at = lower_bound(scratch, key);
    return at < scratch->memory_count && thaw_contact_key_compare(&scratch->memory[at].key, key) == 0;
}

const ThawContactMemory *thaw_contact_recall(const ThawContactScratch *scratch, const ThawContactKey *key) {
    ThawContactKey wanted = *key;
    const int32_t exact = lower_bound(scratch, key);
    if (exact < scratch->memory_count && thaw_contact_key_compare(&scratch->memory[exact].key, key) == 0)
        return &scratch->memory[exact];
    if (key->kind != THAW_CONTACT_EDGE_EDGE)
        wanted.feature[1] = INT32_MIN;
    int32_t at = lower_bound(scratch, &wanted);
    if (at == scratch->memory_count)
        return NULL;
    const ThawContactMemory *found = &scratch->memory[at];
    if (key->kind != THAW_CONTACT_EDGE_EDGE)
        wanted.feature[1] = found->key.feature[1];
    return thaw_contact_key_compare(&found->key, &wanted) == 0 ? found : NULL;
}

int thaw_contact_recalls_edge(const ThawContactScratch *scratch, const ThawContactKey *key) {
    ThawContactKey least = *key;
    least.feature[2] = least.feature[3] = INT32_MIN;
    const int32_t at = lower_bound(scratch, &least);
    if (at == scratch->memory_count)
        return 0;
    const ThawContactKey *found = &scratch->memory[at].key;
    least.feature[2] = found->feature[2];
    least.feature[3] = found->feature[3];
    return thaw_contact_key_compare(found, &least) == 0;
}

const ThawContact *thaw_contact_slot_find(const ThawContactSlot *slot, int32_t vertex) {
    int32_t lo = 0, hi = slot->count;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (slot->contacts[mid].key.feature[0] < vertex)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == slot->count) // an empty slot has no array
        return NULL;
    const ThawContact *found = slot->contacts + lo;
    return found->key.feature[0] == vertex && found->gap <= 0 ? found : NULL;
}

static void make_frame(int dim, const double slide[3], double length, double frame[3][3]) {
    double *n = frame[0], *t = frame[1];
    if (dim == 2) {
        t[0] = -n[1], t[1] = n[0], t[2] = 0;
        frame[2][0] = frame[2][1] = 0, frame[2][2] = 1;
        return;
    }
    thaw_v3_add(slide, -thaw_v3_dot(slide, n), n, t);
    if (thaw_v3_norm(t) < 1e-3 * length) {
        int axis = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
        double e[3] = {axis == 0, axis == 1, axis == 2};
        thaw_v3_add(e, -n[axis], n, t);
    }
    thaw_v3_unit(t);
    thaw_v3_cross(n, t, frame[2]);
}

// A vertex on an obstacle that does not change its shape. Points of smooth surfaces are others in each step.
static int is_anchored(const ThawCollider *collider, const ThawContactKey *key) {
    return key->kind == THAW_CONTACT_VERTEX_OBSTACLE &&
           collider->model->obstacles[-1 - key->body[1]].frame_count == 0 && !collider->by_body[key->body[0]]->part;
}

// Where a point of the world is in an obstacle's own frame.
static void to_own_frame(const ThawPlace *place, const double x[3], double local[3]) {
    double arm[3];
    thaw_v3_sub(x, place->p, arm);
    thaw_v3_turn_back(place->R, arm, local);
}

// x: where side 0 is.
static void warm_start(const ThawContactScratch *scratch, const double x[3], double length, ThawContact *c) {
    const ThawModel *model = scratch->collider->model;
    const int anchored = is_anchored(scratch->collider, &c->key);
    const ThawPlace *place = anchored ? &scratch->places[-1 - c->key.body[1]][0] : NULL;
    const ThawContactMemory *memory = thaw_contact_recall(scratch, &c->key);
    c->is_new = !memory;
    if (memory) {
        double from[3] = {0, 0, 0}, offset[3];
        for (int i = 0; i < model->dim; i++)
            c->lambda[i] = thaw_v3_dot(c->frame[i], memory->force) * scratch->h;
        int pushes = c->lambda[0] > 0, steady = thaw_v3_norm(memory->trend) <= STEADY * thaw_v3_norm(memory->force);
        if (!pushes)
            memset(c->lambda, 0, sizeof c->lambda);
        thaw_v3_copy(memory->force, c->before);
        c->held = memory->depth;
        c->energy = memory->energy;
        c->overlap = memory->overlap > 0;
        for (int i = 0; i < model->dim && pushes && steady; i++)
            c->trend[i] = thaw_v3_dot(c->frame[i], memory->trend) * scratch->h;
        thaw_v3_copy(memory->anchor, c->anchor);
        if (anchored) {
            thaw_v3_turn(place->R, memory->anchor, from);
            thaw_v3_add(from, 1, place->p, from);
            thaw_v3_sub(x, from, offset);
        } else
            thaw_v3_copy(memory->anchor, offset);
        for (int i = 0; i + 1 < model->dim; i++)
            c->drift[i] = thaw_v3_dot(c->frame[1 + i], offset);
    }
    if (!memory || hypot(c->drift[0], c->drift[1]) > length) {
        c->drift[0] = c->drift[1] = 0;
        memset(c->anchor, 0, sizeof c->anchor);
        if (anchored)
            to_own_frame(place, x, c->anchor);
    }
    for (int i = 0; !anchored && i < 3; i++) { // see ThawContact: what remembering adds to
        double apart[3];
        thaw_v3_sub(x, c->point, apart);
        c->anchor[i] = 0;
        for (int k = 1; k < model->dim; k++)
            c->anchor[i] += (c->drift[k - 1] - thaw_v3_dot(c->frame[k], apart)) * c->frame[k][i];
    }
}

// Whether the last step knew contacts of body a with b; *tangled: one of them was an overlap.
static int knows_pair(const ThawContactScratch *scratch, int32_t a, int32_t b, int *tangled) {
    const ThawContactKey first = {{a, b}, INT32_MIN, {0}};
    int known = 0;
    for (int32_t i = lower_bound(scratch, &first); i < scratch->memory_count; i++) {
        const ThawContactMemory *memory = &scratch->memory[i];
        if (memory->key.body[0] != a || memory->key.body[1] != b)
            break;
        known = 1;
        *tangled |= memory->overlap > 0;
    }
    return known;
}

// How many edges deeper than motion has pressed it a contact may be found. Two that touched in the last step hand over
// from one of their faces or points to another, which may be found deep: what presses a body against a floor would else
// shift it through that.
static double unseen_of(const ThawContactScratch *scratch, const ThawContactKey *key) {
    int tangled = 0, known = knows_pair(scratch, key->body[0], key->body[1], &tangled);
    if (key->body[1] >= 0)
        known |= knows_pair(scratch, key->body[1], key->body[0], &tangled);
    return known && !tangled && key->body[0] != key->body[1] ? HANDED : UNSEEN; // a fold touches itself in many places
}

static ThawContact *next_contact(ThawContactSlot *slot) {
    if (slot->count == slot->capacity) {
        int32_t capacity = slot->capacity < 16 ? 16 : slot->capacity < INT32_MAX / 2 ? 2 * slot->capacity : INT32_MAX;
        ThawContact *more = slot->count < capacity ? thaw_regrow(slot->contacts, (size_t)slot->count, (size_t)capacity,
                                                                 sizeof *slot->contacts)
                                                   : NULL;
        if (!more) {
            slot->failed = 1;
            return NULL;
        }
        slot->contacts = more;
        slot->capacity = capacity;
    }
    return &slot->contacts[slot->count++];
}

// A point of a smooth surface is not of its face alone: with the vertex behind it, it turns with the body.
static void rise_from_face(const ThawContactScratch *scratch, const ThawContactSide *side, int s, ThawContact *c) {
    const ThawContactShape *shape = side->body->shape;
    const ThawModel *model = scratch->collider->model;
    const int32_t behind = shape->behind[side->face];
    const size_t at = (size_t)(model->bodies[side->body->id].first_vertex + behind) * (size_t)model->dim;
    double x[3] = {0}, more[4];
    for (int k = 0; k < model->dim; k++)
        x[k] = scratch->x[at + (size_t)k];
    if (!thaw_smooth_fix(side, x, more))
        return;
    for (int k = 0; k < side->nodes; k++) {
        c->vertex[s][k] = side->body->unit_vertex + shape->vertex[side->vertex[k]];
        c->weight[s][k] = side->weight[k] + more[k];
    }
    c->vertex[s][side->nodes] = side->body->unit_vertex + behind;
    c->weight[s][side->nodes] = more[3];
    c->nodes[s] = side->nodes + 1;
}

void thaw_contact_add(const ThawContactScratch *scratch, const ThawContactItem *item, const ThawContactKey *key,
                      const ThawContactSide side[2], const double point[3], const double normal[3], double gap,
                      const double *velocity, ThawContactSlot *slot) {
    const ThawModel *model = scratch->collider->model;
    const ThawContactOptions *options = &model->options.contact;
    ThawContact *c = next_contact(slot);
    if (!c)
        return;
    *c = (ThawContact){.key = *key, .gap = gap, .friction = item->touch.friction};
    c->restitution = item->touch.restitution;
    double slide[3] = {0, 0, 0}, x[3] = {0, 0, 0}, k[2] = {INFINITY, INFINITY}, m[2] = {INFINITY, INFINITY}, length = 0;
    for (int s = 0; s < 2; s++) {
        const ThawContactShape *shape = side[s].body->shape;
        double stiffness = 0, mass = 0, d[3] = {0, 0, 0};
        for (int i = 0; i < side[s].nodes; i++) {
            int32_t v = side[s].vertex[i];
            double w = side[s].weight[i];
            if (w == 0)
                continue;
            thaw_v3_add(d, w, side[s].body->d + 3 * (size_t)v, d);
            if (s == 0) {
                thaw_v3_add(x, w, side[s].body->x + 3 * (size_t)v, x);
                length += w * shape->length[v];
                c->bend += w * shape->bend[v];
            }
            if (!shape->mass)
                continue;
            stiffness += w * shape->stiffness[v];
            mass += w * shape->mass[v];
            c->vertex[s][c->nodes[s]] = side[s].body->unit_vertex + shape->vertex[v];
            c->weight[s][c->nodes[s]++] = w;
        }
        c->rolls |= side[s].rises;
        if (side[s].rises && shape->mass)
            rise_from_face(scratch, &side[s], s, c);
        for (int i = 0; s == 0 && side[s].rises && i < 3; i++)
            x[i] += side[s].rise[i];
        if (shape->mass)
            k[s] = stiffness, m[s] = mass;
        else if (scratch->h > 0)
            for (int i = 0; i < 3; i++)
                c->velocity[i] = velocity ? velocity[i] : d[i] / scratch->h;
        if (s == 1 && !shape->mass)
            thaw_v3_add(slide, -scratch->h, c->velocity, slide);
        else
            thaw_v3_add(slide, s ? -1 : 1, d, slide);
    }
    thaw_v3_copy(point, c->point);
    thaw_v3_copy(normal, c->frame[0]);
    make_frame(model->dim, slide, length, c->frame);
    const double automatic = isfinite(k[1]) ? k[0] * k[1] / (k[0] + k[1]) : k[0];
    const int hard = isinf(options->stiffness) && !(options->erp > 0);
    c->stiffness = hard ? HARD * automatic : options->stiffness > 0 ? options->stiffness : automatic;
    double reduced = isfinite(m[1]) ? m[0] * m[1] / (m[0] + m[1]) : m[0];
    c->damping = hard ? 0 : options->damping >= 0 ? options->damping : 2 * sqrt(c->stiffness * reduced);
    c->sink = hard ? SINK * length : 0;
    c->soft = automatic;
    c->length = length;
    warm_start(scratch, x, length, c);
    double free = -(c->gap + c->sink) - c->held;
    c->overlap = c->overlap ? free > FAIR * length : free > UNSEEN * length && free > unseen_of(scratch, key) * length;
}

// --- after the step -------------------------------------------------------------------------------------------------

static int is_sliding(const ThawContact *c, ThawFriction friction) {
    const double limit = 0.999 * c->friction * c->lambda[0];
    if (friction == THAW_FRICTION_BOX)
        return fabs(c->lambda[1]) >= limit || fabs(c->lambda[2]) >= limit;
    return hypot(c->lambda[1], c->lambda[2]) >= limit;
}

// How far a sliding contact has stretched its tangent spring: so far that it carries the friction (response.h: at rest
// lambda_t = -h r k drift), in world axes. Hard tangents stretch nothing.
static void slip_drift(const ThawContactOptions *options, const ThawContact *c, int dim, double h, double drift[3]) {
    double give = options->erp > 0                                 ? options->cfm * h / options->erp
                  : options->tangent > 0 && isfinite(c->stiffness) ? 1 / (h * options->tangent * c->stiffness)
                                                                   : 0;
    drift[0] = drift[1] = drift[2] = 0;
    for (int k = 1; k < dim; k++)
        thaw_v3_add(drift, -give * c->lambda[k], c->frame[k], drift);
}

double thaw_contact_energy(const ThawContactOptions *o, const ThawContact *c, int dim, double h) {
    const double k = !(o->erp > 0) ? c->stiffness : o->cfm > 0 ? o->erp / (h * h * o->cfm) : INFINITY;
    double sum = 0;
    if (isinf(k) || !(k > 0))
        return 0;
    for (int t = 1; t < dim && o->tangent > 0; t++)
        sum += c->lambda[t] * c->lambda[t] / (2 * h * h * o->tangent * k);
    return sum + k * c->holds * c->holds / 2;
}

ThawStatus thaw_contacts_remember(const ThawCollider *collider, double t, double h, const double *x,
                                  ThawContactSet *set, ThawError *error) {
    const ThawModel *model = collider->model;
    const int dim = model->dim;
    if (set->count > set->memory_capacity) {
        ThawContactMemory *more = THAW_NEW(ThawContactMemory, set->capacity);
        if (!more)
            return thaw_error_memory(error, "the memory of contacts");
        thaw_free(set->memory);
        set->memory = more;
        set->memory_capacity = set->capacity;
    }
    set->memory_count = set->count;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        ThawContactMemory *memory = &set->memory[i];
        *memory = (ThawContactMemory){.key = c->key, .depth = c->holds, .overlap = c->overlap};
        memory->energy = thaw_contact_energy(&model->options.contact, c, dim, h);
        for (int k = 0; k < dim; k++)
            thaw_v3_add(memory->force, c->lambda[k] / h, c->frame[k], memory->force);
        if (!c->is_new)
            thaw_v3_sub(memory->force, c->before, memory->trend);
        double end[2][3] = {{0, 0, 0}, {0, 0, 0}}; // where the sides are now
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < c->nodes[s]; k++) {
                const ThawModelBody *body = thaw_model_moved(model, c->key.body[s]);
                const double *at = x + (size_t)(body->first_vertex + c->vertex[s][k]) * (size_t)dim;
                for (int j = 0; j < dim; j++)
                    end[s][j] += c->weight[s][k] * at[j];
            }
        if (c->nodes[1] == 0)
            thaw_v3_add(c->point, h, c->velocity, end[1]);
        const int sliding = is_sliding(c, model->options.contact.friction);
        double drift[3], held[3];
        slip_drift(&model->options.contact, c, dim, h, drift);
        if (is_anchored(collider, &c->key)) {
            thaw_v3_copy(c->anchor, memory->anchor);
            if (sliding) {
                ThawPlace place;
                thaw_obstacle_place(&model->obstacles[-1 - c->key.body[1]], t + h, &place);
                thaw_v3_sub(end[0], drift, held);
                to_own_frame(&place, held, memory->anchor);
            }
        } else if (sliding) {
            thaw_v3_copy(drift, memory->anchor);
        } else {
            double moved[3];
            thaw_v3_sub(end[0], end[1], moved);
            thaw_v3_copy(c->anchor, memory->anchor);
            for (int k = 1; k < dim; k++)
                thaw_v3_add(memory->anchor, thaw_v3_dot(c->frame[k], moved), c->frame[k], memory->anchor);
        }
    }
    return THAW_OK;
}
