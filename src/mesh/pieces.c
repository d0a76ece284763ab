// SPDX-License-Identifier: Apache-2.0
// Which bodies a file holds. Those of a mesh hang together by elements. A surface is harder: what hangs together by
// triangles may be the wall of a hollow, which belongs to the hull around it, and what cuts another piece makes one
// body with it. So, of the parts that hang together by vertices (those at the same place are one):
//   parts with triangles that cut each other are joined;
//   a part that lies inside others is joined to the innermost of them, unless they wind around it zero times: then it
//   lies in
//   a hollow, and is a body of its own.
// One vertex decides where a part lies, for it does not cut the other. Cuts are found by a tree, as the mesher finds
// them; where parts lie takes the square of their number, with boxes, and a sum over the triangles of each part around
// another.
#include "mesh/pieces.h"

#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "mesh/winding.h"

// --- of a mesh -------------------------------------------------------------------------------------------------------

ThawStatus thaw_mesh_pieces(const ThawMesh *mesh, int32_t *piece, int32_t *count, ThawError *error) {
    int32_t *parent = THAW_NEW(int32_t, mesh->vertex_count);
    if (!parent)
        return thaw_error_memory(error, "the pieces of a mesh");
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        parent[v] = v;
    for (int32_t e = 0; e < mesh->element_count; e++)
        for (int i = 1; i < mesh->nodes; i++)
            thaw_forest_join(parent, mesh->elements[(size_t)mesh->nodes * (size_t)e],
                             mesh->elements[(size_t)mesh->nodes * (size_t)e + (size_t)i]);
    *count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        int32_t r = thaw_forest_root(parent, v);
        piece[v] = r == v ? (*count)++ : piece[r];
    }
    thaw_free(parent);
    return THAW_OK;
}

// vertex: the new id of each vertex, -1 for one that goes.
static void keep_vertices(ThawMesh *mesh, const int32_t *vertex, int32_t kept) {
    const size_t dim = (size_t)mesh->dim, nodes = (size_t)mesh->nodes;
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (vertex[v] >= 0)
            memmove(mesh->x + dim * (size_t)vertex[v], mesh->x + dim * (size_t)v, dim * sizeof *mesh->x);
    mesh->vertex_count = kept;
    int32_t elements = 0, groups = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        if (vertex[mesh->elements[nodes * (size_t)e]] < 0)
            continue;
        for (size_t i = 0; i < nodes; i++)
            mesh->elements[nodes * (size_t)elements + i] = vertex[mesh->elements[nodes * (size_t)e + i]];
        mesh->region[elements++] = mesh->region[e];
    }
    mesh->element_count = elements;
    for (int32_t g = 0; g < mesh->group_count; g++) {
        ThawMeshGroup group = mesh->groups[g];
        int32_t count = 0;
        for (int32_t i = 0; i < group.count; i++)
            if (vertex[group.vertices[i]] >= 0)
                group.vertices[count++] = vertex[group.vertices[i]];
        group.count = count;
        if (count) {
            mesh->groups[groups++] = group;
            continue;
        }
        thaw_free(group.name);
        thaw_free(group.vertices);
    }
    mesh->group_count = groups;
}

ThawStatus thaw_mesh_keep_piece(ThawMesh *mesh, int32_t which, ThawError *error) {
    int32_t count = 0, kept = 0, *piece = THAW_NEW(int32_t, mesh->vertex_count);
    ThawStatus status =
        piece ? thaw_mesh_pieces(mesh, piece, &count, error) : thaw_error_memory(error, "the pieces of a mesh");
    if (!status && !(which >= 0 && which < count))
        status = thaw_error_set(error, THAW_ERROR_INPUT, "there is no piece %d; allowed: 1 to %d", which + 1, count);
    if (!status) {
        for (int32_t v = 0; v < mesh->vertex_count; v++)
            piece[v] = piece[v] == which ? kept++ : -1;
        keep_vertices(mesh, piece, kept);
    }
    thaw_free(piece);
    return status;
}

// --- of a surface ----------------------------------------------------------------------------------------------------

typedef struct Part {
    double lo[3], hi[3];
    int32_t first, count; // its triangles, in `order`
    int32_t around;       // the innermost part that it lies in; -1: none
    double winding;       // of all that it lies in
} Part;

typedef struct Parts {
    const ThawTriangleMesh *surface;
    int32_t *parent; // of each part, among parts
    int32_t *of;     // the part of each triangle
    int32_t *order;  // triangles, part by part
    Part *parts;
    int32_t count;
} Parts;

static void corners_of(const ThawTriangleMesh *surface, int32_t t, double corner[9]) {
    for (int i = 0; i < 3; i++)
        memcpy(corner + 3 * i, surface->x + 3 * (size_t)surface->triangles[3 * (size_t)t + (size_t)i],
               3 * sizeof *corner);
}

