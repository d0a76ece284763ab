// SPDX-License-Identifier: Apache-2.0
// The bending of sheets: which triangles bend against which, and by what measures (force/bending.c).
//
// Plate, the default: Morley's element with slopes reconstructed from the triangles around (model/plate.c). Triangles
// whose slopes need no more than their neighbours, as on regular meshes, make near elements, the others wide ones.
//
// Hinge, of the shells paper: k phi^2 with k = E t^3 / (24 (1 - nu^2)) 3 l^2 / (A1 + A2), half from either triangle.
// Too stiff by a factor that depends on the mesh; for the paper's scenes.
#include "model/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "model/crease.h"
#include "model/fold.h"
#include "model/plate.h"

// --- which vertices --------------------------------------------------------------------------------------------------

// In an element's list every vertex stands once, ascending, and the last again where there are fewer than roles. Roles
// without a vertex are played by a corner of the same triangle.
static int64_t list_nodes(int roles, const int32_t patch[THAW_PLATE_ROLES], int32_t *nodes) {
    static const int instead[THAW_PLATE_ROLES] = {0, 1, 2, 0, 1, 2, 2, 1, 0, 2, 1, 0};
    int32_t vertex[THAW_PLATE_ROLES];
    int64_t role = 0;
    int count = 0;
    for (int r = 0; r < roles; r++) {
        const int32_t v = vertex[r] = patch[patch[r] < 0 ? instead[r] : r];
        int k = count;
        while (k > 0 && nodes[k - 1] >= v)
            k--;
        if (k < count && nodes[k] == v)
            continue;
        memmove(nodes + k + 1, nodes + k, sizeof *nodes * (size_t)(count - k));
        nodes[k] = v;
        count++;
    }
    for (int k = count; k < roles; k++)
        nodes[k] = nodes[count - 1];
    for (int r = 0; r < roles; r++) {
        int64_t k = 0;
        while (nodes[k] != vertex[r])
            k++;
        role |= k << (4 * r);
    }
    return role;
}

// One element per triangle for a graph: its own vertices and those its bending knows.
static ThawStatus make_graph(int32_t nv, int32_t count, int nodes, int32_t *elements, ThawGraph **graph,
                             ThawError *error) {
    const ThawMesh mesh = {.dim = 3, .nodes = nodes, .vertex_count = nv, .element_count = count, .elements = elements};
    return thaw_graph_create(&mesh, graph, error);
}

ThawStatus thaw_sheet_order(const ThawMesh *mesh, int32_t *order, ThawError *error) {
    enum { ROLES = THAW_PLATE_NEAR_ROLES };
    int32_t *across = NULL, *nodes = THAW_NEW(int32_t, ROLES * (size_t)mesh->element_count);
    ThawGraph *graph = NULL;
    ThawStatus status = nodes ? thaw_mesh_neighbours(mesh, &across, error) : thaw_error_memory(error, "a sheet");
    const ThawPlateMesh plates = {mesh->x, mesh->elements, across};
    for (int32_t e = 0; status == THAW_OK && e < mesh->element_count; e++) {
        int32_t patch[THAW_PLATE_ROLES];
        thaw_plate_patch(&plates, e, patch);
        list_nodes(ROLES, patch, nodes + ROLES * (size_t)e);
    }
    if (status == THAW_OK)
        status = make_graph(mesh->vertex_count, mesh->element_count, ROLES, nodes, &graph, error);
    if (status == THAW_OK)
        status = thaw_graph_order_rcm(graph, order, error);
    thaw_graph_free(&graph);
    thaw_free(across);
    thaw_free(nodes);
    return status;
}

