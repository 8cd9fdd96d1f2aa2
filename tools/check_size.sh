#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The size of the project, in lines of what git lists, and whether it keeps within its bounds: exit code 1 where it
# is above one by more than a step, so that a first patch need not touch this file. A landing that makes the project
# smaller lowers the bounds to what it is; one that adds a feature raises them by what it names in its commit.
set -u
cd "$(dirname "$0")/.." || exit 1
# PATTERN [WITHOUT]: the lines of text below these paths, and the number of files.
lines() { listed "$@" | xargs -d '\n' cat | wc -l; }
files() { listed "$@" | wc -l; }
listed() { git grep -Il '' -- $1 | grep -Ev "${2:-^$}"; }
tests='_test\.(cpp|h)$|/test_[^/]*$|^c45/(tests|perf)/'

bad=0
declare -A counted
# NAME COUNTED BOUND GOAL [STEP]
row() {
  local step=${5:-100}
  printf '%-42s %8s %8s %8s\n' "$1" "$2" "$3" "$4"
  [ "$2" -gt "$3" ] || return 0
  [ "$2" -gt $(($3 + step)) ] || { echo "check_size.sh: $1: $2 is above the bound of $3, within the step of $step"; return 0; }
  echo "check_size.sh: $1: $2 is above the bound of $3 by more than $step; make something smaller, or raise the bound and name the feature" >&2
  bad=1
}
printf '%-42s %8s %8s %8s\n' "" now bound goal
while read -r name now; do counted[$name]=$now; done < <(tools/count_house.py include libs tool)
row "lines of code (libs, tool, include)" "${counted[code]}" 52336 43000
row "types of it" "${counted[types]}" 855 650 5
row "functions of it" "${counted[functions]}" 5740 4300 20
row "comments that begin as fragments, in 1000" "${counted[fragments_in_1000]}" 3 30 2
row "variables named one, at, of, all, ..." "${counted[odd_names]}" 2 0 10
row "lines that are no comment, in 1000" "$((1000 - counted[comments_in_1000]))" 900 900 2
row "product (with c45, tools)" "$(lines 'libs tool include c45 tools' "$tests")" 83830 62000
row "files of it" "$(files 'libs tool include c45 tools' "$tests")" 632 540 5
row "lines in git" "$(lines .)" 163720 140000
code=$(lines 'libs tool' "$tests")
unit=$(listed 'libs tool' | grep -E "$tests" | xargs -d '\n' cat | wc -l)
printf '%-42s %8s %8s %8s\n' "lines of unit tests in 100 of it" "$((100 * unit / code))" - 50
exit $bad
