// SPDX-License-Identifier: Apache-2.0
// Compiling attachments: which vertices, anchored where, and how stiff.
//
// Anchors on a body. A vertex gets the element that contains it at the start, or else the one whose farthest face plane
// it is least outside of; barycentric coordinates of a point outside go on as they are. Every element is looked at for
// every vertex of the region, once, when the attachment is made. Where it is made while the world runs, bodies are
// where they are then (ThawReuse), and what is said of rest positions holds for those.
//
// Glue. A spring k beside a vertex with stiffness K (the diagonal of the rest shape's matrix, by materials and mesh)
// takes K/k of what the material gives: a hundredth, of both sides in series.
#include "model/attachment.h"
#include "model/change.h"
#include "model/seam.h"
#include "model/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"

static const double GLUE = 100; // stiffnesses of the softer side
static const double FAR = 20;   // barycentric coordinates beyond that magnify what the element does more than they hold

void thaw_attachment_place(const ThawModel *model, const ThawAttachment *a, double t, ThawPlace *place) {
    thaw_obstacle_place(a->other == THAW_ANCHOR_FRAME ? &a->frame : &model->obstacles[-1 - a->other], t, place);
}

double thaw_anchor_length(const ThawAttachment *a, const ThawAnchor *anchor, double t) {
    const double since = t - a->begun;
    return since < a->close ? anchor->length + (anchor->start - anchor->length) * (1 - since / a->close)
                            : anchor->length;
}

int thaw_attachment_moves(const ThawModel *model, const ThawAttachment *a, double t, double h) {
    ThawPlace place[2];
    if (t - a->begun < a->close)
        return 1;
    if (a->other >= 0)
        return 0;
    thaw_attachment_place(model, a, t, &place[0]);
    thaw_attachment_place(model, a, t + h, &place[1]);
    return memcmp(&place[0], &place[1], sizeof place[0]) != 0;
}

void thaw_anchor_point(const ThawAnchor *anchor, int dim, const double *const nodes[THAW_ANCHOR_NODES],
                       const ThawPlace *place, double at[3]) {
    const double *local = anchor->local;
    for (int k = 0; k < 3; k++) {
        at[k] = 0;
        for (int n = 0; n < anchor->nodes && k < dim; n++)
            at[k] += anchor->weight[n] * nodes[n][k];
        if (anchor->nodes == 0)
            at[k] = place->R[3 * k] * local[0] + place->R[3 * k + 1] * local[1] + place->R[3 * k + 2] * local[2] +
                    place->p[k];
    }
}

// --- the definition --------------------------------------------------------------------------------------------------

static ThawStatus check_numbers(const char *where, const ThawAttachmentDef *def, ThawError *error) {
    const struct {
        const char *name, *unit;
        double value, above; // allowed: >= above, or > above where `open`
        int open, endless;
    } fields[] = {
        {"stiffness", "N/m", def->stiffness, 0, 0, 0},
        {"stiffness_per_area", "N/m^3", def->stiffness_per_area, 0, 0, 0},
        {"damping", "s", def->damping, 0, 0, 0},
        {"close", "s", def->close, 0, 0, 0},
        {"release_time", "s", def->release_time, 0, 0, 1},
        {"release_force", "N", def->release_force, 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!(fields[i].open ? fields[i].value > 0 : fields[i].value >= 0) ||
            (!fields[i].endless && !isfinite(fields[i].value)))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is %g %s; allowed: %s 0%s", where, fields[i].name,
                                  fields[i].value, fields[i].unit,
                                  fields[i].open ? ">" : ">=", fields[i].endless ? ", or INFINITY" : "");
    if (def->kind != THAW_ATTACHMENT_POINT && def->kind != THAW_ATTACHMENT_DISTANCE)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: kind is %d; allowed: 0 (point), 1 (distance)", where,
                              (int)def->kind);
    if ((unsigned)def->contact > THAW_ATTACHMENT_CONTACT_OFF)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: contact is %d; allowed: 0 (auto), 1 (on), 2 (off)", where,
                              (int)def->contact);
    if ((unsigned)def->pairing > THAW_ATTACHMENT_ALONG)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: pairing is %d; allowed: 0 (nearest), 1 (along)", where,
                              (int)def->pairing);
    if (def->kind != THAW_ATTACHMENT_DISTANCE && (def->close > 0 || def->other_group >= 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: %s is given for springs without a length; allowed: with THAW_ATTACHMENT_DISTANCE",
                              where, def->close > 0 ? "close" : "other_group");
    if (def->other_group >= 0 && def->at)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: both at and other_group are given; allowed: one of them",
                              where);
    if (!isfinite(def->length))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: length is %g m; allowed: numbers, < 0: as at the start",
                              where, def->length);
    for (int k = 0; def->at && k < 3; k++)
        if (!isfinite(def->at[k]))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: at[%d] is %g m; allowed: finite numbers", where, k,
                                  def->at[k]);
    if (def->kind == THAW_ATTACHMENT_DISTANCE && !def->at && def->other_body < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: a distance from what is no body needs a point, and at is NULL; allowed: a point in "
                              "space",
                              where);
    return THAW_OK;
}

