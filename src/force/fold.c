// SPDX-License-Identifier: Apache-2.0
// Strains of the triangles of a sheet: the membrane's Green strain in the triangle's own axes, and the curvatures
// kappa_i of its three hinges (model/fold.h), which count as strain (kappa times `bend`, m). Of the six places that
// strains have in space a membrane needs three, xx, yy and xy; the others hold the curvatures, 1/m.
//
// Rates are differences of both (shells paper, equations 9 to 11): zero for any rigid motion of any folded shape. An
// angle that goes on beyond half a turn is followed, for it changes by less than that in a step.
//
// Cost for eight triangles: three arc tangents beside some 200 operations, and a gather of three vertices more.
#include <math.h>
#include <string.h>

#include "force/hinge.h"
#include "force/kernel.h"
#include "force/pass.h"
#include "force/sheet.h"
#include "math/mat3.h"
#include "model/fold.h"

// Where E has xx, yy and xy, and the three curvatures.
enum { XX = 0, YY = 1, XY = 5, KAPPA = 2 };
// A triangle that is squeezed to less than this share of its area (squared) tells no part how it turns about its line.
static const double squeezed = 1e-6;
static const double fast = 1e12; // 1/s^2, the rate that such a one shows

// E = (F2'F2 - I) / 2, or what it changes by.
static void green(const ThawLanes A[9], const ThawLanes B[9], ThawLanes E[6]) {
    E[XX] = thaw_lanes_dot3(A, B);
    E[YY] = thaw_lanes_dot3(A + 3, B + 3);
    E[XY] = 0.5 * (thaw_lanes_dot3(A, B + 3) + thaw_lanes_dot3(A + 3, B));
}

// Eight triangles' folds and where their vertices are: corners, then what lies beyond the edges opposite to them.
typedef struct Patch {
    const ThawFold *fold[THAW_LANES];
    int32_t vertex[6][THAW_LANES];
} Patch;

static void find_patch(const ThawIntegrationSet *set, const ThawBatch *batch, Patch *patch) {
    int first = 0;
    while (batch->element[first] < 0)
        first++;
    for (int l = 0; l < THAW_LANES; l++) {
        const int used = batch->element[l] >= 0 ? l : first; // what stands in the other lanes is not looked at
        patch->fold[l] = &set->folds[batch->element[used]];
        for (int a = 0; a < 3; a++) {
            patch->vertex[a][l] = batch->vertex[a][used];
            patch->vertex[3 + a][l] = patch->fold[l]->far[a];
        }
    }
}

static void gather(const Patch *patch, const double *x, ThawLanes out[6][3]) {
    for (int a = 0; a < 6; a++)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < THAW_LANES; l++)
                out[a][i][l] = x[3 * (size_t)patch->vertex[a][l] + (size_t)i];
}

static ThawLanes column(const Patch *patch, size_t offset, int i) {
    ThawLanes out;
    for (int l = 0; l < THAW_LANES; l++)
        out[l] = ((const double *)(const void *)((const char *)patch->fold[l] + offset))[i];
    return out;
}
#define COLUMN(member, i) column(patch, offsetof(ThawFold, member), i)

static void edges_at(int i, ThawLanes x[6][3], ThawLanes e[3], ThawLanes a[3], ThawLanes b[3]) {
    const int p = (i + 1) % 3, q = (i + 2) % 3;
    for (int k = 0; k < 3; k++) {
        e[k] = x[q][k] - x[p][k];
        a[k] = x[i][k] - x[p][k];
        b[k] = x[3 + i][k] - x[p][k];
    }
}

// The curvatures at x, or what they change by along d.
static void bend(const Patch *patch, const double *x, const double *d, ThawLanes kappa[3]) {
    ThawLanes at[6][3], way[6][3];
    gather(patch, x, at);
    if (d)
        gather(patch, d, way);
    for (int i = 0; i < 3; i++) {
        ThawHinge hinge;
        edges_at(i, at, hinge.e, hinge.a, hinge.b);
        thaw_hinge_make(&hinge);
        if (!d) {
            kappa[i] = COLUMN(scale, i) * thaw_hinge_angle(&hinge, COLUMN(rest, i));
            continue;
        }
        ThawLanes turn = thaw_lanes_set(0), along[3][3];
        edges_at(i, way, along[0], along[1], along[2]);
        for (int v = 0; v < 3; v++)
            turn += thaw_lanes_dot3(hinge.g[v], along[v]);
        kappa[i] = COLUMN(scale, i) * turn;
    }
}

