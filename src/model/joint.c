// SPDX-License-Identifier: Apache-2.0
#include "model/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"

static const char *const kind_names[] = {
    [THAW_JOINT_FREE] = "free",           [THAW_JOINT_FIXED] = "fixed",         [THAW_JOINT_REVOLUTE] = "revolute",
    [THAW_JOINT_UNIVERSAL] = "universal", [THAW_JOINT_SPHERICAL] = "spherical", [THAW_JOINT_PRISMATIC] = "prismatic"};
static const double ACROSS = 1e-6; // of a right angle: axes of a universal joint
enum { DEEPEST = 64, MOST_DOFS = 400 };

static int numbers_of(ThawJointKind kind, int dim) {
    static const int numbers[] = {6, 0, 1, 2, 3, 1};
    return kind == THAW_JOINT_FREE && dim == 2 ? 3 : numbers[kind];
}

// --- what is wrong with a definition ---------------------------------------------------------------------------------

static ThawStatus check_motor(const char *where, const ThawMotorDef *m, ThawError *error) {
    ThawStatus status = thaw_check_vector(where, "motor torque", m->torque, 3, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "motor position", m->position, 3, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "motor velocity", m->velocity, 3, error);
    if (status != THAW_OK)
        return status;
    if (!(m->stiffness >= 0) || !isfinite(m->stiffness) || !(m->damping >= 0) || !isfinite(m->damping))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: motor stiffness and damping are %g and %g; allowed: finite numbers >= 0", where,
                              m->stiffness, m->damping);
    if (m->key_count < 0 || (m->key_count > 0 && !m->keys))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: the motor has %d keys, or its array is NULL", where,
                              (int)m->key_count);
    for (int32_t k = 0; k < m->key_count; k++) {
        if (!(m->keys[k].time >= 0) || !isfinite(m->keys[k].time) ||
            (k > 0 && !(m->keys[k].time > m->keys[k - 1].time)))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: motor key %d: time is %g; allowed: >= 0, and after the key before", where,
                                  (int)k, m->keys[k].time);
        status = thaw_check_vector(where, "a motor key's position", m->keys[k].position, 3, error);
        if (status != THAW_OK)
            return status;
    }
    return THAW_OK;
}

static ThawStatus check_limits(const char *where, const ThawJointDef *joint, int numbers, ThawError *error) {
    const int swings = joint->kind == THAW_JOINT_SPHERICAL;
    if (joint->kind == THAW_JOINT_FREE)
        return THAW_OK;
    if (swings && !(joint->upper[0] > 0 && (joint->upper[0] < M_PI || isinf(joint->upper[0]))))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: joint may swing by %g rad; allowed: between 0 and pi, or infinity for no limit",
                              where, joint->upper[0]);
    for (int k = swings; k < (swings ? 2 : numbers); k++)
        if (!(joint->lower[k] <= 0) || !(joint->upper[k] >= 0) || !(joint->lower[k] < joint->upper[k]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: joint limits are %g to %g; allowed: ascending, with 0, as the bones are placed, "
                                  "between them",
                                  where, joint->lower[k], joint->upper[k]);
    return THAW_OK;
}

static ThawStatus check_axes(const char *where, const ThawJointDef *joint, int dim, ThawError *error) {
    const int needs = joint->kind == THAW_JOINT_PRISMATIC || joint->kind == THAW_JOINT_UNIVERSAL ||
                      (joint->kind == THAW_JOINT_REVOLUTE && dim == 3) || joint->kind == THAW_JOINT_SPHERICAL;
    double a[3], b[3];
    if (!needs)
        return THAW_OK;
    ThawStatus status = thaw_check_vector(where, "joint axis", joint->axis, dim, error);
    if (status != THAW_OK)
        return status;
    thaw_v3_load(dim, joint->axis, a);
    if (!(thaw_v3_unit(a) > 0))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: joint axis is 0; allowed: a direction%s", where,
                              dim == 2 ? " in the plane" : "");
    if (joint->kind != THAW_JOINT_UNIVERSAL)
        return THAW_OK;
    status = thaw_check_vector(where, "second joint axis", joint->second, 3, error);
    thaw_v3_copy(joint->second, b);
    if (status == THAW_OK && !(thaw_v3_unit(b) > 0 && fabs(thaw_v3_dot(a, b)) < ACROSS))
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: second joint axis is (%g, %g, %g); allowed: a direction across the first", where,
                                joint->second[0], joint->second[1], joint->second[2]);
    return status;
}

