// SPDX-License-Identifier: Apache-2.0
// Units: bodies that are moved together.
//
// A method whose unknowns move the vertices of several bodies (a muscle that bones carry along) needs all of them in
// one vector, with one matrix and one factor. So bodies of a unit follow each other in the model, and with them in the
// state, and the unit is one more ThawModelBody, of a shape that has their vertices, elements and groups one after the
// other in their own numbering. The stepper of the first body works on it and knows no more. The bodies stay what
// contact, attachments, frames and callers see: a vertex i of one is vertex unit_vertex + i of the unit.
//
// Rest data is copied element by element, so the unit has the forces and masses of its bodies to the last bit; its
// rest positions are where the bodies are placed, and it is not placed itself. Linear.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "model/fibre.h"
#include "model/model.h"

static void add_to(int32_t *to, const int32_t *from, size_t count, int32_t offset) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] + offset;
}

static void copy_doubles(double *to, const double *from, size_t count) { memcpy(to, from, sizeof *to * count); }

// Vertices and elements of a body into the shape of its unit.
static void copy_body(const ThawModelBody *body, ThawShape *to) {
    const ThawShape *from = body->shape;
    const ThawElementBlock *a = from->cells, *b = to->cells;
    const int dim = to->dim;
    const int32_t v = body->unit_vertex, e = body->unit_element;
    const size_t nv = (size_t)from->nv, ne = (size_t)from->ne, nodes = (size_t)a->kind->nodes;
    const size_t points = (size_t)a->kind->points, stride = points * thaw_element_gradients(a->kind);
    THAW_ASSERT(from->points == from->nv && a->kind == b->kind,
                "bodies of a unit have the elements of their meshes, and all of them");
    for (size_t i = 0; i < nv; i++)
        thaw_body_place(body, dim, from->X + i * (size_t)dim, to->X + ((size_t)v + i) * (size_t)dim);
    add_to(to->vertex_user + v, from->vertex_user, nv, v);
    add_to(to->element_user + e, from->element_user, ne, e);
    add_to(to->elements_user + nodes * (size_t)e, from->elements_user, ne * nodes, v);
    add_to(to->region + e, from->region, ne, 0);
    copy_doubles(to->mass + v, from->mass, nv);
    copy_doubles(to->damping_mass + v, from->damping_mass, nv);
    copy_doubles(to->stiffness + v, from->stiffness, nv);
    copy_doubles(to->stiffness_damping + v, from->stiffness_damping, nv);
    add_to(b->elements + nodes * (size_t)e, a->elements, ne * nodes, v);
    add_to(b->material + e, a->material, ne, 0);
    copy_doubles(b->weight + points * (size_t)e, a->weight, ne * points);
    copy_doubles(b->gradient + stride * (size_t)e, a->gradient, ne * stride);
    for (size_t i = 0; b->factor && i < ne; i++)
        b->factor[(size_t)e + i] = a->factor ? a->factor[i] : 1;
    if (from->fibre)
        copy_doubles(to->fibre + 3 * (size_t)e, from->fibre, 3 * ne);
}

// Room for what only some bodies have of their elements.
static ThawStatus reserve_data(const ThawModelBody *bodies, int32_t count, ThawShape *shape, ThawError *error) {
    int factors = 0, fibres = 0;
    for (int32_t i = 0; i < count; i++) {
        factors |= bodies[i].shape->cells->factor != NULL;
        fibres |= bodies[i].shape->fibre != NULL;
    }
    if ((factors && !(shape->blocks[0].factor = THAW_NEW(double, shape->ne))) ||
        (fibres && !(shape->fibre = THAW_NEW(double, 3 * (size_t)shape->ne))))
        return thaw_error_memory(error, "a unit");
    return THAW_OK;
}

static ThawStatus copy_groups(const ThawModelBody *body, ThawShape *shape, ThawError *error) {
    for (int32_t g = 0; g < body->shape->group_count; g++) {
        const ThawGroup *from = &body->shape->groups[g];
        ThawGroup *to = &shape->groups[shape->group_count++];
        *to = (ThawGroup){
            .name = thaw_strdup(from->name), .count = from->count, .vertices = THAW_NEW(int32_t, from->count)};
        if (!to->name || !to->vertices)
            return thaw_error_memory(error, "a unit");
        to->mass = from->mass;
        add_to(to->vertices, from->vertices, (size_t)from->count, body->unit_vertex);
    }
    return THAW_OK;
}

