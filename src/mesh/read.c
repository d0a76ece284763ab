// SPDX-License-Identifier: Apache-2.0
// Which reader for which file: by the ending of its name, upper or lower case.
#include <string.h>
#include <strings.h>

#include "mesh/draft.h"
#include "mesh/text.h"

static int ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

// A .node file and its .ele file, whichever of the two was named.
static ThawStatus read_pair(const char *path, ThawDraft *draft, ThawMesh **mesh, int32_t *reoriented,
                            ThawError *error) {
    const size_t length = strlen(path), stem = (size_t)(strrchr(path, '.') - path);
    char *node_path = THAW_NEW(char, length + 2), *ele_path = THAW_NEW(char, length + 2);
    ThawStatus status = node_path && ele_path ? THAW_OK : thaw_error_memory(error, "the path of a mesh");
    if (!status) {
        ThawText node, ele = {0};
        memcpy(node_path, path, length);
        memcpy(ele_path, path, length);
        if (!ends_with(path, ".node"))
            strcpy(node_path + stem, ".node");
        if (!ends_with(path, ".ele"))
            strcpy(ele_path + stem, ".ele");
        draft->path = ele_path;
        status = thaw_text_open(node_path, '#', &node, error);
        if (!status)
            status = thaw_text_open(ele_path, '#', &ele, error);
        if (!status)
            status = thaw_read_tetgen(&node, &ele, draft);
        thaw_text_close(&node);
        thaw_text_close(&ele);
        if (!status)
            status = thaw_draft_finish(draft, mesh, reoriented, error);
    }
    thaw_free(node_path);
    thaw_free(ele_path);
    return status;
}

static ThawStatus read_single(const char *path, char comment, ThawStatus (*reader)(ThawText *, ThawDraft *),
                              ThawDraft *draft, ThawMesh **mesh, int32_t *reoriented, ThawError *error) {
    ThawText text;
    ThawStatus status = thaw_text_open(path, comment, &text, error);
    if (!status)
        status = reader(&text, draft);
    thaw_text_close(&text); // before the mesh is made: the text may be large
    return status ? status : thaw_draft_finish(draft, mesh, reoriented, error);
}

ThawStatus thaw_mesh_read(const char *path, ThawMesh **mesh, int32_t *reoriented, ThawError *error) {
    int32_t ignored;
    ThawStatus status;
    reoriented = reoriented ? reoriented : &ignored;
    *reoriented = 0;
    if (mesh)
        *mesh = NULL;
    if (!path || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_read: path and mesh may not be NULL");
    ThawDraft draft;
    thaw_draft_init(&draft, path);
    if (ends_with(path, ".msh"))
        status = read_single(path, 0, thaw_read_gmsh, &draft, mesh, reoriented, error);
    else if (ends_with(path, ".mesh"))
        status = read_single(path, '#', thaw_read_medit, &draft, mesh, reoriented, error);
    else if (ends_with(path, ".node") || ends_with(path, ".ele"))
        status = read_pair(path, &draft, mesh, reoriented, error);
    else
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: unknown kind of mesh file; allowed are .msh (Gmsh), .mesh (Medit), .node and .ele",
                                thaw_text_path(path));
    thaw_draft_free(&draft);
    return status;
}
