// SPDX-License-Identifier: Apache-2.0
// `thaw run`: a scene, step by step, into a folder of frames, with statistics and checkpoints.
//
// Each step is followed, in this order, by its row of statistics, its frame and its checkpoint, as they are due. A run
// that is killed loses what came after its last checkpoint and computes it again when resumed, with the same bits; rows
// and frames of the lost stretch are replaced by equal ones. Between the first step and the last, Ctrl-C waits for the
// end of the step, for half a second at most, and checkpoints the last one that ended; before, it ends the program at
// once, for nothing can be lost.
//
// Unless the scene says otherwise, a checkpoint is written each minute. A clock decides when, but a checkpoint changes
// nothing in the world, so the trajectory does not depend on it.
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "reading.h"
#include "run.h"
#include "scene/read.h"
#include "thaw/doctor.h"

extern const char app_default_scene[] __attribute__((weak)); // scenes/twist.json (cmake/Embed.cmake)
extern const size_t app_default_scene_size __attribute__((weak));

static atomic_int interrupted;      // by this signal
static atomic_llong interrupted_ms; // at this time of the clock below

enum { PATIENCE_MS = 500 }; // for the step in flight to end by itself

static long long clock_ms(void) { // may be asked in a signal handler
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000LL * now.tv_sec + now.tv_nsec / 1000000;
}

static void on_signal(int signal) {
    atomic_store(&interrupted_ms, clock_ms());
    atomic_store(&interrupted, signal);
}

// Whether the step in flight is to be given up: most end soon enough, and are worth more than their beginning.
static int is_too_long(void *context) {
    (void)context;
    return atomic_load(&interrupted) && clock_ms() - atomic_load(&interrupted_ms) >= PATIENCE_MS;
}

enum {
    METHOD,
    STEPS,
    OUT,
    STATS,
    HISTOGRAM,
    THREADS,
    RESUME,
    STATIC,
    EVERY,
    FORMAT,
    INTEGRATOR,
    SOLVER,
    FULL_HASH,
    QUIET
};

static const AppOption options[] = {
    [METHOD] = {"--method", "NAME"},
    [STEPS] = {"--steps", "N"},
    [OUT] = {"--out", "DIR"},
    [STATS] = {"--stats", "FILE"},
    [HISTOGRAM] = {"--histogram", "FILE"},
    [THREADS] = {"--threads", "N"},
    [RESUME] = {"--resume", NULL},
    [STATIC] = {"--static", NULL},
    [EVERY] = {"--every", "N"},
    [FORMAT] = {"--format", "vtu,obj,ply"},
    [INTEGRATOR] = {"--integrator", "NAME"},
    [SOLVER] = {"--solver", "NAME"},
    [FULL_HASH] = {"--full-hash", NULL},
    [QUIET] = {"--quiet", NULL},
    {NULL, NULL},
};

static int parse_formats(const char *text, unsigned *formats) {
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"vtu", THAW_FRAMES_VTU}, {"obj", THAW_FRAMES_OBJ}, {"ply", THAW_FRAMES_PLY}};
    *formats = 0;
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        unsigned bit = 0;
        for (int i = 0; i < 3; i++)
            if (length == 3 && strncmp(at, known[i].name, 3) == 0)
                bit = known[i].bit;
        if (!bit) {
            app_complain("run", "--format is '%s'; allowed: vtu, obj and ply, with commas between them", text);
            return 0;
        }
        *formats |= bit;
        if (!at[length])
            return 1;
        at += length + 1;
    }
}

