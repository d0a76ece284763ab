// SPDX-License-Identifier: Apache-2.0
// The outside of everything in a frame: src/mesh finds the surface of tetrahedra, and in 2D all triangles are seen.
#include <string.h>

#include "mesh/mesh.h"
#include "output/frame_data.h"

void thaw_skin_clear(ThawSkin *skin) {
    thaw_free(skin->triangles);
    thaw_free(skin->element);
    *skin = (ThawSkin){0};
}

ThawStatus thaw_skin_build(int32_t vertex_count, int nodes, const int32_t *elements, int32_t element_count,
                           ThawSkin *skin, ThawError *error) {
    *skin = (ThawSkin){0};
    if (nodes == 4) {
        // A view of the caller's arrays; the surface is topology and asks for no coordinates.
        const ThawMesh mesh = {.dim = 3,
                               .nodes = 4,
                               .vertex_count = vertex_count,
                               .element_count = element_count,
                               .elements = (int32_t *)elements};
        ThawSurface *surface;
        ThawStatus status = thaw_mesh_surface(&mesh, &surface, error);
        if (status != THAW_OK)
            return status;
        *skin = (ThawSkin){.triangle_count = surface->count, .triangles = surface->faces, .element = surface->element};
        surface->faces = surface->element = NULL;
        thaw_surface_free(&surface);
        return THAW_OK;
    }
    *skin = (ThawSkin){.triangle_count = element_count,
                       .triangles = THAW_NEW(int32_t, 3 * (size_t)element_count),
                       .element = THAW_NEW(int32_t, element_count)};
    if (!skin->triangles || !skin->element) {
        thaw_skin_clear(skin);
        return thaw_error_memory(error, "the surface of a frame");
    }
    memcpy(skin->triangles, elements, 3 * sizeof *elements * (size_t)element_count);
    for (int32_t e = 0; e < element_count; e++)
        skin->element[e] = e;
    return THAW_OK;
}
