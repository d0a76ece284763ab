// SPDX-License-Identifier: Apache-2.0
// Contact of thin things, where one of two surfaces is a sheet: its vertices, faces and edges against those of another
// sheet, a solid or a mesh obstacle.
//
// A sheet has no inside. What touches it is on one side of it, and stays there: on the side where it is seen first, at
// half the thickness (of both, between sheets). The key of a contact says which side that is, so that what has been
// driven through the middle of a sheet is still pushed back to where it came from, in the next step and after a
// checkpoint: the third feature of a vertex and a face is 1 at the back of the face, and the first edge of a pair has
// its vertices in descending order where the edges, so directed, lie the other way round about each other.
//
// Pairs: a vertex with the face that is nearest to it, with all faces that it lies straight above (it may be between
// two layers of a fold), and with the first one that it meets on its way in this step; edges with a common
// perpendicular now or when they meet in this step. A pair has a row when the two can come together within the step,
// so that nothing is passed that the velocities at its start do not hide; what they hide is found by the search at its
// end (step/missed.c). Pairs of edges between vertices that are held by the same flat surface are left alone.
//
// Cost: a walk down the hierarchy for each vertex and each edge in the box of the other.
#include "contact/collider.h"

enum { NEAR_MAX = 512 };

static const double FACING = 0.1;  // cosine by which a closed surface must look at what touches it
static const double MARGIN = 0.05; // of a face, so that nothing slips between two that move differently
static const double FLAT = 0.9;    // cosine between normals of what is one flat surface

// Two surfaces, at least one of them a sheet.
typedef struct Thin {
    const ThawContactScratch *scratch;
    const ThawContactItem *item;
    const ThawContactBody *a, *b; // vertices or edges of a against faces or edges of b
    double thickness;             // m, that keeps their middles apart
    double fall;                  // m, how far one of them may fall onto the other, beyond what is expected
    ThawContactSlot *slot;
} Thin;

// --- a vertex against faces -----------------------------------------------------------------------------------------

// What the last step knows of a vertex with the other body.
typedef struct Known {
    const ThawContactMemory *first;
    int32_t count;
} Known;

typedef struct Meeting {
    int32_t face;
    double w[3], point[3]; // on the face
    double normal[3];      // towards the vertex
    double distance;       // m, between the middles along it; negative: driven through
    int back;              // the vertex is at the back of the face
} Meeting;

// 1: at the back, 0: in front, -1: not known.
static int known_side(const Known *known, int place, int32_t face) {
    for (int32_t i = 0; i < known->count; i++)
        if (known->first[i].key.feature[place] == face)
            return known->first[i].key.feature[2] == 1;
    return -1;
}

// Whether the point with these weights is on the rim of the sheet: beyond it there is nothing to be behind of.
static int is_on_rim(const ThawContactShape *shape, int32_t face, const double w[3]) {
    for (int i = 0; i < 3; i++)
        if (!(w[i] > 0) && shape->edge_face[2 * (size_t)shape->face_edge[3 * (size_t)face + i]] < 0)
            return 1;
    return 0;
}

// How a vertex at x meets the point with weights w of a face. straight: that point is straight below the vertex.
static void meet_face(const ThawContactBody *b, const double x[3], int side, int straight, Meeting *m) {
    const int32_t *v = b->shape->face + 3 * (size_t)m->face;
    double to[3], n[3];
    thaw_contact_face_normal(b->shape, b->x, m->face, n);
    thaw_v3_unit(n);
    m->point[0] = m->point[1] = m->point[2] = 0;
    for (int i = 0; i < 3; i++)
        thaw_v3_add(m->point, m->w[i], b->x + 3 * (size_t)v[i], m->point);
    thaw_v3_sub(x, m->point, to);
    const double height = thaw_v3_dot(n, to), apart = thaw_v3_norm(to), length = b->shape->length[v[0]];
    m->back = side < 0 ? height < 0 : side;
    for (int k = 0; k < 3; k++)
        m->normal[k] = m->back ? -n[k] : n[k];
    m->distance = m->back ? -height : height;
    if (straight || apart <= 1e-6 * length || (m->distance < 0 && !is_on_rim(b->shape, m->face, m->w)))
        return;
    m->distance = apart;
    for (int k = 0; k < 3; k++)
        m->normal[k] = to[k] / apart;
}

