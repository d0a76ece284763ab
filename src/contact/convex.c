// SPDX-License-Identifier: Apache-2.0
// Faces and edges of sheets on simple obstacles: what of them comes nearest to a ball, capsule, cylinder or box
// where that is none of their corners, which have contacts of their own (vertices.c). So neither the corner of a
// box nor a small ball goes through a coarse sheet, and a sheet does not cut through what it is draped over: a
// triangle that lies across an edge is held where its own edges cross that.
//
// The distance phi to a convex obstacle is a convex function of the place. Its least value along an edge is found by
// bisection of its slope, that over a triangle by the same over lines through it; on a ball in closed form. What comes
// within the step is looked at where it will be, too: the row is that of the place and the normal where it arrives.
//
// Cost: a distance for each face and edge in the obstacle's box, a few hundred for each that is near.
#include "contact/collider.h"

static const double LEAST = 1e-3; // of an edge, that a place must be nearer than the corners, or a face than its edges
enum { HALVINGS = 16, LOOKS = 4, ARRIVALS = 8 };

// An edge or a triangle of a sheet, as the obstacle sees it after a share of the step.
typedef struct Piece {
    const ThawModelObstacle *o;
    int32_t vertex[3];
    int corners;    // 2 or 3
    double x[3][3]; // m, in the obstacle's frame
} Piece;

static double distance_at(const Piece *p, const double w[3], double x[3], double n[3]) {
    int32_t wall;
    for (int k = 0; k < 3; k++)
        x[k] = w[0] * p->x[0][k] + w[1] * p->x[1][k] + w[2] * p->x[2][k];
    return thaw_obstacle_local(p->o, 3, x, n, &wall);
}

// The place between weights a and b where phi is least.
static double least_between(const Piece *p, const double a[3], const double b[3], double w[3]) {
    double lo = 0, hi = 1, x[3], n[3], along[3];
    for (int k = 0; k < 3; k++)
        along[k] = (b[0] - a[0]) * p->x[0][k] + (b[1] - a[1]) * p->x[1][k] + (b[2] - a[2]) * p->x[2][k];
    for (int i = 0; i < HALVINGS; i++) {
        const double s = (lo + hi) / 2;
        for (int k = 0; k < 3; k++)
            w[k] = (1 - s) * a[k] + s * b[k];
        distance_at(p, w, x, n);
        *(thaw_v3_dot(n, along) > 0 ? &hi : &lo) = s;
    }
    return distance_at(p, w, x, n);
}

// Weights of the place of the piece where phi is least, and phi there.
static double least_on(const Piece *p, double w[3]) {
    double lo = 0, hi = 1, best = INFINITY, found[3], x[3], n[3];
    if (p->corners == 2)
        return least_between(p, (const double[3]){1, 0, 0}, (const double[3]){0, 1, 0}, w);
    if (p->o->kind == THAW_OBSTACLE_SPHERE) {
        thaw_triangle_closest(p->x[0], p->x[1], p->x[2], (const double[3]){0, 0, 0}, w);
        return distance_at(p, w, x, n);
    }
    // Over lines from side 0-1 to side 0-2, parallel to 1-2: their least values are convex from line to line, too.
    for (int i = 0; i < HALVINGS; i++) {
        const double s = (lo + hi) / 2, a[3] = {1 - s, s, 0}, b[3] = {1 - s, 0, s};
        const double phi = least_between(p, a, b, found);
        double out[3]; // where this place goes as s grows, along with its line
        for (int k = 0; k < 3; k++)
            out[k] = (found[1] * p->x[1][k] + found[2] * p->x[2][k]) / s - p->x[0][k];
        distance_at(p, found, x, n);
        *(thaw_v3_dot(n, out) > 0 ? &hi : &lo) = s;
        if (phi < best)
            best = phi, memcpy(w, found, sizeof found);
    }
    return best;
}

// The piece after a share of the step; 0 when it is farther from the obstacle than `bound`.
static int see(const ThawContactScratch *scratch, const ThawContactItem *item, double share, double bound, Piece *p) {
    const ThawContactBody *a = &scratch->bodies[item->a];
    const ThawPlace *place = scratch->places[-1 - item->b];
    double middle[3] = {0, 0, 0}, n[3], radius = 0;
    int32_t wall;
    p->o = &scratch->collider->model->obstacles[-1 - item->b];
    memset(p->x, 0, sizeof p->x);
    for (int i = 0; i < p->corners; i++) {
        const double *x = a->x + 3 * (size_t)p->vertex[i];
        double end[3], at[2][3], arm[3];
        thaw_v3_add(x, 1, a->d + 3 * (size_t)p->vertex[i], end);
        for (int k = 0; k < 2; k++) {
            thaw_v3_sub(k ? end : x, place[k].p, arm);
            thaw_v3_turn_back(place[k].R, arm, at[k]);
        }
        for (int k = 0; k < 3; k++) {
            p->x[i][k] = at[0][k] + share * (at[1][k] - at[0][k]);
            middle[k] += p->x[i][k] / p->corners;
        }
    }
    for (int i = 0; i < p->corners; i++) {
        double arm[3];
        thaw_v3_sub(p->x[i], middle, arm);
        radius = fmax(radius, thaw_v3_norm(arm));
    }
    return thaw_obstacle_local(p->o, 3, middle, n, &wall) - radius <= bound;
}

