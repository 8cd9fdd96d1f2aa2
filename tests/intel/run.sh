#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE INTEL_ROOT: tests/intel/prove.py finds no difference between emitted rules of every collective, in both
# forms, and an installed Intel MPI, and finds rules of which one is left out, or whose sizes count otherwise. Skipped without Intel MPI
# (COLLTREE_INTEL_MPI_ROOT, wheels impi-rt and impi-devel of PyPI). Two collectives; COLLTREE_PROVE_ALL=1: all, as .ci/full.
set -u
root=${COLLTREE_INTEL_MPI_ROOT:-${3-}}
[ -x "$root/bin/mpiexec.hydra" ] || { echo "skipped: no Intel MPI in '$root' (COLLTREE_INTEL_MPI_ROOT)"; exit 77; }
command -v gcc >/dev/null || { echo "skipped: no gcc"; exit 77; }
source "$2/tests/python_tool.sh"
source "$2/tests/bands.sh"
gcc -O1 "$source/tests/intel/witness.c" -I"$root/include" -L"$root/lib" -lmpi -Wl,-rpath,"$root/lib" -o witness || die "witness.c"

# The best on 3 ranks are others than on 2 and 4: only a tuning file can say that.
times() {
  local collective=$1
  shift
  bands "2 4" "$collective" "$@"
  bands 3 "$collective" "${@:2}" "$1"
}
{
  echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
  times bcast binomial scatter_allgather scatter_allgather_ring
  times reduce binomial rabenseifner preset_1
  times allreduce recursive_doubling rabenseifner ring
  times allgather bruck recursive_doubling ring
  times allgatherv bruck recursive_doubling ring
  times alltoall bruck linear pairwise
  times alltoallv linear
  times gather binomial preset_3
  times gatherv linear
  times scatter binomial preset_3
  times scatterv linear
  times reduce_scatter recursive_halving pairwise recursive_doubling
  times reduce_scatter_block recursive_halving recursive_doubling
  times barrier dissemination
} >times.csv
all=barrier,reduce_scatter
[ -z "${COLLTREE_PROVE_ALL-}" ] || all=$(tail -n +2 times.csv | cut -d, -f3 | sort -u | paste -sd,)
"$build/colltree" import times.csv -o p.db >out 2>&1 || die "$(cat out)"
"$build/colltree" fit quadtree p.db --collective "$all" -o m.json >out 2>&1 || die "$(cat out)"
for target in intel intel-tuning; do
  "$build/colltree" emit $target m.json --on p.db -o rules >out 2>&1 || die "$(cat out)"
  cat rules
  prove() { python3 "$source/tests/intel/prove.py" "$build/colltree" "$root" ./witness $target rules "$1" >out 2>&1; }
  prove rules || die "the library differs: $(cat out)"
  echo "proof $target obeyed: $(cat out)"
  # One collective, to be quick.
  case $target in
    intel)
      grep -E '^#|_REDUCE_SCATTER=' rules >one
      drop='s/;[^;"]*"/"/'
      unit='s/:0-\([0-9]*\)/:0-\10/'
      ;;
    *)
      python3 -c 'import json, sys; text = sys.stdin.read(); key = "coll=Reduce_scatter"
print(json.dumps({key: json.loads(text[text.index("{"):])[key]}))' <rules >one
      drop='s/"msg_size=[0-9]*": {"[^}]*}}, //'
      unit='s/"msg_size=\([0-9]*\)"/"msg_size=\10"/g'
      ;;
  esac
  mv one rules
  sed "$drop" rules >dropped
  prove dropped && die "rules of which one is left out pass: $(cat out)"
  grep -q 'bytes: the file says preset' out || die "$(cat out)"
  sed "$unit" rules >unit
  prove unit && die "rules whose sizes count otherwise pass: $(cat out)"
done
echo ok
