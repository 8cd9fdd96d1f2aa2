# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` installs beside the programs, and where the programs find each other there.
# Only paths relative to bin/ are built in, so that the installed tree may be moved as a whole.
#   bin/colltree, bin/colltree-c45 (with its man page and completions: c45/)   libexec/colltree/ programs that measure   share/colltree/platforms/, kit/ (its sources)
#   share/colltree/python/ the Python package, for `colltree` itself and on the PYTHONPATH of users
#   include/colltree/ with lib/libcolltree_decision.so and, for C++, lib/libcolltree_{core,rules}.a   share/doc/colltree/
#   share/man/man1/colltree.1   share/bash-completion/completions/colltree

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME colltree)
set(COLLTREE_INSTALL_LIBEXECDIR ${CMAKE_INSTALL_LIBEXECDIR}/colltree)
set(COLLTREE_INSTALL_PLATFORMDIR ${CMAKE_INSTALL_DATADIR}/colltree/platforms)
set(COLLTREE_INSTALL_KITDIR ${CMAKE_INSTALL_DATADIR}/colltree/kit)
set(COLLTREE_INSTALL_PYTHONDIR ${CMAKE_INSTALL_DATADIR}/colltree/python)
# Where a library that was linked lies outside the system's folders, it is found there again.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

function(colltree_from_bin out folder)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR})
  set(${out} ${folder} PARENT_SCOPE)
endfunction()
colltree_from_bin(COLLTREE_LIBEXEC_FROM_BIN ${COLLTREE_INSTALL_LIBEXECDIR})
colltree_from_bin(COLLTREE_PLATFORMS_FROM_BIN ${COLLTREE_INSTALL_PLATFORMDIR})
colltree_from_bin(COLLTREE_KIT_FROM_BIN ${COLLTREE_INSTALL_KITDIR})
colltree_from_bin(COLLTREE_PYTHON_FROM_BIN ${COLLTREE_INSTALL_PYTHONDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/ DESTINATION ${COLLTREE_INSTALL_PLATFORMDIR}
        FILES_MATCHING PATTERN *.xml)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/colltree DESTINATION ${COLLTREE_INSTALL_PYTHONDIR} PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/papers DESTINATION ${COLLTREE_INSTALL_PYTHONDIR}/colltree PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
