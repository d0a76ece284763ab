// SPDX-License-Identifier: Apache-2.0
// What elements of a solid have of their own: the direction of fibres (one for all, or a helix about an axis), and how
// stiff they are along a line (a tendon that goes over into a belly). Both are read into a value an element, at its
// centre.
#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "scene/read.h"

static void centre_of(const ThawMesh *mesh, int32_t e, double c[3]) {
    c[2] = 0;
    for (int k = 0; k < mesh->dim; k++) {
        c[k] = 0;
        for (int a = 0; a < mesh->nodes; a++)
            c[k] += mesh->x[(size_t)mesh->elements[(size_t)e * (size_t)mesh->nodes + (size_t)a] * (size_t)mesh->dim +
                            (size_t)k] /
                    mesh->nodes;
    }
}

// Around an axis through a point, rising by an angle from the circle. On the axis: along it.
static void wind_helix(const double point[3], const double axis[3], double angle, const double c[3], double a[3]) {
    double r[3], around[3];
    thaw_v3_sub(c, point, r);
    thaw_v3_cross(axis, r, around);
    const double length = thaw_v3_norm(around);
    for (int k = 0; k < 3; k++)
        a[k] = length > 0 ? cos(angle) * around[k] / length + sin(angle) * axis[k] : axis[k];
}

static void read_helix(const ThawPlace *place, ThawShapeDef *shape) {
    static const char *const keys[] = {"axis", "point", "angle", NULL};
    static const ThawRange quarter = {-90, 90, false, false};
    double axis[3] = {0}, point[3] = {0}, angle = 0;
    if (place->reader->store->scene.world.dim == 2)
        thaw_place_refuse(place, "a helix needs space", "a direction in a scene of dimension 2");
    if (place->reader->status || !thaw_place_is_object(place, keys, 1))
        return;
    thaw_place_vector(place, "axis", axis);
    thaw_place_vector(place, "point", point);
    thaw_place_number(place, "angle", quarter, &angle);
    ThawPlace axis_place = thaw_place_member(place, "axis");
    if (!place->reader->status && !(thaw_v3_unit(axis) > 0))
        thaw_place_refuse(&axis_place, "no direction", "a vector other than 0");
    const ThawMesh *mesh = shape->mesh;
    double *fibres = thaw_scene_keep(place->reader, 3 * (size_t)mesh->element_count, sizeof *fibres);
    if (place->reader->status || !fibres)
        return;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double c[3];
        centre_of(mesh, e, c);
        wind_helix(point, axis, angle * M_PI / 180, c, fibres + 3 * (size_t)e);
    }
    shape->fibres = fibres;
}

static void read_fibres(const ThawPlace *place, ThawShapeDef *shape) {
    static const char *const keys[] = {"helix", NULL};
    if (!place->value || place->reader->status)
        return;
    if (json_is_array(place->value)) {
        thaw_place_own_vector(place, shape->fibre);
        if (!place->reader->status && !(thaw_v3_norm(shape->fibre) > 0))
            thaw_place_refuse(place, "no direction", "a vector other than 0");
        return;
    }
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawPlace helix = thaw_place_member(place, "helix");
    read_helix(&helix, shape);
}

// Factors at equal distances from one point to another, straight between them, and as at the ends beyond.
static double factor_at(const double from[3], const double along[3], const double *factors, size_t count,
                        const double c[3]) {
    double r[3];
    thaw_v3_sub(c, from, r);
    const double share = thaw_v3_dot(r, along) / thaw_v3_dot(along, along) * (double)(count - 1);
    const double at = fmin(fmax(share, 0), (double)(count - 1)), whole = fmin(floor(at), (double)count - 2);
    const size_t i = (size_t)whole;
    return factors[i] + (at - whole) * (factors[i + 1] - factors[i]);
}

static void read_stiffness(const ThawPlace *place, ThawShapeDef *shape) {
    static const char *const keys[] = {"from", "to", "factors", NULL};
    const ThawMesh *mesh = shape->mesh;
    double from[3] = {0}, to[3] = {0}, along[3];
    size_t count = 0;
    if (!place->value || !thaw_place_is_object(place, keys, 3))
        return;
    ThawPlace list = thaw_place_member(place, "factors"), end = thaw_place_member(place, "to");
    thaw_place_vector(place, "from", from);
    thaw_place_vector(place, "to", to);
    thaw_v3_sub(to, from, along);
    if (!place->reader->status && !(thaw_v3_norm(along) > 0))
        thaw_place_refuse(&end, "a line of no length", "another point than \"from\"");
    if (!thaw_place_is_array(&list, 2, &count))
        return;
    double *factors = thaw_scene_keep(place->reader, count, sizeof *factors);
    double *stiffness = thaw_scene_keep(place->reader, (size_t)mesh->element_count, sizeof *stiffness);
    for (size_t i = 0; i < count && !place->reader->status; i++) {
        ThawPlace item = thaw_place_item(&list, i);
        factors[i] = thaw_place_own_number(&item, thaw_range_positive);
    }
    if (place->reader->status)
        return;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double c[3];
        centre_of(mesh, e, c);
        stiffness[e] = factor_at(from, along, factors, count, c);
    }
    shape->stiffness = stiffness;
}

void thaw_scene_read_element_data(const ThawPlace *place, ThawShapeDef *shape) {
    ThawPlace fibres = thaw_place_member(place, "fibres"), stiffness = thaw_place_member(place, "stiffness");
    if (thaw_mesh_is_sheet(shape->mesh) && fibres.value)
        thaw_place_refuse(&fibres, "a sheet is woven", "\"weave\" of its material, and \"warp\"");
    if (thaw_mesh_is_sheet(shape->mesh) && stiffness.value)
        thaw_place_refuse(&stiffness, "only a solid has a field of stiffness", "to leave it out");
    read_fibres(&fibres, shape);
    read_stiffness(&stiffness, shape);
}
