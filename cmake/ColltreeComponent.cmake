# SPDX-License-Identifier: BSD-3-Clause
# colltree_component(NAME base SOURCES a.cpp b.cpp [DEPENDS colltree::x fmt::fmt] [TESTS a_test.cpp] [ROOM] [PLAIN] [COLD])
#   makes the static library colltree::NAME and, with COLLTREE_TESTS, the one test program NAME_test
#   (colltree_test below). PLAIN: also colltree::NAME_plain, never sanitized, for the
#   programs that speak MPI (the simulator switches stacks, MPI libraries are not instrumented).
#   ROOM: every source and test below the folder NAME belongs to it, so that a new one needs no line here.
#   SHARDS, COST: of its test. COLD: no test waits long for it, so where sanitized it is not optimised, which compiles in two thirds of the time.

add_library(colltree_flags INTERFACE)
target_compile_features(colltree_flags INTERFACE cxx_std_20)
target_compile_definitions(colltree_flags INTERFACE COLLTREE_VERSION="${PROJECT_VERSION}")
target_include_directories(colltree_flags INTERFACE ${COLLTREE_INCLUDES})
# C4.5 release 8 compatibility rests on plain IEEE arithmetic: no fused multiply-add.
target_compile_options(colltree_flags INTERFACE -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local$<SEMICOLON>-Wconversion> -Wno-missing-field-initializers -ffp-contract=off)
if(COLLTREE_WERROR)
  target_compile_options(colltree_flags INTERFACE -Werror)
endif()

add_library(colltree_sanitizers INTERFACE)
if(COLLTREE_SANITIZE)
  # Without the checks of each pointer that is followed: a null one ends the program anyhow, and they
  # are a fifth of the time of a compilation.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
    -fsanitize-undefined-trap-on-error -fno-omit-frame-pointer)
  # Undefined behaviour traps, and the address sanitizer says where (handle_sigill): to name its kind too would make
  # programs of 12 MB data, read and written whenever one of the thousands of a test run starts.
  target_compile_options(colltree_sanitizers INTERFACE ${sanitizers})
  # At addresses that are known when it is linked nothing is written at the start either.
  target_link_options(colltree_sanitizers INTERFACE ${sanitizers} -no-pie)
endif()

# COLD components: -O0 behind the -O1 of the preset.
add_library(colltree_cold INTERFACE)
if(COLLTREE_SANITIZE)
  target_compile_options(colltree_cold INTERFACE -O0)
endif()

# Headers that most files include, compiled once: to read them is a fifth of the time of a compilation.
# A file can use them only if it is compiled with the same flags: once more for each set of flags.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
function(colltree_precompiled target)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${target} PRIVATE colltree_flags ${ARGN} fmt::fmt)
  target_precompile_headers(${target} PRIVATE <fmt/format.h> <algorithm> <cmath> <cstdint> <filesystem>
    <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <variant> <vector>)
endfunction()
colltree_precompiled(colltree_precompiled colltree_sanitizers)
set(precompiled_cold colltree_precompiled)
set(precompiled_plain colltree_precompiled)
if(COLLTREE_SANITIZE)
  set(precompiled_cold colltree_precompiled_cold)
  set(precompiled_plain colltree_precompiled_plain)
  colltree_precompiled(${precompiled_cold} colltree_sanitizers colltree_cold)
  colltree_precompiled(${precompiled_plain})
endif()

