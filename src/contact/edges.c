// SPDX-License-Identifier: Apache-2.0
// Edges against edges, for coarse meshes: two bars laid across each other touch with no vertex inside the other. An
// edge of one body that goes through a face of the other is held against a sharp edge near that face if the common
// perpendicular of the two points out of both bodies: it must lie between the normals of the two faces at either edge
// (the test of separating axes, made local), and its feet inside both edges and in the other's body. Crossings near an
// end that has a contact of its own are left alone, unless they carried something before, and so are nearly parallel
// edges, whose ends do the work. Edges that come fast (by more than two percent of their length) are also held against
// the sharp edges they will cross in this step, where and as they will cross them. Cost: a walk down the hierarchy for
// each sharp edge in the other's box, which ends where the other has none, and is spared while the edge stays away from
// those (clearance.c).
#include "contact/collider.h"

enum { PIERCED_MAX = 16, CANDIDATES = 9, NEAR_MAX = 256 };

// Of cosines between normals, and of the gap that a foot may be outside by: for pairs that are new, and for those that
// carried something in the last step.
static const double SLACK = 0.05, SLACK_KEPT = 0.2, OUTSIDE = 0.1, OUTSIDE_KEPT = 0.3;

// Of the shorter edge: how far apart a pair of the last step still has its row, which does nothing until they meet. One
// that is lost as soon as it has pushed its edges apart comes back in the step after, for ever.
static const double APART = 1e-3;

// How much faster than points of two surfaces an edge and a box of the other may come together, at most: the corners of
// boxes move along all axes at once, by sqrt(3); an edge moves and grows, by sqrt(2).
static const double CORNER = 1.75;

typedef struct Crossing {
    double s[2];      // place along either edge
    double normal[3]; // out of side 1
    double gap;
    double least; // m, length of the shorter edge
} Crossing;

// Whether n lies between the outward normals of an edge's faces, give or take a few degrees (slack: of the cosine).
static int in_normal_cone(const ThawContactBody *body, int32_t edge, const double n[3], double sign, double slack) {
    double m[2][3], middle[3];
    for (int i = 0; i < 2; i++) {
        thaw_contact_face_normal(body->shape, body->x, body->shape->edge_face[2 * (size_t)edge + i], m[i]);
        thaw_v3_unit(m[i]);
    }
    thaw_v3_add(m[0], 1, m[1], middle);
    thaw_v3_unit(middle);
    return sign * thaw_v3_dot(n, middle) >= thaw_v3_dot(m[0], middle) - slack;
}

// The common perpendicular of two edges after a share tau of the step: 0 unless its feet are inside both and it points
// out of both bodies. gap is what it is then.
static int edges_cross(const ThawContactBody *a, int32_t e, const ThawContactBody *b, int32_t f, double tau,
                       double slack, Crossing *crossing) {
    double p[2][3], q[2][3], u[3], w[3], r[3], *n = crossing->normal, m[3];
    for (int i = 0; i < 2; i++) {
        int32_t v = a->shape->edge[2 * (size_t)e + i], k = b->shape->edge[2 * (size_t)f + i];
        thaw_v3_add(a->x + 3 * (size_t)v, tau, a->d + 3 * (size_t)v, p[i]);
        thaw_v3_add(b->x + 3 * (size_t)k, tau, b->d + 3 * (size_t)k, q[i]);
    }
    thaw_v3_sub(p[1], p[0], u);
    thaw_v3_sub(q[1], q[0], w);
    thaw_v3_sub(p[0], q[0], r);
    thaw_v3_cross(u, w, n);
    double uu = thaw_v3_dot(u, u), ww = thaw_v3_dot(w, w), square = thaw_v3_dot(n, n);
    if (square < 0.01 * uu * ww) // an angle of six degrees
        return 0;
    // Feet of the common perpendicular: p0 + s u and q0 + t w.
    thaw_v3_cross(w, r, m);
    crossing->s[0] = thaw_v3_dot(m, n) / square;
    thaw_v3_cross(u, r, m);
    crossing->s[1] = thaw_v3_dot(m, n) / square;
    for (int i = 0; i < 2; i++)
        if (!(crossing->s[i] > 1e-6 && crossing->s[i] < 1 - 1e-6))
            return 0;
    thaw_v3_unit(n);
    double out[3], height = thaw_v3_dot(r, n);
    thaw_contact_face_normal(b->shape, b->x, b->shape->edge_face[2 * (size_t)f], out);
    thaw_v3_unit(out);
    thaw_contact_face_normal(b->shape, b->x, b->shape->edge_face[2 * (size_t)f + 1], m);
    thaw_v3_unit(m);
    thaw_v3_add(out, 1, m, out);
    if (thaw_v3_dot(out, n) < 0) {
        for (int k = 0; k < 3; k++)
            n[k] = -n[k];
        height = -height;
    }
    crossing->gap = height;
    crossing->least = sqrt(fmin(uu, ww));
    return in_normal_cone(b, f, n, 1, slack) && in_normal_cone(a, e, n, -1, slack);
}

