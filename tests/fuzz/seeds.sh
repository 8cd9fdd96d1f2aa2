#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# seeds.sh SOURCE CDT_SEEDS READER DIRECTORY: what the fuzzer starts from: corpus/READER, and what the
# other tests hold of the same format.
set -euo pipefail
source=$1 cdt_seeds=$2 reader=$3 directory=$4
data=$source/tests/data

# The contents of a table of broken files: "=== title", the content, "---", what is wrong with it.
cases() {
  awk -v stem="$directory/$(basename "$1")-" '
    /^=== / { name = stem (++count); on = 1; printf "" >name; next }
    /^---$/ { on = 0; close(name); next }
    on { print >name }' "$1"
}
copy() { for file in "$@"; do cp "$file" "$directory/$(basename "$file")"; done; }

[ ! -d "$source/tests/fuzz/corpus/$reader" ] || copy "$source/tests/fuzz/corpus/$reader"/*
[ ! -f "$data/rules/$reader.malformed" ] || cases "$data/rules/$reader.malformed"
if [ -d "$data/imports/$reader" ]; then
  cases "$data/imports/$reader.malformed"
  find "$data/imports/$reader" -type f ! -name '*.expected' ! -name '*.gz' | while read -r file; do
    copy "$file"
    # The last byte says how it is read (results_readers.cpp).
    { cat "$file"; printf 5; } >"$directory/$(basename "$file")-named"
  done
fi
case $reader in
  cdt) "$cdt_seeds" "$directory" ;;
  json | model) copy "$data"/models/*.json ;;
  names | data) copy "$(dirname "$cdt_seeds")"/data/c45/edge/*."$reader" ;;
esac