ThawStatus thaw_sheet_graph(const ThawShape *shape, ThawGraph **graph, ThawError *error) {
    enum { ROLES = THAW_PLATE_ROLES };
    int32_t count = 0, *nodes = NULL;
    for (int b = 1; b < shape->block_count; b++)
        count += shape->blocks[b].count;
    ThawStatus status =
        (nodes = THAW_NEW(int32_t, ROLES * (size_t)count)) ? THAW_OK : thaw_error_memory(error, "a sheet");
    for (int32_t b = 1, at = 0; status == THAW_OK && b < shape->block_count; b++) {
        const ThawElementBlock *block = &shape->blocks[b];
        const int own = block->kind->nodes;
        for (int32_t e = 0; e < block->count; e++)
            for (int k = 0; k < ROLES; k++)
                nodes[at++] = block->elements[own * (size_t)e + (size_t)(k < own ? k : own - 1)];
    }
    if (status == THAW_OK)
        status = make_graph(shape->nv, count, ROLES, nodes, graph, error);
    thaw_free(nodes);
    return status;
}

// --- rest data -------------------------------------------------------------------------------------------------------

static void edge_of(const double *X, const int32_t *patch, int i, double e[3]) {
    thaw_v3_sub(X + 3 * (size_t)patch[(i + 2) % 3], X + 3 * (size_t)patch[(i + 1) % 3], e);
}

static double area_of(const double *X, int32_t a, int32_t b, int32_t c) {
    double u[3], v[3], n[3];
    thaw_v3_sub(X + 3 * (size_t)b, X + 3 * (size_t)a, u);
    thaw_v3_sub(X + 3 * (size_t)c, X + 3 * (size_t)a, v);
    thaw_v3_cross(u, v, n);
    return thaw_v3_norm(n) / 2;
}

// k phi^2 of each of its hinges, half from this triangle.
static void hinge_measures(const double *X, const int32_t patch[THAW_PLATE_ROLES], double stiffness,
                           double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES]) {
    memset(B, 0, THAW_PLATE_MEASURES * sizeof *B);
    for (int i = 0; i < 3; i++) {
        double e[3];
        if (patch[3 + i] < 0)
            continue;
        edge_of(X, patch, i, e);
        const double A =
            area_of(X, patch[0], patch[1], patch[2]) + area_of(X, patch[(i + 1) % 3], patch[(i + 2) % 3], patch[3 + i]);
        B[i][i] = sqrt(stiffness / 2 * 3 * thaw_v3_dot(e, e) / A);
    }
}

void thaw_material_moduli(const ThawMaterial *material, double C[6]) {
    const double E1 = material->young, E2 = material->weave.weft_young > 0 ? material->weave.weft_young : E1;
    const double nu = material->poisson, whole = 1 - nu * nu * E2 / E1;
    C[0] = E1 / whole;
    C[1] = nu * E2 / whole;
    C[2] = E2 / whole;
    C[3] = C[4] = 0;
    C[5] = material->weave.shear > 0 ? material->weave.shear : sqrt(E1 * E2) / (2 * (1 + nu));
}

// Bending moments by curvature, 11 21 22 31 32 33.
static void rigidity(const ThawMaterial *material, int woven, double t, double D[6]) {
    const double *bending = material->weave.bending, nu = material->poisson;
    if (woven && bending[0] > 0) {
        const double mean = sqrt(bending[0] * bending[1]), twist = bending[2] > 0 ? bending[2] : (1 - nu) / 2 * mean;
        memcpy(D, (double[]){bending[0], nu * mean, bending[1], 0, 0, twist}, 6 * sizeof *D);
    } else if (woven) {
        thaw_material_moduli(material, D);
        for (int i = 0; i < 6; i++)
            D[i] *= t * t * t / 12;
    } else {
        const double plate = material->young * t * t * t / (12 * (1 - nu * nu));
        memcpy(D, (double[]){plate, nu * plate, plate, 0, 0, (1 - nu) / 2 * plate}, 6 * sizeof *D);
    }
}

static void make_measures(const ThawShape *shape, const ThawPlateMesh *plates, int32_t e,
                          double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES]) {
    const ThawMaterial *material = &shape->materials[shape->cells->material[e]];
    double axis[3], D[6];
    int32_t patch[THAW_PLATE_ROLES];
    thaw_plate_patch(plates, e, patch);
    rigidity(material, shape->warp != NULL, shape->thickness, D);
    if (shape->bending == THAW_BENDING_HINGE) {
        hinge_measures(shape->X, patch, D[0], B);
        return;
    }
    edge_of(shape->X, patch, 0, axis);
    thaw_v3_unit(axis);
    thaw_plate_measures(plates, e, shape->warp ? shape->warp + 3 * (size_t)shape->element_user[e] : axis, D, B);
}

