// SPDX-License-Identifier: Apache-2.0
// The state hash runs over every bit of the state in every step, so it must cost no more than reading it: four
// independent lanes of multiply-rotate, 32 bytes a round, mixed at the end.
#include <string.h>

#include "base/base.h"

static const uint64_t PRIME[4] = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u, 0xD6E8FEB86659FD93u};

static inline uint64_t rotate(uint64_t a, int bits) { return a << bits | a >> (64 - bits); }

static inline uint64_t round_lane(uint64_t lane, uint64_t word, int i) {
    return rotate(lane ^ word * PRIME[(i + 1) & 3], 29) * PRIME[i];
}

// Every input bit reaches every output bit.
static inline uint64_t mix(uint64_t a) {
    a = (a ^ a >> 32) * PRIME[3];
    a = (a ^ a >> 29) * PRIME[0];
    return a ^ a >> 32;
}

uint64_t thaw_hash(uint64_t seed, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    uint64_t lane[4], word;
    for (int i = 0; i < 4; i++)
        lane[i] = mix(seed + PRIME[i]);
    size_t left = size;
    for (; left >= 32; left -= 32, p += 32)
        for (int i = 0; i < 4; i++) {
            memcpy(&word, p + 8 * i, 8);
            lane[i] = round_lane(lane[i], word, i);
        }
    for (int i = 0; left > 0; i = (i + 1) & 3) {
        size_t take = left < 8 ? left : 8;
        word = 0;
        memcpy(&word, p, take);
        lane[i] = round_lane(lane[i], word, i);
        p += take;
        left -= take;
    }
    uint64_t hash = mix(seed ^ size * PRIME[1]);
    for (int i = 0; i < 4; i++)
        hash = mix(hash ^ lane[i]) + PRIME[i];
    return hash;
}
