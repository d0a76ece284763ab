// SPDX-License-Identifier: Apache-2.0
// Attachments, compiled: regions of bodies that are held to another body, an obstacle or a frame. An attachment is a
// block of elements that join bodies: one a vertex of the region, each a spring and a damper between that vertex and an
// anchor. There are two kinds: springs that pull to their anchor, and springs of a length along the line to it.
//
// An anchor on a body is a fixed combination of the nodes of one of its elements, sum w_i x_i with sum w_i = 1, that is
// the vertex' own place at the start. So the spring has no length at the start, and force f at the vertex meets -w_i f
// at the nodes: momentum is kept to rounding, and nothing is turned, since f has the direction of what is between the
// two points. An anchor on an obstacle or a frame is a point of its own axes. Springs of a length have theirs
// elsewhere: at a given point, at the nearest vertex of the other body, or along an edge of it (seam.c); they may begin
// longer and be drawn in.
#ifndef THAW_ATTACHMENT_H
#define THAW_ATTACHMENT_H

#include "model/element.h"
#include "model/model.h"

enum { THAW_ANCHOR_NODES = 4, THAW_ANCHOR_FRAME = INT32_MIN };

typedef struct ThawAnchor {
    int32_t vertex;                   // of the region's body; -1: that, or what holds it, has been removed
    int32_t element;                  // of the other body's base shape, by the mesh's number
    int32_t nodes;                    // of the other body's element; 0: none
    int32_t other[THAW_ANCHOR_NODES]; // its vertices
    double weight[THAW_ANCHOR_NODES];
    double local[3];  // m, in the axes of an obstacle or frame
    double rest[3];   // m: what rounding leaves of the offset at the start: springs begin with no force at all
    double length;    // m, at which a spring of a length has no force, in the end
    double start;     // m, the same at the start
    double stiffness; // N/m
} ThawAnchor;

// The anchors of one attachment on base shapes, as they were found once.
typedef struct ThawAnchors {
    double begun; // s: lengths that change with time do so from then on
    int32_t count;
    ThawAnchor list[];
} ThawAnchors;

typedef struct ThawAttachment {
    const ThawElementOps *kind;
    char *name;
    int32_t body;
    int32_t other;           // a body, -1 - obstacle, or THAW_ANCHOR_FRAME
    ThawModelObstacle frame; // of THAW_ANCHOR_FRAME: nothing but how it moves
    int32_t first, count;    // into the model's anchors, by ascending vertex
    int glued;               // its region and what it is held to do not touch each other there
    int32_t next_glued;      // of the same body (the model's first_glued); -1: none
    double damping;          // s
    double begun;            // s, when it was made
    double close;            // s, in which springs of a length go from the one at the start to their own
    double release_time, release_force;
} ThawAttachment;

// What the kernels of an attachment need (ThawElementOps).
typedef struct ThawRowPass {
    const struct ThawModel *model;
    int32_t attachment;
    double t, h;        // s, start and length of the step; of energies h is 0
    ThawPlace place[2]; // of obstacle or frame at the start and the end of the step
    const double *x;    // of all bodies (state layout)
    const double *v;    // likewise, at the start of the step; NULL: at rest
} ThawRowPass;

// Whether any of `count` vertices of a body, as its unit counts them, is glued to `other` (a body, or -1 - obstacle),
// by an attachment that is not released (attachment_count flags; NULL: none is).
int thaw_attachments_glue(const struct ThawModel *model, const unsigned char *released, int32_t body, int32_t other,
                          const int32_t *vertices, int32_t count);
// Validates and compiles all of them; bodies and obstacles come first.
ThawStatus thaw_attachments_compile(const ThawWorldDef *def, const ThawReuse *reuse, struct ThawModel *model,
                                    ThawError *error);
void thaw_attachments_clear(struct ThawModel *model);
// After shapes of bodies were replaced: anchors, from those of the base shapes.
void thaw_attachments_follow(struct ThawModel *model);
// Where an anchor is: on a body by its element's nodes (as many as there are), else on what is at `place`.
void thaw_anchor_point(const ThawAnchor *anchor, int dim, const double *const nodes[THAW_ANCHOR_NODES],
                       const ThawPlace *place, double at[3]);
// Where what holds an attachment is at time t: of an obstacle or a frame.
void thaw_attachment_place(const struct ThawModel *model, const ThawAttachment *attachment, double t, ThawPlace *place);
// m, at which a spring of a length has no force at time t.
double thaw_anchor_length(const ThawAttachment *attachment, const ThawAnchor *anchor, double t);
// Whether that, or what holds it, is elsewhere at t + h than at t.
int thaw_attachment_moves(const struct ThawModel *model, const ThawAttachment *attachment, double t, double h);

// force/attachment.c: the kinds. Their table is by ThawAttachmentKind.
extern const ThawElementOps *const thaw_attachment_kinds[2];
// How far the vertex is from its anchor, m, at pass->x and the first place.
void thaw_attachment_offset(const ThawRowPass *pass, int32_t element, double g[3]);

#endif
