# Build type, warnings, sanitizers and output folders.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

option(BUILD_TESTING "Build the tests" ON)
option(PERFLAB_WERROR "Warnings are errors" ON)
set(PERFLAB_SANITIZE "" CACHE STRING "Sanitizers for every target, such as address,undefined")
option(PERFLAB_ONLY_UNTRUSTED "Leave out the tests that are labelled unsanitized" OFF)
option(PERFLAB_GPU_TESTS "Build the tests that are skipped without a GPU" ON)
option(PERFLAB_AVX2 "Build the emulator for AVX2, too, on x86-64" ON)
option(PERFLAB_FUZZ "Build the libFuzzer targets (clang); without it they only replay their corpus" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# One interface target carries the flags to every module.
add_library(perflab_flags INTERFACE)
target_include_directories(perflab_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(perflab_flags INTERFACE _GNU_SOURCE)
target_compile_options(perflab_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wformat=2 -Wno-format-nonliteral -fno-common -ffp-contract=off)
if(PERFLAB_WERROR)
  target_compile_options(perflab_flags INTERFACE -Werror)
endif()
if(PERFLAB_SANITIZE)
  target_compile_options(perflab_flags INTERFACE
    -fsanitize=${PERFLAB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(perflab_flags INTERFACE -fsanitize=${PERFLAB_SANITIZE})
endif()
if(PERFLAB_FUZZ)
  target_compile_options(perflab_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
