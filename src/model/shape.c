// SPDX-License-Identifier: Apache-2.0
// Compiling a shape: renumbering, rest gradients, lumped masses, groups, the full integration set. Everything that
// depends only on mesh and materials is computed here once and shared by all bodies of the shape. Linear in the mesh.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/change.h"
#include "model/crease.h"
#include "model/fibre.h"
#include "model/model.h"
#include "model/sheet.h"
#include "scene/select.h"

// Elements in the order of their lowest vertex (then of the mesh), vertices ascending inside each.
static ThawStatus renumber(const ThawMesh *mesh, ThawShape *shape, ThawError *error) {
    int nodes = mesh->nodes;
    int32_t nv = mesh->vertex_count, ne = mesh->element_count;
    int32_t *internal = THAW_NEW(int32_t, nv); // mesh -> internal
    int32_t *start = THAW_NEW(int32_t, nv + 1), *lowest = THAW_NEW(int32_t, ne);
    ThawStatus status = THAW_OK;
    if (!internal || !start || !lowest) {
        status = thaw_error_memory(error, "renumbering");
        goto done;
    }
    for (int32_t i = 0; i < nv; i++) {
        internal[shape->vertex_user[i]] = i;
        for (int k = 0; k < mesh->dim; k++)
            shape->X[(size_t)i * mesh->dim + k] = mesh->x[(size_t)shape->vertex_user[i] * mesh->dim + k];
    }
    for (int32_t e = 0; e < ne; e++) {
        lowest[e] = nv;
        for (int a = 0; a < nodes; a++) {
            int32_t v = internal[mesh->elements[(size_t)e * nodes + a]];
            lowest[e] = v < lowest[e] ? v : lowest[e];
        }
        start[lowest[e] + 1]++;
    }
    for (int32_t v = 0; v < nv; v++)
        start[v + 1] += start[v];
    for (int32_t e = 0; e < ne; e++) {
        int32_t place = start[lowest[e]]++, *to = shape->cells->elements + (size_t)place * nodes;
        shape->element_user[place] = e;
        for (int a = 0; a < nodes; a++) { // insertion sort
            int32_t v = internal[mesh->elements[(size_t)e * nodes + a]];
            int k = a;
            for (; k > 0 && to[k - 1] > v; k--)
                to[k] = to[k - 1];
            to[k] = v;
        }
    }
done:
    thaw_free(internal);
    thaw_free(start);
    thaw_free(lowest);
    return status;
}

// Weights, gradients and masses of a block. Sorting the nodes may have turned an element over; its weight is positive
// all the same and its gradients do not care. section: what its measure is multiplied with (thickness).
static void integrate_block(const ThawElementBlock *block, double section, ThawShape *shape) {
    const ThawElementOps *kind = block->kind;
    int space = kind->space, dim = kind->dim, nodes = kind->nodes;
    size_t stride = thaw_element_gradients(kind);
    double X[THAW_ELEMENT_NODES_MAX * 3];
    for (int32_t e = 0; e < block->count; e++) {
        const int32_t *vertex = block->elements + (size_t)e * nodes;
        for (int a = 0; a < nodes; a++)
            memcpy(X + a * space, shape->X + (size_t)vertex[a] * space, sizeof *X * (size_t)space);
        double *weight = block->weight + (size_t)e * kind->points, volume = 0;
        kind->rest(X, weight, block->gradient + (size_t)e * (size_t)kind->points * stride);
        for (int p = 0; p < kind->points; p++) {
            weight[p] = fabs(weight[p]) * section;
            volume += weight[p];
        }
        const ThawMaterial *material = &shape->materials[block->material[e]];
        for (int a = 0; a < nodes; a++) {
            shape->mass[vertex[a]] += material->density * volume / nodes;
            shape->damping_mass[vertex[a]] += material->alpha0 * material->density * volume / nodes;
        }
        for (int p = 0; p < kind->points; p++) {
            const double *gradient = block->gradient + ((size_t)e * (size_t)kind->points + (size_t)p) * stride;
            for (int a = 0; a < nodes; a++) {
                double square = 0;
                for (int k = 0; k < dim; k++) {
                    double g = 0; // of the first node: what the others leave
                    for (int b = a > 0 ? a : 1; b < (a > 0 ? a + 1 : nodes); b++)
                        g += gradient[(b - 1) * dim + k];
                    square += g * g;
                }
                double k = weight[p] * thaw_element_modulus(shape, block, e) * square;
                shape->stiffness[vertex[a]] += k;
                shape->stiffness_damping[vertex[a]] += material->alpha1 * k;
            }
        }
    }
}

