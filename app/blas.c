// SPDX-License-Identifier: Apache-2.0
// OpenBLAS chooses its kernels when it is loaded, before main, and Debian's picks those of a 2004 processor where it
// does not know the model: three times slower factorisations. It listens to OPENBLAS_CORETYPE, so the program sets that
// (one thread, too: threaded BLAS changes bits) and starts itself once more. What the user has set is left alone.
#include <stdlib.h>
#include <unistd.h>

#include "app.h"

void app_prepare_blas(char **argv) {
#if defined(THAW_WITH_CHOLMOD) && defined(__x86_64__) && defined(__linux__)
    if (getenv("OPENBLAS_CORETYPE") || getenv("THAW_STARTED_AGAIN"))
        return;
    const char *core = NULL;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        core = "SkylakeX";
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        core = "Haswell";
    if (!core || setenv("OPENBLAS_CORETYPE", core, 1) || setenv("OPENBLAS_NUM_THREADS", "1", 0) ||
        setenv("THAW_STARTED_AGAIN", "1", 1))
        return;
    execv("/proc/self/exe", argv); // on failure: carry on, only slower
#else
    (void)argv;
#endif
}
