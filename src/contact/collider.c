// SPDX-License-Identifier: Apache-2.0
// Compiling a model for contact. Once a shape: its surface, and how stiff each surface vertex is in a contact. Once an
// obstacle: its mesh; or, because its surface is known exactly but a body's large face may hang on a corner of it, the
// corners, edges and centres that such a face could meet.
//
// Automatic stiffness. A face of area A, edge length L and modulus E in front of a body of density rho and diameter D
// gives its vertices k = max(5 E, 200 rho g D) A / L between them. Pressed with the pressure p a contact yields p / (k
// / A): at rest under its own weight (p <= rho g D) by less than L / 200, whatever the material; and by less than a
// fifth of the strain of the elements behind it, so that contact is always the stiffer spring. Two bodies yield in
// series.
#include "contact/collider.h"
#include "model/sheet.h"

// --- surfaces of bodies ---------------------------------------------------------------------------------------------

// The shape's mesh in its internal numbering but with its own orientation; the caller frees elements and x.
static ThawStatus restore_mesh(const ThawShape *shape, ThawMesh *mesh, double **x, ThawError *error) {
    const int dim = shape->dim, nodes = shape->cells->kind->nodes;
    int32_t *internal = THAW_NEW(int32_t, shape->points);
    *mesh = (ThawMesh){.dim = dim,
                       .nodes = nodes,
                       .vertex_count = shape->nv,
                       .element_count = shape->ne,
                       .x = shape->X,
                       .elements = THAW_NEW(int32_t, (size_t)shape->ne * (size_t)nodes)};
    *x = THAW_NEW(double, 3 * (size_t)shape->nv);
    if (internal && mesh->elements && *x) {
        for (int32_t i = 0; i < shape->nv; i++) {
            internal[shape->vertex_user[i]] = i;
            memcpy(*x + 3 * (size_t)i, shape->X + (size_t)i * dim, sizeof **x * (size_t)dim);
        }
        for (size_t i = 0; i < (size_t)shape->ne * (size_t)nodes; i++)
            mesh->elements[i] = internal[shape->elements_user[i]];
    }
    ThawStatus status = internal && mesh->elements && *x ? THAW_OK : thaw_error_memory(error, "a surface for contact");
    thaw_free(internal);
    return status;
}

// Stiffness and mass of each surface vertex. element: of each face, by the mesh's own id.
static ThawStatus weigh_vertices(const ThawShape *shape, const double *x, const int32_t *element, double gravity,
                                 ThawContactShape *to, ThawError *error) {
    int32_t *place = THAW_NEW(int32_t, shape->ne); // mesh -> internal
    to->stiffness = THAW_NEW(double, to->nv);
    to->mass = THAW_NEW(double, to->nv);
    if (!place || !to->stiffness || !to->mass) {
        thaw_free(place);
        return thaw_error_memory(error, "a surface for contact");
    }
    for (int32_t i = 0; i < shape->ne; i++)
        place[shape->element_user[i]] = i;
    for (int32_t v = 0; v < to->nv; v++)
        to->mass[v] = shape->mass[to->vertex[v]];
    for (int32_t f = 0; f < to->nf; f++) {
        const ThawMaterial *material = &shape->materials[shape->cells->material[place[element[f]]]];
        const int32_t *v = to->face + (size_t)f * to->nodes;
        double length = 0, n[2][3], area;
        for (int i = 0; i < to->nodes; i++) {
            thaw_v3_sub(x + 3 * (size_t)to->vertex[v[(i + 1) % to->nodes]], x + 3 * (size_t)to->vertex[v[i]],
                        n[i > 0]); // the first edge, and in the end the last
            length += thaw_v3_norm(n[i > 0]) / to->nodes;
        }
        area = length * shape->thickness;
        if (to->nodes == 3) {
            double cross[3];
            thaw_v3_cross(n[0], n[1], cross);
            area = thaw_v3_norm(cross) / 2;
        }
        // A sheet gives way as its membrane does: by the section thickness times length, over the length.
        if (shape->cells->kind->dim < shape->dim)
            area *= shape->thickness / length;
        double modulus = fmax(5 * thaw_element_modulus(shape, shape->cells, place[element[f]]),
                              200 * material->density * gravity * shape->diameter);
        for (int i = 0; i < to->nodes; i++)
            to->stiffness[v[i]] += modulus * area / length / to->nodes;
    }
    thaw_free(place);
    return THAW_OK;
}

