// SPDX-License-Identifier: Apache-2.0
// The natural logarithm of eight doubles.
//
// The C library's log differs in its last bit from one system to the next, and with it every state hash; this one is
// made of additions, multiplications and one division, which IEEE 754 defines to the bit.
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)), so log x = k log 2 + log m. With f = m - 1 and s = f / (2 + f),
//     log m = 2 atanh s = 2 s + s r,   r = 2 s^2/3 + 2 s^4/5 + 2 s^6/7 + ...,   |s| <= 0.172,
// where the ten terms kept leave 3e-18 of log m. To round only once at the size of the result, 2 s is written as
//     2 s = f - s f = f - (h - s h),   h = f^2/2,   hence   log m = f - (h - s (h + r)),
// whose first term is exact and whose others are smaller than it. log 2 is split so that k times its upper part is
// exact. Cost: one division and about 45 operations for eight values.
#include "math/lanes.h"

static const int64_t mantissa_bits = 52;
static const int64_t bits_of_sqrt_half = 0x3fe6a09e667f3bcd;

ThawLanes thaw_lanes_log(ThawLanes x) {
    // The upper part ends in 21 zero bits: times |k| <= 1074 it stays exact.
    const double log2_upper = 0x1.62e42fee00000p-1, log2_lower = 0x1.a39ef35793c76p-33;

    // Below the normal numbers the exponent field does not tell the exponent.
    ThawLaneMask tiny = (ThawLaneMask)(x < thaw_lanes_set(0x1p-1022));
    ThawLaneMask bits = (ThawLaneMask)thaw_lanes_abs(thaw_lanes_select(tiny, x * 0x1p54, x));
    ThawLaneMask k = (bits - bits_of_sqrt_half) >> mantissa_bits;
    ThawLanes m = (ThawLanes)(bits - (k << mantissa_bits));
    ThawLanes exponent = __builtin_convertvector(k - (tiny & 54), ThawLanes);

    ThawLanes f = m - 1.0;
    ThawLanes s = f / (2.0 + f);
    ThawLanes z = s * s, z2 = z * z, z4 = z2 * z2;
    // r / z = sum of 2/(2n+3) z^n for n = 0 .. 9, in pairs so that the chain of operations stays short.
    ThawLanes r01 = 2.0 / 3 + 2.0 / 5 * z, r23 = 2.0 / 7 + 2.0 / 9 * z, r45 = 2.0 / 11 + 2.0 / 13 * z;
    ThawLanes r67 = 2.0 / 15 + 2.0 / 17 * z, r89 = 2.0 / 19 + 2.0 / 21 * z;
    ThawLanes r = z * ((r01 + z2 * r23) + z4 * ((r45 + z2 * r67) + z4 * r89));
    ThawLanes h = 0.5 * f * f;
    ThawLanes log = exponent * log2_upper + (f - (h - (s * (h + r) + exponent * log2_lower)));

    const ThawLanes infinity = thaw_lanes_set(__builtin_inf()), nan = thaw_lanes_set(__builtin_nan(""));
    log = thaw_lanes_select((ThawLaneMask)(x < infinity), log, x); // infinity and NaN are their own logarithms
    log = thaw_lanes_select((ThawLaneMask)(x == thaw_lanes_set(0)), -infinity, log);
    return thaw_lanes_select((ThawLaneMask)(x < thaw_lanes_set(0)), nan, log);
}