// How fast the vertex and the point of the face come together, m in the step.
static double closing_of(const Thin *t, int32_t v, const Meeting *m) {
    const int32_t *corner = t->b->shape->face + 3 * (size_t)m->face;
    double relative[3];
    thaw_v3_copy(t->a->d + 3 * (size_t)v, relative);
    for (int i = 0; i < 3; i++)
        thaw_v3_add(relative, -m->w[i], t->b->d + 3 * (size_t)corner[i], relative);
    return -thaw_v3_dot(relative, m->normal);
}

// Whether the closed surface of a vertex looks at the face: a sheet is never inside of it.
static int looks_at(const Thin *t, int32_t v, const Meeting *m) {
    double own[3];
    if (t->a->shape->half > 0 || t->a->shape->nf == 0)
        return 1;
    thaw_contact_vertex_normal(t->a->shape, t->a->x, v, own);
    return thaw_v3_dot(own, m->normal) < -FACING;
}

static void add_vertex(const Thin *t, int32_t v, const Meeting *m) {
    const int turned = t->a->id < 0; // a point of an obstacle is side 1
    ThawNearest at = {.face = m->face};
    memcpy(at.w, m->w, sizeof at.w);
    const ThawContactSide vertex = {.body = t->a, .nodes = 1, .vertex = {v}, .weight = {1}},
                          face = thaw_contact_side_of_face(t->b, &at);
    const ThawContactSide side[2] = {turned ? face : vertex, turned ? vertex : face};
    const ThawContactKey key = {
        {t->item->a, t->item->b}, (int32_t)t->item->kind, {t->a->shape->vertex[v], m->face, m->back, 0}};
    double normal[3];
    for (int k = 0; k < 3; k++)
        normal[k] = turned ? -m->normal[k] : m->normal[k];
    if ((turned || thaw_contact_side_is_fixed(&vertex)) && thaw_contact_side_is_fixed(&face))
        return;
    const int32_t before = t->slot->count;
    thaw_contact_add(t->scratch, t->item, &key, side, turned ? t->a->x + 3 * (size_t)v : m->point, normal,
                     m->distance - t->thickness, NULL, t->slot);
    if (t->slot->count > before)
        thaw_contact_sort_last(t->slot);
}

// Takes a meeting of which a row is needed in this step; whether it is.
static int take_meeting(const Thin *t, int32_t v, const Meeting *m) {
    const double gap = m->distance - t->thickness;
    if (gap > 0 && gap > t->fall && gap > THAW_CONTACT_REACH * closing_of(t, v, m))
        return 0;
    if (!looks_at(t, v, m))
        return 0;
    add_vertex(t, v, m);
    return 1;
}

// Where a vertex comes to the face within the step, as both move: *when, as a share of it. 0: it does not.
static int sweep_face(const Thin *t, int32_t v, int side, Meeting *m, double *when) {
    const double *x = t->a->x + 3 * (size_t)v;
    m->w[0] = m->w[1] = m->w[2] = 1.0 / 3;
    for (int pass = 0; pass < 2; pass++) { // by the mean motion of the face, then by that of the point
        const int32_t *c = t->b->shape->face + 3 * (size_t)m->face;
        double place[3], relative[3], n[3];
        meet_face(t->b, x, side, 1, m);
        const double closing = closing_of(t, v, m), gap = m->distance - t->thickness;
        if (!(closing > 0) || gap > THAW_CONTACT_REACH * closing)
            return 0;
        *when = gap > 0 ? gap / closing : 0;
        thaw_v3_copy(t->a->d + 3 * (size_t)v, relative);
        for (int i = 0; i < 3; i++)
            thaw_v3_add(relative, -m->w[i], t->b->d + 3 * (size_t)c[i], relative);
        thaw_v3_add(x, *when, relative, place);
        thaw_contact_face_normal(t->b->shape, t->b->x, m->face, n);
        const double square = thaw_v3_dot(n, n);
        double sum = 0;
        for (int i = 0; i < 3; i++) { // areas of the triangles of that place and a side
            double p[3], q[3], area[3];
            thaw_v3_sub(t->b->x + 3 * (size_t)c[(i + 1) % 3], place, p);
            thaw_v3_sub(t->b->x + 3 * (size_t)c[(i + 2) % 3], place, q);
            thaw_v3_cross(p, q, area);
            m->w[i] = thaw_v3_dot(area, n) / square;
            if (!(m->w[i] > -MARGIN))
                return 0;
            m->w[i] = fmax(0, m->w[i]);
            sum += m->w[i];
        }
        for (int i = 0; i < 3; i++)
            m->w[i] /= sum;
    }
    meet_face(t->b, x, side, 1, m);
    return 1;
}