static ThawStatus check_partners(const char *where, const ThawAttachmentDef *def, const ThawModel *model,
                                 ThawError *error) {
    if (def->body < 0 || def->body >= model->body_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: body is %d; allowed: 0 to %d", where, (int)def->body,
                              (int)model->body_count - 1);
    const ThawShape *shape = model->bodies[def->body].shape;
    if (def->group < 0 || def->group >= shape->group_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: group is %d; allowed: 0 to %d (shape %s has %d groups)",
                              where, (int)def->group, (int)shape->group_count - 1, shape->name,
                              (int)shape->group_count);
    if (def->other_body < -1 || def->other_body >= model->body_count ||
        (def->other_body == def->body && def->other_group < 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: other_body is %d; allowed: -1, or 0 to %d and not body %d, which takes other_group",
                              where, (int)def->other_body, (int)model->body_count - 1, (int)def->body);
    const int32_t groups = def->other_body >= 0 ? model->bodies[def->other_body].shape->group_count : 0;
    if (def->other_group < -1 || def->other_group >= groups)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: other_group is %d; allowed: -1%s", where,
                              (int)def->other_group, groups > 0 ? ", or a group of the other body's shape" : "");
    if (def->pairing == THAW_ATTACHMENT_ALONG && (def->other_group < 0 || !thaw_shape_is_sheet(shape) ||
                                                  !thaw_shape_is_sheet(model->bodies[def->other_body].shape)))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: pairing is along, which goes from one edge of a sheet to another; allowed: sheets, "
                              "with other_group",
                              where);
    if (def->obstacle < -1 || def->obstacle >= model->obstacle_count || (def->obstacle >= 0 && def->other_body >= 0))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: obstacle is %d; allowed: -1%s", where, (int)def->obstacle,
                              def->other_body >= 0 ? ", for it is held to a body" : ", or an obstacle");
    if (def->obstacle >= 0 && model->obstacles[def->obstacle].frame_count > 0)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "%s: obstacle %d (%s) is a surface that moves frame by frame; allowed: one that moves as a "
            "whole",
            where, (int)def->obstacle, model->obstacles[def->obstacle].name);
    const int32_t held[2] = {def->body, def->other_body};
    for (int i = 0; i < 2; i++)
        if (held[i] >= 0 && model->bodies[held[i]].starts_at_rest)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: body %d (%s) starts at rest, by a solution that knows no attachment; allowed: "
                                  "bodies that start awake",
                                  where, (int)held[i], model->bodies[held[i]].name);
    return THAW_OK;
}

// --- stiffness -------------------------------------------------------------------------------------------------------

// area (nv, zeroed): what each vertex has of the surface faces that lie in the region, m^2. Returns their sum.
static double find_areas(const ThawShape *shape, const unsigned char *inside, double *area) {
    const ThawElementBlock *cells = shape->cells;
    const int nodes = cells->kind->nodes, dim = shape->dim;
    double sum = 0;
    for (int32_t e = 0; thaw_shape_is_sheet(shape) && e < shape->ne; e++) { // all of it is surface
        const int32_t *v = cells->elements + 3 * (size_t)e;
        double a[3], b[3], n[3];
        if (!(inside[v[0]] && inside[v[1]] && inside[v[2]]))
            continue;
        thaw_v3_sub(shape->X + 3 * (size_t)v[1], shape->X + 3 * (size_t)v[0], a);
        thaw_v3_sub(shape->X + 3 * (size_t)v[2], shape->X + 3 * (size_t)v[0], b);
        thaw_v3_cross(a, b, n);
        for (int i = 0; i < 3; i++)
            area[v[i]] += thaw_v3_norm(n) / 6;
        sum += thaw_v3_norm(n) / 2;
    }
    if (thaw_shape_is_sheet(shape))
        return sum;
    for (int32_t i = 0; i < shape->ne * nodes; i++) {
        const int32_t *element = cells->elements + (size_t)(i / nodes) * (size_t)nodes;
        const double *X[3] = {NULL};
        int32_t face[3], count = 0, in = 1;
        if (shape->across[i] >= 0)
            continue;
        for (int a = 0; a < nodes; a++)
            if (a != i % nodes) {
                face[count] = element[a];
                X[count++] = shape->X + (size_t)element[a] * (size_t)dim;
                in &= inside[element[a]];
            }
        if (!in)
            continue;
        double u[3] = {0}, v[3] = {0};
        for (int k = 0; k < dim; k++) {
            u[k] = X[1][k] - X[0][k];
            v[k] = dim == 3 ? X[2][k] - X[0][k] : 0;
        }
        if (dim == 2)
            v[2] = 2 * shape->thickness; // so that half of the product is length times thickness
        double n[3];
        thaw_v3_cross(u, v, n);
        double size = thaw_v3_norm(n) / 2;
        for (int a = 0; a < count; a++)
            area[face[a]] += size / count;
        sum += size;
    }
    return sum;
}

