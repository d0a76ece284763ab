// SPDX-License-Identifier: Apache-2.0
// The page of `thaw bench worlds`. Odd seeds may be looked at: the page has their rows, their words and the worst of
// them, and whoever mends a method by them fits it to them. Even seeds are therefore only counted: a method that was
// mended, and not fitted, does as well there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench_worlds.h"
#include "world_random.h"

static const double CLEAR_MS = 100; // clocks of CPU time may tick in steps of ten
enum { WORST = 10, MEASURES = 6, MOST_WORDS = 120 };

static const WorldVerdict *at(const WorldsRun *run, int64_t i) { return run->is_there[i] ? &run->verdicts[i] : NULL; }
static int64_t seeds(const WorldsRun *run) { return run->last - run->first + 1; }

WorldsCount worlds_count(const WorldsRun *run, int half) {
    WorldsCount c = {0};
    for (int64_t i = 0; i < seeds(run); i++) {
        const WorldVerdict *v = at(run, i);
        if (!v || (half < 2 && v->seed % 2 != half))
            continue;
        unsigned broken = world_broken(v);
        c.worlds++;
        c.ends[v->end]++;
        c.judged += v->end == WORLD_JUDGED;
        c.sound += v->end == WORLD_JUDGED && !broken;
        for (int r = 0; r < WORLD_RULES; r++)
            c.broken[r] += (broken >> r) & 1;
        c.strays += v->end == WORLD_JUDGED && v->error > fmax(3 * v->tolerance, 3 * v->floor_shift);
        c.excused += (broken & WORLD_ERROR) && world_is_excused(v);
        c.cpu_full += v->cpu_full;
        c.cpu += v->cpu;
    }
    return c;
}

static void write_totals(const WorldsRun *run, FILE *f) {
    WorldsCount c[3];
    for (int k = 0; k < 3; k++)
        c[k] = worlds_count(run, k == 2 ? 2 : 1 - k);
    fprintf(f, "|  | odd seeds | even seeds | all |\n|---|---|---|---|\n");
    fprintf(f, "| worlds | %d | %d | %d |\n", c[0].worlds, c[1].worlds, c[2].worlds);
    for (int e = 0; e < WORLD_END_COUNT; e++)
        fprintf(f, "| %s | %d | %d | %d |\n", world_end_names[e], c[0].ends[e], c[1].ends[e], c[2].ends[e]);
    fprintf(f, "| no rule broken | %d | %d | %d |\n", c[0].sound, c[1].sound, c[2].sound);
    for (int r = 0; r < WORLD_RULES; r++)
        fprintf(f, "| broken: %s | %d | %d | %d |\n", world_rule_names[r], c[0].broken[r], c[1].broken[r],
                c[2].broken[r]);
    fprintf(f, "| of the errors: no farther from full with a sixteenth of the step than full is | %d | %d | %d |\n",
            c[0].excused, c[1].excused, c[2].excused);
    fprintf(f, "| no rule: error above 3 tolerances and 3 times the shifted start's | %d | %d | %d |\n", c[0].strays,
            c[1].strays, c[2].strays);
    fprintf(f, "| CPU, full over %s | %.2f | %.2f | %.2f |\n", run->method, c[0].cpu_full / c[0].cpu,
            c[1].cpu_full / c[1].cpu, c[2].cpu_full / c[2].cpu);
}

// --- words -----------------------------------------------------------------------------------------------------------

typedef struct Word {
    char text[32];
    int worlds, any, broken[WORLD_RULES];
} Word;

static int by_share(const void *a, const void *b) {
    const Word *x = a, *y = b;
    long long left = (long long)y->any * x->worlds, right = (long long)x->any * y->worlds;
    return left != right ? (left > right) - (left < right) : strcmp(x->text, y->text);
}

static void count_word(Word *words, int *count, const char *text, unsigned broken) {
    int i = 0;
    while (i < *count && strcmp(words[i].text, text) != 0)
        i++;
    if (i == MOST_WORDS)
        return;
    if (i == *count)
        snprintf(words[(*count)++].text, sizeof words->text, "%s", text);
    words[i].worlds++;
    words[i].any += broken != 0;
    for (int r = 0; r < WORLD_RULES; r++)
        words[i].broken[r] += (broken >> r) & 1;
}