static void find_vertex(const Thin *t, int32_t v, const Known *known, int place) {
    const ThawContactBody *b = t->b;
    const double *x = t->a->x + 3 * (size_t)v, *d = t->a->d + 3 * (size_t)v;
    double box[6], end[3], way[3];
    thaw_v3_sub(d, b->mean, way);
    thaw_v3_add(x, THAW_CONTACT_REACH, way, end);
    thaw_box_empty(box);
    thaw_box_add(box, x);
    thaw_box_add(box, end);
    for (int k = 0; k < 3; k++) {
        const double room = t->thickness + t->fall + THAW_CONTACT_REACH * b->spread;
        box[k] -= room, box[3 + k] += room;
    }
    if (!thaw_box_overlap(box, b->box))
        return;
    int32_t faces[NEAR_MAX], count = thaw_contact_faces_in(b, box, 0, faces, NEAR_MAX), nearest = -1;
    double least = INFINITY;
    ThawNearest at[NEAR_MAX];
    count = count < NEAR_MAX ? count : NEAR_MAX;
    for (int32_t i = 0; i < count; i++) {
        at[i] = (ThawNearest){.face = -1, .square = INFINITY};
        thaw_contact_try_face(b->shape, b->x, faces[i], x, NULL, NULL, &at[i]);
        if (at[i].square < least || (at[i].square == least && faces[i] < faces[nearest]))
            least = at[i].square, nearest = i;
    }
    Meeting first = {.face = -1};
    double soonest = INFINITY;
    int taken = 0;
    for (int32_t i = 0; i < count; i++) {
        const int side = known_side(known, place, faces[i]);
        const int straight = at[i].w[0] > 0 && at[i].w[1] > 0 && at[i].w[2] > 0;
        Meeting m = {.face = faces[i], .w = {at[i].w[0], at[i].w[1], at[i].w[2]}};
        meet_face(b, x, side, straight, &m);
        if ((straight || i == nearest) && take_meeting(t, v, &m)) {
            taken = 1;
            continue;
        }
        double when;
        if (sweep_face(t, v, side, &m, &when) && (when < soonest || (when == soonest && m.face < first.face)))
            soonest = when, first = m;
    }
    if (!taken && first.face >= 0)
        take_meeting(t, v, &first);
}

static Thin thin_of(const ThawContactScratch *scratch, const ThawContactItem *item, const ThawContactBody *a,
                    const ThawContactBody *b, ThawContactSlot *slot) {
    return (Thin){.scratch = scratch,
                  .item = item,
                  .a = a,
                  .b = b,
                  .thickness = a->shape->half + b->shape->half,
                  .fall = item->b < 0 ? 0 : scratch->fall,
                  .slot = slot};
}

void thaw_contact_find_on_sheet(const ThawContactScratch *scratch, const ThawContactItem *item, ThawContactSlot *slot) {
    const int turned = item->kind == THAW_CONTACT_FACE_POINT; // vertices are the obstacle's
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const Thin t = thin_of(scratch, item, turned ? b : a, turned ? a : b, slot);
    for (int32_t v = 0; v < t.a->shape->nv; v++) {
        Known known;
        known.first = thaw_contact_known(scratch, item, t.a->shape->vertex[v], &known.count);
        find_vertex(&t, v, &known, 1);
    }
}

// --- edges against edges --------------------------------------------------------------------------------------------

typedef struct Crossing {
    double s[2];      // place along either edge
    double normal[3]; // towards the edge of a
    double distance;  // m, between the edges along it; negative: driven through
    int turned;       // which way round they lie about each other
} Crossing;

static const double *end_of(const ThawContactBody *body, const double *of, int32_t e, int i) {
    return of + 3 * (size_t)body->shape->edge[2 * (size_t)e + i];
}

