// SPDX-License-Identifier: Apache-2.0
// Surfaces that are smooth where their mesh has facets.
//
// A disc of facets does not roll as a disc does: it falls from corner to corner. A shape may say that contact is with a
// smooth surface through its vertices instead (ThawShapeDef.smooth). Over each face that is a quadratic patch,
//
//     p(w) = sum w_i x_i + sum_{i<j} 4 w_i w_j m_ij,    m_ij = (n_j - n_i).(x_j - x_i) / 8 n
//
// with w the weights of the face's vertices and n_i unit normals at them, n that half way: an edge of a circle of
// radius R gets the height L^2 / (8 R) of its arc. Normals of vertices have weights 1 / (|a|^2 |b|^2) for the cross
// product of each face's two edges a, b there (in the plane 1 / |a|), which for vertices on a sphere is exact (Max
// 1999). Edges that are bent by more than the shape's angle at rest stay sharp: normals on their two sides are others,
// so boxes stay boxes.
//
// A vertex then stands for the part of the patches around it that is nearer to it than to the other vertices of their
// faces (in weights), and touches with the deepest point of that. So there are as many contacts as without patches,
// they have the same keys, and as a ball rolls one goes on where another ends. The point is chosen for where the body
// will be at the end of the stage that is to be solved (step/passing.c). What is pressed
// flat has no deepest point to speak of, and what it has would jump about: so the patch counts there as bent by a share
// STAY of what it is at rest at least, round the vertex. A face that is touched by a point of something else has the
// patch's height and normal there.
//
// A point of a patch is fixed to the element behind its face: in a contact its weights are those of all vertices of
// that, of which the inner one is a little below 0. So it turns with the body, and work is what it should be.
#include <string.h>

#include "contact/collider.h"

static const double STAY = 0.05;
static const double FLAT = 1e-3; // height of an edge over its length, at rest: less is none

static void position_of(const ThawContactBody *b, int32_t v, double ahead, double x[3]) {
    for (int k = 0; k < 3; k++)
        x[k] = b->x[3 * (size_t)v + (size_t)k] + ahead * b->d[3 * (size_t)v + (size_t)k];
}

// Of the smooth part of the surface that the corner k of a face belongs to.
static void corner_normal(const ThawContactBody *b, double ahead, int32_t face, int k, double n[3]) {
    const ThawContactShape *shape = b->shape;
    const size_t nodes = (size_t)shape->nodes, at = (size_t)face * nodes + (size_t)k;
    const int32_t v = shape->face[at];
    double x[3], y[2][3], a[2][3], m[3];
    position_of(b, v, ahead, x);
    n[0] = n[1] = n[2] = 0;
    for (int32_t i = shape->around_start[v]; i < shape->around_start[v + 1]; i++) {
        const size_t first = (size_t)shape->around[i] * nodes;
        size_t own = 0;
        while (shape->face[first + own] != v)
            own++;
        if (shape->part[first + own] != shape->part[at])
            continue;
        for (size_t j = 1; j < nodes; j++) {
            position_of(b, shape->face[first + (own + j) % nodes], ahead, y[j - 1]);
            thaw_v3_sub(y[j - 1], x, a[j - 1]);
        }
        double weight = 1 / thaw_v3_dot(a[0], a[0]);
        if (nodes == 3) {
            thaw_v3_cross(a[0], a[1], m);
            weight /= thaw_v3_dot(a[1], a[1]);
        } else { // to the right of the edge
            const double turn = own == 0 ? 1 : -1;
            m[0] = turn * a[0][1], m[1] = -turn * a[0][0], m[2] = 0;
        }
        if (isfinite(weight))
            thaw_v3_add(n, weight, m, n);
    }
    thaw_v3_unit(n);
}

// A face's patch: corners, and the heights of its edges; edge k goes from corner k to the next.
typedef struct Patch {
    int nodes, edges;
    double x[3][3], rise[3][3];
} Patch;

static void find_patch(const ThawContactBody *b, double ahead, int32_t face, Patch *patch) {
    double n[3][3];
    patch->nodes = b->shape->nodes;
    patch->edges = patch->nodes == 3 ? 3 : 1;
    for (int k = 0; k < patch->nodes; k++) {
        position_of(b, b->shape->face[(size_t)face * (size_t)patch->nodes + (size_t)k], ahead, patch->x[k]);
        corner_normal(b, ahead, face, k, n[k]);
    }
    for (int k = 0; k < patch->edges; k++) {
        const int j = (k + 1) % patch->nodes;
        double along[3], turn[3], *rise = patch->rise[k];
        thaw_v3_sub(patch->x[j], patch->x[k], along);
        thaw_v3_sub(n[j], n[k], turn);
        thaw_v3_add(n[k], 1, n[j], rise);
        thaw_v3_unit(rise);
        const double height = thaw_v3_dot(turn, along) / 8;
        for (int i = 0; i < 3; i++)
            rise[i] *= height;
    }
}