// The bone that a joint hangs on, by the index of its body; -1: there is none of that index before it.
static int32_t find_bone(const ThawSkeleton *skeleton, int32_t body) {
    for (int32_t b = 0; b < skeleton->bone_count; b++)
        if (skeleton->bones[b].body == body)
            return b;
    return -1;
}

static ThawStatus check_joint(const char *where, const ThawSkeleton *skeleton, const ThawJointDef *joint,
                              ThawError *error) {
    const int dim = skeleton->dim;
    if ((int)joint->kind < 0 || joint->kind >= THAW_JOINT_KIND_COUNT)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: joint kind is %d; allowed: 0 to %d", where,
                              (int)joint->kind, THAW_JOINT_KIND_COUNT - 1);
    if (dim == 2 && (joint->kind == THAW_JOINT_UNIVERSAL || joint->kind == THAW_JOINT_SPHERICAL))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: joint is \"%s\"; allowed in the plane: \"free\", \"fixed\", \"revolute\" or "
                              "\"prismatic\"",
                              where, kind_names[joint->kind]);
    if (joint->parent < -1 || (joint->parent >= 0 && find_bone(skeleton, joint->parent) < 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: joint parent is body %d; allowed: -1 (the world), or a bone before it of the same "
                              "unit",
                              where, (int)joint->parent);
    if (joint->kind == THAW_JOINT_FREE && joint->parent >= 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: a free joint to body %d; allowed: to the world (-1) only",
                              where, (int)joint->parent);
    if (!(joint->stiffness >= 0) || !isfinite(joint->stiffness) || !(joint->damping >= 0) || !isfinite(joint->damping))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: joint stiffness and damping are %g and %g; allowed: finite numbers >= 0", where,
                              joint->stiffness, joint->damping);
    ThawStatus status = thaw_check_vector(where, "joint anchor", joint->anchor, dim, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "joint rest", joint->rest, 3, error);
    if (status == THAW_OK)
        status = check_axes(where, joint, dim, error);
    if (status == THAW_OK)
        status = check_limits(where, joint, numbers_of(joint->kind, dim), error);
    if (status == THAW_OK)
        status = check_motor(where, &joint->motor, error);
    const ThawMotorDef *m = &joint->motor;
    const double pushes = fabs(m->torque[0]) + fabs(m->torque[1]) + fabs(m->torque[2]) + m->stiffness + m->damping +
                          joint->stiffness + joint->damping + m->key_count;
    if (status == THAW_OK && joint->kind == THAW_JOINT_FREE && pushes > 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: a free joint with a spring, a damper or a motor; allowed: none, for there is "
                                "nothing to push against",
                                where);
    return status;
}

