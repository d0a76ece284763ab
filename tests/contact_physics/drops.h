// SPDX-License-Identifier: Apache-2.0
// Random drops: one to five random bodies of at most 300 elements fall in a closed box, sometimes onto obstacles, for
// at most 200 steps. Everything follows from the seed, but what a DropChoice says. What must hold, whatever the
// numbers: every step succeeds, nothing is NaN, no body leaves the box, and nothing sinks in deeper than DROP_BOUND
// mean edge lengths (of the coarser mesh).
//
// The bound: a contact is a spring of about the stiffness of the elements behind it, so an impact that presses a body
// by an edge length may press the contact about as deep; at rest depths are smaller by orders. Coarse meshes can also
// cross between their vertices and edges by less than an edge. In 99 of 100 drops nothing gets deeper than half an
// edge.
#ifndef THAW_TEST_DROPS_H
#define THAW_TEST_DROPS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step/step.h"
#include "thaw/thaw.h"

#define DROP_BOUND 2.0

enum { DROP_BODIES = 5, DROP_WALLS = 6, DROP_OBSTACLES = DROP_WALLS + 2, DROP_STEPS = 200, DROP_ELEMENTS = 300 };

typedef struct DropResult {
    int failed;
    char why[300];
    int overlap; // some bodies stand in others at the start
    int dim, bodies, elements, steps;
    char kind[80];     // integrator, contact law
    double depth;      // of the deepest penetration, in mean edge lengths of the coarser mesh
    double rest_depth; // the same at the end
    double residual;   // worst complementarity
    int left;          // steps whose residual was above the tolerance
    int substeps;      // most in a step
    int64_t contacts;  // in all steps
    double fastest;    // m/s
    double gain;       // by how much its energy ever rose over the least so far, over what it began with
    uint64_t hash;
} DropResult;

// What is not drawn. NULL, 0: as drawn; full bodies; no substeps.
typedef struct DropChoice {
    const char *integrator, *method;
    int substeps;
} DropChoice;

