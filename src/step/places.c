// SPDX-License-Identifier: Apache-2.0
// Questions about places from outside: rays, nearest points, what is in a box, points of elements. Surfaces are walked
// through face by face, but for bodies whose box cannot matter. Simple obstacles are convex and have exact distances:
// no ray gets into one before it has crossed the plane through the nearest point, so stepping from plane to plane ends
// at the surface.
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "math/vec3.h"
#include "model/sheet.h"
#include "step/step.h"
#include "thaw/live.h"

enum { PLANES = 200 }; // stepped through at most

// What is looked for, and the best so far: hit->distance.
typedef struct Search {
    const ThawWorld *world;
    double at[3], way[3]; // of a ray: origin and unit direction
    int is_ray;
    ThawHit *hit;
} Search;

// One face: corners with three coordinates each; an edge (2D) has two.
typedef struct Face {
    double x[3][3];
    int corners;
    double normal[3]; // unit, outward
} Face;

static void read(const double *from, int dim, double to[3]) {
    to[2] = 0;
    memcpy(to, from, sizeof *to * (size_t)dim);
}

// The normal, which points away from `inside` (NULL: any side). 0: it has no area.
static int look_out(Face *f, const double *inside) {
    double a[3], b[3] = {0, 0, 1};
    thaw_v3_sub(f->x[1], f->x[0], a);
    if (f->corners == 3)
        thaw_v3_sub(f->x[2], f->x[0], b);
    thaw_v3_cross(a, b, f->normal);
    if (thaw_v3_unit(f->normal) == 0)
        return 0;
    if (inside) {
        thaw_v3_sub(inside, f->x[0], a);
        for (int k = 0; k < 3 && thaw_v3_dot(a, f->normal) > 0; k++)
            f->normal[k] = -f->normal[k];
    }
    return 1;
}

// Barycentric weights of a point in the plane (2D: on the line) of a face.
static void weigh(const Face *f, const double p[3], double weight[3]) {
    double a[3], b[3], c[3];
    thaw_v3_sub(f->x[1], f->x[0], a);
    thaw_v3_sub(p, f->x[0], c);
    if (f->corners == 2) {
        weight[1] = thaw_v3_dot(a, c) / thaw_v3_dot(a, a);
        weight[0] = 1 - weight[1];
        weight[2] = 0;
        return;
    }
    thaw_v3_sub(f->x[2], f->x[0], b);
    const double aa = thaw_v3_dot(a, a), ab = thaw_v3_dot(a, b), bb = thaw_v3_dot(b, b), ac = thaw_v3_dot(a, c),
                 bc = thaw_v3_dot(b, c), det = aa * bb - ab * ab;
    weight[1] = (bb * ac - ab * bc) / det;
    weight[2] = (aa * bc - ab * ac) / det;
    weight[0] = 1 - weight[1] - weight[2];
}

static void place(const Face *f, const double weight[3], double p[3]) {
    memset(p, 0, 3 * sizeof *p);
    for (int i = 0; i < f->corners; i++)
        thaw_v3_add(p, weight[i], f->x[i], p);
}

// The point of a segment that is nearest to p.
static void nearest_on_edge(const Face *f, int i, int k, const double p[3], double weight[3]) {
    double a[3], c[3];
    thaw_v3_sub(f->x[k], f->x[i], a);
    thaw_v3_sub(p, f->x[i], c);
    const double s = fmin(1, fmax(0, thaw_v3_dot(a, c) / thaw_v3_dot(a, a)));
    weight[0] = weight[1] = weight[2] = 0;
    weight[i] = 1 - s;
    weight[k] = s;
}

// Whether a face is met nearer than the best so far: *distance, and where on it.
static int meets(const Search *s, const Face *f, double *distance, double weight[3]) {
    double to[3], p[3];
    if (s->is_ray) {
        const double speed = thaw_v3_dot(s->way, f->normal);
        thaw_v3_sub(f->x[0], s->at, to);
        *distance = thaw_v3_dot(to, f->normal) / speed;
        if (speed == 0 || !(*distance >= 0) || !(*distance < s->hit->distance))
            return 0;
        thaw_v3_add(s->at, *distance, s->way, p);
        weigh(f, p, weight);
        for (int i = 0; i < f->corners; i++)
            if (weight[i] < -1e-12)
                return 0;
        return 1;
    }
    weigh(f, s->at, weight);
    if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0) {
        double best = INFINITY, own[3], d[3];
        for (int i = 0; i < (f->corners == 3 ? 3 : 1); i++) {
            nearest_on_edge(f, i, (i + 1) % f->corners, s->at, own);
            place(f, own, p);
            thaw_v3_sub(s->at, p, d);
            if (thaw_v3_dot(d, d) < best) {
                best = thaw_v3_dot(d, d);
                memcpy(weight, own, sizeof own);
            }
        }
    }
    place(f, weight, p);
    thaw_v3_sub(s->at, p, to);
    *distance = thaw_v3_norm(to);
    return *distance < fabs(s->hit->distance);
}

