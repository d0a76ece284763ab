// SPDX-License-Identifier: Apache-2.0
// Edges of sheets as chains of vertices, and how two of them are laid along each other (seam.c).
#ifndef THAW_MODEL_SEAM_H
#define THAW_MODEL_SEAM_H

#include "model/model.h"

typedef struct ThawChain {
    int32_t count;
    int32_t *vertex; // one after another
    double *along;   // m at rest, from the first; of a closed one count + 1, the last its length
    int closed;
} ThawChain;

// How one lies along another: the share of the other's length where it begins, the share of its own where a closed one
// does on an open one, and whether it goes the other way.
typedef struct ThawLay {
    double shift;
    double start;
    int back;
} ThawLay;

// The chain that a group of a sheet is; an error, which begins with `where`, where it is none.
ThawStatus thaw_chain_find(const char *where, const ThawShape *shape, const ThawGroup *group, ThawChain *chain,
                           ThawError *error);
void thaw_chain_clear(ThawChain *chain);
// The edge at a share of the length, and the weights of its ends.
void thaw_chain_at(const ThawChain *chain, double share, int32_t vertex[2], double weight[2]);
// The share of the other's length that its i-th vertex lies at.
double thaw_chain_share(const ThawChain *chain, int32_t i, const ThawLay *lay);
// The way in which the first lies nearest to the second. x_of: where the vertices of their bodies are, 3 doubles each.
ThawLay thaw_chain_lay(const double *const x_of[2], const ThawChain *const chain[2]);

#endif
