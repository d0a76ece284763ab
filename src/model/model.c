// SPDX-License-Identifier: Apache-2.0
// Definition -> model. Every field is validated here, whoever filled it in (a scene file or a program): an error names
// the field, its value and what is allowed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/attachment.h"
#include "model/change.h"
#include "model/hinges.h"
#include "model/joint.h"
#include "model/model.h"
#include "model/sheet.h"

ThawStatus thaw_check_vector(const char *where, const char *field, const double *x, int count, ThawError *error) {
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s[%d] is %g; allowed: a finite number", where, field,
                                  i, x[i]);
    return THAW_OK;
}

ThawStatus thaw_check_made(const char *where, uint32_t made, const char *function, ThawError *error) {
    if (made == THAW_MADE)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT,
                          "%s: the definition was not made by %s; allowed: one that was, and is then changed", where,
                          function);
}

ThawStatus thaw_check_restitution(const char *where, double restitution, ThawError *error) {
    if (restitution >= 0 && restitution <= 1)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: restitution is %g; allowed: 0 to 1", where, restitution);
}

ThawStatus thaw_check_rotation(const char *where, int dim, const double *q, double *out, ThawError *error) {
    double norm = 0;
    for (int i = 0; i < 4; i++)
        norm += q[i] * q[i];
    if (!(norm > 1e-12) || !isfinite(norm))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: rotation is (%g, %g, %g, %g); allowed: a unit quaternion",
                              where, q[0], q[1], q[2], q[3]);
    if (dim == 2 && (q[1] != 0 || q[2] != 0))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: rotation leaves the plane; allowed in 2D: about z only",
                              where);
    for (int i = 0; i < 4; i++)
        out[i] = norm == 1 ? q[i] : q[i] / sqrt(norm);
    return THAW_OK;
}

// Options of all methods in the definition of the world, or (not NULL) of one of its bodies.
static ThawStatus check_method_options(const ThawWorldDef *world, const ThawBodyDef *body, const char *where,
                                       ThawError *error) {
    ThawStatus status = body ? thaw_option_rows_check(where, body->options, body->option_count, error)
                             : thaw_option_rows_check(where, world->options, world->option_count, error);
    for (int i = 0; i < thaw_method_count() && status == THAW_OK; i++) {
        const ThawMethod *method = thaw_method_at(i);
        ThawOptionBuffer options;
        const bool any = body ? thaw_method_body_options(method, world, body, &options)
                              : thaw_method_world_options(method, world, &options);
        char place[200];
        snprintf(place, sizeof place, "%s: %s", where, method->name);
        if (any)
            status = thaw_options_check(&method->options, place, options.bytes, error);
    }
    return status;
}

static ThawStatus check_options(const ThawWorldDef *def, ThawError *error) {
    ThawStatus made = thaw_check_made("world", def->made, "thaw_world_def_default", error);
    if (made != THAW_OK)
        return made;
    if (def->dim != 2 && def->dim != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: dim is %d; allowed: 2 or 3", def->dim);
    if (!(def->h > 0) || !isfinite(def->h))
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: h is %g s; allowed: > 0", def->h);
    if ((unsigned)def->integrator >= THAW_INTEGRATOR_COUNT)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: integrator is %d; allowed: a ThawIntegrator",
                              (int)def->integrator);
    if ((unsigned)def->projection > THAW_PROJECT_NEVER)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: projection is %d; allowed: a ThawProjection",
                              (int)def->projection);
    if ((unsigned)def->solver > THAW_SOLVER_PCG_SCALED)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: solver is %d; allowed: a ThawSolverKind",
                              (int)def->solver);
    if (!(def->newton_tolerance > 0) || def->newton_tolerance >= 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: newton_tolerance is %g; allowed: between 0 and 1",
                              def->newton_tolerance);
    if (!(def->solver_tolerance > 0) || def->solver_tolerance >= 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: solver_tolerance is %g; allowed: between 0 and 1",
                              def->solver_tolerance);
    if (def->newton_iterations < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: newton_iterations is %d; allowed: >= 1",
                              def->newton_iterations);
    ThawStatus status = check_method_options(def, NULL, "world", error);
    if (status != THAW_OK)
        return status;
    if (def->halvings < 0 || def->halvings > 20)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: halvings is %d; allowed: 0 to 20", def->halvings);
    if (def->substeps < 0 || def->substeps > 1000)
        return thaw_error_set(error, THAW_ERROR_INPUT, "world: substeps is %d; allowed: 0 to 1000", def->substeps);
    if (def->material_count < 0 || def->shape_count < 0 || def->body_count < 0 ||
        (def->material_count > 0 && !def->materials) || (def->shape_count > 0 && !def->shapes) ||
        (def->body_count > 0 && !def->bodies))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "world: a count of materials, shapes or bodies is negative, or its array is NULL");
    return thaw_check_vector("world", "gravity", def->gravity, def->dim, error);
}

