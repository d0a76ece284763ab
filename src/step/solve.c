// SPDX-License-Identifier: Apache-2.0
// One implicit step of one body, in the unknowns q of its map (v = Gq + w).
//
// Semi-implicit (solids paper, equation 5, with the erratum D = -alpha0 M + alpha1 K): adding A v0 to both sides leaves
//     A v1 = M v0 + h (f(x0) + f_ext),   A = M + h alpha0 M + sum_e (h^2 + h alpha1_e) K_e(x0),
// so no product with the old velocity is needed; with v1 = Gq + w it becomes G'AG q = G'(M v0 + h (f + f_ext) - A w).
//
// Newton (shells paper, section 3.3) minimises the incremental potential
//     Q(v) = 1/2 (v-v0)'M(v-v0) + h/2 v'(alpha0 M + D(x0)) v + Psi(x0 + h v) - h v'f_ext,   D(x0) = sum_e alpha1_e K_e(x0),
// whose first linearisation at x0 is the semi-implicit step. Damping keeps the stiffness of the start of the step: so it
// has a potential. Each direction is followed by an Armijo line search. A static solve is the same without mass, h = 1.
#include <math.h>
#include <string.h>

#include "step/step.h"

static void lap(ThawStepper *s, ThawStage stage, double *since) {
    double now = thaw_wall_ms();
    s->ms[stage] += now - *since;
    *since = now;
}

static double norm(const double *a, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static size_t unknowns(const ThawStepper *s) { return (size_t)s->system->map->n * (size_t)s->model->dim; }

static size_t coordinates(const ThawStepper *s) { return (size_t)s->shape->nv * (size_t)s->model->dim; }

// |G'f|, through the scratch vector p.
static double reduced_norm(ThawStepper *s, const double *f) {
    s->system->map->ops->apply_t(s->system->map, f, s->p);
    return norm(s->p, unknowns(s));
}

static ThawCombination combination_of(const ThawStepper *s, ThawIncrement step) {
    double h = step.h;
    return (ThawCombination){step.mass, step.mass * h, {h * h, step.mass * h, s->project}};
}

static ThawStatus assemble(ThawStepper *s, ThawCombination combination, const double *x, const double *start) {
    double since = thaw_wall_ms();
    ThawStatus status = thaw_system_assemble(s->system, s->tasks, combination, x, start, s->solver, s->f, s->partial);
    lap(s, THAW_STAGE_ASSEMBLE, &since);
    return status;
}

static ThawStatus factor_and_solve(ThawStepper *s, const double *b, double *x, double tolerance) {
    double since = thaw_wall_ms();
    ThawStatus status = thaw_solver_factor(s->solver);
    lap(s, THAW_STAGE_FACTOR, &since);
    ThawSolveInfo info = {0};
    if (status == THAW_OK)
        status = thaw_solver_solve(s->solver, b, x, tolerance, &info);
    s->solver_iterations += info.iterations;
    lap(s, THAW_STAGE_SOLVE, &since);
    return status;
}

// b = G'(M v0 + h (f + f_ext) - A w), with f and A at x0.
static void right_hand_side(ThawStepper *s, ThawIncrement step) {
    int dim = s->model->dim;
    double h = step.h, forms[2];
    if (s->offset_moves) {
        double since = thaw_wall_ms();
        thaw_force_product(s->system->map->set, s->tasks, s->x, s->w, combination_of(s, step).element, s->shape->nv,
                           s->u, forms, s->partial);
        lap(s, THAW_STAGE_FORCE, &since);
    }
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double m = step.mass * s->shape->mass[i], md = m + step.mass * h * s->shape->damping_mass[i];
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * dim + k;
            s->y[at] = m * s->v[at] + h * (s->f[at] + s->f_ext[at]);
            if (s->offset_moves)
                s->y[at] -= md * s->w[at] + s->u[at];
        }
    }
    s->system->map->ops->apply_t(s->system->map, s->y, s->b);
}

