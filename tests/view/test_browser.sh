#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the page's own tests (viewer/tests) in Chromium: the page of this build, served by the program of this build.
#   test_browser.sh BUILD_DIR
# Skipped (77) without Chromium, Node.js, or where the program was built without the page.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 work=$1/viewer
skip() {
    echo "skipped: $1"
    exit 77
}
command -v node >/dev/null || skip "node is not installed (Debian: nodejs)"
[ -n "${THAW_CHROMIUM-}" ] || command -v chromium >/dev/null || skip "chromium is not installed (Debian: chromium)"
[ -f "$work/dist/index.html" ] || skip "the program was built without the page"
[ -d "$work/node_modules/playwright-core" ] || skip "playwright-core is not installed in $work"
rm -rf "$work/tests"
cp -r "$source_dir/viewer/tests" "$work/tests"
cd "$work"
THAW_PROGRAM=$build/thaw THAW_PAGE=$work/dist/index.html THAW_SCENES=$source_dir/scenes exec node --test tests/*.test.mjs
