#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables of docs/predicting.md, from profiles that tools/compare_tables.sh made (grig.db, frodo.db, orfeo.db) and
# modern.db, which is measured when it is not there (half an hour):
#   tools/predict_tables.sh COLLTREE FOLDER
set -eu
colltree=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$2"
[ -e modern.db ] || "$colltree" measure --platform modern --collective bcast,reduce -o modern.db
for one in "grig 14" "grig 7" "frodo 24" "frodo 12" "modern 64" "modern 16"; do
  read -r platform most <<<"$one"
  for collective in bcast reduce; do
    python3 "$here/judge_predictions.py" "$colltree" "$platform.db" "$collective" "$most"
  done
done
compare() { "$colltree" compare "$@" --fit 'hockney; loggp; plogp; hockney-fitted; c45; optimal' --no-times --markdown; }
for platform in grig frodo modern; do compare "$platform.db"; done
for system in orfeo-epyc-core orfeo-epyc-node; do compare orfeo.db --system "$system"; done
