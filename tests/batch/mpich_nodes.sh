#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mpich_nodes.sh BUILD [full]: MPICH on four nodes with two ranks each (nodes.sh), whose clocks are 1000 s apart: a campaign with ranks per node
# as an axis; rules of made-up times, which choose by the placement, are obeyed in each (full: every
# threshold shows itself).
set -u
source=$(cd "$(dirname "$0")" && pwd)
. "$source/nodes.sh"
. "$source/../rule_target.sh"
own_machine 3000 "$0" "$(realpath "$1")" "${@:2}"
colltree=$1/colltree
full=${2-}
for program in sqlite3 mpirun.mpich; do command -v $program >/dev/null || skip "$program is not installed"; done
begin_nodes 4 1000
# launch HOSTS RANKS PROGRAM...
cat >launch <<L
#!/bin/sh
hosts=\$1 ranks=\$2
shift 2
exec $work/agent n1 mpirun.mpich -launcher ssh -launcher-exec $work/agent -hosts "\$hosts" -np "\$ranks" "\$@"
L
chmod +x launch
block="$work/launch n1:2,n2:2,n3:2,n4:2 {ranks}"
alone="$work/launch n1:1,n2:1,n3:1,n4:1 {ranks}"
ok() { "$@" >out 2>err || die "exit code $?: $*: $(cat out err)"; }

ok "$colltree" measure --source mpich --mpi mpich --launcher "$block" --collective bcast --communicator-sizes 4,8 --ranks-per-node 1,2 --message-sizes 4K \
  --methods binomial,scatter_ring_allgather,default --samples 3..5 --cell-budget 0.2 --foreign-load 0 --system four -o four.db
cat out
[ "$(sqlite3 four.db "SELECT communicator_size, nodes, ranks_per_node, count(*) FROM cells WHERE status = 'ok' GROUP BY 1, 2, 3" | tr '\n' ' ')" = '4|2|2|3 4|4|1|3 8|4|2|3 ' ] ||
  die "not each placement was measured"

# Times by which the placement decides: with one rank on each of four nodes another algorithm is best than with two on each of two.
ok "$colltree" export four.db -o four.csv
awk -F, -v OFS=, 'NR > 1 { if ($10 > 0) next; $11 = $8 == ($6 == 1 ? "scatter_ring_allgather" : "binomial") ? 1 : 100 + NR } { print }' four.csv >made_up.csv
ok "$colltree" import made_up.csv -o made_up.db
ok "$colltree" fit c45 made_up.db --collective bcast --parameters weight=1 -o rules.json
target=$(rule_target "$1" mpich) || die "no format of rules"
ok "$colltree" emit $target rules.json -o rules.mpich
grep -q '"comm_avg_ppn' rules.mpich || die "no rule asks for ranks per node: $(head -n 12 rules.mpich)"

# runs LAUNCHER ALGORITHM: under the file bcast is this one, and by the rule.
runs() {
  ok "$colltree" explain bcast 4 4K --live --mpi mpich --launcher "$1" --rules rules.mpich
  cat out
  grep -q "^  mpich runs $2\$" out && grep -q '^  why: the rule rules.mpich:' out || die "want $2: $(cat out)"
  [ -n "$full" ] || return 0
  ok "$colltree" check rules.mpich --for $target --live --mpi mpich --launcher "$1" --communicator-sizes 4
  grep '^live' out
  grep -q ' 0 mismatches, 0 thresholds not shown' out || die "not proven: $(cat out)"
}
runs "$alone" scatter_ring_allgather
runs "$block" binomial
echo ok
