// SPDX-License-Identifier: Apache-2.0
// Inside the doctor: an examination collects complaints, its first error sticks, and every function below does nothing
// from then on.
#ifndef THAW_DOCTOR_INTERNAL_H
#define THAW_DOCTOR_INTERNAL_H

#include "mesh/draft.h" // thaw_finding_add
#include "mesh/mesh.h"
#include "mesh/pieces.h"
#include "model/model.h"
#include "registry/scheme.h"
#include "thaw/doctor.h"

typedef struct ThawExam {
    ThawDoctorReport *report;
    int32_t room;        // for complaints
    ThawComplaint spare; // takes what is not kept
    ThawStatus status;
    ThawError *error;
} ThawExam;

// --- the report (report.c) -------------------------------------------------------------------------------------------

ThawStatus thaw_exam_begin(ThawExam *exam, const char *kind, ThawError *error);
// Sorts and counts. *report is NULL when the examination failed.
ThawStatus thaw_exam_end(ThawExam *exam, ThawDoctorReport **report);
void thaw_exam_fail(ThawExam *exam, ThawStatus status, const ThawError *why);
void thaw_exam_memory(ThawExam *exam, const char *what);

// A new complaint about `where`, to be filled in; never NULL.
ThawComplaint *thaw_exam_add(ThawExam *exam, ThawSeverity severity, const char *id, const char *where, ...)
    __attribute__((format(printf, 4, 5)));
void thaw_complaint_what(ThawComplaint *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));
void thaw_complaint_cure(ThawComplaint *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));
void thaw_complaint_value(ThawComplaint *complaint, double value, const char *unit);
// A share in percent, for a text; one that rounds to nothing in a few digits is told as that, not by its power of ten.
const char *thaw_percent_text(char text[24], double share);
void thaw_complaint_place(ThawComplaint *complaint, int dim, const double *x);

// Room for `count` patients, zeroed.
ThawPatient *thaw_exam_patients(ThawExam *exam, int32_t count);

// --- what is looked at -----------------------------------------------------------------------------------------------

void thaw_mesh_box_of(const ThawMesh *mesh, double lo[3], double hi[3]);
void thaw_element_centre(const ThawMesh *mesh, int32_t element, double centre[3]);

// Whether it is as large, in metres, as what is usually simulated (mesh.c).
void thaw_exam_size(ThawExam *exam, const char *where, const double size[3]);
// Elements, pieces, thickness, size (mesh.c).
// bends: something of that mesh is free to.
// Whether a body of the shape is free to bend (file.c).
int thaw_exam_gives_way(const ThawModel *model, const ThawWorldDef *world, int32_t shape);
void thaw_exam_mesh(ThawExam *exam, const ThawMesh *mesh, const char *where, int bends, ThawPatient *patient);
// The first mode of each body, and its thresholds (scale.c).
void thaw_exam_scales(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
// Materials, time, output; after the scales (world.c).
void thaw_exam_world(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
// Memory, time and room on the disk (cost.c).
void thaw_exam_cost(ThawExam *exam, const ThawScene *scene);
// Coordinates that leave numbers too few digits (distance.c).
void thaw_exam_distance(ThawExam *exam, const ThawScene *scene);
// Groups, pins, scripts, forces, speeds (loads.c).
void thaw_exam_loads(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
// Attachments; and bodies of which thaw_exam_is_attached says so that stand in each other where they may touch: 0, or
// one more than the attachment's index (attachments.c).
void thaw_exam_attachments(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
int thaw_exam_is_attached(const ThawModel *model, int32_t body, int32_t other);
struct ThawOverlap;
void thaw_exam_attached_overlap(ThawExam *exam, const ThawModel *model, const struct ThawOverlap *overlap);
// Bodies that nothing catches, or that start inside obstacles; after the loads, which know what is held (fall.c).
void thaw_exam_falls(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
// Balls of coarse facets, after the loads (round.c).
void thaw_exam_round(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
// The radius of a shape that is a ball or disc; 0: it is none. Negative: there is no memory (round.c).
double thaw_shape_ball_radius(const ThawShape *shape);
// s: a spin omega of a body with gyration m^2 decays as omega' = -rate omega^3 by steps of h; brake: damping that takes
// spin, s (loads.c).
double thaw_spin_loss_rate(const ThawMaterialDef *material, double gyration, const ThawScheme *scheme, double h,
                           double brake);
// How a body that nothing holds or stops before first meets an obstacle (fall.c).
typedef struct ThawArrival {
    double time;      // s
    double speed[3];  // m/s, of its centre then
    double normal[3]; // of the obstacle there
    double friction, restitution;
} ThawArrival;
// Rolling and bouncing that the time step will take away (motion.c).
void thaw_exam_motion(ThawExam *exam, const ThawScene *scene, const ThawModel *model, int32_t body,
                      const ThawArrival *arrival);
// Coefficients of restitution that do nothing (rebound.c).
void thaw_exam_rebound(ThawExam *exam, const ThawScene *scene, const ThawModel *model);
// Bodies inside each other at the start (overlap.c).
void thaw_exam_overlap(ThawExam *exam, const ThawScene *scene, const ThawModel *model);

// What one unit of a file is (unit.c).
typedef struct ThawUnit {
    const char *symbol; // "mm"
    const char *name;   // "millimetres"
    double metres;
} ThawUnit;
// mm, cm, m or in; NULL for any other word.
const ThawUnit *thaw_unit_find(const char *symbol);
// The unit of a surface file whose largest extent is so many of its units: metres where the file says so, as those that
// Thaw has written do (*said becomes 1), else by what would be the size of a thing on a table. said may be NULL.
const ThawUnit *thaw_unit_guess(const char *path, double largest, int *said);

// Of a sheet: thickness, folds and steps against its edges (sheet.c).
void thaw_exam_sheet(ThawExam *exam, const ThawScene *scene, const ThawShapeDef *def);

// The index of the material that fills most of the shape (world.c).
int32_t thaw_shape_main_material(const ThawShapeDef *shape);
// m/s: how fast elastic waves run along a bar of it.
double thaw_material_wave_speed(const ThawMaterialDef *material);
// Above so many elements the first mode is estimated: to compute it would take seconds, and no run was asked for.
enum { THAW_MODE_ELEMENTS = 60000 };
// s: the period of the first mode of a body of this extent, held at one end or (held = 0) free, about (world.c).
double thaw_period_estimate(const ThawMaterialDef *material, int dim, const double extent[3], int held);
// 1, 2 or 5 times a power of ten, at most x > 0 (world.c).
double thaw_round_down(double x);

#endif
