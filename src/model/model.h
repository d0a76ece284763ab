// SPDX-License-Identifier: Apache-2.0
// The model: a definition compiled once, const from then on, but for which shape a body has (change.h). Shapes are
// shared by bodies.
//
// Inside, vertices are renumbered (reverse Cuthill-McKee) and elements sorted by their lowest vertex, so that what is
// near in space is near in memory. The outside sees the mesh's own numbering only: vertex_user and element_user
// translate.
#ifndef THAW_MODEL_H
#define THAW_MODEL_H

#include <stdatomic.h>

#include "base/base.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "model/element.h"
#include "model/integration.h"
#include "registry/method.h"
#include "registry/scheme.h"
#include "thaw/world.h"

typedef struct ThawMaterial {
    ThawMaterialModel model;
    const ThawMaterialOps *ops;
    double density, young, poisson, alpha0, alpha1;
    double c[THAW_MATERIAL_CONSTANTS];
    double viscosity[2]; // Pa s, alpha1 times lambda and mu; 0 where alpha1 damps by K
    double modulus;      // Pa, along what is stiffest: Young's, and what fibres add
    ThawWeave weave;     // as defined
    ThawFibre fibre;     // as defined
    double edge_stiffness, area_stiffness;
    double strain_limits[2]; // as defined
} ThawMaterial;

// The materials of a model, const. Shapes outlive it where other worlds have them, too (definition.h), and so do
// theirs.
typedef struct ThawMaterials {
    atomic_int owners;
    int32_t count;
    ThawMaterial list[];
} ThawMaterials;
ThawMaterials *thaw_materials_share(ThawMaterials *materials); // NULL: nothing
void thaw_materials_free(ThawMaterials **materials);           // the last owner's ends them

// sheet.c: moduli of plane stress along warp and weft, 11 21 22 31 32 33, with the shear modulus last, Pa.
void thaw_material_moduli(const ThawMaterial *material, double C[6]);

typedef struct ThawGroup {
    char *name;
    int32_t count;
    int32_t *vertices; // internal ids, ascending
    double mass;       // kg, of its vertices
} ThawGroup;

typedef struct ThawShape {
    atomic_int owners;    // models and definitions (definition.h) that have it; 0: it lies in somebody's array
    ThawMaterials *shelf; // what `materials` is of, of a shape with owners
    char *name;
    int dim; // of space
    int32_t nv, ne;
    int32_t points;           // vertices that the outside knows: nv, and behind them those that no element is left of
    int32_t *vertex_user;     // points, internal -> mesh
    int32_t *element_user;    // ne, internal -> mesh
    double *X;                // dim * points, rest positions, m
    ThawElementBlock *blocks; // all that has energy; element ids run through them
    int32_t block_count;
    const ThawElementBlock *cells; // the first: the mesh's own elements, which partition, surface and fields are over
    int32_t *elements_user;        // cells: nodes * ne, the mesh's own: orientation and numbering as it came
    int32_t *region;               // cells, by the mesh's own element id
    const ThawMaterial *materials; // the model's
    double *mass;                  // points, kg, lumped
    double *damping_mass;          // nv, kg/s: alpha0 times mass, element by element
    int has_drag;                  // not all of that is zero
    double *stiffness;             // nv, N/m: sum_e V E |grad N|^2, about what K has on its diagonal
    double *stiffness_damping;     // nv, N s/m: the same times alpha1, element by element
    double total_mass;             // kg
    double heavier;                // times which masses are those of the densities; 0: once
    double thickness;              // m, out of plane, and of a sheet; 1 of solids in 3D
    ThawMembrane membrane;         // of a sheet
    ThawBending bending;           // of a sheet
    ThawLimiting limiting;         // of a sheet
    int clamped;                   // some triangle has strain limits, and they are clamped
    double smooth;                 // degrees, ThawShapeDef
    double bending_damping;        // s, of a sheet; < 0: alpha1
    double *fibre;                 // 3 * ne, units at rest; NULL where no material has fibres
    double *warp;                  // of a woven sheet: 3 * ne, by the mesh's element, units in its plane; else NULL
    double pressure;               // Pa, inside a closed sheet
    double yield_curvature;        // 1/m, of a sheet; 0: it does not yield by that
    double yield_angle;            // rad, likewise
    struct ThawHinges *hinges;     // of a sheet (hinges.h), NULL where angles are not followed; else NULL
    struct ThawCreases *creases;   // of a sheet that yields (crease.h); else NULL
    struct ThawFold *folds;        // ne, of a sheet (fold.h); else NULL
    double diameter;               // m, of the bounding box
    double gauge;                  // m, of what bears a load put on it: the diameter, or the thickness of a sheet
    double blow;                   // s, that the body's own blow on what is hard and heavy takes; 0 of a sheet
    ThawGraph *graph;              // vertices that share an element
    int32_t *across;               // cells: nodes * ne, the element beyond the face opposite each node, -1: none
    ThawGroup *groups;
    int32_t group_count;
    ThawIntegrationSet *all;     // every element
    struct ThawVariant *variant; // how it came about, of a shape that has changed (change.h); else NULL
} ThawShape;

