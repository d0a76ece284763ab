// SPDX-License-Identifier: Apache-2.0
// `thaw render`: pictures of frames, on a machine without a screen.
//
// The frames that will be shown (of a long film an even choice of them) are looked at first, so that camera and colour
// scale fit them and are the same in every picture; then each is drawn at three times its size and averaged. A signal
// ends a film between two pictures, and what was begun is removed.
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "camera.h"
#include "film.h"
#include "moments.h"
#include "output/replay.h"
#include "picture.h"
#include "run.h"

enum { SAMPLES = 3, LOOKED_AT = 60, LARGEST = 8192 };

typedef struct Render {
    const char *input, *output;
    const char *frame_text; // N, "last" or "all"
    int64_t sheet;          // pictures side by side, 0: none
    int even;               // nonzero: they are evenly spaced in time
    int64_t rate;           // pictures a second of a film, 0: as the run's time
    int width, height;
    int edges, quiet;
    double azimuth, elevation, zoom;
    Colouring colour;

    ThawReplay *replay;
    int64_t frame_count, pictures;
    int64_t shown[MOMENTS_MOST]; // frames of a sheet, or the one of a single picture
    int shown_count;             // 0: all of them, one after the other
    View view;
} Render;

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) { interrupted = signal; }

// From here on a signal asks for the end of the picture, however often it comes (`timeout` sends two).
static void listen_to_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

enum { OUTPUT, OUTPUT_LONG, FRAME, SIZE, COLOUR, COLOR, CAMERA, SHEET, MOMENTS, RATE, EDGES, QUIET };

static const AppOption options[] = {
    [OUTPUT] = {"-o", "FILE.png|FILE.mp4"},
    [OUTPUT_LONG] = {"--output", "FILE.png|FILE.mp4"},
    [FRAME] = {"--frame", "N|last|all"},
    [SIZE] = {"--size", "WxH"},
    [COLOUR] = {"--colour", "NAME"},
    [COLOR] = {"--color", "NAME"},
    [CAMERA] = {"--camera", "A,E[,ZOOM]"},
    [SHEET] = {"--sheet", "N"},
    [MOMENTS] = {"--moments", "events|even"},
    [RATE] = {"--fps", "N"},
    [EDGES] = {"--edges", NULL},
    [QUIET] = {"--quiet", NULL},
    {NULL, NULL},
};

// --- options ---------------------------------------------------------------------------------------------------------

static int parse_size(Render *r, const char *text) {
    char *end;
    long width = strtol(text, &end, 10), height = 0;
    if (end != text && (*end == 'x' || *end == 'X'))
        height = strtol(end + 1, &end, 10);
    if (*end || width < 16 || width > LARGEST || height < 16 || height > LARGEST) {
        app_complain("render", "--size is '%s'; allowed: WIDTHxHEIGHT, each from 16 to %d pixels", text, LARGEST);
        return 0;
    }
    r->width = (int)width;
    r->height = (int)height;
    return 1;
}

static int parse_camera(Render *r, const char *text) {
    double value[3] = {0, 0, 1};
    char *end = (char *)text;
    int count = 0;
    for (const char *at = text; count < 3; at = end + 1) {
        value[count] = strtod(at, &end);
        if (end == at || !isfinite(value[count]))
            break;
        count++;
        if (*end != ',')
            break;
    }
    if (count < 2 || *end || value[1] < -90 || value[1] > 90 || value[2] < 0.01 || value[2] > 100) {
        app_complain("render",
                     "--camera is '%s'; allowed: AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,ZOOM in degrees, elevation "
                     "from -90 to 90, zoom from 0.01 to 100",
                     text);
        return 0;
    }
    r->azimuth = value[0];
    r->elevation = value[1];
    r->zoom = value[2];
    return 1;
}

static int parse_frame(Render *r, const char *text) {
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (strcmp(text, "last") != 0 && strcmp(text, "all") != 0 && (end == text || *end || errno || number < 0)) {
        app_complain("render", "--frame is '%s'; allowed: the number of a frame, last or all", text);
        return 0;
    }
    r->frame_text = text;
    return 1;
}

// A picture or a film, by the ending.
static int is_output(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if ((dot && strcasecmp(dot, ".png") == 0) || film_is_name(path))
        return 1;
    app_complain("render",
                 "-o is '%s'; allowed: a name that ends in .png (a picture) or in .mp4, .webm, .mkv, .mov, "
                 ".gif or .webp (a film, made by ffmpeg)",
                 path);
    return 0;
}

