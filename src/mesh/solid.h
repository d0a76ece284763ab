// SPDX-License-Identifier: Apache-2.0
// A solid as a tree of nodes, for whoever builds one: scene/solid.c from JSON, solid.c from a surface.
#ifndef THAW_MESH_SOLID_H
#define THAW_MESH_SOLID_H

#include "base/base.h"
#include "mesh/winding.h"
#include "thaw/mesher.h"

typedef enum ThawSolidKind {
    THAW_SOLID_SPHERE,       // radius, about the origin
    THAW_SOLID_BOX,          // half extents, rounding radius
    THAW_SOLID_CAPSULE,      // length along z, radii at z = 0 and z = length
    THAW_SOLID_TORUS,        // radius in the plane z = 0, tube's radius
    THAW_SOLID_REVOLUTION,   // points (r, z), turned about z
    THAW_SOLID_PRISM,        // points (x, y), from z = value[0] to value[1]; without end in a flat solid
    THAW_SOLID_HALF_SPACE,   // outward unit normal and its offset: n . x <= offset
    THAW_SOLID_SURFACE,      // a triangle surface
    THAW_SOLID_UNION,        // also with one child: the child, placed
    THAW_SOLID_SMOOTH_UNION, // blending radius
    THAW_SOLID_INTERSECTION,
    THAW_SOLID_DIFFERENCE, // the first child without the others
    THAW_SOLID_SHELL,      // thickness, inwards from the child's surface
    THAW_SOLID_OFFSET,     // distance, outwards
    THAW_SOLID_TWIST,      // rad/m about z
} ThawSolidKind;

enum { THAW_SOLID_VALUES = 4 };

typedef struct ThawSolidNode {
    ThawSolidKind kind;
    int32_t child, next; // first child, next sibling; -1: none
    int32_t region;      // index of a region's name; -1: that of the node above
    double value[THAW_SOLID_VALUES];
    double *points; // 2 * point_count, a closed polygon; owned
    int32_t point_count;
    int segments; // nonzero: they are the ends of segments instead, two each, that close
    // Nonzero: inside is where the polygon runs around, however often; else where it does so an odd number of times.
    int nonzero;
    ThawWinding *surface; // owned
    // Placement: x = F X + t from the node's own coordinates X to those above, F^-1 = A (both row-major).
    int placed;
    double F[9], A[9], t[3];
    double shrink; // at most so much shorter are distances above: the smallest singular value of F
    // Bounds in the coordinates above; infinite where there is no end.
    double lo[3], hi[3];
} ThawSolidNode;

struct ThawSolid {
    int dim;
    int32_t node_count, node_room;
    ThawSolidNode *nodes;
    int32_t root;
    int32_t region_count, region_room;
    char **region_names; // the first is "default"
};

ThawStatus thaw_solid_create(int dim, ThawSolid **solid, ThawError *error);
// A node without children, not placed; its id, or -1 without memory. Pointers to nodes do not outlive this.
int32_t thaw_solid_add(ThawSolid *solid, ThawSolidKind kind);
// Puts `child` behind the children that `parent` has.
void thaw_solid_adopt(ThawSolid *solid, int32_t parent, int32_t child);
// x -> F x + t after the placement the node has. shrink: the smallest singular value of F. F must be invertible.
void thaw_solid_place(ThawSolidNode *node, const double F[9], const double t[3], double shrink);
// The index of a region's name, which is added when it is new; -1 without memory.
int32_t thaw_solid_add_region(ThawSolid *solid, const char *name);
// To be called once for each node, when its children are bounded and it is placed.
void thaw_solid_bound(ThawSolid *solid, int32_t node);

// Calls `visit` for each surface in the tree.
void thaw_solid_surfaces(const ThawSolid *solid, void (*visit)(void *context, const ThawWinding *), void *context);

#endif
