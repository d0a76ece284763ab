#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs what the documentation shows: C programs (```c with a main), whole scenes (```json with "thaw": 1) and the lines of
# ```sh blocks that call the program. Relative links must lead to files, and to headings where they name one.
#   test_docs.sh BUILD_DIR CC
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source_dir/scenes" "$work/scenes"
cp "$source_dir/tests/scene/small/hub.msh" "$work/part.msh" # stands for the reader's own mesh

# Each fenced block becomes a file LANGUAGE-N in a folder of its document.
passed=0 failed=0
try() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        cat "$work/log"
    fi
}

cd "$work"
for document in "$source_dir"/README.md "$source_dir"/docs/*.md; do
    name=$(basename "$document" .md)
    mkdir -p "$work/$name"
    awk -v folder="$work/$name" '
        /^```[a-z]/ { language = substr($0, 4); file = folder "/" language "-" ++n; next }
        /^```/ { language = ""; next }
        language != "" { print > file }' "$document"
    for block in "$work/$name"/*; do
        [ -e "$block" ] || continue
        label="$name: $(basename "$block")"
        case $(basename "$block") in
        c-*)
            grep -q 'int main' "$block" || continue
            mv "$block" "$block.c"
            try "$label compiles" "$cc" -std=c17 -Wall -Werror -I "$source_dir/include" "$block.c" -o "$block.run" \
                -L "$build" -lthaw -Wl,-rpath,"$build"
            try "$label runs" "$block.run"
            ;;
        json-*)
            grep -q '"thaw": 1' "$block" || continue
            mv "$block" "$work/$name-$(basename "$block").json"
            try "$label" "$build/thaw" run "$work/$name-$(basename "$block").json" --steps 2 --quiet \
                --out "$work/out/$name"
            ;;
        sh-*)
            # What follows in the same block may need what came before, so lines run in order, but only for a few steps.
            while read -r line; do
                case $line in
                build/release/thaw\ run*) try "$label: $line" bash -c "${line/build\/release\/thaw/$build/thaw} --steps 10" ;;
                build/release/thaw\ *) try "$label: $line" bash -c "${line/build\/release\/thaw/$build/thaw}" ;;
                esac
            done <"$block"
            ;;
        esac
    done
done
# A heading's anchor: lower case, without punctuation, blanks as hyphens.
anchors() { sed -n 's/^#\+ //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
leads_somewhere() { # DOCUMENT TARGET
    local file=${2%%#*} anchor=
    [[ $2 == *#* ]] && anchor=${2#*#}
    if [ -n "$file" ]; then file=$(dirname "$1")/$file; else file=$1; fi
    [ -e "$file" ] || { echo "no such file: $file"; return 1; }
    [ -z "$anchor" ] || anchors "$file" | grep -qx -- "$anchor" || { echo "no heading for #$anchor in $file"; return 1; }
}
for document in "$source_dir"/*.md "$source_dir"/docs/*.md; do
    while read -r target; do
        try "$(basename "$document"): link to $target" leads_somewhere "$document" "$target"
    done < <(awk '/^```/ { code = !code } !code' "$document" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' |
        grep -v '^[a-z]*://' | sort -u)
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
