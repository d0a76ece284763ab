// SPDX-License-Identifier: Apache-2.0
// What is small, and what is slow, for a body: its lowest elastic mode tells both. Its frequency says how long a load
// takes to do what it does, and how fast a strain must change to matter; its shape says how far the body bends for a
// strain, which grows with slenderness. Both follow the body through any change of size, stiffness and density.
//
// The mode is found by inverse iteration, (K + s M) y = M d, for the rest shape with the pins the body starts with. The
// shift s is far below the mode and only keeps the matrix positive for bodies that are free; their rigid motions are
// taken off after each solve, as the nearest rigid motion by mass that the pins allow (map/rigid/part.c). A factor and
// a dozen solves, once for bodies that agree in shape and pins.
//
// A sheet is held in shape by loads as much as by its own stiffness: cloth that hangs or lies swings as a pendulum of
// its size does, however soft it bends. So to omega^2 of a sheet g over its diameter is added.
//
// What a body bears makes it slower, and what it is glued to or stands on bends it otherwise: masses and springs of a
// burden are as good as its own, and vertices that springs hold as good as pinned.
#include "oracle/scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "force/strain.h"
#include "map/rigid/partition.h"
#include "model/sheet.h"

enum { ITERATIONS = 12 };
static const double SHIFT = 1e-5;   // of (wave speed / diameter)^2
static const double SLOWEST = 1e-4; // of wave speed / diameter: a body in pieces has no lowest elastic mode of its own
static const double DIGITS = 1e-12; // of (wave speed / diameter)^2 a vertex: a smaller shift is lost in rounding

// What the tolerance stands for (measured in docs/rigidification.md).
static const double RATE = 2;               // strains that change by less than RATE epsilon in the body's time are slow
static const double REST = 0.1;             // of the tolerance: what moves by less in that time, and in a second, rests
static const double STEPS = 10, DAMPED = 5; // the body's time is at least so many steps, and so many times alpha1

typedef struct Mode {
    const ThawSystem *system;
    const ThawBurden *burden; // or NULL
    ThawShape shape;          // the system's, with the burden's masses
    ThawTasks *tasks;
    ThawSolver *solver;
    int32_t *vertices; // all, those of a piece one after the other
    int32_t *piece;    // pieces + 1, where each begins in there
    int32_t pieces;
    double *d, *y, *r; // over vertices
    double *b, *q;     // over unknowns
    double *strain;    // ne
    double *partial;
    double *mass;        // nv, the shape's and the burden's
    unsigned char *held; // nv: by a pin or the burden's springs
} Mode;

static double inner(const ThawShape *shape, const double *a, const double *b) {
    size_t dim = (size_t)shape->dim;
    double sum = 0;
    for (size_t i = 0; i < (size_t)shape->nv * dim; i++)
        sum += shape->mass[i / dim] * a[i] * b[i];
    return sum;
}

// Takes the rigid motion off d, as far as pins allow one; of each piece its own, for pieces move apart without strain.
static void take_rigid_off(Mode *m) {
    const ThawShape *shape = &m->shape;
    for (int32_t p = 0; p < m->pieces; p++) {
        const int32_t *vertices = m->vertices + m->piece[p], count = m->piece[p + 1] - m->piece[p];
        ThawPart part = {.count = count, .elements = shape->ne};
        for (int32_t i = 0; i < count; i++)
            part.pins += m->held[vertices[i]] != 0;
        thaw_part_form(shape, vertices, m->held, shape->X, m->d, &part, m->r);
        thaw_part_take_off(shape, vertices, m->held, m->r, &part, m->d);
    }
}

// Vertices by the piece that they are of, in the order of their lowest ones.
static void find_pieces(Mode *m, int32_t *root) {
    const ThawShape *shape = m->system->shape;
    const int nodes = shape->cells->kind->nodes;
    for (int32_t i = 0; i < shape->nv; i++)
        root[i] = i;
    for (int32_t e = 0; e < shape->ne; e++)
        for (int k = 1; k < nodes; k++)
            thaw_forest_join(root, shape->cells->elements[(size_t)e * (size_t)nodes],
                             shape->cells->elements[(size_t)e * (size_t)nodes + (size_t)k]);
    for (int32_t i = 0; i < shape->nv; i++)
        root[i] = thaw_forest_root(root, i);
    for (int32_t i = 0; i < shape->nv; i++) // from here on: the number of its piece
        root[i] = root[i] == i ? m->pieces++ : root[root[i]];
    for (int32_t i = 0; i < shape->nv; i++)
        m->piece[root[i] + 1]++;
    for (int32_t p = 0; p < m->pieces; p++)
        m->piece[p + 1] += m->piece[p];
    for (int32_t i = 0; i < shape->nv; i++)
        m->vertices[m->piece[root[i]]++] = i;
    for (int32_t p = m->pieces; p > 0; p--)
        m->piece[p] = m->piece[p - 1];
    m->piece[0] = 0;
}

