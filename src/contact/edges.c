// SPDX-License-Identifier: Apache-2.0
// Edges against edges, for coarse meshes: two bars laid across each other touch with no vertex inside the other. An edge
// of one body that goes through a face of the other is held against a sharp edge near that face if the common
// perpendicular of the two points out of both bodies: it must lie between the normals of the two faces at either edge
// (the test of separating axes, made local), and its feet inside both edges. Crossings near an end that has a contact of
// its own are left alone, and so are nearly parallel edges, whose ends do the work. Edges are looked for where they are
// at the start of the step, not on their way. Cost: a walk down the hierarchy for each sharp edge in the other's box.
#include "contact/collider.h"

enum { PIERCED_MAX = 16, CANDIDATES = 9 };

typedef struct Crossing {
    double s[2];      // place along either edge
    double normal[3]; // out of side 1
    double gap;
} Crossing;

static void end_points(const ThawContactBody *body, int32_t edge, const double *x[2]) {
    for (int i = 0; i < 2; i++)
        x[i] = body->x + 3 * (size_t)body->shape->edge[2 * (size_t)edge + i];
}

// Whether n lies between the outward normals of an edge's faces, give or take a few degrees.
static int in_normal_cone(const ThawContactBody *body, int32_t edge, const double n[3], double sign) {
    double m[2][3], middle[3];
    for (int i = 0; i < 2; i++) {
        thaw_contact_face_normal(body->shape, body->x, body->shape->edge_face[2 * (size_t)edge + i], m[i]);
        thaw_v3_unit(m[i]);
    }
    thaw_v3_add(m[0], 1, m[1], middle);
    thaw_v3_unit(middle);
    return sign * thaw_v3_dot(n, middle) >= thaw_v3_dot(m[0], middle) - 0.05;
}

static int edges_cross(const ThawContactBody *a, int32_t e, const ThawContactBody *b, int32_t f, Crossing *crossing) {
    const double *p[2], *q[2];
    double u[3], w[3], r[3], *n = crossing->normal, m[3];
    end_points(a, e, p);
    end_points(b, f, q);
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
    return height < 0 && height * height < 0.25 * fmin(uu, ww) && in_normal_cone(b, f, n, 1) &&
           in_normal_cone(a, e, n, -1);
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
    return slot && ((s < 0.25 && thaw_contact_slot_has(slot, shape->vertex[v[0]])) ||
                    (s > 0.75 && thaw_contact_slot_has(slot, shape->vertex[v[1]])));
}

static int is_fixed(const ThawContactBody *body, int32_t edge) {
    const int32_t *v = body->shape->edge + 2 * (size_t)edge;
    return !body->fixed || (body->fixed[v[0]] && body->fixed[v[1]]);
}

// Keeps a slot's contacts sorted, each key once: the last one is moved to its place.
static void sort_last(ThawContactSlot *slot) {
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

void thaw_contact_find_edges(const ThawContactScratch *scratch, const ThawContactItem *item,
                             const ThawContactSlot *near, const ThawContactSlot *far, ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    for (int32_t e = 0; e < a->shape->ne; e++) {
        const double *p[2];
        double box[6];
        if (!a->shape->sharp[e])
            continue;
        end_points(a, e, p);
        thaw_box_empty(box);
        thaw_box_add(box, p[0]);
        thaw_box_add(box, p[1]);
        if (!thaw_box_overlap(box, b->box))
            continue;
        int32_t faces[PIERCED_MAX], pierced = thaw_contact_pierced(b, p[0], p[1], faces, PIERCED_MAX);
        for (int32_t i = 0; i < pierced; i++) {
            int32_t edges[CANDIDATES], best = -1;
            int count = edges_near(b->shape, faces[i], edges);
            Crossing crossing, least = {.gap = -INFINITY};
            for (int k = 0; k < count; k++)
                if (b->shape->sharp[edges[k]] && !(is_fixed(a, e) && is_fixed(b, edges[k])) &&
                    edges_cross(a, e, b, edges[k], &crossing) && !is_covered(near, a->shape, e, crossing.s[0]) &&
                    !is_covered(far, b->shape, edges[k], crossing.s[1]) &&
                    (crossing.gap > least.gap || (crossing.gap == least.gap && edges[k] < best))) {
                    least = crossing;
                    best = edges[k];
                }
            if (best < 0)
                continue;
            const int32_t *v = a->shape->edge + 2 * (size_t)e, *w = b->shape->edge + 2 * (size_t)best;
            ThawContactSide side[2] = {{a, 2, {v[0], v[1]}, {1 - least.s[0], least.s[0]}},
                                       {b, 2, {w[0], w[1]}, {1 - least.s[1], least.s[1]}}};
            ThawContactKey key = {
                {item->a, item->b},
                THAW_CONTACT_EDGE_EDGE,
                {a->shape->vertex[v[0]], a->shape->vertex[v[1]], b->shape->vertex[w[0]], b->shape->vertex[w[1]]}};
            double point[3] = {0, 0, 0};
            for (int k = 0; k < 2; k++)
                thaw_v3_add(point, side[1].weight[k], b->x + 3 * (size_t)w[k], point);
            int32_t before = slot->count;
            thaw_contact_add(scratch, item, &key, side, point, least.normal, least.gap, NULL, slot);
            if (slot->count > before)
                sort_last(slot);
        }
    }
}