// The displacement (moves = 1) or place (0) of the foot on side 0 relative to the foot on side 1, along the normal.
static double along_normal(const ThawContactBody *a, int32_t e, const ThawContactBody *b, int32_t f,
                           const Crossing *crossing, int moves) {
    double off[3] = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        int32_t v = a->shape->edge[2 * (size_t)e + i], k = b->shape->edge[2 * (size_t)f + i];
        const double *from = moves ? a->d : a->x, *to = moves ? b->d : b->x;
        thaw_v3_add(off, i ? crossing->s[0] : 1 - crossing->s[0], from + 3 * (size_t)v, off);
        thaw_v3_add(off, i ? -crossing->s[1] : crossing->s[1] - 1, to + 3 * (size_t)k, off);
    }
    return thaw_v3_dot(off, crossing->normal);
}

// Edges that are apart and meet within the step: the perpendicular as it is when they meet, and the gap it has now.
static int edges_will_cross(const ThawContactBody *a, int32_t e, const ThawContactBody *b, int32_t f,
                            Crossing *crossing) {
    double tau = 0;
    for (int i = 0; i < 2; i++) { // the second time where they meet, by the first guess
        if (!edges_cross(a, e, b, f, tau, SLACK, crossing))
            return 0;
        double closing = -along_normal(a, e, b, f, crossing, 1), gap = along_normal(a, e, b, f, crossing, 0);
        if (gap < 0 || gap > THAW_CONTACT_REACH * closing)
            return 0;
        crossing->gap = gap;
        tau = closing > 0 ? gap / closing : 0;
    }
    return 1;
}

// The edges of a face and of its neighbours; how many (some may come twice).
static int edges_near(const ThawContactShape *shape, int32_t face, int32_t edges[CANDIDATES]) {
    int count = 0;
    for (int i = 0; i < 3; i++) {
        int32_t edge = shape->face_edge[3 * (size_t)face + i];
        const int32_t *pair = shape->edge_face + 2 * (size_t)edge;
        int32_t other = pair[0] == face ? pair[1] : pair[0];
        edges[count++] = edge;
        for (int k = 0; other >= 0 && k < 3; k++)
            if (shape->face_edge[3 * (size_t)other + k] != edge)
                edges[count++] = shape->face_edge[3 * (size_t)other + k];
    }
    return count;
}

// Whether an end has a contact of its own, less than a quarter of the edge away from the place s.
static int is_covered(const ThawContactSlot *slot, const ThawContactShape *shape, int32_t edge, double s) {
    const int32_t *v = shape->edge + 2 * (size_t)edge;
    return slot && ((s < 0.25 && thaw_contact_slot_find(slot, shape->vertex[v[0]])) ||
                    (s > 0.75 && thaw_contact_slot_find(slot, shape->vertex[v[1]])));
}

static int is_fixed(const ThawContactBody *body, int32_t edge) {
    const int32_t *v = body->shape->edge + 2 * (size_t)edge;
    return !body->fixed || (body->fixed[v[0]] && body->fixed[v[1]]);
}

void thaw_contact_sort_last(ThawContactSlot *slot) {
    int32_t at = slot->count - 1;
    ThawContact last = slot->contacts[at];
    int32_t place = at;
    while (place > 0 && thaw_contact_key_compare(&slot->contacts[place - 1].key, &last.key) > 0)
        place--;
    if (place > 0 && thaw_contact_key_compare(&slot->contacts[place - 1].key, &last.key) == 0) {
        slot->count--;
        return;
    }
    memmove(slot->contacts + place + 1, slot->contacts + place, sizeof last * (size_t)(at - place));
    slot->contacts[place] = last;
}

