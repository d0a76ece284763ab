// SPDX-License-Identifier: Apache-2.0
// What runs and page of `thaw bench integrators` share.
#ifndef THAW_APP_BENCH_INTEGRATORS_H
#define THAW_APP_BENCH_INTEGRATORS_H

#include "bench.h"

enum { BENCH_LEVELS = 7 }; // steps of h, h/2, ... h/64

// A motion, followed by every integrator with steps ever smaller.
typedef struct BenchMotion {
    const char *row, *title;
    const char *scene; // with ' for "
    double h;          // s, the longest step; it is also how often runs are compared
    int steps;         // of h
} BenchMotion;

extern const BenchMotion bench_motions[];
extern const int bench_motion_count;

// Stages of a step, of which statistics have the time.
typedef struct BenchStage {
    const char *key, *title;
    size_t offset; // of its double in ThawStepStats
} BenchStage;
extern const BenchStage bench_stages[];
extern const int bench_stage_count;
enum { BENCH_STAGE_LEVEL = 4 }; // where the page shows them

// The key of a figure of an integrator at a level: "tr-bdf2_3_error".
void bench_key(char key[32], int integrator, int level, const char *what);
double bench_figure(const Bench *bench, const char *row, int integrator, int level, const char *what);

void bench_integrators_page(const Bench *bench, FILE *page);

#endif
