// SPDX-License-Identifier: Apache-2.0
// The oracle of oracle.h. One question costs a force pass, a matrix-free product, one back-substitution with a kept factor of
// the static matrix, and one pass for the predicted strains: all linear but the solve. The factor is that of a reference
// shape in the body's own frame and is renewed when the shape has changed by some percent or, once all is rigid, other
// contacts hold it. A body that was found quiet is only asked again when the force that holds it together has changed.
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

#include "force/force.h"
#include "math/decompose.h"
#include "oracle/strain.h"

// Measured on the cantilever, a drop and a spin (docs/rigidification.md).
static const double SHAPE_DRIFT = 0.025; // of the diameter: then K is factored anew
static const double RELAX_FLOOR = 0.02;  // of epsilon: relaxation stops there
static const double QUIET_CHANGE = 1e-4; // m/s^2: a change of c below this cannot change a quiet answer
static const double RELAX_RATE = 3;      // relaxation strains at most this many sqrt(tau_R) h a step

// Vertices that would move as one, and how: accelerations a of `at` and alpha.
typedef struct Component {
    double mass, at[3], force[3], torque[3], inertia[9], omega[3];
    int32_t pins, count;
    double pin[2][3]; // the first two pinned vertices
    double a[3], alpha[3];
    int fixed;
} Component;

struct ThawOracle {
    const ThawShape *shape;
    ThawRigidifyOptions options;
    ThawTasks *tasks;
    ThawOracleState state;
    double *f, *y, *c, *d, *u; // over vertices
    double *b, *q;             // over unknowns of the identity map, at most dim * nv
    double *predicted;         // ne: static strain
    unsigned char *trial;      // ne: rigid, or about to be
    int32_t *root;             // nv: forest of the trial elements' vertices, then component or -1
    Component *components;
    int32_t component_count, component_capacity;
    double *partial;
    const ThawSystem *system; // that the solver is for
    ThawSolver *solver;
};

// --- life ---------------------------------------------------------------------------------------------------------------

ThawStatus thaw_oracle_create(const ThawShape *shape, const ThawRigidifyOptions *options, ThawTasks *tasks,
                              ThawOracle **result, ThawError *error) {
    *result = NULL;
    ThawOracle *oracle = THAW_NEW(ThawOracle, 1);
    if (!oracle)
        return thaw_error_memory(error, "the oracle");
    size_t nv = (size_t)shape->nv, ne = (size_t)shape->ne, dim = (size_t)shape->kind->dim;
    oracle->shape = shape;
    oracle->options = *options;
    oracle->tasks = tasks;
    double **vectors[] = {&oracle->f,         &oracle->y, &oracle->c, &oracle->d,
                          &oracle->u,         &oracle->b, &oracle->q, &oracle->state.reference,
                          &oracle->state.kept};
    int good = 1;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        good &= (*vectors[i] = THAW_NEW(double, nv *dim)) != NULL;
    oracle->predicted = THAW_NEW(double, ne);
    oracle->trial = THAW_NEW(unsigned char, ne);
    oracle->root = THAW_NEW(int32_t, nv);
    oracle->partial = THAW_NEW(double, 2 * (size_t)shape->all->chunk_count);
    oracle->state.held = THAW_NEW(double, nv);
    oracle->state.below = THAW_NEW(unsigned char, ne);
    oracle->state.hold = THAW_NEW(unsigned char, ne);
    oracle->state.reason = THAW_NEW(unsigned char, ne);
    oracle->state.rate = THAW_NEW(float, ne);
    oracle->state.predicted = THAW_NEW(float, ne);
    oracle->state.strain = THAW_NEW(ThawLanes, thaw_strain_size(shape->all));
    if (!good || !oracle->predicted || !oracle->trial || !oracle->root || !oracle->partial || !oracle->state.held ||
        !oracle->state.below || !oracle->state.hold || !oracle->state.reason || !oracle->state.rate ||
        !oracle->state.predicted || !oracle->state.strain) {
        thaw_oracle_free(&oracle);
        return thaw_error_memory(error, "the oracle");
    }
    *result = oracle;
    return THAW_OK;
}

