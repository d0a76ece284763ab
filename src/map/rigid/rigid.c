// SPDX-License-Identifier: Apache-2.0
// The rigid map (solids paper, section 3.2, equations 7-11): elastic vertices keep their velocities as unknowns, all
// vertices of a rigid part follow from its v and omega, v_i = Gamma_i (v, omega), Gamma_i = [I, -rho_i^x], rho_i = R
// r_i.
//
// Unknowns come in blocks of dim. An elastic vertex is one. A free part is two: v, then omega (2D: omega and an idle
// one). A part held at a vertex is its omega, one held at an axis its spin and two idle ones, one held still is none.
// Elastic vertices come first, in their order, so that a map without parts is the identity map bit for bit.
//
// Parts keep momentum as their state (map/rigid/part.c): q projected from velocities conserves it, and commit_rigid
// stores what the step made of it before the part turns. Every operation is one pass over the vertices.
#include "map/rigid/rigid.h"

#include "base/assert.h"
#include "map/scatter.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static ThawRigidMap *self_of(const ThawMap *map) {
    ThawRigidMap *self = (ThawRigidMap *)map;
    THAW_ASSERT(self->topology == self->partition->topology, "a rigid map serves the topology that it was made for");
    return self;
}

// --- between q and the parts -----------------------------------------------------------------------------------------

// The part's v and omega.
void thaw_rigid_take_rates(const ThawRigidMap *self, int32_t k, const double *q, double v[3], double omega[3]) {
    const ThawPart *part = &self->partition->parts[k];
    int dim = self->map.shape->dim;
    memset(v, 0, 3 * sizeof *v);
    memset(omega, 0, 3 * sizeof *omega);
    if (part->hold == THAW_HOLD_FIXED)
        return;
    const double *block = q + (size_t)self->part_block[k] * (size_t)dim;
    if (part->hold == THAW_HOLD_FREE) {
        thaw_v3_load(dim, block, v);
        block += dim;
    }
    for (int i = 0; i < 3; i++)
        omega[i] = dim == 2                       ? (i == 2 ? block[0] : 0)
                   : part->hold == THAW_HOLD_AXIS ? block[0] * part->axis[i]
                                                  : block[i];
}

// Its dual: force and torque, or momenta; also v and omega themselves. Idle unknowns are 0.
static void give_rates(const ThawRigidMap *self, int32_t k, const double force[3], const double torque[3], double *r) {
    const ThawPart *part = &self->partition->parts[k];
    size_t dim = (size_t)self->map.shape->dim;
    if (part->hold == THAW_HOLD_FIXED)
        return;
    double *block = r + (size_t)self->part_block[k] * dim;
    if (part->hold == THAW_HOLD_FREE) {
        memcpy(block, force, dim * sizeof *block);
        block += dim;
    }
    memcpy(block, torque, dim * sizeof *block);
    if (dim == 2) {
        block[0] = torque[2];
        block[1] = 0;
    } else if (part->hold == THAW_HOLD_AXIS) {
        block[0] = thaw_v3_dot(part->axis, torque);
        block[1] = block[2] = 0;
    }
}

static void apply_rigid(const ThawMap *map, const double *q, const double *w, double *v) {
    const ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t n = 0; n < self->loose_count; n++) {
        int32_t i = self->loose[n], block = self->block_of[i];
        for (int k = 0; k < dim; k++)
            v[(size_t)i * dim + k] = thaw_offset(block >= 0 ? q + (size_t)block * dim : NULL, w, (size_t)i * dim, k);
    }
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        double rate[3], omega[3], rho[3], spin[3];
        thaw_rigid_take_rates(self, k, q, rate, omega);
        for (int32_t m = part->first; m < part->first + part->count && part->hold != THAW_HOLD_FIXED; m++) {
            int32_t i = partition->vertices[m];
            if (self->scripted[i])
                continue;
            thaw_v3_load(dim, self->rho + (size_t)i * dim, rho);
            thaw_v3_cross(omega, rho, spin);
            for (int c = 0; c < dim; c++)
                v[(size_t)i * dim + c] = (w ? w[(size_t)i * dim + c] : 0) + (rate[c] + spin[c]);
        }
    }
}

