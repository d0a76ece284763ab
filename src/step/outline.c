// SPDX-License-Identifier: Apache-2.0
// Surfaces of obstacles as triangles, for pictures and viewers only: contact uses the exact shapes.
//
// Round ones are surfaces of revolution about z: a profile of (radius, height) turned in ROUND steps. A half-space
// becomes a slab under its boundary. In 2D solids are filled, but for polygons, which may be concave: they get a thin
// rim inside.
#include <math.h>
#include <string.h>

#include "contact/geometry.h"
#include "step/step.h"

enum { ROUND = 48, ARC = 16 }; // most facets round an axis, and from equator to pole

// As many as are used. Obstacles by the thousand are each small in a picture, and would fill gigabytes.
typedef struct Facets {
    int round, arc;
} Facets;

static Facets choose_facets(int32_t obstacles) {
    const double share = obstacles > 100 ? sqrt(100.0 / obstacles) : 1;
    const int round = (int)(ROUND * share), arc = (int)(ARC * share);
    return (Facets){round < 8 ? 8 : round, arc < 3 ? 3 : arc};
}

static ThawStatus reserve(ThawObstacleSurface *s, int32_t vertices, int32_t triangles) {
    s->vertex_count = vertices;
    s->triangle_count = triangles;
    s->x = THAW_NEW(double, 3 * (size_t)vertices);
    s->triangles = THAW_NEW(int32_t, 3 * (size_t)triangles);
    return s->x && s->triangles ? THAW_OK : THAW_ERROR_MEMORY;
}

static void put_triangle(ThawObstacleSurface *s, int32_t *at, int32_t a, int32_t b, int32_t c) {
    int32_t *t = s->triangles + 3 * (size_t)(*at)++;
    t[0] = a, t[1] = b, t[2] = c;
}

static ThawStatus outline_box(const double lo[3], const double hi[3], ThawObstacleSurface *s) {
    static const int32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (reserve(s, 8, 12) != THAW_OK)
        return THAW_ERROR_MEMORY;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            s->x[3 * i + k] = i >> k & 1 ? hi[k] : lo[k];
    int32_t at = 0;
    for (int q = 0; q < 6; q++) {
        put_triangle(s, &at, quads[q][0], quads[q][1], quads[q][2]);
        put_triangle(s, &at, quads[q][0], quads[q][2], quads[q][3]);
    }
    return THAW_OK;
}

// profile: (radius, height) from the lower end of the axis to the upper one; both ends have radius 0.
static ThawStatus outline_turned(const double (*profile)[2], int count, Facets facets, ThawObstacleSurface *s) {
    const int round = facets.round;
    const int rings = count - 2;
    if (reserve(s, round * rings + 2, 2 * round * rings) != THAW_OK)
        return THAW_ERROR_MEMORY;
    const int32_t low = round * rings, high = low + 1;
    s->x[3 * low + 2] = profile[0][1];
    s->x[3 * high + 2] = profile[count - 1][1];
    int32_t at = 0;
    for (int i = 0; i < rings; i++)
        for (int j = 0; j < round; j++) {
            int32_t here = round * i + j, next = round * i + (j + 1) % round;
            double *x = s->x + 3 * (size_t)here, angle = 2 * M_PI * j / round;
            x[0] = profile[i + 1][0] * cos(angle);
            x[1] = profile[i + 1][0] * sin(angle);
            x[2] = profile[i + 1][1];
            put_triangle(s, &at, here, i ? here - round : low, i ? next - round : next);
            if (i)
                put_triangle(s, &at, here, next - round, next);
            if (i == rings - 1)
                put_triangle(s, &at, here, next, high);
        }
    return THAW_OK;
}

// A ball of radius r whose halves are `length` apart.
static ThawStatus outline_capsule(double r, double length, Facets facets, ThawObstacleSurface *s) {
    const int arc = facets.arc;
    double profile[2 * ARC + 2][2];
    for (int i = 0; i <= arc; i++) {
        double angle = M_PI / 2 * i / arc;
        profile[i][0] = i ? r * sin(angle) : 0;
        profile[i][1] = -length / 2 - r * cos(angle);
        profile[2 * arc + 1 - i][0] = profile[i][0];
        profile[2 * arc + 1 - i][1] = -profile[i][1];
    }
    return outline_turned(profile, 2 * arc + 2, facets, s);
}

// Filled, from corners in order; convex.
static ThawStatus outline_fan(const double (*corner)[2], int count, ThawObstacleSurface *s) {
    if (reserve(s, count, count - 2) != THAW_OK)
        return THAW_ERROR_MEMORY;
    int32_t at = 0;
    for (int i = 0; i < count; i++) {
        s->x[3 * i] = corner[i][0];
        s->x[3 * i + 1] = corner[i][1];
        if (i >= 2)
            put_triangle(s, &at, 0, i - 1, i);
    }
    return THAW_OK;
}

// A mesh obstacle's vertices at time t, in its own frame, three doubles each.
static void mesh_positions(const ThawModelObstacle *o, int dim, double t, double *x) {
    int32_t a = 0, b = 0;
    double share = 0;
    if (o->frame_count > 0)
        thaw_obstacle_frames(o, t, &a, &b, &share);
    const size_t frame = (size_t)dim * (size_t)o->vertex_count;
    const double *from = o->frame_count > 0 ? o->frames + frame * (size_t)a : o->x;
    const double *to = o->frame_count > 0 ? o->frames + frame * (size_t)b : o->x;
    for (int32_t v = 0; v < o->vertex_count; v++)
        for (int k = 0; k < dim; k++)
            x[3 * (size_t)v + (size_t)k] = (1 - share) * from[(size_t)v * (size_t)dim + (size_t)k] +
                                           share * to[(size_t)v * (size_t)dim + (size_t)k];
}

