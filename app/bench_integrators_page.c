// SPDX-License-Identifier: Apache-2.0
// The page of `thaw bench integrators`, and its picture: error over CPU time, a panel a motion.
#include <math.h>
#include <string.h>

#include "bench_integrators.h"
#include "plot.h"
#include "registry/scheme.h"

static const char PICTURE[] = "integrators.png";
static const double WANTED[] = {0.1, 0.01, 0.001}; // errors that the page compares costs at

// CPU ms that the motion takes where its error falls below `wanted` for good, between two steps by powers of h; NAN: by
// none of the steps. Where the longest is good enough, its time.
static double cost_at(const Bench *bench, const char *row, int integrator, double wanted) {
    for (int level = BENCH_LEVELS; level-- > 0;) {
        const double error = bench_figure(bench, row, integrator, level, "error"),
                     cpu = bench_figure(bench, row, integrator, level, "cpu_ms");
        if (!(error > wanted) && !isnan(error))
            continue;
        if (level + 1 == BENCH_LEVELS)
            return NAN;
        const double better = bench_figure(bench, row, integrator, level + 1, "error"),
                     dearer = bench_figure(bench, row, integrator, level + 1, "cpu_ms");
        if (isnan(error))
            return dearer;
        return cpu * pow(dearer / cpu, log(error / wanted) / log(error / better));
    }
    return bench_figure(bench, row, integrator, 0, "cpu_ms");
}

// By the two shortest steps.
static double order_of(const Bench *bench, const char *row, int integrator) {
    return log2(bench_figure(bench, row, integrator, BENCH_LEVELS - 2, "error") /
                bench_figure(bench, row, integrator, BENCH_LEVELS - 1, "error"));
}

static int is_there(const Bench *bench, const char *row) { return bench_get(bench, row, "elements") > 0; }

// --- tables ----------------------------------------------------------------------------------------------------------

static void write_header(FILE *page, const char *first, const char *const *titles, int count) {
    fprintf(page, "| %s |", first);
    for (int i = 0; i < count; i++)
        fprintf(page, " %s |", titles[i]);
    fputs("\n|---|", page);
    for (int i = 0; i < count; i++)
        fputs("---|", page);
    fputc('\n', page);
}

static void number(FILE *page, const char *format, double value) {
    fputc(' ', page);
    if (isnan(value))
        fputc('-', page);
    else
        fprintf(page, format, value);
    fputs(" |", page);
}

static void integrator_names(const char *names[THAW_INTEGRATOR_COUNT]) {
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
        names[i] = thaw_scheme((ThawIntegrator)i)->name;
}

static void write_costs(const Bench *bench, FILE *page) {
    const char *names[THAW_INTEGRATOR_COUNT];
    integrator_names(names);
    fprintf(page, "## Cost at equal accuracy\n\nCPU ms that the whole motion takes, with steps just so short that the "
                  "error is 10, 1 and 0.1 percent of a body's diameter; a dash where none of the steps is.\n\n");
    write_header(page, "motion, error", names, THAW_INTEGRATOR_COUNT);
    for (int m = 0; m < bench_motion_count; m++)
        for (size_t w = 0; w < sizeof WANTED / sizeof *WANTED && is_there(bench, bench_motions[m].row); w++) {
            fprintf(page, "| %s, %g %% |", bench_motions[m].row, 100 * WANTED[w]);
            for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
                number(page, "%.3g", cost_at(bench, bench_motions[m].row, i, WANTED[w]));
            fputc('\n', page);
        }
    fputc('\n', page);
}

static void write_errors(const Bench *bench, const BenchMotion *motion, FILE *page) {
    char text[BENCH_LEVELS][32];
    const char *titles[BENCH_LEVELS + 1];
    for (int level = 0; level < BENCH_LEVELS; level++) {
        snprintf(text[level], sizeof text[level], "%g ms", 1e3 * motion->h / (1 << level));
        titles[level] = text[level];
    }
    titles[BENCH_LEVELS] = "order at last";
    fprintf(page,
            "## %s\n\n%.0f elements, %.2g s. Error in percent of a diameter, and CPU ms. Where it should be is itself "
            "known to %.1e percent or so.\n\n",
            motion->title, bench_get(bench, motion->row, "elements"),
            motion->h * bench_get(bench, motion->row, "samples"), 100 * bench_get(bench, motion->row, "reference"));
    write_header(page, "h", titles, BENCH_LEVELS + 1);
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        fprintf(page, "| %s |", thaw_scheme((ThawIntegrator)i)->name);
        for (int level = 0; level < BENCH_LEVELS; level++) {
            const double error = bench_figure(bench, motion->row, i, level, "error");
            if (isnan(error))
                fputs(" fails |", page);
            else
                fprintf(page, " %.2g %%, %.3g |", 100 * error, bench_figure(bench, motion->row, i, level, "cpu_ms"));
        }
        number(page, "%.2f", order_of(bench, motion->row, i));
        fputc('\n', page);
    }
    fputc('\n', page);
}

