// SPDX-License-Identifier: Apache-2.0
// Shapes: a mesh (read or generated, then scaled and turned) with its materials and groups.
// The cost is that of reading or making the meshes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/mesh.h"
#include "mesh/pieces.h"
#include "mesh/solid.h"
#include "scene/read.h"

static const double ELEMENT_LIMIT = 2e7; // of a generated mesh: more are rather a typing error than meant

// --- meshes ----------------------------------------------------------------------------------------------------------

char *thaw_scene_path(const ThawPlace *place) {
    const char *file = thaw_place_own_text(place), *folder = place->reader->folder ? place->reader->folder : "";
    if (!file)
        return NULL;
    size_t length = strlen(folder);
    bool joined = length == 0 || folder[length - 1] == '/', absolute = file[0] == '/';
    size_t room = length + strlen(file) + 2;
    char *path = thaw_alloc(room, 1);
    if (path)
        snprintf(path, room, "%s%s%s", absolute ? "" : folder, absolute || joined ? "" : "/", file);
    else
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
    return path;
}

static void read_mesh_file(const ThawPlace *place, ThawMesh **mesh) {
    char *path = thaw_scene_path(place);
    if (!path)
        return;
    ThawError error = {0};
    ThawStatus status = thaw_mesh_read_with(path, place->reader->options, mesh, NULL, &error);
    if (status)
        thaw_place_fail(place, status, "%s", error.message);
    thaw_free(path);
}

static void make_box(const ThawPlace *place, const double lo[3], const double hi[3], const double cells[3],
                     ThawMesh **mesh) {
    int dim = place->reader->store->scene.world.dim;
    double elements = dim == 2 ? 2 * cells[0] * cells[1] : 6 * cells[0] * cells[1] * cells[2];
    if (place->reader->status)
        return;
    if (!(elements <= ELEMENT_LIMIT)) {
        thaw_place_fail(place, THAW_ERROR_INPUT, "too fine (value %.6g elements); allowed: at most %g elements",
                        elements, ELEMENT_LIMIT);
        return;
    }
    int32_t grid[3] = {(int32_t)cells[0], (int32_t)cells[1], dim == 2 ? 1 : (int32_t)cells[2]};
    ThawError error = {0};
    ThawStatus status = thaw_mesh_box(dim, lo, hi, grid, mesh, &error);
    if (status)
        thaw_place_fail(place, status, "%s", error.message);
}

static void read_box(const ThawPlace *place, ThawMesh **mesh) {
    static const char *const keys[] = {"min", "max", "cells", NULL};
    int dim = place->reader->store->scene.world.dim;
    double lo[3] = {0}, hi[3] = {0}, cells[3] = {0};
    if (!thaw_place_is_object(place, keys, 3))
        return;
    thaw_place_vector(place, "min", lo);
    thaw_place_vector(place, "max", hi);
    thaw_place_vector(place, "cells", cells);
    ThawPlace grid = thaw_place_member(place, "cells");
    for (int i = 0; i < dim; i++) {
        if (!(lo[i] < hi[i]))
            thaw_place_refuse(place, "an empty box", "min less than max in every component");
        if (!(cells[i] >= 1 && cells[i] <= ELEMENT_LIMIT && floor(cells[i]) == cells[i]))
            thaw_place_refuse(&grid, "not a grid", "integers of at least 1");
    }
    make_box(place, lo, hi, cells, mesh);
}

// A beam along x from the origin, its cross-section centred on the axis.
static void read_beam(const ThawPlace *place, ThawMesh **mesh) {
    static const char *const keys[] = {"length", "height", "size", "width", NULL};
    static const char *const keys_2d[] = {"length", "height", "size", NULL};
    int dim = place->reader->store->scene.world.dim;
    if (!thaw_place_is_object(place, dim == 2 ? keys_2d : keys, dim == 2 ? 3 : 4))
        return;
    double length = 1, width = 1, height = 1, size = 1;
    thaw_place_number(place, "length", thaw_range_positive, &length);
    thaw_place_number(place, "width", thaw_range_positive, &width);
    thaw_place_number(place, "height", thaw_range_positive, &height);
    thaw_place_number(place, "size", thaw_range_positive, &size);
    double extent[3] = {length, dim == 2 ? height : width, height}, lo[3] = {0}, hi[3] = {0}, cells[3] = {1, 1, 1};
    for (int i = 0; i < dim; i++) {
        lo[i] = i == 0 ? 0 : -extent[i] / 2;
        hi[i] = lo[i] + extent[i];
        cells[i] = fmax(1, round(extent[i] / size));
    }
    make_box(place, lo, hi, cells, mesh);
}