static void measure(ThawShape *shape) {
    for (int32_t i = 0; i < shape->nv; i++)
        shape->has_drag |= shape->damping_mass[i] != 0;
    double lo[3], hi[3], diagonal = 0;
    for (int k = 0; k < shape->dim; k++) {
        lo[k] = INFINITY, hi[k] = -INFINITY;
        for (int32_t i = 0; i < shape->nv; i++) {
            lo[k] = fmin(lo[k], shape->X[(size_t)i * shape->dim + k]);
            hi[k] = fmax(hi[k], shape->X[(size_t)i * shape->dim + k]);
        }
        diagonal += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    }
    shape->diameter = sqrt(diagonal);
    shape->gauge = thaw_shape_is_sheet(shape) ? shape->thickness : shape->diameter;
    for (int32_t i = 0; i < shape->nv; i++)
        shape->total_mass += shape->mass[i];
    if (thaw_shape_is_sheet(shape))
        return;
    // Half a vibration, pi L sqrt(rho / E) with L = V^(1/dim).
    const ThawElementBlock *cells = shape->cells;
    double volume = 0, stiff = 0;
    for (int32_t e = 0; e < cells->count; e++) {
        volume += cells->weight[e];
        stiff += cells->weight[e] * thaw_element_modulus(shape, cells, e);
    }
    shape->blow = M_PI * pow(volume / shape->thickness, 1.0 / shape->dim) * sqrt(shape->total_mass / stiff);
}

// Marks the vertices of one mesh group, by internal id. Returns 0 when the mesh has no group of that name.
static int mark_mesh_group(const ThawMesh *mesh, const ThawShape *shape, const char *name, unsigned char *marked) {
    for (int32_t g = 0; g < mesh->group_count; g++) {
        const ThawMeshGroup *group = &mesh->groups[g];
        if (strcmp(group->name, name) != 0)
            continue;
        for (int32_t i = 0; i < shape->nv; i++) { // ids ascend: bisect
            int32_t lo = 0, hi = group->count, id = shape->vertex_user[i];
            while (lo < hi) {
                int32_t mid = lo + (hi - lo) / 2;
                if (group->vertices[mid] < id)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            marked[i] = lo < group->count && group->vertices[lo] == id;
        }
        return 1;
    }
    return 0;
}

static int32_t nearest_vertex(const ThawShape *shape, const double *a) {
    int32_t best = 0;
    double best_square = INFINITY;
    for (int32_t i = 0; i < shape->nv; i++) {
        double square = 0;
        for (int k = 0; k < shape->dim; k++) {
            double d = shape->X[(size_t)i * shape->dim + k] - a[k];
            square += d * d;
        }
        if (square < best_square || (square == best_square && shape->vertex_user[i] < shape->vertex_user[best])) {
            best = i;
            best_square = square;
        }
    }
    return best;
}

// A box may be open to one side (infinite).
ThawStatus thaw_check_group(const char *shape, const char *name, const ThawGroupDef *group, int dim, ThawError *error) {
    if ((unsigned)group->select > THAW_SELECT_NEAREST)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: group %s: select is %d; allowed: a ThawSelect", shape,
                              name, (int)group->select);
    int uses_a = group->select >= THAW_SELECT_BOX, box = group->select == THAW_SELECT_BOX,
        uses_b = box || group->select == THAW_SELECT_PLANE_SIDE;
    double length = 0;
    for (int k = 0; k < dim; k++) {
        length += fabs(group->b[k]);
        for (int b = 0; b < 2; b++) {
            double value = b ? group->b[k] : group->a[k];
            if ((b ? uses_b : uses_a) && (box ? isnan(value) : !isfinite(value)))
                return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: group %s: %c[%d] is %g; allowed: %s", shape,
                                      name, "ab"[b], k, value, box ? "a number" : "a finite number");
        }
    }
    if (group->select == THAW_SELECT_SPHERE && !(group->radius >= 0))
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: group %s: radius is %g m; allowed: >= 0", shape, name,
                              group->radius);
    if (group->select == THAW_SELECT_PLANE_SIDE && length == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: group %s: b is 0; allowed: the normal of a plane",
                              shape, name);
    return THAW_OK;
}

