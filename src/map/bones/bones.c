// SPDX-License-Identifier: Apache-2.0
#include "map/bones/bones.h"

#include <math.h>
#include <string.h>

#include "map/scatter.h"
#include "math/dense.h"
#include "math/rotation.h"

// --- what links carry ------------------------------------------------------------------------------------------------

static void lever_of(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t vertex, double arm[3]) {
    thaw_rotate(pose[tree->link_of[vertex]].R, tree->lever + 3 * (size_t)vertex, arm);
}

void thaw_bones_place(const ThawSkeleton *tree, int32_t nv, const ThawLinkPose *pose, double *x) {
    const size_t dim = (size_t)tree->dim;
    for (int32_t i = 0; i < nv; i++) {
        const int32_t l = tree->link_of[i];
        double arm[3];
        if (l < 0)
            continue;
        lever_of(tree, pose, i, arm);
        for (size_t k = 0; k < dim; k++)
            x[(size_t)i * dim + k] = pose[l].p[k] + arm[k];
    }
}

void thaw_bones_velocities(const ThawSkeleton *tree, int32_t nv, const ThawLinkPose *pose, double *v) {
    const size_t dim = (size_t)tree->dim;
    for (int32_t i = 0; i < nv; i++) {
        const int32_t l = tree->link_of[i];
        double arm[3], turn[3] = {0};
        if (l == THAW_CARRIED_BY_NONE)
            continue;
        if (l >= 0) {
            lever_of(tree, pose, i, arm);
            thaw_v3_cross(pose[l].omega, arm, turn);
        }
        for (size_t k = 0; k < dim; k++)
            v[(size_t)i * dim + k] = l < 0 ? 0 : pose[l].v[k] + turn[k];
    }
}

void thaw_bones_gather(const ThawSkeleton *tree, int32_t nv, const ThawLinkPose *pose, const double *m, const double *f,
                       double *r) {
    double sum[THAW_COLUMNS_MAX][2][3];
    memset(sum, 0, sizeof *sum * (size_t)tree->link_count);
    memset(r, 0, sizeof *r * (size_t)tree->dof_count);
    for (int32_t i = 0; i < nv; i++) {
        const int32_t l = tree->link_of[i];
        double arm[3], own[3], moment[3];
        if (l < 0)
            continue;
        thaw_v3_load(tree->dim, f + (size_t)i * (size_t)tree->dim, own);
        lever_of(tree, pose, i, arm);
        thaw_v3_cross(arm, own, moment);
        thaw_v3_add(sum[l][0], m ? m[i] : 1, own, sum[l][0]);
        thaw_v3_add(sum[l][1], m ? m[i] : 1, moment, sum[l][1]);
    }
    for (int32_t l = 0; l < tree->link_count; l++)
        thaw_tree_add_force(tree, pose, l, sum[l][0], sum[l][1], r);
}

// --- the map ---------------------------------------------------------------------------------------------------------

static const double *rates_in(const ThawBonesMap *self, const double *q) {
    return q + (size_t)self->free_blocks * (size_t)self->tree->dim;
}

// Velocities of G q, links' own in self->end.
static void apply_bones(const ThawMap *map, const double *q, const double *w, double *v) {
    ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    const size_t dim = (size_t)tree->dim;
    const double *rate = rates_in(self, q);
    for (int32_t l = 0; l < tree->link_count; l++) { // rates on the poses of G
        const ThawLink *link = &tree->links[l];
        const ThawLinkPose *base = link->parent < 0 ? NULL : &self->end[link->parent];
        ThawLinkPose *p = &self->end[l];
        double d[3], axis[3], turn[3];
        memcpy(p->p, self->pose[l].p, sizeof p->p);
        memcpy(p->R, self->pose[l].R, sizeof p->R);
        const double *a = link->kind == THAW_LINK_BALL ? rate + link->dof : link->axis;
        if (base)
            thaw_rotate(base->R, a, axis);
        else
            thaw_v3_copy(a, axis);
        thaw_v3_sub(p->p, base ? base->p : p->p, d);
        thaw_v3_cross(base ? base->omega : d, d, turn);
        for (int k = 0; k < 3; k++) {
            p->omega[k] = base ? base->omega[k] : 0;
            p->v[k] = base ? base->v[k] + turn[k] : 0;
        }
        const double speed = link->kind == THAW_LINK_BALL ? 1 : rate[link->dof];
        thaw_v3_add(link->kind == THAW_LINK_SLIDE ? p->v : p->omega, speed, axis,
                    link->kind == THAW_LINK_SLIDE ? p->v : p->omega);
    }
    for (int32_t i = 0; i < map->shape->nv; i++)
        if (tree->link_of[i] == THAW_CARRIED_BY_NONE)
            for (int k = 0; k < tree->dim; k++)
                v[(size_t)i * dim + (size_t)k] = thaw_offset(
                    self->block_of[i] >= 0 ? q + (size_t)self->block_of[i] * dim : NULL, w, (size_t)i * dim, k);
    thaw_bones_velocities(tree, map->shape->nv, self->end, v);
}

