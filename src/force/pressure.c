// SPDX-License-Identifier: Apache-2.0
// Pressure inside a closed sheet, over that outside: it follows the surface as this turns and stretches, and has the
// energy -p (V - V0). The volume is that of the tetrahedra from the origin to the triangles, x0.(x1 x x2)/6 each, so
//     f_0 = p (x1 x x2)/6,    dE/dx0 dx1 = p [x2]x / 6,    and so on around;
// what a triangle has for itself depends on the origin, what all of a closed surface have together does not. weight is
// p with the sign of the triangle's sense, the first of the rest data V0. Stiffness is neither positive nor negative:
// projected, it is left out. A load is not damped.
#include <string.h>

#include "force/kernel.h"
#include "force/pass.h"
#include "force/sheet.h"
#include "math/mat3.h"

static void gather(const ThawBatch *batch, const double *x, ThawLanes out[3][3]) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < THAW_LANES; l++)
                out[a][i][l] = x[3 * (int64_t)batch->vertex[a][l] + i];
}

static void scatter(const ThawBatch *batch, ThawLanes out[3][3], double *y) {
    for (int l = 0; l < THAW_LANES; l++)
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++)
                y[3 * (int64_t)batch->vertex[a][l] + i] += out[a][i][l];
}

void thaw_pressure_energy(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes sum = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[3][3], cross[3];
        gather(batch, pass->x, x);
        thaw_lanes_cross3(x[1], x[2], cross);
        sum -= batch->weight * (thaw_lanes_dot3(x[0], cross) / 6.0 - batch->gradient[0]);
    }
    pass->partial[chunk] = sum_lanes(sum);
}

void thaw_pressure_looking(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    thaw_pressure_energy(context, chunk);
    pass->partial[pass->set->chunk_count + chunk] = 0;
}

static void add_force(const ThawBatch *batch, ThawLanes x[3][3], double *y) {
    ThawLanes out[3][3];
    for (int a = 0; a < 3; a++) {
        thaw_lanes_cross3(x[(a + 1) % 3], x[(a + 2) % 3], out[a]);
        for (int i = 0; i < 3; i++)
            out[a][i] *= batch->weight / 6.0;
    }
    scatter(batch, out, y);
}

void thaw_pressure_force(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        ThawLanes x[3][3];
        gather(&pass->set->batches[b], pass->x, x);
        add_force(&pass->set->batches[b], x, pass->y);
    }
    pass->partial[chunk] = 0;
}

void thaw_pressure_linearise(void *context, int32_t chunk) {
    enum { dim = 3 };
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[3][3], blocks[6 * 9];
        gather(batch, pass->x, x);
        add_force(batch, x, pass->y);
        memset(blocks, 0, sizeof blocks);
        for (int a = 1; a < 3 && !pass->scale.project; a++)
            for (int c = 0; c < a; c++) {
                // Block (c, a) is scale [x_o]x when c, a, o go around, so block (a, c), its transpose, is minus that.
                const int o = 3 - a - c, around = (c + 1) % 3 == a;
                const ThawLanes scale = (around ? -1 : 1) * pass->scale.stiffness * batch->weight / 6.0;
                for (int i = 0; i < 3; i++) {
                    const int j = (i + 1) % 3, k = (i + 2) % 3; // [v]x has -v_k at (i, j), v_k at (j, i)
                    blocks[ENTRY(a, c, i, j)] = -scale * x[o][k];
                    blocks[ENTRY(a, c, j, i)] = scale * x[o][k];
                }
            }
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = 0;
}

void thaw_pressure_product(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes form = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[3][3], u[3][3], out[3][3];
        if (pass->scale.project)
            continue;
        gather(batch, pass->x, x);
        gather(batch, pass->u, u);
        for (int a = 0; a < 3; a++) {
            ThawLanes first[3], second[3];
            thaw_lanes_cross3(u[(a + 1) % 3], x[(a + 2) % 3], first);
            thaw_lanes_cross3(x[(a + 1) % 3], u[(a + 2) % 3], second);
            for (int i = 0; i < 3; i++) {
                out[a][i] = -batch->weight / 6.0 * (first[i] + second[i]);
                form += u[a][i] * out[a][i];
                out[a][i] *= pass->scale.stiffness;
            }
        }
        scatter(batch, out, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(form);
    pass->partial[2 * chunk + 1] = 0;
}

void thaw_pressure_virial(void *pass, int32_t chunk) {
    (void)pass;
    (void)chunk;
}