static void join_parts(void *context, int32_t a, int32_t b, const double place[3]) {
    Parts *p = context;
    (void)place;
    thaw_forest_join(p->parent, p->of[a], p->of[b]);
}

static double part_winding(const Parts *p, const Part *part, const double x[3]) {
    double corner[9], sum = 0;
    for (int32_t i = part->first; i < part->first + part->count; i++) {
        corners_of(p->surface, p->order[i], corner);
        sum += thaw_triangle_winding(x, corner);
    }
    return round(sum);
}

static int box_within(const Part *inner, const Part *outer) {
    int within = 1;
    for (int k = 0; k < 3; k++)
        within &= inner->lo[k] >= outer->lo[k] && inner->hi[k] <= outer->hi[k];
    return within;
}

// Joins what lies inside another to what is around it.
static void join_nested(Parts *p) {
    for (int32_t i = 0; i < p->count; i++) {
        Part *inner = &p->parts[i];
        const double *x = p->surface->x + 3 * (size_t)p->surface->triangles[3 * (size_t)p->order[inner->first]];
        for (int32_t j = 0; j < p->count; j++) {
            const Part *outer = &p->parts[j];
            if (i == j || !box_within(inner, outer) || thaw_forest_root(p->parent, i) == thaw_forest_root(p->parent, j))
                continue;
            const double winding = part_winding(p, outer, x);
            inner->winding += winding;
            if (winding != 0 && (inner->around < 0 || box_within(outer, &p->parts[inner->around])))
                inner->around = j;
        }
    }
    for (int32_t i = 0; i < p->count; i++)
        if (p->parts[i].around >= 0 && p->parts[i].winding != 0)
            thaw_forest_join(p->parent, i, p->parts[i].around);
}

// Triangles sorted by part, and the parts' boxes.
static void fill_parts(Parts *p) {
    const ThawTriangleMesh *surface = p->surface;
    for (int32_t i = 0; i < p->count; i++) {
        p->parent[i] = i;
        p->parts[i] = (Part){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, 0, -1, 0};
    }
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        Part *part = &p->parts[p->of[t]];
        double corner[9];
        corners_of(surface, t, corner);
        part->count++;
        for (int i = 0; i < 9; i++) {
            part->lo[i % 3] = fmin(part->lo[i % 3], corner[i]);
            part->hi[i % 3] = fmax(part->hi[i % 3], corner[i]);
        }
    }
    for (int32_t i = 1; i < p->count; i++)
        p->parts[i].first = p->parts[i - 1].first + p->parts[i - 1].count;
    for (int32_t i = 0; i < p->count; i++)
        p->parts[i].count = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        Part *part = &p->parts[p->of[t]];
        p->order[part->first + part->count++] = t;
    }
}

// Parts that hang together by vertices, numbered by lowest triangle, into p->of.
static ThawStatus find_parts(Parts *p, ThawError *error) {
    const ThawTriangleMesh *surface = p->surface;
    int32_t *parent = THAW_NEW(int32_t, surface->vertex_count), *number = THAW_NEW(int32_t, surface->vertex_count);
    ThawStatus status = parent && number ? thaw_points_first(3, surface->vertex_count, surface->x, parent, error)
                                         : thaw_error_memory(error, "the pieces of a surface");
    for (size_t i = 0; !status && i < 3 * (size_t)surface->triangle_count; i++)
        thaw_forest_join(parent, surface->triangles[i], surface->triangles[i - i % 3]);
    for (int32_t t = 0; !status && t < surface->triangle_count; t++) {
        const int32_t r = thaw_forest_root(parent, surface->triangles[3 * (size_t)t]);
        if (!number[r])
            number[r] = ++p->count;
        p->of[t] = number[r] - 1;
    }
    thaw_free(parent);
    thaw_free(number);
    return status;
}

ThawStatus thaw_triangles_pieces(const ThawTriangleMesh *surface, int32_t *piece, int32_t *count, ThawError *error) {
    Parts p = {.surface = surface, .of = piece};
    *count = 0;
    ThawStatus status = find_parts(&p, error);
    if (status)
        return status;
    p.parent = THAW_NEW(int32_t, p.count);
    p.parts = THAW_NEW(Part, p.count);
    p.order = THAW_NEW(int32_t, surface->triangle_count);
    status = p.parent && p.parts && p.order ? THAW_OK : thaw_error_memory(error, "the pieces of a surface");
    if (!status) {
        fill_parts(&p);
        if (p.count > 1)
            status = thaw_surface_cuts(surface, join_parts, &p, error);
    }
    if (!status) {
        join_nested(&p);
        for (int32_t i = 0; i < p.count; i++) // from here on `first` is the number of the piece
            p.parts[i].first =
                thaw_forest_root(p.parent, i) == i ? (*count)++ : p.parts[thaw_forest_root(p.parent, i)].first;
        for (int32_t t = 0; t < surface->triangle_count; t++)
            piece[t] = p.parts[piece[t]].first;
    }
    thaw_free(p.parent);
    thaw_free(p.parts);
    thaw_free(p.order);
    return status;
}

