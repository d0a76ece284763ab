// SPDX-License-Identifier: Apache-2.0
// The force that holds rigid parts together. All forces on the vertices of elements that are rigid, or about to be,
// less what the rigid motion of each connected component absorbs (Newton and Euler): what is left, c, is the force that
// staying rigid has to supply, and by which it is judged whether the elements may stay so.
//
// Elastic forces inside parts do not change while parts only move as one: they can be kept in the frames of the parts,
// so that only elastic elements are evaluated. Linear in the vertices and those elements; in all of them where parts
// have been relaxed.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/forest.h"
#include "force/force.h"
#include "math/vec3.h"
#include "oracle/oracle_impl.h"

// --- components ------------------------------------------------------------------------------------------------------

// Components of the trial elements, by shared vertices; how many.
static int32_t join_elements(ThawOracle *oracle) {
    const ThawShape *shape = oracle->shape;
    int32_t *root = oracle->root, nodes = shape->cells->kind->nodes, count = 0;
    unsigned char *used = (unsigned char *)oracle->q; // scratch of at least nv bytes
    memset(used, 0, (size_t)shape->nv);
    for (int32_t i = 0; i < shape->nv; i++)
        root[i] = i;
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t *vertex = shape->cells->elements + (size_t)e * (size_t)nodes;
        if (!oracle->trial[e])
            continue;
        for (int32_t a = 0; a < nodes; a++) {
            thaw_forest_join(root, vertex[0], vertex[a]);
            used[vertex[a]] = 1;
        }
    }
    // Roots are the lowest of their trees and come first: number them as they come.
    for (int32_t i = 0; i < shape->nv; i++)
        if (!used[i])
            root[i] = -1;
        else if (root[i] == i)
            root[i] = -2 - count++;
        else {
            int32_t up = root[i];
            while (up >= 0)
                up = root[up];
            root[i] = up;
        }
    for (int32_t i = 0; i < shape->nv; i++)
        root[i] = root[i] == -1 ? -1 : -2 - root[i];
    return count;
}

static ThawStatus find_components(ThawOracle *oracle, const ThawPartition *partition, int candidates,
                                  ThawError *error) {
    int32_t count = partition->part_count;
    if (candidates)
        count = join_elements(oracle);
    else
        memcpy(oracle->root, partition->part_of_vertex, sizeof(int32_t) * (size_t)oracle->shape->nv);
    if (count > oracle->component_capacity) {
        ThawComponent *components = THAW_NEW(ThawComponent, 2 * (size_t)count);
        if (!components)
            return thaw_error_memory(error, "the oracle's components");
        thaw_free(oracle->components);
        oracle->components = components;
        oracle->component_capacity = 2 * count;
    }
    oracle->component_count = count;
    memset(oracle->components, 0, sizeof(ThawComponent) * (size_t)count);
    return THAW_OK;
}

// --- Newton and Euler ------------------------------------------------------------------------------------------------

// What a component would do if it were rigid.
static void accelerate(ThawComponent *p, int dim) {
    double gyration[3], spin[3];
    for (int i = 0; i < 3; i++)
        spin[i] = p->inertia[i] * p->omega[0] + p->inertia[i + 3] * p->omega[1] + p->inertia[i + 6] * p->omega[2];
    thaw_v3_cross(p->omega, spin, gyration);
    for (int k = 0; k < 3; k++)
        p->torque[k] -= gyration[k];
    if (p->hold == THAW_HOLD_FREE)
        for (int k = 0; k < dim; k++)
            p->a[k] = p->force[k] / p->mass;
    if (p->hold == THAW_HOLD_AXIS) { // spin about the line through its pins
        const double *axis = p->pins.axis;
        double moment = 0, torque = 0;
        for (int i = 0; i < 3; i++) {
            torque += axis[i] * p->torque[i];
            for (int k = 0; k < 3; k++)
                moment += axis[i] * p->inertia[i + 3 * k] * axis[k];
        }
        for (int k = 0; k < 3; k++)
            p->alpha[k] = moment > 0 ? axis[k] * torque / moment : 0;
    } else
        thaw_part_spin(dim, p->inertia, p->torque, p->alpha);
}

// --- forces ----------------------------------------------------------------------------------------------------------

