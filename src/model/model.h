// SPDX-License-Identifier: Apache-2.0
// The model: a definition compiled once, const from then on. Shapes are shared by bodies.
//
// Inside, vertices are renumbered (reverse Cuthill-McKee) and elements sorted by their lowest vertex, so that what is near
// in space is near in memory. The outside sees the mesh's own numbering only: vertex_user and element_user translate.
#ifndef THAW_MODEL_H
#define THAW_MODEL_H

#include "base/base.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "model/element.h"
#include "model/integration.h"
#include "thaw/world.h"

typedef struct ThawMaterial {
    ThawMaterialModel model;
    const ThawMaterialOps *ops;
    double density, alpha0, alpha1;
    double c[THAW_MATERIAL_CONSTANTS];
} ThawMaterial;

typedef struct ThawGroup {
    char *name;
    int32_t count;
    int32_t *vertices; // internal ids, ascending
    double mass;       // kg, of its vertices
} ThawGroup;

typedef struct ThawShape {
    char *name;
    const ThawElementKind *kind;
    int32_t nv, ne;
    int32_t *vertex_user;          // nv, internal -> mesh
    int32_t *element_user;         // ne, internal -> mesh
    double *X;                     // dim * nv, rest positions, m
    int32_t *elements;             // nodes * ne, ascending in each element
    int32_t *elements_user;        // nodes * ne, the mesh's own: orientation and numbering as it came
    int32_t *region;               // ne, by the mesh's own element id
    int32_t *material;             // ne, index into the model's materials
    const ThawMaterial *materials; // the model's
    double *weight;                // ne * points, m^3
    double *gradient;              // ne * points * (nodes-1) * dim, 1/m
    double *mass;                  // nv, kg, lumped
    double *damping_mass;          // nv, kg/s: alpha0 times mass, element by element
    double total_mass;             // kg
    double diameter;               // m, of the bounding box
    ThawGraph *graph;              // vertices that share an element
    ThawGroup *groups;
    int32_t group_count;
    ThawIntegrationSet *all; // every element
} ThawShape;

// A group that is moved along keyframes (or pinned: no keys).
typedef struct ThawScript {
    const ThawGroup *group;
    double centre[3];
    ThawInterpolation interpolation;
    ThawKey *keys;
    int32_t key_count;
    double release;
} ThawScript;

typedef struct ThawLoad {
    const ThawGroup *group;
    ThawForceKind kind;
    double value[3];
    double from, to, ramp;
} ThawLoad;

typedef struct ThawModelBody {
    char *name;
    const ThawShape *shape;
    int32_t first_vertex; // where its vertices start in the state
    double position[3], rotation[4], velocity[3], spin[3];
    ThawScript *scripts;
    int32_t script_count;
    ThawLoad *loads;
    int32_t load_count;
} ThawModelBody;

typedef struct ThawModel {
    ThawWorldDef options; // scalars only; the pointers in it are NULL
    int dim;
    ThawMaterial *materials;
    int32_t material_count;
    ThawShape *shapes;
    int32_t shape_count;
    ThawModelBody *bodies;
    int32_t body_count;
    int32_t vertex_count; // of all bodies
} ThawModel;

ThawStatus thaw_model_create(const ThawWorldDef *def, ThawModel **model, ThawError *error);
void thaw_model_free(ThawModel **model);

// shape.c
ThawStatus thaw_shape_compile(const ThawShapeDef *def, int dim, const ThawMaterial *materials, int32_t material_count,
                              ThawShape *shape, ThawError *error);
void thaw_shape_clear(ThawShape *shape);

// script.c
// Where a script has moved its group at time t, relative to the start pose.
typedef struct ThawPose {
    double centre[3], translation[3], rotation[4];
} ThawPose;
void thaw_script_pose(const ThawScript *script, double t, ThawPose *pose);
// Where the vertex that started at `start` (dim doubles) is in that pose.
void thaw_pose_apply(const ThawPose *pose, int dim, const double *start, double *x);
// The share of a load that acts at time t: 0 outside its window, rising to 1 over the ramp.
double thaw_load_factor(const ThawLoad *load, double t);
// x = rotation * X + position.
void thaw_body_place(const ThawModelBody *body, int dim, const double *X, double *x);

#endif