// N/m of the vertex and its anchor in series; what does not give is left out.
static double glue_of(const ThawModel *model, const ThawAttachment *a, const ThawAnchor *anchor) {
    double here = model->bodies[a->body].shape->stiffness[anchor->vertex], give = 0;
    for (int n = 0; n < anchor->nodes; n++)
        give += anchor->weight[n] * anchor->weight[n] / model->bodies[a->other].shape->stiffness[anchor->other[n]];
    return GLUE / (1 / here + give);
}

// Vertices inside, of a stiffness by area, are not held.
static void drop_idle(ThawModel *model, ThawAttachment *a) {
    int32_t kept = 0;
    for (int32_t i = 0; i < a->count; i++)
        if (model->anchors[a->first + i].stiffness > 0)
            model->anchors[a->first + kept++] = model->anchors[a->first + i];
    a->count = kept;
    model->anchor_count = a->first + kept;
}

static ThawStatus share_stiffness(const char *where, const ThawAttachmentDef *def, ThawModel *model,
                                  const ThawAttachment *a, ThawError *error) {
    const ThawShape *shape = model->bodies[a->body].shape;
    const ThawGroup *group = &shape->groups[def->group];
    unsigned char *inside = THAW_NEW(unsigned char, shape->nv);
    double *area = THAW_NEW(double, shape->nv);
    ThawStatus status = inside && area ? THAW_OK : thaw_error_memory(error, "an attachment");
    for (int32_t i = 0; status == THAW_OK && i < group->count; i++)
        inside[group->vertices[i]] = 1;
    double sum = status == THAW_OK ? find_areas(shape, inside, area) : 0;
    int surface = 1; // all of it is
    for (int32_t i = 0; status == THAW_OK && i < group->count; i++)
        surface &= area[group->vertices[i]] > 0;
    if (status == THAW_OK && def->stiffness_per_area > 0 && sum == 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: stiffness_per_area is %g N/m^3, but group %s has no face of the surface; allowed: "
                                "stiffness instead",
                                where, def->stiffness_per_area, group->name);
    for (int32_t i = 0; status == THAW_OK && i < a->count; i++) {
        ThawAnchor *anchor = &model->anchors[a->first + i];
        const double share = surface ? area[anchor->vertex] / sum : shape->mass[anchor->vertex] / group->mass;
        anchor->stiffness = def->stiffness_per_area > 0 ? def->stiffness_per_area * area[anchor->vertex]
                            : def->stiffness > 0        ? def->stiffness * share
                                                        : glue_of(model, a, anchor);
    }
    thaw_free(inside);
    thaw_free(area);
    return status;
}

// --- anchors ---------------------------------------------------------------------------------------------------------

// Where a body's vertices are when attachments begin: at rest, or now.
static const double *places_of(const ThawReuse *reuse, const ThawModel *model, int32_t body) {
    return reuse->now && reuse->now[body] ? reuse->now[body] : model->bodies[body].shape->X;
}

// A point in space, in the coordinates of those places; and a vertex, in space.
static void into_places(const ThawModelBody *body, const double *places, const double *x, double *X) {
    if (places == body->shape->X)
        thaw_body_unplace(body, body->shape->dim, x, X);
    else
        memcpy(X, x, sizeof *x * (size_t)body->shape->dim);
}

