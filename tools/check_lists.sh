#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# "How to add" in docs/architecture.md is true: of each row of its table of examples, the words stand in the files
# that the row names and in no other of src and tests/output (unit tests apart) or of its pages; those of an algorithm in
# no other file at all, tests and docs included. Prints each difference; exit code 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
page=docs/architecture.md
bad=0
rows=0
while IFS='|' read -r _ what words files _; do
  mapfile -t words < <(grep -o '`[^`]*`' <<<"$words" | tr -d '`')
  want=$(grep -o '`[^`]*`' <<<"$files" | tr -d '`' | LC_ALL=C sort)
  named=(); for word in "${words[@]}"; do named+=(-e "$word"); done
  # Of docs only the pages that the row names: others may speak of it.
  mapfile -t pages < <(grep '^docs/' <<<"$want")
  places=(src tests/output "${pages[@]}" ':!*_test.cpp')
  [[ $what == *algorithm* ]] && places=(. ":!$page" ':!CHANGELOG.md')
  found=$(git grep -lwF "${named[@]}" -- "${places[@]}" | LC_ALL=C sort)
  rows=$((rows + 1))
  [ "$want" = "$found" ] && continue
  bad=1
  echo "$page: the example of$(sed 's/ *$//' <<<"$what") (${words[*]}) stands elsewhere than its row says (<) :"
  diff <(echo "$want") <(echo "$found") | grep '^[<>]'
done < <(sed -n '/^| example of | words | files |/,/^$/p' $page | tail -n +3 | grep '^|')
[ $rows -ge 5 ] || { echo "$page: the table of examples has $rows rows"; bad=1; }
exit $bad
