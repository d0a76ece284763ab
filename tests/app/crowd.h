// SPDX-License-Identifier: Apache-2.0
// A scene whose first step takes long on every machine: many bodies in one place, each of whose vertices is in contact
// with all others.
#ifndef THAW_TEST_CROWD_H
#define THAW_TEST_CROWD_H

__attribute__((unused)) static void write_crowd(const char *path) {
    enum { BODIES = 64 };
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 100},\n"
          " \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"alpha1\": 0.002}},\n"
          " \"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.2], \"cells\": "
          "[4, 4, 4]}}, \"material\": \"m\"}},\n \"bodies\": [",
          file);
    for (int i = 0; i < BODIES; i++)
        fprintf(file, "%s{\"name\": \"b%d\", \"shape\": \"cube\", \"position\": [%g, %g, %g]}", i ? ",\n  " : "", i,
                0.001 * i, 0.0007 * i, 0.1 + 0.0003 * i);
    fputs("],\n \"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}\n", file);
    assert_int_equal(fclose(file), 0);
}

#endif
