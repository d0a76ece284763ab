// SPDX-License-Identifier: Apache-2.0
// A triangle surface as a signed distance. The distance is that to the nearest triangle, found in a tree of bounding
// boxes. The sign is that of the generalised winding number (Jacobson, Kavan and Sorkine-Hornung 2013): the sum of the
// solid angles of all triangles over 4 pi, 1 inside a closed surface and 0 outside, and still telling for one with
// holes, overlaps or intersections. Far away parts of the tree enter as one dipole each (Barill, Dym, Ma and others
// 2018, their first order), so that a point costs O(log n) for either.
//
// Across a hole the winding number falls smoothly, and the solid ends where it is 1/2: a place the distance knows
// nothing of. Away from the hole's edges it changes slowly: grad w is the field of a current along them (Biot and
// Savart), at a distance rho from edges of total length L at most L / (4 pi rho^2). So w does not reach 1/2 within
// r = min(rho / 2, pi rho^2 |w - 1/2| / L), and the smaller of r and the distance is what the mesher may rely on.
#include "mesh/winding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"
#include "mesh/mesh.h"

enum { LEAF = 4, STACK = 128 };
static const double FAR = 2.3; // radii of a cluster from which on a dipole is exact enough for a sign

typedef struct Node {
    double lo[3], hi[3];
    double middle[3]; // of its triangles, weighted by area
    double normal[3]; // sum of area normals
    double far;       // square of the distance from `middle` at which it may be taken for a dipole
    int32_t right;    // the left child follows its parent; 0: a leaf
    int32_t first, count;
} Node;

typedef struct Tree {
    int32_t count;  // triangles
    double *corner; // 9 * count, in the order of the leaves
    int32_t *id;    // count, which triangle it was
    int32_t node_count;
    Node *nodes;
} Tree;

struct ThawWinding {
    Tree triangles;
    Tree edges;    // of holes, each as a triangle with two equal corners
    double length; // of all edges of holes, m
    ThawMesherFinding turned, holes, crossings;
};

// --- the tree --------------------------------------------------------------------------------------------------------

static double key_of(const Tree *tree, int32_t i, int axis) {
    const double *c = tree->corner + 9 * (size_t)i + axis;
    return c[0] + c[3] + c[6];
}

static void swap_triangles(Tree *tree, int32_t i, int32_t j) {
    double corner[9];
    double *a = tree->corner + 9 * (size_t)i, *b = tree->corner + 9 * (size_t)j;
    memcpy(corner, a, sizeof corner);
    memcpy(a, b, sizeof corner);
    memcpy(b, corner, sizeof corner);
    const int32_t id = tree->id[i];
    tree->id[i] = tree->id[j];
    tree->id[j] = id;
}

// Hoare's selection: what is before `middle` is not above it along the axis.
static void select_middle(Tree *tree, int32_t lo, int32_t hi, int32_t middle, int axis) {
    while (hi - lo > 1) {
        const double pivot = key_of(tree, lo + (hi - lo) / 2, axis);
        int32_t i = lo, j = hi - 1;
        while (i <= j) {
            while (key_of(tree, i, axis) < pivot)
                i++;
            while (key_of(tree, j, axis) > pivot)
                j--;
            if (i <= j)
                swap_triangles(tree, i++, j--);
        }
        if (middle <= j)
            hi = j + 1;
        else if (middle >= i)
            lo = i;
        else
            return;
    }
}

static void fill_node(const Tree *tree, Node *node) {
    double total = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        node->lo[k] = INFINITY;
        node->hi[k] = -INFINITY;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        const double *c = tree->corner + 9 * (size_t)i;
        double e[3], f[3], n[3];
        thaw_v3_sub(c + 3, c, e);
        thaw_v3_sub(c + 6, c, f);
        thaw_v3_cross(e, f, n);
        const double area = thaw_v3_norm(n) / 2;
        total += area;
        for (int k = 0; k < 3; k++) {
            node->lo[k] = fmin(node->lo[k], fmin(c[k], fmin(c[3 + k], c[6 + k])));
            node->hi[k] = fmax(node->hi[k], fmax(c[k], fmax(c[3 + k], c[6 + k])));
            node->normal[k] += n[k] / 2;
            node->middle[k] += area * (c[k] + c[3 + k] + c[6 + k]) / 3;
        }
    }
    for (int k = 0; k < 3; k++)
        node->middle[k] = total > 0 ? node->middle[k] / total : (node->lo[k] + node->hi[k]) / 2;
    for (int32_t i = 3 * node->first; i < 3 * (node->first + node->count); i++) {
        double r[3];
        thaw_v3_sub(tree->corner + 3 * (size_t)i, node->middle, r);
        square = fmax(square, thaw_v3_dot(r, r));
    }
    node->far = FAR * FAR * square;
}

