// SPDX-License-Identifier: Apache-2.0
// From a base shape and a list of changes to a shape. The changes work on a draft of the mesh in its own numbering;
// what is left of it is compiled as any mesh is. Linear in the mesh for each change, and for compiling.
#include "model/change.h"

#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "scene/select.h"

// The mesh while it changes, in the outside's numbers.
typedef struct Draft {
    const ThawShape *base;
    int dim, nodes;
    int32_t points, room; // vertices
    double *X;            // dim * room
    int32_t *parent;      // room
    int32_t ne;
    int32_t *elements;      // nodes * ne, of the base
    unsigned char *alive;   // ne
    unsigned char *chosen;  // ne, scratch
    unsigned char *grouped; // vertices of the base, scratch
} Draft;

static void clear_draft(Draft *d) {
    thaw_free(d->X);
    thaw_free(d->parent);
    thaw_free(d->elements);
    thaw_free(d->alive);
    thaw_free(d->chosen);
    thaw_free(d->grouped);
}

static ThawStatus begin_draft(const ThawShape *base, Draft *d, ThawError *error) {
    const int dim = base->dim, nodes = base->cells->kind->nodes;
    *d = (Draft){.base = base,
                 .dim = dim,
                 .nodes = nodes,
                 .points = base->points,
                 .room = base->points,
                 .X = THAW_NEW(double, (size_t)base->points *(size_t)dim),
                 .parent = THAW_NEW(int32_t, base->points),
                 .ne = base->ne,
                 .elements = THAW_NEW(int32_t, (size_t)base->ne * (size_t)nodes),
                 .alive = THAW_NEW(unsigned char, base->ne),
                 .chosen = THAW_NEW(unsigned char, base->ne),
                 .grouped = THAW_NEW(unsigned char, base->points)};
    if (!d->X || !d->parent || !d->elements || !d->alive || !d->chosen || !d->grouped) {
        clear_draft(d);
        return thaw_error_memory(error, "a shape that changes");
    }
    for (int32_t i = 0; i < base->points; i++)
        memcpy(d->X + (size_t)base->vertex_user[i] * (size_t)dim, base->X + (size_t)i * (size_t)dim,
               sizeof *d->X * (size_t)dim);
    for (int32_t i = 0; i < base->points; i++)
        d->parent[i] = i;
    memcpy(d->elements, base->elements_user, sizeof *d->elements * (size_t)d->ne * (size_t)nodes);
    memset(d->alive, 1, (size_t)d->ne);
    return THAW_OK;
}

// --- choosing --------------------------------------------------------------------------------------------------------

static int32_t base_vertex(const Draft *d, int32_t v) {
    while (d->parent[v] != v)
        v = d->parent[v];
    return v;
}

static ThawGroupDef selector(const ThawChoice *choice) {
    ThawGroupDef def = {.select = (ThawSelect)choice->select, .radius = choice->radius};
    memcpy(def.a, choice->a, sizeof def.a);
    memcpy(def.b, choice->b, sizeof def.b);
    return def;
}

// Of the centre of `count` vertices.
static int chooses(const Draft *d, const ThawChoice *choice, const int32_t *vertices, int count) {
    if (choice->group >= 0) {
        for (int a = 0; a < count; a++)
            if (!d->grouped[base_vertex(d, vertices[a])])
                return 0;
        return 1;
    }
    if (choice->select < 0)
        return 1;
    double centre[3] = {0, 0, 0};
    for (int a = 0; a < count; a++)
        for (int k = 0; k < d->dim; k++)
            centre[k] += d->X[(size_t)vertices[a] * (size_t)d->dim + (size_t)k] / count;
    const ThawGroupDef def = selector(choice);
    return thaw_select_chooses(&def, d->dim, thaw_select_slack(d->base->diameter), centre);
}