// SplitMix64.
static inline double drop_random(uint64_t *seed, double lo, double hi) {
    uint64_t z = (*seed += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return lo + (hi - lo) * (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static inline int drop_choice(uint64_t *seed, int count) { return (int)drop_random(seed, 0, count); }

static inline double drop_between(uint64_t *seed, double lo, double hi) { // evenly in the logarithm
    return lo * pow(hi / lo, drop_random(seed, 0, 1));
}

static inline void drop_rotation(uint64_t *seed, int dim, double q[4]) {
    double length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = dim == 2 && (k == 1 || k == 2) ? 0 : drop_random(seed, -1, 1);
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
}

// A box of cells; some are bent, sheared or made round.
static inline ThawMesh *drop_mesh(uint64_t *seed, int dim, int most, double *size) {
    int32_t cells[3];
    do
        for (int k = 0; k < 3; k++)
            cells[k] = k < dim ? 1 + drop_choice(seed, dim == 3 ? 4 : 7) : 1;
    while (cells[0] * cells[1] * cells[2] * (dim == 3 ? 6 : 2) > most);
    double half[3], lo[3], hi[3];
    *size = drop_random(seed, 0.06, 0.25);
    for (int k = 0; k < 3; k++) {
        half[k] = *size * drop_random(seed, 0.4, 1);
        lo[k] = -half[k];
        hi[k] = half[k];
    }
    ThawMesh *mesh = NULL;
    if (thaw_mesh_box(dim, lo, hi, cells, &mesh, NULL) != THAW_OK)
        return NULL;
    int form = drop_choice(seed, 3);
    double amount = drop_random(seed, -0.5, 0.5);
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        double *x = mesh->x + (size_t)i * (size_t)dim;
        if (form == 1) // sheared
            x[0] += amount * x[dim - 1];
        if (form == 2) { // corners drawn in, towards a ball
            double norm = 0, most_of = 0;
            for (int k = 0; k < dim; k++) {
                norm += x[k] / half[k] * x[k] / half[k];
                most_of = fmax(most_of, fabs(x[k] / half[k]));
            }
            double scale = norm > 0 ? 1 + 0.7 * (most_of / sqrt(norm) - 1) : 1;
            for (int k = 0; k < dim; k++)
                x[k] *= scale;
        }
    }
    return mesh;
}

static inline double drop_edge(const ThawMesh *mesh) {
    double sum = 0;
    int count = 0;
    for (int64_t e = 0; e < mesh->element_count; e++)
        for (int i = 0; i < mesh->nodes; i++)
            for (int j = 0; j < i; j++) {
                double square = 0;
                for (int k = 0; k < mesh->dim; k++) {
                    const int32_t *v = mesh->elements + e * mesh->nodes;
                    square += pow(mesh->x[v[i] * mesh->dim + k] - mesh->x[v[j] * mesh->dim + k], 2);
                }
                sum += sqrt(square);
                count++;
            }
    return sum / count;
}

typedef struct Drop {
    ThawWorldDef def;
    ThawMaterialDef materials[DROP_BODIES];
    ThawMesh *meshes[DROP_BODIES];
    ThawShapeDef shapes[DROP_BODIES];
    ThawBodyDef bodies[DROP_BODIES];
    ThawObstacleDef obstacles[DROP_OBSTACLES];
    double edge[DROP_BODIES]; // m
    int steps;
} Drop;

// Half the inside of the box along an axis, m; its middle is the origin.
static inline double drop_room(int dim, int axis) { return axis == dim - 1 ? 3 : 0.6; }

// Returns 0 when memory ran out.
static inline int drop_make(uint64_t seed, Drop *d, DropResult *result) {
    memset(d, 0, sizeof *d);
    d->def = thaw_world_def_default();
    int dim = d->def.dim = drop_choice(&seed, 4) ? 3 : 2, up = dim - 1;
    int bodies = 1 + drop_choice(&seed, DROP_BODIES), left = DROP_ELEMENTS;
    d->steps = 100 + drop_choice(&seed, DROP_STEPS - 100 + 1);
    d->def.h = drop_between(&seed, 0.002, 0.02);
    d->def.threads = 1;
    d->def.integrator = drop_choice(&seed, 4) ? THAW_INTEGRATOR_SEMI_IMPLICIT : THAW_INTEGRATOR_NEWTON;
    for (int k = 0; k < 3; k++)
        d->def.gravity[k] = k == up ? -9.81 : 0;
    double z = -drop_room(dim, up) + 0.05;
    for (int b = 0; b < bodies; b++) {
        double size;
        d->meshes[b] = drop_mesh(&seed, dim, left - (dim == 3 ? 6 : 2) * (bodies - 1 - b), &size);
        if (!d->meshes[b])
            return 0;
        left -= d->meshes[b]->element_count;
        d->edge[b] = drop_edge(d->meshes[b]);
        ThawMaterialDef *material = &d->materials[b];
        *material = thaw_material_def_default();
        material->model = (ThawMaterialModel)drop_choice(&seed, 4);
        material->density = drop_between(&seed, 300, 3000);
        // St. Venant-Kirchhoff collapses under pressures not far below its modulus: that is the material, and not
        // contact.
        material->young = drop_between(&seed, material->model == THAW_MATERIAL_STVK ? 2e6 : 5e4, 1e7);
        material->poisson = drop_random(&seed, 0, 0.45);
        material->alpha0 = drop_choice(&seed, 2) ? drop_between(&seed, 0.01, 1) : 0;
        material->alpha1 = drop_choice(&seed, 2) ? drop_between(&seed, 1e-4, 0.05) : 0;
        d->shapes[b] = thaw_shape_def_default();
        d->shapes[b].mesh = d->meshes[b];
        d->shapes[b].material = b;
        ThawBodyDef *body = &d->bodies[b];
        *body = thaw_body_def_default();
        body->shape = b;
        drop_rotation(&seed, dim, body->rotation);
        for (int k = 0; k < dim; k++) {
            double reach = 1.8 * size;
            body->position[k] = k == up ? z + reach : drop_random(&seed, -0.25, 0.25);
            body->velocity[k] = drop_random(&seed, -3, 3);
        }
        z += drop_choice(&seed, 10) ? 3.6 * size : size; // one in ten stands in the next
        for (int k = 0; k < 3; k++)
            body->spin[k] = drop_choice(&seed, 2) ? drop_random(&seed, -10, 10) : 0;
        body->friction = drop_choice(&seed, 5) ? drop_random(&seed, 0, 1.2) : 0;
    }
    int walls = 0;
    for (int k = 0; k < dim; k++)
        for (int side = -1; side <= 1; side += 2) {
            ThawObstacleDef *o = &d->obstacles[walls++];
            *o = thaw_obstacle_def_default();
            o->kind = THAW_OBSTACLE_BOX;
            for (int j = 0; j < 3; j++)
                o->size[j] = j == k ? 0.4 : 2 * drop_room(dim, j) + 0.8;
            o->position[k] = side * (drop_room(dim, k) + 0.2);
            o->friction = drop_random(&seed, 0, 1.2);
        }
    for (int i = drop_choice(&seed, 3); i > 0; i--) {
        ThawObstacleDef *o = &d->obstacles[walls++];
        *o = thaw_obstacle_def_default();
        o->kind = dim == 2 ? (drop_choice(&seed, 2) ? THAW_OBSTACLE_SPHERE : THAW_OBSTACLE_BOX)
                           : (ThawObstacleKind)(THAW_OBSTACLE_SPHERE + drop_choice(&seed, 4));
        for (int k = 0; k < 3; k++)
            o->size[k] = drop_random(&seed, 0.1, 0.3);
        for (int k = 0; k < dim; k++)
            o->position[k] = k == up ? -drop_room(dim, up) : drop_random(&seed, -drop_room(dim, k), drop_room(dim, k));
        drop_rotation(&seed, dim, o->rotation);
        o->friction = drop_random(&seed, 0, 1.2);
    }
    ThawContactOptions *contact = &d->def.contact;
    static const char *const laws[] = {"automatic", "automatic", "automatic",    "hard",
                                       "box",       "no edges",  "hard tangents"};
    int law = drop_choice(&seed, 7);
    if (law == 3)
        contact->stiffness = INFINITY;
    if (law == 4)
        contact->friction = THAW_FRICTION_BOX;
    if (law == 5)
        contact->edges = 0;
    if (law == 6)
        contact->tangent = 0;
    d->def.materials = d->materials;
    d->def.shapes = d->shapes;
    d->def.bodies = d->bodies;
    d->def.material_count = d->def.shape_count = d->def.body_count = bodies;
    d->def.obstacles = d->obstacles;
    d->def.obstacle_count = walls;
    *result = (DropResult){.dim = dim, .bodies = bodies, .elements = DROP_ELEMENTS - left};
    snprintf(result->kind, sizeof result->kind, "%s, h %.3g", laws[law], d->def.h);
    return 1;
}

static inline void drop_fail(DropResult *result, const char *why) {
    if (!result->failed)
        snprintf(result->why, sizeof result->why, "step %d: %.250s", result->steps, why);
    result->failed = 1;
}

// Looks at everything once; the deepest penetration counts for result->depth where asked.
static inline void drop_look(const Drop *d, ThawWorld *world, int depths, DropResult *result) {
    const int dim = d->def.dim;
    for (int32_t b = 0; b < d->def.body_count; b++) {
        const ThawStepper *s = &world->steppers[b];
        double centre[3] = {0, 0, 0};
        for (int32_t i = 0; i < s->shape->nv * dim; i++) {
            if (!isfinite(s->x[i]) || !isfinite(s->v[i]))
                drop_fail(result, "not a number");
            result->fastest = fmax(result->fastest, fabs(s->v[i]));
            centre[i % dim] += s->x[i] / s->shape->nv;
        }
        for (int k = 0; k < dim; k++)
            if (fabs(centre[k]) > drop_room(dim, k) + 0.1) // a quarter of the wall; flat bodies may sink a little
                drop_fail(result, "a body left the box");
    }
    if (!depths || result->failed)
        return;
    ThawOverlap *overlaps = NULL;
    int32_t count = 0;
    if (thaw_contacts_overlaps(world->collider, NULL, world->state.time, world->state.x, &overlaps, &count, NULL) !=
        THAW_OK) {
        drop_fail(result, "out of memory");
        return;
    }
    result->rest_depth = 0;
    for (int32_t i = 0; i < count; i++) {
        double edge = d->edge[overlaps[i].body[0]];
        if (overlaps[i].body[1] >= 0)
            edge = fmax(edge, d->edge[overlaps[i].body[1]]);
        result->rest_depth = fmax(result->rest_depth, overlaps[i].depth / edge);
    }
    thaw_free(overlaps);
}

static inline void drop_choose(const DropChoice *choice, Drop *d, DropResult *result) {
    char law[sizeof result->kind];
    for (int i = 0; choice->integrator && i < THAW_INTEGRATOR_COUNT; i++)
        if (strcmp(choice->integrator, thaw_scheme((ThawIntegrator)i)->name) == 0)
            d->def.integrator = (ThawIntegrator)i;
    for (int b = 0; choice->method && b < DROP_BODIES; b++)
        d->bodies[b].method = choice->method;
    d->def.substeps = choice->substeps;
    snprintf(law, sizeof law, "%s", result->kind);
    snprintf(result->kind, sizeof result->kind, "%s, %.50s", thaw_scheme(d->def.integrator)->name, law);
}

// J, without what parting has lifted.
static inline double drop_energy(const ThawStepStats *stats) {
    const ThawLedger *l = &stats->ledger;
    return l->kinetic + l->shadow + l->elastic + l->gravitational + l->contact_energy - l->parting_work;
}

// J, of the start.
static inline double drop_start(const Drop *d, const ThawWorld *world) {
    const int dim = d->def.dim;
    double sum = 0;
    for (int32_t b = 0; b < d->def.body_count; b++) {
        const ThawStepper *s = &world->steppers[b];
        for (int32_t i = 0; i < s->shape->nv; i++) {
            const double *x = s->x + (size_t)i * (size_t)dim, *v = s->v + (size_t)i * (size_t)dim;
            double square = 0;
            for (int k = 0; k < dim; k++)
                square += v[k] * v[k];
            sum += s->shape->mass[i] * (square / 2 + 9.81 * (x[dim - 1] + drop_room(dim, dim - 1)));
        }
    }
    return sum;
}

static inline DropResult drop_run_by(uint64_t seed, DropChoice choice) {
    Drop d;
    DropResult result;
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawStepStats stats;
    double start = NAN, least = INFINITY;
    const int made = drop_make(seed, &d, &result);
    if (made)
        drop_choose(&choice, &d, &result);
    if (!made || thaw_world_create(&d.def, &world, &error) != THAW_OK)
        drop_fail(&result, error.message);
    else
        start = drop_start(&d, world);
    int overlap = 0; // from the start, which is undone at its own pace: then the last quarter of the run counts
    for (int i = 0; i < d.steps && !result.failed; i++) {
        if (i == 0) {
            drop_look(&d, world, 1, &result);
            overlap = result.overlap = result.rest_depth > 0;
        }
        result.steps = i + 1;
        if (thaw_world_step(world, &stats, &error) != THAW_OK) {
            drop_fail(&result, error.message);
            break;
        }
        result.residual = fmax(result.residual, stats.response_residual);
        result.left += stats.response_residual > d.def.contact.tolerance;
        result.substeps = stats.substeps > result.substeps ? stats.substeps : result.substeps;
        result.contacts += stats.contacts;
        const double energy = drop_energy(&stats);
        least = fmin(least, energy);
        result.gain = fmax(result.gain, (energy - least) / start);
        drop_look(&d, world, 1, &result);
        if (!overlap || i >= d.steps * 3 / 4)
            result.depth = fmax(result.depth, result.rest_depth);
        if (result.depth > DROP_BOUND)
            drop_fail(&result, "too deep");
    }
    if (world)
        result.hash = thaw_world_hash(world);
    thaw_world_free(&world);
    for (int b = 0; b < DROP_BODIES; b++)
        thaw_mesh_free(&d.meshes[b]);
    return result;
}

static inline DropResult drop_run(uint64_t seed) { return drop_run_by(seed, (DropChoice){0}); }

#endif
