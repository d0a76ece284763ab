// SPDX-License-Identifier: Apache-2.0
// A number that tells whether a checkpoint belongs to a scene: equal for scenes with the same trajectory, different
// (but for chance) otherwise. So everything the trajectory depends on goes in, value by value (structs have holes), and
// nothing else: no names, no titles, not how long to run, what to write, or how many threads to use.
#include <string.h>

#include "mesh/mesh.h"
#include "scene/read.h"

static uint64_t hash_doubles(uint64_t seed, const double *values, size_t count) {
    return thaw_hash(seed, values, count * sizeof *values);
}

static uint64_t hash_integer(uint64_t seed, int64_t value) { return thaw_hash(seed, &value, sizeof value); }

static uint64_t hash_material(uint64_t seed, const ThawMaterialDef *m) {
    seed = hash_integer(seed, (int64_t)m->model);
    seed = hash_integer(seed, (int64_t)m->constants);
    if (m->damping != THAW_DAMPING_AUTO)
        seed = hash_integer(seed, (int64_t)m->damping);
    seed = hash_doubles(seed, (double[]){m->density, m->young, m->poisson, m->alpha0, m->alpha1}, 5);
    const double woven[] = {m->weave.weft_young, m->weave.shear,    m->weave.bending[0], m->weave.bending[1],
                            m->weave.bending[2], m->edge_stiffness, m->area_stiffness};
    for (size_t i = 0; i < sizeof woven / sizeof *woven; i++) // of sheets alone
        seed = woven[i] != 0 ? hash_doubles(hash_integer(seed, (int64_t)i), &woven[i], 1) : seed;
    if (m->strain_limits[0] > 0 || m->strain_limits[1] > 0)
        seed = hash_doubles(seed, m->strain_limits, 2);
    if (m->fibre.stiffness > 0)
        seed = hash_doubles(seed, (double[]){m->fibre.stiffness, m->fibre.exponent, m->fibre.slack != 0}, 3);
    return seed;
}

static uint64_t hash_mesh(uint64_t seed, const ThawMesh *mesh) {
    size_t vertices = (size_t)mesh->vertex_count, elements = (size_t)mesh->element_count;
    seed = hash_integer(seed, mesh->vertex_count);
    seed = hash_integer(seed, mesh->element_count);
    seed = hash_doubles(seed, mesh->x, (size_t)mesh->dim * vertices);
    seed = thaw_hash(seed, mesh->elements, (size_t)mesh->nodes * elements * sizeof *mesh->elements);
    return thaw_hash(seed, mesh->region, elements * sizeof *mesh->region);
}

static uint64_t hash_group(uint64_t seed, const ThawGroupDef *group, const ThawMesh *mesh) {
    seed = hash_integer(seed, (int64_t)group->select);
    seed = hash_doubles(seed, group->a, 3);
    seed = hash_doubles(seed, group->b, 3);
    seed = hash_doubles(seed, &group->radius, 1);
    for (int32_t i = 0; group->mesh_group && i < mesh->group_count; i++)
        if (strcmp(mesh->groups[i].name, group->mesh_group) == 0)
            seed = thaw_hash(seed, mesh->groups[i].vertices, (size_t)mesh->groups[i].count * sizeof(int32_t));
    return seed;
}

