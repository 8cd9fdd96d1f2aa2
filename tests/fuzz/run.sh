#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A bounded run of libFuzzer over damaged compact decision files: COLLTREE_FUZZ_RUNS of them (default
# 300000), or a minute's worth on a slow machine. It ends with `ok` only if enough was tried and
# nothing was found.
#   run.sh CDT_SEEDS CDT_FUZZ DIRECTORY
set -euo pipefail
seeds=$1 fuzz=$2 directory=$3
rm -rf "$directory"
mkdir -p "$directory/corpus"
"$seeds" "$directory/corpus"
log=$directory/log
# A found input is kept as $directory/crash-*: cdt_fuzz FILE repeats it.
"$fuzz" -runs="${COLLTREE_FUZZ_RUNS:-300000}" -max_total_time=60 -seed=1 -max_len=4096 -artifact_prefix="$directory/" \
  -print_final_stats=1 "$directory/corpus" >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
grep -E '^(Done|stat::number)' "$log"
[ "${runs:-0}" -ge 50000 ] || { echo "only ${runs:-0} files were tried"; exit 1; }
echo "ok: $runs files"
