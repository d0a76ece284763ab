// SPDX-License-Identifier: Apache-2.0
// How good the elements are. Angles: between faces for tetrahedra, between edges for triangles; the cosine falls with
// the angle, so extremes are kept as cosines and turned into angles once. Aspect: longest edge by inradius r, where
// r = 3 V / (sum of face areas), in 2D 2 A / perimeter, scaled to 1 for regular elements. Linear.
#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"

static void edge_between(const ThawMesh *mesh, const int32_t *v, int from, int to, double d[3]) {
    d[2] = 0;
    for (int k = 0; k < mesh->dim; k++)
        d[k] = mesh->x[(size_t)mesh->dim * (size_t)v[to] + (size_t)k] -
               mesh->x[(size_t)mesh->dim * (size_t)v[from] + (size_t)k];
}

// The outward normal of face i, its length twice the area; of triangles the edge's, as long as the edge, and in their
// plane.
static void face_normal(const ThawMesh *mesh, const int32_t *v, int i, double normal[3]) {
    double a[3], b[3];
    if (mesh->nodes == 3) {
        edge_between(mesh, v, thaw_triangle_edge[i][0], thaw_triangle_edge[i][1], a);
        if (mesh->dim == 3) {
            const double length = thaw_v3_norm(a), square = length * length;
            edge_between(mesh, v, i, thaw_triangle_edge[i][0], normal);
            thaw_v3_add(normal, square > 0 ? -thaw_v3_dot(normal, a) / square : 0, a, normal);
            const double height = thaw_v3_norm(normal);
            for (int k = 0; k < 3; k++)
                normal[k] *= height > 0 ? length / height : 0;
            return;
        }
        normal[0] = a[1];
        normal[1] = -a[0];
        normal[2] = 0;
        return;
    }
    edge_between(mesh, v, thaw_tet_face[i][0], thaw_tet_face[i][1], a);
    edge_between(mesh, v, thaw_tet_face[i][0], thaw_tet_face[i][2], b);
    thaw_v3_cross(a, b, normal);
}

static double aspect(const ThawMesh *mesh, const int32_t *v, double volume, const double size[4]) {
    double longest = 0, total = 0, d[3];
    for (int i = 0; i < mesh->nodes; i++) {
        total += size[i];
        for (int j = 0; j < i; j++) {
            edge_between(mesh, v, j, i, d);
            longest = fmax(longest, thaw_v3_dot(d, d));
        }
    }
    // r = 3 V / (total / 2), normalised by 2 sqrt(6); in 2D r = 2 A / total, by 2 sqrt(3).
    const double inradius = (mesh->nodes == 4 ? 6 : 2) * volume / total;
    return sqrt(longest) / ((mesh->nodes == 4 ? 2 * sqrt(6) : 2 * sqrt(3)) * inradius);
}

ThawMeshQuality thaw_mesh_quality(const ThawMesh *mesh) {
    ThawMeshQuality q = {.min_volume = INFINITY, .max_volume = -INFINITY};
    double most = -INFINITY, least = INFINITY; // cosines of the smallest and of the largest angle
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)e;
        double normal[4][3], size[4];
        for (int i = 0; i < mesh->nodes; i++) {
            face_normal(mesh, v, i, normal[i]);
            size[i] = thaw_v3_norm(normal[i]);
        }
        for (int i = 0; i < mesh->nodes; i++)
            for (int j = 0; j < i; j++) {
                const double c = -thaw_v3_dot(normal[i], normal[j]) / (size[i] * size[j]);
                if (c > most) {
                    most = c;
                    q.min_angle_element = e;
                }
                if (c < least) {
                    least = c;
                    q.max_angle_element = e;
                }
            }
        const double volume = thaw_mesh_volume(mesh, e), ratio = aspect(mesh, v, volume, size);
        q.total_volume += volume;
        q.max_volume = fmax(q.max_volume, volume);
        if (volume < q.min_volume) {
            q.min_volume = volume;
            q.min_volume_element = e;
        }
        if (ratio > q.max_aspect) {
            q.max_aspect = ratio;
            q.max_aspect_element = e;
        }
    }
    q.min_angle = acos(fmin(most, 1));
    q.max_angle = acos(fmax(least, -1));
    return q;
}