// What no bone, and nothing that bones carry, may have.
static ThawStatus check_body(const char *where, const ThawBodyDef *def, ThawError *error) {
    if (def->joint && def->carried_count > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: it is a bone and is carried; allowed: either", where);
    if (def->joint && def->script_count > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: it is a bone with pins or scripts; allowed: a joint to the world", where);
    if (def->change_count > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: its shape changes; allowed: shapes of a skeleton's bodies stay", where);
    if (def->restitution > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: restitution is %g; allowed in a skeleton: 0", where,
                              def->restitution);
    if (def->at_rest)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: it starts at rest; allowed in a skeleton: awake", where);
    if (def->carried_count < 0 || (def->carried_count > 0 && !def->carried))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: it is carried by %d bones, or its array is NULL", where,
                              (int)def->carried_count);
    return THAW_OK;
}

// --- trees -----------------------------------------------------------------------------------------------------------

static void add_link(ThawSkeleton *skeleton, ThawLinkKind kind, const double *axis, const double at[3],
                     double (*place)[3], ThawBone *bone) {
    ThawLink *link = &skeleton->links[skeleton->link_count];
    const int32_t parent = bone->link;
    *link = (ThawLink){.kind = kind,
                       .parent = parent,
                       .dof = skeleton->dof_count,
                       .at = skeleton->at_count,
                       .bone = skeleton->bone_count,
                       .number = skeleton->dof_count - bone->dof};
    for (int k = 0; k < 3; k++) {
        link->axis[k] = axis ? axis[k] : 0;
        link->origin[k] = at[k] - (parent < 0 ? 0 : place[parent][k]);
    }
    thaw_v3_unit(link->axis);
    thaw_v3_copy(at, place[skeleton->link_count]);
    skeleton->dof_count += kind == THAW_LINK_BALL ? 3 : 1;
    skeleton->at_count += kind == THAW_LINK_BALL ? 9 : 1;
    bone->link = skeleton->link_count++;
    bone->count++;
}

static void centre_of(const ThawModelBody *body, int dim, double centre[3]) {
    const ThawShape *shape = body->shape;
    double x[3] = {0}, sum[3] = {0};
    for (int32_t i = 0; i < shape->nv; i++) {
        thaw_body_place(body, dim, shape->X + (size_t)i * (size_t)dim, x);
        thaw_v3_add(sum, shape->mass[i] / shape->total_mass, x, sum);
    }
    thaw_v3_load(dim, sum, centre);
}

// place: of each link, where it is at the start.
static ThawStatus add_bone(const ThawModel *model, const ThawBodyDef *def, int32_t body, ThawSkeleton *skeleton,
                           double (*place)[3], ThawError *error) {
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int dim = skeleton->dim;
    const ThawJointDef *joint = def->joint;
    ThawBone *bone = &skeleton->bones[skeleton->bone_count];
    double at[3];
    *bone = (ThawBone){.body = body, .parent = -1, .joint = *joint, .first = skeleton->link_count};
    if (joint->parent >= 0)
        bone->parent = find_bone(skeleton, joint->parent);
    bone->link = bone->parent < 0 ? -1 : skeleton->bones[bone->parent].link;
    bone->dof = skeleton->dof_count;
    bone->numbers = numbers_of(joint->kind, dim);
    bone->joint.motor.keys = NULL;
    bone->joint.motor.key_count = 0;
    thaw_v3_load(dim, joint->anchor, at);
    if (joint->kind == THAW_JOINT_FREE) {
        centre_of(&model->bodies[body], dim, at);
        for (int k = 0; k < dim; k++)
            add_link(skeleton, THAW_LINK_SLIDE, axes[k], at, place, bone);
        add_link(skeleton, dim == 2 ? THAW_LINK_HINGE : THAW_LINK_BALL, dim == 2 ? axes[2] : NULL, at, place, bone);
    } else if (joint->kind == THAW_JOINT_REVOLUTE || joint->kind == THAW_JOINT_UNIVERSAL) {
        add_link(skeleton, THAW_LINK_HINGE, dim == 2 ? axes[2] : joint->axis, at, place, bone);
        if (joint->kind == THAW_JOINT_UNIVERSAL)
            add_link(skeleton, THAW_LINK_HINGE, joint->second, at, place, bone);
    } else if (joint->kind == THAW_JOINT_SPHERICAL) {
        add_link(skeleton, THAW_LINK_BALL, NULL, at, place, bone);
    } else if (joint->kind == THAW_JOINT_PRISMATIC) {
        double axis[3];
        thaw_v3_load(dim, joint->axis, axis);
        add_link(skeleton, THAW_LINK_SLIDE, axis, at, place, bone);
    }
    const ThawMotorDef *m = &def->joint->motor;
    skeleton->bone_count++;
    if (m->key_count == 0)
        return THAW_OK;
    ThawMotorKey *keys = THAW_NEW(ThawMotorKey, m->key_count);
    if (!keys)
        return thaw_error_memory(error, "a motor's keys");
    memcpy(keys, m->keys, sizeof *keys * (size_t)m->key_count);
    bone->joint.motor.keys = keys;
    bone->joint.motor.key_count = m->key_count;
    return THAW_OK;
}

static int hangs_free(const ThawSkeleton *skeleton, int32_t b) {
    while (skeleton->bones[b].parent >= 0)
        b = skeleton->bones[b].parent;
    return skeleton->bones[b].joint.kind == THAW_JOINT_FREE;
}

// --- what links carry ------------------------------------------------------------------------------------------------

static void carry(const ThawModelBody *body, int32_t vertex, int32_t link, const double (*place)[3],
                  ThawSkeleton *skeleton) {
    const int dim = skeleton->dim;
    const int32_t at = body->unit_vertex + vertex;
    double x[3] = {0}, *lever = skeleton->lever + 3 * (size_t)at;
    thaw_body_place(body, dim, body->shape->X + (size_t)vertex * (size_t)dim, x);
    skeleton->link_of[at] = link;
    for (int k = 0; k < 3; k++)
        lever[k] = (k < dim ? x[k] : 0) - (link < 0 ? 0 : place[link][k]);
}

static ThawStatus carry_soft(const char *where, const ThawModelBody *body, const ThawBodyDef *def,
                             const double (*place)[3], ThawSkeleton *skeleton, ThawError *error) {
    skeleton->moves_softly = 1;
    for (int32_t c = 0; c < def->carried_count; c++) {
        const ThawCarriedDef *carried = &def->carried[c];
        const int32_t b = find_bone(skeleton, carried->bone);
        if (b < 0)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: carried %d: bone is body %d; allowed: a bone before it of the same unit", where,
                                  (int)c, (int)carried->bone);
        if (carried->group < 0 || carried->group >= body->shape->group_count)
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: carried %d: group is %d; allowed: 0 to %d", where,
                                  (int)c, (int)carried->group, (int)body->shape->group_count - 1);
        const ThawGroup *group = &body->shape->groups[carried->group];
        for (int32_t k = 0; k < group->count; k++) {
            const int32_t at = body->unit_vertex + group->vertices[k];
            if (skeleton->link_of[at] != THAW_CARRIED_BY_NONE && skeleton->link_of[at] != skeleton->bones[b].link)
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "%s: carried %d: vertex %d of group \"%s\" is carried by another bone already; "
                                      "allowed: by one",
                                      where, (int)c, (int)body->shape->vertex_user[group->vertices[k]], group->name);
            carry(body, group->vertices[k], skeleton->bones[b].link, place, skeleton);
        }
        for (int32_t k = 0; k < body->script_count; k++)
            for (int32_t i = 0; i < body->scripts[k].group->count; i++)
                if (skeleton->link_of[body->unit_vertex + body->scripts[k].group->vertices[i]] != THAW_CARRIED_BY_NONE)
                    return thaw_error_set(error, THAW_ERROR_INPUT,
                                          "%s: script %d holds a vertex that a bone carries; allowed: either", where,
                                          (int)k);
    }
    return THAW_OK;
}

