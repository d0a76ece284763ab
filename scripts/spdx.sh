#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says which source files lack the licence line at their top; status 1 if any does.
set -uo pipefail
. "$(dirname "$0")/files.sh"

missing=0 count=0
while IFS= read -r file; do
    count=$((count + 1))
    if ! head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0'; then
        echo "$file: the line 'SPDX-License-Identifier: Apache-2.0' is missing at the top"
        missing=1
    fi
done < <(list_files '*.c' '*.h' '*.cpp' '*.py' '*.js' '*.ts' '*.sh' '*.cmake' '*CMakeLists.txt' 'Makefile' '.ci/run')
echo "$count files looked at"
exit $missing
