// SPDX-License-Identifier: Apache-2.0
// Faces and edges of sheets on simple obstacles: what of them comes nearest to a ball, capsule, cylinder or box
// where that is none of their corners, which have contacts of their own (vertices.c). So neither the corner of a
// box nor a small ball goes through a coarse sheet, and a sheet does not cut through what it is draped over: a
// triangle that lies across an edge is held where its own edges cross that.
//
// The distance phi to a convex obstacle is a convex function of the place. Where a piece lies along an obstacle it
// hardly has a least: the place would go from one end to the other for the smallest turn, and the sheet would rock on
// it for ever. So what is looked for is the least of phi + CENTRAL |x - middle|^2 / (the edges' length), whose place
// moves by 5 lengths a radian at most. Along an edge it is found as the zero of its slope, over a triangle by the same
// over lines through it; on a ball in closed form. What comes within the step is looked at where it will be, too: the
// row is that of the place and the normal where it arrives.
//
// Cost: a distance for each face and edge in the obstacle's box, a few hundred for each that is near.
#include "contact/collider.h"

static const double CENTRAL = 0.1;
static const double CLOSE = 1e-5; // of a way along a piece, to which its least is found where slopes jump,
static const double LEVEL = 1e-7; // and where they do not, a slope that counts as none
static const double LEAST = 1e-3; // of an edge, that a place must be nearer than the corners, or a face than its edges
static const double ROUNDING = 1e-9; // of an edge
enum { TURNS = 60, LOOKS = 4, ARRIVALS = 8 };

// An edge or a triangle of a sheet, as the obstacle sees it after a share of the step.
typedef struct Piece {
    const ThawModelObstacle *o;
    int32_t vertex[3];
    int corners;      // 2 or 3
    double length;    // m, of the edges
    double central;   // 1/m, CENTRAL over that
    double x[3][3];   // m, in the obstacle's frame
    double middle[3]; // m, likewise
} Piece;

static double distance_at(const Piece *p, const double w[3], double x[3], double n[3]) {
    int32_t wall;
    for (int k = 0; k < 3; k++)
        x[k] = w[0] * p->x[0][k] + w[1] * p->x[1][k] + w[2] * p->x[2][k];
    return thaw_obstacle_local(p->o, 3, x, n, &wall);
}

// How fast what is to be least grows along a way from the place x where the normal is n.
static double slope_along(const Piece *p, const double x[3], const double n[3], const double way[3]) {
    double off[3];
    thaw_v3_sub(x, p->middle, off);
    return thaw_v3_dot(n, way) + 2 * p->central * thaw_v3_dot(off, way);
}

// Where a slope that grows from one end of [0, 1] to the other is zero: the false position of Illinois, by halves where
// that has not halved the bracket, and as long as an end's slope is not known (NAN). An end where it is not zero within
// is found at once. The place has to be as continuous as what it is found for: a row that moves by a hundredth of its
// edge for nothing keeps cloth trembling.
typedef struct Search {
    double lo, hi, below, above; // places, and slopes there
    double level;                // a slope that counts as none
    double width;                // of the bracket before the last turn
    int last;                    // which end moved
} Search;

static double next_place(Search *q) {
    const double width = q->hi - q->lo;
    const int slow = width > q->width / 2;
    q->width = width;
    if (isnan(q->above))
        return 1;
    if (isnan(q->below) || (slow && q->last != 0)) {
        q->last = 0;
        q->width = INFINITY;
        return (q->lo + q->hi) / 2;
    }
    return q->lo + (q->hi - q->lo) * q->below / (q->below - q->above);
}

// Whether it goes on, once the slope at s is known.
static int take_slope(Search *q, double s, double slope) {
    if (slope > 0) {
        q->below /= q->last > 0 ? 2 : 1;
        q->hi = s, q->above = slope, q->last = 1;
    } else {
        q->above /= q->last < 0 ? 2 : 1;
        q->lo = s, q->below = slope, q->last = -1;
        if (s == 1)
            return 0;
    }
    return q->hi - q->lo > CLOSE && fabs(slope) > q->level;
}

static Search begin_search(const Piece *p) {
    return (Search){.hi = 1, .below = NAN, .above = NAN, .level = LEVEL * p->length, .width = INFINITY};
}

// The place between weights a and b where it is least; phi there.
static double least_between(const Piece *p, const double a[3], const double b[3], double w[3]) {
    Search search = begin_search(p);
    double x[3], n[3], along[3], phi;
    for (int k = 0; k < 3; k++)
        along[k] = (b[0] - a[0]) * p->x[0][k] + (b[1] - a[1]) * p->x[1][k] + (b[2] - a[2]) * p->x[2][k];
    for (int i = 0;; i++) {
        const double s = i == 1 ? 0 : next_place(&search);
        for (int k = 0; k < 3; k++)
            w[k] = (1 - s) * a[k] + s * b[k];
        phi = distance_at(p, w, x, n);
        const double slope = slope_along(p, x, n, along);
        if (!take_slope(&search, s, slope) || (i == 1 && slope > 0) || i == TURNS)
            return phi;
    }
}

