// SPDX-License-Identifier: Apache-2.0
// A body against itself (not in the papers): surface vertices against faces of the same surface, where the body asks
// for it.
//
// A vertex is always near its own surface, so it must be told what it touches from what it belongs to. Where both were
// at rest decides: a face in front of which the vertex lay, with air between them, may be touched if it was more than
// AIR edge lengths away; any other (beside it on the same side, or behind it, with material between them) if it was
// more than MATERIAL away. Among those that face the vertex now (normal against normal) the nearest is taken, inside to
// a depth of an edge length, outside if the two come together within the step. Deeper than that, or folded more sharply
// than a few elements allow, parts of a body go through each other.
//
// One contact a vertex, vertices against faces only: edges of a fold are held by their ends. Both sides of a contact
// are on one body, which the response knows how to take. Cost: a walk down the hierarchy for each surface vertex of
// such bodies; nothing for others.
#include "contact/collider.h"

static const double AIR = 1.5, MATERIAL = 3;

enum { NEAR_MAX = 512 };

// Whether face f was far enough from vertex v at rest to be something else than what is around it.
static int may_touch(const ThawContactShape *surface, const ThawShape *shape, int dim, int32_t v, int32_t f) {
    const int32_t *corner = surface->face + (size_t)f * surface->nodes;
    double x[3][3] = {{0}}, n[3], to[3] = {0, 0, 0}, length = surface->length[v];
    for (int i = 0; i < surface->nodes; i++) {
        if (corner[i] == v)
            return 0;
        length = fmax(length, surface->length[corner[i]]);
        memcpy(x[i], shape->X + (size_t)dim * (size_t)surface->vertex[corner[i]], sizeof(double) * (size_t)dim);
        thaw_v3_add(to, -1.0 / surface->nodes, x[i], to);
    }
    for (int k = 0; k < dim; k++)
        to[k] += shape->X[(size_t)dim * (size_t)surface->vertex[v] + (size_t)k];
    const double distance = thaw_v3_norm(to);
    if (distance > MATERIAL * length)
        return 1;
    double along[3], across[3];
    thaw_v3_sub(x[1], x[0], along);
    if (surface->nodes == 3) {
        thaw_v3_sub(x[2], x[0], across);
        thaw_v3_cross(along, across, n);
    } else
        n[0] = along[1], n[1] = -along[0], n[2] = 0;
    thaw_v3_unit(n);
    return distance > AIR * length && thaw_v3_dot(to, n) > 0.5 * distance;
}

static int touch_self(const ThawContactBody *body, const ThawShape *shape, int dim, int32_t v, ThawNearest *at,
                      double normal[3], double *gap) {
    const ThawContactShape *surface = body->shape;
    const double *x = body->x + 3 * (size_t)v, *d = body->d + 3 * (size_t)v, length = surface->length[v];
    double relative[3], facing[3], to[3], box[6];
    thaw_v3_sub(d, body->mean, relative);
    const double bound = fmax(length, THAW_CONTACT_REACH * (thaw_v3_norm(relative) + body->spread));
    for (int k = 0; k < 3; k++)
        box[k] = x[k] - bound, box[3 + k] = x[k] + bound;
    int32_t faces[NEAR_MAX], count = thaw_contact_faces_in(body, box, 0, faces, NEAR_MAX);
    *at = (ThawNearest){.face = -1, .square = bound * bound};
    thaw_contact_vertex_normal(surface, body->x, v, facing);
    for (int32_t i = 0; i < count && i < NEAR_MAX; i++)
        if (may_touch(surface, shape, dim, v, faces[i]))
            thaw_contact_try_face(surface, body->x, faces[i], x, facing, NULL, at);
    if (at->face < 0)
        return 0;
    const double distance = sqrt(at->square);
    thaw_contact_normal_at(surface, body->x, at->face, at->w, normal);
    thaw_v3_sub(x, at->point, to);
    const int inside = thaw_v3_dot(normal, to) < 0 || distance <= 1e-9 * length;
    *gap = inside ? -distance : distance;
    if (distance > 1e-6 * length)
        for (int k = 0; k < 3; k++)
            normal[k] = to[k] / *gap;
    if (inside)
        return distance < length;
    const int32_t *corner = surface->face + (size_t)at->face * surface->nodes;
    thaw_v3_copy(d, relative);
    for (int i = 0; i < surface->nodes; i++)
        thaw_v3_add(relative, -at->w[i], body->d + 3 * (size_t)corner[i], relative);
    return *gap <= -THAW_CONTACT_REACH * thaw_v3_dot(relative, normal);
}

void thaw_contact_find_self(const ThawContactScratch *scratch, const ThawContactItem *item, ThawContactSlot *slot) {
    const ThawModel *model = scratch->collider->model;
    const ThawContactBody *body = &scratch->bodies[item->a];
    for (int32_t v = 0; v < body->shape->nv; v++) {
        ThawNearest at;
        double normal[3], gap;
        if (!touch_self(body, model->bodies[item->a].shape, model->dim, v, &at, normal, &gap))
            continue;
        ThawContactSide side[2] = {{.body = body, .nodes = 1, .vertex = {v}, .weight = {1}},
                                   thaw_contact_side_of_face(body, &at)};
        if (thaw_contact_side_is_fixed(&side[0]) && thaw_contact_side_is_fixed(&side[1]))
            continue;
        ThawContactKey key = {{item->a, item->a}, THAW_CONTACT_VERTEX_FACE, {body->shape->vertex[v], at.face, 0, 0}};
        thaw_contact_add(scratch, item, &key, side, at.point, normal, gap, NULL, slot);
    }
}
