# Finds the CUDA toolkit. Without a toolkit, everything except the CUDA worker builds.
# PERFLAB_CUDA: TRUE if nvcc, cuda.h and the headers of CUPTI and NVTX were found.
set(PERFLAB_CUDA_ROOT "" CACHE PATH "CUDA toolkit; empty: CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda")
option(PERFLAB_WITH_CUDA "Build the CUDA worker when a toolkit is found" ON)
set(PERFLAB_CUDA_ARCHITECTURES "90" CACHE STRING
  "Compute capabilities to compile kernels for (other GPUs compile the PTX at load)")
set(PERFLAB_CUDA_IMAGES "" CACHE PATH
  "Build folder whose images of device code are copied instead of compiled again; empty: compile")

set(PERFLAB_CUDA FALSE)
set(PERFLAB_CUDA_WHY_NOT "")
if(NOT PERFLAB_WITH_CUDA)
  set(PERFLAB_CUDA_WHY_NOT "configured with PERFLAB_WITH_CUDA=OFF")
else()
  set(_cuda_hints ${PERFLAB_CUDA_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda)
  find_program(PERFLAB_NVCC nvcc HINTS ${_cuda_hints} PATH_SUFFIXES bin)
  if(PERFLAB_NVCC)
    get_filename_component(_nvcc_real ${PERFLAB_NVCC} REALPATH)
    get_filename_component(_nvcc_root ${_nvcc_real}/../.. ABSOLUTE)
    list(INSERT _cuda_hints 0 ${_nvcc_root})
  endif()
  find_path(PERFLAB_CUDA_INCLUDE cuda.h HINTS ${_cuda_hints} PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(PERFLAB_CUPTI_INCLUDE cupti_range_profiler.h HINTS ${_cuda_hints}
    PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include)
  find_path(PERFLAB_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${_cuda_hints}
    PATH_SUFFIXES include targets/x86_64-linux/include)
  foreach(_need NVCC CUDA_INCLUDE CUPTI_INCLUDE NVTX_INCLUDE)
    if(NOT PERFLAB_${_need})
      string(APPEND PERFLAB_CUDA_WHY_NOT "${_need} not found; ")
    endif()
  endforeach()
  if(NOT PERFLAB_CUDA_WHY_NOT)
    set(PERFLAB_CUDA TRUE)
    file(STRINGS ${PERFLAB_CUDA_INCLUDE}/cuda.h _version REGEX "^#define CUDA_VERSION ")
    string(REGEX REPLACE ".* ([0-9]+)$" "\\1" _version "${_version}")
    math(EXPR _major "${_version} / 1000")
    math(EXPR _minor "(${_version} % 1000) / 10")
    set(PERFLAB_CUDA_VERSION "${_major}.${_minor}")
  endif()
endif()
if(PERFLAB_CUDA)
  message(STATUS "CUDA worker: yes (toolkit ${PERFLAB_CUDA_VERSION}, ${PERFLAB_NVCC})")
else()
  message(STATUS "CUDA worker: no (${PERFLAB_CUDA_WHY_NOT})")
endif()

# The architectures of a .cu: machine code for each architecture in the list that it supports, PTX
# for the lowest. A line "// perflab: needs sm_80" in the file means sm_80 and every later GPU;
# "sm_90a" means only that one.
function(_perflab_architectures source machine_code ptx)
  file(STRINGS ${source} _needs REGEX "^// perflab: needs sm_[0-9]+a?$" LIMIT_COUNT 1)
  set(_least 75)
  if(_needs)
    string(REGEX REPLACE ".*sm_" "" _least "${_needs}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endif()
  set(_archs)
  if(_least MATCHES "a$")
    set(_archs ${_least})
  else()
    foreach(_arch ${PERFLAB_CUDA_ARCHITECTURES})
      if(NOT _arch LESS _least)
        list(APPEND _archs ${_arch})
      endif()
    endforeach()
  endif()
  set(${machine_code} ${_archs} PARENT_SCOPE)
  set(${ptx} ${_least} PARENT_SCOPE)
endfunction()

# perflab_cuda_images(TARGET ROOT FAMILY/NAME …): compiles ROOT/FAMILY/NAME.cu to
# build/share/perflab/kernels/FAMILY/NAME.sm_XX.cubin for each architecture and NAME.ptx. The PTX
# between a source and its cubin stays in build/ptx/: kernels_ptx_same_text compares it with the
# tree.
function(perflab_cuda_images target root)
  if(PERFLAB_CUDA_IMAGES)
    perflab_copied_images(${target} share/perflab/kernels)
    return()
  endif()
  get_filename_component(_tools ${PERFLAB_NVCC} REALPATH)
  get_filename_component(_tools ${_tools} DIRECTORY)
  set(_outputs)
  foreach(_image ${ARGN})
    set(_source ${root}/${_image}.cu)
    file(RELATIVE_PATH _relative ${PROJECT_SOURCE_DIR} ${_source})
    set(_stem ${CMAKE_BINARY_DIR}/share/perflab/kernels/${_image})
    set(_between ${CMAKE_BINARY_DIR}/ptx/${_image})
    foreach(_file ${_stem} ${_between})
      get_filename_component(_folder ${_file} DIRECTORY)
      file(MAKE_DIRECTORY ${_folder})
    endforeach()
    get_filename_component(_family ${_source} DIRECTORY)
    file(GLOB _headers CONFIGURE_DEPENDS ${_family}/*.cuh)
    _perflab_architectures(${_source} _machine_code _ptx)
    foreach(_arch ${_machine_code})
      # nvcc -cubin runs the same two commands and gives the same bytes. They run in the source
      # folder, as in scripts/make-ptx, so that __FILE__ contains no folder of this machine.
      add_custom_command(OUTPUT ${_stem}.sm_${_arch}.cubin
        BYPRODUCTS ${_between}.sm_${_arch}.ptx ${_between}.sm_${_arch}.ptx.d
        COMMAND ${PERFLAB_NVCC} -ptx -arch=compute_${_arch} -lineinfo -std=c++17 -O3
                -I. -MMD -MF ${_between}.sm_${_arch}.ptx.d
                -o ${_between}.sm_${_arch}.ptx ${_relative}
        COMMAND ${_tools}/ptxas -arch=sm_${_arch} -m64 --generate-line-info
                -o ${_stem}.sm_${_arch}.cubin ${_between}.sm_${_arch}.ptx
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        DEPENDS ${_source} ${_headers} COMMENT "nvcc ${_image} sm_${_arch}" VERBATIM)
      list(APPEND _outputs ${_stem}.sm_${_arch}.cubin)
    endforeach()
    add_custom_command(OUTPUT ${_stem}.ptx
      COMMAND ${PERFLAB_NVCC} -ptx -arch=compute_${_ptx} -std=c++17 -O3
              -I. -o ${_stem}.ptx ${_relative}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      DEPENDS ${_source} ${_headers} COMMENT "nvcc ${_image} ptx" VERBATIM)
    list(APPEND _outputs ${_stem}.ptx)
  endforeach()
  add_custom_target(${target} ALL DEPENDS ${_outputs})
endfunction()

# perflab_copied_images(TARGET FOLDER): copies FOLDER from the build that PERFLAB_CUDA_IMAGES names.
function(perflab_copied_images target folder)
  add_custom_target(${target} ALL
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PERFLAB_CUDA_IMAGES}/${folder} ${CMAKE_BINARY_DIR}/${folder}
    COMMENT "Copying ${folder} from another build" VERBATIM)
  # One after the other: two targets may copy the same folder.
  get_property(_before GLOBAL PROPERTY perflab_last_copy)
  if(_before)
    add_dependencies(${target} ${_before})
  endif()
  set_property(GLOBAL PROPERTY perflab_last_copy ${target})
endfunction()
