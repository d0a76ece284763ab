// SPDX-License-Identifier: Apache-2.0
// Frames: the world as files that other programs open.
//
// Topology is taken from the world once; a frame then copies positions, velocities and stresses through the public
// interface and writes the formats that were asked for. The index frames.pvd is always rewritten as a whole, under a
// temporary name, so whenever a run is killed the index is valid and lists only frames that are complete. Rewriting it
// for each frame would cost the square of their number; it is done whenever 1/64 has come on top (so at once for the
// first 64), which costs 64 lines a frame at most, and at each checkpoint and in the end (thaw_frames_sync). A killed
// run may leave its last frames without an entry; none of them was part of a checkpoint.
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/frame_data.h"
#include "output/output.h"
#include "step/step.h"

enum { NAME_SIZE = 64, INDEX_SHARE = 64 };

typedef struct IndexEntry {
    int64_t number;
    double time;
} IndexEntry;

struct ThawFrames {
    char *folder, *path; // path: room for the folder and a file name
    unsigned formats;
    int bits;
    ThawFrameData *data;
    double *packed;            // room for 3 doubles a point of the largest body
    double *line_scratch;      // for the springs of attachments; NULL without
    ThawHindrance *hindrances; // body_count, scratch; NULL without adaptive bodies
    void *scratch;             // for the VTU writer
    // The surface, for OBJ and PLY; arrays as in ThawFrameSurface.
    ThawFrameSurface surface;
    int32_t *points, *triangles, *first;
    char **names;
    IndexEntry *index; // ascending numbers
    int64_t index_count, index_room;
    // Obstacles: one file obstacles.vtu, or one a frame where any moves.
    double middle[3], extent; // m, where half-spaces end
    int has_obstacles, obstacles_move, obstacles_done;
    int64_t listed;   // entries that frames.pvd has; those beyond are to come
    int64_t *written; // written_count numbers of frames that may not be on the disk yet
    int64_t written_count, written_room;
    uint64_t topology; // of the world that `data` and the surface are of
};

ThawFramesDef thaw_frames_def_default(void) { return (ThawFramesDef){.formats = THAW_FRAMES_VTU, .bits = 32}; }

// --- what is constant over a run, unless shapes change
// -----------------------------------------------------------------------------------------

static ThawStatus read_topology(ThawFrames *f, const ThawWorld *world, ThawError *error) {
    ThawFrameData *d = f->data;
    int32_t point = 0, cell = 0;
    for (int32_t b = 0; b < d->body_count; b++) {
        int32_t *cells = d->cells + (int64_t)d->nodes * cell;
        int32_t points = thaw_world_vertex_count(world, b), count = thaw_world_element_count(world, b);
        if (thaw_cells_gather(world, b, d->nodes, point, cells) != THAW_OK)
            return thaw_error_set(error, THAW_ERROR_INPUT, "cannot read the elements of body %d", b);
        for (int32_t i = 0; i < points; i++)
            d->body[point + i] = b;
        point += points;
        cell += count;
    }
    return THAW_OK;
}