static void add_crossing(const ThawContactScratch *scratch, const ThawContactItem *item, int32_t e, int32_t f,
                         const Crossing *crossing, ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const int32_t *v = a->shape->edge + 2 * (size_t)e, *w = b->shape->edge + 2 * (size_t)f;
    ThawContactSide side[2] = {
        {.body = a, .nodes = 2, .vertex = {v[0], v[1]}, .weight = {1 - crossing->s[0], crossing->s[0]}},
        {.body = b, .nodes = 2, .vertex = {w[0], w[1]}, .weight = {1 - crossing->s[1], crossing->s[1]}}};
    ThawContactKey key = {
        {item->a, item->b},
        THAW_CONTACT_EDGE_EDGE,
        {a->shape->vertex[v[0]], a->shape->vertex[v[1]], b->shape->vertex[w[0]], b->shape->vertex[w[1]]}};
    double point[3] = {0, 0, 0};
    for (int k = 0; k < 2; k++)
        thaw_v3_add(point, side[1].weight[k], b->x + 3 * (size_t)w[k], point);
    int32_t before = slot->count;
    thaw_contact_add(scratch, item, &key, side, point, crossing->normal, crossing->gap, NULL, slot);
    if (slot->count > before)
        thaw_contact_sort_last(slot);
}

// What a search for one pair of bodies needs everywhere.
typedef struct Search {
    const ThawContactScratch *scratch;
    const ThawContactItem *item;
    const ThawContactBody *a, *b;
    const ThawContactSlot *near, *far;
    const ThawClearance *ends; // of the vertices of a with respect to b; NULL: not known
    double travel;             // m, by which anything of a and b comes together in the step, at most
    double threshold;          // m, travel and what both odometers say: what the limits of edges are compared with
    ThawContactSlot *slot;
} Search;

static int may_cross(const Search *search, int32_t e, int32_t f) {
    return search->b->shape->sharp[f] && !(is_fixed(search->a, e) && is_fixed(search->b, f));
}

// Whether the pair carried something in the last step. Such a pair stays as long as it well can, whatever has joined
// it: one that is lost as soon as it has pushed its edges a little apart comes back in the step after, for ever.
static int is_kept(const Search *search, int32_t e, int32_t f) {
    const int32_t *v = search->a->shape->edge + 2 * (size_t)e, *w = search->b->shape->edge + 2 * (size_t)f;
    const int32_t *from = search->a->shape->vertex, *to = search->b->shape->vertex;
    ThawContactKey key = {
        {search->item->a, search->item->b}, THAW_CONTACT_EDGE_EDGE, {from[v[0]], from[v[1]], to[w[0]], to[w[1]]}};
    const ThawContactMemory *memory = thaw_contact_recall(search->scratch, &key);
    return memory && thaw_v3_norm(memory->force) > 0;
}

static int is_free(const Search *search, int32_t e, int32_t f, const Crossing *crossing) {
    return !is_covered(search->near, search->a->shape, e, crossing->s[0]) &&
           !is_covered(search->far, search->b->shape, f, crossing->s[1]);
}

// Whether the foot of a crossing on one edge is inside the other body, or no more than `outside` away from it.
static int foot_is_in(const ThawContactBody *a, int32_t e, double s, const ThawContactBody *b, double outside) {
    const int32_t *v = a->shape->edge + 2 * (size_t)e;
    double foot[3], along[3], n[3], to[3];
    ThawNearest nearest = {.face = -1, .square = INFINITY};
    thaw_v3_sub(a->x + 3 * (size_t)v[1], a->x + 3 * (size_t)v[0], along);
    thaw_v3_add(a->x + 3 * (size_t)v[0], s, along, foot);
    thaw_contact_nearest(b->shape, b->x, b->boxes, foot, NULL, NULL, &nearest);
    if (nearest.face < 0)
        return 0;
    thaw_contact_normal_at(b->shape, b->x, nearest.face, nearest.w, n);
    thaw_v3_sub(foot, nearest.point, to);
    return thaw_v3_dot(n, to) <= 0 || nearest.square <= outside * outside;
}

