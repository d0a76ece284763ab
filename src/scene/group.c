// SPDX-License-Identifier: Apache-2.0
// Named groups of a shape's vertices. A group of the mesh file needs no definition: the first load that names it
// appends one. A definition that chooses no vertex is refused here, where the message can say where the mesh lies; that
// costs one look at each vertex.
#include <math.h>
#include <string.h>

#include "scene/read.h"
#include "scene/select.h"

static void refuse_empty(const ThawPlace *place, const ThawGroupDef *group, const ThawMesh *mesh) {
    int dim = mesh->dim;
    double lo[3] = {0}, hi[3] = {0}, square = 0;
    if (group->select == THAW_SELECT_MESH_GROUP || group->select == THAW_SELECT_NEAREST)
        return;
    for (int i = 0; i < dim; i++) {
        lo[i] = INFINITY, hi[i] = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            lo[i] = fmin(lo[i], mesh->x[(size_t)v * (size_t)dim + (size_t)i]);
            hi[i] = fmax(hi[i], mesh->x[(size_t)v * (size_t)dim + (size_t)i]);
        }
        square += (hi[i] - lo[i]) * (hi[i] - lo[i]);
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (thaw_select_chooses(group, dim, thaw_select_slack(sqrt(square)), mesh->x + (size_t)v * (size_t)dim))
            return;
    thaw_place_fail(place, THAW_ERROR_INPUT,
                    "the group has no vertex of the mesh; allowed: a group that reaches into the box from "
                    "(%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m that the mesh fills",
                    lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
}

static bool mesh_has_group(const ThawMesh *mesh, const char *name) {
    for (int32_t i = 0; i < mesh->group_count; i++)
        if (strcmp(mesh->groups[i].name, name) == 0)
            return true;
    return false;
}

// Refuses a name that no group has, listing those there are: first the shape's own, then the mesh's.
static void refuse_group(const ThawPlace *place, const char *name, const ThawShapeDef *shape, const ThawMesh *mesh) {
    size_t own = shape ? (size_t)shape->group_count : 0, count = own + (size_t)mesh->group_count;
    const char **names = THAW_NEW(const char *, count + 1);
    if (!names) {
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = i < own ? shape->groups[i].name : mesh->groups[i - own].name;
    for (size_t i = own; i < count; i++) // a mesh group already in use is among the shape's own
        for (size_t j = 0; j < own; j++)
            if (strcmp(names[i], names[j]) == 0)
                names[i] = "";
    if (shape)
        names[count++] = "all";
    thaw_place_refuse_name(place, "unknown group", name, names, count);
    thaw_free(names);
}

static void read_box(const ThawPlace *place, ThawGroupDef *group) {
    static const char *const keys[] = {"min", "max", NULL};
    if (!thaw_place_is_object(place, keys, 2))
        return;
    thaw_place_vector(place, "min", group->a);
    thaw_place_vector(place, "max", group->b);
    for (int i = 0; i < 3; i++)
        if (group->a[i] > group->b[i])
            thaw_place_refuse(place, "an empty box", "min at most max in every component");
}

static void read_sphere(const ThawPlace *place, ThawGroupDef *group) {
    static const char *const keys[] = {"centre", "radius", NULL};
    if (!thaw_place_is_object(place, keys, 2))
        return;
    thaw_place_vector(place, "centre", group->a);
    thaw_place_number(place, "radius", thaw_range_not_negative, &group->radius);
}

static void read_side(const ThawPlace *place, ThawGroupDef *group) {
    static const char *const keys[] = {"point", "normal", NULL};
    if (!thaw_place_is_object(place, keys, 2))
        return;
    thaw_place_vector(place, "point", group->a);
    thaw_place_vector(place, "normal", group->b);
    ThawPlace normal = thaw_place_member(place, "normal");
    if (group->b[0] == 0 && group->b[1] == 0 && group->b[2] == 0)
        thaw_place_refuse(&normal, "a normal without a direction", "a vector of any length but zero");
}

static void read_group(const ThawPlace *place, const ThawMesh *mesh, ThawGroupDef *group) {
    static const char *const keys[] = {"box", "sphere", "side", "nearest", "mesh", NULL};
    if (place->reader->status)
        return;
    group->select = THAW_SELECT_ALL;
    if (json_is_string(place->value) && strcmp(json_string_value(place->value), "all") == 0)
        return;
    if (!json_is_object(place->value)) {
        thaw_place_refuse(place, "not a group", "\"all\", or an object with one of box, sphere, side, nearest, mesh");
        return;
    }
    if (!thaw_place_is_object(place, keys, 0))
        return;
    int which = thaw_place_which(place, keys);
    if (which < 0)
        return;
    ThawPlace member = thaw_place_member(place, keys[which]);
    switch (which) {
    case 0:
        group->select = THAW_SELECT_BOX;
        read_box(&member, group);
        break;
    case 1:
        group->select = THAW_SELECT_SPHERE;
        read_sphere(&member, group);
        break;
    case 2:
        group->select = THAW_SELECT_PLANE_SIDE;
        read_side(&member, group);
        break;
    case 3:
        group->select = THAW_SELECT_NEAREST;
        thaw_place_own_vector(&member, group->a);
        break;
    default:
        group->select = THAW_SELECT_MESH_GROUP;
        group->mesh_group = thaw_scene_keep_text(place->reader, thaw_place_own_text(&member));
        if (group->mesh_group && !mesh_has_group(mesh, group->mesh_group))
            refuse_group(&member, group->mesh_group, NULL, mesh);
    }
    if (!place->reader->status)
        refuse_empty(place, group, mesh);
}

// Whether a group's definition chooses a vertex; never the nearest one, which is no region.
static bool group_has(const ThawMesh *mesh, const ThawGroupDef *group, double slack, int32_t v) {
    if (group->select != THAW_SELECT_MESH_GROUP)
        return thaw_select_chooses(group, mesh->dim, slack, mesh->x + (size_t)v * (size_t)mesh->dim);
    for (int32_t g = 0; g < mesh->group_count; g++)
        for (int32_t i = 0; strcmp(mesh->groups[g].name, group->mesh_group) == 0 && i < mesh->groups[g].count; i++)
            if (mesh->groups[g].vertices[i] == v)
                return true;
    return false;
}

// How many elements have their centres in a region, or all vertices in a group.
static int32_t count_elements(const ThawMesh *mesh, const ThawGroupDef *def, bool is_group, double slack) {
    int32_t count = 0;
    unsigned char *inside = is_group ? THAW_NEW(unsigned char, mesh->vertex_count) : NULL;
    for (int32_t v = 0; inside && v < mesh->vertex_count; v++)
        inside[v] = group_has(mesh, def, slack, v);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *element = mesh->elements + (size_t)e * (size_t)mesh->nodes;
        double centre[3] = {0, 0, 0};
        int all = 1;
        for (int a = 0; a < mesh->nodes; a++) {
            all &= inside ? inside[element[a]] : 1;
            for (int k = 0; k < mesh->dim; k++)
                centre[k] += mesh->x[(size_t)element[a] * (size_t)mesh->dim + (size_t)k] / mesh->nodes;
        }
        count += is_group ? all : thaw_select_chooses(def, mesh->dim, slack, centre);
    }
    thaw_free(inside);
    return count;
}

static double slack_of(const ThawMesh *mesh) {
    double square = 0;
    for (int k = 0; k < mesh->dim; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            lo = fmin(lo, mesh->x[(size_t)v * (size_t)mesh->dim + (size_t)k]);
            hi = fmax(hi, mesh->x[(size_t)v * (size_t)mesh->dim + (size_t)k]);
        }
        square += (hi - lo) * (hi - lo);
    }
    return thaw_select_slack(sqrt(square));
}

