// SPDX-License-Identifier: Apache-2.0
// Vertices against solids (solids paper, section 3.3): a contact for each surface vertex inside another body or
// obstacle, with the closest point of its surface; and, so that nothing tunnels, a speculative one (gap > 0) for each
// vertex that could arrive within the step, against what its path hits first.
//
// The closest face is not always the one a vertex came through. Two cubes stacked flush touch with vertices that lie on
// each other's sides; a vertex in a thin plate may be nearer to its back. So a face is taken only if it faces the
// vertex (its normal against the normal of the vertex' own surface) and agrees with the face of the last step, as long
// as such a face is no more than an edge length farther away (the shorter one's, or the remembered face's). A vertex
// that has come out at the far side of the plate it was pressed against is still held by the near side.
//
// Cost: a walk down the hierarchy for each vertex in the other's box; nothing for bodies whose boxes do not overlap.
#include <stdlib.h>

#include "contact/collider.h"

// Faces are accepted as opposite to a vertex or as agreeing with the last one by this cosine at least.
static const double FACING = 0.1;

// --- analytic obstacles ---------------------------------------------------------------------------------------------

// First point of the segment from `from` to `to` on a convex obstacle: along a line the distance is a convex function,
// so Newton's method from outside never passes its first zero. half: how far off the obstacle a sheet is held.
// Returns 0 when the segment misses.
static int hit_convex(const ThawModelObstacle *o, int dim, double half, const double from[3], const double to[3],
                      double hit[3], double n[3], int32_t *face) {
    double path[3], s = 0;
    thaw_v3_sub(to, from, path);
    const double length = thaw_v3_norm(path);
    for (int i = 0; i < 50; i++) {
        thaw_v3_add(from, s, path, hit);
        double phi = thaw_obstacle_local(o, dim, hit, n, face) - half, slope = thaw_v3_dot(n, path);
        if (phi <= 1e-9 * length)
            return slope < 0;
        if (slope >= 0)
            return 0;
        s -= phi / slope;
        if (s > 1)
            return 0;
    }
    return 1;
}

// Inside a box: another face that suits the vertex better than the nearest.
static void choose_wall(const ThawModelObstacle *o, int dim, const double x[3], const double facing[3], double reach,
                        int32_t remembered, double n[3], double *phi, int32_t *face) {
    double best = *phi - reach; // signed distances are negative inside
    int32_t chosen = -1;
    int opposite = remembered >= 0 && remembered / 2 == *face / 2 && remembered != *face;
    if (thaw_v3_dot(n, facing) <= -FACING && !opposite)
        return;
    for (int32_t f = 0; f < 2 * dim; f++) {
        double sign = f % 2 ? 1 : -1, depth = sign * x[f / 2] - o->size[f / 2] / 2;
        if (sign * facing[f / 2] > -FACING || depth > 0 || depth < best || (remembered >= 0 && f == (remembered ^ 1)))
            continue;
        best = depth;
        chosen = f;
    }
    if (chosen < 0)
        return;
    *phi = best;
    *face = chosen;
    for (int k = 0; k < 3; k++)
        n[k] = k == chosen / 2 ? (chosen % 2 ? 1 : -1) : 0;
}

// Whether a vertex has come out at the far side of the wall that it was pressed against, by no more than `reach`: then
// that wall holds it still.
static int is_behind_wall(const ThawModelObstacle *o, int dim, const double x[3], double reach, int32_t wall,
                          double n[3], double *phi) {
    const int axis = wall / 2;
    const double sign = wall % 2 ? 1 : -1, depth = sign * x[axis] - o->size[axis] / 2;
    if (depth > -o->size[axis] || depth < -o->size[axis] - reach)
        return 0;
    for (int k = 0; k < dim; k++)
        if (k != axis && fabs(x[k]) > o->size[k] / 2)
            return 0;
    for (int k = 0; k < 3; k++)
        n[k] = k == axis ? sign : 0;
    *phi = depth;
    return 1;
}

// Where material that is at `local` of an obstacle's frame is at the start and where it goes.
static void obstacle_velocity(const ThawPlace place[2], double h, const double local[3], double point[3],
                              double velocity[3]) {
    double to[3];
    thaw_v3_turn(place[0].R, local, point);
    thaw_v3_turn(place[1].R, local, to);
    for (int k = 0; k < 3; k++) {
        point[k] += place[0].p[k];
        velocity[k] = h > 0 ? (to[k] + place[1].p[k] - point[k]) / h : 0;
    }
}

