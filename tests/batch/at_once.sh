#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# at_once.sh BUILD: communicators of two ranks on four nodes (nodes.sh) measured at once: the same cells as one at a time, in
# another campaign of the same system; refused where times differ by more than is allowed; after a job that died in several cells, one
# at a time. Whether times differ is said here: judging them has unit tests.
set -u
source=$(cd "$(dirname "$0")" && pwd)
. "$source/nodes.sh"
own_machine 3000 "$0" "$(realpath "$1")"
colltree=$1/colltree
for program in sqlite3 mpirun.openmpi; do command -v $program >/dev/null || skip "$program is not installed"; done
begin_nodes 4 1000
. "$source/campaigns.sh"
printf '#!/bin/sh\nranks=$1\nshift\nexec %s/agent n1 mpirun.openmpi %s --host n1:2,n2:2,n3:2,n4:2 --bind-to none -np "$ranks" "$@"\n' "$work" \
  "--mca plm_rsh_agent $work/agent" >launch
chmod +x launch
# A job that aborts may end before its launcher has passed on what rank 0 said last: then colltree says that the same command continues.
measure() { # PROFILE OPTION...
  local try
  : >"$1.err"
  for try in 1 2 3; do
    try_to_measure "$@" && return
    tail -n 1 "$1.err" | grep -q 'the same command continues$' || break
  done
  die "not measured: $(cat "$1.err")"
}
try_to_measure() {
  "$colltree" measure --mpi openmpi --launcher "$work/launch {ranks}" --collective bcast --communicator-sizes 2,8 --ranks-per-node 2 \
    --message-sizes 1,1K --methods linear,binomial,binary,default --segment-sizes 0 --samples 3..5 --cell-budget 0.5 --foreign-load 0 --system s "${@:2}" -o "$1" >"$1.out" 2>>"$1.err"
}
# Those that failed too, as cells do on a loaded machine.
cells_of() {
  sqlite3 "$1" "SELECT DISTINCT collective, communicator_size, message_size, algorithm, segment_size FROM cells ORDER BY 1, 2, 3, 4, 5"
}
measured() { sqlite3 "$1" "SELECT count(*) FROM cells WHERE communicator_size = 2 AND nodes = 1 AND ranks_per_node = 2 AND status = 'ok'"; }
measure alone.db
COLLTREE_TEST_AT_ONCE=yes measure together.db --at-once 1000%
grep 'communicators of' together.db.err
grep -qE '^4 communicators of 2 ranks are measured at once: (bcast 2/2 1 [a-z_]+ .*: [0-9.]+ us alone, [0-9.]+ to [0-9.]+ us at once|no cell could be measured)' together.db.err ||
  die "not at once: $(cat together.db.err)"
diff <(cells_of alone.db) <(cells_of together.db) || die "other cells at once"
[ "$(measured together.db)" -ge 1 ] || die "nothing was measured at once"
sqlite3 together.db "SELECT options FROM campaigns" | grep -q '"at_once":10.0' || die "the campaign does not say so"

COLLTREE_TEST_AT_ONCE=no measure refused.db --at-once 0.0001%
grep 'communicators of' refused.db.err
grep -qE '^4 communicators of 2 ranks are not measured at once, because times may differ by 0.0001 % only: ' refused.db.err ||
  die "not refused: $(cat refused.db.err)"
diff <(cells_of alone.db) <(cells_of refused.db) || die "other cells where it is refused"

# A method that ends the job, in a round of several cells and once more alone.
cell=$(sqlite3 alone.db "SELECT 'bcast 2/2 1024 ' || algorithm || ' ' || segment_size FROM cells WHERE communicator_size = 2 AND message_size = 1024 AND algorithm = 'binary'")
COLLTREE_TEST_AT_ONCE=yes COLLTREE_TEST_ABORT=$cell measure died.db --at-once 1000%
grep -q 'while several cells were measured at once; the others are measured one at a time$' died.db.err || die "not one at a time: $(cat died.db.err)"
diff <(cells_of alone.db) <(cells_of died.db) || die "other cells after a death"
[ "$(sqlite3 died.db "SELECT status FROM cells WHERE communicator_size = 2 AND message_size = 1024 AND algorithm = 'binary'")" = failed ] || die "not the cell that died"
[ "$(measured died.db)" -ge 1 ] || die "what did not die was not measured"
echo ok