// Pictures are also asked of a scene or a mesh that has not been run yet.
static int is_input(const char *path) {
    struct stat info;
    const char *dot = strrchr(path, '.');
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (dot && strcasecmp(dot, ".vtu") == 0))
        return 1;
    const int scene = dot && strcasecmp(dot, ".json") == 0;
    app_complain("render", "%s is not a frame; allowed: the folder of a run, or a .vtu frame. %s: thaw %s %s", path,
                 scene ? "Run it first" : "Make a scene of it, and run that", scene ? "run" : "new", path);
    return 0;
}

static int parse(Render *r, int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int ok = 1;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case OUTPUT:
        case OUTPUT_LONG:
            r->output = a.value;
            break;
        case FRAME:
            ok = parse_frame(r, a.value);
            break;
        case SIZE:
            ok = parse_size(r, a.value);
            break;
        case COLOUR:
        case COLOR:
            ok = colouring_parse("render", "--colour", a.value, &r->colour);
            break;
        case CAMERA:
            ok = parse_camera(r, a.value);
            break;
        case SHEET:
            ok = app_parse_integer("render", "--sheet", a.value, 1, MOMENTS_MOST, &r->sheet);
            break;
        case MOMENTS:
            r->even = strcmp(a.value, "even") == 0;
            ok = r->even || strcmp(a.value, "events") == 0;
            if (!ok)
                app_complain("render", "--moments is '%s'; allowed: events (close where much happens) or even",
                             a.value);
            break;
        case RATE:
            ok = app_parse_integer("render", "--fps", a.value, 1, 240, &r->rate);
            break;
        case EDGES:
            r->edges = 1;
            break;
        case QUIET:
            r->quiet = 1;
            break;
        case APP_OPERAND:
            ok = !r->input;
            if (!ok)
                app_complain("render", "one folder or frame at a time: both '%s' and '%s' were given", r->input,
                             a.value);
            r->input = a.value;
            break;
        default:
            ok = 0;
        }
    }
    if (ok && !r->input) {
        app_complain("render", "name the folder of a run, or a .vtu frame; see `thaw help render`");
        return 0;
    }
    if (ok && !r->output) {
        app_complain("render", "say where the picture or film goes: -o FILE.png or -o FILE.mp4");
        return 0;
    }
    return ok && is_output(r->output) && is_input(r->input);
}

// --- drawing ---------------------------------------------------------------------------------------------------------

static const unsigned char ink[3] = {58, 70, 84};

static int letter_size(const Render *r) { return r->height < 300 ? 1 : r->height < 900 ? 2 : r->height / 360; }

static int legend_room(const Render *r) {
    int room = colouring_legend_width(&r->view.colour, letter_size(r));
    return room < r->width / 2 ? room : 0;
}

static void draw_legend(const Render *r, Picture *picture) {
    int room = legend_room(r), size = letter_size(r);
    if (room)
        colouring_legend(&r->view.colour, picture, r->width - room + 4 * size, r->height / 8, r->height * 3 / 4, size,
                         ink);
}

static void fill_background(const Render *r, Picture *picture) {
    for (int y = 0; y < picture->height; y++) {
        unsigned char colour[3];
        float part = ((float)y + 0.5f) / (float)picture->height;
        for (int k = 0; k < 3; k++)
            colour[k] = picture_srgb((1 - part) * r->view.background[0][k] + part * r->view.background[1][k]);
        picture_fill(picture, 0, y, picture->width, 1, colour);
    }
}

static int panels(const Render *r) { return r->shown_count ? r->shown_count : 1; }

static int panel_width(const Render *r) { return (r->width - legend_room(r)) / panels(r); }

