// SPDX-License-Identifier: Apache-2.0
// What a surface shares between its bodies, and the normals that decide what is inside. The sign of the distance to a
// closed surface follows from the normal at the closest point, if at an edge the sum of its faces' normals is taken and
// at a vertex their sum weighted by the angles there (Baerentzen and Aanaes 2005). Linear in the surface.
#include "contact/surface.h"

void thaw_contact_face_normal(const ThawContactShape *shape, const double *x, int32_t face, double n[3]) {
    const int32_t *v = shape->face + (size_t)face * shape->nodes;
    const double *a = x + 3 * (size_t)v[0], *b = x + 3 * (size_t)v[1];
    double ab[3], ac[3];
    thaw_v3_sub(b, a, ab);
    if (shape->nodes == 2) { // to the right of the edge
        n[0] = ab[1], n[1] = -ab[0], n[2] = 0;
        return;
    }
    thaw_v3_sub(x + 3 * (size_t)v[2], a, ac);
    thaw_v3_cross(ab, ac, n);
}

void thaw_contact_vertex_normal(const ThawContactShape *shape, const double *x, int32_t v, double n[3]) {
    n[0] = n[1] = n[2] = 0;
    for (int32_t i = shape->around_start[v]; i < shape->around_start[v + 1]; i++) {
        const int32_t *corner = shape->face + (size_t)shape->around[i] * shape->nodes;
        double m[3], a[3], b[3], c[3], angle = 1;
        thaw_contact_face_normal(shape, x, shape->around[i], m);
        if (shape->nodes == 3) {
            int k = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
            thaw_v3_sub(x + 3 * (size_t)corner[(k + 1) % 3], x + 3 * (size_t)v, a);
            thaw_v3_sub(x + 3 * (size_t)corner[(k + 2) % 3], x + 3 * (size_t)v, b);
            thaw_v3_cross(a, b, c);
            angle = atan2(thaw_v3_norm(c), thaw_v3_dot(a, b));
        }
        thaw_v3_unit(m);
        thaw_v3_add(n, angle, m, n);
    }
    thaw_v3_unit(n);
}

void thaw_contact_normal_at(const ThawContactShape *shape, const double *x, int32_t face, const double w[3],
                            double n[3]) {
    int absent = -1, present = -1, count = 0;
    for (int i = 0; i < shape->nodes; i++)
        if (w[i] > 0)
            present = i, count++;
        else
            absent = i;
    thaw_contact_face_normal(shape, x, face, n);
    thaw_v3_unit(n);
    if (count == 1)
        thaw_contact_vertex_normal(shape, x, shape->face[(size_t)face * shape->nodes + present], n);
    else if (count == 2 && shape->nodes == 3) {
        const int32_t *pair = shape->edge_face + 2 * (size_t)shape->face_edge[3 * (size_t)face + absent];
        int32_t other = pair[0] == face ? pair[1] : pair[0];
        double m[3];
        if (other < 0)
            return;
        thaw_contact_face_normal(shape, x, other, m);
        thaw_v3_unit(m);
        thaw_v3_add(n, 1, m, n);
        thaw_v3_unit(n);
    }
}

// --- compiling ------------------------------------------------------------------------------------------------------

// Keeps the vertices that faces use (all, where there are no faces) and renumbers the faces.
static ThawStatus take_vertices(int32_t nv, int32_t nf, const int32_t *faces, ThawContactShape *shape,
                                ThawError *error) {
    int32_t *place = THAW_NEW(int32_t, nv);
    shape->face = THAW_NEW(int32_t, (size_t)nf * (size_t)shape->nodes);
    if (!place || !shape->face) {
        thaw_free(place);
        return thaw_error_memory(error, "a surface for contact");
    }
    for (size_t i = 0; i < (size_t)nf * (size_t)shape->nodes; i++)
        place[faces[i]] = 1;
    for (int32_t i = 0; i < nv; i++)
        if (place[i] || nf == 0)
            place[i] = shape->nv++;
    if ((shape->vertex = THAW_NEW(int32_t, shape->nv))) {
        for (size_t i = 0; i < (size_t)nf * (size_t)shape->nodes; i++) {
            shape->face[i] = place[faces[i]];
            shape->vertex[shape->face[i]] = faces[i];
        }
        for (int32_t i = 0; nf == 0 && i < nv; i++)
            shape->vertex[i] = i;
    }
    thaw_free(place);
    return shape->vertex ? THAW_OK : thaw_error_memory(error, "a surface for contact");
}

