// SPDX-License-Identifier: Apache-2.0
// The same two tetrahedra in every encoding of VTU, VTK, Gmsh and Medit files; what reading reports; files of other
// formats by the dozen that are refused; two gigabytes of rubbish, refused at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "mesh/mesh.h"
#include "thaw/triangles.h"

enum { ROOM = 8192 };

// --- building files --------------------------------------------------------------------------------------------------

typedef struct Bytes {
    size_t size;
    char at[ROOM];
} Bytes;

static void put(Bytes *b, const void *bytes, size_t size) {
    assert_true(b->size + size < ROOM);
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    b->at[b->size] = 0;
}

static void put_text(Bytes *b, const char *text) { put(b, text, strlen(text)); }

// A number of `size` bytes; big: most significant first.
static void put_number(Bytes *b, double value, char kind, int size, int big) {
    char raw[8];
    const float f = (float)value;
    const int64_t i = (int64_t)value;
    memcpy(raw, kind == 'f' ? (size == 4 ? (const void *)&f : (const void *)&value) : (const void *)&i, (size_t)size);
    for (int k = 0; k < size; k++)
        put(b, raw + (big ? size - 1 - k : k), 1);
}

static void put_base64(Bytes *b, const Bytes *from) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < from->size; i += 3) {
        uint32_t group = 0;
        char out[4];
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (i + k < from->size ? (unsigned char)from->at[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            out[k] = i + k <= from->size ? letters[group >> (18 - 6 * k) & 63] : '=';
        put(b, out, 4);
    }
}

static const double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
static const double corners[8] = {0, 1, 2, 3, 0, 2, 1, 4}, ends[2] = {4, 8}, types[2] = {10, 10}, region[2] = {3, 5};
static const double tip[5] = {0, 0, 0, 1, 0};

typedef struct Way {
    enum { ASCII, INLINE, APPENDED_RAW, APPENDED_BASE64 } format;
    int header, big, zlib; // bytes of a header number, byte order, blocks of 24 bytes compressed
    int wide;              // nonzero: 64-bit numbers
} Way;

static void put_binary(Bytes *out, const Way *way, const Bytes *raw, int base64) {
    Bytes head = {0}, body = {0};
    if (way->zlib) {
        const size_t block = 24, blocks = (raw->size + block - 1) / block;
        put_number(&head, (double)blocks, 'i', way->header, way->big);
        put_number(&head, (double)block, 'i', way->header, way->big);
        put_number(&head, (double)(raw->size % block), 'i', way->header, way->big);
        for (size_t i = 0; i < blocks; i++) {
            char packed[200];
            uLongf length = sizeof packed;
            const size_t size = raw->size - i * block < block ? raw->size - i * block : block;
            assert_int_equal(compress((Bytef *)packed, &length, (const Bytef *)raw->at + i * block, size), Z_OK);
            put_number(&head, (double)length, 'i', way->header, way->big);
            put(&body, packed, length);
        }
    } else {
        put_number(&head, (double)raw->size, 'i', way->header, way->big);
        put(&head, raw->at, raw->size);
    }
    if (base64) {
        put_base64(out, &head);
        put_base64(out, &body);
    } else {
        put(out, head.at, head.size);
        put(out, body.at, body.size);
    }
}

static void put_array(Bytes *xml, Bytes *appended, const Way *way, const char *name, char kind, int size,
                      int components, const double *values, int count) {
    char text[200];
    static const char *const formats[] = {"ascii", "binary", "appended", "appended"};
    snprintf(text, sizeof text,
             "<DataArray type=\"%s%d\" Name='%s' NumberOfComponents=\"%d\" format=\"%s\" offset=\"%zu\">",
             kind == 'f'   ? "Float"
             : kind == 'u' ? "UInt"
                           : "Int",
             8 * size, name, components, formats[way->format], appended->size);
    put_text(xml, text);
    Bytes raw = {0};
    for (int i = 0; i < count; i++) {
        put_number(&raw, values[i], kind, size, way->big);
        snprintf(text, sizeof text, "%g\n", values[i]);
        if (way->format == ASCII)
            put_text(xml, text);
    }
    if (way->format == INLINE)
        put_binary(xml, way, &raw, 1);
    else if (way->format != ASCII)
        put_binary(appended, way, &raw, way->format == APPENDED_BASE64);
    put_text(xml, "</DataArray>\n");
}

static void make_vtu(Bytes *xml, const Way *way) {
    Bytes appended = {0};
    char text[400];
    const int real = way->wide ? 8 : 4;
    snprintf(text, sizeof text,
             "<?xml version='1.0'?>\n<!-- a <comment> -->\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
             "byte_order=\"%s\"%s%s>"
             "<UnstructuredGrid><FieldData><DataArray type=\"Int32\" Name=\"region:a &lt;b&gt;\" format=\"ascii\"> 3 "
             "</DataArray></FieldData><Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n",
             way->big ? "BigEndian" : "LittleEndian", way->header == 8 ? " header_type=\"UInt64\"" : "",
             way->zlib ? " compressor=\"vtkZLibDataCompressor\"" : "");
    xml->size = 0;
    put_text(xml, text);
    put_text(xml, "<PointData>");
    put_array(xml, &appended, way, "group:tip", 'u', 1, 1, tip, 5);
    put_text(xml, "</PointData><Points>");
    put_array(xml, &appended, way, "whatever", 'f', real, 3, points, 15);
    put_text(xml, "</Points><Cells>");
    put_array(xml, &appended, way, "connectivity", 'i', real, 1, corners, 8);
    put_array(xml, &appended, way, "offsets", 'u', real, 1, ends, 2);
    put_array(xml, &appended, way, "types", 'u', 1, 1, types, 2);
    put_text(xml, "</Cells><CellData>");
    put_array(xml, &appended, way, "gmsh:physical", 'i', 2, 1, region, 2);
    put_text(xml, "</CellData></Piece></UnstructuredGrid>\n");
    if (way->format >= APPENDED_RAW) {
        put_text(xml, way->format == APPENDED_RAW ? "<AppendedData encoding=\"raw\">\n _"
                                                  : "<AppendedData encoding=\"base64\">\n _");
        put(xml, appended.at, appended.size);
        put_text(xml, "</AppendedData>");
    }
    put_text(xml, "</VTKFile>\n");
}

// --- what is read ----------------------------------------------------------------------------------------------------

static ThawMesh *parse(const Bytes *bytes, const char *ending, ThawMeshReport *report) {
    ThawMesh *mesh;
    ThawError error = {0};
    if (thaw_mesh_parse(bytes->at, bytes->size, ending, "file", &mesh, report, &error))
        fail_msg("%s", error.message);
    return mesh;
}

static void expect_two_tets(const ThawMesh *mesh) {
    static const int32_t elements[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    assert_int_equal(mesh->dim, 3);
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->element_count, 2);
    assert_memory_equal(mesh->x, points, sizeof points);
    assert_memory_equal(mesh->elements, elements, sizeof elements);
    assert_int_equal(mesh->region_count, 2);
    assert_int_equal(mesh->region[1], 1);
}

static void vtu_is_read_in_all_its_encodings(void **state) {
    (void)state;
    static Bytes xml;
    for (int i = 0; i < 4 * 16; i++) {
        const Way way = {
            .format = i / 16 % 4, .header = i & 1 ? 8 : 4, .big = i >> 1 & 1, .zlib = i >> 2 & 1, .wide = i >> 3 & 1};
        make_vtu(&xml, &way);
        ThawMesh *mesh = parse(&xml, ".vtu", NULL);
        expect_two_tets(mesh);
        assert_string_equal(mesh->region_names[0], "a <b>");
        assert_string_equal(mesh->region_names[1], "5");
        assert_int_equal(mesh->group_count, 3);
        assert_string_equal(mesh->groups[0].name, "tip");
        assert_int_equal(mesh->groups[0].vertices[0], 3);
        thaw_mesh_free(&mesh);
    }
}

static void every_cut_of_a_vtu_file_is_refused(void **state) {
    (void)state;
    static Bytes xml;
    for (int f = 0; f < 4; f++) {
        const Way way = {.format = f, .header = 8, .zlib = f & 1, .wide = 1};
        make_vtu(&xml, &way);
        const size_t whole = way.format >= APPENDED_RAW ? xml.size - strlen("</AppendedData></VTKFile>\n")
                                                        : (size_t)(strstr(xml.at, "</Piece>") - xml.at) + 8;
        for (size_t cut = 0; cut < whole; cut++) {
            ThawMesh *mesh;
            ThawError error = {0};
            assert_int_equal(thaw_mesh_parse(xml.at, cut, ".vtu", "file", &mesh, NULL, &error), THAW_ERROR_INPUT);
            assert_null(mesh);
        }
    }
}

static void meshb_is_read_in_all_its_versions_and_byte_orders(void **state) {
    (void)state;
    for (int version = 1; version <= 4; version++)
        for (int big = 0; big < 2; big++) {
            static Bytes b;
            const int real = version > 1 ? 8 : 4, place = version > 2 ? 8 : 4, whole = version > 3 ? 8 : 4;
            b.size = 0;
            put_number(&b, 1, 'i', 4, big);
            put_number(&b, version, 'i', 4, big);
            put_number(&b, 3, 'i', 4, big); // Dimension
            put_number(&b, (double)b.size + place + 4, 'i', place, big);
            put_number(&b, 3, 'i', 4, big);
            put_number(&b, 60, 'i', 4, big); // something unknown, of two bytes
            put_number(&b, (double)b.size + place + 2, 'i', place, big);
            put_number(&b, 77, 'i', 2, big);
            put_number(&b, 4, 'i', 4, big); // Vertices
            put_number(&b, (double)b.size + place + whole + 5 * (3 * real + whole), 'i', place, big);
            put_number(&b, 5, 'i', whole, big);
            for (int v = 0; v < 5; v++) {
                for (int k = 0; k < 3; k++)
                    put_number(&b, points[3 * v + k], 'f', real, big);
                put_number(&b, v == 3 ? 9 : 0, 'i', whole, big);
            }
            put_number(&b, 8, 'i', 4, big); // Tetrahedra
            put_number(&b, (double)b.size + place + whole + 2 * 5 * whole, 'i', place, big);
            put_number(&b, 2, 'i', whole, big);
            for (int e = 0; e < 2; e++) {
                for (int k = 0; k < 4; k++)
                    put_number(&b, corners[4 * e + k] + 1, 'i', whole, big);
                put_number(&b, region[e], 'i', whole, big);
            }
            put_number(&b, 54, 'i', 4, big); // End
            put_number(&b, 0, 'i', place, big);
            ThawMesh *mesh = parse(&b, ".meshb", NULL);
            expect_two_tets(mesh);
            assert_string_equal(mesh->region_names[0], "3");
            assert_string_equal(mesh->groups[0].name, "point-9");
            thaw_mesh_free(&mesh);
        }
}

// Binary Gmsh files of the other byte order come from no program at hand.
static void binary_gmsh_is_read_in_both_byte_orders(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        static Bytes b;
        const int big = i & 1, four = i >> 1, large = four ? 8 : 4;
        b.size = 0;
        put_text(&b, four ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n2.2 1 8\n");
        put_number(&b, 1, 'i', 4, big);
        put_text(&b, "\n$EndMeshFormat\n$Comments\nten \x01\x02 $Nodes\n$EndComments\n$PhysicalNames\n1\n3 3 "
                     "\"soft\"\n$EndPhysicalNames\n");
        if (four) {
            put_text(&b, "$Entities\n");
            for (int d = 0; d < 4; d++)
                put_number(&b, d == 3 ? 2 : 0, 'i', 8, big);
            for (int e = 0; e < 2; e++) {
                put_number(&b, 10 + e, 'i', 4, big);
                for (int k = 0; k < 6; k++)
                    put_number(&b, 0, 'f', 8, big);
                put_number(&b, 1, 'i', 8, big);
                put_number(&b, region[e], 'i', 4, big);
                put_number(&b, 0, 'i', 8, big);
            }
            put_text(&b, "\n$EndEntities\n$Nodes\n");
            const double heading[] = {1, 5, 1, 5};
            for (int k = 0; k < 4; k++)
                put_number(&b, heading[k], 'i', 8, big);
            put_number(&b, 3, 'i', 4, big);
            put_number(&b, 10, 'i', 4, big);
            put_number(&b, 0, 'i', 4, big);
            put_number(&b, 5, 'i', 8, big);
            for (int v = 0; v < 5; v++)
                put_number(&b, v + 1, 'i', 8, big);
        } else {
            put_text(&b, "$Nodes\n5\n");
        }
        for (int v = 0; v < 5; v++) {
            if (!four)
                put_number(&b, v + 1, 'i', 4, big);
            for (int k = 0; k < 3; k++)
                put_number(&b, points[3 * v + k], 'f', 8, big);
        }
        put_text(&b, four ? "\n$EndNodes\n$Elements\n" : "\n$EndNodes\n$Elements\n2\n");
        const double heading[] = {2, 2, 1, 2};
        for (int k = 0; four && k < 4; k++)
            put_number(&b, heading[k], 'i', 8, big);
        for (int e = 0; e < 2; e++) {
            const double of_4[] = {3, 10 + e, 4, 1}, of_2[] = {4, 1, 2, 0};
            for (int k = 0; k < (four ? 4 : 3); k++)
                put_number(&b, (four ? of_4 : of_2)[k], 'i', four && k == 3 ? 8 : 4, big);
            put_number(&b, e + 1, 'i', large, big);
            if (!four) {
                put_number(&b, region[e], 'i', 4, big);
                put_number(&b, 10 + e, 'i', 4, big);
            }
            for (int k = 0; k < 4; k++)
                put_number(&b, corners[4 * e + k] + 1, 'i', large, big);
        }
        put_text(&b, "\n$EndElements\n");
        ThawMesh *mesh = parse(&b, ".msh", NULL);
        expect_two_tets(mesh);
        assert_string_equal(mesh->region_names[0], "soft");
        assert_string_equal(mesh->region_names[1], "5");
        thaw_mesh_free(&mesh);
        for (size_t cut = 0; cut + 14 < b.size; cut++) { // every cut of it is refused
            ThawError error = {0};
            assert_int_equal(thaw_mesh_parse(b.at, cut, ".msh", "file", &mesh, NULL, &error), THAW_ERROR_INPUT);
        }
    }
}

static void repairs_are_reported_with_ids(void **state) {
    (void)state;
    static Bytes b;
    ThawMeshReport report;
    b.size = 0;
    put_text(&b,
             "MeshVersionFormatted 2\nDimension 3\nVertices 10\n9 9 9 0\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 -1 0\n"
             "0 0 -1 0\n5 0 -1 0\n0 5 -1 0\n0 0 -6 0\nTetrahedra 3\n2 3 4 5 1\n2 3 4 6 1\n7 8 9 10 1\n");
    ThawMesh *mesh = parse(&b, ".mesh", &report);
    assert_int_equal(report.unused.count, 1);
    assert_int_equal(report.unused.ids[0], 0);
    assert_int_equal(report.reoriented.count, 2);
    assert_int_equal(report.reoriented.ids[0], 1);
    assert_int_equal(report.reoriented.ids[1], 2);
    assert_int_equal(report.coincident.count, 1);
    assert_int_equal(report.coincident.ids[0], 5);
    assert_int_equal(report.retagged.count, 0);
    thaw_mesh_free(&mesh);
    b.size = 0;
    put_text(&b, "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                 "Tetrahedra 2\n1 2 3 4 1\n4 3 2 1 2\n");
    mesh = parse(&b, ".mesh", &report);
    assert_int_equal(report.retagged.count, 1);
    assert_int_equal(report.retagged.ids[0], 1);
    thaw_mesh_free(&mesh);
}

// --- refusals --------------------------------------------------------------------------------------------------------

typedef struct Bad {
    const char *ending, *text;
    const char *names[2]; // what the message must contain
} Bad;

#define VTK(kind, rest) "# vtk DataFile Version 3.0\ntitle\n" kind "\nDATASET UNSTRUCTURED_GRID\n" rest
#define VTK_TET "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\n"
#define VTU(file, piece, points, cells)                                                                                \
    "<VTKFile type=\"UnstructuredGrid\"" file "><UnstructuredGrid><Piece " piece ">\n<Points>" points                  \
    "</Points>\n<Cells>" cells "</Cells></Piece></UnstructuredGrid></VTKFile>"
#define ARRAY(name, text) "<DataArray type=\"Float64\" Name=\"" name "\" format=\"ascii\">" text "</DataArray>\n"
#define ONE "NumberOfPoints=\"4\" NumberOfCells=\"1\""
#define XYZ ARRAY("Points", "0 0 0 1 0 0 0 1 0 0 0 1")
#define TYPES ARRAY("types", "10") ARRAY("offsets", "4")

static const Bad bad[] = {
    {".vtk", "vtk", {":1:", "# vtk DataFile"}},
    {".vtk", VTK("TEXT", ""), {":3:", "TEXT"}},
    {".vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", {":4:", "UNSTRUCTURED_GRID"}},
    {".vtk", VTK("ASCII", ""), {"no POINTS"}},
    {".vtk", VTK("ASCII", "WORDS 3\n"), {":5:", "WORDS"}},
    {".vtk", VTK("ASCII", "POINTS 4 complex\n"), {":5:", "complex"}},
    {".vtk", VTK("ASCII", "POINTS 4 double\n0 0 0 1\n"), {":5:", "12 numbers"}},
    {".vtk", VTK("ASCII", "POINTS -4 double\n0 0 0 1\n"), {":5:", "-4"}},
    {".vtk", VTK("ASCII", VTK_TET), {"no POINTS, CELLS or CELL_TYPES"}},
    {".vtk", VTK("ASCII", VTK_TET "CELL_TYPES 2\n10 10\n"), {":9:", "2 types"}},
    {".vtk", VTK("ASCII", VTK_TET "CELL_TYPES 1\n12\n"), {"cell 0", "type 12"}},
    {".vtk", VTK("ASCII", VTK_TET "CELL_TYPES 1\n5\n"), {"cell 0", "3 are needed"}},
    {".vtk", VTK("ASCII", VTK_TET VTK_TET), {"second", "POINTS"}},
    {".vtk", VTK("ASCII", VTK_TET "CELL_TYPES 1\n10\nCELL_DATA 2\n"), {"2;", "1"}},
    {".vtk", VTK("ASCII", VTK_TET "CELL_TYPES 1\n10\nCELL_DATA 1\nSCALARS region int\n0\n"), {"LOOKUP_TABLE"}},
    {".vtk",
     VTK("ASCII", VTK_TET "CELL_TYPES 1\n10\nCELL_DATA 1\nSCALARS region float\nLOOKUP_TABLE a\n0.5\n"),
     {"cell 0", "0.5"}},
    {".vtk",
     VTK("ASCII", "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1 10\n"),
     {"cell 0", "point 4"}},
    {".vtk", VTK("ASCII", "POINTS 1 double\n0 0 0\nCELLS 1 3\n4 0 0\n"), {"cell 0", "4 corners"}},
    {".vtk", VTK("ASCII", "POINTS 1 double\n0 0 0\nCELLS 1 3\n1 0 0\n"), {"3 numbers", "have 2"}},
    {".vtk", VTK("BINARY", "POINTS 400 double\nabc"), {"1200 numbers"}},
    {".vtu", "<xml>", {":1:", "<VTKFile>"}},
    {".vtu", "<Piece/><VTKFile/>", {":1:", "before <VTKFile>"}},
    {".vtu", "<VTKFile type=\"PolyData\">", {":1:", "PolyData"}},
    {".vtu", "<VTKFile type=\"UnstructuredGrid\">", {"no <Piece>"}},
    {".vtu", VTU(" compressor=\"vtkLZ4DataCompressor\"", ONE, "", ""), {":1:", "vtkLZ4DataCompressor"}},
    {".vtu", VTU("", ONE, "", ""), {"no array \"Points\""}},
    {".vtu", VTU("", ONE, XYZ, ""), {"no array \"types\""}},
    {".vtu", VTU("", ONE, XYZ, ARRAY("types", "10")), {"no array \"offsets\""}},
    {".vtu", VTU("", ONE, XYZ, TYPES), {"no array \"connectivity\""}},
    {".vtu", VTU("", ONE, XYZ, TYPES ARRAY("connectivity", "0 1 2 4")), {"cell 0", "point 4"}},
    {".vtu", VTU("", ONE, XYZ, TYPES ARRAY("connectivity", "0 1 2")), {":6:", "connectivity"}},
    {".vtu", VTU("", ONE, XYZ, TYPES ARRAY("connectivity", "0 1 2 3 4")), {":6:", "longer"}},
    {".vtu", VTU("", ONE, XYZ, TYPES ARRAY("connectivity", "0 1 x 3")), {":6:", "x;"}},
    {".vtu", VTU("", ONE, "<DataArray type=\"String\" Name=\"a\">a</DataArray>", ""), {":2:", "\"a\" has a type"}},
    {".vtu",
     VTU("", ONE, "<DataArray type=\"Int8\" Name=\"a\" format=\"appended\" offset=\"7\"/>", ""),
     {":2:", "behind the end"}},
    {".vtu",
     VTU("", ONE, "<DataArray type=\"Int8\" Name=\"a\" format=\"binary\">!!!!!!!!!!!!!!!!!!!!</DataArray>", ""),
     {":2:", "base64"}},
    {".vtu",
     VTU("", ONE, "<DataArray type=\"Int8\" Name=\"a\" format=\"binary\">AAAAAAAAAAAAAAAAAAAA</DataArray>", ""),
     {":2:", "another length"}},
    {".vtu", VTU("", "NumberOfPoints=\"4e\"", "", ""), {":1:", "4e"}},
    {".vtu", VTU("", "NumberOfPoints=\"99999999999\"", "", ""), {"2147483647"}},
    {".vtu", VTU("", ONE, XYZ, "</Cells></Piece><Piece>"), {"several pieces"}},
    {".meshb", "abcdefgh", {":1:", "a 1 of four bytes"}},
    {".mesh", "\1\0\0\0", {":1:", "MeshVersionFormatted"}},
    {".msh", "%MeshFormat", {":1:", "$MeshFormat"}},
    {".mesh",
     "MeshVersionFormatted 2 Dimension 3 Vertices 6 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 2 0 0 0 -1 0 "
     "Tetrahedra 3 1 2 3 4 1 1 2 3 5 1 1 2 3 6 1",
     {"elements 0, 1 and 2", "one face"}},
    {".mesh", "# a comment\nMeshVersion 2", {":1:", "MeshVersionFormatted"}},
    {".off", "OFF", {"\".off\"", ".vtu"}},
    {".node", "4 3", {"\".node\"", ".vtu"}},
};

static void bad_files_are_refused_with_a_place_and_a_value(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThawMesh *mesh = (ThawMesh *)&bad;
        ThawError error = {0};
        const ThawStatus status =
            thaw_mesh_parse(bad[i].text, strlen(bad[i].text), bad[i].ending, "file", &mesh, NULL, &error);
        if (status != THAW_ERROR_INPUT)
            fail_msg("\"%s\" was not refused", bad[i].text);
        assert_null(mesh);
        assert_memory_equal(error.message, "file:", 5);
        for (int k = 0; k < 2 && bad[i].names[k]; k++)
            if (!strstr(error.message, bad[i].names[k]))
                fail_msg("\"%s\": the message \"%s\" lacks \"%s\"", bad[i].text, error.message, bad[i].names[k]);
    }
    ThawMesh *mesh;
    assert_int_equal(thaw_mesh_parse(NULL, 0, ".msh", "a", &mesh, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_parse("a", 1, ".msh", "a", NULL, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_parse("", 0, ".msh", "a", &mesh, NULL, NULL), THAW_ERROR_INPUT);
}

static void outlines_are_read_with_their_triangles_only(void **state) {
    (void)state;
    char folder[] = "/tmp/thaw-outline-XXXXXX", path[100];
    ThawMesh *mesh;
    ThawError error = {0};
    assert_non_null(mkdtemp(folder));
    static const char *const files[] = {"a.poly", "a.ele", "b.poly", "b.node", "b.ele"};
    static const char *const texts[] = {"4 2 0 1\n1 0 0 0\n2 1 0 0\n3 1 1 1\n4 0 1 1\n2 1\n1 1 2 6\n2 2 3 7\n0\n",
                                        "2 3 1\n1 1 2 3 4\n2 1 3 4 5\n", "0 2 0 1\n2 1\n0 0 1 6\n1 1 2 7\n0\n",
                                        "4 2 0 1\n0 0 0 0\n1 1 0 0\n2 1 1 1\n3 0 1 1\n", "2 3 0\n0 0 1 2\n1 0 2 3\n"};
    snprintf(path, sizeof path, "%s/a.poly", folder);
    for (int i = 0; i < 5; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s/%s", folder, files[i]);
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        fputs(texts[i], file);
        fclose(file);
        if (i == 0) {
            assert_int_equal(thaw_mesh_read(path, &mesh, NULL, &error), THAW_ERROR_INPUT);
            assert_non_null(strstr(error.message, "triangle -pq"));
        }
    }
    for (int i = 0; i < 2; i++) {
        path[strlen(path) - 6] = (char)('a' + i);
        if (thaw_mesh_read(path, &mesh, NULL, &error))
            fail_msg("%s", error.message);
        assert_int_equal(mesh->dim, 2);
        assert_int_equal(mesh->element_count, 2);
        int found = 0;
        for (int32_t g = 0; g < mesh->group_count; g++)
            found += strcmp(mesh->groups[g].name, "curve-6") == 0 && mesh->groups[g].vertices[1] == 1;
        assert_int_equal(found, 1);
        thaw_mesh_free(&mesh);
    }
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// What this process has read, or had mapped into its memory, so far.
static double megabytes_touched(void) {
    struct rusage usage;
    long long bytes = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (file) {
        if (fscanf(file, "rchar: %lld", &bytes) != 1)
            bytes = 0;
        fclose(file);
    }
    getrusage(RUSAGE_SELF, &usage);
    return 1e-6 * ((double)bytes + (double)sysconf(_SC_PAGESIZE) * (double)(usage.ru_minflt + usage.ru_majflt));
}

static void two_gigabytes_of_rubbish_are_refused_at_once(void **state) {
    (void)state;
    static const char *const endings[] = {".msh", ".mesh", ".meshb", ".node", ".vtk", ".vtu", ".obj", ".ply", ".stl"};
    char folder[] = "/tmp/thaw-rubbish-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 2 * sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s/a%s", folder, endings[i / 2]);
        const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_true(file >= 0);
        assert_true(i % 2 == 0 || write(file, "Lorem ipsum", 11) == 11); // nothing but zeros, or with a word in front
        assert_int_equal(ftruncate(file, (off_t)2 << 30), 0);
        close(file);
        ThawError error = {0};
        ThawMesh *mesh;
        ThawTriangleMesh *surface;
        const double before = megabytes_touched();
        const ThawStatus status =
            i / 2 >= 6 ? thaw_triangles_read(path, &surface, &error) : thaw_mesh_read(path, &mesh, NULL, &error);
        assert_int_equal(status, THAW_ERROR_INPUT);
        const double touched = megabytes_touched() - before;
        if (touched > 300)
            fail_msg("%s: looked at %.0f MB of 2048", path, touched);
        assert_non_null(strstr(error.message, path));
        remove(path);
    }
    snprintf(path, sizeof path, "%s/pipe.msh", folder);
    assert_int_equal(mkfifo(path, 0600), 0); // nothing will ever be written into it
    ThawMesh *mesh;
    assert_int_equal(thaw_mesh_read(path, &mesh, NULL, NULL), THAW_ERROR_IO);
    remove(path);
    assert_int_equal(remove(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vtu_is_read_in_all_its_encodings),
        cmocka_unit_test(every_cut_of_a_vtu_file_is_refused),
        cmocka_unit_test(meshb_is_read_in_all_its_versions_and_byte_orders),
        cmocka_unit_test(binary_gmsh_is_read_in_both_byte_orders),
        cmocka_unit_test(repairs_are_reported_with_ids),
        cmocka_unit_test(bad_files_are_refused_with_a_place_and_a_value),
        cmocka_unit_test(outlines_are_read_with_their_triangles_only),
        cmocka_unit_test(two_gigabytes_of_rubbish_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
