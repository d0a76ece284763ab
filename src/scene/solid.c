// SPDX-License-Identifier: Apache-2.0
// Solids in JSON: each node is an object with exactly one kind of solid in it, and besides perhaps a region and a
// placement (scale, then rotate, then translate). docs/mesher.md describes them. Copies (repeat, circle, mirror) share
// the child they copy: each is a node of its own that places it.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "math/vec3.h"
#include "mesh/drawing.h"
#include "mesh/pieces.h"
#include "mesh/solid.h"
#include "scene/read.h"

static const double COPIES = 10000; // at most, by one node
static const double ENDLESS = 1e30; // half the depth of a box in the plane

static int is_flat(const ThawPlace *place) { return place->reader->store->scene.world.dim == 2; }

static int32_t add_node(const ThawPlace *place, ThawSolid *solid, ThawSolidKind kind) {
    const int32_t node = place->reader->status ? -1 : thaw_solid_add(solid, kind);
    if (node < 0)
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
    return node;
}

// --- placement -------------------------------------------------------------------------------------------------------

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, nowhere[3] = {0, 0, 0};

static void rotation_matrix(const double q[4], double R[9]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double M[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, M, sizeof M);
}

static void translate(ThawSolid *solid, int32_t node, const double t[3]) {
    if (t[0] != 0 || t[1] != 0 || t[2] != 0)
        thaw_solid_place(&solid->nodes[node], identity, t, 1);
}

// Turns z to the unit vector n and moves the origin to t.
static void align(ThawSolid *solid, int32_t node, const double n[3], const double t[3]) {
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double u[3] = {0}, v[3], length = 0; // u: an axis far from n, made perpendicular to it
    u[least] = 1;
    for (int k = 0; k < 3; k++)
        u[k] -= n[least] * n[k];
    for (int k = 0; k < 3; k++)
        length = hypot(length, u[k]);
    for (int k = 0; k < 3; k++)
        u[k] /= length;
    for (int k = 0; k < 3; k++)
        v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
    const double F[9] = {u[0], v[0], n[0], u[1], v[1], n[1], u[2], v[2], n[2]};
    thaw_solid_place(&solid->nodes[node], F, t, 1);
}

static void read_placement(const ThawPlace *place, ThawSolid *solid, int32_t node) {
    ThawPlace scale = thaw_place_member(place, "scale");
    double s[3] = {1, 1, 1}, q[4] = {1, 0, 0, 0}, t[3] = {0}, R[9];
    if (json_is_number(scale.value))
        s[0] = s[1] = s[2] = thaw_place_own_number(&scale, thaw_range_any);
    else if (scale.value)
        thaw_place_own_vector(&scale, s);
    if (is_flat(place))
        s[2] = 1;
    if (s[0] == 0 || s[1] == 0 || s[2] == 0)
        thaw_place_refuse(&scale, "a scale of zero", "a number or vector without zeros (negative mirrors)");
    thaw_place_rotation(place, "rotate", q, NULL);
    thaw_place_vector(place, "translate", t);
    if (place->reader->status)
        return;
    const double S[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]};
    const double least = fmin(fabs(s[0]), is_flat(place) ? fabs(s[1]) : fmin(fabs(s[1]), fabs(s[2])));
    if (scale.value)
        thaw_solid_place(&solid->nodes[node], S, nowhere, least);
    rotation_matrix(q, R);
    if (q[0] != 1)
        thaw_solid_place(&solid->nodes[node], R, nowhere, 1);
    translate(solid, node, t);
    for (int i = 0; i < 9; i++)
        if (solid->nodes[node].placed && !(isfinite(solid->nodes[node].F[i]) && isfinite(solid->nodes[node].A[i])))
            thaw_place_fail(place, THAW_ERROR_INPUT, "scaled out of the range of double precision");
}

