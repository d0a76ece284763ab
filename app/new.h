// SPDX-License-Identifier: Apache-2.0
// What the files of `thaw new` share: new.c reads the command line, new_plan.c loads the mesh and chooses, new_mode.c
// knows its first mode, new_scene.c writes the scene and says what was chosen.
#ifndef THAW_APP_NEW_H
#define THAW_APP_NEW_H

#include "app.h"
#include "doctor/doctor.h"
#include "thaw/mesher.h"
#include "unit.h"

typedef enum AppStance { APP_STAND, APP_DROP, APP_HANG } AppStance;

// A body of the scene: the whole file, or one of the separate pieces in it.
typedef struct AppPiece {
    char name[80];
    int32_t number;      // in the file, from 1; 0: the whole
    ThawMesh *mesh;      // in the file's units, as it stands there; scaled and turned after the place is settled
    double lo[3], hi[3]; // m, as scaled and turned
    double band;         // m: vertices within it from the end that is held are held
    int32_t held;
    double period; // s, of its first mode
} AppPiece;

typedef enum AppSource { APP_MESH, APP_SURFACE, APP_SOLID, APP_DRAWING, APP_SHEET } AppSource;

// What was asked for, and what was settled.
typedef struct AppPlan {
    const char *path, *out, *material_name;
    AppStance stance;
    int64_t elements;     // 0: not given
    double size;          // m, of elements; 0: by `elements`
    double scale;         // file units to m; 0: to be guessed, or metres
    const ThawUnit *unit; // given, or as it was taken; NULL: a scale
    double height;        // m; 0: not given
    double drop;          // m above the floor; 0: not given
    int up;               // axis; -1: to be guessed
    int64_t dimension;    // of a solid; 0: not given, 2 of drawings and of solids that are none in space, else 3
    int sharpen;          // nonzero: vertices near sharp edges of a surface are moved onto them
    int split;            // nonzero: each separate piece becomes a body
    int sheet;            // nonzero: triangles in space stay what they are
    int told;             // nonzero: its material was given
    double thickness;     // m, of a sheet; 0: as the material is sold
    int force, quiet;

    char name[80]; // of the body: the file without folder and ending
    char out_path[1200];
    char mesh_path[1200]; // as the scene names it
    const ThawLibraryMaterial *material;
    AppSource source;
    AppPiece *pieces; // piece_count bodies, at least one once settled
    int32_t piece_count;
    int32_t found, left_out; // pieces of the file; those too small for the elements
    ThawMesherReport report; // in the file's units
    char size_text[32];      // m, of its elements, as the scene says it
    int by_count;            // nonzero: the scene says how many elements instead
    double lost;             // share of the extent that the mesh does not reach
    double raw[3];           // extents in the file's units
    const char *why;         // its unit is what it is
    int guessed;             // nonzero: by its size
    double lo[3], hi[3];     // m, of all as scaled and turned
    double fall;             // m, between a dropped body and the floor
    double period, h;
    int64_t steps, every;
} AppPlan;

extern const double app_new_lost; // share of the extent from which on lost parts are told

// Reads the mesh, or meshes the surface, and chooses unit, place, time step and output.
ThawStatus app_plan_settle(AppPlan *plan, ThawError *error);
// Whether the mesh is the file's own.
static inline int app_plan_is_as_found(const AppPlan *plan) {
    return plan->source == APP_MESH || plan->source == APP_SHEET;
}
// By the file's name and the dimension that was asked for.
AppSource app_plan_source(const AppPlan *plan);
void app_plan_clear(AppPlan *plan);
// The turn that takes the file's up to the scene's: axis and degrees; 0 degrees: none.
double app_plan_turn(const AppPlan *plan, int axis[3]);

// Where the part of a piece ends that is held, and which way it lies from there (new_mode.c).
void app_plan_held(const AppPlan *plan, const AppPiece *piece, double point[3], double normal[3]);
// piece->period, of a piece in its place (new_mode.c).
ThawStatus app_plan_period(const AppPlan *plan, AppPiece *piece, ThawError *error);

ThawStatus app_plan_write(const AppPlan *plan, ThawError *error);
void app_plan_print(const AppPlan *plan);

#endif
