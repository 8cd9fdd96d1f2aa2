#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# MPICH's own tests under the runtime library, on either library:
#
#   mpich_suite.sh FLAVOUR BUILD FOLDER [METHODS...]
#
#   FLAVOUR  openmpi or mpich      BUILD  our build folder, as build/dev
#   FOLDER   of tests in test/mpi of MPICH's sources (apt-get source mpich): coll, errors/coll, comm, threads/comm, ...
#            test/mpi was configured with --disable-fortran --disable-cxx --disable-spawn --disable-rma and made in
#            dtpools, util and FOLDER, with FLAVOUR's mpicc first in PATH under this name (CC= is not enough: ldd says
#            which library a test has). Open MPI 4 has no MPI_Type_hvector, _hindexed, _struct: put _create_ into these
#   METHODS  lists of methods, as COLLTREE_FORCE takes them, or their numbers, all by default: the n-th forces the n-th
#            method of every collective. +K: K lists a test, others at the next, so that every list has its turn at
#            every K-th part of the tests
#
# Passes when no test fails under any list that passes without the library. Those that fail without it are listed; those
# that MPICH itself does not expect to pass (xfail) are left out.
set -u
flavour=$1 build=$(realpath "$2") folder=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/launch.sh"
patience=900
cd "$folder" || exit 1

# RANKS PROGRAM ARGUMENTS...: whether it says that all is right. Once more when it does not: with many ranks to a core
# it may just have taken too long.
run() {
  launch "$preload" "$@" 2>&1 | grep -q 'No Errors' || launch "$preload" "$@" 2>&1 | grep -q 'No Errors'
}

turns=""
case ${1:-} in +*) turns=${1#+} && shift ;; esac
numbers=("$@")
if [ $# -eq 0 ]; then
  for ((n = 1; ; ++n)); do
    [ -n "$(nth_methods $n)" ] || break
    numbers+=("$n")
  done
fi
# METHODS: the list itself.
methods_of() { case $1 in *=*) echo "$1" ;; *) nth_methods "$1" ;; esac; }
# The lists for the test of this number.
lists_of() {
  local count=${#numbers[@]} k
  [ -n "$turns" ] || { echo "${numbers[@]}"; return; }
  for ((k = 0; k < turns; ++k)); do echo "${numbers[(($1 + k * count / turns) % count)]}"; done
}

tests=0 runs=0 broken=0
while read -r program ranks rest; do
  [ -x "$program" ] || continue
  argument=$(grep -oE 'arg=[^ ]+' <<<"$rest" | cut -c5-)
  preload=""
  # shellcheck disable=SC2086
  run "$ranks" "./$program" $argument || { echo "fails by itself: $program $ranks $argument"; continue; }
  tests=$((tests + 1))
  preload=$library
  for n in $(lists_of "$tests"); do
    runs=$((runs + 1))
    # shellcheck disable=SC2086
    COLLTREE_FORCE=$(methods_of "$n") run "$ranks" "./$program" $argument && continue
    broken=$((broken + 1))
    echo "BROKEN: $program $ranks $argument under $(methods_of "$n")"
  done
done < <(grep -vE '^(#|@|$)|xfail' testlist)
echo "$tests tests, $runs runs under ${#numbers[@]} lists of methods, $broken broken"
[ $tests -gt 0 ] && [ $broken -eq 0 ] && echo ok
