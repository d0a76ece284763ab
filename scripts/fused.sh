#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says which object files of a library hold fused multiply-adds that nobody wrote; status 1 if any does, 77 where this cannot
# be looked at. gcc 12.2 turns a x - b y beside b x + a y into vfmaddsub even with -ffp-contract=off, and the bits then
# depend on the processor. Files that call fma by name are meant to have them, but only the plain kinds.
#   fused.sh LIBRARY.a
set -uo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
library=$1
command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ] || exit 77

found=0
while read -r object plain mixed; do
    if [ "$mixed" -gt 0 ] || ! grep -qE '_fma(dd_pd)?\(' "$source_dir"/src/*/"${object%.c.o}"*; then
        echo "${object%.o}: $((plain + mixed)) fused operations that are not in the source"
        found=1
    fi
done < <(objdump -d --no-show-raw-insn "$library" | awk '
    /file format/ { object = $1; sub(":", "", object) }
    /vfm(addsub|subadd)/ { mixed[object]++; seen[object] = 1; next }
    /vfn?m(add|sub)[0-9]/ { plain[object]++; seen[object] = 1 }
    END { for (o in seen) print o, plain[o] + 0, mixed[o] + 0 }')
exit $found
