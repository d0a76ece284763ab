// SPDX-License-Identifier: Apache-2.0
// The outside of everything in a frame: src/mesh finds the surface of tetrahedra; all triangles of sheets, and in 2D
// all there are, are seen.
#include <string.h>

#include "mesh/mesh.h"
#include "output/frame_data.h"

void thaw_skin_clear(ThawSkin *skin) {
    thaw_free(skin->triangles);
    thaw_free(skin->element);
    *skin = (ThawSkin){0};
}

static ThawStatus reserve(size_t triangles, ThawSkin *skin, ThawError *error) {
    *skin = (ThawSkin){.triangles = THAW_NEW(int32_t, 3 * triangles), .element = THAW_NEW(int32_t, triangles)};
    if (skin->triangles && skin->element)
        return THAW_OK;
    thaw_skin_clear(skin);
    return thaw_error_memory(error, "the surface of a frame");
}

static void add(ThawSkin *skin, const int32_t *corners, int32_t element) {
    memcpy(skin->triangles + 3 * (size_t)skin->triangle_count, corners, 3 * sizeof *corners);
    skin->element[skin->triangle_count++] = element;
}

// The boundary of the tetrahedra; `surface` counts elements among them.
static ThawStatus build_solids(int32_t vertex_count, const int32_t *cells, int32_t cell_count, ThawSurface **surface,
                               ThawError *error) {
    int32_t *solid = THAW_NEW(int32_t, 4 * (size_t)cell_count), count = 0;
    if (!solid)
        return thaw_error_memory(error, "the surface of a frame");
    for (int32_t e = 0; e < cell_count; e++)
        if (!thaw_cell_is_sheet(4, cells + 4 * (size_t)e))
            memcpy(solid + 4 * (size_t)count++, cells + 4 * (size_t)e, 4 * sizeof *cells);
    // Topology asks for no coordinates.
    const ThawMesh mesh = {
        .dim = 3, .nodes = 4, .vertex_count = vertex_count, .element_count = count, .elements = solid};
    const ThawStatus status = thaw_mesh_surface(&mesh, surface, error);
    thaw_free(solid);
    return status;
}

// Faces of solids and triangles of sheets in the order of their elements.
static ThawStatus build_mixed(int32_t vertex_count, const int32_t *cells, int32_t cell_count, ThawSkin *skin,
                              ThawError *error) {
    ThawSurface *surface = NULL;
    ThawStatus status = build_solids(vertex_count, cells, cell_count, &surface, error);
    if (status == THAW_OK)
        status = reserve((size_t)surface->count + (size_t)cell_count, skin, error);
    for (int32_t e = 0, solid = 0, face = 0; status == THAW_OK && e < cell_count; e++) {
        if (thaw_cell_is_sheet(4, cells + 4 * (size_t)e)) {
            add(skin, cells + 4 * (size_t)e, e);
            continue;
        }
        for (; face < surface->count && surface->element[face] == solid; face++)
            add(skin, surface->faces + 3 * (size_t)face, e);
        solid++;
    }
    thaw_surface_free(&surface);
    return status;
}

ThawStatus thaw_skin_build(int32_t vertex_count, int nodes, const int32_t *elements, int32_t element_count,
                           ThawSkin *skin, ThawError *error) {
    *skin = (ThawSkin){0};
    if (nodes == 4)
        return build_mixed(vertex_count, elements, element_count, skin, error);
    const ThawStatus status = reserve((size_t)element_count, skin, error);
    for (int32_t e = 0; status == THAW_OK && e < element_count; e++)
        add(skin, elements + 3 * (size_t)e, e);
    return status;
}