// How far the patch is from its face.
static void rise_at(const Patch *patch, const double w[3], double rise[3]) {
    rise[0] = rise[1] = rise[2] = 0;
    for (int k = 0; k < patch->edges; k++)
        thaw_v3_add(rise, 4 * w[k] * w[(k + 1) % patch->nodes], patch->rise[k], rise);
}

// Outward, by the patch's tangents.
static void normal_at(const Patch *patch, const double w[3], double n[3]) {
    double t[2][3];
    for (int j = 1; j < patch->nodes; j++) { // as weight goes from corner 0 to corner j
        double dw[3] = {-1, j == 1, j == 2};
        thaw_v3_sub(patch->x[j], patch->x[0], t[j - 1]);
        for (int k = 0; k < patch->edges; k++) {
            const int l = (k + 1) % patch->nodes;
            thaw_v3_add(t[j - 1], 4 * (dw[k] * w[l] + w[k] * dw[l]), patch->rise[k], t[j - 1]);
        }
    }
    if (patch->nodes == 3)
        thaw_v3_cross(t[0], t[1], n);
    else
        n[0] = t[0][1], n[1] = -t[0][0], n[2] = 0;
    thaw_v3_unit(n);
}

// --- the deepest point of a vertex -----------------------------------------------------------------------------------

// What is looked for: the least height over a face's part that belongs to its corner 0, as a quadratic function of
// the other two weights s and t: f = slope.(s, t) + (s, t)'bend(s, t) / 2.
typedef struct Hollow {
    double slope[2], bend[3]; // ss, st, tt
    double s, t, least;
} Hollow;

static double height_at(const Hollow *f, double s, double t) {
    return f->slope[0] * s + f->slope[1] * t + (f->bend[0] * s * s + 2 * f->bend[1] * s * t + f->bend[2] * t * t) / 2;
}

static void try_point(Hollow *f, double s, double t) {
    const double height = height_at(f, s, t);
    if (height < f->least)
        f->least = height, f->s = s, f->t = t;
}

// From (s0, t0) to (s1, t1): its end, and where the function is stationary between.
static void try_segment(Hollow *f, double s0, double t0, double s1, double t1) {
    const double ds = s1 - s0, dt = t1 - t0;
    const double rise =
        (f->slope[0] + f->bend[0] * s0 + f->bend[1] * t0) * ds + (f->slope[1] + f->bend[1] * s0 + f->bend[2] * t0) * dt;
    const double bend = f->bend[0] * ds * ds + 2 * f->bend[1] * ds * dt + f->bend[2] * dt * dt;
    try_point(f, s1, t1);
    if (bend > 0 && rise < 0 && -rise < bend)
        try_point(f, s0 - rise / bend * ds, t0 - rise / bend * dt);
}

static void find_hollow(Hollow *f, int nodes) {
    f->s = f->t = f->least = 0; // the vertex itself
    if (nodes == 2) {
        try_segment(f, 0, 0, 0.5, 0);
        return;
    }
    const double third = 1.0 / 3, det = f->bend[0] * f->bend[2] - f->bend[1] * f->bend[1];
    try_segment(f, 0, 0, 0.5, 0);
    try_segment(f, 0.5, 0, third, third);
    try_segment(f, 0, 0.5, third, third);
    try_segment(f, 0, 0, 0, 0.5);
    if (!(det > 0 && f->bend[0] > 0))
        return;
    const double s = (f->bend[1] * f->slope[1] - f->bend[2] * f->slope[0]) / det;
    const double t = (f->bend[1] * f->slope[0] - f->bend[0] * f->slope[1]) / det;
    if (s > 0 && t > 0 && 2 * s + t < 1 && s + 2 * t < 1)
        try_point(f, s, t);
}

