// SPDX-License-Identifier: Apache-2.0
// Solids as signed distances: a tree whose leaves are primitives and whose inner nodes combine the distances of their
// children (minimum for a union, maximum for an intersection, ...). Negative inside.
//
// What the mesher needs of a distance f is not that it is exact but that no point nearer than |f(x)| to x lies on the
// other side of the surface, for then whole cells of its octree can be judged by one value. Minimum, maximum, offset
// and the polynomial smooth minimum keep that property; a placement keeps it when f is multiplied by its smallest
// singular value; a twist of r rad/m stretches lengths at a distance R from its axis by at most (rR + sqrt(r^2 R^2 +
// 4)) / 2.
//
// One evaluation costs a walk over the tree; a union skips children whose bounding box is farther away than the best so
// far.
#include "mesh/solid.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

// --- building --------------------------------------------------------------------------------------------------------

ThawStatus thaw_solid_create(int dim, ThawSolid **result, ThawError *error) {
    *result = NULL;
    ThawSolid *solid = THAW_NEW(ThawSolid, 1);
    if (!solid)
        return thaw_error_memory(error, "a solid");
    solid->dim = dim;
    solid->root = -1;
    if (thaw_solid_add_region(solid, "default") < 0) {
        thaw_solid_free(&solid);
        return thaw_error_memory(error, "a solid");
    }
    *result = solid;
    return THAW_OK;
}

void thaw_solid_free(ThawSolid **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawSolid *solid = *pointer;
    for (int32_t i = 0; i < solid->node_count; i++) {
        thaw_free(solid->nodes[i].points);
        thaw_winding_free(&solid->nodes[i].surface);
    }
    for (int32_t i = 0; i < solid->region_count; i++)
        thaw_free(solid->region_names[i]);
    thaw_free(solid->region_names);
    thaw_free(solid->nodes);
    thaw_free(solid);
    *pointer = NULL;
}

int32_t thaw_solid_add(ThawSolid *solid, ThawSolidKind kind) {
    if (solid->node_count == solid->node_room) {
        const int32_t room = 2 * solid->node_room + 16;
        ThawSolidNode *nodes = thaw_regrow(solid->nodes, (size_t)solid->node_count, (size_t)room, sizeof *nodes);
        if (!nodes)
            return -1;
        solid->nodes = nodes;
        solid->node_room = room;
    }
    solid->nodes[solid->node_count] = (ThawSolidNode){.kind = kind, .child = -1, .next = -1, .region = -1, .shrink = 1};
    return solid->node_count++;
}

void thaw_solid_adopt(ThawSolid *solid, int32_t parent, int32_t child) {
    int32_t *link = &solid->nodes[parent].child;
    while (*link >= 0)
        link = &solid->nodes[*link].next;
    *link = child;
}