// Keeps of all points those on the surface, and numbers triangles by them.
static ThawStatus build_surface(ThawFrames *f, const ThawWorld *world, ThawError *error) {
    ThawFrameData *d = f->data;
    ThawSkin skin;
    ThawStatus status = thaw_skin_build(d->point_count, d->nodes, d->cells, d->cell_count, &skin, error);
    if (status != THAW_OK)
        return status;
    int32_t *number = THAW_NEW(int32_t, d->point_count); // 1 + place among the surface points, 0: inside
    f->points = THAW_NEW(int32_t, d->point_count);
    f->first = THAW_NEW(int32_t, (size_t)d->body_count + 1);
    f->names = THAW_NEW(char *, d->body_count);
    if (!number || !f->points || !f->first || !f->names)
        status = thaw_error_memory(error, "the surface of a frame");
    f->surface.body_count = d->body_count;
    for (int32_t b = 0; status == THAW_OK && b < d->body_count; b++) {
        const char *name = thaw_world_body_name(world, b);
        if (!(f->names[b] = thaw_strdup(name ? name : "body")))
            status = thaw_error_memory(error, "the name of a body");
        for (char *c = f->names[b]; c && *c; c++)
            if ((unsigned char)*c < ' ') // a line break would end the OBJ statement
                *c = '_';
    }
    if (status == THAW_OK) {
        for (int64_t i = 0; i < 3 * (int64_t)skin.triangle_count; i++)
            number[skin.triangles[i]] = 1;
        int32_t count = 0;
        for (int32_t p = 0; p < d->point_count; p++)
            if (number[p]) {
                f->points[count] = p;
                number[p] = ++count;
            }
        for (int32_t t = 0; t < skin.triangle_count; t++)
            f->first[d->body[skin.triangles[3 * (int64_t)t]] + 1] = t + 1;
        for (int32_t b = 0; b < d->body_count; b++)
            if (f->first[b + 1] < f->first[b])
                f->first[b + 1] = f->first[b];
        for (int64_t i = 0; i < 3 * (int64_t)skin.triangle_count; i++)
            skin.triangles[i] = number[skin.triangles[i]] - 1;
        f->triangles = skin.triangles;
        skin.triangles = NULL;
        f->surface = (ThawFrameSurface){.point_count = count,
                                        .triangle_count = skin.triangle_count,
                                        .body_count = d->body_count,
                                        .points = f->points,
                                        .triangles = f->triangles,
                                        .first = f->first,
                                        .names = (const char *const *)f->names};
    }
    thaw_free(number);
    thaw_skin_clear(&skin);
    return status;
}

// One body's share of every field that the frame has.
static ThawStatus read_fields(ThawFrameData *d, const ThawWorld *world, int32_t body, int64_t point, int64_t cell) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < thaw_field_count() && status == THAW_OK; i++) {
        const ThawField *field = thaw_field(i);
        int64_t first = field->components * (field->place == THAW_FIELD_VERTEX ? point : cell);
        if (d->fields[i])
            status = thaw_world_get_field(world, body, i, d->fields[i] + first);
    }
    return status;
}

static ThawStatus read_thresholds(ThawFrameData *d, const ThawWorld *world, int32_t body, ThawError *error) {
    ThawElementReport report;
    ThawStatus status = d->thresholds ? thaw_world_explain(world, body, 0, &report, error) : THAW_ERROR_UNSUPPORTED;
    if (status == THAW_OK) {
        d->thresholds[2 * (int64_t)body] = isfinite(report.rate_threshold) ? report.rate_threshold : -1;
        d->thresholds[2 * (int64_t)body + 1] = isfinite(report.predicted_allowed) ? report.predicted_allowed : -1;
    }
    return d->thresholds ? status : THAW_OK;
}

static ThawStatus read_hindrances(ThawFrames *f, const ThawWorld *world) {
    if (!f->data->hindrance)
        return THAW_OK;
    ThawStatus status = thaw_world_get_hindrances(world, f->hindrances);
    for (int32_t b = 0; b < f->data->body_count && status == THAW_OK; b++)
        f->data->hindrance[b] = f->hindrances[b];
    return status;
}