void thaw_oracle_free(ThawOracle **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawOracle *oracle = *pointer;
    ThawOracleState *state = &oracle->state;
    void *blocks[] = {oracle->f,       oracle->y,          oracle->c,         oracle->d,     oracle->u,
                      oracle->b,       oracle->q,          oracle->predicted, oracle->trial, oracle->root,
                      oracle->partial, oracle->components, state->below,      state->hold,   state->reason,
                      state->strain,   state->reference,   state->kept,       state->held,   state->rate,
                      state->predicted};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        thaw_free(blocks[i]);
    thaw_solver_free(&oracle->solver);
    thaw_free(oracle);
    *pointer = NULL;
}

ThawOracleState *thaw_oracle_state(ThawOracle *oracle) { return &oracle->state; }

void thaw_oracle_set_options(ThawOracle *oracle, const ThawRigidifyOptions *options) {
    oracle->options = *options;
    oracle->state.quiet = oracle->state.has_reference = 0; // the factor depends on the horizon
}

void thaw_oracle_forget(ThawOracle *oracle, const double *x) {
    thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    oracle->state.quiet = 0;
}

void thaw_oracle_restart(ThawOracle *oracle) {
    memset(oracle->state.below, 0, (size_t)oracle->shape->ne);
    oracle->state.quiet = 0;
}

// --- components and the force that holds them together --------------------------------------------------------------------