static void weigh(const ThawShape *shape, ThawSkeleton *skeleton) {
    for (int32_t i = 0; i < shape->nv; i++) {
        const int32_t l = skeleton->link_of[i];
        const double *r = skeleton->lever + 3 * (size_t)i, m = shape->mass[i];
        if (l < 0)
            continue;
        skeleton->mass[l].mass += m;
        thaw_v3_add(skeleton->mass[l].first, m, r, skeleton->mass[l].first);
        thaw_v3_add_inertia(m, r, skeleton->mass[l].second);
    }
}

// Every joint must move something that resists: else its equation has no inertia.
static ThawStatus check_masses(const ThawModel *model, const ThawSkeleton *skeleton, ThawError *error) {
    for (int32_t b = 0; b < skeleton->bone_count; b++) {
        const ThawModelBody *body = &model->bodies[skeleton->bones[b].body];
        if (!(body->shape->total_mass > 0))
            return thaw_error_set(error, THAW_ERROR_INPUT, "body %d (%s): a bone of %g kg; allowed: > 0",
                                  (int)skeleton->bones[b].body, body->name, body->shape->total_mass);
    }
    if (skeleton->dof_count > MOST_DOFS)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "body %d (%s): its skeleton has %d degrees of freedom; allowed: at most %d",
                              (int)skeleton->bones[0].body, model->bodies[skeleton->bones[0].body].name,
                              (int)skeleton->dof_count, MOST_DOFS);
    return THAW_OK;
}

