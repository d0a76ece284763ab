// SPDX-License-Identifier: Apache-2.0
// The rows of rigid parts in G'KG: stress inside a part resists its turning, by B of map/rigid/part_stress.c. Newton's
// potential damps with alpha1 B, too; to a product over vertices it is the forces m_i (beta x rho_i) whose torque is B
// omega, with omega the part of the velocities that turns. Nothing here costs more than a pass over the vertices of
// parts.
#include <string.h>

#include "map/rigid/rigid.h"
#include "math/vec3.h"

// B weighted, in the part's frame. It resists as it is: map/rigid/part_stress.c leaves out what would not.
static void weigh(const ThawRigidMap *self, int32_t k, ThawStiffness scale, double B[9]) {
    double(*stress)[9] = self->partition->stress[k];
    for (int i = 0; i < 9; i++)
        B[i] = scale.stiffness * stress[0][i] + scale.damping * stress[1][i];
}

void thaw_rigid_add_stress(const ThawMap *map, ThawStiffness scale, ThawBlockMatrix *A) {
    const ThawRigidMap *self = (const ThawRigidMap *)map;
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        ThawMoments moments = {0};
        if (self->part_block[k] < 0)
            continue;
        weigh(self, k, scale, moments.second);
        thaw_rigid_add_moments(self, k, &moments, 1, A);
    }
}

// B omega, in world axes.
static void resist(const ThawRigidMap *self, int32_t k, ThawStiffness scale, const double omega[3], double torque[3]) {
    double B[9], turned[9];
    weigh(self, k, scale, B);
    thaw_part_turned(&self->partition->parts[k], B, turned);
    for (int i = 0; i < 3; i++)
        torque[i] = turned[i] * omega[0] + turned[i + 3] * omega[1] + turned[i + 6] * omega[2];
}

double thaw_rigid_stress_form(const ThawMap *map, ThawStiffness scale, const double *q) {
    const ThawRigidMap *self = (const ThawRigidMap *)map;
    double sum = 0;
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        double v[3], omega[3], torque[3];
        if (self->part_block[k] < 0)
            continue;
        thaw_rigid_take_rates(self, k, q, v, omega);
        resist(self, k, scale, omega, torque);
        sum += thaw_v3_dot(omega, torque);
    }
    return sum;
}

void thaw_rigid_stress_product(const ThawMap *map, ThawStiffness scale, const double *a, double *u) {
    const ThawRigidMap *self = (const ThawRigidMap *)map;
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawPart part = partition->parts[k]; // whose momenta are those of the vectors in question
        double v[3], omega[3], beta[3];
        if (self->part_block[k] < 0)
            continue;
        memset(part.P, 0, sizeof part.P);
        memset(part.L, 0, sizeof part.L);
        for (int32_t m = part.first; m < part.first + part.count; m++) {
            int32_t i = partition->vertices[m];
            double rho[3] = {0}, ai[3] = {0}, moment[3];
            memcpy(rho, self->rho + (size_t)i * (size_t)dim, sizeof *rho * (size_t)dim);
            memcpy(ai, a + (size_t)i * (size_t)dim, sizeof *ai * (size_t)dim);
            thaw_v3_cross(rho, ai, moment);
            for (int c = 0; c < 3 && !self->scripted[i]; c++)
                part.L[c] += map->shape->mass[i] * moment[c];
        }
        thaw_part_velocity(&part, dim, v, omega);
        resist(self, k, scale, omega, part.L);
        thaw_part_velocity(&part, dim, v, beta);
        for (int32_t m = part.first; m < part.first + part.count; m++) {
            int32_t i = partition->vertices[m];
            double rho[3] = {0}, push[3];
            memcpy(rho, self->rho + (size_t)i * (size_t)dim, sizeof *rho * (size_t)dim);
            thaw_v3_cross(beta, rho, push);
            for (int c = 0; c < dim && !self->scripted[i]; c++)
                u[(size_t)i * (size_t)dim + (size_t)c] += map->shape->mass[i] * push[c];
        }
    }
}
