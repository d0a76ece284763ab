// SPDX-License-Identifier: Apache-2.0
// Worlds that change while they run (docs/live-worlds.md): things that come and go, settings, motion from code,
// snapshots, and questions about places.
#ifndef THAW_LIVE_H
#define THAW_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Names that last -------------------------------------------------------------------------------------------------

// All functions of thaw/world.h take an index: 0, 1, ... of the bodies there are. What is added comes last, and what
// follows something that is removed moves up. An id is the same for ever: no other thing of the world ever has it, nor
// had, whatever is removed and restored.
typedef uint64_t ThawId;                                         // 0: none
ThawId thaw_world_body_id(const ThawWorld *world, int32_t body); // 0 for an index out of range
ThawId thaw_world_obstacle_id(const ThawWorld *world, int32_t obstacle);
ThawId thaw_world_attachment_id(const ThawWorld *world, int32_t attachment);
int32_t thaw_world_body_index(const ThawWorld *world, ThawId id); // -1: it is gone. By bisection
int32_t thaw_world_obstacle_index(const ThawWorld *world, ThawId id);
int32_t thaw_world_attachment_index(const ThawWorld *world, ThawId id);

// A pointer of the caller's own, which the world keeps and never looks at; NULL at first. Whatever has an id has one.
// THAW_ERROR_INPUT: nothing has that id. Restoring a snapshot leaves it, and gives its own to what comes back.
ThawStatus thaw_world_set_user(ThawWorld *world, ThawId id, void *user);
void *thaw_world_user(const ThawWorld *world, ThawId id);

// --- Adding and removing ---------------------------------------------------------------------------------------------
// Definitions are those of thaw/world.h, copied. On failure the world is as before, but that bodies may have woken; the
// message says what is wrong with the definition. All else goes on with the bits that it would have had. A call takes
// about as long as loading a checkpoint, whatever it adds: make many changes in one edit.

// Between these two, changes are collected; the world changes at the end, all at once or not at all. Steps are refused
// in between, and what was added has an id but no index. A change that is refused leaves the edit as it was. A failing
// end, or thaw_world_cancel_edit, drops all.
ThawStatus thaw_world_begin_edit(ThawWorld *world, ThawError *error);
ThawStatus thaw_world_end_edit(ThawWorld *world, ThawError *error);
void thaw_world_cancel_edit(ThawWorld *world);

// Materials and shapes stay; *index (may be NULL) is what definitions call them.
ThawStatus thaw_world_add_material(ThawWorld *world, const ThawMaterialDef *def, int32_t *index, ThawError *error);
ThawStatus thaw_world_add_shape(ThawWorld *world, const ThawShapeDef *def, int32_t *index, ThawError *error);
ThawStatus thaw_world_add_body(ThawWorld *world, const ThawBodyDef *def, ThawId *id, ThawError *error);
ThawStatus thaw_world_add_obstacle(ThawWorld *world, const ThawObstacleDef *def, ThawId *id, ThawError *error);
// Bodies and obstacles are told by the indices they have; in an open edit by those that it has made of them so far
// (thaw_world_edit_index). Springs begin where their vertices are now.
ThawStatus thaw_world_add_attachment(ThawWorld *world, const ThawAttachmentDef *def, ThawId *id, ThawError *error);
ThawStatus thaw_world_add_pair(ThawWorld *world, const ThawPairDef *def, ThawError *error);
// Of a body, an obstacle or an attachment, in an open edit also of one that it has added; -1: it is gone, in the edit
// at least. And the shape of a body likewise.
int32_t thaw_world_edit_index(const ThawWorld *world, ThawId id);
int32_t thaw_world_body_shape(const ThawWorld *world, ThawId body);
// With a body or an obstacle go its attachments. Bodies of one unit go together: in one edit.
ThawStatus thaw_world_remove_body(ThawWorld *world, ThawId id, ThawError *error);
ThawStatus thaw_world_remove_obstacle(ThawWorld *world, ThawId id, ThawError *error);
ThawStatus thaw_world_remove_attachment(ThawWorld *world, ThawId id, ThawError *error);

// --- Settings --------------------------------------------------------------------------------------------------------
// From the next step on; every body wakes. Those that say so may be part of an edit.

ThawStatus thaw_world_set_gravity(ThawWorld *world, const double gravity[3], ThawError *error);           // an edit
ThawStatus thaw_world_set_h(ThawWorld *world, double h, ThawError *error);                                // an edit
ThawStatus thaw_world_set_contact(ThawWorld *world, const ThawContactOptions *options, ThawError *error); // an edit
ThawStatus thaw_world_set_material(ThawWorld *world, int32_t material, const ThawMaterialDef *def, ThawError *error);
ThawStatus thaw_world_set_pressure(ThawWorld *world, int32_t shape, double pressure, ThawError *error); // an edit
ThawStatus thaw_world_set_friction(ThawWorld *world, int32_t body, double friction, ThawError *error);
ThawStatus thaw_world_set_obstacle_friction(ThawWorld *world, int32_t obstacle, double friction, ThawError *error);
void thaw_world_get_gravity(const ThawWorld *world, double gravity[3]);
double thaw_world_h(const ThawWorld *world);
ThawStatus thaw_world_get_contact_options(const ThawWorld *world, ThawContactOptions *options);
ThawStatus thaw_world_get_material(const ThawWorld *world, int32_t material,
                                   ThawMaterialDef *def); // its name is theirs

