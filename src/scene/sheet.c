// SPDX-License-Identifier: Apache-2.0
// Sheets in scenes: triangles in space from a file as they are, or made here at a size, and how thick they are.
#include <math.h>
#include <string.h>

#include "material/material.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"
#include "mesh/soup.h"
#include "scene/read.h"
#include "thaw/read.h"
#include "thaw/triangles.h"

static const double TRIANGLE_LIMIT = 2e7; // of a sheet that is made here

// --- meshes ----------------------------------------------------------------------------------------------------------

// A count of edges, at least `least`; refused where the sheet would have too many triangles.
static int32_t edges_of(const ThawPlace *place, double length, double size, int32_t least) {
    const double count = round(length / size);
    if (!place->reader->status && !(count * count <= TRIANGLE_LIMIT))
        thaw_place_fail(place, THAW_ERROR_INPUT, "too fine (value %.6g edges along it); allowed: at most %g triangles",
                        count, TRIANGLE_LIMIT);
    return place->reader->status || count < least ? least : (int32_t)count;
}

// Sides of a grid by name: vertices at either end of x and y.
static ThawStatus name_sides(const int32_t cells[2], ThawMesh *mesh, ThawError *error) {
    static const char *const names[] = {"x-min", "x-max", "y-min", "y-max"};
    const ThawMeshGroup rim = mesh->groups[0];
    ThawMeshGroup *groups = THAW_NEW(ThawMeshGroup, 5);
    if (!groups)
        return thaw_error_memory(error, "the groups of a sheet");
    groups[0] = rim;
    thaw_free(mesh->groups);
    mesh->groups = groups;
    for (int side = 0; side < 4; side++) {
        const int32_t count = cells[side < 2] + 1, row = cells[0] + 1;
        const int32_t first = side == 1 ? cells[0] : side == 3 ? row * cells[1] : 0;
        ThawMeshGroup *group = &groups[mesh->group_count++];
        *group = (ThawMeshGroup){.name = thaw_strdup(names[side]), .vertices = THAW_NEW(int32_t, count)};
        if (!group->name || !group->vertices)
            return thaw_error_memory(error, "the groups of a sheet");
        for (; group->count < count; group->count++)
            group->vertices[group->count] = first + group->count * (side < 2 ? row : 1);
    }
    return THAW_OK;
}

// Takes the triangles that were made, or says why there are none.
static void take(const ThawPlace *place, ThawStatus status, ThawTriangleMesh **made, const int32_t *cells,
                 ThawMesh **mesh, ThawError *error) {
    if (!status)
        status = thaw_mesh_of_triangles(*made, mesh, error);
    if (!status && cells)
        status = name_sides(cells, *mesh, error);
    thaw_triangles_free(made);
    if (status)
        thaw_place_fail(place, status, "%s", error->message);
}

static void make_grid(const ThawPlace *place, double size, ThawMesh **mesh) {
    static const char *const keys[] = {"width", "height", NULL};
    double width = 1, height = 1;
    ThawTriangleMesh *made = NULL;
    ThawError error = {0};
    if (!thaw_place_is_object(place, keys, 2))
        return;
    thaw_place_number(place, "width", thaw_range_positive, &width);
    thaw_place_number(place, "height", thaw_range_positive, &height);
    const int32_t cells[2] = {edges_of(place, width, size, 1), edges_of(place, height, size, 1)};
    if (!place->reader->status)
        take(place, thaw_triangles_grid(width, height, cells, &made, &error), &made, cells, mesh, &error);
}

// A disc, or a ball's surface.
static void make_round(const ThawPlace *place, double size, int ball, ThawMesh **mesh) {
    static const char *const keys[] = {"radius", NULL};
    double radius = 1;
    ThawTriangleMesh *made = NULL;
    ThawError error = {0};
    if (!thaw_place_is_object(place, keys, 1))
        return;
    thaw_place_number(place, "radius", thaw_range_positive, &radius);
    const int32_t rings = edges_of(place, (ball ? 1.2 : 1) * radius, size, 1); // mean edges of a ball: 1.2 / rings
    if (place->reader->status)
        return;
    const ThawStatus status =
        ball ? thaw_triangles_sphere(radius, rings, &made, &error) : thaw_triangles_disc(radius, rings, &made, &error);
    take(place, status, &made, NULL, mesh, &error);
}

