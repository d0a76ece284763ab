// SPDX-License-Identifier: Apache-2.0
// The oracle of an adaptive run against the facts (solids paper, section 3.5 and figure 6).
//
// An element *moves* in a step when the full run shows a squared strain rate |E_dot|^2 above tau there. The adaptive
// run is right when it keeps such an element elastic. The two runs drift apart by a few steps (a contact a step sooner,
// an oscillation a little faster), which is no mistake of the oracle: an element counts as caught when it was elastic
// in any step within `tolerance` steps of the one in which it moved; an elastic one is justified when it moved within
// as many.
//     recall = caught / moving,   precision = justified / elastic,   over all elements and steps.
// Slow motion the adaptive run may follow without waking any element, so recall is also told of what moves 3, 10 and
// 100 times as fast. And where bodies bounce, the two runs part: what a body does that has gone another way says
// nothing about the oracle. So recall is told a second time, of bodies whose vertices have never been farther from the
// reference than a tenth of their diameter. A step can be judged when `tolerance` more have been made, so their flags
// are kept in a ring. Linear in the elements a step.
#include "judge.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "thaw/field.h"

static const double LEAST_TAU = 1e-6;        // 1/s^2, where no body says what is small
static const double PARTED = 0.1;            // of the diameter
enum { LEVEL = 7, ELASTIC = 8, ALONE = 16 }; // bits of `seen`
const double app_judge_levels[APP_JUDGE_LEVELS] = {1, 3, 10, 100};
enum { BINS = 40, BINS_PER_DECADE = 2, FIRST_DECADE = -14 }; // of histograms: 1e-14 to 1e6 1/s^2

// Ten times the rate below which elements of a body may be rigid; bodies of methods without one are judged as the
// strictest of the others.
static void choose_tau(AppJudge *j, const ThawWorld *world, double tau) {
    ThawElementReport report;
    int32_t bodies = thaw_world_body_count(world);
    double least = INFINITY;
    for (int32_t b = 0; b < bodies; b++) {
        j->tau[b] = tau;
        if (tau == 0 && thaw_world_explain(world, b, 0, &report, NULL) == THAW_OK && isfinite(report.rate_threshold))
            j->tau[b] = 10 * report.rate_threshold;
        if (j->tau[b] > 0)
            least = fmin(least, j->tau[b]);
    }
    j->least = isfinite(least) ? least : LEAST_TAU;
    for (int32_t b = 0; b < bodies; b++)
        if (j->tau[b] == 0)
            j->tau[b] = j->least;
}

ThawStatus app_judge_create(const ThawWorld *world, double tau, int64_t tolerance, AppJudge *j, ThawError *error) {
    int32_t largest = 0;
    *j = (AppJudge){.tolerance = tolerance,
                    .bodies = thaw_world_body_count(world),
                    .rate_field = thaw_field_find("strain_rate"),
                    .state_field = thaw_field_find("state"),
                    .predicted_field = thaw_field_find("predicted_strain")};
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        int32_t count = thaw_world_element_count(world, b);
        largest = count > largest ? count : largest;
        j->elements += count;
    }
    j->origin = THAW_NEW(int32_t, largest);
    j->first = THAW_NEW(int64_t, (size_t)j->bodies + 1);
    for (int32_t b = 0; j->first && b < j->bodies; b++)
        j->first[b + 1] = j->first[b] + thaw_world_element_count(world, b);
    j->tau = THAW_NEW(double, thaw_world_body_count(world));
    j->rate = THAW_NEW(double, largest);
    j->state = THAW_NEW(double, largest);
    j->predicted = THAW_NEW(double, largest);
    j->seen = THAW_NEW(unsigned char, (size_t)(tolerance + 1) * (size_t)j->elements);
    j->parted = THAW_NEW(unsigned char, j->bodies);
    j->moved = THAW_NEW(int32_t, j->elements);
    j->elastic = THAW_NEW(int32_t, j->elements);
    if (!j->origin || !j->first || !j->tau || !j->rate || !j->state || !j->predicted || !j->seen || !j->parted ||
        !j->moved || !j->elastic) {
        app_judge_clear(j);
        return thaw_error_memory(error, "judging the oracle");
    }
    choose_tau(j, world, tau);
    for (int64_t e = 0; e < j->elements; e++)
        j->moved[e] = j->elastic[e] = INT32_MIN / 2;
    return THAW_OK;
}