// A point of a body as an obstacle sees it, in its frame.
typedef struct Seen {
    double local[3], ahead[3]; // m, where it is and where it goes
    double phi, n[3];          // m
    int32_t face;
} Seen;

THAW_INLINE void see(const ThawModelObstacle *o, const ThawPlace place[2], int dim, double half, const double x[3],
                     const double d[3], Seen *seen) {
    double arm[3], end[3];
    thaw_v3_sub(x, place[0].p, arm);
    thaw_v3_turn_back(place[0].R, arm, seen->local);
    seen->phi = thaw_obstacle_local(o, dim, seen->local, seen->n, &seen->face) - half;
    thaw_v3_add(x, 1, d, end);
    thaw_v3_sub(end, place[1].p, arm);
    thaw_v3_turn_back(place[1].R, arm, end);
    thaw_v3_sub(end, seen->local, seen->ahead);
}

enum { TURNS = 4 }; // searches for the point of a smooth surface, whose normal depends on it

// Of a smooth surface: the point that stands for the vertex, unless that is too far away.
THAW_SELDOM void see_smooth(const ThawModelObstacle *o, const ThawPlace place[2], int dim, double share,
                            const ThawContactBody *a, int32_t v, ThawSmoothPoint *point, Seen *seen) {
    double n[3], mean[3] = {0, 0, 0};
    if (seen->phi > THAW_CONTACT_REACH * thaw_v3_norm(seen->ahead) + a->shape->length[v])
        return;
    for (int turn = 0; turn < (o->kind == THAW_OBSTACLE_HALF_SPACE ? 1 : TURNS); turn++) {
        thaw_v3_turn(place[1].R, seen->n, n);
        thaw_v3_add(mean, 1, n, mean);
        thaw_v3_unit(mean);
        thaw_smooth_deepest(a, v, mean, share, point);
        see(o, place, dim, 0, point->x, point->d, seen);
    }
}

void thaw_contact_find_on_obstacle(const ThawContactScratch *scratch, const ThawContactItem *item,
                                   ThawContactSlot *slot) {
    const ThawModel *model = scratch->collider->model;
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const ThawModelObstacle *o = &model->obstacles[-1 - item->b];
    const ThawPlace *place = scratch->places[-1 - item->b];
    const int dim = model->dim;
    const double half = a->shape->half; // of a sheet, whose normals say nothing of a side
    ThawContactCursor cursor = thaw_contact_cursor(scratch, item);
    const ThawSmoothPoint itself = {.side = {.body = a, .nodes = 1, .weight = {1}}};
    ThawSmoothPoint at = itself;
    for (int32_t v = 0; v < a->shape->nv; v++) {
        const double *x = a->x + 3 * (size_t)v;
        const double length = a->shape->length[v];
        double arm[3], end[3], hit[3], normal[3], point[3], velocity[3];
        Seen seen;
        if (a->fixed[v])
            continue;
        at.side.vertex[0] = v;
        see(o, place, dim, half, x, a->d + 3 * (size_t)v, &seen);
        if (a->shape->part) {
            at = itself;
            at.side.vertex[0] = v;
            see_smooth(o, place, dim, scratch->centre, a, v, &at, &seen);
        }
        double *const local = seen.local, *const n = seen.n, *const ahead = seen.ahead, phi = seen.phi;
        int32_t face = seen.face;
        const ThawContactMemory *memory = o->kind == THAW_OBSTACLE_BOX && half == 0
                                              ? thaw_contact_advance(scratch, &cursor, a->shape->vertex[v])
                                              : NULL;
        const int32_t remembered = memory && thaw_v3_norm(memory->force) > 0 ? memory->key.feature[1] : -1;
        const int held = phi > 0 && remembered >= 0 && is_behind_wall(o, dim, local, length, remembered, n, &phi);
        if (held)
            face = remembered;
        if (phi > THAW_CONTACT_REACH * thaw_v3_norm(ahead) + 1e-9 * length)
            continue;
        ThawContactKey key = {{item->a, item->b}, THAW_CONTACT_VERTEX_OBSTACLE, {a->shape->vertex[v], -1, 0, 0}};
        if (phi <= 1e-9 * length) {
            if (o->kind == THAW_OBSTACLE_BOX && face >= 0 && !held && half == 0) {
                double own[3], facing[3];
                thaw_contact_vertex_normal(a->shape, a->x, v, own);
                thaw_v3_turn_back(place[0].R, own, facing);
                choose_wall(o, dim, local, facing, length, memory ? memory->key.feature[1] : -1, n, &phi, &face);
            }
            thaw_v3_add(local, -phi, n, hit);
        } else {
            thaw_v3_add(local, THAW_CONTACT_REACH, ahead, end);
            if (!hit_convex(o, dim, half, local, end, hit, n, &face))
                continue;
            if (face >= 0 && half == 0 &&
                THAW_CONTACT_REACH * thaw_v3_norm(ahead) < 0.5 * length) { // see touch_surface
                double own[3], facing[3];
                thaw_contact_vertex_normal(a->shape, a->x, v, own);
                thaw_v3_turn_back(place[0].R, own, facing);
                if (thaw_v3_dot(n, facing) > -FACING)
                    continue;
            }
            thaw_v3_sub(local, hit, arm);
            phi = fmax(0, thaw_v3_dot(arm, n));
        }
        key.feature[1] = face;
        thaw_v3_turn(place[0].R, n, normal);
        obstacle_velocity(place, scratch->h, hit, point, velocity);
        ThawContactSide side[2] = {at.side, {.body = b}};
        thaw_contact_add(scratch, item, &key, side, point, normal, phi, velocity, slot);
    }
}

