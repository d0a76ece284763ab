// SPDX-License-Identifier: Apache-2.0
// USD as text: one Mesh a part, its points as time samples. Time codes are seconds times 24, USD's own default rate, so
// a viewer plays the run at its true speed whatever the spacing of frames; z is up and the unit is the metre, and the
// file says so.
#include <math.h>

#include "base/file.h"
#include "output/reel.h"

static const double codes_per_second = 24;

static void print_points(ThawFile *file, const float *x, int32_t count) {
    thaw_file_print(file, "[");
    for (int64_t i = 0; i < count; i++)
        thaw_file_print(file, "%s(%.7g, %.7g, %.7g)", i ? ", " : "", (double)x[3 * i], (double)x[3 * i + 1],
                        (double)x[3 * i + 2]);
    thaw_file_print(file, "]");
}

static void print_extent(ThawFile *file, const float *x, int32_t count) {
    float box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) {
        box[i % 3] = fminf(box[i % 3], x[i]);
        box[3 + i % 3] = fmaxf(box[3 + i % 3], x[i]);
    }
    print_points(file, box, 2);
}

typedef void Printer(ThawFile *file, const float *x, int32_t count);

// One value, or one for each frame.
static ThawStatus print_samples(ThawReel *reel, int32_t part, int moves, const char *what, Printer *print,
                                ThawFile *file, ThawError *error) {
    const ThawClipPart *p = &reel->clip->parts[part];
    int32_t count = p[1].first_point - p[0].first_point;
    ThawStatus status = THAW_OK;
    thaw_file_print(file, moves ? "        %s.timeSamples = {\n" : "        %s = ", what);
    for (int64_t f = 0; status == THAW_OK && f < (moves ? reel->clip->frame_count : 1); f++) {
        status = thaw_reel_read(reel, f, part, error);
        if (status != THAW_OK)
            break;
        if (moves)
            thaw_file_print(file, "            %.9g: ", reel->time[f] * codes_per_second);
        print(file, reel->x, count);
        thaw_file_print(file, moves ? ",\n" : "\n");
    }
    thaw_file_print(file, moves ? "        }\n" : "");
    return status;
}

static ThawStatus print_part(ThawReel *reel, int32_t part, ThawFile *file, ThawError *error) {
    const ThawClipPart *p = &reel->clip->parts[part];
    int32_t count = p[1].first_triangle - p[0].first_triangle;
    const int32_t *corner = reel->clip->triangles + 3 * (int64_t)p->first_triangle;
    int moves;
    ThawStatus status = thaw_reel_moves(reel, part, &moves, error);
    thaw_file_print(file, "    def Mesh \"%s\"\n    {\n        uniform token subdivisionScheme = \"none\"\n", p->name);
    thaw_file_print(file, "        uniform bool doubleSided = 1\n        int[] faceVertexCounts = [");
    for (int32_t t = 0; t < count; t++)
        thaw_file_print(file, t ? ", 3" : "3");
    thaw_file_print(file, "]\n        int[] faceVertexIndices = [");
    for (int64_t i = 0; i < 3 * (int64_t)count; i++)
        thaw_file_print(file, "%s%d", i ? ", " : "", corner[i] - p->first_point);
    thaw_file_print(file, "]\n        color3f[] primvars:displayColor = [(%.4g, %.4g, %.4g)]\n", (double)p->colour[0],
                    (double)p->colour[1], (double)p->colour[2]);
    if (status == THAW_OK)
        status = print_samples(reel, part, moves, "float3[] extent", print_extent, file, error);
    if (status == THAW_OK)
        status = print_samples(reel, part, moves, "point3f[] points", print_points, file, error);
    thaw_file_print(file, "    }\n");
    return status;
}

ThawStatus thaw_export_usd(const ThawClip *clip, const char *path, ThawError *error) {
    ThawReel *reel;
    ThawFile *file = NULL;
    ThawStatus status = thaw_reel_create(clip, &reel, error);
    if (status == THAW_OK)
        status = thaw_file_create(path, &file, error);
    if (status == THAW_OK)
        thaw_file_print(file,
                        "#usda 1.0\n(\n    defaultPrim = \"thaw\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n"
                        "    startTimeCode = %.9g\n    endTimeCode = %.9g\n    timeCodesPerSecond = %g\n"
                        "    framesPerSecond = %g\n)\n\ndef Xform \"thaw\"\n{\n",
                        reel->time[0] * codes_per_second, reel->time[clip->frame_count - 1] * codes_per_second,
                        codes_per_second, codes_per_second);
    if (status == THAW_OK && clip->moved) // points are floats, the way to them is double
        thaw_file_print(file,
                        "    double3 xformOp:translate = (%.17g, %.17g, %.17g)\n"
                        "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n",
                        clip->origin[0], clip->origin[1], clip->origin[2]);
    for (int32_t p = 0; status == THAW_OK && p < clip->part_count; p++)
        status = print_part(reel, p, file, error);
    if (status == THAW_OK) {
        thaw_file_print(file, "}\n");
        status = thaw_file_commit(&file, error);
    } else if (file)
        thaw_file_discard(&file);
    thaw_reel_free(&reel);
    return status;
}
