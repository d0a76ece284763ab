// SPDX-License-Identifier: Apache-2.0
// Two methods side by side in one process and one run, so that whatever else the machine does falls on both: a step of
// the reference, a step of the other, two half steps where the error floor is wanted, and so on. Times are CPU
// times of the steps alone. The error of a step is the largest
// distance between equal vertices over the diameter of their body. Beside it stand two floors: the same between the
// reference and itself with half the time step (with --against converged: and where that converges to), which is what
// the step size alone does; and between the reference and itself from a start moved by a millionth, which is what
// chance does.
#include "versus.h"

#include <math.h>

#include "base/base.h"

ThawStatus app_versus_create(const AppVersusDef *def, AppVersus *v, ThawError *error) {
    *v = (AppVersus){.def = *def};
    double h = def->scene->world.h;
    ThawStatus status = app_lockstep_create(def->scene, &v->lockstep, error);
    if (status == THAW_OK)
        status = app_runner_create(&v->lockstep, def->against, h, &def->options, &v->reference, error);
    if (status == THAW_OK)
        status = app_runner_create(&v->lockstep, def->method, h, &def->options, &v->other, error);
    for (int i = 0; i < (def->converged ? APP_TRUTHS : def->floor != 0) && status == THAW_OK; i++)
        status = app_runner_create(&v->lockstep, def->against, h / (2 << i), &def->options, &v->cut[i], error);
    if (status == THAW_OK && def->floor)
        status = app_runner_create_shifted(&v->lockstep, def->against, h, app_floor_shift, &def->options, &v->shifted,
                                           error);
    if (status == THAW_OK && def->converged)
        status = app_truth_create(v->reference.world, &v->truth, error);
    if (status == THAW_OK && def->tau >= 0)
        status = app_judge_create(v->other.world, def->tau, def->tolerance, &v->judge, error);
    if (status != THAW_OK)
        app_versus_clear(v);
    return status;
}

void app_versus_clear(AppVersus *v) {
    app_judge_clear(&v->judge);
    app_runner_clear(&v->reference);
    app_runner_clear(&v->other);
    app_runner_clear(&v->shifted);
    for (int i = 0; i < APP_TRUTHS; i++)
        app_runner_clear(&v->cut[i]);
    app_truth_clear(&v->truth);
    app_lockstep_clear(&v->lockstep);
}

// Stages are timed by the wall clock: their share of the step's CPU time, so that a busy machine does not matter. At
// most all of it, for clocks of a step and of its stages are read one after the other.
static double contact_of(const ThawStepStats *s) {
    return s->wall_ms > 0 ? fmin(1, (s->contact_ms + s->response_ms) / s->wall_ms) * s->cpu_ms : 0;
}

static void add_cost(AppCost *cost, const ThawStepStats *s) {
    cost->wall_ms += s->wall_ms;
    cost->cpu_ms += s->cpu_ms;
    cost->contact_ms += contact_of(s);
    cost->dofs += (double)s->dofs;
}

static void write_line(const AppVersus *v) {
    const ThawStepStats *r = &v->reference.last, *o = &v->other.last;
    if (v->figures.steps == 1)
        fprintf(v->def.csv,
                "step,time,reference_ms,other_ms,reference_contact_ms,other_contact_ms,other_oracle_ms,max_error,"
                "error_floor,shift_floor,reference_error,reference_dofs,other_dofs,elastic_elements,rigid_parts,"
                "contacts\n");
    fprintf(v->def.csv, "%lld,%.9g,%.4f,%.4f,%.4f,%.4f,%.4f,%.6e,%.6e,%.6e,%.6e,%lld,%lld,%lld,%lld,%lld\n",
            (long long)o->step, o->time, r->cpu_ms, o->cpu_ms, contact_of(r), contact_of(o), o->oracle_ms, v->error,
            v->floor, v->shift, v->truth.error, (long long)r->dofs, (long long)o->dofs, (long long)o->elastic_elements,
            (long long)o->rigid_parts, (long long)o->contacts);
}