static int32_t find_root(int32_t *parent, int32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// root[v] becomes v's component, -1 where no trial element is. Grows the array of components.
static ThawStatus find_components(ThawOracle *oracle, ThawError *error) {
    const ThawShape *shape = oracle->shape;
    int32_t *root = oracle->root, nodes = shape->kind->nodes, count = 0;
    unsigned char *used = (unsigned char *)oracle->q; // scratch of at least nv bytes
    memset(used, 0, (size_t)shape->nv);
    for (int32_t i = 0; i < shape->nv; i++)
        root[i] = i;
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t *vertex = shape->elements + (size_t)e * (size_t)nodes;
        if (!oracle->trial[e])
            continue;
        for (int32_t a = 0; a < nodes; a++) {
            int32_t p = find_root(root, vertex[0]), q = find_root(root, vertex[a]);
            root[p > q ? p : q] = p < q ? p : q;
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
    if (count > oracle->component_capacity) {
        Component *components = THAW_NEW(Component, 2 * (size_t)count);
        if (!components)
            return thaw_error_memory(error, "the oracle's components");
        thaw_free(oracle->components);
        oracle->components = components;
        oracle->component_capacity = 2 * count;
    }
    oracle->component_count = count;
    memset(oracle->components, 0, sizeof(Component) * (size_t)count);
    return THAW_OK;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// x = A^-1 b for a symmetric positive 3x3; the part of b in a direction that A has nothing of is ignored.
static void solve_inertia(const double A[9], const double b[3], double x[3]) {
    double Q[9], l[3], largest = 0;
    thaw_eigen_sym3(A, l, Q);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, l[i]);
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < 3; i++) {
        double along = Q[3 * i] * b[0] + Q[3 * i + 1] * b[1] + Q[3 * i + 2] * b[2];
        if (l[i] > 1e-12 * largest)
            for (int k = 0; k < 3; k++)
                x[k] += Q[k + 3 * i] * along / l[i];
    }
}

// Newton and Euler for one component: what it would do if it were rigid.
static void accelerate(Component *p, int dim) {
    double gyration[3], spin[3];
    for (int i = 0; i < 3; i++)
        spin[i] = p->inertia[i] * p->omega[0] + p->inertia[i + 3] * p->omega[1] + p->inertia[i + 6] * p->omega[2];
    cross(p->omega, spin, gyration);
    for (int k = 0; k < 3; k++)
        p->torque[k] -= gyration[k];
    if (dim == 2)
        p->torque[0] = p->torque[1] = 0;
    double held = 0, axis[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        axis[k] = p->pin[1][k] - p->pin[0][k];
        held += axis[k] * axis[k];
    }
    p->fixed = p->pins > dim - 1;
    if (p->pins == 0)
        for (int k = 0; k < dim; k++)
            p->a[k] = p->force[k] / p->mass;
    if (p->fixed)
        return;
    if (p->pins == 2 && held > 0) { // 3D: spin about the line through them
        double moment = 0, torque = 0;
        for (int i = 0; i < 3; i++) {
            torque += axis[i] * p->torque[i];
            for (int k = 0; k < 3; k++)
                moment += axis[i] * p->inertia[i + 3 * k] * axis[k];
        }
        for (int k = 0; k < 3; k++)
            p->alpha[k] = moment > 0 ? axis[k] * torque / moment : 0;
    } else
        solve_inertia(p->inertia, p->torque, p->alpha);
}

// c on vertices of trial elements, 0 elsewhere: the loads less what rigid motion of each component absorbs.
static ThawStatus constraint_force(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition,
                                   ThawError *error) {
    const ThawShape *shape = oracle->shape;
    int dim = shape->kind->dim;
    double forms[2], *c = oracle->c;
    ThawStatus status = find_components(oracle, error);
    if (status != THAW_OK)
        return status;
    // Velocities as the parts have them: their own strain no rate.
    memcpy(oracle->u, q->v, sizeof(double) * (size_t)shape->nv * (size_t)dim);
    thaw_partition_velocities(partition, oracle->u);
    thaw_force_internal(shape->all, oracle->tasks, q->x, shape->nv, oracle->f, oracle->partial);
    if (shape->all->has_alpha1 && partition->elastic_count > 0)
        thaw_force_product(shape->all, oracle->tasks, q->x, oracle->u, (ThawStiffness){0, 1, 0}, shape->nv, oracle->y,
                           forms, oracle->partial);
    else
        memset(oracle->y, 0, sizeof(double) * (size_t)shape->nv * (size_t)dim);
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * (size_t)dim + (size_t)k;
            c[at] = oracle->root[i] < 0 ? 0
                                        : oracle->f[at] + q->f_ext[at] + q->f_contact[at] - oracle->y[at] -
                                              shape->damping_mass[i] * oracle->u[at];
        }
    // Sums: first the mass centre (or pins), then moments about it.
    for (int32_t i = 0; i < shape->nv; i++) {
        if (oracle->root[i] < 0)
            continue;
        Component *p = &oracle->components[oracle->root[i]];
        p->count++;
        p->mass += shape->mass[i];
        for (int k = 0; k < dim; k++) {
            p->at[k] += shape->mass[i] * q->x[(size_t)i * (size_t)dim + (size_t)k];
            if (q->script[i] && p->pins < 2)
                p->pin[p->pins][k] = q->x[(size_t)i * (size_t)dim + (size_t)k];
        }
        p->pins += q->script[i] != 0;
    }
    for (int32_t k = 0; k < oracle->component_count; k++) {
        Component *p = &oracle->components[k];
        for (int i = 0; i < dim; i++)
            p->at[i] = p->pins > 0 ? p->pin[0][i] : p->at[i] / p->mass;
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        if (oracle->root[i] < 0)
            continue;
        Component *p = &oracle->components[oracle->root[i]];
        double rho[3] = {0, 0, 0}, force[3] = {0, 0, 0}, turn[3], v[3] = {0, 0, 0}, L[3], m = shape->mass[i],
               square = 0;
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * (size_t)dim + (size_t)k;
            rho[k] = q->x[at] - p->at[k];
            force[k] = c[at];
            v[k] = oracle->u[at];
            square += rho[k] * rho[k];
        }
        cross(rho, force, turn);
        cross(rho, v, L);
        for (int k = 0; k < 3; k++) {
            p->force[k] += force[k];
            p->torque[k] += turn[k];
            p->omega[k] += m * L[k]; // angular momentum for now
            for (int l = 0; l < 3; l++)
                p->inertia[k + 3 * l] += m * ((k == l ? square : 0) - rho[k] * rho[l]);
        }
    }
    for (int32_t k = 0; k < oracle->component_count; k++) {
        Component *p = &oracle->components[k];
        double L[3];
        memcpy(L, p->omega, sizeof L);
        solve_inertia(p->inertia, L, p->omega); // exact for free parts: the centre's motion adds nothing about itself
        accelerate(p, dim);
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        if (oracle->root[i] < 0)
            continue;
        const Component *p = &oracle->components[oracle->root[i]];
        double rho[3] = {0, 0, 0}, turn[3], swing[3], centripetal[3];
        for (int k = 0; k < dim; k++)
            rho[k] = q->x[(size_t)i * (size_t)dim + (size_t)k] - p->at[k];
        cross(p->alpha, rho, turn);
        cross(p->omega, rho, swing);
        cross(p->omega, swing, centripetal);
        for (int k = 0; k < dim; k++) {
            double *to = &c[(size_t)i * (size_t)dim + (size_t)k];
            *to = q->script[i] ? 0 : p->fixed ? *to : *to - shape->mass[i] * (p->a[k] + turn[k] + centripetal[k]);
        }
    }
    return THAW_OK;
}

