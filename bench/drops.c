// SPDX-License-Identifier: Apache-2.0
// Ten thousand random drops (tests/contact_physics/drops.h), a line of CSV each.
//
//     bench_drops [FIRST [COUNT [FILE.csv]]]
//
// With a file, drops that are in it already are not done again, so a run that was stopped goes on where it was. The
// seed of a drop is its number: a failing one is repeated with `bench_drops NUMBER 1`. Exit status 1 when any failed.
#include "../tests/contact_physics/drops.h"

static const char header[] =
    "drop,failed,overlap,dim,bodies,elements,steps,kind,depth,rest_depth,residual,left,substeps,contacts,"
    "fastest,why\n";

// The drop after the last complete line of the file.
static long resume(FILE *file, long first) {
    char line[1000];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        char *end;
        long number = strtol(line, &end, 10);
        if (end != line && *end == ',' && strchr(line, '\n') && number >= first)
            first = number + 1;
    }
    return first;
}

int main(int argc, char **argv) {
    long first = argc > 1 ? strtol(argv[1], NULL, 10) : 0, count = argc > 2 ? strtol(argv[2], NULL, 10) : 10000;
    long end = first + count;
    FILE *file = argc > 3 ? fopen(argv[3], "a+") : stdout;
    if (!file) {
        perror(argv[3]);
        return 1;
    }
    if (argc > 3)
        first = resume(file, first);
    int failed = 0;
    if (file == stdout || (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0))
        fputs(header, file);
    for (long i = first; i < end; i++) {
        DropResult r = drop_run((uint64_t)i);
        failed += r.failed;
        fprintf(file, "%ld,%d,%d,%d,%d,%d,%d,\"%s\",%.4g,%.4g,%.3g,%d,%d,%lld,%.4g,\"%s\"\n", i, r.failed, r.overlap,
                r.dim, r.bodies, r.elements, r.steps, r.kind, r.depth, r.rest_depth, r.residual, r.left, r.substeps,
                (long long)r.contacts, r.fastest, r.why);
        fflush(file);
        if (file != stdout && (r.failed || (i + 1) % 500 == 0))
            printf("drop %ld: %s%s (%d failed so far)\n", i, r.failed ? "FAILED, " : "done", r.why, failed);
    }
    if (file != stdout)
        fclose(file);
    return failed > 0;
}