// The vertex behind each face. element: of each face, of the mesh.
static ThawStatus look_behind(const ThawMesh *mesh, const int32_t *element, ThawContactShape *to, ThawError *error) {
    if (!(to->behind = THAW_NEW(int32_t, to->nf)))
        return thaw_error_memory(error, "a surface for contact");
    for (int32_t f = 0; f < to->nf; f++)
        for (int i = 0; i < mesh->nodes; i++) {
            const int32_t v = mesh->elements[(size_t)element[f] * (size_t)mesh->nodes + (size_t)i];
            int of_face = 0;
            for (int k = 0; k < to->nodes; k++)
                of_face |= to->vertex[to->face[(size_t)f * (size_t)to->nodes + (size_t)k]] == v;
            if (!of_face)
                to->behind[f] = v;
        }
    return THAW_OK;
}

static ThawStatus compile_shape(const ThawShape *shape, double gravity, ThawContactShape *to, ThawError *error) {
    ThawMesh mesh;
    ThawSurface *surface = NULL;
    double *x = NULL;
    ThawStatus status = restore_mesh(shape, &mesh, &x, error);
    if (status == THAW_OK)
        status = thaw_mesh_surface(&mesh, &surface, error);
    to->smooth = shape->smooth;
    if (status == THAW_OK)
        status = thaw_contact_shape_create(shape->dim, shape->nv, x, surface->count, surface->faces, to, error);
    if (status == THAW_OK)
        status = weigh_vertices(shape, x, surface->element, gravity, to, error);
    if (status == THAW_OK && shape->smooth > 0)
        status = look_behind(&mesh, surface->element, to, error);
    if (thaw_shape_is_sheet(shape))
        to->half = to->margin = shape->thickness / 2;
    thaw_surface_free(&surface);
    thaw_free(mesh.elements);
    thaw_free(x);
    return status;
}

// --- obstacles ------------------------------------------------------------------------------------------------------

enum { RIM = 24, CORNERS_MAX = 2 * RIM, FACES_MAX = 4 * RIM };

