// SPDX-License-Identifier: Apache-2.0
// The file around a checkpoint: any bytes. All but the rarest must be refused by the length and the digest in front, for what
// lies behind them is HDF5, which is not made for hostile files. What is in an honest file is fuzz_checkpoint's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "output/checkpoint.h"

static int handle = -1; // of a file that has no name and lies in memory
static char path[40];

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
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
