# SPDX-License-Identifier: BSD-3-Clause
# The C++ libraries for other programs: find_package(colltree COMPONENTS core rules), targets colltree::core and
# colltree::rules, headers include/colltree/*.hpp. Each is one archive of what its components are compiled to.
include(CMakePackageConfigHelpers)
set(COLLTREE_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/colltree)

# colltree_library(core COMPONENTS base coll ... [LINKS fmt::fmt ...]): LINKS as the program that takes it names them.
function(colltree_library name)
  cmake_parse_arguments(ARG "" "" "COMPONENTS;LINKS" ${ARGN})
  set(target colltree-${name})
  list(TRANSFORM ARG_COMPONENTS REPLACE "(.+)" "$<TARGET_OBJECTS:colltree_\\1>")
  add_library(${target} STATIC ${ARG_COMPONENTS})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME colltree_${name} EXPORT_NAME ${name})
  target_compile_features(${target} INTERFACE cxx_std_20)
  list(TRANSFORM ARG_LINKS REPLACE "(.+)" "$<INSTALL_INTERFACE:\\1>")
  target_link_libraries(${target} INTERFACE ${ARG_LINKS})
  if(COLLTREE_SANITIZE)
    target_link_options(${target} INTERFACE -fsanitize=address,undefined)
  endif()
  install(TARGETS ${target} EXPORT colltree ARCHIVE COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

colltree_library(core COMPONENTS base c45 coll timings profile surrogate model face
                 LINKS fmt::fmt ZLIB::ZLIB SQLiteCpp sqlite3 Threads::Threads)
colltree_library(rules COMPONENTS decision parametric evaluate rules emit rules_face LINKS colltree::core)

set(config ${PROJECT_BINARY_DIR}/colltree-config.cmake)
file(WRITE ${config} [[
include(CMakeFindDependencyMacro)
foreach(library fmt ZLIB SQLiteCpp Threads)
  find_dependency(${library})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/colltree-targets.cmake)
foreach(component IN LISTS colltree_FIND_COMPONENTS)
  if(NOT TARGET colltree::${component})
    set(colltree_FOUND FALSE)
    set(colltree_NOT_FOUND_MESSAGE "colltree has no component ${component}: it has core and rules")
  endif()
endforeach()
]])
write_basic_package_version_file(${config}.version COMPATIBILITY SameMajorVersion)
install(FILES ${config} DESTINATION ${COLLTREE_INSTALL_CMAKEDIR} COMPONENT development)
install(FILES ${config}.version DESTINATION ${COLLTREE_INSTALL_CMAKEDIR} RENAME colltree-config-version.cmake COMPONENT development)
install(EXPORT colltree NAMESPACE colltree:: FILE colltree-targets.cmake DESTINATION ${COLLTREE_INSTALL_CMAKEDIR} COMPONENT development)
