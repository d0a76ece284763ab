// SPDX-License-Identifier: Apache-2.0
// What `thaw new` chooses for a mesh: unit, which way is up, resolution, how it is held or dropped, time step and
// output.
//
// The time step resolves the first mode (new_mode.c) by 40 steps and more.
// Backward Euler takes 62 percent of its energy in a swing then, and 45 by 65 steps; but a body that bounces is in
// contact for half a swing only, and goes hardly higher by more (docs/own-mesh.md), while a run takes as much longer.
// By 20 where the run would have too many steps; and where it still has, not at all: such a body moves like a rigid
// one, and the doctor says so. A dropped body falls by its own height, or less where it would be crushed: the strain of
// an impact is about speed over the speed of waves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "mesh/drawing.h"
#include "mesh/pieces.h"
#include "new.h"
#include "reading.h"
#include "thaw/read.h"

enum { FEWEST = 6000, MOST = 50000 }; // elements, unless told
enum { FRAMES = 120 };                // of a run, about: four seconds to look at
enum { MOST_PIECES = 200 };
const double app_new_lost = 0.03;
enum { MOST_STEPS = 20000 };
static const double SHORTEST_STEP = 2e-5, LONGEST_STEP = 0.01; // s
static const double LYING = 0.2;                               // of a sheet's extent, that it is high
static const double SHEET_STEP = 0.005;                        // s, whose folds have many periods
static const double BLIND_STEP = 0.005;                        // s, of what is not seen to swing
static const double RESOLVED = 40, COARSE = 20;                // steps a period
static const double IMPACT = 0.2;                              // of the speed of waves
static const double GRAVITY = 9.81;                            // m/s^2, as in a scene that says nothing of it

AppSource app_plan_source(const AppPlan *plan) {
    const char *path = plan->path;
    if (plan->sheet)
        return APP_SHEET;
    if (thaw_ends_with(path, ".json"))
        return APP_SOLID;
    if (thaw_ends_with(path, ".obj") || thaw_ends_with(path, ".ply") || thaw_ends_with(path, ".stl"))
        return plan->dimension == 2 ? APP_DRAWING : APP_SURFACE;
    return thaw_is_drawing(path) ? APP_DRAWING : APP_MESH;
}

void app_plan_clear(AppPlan *plan) {
    for (int32_t i = 0; i < plan->piece_count; i++)
        thaw_mesh_free(&plan->pieces[i].mesh);
    thaw_free(plan->pieces);
    plan->pieces = NULL;
    plan->piece_count = 0;
}

// Room for so many bodies.
static ThawStatus make_room(AppPlan *plan, int32_t count, ThawError *error) {
    app_plan_clear(plan);
    plan->pieces = THAW_NEW(AppPiece, count);
    return plan->pieces ? THAW_OK : thaw_error_memory(error, "the bodies of a scene");
}

static ThawStatus add_whole(AppPlan *plan, ThawMesh *mesh, ThawError *error) {
    ThawStatus status = make_room(plan, 1, error);
    if (status) {
        thaw_mesh_free(&mesh);
        return status;
    }
    plan->pieces[0].mesh = mesh;
    memcpy(plan->pieces[0].name, plan->name, sizeof plan->name);
    plan->piece_count = 1;
    return THAW_OK;
}

// --- the mesh --------------------------------------------------------------------------------------------------------

static const char *why_drawing(const char *path) {
    ThawDrawing *drawing = NULL;
    const int pixels = !thaw_drawing_read(path, &drawing, NULL) && drawing->pixels;
    thaw_drawing_free(&drawing);
    return pixels ? "if a pixel is 1/96 inch, as is taken where width or viewBox is missing"
                  : "by the width that the file says";
}

// Only surfaces are guessed: whoever made a volume mesh, Thaw among them, has settled its unit.
static void settle_unit(AppPlan *plan, int dim) {
    const double largest = fmax(fmax(plan->raw[0], plan->raw[1]), plan->raw[2]);
    int said = 0;
    if (plan->up < 0)
        plan->up = dim == 2 || thaw_ends_with(plan->path, ".obj") ? 1 : 2;
    plan->why = "as told";
    if (plan->height > 0)
        plan->scale = plan->height / plan->raw[plan->up];
    if (plan->scale > 0) { // as the scene will say it
        char text[32];
        snprintf(text, sizeof text, "%.9g", plan->scale);
        plan->scale = strtod(text, NULL);
        return;
    }
    if (!plan->unit) {
        const int guess = plan->source == APP_SURFACE || plan->source == APP_SHEET ||
                          (plan->source == APP_DRAWING && !thaw_ends_with(plan->path, ".svg"));
        plan->unit = guess ? thaw_unit_guess(plan->path, largest, &said) : thaw_unit_find("m");
        plan->why = said                          ? "as the file says"
                    : guess                       ? "by its size"
                    : plan->source == APP_MESH    ? "as meshes are"
                    : plan->source == APP_DRAWING ? why_drawing(plan->path)
                                                  : "as solids are";
        plan->guessed = guess && !said;
    }
    plan->scale = plan->unit->metres;
}

