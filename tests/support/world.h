// SPDX-License-Identifier: Apache-2.0
// The world of a scene that a test has as a text, its steps, and what is asked of it again and again; what fails there
// fails the test.
#ifndef THAW_TEST_WORLD_H
#define THAW_TEST_WORLD_H

#include "thaw/thaw.h"

ThawWorld *make_world(const char *text, int threads);
ThawWorld *make_world_by(const char *text, const char *method, int threads); // all its bodies by that method
void step_world(ThawWorld *world, ThawStepStats *stats);
ThawStepStats run_world(ThawWorld *world, int steps); // what the last step tells

double worlds_apart(const ThawWorld *a, const ThawWorld *b, int32_t body); // largest distance of equal vertices, m
double ledger_balance(const ThawLedger *l); // energy less what came in, J: constant if the ledger closes

// One world by one thread beside another by two, which goes on from a checkpoint (in a file of that name, removed
// again) whenever it is ripe for one, seven steps apart at least: hashes and ledgers agree in every step. How often it
// was saved.
int bits_across_checkpoints(const char *text, int steps, const char *path,
                            int (*is_ripe)(const ThawWorld *world, const ThawStepStats *stats));

#endif
