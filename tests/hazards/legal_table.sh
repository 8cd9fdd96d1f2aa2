#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# legal_table.sh LEGAL RUNS REPORT...: the table of docs/results/rules.md. LEGAL: the program, for its list of cases. RUNS:
# how often each was run (ranks x seeds). REPORT: what `legal.sh -o` wrote, one for each library.
set -eu
legal=$1 runs=$2
shift 2
{
  "$legal" --list | grep -v '/empty_types$' | sed 's/^/case /'
  for report in "$@"; do
    echo "report $(basename "$report")"
    cat "$report"
  done
} | awk -v runs="$runs" '
  $1 == "case" { split($2, name, "/"); if (!(name[1] in cases)) order[++rows] = name[1]; ++cases[name[1]]; next }
  $1 == "report" { library[++columns] = $2; next }
  { split($5, name, "/"); if (name[2] == "empty_types") next
    ++bad[columns, $2, name[1]]
    if (!((columns, $2, name[1], name[2]) in seen)) what[columns, $2, name[1]] = what[columns, $2, name[1]] " " name[2]
    seen[columns, $2, name[1], name[2]] = 1 }
  END {
    head = "| collective | programs |"; line = "| --- | --- |"
    for (c = 1; c <= columns; ++c) { head = head " " library[c] " plain | rules |"; line = line " --- | --- |" }
    print head; print line
    for (r = 1; r <= rows; ++r) {
      one = order[r]; all = cases[one] * runs; text = "| " one " | " all " |"
      for (c = 1; c <= columns; ++c) {
        text = text " " all - bad[c, "plain", one] " |" " " all - bad[c, "ruled", one] " |"
        if (what[c, "plain", one] != "") notes = notes "- " library[c] ", without rules, " one ":" what[c, "plain", one] "\n"
        if (what[c, "ruled", one] != "") notes = notes "- " library[c] ", under rules, " one ":" what[c, "ruled", one] "\n"
      }
      print text
    }
    print ""; printf "%s", notes
  }'
