// SPDX-License-Identifier: Apache-2.0
// Joints from outside (thaw/world.h).
#include <math.h>
#include <string.h>

#include "method/skeleton/skeleton.h"

// The bone of a body that this method moves now; NULL.
static const ThawBone *find_bone(const ThawWorld *world, int32_t body, const ThawStepper **stepper) {
    if (!world || body < 0 || body >= world->model->body_count)
        return NULL;
    const ThawStepper *s = *stepper = thaw_world_mover(world, body);
    const ThawSkeleton *tree = s->body->skeleton;
    for (int32_t b = 0; tree && s->data && s->method == &thaw_method_skeleton && b < tree->bone_count; b++)
        if (tree->bones[b].body == body)
            return &tree->bones[b];
    return NULL;
}

ThawStatus thaw_world_get_joint(const ThawWorld *world, int32_t body, ThawJointState *joint) {
    const ThawStepper *s = NULL;
    const ThawBone *bone = find_bone(world, body, &s);
    if (!bone || !joint)
        return THAW_ERROR_INPUT;
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    *joint = (ThawJointState){.kind = bone->joint.kind, .parent = bone->joint.parent, .count = bone->numbers};
    thaw_tree_numbers(data->tree, data->state.at, data->number);
    for (int k = 0; k < bone->numbers; k++) {
        const int32_t d = bone->dof + k;
        double aim[3];
        joint->position[k] = data->number[d];
        joint->velocity[k] = data->state.rate[d];
        if (k >= 3 || bone->numbers > 3)
            continue;
        const ThawMotorNow *m = &data->motor[d];
        thaw_motor_position(&bone->joint.motor, world->state.time, aim);
        joint->motor[k] = m->torque + m->stiffness * ((m->keyed > 0 ? aim[k] : m->position) - data->number[d]) +
                          m->damping * (m->velocity - data->state.rate[d]);
        joint->spring[k] =
            bone->joint.stiffness * (bone->joint.rest[k] - data->number[d]) - bone->joint.damping * data->state.rate[d];
    }
    return THAW_OK;
}

static int is_fit(const ThawMotorDef *m) {
    for (int k = 0; k < 3; k++)
        if (!isfinite(m->torque[k]) || !isfinite(m->position[k]) || !isfinite(m->velocity[k]))
            return 0;
    return m->stiffness >= 0 && isfinite(m->stiffness) && m->damping >= 0 && isfinite(m->damping);
}

ThawStatus thaw_world_set_motor(ThawWorld *world, int32_t body, const ThawMotorDef *motor, ThawError *error) {
    const ThawStepper *s = NULL;
    const ThawBone *bone = find_bone(world, body, &s);
    if (!bone || bone->numbers > 3 || bone->numbers == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_set_motor: body is %d; allowed: a bone whose joint has one to three numbers",
                              (int)body);
    if (!motor || motor->key_count != 0 || !is_fit(motor))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_set_motor: body %d (%s): %s; allowed: finite numbers, stiffness and damping "
                              ">= 0, no keys",
                              (int)body, world->model->bodies[body].name,
                              !motor                  ? "motor is NULL"
                              : motor->key_count != 0 ? "it has keys"
                                                      : "a number is not");
    for (int k = 0; k < bone->numbers; k++)
        thaw_skeleton_data(s)->motor[bone->dof + k] = (ThawMotorNow){
            motor->torque[k], motor->position[k], motor->velocity[k], motor->stiffness, motor->damping, 0};
    return THAW_OK;
}
