// SPDX-License-Identifier: Apache-2.0
// What bodies touch, and how: contact settings, obstacles and pairs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "scene/read.h"
#include "thaw/triangles.h"

static void read_options(const ThawPlace *place, ThawContactOptions *contact) {
    static const char *const keys[] = {"enabled",  "stiffness", "damping",    "tangent", "erp", "cfm",
                                       "friction", "tolerance", "iterations", "edges",   NULL};
    static const char *const frictions[] = {[THAW_FRICTION_CONE] = "cone", [THAW_FRICTION_BOX] = "box"};
    static const ThawRange fraction = {0, 1, true, true}, erp = {0, 1, false, false};
    if (!place->value || !thaw_place_is_object(place, keys, 0))
        return;
    ThawPlace enabled = thaw_place_member(place, "enabled"), stiffness = thaw_place_member(place, "stiffness");
    ThawPlace edges = thaw_place_member(place, "edges");
    int friction = (int)contact->friction;
    int64_t iterations = contact->iterations;
    if (enabled.value && !json_is_boolean(enabled.value))
        thaw_place_refuse(&enabled, "wrong type", "true or false");
    contact->disabled = enabled.value && !json_is_true(enabled.value);
    if (edges.value && !json_is_boolean(edges.value))
        thaw_place_refuse(&edges, "wrong type", "true or false");
    else if (edges.value)
        contact->edges = json_is_true(edges.value);
    if (stiffness.value && json_is_string(stiffness.value)) {
        if (strcmp(json_string_value(stiffness.value), "hard") != 0)
            thaw_place_refuse(&stiffness, "unknown stiffness", "a number in N/m, or \"hard\"");
        contact->stiffness = INFINITY;
    } else
        thaw_place_number(place, "stiffness", thaw_range_positive, &contact->stiffness);
    thaw_place_number(place, "damping", thaw_range_not_negative, &contact->damping);
    thaw_place_number(place, "tangent", thaw_range_not_negative, &contact->tangent);
    thaw_place_number(place, "erp", erp, &contact->erp);
    thaw_place_number(place, "cfm", thaw_range_not_negative, &contact->cfm);
    thaw_place_choice(place, "friction", frictions, 2, &friction);
    thaw_place_number(place, "tolerance", fraction, &contact->tolerance);
    thaw_place_integer(place, "iterations", 1, 1000000, &iterations);
    contact->friction = (ThawFriction)friction;
    contact->iterations = (int)iterations;
}

// --- obstacles -------------------------------------------------------------------------------------------------------

// A surface file's vertices and triangles in the scene's memory. Returns the number of vertices, 0 with an error.
static int32_t read_surface(const ThawPlace *file, ThawObstacleDef *obstacle, double **x) {
    ThawSceneReader *reader = file->reader;
    char *path = thaw_scene_path(file);
    ThawTriangleMesh *mesh = NULL;
    ThawError error;
    if (!path)
        return 0;
    ThawStatus status = thaw_triangles_read(path, &mesh, &error);
    thaw_free(path);
    if (status != THAW_OK) {
        thaw_place_fail(file, status, "%s", error.message);
        return 0;
    }
    int32_t count = mesh->vertex_count;
    if (!obstacle->faces) {
        int32_t *faces = thaw_scene_keep(reader, 3 * (size_t)mesh->triangle_count, sizeof *faces);
        if (faces)
            memcpy(faces, mesh->triangles, sizeof *faces * 3 * (size_t)mesh->triangle_count);
        obstacle->faces = faces;
        obstacle->face_count = mesh->triangle_count;
    }
    *x = thaw_scene_keep(reader, 3 * (size_t)count, sizeof **x);
    if (*x)
        memcpy(*x, mesh->x, sizeof **x * 3 * (size_t)count);
    thaw_triangles_free(&mesh);
    return count;
}