// --- surfaces -------------------------------------------------------------------------------------------------------

typedef struct Touch {
    ThawNearest at;
    double normal[3]; // of the surface there, outward
    double gap;
} Touch;

// Replaces the nearest face by the nearest that suits; 0 when there is none that x is behind.
static int choose_face(const ThawContactBody *b, const double x[3], const double *facing, const double *last,
                       double bound, Touch *touch) {
    ThawNearest other = {.face = -1, .square = bound * bound};
    double n[3], to[3];
    thaw_contact_nearest(b->shape, b->x, b->boxes, x, facing, last, &other);
    if (other.face < 0)
        return 0;
    thaw_contact_face_normal(b->shape, b->x, other.face, n);
    thaw_v3_unit(n);
    thaw_v3_sub(x, other.point, to);
    double gap = thaw_v3_dot(n, to);
    if (gap > 0)
        return 0;
    touch->at = other;
    touch->gap = gap;
    thaw_v3_copy(n, touch->normal);
    return 1;
}

// How far x is outside the box and the slabs of a body, at least; 0 where it may be inside.
static double distance_to_slabs(const ThawContactBody *b, const double x[3]) {
    double p[THAW_SLABS], least = sqrt(thaw_box_square(b->box, x));
    thaw_slab_project(x, p);
    for (int i = 0; i < THAW_SLABS; i++) {
        double lo = (b->slab[i][0] - p[i]) / thaw_slab_length(i), hi = (p[i] - b->slab[i][1]) / thaw_slab_length(i);
        least = lo > least ? lo : hi > least ? hi : least;
    }
    return least;
}

// Whether the normal of a vertex' own surface is clearly against n. It is where those of all faces there are, of which
// it is a mean with positive weights: these need not be known then.
static int is_against(const ThawContactBody *own, int32_t v, const double n[3]) {
    const ThawContactShape *shape = own->shape;
    double m[3];
    int all = 1;
    for (int32_t i = shape->around_start[v]; i < shape->around_start[v + 1] && all; i++) {
        thaw_contact_face_normal(shape, own->x, shape->around[i], m);
        thaw_v3_unit(m);
        all = thaw_v3_dot(n, m) < -FACING - 1e-9;
    }
    if (all)
        return 1;
    thaw_contact_vertex_normal(shape, own->x, v, m);
    return !(thaw_v3_dot(n, m) > -FACING);
}

