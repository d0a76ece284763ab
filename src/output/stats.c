// SPDX-License-Identifier: Apache-2.0
// The table of statistics: one row a step. Energies are written with 17 digits, so that reading them gives the same doubles.
#include <inttypes.h>

#include "output/output.h"

static const char columns[] =
    "step,time,wall_ms,cpu_ms,force_ms,assemble_ms,factor_ms,solve_ms,oracle_ms,contact_ms,response_ms,"
    "advance_ms,ledger_ms,dofs,elastic_elements,"
    "rigid_parts,woken,settled,asleep,contacts,newton_iterations,solver_iterations,response_iterations,response_"
    "residual,response_tolerance,projected,substeps,inverted,reaction_x,reaction_y,reaction_z,kinetic,shadow,elastic,"
    "gravitational,contact_energy,"
    "external_work,damping_loss,contact_work,obstacle_work,parting_work,transition_loss,follow_work,integration_loss,"
    "state_hash\n";

ThawStatus thaw_stats_open(const char *path, int64_t keep, ThawTable **stats, ThawError *error) {
    return thaw_table_open(path, columns, keep, stats, error);
}

ThawStatus thaw_stats_write(ThawTable *stats, const ThawStepStats *r, ThawError *error) {
    const ThawLedger *e = &r->ledger;
    return thaw_table_print(
        stats, error,
        "%" PRId64 ",%.17g,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%" PRId64 ",%" PRId64 ",%" PRId64
        ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%d,%.4g,%.4g,%d,%d,%" PRId64
        ",%.9g,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,"
        "%.17g,%016" PRIx64 "\n",
        r->step, r->time, r->wall_ms, r->cpu_ms, r->force_ms, r->assemble_ms, r->factor_ms, r->solve_ms, r->oracle_ms,
        r->contact_ms, r->response_ms, r->advance_ms, r->ledger_ms, r->dofs, r->elastic_elements, r->rigid_parts,
        r->woken, r->settled, r->asleep, r->contacts, r->newton_iterations, r->solver_iterations,
        r->response_iterations, r->response_residual, r->response_tolerance, r->projected, r->substeps, r->inverted,
        r->reaction[0], r->reaction[1], r->reaction[2], e->kinetic, e->shadow, e->elastic, e->gravitational,
        e->contact_energy, e->external_work, e->damping_loss, e->contact_work, e->obstacle_work, e->parting_work,
        e->transition_loss, e->follow_work, e->integration_loss, r->state_hash);
}