static void write_words(const WorldsRun *run, FILE *f) {
    Word words[MOST_WORDS] = {{{0}, 0, 0, {0}}};
    int count = 0;
    for (int64_t i = 0; i < seeds(run); i++) {
        const WorldVerdict *v = at(run, i);
        unsigned broken = v ? world_broken(v) : 0;
        if (!v || v->seed % 2 == 0 || (v->end != WORLD_JUDGED && !broken))
            continue;
        WorldKind kind;
        char *rest = kind.words;
        thaw_free(world_random((uint64_t)v->seed, run->flags, run->integrator, &kind));
        for (char *word; (word = strsep(&rest, " "));)
            count_word(words, &count, word, broken);
    }
    qsort(words, (size_t)count, sizeof *words, by_share);
    fprintf(f, "\n## Words\n\nOf odd seeds: how many worlds of a kind break a rule.\n\n| word | worlds | any");
    for (int r = 0; r < WORLD_RULES; r++)
        fprintf(f, " | %s", world_rule_names[r]);
    fprintf(f, " |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < count; i++) {
        fprintf(f, "| %s | %d | %d", words[i].text, words[i].worlds, words[i].any);
        for (int r = 0; r < WORLD_RULES; r++)
            fprintf(f, " | %d", words[i].broken[r]);
        fprintf(f, " |\n");
    }
}

// --- the worst -------------------------------------------------------------------------------------------------------

// How bad a world is by each measure: the larger, the worse; about 1 is what the rule allows.
static double measure_of(const WorldVerdict *v, int measure) {
    double limit = fmax(3 * v->tolerance, fmax(v->floor_half, v->floor_shift));
    switch (measure) {
    case 0:
        return v->slept_through;
    case 1:
        return v->momentum / 1e-6;
    case 2:
        return (v->energy - v->energy_full) / 1e-6;
    case 3:
        return v->error / limit;
    case 4:
        return v->error;
    default:
        return v->cpu_full >= CLEAR_MS ? v->cpu / v->cpu_full : 0;
    }
}
static const char *const measure_names[MEASURES] = {"motion slept through, over its limit",
                                                    "momentum, over 1e-6",
                                                    "energy gained beyond full's, over 1e-6",
                                                    "error over its limit",
                                                    "error, diameters",
                                                    "CPU over full's"};

static void write_worst(const WorldsRun *run, int measure, FILE *f) {
    const WorldVerdict *worst[WORST] = {0};
    for (int64_t i = 0; i < seeds(run); i++) {
        const WorldVerdict *v = at(run, i);
        if (!v || v->seed % 2 == 0 || v->end != WORLD_JUDGED)
            continue;
        for (int k = 0; k < WORST; k++) // the earlier seed first among equals
            if (!worst[k] || measure_of(v, measure) > measure_of(worst[k], measure)) {
                const WorldVerdict *other = worst[k];
                worst[k] = v;
                if (!(v = other))
                    break;
            }
    }
    fprintf(f, "| %s |", measure_names[measure]);
    for (int k = 0; k < WORST && worst[k]; k++)
        if (measure_of(worst[k], measure) > 0)
            fprintf(f, " %lld: %.3g%s", (long long)worst[k]->seed, measure_of(worst[k], measure),
                    k + 1 < WORST && worst[k + 1] ? "," : "");
    fprintf(f, " |\n");
}

// --- rows ------------------------------------------------------------------------------------------------------------

static void write_broken(const WorldVerdict *v, FILE *f) {
    unsigned broken = world_broken(v);
    if (v->end != WORLD_JUDGED)
        fprintf(f, "%s", world_end_names[v->end]);
    else if (!broken)
        fprintf(f, "ok");
    for (int r = 0, first = 1; r < WORLD_RULES && v->end == WORLD_JUDGED; r++)
        if ((broken >> r) & 1) {
            fprintf(f, "%s%s", first ? "" : " ", world_rule_names[r]);
            first = 0;
        }
}