static uint64_t hash_shape(uint64_t seed, const ThawShapeDef *shape) {
    seed = hash_mesh(seed, shape->mesh);
    for (int32_t i = 0; i < shape->mesh->region_count; i++) {
        int32_t material = shape->region_material ? shape->region_material[i] : -1;
        seed = hash_integer(seed, material < 0 ? shape->material : material);
    }
    seed = hash_doubles(seed, &shape->thickness, 1);
    if (shape->smooth > 0)
        seed = hash_doubles(seed, &shape->smooth, 1);
    if (shape->mass > 0)
        seed = hash_doubles(seed, &shape->mass, 1);
    if (thaw_mesh_is_sheet(shape->mesh)) {
        const int open = shape->membrane == THAW_MEMBRANE_AUTO; // materials are hashed, and decide
        const ThawMembrane membrane = open ? THAW_MEMBRANE_PLANE_STRESS : shape->membrane;
        seed = hash_integer(hash_integer(seed, (int64_t)membrane), (int64_t)shape->bending);
        seed = hash_doubles(seed, &shape->bending_damping, 1);
        if (shape->limiting != THAW_LIMIT_ENERGY)
            seed = hash_integer(seed, (int64_t)shape->limiting);
        if (shape->membrane == THAW_MEMBRANE_WOVEN ||
            (open && (shape->uv || shape->warp[0] != 0 || shape->warp[1] != 0 || shape->warp[2] != 0))) {
            seed = hash_doubles(seed, shape->warp, 3);
            seed = shape->uv ? hash_doubles(seed, shape->uv, 6 * (size_t)shape->mesh->element_count) : seed;
        }
        if (shape->yield_curvature > 0 || shape->yield_angle > 0)
            seed = hash_doubles(seed, (double[]){shape->yield_curvature, shape->yield_angle}, 2);
        if (shape->pressure != 0)
            seed = hash_doubles(seed, &shape->pressure, 1);
    }
    const size_t elements = (size_t)shape->mesh->element_count, dim = (size_t)shape->mesh->dim;
    if (shape->fibres)
        seed = hash_doubles(seed, shape->fibres, dim * elements);
    else if (shape->fibre[0] != 1 || shape->fibre[1] != 0 || shape->fibre[2] != 0)
        seed = hash_doubles(seed, shape->fibre, 3);
    if (shape->stiffness)
        seed = hash_doubles(seed, shape->stiffness, elements);
    for (int32_t i = 0; i < shape->group_count; i++)
        seed = hash_group(seed, &shape->groups[i], shape->mesh);
    return seed;
}

static uint64_t hash_script(uint64_t seed, const ThawScriptDef *script) {
    seed = hash_integer(seed, script->group);
    seed = hash_integer(seed, (int64_t)script->interpolation);
    seed = hash_doubles(seed, script->centre, 3);
    seed = hash_doubles(seed, &script->release, 1);
    for (int32_t i = 0; i < script->key_count; i++) {
        seed = hash_doubles(seed, &script->keys[i].time, 1);
        seed = hash_doubles(seed, script->keys[i].translation, 3);
        seed = hash_doubles(seed, script->keys[i].rotation, 4);
    }
    return hash_integer(seed, script->key_count);
}

static uint64_t hash_force(uint64_t seed, const ThawForceDef *force) {
    seed = hash_integer(seed, force->group);
    seed = hash_integer(seed, (int64_t)force->kind);
    seed = hash_doubles(seed, force->value, 3);
    if (force->kind == THAW_FORCE_WIND)
        seed = hash_doubles(seed, (double[]){force->air, force->drag, force->lift}, 3);
    return hash_doubles(seed, (double[]){force->from, force->to, force->ramp}, 3);
}

static uint64_t hash_own_options(uint64_t seed, const ThawWorldDef *world, const ThawBodyDef *body) {
    ThawOptionBuffer own;
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        if (thaw_method_body_options(method, world, body, &own))
            seed = thaw_options_hash(&method->options, hash_integer(seed, i), own.bytes);
    }
    return seed;
}

// A method that says nothing in a scene does not change its digest: others may be added.
static uint64_t hash_world_options(uint64_t seed, const ThawWorldDef *world) {
    ThawOptionBuffer given, usual;
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        if (!thaw_method_world_options(method, world, &given))
            continue;
        thaw_options_default(&method->options, usual.bytes);
        const uint64_t hash = thaw_options_hash(&method->options, seed, given.bytes);
        if (method->in_world > 0 || hash != thaw_options_hash(&method->options, seed, usual.bytes))
            seed = hash;
    }
    return seed;
}

static uint64_t hash_region(uint64_t seed, const ThawGroupDef *region) {
    seed = hash_integer(seed, (int64_t)region->select);
    seed = hash_doubles(hash_doubles(seed, region->a, 3), region->b, 3);
    return hash_doubles(seed, &region->radius, 1);
}

