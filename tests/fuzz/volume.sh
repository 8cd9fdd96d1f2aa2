#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# As many inputs as COLLTREE_FUZZ_RUNS says (default 10000000) for each reader, one after the other, each from a new random
# seed, with a program that was built for it (-DCOLLTREE_FUZZ_VOLUME=ON). Short inputs: what a reader does for a byte is
# the same at the thousandth; long ones are those of run.sh.
#   volume.sh READER_FUZZ CORPORA LOGS READER...
# CORPORA/READER: what seeds.sh gathered, and what was learned by earlier runs, stays and grows. A line for each run goes to
# LOGS/table: reader, inputs, most bytes of one, seconds, what was found. COLLTREE_FUZZ_SECONDS bounds a run (0: not).
set -uo pipefail
fuzz=$1 corpora=$2 logs=$3
shift 3
mkdir -p "$logs"

# The smallest input that is accepted must fit.
bytes_of() {
  case $1 in
    batch-template | pico | reprompi | nccl-tests | imb | mix | record | kit-results) echo 512 ;;
    model) echo 1024 ;;
    profile) echo 8192 ;;
    *) echo 256 ;;
  esac
}

export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=1:handle_abort=1:detect_leaks=0:allow_user_segv_handler=1
export TMPDIR=/dev/shm
for reader; do
  bytes=$(bytes_of "$reader")
  began=$(date +%s)
  COLLTREE_FUZZ_READER=$reader "$fuzz" -runs="${COLLTREE_FUZZ_RUNS:-10000000}" -max_total_time="${COLLTREE_FUZZ_SECONDS:-0}" \
    -max_len="$bytes" -len_control=0 -timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=256 -lazy_counters=1 -detect_leaks=0 \
    -reload=0 -print_pcs=0 -artifact_prefix="$logs/$reader-" -print_final_stats=1 "$corpora/$reader" >"$logs/$reader.log" 2>&1
  code=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$reader.log")
  found=none
  [ "$code" = 0 ] || found="$(grep -am1 -E 'does not hold|ERROR: |runtime error' "$logs/$reader.log") ($logs/$reader-*)"
  echo "$reader ${inputs:-0} $bytes $(($(date +%s) - began)) $found" | tee -a "$logs/table"
done
