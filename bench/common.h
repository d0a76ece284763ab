// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: scenes of any size, clocks, memory. Benchmarks print CSV on stdout and test nothing.
#ifndef THAW_BENCH_COMMON_H
#define THAW_BENCH_COMMON_H

#include "step/step.h"
#include "thaw/thaw.h"

// A box of Kuhn tetrahedra, clamped at x-min, under gravity. 1000 kg/m^3, no damping, ledger off, one thread.
typedef struct BenchBox {
    double size[3]; // m
    int32_t cells[3];
    double young, poisson; // Pa
    ThawMaterialModel model;
    ThawSolverKind solver;
    ThawIntegrator integrator;
    int threads;
} BenchBox;

BenchBox bench_cube(int32_t cells); // 1 m, E 1e6, nu .3, stable neo-Hookean: worst fill
BenchBox
bench_beam(int32_t cells); // 1 x .2 x .2 m, `cells` across; 5 and 8 are the 5k and 20k beams compared with peers

// Makes the world, or prints why not and exits.
ThawWorld *bench_world(const BenchBox *box);
// One step, or prints why not and exits.
ThawStepStats bench_step(ThawWorld *world);
int64_t bench_elements(const BenchBox *box);

double bench_least(double a, double b);
double bench_peak_mb(void); // of this process so far
double bench_now_mb(void);  // resident now

// Runs `job` in a process of its own, so that memory figures do not mix; its exit status.
int bench_isolated(void (*job)(void *), void *context);

// Sets what a BLAS must know before it loads (its kernels on this processor, one thread) and starts the program anew,
// once.
void bench_settle_blas(char **argv);

#endif
