// SPDX-License-Identifier: Apache-2.0
// Obstacles: where they are, and how far a point is from them. Simple solids have exact signed distances in their own
// frame; meshes ask their hierarchy for the closest face and take the sign from the pseudo-normal there. A moving one's
// velocity at a material point is its displacement over the step divided by the step, so that a vertex sticking to it
// arrives where the obstacle does.
#include "contact/collider.h"

// From the distances beyond each of `count` pairs of walls, the walls' normals being s_i e_i: a box's distance.
static double box_distance(const double x[3], const double half[3], int count, double n[3], int32_t *face) {
    double q[3], square = 0;
    int deepest = 0, beyond = 0;
    n[0] = n[1] = n[2] = 0;
    for (int i = 0; i < count; i++) {
        q[i] = fabs(x[i]) - half[i];
        deepest = q[i] > q[deepest] ? i : deepest;
        if (q[i] > 0) {
            n[i] = copysign(q[i], x[i]);
            square += q[i] * q[i];
            beyond++;
        }
    }
    *face = beyond < 2 ? 2 * deepest + (x[deepest] > 0) : -1;
    if (beyond < 2) {
        n[deepest] = copysign(1, x[deepest]);
        return q[deepest];
    }
    double distance = sqrt(square);
    for (int i = 0; i < count; i++)
        n[i] /= distance;
    return distance;
}

static double ball_distance(const double from_centre[3], double radius, int axis, double n[3]) {
    thaw_v3_copy(from_centre, n);
    double distance = thaw_v3_unit(n);
    if (distance == 0)
        n[axis] = 1;
    return distance - radius;
}

double thaw_obstacle_local(const ThawModelObstacle *o, int dim, const double x[3], double n[3], int32_t *face) {
    const int up = dim - 1;
    *face = -1;
    n[0] = n[1] = n[2] = 0;
    switch (o->kind) {
    case THAW_OBSTACLE_HALF_SPACE:
        n[up] = 1;
        return x[up];
    case THAW_OBSTACLE_SPHERE:
        return ball_distance(x, o->size[0], up, n);
    case THAW_OBSTACLE_BOX: {
        double half[3] = {o->size[0] / 2, o->size[1] / 2, o->size[2] / 2};
        return box_distance(x, half, dim, n, face);
    }
    case THAW_OBSTACLE_CAPSULE: {
        double half = o->size[1] / 2, arm[3] = {x[0], x[1], x[2] - fmax(-half, fmin(half, x[2]))};
        return ball_distance(arm, o->size[0], 0, n);
    }
    case THAW_OBSTACLE_CYLINDER: { // a box in the plane of radius and height
        double rho = hypot(x[0], x[1]), flat[3] = {rho, x[2], 0}, half[3] = {o->size[0], o->size[1] / 2, 0}, m[3];
        double distance = box_distance(flat, half, 2, m, face);
        n[0] = rho > 0 ? m[0] * x[0] / rho : m[0];
        n[1] = rho > 0 ? m[0] * x[1] / rho : 0;
        n[2] = m[1];
        return distance;
    }
    default:
        return INFINITY;
    }
}

void thaw_obstacle_positions(const ThawCollider *collider, int32_t obstacle, double t, const ThawPlace *place,
                             double *x) {
    const ThawModelObstacle *o = &collider->model->obstacles[obstacle];
    const ThawContactShape *shape = &collider->obstacle_shapes[obstacle];
    const int dim = collider->model->dim;
    int32_t a = 0, b = 0;
    double s = 0;
    if (o->frame_count > 0)
        thaw_obstacle_frames(o, t, &a, &b, &s);
    const size_t frame = (size_t)dim * (size_t)o->vertex_count;
    for (int32_t v = 0; v < shape->nv; v++) {
        double local[3] = {0, 0, 0}, turned[3];
        if (o->frame_count > 0) {
            size_t at = (size_t)shape->vertex[v] * (size_t)dim;
            for (int k = 0; k < dim; k++) {
                double from = o->frames[(size_t)a * frame + at + k], to = o->frames[(size_t)b * frame + at + k];
                local[k] = from + s * (to - from);
            }
        } else
            thaw_v3_copy(collider->obstacle_x[obstacle] + 3 * (size_t)v, local);
        thaw_v3_turn(place->R, local, turned);
        thaw_v3_add(turned, 1, place->p, x + 3 * (size_t)v);
    }
}

