// SPDX-License-Identifier: Apache-2.0
// One body in the implicit step of its island, in the unknowns q of its map (v = Gq + w).
//
// Semi-implicit (solids paper, equation 5, with the erratum D = -alpha0 M + alpha1 K): adding A v0 to both sides leaves
//     A v1 = M v0 + h (f(x0) + f_ext),   A = M + h alpha0 M + sum_e (h^2 + h alpha1_e) K_e(x0),
// so no product with the old velocity is needed; with v1 = Gq + w it becomes G'AG q = G'(M v0 + h (f + f_ext) - A w).
//
// Newton (shells paper, section 3.3) minimises the incremental potential
//     Q(v) = 1/2 (v-v0)'M(v-v0) + h/2 v'(alpha0 M + D(x0)) v + Psi(x0 + h v) - h v'f_ext,   D(x0) = sum_e alpha1_e
//     K_e(x0),
// whose first linearisation at x0 is the semi-implicit step. Damping keeps the stiffness of the start of the step: so
// it has a potential. A static solve is the same without mass, h = 1. Contact impulses J'lambda are constant forces to
// a body; island.c finds them.
//
// Rigid parts in Newton: v0 is that of their momenta, x1 where they turn to by a finite rotation, and forces pull on
// them there, by dx1/dq. The matrix stays that of G at the start: it is positive, so it descends, and it is off by as
// much as a part turns in the step only.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "step/body.h"

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
    const double h = step.h, stiff = h * h * (1 + s->system->map->beyond);
    return (ThawCombination){
        step.mass, step.mass * h, {stiff, step.mass * h, s->project}, step.newton ? 0 : h * h, s->inertia};
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
        status = thaw_solver_solve(s->solver, b, x, tolerance, thaw_solver_ldl(s->solver) ? NULL : &info);
    s->solver_iterations += info.iterations;
    lap(s, THAW_STAGE_SOLVE, &since);
    return status;
}

// b = G'(M v0 + h (f + f_ext) - A w), with f and A at x0. Of frames it is their own momentum, not their vertices', and
// their neighbours' stiffness sees the chords of their paths.
static void right_hand_side(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    const ThawInertiaOps *inertia = s->inertia->ops;
    int moves = s->offset_moves || (map->frame_count > 0 && map->set->element_count > 0);
    double h = step.h, forms[2];
    if (moves) {
        double since = thaw_wall_ms();
        memcpy(s->before, s->w, sizeof *s->w * coordinates(s));
        if (map->frame_count > 0)
            map->ops->chord(map, h, s->before);
        thaw_force_product(map->set, s->tasks, s->x, s->before, combination_of(s, step).element, s->shape->nv, s->u,
                           forms, s->partial);
        inertia->product(s->inertia, map->frame_of, step.mass, step.mass * h, s->w, s->u);
        lap(s, THAW_STAGE_FORCE, &since);
    }
    for (size_t i = 0; i < coordinates(s); i++)
        s->y[i] = h * (s->f[i] + s->f_ext[i]);
    inertia->product(s->inertia, map->frame_of, step.mass, 0, s->v, s->y);
    for (size_t i = 0; moves && i < coordinates(s); i++)
        s->y[i] -= s->u[i];
    map->ops->apply_t(map, s->y, s->b);
    if (map->frame_count > 0)
        map->ops->momentum(map, s->b);
}

// Solves the system linearised at x0 for q. With loads in balance b is nothing but rounding; then a residual far below
// what the loads themselves would leave is good enough.
static ThawStatus solve_linearised(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    right_hand_side(s, step);
    s->newton_iterations++;
    if (thaw_solver_ldl(s->solver)) // as exact as can be, whatever it starts from
        return factor_and_solve(s, s->b, s->q, 0);
    double loads = 1e-3 * step.h * reduced_norm(s, s->f_ext), size = norm(s->b, unknowns(s));
    double tolerance = s->model->options.solver_tolerance;
    if (size > 0 && loads > size)
        tolerance = fmin(0.1, tolerance * loads / size);
    if (step.mass > 0)
        s->inertia->ops->project(s->inertia, map, s->w, s->v, s->q);
    else
        memset(s->q, 0, sizeof *s->q * unknowns(s));
    return factor_and_solve(s, s->b, s->q, tolerance);
}

