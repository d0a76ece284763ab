// SPDX-License-Identifier: Apache-2.0
// Linear simplices. With edge vectors D = [X1-X0, ..., Xd-X0] the gradients of shape functions 1..d are the rows of D^-1,
// constant over the element: one integration point.
#include "model/element.h"

#include <stddef.h>

static void rest_triangle(const double *X, double *weight, double *gradient) {
    double a[2], b[2]; // edges from node 0
    for (int i = 0; i < 2; i++) {
        a[i] = X[2 + i] - X[i];
        b[i] = X[4 + i] - X[i];
    }
    double det = a[0] * b[1] - a[1] * b[0];
    *weight = det / 2;
    gradient[0] = b[1] / det;
    gradient[1] = -b[0] / det;
    gradient[2] = -a[1] / det;
    gradient[3] = a[0] / det;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void rest_tetrahedron(const double *X, double *weight, double *gradient) {
    double e[3][3]; // edges from node 0
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e[a][i] = X[3 * (a + 1) + i] - X[i];
    // Row a of D^-1 is the cross product of the other two edges over the determinant.
    for (int a = 0; a < 3; a++)
        cross(e[(a + 1) % 3], e[(a + 2) % 3], gradient + 3 * a);
    double det = 0;
    for (int i = 0; i < 3; i++)
        det += e[0][i] * gradient[i];
    *weight = det / 6;
    for (int i = 0; i < 9; i++)
        gradient[i] /= det;
}

static const ThawElementKind KINDS[] = {
    {"triangle", 2, 3, 1, rest_triangle},
    {"tetrahedron", 3, 4, 1, rest_tetrahedron},
};

const ThawElementKind *thaw_element_kind(int dim, int nodes) {
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (KINDS[i].dim == dim && KINDS[i].nodes == nodes)
            return &KINDS[i];
    return NULL;
}