static void write_rows(const WorldsRun *run, FILE *f) {
    fprintf(f, "\n## Odd seeds\n\n"
               "| seed | verdict | d | bodies | elements | h | steps | slept | asleep | momentum, full's | energy, "
               "full's | error | mean "
               "| floors h/2, shift | rigid | CPU ratio | what |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int64_t i = 0; i < seeds(run); i++) {
        const WorldVerdict *v = at(run, i);
        if (!v || v->seed % 2 == 0)
            continue;
        WorldKind kind;
        char ratio[32] = "";
        thaw_free(world_random((uint64_t)v->seed, run->flags, run->integrator, &kind));
        if (v->cpu_full >= CLEAR_MS && v->cpu > 0)
            snprintf(ratio, sizeof ratio, "%.2f", v->cpu_full / v->cpu);
        fprintf(f, "| %lld | ", (long long)v->seed);
        write_broken(v, f);
        fprintf(f, " | %d | %d | %d | %.2g | %d | ", v->dim, v->bodies, v->elements, v->h, v->steps);
        if (v->end == WORLD_JUDGED)
            fprintf(f, "%d (%.2g) | %.2f | %.1e, %.1e | %.1e, %.1e | %.1e | %.1e | %.1e, %.1e | %.2f | %s | %s |\n",
                    v->wrong_sleep, v->slept_through, v->asleep, v->momentum, v->momentum_full, v->energy,
                    v->energy_full, v->error, v->mean_error, v->floor_half, v->floor_shift, v->rigid, ratio,
                    kind.words);
        else
            fprintf(f, "|  |  |  |  |  |  |  |  | %s: %s |\n", kind.words, v->what);
    }
}

void worlds_print_verdict(const WorldVerdict *v, const char *words, FILE *f) {
    fprintf(f, "world %lld: ", (long long)v->seed);
    write_broken(v, f);
    fprintf(f, "\n  %s\n", words);
    if (*v->what)
        fprintf(f, "  %s\n", v->what);
    fprintf(f, "  %d dimensions, %d bodies, %d elements, %d steps of %g s\n", v->dim, v->bodies, v->elements, v->steps,
            v->h);
    if (v->end != WORLD_JUDGED)
        return;
    fprintf(f,
            "  sleep     %.1f %% of bodies and steps; %d bodies wrongly; full moved by %.3g times the limit (%.3g "
            "diameters)\n",
            100 * v->asleep, v->wrong_sleep, v->slept_through, v->sleep_limit);
    fprintf(f, "  momentum  off by %.3g, full by %.3g\n", v->momentum, v->momentum_full);
    fprintf(f, "  energy    rose by %.3g, full's by %.3g\n", v->energy, v->energy_full);
    fprintf(f, "  error     %.3g diameters, %.3g on the mean; floors: half the step %.3g, shifted start %.3g\n",
            v->error, v->mean_error, v->floor_half, v->floor_shift);
    if (v->full_fine > 0)
        fprintf(f, "  truth     from a sixteenth of the step: %.3g, full %.3g\n", v->error_fine, v->full_fine);
    fprintf(f, "  CPU       full %.3g ms, the method %.3g ms: %.2f times as fast; %.1f %% rigid\n", v->cpu_full, v->cpu,
            v->cpu_full / v->cpu, 100 * v->rigid);
}

void worlds_write_summary(const WorldsRun *run, FILE *f) {
    fprintf(f, "# Random worlds: %s, seeds %lld to %lld%s%s\n\n", run->method, (long long)run->first,
            (long long)run->last, run->flags & WORLD_SMALL ? ", small" : "",
            run->flags & WORLD_SHEETS ? ", of sheets" : "");
    write_totals(run, f);
    fprintf(f, "\n## The worst\n\nOf odd seeds, as seed: value.\n\n| by | the ten worst |\n|---|---|\n");
    for (int m = 0; m < MEASURES; m++)
        write_worst(run, m, f);
}

void worlds_write_page(const WorldsRun *run, FILE *f) {
    worlds_write_summary(run, f);
    write_words(run, f);
    write_rows(run, f);
}