static int is_wide(double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES]) {
    for (int c = 0; c < THAW_PLATE_MEASURES; c++)
        for (int h = 3; h < THAW_PLATE_HINGES; h++)
            if (B[c][h] != 0)
                return 1;
    return 0;
}

// Measures and rest angles of one element; the middles of branches (model/hinges.c) are 0.
static void make_rest(const double *X, const int32_t patch[THAW_PLATE_ROLES], int hinges,
                      double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES], double *rest) {
    for (int c = 0; c < THAW_PLATE_MEASURES; c++)
        for (int h = 0; h < hinges; h++)
            rest[c * hinges + h] = B[c][h];
    for (int h = 0; h < hinges; h++) {
        const double *x[4];
        int missing = 0;
        for (int k = 0; k < 4; k++) {
            const int32_t v = patch[THAW_HINGE[h][k]];
            missing |= v < 0;
            x[k] = X + 3 * (size_t)(v < 0 ? 0 : v);
        }
        rest[THAW_PLATE_MEASURES * hinges + h] = missing ? 0 : thaw_plate_angle(x[0], x[1], x[2], x[3]);
        rest[(THAW_PLATE_MEASURES + 1) * hinges + h] = 0;
    }
}

static ThawStatus new_block(const ThawElementOps *kind, int32_t count, ThawShape *shape, ThawError *error) {
    const ThawElementBlock *last = &shape->blocks[shape->block_count - 1];
    ThawElementBlock *block = &shape->blocks[shape->block_count++];
    *block = (ThawElementBlock){.kind = kind,
                                .first = last->first + last->count,
                                .elements = THAW_NEW(int32_t, (size_t)kind->nodes * (size_t)count),
                                .material = THAW_NEW(int32_t, count),
                                .weight = THAW_NEW(double, count),
                                .gradient = THAW_NEW(double, thaw_element_gradients(kind) * (size_t)count),
                                .role = THAW_NEW(int64_t, count),
                                .damping = shape->bending_damping};
    return block->elements && block->material && block->weight && block->gradient && block->role
               ? THAW_OK
               : thaw_error_memory(error, "the bending of a sheet");
}

// Triangle e as the next element of a block.
static void add_element(const ThawShape *shape, const ThawPlateMesh *plates, int32_t e,
                        double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES], ThawElementBlock *block) {
    const ThawElementOps *kind = block->kind;
    const size_t k = (size_t)block->count++;
    int32_t patch[THAW_PLATE_ROLES];
    thaw_plate_patch(plates, e, patch);
    block->material[k] = shape->cells->material[e];
    block->weight[k] = 1;
    block->role[k] = list_nodes(kind->nodes, patch, block->elements + (size_t)kind->nodes * k);
    make_rest(shape->X, patch, kind->nodes == THAW_PLATE_ROLES ? THAW_PLATE_HINGES : 3, B,
              block->gradient + (size_t)kind->rest_size * k);
}

// What holds plastic folds, of a sheet that yields.
static ThawStatus add_creases(ThawShape *shape, const int32_t *across, ThawError *error) {
    double *plate = THAW_NEW(double, shape->ne), D[6];
    for (int32_t e = 0; plate && e < shape->ne; e++) {
        rigidity(&shape->materials[shape->cells->material[e]], shape->warp != NULL, shape->thickness, D);
        plate[e] = sqrt(D[0] * D[2]);
    }
    ThawStatus status =
        plate ? thaw_creases_create(shape, across, plate, error) : thaw_error_memory(error, "the creases of a sheet");
    thaw_free(plate);
    return status;
}

