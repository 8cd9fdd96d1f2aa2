#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE: tools/prove_ucc.py finds no difference between a rules file and a UCC that obeys it, and finds thresholds
# that are a byte off, an algorithm that this UCC has not, and a UCC that says nothing. No UCC is installed here: its programs are
# stand-ins that make the map as UCC's sources do.
set -u
source "$2/tests/python_tool.sh"
mkdir bin
cp "$source/tests/ucc/ucc_info" "$source/tests/ucc/ucc_perftest" bin/
printf '#!/bin/sh\nSTANDIN_RANKS=$1\nexport STANDIN_RANKS\nshift\nexec "$@"\n' >launch
chmod +x launch bin/*
prove() { python3 "$source/tools/prove_ucc.py" "$build/colltree" . "$1" './launch {ranks}' >out 2>err; }
tune='allreduce:0-4k:@knomial#allreduce:4k-inf:@sra_knomial#alltoall:0-1000:@bruck#alltoall:1000-inf:@pairwise'
echo "export UCC_TL_UCP_TUNE='$tune'" >rules.ucc
prove rules.ucc || die "a UCC that obeys: $(cat out err)"
grep -qE '^# UCC stand-in .*: 4 names, [1-9][0-9]* thresholds compared, 0 not shown, 0 not tried; 0 mismatches$' out || die "$(cat out)"
STANDIN_SHIFT=1 prove rules.ucc && die "thresholds that are a byte off pass: $(cat out)"
grep -q '^allreduce on 2 ranks, 4095 and 4096 bytes: the file says .*, UCC has them in one range$' out || die "$(cat out)"
sed 's/@bruck/@onesided/' rules.ucc >other.ucc
prove other.ucc && die "an algorithm that this UCC has not passes: $(cat out)"
grep -q "^alltoall: this UCC has no algorithm 'onesided'$" out || die "$(cat out)"
# What UCC drops as a whole, where its defaults look the same.
echo "export UCC_TL_UCP_TUNE='allreduce:0-4k:@0#allreduce:4k-inf:@1#gather:5'" >dropped.ucc
prove dropped.ucc && die "a string that UCC drops passes: $(cat out)"
grep -q '^on 2 ranks UCC says: not supported for gather' out || die "$(cat out)"
# A range of one size; more ranges than a map shows; more team sizes than are asked; sections.
echo "export UCC_TL_UCP_TUNE='allreduce:0-1000:@knomial#allreduce:1000-1001:@sra_knomial#allreduce:1001-inf:@knomial'" >single.ucc
prove single.ucc || die "a range of one size: $(cat out err)"
{ printf "export UCC_TL_UCP_TUNE='allreduce:0-1:@0"
  for i in $(seq 99); do printf '#allreduce:%d-%d:@%d' "$i" $((i + 1)) $((i % 2)); done; echo "'"; } >long.ucc
prove long.ucc || die "a map that is cut: $(cat out err)"
grep -qE '[1-9][0-9]* thresholds compared, [1-9][0-9]* not shown, [1-9][0-9]* not tried; 0 mismatches$' out || die "$(cat out)"
{ for i in 2 3 4; do printf '[team_size=%d-%d]\nUCC_TL_UCP_TUNE=allreduce:0-%dk:@0#allreduce:%dk-inf:@1\n' $i $i $i $i; done; } >rules.conf
prove rules.conf || die "sections: $(cat out err)"
printf '#!/bin/sh\n' >bin/ucc_perftest
prove rules.ucc && die "a UCC that says nothing passes"
grep -q '^no score map on 2 ranks' err || die "$(cat err)"
echo ok