// Pa, of an element of a block: Young's, and what fibres add.
static inline double thaw_element_modulus(const ThawShape *shape, const ThawElementBlock *block, int32_t e) {
    const double modulus = shape->materials[block->material[e]].modulus;
    return block->factor ? block->factor[e] * modulus : modulus;
}

// Motion that was set from outside: from one place to the next at constant speed, and it stands before and after. It
// counts in place of keyframes.
typedef struct ThawDrive {
    int on;
    ThawKey keys[2];
} ThawDrive;

// A group that is moved along keyframes (or pinned: no keys).
typedef struct ThawScript {
    const ThawGroup *group; // of the body's present shape
    int32_t group_index;
    double centre[3];
    ThawInterpolation interpolation;
    ThawKey *keys;
    int32_t key_count;
    ThawDrive drive; // of the state
    double release;
} ThawScript;

typedef struct ThawLoad {
    const ThawGroup *group; // of the body's present shape
    int32_t group_index;
    ThawForceKind kind;
    double value[3];
    double from, to, ramp;
    double air, drag, lift; // of wind
} ThawLoad;

typedef struct ThawModelBody {
    char *name;
    const ThawShape *shape;     // as it is now
    const ThawShape *base;      // before all changes
    int32_t first_vertex;       // where its vertices start in the state
    int32_t mover;              // whose stepper moves it: the first body of its unit, or itself
    int32_t moved;              // bodies that its stepper moves, itself the first of them; 0: another's moves it
    struct ThawModelBody *unit; // of which it is a part: a body of the vertices of all (unit.c); NULL: of none
    int32_t unit_vertex;        // where its vertices and elements begin in those of the unit; 0: of none
    int32_t unit_element;
    struct ThawScheduled *changes; // by time (change.h)
    int32_t change_count;
    int32_t copies, removed; // copies of vertices made, and elements gone, in the end
    int method;              // that it starts with: an index of the registry
    int starts_at_rest;      // from its static solution, asleep
    double position[3], rotation[4], velocity[3], spin[3];
    ThawScript *scripts;
    int32_t script_count;
    ThawLoad *loads;
    int32_t load_count;
    double friction, restitution;
    int self_contact;
    struct ThawSkeleton *skeleton; // joint.h: of a body or unit that has bones; else NULL
    int is_bone;
} ThawModelBody;

typedef struct ThawModelObstacle {
    char *name;
    ThawObstacleKind kind;
    double size[3];
    double *x; // dim * vertex_count, in its own frame (of a moving surface: the first frame); NULL unless a mesh
    int32_t vertex_count;
    int32_t *faces; // dim * face_count, outward
    int32_t face_count;
    double *frames;      // frame_count * dim * vertex_count; NULL without frames
    double *frame_times; // frame_count, s, ascending
    int32_t frame_count;
    double position[3], rotation[4];
    ThawScript script; // its keyframes; no group
    double friction, restitution;
} ThawModelObstacle;

// A rule for pairs. Flags run over bodies and then obstacles; the rule holds for a flagged one of each side.
typedef struct ThawModelPair {
    unsigned char *side[2]; // body_count + obstacle_count each
    int disabled;
    double friction, restitution; // < 0: as usual
} ThawModelPair;

// What holds of a pair that may touch.
typedef struct ThawTouch {
    double friction, restitution;
} ThawTouch;

// When, and after which step, h became what it is.
typedef struct ThawClock {
    double time; // s
    int64_t step;
} ThawClock;

