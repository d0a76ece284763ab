// SPDX-License-Identifier: Apache-2.0
// What is said while a run or a film is made: a bar on a terminal, ten plain lines in a pipe; and the table at a run's
// end.
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "run.h"

void app_print_word(FILE *stream, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:+%@";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, stream);
    fputc('\'', stream);
}

// "3 s", "2 min 05 s", "1 h 07 min"
static void format_duration(double seconds, char text[32]) {
    if (!(seconds < 1e7))
        snprintf(text, 32, "-");
    else if (seconds < 60)
        snprintf(text, 32, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(text, 32, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, 32, "%d h %02d min", (int)(seconds / 3600), (int)seconds / 60 % 60);
}

void app_progress_begin(AppProgress *p, int quiet, const char *unit, int64_t first, int64_t last, double h) {
    *p = (AppProgress){
        .quiet = quiet, .terminal = isatty(STDOUT_FILENO), .unit = unit, .first = first, .last = last, .h = h};
    p->started_ms = thaw_wall_ms();
    p->shown_ms = -INFINITY;
    p->tenth = last > 0 ? (int)(10 * first / last) : 10;
}

// To the terminal itself: escape sequences of ours, which standard output would show and not do (printable.c).
static void put_bar(const char *text) {
    fflush(stdout);
    for (size_t left = strlen(text); left > 0;) {
        const ssize_t done = write(STDOUT_FILENO, text, left);
        if (done <= 0)
            return;
        text += done;
        left -= (size_t)done;
    }
}

// One line, never longer than the terminal is wide: a longer one would leave a trail.
static void draw_bar(double part, const char *text, int length) {
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}; // make the bar move smoothly
    struct winsize window;
    int columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) || !window.ws_col ? 80 : window.ws_col;
    int width = columns - length - 5;
    width = width < 0 ? 0 : width > 40 ? 40 : width;
    int eighths = (int)(8 * width * part);
    char line[512];
    int used = snprintf(line, sizeof line, "\r  ");
    for (int i = 0; i < eighths / 8; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "█");
    snprintf(line + used, sizeof line - (size_t)used, "%s%*s%.*s\033[K", eighth[eighths % 8], width - (eighths + 7) / 8,
             "", columns - 3, text);
    put_bar(line);
}

void app_progress_show(AppProgress *p, int64_t done) {
    double now = thaw_wall_ms(), seconds = 1e-3 * (now - p->started_ms);
    int tenth = p->last > 0 ? (int)(10 * done / p->last) : 10;
    // A bar ten times a second is smooth, and costs nothing.
    int due = p->terminal ? now - p->shown_ms >= 100 || done == p->last : tenth > p->tenth;
    if (p->quiet || !due)
        return;
    p->shown_ms = now;
    p->tenth = tenth;
    double rate = seconds > 0 ? (double)(done - p->first) / seconds : 0;
    char left[32], time[40] = "";
    format_duration(rate > 0 ? (double)(p->last - done) / rate : INFINITY, left);
    if (p->terminal) {
        char text[160];
        int percent = p->last > 0 ? (int)(100 * done / p->last) : 100;
        if (p->h > 0)
            snprintf(time, sizeof time, "  %.3g x real time", rate * p->h);
        int length = snprintf(text, sizeof text, "%3d %%  %s %" PRId64 "/%" PRId64 "  %.4g %ss/s%s  %s left", percent,
                              p->unit, done, p->last, rate, p->unit, time, left);
        draw_bar(p->last > 0 ? (double)done / (double)p->last : 1, text, length);
    } else {
        if (p->h > 0)
            snprintf(time, sizeof time, "  t = %.4g s", (double)done * p->h);
        printf("%3d %%  %s %" PRId64 " of %" PRId64 "%s  %.4g %ss/s  %s left\n", 10 * tenth, p->unit, done, p->last,
               time, rate, p->unit, left);
    }
    fflush(stdout);
}

void app_progress_end(AppProgress *p) {
    if (p->terminal && !p->quiet)
        put_bar("\r\033[K");
    fflush(stdout);
}

void app_report(const AppRun *run) {
    const ThawStepStats *s = &run->sum;
    double wall = thaw_wall_ms() - run->started_ms;
    double steps = run->steps_done ? (double)run->steps_done : 1;
    double inside = s->force_ms + s->assemble_ms + s->factor_ms + s->solve_ms + s->oracle_ms + s->contact_ms +
                    s->response_ms + s->advance_ms + s->ledger_ms;
    const struct {
        const char *name;
        double ms;
    } rows[] = {
        {"setting up", run->setup_ms},
        {"forces", s->force_ms},
        {"assembly", s->assemble_ms},
        {"factor", s->factor_ms},
        {"solve", s->solve_ms},
        {"oracle", s->oracle_ms},
        {"contact detection", s->contact_ms},
        {"contact response", s->response_ms},
        {"advance", s->advance_ms},
        {"ledger", s->ledger_ms},
        {"rest of the step", s->wall_ms > inside ? s->wall_ms - inside : 0},
        {"frames and files", run->output_ms},
    };
    if (run->steps_done) // else there is nothing to divide
        printf("\n  stage                    s   ms/step      %%\n");
    for (size_t i = 0; run->steps_done && i < sizeof rows / sizeof *rows; i++)
        printf("  %-18s %7.2f %9.3f  %5.1f\n", rows[i].name, 1e-3 * rows[i].ms, rows[i].ms / steps,
               100 * rows[i].ms / (wall > 0 ? wall : 1));
    if (run->steps_done)
        printf("  %-18s %7.2f %9.3f  (%.2f s of processor time in steps)\n\n", "all", 1e-3 * wall, wall / steps,
               1e-3 * s->cpu_ms);
    double simulated = thaw_world_time(run->world) - run->first_time;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (run->steps_done)
        printf("  %" PRId64 " step%s, %.4g steps/s, %.3g x real time, %.0f MiB\n", run->steps_done,
               run->steps_done == 1 ? "" : "s", 1e3 * (double)run->steps_done / wall, 1e3 * simulated / wall,
               (double)usage.ru_maxrss / 1024);
    printf("  state hash %016" PRIx64 " at step %" PRId64 ", t = %.6g s\n", thaw_world_hash(run->world),
           thaw_world_step_count(run->world), thaw_world_time(run->world));
    if (run->full_hash)
        printf("  full hash  %016" PRIx64 "\n", thaw_world_full_hash(run->world));
}