// Force and torque about the frame's origin of vectors at a part's vertices, weighted by m where that is given.
static void gather(const ThawRigidMap *self, int32_t k, const double *m, const double *f, const double *minus,
                   double force[3], double torque[3]) {
    const ThawPartition *partition = self->partition;
    const ThawPart *part = &partition->parts[k];
    int dim = self->map.shape->dim;
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    for (int32_t e = part->first; e < part->first + part->count; e++) {
        int32_t i = partition->vertices[e];
        double rho[3], fi[3], moment[3];
        if (self->scripted[i])
            continue;
        thaw_v3_load(dim, self->rho + (size_t)i * dim, rho);
        thaw_v3_load(dim, f + (size_t)i * dim, fi);
        for (int c = 0; c < dim && minus; c++)
            fi[c] -= minus[(size_t)i * dim + c];
        for (int c = 0; c < dim && m; c++)
            fi[c] *= m[i];
        thaw_v3_cross(rho, fi, moment);
        for (int c = 0; c < 3; c++) {
            force[c] += fi[c];
            torque[c] += moment[c];
        }
    }
}

static void apply_t_rigid(const ThawMap *map, const double *f, double *r) {
    const ThawRigidMap *self = self_of(map);
    thaw_pick(map->shape->dim, self->elastic, self->vertex_of, f, r);
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        double force[3], torque[3];
        if (self->part_block[k] < 0)
            continue;
        gather(self, k, NULL, f, NULL, force, torque);
        give_rates(self, k, force, torque, r);
    }
}

// Gamma_i = [I, -rho^x]; for a part that turns in a plane only, the one column that counts.
static int rows_rigid(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim, k = partition->part_of_vertex[vertex], count = 0;
    if (self->scripted[vertex] || (k >= 0 && self->part_block[k] < 0))
        return 0;
    memset(matrix, 0, 2 * sizeof *matrix);
    if (k < 0 || partition->parts[k].hold == THAW_HOLD_FREE) {
        block[count] = k < 0 ? self->block_of[vertex] : self->part_block[k];
        for (int i = 0; i < dim; i++)
            matrix[count][i * dim + i] = 1;
        count++;
    }
    if (k < 0)
        return count;
    double rho[3], turned[3];
    thaw_v3_load(dim, self->rho + (size_t)vertex * dim, rho);
    block[count] = self->part_block[k] + count;
    for (int column = 0; column < dim; column++) {
        double omega[3] = {0, 0, 0};
        if (dim == 2 && column == 0)
            omega[2] = 1;
        else if (dim == 3 && partition->parts[k].hold == THAW_HOLD_AXIS && column == 0)
            memcpy(omega, partition->parts[k].axis, sizeof omega);
        else if (dim == 3 && partition->parts[k].hold != THAW_HOLD_AXIS)
            omega[column] = 1;
        thaw_v3_cross(omega, rho, turned);
        for (int i = 0; i < dim; i++)
            matrix[count][i * dim + column] = turned[i];
    }
    return count + 1;
}

static void places_rigid(const ThawMap *map, const double *x, double *place) {
    const ThawRigidMap *self = self_of(map);
    size_t dim = (size_t)map->shape->dim;
    thaw_pick(map->shape->dim, self->elastic, self->vertex_of, x, place);
    for (int32_t k = 0; k < self->partition->part_count; k++)
        for (size_t c = 0; c < dim && self->part_block[k] >= 0; c++) {
            double *block = place + (size_t)self->part_block[k] * dim;
            block[c] = self->partition->parts[k].p[c];
            block[(size_t)(thaw_hold_blocks(self->partition->parts[k].hold) - 1) * dim + c] = NAN;
        }
}

static void project_rigid(const ThawMap *map, const double *w, const double *v, double *q) {
    const ThawRigidMap *self = self_of(map);
    size_t dim = (size_t)map->shape->dim;
    thaw_pick_difference(map->shape->dim, self->elastic, self->vertex_of, v, w, q);
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        ThawPart part = self->partition->parts[k];
        double rate[3], omega[3];
        if (self->part_block[k] < 0)
            continue;
        gather(self, k, map->shape->mass, v, w, part.P, part.L);
        thaw_part_velocity(&part, (int)dim, rate, omega);
        give_rates(self, k, rate, omega, q);
    }
}