// Whether the face that was nearest to x still is, by how far all others were then: it need not be looked for.
static int is_still_next(const ThawContactBody *b, const double x[3], const ThawClearance *clear, ThawNearest *at) {
    ThawNearest next = {.face = -1, .square = INFINITY};
    if (clear->others <= 0)
        return 0;
    thaw_contact_try_face(b->shape, b->x, clear->next - 1, x, NULL, NULL, &next);
    const double room = clear->others - (b->odometer - clear->odometer) - sqrt(next.square);
    double way[3];
    thaw_v3_sub(x, clear->x, way);
    if (room <= 0 || thaw_v3_dot(way, way) >= 0.999 * room * room)
        return 0;
    *at = next;
    return 1;
}

static int is_on_face(const ThawContactBody *b, const ThawNearest *at) {
    return at->w[0] > 0 && at->w[1] > 0 && (b->shape->nodes == 2 || at->w[2] > 0);
}

// Finds how far all other faces are, where x moves so slowly that this will serve for a while; between faces it never
// does.
static void look_beside(const ThawContactBody *b, const double x[3], const ThawClearance *before, const ThawNearest *at,
                        ThawClearance *clear) {
    static const double SLOW = 0.02; // of an edge, since the last search
    const double length = b->shape->length[b->shape->face[(size_t)at->face * b->shape->nodes]];
    double way[3];
    thaw_v3_sub(x, before->x, way);
    if (before->next > 0 && thaw_v3_norm(way) + b->odometer - before->odometer < SLOW * length && is_on_face(b, at))
        clear->others = thaw_contact_others(b, x, at->face, sqrt(at->square) + length);
}

// m, by how much the way d brings a point nearer to a surface, as far as is looked.
static double closes_by(const ThawContactBody *b, const ThawNearest *at, const double d[3], const double n[3]) {
    const int32_t *corner = b->shape->face + (size_t)at->face * b->shape->nodes;
    double relative[3];
    thaw_v3_copy(d, relative);
    for (int i = 0; i < b->shape->nodes; i++)
        thaw_v3_add(relative, -at->w[i], b->d + 3 * (size_t)corner[i], relative);
    return fmax(0, -THAW_CONTACT_REACH * thaw_v3_dot(relative, n));
}

