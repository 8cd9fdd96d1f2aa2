# SPDX-License-Identifier: BSD-3-Clause
# The libraries that colltree is built with: those of the system, or, with COLLTREE_FETCH, their sources for what is not
# installed, for machines where nobody can install. Offline: -DFETCHCONTENT_SOURCE_DIR_NAME=FOLDER with sources that were
# brought there (NAME in capitals: FMT, CLI11, SQLITECPP, ZLIB, EIGEN3, XXHASH).
option(COLLTREE_FETCH "Download the sources of libraries that are not installed, and build them here" OFF)
include(FetchContent)
find_package(Threads REQUIRED)

# colltree_sources(NAME ADDRESS TAG): into <NAME>_SOURCE_DIR. Nothing of it is installed.
function(colltree_sources name address tag)
  message(STATUS "colltree: ${name} is not installed, its sources ${tag} are taken")
  FetchContent_Declare(${name} GIT_REPOSITORY ${address} GIT_TAG ${tag} GIT_SHALLOW TRUE)
  FetchContent_GetProperties(${name})
  string(TOLOWER ${name} lower)
  if(NOT ${lower}_POPULATED)
    FetchContent_Populate(${name})
  endif()
  set(${name}_SOURCE_DIR ${${lower}_SOURCE_DIR} PARENT_SCOPE)
  set(${name}_BINARY_DIR ${${lower}_BINARY_DIR} PARENT_SCOPE)
endfunction()

function(colltree_headers target folder)
  add_library(colltree_fetched_${target} INTERFACE)
  target_include_directories(colltree_fetched_${target} SYSTEM INTERFACE ${folder})
endfunction()

# One macro for each: how its sources become the target that the components name.
macro(colltree_fetch_fmt)
  colltree_sources(fmt https://github.com/fmtlib/fmt.git 9.1.0)
  add_subdirectory(${fmt_SOURCE_DIR} ${fmt_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
endmacro()

macro(colltree_fetch_CLI11)
  colltree_sources(CLI11 https://github.com/CLIUtils/CLI11.git v2.4.1)
  colltree_headers(CLI11 ${CLI11_SOURCE_DIR}/include)
  add_library(CLI11::CLI11 ALIAS colltree_fetched_CLI11)
endmacro()

# With the SQLite that its sources hold.
macro(colltree_fetch_SQLiteCpp)
  colltree_sources(SQLiteCpp https://github.com/SRombauts/SQLiteCpp.git 3.2.1)
  set(SQLITECPP_RUN_CPPLINT OFF CACHE BOOL "" FORCE)
  set(SQLITECPP_RUN_CPPCHECK OFF CACHE BOOL "" FORCE)
  add_subdirectory(${SQLiteCpp_SOURCE_DIR} ${SQLiteCpp_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
endmacro()

# Its own CMake file changes its sources.
macro(colltree_fetch_ZLIB)
  colltree_sources(ZLIB https://github.com/madler/zlib.git v1.2.13)
  file(GLOB zlib_files ${ZLIB_SOURCE_DIR}/*.c)
  add_library(colltree_fetched_ZLIB STATIC ${zlib_files})
  target_compile_definitions(colltree_fetched_ZLIB PRIVATE HAVE_UNISTD_H HAVE_STDARG_H)
  target_include_directories(colltree_fetched_ZLIB SYSTEM PUBLIC ${ZLIB_SOURCE_DIR})
  add_library(ZLIB::ZLIB ALIAS colltree_fetched_ZLIB)
endmacro()

macro(colltree_fetch_Eigen3)
  colltree_sources(Eigen3 https://gitlab.com/libeigen/eigen.git 3.4.0)
  colltree_headers(Eigen3 ${Eigen3_SOURCE_DIR})
  add_library(Eigen3::Eigen ALIAS colltree_fetched_Eigen3)
endmacro()

# Compiled into what includes it.
macro(colltree_fetch_xxHash)
  colltree_sources(xxHash https://github.com/Cyan4973/xxHash.git v0.8.1)
  include_directories(SYSTEM ${xxHash_SOURCE_DIR})
endmacro()

if(NOT COLLTREE_LIBRARIES)
  set(COLLTREE_LIBRARIES fmt CLI11 SQLiteCpp ZLIB Eigen3 xxHash)
endif()
set(missing)
foreach(library IN LISTS COLLTREE_LIBRARIES)
  if(library STREQUAL xxHash)
    find_path(xxHash_FOUND xxhash.h)
  else()
    find_package(${library} QUIET)
  endif()
  if(NOT ${library}_FOUND)
    list(APPEND missing ${library})
  endif()
endforeach()

if(missing AND NOT COLLTREE_FETCH)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "not installed: ${missing}. tools/install_dependencies.sh installs all on Debian; elsewhere install "
    "them by the system's names (docs/tasks/installing.md), or configure with -DCOLLTREE_FETCH=ON, which downloads and builds them here")
endif()
foreach(library IN LISTS missing)
  cmake_language(CALL colltree_fetch_${library})
endforeach()
