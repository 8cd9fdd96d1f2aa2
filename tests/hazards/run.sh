#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh FLAVOUR COLLTREE LEGAL YIELD: a made-up profile in which what is unsafe is fastest becomes
# rules. Under safe rules eight programs of legal/ are right, on 2, 3 and 4 ranks; a rule with an
# algorithm that is not there shows that the file is read at all. Under --allow-unsafe every one goes
# wrong, fails or hangs on 4 ranks (Open MPI; MPICH's files carry guards).
set -u
tests=$(cd "$(dirname "$0")/.." && pwd)
flavour=$1 colltree=$2 legal=$3 yield=$4
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Correct programs that naive rules break: an operation that is not commutative, MPI_IN_PLACE, arguments that only the root's
# call uses, one message or block described by different counts and types.
programs="reduce/operation allreduce/operation reduce_scatter/operation gather/in_place scatter/ignored bcast/types
  allgather/in_place allgatherv/types"
# MPICH's own choice for large blocks, ring, fails where types differ (legal.sh).
[ "$flavour" = mpich ] && programs=${programs% allgatherv/types}
limit=240
fail() { echo "FAILED: $*"; exit 1; }

# collective unsafe-at-small unsafe-at-large safe
openmpi_methods="
reduce binomial pipeline linear
allreduce recursive_doubling ring recursive_doubling
reduce_scatter ring recursive_halving butterfly
gather basic_linear binomial basic_linear
scatter basic_linear binomial basic_linear
bcast split_binary scatter_allgather binomial
allgather ring bruck ring
allgatherv ring bruck ring"
mpich_methods="
reduce reduce_scatter_gather reduce_scatter_gather binomial
allreduce reduce_scatter_allgather reduce_scatter_allgather recursive_doubling
reduce_scatter recursive_halving pairwise recursive_doubling
bcast scatter_recursive_doubling_allgather scatter_ring_allgather binomial"

profile() {
  echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
  while read -r collective small large safe; do
    [ -z "$collective" ] && continue
    for ranks in 2 3 4; do
      for bytes in 1 1000 16000 500000; do
        fast=$small && [ "$bytes" -gt 1000 ] && fast=$large
        cell="made-up,$flavour,$collective,$ranks,1,$ranks,$bytes"
        echo "$cell,default,,0,30"
        echo "$cell,$safe,,0,20"
        [ "$fast" = "$safe" ] || echo "$cell,$fast,,0,10"
      done
    done
  done
}
# mpirun of Open MPI may itself hang when it has to end a job that hangs: hence -k.
job() { # RULES RANKS PROGRAMS..., for at most $limit seconds
  local rules=$1 ranks=$2
  shift 2
  if [ "$flavour" = openmpi ]; then
    timeout -k 5 $limit mpirun.openmpi --oversubscribe --mca btl vader,self -n "$ranks" \
      --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$rules" "$legal" "$@"
  else
    MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$rules \
      timeout -k 5 $limit mpirun.mpich -launcher fork -genv LD_PRELOAD "$yield" -n "$ranks" "$legal" "$@"
  fi
}

methods=${flavour}_methods
source "$tests/rule_target.sh"
target=$(rule_target "$(dirname "$colltree")" "$flavour") || exit 1
profile <<<"${!methods}" >made-up.csv
"$colltree" import made-up.csv -o made-up.db >/dev/null || fail import
collectives=$(sed 1d made-up.csv | cut -d, -f3 | sort -u | paste -sd,)
"$colltree" fit quadtree made-up.db --collective "$collectives" -o model.json >/dev/null || fail fit
"$colltree" emit $target model.json --on made-up.db -o "$folder/safe" || fail emit
"$colltree" check safe --for $target || fail check
for ranks in 2 3 4; do
  # shellcheck disable=SC2086
  [ "$(job "$folder/safe" $ranks $programs 2>/dev/null | tail -n 1)" = done ] || fail "safe rules on $ranks ranks"
  echo "safe rules, $ranks ranks: right"
done

if [ "$flavour" = openmpi ]; then
  awk '{ if ($1 == "0" && NF > 3 && $2 ~ /^[0-9]+$/) $2 = 99 } 1' safe >"$folder/not-there"
  [ "$(job "$folder/not-there" 2 bcast/types 2>/dev/null | tail -n 1)" = done ] && fail "the rules file is not read"
  "$colltree" emit $target model.json --on made-up.db --allow-unsafe -o "$folder/unsafe" 2>&1 | grep -q 'allowed although unsafe' ||
    fail "--allow-unsafe lists nothing"
  "$colltree" check unsafe --for $target >/dev/null 2>&1 && fail "check finds nothing unsafe"
  # Three of them hang: all at once. One that is right takes a second or two, and to wait longer costs everyone.
  limit=8
  for program in $programs; do
    job "$folder/unsafe" 4 "$program" >"${program%/*}.said" 2>/dev/null &
  done
  wait
  for program in $programs; do
    [ "$(tail -n 1 "${program%/*}.said")" = done ] && fail "$program is right under unsafe rules"
    echo "unsafe rules, $program: breaks"
  done
else
  sed 's/MPIR_Bcast_intra_binomial/MPIR_Bcast_intra_not_there/' safe >"$folder/not-there"
  job "$folder/not-there" 2 bcast/types >/dev/null 2>&1 && fail "the selection file is not read"
fi
echo ok