// Elastic forces of rigid elements into the frames of their parts: those of all, y, less those of elastic ones, f.
static void keep_inner(ThawOracle *oracle, const ThawPartition *partition) {
    const size_t dim = (size_t)oracle->shape->dim;
    double *inner = oracle->state.inner;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        for (int32_t m = part->first; m < part->first + part->count; m++)
            for (size_t i = 0, at = (size_t)partition->vertices[m] * dim; i < dim; i++) {
                inner[at + i] = 0;
                for (size_t j = 0; j < dim; j++)
                    inner[at + i] += part->R[j + 3 * i] * (oracle->y[at + j] - oracle->f[at + j]);
            }
    }
    oracle->state.inner_is = THAW_INNER_KEPT;
}

// oracle->f: elastic forces of all elements. Parts that move from question to question have other forces inside in
// each: one pass over all elements. Where they have not moved since the last question, or are asked about twice in this
// one (again), those of rigid elements are kept in the frames of the parts, and elastic elements alone are evaluated
// from then on.
static void elastic_forces(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, int again) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    const size_t dim = (size_t)shape->dim;
    if (partition->part_count == 0 || (state->inner_is == THAW_INNER_UNKNOWN && !again)) {
        thaw_force_internal(shape->all, oracle->tasks, q->x, shape->nv, oracle->f, oracle->partial);
        state->inner_is = partition->part_count == 0 ? state->inner_is : THAW_INNER_SEEN;
        return;
    }
    memset(oracle->f, 0, sizeof *oracle->f * (size_t)shape->nv * dim);
    if (partition->elastic_count > 0)
        thaw_force_internal(q->elastic, oracle->tasks, q->x, shape->nv, oracle->f, oracle->partial);
    if (state->inner_is != THAW_INNER_KEPT) {
        thaw_force_internal(shape->all, oracle->tasks, q->x, shape->nv, oracle->y, oracle->partial);
        keep_inner(oracle, partition);
    }
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        for (int32_t m = part->first; m < part->first + part->count; m++) {
            double turned[3];
            size_t at = (size_t)partition->vertices[m] * dim;
            thaw_part_rotate(part, (int)dim, state->inner + at, turned);
            for (size_t i = 0; i < dim; i++)
                oracle->f[at + i] += turned[i];
        }
    }
}

// oracle->c: everything that acts on vertices of components, before their motion is taken off.
static void gather_forces(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, int again) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->dim;
    double forms[2];
    elastic_forces(oracle, q, partition, again);
    // Damping sees chords, of vertices of turning parts as of all others: beside the parts' own velocities there would
    // be a rate of h/2 omega^2 over the size of an element.
    if (partition->elastic_count > 0 && q->elastic->has_alpha1)
        thaw_force_product(q->elastic, oracle->tasks, q->x, q->v, (ThawStiffness){0, 1, 0}, shape->nv, oracle->y, forms,
                           oracle->partial);
    else
        memset(oracle->y, 0, sizeof(double) * (size_t)shape->nv * dim);
    memcpy(oracle->u, q->v, sizeof(double) * (size_t)shape->nv * dim);
    thaw_partition_velocities(partition, oracle->u);
    for (int32_t i = 0; i < shape->nv; i++)
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
            oracle->c[at] = oracle->root[i] < 0 ? 0
                                                : oracle->f[at] + q->f_ext[at] + q->f_contact[at] - oracle->y[at] -
                                                      shape->damping_mass[i] * oracle->u[at];
}

// Sums over each component: first the mass centre (or pins), then moments about it.
THAW_INLINE void sum_components(ThawOracle *oracle, const ThawQuestion *q, const int dim) {
    const ThawShape *shape = oracle->shape;
    for (int32_t i = 0; i < shape->nv; i++) {
        if (oracle->root[i] < 0)
            continue;
        ThawComponent *p = &oracle->components[oracle->root[i]];
        p->mass += shape->mass[i];
        for (int k = 0; k < dim; k++)
            p->at[k] += shape->mass[i] * q->x[(size_t)i * (size_t)dim + (size_t)k];
        if (q->script[i])
            thaw_pins_add(&p->pins, dim, q->x + (size_t)i * (size_t)dim);
    }
    for (int32_t i = 0; i < shape->nv; i++)
        if (oracle->root[i] >= 0 && q->script[i])
            thaw_pins_compare(&oracle->components[oracle->root[i]].pins, dim, q->x + (size_t)i * (size_t)dim);
    for (int32_t k = 0; k < oracle->component_count; k++) {
        ThawComponent *p = &oracle->components[k];
        p->hold = thaw_pins_hold(&p->pins, dim);
        for (int i = 0; i < dim; i++)
            p->at[i] = p->hold == THAW_HOLD_FREE ? p->at[i] / p->mass : p->pins.at[i];
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        ThawComponent *p = oracle->root[i] < 0 ? NULL : &oracle->components[oracle->root[i]];
        if (!p || p->hold == THAW_HOLD_FIXED)
            continue;
        double rho[3] = {0, 0, 0}, force[3] = {0, 0, 0}, turn[3], v[3] = {0, 0, 0}, L[3], m = shape->mass[i],
               square = 0;
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * (size_t)dim + (size_t)k;
            rho[k] = q->x[at] - p->at[k];
            force[k] = oracle->c[at];
            v[k] = oracle->u[at];
            square += rho[k] * rho[k];
        }
        thaw_v3_cross(rho, force, turn);
        thaw_v3_cross(rho, v, L);
        for (int k = 0; k < 3; k++) {
            p->force[k] += force[k];
            p->torque[k] += turn[k];
            p->omega[k] += m * L[k]; // angular momentum for now
            for (int l = 0; l < 3; l++)
                p->inertia[k + 3 * l] += m * ((k == l ? square : 0) - rho[k] * rho[l]);
        }
    }
}

