#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables of docs/comparison.md and the summary in docs/evaluating.md:
#   tools/compare_tables.sh COLLTREE FOLDER    e.g. tools/compare_tables.sh build/release/colltree tables
# Real timings come from tests/data; grig and frodo are simulated first (minutes to an hour: SIMULATE="grig" does only
# one, "" none). What FOLDER holds already is not made again. Writes FOLDER/comparison.md, FOLDER/all.csv and prints
# the summary.
set -eu
colltree=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../tests/data
mkdir -p "$folder"
held_out=communicator_sizes,message_sizes,blocks

import() { # PROFILE FILE OPTION...
  [ -e "$folder/$1" ] || "$colltree" import "$data/$2.csv.gz" "${@:3}" -o "$folder/$1"
}

compare() { # NAME PROFILE OPTION...
  local form jobs=()
  for form in csv markdown; do # both at once: the folds are drawn alike
    [ -s "$folder/$1.$form" ] && continue
    {
      "$colltree" compare "$folder/$2" "${@:3}" --held-out $held_out --no-times "--$form" >"$folder/$1.$form.part" &&
        mv "$folder/$1.$form.part" "$folder/$1.$form"
    } &
    jobs+=($!)
  done
  local job
  for job in "${jobs[@]}"; do wait "$job"; done
}

import orfeo.db orfeo_epyc_openmpi_bcast_reduce
import fugaku.db fugaku_fjmpi_8coll --message-size total
import dane.db dane_alltoall
names=(orfeo-core orfeo-node fugaku dane)
compare orfeo-core orfeo.db --system orfeo-epyc-core
compare orfeo-node orfeo.db --system orfeo-epyc-node
compare fugaku fugaku.db
compare dane dane.db
for platform in ${SIMULATE-grig frodo}; do
  # Frodo's own grid to 16 MB takes an hour of one core; this part of it a few minutes.
  grid=()
  [ "$platform" = frodo ] && grid=(--communicator-sizes 2..50:2 --message-sizes 1..1M:x2)
  "$colltree" measure --platform "$platform" --collective bcast,reduce --methods papers "${grid[@]}" -o "$folder/$platform.db"
  compare "$platform" "$platform.db"
  names+=("$platform")
done

cd "$folder"
# Titles as headings, without the last two columns: they depend on the machine.
cat "${names[@]/%/.markdown}" |
  sed -E 's/^\*\*(.*)\*\*, (.*)$/## \1\n\n\2./; s/_(sizes left out)/ \1/g; /^\|/ s/( \|[^|]*){2} \|$/ |/' >comparison.md
{ head -1 orfeo-core.csv; for name in "${names[@]}"; do tail -n +2 "$name.csv"; done; } >all.csv
python3 "$here/summarize_comparison.py" all.csv