// Where a point of vertex v of `own`, which is at x and goes by d, touches or is about to touch surface b: 0 when it
// does not. remembered: the face of the last
// step, or -1; touch->at.face: a face that may be near, or -1, if nothing better is known. fall: m, how far one side
// may fall onto the other, beyond what is expected. clear: what is known of the vertex, before and after.
static int touch_surface(const ThawContactBody *own, int32_t v, const double x[3], const double d[3],
                         const ThawContactBody *b, int32_t remembered, double fall, ThawClearance *clear,
                         Touch *touch) {
    // A vertex of a sheet is a ball of half its thickness, whose normals say nothing of a side.
    const double radius = own->shape->half > 0 ? own->shape->half : own->shape->radius;
    double relative[3], to[3], last[3], normal[3], *facing = radius > 0 ? NULL : normal;
    thaw_v3_sub(d, b->mean, relative);
    const double travel = THAW_CONTACT_REACH * (thaw_v3_norm(relative) + b->spread) + radius + fall +
                          (b->shape->part ? b->shape->margin : 0);
    if (remembered < 0 && thaw_contact_is_clear(clear, x, b->odometer, travel))
        return 0;
    const double outside = remembered < 0 ? distance_to_slabs(b, x) : 0, sight = travel + own->shape->length[v];
    const double bound = outside > 0 ? sight * sight : INFINITY;
    ThawNearest *at = &touch->at;
    const int known = is_still_next(b, x, clear, at);
    if (known && (at->square > bound || outside > travel))
        return 0;
    if (!known) {
        const ThawClearance before = *clear;
        *clear =
            (ThawClearance){.x = {x[0], x[1], x[2]}, .room = outside, .odometer = b->odometer, .next = before.next};
        if (outside > travel)
            return 0;
        if (remembered >= 0 || before.next > 0) // most stay where they were
            at->face = remembered >= 0 ? remembered : before.next - 1;
        at->square = bound;
        thaw_contact_nearest(b->shape, b->x, b->boxes, x, NULL, NULL, at);
        if (at->face < 0) {
            clear->room = sight;
            return 0;
        }
        clear->next = 1 + at->face;
        look_beside(b, x, &before, at, clear);
    }
    const double length = b->shape->length[b->shape->face[(size_t)at->face * b->shape->nodes]];
    const double distance = sqrt(at->square);
    thaw_contact_normal_at(b->shape, b->x, at->face, at->w, touch->normal);
    thaw_v3_sub(x, at->point, to);
    if (remembered >= 0) {
        thaw_contact_face_normal(b->shape, b->x, remembered, last);
        thaw_v3_unit(last);
        if (facing && !is_against(own, v, last)) // a face that never suited
            remembered = -1;
    }
    const int disagrees = remembered >= 0 && thaw_v3_dot(touch->normal, last) < FACING;
    const int is_inside = thaw_v3_dot(touch->normal, to) < 0 || distance <= 1e-9 * length;
    const int on_face = is_on_face(b, at), suits = on_face && remembered == at->face; // as found above
    touch->gap = is_inside ? -distance : distance;
    if (!known)
        clear->room = is_inside ? 0 : distance;
    if (!on_face && distance > 1e-6 * length)
        for (int k = 0; k < 3; k++)
            touch->normal[k] = to[k] / touch->gap;
    if (is_inside) {
        if (disagrees || (facing && !suits && !is_against(own, v, touch->normal))) {
            if (facing)
                thaw_contact_vertex_normal(own->shape, own->x, v, facing);
            choose_face(b, x, facing, remembered >= 0 ? last : NULL,
                        distance + (remembered >= 0 ? length : fmin(length, own->shape->length[v])), touch);
        }
        touch->gap -= radius;
        return 1;
    }
    if (facing && (remembered >= 0 || distance <= travel))
        thaw_contact_vertex_normal(own->shape, own->x, v, facing);
    if (remembered >= 0 && thaw_v3_dot(touch->normal, last) < -FACING) { // out at the far side?
        Touch through = *touch;
        if (choose_face(b, x, facing, last, distance + 2 * length, &through) &&
            through.gap < -0.9 * sqrt(through.at.square)) {
            *touch = through;
            return 1;
        }
    }
    if (radius > 0) {
        touch->gap -= radius;
        if (touch->gap <= fmax(own->shape->half > 0 ? fall : 0, closes_by(b, at, d, touch->normal)))
            return 1;
        if (!(own->shape->half > 0) || distance > travel || !thaw_contact_sweep(b, x, d, NULL, at))
            return 0;
        thaw_contact_face_normal(b->shape, b->x, at->face, touch->normal); // it goes past what is nearest
        thaw_v3_unit(touch->normal);
        thaw_v3_sub(x, at->point, to);
        touch->gap = thaw_v3_dot(touch->normal, to) - radius;
        return 1;
    }
    if (b->shape->part && distance <= travel && !disagrees && thaw_v3_dot(touch->normal, facing) < -FACING) {
        ThawContactSide side = thaw_contact_side_of_face(b, at); // between its face and the patch over that?
        double point[3], n[3], gap;
        thaw_v3_copy(at->point, point);
        thaw_smooth_meet(&side, at->face, x, point, n, &gap);
        if (gap <= closes_by(b, at, d, n))
            return 1;
    }
    // Both sides fall in what they are expected to do, but one of them may be held up: two sides with less air
    // between them than the other falls are a pair. Lost, one would fall in, be pushed out, and so hop for ever.
    if (distance <= fall && !disagrees && (remembered >= 0 || thaw_v3_dot(touch->normal, facing) < -FACING))
        return 1;
    // What moves slowly is caught by faces that face it; what moves fast may be crushed from behind, and by any.
    const double slow = 0.5 * fmin(length, own->shape->length[v]);
    if (distance > travel || !thaw_contact_sweep(b, x, d, travel <= slow ? facing : NULL, &touch->at))
        return 0;
    thaw_contact_face_normal(b->shape, b->x, at->face, touch->normal);
    thaw_v3_unit(touch->normal);
    thaw_v3_sub(x, at->point, to);
    touch->gap = fmax(0, thaw_v3_dot(touch->normal, to));
    return 1;
}

// Whether the way of a point, with some room round it, meets the box of where a body may be.
static int path_meets(const ThawContactBody *b, const double x[3], const double d[3], double room) {
    for (int k = 0; k < 3; k++) {
        double end = x[k] + THAW_CONTACT_REACH * d[k], lo = b->swept[k] - room, hi = b->swept[3 + k] + room;
        if ((x[k] < lo && end < lo) || (x[k] > hi && end > hi))
            return 0;
    }
    return 1;
}

