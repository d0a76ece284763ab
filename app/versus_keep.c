// SPDX-License-Identifier: Apache-2.0
// Keeping a comparison, to go on later: the worlds in files of their own that carry the step's number, then all sums in
// one file that names that step, put in place by renaming. Whenever it stops, the sums that are there belong to worlds
// that are there. Half a line that was written behind that point is cut off.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "versus.h"

enum { FORMAT = 3, RUNNERS = 3 + APP_TRUTHS };

// Tells whether what is kept belongs to this comparison.
typedef struct Header {
    uint64_t digest; // of the scene, its thresholds included
    int64_t format, floor, converged, tolerance;
    double tau;
    char method[40], against[40];
    int64_t csv_size, histogram_size; // bytes
} Header;

static Header header_of(const AppVersus *v) {
    const AppVersusDef *d = &v->def;
    Header header;
    memset(&header, 0, sizeof header); // gaps too: it is compared as bytes
    header.digest = d->scene->digest;
    header.format = FORMAT;
    header.floor = v->def.floor != 0;
    header.converged = v->def.converged != 0;
    header.tolerance = d->tolerance;
    header.tau = v->judge.least;
    snprintf(header.method, sizeof header.method, "%s", d->method ? d->method : "");
    snprintf(header.against, sizeof header.against, "%s", d->against);
    return header;
}

static const char *const WORLDS[RUNNERS] = {"reference", "other", "shifted", "half", "quarter", "eighth"};

static void world_path(const AppVersus *v, int which, int64_t step, char path[4096]) {
    snprintf(path, 4096, "%s/%s-%lld.h5", v->def.keep, WORLDS[which], (long long)step);
}

static ThawStatus cannot(ThawError *error, const char *what, const char *path) {
    return thaw_error_set(error, THAW_ERROR_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

static int64_t size_of(FILE *file) { return file && fflush(file) == 0 ? (int64_t)ftell(file) : 0; }

// The step that is kept, or -1.
static int64_t kept_step(const char *path) {
    AppFigures figures;
    FILE *file = fopen(path, "rb");
    int good = file && !fseek(file, sizeof(Header), SEEK_SET) && fread(&figures, sizeof figures, 1, file) == 1;
    if (file)
        fclose(file);
    return good ? figures.steps : -1;
}

ThawStatus app_versus_save(const AppVersus *v, ThawError *error) {
    char path[4096], temporary[4200], sums[4096];
    const AppRunner *runners[RUNNERS] = {&v->reference, &v->other, &v->shifted, &v->cut[0], &v->cut[1], &v->cut[2]};
    if (mkdir(v->def.keep, 0777) != 0 && errno != EEXIST)
        return cannot(error, "make the folder", v->def.keep);
    snprintf(sums, sizeof sums, "%s/comparison.bin", v->def.keep);
    int64_t before = kept_step(sums);
    if (before == v->figures.steps)
        return THAW_OK;
    for (int i = 0; i < RUNNERS; i++) {
        world_path(v, i, v->figures.steps, path);
        ThawStatus status = runners[i]->world ? thaw_world_save(runners[i]->world, path, error) : THAW_OK;
        if (status != THAW_OK)
            return status;
    }
    Header header = header_of(v);
    header.csv_size = size_of(v->def.csv);
    header.histogram_size = size_of(v->def.histogram);
    snprintf(temporary, sizeof temporary, "%s.part", sums);
    FILE *file = fopen(temporary, "wb");
    int good =
        file && fwrite(&header, sizeof header, 1, file) == 1 && fwrite(&v->figures, sizeof v->figures, 1, file) == 1 &&
        (v->judge.elements == 0 || app_judge_write(&v->judge, file)) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good || rename(temporary, sums) != 0)
        return cannot(error, "write", sums);
    for (int i = 0; i < RUNNERS && before >= 0; i++) {
        world_path(v, i, before, path);
        unlink(path);
    }
    return THAW_OK;
}

// Cuts a table back to where it was.
static int cut(FILE *file, int64_t size) {
    return !file || (ftruncate(fileno(file), size) == 0 && fseek(file, size, SEEK_SET) == 0);
}

ThawStatus app_versus_load(AppVersus *v, int *resumed, ThawError *error) {
    char path[4096], sums[4096];
    AppRunner *runners[RUNNERS] = {&v->reference, &v->other, &v->shifted, &v->cut[0], &v->cut[1], &v->cut[2]};
    *resumed = 0;
    snprintf(sums, sizeof sums, "%s/comparison.bin", v->def.keep);
    FILE *file = fopen(sums, "rb");
    if (!file && errno != ENOENT)
        return cannot(error, "read", sums);
    if (!file) // nothing was kept: tables of an earlier run begin anew as well
        return cut(v->def.csv, 0) && cut(v->def.histogram, 0) ? THAW_OK
                                                              : cannot(error, "empty the tables beside", sums);
    Header header, mine = header_of(v);
    AppFigures figures;
    int good = fread(&header, sizeof header, 1, file) == 1 && fread(&figures, sizeof figures, 1, file) == 1;
    mine.csv_size = header.csv_size;
    mine.histogram_size = header.histogram_size;
    int same = good && memcmp(&header, &mine, sizeof header) == 0;
    if (same && v->judge.elements > 0)
        good = app_judge_read(&v->judge, file);
    fclose(file);
    if (!same || !good)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: of another scene, other thresholds or another program, or cut short; remove it",
                              sums);
    v->figures = figures;
    for (int i = 0; i < RUNNERS; i++) {
        world_path(v, i, figures.steps, path);
        ThawStatus status = runners[i]->world ? thaw_world_load(runners[i]->world, path, error) : THAW_OK;
        if (status != THAW_OK)
            return status;
    }
    if (!cut(v->def.csv, header.csv_size) || !cut(v->def.histogram, header.histogram_size))
        return cannot(error, "cut back the tables beside", sums);
    *resumed = 1;
    return THAW_OK;
}
