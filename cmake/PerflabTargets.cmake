# perflab_module(NAME SOURCES … LINKS …): one module, one static library.
function(perflab_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;LINKS" ${ARGN})
  add_library(perflab_${name} STATIC ${MODULE_SOURCES})
  target_link_libraries(perflab_${name} PUBLIC perflab_flags ${MODULE_LINKS})
endfunction()

# How long a test may take, in seconds of the clock: more than any takes on a busy machine, so that
# this ends only one that hangs. An endless loop ends at the limit of processor time, which other
# programs on the machine do not use up.
set(PERFLAB_TEST_LIMIT 1800)
set(PERFLAB_LIMITED sh ${PROJECT_SOURCE_DIR}/tests/limited.sh 600)

# perflab_test(NAME SOURCES … LINKS … [LABELS …] [ALONE]): a file of cmocka tests, the first of the
# sources, run by ctest as NAME. All files of a folder are one program, build/tests/unit_FOLDER, and
# NAME selects the file's tests in it: one link per module, and each file in a process of its own.
# ALONE: a program test_NAME, for a test whose link or arguments differ.
function(perflab_test name)
  cmake_parse_arguments(TEST "ALONE" "" "SOURCES;LINKS;LABELS" ${ARGN})
  if(name IN_LIST PERFLAB_UNSANITIZED)
    if(PERFLAB_ONLY_UNTRUSTED)
      return()
    endif()
    list(APPEND TEST_LABELS unsanitized)
  endif()
  if(TEST_ALONE)
    set(_program test_${name})
    set(_command $<TARGET_FILE:${_program}>)
    add_executable(${_program})
  else()
    perflab_unit(_program)
    set(_command $<TARGET_FILE:${_program}> ${name})
    list(GET TEST_SOURCES 0 _file)
    set_source_files_properties(${_file} PROPERTIES COMPILE_DEFINITIONS UNIT_MAIN=test_${name})
    set_property(TARGET ${_program} APPEND PROPERTY UNIT_TESTS "UNIT_TEST(${name})")
  endif()
  set_property(GLOBAL APPEND PROPERTY PERFLAB_TEST_PROGRAMS ${_program})
  target_sources(${_program} PRIVATE ${TEST_SOURCES})
  get_target_property(_linked ${_program} LINK_LIBRARIES)
  foreach(_library ${TEST_LINKS} perflab_cmocka)
    if(NOT _library IN_LIST _linked)
      target_link_libraries(${_program} PRIVATE ${_library})
    endif()
  endforeach()
  set_target_properties(${_program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${PERFLAB_LIMITED} ${_command}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${PERFLAB_TEST_LIMIT} LABELS "${TEST_LABELS}")
endfunction()

# perflab_unsanitized(TEST …): labels tests that perflab_test() will add to this folder.
macro(perflab_unsanitized)
  list(APPEND PERFLAB_UNSANITIZED ${ARGN})
endmacro()

# perflab_unit(OUT): the name of the program of this folder's tests, which the first call adds. The
# list of its tests is known only when CMake has read all of the folder.
function(perflab_unit out)
  file(RELATIVE_PATH _folder ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" _program unit_${_folder})
  set(${out} ${_program} PARENT_SCOPE)
  if(TARGET ${_program})
    return()
  endif()
  set(_lists ${CMAKE_BINARY_DIR}/generated/tests/${_program})
  add_executable(${_program} ${PROJECT_SOURCE_DIR}/tests/unit.c)
  target_compile_options(${_program} PRIVATE -include ${PROJECT_SOURCE_DIR}/tests/unit.h)
  # Only in unit.c, so that a new test compiles no other again.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/unit.c PROPERTIES
    INCLUDE_DIRECTORIES ${_lists})
  file(GENERATE OUTPUT ${_lists}/unit_tests.h
    CONTENT "$<JOIN:$<TARGET_PROPERTY:${_program},UNIT_TESTS>,\n>\n")
endfunction()

# perflab_fuzz(NAME SOURCE … LINKS …): fuzz_NAME replays tests/fuzz/corpus/NAME in builds with
# sanitizers, where a fault shows; with -DPERFLAB_FUZZ=ON (clang) it is a libFuzzer program instead.
function(perflab_fuzz name)
  if(NOT PERFLAB_SANITIZE AND NOT PERFLAB_FUZZ)
    return()
  endif()
  cmake_parse_arguments(FUZZ "" "SOURCE" "LINKS" ${ARGN})
  add_executable(fuzz_${name} ${FUZZ_SOURCE})
  target_link_libraries(fuzz_${name} PRIVATE ${FUZZ_LINKS})
  set_property(GLOBAL APPEND PROPERTY PERFLAB_TEST_PROGRAMS fuzz_${name})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME fuzz_${name}
    COMMAND ${PERFLAB_LIMITED} $<TARGET_FILE:fuzz_${name}> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz_${name} PROPERTIES TIMEOUT ${PERFLAB_TEST_LIMIT})
  if(PERFLAB_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_tests_properties(fuzz_${name} PROPERTIES DISABLED TRUE)
    return()
  endif()
  if(NOT TARGET perflab_fuzz_replay)
    add_library(perflab_fuzz_replay OBJECT ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
    target_link_libraries(perflab_fuzz_replay PRIVATE perflab_flags)
  endif()
  target_link_libraries(fuzz_${name} PRIVATE perflab_fuzz_replay)
endfunction()
