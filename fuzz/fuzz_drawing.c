// SPDX-License-Identifier: Apache-2.0
// The readers of drawings: what begins with a tag is SVG, anything else an outline of Triangle.
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "mesh/drawing.h"

enum { BUDGET = 32 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawDrawing *drawing = NULL;
    ThawError error = {0};
    const char *ending = size && (*data == '<' || *data == 0xef) ? ".svg" : ".poly";
    const long before = fuzz_budget(BUDGET);
    const ThawStatus status =
        thaw_drawing_parse(size ? data : (const uint8_t *)"", size, ending, "fuzz", &drawing, &error);
    fuzz_check(status <= 0 && (status == THAW_OK) == (drawing != NULL), "a drawing, or none and an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    fuzz_check(status != THAW_ERROR_INPUT || strstr(error.message, "fuzz") == error.message, "it names the file");
    if (drawing) {
        ThawSolid *solid = NULL;
        int32_t segments = 0;
        for (int32_t i = 0; i < drawing->part_count; i++)
            segments += drawing->parts[i].count;
        fuzz_check(segments == drawing->segments && segments <= THAW_DRAWING_MOST, "segments are counted");
        if (!thaw_solid_create(2, &solid, NULL) && (solid->root = thaw_solid_add_drawing(solid, drawing, -1, 1)) >= 0)
            fuzz_check(isfinite(thaw_solid_distance(solid, (double[3]){0.1, 0.2, 0})), "a distance is a number");
        thaw_solid_free(&solid);
    }
    thaw_drawing_free(&drawing);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