void app_judge_clear(AppJudge *j) {
    thaw_free(j->tau);
    thaw_free(j->first);
    thaw_free(j->origin);
    thaw_free(j->rate);
    thaw_free(j->state);
    thaw_free(j->predicted);
    thaw_free(j->seen);
    thaw_free(j->parted);
    thaw_free(j->moved);
    thaw_free(j->elastic);
    *j = (AppJudge){0};
}

// Judges a step from its flags and from when each element moved or was elastic last, up to now.
static void judge_step(AppJudge *j, int64_t step) {
    const unsigned char *seen = j->seen + (size_t)(step % (j->tolerance + 1)) * (size_t)j->elements;
    for (int64_t e = 0; e < j->elements; e++) {
        int level = seen[e] & LEVEL, elastic = (seen[e] & ELASTIC) != 0;
        j->confusion[level > 0][elastic]++;
        j->kept += elastic;
        int caught = j->elastic[e] >= step - j->tolerance;
        for (int k = 0; k < level; k++) {
            j->needed[k]++;
            j->caught[k] += caught;
        }
        if (level > 0 && !(seen[e] & ALONE)) {
            j->together[0]++;
            j->together[1] += caught;
        }
        j->justified += elastic && j->moved[e] >= step - j->tolerance;
    }
}

void app_judge_histogram_header(FILE *file) {
    fprintf(file, "step,time,kind");
    for (int b = 0; b < BINS; b++)
        fprintf(file, ",1e%+.1f", FIRST_DECADE + (double)b / BINS_PER_DECADE);
    fputc('\n', file);
}

static void count(int64_t bins[BINS], double value) {
    int b = value > 0 ? (int)floor((log10(value) - FIRST_DECADE) * BINS_PER_DECADE) : 0;
    bins[b < 0 ? 0 : b >= BINS ? BINS - 1 : b]++;
}

static void write_row(FILE *file, const ThawWorld *world, const char *kind, const int64_t bins[BINS]) {
    fprintf(file, "%lld,%.9g,%s", (long long)thaw_world_step_count(world), thaw_world_time(world), kind);
    for (int b = 0; b < BINS; b++)
        fprintf(file, ",%lld", (long long)bins[b]);
    fputc('\n', file);
}

void app_judge_note(AppJudge *j, int64_t element, int level, int elastic) {
    size_t slot = (size_t)(j->step % (j->tolerance + 1));
    j->seen[slot * (size_t)j->elements + (size_t)element] = (unsigned char)(level | (elastic ? ELASTIC : 0));
    if (level > 0)
        j->moved[element] = (int32_t)j->step;
    if (elastic)
        j->elastic[element] = (int32_t)j->step;
}

void app_judge_next(AppJudge *j) {
    if (j->step >= j->tolerance)
        judge_step(j, j->step - j->tolerance);
    j->step++;
}