// Of bodies that know where they begin in it.
static ThawStatus join_shapes(const char *name, const ThawModelBody *bodies, int32_t count, ThawShape *shape,
                              ThawError *error) {
    const ThawShape *first = bodies[0].shape, *last = bodies[count - 1].shape;
    const ThawElementOps *kind = first->cells->kind;
    const ThawMesh sizes = {.dim = first->dim,
                            .nodes = kind->nodes,
                            .vertex_count = bodies[count - 1].unit_vertex + last->nv,
                            .element_count = bodies[count - 1].unit_element + last->ne};
    int32_t groups = 0;
    for (int32_t i = 0; i < count; i++)
        groups += bodies[i].shape->group_count;
    shape->dim = first->dim;
    shape->materials = first->materials;
    shape->thickness = first->thickness; // its weights have each body's own
    shape->name = thaw_strdup(name);
    shape->groups = THAW_NEW(ThawGroup, groups);
    if (!shape->name || !shape->groups)
        return thaw_error_memory(error, "a unit");
    ThawStatus status = thaw_shape_reserve(&sizes, kind, sizes.vertex_count, shape, error);
    if (status == THAW_OK)
        status = reserve_data(bodies, count, shape, error);
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        copy_body(&bodies[i], shape);
        status = copy_groups(&bodies[i], shape, error);
    }
    if (status == THAW_OK)
        status = thaw_fibres_add_block(shape, error);
    return status == THAW_OK ? thaw_shape_finish(shape, error) : status;
}

// The scripts and loads of all, on the unit's groups.
static ThawStatus join_loads(const ThawModelBody *bodies, int32_t count, ThawModelBody *unit, ThawError *error) {
    int32_t scripts = 0, loads = 0, groups = 0;
    for (int32_t i = 0; i < count; i++) {
        scripts += bodies[i].script_count;
        loads += bodies[i].load_count;
    }
    unit->scripts = THAW_NEW(ThawScript, scripts);
    unit->loads = THAW_NEW(ThawLoad, loads);
    if (!unit->scripts || !unit->loads)
        return thaw_error_memory(error, "a unit");
    for (int32_t i = 0; i < count; groups += bodies[i++].shape->group_count) {
        for (int32_t k = 0; k < bodies[i].script_count; k++) {
            ThawScript *script = &unit->scripts[unit->script_count++];
            *script = bodies[i].scripts[k];
            script->group_index += groups;
            script->group = &unit->shape->groups[script->group_index];
        }
        for (int32_t k = 0; k < bodies[i].load_count; k++) {
            ThawLoad *load = &unit->loads[unit->load_count++];
            *load = bodies[i].loads[k];
            load->group_index += groups;
            load->group = &unit->shape->groups[load->group_index];
        }
    }
    return THAW_OK;
}