// One picture with the frames at these indices side by side.
static ThawStatus draw_picture(const Render *r, const int64_t *indices, int count, Picture *picture, ThawError *error) {
    Raster raster = {0};
    int width = panel_width(r), size = letter_size(r);
    ThawStatus status = THAW_OK;
    fill_background(r, picture);
    for (int i = 0; status == THAW_OK && i < count; i++) {
        // The last one goes on behind the legend.
        const int drawn = i + 1 < count ? width : r->width - i * width;
        if (raster.width != SAMPLES * drawn) {
            raster_clear(&raster);
            if (!raster_create(SAMPLES * drawn, SAMPLES * r->height, &raster))
                return thaw_error_memory(error, "a picture");
        }
        ThawFrameData *frame = NULL, *obstacles = NULL;
        char label[40];
        View view = r->view;
        status = thaw_replay_read(r->replay, indices[i], &frame, error);
        if (status == THAW_OK)
            status = thaw_replay_read_obstacles(r->replay, indices[i], &obstacles, error);
        view.obstacles = obstacles;
        if (status == THAW_OK)
            status = view_draw(&view, frame, &raster, error);
        if (status == THAW_OK) {
            picture_place(picture, &raster, SAMPLES, i * width, 0);
            snprintf(label, sizeof label, "t = %.4g s", frame->time);
            int x = count > 1 ? i * width + (width - picture_text_width(label, size)) / 2 : 10 * size;
            picture_text(picture, x, r->height - 16 * size, size, label, ink);
        }
        thaw_frame_data_free(&obstacles);
        thaw_frame_data_free(&frame);
    }
    draw_legend(r, picture);
    raster_clear(&raster);
    return status;
}

// A sheet is as high as its contents need, when the user does not say.
static void settle_size(Render *r, double ratio) {
    if (r->width)
        return;
    r->width = 1280;
    r->height = 720;
    if (!r->sheet)
        return;
    const int least = 320, most = 640; // high; panels of what is lower than wide are made wider
    int panel = ratio > 0 && 1.1 * ratio * 280 < least ? (int)fmin(440, least / (1.1 * ratio)) : 280;
    double height = 1.1 * ratio * panel;
    r->height = !(height > least) ? least : height > most ? most : (int)height;
    r->width = panel * panels(r) + legend_room(r);
}

// The frames that decide on camera and colour scale: those that are shown, or of all of them an even choice.
static int64_t looked_at(const Render *r, int64_t i) {
    return r->shown_count ? r->shown[i]
                          : moments_evenly(r->frame_count, i, r->frame_count < LOOKED_AT ? r->frame_count : LOOKED_AT);
}

// Takes what is seen of a frame into the range of colours.
static ThawStatus look_at_colours(Render *r, const ThawFrameData *frame, ThawError *error) {
    unsigned char *seen = THAW_NEW(unsigned char, frame->point_count);
    ThawStatus status = seen ? view_seen(&r->view, frame, seen, error) : thaw_error_memory(error, "colours");
    if (status == THAW_OK)
        status = colouring_look(&r->view.colour, frame, seen, error);
    thaw_free(seen);
    return status;
}

// What goes far is small where all of its way is in the picture.
static void warn_of_dots(const Render *r, const ViewBounds *bounds, double largest) {
    enum { DOT = 24 }; // pixels
    const double across = (bounds->high[0] - bounds->low[0]) / panel_width(r),
                 up = (bounds->high[1] - bounds->low[1]) / r->height, pixels = largest / fmax(across, up) * r->zoom;
    if (pixels < DOT)
        printf("bodies are about %.0f of %d pixels high or wide, for all of their way is shown: --frame N shows one "
               "moment "
               "as large as it can be, --camera A,E,ZOOM a part\n",
               ceil(pixels), r->height);
}

static ThawStatus settle_view(Render *r, ThawError *error) {
    View *view = &r->view;
    ThawStatus status = THAW_OK;
    view->colour = r->colour;
    static const unsigned char backdrop[2][3] = {{240, 244, 247}, {203, 213, 222}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            view->background[i][k] = picture_linear(backdrop[i][k]);
    view->shading.edge_colour = 0.62f;
    ViewBounds bounds = view_bounds_empty();
    double largest = 0; // m, of a single frame across or up
    int64_t all = r->frame_count < LOOKED_AT ? r->frame_count : LOOKED_AT,
            count = r->shown_count ? r->shown_count : all;
    // First what there is, then, with the camera turned to it, where it must stand.
    for (int64_t i = 0; status == THAW_OK && i < 2 * count; i++) {
        ThawFrameData *frame, *obstacles;
        status = thaw_replay_read(r->replay, looked_at(r, i % count), &frame, error);
        if (status != THAW_OK)
            break;
        status = thaw_replay_read_obstacles(r->replay, looked_at(r, i % count), &obstacles, error);
        if (i == count) {
            colouring_settle(&view->colour); // decides whether there is a legend, and so the width
            settle_size(r, view_bounds_ratio(view, &bounds));
            view->shading.edge_width = r->edges ? (r->height < 700 ? 0.36f : 0.45f) * SAMPLES : 0;
            view_aim(view, &bounds, SAMPLES * panel_width(r), SAMPLES * r->height, r->zoom);
        }
        if (i >= count) {
            view_fit(view, frame);
            if (obstacles)
                view_fit_obstacles(view, obstacles);
        } else {
            view->flat = frame->nodes == 3;
            view_turn(view, r->azimuth, r->elevation);
            view_bounds_add(view, frame, &bounds);
            ViewBounds alone = view_bounds_empty();
            view_bounds_add(view, frame, &alone);
            largest = fmax(largest, fmax(alone.high[0] - alone.low[0], alone.high[1] - alone.low[1]));
            if (status == THAW_OK)
                status = look_at_colours(r, frame, error);
            if (obstacles)
                view_bounds_add_obstacles(view, obstacles, &bounds);
        }
        thaw_frame_data_free(&obstacles);
        thaw_frame_data_free(&frame);
    }
    view_settle(view);
    if (status == THAW_OK && !r->quiet)
        warn_of_dots(r, &bounds, largest);
    return status;
}

static ThawStatus write_one(const Render *r, const int64_t *indices, int count, const char *path, Picture *picture,
                            ThawError *error) {
    ThawStatus status = draw_picture(r, indices, count, picture, error);
    return status == THAW_OK ? picture_write(picture, path, error) : status;
}

static ThawStatus was_interrupted(const Render *r, ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_IO, "interrupted after %" PRId64 " picture%s", r->pictures,
                          r->pictures == 1 ? "" : "s");
}