void thaw_materials_free(ThawMaterials **pointer) {
    ThawMaterials *materials = *pointer;
    *pointer = NULL;
    if (materials && atomic_fetch_sub(&materials->owners, 1) <= 1)
        thaw_free(materials);
}

ThawMaterials *thaw_materials_share(ThawMaterials *materials) {
    if (materials)
        atomic_fetch_add(&materials->owners, 1);
    return materials;
}

static ThawStatus compile_material(const ThawWorldDef *def, const ThawMaterialDef *from, ThawMaterial *to,
                                   ThawError *error) {
    ThawStatus status = thaw_material_validate(from, error);
    if (status != THAW_OK)
        return status;
    *to = (ThawMaterial){.model = from->model,
                         .ops = thaw_material_ops(from->model),
                         .density = from->density,
                         .young = from->young,
                         .poisson = from->poisson,
                         .alpha0 = from->alpha0,
                         .alpha1 = from->alpha1,
                         .modulus = from->young + 4 * from->fibre.stiffness,
                         .weave = from->weave,
                         .fibre = from->fibre,
                         .edge_stiffness = from->edge_stiffness,
                         .area_stiffness = from->area_stiffness,
                         .strain_limits = {from->strain_limits[0], from->strain_limits[1]}};
    to->ops->constants(from, to->c);
    if (thaw_scheme_is_viscous(def->integrator, from->damping)) {
        thaw_material_lame(from, &to->viscosity[1], &to->viscosity[0]);
        to->viscosity[0] *= from->alpha1;
        to->viscosity[1] *= from->alpha1;
    }
    return THAW_OK;
}

static ThawStatus compile_materials(const ThawWorldDef *def, const ThawReuse *reuse, ThawModel *model,
                                    ThawError *error) {
    model->material_count = def->material_count;
    if (reuse->shelf)
        model->shelf = thaw_materials_share(reuse->shelf);
    else
        model->shelf = thaw_alloc(1, sizeof *model->shelf + sizeof(ThawMaterial) * (size_t)def->material_count);
    if (!model->shelf)
        return thaw_error_memory(error, "the materials");
    model->materials = model->shelf->list;
    if (reuse->shelf)
        return THAW_OK;
    model->shelf->owners = 1;
    model->shelf->count = def->material_count;
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < def->material_count && status == THAW_OK; i++)
        status = compile_material(def, &def->materials[i], &model->shelf->list[i], error);
    return status;
}

static ThawStatus compile_shape(const ThawWorldDef *def, int32_t index, const ThawModel *model, ThawShape **result,
                                ThawError *error) {
    ThawShape *shape = *result = THAW_NEW(ThawShape, 1);
    if (!shape)
        return thaw_error_memory(error, "a shape");
    shape->owners = 1;
    shape->shelf = thaw_materials_share(model->shelf);
    return thaw_shape_compile(&def->shapes[index], def->dim, model->materials, model->material_count, shape, error);
}

int32_t thaw_model_shape_index(const ThawModel *model, const ThawShape *shape) {
    for (int32_t i = 0; i < model->shape_count + model->own_count; i++)
        if (model->shapes[i] == shape)
            return i;
    return -1;
}

static ThawStatus find_group(const char *where, const ThawShape *shape, int32_t index, const ThawGroup **group,
                             ThawError *error) {
    if (index < 0 || index >= shape->group_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: group is %d; allowed: 0 to %d (shape %s has %d groups)",
                              where, (int)index, (int)shape->group_count - 1, shape->name, (int)shape->group_count);
    *group = &shape->groups[index];
    return THAW_OK;
}