// Whether a body may be moved with the first one of its unit.
static ThawStatus check_member(const ThawWorldDef *def, const ThawModel *model, int32_t first, int32_t index,
                               ThawError *error) {
    const ThawModelBody *a = &model->bodies[first], *b = &model->bodies[index];
    char where[200];
    snprintf(where, sizeof where, "body %d (%.80s): unit \"%.80s\"", (int)index, b->name, def->bodies[index].unit);
    ThawStatus status = thaw_method_check_unit(where, thaw_method_at(b->method), error);
    if (status != THAW_OK)
        return status;
    if (a->method != b->method)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: method is \"%s\", that of body %d (%s) is \"%s\"; allowed: one method a unit", where,
                              thaw_method_at(b->method)->name, (int)first, a->name, thaw_method_at(a->method)->name);
    if (!a->starts_at_rest != !b->starts_at_rest)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: not all of its bodies start at rest; allowed: all or none",
                              where);
    if (index != first && (def->bodies[index].rigidify || def->bodies[index].option_count > 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: it has options of its own; allowed: of the unit's first body only, body %d (%s)",
                              where, (int)first, a->name);
    if (b->change_count > 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: its shape changes; allowed: shapes of bodies in a unit stay", where);
    return THAW_OK;
}

static ThawStatus compile_unit(const ThawWorldDef *def, ThawModel *model, int32_t first, int32_t count,
                               ThawError *error) {
    ThawModelBody *bodies = &model->bodies[first], *unit = &model->units[model->unit_count];
    ThawShape *shape = &model->unit_shapes[model->unit_count++];
    const char *name = def->bodies[first].unit;
    int64_t elements = 0;
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < count && status == THAW_OK; i++)
        status = check_member(def, model, first, first + i, error);
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        bodies[i].mover = first;
        bodies[i].moved = i == 0 ? count : 0;
        bodies[i].unit = unit;
        bodies[i].unit_vertex = bodies[i].first_vertex - bodies[0].first_vertex;
        bodies[i].unit_element = (int32_t)elements;
        elements += bodies[i].shape->ne;
        if (elements > INT32_MAX)
            status =
                thaw_error_set(error, THAW_ERROR_INPUT, "unit \"%s\": it has more than %d elements", name, INT32_MAX);
    }
    if (status != THAW_OK)
        return status;
    *unit = (ThawModelBody){.name = thaw_strdup(name),
                            .shape = shape,
                            .base = shape,
                            .first_vertex = bodies[0].first_vertex,
                            .mover = first,
                            .moved = count,
                            .method = bodies[0].method,
                            .starts_at_rest = bodies[0].starts_at_rest,
                            .rotation = {1, 0, 0, 0}};
    if (!unit->name)
        return thaw_error_memory(error, "a unit");
    status = join_shapes(name, bodies, count, shape, error);
    return status == THAW_OK ? join_loads(bodies, count, unit, error) : status;
}

static int is_same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

ThawStatus thaw_units_compile(const ThawWorldDef *def, ThawModel *model, ThawError *error) {
    ThawStatus status = THAW_OK;
    int32_t units = 0;
    for (int32_t i = 0; i < def->body_count; i++)
        units += i > 0 && is_same(def->bodies[i].unit, def->bodies[i - 1].unit);
    model->units = THAW_NEW(ThawModelBody, units);
    model->unit_shapes = THAW_NEW(ThawShape, units);
    if (!model->units || !model->unit_shapes)
        return thaw_error_memory(error, "the units");
    for (int32_t i = 0, next; i < def->body_count && status == THAW_OK; i = next) {
        const char *name = def->bodies[i].unit;
        next = i + 1;
        if (!name)
            continue;
        if (!name[0])
            return thaw_error_set(error, THAW_ERROR_INPUT, "body %d (%s): unit is \"\"; allowed: a name, or NULL",
                                  (int)i, model->bodies[i].name);
        while (next < def->body_count && is_same(name, def->bodies[next].unit))
            next++;
        for (int32_t k = next; k < def->body_count; k++)
            if (is_same(name, def->bodies[k].unit))
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "body %d (%s): unit is \"%s\", whose last body was %d (%s); allowed: bodies of "
                                      "a unit follow each other",
                                      (int)k, model->bodies[k].name, name, (int)next - 1, model->bodies[next - 1].name);
        if (next - i > 1) // a unit of one is that body
            status = compile_unit(def, model, i, next - i, error);
    }
    return status;
}

void thaw_units_clear(ThawModel *model) {
    for (int32_t i = 0; i < model->unit_count; i++) {
        thaw_free(model->units[i].name);
        thaw_free(model->units[i].scripts);
        thaw_free(model->units[i].loads);
        thaw_shape_clear(&model->unit_shapes[i]);
    }
    thaw_free(model->units);
    thaw_free(model->unit_shapes);
}

void thaw_model_drive_script(ThawModel *model, int32_t body, int32_t script, const ThawDrive *drive) {
    ThawModelBody *b = &model->bodies[body];
    b->scripts[script].drive = *drive;
    if (!b->unit)
        return;
    int32_t before = 0; // scripts of the unit's bodies in front of it
    for (int32_t i = b->mover; i < body; i++)
        before += model->bodies[i].script_count;
    b->unit->scripts[before + script].drive = *drive;
}