static size_t matrix_bytes(ThawStepper *s) {
    const ThawBlockPattern *pattern = thaw_solver_matrix(s->solver)->pattern;
    return sizeof(double) * (size_t)pattern->row[pattern->n] * (size_t)(pattern->bs * pattern->bs);
}

// Whether Newton carries h D(x0) along.
static int keeps_damping(const ThawStepper *s, ThawIncrement step) {
    return step.newton && s->damping && step.mass > 0;
}

static ThawStatus linearise(ThawStepper *s, ThawIncrement step) {
    ThawCombination combination = combination_of(s, step);
    ThawStatus status = THAW_OK;
    if (keeps_damping(s, step)) {
        status = assemble(s, (ThawCombination){0, 0, {0, step.h, s->project}, 0, NULL}, s->x, NULL);
        memcpy(s->damping, thaw_solver_matrix(s->solver)->value, matrix_bytes(s));
        combination.element.damping = 0;
    }
    if (status == THAW_OK)
        status = assemble(s, combination, s->x, keeps_damping(s, step) ? s->damping : NULL);
    return status == THAW_OK ? solve_linearised(s, step) : status;
}

// Of the kinetic energy: a loss below that is rounding.
static const double LOSSLESS = 1e-9;

// Whether alpha1 K drives what moves at v, instead of damping it: under compression K drives what turns, whatever the
// step. loss: v'Dv.
static int is_driven_by_damping(const ThawStepper *s, ThawIncrement step, const double *v, double loss) {
    double kinetic = 0;
    s->inertia->ops->add_kinetic(s->inertia, NULL, v, &kinetic);
    return step.h * loss < -LOSSLESS * 2 * kinetic;
}

// Newton's damping is that of the start, D(x0), so that decides.
static int starts_driven(ThawStepper *s, ThawIncrement step) {
    const ThawIntegrationSet *set = s->system->map->set;
    double forms[2], since = thaw_wall_ms();
    if (!set->may_drive || set->element_count == 0 || step.mass == 0)
        return 0;
    thaw_force_product(set, s->tasks, s->x, s->v, (ThawStiffness){0, 1, 0}, s->shape->nv, s->y, forms, s->partial);
    lap(s, THAW_STAGE_FORCE, &since);
    return is_driven_by_damping(s, step, s->v, forms[1]);
}

static int is_zero(const double *a, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i] != 0)
            return 0;
    return 1;
}

ThawStatus thaw_body_linearise(ThawStepper *s, ThawIncrement step) {
    ThawProjection projection = s->model->options.projection;
    ThawMap *map = s->system->map;
    if (!s->moving.inside)
        thaw_loads_evaluate(s, step);
    const int stands = s->linearised && s->linearised == s->solver && !s->gains; // solved before, with fewer contacts
    ThawStatus status =
        map->ops->laws & THAW_MAP_FOLLOWS_STATE && !stands ? map->ops->update(map, s->x, s->f_ext) : THAW_OK;
    if (status != THAW_OK)
        return status;
    if (map->ops->offset) {
        map->ops->offset(map, s->x, step.h, s->w);
        s->offset_moves = 1;
        s->loads_until = -INFINITY; // w is to be made anew
    }
    if (s->impulse_acts)
        memset(s->impulse, 0, sizeof *s->impulse * coordinates(s));
    s->impulse_acts = 0;
    THAW_ASSERT(is_zero(s->impulse, coordinates(s)), "impulses are zero where impulse_acts does not say otherwise");
    THAW_ASSERT(!s->linearised || (s->linearised_t == step.t && s->linearised_h == step.h),
                "a factor that is kept is that of the interval");
    if (stands)
        return thaw_solver_solve(s->solver, s->b, s->q, 0, NULL);
    s->project = projection == THAW_PROJECT_ALWAYS;
    if (map->n == 0) // everything follows a script
        return thaw_force_internal(map->set, s->tasks, s->x, s->shape->nv, s->f, s->partial);
    if (s->gains || (step.newton && projection == THAW_PROJECT_WHEN_NEEDED && starts_driven(s, step)))
        s->project = s->projected = 1;
    status = linearise(s, step);
    if (status == THAW_INDEFINITE && !s->project && projection == THAW_PROJECT_WHEN_NEEDED) {
        s->project = s->projected = 1;
        status = linearise(s, step);
    }
    // Newton's iterations overwrite both.
    s->linearised = status == THAW_OK && !step.newton && thaw_solver_ldl(s->solver) ? s->solver : NULL;
    s->linearised_t = step.t;
    s->linearised_h = step.h;
    return status;
}