static void build_node(Tree *tree, int32_t first, int32_t count) {
    Node *node = &tree->nodes[tree->node_count++];
    *node = (Node){.first = first, .count = count};
    fill_node(tree, node);
    if (count <= LEAF)
        return;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (node->hi[k] - node->lo[k] > node->hi[axis] - node->lo[axis])
            axis = k;
    const int32_t half = count / 2;
    select_middle(tree, first, first + count, first + half, axis);
    build_node(tree, first, half);
    node->right = tree->node_count;
    build_node(tree, first + half, count - half);
}

static ThawStatus create_tree(int32_t count, Tree *tree, ThawError *error) {
    tree->count = count;
    tree->corner = THAW_NEW(double, 9 * (size_t)count);
    tree->id = THAW_NEW(int32_t, count);
    tree->nodes = THAW_NEW(Node, (size_t)count + 1);
    if (!tree->corner || !tree->id || !tree->nodes)
        return thaw_error_memory(error, "a surface");
    for (int32_t i = 0; i < count; i++)
        tree->id[i] = i;
    return THAW_OK;
}

static void free_tree(Tree *tree) {
    thaw_free(tree->corner);
    thaw_free(tree->id);
    thaw_free(tree->nodes);
}

// --- distance --------------------------------------------------------------------------------------------------------

static double segment_square(const double x[3], const double a[3], const double b[3]) {
    double e[3], p[3];
    thaw_v3_sub(b, a, e);
    thaw_v3_sub(x, a, p);
    const double length = thaw_v3_dot(e, e), along = thaw_v3_dot(p, e);
    const double t = !(along > 0) ? 0 : along >= length ? 1 : along / length;
    for (int k = 0; k < 3; k++)
        p[k] -= t * e[k];
    return thaw_v3_dot(p, p);
}

static double triangle_square(const double x[3], const double *c) {
    double e[3], f[3], n[3], p[3], q[3];
    thaw_v3_sub(c + 3, c, e);
    thaw_v3_sub(c + 6, c, f);
    thaw_v3_sub(x, c, p);
    thaw_v3_cross(e, f, n);
    const double square = thaw_v3_dot(n, n);
    if (square > 0) { // barycentric coordinates of the foot of the perpendicular
        thaw_v3_cross(p, f, q);
        const double u = thaw_v3_dot(q, n) / square;
        thaw_v3_cross(e, p, q);
        const double v = thaw_v3_dot(q, n) / square, height = thaw_v3_dot(p, n);
        if (u >= 0 && v >= 0 && u + v <= 1)
            return height * height / square;
    }
    return fmin(segment_square(x, c, c + 3), fmin(segment_square(x, c + 3, c + 6), segment_square(x, c + 6, c)));
}

static double box_square(const double x[3], const Node *node) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double below = node->lo[k] - x[k], above = x[k] - node->hi[k], d = below > above ? below : above;
        sum += d > 0 ? d * d : 0;
    }
    return sum;
}

// Nearer child first. Once something is no farther than `enough`, that will do.
static double nearest_square(const Tree *tree, const double x[3], double enough) {
    struct {
        int32_t node;
        double square;
    } stack[STACK];
    int used = 0;
    double best = INFINITY;
    if (tree->count) {
        stack[used].node = 0;
        stack[used++].square = 0;
    }
    while (used > 0 && best > enough) {
        used--;
        if (stack[used].square >= best)
            continue;
        const int32_t id = stack[used].node;
        const Node *node = &tree->nodes[id];
        if (!node->right) {
            for (int32_t i = node->first; i < node->first + node->count; i++)
                best = fmin(best, triangle_square(x, tree->corner + 9 * (size_t)i));
            continue;
        }
        const double left = box_square(x, node + 1), right = box_square(x, &tree->nodes[node->right]);
        const int swap = right < left;
        stack[used].node = swap ? id + 1 : node->right;
        stack[used++].square = swap ? left : right;
        stack[used].node = swap ? node->right : id + 1;
        stack[used++].square = swap ? right : left;
    }
    return best;
}

// --- winding number --------------------------------------------------------------------------------------------------

