// SPDX-License-Identifier: Apache-2.0
// Which reader for which file: by the ending of its name, upper or lower case.
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "mesh/draft.h"
#include "mesh/soup.h"
#include "mesh/text.h"
#include "thaw/read.h"
#include "thaw/triangles.h"

typedef struct Format {
    const char *ending;
    char comment;
    ThawHeadCheck head;
    ThawStatus (*read)(ThawText *text, ThawDraft *draft);
} Format;

// Formats of one file each.
static const Format formats[] = {{".msh", 0, thaw_head_gmsh, thaw_read_gmsh},
                                 {".mesh", '#', thaw_head_medit, thaw_read_medit},
                                 {".meshb", 0, thaw_head_meshb, thaw_read_meshb},
                                 {".vtk", 0, thaw_head_vtk, thaw_read_vtk},
                                 {".vtu", 0, thaw_head_vtu, thaw_read_vtu}};

static int is_one_of_several(const char *path) {
    return thaw_ends_with(path, ".node") || thaw_ends_with(path, ".ele") || thaw_ends_with(path, ".poly");
}

static ThawStatus refuse_ending(const char *path, ThawError *error) {
    if (thaw_ends_with(path, ".obj") || thaw_ends_with(path, ".ply") || thaw_ends_with(path, ".stl"))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: a surface, not a volume; thaw mesh fills a closed one with tetrahedra",
                              thaw_text_path(path));
    return thaw_error_set(
        error, THAW_ERROR_INPUT,
        "%s: unknown kind of mesh file; allowed are .msh (Gmsh), .mesh and .meshb (Medit), .node, .ele "
        "and .poly (TetGen, Triangle), .vtk and .vtu; and to be meshed surfaces (.obj, .ply, .stl), drawings (.svg, "
        ".poly) and solids (.json)",
        thaw_text_path(path));
}

static const Format *find_format(const char *path) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (thaw_ends_with(path, formats[i].ending))
            return formats + i;
    return NULL;
}

// The path with another ending, in the caller's own spelling where it is the one that was named.
static char *beside(const char *path, const char *ending) {
    const size_t length = strlen(path), stem = (size_t)(strrchr(path, '.') - path);
    char *other = THAW_NEW(char, length + 6);
    if (other) {
        memcpy(other, path, length);
        if (!thaw_ends_with(path, ending))
            strcpy(other + stem, ending);
    }
    return other;
}

// The files of TetGen and Triangle that belong together, whichever was named. .face may be missing, and .node when
// .poly was named; .poly is read only then.
static ThawStatus read_several(const char *path, ThawDraft *draft, ThawMesh **mesh, ThawMeshReport *report,
                               ThawError *error) {
    static const char *const endings[4] = {".node", ".ele", ".face", ".poly"};
    char *paths[4] = {NULL};
    ThawText texts[4] = {{0}};
    ThawStatus status = THAW_OK;
    int there[4];
    for (int i = 0; i < 4 && !status; i++)
        if (!(paths[i] = beside(path, endings[i])))
            status = thaw_error_memory(error, "the path of a mesh");
    const int outline = thaw_ends_with(path, ".poly");
    for (int i = 0; i < 4 && !status; i++) {
        const int optional = i == 2 || (i == 0 && outline);
        there[i] = i == 3 ? outline : !optional || access(paths[i], F_OK) == 0;
        if (i == 1 && outline && access(paths[1], F_OK) != 0)
            status = thaw_error_set(
                error, THAW_ERROR_INPUT,
                "%s: an outline, and no .ele file with its triangles beside it; take it as a drawing (thaw new, thaw "
                "mesh, or \"solid\": \"FILE.poly\" in a scene), or mesh it by Triangle (triangle -pq FILE.poly)",
                thaw_text_path(path));
        if (there[i] && !status)
            status = thaw_text_open(paths[i], '#', thaw_head_tetgen, texts + i, error);
    }
    if (!status) {
        draft->path = paths[1];
        status = thaw_read_tetgen(there[0] ? texts : NULL, texts + 1, there[2] ? texts + 2 : NULL,
                                  there[3] ? texts + 3 : NULL, draft);
    }
    for (int i = 0; i < 4; i++)
        thaw_text_close(texts + i); // before the mesh is made: they may be large
    if (!status)
        status = thaw_draft_finish(draft, mesh, report, error);
    for (int i = 0; i < 4; i++)
        thaw_free(paths[i]);
    return status;
}