static void out_of_places(const ThawModelBody *body, const double *places, int32_t vertex, double *x) {
    const size_t dim = (size_t)body->shape->dim;
    if (places == body->shape->X)
        thaw_body_place(body, body->shape->dim, places + (size_t)vertex * dim, x);
    else
        memcpy(x, places + (size_t)vertex * dim, sizeof *x * dim);
}

// Gradients of barycentric coordinates 1, 2, ... of a simplex of these edges from its first vertex; 0: it is flat.
static int gradients_of(int dim, double edge[3][3], double gradient[9]) {
    if (dim == 2) {
        const double det = edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0];
        const double g[4] = {edge[1][1] / det, -edge[1][0] / det, -edge[0][1] / det, edge[0][0] / det};
        memcpy(gradient, g, sizeof g);
        return fabs(det) > 0;
    }
    const double det = thaw_v3_triple(edge[0], edge[1], edge[2]);
    for (int a = 0; a < 3; a++) {
        thaw_v3_cross(edge[(a + 1) % 3], edge[(a + 2) % 3], gradient + 3 * a);
        for (int k = 0; k < 3; k++)
            gradient[3 * a + k] /= det;
    }
    return fabs(det) > 0;
}

// Barycentric coordinates of X in an element, and how far it is outside of its faces' planes, m; < 0: inside.
static double outside_of(const ThawShape *shape, const double *places, int32_t e, const double *X,
                         double weight[THAW_ANCHOR_NODES]) {
    const ThawElementBlock *cells = shape->cells;
    const int nodes = cells->kind->nodes, dim = shape->dim;
    const double *gradient = cells->gradient + (size_t)e * thaw_element_gradients(cells->kind);
    const int32_t *vertex = cells->elements + (size_t)e * (size_t)nodes;
    const double *X0 = places + (size_t)vertex[0] * (size_t)dim;
    double own[9];
    if (places != shape->X) {
        double edge[3][3] = {{0}};
        for (int a = 1; a < nodes; a++)
            for (int k = 0; k < dim; k++)
                edge[a - 1][k] = places[(size_t)vertex[a] * (size_t)dim + (size_t)k] - X0[k];
        if (!gradients_of(dim, edge, own))
            return INFINITY;
        gradient = own;
    }
    double first[3] = {0}, outside = -INFINITY;
    weight[0] = 1;
    for (int a = 1; a <= nodes; a++) { // the first comes last
        const double *g = a < nodes ? gradient + (a - 1) * dim : first;
        double square = 0;
        if (a < nodes)
            weight[a] = 0;
        for (int k = 0; k < dim; k++) {
            if (a < nodes) {
                weight[a] += g[k] * (X[k] - X0[k]);
                first[k] -= g[k];
            }
            square += g[k] * g[k];
        }
        if (a < nodes)
            weight[0] -= weight[a];
        outside = fmax(outside, -weight[a % nodes] / sqrt(square));
    }
    return outside;
}

// Weights of a point of a triangle that is near X, the nearest where X lies above it; how far that is away, m.
static double distance_of(const ThawShape *shape, const double *places, int32_t e, const double X[3],
                          double weight[THAW_ANCHOR_NODES]) {
    const int32_t *v = shape->cells->elements + 3 * (size_t)e;
    const double *x[3];
    double a[3], b[3], n[3], to[3], area[3], sum = 0;
    for (int i = 0; i < 3; i++)
        x[i] = places + 3 * (size_t)v[i];
    thaw_v3_sub(x[1], x[0], a);
    thaw_v3_sub(x[2], x[0], b);
    thaw_v3_cross(a, b, n);
    for (int i = 0; i < 3; i++) {
        thaw_v3_sub(x[(i + 1) % 3], X, a);
        thaw_v3_sub(x[(i + 2) % 3], X, b);
        thaw_v3_cross(a, b, area);
        weight[i] = fmax(0, thaw_v3_dot(area, n));
        sum += weight[i];
    }
    thaw_v3_copy(X, to);
    for (int i = 0; i < 3; i++) {
        weight[i] /= sum;
        thaw_v3_add(to, -weight[i], x[i], to);
    }
    return thaw_v3_norm(to);
}

// Anchors a point on the triangle of a sheet that is nearest to it.
static void anchor_on_sheet(const ThawShape *shape, const double *places, const double X[3], ThawAnchor *anchor) {
    double weight[THAW_ANCHOR_NODES], best = INFINITY;
    int32_t nearest = 0;
    for (int32_t e = 0; e < shape->ne; e++) {
        const double distance = distance_of(shape, places, e, X, weight);
        if (distance < best) {
            best = distance;
            nearest = e;
        }
    }
    distance_of(shape, places, nearest, X, anchor->weight);
    anchor->nodes = 3;
    anchor->element = shape->element_user[nearest];
    memcpy(anchor->other, shape->cells->elements + 3 * (size_t)nearest, 3 * sizeof *anchor->other);
}