// Solid angle over 4 pi (van Oosterom and Strackee 1983): tan(angle / 2) = a.(b x c) / (abc + (a.b)c + (b.c)a +
// (c.a)b).
double thaw_triangle_winding(const double x[3], const double *corner) {
    double a[3], b[3], c[3], n[3];
    thaw_v3_sub(corner, x, a);
    thaw_v3_sub(corner + 3, x, b);
    thaw_v3_sub(corner + 6, x, c);
    thaw_v3_cross(b, c, n);
    const double la = thaw_v3_norm(a), lb = thaw_v3_norm(b), lc = thaw_v3_norm(c);
    return atan2(thaw_v3_dot(a, n),
                 la * lb * lc + thaw_v3_dot(a, b) * lc + thaw_v3_dot(b, c) * la + thaw_v3_dot(c, a) * lb) /
           (2 * M_PI);
}

double thaw_winding_number(const ThawWinding *winding, const double x[3]) {
    const Tree *tree = &winding->triangles;
    int32_t stack[STACK];
    int used = 0;
    double sum = 0;
    stack[used++] = 0;
    while (used > 0) {
        const int32_t id = stack[--used];
        const Node *node = &tree->nodes[id];
        double r[3];
        thaw_v3_sub(node->middle, x, r);
        const double square = thaw_v3_dot(r, r);
        if (square > node->far) {
            sum += thaw_v3_dot(node->normal, r) / (4 * M_PI * square * sqrt(square));
        } else if (node->right) {
            stack[used++] = node->right;
            stack[used++] = id + 1;
        } else {
            for (int32_t i = node->first; i < node->first + node->count; i++)
                sum += thaw_triangle_winding(x, tree->corner + 9 * (size_t)i);
        }
    }
    return sum;
}

double thaw_winding_distance(const ThawWinding *winding, const double x[3]) {
    double distance = sqrt(nearest_square(&winding->triangles, x, 0));
    if (!winding->holes.count && box_square(x, winding->triangles.nodes) > 0)
        return distance;
    const double w = fabs(thaw_winding_number(winding, x)); // a surface may be inside out
    if (winding->holes.count) {
        const double square = nearest_square(&winding->edges, x, 0);
        distance = fmin(distance, fmin(sqrt(square) / 2, M_PI * square * fabs(w - 0.5) / winding->length));
    }
    return w > 0.5 ? -distance : distance;
}

double thaw_winding_beyond(const ThawWinding *winding, const double x[3], double least) {
    const double square = nearest_square(&winding->triangles, x, least * least);
    if (square <= least * least || fabs(thaw_winding_number(winding, x)) > 0.5)
        return 0;
    return sqrt(square);
}

int32_t thaw_winding_count(const ThawWinding *winding) { return winding->triangles.count; }

const double *thaw_winding_triangle(const ThawWinding *winding, int32_t triangle) {
    return winding->triangles.corner + 9 * (size_t)triangle;
}

void thaw_winding_bounds(const ThawWinding *winding, double lo[3], double hi[3]) {
    memcpy(lo, winding->triangles.nodes->lo, 3 * sizeof *lo);
    memcpy(hi, winding->triangles.nodes->hi, 3 * sizeof *hi);
}

const ThawMesherFinding *thaw_winding_turned(const ThawWinding *winding) { return &winding->turned; }
const ThawMesherFinding *thaw_winding_holes(const ThawWinding *winding) { return &winding->holes; }
const ThawMesherFinding *thaw_winding_crossings(const ThawWinding *winding) { return &winding->crossings; }

// --- what is wrong with it -------------------------------------------------------------------------------------------

// What rounding has left of a zero is told as one.
static void note(const ThawWinding *winding, ThawMesherFinding *finding, const double place[3]) {
    const Node *all = winding->triangles.nodes;
    for (int k = 0; k < 3 && finding->count < THAW_MESHER_PLACES; k++)
        finding->place[finding->count][k] = fabs(place[k]) > 1e-12 * (all->hi[k] - all->lo[k]) ? place[k] : 0;
    finding->count++;
}

static ThawStatus refuse_sheet(const ThawMesherFinding *holes, ThawError *error) {
    const double *x = holes->place[0];
    return thaw_error_set(
        error, THAW_ERROR_INPUT,
        "the surface encloses no volume: it is a sheet, open along %lld edge%s, the first near (%.4g, "
        "%.4g, %.4g); allowed: a closed surface, or one with small holes. Close it, or give it a "
        "thickness, in a modelling program; a flat one can be simulated in the plane: --dimension 2",
        (long long)holes->count, holes->count == 1 ? "" : "s", x[0], x[1], x[2]);
}