// --- Motion from code ------------------------------------------------------------------------------------------------
// What these move goes from where it is to the given place within `duration` seconds (0: one step), at constant speed,
// so that contact and springs see its velocity, and then stands still: set the next place after each step. It counts in
// place of keyframes from then on, and is part of the state: checkpoints and snapshots have it. What that touches or
// holds wakes when it moves.

// An obstacle's own axes, m and a unit quaternion (w, x, y, z).
ThawStatus thaw_world_move_obstacle(ThawWorld *world, int32_t obstacle, const double position[3],
                                    const double rotation[4], double duration, ThawError *error);
ThawStatus thaw_world_get_obstacle_place(const ThawWorld *world, int32_t obstacle, double position[3],
                                         double rotation[4]);
// Scripts and pins of a body, in the order of its definition, and frames of attachments: from where they were at the
// start, turned about their centre. A script that has been released stays so.
ThawStatus thaw_world_move_script(ThawWorld *world, int32_t body, int32_t script, const double translation[3],
                                  const double rotation[4], double duration, ThawError *error);
ThawStatus thaw_world_move_attachment(ThawWorld *world, int32_t attachment, const double translation[3],
                                      const double rotation[4], double duration, ThawError *error);

// --- Snapshots -------------------------------------------------------------------------------------------------------

// All of a world at one moment, in memory: its state, as a checkpoint has it, and what it is made of, as shared copies.
typedef struct ThawSnapshot ThawSnapshot;
ThawStatus thaw_world_snapshot(const ThawWorld *world, ThawSnapshot **snapshot, ThawError *error);
// The world is what it was then, with the same bits from there on; what was added since is gone, what was removed is
// back. On failure it is as before, but that bodies may have woken. Of any world that was made like this one.
ThawStatus thaw_world_restore(ThawWorld *world, const ThawSnapshot *snapshot, ThawError *error);
// Another world of that moment. Shapes are shared; both may be used from different threads. threads: of the new one,
// < 0: as many as the first.
ThawStatus thaw_snapshot_make_world(const ThawSnapshot *snapshot, int threads, ThawWorld **world, ThawError *error);
ThawStatus thaw_world_clone(const ThawWorld *world, int threads, ThawWorld **clone, ThawError *error);
size_t thaw_snapshot_size(const ThawSnapshot *snapshot); // bytes of the state
void thaw_snapshot_free(ThawSnapshot **snapshot);

// --- Looking without copying -----------------------------------------------------------------------------------------

// Positions and velocities where the world has them: dim doubles a vertex, `count` vertices in the library's own order.
// order: of each the vertex of the mesh that it is. Valid until the world is freed, edited, restored, loaded, or
// changes a shape; steps and setters write to the same places. NULL for a body out of range.
typedef struct ThawBodyView {
    const double *x, *v;
    const int32_t *order;
    int32_t count;
    int dim;
} ThawBodyView;
ThawStatus thaw_world_view_body(const ThawWorld *world, int32_t body, ThawBodyView *view);
// Another number whenever views have become invalid.
uint64_t thaw_world_edition(const ThawWorld *world);

// --- Places ----------------------------------------------------------------------------------------------------------
// At the present time, surfaces as they are (without the thickness of sheets). Each call looks at every surface whose
// box it cannot leave out, and makes no use of what contact has: some microseconds a body.

typedef struct ThawHit {
    int32_t body;      // -1: none
    int32_t obstacle;  // -1: none
    int32_t element;   // of the body, in the mesh's numbering; of an obstacle -1
    int32_t vertex[3]; // of the body: corners of the face (2D: two)
    double weight[3];  // of these, where on it
    double point[3];   // m
    double normal[3];  // unit, outward; of a sheet towards where the question came from
    double distance;   // m, along the ray; of nearest points < 0 inside of a solid
} ThawHit;
// The first thing that a ray meets, within `longest` m; body and obstacle are -1 where there is none.
ThawStatus thaw_world_cast_ray(const ThawWorld *world, const double origin[3], const double direction[3],
                               double longest, ThawHit *hit);
// The surface that is nearest to a point, within `farthest` m.
ThawStatus thaw_world_find_nearest(const ThawWorld *world, const double point[3], double farthest, ThawHit *hit);
// Bodies with a vertex in a box. Writes up to `room` indices, ascending, and returns how many there are.
int32_t thaw_world_overlap_box(const ThawWorld *world, const double lo[3], const double hi[3], int32_t *bodies,
                               int32_t room);
// The place and velocity of a point of an element, by weights of its vertices in the mesh's order; either may be NULL.
ThawStatus thaw_world_get_point(const ThawWorld *world, int32_t body, int32_t element, const double *weight,
                                double x[3], double v[3]);
// Adds a force on such a point, N, to those of thaw_world_set_forces, which takes it away again.
ThawStatus thaw_world_add_force_at(ThawWorld *world, int32_t body, int32_t element, const double *weight,
                                   const double force[3]);

#ifdef __cplusplus
}
#endif
#endif
