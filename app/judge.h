// SPDX-License-Identifier: Apache-2.0
// Was the oracle right? What the full run shows, element by element and step by step, against what was kept elastic.
#ifndef THAW_APP_JUDGE_H
#define THAW_APP_JUDGE_H

#include <stdio.h>

#include "thaw/thaw.h"

enum { APP_JUDGE_LEVELS = 4 };
extern const double app_judge_levels[APP_JUDGE_LEVELS]; // times tau: 1, 3, 10, 100

typedef struct AppJudge {
    double *tau;       // 1/s^2, a body: an element moves where the reference's |E_dot|^2 is above
    double least;      // 1/s^2, the smallest of them
    int64_t tolerance; // steps
    int64_t elements;  // of all bodies
    int64_t *first;    // of each body, its first of them
    int32_t *origin;   // of the present elements of a body, which of its mesh they are; scratch
    int32_t bodies;
    double *rate, *state, *predicted; // of one body at a time
    unsigned char *seen;              // (tolerance + 1) * elements: of the last steps, the ELASTIC bit and the level
    int32_t *moved, *elastic;         // elements: the last step in which it was so, -1: never
    unsigned char *parted;            // bodies: has gone another way than in the reference
    int64_t step;                     // steps looked at
    // Counts over elements and steps:
    int64_t confusion[2][2]; // [moves in the reference][elastic], in the same step
    // Moving ones, faster than each of the levels, and those of them that were elastic within the tolerance.
    int64_t needed[APP_JUDGE_LEVELS], caught[APP_JUDGE_LEVELS];
    int64_t together[2];     // moving ones of bodies that had not parted yet, and the caught among them
    int64_t kept, justified; // elastic ones, and those of them that moved within the tolerance
    double look_ms;          // spent on strain rates of all elements: the least that asking each of them costs
    int rate_field, state_field, predicted_field;
} AppJudge;

// world: the one that is judged. tau: for all its bodies; 0: ten times tau_rigid of each.
ThawStatus app_judge_create(const ThawWorld *world, double tau, int64_t tolerance, AppJudge *judge, ThawError *error);
void app_judge_clear(AppJudge *judge);
// After both have made a step. apart: how far each body's vertices are from those of the reference, over its diameter.
// histogram may be NULL: a row for each kind of rate.
void app_judge_look(AppJudge *judge, const ThawWorld *reference, const ThawWorld *other, const double *apart,
                    FILE *histogram);
// The same by hand: what an element does in this step, and on to the next step. level: how many of the levels it
// exceeds.
void app_judge_note(AppJudge *judge, int64_t element, int level, int elastic);
void app_judge_next(AppJudge *judge);
void app_judge_finish(AppJudge *judge);                    // the last steps, whose tolerance the end cuts short
double app_judge_recall(const AppJudge *judge, int level); // of what exceeds that level; 1 where nothing does
double app_judge_recall_together(const AppJudge *judge);   // of bodies that have not parted
double app_judge_precision(const AppJudge *judge);         // 1 where nothing was elastic
// A share as it is printed; of nothing: "none (0 counted)". Returns text.
const char *app_judge_text(int64_t part, int64_t whole, char text[24]);

void app_judge_histogram_header(FILE *file);

// As it stands, to go on later. Nonzero: done.
int app_judge_write(const AppJudge *judge, FILE *file);
int app_judge_read(AppJudge *judge, FILE *file); // into one that was created the same way

#endif
