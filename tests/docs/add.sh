#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The examples of docs/developing/adding.md are true: each patch, applied to a copy of the sources, touches no more files
# than the page says, what it changes builds, and its tests pass: add.sh algorithm|subcommand|rules BUILD CXX [FLAG...]
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
kind=$1 build=$2; shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir tests
cp -r "$here/libs" "$here/tool" "$here/docs" .
cp -r "$here"/tests/{schedules,output,sample.py} tests

# NAME MOST: applies the patch of docs/developing/.
apply() {
  cp "docs/developing/$1.patch" example.patch
  files=$(grep -c '^+++ ' example.patch)
  [ "$files" -le "$2" ] || { echo "the example touches $files files"; exit 1; }
  patch -p1 -F0 --quiet <example.patch
}
# SOURCE...: each as an object.
compile() {
  for source; do "${compiler[@]}" -std=c++20 -O0 -w -DCOLLTREE_COMMIT_NUMBER=1 -U_FORTIFY_SOURCE -I. -Itests/schedules -Ilibs -Ilibs/core -Ilibs/rules -Ilibs/mpi -Itool -c "$source" -o "$(basename "$source" .cpp).o"; done
}
# PROGRAM OBJECT...: of the objects here, which take the place of the build's, and the archives of the build (ARCHIVES).
link() {
  IFS=: read -ra libraries <<<"$ARCHIVES"
  "${compiler[@]}" ./*.o "${@:2}" -Wl,--start-group "${libraries[@]}" -Wl,--end-group \
    -lfmt -lSQLiteCpp -lsqlite3 -lxxhash -lz -ldl -lpthread $gtest -o "$1"
}
compiler=("$@") gtest=

case $kind in
  algorithm)
    apply algorithm 3
    row=$(sed -n 's/^+COLLTREE_ALGORITHM(\([a-z_]*\), \([a-z_]*\),.*/\1\/\2/p' example.patch)
    # Each room is one source, which is quicker than its files one by one.
    sources_of() { find "$@" -maxdepth 1 -name '*.cpp' ! -name '*_test.cpp' ! -name 'private_communicator.cpp' | sort; }
    one_source() { sed 's/.*/#include "&"/' >"$1.cpp"; }
    sources_of libs/mpi/algorithms | one_source algorithms
    sources_of tests/schedules | one_source schedules
    { sources_of libs/core/coll; echo libs/base/error.cpp; echo libs/base/text.cpp; echo libs/base/bounds.cpp; echo libs/base/test_sample.cpp; } | one_source coll
    { sources_of libs/core/parametric | grep formulas.cpp; echo libs/core/parametric/cost_call.cpp; } | one_source formulas
    compile {algorithms,schedules,coll,formulas}.cpp
    "${compiler[@]}" ./*.o -lfmt -o schedule_check
    ./schedule_check "$row"
    ./schedule_check costs
    ./schedule_check table docs/reference/algorithms.md
    ;;
  subcommand)
    apply subcommand 2
    compile tool/cli/fastest.cpp tool/cli/commands.cpp
    link colltree "$build/tool/cli/CMakeFiles/colltree.dir/main.cpp.o"
    {
      echo system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us
      echo s,m,bcast,4,,,8,binomial,0,0,10
      echo s,m,bcast,4,,,8,chain,0,0,15
    } >times.csv
    ./colltree import times.csv -o grig.db >out
    [ "$(./colltree fastest grig.db --collective bcast)" = "bcast on 4 ranks, 8B: Binomial_0K, Chain_0K +50 %" ]
    ./colltree --help | grep -q '^ *fastest  *print the fastest method'
    [ "$(python3 tests/output/commands.py | grep '^fastest')" = "fastest|fastest p.db --collective bcast" ]
    ;;
  rules)
    apply rules 3
    compile libs/rules/lines/lines.cpp libs/rules/rule_target.cpp
    gtest="-lgtest -lgtest_main -lgmock"
    IFS=: read -ra tests <<<"$RULES_TEST_OBJECTS"
    link rules_test "${tests[@]}" "$build"/libcolltree_test_{base,sample}.a
    cd "$here/libs" && "$scratch/rules_test" --gtest_brief=1 --gtest_filter='RulesProperty.FilesAnswerAsTheModel:DetectTarget.*'
    ;;
esac