static ThawStatus compile_group(const ThawShapeDef *def, const ThawGroupDef *group_def, ThawShape *shape,
                                unsigned char *marked, ThawGroup *group, ThawError *error) {
    const char *name = group_def->name ? group_def->name : "(unnamed)";
    if (!(group->name = thaw_strdup(name)))
        return thaw_error_memory(error, "a group");
    memset(marked, 0, (size_t)shape->nv);
    ThawStatus status = thaw_check_group(shape->name, name, group_def, shape->dim, error);
    if (status != THAW_OK)
        return status;
    if (group_def->select == THAW_SELECT_NEAREST)
        marked[nearest_vertex(shape, group_def->a)] = 1;
    else if (group_def->select == THAW_SELECT_MESH_GROUP) {
        if (!group_def->mesh_group || !mark_mesh_group(def->mesh, shape, group_def->mesh_group, marked))
            return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: group %s: the mesh has no group \"%s\"",
                                  shape->name, name, group_def->mesh_group ? group_def->mesh_group : "(NULL)");
    } else
        for (int32_t i = 0; i < shape->nv; i++)
            marked[i] = (unsigned char)thaw_select_chooses(group_def, shape->dim, thaw_select_slack(shape->diameter),
                                                           shape->X + (size_t)i * shape->dim);
    for (int32_t i = 0; i < shape->nv; i++)
        group->count += marked[i];
    if (group->count == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: group %s selects no vertex", shape->name, name);
    if (!(group->vertices = THAW_NEW(int32_t, group->count)))
        return thaw_error_memory(error, "a group");
    for (int32_t i = 0, k = 0; i < shape->nv; i++)
        if (marked[i]) {
            group->vertices[k++] = i;
            group->mass += shape->mass[i];
        }
    return THAW_OK;
}

static ThawStatus compile_groups(const ThawShapeDef *def, ThawShape *shape, ThawError *error) {
    if (def->group_count < 0 || (def->group_count > 0 && !def->groups))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: group_count is %d with groups %s; allowed: >= 0, given", shape->name,
                              (int)def->group_count, def->groups ? "given" : "NULL");
    unsigned char *marked = THAW_NEW(unsigned char, shape->nv);
    shape->groups = THAW_NEW(ThawGroup, def->group_count);
    ThawStatus status = marked && shape->groups ? THAW_OK : thaw_error_memory(error, "the groups");
    for (int32_t g = 0; status == THAW_OK && g < def->group_count; g++) {
        shape->group_count = g + 1;
        status = compile_group(def, &def->groups[g], shape, marked, &shape->groups[g], error);
    }
    thaw_free(marked);
    return status;
}

// Materials by the mesh's element, for thaw_free.
static ThawStatus assign_materials(const ThawShapeDef *def, const char *name, int32_t material_count, int32_t **result,
                                   ThawError *error) {
    const ThawMesh *mesh = def->mesh;
    for (int32_t r = 0; def->region_material && r < mesh->region_count; r++)
        if (def->region_material[r] < -1 || def->region_material[r] >= material_count)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "shape %s: region_material[%d] is %d; allowed: 0 to %d, or -1 for the default", name,
                                  (int)r, (int)def->region_material[r], (int)material_count - 1);
    int32_t *materials = *result = THAW_NEW(int32_t, mesh->element_count);
    if (!materials)
        return thaw_error_memory(error, "a shape");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        int32_t material = def->region_material ? def->region_material[mesh->region[e]] : -1;
        if (material < 0)
            material = def->material;
        if (material < 0 || material >= material_count)
            return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: material is %d; allowed: 0 to %d", name,
                                  (int)material, (int)material_count - 1);
        materials[e] = material;
    }
    return THAW_OK;
}