// {"file": ...}, or {"files": [...], "times": [...]}: a surface in motion.
static void read_mesh(const ThawPlace *place, ThawObstacleDef *obstacle) {
    static const char *const keys[] = {"file", "files", "times", "scale", NULL};
    if (!thaw_place_is_object(place, keys, 0))
        return;
    ThawSceneReader *reader = place->reader;
    ThawPlace file = thaw_place_member(place, "file"), files = thaw_place_member(place, "files");
    ThawPlace times = thaw_place_member(place, "times");
    double *x = NULL, scale = 1;
    size_t count = 1, time_count = 0;
    thaw_place_number(place, "scale", thaw_range_positive, &scale);
    if (!file.value == !files.value) {
        thaw_place_refuse(place, "a mesh obstacle without a surface, or with two", "either file, or files and times");
        return;
    }
    if (file.value) {
        obstacle->vertex_count = read_surface(&file, obstacle, &x);
        for (int32_t i = 0; x && i < 3 * obstacle->vertex_count; i++)
            x[i] *= scale;
        obstacle->x = x;
        return;
    }
    if (!thaw_place_is_array(&files, 1, &count) || !thaw_place_is_array(&times, 1, &time_count))
        return;
    if (time_count != count) {
        thaw_place_refuse(&times, "not as many times as files", "one time a file");
        return;
    }
    double *frames = NULL, *when = thaw_scene_keep(reader, count, sizeof *when);
    for (size_t i = 0; i < count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(&files, i), time = thaw_place_item(&times, i);
        int32_t vertices = read_surface(&item, obstacle, &x);
        if (i == 0)
            frames = thaw_scene_keep(reader, 3 * (size_t)vertices * count, sizeof *frames);
        if (reader->status)
            return;
        if (i == 0)
            obstacle->vertex_count = vertices;
        if (vertices != obstacle->vertex_count) {
            thaw_place_fail(&item, THAW_ERROR_INPUT, "%d vertices, but the first file has %d; allowed: as many",
                            (int)vertices, (int)obstacle->vertex_count);
            return;
        }
        for (size_t k = 0; k < 3 * (size_t)vertices; k++)
            frames[3 * (size_t)vertices * i + k] = scale * x[k];
        when[i] = thaw_place_own_number(&time, thaw_range_not_negative);
        if (i > 0 && !(when[i] > when[i - 1]))
            thaw_place_refuse(&time, "times out of order", "a time greater than the one before");
    }
    obstacle->frames = frames;
    obstacle->frame_times = when;
    obstacle->frame_count = (int32_t)count;
}

// 2D: corners in order, anticlockwise or not; the interior is made to lie on the left.
static void read_polygon(const ThawPlace *place, ThawObstacleDef *obstacle) {
    ThawSceneReader *reader = place->reader;
    size_t count;
    if (!thaw_place_is_array(place, 3, &count))
        return;
    double *x = thaw_scene_keep(reader, 2 * count, sizeof *x), area = 0;
    int32_t *faces = thaw_scene_keep(reader, 2 * count, sizeof *faces);
    for (size_t i = 0; i < count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(place, i);
        double corner[3];
        thaw_place_own_vector(&item, corner);
        x[2 * i] = corner[0];
        x[2 * i + 1] = corner[1];
    }
    if (reader->status)
        return;
    for (size_t i = 0; i < count; i++) {
        size_t next = (i + 1) % count;
        area += x[2 * i] * x[2 * next + 1] - x[2 * next] * x[2 * i + 1];
    }
    for (size_t i = 0; i < count; i++) {
        size_t next = (i + 1) % count;
        faces[2 * i] = (int32_t)(area > 0 ? i : next);
        faces[2 * i + 1] = (int32_t)(area > 0 ? next : i);
    }
    obstacle->kind = THAW_OBSTACLE_MESH;
    obstacle->x = x;
    obstacle->vertex_count = obstacle->face_count = (int32_t)count;
    obstacle->faces = faces;
}

