// SPDX-License-Identifier: Apache-2.0
// From lanes to memory order and back: an 8x8 transpose in registers.
#ifndef THAW_TRANSPOSE_H
#define THAW_TRANSPOSE_H

#include "math/lanes.h"

// rows[l][i] = in[i][l] for eight inputs.
static inline void thaw_transpose8(const ThawLanes in[8], ThawLanes rows[8]) {
#define SHUFFLE __builtin_shufflevector
    ThawLanes s[8], t[8];
    for (int i = 0; i < 4; i++) { // even and odd lanes of neighbours
        s[2 * i] = SHUFFLE(in[2 * i], in[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[2 * i + 1] = SHUFFLE(in[2 * i], in[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 2; i++)
        for (int odd = 0; odd < 2; odd++) { // inputs 4i .. 4i+3 at lanes (0, 4) and (2, 6), or the odd ones
            t[4 * i + odd] = SHUFFLE(s[4 * i + odd], s[4 * i + 2 + odd], 0, 1, 8, 9, 4, 5, 12, 13);
            t[4 * i + 2 + odd] = SHUFFLE(s[4 * i + odd], s[4 * i + 2 + odd], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int l = 0; l < 4; l++) {
        rows[l] = SHUFFLE(t[l], t[4 + l], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[4 + l] = SHUFFLE(t[l], t[4 + l], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#undef SHUFFLE
}

#endif