// Room for the block of the mesh's own elements, and for four more: bending, limits and pressure of a sheet, or
// fibres.
static ThawStatus add_cells(const ThawElementOps *kind, int32_t count, ThawShape *shape, ThawError *error) {
    size_t ne = (size_t)count, points = (size_t)kind->points;
    shape->blocks = THAW_NEW(ThawElementBlock, 5);
    if (!shape->blocks)
        return thaw_error_memory(error, "a shape");
    shape->block_count = 1;
    shape->cells = &shape->blocks[0];
    shape->blocks[0] = (ThawElementBlock){.kind = kind,
                                          .count = count,
                                          .elements = THAW_NEW(int32_t, ne * (size_t)kind->nodes),
                                          .material = THAW_NEW(int32_t, ne),
                                          .weight = THAW_NEW(double, ne *points),
                                          .gradient = THAW_NEW(double, ne *points *thaw_element_gradients(kind))};
    const ThawElementBlock *cells = shape->cells;
    return cells->elements && cells->material && cells->weight && cells->gradient ? THAW_OK
                                                                                  : thaw_error_memory(error, "a shape");
}

ThawStatus thaw_shape_reserve(const ThawMesh *mesh, const ThawElementOps *kind, int32_t points, ThawShape *shape,
                              ThawError *error) {
    size_t nv = (size_t)mesh->vertex_count, ne = (size_t)mesh->element_count, nodes = (size_t)mesh->nodes;
    shape->nv = mesh->vertex_count;
    shape->ne = mesh->element_count;
    shape->points = points;
    shape->vertex_user = THAW_NEW(int32_t, points);
    shape->element_user = THAW_NEW(int32_t, ne);
    shape->X = THAW_NEW(double, (size_t)points *(size_t)mesh->dim);
    shape->elements_user = THAW_NEW(int32_t, ne * nodes);
    shape->region = THAW_NEW(int32_t, ne);
    shape->mass = THAW_NEW(double, points);
    shape->damping_mass = THAW_NEW(double, nv);
    shape->stiffness = THAW_NEW(double, nv);
    shape->stiffness_damping = THAW_NEW(double, nv);
    if (!shape->vertex_user || !shape->element_user || !shape->X || !shape->elements_user || !shape->region ||
        !shape->mass || !shape->damping_mass || !shape->stiffness || !shape->stiffness_damping)
        return thaw_error_memory(error, "a shape");
    return add_cells(kind, mesh->element_count, shape, error);
}

ThawStatus thaw_shape_finish(ThawShape *shape, ThawError *error) {
    const ThawMesh renumbered = {.dim = shape->dim,
                                 .nodes = shape->cells->kind->nodes,
                                 .vertex_count = shape->nv,
                                 .element_count = shape->ne,
                                 .elements = shape->cells->elements};
    ThawStatus status = thaw_shape_is_sheet(shape) ? thaw_sheet_graph(shape, &shape->graph, error)
                                                   : thaw_graph_create(&renumbered, &shape->graph, error);
    if (status == THAW_OK)
        status = thaw_mesh_neighbours(&renumbered, &shape->across, error);
    if (status != THAW_OK)
        return status;
    measure(shape);
    return thaw_integration_create(shape, NULL, 0, &shape->all, error);
}

void thaw_element_data_clear(ThawElementData *data) {
    thaw_free(data->material);
    thaw_free(data->factor);
    thaw_free(data->fibre);
    *data = (ThawElementData){0};
}

