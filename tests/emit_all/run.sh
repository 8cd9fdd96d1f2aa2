#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE: the table of perf/tables/exports.py, of three targets: each file is read back by our own reader; one that can say all
# loses nothing against the model, one that cannot says why.
set -u
source "$2/tests/python_tool.sh"
{
  echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
  for ranks in 4 8; do
    for size in 8 1024 65536; do
      of="made_up,made_up,bcast,$ranks,,,$size"
      echo "$of,binomial,0,0,$((size / 16 + 10 * ranks))"
      echo "$of,split_binary,0,0,$((size / 32 + 30 * ranks))"
      echo "$of,default,,0,$((size / 16 + 40 * ranks))"
    done
  done
} >times.csv
"$build/colltree" import times.csv -o p.db >out 2>&1 || die "$(cat out)"
"$build/colltree" fit quadtree p.db --collective bcast -o m.json >out 2>&1 || die "$(cat out)"
python3 "$source/perf/tables/make.py" exports "$build/colltree" p.db m.json rules openmpi-4.1 nccl rules-json >out 2>err || die "$(cat out err)"
[ "$(grep -c '^| `' out)" -eq 3 ] || die "not a row for each target: $(cat out)"
grep -q '^| `rules-json` | 0.00 % | 6 | 0 | 0 |$' out || die "$(cat out)"
grep -q '^- replaced: bcast split_binary fails or hangs' out || die "$(cat out)"
grep -q '^- the file leaves every call to the library: it changes nothing$' out || die "$(cat out)"
for file in rules/rules.*; do [ -s "$file" ] || die "$file is empty"; done
echo ok