// Along n, of the part of a face that belongs to its corner `own`. curved: m, the height of its edges at rest.
static void look_on_face(const Patch *patch, int own, const double n[3], double curved, Hollow *f) {
    double rise[3] = {0}; // 4 n.m of edge k
    for (int k = 0; k < patch->edges; k++)
        rise[k] = 4 * thaw_v3_dot(n, patch->rise[k]);
    const int j = (own + 1) % patch->nodes, k = (own + 2) % patch->nodes;
    double way[3];
    *f = (Hollow){{0}, {0}, 0, 0, 0};
    thaw_v3_sub(patch->x[j], patch->x[own], way);
    if (patch->nodes == 2) {
        f->slope[0] = thaw_v3_dot(n, way) + rise[0];
        f->bend[0] = -2 * rise[0];
    } else { // edges own, j and k go from own to j, from j to k, and from k to own
        f->slope[0] = thaw_v3_dot(n, way) + rise[own];
        thaw_v3_sub(patch->x[k], patch->x[own], way);
        f->slope[1] = thaw_v3_dot(n, way) + rise[k];
        f->bend[0] = -2 * rise[own];
        f->bend[1] = rise[j] - rise[own] - rise[k];
        f->bend[2] = -2 * rise[k];
    }
    const double now = -(patch->nodes == 2 ? rise[0] : fmax(rise[own], rise[k])) / 4;
    const double more = fmax(0, STAY * curved - now);
    f->bend[0] += 8 * more;
    f->bend[1] += 4 * more;
    f->bend[2] += 8 * more;
    find_hollow(f, patch->nodes);
}

void thaw_smooth_deepest(const ThawContactBody *b, int32_t v, const double n[3], double share, ThawSmoothPoint *point) {
    const ThawContactShape *shape = b->shape;
    double least = 0;
    *point = (ThawSmoothPoint){.side = {.body = b, .nodes = 1, .vertex = {v}, .weight = {1}}};
    for (int32_t i = shape->around_start[v]; i < shape->around_start[v + 1]; i++) {
        const int32_t face = shape->around[i], *corner = shape->face + (size_t)face * (size_t)shape->nodes;
        Patch patch;
        Hollow f;
        int own = 0;
        if (shape->curved[face] == 0)
            continue;
        while (corner[own] != v)
            own++;
        find_patch(b, share, face, &patch);
        look_on_face(&patch, own, n, shape->curved[face], &f);
        if (!(f.least < least))
            continue;
        least = f.least;
        point->side = (ThawContactSide){.body = b, .nodes = shape->nodes, .rises = 1, .face = face};
        for (int k = 0; k < shape->nodes; k++)
            point->side.vertex[k] = corner[k];
        point->side.weight[own] = 1 - f.s - f.t;
        point->side.weight[(own + 1) % shape->nodes] = f.s;
        if (shape->nodes == 3)
            point->side.weight[(own + 2) % 3] = f.t;
    }
    // Where it is, and where it goes.
    double end[3] = {0}, rise[3];
    for (int ahead = 0; ahead < 2; ahead++) {
        double *x = ahead ? end : point->x;
        for (int k = 0; k < point->side.nodes; k++) {
            double at[3];
            position_of(b, point->side.vertex[k], ahead, at);
            thaw_v3_add(x, point->side.weight[k], at, x);
        }
        if (!point->side.rises)
            continue;
        Patch patch;
        find_patch(b, ahead, point->side.face, &patch);
        rise_at(&patch, point->side.weight, rise);
        thaw_v3_add(x, 1, rise, x);
        if (!ahead)
            thaw_v3_copy(rise, point->side.rise);
    }
    thaw_v3_sub(end, point->x, point->d);
}

// --- a point on a face -----------------------------------------------------------------------------------------------

void thaw_smooth_meet(ThawContactSide *side, int32_t face, const double x[3], double point[3], double normal[3],
                      double *gap) {
    Patch patch;
    double to[3];
    find_patch(side->body, 0, face, &patch);
    side->rises = 1;
    side->face = face;
    rise_at(&patch, side->weight, side->rise);
    normal_at(&patch, side->weight, normal);
    thaw_v3_add(point, 1, side->rise, point);
    thaw_v3_sub(x, point, to);
    *gap = thaw_v3_dot(normal, to);
}

// What is beyond the face as a motion of its corners against the vertex behind it.
int thaw_smooth_fix(const ThawContactSide *side, const double behind[3], double more[4]) {
    const ThawContactShape *shape = side->body->shape;
    double a[3][3], det;
    for (int k = 0; k < shape->nodes; k++) { // from the vertex behind to the corners
        const double *x =
            side->body->x + 3 * (size_t)shape->face[(size_t)side->face * (size_t)shape->nodes + (size_t)k];
        thaw_v3_sub(x, behind, a[k]);
    }
    if (shape->nodes == 2) {
        det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        more[0] = (side->rise[0] * a[1][1] - side->rise[1] * a[1][0]) / det;
        more[1] = (side->rise[1] * a[0][0] - side->rise[0] * a[0][1]) / det;
        more[2] = 0;
    } else {
        double c[3];
        thaw_v3_cross(a[1], a[2], c);
        det = thaw_v3_dot(a[0], c);
        for (int k = 0; k < 3; k++) {
            thaw_v3_cross(a[(k + 1) % 3], a[(k + 2) % 3], c);
            more[k] = thaw_v3_dot(side->rise, c) / det;
        }
    }
    more[3] = -more[0] - more[1] - more[2];
    for (int k = 0; k < 4; k++)
        if (!(fabs(more[k]) < 1)) // an element without volume
            return 0;
    return 1;
}