// Notes a face as the best: of a body or an obstacle. sided: it has an inside.
static void note(Search *s, const Face *f, int32_t body, int32_t obstacle, double distance, const double weight[3],
                 int sided) {
    ThawHit *hit = s->hit;
    double arm[3];
    *hit = (ThawHit){.body = body, .obstacle = obstacle, .element = -1, .distance = distance};
    memcpy(hit->weight, weight, sizeof hit->weight);
    memcpy(hit->normal, f->normal, sizeof hit->normal);
    place(f, weight, hit->point);
    thaw_v3_sub(s->at, hit->point, arm);
    const int behind = thaw_v3_dot(arm, f->normal) < 0;
    for (int k = 0; k < 3 && behind && !sided; k++)
        hit->normal[k] = -hit->normal[k];
    if (behind && sided && !s->is_ray)
        hit->distance = -distance;
}

// m, from a point to a box, or where a ray enters it: no more than the distance of what is in it.
static double reach_box(const Search *s, const double lo[3], const double hi[3]) {
    double square = 0, in = 0, out = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (!s->is_ray) {
            const double d = fmax(0, fmax(lo[k] - s->at[k], s->at[k] - hi[k]));
            square += d * d;
            continue;
        }
        const double a = (lo[k] - s->at[k]) / s->way[k], b = (hi[k] - s->at[k]) / s->way[k];
        if (s->way[k] == 0 && (s->at[k] < lo[k] || s->at[k] > hi[k]))
            return INFINITY;
        if (s->way[k] != 0) {
            in = fmax(in, fmin(a, b));
            out = fmin(out, fmax(a, b));
        }
    }
    return !s->is_ray ? sqrt(square) : in <= out ? in : INFINITY;
}

static void find_box(const double *x, int32_t count, int dim, double lo[3], double hi[3]) {
    for (int k = 0; k < 3; k++) {
        lo[k] = k < dim ? INFINITY : 0;
        hi[k] = k < dim ? -INFINITY : 0;
    }
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < dim; k++) {
            lo[k] = fmin(lo[k], x[(size_t)i * (size_t)dim + (size_t)k]);
            hi[k] = fmax(hi[k], x[(size_t)i * (size_t)dim + (size_t)k]);
        }
}

static const double *x_of(const ThawWorld *world, int32_t body) {
    return world->state.x + (size_t)world->model->bodies[body].first_vertex * (size_t)world->model->dim;
}

// The face of an element opposite to node i; of a sheet the element itself.
static int face_of(const ThawShape *shape, const double *x, int32_t e, int i, Face *f, int32_t vertex[3]) {
    const int nodes = shape->cells->kind->nodes, dim = shape->dim, sheet = thaw_shape_is_sheet(shape);
    const int32_t *element = shape->cells->elements + (size_t)e * (size_t)nodes;
    double inside[3];
    f->corners = 0;
    for (int a = 0; a < nodes; a++)
        if (sheet || a != i) {
            vertex[f->corners] = element[a];
            read(x + (size_t)element[a] * (size_t)dim, dim, f->x[f->corners++]);
        }
    read(x + (size_t)element[i] * (size_t)dim, dim, inside);
    return look_out(f, sheet ? NULL : inside);
}

static void search_body(Search *s, int32_t body) {
    const ThawShape *shape = s->world->model->bodies[body].shape;
    const double *x = x_of(s->world, body);
    const int nodes = shape->cells->kind->nodes, sheet = thaw_shape_is_sheet(shape);
    double lo[3], hi[3], distance, weight[3];
    find_box(x, shape->nv, shape->dim, lo, hi);
    if (!(reach_box(s, lo, hi) < fabs(s->hit->distance)))
        return;
    for (int32_t e = 0; e < shape->ne; e++)
        for (int i = 0; i < (sheet ? 1 : nodes); i++) {
            Face f;
            int32_t vertex[3] = {0};
            if (!sheet && shape->across[(size_t)e * (size_t)nodes + (size_t)i] >= 0)
                continue;
            if (!face_of(shape, x, e, i, &f, vertex) || !meets(s, &f, &distance, weight))
                continue;
            note(s, &f, body, -1, distance, weight, !sheet);
            s->hit->element = shape->element_user[e];
            for (int a = 0; a < f.corners; a++)
                s->hit->vertex[a] = shape->vertex_user[vertex[a]];
        }
}

