# The page of `perflab report --format html`. esbuild bundles it in the build folder from reports/web/
# and the packages that package-lock.json there names; the source tree is not touched. npm installs
# the packages once, and again when package-lock.json changes, so that a build does not use npm.
# Sets PERFLAB_PAGE to TRUE if there is a page. Everything else builds without it.
set(PERFLAB_WITH_HTML AUTO CACHE STRING
  "Embed the page of `report --format html`: AUTO if npm can get its packages; ON or fail; OFF")
set_property(CACHE PERFLAB_WITH_HTML PROPERTY STRINGS AUTO ON OFF)
set(PERFLAB_WEB_MODULES "" CACHE PATH
  "A node_modules folder with the packages of reports/web/package-lock.json; empty: run npm ci")

set(_web ${PROJECT_SOURCE_DIR}/reports/web)
set(_web_build ${PROJECT_BINARY_DIR}/web)
set(PERFLAB_PAGE FALSE)
set(PERFLAB_PAGE_WHY_NOT "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_web}/package-lock.json)

# Installs into ${_web_build}/node_modules. Sets ${out} to the reason of a failure, or to "".
function(perflab_install_modules out)
  set(_stamp ${_web_build}/installed.sha256)
  file(SHA256 ${_web}/package-lock.json _lock)
  set(_installed "")
  if(EXISTS ${_stamp} AND EXISTS ${_web_build}/node_modules/vega)
    file(READ ${_stamp} _installed)
  endif()
  set(${out} "" PARENT_SCOPE)
  if(_installed STREQUAL _lock)
    return()
  endif()
  message(STATUS "Installing the packages of the report page (npm ci)")
  file(MAKE_DIRECTORY ${_web_build})
  configure_file(${_web}/package.json ${_web_build}/package.json COPYONLY)
  configure_file(${_web}/package-lock.json ${_web_build}/package-lock.json COPYONLY)
  configure_file(${_web}/.npmrc ${_web_build}/.npmrc COPYONLY)
  execute_process(
    COMMAND ${PERFLAB_NPM} ci --no-progress --prefer-offline --fetch-retries=1 --fetch-timeout=20000
    WORKING_DIRECTORY ${_web_build} TIMEOUT ${PERFLAB_TEST_LIMIT} RESULT_VARIABLE _code
    OUTPUT_FILE ${_web_build}/npm.log ERROR_FILE ${_web_build}/npm.log)
  if(_code STREQUAL "0")
    file(WRITE ${_stamp} ${_lock})
  else()
    set(${out} "npm could not install its packages: see web/npm.log in the build folder"
      PARENT_SCOPE)
  endif()
endfunction()

if(PERFLAB_WITH_HTML STREQUAL "OFF")
  set(PERFLAB_PAGE_WHY_NOT "configured with PERFLAB_WITH_HTML=OFF")
else()
  find_program(PERFLAB_NODE NAMES node nodejs)
  find_program(PERFLAB_NPM npm)
  if(PERFLAB_NODE)
    execute_process(COMMAND ${PERFLAB_NODE} --version OUTPUT_VARIABLE _node ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT PERFLAB_NODE)
    set(PERFLAB_PAGE_WHY_NOT "node was not found")
  elseif(NOT _node MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    set(PERFLAB_PAGE_WHY_NOT "node ${_node} is too old: 18 or newer is needed")
  elseif(PERFLAB_WEB_MODULES)
    set(_modules ${PERFLAB_WEB_MODULES})
  elseif(NOT PERFLAB_NPM)
    set(PERFLAB_PAGE_WHY_NOT "npm was not found")
  else()
    perflab_install_modules(PERFLAB_PAGE_WHY_NOT)
    set(_modules ${_web_build}/node_modules)
  endif()
endif()

if(NOT PERFLAB_PAGE_WHY_NOT)
  set(PERFLAB_PAGE TRUE)
  file(GLOB_RECURSE _sources CONFIGURE_DEPENDS ${_web}/*.html ${_web}/*.css ${_web}/*.js ${_web}/*.mjs)
  set(PERFLAB_PAGE_FILE ${_web_build}/page.html)
  set(PERFLAB_PAGE_LICENCES ${_web_build}/licences-of-the-page.txt)
  add_custom_command(OUTPUT ${PERFLAB_PAGE_FILE} ${PERFLAB_PAGE_LICENCES}
    COMMAND ${PERFLAB_NODE} ${_web}/bundle.mjs ${_modules} ${PERFLAB_PAGE_FILE} ${PERFLAB_PAGE_LICENCES}
    DEPENDS ${_sources} ${_web}/package-lock.json COMMENT "Bundling the report page" VERBATIM)
  message(STATUS "Report page: yes (node ${_node})")
elseif(PERFLAB_WITH_HTML STREQUAL "ON")
  message(FATAL_ERROR "PERFLAB_WITH_HTML=ON, but ${PERFLAB_PAGE_WHY_NOT}")
else()
  message(STATUS "Report page: no (${PERFLAB_PAGE_WHY_NOT})")
endif()
