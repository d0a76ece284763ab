// SPDX-License-Identifier: Apache-2.0
// Surfaces for contact. A ThawContactShape is what all bodies of a shape share: faces, edges, the topology of a
// bounding-volume hierarchy, and what each vertex weighs in a contact. A ThawContactBody is one such surface where it
// is now. Mesh obstacles are the same thing, and so are the corners of boxes and the centres of spheres.
//
// Vertices here are surface vertices, numbered in the order of their ids in the body. All positions have three doubles.
#ifndef THAW_CONTACT_SURFACE_H
#define THAW_CONTACT_SURFACE_H

#include "base/base.h"
#include "contact/geometry.h"
#include "model/model.h"

// A node of the hierarchy, in preorder: its left child follows it.
typedef struct ThawTreeNode {
    int32_t right;        // the right child; 0 in a leaf
    int32_t first, count; // leaf: faces order[first .. first + count)
    int32_t sharp;        // whether a face of its subtree, or a neighbour of one, has a sharp edge
} ThawTreeNode;

typedef struct ThawContactShape {
    int nodes; // vertices a face: 3, or 2 in 2D
    int32_t nv, nf, ne;
    int32_t *vertex;       // nv, ids in the body, ascending
    int32_t *face;         // nodes * nf, outward
    int32_t *around_start; // nv + 1
    int32_t *around;       // faces around vertex v: around[around_start[v] .. around_start[v+1])
    int32_t *edge;         // 2 * ne, ascending in each and sorted; 3D only
    int32_t *edge_face;    // 2 * ne, its faces; -1 where an edge has other than two
    int32_t *face_edge;    // 3 * nf, edge opposite to each vertex
    unsigned char *sharp;  // ne, convex and not flat at rest
    ThawTreeNode *tree;    // tree_count; 0 without faces
    int32_t *order;        // nf
    int32_t tree_count;
    double *stiffness; // nv, N/m, automatic; NULL for obstacles, which do not yield
    double *mass;      // nv, kg; NULL for obstacles
    double *length;    // nv, m, mean length of the edges there at rest
    double *bend;      // nv, 2 tan(angle / 2) of the sharpest edge there at rest; where contact is smooth there is none
    double half;       // m, half the thickness of a sheet, which has two sides; 0: a solid
    double radius;     // m; > 0: balls round the vertices, and no faces
    double margin;     // m, by which the solid sticks out of its vertices' box
    // Of surfaces that contact takes for smooth (smooth.c):
    double smooth;       // degrees, by which their edges may be bent; 0: all are sharp, and faces flat
    unsigned char *part; // nodes * nf, which part of the surface round its vertex each corner is of; NULL: not smooth
    double *curved;      // nf, m, the height of the edges' arcs at rest; 0: flat
    int32_t *behind;     // nf, the inner vertex of the element behind each face, an id in the body
} ThawContactShape;

// Directions of slabs, besides the axes: towards the edges and corners of a cube. Their lengths are sqrt(2) and
// sqrt(3).
enum { THAW_SLABS = 10 };
static inline double thaw_slab_length(int i) { return i < 6 ? M_SQRT2 : 1.7320508075688772; }
static inline void thaw_slab_project(const double x[3], double p[THAW_SLABS]) {
    p[0] = x[0] + x[1], p[1] = x[0] - x[1], p[2] = x[1] + x[2], p[3] = x[1] - x[2], p[4] = x[2] + x[0];
    p[5] = x[2] - x[0], p[6] = p[0] + x[2], p[7] = p[0] - x[2], p[8] = p[1] + x[2], p[9] = p[1] - x[2];
}

typedef struct ThawContactBody {
    const ThawContactShape *shape;
    int32_t id;                 // of the body, or -1 - obstacle
    int32_t unit_vertex;        // where its vertices begin in its unit
    const unsigned char *fixed; // nv, moved by decree for ever; NULL: all (an obstacle)
    double *x;                  // 3 nv, m, now
    double *d;                  // 3 nv, m, where each is going in this step
    double *boxes;              // 6 a node of the tree, lo and hi
    double box[6];              // of x
    double swept[6];            // of x and x + reach d
    double slab[THAW_SLABS][2]; // extent of x along more directions, which boxes of turned bodies exceed
    double mean[3], spread;     // m: |d - mean| <= spread
    int fitted;                 // 1: boxes are those of x; -1: they shall be
    double odometer;            // m: no vertex has gone farther since the first search
    double still;               // s: all of this is of a body asleep and steps of this length; 0: of one awake
} ThawContactBody;