static void settle_extents(AppPlan *plan, int dim, int32_t count, double *x) {
    ThawMesh points = {.dim = dim, .vertex_count = count, .x = x};
    thaw_mesh_box_of(&points, plan->lo, plan->hi);
    for (int k = 0; k < 3; k++)
        plan->raw[k] = plan->hi[k] - plan->lo[k];
    settle_unit(plan, dim);
}

// The share of the surface's extent that the mesh does not reach: ears and fingers thinner than the elements.
static double lost_part(const AppPlan *plan, const ThawMesh *mesh) {
    double lo[3], hi[3], lost = 0;
    thaw_mesh_box_of(mesh, lo, hi);
    for (int k = 0; k < 3; k++)
        lost = fmax(lost, (plan->raw[k] - (hi[k] - lo[k])) / fmax(fmax(plan->raw[0], plan->raw[1]), plan->raw[2]));
    return lost;
}

// One of both is there.
typedef struct Source {
    const ThawTriangleMesh *triangles;
    const ThawSolid *solid;
} Source;

static ThawStatus mesh_source(const Source *source, const ThawMesherDef *def, ThawMesh **mesh, ThawMesherReport *report,
                              ThawError *error) {
    *report = (ThawMesherReport){0};
    return source->solid ? thaw_mesh_from_solid(source->solid, def, mesh, report, error)
                         : thaw_mesh_from_triangles(source->triangles, def, mesh, report, error);
}

// The scene says a size in few digits, for that is easy to change. Where a handful of elements span a part, counts
// jump, and no such size may give what was asked for: then it says the count. *def gets what it says.
static ThawStatus mesh_whole(AppPlan *plan, const Source *source, ThawMesherDef *def, ThawMesh **mesh,
                             ThawError *error) {
    const ThawMesherDef asked = *def;
    ThawStatus status = THAW_OK;
    thaw_mesh_free(mesh);
    if (!(def->size > 0))
        status = mesh_source(source, def, mesh, &plan->report, error);
    const double size = def->size > 0 ? def->size : plan->report.size, count = plan->report.elements;
    snprintf(plan->size_text, sizeof plan->size_text, "%.4g", plan->scale * size);
    def->size = strtod(plan->size_text, NULL) / plan->scale;
    thaw_mesh_free(mesh);
    if (!status)
        status = mesh_source(source, def, mesh, &plan->report, error);
    plan->by_count =
        plan->elements && !(asked.size > 0) && !plan->split && fabs(plan->report.elements - count) > 0.1 * count;
    if (!status && plan->by_count) {
        *def = asked;
        thaw_mesh_free(mesh);
        status = mesh_source(source, def, mesh, &plan->report, error);
    }
    if (!status && plan->source == APP_SURFACE)
        plan->lost = lost_part(plan, *mesh);
    return status;
}

static ThawStatus fill_source(AppPlan *plan, const Source *source, ThawMesherDef *result, ThawMesh **mesh,
                              ThawError *error) {
    ThawStatus status;
    ThawMesherDef def = thaw_mesher_def_default();
    def.sharpen = plan->sharpen;
    def.elements = (int32_t)(plan->elements ? plan->elements : FEWEST);
    do { // finer, as long as it was not said how fine and thin parts fall through the lattice
        def.size = plan->size / plan->scale; // the file's units: the shape is scaled after meshing
        *result = def;
        status = mesh_whole(plan, source, result, mesh, error);
        def.elements *= 2;
    } while (!status && !plan->elements && !plan->size && plan->lost > app_new_lost && def.elements <= MOST);
    return status;
}

// --- pieces ----------------------------------------------------------------------------------------------------------

