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

# perflab_test(NAME SOURCES … LINKS … [LABELS …]): a cmocka program, run by ctest as NAME.
function(perflab_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(test_${name} ${TEST_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${TEST_LINKS} perflab_cmocka)
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${PERFLAB_LIMITED} $<TARGET_FILE:test_${name}>
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${PERFLAB_TEST_LIMIT} LABELS "${TEST_LABELS}")
endfunction()

# perflab_fuzz(NAME SOURCE … LINKS …): fuzz_NAME replays tests/fuzz/corpus/NAME in every test
# run; with -DPERFLAB_FUZZ=ON (clang) it is a libFuzzer program instead.
function(perflab_fuzz name)
  cmake_parse_arguments(FUZZ "" "SOURCE" "LINKS" ${ARGN})
  add_executable(fuzz_${name} ${FUZZ_SOURCE})
  target_link_libraries(fuzz_${name} PRIVATE ${FUZZ_LINKS})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(PERFLAB_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
  endif()
  add_test(NAME fuzz_${name}
    COMMAND ${PERFLAB_LIMITED} $<TARGET_FILE:fuzz_${name}> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz_${name} PROPERTIES TIMEOUT ${PERFLAB_TEST_LIMIT})
  if(PERFLAB_FUZZ)
    set_tests_properties(fuzz_${name} PROPERTIES DISABLED TRUE)
  endif()
endfunction()