# COLLTREE_UNITY: sixteen files of a component are compiled as one, json.cpp apart, which is as long as sixteen.
# Not the plain ones: what the runtime library takes of them must not bring fmt with it.
function(colltree_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${COLLTREE_UNITY} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

function(colltree_component)
  cmake_parse_arguments(ARG "ROOM;PLAIN;COLD" "NAME;SHARDS;COST" "SOURCES;DEPENDS;TESTS" ${ARGN})
  set(target colltree_${ARG_NAME})
  if(ARG_ROOM)
    file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${ARG_NAME}/*.cpp)
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test.cpp$")
    list(REMOVE_ITEM sources ${tests} "")
    list(APPEND ARG_SOURCES ${sources})
    list(APPEND ARG_TESTS ${tests})
  endif()
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(colltree::${ARG_NAME} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY COLLTREE_COMPONENTS ${target})
  if(COLLTREE_SANITIZE OR NOT ARG_PLAIN)  # else it is its own plain form
    colltree_unity(${target})
  endif()
  target_link_libraries(${target} PUBLIC colltree_flags colltree_sanitizers ${ARG_DEPENDS})
  if(ARG_COLD)
    target_link_libraries(${target} PRIVATE colltree_cold)
    target_precompile_headers(${target} REUSE_FROM ${precompiled_cold})
  else()
    target_precompile_headers(${target} REUSE_FROM colltree_precompiled)
  endif()
  if(ARG_PLAIN AND COLLTREE_SANITIZE)
    string(REGEX REPLACE "(colltree::[a-z0-9_]+)" "\\1_plain" plain_depends "${ARG_DEPENDS}")
    add_library(${target}_plain STATIC ${ARG_SOURCES})
    add_library(colltree::${ARG_NAME}_plain ALIAS ${target}_plain)
    target_link_libraries(${target}_plain PUBLIC colltree_flags ${plain_depends})
    target_precompile_headers(${target}_plain REUSE_FROM ${precompiled_plain})
  elseif(ARG_PLAIN)
    add_library(colltree::${ARG_NAME}_plain ALIAS ${target})
  endif()
  if(COLLTREE_TESTS AND ARG_TESTS)
    colltree_test(NAME ${ARG_NAME}_test SHARDS ${ARG_SHARDS} COST ${ARG_COST} SOURCES ${ARG_TESTS} DEPENDS ${target})
  endif()
endfunction()

# colltree_test(NAME x_test SOURCES x_test.cpp DEPENDS colltree::x [SHARDS 4] [COST 30]): a GoogleTest program, the test unit.x.
# SHARDS: its cases are divided between this many processes, the tests unit.x.1 to unit.x.4. COST: seconds of each.
# Tests find files of the source tree by base/test_paths.h. To read GoogleTest's headers and to optimise its macros
# took half of the time that tests are compiled: the headers are compiled once, the tests are not optimised, and have no line
# numbers, which their failures say themselves.
if(COLLTREE_TESTS)
  add_library(colltree_test_base STATIC ${COLLTREE_ROOT}/libs/base/test_paths.cpp)
  target_link_libraries(colltree_test_base PUBLIC colltree_test_sample colltree_flags colltree_sanitizers GTest::gmock GTest::gtest_main)
  # Of the file alone: what a target defines must be defined wherever its compiled headers are used.
  set_source_files_properties(${COLLTREE_ROOT}/libs/base/test_paths.cpp PROPERTIES
    COMPILE_DEFINITIONS "COLLTREE_SOURCE_DIR=\"${COLLTREE_ROOT}\";COLLTREE_BINARY_DIR=\"${PROJECT_BINARY_DIR}\"")
  target_compile_options(colltree_test_base PUBLIC -O0 -g0)
  target_precompile_headers(colltree_test_base PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  set_target_properties(colltree_test_base PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endif()
function(colltree_test)
  cmake_parse_arguments(ARG "" "NAME;COST;SHARDS" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPENDS} colltree_test_base)
  target_precompile_headers(${ARG_NAME} REUSE_FROM colltree_test_base)
  set_target_properties(${ARG_NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
                        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  string(REGEX REPLACE "_test$" "" room ${ARG_NAME})
  if(NOT ARG_SHARDS)
    colltree_add_test(NAME unit.${room} COST ${ARG_COST} COMMAND ${ARG_NAME} --gtest_brief=1)
    return()
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    colltree_add_test(NAME unit.${room}.${shard} COST ${ARG_COST} COMMAND ${ARG_NAME} --gtest_brief=1
                      ENVIRONMENT GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${index})
  endforeach()
endfunction()