// As the file calls the piece, where an object or group of it is all in there; else by its number.
static void name_piece(const AppPlan *plan, const ThawTriangleMesh *triangles, const int32_t *piece, AppPiece *p) {
    int32_t most = 0;
    snprintf(p->name, sizeof p->name, "%.60s-%d", plan->name, (int)p->number);
    for (int32_t g = 0; triangles && g < triangles->group_count; g++) {
        const ThawTriangleGroup *group = &triangles->groups[g];
        int fits = group->count > most && strlen(group->name) < sizeof p->name;
        for (int32_t i = 0; fits && i < group->count; i++)
            fits = piece[group->triangles[i]] == p->number - 1;
        for (int32_t i = 0; fits && i < plan->piece_count; i++)
            fits = strcmp(plan->pieces[i].name, group->name) != 0;
        if (!fits)
            continue;
        most = group->count;
        snprintf(p->name, sizeof p->name, "%s", group->name);
    }
}

static void merge_report(ThawMesherReport *sum, const ThawMesherReport *part) {
    sum->elements += part->elements;
    sum->sharpened += part->sharpened;
    sum->min_angle = sum->min_angle > 0 ? fmin(sum->min_angle, part->min_angle) : part->min_angle;
    sum->max_angle = fmax(sum->max_angle, part->max_angle);
    sum->reach = fmax(sum->reach, part->reach);
    sum->lost = sum->lost.count ? sum->lost : part->lost;
}

// Each piece of the surface as a mesh of its own, of the same size. Those too small for it are left out.
static ThawStatus split_surface(AppPlan *plan, const ThawTriangleMesh *triangles, const int32_t *piece,
                                const ThawMesherDef *def, ThawError *error) {
    ThawMesherReport sum = {.size = plan->report.size,
                            .turned = plan->report.turned,
                            .holes = plan->report.holes,
                            .crossings = plan->report.crossings};
    ThawStatus status = make_room(plan, plan->found, error);
    for (int32_t k = 0; !status && k < plan->found; k++) {
        AppPiece *p = &plan->pieces[plan->piece_count];
        ThawTriangleMesh *part = NULL;
        ThawMesherReport report = {0};
        ThawError why = {0};
        *p = (AppPiece){.number = k + 1};
        status = thaw_triangles_piece(triangles, piece, k, &part, error);
        const ThawStatus fate = status ? status : thaw_mesh_from_triangles(part, def, &p->mesh, &report, &why);
        thaw_triangles_free(&part);
        if (fate == THAW_ERROR_INPUT) {
            plan->left_out++;
        } else if (!status && fate) {
            *error = why;
            status = fate;
        } else if (!status) {
            name_piece(plan, triangles, piece, p);
            merge_report(&sum, &report);
            plan->piece_count++;
        }
    }
    if (!status && !plan->piece_count)
        status =
            thaw_error_set(error, THAW_ERROR_INPUT, "no piece is large enough for elements of %s m", plan->size_text);
    plan->report = sum;
    plan->lost = 0;
    return status;
}

static ThawStatus split_mesh(AppPlan *plan, ThawMesh *whole, ThawError *error) {
    ThawStatus status = make_room(plan, plan->found, error);
    for (int32_t k = 0; !status && k < plan->found; k++) {
        AppPiece *p = &plan->pieces[k];
        *p = (AppPiece){.number = k + 1};
        status = thaw_mesh_copy(whole, &p->mesh, error);
        plan->piece_count += !status;
        if (!status)
            status = thaw_mesh_keep_piece(p->mesh, k, error);
        name_piece(plan, NULL, NULL, p);
    }
    thaw_mesh_free(&whole);
    return status;
}

static ThawStatus check_split(const AppPlan *plan, ThawError *error) {
    if (plan->found <= MOST_PIECES)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s has %d separate pieces; --split makes at most %d bodies",
                          plan->path, (int)plan->found, MOST_PIECES);
}

// The mesh as one body, or each of its pieces as one. Takes the mesh.
static ThawStatus add_pieces(AppPlan *plan, ThawMesh *mesh, ThawError *error) {
    int32_t *piece = THAW_NEW(int32_t, mesh->vertex_count);
    ThawStatus status =
        piece ? thaw_mesh_pieces(mesh, piece, &plan->found, error) : thaw_error_memory(error, "the pieces of a mesh");
    thaw_free(piece);
    if (!status && plan->split && plan->found > 1)
        status = check_split(plan, error);
    if (status) {
        thaw_mesh_free(&mesh);
        return status;
    }
    return plan->split && plan->found > 1 ? split_mesh(plan, mesh, error) : add_whole(plan, mesh, error);
}

// --- files -----------------------------------------------------------------------------------------------------------

// Whether the surface can be filled; what is open and encloses nothing is a sheet.
static int encloses(const ThawTriangleMesh *triangles, const ThawTriangleReport *report) {
    ThawWinding *winding = NULL;
    const ThawStatus status = report->open.count ? thaw_winding_create(triangles, &winding, NULL) : THAW_OK;
    thaw_winding_free(&winding);
    return status != THAW_ERROR_INPUT;
}