// Edge e goes through a face: the sharp edge near it that it has passed least.
static void find_passed(const Search *search, int32_t e, int32_t face) {
    int32_t edges[CANDIDATES], best = -1;
    int count = edges_near(search->b->shape, face, edges);
    Crossing crossing, least = {.gap = -INFINITY};
    for (int k = 0; k < count; k++) {
        if (!may_cross(search, e, edges[k]) ||
            !edges_cross(search->a, e, search->b, edges[k], 0, SLACK_KEPT, &crossing) || crossing.gap >= 0 ||
            crossing.gap <= -0.5 * crossing.least ||
            !(crossing.gap > least.gap || (crossing.gap == least.gap && edges[k] < best)))
            continue;
        const int kept = is_kept(search, e, edges[k]);
        const double outside = -(kept ? OUTSIDE_KEPT : OUTSIDE) * crossing.gap;
        if (!kept && (!edges_cross(search->a, e, search->b, edges[k], 0, SLACK, &crossing) ||
                      !is_free(search, e, edges[k], &crossing)))
            continue;
        if (foot_is_in(search->a, e, crossing.s[0], search->b, outside) &&
            foot_is_in(search->b, edges[k], crossing.s[1], search->a, outside)) {
            least = crossing;
            best = edges[k];
        }
    }
    if (best >= 0)
        add_crossing(search->scratch, search->item, e, best, &least, search->slot);
}

// Edges of b that edge e, whose way through space relative to b is in the box, will cross in this step.
static void find_coming(const Search *search, int32_t e, const double box[6]) {
    const ThawContactShape *shape = search->b->shape;
    const int32_t *v = search->a->shape->edge + 2 * (size_t)e;
    int32_t faces[NEAR_MAX], other, count = thaw_contact_faces_in(search->b, box, 1, faces, NEAR_MAX);
    Crossing crossing;
    if (count == 0 || thaw_contact_pierced(search->b, search->a->x + 3 * (size_t)v[0], search->a->x + 3 * (size_t)v[1],
                                           0, &other, 1) > 0)
        return; // it has crossed already
    for (int32_t i = 0; i < count && i < NEAR_MAX; i++)
        for (int k = 0; k < 3; k++) {
            int32_t f = shape->face_edge[3 * (size_t)faces[i] + k];
            if (shape->edge_face[2 * (size_t)f] == faces[i] && may_cross(search, e, f) &&
                edges_will_cross(search->a, e, search->b, f, &crossing) && is_free(search, e, f, &crossing))
                add_crossing(search->scratch, search->item, e, f, &crossing, search->slot);
        }
}

// How far the points of an edge are from b, by what its ends know: half of what they have around them together, less
// its length.
static double room_of_ends(const Search *search, const int32_t v[2], double half) {
    double room[2];
    for (int i = 0; i < 2; i++)
        room[i] = search->ends
                      ? thaw_contact_room(&search->ends[v[i]], search->a->x + 3 * (size_t)v[i], search->b->odometer)
                      : 0;
    return room[0] > 0 && room[1] > 0 ? (room[0] + room[1]) / 2 - half : 0;
}

// Whether an edge comes nowhere near b, or the leaves of b beside its sharp edges: by where its middle was when it was
// looked for (so far from them, and no farther, as it may have moved since), by its ends, or by looking again. *limit
// says up to which threshold that stays so. The room that is kept is the nearest leaf's, not that of any which is near
// enough for this step: for the next one, which may be shorter, another would claim too much.
static int is_clear(const Search *search, int32_t e, ThawClearance *clear, double *limit) {
    const ThawContactBody *a = search->a, *b = search->b;
    const int32_t *v = a->shape->edge + 2 * (size_t)e;
    const double *p = a->x + 3 * (size_t)v[0], *q = a->x + 3 * (size_t)v[1];
    double along[3], middle[3];
    thaw_v3_sub(q, p, along);
    thaw_v3_add(p, 0.5, along, middle);
    const double half = thaw_v3_norm(along) / 2;
    const double known = thaw_contact_room(clear, middle, b->odometer),
                 most = clear->room < 0 ? INFINITY : 2 * clear->room - known;
    double room = known - half / CORNER;
    if (room <= search->travel)
        room = room_of_ends(search, v, half);
    if (room <= search->travel && most - half / CORNER > search->travel) {
        const double found = thaw_contact_sharp_distance(b, middle) / CORNER;
        *clear = (ThawClearance){{middle[0], middle[1], middle[2]}, .room = found, .odometer = b->odometer};
        room = found - half / CORNER;
    }
    const int clears = room > search->travel;
    *limit = clears ? search->threshold + 0.999 * (room - search->travel) : -INFINITY; // rounding
    return clears;
}

// Whether the last step had a row of the pair; f < 0: of the edge with any other.
static int is_remembered(const Search *search, int32_t e, int32_t f) {
    const int32_t *v = search->a->shape->edge + 2 * (size_t)e,
                  *w = search->b->shape->edge + 2 * (size_t)(f < 0 ? 0 : f);
    const int32_t *from = search->a->shape->vertex, *to = search->b->shape->vertex;
    const ThawContactKey key = {
        {search->item->a, search->item->b}, THAW_CONTACT_EDGE_EDGE, {from[v[0]], from[v[1]], to[w[0]], to[w[1]]}};
    return f < 0 ? thaw_contact_recalls_edge(search->scratch, &key)
                 : thaw_contact_recall(search->scratch, &key) != NULL;
}

