// SPDX-License-Identifier: Apache-2.0
// What the parts of `thaw bench` share: rows of named numbers that are kept on disk as they are found.
#ifndef THAW_APP_BENCH_H
#define THAW_APP_BENCH_H

#include <stdio.h>

#include "app.h"
#include "versus.h"

typedef struct BenchValue {
    char row[48], key[32];
    double value;
} BenchValue;

typedef struct Bench {
    const char *scenes;     // folder of the scene files
    const char *validation; // folder of the published mesh, or NULL: it is not part of this project
    const char *out;        // folder of what is written
    const char *only;       // NULL: all rows; else those whose name begins so
    const char *program;    // argv[0], beside which other benchmarks may lie
    int64_t steps;          // at most so many of each scene; 0: as the scene says
    int resume;
    int chosen; // nonzero: scenes are run by `integrator`, whatever they say
    ThawIntegrator integrator;
    char name[64];    // of the files that are written, without their ending
    char table[4000]; // path of the CSV
    BenchValue *values;
    size_t count, room, saved; // saved: how many of them are on disk
} Bench;

// One row of a benchmark: fills its values.
typedef struct BenchJob {
    const char *row;
    ThawStatus (*run)(Bench *bench, const struct BenchJob *job, ThawError *error);
    const char *scene; // its file without ".json"; may be NULL
    double paper;      // the published figure beside it; 0: none
    double parameter;  // whatever the row is about
} BenchJob;

typedef struct BenchSuite {
    const char *name, *summary;
    const BenchJob *jobs; // job_count
    int job_count;
    int by_all_integrators;
    void (*write_page)(const Bench *bench, FILE *page); // Markdown, of the rows that there are
} BenchSuite;

extern const BenchSuite bench_suite_rigidify, bench_suite_shells, bench_suite_integrators;

ThawStatus bench_put(Bench *bench, const char *row, const char *key, double value, ThawError *error);
// Several of a row at once; the list ends with a key of NULL.
typedef struct BenchPair {
    const char *key;
    double value;
} BenchPair;
ThawStatus bench_put_all(Bench *bench, const char *row, const BenchPair *pairs, ThawError *error);
double bench_get(const Bench *bench, const char *row, const char *key); // NAN: not there
// A line on stderr with the time of day, to show that something goes on.
void bench_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The scene of that name, with one thread. The caller frees it.
ThawStatus bench_load(const Bench *bench, const char *name, ThawScene **scene, ThawError *error);
// How many steps a row makes that would like to make `wanted`.
int64_t bench_steps(const Bench *bench, int64_t wanted);

// The scene in a text with ' for ", with one thread.
ThawStatus bench_parse(const Bench *bench, const char *quoted, ThawScene **scene, ThawError *error);

// --- comparisons (bench_rigidify.c) ----------------------------------------------------------------------------------

// Runs a comparison to its end, saying every tenth of it how it stands; `after`, if any, looks at each step.
typedef void (*BenchAfter)(const AppVersus *versus, void *context);
typedef ThawStatus (*BenchPut)(Bench *bench, const char *row, const AppVersus *versus, ThawError *error);
ThawStatus bench_run_versus(AppVersus *versus, const char *row, BenchAfter after, void *context, ThawError *error);
// All figures of a comparison.
ThawStatus bench_put_figures(Bench *bench, const char *row, const AppVersus *versus, ThawError *error);

// --- rows about rest (bench_rest.c) ----------------------------------------------------------------------------------

ThawStatus bench_run_rest(Bench *bench, const BenchJob *job,
                          ThawError *error); // parameter 0: held and at rest; 1: in flight
ThawStatus bench_run_worst(Bench *bench, const BenchJob *job, ThawError *error); // always in motion
ThawStatus bench_run_trees(Bench *bench, const BenchJob *job, ThawError *error); // many at rest, one struck
ThawStatus bench_run_block(Bench *bench, const BenchJob *job, ThawError *error); // dropped, beside Bullet's

// --- the page (bench_page.c) -----------------------------------------------------------------------------------------

void bench_rigidify_page(const Bench *bench, FILE *page);

#endif
