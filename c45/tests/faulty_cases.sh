#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# faulty_cases.sh PROGRAM: the result is printed; each fault is a note without control characters, then one line of error.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
printf 'a,b.\nx: continuous.\n' >odd.names
printf '1,a\n2,\033\n3,b\n' >odd.data
"$1" -f odd >out 2>err
[ $? -eq 1 ] && grep -q '^Decision Tree:' out && diff err - <<'END'
note: odd.data:2: expected a class, got '\x1B'; did you mean 'a'?
colltree-c45: odd: 1 error in the input, noted above; fix it: the result is what release 8 gives
END
