// SPDX-License-Identifier: Apache-2.0
// A method whose unknowns several bodies have in common: a unit of a bone and muscles on it, in space. The bone is a
// frame that moves and turns, and so do those vertices of the muscles that are in a group named "root"; all others move
// for themselves. So
//     v_i = q_0 + q_1 x (x_i - c)   of what the frame carries, c its centre of mass;    v_i = q_k   of the rest,
// rows of both bodies in one G, with one matrix and one factor. Only elements of muscles are evaluated.
#ifndef THAW_TEST_LIMB_H
#define THAW_TEST_LIMB_H

#include <math.h>
#include <string.h>

#include "map/rigid/partition.h"
#include "math/vec3.h"
#include "step/method.h"

static const double LIMB_SLOW = 1e-3; // diameters a second

// --- the map ---------------------------------------------------------------------------------------------------------

typedef struct LimbMap {
    ThawMap map;
    unsigned char *carried; // nv
    int32_t *block;         // nv, of q; -1: carried
    double *r;              // 3 nv, lever of what is carried, m
    double centre[3];
    double *column, *push; // 3 nv, scratch
    double *q, *reduced;   // 3 n, likewise
} LimbMap;

static void apply_limb(const ThawMap *map, const double *q, const double *w, double *v) {
    const LimbMap *self = (const LimbMap *)map;
    for (int32_t i = 0; i < map->shape->nv; i++) {
        double turn[3] = {0};
        if (self->carried[i])
            thaw_v3_cross(q + 3, self->r + 3 * i, turn);
        for (int k = 0; k < 3; k++)
            v[3 * i + k] = q[3 * (self->carried[i] ? 0 : self->block[i]) + k] + turn[k] + (w ? w[3 * i + k] : 0);
    }
}

static void apply_t_limb(const ThawMap *map, const double *f, double *r) {
    const LimbMap *self = (const LimbMap *)map;
    memset(r, 0, sizeof *r * 3 * (size_t)map->n);
    for (int32_t i = 0; i < map->shape->nv; i++) {
        double turn[3];
        thaw_v3_add(r + 3 * (self->carried[i] ? 0 : self->block[i]), 1, f + 3 * i,
                    r + 3 * (self->carried[i] ? 0 : self->block[i]));
        thaw_v3_cross(self->r + 3 * i, f + 3 * i, turn);
        if (self->carried[i])
            thaw_v3_add(r + 3, 1, turn, r + 3);
    }
}

// By momenta: c is the centre of mass, so those of both blocks are each for itself.
static void project_limb(const ThawMap *map, const double *w, const double *v, double *q) {
    const LimbMap *self = (const LimbMap *)map;
    double mass = 0, L[3] = {0}, J[9] = {0};
    memset(q, 0, 6 * sizeof *q);
    for (int32_t i = 0; i < map->shape->nv; i++) {
        double u[3], turn[3], m = map->shape->mass[i];
        for (int k = 0; k < 3; k++)
            u[k] = v[3 * i + k] - (w ? w[3 * i + k] : 0);
        if (!self->carried[i]) {
            memcpy(q + 3 * self->block[i], u, sizeof u);
            continue;
        }
        mass += m;
        thaw_v3_add(q, m, u, q);
        thaw_v3_cross(self->r + 3 * i, u, turn);
        thaw_v3_add(L, m, turn, L);
        thaw_v3_add_inertia(m, self->r + 3 * i, J);
    }
    for (int k = 0; k < 3; k++)
        q[k] /= mass;
    thaw_part_spin(3, J, L, q + 3);
}

// y: r, turned by omega for h.
static void turn_lever(const double omega[3], double h, const double r[3], double y[3]) {
    const double speed = thaw_v3_norm(omega), angle = h * speed;
    double n[3], a[3], b[3];
    memcpy(y, r, 3 * sizeof *y);
    if (speed == 0)
        return;
    for (int k = 0; k < 3; k++)
        n[k] = omega[k] / speed;
    thaw_v3_cross(n, r, a);
    thaw_v3_cross(n, a, b);
    for (int k = 0; k < 3; k++)
        y[k] += sin(angle) * a[k] + (1 - cos(angle)) * b[k];
}

// The frame turns, and does not grow.
static void advance_limb(const ThawMap *map, double h, const double *x0, const double *q, const double *v, double *x1) {
    const LimbMap *self = (const LimbMap *)map;
    for (int32_t i = 0; i < map->shape->nv; i++) {
        double y[3];
        turn_lever(q + 3, h, self->r + 3 * i, y);
        for (int k = 0; k < 3; k++)
            x1[3 * i + k] = self->carried[i] ? self->centre[k] + h * q[k] + y[k] : x0[3 * i + k] + h * v[3 * i + k];
    }
}

