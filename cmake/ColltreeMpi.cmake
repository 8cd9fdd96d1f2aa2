# SPDX-License-Identifier: BSD-3-Clause
# One source, several MPI libraries. A flavour is one <mpi.h> and its libraries:
#   smpi     SimGrid's simulated MPI (Debian: libsimgrid-dev)
#   openmpi, mpich   Debian's side-by-side packages (mpicxx.openmpi, mpicxx.mpich)
#   mpi      the cluster's own mpicxx, when neither of the two names exists
# COLLTREE_MPI_FLAVOURS lists those found; target colltree_mpi_<flavour> carries the flags.

set(COLLTREE_MPI_FLAVOURS "")

function(colltree_wrapper_flags out_include out_link wrapper)
  execute_process(COMMAND ${wrapper} --showme:compile OUTPUT_VARIABLE compile RESULT_VARIABLE rc
                  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(rc EQUAL 0)
    execute_process(COMMAND ${wrapper} --showme:link OUTPUT_VARIABLE link OUTPUT_STRIP_TRAILING_WHITESPACE)
  else()
    execute_process(COMMAND ${wrapper} -compile_info OUTPUT_VARIABLE compile OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${wrapper} -link_info OUTPUT_VARIABLE link OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  separate_arguments(compile UNIX_COMMAND "${compile}")
  separate_arguments(link UNIX_COMMAND "${link}")
  set(include_dirs "")
  foreach(word IN LISTS compile)
    if(word MATCHES "^-I(.+)$")
      list(APPEND include_dirs ${CMAKE_MATCH_1})
    endif()
  endforeach()
  # Only libraries and where they are: a distribution's -O, -flto or -specs are not ours.
  set(link_flags "")
  foreach(word IN LISTS link)
    if(word MATCHES "^(-L.+|-l.+|-Wl,-rpath.*)$")
      list(APPEND link_flags ${word})
    endif()
  endforeach()
  set(${out_include} "${include_dirs}" PARENT_SCOPE)
  set(${out_link} "${link_flags}" PARENT_SCOPE)
endfunction()

function(colltree_add_flavour flavour wrapper)
  colltree_wrapper_flags(include_dirs link_flags ${wrapper})
  add_library(colltree_mpi_${flavour} INTERFACE)
  target_include_directories(colltree_mpi_${flavour} SYSTEM INTERFACE ${include_dirs})
  target_link_libraries(colltree_mpi_${flavour} INTERFACE ${link_flags})
  target_compile_definitions(colltree_mpi_${flavour} INTERFACE
    COLLTREE_MPI_FLAVOUR="${flavour}" OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endfunction()

find_path(COLLTREE_SMPI_INCLUDE smpi/smpi.h PATH_SUFFIXES include)
find_library(COLLTREE_SIMGRID_LIBRARY simgrid)
if(COLLTREE_SMPI_INCLUDE AND COLLTREE_SIMGRID_LIBRARY)
  add_library(colltree_mpi_smpi INTERFACE)
  target_include_directories(colltree_mpi_smpi SYSTEM BEFORE INTERFACE ${COLLTREE_SMPI_INCLUDE}/smpi)
  target_link_libraries(colltree_mpi_smpi INTERFACE ${COLLTREE_SIMGRID_LIBRARY})
  target_compile_definitions(colltree_mpi_smpi INTERFACE COLLTREE_MPI_FLAVOUR="smpi" COLLTREE_SMPI=1)
  list(APPEND COLLTREE_MPI_FLAVOURS smpi)
endif()

foreach(flavour openmpi mpich)
  find_program(COLLTREE_MPICXX_${flavour} mpicxx.${flavour})
  if(COLLTREE_MPICXX_${flavour})
    colltree_add_flavour(${flavour} ${COLLTREE_MPICXX_${flavour}})
    list(APPEND COLLTREE_MPI_FLAVOURS ${flavour})
  endif()
endforeach()
if(NOT COLLTREE_MPICXX_openmpi AND NOT COLLTREE_MPICXX_mpich)
  find_program(COLLTREE_MPICXX mpicxx)
  if(COLLTREE_MPICXX)
    colltree_add_flavour(mpi ${COLLTREE_MPICXX})
    list(APPEND COLLTREE_MPI_FLAVOURS mpi)
  endif()
endif()
message(STATUS "colltree: MPI flavours: ${COLLTREE_MPI_FLAVOURS}")

# Programs that speak MPI use the precompiled headers too: these are -fPIC, programs are -fPIE.
function(colltree_precompiled_program target)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${precompiled_plain})
endfunction()

# colltree_mpi_component(NAME algorithms SOURCES ... DEPENDS ...): the static library
# colltree_NAME_<flavour> once for each flavour. DEPENDS may hold the word FLAVOUR, which is replaced.
# Depends on colltree::x_plain only (ColltreeComponent.cmake says why).
function(colltree_mpi_component)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS" ${ARGN})
  foreach(flavour IN LISTS COLLTREE_MPI_FLAVOURS)
    set(target colltree_${ARG_NAME}_${flavour})
    string(REPLACE FLAVOUR ${flavour} depends "${ARG_DEPENDS}")
    add_library(${target} STATIC ${ARG_SOURCES})
    colltree_unity(${target})
    target_link_libraries(${target} PUBLIC colltree_flags ${depends} colltree_mpi_${flavour})
    target_precompile_headers(${target} REUSE_FROM ${precompiled_plain})
  endforeach()
endfunction()
