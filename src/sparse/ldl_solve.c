// SPDX-License-Identifier: Apache-2.0
// One right-hand side: L z = b, z := S z, L' x = z, node by node. Forward, a node's panels are read once from front to
// end: the part in its own columns is solved, what it means for the rows below is subtracted there. Backward, eight
// columns at a time are multiplied with the rows below, which are known by then. Both run at the speed of memory, which
// has to deliver L twice. Where seven digits of it are enough it can be halved to floats, which are read as doubles.
#include <math.h>
#include <string.h>

#include "sparse/ldl_impl.h"

ThawStatus thaw_ldl_check(const double *x, size_t count) {
    double sum[8] = {0}, all = 0.0; // not a number once, not a number for good; many, that do not wait for each other
    for (; count >= 8; count -= 8, x += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[k] - x[k];
    for (; count > 0; count--)
        sum[0] += x[count - 1] - x[count - 1];
    for (int k = 0; k < 8; k++)
        all += sum[k];
    return all == 0.0 ? THAW_OK : THAW_NOT_CONVERGED;
}

void thaw_ldl_forward(const ThawLdl *ldl, int32_t s, double *y, double *local) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    const int32_t *row = plan->row + node->row;
    size_t bs = (size_t)plan->bs, nc = bs * (size_t)node->cols, first = bs * (size_t)node->first;
    memcpy(local, y + first, nc * sizeof *y);
    memset(local + nc, 0, (8 * (size_t)thaw_ldl_panels(plan, node) - nc) * sizeof *y);
    if (ldl->halved)
        ldl->kernels->half_forward((int32_t)nc, thaw_ldl_panels(plan, node), (const float *)ldl->value + node->value,
                                   ldl->reciprocal + first, local);
    else
        ldl->kernels->forward((int32_t)nc, thaw_ldl_panels(plan, node), ldl->value + node->value,
                              ldl->reciprocal + first, local);
    memcpy(y + first, local, nc * sizeof *y);
    const double *from = local + nc;
    for (int32_t i = 0; i < node->rows - node->cols; i++)
        for (size_t r = 0; r < bs; r++)
            y[bs * (size_t)row[i] + r] += *from++;
}

void thaw_ldl_backward(const ThawLdl *ldl, int32_t s, double *y, double *local) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    const int32_t *row = plan->row + node->row;
    size_t bs = (size_t)plan->bs, nc = bs * (size_t)node->cols, first = bs * (size_t)node->first, at = nc;
    memcpy(local, y + first, nc * sizeof *y);
    for (int32_t i = 0; i < node->rows - node->cols; i++)
        for (size_t r = 0; r < bs; r++)
            local[at++] = y[bs * (size_t)row[i] + r];
    memset(local + at, 0, (8 * (size_t)thaw_ldl_panels(plan, node) - at) * sizeof *y);
    if (ldl->halved)
        ldl->kernels->half_backward((int32_t)nc, thaw_ldl_panels(plan, node), (const float *)ldl->value + node->value,
                                    ldl->reciprocal + first, local);
    else
        ldl->kernels->backward((int32_t)nc, thaw_ldl_panels(plan, node), ldl->value + node->value,
                               ldl->reciprocal + first, local);
    memcpy(y + first, local, nc * sizeof *y);
}

ThawStatus thaw_ldl_solve(ThawLdl *ldl, const double *b, double *x) {
    const ThawLdlPlan *plan = ldl->plan;
    size_t bs = (size_t)plan->bs, n = (size_t)plan->n;
    int32_t slot;
    if (!ldl->factored && !ldl->halved)
        return THAW_INDEFINITE;
    ThawLdlScratch *scratch = thaw_ldl_claim(ldl, &slot);
    double *y = ldl->y;
    for (size_t k = 0; k < n; k++)
        for (size_t r = 0; r < bs; r++)
            y[bs * k + r] = b[bs * (size_t)plan->order[k] + r];
    for (int32_t s = 0; s < plan->count; s++)
        thaw_ldl_forward(ldl, s, y, scratch->x);
    for (size_t k = 0; ldl->mixed && k < n * bs; k++)
        y[k] *= ldl->sign[k];
    for (int32_t s = plan->count - 1; s >= 0; s--)
        thaw_ldl_backward(ldl, s, y, scratch->x);
    thaw_ldl_release(ldl, slot);
    for (size_t k = 0; k < n; k++)
        for (size_t r = 0; r < bs; r++)
            x[bs * (size_t)plan->order[k] + r] = y[bs * k + r];
    return thaw_ldl_check(y, n * bs);
}

// Seven digits of L are those of A; where pivots differ by more than that little would be left of the least stiff
// motions.
static const double MOST_UNEVEN = 1e7;

void thaw_ldl_halve(ThawLdl *ldl) {
    size_t count = (size_t)ldl->plan->cost.numbers, rows = (size_t)ldl->plan->n * (size_t)ldl->plan->bs;
    unsigned char *bytes = (unsigned char *)ldl->value;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < rows; i++) {
        least = ldl->reciprocal[i] < least ? ldl->reciprocal[i] : least;
        most = ldl->reciprocal[i] > most ? ldl->reciprocal[i] : most;
    }
    if (!ldl->factored || most * most > MOST_UNEVEN * least * least)
        return;
    for (size_t i = 0; i < count; i += 8) { // ascending: a float never lies behind its double
        double wide[8];
        float narrow[8];
        memcpy(wide, bytes + i * sizeof *wide, sizeof wide);
        for (int k = 0; k < 8; k++)
            narrow[k] = (float)wide[k];
        memcpy(bytes + i * sizeof *narrow, narrow, sizeof narrow);
    }
    ldl->factored = 0;
    ldl->halved = 1;
}