static ThawStatus add_hinges(ThawShape *shape, const int32_t *across,
                             double (*B)[THAW_PLATE_MEASURES][THAW_PLATE_HINGES], ThawError *error) {
    unsigned char *wide = THAW_NEW(unsigned char, shape->ne);
    for (int32_t e = 0; wide && e < shape->ne; e++)
        wide[e] = (unsigned char)is_wide(B[e]);
    ThawStatus status =
        wide ? thaw_hinges_create(shape, across, wide, error) : thaw_error_memory(error, "the hinges of a sheet");
    thaw_free(wide);
    return status;
}

static ThawStatus add_bending(ThawShape *shape, const int32_t *across, ThawError *error) {
    int32_t count[2] = {0};
    double(*B)[THAW_PLATE_MEASURES][THAW_PLATE_HINGES] = thaw_alloc((size_t)shape->ne, sizeof *B);
    ThawStatus status = B ? THAW_OK : thaw_error_memory(error, "the bending of a sheet");
    const ThawPlateMesh plates = {shape->X, shape->cells->elements, across};
    for (int32_t e = 0; status == THAW_OK && e < shape->ne; e++) {
        make_measures(shape, &plates, e, B[e]);
        count[is_wide(B[e])]++;
    }
    for (int wide = 0; wide < 2; wide++) {
        if (status != THAW_OK || count[wide] == 0)
            continue;
        status = new_block(thaw_element_bending(wide), count[wide], shape, error);
        for (int32_t e = 0; status == THAW_OK && e < shape->ne; e++)
            if (is_wide(B[e]) == wide)
                add_element(shape, &plates, e, B[e], &shape->blocks[shape->block_count - 1]);
    }
    if (status == THAW_OK)
        status = add_hinges(shape, across, B, error);
    if (status == THAW_OK && (shape->yield_curvature > 0 || shape->yield_angle > 0))
        status = add_creases(shape, across, error);
    thaw_free(B);
    return status;
}

// --- limits ----------------------------------------------------------------------------------------------------------

static int is_limited(const ThawMaterial *material) {
    return material->strain_limits[0] > 0 || material->strain_limits[1] > 0;
}

// How much stiffer than its material's Young's modulus a triangle is whose membrane is springs: kl of an edge l resists
// as 2 kl/l N/m, and ka as 2 ka.
static double stiffer(const ThawShape *shape, const ThawMaterial *material, int32_t e) {
    const double size = sqrt(2 * shape->cells->weight[e] / shape->thickness);
    const double membrane = 2 * (material->edge_stiffness / size + material->area_stiffness) / shape->thickness;
    return shape->membrane == THAW_MEMBRANE_LENGTHS ? fmax(1, membrane / material->young) : 1;
}

static ThawStatus add_limits(ThawShape *shape, ThawError *error) {
    const ThawElementBlock *cells = shape->cells;
    int32_t count = 0;
    for (int32_t e = 0; e < shape->ne; e++)
        count += is_limited(&shape->materials[cells->material[e]]);
    shape->clamped = count > 0 && shape->limiting == THAW_LIMIT_CLAMP;
    if (count == 0 || shape->clamped)
        return THAW_OK;
    ThawStatus status = new_block(thaw_element_limit(), count, shape, error);
    ThawElementBlock *block = &shape->blocks[shape->block_count - 1];
    block->damping = -1;
    if (status == THAW_OK && !(block->factor = THAW_NEW(double, count)))
        status = thaw_error_memory(error, "the limits of a sheet");
    for (int32_t e = 0; status == THAW_OK && e < shape->ne; e++) {
        const ThawMaterial *material = &shape->materials[cells->material[e]];
        const size_t k = (size_t)block->count;
        if (!is_limited(material))
            continue;
        memcpy(block->elements + 3 * k, cells->elements + 3 * (size_t)e, 3 * sizeof *block->elements);
        memcpy(block->gradient + 4 * k, cells->gradient + 4 * (size_t)e, 4 * sizeof *block->gradient);
        block->material[k] = cells->material[e];
        block->weight[k] = cells->weight[e];
        block->factor[k] = stiffer(shape, material, e);
        block->count++;
    }
    return status;
}

// --- warp and weft ---------------------------------------------------------------------------------------------------