static void advance_rigid(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                          double *x1) {
    const ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t n = 0; n < self->loose_count; n++)
        for (int c = 0; c < dim; c++) {
            size_t at = (size_t)self->loose[n] * (size_t)dim + (size_t)c;
            x1[at] = x0[at] + h * v[at];
        }
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        ThawPart next;
        double rate[3], omega[3], rho[3];
        if (part->hold == THAW_HOLD_FIXED)
            continue;
        thaw_rigid_take_rates(self, k, q, rate, omega);
        thaw_part_advance(part, dim, h, rate, omega, &next, NULL);
        for (int32_t m = part->first; m < part->first + part->count; m++) {
            int32_t i = partition->vertices[m];
            if (self->scripted[i])
                continue;
            thaw_part_rotate(&next, dim, partition->r + (size_t)m * (size_t)dim, rho);
            for (int c = 0; c < dim; c++)
                x1[(size_t)i * dim + c] = next.p[c] + rho[c];
        }
    }
}

// --- what steps ask of parts -----------------------------------------------------------------------------------------

static ThawStatus update_rigid(ThawMap *map, const double *x, const double *f_ext) {
    (void)x, (void)f_ext;
    ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        double rho[3];
        for (int32_t m = part->first; m < part->first + part->count && part->hold != THAW_HOLD_FIXED; m++) {
            int32_t i = partition->vertices[m];
            if (self->scripted[i])
                continue;
            thaw_part_rotate(part, dim, partition->r + (size_t)m * (size_t)dim, rho);
            for (int c = 0; c < dim; c++)
                self->rho[(size_t)i * (size_t)dim + (size_t)c] = rho[c];
        }
    }
    return THAW_OK;
}

static void momentum_rigid(const ThawMap *map, double *r) {
    const ThawRigidMap *self = self_of(map);
    int dim = map->shape->dim;
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        const ThawPart *part = &self->partition->parts[k];
        int blocks = thaw_hold_blocks(part->hold);
        if (blocks == 0)
            continue;
        double old[6], *block = r + (size_t)self->part_block[k] * (size_t)dim;
        memcpy(old, block, sizeof *old * (size_t)(blocks * dim));
        give_rates(self, k, part->P, part->L, r);
        for (int i = 0; i < blocks * dim; i++)
            block[i] += old[i];
    }
}

static void velocities_rigid(const ThawMap *map, double *v) { thaw_partition_velocities(self_of(map)->partition, v); }

static void chord_rigid(const ThawMap *map, double h, double *w) {
    const ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        double rate[3], omega[3], alpha[3], rho[3], spin[3], inward[3], change[3];
        thaw_part_velocity(part, dim, rate, omega);
        ThawPart gyration = *part; // alpha = J^-1 (L x omega): what a part free of torque does
        thaw_v3_cross(part->L, omega, gyration.L);
        thaw_part_velocity(&gyration, dim, rate, alpha);
        for (int32_t m = part->first; m < part->first + part->count && part->hold != THAW_HOLD_FIXED; m++) {
            int32_t i = partition->vertices[m];
            thaw_v3_load(dim, self->rho + (size_t)i * dim, rho); // 0 where a vertex is pinned
            thaw_v3_cross(omega, rho, spin);
            thaw_v3_cross(omega, spin, inward);
            thaw_v3_cross(alpha, rho, change);
            for (int c = 0; c < dim; c++)
                w[(size_t)i * dim + c] += h / 2 * (inward[c] + change[c]);
        }
    }
}

// Where a part will be, its levers turned with it, and how its turn depends on omega.
static void look_ahead(const ThawRigidMap *self, int32_t k, double h, const double *q, ThawPart *next, double slope[9],
                       double omega[3]) {
    double rate[3];
    thaw_rigid_take_rates(self, k, q, rate, omega);
    thaw_part_advance(&self->partition->parts[k], self->map.shape->dim, h, rate, omega, next, slope);
}

