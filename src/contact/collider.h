// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: the compiled collider, the scratch of a search, and how a contact is written
// down.
#ifndef THAW_COLLIDER_H
#define THAW_COLLIDER_H

#include "contact/contact.h"
#include "contact/surface.h"

struct ThawCollider {
    const ThawModel *model;
    ThawContactShape *shapes; // shape_count: one a shape of the model, those that have changed behind
    int32_t shape_count;
    const ThawContactShape **by_body;  // body_count
    ThawContactShape *obstacle_shapes; // one an obstacle: its mesh, or the corners and rims that faces could hang on
    double **obstacle_x;               // 3 nv each, in the obstacle's own frame (first frame)
    double **obstacle_boxes;           // of the tree, for obstacle_x
    unsigned char *fixed;              // of all bodies: surface vertices moved by decree for ever
    size_t *fixed_start;               // body_count
};

// A task of a search: body a against b (a body, or -1 - obstacle) for one kind of contact.
typedef struct ThawContactItem {
    int32_t a, b;
    ThawContactKind kind;
    ThawTouch touch;
} ThawContactItem;

// A ball round a vertex that was free of the other surface when it was at x, and the other's odometer then; room < 0:
// nothing is known.
typedef struct ThawClearance {
    double x[3], room, odometer; // m
    int32_t next;                // 1 + the face of the other that was nearest; 0: not known
    double others;               // m, how far all its other faces were at least; 0: not known
} ThawClearance;

// What a task has found. Slots stay with their memory when the tasks change, and a task that comes again finds its own.
typedef struct ThawContactSlot {
    ThawContactItem item; // that it belonged to in the last search
    int taken;            // while slots are handed out
    ThawClearance *clear; // of clear_count searching vertices, or of the middles of edges
    int32_t clear_count, clear_capacity;
    double *limit; // m, of limit_count searching edges: what odometers and travel may come to before it is looked for
    int32_t limit_count, limit_capacity;
    ThawContact *contacts;
    int32_t count, capacity;
    int32_t *list; // vertices worth looking at, of large surfaces
    int32_t list_count, list_capacity;
    int failed; // out of memory
} ThawContactSlot;

struct ThawContactScratch {
    const ThawCollider *collider;
    const ThawTasks *tasks; // of the caller, which may cancel
    double t, h;            // s, start and length of the step
    double centre;          // share of the step after which contacts act, in the mean
    double fall;            // m, how far gravity brings things in the step: one of two may be held up
    const double *x, *v;
    const unsigned char *asleep;     // as the set says
    const unsigned char *hidden;     // as the set says
    const unsigned char *only;       // as the set says
    const ThawContactMemory *memory; // of the last step
    int32_t memory_count;
    ThawContactBody *bodies, *obstacles;
    ThawPlace (*places)[2]; // of each obstacle at t and t + h
    unsigned char *placed;  // obstacles that stand still, and are where they were
    int32_t *order;         // bodies by the start of their swept boxes
    ThawContactItem *items; // item_count, sorted by (a, b, kind)
    ThawContactSlot *slots; // item_capacity
    ThawContactSlot *spare; // item_capacity
    int32_t slot_count;     // of the last search
    int32_t item_count, item_capacity;
};

// Which point of a surface takes part in a contact.
typedef struct ThawContactSide {
    const ThawContactBody *body;
    int nodes;
    int32_t vertex[3]; // surface vertices
    double weight[3];
    // Of a point of the patch over a face (smooth.c), whose vertices are all there:
    int rises; // 0: of none
    int32_t face;
    double rise[3]; // m, from the face
} ThawContactSide;

static inline ThawContactSide thaw_contact_side_of_face(const ThawContactBody *b, const ThawNearest *at) {
    ThawContactSide side = {.body = b, .nodes = b->shape->nodes};
    for (int i = 0; i < side.nodes; i++) {
        side.vertex[i] = b->shape->face[(size_t)at->face * b->shape->nodes + i];
        side.weight[i] = at->w[i];
    }
    return side;
}

static inline int thaw_contact_side_is_fixed(const ThawContactSide *side) {
    for (int i = 0; side->body->fixed && i < side->nodes; i++)
        if (side->weight[i] > 0 && !side->body->fixed[side->vertex[i]])
            return 0;
    return 1;
}

// collider.c
ThawContactScratch *thaw_contact_scratch_create(const ThawCollider *collider);
void thaw_contact_scratch_free(ThawContactScratch **scratch);

// obstacle.c
// Signed distance to an analytic obstacle in its own frame, outward normal, and which face is nearest (box, cylinder)
// or -1.
double thaw_obstacle_local(const ThawModelObstacle *obstacle, int dim, const double x[3], double n[3], int32_t *face);
// Positions of the vertices of an obstacle's shape at time t.
void thaw_obstacle_positions(const ThawCollider *collider, int32_t obstacle, double t, const ThawPlace *place,
                             double *x);

// smooth.c
typedef struct ThawSmoothPoint {
    ThawContactSide side;
    double x[3], d[3]; // m, where it is and where it goes in the step
} ThawSmoothPoint;
// The point of a smooth surface by which vertex v touches what has the outward normal n, after a share of the step.
void thaw_smooth_deepest(const ThawContactBody *body, int32_t v, const double n[3], double share,
                         ThawSmoothPoint *point);
// A point of a face that x touches, and its normal there, go on to the patch over it; *gap: of x.
void thaw_smooth_meet(ThawContactSide *side, int32_t face, const double x[3], double point[3], double normal[3],
                      double *gap);
