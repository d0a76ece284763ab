// SPDX-License-Identifier: Apache-2.0
// Choosing vertices by their place: in a box, in a sphere, on one side of a plane.
//
// A definition says 0.3 and a mesher has computed 0.30000000000000004; the box is meant to have that vertex.
// Boundaries are therefore moved outward by a billionth of the mesh's diameter: far more than rounding, far less than
// any element.
#include <math.h>

#include "scene/select.h"

int thaw_select_chooses(const ThawGroupDef *group, int dim, double slack, const double *x) {
    double square = 0, height = 0, length = 0;
    int inside = 1;
    for (int k = 0; k < dim; k++) {
        double d = x[k] - group->a[k];
        square += d * d;
        height += d * group->b[k];
        length += group->b[k] * group->b[k];
        inside &= x[k] >= group->a[k] - slack && x[k] <= group->b[k] + slack;
    }
    switch (group->select) {
    case THAW_SELECT_ALL:
        return 1;
    case THAW_SELECT_BOX:
        return inside;
    case THAW_SELECT_SPHERE:
        return square <= (group->radius + slack) * (group->radius + slack);
    case THAW_SELECT_PLANE_SIDE:
        return height >= -slack * sqrt(length);
    case THAW_SELECT_MESH_GROUP:
    case THAW_SELECT_NEAREST:
        break;
    }
    return 0;
}
