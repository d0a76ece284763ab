// SPDX-License-Identifier: Apache-2.0
// Compiling what bodies may touch: contact options, obstacles, rules for pairs. A mesh obstacle must be a closed
// surface that looks outward, because inside is decided by its normals: every edge must be run through as often one way
// as the other (in 2D: every vertex left as often as reached), and the volume must be positive. Linear in the
// definition.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "model/joint.h"
#include "model/model.h"

static ThawStatus check_options(const ThawContactOptions *o, ThawError *error) {
    if (!(o->stiffness >= 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "contact: stiffness is %g N/m; allowed: > 0, 0 (automatic) or INFINITY (hard)",
                              o->stiffness);
    if (isnan(o->damping) || o->damping == INFINITY)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "contact: damping is %g N s/m; allowed: >= 0, or negative (automatic)", o->damping);
    if (!(o->tangent >= 0) || !isfinite(o->tangent))
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact: tangent is %g; allowed: > 0, or 0 (hard)", o->tangent);
    if (!(o->erp >= 0) || o->erp > 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact: erp is %g; allowed: 0 to 1", o->erp);
    if (!(o->cfm >= 0) || !isfinite(o->cfm))
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact: cfm is %g m/(N s); allowed: >= 0", o->cfm);
    if ((unsigned)o->friction > THAW_FRICTION_BOX)
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact: friction is %d; allowed: a ThawFriction",
                              (int)o->friction);
    if (!(o->tolerance > 0) || o->tolerance >= 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact: tolerance is %g; allowed: between 0 and 1",
                              o->tolerance);
    if (o->iterations < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact: iterations is %d; allowed: >= 1", o->iterations);
    return THAW_OK;
}

// How many lengths of size[] a kind needs.
static int size_count(ThawObstacleKind kind, int dim) {
    switch (kind) {
    case THAW_OBSTACLE_SPHERE:
        return 1;
    case THAW_OBSTACLE_BOX:
        return dim;
    case THAW_OBSTACLE_CAPSULE:
    case THAW_OBSTACLE_CYLINDER:
        return 2;
    default:
        return 0;
    }
}

// Twice the area (2D) or six times the volume enclosed.
static double enclosed(const ThawModelObstacle *o, int dim, const double *x) {
    double sum = 0;
    for (int32_t f = 0; f < o->face_count; f++) {
        const double *c[3];
        for (int i = 0; i < dim; i++)
            c[i] = x + (size_t)o->faces[(size_t)f * dim + i] * dim;
        sum += dim == 2 ? c[0][0] * c[1][1] - c[0][1] * c[1][0] : thaw_v3_triple(c[0], c[1], c[2]);
    }
    return sum;
}

// The first edge (2D: vertex) that is not run through as often one way as the other; -1 when closed.
static ThawStatus check_closed(const char *where, const ThawModelObstacle *o, int dim, ThawError *error) {
    const int width = dim - 1;
    const size_t count = (size_t)o->face_count * dim;
    int32_t *rows = THAW_NEW(int32_t, count * (size_t)(width + 1)); // ascending ids, then 1 (this way) or 0
    if (!rows)
        return thaw_error_memory(error, "an obstacle");
    for (size_t i = 0; i < count; i++) {
        const int32_t *face = o->faces + i / dim * dim;
        int32_t a = face[i % dim], b = face[(i + 1) % dim];
        rows[i * (width + 1)] = dim == 2 ? a : a < b ? a : b;
        if (dim == 3)
            rows[i * 3 + 1] = a < b ? b : a;
        rows[i * (width + 1) + width] = dim == 2 ? i % 2 == 0 : a < b;
    }
    ThawStatus status = thaw_rows_sort(width, o->vertex_count, count, &rows, error);
    for (size_t i = 0; status == THAW_OK && i < count;) {
        const int32_t *row = rows + i * (width + 1);
        int balance = 0;
        for (; i < count && memcmp(rows + i * (width + 1), row, sizeof *row * (size_t)width) == 0; i++)
            balance += rows[i * (width + 1) + width] ? 1 : -1;
        if (balance != 0 && dim == 2)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: the polygon is open at vertex %d; allowed: closed",
                                    where, (int)row[0]);
        else if (balance != 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "%s: the surface is open, or its faces disagree about outside, at the edge of "
                                    "vertices %d and %d; allowed: closed, all outward",
                                    where, (int)row[0], (int)row[1]);
    }
    thaw_free(rows);
    return status;
}