static uint64_t hash_change(uint64_t seed, const ThawChangeDef *change) {
    seed = hash_integer(hash_integer(seed, (int64_t)change->kind), change->group);
    seed = hash_doubles(seed, &change->time, 1);
    seed = hash_integer(hash_region(seed, &change->where), change->limited != 0);
    return hash_region(seed, &change->within);
}

static uint64_t hash_joint(uint64_t seed, const ThawJointDef *joint) {
    const ThawMotorDef *m = &joint->motor;
    seed = hash_integer(hash_integer(seed, (int64_t)joint->kind), joint->parent);
    seed = hash_doubles(hash_doubles(seed, joint->anchor, 3), joint->axis, 3);
    seed = hash_doubles(hash_doubles(seed, joint->second, 3), joint->lower, 3);
    seed = hash_doubles(hash_doubles(seed, joint->upper, 3), joint->rest, 3);
    seed = hash_doubles(seed, (double[]){joint->stiffness, joint->damping, m->stiffness, m->damping}, 4);
    seed = hash_doubles(hash_doubles(seed, m->torque, 3), m->position, 3);
    seed = hash_integer(hash_doubles(seed, m->velocity, 3), m->key_count);
    for (int32_t k = 0; k < m->key_count; k++)
        seed = hash_doubles(hash_doubles(seed, &m->keys[k].time, 1), m->keys[k].position, 3);
    return seed;
}

static uint64_t hash_body(uint64_t seed, const ThawWorldDef *world, const ThawBodyDef *body) {
    seed = hash_integer(seed, body->shape);
    seed = thaw_hash(seed, body->method, strlen(body->method));
    seed = hash_integer(seed, body->at_rest);
    seed = hash_doubles(seed, body->position, 3);
    seed = hash_doubles(seed, body->rotation, 4);
    seed = hash_doubles(seed, body->velocity, 3);
    seed = hash_doubles(seed, body->spin, 3);
    seed = hash_doubles(seed, &body->friction, 1);
    if (body->self_contact) // as digests were before there was such a thing
        seed = hash_integer(seed, 1);
    if (body->restitution > 0) // likewise
        seed = hash_doubles(seed, &body->restitution, 1);
    if (body->unit) // likewise
        seed = thaw_hash(seed, body->unit, strlen(body->unit));
    if (body->joint) // likewise
        seed = hash_joint(seed, body->joint);
    for (int32_t i = 0; i < body->carried_count; i++)
        seed = hash_integer(hash_integer(seed, body->carried[i].group), body->carried[i].bone);
    seed = hash_own_options(seed, world, body);
    for (int32_t i = 0; i < body->change_count; i++)
        seed = hash_change(seed, &body->changes[i]);
    for (int32_t i = 0; i < body->script_count; i++)
        seed = hash_script(seed, &body->scripts[i]);
    seed = hash_integer(seed, body->script_count);
    for (int32_t i = 0; i < body->force_count; i++)
        seed = hash_force(seed, &body->forces[i]);
    return hash_integer(seed, body->force_count);
}

static uint64_t hash_obstacle(uint64_t seed, const ThawObstacleDef *obstacle, int dim) {
    size_t vertices = (size_t)obstacle->vertex_count * (size_t)dim;
    seed = hash_integer(seed, (int64_t)obstacle->kind);
    seed = hash_doubles(seed, obstacle->size, 3);
    seed = hash_doubles(seed, obstacle->position, 3);
    seed = hash_doubles(seed, obstacle->rotation, 4);
    seed = hash_doubles(seed, &obstacle->friction, 1);
    if (obstacle->restitution > 0)
        seed = hash_doubles(seed, &obstacle->restitution, 1);
    if (obstacle->x)
        seed = hash_doubles(seed, obstacle->x, vertices);
    if (obstacle->faces)
        seed = thaw_hash(seed, obstacle->faces, (size_t)obstacle->face_count * (size_t)dim * sizeof(int32_t));
    if (obstacle->frame_count > 0) {
        seed = hash_doubles(seed, obstacle->frames, vertices * (size_t)obstacle->frame_count);
        seed = hash_doubles(seed, obstacle->frame_times, (size_t)obstacle->frame_count);
    }
    ThawScriptDef motion = {
        .interpolation = obstacle->interpolation, .keys = obstacle->keys, .key_count = obstacle->key_count};
    memcpy(motion.centre, obstacle->centre, sizeof motion.centre);
    return hash_script(seed, &motion);
}