// What to add to the weights of a face's vertices, and that of the vertex behind it, which is at `behind`, for a point
// that rises from it; 0: there is no such thing.
int thaw_smooth_fix(const ThawContactSide *side, const double behind[3], double more[4]);

// row.c
int thaw_contact_key_compare(const ThawContactKey *a, const ThawContactKey *b);
// Walks along what the last step remembers of a task, in ascending order of the first feature: its contact, or NULL.
typedef struct ThawContactCursor {
    int32_t next, end;
} ThawContactCursor;
ThawContactCursor thaw_contact_cursor(const ThawContactScratch *scratch, const ThawContactItem *item);
const ThawContactMemory *thaw_contact_advance(const ThawContactScratch *scratch, ThawContactCursor *cursor,
                                              int32_t feature);
// All that the last step remembers of a task with this first feature: *count of them.
const ThawContactMemory *thaw_contact_known(const ThawContactScratch *scratch, const ThawContactItem *item,
                                            int32_t feature, int32_t *count);
// Whether it knew exactly this one.
int thaw_contact_is_known(const ThawContactScratch *scratch, const ThawContactKey *key);
// The last step's contact of this key, or NULL; but for edges, a vertex has one contact with another body: that one,
// whatever the face.
const ThawContactMemory *thaw_contact_recall(const ThawContactScratch *scratch, const ThawContactKey *key);
// Whether there is any of the edge of side 0 in the key of an edge with an edge.
int thaw_contact_recalls_edge(const ThawContactScratch *scratch, const ThawContactKey *key);
// Adds a contact: side 1 has no nodes for an analytic obstacle, which then moves at `velocity` (else NULL).
void thaw_contact_add(const ThawContactScratch *scratch, const ThawContactItem *item, const ThawContactKey *key,
                      const ThawContactSide side[2], const double point[3], const double normal[3], double gap,
                      const double *velocity, ThawContactSlot *slot);

// clearance.c
int thaw_contact_item_compare(const void *p, const void *q); // by (a, b, kind), for qsort
// Gives every item the slot that was its own in the last search, if there was one.
void thaw_contact_match_slots(ThawContactScratch *scratch);
// Room for what is known of `count` vertices; nothing is known of those that are new. NULL when memory ran out.
ThawClearance *thaw_contact_clearances(ThawContactSlot *slot, int32_t count);
// The same of the edges of a shape: -INFINITY of those that are new, INFINITY of those that are never looked for.
double *thaw_contact_limits(ThawContactSlot *slot, const ThawContactShape *shape);
// Whether a vertex at x cannot come within `travel` of a surface with that odometer.
static inline int thaw_contact_is_clear(const ThawClearance *clear, const double x[3], double odometer, double travel) {
    double way[3], room = clear->room - (odometer - clear->odometer) - travel;
    thaw_v3_sub(x, clear->x, way);
    return room > 0 && thaw_v3_dot(way, way) < 0.999 * room * room; // rounding
}

// How far a vertex at x is from that surface at least; <= 0 where nothing is known.
static inline double thaw_contact_room(const ThawClearance *clear, const double x[3], double odometer) {
    double way[3];
    thaw_v3_sub(x, clear->x, way);
    return 0.9995 * (clear->room - (odometer - clear->odometer)) - thaw_v3_norm(way);
}

// vertices.c, edges.c, self.c: the tasks.
void thaw_contact_find_on_obstacle(const ThawContactScratch *scratch, const ThawContactItem *item,
                                   ThawContactSlot *slot);
void thaw_contact_find_on_surface(const ThawContactScratch *scratch, const ThawContactItem *item,
                                  ThawContactSlot *slot);
void thaw_contact_find_points(const ThawContactScratch *scratch, const ThawContactItem *item,
                              const ThawContactSlot *vertices, ThawContactSlot *slot);
void thaw_contact_find_self(const ThawContactScratch *scratch, const ThawContactItem *item, ThawContactSlot *slot);
// `near` and `far`: contacts found of vertices of a and of vertices of b; far may be NULL.
void thaw_contact_find_edges(const ThawContactScratch *scratch, const ThawContactItem *item,
                             const ThawContactSlot *near, const ThawContactSlot *far, ThawContactSlot *slot);

// thin.c: vertices against the faces of a sheet (item: of a on body b; FACE_POINT: of an obstacle on a), and edges
// where one of the two is a sheet.
void thaw_contact_find_on_sheet(const ThawContactScratch *scratch, const ThawContactItem *item, ThawContactSlot *slot);
void thaw_contact_find_thin_edges(const ThawContactScratch *scratch, const ThawContactItem *item,
                                  const ThawContactSlot *near, const ThawContactSlot *far, ThawContactSlot *slot);
// convex.c: faces of a sheet on a simple obstacle, between their corners.
void thaw_contact_find_on_convex(const ThawContactScratch *scratch, const ThawContactItem *item, ThawContactSlot *slot);
// edges.c: keeps a slot's contacts sorted, each key once: the last one is moved to its place.
void thaw_contact_sort_last(ThawContactSlot *slot);

static inline const ThawContactBody *thaw_contact_body(const ThawContactScratch *scratch, int32_t id) {
    return id >= 0 ? &scratch->bodies[id] : &scratch->obstacles[-1 - id];
}

// The contact of this vertex of the body as side 0 if a slot has one that is closed, else NULL. Slots of vertices are
// sorted by them.
const ThawContact *thaw_contact_slot_find(const ThawContactSlot *slot, int32_t vertex);

#endif
