// SPDX-License-Identifier: Apache-2.0
// Isosurface stuffing (Labelle and Shewchuk 2007): the elements of a lattice are cut along the surface of a solid so
// that all angles stay bounded.
//
// Each lattice edge whose ends are on different sides has a cut point. A cut point that is too near to an end of its
// edge (nearer than alpha times the edge, for long and short edges each their own alpha) would leave slivers, so that
// end is warped onto it, is on the surface from then on, and the other cuts of its edges are forgotten. What is left of
// each element is a simplex, a pyramid or a prism, and is filled with one to three elements. The quadrilateral faces of
// pyramids and prisms are shared with neighbours, so both must choose the same diagonal: where the two cut edges are of
// different kind, the one that ends at the cut of the long edge; where both are short, a choice by the parity of the
// places, the same from both sides. For the body centred lattice and alpha = 0.24999 (long), 0.41189 (short) dihedral
// angles are proved to be between 10.78 and 164.74 degrees, whatever the surface.
//
// Cuts are found by false position (Illinois), a handful of evaluations each, in parallel; everything else is linear
// and done in order, so that the mesh does not depend on the number of threads.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "mesh/stuff.h"

enum { CHUNK = 256, ITERATIONS = 60 };

// An edge with a cut. Ends a < b.
typedef struct Cut {
    int32_t a, b;
    int32_t vertex; // its id in the mesh, -1 while it is not used
    int dead;       // nonzero: an end was warped onto a cut
    double t;       // where, from a to b
} Cut;

typedef struct Stuffing {
    ThawLattice *lattice;
    int dim;
    int32_t cut_count, cut_room;
    Cut *cuts;
    ThawTable edges;    // (a, b) to its cut
    double *x;          // 3 * lattice vertices, m
    int8_t *side;       // of lattice vertices: 1 inside, 0 on the surface, -1 outside
    int32_t *vertex;    // of lattice vertices: the id in the mesh, -1
    int64_t *evaluated; // a count for each chunk of cuts

    int32_t vertex_count, vertex_room;
    double *points; // dim * vertex_count
    int32_t element_count, element_room;
    int32_t *elements;
} Stuffing;

static void free_stuffing(Stuffing *s) {
    thaw_table_free(&s->edges);
    thaw_free(s->cuts);
    thaw_free(s->x);
    thaw_free(s->side);
    thaw_free(s->vertex);
    thaw_free(s->evaluated);
    thaw_free(s->points);
    thaw_free(s->elements);
}

// --- cuts ------------------------------------------------------------------------------------------------------------

