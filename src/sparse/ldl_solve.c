// SPDX-License-Identifier: Apache-2.0
// One right-hand side: L z = b, z := S z, L' x = z, node by node. Forward, a node's panels are read once from front to end:
// the part in its own columns is solved, what it means for the rows below is subtracted there. Backward, eight columns
// at a time are multiplied with the rows below, which are known by then. Both run at the speed of memory, which has to
// deliver L twice.
#include <math.h>
#include <string.h>

#include "sparse/ldl_fma.h"
#include "sparse/ldl_impl.h"

static inline ThawLanes load(const double *p) { return *(const ThawLanes *)p; }
static inline void store(double *p, ThawLanes v) { *(ThawLanes *)p = v; }

// x: the node's local rows, those below the own columns zero. Afterwards the own are solved and the others hold what has to
// be added to the right-hand side there.
static void solve_forward(const ThawLdl *ldl, const ThawLdlNode *node, double *x) {
    const ThawLdlPlan *plan = ldl->plan;
    int32_t nc = plan->bs * node->cols, panels = thaw_ldl_panels(plan, node), p = 0;
    const double *value = ldl->value + node->value, *reciprocal = ldl->reciprocal + plan->bs * node->first;
    size_t next = 8 * (size_t)nc;
    for (; 8 * p < nc; p++, value += next) {
        ThawLanes sum = load(x + 8 * p);
        for (int32_t k = 0; k < 8 * p; k++)
            sum = thaw_lanes_fma(-load(value + 8 * (size_t)k), thaw_lanes_set(x[k]), sum);
        for (int32_t k = 8 * p; k < nc && k < 8 * p + 8; k++) {
            double xk = sum[k - 8 * p] * reciprocal[k];
            sum = thaw_lanes_fma(-load(value + 8 * (size_t)k), thaw_lanes_set(xk), sum);
            sum[k - 8 * p] = xk;
        }
        store(x + 8 * p, sum);
    }
    // Four panels at once: four chains of operations hide their latency.
    for (; p + 4 <= panels; p += 4, value += 4 * next) {
        ThawLanes sum[4] = {{0}};
        for (int32_t k = 0; k < nc; k++) {
            ThawLanes xk = thaw_lanes_set(-x[k]);
            for (int h = 0; h < 4; h++)
                sum[h] = thaw_lanes_fma(load(value + (size_t)h * next + 8 * (size_t)k), xk, sum[h]);
        }
        for (int h = 0; h < 4; h++)
            store(x + 8 * (p + h), sum[h]);
    }
    for (; p < panels; p++, value += next) {
        ThawLanes sum = {0};
        for (int32_t k = 0; k < nc; k++)
            sum = thaw_lanes_fma(load(value + 8 * (size_t)k), thaw_lanes_set(-x[k]), sum);
        store(x + 8 * p, sum);
    }
}

static double lane_sum(ThawLanes a) { return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7])); }

// x: the node's local rows, those below known, the own to be solved.
static void solve_backward(const ThawLdl *ldl, const ThawLdlNode *node, double *x) {
    const ThawLdlPlan *plan = ldl->plan;
    int32_t nc = plan->bs * node->cols, panels = thaw_ldl_panels(plan, node);
    const double *value = ldl->value + node->value, *reciprocal = ldl->reciprocal + plan->bs * node->first;
    size_t next = 8 * (size_t)nc;
    for (int32_t q = (nc - 1) / 8; q >= 0; q--) {
        int32_t wide = nc - 8 * q < 8 ? nc - 8 * q : 8;
        ThawLanes sum[8] = {{0}};
        const double *a = value + (size_t)(q + 1) * next + 64 * (size_t)q;
        if (wide == 8) {
            for (int32_t p = q + 1; p < panels; p++, a += next) {
                ThawLanes xp = load(x + 8 * p);
                for (int j = 0; j < 8; j++)
                    sum[j] = thaw_lanes_fma(load(a + 8 * j), xp, sum[j]);
            }
        } else {
            for (int32_t p = q + 1; p < panels; p++, a += next)
                for (int32_t j = 0; j < wide; j++)
                    sum[j] = thaw_lanes_fma(load(a + 8 * j), load(x + 8 * p), sum[j]);
        }
        const double *triangle = value + (size_t)q * next + 64 * (size_t)q;
        for (int32_t j = wide - 1; j >= 0; j--) {
            double xj = x[8 * q + j] - lane_sum(sum[j]);
            for (int32_t i = 7; i > j; i--)
                xj = __builtin_fma(-triangle[8 * j + i], x[8 * q + i], xj);
            x[8 * q + j] = xj * reciprocal[8 * q + j];
        }
    }
}

ThawStatus thaw_ldl_check(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] - x[i]; // not a number once, not a number for good
    return sum == 0.0 ? THAW_OK : THAW_NOT_CONVERGED;
}

void thaw_ldl_forward(const ThawLdl *ldl, int32_t s, double *y, double *local) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    const int32_t *row = plan->row + node->row;
    size_t bs = (size_t)plan->bs, nc = bs * (size_t)node->cols, first = bs * (size_t)node->first;
    memcpy(local, y + first, nc * sizeof *y);
    memset(local + nc, 0, (8 * (size_t)thaw_ldl_panels(plan, node) - nc) * sizeof *y);
    solve_forward(ldl, node, local);
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
    solve_backward(ldl, node, local);
    memcpy(y + first, local, nc * sizeof *y);
}

ThawStatus thaw_ldl_solve(ThawLdl *ldl, const double *b, double *x) {
    const ThawLdlPlan *plan = ldl->plan;
    size_t bs = (size_t)plan->bs, n = (size_t)plan->n;
    int32_t slot;
    if (!ldl->factored)
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