// Anchors a point in space (m) on a body as it is placed at the start.
static ThawStatus anchor_on_body(const char *where, const ThawModelBody *body, const double *places, const double *x,
                                 ThawAnchor *anchor, ThawError *error) {
    const ThawShape *shape = body->shape;
    const int nodes = shape->cells->kind->nodes;
    double X[3] = {0}, weight[THAW_ANCHOR_NODES], best = INFINITY, largest = 0;
    int32_t nearest = 0;
    into_places(body, places, x, X);
    if (thaw_shape_is_sheet(shape)) {
        anchor_on_sheet(shape, places, X, anchor);
        return THAW_OK;
    }
    for (int32_t e = 0; e < shape->ne; e++) {
        const double outside = outside_of(shape, places, e, X, weight);
        if (outside < best) {
            best = outside;
            nearest = e;
        }
    }
    outside_of(shape, places, nearest, X, anchor->weight);
    anchor->nodes = nodes;
    anchor->element = shape->element_user[nearest];
    for (int a = 0; a < nodes; a++) {
        anchor->other[a] = shape->cells->elements[(size_t)nearest * (size_t)nodes + (size_t)a];
        largest = fmax(largest, fabs(anchor->weight[a]));
    }
    if (largest > FAR)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "%s: a vertex of the region lies %g m outside of body %s, farther than %g times the size of "
            "the element it would hold to; allowed: regions beside or inside the other body",
            where, best, body->name, FAR);
    return THAW_OK;
}

// The offset as the kernels will compute it.
static void note_rest(const ThawModel *model, const ThawReuse *reuse, const ThawAttachment *a, const double x[3],
                      const ThawPlace *place, ThawAnchor *anchor) {
    const size_t dim = (size_t)model->dim;
    double placed[THAW_ANCHOR_NODES][3], at[3];
    const double *nodes[THAW_ANCHOR_NODES];
    for (int n = 0; n < anchor->nodes; n++) {
        out_of_places(&model->bodies[a->other], places_of(reuse, model, a->other), anchor->other[n], placed[n]);
        nodes[n] = placed[n];
    }
    thaw_anchor_point(anchor, model->dim, nodes, place, at);
    for (size_t k = 0; k < dim; k++)
        anchor->rest[k] = x[k] - at[k];
}

// An element of the base shape that has these vertices: by it anchors are followed through changes.
static int32_t element_with(const ThawShape *shape, const int32_t *vertex, int count) {
    const int nodes = shape->cells->kind->nodes;
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t *element = shape->cells->elements + (size_t)e * (size_t)nodes;
        int found = 0;
        for (int i = 0; i < count; i++)
            for (int a = 0; a < nodes; a++)
                found += element[a] == vertex[i];
        if (found == count)
            return shape->element_user[e];
    }
    return 0;
}

// The vertex of a body, of all or of a group of it, that is nearest to x (m) as it is placed at the start, but not that
// one itself, as an anchor.
static ThawStatus anchor_on_vertex(const char *where, const ThawModelBody *body, const double *places,
                                   const ThawGroup *group, int32_t itself, const double *x, ThawAnchor *anchor,
                                   ThawError *error) {
    const ThawShape *shape = body->shape;
    double X[3] = {0}, best = INFINITY;
    into_places(body, places, x, X);
    for (int32_t c = 0; c < (group ? group->count : shape->nv); c++) {
        const int32_t i = group ? group->vertices[c] : c;
        double square = i == itself ? INFINITY : 0;
        for (int k = 0; k < shape->dim; k++) {
            const double d = places[(size_t)i * (size_t)shape->dim + (size_t)k] - X[k];
            square += d * d;
        }
        if (square < best) {
            best = square;
            anchor->other[0] = i;
        }
    }
    if (best == INFINITY)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: vertex %d of body %s is all that it could hold to; allowed: other vertices where a "
                              "body is held to itself",
                              where, (int)shape->vertex_user[itself < 0 ? 0 : itself], body->name);
    anchor->nodes = 1;
    anchor->weight[0] = 1;
    anchor->element = element_with(shape, anchor->other, 1);
    return THAW_OK;
}