static int parse(AppRun *run, int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int ok = 1;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case METHOD:
            run->method = a.value;
            break;
        case STEPS:
            ok = app_parse_integer("run", "--steps", a.value, 0, INT64_C(1000000000000), &run->steps);
            break;
        case OUT:
            run->out = a.value;
            ok = *a.value && strlen(a.value) < sizeof run->folder;
            if (!ok)
                app_complain("run", "--out is '%.80s'; allowed: the name of a folder", a.value);
            break;
        case STATS:
            run->stats_path = a.value;
            break;
        case HISTOGRAM:
            run->histogram_path = a.value;
            break;
        case THREADS:
            ok = app_parse_integer("run", "--threads", a.value, 0, 1024, &run->threads);
            break;
        case RESUME:
            run->resume = 1;
            break;
        case STATIC:
            run->solve_static = 1;
            break;
        case EVERY:
            ok = app_parse_integer("run", "--every", a.value, 1, INT64_C(1000000000000), &run->every);
            break;
        case FORMAT:
            ok = parse_formats(a.value, &run->formats);
            break;
        case INTEGRATOR:
            run->integrator = a.value;
            ok = app_parse_integrator("run", a.value, &(ThawIntegrator){0});
            break;
        case SOLVER:
            run->solver_name = a.value;
            break;
        case FULL_HASH:
            run->full_hash = 1;
            break;
        case QUIET:
            run->quiet = 1;
            break;
        case APP_OPERAND:
            ok = !run->scene_path;
            if (!ok)
                app_complain("run", "one scene at a time: both '%s' and '%s' were given", run->scene_path, a.value);
            run->scene_path = a.value;
            break;
        default:
            ok = 0;
        }
    }
    return ok;
}

// --- before the first step -------------------------------------------------------------------------------------------

// The file is read once, so that it may be a pipe, and what is run is what is kept.
static ThawStatus load_scene(AppRun *run, ThawError *error) {
    ThawStatus status = THAW_OK;
    if (run->scene_path) {
        run->text = thaw_scene_read_text(run->scene_path, &run->text_size, &status, error);
        if (!run->text)
            return status == THAW_ERROR_IO ? THAW_ERROR_INPUT : status; // a scene that cannot be read is wrong input
        char *folder = thaw_strdup(run->scene_path), *slash = folder ? strrchr(folder, '/') : NULL;
        if (!folder)
            return thaw_error_memory(error, "a scene's folder");
        folder[slash ? slash - folder + 1 : 0] = 0; // the slash stays: "/" is a folder, "" is the working one
        status = app_scene_parse(run->text, run->text_size, run->scene_path, folder, &run->scene, error);
        thaw_free(folder);
        return status == THAW_ERROR_IO ? THAW_ERROR_INPUT : status;
    }
    if (!app_default_scene)
        return thaw_error_set(error, THAW_ERROR_INPUT, "name a scene: this build has none of its own");
    run->text_size = app_default_scene_size;
    run->text = THAW_NEW(char, run->text_size + 1);
    if (!run->text)
        return thaw_error_memory(error, "the built-in scene");
    memcpy(run->text, app_default_scene, run->text_size);
    return thaw_scene_parse(run->text, run->text_size, "(built-in scene)", NULL, &run->scene, error);
}

// out/NAME, where NAME is the scene's file without folder and ending.
static void settle_folder(AppRun *run) {
    const char *path = run->scene_path ? run->scene_path : "twist", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    if (run->out)
        snprintf(run->folder, sizeof run->folder, "%s", run->out);
    else
        snprintf(run->folder, sizeof run->folder, "out/%.*s", length < 1000 ? length : 1000, name);
    for (size_t end = strlen(run->folder); end > 1 && run->folder[end - 1] == '/'; end--)
        run->folder[end - 1] = 0;
    snprintf(run->checkpoint, sizeof run->checkpoint, "%s/checkpoint.h5", run->folder);
}

static const char *const solver_names[] = {[THAW_SOLVER_AUTO] = "auto",
                                           [THAW_SOLVER_PCG] = "pcg",
                                           [THAW_SOLVER_CHOLMOD] = "cholmod",
                                           [THAW_SOLVER_LDL] = "ldl",
                                           [THAW_SOLVER_PCG_SCALED] = "pcg-scaled"};
enum { SOLVERS = sizeof solver_names / sizeof *solver_names };

static ThawStatus settle_solver(const char *name, ThawSolverKind *solver, ThawError *error) {
    for (size_t i = 0; i < SOLVERS; i++)
        if (strcmp(name, solver_names[i]) == 0) {
            *solver = (ThawSolverKind)i;
            return THAW_OK;
        }
    return thaw_error_set(error, THAW_ERROR_INPUT, "--solver is '%s'; allowed: auto, pcg, cholmod, ldl, pcg-scaled",
                          name);
}