static uint64_t edge_key(int32_t a, int32_t b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// Places of middles are odd in all directions, of corners even: a long edge joins two of a kind. Finest cells only.
static int is_long(const Stuffing *s, int32_t a, int32_t b) {
    return (s->lattice->place[a][0] & 1) == (s->lattice->place[b][0] & 1);
}

static ThawStatus add_cut(Stuffing *s, int32_t a, int32_t b, ThawError *error) {
    int32_t *cut = thaw_table_put(&s->edges, edge_key(a, b), s->cut_count);
    if (!cut)
        return thaw_error_memory(error, "the cuts of a mesher");
    if (*cut != s->cut_count)
        return THAW_OK;
    if (s->cut_count == s->cut_room) {
        const int32_t room = 2 * s->cut_room + 1024;
        Cut *cuts = thaw_regrow(s->cuts, (size_t)s->cut_count, (size_t)room, sizeof *cuts);
        if (!cuts)
            return thaw_error_memory(error, "the cuts of a mesher");
        s->cuts = cuts;
        s->cut_room = room;
    }
    s->cuts[s->cut_count++] = (Cut){.a = a < b ? a : b, .b = a < b ? b : a, .vertex = -1};
    return THAW_OK;
}

static ThawStatus find_cuts(Stuffing *s, ThawError *error) {
    const int nodes = s->dim + 1;
    ThawStatus status = THAW_OK;
    for (int32_t e = 0; e < s->lattice->element_count; e++) {
        const int32_t *v = s->lattice->elements + (size_t)nodes * (size_t)e;
        for (int i = 0; i < nodes; i++)
            for (int j = 0; !status && j < i; j++)
                if (s->side[v[i]] * s->side[v[j]] < 0)
                    status = add_cut(s, v[i], v[j], error);
    }
    return status;
}

// The zero of the distance on an edge. The bracket shrinks to 1e-9 of it, or until the distance is as small.
static double find_zero(const ThawSolid *solid, const double a[3], const double b[3], double fa, double fb,
                        int64_t *evaluations) {
    double lo = 0, hi = 1, t = 0.5;
    const double tiny = 1e-10 * hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    int kept = 0; // which end stayed: -1 lo, 1 hi
    for (int i = 0; i < ITERATIONS && hi - lo > 1e-9; i++) {
        // False position with weights halved is slow where the distance has a jump: then bisect.
        t = i % 8 == 7 || !isfinite(fa) || !isfinite(fb) ? (lo + hi) / 2 : lo + (hi - lo) * (fa / (fa - fb));
        t = fmin(fmax(t, lo + 1e-10), hi - 1e-10);
        const double x[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
        const double f = thaw_solid_distance(solid, x);
        ++*evaluations;
        if (fabs(f) < tiny)
            return t;
        if ((f < 0) == (fa < 0)) {
            lo = t;
            fa = f;
            fb = kept == 1 ? fb / 2 : fb;
            kept = 1;
        } else {
            hi = t;
            fb = f;
            fa = kept == -1 ? fa / 2 : fa;
            kept = -1;
        }
    }
    return t;
}

static void place_cuts(void *context, int32_t chunk) {
    Stuffing *s = context;
    const int32_t end = (chunk + 1) * CHUNK < s->cut_count ? (chunk + 1) * CHUNK : s->cut_count;
    for (int32_t i = chunk * CHUNK; i < end; i++) {
        Cut *cut = &s->cuts[i];
        cut->t = find_zero(s->lattice->solid, s->x + 3 * (size_t)cut->a, s->x + 3 * (size_t)cut->b,
                           s->lattice->distance[cut->a], s->lattice->distance[cut->b], &s->evaluated[chunk]);
    }
}

static void cut_position(const Stuffing *s, const Cut *cut, double x[3]) {
    const double *a = s->x + 3 * (size_t)cut->a, *b = s->x + 3 * (size_t)cut->b;
    for (int k = 0; k < 3; k++)
        x[k] = a[k] + cut->t * (b[k] - a[k]);
}

// --- warping ---------------------------------------------------------------------------------------------------------

// The cuts at each vertex: list[first[v] .. first[v + 1]).
static ThawStatus list_cuts(const Stuffing *s, int32_t **first, int32_t **list, ThawError *error) {
    const int32_t n = s->lattice->vertex_count;
    *first = THAW_NEW(int32_t, (size_t)n + 2);
    *list = THAW_NEW(int32_t, 2 * (size_t)s->cut_count);
    if (!*first || !*list)
        return thaw_error_memory(error, "the cuts of a mesher");
    int32_t *start = *first + 1; // shifted by one: after filling, start[v] has become first[v + 1]
    for (int32_t i = 0; i < s->cut_count; i++) {
        start[s->cuts[i].a + 1]++;
        start[s->cuts[i].b + 1]++;
    }
    for (int32_t v = 0; v < n; v++)
        start[v + 1] += start[v];
    for (int32_t i = 0; i < s->cut_count; i++) {
        (*list)[start[s->cuts[i].a]++] = i;
        (*list)[start[s->cuts[i].b]++] = i;
    }
    return THAW_OK;
}

static void warp_vertex(Stuffing *s, int32_t v, const int32_t *list, int32_t count) {
    // In 2D from trials over random shapes; in 3D those of the paper's table for the best angles.
    const double alpha[2] = {s->dim == 3 ? 0.41189 : 0.43, s->dim == 3 ? 0.24999 : 0.32};
    const double shortest = s->dim == 3 ? 0.8660254037844386 : 0.7071067811865476; // by the long ones
    const Cut *nearest = NULL;
    double least = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const Cut *cut = &s->cuts[list[i]];
        const int lengthy = is_long(s, cut->a, cut->b);
        const double t = cut->a == v ? cut->t : 1 - cut->t, distance = t * (lengthy ? 1 : shortest);
        if (!cut->dead && t < alpha[lengthy] && distance < least) {
            least = distance;
            nearest = cut;
        }
    }
    if (!nearest)
        return;
    double x[3];
    cut_position(s, nearest, x);
    memcpy(s->x + 3 * (size_t)v, x, sizeof x);
    s->side[v] = 0;
    for (int32_t i = 0; i < count; i++)
        s->cuts[list[i]].dead = 1;
}

static ThawStatus warp(Stuffing *s, ThawError *error) {
    int32_t *first = NULL, *list = NULL;
    ThawStatus status = list_cuts(s, &first, &list, error);
    for (int32_t v = 0; !status && v < s->lattice->vertex_count; v++)
        if (first[v + 1] > first[v])
            warp_vertex(s, v, list + first[v], first[v + 1] - first[v]);
    thaw_free(first);
    thaw_free(list);
    return status;
}

// --- what comes out --------------------------------------------------------------------------------------------------

static int32_t add_point(Stuffing *s, const double x[3]) {
    if (s->vertex_count == s->vertex_room) {
        const int32_t room = s->vertex_room > INT32_MAX / 2 ? INT32_MAX : 2 * s->vertex_room + 1024;
        double *points = thaw_regrow(s->points, (size_t)s->vertex_count, (size_t)room, (size_t)s->dim * sizeof *points);
        if (!points)
            return -1;
        s->points = points;
        s->vertex_room = room;
    }
    memcpy(s->points + (size_t)s->dim * (size_t)s->vertex_count, x, (size_t)s->dim * sizeof *x);
    return s->vertex_count++;
}

// A vertex of the lattice (a == b) or the cut between two, as a vertex of the mesh; -1 without memory.
static int32_t use_vertex(Stuffing *s, int32_t a, int32_t b) {
    double x[3];
    if (a == b) {
        if (s->vertex[a] < 0)
            s->vertex[a] = add_point(s, s->x + 3 * (size_t)a);
        return s->vertex[a];
    }
    Cut *cut = &s->cuts[thaw_table_find(&s->edges, edge_key(a, b), 0)];
    if (cut->vertex < 0) {
        cut_position(s, cut, x);
        cut->vertex = add_point(s, x);
    }
    return cut->vertex;
}

// Twice the area, or six times the volume.
static double measure(const Stuffing *s, const int32_t *v) {
    double e[3][3] = {{0}};
    for (int i = 0; i < s->dim; i++)
        for (int k = 0; k < s->dim; k++)
            e[i][k] = s->points[(size_t)s->dim * (size_t)v[i + 1] + (size_t)k] -
                      s->points[(size_t)s->dim * (size_t)v[0] + (size_t)k];
    if (s->dim == 2)
        return e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return thaw_v3_triple(e[0], e[1], e[2]);
}

static ThawStatus add_element(Stuffing *s, int32_t a, int32_t b, int32_t c, int32_t d, ThawError *error) {
    const int nodes = s->dim + 1;
    int32_t v[4] = {a, b, c, d};
    if (s->element_count == s->element_room) {
        const int32_t room = s->element_room > INT32_MAX / 2 ? INT32_MAX : 2 * s->element_room + 1024;
        int32_t *elements =
            thaw_regrow(s->elements, (size_t)s->element_count, (size_t)room, (size_t)nodes * sizeof *elements);
        if (!elements)
            return thaw_error_memory(error, "the elements of a mesher");
        s->elements = elements;
        s->element_room = room;
    }
    if (a < 0 || b < 0 || c < 0 || d < 0)
        return thaw_error_memory(error, "the vertices of a mesher");
    if (measure(s, v) < 0) {
        v[nodes - 1] = s->dim == 3 ? c : b;
        v[nodes - 2] = s->dim == 3 ? d : c;
    }
    memcpy(s->elements + (size_t)nodes * (size_t)s->element_count++, v, (size_t)nodes * sizeof *v);
    return THAW_OK;
}

// --- filling cut elements --------------------------------------------------------------------------------------------

static double square_distance(const Stuffing *s, int32_t a, int32_t b) {
    double sum = 0;
    for (int k = 0; k < s->dim; k++) {
        const double d =
            s->points[(size_t)s->dim * (size_t)a + (size_t)k] - s->points[(size_t)s->dim * (size_t)b + (size_t)k];
        sum += d * d;
    }
    return sum;
}

// Of the face with a and b inside and c outside: does the diagonal start at a (and end at the cut of b and c)?
static int diagonal_starts_at(const Stuffing *s, int32_t a, int32_t b, int32_t c) {
    const int long_a = is_long(s, a, c), long_b = is_long(s, b, c);
    if (long_a != long_b)
        return long_b;
    const int32_t *p = s->lattice->place[a], *q = s->lattice->place[c];
    int greater = 0; // of a and b one is even here, for they differ along one axis, and c is between them there
    for (int k = 0; k < 3; k++)
        greater += p[k] > q[k];
    return greater % 2 == 0;
}

// A prism of three columns, bottom[i] below top[i]. starts[i][j]: the diagonal of the face between columns i and j
// starts at bottom[i]; not cyclic.
static ThawStatus fill_prism(Stuffing *s, const int32_t bottom[3], const int32_t top[3], int starts[3][3],
                             ThawError *error) {
    int order[3]; // by how many diagonals start at the column
    for (int i = 0; i < 3; i++) {
        int count = 0;
        for (int j = 0; j < 3; j++)
            count += j != i && starts[i][j];
        order[2 - count] = i;
    }
    const int i = order[0], j = order[1], k = order[2];
    ThawStatus status = add_element(s, bottom[i], bottom[j], bottom[k], top[k], error);
    if (!status)
        status = add_element(s, bottom[i], bottom[j], top[j], top[k], error);
    return status ? status : add_element(s, bottom[i], top[i], top[j], top[k], error);
}

static ThawStatus fill_one_out(Stuffing *s, const int32_t in[3], int32_t out, ThawError *error) {
    int32_t bottom[3], top[3];
    int starts[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        bottom[i] = use_vertex(s, in[i], in[i]);
        top[i] = use_vertex(s, in[i], out);
        if (bottom[i] < 0 || top[i] < 0)
            return thaw_error_memory(error, "the vertices of a mesher");
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            starts[j][i] = !(starts[i][j] = diagonal_starts_at(s, in[i], in[j], out));
    return fill_prism(s, bottom, top, starts, error);
}

// a and b inside, c and d outside: columns a-b, ac-bc, ad-bd. The face between the last two is on the surface and free.
static ThawStatus fill_two_out(Stuffing *s, int32_t a, int32_t b, int32_t c, int32_t d, ThawError *error) {
    const int32_t bottom[3] = {use_vertex(s, a, a), use_vertex(s, a, c), use_vertex(s, a, d)};
    const int32_t top[3] = {use_vertex(s, b, b), use_vertex(s, b, c), use_vertex(s, b, d)};
    for (int i = 0; i < 3; i++)
        if (bottom[i] < 0 || top[i] < 0)
            return thaw_error_memory(error, "the vertices of a mesher");
    int starts[3][3] = {{0}};
    starts[1][0] = !(starts[0][1] = diagonal_starts_at(s, a, b, c));
    starts[2][0] = !(starts[0][2] = diagonal_starts_at(s, a, b, d));
    if (starts[0][1] == starts[0][2])
        starts[1][2] = square_distance(s, bottom[1], top[2]) < square_distance(s, bottom[2], top[1]);
    else // the one that keeps the three from going round
        starts[1][2] = starts[1][0];
    starts[2][1] = !starts[1][2];
    return fill_prism(s, bottom, top, starts, error);
}

// a and b inside, c outside: a quadrilateral, in 3D a pyramid below the vertex z on the surface.
static ThawStatus fill_quadrilateral(Stuffing *s, int32_t a, int32_t b, int32_t c, int32_t z, ThawError *error) {
    const int32_t va = use_vertex(s, a, a), vb = use_vertex(s, b, b), apex = s->dim == 3 ? use_vertex(s, z, z) : 0;
    const int32_t ac = use_vertex(s, a, c), bc = use_vertex(s, b, c);
    if (va < 0 || vb < 0 || ac < 0 || bc < 0 || apex < 0)
        return thaw_error_memory(error, "the vertices of a mesher");
    const int from_a =
        s->dim == 3 ? diagonal_starts_at(s, a, b, c) : square_distance(s, va, bc) < square_distance(s, vb, ac);
    ThawStatus status = add_element(s, va, vb, from_a ? bc : ac, apex, error);
    return status ? status : add_element(s, from_a ? va : vb, bc, ac, apex, error);
}

// Each vertex itself, or its cut with the one inside.
static ThawStatus fill_simplex(Stuffing *s, const int32_t *v, int32_t in, ThawError *error) {
    int32_t corner[4] = {0};
    for (int i = 0; i <= s->dim; i++)
        corner[i] = use_vertex(s, v[i], s->side[v[i]] < 0 ? in : v[i]);
    return add_element(s, corner[0], corner[1], corner[2], corner[3], error);
}

// All vertices were warped onto the surface. The paper drops such an element, for on a smooth surface it is flat or
// outside; but in a neck hardly thicker than the size it is what holds both ends together. Kept where it is
// well inside, and of good shape.
static int is_bridge(const Stuffing *s, const int32_t *v) {
    static const double least = 15 * M_PI / 180, most = 150 * M_PI / 180, depth = 0.1; // depth: by the size
    double x[12], middle[3] = {0};
    int32_t ids[4] = {0, 1, 2, 3};
    for (int i = 0; i <= s->dim; i++)
        for (int k = 0; k < s->dim; k++) {
            x[s->dim * i + k] = s->x[3 * (size_t)v[i] + (size_t)k];
            middle[k] += x[s->dim * i + k] / (s->dim + 1);
        }
    const ThawMesh one = {
        .dim = s->dim, .nodes = s->dim + 1, .vertex_count = s->dim + 1, .element_count = 1, .x = x, .elements = ids};
    const ThawMeshQuality q = thaw_mesh_quality(&one);
    if (!(q.min_volume > 0 && q.min_angle > least && q.max_angle < most))
        return 0;
    return thaw_solid_distance(s->lattice->solid, middle) < -depth * s->lattice->size;
}

static ThawStatus fill_element(Stuffing *s, const int32_t *v, ThawError *error) {
    const int nodes = s->dim + 1;
    int32_t in[4], on[4], out[4];
    int ins = 0, ons = 0, outs = 0;
    for (int i = 0; i < nodes; i++)
        if (s->side[v[i]] > 0)
            in[ins++] = v[i];
        else if (s->side[v[i]] < 0)
            out[outs++] = v[i];
        else
            on[ons++] = v[i];
    if (ins == 0)
        return outs == 0 && is_bridge(s, v) ? fill_simplex(s, v, v[0], error) : THAW_OK;
    if (outs == 0 || ins == 1)
        return fill_simplex(s, v, in[0], error);
    if (ins == 2 && outs == 1)
        return fill_quadrilateral(s, in[0], in[1], out[0], ons ? on[0] : 0, error);
    return ins == 3 ? fill_one_out(s, in, out[0], error) : fill_two_out(s, in[0], in[1], out[0], out[1], error);
}

// --- the whole -------------------------------------------------------------------------------------------------------

static ThawStatus prepare(Stuffing *s, ThawError *error) {
    const ThawLattice *lattice = s->lattice;
    const int32_t n = lattice->vertex_count;
    s->x = THAW_NEW(double, 3 * (size_t)n);
    s->side = THAW_NEW(int8_t, n);
    s->vertex = THAW_NEW(int32_t, n);
    if (!s->x || !s->side || !s->vertex)
        return thaw_error_memory(error, "the vertices of a mesher");
    for (int32_t v = 0; v < n; v++) {
        const double d = lattice->distance[v];
        thaw_lattice_position(lattice, v, s->x + 3 * (size_t)v);
        s->side[v] = (int8_t)((d < 0) - (d > 0));
        s->vertex[v] = -1;
    }
    return THAW_OK;
}

static ThawStatus cut_and_fill(Stuffing *s, ThawError *error) {
    ThawLattice *lattice = s->lattice;
    ThawStatus status = prepare(s, error);
    if (!status)
        status = find_cuts(s, error);
    if (status)
        return status;
    const int32_t chunks = (s->cut_count + CHUNK - 1) / CHUNK;
    s->evaluated = THAW_NEW(int64_t, chunks);
    if (!s->evaluated)
        return thaw_error_memory(error, "the cuts of a mesher");
    thaw_tasks_for(lattice->tasks, chunks, place_cuts, s);
    for (int32_t i = 0; i < chunks; i++)
        lattice->evaluations += s->evaluated[i];
    status = warp(s, error);
    for (int32_t e = 0; !status && e < lattice->element_count; e++)
        status = fill_element(s, lattice->elements + (size_t)(s->dim + 1) * (size_t)e, error);
    return status;
}

ThawStatus thaw_lattice_stuff(ThawLattice *lattice, ThawMesh **mesh, ThawError *error) {
    *mesh = NULL;
    Stuffing s = {.lattice = lattice, .dim = lattice->dim};
    ThawStatus status = cut_and_fill(&s, error);
    if (!status && s.element_count > 0)
        status = thaw_mesh_create(s.dim, s.vertex_count, s.element_count, mesh, error);
    if (*mesh) {
        memcpy((*mesh)->x, s.points, (size_t)s.dim * (size_t)s.vertex_count * sizeof *s.points);
        memcpy((*mesh)->elements, s.elements, (size_t)(s.dim + 1) * (size_t)s.element_count * sizeof *s.elements);
    }
    free_stuffing(&s);
    return status;
}