// Solves the system linearised at x0 for q. With loads in balance b is nothing but rounding; then a residual far below
// what the loads themselves would leave is good enough.
static ThawStatus solve_linearised(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    right_hand_side(s, step);
    double loads = 1e-3 * step.h * reduced_norm(s, s->f_ext), size = norm(s->b, unknowns(s));
    double tolerance = s->model->options.solver_tolerance;
    if (size > 0 && loads > size)
        tolerance = fmin(0.1, tolerance * loads / size);
    if (step.mass > 0)
        map->ops->project(map, s->w, s->v, s->q);
    else
        memset(s->q, 0, sizeof *s->q * unknowns(s));
    s->newton_iterations++;
    return factor_and_solve(s, s->b, s->q, tolerance);
}

static ThawStatus solve_semi_implicit(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    ThawStatus status = assemble(s, combination_of(s, step), s->x, NULL);
    if (status == THAW_OK)
        status = solve_linearised(s, step);
    if (status != THAW_OK)
        return status;
    double since = thaw_wall_ms();
    map->ops->apply(map, s->q, s->w, s->v1);
    map->ops->advance(map, step.h, s->x, s->q, s->v1, s->x1);
    lap(s, THAW_STAGE_ADVANCE, &since);
    return THAW_OK;
}

// --- Newton -------------------------------------------------------------------------------------------------------------

// Q at q + alpha p, leaving that point in trial_q, y (velocities) and x1. *size: the sum of its terms' magnitudes.
static double potential(ThawStepper *s, ThawIncrement step, double alpha, double *size) {
    const ThawMap *map = s->system->map;
    int dim = s->model->dim;
    size_t n = unknowns(s);
    for (size_t i = 0; i < n; i++)
        s->trial_q[i] = s->q[i] + alpha * s->p[i];
    map->ops->apply(map, s->trial_q, s->w, s->y);
    map->ops->advance(map, step.h, s->x, s->trial_q, s->y, s->x1);
    double inertia = 0, loss = 0, work = 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * dim + k;
            double v = s->y[at], dv = v - s->v[at];
            inertia += s->shape->mass[i] * dv * dv;
            loss += s->shape->damping_mass[i] * v * v;
            work += v * s->f_ext[at];
        }
    double damping = 0;
    if (s->damping && step.mass > 0)
        for (size_t i = 0; i < coordinates(s); i++)
            damping += s->y[i] * (s->d[i] + alpha * s->dp[i]);
    double since = thaw_wall_ms();
    double elastic = thaw_force_energy(map->set, s->tasks, s->x1, s->partial);
    lap(s, THAW_STAGE_FORCE, &since);
    double kinetic = step.mass * (inertia + step.h * loss) / 2 + damping / 2;
    *size = fabs(kinetic) + fabs(elastic) + fabs(step.h * work);
    return kinetic + elastic - step.h * work;
}

// r = G' dQ/dv at the present v1 and x1, into b with its sign turned. f is f(x1).
static ThawStatus residual(ThawStepper *s, ThawIncrement step) {
    int dim = s->model->dim;
    double since = thaw_wall_ms();
    ThawStatus status = thaw_force_internal(s->system->map->set, s->tasks, s->x1, s->shape->nv, s->f, s->partial);
    lap(s, THAW_STAGE_FORCE, &since);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double m = step.mass * s->shape->mass[i], md = step.mass * step.h * s->shape->damping_mass[i];
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * dim + k;
            s->y[at] = step.h * (s->f[at] + s->f_ext[at]) - m * (s->v1[at] - s->v[at]) - md * s->v1[at];
            if (s->damping && step.mass > 0)
                s->y[at] -= s->d[at];
        }
    }
    s->system->map->ops->apply_t(s->system->map, s->y, s->b);
    return status;
}

// u = h D(x0) a, matrix-free.
static void damping_product(ThawStepper *s, ThawIncrement step, const double *a, double *u) {
    double forms[2], since = thaw_wall_ms();
    thaw_force_product(s->system->map->set, s->tasks, s->x, a, (ThawStiffness){0, step.h, s->project}, s->shape->nv, u,
                       forms, s->partial);
    lap(s, THAW_STAGE_FORCE, &since);
}