// Which solvers the world came to. It is that of the first step: later ones follow from it and from the scene.
static void describe_solvers(AppRun *run) {
    int32_t count[SOLVERS] = {0}, bodies = thaw_world_body_count(run->world);
    size_t length = 0;
    for (int32_t b = 0; b < bodies; b++)
        count[thaw_world_solver(run->world, b)]++;
    if (count[THAW_SOLVER_AUTO] == bodies)
        snprintf(run->solver, sizeof run->solver, "none");
    for (int i = THAW_SOLVER_PCG; i < SOLVERS && length < sizeof run->solver; i++)
        if (count[i] == bodies)
            snprintf(run->solver, sizeof run->solver, "%s", solver_names[i]);
        else if (count[i])
            length +=
                (size_t)snprintf(run->solver + length, sizeof run->solver - length, "%s%s (%d %s)", length ? ", " : "",
                                 solver_names[i], (int)count[i], count[i] == 1 ? "body" : "bodies");
}

// What the command line says goes over what the scene says; the scene itself is left alone.
static ThawStatus create_world(AppRun *run, ThawError *error) {
    ThawWorldDef def = run->scene->world;
    ThawStatus status = THAW_OK;
    run->digest = run->scene->digest;
    if (run->method) {
        run->bodies = THAW_NEW(ThawBodyDef, def.body_count);
        if (!run->bodies)
            return thaw_error_memory(error, "bodies");
        for (int32_t b = 0; b < def.body_count; b++) {
            run->bodies[b] = def.bodies[b];
            run->bodies[b].method = run->method;
        }
        def.bodies = run->bodies;
        run->digest = thaw_hash(run->digest, run->method, strlen(run->method));
    }
    if (run->integrator) {
        app_parse_integrator("run", run->integrator, &def.integrator);
        run->digest = thaw_hash(run->digest, run->integrator, strlen(run->integrator));
    }
    if (run->solver_name) {
        status = settle_solver(run->solver_name, &def.solver, error);
        run->digest = thaw_hash(run->digest, run->solver_name, strlen(run->solver_name));
    }
    if (run->solve_static)
        run->digest = thaw_hash(run->digest, "static", 6);
    if (run->threads >= 0)
        def.threads = (int)run->threads;
    if (run->steps < 0)
        run->steps = run->solve_static ? 0 : run->scene->steps;
    run->every_given = run->every > 0;
    if (!run->every_given)
        run->every = run->scene->frame_every;
    if (!run->formats)
        run->formats = run->scene->frames;
    if (status == THAW_OK)
        status = thaw_world_create(&def, &run->world, error);
    if (status == THAW_OK)
        describe_solvers(run);
    if (status == THAW_OK)
        status = app_attachments_begin(run, error);
    return status == THAW_OK ? app_watch_create(run->world, &run->watch, error) : status;
}

// The frames and rows it counts reach the disk before it does.
static ThawStatus checkpoint(AppRun *run, ThawError *error) {
    ThawStatus status = thaw_frames_sync(run->frames, error);
    for (int t = 0; t < APP_TABLES && status == THAW_OK; t++)
        if (run->tables[t])
            status = thaw_table_sync(run->tables[t], error);
    if (status == THAW_OK)
        status = thaw_world_save(run->world, run->checkpoint, error);
    if (status == THAW_OK) {
        run->saved = thaw_world_step_count(run->world);
        run->saved_ms = thaw_wall_ms();
    }
    return status;
}

// On a full disk: without the index, which is made anew from the frames when the run goes on.
static ThawStatus save_alone(AppRun *run, ThawError *error) {
    ThawStatus status = thaw_world_save(run->world, run->checkpoint, error);
    if (status == THAW_OK)
        run->saved = thaw_world_step_count(run->world);
    return status;
}

static ThawStatus write_frame(AppRun *run, ThawError *error) {
    int64_t number = thaw_world_step_count(run->world) / run->every;
    ThawStatus status = thaw_frames_write(run->frames, run->world, number, error);
    if (status == THAW_OK)
        run->last_frame = number;
    return status;
}

static ThawStatus solve_static(AppRun *run, ThawError *error) {
    ThawStepStats stats = {0};
    ThawStatus status = thaw_world_solve_static(run->world, &stats, error);
    if (status == THAW_OK && !run->quiet)
        printf("static equilibrium found in %d Newton iterations, %.4g s\n", stats.newton_iterations,
               1e-3 * stats.wall_ms);
    return status;
}