typedef struct ThawModel {
    ThawWorldDef options; // scalars only; the pointers in it are NULL
    int dim;
    ThawClock clock;
    ThawMaterials *shelf;
    const ThawMaterial *materials; // those on the shelf
    int32_t material_count;
    ThawShape **shapes;
    int32_t shape_count; // that the definition has; behind them are those of bodies that fold them as they go
    int32_t own_count;
    ThawShape **variants; // shapes that have changed, those in use
    int32_t variant_count;
    ThawModelBody *bodies;
    int32_t body_count;
    int32_t vertex_count; // of all bodies
    ThawModelBody *units; // bodies that stand for several of the list; keys of their scripts belong to those
    ThawShape *unit_shapes;
    int32_t unit_count;
    ThawModelObstacle *obstacles;
    int32_t obstacle_count;
    ThawModelPair *pairs;
    int32_t pair_count;
    int rebounds;                       // a pair may have a coefficient of restitution
    struct ThawAttachment *attachments; // attachment.h
    int32_t attachment_count;
    int32_t *first_glued;            // body_count: an attachment that glues a region of it, -1: none; NULL: no body is
    struct ThawAnchor *anchors;      // of all of them
    struct ThawAnchor *base_anchors; // the same before all changes
    int32_t anchor_count;
} ThawModel;

ThawStatus thaw_model_create(const ThawWorldDef *def, ThawModel **model, ThawError *error);

// s, after so many steps; halves count, too.
static inline double thaw_model_time(const ThawModel *model, double step) {
    return model->clock.time + (step - (double)model->clock.step) * model->options.h;
}

// What of a definition has been compiled before and is taken over: pieces that are NULL are compiled anew.
typedef struct ThawReuse {
    ThawMaterials *shelf;
    ThawShape *const *shapes;              // shape_count
    const struct ThawAnchors *const *held; // attachment_count (attachment.h)
    // Attachments without anchors begin at `time`, where bodies are then: vertices of their base shapes, of each body
    // (NULL, or all NULL: where it starts); and obstacles, by `drives` where these are on.
    double time;
    const double *const *now;
    const ThawDrive *drives;
    int lenient; // rules for pairs may name what is not there (any more)
} ThawReuse;
ThawStatus thaw_model_compile(const ThawWorldDef *def, const ThawReuse *reuse, ThawModel **model, ThawError *error);
// The place of a shape in the model's list; -1: it is none of it.
int32_t thaw_model_shape_index(const ThawModel *model, const ThawShape *shape);
void thaw_model_free(ThawModel **model);
// Another shape of the same base for a body: its scripts and loads follow. Then, for all bodies: where their vertices
// start, and what attachments hold to.
void thaw_model_give_shape(ThawModel *model, int32_t body, const ThawShape *shape);
void thaw_model_lay_out(ThawModel *model);

// shape.c
ThawStatus thaw_shape_compile(const ThawShapeDef *def, int dim, const ThawMaterial *materials, int32_t material_count,
                              ThawShape *shape, ThawError *error);
void thaw_shape_clear(ThawShape *shape);
// An owner's part in a shape: one more, and away with it. The last one's ends the shape.
ThawShape *thaw_shape_share(ThawShape *shape);
void thaw_shape_free(ThawShape **shape);
// What elements have of their own, by the mesh's element.
typedef struct ThawElementData {
    int32_t *material; // index into the shape's materials
    double *factor;    // times which it is as stiff; NULL: all as they are
    double *fibre;     // 3 each, units; NULL: there are none
} ThawElementData;
void thaw_element_data_clear(ThawElementData *data);

// What follows from a mesh and that alone: numbering, rest data, masses, graph. points: at least the mesh's vertices;
// the others' numbers and places are left open. The shape has dim, materials and thickness.
ThawStatus thaw_shape_fill(const ThawMesh *mesh, const ThawElementData *data, int32_t points, ThawShape *shape,
                           ThawError *error);

// Room for nv vertices of a mesh, and points without elements behind them, and for its elements.
ThawStatus thaw_shape_reserve(const ThawMesh *mesh, const ThawElementOps *kind, int32_t points, ThawShape *shape,
                              ThawError *error);
// Graph, neighbours, size and the set of all elements, of a shape whose numbering, rest data and masses are in place.
ThawStatus thaw_shape_finish(ThawShape *shape, ThawError *error);

