// SPDX-License-Identifier: Apache-2.0
// One implicit step of an island: bodies that touch, or one body alone. This is the algorithm box.
//
//   semi-implicit   every body: linearise at x0, solve for v* without contact
//                   contact response: lambda from J A^-1 J' and J v*   (solids paper, equations 12-15)
//                   every body: v1 = v* + A^-1 J' lambda, x1 = x0 + h v1
//   Newton          the same direction, and then again from x1 until forces balance: minimises the sum of the bodies'
//                   incremental potentials, less the work of the contact impulses found with each direction. The merit
//                   of the line search holds these impulses fixed; A^-1 (J' lambda - dQ/dv) always descends it.
#include <math.h>
#include <string.h>

#include "model/sheet.h"
#include "step/body.h"
#include "step/method.h"

static int touches(const ThawIsland *island) { return island->contact_count > 0; }

// --- contact ---------------------------------------------------------------------------------------------------------

int32_t thaw_island_place(const ThawIsland *island, int32_t moved) {
    const int32_t body = island->bodies[0]->model->bodies[moved].mover;
    for (int32_t lo = 0, hi = island->count - 1; lo <= hi;) { // sorted by index
        int32_t mid = lo + (hi - lo) / 2;
        if (island->bodies[mid]->index == body)
            return mid;
        if (island->bodies[mid]->index < body)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return -1;
}

// impulse = J' lambda on every body.
static void spread_impulses(const ThawIsland *island) {
    int dim = island->bodies[0]->model->dim;
    for (int32_t i = 0; i < island->count; i++) {
        memset(island->bodies[i]->impulse, 0, sizeof(double) * (size_t)island->bodies[i]->shape->nv * (size_t)dim);
        island->bodies[i]->impulse_acts = 1;
    }
    for (int32_t c = 0; c < island->contact_count; c++) {
        const ThawContact *contact = &island->set->contacts[island->contacts[c]];
        double push[3] = {0, 0, 0};
        for (int r = 0; r < dim; r++)
            for (int k = 0; k < dim; k++)
                push[k] += contact->frame[r][k] * contact->lambda[r];
        for (int side = 0; side < 2; side++)
            for (int n = 0; n < contact->nodes[side]; n++) {
                double *impulse = thaw_world_mover(island->world, contact->key.body[side])->impulse;
                for (int k = 0; k < dim; k++)
                    impulse[(size_t)contact->vertex[side][n] * (size_t)dim + (size_t)k] +=
                        (side == 0 ? 1 : -1) * contact->weight[side][n] * push[k];
            }
    }
}

static int is_of(const ThawStepper *s, int32_t body) { return s->model->bodies[body].mover == s->index; }

// Blocks of unknowns for each vertex in contact: less than one where a frame carries many.
static double blocks_a_vertex(const ThawIsland *island, const ThawStepper *s) {
    const ThawMap *map = s->system->map;
    int32_t vertices = 0, carried = 0;
    for (int32_t c = 0; map->frame_count > 0 && c < island->contact_count; c++) {
        const ThawContact *contact = &island->set->contacts[island->contacts[c]];
        for (int side = 0; side < 2; side++)
            for (int32_t k = 0; k < contact->nodes[side] && is_of(s, contact->key.body[side]); k++) {
                carried += thaw_map_carries(map, contact->vertex[side][k]);
                vertices++;
            }
    }
    return carried > 0 ? (vertices - carried + 2.0 * fmin(carried, map->frame_count)) / vertices : 1;
}

// What A^-1 costs, in operations at the speed of a solve, by the numbers of the factor. A solve meets all of L twice, G
// and G' the vertices. Compliance takes three sides for each block of unknowns on the way to the root, fifteen times as
// fast, and the product of any two on the rows of that way, twice as fast. Without a factor of ours, a guess.
static void estimate_costs(const ThawIsland *island, const ThawStepper *s, ThawResponseBody *view) {
    const ThawLdl *ldl = s->solver ? thaw_solver_ldl(s->solver) : NULL; // none: nothing of it is free
    double n = s->system->map->n;
    view->apply_cost = 100 * n * log2(n + 2);
    view->compliance_cost = 40 * n * log2(n + 2);
    if (ldl) {
        ThawLdlCost cost = thaw_ldl_cost(ldl);
        double blocks = blocks_a_vertex(island, s);
        view->apply_cost = 4.0 * (double)cost.numbers + 50.0 * s->shape->nv;
        view->compliance_cost = 0.4 * blocks * cost.way;
        view->pair_cost = 4 * blocks * blocks * cost.reach;
        view->stiffen_cost = 0.2 * cost.flops + 4.0 * (double)cost.numbers;
    }
    if (!s->system->map->ops->rows) // by solves alone
        view->compliance_cost = s->model->dim * view->apply_cost, view->pair_cost = 0;
}

// Whether springs of contacts can be put into its matrix.
static int can_stiffen(const ThawStepper *s) {
    return s->system->map->n == 0 || (s->solver && thaw_solver_ldl(s->solver) && s->system->map->ops->rows);
}

// Finds lambda for the velocities in every body's y, and adds A^-1 J' lambda to q (offset 0) or p.
static ThawStatus respond(ThawIsland *island, ThawIncrement step, int to_direction) {
    const ThawContactOptions *contact = &island->bodies[0]->model->options.contact;
    ThawResponseOptions options = {.dim = island->bodies[0]->model->dim,
                                   .h = step.h,
                                   .span = step.span,
                                   .friction = contact->friction,
                                   .erp = contact->erp,
                                   .cfm = contact->cfm,
                                   .tangent = contact->tangent,
                                   .tolerance = contact->tolerance,
                                   .iterations = contact->iterations};
    double since = thaw_wall_ms();
    for (int32_t i = 0; i < island->count; i++) {
        ThawStepper *s = island->bodies[i];
        island->views[i] = (ThawResponseBody){.context = s,
                                              .body = s->index,
                                              .more = s->body->moved - 1,
                                              .compliance = thaw_body_compliance,
                                              .blocks = thaw_body_blocks,
                                              .apply = thaw_body_apply,
                                              .stiffen = can_stiffen(s) ? thaw_body_stiffen : NULL,
                                              .apply_stiff = thaw_body_apply_stiff,
                                              .modes = thaw_body_modes,
                                              .v = s->before,
                                              .v0 = s->moving.inside ? s->moving.outer_v : s->v,
                                              .nv = s->shape->nv,
                                              .width = s->system->map->row_blocks,
                                              .thin = thaw_shape_is_sheet(s->shape)};
        estimate_costs(island, s, &island->views[i]);
    }
    ThawResponseInfo info = {0};
    ThawStatus status =
        thaw_response_solve(island->response, &options, island->tasks, island->views, island->count,
                            island->set->contacts, island->contacts, island->contact_count, &info, NULL);
    island->iterations += info.iterations;
    island->residual = fmax(island->residual, info.residual);
    if (status == THAW_NOT_CONVERGED) // the best lambda is usable; the residual is reported
        status = THAW_OK;
    if (status == THAW_OK)
        spread_impulses(island);
    for (int32_t i = 0; status == THAW_OK && i < island->count; i++) {
        ThawStepper *s = island->bodies[i];
        status = thaw_body_push(s, to_direction ? s->p : s->q);
    }
    island->response_ms += thaw_wall_ms() - since;
    return status;
}

// --- loops over the bodies -------------------------------------------------------------------------------------------

typedef struct BodyLoop {
    ThawIsland *island;
    ThawIncrement step;
    double tolerance;
    ThawStatus (*fn)(ThawStepper *s, ThawIncrement step, double tolerance);
} BodyLoop;

static void run_body(void *context, int32_t i) {
    BodyLoop *loop = context;
    ThawStepper *s = loop->island->bodies[i];
    s->status = thaw_tasks_stopped(loop->island->tasks) ? THAW_CANCELLED : loop->fn(s, loop->step, loop->tolerance);
}

// fn for every body, at the same time where threads are free; the first body's failure counts.
static ThawStatus for_bodies(ThawIsland *island, ThawIncrement step, double tolerance,
                             ThawStatus (*fn)(ThawStepper *, ThawIncrement, double)) {
    BodyLoop loop = {island, step, tolerance, fn};
    thaw_tasks_for(island->count > 1 ? island->tasks : NULL, island->count, run_body, &loop);
    for (int32_t i = 0; i < island->count; i++)
        if (island->bodies[i]->status != THAW_OK) {
            island->failed = island->bodies[i]->index;
            return island->bodies[i]->status;
        }
    return THAW_OK;
}

// Contact sees velocities in the world.
static void add_frame(ThawStepper *s) {
    for (size_t i = 0; s->moving.inside && i < (size_t)s->shape->nv * (size_t)s->model->dim; i++)
        s->before[i] += s->moving.along[i];
}

static ThawStatus linearise_body(ThawStepper *s, ThawIncrement step, double tolerance) {
    (void)tolerance;
    ThawStatus status = thaw_body_linearise(s, step);
    if (status == THAW_OK && s->touching) {
        s->system->map->ops->apply(s->system->map, s->q, s->w, s->before);
        add_frame(s);
    }
    return status;
}

static ThawStatus direct_body(ThawStepper *s, ThawIncrement step, double tolerance) {
    const ThawMap *map = s->system->map;
    if (map->n == 0) {
        memcpy(s->before, s->v1, sizeof *s->before * (size_t)s->shape->nv * (size_t)s->model->dim);
        return THAW_OK;
    }
    ThawStatus status = step.newton ? thaw_body_direct(s, step, tolerance) : thaw_body_correct(s, !s->touching);
    for (size_t i = 0; i < (size_t)map->n * (size_t)s->model->dim; i++)
        s->trial_q[i] = s->q[i] + s->p[i];
    map->ops->apply(map, s->trial_q, s->w, s->before);
    add_frame(s);
    return status;
}

// rad: loads and contacts turn a body by no more in a stage. Beyond, torques at the ends of the stage do not tell what
// happens between.
static const double LARGEST_TURN = 0.5;

static ThawStatus check_body(ThawStepper *s, ThawIncrement step, double tolerance) {
    (void)tolerance;
    ThawStatus status = thaw_body_check(s, step);
    s->moving.far = thaw_moving_turns(s) > LARGEST_TURN;
    return status == THAW_OK && s->moving.far ? THAW_DIVERGED : status;
}

// --- the step --------------------------------------------------------------------------------------------------------

static double potential(ThawIsland *island, ThawIncrement step, double alpha, double *rounding) {
    double Q = 0, share;
    *rounding = 0;
    for (int32_t i = 0; i < island->count; i++) {
        Q += thaw_body_potential(island->bodies[i], step, alpha, &share);
        *rounding += share;
    }
    return Q;
}

// Armijo: halves alpha until the merit falls by a fair part of what its slope foresees. A fall that drowns in rounding
// counts as one (*drowned). THAW_NOT_CONVERGED if there is none; but the first slope is that of the linearisation at
// x0, which says little where w leads far away: then the search stays at v = w.
static ThawStatus search_line(ThawIsland *island, ThawIncrement step, int first, int *drowned) {
    double rounding, slope = 0;
    for (int32_t i = 0; i < island->count; i++)
        slope += thaw_body_slope(island->bodies[i], step);
    // Where the search before has ended, if no impulses have changed since.
    double start = island->merit, start_rounding = island->merit_rounding;
    if (!isfinite(start))
        start = potential(island, step, 0, &start_rounding);
    rounding = start_rounding;
    for (double alpha = 1; alpha > 1e-10; alpha /= 2) {
        if (thaw_tasks_stopped(island->tasks))
            return THAW_CANCELLED;
        double trial = potential(island, step, alpha, &rounding);
        if (!isfinite(trial) || trial > start + 1e-4 * alpha * slope + rounding)
            continue;
        *drowned = fabs(slope) <= rounding;
        island->merit = trial;
        island->merit_rounding = rounding;
        for (int32_t i = 0; i < island->count; i++)
            thaw_body_accept(island->bodies[i], alpha);
        return THAW_OK;
    }
    if (!first || !isfinite(start))
        return THAW_NOT_CONVERGED;
    potential(island, step, 0, &rounding);
    for (int32_t i = 0; i < island->count; i++)
        thaw_body_accept(island->bodies[i], 0);
    *drowned = step.corrections > 0 && !step.newton; // nor is there for a factor that stays
    return THAW_OK;
}

// Of the momenta of all that moves and acts: a step that is iterated in place of a linearised one loses no more of it.
static const double KEPT = 1e-10;

static int keeps_momentum(const ThawIsland *island, ThawIncrement step) {
    for (int32_t i = 0; i < island->count; i++)
        if (thaw_body_momentum_lost(island->bodies[i], step) > KEPT)
            return 0;
    return 1;
}

// From the linearised step (q and lambda known) to convergence.
static ThawStatus iterate_newton(ThawIsland *island, ThawIncrement step) {
    double goal = 0, before = INFINITY;
    for (int32_t i = 0; i < island->count; i++) {
        double scale = thaw_body_scale(island->bodies[i], step);
        goal += scale * scale;
    }
    for (int32_t i = 0; i < island->count; i++)
        thaw_body_start_newton(island->bodies[i], step);
    for (int iteration = 1;; iteration++) {
        if (thaw_tasks_stopped(island->tasks))
            return THAW_CANCELLED;
        int drowned;
        double r = 0, square;
        island->merit = NAN;
        ThawStatus status = search_line(island, step, iteration == 1, &drowned);
        for (int32_t i = 0; status == THAW_OK && i < island->count; i++) {
            status = thaw_body_residual(island->bodies[i], step, &square);
            r += square;
        }
        if (status != THAW_OK)
            return status;
        r = sqrt(r);
        if (r <= sqrt(goal))
            return THAW_OK;
        if (drowned && r > before / 2) // as good as rounding allows
            return !island->bodies[0]->iterated || keeps_momentum(island, step) ? THAW_OK : THAW_NOT_CONVERGED;
        if (iteration >= step.iterations)
            return THAW_NOT_CONVERGED;
        // Solve no more exactly than the iteration can use (Eisenstat and Walker 1996, choice 2).
        double forcing = isfinite(before) ? fmin(1e-2, 0.9 * r * r / (before * before)) : 1e-2;
        before = r;
        status =
            for_bodies(island, step, fmax(island->bodies[0]->model->options.solver_tolerance, forcing), direct_body);
        if (status == THAW_OK && touches(island))
            status = respond(island, step, 1);
        if (status != THAW_OK)
            return status;
    }
}

// Whether steps of all its bodies minimise a potential. A map that follows the state moves vertices otherwise.
static int may_correct(const ThawIsland *island, ThawIncrement step) {
    for (int32_t i = 0; i < island->count; i++)
        if (island->bodies[i]->system->map->ops->laws & THAW_MAP_FOLLOWS_STATE)
            return 0;
    return step.corrections > 0 && !step.newton && step.mass > 0;
}

// Books and scripts go by the forces at the end.
static ThawStatus end_corrections(ThawIsland *island, ThawIncrement step) {
    ThawStatus status = THAW_OK;
    double square;
    for (int32_t i = 0; i < island->count && status == THAW_OK; i++) {
        const ThawStepper *s = island->bodies[i];
        if (s->offset_moves || s->moving.led || thaw_ledger_is_kept(s))
            status = thaw_body_residual(island->bodies[i], step, &square);
    }
    return status;
}

// From the linearised step, a few more by the same factor: where no step along it lets the potential fall, that is all.
static ThawStatus correct(ThawIsland *island, ThawIncrement step) {
    double goal = 0;
    for (int32_t i = 0; i < island->count; i++) {
        double scale = thaw_body_scale(island->bodies[i], step);
        goal += scale * scale;
    }
    for (int32_t i = 0; i < island->count; i++) {
        thaw_body_start_newton(island->bodies[i], step);
        thaw_secants_begin(island->bodies[i]);
        island->bodies[i]->iterated = 1;
    }
    for (int k = 0;; k++) {
        int drowned;
        double r = 0, square;
        if (k == 0 || touches(island))
            island->merit = NAN;
        for (int32_t i = 0; i < island->count; i++)
            if (k > 0 || !island->bodies[i]->offset_moves) // b is that of v = w, and not of where w leads
                thaw_secants_open(island->bodies[i]);
        ThawStatus status = search_line(island, step, 1, &drowned);
        if (status != THAW_OK || k == step.corrections || drowned)
            return status == THAW_OK ? end_corrections(island, step) : status;
        for (int32_t i = 0; status == THAW_OK && i < island->count; i++) {
            status = thaw_body_residual(island->bodies[i], step, &square);
            thaw_secants_close(island->bodies[i]);
            r += square;
        }
        if (status != THAW_OK || r <= goal)
            return status;
        status = for_bodies(island, step, 0, direct_body);
        if (status == THAW_OK && touches(island))
            status = respond(island, step, 1);
        if (status != THAW_OK)
            return status;
    }
}

// rad: as much as a body may turn against its frame. A linearised step goes along arcs, and contacts alone see chords.
// Iterations go along chords, which for a turn by so much stretch the body by 5e-9: what is stiff and damped resists
// more.
static const double SMALL_TURN = 0.05, SMALL_CHORD = 1e-4;
enum { FRAMES = 3 };

// Whether the linearised step turns a body so far against its frame that it had better begin in another.
static int wants_frames(ThawIsland *island, ThawIncrement step) {
    const int goes_along_chords = step.newton || may_correct(island, step);
    island->turns = 0;
    for (int32_t i = 0; i < island->count && island->frames < FRAMES; i++) {
        ThawStepper *s = island->bodies[i];
        if (!s->moving.inside)
            continue;
        s->system->map->ops->apply(s->system->map, s->q, s->w, s->v1);
        const double turn = thaw_moving_turns(s);
        island->turns |= turn > (goes_along_chords ? SMALL_CHORD : SMALL_TURN) && isfinite(turn);
    }
    return island->turns;
}

static int is_crooked(ThawIsland *island) {
    for (int32_t i = 0; i < island->count && island->frames < FRAMES && !island->turns; i++)
        island->turns = thaw_moving_is_crooked(island->bodies[i]);
    return island->turns;
}

static ThawStatus try_island(ThawIsland *island, ThawIncrement step) {
    ThawStatus status = for_bodies(island, step, 0, linearise_body);
    if (status == THAW_OK && touches(island))
        status = respond(island, step, 0);
    if (status == THAW_OK && wants_frames(island, step))
        return status;
    const int corrects = may_correct(island, step);
    if (status == THAW_OK && step.newton)
        status = iterate_newton(island, step);
    else if (status == THAW_OK && corrects)
        status = correct(island, step);
    step.newton |= corrects;
    for (int32_t i = 0; status == THAW_OK && !step.newton && i < island->count; i++)
        thaw_body_move(island->bodies[i], step);
    if (status == THAW_OK && step.stage && is_crooked(island))
        return status;
    return status == THAW_OK ? for_bodies(island, step, 0, check_body) : status;
}

static int any_gains(const ThawIsland *island) {
    for (int32_t i = 0; i < island->count; i++)
        if (island->bodies[i]->gains)
            return 1;
    return 0;
}

// Whether iterations may help a step that failed: only in moving frames, and where no body turns too far.
static int may_converge(const ThawIsland *island) {
    int follows = 0;
    for (int32_t i = 0; i < island->count; i++) {
        if (island->bodies[i]->moving.far)
            return 0;
        follows |= island->bodies[i]->moving.inside;
    }
    return follows;
}

// Whether a body makes energy that it must not make and could not give back.
static int any_excess(const ThawIsland *island) {
    for (int32_t i = 0; i < island->count; i++) {
        const ThawStepper *s = island->bodies[i];
        const ThawMethodOps *ops = s->method->ops;
        if (s->excess > 0 && s->data && ops->is_bound && ops->is_bound(s) && s->excess > ops->reserve(s))
            return 1;
    }
    return 0;
}

// One linearisation is not enough: the same step by Newton's method, whose potential cannot grow.
static ThawStatus iterate_island(ThawIsland *island, ThawIncrement step) {
    ThawStatus status = THAW_OK;
    step.newton = 1;
    for (int32_t i = 0; i < island->count && status == THAW_OK; i++) {
        island->bodies[i]->iterated = 1;
        island->bodies[i]->stood_projected = island->bodies[i]->project;
        island->bodies[i]->linearised = NULL;
        status = thaw_stepper_reserve_newton(island->bodies[i], NULL);
    }
    island->residual = 0;
    return status == THAW_OK ? try_island(island, step) : status;
}

// A step that makes energy out of nothing is made once more, with the stiffness of the bodies that do projected; and,
// if parts that thaw as they spin still do (a linearised step inflates them), by Newton's method, for all bodies of the
// island. Where that fails the linearised step stands, if it is fit to go on from. In moving frames, whose steps keep
// the spin and the speed that others lose, one that fails is iterated before it is cut in halves.
static ThawStatus solve_island(ThawIsland *island, ThawIncrement step) {
    island->failed = island->bodies[0]->index;
    for (int32_t i = 0; i < island->count; i++) {
        ThawStepper *s = island->bodies[i];
        s->gains = s->moving.far = 0;
        s->iterated = step.stage && step.newton && !thaw_scheme(s->model->options.integrator)->newton;
    }
    ThawStatus status = try_island(island, step);
    if (status == THAW_OK && island->turns)
        return status;
    island->frames = FRAMES; // from here on the frames stay
    if (status == THAW_OK && any_gains(island)) {
        island->residual = 0;
        status = try_island(island, step);
    }
    if (!step.newton && status > THAW_OK && may_converge(island))
        return iterate_island(island, step);
    if (step.newton || status != THAW_OK || !any_excess(island))
        return status;
    ThawStatus iterated = iterate_island(island, step);
    if (iterated <= THAW_OK)
        return iterated;
    for (int32_t i = 0; i < island->count; i++) {
        island->bodies[i]->gains = island->bodies[i]->stood_projected;
        island->bodies[i]->iterated = 0;
        island->bodies[i]->linearised = NULL;
    }
    island->residual = 0;
    return try_island(island, step);
}

// In frames that turn along with the result.
static ThawStatus solve_in_frames(ThawIsland *island, ThawIncrement step) {
    ThawStatus status;
    int frames = 0;
    do {
        thaw_moving_see_ahead(island, step);
        for (int32_t i = 0; i < island->count; i++)
            thaw_moving_enter(island->bodies[i]);
        island->frames = frames++;
        status = solve_island(island, step);
        for (int32_t i = 0; i < island->count && status == THAW_OK && island->turns; i++) {
            if (island->bodies[i]->moving.inside)
                thaw_moving_reframe(island->bodies[i]);
            island->bodies[i]->linearised = NULL;
        }
    } while (status == THAW_OK && island->turns);
    for (int32_t i = 0; i < island->count; i++) {
        thaw_moving_leave(island->bodies[i], step);
        if (frames > 1) // its matrix is that of another frame than the step begins with
            island->bodies[i]->linearised = NULL;
    }
    return status;
}

ThawStatus thaw_island_solve(ThawIsland *island, ThawIncrement step) {
    island->turns = 0;
    return step.stage ? solve_in_frames(island, step) : solve_island(island, step);
}
