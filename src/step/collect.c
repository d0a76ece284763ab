// SPDX-License-Identifier: Apache-2.0
// The statistics of a step, gathered from bodies, contacts and obstacles once it is over.
#include <math.h>

#include "step/body.h"
#include "step/method.h"

void thaw_world_collect(ThawWorld *world, double wall, double cpu, ThawStepStats *stats) {
    *stats = (ThawStepStats){.step = world->state.step, .time = world->state.time, .substeps = world->substeps};
    double *ms[THAW_STAGE_COUNT] = {&stats->force_ms,    &stats->assemble_ms, &stats->factor_ms,
                                    &stats->solve_ms,    &stats->oracle_ms,   &stats->contact_ms,
                                    &stats->response_ms, &stats->advance_ms,  &stats->ledger_ms};
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawStepper *s = &world->steppers[i];
        if (world->model->bodies[i].moved == 0)
            continue;
        stats->inverted += thaw_stepper_count_inverted(world, s);
        if (world->state.asleep[i]) {
            stats->rigid_parts += s->parts;
            continue;
        }
        for (int k = 0; k < THAW_STAGE_COUNT; k++)
            if (k != THAW_STAGE_RESPONSE) // inside the islands' time
                *ms[k] += s->ms[k];
        if (s->system) { // none after a static solve
            stats->dofs += (int64_t)s->system->map->n * world->model->dim;
            stats->elastic_elements += s->system->map->set->cell_count;
        }
        stats->rigid_parts += thaw_method_part_count(s);
        stats->solver_iterations += s->solver_iterations;
        stats->projected += s->projected;
        if (s->newton_iterations > stats->newton_iterations)
            stats->newton_iterations = s->newton_iterations;
    }
    thaw_events_count(world, stats);
    stats->contact_ms += world->contact_ms;
    stats->response_ms = world->response_ms;
    stats->contacts = world->state.contacts.count + world->state.resting.memory_count;
    stats->response_residual = world->response_residual;
    stats->response_tolerance = world->model->options.contact.tolerance;
    stats->response_iterations = world->response_iterations;
    for (int32_t i = 0; i < world->model->obstacle_count; i++) {
        double force[3];
        thaw_world_get_reaction(world, i, force);
        for (int k = 0; k < 3; k++)
            stats->reaction[k] += force[k];
    }
    if (world->model->options.ledger)
        thaw_world_get_ledger(world, &stats->ledger);
    else
        stats->ledger =
            (ThawLedger){.kinetic = NAN, .shadow = NAN, .elastic = NAN, .gravitational = NAN, .contact_energy = NAN};
    stats->state_hash = thaw_world_hash(world);
    stats->wall_ms = thaw_wall_ms() - wall;
    stats->cpu_ms = thaw_cpu_ms() - cpu;
}
