// SPDX-License-Identifier: Apache-2.0
// Positions -> contact points, canonically sorted, with keys that persist from step to step (solids paper, section
// 3.3).
//
// A contact joins two sides. Side 0 belongs to a body; side 1 to another body or to an obstacle. A side of a body is a
// convex combination of up to three of its vertices (a vertex; a point of a triangle or edge), so the relative velocity
// at the contact is u = sum_side0 w_i v_i - sum_side1 w_i v_i - (velocity of the obstacle there), and its rows of J are
// (normal, tangent 1, tangent 2) applied to u (2D: normal, tangent).
#ifndef THAW_CONTACT_H
#define THAW_CONTACT_H

#include "base/base.h"
#include "model/model.h"

// What a contact is remembered by: bodies (obstacle o is -1 - o) and features (a vertex, a face, or an edge as two
// vertices, ascending but for what is said there), side 0 first. Contacts are sorted by it, member after member.
typedef struct ThawContactKey {
    int32_t body[2];
    int32_t kind;       // a ThawContactKind
    int32_t feature[4]; // by kind, see there; unused ones are 0. Faces are numbered as the surface's are
} ThawContactKey;

typedef enum ThawContactKind {
    THAW_CONTACT_VERTEX_OBSTACLE, // vertex of side 0; face of the obstacle (mesh, box, cylinder) or -1
    THAW_CONTACT_VERTEX_FACE,     // vertex of side 0; face of body 1; of a sheet's face, 1 at its back
    THAW_CONTACT_EDGE_EDGE,       // edge of side 0 (two vertices), edge of side 1, which may be an obstacle's; with
                                  // sheets the first one descends where they lie the other way round (thin.c)
    THAW_CONTACT_FACE_POINT,      // point of the obstacle on side 1 (a corner, a centre); face of side 0; 1 at the
                                  // back of a sheet's face
    THAW_CONTACT_ATTACHMENT,    // which attachment, which of its points: no contact, but a row like one, and two-sided
    THAW_CONTACT_FACE_OBSTACLE, // face of side 0, of a sheet, on a simple obstacle; or as many faces on, an edge of it
    THAW_CONTACT_LIMIT,         // which limit of side 0's joint: no contact, but a one-sided row like one
} ThawContactKind;

typedef struct ThawContact {
    ThawContactKey key;
    int32_t nodes[2];     // vertices on each side (side 1: 0 for an obstacle)
    int32_t vertex[2][4]; // of each side's body, or its unit; internal numbering. Up to three, an attachment's four
    double weight[2][4];  // sum to 1 on each side
    double point[3];      // m, where side 1 is touched
    double frame[3][3];   // rows: normal (from side 1 to side 0), tangents; orthonormal, right-handed
    double gap;           // m, Phi at the start of the step: < 0 inside
    double velocity[3];   // m/s, of the obstacle at the point; 0 between bodies
    double friction;      // mu of the pair
    double restitution;   // of the pair
    double stiffness;     // N/m, after automatic choice; INFINITY: no compliance, which no scene has
    double damping;       // N s/m
    double sink;          // m, the depth at which a hard contact begins to act; 0 for others
    double soft;          // N/m, of the automatic choice, whatever was chosen; 0: not known
    double length;        // m, of the edges at side 0; 0: not known
    double bend;          // rad, about, by which faces are bent against each other at side 0 at rest
    double held;          // m, the depth that its spring was pressed to by the end of the last step; 0: new
    double energy;        // J, that its springs held at the start of the step
    double holds;         // m, the same by the end of this one: the response's
    int overlap;          // deeper than any motion has pressed it, by too much to be undone by force
    int shifted;          // ... and its bodies can be shifted instead (step/parting.c)
    double way, parting;  // m and kg m: how far its sides are to be shifted apart, and by what (step/parting.c)
    double drift[2];      // m, tangential offset from where the contact began to stick
    double anchor[3];     // as in the memory; where that is a drift, less the offset of the sides from each other now
    double lambda[3];     // N s, impulse in the frame: in, that of the last step; out, the response
    double total[3];      // N s, of the stages of the step so far
    double trend[3];      // N s, by how much it is likely to change; 0 once the response has used it
    double before[3];     // N, the force of the last step, world axes
    double across[2];     // of an attachment: stiffness (N/m) and damping (N s/m) across the first axis of its frame
    double ahead[3];      // m/s, by what side 0 goes faster than its velocities say, where bodies and parts turn
    int rolls;            // a side of it is smooth: its points pass by, and are where it touches at the end only
    int two_sided;        // an attachment: gap and drift are its offset in the frame, and it pulls as well as it pushes
    int is_new;           // no contact of this key, nor of this vertex with a face of the same body, in the last step
} ThawContact;

