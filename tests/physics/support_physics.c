// SPDX-License-Identifier: Apache-2.0
#include "physics/support_physics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void require(ThawStatus status, const ThawError *error) {
    if (status != THAW_OK)
        fail_msg("%s: %s", thaw_status_name(status), error->message);
}

// --- scenes ----------------------------------------------------------------------------------------------------------

PhysicsScene *physics_scene(ThawMesh *mesh) {
    PhysicsScene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->mesh = mesh;
    for (int k = 0; k < mesh->dim; k++) {
        scene->lo[k] = INFINITY;
        scene->hi[k] = -INFINITY;
        for (int32_t i = 0; i < mesh->vertex_count; i++) {
            scene->lo[k] = fmin(scene->lo[k], mesh->x[i * mesh->dim + k]);
            scene->hi[k] = fmax(scene->hi[k], mesh->x[i * mesh->dim + k]);
        }
    }
    scene->material = thaw_material_def_default();
    scene->material.alpha0 = scene->material.alpha1 = 0;
    scene->material.poisson = 0.3;
    scene->shape = thaw_shape_def_default();
    scene->shape.mesh = mesh;
    scene->body = thaw_body_def_default();
    scene->force = thaw_force_def_default();
    scene->world = thaw_world_def_default();
    scene->world.dim = mesh->dim;
    memset(scene->world.gravity, 0, sizeof scene->world.gravity);
    scene->world.newton_tolerance = 1e-11;
    scene->world.solver_tolerance = 1e-12;
    scene->world.threads = 1;
    scene->world.ledger = 0;
    return scene;
}

PhysicsScene *physics_box(int dim, double sx, double sy, double sz, int nx, int ny, int nz) {
    ThawMesh *mesh = NULL;
    ThawError error;
    require(thaw_mesh_box(dim, (double[]){0, 0, 0}, (double[]){sx, sy, sz}, (int32_t[]){nx, ny, nz}, &mesh, &error),
            &error);
    return physics_scene(mesh);
}

void physics_scene_free(PhysicsScene **scene) {
    thaw_mesh_free(&(*scene)->mesh);
    free(*scene);
    *scene = NULL;
}

int physics_is_on_boundary(const PhysicsScene *scene, int32_t vertex) {
    int on = 0;
    for (int k = 0; k < scene->mesh->dim; k++) {
        double x = scene->mesh->x[vertex * scene->mesh->dim + k];
        on |= x == scene->lo[k] || x == scene->hi[k];
    }
    return on;
}

void physics_jitter(PhysicsScene *scene, double cell, double share, uint64_t seed) {
    int dim = scene->mesh->dim;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        if (!physics_is_on_boundary(scene, i))
            for (int k = 0; k < dim; k++)
                scene->mesh->x[i * dim + k] += share * cell * physics_random(&seed);
}

int32_t physics_nearest(const PhysicsScene *scene, double x, double y, double z) {
    const double at[3] = {x, y, z};
    int dim = scene->mesh->dim;
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++) {
        double square = 0;
        for (int k = 0; k < dim; k++)
            square += pow(scene->mesh->x[i * dim + k] - at[k], 2);
        best = square < least ? i : best;
        least = fmin(least, square);
    }
    return best;
}

static ThawGroupDef *new_group(PhysicsScene *scene) {
    assert_in_range(scene->shape.group_count, 0, PHYSICS_GROUPS_MAX - 1);
    ThawGroupDef *group = &scene->groups[scene->shape.group_count++];
    *group = thaw_group_def_default();
    return group;
}

static ThawScriptDef *new_script(PhysicsScene *scene) {
    ThawScriptDef *script = &scene->scripts[scene->body.script_count++];
    *script = thaw_script_def_default();
    script->group = scene->shape.group_count - 1;
    return script;
}

int32_t physics_group(PhysicsScene *scene, const char *face) {
    ThawGroupDef *group = new_group(scene);
    group->name = face;
    group->select = THAW_SELECT_MESH_GROUP;
    group->mesh_group = face;
    return scene->shape.group_count - 1;
}

void physics_pin(PhysicsScene *scene, const char *face) {
    physics_group(scene, face);
    new_script(scene);
}

void physics_hold(PhysicsScene *scene, int32_t vertex, const double translation[3]) {
    int dim = scene->mesh->dim;
    ThawGroupDef *group = new_group(scene);
    group->name = "held";
    group->select = THAW_SELECT_NEAREST;
    memcpy(group->a, scene->mesh->x + vertex * dim, sizeof(double) * (size_t)dim);
    ThawScriptDef *script = new_script(scene);
    ThawKey *key = &scene->keys[scene->body.script_count - 1];
    *key = (ThawKey){.rotation = {1, 0, 0, 0}};
    memcpy(key->translation, translation, sizeof(double) * (size_t)dim);
    script->keys = key;
    script->key_count = 1;
}

