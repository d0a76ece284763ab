#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program itself under valgrind, all it does once: tests that start it see only its output, so valgrind does not look
# into it there. Usage: test_under_valgrind.sh THAW SOURCES LAUNCHER...
set -euo pipefail
thaw=$1 sources=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export THAW_STARTED_AGAIN=1 # with CHOLMOD it would start itself once more, which valgrind cannot follow

try() {
    echo "thaw $*"
    "${launcher[@]}" "$thaw" "$@" >output 2>&1 || { cat output; exit 1; }
}
launcher=("$@")

for scene in "$sources"/tests/scene/small/*.json; do
    name=$(basename "$scene" .json)
    try run "$scene" --steps 8 --every 4 --out "$name" --stats "$name.csv" --quiet
    try run "$scene" --steps 12 --every 4 --out "$name" --resume --threads 2 --quiet
    try run "$scene" --steps 8 --out "$name-rigidify" --method rigidify --histogram "$name-rates.csv" --quiet
    try check "$scene"
done
try run "$sources/scenes/beam.json" --static --out beam
try run "$sources/scenes/beam.json" --steps 40 --every 10 --out beam --method rigidify --format vtu,obj,ply --threads 2
try explain beam --element 7 --json
try render beam -o beam.png --sheet 2
try export beam --usd beam.usda --gltf beam.glb --pc2 beam.pc2 --vtkhdf beam.vtkhdf --quiet
try compare "$sources/tests/scene/small/contact.json" --steps 6 --json contact-compare.json --quiet
try tune "$sources/scenes/beam.json" --error 5% --steps 3 -o tuned.json
try new "$sources/scenes/rabbit.obj" --elements 300 --material silicone --drop -o rabbit.json
try run rabbit.json --steps 3 --quiet