// Of a vertex, as a part of its component: by forces, a, and as it turns. 0: it has none, or is held.
static inline int acceleration_of(const ThawOracle *oracle, const ThawQuestion *q, int32_t i, int dim, double a[3],
                                  double centripetal[3]) {
    const ThawComponent *p = oracle->root[i] < 0 ? NULL : &oracle->components[oracle->root[i]];
    if (!p || p->hold == THAW_HOLD_FIXED || q->script[i])
        return 0;
    double rho[3] = {0, 0, 0}, turn[3], swing[3];
    for (int k = 0; k < dim; k++)
        rho[k] = q->x[(size_t)i * (size_t)dim + (size_t)k] - p->at[k];
    thaw_v3_cross(p->alpha, rho, turn);
    thaw_v3_cross(p->omega, rho, swing);
    thaw_v3_cross(p->omega, swing, centripetal);
    for (int k = 0; k < 3; k++)
        a[k] = p->a[k] + turn[k];
    return 1;
}

// What the components' own motion absorbs of c is taken off.
THAW_INLINE void take_off(ThawOracle *oracle, const ThawQuestion *q, const int dim) {
    const ThawShape *shape = oracle->shape;
    sum_components(oracle, q, dim);
    for (int32_t k = 0; k < oracle->component_count; k++) {
        ThawComponent *p = &oracle->components[k];
        double L[3];
        if (p->hold == THAW_HOLD_FIXED)
            continue;
        memcpy(L, p->omega, sizeof L);
        // Exact for free parts: motion of the centre has no angular momentum about it.
        thaw_part_spin(dim, p->inertia, L, p->omega);
        accelerate(p, dim);
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        double *c = oracle->c + (size_t)i * (size_t)dim, a[3], centripetal[3];
        if (q->script[i])
            memset(c, 0, sizeof *c * (size_t)dim);
        if (!acceleration_of(oracle, q, i, dim, a, centripetal))
            continue;
        for (int k = 0; k < dim; k++)
            c[k] -= shape->mass[i] * (a[k] + centripetal[k]);
    }
}

// oracle->u: of all forces, also on vertices of no component, those whose work something pays for.
static void find_payers(ThawOracle *oracle, const ThawQuestion *q) {
    const int dim = oracle->shape->dim;
    for (int32_t i = 0; i < oracle->shape->nv; i++) {
        double a[3], centripetal[3];
        int moves = acceleration_of(oracle, q, i, dim, a, centripetal);
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * (size_t)dim + (size_t)k;
            oracle->u[at] = q->script[i] ? 0
                                         : oracle->f[at] + q->f_ext[at] + q->f_contact[at] -
                                               (moves ? oracle->shape->mass[i] * centripetal[k] : 0);
        }
    }
}

ThawStatus thaw_oracle_constraint(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition,
                                  int candidates, ThawError *error) {
    ThawStatus status = find_components(oracle, partition, candidates, error);
    if (status != THAW_OK)
        return status;
    gather_forces(oracle, q, partition, candidates); // with candidates, once more without
    if (oracle->shape->dim == 2)
        take_off(oracle, q, 2);
    else
        take_off(oracle, q, 3);
    find_payers(oracle, q);
    return THAW_OK;
}

double thaw_oracle_outer_share(const ThawOracle *oracle) {
    double all = 0, paid = 0;
    for (size_t i = 0; i < (size_t)oracle->shape->nv * (size_t)oracle->shape->dim; i++) {
        all += oracle->c[i] * oracle->d[i];
        paid += oracle->u[i] * oracle->d[i];
    }
    return all > 0 ? fmin(1, paid / all) : 0;
}