// Triangles in space as they are, of a thickness that is given or the material's.
static ThawStatus load_sheet(AppPlan *plan, ThawError *error) {
    ThawMesh *mesh = NULL;
    ThawStatus status = THAW_OK;
    plan->sheet = 1;
    plan->source = APP_SHEET;
    if (!plan->told && !(plan->thickness > 0))
        plan->material = thaw_material_library_find("cotton");
    if (!(plan->thickness > 0))
        plan->thickness = plan->material->thickness;
    if (!(plan->thickness > 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s is open, so it is a sheet, and %s is not sold by the sheet; allowed: --cloth NAME "
                              "(a fabric or paper, see --list), or --shell METRES beside --material",
                              plan->path, plan->material->def.name);
    if (plan->size > 0 || plan->elements > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "--size and --elements are of what is meshed, and the triangles of a sheet are taken as "
                              "they are; allowed: to leave them out");
    status = thaw_mesh_read_sheet(plan->path, NULL, &mesh, NULL, error);
    if (status)
        return status;
    settle_extents(plan, 3, mesh->vertex_count, mesh->x);
    if (plan->stance == APP_STAND) // cloth does not stand: what lies flat falls, anything else hangs
        plan->stance =
            plan->raw[plan->up] < LYING * fmax(plan->raw[0], fmax(plan->raw[1], plan->raw[2])) ? APP_DROP : APP_HANG;
    return add_pieces(plan, mesh, error);
}

static ThawStatus load_surface(AppPlan *plan, ThawError *error) {
    ThawTriangleMesh *triangles = NULL;
    ThawMesh *mesh = NULL;
    ThawMesherDef def;
    ThawTriangleReport report = {0};
    ThawStatus status = thaw_triangles_read_report(plan->path, &triangles, &report, error);
    if (status)
        return status;
    if (!encloses(triangles, &report)) {
        thaw_triangles_free(&triangles);
        return load_sheet(plan, error);
    }
    settle_extents(plan, 3, triangles->vertex_count, triangles->x);
    status = fill_source(plan, &(Source){.triangles = triangles}, &def, &mesh, error);
    plan->found = status ? 0 : plan->report.parts;
    if (!status && plan->split && plan->found > 1 && !(status = check_split(plan, error))) {
        int32_t *piece = THAW_NEW(int32_t, triangles->triangle_count);
        status = piece ? thaw_triangles_pieces(triangles, piece, &plan->found, error)
                       : thaw_error_memory(error, "the pieces of a surface");
        if (!status)
            status = split_surface(plan, triangles, piece, &def, error);
        thaw_free(piece);
    } else if (!status) {
        status = add_whole(plan, mesh, error);
        mesh = NULL;
    }
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&triangles);
    return status;
}

static ThawStatus load_solid(AppPlan *plan, ThawError *error) {
    ThawSolid *solid = NULL;
    ThawMesh *mesh = NULL;
    ThawMesherDef def;
    double lo[3], hi[3];
    int dim = plan->dimension ? (int)plan->dimension : plan->source == APP_DRAWING ? 2 : 3;
    ThawStatus status = thaw_solid_load(plan->path, dim, &solid, error);
    if (status == THAW_ERROR_INPUT && !plan->dimension && plan->source == APP_SOLID &&
        !thaw_solid_load(plan->path, 2, &solid, NULL)) { // a flat one
        dim = 2;
        status = THAW_OK;
    }
    if (status)
        return status;
    thaw_solid_bounds(solid, lo, hi);
    for (int k = 0; k < dim; k++)
        plan->raw[k] = hi[k] - lo[k];
    settle_unit(plan, dim);
    status = fill_source(plan, &(Source){.solid = solid}, &def, &mesh, error);
    thaw_solid_free(&solid);
    return status ? status : add_pieces(plan, mesh, error);
}

static ThawStatus load_mesh(AppPlan *plan, ThawError *error) {
    plan->source = app_plan_source(plan);
    if (plan->source == APP_SHEET)
        return load_sheet(plan, error);
    if (plan->source != APP_MESH)
        return plan->source == APP_SURFACE ? load_surface(plan, error) : load_solid(plan, error);
    ThawMesh *mesh = NULL;
    ThawStatus status = app_mesh_read(plan->path, &mesh, error);
    if (status)
        return status;
    settle_extents(plan, mesh->dim, mesh->vertex_count, mesh->x);
    return add_pieces(plan, mesh, error);
}

// --- what is chosen --------------------------------------------------------------------------------------------------

