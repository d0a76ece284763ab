# SPDX-License-Identifier: Apache-2.0
# Sourced: list_files PATTERN... names the project's files (git's, or all of an unpacked archive), one a line.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

list_files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@"
    else
        local pattern expression=()
        for pattern in "$@"; do
            expression+=(-o -name "${pattern##*/}")
        done
        find . \( -path ./build -o -path ./out \) -prune -o -type f \( "${expression[@]:1}" \) -print
    fi | sort -u | while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done
}