// Goes on from the checkpoint. Its last frame is missing if the disk was full then.
static ThawStatus go_on(AppRun *run, ThawError *error) {
    int64_t step = thaw_world_step_count(run->world), frame = step / run->every;
    ThawStatus status = thaw_frames_keep(run->frames, frame, NULL, error);
    if (status != THAW_OK)
        return status;
    run->saved = step;
    run->last_frame = frame;
    if (!run->quiet)
        printf("resumed at step %" PRId64 ", t = %.6g s\n", step, thaw_world_time(run->world));
    if (!run->quiet && step >= run->steps)
        printf("nothing is left to do: %" PRId64 " steps were asked for\n", run->steps);
    return step % run->every == 0 && !thaw_frames_has(run->frames, frame) ? write_frame(run, error) : THAW_OK;
}

// Starts from the beginning. Frames of the same run that was killed before its first checkpoint stay, and are replaced
// by equal ones as they come.
static ThawStatus start_over(AppRun *run, AppTrace trace, ThawError *error) {
    int64_t removed = 0;
    if (run->resume && run->quiet) // not what was asked for
        app_complain("run", "no checkpoint in %s yet: starting from the beginning", run->folder);
    else if (run->resume)
        printf("no checkpoint in %s yet: starting from the beginning\n", run->folder);
    ThawStatus status = app_folder_begin(run, trace == APP_TRACE_BEGUN ? INT64_MAX : -1, &removed, error);
    if (removed && !run->quiet)
        printf("removed %" PRId64 " frame%s of an earlier run from %s\n", removed, removed == 1 ? "" : "s",
               run->folder);
    return status == THAW_OK ? write_frame(run, error) : status;
}

// The folder's own table, for replays and reports; unless it is the very one that was asked for.
static ThawStatus open_steps(AppRun *run, int64_t keep, ThawError *error) {
    char path[4096];
    struct stat asked, own;
    snprintf(path, sizeof path, "%s/steps.csv", run->folder);
    if (!stat(path, &own) && !S_ISREG(own.st_mode))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s is not a plain file; remove it, or use another --out", path);
    if (run->stats_path && !stat(run->stats_path, &asked) && !stat(path, &own) && asked.st_dev == own.st_dev &&
        asked.st_ino == own.st_ino)
        return THAW_OK;
    return thaw_stats_open(path, keep, run->world, &run->tables[APP_STEPS], error);
}

// Everything that can fail comes first, what removes an earlier run's files last.
static ThawStatus begin(AppRun *run, ThawError *error) {
    ThawFramesDef def = thaw_frames_def_default();
    AppTrace trace = APP_TRACE_NONE;
    int64_t keep = -1;
    def.folder = run->folder;
    def.formats = run->formats;
    ThawStatus status = app_folder_lock(run, error);
    if (status == THAW_OK && run->resume)
        status = app_folder_match(run, &trace, error);
    if (status == THAW_OK)
        status = thaw_frames_create(run->world, &def, &run->frames, error);
    int found = trace == APP_TRACE_CHECKPOINT;
    if (status == THAW_OK && found) {
        status = thaw_world_load(run->world, run->checkpoint, error);
        keep = thaw_world_step_count(run->world);
    } else if (status == THAW_OK && run->solve_static) {
        status = solve_static(run, error);
    }
    if (status == THAW_OK && run->stats_path)
        status = thaw_stats_open(run->stats_path, keep, run->world, &run->tables[APP_STATS], error);
    if (status == THAW_OK && run->histogram_path)
        status = thaw_histogram_open(run->histogram_path, keep, &run->tables[APP_HISTOGRAM], error);
    run->first_time = thaw_world_time(run->world);
    app_attachments_skip(run);
    if (status == THAW_OK)
        status = found ? go_on(run, error) : start_over(run, trace, error);
    if (status == THAW_OK)
        status = open_steps(run, keep, error);
    run->saved_ms = thaw_wall_ms();
    return status;
}

// --- the steps -------------------------------------------------------------------------------------------------------

static void add_up(ThawStepStats *sum, const ThawStepStats *s) {
    sum->wall_ms += s->wall_ms;
    sum->cpu_ms += s->cpu_ms;
    sum->force_ms += s->force_ms;
    sum->assemble_ms += s->assemble_ms;
    sum->factor_ms += s->factor_ms;
    sum->solve_ms += s->solve_ms;
    sum->oracle_ms += s->oracle_ms;
    sum->contact_ms += s->contact_ms;
    sum->response_ms += s->response_ms;
    sum->advance_ms += s->advance_ms;
    sum->ledger_ms += s->ledger_ms;
}