// Of a sheet, all vertices in space.
static double *sheet_in_space(const ThawModelBody *body, const double *places) {
    double *x = THAW_NEW(double, 3 * (size_t)body->shape->nv);
    for (int32_t i = 0; x && i < body->shape->nv; i++)
        out_of_places(body, places, i, x + 3 * (size_t)i);
    return x;
}

// All anchors along an edge, by the place of each vertex along its own.
static ThawStatus anchor_along(const char *where, const ThawAttachmentDef *def, const ThawReuse *reuse,
                               const ThawModel *model, const ThawAttachment *a, const ThawGroup *group,
                               ThawError *error) {
    const ThawModelBody *const body[2] = {&model->bodies[a->body], &model->bodies[a->other]};
    double *const x[2] = {sheet_in_space(body[0], places_of(reuse, model, a->body)),
                          sheet_in_space(body[1], places_of(reuse, model, a->other))};
    ThawChain own = {0}, other = {0};
    const ThawChain *const chain[2] = {&own, &other};
    ThawStatus status = x[0] && x[1] ? THAW_OK : thaw_error_memory(error, "an attachment");
    if (status == THAW_OK)
        status = thaw_chain_find(where, body[0]->shape, group, &own, error);
    if (status == THAW_OK)
        status = thaw_chain_find(where, body[1]->shape, &body[1]->shape->groups[def->other_group], &other, error);
    if (status == THAW_OK) {
        const ThawLay lay = thaw_chain_lay((const double *const[2]){x[0], x[1]}, chain);
        for (int32_t i = 0; i < own.count; i++) {
            ThawAnchor *anchor = &model->anchors[a->first];
            while (anchor->vertex != own.vertex[i])
                anchor++;
            thaw_chain_at(&other, thaw_chain_share(&own, i, &lay), anchor->other, anchor->weight);
            anchor->nodes = 2;
            anchor->element = element_with(body[1]->shape, anchor->other, 2);
        }
    }
    thaw_chain_clear(&own);
    thaw_chain_clear(&other);
    thaw_free(x[0]);
    thaw_free(x[1]);
    return status;
}

// A spring of a length: what is left of the offset is its line.
static ThawStatus note_length(const char *where, const ThawAttachmentDef *def, const ThawShape *shape,
                              ThawAnchor *anchor, ThawError *error) {
    const double *g = anchor->rest, l = thaw_v3_norm(g);
    memset(anchor->rest, 0, sizeof anchor->rest);
    anchor->length = def->length >= 0 ? def->length : l;
    anchor->start = l;
    if (l > 1e-9 * shape->diameter || def->length == 0)
        return THAW_OK;
    return thaw_error_set(
        error, THAW_ERROR_INPUT,
        "%s: a vertex of the region lies on its anchor, so that its spring has no direction; allowed: "
        "an anchor somewhere else (at), or length 0",
        where);
}

static ThawStatus place_anchors(const char *where, const ThawAttachmentDef *def, const ThawReuse *reuse,
                                ThawModel *model, const ThawAttachment *a, const ThawGroup *group, ThawError *error) {
    const ThawModelBody *body = &model->bodies[a->body];
    const int dim = model->dim, distance = def->kind == THAW_ATTACHMENT_DISTANCE;
    ThawStatus status = THAW_OK;
    ThawPlace place = {{0}, {0}};
    if (a->other < 0)
        thaw_attachment_place(model, a, a->begun, &place);
    for (int32_t i = 0; i < a->count; i++)
        model->anchors[a->first + i].vertex = group->vertices[i];
    const int along = distance && def->pairing == THAW_ATTACHMENT_ALONG;
    const ThawGroup *other = def->other_group >= 0 ? &model->bodies[a->other].shape->groups[def->other_group] : NULL;
    if (along)
        status = anchor_along(where, def, reuse, model, a, group, error);
    for (int32_t i = 0; i < a->count && status == THAW_OK; i++) {
        ThawAnchor *anchor = &model->anchors[a->first + i];
        double x[3] = {0, 0, 0};
        out_of_places(body, places_of(reuse, model, a->body), anchor->vertex, x);
        const double *at = distance && def->at ? def->at : x;
        if (a->other >= 0 && distance && !def->at && !along)
            status = anchor_on_vertex(where, &model->bodies[a->other], places_of(reuse, model, a->other), other,
                                      a->other == a->body ? anchor->vertex : -1, x, anchor, error);
        else if (a->other >= 0 && !along)
            status =
                anchor_on_body(where, &model->bodies[a->other], places_of(reuse, model, a->other), at, anchor, error);
        for (int k = 0; k < 3 && a->other < 0; k++) // R'(at - p)
            for (int c = 0; c < dim; c++)
                anchor->local[k] += place.R[3 * c + k] * (at[c] - place.p[c]);
        if (status == THAW_OK)
            note_rest(model, reuse, a, x, &place, anchor);
        if (status == THAW_OK && distance)
            status = note_length(where, def, body->shape, anchor, error);
    }
    return status;
}

