#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# core_alone.sh SOURCE [build]: libs/core is a project of its own. It is configured in a copy of the sources that holds nothing but what stands
# below it, and asks for no MPI. build: it is also built, with a program that sees only its public headers.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/libs" "$work/user"
cp -r "$1/CMakeLists.txt" "$1/c45" "$1/cmake" "$1/include" "$work/tree"
cp -r "$1/libs/base" "$1/libs/core" "$work/tree/libs"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
set(COLLTREE_TESTS OFF)
add_subdirectory(../tree/libs/core core)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE colltree::face)
END
cat >"$work/user/user.cpp" <<'END'
#include <colltree/model.hpp>
#include <cstdio>
int main() {
  using namespace colltree::core;
  const Instance few{"bcast", 4, 8}, many{"bcast", 64, 1 << 20};
  const Method binomial{"binomial", 0}, chain{"chain", 8192};
  const Timings timings = Timings::from_rows("here", {{few, binomial, 1}, {few, chain, 3}, {many, binomial, 900}, {many, chain, 200}});
  std::puts(fit({timings}).decide(many).algorithm.c_str());
}
END
cd "$work"
cmake -S tree/libs/core -B x -DCOLLTREE_TESTS=OFF >log 2>&1 || { cat log; exit 1; }
cmake -S user -B y >log 2>&1 || { cat log; exit 1; }
if grep -iE '^[^:]*(mpi_|mpicxx|simgrid)' x/CMakeCache.txt; then
  echo "libs/core asked for MPI"
  exit 1
fi
[ "${2:-}" = build ] || exit 0
cmake --build y -j 2 --target user >log 2>&1 || { cat log; exit 1; }
[ "$(y/user)" = chain ] || { echo "the program chose $(y/user)"; exit 1; }
