#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts the instructions of fixed small scenes' steps under callgrind: a gate against regressions that no noise can fool.
#   instructions.sh PROGRAM            compares with the last counts in bench/instructions.csv; fails above +3 percent
#   instructions.sh PROGRAM --record   appends today's counts to that history
# PROGRAM must be the portable build (valgrind knows no AVX-512). Exits 77 (skipped) without valgrind, where the history
# has nothing to compare with, as with another compiler than its own, and on processors without AVX2 and FMA.
#
# Counts do not depend on the processor then: valgrind shows every program the same one with AVX2. What the C library
# chooses by its own tests is given: no string instructions, which count once a byte, and no limits by sizes of caches.
# (With string instructions counts differ by up to 4 percent; without the library's choices for AVX2, with those for
# AVX without vzeroupper, or with other sizes of caches by 1 percent at most.)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=$1 history=$root/bench/instructions.csv steps=20
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }
valgrind --tool=callgrind --callgrind-out-file=/dev/null true >/dev/null 2>&1 || { echo "skipped: valgrind does not run here"; exit 77; }
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "skipped: a processor without AVX2 and FMA"; exit 77; }
export LD_BIND_NOW=1 GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000:glibc.cpu.x86_non_temporal_threshold=1000000000
compiler=$("$program" --version | grep -o 'gcc [0-9.]*\|clang [0-9.]*' | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0 compared=0
for scene in "$root"/tests/scene/small/*.json; do
    name=$(basename "$scene" .json)
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=thaw_world_step \
        "$program" run "$scene" --steps $steps --threads 1 --solver pcg --quiet --out "$work/$name" >"$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
    count=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$work/log")
    [ -n "$count" ] || { cat "$work/log"; exit 1; }
    if [ "${2-}" = --record ]; then
        [ -e "$history" ] || echo "date,compiler,scene,steps,instructions" >"$history"
        echo "$(date +%F),$compiler,$name,$steps,$count" >>"$history"
        echo "$name: $count recorded"
        continue
    fi
    last=$(awk -F, -v c="$compiler" -v s="$name" -v n=$steps '$2 == c && $3 == s && $4 == n { last = $5 } END { print last }' "$history")
    [ -n "$last" ] || { echo "$name: no history with $compiler"; continue; }
    compared=$((compared + 1))
    awk -v n="$name" -v a="$count" -v b="$last" 'BEGIN {
        printf "%-14s %12d instructions, %+.2f %% against %d\n", n, a, 100 * (a / b - 1), b
        exit a > 1.03 * b }' || status=1
done
[ "${2-}" = --record ] || [ $compared -gt 0 ] || exit 77
[ $status -eq 0 ] || echo "a step needs more than 3 percent more instructions than recorded (bench/instructions.csv)"
exit $status
