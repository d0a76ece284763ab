// SPDX-License-Identifier: Apache-2.0
// The parts of `thaw run`: what was asked for, the folder it writes, what it says on the terminal.
#ifndef THAW_APP_RUN_H
#define THAW_APP_RUN_H

#include <stdio.h>

#include "app.h"
#include "output/output.h"
#include "watch.h"

// Tables that grow with the run: one in its folder, and those that are asked for.
enum { APP_STEPS, APP_STATS, APP_HISTOGRAM, APP_TABLES };

typedef struct AppRun {
    // As asked for on the command line.
    const char *scene_path;     // NULL: the built-in scene
    const char *method;         // NULL: as the scene says
    const char *out;            // NULL: out/NAME
    const char *stats_path;     // NULL: none
    const char *histogram_path; // likewise
    const char *solver_name;    // NULL: as the scene says
    const char *integrator;     // likewise
    int64_t steps;              // -1: as the scene says
    int64_t threads;            // -1: as the scene says
    int64_t every;              // -1: as the scene says, or as the run that is resumed was begun
    unsigned formats;           // 0: as the scene says
    int resume, solve_static, quiet, every_given, full_hash;

    // Settled before the run begins.
    ThawScene *scene;
    char *text; // of the scene file
    size_t text_size;
    ThawBodyDef *bodies; // the scene's, with the method replaced; NULL when it is not
    unsigned char *told; // attachment_count flags: that it has let go was said
    char folder[4000], checkpoint[4096];
    char solver[60]; // what `auto` and the like came to, body by body: "ldl", or "ldl (2 bodies), pcg (1 body)"
    uint64_t digest; // of the scene and of everything on the command line that changes the trajectory
    int lock;        // the folder's file descriptor, locked; -1: none
    ThawWorld *world;
    ThawFrames *frames;
    ThawTable *tables[APP_TABLES]; // NULL: none

    // What is on the disk.
    int64_t last_frame, saved; // the last frame, the step of the checkpoint; -1: none
    double saved_ms;           // when the checkpoint was written, or the run begun

    // Sums over the steps of this process, ms.
    int64_t steps_done;
    ThawStepStats sum;
    double started_ms, setup_ms, output_ms, first_time;
    AppWatch watch;
} AppRun;

// --- the folder (run_folder.c) ---------------------------------------------------------------------------------------

// Makes the folder and locks it, so that two runs cannot write into each other's files; removes temporary files of a
// run that was killed.
ThawStatus app_folder_lock(AppRun *run, ThawError *error);
// What there is to go on from, and how often it has frames. Refuses what another scene, other options or another solver
// left.
typedef enum AppTrace { APP_TRACE_NONE, APP_TRACE_BEGUN, APP_TRACE_CHECKPOINT } AppTrace;
ThawStatus app_folder_match(AppRun *run, AppTrace *trace, ThawError *error);
// Makes the folder ready for a run from the beginning: frames above number `last` (-1: all) that an earlier run left
// are removed (*removed files), run.json and a copy of the scene are written. Removes nothing before all else is sure.
ThawStatus app_folder_begin(AppRun *run, int64_t last, int64_t *removed, ThawError *error);
// Is a checkpoint due after this step? every: as the scene says, 0: when the last one is a minute old.
int app_checkpoint_due(int64_t every, int64_t step, double age_ms);

// --- the terminal (progress.c) ---------------------------------------------------------------------------------------

typedef struct AppProgress {
    int quiet, terminal; // terminal: a bar that is drawn over and over; else a line each tenth
    const char *unit;    // what is counted: "step"
    int64_t first, last;
    double h; // s that each stands for; 0: none
    double started_ms, shown_ms;
    int tenth; // the last one that was announced
} AppProgress;

void app_progress_begin(AppProgress *progress, int quiet, const char *unit, int64_t first, int64_t last, double h);
void app_progress_show(AppProgress *progress, int64_t done);
void app_progress_end(AppProgress *progress);
void app_report(const AppRun *run);
// What is said of attachments: before the first step (skip: what has let go in an earlier run), after each, and at the
// end (run_attachments.c).
ThawStatus app_attachments_begin(AppRun *run, ThawError *error);
void app_attachments_skip(AppRun *run);
void app_attachments_tell(AppRun *run, AppProgress *progress);
void app_attachments_print(const AppRun *run);
// How many vertices each pinned, moved and pushed group has, in one line (run_groups.c).
void app_print_groups(const ThawWorld *world);

// Which bodies still move after the last step, in one line; nothing if all are at rest (run_groups.c).
void app_print_moving(const ThawWorld *world);

// A word as a shell would need it to be typed.
void app_print_word(FILE *stream, const char *word);

#endif