ThawStatus app_versus_step(AppVersus *v, ThawError *error) {
    ThawStatus status = app_runner_step(&v->reference, error);
    if (status == THAW_OK)
        status = app_runner_step(&v->other, error);
    if (status == THAW_OK && v->shifted.world)
        status = app_runner_step(&v->shifted, error);
    for (int i = 0; i < APP_TRUTHS && v->cut[i].world; i++)
        for (int k = 0; k < 2 << i && status == THAW_OK; k++)
            status = app_runner_step(&v->cut[i], error);
    if (status != THAW_OK)
        return status;
    if (v->def.converged)
        app_truth_find(&v->truth, &v->lockstep, v->cut);
    AppFigures *f = &v->figures;
    const ThawStepStats *r = &v->reference.last, *o = &v->other.last;
    double mean = 0;
    // The judge takes the distance that was found last: those of the floors come first.
    v->shift = v->shifted.world ? app_lockstep_distance(&v->lockstep, &v->reference, &v->shifted, NULL) : 0;
    v->floor = v->def.converged  ? app_lockstep_distance_from(&v->lockstep, v->truth.best, &v->reference, NULL)
               : v->cut[0].world ? app_lockstep_distance(&v->lockstep, &v->reference, &v->cut[0], NULL)
                                 : 0;
    v->error = v->def.converged ? app_lockstep_distance_from(&v->lockstep, v->truth.best, &v->other, &mean)
                                : app_lockstep_distance(&v->lockstep, &v->reference, &v->other, &mean);
    f->steps++;
    add_cost(&f->reference, r);
    add_cost(&f->other, o);
    f->max_error = fmax(f->max_error, v->error);
    f->sum_error += mean;
    f->max_floor = fmax(f->max_floor, v->floor);
    f->max_shift = fmax(f->max_shift, v->shift);
    f->max_reference = fmax(f->max_reference, v->truth.error);
    f->extrapolated += v->truth.extrapolated;
    f->ratio_sum += r->cpu_ms / fmax(1e-4, o->cpu_ms);
    f->nc_ratio_sum += fmax(0, r->cpu_ms - contact_of(r)) / fmax(1e-3, o->cpu_ms - contact_of(o));
    f->final_rigid = 1 - (double)o->elastic_elements / (double)v->lockstep.elements;
    f->rigid_sum += f->final_rigid;
    f->solver_ms += o->force_ms + o->assemble_ms + o->factor_ms + o->solve_ms + o->advance_ms + o->contact_ms +
                    o->response_ms + o->ledger_ms;
    int64_t every = v->def.steps / 200 > 1 ? v->def.steps / 200 : 1;
    if (v->judge.elements > 0)
        app_judge_look(&v->judge, v->reference.world, v->other.world, v->lockstep.apart,
                       f->steps % every == 0 ? v->def.histogram : NULL);
    if (v->def.csv)
        write_line(v);
    return THAW_OK;
}

void app_versus_finish(AppVersus *v) {
    if (v->judge.elements > 0)
        app_judge_finish(&v->judge);
}

AppFloors app_versus_floors(const AppVersus *v) {
    return (AppFloors){.error = v->figures.max_error,
                       .tolerance = app_tolerance_of(v->def.scene, v->def.method),
                       .step = v->figures.max_floor,
                       .shift = v->figures.max_shift,
                       .reference_error = v->figures.max_reference};
}

double app_total_speedup(const AppFigures *f) { return f->reference.cpu_ms / f->other.cpu_ms; }

double app_nc_total_speedup(const AppFigures *f) {
    const double least = 1e-3 * (double)f->steps; // ms: clocks tell no less
    return fmax(0, f->reference.cpu_ms - f->reference.contact_ms) / fmax(least, f->other.cpu_ms - f->other.contact_ms);
}

double app_step_over_floor(const AppVersus *v) {
    return v->figures.other.wall_ms / (v->judge.look_ms + v->figures.solver_ms);
}