// --- compiling -------------------------------------------------------------------------------------------------------

static ThawStatus reserve(const ThawModelBody *moved, int32_t bodies, ThawSkeleton *skeleton, ThawError *error) {
    skeleton->bones = THAW_NEW(ThawBone, bodies);
    skeleton->links = THAW_NEW(ThawLink, 4 * (size_t)bodies);
    skeleton->mass = THAW_NEW(ThawLinkMass, 4 * (size_t)bodies);
    skeleton->link_of = THAW_NEW(int32_t, moved->shape->nv);
    skeleton->lever = THAW_NEW(double, 3 * (size_t)moved->shape->nv);
    if (!skeleton->bones || !skeleton->links || !skeleton->mass || !skeleton->link_of || !skeleton->lever)
        return thaw_error_memory(error, "a skeleton");
    for (int32_t i = 0; i < moved->shape->nv; i++)
        skeleton->link_of[i] = THAW_CARRIED_BY_NONE;
    return THAW_OK;
}

static ThawStatus compile_bodies(const ThawWorldDef *def, const ThawModel *model, int32_t first, int32_t count,
                                 ThawSkeleton *skeleton, double (*place)[3], ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = first; i < first + count && status == THAW_OK; i++) {
        const ThawBodyDef *body = &def->bodies[i];
        char where[160];
        snprintf(where, sizeof where, "body %d (%.80s)", (int)i, model->bodies[i].name);
        status = check_body(where, body, error);
        if (status == THAW_OK && body->joint) {
            status = check_joint(where, skeleton, body->joint, error);
            if (status == THAW_OK)
                status = add_bone(model, body, i, skeleton, place, error);
            for (int32_t v = 0; v < model->bodies[i].shape->nv && status == THAW_OK; v++)
                carry(&model->bodies[i], v, skeleton->bones[skeleton->bone_count - 1].link, place, skeleton);
        } else if (status == THAW_OK) {
            status = carry_soft(where, &model->bodies[i], body, place, skeleton, error);
        }
    }
    return status;
}

static ThawStatus compile_skeleton(const ThawWorldDef *def, ThawModel *model, int32_t first, int32_t count,
                                   ThawError *error) {
    ThawModelBody *moved = thaw_model_moved(model, first);
    ThawSkeleton *skeleton = moved->skeleton = THAW_NEW(ThawSkeleton, 1);
    double(*place)[3] = thaw_alloc(4 * (size_t)count, sizeof *place);
    ThawStatus status =
        skeleton && place ? reserve(moved, count, skeleton, error) : thaw_error_memory(error, "a skeleton");
    if (status == THAW_OK) {
        skeleton->dim = model->dim;
        status = compile_bodies(def, model, first, count, skeleton, place, error);
    }
    thaw_free(place);
    if (status == THAW_OK && skeleton->bone_count == 0)
        status =
            thaw_error_set(error, THAW_ERROR_INPUT,
                           "body %d (%s): its method is \"%s\", and its unit has no bone; allowed: bodies with a "
                           "joint, and those that are carried by them",
                           (int)first, model->bodies[first].name, thaw_method_at(model->bodies[first].method)->name);
    if (status != THAW_OK)
        return status;
    weigh(moved->shape, skeleton);
    for (int32_t b = 0; b < skeleton->bone_count; b++) {
        skeleton->anchored |= !hangs_free(skeleton, b);
        model->bodies[skeleton->bones[b].body].is_bone = 1;
    }
    return check_masses(model, skeleton, error);
}