static void multiply(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void apply(const double A[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

static void invert(const double F[9], double A[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            A[3 * i + j] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
        }
    const double det = F[0] * A[0] + F[1] * A[3] + F[2] * A[6];
    for (int i = 0; i < 9; i++)
        A[i] /= det;
}

void thaw_solid_place(ThawSolidNode *node, const double F[9], const double t[3], double shrink) {
    double product[9], moved[3];
    if (!node->placed) {
        memcpy(node->F, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof node->F);
        memset(node->t, 0, sizeof node->t);
    }
    multiply(F, node->F, product);
    memcpy(node->F, product, sizeof product);
    apply(F, node->t, moved);
    for (int k = 0; k < 3; k++)
        node->t[k] = moved[k] + t[k];
    invert(node->F, node->A);
    node->shrink *= shrink;
    node->placed = 1;
}

int32_t thaw_solid_add_region(ThawSolid *solid, const char *name) {
    for (int32_t i = 0; i < solid->region_count; i++)
        if (strcmp(solid->region_names[i], name) == 0)
            return i;
    if (solid->region_count == solid->region_room) {
        const int32_t room = 2 * solid->region_room + 4;
        char **names = thaw_regrow(solid->region_names, (size_t)solid->region_count, (size_t)room, sizeof *names);
        if (!names)
            return -1;
        solid->region_names = names;
        solid->region_room = room;
    }
    if (!(solid->region_names[solid->region_count] = thaw_strdup(name)))
        return -1;
    return solid->region_count++;
}

// --- bounds ----------------------------------------------------------------------------------------------------------

static void grow(double lo[3], double hi[3], double by) {
    for (int k = 0; k < 3; k++) {
        lo[k] -= by;
        hi[k] += by;
    }
}

static void bound_points(ThawSolidNode *node, double lo[3], double hi[3]) {
    const int round = node->kind == THAW_SOLID_REVOLUTION;
    double a[2] = {INFINITY, INFINITY}, b[2] = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < 2 * node->point_count; i++) {
        a[i % 2] = fmin(a[i % 2], node->points[i]);
        b[i % 2] = fmax(b[i % 2], node->points[i]);
    }
    const double low[3] = {round ? -b[0] : a[0], round ? -b[0] : a[1], round ? a[1] : node->value[0]};
    const double high[3] = {b[0], round ? b[0] : b[1], round ? b[1] : node->value[1]};
    memcpy(lo, low, sizeof low);
    memcpy(hi, high, sizeof high);
}

// A half-space has an end only along the axis its normal is parallel to.
static void bound_half_space(const double value[4], double lo[3], double hi[3]) {
    for (int k = 0; k < 3; k++) {
        hi[k] = value[k] == 1 ? value[3] : INFINITY;
        lo[k] = value[k] == -1 ? -value[3] : -INFINITY;
    }
}

static void bound_children(const ThawSolid *solid, const ThawSolidNode *node, double lo[3], double hi[3]) {
    int32_t count = 0;
    for (int32_t c = node->child; c >= 0; c = solid->nodes[c].next, count++) {
        const ThawSolidNode *child = &solid->nodes[c];
        const int meets = node->kind == THAW_SOLID_INTERSECTION;
        if (count && node->kind == THAW_SOLID_DIFFERENCE)
            break;
        for (int k = 0; k < 3; k++) {
            lo[k] = count == 0 ? child->lo[k] : meets ? fmax(lo[k], child->lo[k]) : fmin(lo[k], child->lo[k]);
            hi[k] = count == 0 ? child->hi[k] : meets ? fmin(hi[k], child->hi[k]) : fmax(hi[k], child->hi[k]);
        }
    }
    if (node->kind == THAW_SOLID_SMOOTH_UNION) // each blend adds at most a quarter of its radius
        grow(lo, hi, node->value[0] / 4 * (count - 1));
    if (node->kind == THAW_SOLID_OFFSET)
        grow(lo, hi, node->value[0]);
    if (node->kind == THAW_SOLID_TWIST) {
        const double r = hypot(fmax(fabs(lo[0]), fabs(hi[0])), fmax(fabs(lo[1]), fabs(hi[1])));
        lo[0] = lo[1] = -r;
        hi[0] = hi[1] = r;
    }
}

void thaw_solid_bound(ThawSolid *solid, int32_t id) {
    ThawSolidNode *node = &solid->nodes[id];
    const double *v = node->value;
    double lo[3] = {0}, hi[3] = {0};
    switch (node->kind) {
    case THAW_SOLID_SPHERE:
        grow(lo, hi, v[0]);
        break;
    case THAW_SOLID_BOX:
        for (int k = 0; k < 3; k++)
            lo[k] = -(hi[k] = v[k]);
        break;
    case THAW_SOLID_CAPSULE:
        lo[0] = lo[1] = -(hi[0] = hi[1] = fmax(v[1], v[2]));
        lo[2] = fmin(-v[1], v[0] - v[2]);
        hi[2] = fmax(v[1], v[0] + v[2]);
        break;
    case THAW_SOLID_TORUS:
        lo[0] = lo[1] = -(hi[0] = hi[1] = v[0] + v[1]);
        lo[2] = -(hi[2] = v[1]);
        break;
    case THAW_SOLID_REVOLUTION:
    case THAW_SOLID_PRISM:
        bound_points(node, lo, hi);
        break;
    case THAW_SOLID_HALF_SPACE:
        bound_half_space(v, lo, hi);
        break;
    case THAW_SOLID_SURFACE:
        thaw_winding_bounds(node->surface, lo, hi);
        break;
    default:
        bound_children(solid, node, lo, hi);
    }
    memcpy(node->lo, lo, sizeof lo);
    memcpy(node->hi, hi, sizeof hi);
    for (int i = 0; node->placed && i < 3; i++) {
        node->lo[i] = node->hi[i] = node->t[i];
        for (int j = 0; j < 3; j++) {
            const double f = node->F[3 * i + j];
            if (f == 0) // it must not meet an infinity
                continue;
            node->lo[i] += f > 0 ? f * lo[j] : f * hi[j];
            node->hi[i] += f > 0 ? f * hi[j] : f * lo[j];
        }
    }
}

// --- primitives ------------------------------------------------------------------------------------------------------

static double box_distance(const double x[3], const double half[3], double radius) {
    double outside = 0, inside = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double q = fabs(x[k]) - (half[k] - radius);
        outside += q > 0 ? q * q : 0;
        inside = fmax(inside, q);
    }
    return sqrt(outside) + fmin(inside, 0) - radius;
}

// In the half plane (r, z): the tangent cone of both spheres touches them where the direction from the axis is
// (cos b, sin b), sin b = (radius0 - radius1) / length; s is where that direction through the point meets the axis.
static double capsule_distance(const double x[3], const double value[4]) {
    const double length = value[0], r0 = value[1], r1 = value[2], r = hypot(x[0], x[1]), z = x[2];
    const double d0 = hypot(r, z) - r0, d1 = hypot(r, z - length) - r1;
    const double sine = length > 0 ? (r0 - r1) / length : 1;
    if (fabs(sine) >= 1) // one sphere holds the other
        return fmin(d0, d1);
    const double cosine = sqrt(1 - sine * sine), s = z - r * sine / cosine;
    return s <= 0 ? d0 : s >= length ? d1 : r * cosine + z * sine - r0;
}

// Edges on the axis of a revolution are no surface, but belong to the polygon.
static double polygon_distance(const ThawSolidNode *node, double u, double v) {
    const int axis = node->kind == THAW_SOLID_REVOLUTION;
    const int32_t step = node->segments ? 2 : 1;
    double best = INFINITY;
    int crossed = 0, around = 0; // how often, and upwards more often than downwards
    for (int32_t i = step - 1; i < node->point_count; i += step) {
        const int32_t j = i > 0 ? i - 1 : node->point_count - 1;
        const double *a = node->points + 2 * j, *b = node->points + 2 * i;
        if ((a[1] > v) != (b[1] > v) && u < a[0] + (b[0] - a[0]) * ((v - a[1]) / (b[1] - a[1]))) {
            crossed++;
            around += b[1] > a[1] ? 1 : -1;
        }
        if (axis && a[0] == 0 && b[0] == 0)
            continue;
        const double e[2] = {b[0] - a[0], b[1] - a[1]}, p[2] = {u - a[0], v - a[1]};
        const double square = e[0] * e[0] + e[1] * e[1];
        const double s = square > 0 ? fmin(fmax((p[0] * e[0] + p[1] * e[1]) / square, 0), 1) : 0;
        const double d[2] = {p[0] - s * e[0], p[1] - s * e[1]};
        best = fmin(best, d[0] * d[0] + d[1] * d[1]);
    }
    const int inside = node->nonzero ? around != 0 : crossed % 2;
    return inside ? -sqrt(best) : sqrt(best);
}

static double prism_distance(const ThawSolidNode *node, const double x[3], int dim) {
    const double d = polygon_distance(node, x[0], x[1]);
    if (dim == 2)
        return d;
    const double q = fmax(node->value[0] - x[2], x[2] - node->value[1]);
    return d > 0 && q > 0 ? hypot(d, q) : fmax(d, q);
}

// --- combinations ----------------------------------------------------------------------------------------------------

static double node_distance(const ThawSolid *solid, int32_t id, const double above[3]);

static double distance_to_box(const double x[3], const double lo[3], const double hi[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = fmax(fmax(lo[k] - x[k], x[k] - hi[k]), 0);
        sum += d * d;
    }
    return sqrt(sum);
}

static double union_distance(const ThawSolid *solid, int32_t child, const double x[3]) {
    double best = INFINITY;
    for (; child >= 0; child = solid->nodes[child].next) {
        const ThawSolidNode *node = &solid->nodes[child];
        if (distance_to_box(x, node->lo, node->hi) < fmax(best, 1e-300) || best == INFINITY)
            best = fmin(best, node_distance(solid, child, x));
    }
    return best;
}

// min(a, b) - k h^2 / 4 with h = max(1 - |a - b| / k, 0): its gradient is a mean of both.
static double smooth_minimum(double a, double b, double k) {
    const double h = fmax(1 - fabs(a - b) / k, 0);
    return fmin(a, b) - k * h * h / 4;
}

// Back from where the twist has turned x. Two products are volatile because gcc 12.2 fuses c x - s y, s x + c y into
// one instruction even where contraction is forbidden (scripts/fused.sh looks for such code).
static void untwist(const ThawSolidNode *node, const double x[3], double turned[3]) {
    const double angle = -node->value[0] * x[2], c = cos(angle), s = sin(angle);
    volatile const double sy = s * x[1], cy = c * x[1];
    turned[0] = c * x[0] - sy;
    turned[1] = s * x[0] + cy;
    turned[2] = x[2];
}

static double twisted_distance(const ThawSolid *solid, const ThawSolidNode *node, const double x[3]) {
    const double rate = node->value[0];
    double turned[3];
    untwist(node, x, turned);
    const ThawSolidNode *child = &solid->nodes[node->child];
    const double reach = fmax(hypot(x[0], x[1]), hypot(fmax(fabs(child->lo[0]), fabs(child->hi[0])),
                                                       fmax(fabs(child->lo[1]), fabs(child->hi[1]))));
    const double stretch = (fabs(rate) * reach + hypot(rate * reach, 2)) / 2;
    return node_distance(solid, node->child, turned) / stretch;
}

static double combined_distance(const ThawSolid *solid, const ThawSolidNode *node, const double x[3]) {
    double d = node_distance(solid, node->child, x);
    for (int32_t c = solid->nodes[node->child].next; c >= 0; c = solid->nodes[c].next) {
        const double other = node_distance(solid, c, x);
        if (node->kind == THAW_SOLID_SMOOTH_UNION)
            d = smooth_minimum(d, other, node->value[0]);
        else
            d = fmax(d, node->kind == THAW_SOLID_DIFFERENCE ? -other : other);
    }
    if (node->kind == THAW_SOLID_SHELL)
        return fmax(d, -d - node->value[0]);
    return node->kind == THAW_SOLID_OFFSET ? d - node->value[0] : d;
}

static void to_local(const ThawSolidNode *node, const double above[3], double x[3]) {
    if (!node->placed) {
        memcpy(x, above, 3 * sizeof *x);
        return;
    }
    const double moved[3] = {above[0] - node->t[0], above[1] - node->t[1], above[2] - node->t[2]};
    apply(node->A, moved, x);
}

static double node_distance(const ThawSolid *solid, int32_t id, const double above[3]) {
    const ThawSolidNode *node = &solid->nodes[id];
    const double *v = node->value;
    double x[3], d = 0;
    to_local(node, above, x);
    switch (node->kind) {
    case THAW_SOLID_SPHERE:
        d = thaw_v3_norm(x) - v[0];
        break;
    case THAW_SOLID_BOX:
        d = box_distance(x, v, v[3]);
        break;
    case THAW_SOLID_CAPSULE:
        d = capsule_distance(x, v);
        break;
    case THAW_SOLID_TORUS:
        d = hypot(hypot(x[0], x[1]) - v[0], x[2]) - v[1];
        break;
    case THAW_SOLID_REVOLUTION:
        d = polygon_distance(node, hypot(x[0], x[1]), x[2]);
        break;
    case THAW_SOLID_PRISM:
        d = prism_distance(node, x, solid->dim);
        break;
    case THAW_SOLID_HALF_SPACE:
        d = thaw_v3_dot(v, x) - v[3];
        break;
    case THAW_SOLID_SURFACE:
        d = thaw_winding_distance(node->surface, x);
        break;
    case THAW_SOLID_UNION:
        d = union_distance(solid, node->child, x);
        break;
    case THAW_SOLID_TWIST:
        d = twisted_distance(solid, node, x);
        break;
    default:
        d = combined_distance(solid, node, x);
    }
    return d * node->shrink;
}

// --- what may be asked -----------------------------------------------------------------------------------------------

int thaw_solid_dimension(const ThawSolid *solid) { return solid ? solid->dim : 0; }

double thaw_solid_distance(const ThawSolid *solid, const double x[3]) {
    if (!solid || !x)
        return NAN;
    const double at[3] = {x[0], x[1], solid->dim == 2 ? 0 : x[2]};
    return node_distance(solid, solid->root, at);
}

void thaw_solid_bounds(const ThawSolid *solid, double lo[3], double hi[3]) {
    if (!solid || !lo || !hi)
        return;
    memcpy(lo, solid->nodes[solid->root].lo, 3 * sizeof *lo);
    memcpy(hi, solid->nodes[solid->root].hi, 3 * sizeof *hi);
    if (solid->dim == 2)
        lo[2] = hi[2] = 0;
}

int32_t thaw_solid_region_count(const ThawSolid *solid) { return solid ? solid->region_count : 0; }

const char *thaw_solid_region_name(const ThawSolid *solid, int32_t region) {
    return solid && region >= 0 && region < solid->region_count ? solid->region_names[region] : NULL;
}

// Down the tree: of several children, the last that holds the point, else the nearest; of a difference the first. The
// deepest name wins.
static int32_t node_region(const ThawSolid *solid, int32_t id, const double above[3], int32_t region) {
    const ThawSolidNode *node = &solid->nodes[id];
    double x[3], least = INFINITY;
    to_local(node, above, x);
    if (node->region >= 0)
        region = node->region;
    if (node->child < 0)
        return region;
    if (node->kind == THAW_SOLID_TWIST) {
        double turned[3];
        untwist(node, x, turned);
        return node_region(solid, node->child, turned, region);
    }
    int32_t chosen = node->child;
    for (int32_t c = node->child; c >= 0 && node->kind != THAW_SOLID_DIFFERENCE; c = solid->nodes[c].next) {
        const double d = node_distance(solid, c, x);
        if (d <= 0 || d < least)
            chosen = c;
        least = d <= 0 ? 0 : fmin(least, d);
    }
    return node_region(solid, chosen, x, region);
}

int32_t thaw_solid_region(const ThawSolid *solid, const double x[3]) {
    if (!solid || !x)
        return 0;
    const double at[3] = {x[0], x[1], solid->dim == 2 ? 0 : x[2]};
    return solid->region_count > 1 ? node_region(solid, solid->root, at, 0) : 0;
}

void thaw_solid_surfaces(const ThawSolid *solid, void (*visit)(void *context, const ThawWinding *), void *context) {
    for (int32_t i = 0; i < solid->node_count; i++)
        if (solid->nodes[i].surface)
            visit(context, solid->nodes[i].surface);
}

ThawStatus thaw_solid_from_triangles(const ThawTriangleMesh *surface, ThawSolid **solid, ThawError *error) {
    if (!solid)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_from_triangles: solid is NULL");
    *solid = NULL;
    if (!surface)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_from_triangles: surface is NULL");
    ThawStatus status = thaw_solid_create(3, solid, error);
    if (status)
        return status;
    int32_t node = thaw_solid_add(*solid, THAW_SOLID_SURFACE);
    status = node < 0 ? thaw_error_memory(error, "a solid")
                      : thaw_winding_create(surface, &(*solid)->nodes[node].surface, error);
    if (status) {
        thaw_solid_free(solid);
        return status;
    }
    (*solid)->root = node;
    thaw_solid_bound(*solid, node);
    return THAW_OK;
}
