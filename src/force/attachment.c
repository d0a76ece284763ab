// SPDX-License-Identifier: Apache-2.0
// The kernels of attachments: a spring and a damper between a vertex and its anchor, whose offset g is linear in
// positions.
//
// To a point:  E = k |g|^2 / 2,  f = -k (g + damping dg/dt). The same in all directions, so one row with the world's
// axes for a frame is all there is, exact for any step.
//
// Of a length L along the line n = g / l, l = |g|:
//     E = k (l - L)^2 / 2,    f = -k (l - L) n,    d2E/dg2 = k n n' + k (1 - L/l) (I - n n').
// A row has n for its first axis and the stiffness k (1 - L/l) across it, projected where the spring is pressed: 0, but
// for a share so small that it only keeps the row's equations regular. What goes across makes the line longer, to
// second order in h: the row sees that beforehand, or a stiff spring that turns would gain by it. A spring that is
// being drawn in has an end that moves along the line: what it does there is the work of what moves.
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "math/vec3.h"
#include "model/attachment.h"

static const double REGULAR = 1e-9; // of the stiffness

static const ThawAnchor *anchor_of(const ThawRowPass *pass, int32_t element) {
    return &pass->model->anchors[pass->model->attachments[pass->attachment].first + element];
}

static const double *vertex_of(const ThawRowPass *pass, const double *of, int32_t body, int32_t vertex) {
    return of + (size_t)(pass->model->bodies[body].first_vertex + vertex) * (size_t)pass->model->dim;
}

// Of positions or velocities: the vertex', less the anchor's on a body.
static void difference(const ThawRowPass *pass, const double *of, int32_t element, double g[3]) {
    const ThawAttachment *attachment = &pass->model->attachments[pass->attachment];
    const ThawAnchor *anchor = anchor_of(pass, element);
    const double *x = vertex_of(pass, of, attachment->body, anchor->vertex), *nodes[THAW_ANCHOR_NODES];
    double at[3] = {0};
    for (int n = 0; n < anchor->nodes; n++)
        nodes[n] = vertex_of(pass, of, attachment->other, anchor->other[n]);
    if (anchor->nodes > 0 || of == pass->x)
        thaw_anchor_point(anchor, pass->model->dim, nodes, &pass->place[0], at);
    for (int k = 0; k < 3; k++)
        g[k] = k < pass->model->dim ? x[k] - at[k] : 0;
}

void thaw_attachment_offset(const ThawRowPass *pass, int32_t element, double g[3]) {
    difference(pass, pass->x, element, g);
    for (int k = 0; k < pass->model->dim; k++)
        g[k] -= anchor_of(pass, element)->rest[k];
}

// What rows of both kinds have in common.
static void begin_row(const ThawRowPass *pass, int32_t element, ThawContact *row) {
    const ThawAttachment *attachment = &pass->model->attachments[pass->attachment];
    const ThawAnchor *anchor = anchor_of(pass, element);
    const ThawModelBody *bodies = pass->model->bodies;
    double at[2][3];
    *row = (ThawContact){
        .key = {{attachment->body, attachment->other}, THAW_CONTACT_ATTACHMENT, {pass->attachment, element}},
        .nodes = {1, anchor->nodes},
        .vertex = {{bodies[attachment->body].unit_vertex + anchor->vertex}},
        .weight = {{1}},
        .frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .stiffness = anchor->stiffness,
        .damping = anchor->stiffness * attachment->damping,
        .two_sided = 1};
    for (int n = 0; n < anchor->nodes; n++)
        row->vertex[1][n] = bodies[attachment->other].unit_vertex + anchor->other[n];
    memcpy(row->weight[1], anchor->weight, sizeof anchor->weight);
    for (int i = 0; i < 2 && anchor->nodes == 0; i++)
        thaw_anchor_point(anchor, pass->model->dim, NULL, &pass->place[i], at[i]);
    for (int k = 0; k < pass->model->dim && anchor->nodes == 0; k++)
        row->velocity[k] = (at[1][k] - at[0][k]) / pass->h;
}

// --- to a point ------------------------------------------------------------------------------------------------------

static void row_of_point(const ThawRowPass *pass, int32_t element, ThawContact *row) {
    double g[3];
    thaw_attachment_offset(pass, element, g);
    begin_row(pass, element, row);
    row->gap = g[0];
    row->drift[0] = g[1];
    row->drift[1] = g[2];
    row->across[0] = row->stiffness;
    row->across[1] = row->damping;
}

static double energy_of_point(const ThawAnchor *anchor, const double g[3]) {
    return anchor->stiffness / 2 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

// --- of a length -----------------------------------------------------------------------------------------------------

// An orthonormal frame whose first row is n.
static void frame_of(const double n[3], int dim, double frame[3][3]) {
    const int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
    thaw_v3_copy(n, frame[0]);
    if (dim == 2) {
        thaw_v3_copy((double[3]){-n[1], n[0], 0}, frame[1]);
    } else {
        thaw_v3_cross(n, (double[3]){least == 0, least == 1, least == 2}, frame[1]);
        thaw_v3_unit(frame[1]);
    }
    thaw_v3_cross(frame[0], frame[1], frame[2]);
}

static void row_of_length(const ThawRowPass *pass, int32_t element, ThawContact *row) {
    const ThawAttachment *attachment = &pass->model->attachments[pass->attachment];
    const ThawAnchor *anchor = anchor_of(pass, element);
    const double length = thaw_anchor_length(attachment, anchor, pass->t);
    double n[3], u[3] = {0}, along, square = 0;
    thaw_attachment_offset(pass, element, n);
    const double l = thaw_v3_norm(n);
    begin_row(pass, element, row);
    if (l > 0)
        thaw_v3_unit(n);
    else
        thaw_v3_copy((double[3]){1, 0, 0}, n); // any
    frame_of(n, pass->model->dim, row->frame);
    row->gap = l - length;
    row->across[0] = row->stiffness * (l > 0 ? fmax(REGULAR, 1 - length / l) : REGULAR);
    for (int k = 0; pass->t < attachment->close && k < 3; k++) // the end of the spring goes along it
        row->velocity[k] += n[k] * (thaw_anchor_length(attachment, anchor, pass->t + pass->h) - length) / pass->h;
    if (pass->v)
        difference(pass, pass->v, element, u);
    thaw_v3_sub(u, row->velocity, u);
    along = thaw_v3_dot(u, n);
    for (int k = 0; k < 3; k++)
        square += (u[k] - along * n[k]) * (u[k] - along * n[k]);
    for (int k = 0; k < 3; k++)
        row->ahead[k] = n[k] * (hypot(l, pass->h * sqrt(square)) - l) / pass->h;
}

static double energy_of_length(const ThawAnchor *anchor, const double g[3]) {
    const double stretch = thaw_v3_norm(g) - anchor->length;
    return anchor->stiffness / 2 * stretch * stretch;
}

static const ThawElementOps point_kind = {
    .name = "point", .nodes = 1 + THAW_ANCHOR_NODES, .row = row_of_point, .row_energy = energy_of_point};
static const ThawElementOps distance_kind = {
    .name = "distance", .nodes = 1 + THAW_ANCHOR_NODES, .row = row_of_length, .row_energy = energy_of_length};
const ThawElementOps *const thaw_attachment_kinds[2] = {&point_kind, &distance_kind};
