// SPDX-License-Identifier: Apache-2.0
// The angle of eight vectors (x, y).
//
// As the logarithm (log.c) this is made of operations that IEEE 754 defines to the bit: C libraries differ in the last
// bit of their arc tangent. With lo and hi the smaller and the larger of |x| and |y|,
//     atan(lo / hi) = atan t,            t = lo / hi                 for lo <= hi tan(pi/8),
//                   = pi/4 + atan t,     t = (lo - hi) / (lo + hi)   beyond,
// so |t| <= tan(pi/8), where atan t = t + t u q(u), u = t^2, and q is interpolated at twelve Chebyshev nodes: 2e-19 of
// atan t. Which octant it was follows from comparisons. Cost: one division and about 40 operations for eight values.
#include "math/lanes.h"

ThawLanes thaw_lanes_atan2(ThawLanes y, ThawLanes x) {
    const ThawLanes far = thaw_lanes_set(0x1.a827999fcef32p-2), zero = thaw_lanes_set(0); // tan(pi/8)
    const double quarter = 0x1.921fb54442d18p-1, rest = 0x1.1a62633145c07p-55;            // pi/4
    ThawLanes ax = thaw_lanes_abs(x), ay = thaw_lanes_abs(y);
    ThawLaneMask steep = (ThawLaneMask)(ay > ax), is_far;
    ThawLanes lo = thaw_lanes_select(steep, ax, ay), hi = thaw_lanes_select(steep, ay, ax);
    is_far = (ThawLaneMask)(lo > far * hi);
    ThawLanes t = thaw_lanes_select(is_far, lo - hi, lo) / thaw_lanes_select(is_far, lo + hi, hi);
    t = thaw_lanes_select((ThawLaneMask)(hi == zero), zero, t);
    ThawLanes u = t * t, u2 = u * u, u4 = u2 * u2;
    ThawLanes q01 = -0x1.5555555555555p-2 + 0x1.9999999999953p-3 * u;
    ThawLanes q23 = -0x1.249249248d7eep-3 + 0x1.c71c71c304b68p-4 * u;
    ThawLanes q45 = -0x1.745d165df3f95p-4 + 0x1.3b1392d9e785cp-4 * u;
    ThawLanes q67 = -0x1.110e880a7a520p-4 + 0x1.e19a13b9fc6ccp-5 * u;
    ThawLanes q89 = -0x1.ac7a938b69c08p-5 + 0x1.74ddd408bb245p-5 * u;
    ThawLanes qab = -0x1.1b33b923aa2f2p-5 + 0x1.0ad36a455bcd5p-6 * u;
    ThawLanes q = (q01 + u2 * q23) + u4 * ((q45 + u2 * q67) + u4 * (q89 + u2 * qab));
    ThawLanes angle = t + t * u * q;
    angle = thaw_lanes_select(is_far, quarter + (angle + rest), angle);
    angle = thaw_lanes_select(steep, 2 * quarter - (angle - 2 * rest), angle);
    angle = thaw_lanes_select((ThawLaneMask)x < 0, 4 * quarter - (angle - 4 * rest), angle); // by its sign bit
    return (ThawLanes)((ThawLaneMask)angle | ((ThawLaneMask)y & thaw_lanes_bits(INT64_MIN)));
}