// --- the static answer ----------------------------------------------------------------------------------------------------

// The rotation that takes the reference shape nearest to x (column-major, mass-weighted), both centres, and how far any
// vertex is from where that rotation would have it.
static double compare_shapes(const ThawOracle *oracle, const double *x, double Q[9]) {
    const ThawShape *shape = oracle->shape;
    const double *X = oracle->state.reference;
    int dim = shape->kind->dim;
    double centre[2][3] = {{0}}, H[9] = {0}, U[9], s[3], V[9], worst = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            centre[0][k] += shape->mass[i] * X[(size_t)i * (size_t)dim + (size_t)k] / shape->total_mass;
            centre[1][k] += shape->mass[i] * x[(size_t)i * (size_t)dim + (size_t)k] / shape->total_mass;
        }
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
                H[k + 3 * l] += shape->mass[i] * (x[(size_t)i * (size_t)dim + (size_t)k] - centre[1][k]) *
                                (X[(size_t)i * (size_t)dim + (size_t)l] - centre[0][l]);
    if (dim == 2)
        H[8] = sqrt(H[0] * H[0] + H[1] * H[1] + H[3] * H[3] + H[4] * H[4]); // keeps the plane in the plane
    thaw_svd3(H, U, s, V);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            Q[k + 3 * l] = U[k] * V[l] + U[k + 3] * V[l + 3] + U[k + 6] * V[l + 6];
    for (int32_t i = 0; i < shape->nv; i++) {
        double square = 0;
        for (int k = 0; k < dim; k++) {
            double turned = 0;
            for (int l = 0; l < dim; l++)
                turned += Q[k + 3 * l] * (X[(size_t)i * (size_t)dim + (size_t)l] - centre[0][l]);
            double off = x[(size_t)i * (size_t)dim + (size_t)k] - centre[1][k] - turned;
            square += off * off;
        }
        worst = fmax(worst, square);
    }
    return sqrt(worst);
}

// out_i = Q in_i, or Q' in_i.
static void turn_all(const ThawShape *shape, const double Q[9], int back, const double *in, double *out) {
    int dim = shape->kind->dim;
    for (int32_t i = 0; i < shape->nv; i++) {
        double turned[3] = {0, 0, 0};
        for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
                turned[k] += (back ? Q[l + 3 * k] : Q[k + 3 * l]) * in[(size_t)i * (size_t)dim + (size_t)l];
        memcpy(out + (size_t)i * (size_t)dim, turned, sizeof(double) * (size_t)dim);
    }
}

// Factors M/T^2 + (1 + alpha1/T) K + K_contact for the reference shape: a function of the state alone.
static ThawStatus factor_static(ThawOracle *oracle, const ThawSystem *system, ThawError *error) {
    double T = oracle->options.horizon;
    if (oracle->system != system) {
        thaw_solver_free(&oracle->solver);
        oracle->system = NULL;
        ThawStatus status = thaw_solver_create(system->direct, oracle->tasks, &oracle->solver, error);
        if (status != THAW_OK)
            return status;
        oracle->system = system;
    }
    ThawCombination A = {1 / (T * T), 0, {1, 1 / T, 1}};
    thaw_system_assemble(system, oracle->tasks, A, oracle->state.reference, NULL, oracle->solver, oracle->y,
                         oracle->partial);
    system->map->ops->add_diagonal(system->map, oracle->state.held, 1, thaw_solver_matrix(oracle->solver));
    return thaw_solver_factor(oracle->solver);
}