void thaw_body_move(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    double since = thaw_wall_ms();
    map->ops->apply(map, s->q, s->w, s->v1);
    map->ops->advance(map, step.h, s->x, s->q, s->v1, s->x1);
    if (s->moving.inside)
        thaw_moving_turn(s);
    lap(s, THAW_STAGE_ADVANCE, &since);
}

// Of the energy a body has or is given: a step may make so much out of nothing. One that makes more is made anew, with
// stiffness projected.
static const double SMALL_GAIN = 1e-4;

static int has_frames(const ThawStepper *s) { return s->system->map->frame_count > 0; }

// What scripts do: the impulses that their vertices need to go as they do, times how they go.
static double drive_work(ThawStepper *s, ThawIncrement step, const double *v0) {
    double forms[2], sum = 0;
    thaw_body_resist(s, step);
    s->inertia->ops->change(s->inertia, step.h, v0, s->v1, forms, s->u);
    for (size_t i = 0; i < coordinates(s); i++)
        if (s->scripted[i / (size_t)s->model->dim])
            sum += s->w[i] * (s->u[i] + s->y[i] - step.h * (s->f[i] + s->f_ext[i]) - s->impulse[i]);
    return sum;
}

// How much energy a linearised step makes out of nothing, J. Beyond the work of loads and contacts it gains
//     K1 + E1 - K0 - E0 - v1'(h f_ext + J'lambda) = (E1 - E's quadratic model) - |v1-v0|_M^2 / 2 - h^2/2 v1'K v1 - h
//     v1'D v1,
// which is a loss for as long as the model is any good and K resists. Under compression K drives what turns, and so
// does alpha1 K, whatever the step. had: what the body has or is given, J.
static double gain_of(ThawStepper *s, ThawIncrement step, double elastic0, double elastic1, double *had) {
    double kinetic0 = 0, kinetic1 = 0, work = 0;
    const double *v0 = s->v;
    if (has_frames(s)) { // v has chords of their vertices, which are shorter than the paths
        memcpy(s->before, s->v, sizeof *s->v * coordinates(s));
        s->system->map->ops->velocities(s->system->map, s->before);
        v0 = s->before;
    }
    s->inertia->ops->add_kinetic(s->inertia, NULL, v0, &kinetic0);
    s->inertia->ops->add_kinetic(s->inertia, NULL, s->v1, &kinetic1);
    for (size_t i = 0; i < coordinates(s); i++)
        work += s->v1[i] * (step.h * s->f_ext[i] + s->impulse[i]);
    if (s->offset_moves)
        work += drive_work(s, step, v0);
    const int corrects = !(s->system->map->ops->laws & THAW_MAP_ADVANCES_LINEARLY) && !has_frames(s);
    for (size_t i = 0; corrects && i < coordinates(s); i++) // by the map, on top of velocities
        work += s->f_ext[i] * (s->x1[i] - s->x[i] - step.h * s->v1[i]);
    *had = kinetic0 + fmax(0, elastic0) + fabs(work);
    return kinetic1 + elastic1 - kinetic0 - elastic0 - work - s->energy_rounding;
}

