// SPDX-License-Identifier: Apache-2.0
// What the stress inside a part does to its turning.
//
// Equation 10 leaves the elements of parts out of G'KG, since rigid motions strain nothing. But K is not blind to them
// where there is stress: forces turn with the body, f(Rx) = R f(x), so K (omega x r) = -omega x f, and the part's rows
// of G'KG have a block
//     B omega = sum rho x K (omega x rho) = -sum rho x (omega x f) = (tr(T) I - T) omega,   T = sum_e V_e tau_e,
// with tau the Kirchhoff stress; the forces of each element cancel, so nothing else is coupled, and the origin does not
// matter. A full step has (h^2 + h alpha1) B in its matrix. In a body that spins T is what holds its rim in, J omega^2,
// and that term brakes: d omega/dt = -(h + alpha1) omega^3 (docs/elastic.md). A part without it would go on spinning.
//
// Where T is a compression B would drive: a part that froze in the middle of a blow would spin up by itself, for ever,
// where the full body is out of that stress within a swing. So B is left out unless it resists.
//
// B is constant in the frame of a part that moves as one: a pass over its elements when it is formed or relaxed at
// rest. In motion parts follow a shadow, which strains them by little in a step: a pass every ten steps (answer.c), so
// B may be that of some steps before.
#include <math.h>
#include <string.h>

#include "force/force.h"
#include "map/rigid/partition.h"
#include "math/decompose.h"

// In 2D nothing turns but about the normal.
static int resists(const double B[9], size_t dim) {
    double l[3] = {B[8], B[8], B[8]}, axes[9];
    if (dim == 3)
        thaw_eigen_sym3(B, l, axes);
    return fmin(l[0], fmin(l[1], l[2])) >= 0;
}

void thaw_partition_find_stress(ThawPartition *partition, double *y) {
    const size_t dim = (size_t)partition->shape->dim;
    int turns = 0;
    for (int32_t k = 0; k < partition->part_count; k++)
        turns |= partition->parts[k].hold != THAW_HOLD_FIXED;
    if (!turns) // it is not needed
        return;
    for (int32_t m = 0; m < partition->vertex_count; m++)
        memcpy(y + (size_t)partition->vertices[m] * dim, partition->r + (size_t)m * dim, dim * sizeof *y);
    memset(partition->stress, 0, sizeof *partition->stress * (size_t)partition->part_count);
    thaw_force_virial(partition->shape->all, y, partition->part_of_element, partition->part_of_vertex,
                      partition->stress);
    for (int32_t k = 0; k < partition->part_count; k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            double *B = partition->stress[k][weighted], trace = B[0] + B[4] + B[8];
            for (int i = 0; i < 9; i++)
                B[i] = (i % 4 == 0 ? trace : 0) - B[i];
            if (!resists(B, dim))
                memset(B, 0, 9 * sizeof *B);
        }
}