// The common perpendicular after a share `when` of the step, as the edges lie about each other (turned: -1: as they do
// then). 0: none has its feet inside of both.
static int cross(const Thin *t, int32_t e, int32_t f, double when, int turned, Crossing *c) {
    double p[2][3], q[2][3], u[3], w[3], r[3], n[3], m[3];
    for (int i = 0; i < 2; i++) {
        thaw_v3_add(end_of(t->a, t->a->x, e, i), when, end_of(t->a, t->a->d, e, i), p[i]);
        thaw_v3_add(end_of(t->b, t->b->x, f, i), when, end_of(t->b, t->b->d, f, i), q[i]);
    }
    thaw_v3_sub(p[1], p[0], u);
    thaw_v3_sub(q[1], q[0], w);
    thaw_v3_sub(p[0], q[0], r);
    thaw_v3_cross(u, w, n);
    const double square = thaw_v3_dot(n, n);
    if (!(square > 1e-4 * thaw_v3_dot(u, u) * thaw_v3_dot(w, w))) // half a degree: their ends do the work
        return 0;
    thaw_v3_cross(w, r, m);
    c->s[0] = thaw_v3_dot(m, n) / square;
    thaw_v3_cross(u, r, m);
    c->s[1] = thaw_v3_dot(m, n) / square;
    for (int i = 0; i < 2; i++)
        if (!(c->s[i] > 1e-6 && c->s[i] < 1 - 1e-6))
            return 0;
    thaw_v3_unit(n);
    const double height = thaw_v3_dot(r, n);
    c->turned = turned < 0 ? height < 0 : turned;
    for (int k = 0; k < 3; k++)
        c->normal[k] = c->turned ? -n[k] : n[k];
    c->distance = c->turned ? -height : height;
    return 1;
}

// The motion (moves) or place of the foot on a relative to the one on b, along the normal.
static double along_normal(const Thin *t, int32_t e, int32_t f, const Crossing *c, int moves) {
    double off[3] = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        thaw_v3_add(off, i ? c->s[0] : 1 - c->s[0], end_of(t->a, moves ? t->a->d : t->a->x, e, i), off);
        thaw_v3_add(off, i ? -c->s[1] : c->s[1] - 1, end_of(t->b, moves ? t->b->d : t->b->x, f, i), off);
    }
    return thaw_v3_dot(off, c->normal);
}

// Whether the edge of a closed surface looks along n, which is out of it (sign 1) or into it.
static int edge_looks(const ThawContactBody *body, int32_t edge, const double n[3], double sign) {
    double out[3] = {0, 0, 0}, m[3];
    if (body->shape->half > 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        const int32_t face = body->shape->edge_face[2 * (size_t)edge + i];
        if (face < 0)
            return 0;
        thaw_contact_face_normal(body->shape, body->x, face, m);
        thaw_v3_unit(m);
        thaw_v3_add(out, 1, m, out);
    }
    thaw_v3_unit(out);
    return sign * thaw_v3_dot(out, n) > FACING;
}

static ThawContactKey key_of(const Thin *t, int32_t e, int32_t f, int turned) {
    const int32_t *p = t->a->shape->edge + 2 * (size_t)e, *q = t->b->shape->edge + 2 * (size_t)f;
    const int32_t *va = t->a->shape->vertex, *vb = t->b->shape->vertex;
    return (ThawContactKey){
        {t->item->a, t->item->b}, THAW_CONTACT_EDGE_EDGE, {va[p[turned]], va[p[!turned]], vb[q[0]], vb[q[1]]}};
}

// Which way round they lay in the last step; -1: not known.
static int known_turn(const Thin *t, int32_t e, int32_t f) {
    for (int turned = 0; turned < 2; turned++) {
        const ThawContactKey key = key_of(t, e, f, turned);
        if (thaw_contact_is_known(t->scratch, &key))
            return turned;
    }
    return -1;
}

// Whether both ends of an edge are held by contacts along that normal: then so is all of it.
static int is_held(const ThawContactSlot *slot, const ThawContactShape *shape, int32_t edge, const double n[3],
                   double sign) {
    for (int i = 0; i < 2; i++) {
        const ThawContact *c =
            slot ? thaw_contact_slot_find(slot, shape->vertex[shape->edge[2 * (size_t)edge + i]]) : NULL;
        if (!c || sign * thaw_v3_dot(c->frame[0], n) < FLAT)
            return 0;
    }
    return 1;
}