ThawStatus thaw_check_keys(const char *where, int dim, const ThawKey *keys, int32_t key_count, const double *centre,
                           ThawInterpolation interpolation, ThawScript *script, ThawError *error) {
    if (key_count < 0 || (key_count > 0 && !keys))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: key_count is %d with keys %s", where, (int)key_count,
                              keys ? "given" : "NULL");
    if ((unsigned)interpolation > THAW_INTERPOLATE_SMOOTH)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: interpolation is %d; allowed: a ThawInterpolation", where,
                              (int)interpolation);
    ThawStatus status = thaw_check_vector(where, "centre", centre, dim, error);
    if (status != THAW_OK)
        return status;
    memcpy(script->centre, centre, sizeof(double) * (size_t)dim);
    script->interpolation = interpolation;
    script->key_count = key_count;
    if (!(script->keys = THAW_NEW(ThawKey, key_count)))
        return thaw_error_memory(error, "a script");
    for (int32_t k = 0; k < key_count; k++) {
        const ThawKey *key = &keys[k];
        char place[160];
        snprintf(place, sizeof place, "%.120s: key %d", where, (int)k);
        if (!isfinite(key->time) || (k > 0 && key->time <= keys[k - 1].time))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: time is %g s; allowed: finite and later than the key before", place, key->time);
        script->keys[k].time = key->time;
        status = thaw_check_vector(place, "translation", key->translation, dim, error);
        if (status == THAW_OK)
            status = thaw_check_rotation(place, dim, key->rotation, script->keys[k].rotation, error);
        if (status != THAW_OK)
            return status;
        memcpy(script->keys[k].translation, key->translation, sizeof(double) * (size_t)dim);
    }
    return THAW_OK;
}

static ThawStatus compile_script(const char *where, int dim, const ThawScriptDef *def, const ThawShape *shape,
                                 ThawScript *script, ThawError *error) {
    ThawStatus status = find_group(where, shape, def->group, &script->group, error);
    if (status != THAW_OK)
        return status;
    if (isnan(def->release))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: release is nan; allowed: a time in s, or INFINITY", where);
    script->group_index = def->group;
    script->release = def->release;
    return thaw_check_keys(where, dim, def->keys, def->key_count, def->centre, def->interpolation, script, error);
}

static ThawStatus compile_load(const char *where, int dim, const ThawForceDef *def, const ThawShape *shape,
                               ThawLoad *load, ThawError *error) {
    ThawStatus status = find_group(where, shape, def->group, &load->group, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "value", def->value, dim, error);
    if (status != THAW_OK)
        return status;
    if ((unsigned)def->kind > THAW_FORCE_WIND)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: kind is %d; allowed: a ThawForceKind", where,
                              (int)def->kind);
    if (!(def->from < def->to) || !(def->ramp >= 0) || !isfinite(def->ramp))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: from %g s to %g s, ramp %g s; allowed: from < to, ramp >= 0", where, def->from,
                              def->to, def->ramp);
    if (def->kind == THAW_FORCE_WIND && !thaw_shape_is_sheet(shape))
        return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "%s: wind on a solid; allowed: wind on sheets", where);
    if (def->kind == THAW_FORCE_WIND && (!(def->air >= 0) || !isfinite(def->air) || !(def->drag >= 0) ||
                                         !isfinite(def->drag) || !(def->lift >= 0) || !isfinite(def->lift)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: air %g kg/m^3, drag %g, lift %g; allowed: >= 0", where,
                              def->air, def->drag, def->lift);
    load->air = def->air;
    load->drag = def->drag;
    load->lift = def->lift;
    load->group_index = def->group;
    load->kind = def->kind;
    load->from = def->from;
    load->to = def->to;
    load->ramp = def->ramp;
    memcpy(load->value, def->value, sizeof(double) * (size_t)dim);
    return THAW_OK;
}

// The shape that a body begins with. Of a sheet, whose hinges are a body's, each has its own.
static ThawStatus find_shape(const ThawWorldDef *world, int32_t index, ThawModel *model, ThawError *error) {
    const int32_t shape = world->bodies[index].shape;
    ThawShape *found = model->shapes[shape];
    if (found->hinges && found->hinges->taken) {
        ThawShape **own = &model->shapes[model->shape_count + model->own_count++];
        ThawStatus status = compile_shape(world, shape, model, own, error);
        if (status != THAW_OK)
            return status;
        found = *own;
    }
    if (found->hinges)
        found->hinges->taken = 1;
    model->bodies[index].base = model->bodies[index].shape = found;
    return THAW_OK;
}

