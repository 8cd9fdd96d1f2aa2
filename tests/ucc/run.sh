#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE UCC_ROOT: tests/ucc/prove.py finds no difference between emitted rules of every collective and an
# installed UCC, and finds rules of which one is left out, whose sizes count otherwise, and a string that UCC drops. Skipped
# without UCC (COLLTREE_UCC_ROOT: the prefix of an installed one, built with TL/UCP).
set -u
root=${COLLTREE_UCC_ROOT:-${3-}}
[ -x "$root/bin/ucc_info" ] || { echo "skipped: no UCC in '$root' (COLLTREE_UCC_ROOT)"; exit 77; }
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
source "$2/tests/python_tool.sh"
source "$2/tests/bands.sh"
case $("$root/bin/ucc_info" -v) in
  *version=1.3.*) targets=ucc-1.3 ;;
  *version=1.4.*) targets=ucc-1.4 ;;
  *version=1.[567].*) targets=ucc-1.5 ;;
  *version=1.8.*) targets=ucc ;;
  *) targets=ucc ;;
esac
# Not in the order in which UCC itself would take them.
{
  echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
  bands "2 3 4" bcast sag_knomial dbt binomial
  bands "2 3 4" allreduce rabenseifner ring recursive_doubling
  bands "2 3 4" allgather ring batched bruck
  bands "2 3 4" allgatherv ring recursive_doubling
  bands "2 3 4" alltoall pairwise bruck
  bands "2 3 4" alltoallv hybrid
  bands "2 3 4" reduce rabenseifner dbt binomial
  bands "2 3 4" reduce_scatter ring
  bands "2 3 4" reduce_scatter_block recursive_halving ring
} >times.csv
all=$(tail -n +2 times.csv | cut -d, -f3 | sort -u | paste -sd,)
"$build/colltree" import times.csv -o p.db >out 2>&1 || die "$(cat out)"
"$build/colltree" fit quadtree p.db --collective "$all" -o m.json >out 2>&1 || die "$(cat out)"
"$build/colltree" fit quadtree p.db --collective bcast -o one.json >out 2>&1 || die "$(cat out)"
emit() { "$build/colltree" emit "$target" "$1" --on p.db -o "$2" >out 2>&1 || die "$(cat out)"; }
prove() { python3 "$source/tests/ucc/prove.py" "$build/colltree" "$root" "$@" >out 2>&1; }
for target in $targets; do
  emit m.json rules
  prove rules || die "the library differs: $(cat out)"
  echo "proof $target obeyed: $(tail -n 1 out)"
  emit one.json one
  sed -E 's/#bcast:[^#]*#/#/' one >left
  prove one left && die "rules of which one is left out pass: $(cat out)"
  grep -q '^bcast on 2 ranks, 548 bytes: the file says dbt, UCC takes' out || die "$(cat out)"
  sed -E 's/([0-9]{2,})([-:])/\10\2/g' one >unit
  prove one unit && die "rules whose sizes count otherwise pass: $(cat out)"
  sed -E "s/TUNE=('*)/TUNE=\1gather:0-1k:@0#/" one >dropped
  prove one dropped && die "a string that UCC drops passes: $(cat out)"
  grep -q '^UCC says: ERROR' out || die "$(cat out)"
done
echo ok