// How much farther than expected something may go in a step and still find a row waiting.
#define THAW_CONTACT_REACH 1.2

// surface.c
ThawStatus thaw_contact_shape_create(int nodes, int32_t nv, const double *x, int32_t nf, const int32_t *faces,
                                     ThawContactShape *shape, ThawError *error);
void thaw_contact_shape_clear(ThawContactShape *shape);
// Outward normal of a face, scaled by twice its area (2D: its length).
void thaw_contact_face_normal(const ThawContactShape *shape, const double *x, int32_t face, double n[3]);
// Unit normal where weights w of a face are: the face's, or the pseudo-normal of the edge or vertex that they name.
void thaw_contact_normal_at(const ThawContactShape *shape, const double *x, int32_t face, const double w[3],
                            double n[3]);
// Angle-weighted unit normal of a vertex.
void thaw_contact_vertex_normal(const ThawContactShape *shape, const double *x, int32_t v, double n[3]);

// smooth.c: which edges are smooth at rest, and how high faces are there. angle: degrees.
ThawStatus thaw_smooth_compile(const double *x, double angle, ThawContactShape *shape, ThawError *error);

// tree.c
ThawStatus thaw_contact_tree_build(const double *x, ThawContactShape *shape, ThawError *error);
// Boxes of all nodes for positions x.
void thaw_contact_tree_refit(const ThawContactShape *shape, const double *x, double *boxes);

// The point of a surface closest to x among faces whose unit normal n clearly obeys n . against < 0 and n . along > 0
// (by 0.1; NULL: all).
typedef struct ThawNearest {
    int32_t face;    // -1: none nearer than the bound; before the search, a face to try first, or -1
    double w[3];     // weights of its vertices
    double point[3]; // m
    double square;   // m^2; before the search, a bound
} ThawNearest;
// The lowest face wins a tie, so that the answer depends on x only.
void thaw_contact_nearest(const ThawContactShape *shape, const double *x, const double *boxes, const double point[3],
                          const double *against, const double *along, ThawNearest *nearest);
// How far from a point the surface is without that face, m; `bound` at most.
double thaw_contact_others(const ThawContactBody *body, const double point[3], int32_t face, double bound);
// Tries one face: nearest stays as it is where that is not nearer.
void thaw_contact_try_face(const ThawContactShape *shape, const double *x, int32_t face, const double point[3],
                           const double *against, const double *along, ThawNearest *nearest);
// A walk over the leaves whose boxes meet a box (sharp: of those beside sharp edges), in the order of the tree.
enum { THAW_TREE_STACK = 64 };
typedef struct ThawLeafWalk {
    const ThawContactBody *body;
    const double *box;
    int sharp;
    int32_t stack[THAW_TREE_STACK];
    int top;
} ThawLeafWalk;
ThawLeafWalk thaw_contact_walk(const ThawContactBody *body, const double box[6], int sharp);
const ThawTreeNode *thaw_contact_next_leaf(ThawLeafWalk *walk); // NULL at the end
// Faces that lie near a box (sharp: those beside sharp edges at least): how many; the first `room` are written.
int32_t thaw_contact_faces_in(const ThawContactBody *body, const double box[6], int sharp, int32_t *faces,
                              int32_t room);
// Vertices of the faces that lie near a box, some of them several times: how many; the first `room` are written.
int32_t thaw_contact_vertices_in(const ThawContactBody *body, const double box[6], int32_t *vertices, int32_t room);
// The face of `body` that a point on its way from x to x + reach d hits first from outside, among those whose normal
// clearly obeys n . against < 0 (NULL: all): 0 when it hits none.
int thaw_contact_sweep(const ThawContactBody *body, const double x[3], const double d[3], const double *against,
                       ThawNearest *hit);
// How far a point is from the nearest box of the leaves beside sharp edges; INFINITY where there is none.
double thaw_contact_sharp_distance(const ThawContactBody *body, const double point[3]);
// Faces that the segment a b goes through (sharp: of those beside sharp edges), at most `room`; how many.
int32_t thaw_contact_pierced(const ThawContactBody *body, const double a[3], const double b[3], int sharp,
                             int32_t *faces, int32_t room);

#endif
