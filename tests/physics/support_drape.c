// SPDX-License-Identifier: Apache-2.0
#include "physics/drape.h"

#include "thaw/mesher.h"

static const double RADIUS = 0.15, PLATE = 0.09, SHIFT = 0.2;
static const double SETTLED = 2e-4; // m/s
enum { PIXELS = 600, STEPS = 600 };

// Rings so that the plates' edge, where a sheet is clamped, is half way between the last two that stand still.
static ThawTriangleMesh *disc(int rings, uint64_t seed, double *still) {
    const int inner = (int)lround(1.5 * rings);
    const double h = (RADIUS - PLATE) / (rings + 0.5), last = PLATE + h / 2;
    ThawTriangleMesh *mesh = NULL;
    ThawError error = {0};
    if (thaw_triangles_disc(1, inner + rings, &mesh, &error) != THAW_OK)
        fail_msg("%s", error.message);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double *x = mesh->x + 3 * v, k = hypot(x[0], x[1]) * (inner + rings);
        const double r = k < inner ? k / inner * last : last + h * (k - inner);
        const double dx = SHIFT * h * sample_random(&seed), dy = SHIFT * h * sample_random(&seed);
        const int shifted = fabs(r - last) > 1e-9 && r < RADIUS - 1e-9;
        for (int i = 0; i < 2 && k > 0; i++)
            x[i] = x[i] / k * (inner + rings) * r + (shifted ? (i ? dy : dx) : 0);
    }
    *still = last + 1e-6;
    return mesh;
}

// Share of the square of PIXELS^2 about the disc that lies under a triangle, as an area.
static double shadow(const ThawMesh *mesh, const double *x) {
    const double pixel = 2.2 * RADIUS / PIXELS;
    unsigned char *dark = THAW_NEW(unsigned char, PIXELS *PIXELS);
    int count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double p[3][2], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 2; i++) {
                p[a][i] = x[3 * mesh->elements[3 * e + a] + i] / pixel + PIXELS / 2.0;
                low[i] = fmin(low[i], p[a][i]);
                high[i] = fmax(high[i], p[a][i]);
            }
        for (int j = (int)floor(low[1]); j <= (int)high[1]; j++)
            for (int i = (int)floor(low[0]); i <= (int)high[0]; i++) {
                int left = 0, right = 0;
                for (int a = 0; a < 3; a++) {
                    const double *from = p[a], *to = p[(a + 1) % 3];
                    const double side =
                        (to[0] - from[0]) * (j + 0.5 - from[1]) - (to[1] - from[1]) * (i + 0.5 - from[0]);
                    left |= side > 0;
                    right |= side < 0;
                }
                assert_true(i >= 0 && i < PIXELS && j >= 0 && j < PIXELS);
                dark[PIXELS * j + i] |= !(left && right);
            }
    }
    for (int i = 0; i < PIXELS * PIXELS; i++)
        count += dark[i];
    thaw_free(dark);
    return count * pixel * pixel;
}

// The rim's vertices are the last of the disc, in order around.
static int count_folds(const ThawMesh *mesh, const double *x, int rings) {
    const int around = 6 * (rings + (int)lround(1.5 * rings));
    const double *rim = x + 3 * (size_t)(mesh->vertex_count - around);
    double mean = 0;
    int folds = 0;
    for (int i = 0; i < around; i++)
        mean += hypot(rim[3 * i], rim[3 * i + 1]) / around;
    for (int i = 0; i < around; i++) {
        const int next = 3 * ((i + 1) % around);
        folds += hypot(rim[3 * i], rim[3 * i + 1]) <= mean && hypot(rim[next], rim[next + 1]) > mean;
    }
    return folds;
}

Drape drape_of(const ThawMaterialDef *material, double thickness, int rings, uint64_t seed) {
    double still;
    ThawTriangleMesh *triangles = disc(rings, seed, &still);
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    ThawWorldDef def = thaw_world_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawGroupDef group = thaw_group_def_default();
    ThawScriptDef pin = {.release = INFINITY};
    ThawWorld *world = NULL;
    if (thaw_mesh_of_triangles(triangles, &mesh, &error) != THAW_OK)
        fail_msg("%s", error.message);
    group.select = THAW_SELECT_SPHERE;
    group.radius = still;
    shape.mesh = mesh;
    shape.thickness = thickness;
    shape.groups = &group;
    shape.group_count = 1;
    body.method = "full";
    body.scripts = &pin;
    body.script_count = 1;
    def.materials = material;
    def.shapes = &shape;
    def.bodies = &body;
    def.material_count = def.shape_count = def.body_count = 1;
    def.integrator = THAW_INTEGRATOR_SEMI_IMPLICIT;
    def.h = 0.01;
    def.threads = 1;
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    double *x = THAW_NEW(double, 3 * mesh->vertex_count), *before = THAW_NEW(double, 3 * mesh->vertex_count);
    double speed = INFINITY;
    for (int n = 0; n < STEPS && (n < 50 || speed > SETTLED); n++) {
        memcpy(before, x, 3 * sizeof *x * (size_t)mesh->vertex_count);
        assert_true(thaw_world_step(world, NULL, &error) >= 0);
        thaw_world_get_positions(world, 0, x);
        speed = 0;
        for (int32_t i = 0; i < 3 * mesh->vertex_count; i++)
            speed = fmax(speed, fabs(x[i] - before[i]) / def.h);
    }
    Drape drape = {.folds = count_folds(mesh, x, rings), .speed = speed};
    drape.coefficient = (shadow(mesh, x) - M_PI * PLATE * PLATE) / (M_PI * RADIUS * RADIUS - M_PI * PLATE * PLATE);
    thaw_free(x);
    thaw_free(before);
    thaw_world_free(&world);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&triangles);
    return drape;
}

ThawMaterialDef drape_fabric(double length, double shear) {
    const double weight = 0.15;
    ThawMaterialDef fabric = thaw_material_library_find("cotton")->def;
    fabric.density = weight / DRAPE_FABRIC_THICKNESS;
    fabric.young = fabric.weave.weft_young = 9600 / DRAPE_FABRIC_THICKNESS;
    fabric.poisson = 0.24;
    fabric.weave.shear = shear / DRAPE_FABRIC_THICKNESS;
    fabric.weave.bending[0] = fabric.weave.bending[1] = length * length * length * weight * 9.81;
    return fabric;
}
