// SPDX-License-Identifier: Apache-2.0
// VTU (arrays appended as raw bytes) and VTK's legacy files (ASCII, version 3). Regions and groups travel by the
// conventions of grid.c: cell data "region", fields "region:NAME" with their numbers, point data "group:NAME". Linear.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "mesh/write.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are written as they lie in memory");

enum { VTK_TRIANGLE = 5, VTK_TETRA = 10, LONGEST_NAME = 180 };

// The readers keep so many bytes of a name.
static ThawStatus check_names(const ThawMesh *mesh, ThawError *error) {
    for (int32_t i = 0; i < mesh->region_count + mesh->group_count; i++) {
        const char *name = i < mesh->region_count ? mesh->region_names[i] : mesh->groups[i - mesh->region_count].name;
        if (strlen(name) > LONGEST_NAME)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "the name \"%.60s...\" has %zu bytes; VTK files may have names of at most %d", name,
                                  strlen(name), LONGEST_NAME);
    }
    return THAW_OK;
}

// 1 for the vertices of the group, else 0.
static void mark_group(const ThawMesh *mesh, const ThawMeshGroup *group, uint8_t *mark) {
    memset(mark, 0, (size_t)mesh->vertex_count);
    for (int32_t i = 0; i < group->count; i++)
        mark[group->vertices[i]] = 1;
}

// --- VTU -------------------------------------------------------------------------------------------------------------

static void print_xml_name(ThawFile *file, const char *name) {
    for (; *name; name++)
        switch (*name) {
        case '&':
            thaw_file_print(file, "&amp;");
            break;
        case '<':
            thaw_file_print(file, "&lt;");
            break;
        case '>':
            thaw_file_print(file, "&gt;");
            break;
        case '"':
            thaw_file_print(file, "&quot;");
            break;
        default:
            thaw_file_write(file, name, 1);
        }
}

// Says where an array of `size` bytes lies, and moves the offset behind it.
static void announce(ThawFile *file, const char *type, const char *prefix, const char *name, int components,
                     uint64_t size, uint64_t *offset) {
    thaw_file_print(file, "<DataArray type=\"%s\" Name=\"%s", type, prefix);
    print_xml_name(file, name);
    thaw_file_print(file, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n", components,
                    *offset);
    *offset += sizeof size + size;
}

static void append_size(ThawFile *file, uint64_t size) { thaw_file_write(file, &size, sizeof size); }

static void append_cells(ThawFile *file, const ThawMesh *mesh) {
    const uint64_t cells = (uint64_t)mesh->element_count, corners = cells * (uint64_t)mesh->nodes;
    append_size(file, 4 * corners);
    thaw_file_write(file, mesh->elements, 4 * corners);
    append_size(file, 8 * cells);
    for (int64_t c = 1; c <= (int64_t)cells; c++)
        thaw_file_write(file, &(int64_t){c * mesh->nodes}, 8);
    append_size(file, cells);
    for (uint64_t c = 0; c < cells; c++)
        thaw_file_write(file, &(uint8_t){mesh->dim == 3 ? VTK_TETRA : VTK_TRIANGLE}, 1);
    append_size(file, 4 * cells);
    for (uint64_t c = 0; c < cells; c++)
        thaw_file_write(file, &(int32_t){thaw_region_tag(mesh, mesh->region[c])}, 4);
}

static void write_vtu(ThawFile *file, const ThawMesh *mesh, uint8_t *mark) {
    const uint64_t points = (uint64_t)mesh->vertex_count, cells = (uint64_t)mesh->element_count;
    uint64_t offset = 0;
    thaw_file_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n");
    for (int32_t r = 0; r < mesh->region_count; r++)
        if (thaw_region_tag(mesh, r)) {
            thaw_file_print(file, "<DataArray type=\"Int32\" Name=\"region:");
            print_xml_name(file, mesh->region_names[r]);
            thaw_file_print(file, "\" NumberOfTuples=\"1\" format=\"ascii\">%d</DataArray>\n",
                            thaw_region_tag(mesh, r));
        }
    thaw_file_print(file,
                    "</FieldData>\n<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"%" PRIu64 "\">\n<PointData>\n",
                    points, cells);
    for (int32_t g = 0; g < mesh->group_count; g++)
        announce(file, "UInt8", "group:", mesh->groups[g].name, 1, points, &offset);
    thaw_file_print(file, "</PointData>\n<Points>\n");
    announce(file, "Float64", "", "Points", 3, 24 * points, &offset);
    thaw_file_print(file, "</Points>\n<Cells>\n");
    announce(file, "Int32", "", "connectivity", 1, 4 * cells * (uint64_t)mesh->nodes, &offset);
    announce(file, "Int64", "", "offsets", 1, 8 * cells, &offset);
    announce(file, "UInt8", "", "types", 1, cells, &offset);
    thaw_file_print(file, "</Cells>\n<CellData>\n");
    announce(file, "Int32", "", "region", 1, 4 * cells, &offset);
    thaw_file_print(file, "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    for (int32_t g = 0; g < mesh->group_count; g++) {
        mark_group(mesh, mesh->groups + g, mark);
        append_size(file, points);
        thaw_file_write(file, mark, points);
    }
    append_size(file, 24 * points);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            thaw_file_write(file, &(double){thaw_mesh_coordinate(mesh, v, k)}, 8);
    append_cells(file, mesh);
    thaw_file_print(file, "\n</AppendedData>\n</VTKFile>\n");
}