static ThawStatus read_state(ThawFrames *f, const ThawWorld *world, ThawError *error) {
    ThawFrameData *d = f->data;
    int dim = thaw_world_dim(world);
    d->time = thaw_world_time(world);
    d->step = thaw_world_step_count(world);
    for (int32_t i = 0; i < d->obstacle_count; i++)
        thaw_world_get_reaction(world, i, d->reaction + 3 * i);
    if (d->attachment_count > 0) {
        thaw_attachments_gather(world, d->attachments);
        d->line_count = thaw_lines_gather(world, f->line_scratch, d->lines);
    }
    int64_t point = 0, cell = 0;
    ThawStatus status = read_hindrances(f, world);
    for (int32_t b = 0; b < d->body_count && status == THAW_OK; b++) {
        int32_t points = thaw_world_vertex_count(world, b);
        status = thaw_world_get_positions(world, b, f->packed);
        for (int64_t i = 0; i < points; i++)
            for (int k = 0; k < dim; k++)
                d->x[3 * (point + i) + k] = f->packed[dim * i + k];
        if (status == THAW_OK)
            status = read_fields(d, world, b, point, cell);
        if (status == THAW_OK)
            status = read_thresholds(d, world, b, error);
        if (status != THAW_OK)
            return thaw_error_set(error, status, "cannot read the state of body %d: %s", b,
                                  status == THAW_ERROR_MEMORY ? "out of memory" : thaw_status_name(status));
        point += points;
        cell += thaw_world_element_count(world, b);
    }
    return status;
}

// Half-spaces are shown around what there is at the start, and three times as wide.
static ThawStatus settle_extent(ThawFrames *f, const ThawWorld *world, ThawError *error) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    ThawFrameData *obstacles = NULL;
    f->extent = 1;
    f->has_obstacles = thaw_world_obstacle_count(world) > 0;
    if (!f->has_obstacles)
        return THAW_OK;
    ThawStatus status = read_state(f, world, error);
    if (status == THAW_OK)
        status = thaw_obstacle_frame(world, f->middle, f->extent, &obstacles, &f->obstacles_move, error);
    for (int which = 0; status == THAW_OK && which < 2; which++) {
        const ThawFrameData *d = which ? obstacles : f->data;
        for (int64_t i = 0; i < (int64_t)d->nodes * d->cell_count; i++)
            for (int k = 0; k < 3 && !(which && d->region[i / 3] == THAW_OBSTACLE_HALF_SPACE); k++) {
                lo[k] = fmin(lo[k], d->x[3 * (int64_t)d->cells[i] + k]);
                hi[k] = fmax(hi[k], d->x[3 * (int64_t)d->cells[i] + k]);
            }
    }
    thaw_frame_data_free(&obstacles);
    for (int k = 0; status == THAW_OK && k < 3; k++) {
        f->middle[k] = (lo[k] + hi[k]) / 2;
        square += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    }
    f->extent = square > 0 ? 3 * sqrt(square) : 1;
    return status;
}

static ThawStatus make_lines(ThawFrames *f, const ThawWorld *world, ThawError *error) {
    size_t scratch = 0, lines = thaw_lines_room(world, &scratch);
    f->data->attachment_count = thaw_world_attachment_count(world);
    if (f->data->attachment_count == 0)
        return THAW_OK;
    f->data->attachments = THAW_NEW(double, THAW_FRAME_ATTACHMENT *(size_t)f->data->attachment_count);
    f->data->lines = THAW_NEW(double, 6 * lines);
    f->line_scratch = THAW_NEW(double, scratch);
    return f->data->attachments && f->data->lines && f->line_scratch ? THAW_OK : thaw_error_memory(error, "a frame");
}