static ThawStatus compile_body(const ThawWorldDef *world, int32_t index, ThawModel *model, ThawError *error) {
    const ThawBodyDef *def = &world->bodies[index];
    ThawModelBody *body = &model->bodies[index];
    int dim = model->dim;
    char where[160];
    snprintf(where, sizeof where, "body %d (%.80s)", (int)index, def->name ? def->name : "unnamed");
    if (def->shape < 0 || def->shape >= model->shape_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: shape is %d; allowed: 0 to %d", where, (int)def->shape,
                              (int)model->shape_count - 1);
    ThawStatus status = thaw_check_made(where, def->made, "thaw_body_def_default", error);
    if (status == THAW_OK)
        status = thaw_method_find(where, def->method, &body->method, error);
    if (status == THAW_OK)
        status = check_method_options(world, def, where, error);
    if (status != THAW_OK)
        return status;
    body->starts_at_rest = def->at_rest;
    if (def->at_rest && !thaw_method_at(body->method)->sleeps) {
        char names[200];
        thaw_method_say_sleepers(" or ", names, sizeof names);
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: starts at rest with method \"%s\"; allowed: %s, which can be asleep", where,
                              def->method, names);
    }
    if (def->script_count < 0 || def->force_count < 0 || (def->script_count > 0 && !def->scripts) ||
        (def->force_count > 0 && !def->forces))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: a count of scripts or forces is negative, or its array is NULL", where);
    if (!(def->friction >= 0) || !isfinite(def->friction))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: friction is %g; allowed: >= 0", where, def->friction);
    status = thaw_check_restitution(where, def->restitution, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "position", def->position, dim, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "velocity", def->velocity, dim, error);
    if (status == THAW_OK)
        status = thaw_check_vector(where, "spin", def->spin, 3, error);
    if (status == THAW_OK)
        status = thaw_check_rotation(where, dim, def->rotation, body->rotation, error);
    if (status != THAW_OK)
        return status;
    if ((status = find_shape(world, index, model, error)) != THAW_OK)
        return status;
    body->friction = def->friction;
    body->restitution = def->restitution;
    body->self_contact = def->self_contact != 0;
    memcpy(body->position, def->position, sizeof(double) * (size_t)dim);
    memcpy(body->velocity, def->velocity, sizeof(double) * (size_t)dim);
    memcpy(body->spin, def->spin, sizeof body->spin);
    body->name = thaw_strdup(def->name ? def->name : "unnamed");
    body->scripts = THAW_NEW(ThawScript, def->script_count);
    body->loads = THAW_NEW(ThawLoad, def->force_count);
    if (!body->name || !body->scripts || !body->loads)
        return thaw_error_memory(error, "a body");
    char place[200];
    for (int32_t i = 0; i < def->script_count; i++) {
        snprintf(place, sizeof place, "%s: script %d", where, (int)i);
        body->script_count = i + 1;
        status = compile_script(place, dim, &def->scripts[i], body->shape, &body->scripts[i], error);
        if (status != THAW_OK)
            return status;
    }
    for (int32_t i = 0; i < def->force_count; i++) {
        snprintf(place, sizeof place, "%s: force %d", where, (int)i);
        body->load_count = i + 1;
        status = compile_load(place, dim, &def->forces[i], body->shape, &body->loads[i], error);
        if (status != THAW_OK)
            return status;
    }
    status = thaw_changes_schedule(where, def, index, model->options.h, body, error);
    if (status != THAW_OK)
        return status;
    body->mover = index;
    body->moved = 1;
    if (__builtin_add_overflow(model->vertex_count, body->shape->nv, &model->vertex_count))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: the world has more than %d vertices", where, INT32_MAX);
    body->first_vertex = model->vertex_count - body->shape->nv;
    return THAW_OK;
}

// Bodies that are sheets: each may need a shape of its own.
static size_t count_sheets(const ThawWorldDef *def) {
    size_t count = 0;
    for (int32_t i = 0; i < def->body_count; i++) {
        const int32_t s = def->bodies[i].shape;
        count += s >= 0 && s < def->shape_count && def->shapes[s].mesh && thaw_mesh_is_sheet(def->shapes[s].mesh);
    }
    return count;
}

