// SPDX-License-Identifier: Apache-2.0
// Shape functions of nodes at a vertex.
//
// Default: w_j = k(d_j / r), k(t) = (1 - t)^4 (4 t + 1) (Wendland), and then the correction of reproducing kernels
// (Liu, Jun, Zhang 1995), with c and C the weighted mean and covariance of the nodes' places,
//     phi_j = w_j (1 + a . (c_j - c)) / sum w,   C a = X - c,
// so that sum phi_j = 1 and sum phi_j c_j = X: affine frames then have all quadratic fields among their motions, which
// bending needs. r grows with the distance of the nodes around, WIDTH times that of the (axes + 1)-th nearest, and ends
// where a ninth would come in: both are continuous. Along an axis in which nodes hardly spread and X lies far off (a
// slender body, nodes on its axis) nothing is corrected: it would take huge weights of both signs.
//
// The paper's: ratios of distances (Faure et al. 2011). With b = (d_2 - d_1) / 2 to the border of the node's cell, (1 +
// b / (d + b)) / 2 inside and (1 - b / (d - b)) / 2 outside become d_2 / (d_1 + d_2) and d_1 / (d_1 + d_j).
#include <math.h>
#include <string.h>

#include "map/frames/tree.h"
#include "math/decompose.h"

static const double WIDTH = 1.6;
static const double CORRECTED = 9, LEFT_ALONE = 16; // (X - c)^2 over the variance along an axis
enum { RATIO_INFLUENCES = 4 };                      // as published

static const double *place_of(const ThawShape *shape, int32_t vertex) {
    return shape->X + (size_t)vertex * (size_t)shape->dim;
}

typedef struct Cloud {
    int count;
    double place[THAW_INFLUENCES_MAX][3], w[THAW_INFLUENCES_MAX];
    double mean[3], covariance[9], sum;
} Cloud;

static void measure(Cloud *cloud) {
    cloud->sum = 0;
    memset(cloud->mean, 0, sizeof cloud->mean);
    memset(cloud->covariance, 0, sizeof cloud->covariance);
    for (int j = 0; j < cloud->count; j++)
        cloud->sum += cloud->w[j];
    for (int j = 0; j < cloud->count; j++)
        for (int k = 0; k < 3; k++)
            cloud->mean[k] += cloud->w[j] / cloud->sum * cloud->place[j][k];
    for (int j = 0; j < cloud->count; j++)
        for (int k = 0; k < 9; k++)
            cloud->covariance[k] += cloud->w[j] / cloud->sum * (cloud->place[j][k / 3] - cloud->mean[k / 3]) *
                                    (cloud->place[j][k % 3] - cloud->mean[k % 3]);
}

static void correct(Cloud *cloud, const double *X, int dim) {
    double lambda[3], Q[9], a[3] = {0};
    measure(cloud);
    thaw_eigen_sym3(cloud->covariance, lambda, Q);
    const double widest = fmax(lambda[0], fmax(lambda[1], lambda[2]));
    for (int k = 0; k < 3; k++) {
        double off = 0;
        for (int i = 0; i < dim; i++)
            off += Q[i + 3 * k] * (X[i] - cloud->mean[i]);
        if (!(lambda[k] > 1e-12 * widest))
            continue;
        const double far = off * off / lambda[k];
        const double share = fmin(1, fmax(0, (LEFT_ALONE - far) / (LEFT_ALONE - CORRECTED)));
        for (int i = 0; i < 3; i++)
            a[i] += share * off / lambda[k] * Q[i + 3 * k];
    }
    for (int j = 0; j < cloud->count; j++) {
        double factor = 1;
        for (int i = 0; i < 3; i++)
            factor += a[i] * (cloud->place[j][i] - cloud->mean[i]);
        cloud->w[j] *= factor / cloud->sum;
    }
}

static void normalise(Cloud *cloud) {
    double sum = 0;
    for (int j = 0; j < cloud->count; j++)
        sum += cloud->w[j];
    for (int j = 0; j < cloud->count; j++)
        cloud->w[j] /= sum;
}

static double kernel(double t) { return t < 1 ? (1 - t) * (1 - t) * (1 - t) * (1 - t) * (4 * t + 1) : 0; }

static int kernel_weights(const ThawNear *near, int count, int axes, double w[THAW_INFLUENCES_MAX]) {
    double r = WIDTH * near[axes < count ? axes : count - 1].distance;
    if (count > THAW_INFLUENCES_MAX)
        r = fmin(r, near[THAW_INFLUENCES_MAX].distance);
    const int most = count < THAW_INFLUENCES_MAX ? count : THAW_INFLUENCES_MAX;
    w[0] = 1;
    if (count == 1 || !(r > near[0].distance)) // nothing to choose from
        return 1;
    for (int j = 0; j < most; j++)
        w[j] = kernel(near[j].distance / r);
    return most;
}

static int ratio_weights(const ThawNear *near, int count, double w[THAW_INFLUENCES_MAX]) {
    const int most = count < RATIO_INFLUENCES ? count : RATIO_INFLUENCES;
    const double d = near[0].distance;
    w[0] = count == 1 || d == 0 ? 1 : near[1].distance / (d + near[1].distance);
    for (int j = 1; j < most; j++)
        w[j] = d == 0 ? 0 : d / (d + near[j].distance);
    // Of three and more that meet, those beyond the second fade out before others take their place.
    for (int j = 2; j < most && count > RATIO_INFLUENCES; j++)
        w[j] *= 1 - near[j].distance / near[RATIO_INFLUENCES].distance;
    return most;
}

void thaw_frame_weights(const ThawNearTable *table, ThawFrameWeights kind, const int32_t *vertices, int axes,
                        int32_t vertex, int32_t *node, double *weight) {
    const ThawShape *shape = table->shape;
    const ThawNear *near = table->near + (size_t)vertex * THAW_NEAR_MAX;
    const int count = table->count[vertex];
    Cloud cloud = {0};
    for (int j = 0; j < THAW_INFLUENCES_MAX; j++) {
        node[j] = -1;
        weight[j] = 0;
    }
    node[0] = 0; // of pieces without a node of their own: they follow the root
    weight[0] = 1;
    if (count == 0)
        return;
    cloud.count =
        kind == THAW_FRAME_RATIO ? ratio_weights(near, count, cloud.w) : kernel_weights(near, count, axes, cloud.w);
    while (cloud.count > 1 && cloud.w[cloud.count - 1] == 0)
        cloud.count--;
    for (int j = 0; j < cloud.count; j++)
        memcpy(cloud.place[j], place_of(shape, vertices[near[j].node]), sizeof(double) * (size_t)shape->dim);
    if (kind == THAW_FRAME_KERNEL)
        correct(&cloud, place_of(shape, vertex), shape->dim);
    normalise(&cloud);
    int used = 0;
    for (int j = 0; j < cloud.count; j++)
        if (cloud.w[j] != 0) {
            node[used] = near[j].node;
            weight[used++] = cloud.w[j];
        }
}
