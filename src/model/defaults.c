// SPDX-License-Identifier: Apache-2.0
// Definitions with every field set to something that works.
#include <math.h>

#include "model/model.h"
#include "registry/method.h"

ThawWorldDef thaw_world_def_default(void) {
    ThawWorldDef def = {
        .made = THAW_MADE,
        .dim = 3,
        .gravity = {0, 0, -9.81},
        .h = 0.01,
        .integrator = THAW_INTEGRATOR_EULER,
        .projection = THAW_PROJECT_WHEN_NEEDED,
        .newton_tolerance = 1e-6,
        .newton_iterations = 50,
        .halvings = 6,
        .substeps = 32,
        .solver = THAW_SOLVER_AUTO,
        .solver_tolerance = 1e-8,
        .threads = 0,
        .ledger = 1,
        .contact = {.damping = -1, .tangent = 0.5, .tolerance = 1e-6, .iterations = 500, .edges = 1},
    };
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        if (method->in_world > 0)
            thaw_options_default(&method->options, (char *)&def + method->in_world);
    }
    return def;
}

ThawShapeDef thaw_shape_def_default(void) {
    return (ThawShapeDef){.made = THAW_MADE,
                          .name = "shape",
                          .thickness = 1,
                          .membrane = THAW_MEMBRANE_AUTO,
                          .bending_damping = -1,
                          .fibre = {1, 0, 0}};
}

ThawGroupDef thaw_group_def_default(void) { return (ThawGroupDef){.name = "all", .select = THAW_SELECT_ALL}; }

ThawBodyDef thaw_body_def_default(void) {
    return (ThawBodyDef){
        .made = THAW_MADE, .name = "body", .method = "full", .rotation = {1, 0, 0, 0}, .friction = 0.5};
}

ThawScriptDef thaw_script_def_default(void) { return (ThawScriptDef){.release = INFINITY}; }

ThawForceDef thaw_force_def_default(void) {
    return (ThawForceDef){.kind = THAW_FORCE_TOTAL, .to = INFINITY, .air = 1.2, .drag = 1, .lift = 1};
}

ThawChangeDef thaw_change_def_default(void) {
    return (ThawChangeDef){
        .kind = THAW_CHANGE_REMOVE, .group = -1, .where = thaw_group_def_default(), .within = thaw_group_def_default()};
}

ThawAttachmentDef thaw_attachment_def_default(void) {
    return (ThawAttachmentDef){.made = THAW_MADE,
                               .name = "attachment",
                               .other_body = -1,
                               .other_group = -1,
                               .obstacle = -1,
                               .length = -1,
                               .release_time = INFINITY,
                               .release_force = INFINITY};
}

ThawJointDef thaw_joint_def_default(void) {
    return (ThawJointDef){.kind = THAW_JOINT_FREE,
                          .parent = -1,
                          .axis = {0, 0, 1},
                          .second = {1, 0, 0},
                          .lower = {-INFINITY, -INFINITY, -INFINITY},
                          .upper = {INFINITY, INFINITY, INFINITY}};
}

ThawObstacleDef thaw_obstacle_def_default(void) {
    return (ThawObstacleDef){.made = THAW_MADE,
                             .name = "floor",
                             .kind = THAW_OBSTACLE_HALF_SPACE,
                             .rotation = {1, 0, 0, 0},
                             .friction = 0.5};
}