static void read_region(const ThawPlace *place, ThawGroupDef *region) {
    static const char *const keys[] = {"box", "sphere", "side", NULL};
    *region = thaw_group_def_default();
    if (!json_is_object(place->value)) {
        thaw_place_refuse(place, "not a region", "an object with one of box, sphere, side");
        return;
    }
    int which = thaw_place_is_object(place, keys, 0) ? thaw_place_which(place, keys) : -1;
    if (which < 0)
        return;
    ThawPlace member = thaw_place_member(place, keys[which]);
    region->select = which == 0 ? THAW_SELECT_BOX : which == 1 ? THAW_SELECT_SPHERE : THAW_SELECT_PLANE_SIDE;
    (which == 0 ? read_box : which == 1 ? read_sphere : read_side)(&member, region);
}

void thaw_scene_read_change(const ThawPlace *place, int32_t s, ThawChangeDef *change) {
    static const char *const keys[] = {"at", "remove", "cut", "within", NULL};
    static const char *const kinds[] = {"remove", "cut", NULL};
    const ThawMesh *mesh = place->reader->shapes[s].mesh;
    *change = thaw_change_def_default();
    if (!thaw_place_is_object(place, keys, 1))
        return;
    thaw_place_number(place, "at", thaw_range_positive, &change->time);
    const int kind = thaw_place_which(place, kinds);
    if (kind < 0)
        return;
    change->kind = kind == 0 ? THAW_CHANGE_REMOVE : THAW_CHANGE_CUT;
    ThawPlace where = thaw_place_member(place, kinds[kind]), within = thaw_place_member(place, "within");
    const bool is_group = json_is_string(where.value);
    if (is_group)
        change->group = thaw_scene_find_group(&where, s);
    else
        read_region(&where, &change->where);
    if (within.value && kind == 0)
        thaw_place_refuse(&within, "a limit of what is removed", "\"within\" beside \"cut\" only");
    change->limited = within.value != NULL;
    if (within.value && !place->reader->status)
        read_region(&within, &change->within);
    if (place->reader->status)
        return;
    const ThawGroupDef *def = is_group ? &place->reader->groups[s][change->group] : &change->where;
    const int32_t count = count_elements(mesh, def, is_group, slack_of(mesh));
    if (count == 0)
        thaw_place_fail(
            &where, THAW_ERROR_INPUT,
            "no element of the mesh has its centre there (of a group: all vertices in it); allowed: a region "
            "with some of its %d elements",
            (int)mesh->element_count);
    else if (count == mesh->element_count)
        thaw_place_fail(&where, THAW_ERROR_INPUT, "all %d elements of the mesh; allowed: a region that leaves some",
                        (int)count);
}