static int ascending(const void *p, const void *q) {
    int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;
    return (a > b) - (a < b);
}

enum { SMALL = 256 }; // vertices that are sooner looked at than looked for

// Lists the vertices of a that may meet b, in ascending order: near it, or remembered. Small surfaces are taken whole,
// and so are those that many lie near.
static void list_vertices(const ThawContactScratch *scratch, ThawContactCursor cursor, const ThawContactBody *a,
                          const ThawContactBody *b, ThawContactSlot *slot) {
    double box[6], reach = THAW_CONTACT_REACH * (thaw_v3_norm(a->mean) + a->spread);
    for (int k = 0; k < 3; k++)
        box[k] = b->swept[k] - reach, box[3 + k] = b->swept[3 + k] + reach;
    slot->list_count = a->shape->nv;
    if (a->shape->nv <= SMALL || a->shape->tree_count == 0)
        return;
    const int32_t remembered = cursor.end - cursor.next;
    int32_t found = thaw_contact_vertices_in(a, box, slot->list, slot->list_capacity);
    if (found + remembered > a->shape->nv / 4) // to sort so many takes longer than to look at all
        return;
    if (found + remembered > slot->list_capacity) {
        int32_t *more = THAW_NEW(int32_t, 2 * (size_t)(found + remembered));
        slot->failed |= !more;
        if (!more)
            return;
        thaw_free(slot->list);
        slot->list = more;
        slot->list_capacity = 2 * (found + remembered);
        thaw_contact_vertices_in(a, box, slot->list, slot->list_capacity);
    }
    for (int32_t i = cursor.next; i < cursor.end; i++) {
        const int32_t *place = bsearch(&scratch->memory[i].key.feature[0], a->shape->vertex, (size_t)a->shape->nv,
                                       sizeof *a->shape->vertex, ascending);
        if (place)
            slot->list[found++] = (int32_t)(place - a->shape->vertex);
    }
    if (found)
        qsort(slot->list, (size_t)found, sizeof *slot->list, ascending);
    slot->list_count = 0;
    for (int32_t i = 0; i < found; i++)
        if (i == 0 || slot->list[i] != slot->list[i - 1])
            slot->list[slot->list_count++] = slot->list[i];
}

static int32_t listed(const ThawContactBody *a, const ThawContactSlot *slot, int32_t i) {
    return slot->list_count < a->shape->nv ? slot->list[i] : i;
}

// Of a smooth surface: the point that stands for vertex v against surface b, unless that is too far away. face: one
// that may be near, or -1.
static int look_for_point(const ThawContactBody *a, int32_t v, double share, const ThawContactBody *b, int32_t face,
                          ThawSmoothPoint *point) {
    double relative[3], mean[3] = {0, 0, 0}, n[3];
    thaw_v3_sub(a->d + 3 * (size_t)v, b->mean, relative);
    const double sight = THAW_CONTACT_REACH * (thaw_v3_norm(relative) + b->spread) + a->shape->length[v];
    if (distance_to_slabs(b, a->x + 3 * (size_t)v) > sight)
        return 0;
    for (int turn = 0; turn < TURNS; turn++) {
        ThawNearest at = {.face = face, .square = sight * sight};
        thaw_contact_nearest(b->shape, b->x, b->boxes, point->x, NULL, NULL, &at);
        if (at.face < 0)
            return turn > 0;
        face = at.face;
        if (b->shape->part) {
            ThawContactSide side = thaw_contact_side_of_face(b, &at);
            double gap;
            thaw_smooth_meet(&side, at.face, point->x, at.point, n, &gap);
        } else
            thaw_contact_normal_at(b->shape, b->x, at.face, at.w, n);
        thaw_v3_add(mean, 1, n, mean);
        thaw_v3_unit(mean);
        thaw_smooth_deepest(a, v, mean, share, point);
    }
    return 1;
}

