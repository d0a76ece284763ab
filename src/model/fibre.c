// SPDX-License-Identifier: Apache-2.0
// Fibres of a solid: one more block of elements on the nodes of those cells whose material has fibres (force/fibre.c).
// Rest data b_n = g_n . a follow from the cells' own gradients, so shapes that are changed or put together make theirs
// from what they have anyway. Linear.
#include "model/fibre.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double shortest = 1e-9; // of directions: what is less counts as none

static int has_fibres(const ThawShape *shape, int32_t e) {
    return shape->materials[shape->cells->material[e]].fibre.stiffness > 0;
}

// A unit vector, or an error that names the element (-1: none).
static ThawStatus take_direction(const ThawShape *shape, const double *a, int32_t element, double unit[3],
                                 ThawError *error) {
    double square = 0;
    for (int k = 0; k < shape->dim; k++)
        square += a[k] * a[k];
    const double length = sqrt(square);
    for (int k = 0; k < 3; k++)
        unit[k] = k < shape->dim ? a[k] / length : 0;
    if (isfinite(length) && length > shortest)
        return THAW_OK;
    char where[48] = "fibre";
    if (element >= 0)
        snprintf(where, sizeof where, "fibres of element %d", (int)element);
    return thaw_error_set(error, THAW_ERROR_INPUT, "shape %s: %s has the length %g; allowed: a direction", shape->name,
                          where, length);
}

// Directions by the mesh's element.
static ThawStatus take_directions(const ThawShapeDef *def, const ThawShape *shape, ThawElementData *data,
                                  ThawError *error) {
    const ThawMesh *mesh = def->mesh;
    double unit[3];
    if (!(data->fibre = THAW_NEW(double, 3 * (size_t)mesh->element_count)))
        return thaw_error_memory(error, "the fibres of a shape");
    ThawStatus status = def->fibres ? THAW_OK : take_direction(shape, def->fibre, -1, unit, error);
    for (int32_t e = 0; status == THAW_OK && e < mesh->element_count; e++) {
        if (def->fibres)
            status = take_direction(shape, def->fibres + (size_t)shape->dim * (size_t)e, e, unit, error);
        memcpy(data->fibre + 3 * (size_t)e, unit, sizeof unit);
    }
    return status;
}

static ThawStatus take_stiffness(const ThawShapeDef *def, const ThawShape *shape, ThawElementData *data,
                                 ThawError *error) {
    const int32_t count = def->mesh->element_count;
    if (thaw_mesh_is_sheet(def->mesh))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: stiffness is given, and the shape is a sheet; allowed: NULL", shape->name);
    if (!(data->factor = THAW_NEW(double, count)))
        return thaw_error_memory(error, "the stiffness of a shape");
    for (int32_t e = 0; e < count; e++) {
        data->factor[e] = def->stiffness[e];
        if (!(data->factor[e] > 0 && isfinite(data->factor[e])))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "shape %s: stiffness of element %d is %g; allowed: > 0 and finite", shape->name,
                                  (int)e, data->factor[e]);
    }
    return THAW_OK;
}

ThawStatus thaw_fibres_take(const ThawShapeDef *def, const ThawShape *shape, const ThawMaterial *materials,
                            ThawElementData *data, ThawError *error) {
    int32_t e = 0;
    while (e < def->mesh->element_count && !(materials[data->material[e]].fibre.stiffness > 0))
        e++;
    const int has = e < def->mesh->element_count;
    if (has && thaw_mesh_is_sheet(def->mesh))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "shape %s: material %d has fibres, and the shape is a sheet; allowed: a weave",
                              shape->name, (int)data->material[e]);
    ThawStatus status = has ? take_directions(def, shape, data, error) : THAW_OK;
    return status == THAW_OK && def->stiffness ? take_stiffness(def, shape, data, error) : status;
}

static int32_t count_fibres(const ThawShape *shape) {
    int32_t count = 0;
    for (int32_t e = 0; e < shape->ne; e++)
        count += has_fibres(shape, e);
    return count;
}

ThawStatus thaw_fibres_add_block(ThawShape *shape, ThawError *error) {
    const ThawElementBlock *cells = shape->cells, *last = &shape->blocks[shape->block_count - 1];
    const int nodes = cells->kind->nodes, dim = shape->dim;
    const int32_t count = shape->fibre ? count_fibres(shape) : 0;
    if (count == 0)
        return THAW_OK;
    const ThawElementOps *kind = thaw_element_fibre(dim);
    ThawElementBlock *block = &shape->blocks[shape->block_count++];
    *block = (ThawElementBlock){.kind = kind,
                                .first = last->first + last->count,
                                .elements = THAW_NEW(int32_t, (size_t)nodes * (size_t)count),
                                .material = THAW_NEW(int32_t, count),
                                .weight = THAW_NEW(double, count),
                                .gradient = THAW_NEW(double, (size_t)(nodes - 1) * (size_t)count),
                                .factor = cells->factor ? THAW_NEW(double, count) : NULL,
                                .damping = -1};
    if (!block->elements || !block->material || !block->weight || !block->gradient || (cells->factor && !block->factor))
        return thaw_error_memory(error, "the fibres of a shape");
    for (int32_t e = 0; e < shape->ne; e++) {
        const size_t i = (size_t)block->count;
        if (!has_fibres(shape, e))
            continue;
        memcpy(block->elements + (size_t)nodes * i, cells->elements + (size_t)nodes * (size_t)e,
               sizeof(int32_t) * (size_t)nodes);
        block->material[i] = cells->material[e];
        block->weight[i] = cells->weight[e];
        if (block->factor)
            block->factor[i] = cells->factor[e];
        const double *a = shape->fibre + 3 * (size_t)e;
        const double *g = cells->gradient + (size_t)((nodes - 1) * dim) * (size_t)e;
        for (int n = 0; n < nodes - 1; n++) {
            double b = 0;
            for (int k = 0; k < dim; k++)
                b += g[n * dim + k] * a[k];
            block->gradient[(size_t)(nodes - 1) * i + (size_t)n] = b;
        }
        block->count++;
    }
    return THAW_OK;
}