// Corners (3 doubles each) and outward faces of a simple obstacle; what is round has centres only.
static void outline(const ThawModelObstacle *o, int dim, double *x, int32_t *nv, int32_t *faces, int32_t *nf,
                    double *radius, double *margin) {
    static const int32_t box[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                       {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    static const int32_t square[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
    *nv = *nf = 0;
    *radius = *margin = 0;
    switch (o->kind) {
    case THAW_OBSTACLE_BOX:
        *nv = dim == 3 ? 8 : 4, *nf = dim == 3 ? 12 : 4;
        for (int32_t i = 0; i < *nv; i++)
            for (int k = 0; k < dim; k++)
                x[3 * i + k] = (i >> k & 1 ? 0.5 : -0.5) * o->size[k];
        memcpy(faces, dim == 3 ? (const void *)box : square, dim == 3 ? sizeof box : sizeof square);
        break;
    case THAW_OBSTACLE_CYLINDER:
        *nv = 2 * RIM;
        *margin = o->size[0] * (1 - cos(M_PI / RIM));
        for (int32_t i = 0; i < RIM; i++) {
            int32_t j = (i + 1) % RIM, wall[6] = {i, j, RIM + j, i, RIM + j, RIM + i};
            for (int top = 0; top < 2; top++) {
                double *at = x + 3 * (top * RIM + i);
                at[0] = o->size[0] * cos(2 * M_PI * i / RIM);
                at[1] = o->size[0] * sin(2 * M_PI * i / RIM);
                at[2] = (top ? 0.5 : -0.5) * o->size[1];
            }
            memcpy(faces + 3 * *nf, wall, sizeof wall);
            *nf += 2;
            if (i > 0 && i + 1 < RIM) {
                int32_t caps[6] = {0, j, i, RIM, RIM + i, RIM + j};
                memcpy(faces + 3 * *nf, caps, sizeof caps);
                *nf += 2;
            }
        }
        break;
    case THAW_OBSTACLE_SPHERE:
    case THAW_OBSTACLE_CAPSULE:
        *nv = o->kind == THAW_OBSTACLE_SPHERE ? 1 : 2;
        *radius = *margin = o->size[0];
        for (int32_t i = 0; i < *nv && *nv == 2; i++)
            x[3 * i + 2] = (i ? 0.5 : -0.5) * o->size[1];
        break;
    default:
        break;
    }
}

static ThawStatus compile_obstacle(const ThawModelObstacle *o, int dim, ThawContactShape *to, double **local,
                                   double **boxes, ThawError *error) {
    double corners[3 * CORNERS_MAX] = {0}, *x = corners, radius = 0;
    int32_t corner_faces[3 * FACES_MAX], *faces = corner_faces, nv, nf;
    if (o->kind == THAW_OBSTACLE_MESH) {
        nv = o->vertex_count, nf = o->face_count, faces = o->faces;
        if (!(x = THAW_NEW(double, 3 * (size_t)nv)))
            return thaw_error_memory(error, "an obstacle");
        for (int32_t i = 0; i < nv; i++)
            memcpy(x + 3 * (size_t)i, o->x + (size_t)i * dim, sizeof *x * (size_t)dim);
    } else
        outline(o, dim, x, &nv, faces, &nf, &radius, &to->margin);
    to->radius = radius;
    ThawStatus status = thaw_contact_shape_create(dim, nv, x, nf, faces, to, error);
    if (status == THAW_OK) {
        *local = THAW_NEW(double, 3 * (size_t)to->nv);
        *boxes = THAW_NEW(double, 6 * (size_t)to->tree_count);
        status = *local && *boxes ? THAW_OK : thaw_error_memory(error, "an obstacle");
    }
    if (status == THAW_OK) {
        for (int32_t v = 0; v < to->nv; v++)
            thaw_v3_copy(x + 3 * (size_t)to->vertex[v], *local + 3 * (size_t)v);
        thaw_contact_tree_refit(to, *local, *boxes);
    }
    if (x != corners)
        thaw_free(x);
    return status;
}

// --- the collider ---------------------------------------------------------------------------------------------------

static const ThawShape *shape_at(const ThawModel *model, int32_t i) {
    const int32_t count = model->shape_count + model->own_count;
    return i < count ? model->shapes[i] : model->variants[i - count];
}

static void mark_fixed(const ThawCollider *collider, const ThawModelBody *body, unsigned char *fixed) {
    const ThawContactShape *shape = collider->by_body[body - collider->model->bodies];
    for (int32_t s = 0; s < body->script_count; s++) {
        const ThawGroup *group = body->scripts[s].group;
        int32_t k = 0;
        for (int32_t v = 0; v < shape->nv && body->scripts[s].release == INFINITY; v++) { // both ascend
            while (k < group->count && group->vertices[k] < shape->vertex[v])
                k++;
            fixed[v] |= k < group->count && group->vertices[k] == shape->vertex[v];
        }
    }
}

ThawStatus thaw_collider_create(const ThawModel *model, ThawCollider **result, ThawError *error) {
    *result = NULL;
    ThawCollider *collider = THAW_NEW(ThawCollider, 1);
    if (!collider)
        return thaw_error_memory(error, "the collider");
    collider->model = model;
    collider->shape_count = model->shape_count + model->own_count + model->variant_count;
    collider->shapes = THAW_NEW(ThawContactShape, collider->shape_count);
    collider->by_body = THAW_NEW(const ThawContactShape *, model->body_count);
    collider->obstacle_shapes = THAW_NEW(ThawContactShape, model->obstacle_count);
    collider->obstacle_x = THAW_NEW(double *, model->obstacle_count);
    collider->obstacle_boxes = THAW_NEW(double *, model->obstacle_count);
    collider->fixed_start = THAW_NEW(size_t, model->body_count);
    ThawStatus status = THAW_OK;
    if (!collider->shapes || !collider->by_body || !collider->obstacle_shapes || !collider->obstacle_x ||
        !collider->obstacle_boxes || !collider->fixed_start)
        status = thaw_error_memory(error, "the collider");
    double g[3] = {0, 0, 0};
    memcpy(g, model->options.gravity, sizeof *g * (size_t)model->dim);
    for (int32_t i = 0; status == THAW_OK && i < collider->shape_count; i++) {
        status = compile_shape(shape_at(model, i), thaw_v3_norm(g), &collider->shapes[i], error);
        for (int32_t b = 0; b < model->body_count; b++)
            if (model->bodies[b].shape == shape_at(model, i))
                collider->by_body[b] = &collider->shapes[i];
    }
    for (int32_t i = 0; status == THAW_OK && i < model->obstacle_count; i++)
        status = compile_obstacle(&model->obstacles[i], model->dim, &collider->obstacle_shapes[i],
                                  &collider->obstacle_x[i], &collider->obstacle_boxes[i], error);
    size_t total = 0;
    for (int32_t i = 0; status == THAW_OK && i < model->body_count; i++) {
        collider->fixed_start[i] = total;
        total += (size_t)collider->by_body[i]->nv;
    }
    if (status == THAW_OK && !(collider->fixed = THAW_NEW(unsigned char, total)))
        status = thaw_error_memory(error, "the collider");
    for (int32_t i = 0; status == THAW_OK && i < model->body_count; i++)
        mark_fixed(collider, &model->bodies[i], collider->fixed + collider->fixed_start[i]);
    if (status != THAW_OK)
        thaw_collider_free(&collider);
    *result = collider;
    return status;
}

void thaw_collider_free(ThawCollider **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawCollider *collider = *pointer;
    for (int32_t i = 0; collider->shapes && i < collider->shape_count; i++)
        thaw_contact_shape_clear(&collider->shapes[i]);
    for (int32_t i = 0; i < collider->model->obstacle_count; i++) {
        if (collider->obstacle_shapes)
            thaw_contact_shape_clear(&collider->obstacle_shapes[i]);
        if (collider->obstacle_x)
            thaw_free(collider->obstacle_x[i]);
        if (collider->obstacle_boxes)
            thaw_free(collider->obstacle_boxes[i]);
    }
    thaw_free(collider->shapes);
    thaw_free(collider->by_body);
    thaw_free(collider->obstacle_shapes);
    thaw_free(collider->obstacle_x);
    thaw_free(collider->obstacle_boxes);
    thaw_free(collider->fixed);
    thaw_free(collider->fixed_start);
    thaw_free(collider);
    *pointer = NULL;
}

// --- scratch --------------------------------------------------------------------------------------------------------

static int create_body(const ThawContactShape *shape, int32_t id, const unsigned char *fixed, ThawContactBody *body) {
    *body = (ThawContactBody){.shape = shape,
                              .id = id,
                              .fixed = fixed,
                              .x = THAW_NEW(double, 3 * (size_t)shape->nv),
                              .d = THAW_NEW(double, 3 * (size_t)shape->nv),
                              .boxes = THAW_NEW(double, 6 * (size_t)shape->tree_count)};
    return body->x && body->d && body->boxes;
}

static void clear_body(ThawContactBody *body) {
    thaw_free(body->x);
    thaw_free(body->d);
    thaw_free(body->boxes);
}

ThawContactScratch *thaw_contact_scratch_create(const ThawCollider *collider) {
    const ThawModel *model = collider->model;
    ThawContactScratch *scratch = THAW_NEW(ThawContactScratch, 1);
    if (!scratch)
        return NULL;
    scratch->collider = collider;
    scratch->bodies = THAW_NEW(ThawContactBody, model->body_count);
    scratch->obstacles = THAW_NEW(ThawContactBody, model->obstacle_count);
    scratch->places = thaw_alloc((size_t)model->obstacle_count, sizeof *scratch->places);
    scratch->placed = THAW_NEW(unsigned char, model->obstacle_count);
    scratch->order = THAW_NEW(int32_t, model->body_count);
    int good = scratch->bodies && scratch->obstacles && scratch->places && scratch->placed && scratch->order;
    for (int32_t i = 0; good && i < model->body_count; i++) {
        scratch->order[i] = i;
        good = create_body(collider->by_body[i], i, collider->fixed + collider->fixed_start[i], &scratch->bodies[i]);
        scratch->bodies[i].unit_vertex = model->bodies[i].unit_vertex;
    }
    for (int32_t i = 0; good && i < model->obstacle_count; i++)
        good = create_body(&collider->obstacle_shapes[i], -1 - i, NULL, &scratch->obstacles[i]);
    if (!good)
        thaw_contact_scratch_free(&scratch);
    return scratch;
}

void thaw_contact_scratch_free(ThawContactScratch **pointer) {
    ThawContactScratch *scratch = *pointer;
    if (!scratch)
        return;
    for (int32_t i = 0; scratch->bodies && i < scratch->collider->model->body_count; i++)
        clear_body(&scratch->bodies[i]);
    for (int32_t i = 0; scratch->obstacles && i < scratch->collider->model->obstacle_count; i++)
        clear_body(&scratch->obstacles[i]);
    for (int32_t i = 0; i < scratch->item_capacity; i++) {
        thaw_free(scratch->slots[i].contacts);
        thaw_free(scratch->slots[i].list);
        thaw_free(scratch->slots[i].clear);
        thaw_free(scratch->slots[i].limit);
    }
    thaw_free(scratch->bodies);
    thaw_free(scratch->obstacles);
    thaw_free(scratch->places);
    thaw_free(scratch->placed);
    thaw_free(scratch->order);
    thaw_free(scratch->items);
    thaw_free(scratch->slots);
    thaw_free(scratch->spare);
    thaw_free(scratch);
    *pointer = NULL;
}
