#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The words that the prose of the project does not use, because readers had to decode them. Prints file:line and what to write
# instead for each place in a tracked file where one stands; exit code 1 if there is one. A phrase over two lines is not found.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
while IFS=$'\t' read -r pattern instead; do
  while IFS=: read -r file line _; do
    echo "$file:$line: '$pattern': write $instead"
    bad=1
  done < <(git grep -InwE "$pattern" -- . ':!tests/data' ':!tests/fuzz/corpus' ':!CHANGELOG.md' ':!*package-lock.json' ":!tools/check_words.sh")
done < <(sed 's/  *=>  */\t/' <<'WORDS'
[Ss]o many                                        =>  "this many", or the name of the number
[Aa]s many as there (are|is)                      =>  "every ..." or "all ..."
[Ww]hat of                                        =>  "the part of ... that"
Of each                                           =>  "for each ...", or begin with what acts
[Aa]ll that could|be it by|[Ww]ho watches         =>  a noun: "all decision functions", "the watching process"
[Mm]end(s|ed|ings?)?                              =>  "fix"
[Gg]ive the (same )?command                       =>  "rerun the same command"
by choice                                         =>  "adaptive"
([Pp]oints?|[Ss]izes|[Bb]locks) (that were )?left out  =>  "held-out points"
[Ww]inners?                                       =>  "best method"
[Dd]ear(er|est)?                                  =>  "expensive"
[Tt]old                                           =>  "given", "reported", "distinguished"
betters                                           =>  "improves"
gives? (its [a-z]+ )?away                         =>  "yields"
WORDS
)
exit $bad