// Armijo: halves alpha until Q falls by a fair part of what its slope promises. A fall that drowns in rounding counts as
// one (*drowned). Moves q, v1, x1 and d to the accepted point; THAW_NOT_CONVERGED if there is none. *full: alpha is 1.
static ThawStatus line_search(ThawStepper *s, ThawIncrement step, double slope, double *Q, int *drowned, int *full) {
    size_t n = unknowns(s), nc = coordinates(s);
    double size;
    for (double alpha = 1; alpha > 1e-10; alpha /= 2) {
        double trial = potential(s, step, alpha, &size), rounding = 1e-13 * size + s->energy_rounding;
        if (!isfinite(trial) || trial > *Q + 1e-4 * alpha * slope + rounding)
            continue;
        *drowned = fabs(slope) <= rounding;
        *full = alpha == 1;
        *Q = trial;
        memcpy(s->q, s->trial_q, sizeof *s->q * n);
        memcpy(s->v1, s->y, sizeof *s->v1 * nc);
        for (size_t i = 0; s->damping && i < nc; i++)
            s->d[i] += alpha * s->dp[i];
        return THAW_OK;
    }
    return THAW_NOT_CONVERGED;
}

// p = A(x1)^-1 b. A matrix that turns out indefinite is projected, if that is allowed.
static ThawStatus newton_direction(ThawStepper *s, ThawCombination *combination, const double *start,
                                   double tolerance) {
    for (;;) {
        ThawStatus status = assemble(s, *combination, s->x1, start);
        memset(s->p, 0, sizeof *s->p * unknowns(s));
        if (status == THAW_OK)
            status = factor_and_solve(s, s->b, s->p, tolerance);
        if (status != THAW_INDEFINITE || combination->element.project ||
            s->model->options.projection != THAW_PROJECT_WHEN_NEEDED)
            return status;
        combination->element.project = s->projected = 1;
    }
}

static ThawStatus solve_newton(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    const ThawWorldDef *options = &s->model->options;
    size_t n = unknowns(s);
    ThawCombination combination = combination_of(s, step);
    const double *start = NULL;
    ThawStatus status = THAW_OK;
    if (s->damping && step.mass > 0) { // keep h D(x0) for all iterations
        status = assemble(s, (ThawCombination){0, 0, {0, step.h, s->project}}, s->x, NULL);
        ThawBlockMatrix *A = thaw_solver_matrix(s->solver);
        memcpy(s->damping, A->value,
               sizeof(double) * (size_t)A->pattern->row[A->pattern->n] * (size_t)(A->pattern->bs * A->pattern->bs));
        start = s->damping;
        combination.element.damping = 0;
    }
    if (status == THAW_OK)
        status = assemble(s, combination, s->x, start);
    if (status == THAW_OK)
        status = solve_linearised(s, step);
    if (status != THAW_OK)
        return status;

    // The first direction leads from v = w to the semi-implicit step.
    double goal = options->newton_tolerance * step.h * (reduced_norm(s, s->f_ext) + reduced_norm(s, s->f));
    map->ops->apply_t(map, s->v, s->p);
    goal += 1e-13 * step.mass * norm(s->p, n) * s->shape->total_mass / s->shape->nv;
    memcpy(s->p, s->q, sizeof *s->p * n);
    memset(s->q, 0, sizeof *s->q * n);
    if (start) {
        damping_product(s, step, s->w, s->d);
        map->ops->apply(map, s->p, NULL, s->u);
        damping_product(s, step, s->u, s->dp);
    }
    double size, Q = potential(s, step, 0, &size), slope = -dot(s->b, s->p, n), before = INFINITY;
    for (int iteration = 1;; iteration++) {
        int drowned, full;
        status = line_search(s, step, slope, &Q, &drowned, &full);
        if (status == THAW_NOT_CONVERGED && iteration == 1 && isfinite(Q)) {
            // The slope was that of the linearisation at x0, which says little where w leads far away: go on from v = w.
            potential(s, step, 0, &size);
            memcpy(s->v1, s->y, sizeof *s->v1 * coordinates(s));
            drowned = full = 0;
            status = THAW_OK;
        }
        if (status == THAW_OK)
            status = residual(s, step);
        if (status != THAW_OK)
            return status;
        double r = norm(s->b, n);
        if (r <= goal || (drowned && r > before / 2)) // as good as rounding allows
            return THAW_OK;
        if (iteration >= step.iterations)
            return THAW_NOT_CONVERGED;
        // Solve no more exactly than the iteration can use (Eisenstat and Walker 1996, choice 2).
        double forcing = isfinite(before) ? fmin(1e-2, 0.9 * r * r / (before * before)) : 1e-2;
        before = r;
        if (full) // projected stiffness converges but slowly: try without it again
            combination.element.project = options->projection == THAW_PROJECT_ALWAYS;
        status = newton_direction(s, &combination, start, fmax(options->solver_tolerance, forcing));
        if (status != THAW_OK)
            return status;
        s->newton_iterations++;
        if (start) {
            map->ops->apply(map, s->p, NULL, s->u);
            damping_product(s, step, s->u, s->dp);
        }
        slope = -dot(s->b, s->p, n);
    }
}