// Edges of b that edge e was held against in the last step, and is hardly apart from.
static void find_kept(const Search *search, int32_t e) {
    const ThawContactBody *a = search->a;
    const ThawContactShape *shape = search->b->shape;
    const int32_t *v = a->shape->edge + 2 * (size_t)e;
    const double *p = a->x + 3 * (size_t)v[0], *q = a->x + 3 * (size_t)v[1];
    int32_t faces[NEAR_MAX];
    double box[6], along[3];
    Crossing crossing;
    thaw_v3_sub(q, p, along);
    thaw_box_empty(box);
    thaw_box_add(box, p);
    thaw_box_add(box, q);
    for (int k = 0; k < 3; k++) {
        box[k] -= APART * thaw_v3_norm(along);
        box[3 + k] += APART * thaw_v3_norm(along);
    }
    const int32_t count = thaw_contact_faces_in(search->b, box, 0, faces, NEAR_MAX);
    for (int32_t i = 0; i < count && i < NEAR_MAX; i++)
        for (int k = 0; k < 3; k++) {
            const int32_t f = shape->face_edge[3 * (size_t)faces[i] + k];
            if (may_cross(search, e, f) && is_remembered(search, e, f) &&
                edges_cross(a, e, search->b, f, 0, SLACK_KEPT, &crossing) && crossing.gap >= 0 &&
                crossing.gap <= APART * crossing.least)
                add_crossing(search->scratch, search->item, e, f, &crossing, search->slot);
        }
}

static void find_crossings(const Search *search, int32_t e) {
    const ThawContactBody *a = search->a, *b = search->b;
    const int32_t *v = a->shape->edge + 2 * (size_t)e;
    const double *p = a->x + 3 * (size_t)v[0], *q = a->x + 3 * (size_t)v[1];
    double box[6], along[3];
    int32_t faces[PIERCED_MAX], pierced = thaw_contact_pierced(b, p, q, 1, faces, PIERCED_MAX);
    for (int32_t i = 0; i < pierced; i++)
        find_passed(search, e, faces[i]);
    if (is_remembered(search, e, -1))
        find_kept(search, e);
    thaw_v3_sub(q, p, along);
    if (pierced || search->travel < 0.02 * thaw_v3_norm(along))
        return;
    thaw_box_empty(box);
    thaw_box_add(box, p);
    thaw_box_add(box, q);
    for (int i = 0; i < 2; i++) { // where its ends go as b sees them
        double end[3];
        thaw_v3_sub(a->d + 3 * (size_t)v[i], b->mean, end);
        thaw_v3_add(i ? q : p, THAW_CONTACT_REACH, end, end);
        thaw_box_add(box, end);
    }
    for (int k = 0; k < 3; k++) {
        box[k] -= THAW_CONTACT_REACH * b->spread;
        box[3 + k] += THAW_CONTACT_REACH * b->spread;
    }
    if (thaw_box_overlap(box, b->box))
        find_coming(search, e, box);
}

void thaw_contact_find_edges(const ThawContactScratch *scratch, const ThawContactItem *item,
                             const ThawContactSlot *near, const ThawContactSlot *far, ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const ThawContactShape *shape = a->shape;
    double relative[3];
    thaw_v3_sub(a->mean, b->mean, relative);
    const double travel = THAW_CONTACT_REACH * (thaw_v3_norm(relative) + a->spread + b->spread);
    double *limit = thaw_contact_limits(slot, shape);
    ThawClearance *clear = thaw_contact_clearances(slot, shape->ne);
    if (!limit || !clear)
        return;
    const Search search = {.scratch = scratch,
                           .item = item,
                           .a = a,
                           .b = b,
                           .near = near,
                           .far = far,
                           .ends = near && near->clear_count == shape->nv ? near->clear : NULL,
                           .travel = travel,
                           .threshold = travel + a->odometer + b->odometer,
                           .slot = slot};
    for (int32_t e = 0; e < shape->ne; e++)
        if (!(limit[e] > search.threshold) && !is_clear(&search, e, &clear[e], &limit[e]))
            find_crossings(&search, e);
}