// d of unit mass.
static int normalise(Mode *m) {
    const ThawShape *shape = &m->shape;
    double size = sqrt(inner(shape, m->d, m->d));
    for (size_t i = 0; size > 0 && i < (size_t)shape->nv * (size_t)shape->dim; i++)
        m->d[i] /= size;
    return size > 0 && isfinite(size);
}

// Some of every mode, and most of the lowest where pins hold the body: a push to all sides, with the same noise for
// bodies that differ in scale only.
static void begin(Mode *m) {
    const ThawShape *shape = m->system->shape;
    int dim = shape->dim;
    uint32_t seed = 1;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            seed = seed * 1664525u + 1013904223u;
            m->d[(size_t)i * (size_t)dim + (size_t)k] = m->held[i] ? 0 : 0.5 + (double)(seed >> 8) / (1 << 24);
        }
}

// omega^2 of the lowest mode, which is left in d; 0 if there is none.
static ThawStatus iterate(Mode *m, double shift, double *square) {
    const ThawMap *map = m->system->map;
    const ThawShape *shape = &m->shape;
    size_t dim = (size_t)shape->dim;
    ThawSolveInfo info;
    begin(m);
    for (int i = 0; i < ITERATIONS; i++) {
        take_rigid_off(m);
        if (!normalise(m))
            return THAW_OK;
        for (size_t k = 0; k < (size_t)shape->nv * dim; k++)
            m->y[k] = shape->mass[k / dim] * m->d[k];
        map->ops->apply_t(map, m->y, m->b);
        memset(m->q, 0, sizeof *m->q * (size_t)map->n * dim);
        ThawStatus status = thaw_solver_solve(m->solver, m->b, m->q, 1e-10, &info);
        if (status != THAW_OK)
            return status;
        map->ops->apply(map, m->q, NULL, m->y);
        double gain = inner(shape, m->d, m->y); // 1 / (omega^2 + shift)
        *square = gain > 0 ? fmax(0, 1 / gain - shift) : 0;
        memcpy(m->d, m->y, sizeof *m->d * (size_t)shape->nv * dim);
    }
    take_rigid_off(m);
    normalise(m);
    return THAW_OK;
}

// The largest displacement over the diameter, by the mean strain (root of its mean square over the volume).
static double lever_of(Mode *m) {
    const ThawShape *shape = m->system->shape;
    int dim = shape->dim, points = shape->cells->kind->points;
    double largest = 0, sum = 0, volume = 0;
    for (int32_t i = 0; i < shape->nv; i++) {
        double square = 0;
        for (int k = 0; k < dim; k++)
            square += m->d[(size_t)i * (size_t)dim + (size_t)k] * m->d[(size_t)i * (size_t)dim + (size_t)k];
        largest = fmax(largest, square);
    }
    thaw_strain_predict(shape->all, m->tasks, NULL, 0, shape->X, m->d, m->strain);
    for (int32_t e = 0; e < shape->ne; e++) {
        double V = shape->cells->weight[(size_t)e * (size_t)points];
        sum += V * m->strain[e] * m->strain[e];
        volume += V;
    }
    return sum > 0 ? sqrt(largest) / shape->diameter / sqrt(sum / volume) : 0;
}

// The burden's springs, and its masses by the shift.
static void add_burden(const Mode *m, double shift, ThawBlockMatrix *A) {
    const ThawMap *map = m->system->map;
    const size_t bs = (size_t)A->pattern->bs;
    for (int32_t i = 0; i < m->shape.nv; i++) {
        int32_t block[1]; // the map is the identity
        double matrix[1][9];
        if (map->ops->rows(map, i, block, matrix) == 0)
            continue;
        double *to = A->value + (size_t)(A->pattern->row[block[0] + 1] - 1) * bs * bs;
        for (size_t k = 0; k < bs; k++)
            to[k * (bs + 1)] += m->burden->hold[i] + shift * m->burden->mass[i];
    }
}

// Which vertices count as held, and the masses.
static void take_up(Mode *m) {
    m->shape = *m->system->shape;
    memcpy(m->mass, m->shape.mass, sizeof *m->mass * (size_t)m->shape.nv);
    m->shape.mass = m->mass;
    for (int32_t i = 0; i < m->shape.nv; i++) {
        m->held[i] = m->system->scripted[i] != 0 || (m->burden && m->burden->hold[i] > 0);
        m->mass[i] += m->burden ? m->burden->mass[i] : 0;
        m->shape.total_mass += m->burden ? m->burden->mass[i] : 0;
    }
}

// By how much slower than a solid of its diameter it bends.
static double slenderness(const ThawShape *shape) { return fmin(1, shape->gauge / shape->diameter); }

