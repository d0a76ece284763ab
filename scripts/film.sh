#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the film and the picture at the top of the README again, from nothing: a run and two calls of `thaw render`.
#   scripts/film.sh THAW [FOLDER]      FOLDER: for the run and the film as MP4 (default out/film)
# Takes ffmpeg, and about two minutes of one core.
set -euo pipefail
cd "$(dirname "$0")/.."
thaw=$1 out=${2:-out/film}
look=(--colour part --camera -30,14,1.08)
"$thaw" run scenes/forest.json --method rigidify --every 8 --out "$out"
"$thaw" render "$out" -o docs/images/forest.webp --size 800x450 "${look[@]}"
"$thaw" render "$out" -o "$out/forest.mp4" --size 1280x720 "${look[@]}"
