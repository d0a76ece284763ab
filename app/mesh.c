// SPDX-License-Identifier: Apache-2.0
// `thaw mesh`: a closed surface, or a solid described in JSON, becomes tetrahedra (in 2D triangles), and says how good
// they are.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app.h"
#include "base/base.h"
#include "json_text.h"
#include "mesh/drawing.h"
#include "unit.h"

typedef struct Meshing {
    const char *input, *output; // output NULL: only tell
    ThawMesherDef def;
    int dim;
    int json, quiet;
    const ThawUnit *unit; // of a surface file; NULL: to be guessed
    const char *why;      // that unit
    double raw[3];        // extents of a surface in its own unit; 0 for a solid
} Meshing;

enum { OUTPUT, OUTPUT_LONG, SIZE, ELEMENTS, GRADING, DIMENSION, SHARPEN, THREADS, UNIT, JSON, QUIET };

static const AppOption options[] = {
    [OUTPUT] = {"-o", "FILE"},        [OUTPUT_LONG] = {"--output", "FILE"}, [SIZE] = {"--size", "M"},
    [ELEMENTS] = {"--elements", "N"}, [GRADING] = {"--grading", "G"},       [DIMENSION] = {"--dimension", "2|3"},
    [SHARPEN] = {"--sharpen", NULL},  [THREADS] = {"--threads", "N"},       [UNIT] = {"--unit", "mm|cm|m|in"},
    [JSON] = {"--json", NULL},        [QUIET] = {"--quiet", NULL},          {NULL, NULL},
};

static int parse_number(const char *option, const char *text, double low, double high, double *value) {
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (end == text || *end || errno || !(number >= low && number <= high)) {
        app_complain("mesh", "%s is '%s'; allowed: a number from %g to %g", option, text, low, high);
        return 0;
    }
    *value = number;
    return 1;
}

static int parse_arguments(int argc, char **argv, Meshing *m) {
    AppArguments arguments = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int64_t number = 0, threads = 0, dim = 0;
    int option, fine = 1;
    while (fine && (option = app_arguments_next(&arguments)) != APP_END) {
        const char *text = arguments.value;
        switch (option) {
        case OUTPUT:
        case OUTPUT_LONG:
            m->output = text;
            break;
        case SIZE:
            fine = parse_number("--size", text, 1e-30, 1e30, &m->def.size);
            break;
        case ELEMENTS:
            fine = app_parse_integer("mesh", "--elements", text, 1, m->def.limit, &number);
            m->def.elements = (int32_t)number;
            break;
        case GRADING:
            fine = parse_number("--grading", text, 1, 1024, &m->def.grading);
            break;
        case DIMENSION:
            fine = app_parse_integer("mesh", "--dimension", text, 2, 3, &dim);
            break;
        case THREADS:
            fine = app_parse_integer("mesh", "--threads", text, 0, 1024, &threads);
            break;
        case UNIT:
            fine = app_parse_unit("mesh", text, &m->unit);
            break;
        case SHARPEN:
            m->def.sharpen = 1;
            break;
        case JSON:
            m->json = 1;
            break;
        case QUIET:
            m->quiet = 1;
            break;
        case APP_OPERAND:
            if (m->input) {
                app_complain("mesh", "one input, please: both '%s' and '%s' are given", m->input, text);
                return 0;
            }
            m->input = text;
            break;
        default:
            return 0;
        }
    }
    m->dim = (int)dim;
    m->def.threads = (int)threads;
    if (fine && !m->input) {
        app_complain("mesh", "a surface (.obj, .ply, .stl), a drawing (.svg, .poly) or a solid (.json) is missing; see "
                             "`thaw help mesh`");
        return 0;
    }
    if (fine && m->def.size > 0 && number > 0) {
        app_complain("mesh", "both --size and --elements are given; allowed: one of them");
        return 0;
    }
    return fine;
}

// --- telling ---------------------------------------------------------------------------------------------------------

