// SPDX-License-Identifier: Apache-2.0
// A triangle surface as plain data: making room for it, checking and freeing it, taking it off a mesh, and which reader
// for which file. All linear.
#include "thaw/triangles.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "mesh/mesh.h"
#include "mesh/soup.h"

ThawStatus thaw_triangles_create(int32_t vertex_count, int32_t triangle_count, ThawTriangleMesh **mesh,
                                 ThawError *error) {
    if (!mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_create: mesh may not be NULL");
    *mesh = NULL;
    if (vertex_count < 0 || triangle_count < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "vertex_count is %d and triangle_count is %d; allowed are 0 and more", vertex_count,
                              triangle_count);
    ThawTriangleMesh *m = THAW_NEW(ThawTriangleMesh, 1);
    if (!m)
        return thaw_error_memory(error, "a surface");
    m->vertex_count = vertex_count;
    m->triangle_count = triangle_count;
    m->x = THAW_NEW(double, 3 * (size_t)vertex_count);
    m->triangles = THAW_NEW(int32_t, 3 * (size_t)triangle_count);
    if (!m->x || !m->triangles) {
        thaw_triangles_free(&m);
        return thaw_error_memory(error, "a surface");
    }
    *mesh = m;
    return THAW_OK;
}

void thaw_triangles_free(ThawTriangleMesh **mesh) {
    if (!mesh || !*mesh)
        return;
    ThawTriangleMesh *m = *mesh;
    for (int32_t g = 0; m->groups && g < m->group_count; g++) {
        thaw_free(m->groups[g].name);
        thaw_free(m->groups[g].triangles);
    }
    thaw_free(m->groups);
    thaw_free(m->triangles);
    thaw_free(m->x);
    thaw_free(m);
    *mesh = NULL;
}

static ThawStatus check_group(const ThawTriangleMesh *mesh, int32_t g, ThawError *error) {
    const ThawTriangleGroup *group = mesh->groups + g;
    if (!group->name || !group->name[0] || group->count < 0 || (group->count && !group->triangles))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "group %d has no name, a negative count, or a count and no triangles", g);
    for (int32_t i = 0; i < group->count; i++) {
        const int32_t t = group->triangles[i];
        if (t < 0 || t >= mesh->triangle_count || (i && t <= group->triangles[i - 1]))
            return thaw_error_set(
                error, THAW_ERROR_INPUT,
                "group \"%.200s\" has triangle %d at place %d; allowed are ascending ids from 0 to %d", group->name, t,
                i, mesh->triangle_count - 1);
    }
    return THAW_OK;
}

ThawStatus thaw_triangles_validate(const ThawTriangleMesh *mesh, ThawError *error) {
    if (!mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the surface may not be NULL");
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1 || mesh->triangle_count > INT32_MAX / 3 || !mesh->x ||
        !mesh->triangles)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "the surface has %d vertices and %d triangles; allowed are 1 and more, and x and triangles "
            "may not be NULL",
            mesh->vertex_count, mesh->triangle_count);
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        if (!isfinite(mesh->x[i]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "vertex %zu has the %c coordinate %g; allowed are finite numbers", i / 3,
                                  "xyz"[i % 3], mesh -> x[i]);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count)
            return thaw_error_set(error, THAW_ERROR_INPUT, "triangle %zu refers to vertex %d; allowed are 0 to %d",
                                  i / 3, mesh->triangles[i], mesh->vertex_count - 1);
    if (mesh->group_count < 0 || (mesh->group_count && !mesh->groups))
        return thaw_error_set(error, THAW_ERROR_INPUT, "group_count is %d; allowed are 0 and more, with groups",
                              mesh->group_count);
    ThawStatus status = THAW_OK;
    for (int32_t g = 0; g < mesh->group_count && !status; g++)
        status = check_group(mesh, g, error);
    return status;
}

// --- the boundary of a mesh ------------------------------------------------------------------------------------------

static ThawStatus copy_faces(const ThawMesh *mesh, int32_t count, const int32_t *faces, ThawTriangleMesh **surface,
                             ThawError *error) {
    const size_t dim = (size_t)mesh->dim, corners = 3 * (size_t)count;
    int32_t *vertex = THAW_NEW(int32_t, mesh->vertex_count), used = 0; // the new id of a vertex, and 1
    if (!vertex)
        return thaw_error_memory(error, "the surface of a mesh");
    for (size_t i = 0; i < corners; i++)
        vertex[faces[i]] = 1;
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        vertex[v] = vertex[v] ? ++used : 0;
    const ThawStatus status = thaw_triangles_create(used, count, surface, error);
    for (size_t v = 0; !status && v < (size_t)mesh->vertex_count; v++)
        if (vertex[v])
            memcpy((*surface)->x + 3 * (size_t)(vertex[v] - 1), mesh->x + dim * v, dim * sizeof *mesh->x);
    for (size_t i = 0; !status && i < corners; i++)
        (*surface)->triangles[i] = vertex[faces[i]] - 1;
    thaw_free(vertex);
    return status;
}