static void apply_t_bones(const ThawMap *map, const double *f, double *r) {
    const ThawBonesMap *self = thaw_bones_of(map);
    const size_t dim = (size_t)self->tree->dim;
    thaw_pick(self->tree->dim, self->free_blocks, self->vertex_of, f, r);
    memset(r + (size_t)self->free_blocks * dim, 0, sizeof *r * (size_t)self->joint_blocks * dim);
    thaw_bones_gather(self->tree, map->shape->nv, self->pose, NULL, f, r + (size_t)self->free_blocks * dim);
}

static void project_bones(const ThawMap *map, const double *w, const double *v, double *q) {
    const ThawBonesMap *self = thaw_bones_of(map);
    const size_t dim = (size_t)self->tree->dim;
    double *rate = q + (size_t)self->free_blocks * dim;
    thaw_pick_difference(self->tree->dim, self->free_blocks, self->vertex_of, v, w, q);
    memset(rate, 0, sizeof *q * (size_t)self->joint_blocks * dim);
    thaw_bones_gather(self->tree, map->shape->nv, self->pose, map->shape->mass, v, rate);
    thaw_dense_solve(self->tree->dof_count, self->factor, rate);
}

// Coordinates at the end of a step with these rates.
static void end_at(const ThawBonesMap *self, double h, const double *q, double *at) {
    const double *rate = rates_in(self, q);
    for (int32_t d = 0; d < self->tree->dof_count; d++)
        self->way[d] = h * (rate[d] - self->base_rate[d]);
    thaw_tree_move(self->tree, self->base_at, self->way, at);
}

static void advance_bones(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                          double *x1) {
    const ThawBonesMap *self = thaw_bones_of(map);
    const size_t dim = (size_t)self->tree->dim;
    end_at(self, h, q, self->stage_at);
    thaw_tree_pose(self->tree, self->stage_at, NULL, self->end);
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
            x1[at] = self->tree->link_of[i] == THAW_CARRIED_BY_NONE ? x0[at] + h * v[at] : x0[at];
    thaw_bones_place(self->tree, map->shape->nv, self->end, x1);
}

static int rows_bones(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    const int dim = tree->dim;
    const int32_t l = tree->link_of[vertex];
    ThawColumn columns[THAW_COLUMNS_MAX];
    double at[3];
    int count = 0;
    if (l == THAW_CARRIED_BY_NONE) {
        block[0] = self->block_of[vertex];
        for (int i = 0; i < dim * dim; i++)
            matrix[0][i] = i % (dim + 1) == 0;
        return block[0] >= 0;
    }
    if (l < 0)
        return 0;
    lever_of(tree, self->pose, vertex, at);
    thaw_v3_add(self->pose[l].p, 1, at, at);
    for (int c = thaw_tree_columns(tree, self->pose, l, at, columns) - 1; c >= 0; c--) {
        const int32_t b = self->free_blocks + columns[c].dof / dim;
        int k = 0;
        while (k < count && block[k] != b)
            k++;
        if (k == count) {
            memset(matrix[count], 0, sizeof *matrix);
            block[count++] = b;
        }
        for (int i = 0; i < dim; i++)
            matrix[k][dim * i + columns[c].dof % dim] = columns[c].v[i];
    }
    return count;
}

// --- the fall --------------------------------------------------------------------------------------------------------

