// SPDX-License-Identifier: Apache-2.0
// The table of statistics: one row a step, comma-separated, for spreadsheets and plots.
//
// A table grows while the run goes on, so it cannot be renamed into place; instead each row is handed to the system as
// soon as it is complete. Of a killed run at most the last row is torn. When the run is resumed from a checkpoint of
// step k, every row after k (torn or not) tells of a future that will be computed again, and is cut off. Energies are
// written with 17 digits, so that reading them gives the same doubles.
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output.h"

static const char columns[] =
    "step,time,wall_ms,cpu_ms,force_ms,assemble_ms,factor_ms,solve_ms,oracle_ms,contact_ms,response_ms,"
    "advance_ms,ledger_ms,dofs,elastic_elements,"
    "rigid_parts,contacts,newton_iterations,solver_iterations,response_iterations,response_"
    "residual,projected,substeps,reaction_x,reaction_y,reaction_z,kinetic,elastic,gravitational,"
    "external_work,damping_loss,contact_work,transition_loss,integration_loss,state_hash\n";

struct ThawStatsFile {
    FILE *stream;
    char *path;
    locale_t locale; // "C": numbers have a point, whatever the caller's language
};

static ThawStatus write_failed(const char *path, ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_IO, "cannot write the statistics %s: %s", path, strerror(errno));
}

// The length of the file's part that stays: the header and the rows up to step `keep`.
static ThawStatus kept_length(const char *path, int64_t keep, off_t *length, ThawError *error) {
    struct stat info;
    *length = 0;
    // A pipe or device has no past to cut.
    if (keep < 0 || stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size == 0)
        return THAW_OK;
    char *text;
    size_t size;
    ThawStatus status = thaw_file_read(path, &text, &size, error);
    if (status != THAW_OK)
        return status;
    size_t header = sizeof columns - 1;
    if (size < header || memcmp(text, columns, header) != 0) {
        // Torn within the header: nothing of use was in it yet.
        if (size >= header || memcmp(text, columns, size) != 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "%s is no table of statistics that can be continued: its first line is not the "
                                    "one thaw writes",
                                    path);
        thaw_free(text);
        return status;
    }
    char *row = text + header, *end;
    while ((end = memchr(row, '\n', (size_t)(text + size - row)))) {
        char *comma;
        int64_t step = strtoll(row, &comma, 10);
        if (comma == row || *comma != ',' || step > keep)
            break;
        row = end + 1;
    }
    *length = row - text;
    thaw_free(text);
    return THAW_OK;
}

ThawStatus thaw_stats_open(const char *path, int64_t keep, ThawStatsFile **stats, ThawError *error) {
    *stats = NULL;
    off_t length;
    ThawStatus status = kept_length(path, keep, &length, error);
    if (status != THAW_OK)
        return status;
    ThawStatsFile *s = THAW_NEW(ThawStatsFile, 1);
    if (!s)
        return thaw_error_memory(error, "the table of statistics");
    s->path = thaw_strdup(path);
    s->locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!s->path || !s->locale) {
        thaw_stats_close(&s, NULL);
        return thaw_error_memory(error, "the table of statistics");
    }
    s->stream = fopen(path, length ? "r+b" : "wb");
    if (!s->stream || (length && (ftruncate(fileno(s->stream), length) || fseeko(s->stream, 0, SEEK_END))) ||
        (!length && fputs(columns, s->stream) < 0) || fflush(s->stream)) {
        status = write_failed(path, error);
        thaw_stats_close(&s, NULL);
        return status;
    }
    *stats = s;
    return THAW_OK;
}

ThawStatus thaw_stats_write(ThawStatsFile *stats, const ThawStepStats *r, ThawError *error) {
    const ThawLedger *e = &r->ledger;
    locale_t caller = uselocale(stats->locale);
    int printed =
        fprintf(stats->stream,
                "%" PRId64 ",%.17g,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%" PRId64 ",%" PRId64
                ",%" PRId64 ",%" PRId64 ",%d,%" PRId64
                ",%d,%.4g,%d,%d,%.9g,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%016" PRIx64 "\n",
                r->step, r->time, r->wall_ms, r->cpu_ms, r->force_ms, r->assemble_ms, r->factor_ms, r->solve_ms,
                r->oracle_ms, r->contact_ms, r->response_ms, r->advance_ms, r->ledger_ms, r->dofs, r->elastic_elements,
                r->rigid_parts, r->contacts, r->newton_iterations, r->solver_iterations, r->response_iterations,
                r->response_residual, r->projected, r->substeps, r->reaction[0], r->reaction[1], r->reaction[2],
                e->kinetic, e->elastic, e->gravitational, e->external_work, e->damping_loss, e->contact_work,
                e->transition_loss, e->integration_loss, r->state_hash);
    uselocale(caller);
    if (printed < 0 || fflush(stats->stream))
        return write_failed(stats->path, error);
    return THAW_OK;
}

ThawStatus thaw_stats_sync(ThawStatsFile *stats, ThawError *error) {
    // A pipe or a device has nothing to wait for.
    if (fsync(fileno(stats->stream)) && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return write_failed(stats->path, error);
    return THAW_OK;
}

ThawStatus thaw_stats_close(ThawStatsFile **stats, ThawError *error) {
    if (!stats || !*stats)
        return THAW_OK;
    ThawStatsFile *s = *stats;
    ThawStatus status = THAW_OK;
    if (s->stream && fclose(s->stream))
        status = write_failed(s->path, error);
    if (s->locale)
        freelocale(s->locale);
    thaw_free(s->path);
    thaw_free(s);
    *stats = NULL;
    return status;
}