// The present shape becomes the reference.
static void take_reference(ThawOracle *oracle, const ThawQuestion *q) {
    size_t nv = (size_t)oracle->shape->nv;
    memcpy(oracle->state.reference, q->x, sizeof(double) * nv * (size_t)oracle->shape->kind->dim);
    memset(oracle->state.held, 0, sizeof(double) * nv);
    if (q->k_contact)
        memcpy(oracle->state.held, q->k_contact, sizeof(double) * nv);
    oracle->state.has_reference = 1;
    oracle->state.contacts = q->contacts;
}

void thaw_oracle_drop_factor(ThawOracle *oracle) {
    thaw_solver_free(&oracle->solver);
    oracle->system = NULL;
}

// d and the strain it would cause, from c.
static ThawStatus predict(ThawOracle *oracle, const ThawSystem *system, const ThawQuestion *q, const double Q[9]) {
    const ThawMap *map = system->map;
    ThawSolveInfo info;
    turn_all(oracle->shape, Q, 1, oracle->c, oracle->y);
    map->ops->apply_t(map, oracle->y, oracle->b);
    memset(oracle->q, 0, sizeof(double) * (size_t)map->n * (size_t)oracle->shape->kind->dim);
    ThawStatus status = thaw_solver_solve(oracle->solver, oracle->b, oracle->q, 1e-6, &info);
    if (status != THAW_OK)
        return status;
    map->ops->apply(map, oracle->q, NULL, oracle->y);
    turn_all(oracle->shape, Q, 0, oracle->y, oracle->d);
    thaw_strain_predict(oracle->shape->all, oracle->tasks, NULL, 0, q->x, oracle->d, oracle->predicted);
    return THAW_OK;
}

// --- relaxation -----------------------------------------------------------------------------------------------------------

// Moves the body by a part of d, parts with it; strain rates do not see it.
static double relax(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double largest, double *x) {
    const ThawShape *shape = oracle->shape;
    int dim = shape->kind->dim;
    // Along d, c.d / d'A d of the Newton step is wanted; A d = c holds but for the shape's change since it was factored.
    double gamma = fmin(oracle->options.relax, RELAX_RATE * sqrt(oracle->options.tau_rigid) * q->h / largest),
           moved = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim && !q->script[i]; k++) {
            double step = gamma * oracle->d[(size_t)i * (size_t)dim + (size_t)k];
            x[(size_t)i * (size_t)dim + (size_t)k] += step;
            moved = fmax(moved, fabs(step));
        }
    thaw_partition_reshape(partition, x);
    thaw_strain_compute(shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    return moved;
}

// --- the question ---------------------------------------------------------------------------------------------------------

// Wakes what shares a vertex with a woken element: its vertices are elastic now.
static void dilate(ThawOracle *oracle, unsigned char *flagged, int32_t *woken) {
    const ThawShape *shape = oracle->shape;
    int nodes = shape->kind->nodes;
    unsigned char *touched = (unsigned char *)oracle->b;
    memset(touched, 0, (size_t)shape->nv);
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes && oracle->trial[e] && !flagged[e]; a++)
            touched[shape->elements[(size_t)e * (size_t)nodes + (size_t)a]] = 1;
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes && flagged[e]; a++)
            if (touched[shape->elements[(size_t)e * (size_t)nodes + (size_t)a]]) {
                flagged[e] = 0;
                oracle->state.reason[e] = THAW_REASON_NEIGHBOUR;
                oracle->state.below[e] = 0;
                oracle->state.hold[e] = (unsigned char)oracle->options.hold;
                ++*woken;
            }
}

// What the answer for a wholly rigid body at rest depends on.
static uint64_t hash_question(const ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    size_t bytes = sizeof(double) * (size_t)oracle->shape->nv * (size_t)oracle->shape->kind->dim;
    uint64_t hash = thaw_hash(q->contacts, q->f_ext, bytes);
    hash = thaw_hash(hash, q->f_contact, bytes);
    hash = thaw_hash(hash, q->script, (size_t)oracle->shape->nv);
    for (int32_t k = 0; k < partition->part_count; k++)
        if (partition->parts[k].hold != THAW_HOLD_FIXED)
            hash = thaw_hash(hash, partition->parts[k].p, sizeof(double) * 18); // p, R, P, L
    return hash;
}