ThawStatus thaw_triangles_of_mesh(const ThawMesh *mesh, ThawTriangleMesh **surface, ThawError *error) {
    ThawSurface *boundary = NULL;
    if (!mesh || !surface)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_of_mesh: mesh and surface may not be NULL");
    *surface = NULL;
    if (mesh->dim == 2)
        return copy_faces(mesh, mesh->element_count, mesh->elements, surface, error);
    ThawStatus status = thaw_mesh_surface(mesh, &boundary, error);
    if (!status)
        status = copy_faces(mesh, boundary->count, boundary->faces, surface, error);
    thaw_surface_free(&boundary);
    return status;
}

// --- reading ---------------------------------------------------------------------------------------------------------

typedef struct Format {
    const char *ending;
    char comment;
    double near; // of the diagonal of their box: corners this near are one; 0: triangles share vertices by their ids
    ThawHeadCheck head;
    void (*read)(ThawText *text, ThawSoup *soup);
} Format;

// STL repeats each corner in every triangle, in single precision: where a program has computed it anew each time, they
// differ by a few of its last bits, 6e-8 of the coordinate each.
static const Format formats[] = {{".obj", '#', 0, thaw_head_obj, thaw_read_obj},
                                 {".ply", 0, 0, thaw_head_ply, thaw_read_ply},
                                 {".stl", 0, 4e-7, thaw_head_stl, thaw_read_stl}};

// By the ending of a path, or an ending alone.
static const Format *find_format(const char *path, const char *shown, ThawError *error) {
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending, formats[i].ending) == 0)
            return formats + i;
    thaw_error_set(error, THAW_ERROR_INPUT, "%s: unknown kind of surface file; allowed are .obj, .ply and .stl",
                   thaw_text_path(shown));
    return NULL;
}

// Reads an open text, and closes it. uv: NULL, or thaw_soup_finish's.
static ThawStatus read_text(ThawText *text, const Format *format, ThawTriangleMesh **mesh, double **uv,
                            ThawTriangleReport *report, ThawError *error) {
    ThawTriangleReport ignored;
    ThawSoup soup = {.text = text};
    report = report ? report : &ignored;
    *report = (ThawTriangleReport){0};
    if (!text->status)
        format->read(text, &soup);
    ThawStatus status = text->status;
    if (!status)
        status = thaw_soup_finish(&soup, format->near, mesh, report, error);
    if (!status && uv) {
        *uv = soup.uv;
        soup.uv = NULL;
    }
    thaw_soup_free(&soup);
    thaw_text_close(text);
    return status;
}

ThawStatus thaw_triangles_read_report(const char *path, ThawTriangleMesh **mesh, ThawTriangleReport *report,
                                      ThawError *error) {
    ThawText text;
    if (mesh)
        *mesh = NULL;
    if (!path || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_read: path and mesh may not be NULL");
    const Format *format = find_format(path, path, error);
    if (!format)
        return THAW_ERROR_INPUT;
    thaw_text_open(path, format->comment, format->head, &text, error);
    return read_text(&text, format, mesh, NULL, report, error);
}

ThawStatus thaw_triangles_read_textured(const char *path, ThawTriangleMesh **mesh, double **uv, ThawError *error) {
    ThawText text;
    *mesh = NULL;
    *uv = NULL;
    const Format *format = find_format(path, path, error);
    if (!format)
        return THAW_ERROR_INPUT;
    thaw_text_open(path, format->comment, format->head, &text, error);
    return read_text(&text, format, mesh, uv, NULL, error);
}

ThawStatus thaw_triangles_read(const char *path, ThawTriangleMesh **mesh, ThawError *error) {
    return thaw_triangles_read_report(path, mesh, NULL, error);
}

ThawStatus thaw_triangles_parse(const void *bytes, size_t size, const char *ending, const char *name,
                                ThawTriangleMesh **mesh, ThawTriangleReport *report, ThawError *error) {
    ThawText text;
    if (mesh)
        *mesh = NULL;
    if (!bytes || !ending || !name || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_triangles_parse: bytes, ending, name and mesh may not be NULL");
    const Format *format = find_format(ending, name, error);
    if (!format)
        return THAW_ERROR_INPUT;
    thaw_text_copy(bytes, size, name, format->comment, format->head, &text, error);
    return read_text(&text, format, mesh, NULL, report, error);
}