static ThawStatus compile_mesh(const char *where, int dim, const ThawObstacleDef *def, ThawModelObstacle *o,
                               ThawError *error) {
    const double *x = def->frame_count > 0 ? def->frames : def->x;
    if (def->vertex_count < dim + 1 || def->face_count < dim + 1 || !def->faces || !x || def->frame_count < 0 ||
        (def->frame_count > 0 && !def->frame_times))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: %d vertices, %d faces, %d frames, or an array of theirs is NULL; allowed: at least "
                              "%d vertices and faces",
                              where, (int)def->vertex_count, (int)def->face_count, (int)def->frame_count, dim + 1);
    const size_t n = (size_t)def->vertex_count * (size_t)dim, nf = (size_t)def->face_count * (size_t)dim;
    o->vertex_count = def->vertex_count;
    o->face_count = def->face_count;
    o->frame_count = def->frame_count;
    o->x = THAW_NEW(double, n);
    o->faces = THAW_NEW(int32_t, nf);
    size_t all;
    if (__builtin_mul_overflow(n, (size_t)def->frame_count, &all) || !o->x || !o->faces)
        return thaw_error_memory(error, "an obstacle");
    if (def->frame_count > 0) {
        o->frames = THAW_NEW(double, all);
        o->frame_times = THAW_NEW(double, def->frame_count);
        if (!o->frames || !o->frame_times)
            return thaw_error_memory(error, "an obstacle");
        memcpy(o->frames, def->frames, sizeof *x * all);
        memcpy(o->frame_times, def->frame_times, sizeof *x * (size_t)def->frame_count);
    }
    memcpy(o->x, x, sizeof *x * n);
    memcpy(o->faces, def->faces, sizeof *def->faces * nf);
    const double *positions = o->frames ? o->frames : o->x;
    for (size_t i = 0; i < (o->frames ? all : n); i++)
        if (!isfinite(positions[i]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: vertex %d of frame %d has the coordinate %g; allowed: a finite number", where,
                                  (int)(i % n / (size_t)dim), (int)(i / n), positions[i]);
    for (int32_t k = 0; k < o->frame_count; k++)
        if (!isfinite(o->frame_times[k]) || (k > 0 && o->frame_times[k] <= o->frame_times[k - 1]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: frame_times[%d] is %g s; allowed: finite and later than the one before", where,
                                  (int)k, o->frame_times[k]);
    for (size_t i = 0; i < nf; i++) {
        const int32_t *face = o->faces + i / dim * dim;
        int32_t next = face[(i + 1) % dim];
        if (o->faces[i] < 0 || o->faces[i] >= o->vertex_count || o->faces[i] == next)
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: face %d has vertex %d; allowed: 0 to %d, each once",
                                  where, (int)(i / dim), (int)o->faces[i], (int)o->vertex_count - 1);
    }
    ThawStatus status = check_closed(where, o, dim, error);
    if (status == THAW_OK && !(enclosed(o, dim, o->x) > 0))
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: the surface is inside out or flat (it encloses %g m^%d); "
                                "allowed: faces outward",
                                where, enclosed(o, dim, o->x) / (dim == 2 ? 2 : 6), dim);
    return status;
}

