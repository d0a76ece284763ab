// SPDX-License-Identifier: Apache-2.0
// What the parts of `thaw bench` share: rows of named numbers that are kept on disk as they are found.
#ifndef THAW_APP_BENCH_H
#define THAW_APP_BENCH_H

#include <stdio.h>

#include "app.h"

typedef struct BenchValue {
    char row[48], key[32];
    double value;
} BenchValue;

typedef struct Bench {
    const char *scenes;  // folder of the scene files
    const char *out;     // folder of what is written
    const char *only;    // NULL: all rows; else those whose name begins so
    const char *program; // argv[0], beside which other benchmarks may lie
    int64_t steps;       // at most so many of each scene; 0: as the scene says
    int resume;
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
    void (*write_page)(const Bench *bench, FILE *page); // Markdown, of the rows that there are
} BenchSuite;

extern const BenchSuite bench_suite_rigidify;

ThawStatus bench_put(Bench *bench, const char *row, const char *key, double value, ThawError *error);
double bench_get(const Bench *bench, const char *row, const char *key); // NAN: not there
// A line on stderr with the time of day, to show that something goes on.
void bench_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The scene of that name, with one thread. The caller frees it.
ThawStatus bench_load(const Bench *bench, const char *name, ThawScene **scene, ThawError *error);
// How many steps a row makes that would like to make `wanted`.
int64_t bench_steps(const Bench *bench, int64_t wanted);

// --- the page (bench_page.c) ---------------------------------------------------------------------------------------------

void bench_rigidify_page(const Bench *bench, FILE *page);

#endif
