// SPDX-License-Identifier: Apache-2.0
// The table of statistics: one row a step. Energies are written with 17 digits, so that reading them gives the same
// doubles.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/output.h"

static const char columns[] =
    "step,time,wall_ms,cpu_ms,force_ms,assemble_ms,factor_ms,solve_ms,oracle_ms,contact_ms,response_ms,"
    "advance_ms,ledger_ms,dofs,elastic_elements,"
    "rigid_parts,woken,settled,asleep,contacts,newton_iterations,solver_iterations,response_iterations,response_"
    "residual,response_tolerance,projected,substeps,inverted,reaction_x,reaction_y,reaction_z,kinetic,shadow,elastic,"
    "gravitational,contact_energy,"
    "external_work,damping_loss,contact_work,obstacle_work,parting_work,transition_loss,follow_work,integration_loss,"
    "state_hash\n";

// The name of a column, in quotes where it has to be.
static char *put_column(char *to, const char *name) {
    const int quoted = strpbrk(name, ",\"\r\n") != NULL;
    *to++ = ',';
    if (quoted)
        *to++ = '"';
    memcpy(to, "force_", 6);
    to += 6;
    for (; *name; name++) {
        if (*name == '"')
            *to++ = '"';
        *to++ = *name;
    }
    if (quoted)
        *to++ = '"';
    return to;
}

// The columns above and, for each attachment, its force.
ThawStatus thaw_stats_open(const char *path, int64_t keep, const ThawWorld *world, ThawTable **stats,
                           ThawError *error) {
    const int32_t count = thaw_world_attachment_count(world);
    size_t room = sizeof columns;
    ThawAttachmentState a;
    for (int32_t i = 0; i < count && thaw_world_get_attachment(world, i, &a) == THAW_OK; i++)
        room += sizeof ",force_" + 2 * strlen(a.name) + 2;
    char *line = THAW_NEW(char, room), *to = line + sizeof columns - 2;
    *stats = NULL;
    if (!line)
        return thaw_error_memory(error, "the table of statistics");
    memcpy(line, columns, sizeof columns - 2); // without its line break
    for (int32_t i = 0; i < count && thaw_world_get_attachment(world, i, &a) == THAW_OK; i++)
        to = put_column(to, a.name);
    memcpy(to, "\n", 2);
    ThawStatus status = thaw_table_open(path, line, keep, stats, error);
    thaw_free(line);
    return status;
}

static ThawStatus write_forces(ThawTable *stats, const ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    ThawAttachmentState a;
    for (int32_t i = 0; i < thaw_world_attachment_count(world) && status == THAW_OK; i++)
        if (thaw_world_get_attachment(world, i, &a) == THAW_OK)
            status = thaw_table_print(stats, error, ",%.9g", hypot(hypot(a.force[0], a.force[1]), a.force[2]));
    return status == THAW_OK ? thaw_table_print(stats, error, "\n") : status;
}

ThawStatus thaw_stats_write(ThawTable *stats, const ThawWorld *world, const ThawStepStats *r, ThawError *error) {
    const ThawLedger *e = &r->ledger;
    ThawStatus status = thaw_table_print(
        stats, error,
        "%" PRId64 ",%.17g,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%" PRId64 ",%" PRId64 ",%" PRId64
        ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%d,%.4g,%.4g,%d,%d,%" PRId64
        ",%.9g,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,"
        "%.17g,%016" PRIx64,
        r->step, r->time, r->wall_ms, r->cpu_ms, r->force_ms, r->assemble_ms, r->factor_ms, r->solve_ms, r->oracle_ms,
        r->contact_ms, r->response_ms, r->advance_ms, r->ledger_ms, r->dofs, r->elastic_elements, r->rigid_parts,
        r->woken, r->settled, r->asleep, r->contacts, r->newton_iterations, r->solver_iterations,
        r->response_iterations, r->response_residual, r->response_tolerance, r->projected, r->substeps, r->inverted,
        r->reaction[0], r->reaction[1], r->reaction[2], e->kinetic, e->shadow, e->elastic, e->gravitational,
        e->contact_energy, e->external_work, e->damping_loss, e->contact_work, e->obstacle_work, e->parting_work,
        e->transition_loss, e->follow_work, e->integration_loss, r->state_hash);
    return status == THAW_OK ? write_forces(stats, world, error) : status;
}