static ThawStatus compile_obstacle(const ThawObstacleDef *def, int32_t index, ThawModel *model, ThawError *error) {
    ThawModelObstacle *o = &model->obstacles[index];
    const int dim = model->dim;
    char where[160];
    snprintf(where, sizeof where, "obstacle %d (%.80s)", (int)index, def->name ? def->name : "unnamed");
    ThawStatus made = thaw_check_made(where, def->made, "thaw_obstacle_def_default", error);
    if (made != THAW_OK)
        return made;
    if ((unsigned)def->kind >= THAW_OBSTACLE_KIND_COUNT)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: kind is %d; allowed: a ThawObstacleKind", where,
                              (int)def->kind);
    if (dim == 2 && (def->kind == THAW_OBSTACLE_CAPSULE || def->kind == THAW_OBSTACLE_CYLINDER))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: kind is %s; allowed in 2D: half-space, sphere (a circle), box, mesh (a polygon)",
                              where, def->kind == THAW_OBSTACLE_CAPSULE ? "capsule" : "cylinder");
    for (int i = 0; i < size_count(def->kind, dim); i++)
        if (!(def->size[i] > 0) || !isfinite(def->size[i]))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: size[%d] is %g m; allowed: > 0", where, i,
                                  def->size[i]);
    if (!(def->friction >= 0) || !isfinite(def->friction))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: friction is %g; allowed: >= 0", where, def->friction);
    ThawStatus status = thaw_check_restitution(where, def->restitution, error);
    if (status != THAW_OK)
        return status;
    o->kind = def->kind;
    o->friction = def->friction;
    o->restitution = def->restitution;
    o->script.release = INFINITY;
    memcpy(o->size, def->size, sizeof o->size);
    if (!(o->name = thaw_strdup(def->name ? def->name : "unnamed")))
        return thaw_error_memory(error, "an obstacle");
    status = thaw_check_vector(where, "position", def->position, dim, error);
    if (status == THAW_OK)
        status = thaw_check_rotation(where, dim, def->rotation, o->rotation, error);
    if (status == THAW_OK)
        status =
            thaw_check_keys(where, dim, def->keys, def->key_count, def->centre, def->interpolation, &o->script, error);
    if (status == THAW_OK && def->kind == THAW_OBSTACLE_MESH)
        status = compile_mesh(where, dim, def, o, error);
    memcpy(o->position, def->position, sizeof(double) * (size_t)dim);
    return status;
}

static ThawStatus compile_pair(const ThawPairDef *def, int32_t index, int lenient, const ThawModel *model,
                               ThawModelPair *pair, ThawError *error) {
    const int32_t bodies = model->body_count, all = bodies + model->obstacle_count;
    pair->disabled = def->disabled;
    pair->friction = def->friction;
    pair->restitution = def->restitution;
    if (isnan(def->friction) || def->friction == INFINITY)
        return thaw_error_set(error, THAW_ERROR_INPUT, "pair %d: friction is %g; allowed: >= 0, or negative (as usual)",
                              (int)index, def->friction);
    if (!(def->restitution <= 1))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "pair %d: restitution is %g; allowed: 0 to 1, or negative (as usual)", (int)index,
                              def->restitution);
    for (int s = 0; s < 2; s++) {
        const char *name = s ? def->second : def->first;
        int found = 0;
        if (!(pair->side[s] = THAW_NEW(unsigned char, all)))
            return thaw_error_memory(error, "a pair");
        for (int32_t i = 0; name && i < all; i++) {
            const char *of = i < bodies ? model->bodies[i].name : model->obstacles[i - bodies].name;
            found |= pair->side[s][i] = strcmp(name, "*") == 0 || strcmp(name, of) == 0;
        }
        if (!found && !(lenient && name))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "pair %d: %s is \"%s\"; allowed: the name of a body or an obstacle, or \"*\"",
                                  (int)index, s ? "second" : "first", name ? name : "(NULL)");
    }
    return THAW_OK;
}

// Whether any two may rebound: both sides have a coefficient, or a rule gives one.
static int may_rebound(const ThawModel *model) {
    int bodies = 0, obstacles = 0, rules = 0;
    for (int32_t i = 0; i < model->body_count; i++)
        bodies += model->bodies[i].restitution > 0;
    for (int32_t i = 0; i < model->obstacle_count; i++)
        obstacles += model->obstacles[i].restitution > 0;
    for (int32_t i = 0; i < model->pair_count; i++)
        rules += model->pairs[i].restitution > 0;
    return !model->options.contact.disabled && (rules > 0 || bodies > 1 || (bodies > 0 && obstacles > 0));
}