static void try_edges(const Thin *t, const ThawContactSlot *near, const ThawContactSlot *far, int32_t e, int32_t f) {
    const int known = known_turn(t, e, f);
    Crossing c;
    int meets = cross(t, e, f, 0, known, &c);
    double gap = meets ? c.distance - t->thickness : 0;
    if (meets && gap > 0 && gap > t->fall && gap > THAW_CONTACT_REACH * along_normal(t, e, f, &c, 1) * -1)
        meets = 0;
    if (!meets) { // where they will be when they meet
        double when = 0.5;
        for (int pass = 0; pass < 3; pass++) {
            if (!cross(t, e, f, when, known, &c))
                return;
            const double closing = -along_normal(t, e, f, &c, 1);
            c.distance = along_normal(t, e, f, &c, 0);
            gap = c.distance - t->thickness;
            // Before the step they lie as they do then, or they have passed each other by then.
            if (known < 0 && c.distance < 0) {
                c.turned = !c.turned;
                for (int k = 0; k < 3; k++)
                    c.normal[k] = -c.normal[k];
                c.distance = -c.distance;
                gap = c.distance - t->thickness;
                if (gap > -THAW_CONTACT_REACH * along_normal(t, e, f, &c, 1))
                    return;
                when = gap > 0 ? gap / -along_normal(t, e, f, &c, 1) : 0;
                continue;
            }
            if (gap > THAW_CONTACT_REACH * closing)
                return;
            when = gap > 0 ? gap / closing : 0;
        }
    }
    if (!edge_looks(t->a, e, c.normal, -1) || !edge_looks(t->b, f, c.normal, 1))
        return;
    if (is_held(near, t->a->shape, e, c.normal, 1) || is_held(far, t->b->shape, f, c.normal, -1))
        return;
    const int32_t *v = t->a->shape->edge + 2 * (size_t)e, *w = t->b->shape->edge + 2 * (size_t)f;
    const ThawContactSide side[2] = {
        {.body = t->a, .nodes = 2, .vertex = {v[0], v[1]}, .weight = {1 - c.s[0], c.s[0]}},
        {.body = t->b, .nodes = 2, .vertex = {w[0], w[1]}, .weight = {1 - c.s[1], c.s[1]}}};
    if (thaw_contact_side_is_fixed(&side[0]) && thaw_contact_side_is_fixed(&side[1]))
        return;
    const ThawContactKey key = key_of(t, e, f, c.turned);
    double point[3] = {0, 0, 0};
    for (int k = 0; k < 2; k++)
        thaw_v3_add(point, side[1].weight[k], t->b->x + 3 * (size_t)w[k], point);
    const int32_t before = t->slot->count;
    thaw_contact_add(t->scratch, t->item, &key, side, point, c.normal, gap, NULL, t->slot);
    if (t->slot->count > before)
        thaw_contact_sort_last(t->slot);
}

// Edges that take part: all of a sheet, the sharp ones of what is closed.
static int takes_part(const ThawContactShape *shape, int32_t edge) { return shape->half > 0 || shape->sharp[edge]; }

void thaw_contact_find_thin_edges(const ThawContactScratch *scratch, const ThawContactItem *item,
                                  const ThawContactSlot *near, const ThawContactSlot *far, ThawContactSlot *slot) {
    const ThawContactBody *a = &scratch->bodies[item->a], *b = thaw_contact_body(scratch, item->b);
    const Thin t = thin_of(scratch, item, a, b, slot);
    const double room = t.thickness + t.fall + THAW_CONTACT_REACH * b->spread;
    for (int32_t e = 0; e < a->shape->ne; e++) {
        if (!takes_part(a->shape, e))
            continue;
        double box[6];
        thaw_box_empty(box);
        for (int i = 0; i < 2; i++) {
            double way[3], end[3];
            thaw_v3_sub(end_of(a, a->d, e, i), b->mean, way);
            thaw_v3_add(end_of(a, a->x, e, i), THAW_CONTACT_REACH, way, end);
            thaw_box_add(box, end_of(a, a->x, e, i));
            thaw_box_add(box, end);
        }
        for (int k = 0; k < 3; k++)
            box[k] -= room, box[3 + k] += room;
        if (!thaw_box_overlap(box, b->box))
            continue;
        int32_t faces[NEAR_MAX], count = thaw_contact_faces_in(b, box, 0, faces, NEAR_MAX);
        for (int32_t i = 0; i < count && i < NEAR_MAX; i++)
            for (int k = 0; k < 3; k++) {
                const int32_t f = b->shape->face_edge[3 * (size_t)faces[i] + k],
                              first = b->shape->edge_face[2 * (size_t)f];
                if ((first == faces[i] || first < 0) && takes_part(b->shape, f))
                    try_edges(&t, near, far, e, f);
            }
    }
}