ThawStatus thaw_oracle_ask(ThawOracle *oracle, const ThawSystem *system, const ThawQuestion *question,
                           ThawPartition *partition, double *x, unsigned char *flagged, ThawAnswer *answer,
                           ThawError *error) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    int dim = shape->kind->dim;
    size_t coordinates = (size_t)shape->nv * (size_t)dim;
    *answer = (ThawAnswer){0};
    int32_t rigid = 0, pending = 0;
    for (int32_t e = 0; e < shape->ne; e++) {
        int is_rigid = partition->part_of_element[e] >= 0;
        int candidate = !is_rigid && state->below[e] >= oracle->options.frame_count && state->hold[e] == 0;
        oracle->trial[e] = is_rigid || candidate;
        flagged[e] = oracle->trial[e];
        rigid += is_rigid;
        pending += candidate;
    }
    answer->candidates = pending;
    if (rigid + pending == 0 || system->map->n == 0)
        return THAW_OK; // nothing to ask: all is elastic, or nothing is free
    uint64_t asked = rigid == shape->ne ? hash_question(oracle, question, partition) : 0;
    if (state->quiet && rigid == shape->ne && asked == state->question)
        return THAW_OK;
    ThawStatus status = constraint_force(oracle, question, partition, error);
    if (status != THAW_OK)
        return status;

    double Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int stale = !state->has_reference || compare_shapes(oracle, question->x, Q) > SHAPE_DRIFT * shape->diameter ||
                (rigid == shape->ne && state->contacts != question->contacts);
    if (state->quiet && !stale && rigid == shape->ne) {
        double change = 0;
        turn_all(shape, Q, 1, oracle->c, oracle->y);
        for (size_t i = 0; i < coordinates; i++)
            change = fmax(change, fabs(oracle->y[i] - state->kept[i]) / shape->mass[i / (size_t)dim]);
        if (change < QUIET_CHANGE) {
            state->question = asked;
            return THAW_OK;
        }
    }
    answer->asked = 1;
    state->quiet = 0;
    if (stale)
        take_reference(oracle, question);
    if (stale || oracle->system != system) {
        status = factor_static(oracle, system, error);
        if (status != THAW_OK)
            return status;
    }
    if (stale) {
        memcpy(Q, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof Q);
    }
    status = predict(oracle, system, question, Q);
    if (status != THAW_OK)
        return status;
    for (int32_t e = 0; e < shape->ne; e++) {
        state->predicted[e] = (float)oracle->predicted[e];
        if (!oracle->trial[e])
            continue;
        if (oracle->predicted[e] > oracle->options.epsilon) {
            flagged[e] = 0;
            if (partition->part_of_element[e] >= 0) {
                answer->woken++;
                state->hold[e] = (unsigned char)oracle->options.hold;
            } else
                answer->vetoed++;
            state->below[e] = 0;
            state->reason[e] = THAW_REASON_STRAIN;
        } else
            answer->largest = fmax(answer->largest, oracle->predicted[e]);
    }
    if (answer->woken > 0)
        dilate(oracle, flagged, &answer->woken);
    else if (answer->largest > RELAX_FLOOR * oracle->options.epsilon && oracle->options.relax > 0)
        answer->moved = relax(oracle, question, partition, answer->largest, x);
    else if (rigid == shape->ne) {
        state->quiet = 1;
        state->question = asked;
        turn_all(shape, Q, 1, oracle->c, state->kept);
    }
    return THAW_OK;
}

void thaw_oracle_observe(ThawOracle *oracle, const ThawPartition *partition, const double *x, double h) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    if (partition->elastic_count == 0)
        return; // strains of parts do not change
    thaw_strain_rate(shape->all, oracle->tasks, NULL, 0, x, h, state->strain, oracle->predicted);
    for (int32_t e = 0; e < shape->ne; e++) {
        if (partition->part_of_element[e] >= 0)
            continue;
        int slow = oracle->predicted[e] < oracle->options.tau_rigid;
        state->rate[e] = (float)oracle->predicted[e];
        if (state->hold[e] > 0)
            state->hold[e]--;
        if (!slow)
            state->reason[e] = THAW_REASON_RATE;
        state->below[e] = slow ? (unsigned char)(state->below[e] < 255 ? state->below[e] + 1 : 255) : 0;
    }
}
