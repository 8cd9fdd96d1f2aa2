#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# waiting.sh FLAVOUR BUILD RANKS [TURNS]: the waiting that the record finds in a stencil, CG and an FFT of which a rank sleeps, beside
# what the program saw itself; and what the record costs them without sleep, with samples and without, as medians of ratios over TURNS
# jobs in turns.
set -u
flavour=$1 build=$(realpath "$2") ranks=$3 turns=${4:-15}
here=$(cd "$(dirname "$0")/../../tests/runtime" && pwd)
source "$here/launch.sh"
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
program=$build/waiting_$flavour
for pattern in stencil cg fft; do
  for us in 500 2000 10000; do
    steps=$((1000000 / us))
    seen=$(COLLTREE_RECORD=r.csv launch "$library" "$ranks" "$program" $pattern $steps $((ranks - 1)) $us)
    # The record's shares of each row, times its time.
    found=$(awk -F, '/^[a-z_]+,[0-9]/ && $18 > 0 { time += $12; waiting += $12 * $19 / $18 } END { printf "%.0f %.0f", time, waiting }' r.csv)
    read -r time waiting <<<"$(awk 'NF > 1 { t += $2; w += $3 } END { print t, w }' <<<"$seen")"
    awk -v p=$pattern -v us=$us -v t="$time" -v w="$waiting" -v f="$found" 'BEGIN { split(f, r, " ")
      printf "%-8s sleep %5d us: in collectives %8.0f us, waiting %8.0f us (%.1f %%); by the record %8.0f and %8.0f (%.1f %%): %+.1f %%\n",
        p, us, t, w, 100 * w / t, r[1], r[2], 100 * r[2] / r[1], 100 * (r[2] / w - 1) }'
  done
  [ "$turns" -gt 0 ] || continue
  for ((i = 0; i < turns; ++i)); do
    plain=$(launch "" "$ranks" "$program" $pattern 20000 0 0)
    counted=$(COLLTREE_SAMPLE=0 COLLTREE_RECORD=r.csv launch "$library" "$ranks" "$program" $pattern 20000 0 0)
    sampled=$(COLLTREE_RECORD=r.csv launch "$library" "$ranks" "$program" $pattern 20000 0 0)
    echo ${plain%%$'\n'*} ${counted%%$'\n'*} ${sampled%%$'\n'*}
  done >times
  for columns in "2 1" "3 1" "3 2"; do
    read -r a b <<<"$columns"
    awk -v a="$a" -v b="$b" '{ print $a / $b }' times | sort -g |
      awk -v a="$a" -v b="$b" '{ x[NR] = $1 } END { split("without with-record with-samples", n, " ")
        printf "  %s / %s: median %.3f (quartiles %.3f to %.3f) of %d\n", n[a], n[b], x[int((NR + 1) / 2)], x[int((NR + 3) / 4)], x[int((3 * NR + 1) / 4)], NR }'
  done
done
