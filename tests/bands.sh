# SPDX-License-Identifier: BSD-3-Clause
# bands "RANKS..." COLLECTIVE ALGORITHM...: rows of generated times (docs/reference/formats/csv.md) on these numbers of ranks, where each
# algorithm is the best in one band of message sizes. Sourced by tests.
bands() {
  local ranks_of_all=$1 collective=$2 size ranks j best segment
  shift 2
  for ranks in $ranks_of_all; do
    for size in 1 100 3000 20000 90000; do
      [ "$collective" != barrier ] || [ $size = 1 ] || continue
      [ "$collective" != barrier ] || size=0
      best=$(((size > 1000) + (size > 50000)))
      j=0
      for algorithm; do
        [ "$algorithm" = default ] && segment="" || segment=0
        echo "made_up,made_up,$collective,$ranks,,,$size,$algorithm,$segment,0,$((100 + 10 * (j > best ? j - best : best - j)))"
        j=$((j + 1))
      done
    done
  done
}
