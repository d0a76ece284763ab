// SPDX-License-Identifier: Apache-2.0
// The page of a comparison. Numbers are kept for every step, pictures of at most FRAMES moments that are spread evenly,
// so that a long run makes no longer page than a short one.
#include "view_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "view_page.h"
#include "view_world.h"

enum { FRAMES = 200, SCENE_NAME = 96 };

// Of each step, for plots.
typedef struct Row {
    double time, dofs[2], elastic[2], cpu_ms[2], speedup, error;
} Row;

struct ViewReport {
    const AppVersus *versus;
    char scene[SCENE_NAME];
    ViewWorld shown;
    ThawStream *streams[VIEW_VIEWS];
    ViewPage *page;
    int64_t every, frames;
    double *times; // of the frames
    Row *rows;
    int64_t row_count, row_room;
    double box[6];
};

void view_report_free(ViewReport **pointer) {
    ViewReport *r = *pointer;
    if (!r)
        return;
    for (int v = 0; v < VIEW_VIEWS; v++)
        thaw_stream_free(&r->streams[v]);
    view_world_clear(&r->shown);
    view_page_free(&r->page);
    thaw_free(r->times);
    thaw_free(r->rows);
    thaw_free(r);
    *pointer = NULL;
}

static const AppRunner *runner_of(const ViewReport *r, int view) {
    return view ? &r->versus->other : &r->versus->reference;
}

static ThawStatus add_frame(ViewReport *r, ThawError *error) {
    const AppFigures *f = &r->versus->figures;
    ThawStatus status = THAW_OK;
    for (int v = 0; v < VIEW_VIEWS; v++) // a page has one mesh: of a body whose shape changes it shows the time before
        if (thaw_world_topology(runner_of(r, v)->world) != r->shown.topology)
            return THAW_OK;
    for (int v = 0; v < VIEW_VIEWS && status == THAW_OK; v++) {
        const AppRunner *runner = runner_of(r, v);
        const unsigned char *bytes;
        size_t size;
        char stats[VIEW_STATS];
        const int used = view_world_stats(&r->shown, runner->world, &runner->last, stats);
        if (v == 1 && f->steps > 0)
            snprintf(stats + used, sizeof stats - (size_t)used, ", \"speedup\": %.4g, \"error\": %.4g",
                     app_total_speedup(f), fmin(1e9, r->versus->error));
        status = view_world_encode(&r->shown, runner->world, VIEW_ALL_FIELDS, r->frames, stats, r->streams[v], &bytes,
                                   &size, error);
        if (status == THAW_OK)
            status = view_page_add(r->page, bytes, size, error);
        for (size_t i = 0; i < 3 * (size_t)r->shown.mesh->point_count; i++) {
            r->box[i % 3] = fmin(r->box[i % 3], r->shown.x[i]);
            r->box[3 + i % 3] = fmax(r->box[3 + i % 3], r->shown.x[i]);
        }
    }
    if (status == THAW_OK)
        r->times[r->frames++] = thaw_world_time(r->versus->other.world);
    return status;
}

static int holds_inside(const ThawWorld *world, int64_t steps) {
    int64_t points = 0, elements = 0;
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        points += thaw_world_vertex_count(world, b);
        elements += thaw_world_element_count(world, b);
    }
    return view_page_holds_inside(VIEW_VIEWS * (steps < FRAMES ? steps + 1 : FRAMES + 1), points, elements);
}

