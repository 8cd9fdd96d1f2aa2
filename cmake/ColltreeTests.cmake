# SPDX-License-Identifier: BSD-3-Clause
# How tests are registered (docs/developing/testing.md), and the library that chooses what they sample (base/test_sample.h) by
# the number of the commit.
execute_process(COMMAND git rev-list --count HEAD WORKING_DIRECTORY ${COLLTREE_ROOT} OUTPUT_VARIABLE commit_number
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit_number)
  set(commit_number 1)
endif()
add_library(colltree_test_sample STATIC ${COLLTREE_ROOT}/libs/base/test_sample.cpp)
target_link_libraries(colltree_test_sample PUBLIC colltree_flags)
target_compile_definitions(colltree_test_sample PRIVATE COLLTREE_COMMIT_NUMBER=${commit_number})

# colltree_add_test(NAME GROUP.CASE COMMAND ... [TIER thorough|long] [MPI_JOBS|ALONE] [COST seconds] [LAST "ok: "])
#   GROUP is the test's label: ctest sums the time of each label at its end. TIER: the first tier that runs it; without
#   the word it is in all of them. MPI_JOBS: its ranks keep both cores busy, one other test may run beside it. ALONE: none
#   may. COST: the expensive ones start first, so that no core is idle at the end. LAST: the output holds a line that
#   begins so, which then counts instead of the exit code. 77: skipped.
function(colltree_add_test)
  cmake_parse_arguments(ARG "ALONE;MPI_JOBS" "NAME;TIER;COST;LAST" "COMMAND;ENVIRONMENT" ${ARGN})
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_COMMAND})
  string(REGEX MATCH "^[^.]+" group ${ARG_NAME})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${group}" TIMEOUT 7200 SKIP_RETURN_CODE 77
                       ENVIRONMENT "${ARG_ENVIRONMENT}")
  if(ARG_TIER)
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${group};${ARG_TIER}")
  endif()
  if(ARG_ALONE)
    set_tests_properties(${ARG_NAME} PROPERTIES RUN_SERIAL TRUE)
  endif()
  if(ARG_MPI_JOBS)
    set_tests_properties(${ARG_NAME} PROPERTIES PROCESSORS 2)
  endif()
  if(ARG_COST)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${ARG_COST})
  endif()
  if(ARG_LAST)
    set_tests_properties(${ARG_NAME} PROPERTIES PASS_REGULAR_EXPRESSION "^${ARG_LAST}|\n${ARG_LAST}")
  endif()
endfunction()