ThawStatus thaw_model_create(const ThawWorldDef *def, ThawModel **result, ThawError *error) {
    return thaw_model_compile(def, &(ThawReuse){0}, result, error);
}

ThawStatus thaw_model_compile(const ThawWorldDef *def, const ThawReuse *reuse, ThawModel **result, ThawError *error) {
    *result = NULL;
    ThawStatus status = check_options(def, error);
    if (status != THAW_OK)
        return status;
    ThawModel *model = THAW_NEW(ThawModel, 1);
    if (!model)
        return thaw_error_memory(error, "the model");
    model->options = *def;
    for (int k = def->dim; k < 3; k++)
        model->options.gravity[k] = 0; // the default's points down in space
    model->options.materials = NULL;
    model->options.shapes = NULL;
    model->options.bodies = NULL;
    model->options.obstacles = NULL;
    model->options.pairs = NULL;
    model->options.attachments = NULL;
    model->options.source = NULL;
    model->dim = def->dim;
    model->shapes = THAW_NEW(ThawShape *, (size_t)def->shape_count + count_sheets(def));
    model->bodies = THAW_NEW(ThawModelBody, def->body_count);
    status = model->shapes && model->bodies ? compile_materials(def, reuse, model, error)
                                            : thaw_error_memory(error, "the model");
    for (int32_t i = 0; status == THAW_OK && i < def->shape_count; i++) {
        model->shape_count = i + 1;
        if (reuse->shapes && reuse->shapes[i])
            model->shapes[i] = thaw_shape_share(reuse->shapes[i]);
        else
            status = compile_shape(def, i, model, &model->shapes[i], error);
    }
    for (int32_t i = 0; status == THAW_OK && i < def->body_count; i++) {
        model->body_count = i + 1;
        status = compile_body(def, i, model, error);
    }
    if (status == THAW_OK)
        status = thaw_units_compile(def, model, error);
    if (status == THAW_OK)
        status = thaw_joints_compile(def, model, error);
    if (status == THAW_OK)
        status = thaw_obstacles_compile(def, reuse, model, error);
    if (status == THAW_OK)
        status = thaw_attachments_compile(def, reuse, model, error);
    if (status == THAW_OK)
        status = thaw_sheets_allow(model, error);
    if (status != THAW_OK)
        thaw_model_free(&model);
    *result = model;
    return status;
}

// --- shapes that change ----------------------------------------------------------------------------------------------

void thaw_model_give_shape(ThawModel *model, int32_t index, const ThawShape *shape) {
    ThawModelBody *body = &model->bodies[index];
    body->shape = shape;
    for (int32_t i = 0; i < body->script_count; i++)
        body->scripts[i].group = &shape->groups[body->scripts[i].group_index];
    for (int32_t i = 0; i < body->load_count; i++)
        body->loads[i].group = &shape->groups[body->loads[i].group_index];
}

void thaw_model_lay_out(ThawModel *model) {
    model->vertex_count = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        model->bodies[i].first_vertex = model->vertex_count;
        model->vertex_count += model->bodies[i].shape->points;
        if (model->bodies[i].unit && model->bodies[i].mover == i)
            model->bodies[i].unit->first_vertex = model->bodies[i].first_vertex;
    }
    thaw_attachments_follow(model);
}

void thaw_model_free(ThawModel **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawModel *model = *pointer;
    for (int32_t i = 0; i < model->body_count; i++) {
        ThawModelBody *body = &model->bodies[i];
        for (int32_t k = 0; k < body->script_count; k++)
            thaw_free(body->scripts[k].keys);
        thaw_free(body->name);
        thaw_free(body->scripts);
        thaw_free(body->loads);
        thaw_free(body->changes);
    }
    for (int32_t i = 0; i < model->variant_count; i++) {
        thaw_shape_clear(model->variants[i]);
        thaw_free(model->variants[i]);
    }
    thaw_free(model->variants);
    thaw_obstacles_clear(model);
    thaw_attachments_clear(model);
    thaw_joints_clear(model);
    thaw_units_clear(model);
    for (int32_t i = 0; i < model->shape_count + model->own_count; i++)
        thaw_shape_free(&model->shapes[i]);
    thaw_free(model->bodies);
    thaw_free(model->shapes);
    thaw_materials_free(&model->shelf);
    thaw_free(model);
    *pointer = NULL;
}