// Weights of the place of the piece where it is least, and phi there.
static double least_on(const Piece *p, double w[3]) {
    double x[3], n[3];
    if (p->corners == 2)
        return least_between(p, (const double[3]){1, 0, 0}, (const double[3]){0, 1, 0}, w);
    if (p->o->kind == THAW_OBSTACLE_SPHERE) { // |x| is as good as |x|^2 / 2 r there
        const double pull = 2 * p->central * thaw_v3_norm(p->middle), share = pull / (1 + pull);
        const double to[3] = {share * p->middle[0], share * p->middle[1], share * p->middle[2]};
        thaw_triangle_closest(p->x[0], p->x[1], p->x[2], to, w);
        return distance_at(p, w, x, n);
    }
    // Over lines from side 0-1 to side 0-2, parallel to 1-2: their least values are convex from line to line, too.
    Search search = begin_search(p);
    for (int i = 0;; i++) {
        const double s = next_place(&search), a[3] = {1 - s, s, 0}, b[3] = {1 - s, 0, s};
        const double phi = least_between(p, a, b, w);
        double out[3]; // where this place goes as s grows, along with its line
        for (int k = 0; k < 3; k++)
            out[k] = (w[1] * p->x[1][k] + w[2] * p->x[2][k]) / s - p->x[0][k];
        distance_at(p, w, x, n);
        if (!take_slope(&search, s, slope_along(p, x, n, out)) || i == TURNS)
            return phi;
    }
}

// The piece after a share of the step; 0 when it is farther from the obstacle than `bound`. phi is convex, so it is
// nowhere below its tangent plane at the middle, which is least at a corner.
static int see(const ThawContactScratch *scratch, const ThawContactItem *item, double share, double bound, Piece *p) {
    const ThawContactBody *a = &scratch->bodies[item->a];
    const ThawPlace *place = scratch->places[-1 - item->b];
    double *middle = p->middle, n[3], least = 0;
    int32_t wall;
    middle[0] = middle[1] = middle[2] = 0;
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
    const double phi = thaw_obstacle_local(p->o, 3, middle, n, &wall);
    for (int i = 0; i < p->corners; i++) {
        double arm[3];
        thaw_v3_sub(p->x[i], middle, arm);
        least = fmin(least, thaw_v3_dot(n, arm));
    }
    return phi + least <= bound + ROUNDING * p->length;
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
static int is_its_own(const Piece *piece, const double w[3], double phi, double length) {
    Piece sides = *piece, *p = &sides;
    double n[3], end[3];
    int32_t wall;
    p->central = 0;
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

// Whether the obstacle is flat under the piece: then corners hold all of it.
static int is_on_flat(const Piece *p) {
    double first[3], n[3];
    int32_t wall;
    thaw_obstacle_local(p->o, 3, p->x[0], first, &wall);
    for (int i = 1; i < p->corners; i++) {
        thaw_obstacle_local(p->o, 3, p->x[i], n, &wall);
        if (thaw_v3_dot(first, n) < 1 - 1e-6)
            return 0;
    }
    return 1;
}

// Whether the last step knew it, and it carried something.
static int has_pushed(const ThawContactScratch *scratch, const ThawContactKey *key) {
    const ThawContactMemory *memory = thaw_contact_recall(scratch, key);
    return memory && memory->depth > 0;
}

// Whether a row is needed. What is pressed has one from when it touches to when it leaves, though a corner may be
// nearer: what came or went with all its force would push the sheet off, be lost, and come again for ever. What is yet
// to come has one where no corner comes before it.
static int is_wanted(const ThawContactScratch *scratch, const ThawContactKey *key, const Piece *now, const Piece *then,
                     const double w[3], double phi, double half) {
    if (has_pushed(scratch, key))
        return 1;
    if (memcmp(now->x, then->x, sizeof now->x) == 0 && phi <= half)
        return !is_on_flat(now);
    return is_its_own(then, w, phi, now->length);
}

static void try_piece(const ThawContactScratch *scratch, const ThawContactItem *item, int32_t feature, Piece *p,
                      ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const ThawPlace *place = scratch->places[-1 - item->b];
    const double half = a->shape->half;
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
    if (!arrive(scratch, item, half, p, w, &phi) || !is_wanted(scratch, &key, &now, p, w, phi, half))
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
        Piece piece = {.vertex = {v[0], v[1], corners == 3 ? v[2] : v[1]},
                       .corners = corners,
                       .length = shape->length[v[0]],
                       .central = CENTRAL / shape->length[v[0]]};
        if (may_meet(a, b, &piece))
            try_piece(scratch, item, i, &piece, slot);
    }
}
