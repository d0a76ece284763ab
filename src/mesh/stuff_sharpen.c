// SPDX-License-Identifier: Apache-2.0
// Sharp edges and corners. Stuffing puts vertices where lattice edges meet the surface, so a crease between them is cut
// off by up to a third of the size. Here each surface vertex looks at the planes that touch the solid around it (a few
// points of each of its faces, dropped onto the surface). Where their normals differ much, the point nearest to all
// planes in the sense of least squares is on the crease (the quadric of dual contouring: Ju and others 2002), and the
// vertex moves there if it is near, if no neighbour has been moved next to that place before, and if the angles of its
// elements stay within bounds. The shortest moves come first. n log n in the number of vertices near creases.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/stuff.h"

enum { CHUNK = 64, ROUNDS = 3 };        // what moved in one lets others see more
static const double SHARP = 0.8;        // cosine between normals below which there is a crease: 37 degrees
static const double REACH = 0.75;       // longest move, by the size
static const double APART = 0.2;        // least distance between moved vertices, by the size
static const double LEAST_ANGLE = 0.21; // rad, 12 degrees
static const double MOST_ANGLE = 2.79;  // rad, 160 degrees

typedef struct Move {
    int32_t vertex;
    double length;
    double x[3]; // where to
} Move;

// A plane that touches the solid: a point of the surface and the unit normal there.
typedef struct Plane {
    double p[3], n[3];
    int known; // 0: none was found
} Plane;

typedef struct Sharpening {
    const ThawSolid *solid;
    ThawMesh *mesh;
    double size;
    int32_t *first, *list; // elements of a vertex: list[first[v] .. first[v + 1])
    ThawSurface *surface;
    int32_t *face_first, *face_list; // the same for faces of the surface
    Plane *planes;                   // dim a face, each near one of its corners
    char *moved;                     // of vertices: nonzero when it was moved
    char *stale;                     // of faces: nonzero when its planes are to be found anew
    Move *moves;
    int32_t move_count;
} Sharpening;

// What vertices belong to: rows of `nodes` vertices each.
static ThawStatus invert_rows(const int32_t *rows, int nodes, int32_t count, int32_t vertices, int32_t **first,
                              int32_t **list, ThawError *error) {
    *first = THAW_NEW(int32_t, (size_t)vertices + 2);
    *list = THAW_NEW(int32_t, (size_t)nodes * (size_t)count);
    if (!*first || !*list)
        return thaw_error_memory(error, "sharpening a mesh");
    int32_t *start = *first + 1;
    for (size_t i = 0; i < (size_t)nodes * (size_t)count; i++)
        start[rows[i] + 1]++;
    for (int32_t v = 0; v < vertices; v++)
        start[v + 1] += start[v];
    for (size_t i = 0; i < (size_t)nodes * (size_t)count; i++)
        (*list)[start[rows[i]]++] = (int32_t)(i / (size_t)nodes);
    return THAW_OK;
}

// The plane that touches the solid next to x: a point p of the surface, and the unit normal n there. 0: there is none.
static int find_plane(const Sharpening *s, const double x[3], double p[3], double n[3]) {
    const int dim = s->mesh->dim;
    const double step = 1e-4 * s->size;
    memcpy(p, x, 3 * sizeof *p);
    for (int pass = 0; pass < 3; pass++) { // Newton's method along the gradient, then the gradient where it ended
        double square = 0;
        for (int k = 0; k < dim; k++) {
            double y[3] = {p[0], p[1], p[2]}, z[3] = {p[0], p[1], p[2]};
            y[k] += step;
            z[k] -= step;
            n[k] = (thaw_solid_distance(s->solid, y) - thaw_solid_distance(s->solid, z)) / (2 * step);
            square += n[k] * n[k];
        }
        if (!(square > 0.01))
            return 0;
        const double d = thaw_solid_distance(s->solid, p);
        for (int k = 0; k < dim; k++) {
            if (pass < 2)
                p[k] -= d * n[k] / square;
            n[k] /= sqrt(square);
        }
    }
    return fabs(thaw_solid_distance(s->solid, p)) < 1e-3 * s->size;
}