// A vector of length 1.
static void read_direction(const ThawPlace *place, const char *key, double n[3]) {
    thaw_place_vector(place, key, n);
    const double length = hypot(hypot(n[0], n[1]), n[2]);
    if (!place->reader->status && !(length > 0)) {
        ThawPlace culprit = thaw_place_member(place, key);
        thaw_place_refuse(&culprit, "a vector without a direction", "a vector of any length but zero");
    }
    for (int k = 0; k < 3 && length > 0; k++)
        n[k] /= length;
}

// --- primitives ------------------------------------------------------------------------------------------------------

static int32_t read_sphere(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"radius", "centre", NULL};
    double radius = 0, centre[3] = {0};
    if (!thaw_place_is_object(place, keys, 1))
        return -1;
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    thaw_place_vector(place, "centre", centre);
    const int32_t node = add_node(place, solid, THAW_SOLID_SPHERE);
    if (node < 0)
        return -1;
    solid->nodes[node].value[0] = radius;
    translate(solid, node, centre);
    return node;
}

static int32_t read_ellipsoid(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"radii", "centre", NULL};
    double radii[3] = {0}, centre[3] = {0};
    if (!thaw_place_is_object(place, keys, 1))
        return -1;
    thaw_place_vector(place, "radii", radii);
    thaw_place_vector(place, "centre", centre);
    if (is_flat(place))
        radii[2] = fmax(radii[0], radii[1]);
    const double least = fmin(radii[0], fmin(radii[1], radii[2]));
    ThawPlace culprit = thaw_place_member(place, "radii");
    if (!(least > 0))
        thaw_place_refuse(&culprit, "no ellipsoid", "radii greater than 0");
    const int32_t node = add_node(place, solid, THAW_SOLID_SPHERE);
    if (node < 0)
        return -1;
    solid->nodes[node].value[0] = 1;
    thaw_solid_place(&solid->nodes[node], (double[9]){radii[0], 0, 0, 0, radii[1], 0, 0, 0, radii[2]}, centre, least);
    return node;
}

static int32_t read_box(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"min", "max", "radius", NULL};
    double lo[3] = {0}, hi[3] = {0}, middle[3], half[4] = {0};
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    thaw_place_vector(place, "min", lo);
    thaw_place_vector(place, "max", hi);
    thaw_place_number(place, "radius", thaw_range_not_negative, &half[3]);
    ThawPlace radius = thaw_place_member(place, "radius");
    for (int k = 0; k < 3; k++) {
        middle[k] = (lo[k] + hi[k]) / 2;
        half[k] = (hi[k] - lo[k]) / 2;
        if (k == 2 && is_flat(place))
            half[k] = ENDLESS;
        if (!(half[k] > 0))
            thaw_place_refuse(place, "an empty box", "min less than max in every component");
        if (half[3] > half[k])
            thaw_place_refuse(&radius, "rounder than the box is wide", "at most half of its shortest side");
    }
    const int32_t node = add_node(place, solid, THAW_SOLID_BOX);
    if (node < 0)
        return -1;
    memcpy(solid->nodes[node].value, half, sizeof half);
    translate(solid, node, middle);
    return node;
}

// From an end to the other along an axis: the unit vector, and its length.
static double read_axis(const ThawPlace *place, double from[3], double n[3]) {
    double length = 0;
    thaw_place_vector(place, "from", from);
    thaw_place_vector(place, "to", n);
    for (int k = 0; k < 3; k++)
        length = hypot(length, n[k] -= from[k]);
    if (!(length > 0)) {
        ThawPlace to = thaw_place_member(place, "to");
        thaw_place_refuse(&to, "both ends at the same place", "a point other than from");
    }
    for (int k = 0; k < 3 && length > 0; k++)
        n[k] /= length;
    return length;
}

static int32_t add_capsule(const ThawPlace *place, ThawSolid *solid, const double from[3], const double n[3],
                           double length, double r0, double r1) {
    const int32_t node = add_node(place, solid, THAW_SOLID_CAPSULE);
    if (node < 0)
        return -1;
    memcpy(solid->nodes[node].value, (double[4]){length, r0, r1}, sizeof solid->nodes[node].value);
    align(solid, node, n, from);
    return node;
}