void thaw_contact_find_on_surface(const ThawContactScratch *scratch, const ThawContactItem *item,
                                  ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    ThawContactCursor cursor = thaw_contact_cursor(scratch, item);
    ThawClearance *clear = thaw_contact_clearances(slot, a->shape->nv);
    if (!clear)
        return;
    // Neighbours in number are neighbours in space: each search starts where the last ended.
    Touch touch = {.at.face = -1};
    for (int32_t v = 0; v < a->shape->nv; v++) {
        const double *x = a->x + 3 * (size_t)v, *d = a->d + 3 * (size_t)v;
        ThawContactKey key = {{item->a, item->b}, (int32_t)item->kind, {a->shape->vertex[v], 0, 0, 0}};
        const ThawContactMemory *memory = thaw_contact_advance(scratch, &cursor, key.feature[0]);
        if ((!memory && !path_meets(b, x, d, a->shape->part ? a->shape->margin : 0)) || (a->fixed[v] && !b->fixed))
            continue;
        ThawSmoothPoint at = {.side = {.body = a, .nodes = 1, .vertex = {v}, .weight = {1}}};
        thaw_v3_copy(x, at.x);
        thaw_v3_copy(d, at.d);
        ThawClearance nothing = {.room = -1}, *known = &clear[v];
        if (a->shape->part && look_for_point(a, v, scratch->centre, b, touch.at.face, &at))
            known = &nothing; // which is of the vertex itself
        if (!touch_surface(a, v, at.x, at.d, b, memory ? memory->key.feature[1] : -1, item->b < 0 ? 0 : scratch->fall,
                           known, &touch))
            continue;
        key.feature[1] = touch.at.face;
        ThawContactSide side[2] = {at.side, thaw_contact_side_of_face(b, &touch.at)};
        if (thaw_contact_side_is_fixed(&side[0]) && thaw_contact_side_is_fixed(&side[1]))
            continue;
        if (b->shape->part) {
            thaw_smooth_meet(&side[1], touch.at.face, at.x, touch.at.point, touch.normal, &touch.gap);
            touch.gap -= a->shape->half;
        }
        thaw_contact_add(scratch, item, &key, side, touch.at.point, touch.normal, touch.gap, NULL, slot);
    }
}

void thaw_contact_find_points(const ThawContactScratch *scratch, const ThawContactItem *item,
                              const ThawContactSlot *vertices, ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const double radius = b->shape->radius;
    ThawContactCursor cursor = thaw_contact_cursor(scratch, item);
    ThawClearance *clear = thaw_contact_clearances(slot, b->shape->nv);
    if (!clear)
        return;
    Touch touch = {.at.face = -1};
    list_vertices(scratch, cursor, b, a, slot);
    for (int32_t i = 0; i < slot->list_count; i++) {
        const int32_t v = listed(b, slot, i);
        const double *x = b->x + 3 * (size_t)v, *d = b->d + 3 * (size_t)v;
        ThawContactKey key = {{item->a, item->b}, THAW_CONTACT_FACE_POINT, {b->shape->vertex[v], 0, 0, 0}};
        const ThawContactMemory *memory = thaw_contact_advance(scratch, &cursor, key.feature[0]);
        if (radius == 0 && !memory && !path_meets(a, x, d, 0))
            continue;
        double normal[3], point[3];
        if (!touch_surface(b, v, x, d, a, memory ? memory->key.feature[1] : -1, 0, &clear[v], &touch))
            continue;
        ThawContactSide side[2] = {thaw_contact_side_of_face(a, &touch.at),
                                   {.body = b, .nodes = 1, .vertex = {v}, .weight = {1}}};
        if (a->shape->part) {
            thaw_smooth_meet(&side[0], touch.at.face, x, touch.at.point, touch.normal, &touch.gap);
            touch.gap -= radius;
        }
        int nearest = 0; // the vertex of the face that the point is nearest to: has it a contact itself?
        for (int k = 1; k < side[0].nodes; k++)
            nearest = side[0].weight[k] > side[0].weight[nearest] ? k : nearest;
        if (thaw_contact_side_is_fixed(&side[0]) ||
            thaw_contact_slot_find(vertices, a->shape->vertex[side[0].vertex[nearest]]))
            continue;
        key.feature[1] = touch.at.face;
        for (int k = 0; k < 3; k++)
            normal[k] = -touch.normal[k];
        thaw_v3_add(x, radius, normal, point);
        thaw_contact_add(scratch, item, &key, side, point, normal, touch.gap, NULL, slot);
    }
}