// The points of a profile with others between them, so that none is farther than `size` from the next; how many.
static int32_t divide_profile(const double *points, int32_t count, double size, double *to) {
    int32_t used = 0;
    for (int32_t i = 0; i < count; i++) {
        const double *a = points + 2 * (size_t)(i ? i - 1 : 0), *b = points + 2 * (size_t)i;
        const double pieces = i ? fmax(1, round(hypot(b[0] - a[0], b[1] - a[1]) / size)) : 1;
        for (double k = 1; k <= pieces; k++, used++)
            for (int d = 0; to && d < 2; d++)
                to[2 * (size_t)used + (size_t)d] = k < pieces ? a[d] + k / pieces * (b[d] - a[d]) : b[d];
    }
    return used;
}

static void make_revolution(const ThawPlace *place, double size, ThawMesh **mesh) {
    static const char *const keys[] = {"profile", NULL};
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawPlace profile = thaw_place_member(place, "profile");
    size_t count = 0;
    double widest = 0, length = 0, *points = thaw_scene_read_profile(&profile, &count);
    for (size_t i = 0; points && i < count; i++) {
        widest = fmax(widest, points[2 * i]);
        length += i ? hypot(points[2 * i] - points[2 * i - 2], points[2 * i + 1] - points[2 * i - 1]) : 0;
    }
    edges_of(place, length, size, 1);
    const int32_t around = edges_of(place, 2 * M_PI * widest, size, 3);
    if (!place->reader->status) {
        const int32_t fine = divide_profile(points, (int32_t)count, size, NULL);
        double *all = THAW_NEW(double, 2 * (size_t)fine);
        ThawTriangleMesh *made = NULL;
        ThawError error = {0};
        if (all)
            divide_profile(points, (int32_t)count, size, all);
        const ThawStatus status = all ? thaw_triangles_revolution(all, fine, around, &made, &error)
                                      : thaw_error_memory(&error, "a surface of revolution");
        take(place, status, &made, NULL, mesh, &error);
        thaw_free(all);
    }
}

// Puts a mesh of the plane into space, at z = 0.
static ThawStatus lift(ThawMesh *mesh, ThawError *error) {
    double *x = THAW_NEW(double, 3 * (size_t)mesh->vertex_count);
    if (!x)
        return thaw_error_memory(error, "a sheet");
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++)
        memcpy(x + 3 * v, mesh->x + 2 * v, 2 * sizeof *x);
    thaw_free(mesh->x);
    mesh->x = x;
    mesh->dim = 3;
    return THAW_OK;
}

// What lies inside outlines, filled by the mesher of the plane.
static void make_from_drawing(const ThawPlace *place, double size, ThawMesh **mesh) {
    ThawMesherDef def = thaw_mesher_def_default();
    ThawSolid *solid = NULL;
    ThawError error = {0};
    char *path = thaw_scene_path(place);
    if (!path)
        return;
    def.size = size;
    ThawStatus status = thaw_solid_load(path, 2, &solid, &error);
    if (!status)
        status = thaw_mesh_from_solid(solid, &def, mesh, NULL, &error);
    if (!status)
        status = lift(*mesh, &error);
    if (status)
        thaw_place_fail(place, status, "%s", error.message);
    thaw_solid_free(&solid);
    thaw_free(path);
}

static void read_file(const ThawPlace *place, ThawMesh **mesh, double **uv) {
    ThawError error = {0};
    double *found = NULL;
    char *path = thaw_scene_path(place);
    const ThawStatus status =
        path ? thaw_mesh_read_sheet_textured(path, place->reader->options, mesh, &found, &error) : THAW_ERROR_MEMORY;
    if (path && status)
        thaw_place_fail(place, status, "%s", error.message);
    const size_t count = found ? 6 * (size_t)(*mesh)->element_count : 0;
    double *kept = found ? thaw_scene_keep(place->reader, count, sizeof *kept) : NULL;
    if (kept)
        *uv = memcpy(kept, found, count * sizeof *kept);
    thaw_free(found);
    thaw_free(path);
}

