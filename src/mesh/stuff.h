// SPDX-License-Identifier: Apache-2.0
// Between the files of the mesher: a background lattice over an octree (stuff_lattice.c), cut by a solid's surface
// (stuff.c).
#ifndef THAW_MESH_STUFF_H
#define THAW_MESH_STUFF_H

#include <stdint.h>

#include "base/base.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"

// 64-bit keys to 32-bit values, open addressing. Keys are below 2^64 - 1.
typedef struct ThawTable {
    uint64_t *key; // 1 << bits of them, key + 1; 0: free
    int32_t *value;
    int bits;
    int32_t count;
} ThawTable;

// The value of the key, or `absent`.
int32_t thaw_table_find(const ThawTable *table, uint64_t key, int32_t absent);
// Where the key's value is, which is `fresh` if the key was not there; NULL without memory. Valid until the next call.
int32_t *thaw_table_put(ThawTable *table, uint64_t key, int32_t fresh);
void thaw_table_free(ThawTable *table);

// A cell of the octree (in 2D quadtree) that is not divided.
typedef struct ThawLeaf {
    int32_t cell[3];   // in cells of its level
    int32_t centre;    // vertex ids
    int32_t corner[8]; // 4 in 2D; bit k of the index: upper end along axis k
    int8_t level;
    int8_t inside;  // nonzero: far enough inside that neither cuts nor warped vertices come near
    int8_t divided; // while balancing
} ThawLeaf;

enum { THAW_LATTICE_DEEPEST = 19 };

typedef struct ThawLattice {
    const ThawSolid *solid;
    ThawTasks *tasks;
    int dim;
    double size;      // m, of the finest cells
    double origin[3]; // of the root cell
    int depth;        // level of the finest cells, at most THAW_LATTICE_DEEPEST; the root has level 0
    int coarsest;     // level of the largest leaves
    int64_t limit;    // leaves at most
    int64_t evaluations;

    int32_t leaf_count, leaf_room;
    ThawLeaf *leaves;
    ThawTable nodes;   // (level, cell) to the leaf there, or -2 for a divided cell
    ThawTable corners; // place of a corner to its vertex

    int32_t vertex_count, vertex_room;
    int32_t (*place)[3]; // in halves of the finest cells, from the origin
    double *distance;    // of a vertex; -INFINITY: inside, not evaluated

    int32_t element_count, element_room;
    // dim + 1 vertices each, positively oriented, at least one of them inside. Of finest cells: in 3D (centre, centre,
    // corner, corner), in 2D (centre, corner, corner).
    int32_t *elements;
} ThawLattice;

// Fills in everything from `leaf_count` on; what comes before must be set. On error the caller frees all the same.
ThawStatus thaw_lattice_build(ThawLattice *lattice, ThawError *error);
void thaw_lattice_free(ThawLattice *lattice);
void thaw_lattice_position(const ThawLattice *lattice, int32_t vertex, double x[3]);

// Cuts the lattice: a mesh without regions and groups; NULL when nothing is left.
ThawStatus thaw_lattice_stuff(ThawLattice *lattice, ThawMesh **mesh, ThawError *error);

// Moves vertices near creases of the solid onto them, as far as angles allow; *moved counts them (stuff_sharpen.c).
ThawStatus thaw_mesh_sharpen(const ThawSolid *solid, double size, ThawTasks *tasks, ThawMesh *mesh, int32_t *moved,
                             ThawError *error);

// Fills reach and lost of the report, whose size is known (stuff_lost.c); surface: of the mesh. In space only.
ThawStatus thaw_mesh_find_lost(const ThawSolid *solid, const ThawMesh *mesh, const ThawSurface *surface,
                               ThawTasks *tasks, ThawMesherReport *report, ThawError *error);

#endif