ThawStatus thaw_surface_edge_rows(const ThawTriangleMesh *surface, int32_t **rows, ThawError *error) {
    const size_t count = 3 * (size_t)surface->triangle_count;
    *rows = THAW_NEW(int32_t, 3 * count);
    if (!*rows)
        return thaw_error_memory(error, "the edges of a surface");
    for (size_t i = 0; i < count; i++) {
        const int32_t a = surface->triangles[i], b = surface->triangles[i % 3 == 2 ? i - 2 : i + 1];
        (*rows)[3 * i] = a < b ? a : b;
        (*rows)[3 * i + 1] = a < b ? b : a;
        (*rows)[3 * i + 2] = (int32_t)i;
    }
    return thaw_rows_sort(2, surface->vertex_count, count, rows, error);
}

// An edge is one of a hole when it is not run through as often one way as the other.
static ThawStatus find_holes(ThawWinding *winding, const ThawTriangleMesh *surface, ThawError *error) {
    const size_t count = 3 * (size_t)surface->triangle_count;
    int32_t *rows = NULL;
    ThawStatus status = thaw_surface_edge_rows(surface, &rows, error);
    size_t open = 0;
    for (size_t i = 0, j = 0; !status && i < count; i = j) { // pack the open ones to the front
        int balance = 0;
        for (j = i; j < count && rows[3 * j] == rows[3 * i] && rows[3 * j + 1] == rows[3 * i + 1]; j++)
            balance += surface->triangles[rows[3 * j + 2]] == rows[3 * j] ? 1 : -1;
        if (balance != 0 && rows[3 * i] != rows[3 * i + 1]) {
            rows[2 * open] = rows[3 * i];
            rows[2 * open++ + 1] = rows[3 * i + 1];
        }
    }
    if (!status && open)
        status = create_tree((int32_t)open, &winding->edges, error);
    for (size_t i = 0; !status && i < open; i++) {
        const double *a = surface->x + 3 * (size_t)rows[2 * i], *b = surface->x + 3 * (size_t)rows[2 * i + 1];
        double *corner = winding->edges.corner + 9 * i, e[3];
        memcpy(corner, a, 3 * sizeof *a);
        memcpy(corner + 3, b, 3 * sizeof *b);
        memcpy(corner + 6, b, 3 * sizeof *b);
        thaw_v3_sub(b, a, e);
        winding->length += thaw_v3_norm(e);
        note(winding, &winding->holes, (double[3]){(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2});
    }
    int encloses = 1;
    if (!status && open)
        status = thaw_surface_encloses(surface, open, rows, &encloses, error);
    thaw_free(rows);
    if (!status && open)
        build_node(&winding->edges, 0, (int32_t)open);
    return !status && !encloses ? refuse_sheet(&winding->holes, error) : status;
}

// Does the segment pass through the triangle's inside?
static int pierces(const double a[3], const double b[3], const double *c, double place[3]) {
    double e[3], f[3], d[3], p[3], n[3], q[3];
    thaw_v3_sub(c + 3, c, e);
    thaw_v3_sub(c + 6, c, f);
    thaw_v3_sub(b, a, d);
    thaw_v3_sub(a, c, p);
    thaw_v3_cross(e, f, n);
    const double slope = thaw_v3_dot(d, n), height = thaw_v3_dot(p, n);
    if (slope == 0)
        return 0;
    const double t = -height / slope;
    if (!(t > 0 && t < 1))
        return 0;
    for (int k = 0; k < 3; k++) {
        place[k] = a[k] + t * d[k];
        p[k] = place[k] - c[k];
    }
    const double square = thaw_v3_dot(n, n);
    thaw_v3_cross(p, f, q);
    const double u = thaw_v3_dot(q, n) / square;
    thaw_v3_cross(e, p, q);
    const double v = thaw_v3_dot(q, n) / square;
    return u > 1e-12 && v > 1e-12 && u + v < 1 - 1e-12;
}

static int cut_each_other(const double *s, const double *t, double place[3]) {
    for (int i = 0; i < 3; i++)
        if (pierces(s + 3 * i, s + 3 * ((i + 1) % 3), t, place) || pierces(t + 3 * i, t + 3 * ((i + 1) % 3), s, place))
            return 1;
    return 0;
}

// Each triangle against those in overlapping boxes with a larger place in the tree that share no vertex with it.
static void find_crossings(const Tree *tree, const ThawTriangleMesh *surface, ThawCutVisit visit, void *context) {
    int32_t stack[STACK];
    for (int32_t i = 0; i < tree->count; i++) {
        const double *c = tree->corner + 9 * (size_t)i;
        const int32_t *v = surface->triangles + 3 * (size_t)tree->id[i];
        double lo[3], hi[3], place[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(c[k], fmin(c[3 + k], c[6 + k]));
            hi[k] = fmax(c[k], fmax(c[3 + k], c[6 + k]));
        }
        int used = 0;
        stack[used++] = 0;
        while (used > 0) {
            const int32_t id = stack[--used];
            const Node *node = &tree->nodes[id];
            int apart = node->first + node->count <= i + 1;
            for (int k = 0; k < 3; k++)
                apart |= node->lo[k] > hi[k] || node->hi[k] < lo[k];
            if (apart)
                continue;
            if (node->right) {
                stack[used++] = node->right;
                stack[used++] = id + 1;
                continue;
            }
            for (int32_t j = node->first > i ? node->first : i + 1; j < node->first + node->count; j++) {
                const int32_t *w = surface->triangles + 3 * (size_t)tree->id[j];
                int shared = 0;
                for (int m = 0; m < 9; m++)
                    shared |= v[m / 3] == w[m % 3];
                if (!shared && cut_each_other(c, tree->corner + 9 * (size_t)j, place))
                    visit(context, tree->id[i], tree->id[j], place);
            }
        }
    }
}

static void note_crossing(void *context, int32_t a, int32_t b, const double place[3]) {
    ThawWinding *winding = context;
    (void)a, (void)b;
    note(winding, &winding->crossings, place);
}

// --- the whole -------------------------------------------------------------------------------------------------------

static ThawStatus copy_surface(const ThawTriangleMesh *surface, ThawTriangleMesh **copy, ThawError *error) {
    ThawStatus status = thaw_triangles_create(surface->vertex_count, surface->triangle_count, copy, error);
    if (status)
        return status;
    memcpy((*copy)->x, surface->x, 3 * (size_t)surface->vertex_count * sizeof *surface->x);
    memcpy((*copy)->triangles, surface->triangles, 3 * (size_t)surface->triangle_count * sizeof *surface->triangles);
    return THAW_OK;
}

static ThawStatus plant(const double *x, int32_t count, const int32_t *triangles, Tree *tree, ThawError *error) {
    ThawStatus status = create_tree(count, tree, error);
    for (size_t i = 0; !status && i < 3 * (size_t)count; i++)
        memcpy(tree->corner + 3 * i, x + 3 * (size_t)triangles[i], 3 * sizeof(double));
    if (!status)
        build_node(tree, 0, count);
    return status;
}

static ThawStatus fill_winding(ThawWinding *winding, const ThawTriangleMesh *surface, ThawError *error) {
    ThawStatus status = plant(surface->x, surface->triangle_count, surface->triangles, &winding->triangles, error);
    if (status)
        return status;
    find_crossings(&winding->triangles, surface, note_crossing, winding);
    return find_holes(winding, surface, error);
}

ThawStatus thaw_surface_cuts(const ThawTriangleMesh *surface, ThawCutVisit visit, void *context, ThawError *error) {
    Tree tree = {0};
    const ThawStatus status = plant(surface->x, surface->triangle_count, surface->triangles, &tree, error);
    if (!status)
        find_crossings(&tree, surface, visit, context);
    free_tree(&tree);
    return status;
}

ThawStatus thaw_winding_create(const ThawTriangleMesh *surface, ThawWinding **winding, ThawError *error) {
    *winding = NULL;
    ThawStatus status = thaw_triangles_validate(surface, error);
    if (status)
        return status;
    ThawTriangleMesh *welded = NULL;
    status = copy_surface(surface, &welded, error);
    if (!status)
        status = thaw_triangles_weld(welded, NULL, error);
    if (!status && welded->triangle_count < 1)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "the surface has no triangle; allowed: 1 and more");
    if (!status && !(*winding = THAW_NEW(ThawWinding, 1)))
        status = thaw_error_memory(error, "a surface");
    if (!status)
        status = thaw_surface_orient(welded, &(*winding)->turned, error);
    if (!status)
        status = fill_winding(*winding, welded, error);
    thaw_triangles_free(&welded);
    if (status)
        thaw_winding_free(winding);
    return status;
}

ThawStatus thaw_winding_create_sound(const double *x, int32_t count, const int32_t *triangles, ThawWinding **winding,
                                     ThawError *error) {
    *winding = THAW_NEW(ThawWinding, 1);
    const ThawStatus status =
        *winding ? plant(x, count, triangles, &(*winding)->triangles, error) : thaw_error_memory(error, "a surface");
    if (status)
        thaw_winding_free(winding);
    return status;
}

void thaw_winding_free(ThawWinding **winding) {
    if (!winding || !*winding)
        return;
    free_tree(&(*winding)->triangles);
    free_tree(&(*winding)->edges);
    thaw_free(*winding);
    *winding = NULL;
}