static void end_force_rigid(const ThawMap *map, double h, const double *q, double scale, const double *f, double *r) {
    const ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawPart next;
        double slope[9], omega[3], torque[3] = {0, 0, 0}, more[3] = {0, 0, 0}, none[3] = {0, 0, 0}, old[6];
        int blocks = thaw_hold_blocks(partition->parts[k].hold);
        if (blocks == 0)
            continue;
        look_ahead(self, k, h, q, &next, slope, omega);
        for (int32_t m = next.first; m < next.first + next.count; m++) {
            int32_t i = partition->vertices[m];
            double rho[2][3], fi[3], moment[3];
            if (self->scripted[i])
                continue;
            thaw_v3_load(dim, f + (size_t)i * dim, fi);
            thaw_v3_load(dim, self->rho + (size_t)i * dim, rho[0]);
            thaw_part_rotate(&next, dim, partition->r + (size_t)m * (size_t)dim, rho[1]);
            thaw_v3_cross(rho[1], fi, moment);
            for (int c = 0; c < 3; c++)
                torque[c] += moment[c];
            thaw_v3_cross(rho[0], fi, moment);
            for (int c = 0; c < 3; c++)
                more[c] -= moment[c];
        }
        for (int c = 0; c < 3; c++)
            more[c] = scale * (more[c] + slope[3 * c] * torque[0] + slope[3 * c + 1] * torque[1] +
                               slope[3 * c + 2] * torque[2]);
        double *block = r + (size_t)self->part_block[k] * (size_t)dim;
        memcpy(old, block, sizeof *old * (size_t)(blocks * dim));
        give_rates(self, k, none, more, r);
        for (int i = 0; i < blocks * dim; i++)
            block[i] += old[i];
    }
}

static void end_velocity_rigid(const ThawMap *map, double h, const double *q, double *v) {
    const ThawRigidMap *self = self_of(map);
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawPart next;
        double slope[9], omega[3], turn[3], rho[3], spin[2][3];
        if (thaw_hold_blocks(partition->parts[k].hold) == 0)
            continue;
        look_ahead(self, k, h, q, &next, slope, omega);
        for (int c = 0; c < 3; c++)
            turn[c] = slope[c] * omega[0] + slope[c + 3] * omega[1] + slope[c + 6] * omega[2];
        for (int32_t m = next.first; m < next.first + next.count; m++) {
            int32_t i = partition->vertices[m];
            if (self->scripted[i])
                continue;
            thaw_v3_load(dim, self->rho + (size_t)i * dim, rho);
            thaw_v3_cross(omega, rho, spin[0]);
            thaw_part_rotate(&next, dim, partition->r + (size_t)m * (size_t)dim, rho);
            thaw_v3_cross(turn, rho, spin[1]);
            for (int c = 0; c < dim; c++)
                v[(size_t)i * dim + c] += spin[1][c] - spin[0][c];
        }
    }
}

static void commit_rigid(ThawMap *map, double h, const double *q) {
    ThawRigidMap *self = self_of(map);
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        ThawPart *part = &self->partition->parts[k];
        double rate[3], omega[3];
        thaw_rigid_take_rates(self, k, q, rate, omega);
        thaw_part_advance(part, map->shape->dim, h, rate, omega, part, NULL);
    }
    update_rigid(map, NULL, NULL);
}

// Moves a part by the rigid motion nearest by mass to the way of its vertices to x.
static void move_nearest(const ThawRigidMap *self, int32_t k, const double *x) {
    const ThawPartition *partition = self->partition;
    ThawPart *part = &partition->parts[k], way = *part;
    const int dim = self->map.shape->dim;
    double P[3] = {0, 0, 0}, L[3] = {0, 0, 0}, shift[3], turn[3];
    for (int32_t e = part->first; e < part->first + part->count; e++) {
        const int32_t i = partition->vertices[e];
        double rho[3], d[3], moment[3];
        if (self->scripted[i])
            continue;
        thaw_v3_load(dim, self->rho + (size_t)i * (size_t)dim, rho);
        thaw_v3_load(dim, x + (size_t)i * (size_t)dim, d);
        for (int c = 0; c < dim; c++)
            d[c] = self->map.shape->mass[i] * (d[c] - part->p[c] - rho[c]);
        thaw_v3_cross(rho, d, moment);
        for (int c = 0; c < 3; c++) {
            P[c] += d[c];
            L[c] += moment[c];
        }
    }
    thaw_part_push(&way, P, L);
    thaw_part_velocity(&way, dim, shift, turn);
    thaw_part_advance(&way, dim, 1, shift, turn, &way, NULL);
    memcpy(part->p, way.p, sizeof part->p);
    memcpy(part->R, way.R, sizeof part->R);
}

