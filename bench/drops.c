// SPDX-License-Identifier: Apache-2.0
// Ten thousand random drops (tests/contact_physics/drops.h), a line of CSV each.
//
//     bench_drops [--integrator NAME] [--method NAME] [--substeps N] [FIRST [COUNT [FILE.csv]]]
//
// By the integrator that is drawn (one of the two in the world's axes), or by that one; by the full method, or another.
// With a file, drops that are in it already are not done again, so a run that was stopped goes on where it was. The
// seed of a drop is its number: a failing one is repeated with `bench_drops NUMBER 1`. Exit status 1 when any failed.
#include "../tests/contact_physics/drops.h"

static const char header[] =
    "drop,failed,overlap,dim,bodies,elements,steps,kind,depth,rest_depth,residual,left,substeps,contacts,"
    "fastest,gain,why\n";

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
    DropChoice choice = {0};
    for (; argc > 2 && argv[1][0] == '-'; argc -= 2, argv += 2) {
        if (strcmp(argv[1], "--integrator") == 0)
            choice.integrator = argv[2];
        else if (strcmp(argv[1], "--method") == 0)
            choice.method = argv[2];
        else if (strcmp(argv[1], "--substeps") == 0)
            choice.substeps = (int)strtol(argv[2], NULL, 10);
        else {
            fprintf(stderr, "bench_drops: %s: unknown; allowed: --integrator, --method, --substeps\n", argv[1]);
            return 1;
        }
    }
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
        DropResult r = drop_run_by((uint64_t)i, choice);
        failed += r.failed;
        fprintf(file, "%ld,%d,%d,%d,%d,%d,%d,\"%s\",%.4g,%.4g,%.3g,%d,%d,%lld,%.4g,%.3g,\"%s\"\n", i, r.failed,
                r.overlap, r.dim, r.bodies, r.elements, r.steps, r.kind, r.depth, r.rest_depth, r.residual, r.left,
                r.substeps, (long long)r.contacts, r.fastest, r.gain, r.why);
        fflush(file);
        if (file != stdout && (r.failed || (i + 1) % 500 == 0))
            printf("drop %ld: %s%s (%d failed so far)\n", i, r.failed ? "FAILED, " : "done", r.why, failed);
    }
    if (file != stdout)
        fclose(file);
    return failed > 0;
}
