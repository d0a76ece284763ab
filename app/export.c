// SPDX-License-Identifier: Apache-2.0
// `thaw export`: a run's frames in the formats of other programs.
//
// The formats differ in what they hold: a page to look at, a surface that moves (USD, glTF), only the points of a mesh
// that the other program has (PC2, MDD), one surface file a frame (OBJ, PLY), or the whole mesh with its fields
// (VTKHDF). Any number of them can be asked for at once.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "app.h"
#include "export.h"
#include "output/clip.h"

typedef enum Format { HTML, USD, GLTF, PC2, MDD, VTKHDF, OBJ, PLY, FORMATS } Format;

enum { SKIN = FORMATS, BARE, QUIET, OUT };

static const AppOption options[] = {
    [HTML] = {"--html", "FILE.html"},
    [USD] = {"--usd", "FILE.usda"},
    [GLTF] = {"--gltf", "FILE.glb"},
    [PC2] = {"--pc2", "FILE.pc2"},
    [MDD] = {"--mdd", "FILE.mdd"},
    [VTKHDF] = {"--vtkhdf", "FILE.vtkhdf"},
    [OBJ] = {"--obj", "NAME%04d.obj"},
    [PLY] = {"--ply", "NAME%04d.ply"},
    [SKIN] = {"--skin", "FILE.obj"},
    [BARE] = {"--no-obstacles", NULL},
    [QUIET] = {"--quiet", NULL},
    [OUT] = {"-o", "FILE"},
    {NULL, NULL},
};

static const char *const endings[FORMATS] = {".html", ".usda", ".glb", ".pc2", ".mdd", ".vtkhdf", ".obj", ".ply"};

typedef struct Export {
    const char *input, *skin;
    const char *path[FORMATS]; // NULL: not asked for
    int bare, quiet;
    ThawReplay *replay;
    ThawTriangleMesh *surface; // the skin
    ThawClip *clip[2];         // without and with obstacles; opened when needed
} Export;

static int parse_path(Export *e, Format format, const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (!dot || strcasecmp(dot, endings[format]) != 0) {
        app_complain("export", "%s is '%s'; allowed: a name that ends in %s%s", options[format].name, path,
                     endings[format],
                     format == USD    ? " (a text file, which usdcat turns into .usdc)"
                     : format == GLTF ? " (the binary form)"
                                      : "");
        return 0;
    }
    e->path[format] = path;
    return 1;
}

// By the ending, as elsewhere.
static int parse_out(Export *e, const char *path) {
    const char *dot = strrchr(path, '.');
    for (int f = 0; dot && f < FORMATS; f++)
        if (strcasecmp(dot, endings[f]) == 0)
            return parse_path(e, (Format)f, path);
    app_complain("export",
                 "-o is '%s'; allowed: a name that ends in .html, .usda, .glb, .pc2, .mdd, .vtkhdf, .obj or "
                 ".ply",
                 path);
    return 0;
}

static int parse(Export *e, int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int ok = 1, asked = 0;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        if (option >= 0 && option < FORMATS)
            ok = parse_path(e, (Format)option, a.value);
        else if (option == OUT)
            ok = parse_out(e, a.value);
        else if (option == SKIN)
            e->skin = a.value;
        else if (option == BARE)
            e->bare = 1;
        else if (option == QUIET)
            e->quiet = 1;
        else if (option == APP_OPERAND && !e->input)
            e->input = a.value;
        else {
            if (option == APP_OPERAND)
                app_complain("export", "one folder at a time: both '%s' and '%s' were given", e->input, a.value);
            ok = 0;
        }
    }
    for (int f = 0; f < FORMATS; f++)
        asked += e->path[f] != NULL;
    if (ok && !e->input) {
        app_complain("export", "name the folder of a run; see `thaw help export`");
        return 0;
    }
    if (ok && !asked) {
        app_complain("export", "say what to write: --html, --usd, --gltf, --pc2, --mdd, --vtkhdf, --obj or --ply, each "
                               "with a file name");
        return 0;
    }
    return ok;
}