static ThawStatus steps(AppRun *run, ThawError *error) {
    AppProgress progress;
    ThawStatus status = THAW_OK, failed = THAW_OK;
    int64_t tried = run->saved; // the step of the last checkpoint that was tried
    // From here on a signal asks for the end of the step. A second one ends the program at once; files are renamed into
    // place, so that is safe, too.
    app_listen_to_signals(on_signal, 1);
    thaw_world_set_cancel(run->world, &(ThawCancel){.wanted = is_too_long});
    app_progress_begin(&progress, run->quiet, "step", thaw_world_step_count(run->world), run->steps,
                       run->scene->world.h);
    while (status == THAW_OK && !interrupted && thaw_world_step_count(run->world) < run->steps) {
        ThawStepStats stats = {0};
        failed = thaw_world_step(run->world, &stats, error);
        if (failed != THAW_OK)
            break;
        int64_t step = thaw_world_step_count(run->world);
        double before = thaw_wall_ms();
        run->steps_done++;
        add_up(&run->sum, &stats);
        app_watch_step(&run->watch, run->world, &stats);
        for (int t = APP_STEPS; t <= APP_STATS && status == THAW_OK; t++)
            if (run->tables[t])
                status = thaw_stats_write(run->tables[t], run->world, &stats, error);
        if (status == THAW_OK && run->tables[APP_HISTOGRAM] && step % run->every == 0)
            status = thaw_histogram_write(run->tables[APP_HISTOGRAM], run->world, error);
        if (status == THAW_OK && step % run->every == 0)
            status = write_frame(run, error);
        if (status == THAW_OK && app_checkpoint_due(run->scene->checkpoint_every, step, before - run->saved_ms)) {
            status = checkpoint(run, error);
            tried = step;
        }
        run->output_ms += thaw_wall_ms() - before;
        app_attachments_tell(run, &progress);
        app_progress_show(&progress, step);
    }
    app_progress_end(&progress);
    if (failed == THAW_CANCELLED) // the state is that of the last step
        failed = THAW_OK;
    // What was finished is kept. When the step failed, the state is that before it; when a file could not be written,
    // there may still be room for a checkpoint.
    double before = thaw_wall_ms();
    if (tried != thaw_world_step_count(run->world)) {
        int first = failed == THAW_OK && status == THAW_OK;
        ThawError second = {0};
        ThawStatus saved = checkpoint(run, first ? error : &second);
        if (!first && saved == THAW_ERROR_IO && status != THAW_OK) // the index may not fit, but the checkpoint
            saved = save_alone(run, &second);
        if (first)
            status = saved;
        else if (saved != THAW_OK)
            app_complain("run", "no checkpoint either: %s", second.message);
    }
    run->output_ms += thaw_wall_ms() - before;
    return failed != THAW_OK ? failed : status;
}

// --- after the last step ---------------------------------------------------------------------------------------------

static void print_resume_command(FILE *stream, int argc, char **argv) {
    int has_resume = 0;
    for (int i = 0; i < argc; i++) {
        has_resume |= strcmp(argv[i], "--resume") == 0;
        if (i)
            fputc(' ', stream);
        app_print_word(stream, argv[i]);
    }
    fputs(has_resume ? "\n" : " --resume\n", stream);
}

static void finish(AppRun *run) {
    for (int t = 0; t < APP_TABLES; t++)
        thaw_table_close(&run->tables[t], NULL);
    thaw_frames_free(&run->frames);
    app_watch_clear(&run->watch);
    thaw_world_free(&run->world);
    thaw_scene_free(&run->scene);
    thaw_free(run->bodies);
    thaw_free(run->told);
    thaw_free(run->text);
    if (run->lock >= 0)
        close(run->lock);
}

static int complain_about(const ThawStatus status, const ThawError *error) {
    app_complain("run", "%s", error->message[0] ? error->message : thaw_status_name(status));
    return app_exit_status(status);
}

