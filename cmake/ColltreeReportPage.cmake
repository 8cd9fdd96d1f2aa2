# SPDX-License-Identifier: BSD-3-Clause
# The page of `colltree report`: web/report bundled by esbuild into one C++ source file.
# Sets COLLTREE_REPORT_PAGE (that source file) and COLLTREE_NODE.

option(COLLTREE_REPORT "Build the HTML page of `colltree report` (needs Node.js 18 and npm)" ON)

set(report_web ${PROJECT_SOURCE_DIR}/web/report)
if(NOT COLLTREE_REPORT)
  set(COLLTREE_REPORT_PAGE ${PROJECT_SOURCE_DIR}/src/report/no_page.cpp)
  return()
endif()

# npm writes beside package.json: where it may not, in a copy.
execute_process(COMMAND test -w ${report_web} RESULT_VARIABLE read_only)
if(read_only)
  file(COPY ${report_web} DESTINATION ${PROJECT_BINARY_DIR}/web NO_SOURCE_PERMISSIONS
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(report_web ${PROJECT_BINARY_DIR}/web/report)
endif()

find_program(COLLTREE_NODE node)
find_program(COLLTREE_NPM npm)
if(NOT COLLTREE_NODE OR NOT COLLTREE_NPM)
  message(FATAL_ERROR " npm not found: tools/install_dependencies.sh installs it; or do without `colltree report`: cmake -DCOLLTREE_REPORT=OFF")
endif()

# npm writes node_modules/.package-lock.json last: it stands for the packages of the lock file.
# They lie in the source tree where it can be written, and Node.js looks for them; all build trees share them.
set(report_packages ${report_web}/node_modules/.package-lock.json)
add_custom_command(
  OUTPUT ${report_packages}
  COMMAND ${report_web}/install.sh ${COLLTREE_NPM}
  DEPENDS ${report_web}/package.json ${report_web}/package-lock.json
  COMMENT "Installing the packages of web/report (npm ci)"
  VERBATIM)

set(COLLTREE_REPORT_PAGE ${PROJECT_BINARY_DIR}/report_template.cpp)
add_custom_command(
  OUTPUT ${COLLTREE_REPORT_PAGE}
  COMMAND ${COLLTREE_NODE} ${report_web}/build.mjs ${COLLTREE_REPORT_PAGE}
  DEPENDS ${report_packages} ${report_web}/build.mjs
  DEPFILE ${COLLTREE_REPORT_PAGE}.d
  COMMENT "Bundling the page of `colltree report`"
  VERBATIM)
