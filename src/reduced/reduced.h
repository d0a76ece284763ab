// SPDX-License-Identifier: Apache-2.0
// The reduced system of a step: a map, the pattern of G'AG, and the plan to solve with it. It depends on the shape and
// on which vertices are scripted only, so bodies that agree in both share one; the numbers live in each body's
// ThawSolver.
#ifndef THAW_REDUCED_H
#define THAW_REDUCED_H

#include "map/inertia.h"
#include "sparse/ldl.h"

typedef struct ThawSystem {
    const ThawShape *shape;
    unsigned char *scripted; // nv flags: what the system was made for
    ThawMap *map;
    ThawBlockPattern *pattern;
    ThawSolverPlan *plan;      // NULL when nothing is free (n = 0)
    ThawSolverPlan *direct;    // with a factor that many right-hand sides share; may be `plan`. NULL until asked for
    struct ThawSystem *lender; // the system that pattern and plans belong to; NULL: the system's own
} ThawSystem;

ThawStatus thaw_system_create(const ThawShape *shape, const unsigned char *scripted, ThawSolverKind solver,
                              ThawSystem **system, ThawError *error);
// The same for a map that exists; it belongs to the system from then on (*map is NULL), unless there is an error.
ThawStatus thaw_system_wrap(ThawMap **map, const unsigned char *scripted, ThawSolverKind solver, ThawSystem **system,
                            ThawError *error);
// The same for a map that numbers its unknowns as the lender's does: pattern and plans are the lender's, which must
// outlive it.
ThawStatus thaw_system_wrap_like(ThawMap **map, ThawSystem *lender, ThawSystem **system, ThawError *error);
// Makes system->direct, unless it is there or nothing is free.
ThawStatus thaw_system_plan_direct(ThawSystem *system, ThawError *error);
void thaw_system_free(ThawSystem **system);
int thaw_system_serves(const ThawSystem *system, const ThawShape *shape, const unsigned char *scripted);

// solver's matrix = G'A(x)G (+ start, a former matrix' values, if not NULL), and f = f(x) in the same pass.
ThawStatus thaw_system_assemble(const ThawSystem *system, ThawTasks *tasks, ThawCombination combination,
                                const double *x, const double *start, ThawSolver *solver, double *f, double *partial);

// Scratch of the functions below, grown when needed. Starts zeroed.
typedef struct ThawComplianceScratch {
    int32_t rows, blocks; // that there is room for
    int32_t *start, *col;
    double *value;
    int32_t width; // of a vertex' rows that there is room for in
    int32_t *block, *at;
    double (*matrix)[9];
    int32_t *number;  // of a block of unknowns among the ports, plus one; 0 between calls
    int32_t unknowns; // blocks that there is room for in it
    size_t square;    // numbers that there is room for in
    double *H;
} ThawComplianceScratch;
void thaw_compliance_scratch_clear(ThawComplianceScratch *scratch);

// H = J G (G'AG)^-1 G'J' for rows J of height dim over vertices; dense, dim * count squared, symmetric to the bit. From
// the reach of the rows' unknowns where the solver has our own factor, by plain solves otherwise. y and u are scratch
// over vertices, q and r over unknowns. Where the rows lie on so few blocks of unknowns that it is less work to use
// those (all contacts of a rigid part on its two), ports says which rows, and H is the ports' own: J G = C E', H =
// E'(G'AG)^-1 E; never where it has too little room, or is NULL. A map without rows is solved with, a column of H at a
// time.
ThawStatus thaw_system_compliance(const ThawSystem *system, ThawSolver *solver, const ThawBlockRows *J,
                                  double tolerance, double *H, ThawPorts *ports, double *y, double *u, double *q,
                                  double *r, ThawComplianceScratch *scratch);

// into's matrix = from's + (J G)'K J G for such rows and a symmetric block K (dim x dim) for each; 0 where rows join
// unknowns that the pattern does not, or the map has no rows.
int thaw_system_stiffen(const ThawSystem *system, ThawSolver *from, const ThawBlockRows *J, const double *K,
                        ThawSolver *into, ThawComplianceScratch *scratch);

enum { THAW_BLOCK_SAMPLES = 16 }; // vertices outside parts that are asked for themselves, at most
// The same of each vertex alone (response.h, blocks): exact for vertices of rigid parts, of which one answer a part is
// enough, and of few of the others, spread evenly. y and u are scratch over vertices, q and r over unknowns.
ThawStatus thaw_system_blocks(const ThawSystem *system, ThawSolver *solver, int32_t count, const int32_t *vertices,
                              double tolerance, int32_t *from, double *S, double *y, double *u, double *q, double *r,
                              ThawComplianceScratch *scratch);

#endif
