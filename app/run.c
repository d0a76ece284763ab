// SPDX-License-Identifier: Apache-2.0
// `thaw run`: a scene, step by step, into a folder of frames, with statistics and checkpoints.
//
// Each step is followed, in this order, by its row of statistics, its frame and its checkpoint, as they are due. A run that
// is killed loses what came after its last checkpoint and computes it again when resumed, with the same bits; rows and
// frames of the lost stretch are replaced by equal ones. Ctrl-C waits for the end of the step and checkpoints.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

extern const char app_default_scene[] __attribute__((weak)); // scenes/twist.json (cmake/Embed.cmake)
extern const size_t app_default_scene_size __attribute__((weak));

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) { interrupted = signal; }

enum { METHOD, STEPS, OUT, STATS, THREADS, RESUME, STATIC, EVERY, FORMAT, SOLVER, QUIET };

static const AppOption options[] = {
    [METHOD] = {"--method", "NAME"}, [STEPS] = {"--steps", "N"},     [OUT] = {"--out", "DIR"},
    [STATS] = {"--stats", "FILE"},   [THREADS] = {"--threads", "N"}, [RESUME] = {"--resume", NULL},
    [STATIC] = {"--static", NULL},   [EVERY] = {"--every", "N"},     [FORMAT] = {"--format", "vtu,obj,ply"},
    [SOLVER] = {"--solver", "NAME"}, [QUIET] = {"--quiet", NULL},    {NULL, NULL},
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
        case SOLVER:
            run->solver_name = a.value;
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

// --- before the first step -----------------------------------------------------------------------------------------------

static ThawStatus load_scene(AppRun *run, ThawError *error) {
    ThawStatus status;
    if (run->scene_path) {
        status = thaw_scene_load(run->scene_path, &run->scene, error);
        if (status == THAW_OK)
            status = thaw_file_read(run->scene_path, &run->text, &run->text_size, error);
        return status == THAW_ERROR_IO ? THAW_ERROR_INPUT : status; // a scene that cannot be read is wrong input
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

static ThawStatus settle_solver(const char *name, ThawSolverKind *solver, ThawError *error) {
    static const char *const names[] = {[THAW_SOLVER_AUTO] = "auto",
                                        [THAW_SOLVER_PCG] = "pcg",
                                        [THAW_SOLVER_CHOLMOD] = "cholmod",
                                        [THAW_SOLVER_LDL] = "ldl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *solver = (ThawSolverKind)i;
            return THAW_OK;
        }
    return thaw_error_set(error, THAW_ERROR_INPUT, "--solver is '%s'; allowed: auto, pcg, cholmod, ldl", name);
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
    if (run->every < 0)
        run->every = run->scene->frame_every;
    if (!run->formats)
        run->formats = run->scene->frames;
    return status == THAW_OK ? thaw_world_create(&def, &run->world, error) : status;
}

static ThawStatus checkpoint(AppRun *run, ThawError *error) {
    // The frames it counts must reach the disk before it does.
    if (run->lock >= 0 && syncfs(run->lock) && (errno == ENOSPC || errno == EIO || errno == EDQUOT))
        return thaw_error_set(error, THAW_ERROR_IO, "cannot write to %s: %s", run->folder, strerror(errno));
    return thaw_world_save(run->world, run->checkpoint, error);
}

static ThawStatus write_frame(AppRun *run, ThawError *error) {
    run->frames_written++;
    return thaw_frames_write(run->frames, run->world, thaw_world_step_count(run->world) / run->every, error);
}

// From a checkpoint, when one is wanted and there; else from the beginning, with the first frame.
static ThawStatus begin(AppRun *run, ThawError *error) {
    ThawFramesDef def = thaw_frames_def_default();
    int found = 0;
    def.folder = run->folder;
    def.formats = run->formats;
    ThawStatus status = app_folder_lock(run, error);
    if (status == THAW_OK && run->resume)
        status = app_folder_match(run, &found, error);
    if (status == THAW_OK)
        status = thaw_frames_create(run->world, &def, &run->frames, error);
    int64_t removed = 0, keep = -1;
    if (status == THAW_OK && found) {
        status = thaw_world_load(run->world, run->checkpoint, error);
        keep = thaw_world_step_count(run->world);
        if (status == THAW_OK)
            status = thaw_frames_keep(run->frames, keep / run->every, NULL, error);
        if (status == THAW_OK && !run->quiet)
            printf("resumed at step %" PRId64 ", t = %.6g s\n", keep, thaw_world_time(run->world));
    } else if (status == THAW_OK) {
        if (run->resume && !run->quiet)
            printf("no checkpoint in %s yet: starting from the beginning\n", run->folder);
        status = app_folder_begin(run, &removed, error);
        if (removed && !run->quiet)
            printf("removed %" PRId64 " frame%s of an earlier run from %s\n", removed, removed == 1 ? "" : "s",
                   run->folder);
    }
    if (status == THAW_OK && run->stats_path)
        status = thaw_stats_open(run->stats_path, keep, &run->stats, error);
    run->first_time = thaw_world_time(run->world);
    if (status != THAW_OK || found)
        return status;
    if (run->solve_static) {
        ThawStepStats stats = {0};
        status = thaw_world_solve_static(run->world, &stats, error);
        if (status == THAW_OK && !run->quiet)
            printf("static equilibrium found in %d Newton iterations, %.4g s\n", stats.newton_iterations,
                   1e-3 * stats.wall_ms);
    }
    return status == THAW_OK ? write_frame(run, error) : status;
}

// --- the steps -----------------------------------------------------------------------------------------------------------

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
    int64_t checkpoint_every = run->scene->checkpoint_every, saved = -1;
    ThawStatus status = THAW_OK, failed = THAW_OK;
    app_progress_begin(&progress, run->quiet, thaw_world_step_count(run->world), run->steps, run->scene->world.h);
    while (status == THAW_OK && !interrupted && thaw_world_step_count(run->world) < run->steps) {
        ThawStepStats stats = {0};
        failed = thaw_world_step(run->world, &stats, error);
        if (failed != THAW_OK)
            break;
        int64_t step = thaw_world_step_count(run->world);
        double before = thaw_wall_ms();
        run->steps_done++;
        add_up(&run->sum, &stats);
        if (run->stats)
            status = thaw_stats_write(run->stats, &stats, error);
        if (status == THAW_OK && step % run->every == 0)
            status = write_frame(run, error);
        if (status == THAW_OK && checkpoint_every > 0 && step % checkpoint_every == 0) {
            status = checkpoint(run, error);
            saved = step;
        }
        run->output_ms += thaw_wall_ms() - before;
        app_progress_show(&progress, step);
    }
    app_progress_end(&progress);
    // What was finished is kept, also when the step failed: the state is then that before it.
    double before = thaw_wall_ms();
    if (status == THAW_OK && saved != thaw_world_step_count(run->world)) {
        ThawError second = {0};
        status = checkpoint(run, failed == THAW_OK ? error : &second);
        if (failed != THAW_OK && status != THAW_OK)
            app_complain("run", "%s", second.message);
    }
    run->output_ms += thaw_wall_ms() - before;
    return failed != THAW_OK ? failed : status;
}

// --- after the last step -------------------------------------------------------------------------------------------------

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
    thaw_stats_close(&run->stats, NULL);
    thaw_frames_free(&run->frames);
    thaw_world_free(&run->world);
    thaw_scene_free(&run->scene);
    thaw_free(run->bodies);
    thaw_free(run->text);
    if (run->lock >= 0)
        close(run->lock);
}

static int complain_about(const ThawStatus status, const ThawError *error) {
    app_complain("run", "%s", error->message[0] ? error->message : thaw_status_name(status));
    return app_exit_status(status);
}

static int run_scene(AppRun *run, int argc, char **argv) {
    ThawError error = {0};
    run->started_ms = thaw_wall_ms();
    ThawStatus status = load_scene(run, &error);
    if (status == THAW_OK)
        status = create_world(run, &error);
    if (status == THAW_OK) {
        settle_folder(run);
        if (!run->quiet)
            printf("%s: %" PRId64 " steps of %g s into %s\n", run->scene->title, run->steps, run->scene->world.h,
                   run->folder);
        status = begin(run, &error);
    }
    if (status != THAW_OK)
        return complain_about(status, &error);
    run->setup_ms = thaw_wall_ms() - run->started_ms;
    status = steps(run, &error);
    ThawStatus closed = thaw_stats_close(&run->stats, status == THAW_OK ? &error : NULL);
    if (status == THAW_OK)
        status = closed;
    int64_t step = thaw_world_step_count(run->world);
    if (status != THAW_OK) {
        app_complain("run", "failed at step %" PRId64 ", t = %.6g s (%s)%s%s", step + (status > 0),
                     thaw_world_time(run->world), thaw_status_name(status), error.message[0] ? ": " : "",
                     error.message);
        app_complain("run", "kept in %s: every frame so far and the last checkpoint", run->folder);
        return APP_FAILED;
    }
    if (!run->quiet)
        app_report(run);
    if (interrupted && step < run->steps) {
        app_complain("run", "interrupted after step %" PRId64 " of %" PRId64 "; continue with", step, run->steps);
        fputs("  ", stderr);
        print_resume_command(stderr, argc, argv);
        return APP_FAILED;
    }
    if (!run->quiet && run->formats & THAW_FRAMES_VTU) {
        printf("  %" PRId64 " frames: %s/frames.pvd\n  picture: ", step / run->every + 1, run->folder);
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
    run->steps = run->threads = run->every = run->lock = -1;
    int status = APP_WRONG_INPUT;
    if (parse(run, argc, argv)) {
        app_prepare_blas(argv);
        // A second Ctrl-C ends the program at once; files are renamed into place, so that is safe, too.
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
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
    "  --method NAME     moves every body by this method instead of the scene's\n"
    "  --solver NAME     auto, pcg, cholmod or ldl\n"
    "  --threads N       0: one a processor. The results do not depend on it\n"
    "  --static          start from the static equilibrium; without --steps, that is all\n"
    "  --resume          go on from the checkpoint in DIR, to the same bits as an uninterrupted run\n"
    "  --quiet           say nothing but errors\n"
    "\n"
    "DIR holds frame_000000.vtu ..., frames.pvd (open this one), checkpoint.h5, run.json and a copy of the scene.\n"
    "Ctrl-C ends the step, writes a checkpoint and tells how to go on.\n"
    "Exit status: 0 done; 1 the input is wrong; 2 the run failed or was interrupted, what was finished is kept.\n";

const AppCommand app_command_run = {"run", "simulate a scene into a folder of frames", help, command_run};