typedef enum SolidKind { SOLID_HERE, FILE_OF_SOLID, SURFACE } SolidKind;

// A solid, or the inside of a surface, meshed here and now. unit: m, what one unit of its own is after the shape's
// scale.
static void mesh_solid(const ThawPlace *place, const ThawPlace *member, SolidKind kind, int32_t piece, double unit,
                       ThawMesh **mesh, ThawMesherReport *report) {
    static const ThawRange gradings = {1, 1024, false, false};
    ThawSceneReader *reader = place->reader;
    ThawMesherDef def = thaw_mesher_def_default();
    ThawPlace size = thaw_place_member(place, "size"), elements = thaw_place_member(place, "elements");
    ThawPlace sharpen = thaw_place_member(place, "sharpen");
    int64_t count = def.elements;
    thaw_place_number(place, "size", thaw_range_positive, &def.size);
    thaw_place_integer(place, "elements", 1, (int64_t)ELEMENT_LIMIT, &count);
    thaw_place_number(place, "grading", gradings, &def.grading);
    if (sharpen.value && !json_is_boolean(sharpen.value))
        thaw_place_refuse(&sharpen, "wrong type", "true or false");
    def.sharpen = json_is_true(sharpen.value);
    if (size.value && elements.value)
        thaw_place_refuse(&elements, "both a size and a count of elements",
                          "one of them, or neither for 10000 elements");
    def.elements = (int32_t)count;
    def.size /= unit;
    ThawSolid *solid = NULL;
    ThawError error = {0};
    ThawStatus status = reader->status;
    if (!status && kind == FILE_OF_SOLID) {
        char *path = thaw_scene_path(member);
        status = path ? thaw_solid_load(path, reader->store->scene.world.dim, &solid, &error) : reader->status;
        thaw_free(path);
    } else if (!status && !(status = thaw_solid_create(reader->store->scene.world.dim, &solid, &error))) {
        solid->root =
            kind == SURFACE ? thaw_scene_read_surface(member, piece, solid) : thaw_scene_read_solid(member, solid);
        status = reader->status;
    }
    if (!status)
        status = thaw_mesh_from_solid(solid, &def, mesh, report, &error);
    if (status && unit != 1 && solid)
        thaw_place_fail(place, status, "%s (before the shape's scale: one unit becomes %g m)", error.message, unit);
    else if (status)
        thaw_place_fail(solid ? place : member, status, "%s", error.message);
    thaw_solid_free(&solid);
}

// dim + 1 equal masses with these radii of gyration along the axes: a bone that has an inertia and no shape.
static void read_points(const ThawPlace *place, ThawMesh **mesh) {
    static const char *const keys[] = {"radii", NULL};
    static const double corners[4][3] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
    const int dim = place->reader->store->scene.world.dim;
    static const int32_t cells[3] = {1, 1, 1}, element[4] = {0, 1, 2, 3};
    double radii[3] = {1, 1, 1};
    ThawError error = {0};
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawPlace member = thaw_place_member(place, "radii");
    thaw_place_own_vector(&member, radii);
    for (int k = 0; k < dim && !place->reader->status; k++)
        if (!(radii[k] > 0))
            thaw_place_refuse(&member, "radii of gyration that are not positive", "metres > 0 along each axis");
    if (place->reader->status)
        return;
    // A box of one cell has room for it.
    ThawStatus status = thaw_mesh_box(dim, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, cells, mesh, &error);
    if (status) {
        thaw_place_fail(place, status, "%s", error.message);
        return;
    }
    for (int32_t g = 0; g < (*mesh)->group_count; g++)
        (*mesh)->groups[g].count = 0;
    (*mesh)->vertex_count = dim + 1;
    (*mesh)->element_count = 1;
    memcpy((*mesh)->elements, element, sizeof *element * (size_t)(dim + 1));
    for (int i = 0; i <= dim; i++)
        for (int k = 0; k < dim; k++) {
            const double turn = 2 * M_PI * i / 3;
            const double at = dim == 3 ? corners[i][k] : sqrt(2) * (k == 0 ? cos(turn) : sin(turn));
            (*mesh)->x[dim * i + k] = at * radii[k];
        }
}