// What the next step needs of a contact: part of the state.
typedef struct ThawContactMemory {
    ThawContactKey key;
    double force[3]; // N in world axes (lambda / h)
    double trend[3]; // N, by how much that changed in the last step; 0 in a contact's first
    // Vertex on a rigid obstacle: the point where sticking began, in the obstacle's frame. All others: the drift so
    // far, in world axes.
    double anchor[3];
    double depth;   // m, its spring was pressed to: not the depth of an overlap that no motion made
    double overlap; // 1: there is such an overlap; 0
    double energy;  // J, that its springs hold
} ThawContactMemory;

// Collision shapes, compiled once: for each shape its surface (vertices, faces, edges) and bounding-volume hierarchy
// topology, for each obstacle the same or its analytic form, and which pairs may touch.
typedef struct ThawCollider ThawCollider;
ThawStatus thaw_collider_create(const ThawModel *model, ThawCollider **collider, ThawError *error);
void thaw_collider_free(ThawCollider **collider);
// follow.c: shapes of bodies have changed. map: of each body NULL (it has not), or for its vertices before what they
// are now, -1: gone. Sorts anew.
struct ThawContactSet;
void thaw_contacts_follow(struct ThawContactSet *set, const ThawCollider *from, const ThawCollider *to,
                          const int32_t *const *map);

// All contacts of one step. Starts zeroed.
typedef struct ThawContactScratch ThawContactScratch;
typedef struct ThawContactSet {
    ThawContact *contacts; // count, sorted by key; behind them `attached` rows of attachments
    int32_t count, capacity;
    int32_t attached; // rows of attachments and of methods that islands solve with the contacts and no other stage
                      // sees; made anew for each solve
    ThawContactMemory *memory; // of the last step, sorted by key (state)
    int32_t memory_count, memory_capacity;
    const unsigned char
        *asleep; // body_count flags, or NULL: bodies that stand still. They are not searched against each
                 // other, nor against obstacles that stand still
    const unsigned char *hidden;   // body_count flags, or NULL: bodies that are as if they were not there
    const unsigned char *released; // attachment_count flags, or NULL: none: what they have glued touches again
    const unsigned char *only;     // body_count flags, or NULL: only contacts of these bodies are looked for
    double centre; // share of the step after which points of smooth surfaces are the deepest; 0: all of it
    ThawContactScratch *scratch; // moved surfaces and their boxes; belongs to one collider. NULL: made when needed
} ThawContactSet;
// Frees all it holds and zeroes it.
void thaw_contact_set_clear(ThawContactSet *set);

// Finds the contacts for the step from t to t + h from positions x and velocities v of all bodies (state layout: body
// after body, dim doubles a vertex, internal numbering). Contacts that would only happen during the step are included
// (gap > 0) when a vertex moves far enough to reach them: nothing tunnels. Regions that are glued to something do not
// touch it. Warm starts come from set->memory. Growth of
// the arrays is the only allocation. Same result for any number of threads. v NULL: at rest; h may then be 0.
ThawStatus thaw_contacts_find(const ThawCollider *collider, ThawTasks *tasks, double t, double h, const double *x,
                              const double *v, ThawContactSet *set, ThawError *error);
// Renews set->memory from the contacts' lambda after the step from t to t + h (as given to find) ended at positions x.
// J, that its springs hold after a step of h: of the normal by the depth that it is pressed to, of tangents by their
// force. Without compliance there is none.
double thaw_contact_energy(const ThawContactOptions *o, const ThawContact *c, int dim, double h);
ThawStatus thaw_contacts_remember(const ThawCollider *collider, double t, double h, const double *x,
                                  ThawContactSet *set, ThawError *error);

// Signed distance of a point to an obstacle at time t, its outward normal and the obstacle's velocity there.
double thaw_obstacle_distance(const ThawCollider *collider, int32_t obstacle, double t, const double x[3],
                              double normal[3], double velocity[3]);

// Which bodies overlap each other or obstacles at positions x and time t, for doctors: one entry a pair, sorted.
typedef struct ThawOverlap {
    int32_t body[2]; // body[0] < body[1], or obstacle o as -1 - o in body[1]
    double depth;    // m, of the deepest point
    int32_t points;  // how many vertices (or edges) are inside
} ThawOverlap;
// The caller frees *overlaps with thaw_free; on error it is NULL.
ThawStatus thaw_contacts_overlaps(const ThawCollider *collider, ThawTasks *tasks, double t, const double *x,
                                  ThawOverlap **overlaps, int32_t *count, ThawError *error);

#endif