// --- the step -----------------------------------------------------------------------------------------------------------

// Whether x1, v1 can be gone on from: finite, and no element inverted where that has no energy.
static ThawStatus check_result(ThawStepper *s) {
    double sum = 0;
    for (size_t i = 0; i < coordinates(s); i++)
        sum += s->x1[i] * 0 + s->v1[i] * 0; // NaN if any is not finite
    if (sum != 0)
        return THAW_DIVERGED;
    const ThawIntegrationSet *set = s->system->map->set;
    if (set->needs_orientation && !isfinite(thaw_force_energy(set, s->tasks, s->x1, s->partial)))
        return THAW_INVERTED;
    return THAW_OK;
}

// Whether the body stands still, nothing pushes it, and its elastic forces are no more than what rounding its positions
// makes of none: then it keeps its bits, and costs no more than f(x0), which is left in f. A load, however small, counts:
// it may add up over many steps.
static int is_at_rest(ThawStepper *s, ThawIncrement step) {
    int dim = s->model->dim;
    double farthest = 0;
    if (step.mass == 0 || s->offset_moves)
        return 0;
    for (size_t i = 0; i < coordinates(s); i++) {
        if (s->v[i] != 0 || (s->f_ext[i] != 0 && !s->scripted[i / (size_t)dim]))
            return 0;
        farthest = fmax(farthest, fabs(s->x[i]));
    }
    if (thaw_force_internal(s->system->map->set, s->tasks, s->x, s->shape->nv, s->f, s->partial) != THAW_OK)
        return 0;
    for (size_t i = 0; i < coordinates(s); i++) {
        size_t vertex = i / (size_t)dim;
        if (!s->scripted[vertex] && !(fabs(s->f[i]) <= 16 * farthest * s->force_rounding[vertex]))
            return 0;
    }
    return 1;
}

ThawStatus thaw_step_solve(ThawStepper *s, ThawIncrement step) {
    ThawProjection projection = s->model->options.projection;
    thaw_loads_evaluate(s, step);
    if (s->system->map->n == 0) { // everything follows a script
        memcpy(s->v1, s->w, sizeof *s->v1 * coordinates(s));
        s->system->map->ops->advance(s->system->map, step.h, s->x, s->q, s->v1, s->x1);
        thaw_force_internal(s->system->map->set, s->tasks, step.newton ? s->x1 : s->x, s->shape->nv, s->f, s->partial);
        return check_result(s);
    }
    s->project = projection == THAW_PROJECT_ALWAYS;
    if (is_at_rest(s, step)) {
        memset(s->v1, 0, sizeof *s->v1 * coordinates(s));
        memcpy(s->x1, s->x, sizeof *s->x1 * coordinates(s));
        return THAW_OK;
    }
    ThawStatus status = step.newton ? solve_newton(s, step) : solve_semi_implicit(s, step);
    if (status == THAW_INDEFINITE && !s->project && projection == THAW_PROJECT_WHEN_NEEDED) {
        s->project = s->projected = 1;
        status = step.newton ? solve_newton(s, step) : solve_semi_implicit(s, step);
    }
    return status == THAW_OK ? check_result(s) : status;
}
