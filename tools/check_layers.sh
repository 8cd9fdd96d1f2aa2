#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Include order: a component includes only itself and those before it in the data flow;
# <mpi.h> only where MPI is spoken. Prints each violation; exit code 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
order="base coll timings parametric profile surrogate algorithms measure rank kit batch model evaluate runtime rules emit report deploy cli"
declare -A allowed
seen=""
for room in $order; do seen="$seen $room"; allowed[$room]="$seen"; done
allowed[runtime]="base coll algorithms runtime"
bad=0
while IFS=: read -r file line text; do
  from=${file#src/}; from=${from%%/*}
  to=${text#*\"}; to=${to%%/*}
  [ "$to" = colltree ] && continue
  [[ " ${allowed[$from]:-} " == *" $to "* ]] || { echo "$file:$line: $from must not include $to"; bad=1; }
done < <(grep -rnE '^#include "[a-z0-9_]+/' src --include='*.h' --include='*.cpp' --include='*.def')
grep -rnE '#include <(mpi|smpi/|simgrid/)' src --include='*.h' --include='*.cpp' \
  | grep -vE '^src/(algorithms|rank|runtime)/' && { echo "MPI is spoken only in algorithms, rank, runtime"; bad=1; }
grep -rnE '^#include "[a-z0-9_]+/' c45/main.cpp c45/release8 c45/engine \
  | grep -vE '"(base|colltree|engine|release8)/' && { echo "c45 stands on base alone"; bad=1; }
grep -rn '"colltree/c45' src | grep -v ^src/model/ && { echo "C4.5 is for model alone"; bad=1; }
grep -rn '^#include "release8/' c45/engine && { echo "the engine of C4.5 must not include release8"; bad=1; }
grep -rnE 'print\(stderr|std::cerr|std::ofstream|std::fopen\([^)]*"[wa]' src c45/main.cpp c45/release8 c45/engine c45/include --include='*.h' --include='*.cpp' \
  | grep -v _test.cpp && { echo "messages go through say(), files through write_file() (src/base)"; bad=1; }
exit $bad
