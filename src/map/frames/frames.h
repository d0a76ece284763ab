// SPDX-License-Identifier: Apache-2.0
// The map of frames: vertices move with blended affine or quadratic fields of a few frames,
//     v_p = D_p sum_j phi_j(p) sum_c m_c((y_p - c_j) / s_j) q_jc + w_p.
// q_jc are vectors, m_c monomials (1, x, y, z; and x^2, xy, ... of quadratic frames), y the vertices' places at some
// time, c_j and s_j a frame's centre and size by them, phi its shape function (tree.h), D_p 1 unless vertices are
// scripted (hold.c). Frames carry velocities only: the shape is x, whatever the frames are. While x moves by the map it
// stays among the fields of y, and so do its rigid motions; the map keeps momentum for as long as that holds.
#ifndef THAW_FRAMES_H
#define THAW_FRAMES_H

#include "map/frames/tree.h"
#include "map/map.h"

enum { THAW_MONOMIALS_MAX = 10 };

// How scripted vertices hold a body.
typedef struct ThawFrameHold {
    double *share;   // nv: D, 0 at scripted vertices and towards 1 far from them; NULL: nothing is scripted
    int32_t *leader; // 3 * nv: scripted vertices of the point closest to a vertex
    double *lead;    // 3 * nv: their weights, of sum 1 - D
} ThawFrameHold;
// size: m, where D is a half.
ThawStatus thaw_frame_hold_create(const ThawShape *shape, const unsigned char *scripted, double size,
                                  ThawFrameHold *hold, ThawError *error);
void thaw_frame_hold_clear(ThawFrameHold *hold);

typedef struct ThawFrameMapDef {
    const ThawFrameTree *tree;     // must outlive the map
    const unsigned char *active;   // of its nodes; NULL: all
    const unsigned char *scripted; // nv
    int led;                       // scripted vertices may move: w of those around them follows
    int order;                     // 1: affine, 2: quadratic
    const double *y;               // dim * nv, m
    const ThawIntegrationSet *set; // not owned
} ThawFrameMapDef;
ThawStatus thaw_map_frames_create(const ThawFrameMapDef *def, ThawMap **map, ThawError *error);

#endif
