#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE INTEL_ROOT: tests/intel/prove.py finds no difference between emitted rules of every collective and an
# installed Intel MPI, and finds rules of which one is left out, or whose sizes count otherwise. Skipped without Intel MPI
# (COLLTREE_INTEL_MPI_ROOT, wheels impi-rt and impi-devel of PyPI).
set -u
root=${COLLTREE_INTEL_MPI_ROOT:-${3-}}
[ -x "$root/bin/mpiexec.hydra" ] || { echo "skipped: no Intel MPI in '$root' (COLLTREE_INTEL_MPI_ROOT)"; exit 77; }
command -v gcc >/dev/null || { echo "skipped: no gcc"; exit 77; }
source "$2/tests/python_tool.sh"
source "$2/tests/bands.sh"
gcc -O1 "$source/tests/intel/witness.c" -I"$root/include" -L"$root/lib" -lmpi -Wl,-rpath,"$root/lib" -o witness || die "witness.c"

{
  echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
  bands "2 3 4" bcast binomial scatter_allgather scatter_allgather_ring
  bands "2 3 4" reduce binomial rabenseifner 1
  bands "2 3 4" allreduce recursive_doubling rabenseifner ring
  bands "2 3 4" allgather bruck recursive_doubling ring
  bands "2 3 4" allgatherv bruck recursive_doubling ring
  bands "2 3 4" alltoall bruck linear pairwise
  bands "2 3 4" alltoallv linear
  bands "2 3 4" gather binomial 3
  bands "2 3 4" gatherv linear
  bands "2 3 4" scatter binomial 3
  bands "2 3 4" scatterv linear
  bands "2 3 4" reduce_scatter recursive_halving pairwise recursive_doubling
  bands "2 3 4" reduce_scatter_block recursive_halving recursive_doubling
  bands "2 3 4" barrier dissemination
} >times.csv
all=$(tail -n +2 times.csv | cut -d, -f3 | sort -u | paste -sd,)
"$build/colltree" import times.csv -o p.db >out 2>&1 || die "$(cat out)"
"$build/colltree" fit quadtree p.db --collective "$all" -o m.json >out 2>&1 || die "$(cat out)"
"$build/colltree" emit intel m.json --on p.db -o rules.intel >out 2>&1 || die "$(cat out)"
cat rules.intel
prove() { python3 "$source/tests/intel/prove.py" "$build/colltree" "$root" ./witness rules.intel "$1" >out 2>&1; }
prove rules.intel || die "the library differs: $(cat out)"
cat out
# One collective each, to be quick.
grep -E '^#|_REDUCE_SCATTER=' rules.intel >one && mv one rules.intel
sed 's/;[^;"]*"/"/' rules.intel >dropped
prove dropped && die "rules of which the last is left out pass: $(cat out)"
grep -q 'bytes: the file says preset' out || die "$(cat out)"
sed 's/:0-\([0-9]*\)/:0-\10/' rules.intel >unit
prove unit && die "rules whose sizes count otherwise pass: $(cat out)"
echo ok
