#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# "How to add" in docs/architecture.md is true: of each row of its table of examples, the words stand in the files
# that the row names and in no other of the repository, tests and manual included, but for the Python package, which calls the tool; the third column has
# two files at most for a subcommand, four for an algorithm and a format of rules. Prints each difference; exit code 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
page=docs/architecture.md
bad=0
rows=0
while IFS='|' read -r _ what words files more _; do
  mapfile -t words < <(grep -o '`[^`]*`' <<<"$words" | tr -d '`')
  want=$(grep -o '`[^`]*`' <<<"$files$more" | tr -d '`' | LC_ALL=C sort)
  named=(); for word in "${words[@]}"; do named+=(-e "$word"); done
  case $what in *subcommand*) most=2 ;; *algorithm*|*rules*) most=4 ;; *) most=99 ;; esac
  count=$(grep -o '`[^`]*`' <<<"$files" | wc -l)
  [ "$count" -le $most ] || { echo "$page: the example of$what needs $count files, not $most"; bad=1; }
  found=$(git grep -lwF "${named[@]}" -- . ":!$page" ':!CHANGELOG.md' ':!docs/results' ':!tests/planted' ':!python' ':!docs/tasks/python.md' ':!tests/output/messages.txt' | LC_ALL=C sort)
  rows=$((rows + 1))
  [ "$want" = "$found" ] && continue
  bad=1
  echo "$page: the example of$(sed 's/ *$//' <<<"$what") (${words[*]}) stands elsewhere than its row says (<) :"
  diff <(echo "$want") <(echo "$found") | grep '^[<>]'
done < <(sed -n '/^| example of | words | files |/,/^$/p' $page | tail -n +3 | grep '^|')
[ $rows -ge 5 ] || { echo "$page: the table of examples has $rows rows"; bad=1; }
exit $bad