// Distance to a surface at positions x; weights of the closest point in nearest.
static double surface_distance(const ThawContactShape *shape, const double *x, const double *boxes,
                               const double point[3], double n[3], ThawNearest *nearest) {
    double to[3];
    nearest->square = INFINITY;
    nearest->face = -1;
    thaw_contact_nearest(shape, x, boxes, point, NULL, NULL, nearest);
    thaw_contact_normal_at(shape, x, nearest->face, nearest->w, n);
    thaw_v3_sub(point, nearest->point, to);
    double distance = sqrt(nearest->square), side = thaw_v3_dot(n, to) < 0 ? -1 : 1;
    int on_face = nearest->w[0] > 0 && nearest->w[1] > 0 && (shape->nodes == 2 || nearest->w[2] > 0);
    if (!on_face && distance > 0)
        for (int k = 0; k < 3; k++)
            n[k] = side * to[k] / distance;
    return side * distance;
}

// Where the point with weights w of a face is.
static void point_of_face(const ThawContactShape *shape, const double *x, const ThawNearest *nearest, double point[3]) {
    const int32_t *v = shape->face + (size_t)nearest->face * shape->nodes;
    point[0] = point[1] = point[2] = 0;
    for (int i = 0; i < shape->nodes; i++)
        thaw_v3_add(point, nearest->w[i], x + 3 * (size_t)v[i], point);
}

double thaw_obstacle_distance(const ThawCollider *collider, int32_t obstacle, double t, const double x[3],
                              double normal[3], double velocity[3]) {
    const ThawModel *model = collider->model;
    const ThawModelObstacle *o = &model->obstacles[obstacle];
    const ThawContactShape *shape = &collider->obstacle_shapes[obstacle];
    const double h = model->options.h;
    ThawPlace place[2];
    thaw_obstacle_place(o, t, &place[0]);
    thaw_obstacle_place(o, t + h, &place[1]);
    ThawNearest nearest;
    double from[3], to[3], distance;
    if (o->frame_count > 0) {
        double *now = THAW_NEW(double, 3 * (size_t)shape->nv), *boxes = THAW_NEW(double, 6 * (size_t)shape->tree_count);
        distance = NAN;
        if (now && boxes) {
            thaw_obstacle_positions(collider, obstacle, t, &place[0], now);
            thaw_contact_tree_refit(shape, now, boxes);
            distance = surface_distance(shape, now, boxes, x, normal, &nearest);
            point_of_face(shape, now, &nearest, from);
            thaw_obstacle_positions(collider, obstacle, t + h, &place[1], now);
            point_of_face(shape, now, &nearest, to);
            for (int k = 0; k < 3; k++)
                velocity[k] = (to[k] - from[k]) / h;
        }
        thaw_free(now);
        thaw_free(boxes);
        return distance;
    }
    double arm[3], local[3], n[3], point[3];
    int32_t face;
    thaw_v3_sub(x, place[0].p, arm);
    thaw_v3_turn_back(place[0].R, arm, local);
    if (o->kind == THAW_OBSTACLE_MESH)
        distance = surface_distance(shape, collider->obstacle_x[obstacle], collider->obstacle_boxes[obstacle], local, n,
                                    &nearest);
    else
        distance = thaw_obstacle_local(o, model->dim, local, n, &face);
    thaw_v3_turn(place[0].R, n, normal);
    thaw_v3_add(local, -distance, n, point);
    thaw_v3_turn(place[0].R, point, from);
    thaw_v3_turn(place[1].R, point, to);
    for (int k = 0; k < 3; k++)
        velocity[k] = (to[k] + place[1].p[k] - from[k] - place[0].p[k]) / h;
    return distance;
}