// The first that is found of the piece at the obstacle, as it is then: 0 when it does not come there in this step.
static int arrive(const ThawContactScratch *scratch, const ThawContactItem *item, double half, Piece *p, double w[3],
                  double *phi) {
    double before = 0, after = INFINITY;
    *phi = INFINITY;
    for (int look = 0; look <= LOOKS && !(*phi <= half); look++) {
        before = look ? after : 0;
        after = THAW_CONTACT_REACH * look / LOOKS;
        *phi = see(scratch, item, after, half, p) ? least_on(p, w) : INFINITY;
    }
    if (!(*phi <= half))
        return 0;
    for (int i = 0; i < ARRIVALS && after > 0; i++) { // the moment when it comes
        const double share = (before + after) / 2;
        double at[3];
        if (see(scratch, item, share, half, p) && least_on(p, at) <= half)
            after = share;
        else
            before = share;
    }
    if (after > 0) {
        see(scratch, item, after, half, p);
        *phi = least_on(p, w);
    }
    return 1;
}

// Whether the least is nowhere that others speak for: at a corner, or of a triangle on a side; nor as good as there.
static int is_its_own(const Piece *p, const double w[3], double phi, double length) {
    double n[3], end[3];
    int32_t wall;
    for (int i = 0; i < p->corners; i++)
        if (w[i] > 0.98 || thaw_obstacle_local(p->o, 3, p->x[i], n, &wall) < phi + LEAST * length)
            return 0;
    for (int i = 0; i < 3 && p->corners == 3; i++) {
        const double from[3] = {i == 0, i == 1, i == 2}, to[3] = {i == 2, i == 0, i == 1};
        if (w[i] < 0.02 || least_between(p, from, to, end) < phi + LEAST * length)
            return 0;
    }
    return 1;
}

static void try_piece(const ThawContactScratch *scratch, const ThawContactItem *item, int32_t feature, Piece *p,
                      ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const ThawPlace *place = scratch->places[-1 - item->b];
    const double length = a->shape->length[p->vertex[0]], half = a->shape->half;
    const ThawContactKey key = {{item->a, item->b}, THAW_CONTACT_FACE_OBSTACLE, {feature, 0, 0, 0}};
    double w[3] = {0, 0, 0}, local[3], n[3], on[3], x[3], phi, sight = half;
    for (int i = 0; i < p->corners; i++) { // how far any of it goes in the step
        double way[3];
        thaw_v3_sub(a->d + 3 * (size_t)p->vertex[i], b->mean, way);
        sight = fmax(sight, half + THAW_CONTACT_REACH * (thaw_v3_norm(way) + b->spread));
    }
    if (!see(scratch, item, 0, sight, p))
        return;
    const Piece now = *p;
    if (!arrive(scratch, item, half, p, w, &phi) || !is_its_own(p, w, phi, length))
        return;
    distance_at(p, w, x, n);
    thaw_v3_add(x, -phi, n, on);
    for (int k = 0; k < 3; k++)
        local[k] = w[0] * now.x[0][k] + w[1] * now.x[1][k] + w[2] * now.x[2][k] - on[k];
    const double gap = thaw_v3_dot(local, n) - half;
    double normal[3], point[3], to[3], velocity[3];
    thaw_v3_turn(place[0].R, n, normal);
    thaw_v3_turn(place[0].R, on, point);
    thaw_v3_turn(place[1].R, on, to);
    for (int k = 0; k < 3; k++) {
        point[k] += place[0].p[k];
        velocity[k] = scratch->h > 0 ? (to[k] + place[1].p[k] - point[k]) / scratch->h : 0;
    }
    ThawContactSide side[2] = {{.body = a, .nodes = p->corners}, {.body = b}};
    for (int i = 0; i < p->corners; i++)
        side[0].vertex[i] = p->vertex[i], side[0].weight[i] = w[i];
    if (!thaw_contact_side_is_fixed(&side[0]))
        thaw_contact_add(scratch, item, &key, side, point, normal, gap, velocity, slot);
}

// Whether the way of a piece in the step meets the box of the obstacle.
static int may_meet(const ThawContactBody *a, const ThawContactBody *b, const Piece *p) {
    double box[6];
    thaw_box_empty(box);
    for (int i = 0; i < p->corners; i++) {
        const double *x = a->x + 3 * (size_t)p->vertex[i];
        double end[3];
        thaw_v3_add(x, THAW_CONTACT_REACH, a->d + 3 * (size_t)p->vertex[i], end);
        thaw_box_add(box, x);
        thaw_box_add(box, end);
    }
    for (int k = 0; k < 3; k++)
        box[k] -= a->shape->half, box[3 + k] += a->shape->half;
    return thaw_box_overlap(box, b->swept);
}

void thaw_contact_find_on_convex(const ThawContactScratch *scratch, const ThawContactItem *item,
                                 ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const ThawContactShape *shape = a->shape;
    for (int32_t i = 0; i < shape->nf + shape->ne; i++) { // edges are numbered behind the faces
        const int corners = i < shape->nf ? 3 : 2;
        const int32_t *v = corners == 3 ? shape->face + 3 * (size_t)i : shape->edge + 2 * (size_t)(i - shape->nf);
        Piece piece = {.vertex = {v[0], v[1], corners == 3 ? v[2] : v[1]}, .corners = corners};
        if (may_meet(a, b, &piece))
            try_piece(scratch, item, i, &piece, slot);
    }
}