static void choose_group(const Draft *d, const ThawChoice *choice) {
    memset(d->grouped, 0, (size_t)d->base->points);
    if (choice->group < 0)
        return;
    const ThawGroup *group = &d->base->groups[choice->group];
    for (int32_t i = 0; i < group->count; i++)
        d->grouped[d->base->vertex_user[group->vertices[i]]] = 1;
}

// --- changes ---------------------------------------------------------------------------------------------------------

static int32_t count_alive(const Draft *d) {
    int32_t count = 0;
    for (int32_t e = 0; e < d->ne; e++)
        count += d->alive[e];
    return count;
}

static void remove_chosen(Draft *d, ThawEffect *effect) {
    int32_t chosen = 0, alive = count_alive(d);
    for (int32_t e = 0; e < d->ne; e++)
        chosen += d->alive[e] && d->chosen[e];
    effect->removed = chosen;
    effect->left = alive - chosen;
    for (int32_t e = 0; e < d->ne && effect->left > 0; e++)
        d->alive[e] &= !d->chosen[e];
}

// The elements that are left, and around each vertex (start: points + 1) its elements and nodes, nodes * e + a.
typedef struct Fans {
    int32_t count;
    int32_t *element;  // count, of the draft
    int32_t *elements; // nodes * count
    int32_t *across;   // nodes * count
    int32_t *start, *around;
    int32_t *root; // nodes * count: a forest of corners, by vertex
} Fans;

static void clear_fans(Fans *f) {
    thaw_free(f->element);
    thaw_free(f->elements);
    thaw_free(f->across);
    thaw_free(f->start);
    thaw_free(f->around);
    thaw_free(f->root);
}

static ThawStatus create_fans(const Draft *d, Fans *f, ThawError *error) {
    const size_t nodes = (size_t)d->nodes;
    *f = (Fans){.count = count_alive(d)};
    f->element = THAW_NEW(int32_t, f->count);
    f->elements = THAW_NEW(int32_t, (size_t)f->count * nodes);
    f->around = THAW_NEW(int32_t, (size_t)f->count * nodes);
    f->root = THAW_NEW(int32_t, (size_t)f->count * nodes);
    f->start = THAW_NEW(int32_t, (size_t)d->points + 1);
    if (!f->element || !f->elements || !f->around || !f->root || !f->start)
        return thaw_error_memory(error, "a shape that changes");
    for (int32_t e = 0, at = 0; e < d->ne; e++)
        if (d->alive[e]) {
            f->element[at] = e;
            memcpy(f->elements + (size_t)at++ * nodes, d->elements + (size_t)e * nodes, sizeof *f->elements * nodes);
        }
    const int32_t corners = f->count * d->nodes;
    for (int32_t c = 0; c < corners; c++) {
        f->root[c] = c;
        f->start[f->elements[c] + 1]++;
    }
    for (int32_t v = 0; v < d->points; v++)
        f->start[v + 1] += f->start[v];
    for (int32_t c = corners - 1; c >= 0; c--) // ascending around each vertex; start ends one place lower
        f->around[--f->start[f->elements[c] + 1]] = c;
    for (int32_t v = 0; v < d->points; v++)
        f->start[v] = f->start[v + 1];
    f->start[d->points] = corners;
    const ThawMesh mesh = {.dim = d->dim,
                           .nodes = d->nodes,
                           .vertex_count = d->points,
                           .element_count = f->count,
                           .elements = f->elements};
    return thaw_mesh_neighbours(&mesh, &f->across, error);
}

// The corner of an element at a vertex, or -1.
static int32_t corner_at(const Draft *d, const Fans *f, int32_t e, int32_t vertex) {
    for (int a = 0; a < d->nodes; a++)
        if (f->elements[e * d->nodes + a] == vertex)
            return e * d->nodes + a;
    return -1;
}

