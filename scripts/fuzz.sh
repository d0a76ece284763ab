#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs fuzz targets of the preset `fuzz` (docs/security.md), one after the other, at the lowest priority.
#   fuzz.sh [TARGET [EXECUTIONS]]     a target (mesh, request, ...; "all"), and how many executions (100000)
# What is found is kept in build/fuzz/findings, the grown corpus in build/fuzz/grown.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz target=${1-all} runs=${2-100000}
mkdir -p "$build/findings"
# Worlds live on from input to input in some targets: leaks are counted there by the targets themselves.
export ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=8:${ASAN_OPTIONS-}
status=0
for program in "$build"/fuzz/fuzz_*; do
    name=$(basename "$program")
    name=${name#fuzz_}
    [ -x "$program" ] && [ -d "$root/fuzz/corpus/$name" ] || continue
    [ "$target" = all ] || [ "$target" = "$name" ] || continue
    mkdir -p "$build/grown/$name"
    echo "$name: $runs executions"
    nice -n 19 "$program" -runs="$runs" -entropic=0 -detect_leaks=0 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$name-" "$build/grown/$name" "$root/fuzz/corpus/$name" >"$build/$name.log" 2>&1 ||
        { status=1; grep -E "ERROR|runtime error|broken promise|SUMMARY" "$build/$name.log" | head -n 5; }
    grep -E "executed_units" "$build/$name.log" || true
done
exit $status
