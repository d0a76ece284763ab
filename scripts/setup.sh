#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building and testing Thaw needs, and only those that are missing.
#   setup.sh           what `make demo` needs
#   setup.sh --check   also what `make check` and `make bench` take
#   setup.sh --all     also what `make format`, `tidy`, `coverage` and `valgrind` need
#   setup.sh --python what `make python` needs, too
#   setup.sh --list    names the packages that must be there and does nothing
# Node.js only builds the web page, CHOLMOD is only compared with: where they cannot be had, everything else is built
# without them.
set -euo pipefail

packages() {
    cat <<'LIST'
build-essential      the C compiler and its C library
cmake                configures the build
ninja-build          runs the build
pkg-config           finds libraries
libjansson-dev       reads scene files (JSON)
libhdf5-dev          of tests: reads the HDF5 files that we write ourselves
libpng-dev           writes pictures
zlib1g-dev           compresses them
libwebsockets-dev    serves the web page
libcmocka-dev        runs the tests
valgrind             counts instructions: a gate against slow code
LIST
    [ "$python" = no ] || cat <<'LIST'
python3-dev          compiles the Python package
python3-cffi         generates it
python3-setuptools   builds it
python3-numpy        its arrays
python3-pytest       runs its tests
LIST
    [ "$all" = no ] || cat <<'LIST'
clang                a second compiler
clang-format         formats the code
clang-tidy           looks for mistakes
clang-tools          runs clang-tidy on all files
gcovr                counts the lines that tests run
chromium             runs the tests of the web page
LIST
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# For the web page (Node.js may come from elsewhere), and to cross-check our solver: never linked into what users run.
wishes() {
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
    [ "$check" = yes ] || return 0
    for name in libsuitesparse-dev libopenblas0-serial; do
        installed $name || echo $name
    done
}

all=no check=no python=no
case "${1-}" in
    --all) all=yes check=yes ;;
    --check) check=yes ;;
    --python) python=yes ;;
    --list) packages | sed 's/ .*//'; exit ;;
    "") ;;
    *) echo "usage: setup.sh [--check|--all|--python|--list]" >&2; exit 1 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    if command -v cmake >/dev/null && command -v ninja >/dev/null && command -v pkg-config >/dev/null &&
        pkg-config --exists jansson hdf5 libpng cmocka; then
        exit 0
    fi
    echo "This is not a Debian system, so nothing can be installed from here." >&2
    echo "Thaw needs what these Debian packages hold; please install your system's equivalents:" >&2
    packages >&2
    exit 1
fi

missing=()
while read -r name why; do
    if ! installed "$name"; then
        [ ${#missing[@]} -gt 0 ] || echo "Thaw needs packages that are not installed yet:"
        printf '  %-20s %s\n' "$name" "$why"
        missing+=("$name")
    fi
done < <(packages)
mapfile -t wished < <(wishes)
[ $((${#missing[@]} + ${#wished[@]})) -gt 0 ] || exit 0

root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        if [ ${#missing[@]} -eq 0 ]; then
            echo "Without root ${wished[*]} cannot be installed: building without what they are for."
            exit 0
        fi
        echo "Installing them takes root. Please run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo "${root[@]}")
fi

update() { "${root[@]}" apt-get update -q; }
install() { "${root[@]}" apt-get install -q -y --no-install-recommends "$@"; }
known() { apt-cache show "$@" >/dev/null 2>&1; }

if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing them with apt-get ..."
    known "${missing[@]}" || update
    # A package list that has grown old names files that are gone; a fresh one does not.
    install "${missing[@]}" || { update && install "${missing[@]}"; }
fi
if [ ${#wished[@]} -gt 0 ]; then
    echo "Installing what builds the web page and cross-checks the solver: ${wished[*]} ..."
    known "${wished[@]}" || update || true
    install "${wished[@]}" || echo "They could not be installed: building without what they are for."
fi
