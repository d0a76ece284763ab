// SPDX-License-Identifier: Apache-2.0
// Springs, dampers and motors of joints, as numbers for each rate.
#include <math.h>
#include <string.h>

#include "method/skeleton/skeleton.h"

void thaw_skeleton_start_motors(ThawSkeletonData *data) {
    for (int32_t b = 0; b < data->tree->bone_count; b++) {
        const ThawBone *bone = &data->tree->bones[b];
        const ThawMotorDef *m = &bone->joint.motor;
        for (int k = 0; k < bone->numbers; k++)
            data->motor[bone->dof + k] =
                bone->numbers > 3 ? (ThawMotorNow){0} : (ThawMotorNow){m->torque[k], m->position[k], m->velocity[k],
                                                                       m->stiffness, m->damping,     m->key_count > 0};
    }
}

void thaw_skeleton_drive(const ThawStepper *s, ThawJointPush *drive) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    drive->acts = 0;
    for (int32_t b = 0; b < data->tree->bone_count; b++) {
        const ThawBone *bone = &data->tree->bones[b];
        const ThawJointDef *joint = &bone->joint;
        double aim[2][3];
        for (int end = 0; end < 2; end++)
            thaw_motor_position(&joint->motor, data->t + end * data->h, aim[end]);
        for (int k = 0; k < bone->numbers; k++) {
            const int32_t d = bone->dof + k;
            const ThawMotorNow *m = &data->motor[d];
            const int keyed = m->keyed > 0 && k < 3;
            const double speed = keyed ? (aim[1][k] - aim[0][k]) / data->h : 0;
            const double stiffness = bone->numbers > 3 ? 0 : joint->stiffness, rest = k < 3 ? joint->rest[k] : 0;
            const double damping = bone->numbers > 3 ? 0 : joint->damping;
            drive->torque[d] = m->torque + m->damping * (m->velocity + speed);
            for (int end = 0; end < 2; end++)
                drive->pull[end][d] = stiffness * rest + m->stiffness * (keyed ? aim[end][k] : m->position);
            drive->stiffness[d] = stiffness + m->stiffness;
            drive->damping[d] = damping + m->damping;
            drive->lost[d] = damping;
            drive->spring[0][d] = stiffness;
            drive->spring[1][d] = rest;
            const int damps = drive->damping[d] > 0 || m->stiffness > 0; // what is damped is to be gone
            drive->acts = damps ? 2 : drive->acts > 0 ? drive->acts : drive->stiffness[d] > 0;
        }
    }
}

double thaw_skeleton_springs(const ThawStepper *s) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    double sum = 0;
    thaw_tree_numbers(data->tree, data->state.at, data->number);
    for (int32_t b = 0; b < data->tree->bone_count; b++) {
        const ThawBone *bone = &data->tree->bones[b];
        for (int k = 0; k < bone->numbers && bone->numbers <= 3; k++) {
            const double off = data->number[bone->dof + k] - bone->joint.rest[k];
            sum += bone->joint.stiffness * off * off / 2;
        }
    }
    return sum;
}