static int32_t read_capsule(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"from", "to", "radius", "end_radius", NULL};
    double from[3] = {0}, n[3] = {0}, radius = 0;
    if (!thaw_place_is_object(place, keys, 3))
        return -1;
    const double length = read_axis(place, from, n);
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    double end = radius;
    thaw_place_number(place, "end_radius", thaw_range_not_negative, &end);
    return add_capsule(place, solid, from, n, length, radius, end);
}

// A closed polygon of the points, owned by the node.
static int32_t add_polygon(const ThawPlace *place, ThawSolid *solid, ThawSolidKind kind, const double *points,
                           int32_t count) {
    const int32_t node = add_node(place, solid, kind);
    double *copy = node < 0 ? NULL : THAW_NEW(double, 2 * (size_t)count);
    if (!copy) {
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
        return -1;
    }
    memcpy(copy, points, 2 * (size_t)count * sizeof *copy);
    solid->nodes[node].points = copy;
    solid->nodes[node].point_count = count;
    return node;
}

static int32_t add_cone(const ThawPlace *place, ThawSolid *solid, double r0, double r1) {
    double from[3] = {0}, n[3] = {0};
    const double length = read_axis(place, from, n);
    const int32_t node =
        add_polygon(place, solid, THAW_SOLID_REVOLUTION, (double[8]){0, 0, r0, 0, r1, length, 0, length}, 4);
    if (node >= 0)
        align(solid, node, n, from);
    return node;
}

static int32_t read_cylinder(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"from", "to", "radius", NULL};
    double radius = 0;
    if (!thaw_place_is_object(place, keys, 3))
        return -1;
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    return add_cone(place, solid, radius, radius);
}

static int32_t read_cone(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"from", "to", "radius", "end_radius", NULL};
    double radius = 0, end = 0;
    if (!thaw_place_is_object(place, keys, 3))
        return -1;
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    thaw_place_number(place, "end_radius", thaw_range_not_negative, &end);
    return add_cone(place, solid, radius, end);
}

static int32_t read_torus(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"radius", "tube", "centre", "axis", NULL};
    double radius = 0, tube = 0, centre[3] = {0}, axis[3] = {0, 0, 1};
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    thaw_place_number(place, "tube", thaw_range_positive, &tube);
    thaw_place_vector(place, "centre", centre);
    read_direction(place, "axis", axis);
    const int32_t node = add_node(place, solid, THAW_SOLID_TORUS);
    if (node < 0)
        return -1;
    solid->nodes[node].value[0] = radius;
    solid->nodes[node].value[1] = tube;
    align(solid, node, axis, centre);
    return node;
}

// An array of points of two numbers each, with room for two more. NULL on error.
static double *read_points(const ThawPlace *place, size_t least, ThawRange first, size_t *count) {
    if (!thaw_place_is_array(place, least, count))
        return NULL;
    double *points = thaw_scene_keep(place->reader, 2 * (*count + 2), sizeof *points);
    for (size_t i = 0; points && i < *count; i++) {
        ThawPlace item = thaw_place_item(place, i), u = thaw_place_item(&item, 0), v = thaw_place_item(&item, 1);
        if (json_array_size(item.value) != 2)
            thaw_place_refuse(&item, "no point", "an array of 2 numbers");
        if (place->reader->status)
            return NULL;
        points[2 * i] = thaw_place_own_number(&u, first);
        points[2 * i + 1] = thaw_place_own_number(&v, thaw_range_any);
    }
    return place->reader->status ? NULL : points;
}

double *thaw_scene_read_profile(const ThawPlace *place, size_t *count) {
    return read_points(place, 2, thaw_range_not_negative, count);
}