static void tell_finding(const ThawMesherFinding *finding, const char *one, const char *many, const char *advice) {
    if (finding->count == 0)
        return;
    printf("warning: %lld %s at", (long long)finding->count, finding->count == 1 ? one : many);
    const int64_t shown = finding->count < THAW_MESHER_PLACES ? finding->count : THAW_MESHER_PLACES;
    for (int64_t i = 0; i < shown; i++)
        printf("%s (%.4g, %.4g, %.4g)", i ? "," : "", finding->place[i][0], finding->place[i][1], finding->place[i][2]);
    printf("%s; %s\n", finding->count > shown ? ", ..." : "", advice);
}

static void tell(const Meshing *m, const ThawMesh *mesh, const ThawMesherReport *r, double ms) {
    const double degrees = 180 / M_PI;
    if (m->unit) {
        printf("%.4g x %.4g", m->raw[0], m->raw[1]);
        if (mesh->dim == 3)
            printf(" x %.4g", m->raw[2]);
        printf(" in the file, taken as %s %s (change with --unit mm, cm, m or in)\n", m->unit->name, m->why);
    }
    printf("%d vertices, %d %s of about %.4g m, in %.0f ms\n", r->vertices, r->elements,
           mesh->dim == 3 ? "tetrahedra" : "triangles", r->size, ms);
    printf("%s from %.1f to %.1f degrees\n", mesh->dim == 3 ? "dihedral angles" : "angles", r->min_angle * degrees,
           r->max_angle * degrees);
    printf("%s %.6g %s, surface off by at most %.3g m\n", mesh->dim == 3 ? "volume" : "area", r->volume,
           mesh->dim == 3 ? "m^3" : "m^2", r->deviation);
    for (int32_t i = 0; mesh->region_count > 1 && i < mesh->region_count; i++)
        printf("%s%s%s", i ? ", " : "regions: ", mesh->region_names[i], i + 1 == mesh->region_count ? "\n" : "");
    if (r->sharpened)
        printf("%d vertices moved onto sharp edges\n", r->sharpened);
    if (r->parts != r->pieces && r->pieces > 1)
        printf("warning: the mesh has %d pieces that do not hang together\n", r->pieces);
    else if (r->pieces > 1)
        printf(
            "warning: the surface holds %d separate objects; a body made of them does not collide with itself, so they "
            "pass through each other: `thaw new --split` makes each a body of its own\n",
            r->pieces);
    tell_finding(&r->welds, "face joins objects that are apart in the surface",
                 "faces join objects that are apart in the surface",
                 "they are nearer to each other than the elements: take a smaller --size, or `thaw new --split`");
    if (r->lost.count)
        printf(
            "warning: walls or edges thinner than the elements are cut off, or torn, by up to %.2g m near (%.4g, %.4g, "
            "%.4g)%s; take a smaller --size, like %.2g%s\n",
            r->reach, r->lost.place[0][0], r->lost.place[0][1], r->lost.place[0][2],
            r->lost.count > 1 ? " and elsewhere" : "", r->size / 2,
            m->def.sharpen ? "" : ", or --sharpen if they are sharp edges");
    tell_finding(&r->turned, "triangle looks the other way than its neighbours",
                 "triangles look the other way than their neighbours",
                 r->turned.count == 1 ? "it was turned" : "they were turned");
    tell_finding(&r->holes, "edge of a hole", "edges of holes",
                 "the surface is open, and was closed where its winding number is 1/2");
    tell_finding(&r->crossings, "pair of triangles that cut each other", "pairs of triangles that cut each other",
                 "overlaps count as inside");
    tell_finding(&r->islands, "small piece was dropped", "small pieces were dropped",
                 "a smaller --size would join or resolve them");
    if (m->output)
        printf("written to %s, in metres\n", m->output);
    else
        printf("nothing was written; name a file with -o, like -o mesh.msh\n");
}

static void json_finding(const char *name, const ThawMesherFinding *finding) {
    printf(",\n  \"%s\": {\"count\": %lld, \"places\": [", name, (long long)finding->count);
    for (int64_t i = 0; i < finding->count && i < THAW_MESHER_PLACES; i++)
        printf("%s[%.9g, %.9g, %.9g]", i ? ", " : "", finding->place[i][0], finding->place[i][1], finding->place[i][2]);
    printf("]}");
}