double app_plan_turn(const AppPlan *plan, int axis[3]) {
    memset(axis, 0, 3 * sizeof *axis);
    if (plan->pieces->mesh->dim == 2 || plan->up == 2)
        return 0;
    axis[plan->up == 1 ? 0 : 1] = 1;
    return plan->up == 1 ? 90 : -90;
}

// The thinnest slice that holds enough vertices to stand on, or to hang from.
static void settle_band(const AppPlan *plan, AppPiece *p) {
    const int up = p->mesh->dim - 1;
    for (double share = 0.02; share < 0.6 && p->held < 3 * up; share *= 1.5) {
        p->held = 0;
        p->band = share * (p->hi[up] - p->lo[up]);
        for (int32_t v = 0; v < p->mesh->vertex_count; v++) {
            double x = p->mesh->x[(size_t)p->mesh->dim * (size_t)v + (size_t)up];
            p->held += plan->stance == APP_HANG ? x >= p->hi[up] - p->band : x <= p->lo[up] + p->band;
        }
    }
}

static ThawStatus settle_place(AppPlan *plan, ThawError *error) {
    int axis[3];
    double half = app_plan_turn(plan, axis) * M_PI / 360, scale[3] = {plan->scale, plan->scale, plan->scale};
    double rotation[4] = {cos(half), axis[0] * sin(half), axis[1] * sin(half), axis[2] * sin(half)};
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; !status && i < plan->piece_count; i++) {
        AppPiece *p = &plan->pieces[i];
        status = thaw_mesh_transform(p->mesh, scale, rotation, (double[3]){0}, error);
        thaw_mesh_box_of(p->mesh, p->lo, p->hi);
        for (int k = 0; k < 3; k++) {
            plan->lo[k] = i ? fmin(plan->lo[k], p->lo[k]) : p->lo[k];
            plan->hi[k] = i ? fmax(plan->hi[k], p->hi[k]) : p->hi[k];
        }
        settle_band(plan, p);
        if (!status)
            status = app_plan_period(plan, p, error);
    }
    return status;
}

// The step that shows swings of this period in a run of so many seconds; 0: there is none.
static double step_for(double period, double seconds) {
    const double wanted[] = {RESOLVED, COARSE};
    for (int i = 0; i < 2; i++) {
        const double h = fmin(thaw_round_down(period / wanted[i]), LONGEST_STEP);
        if (h >= 0.999 * SHORTEST_STEP && seconds <= h * MOST_STEPS)
            return h;
    }
    return 0;
}

static void settle_motion(AppPlan *plan) {
    const int up = plan->pieces->mesh->dim - 1;
    const ThawMaterialDef *material = &plan->material->def;
    double longest = 0, air = 0;
    for (int32_t i = 0; i < plan->piece_count; i++)
        longest = fmax(longest, plan->pieces[i].period);
    if (plan->stance == APP_DROP) {
        const double height = plan->hi[up] - plan->lo[up];
        const double speed = plan->drop > 0
                                 ? sqrt(2 * GRAVITY * plan->drop)
                                 : fmin(sqrt(2 * GRAVITY * height), IMPACT * thaw_material_wave_speed(material));
        plan->fall = speed * speed / (2 * GRAVITY);
        air = speed / GRAVITY;
    }
    // Long enough to see it come down, bounce and rest, or swing.
    double seconds = plan->stance == APP_DROP ? air + fmin(1.5 * fmax(8 * longest, fmin(1, 5 * air)) + 0.5 * air, 5)
                                              : fmax(fmin(8 * longest, 4), 3 * longest);
    plan->period = INFINITY; // of the quickest that can be watched, if any
    for (int32_t i = 0; i < plan->piece_count; i++)
        if (step_for(plan->pieces[i].period, seconds) > 0)
            plan->period = fmin(plan->period, plan->pieces[i].period);
    plan->period = fmin(plan->period, longest);
    plan->h = plan->sheet ? SHEET_STEP : step_for(plan->period, seconds);
    if (!(plan->h > 0))
        plan->h = BLIND_STEP;
    if (plan->h >= BLIND_STEP)
        seconds = fmax(seconds, 0.5);
    plan->steps = (int64_t)ceil(seconds / plan->h);
    plan->every = (int64_t)fmax(1, round((double)plan->steps / FRAMES));
    plan->steps = (plan->steps + plan->every - 1) / plan->every * plan->every; // the last frame is the end
}

ThawStatus app_plan_settle(AppPlan *plan, ThawError *error) {
    ThawStatus status = load_mesh(plan, error);
    if (!status)
        status = settle_place(plan, error);
    if (!status)
        settle_motion(plan);
    return status;
}