static void take_loads(ThawBonesMap *self, const double *f_ext) {
    const ThawSkeleton *tree = self->tree;
    memset(self->fall.load, 0, sizeof *self->fall.load * (size_t)tree->link_count);
    for (int32_t i = 0; i < self->map.shape->nv; i++) {
        double f[3];
        if (tree->link_of[i] < 0)
            continue;
        ThawLinkLoad *load = &self->fall.load[tree->link_of[i]];
        thaw_v3_load(tree->dim, f_ext + (size_t)i * (size_t)tree->dim, f);
        for (int a = 0; a < 3; a++) {
            load->force[a] += f[a];
            for (int b = 0; b < 3; b++)
                load->moment[a][b] += tree->lever[3 * (size_t)i + (size_t)a] * f[b];
        }
    }
}

static int is_free(const ThawBonesMap *self) { return !self->soft && !*self->touching; }

// Poses of G, and rates there that have the momenta of the fall.
static void choose_end(ThawBonesMap *self) {
    const ThawSkeleton *tree = self->tree;
    const size_t n = (size_t)tree->dof_count;
    memcpy(self->hat, self->fall.rate, sizeof(double) * n);
    if (is_free(self)) {
        memcpy(self->base_at, self->fall.at, sizeof(double) * (size_t)tree->at_count);
        memcpy(self->base_rate, self->hat, sizeof(double) * n);
        thaw_tree_pose(tree, self->base_at, self->hat, self->pose);
        return;
    }
    memcpy(self->base_at, self->state->at, sizeof(double) * (size_t)tree->at_count);
    memset(self->base_rate, 0, sizeof(double) * n);
    for (int32_t b = 0; b < tree->bone_count; b++) {
        thaw_tree_pose(tree, self->base_at, self->hat, self->pose);
        if (thaw_tree_is_root(tree, b))
            thaw_tree_give(tree, self->pose, b, self->fall.P[b], self->fall.L[b], self->hat);
    }
    thaw_tree_pose(tree, self->base_at, self->hat, self->pose);
}

// What joints do by backward Euler: (H + Z) q^ = H q + h tau(at0), whose impulses go to the books of the fall.
static ThawStatus drive_joints(ThawBonesMap *self) {
    const ThawSkeleton *tree = self->tree;
    const ThawJointPush *drive = &self->fall.drive;
    const size_t n = (size_t)tree->dof_count;
    double *number = self->momentum, *r = self->way;
    memset(r, 0, sizeof *r * n);
    memset(self->start, 0, sizeof(double) * n);
    thaw_tree_numbers(tree, self->base_at, number);
    thaw_joint_push_add(tree, drive, 1, number, self->start, r, self->fall.motor, NULL);
    memcpy(self->square, self->inertia, sizeof(double) * n * n);
    for (size_t d = 0; d < n; d++) {
        r[d] *= self->h;
        for (size_t k = 0; k < n; k++)
            r[d] += self->inertia[d * n + k] * self->hat[k];
        self->square[d * n + d] += self->impedance[d];
    }
    if (!thaw_dense_factor((int)n, self->square))
        return THAW_DIVERGED;
    thaw_dense_solve((int)n, self->square, r);
    memcpy(self->hat, r, sizeof(double) * n);
    for (size_t d = 0; d < n; d++) {
        const double damping = drive->damping[d] - drive->lost[d], pull = drive->stiffness[d] - drive->spring[0][d];
        self->fall.motor[d] = self->h * (self->fall.motor[d] - (damping + self->h * pull) * r[d]);
        self->fall.joint[d] = -self->h * drive->lost[d] * r[d];
    }
    thaw_tree_pose(tree, self->base_at, self->hat, self->pose);
    return THAW_OK;
}