// The outline is joined to the axis at both ends, unless it ends where it began.
static int32_t read_revolution(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"profile", NULL};
    size_t count = 0;
    if (!thaw_place_is_object(place, keys, 1))
        return -1;
    ThawPlace profile = thaw_place_member(place, "profile");
    double *points = thaw_scene_read_profile(&profile, &count);
    if (!points)
        return -1;
    const double *first = points, *last = points + 2 * count - 2;
    if (first[0] != last[0] || first[1] != last[1]) {
        const double ends[2] = {last[1], first[1]};
        for (int i = 0; i < 2; i++, count++)
            memcpy(points + 2 * count, (double[2]){0, ends[i]}, 2 * sizeof *points);
    }
    return add_polygon(place, solid, THAW_SOLID_REVOLUTION, points, (int32_t)count);
}

static int32_t read_prism(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"points", "min", "max", NULL}, *const keys_2d[] = {"points", NULL};
    size_t count = 0;
    double lo = -ENDLESS, hi = ENDLESS;
    if (!thaw_place_is_object(place, is_flat(place) ? keys_2d : keys, is_flat(place) ? 1 : 3))
        return -1;
    ThawPlace outline = thaw_place_member(place, "points"), top = thaw_place_member(place, "max");
    thaw_place_number(place, "min", thaw_range_any, &lo);
    thaw_place_number(place, "max", thaw_range_any, &hi);
    if (!(lo < hi))
        thaw_place_refuse(&top, "no height", "a number greater than min");
    const double *points = read_points(&outline, 3, thaw_range_any, &count);
    const int32_t node = points ? add_polygon(place, solid, THAW_SOLID_PRISM, points, (int32_t)count) : -1;
    if (node < 0)
        return -1;
    solid->nodes[node].value[0] = lo;
    solid->nodes[node].value[1] = hi;
    return node;
}

// The inside of a drawing: in the plane the name of a file, else with where it begins and ends along z.
static int32_t read_drawing(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"file", "min", "max", NULL};
    const int flat = is_flat(place);
    double lo = -ENDLESS, hi = ENDLESS;
    if (!flat && !thaw_place_is_object(place, keys, 3))
        return -1;
    ThawPlace file = flat ? *place : thaw_place_member(place, "file"), top = thaw_place_member(place, "max");
    if (!flat) {
        thaw_place_number(place, "min", thaw_range_any, &lo);
        thaw_place_number(place, "max", thaw_range_any, &hi);
    }
    if (!(lo < hi))
        thaw_place_refuse(&top, "no height", "a number greater than min");
    char *path = thaw_scene_path(&file);
    if (!path)
        return -1;
    ThawDrawing *drawing = NULL;
    ThawError error = {0};
    const ThawStatus status = thaw_drawing_read(path, &drawing, &error);
    const int32_t node = status ? -1 : thaw_solid_add_drawing(solid, drawing, lo, hi);
    if (status)
        thaw_place_fail(&file, status, "%s", error.message);
    else if (node < 0)
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
    thaw_drawing_free(&drawing);
    thaw_free(path);
    return node;
}

static int32_t read_half_space(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"point", "normal", NULL};
    double point[3] = {0}, n[3] = {0};
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    thaw_place_vector(place, "point", point);
    read_direction(place, "normal", n);
    const int32_t node = add_node(place, solid, THAW_SOLID_HALF_SPACE);
    if (node < 0)
        return -1;
    memcpy(solid->nodes[node].value, (double[4]){n[0], n[1], n[2], thaw_v3_dot(n, point)},
           sizeof solid->nodes[node].value);
    return node;
}

static ThawStatus keep_piece(ThawTriangleMesh **surface, int32_t which, ThawError *error) {
    int32_t count = 0, *piece = THAW_NEW(int32_t, (*surface)->triangle_count);
    ThawTriangleMesh *part = NULL;
    ThawStatus status = piece ? thaw_triangles_pieces(*surface, piece, &count, error)
                              : thaw_error_memory(error, "the pieces of a surface");
    if (!status && which > count)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "there is no piece %d; allowed: 1 to %d", which, count);
    if (!status)
        status = thaw_triangles_piece(*surface, piece, which - 1, &part, error);
    if (!status) {
        thaw_triangles_free(surface);
        *surface = part;
    }
    thaw_free(piece);
    return status;
}

