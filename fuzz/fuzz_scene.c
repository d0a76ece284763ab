// SPDX-License-Identifier: Apache-2.0
// The reader of scenes, meshes made by them included. Mesh files are looked up in a folder that does not exist.
#include <string.h>

#include "fuzz.h"
#include "thaw/thaw.h"

enum { BUDGET = 2 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    const long before = fuzz_budget(BUDGET);
    const ThawStatus status =
        thaw_scene_parse(size ? (const char *)data : "", size, "fuzz", "/nonexistent", &scene, &error);
    fuzz_check(status <= 0 && (status == THAW_OK) == (scene != NULL), "a scene, or none and an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    thaw_scene_free(&scene);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