static void search_mesh(Search *s, int32_t index, const ThawPlace *pose) {
    const ThawModelObstacle *o = &s->world->model->obstacles[index];
    const int dim = s->world->model->dim;
    const size_t size = (size_t)o->vertex_count * (size_t)dim;
    int32_t a = 0, b = 0;
    double share = 0, distance, weight[3];
    if (o->frame_count > 0)
        thaw_obstacle_frames(o, s->world->state.time, &a, &b, &share);
    const double *x[2] = {o->frames ? o->frames + size * (size_t)a : o->x,
                          o->frames ? o->frames + size * (size_t)b : o->x};
    for (int32_t i = 0; i < o->face_count; i++) {
        Face f = {.corners = dim};
        for (int c = 0; c < dim; c++) {
            const size_t v = (size_t)o->faces[i * dim + c] * (size_t)dim;
            double local[3] = {0, 0, 0};
            for (int k = 0; k < dim; k++)
                local[k] = (1 - share) * x[0][v + (size_t)k] + share * x[1][v + (size_t)k];
            thaw_v3_turn(pose->R, local, f.x[c]);
            thaw_v3_add(f.x[c], 1, pose->p, f.x[c]);
        }
        if (look_out(&f, NULL) && meets(s, &f, &distance, weight)) // faces look outward: so do normals
            note(s, &f, -1, index, distance, weight, 1);
    }
}

// From plane to plane of a convex obstacle. way NULL: the distance of the point itself.
static void search_convex(Search *s, int32_t index, const ThawPlace *pose) {
    const ThawModelObstacle *o = &s->world->model->obstacles[index];
    double gone = 0, p[3], arm[3], local[3], normal[3], out[3] = {0, 0, 0}, gap = 0;
    int32_t face;
    for (int i = 0; i < PLANES; i++) {
        thaw_v3_add(s->at, gone, s->way, p);
        thaw_v3_sub(p, pose->p, arm);
        thaw_v3_turn_back(pose->R, arm, local);
        gap = thaw_obstacle_local(o, s->world->model->dim, local, normal, &face);
        thaw_v3_turn(pose->R, normal, out);
        if (!s->is_ray)
            break;
        if (gap <= 1e-12 * (1 + gone))
            break;
        const double speed = -thaw_v3_dot(out, s->way);
        if (!(speed > 0) || !((gone += gap / speed) < s->hit->distance))
            return;
    }
    if (!s->is_ray && !(fabs(gap) < fabs(s->hit->distance)))
        return;
    *s->hit = (ThawHit){.body = -1, .obstacle = index, .element = -1, .distance = s->is_ray ? gone : gap};
    memcpy(s->hit->normal, out, sizeof out);
    thaw_v3_add(p, s->is_ray ? 0 : -gap, out, s->hit->point);
}

static void search(Search *s) {
    const ThawModel *model = s->world->model;
    for (int32_t b = 0; b < model->body_count; b++)
        search_body(s, b);
    for (int32_t i = 0; i < model->obstacle_count; i++) {
        ThawPlace pose;
        thaw_obstacle_place(&model->obstacles[i], s->world->state.time, &pose);
        if (model->obstacles[i].kind == THAW_OBSTACLE_MESH)
            search_mesh(s, i, &pose);
        else
            search_convex(s, i, &pose);
    }
}