int32_t thaw_scene_read_surface(const ThawPlace *place, int32_t piece, ThawSolid *solid) {
    if (is_flat(place))
        thaw_place_refuse(place, "a surface has no place in the plane", "surfaces in scenes of dimension 3 only");
    char *path = thaw_scene_path(place);
    if (!path)
        return -1;
    ThawTriangleMesh *surface = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_triangles_read(path, &surface, &error);
    thaw_free(path);
    if (!status && piece)
        status = keep_piece(&surface, piece, &error);
    const int32_t node = status ? -1 : add_node(place, solid, THAW_SOLID_SURFACE);
    if (node >= 0)
        status = thaw_winding_create(surface, &solid->nodes[node].surface, &error);
    thaw_triangles_free(&surface);
    if (status)
        thaw_place_fail(place, status, "%s", error.message);
    if (place->reader->status)
        return -1;
    thaw_solid_bound(solid, node);
    return node;
}

static int32_t read_whole_surface(const ThawPlace *place, ThawSolid *solid) {
    return thaw_scene_read_surface(place, 0, solid);
}

// --- combinations ----------------------------------------------------------------------------------------------------

static int32_t adopt_list(const ThawPlace *list, ThawSolid *solid, int32_t node) {
    size_t count;
    if (node < 0 || !thaw_place_is_array(list, 1, &count))
        return -1;
    for (size_t i = 0; i < count; i++) {
        ThawPlace item = thaw_place_item(list, i);
        const int32_t child = thaw_scene_read_solid(&item, solid);
        if (child < 0)
            return -1;
        thaw_solid_adopt(solid, node, child);
    }
    return node;
}

static int32_t read_union(const ThawPlace *place, ThawSolid *solid) {
    return adopt_list(place, solid, add_node(place, solid, THAW_SOLID_UNION));
}

static int32_t read_intersection(const ThawPlace *place, ThawSolid *solid) {
    return adopt_list(place, solid, add_node(place, solid, THAW_SOLID_INTERSECTION));
}

static int32_t read_difference(const ThawPlace *place, ThawSolid *solid) {
    return adopt_list(place, solid, add_node(place, solid, THAW_SOLID_DIFFERENCE));
}

static int32_t read_smooth_union(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"radius", "of", NULL};
    double radius = 0;
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    ThawPlace list = thaw_place_member(place, "of");
    const int32_t node = adopt_list(&list, solid, add_node(place, solid, THAW_SOLID_SMOOTH_UNION));
    if (node >= 0)
        solid->nodes[node].value[0] = radius;
    return node;
}

// A chain of capsules through points, each with its radius.
static int32_t read_tube(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"points", "radii", NULL};
    size_t count = 0, radii = 0;
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    ThawPlace points = thaw_place_member(place, "points"), list = thaw_place_member(place, "radii");
    if (!thaw_place_is_array(&points, 2, &count) || !thaw_place_is_array(&list, 1, &radii))
        return -1;
    if (radii != count)
        thaw_place_fail(&list, THAW_ERROR_INPUT, "%zu radii for %zu points; allowed: one for each point", radii, count);
    const int32_t node = add_node(place, solid, THAW_SOLID_UNION);
    double before[3] = {0}, x[3], n[3], radius_before = 0;
    for (size_t i = 0; i < count && !place->reader->status; i++) {
        ThawPlace point = thaw_place_item(&points, i), item = thaw_place_item(&list, i);
        double length = 0;
        thaw_place_own_vector(&point, x);
        const double radius = thaw_place_own_number(&item, thaw_range_positive);
        for (int k = 0; k < 3; k++)
            length = hypot(length, n[k] = x[k] - before[k]);
        if (i > 0 && !(length > 0))
            thaw_place_refuse(&point, "the same point twice", "a point other than the one before");
        for (int k = 0; k < 3; k++)
            n[k] /= length;
        const int32_t link = i > 0 ? add_capsule(place, solid, before, n, length, radius_before, radius) : -1;
        if (link >= 0) {
            thaw_solid_bound(solid, link);
            thaw_solid_adopt(solid, node, link);
        }
        memcpy(before, x, sizeof x);
        radius_before = radius;
    }
    return place->reader->status ? -1 : node;
}