// Joins the corners of elements on both sides of every face that stays; marks vertices of those that do not.
static void join_corners(const Draft *d, const ThawChange *change, const Fans *f, unsigned char *parting) {
    for (int32_t c = 0; c < f->count * d->nodes; c++) {
        const int32_t e = c / d->nodes, other = f->across[c];
        int32_t face[3];
        int count = 0;
        if (other < e) // -1: none
            continue;
        for (int a = 0; a < d->nodes; a++)
            if (a != c % d->nodes)
                face[count++] = f->elements[e * d->nodes + a];
        const int cut =
            d->chosen[f->element[e]] != d->chosen[f->element[other]] && chooses(d, &change->within, face, count);
        for (int a = 0; a < count; a++) {
            if (cut)
                parting[face[a]] = 1;
            else
                thaw_forest_join(f->root, corner_at(d, f, e, face[a]), corner_at(d, f, other, face[a]));
        }
    }
}

// Room for the copies of all corners that may become one.
static ThawStatus reserve_copies(Draft *d, int32_t more, ThawError *error) {
    const size_t room = (size_t)d->points + (size_t)more;
    double *X = thaw_regrow(d->X, (size_t)d->points * (size_t)d->dim, room * (size_t)d->dim, sizeof *X);
    if (X)
        d->X = X;
    int32_t *parent = thaw_regrow(d->parent, (size_t)d->points, room, sizeof *parent);
    if (parent)
        d->parent = parent;
    return X && parent ? THAW_OK : thaw_error_memory(error, "a shape that changes");
}

// The fan of the lowest element keeps the vertex; the others get copies, in the order of their lowest elements.
static void part_vertex(Draft *d, const Fans *f, int32_t v) {
    const int32_t first = f->start[v], end = f->start[v + 1], keeps = thaw_forest_root(f->root, f->around[first]);
    for (int32_t i = first; i < end; i++) {
        const int32_t c = f->around[i], root = thaw_forest_root(f->root, c);
        int32_t *to = &d->elements[f->element[c / d->nodes] * d->nodes + c % d->nodes];
        if (root == keeps)
            continue;
        int32_t copy = -1; // of an element before
        for (int32_t k = first; k < i && copy < 0; k++)
            if (thaw_forest_root(f->root, f->around[k]) == root)
                copy = d->elements[f->element[f->around[k] / d->nodes] * d->nodes + f->around[k] % d->nodes];
        if (copy < 0) {
            copy = d->points++;
            d->parent[copy] = v;
            memcpy(d->X + (size_t)copy * (size_t)d->dim, d->X + (size_t)v * (size_t)d->dim,
                   sizeof *d->X * (size_t)d->dim);
        }
        *to = copy;
    }
}

static ThawStatus cut_chosen(Draft *d, const ThawChange *change, ThawEffect *effect, ThawError *error) {
    const int32_t points = d->points;
    Fans f;
    unsigned char *parting = THAW_NEW(unsigned char, points);
    ThawStatus status = create_fans(d, &f, error);
    if (status == THAW_OK && !parting)
        status = thaw_error_memory(error, "a shape that changes");
    int32_t more = 0;
    if (status == THAW_OK) {
        choose_group(d, &change->within);
        join_corners(d, change, &f, parting);
        for (int32_t v = 0; v < points; v++)
            more += parting[v] ? f.start[v + 1] - f.start[v] : 0;
        status = reserve_copies(d, more, error);
    }
    for (int32_t v = 0; status == THAW_OK && v < points; v++)
        if (parting[v])
            part_vertex(d, &f, v);
    effect->parted = d->points - points;
    effect->left = f.count;
    clear_fans(&f);
    thaw_free(parting);
    return status;
}

static ThawStatus apply(Draft *d, const ThawChange *change, ThawEffect *effect, ThawError *error) {
    *effect = (ThawEffect){0};
    choose_group(d, &change->where);
    for (int32_t e = 0; e < d->ne; e++)
        d->chosen[e] = d->alive[e] &&
                       (unsigned char)chooses(d, &change->where, d->elements + (size_t)e * (size_t)d->nodes, d->nodes);
    if (change->kind == THAW_CHANGE_CUT)
        return cut_chosen(d, change, effect, error);
    remove_chosen(d, effect);
    return THAW_OK;
}

