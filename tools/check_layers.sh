#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Include order: a component includes only itself and those before it in the data flow;
# <mpi.h> only where MPI is spoken. Prints each violation; exit code 1 if there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
# The folders of a package, in order. A file may include headers of its own folder and of earlier folders; libs/rules and libs/mpi must not include each other.
base="libs/base"
core="$base libs/core/coll libs/core/protocol libs/core/decision libs/core/timings libs/core/parametric libs/core/profile libs/core/surrogate libs/core/model libs/core/evaluate libs/core/face"
rules="$core libs/rules libs/rules/emit libs/rules/face"
mpi="$base libs/core/coll libs/core/protocol libs/core/decision libs/mpi/algorithms libs/mpi/rank libs/mpi/runtime"
tool="$rules tool/measure tool/kit tool/batch tool/report tool/deploy tool/cli"
declare -A allowed
for package in "$rules" "$mpi" "$tool"; do
  seen=""
  for room in $package; do seen="$seen ${room##*/}"; allowed[$room]=$seen; done
done
bad=0
while IFS=: read -r file line text; do
  from=${file%/*}
  while [ -z "${allowed[$from]:-}" ] && [ "$from" != "${from%/*}" ]; do from=${from%/*}; done
  to=${text#*\"}; to=${to%%/*}
  [ "$to" = colltree ] && continue
  [[ " ${allowed[$from]:-} " == *" $to "* ]] || { echo "$file:$line: $from must not include $to"; bad=1; }
done < <(grep -rnE '^#include "[a-z0-9_]+/' libs tool --include='*.h' --include='*.cpp' --include='*.def')
grep -rnE '#include <(mpi|smpi/|simgrid/)' libs tool --include='*.h' --include='*.cpp' \
  | grep -v ^libs/mpi/ && { echo "MPI is spoken only in libs/mpi"; bad=1; }
grep -rnE '^#include "[a-z0-9_]+/' c45/main.cpp c45/release8 c45/engine \
  | grep -vE '"(base|colltree|engine|release8)/' && { echo "c45 stands on base alone"; bad=1; }
grep -rn '"colltree/c45' libs tool | grep -v ^libs/core/model/ && { echo "C4.5 is for model alone"; bad=1; }
grep -rn '^#include "release8/' c45/engine && { echo "the engine of C4.5 must not include release8"; bad=1; }
grep -rnE 'print\(stderr|std::cerr|std::ofstream|std::fopen\([^)]*"[wa]' libs tool c45/main.cpp c45/release8 c45/engine c45/include --include='*.h' --include='*.cpp' \
  | grep -v _test.cpp && { echo "messages go through say(), files through write_file() (libs/base)"; bad=1; }
exit $bad