static void enter_rigid(ThawMap *map, const ThawRigidMotion *motion, const double *x, const double *w) {
    ThawRigidMap *self = self_of(map);
    const double *D = motion->D;
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        ThawPart *part = &self->partition->parts[k];
        self->outside[k] = *part;
        if (part->hold == THAW_HOLD_FIXED)
            continue;
        for (int i = 0; i < 3; i++) {
            part->p[i] = motion->to[i];
            for (int j = 0; j < 3; j++) {
                part->p[i] += D[i + 3 * j] * (self->outside[k].p[j] - motion->from[j]);
                part->R[i + 3 * j] = 0;
                for (int l = 0; l < 3; l++)
                    part->R[i + 3 * j] += D[i + 3 * l] * self->outside[k].R[l + 3 * j];
            }
        }
        if (part->hold != THAW_HOLD_FREE) // pins stay
            memcpy(part->p, self->outside[k].p, sizeof part->p);
    }
    update_rigid(map, NULL, NULL);
    for (int32_t k = 0; k < self->partition->part_count; k++)
        if (self->partition->parts[k].hold != THAW_HOLD_FIXED)
            move_nearest(self, k, x);
    update_rigid(map, NULL, NULL);
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        double P[3], L[3];
        if (self->partition->parts[k].hold == THAW_HOLD_FIXED)
            continue;
        gather(self, k, map->shape->mass, w, NULL, P, L);
        thaw_part_push(&self->partition->parts[k], P, L);
    }
}

static void leave_rigid(ThawMap *map, const ThawRigidMotion *kept) {
    ThawRigidMap *self = self_of(map);
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        ThawPart *part = &self->partition->parts[k];
        if (part->hold == THAW_HOLD_FIXED)
            continue;
        if (kept) {
            double P[3], L[3];
            thaw_part_momenta_along(part, kept->to, kept->v, kept->omega[1], P, L);
            for (int i = 0; i < 3; i++) {
                P[i] += part->P[i];
                L[i] += part->L[i];
            }
            thaw_part_push(part, P, L);
        } else {
            *part = self->outside[k];
        }
    }
    if (!kept)
        update_rigid(map, NULL, NULL);
}

static void push_rigid(ThawMap *map, const double at[3], const double v[3], const double omega[3]) {
    thaw_partition_push(self_of(map)->partition, at, v, omega);
}

// --- life ------------------------------------------------------------------------------------------------------------

static void free_rigid(ThawMap *map) {
    ThawRigidMap *self = (ThawRigidMap *)map; // the partition may be another one by now, or gone
    thaw_free(self->scripted);
    thaw_free(self->idle);
    thaw_free(self->block_of);
    thaw_free(self->vertex_of);
    thaw_free(self->part_block);
    thaw_free(self->loose);
    thaw_free(self->rho);
    thaw_free(self->slot);
    thaw_free(self->junction_start);
    thaw_free(self->junctions);
    thaw_free(self->junction_slot);
    thaw_free(self->aside_entry);
    thaw_free(self->aside);
    thaw_free(self->outside);
    thaw_free(self);
}

enum { LAWS = THAW_MAP_KEEPS_MOMENTUM | THAW_MAP_ADVANCES_LINEARLY | THAW_MAP_CAN_BE_FULL | THAW_MAP_TURNS };

#define RIGID_OPS(blocks)                                                                                              \
    {                                                                                                                  \
        .name = "rigid", .laws = LAWS, .apply = apply_rigid, .apply_t = apply_t_rigid, .project = project_rigid,       \
        .advance = advance_rigid, .pattern = thaw_rigid_pattern, .add_diagonal = thaw_rigid_add_diagonal,              \
        .add_blocks = blocks, .free = free_rigid, .finish = thaw_rigid_finish, .add_stress = thaw_rigid_add_stress,    \
        .rows = rows_rigid, .places = places_rigid, .update = update_rigid, .momentum = momentum_rigid,                \
        .velocities = velocities_rigid, .chord = chord_rigid, .end_force = end_force_rigid,                            \
        .end_velocity = end_velocity_rigid, .stress_form = thaw_rigid_stress_form,                                     \
        .stress_product = thaw_rigid_stress_product, .commit = commit_rigid, .enter = enter_rigid,                     \
        .leave = leave_rigid, .push = push_rigid                                                                       \
    }