// --- the skin --------------------------------------------------------------------------------------------------------

static void box_of(const double *x, int64_t count, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            low[k] = fmin(low[k], x[3 * i + k]);
            high[k] = fmax(high[k], x[3 * i + k]);
        }
    }
}

// A surface in its own units and place is scaled and moved onto the bodies of the first frame, box onto box; one that
// already lies there (to a tenth of its size) is taken as it is.
static void place_skin(Export *e, const ThawFrameData *frame) {
    ThawTriangleMesh *skin = e->surface;
    double low[2][3], high[2][3], size[2] = {0, 0}, off = 0;
    box_of(skin->x, skin->vertex_count, low[0], high[0]);
    box_of(frame->x, frame->point_count, low[1], high[1]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            size[i] += (high[i][k] - low[i][k]) * (high[i][k] - low[i][k]);
    for (int k = 0; k < 3; k++)
        off = fmax(off, fmax(fabs(low[0][k] - low[1][k]), fabs(high[0][k] - high[1][k])));
    // A coarse mesh is a little smaller or larger than the surface: near a unit of length, that unit is meant.
    static const double units[] = {1, 1e-3, 1e-2, 0.0254, 0.3048, 1e3};
    double scale = sqrt(size[1] / size[0]);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (fabs(scale / units[i] - 1) < 0.08)
            scale = units[i];
    if (off <= 0.1 * sqrt(size[1]) || !isfinite(scale))
        return;
    for (int64_t i = 0; i < 3 * (int64_t)skin->vertex_count; i++) {
        int k = (int)(i % 3);
        skin->x[i] = (low[1][k] + high[1][k]) / 2 + scale * (skin->x[i] - (low[0][k] + high[0][k]) / 2);
    }
    if (!e->quiet)
        printf("%s: scaled by %.4g and moved onto the bodies of the first frame\n", e->skin, scale);
}

static ThawStatus open_clip(Export *e, int obstacles, ThawError *error) {
    ThawStatus status = THAW_OK;
    if (e->clip[obstacles])
        return THAW_OK;
    if (e->skin && !e->surface) {
        ThawFrameData *frame;
        status = thaw_triangles_read(e->skin, &e->surface, error);
        if (status == THAW_ERROR_IO) // a file that the user named is input
            status = THAW_ERROR_INPUT;
        if (status == THAW_OK)
            status = thaw_replay_read(e->replay, 0, &frame, error);
        if (status == THAW_OK) {
            place_skin(e, frame);
            thaw_frame_data_free(&frame);
        }
    }
    const ThawClipDef def = {.obstacles = obstacles, .skin = e->surface};
    return status == THAW_OK ? thaw_clip_open(e->replay, &def, &e->clip[obstacles], error) : status;
}

// --- writing ---------------------------------------------------------------------------------------------------------

static ThawStatus write_sequence(Export *e, Format format, int64_t *files, ThawError *error) {
    ThawStatus status = THAW_OK;
    *files = thaw_replay_count(e->replay);
    for (int64_t f = 0; status == THAW_OK && f < *files; f++) {
        char path[4200];
        if (!app_numbered(e->path[format], thaw_replay_number(e->replay, f), path, sizeof path))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s is '%s'; it needs one place for the number of the frame, as in frame%%04d%s",
                                  options[format].name, e->path[format], endings[format]);
        status = thaw_export_surface(e->clip[0], f, path, error);
    }
    return status;
}

// A cache is of no use without the mesh it moves.
static ThawStatus write_cache(Export *e, Format format, ThawError *error) {
    char mesh[4200];
    const char *path = e->path[format];
    snprintf(mesh, sizeof mesh, "%.*s.obj", (int)(strlen(path) - strlen(endings[format])), path);
    ThawStatus status = (format == PC2 ? thaw_export_pc2 : thaw_export_mdd)(e->clip[0], path, error);
    if (status == THAW_OK)
        status = thaw_export_cache_mesh(e->clip[0], mesh, error);
    if (status == THAW_OK && !e->quiet)
        printf("%s: the mesh that it moves\n", mesh);
    const double *origin = e->clip[0]->origin;
    if (status == THAW_OK && !e->quiet && e->clip[0]->moved)
        printf("%s: floats would lose the shape so far from zero; both count from (%.12g, %.12g, %.12g) m\n", path,
               origin[0], origin[1], origin[2]);
    return status;
}