ThawStatus thaw_triangles_piece(const ThawTriangleMesh *surface, const int32_t *piece, int32_t which,
                                ThawTriangleMesh **part, ThawError *error) {
    int32_t *vertex = THAW_NEW(int32_t, surface->vertex_count), vertices = 0, triangles = 0;
    *part = NULL;
    if (!vertex)
        return thaw_error_memory(error, "a piece of a surface");
    for (int32_t t = 0; t < surface->triangle_count; t++)
        for (int i = 0; i < 3 && piece[t] == which; i++) {
            triangles += i == 0;
            vertex[surface->triangles[3 * (size_t)t + (size_t)i]] = 1;
        }
    for (int32_t v = 0; v < surface->vertex_count; v++)
        vertex[v] = vertex[v] ? vertices++ : -1;
    ThawStatus status = thaw_triangles_create(vertices, triangles, part, error);
    for (int32_t v = 0; !status && v < surface->vertex_count; v++)
        if (vertex[v] >= 0)
            memcpy((*part)->x + 3 * (size_t)vertex[v], surface->x + 3 * (size_t)v, 3 * sizeof *surface->x);
    int32_t *to = status ? NULL : (*part)->triangles;
    for (int32_t t = 0; !status && t < surface->triangle_count; t++)
        for (int i = 0; i < 3 && piece[t] == which; i++)
            *to++ = vertex[surface->triangles[3 * (size_t)t + (size_t)i]];
    thaw_free(vertex);
    return status;
}

// --- of both ---------------------------------------------------------------------------------------------------------

// Which piece each element is nearest to, by the signed distances of the pieces: a point inside one is its own.
static ThawStatus assign_elements(const ThawMesh *mesh, const ThawTriangleMesh *surface, const int32_t *piece,
                                  int32_t count, int32_t *owner, ThawError *error) {
    double *least = THAW_NEW(double, mesh->element_count);
    ThawStatus status = least ? THAW_OK : thaw_error_memory(error, "the pieces of a surface");
    for (int32_t e = 0; !status && e < mesh->element_count; e++)
        least[e] = INFINITY;
    for (int32_t k = 0; !status && k < count; k++) {
        ThawTriangleMesh *part = NULL;
        ThawWinding *winding = NULL;
        status = thaw_triangles_piece(surface, piece, k, &part, error);
        if (!status)
            status = thaw_winding_create(part, &winding, error);
        for (int32_t e = 0; !status && e < mesh->element_count; e++) {
            const int32_t *v = mesh->elements + 4 * (size_t)e;
            double x[3] = {0};
            for (int i = 0; i < 12; i++)
                x[i % 3] += mesh->x[3 * (size_t)v[i / 3] + (size_t)(i % 3)] / 4;
            const double distance = thaw_winding_distance(winding, x);
            if (distance < least[e]) {
                least[e] = distance;
                owner[e] = k;
            }
        }
        if (status == THAW_ERROR_INPUT) // a sheet fills nothing
            status = THAW_OK;
        thaw_winding_free(&winding);
        thaw_triangles_free(&part);
    }
    thaw_free(least);
    return status;
}

ThawStatus thaw_mesh_find_welds(const ThawMesh *mesh, const ThawTriangleMesh *surface, const int32_t *piece,
                                int32_t count, ThawMesherFinding *finding, ThawError *error) {
    int32_t *owner = THAW_NEW(int32_t, mesh->element_count), *across = NULL;
    ThawStatus status = owner ? assign_elements(mesh, surface, piece, count, owner, error)
                              : thaw_error_memory(error, "the pieces of a surface");
    if (!status)
        status = thaw_mesh_neighbours(mesh, &across, error);
    for (size_t i = 0; !status && i < 4 * (size_t)mesh->element_count; i++) {
        const int32_t e = (int32_t)(i / 4);
        if (across[i] <= e || owner[across[i]] == owner[e])
            continue;
        if (finding->count < THAW_MESHER_PLACES) {
            double *x = finding->place[finding->count];
            memset(x, 0, 3 * sizeof *x);
            for (int m = 0; m < 3; m++)
                for (int k = 0; k < 3; k++)
                    x[k] += mesh->x[3 * (size_t)mesh->elements[4 * (size_t)e + (size_t)thaw_tet_face[i % 4][m]] +
                                    (size_t)k] /
                            3;
        }
        finding->count++;
    }
    thaw_free(owner);
    thaw_free(across);
    return status;
}