// The rotation that takes the solid side's outward axis (z, in 2D y) to `normal`.
static void face_normal(const ThawPlace *place, int dim, double normal[3], ThawObstacleDef *obstacle) {
    double norm = thaw_v3_unit(normal);
    if (!(norm > 0)) {
        thaw_place_refuse(place, "a normal of no length", "a vector that is not zero");
        return;
    }
    double axis[3] = {0, dim == 2, dim == 3}, q[4], square = 0;
    q[0] = 1 + axis[1] * normal[1] + axis[2] * normal[2]; // half-way between: (1 + a.n, a x n)
    thaw_v3_cross(axis, normal, q + 1);
    if (q[0] < 1e-12) // opposite: any half turn that swaps them
        memcpy(q, dim == 2 ? (double[4]){0, 0, 0, 1} : (double[4]){0, 1, 0, 0}, sizeof q);
    for (int i = 0; i < 4; i++)
        square += q[i] * q[i];
    for (int i = 0; i < 4; i++)
        obstacle->rotation[i] = q[i] / sqrt(square);
}

static void read_shape_of(const ThawPlace *place, int dim, ThawObstacleDef *obstacle) {
    static const char *const kinds3[] = {"plane", "sphere", "box", "capsule", "cylinder", "mesh", NULL};
    static const char *const kinds2[] = {"plane", "circle", "box", "polygon", NULL};
    static const char *const plane_keys[] = {"normal", NULL}, *const round_keys[] = {"radius", NULL};
    static const char *const box_keys[] = {"size", NULL}, *const capsule_keys[] = {"radius", "length", NULL};
    static const char *const cylinder_keys[] = {"radius", "height", NULL};
    int which = thaw_place_which(place, dim == 2 ? kinds2 : kinds3);
    if (which < 0)
        return;
    ThawPlace value = thaw_place_member(place, (dim == 2 ? kinds2 : kinds3)[which]);
    obstacle->kind = (ThawObstacleKind)which;
    if (which == THAW_OBSTACLE_HALF_SPACE) {
        double normal[3] = {0, dim == 2, dim == 3};
        if (thaw_place_is_object(&value, plane_keys, 0)) {
            thaw_place_vector(&value, "normal", normal);
            face_normal(&value, dim, normal, obstacle);
        }
    } else if (which == THAW_OBSTACLE_SPHERE) {
        if (thaw_place_is_object(&value, round_keys, 1))
            thaw_place_number(&value, "radius", thaw_range_positive, &obstacle->size[0]);
    } else if (which == THAW_OBSTACLE_BOX) {
        if (thaw_place_is_object(&value, box_keys, 1))
            thaw_place_vector(&value, "size", obstacle->size);
        for (int i = 0; i < dim; i++)
            if (!value.reader->status && !(obstacle->size[i] > 0))
                thaw_place_refuse(&value, "a box without room", "lengths greater than 0");
    } else if (dim == 2) {
        read_polygon(&value, obstacle);
    } else if (which == THAW_OBSTACLE_CAPSULE) {
        if (thaw_place_is_object(&value, capsule_keys, 2)) {
            thaw_place_number(&value, "radius", thaw_range_positive, &obstacle->size[0]);
            thaw_place_number(&value, "length", thaw_range_not_negative, &obstacle->size[1]);
        }
    } else if (which == THAW_OBSTACLE_CYLINDER) {
        if (thaw_place_is_object(&value, cylinder_keys, 2)) {
            thaw_place_number(&value, "radius", thaw_range_positive, &obstacle->size[0]);
            thaw_place_number(&value, "height", thaw_range_positive, &obstacle->size[1]);
        }
    } else
        read_mesh(&value, obstacle);
}