static ThawStatus update_bones(ThawMap *map, const double *x, const double *f_ext) {
    ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    const size_t n = (size_t)tree->dof_count, dim = (size_t)tree->dim;
    if (n == 0)
        return THAW_OK;
    take_loads(self, f_ext);
    self->fall.loose = !is_free(self);
    ThawStatus status = thaw_fall_go(&self->fall, self->h, self->state->at, self->state->rate);
    if (status != THAW_OK)
        return status;
    choose_end(self);
    memset(self->inertia, 0, sizeof(double) * n * n);
    thaw_tree_add_inertia(tree, self->pose, tree->mass, 1, self->inertia);
    memcpy(self->factor, self->inertia, sizeof(double) * n * n);
    if (!thaw_dense_factor((int)n, self->factor))
        return THAW_DIVERGED;
    for (size_t d = 0; d < n; d++)
        self->impedance[d] = self->h * self->fall.drive.damping[d] + self->h * self->h * self->fall.drive.stiffness[d];
    if (self->fall.loose && (status = drive_joints(self)) != THAW_OK)
        return status;
    thaw_bones_gather(tree, map->shape->nv, self->pose, NULL, f_ext, self->start);
    for (size_t d = 0; d < n; d++) {
        double sum = -self->h * self->start[d];
        for (size_t k = 0; k < n; k++)
            sum += self->inertia[d * n + k] * self->hat[k];
        self->momentum[d] = sum + self->impedance[d] * self->hat[d];
        self->way[d] = sum;
    }
    memcpy(self->start, self->way, sizeof(double) * n);
    thaw_dense_solve((int)n, self->factor, self->start);
    const size_t count = (size_t)map->shape->nv * dim;
    memcpy(self->chord, x, sizeof *x * count);
    memcpy(self->lost, x, sizeof *x * count);
    for (size_t d = 0; d < n; d++)
        self->way[d] = self->h * (self->hat[d] - self->base_rate[d]);
    thaw_tree_move(tree, self->base_at, self->way, self->stage_at);
    thaw_tree_pose(tree, self->stage_at, NULL, self->end);
    thaw_bones_place(tree, map->shape->nv, self->end, self->chord);
    thaw_bones_velocities(tree, map->shape->nv, self->pose, self->lost);
    for (size_t i = 0; i < count; i++)
        self->chord[i] = tree->link_of[i / dim] >= 0 ? (self->chord[i] - x[i]) / self->h - self->lost[i] : 0;
    return THAW_OK;
}

// --- frames ----------------------------------------------------------------------------------------------------------

static void momentum_bones(const ThawMap *map, double *r) {
    const ThawBonesMap *self = thaw_bones_of(map);
    for (int32_t d = 0; d < self->tree->dof_count; d++)
        r[(size_t)self->free_blocks * (size_t)self->tree->dim + (size_t)d] += self->momentum[d];
}

static void velocities_bones(const ThawMap *map, double *v) {
    ThawBonesMap *self = thaw_bones_of(map);
    const size_t dim = (size_t)self->tree->dim, blocks = (size_t)self->free_blocks;
    memset(self->q, 0, sizeof(double) * (blocks + (size_t)self->joint_blocks) * dim);
    memcpy(self->q + blocks * dim, self->start, sizeof(double) * (size_t)self->tree->dof_count);
    apply_bones(map, self->q, NULL, self->lost);
    for (size_t i = 0; i < (size_t)map->shape->nv * dim; i++)
        v[i] = self->tree->link_of[i / dim] == THAW_CARRIED_BY_NONE ? v[i] : self->lost[i];
}

static void chord_bones(const ThawMap *map, double h, double *w) {
    const ThawBonesMap *self = thaw_bones_of(map);
    (void)h;
    for (size_t i = 0; i < (size_t)map->shape->nv * (size_t)self->tree->dim; i++)
        w[i] += self->chord[i];
}

static void end_force_bones(const ThawMap *map, double h, const double *q, double scale, const double *f, double *r) {
    ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    double *to = r + (size_t)self->free_blocks * (size_t)tree->dim;
    const double *rate = rates_in(self, q);
    end_at(self, h, q, self->stage_at);
    thaw_tree_pose(tree, self->stage_at, NULL, self->end);
    thaw_bones_gather(tree, map->shape->nv, self->end, NULL, f, self->way);
    for (int32_t d = 0; d < tree->dof_count; d++)
        to[d] += scale * self->way[d] - self->impedance[d] * (rate[d] - self->hat[d]);
    thaw_bones_gather(tree, map->shape->nv, self->pose, NULL, f, self->way);
    for (int32_t d = 0; d < tree->dof_count; d++)
        to[d] -= scale * self->way[d];
}

