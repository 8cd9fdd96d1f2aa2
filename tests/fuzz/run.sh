#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A bounded run of libFuzzer on one reader, from what seeds.sh gathers: COLLTREE_FUZZ_RUNS inputs beside the seeds (default
# 1000; always the same ones, however busy the machine is), each of COLLTREE_FUZZ_BYTES at most (default 16384). With
# COLLTREE_FUZZ_SECONDS it ends after that time. It ends with `ok` only if all was tried and nothing was found.
#   run.sh SOURCE CDT_SEEDS READER_FUZZ READER DIRECTORY
set -euo pipefail
source=$1 cdt_seeds=$2 fuzz=$3 reader=$4 directory=$5
rm -rf "$directory"
mkdir -p "$directory/corpus" "$directory/temporary"
"$source/tests/fuzz/seeds.sh" "$source" "$cdt_seeds" "$reader" "$directory/corpus"
seeds=$(find "$directory/corpus" -type f | wc -l)
log=$directory/log
export COLLTREE_FUZZ_READER=$reader TMPDIR=$directory/temporary
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
# A found input is kept as $directory/crash-*; COLLTREE_FUZZ_READER=READER reader_fuzz FILE repeats it.
wanted=$((seeds + ${COLLTREE_FUZZ_RUNS:-1000}))
"$fuzz" -runs=$wanted -max_total_time="${COLLTREE_FUZZ_SECONDS:-0}" -seed=1 -max_len="${COLLTREE_FUZZ_BYTES:-16384}" \
  -timeout=200 -rss_limit_mb=1024 -malloc_limit_mb=256 -artifact_prefix="$directory/" -print_final_stats=1 \
  "$directory/corpus" >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
grep -E '^(Done|stat::)' "$log"
[ "$seeds" -gt 0 ] || { echo "no seeds for $reader"; exit 1; }
[ "${runs:-0}" -ge "$wanted" ] || [ -n "${COLLTREE_FUZZ_SECONDS:-}" ] || { echo "only ${runs:-0} inputs were tried"; exit 1; }
echo "ok: $runs inputs from $seeds seeds"