// --- compiling -------------------------------------------------------------------------------------------------------

static int angle_is_small(const ThawContactShape *shape, const double *x, int32_t f, int32_t g, double cosine) {
    double n[2][3];
    thaw_contact_face_normal(shape, x, f, n[0]);
    thaw_contact_face_normal(shape, x, g, n[1]);
    thaw_v3_unit(n[0]);
    thaw_v3_unit(n[1]);
    return thaw_v3_dot(n[0], n[1]) >= cosine;
}

// Whether two faces around v have an edge in common there; in the plane v is all there is between them.
static int are_neighbours(const ThawContactShape *shape, int32_t v, int32_t f, int32_t g) {
    int common = 0;
    for (int i = 0; i < shape->nodes; i++)
        for (int k = 0; k < shape->nodes; k++) {
            const int32_t a = shape->face[(size_t)f * (size_t)shape->nodes + (size_t)i];
            common += a != v && a == shape->face[(size_t)g * (size_t)shape->nodes + (size_t)k];
        }
    return shape->nodes == 2 || common > 0;
}

static unsigned char *part_of(ThawContactShape *shape, int32_t v, int32_t face) {
    size_t at = (size_t)face * (size_t)shape->nodes;
    while (shape->face[at] != v)
        at++;
    return &shape->part[at];
}

// Numbers the parts into which sharp edges cut the faces around a vertex; from 1 on.
static void split_vertex(ThawContactShape *shape, const double *x, int32_t v, double cosine) {
    const int32_t first = shape->around_start[v], end = shape->around_start[v + 1];
    unsigned char parts = 0;
    for (int32_t i = first; i < end; i++) {
        if (*part_of(shape, v, shape->around[i]))
            continue;
        *part_of(shape, v, shape->around[i]) = parts = parts < 255 ? parts + 1 : 255;
        for (int more = 1; more;) { // whatever is joined to one that has it
            more = 0;
            for (int32_t j = first; j < end; j++)
                for (int32_t k = first; k < end; k++) {
                    const int32_t f = shape->around[j], g = shape->around[k];
                    if (*part_of(shape, v, f) == parts && !*part_of(shape, v, g) && are_neighbours(shape, v, f, g) &&
                        angle_is_small(shape, x, f, g, cosine))
                        *part_of(shape, v, g) = parts, more = 1;
                }
        }
    }
}

// m, the largest height of a face's edges; 0: it is flat.
static double find_curved(const ThawContactBody *rest, int32_t face) {
    Patch patch;
    double most = 0, length = 0, way[3];
    find_patch(rest, 0, face, &patch);
    for (int k = 0; k < patch.edges; k++) {
        thaw_v3_sub(patch.x[(k + 1) % patch.nodes], patch.x[k], way);
        length = fmax(length, thaw_v3_norm(way));
        most = fmax(most, thaw_v3_norm(patch.rise[k]));
    }
    return most > FLAT * length ? most : 0;
}

ThawStatus thaw_smooth_compile(const double *x, double angle, ThawContactShape *shape, ThawError *error) {
    const double cosine = cos(angle * M_PI / 180);
    double *none = THAW_NEW(double, 3 * (size_t)shape->nv);
    shape->part = THAW_NEW(unsigned char, (size_t)shape->nf *(size_t)shape->nodes);
    shape->curved = THAW_NEW(double, shape->nf);
    if (!none || !shape->part || !shape->curved) {
        thaw_free(none);
        return thaw_error_memory(error, "a surface for contact");
    }
    for (int32_t v = 0; v < shape->nv; v++)
        split_vertex(shape, x, v, cosine);
    for (int32_t f = 0; f < shape->nf; f++) {
        shape->curved[f] = find_curved(&(ThawContactBody){.shape = shape, .x = (double *)x, .d = none}, f);
        shape->margin = fmax(shape->margin, 2 * shape->curved[f]); // the middle of a face is higher, and bodies bend
    }
    thaw_free(none);
    for (int32_t e = 0; e < shape->ne; e++) { // those that are smooth are no edges
        const int32_t *faces = shape->edge_face + 2 * (size_t)e;
        if (faces[0] >= 0 && angle_is_small(shape, x, faces[0], faces[1], cosine))
            shape->sharp[e] = 0;
    }
    return THAW_OK;
}