ThawWorld *physics_world(const PhysicsScene *scene) {
    ThawMaterialDef material = scene->material;
    ThawShapeDef shape = scene->shape;
    ThawBodyDef body = scene->body;
    ThawWorldDef def = scene->world;
    shape.groups = scene->groups;
    body.scripts = scene->scripts;
    body.forces = &scene->force;
    def.materials = &material;
    def.shapes = &shape;
    def.bodies = &body;
    def.material_count = def.shape_count = def.body_count = 1;
    ThawWorld *world = NULL;
    ThawError error;
    require(thaw_world_create(&def, &world, &error), &error);
    return world;
}

void physics_run(ThawWorld *world, int64_t steps) {
    ThawError error;
    for (int64_t i = 0; i < steps; i++)
        require(thaw_world_step(world, NULL, &error), &error);
}

void physics_static(ThawWorld *world) {
    ThawError error;
    require(thaw_world_solve_static(world, NULL, &error), &error);
}

// --- looking in ------------------------------------------------------------------------------------------------------

size_t physics_coordinates(const ThawWorld *world) {
    return (size_t)thaw_world_dim(world) * (size_t)thaw_world_vertex_count(world, 0);
}

static double *copy_of(const ThawWorld *world, ThawStatus (*get)(const ThawWorld *, int32_t, double *)) {
    double *values = calloc(physics_coordinates(world), sizeof *values);
    assert_non_null(values);
    assert_int_equal(get(world, 0, values), THAW_OK);
    return values;
}

double *physics_positions(const ThawWorld *world) { return copy_of(world, thaw_world_get_positions); }
double *physics_velocities(const ThawWorld *world) { return copy_of(world, thaw_world_get_velocities); }
double *physics_masses(const ThawWorld *world) { return copy_of(world, thaw_world_get_masses); }

double physics_coordinate(const ThawWorld *world, int32_t vertex, int axis) {
    double *x = physics_positions(world), value = x[vertex * thaw_world_dim(world) + axis];
    free(x);
    return value;
}

void physics_momentum(const ThawWorld *world, double linear[3], double angular[3]) {
    double *x = physics_positions(world), *v = physics_velocities(world), *m = physics_masses(world);
    int dim = thaw_world_dim(world);
    memset(linear, 0, sizeof(double) * 3);
    memset(angular, 0, sizeof(double) * 3);
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 0); i++) {
        double r[3] = {0, 0, 0}, p[3] = {0, 0, 0};
        for (int k = 0; k < dim; k++) {
            r[k] = x[i * dim + k];
            p[k] = m[i] * v[i * dim + k];
            linear[k] += p[k];
        }
        for (int k = 0; k < 3; k++)
            angular[k] += r[(k + 1) % 3] * p[(k + 2) % 3] - r[(k + 2) % 3] * p[(k + 1) % 3];
    }
    free(x);
    free(v);
    free(m);
}

// --- numbers ---------------------------------------------------------------------------------------------------------

double physics_random(uint64_t *seed) {
    *seed = *seed * 2862933555777941757u + 3037000493u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

double physics_distance(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

double physics_richardson(const double f[3], double *order) {
    double ratio = (f[1] - f[0]) / (f[2] - f[1]); // 2^order
    *order = log2(ratio);
    return f[2] + (f[2] - f[1]) / (ratio - 1);
}

void physics_stress(const ThawMaterialDef *material, const double lambda[3], double P[3]) {
    double mu = material->young / 2 / (1 + material->poisson);
    double bulk = material->young / 3 / (1 - 2 * material->poisson), second = bulk - 2 * mu / 3;
    double J = lambda[0] * lambda[1] * lambda[2], squares = 0, excess = 0;
    for (int i = 0; i < 3; i++) {
        squares += lambda[i] * lambda[i];
        excess += lambda[i] - 1;
    }
    double m = 4 * mu / 3, l = second + 5 * mu / 6; // stable neo-Hookean constants that match mu and second at rest
    for (int i = 0; i < 3; i++)
        switch (material->model) {
        case THAW_MATERIAL_STVK:
            P[i] = lambda[i] * (mu * (lambda[i] * lambda[i] - 1) + second * (squares - 3) / 2);
            break;
        case THAW_MATERIAL_NEO_HOOKEAN:
            P[i] = mu * (lambda[i] - 1 / lambda[i]) + second * log(J) / lambda[i];
            break;
        case THAW_MATERIAL_STABLE_NEO_HOOKEAN:
            P[i] = m * lambda[i] * squares / (squares + 1) + l * (J - 1 - 0.75 * m / l) * J / lambda[i];
            break;
        default:
            P[i] = 2 * mu * (lambda[i] - 1) + second * excess;
        }
}