static int are_finite(const double *x, int dim) {
    for (int k = 0; k < dim; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

ThawStatus thaw_world_cast_ray(const ThawWorld *world, const double origin[3], const double direction[3],
                               double longest, ThawHit *hit) {
    if (!world || !origin || !direction || !hit || !(longest > 0) || !are_finite(origin, world->model->dim) ||
        !are_finite(direction, world->model->dim))
        return THAW_ERROR_INPUT;
    Search s = {.world = world, .is_ray = 1, .hit = hit};
    read(origin, world->model->dim, s.at);
    read(direction, world->model->dim, s.way);
    if (thaw_v3_unit(s.way) == 0)
        return THAW_ERROR_INPUT;
    *hit = (ThawHit){.body = -1, .obstacle = -1, .element = -1, .distance = longest};
    search(&s);
    return THAW_OK;
}

ThawStatus thaw_world_find_nearest(const ThawWorld *world, const double point[3], double farthest, ThawHit *hit) {
    if (!world || !point || !hit || !(farthest > 0) || !are_finite(point, world->model->dim))
        return THAW_ERROR_INPUT;
    Search s = {.world = world, .hit = hit};
    read(point, world->model->dim, s.at);
    *hit = (ThawHit){.body = -1, .obstacle = -1, .element = -1, .distance = farthest};
    search(&s);
    return THAW_OK;
}

int32_t thaw_world_overlap_box(const ThawWorld *world, const double lo[3], const double hi[3], int32_t *bodies,
                               int32_t room) {
    int32_t count = 0;
    if (!world || !lo || !hi)
        return 0;
    const int dim = world->model->dim;
    for (int32_t b = 0; b < world->model->body_count; b++) {
        const double *x = x_of(world, b);
        int found = 0;
        for (int32_t i = 0; i < world->model->bodies[b].shape->nv && !found; i++) {
            found = 1;
            for (int k = 0; k < dim; k++)
                found &= x[i * dim + k] >= lo[k] && x[i * dim + k] <= hi[k];
        }
        if (found && bodies && count < room)
            bodies[count] = b;
        count += found;
    }
    return count;
}

// --- points of elements ----------------------------------------------------------------------------------------------

// Internal vertices of an element that the mesh calls `element`, in the mesh's order; how many, 0: there is none.
static int vertices_of(const ThawWorld *world, int32_t body, int32_t element, int32_t vertices[4]) {
    if (!world || body < 0 || body >= world->model->body_count)
        return 0;
    const ThawShape *shape = world->model->bodies[body].shape;
    const int nodes = shape->cells->kind->nodes;
    if (element < 0 || element >= shape->ne)
        return 0;
    int32_t found = 0;
    while (shape->element_user[found] != element)
        found++;
    const int32_t *own = shape->cells->elements + (size_t)found * (size_t)nodes;
    for (int a = 0; a < nodes; a++)
        for (int k = 0; k < nodes; k++)
            if (shape->vertex_user[own[k]] == shape->elements_user[(size_t)element * (size_t)nodes + (size_t)a])
                vertices[a] = own[k];
    return nodes;
}

ThawStatus thaw_world_get_point(const ThawWorld *world, int32_t body, int32_t element, const double *weight,
                                double x[3], double v[3]) {
    int32_t vertices[4];
    const int nodes = weight ? vertices_of(world, body, element, vertices) : 0;
    if (nodes == 0)
        return THAW_ERROR_INPUT;
    const size_t dim = (size_t)world->model->dim;
    const size_t first = (size_t)world->model->bodies[body].first_vertex * dim;
    for (size_t k = 0; k < 3; k++) {
        double sum[2] = {0, 0};
        for (int a = 0; a < nodes && k < dim; a++) {
            sum[0] += weight[a] * world->state.x[first + (size_t)vertices[a] * dim + k];
            sum[1] += weight[a] * world->state.v[first + (size_t)vertices[a] * dim + k];
        }
        if (x)
            x[k] = sum[0];
        if (v)
            v[k] = sum[1];
    }
    return THAW_OK;
}

ThawStatus thaw_world_add_force_at(ThawWorld *world, int32_t body, int32_t element, const double *weight,
                                   const double force[3]) {
    int32_t vertices[4];
    const int nodes = weight && force ? vertices_of(world, body, element, vertices) : 0;
    if (nodes == 0 || !are_finite(weight, nodes) || !are_finite(force, world->model->dim))
        return THAW_ERROR_INPUT;
    const ThawShape *shape = world->model->bodies[body].shape;
    const size_t dim = (size_t)world->model->dim;
    double *push = world->state.push + (size_t)world->model->bodies[body].first_vertex * dim;
    double *f = THAW_NEW(double, (size_t)shape->points *dim);
    if (!f)
        return THAW_ERROR_MEMORY;
    for (int32_t i = 0; i < shape->points; i++)
        memcpy(f + (size_t)shape->vertex_user[i] * dim, push + (size_t)i * dim, sizeof *f * dim);
    for (int a = 0; a < nodes; a++)
        for (size_t k = 0; k < dim; k++)
            f[(size_t)shape->vertex_user[vertices[a]] * dim + k] += weight[a] * force[k];
    ThawStatus status = thaw_world_set_forces(world, body, f);
    thaw_free(f);
    return status;
}

ThawStatus thaw_world_view_body(const ThawWorld *world, int32_t body, ThawBodyView *view) {
    if (!world || !view || body < 0 || body >= world->model->body_count)
        return THAW_ERROR_INPUT;
    const ThawModelBody *b = &world->model->bodies[body];
    const size_t first = (size_t)b->first_vertex * (size_t)world->model->dim;
    *view = (ThawBodyView){.x = world->state.x + first,
                           .v = world->state.v + first,
                           .order = b->shape->vertex_user,
                           .count = b->shape->points,
                           .dim = world->model->dim};
    return THAW_OK;
}