ThawStatus thaw_joints_compile(const ThawWorldDef *def, ThawModel *model, ThawError *error) {
    for (int32_t i = 0; i < model->body_count; i++) {
        const ThawMethod *method = thaw_method_at(model->bodies[i].method);
        if ((def->bodies[i].joint || def->bodies[i].carried_count != 0) && !method->moves_bones)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "body %d (%s): it has a joint or is carried by a bone, and its method is \"%s\"; "
                                  "allowed: \"skeleton\"",
                                  (int)i, model->bodies[i].name, method->name);
        if (!method->moves_bones || model->bodies[i].moved == 0)
            continue;
        ThawStatus status = compile_skeleton(def, model, i, model->bodies[i].moved, error);
        if (status != THAW_OK)
            return status;
    }
    return THAW_OK;
}

ThawStatus thaw_joints_check_method(const char *where, const ThawModelBody *moved, const ThawMethod *method,
                                    ThawError *error) {
    if ((moved->skeleton != NULL) == method->moves_bones)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: the method \"%s\" %s; allowed: %s", where, method->name,
                          moved->skeleton ? "moves no bones" : "moves bones and nothing else",
                          moved->skeleton ? "that of the definition" : "others");
}

static void free_skeleton(ThawSkeleton *skeleton) {
    for (int32_t b = 0; skeleton && skeleton->bones && b < skeleton->bone_count; b++)
        thaw_free((void *)(uintptr_t)skeleton->bones[b].joint.motor.keys);
    if (skeleton) {
        thaw_free(skeleton->bones);
        thaw_free(skeleton->links);
        thaw_free(skeleton->mass);
        thaw_free(skeleton->link_of);
        thaw_free(skeleton->lever);
    }
    thaw_free(skeleton);
}

void thaw_joints_clear(ThawModel *model) {
    for (int32_t i = 0; i < model->body_count; i++)
        free_skeleton(model->bodies[i].skeleton);
    for (int32_t i = 0; i < model->unit_count; i++)
        free_skeleton(model->units[i].skeleton);
}

void thaw_motor_position(const ThawMotorDef *motor, double t, double position[3]) {
    int32_t k = 0;
    thaw_v3_copy(motor->position, position);
    if (motor->key_count == 0)
        return;
    while (k < motor->key_count && motor->keys[k].time <= t)
        k++;
    if (k == 0 || k == motor->key_count) {
        thaw_v3_copy(motor->keys[k == 0 ? 0 : k - 1].position, position);
        return;
    }
    const ThawMotorKey *a = &motor->keys[k - 1], *b = &motor->keys[k];
    const double share = (t - a->time) / (b->time - a->time);
    for (int i = 0; i < 3; i++)
        position[i] = a->position[i] + share * (b->position[i] - a->position[i]);
}

static const ThawBone *bone_of(const ThawSkeleton *skeleton, int32_t body) {
    const int32_t b = find_bone(skeleton, body);
    return b < 0 ? NULL : &skeleton->bones[b];
}

int thaw_joints_part(const ThawModel *model, int32_t a, int32_t b) {
    if (a < 0 || b < 0 || a == b || model->bodies[a].mover != model->bodies[b].mover)
        return 0;
    const ThawSkeleton *skeleton = thaw_model_moved(model, a)->skeleton;
    if (!skeleton)
        return 0;
    const ThawBone *p = bone_of(skeleton, a), *q = bone_of(skeleton, b);
    if (!p || !q) // what is soft lies on bones, and they would push it off where they carry it
        return p || q;
    return (q->parent >= 0 && &skeleton->bones[q->parent] == p) || (p->parent >= 0 && &skeleton->bones[p->parent] == q);
}
