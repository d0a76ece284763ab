#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No line of C or of docs is longer than 120 characters. Of Markdown, tables, code and lines of one word may be: they
# cannot be broken.
set -euo pipefail
. "$(dirname "$0")/files.sh"

export LC_ALL=C.UTF-8
status=0
while IFS= read -r file; do
    if [[ $file == *.md ]]; then
        text=$(awk '/^```/ { fence = !fence } fence || /^( *\||    )/ || !/ / { print ""; next } { print }' "$file")
    else
        text=$(<"$file")
    fi
    if long=$(grep -nE '^.{121,}$' <<<"$text"); then
        sed "s|^|$file:|" <<<"$long" | cut -c1-150
        status=1
    fi
done < <(list_files '*.c' '*.h' '*.cpp' '*.md')
[ $status = 0 ] || echo "lines above are longer than 120 characters"
exit $status
