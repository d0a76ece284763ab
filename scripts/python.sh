#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package against a CMake build folder, into build/python, and tests it.
#   scripts/python.sh [--tests] [BUILD_DIR]   --tests: 77 where Python's parts are missing, in place of a failure
set -euo pipefail
cd "$(dirname "$0")/.."
missing=1
[ "${1-}" != --tests ] || { missing=77; shift; }
build=$(realpath "${1:-build/release}")
python=${PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import cffi, numpy, pytest, setuptools, sysconfig, os
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' 2>/dev/null; then
    echo "no Python part: $python lacks cffi, numpy, pytest, setuptools or its headers (make python installs them)" >&2
    exit "$missing"
fi
out=$(dirname "$build")/python
[ "$(basename "$(dirname "$build")")" = build ] || out=$build/python
mkdir -p "$out"
cp -r bindings/python/thaw "$out/"
(cd bindings/python && THAW_BUILD=$build "$python" setup.py -q build_ext --build-lib "$out" --build-temp "$out/temp")
PYTHONPATH=$out PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider bindings/python/tests
if command -v mypy >/dev/null && command -v stubtest >/dev/null; then
    stubs=$out/temp/stubs # in a folder without the code, which would be taken in their place
    mkdir -p "$stubs/thaw" && cp bindings/python/thaw/__init__.pyi "$stubs/thaw/"
    (cd "$out/temp" && MYPYPATH=$stubs PYTHONPATH=$out stubtest thaw --ignore-missing-stub) # leaves its cache there
    MYPYPATH=$stubs mypy --check-untyped-defs --ignore-missing-imports --cache-dir "$out/temp/mypy" examples/python
else
    echo "types not checked: mypy and stubtest are not there (Debian's package mypy)"
fi