static void read_obstacle(const ThawPlace *place, ThawObstacleDef *obstacle) {
    static const char *const keys[] = {"name",          "plane",  "sphere",   "circle",      "box",      "capsule",
                                       "cylinder",      "mesh",   "polygon",  "position",    "rotation", "keys",
                                       "interpolation", "centre", "friction", "restitution", NULL};
    static const char *const interpolations[] = {"linear", "smooth"};
    ThawSceneReader *reader = place->reader;
    int dim = reader->store->scene.world.dim, interpolation = 0;
    char fallback[32];
    if (!thaw_place_is_object(place, keys, 0))
        return;
    snprintf(fallback, sizeof fallback, "obstacle-%zu", place->index);
    ThawPlace name = thaw_place_member(place, "name"), list = thaw_place_member(place, "keys");
    ThawPlace rotation = thaw_place_member(place, "rotation");
    obstacle->name = thaw_scene_keep_text(reader, name.value ? thaw_place_own_text(&name) : fallback);
    read_shape_of(place, dim, obstacle);
    thaw_place_vector(place, "position", obstacle->position);
    if (rotation.value && obstacle->kind == THAW_OBSTACLE_HALF_SPACE)
        thaw_place_refuse(&rotation, "a plane turned twice", "a plane's normal instead");
    else
        thaw_place_rotation(place, "rotation", obstacle->rotation, NULL);
    memcpy(obstacle->centre, obstacle->position, sizeof obstacle->centre);
    thaw_place_vector(place, "centre", obstacle->centre);
    thaw_place_choice(place, "interpolation", interpolations, 2, &interpolation);
    obstacle->interpolation = (ThawInterpolation)interpolation;
    thaw_place_number(place, "friction", thaw_range_not_negative, &obstacle->friction);
    thaw_place_number(place, "restitution", thaw_range_share, &obstacle->restitution);
    if (list.value)
        thaw_scene_read_keys(&list, &obstacle->keys, &obstacle->key_count);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

static const char *read_partner(const ThawPlace *place) {
    const ThawWorldDef *world = &place->reader->store->scene.world;
    const char *name = thaw_place_own_text(place);
    if (!name || strcmp(name, "*") == 0)
        return name ? "*" : NULL;
    for (int32_t i = 0; i < world->body_count; i++)
        if (strcmp(world->bodies[i].name, name) == 0)
            return world->bodies[i].name;
    for (int32_t i = 0; i < world->obstacle_count; i++)
        if (strcmp(world->obstacles[i].name, name) == 0)
            return world->obstacles[i].name;
    thaw_place_refuse(place, "no body or obstacle of that name", "a name of one, or \"*\" for any");
    return NULL;
}

static void read_pair(const ThawPlace *place, ThawPairDef *pair) {
    static const char *const keys[] = {"between", "friction", "restitution", "enabled", NULL};
    *pair = (ThawPairDef){.friction = -1, .restitution = -1};
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawPlace between = thaw_place_member(place, "between"), enabled = thaw_place_member(place, "enabled");
    size_t count;
    if (!thaw_place_is_array(&between, 2, &count))
        return;
    if (count != 2) {
        thaw_place_refuse(&between, "not a pair", "two names");
        return;
    }
    ThawPlace first = thaw_place_item(&between, 0), second = thaw_place_item(&between, 1);
    pair->first = read_partner(&first);
    pair->second = read_partner(&second);
    thaw_place_number(place, "friction", thaw_range_not_negative, &pair->friction);
    thaw_place_number(place, "restitution", thaw_range_share, &pair->restitution);
    if (enabled.value && !json_is_boolean(enabled.value))
        thaw_place_refuse(&enabled, "wrong type", "true or false");
    pair->disabled = enabled.value && !json_is_true(enabled.value);
}

void thaw_scene_read_contact(const ThawPlace *top) {
    ThawSceneReader *reader = top->reader;
    ThawWorldDef *world = &reader->store->scene.world;
    ThawPlace contact = thaw_place_member(top, "contact"), obstacles = thaw_place_member(top, "obstacles");
    ThawPlace pairs = thaw_place_member(top, "pairs");
    size_t count;
    read_options(&contact, &world->contact);
    if (obstacles.value && thaw_place_is_array(&obstacles, 0, &count)) {
        ThawObstacleDef *defs = thaw_scene_keep(reader, count, sizeof *defs);
        world->obstacles = defs;
        for (size_t i = 0; i < count && !reader->status; i++) {
            ThawPlace item = thaw_place_item(&obstacles, i);
            defs[i] = thaw_obstacle_def_default();
            read_obstacle(&item, &defs[i]);
            world->obstacle_count++;
        }
    }
    if (pairs.value && thaw_place_is_array(&pairs, 0, &count)) {
        ThawPairDef *defs = thaw_scene_keep(reader, count, sizeof *defs);
        world->pairs = defs;
        for (size_t i = 0; i < count && !reader->status; i++) {
            ThawPlace item = thaw_place_item(&pairs, i);
            read_pair(&item, &defs[i]);
            world->pair_count++;
        }
    }
}
