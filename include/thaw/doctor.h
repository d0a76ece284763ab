// SPDX-License-Identifier: Apache-2.0
// The doctor: looks at a mesh or a scene before a run, and says what is wrong or doubtful, where, and
// how to mend it (docs/doctor.md lists everything it looks for).
#ifndef THAW_DOCTOR_H
#define THAW_DOCTOR_H

#include <stdint.h>

#include "thaw/mesh.h"
#include "thaw/scene.h"
#include "thaw/status.h"
#include "thaw/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ThawSeverity {
    THAW_SEVERITY_ERROR,   // it cannot run
    THAW_SEVERITY_WARNING, // it runs, but hardly as meant
    THAW_SEVERITY_HINT,    // it may be meant, but is worth knowing
} ThawSeverity;

typedef struct ThawComplaint {
    ThawSeverity severity;
    const char *id;     // of the kind of complaint ("thin-angle"); never changes, for programs
    char where[160];    // which shape, body, material, pin, ...
    char what[500];     // a sentence
    char cure[300];     // a sentence: what to do about it
    double value;       // the number that gave rise to it; NAN: none
    const char *unit;   // of the value ("m", "degrees", ...); "": none
    const char *ids_of; // what `found` counts: "element", "vertex", "triangle", "piece"; "": nothing
    ThawFinding found;  // ids in the mesh's own numbering, the worst first
    int has_place;      // nonzero: `place` is where the first of them is
    double place[3];    // m; in the world for bodies, in the mesh's own coordinates (as scaled) otherwise; of a surface
                        // file in its own unit
} ThawComplaint;

enum { THAW_PATIENT_OPTIONS = 64 };

// What was looked at: each body of a scene, or the one mesh.
typedef struct ThawPatient {
    char name[80];
    int32_t vertices, elements;
    double size[3]; // m, of the bounding box
    double unit;    // m, that one unit of a surface file was taken for; 0 elsewhere, where all is in metres
    int guessed;    // nonzero: that unit is a guess by its size
    int up;         // the axis that `thaw new` takes for up in a surface file: 1 (y) or 2 (z)
    double min_angle, max_angle; // rad: dihedral angles, in 2D angles; NAN for surfaces
    double mass;                 // kg; NAN where there is no material
    double period;               // s, of its first mode, with the pins it starts with; NAN without material or freedom
    int measured;                // nonzero: looked for on its mesh; else it is an estimate from size and material
    const char *method;          // that moves it; NULL for meshes
    int32_t option_count;        // of options of the method, in the order of `thaw help METHOD`, as the body goes by
    double options[THAW_PATIENT_OPTIONS]; // them; NAN: by its first mode, which was not measured
    int32_t held;                         // vertices that are pinned or scripted at the start
    int32_t changes;                      // of its shape, that are to happen;
    double change_time;                   // s, when the first does;
    int32_t removed, copied;              // elements that go, and copies of vertices that are made, by all of them
} ThawPatient;

// What an attachment holds, and how.
typedef struct ThawAttachmentNote {
    char name[80], body[80], group[80];
    char to[80];          // a body or an obstacle, or "a frame"
    const char *kind;     // "point" or "distance"
    int glue;             // nonzero: its stiffness follows from the materials
    int to_frame, moves;  // nonzero: it is held to a frame, which moves
    int touches;          // nonzero: its region may touch what it is held to
    int32_t vertices;     // that it holds
    double stiffness;     // N/m, of all of them together
    double length;        // m, of "distance": of the first
    double damping;       // s
    double release_time;  // s; INFINITY: never
    double release_force; // N; INFINITY: none is too large
} ThawAttachmentNote;

typedef struct ThawDoctorReport {
    const char *kind; // "scene", "mesh", "surface", "solid" or "drawing"
    int32_t complaint_count;
    ThawComplaint *complaints; // errors first, then warnings, then hints
    int32_t errors, warnings, hints;
    int32_t left_off; // further complaints of a kind that was told often enough; counted above as well
    int32_t patient_count;
    ThawPatient *patients;
    int32_t attachment_count;
    ThawAttachmentNote *attachments;
    char regions[500], groups[500]; // names in a mesh file, with commas between them, the last "..." if there are more
    double disk;                    // bytes that the frames of a run will take, about; 0 for meshes
    double memory, seconds;         // bytes, and time of one core, that it will take; likewise
    int touching;                   // as in ThawCost
} ThawDoctorReport;

// What a run of a scene takes, about, from counts alone: cheap, whatever the scene.
typedef struct ThawCost {
    double memory;  // bytes
    double seconds; // of one core, if all is elastic all the time, and nothing touches
    double frames;  // how many
    double disk;    // bytes of all frames
    int touching;   // something may touch: then it can be several times that, with hard contact up to a hundred times
} ThawCost;
void thaw_scene_cost(const ThawScene *scene, int64_t steps, int64_t every, ThawCost *cost);
void thaw_cost_duration(double seconds, char text[40]); // "3 days"

// A scene (.json), a mesh, or a triangle surface (.obj, .ply, .stl), by the file's ending. A file that cannot be read
// or is refused makes a report with an error in it, not an error of this call. The caller frees *report with
// thaw_doctor_report_free; on error it is NULL.
ThawStatus thaw_doctor_file(const char *path, ThawDoctorReport **report, ThawError *error);

// The same for what is in memory already. The mesh must be one that thaw_mesh_validate accepts.
ThawStatus thaw_doctor_scene(const ThawScene *scene, ThawDoctorReport **report, ThawError *error);
ThawStatus thaw_doctor_mesh(const ThawMesh *mesh, const char *name, ThawDoctorReport **report, ThawError *error);

// An option of a body's method by its name; NAN: there is none, or it is not known.
double thaw_patient_option(const ThawPatient *patient, const char *name);

void thaw_doctor_report_free(ThawDoctorReport **report);

// "error", "warning" or "hint"; never NULL.
const char *thaw_severity_name(ThawSeverity severity);

#ifdef __cplusplus
}
#endif
#endif