// From the mesh's order to the shape's.
static ThawStatus take_element_data(const ThawElementData *data, ThawShape *shape, ThawError *error) {
    ThawElementBlock *cells = &shape->blocks[0];
    if ((data->factor && !(cells->factor = THAW_NEW(double, shape->ne))) ||
        (data->fibre && !(shape->fibre = THAW_NEW(double, 3 * (size_t)shape->ne))))
        return thaw_error_memory(error, "a shape");
    for (int32_t i = 0; i < shape->ne; i++) {
        const int32_t e = shape->element_user[i];
        cells->material[i] = data->material[e];
        if (data->factor)
            cells->factor[i] = data->factor[e];
        if (data->fibre)
            memcpy(shape->fibre + 3 * (size_t)i, data->fibre + 3 * (size_t)e, 3 * sizeof *data->fibre);
    }
    return THAW_OK;
}

static void scale_masses(ThawShape *shape, double factor) {
    for (int32_t i = 0; i < shape->nv; i++) {
        shape->mass[i] *= factor;
        shape->damping_mass[i] *= factor;
    }
    shape->total_mass *= factor;
    shape->blow *= sqrt(factor);
}

ThawStatus thaw_shape_fill(const ThawMesh *mesh, const ThawElementData *data, int32_t points, ThawShape *shape,
                           ThawError *error) {
    // A mesh's elements fill its space, or are a sheet in it.
    const int sheet = thaw_mesh_is_sheet(mesh);
    const ThawElementOps *kind =
        sheet ? thaw_element_membrane(shape->membrane) : thaw_element_kind(mesh->dim, mesh->dim, mesh->nodes);
    if (!kind)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: no element has %d nodes in dimension %d", shape->name,
                              mesh->nodes, mesh->dim);
    ThawStatus status = thaw_shape_reserve(mesh, kind, points, shape, error);
    if (status != THAW_OK)
        return status;
    memcpy(shape->elements_user, mesh->elements, sizeof(int32_t) * (size_t)mesh->element_count * (size_t)mesh->nodes);
    memcpy(shape->region, mesh->region, sizeof(int32_t) * (size_t)mesh->element_count);
    ThawGraph *graph = NULL; // in the mesh's numbering
    status = sheet ? thaw_sheet_order(mesh, shape->vertex_user, error) : thaw_graph_create(mesh, &graph, error);
    if (status == THAW_OK && !sheet)
        status = thaw_graph_order_rcm(graph, shape->vertex_user, error);
    thaw_graph_free(&graph);
    if (status == THAW_OK)
        status = renumber(mesh, shape, error);
    if (status != THAW_OK)
        return status;
    if ((status = take_element_data(data, shape, error)) != THAW_OK)
        return status;
    integrate_block(shape->cells, shape->thickness, shape);
    if (shape->warp)
        thaw_sheet_turn(shape);
    status = sheet ? thaw_sheet_add_blocks(shape, error) : thaw_fibres_add_block(shape, error);
    status = status == THAW_OK ? thaw_shape_finish(shape, error) : status;
    if (status == THAW_OK && shape->heavier > 0)
        scale_masses(shape, shape->heavier);
    return status;
}