static ThawStatus pattern_limb(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    const size_t n = (size_t)map->n;
    int32_t *offset = THAW_NEW(int32_t, n + 1), *neighbours = THAW_NEW(int32_t, n * n), count = 0;
    ThawStatus status = offset && neighbours ? THAW_OK : thaw_error_memory(error, "a limb");
    for (int32_t a = 0; a < map->n && status == THAW_OK; a++) {
        for (int32_t b = 0; b < map->n; b++)
            if (a != b)
                neighbours[count++] = b;
        offset[a + 1] = count;
    }
    if (status == THAW_OK)
        status = thaw_block_pattern_create(map->n, 3, offset, neighbours, pattern, error);
    thaw_free(offset);
    thaw_free(neighbours);
    return status;
}

// Column by column: it is small.
static ThawStatus matrix_limb(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                              ThawBlockMatrix *matrix, double *f, double *partial) {
    const LimbMap *self = (const LimbMap *)map;
    const size_t size = 3 * (size_t)map->n;
    double *q = self->q, *r = self->reduced, forms[2];
    for (size_t j = 0; j < size; j++) {
        memset(q, 0, sizeof *q * size);
        q[j] = 1;
        apply_limb(map, q, NULL, self->column);
        thaw_force_product(map->set, tasks, x, self->column, A.element, map->shape->nv, self->push, forms, partial);
        A.inertia->ops->product(A.inertia, NULL, A.mass, A.mass_damping, self->column, self->push);
        apply_t_limb(map, self->push, r);
        for (size_t a = j / 3; a < (size_t)map->n; a++) {
            double *block = matrix->value + 9 * thaw_block_find(matrix->pattern, (int32_t)a, (int32_t)(j / 3));
            for (size_t k = 0; k < 3; k++)
                block[3 * k + j % 3] += r[3 * a + k];
        }
    }
    return thaw_force_internal(map->set, tasks, x, map->shape->nv, f, partial);
}

static int rows_limb(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const LimbMap *self = (const LimbMap *)map;
    const double *r = self->r + 3 * vertex;
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, arm[9] = {0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0};
    block[0] = self->carried[vertex] ? 0 : self->block[vertex];
    block[1] = 1;
    memcpy(matrix[0], one, sizeof one);
    if (self->carried[vertex])
        memcpy(matrix[1], arm, sizeof arm);
    return self->carried[vertex] ? 2 : 1;
}

static ThawStatus update_limb(ThawMap *map, const double *x, const double *f_ext) {
    LimbMap *self = (LimbMap *)map;
    double mass = 0, sum[3] = {0};
    (void)f_ext;
    for (int32_t i = 0; i < map->shape->nv; i++)
        if (self->carried[i]) {
            mass += map->shape->mass[i];
            thaw_v3_add(sum, map->shape->mass[i], x + 3 * i, sum);
        }
    for (int k = 0; k < 3; k++)
        self->centre[k] = sum[k] / mass;
    for (int32_t i = 0; i < map->shape->nv; i++)
        thaw_v3_sub(x + 3 * i, self->centre, self->r + 3 * i);
    return THAW_OK;
}

static void free_limb_map(ThawMap *map) {
    LimbMap *self = (LimbMap *)map;
    thaw_free(self->carried);
    thaw_free(self->block);
    thaw_free(self->r);
    thaw_free(self->column);
    thaw_free(self->push);
    thaw_free(self->q);
    thaw_free(self->reduced);
    thaw_free(self);
}

static const ThawMapOps limb_map_ops = {.name = "limb",
                                        .laws = THAW_MAP_KEEPS_MOMENTUM | THAW_MAP_ADVANCES_LINEARLY |
                                                THAW_MAP_FOLLOWS_STATE,
                                        .apply = apply_limb,
                                        .apply_t = apply_t_limb,
                                        .project = project_limb,
                                        .advance = advance_limb,
                                        .pattern = pattern_limb,
                                        .matrix = matrix_limb,
                                        .rows = rows_limb,
                                        .update = update_limb,
                                        .free = free_limb_map};

// bone: vertices of the first body.
static ThawStatus limb_map_create(const ThawShape *shape, int32_t bone, const ThawIntegrationSet *set, ThawMap **map,
                                  ThawError *error) {
    LimbMap *self = THAW_NEW(LimbMap, 1);
    *map = NULL;
    if (!self)
        return thaw_error_memory(error, "a limb");
    self->map = (ThawMap){.ops = &limb_map_ops, .shape = shape, .set = set, .n = 2, .row_blocks = 2};
    self->carried = THAW_NEW(unsigned char, shape->nv);
    self->block = THAW_NEW(int32_t, shape->nv);
    self->r = THAW_NEW(double, 3 * shape->nv);
    self->column = THAW_NEW(double, 3 * shape->nv);
    self->push = THAW_NEW(double, 3 * shape->nv);
    self->q = THAW_NEW(double, 3 * (shape->nv + 2));
    self->reduced = THAW_NEW(double, 3 * (shape->nv + 2));
    if (!self->carried || !self->block || !self->r || !self->column || !self->push || !self->q || !self->reduced) {
        free_limb_map(&self->map);
        return thaw_error_memory(error, "a limb");
    }
    memset(self->carried, 1, (size_t)bone);
    for (int32_t g = 0; g < shape->group_count; g++)
        for (int32_t i = 0; i < shape->groups[g].count && strcmp(shape->groups[g].name, "root") == 0; i++)
            self->carried[shape->groups[g].vertices[i]] = 1;
    for (int32_t i = 0; i < shape->nv; i++)
        self->block[i] = self->carried[i] ? -1 : self->map.n++;
    *map = &self->map;
    return update_limb(*map, shape->X, NULL);
}