// The unit of d's part in the plane of e1 and e2; 0 where there is next to none.
static int into_plane(const double e1[3], const double e2[3], double d[3]) {
    double n[3];
    thaw_v3_cross(e1, e2, n);
    thaw_v3_unit(n);
    const double length = thaw_v3_norm(d);
    thaw_v3_add(d, -thaw_v3_dot(d, n), n, d);
    return thaw_v3_norm(d) > 1e-6 * length && thaw_v3_unit(d) > 0;
}

ThawStatus thaw_sheet_weave(const ThawShapeDef *def, ThawShape *shape, ThawError *error) {
    static const double axes[2][3] = {{1, 0, 0}, {0, 1, 0}};
    const ThawMesh *mesh = def->mesh;
    const int open = def->warp[0] == 0 && def->warp[1] == 0 && def->warp[2] == 0;
    if (!(shape->warp = THAW_NEW(double, 3 * (size_t)mesh->element_count)))
        return thaw_error_memory(error, "the warp of a sheet");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + 3 * (size_t)e;
        double e1[3], e2[3], *d = shape->warp + 3 * (size_t)e;
        thaw_v3_sub(mesh->x + 3 * (size_t)v[1], mesh->x + 3 * (size_t)v[0], e1);
        thaw_v3_sub(mesh->x + 3 * (size_t)v[2], mesh->x + 3 * (size_t)v[0], e2);
        if (def->uv) { // where u grows and v does not
            const double *w = def->uv + 6 * (size_t)e, v1 = w[3] - w[1], v2 = w[5] - w[1];
            const double turn = (w[2] - w[0]) * v2 - (w[4] - w[0]) * v1 < 0 ? -1 : 1;
            for (int k = 0; k < 3; k++)
                d[k] = turn * (v2 * e1[k] - v1 * e2[k]);
            if (isfinite(v1) && isfinite(v2) && into_plane(e1, e2, d))
                continue;
        }
        memcpy(d, open ? axes[0] : def->warp, 3 * sizeof *d);
        if (into_plane(e1, e2, d))
            continue;
        memcpy(d, axes[1], 3 * sizeof *d);
        if (!open || !into_plane(e1, e2, d))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "shape %s: warp is (%g, %g, %g), which is no direction in the plane of element %d; "
                                  "allowed: a direction that is not across any triangle, or uv",
                                  shape->name, def->warp[0], def->warp[1], def->warp[2], (int)e);
    }
    return THAW_OK;
}

void thaw_sheet_turn(ThawShape *shape) {
    for (size_t e = 0; e < (size_t)shape->ne; e++) {
        const int32_t *v = shape->cells->elements + 3 * e;
        const double *x = shape->X, *d = shape->warp + 3 * (size_t)shape->element_user[e];
        double e1[3], e2[3], n[3], side[3], *g = shape->cells->gradient + 4 * e;
        thaw_v3_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], e1);
        thaw_v3_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], e2);
        thaw_v3_cross(e1, e2, n);
        thaw_v3_unit(n);
        thaw_v3_unit(e1);
        thaw_v3_cross(n, e1, side); // gradients are by (e1, side)
        const double c = thaw_v3_dot(d, e1), s = thaw_v3_dot(d, side), turn[2][2] = {{c, s}, {-s, c}};
        for (int a = 0; a < 2; a++) {
            const double was[2] = {g[2 * a], g[2 * a + 1]};
            for (int k = 0; k < 2; k++)
                g[2 * a + k] = turn[k][0] * was[0] + turn[k][1] * was[1];
        }
    }
}

// --- lengths and pressure --------------------------------------------------------------------------------------------

static ThawStatus mark_rim(ThawShape *shape, const int32_t *across, ThawError *error) {
    int64_t *role = shape->blocks[0].role = THAW_NEW(int64_t, shape->ne);
    if (!role)
        return thaw_error_memory(error, "the rim of a sheet");
    for (size_t i = 0; i < 3 * (size_t)shape->ne; i++)
        role[i / 3] |= (int64_t)(across[i] < 0) << (i % 3);
    return THAW_OK;
}