void thaw_scene_read_groups(const ThawPlace *place, int32_t s) {
    ThawSceneReader *reader = place->reader;
    const ThawMesh *mesh = reader->shapes[s].mesh;
    size_t count = 0;
    if (reader->status || (place->value && !thaw_place_is_map(place, &count)))
        return;
    reader->groups[s] = thaw_scene_keep(reader, count + (size_t)mesh->group_count + 1, sizeof(ThawGroupDef));
    reader->shapes[s].groups = reader->groups[s];
    const char *key;
    json_t *value;
    json_object_foreach(place->value, key, value) {
        if (reader->status)
            return;
        ThawPlace item = thaw_place_member(place, key);
        ThawGroupDef *group = &reader->groups[s][reader->shapes[s].group_count++];
        *group = thaw_group_def_default();
        group->name = thaw_scene_keep_text(reader, key);
        read_group(&item, mesh, group);
    }
}

int32_t thaw_scene_find_group(const ThawPlace *place, int32_t s) {
    ThawSceneReader *reader = place->reader;
    const char *name = thaw_place_own_text(place);
    if (!name)
        return 0;
    ThawShapeDef *shape = &reader->shapes[s];
    for (int32_t i = 0; i < shape->group_count; i++)
        if (strcmp(shape->groups[i].name, name) == 0)
            return i;
    bool in_mesh = mesh_has_group(shape->mesh, name);
    if (!in_mesh && strcmp(name, "all") != 0) {
        refuse_group(place, name, shape, shape->mesh);
        return 0;
    }
    ThawGroupDef *group = &reader->groups[s][shape->group_count];
    *group = thaw_group_def_default();
    group->select = in_mesh ? THAW_SELECT_MESH_GROUP : THAW_SELECT_ALL;
    group->name = thaw_scene_keep_text(reader, name);
    group->mesh_group = in_mesh ? group->name : NULL;
    return group->name ? shape->group_count++ : 0;
}