static ThawStatus list_around(ThawContactShape *shape, ThawError *error) {
    const size_t total = (size_t)shape->nf * (size_t)shape->nodes;
    shape->around_start = THAW_NEW(int32_t, (size_t)shape->nv + 2);
    shape->around = THAW_NEW(int32_t, total);
    if (!shape->around_start || !shape->around)
        return thaw_error_memory(error, "a surface for contact");
    int32_t *end = shape->around_start + 1; // starts as the beginning of each list
    for (size_t i = 0; i < total; i++)
        end[shape->face[i] + 1]++;
    for (int32_t v = 0; v < shape->nv; v++)
        end[v + 1] += end[v];
    for (size_t i = 0; i < total; i++)
        shape->around[end[shape->face[i]]++] = (int32_t)(i / (size_t)shape->nodes);
    return THAW_OK;
}

// Convex, and bent by more than about ten degrees.
static int is_sharp(const ThawContactShape *shape, const double *x, int32_t edge) {
    const int32_t *ends = shape->edge + 2 * (size_t)edge, *faces = shape->edge_face + 2 * (size_t)edge;
    if (faces[0] < 0)
        return 0;
    double n[2][3], to[3];
    for (int i = 0; i < 2; i++) {
        thaw_contact_face_normal(shape, x, faces[i], n[i]);
        thaw_v3_unit(n[i]);
    }
    const int32_t *v = shape->face + 3 * (size_t)faces[1];
    int32_t opposite = v[0] != ends[0] && v[0] != ends[1] ? v[0] : v[1] != ends[0] && v[1] != ends[1] ? v[1] : v[2];
    thaw_v3_sub(x + 3 * (size_t)opposite, x + 3 * (size_t)ends[0], to);
    return thaw_v3_dot(n[0], n[1]) < 0.985 && thaw_v3_dot(n[0], to) < 0;
}

static ThawStatus list_edges(const double *x, ThawContactShape *shape, ThawError *error) {
    const size_t total = 3 * (size_t)shape->nf;
    int32_t *rows = THAW_NEW(int32_t, 3 * total);
    shape->edge = THAW_NEW(int32_t, 2 * total);
    shape->edge_face = THAW_NEW(int32_t, 2 * total);
    shape->face_edge = THAW_NEW(int32_t, total);
    shape->sharp = THAW_NEW(unsigned char, total);
    if (!rows || !shape->edge || !shape->edge_face || !shape->face_edge || !shape->sharp) {
        thaw_free(rows);
        return thaw_error_memory(error, "a surface for contact");
    }
    for (size_t i = 0; i < total; i++) { // the edge opposite vertex i
        const int32_t *v = shape->face + i / 3 * 3;
        int32_t a = v[(i + 1) % 3], b = v[(i + 2) % 3];
        rows[3 * i] = a < b ? a : b;
        rows[3 * i + 1] = a < b ? b : a;
        rows[3 * i + 2] = (int32_t)i;
    }
    ThawStatus status = thaw_rows_sort(2, shape->nv, total, &rows, error);
    for (size_t i = 0; status == THAW_OK && i < total;) {
        size_t first = i;
        int32_t *e = shape->edge + 2 * (size_t)shape->ne, *faces = shape->edge_face + 2 * (size_t)shape->ne;
        e[0] = rows[3 * i], e[1] = rows[3 * i + 1];
        for (; i < total && rows[3 * i] == e[0] && rows[3 * i + 1] == e[1]; i++)
            shape->face_edge[rows[3 * i + 2]] = shape->ne;
        faces[0] = i - first == 2 ? rows[3 * first + 2] / 3 : -1;
        faces[1] = i - first == 2 ? rows[3 * first + 5] / 3 : -1;
        shape->sharp[shape->ne] = (unsigned char)is_sharp(shape, x, shape->ne);
        shape->ne++;
    }
    thaw_free(rows);
    return status;
}