static ThawStatus apply_all(Draft *d, const ThawChange *changes, int32_t count, ThawEffect *effects, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        ThawEffect effect;
        status = apply(d, &changes[i], effects ? &effects[i] : &effect, error);
    }
    return status;
}

ThawStatus thaw_changes_foresee(const ThawShape *base, const ThawChange *changes, int32_t count, ThawEffect *effects,
                                ThawError *error) {
    Draft d;
    ThawStatus status = begin_draft(base, &d, error);
    if (status != THAW_OK)
        return status;
    status = apply_all(&d, changes, count, effects, error);
    clear_draft(&d);
    return status;
}

// --- compiling what is left ------------------------------------------------------------------------------------------

// The mesh of what is left: vertices and elements in the draft's order. place: points, draft -> mesh or -1.
static ThawStatus gather_mesh(const Draft *d, ThawMesh *mesh, int32_t *place, ThawVariant *variant, ThawError *error) {
    const size_t nodes = (size_t)d->nodes, dim = (size_t)d->dim;
    int32_t ne = count_alive(d), nv = 0, at = 0;
    memset(place, -1, sizeof *place * (size_t)d->points);
    for (size_t i = 0; i < (size_t)d->ne * nodes; i++)
        if (d->alive[i / nodes])
            place[d->elements[i]] = 0;
    for (int32_t v = 0; v < d->points; v++)
        if (place[v] == 0)
            place[v] = nv++;
    *mesh = (ThawMesh){.dim = d->dim,
                       .nodes = d->nodes,
                       .vertex_count = nv,
                       .element_count = ne,
                       .x = THAW_NEW(double, (size_t)nv *dim),
                       .elements = THAW_NEW(int32_t, (size_t)ne * nodes),
                       .region = THAW_NEW(int32_t, ne)};
    variant->element = THAW_NEW(int32_t, ne);
    if (!mesh->x || !mesh->elements || !mesh->region || !variant->element)
        return thaw_error_memory(error, "a shape that changes");
    for (int32_t v = 0; v < d->points; v++)
        if (place[v] >= 0)
            memcpy(mesh->x + (size_t)place[v] * dim, d->X + (size_t)v * dim, sizeof *d->X * dim);
    for (int32_t e = 0; e < d->ne; e++) {
        if (!d->alive[e])
            continue;
        for (size_t a = 0; a < nodes; a++)
            mesh->elements[(size_t)at * nodes + a] = place[d->elements[(size_t)e * nodes + a]];
        mesh->region[at] = d->base->region[e];
        variant->element[at++] = e;
    }
    return THAW_OK;
}

// Materials of the mesh's elements, by those of the base; for thaw_free.
static ThawStatus gather_data(const ThawShape *base, const ThawVariant *variant, int32_t ne, ThawElementData *data,
                              ThawError *error) {
    const ThawElementBlock *cells = base->cells;
    int32_t *internal = THAW_NEW(int32_t, base->ne);
    *data = (ThawElementData){.material = THAW_NEW(int32_t, ne),
                              .factor = cells->factor ? THAW_NEW(double, ne) : NULL,
                              .fibre = base->fibre ? THAW_NEW(double, 3 * (size_t)ne) : NULL};
    const int good = internal && data->material && !cells->factor == !data->factor && !base->fibre == !data->fibre;
    for (int32_t i = 0; good && i < base->ne; i++)
        internal[base->element_user[i]] = i;
    for (int32_t e = 0; good && e < ne; e++) {
        const int32_t i = internal[variant->element[e]];
        data->material[e] = cells->material[i];
        if (data->factor)
            data->factor[e] = cells->factor[i];
        if (data->fibre)
            memcpy(data->fibre + 3 * (size_t)e, base->fibre + 3 * (size_t)i, 3 * sizeof *base->fibre);
    }
    thaw_free(internal);
    return good ? THAW_OK : thaw_error_memory(error, "a shape that changes");
}

