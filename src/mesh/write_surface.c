// SPDX-License-Identifier: Apache-2.0
// Surfaces as OBJ (text, with groups), PLY (binary, 64-bit coordinates) and STL (binary, 32-bit coordinates, each
// triangle on its own). Linear.
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "math/vec3.h"
#include "mesh/text.h"
#include "thaw/triangles.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are written as they lie in memory");

// --- OBJ -------------------------------------------------------------------------------------------------------------

// The groups of triangle t are group[offset[t] .. offset[t+1]).
typedef struct Membership {
    int64_t *offset;
    int32_t *group;
} Membership;

static ThawStatus find_groups(const ThawTriangleMesh *mesh, Membership *m, ThawError *error) {
    int64_t total = 0;
    for (int32_t g = 0; g < mesh->group_count; g++)
        total += mesh->groups[g].count;
    m->offset = THAW_NEW(int64_t, (size_t)mesh->triangle_count + 2);
    m->group = THAW_NEW(int32_t, total);
    if (!m->offset || !m->group)
        return thaw_error_memory(error, "writing a surface");
    int64_t *next = m->offset + 1; // next[t] moves from the beginning of t's groups to their end
    for (int32_t g = 0; g < mesh->group_count; g++)
        for (int32_t i = 0; i < mesh->groups[g].count; i++)
            next[mesh->groups[g].triangles[i] + 1]++;
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        next[t + 1] += next[t];
    for (int32_t g = 0; g < mesh->group_count; g++)
        for (int32_t i = 0; i < mesh->groups[g].count; i++)
            m->group[next[mesh->groups[g].triangles[i]]++] = g;
    return THAW_OK;
}

static int same_groups(const Membership *m, int32_t a, int32_t b) {
    const int64_t count = m->offset[a + 1] - m->offset[a];
    return count == m->offset[b + 1] - m->offset[b] &&
           memcmp(m->group + m->offset[a], m->group + m->offset[b], (size_t)count * sizeof *m->group) == 0;
}

static void print_groups(ThawFile *file, const ThawTriangleMesh *mesh, const Membership *m, int32_t triangle) {
    thaw_file_print(file, "g");
    for (int64_t i = m->offset[triangle]; i < m->offset[triangle + 1]; i++) {
        thaw_file_print(file, " ");
        for (const char *c = mesh->groups[m->group[i]].name; *c; c++) // names end at blanks
            thaw_file_write(file, isspace((unsigned char)*c) || *c == '#' || *c == '\\' ? "_" : c, 1);
    }
    thaw_file_print(file, "\n");
}

static ThawStatus write_obj(const ThawTriangleMesh *mesh, const char *path, ThawError *error) {
    Membership m = {0};
    ThawFile *file = NULL;
    ThawStatus status = find_groups(mesh, &m, error);
    if (!status)
        status = thaw_file_create(path, &file, error);
    if (!status) {
        thaw_file_print(file, "# thaw, metres\n");
        for (size_t v = 0; v < (size_t)mesh->vertex_count; v++)
            thaw_file_print(file, "v %.17g %.17g %.17g\n", mesh->x[3 * v], mesh->x[3 * v + 1], mesh->x[3 * v + 2]);
        for (int32_t t = 0; t < mesh->triangle_count; t++) {
            const int32_t *v = mesh->triangles + 3 * (size_t)t;
            if (t == 0 ? m.offset[1] > m.offset[0] : !same_groups(&m, t, t - 1))
                print_groups(file, mesh, &m, t);
            thaw_file_print(file, "f %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1);
        }
        status = thaw_file_commit(&file, error);
    }
    thaw_free(m.offset);
    thaw_free(m.group);
    return status;
}

// --- PLY and STL -----------------------------------------------------------------------------------------------------

static ThawStatus write_ply(const ThawTriangleMesh *mesh, const char *path, ThawError *error) {
    ThawFile *file;
    const ThawStatus status = thaw_file_create(path, &file, error);
    if (status)
        return status;
    thaw_file_print(file,
                    "ply\nformat binary_little_endian 1.0\ncomment metres\nelement vertex %d\nproperty double x\n"
                    "property double y\nproperty double z\nelement face %d\nproperty list uchar int vertex_indices\n"
                    "end_header\n",
                    mesh->vertex_count, mesh->triangle_count);
    thaw_file_write(file, mesh->x, 3 * (size_t)mesh->vertex_count * sizeof *mesh->x);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        thaw_file_write(file, &(uint8_t){3}, 1);
        thaw_file_write(file, mesh->triangles + 3 * (size_t)t, 3 * sizeof *mesh->triangles);
    }
    return thaw_file_commit(&file, error);
}

// The unit normal and the corners of a triangle, as STL stores them.
static void fill_facet(const ThawTriangleMesh *mesh, int32_t triangle, float facet[12]) {
    const int32_t *v = mesh->triangles + 3 * (size_t)triangle;
    double d[2][3], n[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double x = mesh->x[3 * (size_t)v[i] + (size_t)k];
            facet[3 + 3 * i + k] = (float)x;
            if (i)
                d[i - 1][k] = x - mesh->x[3 * (size_t)v[0] + (size_t)k];
        }
    thaw_v3_cross(d[0], d[1], n);
    const double length = thaw_v3_norm(n);
    for (int k = 0; k < 3; k++)
        facet[k] = length > 0 && isfinite(length) ? (float)(n[k] / length) : 0;
}

static ThawStatus write_stl(const ThawTriangleMesh *mesh, const char *path, ThawError *error) {
    ThawFile *file;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        if (!isfinite((float)mesh->x[i]))
            return thaw_error_set(error, THAW_ERROR_INPUT, "vertex %zu has the coordinate %g, too large for .stl",
                                  i / 3, mesh->x[i]);
    const ThawStatus status = thaw_file_create(path, &file, error);
    if (status)
        return status;
    char heading[80] = "binary STL, metres";
    thaw_file_write(file, heading, sizeof heading);
    thaw_file_write(file, &mesh->triangle_count, sizeof mesh->triangle_count);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        float facet[12];
        fill_facet(mesh, t, facet);
        thaw_file_write(file, facet, sizeof facet);
        thaw_file_write(file, "\0", 2);
    }
    return thaw_file_commit(&file, error);
}

ThawStatus thaw_triangles_write(const ThawTriangleMesh *mesh, const char *path, ThawError *error) {
    if (!path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_write: path may not be NULL");
    const char *ending = strrchr(path, '.');
    const int obj = ending && strcasecmp(ending, ".obj") == 0, ply = ending && strcasecmp(ending, ".ply") == 0;
    if (!obj && !ply && !(ending && strcasecmp(ending, ".stl") == 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: unknown kind of surface file; allowed are .obj, .ply and .stl",
                              thaw_text_path(path));
    const ThawStatus status = thaw_triangles_validate(mesh, error);
    return status ? status : (obj ? write_obj : ply ? write_ply : write_stl)(mesh, path, error);
}