void app_judge_look(AppJudge *j, const ThawWorld *reference, const ThawWorld *other, const double *apart,
                    FILE *histogram) {
    unsigned char *seen = j->seen + (size_t)(j->step % (j->tolerance + 1)) * (size_t)j->elements;
    int64_t reference_bins[BINS] = {0}, elastic_bins[BINS] = {0}, rigid_bins[BINS] = {0}, predicted_bins[BINS] = {0};
    for (int32_t b = 0; b < thaw_world_body_count(reference); b++) {
        double since = thaw_wall_ms();
        thaw_world_get_field(reference, b, j->rate_field, j->rate);
        j->look_ms += thaw_wall_ms() - since;
        thaw_world_get_field(other, b, j->state_field, j->state);
        if (histogram && j->predicted_field >= 0)
            thaw_world_get_field(other, b, j->predicted_field, j->predicted);
        int32_t count_of_body = thaw_world_element_count(reference, b);
        thaw_world_get_origins(reference, b, NULL, j->origin);
        j->parted[b] |= apart[b] > PARTED;
        for (int32_t e = 0; e < count_of_body; e++) {
            int level = 0, elastic = (int)j->state[e] == THAW_ELEMENT_ELASTIC;
            while (level < APP_JUDGE_LEVELS && j->rate[e] > app_judge_levels[level] * j->tau[b])
                level++;
            app_judge_note(j, j->first[b] + j->origin[e], level, elastic);
            seen[j->first[b] + j->origin[e]] |= j->parted[b] ? ALONE : 0;
            if (histogram) {
                count(reference_bins, j->rate[e]);
                count(elastic ? elastic_bins : rigid_bins, j->rate[e]);
                if (!elastic)
                    count(predicted_bins, j->predicted[e]);
            }
        }
    }
    app_judge_next(j);
    if (histogram) {
        write_row(histogram, reference, "all", reference_bins);
        write_row(histogram, reference, "elastic", elastic_bins);
        write_row(histogram, reference, "rigid", rigid_bins);
        write_row(histogram, reference, "predicted", predicted_bins);
    }
}

void app_judge_finish(AppJudge *j) {
    for (int64_t step = j->step > j->tolerance ? j->step - j->tolerance : 0; step < j->step; step++)
        judge_step(j, step);
}

double app_judge_recall(const AppJudge *j, int level) {
    return j->needed[level] > 0 ? (double)j->caught[level] / (double)j->needed[level] : 1;
}
double app_judge_recall_together(const AppJudge *j) {
    return j->together[0] > 0 ? (double)j->together[1] / (double)j->together[0] : 1;
}
double app_judge_precision(const AppJudge *j) { return j->kept > 0 ? (double)j->justified / (double)j->kept : 1; }

const char *app_judge_text(int64_t part, int64_t whole, char text[24]) {
    if (whole > 0)
        snprintf(text, 24, "%.3f %%", 100 * (double)part / (double)whole);
    else
        snprintf(text, 24, "none (0 counted)");
    return text;
}

// --- to go on later --------------------------------------------------------------------------------------------------

// What has to be kept, piece by piece: the counts are the tail of the struct before the fields' numbers.
static int exchange(AppJudge *j, FILE *file, size_t (*move)(void *, size_t, size_t, FILE *)) {
    size_t n = (size_t)j->elements, ring = n * (size_t)(j->tolerance + 1);
    return move(&j->step, sizeof j->step, 1, file) == 1 && move(j->confusion, sizeof j->confusion, 1, file) == 1 &&
           move(j->needed, sizeof j->needed, 1, file) == 1 && move(j->caught, sizeof j->caught, 1, file) == 1 &&
           move(j->together, sizeof j->together, 1, file) == 1 &&
           move(j->parted, 1, (size_t)j->bodies, file) == (size_t)j->bodies &&
           move(&j->kept, sizeof j->kept, 1, file) == 1 && move(&j->justified, sizeof j->justified, 1, file) == 1 &&
           move(&j->look_ms, sizeof j->look_ms, 1, file) == 1 && move(j->seen, 1, ring, file) == ring &&
           move(j->moved, sizeof *j->moved, n, file) == n && move(j->elastic, sizeof *j->elastic, n, file) == n;
}

static size_t put(void *from, size_t size, size_t n, FILE *file) { return fwrite(from, size, n, file); }
static size_t get(void *to, size_t size, size_t n, FILE *file) { return fread(to, size, n, file); }

int app_judge_write(const AppJudge *j, FILE *file) { return exchange((AppJudge *)j, file, put); }
int app_judge_read(AppJudge *j, FILE *file) { return exchange(j, file, get); }