// 1: the corners of a triangle in ascending order go around as the mesh has them; -1: the other way.
static int sense_of(const ThawShape *shape, const int32_t *internal, int32_t e) {
    const int32_t *own = shape->elements_user + 3 * (size_t)shape->element_user[e];
    const int32_t *sorted = shape->cells->elements + 3 * (size_t)e;
    int first = 0;
    while (internal[own[first]] != sorted[0])
        first++;
    return internal[own[(first + 1) % 3]] == sorted[1] ? 1 : -1;
}

// The same along the edge opposite corner i: from the lower of its ends to the higher, or back. Ascending corners go
// along those opposite 0 and 2.
static int along(int sense, int i) { return i == 1 ? -sense : sense; }

// Senses of all triangles; the volume inside, of that sign.
static ThawStatus find_senses(const ThawShape *shape, const int32_t *across, int *sense, double *volume,
                              ThawError *error) {
    int32_t *internal = THAW_NEW(int32_t, shape->nv);
    if (!internal)
        return thaw_error_memory(error, "the pressure in a sheet");
    for (int32_t v = 0; v < shape->nv; v++)
        internal[shape->vertex_user[v]] = v;
    for (int32_t e = 0; e < shape->ne; e++)
        sense[e] = sense_of(shape, internal, e);
    thaw_free(internal);
    *volume = 0;
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t *v = shape->cells->elements + 3 * (size_t)e;
        const double *x[3] = {shape->X + 3 * (size_t)v[0], shape->X + 3 * (size_t)v[1], shape->X + 3 * (size_t)v[2]};
        double cross[3];
        thaw_v3_cross(x[1], x[2], cross);
        *volume += sense[e] * thaw_v3_dot(x[0], cross) / 6;
        for (int i = 0; i < 3; i++) {
            const int32_t f = across[3 * (size_t)e + (size_t)i];
            int j = 0;
            while (f >= 0 && across[3 * (size_t)f + (size_t)j] != e)
                j++;
            if (f < 0 || along(sense[e], i) == along(sense[f], j))
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "shape %s: pressure is %g Pa, but %s element %d; allowed: in closed sheets whose "
                                      "triangles all look out, or in",
                                      shape->name, shape->pressure,
                                      f < 0 ? "the sheet is open beside" : "a neighbour looks the other way than",
                                      (int)shape->element_user[e]);
        }
    }
    return THAW_OK;
}

static ThawStatus add_pressure(ThawShape *shape, const int32_t *across, ThawError *error) {
    double volume = 0;
    int *sense = THAW_NEW(int, shape->ne);
    ThawStatus status =
        sense ? find_senses(shape, across, sense, &volume, error) : thaw_error_memory(error, "the pressure in a sheet");
    if (status == THAW_OK)
        status = new_block(thaw_element_pressure(), shape->ne, shape, error);
    ThawElementBlock *block = &shape->blocks[shape->block_count - 1];
    for (int32_t e = 0; status == THAW_OK && e < shape->ne; e++) {
        const int32_t *v = shape->cells->elements + 3 * (size_t)e;
        double cross[3];
        thaw_v3_cross(shape->X + 3 * (size_t)v[1], shape->X + 3 * (size_t)v[2], cross);
        memcpy(block->elements + 3 * (size_t)e, v, 3 * sizeof *v);
        block->material[e] = shape->cells->material[e];
        block->weight[e] = (volume < 0 ? -1 : 1) * sense[e] * shape->pressure;
        block->gradient[4 * (size_t)e] = thaw_v3_dot(shape->X + 3 * (size_t)v[0], cross) / 6;
        block->count++;
    }
    thaw_free(sense);
    return status;
}

ThawStatus thaw_sheet_add_blocks(ThawShape *shape, ThawError *error) {
    const ThawMesh mesh = {.dim = 3,
                           .nodes = 3,
                           .vertex_count = shape->nv,
                           .element_count = shape->ne,
                           .elements = shape->cells->elements};
    int32_t *across = NULL;
    ThawStatus status = thaw_mesh_neighbours(&mesh, &across, error);
    if (status == THAW_OK && shape->membrane == THAW_MEMBRANE_LENGTHS)
        status = mark_rim(shape, across, error);
    if (status == THAW_OK)
        status = add_bending(shape, across, error);
    if (status == THAW_OK)
        status = thaw_folds_create(shape, across, &shape->folds, error);
    if (status == THAW_OK)
        status = add_limits(shape, error);
    if (status == THAW_OK && shape->pressure != 0)
        status = add_pressure(shape, across, error);
    thaw_free(across);
    return status;
}

