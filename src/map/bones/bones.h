// SPDX-License-Identifier: Apache-2.0
// The map of a skeleton and what is soft on it: q are velocities of free vertices and, behind them, the rates of all
// joints; what bones carry follows, v_i = J_i q (soft bodies by composed maps: bones move what they carry, joints move
// bones). Joints are packed dim to a block; what is left of the last one is idle.
//
// The bones' own mechanics are followed by fall.h, which leads to rates q^ and coordinates at the end of the step. The
// step solves for what contacts and soft bodies change of that:
//     (H + Z) q = (H + Z) q^ + h J'f + J' lambda,    Z = h C + h^2 K of joints' dampers and springs,
// Where nothing acts but loads, coordinates are those of the fall, of its order. Where anything may push or pull in
// return, they go by the rates of the end, at1 = at0 + h q, as all else does that touches, so that what rests rests; J
// is then that of the start, to which contacts and limits belong, and arcs are seen as `chord`. And joints are left out
// of the fall, for their springs and dampers have to see where they go by that.
#ifndef THAW_BONES_H
#define THAW_BONES_H

#include "map/bones/fall.h"
#include "map/map.h"

// What the map follows: the method's state.
typedef struct ThawBonesState {
    double *at;   // at_count
    double *rate; // dof_count
} ThawBonesState;

typedef struct ThawBonesMap {
    ThawMap map;
    const ThawSkeleton *tree;
    ThawBonesState *state;
    double h;            // s, of the interval; the next three are set before `update`
    const int *touching; // the body is in contact in it
    int soft;            // anything soft hangs on it
    ThawFall fall;
    int32_t free_blocks, joint_blocks;
    int32_t *block_of;  // nv: of a free vertex; -1: it is carried, or scripted
    int32_t *vertex_of; // free_blocks
    int32_t *frame_of;  // nv: 0: carried; -1
    unsigned char *idle;
    // As of the last update:
    ThawLinkPose *pose;          // of G
    double *base_at, *base_rate; // where coordinates go from, at1 = base + h (q - base_rate)
    double *hat;                 // q^
    double *start;               // p: rates of the start, turned along: H p = H q^ - h J'f_ext
    double *momentum;            // (H + Z) q^ - h J'f_ext
    double *impedance;           // Z
    double *inertia;             // dof_count squared, H
    double *chord;               // dim * nv, m/s: (x^ - x0) / h - J q^
    // Assembly (assemble.c):
    int32_t *slot;          // by batch, pair of nodes and lane: entry of the pattern, -1: none, -2 - k: aside[k]
    unsigned char *touches; // by batch: an element of it has a node that is carried
    int32_t pairs;
    int32_t aside_count;
    int32_t (*aside_vertex)[2];
    double *aside;                   // dim^2 each
    const ThawBlockPattern *pattern; // own
    // Scratch:
    ThawLinkPose *end;
    double *stage_at, *way, *q, *factor, *square, *lost; // lost: dim * nv
    ThawLinkMass *mass;
    double *space;
} ThawBonesMap;

static inline ThawBonesMap *thaw_bones_of(const ThawMap *map) { return (ThawBonesMap *)(uintptr_t)map; }

// scripted: nv flags, of free vertices only.
ThawStatus thaw_map_bones_create(const ThawShape *shape, const ThawSkeleton *tree, const unsigned char *scripted,
                                 const ThawIntegrationSet *set, ThawBonesState *state, ThawMap **map, ThawError *error);
// x of what links carry.
void thaw_bones_place(const ThawSkeleton *tree, int32_t nv, const ThawLinkPose *pose, double *x);
// v of what links carry, of poses with rates.
void thaw_bones_velocities(const ThawSkeleton *tree, int32_t nv, const ThawLinkPose *pose, double *v);
// r = J' f of what links carry; masses m by vertex, or NULL: 1.
void thaw_bones_gather(const ThawSkeleton *tree, int32_t nv, const ThawLinkPose *pose, const double *m, const double *f,
                       double *r);

// assemble.c
ThawStatus thaw_bones_pattern(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error);
ThawStatus thaw_bones_find_slots(ThawBonesMap *self, ThawError *error);
void thaw_bones_add_blocks(void *context, int32_t batch, const ThawLanes *blocks);
void thaw_bones_finish(void *context);
void thaw_bones_add_diagonal(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A);

#endif