// From the mesh's numbers to the outside's; vertices without an element come last.
static ThawStatus number_outside(const Draft *d, const int32_t *place, ThawShape *shape, ThawError *error) {
    int32_t *user = THAW_NEW(int32_t, shape->nv), at = shape->nv;
    if (!user)
        return thaw_error_memory(error, "a shape that changes");
    for (int32_t v = 0; v < d->points; v++) {
        if (place[v] >= 0) {
            user[place[v]] = v;
            continue;
        }
        memcpy(shape->X + (size_t)at * (size_t)d->dim, d->X + (size_t)v * (size_t)d->dim,
               sizeof *d->X * (size_t)d->dim);
        shape->vertex_user[at++] = v;
    }
    for (int32_t i = 0; i < shape->nv; i++)
        shape->vertex_user[i] = user[shape->vertex_user[i]];
    for (size_t i = 0; i < (size_t)shape->ne * (size_t)d->nodes; i++)
        shape->elements_user[i] = user[shape->elements_user[i]];
    thaw_free(user);
    return THAW_OK;
}

void thaw_shape_number(const ThawShape *shape, int32_t *internal) {
    for (int32_t i = 0; i < shape->points; i++)
        internal[shape->vertex_user[i]] = i;
}

// A copy belongs to the groups of its vertex. Masses are the base's: loads that are shared by mass leave to each vertex
// its own share.
static ThawStatus follow_groups(const Draft *d, ThawShape *shape, ThawError *error) {
    const ThawShape *base = d->base;
    shape->groups = THAW_NEW(ThawGroup, base->group_count);
    if (!shape->groups)
        return thaw_error_memory(error, "the groups");
    for (int32_t g = 0; g < base->group_count; g++) {
        ThawGroup *group = &shape->groups[g];
        shape->group_count = g + 1;
        choose_group(d, &(ThawChoice){.group = g});
        for (int32_t i = 0; i < shape->nv; i++)
            group->count += d->grouped[base_vertex(d, shape->vertex_user[i])];
        group->name = thaw_strdup(base->groups[g].name);
        group->vertices = THAW_NEW(int32_t, group->count);
        group->mass = base->groups[g].mass;
        if (!group->name || !group->vertices)
            return thaw_error_memory(error, "a group");
        for (int32_t i = 0, k = 0; i < shape->nv; i++)
            if (d->grouped[base_vertex(d, shape->vertex_user[i])])
                group->vertices[k++] = i;
    }
    return THAW_OK;
}

static ThawStatus find_shares(const Draft *d, ThawShape *shape, ThawError *error) {
    const ThawShape *base = d->base;
    int32_t *internal = THAW_NEW(int32_t, base->points);
    shape->variant->share = THAW_NEW(double, shape->nv);
    if (internal && shape->variant->share) {
        thaw_shape_number(base, internal);
        for (int32_t i = 0; i < shape->nv; i++)
            shape->variant->share[i] = shape->mass[i] / base->mass[internal[base_vertex(d, shape->vertex_user[i])]];
    }
    const int good = internal && shape->variant->share;
    thaw_free(internal);
    return good ? THAW_OK : thaw_error_memory(error, "a shape that changes");
}

// What a sheet is besides its triangles; bending and the rest are made of what is left of them. Nothing bends across a
// cut.
static ThawStatus inherit_sheet(const ThawShape *base, int32_t ne, ThawShape *shape, ThawError *error) {
    shape->membrane = base->membrane;
    shape->bending = base->bending;
    shape->bending_damping = base->bending_damping;
    shape->limiting = base->limiting;
    shape->yield_curvature = base->yield_curvature;
    shape->yield_angle = base->yield_angle;
    if (!base->warp)
        return THAW_OK;
    if (!(shape->warp = THAW_NEW(double, 3 * (size_t)ne)))
        return thaw_error_memory(error, "a shape that changes");
    for (int32_t e = 0; e < ne; e++)
        memcpy(shape->warp + 3 * (size_t)e, base->warp + 3 * (size_t)shape->variant->element[e],
               3 * sizeof *shape->warp);
    return THAW_OK;
}