// --- legacy ----------------------------------------------------------------------------------------------------------

// Names end at blanks, so these and all that is odd become %XX.
static void print_legacy_name(ThawFile *file, const char *prefix, const char *name) {
    thaw_file_print(file, "%s", prefix);
    for (; *name; name++)
        if (isgraph((unsigned char)*name) && *name != '%' && *name != '"')
            thaw_file_write(file, name, 1);
        else
            thaw_file_print(file, "%%%02X", (unsigned)(unsigned char)*name);
}

static void write_legacy_data(ThawFile *file, const ThawMesh *mesh, uint8_t *mark) {
    thaw_file_print(file, "CELL_DATA %d\nSCALARS region int 1\nLOOKUP_TABLE default\n", mesh->element_count);
    for (int32_t e = 0; e < mesh->element_count; e++)
        thaw_file_print(file, "%d\n", thaw_region_tag(mesh, mesh->region[e]));
    if (mesh->group_count)
        thaw_file_print(file, "POINT_DATA %d\nFIELD groups %d\n", mesh->vertex_count, mesh->group_count);
    for (int32_t g = 0; g < mesh->group_count; g++) {
        mark_group(mesh, mesh->groups + g, mark);
        print_legacy_name(file, "group:", mesh->groups[g].name);
        thaw_file_print(file, " 1 %d unsigned_char\n", mesh->vertex_count);
        for (int32_t v = 0; v < mesh->vertex_count; v++)
            thaw_file_print(file, "%d\n", mark[v]);
    }
}

static void write_legacy(ThawFile *file, const ThawMesh *mesh, uint8_t *mark) {
    int32_t named = 0;
    for (int32_t r = 0; r < mesh->region_count; r++)
        named += thaw_region_tag(mesh, r) != 0;
    thaw_file_print(file, "# vtk DataFile Version 3.0\nthaw, metres\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    if (named)
        thaw_file_print(file, "FIELD FieldData %d\n", named);
    for (int32_t r = 0; r < mesh->region_count; r++)
        if (thaw_region_tag(mesh, r)) {
            print_legacy_name(file, "region:", mesh->region_names[r]);
            thaw_file_print(file, " 1 1 int\n%d\n", thaw_region_tag(mesh, r));
        }
    thaw_file_print(file, "POINTS %d double\n", mesh->vertex_count);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        thaw_file_print(file, "%.17g %.17g %.17g\n", thaw_mesh_coordinate(mesh, v, 0), thaw_mesh_coordinate(mesh, v, 1),
                        thaw_mesh_coordinate(mesh, v, 2));
    thaw_file_print(file, "CELLS %d %lld\n", mesh->element_count, (long long)(mesh->nodes + 1) * mesh->element_count);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)e;
        thaw_file_print(file, "%d", mesh->nodes);
        for (int i = 0; i < mesh->nodes; i++)
            thaw_file_print(file, " %d", v[i]);
        thaw_file_print(file, "\n");
    }
    thaw_file_print(file, "CELL_TYPES %d\n", mesh->element_count);
    for (int32_t e = 0; e < mesh->element_count; e++)
        thaw_file_print(file, "%d\n", mesh->dim == 3 ? VTK_TETRA : VTK_TRIANGLE);
    write_legacy_data(file, mesh, mark);
}

static ThawStatus write_with(const ThawMesh *mesh, const char *path, ThawError *error,
                             void (*write)(ThawFile *file, const ThawMesh *mesh, uint8_t *mark)) {
    ThawFile *file;
    ThawStatus status = check_names(mesh, error);
    uint8_t *mark = THAW_NEW(uint8_t, mesh->vertex_count);
    if (!status && !mark)
        status = thaw_error_memory(error, "writing a mesh");
    if (!status)
        status = thaw_file_create(path, &file, error);
    if (!status) {
        write(file, mesh, mark);
        status = thaw_file_commit(&file, error);
    }
    thaw_free(mark);
    return status;
}

ThawStatus thaw_write_vtu(const ThawMesh *mesh, const char *path, ThawError *error) {
    return write_with(mesh, path, error, write_vtu);
}

ThawStatus thaw_write_vtk(const ThawMesh *mesh, const char *path, ThawError *error) {
    return write_with(mesh, path, error, write_legacy);
}
