// SPDX-License-Identifier: Apache-2.0
// What the physics tests share: a scene with one body, small enough to be written down in a few lines, and looks into
// its world. Everything here asserts: a test that cannot set itself up has failed.
#ifndef THAW_TEST_PHYSICS_H
#define THAW_TEST_PHYSICS_H

#include <stdint.h>

#include "thaw/thaw.h"

enum { PHYSICS_GROUPS_MAX = 512 };

// One body of one material in an empty world. Change any field between making the scene and making its world.
typedef struct PhysicsScene {
    ThawMesh *mesh;           // owned
    double lo[3], hi[3];      // m, of the box
    ThawMaterialDef material; // undamped
    ThawShapeDef shape;
    ThawBodyDef body;
    ThawWorldDef world; // no gravity, one thread, tight tolerances, no ledger
    ThawForceDef force; // used where body.force_count is set to 1
    ThawGroupDef groups[PHYSICS_GROUPS_MAX];
    ThawScriptDef scripts[PHYSICS_GROUPS_MAX];
    ThawKey keys[PHYSICS_GROUPS_MAX];
} PhysicsScene;

// A box [0, size] of Kuhn simplices, or any other mesh (which the scene then owns).
PhysicsScene *physics_box(int dim, double sx, double sy, double sz, int nx, int ny, int nz);
PhysicsScene *physics_scene(ThawMesh *mesh);
void physics_scene_free(PhysicsScene **scene);

// Moves every vertex inside the box by up to `share` of a cell's edge `cell` along each axis.
void physics_jitter(PhysicsScene *scene, double cell, double share, uint64_t seed);
int physics_is_on_boundary(const PhysicsScene *scene, int32_t vertex);
int32_t physics_nearest(const PhysicsScene *scene, double x, double y, double z);

// Adds a group (a face of the box by its name) and returns its index; pins a face; holds one vertex away from its
// place.
int32_t physics_group(PhysicsScene *scene, const char *face);
void physics_pin(PhysicsScene *scene, const char *face);
void physics_hold(PhysicsScene *scene, int32_t vertex, const double translation[3]);

ThawWorld *physics_world(const PhysicsScene *scene);
void physics_run(ThawWorld *world, int64_t steps);
void physics_static(ThawWorld *world);

// Copies of the first body's data; the caller frees them.
double *physics_positions(const ThawWorld *world);
double *physics_velocities(const ThawWorld *world);
double *physics_masses(const ThawWorld *world);
double physics_coordinate(const ThawWorld *world, int32_t vertex, int axis);

// Sum m v and sum x cross m v of the first body (2D: only the third component of the latter).
void physics_momentum(const ThawWorld *world, double linear[3], double angular[3]);

double physics_random(uint64_t *seed); // in [-1, 1)
double physics_distance(const double *a, const double *b, size_t count);
size_t physics_coordinates(const ThawWorld *world); // dim times vertices

// The extrapolated limit of f(h), f(h/2), f(h/4) with whatever order they show, and that order.
double physics_richardson(const double f[3], double *order);

// First Piola-Kirchhoff stresses along the axes of a body stretched by lambda along them, written down independently
// of the library.
void physics_stress(const ThawMaterialDef *material, const double lambda[3], double P[3]);

#endif
