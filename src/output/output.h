// SPDX-License-Identifier: Apache-2.0
// What a run leaves on disk: frames for viewers, a table of statistics. Works on the public interface only.
#ifndef THAW_OUTPUT_H
#define THAW_OUTPUT_H

#include <stdio.h>

#include "base/base.h"
#include "base/file.h"
#include "thaw/scene.h"
#include "thaw/world.h"

// --- frames (frames.c, vtu.c, surface_files.c)
// ---------------------------------------------------------------------------

typedef struct ThawFramesDef {
    const char *folder;
    unsigned formats; // THAW_FRAMES_ bits
    int bits;         // 32 or 64: how positions and velocities are stored in VTU files
} ThawFramesDef;

// A sequence of frames of one world: frame_000000.vtu, ... and frames.pvd, the index that viewers open.
typedef struct ThawFrames ThawFrames;

ThawFramesDef thaw_frames_def_default(void); // no folder yet, VTU, 32 bits

// Everything that is constant over a run (topology, surface) is taken from the world here, and all room is made.
ThawStatus thaw_frames_create(const ThawWorld *world, const ThawFramesDef *def, ThawFrames **frames, ThawError *error);
void thaw_frames_free(ThawFrames **frames);

// Forgets and deletes the frames in the folder with a number above `last` (-1: all; INT64_MAX: none), and takes those
// up to it into the index. *removed (may be NULL) counts files.
ThawStatus thaw_frames_keep(ThawFrames *frames, int64_t last, int64_t *removed, ThawError *error);

// Writes the present state as frame `number`, and the index when it has grown by a certain share.
ThawStatus thaw_frames_write(ThawFrames *frames, const ThawWorld *world, int64_t number, ThawError *error);
// Brings the index up to date, and waits until it and all frames so far are on the disk: before a checkpoint, and at
// the end.
ThawStatus thaw_frames_sync(ThawFrames *frames, ThawError *error);
// Whether frame `number` is in the folder, in all formats that were asked for.
int thaw_frames_has(ThawFrames *frames, int64_t number);

// --- tables (table.c, stats.c, histogram.c) --------------------------------------------------------------------------

// Comma-separated values whose first column is the step; each row is handed to the system at once, so a killed run
// loses none.
typedef struct ThawTable ThawTable;

// columns: the first line, with its line break. keep < 0: a new file. Else rows up to step `keep` stay and later ones
// (of a future that was lost) are cut off; a file that is not there is begun, one with other columns is refused.
ThawStatus thaw_table_open(const char *path, const char *columns, int64_t keep, ThawTable **table, ThawError *error);
// A format with a line break at its end completes a row.
ThawStatus thaw_table_print(ThawTable *table, ThawError *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ThawStatus thaw_table_sync(ThawTable *table, ThawError *error);   // waits until the rows so far are on the disk
ThawStatus thaw_table_close(ThawTable **table, ThawError *error); // frees in any case

// One row a step, with the forces of the world's attachments at its end; world may be NULL: without.
ThawStatus thaw_stats_open(const char *path, int64_t keep, const ThawWorld *world, ThawTable **stats, ThawError *error);
ThawStatus thaw_stats_write(ThawTable *stats, const ThawWorld *world, const ThawStepStats *row, ThawError *error);

// How strain rates and predicted strains are spread over the elements, by powers of ten (solids paper, figure 6): two
// rows for the present state.
ThawStatus thaw_histogram_open(const char *path, int64_t keep, ThawTable **histogram, ThawError *error);
ThawStatus thaw_histogram_write(ThawTable *histogram, const ThawWorld *world, ThawError *error);

#endif
