#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the options of each method, as the program's tables have them (`thaw help METHOD --schema`, `--markdown`), into
# docs/scene.schema.json and docs/scene-format.md. tests/app/test_help asserts that this was done.
#   options.sh [PROGRAM]     build/release/thaw unless said
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1-$root/build/release/thaw}
part=$(mktemp)
trap 'rm -f "$part" "$part.new"' EXIT

# Replaces the lines from BEGIN to END in FILE by $part: with both ends, or what is between them.
replace() { # FILE BEGIN END with|between
    awk -v part="$part" -v begin="$2" -v end="$3" -v ends="$4" '
        function put(   line) { while ((getline line < part) > 0) print line; found++ }
        $0 == begin && !inside { inside = 1; if (ends == "between") print; put(); next }
        $0 == end && inside { inside = 0; if (ends == "between") print; next }
        !inside { print }
        END { exit found != 1 || inside }' "$1" >"$part.new" || { echo "$1: no place for the options" >&2; exit 1; }
    cat "$part.new" >"$1"
}

"$program" help methods | sed -n 's/^  \([a-z]\+\) .*/\1/p' | while read -r method; do
    "$program" help "$method" --markdown >"$part"
    [ -s "$part" ] || continue # it has none
    replace "$root/docs/scene-format.md" "<!-- options of $method, made by scripts/options.sh -->" "<!-- end -->" between
    "$program" help "$method" --schema >"$part"
    replace "$root/docs/scene.schema.json" "        \"$method\": {" "        }," with
done