void thaw_scene_read_sheet(const ThawPlace *place, const ThawPlace *member, double unit, ThawMesh **mesh, double **uv) {
    static const char *const kinds[] = {"grid", "disc", "sphere", "revolution", "drawing", NULL};
    ThawPlace size_place = thaw_place_member(place, "size");
    double size = 0;
    if (place->reader->store->scene.world.dim == 2)
        thaw_place_refuse(member, "a sheet has no place in the plane", "sheets in scenes of dimension 3 only");
    if (json_is_string(member->value)) {
        if (size_place.value)
            thaw_place_refuse(&size_place, "the triangles of a file are taken as they are", "to leave it out");
        read_file(member, mesh, uv);
        return;
    }
    if (member->value && !json_is_object(member->value))
        thaw_place_refuse(member, "wrong type", "an object {...}, or the name of a file with triangles");
    if (!thaw_place_is_object(member, kinds, 0))
        return;
    const int which = thaw_place_which(member, kinds);
    thaw_place_number(place, "size", thaw_range_positive, &size);
    if (which >= 0 && !size_place.value)
        thaw_place_refuse(place, "no size", "\"size\", m, beside \"sheet\": edges of its triangles");
    if (which < 0 || place->reader->status)
        return;
    ThawPlace kind = thaw_place_member(member, kinds[which]);
    size /= unit;
    if (which == 0)
        make_grid(&kind, size, mesh);
    else if (which < 3)
        make_round(&kind, size, which == 2, mesh);
    else
        (which == 3 ? make_revolution : make_from_drawing)(&kind, size, mesh);
}

// --- how thick it is -------------------------------------------------------------------------------------------------

void thaw_scene_read_thickness(const ThawPlace *place, ThawShapeDef *shape) {
    static const char *const membranes[] = {"plane-stress", "fixed-thickness", "woven", "lengths"};
    static const char *const bendings[] = {"plate", "hinge"};
    static const char *const limitings[] = {"energy", "clamp"};
    static const char *const own[] = {"membrane", "bending",         "bending_damping", "warp",
                                      "pressure", "yield_curvature", "yield_angle",     "strain_limiting"};
    enum { PRESSURE = 4 };
    ThawSceneReader *reader = place->reader;
    ThawPlace thickness = thaw_place_member(place, "thickness");
    const int sheet = thaw_mesh_is_sheet(shape->mesh);
    int choice = THAW_MEMBRANE_AUTO;
    if (thickness.value && !sheet && shape->mesh->dim != 2)
        thaw_place_refuse(&thickness, "a solid has no thickness", "thickness of sheets, or in scenes of dimension 2");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        ThawPlace member = thaw_place_member(place, own[i]);
        if (member.value && !sheet)
            thaw_place_refuse(&member,
                              i == PRESSURE ? "a solid has no pressure inside"
                                            : "only a sheet stretches and bends by options",
                              i == PRESSURE ? "a sheet that is closed, or forces on a group" : "to leave it out");
    }
    if (reader->status)
        return;
    if (sheet && !thickness.value) {
        shape->thickness = reader->sold_as[shape->material];
        if (!(shape->thickness > 0))
            thaw_place_refuse(place, "a sheet without thickness", "\"thickness\", m, more than 0");
    }
    thaw_place_number(place, "thickness", thaw_range_positive, &shape->thickness);
    thaw_place_choice(place, "membrane", membranes, 4, &choice);
    shape->membrane = (ThawMembrane)choice;
    ThawPlace membrane = thaw_place_member(place, "membrane");
    const int fabric = thaw_weave_is_given(&reader->materials[shape->material].weave);
    if (membrane.value && fabric && shape->membrane != THAW_MEMBRANE_WOVEN)
        thaw_place_refuse(&membrane, "its material is a fabric",
                          "\"woven\", to leave it out, or \"weave\": false in the material");
    choice = 0;
    thaw_place_choice(place, "bending", bendings, 2, &choice);
    shape->bending = (ThawBending)choice;
    choice = 0;
    thaw_place_choice(place, "strain_limiting", limitings, 2, &choice);
    shape->limiting = (ThawLimiting)choice;
    thaw_place_number(place, "bending_damping", thaw_range_not_negative, &shape->bending_damping);
    thaw_place_number(place, "yield_curvature", thaw_range_positive, &shape->yield_curvature);
    thaw_place_number(place, "yield_angle", thaw_range_positive, &shape->yield_angle);
    thaw_place_number(place, "pressure", thaw_range_any, &shape->pressure);
    ThawPlace warp = thaw_place_member(place, "warp");
    if (warp.value && shape->membrane != THAW_MEMBRANE_WOVEN && !fabric)
        thaw_place_refuse(&warp, "only woven sheets have a warp",
                          "\"warp\" of a fabric, or beside \"membrane\": \"woven\"");
    thaw_place_vector(place, "warp", shape->warp);
}