static void measure_lengths(const double *x, ThawContactShape *shape) {
    for (int32_t v = 0; v < shape->nv; v++) {
        double sum = 0;
        int32_t count = 0;
        for (int32_t i = shape->around_start[v]; i < shape->around_start[v + 1]; i++)
            for (int k = 0; k < shape->nodes; k++) {
                int32_t w = shape->face[(size_t)shape->around[i] * shape->nodes + k];
                double d[3];
                thaw_v3_sub(x + 3 * (size_t)w, x + 3 * (size_t)v, d);
                sum += thaw_v3_norm(d);
                count += w != v;
            }
        shape->length[v] = count ? sum / count : shape->radius;
    }
}

// 2 tan(angle / 2) of faces that meet, which has the same bits on every machine.
static double bend_between(const ThawContactShape *shape, const double *x, int32_t f, int32_t g) {
    double n[2][3], turn[3];
    thaw_contact_face_normal(shape, x, f, n[0]);
    thaw_contact_face_normal(shape, x, g, n[1]);
    thaw_v3_unit(n[0]);
    thaw_v3_unit(n[1]);
    thaw_v3_cross(n[0], n[1], turn);
    return 2 * thaw_v3_norm(turn) / (1 + thaw_v3_dot(n[0], n[1]));
}

static void note_bend(ThawContactShape *shape, int32_t v, double bend) {
    if (!(shape->smooth > 0) || bend > 2 * tan(shape->smooth * M_PI / 360))
        shape->bend[v] = fmax(shape->bend[v], bend);
}

static void measure_bends(const double *x, ThawContactShape *shape) {
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t *faces = shape->edge_face + 2 * (size_t)e;
        for (int k = 0; k < 2 && faces[0] >= 0; k++)
            note_bend(shape, shape->edge[2 * (size_t)e + (size_t)k], bend_between(shape, x, faces[0], faces[1]));
    }
    for (int32_t v = 0; v < shape->nv && shape->nodes == 2; v++) {
        const int32_t *around = shape->around + shape->around_start[v];
        if (shape->around_start[v + 1] - shape->around_start[v] == 2)
            note_bend(shape, v, bend_between(shape, x, around[0], around[1]));
    }
}

ThawStatus thaw_contact_shape_create(int nodes, int32_t nv, const double *x, int32_t nf, const int32_t *faces,
                                     ThawContactShape *shape, ThawError *error) {
    shape->nodes = nodes;
    shape->nf = nf;
    ThawStatus status = take_vertices(nv, nf, faces, shape, error);
    double *surface = status == THAW_OK ? THAW_NEW(double, 3 * (size_t)shape->nv) : NULL;
    if (status == THAW_OK) {
        shape->length = THAW_NEW(double, shape->nv);
        shape->bend = THAW_NEW(double, shape->nv);
        status =
            surface && shape->length && shape->bend ? list_around(shape, error) : thaw_error_memory(error, "a surface");
    }
    for (int32_t v = 0; status == THAW_OK && v < shape->nv; v++)
        thaw_v3_copy(x + 3 * (size_t)shape->vertex[v], surface + 3 * (size_t)v);
    if (status == THAW_OK && nodes == 3)
        status = list_edges(surface, shape, error);
    if (status == THAW_OK && shape->smooth > 0)
        status = thaw_smooth_compile(surface, shape->smooth, shape, error);
    if (status == THAW_OK)
        status = thaw_contact_tree_build(surface, shape, error);
    if (status == THAW_OK) {
        measure_lengths(surface, shape);
        measure_bends(surface, shape);
    }
    thaw_free(surface);
    return status;
}

void thaw_contact_shape_clear(ThawContactShape *shape) {
    thaw_free(shape->vertex);
    thaw_free(shape->face);
    thaw_free(shape->around_start);
    thaw_free(shape->around);
    thaw_free(shape->edge);
    thaw_free(shape->edge_face);
    thaw_free(shape->face_edge);
    thaw_free(shape->sharp);
    thaw_free(shape->tree);
    thaw_free(shape->order);
    thaw_free(shape->stiffness);
    thaw_free(shape->mass);
    thaw_free(shape->length);
    thaw_free(shape->bend);
    thaw_free(shape->part);
    thaw_free(shape->curved);
    thaw_free(shape->behind);
    *shape = (ThawContactShape){0};
}
