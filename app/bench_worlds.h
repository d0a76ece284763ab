// SPDX-License-Identifier: Apache-2.0
// What the parts of `thaw bench worlds` share.
#ifndef THAW_APP_BENCH_WORLDS_H
#define THAW_APP_BENCH_WORLDS_H

#include <stdio.h>

#include "thaw/world.h"
#include "world_judge.h"

typedef struct WorldsRun {
    int64_t first, last; // seeds
    int flags;           // of world_random.h
    const char *method;
    ThawIntegrator integrator;
    WorldVerdict *verdicts;  // last - first + 1, by seed
    unsigned char *is_there; // of each: nonzero when it is known
} WorldsRun;

// How often each rule was broken, and how often there was no verdict; half 0: even seeds, 1: odd ones, 2: all.
typedef struct WorldsCount {
    int worlds, judged, ends[WORLD_END_COUNT], broken[WORLD_RULES], sound, strays, excused;
    double cpu_full, cpu;
} WorldsCount;
WorldsCount worlds_count(const WorldsRun *run, int half);

void worlds_write_summary(const WorldsRun *run, FILE *file);                           // Markdown: counts and the worst
void worlds_write_page(const WorldsRun *run, FILE *page);                              // that, and words and rows
void worlds_print_verdict(const WorldVerdict *verdict, const char *words, FILE *file); // all of one world

// `thaw bench worlds ...`; returns the exit status.
int worlds_command(int argc, char **argv);
#define WORLDS_HELP                                                                                                    \
    "\n`thaw bench worlds` draws random worlds and judges a method in them against the full one "                      \
    "(docs/random-worlds.md):\n\n"                                                                                     \
    "  --seeds A:B    which worlds (1:100)\n"                                                                          \
    "  --only SEED    one of them, with all its figures\n"                                                             \
    "  --small        fewer steps, elements and bodies\n"                                                              \
    "  --sheets       three of four bodies are sheets: cloth, discs, balloons, shades\n"                               \
    "  --write DIR    write them as DIR/world-SEED.json instead\n"                                                     \
    "  --method NAME  the method that is judged (rigidify)\n"                                                          \
    "  --integrator NAME  of worlds that are not iterated; the others have its twin (semi-implicit)\n"                 \
    "  --jobs N       so many at once (2)\n"                                                                           \
    "  --strict       exit with 2 where a rule is broken\n"                                                            \
    "  --resume, -o   as above\n"

#endif
