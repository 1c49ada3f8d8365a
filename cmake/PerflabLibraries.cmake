# Libraries that are linked into the programs. Static archives are preferred, so that an installed
# perflab needs only libc.
function(perflab_static_library target name header package)
  find_path(${target}_INCLUDE ${header})
  find_library(${target}_LIBRARY NAMES lib${name}.a ${name})
  if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR "${header} or lib${name} not found: install ${package}, or run scripts/quickstart")
  endif()
  add_library(${target} UNKNOWN IMPORTED)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${${target}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${${target}_INCLUDE})
endfunction()

find_package(Threads REQUIRED)
perflab_static_library(perflab_sqlite sqlite3 sqlite3.h libsqlite3-dev)
target_link_libraries(perflab_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
perflab_static_library(perflab_jansson jansson jansson.h libjansson-dev)
perflab_static_library(perflab_xxhash xxhash xxhash.h libxxhash-dev)
perflab_static_library(perflab_sodium sodium sodium.h libsodium-dev)
perflab_static_library(perflab_zstd zstd zstd.h libzstd-dev)
perflab_static_library(perflab_lz4 lz4 lz4.h liblz4-dev)