static void write_stages(const Bench *bench, const BenchMotion *motion, FILE *page) {
    const char *titles[20] = {"CPU ms a step"};
    for (int s = 0; s < bench_stage_count; s++)
        titles[s + 1] = bench_stages[s].title;
    titles[bench_stage_count + 1] = "the rest";
    fprintf(page, "Where a step of %g ms goes, in percent of its wall time:\n\n",
            1e3 * motion->h / (1 << BENCH_STAGE_LEVEL));
    write_header(page, "integrator", titles, bench_stage_count + 2);
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const double wall = bench_figure(bench, motion->row, i, BENCH_STAGE_LEVEL, "wall_ms");
        double rest = wall;
        fprintf(page, "| %s |", thaw_scheme((ThawIntegrator)i)->name);
        number(page, "%.3f",
               bench_figure(bench, motion->row, i, BENCH_STAGE_LEVEL, "cpu_ms") /
                   bench_figure(bench, motion->row, i, BENCH_STAGE_LEVEL, "steps"));
        for (int s = 0; s < bench_stage_count; s++) {
            const double ms = bench_figure(bench, motion->row, i, BENCH_STAGE_LEVEL, bench_stages[s].key);
            number(page, "%.0f", 100 * ms / wall);
            rest -= ms;
        }
        number(page, "%.0f", 100 * rest / wall);
        fputc('\n', page);
    }
    fputc('\n', page);
}

// --- the picture -----------------------------------------------------------------------------------------------------

enum { ACROSS = 3, PANEL_WIDTH = 380, PANEL_HEIGHT = 300, LEGEND = 40 };

static void colour_of(int integrator, unsigned char colour[3]) {
    static const unsigned char colours[THAW_INTEGRATOR_COUNT][3] = {{120, 124, 130}, {190, 190, 196}, {88, 148, 189},
                                                                    {30, 84, 130},   {232, 147, 92},  {178, 60, 40}};
    memcpy(colour, colours[integrator], 3);
}

static void draw_motion(const Bench *bench, const BenchMotion *motion, Plot *plot, Picture *picture) {
    double cpu[THAW_INTEGRATOR_COUNT][BENCH_LEVELS], error[THAW_INTEGRATOR_COUNT][BENCH_LEVELS], least[2] = {1e9, 1e9},
                                                                                                 most[2] = {0, 0};
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
        for (int level = 0; level < BENCH_LEVELS; level++) {
            cpu[i][level] = bench_figure(bench, motion->row, i, level, "cpu_ms");
            error[i][level] = 100 * bench_figure(bench, motion->row, i, level, "error");
            const double point[2] = {cpu[i][level], error[i][level]};
            for (int k = 0; k < 2; k++) { // fmin and fmax pass over what is no number
                least[k] = fmin(least[k], point[k] > 0 ? point[k] : least[k]);
                most[k] = fmax(most[k], point[k]);
            }
        }
    for (int k = 0; k < 2; k++) {
        plot->from[k] = pow(10, floor(log10(fmax(least[k], 1e-6))));
        plot->to[k] = fmax(pow(10, ceil(log10(fmax(most[k], 1e-6)))), 10 * plot->from[k]);
    }
    plot_frame(picture, plot);
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        unsigned char colour[3];
        colour_of(i, colour);
        plot_line(picture, plot, cpu[i], error[i], BENCH_LEVELS, colour);
    }
    static const unsigned char level[3] = {150, 154, 160};
    plot_level(picture, plot, 100 * bench_get(bench, motion->row, "reference"), level);
}

static ThawStatus draw(const Bench *bench, ThawError *error) {
    static const unsigned char white[3] = {255, 255, 255};
    const int rows = (bench_motion_count + ACROSS - 1) / ACROSS;
    char path[4096];
    Picture picture;
    if (!picture_create(ACROSS * PANEL_WIDTH, rows * PANEL_HEIGHT + LEGEND, &picture))
        return thaw_error_set(error, THAW_ERROR_MEMORY, "no room for a picture");
    picture_fill(&picture, 0, 0, picture.width, picture.height, white);
    for (int m = 0; m < bench_motion_count; m++) {
        Plot plot = {.title = bench_motions[m].title,
                     .axes = "error in percent over CPU ms",
                     .x = m % ACROSS * PANEL_WIDTH,
                     .y = m / ACROSS * PANEL_HEIGHT,
                     .width = PANEL_WIDTH,
                     .height = PANEL_HEIGHT};
        if (is_there(bench, bench_motions[m].row))
            draw_motion(bench, &bench_motions[m], &plot, &picture);
    }
    for (int i = 0, x = PANEL_WIDTH / 6; i < THAW_INTEGRATOR_COUNT; i++) {
        const char *name = thaw_scheme((ThawIntegrator)i)->name;
        unsigned char colour[3];
        colour_of(i, colour);
        plot_key(&picture, x, rows * PANEL_HEIGHT + LEGEND / 3, name, colour);
        x += picture_text_width(name, 1) + 80;
    }
    snprintf(path, sizeof path, "%s/%s", bench->out, PICTURE);
    ThawStatus status = picture_write(&picture, path, error);
    picture_clear(&picture);
    return status;
}

void bench_integrators_page(const Bench *bench, FILE *page) {
    ThawError error = {0};
    fprintf(page,
            "# Integrators: work and precision\n\nWritten by `thaw bench integrators`, %s. One thread. The error is "
            "the largest distance of a vertex from where it should be, over the diameter of its body, of all moments; "
            "it should be where `tr-bdf2-newton` is by steps an eighth of the shortest.\n\n",
            thaw_build_info());
    if (draw(bench, &error) == THAW_OK)
        fprintf(page, "![Error over CPU time](%s)\n\n", PICTURE);
    else
        bench_say("%s", error.message);
    write_costs(bench, page);
    for (int m = 0; m < bench_motion_count; m++)
        if (is_there(bench, bench_motions[m].row)) {
            write_errors(bench, &bench_motions[m], page);
            write_stages(bench, &bench_motions[m], page);
        }
}