// uv: of a sheet's texture points (ThawShapeDef), where its file has some.
static void read_mesh(const ThawPlace *place, double unit, ThawMesh **mesh, double **uv, ThawMesherReport *report) {
    static const char *const keys[] = {"file", "box",      "beam",    "points",  "sheet", "solid", "surface",
                                       "size", "elements", "grading", "sharpen", "piece", NULL};
    static const char *const kinds[] = {"file", "box", "beam", "points", "sheet", "solid", "surface", NULL};
    enum { MESH_FILE = 0, SHEET = 4, SOLID = 5, SURFACE_FILE = 6, SETTINGS = 7 };
    if (!thaw_place_is_object(place, keys, 0))
        return;
    int which = thaw_place_which(place, kinds), dim = place->reader->store->scene.world.dim;
    if (which < 0)
        return;
    ThawPlace member = thaw_place_member(place, keys[which]);
    const int named = json_is_string(member.value);
    if (which >= SOLID && !named && (which != SOLID || !json_is_object(member.value)))
        thaw_place_refuse(&member, "wrong type",
                          which == SOLID ? "an object {...}, or the name of a solid's file"
                                         : "the name of a surface file");
    ThawPlace piece = thaw_place_member(place, "piece");
    int64_t number = 0;
    thaw_place_integer(place, "piece", 1, INT32_MAX, &number);
    const int drawn = which == SHEET && json_object_get(member.value, "drawing") != NULL;
    if (piece.value && which != MESH_FILE && which < SOLID && !(which == SHEET && (named || drawn)))
        thaw_place_refuse(&piece, "it is all of one piece", "to leave it out");
    for (int i = SETTINGS; keys[i] && which < SOLID; i++) {
        ThawPlace setting = thaw_place_member(place, keys[i]);
        if (setting.value && setting.value != piece.value && !(which == SHEET && i == SETTINGS))
            thaw_place_refuse(&setting, "only a solid or a surface is meshed", "to leave it out");
    }
    if (which >= SOLID)
        mesh_solid(place, &member,
                   which > SOLID ? SURFACE
                   : named       ? FILE_OF_SOLID
                                 : SOLID_HERE,
                   (int32_t)number, unit, mesh, report);
    else if (which == SHEET)
        thaw_scene_read_sheet(place, &member, unit, mesh, uv);
    else
        (which == 0 ? read_mesh_file : which == 1 ? read_box : which == 2 ? read_beam : read_points)(&member, mesh);
    ThawError error = {0};
    const ThawStatus status =
        *mesh && which != SURFACE_FILE && number ? thaw_mesh_keep_piece(*mesh, (int32_t)number - 1, &error) : THAW_OK;
    if (status)
        thaw_place_fail(&piece, status, "%s", error.message);
    if (number) // they are of all triangles
        *uv = NULL;
    if (*mesh && (*mesh)->dim != dim)
        thaw_place_fail(&member, THAW_ERROR_INPUT, "a mesh of dimension %d; allowed: %d, the scene's", (*mesh)->dim,
                        dim);
}

// --- shapes ----------------------------------------------------------------------------------------------------------

static void read_scale(const ThawPlace *place, double scale[3]) {
    if (!place->value || place->reader->status)
        return;
    if (json_is_number(place->value))
        scale[0] = scale[1] = scale[2] = thaw_place_own_number(place, thaw_range_any);
    else
        thaw_place_own_vector(place, scale);
    if (place->reader->store->scene.world.dim == 2)
        scale[2] = 1;
    if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0)
        thaw_place_refuse(place, "a scale of zero", "a number or vector without zeros (negative mirrors)");
}

// The length that a unit becomes; where that depends on the direction, their geometric mean.
static double unit_of(int dim, const double scale[3]) {
    const double x = fabs(scale[0]), y = fabs(scale[1]), z = fabs(scale[2]);
    if (x == y && (dim == 2 || x == z))
        return x;
    return dim == 2 ? sqrt(x) * sqrt(y) : cbrt(x) * cbrt(y) * cbrt(z);
}

static void transform_mesh(const ThawPlace *place, const double scale[3], ThawMesh *mesh) {
    double q[4] = {1, 0, 0, 0}, translation[3] = {0};
    ThawPlace scale_place = thaw_place_member(place, "scale"), rotate = thaw_place_member(place, "rotate");
    thaw_place_rotation(place, "rotate", q, NULL);
    if (place->reader->status)
        return;
    ThawError error = {0};
    ThawStatus status = THAW_OK;
    if (scale_place.value || rotate.value)
        status = thaw_mesh_transform(mesh, scale, q, translation, &error);
    if (!status)
        status = thaw_mesh_validate(mesh, &error);
    if (status)
        thaw_place_fail(place, status, "the mesh cannot be simulated: %s", error.message);
}