static int all_finite(const double *a, size_t count) {
    double sum[8] = {0}, all = 0; // NaN if any is not finite; several, so that additions do not wait for each other
    for (; count >= 8; count -= 8, a += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += a[k] * 0;
    for (; count > 0; count--)
        sum[0] += a[count - 1] * 0;
    for (int k = 0; k < 8; k++)
        all += sum[k];
    return all == 0;
}

void thaw_body_resist(ThawStepper *s, ThawIncrement step) {
    if (s->resisted)
        return;
    double since = thaw_wall_ms();
    memcpy(s->u, s->v1, sizeof *s->u * coordinates(s));
    if (has_frames(s))
        s->system->map->ops->chord(s->system->map, step.h, s->u);
    const double stiff = step.h * step.h * (1 + s->system->map->beyond);
    ThawStiffness scale = {step.newton ? 0 : stiff, step.h, s->project};
    thaw_force_product(s->system->map->set, s->tasks, s->x, s->u, scale, s->shape->nv, s->y, s->forms, s->partial);
    s->resisted = 1;
    lap(s, THAW_STAGE_FORCE, &since);
}

ThawStatus thaw_body_check(ThawStepper *s, ThawIncrement step) {
    s->next_elastic = s->next_set_energy = NAN;
    s->resisted = 0;
    s->next_set_inverted = -1;
    s->gains = s->excess = 0;
    if (!all_finite(s->x1, coordinates(s)) || !all_finite(s->v1, coordinates(s)))
        return THAW_DIVERGED;
    const ThawIntegrationSet *set = s->system->map->set;
    int is_whole = set == s->shape->all;
    if (set->element_count == 0 || (step.newton && !set->needs_orientation && !s->moving.inside))
        return THAW_OK;
    double elastic = thaw_force_energy_inverted(set, s->tasks, s->x1, s->partial, &s->next_set_inverted);
    s->next_set_energy = elastic;
    if (is_whole)
        s->next_elastic = elastic;
    if (!isfinite(elastic))
        return THAW_INVERTED;
    if (step.newton && !s->moving.inside) // its line search has seen to that
        return THAW_OK;
    const int may_project = !step.newton && !s->project && s->model->options.projection == THAW_PROJECT_WHEN_NEEDED;
    if (may_project && set->may_drive && step.mass > 0) {
        thaw_body_resist(s, step);
        s->gains = is_driven_by_damping(s, step, s->v1, s->forms[1]);
    }
    if (s->system->map->ops->offset) // what drives it does work that is not known here
        return THAW_OK;
    if (!isfinite(s->set_energy))
        s->set_energy = thaw_force_energy(set, s->tasks, s->x, s->partial);
    double had, gain = gain_of(s, step, s->set_energy, elastic, &had);
    s->excess = gain > SMALL_GAIN * had ? gain : 0;
    gain -= THAW_MANY_ROUNDINGS * s->energy_rounding;
    s->gains |= may_project && gain > SMALL_GAIN * had;
    return gain <= THAW_LARGEST_GAIN * had ? THAW_OK : THAW_DIVERGED;
}

// --- Newton ----------------------------------------------------------------------------------------------------------

// u = h D(x0) a, matrix-free.
static void damping_product(ThawStepper *s, ThawIncrement step, const double *a, double *u) {
    double forms[2], since = thaw_wall_ms();
    thaw_force_product(s->system->map->set, s->tasks, s->x, a, (ThawStiffness){0, step.h, s->project}, s->shape->nv, u,
                       forms, s->partial);
    if (has_frames(s))
        s->system->map->ops->stress_product(s->system->map, (ThawStiffness){0, step.h, s->project}, a, u);
    lap(s, THAW_STAGE_FORCE, &since);
}

static const double *start_velocities(const ThawStepper *s) { return has_frames(s) ? s->v0 : s->v; }

double thaw_body_scale(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    // A step that is iterated though the scene asks for linearised ones keeps momentum as well as those do; moving
    // frames keep it whatever is left.
    const double tolerance = (s->iterated && !s->moving.inside ? 1e-3 : 1) * s->model->options.newton_tolerance;
    double scale = tolerance * step.h * (reduced_norm(s, s->f_ext) + reduced_norm(s, s->f));
    map->ops->apply_t(map, s->v, s->p);
    return scale + 1e-13 * step.mass * norm(s->p, unknowns(s)) * s->shape->total_mass / s->shape->nv;
}

void thaw_body_start_newton(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    size_t n = unknowns(s);
    s->element_projected = s->project;
    memcpy(s->p, s->q, sizeof *s->p * n);
    memset(s->q, 0, sizeof *s->q * n);
    map->ops->apply(map, s->q, s->w, s->v1);
    memcpy(s->u, s->w, sizeof *s->u * coordinates(s));
    if (has_frames(s)) {
        memcpy(s->v0, s->v, sizeof *s->v0 * coordinates(s));
        map->ops->velocities(map, s->v0);
        memset(s->chord, 0, sizeof *s->chord * coordinates(s));
        map->ops->chord(map, step.h, s->chord);
        map->ops->chord(map, step.h, s->u);
    }
    if (keeps_damping(s, step))
        damping_product(s, step, s->u, s->d);
}

double thaw_body_slope(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    map->ops->apply(map, s->p, NULL, s->u);
    if (keeps_damping(s, step))
        damping_product(s, step, s->u, s->dp);
    return -dot(s->b, s->p, unknowns(s)) - dot(s->impulse, s->u, coordinates(s));
}

double thaw_body_potential(ThawStepper *s, ThawIncrement step, double alpha, double *rounding) {
    const ThawMap *map = s->system->map;
    size_t n = unknowns(s);
    for (size_t i = 0; i < n; i++)
        s->trial_q[i] = s->q[i] + alpha * s->p[i];
    map->ops->apply(map, s->trial_q, s->w, s->y);
    map->ops->advance(map, step.h, s->x, s->trial_q, s->y, s->x1);
    double forms[2], work = 0;
    int turns = has_frames(s);
    s->inertia->ops->change(s->inertia, 1, start_velocities(s), s->y, forms, NULL);
    for (size_t i = 0; i < coordinates(s); i++) {
        double moved = turns ? s->x1[i] - s->x[i] : step.h * s->y[i];
        work += moved * s->f_ext[i] + s->y[i] * s->impulse[i];
    }
    double damping = 0;
    if (keeps_damping(s, step))
        for (size_t i = 0; i < coordinates(s); i++)
            damping += (s->y[i] + (turns ? s->chord[i] : 0)) * (s->d[i] + alpha * s->dp[i]);
    double since = thaw_wall_ms();
    double elastic = thaw_force_energy(map->set, s->tasks, s->x1, s->partial);
    lap(s, THAW_STAGE_FORCE, &since);
    double kinetic = step.mass * (forms[0] + step.h * forms[1]) / 2 + damping / 2;
    *rounding = 1e-13 * (fabs(kinetic) + fabs(elastic) + fabs(work)) + s->energy_rounding;
    return kinetic + elastic - work;
}

void thaw_body_accept(ThawStepper *s, double alpha) {
    memcpy(s->q, s->trial_q, sizeof *s->q * unknowns(s));
    memcpy(s->v1, s->y, sizeof *s->v1 * coordinates(s));
    for (size_t i = 0; s->damping && i < coordinates(s); i++)
        s->d[i] += alpha * s->dp[i];
    if (alpha == 1) // projected stiffness converges but slowly: try without it again
        s->element_projected = s->model->options.projection == THAW_PROJECT_ALWAYS;
}

ThawStatus thaw_body_residual(ThawStepper *s, ThawIncrement step, double *square) {
    const ThawMap *map = s->system->map;
    const ThawInertiaOps *inertia = s->inertia->ops;
    const double *v0 = start_velocities(s);
    double since = thaw_wall_ms();
    ThawStatus status = thaw_force_internal(map->set, s->tasks, s->x1, s->shape->nv, s->f, s->partial);
    lap(s, THAW_STAGE_FORCE, &since);
    for (size_t i = 0; i < coordinates(s); i++) {
        s->y[i] = step.h * (s->f[i] + s->f_ext[i]);
        s->u[i] = s->v1[i] - v0[i];
    }
    inertia->product(s->inertia, NULL, -step.mass, 0, s->u, s->y);
    inertia->product(s->inertia, NULL, 0, -step.mass * step.h, s->v1, s->y);
    const int damped = keeps_damping(s, step);
    for (size_t i = 0; i < coordinates(s); i++) {
        s->y[i] -= damped ? s->d[i] : 0;
        s->u[i] = s->f[i] + s->f_ext[i];
    }
    map->ops->apply_t(map, s->y, s->b);
    if (has_frames(s))
        map->ops->end_force(map, step.h, s->q, step.h, s->u, s->b);
    map->ops->apply_t(map, s->impulse, s->p);
    *square = 0;
    for (size_t i = 0; i < unknowns(s); i++)
        *square += (s->b[i] + s->p[i]) * (s->b[i] + s->p[i]);
    return status;
}

double thaw_body_momentum_lost(ThawStepper *s, ThawIncrement step) {
    const size_t dim = (size_t)s->model->dim;
    double off[3] = {0}, size = 0;
    if (s->moving.inside || s->system->map->ops->offset || memchr(s->scripted, 1, (size_t)s->shape->nv))
        return 0;
    memset(s->u, 0, sizeof *s->u * coordinates(s));
    s->inertia->ops->product(s->inertia, NULL, 1, 0, s->v1, s->u);
    for (size_t i = 0; i < coordinates(s); i++) {
        off[i % dim] += s->y[i] + s->impulse[i];
        size += fabs(s->u[i]) + step.h * fabs(s->f_ext[i]) + fabs(s->impulse[i]);
    }
    return size > 0 ? norm(off, 3) / size : 0;
}

// A matrix that turns out indefinite is projected, if that is allowed.
ThawStatus thaw_body_direct(ThawStepper *s, ThawIncrement step, double tolerance) {
    ThawCombination combination = combination_of(s, step);
    if (keeps_damping(s, step))
        combination.element.damping = 0;
    s->newton_iterations++;
    for (;;) {
        combination.element.project = s->element_projected;
        ThawStatus status = assemble(s, combination, s->x1, keeps_damping(s, step) ? s->damping : NULL);
        memset(s->p, 0, sizeof *s->p * unknowns(s));
        if (status == THAW_OK)
            status = factor_and_solve(s, s->b, s->p, tolerance);
        if (status != THAW_INDEFINITE || s->element_projected ||
            s->model->options.projection != THAW_PROJECT_WHEN_NEEDED)
            return status;
        s->element_projected = s->projected = 1;
    }
}

// --- contact ---------------------------------------------------------------------------------------------------------

// How exactly contact needs A^-1: errors in it become errors of the contact forces.
static const double CONTACT_TOLERANCE = 1e-10;

ThawStatus thaw_body_compliance(void *stepper, const ThawBlockRows *J, ThawPorts *ports, double *H) {
    ThawStepper *s = stepper;
    double since = thaw_wall_ms();
    ThawStatus status = thaw_system_compliance(s->system, s->solver, J, CONTACT_TOLERANCE, H, ports, s->y, s->u,
                                               s->trial_q, s->r, &s->reach);
    lap(s, THAW_STAGE_RESPONSE, &since);
    return status;
}

ThawStatus thaw_body_blocks(void *stepper, int32_t count, const int32_t *vertices, int32_t *from, double *S) {
    ThawStepper *s = stepper;
    double since = thaw_wall_ms();
    ThawStatus status = thaw_system_blocks(s->system, s->solver, count, vertices, CONTACT_TOLERANCE, from, S, s->y,
                                           s->u, s->trial_q, s->r, &s->reach);
    lap(s, THAW_STAGE_RESPONSE, &since);
    return status;
}

static ThawStatus apply_inverse(ThawStepper *s, ThawSolver *solver, const double *impulse, double *dv) {
    const ThawMap *map = s->system->map;
    ThawStatus status = THAW_OK;
    if (map->n > 0) {
        map->ops->apply_t(map, impulse, s->r);
        memset(s->trial_q, 0, sizeof *s->trial_q * unknowns(s));
        status = thaw_solver_solve(solver, s->r, s->trial_q, CONTACT_TOLERANCE, NULL);
    }
    map->ops->apply(map, s->trial_q, NULL, dv);
    return status;
}

ThawStatus thaw_body_apply(void *stepper, const double *impulse, double *dv) {
    ThawStepper *s = stepper;
    return apply_inverse(s, s->solver, impulse, dv);
}

ThawStatus thaw_body_stiffen(void *stepper, const ThawBlockRows *J, const double *K) {
    ThawStepper *s = stepper;
    if (s->system->map->n == 0)
        return THAW_OK;
    double since = thaw_wall_ms();
    ThawStatus status = s->stiff ? THAW_OK : thaw_solver_create(s->system->direct, s->tasks, &s->stiff, NULL);
    if (status == THAW_OK && !thaw_system_stiffen(s->system, s->solver, J, K, s->stiff, &s->reach))
        status = THAW_NOT_CONVERGED;
    if (status == THAW_OK)
        status = thaw_solver_factor(s->stiff);
    lap(s, THAW_STAGE_RESPONSE, &since);
    return status == THAW_INDEFINITE ? THAW_NOT_CONVERGED : status;
}

ThawStatus thaw_body_apply_stiff(void *stepper, const double *impulse, double *dv) {
    ThawStepper *s = stepper;
    return apply_inverse(s, s->stiff, impulse, dv);
}

ThawStatus thaw_body_push(ThawStepper *s, double *target) {
    const ThawMap *map = s->system->map;
    if (map->n == 0)
        return THAW_OK;
    map->ops->apply_t(map, s->impulse, s->r);
    memset(s->trial_q, 0, sizeof *s->trial_q * unknowns(s));
    ThawStatus status = thaw_solver_solve(s->solver, s->r, s->trial_q, CONTACT_TOLERANCE, NULL);
    for (size_t i = 0; i < unknowns(s); i++)
        target[i] += s->trial_q[i];
    return status;
}