static ThawStatus write_format(Export *e, Format format, ThawError *error) {
    int obstacles = (format == USD || format == GLTF) && !e->bare;
    int64_t files = 1;
    ThawStatus status = format == HTML || format == VTKHDF ? THAW_OK : open_clip(e, obstacles, error);
    if (status != THAW_OK)
        return status;
    const char *path = e->path[format];
    switch (format) {
    case HTML:
        status = app_export_html(e->replay, path, error);
        break;
    case USD:
        status = thaw_export_usd(e->clip[obstacles], path, error);
        break;
    case GLTF:
        status = thaw_export_gltf(e->clip[obstacles], path, error);
        break;
    case VTKHDF:
        status = thaw_export_vtkhdf(e->replay, path, error);
        break;
    case PC2:
    case MDD:
        status = write_cache(e, format, error);
        break;
    default:
        status = write_sequence(e, format, &files, error);
    }
    struct stat info;
    if (status == THAW_OK && !e->quiet && files == 1 && !stat(path, &info))
        printf("%s: %" PRId64 " frames, %.1f MB\n", path, thaw_replay_count(e->replay), (double)info.st_size / 1e6);
    else if (status == THAW_OK && !e->quiet)
        printf("%s: %" PRId64 " files\n", path, files);
    return status;
}

static int command_export(int argc, char **argv) {
    Export e = {0};
    ThawError error = {0};
    if (!parse(&e, argc, argv))
        return APP_WRONG_INPUT;
    ThawStatus status = thaw_replay_open(e.input, &e.replay, &error);
    for (int f = 0; status == THAW_OK && f < FORMATS; f++)
        if (e.path[f])
            status = write_format(&e, (Format)f, &error);
    if (status != THAW_OK)
        app_complain("export", "%s", error.message);
    thaw_clip_free(&e.clip[0]);
    thaw_clip_free(&e.clip[1]);
    thaw_triangles_free(&e.surface);
    thaw_replay_free(&e.replay);
    return app_exit_status(status);
}

static const char help[] =
    "usage: thaw export DIR FORMAT FILE [FORMAT FILE ...] [OPTIONS]\n"
    "\n"
    "Writes the frames of a run (the folder that `thaw run --out` filled) for other programs.\n"
    "\n"
    "  --html FILE.html      one page that opens offline in any browser, with the viewer in it\n"
    "  --usd FILE.usda       USD, points as time samples\n"
    "  --gltf FILE.glb       glTF 2, a morph target a frame\n"
    "  --pc2 FILE.pc2        point cache for Blender, Maya and others, with the mesh as FILE.obj beside it\n"
    "  --mdd FILE.mdd        the same as MDD\n"
    "  --vtkhdf FILE.vtkhdf  the whole mesh with its fields in one file, for ParaView 5.12 and later\n"
    "  --obj NAME%04d.obj    a surface a frame; --ply NAME%04d.ply likewise\n"
    "  -o FILE               the one of these that its ending says\n"
    "  --skin FILE.obj       a finer surface (OBJ, PLY or STL) that rides on the simulated mesh takes its place\n"
    "  --no-obstacles        bodies only (USD and glTF hold obstacles, too)\n"
    "  --quiet               say nothing but errors\n"
    "\n"
    "Lengths are metres, z is up (glTF: turned, so that y is up as it must be).\n"
    "Exit status: 0 done; 1 the input is wrong; 2 a file could not be written.\n";

const AppCommand app_command_export = {"export", "write frames for browsers, Blender, ParaView and others", help,
                                       command_export};