static ThawStatus write_all(Render *r, Picture *picture, ThawError *error) {
    ThawStatus status = THAW_OK;
    AppProgress progress;
    app_progress_begin(&progress, r->quiet, "picture", 0, r->frame_count, 0);
    while (status == THAW_OK && r->pictures < r->frame_count) {
        char path[4200];
        if (interrupted)
            status = was_interrupted(r, error);
        else if (!app_numbered(r->output, thaw_replay_number(r->replay, r->pictures), path, sizeof path))
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "-o is '%s'; --frame all needs one place for the number, as in frame%%04d.png",
                                    r->output);
        else
            status = write_one(r, &r->pictures, 1, path, picture, error);
        if (status == THAW_OK)
            app_progress_show(&progress, ++r->pictures);
    }
    app_progress_end(&progress);
    return status;
}

// How many frames a second show the run at its own speed; where that is more than screens show, every n-th frame is
// taken.
static ThawStatus settle_rate(const Render *r, double *rate, int64_t *stride, ThawError *error) {
    double time[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        ThawFrameData *frame;
        ThawStatus status = thaw_replay_read(r->replay, i * (r->frame_count - 1), &frame, error);
        if (status != THAW_OK)
            return status;
        time[i] = frame->time;
        thaw_frame_data_free(&frame);
    }
    double natural = (double)(r->frame_count - 1) / (time[1] - time[0]);
    *stride = natural > 60 ? (int64_t)ceil(natural / 60) : 1;
    *rate = r->rate > 0 ? r->rate : isfinite(natural) && natural >= 1 ? natural / (double)*stride : 25;
    if (r->rate > 0)
        *stride = 1;
    return THAW_OK;
}

static ThawStatus write_film(Render *r, Picture *picture, ThawError *error) {
    Film *film;
    double rate;
    int64_t stride;
    ThawStatus status = settle_rate(r, &rate, &stride, error);
    if (status == THAW_OK)
        status = film_open(r->output, r->width, r->height, rate, &film, error);
    if (status != THAW_OK)
        return status;
    AppProgress progress;
    app_progress_begin(&progress, r->quiet, "picture", 0, (r->frame_count + stride - 1) / stride, 0);
    for (int64_t i = 0; status == THAW_OK && i < r->frame_count; i += stride) {
        status = draw_picture(r, &i, 1, picture, error);
        if (status == THAW_OK)
            status = film_add(film, picture, error);
        if (interrupted) // also where the encoder was ended by the same signal
            status = was_interrupted(r, error);
        if (status == THAW_OK)
            app_progress_show(&progress, ++r->pictures);
    }
    app_progress_end(&progress);
    ThawStatus closed = film_close(&film, status != THAW_OK, error);
    return status == THAW_OK ? closed : status;
}

