// SPDX-License-Identifier: Apache-2.0
// An adaptive method against the full one in one scene: did it sleep, lose momentum, gain energy or stray where it
// must not?
#ifndef THAW_APP_WORLD_JUDGE_H
#define THAW_APP_WORLD_JUDGE_H

#include <stdint.h>

// What became of a world. Only those that were judged have figures.
typedef enum WorldEnd {
    WORLD_JUDGED,
    WORLD_REFUSED,      // by the scene's reader or by the doctor (`thaw check`)
    WORLD_FULL_FAILED,  // the full method cannot run it, so it judges no method
    WORLD_FLOOR_FAILED, // it can, but not with half the step or from a start that is shifted: likewise
    WORLD_DEAR,         // it can, but takes so many iterations that it is not waited for
    WORLD_FAILED,       // the method failed where full ran
    WORLD_CRASHED,      // by a signal
    WORLD_HUNG,         // took too long
    WORLD_END_COUNT
} WorldEnd;
extern const char *const world_end_names[WORLD_END_COUNT];

// Lengths are shares of a body's diameter. Of the two halves "full" is the reference's own figure.
typedef struct WorldVerdict {
    int64_t seed;
    int end; // a WorldEnd
    int dim, bodies, elements, steps;
    double h;                          // s
    double tolerance;                  // the method's
    int wrong_sleep;                   // bodies that slept while full moved
    double slept_through, sleep_limit; // the largest such motion over its limit, and that limit; 0: none
    double asleep;                     // share of bodies and steps
    double momentum, momentum_full;    // largest imbalance of a step, over all that moves or acts
    double energy, energy_full;        // largest rise, over the largest energy so far
    double error, mean_error, floor_half, floor_shift;
    double error_fine, full_fine; // where it strays: from full with a sixteenth of the step, and full's own; else 0
    double cpu_full, cpu;         // ms
    double rigid;                 // mean share of rigid elements
    char what[160];               // why there is no verdict
} WorldVerdict;

// Rules that a world may break; bits.
enum { WORLD_SLEEP = 1, WORLD_MOMENTUM = 2, WORLD_ENERGY = 4, WORLD_ERROR = 8, WORLD_FAILURE = 16, WORLD_RULES = 5 };
extern const char *const world_rule_names[WORLD_RULES];
unsigned world_broken(const WorldVerdict *verdict);
// Whether an error is the reference's own: the method is no farther from full with a sixteenth of the step than full
// is.
int world_is_excused(const WorldVerdict *verdict);

// Judges the scene in the text; fills all of *verdict but the seed. Never fails: whatever goes wrong is a verdict.
void world_judge(const char *text, const char *method, WorldVerdict *verdict);

#endif