static void end_velocity_bones(const ThawMap *map, double h, const double *q, double *v) {
    ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    const size_t dim = (size_t)tree->dim;
    apply_bones(map, q, NULL, self->lost);
    for (size_t i = 0; i < (size_t)map->shape->nv * dim; i++)
        v[i] -= tree->link_of[i / dim] >= 0 ? self->lost[i] : 0;
    end_at(self, h, q, self->stage_at);
    thaw_tree_pose(tree, self->stage_at, rates_in(self, q), self->end);
    thaw_bones_velocities(tree, map->shape->nv, self->end, self->lost);
    for (size_t i = 0; i < (size_t)map->shape->nv * dim; i++)
        v[i] += tree->link_of[i / dim] >= 0 ? self->lost[i] : 0;
}

static double stress_form_bones(const ThawMap *map, ThawStiffness scale, const double *q) {
    (void)map, (void)scale, (void)q;
    return 0;
}

static void stress_product_bones(const ThawMap *map, ThawStiffness scale, const double *a, double *u) {
    (void)map, (void)scale, (void)a, (void)u;
}

// What hangs on a free bone keeps the momenta that it was solved for.
static void commit_bones(ThawMap *map, double h, const double *q) {
    ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    double *rate = self->state->rate;
    memcpy(rate, rates_in(self, q), sizeof *rate * (size_t)tree->dof_count);
    for (int32_t b = 0; b < tree->bone_count; b++)
        if (thaw_tree_is_root(tree, b)) {
            apply_bones(map, q, NULL, self->lost); // into `end`
            thaw_tree_whole(tree, self->end, b, &self->fall.whole[b]);
        }
    end_at(self, h, q, self->state->at);
    for (int32_t b = 0; b < tree->bone_count; b++)
        if (thaw_tree_is_root(tree, b)) {
            thaw_tree_pose(tree, self->state->at, rate, self->end);
            thaw_tree_give(tree, self->end, b, self->fall.whole[b].P, self->fall.whole[b].L, rate);
        }
}

static void enter_bones(ThawMap *map, const ThawRigidMotion *motion, const double *x, const double *w) {
    (void)map, (void)motion, (void)x, (void)w; // its laws do not let it turn
}

static void leave_bones(ThawMap *map, const ThawRigidMotion *kept) { (void)map, (void)kept; }

static void push_bones(ThawMap *map, const double at[3], const double v[3], const double omega[3]) {
    ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    for (int32_t b = 0; b < tree->bone_count; b++) {
        double arm[3], turn[3];
        if (!thaw_tree_is_root(tree, b))
            continue;
        thaw_tree_pose(tree, self->state->at, NULL, self->end);
        thaw_v3_sub(self->end[tree->bones[b].link].p, at, arm);
        thaw_v3_cross(omega, arm, turn);
        for (int k = 0; k < tree->dim; k++)
            self->state->rate[tree->bones[b].dof + k] += v[k] + turn[k];
        for (int k = 0; k < 3 && tree->dim == 3; k++)
            self->state->rate[tree->bones[b].dof + 3 + k] += omega[k];
        if (tree->dim == 2)
            self->state->rate[tree->bones[b].dof + 2] += omega[2];
    }
}

// --- life ------------------------------------------------------------------------------------------------------------

static void free_bones(ThawMap *map) {
    ThawBonesMap *self = thaw_bones_of(map);
    thaw_fall_clear(&self->fall);
    thaw_free(self->block_of);
    thaw_free(self->vertex_of);
    thaw_free(self->frame_of);
    thaw_free(self->idle);
    thaw_free(self->pose);
    thaw_free(self->end);
    thaw_free(self->mass);
    thaw_free(self->space);
    thaw_free(self->slot);
    thaw_free(self->touches);
    thaw_free(self->aside);
    thaw_free(self->aside_vertex);
    thaw_block_pattern_free((ThawBlockPattern **)(uintptr_t)&self->pattern);
    thaw_free(self);
}

static const ThawMapOps bones_ops = {.name = "bones",
                                     .laws = THAW_MAP_FOLLOWS_STATE,
                                     .apply = apply_bones,
                                     .apply_t = apply_t_bones,
                                     .project = project_bones,
                                     .advance = advance_bones,
                                     .pattern = thaw_bones_pattern,
                                     .add_diagonal = thaw_bones_add_diagonal,
                                     .add_blocks = thaw_bones_add_blocks,
                                     .finish = thaw_bones_finish,
                                     .rows = rows_bones,
                                     .update = update_bones,
                                     .momentum = momentum_bones,
                                     .velocities = velocities_bones,
                                     .chord = chord_bones,
                                     .end_force = end_force_bones,
                                     .end_velocity = end_velocity_bones,
                                     .stress_form = stress_form_bones,
                                     .stress_product = stress_product_bones,
                                     .commit = commit_bones,
                                     .enter = enter_bones,
                                     .leave = leave_bones,
                                     .push = push_bones,
                                     .free = free_bones};