// --- all of them -----------------------------------------------------------------------------------------------------

static ThawStatus compile(const char *source, const ThawAttachmentDef *def, int32_t index, const ThawReuse *reuse,
                          ThawModel *model, ThawError *error) {
    const ThawAnchors *held = reuse->held ? reuse->held[index] : NULL;
    ThawAttachment *a = &model->attachments[index];
    char where[400];
    snprintf(where, sizeof where, "%.250s%sattachments[%d] (%.80s)", source ? source : "", source ? ": " : "",
             (int)index, def->name ? def->name : "unnamed");
    ThawStatus status = thaw_check_made(where, def->made, "thaw_attachment_def_default", error);
    if (status == THAW_OK)
        status = check_partners(where, def, model, error);
    if (status == THAW_OK)
        status = check_numbers(where, def, error);
    if (status != THAW_OK)
        return status;
    const ThawGroup *group = &model->bodies[def->body].shape->groups[def->group];
    a->kind = thaw_attachment_kinds[def->kind];
    a->body = def->body;
    a->other = def->other_body >= 0 ? def->other_body : def->obstacle >= 0 ? -1 - def->obstacle : THAW_ANCHOR_FRAME;
    a->damping = def->damping;
    a->close = def->close;
    a->glued = a->other != THAW_ANCHOR_FRAME &&
               (def->contact == THAW_ATTACHMENT_CONTACT_OFF ||
                (def->contact == THAW_ATTACHMENT_CONTACT_AUTO && def->kind == THAW_ATTACHMENT_POINT &&
                 !(def->stiffness > 0) && !(def->stiffness_per_area > 0)));
    a->release_time = def->release_time;
    a->release_force = def->release_force;
    a->frame.rotation[0] = 1;
    a->frame.script.release = INFINITY;
    if (!(a->name = thaw_strdup(def->name ? def->name : "unnamed")))
        return thaw_error_memory(error, "an attachment");
    if (a->other == THAW_ANCHOR_FRAME)
        status = thaw_check_keys(where, model->dim, def->keys, def->key_count, def->centre, def->interpolation,
                                 &a->frame.script, error);
    if (status != THAW_OK)
        return status;
    memcpy(a->frame.position, a->frame.script.centre, sizeof a->frame.position);
    const int32_t count = held ? held->count : group->count;
    ThawAnchor *anchors = thaw_regrow(model->anchors, (size_t)model->anchor_count,
                                      (size_t)model->anchor_count + (size_t)count, sizeof *anchors);
    if (!anchors)
        return thaw_error_memory(error, "an attachment");
    model->anchors = anchors;
    a->first = model->anchor_count;
    a->count = count;
    model->anchor_count += count;
    a->begun = held ? held->begun : reuse->time;
    if (held) {
        memcpy(anchors + a->first, held->list, sizeof *anchors * (size_t)count);
        return THAW_OK;
    }
    status = place_anchors(where, def, reuse, model, a, group, error);
    if (status == THAW_OK)
        status = share_stiffness(where, def, model, a, error);
    drop_idle(model, a);
    return status;
}

static ThawStatus list_glued(ThawModel *model, ThawError *error) {
    int any = 0;
    for (int32_t i = 0; i < model->attachment_count; i++)
        any |= model->attachments[i].glued;
    if (!any)
        return THAW_OK;
    if (!(model->first_glued = THAW_NEW(int32_t, model->body_count)))
        return thaw_error_memory(error, "the attachments");
    for (int32_t b = 0; b < model->body_count; b++)
        model->first_glued[b] = -1;
    for (int32_t i = 0; i < model->attachment_count; i++) {
        ThawAttachment *a = &model->attachments[i];
        a->next_glued = model->first_glued[a->body];
        if (a->glued)
            model->first_glued[a->body] = i;
    }
    return THAW_OK;
}

