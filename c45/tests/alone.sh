#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# alone.sh SOURCE [build]: C4.5 is a project of its own. It is configured in a copy of the sources that holds nothing but c45, cmake and libs/base, as its
# README.md says and as a part of a foreign project, and asks for neither MPI nor SQLite nor Eigen. build: both are also built and tested.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/libs" "$work/user"
cp -r "$1/CMakeLists.txt" "$1/c45" "$1/cmake" "$work/tree"
cp -r "$1/libs/base" "$work/tree/libs"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
set(COLLTREE_TESTS OFF)
add_subdirectory(../tree/c45 c45)
add_executable(user ../tree/c45/tests/example.cpp)
target_link_libraries(user PRIVATE colltree::c45)
END
cd "$work"
cmake -S tree/c45 -B x >log 2>&1 || { cat log; exit 1; }
cmake -S user -B y >log 2>&1 || { cat log; exit 1; }
if grep -iE '^[^:]*(mpi_|mpicxx|sqlite|eigen|simgrid)' x/CMakeCache.txt; then
  echo "c45 asked for libraries that it does not use"
  exit 1
fi
[ "${2:-}" = build ] || exit 0
cmake --build x -j 2 >log 2>&1 || { cat log; exit 1; }
ctest --test-dir x --output-on-failure
cmake --build y -j 2 --target user >log 2>&1 || { cat log; exit 1; }
tree/c45/tests/example.sh y/user