// Changes of angles to within half a turn: kappa is an angle times a scale.
static void unwrap(const Patch *patch, ThawLanes change[3]) {
    for (int i = 0; i < 3; i++) {
        const ThawLanes scale = COLUMN(scale, i);
        const ThawLanes angle = change[i] / thaw_lanes_max(scale, thaw_lanes_set(1e-300));
        change[i] = scale * thaw_hinge_unwrap(angle);
    }
}

// |S|^2, or the largest of the edges' own by the published rule: its curvature is 2 theta over the distance of the
// barycentres, (H + H')/3.
static ThawLanes square_of(const ThawStrainMeasure *measure, const Patch *patch, const ThawLanes kappa[3]) {
    ThawLanes sum = thaw_lanes_set(0);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (measure->bending == THAW_STRAIN_CURVATURE)
            sum += kappa[i] * kappa[i] + 2 * kappa[j] * kappa[k] * COLUMN(crossed, i);
        else {
            const ThawLanes scale = COLUMN(scale, i);
            const ThawLanes edge = measure->bending == THAW_STRAIN_EDGES
                                       ? 3 * kappa[i]
                                       : kappa[i] / thaw_lanes_max(scale, thaw_lanes_set(1e-300));
            sum = thaw_lanes_max(sum, edge * edge);
        }
    }
    return measure->bend * measure->bend * sum;
}

// Both together; by the published rule, whose two thresholds are asked one by one, the larger.
static ThawLanes total_of(const ThawStrainMeasure *measure, ThawLanes membrane, ThawLanes bending) {
    return measure->bending == THAW_STRAIN_CURVATURE ? membrane + bending : thaw_lanes_max(membrane, bending);
}

static void judge_batch(const ThawStrainPass *pass, const ThawStrainMeasure *measure, int32_t b) {
    const ThawBatch *batch = &pass->set->batches[b];
    const int folds = pass->set->folds != NULL;
    ThawLanes d[3][3], F[9], dF[9], E[6], bending = thaw_lanes_set(0), *kept = pass->E ? pass->E + 6 * (size_t)b : NULL;
    ThawLaneMask lost = thaw_lanes_bits(0);
    Patch patch;
    memset(E, 0, sizeof E);
    if (folds) {
        find_patch(pass->set, batch, &patch);
        bend(&patch, pass->x, pass->d, E + KAPPA);
    }
    gather_edges(batch, 3, 3, pass->x, d);
    gradient_of(batch, 3, 3, d, 0, F);
    if (pass->d) {
        gather_edges(batch, 3, 3, pass->d, d);
        gradient_of(batch, 3, 3, d, 0, dF);
        green(F, dF, E);
    } else {
        green(F, F, E);
        lost = ~(ThawLaneMask)(E[XX] * E[YY] - E[XY] * E[XY] > squeezed);
        E[XX] = 0.5 * (E[XX] - 1.0);
        E[YY] = 0.5 * (E[YY] - 1.0);
        E[XY] *= 0.5;
        for (int n = 0; n < 6; n++) {
            ThawLanes now = E[n];
            E[n] -= kept[n];
            kept[n] = now;
        }
        if (folds)
            unwrap(&patch, E + KAPPA);
    }
    if (!pass->out)
        return;
    if (folds)
        bending = square_of(measure, &patch, E + KAPPA);
    const ThawLanes membrane = E[XX] * E[XX] + E[YY] * E[YY] + 2 * E[XY] * E[XY];
    const ThawLanes total = total_of(measure, membrane, bending);
    ThawLanes out = pass->d ? thaw_lanes_sqrt(total) : total / (pass->h * pass->h);
    out = thaw_lanes_select(lost, thaw_lanes_max(out, thaw_lanes_set(fast)), out);
    for (int l = 0; l < THAW_LANES; l++)
        if (batch->element[l] >= 0)
            pass->out[batch->element[l]] = out[l];
}

void thaw_sheet_strain(const void *context, int32_t first, int32_t end) {
    const ThawStrainPass *pass = context;
    const ThawStrainMeasure measure =
        pass->measure ? *pass->measure : (ThawStrainMeasure){.bend = pass->set->bend, .bending = THAW_STRAIN_CURVATURE};
    for (int32_t k = first; k < end; k++)
        judge_batch(pass, &measure, pass->batches ? pass->batches[k] : k);
}