ThawStatus view_report_create(const AppVersus *versus, const char *scene_path, ViewReport **report, ThawError *error) {
    const char *page, *slash = strrchr(scene_path, '/');
    size_t size;
    const double nowhere[3] = {0};
    *report = NULL;
    ThawStatus status = view_page_find(&page, &size, error);
    if (status != THAW_OK)
        return status;
    ViewReport *r = *report = THAW_NEW(ViewReport, 1);
    if (!r)
        return thaw_error_memory(error, "the report");
    const int64_t steps = versus->def.steps;
    *r = (ViewReport){.versus = versus,
                      .every = steps > FRAMES ? (steps + FRAMES - 1) / FRAMES : 1,
                      .times = THAW_NEW(double, FRAMES + 2),
                      .box = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    view_copy_text(slash ? slash + 1 : scene_path, r->scene, sizeof r->scene);
    if (!r->times)
        status = thaw_error_memory(error, "the report");
    if (status == THAW_OK)
        status = view_world_create(versus->other.world, holds_inside(versus->other.world, steps), nowhere, 0, &r->shown,
                                   error);
    for (int v = 0; v < VIEW_VIEWS && status == THAW_OK; v++)
        status = thaw_stream_create(r->shown.mesh, THAW_STREAM_FILE, v, &r->streams[v], error);
    if (status == THAW_OK)
        status = view_page_create(&r->page, error);
    if (status == THAW_OK)
        status = add_frame(r, error);
    if (status != THAW_OK)
        view_report_free(report);
    return status;
}

ThawStatus view_report_step(ViewReport *r, ThawError *error) {
    if (r->row_count == r->row_room) {
        const int64_t room = 2 * r->row_room + 256;
        Row *grown = thaw_regrow(r->rows, (size_t)r->row_count, (size_t)room, sizeof *grown);
        if (!grown)
            return thaw_error_memory(error, "the report");
        r->rows = grown;
        r->row_room = room;
    }
    Row *row = &r->rows[r->row_count++];
    *row = (Row){.time = thaw_world_time(r->versus->other.world),
                 .speedup = app_total_speedup(&r->versus->figures),
                 .error = fmin(1e9, r->versus->error)};
    for (int v = 0; v < VIEW_VIEWS; v++) {
        const ThawStepStats *last = &runner_of(r, v)->last;
        row->dofs[v] = (double)last->dofs;
        row->elastic[v] = (double)last->elastic_elements;
        row->cpu_ms[v] = last->cpu_ms;
    }
    const int64_t step = r->versus->figures.steps;
    return step % r->every == 0 || step == r->versus->def.steps ? add_frame(r, error) : THAW_OK;
}

// --- to go on later --------------------------------------------------------------------------------------------------

// Rows as they are; the comparison's sums, written after them, say how many count.
ThawStatus view_report_save(const ViewReport *r, const char *folder, ThawError *error) {
    char path[4096], temporary[4200];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot make the folder %s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/report.bin", folder);
    snprintf(temporary, sizeof temporary, "%s.part", path);
    FILE *file = fopen(temporary, "wb");
    int good = file && fwrite(r->rows, sizeof *r->rows, (size_t)r->row_count, file) == (size_t)r->row_count;
    if (file)
        good = fclose(file) == 0 && good;
    return good && rename(temporary, path) == 0
               ? THAW_OK
               : thaw_error_set(error, THAW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
}

ThawStatus view_report_load(ViewReport *r, const char *folder, ThawError *error) {
    char path[4096];
    const int64_t steps = r->versus->figures.steps;
    snprintf(path, sizeof path, "%s/report.bin", folder);
    Row *rows = THAW_NEW(Row, steps);
    if (!rows)
        return thaw_error_memory(error, "the report");
    FILE *file = fopen(path, "rb");
    if (file && fread(rows, sizeof *rows, (size_t)steps, file) == (size_t)steps) {
        thaw_free(r->rows);
        r->rows = rows;
        r->row_count = r->row_room = steps;
    } else // no page was asked for until now
        thaw_free(rows);
    if (file)
        fclose(file);
    return THAW_OK;
}

// --- the header ------------------------------------------------------------------------------------------------------

static json_t *series_of(const ViewReport *r, int view) {
    static const struct {
        const char *name;
        size_t offset;
        int only_other;
    } columns[] = {{"time", offsetof(Row, time), 0},
                   {"dofs", offsetof(Row, dofs), 0},
                   {"elastic_elements", offsetof(Row, elastic), 0},
                   {"cpu_ms", offsetof(Row, cpu_ms), 0},
                   {"speedup", offsetof(Row, speedup), 1},
                   {"error", offsetof(Row, error), 1}};
    json_t *json = json_object();
    int failed = !json;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        if (columns[c].only_other && view == 0)
            continue;
        // Columns of both views are pairs.
        const size_t at = columns[c].offset + (c > 0 && !columns[c].only_other ? sizeof(double) * (size_t)view : 0);
        json_t *array = json_array();
        for (int64_t i = 0; i < r->row_count; i++) {
            const double value = *(const double *)((const char *)&r->rows[i] + at);
            failed |= json_array_append_new(array, json_real(isfinite(value) ? value : 0));
        }
        failed |= json_object_set_new(json, columns[c].name, array);
    }
    if (failed)
        json_decref(json);
    return failed ? NULL : json;
}

// *rows becomes NULL where it fails, and stays so.
__attribute__((format(printf, 4, 5))) static void add_row(json_t **rows, const char *label, const char *note,
                                                          const char *format, ...) {
    char text[440], *divide;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_t *values = json_array();
    for (char *at = text; at; at = divide) { // values are divided by '|'
        divide = strchr(at, '|');
        if (divide)
            *divide++ = 0;
        if (json_array_append_new(values, json_string(at))) {
            json_decref(values);
            values = NULL;
        }
    }
    if (json_array_append_new(*rows, json_pack("{s:s, s:o, s:s}", "label", label, "values", values, "note", note))) {
        json_decref(*rows);
        *rows = NULL;
    }
}

static void add_warnings(json_t **rows, const char *label, const AppRunner *runner) {
    char text[400];
    for (int32_t place = 0; app_watch_line(&runner->watch, runner->world, &place, text);)
        add_row(rows, label, "", "%s", text);
}

static void add_floors(json_t **rows, const AppVersus *versus) {
    const AppFloors floors = app_versus_floors(versus);
    add_row(rows, "step floor",
            versus->def.converged ? "so far the reference with the scene's own step is from where it converges to"
                                  : "so far half the time step alone moves the reference",
            "%.3g %%", 100 * floors.step);
    add_row(rows, "shift floor", "so far a start moved by a millionth moves it", "%.3g %%", 100 * floors.shift);
    if (versus->def.converged)
        add_row(rows, "error of the reference", "of where it converges to, about", "%.3g %%",
                100 * floors.reference_error);
    add_row(rows, "verdict", app_verdict_texts[app_verdict(&floors)], "%s", app_verdict_names[app_verdict(&floors)]);
}

static json_t *table_of(const ViewReport *r) {
    const AppVersus *versus = r->versus;
    const AppFigures *f = &versus->figures;
    const AppCost *a = &f->reference, *b = &f->other;
    const double steps = fmax(1, (double)f->steps);
    char share[24];
    json_t *rows = json_array();
    add_row(&rows, "CPU time a step", "", "%.3f ms|%.3f ms", a->cpu_ms / steps, b->cpu_ms / steps);
    add_row(&rows, "wall time a step", "", "%.3f ms|%.3f ms", a->wall_ms / steps, b->wall_ms / steps);
    add_row(&rows, "of it contact", "", "%.3f ms|%.3f ms", a->contact_ms / steps, b->contact_ms / steps);
    add_row(&rows, "unknowns", "mean over the steps", "%.0f|%.0f", a->dofs / steps, b->dofs / steps);
    add_row(&rows, "speedup", "CPU time, all steps", "%.2f", app_total_speedup(f));
    add_row(&rows, "speedup without contact", "", "%.2f", app_nc_total_speedup(f));
    add_row(&rows, "largest difference", "between vertices, of their body's diameter", "%.3g %%", 100 * f->max_error);
    add_row(&rows, "mean difference", "", "%.3g %%", 100 * f->sum_error / steps);
    if (versus->def.floor)
        add_floors(&rows, versus);
    add_row(&rows, "rigid elements", "on average, and at the end", "%.1f %%, %.1f %%", 100 * f->rigid_sum / steps,
            100 * f->final_rigid);
    if (versus->judge.elements > 0)
        add_row(&rows, "caught", "of what deforms in the reference, so much was elastic", "%s",
                app_judge_text(versus->judge.caught[0], versus->judge.needed[0], share));
    if (versus->judge.together[0] < versus->judge.needed[0])
        add_row(&rows, "caught while together", "the same of bodies that are not yet a tenth of their size apart", "%s",
                app_judge_text(versus->judge.together[1], versus->judge.together[0], share));
    add_row(&rows, "steps", thaw_build_info(), "%" PRId64, f->steps);
    add_warnings(&rows, "warning, reference", &versus->reference);
    add_warnings(&rows, "warning", &versus->other);
    return rows;
}

ThawStatus view_report_write(ViewReport *r, const char *path, ThawError *error) {
    const AppVersusDef *def = &r->versus->def;
    const char *method = def->method ? def->method : "as the scene says";
    const int32_t field = thaw_field_find("state");
    char title[200], scene_title[121];
    view_copy_text(def->scene->title, scene_title, sizeof scene_title);
    snprintf(title, sizeof title, "%s: %.30s against %.30s", scene_title, method, def->against);
    ViewHello hello = {.scene = r->scene,
                       .title = title,
                       .h = def->scene->world.h,
                       .views = VIEW_VIEWS,
                       .view_names = {def->against, method},
                       .times = r->times,
                       .frames = r->frames,
                       .box = r->box,
                       .settings = json_pack("{s:b, s:f, s:b, s:b, s:s, s:s, s:[]}", "playing", 0, "speed", 1.0,
                                             "split", 1, "interior", r->shown.mesh->interior, "method", method, "field",
                                             thaw_field(field < 0 ? 0 : field)->name, "thresholds"),
                       .methods_known = json_array(),
                       .report = json_pack("{s:s, s:[s, s], s:o}", "title", title, "columns", def->against, method,
                                           "rows", table_of(r)),
                       .series = {series_of(r, 0), series_of(r, 1)}};
    if (!hello.settings || !hello.report || !hello.series[0] || !hello.series[1]) {
        view_hello_drop(&hello);
        return thaw_error_memory(error, "the report");
    }
    char *text = view_world_hello(&r->shown, r->versus->other.world, &hello, error);
    if (!text)
        return error->status;
    ThawStatus status = view_page_write(r->page, text, path, error);
    free(text);
    return status;
}
