#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SOURCE: tests/nccl/prove.py finds no difference between a rules file and a plugin that obeys it, and finds one
# that takes sizes to be a byte larger, one that does not get the file's name, and a library that is none.
set -u
source "$2/tests/python_tool.sh"
prove() { python3 "$source/tests/nccl/prove.py" "$build/colltree" "$build/tests/nccl_plugin.so" tuner.csv >out 2>err; }
cat >tuner.csv <<'END'
# For nccl
allreduce,0,1024,tree,ll,-1,-1,4,-1,-1
allreduce,1025,65536,tree,simple,-1,-1,4,-1,-1
allreduce,65537,17179869183,ring,simple,-1,-1,4,-1,-1
allreduce,65537,18446744073709551615,nvls,simple,-1,-1,4,4,-1
allreduce,65537,18446744073709551615,ring,ll,-1,-1,4,1,1
allreduce,65537,18446744073709551615,ring,ll128,-1,-1,4,1,0
allgather,0,4000,ring,ll,-1,-1,-1,-1,-1
allgather,4001,4294967295,pat,simple,-1,-1,-1,-1,-1
broadcast,100,150,tree,simple,-1,-1,-1,-1,-1
broadcast,100,200,ring,ll128,-1,-1,-1,-1,-1
END
prove || die "a plugin that obeys: $(cat out err)"
grep -qE '^the test.s plugin, interface 5: [1-9][0-9] answers compared; 0 mismatches$' out || die "$(cat out)"
echo "proof nccl obeyed: $(grep '0 mismatches' out)"
COLLTREE_TEST_SHIFT=1 prove && die "thresholds that are a byte off pass: $(cat out)"
grep -q '^allreduce on 4 ranks, 1024 bytes: the file says tree/ll, the plugin tree/simple$' out || die "$(cat out)"
COLLTREE_TEST_SHIFT=9999999999 prove && die "a file that is not obeyed passes: $(cat out)"
python3 "$source/tests/nccl/prove.py" "$build/colltree" "$(ldconfig -p | sed -n 's/.*libz.so.1 .*=> //p' | head -1)" tuner.csv >out 2>err &&
  die "a library without a tuner passes"
grep -q 'no tuner of interface 4 to 7' err || die "$(cat err)"
echo ok
