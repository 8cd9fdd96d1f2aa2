#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE ONECCL_ROOT: tests/oneccl/prove.py finds no difference between emitted rules and an installed oneCCL, and
# finds rules of which one is left out, or whose sizes count otherwise. Skipped without oneCCL (COLLTREE_ONECCL_ROOT, wheels
# oneccl-cpu-devel and intel-cmplr-lib-rt of PyPI) and without hwloc and libfabric of the system. The static library is taken:
# libccl.so of the wheel needs a libccl.so.2 that no wheel for CPUs has.
set -u
root=${COLLTREE_ONECCL_ROOT:-${3-}}
library=$root/lib/ccl/cpu/lib/libccl.a
[ -e "$library" ] || { echo "skipped: no oneCCL in '$root' (COLLTREE_ONECCL_ROOT)"; exit 77; }
command -v g++ >/dev/null || { echo "skipped: no g++"; exit 77; }
source "$2/tests/python_tool.sh"
source "$2/tests/bands.sh"
intel=("$root/lib/libintlc.so.5" "$root/lib/libirng.so" "$root/lib/libimf.so" "$root/lib/libsvml.so")
g++ -std=c++17 -O1 "$source/tests/oneccl/witness.cpp" -I"$root/include" "$library" "${intel[@]}" -lhwloc -ldl -lpthread \
  -Wl,-rpath,"$root/lib" -o witness >out 2>&1 || { grep -q 'cannot find -lhwloc' out && echo "skipped: no hwloc" && exit 77; die "$(cat out)"; }

{
  echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
  bands "2 3" bcast naive ring double_tree
  bands "2 3" reduce tree default rabenseifner
  bands "2 3" allreduce recursive_doubling rabenseifner ring
  bands "2 3" allgather naive multi_bcast ring
  bands "2 3" allgatherv naive multi_bcast ring
  bands "2 3" alltoall naive scatter
  bands "2 3" alltoallv scatter naive
  bands "2 3" reduce_scatter_block naive ring
} >times.csv
all=bcast
[ -z "${COLLTREE_PROVE_ALL-}" ] || all=$(tail -n +2 times.csv | cut -d, -f3 | sort -u | paste -sd,)
"$build/colltree" import times.csv -o p.db >out 2>&1 || die "$(cat out)"
"$build/colltree" fit quadtree p.db --collective "$all" -o m.json >out 2>&1 || die "$(cat out)"
"$build/colltree" emit oneccl m.json --on p.db -o rules.oneccl >out 2>&1 || die "$(cat out)"
cat rules.oneccl
prove() { python3 "$source/tests/oneccl/prove.py" "$build/colltree" ./witness rules.oneccl "$1" >out 2>&1; }
prove rules.oneccl || die "the library differs: $(cat out)"
echo "proof oneccl obeyed: $(cat out)"
grep -E '^#|_BCAST=' rules.oneccl >one && mv one rules.oneccl
sed 's/;[^;"]*"/"/' rules.oneccl >dropped
prove dropped && die "rules of which the last is left out pass: $(cat out)"
grep -q 'bytes: the file says double_tree' out || die "$(cat out)"
sed 's/-\([0-9][0-9]*\)/-\10/; s/;\([a-z_]*\):\([0-9]*\)/;\1:\20/' rules.oneccl >unit
prove unit && die "rules whose sizes count otherwise pass: $(cat out)"
echo ok
