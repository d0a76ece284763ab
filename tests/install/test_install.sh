#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_install.sh BUILD_DIR CMAKE CC LIBDIR: installs into a fresh prefix, and compiles and runs a user's program against it
# in every way we promise. The prefix is moved once, because an installed tree may be.
set -euo pipefail
build=$1 cmake=$2 cc=$3 libdir=$4
here=$(cd "$(dirname "$0")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

step() { printf '\n== %s\n' "$*"; }
needs_libthaw() { readelf -d "$1" | grep -q 'NEEDED.*libthaw'; }

step install
"$cmake" --install "$build" --prefix "$temp/first" >"$temp/log" || { cat "$temp/log"; exit 1; }
mv "$temp/first" "$temp/prefix"
prefix=$temp/prefix
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig LD_LIBRARY_PATH=$prefix/$libdir

step "the shared library shows the public functions, all of them and nothing else"
nm -D --defined-only "$prefix/$libdir/libthaw.so" | sed -n 's/.* T \([^@]*\).*/\1/p' | LC_ALL=C sort >"$temp/exported"
LC_ALL=C sort "$build/public_functions.txt" | diff - "$temp/exported"
echo "$(wc -l <"$temp/exported") functions"

step "pkg-config, shared"
"$cc" -Wall -Wextra -Werror "$here/consumer.c" $(pkg-config --cflags --libs thaw) -o "$temp/pc_shared"
"$temp/pc_shared"
needs_libthaw "$temp/pc_shared"

step "pkg-config, static"
"$cc" "$here/consumer.c" $(pkg-config --static --cflags --libs thaw | sed 's/-lthaw\>/-l:libthaw.a/') -o "$temp/pc_static"
LD_LIBRARY_PATH= "$temp/pc_static"
! needs_libthaw "$temp/pc_static"

step "find_package: shared, static and C++"
"$cmake" -S "$here" -B "$temp/consumer" -DCMAKE_PREFIX_PATH="$prefix" >"$temp/log" || { cat "$temp/log"; exit 1; }
"$cmake" --build "$temp/consumer" >"$temp/log" || { cat "$temp/log"; exit 1; }
for program in use_shared use_static use_cpp; do
    "$temp/consumer/$program"
done
needs_libthaw "$temp/consumer/use_shared"
! needs_libthaw "$temp/consumer/use_static"

if [ -x "$build/thaw" ]; then
    step "the installed program"
    LD_LIBRARY_PATH= "$prefix/bin/thaw" --version
fi