ThawStatus thaw_obstacles_compile(const ThawWorldDef *def, const ThawReuse *reuse, ThawModel *model, ThawError *error) {
    ThawStatus status = check_options(&def->contact, error);
    if (status == THAW_OK && (def->obstacle_count < 0 || def->pair_count < 0 ||
                              (def->obstacle_count > 0 && !def->obstacles) || (def->pair_count > 0 && !def->pairs)))
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "world: a count of obstacles or pairs is negative, or its array is NULL");
    if (status != THAW_OK)
        return status;
    model->obstacles = THAW_NEW(ThawModelObstacle, def->obstacle_count);
    model->pairs = THAW_NEW(ThawModelPair, def->pair_count);
    if (!model->obstacles || !model->pairs)
        return thaw_error_memory(error, "the obstacles");
    for (int32_t i = 0; status == THAW_OK && i < def->obstacle_count; i++) {
        model->obstacle_count = i + 1;
        status = compile_obstacle(&def->obstacles[i], i, model, error);
        if (reuse->drives)
            model->obstacles[i].script.drive = reuse->drives[i];
    }
    for (int32_t i = 0; status == THAW_OK && i < def->pair_count; i++) {
        model->pair_count = i + 1;
        status = compile_pair(&def->pairs[i], i, reuse->lenient, model, &model->pairs[i], error);
    }
    model->rebounds = may_rebound(model);
    return status;
}

void thaw_obstacles_clear(ThawModel *model) {
    for (int32_t i = 0; i < model->obstacle_count; i++) {
        ThawModelObstacle *o = &model->obstacles[i];
        thaw_free(o->name);
        thaw_free(o->x);
        thaw_free(o->faces);
        thaw_free(o->frames);
        thaw_free(o->frame_times);
        thaw_free(o->script.keys);
    }
    for (int32_t i = 0; i < model->pair_count; i++) {
        thaw_free(model->pairs[i].side[0]);
        thaw_free(model->pairs[i].side[1]);
    }
    thaw_free(model->obstacles);
    thaw_free(model->pairs);
}

int thaw_model_may_touch(const ThawModel *model, int32_t a, int32_t b, ThawTouch *touch) {
    const int32_t n = model->body_count, i = a >= 0 ? a : n - 1 - a, k = b >= 0 ? b : n - 1 - b;
    int disabled = model->options.contact.disabled || thaw_joints_part(model, a, b);
    const ThawModelBody *bodies = model->bodies;
    const ThawModelObstacle *obstacles = model->obstacles;
    touch->friction = sqrt((a >= 0 ? bodies[a].friction : obstacles[-1 - a].friction) *
                           (b >= 0 ? bodies[b].friction : obstacles[-1 - b].friction));
    touch->restitution = sqrt((a >= 0 ? bodies[a].restitution : obstacles[-1 - a].restitution) *
                              (b >= 0 ? bodies[b].restitution : obstacles[-1 - b].restitution));
    for (int32_t p = 0; p < model->pair_count; p++) {
        const ThawModelPair *pair = &model->pairs[p];
        if (!((pair->side[0][i] && pair->side[1][k]) || (pair->side[0][k] && pair->side[1][i])))
            continue;
        disabled = pair->disabled || model->options.contact.disabled;
        touch->friction = pair->friction >= 0 ? pair->friction : touch->friction;
        touch->restitution = pair->restitution >= 0 ? pair->restitution : touch->restitution;
    }
    return !disabled;
}

int thaw_model_is_led(const ThawModelBody *body) {
    for (int32_t i = 0; i < body->script_count; i++)
        if (body->scripts[i].group->count == body->shape->nv && isinf(body->scripts[i].release))
            return 1;
    return 0;
}

double thaw_model_blow_time(const ThawModel *model, int32_t a, int32_t b) {
    const int32_t side[2] = {a, b};
    double inverse = 0, sum = 0;
    for (int k = 0; k < 2; k++)
        if (side[k] >= 0 && !thaw_model_is_led(&model->bodies[side[k]]) &&
            !model->bodies[side[k]].is_bone) { // what is rigid neither gives way nor blows
            const ThawShape *shape = model->bodies[side[k]].shape;
            if (shape->blow == 0)
                return 0;
            inverse += 1 / shape->total_mass;
            sum += shape->blow * shape->blow / shape->total_mass;
        }
    return inverse > 0 ? sqrt(sum / inverse) : 0;
}