static uint64_t hash_contact(uint64_t seed, const ThawWorldDef *world) {
    const ThawContactOptions *c = &world->contact;
    seed = hash_doubles(seed, (double[]){c->stiffness, c->damping, c->tangent, c->erp, c->cfm, c->tolerance}, 6);
    seed = hash_integer(seed, (int64_t)c->friction);
    seed = hash_integer(seed, c->iterations);
    seed = hash_integer(seed, (c->disabled != 0) + 2 * (c->edges != 0));
    for (int32_t i = 0; i < world->obstacle_count; i++)
        seed = hash_obstacle(seed, &world->obstacles[i], world->dim);
    for (int32_t i = 0; i < world->pair_count; i++) {
        const ThawPairDef *pair = &world->pairs[i];
        seed = thaw_hash(seed, pair->first, strlen(pair->first));
        seed = thaw_hash(seed, pair->second, strlen(pair->second));
        seed = hash_integer(seed, pair->disabled);
        seed = hash_doubles(seed, &pair->friction, 1);
        if (pair->restitution >= 0)
            seed = hash_doubles(seed, &pair->restitution, 1);
    }
    return seed;
}

static uint64_t hash_attachment(uint64_t seed, const ThawAttachmentDef *a) {
    ThawScriptDef motion = {
        .group = a->group, .interpolation = a->interpolation, .keys = a->keys, .key_count = a->key_count};
    memcpy(motion.centre, a->centre, sizeof motion.centre);
    seed = hash_integer(seed, a->body);
    seed = hash_integer(seed, a->other_body);
    seed = hash_integer(seed, a->obstacle);
    seed = hash_doubles(seed, (double[]){a->stiffness, a->stiffness_per_area, a->damping}, 3);
    seed = hash_doubles(seed, (double[]){a->release_time, a->release_force}, 2);
    if (a->kind != THAW_ATTACHMENT_POINT) {
        seed = hash_doubles(hash_integer(seed, (int64_t)a->kind), &a->length, 1);
        seed = a->at ? hash_doubles(seed, a->at, 3) : seed;
    }
    if (a->other_group >= 0)
        seed = hash_integer(hash_integer(seed, a->other_group), (int64_t)a->pairing);
    if (a->close > 0)
        seed = hash_doubles(seed, &a->close, 1);
    if (a->contact != THAW_ATTACHMENT_CONTACT_AUTO)
        seed = hash_integer(seed, (int64_t)a->contact);
    return hash_script(seed, &motion);
}

uint64_t thaw_scene_digest(const ThawWorldDef *world) {
    uint64_t hash = hash_integer(0, world->dim);
    hash = hash_doubles(hash, world->gravity, 3);
    hash = hash_doubles(hash, (double[]){world->h, world->newton_tolerance, world->solver_tolerance}, 3);
    hash = hash_integer(hash, (int64_t)world->integrator);
    hash = hash_integer(hash, (int64_t)world->projection);
    hash = hash_integer(hash, world->newton_iterations);
    hash = hash_integer(hash, world->halvings);
    if (world->substeps > 0)
        hash = hash_integer(hash_integer(hash, -1), world->substeps);
    hash = hash_integer(hash, (int64_t)world->solver);
    for (int32_t i = 0; i < world->material_count; i++)
        hash = hash_material(hash, &world->materials[i]);
    for (int32_t i = 0; i < world->shape_count; i++)
        hash = hash_shape(hash, &world->shapes[i]);
    for (int32_t i = 0; i < world->body_count; i++)
        hash = hash_body(hash, world, &world->bodies[i]);
    hash = hash_world_options(hash, world);
    hash = hash_contact(hash, world);
    for (int32_t i = 0; i < world->attachment_count; i++)
        hash = hash_attachment(hash, &world->attachments[i]);
    return hash;
}