ThawStatus thaw_attachments_compile(const ThawWorldDef *def, const ThawReuse *reuse, ThawModel *model,
                                    ThawError *error) {
    if (def->attachment_count < 0 || (def->attachment_count > 0 && !def->attachments))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "world: attachment_count is %d with attachments %s; allowed: >= 0, given",
                              (int)def->attachment_count, def->attachments ? "given" : "NULL");
    model->attachments = THAW_NEW(ThawAttachment, def->attachment_count);
    if (!model->attachments)
        return thaw_error_memory(error, "the attachments");
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < def->attachment_count && status == THAW_OK; i++) {
        model->attachment_count = i + 1;
        status = compile(def->source, &def->attachments[i], i, reuse, model, error);
    }
    if (status == THAW_OK && !(model->base_anchors = THAW_NEW(ThawAnchor, model->anchor_count)))
        status = thaw_error_memory(error, "the attachments");
    if (status == THAW_OK && model->anchor_count > 0)
        memcpy(model->base_anchors, model->anchors, sizeof *model->anchors * (size_t)model->anchor_count);
    return status == THAW_OK ? list_glued(model, error) : status;
}

// Whether it holds a vertex.
static int holds(const ThawModel *model, const ThawAttachment *a, int32_t vertex) {
    const ThawAnchor *anchors = model->anchors + a->first;
    int32_t low = 0, high = a->count;
    if (model->bodies[a->body].shape->variant) { // changes put vertices into another order
        while (low < high && anchors[low].vertex != vertex)
            low++;
        return low < high;
    }
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (anchors[middle].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->count && anchors[low].vertex == vertex;
}

int thaw_attachments_glue(const ThawModel *model, const unsigned char *released, int32_t body, int32_t other,
                          const int32_t *vertices, int32_t count) {
    if (!model->first_glued)
        return 0;
    for (int32_t i = model->first_glued[body]; i >= 0; i = model->attachments[i].next_glued) {
        if (model->attachments[i].other != other || (released && released[i]))
            continue;
        for (int32_t k = 0; k < count; k++)
            if (holds(model, &model->attachments[i], vertices[k] - model->bodies[body].unit_vertex))
                return 1;
    }
    return 0;
}

// --- shapes that change ----------------------------------------------------------------------------------------------

// The internal number of a vertex, or -1 where no element is left of it.
static int32_t vertex_of(const ThawShape *shape, int32_t user) {
    for (int32_t i = 0; i < shape->nv; i++)
        if (shape->vertex_user[i] == user)
            return i;
    return -1;
}

// The nodes of the element that holds an anchor, as they are now; 0: it is gone.
static int follow_nodes(const ThawModelBody *other, ThawAnchor *anchor) {
    const ThawShape *base = other->base, *shape = other->shape;
    const int held = anchor->nodes, nodes = shape->cells->kind->nodes;
    int32_t lo = 0, hi = shape->ne; // elements keep their order
    while (lo < hi) {
        int32_t middle = lo + (hi - lo) / 2;
        if (shape->variant->element[middle] < anchor->element)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo == shape->ne || shape->variant->element[lo] != anchor->element)
        return 0;
    for (int a = 0; a < held; a++) {
        const int32_t user = base->vertex_user[anchor->other[a]];
        for (int k = 0; k < nodes; k++)
            if (base->elements_user[anchor->element * nodes + k] == user) {
                anchor->other[a] = vertex_of(shape, shape->elements_user[lo * nodes + k]);
                break;
            }
    }
    return 1;
}

void thaw_attachments_follow(ThawModel *model) {
    for (int32_t i = 0; i < model->attachment_count; i++) {
        const ThawAttachment *a = &model->attachments[i];
        const ThawModelBody *body = &model->bodies[a->body], *other = a->other >= 0 ? &model->bodies[a->other] : NULL;
        for (int32_t k = a->first; k < a->first + a->count; k++) {
            ThawAnchor *anchor = &model->anchors[k];
            *anchor = model->base_anchors[k];
            if (body->shape->variant)
                anchor->vertex = vertex_of(body->shape, body->base->vertex_user[anchor->vertex]);
            if (other && other->shape->variant && !follow_nodes(other, anchor))
                anchor->vertex = -1;
        }
    }
}

void thaw_attachments_clear(ThawModel *model) {
    for (int32_t i = 0; i < model->attachment_count; i++) {
        thaw_free(model->attachments[i].name);
        thaw_free(model->attachments[i].frame.script.keys);
    }
    thaw_free(model->attachments);
    thaw_free(model->anchors);
    thaw_free(model->first_glued);
    thaw_free(model->base_anchors);
}