static void read_regions(const ThawPlace *place, ThawShapeDef *shape) {
    ThawSceneReader *reader = place->reader;
    const ThawMesh *mesh = shape->mesh;
    size_t count;
    if (!place->value || !thaw_place_is_map(place, &count))
        return;
    int32_t *material = thaw_scene_keep(reader, (size_t)mesh->region_count, sizeof *material);
    if (!material)
        return;
    for (int32_t i = 0; i < mesh->region_count; i++)
        material[i] = -1;
    shape->region_material = material;
    const char *name;
    json_t *value;
    json_object_foreach(place->value, name, value) {
        ThawPlace member = thaw_place_member(place, name);
        int32_t i = 0;
        while (i < mesh->region_count && strcmp(mesh->region_names[i], name) != 0)
            i++;
        if (i == mesh->region_count)
            thaw_place_refuse_name(&member, "the mesh has no such region", name,
                                   (const char *const *)mesh->region_names, (size_t)mesh->region_count);
        if (reader->status)
            return;
        material[i] = thaw_scene_find_material(&member);
    }
}

static void read_shape(const ThawPlace *place, int32_t s) {
    static const ThawRange right_angle = {0, 90, false, false};
    static const char *const keys[] = {
        "mesh",      "material",        "scale",       "rotate",          "regions", "thickness", "smooth",
        "groups",    "membrane",        "bending",     "bending_damping", "warp",    "pressure",  "fibres",
        "stiffness", "yield_curvature", "yield_angle", "strain_limiting", "mass",    NULL};
    ThawSceneReader *reader = place->reader;
    ThawShapeDef *shape = &reader->shapes[s];
    if (!thaw_place_is_object(place, keys, 2))
        return;
    ThawPlace material = thaw_place_member(place, "material"), mesh = thaw_place_member(place, "mesh");
    ThawPlace regions = thaw_place_member(place, "regions"), groups = thaw_place_member(place, "groups");
    shape->material = thaw_scene_find_material(&material);
    thaw_place_number(place, "smooth", right_angle, &shape->smooth);
    thaw_place_number(place, "mass", thaw_range_positive, &shape->mass);
    ThawPlace scale_place = thaw_place_member(place, "scale");
    double scale[3] = {1, 1, 1};
    read_scale(&scale_place, scale);
    double *uv = NULL;
    read_mesh(&mesh, unit_of(reader->store->scene.world.dim, scale), &reader->store->meshes[s], &uv,
              &reader->meshed[s]);
    shape->mesh = reader->store->meshes[s];
    if (reader->status)
        return;
    thaw_scene_read_thickness(place, shape);
    if (!thaw_place_member(place, "warp").value)
        shape->uv = uv;
    for (int32_t e = 0; uv && scale[0] * scale[1] * scale[2] < 0 && e < shape->mesh->element_count; e++)
        for (size_t k = 0; k < 2; k++) { // mirrored triangles are turned round (thaw_mesh_flip)
            double *a = uv + 6 * (size_t)e + 2 + k, was = a[0];
            a[0] = a[2];
            a[2] = was;
        }
    transform_mesh(place, scale, reader->store->meshes[s]);
    if (!reader->status)
        thaw_scene_read_element_data(place, shape);
    read_regions(&regions, shape);
    thaw_scene_read_groups(&groups, s);
}

void thaw_scene_read_shapes(const ThawPlace *place) {
    ThawSceneReader *reader = place->reader;
    ThawWorldDef *world = &reader->store->scene.world;
    size_t count;
    if (!thaw_place_is_catalogue(place, 1, &count))
        return;
    reader->shapes = thaw_scene_keep(reader, count, sizeof *reader->shapes);
    reader->groups = thaw_scene_keep(reader, count, sizeof *reader->groups);
    reader->store->meshes = thaw_scene_keep(reader, count, sizeof *reader->store->meshes);
    reader->store->scene.meshed = reader->meshed = thaw_scene_keep(reader, count, sizeof *reader->meshed);
    if (reader->status)
        return;
    reader->store->mesh_count = (int32_t)count;
    world->shapes = reader->shapes;
    const char *name;
    json_t *value;
    bool wrong = false;
    json_object_foreach(place->value, name, value) {
        if (reader->status)
            return;
        ThawPlace member = thaw_place_member(place, name);
        int32_t s = world->shape_count++;
        reader->shapes[s] = thaw_shape_def_default();
        reader->shapes[s].name = thaw_scene_keep_text(reader, name);
        read_shape(&member, s);
        wrong |= thaw_scene_note_error(reader);
    }
    if (wrong) // bodies need every shape
        reader->status = THAW_ERROR_INPUT;
}