static ThawStatus read_file(const char *path, const ThawReadOptions *options, int sheet, ThawMesh **mesh,
                            ThawMeshReport *report, ThawError *error) {
    ThawMeshReport ignored;
    report = report ? report : &ignored;
    *report = (ThawMeshReport){0};
    if (mesh)
        *mesh = NULL;
    if (!path || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_read: path and mesh may not be NULL");
    const Format *format = find_format(path);
    if (!format && !is_one_of_several(path))
        return refuse_ending(path, error);
    ThawDraft draft;
    ThawStatus status;
    thaw_draft_init(&draft, path);
    draft.sheet = sheet;
    if (!format) {
        status = read_several(path, &draft, mesh, report, error);
    } else {
        ThawText text;
        status = thaw_text_open(path, format->comment, format->head, &text, error);
        text.unpack_limit = options ? options->unpack_limit : 0;
        if (!status)
            status = format->read(&text, &draft);
        thaw_text_close(&text);
        if (!status)
            status = thaw_draft_finish(&draft, mesh, report, error);
    }
    thaw_draft_free(&draft);
    return status;
}

ThawStatus thaw_mesh_read_with(const char *path, const ThawReadOptions *options, ThawMesh **mesh,
                               ThawMeshReport *report, ThawError *error) {
    return read_file(path, options, 0, mesh, report, error);
}

ThawStatus thaw_mesh_read_sheet_textured(const char *path, const ThawReadOptions *options, ThawMesh **mesh, double **uv,
                                         ThawError *error) {
    *mesh = NULL;
    *uv = NULL;
    if (find_format(path) || is_one_of_several(path))
        return read_file(path, options, 1, mesh, NULL, error);
    ThawTriangleMesh *surface = NULL;
    ThawError found = {0};
    ThawStatus status = thaw_triangles_read_textured(path, &surface, uv, error);
    if (!status && (status = thaw_mesh_of_triangles(surface, mesh, &found)))
        thaw_error_set(error, status, "%s: %.800s", thaw_text_path(path), found.message);
    thaw_triangles_free(&surface);
    if (status) {
        thaw_free(*uv);
        *uv = NULL;
    }
    return status;
}

ThawStatus thaw_mesh_read_sheet(const char *path, const ThawReadOptions *options, ThawMesh **mesh,
                                ThawMeshReport *report, ThawError *error) {
    double *uv = NULL;
    if (mesh)
        *mesh = NULL;
    if (!path || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_read_sheet: path and mesh may not be NULL");
    if (find_format(path) || is_one_of_several(path))
        return read_file(path, options, 1, mesh, report, error);
    const ThawStatus status = thaw_mesh_read_sheet_textured(path, options, mesh, &uv, error);
    thaw_free(uv);
    if (report)
        *report = (ThawMeshReport){0};
    return status;
}

ThawStatus thaw_mesh_read_report(const char *path, ThawMesh **mesh, ThawMeshReport *report, ThawError *error) {
    return thaw_mesh_read_with(path, NULL, mesh, report, error);
}

ThawStatus thaw_mesh_read(const char *path, ThawMesh **mesh, int32_t *reoriented, ThawError *error) {
    ThawMeshReport report;
    const ThawStatus status = thaw_mesh_read_report(path, mesh, &report, error);
    if (reoriented)
        *reoriented = status ? 0 : (int32_t)report.reoriented.count;
    return status;
}

ThawStatus thaw_mesh_parse(const void *bytes, size_t size, const char *ending, const char *name, ThawMesh **mesh,
                           ThawMeshReport *report, ThawError *error) {
    ThawMeshReport ignored;
    report = report ? report : &ignored;
    *report = (ThawMeshReport){0};
    if (mesh)
        *mesh = NULL;
    if (!bytes || !ending || !name || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_parse: bytes, ending, name and mesh may not be NULL");
    const Format *format = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending, formats[i].ending) == 0)
            format = formats + i;
    if (!format)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: the ending is \"%.40s\"; allowed are .msh, .mesh, .meshb, .vtk and .vtu",
                              thaw_text_path(name), ending);
    ThawDraft draft;
    ThawText text;
    thaw_draft_init(&draft, name);
    ThawStatus status = thaw_text_copy(bytes, size, name, format->comment, format->head, &text, error);
    if (!status)
        status = format->read(&text, &draft);
    thaw_text_close(&text);
    if (!status)
        status = thaw_draft_finish(&draft, mesh, report, error);
    thaw_draft_free(&draft);
    return status;
}
