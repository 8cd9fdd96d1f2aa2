# SPDX-License-Identifier: BSD-3-Clause
# What the projects of this repository begin with: colltree, and c45 and libs/core, which also build alone. COLLTREE_LIBRARIES may
# name the libraries that a project needs (ColltreeDependencies.cmake).
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")  # at -O3 GCC 12 warns of faults that are none
endif()
option(COLLTREE_TESTS "Build the tests" ON)
option(COLLTREE_PERF "Build the benchmarks in perf/" OFF)
option(COLLTREE_WERROR "Warnings are errors" OFF)
option(COLLTREE_UNITY "Compile several files as one: all in two thirds of the time, a changed file in more" OFF)
option(COLLTREE_SANITIZE "Address and undefined-behaviour sanitizers, except where MPI is spoken" OFF)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH COLLTREE_ROOT)
# Where a name like coll/method.h is looked for: a room has its name in all packages.
set(COLLTREE_INCLUDES ${COLLTREE_ROOT}/include)
foreach(package libs libs/core libs/rules libs/mpi tool)
  list(APPEND COLLTREE_INCLUDES ${COLLTREE_ROOT}/${package})
endforeach()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(GNUInstallDirs)
# Debian's zsh looks for packages' functions there.
if(EXISTS /etc/debian_version)
  set(COLLTREE_INSTALL_ZSHDIR ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
else()
  set(COLLTREE_INSTALL_ZSHDIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
# Components end up in shared objects too: the module for smpirun, the runtime library.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Every program lies at the top of the build tree: build/release/colltree.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Eighty programs, some of 70 MB with what sanitizers need. Not mold: Debian's 1.10 is as fast here, but waits for ever now
# and then (its tasks are oneTBB's, uxlfoundation/oneTBB#1281), and with it the build.
if(COLLTREE_SANITIZE)
  find_program(COLLTREE_LLD ld.lld)
  if(COLLTREE_LLD)
    string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=lld")
  endif()
endif()

include(ColltreeDependencies)
include(ColltreeComponent)
if(COLLTREE_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(ColltreeTests)
endif()
