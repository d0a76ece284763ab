// SPDX-License-Identifier: Apache-2.0
// `thaw bench`: the papers' tables and figures again. A suite is a list of rows; each row runs on its own, and its
// numbers go to a CSV (row, key, value) when it is done, so that a run that was stopped goes on with the next row. A
// page in Markdown is written from whatever rows there are, after each of them. Wall time is what it takes; CPU times
// are compared within a row only.
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "bench_worlds.h"
#include "reading.h"
#include "registry/scheme.h"

static const BenchSuite *const suites[] = {&bench_suite_rigidify, &bench_suite_shells, &bench_suite_integrators};
enum { SUITES = sizeof suites / sizeof *suites };

static const char DONE[] = "done"; // the key that ends a row
// Random worlds are no fixed list of rows, and have a command of their own.
static const char WORLDS[] = "worlds";

void bench_say(const char *format, ...) {
    time_t now = time(NULL);
    struct tm parts;
    va_list arguments;
    localtime_r(&now, &parts);
    fprintf(stderr, "%02d:%02d:%02d  ", parts.tm_hour, parts.tm_min, parts.tm_sec);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

// --- rows ------------------------------------------------------------------------------------------------------------

ThawStatus bench_put(Bench *bench, const char *row, const char *key, double value, ThawError *error) {
    if (bench->count == bench->room) {
        size_t room = 2 * bench->room + 64;
        BenchValue *values = thaw_regrow(bench->values, bench->count, room, sizeof *values);
        if (!values)
            return thaw_error_memory(error, "the rows of a benchmark");
        bench->values = values;
        bench->room = room;
    }
    BenchValue *slot = &bench->values[bench->count++];
    snprintf(slot->row, sizeof slot->row, "%s", row);
    snprintf(slot->key, sizeof slot->key, "%s", key);
    slot->value = value;
    return THAW_OK;
}

ThawStatus bench_put_all(Bench *bench, const char *row, const BenchPair *pairs, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (; pairs->key && status == THAW_OK; pairs++)
        status = bench_put(bench, row, pairs->key, pairs->value, error);
    return status;
}

double bench_get(const Bench *bench, const char *row, const char *key) {
    for (size_t i = bench->count; i-- > 0;) // the latest first
        if (strcmp(bench->values[i].row, row) == 0 && strcmp(bench->values[i].key, key) == 0)
            return bench->values[i].value;
    return NAN;
}

static ThawStatus read_rows(Bench *bench, ThawError *error) {
    char line[200], row[48], key[32];
    double value;
    ThawStatus status = THAW_OK;
    FILE *file = fopen(bench->table, "r");
    while (file && status == THAW_OK && fgets(line, sizeof line, file))
        if (sscanf(line, "%47[^,],%31[^,],%lf", row, key, &value) == 3)
            status = bench_put(bench, row, key, value, error);
    if (file)
        fclose(file);
    // A row that was cut off in the middle is run again: what it left does no harm, the latest counts.
    bench->saved = bench->count;
    return status;
}

static ThawStatus append_rows(Bench *bench, ThawError *error) {
    FILE *file = fopen(bench->table, bench->saved ? "a" : "w");
    int good = file != NULL && (bench->saved || fputs("row,key,value\n", file) >= 0);
    for (; good && bench->saved < bench->count; bench->saved++) {
        const BenchValue *v = &bench->values[bench->saved];
        good = fprintf(file, "%s,%s,%.9g\n", v->row, v->key, v->value) > 0;
    }
    if (file)
        good = fclose(file) == 0 && good;
    return good ? THAW_OK : thaw_error_set(error, THAW_ERROR_IO, "cannot write %s: %s", bench->table, strerror(errno));
}

// --- what rows need --------------------------------------------------------------------------------------------------

static void adjust(const Bench *bench, ThawScene *scene) {
    scene->world.threads = 1;
    if (bench->chosen)
        scene->world.integrator = bench->integrator;
}

ThawStatus bench_load(const Bench *bench, const char *name, ThawScene **scene, ThawError *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.json", bench->scenes, name);
    ThawStatus status = app_scene_load(path, scene, error);
    if (status == THAW_OK)
        adjust(bench, *scene);
    return status;
}

ThawStatus bench_parse(const Bench *bench, const char *quoted, ThawScene **scene, ThawError *error) {
    char text[4096];
    snprintf(text, sizeof text, "%s", quoted);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    ThawStatus status = thaw_scene_parse(text, strlen(text), "bench", NULL, scene, error);
    if (status == THAW_OK)
        adjust(bench, *scene);
    return status;
}

int64_t bench_steps(const Bench *bench, int64_t wanted) {
    return bench->steps > 0 && bench->steps < wanted ? bench->steps : wanted;
}

// --- the run ---------------------------------------------------------------------------------------------------------

static ThawStatus write_page(const Bench *bench, const BenchSuite *suite, ThawError *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.md", bench->out, bench->name);
    FILE *page = fopen(path, "w");
    if (page)
        suite->write_page(bench, page);
    if (!page || fclose(page) != 0)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    return THAW_OK;
}

// A row that fails says so and leaves the others alone; the benchmark has then failed.
static int run_suite(Bench *bench, const BenchSuite *suite) {
    ThawError error = {0};
    int result = APP_DONE;
    if (mkdir(bench->out, 0777) != 0 && errno != EEXIST) {
        app_complain("bench", "cannot make the folder %s: %s", bench->out, strerror(errno));
        return APP_FAILED;
    }
    // Rows by another integrator are other rows, in files of their own.
    snprintf(bench->name, sizeof bench->name, "%s%s%s", suite->name, bench->chosen ? "-" : "",
             bench->chosen ? thaw_scheme(bench->integrator)->name : "");
    snprintf(bench->table, sizeof bench->table, "%.3900s/%s.csv", bench->out, bench->name);
    if (bench->resume && read_rows(bench, &error) != THAW_OK) {
        app_complain("bench", "%s", error.message);
        return APP_FAILED;
    }
    for (int i = 0; i < suite->job_count; i++) {
        const BenchJob *job = &suite->jobs[i];
        if (bench->only && strncmp(job->row, bench->only, strlen(bench->only)) != 0)
            continue;
        if (bench_get(bench, job->row, DONE) == 1) {
            bench_say("%s: kept", job->row);
            continue;
        }
        bench_say("%s ...", job->row);
        size_t before = bench->count;
        ThawStatus status = job->run(bench, job, &error);
        if (status == THAW_OK)
            status = bench_put(bench, job->row, DONE, 1, &error);
        if (status == THAW_OK)
            status = append_rows(bench, &error);
        if (status == THAW_OK)
            status = write_page(bench, suite, &error);
        if (status != THAW_OK) {
            bench->count = bench->saved > before ? bench->saved : before;
            app_complain("bench", "%s: %s", job->row, error.message);
            result = APP_FAILED;
        }
    }
    if (write_page(bench, suite, &error) != THAW_OK) {
        app_complain("bench", "%s", error.message);
        return APP_FAILED;
    }
    printf("%s/%s.csv, %s/%s.md\n", bench->out, bench->name, bench->out, bench->name);
    return result;
}

static int list_suites(void) {
    for (int i = 0; i < SUITES; i++) {
        printf("%s: %s\n ", suites[i]->name, suites[i]->summary);
        for (int k = 0; k < suites[i]->job_count; k++)
            printf(" %s", suites[i]->jobs[k].row);
        putchar('\n');
    }
    printf("%s: random worlds, an adaptive method judged by the full one\n", WORLDS);
    return APP_DONE;
}

enum { OPTION_STEPS, OPTION_RESUME, OPTION_ONLY, OPTION_SCENES, OPTION_VALIDATION, OPTION_INTEGRATOR, OPTION_OUT };
static const AppOption options[] = {
    {"--steps", "N"},        {"--resume", NULL},       {"--only", "ROW"}, {"--scenes", "DIR"},
    {"--validation", "DIR"}, {"--integrator", "NAME"}, {"-o", "DIR"},     {NULL, NULL}};

static int command_bench(int argc, char **argv) {
    Bench bench = {.scenes = "scenes", .out = "out/bench", .program = argv[0]};
    AppArguments arguments = {argc, argv, 2, options, NULL};
    const BenchSuite *suite = NULL;
    const char *names[SUITES + 1] = {[SUITES] = WORLDS};
    if (argc > 2 && strcmp(argv[2], WORLDS) == 0)
        return worlds_command(argc, argv);
    for (;;) {
        int option = app_arguments_next(&arguments);
        if (option == APP_END)
            break;
        switch (option) {
        case APP_BAD_OPTION:
            return APP_WRONG_INPUT;
        case APP_OPERAND:
            for (int i = 0; i < SUITES; i++) {
                names[i] = suites[i]->name;
                suite = strcmp(arguments.value, names[i]) == 0 ? suites[i] : suite;
            }
            if (!suite) {
                const char *near = app_suggest(arguments.value, names, SUITES + 1);
                app_complain("bench", "there is no benchmark '%s'%s%s%s; `thaw bench` lists them", arguments.value,
                             near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
                return APP_WRONG_INPUT;
            }
            break;
        case OPTION_STEPS:
            if (!app_parse_integer("bench", "--steps", arguments.value, 1, 1000000000, &bench.steps))
                return APP_WRONG_INPUT;
            break;
        case OPTION_RESUME:
            bench.resume = 1;
            break;
        case OPTION_ONLY:
            bench.only = arguments.value;
            break;
        case OPTION_SCENES:
            bench.scenes = arguments.value;
            break;
        case OPTION_VALIDATION:
            bench.validation = arguments.value;
            break;
        case OPTION_INTEGRATOR:
            bench.chosen = app_parse_integrator("bench", arguments.value, &bench.integrator);
            if (!bench.chosen)
                return APP_WRONG_INPUT;
            break;
        case OPTION_OUT:
            bench.out = arguments.value;
            break;
        }
    }
    if (!suite)
        return list_suites();
    if (bench.chosen && suite->by_all_integrators) {
        app_complain("bench", "%s runs by every integrator; --integrator is for other benchmarks", suite->name);
        return APP_WRONG_INPUT;
    }
    app_prepare_blas(argv);
    int status = run_suite(&bench, suite);
    thaw_free(bench.values);
    return status;
}

const AppCommand app_command_bench = {"bench", "the papers' tables again",
                                      "usage: thaw bench [NAME] [OPTIONS]\n\n"
                                      "Runs a benchmark row by row, each by two methods side by side in one process, "
                                      "and writes its numbers as CSV and as a page.\n"
                                      "Without a name it lists what there is.\n\n"
                                      "  --steps N         at most so many steps of each scene: a quick look\n"
                                      "  --resume          keep the rows that are done\n"
                                      "  --only ROW        only rows whose names begin so\n"
                                      "  --scenes DIR      where the scene files are (scenes)\n"
                                      "  --validation DIR  where beam913.mesh is, the mesh of the published figures; "
                                      "without it that row is left out\n"
                                      "  --integrator NAME instead of the scenes'; tables have it in their names\n"
                                      "  -o DIR            where the tables go (out/bench)\n" WORLDS_HELP,
                                      command_bench};