static int32_t adopt_one(const ThawPlace *place, ThawSolid *solid, int32_t node) {
    ThawPlace of = thaw_place_member(place, "of");
    const int32_t child = node < 0 ? -1 : thaw_scene_read_solid(&of, solid);
    if (child < 0)
        return -1;
    thaw_solid_adopt(solid, node, child);
    return node;
}

static int32_t read_valued(const ThawPlace *place, ThawSolid *solid, ThawSolidKind kind, const char *key,
                           ThawRange range, double unit) {
    const char *const keys[] = {"of", key, NULL};
    double value = 0;
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    thaw_place_number(place, key, range, &value);
    const int32_t node = adopt_one(place, solid, add_node(place, solid, kind));
    if (node >= 0)
        solid->nodes[node].value[0] = value * unit;
    return node;
}

static int32_t read_shell(const ThawPlace *place, ThawSolid *solid) {
    return read_valued(place, solid, THAW_SOLID_SHELL, "thickness", thaw_range_positive, 1);
}

static int32_t read_offset(const ThawPlace *place, ThawSolid *solid) {
    return read_valued(place, solid, THAW_SOLID_OFFSET, "distance", thaw_range_any, 1);
}

static int32_t read_twist(const ThawPlace *place, ThawSolid *solid) {
    return read_valued(place, solid, THAW_SOLID_TWIST, "degrees_per_metre", thaw_range_any, M_PI / 180);
}

// Another copy of `child` in the union `node`, placed.
static void add_copy(const ThawPlace *place, ThawSolid *solid, int32_t node, int32_t child, const double F[9],
                     const double t[3]) {
    const int32_t copy = add_node(place, solid, THAW_SOLID_UNION);
    if (copy < 0)
        return;
    solid->nodes[copy].child = child; // shared: it has no sibling
    thaw_solid_place(&solid->nodes[copy], F, t, 1);
    thaw_solid_bound(solid, copy);
    solid->nodes[copy].next = solid->nodes[node].child;
    solid->nodes[node].child = copy;
}

static int32_t read_repeat(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"of", "count", "step", NULL};
    double count[3] = {1, 1, 1}, step[3] = {0}, total = 1;
    if (!thaw_place_is_object(place, keys, 3))
        return -1;
    ThawPlace grid = thaw_place_member(place, "count"), of = thaw_place_member(place, "of");
    thaw_place_own_vector(&grid, count);
    thaw_place_vector(place, "step", step);
    for (int k = 0; k < (is_flat(place) ? 2 : 3); k++) {
        total *= count[k];
        if (!(count[k] >= 1 && floor(count[k]) == count[k] && total <= COPIES))
            thaw_place_refuse(&grid, "no grid of copies", "integers of at least 1, at most 10000 copies in all");
    }
    const int32_t node = add_node(place, solid, THAW_SOLID_UNION);
    const int32_t child = node < 0 ? -1 : thaw_scene_read_solid(&of, solid);
    for (int i = (int)total - 1; i >= 0 && child >= 0; i--) {
        const int nx = (int)count[0], ny = (int)count[1];
        const double t[3] = {step[0] * (i % nx), step[1] * (i / nx % ny), step[2] * (i / nx / ny)};
        add_copy(place, solid, node, child, identity, t);
    }
    return child < 0 || place->reader->status ? -1 : node;
}