// Which frames are shown: those of a sheet, one, or all.
static ThawStatus settle_shown(Render *r, ThawError *error) {
    if (film_is_name(r->output) || (!r->sheet && strcmp(r->frame_text, "all") == 0))
        return THAW_OK;
    r->shown_count = r->sheet ? (int)(r->sheet < r->frame_count ? r->sheet : r->frame_count) : 1;
    for (int i = 0; i < r->shown_count; i++)
        r->shown[i] = moments_evenly(r->frame_count, i, r->shown_count);
    if (r->sheet)
        return r->even ? THAW_OK : moments_choose(r->replay, r->colour.field, r->shown_count, r->shown, error);
    const int64_t wanted = strtoll(r->frame_text, NULL, 10);
    if (strcmp(r->frame_text, "last") != 0)
        r->shown[0] = thaw_replay_find(r->replay, wanted);
    return r->shown[0] >= 0
               ? THAW_OK
               : thaw_error_set(error, THAW_ERROR_INPUT,
                                "--frame is %" PRId64 "; there are %" PRId64 " frames, from %" PRId64 " to %" PRId64,
                                wanted, r->frame_count, thaw_replay_number(r->replay, 0),
                                thaw_replay_number(r->replay, r->frame_count - 1));
}

static ThawStatus write_output(Render *r, Picture *picture, ThawError *error) {
    if (!r->shown_count)
        listen_to_signals();
    if (!r->shown_count)
        return (film_is_name(r->output) ? write_film : write_all)(r, picture, error);
    r->pictures = 1;
    return write_one(r, r->shown, r->shown_count, r->output, picture, error);
}

static ThawStatus render(Render *r, ThawError *error) {
    Picture picture;
    ThawStatus status = thaw_replay_open(r->input, &r->replay, error);
    if (status != THAW_OK)
        return status;
    r->frame_count = thaw_replay_count(r->replay);
    status = settle_shown(r, error);
    if (status == THAW_OK)
        status = settle_view(r, error);
    if (status != THAW_OK)
        return status;
    if (!picture_create(r->width, r->height, &picture))
        return thaw_error_memory(error, "a picture");
    status = write_output(r, &picture, error);
    picture_clear(&picture);
    return status;
}

static int command_render(int argc, char **argv) {
    Render r = {.frame_text = "last", .azimuth = -32, .elevation = 18, .zoom = 1};
    r.colour.field = thaw_field_find("von_mises");
    if (!parse(&r, argc, argv))
        return APP_WRONG_INPUT;
    ThawError error = {0};
    ThawStatus status = render(&r, &error);
    thaw_replay_free(&r.replay);
    if (status != THAW_OK)
        app_complain("render", "%s", error.message);
    else if (!r.quiet && r.pictures > 1)
        printf("%s: %" PRId64 " pictures of %d x %d\n", r.output, r.pictures, r.width, r.height);
    else if (!r.quiet)
        printf("%s: %d x %d\n", r.output, r.width, r.height);
    return app_exit_status(status);
}

static const char help[] =
    "usage: thaw render DIR|FILE.vtu -o FILE.png|FILE.mp4 [OPTIONS]\n"
    "\n"
    "Draws frames that `thaw run` wrote. Camera and colour scale fit what is shown, and are the same in all pictures "
    "of a\n"
    "sheet, a film or --frame all. The scale leaves out the highest values,\n"
    "at most 2 percent: the legend says how far they go.\n"
    "\n"
    "  -o FILE.png       where the picture goes; with --frame all a pattern: frame%04d.png\n"
    "  -o FILE.mp4       a film (also .webm, .mkv, .mov, .gif, .webp), made by ffmpeg; as fast as the simulated time\n"
    "  --fps N           every frame, N a second: slower or faster than the simulated time\n"
    "  --frame N         which frame (default: last); all: every one\n"
    "  --sheet N         N frames side by side in one picture: more of them where much happens, or,\n"
    "                    with --colour state, part, reason or woken_by, where that changes\n"
    "  --moments even    frames of a sheet evenly spaced in time (default: events)\n"
    "  --size WxH        pixels (default 1280x720)\n"
    "  --colour NAME     a field that the frames hold: velocity, von_mises (default), region, contact_pressure, ...;\n"
    "                    of adaptive runs also part, state, reason, woken_by, strain_rate, predicted_strain; body; "
    "none\n"
    "  --camera A,E[,Z]  azimuth and elevation in degrees, zoom (default -32,18,1); azimuth 0 looks along +y,\n"
    "                    2D scenes are always seen from above\n"
    "  --edges           draws the edges of the mesh\n"
    "  --quiet           say nothing but errors\n"
    "\n"
    "Exit status: 0 done; 1 the input is wrong; 2 the picture could not be written.\n";

const AppCommand app_command_render = {"render", "draw frames as pictures or a film", help, command_render};