static ThawStatus find(Mode *m, double gravity, ThawScale *scale, ThawError *error) {
    const ThawShape *shape = m->system->shape;
    size_t dim = (size_t)shape->dim, n = (size_t)m->system->map->n * dim, count = (size_t)shape->nv * dim;
    double slowest = INFINITY; // wave speed
    for (int32_t e = 0; e < shape->ne; e++) {
        const ThawMaterial *material = &shape->materials[shape->cells->material[e]];
        const double factor = shape->cells->factor ? shape->cells->factor[e] : 1;
        slowest = fmin(slowest, sqrt(factor * material->young / material->density));
        scale->alpha1 = fmax(scale->alpha1, material->alpha1);
    }
    slowest /= shape->diameter;
    m->vertices = THAW_NEW(int32_t, shape->nv);
    m->piece = THAW_NEW(int32_t, (size_t)shape->nv + 1);
    int32_t *root = THAW_NEW(int32_t, shape->nv);
    m->d = THAW_NEW(double, count);
    m->y = THAW_NEW(double, count);
    m->r = THAW_NEW(double, count);
    m->b = THAW_NEW(double, n);
    m->q = THAW_NEW(double, n);
    m->strain = THAW_NEW(double, shape->ne);
    m->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(shape));
    m->mass = THAW_NEW(double, shape->nv);
    m->held = THAW_NEW(unsigned char, shape->nv);
    if (m->vertices && m->piece && root)
        find_pieces(m, root);
    thaw_free(root);
    if (!m->pieces || !m->d || !m->y || !m->r || !m->b || !m->q || !m->strain || !m->partial || !m->mass || !m->held)
        return thaw_error_memory(error, "a body's lowest mode");
    take_up(m);
    ThawStatus status = thaw_solver_create(m->system->direct, m->tasks, &m->solver, error);
    const double slender = slenderness(shape);
    double square = 0,
           shift = slowest * slowest * fmax(SHIFT * slender * slender, slender < 1 ? DIGITS * shape->nv : 0);
    if (status == THAW_OK)
        status = thaw_system_assemble(m->system, m->tasks,
                                      (ThawCombination){shift, 0, {1, 0, thaw_shape_is_sheet(shape)}, 0, NULL},
                                      shape->X, NULL, m->solver, m->y, m->partial); // projected: pressure is left out
    if (status == THAW_OK && m->burden)
        add_burden(m, shift, thaw_solver_matrix(m->solver));
    if (status == THAW_OK)
        status = thaw_solver_factor(m->solver);
    if (status == THAW_OK)
        status = iterate(m, shift, &square);
    if (status == THAW_OK && square > 0) {
        scale->omega = fmax(sqrt(square), SLOWEST * slender * slowest);
        if (thaw_shape_is_sheet(shape))
            scale->omega = sqrt(scale->omega * scale->omega + gravity / shape->diameter);
        scale->lever = lever_of(m);
        scale->alone = scale->omega;
        scale->soft = scale->omega * scale->omega * scale->lever * m->shape.total_mass / shape->total_mass;
    }
    return status;
}

ThawStatus thaw_scale_find(const ThawSystem *system, const ThawBurden *burden, double gravity, ThawTasks *tasks,
                           ThawScale *scale, ThawError *error) {
    Mode mode = {.system = system, .burden = burden, .tasks = tasks};
    *scale = (ThawScale){.known = 1};
    if (system->map->n == 0) // nothing of it is free
        return THAW_OK;
    ThawStatus status = find(&mode, gravity, scale, error);
    void *blocks[] = {mode.vertices, mode.piece,  mode.d,       mode.y,    mode.r,   mode.b,
                      mode.q,        mode.strain, mode.partial, mode.mass, mode.held};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        thaw_free(blocks[i]);
    thaw_solver_free(&mode.solver);
    scale->known = status == THAW_OK;
    return status;
}

ThawRigidifyOptions thaw_scale_options(const ThawScale *scale, const ThawRigidifyOptions *options, double h) {
    ThawRigidifyOptions o = *options;
    // The time in which loads take effect: a period, or a few times alpha1 where damping rules; but at least some
    // steps.
    double time = fmax(STEPS * h, fmax(DAMPED * scale->alpha1, scale->omega > 0 ? 2 * M_PI / scale->omega : 0));
    double strain = o.tolerance / (scale->lever > 0 ? scale->lever : 1);
    if (o.epsilon == 0)
        o.epsilon = strain;
    if (o.tau_rigid == 0)
        o.tau_rigid = RATE * RATE * strain * strain / (time * time);
    if (o.tau_elastic == 0)
        o.tau_elastic = 100 * o.tau_rigid;
    if (o.horizon == 0)
        o.horizon = time;
    if (o.sleep_speed == 0)
        o.sleep_speed = REST * o.tolerance / fmax(time, THAW_SECOND);
    return o;
}