// Says no more than what is there.
static void print_kept(const AppRun *run, ThawStatus status, int argc, char **argv) {
    char frames[64] = "no frame", saved[64] = "no checkpoint";
    if (run->last_frame == 0)
        snprintf(frames, sizeof frames, "frame 0");
    else if (run->last_frame > 0)
        snprintf(frames, sizeof frames, "frames 0 to %" PRId64, run->last_frame);
    if (run->saved >= 0)
        snprintf(saved, sizeof saved, "the checkpoint of step %" PRId64, run->saved);
    // A step that failed would fail again; a disk may have room now.
    int useful = run->saved >= 0 && status < 0;
    app_complain("run", "kept in %s: %s and %s%s", run->folder, frames, saved, useful ? "; continue with" : "");
    if (useful) {
        fputs("  ", stderr);
        print_resume_command(stderr, argc, argv);
    }
}

static int report_failure(const AppRun *run, ThawStatus status, const ThawError *error, int argc, char **argv) {
    // What the engine says of a step that failed begins with the step.
    if (strncmp(error->message, "step ", 5) == 0)
        app_complain("run", "failed at %s", error->message);
    else
        app_complain("run", "failed at step %" PRId64 ", t = %.6g s: %s",
                     thaw_world_step_count(run->world) + (status > 0), thaw_world_time(run->world),
                     error->message[0] ? error->message : thaw_status_name(status));
    print_kept(run, status, argc, argv);
    return APP_FAILED;
}

static void print_title(const AppRun *run) {
    const char *title = run->scene->title[0] ? run->scene->title : run->scene_path ? run->scene_path : "built-in scene";
    printf("%s: ", title);
    if (run->solve_static)
        printf("static equilibrium%s", run->steps ? ", then " : "");
    if (run->steps || !run->solve_static)
        printf("%" PRId64 " step%s of %g s", run->steps, run->steps == 1 ? "" : "s", run->scene->world.h);
    printf(" into %s\n", run->folder);
    app_print_groups(run->world);
    fflush(stdout);
}

// Free bytes where the folder is or will be; infinite where that is not known.
static double room_for(const AppRun *run) {
    struct statvfs about;
    char path[4000];
    snprintf(path, sizeof path, "%s", run->folder);
    while (statvfs(path, &about)) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return statvfs(slash ? "/" : ".", &about) ? INFINITY : (double)about.f_bavail * (double)about.f_frsize;
        *slash = 0;
    }
    return (double)about.f_bavail * (double)about.f_frsize;
}

// bytes, in words.
static const char *size_text(double bytes, char text[24]) {
    snprintf(text, 24, "%.1f %s", bytes / (bytes < 1e9 ? 1e6 : 1e9), bytes < 1e9 ? "MB" : "GB");
    return text;
}

// Says beforehand what would show only after hours, or as the end of all memory.
static void warn(const AppRun *run) {
    const int64_t steps = run->steps >= 0 ? run->steps : run->solve_static ? 0 : run->scene->steps;
    const int64_t every = run->every > 0 ? run->every : run->scene->frame_every;
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    ThawCost cost;
    char duration[40], size[24], room[24];
    thaw_scene_cost(run->scene, steps, every, &cost);
    thaw_cost_duration(cost.seconds, duration);
    if (cost.memory > 0.7 * machine)
        app_complain("run", "warning: this scene takes about %.1f GB of memory; the machine has %.1f GB",
                     cost.memory / 1e9, machine / 1e9);
    if (cost.seconds > 86400)
        app_complain("run", "warning: %" PRId64 " steps take about %s of one core%s; Ctrl-C keeps what is done", steps,
                     duration, cost.touching ? ", or more where much touches" : "");
    if (cost.disk > room_for(run) || cost.disk > 100e9)
        app_complain("run", "warning: %.0f frames take about %s, and %s has room for %s; see --every", cost.frames,
                     size_text(cost.disk, size), run->folder, size_text(room_for(run), room));
}

