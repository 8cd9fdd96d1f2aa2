#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# "Adding an algorithm" in docs/algorithms.md is true: its patch, applied to a copy of the sources, touches three
# files at most, builds in that room, and the row's tests pass: add_algorithm.sh CXX [FLAG...]
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p src tests docs
cp -r "$here"/src/{base,coll,algorithms,parametric} src
cp -r "$here/tests/schedules" tests
cp "$here/docs/algorithms.md" docs
sed -n '/^```diff$/,/^```$/p' docs/algorithms.md | sed '1d;$d' >example.patch
files=$(grep -c '^+++ ' example.patch)
[ "$files" -le 3 ] || { echo "the example touches $files files"; exit 1; }
patch -p1 --quiet <example.patch
row=$(sed -n 's/^+COLLTREE_ALGORITHM(\([a-z_]*\), \([a-z_]*\),.*/\1\/\2/p' example.patch)

# Each room is one source, which is quicker than its files one by one.
sources_of() { find "$@" -maxdepth 1 -name '*.cpp' ! -name '*_test.cpp' ! -name 'private_communicator.cpp' | sort; }
one_source() { sed 's/.*/#include "&"/' >"$1.cpp"; }
sources_of src/algorithms | one_source algorithms
sources_of tests/schedules | one_source schedules
{ sources_of src/coll; echo src/base/error.cpp; echo src/base/text.cpp; echo src/base/bounds.cpp; } | one_source coll
{ sources_of src/parametric | grep formulas.cpp; echo src/parametric/tree_cost.cpp; } | one_source formulas
for room in algorithms schedules coll formulas; do
  "$@" -std=c++20 -O0 -w -U_FORTIFY_SOURCE -I. -Itests/schedules -Isrc -c $room.cpp -o $room.o
done
"$@" ./*.o -lfmt -o schedule_check
./schedule_check "$row"
./schedule_check costs
./schedule_check table docs/algorithms.md
