// SPDX-License-Identifier: Apache-2.0
// The kernels of attachments: a spring and a damper between a vertex and its anchor. Its offset g is linear in
// positions and the same in all directions, so one row with the world's axes for a frame is all there is, exact for any
// step:
//     f = -k (g + damping dg/dt),    E = k |g|^2 / 2.
#include "model/attachment.h"

#include <string.h>

#include "contact/contact.h"

static const ThawAnchor *anchor_of(const ThawRowPass *pass, int32_t element) {
    return &pass->model->anchors[pass->model->attachments[pass->attachment].first + element];
}

static const double *vertex_of(const ThawRowPass *pass, int32_t body, int32_t vertex) {
    return pass->x + (size_t)(pass->model->bodies[body].first_vertex + vertex) * (size_t)pass->model->dim;
}

// How far the vertex is from its anchor at the start of the step.
static void offset_of(const ThawRowPass *pass, int32_t element, double g[3]) {
    const ThawAttachment *attachment = &pass->model->attachments[pass->attachment];
    const ThawAnchor *anchor = anchor_of(pass, element);
    const double *x = vertex_of(pass, attachment->body, anchor->vertex), *nodes[THAW_ANCHOR_NODES];
    double at[3];
    for (int n = 0; n < anchor->nodes; n++)
        nodes[n] = vertex_of(pass, attachment->other, anchor->other[n]);
    thaw_anchor_point(anchor, pass->model->dim, nodes, &pass->place[0], at);
    for (int k = 0; k < 3; k++)
        g[k] = k < pass->model->dim ? x[k] - at[k] - anchor->rest[k] : 0;
}

static void row_of_attachment(const ThawRowPass *pass, int32_t element, ThawContact *row) {
    const ThawAttachment *attachment = &pass->model->attachments[pass->attachment];
    const ThawAnchor *anchor = anchor_of(pass, element);
    double g[3], at[2][3];
    offset_of(pass, element, g);
    *row = (ThawContact){
        .key = {{attachment->body, attachment->other}, THAW_CONTACT_ATTACHMENT, {pass->attachment, element}},
        .nodes = {1, anchor->nodes},
        .vertex = {{anchor->vertex}},
        .weight = {{1}},
        .frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .gap = g[0],
        .drift = {g[1], g[2]},
        .stiffness = anchor->stiffness,
        .damping = anchor->stiffness * attachment->damping,
        .two_sided = 1};
    memcpy(row->vertex[1], anchor->other, sizeof anchor->other);
    memcpy(row->weight[1], anchor->weight, sizeof anchor->weight);
    for (int i = 0; i < 2 && anchor->nodes == 0; i++)
        thaw_anchor_point(anchor, pass->model->dim, NULL, &pass->place[i], at[i]);
    for (int k = 0; k < pass->model->dim && anchor->nodes == 0; k++)
        row->velocity[k] = (at[1][k] - at[0][k]) / pass->h;
}

static double energy_of_attachment(const ThawRowPass *pass, int32_t element) {
    double g[3];
    offset_of(pass, element, g);
    return anchor_of(pass, element)->stiffness / 2 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

const ThawElementOps thaw_attachment_kind = {
    .name = "attachment", .nodes = 1 + THAW_ANCHOR_NODES, .row = row_of_attachment, .row_energy = energy_of_attachment};