// --- what is left open, and what is allowed --------------------------------------------------------------------------

ThawMembrane thaw_sheet_membrane(const ThawShapeDef *def, const ThawMaterial *materials, const int32_t *material) {
    if (def->membrane != THAW_MEMBRANE_AUTO)
        return def->membrane;
    for (int32_t e = 0; e < def->mesh->element_count; e++)
        if (thaw_weave_is_given(&materials[material[e]].weave))
            return THAW_MEMBRANE_WOVEN;
    return THAW_MEMBRANE_PLANE_STRESS;
}

ThawStatus thaw_sheet_check(const ThawShapeDef *def, const char *name, ThawError *error) {
    if ((unsigned)def->membrane > THAW_MEMBRANE_AUTO)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: membrane is %d; allowed: a ThawMembrane", name,
                              (int)def->membrane);
    if ((unsigned)def->bending > THAW_BENDING_HINGE)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: bending is %d; allowed: a ThawBending", name,
                              (int)def->bending);
    if ((unsigned)def->limiting > THAW_LIMIT_CLAMP)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: limiting is %d; allowed: a ThawLimiting", name,
                              (int)def->limiting);
    if (!isfinite(def->bending_damping))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: bending_damping is %g s; allowed: >= 0, or < 0 for the material's alpha1",
                              name, def->bending_damping);
    const double yields[] = {def->yield_curvature, def->yield_angle};
    for (int i = 0; i < 2; i++)
        if (!(yields[i] >= 0 && isfinite(yields[i])))
            return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: %s is %g; allowed: >= 0, 0: it never yields",
                                  name, i == 0 ? "yield_curvature (1/m)" : "yield_angle (rad)", yields[i]);
    if (!isfinite(def->pressure))
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: pressure is %g Pa; allowed: a finite number", name,
                              def->pressure);
    return THAW_OK;
}

ThawStatus thaw_sheet_check_material(const ThawShape *shape, const ThawMaterial *material, int32_t index,
                                     ThawError *error) {
    if (shape->membrane != THAW_MEMBRANE_WOVEN && thaw_weave_is_given(&material->weave))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: material %d is woven, and membrane is %d; allowed: THAW_MEMBRANE_WOVEN (%d)",
                              shape->name, (int)index, (int)shape->membrane, (int)THAW_MEMBRANE_WOVEN);
    if (shape->membrane == THAW_MEMBRANE_LENGTHS && !(material->edge_stiffness > 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: edge_stiffness of material %d is %g N; allowed: > 0 with "
                              "THAW_MEMBRANE_LENGTHS",
                              shape->name, (int)index, material->edge_stiffness);
    return THAW_OK;
}

ThawStatus thaw_sheet_check_method(const char *where, const ThawMethod *method, ThawError *error) {
    return method->moves_sheets
               ? THAW_OK
               : thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                                "%s: method \"%s\" does not move sheets yet; allowed: \"full\"", where, method->name);
}

ThawStatus thaw_sheets_allow(const ThawModel *model, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t b = 0; b < model->body_count && status == THAW_OK; b++) {
        const ThawModelBody *body = &model->bodies[b];
        char where[160];
        if (!thaw_shape_is_sheet(body->base))
            continue;
        snprintf(where, sizeof where, "body %d (%.80s), a sheet", (int)b, body->name);
        status = thaw_sheet_check_method(where, thaw_method_at(body->method), error);
        const char *unable = body->unit ? "units" : body->self_contact ? "self_contact" : NULL;
        if (status == THAW_OK && unable)
            status = thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                                    "%s: no %s of sheets yet; allowed: to leave them out", where, unable);
    }
    return status;
}
