#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A folder of src/ includes only itself and folders that come before it in this order (docs/design.md): the order of
# the data in a step. And the step knows no method by name, nor any folder but the registry an integrator.
set -euo pipefail
cd "$(dirname "$0")/.."
order=(base math sparse mesh material registry scene model contact force map reduced oracle response step method doctor output)

grep -rnoE '#include "[a-z_]+/' src --include='*.c' --include='*.h' |
  awk -F'[:/"]' -v order="${order[*]}" '
    BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) place[names[i]] = i }
    {
      folder = $2
      included = $0
      sub(/.*#include "/, "", included)
      sub(/\/.*/, "", included)
      if (!(folder in place)) { print "src/" folder ": not in the order of scripts/includes.sh"; bad = 1; next }
      if (included != "thaw" && !(included in place)) { print $0 ": no folder of the order"; bad = 1; next }
      if (included != "thaw" && place[included] > place[folder]) {
        sub(/:#include.*/, "")
        print $0 ": src/" folder " includes " included "/, which comes after it"
        bad = 1
      }
    }
    END { exit bad }'

# What the step and the output ask of a method goes through its table, and its headers are its own.
for folder in src/method/*/; do
    name=$(basename "$folder")
    if grep -rn "#include \"method/$name/" src app --include='*.c' --include='*.h' | grep -v "^$folder"; then
        echo "nothing but $folder includes its headers"
        exit 1
    fi
    # (film frames are the output's own, whatever methods are called)
    if grep -rnE "thaw_method_$name\b|method/$name/|thaw_${name}_[a-z]|\"$name\"" src/step src/output |
        grep -vE '^src/output/[^:]*:[0-9]+:.*(thaw_frames_|error, "frames")'; then
        echo "src/step and src/output know no method by name: it is $name"
        exit 1
    fi
done

# What is done differently for an integrator is in its entry (registry/scheme.c). Defaults choose one.
if grep -rnE 'THAW_INTEGRATOR_[A-Z]|"(semi-implicit|newton|euler|euler-newton|tr-bdf2|tr-bdf2-newton)"' src --include='*.c' --include='*.h' |
    grep -vE '^src/(registry/scheme\.c|model/defaults\.c):|THAW_INTEGRATOR_COUNT'; then
    echo "src/ knows no integrator by name but in its entry, src/registry/scheme.c"
    exit 1
fi