// A frame of the world as it is now, with all that its mesh decides.
static ThawStatus build_data(ThawFrames *f, const ThawWorld *world, ThawError *error) {
    int dim = thaw_world_dim(world);
    int32_t bodies = thaw_world_body_count(world), largest = 0;
    int64_t points = 0, cells = 0;
    for (int32_t b = 0; b < bodies; b++) {
        int32_t count = thaw_world_vertex_count(world, b);
        points += count;
        cells += thaw_world_element_count(world, b);
        largest = count > largest ? count : largest;
    }
    if (points > INT32_MAX || cells > INT32_MAX / 4)
        return thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                              "a frame of %" PRId64 " vertices and %" PRId64 " elements is too large; at most %d and "
                              "%d are allowed",
                              points, cells, INT32_MAX, INT32_MAX / 4);
    ThawStatus status = thaw_frame_data_create(dim + 1, (int32_t)points, (int32_t)cells, &f->data, error);
    if (status != THAW_OK)
        return status;
    f->data->body_count = bodies;
    // Surface files show no more than where things are.
    for (int32_t i = 0; f->formats & THAW_FRAMES_VTU && i < thaw_field_count() && status == THAW_OK; i++)
        if (thaw_world_shows_field(world, i))
            status = thaw_frame_data_add(f->data, i, error);
    if (status != THAW_OK)
        return status;
    f->data->obstacle_count = thaw_world_obstacle_count(world);
    f->data->reaction = THAW_NEW(double, 3 * (size_t)f->data->obstacle_count);
    const int adaptive = thaw_world_shows_field(world, thaw_field_find("part"));
    if (adaptive) {
        f->data->thresholds = THAW_NEW(double, 2 * (size_t)bodies);
        f->data->hindrance = THAW_NEW(double, bodies);
        f->hindrances = THAW_NEW(ThawHindrance, bodies);
    }
    if (!f->data->reaction || (adaptive && (!f->data->thresholds || !f->data->hindrance || !f->hindrances)))
        return thaw_error_memory(error, "a frame");
    status = make_lines(f, world, error);
    if (status != THAW_OK)
        return status;
    f->packed = THAW_NEW(double, 3 * (size_t)largest);
    f->scratch = thaw_alloc(thaw_vtu_scratch(f->data), 1);
    if (!f->packed || !f->scratch)
        return thaw_error_memory(error, "frames");
    status = read_topology(f, world, error);
    if (status == THAW_OK && f->formats & (THAW_FRAMES_OBJ | THAW_FRAMES_PLY))
        status = build_surface(f, world, error);
    f->topology = thaw_world_topology(world);
    return status;
}

static void clear_data(ThawFrames *f) {
    for (int32_t b = 0; f->names && b < f->surface.body_count; b++)
        thaw_free(f->names[b]);
    thaw_free(f->names);
    thaw_free(f->first);
    thaw_free(f->triangles);
    thaw_free(f->points);
    thaw_free(f->scratch);
    thaw_free(f->packed);
    thaw_free(f->hindrances);
    thaw_free(f->line_scratch);
    thaw_frame_data_free(&f->data);
    f->names = NULL;
    f->first = f->triangles = f->points = NULL;
    f->scratch = NULL;
    f->packed = NULL;
    f->hindrances = NULL;
    f->line_scratch = NULL;
    f->surface = (ThawFrameSurface){0};
}

void thaw_frames_free(ThawFrames **frames) {
    if (!frames || !*frames)
        return;
    ThawFrames *f = *frames;
    clear_data(f);
    thaw_free(f->written);
    thaw_free(f->index);
    thaw_free(f->path);
    thaw_free(f->folder);
    thaw_free(f);
    *frames = NULL;
}

static ThawStatus frames_build(ThawFrames *f, const ThawWorld *world, const ThawFramesDef *def, ThawError *error) {
    f->formats = def->formats;
    f->bits = def->bits;
    f->folder = thaw_strdup(def->folder);
    f->path = THAW_NEW(char, strlen(def->folder) + 1 + NAME_SIZE);
    ThawStatus status = f->folder && f->path ? build_data(f, world, error) : thaw_error_memory(error, "frames");
    return status == THAW_OK ? settle_extent(f, world, error) : status;
}

ThawStatus thaw_frames_create(const ThawWorld *world, const ThawFramesDef *def, ThawFrames **frames, ThawError *error) {
    *frames = NULL;
    if (!def->folder || !*def->folder)
        return thaw_error_set(error, THAW_ERROR_INPUT, "frames.folder is empty; name a folder");
    if (def->bits != 32 && def->bits != 64)
        return thaw_error_set(error, THAW_ERROR_INPUT, "frames.bits is %d; 32 and 64 are allowed", def->bits);
    ThawStatus status = thaw_folder_create(def->folder, error);
    if (status != THAW_OK)
        return status;
    ThawFrames *f = THAW_NEW(ThawFrames, 1);
    status = f ? frames_build(f, world, def, error) : thaw_error_memory(error, "frames");
    if (status != THAW_OK)
        thaw_frames_free(&f);
    *frames = f;
    return status;
}