static const ThawMapOps RIGID_2D = RIGID_OPS(thaw_rigid_add_blocks_2d);
static const ThawMapOps RIGID_3D = RIGID_OPS(thaw_rigid_add_blocks_3d);

// Numbers the blocks: elastic vertices, then parts.
static void number_blocks(ThawRigidMap *self) {
    const ThawPartition *partition = self->partition;
    for (int32_t i = 0; i < self->map.shape->nv; i++) {
        int32_t part = partition->part_of_vertex[i];
        int free = !self->scripted[i] && part < 0;
        self->block_of[i] = free ? self->elastic : -1;
        if (free)
            self->vertex_of[self->elastic++] = i;
        if (self->scripted[i] || part < 0 || partition->parts[part].hold == THAW_HOLD_FIXED)
            self->loose[self->loose_count++] = i;
    }
    self->map.n = self->elastic;
    for (int32_t k = 0; k < partition->part_count; k++) {
        int blocks = thaw_hold_blocks(partition->parts[k].hold);
        self->part_block[k] = blocks ? self->map.n : -1;
        self->map.n += blocks;
    }
}

static void mark_idle(ThawRigidMap *self) {
    const ThawPartition *partition = self->partition;
    size_t dim = (size_t)self->map.shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawHold hold = partition->parts[k].hold;
        int turns_in_a_plane = hold != THAW_HOLD_FIXED && (dim == 2 || hold == THAW_HOLD_AXIS);
        if (turns_in_a_plane)
            memset(self->idle + (size_t)(self->part_block[k] + thaw_hold_blocks(hold) - 1) * dim + 1, 1, dim - 1);
    }
    self->map.idle = self->idle;
}

ThawStatus thaw_map_rigid_create(const ThawShape *shape, const unsigned char *scripted, ThawPartition *partition,
                                 const ThawIntegrationSet *set, ThawMap **map, ThawError *error) {
    *map = NULL;
    ThawRigidMap *self = THAW_NEW(ThawRigidMap, 1);
    if (!self)
        return thaw_error_memory(error, "the map");
    self->map = (ThawMap){.ops = shape->dim == 2 ? &RIGID_2D : &RIGID_3D, .shape = shape, .set = set};
    self->map.row_blocks = 2;
    self->map.frame_count = partition->part_count;
    self->map.frame_of = partition->part_count > 0 ? partition->part_of_vertex : NULL;
    self->partition = partition;
    self->topology = partition->topology;
    self->pairs = shape->all->nodes * (shape->all->nodes + 1) / 2;
    self->scripted = THAW_NEW(unsigned char, shape->nv);
    self->block_of = THAW_NEW(int32_t, shape->nv);
    self->vertex_of = THAW_NEW(int32_t, shape->nv);
    self->part_block = THAW_NEW(int32_t, partition->part_count);
    self->loose = THAW_NEW(int32_t, shape->nv);
    self->rho = THAW_NEW(double, (size_t)shape->nv *(size_t)shape->dim);
    self->outside = THAW_NEW(ThawPart, partition->part_count);
    ThawStatus status = THAW_OK;
    if (!self->scripted || !self->block_of || !self->vertex_of || !self->part_block || !self->loose || !self->rho ||
        !self->outside)
        status = thaw_error_memory(error, "the map");
    if (status == THAW_OK) {
        memcpy(self->scripted, scripted, (size_t)shape->nv);
        number_blocks(self);
        self->idle = THAW_NEW(unsigned char, (size_t)self->map.n *(size_t)shape->dim);
        status = self->idle ? THAW_OK : thaw_error_memory(error, "the map");
    }
    if (status == THAW_OK) {
        mark_idle(self);
        update_rigid(&self->map, NULL, NULL);
        status = thaw_rigid_find_slots(self, error);
    }
    if (status != THAW_OK) {
        free_rigid(&self->map);
        return status;
    }
    *map = &self->map;
    return THAW_OK;
}
