// SPDX-License-Identifier: Apache-2.0
// The file around a checkpoint: any bytes. All but the rarest are refused by the length and the digest in front. What
// lies behind them is therefore read once more without, as if they were right: whoever makes a file to harm makes them
// right, too. What is in an honest file is fuzz_checkpoint's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "output/checkpoint.h"

enum { USER_BLOCK = 512 };
static int handle = -1; // of a file that has no name and lies in memory
static char path[40];

// All lists lie in the bytes, and each is found by its name.
static void read_behind_digest(const char *bytes, size_t size) {
    ThawError error = {0};
    ThawHdfIndex index;
    const ThawStatus status = thaw_hdf_open(bytes, size, &index, &error);
    fuzz_check(status <= 0, "reading ends with success or an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    fuzz_check(!status || !index.count, "what is refused leaves nothing");
    for (int64_t i = 0; i < index.count; i++) {
        const ThawHdfList *list = &index.lists[i];
        const char *data = list->data;
        const size_t length = (size_t)list->count * thaw_hdf_type_size(list->type);
        fuzz_check(!length || (data >= bytes && length <= size && data + length <= bytes + size), "a list is inside");
        fuzz_check(thaw_hdf_find(&index, list->name) == list, "a list is found by its name");
    }
    thaw_hdf_close(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawError error = {0};
    ThawCheckpoint *file = NULL;
    if (handle < 0) {
        handle = memfd_create("thaw-fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
    }
    fuzz_check(handle >= 0 && ftruncate(handle, 0) == 0 && pwrite(handle, data, size, 0) == (ssize_t)size,
               "the file of this target can be written");
    const long before = fuzz_budget(64 << 20);
    const ThawStatus status = thaw_checkpoint_open(path, &file, &error);
    fuzz_check(status <= 0, "opening ends with success or an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    thaw_checkpoint_free(&file);
    if (size > USER_BLOCK)
        read_behind_digest((const char *)data + USER_BLOCK, size - USER_BLOCK);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