// --- the index
// -----------------------------------------------------------------------------------------------------------

static const char *path_of(ThawFrames *f, const char *name) {
    sprintf(f->path, "%s/%s", f->folder, name);
    return f->path;
}

static const char *path_of_obstacles(ThawFrames *f, int64_t number) {
    char name[NAME_SIZE] = "obstacles.vtu";
    if (f->obstacles_move)
        snprintf(name, sizeof name, "obstacles_%06" PRId64 ".vtu", number);
    return path_of(f, name);
}

static const char *path_of_frame(ThawFrames *f, int64_t number, const char *ending) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "frame_%06" PRId64 ".%s", number, ending);
    return path_of(f, name);
}

// A frame that is written once more keeps its place; entries behind it stay.
static ThawStatus index_add(ThawFrames *f, int64_t number, double time, ThawError *error) {
    int64_t at = f->index_count;
    while (at && f->index[at - 1].number >= number)
        at--;
    if (at < f->index_count && f->index[at].number == number) {
        f->index[at].time = time;
        return THAW_OK;
    }
    if (f->index_count == f->index_room) {
        int64_t room = 2 * f->index_room + 256;
        IndexEntry *grown = thaw_regrow(f->index, (size_t)f->index_count, (size_t)room, sizeof *grown);
        if (!grown)
            return thaw_error_memory(error, "the index of frames");
        f->index = grown;
        f->index_room = room;
    }
    memmove(f->index + at + 1, f->index + at, sizeof *f->index * (size_t)(f->index_count++ - at));
    f->index[at] = (IndexEntry){number, time};
    return THAW_OK;
}

static ThawStatus index_write(ThawFrames *f, ThawError *error) {
    ThawFile *file;
    ThawStatus status = thaw_file_create(path_of(f, "frames.pvd"), &file, error);
    if (status != THAW_OK)
        return status;
    thaw_file_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                          "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (int64_t i = 0; i < f->index_count; i++) {
        const IndexEntry *e = &f->index[i];
        thaw_file_print(file, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"frame_%06" PRId64 ".vtu\"/>\n",
                        e->time, e->number);
        if (f->has_obstacles)
            thaw_file_print(file, "    <DataSet timestep=\"%.17g\" part=\"1\" file=\"%s\"/>\n", e->time,
                            strrchr(path_of_obstacles(f, e->number), '/') + 1);
    }
    thaw_file_print(file, "  </Collection>\n</VTKFile>\n");
    status = thaw_file_commit(&file, error);
    if (status == THAW_OK)
        f->listed = f->index_count;
    return status;
}

// Takes the entries up to `last` from an index that an earlier run of the same scene wrote.
static ThawStatus index_read(ThawFrames *f, int64_t last, ThawError *error) {
    const char *path = path_of(f, "frames.pvd");
    if (access(path, F_OK))
        return THAW_OK;
    char *text;
    size_t size;
    ThawStatus status = thaw_file_read(path, &text, &size, error);
    if (status != THAW_OK)
        return status;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!c_locale)
        status = thaw_error_memory(error, "a locale");
    for (char *at = text; status == THAW_OK && (at = strstr(at, "<DataSet timestep=\""));) {
        at += strlen("<DataSet timestep=\"");
        double time = strtod_l(at, &at, c_locale);
        char *name = strstr(at, "file=\"frame_"), *end = strchr(at, '>');
        if (!name || !end)
            break;
        if (name > end) // of obstacles
            continue;
        int64_t number = strtoll(name + strlen("file=\"frame_"), &at, 10);
        if (number <= last)
            status = index_add(f, number, time, error);
    }
    if (c_locale)
        freelocale(c_locale);
    thaw_free(text);
    return status;
}

