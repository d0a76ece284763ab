#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# format.sh [--check]: formats every C and C++ file in place, or (--check) only says which are not formatted.
# Another version of clang-format formats differently, so only 14 is taken; status 77 (skipped) where it is missing.
set -uo pipefail
. "$(dirname "$0")/files.sh"

for tool in clang-format-14 clang-format; do
    command -v $tool >/dev/null && $tool --version | grep -q 'version 14\.' && break
    tool=
done
if [ -z "$tool" ]; then
    echo "clang-format 14 is not installed (Debian 12: apt-get install clang-format)"
    exit 77
fi
arguments=(-i)
[ "${1-}" = --check ] && arguments=(--dry-run --Werror --ferror-limit=40)
list_files '*.c' '*.h' '*.cpp' | xargs -r -d '\n' "$tool" --style=file "${arguments[@]}"