static int32_t read_circle(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"of", "count", "axis", "centre", NULL};
    static const char *const keys_2d[] = {"of", "count", "centre", NULL};
    int64_t count = 1;
    double axis[3] = {0, 0, 1}, c[3] = {0};
    if (!thaw_place_is_object(place, is_flat(place) ? keys_2d : keys, 2))
        return -1;
    thaw_place_integer(place, "count", 1, (int64_t)COPIES, &count);
    read_direction(place, "axis", axis);
    thaw_place_vector(place, "centre", c);
    ThawPlace of = thaw_place_member(place, "of");
    const int32_t node = add_node(place, solid, THAW_SOLID_UNION);
    const int32_t child = node < 0 ? -1 : thaw_scene_read_solid(&of, solid);
    for (int64_t i = count - 1; i >= 0 && child >= 0; i--) {
        const double half = M_PI * (double)i / (double)count, s = sin(half);
        double R[9], t[3];
        rotation_matrix((double[4]){cos(half), s * axis[0], s * axis[1], s * axis[2]}, R);
        for (int k = 0; k < 3; k++) // c - R c: the centre stays
            t[k] = c[k] - (R[3 * k] * c[0] + R[3 * k + 1] * c[1] + R[3 * k + 2] * c[2]);
        add_copy(place, solid, node, child, R, t);
    }
    return child < 0 || place->reader->status ? -1 : node;
}

static int32_t read_mirror(const ThawPlace *place, ThawSolid *solid) {
    static const char *const keys[] = {"of", "normal", "point", NULL};
    double n[3] = {0}, point[3] = {0}, H[9], t[3];
    if (!thaw_place_is_object(place, keys, 2))
        return -1;
    read_direction(place, "normal", n);
    thaw_place_vector(place, "point", point);
    ThawPlace of = thaw_place_member(place, "of");
    const int32_t node = add_node(place, solid, THAW_SOLID_UNION);
    const int32_t child = node < 0 ? -1 : thaw_scene_read_solid(&of, solid);
    if (child < 0)
        return -1;
    for (int i = 0; i < 3; i++) { // x - 2 n n.(x - point)
        t[i] = 2 * n[i] * thaw_v3_dot(n, point);
        for (int j = 0; j < 3; j++)
            H[3 * i + j] = (i == j) - 2 * n[i] * n[j];
    }
    add_copy(place, solid, node, child, H, t);
    add_copy(place, solid, node, child, identity, nowhere);
    return place->reader->status ? -1 : node;
}

// --- nodes -----------------------------------------------------------------------------------------------------------

typedef int32_t (*ReadKind)(const ThawPlace *place, ThawSolid *solid);
enum { KINDS = 23 };
static const char *const node_keys[] = {
    "sphere",       "box",          "capsule",    "cylinder", "cone",       "torus",     "ellipsoid",
    "revolution",   "prism",        "tube",       "drawing",  "half_space", "surface",   "union",
    "smooth_union", "intersection", "difference", "shell",    "offset",     "repeat",    "circle",
    "mirror",       "twist",        "region",     "scale",    "rotate",     "translate", NULL};
static const ReadKind readers[KINDS] = {
    read_sphere,        read_box,        read_capsule,      read_cylinder,     read_cone,       read_torus,
    read_ellipsoid,     read_revolution, read_prism,        read_tube,         read_drawing,    read_half_space,
    read_whole_surface, read_union,      read_smooth_union, read_intersection, read_difference, read_shell,
    read_offset,        read_repeat,     read_circle,       read_mirror,       read_twist};

bool thaw_scene_is_solid_key(const char *key) {
    for (int i = 0; i < KINDS; i++)
        if (strcmp(key, node_keys[i]) == 0)
            return true;
    return false;
}