static int run_scene(AppRun *run, int argc, char **argv) {
    ThawError error = {0};
    run->started_ms = thaw_wall_ms();
    ThawStatus status = load_scene(run, &error);
    if (status == THAW_OK) {
        settle_folder(run);
        warn(run);
    }
    if (status == THAW_OK)
        status = create_world(run, &error);
    if (status == THAW_OK) {
        if (!run->quiet)
            print_title(run);
        status = begin(run, &error);
    }
    if (status != THAW_OK)
        return complain_about(status, &error);
    run->setup_ms = thaw_wall_ms() - run->started_ms;
    status = steps(run, &error);
    for (int t = 0; t < APP_TABLES && status == THAW_OK; t++)
        status = thaw_table_close(&run->tables[t], &error);
    if (status != THAW_OK)
        return report_failure(run, status, &error, argc, argv);
    int64_t step = thaw_world_step_count(run->world);
    if (!run->quiet)
        app_report(run);
    if (!run->quiet)
        app_attachments_print(run);
    fflush(stdout);
    app_watch_complain(&run->watch, run->world, "run", NULL);
    if (!run->quiet && run->steps_done && step >= run->scene->steps)
        app_print_moving(run->world);
    if (interrupted && step < run->steps) {
        app_complain("run", "interrupted after step %" PRId64 " of %" PRId64 "; continue with", step, run->steps);
        fputs("  ", stderr);
        print_resume_command(stderr, argc, argv);
        return APP_FAILED;
    }
    if (!run->quiet && run->formats & THAW_FRAMES_VTU) {
        int64_t count = step / run->every + 1;
        printf("  %" PRId64 " frame%s: %s/frames.pvd\n  picture: ", count, count == 1 ? "" : "s", run->folder);
        app_print_word(stdout, argv[0]);
        printf(" render ");
        app_print_word(stdout, run->folder);
        printf(" -o picture.png\n");
    }
    return APP_DONE;
}

static int command_run(int argc, char **argv) {
    AppRun *run = THAW_NEW(AppRun, 1);
    if (!run) {
        app_complain("run", "out of memory");
        return APP_FAILED;
    }
    run->steps = run->threads = run->every = run->lock = run->saved = run->last_frame = -1;
    int status = APP_WRONG_INPUT;
    if (parse(run, argc, argv)) {
        app_prepare_blas(argv);
        signal(SIGPIPE, SIG_IGN); // a reader of our lines that goes away does not end the run
        status = run_scene(run, argc, argv);
    }
    finish(run);
    thaw_free(run);
    return status;
}

static const char help[] =
    "usage: thaw run [SCENE.json] [OPTIONS]\n"
    "\n"
    "Simulates a scene and writes frames that ParaView, Blender and `thaw render` open. Without a scene: a bar that "
    "is\n"
    "twisted and let go.\n"
    "\n"
    "  --steps N         how many steps in all (default: the scene's)\n"
    "  --out DIR         the folder to write (default: out/ and the scene's name); frames of an earlier run in it are\n"
    "                    replaced\n"
    "  --every N         a frame every N steps\n"
    "  --format LIST     of vtu, obj, ply, with commas between them\n"
    "  --stats FILE.csv  one row of numbers a step: times, sizes, energies, hash\n"
    "  --histogram FILE.csv  with each frame, how strain rates and predicted strains are spread over the elements\n"
    "  --method NAME     moves every body by this method instead of the scene's\n"
    "  --integrator NAME instead of the scene's (docs/motion.md)\n"
    "  --solver NAME     auto, pcg, cholmod, ldl or pcg-scaled\n"
    "  --threads N       0: one a processor. The results do not depend on it\n"
    "  --static          start from the static equilibrium; without --steps, that is all\n"
    "  --resume          go on from the checkpoint in DIR, to the same bits as an uninterrupted run\n"
    "  --full-hash       also print the hash of all that methods keep (docs/determinism.md)\n"
    "  --quiet           say nothing but errors, warnings, and that there was nothing to resume\n"
    "\n"
    "DIR holds frame_000000.vtu ..., frames.pvd (open this one), checkpoint.h5, run.json and a copy of the scene.\n"
    "Ctrl-C ends the step (or gives it up after half a second), writes a checkpoint and tells how to go on. A\n"
    "checkpoint is also written each minute, or as the scene's checkpoint_every says; it does not change a bit of the\n"
    "result.\n"
    "Warnings at the end say what went wrong on the way: contact forces above their tolerance, energy out of nothing,\n"
    "elements that are inside out.\n"
    "Exit status: 0 done; 1 the input is wrong; 2 the run failed or was interrupted, what was finished is kept.\n";

const AppCommand app_command_run = {"run", "simulate a scene into a folder of frames", help, command_run};
