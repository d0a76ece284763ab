#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# unused.sh BUILD: which functions of the library's own headers nothing but tests calls. What only tests use belongs to
# tests/. Users are the library, the program, the benchmarks and the fuzz targets; public functions need none.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
# What is there for tests to hold on to, or is part of an interface that is kept whole:
kept='thaw_integration_set_(weights|offset)|thaw_assert_fail|thaw_method_register|thaw_checkpoint_name|thaw_ldl_(failed|negative_pivots|solve_many|solve_sparse)'
command -v nm >/dev/null || exit 77

mapfile -t objects < <(find "$build/CMakeFiles/thaw_objects.dir" -name '*.o')
mapfile -t users < <(find "$build/CMakeFiles/thaw_objects.dir" "$build/CMakeFiles/thaw_app.dir" \
    "$build/CMakeFiles/thaw_program.dir" -name '*.o')
defined=$(nm --defined-only "${objects[@]}" 2>/dev/null | awk '$2 == "T" && $3 ~ /^thaw_/ { print $3 }' | sort -u)
called=$(nm --undefined-only "${users[@]}" 2>/dev/null | awk '{ print $NF }' | sort -u)
status=0
for name in $(comm -23 <(echo "$defined") <(sort -u <(echo "$called") "$build/public_functions.txt")); do
    [[ $name =~ ^($kept)$ ]] && continue
    # Called in its own file, which nm does not show, or by a benchmark or a fuzz target.
    [ "$(cat $(grep -rlw "$name" src --include='*.c') | sed 's|//.*||' | grep -cw "$name")" -gt 1 ] && continue
    grep -rqw "$name" bench fuzz --include='*.c' && continue
    echo "$name: only tests call it"
    status=1
done
exit $status
