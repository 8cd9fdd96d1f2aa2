# SPDX-License-Identifier: BSD-3-Clause
# Packages of what `cmake --install` installs, by `cpack --config build/release/CPackConfig.cmake`:
#   colltree_VERSION_ARCH.deb   below /usr, for the Debian that it was built on; apt finds the libraries it needs
#   libcolltree-dev_VERSION_ARCH.deb   the archives of its C++ libraries
#   python3-colltree_VERSION_all.deb   the Python package of the one above, where Debian's Python finds it
#   colltree-VERSION-SYSTEM-ARCH-glibcN.tar.gz   one folder, to be unpacked anywhere; needs glibc N or newer and the
#                                                libraries of tools/install_dependencies.sh
# One of them: cpack -G DEB, cpack -G TGZ. Debug symbols are stripped.
set(CPACK_PACKAGE_NAME colltree)
set(CPACK_PACKAGE_VENDOR "the colltree project")
set(CPACK_PACKAGE_CONTACT "the colltree project <colltree@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures MPI collective algorithms and turns timings into decision functions")
set(CPACK_PACKAGE_DESCRIPTION "colltree times the algorithms of MPI collectives on a simulated or a real cluster, or reads
timings from OSU, IMB and others, fits small decision functions to them, says what these cost,
and writes them as C or as the rules of Open MPI, MPICH, UCC, NCCL, Intel MPI and others.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)

execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE glibc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REPLACE "glibc " "-glibc" glibc "${glibc}")
set(CPACK_PACKAGE_FILE_NAME
    colltree-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}${glibc})

# The second .deb is a link into the first.
set(link ${PROJECT_BINARY_DIR}/python3-colltree)
file(MAKE_DIRECTORY ${link})
file(CREATE_LINK ../../../${COLLTREE_INSTALL_PYTHONDIR}/colltree ${link}/colltree SYMBOLIC)
install(FILES ${link}/colltree DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL colltree development python)
set(CPACK_DEBIAN_COLLTREE_PACKAGE_NAME colltree)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-colltree)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "colltree (= ${PROJECT_VERSION}), python3-matplotlib, python3-numpy, python3-pandas, python3-plotly")
set(CPACK_DEBIAN_COLLTREE_PACKAGE_RECOMMENDS "python3-plotly")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-sklearn, python3-tqdm")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcolltree-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "colltree (= ${PROJECT_VERSION}), libfmt-dev, libsqlitecpp-dev, libsqlite3-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "timings, models and rules of colltree in C++ programs")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "read, decide, plot and drive with colltree in Python")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The module for smpirun, the runtime libraries and libcolltree_decision are found beside the programs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/libs/core)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, mpi-default-bin")

include(CPack)
