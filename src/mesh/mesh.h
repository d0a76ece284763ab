// SPDX-License-Identifier: Apache-2.0
// What the other folders may ask of a mesh besides reading it: placement, adjacency, surface, orderings, quality.
// Everything here expects a mesh that thaw_mesh_validate accepts, unless it says otherwise.
#ifndef THAW_MESH_INTERNAL_H
#define THAW_MESH_INTERNAL_H

#include "base/base.h"
#include "math/vec3.h"
#include "thaw/mesh.h"

// --- the mesh itself (mesh.c, validate.c) ---------------------------------------------------------------------------

// Room for a mesh of the given sizes, zeroed; no region and no group yet.
ThawStatus thaw_mesh_create(int dim, int32_t vertex_count, int32_t element_count, ThawMesh **mesh, ThawError *error);
// The same of triangles in space.
ThawStatus thaw_mesh_create_sheet(int32_t vertex_count, int32_t element_count, ThawMesh **mesh, ThawError *error);
// Room for `count` regions or groups, zeroed.
ThawStatus thaw_mesh_set_regions(ThawMesh *mesh, int32_t count, ThawError *error);
ThawStatus thaw_mesh_set_groups(ThawMesh *mesh, int32_t count, ThawError *error);

// A copy that shares nothing with the original.
ThawStatus thaw_mesh_copy(const ThawMesh *mesh, ThawMesh **copy, ThawError *error);

// x = R(rotation) diag(scale) X + translation for every vertex. rotation is a unit quaternion (w, x, y, z), in 2D about
// z. A mirroring scale re-orients the elements. On error the mesh is unchanged.
ThawStatus thaw_mesh_transform(ThawMesh *mesh, const double scale[3], const double rotation[4],
                               const double translation[3], ThawError *error);

// thaw_mesh_validate that also tells the first element that is wrong; -1 when none is. culprit may not be NULL.
ThawStatus thaw_mesh_check(const ThawMesh *mesh, int32_t *culprit, ThawError *error);
// The part of it that looks at each element's shape.
ThawStatus thaw_mesh_check_shapes(const ThawMesh *mesh, int32_t *culprit, ThawError *error);

// Whether it is a sheet: triangles in space.
static inline int thaw_mesh_is_sheet(const ThawMesh *mesh) { return mesh->dim == 3 && mesh->nodes == 3; }

// Signed volume (m^3), in 2D area (m^2); positive when well oriented. Of a sheet: the area, never negative.
static inline double thaw_mesh_volume(const ThawMesh *mesh, int32_t element) {
    const int dim = mesh->dim;
    const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)element;
    double d[3][3] = {{0}}; // edge vectors from the first vertex
    for (int i = 0; i < mesh->nodes - 1; i++)
        for (int k = 0; k < dim; k++)
            d[i][k] =
                mesh->x[(size_t)dim * (size_t)v[i + 1] + (size_t)k] - mesh->x[(size_t)dim * (size_t)v[0] + (size_t)k];
    if (thaw_mesh_is_sheet(mesh)) {
        double n[3];
        thaw_v3_cross(d[0], d[1], n);
        return sqrt(thaw_v3_dot(n, n)) / 2;
    }
    if (dim == 2)
        return (d[0][0] * d[1][1] - d[0][1] * d[1][0]) / 2;
    return thaw_v3_triple(d[0], d[1], d[2]) / 6;
}

// Swaps two vertices of an element: its signed volume changes sign.
static inline void thaw_mesh_flip(ThawMesh *mesh, int32_t element) {
    int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)element + mesh->nodes - 2;
    int32_t last = v[1];
    v[1] = v[0];
    v[0] = last;
}

// --- adjacency (topology.c) -----------------------------------------------------------------------------------------

// An undirected graph: neighbours of i are neighbours[offset[i] .. offset[i+1]), ascending, without i itself; j is
// among those of i exactly when i is among those of j.
typedef struct ThawGraph {
    int32_t n;
    int32_t *offset;     // n + 1
    int32_t *neighbours; // offset[n]
} ThawGraph;

// Vertices that share an element.
ThawStatus thaw_graph_create(const ThawMesh *mesh, ThawGraph **graph, ThawError *error);
void thaw_graph_free(ThawGraph **graph);

// Face i of an element lies opposite its vertex i; its vertices (dim of them) in the order that makes the normal
// point outward, by the right-hand rule; in 2D outward is to the right of the edge.
extern const int8_t thaw_tet_face[4][3];
extern const int8_t thaw_triangle_edge[3][2];

// across[nodes * e + i]: the element on the other side of face i of element e, -1 on the boundary. The caller frees it
// with thaw_free. A face of three or more elements is THAW_ERROR_INPUT.
ThawStatus thaw_mesh_neighbours(const ThawMesh *mesh, int32_t **across, ThawError *error);

// The faces that belong to one element only, in the order of elements and their faces.
typedef struct ThawSurface {
    int nodes; // vertices a face: 3 (triangles), or 2 for a mesh of dim 2 (edges). A sheet is its own surface
    int32_t count;
    int32_t *faces;   // nodes * count vertex ids, outward
    int32_t *element; // count, the element a face belongs to
} ThawSurface;

ThawStatus thaw_mesh_surface(const ThawMesh *mesh, ThawSurface **surface, ThawError *error);
void thaw_surface_free(ThawSurface **surface);

// Sorts rows of `width` (at most 7) keys in [0, n) and one id behind them by their keys, the first one weighing most;
// equal rows keep their order. *rows holds count * (width + 1) numbers and may be replaced by other memory. Linear
// time.
ThawStatus thaw_rows_sort(int width, int32_t n, size_t count, int32_t **rows, ThawError *error);

// Rows for thaw_rows_sort: each element's vertices in ascending order, then its id. The caller frees them.
ThawStatus thaw_mesh_element_rows(const ThawMesh *mesh, int32_t **rows, ThawError *error);

// first[i]: the lowest of the points that lie exactly where point i lies (i itself, mostly); x holds dim numbers a
// point. Expected linear time.
ThawStatus thaw_points_first(int dim, int32_t count, const double *x, int32_t *first, ThawError *error);
// The same of points at nearly the same place: all nearer to each other than this share of the diagonal of their box,
// none farther apart than 3.5 times that, but for chains: near ones of near ones are one, too.
ThawStatus thaw_points_near(int dim, int32_t count, const double *x, double near, int32_t *first, ThawError *error);

// --- ordering (order.c) ---------------------------------------------------------------------------------------------

// Reverse Cuthill-McKee: order[new] = old, n of them. Small bandwidth, component after component. Linear time.
ThawStatus thaw_graph_order_rcm(const ThawGraph *graph, int32_t *order, ThawError *error);

// --- quality (quality.c) --------------------------------------------------------------------------------------------

// The worst of all elements, and which they are (lowest id on a tie).
typedef struct ThawMeshQuality {
    double min_angle, max_angle;                 // rad: dihedral angles of tetrahedra, angles of triangles
    double max_aspect;                           // longest edge by inradius, 1 for a regular element
    double min_volume, max_volume, total_volume; // m^3 or m^2
    int32_t min_angle_element, max_angle_element, max_aspect_element, min_volume_element;
} ThawMeshQuality;

ThawMeshQuality thaw_mesh_quality(const ThawMesh *mesh);

#endif
