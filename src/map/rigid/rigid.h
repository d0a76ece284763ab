// SPDX-License-Identifier: Apache-2.0
// How the rigid map is made, and its inside: what its kinematics (rigid.c) and its assembly (junction.c) share.
#ifndef THAW_MAP_RIGID_H
#define THAW_MAP_RIGID_H

#include "map/map.h"
#include "map/rigid/partition.h"

// Elastic vertices (first, in their order) and rigid parts (solids paper, section 3.2). scripted: the partition's
// script flags will do. set: the partition's elastic elements, or shape->all when it has no part. Partition and set
// must outlive the map; the map is good while the partition's topology stands, and belongs to one body.
ThawStatus thaw_map_rigid_create(const ThawShape *shape, const unsigned char *scripted, ThawPartition *partition,
                                 const ThawIntegrationSet *set, ThawMap **map, ThawError *error);

// --- inside ----------------------------------------------------------------------------------------------------------

// An element that touches a part: which of its few reduced blocks each node's factors belong to, and where those go.
typedef struct ThawJunction {
    int8_t local[THAW_ELEMENT_NODES_MAX][2]; // [node][0: I, 1: lever], -1: none
    int8_t count;                            // local blocks, in ascending order of their blocks
    int8_t lane;
    int32_t slot; // its count (count + 1) / 2 places in junction_slot
} ThawJunction;

typedef struct ThawRigidMap {
    ThawMap map;
    ThawPartition *partition;
    uint32_t topology;       // of the partition, that the map was made for
    unsigned char *scripted; // nv: velocity is given
    unsigned char *idle;     // n * dim
    int32_t elastic;         // blocks that are elastic vertices: the first ones
    int32_t *block_of;       // nv: block of an elastic vertex; -1: scripted or in a part
    int32_t *vertex_of;      // elastic: its vertex
    int32_t *part_block;     // by part: its first block, -1: fixed
    int32_t *loose;          // loose_count of nv, ascending: vertices that no part moves
    int32_t loose_count;
    double *rho;             // dim * nv: levers R r of the vertices of parts, 0 where G is
    int32_t pairs;           // blocks an element, of the kind with most
    int32_t *slot;           // batch * pairs * lanes: as in the identity map; -1 also in junctions
    int32_t *junction_start; // batches + 1
    ThawJunction *junctions;
    int32_t *junction_slot; // entry of the pattern; below 0: ~index of a sum aside
    int32_t aside_count;
    int32_t *aside_entry; // entry of the pattern, chunk by chunk
    double *aside;        // aside_count blocks; zero outside of assembly
    ThawPart *outside;    // by part: as it was before `enter`
} ThawRigidMap;

// validate.c: whether a map of rigid.c is the partition's as it is now.
ThawStatus thaw_map_rigid_validate(const ThawMap *map, const ThawPartition *partition, ThawError *error);

static inline int thaw_hold_blocks(ThawHold hold) {
    return hold == THAW_HOLD_FREE ? 2 : hold == THAW_HOLD_FIXED ? 0 : 1;
}

// rigid.c: the part's v and omega.
void thaw_rigid_take_rates(const ThawRigidMap *self, int32_t part, const double *q, double v[3], double omega[3]);

// stress.c
void thaw_rigid_add_stress(const ThawMap *map, ThawStiffness scale, ThawBlockMatrix *A);
double thaw_rigid_stress_form(const ThawMap *map, ThawStiffness scale, const double *q);
void thaw_rigid_stress_product(const ThawMap *map, ThawStiffness scale, const double *a, double *u);

// junction.c
// G' diag(scale m) G of one part from its moments.
void thaw_rigid_add_moments(const ThawRigidMap *self, int32_t part, const ThawMoments *moments, double scale,
                            ThawBlockMatrix *A);
ThawStatus thaw_rigid_pattern(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error);
void thaw_rigid_add_diagonal(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A);
void thaw_rigid_add_blocks_2d(void *assembly, int32_t batch, const ThawLanes *blocks);
void thaw_rigid_add_blocks_3d(void *assembly, int32_t batch, const ThawLanes *blocks);
void thaw_rigid_finish(void *assembly);
// Fills the tables from slot on.
ThawStatus thaw_rigid_find_slots(ThawRigidMap *self, ThawError *error);

#endif