static ThawStatus outline_mesh(const ThawModelObstacle *o, double t, ThawObstacleSurface *s) {
    if (reserve(s, o->vertex_count, o->face_count) != THAW_OK)
        return THAW_ERROR_MEMORY;
    mesh_positions(o, 3, t, s->x);
    memcpy(s->triangles, o->faces, sizeof *s->triangles * 3 * (size_t)o->face_count);
    return THAW_OK;
}

// A rim of the given width on the inner (left) side of each edge.
static ThawStatus outline_polygon(const ThawModelObstacle *o, double t, double width, ThawObstacleSurface *s) {
    double *corner = THAW_NEW(double, 3 * (size_t)o->vertex_count);
    ThawStatus status = corner ? reserve(s, 4 * o->face_count, 2 * o->face_count) : THAW_ERROR_MEMORY;
    int32_t at = 0;
    if (status == THAW_OK)
        mesh_positions(o, 2, t, corner);
    for (int32_t f = 0; status == THAW_OK && f < o->face_count; f++) {
        const double *a = corner + 3 * (size_t)o->faces[2 * f], *b = corner + 3 * (size_t)o->faces[2 * f + 1];
        double length = hypot(b[0] - a[0], b[1] - a[1]), scale = length > 0 ? width / length : 0;
        const double in[3] = {-(b[1] - a[1]) * scale, (b[0] - a[0]) * scale, 0};
        double *x = s->x + 12 * (size_t)f;
        thaw_v3_copy(a, x);
        thaw_v3_copy(b, x + 3);
        thaw_v3_add(b, 1, in, x + 6);
        thaw_v3_add(a, 1, in, x + 9);
        put_triangle(s, &at, 4 * f, 4 * f + 1, 4 * f + 2);
        put_triangle(s, &at, 4 * f, 4 * f + 2, 4 * f + 3);
    }
    thaw_free(corner);
    return status;
}

static ThawStatus outline(const ThawModelObstacle *o, int dim, double t, const double middle[3], double extent,
                          Facets facets, ThawObstacleSurface *s) {
    const double *size = o->size, half = extent / 2, thick = 0.02 * extent;
    switch (o->kind) {
    case THAW_OBSTACLE_HALF_SPACE: {
        double low[2] = {middle[0] - half, middle[1] - half}, high[2] = {middle[0] + half, middle[1] + half};
        if (dim == 2)
            return outline_fan((double[][2]){{low[0], -thick}, {high[0], -thick}, {high[0], 0}, {low[0], 0}}, 4, s);
        return outline_box((double[]){low[0], low[1], -thick}, (double[]){high[0], high[1], 0}, s);
    }
    case THAW_OBSTACLE_SPHERE: {
        double corner[ROUND][2];
        for (int j = 0; j < facets.round; j++) {
            corner[j][0] = size[0] * cos(2 * M_PI * j / facets.round);
            corner[j][1] = size[0] * sin(2 * M_PI * j / facets.round);
        }
        return dim == 2 ? outline_fan(corner, facets.round, s) : outline_capsule(size[0], 0, facets, s);
    }
    case THAW_OBSTACLE_BOX: {
        const double a = size[0] / 2, b = size[1] / 2, c = size[2] / 2;
        if (dim == 2)
            return outline_fan((double[][2]){{-a, -b}, {a, -b}, {a, b}, {-a, b}}, 4, s);
        return outline_box((double[]){-a, -b, -c}, (double[]){a, b, c}, s);
    }
    case THAW_OBSTACLE_CAPSULE:
        return outline_capsule(size[0], size[1], facets, s);
    case THAW_OBSTACLE_CYLINDER:
        return outline_turned(
            (double[][2]){{0, -size[1] / 2}, {size[0], -size[1] / 2}, {size[0], size[1] / 2}, {0, size[1] / 2}}, 4,
            facets, s);
    default:
        return dim == 2 ? outline_polygon(o, t, 0.01 * extent, s) : outline_mesh(o, t, s);
    }
}

ThawStatus thaw_world_get_obstacle_surface(const ThawWorld *world, int32_t obstacle, const double middle[3],
                                           double extent, ThawObstacleSurface *surface) {
    if (!surface)
        return THAW_ERROR_INPUT;
    *surface = (ThawObstacleSurface){0};
    if (!world || !middle || !(extent > 0) || obstacle < 0 || obstacle >= world->model->obstacle_count)
        return THAW_ERROR_INPUT;
    const ThawModelObstacle *o = &world->model->obstacles[obstacle];
    surface->kind = o->kind;
    surface->moves = o->script.key_count > 0 || o->script.drive.on || o->frame_count > 0;
    ThawPlace place;
    thaw_obstacle_place(o, world->state.time, &place);
    double arm[3], local[3], x[3];
    thaw_v3_sub(middle, place.p, arm);
    thaw_v3_turn_back(place.R, arm, local);
    ThawStatus status = outline(o, world->model->dim, world->state.time, local, extent,
                                choose_facets(world->model->obstacle_count), surface);
    for (int32_t v = 0; status == THAW_OK && v < surface->vertex_count; v++) {
        thaw_v3_turn(place.R, surface->x + 3 * (size_t)v, x);
        thaw_v3_add(x, 1, place.p, surface->x + 3 * (size_t)v);
    }
    if (status != THAW_OK)
        thaw_obstacle_surface_free(surface);
    return status;
}

void thaw_obstacle_surface_free(ThawObstacleSurface *surface) {
    if (!surface)
        return;
    thaw_free(surface->x);
    thaw_free(surface->triangles);
    *surface = (ThawObstacleSurface){0};
}