ThawStatus thaw_shape_compile(const ThawShapeDef *def, int dim, const ThawMaterial *materials, int32_t material_count,
                              ThawShape *shape, ThawError *error) {
    const ThawMesh *mesh = def->mesh;
    const char *name = def->name ? def->name : "(unnamed)";
    char where[160];
    snprintf(where, sizeof where, "shape %.120s", name);
    ThawStatus made = thaw_check_made(where, def->made, "thaw_shape_def_default", error);
    if (made != THAW_OK)
        return made;
    if (!mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: mesh is NULL", name);
    if (mesh->dim != dim)
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: a mesh of dimension %d in a world of dimension %d",
                              name, mesh->dim, dim);
    const int sheet = thaw_mesh_is_sheet(mesh);
    if ((dim == 2 || sheet) && !(def->thickness > 0 && isfinite(def->thickness)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: thickness is %g; allowed: > 0", name, def->thickness);
    if (!(def->mass >= 0) || !isfinite(def->mass))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: mass is %g kg; allowed: > 0, or 0 for that of the "
                              "densities",
                              name, def->mass);
    if (!(def->smooth >= 0 && def->smooth <= (sheet ? 0 : 90)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: smooth is %g degrees; allowed: %s", name, def->smooth,
                              sheet ? "0, for it is a sheet" : "0 to 90");
    ThawStatus status = thaw_mesh_validate(mesh, error);
    if (status == THAW_OK && sheet)
        status = thaw_sheet_check(def, name, error);
    if (status != THAW_OK)
        return status;
    ThawElementData data = {0};
    shape->dim = dim;
    shape->materials = materials;
    shape->thickness = dim == 2 || sheet ? def->thickness : 1;
    shape->bending = def->bending;
    shape->bending_damping = def->bending_damping;
    shape->limiting = def->limiting;
    shape->yield_curvature = sheet ? def->yield_curvature : 0;
    shape->yield_angle = sheet ? def->yield_angle : 0;
    shape->smooth = def->smooth;
    if (!(shape->name = thaw_strdup(name)))
        return thaw_error_memory(error, "a shape");
    shape->pressure = sheet ? def->pressure : 0;
    status = assign_materials(def, name, material_count, &data.material, error);
    if (status == THAW_OK && sheet)
        shape->membrane = thaw_sheet_membrane(def, materials, data.material);
    for (int32_t e = 0; sheet && status == THAW_OK && e < mesh->element_count; e++)
        status = thaw_sheet_check_material(shape, &materials[data.material[e]], data.material[e], error);
    if (status == THAW_OK && sheet && shape->membrane == THAW_MEMBRANE_WOVEN)
        status = thaw_sheet_weave(def, shape, error);
    for (int32_t e = 0; !sheet && status == THAW_OK && e < mesh->element_count; e++) {
        const double *limits = materials[data.material[e]].strain_limits;
        if (limits[0] > 0 || limits[1] > 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "shape %s: material %d has strain limits, and the shape is no sheet; allowed: none "
                                    "(0)",
                                    name, (int)data.material[e]);
    }
    if (status == THAW_OK)
        status = thaw_fibres_take(def, shape, materials, &data, error);
    if (status == THAW_OK)
        status = thaw_shape_fill(mesh, &data, mesh->vertex_count, shape, error);
    thaw_element_data_clear(&data);
    if (status == THAW_OK && def->mass > 0) {
        shape->heavier = def->mass / shape->total_mass;
        scale_masses(shape, shape->heavier);
    }
    return status == THAW_OK ? compile_groups(def, shape, error) : status;
}

void thaw_shape_clear(ThawShape *shape) {
    thaw_free(shape->name);
    thaw_free(shape->vertex_user);
    thaw_free(shape->element_user);
    thaw_free(shape->X);
    for (int32_t b = 0; b < shape->block_count; b++) {
        thaw_free(shape->blocks[b].elements);
        thaw_free(shape->blocks[b].material);
        thaw_free(shape->blocks[b].weight);
        thaw_free(shape->blocks[b].gradient);
        thaw_free(shape->blocks[b].role);
        thaw_free(shape->blocks[b].factor);
    }
    thaw_free(shape->blocks);
    thaw_free(shape->elements_user);
    thaw_free(shape->region);
    thaw_free(shape->mass);
    thaw_free(shape->damping_mass);
    thaw_free(shape->stiffness);
    thaw_free(shape->stiffness_damping);
    thaw_graph_free(&shape->graph);
    thaw_free(shape->across);
    thaw_free(shape->folds);
    thaw_creases_free(&shape->creases);
    thaw_hinges_free(&shape->hinges);
    thaw_free(shape->warp);
    thaw_free(shape->fibre);
    for (int32_t g = 0; g < shape->group_count; g++) {
        thaw_free(shape->groups[g].name);
        thaw_free(shape->groups[g].vertices);
    }
    thaw_free(shape->groups);
    thaw_integration_free(&shape->all);
    thaw_variant_free(&shape->variant);
}

ThawShape *thaw_shape_share(ThawShape *shape) {
    atomic_fetch_add(&shape->owners, 1);
    return shape;
}

void thaw_shape_free(ThawShape **pointer) {
    ThawShape *shape = *pointer;
    *pointer = NULL;
    if (!shape || atomic_fetch_sub(&shape->owners, 1) > 1)
        return;
    thaw_materials_free(&shape->shelf);
    thaw_shape_clear(shape);
    thaw_free(shape);
}
