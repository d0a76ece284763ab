// SPDX-License-Identifier: Apache-2.0
// What `thaw new` chooses for a mesh: unit, which way is up, resolution, how it is held or dropped, time step and output.
//
// The time step resolves the first mode by about a hundred steps, estimated from size and material as the doctor does, as
// far as that lies within half a millisecond and ten. A dropped body falls by its own height, or less where it would be
// crushed: the strain of an impact is about speed over the speed of waves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "new.h"

enum { FEWEST = 6000, MOST = 50000 }; // elements, unless told
enum { FRAMES = 120 };                // of a run, about: four seconds to look at
const double app_new_lost = 0.03;
static const double SHORTEST_STEP = 5e-4; // s
static const double IMPACT = 0.2;         // of the speed of waves
static const double GRAVITY = 9.81;       // m/s^2, as in a scene that says nothing of it

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

int app_plan_is_surface(const char *path) {
    return ends_with(path, ".obj") || ends_with(path, ".ply") || ends_with(path, ".stl");
}

// --- the mesh -----------------------------------------------------------------------------------------------------------

// Only surfaces are guessed: whoever made a volume mesh, Thaw among them, has settled its unit.
static void settle_unit(AppPlan *plan, int dim) {
    const double largest = fmax(fmax(plan->raw[0], plan->raw[1]), plan->raw[2]);
    int said = 0;
    if (plan->up < 0)
        plan->up = dim == 2 || (plan->surface && ends_with(plan->path, ".obj")) ? 1 : 2;
    plan->why = "as told";
    if (plan->height > 0)
        plan->scale = plan->height / plan->raw[plan->up];
    if (plan->scale > 0)
        return;
    if (!plan->unit) {
        plan->unit = plan->surface ? thaw_unit_guess(plan->path, largest, &said) : thaw_unit_find("m");
        plan->why = said ? "as the file says" : plan->surface ? "by its size" : "as volume meshes are";
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
static double lost_part(const AppPlan *plan) {
    double lo[3], hi[3], lost = 0;
    thaw_mesh_box_of(plan->mesh, lo, hi);
    for (int k = 0; k < 3; k++)
        lost = fmax(lost, (plan->raw[k] - (hi[k] - lo[k])) / fmax(fmax(plan->raw[0], plan->raw[1]), plan->raw[2]));
    return lost;
}

static ThawStatus mesh_surface(AppPlan *plan, const ThawTriangleMesh *triangles, const ThawMesherDef *wanted,
                               ThawError *error) {
    ThawMesherDef def = *wanted;
    ThawStatus status = THAW_OK;
    thaw_mesh_free(&plan->mesh);
    if (!(def.size > 0))
        status = thaw_mesh_from_triangles(triangles, &def, &plan->mesh, &plan->report, error);
    // The size that the scene will say, in few digits: another one would give another mesh.
    snprintf(plan->size_text, sizeof plan->size_text, "%.4g", def.size > 0 ? def.size : plan->report.size);
    def.size = strtod(plan->size_text, NULL);
    thaw_mesh_free(&plan->mesh);
    if (!status)
        status = thaw_mesh_from_triangles(triangles, &def, &plan->mesh, &plan->report, error);
    if (!status)
        plan->lost = lost_part(plan);
    return status;
}

static ThawStatus load_surface(AppPlan *plan, ThawError *error) {
    ThawTriangleMesh *triangles = NULL;
    ThawStatus status = thaw_triangles_read(plan->path, &triangles, error);
    if (status)
        return status;
    settle_extents(plan, 3, triangles->vertex_count, triangles->x);
    ThawMesherDef def = thaw_mesher_def_default();
    def.size = plan->size / plan->scale; // the file's units: the shape is scaled after meshing
    def.sharpen = plan->sharpen;
    def.elements = (int32_t)(plan->elements ? plan->elements : FEWEST);
    do { // finer, as long as nobody said how fine and thin parts fall through the lattice
        status = mesh_surface(plan, triangles, &def, error);
        def.elements *= 2;
    } while (!status && !plan->elements && !plan->size && plan->lost > app_new_lost && def.elements <= MOST);
    thaw_triangles_free(&triangles);
    return status;
}

static ThawStatus load_mesh(AppPlan *plan, ThawError *error) {
    plan->surface = app_plan_is_surface(plan->path);
    if (plan->surface)
        return load_surface(plan, error);
    ThawStatus status = thaw_mesh_read(plan->path, &plan->mesh, NULL, error);
    if (!status)
        settle_extents(plan, plan->mesh->dim, plan->mesh->vertex_count, plan->mesh->x);
    return status;
}

// --- what is chosen -----------------------------------------------------------------------------------------------------

double app_plan_turn(const AppPlan *plan, int axis[3]) {
    memset(axis, 0, 3 * sizeof *axis);
    if (plan->mesh->dim == 2 || plan->up == 2)
        return 0;
    axis[plan->up == 1 ? 0 : 1] = 1;
    return plan->up == 1 ? 90 : -90;
}

static ThawStatus settle_place(AppPlan *plan, ThawError *error) {
    int axis[3], up = plan->mesh->dim - 1;
    double half = app_plan_turn(plan, axis) * M_PI / 360, scale[3] = {plan->scale, plan->scale, plan->scale};
    double rotation[4] = {cos(half), axis[0] * sin(half), axis[1] * sin(half), axis[2] * sin(half)};
    ThawStatus status = thaw_mesh_transform(plan->mesh, scale, rotation, (double[3]){0}, error);
    if (status)
        return status;
    thaw_mesh_box_of(plan->mesh, plan->lo, plan->hi);
    double height = plan->hi[up] - plan->lo[up];
    // The thinnest slice that holds enough vertices to stand on.
    for (double share = 0.02; share < 0.6 && plan->held < 3 * up; share *= 1.5) {
        plan->held = 0;
        plan->band = share * height;
        for (int32_t v = 0; v < plan->mesh->vertex_count; v++) {
            double x = plan->mesh->x[(size_t)plan->mesh->dim * (size_t)v + (size_t)up];
            plan->held += plan->stance == APP_HANG ? x >= plan->hi[up] - plan->band : x <= plan->lo[up] + plan->band;
        }
    }
    return THAW_OK;
}

// 1, 2 or 5 times a power of ten, whichever is nearest.
static double round_digit(double x) {
    double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit > 7 ? 10 : digit > 3.2 ? 5 : digit > 1.4 ? 2 : 1);
}

static void settle_motion(AppPlan *plan) {
    const int up = plan->mesh->dim - 1;
    const ThawMaterialDef *material = &plan->material->def;
    double size[3], air = 0;
    for (int k = 0; k < 3; k++)
        size[k] = plan->hi[k] - plan->lo[k];
    plan->period = thaw_period_estimate(material, plan->mesh->dim, size);
    // What vibrates faster than a few of the shortest steps cannot be watched: it moves like a rigid body.
    plan->h =
        plan->period < 4 * SHORTEST_STEP ? 0.005 : fmin(fmax(round_digit(plan->period / 100), SHORTEST_STEP), 0.01);
    if (plan->stance == APP_DROP) {
        const double speed = fmin(sqrt(2 * GRAVITY * size[up]), IMPACT * thaw_material_wave_speed(material));
        plan->fall = speed * speed / (2 * GRAVITY);
        air = speed / GRAVITY;
    }
    // Long enough to see it come down, bounce and settle, or swing.
    plan->steps = (int64_t)ceil(fmin(fmax(8 * plan->period, plan->stance == APP_DROP ? 1 : 0.5) + air, 4) / plan->h);
    plan->every = (int64_t)fmax(1, round((double)plan->steps / FRAMES));
}

ThawStatus app_plan_settle(AppPlan *plan, ThawError *error) {
    ThawStatus status = load_mesh(plan, error);
    if (!status)
        status = settle_place(plan, error);
    if (!status)
        settle_motion(plan);
    return status;
}
