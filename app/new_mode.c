// SPDX-License-Identifier: Apache-2.0
// How long the first mode of a body takes that `thaw new` makes: computed, as the doctor does (doctor/scale.c), with
// the part of it held that the scene will hold. A factor and a dozen solves. An estimate from its extents would take a
// coiled spring for a block; it serves where the mesh is so large that computing takes seconds, or is one that no run
// would take, which the doctor tells of later.
#include <math.h>

#include "base/base.h"
#include "new.h"
#include "oracle/scale.h"

static double estimate(const AppPlan *plan, const AppPiece *p) {
    const double size[3] = {p->hi[0] - p->lo[0], p->hi[1] - p->lo[1], p->hi[2] - p->lo[2]};
    return thaw_period_estimate(&plan->material->def, p->mesh->dim, size, plan->stance != APP_DROP);
}

void app_plan_held(const AppPlan *plan, const AppPiece *p, double point[3], double normal[3]) {
    const int up = p->mesh->dim - 1;
    for (int k = 0; k < 3; k++)
        point[k] = normal[k] = 0;
    point[up] = plan->stance == APP_HANG ? p->hi[up] - p->band : p->lo[up] + p->band;
    normal[up] = plan->stance == APP_HANG ? 1 : -1;
}

ThawStatus app_plan_period(const AppPlan *plan, AppPiece *p, ThawError *error) {
    ThawGroupDef group = thaw_group_def_default();
    ThawScriptDef pin = thaw_script_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawWorldDef world = thaw_world_def_default();
    ThawModel *model = NULL;
    ThawTasks *tasks = NULL;
    ThawScale scale = {0};
    p->period = estimate(plan, p);
    if (p->mesh->element_count > THAW_MODE_ELEMENTS)
        return THAW_OK;
    group.name = "held";
    group.select = THAW_SELECT_PLANE_SIDE;
    app_plan_held(plan, p, group.a, group.b);
    shape.name = body.name = p->name;
    shape.mesh = p->mesh;
    shape.thickness = plan->sheet ? plan->thickness : shape.thickness;
    shape.groups = &group;
    shape.group_count = plan->stance != APP_DROP;
    body.scripts = &pin;
    body.script_count = plan->stance != APP_DROP;
    world.dim = p->mesh->dim;
    world.materials = &plan->material->def;
    world.material_count = 1;
    world.shapes = &shape;
    world.shape_count = 1;
    world.bodies = &body;
    world.body_count = 1;
    ThawStatus status = thaw_model_create(&world, &model, error);
    if (!status)
        status = thaw_tasks_create(1, &tasks, error);
    if (!status)
        status = thaw_body_find_scale(model, &model->bodies[0], model->options.h / 2, NULL, 0, tasks, &scale, error);
    if (!status && scale.known && scale.omega > 0)
        p->period = 2 * M_PI / scale.omega;
    if (plan->sheet)
        p->period = fmin(p->period, 1); // cloth hardly swings by its stiffness
    thaw_tasks_free(&tasks);
    thaw_model_free(&model);
    return status == THAW_ERROR_MEMORY ? status : THAW_OK;
}