// unit.c: bodies that name the same unit, joined; the bodies are compiled.
ThawStatus thaw_units_compile(const ThawWorldDef *def, ThawModel *model, ThawError *error);
void thaw_units_clear(ThawModel *model);
// What the stepper of a body works on: the body, or its unit.
static inline ThawModelBody *thaw_model_moved(const ThawModel *model, int32_t body) {
    ThawModelBody *b = &model->bodies[body];
    return b->unit ? b->unit : b;
}

// obstacle.c
// Validates the contact options and compiles obstacles and pairs; bodies come first, for their names.
ThawStatus thaw_obstacles_compile(const ThawWorldDef *def, const ThawReuse *reuse, ThawModel *model, ThawError *error);
void thaw_obstacles_clear(ThawModel *model);
// Whether two may touch (a body's index, or -1 - obstacle) and how: the last rule that applies to both decides.
int thaw_model_may_touch(const ThawModel *model, int32_t a, int32_t b, ThawTouch *touch);
// Whether scripts and pins hold all of a body for ever: it neither gives way nor is pushed away, like an obstacle.
int thaw_model_is_led(const ThawModelBody *body);
// s, that a blow of two takes (step/blow.c); 0: a sheet is one of them, or none gives way.
double thaw_model_blow_time(const ThawModel *model, int32_t a, int32_t b);

enum { THAW_MADE = 0x74686177 }; // the mark of default functions: structs are others in every version
// Refuses a definition that was not made by `function`.
ThawStatus thaw_check_made(const char *where, uint32_t made, const char *function, ThawError *error);
// What several compilers check: messages begin with `where` and name the field.
ThawStatus thaw_check_vector(const char *where, const char *field, const double *x, int count, ThawError *error);
ThawStatus thaw_check_restitution(const char *where, double restitution, ThawError *error);
// What the selector reads of a group must make sense; messages begin with "shape SHAPE: group NAME".
ThawStatus thaw_check_group(const char *shape, const char *name, const ThawGroupDef *group, int dim, ThawError *error);
// Copies a rotation and scales it to unit length.
ThawStatus thaw_check_rotation(const char *where, int dim, const double *q, double *out, ThawError *error);
// Copies keyframes into a script.
ThawStatus thaw_check_keys(const char *where, int dim, const ThawKey *keys, int32_t key_count, const double *centre,
                           ThawInterpolation interpolation, ThawScript *script, ThawError *error);

// script.c
// Keyframes in force: those of its drive, or its own.
static inline int32_t thaw_script_keys(const ThawScript *script, const ThawKey **keys) {
    *keys = script->drive.on ? script->drive.keys : script->keys;
    return script->drive.on ? 2 : script->key_count;
}
static inline int thaw_script_moves(const ThawScript *script) { // at some time
    return script->drive.on || script->key_count > 1;
}
// Where a script has moved its group at time t, relative to the start pose.
typedef struct ThawPose {
    double centre[3], translation[3], rotation[4];
} ThawPose;
void thaw_script_pose(const ThawScript *script, double t, ThawPose *pose);
// A script of a body is driven from now on, in its unit, too.
void thaw_model_drive_script(ThawModel *model, int32_t body, int32_t script, const ThawDrive *drive);
// Where the vertex that started at `start` (dim doubles) is in that pose.
void thaw_pose_apply(const ThawPose *pose, int dim, const double *start, double *x);
// A rigid placement: x = R X + p, R row-major.
typedef struct ThawPlace {
    double R[9], p[3];
} ThawPlace;
// Where an obstacle's own frame is at time t.
void thaw_obstacle_place(const ThawModelObstacle *obstacle, double t, ThawPlace *place);
// Positions of a mesh obstacle's vertices at time t in its own frame: a weighted mean of two frames, a (1-s) + b s.
void thaw_obstacle_frames(const ThawModelObstacle *obstacle, double t, int32_t *a, int32_t *b, double *s);
// The share of a load that acts at time t: 0 outside its window, rising to 1 over the ramp.
double thaw_load_factor(const ThawLoad *load, double t);
// x = rotation * X + position, and back.
void thaw_body_place(const ThawModelBody *body, int dim, const double *X, double *x);
void thaw_body_unplace(const ThawModelBody *body, int dim, const double *x, double *X);

#endif
