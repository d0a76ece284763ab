#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench.sh PROGRAMS_DIR OUT_DIR: runs every benchmark, shows its table and keeps it as OUT_DIR/NAME.csv.
set -uo pipefail
mkdir -p "$2"
failed=0
for program in "$1"/bench_*; do
    [ -x "$program" ] || { echo "there are no benchmarks in $1"; exit 0; }
    name=$(basename "$program")
    printf '\n== %s\n' "$name"
    # One thread of BLAS, like the program sets for itself: figures must not depend on a spinning pool.
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 "$program" | tee "$2/$name.csv" || failed=1
done
exit $failed
