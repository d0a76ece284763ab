// SPDX-License-Identifier: Apache-2.0
// The bending of sheets: which triangles bend against which, and by what energy 1/2 phi' Q phi in the angles phi of a
// triangle's three hinges (force/bending.c).
//
// Plate, the default. The normal in the middle of an edge lies between those of its two triangles in proportion to
// their heights over it, so the triangle turns against it by share_i phi_i, share_i = h_own / (h_own + h_other), and
// its curvature is that of Morley's plate element,
//     S = sum_i c_i phi_i n_i n_i',    c_i = share_i l_i / A    (l_i: edge, n_i: its normal in the plane, A: area).
// With D = E t^3 / (12 (1 - nu^2)) the energy A D/2 ((1 - nu) S:S + nu tr(S)^2) is that of plates:
//     Q_ij = A D c_i c_j ((1 - nu) (n_i.n_j)^2 + nu).
// At a free edge no moment acts, so its angle is that of least energy: its row is eliminated.
//
// Hinge, of the shells paper: k phi^2 with k = E t^3 / (24 (1 - nu^2)) 3 l^2 / (A1 + A2), half from either triangle.
// Too stiff by a factor that depends on the mesh; for the paper's scenes.
#include "model/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "model/attachment.h"

#define PAIR(a, b) ((a) * ((a) + 1) / 2 + (b))

// Corners of triangles and those beyond their edges, six a triangle; -1 beyond a free edge.
static ThawStatus find_patches(const ThawMesh *mesh, int32_t **patches, ThawError *error) {
    int32_t *across = NULL;
    ThawStatus status = thaw_mesh_neighbours(mesh, &across, error);
    *patches = status == THAW_OK ? THAW_NEW(int32_t, 6 * (size_t)mesh->element_count) : NULL;
    if (status == THAW_OK && !*patches)
        status = thaw_error_memory(error, "the bending of a sheet");
    for (int32_t e = 0; status == THAW_OK && e < mesh->element_count; e++)
        for (int i = 0; i < 3; i++) {
            const int32_t *v = mesh->elements + 3 * (size_t)e, f = across[3 * (size_t)e + (size_t)i];
            int32_t far = -1;
            for (int k = 0; k < 3 && f >= 0; k++) {
                const int32_t w = mesh->elements[3 * (size_t)f + (size_t)k];
                far = w == v[(i + 1) % 3] || w == v[(i + 2) % 3] ? far : w;
            }
            (*patches)[6 * (size_t)e + (size_t)i] = v[i];
            (*patches)[6 * (size_t)e + 3 + (size_t)i] = far;
        }
    thaw_free(across);
    return status;
}

ThawStatus thaw_sheet_graph(const ThawMesh *mesh, ThawGraph **graph, ThawError *error) {
    int32_t *patches = NULL;
    ThawStatus status = find_patches(mesh, &patches, error);
    for (size_t i = 0; status == THAW_OK && i < 6 * (size_t)mesh->element_count; i++)
        patches[i] = patches[i] < 0 ? patches[i - 3] : patches[i];
    ThawMesh wide = *mesh;
    wide.nodes = 6;
    wide.elements = patches;
    if (status == THAW_OK)
        status = thaw_graph_create(&wide, graph, error);
    thaw_free(patches);
    return status;
}

// --- rest data -------------------------------------------------------------------------------------------------------

static double area_of(const double *a, const double *b, const double *c) {
    double u[3], v[3], n[3];
    thaw_v3_sub(b, a, u);
    thaw_v3_sub(c, a, v);
    thaw_v3_cross(u, v, n);
    return thaw_v3_norm(n) / 2;
}

// The angle of a hinge as force/bending.c sees it: edge from p to q, corners a and b.
static double angle_of(const double *p, const double *q, const double *a, const double *b) {
    double e[3], u[3], v[3], n1[3], n2[3], cross[3];
    thaw_v3_sub(q, p, e);
    thaw_v3_sub(a, p, u);
    thaw_v3_sub(b, p, v);
    thaw_v3_cross(e, u, n1);
    thaw_v3_cross(v, e, n2);
    thaw_v3_cross(n1, n2, cross);
    return atan2(thaw_v3_dot(cross, e) / thaw_v3_norm(e), thaw_v3_dot(n1, n2));
}

// Eliminates the angles of free edges, by the size of what is left of them; their rows become 0.
static void free_edges(const int32_t *patch, double Q[6]) {
    const double least = 1e-12 * (Q[0] + Q[2] + Q[5]);
    for (int f = 0; f < 3; f++) {
        double row[3], pivot;
        if (patch[3 + f] >= 0)
            continue;
        for (int i = 0; i < 3; i++)
            row[i] = Q[i >= f ? PAIR(i, f) : PAIR(f, i)];
        pivot = row[f];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                Q[PAIR(i, j)] = i == f || j == f || !(pivot > least) ? Q[PAIR(i, j)] * (i != f && j != f)
                                                                     : Q[PAIR(i, j)] - row[i] * row[j] / pivot;
    }
}

