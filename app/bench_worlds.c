// SPDX-License-Identifier: Apache-2.0
// `thaw bench worlds`: random worlds (world_random.c), each judged (world_judge.c) in a process of its own, so that
// one that crashes or hangs is a row like the others. Rows are written in the order of seeds, however many run at
// once, to a CSV that a run which was stopped goes on with.
#include "bench_worlds.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "base/base.h"
#include "bench.h"
#include "world_random.h"

enum { MOST_JOBS = 64, CPU_SECONDS = 900 }; // no world takes that long but one that hangs

typedef struct Worlds {
    WorldsRun run;
    const char *out, *write;
    int64_t only, jobs;
    int resume, strict;
    char table[4096];
} Worlds;

static WorldVerdict *verdict_of(const WorldsRun *run, int64_t seed) { return &run->verdicts[seed - run->first]; }

// --- the table -------------------------------------------------------------------------------------------------------

typedef struct Column {
    const char *name;
    size_t offset;
    int whole; // nonzero: an int
} Column;
#define INT(name)                                                                                                      \
    { #name, offsetof(WorldVerdict, name), 1 }
#define REAL(name)                                                                                                     \
    { #name, offsetof(WorldVerdict, name), 0 }
static const Column columns[] = {
    INT(end),        INT(dim),         INT(bodies),         INT(elements),       INT(steps),
    REAL(h),         REAL(tolerance),  INT(wrong_sleep),    REAL(slept_through), REAL(sleep_limit),
    REAL(asleep),    REAL(momentum),   REAL(momentum_full), REAL(energy),        REAL(energy_full),
    REAL(error),     REAL(mean_error), REAL(floor_half),    REAL(floor_shift),   REAL(error_fine),
    REAL(full_fine), REAL(cpu_full),   REAL(cpu),           REAL(rigid)};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void write_head(FILE *file) {
    fprintf(file, "seed");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(file, ",%s", columns[i].name);
    fprintf(file, ",what\n");
}

static int write_row(const WorldVerdict *v, FILE *file) {
    fprintf(file, "%lld", (long long)v->seed);
    for (int i = 0; i < COLUMNS; i++) {
        const char *at = (const char *)v + columns[i].offset;
        if (columns[i].whole)
            fprintf(file, ",%d", *(const int *)at);
        else
            fprintf(file, ",%.9g", *(const double *)at);
    }
    return fprintf(file, ",%s\n", v->what) > 0;
}

static int read_row(char *line, WorldVerdict *v) {
    char *next = line;
    *v = (WorldVerdict){.seed = strtoll(line, &next, 10)};
    for (int i = 0; i < COLUMNS; i++) {
        char *at = (char *)v + columns[i].offset;
        if (*next != ',')
            return 0;
        double value = strtod(next + 1, &next);
        if (columns[i].whole)
            *(int *)at = (int)value;
        else
            *(double *)at = value;
    }
    if (*next != ',' || !strchr(next, '\n')) // torn
        return 0;
    snprintf(v->what, sizeof v->what, "%.*s", (int)strcspn(next + 1, "\n"), next + 1);
    return v->end >= 0 && v->end < WORLD_END_COUNT;
}

static void read_table(const Worlds *w) {
    char line[2000];
    WorldVerdict v;
    FILE *file = fopen(w->table, "r");
    while (file && fgets(line, sizeof line, file))
        if (read_row(line, &v) && v.seed >= w->run.first && v.seed <= w->run.last) {
            *verdict_of(&w->run, v.seed) = v;
            w->run.is_there[v.seed - w->run.first] = 1;
        }
    if (file)
        fclose(file);
}

static int write_tables(const Worlds *w) {
    char path[4096];
    FILE *file = fopen(w->table, "w");
    int good = file != NULL;
    if (file)
        write_head(file);
    for (int64_t s = w->run.first; good && s <= w->run.last; s++)
        if (w->run.is_there[s - w->run.first])
            good = write_row(verdict_of(&w->run, s), file);
    good = file && fclose(file) == 0 && good;
    snprintf(path, sizeof path, "%.4000s/worlds.md", w->out);
    file = good ? fopen(path, "w") : NULL;
    if (file)
        worlds_write_page(&w->run, file);
    good = file && fclose(file) == 0;
    if (!good)
        app_complain("bench", "cannot write the tables in %s: %s", w->out, strerror(errno));
    return good;
}

// --- processes -------------------------------------------------------------------------------------------------------

static void judge_seed(const Worlds *w, int64_t seed, WorldVerdict *v) {
    char *text = world_random((uint64_t)seed, w->run.flags, w->run.integrator, NULL);
    *v = (WorldVerdict){.seed = seed, .end = WORLD_REFUSED};
    if (text)
        world_judge(text, w->run.method, v);
    thaw_free(text);
}

typedef struct Child {
    pid_t pid;
    int from; // a pipe; a verdict fits into it
    int64_t seed;
} Child;

static int start_child(const Worlds *w, int64_t seed, Child *child) {
    int ends[2];
    if (pipe(ends) != 0)
        return 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit = {CPU_SECONDS, CPU_SECONDS};
        WorldVerdict v;
        close(ends[0]);
        setrlimit(RLIMIT_CPU, &limit);
        judge_seed(w, seed, &v);
        exit(write(ends[1], &v, sizeof v) == (ssize_t)sizeof v ? 0 : 1);
    }
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    *child = (Child){pid, ends[0], seed};
    return pid > 0;
}

static void end_child(const Worlds *w, Child *child, int status) {
    WorldVerdict v = {0};
    if (read(child->from, &v, sizeof v) != (ssize_t)sizeof v || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        int hung = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        v = (WorldVerdict){.seed = child->seed, .end = hung ? WORLD_HUNG : WORLD_CRASHED};
        snprintf(v.what, sizeof v.what, WIFSIGNALED(status) ? "signal %d" : "status %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    close(child->from);
    *verdict_of(&w->run, child->seed) = v;
    w->run.is_there[child->seed - w->run.first] = 1;
    *child = (Child){0};
}

// All seeds that are not there yet, so many at once. Nonzero: done.
static int judge_all(const Worlds *w) {
    Child children[MOST_JOBS] = {{0}};
    int64_t next = w->run.first, running = 0, done = 0, all = 0;
    for (int64_t s = w->run.first; s <= w->run.last; s++)
        all += !w->run.is_there[s - w->run.first];
    for (;;) {
        for (int i = 0; i < w->jobs; i++) {
            while (next <= w->run.last && w->run.is_there[next - w->run.first])
                next++;
            if (children[i].pid || next > w->run.last)
                continue;
            if (!start_child(w, next, &children[i])) {
                app_complain("bench", "cannot start a process: %s", strerror(errno));
                return 0;
            }
            next++;
            running++;
        }
        if (running == 0)
            return write_tables(w);
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno != EINTR) {
            app_complain("bench", "lost the processes that judge: %s", strerror(errno));
            return 0;
        }
        for (int i = 0; i < w->jobs; i++)
            if (pid > 0 && children[i].pid == pid) {
                end_child(w, &children[i], status);
                running--;
                done++;
                if (done % 25 == 0) {
                    bench_say("%lld of %lld worlds", (long long)done, (long long)all);
                    if (!write_tables(w))
                        return 0;
                }
            }
    }
}

// --- the command -----------------------------------------------------------------------------------------------------

static int make_folder(const char *path) {
    char part[4096];
    for (size_t i = 1; path[i - 1]; i++)
        if (path[i] == '/' || path[i] == 0) {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            if (mkdir(part, 0777) != 0 && errno != EEXIST) {
                app_complain("bench", "cannot make the folder %s: %s", path, strerror(errno));
                return 0;
            }
        }
    return 1;
}

static int write_worlds(const Worlds *w) {
    char path[4096];
    if (!make_folder(w->write))
        return APP_FAILED;
    for (int64_t s = w->run.first; s <= w->run.last; s++) {
        snprintf(path, sizeof path, "%.4000s/world-%lld.json", w->write, (long long)s);
        char *text = world_random((uint64_t)s, w->run.flags, w->run.integrator, NULL);
        FILE *file = text ? fopen(path, "w") : NULL;
        int good = file && fputs(text, file) >= 0;
        good = file && fclose(file) == 0 && good;
        thaw_free(text);
        if (!good) {
            app_complain("bench", "cannot write %s: %s", path, strerror(errno));
            return APP_FAILED;
        }
    }
    printf("%lld worlds in %s\n", (long long)(w->run.last - w->run.first + 1), w->write);
    return APP_DONE;
}

static int judge_only(const Worlds *w) {
    WorldKind kind;
    WorldVerdict v;
    thaw_free(world_random((uint64_t)w->only, w->run.flags, w->run.integrator, &kind));
    judge_seed(w, w->only, &v);
    worlds_print_verdict(&v, kind.words, stdout);
    return world_broken(&v) && w->strict ? APP_FAILED : APP_DONE;
}

// Strict: no rule is broken but that of errors, and that by no more than one world in twenty.
static int is_sound(const WorldsRun *run) {
    WorldsCount c = worlds_count(run, 2);
    int sound = 1;
    for (int r = 0; r < WORLD_RULES; r++)
        sound &= c.broken[r] <= (1u << r == WORLD_ERROR ? c.judged / 20 : 0);
    return sound;
}

static int judge_worlds(Worlds *w) {
    size_t count = (size_t)(w->run.last - w->run.first + 1);
    if (!make_folder(w->out))
        return APP_FAILED;
    snprintf(w->table, sizeof w->table, "%.4000s/worlds.csv", w->out);
    w->run.verdicts = THAW_NEW(WorldVerdict, count);
    w->run.is_there = THAW_NEW(unsigned char, count);
    int status = APP_FAILED;
    if (!w->run.verdicts || !w->run.is_there)
        app_complain("bench", "out of memory (for %zu verdicts)", count);
    else {
        if (w->resume)
            read_table(w);
        if (judge_all(w)) {
            worlds_write_summary(&w->run, stdout);
            printf("\n%s, %s/worlds.md\n", w->table, w->out);
            status = w->strict && !is_sound(&w->run) ? APP_FAILED : APP_DONE;
        }
    }
    thaw_free(w->run.verdicts);
    thaw_free(w->run.is_there);
    return status;
}

enum {
    OPTION_SEEDS,
    OPTION_ONLY,
    OPTION_SMALL,
    OPTION_SHEETS,
    OPTION_WRITE,
    OPTION_METHOD,
    OPTION_INTEGRATOR,
    OPTION_RESUME,
    OPTION_JOBS,
    OPTION_STRICT,
    OPTION_OUT
};
static const AppOption options[] = {{"--seeds", "A:B"},       {"--only", "SEED"}, {"--small", NULL},
                                    {"--sheets", NULL},       {"--write", "DIR"}, {"--method", "NAME"},
                                    {"--integrator", "NAME"}, {"--resume", NULL}, {"--jobs", "N"},
                                    {"--strict", NULL},       {"-o", "DIR"},      {NULL, NULL}};

static int parse_seeds(const char *text, WorldsRun *run) {
    char *end, *last;
    run->first = strtoll(text, &end, 10);
    run->last = *end == ':' ? strtoll(end + 1, &last, 10) : -1;
    if (end == text || *end != ':' || last == end + 1 || *last || run->first < 1 || run->last < run->first ||
        run->last > 1000000000 || run->last - run->first >= 1000000) {
        app_complain("bench",
                     "--seeds takes two numbers from 1 on, the first at most the second, as in 1:100, not '%s'", text);
        return 0;
    }
    return 1;
}

static int parse(int argc, char **argv, Worlds *w) {
    AppArguments arguments = {argc, argv, 3, options, NULL};
    for (;;) {
        switch (app_arguments_next(&arguments)) {
        case APP_END:
            return 1;
        case APP_BAD_OPTION:
            return 0;
        case APP_OPERAND:
            app_complain("bench", "'%s' is no option of `thaw bench worlds`; see `thaw help bench`", arguments.value);
            return 0;
        case OPTION_SEEDS:
            if (!parse_seeds(arguments.value, &w->run))
                return 0;
            break;
        case OPTION_ONLY:
            if (!app_parse_integer("bench", "--only", arguments.value, 1, 1000000000, &w->only))
                return 0;
            break;
        case OPTION_JOBS:
            if (!app_parse_integer("bench", "--jobs", arguments.value, 1, MOST_JOBS, &w->jobs))
                return 0;
            break;
        case OPTION_SMALL:
            w->run.flags |= WORLD_SMALL;
            break;
        case OPTION_SHEETS:
            w->run.flags |= WORLD_SHEETS;
            break;
        case OPTION_WRITE:
            w->write = arguments.value;
            break;
        case OPTION_METHOD:
            w->run.method = arguments.value;
            break;
        case OPTION_INTEGRATOR:
            if (!app_parse_integrator("bench", arguments.value, &w->run.integrator))
                return 0;
            break;
        case OPTION_RESUME:
            w->resume = 1;
            break;
        case OPTION_STRICT:
            w->strict = 1;
            break;
        case OPTION_OUT:
            w->out = arguments.value;
            break;
        }
    }
}

int worlds_command(int argc, char **argv) {
    Worlds w = {.run = {.first = 1, .last = 100, .method = "rigidify"}, .out = "out/bench", .jobs = 2};
    if (!parse(argc, argv, &w))
        return APP_WRONG_INPUT;
    if (w.only > 0)
        w.run.first = w.run.last = w.only;
    if (w.write)
        return write_worlds(&w);
    app_prepare_blas(argv);
    return w.only > 0 ? judge_only(&w) : judge_worlds(&w);
}