static void tell_json(const Meshing *m, const ThawMesh *mesh, const ThawMesherReport *r, double ms) {
    printf("{\n  \"input\": ");
    app_json_put(stdout, m->input);
    printf(",\n  \"output\": ");
    if (m->output)
        app_json_put(stdout, m->output);
    else
        printf("null");
    printf(",\n  \"unit\": %g", m->unit ? m->unit->metres : 1.0);
    printf(",\n  \"dimension\": %d,\n  \"vertices\": %d,\n  \"elements\": %d,\n  \"size\": %.9g", mesh->dim,
           r->vertices, r->elements, r->size);
    printf(",\n  \"min_angle\": %.6g,\n  \"max_angle\": %.6g,\n  \"volume\": %.12g,\n  \"deviation\": %.6g",
           r->min_angle * 180 / M_PI, r->max_angle * 180 / M_PI, r->volume, r->deviation);
    printf(",\n  \"reach\": %.6g,\n  \"parts\": %d", r->reach, r->parts);
    printf(",\n  \"pieces\": %d,\n  \"sharpened\": %d,\n  \"trials\": %d,\n  \"evaluations\": %lld,\n  \"wall_ms\": "
           "%.1f,\n  \"regions\": [",
           r->pieces, r->sharpened, r->trials, (long long)r->evaluations, ms);
    for (int32_t i = 0; i < mesh->region_count; i++) {
        printf("%s", i ? ", " : "");
        app_json_put(stdout, mesh->region_names[i]);
    }
    printf("]");
    json_finding("welds", &r->welds);
    json_finding("lost", &r->lost);
    json_finding("turned", &r->turned);
    json_finding("holes", &r->holes);
    json_finding("crossings", &r->crossings);
    json_finding("islands", &r->islands);
    printf("\n}\n");
}

// --- doing -----------------------------------------------------------------------------------------------------------

// Takes the surface to metres.
static void scale_surface(Meshing *m, ThawTriangleMesh *surface) {
    ThawMesh points = {.dim = 3, .vertex_count = surface->vertex_count, .x = surface->x};
    double lo[3], hi[3];
    int said = 0;
    thaw_mesh_box_of(&points, lo, hi);
    for (int k = 0; k < 3; k++)
        m->raw[k] = hi[k] - lo[k];
    m->why = "as told";
    if (!m->unit) {
        m->unit = thaw_unit_guess(m->input, fmax(fmax(m->raw[0], m->raw[1]), m->raw[2]), &said);
        m->why = said ? "as the file says" : "by its size";
    }
    for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; i++)
        surface->x[i] *= m->unit->metres;
}

// A drawing whose file does not say its unit is taken to metres.
static void scale_drawing(Meshing *m, ThawSolid *solid) {
    double lo[3], hi[3];
    int said = 0;
    thaw_solid_bounds(solid, lo, hi);
    for (int k = 0; k < 2; k++)
        m->raw[k] = hi[k] - lo[k];
    m->why = "as told";
    if (!m->unit) {
        m->unit = thaw_unit_guess(m->input, fmax(m->raw[0], m->raw[1]), &said);
        m->why = said ? "as the file says" : "by its size";
    }
    const double s = m->unit->metres, F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    thaw_solid_place(&solid->nodes[solid->root], F, (double[3]){0}, s);
    thaw_solid_bound(solid, solid->root);
}