// Solves Q x = b for a symmetric positive matrix of order dim, by elimination.
static void solve(int dim, double Q[3][3], double b[3], double x[3]) {
    for (int i = 0; i < dim; i++)
        for (int j = i + 1; j < dim; j++) {
            const double f = Q[j][i] / Q[i][i];
            for (int k = i; k < dim; k++)
                Q[j][k] -= f * Q[i][k];
            b[j] -= f * b[i];
        }
    for (int i = dim - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int k = i + 1; k < dim; k++)
            x[i] -= Q[i][k] * x[k];
        x[i] /= Q[i][i];
    }
}

static void position(const ThawMesh *mesh, int32_t v, double x[3]) {
    x[2] = 0;
    memcpy(x, mesh->x + (size_t)mesh->dim * (size_t)v, (size_t)mesh->dim * sizeof *x);
}

static void find_planes(void *context, int32_t chunk) {
    Sharpening *s = context;
    const int dim = s->mesh->dim;
    const int32_t end = (chunk + 1) * CHUNK < s->surface->count ? (chunk + 1) * CHUNK : s->surface->count;
    for (int32_t f = chunk * CHUNK; f < end; f++) {
        const int32_t *face = s->surface->faces + (size_t)dim * (size_t)f;
        for (int c = 0; s->stale[f] && c < dim; c++) {
            Plane *plane = &s->planes[(size_t)dim * (size_t)f + (size_t)c];
            double x[3] = {0}, corner[3];
            for (int j = 0; j < dim; j++) {
                position(s->mesh, face[j], corner);
                for (int k = 0; k < dim; k++)
                    x[k] += corner[k] * (j == c ? 0.7 : 0.3 / (dim - 1));
            }
            plane->known = find_plane(s, x, plane->p, plane->n);
        }
        s->stale[f] = 0;
    }
}

// Where the vertex should go, if it is near a crease and not on it.
static void look_around(Sharpening *s, int32_t v) {
    const int dim = s->mesh->dim;
    double here[3], Q[3][3] = {{0}}, b[3] = {0}, move[3] = {0}, normals[64][3], least = 1;
    int count = 0;
    position(s->mesh, v, here);
    for (int32_t i = s->face_first[v]; i < s->face_first[v + 1]; i++)
        for (int c = 0; c < dim && count < 64; c++) {
            const Plane *plane = &s->planes[(size_t)dim * (size_t)s->face_list[i] + (size_t)c];
            const double *p = plane->p, *n = plane->n;
            if (!plane->known)
                continue;
            double offset = 0;
            for (int k = 0; k < dim; k++)
                offset += n[k] * (p[k] - here[k]);
            for (int k = 0; k < dim; k++) {
                b[k] += n[k] * offset;
                for (int j = 0; j < dim; j++)
                    Q[k][j] += n[k] * n[j];
            }
            for (int j = 0; j < count; j++)
                least = fmin(least, n[0] * normals[j][0] + n[1] * normals[j][1] + n[2] * normals[j][2]);
            memcpy(normals[count++], n, sizeof plane->n);
        }
    if (least > SHARP)
        return;
    for (int k = 0; k < dim; k++)
        Q[k][k] += 0.01 * count; // along a crease nothing decides: stay
    solve(dim, Q, b, move);
    const double length = hypot(hypot(move[0], move[1]), move[2]);
    if (!(length > 0.01 * s->size && length < REACH * s->size))
        return;
    Move *m = &s->moves[s->move_count++];
    *m = (Move){.vertex = v, .length = length, .x = {here[0] + move[0], here[1] + move[1], here[2] + move[2]}};
    if (fabs(thaw_solid_distance(s->solid, m->x)) > 0.05 * s->size) // no crease after all
        s->move_count--;
}

static int compare_moves(const void *a, const void *b) {
    const Move *one = a, *two = b;
    return one->length != two->length ? (one->length > two->length) - (one->length < two->length)
                                      : (one->vertex > two->vertex) - (one->vertex < two->vertex);
}

