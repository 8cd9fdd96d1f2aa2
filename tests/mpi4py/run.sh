#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh LIBRARY BUILD SOURCE LIVE: mpi4py's own tests come out the same, test by test and rank by rank, without the runtime
# library and under three models: a quadtree and a C4.5 tree of all collectives, an optimal tree of eight. LIVE: the folder of
# tools/live_libraries.sh; without its libraries, or built for others, the test is skipped.
#   LIBRARY  openmpi, mpich, intel (under MPICH's build), abi (MPICH's libmpi_abi)
# Modules that call collectives, on 2 ranks. COLLTREE_TEST_SHARE above 100: all but those that start programs, on 2 and 3 ranks.
#   COLLTREE_MPI4PY_MODULES  a regular expression: these modules
set -u
library=$1 live=$4
source "$3/tests/python_tool.sh" "$2" "$3"
[ -e "$live/mpi4py/suite" ] || { echo "skipped: no tests of mpi4py in $live (tools/live_libraries.sh)"; exit 77; }
live=$(realpath "$live") flavour=$library prefix=$live/$library launcher=mpiexec options="-launcher fork"
case $library in
  openmpi) options="--oversubscribe --mca btl sm,self" ;;
  intel) flavour=mpich launcher=mpiexec.hydra ;;
  abi) prefix=$live/mpich && export PYTHONPATH=$live/mpi4py/abi ;;
esac
ours=$build/libcolltree-$flavour.so
[ -e "$prefix" ] && [ -e "$ours" ] && [ -e "${PYTHONPATH:-/}" ] || { echo "skipped: no $prefix, $ours or mpi4py for it"; exit 77; }
readelf -d "$ours" | grep -qE 'NEEDED.*\[libmpi(_abi)?\.so' || { echo "skipped: $ours is for the system's library"; exit 77; }
export LD_LIBRARY_PATH=$prefix/lib I_MPI_ROOT=$prefix I_MPI_FABRICS=shm MPIR_CVAR_CH4_NETMOD=ucx PYTHONDONTWRITEBYTECODE=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
modules='^test_(cco_|comm|msgzero|op$|attributes|errhandler|threads|util_sync)'
full=""
[ "${COLLTREE_TEST_SHARE:-10}" -le 100 ] || full=1
[ -z "$full" ] || modules='^test_(?!spawn|dynproc|util_pool)'
modules=${COLLTREE_MPI4PY_MODULES:-$modules}

# outcomes NAME RANKS [NAME=VALUE...]: into the folder NAME, of jobs with these variables.
outcomes() {
  local name=$1 ranks=$2
  shift 2
  mkdir -p "$name"
  # shellcheck disable=SC2086
  timeout -k 5 1500 "$prefix/bin/$launcher" $options -n "$ranks" env "$@" "$live/mpi4py/bin/python" \
    "$source/tests/mpi4py/outcomes.py" "$live/mpi4py/suite" "$name" "$modules" >"$name.out" 2>&1 </dev/null || { tail -n 20 "$name.out"; die "$name"; }
}

# model NUMBER KIND: its first choice for small messages is the NUMBER-th of the methods.
source "$source/tests/bands.sh"
model() {
  local number=$1 kind=$2 collective methods
  {
    echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
    while read -r collective methods; do
      read -ra methods <<<"$methods"
      methods=("${methods[@]:number}" "${methods[@]:0:number}")
      # No rank knows the message size of an alltoallv.
      [ "$collective" != alltoallv ] || methods=("${methods[0]}")
      bands "2 3" "$collective" "${methods[@]}"
    done <<'END'
allgather ring bruck gather_bcast
allgatherv bruck ring gather_bcast
allreduce recursive_doubling reduce_bcast butterfly
alltoall linear ring bruck
alltoallv linear ring pairwise
barrier dissemination tree double_ring
bcast binomial pipeline linear
exscan linear recursive_doubling binomial
gather linear binomial knomial
reduce binomial linear pipeline
reduce_scatter reduce_scatterv butterfly ring
reduce_scatter_block reduce_scatterv butterfly ring
scan linear recursive_doubling binomial
scatter linear binomial knomial
END
  } >times.csv
  "$build/colltree" import times.csv -o "$kind.db" >out 2>&1 || die "$(cat out)"
  local collectives
  collectives=$(tail -n +2 times.csv | cut -d, -f3 | sort -u | grep -E "${only:-.}" | paste -sd,)
  "$build/colltree" fit "$kind" "$kind.db" --collective "$collectives" -o "$kind.json" >out 2>&1 || die "$(cat out)"
  "$build/colltree" emit cdt "$kind.json" -o "$kind.cdt" >out 2>&1 || die "$(cat out)"
}

model 0 quadtree
model 1 c45
only='^(allgather|allreduce|alltoall|barrier|bcast|gather|reduce|scatter)$' model 2 optimal  # one such tree holds at most 8
for ranks in 2 ${full:+3}; do
  outcomes plain-$ranks $ranks
  for kind in quadtree c45 optimal; do
    outcomes $kind-$ranks $ranks LD_PRELOAD="$ours" COLLTREE_MODEL="$work/$kind.cdt" COLLTREE_RECORD="$work/$kind.csv"
    diff -r plain-$ranks $kind-$ranks || die "$library, $ranks ranks: other outcomes under the model ($kind)"
    decided=$(awk -F, '$8 == "model" { n += $11; methods[$1 $6] } END { m = 0; for (k in methods) m++; print n + 0, "calls by", m, "methods" }' "$kind.csv")
    [ "${decided%% *}" -gt 100 ] || { cat "$kind.csv"; die "$library, $ranks ranks: the model ($kind) decided $decided"; }
    echo "$library, $ranks ranks, $kind: $decided; $(cat $kind-$ranks/* | cut -d' ' -f2- | sort | uniq -c | paste -sd, | tr -s ' ')"
  done
done
echo ok