// Q and the rest angles of one triangle.
static void make_rest(const ThawShape *shape, const ThawMaterial *material, const int32_t *patch, double rest[9]) {
    const double *x[6], nu = material->poisson, t = shape->thickness;
    const double D = material->young * t * t * t / (12 * (1 - nu * nu));
    double n[3][3], c[3], l[3], other[3];
    for (int r = 0; r < 6; r++)
        x[r] = shape->X + 3 * (size_t)(patch[r] < 0 ? patch[r - 3] : patch[r]);
    const double A = area_of(x[0], x[1], x[2]);
    for (int i = 0; i < 3; i++) {
        const double *p = x[(i + 1) % 3], *q = x[(i + 2) % 3];
        double e[3], arm[3];
        thaw_v3_sub(q, p, e);
        thaw_v3_sub(x[i], p, arm);
        l[i] = thaw_v3_unit(e);
        thaw_v3_add(arm, -thaw_v3_dot(arm, e), e, n[i]); // its sign does not count
        thaw_v3_unit(n[i]);
        other[i] = patch[3 + i] < 0 ? 0 : area_of(p, q, x[3 + i]);
        c[i] = A / (A + other[i]) * l[i] / A;
        rest[6 + i] = patch[3 + i] < 0 ? 0 : angle_of(p, q, x[i], x[3 + i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            const double cosine = thaw_v3_dot(n[i], n[j]);
            rest[PAIR(i, j)] = shape->bending == THAW_BENDING_PLATE
                                   ? A * D * c[i] * c[j] * ((1 - nu) * cosine * cosine + nu)
                               : i == j ? D / 2 * 3 * l[i] * l[i] / (A + other[i])
                                        : 0;
        }
    free_edges(patch, rest);
}

ThawStatus thaw_sheet_add_bending(ThawShape *shape, ThawError *error) {
    const ThawMesh mesh = {.dim = 3,
                           .nodes = 3,
                           .vertex_count = shape->nv,
                           .element_count = shape->ne,
                           .elements = shape->cells->elements};
    const size_t ne = (size_t)shape->ne;
    int32_t *patches = NULL;
    ThawStatus status = find_patches(&mesh, &patches, error);
    if (status != THAW_OK)
        return status;
    ThawElementBlock *block = &shape->blocks[shape->block_count++];
    *block = (ThawElementBlock){.kind = thaw_element_bending(),
                                .count = shape->ne,
                                .first = shape->ne,
                                .elements = THAW_NEW(int32_t, 6 * ne),
                                .material = THAW_NEW(int32_t, ne),
                                .weight = THAW_NEW(double, ne),
                                .gradient = THAW_NEW(double, 9 * ne),
                                .role = THAW_NEW(int32_t, ne),
                                .damping = shape->bending_damping};
    if (!block->elements || !block->material || !block->weight || !block->gradient || !block->role)
        status = thaw_error_memory(error, "the bending of a sheet");
    for (size_t e = 0; status == THAW_OK && e < ne; e++) {
        int32_t *patch = patches + 6 * e, *to = block->elements + 6 * e;
        int order[6];
        block->material[e] = shape->cells->material[e];
        block->weight[e] = 1;
        make_rest(shape, &shape->materials[block->material[e]], patch, block->gradient + 9 * e);
        for (int r = 0; r < 6; r++) { // ascending, and which role each plays
            const int32_t v = patch[r] = patch[r] < 0 ? patch[r - 3] : patch[r];
            int k = r;
            for (; k > 0 && to[k - 1] > v; k--) {
                to[k] = to[k - 1];
                order[k] = order[k - 1];
            }
            to[k] = v;
            order[k] = r;
        }
        for (int k = 0; k < 6; k++)
            block->role[e] |= k << (3 * order[k]);
    }
    thaw_free(patches);
    return status;
}

// --- what is allowed -------------------------------------------------------------------------------------------------

ThawStatus thaw_sheet_check(const ThawShapeDef *def, const char *name, ThawError *error) {
    if ((unsigned)def->membrane > THAW_MEMBRANE_FIXED_THICKNESS)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: membrane is %d; allowed: a ThawMembrane", name,
                              (int)def->membrane);
    if ((unsigned)def->bending > THAW_BENDING_HINGE)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: bending is %d; allowed: a ThawBending", name,
                              (int)def->bending);
    if (!isfinite(def->bending_damping))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: bending_damping is %g s; allowed: >= 0, or < 0 for the material's alpha1",
                              name, def->bending_damping);
    return THAW_OK;
}

ThawStatus thaw_sheet_check_method(const char *where, const ThawMethod *method, ThawError *error) {
    return method->moves_sheets
               ? THAW_OK
               : thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                                "%s: method \"%s\" does not move sheets yet; allowed: \"full\"", where, method->name);
}

ThawStatus thaw_sheets_allow(const ThawWorldDef *def, const ThawModel *model, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t b = 0; b < model->body_count && status == THAW_OK; b++) {
        const ThawModelBody *body = &model->bodies[b];
        char where[160];
        if (!thaw_shape_is_sheet(body->base))
            continue;
        snprintf(where, sizeof where, "body %d (%.80s), a sheet", (int)b, body->name);
        status = thaw_sheet_check_method(where, thaw_method_at(body->method), error);
        const char *unable = body->unit           ? "units"
                             : body->change_count ? "changes"
                             : body->self_contact ? "self_contact"
                                                  : NULL;
        for (int32_t i = 0; i < model->attachment_count; i++)
            if (def->attachments[i].body == b || def->attachments[i].other_body == b)
                unable = "attachments";
        if (status == THAW_OK && unable)
            status = thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                                    "%s: no %s of sheets yet; allowed: to leave them out", where, unable);
    }
    return status;
}