static ThawStatus mesh_solid(Meshing *m, ThawMesh **mesh, ThawMesherReport *report, ThawError *error) {
    const int described = thaw_ends_with(m->input, ".json"), scaled = !described && !thaw_ends_with(m->input, ".svg");
    if (m->unit && !scaled)
        return thaw_error_set(error, THAW_ERROR_INPUT, "--unit is for surfaces and outlines; %s",
                              described ? "a solid (.json) is in metres, or has a \"scale\""
                                        : "a drawing (.svg) has its own");
    ThawSolid *solid = NULL;
    ThawStatus status = thaw_solid_load(m->input, m->dim ? m->dim : described ? 3 : 2, &solid, error);
    if (status == THAW_ERROR_INPUT && !m->dim && described && !thaw_solid_load(m->input, 2, &solid, NULL))
        status = THAW_OK; // a flat one
    if (!status && scaled)
        scale_drawing(m, solid);
    if (!status)
        status = thaw_mesh_from_solid(solid, &m->def, mesh, report, error);
    thaw_solid_free(&solid);
    return status;
}

static ThawStatus mesh_surface(Meshing *m, ThawMesh **mesh, ThawMesherReport *report, ThawError *error) {
    ThawTriangleMesh *surface = NULL;
    ThawStatus status = thaw_triangles_read(m->input, &surface, error);
    if (!status) {
        scale_surface(m, surface);
        status = thaw_mesh_from_triangles(surface, &m->def, mesh, report, error);
    }
    thaw_triangles_free(&surface);
    return status;
}

static int run_mesh(int argc, char **argv) {
    Meshing m = {.def = thaw_mesher_def_default()};
    if (!parse_arguments(argc, argv, &m))
        return APP_WRONG_INPUT;
    ThawMesh *mesh = NULL;
    ThawMesherReport report = {0};
    ThawError error = {0};
    const double start = thaw_wall_ms();
    const int solid = thaw_ends_with(m.input, ".json") || thaw_is_drawing(m.input) || m.dim == 2;
    ThawStatus status = solid ? mesh_solid(&m, &mesh, &report, &error) : mesh_surface(&m, &mesh, &report, &error);
    if (status == THAW_ERROR_IO) // a file that is not there is a wrong argument
        status = THAW_ERROR_INPUT;
    const double ms = thaw_wall_ms() - start;
    if (!status && m.output)
        status = thaw_mesh_write(mesh, m.output, &error);
    if (status)
        app_complain("mesh", "%s", error.message);
    else if (m.json)
        tell_json(&m, mesh, &report, ms);
    else if (!m.quiet)
        tell(&m, mesh, &report, ms);
    thaw_mesh_free(&mesh);
    return app_exit_status(status);
}

static const char help[] =
    "usage: thaw mesh IN -o OUT [OPTIONS]\n\n"
    "Fills a closed surface, or a solid described in JSON, with tetrahedra of good shape (isosurface stuffing).\n\n"
    "  IN                  .obj, .ply or .stl: a closed triangle surface; .json: a solid (docs/mesher.md);\n"
    "                      .svg or .poly: a drawing, which becomes triangles in the plane\n"
    "  -o, --output FILE   .msh, .vtu, .vtk, .mesh or .node; .obj, .ply or .stl get the boundary. Without it: only "
    "tell\n"
    "  --size M            edges of about M metres at the surface\n"
    "  --elements N        or about N elements; the default is 10000\n"
    "  --grading G         cells inside grow up to G times as large: 1 (uniform, the default), 2, 4, 8, ...\n"
    "  --unit mm|cm|m|in   the surface's unit; else it is guessed by its size, and told. Meshes are in metres\n"
    "  --sharpen           move vertices near sharp edges onto them\n"
    "  --dimension 2       a flat solid or surface becomes triangles, as drawings always do\n"
    "  --threads N         one per processor by default; the mesh does not depend on it\n"
    "  --json              tell it in JSON\n"
    "  --quiet             tell nothing but errors\n\n"
    "Holes and self-intersections are told with their places and meshed all the same, where the winding number tells\n"
    "inside from outside.\n\n"
    "examples:\n  thaw mesh bunny.obj -o bunny.msh --elements 20000\n"
    "  thaw mesh wheel.json -o wheel.vtu --size 0.01 --grading 4\n";

const AppCommand app_command_mesh = {
    .name = "mesh",
    .summary = "a closed surface or a solid becomes tetrahedra",
    .help = help,
    .run = run_mesh,
};