// The number of a frame file, finished or not; -1 for every other name.
static int64_t frame_number(const char *name) {
    char *end;
    const char *digits = strchr(name, '_');
    if ((strncmp(name, "frame_", 6) != 0 && strncmp(name, "obstacles_", 10) != 0) || digits[1] < '0' || digits[1] > '9')
        return -1;
    int64_t number = strtoll(digits + 1, &end, 10);
    static const char *const endings[] = {".vtu", ".obj", ".ply", ".vtu.tmp", ".obj.tmp", ".ply.tmp"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(end, endings[i]) == 0)
            return number;
    return -1;
}

static int is_listed(const ThawFrames *f, int64_t number) {
    int64_t lo = 0, hi = f->index_count;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (f->index[mid].number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < f->index_count && f->index[lo].number == number;
}

// Takes up frame `number`, which the index has missed; the frame itself tells its time. One that cannot be read stays
// out.
static ThawStatus adopt(ThawFrames *f, int64_t number, ThawError *error) {
    ThawFrameData *data;
    ThawStatus status = thaw_vtu_read(path_of_frame(f, number, "vtu"), &data, error);
    if (status != THAW_OK)
        return status == THAW_ERROR_MEMORY ? status : THAW_OK;
    status = index_add(f, number, data->time, error);
    thaw_frame_data_free(&data);
    return status;
}

ThawStatus thaw_frames_keep(ThawFrames *frames, int64_t last, int64_t *removed, ThawError *error) {
    int64_t count = 0;
    frames->index_count = frames->listed = 0;
    ThawStatus status = last >= 0 ? index_read(frames, last, error) : THAW_OK;
    DIR *folder = status == THAW_OK ? opendir(frames->folder) : NULL;
    if (status == THAW_OK && !folder)
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot list %s: %s", frames->folder, strerror(errno));
    for (struct dirent *entry; last >= 0 && status == THAW_OK && (entry = readdir(folder));) {
        int64_t number = frame_number(entry->d_name);
        size_t length = strlen(entry->d_name);
        if (number >= 0 && number <= last && strcmp(entry->d_name + length - 4, ".vtu") == 0 &&
            !is_listed(frames, number))
            status = adopt(frames, number, error);
    }
    // The index goes first: at no moment does it name a frame that is gone.
    if (status == THAW_OK && frames->index_count)
        status = index_write(frames, error);
    else if (status == THAW_OK && unlink(path_of(frames, "frames.pvd")) && errno != ENOENT)
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot remove %s: %s", frames->path, strerror(errno));
    if (folder)
        rewinddir(folder);
    for (struct dirent *entry; status == THAW_OK && (entry = readdir(folder));) {
        if (frame_number(entry->d_name) <= last || strlen(entry->d_name) >= NAME_SIZE)
            continue;
        if (unlink(path_of(frames, entry->d_name)) && errno != ENOENT)
            status = thaw_error_set(error, THAW_ERROR_IO, "cannot remove %s: %s", frames->path, strerror(errno));
        else
            count++;
    }
    if (folder)
        closedir(folder);
    if (removed)
        *removed = count;
    return status;
}

// --- one frame
// -----------------------------------------------------------------------------------------------------------

static ThawStatus write_obstacles(ThawFrames *f, const ThawWorld *world, int64_t number, ThawError *error) {
    ThawFrameData *obstacles = NULL;
    int moves;
    if (!f->has_obstacles || (f->obstacles_done && !f->obstacles_move))
        return THAW_OK;
    ThawStatus status = thaw_obstacle_frame(world, f->middle, f->extent, &obstacles, &moves, error);
    if (status == THAW_OK && !f->obstacles_move)
        obstacles->time = 0; // whenever it is written, the first time or when a run goes on
    void *scratch = status == THAW_OK ? thaw_alloc(thaw_vtu_scratch(obstacles), 1) : NULL;
    if (status == THAW_OK && !scratch)
        status = thaw_error_memory(error, "the obstacles of a frame");
    if (status == THAW_OK)
        status = thaw_vtu_write(path_of_obstacles(f, number), obstacles, f->bits, scratch, error);
    f->obstacles_done |= status == THAW_OK;
    thaw_free(scratch);
    thaw_frame_data_free(&obstacles);
    return status;
}

// That the frame's files are not known to be on the disk.
static ThawStatus remember(ThawFrames *f, int64_t number, ThawError *error) {
    if (f->written_count == f->written_room) {
        int64_t room = 2 * f->written_room + 256;
        int64_t *grown = thaw_regrow(f->written, (size_t)f->written_count, (size_t)room, sizeof *grown);
        if (!grown)
            return thaw_error_memory(error, "the list of frames");
        f->written = grown;
        f->written_room = room;
    }
    f->written[f->written_count++] = number;
    return THAW_OK;
}

ThawStatus thaw_frames_write(ThawFrames *frames, const ThawWorld *world, int64_t number, ThawError *error) {
    ThawFrames *f = frames;
    ThawStatus status = THAW_OK;
    if (!f->data || thaw_world_topology(world) != f->topology) {
        clear_data(f);
        status = build_data(f, world, error);
        if (status != THAW_OK) {
            clear_data(f);
            return status;
        }
    }
    status = read_state(f, world, error);
    f->surface.far = status == THAW_OK && thaw_frame_is_far(f->data);
    if (status == THAW_OK && f->formats & THAW_FRAMES_OBJ)
        status = thaw_obj_write(path_of_frame(f, number, "obj"), f->data, &f->surface, error);
    if (status == THAW_OK && f->formats & THAW_FRAMES_PLY)
        status = thaw_ply_write(path_of_frame(f, number, "ply"), f->data, &f->surface, error);
    if (status == THAW_OK && f->formats & THAW_FRAMES_VTU) {
        status = write_obstacles(f, world, number, error);
        if (status == THAW_OK)
            status = thaw_vtu_write(path_of_frame(f, number, "vtu"), f->data, f->bits, f->scratch, error);
        if (status == THAW_OK)
            status = index_add(f, number, f->data->time, error);
        if (status == THAW_OK && f->index_count - f->listed > f->index_count / INDEX_SHARE)
            status = index_write(f, error);
    }
    return status == THAW_OK ? remember(f, number, error) : status;
}

static const char *const format_endings[] = {"vtu", "obj", "ply"};
static const unsigned format_bits[] = {THAW_FRAMES_VTU, THAW_FRAMES_OBJ, THAW_FRAMES_PLY};

ThawStatus thaw_frames_sync(ThawFrames *frames, ThawError *error) {
    ThawFrames *f = frames;
    ThawStatus status = f->listed < f->index_count ? index_write(f, error) : THAW_OK;
    for (int64_t i = 0; i < f->written_count; i++)
        for (int k = 0; k < 3 && status == THAW_OK; k++)
            if (f->formats & format_bits[k])
                status = thaw_path_sync(path_of_frame(f, f->written[i], format_endings[k]), error);
    if (status == THAW_OK && f->written_count && f->formats & THAW_FRAMES_VTU)
        status = thaw_path_sync(path_of(f, "frames.pvd"), error);
    if (status == THAW_OK && f->written_count) // their names
        status = thaw_path_sync(f->folder, error);
    if (status == THAW_OK)
        f->written_count = 0;
    return status;
}

int thaw_frames_has(ThawFrames *frames, int64_t number) {
    for (int k = 0; k < 3; k++)
        if (frames->formats & format_bits[k] && access(path_of_frame(frames, number, format_endings[k]), F_OK))
            return 0;
    return 1;
}