static ThawStatus reserve(ThawBonesMap *self, ThawError *error) {
    const ThawSkeleton *tree = self->tree;
    const size_t n = (size_t)tree->dof_count, a = (size_t)tree->at_count, dim = (size_t)tree->dim;
    const size_t nv = (size_t)self->map.shape->nv, blocks = (size_t)(self->map.n + 1);
    self->vertex_of = THAW_NEW(int32_t, self->free_blocks);
    self->idle = THAW_NEW(unsigned char, blocks *dim);
    self->pose = THAW_NEW(ThawLinkPose, tree->link_count);
    self->end = THAW_NEW(ThawLinkPose, tree->link_count);
    self->mass = THAW_NEW(ThawLinkMass, tree->link_count);
    double *next = self->space = THAW_NEW(double, 6 * n + 2 * a + 3 * n * n + 2 * nv * dim + blocks * dim);
    if (!self->vertex_of || !self->idle || !self->pose || !self->end || !self->mass || !next)
        return thaw_error_memory(error, "a skeleton");
    double **vectors[] = {&self->base_rate, &self->hat, &self->start, &self->momentum, &self->impedance, &self->way};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, next += n)
        *vectors[i] = next;
    self->base_at = next;
    self->stage_at = next + a;
    self->inertia = self->stage_at + a;
    self->factor = self->inertia + n * n;
    self->square = self->factor + n * n;
    self->chord = self->square + n * n;
    self->lost = self->chord + nv * dim;
    self->q = self->lost + nv * dim;
    return thaw_fall_create(tree, &self->fall, error);
}

ThawStatus thaw_map_bones_create(const ThawShape *shape, const ThawSkeleton *tree, const unsigned char *scripted,
                                 const ThawIntegrationSet *set, ThawBonesState *state, ThawMap **map,
                                 ThawError *error) {
    ThawBonesMap *self = THAW_NEW(ThawBonesMap, 1);
    *map = NULL;
    if (!self)
        return thaw_error_memory(error, "a skeleton");
    self->map = (ThawMap){.ops = &bones_ops, .shape = shape, .set = set};
    self->tree = tree;
    self->state = state;
    self->soft = tree->moves_softly;
    self->block_of = THAW_NEW(int32_t, shape->nv);
    self->frame_of = THAW_NEW(int32_t, shape->nv);
    ThawStatus status = self->block_of && self->frame_of ? THAW_OK : thaw_error_memory(error, "a skeleton");
    for (int32_t i = 0; status == THAW_OK && i < shape->nv; i++) {
        const int loose = tree->link_of[i] == THAW_CARRIED_BY_NONE;
        self->block_of[i] = loose && !scripted[i] ? self->free_blocks++ : -1;
        self->frame_of[i] = loose ? -1 : 0;
    }
    if (status == THAW_OK) {
        self->joint_blocks = (tree->dof_count + tree->dim - 1) / tree->dim;
        self->map.n = self->free_blocks + self->joint_blocks;
        self->map.row_blocks = self->joint_blocks > 0 ? self->joint_blocks : 1;
        self->map.frame_count = 1;
        self->map.frame_of = self->frame_of;
        status = reserve(self, error);
    }
    if (status == THAW_OK) {
        for (int32_t i = 0; i < shape->nv; i++)
            if (self->block_of[i] >= 0)
                self->vertex_of[self->block_of[i]] = i;
        const int32_t first = self->free_blocks * tree->dim + tree->dof_count;
        for (int32_t i = first; i < self->map.n * tree->dim; i++)
            self->idle[i] = 1;
        self->map.idle = self->idle;
        status = thaw_bones_find_slots(self, error);
    }
    if (status != THAW_OK) {
        free_bones(&self->map);
        return status;
    }
    *map = &self->map;
    return THAW_OK;
}