static int is_crowded(const Sharpening *s, int32_t v, const double x[3]) {
    const int nodes = s->mesh->nodes;
    for (int32_t i = s->first[v]; i < s->first[v + 1]; i++)
        for (int j = 0; j < nodes; j++) {
            const int32_t other = s->mesh->elements[(size_t)nodes * (size_t)s->list[i] + (size_t)j];
            double y[3];
            position(s->mesh, other, y);
            if (other != v && s->moved[other] && hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) < APART * s->size)
                return 1;
        }
    return 0;
}

static int angles_allow(const Sharpening *s, int32_t v) {
    const size_t nodes = (size_t)s->mesh->nodes;
    for (int32_t i = s->first[v]; i < s->first[v + 1]; i++) {
        ThawMesh one = *s->mesh;
        one.elements += nodes * (size_t)s->list[i];
        one.element_count = 1;
        const ThawMeshQuality q = thaw_mesh_quality(&one);
        if (!(q.min_volume > 0 && q.min_angle > LEAST_ANGLE && q.max_angle < MOST_ANGLE))
            return 0;
    }
    return 1;
}

static int32_t make_moves(Sharpening *s) {
    const size_t dim = (size_t)s->mesh->dim;
    int32_t count = 0;
    if (s->move_count)
        qsort(s->moves, (size_t)s->move_count, sizeof *s->moves, compare_moves);
    for (int32_t i = 0; i < s->move_count; i++) {
        const Move *m = &s->moves[i];
        double *x = s->mesh->x + dim * (size_t)m->vertex, before[3];
        if (is_crowded(s, m->vertex, m->x))
            continue;
        memcpy(before, x, dim * sizeof *x);
        memcpy(x, m->x, dim * sizeof *x);
        if (angles_allow(s, m->vertex)) {
            s->moved[m->vertex] = 1;
            for (int32_t f = s->face_first[m->vertex]; f < s->face_first[m->vertex + 1]; f++)
                s->stale[s->face_list[f]] = 1;
            count++;
        } else {
            memcpy(x, before, dim * sizeof *x);
        }
    }
    return count;
}

static ThawStatus prepare(Sharpening *s, ThawError *error) {
    const ThawMesh *mesh = s->mesh;
    ThawStatus status = thaw_mesh_surface(mesh, &s->surface, error);
    if (!status)
        status = invert_rows(mesh->elements, mesh->nodes, mesh->element_count, mesh->vertex_count, &s->first, &s->list,
                             error);
    if (!status)
        status = invert_rows(s->surface->faces, s->surface->nodes, s->surface->count, mesh->vertex_count,
                             &s->face_first, &s->face_list, error);
    if (status)
        return status;
    s->planes = THAW_NEW(Plane, (size_t)mesh->dim * (size_t)s->surface->count);
    s->moved = THAW_NEW(char, mesh->vertex_count);
    s->stale = THAW_NEW(char, s->surface->count);
    s->moves = THAW_NEW(Move, mesh->vertex_count);
    if (!s->planes || !s->moved || !s->stale || !s->moves)
        return thaw_error_memory(error, "sharpening a mesh");
    memset(s->stale, 1, (size_t)s->surface->count);
    return THAW_OK;
}

ThawStatus thaw_mesh_sharpen(const ThawSolid *solid, double size, ThawTasks *tasks, ThawMesh *mesh, int32_t *moved,
                             ThawError *error) {
    Sharpening s = {.solid = solid, .mesh = mesh, .size = size};
    ThawStatus status = prepare(&s, error);
    *moved = 0;
    for (int round = 0; !status && round < ROUNDS; round++) {
        thaw_tasks_for(tasks, (s.surface->count + CHUNK - 1) / CHUNK, find_planes, &s);
        s.move_count = 0;
        for (int32_t v = 0; v < mesh->vertex_count; v++)
            if (s.face_first[v + 1] > s.face_first[v] && !s.moved[v])
                look_around(&s, v);
        *moved += make_moves(&s);
    }
    thaw_surface_free(&s.surface);
    thaw_free(s.first);
    thaw_free(s.list);
    thaw_free(s.face_first);
    thaw_free(s.face_list);
    thaw_free(s.planes);
    thaw_free(s.moved);
    thaw_free(s.stale);
    thaw_free(s.moves);
    return status;
}
