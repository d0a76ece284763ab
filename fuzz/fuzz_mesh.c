// SPDX-License-Identifier: Apache-2.0
// The readers of mesh files. What an input is, is told by its first byte, so that a corpus is made of real files;
// TetGen's files stand in one, with form feeds between .node, .ele, .face and .poly.
#include <string.h>

#include "fuzz.h"
#include "mesh/draft.h"
#include "mesh/text.h"

enum { BUDGET = 32 << 20, PARTS = 4 };

static ThawStatus read_parts(const uint8_t *data, size_t size, ThawMesh **mesh, ThawError *error) {
    ThawText texts[PARTS] = {{0}}, *part[PARTS] = {NULL};
    ThawDraft draft;
    ThawMeshReport report = {0};
    ThawStatus status = THAW_OK;
    const uint8_t *end = data + size;
    thaw_draft_init(&draft, "fuzz");
    for (int i = 0; i < PARTS && data < end && !status; i++) {
        const uint8_t *stop = memchr(data, '\f', (size_t)(end - data));
        stop = stop ? stop : end;
        if (stop > data) {
            part[i] = texts + i;
            status = thaw_text_copy(data, (size_t)(stop - data), "fuzz", '#', thaw_head_tetgen, texts + i, error);
        }
        data = stop + (stop < end);
    }
    if (!status && part[1] && (part[0] || part[3]))
        status = thaw_read_tetgen(part[0], part[1], part[2], part[3], &draft);
    else if (!status)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "fuzz: a part is missing");
    for (int i = 0; i < PARTS; i++)
        thaw_text_close(texts + i);
    if (!status)
        status = thaw_draft_finish(&draft, mesh, &report, error);
    thaw_draft_free(&draft);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    ThawMeshReport report;
    const char *ending = size == 0        ? ".msh"
                         : data[0] == '$' ? ".msh"
                         : data[0] == 'M' ? ".mesh"
                         : data[0] == '#' ? ".vtk"
                         : data[0] == '<' ? ".vtu"
                         : data[0] <= 1   ? ".meshb"
                                          : NULL;
    const long before = fuzz_budget(BUDGET);
    const ThawStatus status = ending ? thaw_mesh_parse(data, size, ending, "fuzz", &mesh, &report, &error)
                                     : read_parts(data, size, &mesh, &error);
    fuzz_budget(SIZE_MAX);
    fuzz_check(status <= 0 && (status == THAW_OK) == (mesh != NULL), "a mesh, or none and an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    fuzz_check(status != THAW_ERROR_INPUT || strstr(error.message, "fuzz") == error.message, "it names the file");
    if (mesh)
        fuzz_check(thaw_mesh_validate(mesh, &error) == THAW_OK, "what is read is valid");
    thaw_mesh_free(&mesh);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