int32_t thaw_scene_read_solid(const ThawPlace *place, ThawSolid *solid) {
    const char *kinds[KINDS + 1] = {NULL};
    memcpy(kinds, node_keys, KINDS * sizeof *kinds);
    if (!thaw_place_is_object(place, node_keys, 0))
        return -1;
    const int which = thaw_place_which(place, kinds);
    if (which < 0)
        return -1;
    ThawPlace member = thaw_place_member(place, kinds[which]), region = thaw_place_member(place, "region");
    const int32_t node = readers[which](&member, solid);
    if (node < 0)
        return -1;
    const char *name = region.value ? thaw_place_own_text(&region) : NULL;
    if (name && (solid->nodes[node].region = thaw_solid_add_region(solid, name)) < 0)
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
    read_placement(place, solid, node);
    thaw_solid_bound(solid, node);
    return place->reader->status ? -1 : node;
}

// --- whole files -----------------------------------------------------------------------------------------------------

ThawStatus thaw_solid_parse(const char *text, size_t length, const char *name, const char *folder, int dim,
                            ThawSolid **solid, ThawError *error) {
    if (!solid)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_parse: solid is NULL; allowed: where to put it");
    *solid = NULL;
    if (!text)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_parse: text is NULL; allowed: a solid's text");
    if (dim != 2 && dim != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_parse: dim is %d; allowed: 2 and 3", dim);
    ThawSceneReader reader = {.name = name ? name : "solid", .folder = folder, .error = error};
    json_t *document = thaw_scene_parse_json(text, length, reader.name, &reader.status, error);
    if (!document)
        return reader.status;
    ThawScene *scene = NULL;
    reader.store = THAW_NEW(ThawSceneStore, 1);
    if (reader.store) {
        scene = &reader.store->scene;
        scene->world.dim = dim;
        reader.status = thaw_solid_create(dim, solid, error);
    } else {
        reader.status = thaw_error_memory(error, "a solid");
    }
    ThawPlace top = {.reader = &reader, .value = document};
    if (!reader.status)
        (*solid)->root = thaw_scene_read_solid(&top, *solid);
    if (reader.status)
        thaw_solid_free(solid);
    thaw_scene_free(&scene);
    json_decref(document);
    return reader.status;
}

static int is_surface_name(const char *path) {
    return thaw_ends_with(path, ".obj") || thaw_ends_with(path, ".ply") || thaw_ends_with(path, ".stl");
}

static ThawStatus load_drawing(const char *path, int dim, ThawSolid **solid, ThawError *error) {
    if (dim == 3)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s is a drawing, which is flat; allowed: dimension 2, or a solid of it with a height: "
                              "{\"drawing\": {\"file\": ..., \"min\": 0, \"max\": 0.01}}",
                              path);
    ThawDrawing *drawing = NULL;
    ThawStatus status = thaw_drawing_read(path, &drawing, error);
    if (!status)
        status = thaw_solid_create(dim, solid, error);
    if (!status && ((*solid)->root = thaw_solid_add_drawing(*solid, drawing, -ENDLESS, ENDLESS)) < 0)
        status = thaw_error_memory(error, "a solid");
    if (status)
        thaw_solid_free(solid);
    thaw_drawing_free(&drawing);
    return status;
}

ThawStatus thaw_solid_load(const char *path, int dim, ThawSolid **solid, ThawError *error) {
    if (!solid)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_load: solid is NULL; allowed: where to put it");
    *solid = NULL;
    if (!path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_solid_load: path is NULL; allowed: a file's name");
    ThawStatus status;
    size_t length;
    if (thaw_is_drawing(path) || (dim == 2 && is_surface_name(path)))
        return load_drawing(path, dim, solid, error);
    char *text = thaw_scene_read_text(path, &length, &status, error), *folder = NULL;
    if (!text)
        return status;
    if ((folder = thaw_strdup(path))) {
        char *slash = strrchr(folder, '/');
        folder[slash ? slash - folder + 1 : 0] = '\0';
        status = thaw_solid_parse(text, length, path, folder, dim, solid, error);
    } else {
        status = thaw_error_memory(error, "a solid's folder");
    }
    thaw_free(folder);
    thaw_free(text);
    return status;
}
