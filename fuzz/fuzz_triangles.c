// SPDX-License-Identifier: Apache-2.0
// The readers of surface files, told apart by their beginnings; what is neither PLY nor STL is OBJ.
#include <string.h>

#include "fuzz.h"
#include "thaw/triangles.h"

enum { BUDGET = 32 << 20 };

static const char *ending_of(const uint8_t *data, size_t size) {
    uint32_t count = 0;
    if (size >= 84)
        memcpy(&count, data + 80, sizeof count);
    if (size >= 3 && memcmp(data, "ply", 3) == 0)
        return ".ply";
    return (size >= 84 && size == 84 + 50 * (uint64_t)count) || (size >= 5 && memcmp(data, "solid", 5) == 0) ? ".stl"
                                                                                                             : ".obj";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawTriangleMesh *mesh = NULL;
    ThawTriangleReport report;
    ThawError error = {0};
    const long before = fuzz_budget(BUDGET);
    const ThawStatus status = thaw_triangles_parse(size ? data : (const uint8_t *)"", size, ending_of(data, size),
                                                   "fuzz", &mesh, &report, &error);
    fuzz_check(status <= 0 && (status == THAW_OK) == (mesh != NULL), "a surface, or none and an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    fuzz_check(status != THAW_ERROR_INPUT || strstr(error.message, "fuzz") == error.message, "it names the file");
    if (mesh) {
        fuzz_check(thaw_triangles_validate(mesh, &error) == THAW_OK, "what is read is valid");
        thaw_triangles_weld(mesh, &report, NULL); // may run out of memory here
        fuzz_check(mesh->triangle_count == 0 || thaw_triangles_validate(mesh, &error) == THAW_OK,
                   "welding keeps it so");
    }
    thaw_triangles_free(&mesh);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
