// SPDX-License-Identifier: Apache-2.0
// One contact in interior.c: its law smoothed by tau, with the unknowns z beside lambda that keep it inside.
#ifndef THAW_INTERIOR_H
#define THAW_INTERIOR_H

#include "response/island.h"

enum { THAW_SMOOTH_SIZE = 5 }; // doubles of z a contact, used or not

// All take the contact's row, its lambda and its z.
typedef struct ThawSmooth {
    // z of a contact with that w, well inside; w_n > 0.
    void (*begin)(int dim, const ThawRow *row, const double *w, double *z);
    // The w that z stands for.
    void (*speed)(int dim, const ThawRow *row, const double *z, double *w);
    // The law at tau as K dlambda + dw = toward: size, C, E and K of the link.
    void (*linearise)(int dim, const ThawRow *row, const double *lambda, const double *z, double tau, ThawLink *link,
                      double *toward);
    // dz of a step.
    void (*follow)(int dim, const ThawRow *row, const double *lambda, const double *z, double tau,
                   const double *dlambda, const double *dw, double *dz);
    // How far the step may go before lambda or z leaves.
    double (*way)(int dim, const ThawRow *row, const double *lambda, const double *z, const double *dlambda,
                  const double *dz);
    // The sum of products that are tau on the path, their number, and the least of them.
    double (*product)(int dim, const ThawRow *row, const double *lambda, const double *z, int *count, double *least);
} ThawSmooth;

extern const ThawSmooth thaw_smooth_cone, thaw_smooth_facets;

#endif