static ThawStatus compile(Draft *d, ThawShape *shape, ThawError *error) {
    const ThawShape *base = d->base;
    int32_t *place = THAW_NEW(int32_t, d->points);
    ThawElementData data = {0};
    ThawMesh mesh = {0};
    ThawStatus status = place ? THAW_OK : thaw_error_memory(error, "a shape that changes");
    shape->dim = d->dim;
    shape->materials = base->materials;
    shape->thickness = base->thickness;
    shape->heavier = base->heavier;
    shape->smooth = base->smooth;
    if (status == THAW_OK)
        status = gather_mesh(d, &mesh, place, shape->variant, error);
    if (status == THAW_OK)
        status = inherit_sheet(base, mesh.element_count, shape, error);
    if (status == THAW_OK && !(shape->name = thaw_strdup(base->name)))
        status = thaw_error_memory(error, "a shape that changes");
    if (status == THAW_OK)
        status = gather_data(base, shape->variant, mesh.element_count, &data, error);
    if (status == THAW_OK)
        status = thaw_shape_fill(&mesh, &data, d->points, shape, error);
    if (status == THAW_OK)
        status = number_outside(d, place, shape, error);
    if (status == THAW_OK)
        status = follow_groups(d, shape, error);
    if (status == THAW_OK)
        status = find_shares(d, shape, error);
    shape->variant->parent = d->parent;
    d->parent = NULL;
    thaw_free(place);
    thaw_element_data_clear(&data);
    thaw_free(mesh.x);
    thaw_free(mesh.elements);
    thaw_free(mesh.region);
    return status;
}

ThawStatus thaw_shape_vary(const ThawShape *base, const ThawChange *changes, int32_t count, ThawShape **result,
                           ThawError *error) {
    Draft d;
    *result = NULL;
    ThawStatus status = begin_draft(base, &d, error);
    if (status != THAW_OK)
        return status;
    ThawShape *shape = THAW_NEW(ThawShape, 1);
    ThawVariant *variant = THAW_NEW(ThawVariant, 1);
    if (shape && variant) {
        *variant = (ThawVariant){.base = base, .count = count, .changes = THAW_NEW(ThawChange, count)};
        shape->variant = variant;
    } else
        thaw_free(variant);
    if (!shape || !shape->variant || !variant->changes)
        status = thaw_error_memory(error, "a shape that changes");
    if (status == THAW_OK) {
        memcpy(variant->changes, changes, sizeof *changes * (size_t)count);
        status = apply_all(&d, changes, count, NULL, error);
    }
    if (status == THAW_OK)
        status = compile(&d, shape, error);
    clear_draft(&d);
    if (status != THAW_OK && shape) {
        thaw_shape_clear(shape);
        thaw_free(shape);
        shape = NULL;
    }
    *result = shape;
    return status;
}

void thaw_variant_free(ThawVariant **pointer) {
    if (!*pointer)
        return;
    thaw_free((*pointer)->changes);
    thaw_free((*pointer)->parent);
    thaw_free((*pointer)->element);
    thaw_free((*pointer)->share);
    thaw_free(*pointer);
    *pointer = NULL;
}

int thaw_shape_is(const ThawShape *shape, const ThawShape *base, const ThawChange *changes, int32_t count) {
    if (!shape->variant)
        return shape == base && count == 0;
    if (shape->variant->base != base || shape->variant->count != count)
        return 0;
    for (int32_t i = 0; i < count; i++) {
        ThawChange other = shape->variant->changes[i];
        other.body = changes[i].body;
        if (thaw_change_hash(0, &other) != thaw_change_hash(0, &changes[i]))
            return 0;
    }
    return 1;
}