// --- the method ------------------------------------------------------------------------------------------------------

typedef struct Limb {
    ThawSystem *system;
    ThawIntegrationSet *set; // elements of muscles
    int32_t bone;            // elements of the bone, which come first
} Limb;

static void drop_limb(ThawStepper *s) {
    Limb *limb = s->data;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&limb->system);
    s->system = NULL;
}

static ThawStatus create_limb(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawModelBody *bone = &world->model->bodies[s->index];
    Limb *limb = s->data = THAW_NEW(Limb, 1);
    int32_t *elements = THAW_NEW(int32_t, s->shape->ne);
    if (!limb || !elements) {
        thaw_free(elements);
        return thaw_error_memory(error, "a limb");
    }
    limb->bone = bone->shape->ne;
    for (int32_t e = limb->bone; e < s->shape->ne; e++)
        elements[e - limb->bone] = e;
    ThawStatus status = thaw_integration_create(s->shape, elements, s->shape->ne - limb->bone, &limb->set, error);
    thaw_free(elements);
    return status;
}

static void free_limb(ThawStepper *s) {
    Limb *limb = s->data;
    thaw_system_free(&limb->system);
    thaw_integration_free(&limb->set);
    thaw_free(limb);
    s->data = NULL;
}

static ThawStatus decide_limb(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    Limb *limb = s->data;
    ThawMap *map = NULL;
    (void)step;
    s->changed = 0; // its unknowns are always the same
    if (limb->system && s->system)
        return THAW_OK;
    drop_limb(s);
    ThawStatus status = limb_map_create(s->shape, world->model->bodies[s->index].shape->nv, limb->set, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, s->model->options.solver, &limb->system, error);
    thaw_map_free(&map);
    s->system = limb->system;
    return status == THAW_OK ? thaw_stepper_fit(s, error) : status;
}

// What was carried has turned, and its velocities with it: neither energy nor momentum is another by that.
static void commit_limb(ThawStepper *s, ThawIncrement step) {
    const LimbMap *map = (const LimbMap *)s->system->map;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double y[3], turn[3];
        if (!map->carried[i])
            continue;
        turn_lever(s->q + 3, step.h, map->r + 3 * i, y);
        thaw_v3_cross(s->q + 3, y, turn);
        for (int k = 0; k < 3; k++)
            s->v1[3 * i + k] = s->q[k] + turn[k];
    }
}

static void abandon_limb(ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    drop_limb(s);
}

static int sleep_steps_limb(const void *options) { return options ? 0 : 10; }

static double speed_of_limb(const ThawStepper *s) {
    double most = 0;
    for (int32_t i = 0; i < 3 * s->shape->nv; i++)
        most = fmax(most, fabs(s->v[i]));
    return most / s->shape->diameter;
}

static ThawHindrance hindrance_limb(const ThawStepper *s) {
    return speed_of_limb(s) > LIMB_SLOW ? THAW_HINDRANCE_FAST : THAW_HINDRANCE_NONE;
}

static int watch_limb(ThawStepper *s, int slow) {
    (void)slow;
    return speed_of_limb(s) <= LIMB_SLOW;
}

static double drift_limb(const ThawStepper *s, int slow, double *most, int *held) {
    *most = LIMB_SLOW;
    *held = 0;
    return slow > 0 ? speed_of_limb(s) : INFINITY;
}

static int32_t part_count_limb(const ThawStepper *s) { return s->data != NULL; }

static void explain_limb(const ThawWorld *world, const ThawStepper *s, int32_t element, ThawElementReport *report) {
    const int rigid = element < world->model->bodies[s->index].shape->ne;
    report->rate = 0;
    report->state = !s->data ? THAW_ELEMENT_ASLEEP : rigid ? THAW_ELEMENT_RIGID : THAW_ELEMENT_ELASTIC;
    report->part = rigid ? 0 : -1;
    report->reason = report->woken_by = rigid ? THAW_REASON_NONE : THAW_REASON_START;
}

static const ThawMethodOps limb_ops = {.create = create_limb,
                                       .free = free_limb,
                                       .decide = decide_limb,
                                       .commit = commit_limb,
                                       .abandon = abandon_limb,
                                       .sleep_steps = sleep_steps_limb,
                                       .hindrance = hindrance_limb,
                                       .watch = watch_limb,
                                       .drift = drift_limb,
                                       .part_count = part_count_limb,
                                       .explain = explain_limb};

static const ThawMethod limb_method = {.name = "limb",
                                       .summary = "muscles on a bone that carries their roots",
                                       .page = "",
                                       .sleeps = true,
                                       .takes_units = true,
                                       .has_parts = true,
                                       .ops = &limb_ops};

#endif
