# Install rules and packages. scripts/package makes perflab_VERSION_amd64.deb and
# perflab-VERSION-linux-MACHINE.tar.gz. The programs of the archive run from any folder; both need
# only libc (tests/scripts/package.sh).
set(_programs)
foreach(_program perflab perflab-worker-cuda perflab-worker-ptx perflab-nvrtc)
  if(TARGET ${_program})
    list(APPEND _programs ${_program})
  endif()
endforeach()
if(_programs)
  install(TARGETS ${_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Programs look for these in ../share/perflab beside bin/: the device code of the CUDA worker, and the
# PTX of the kernels.
if(PERFLAB_CUDA)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/perflab/libraries DESTINATION share/perflab
    FILES_MATCHING PATTERN "*.so" PATTERN "*.fatbin")
endif()
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/perflab/ptx DESTINATION share/perflab
  FILES_MATCHING PATTERN "*.ptx")
# Studies: programs look for them in ../share/perflab/studies beside bin/.
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/perflab/studies DESTINATION share/perflab
  FILES_MATCHING PATTERN "*.study")
# Headers for NVRTC: some have no ending.
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/perflab/nvrtc DESTINATION share/perflab)

# The program prints its manual pages and shell completion from its own tables.
if(TARGET perflab AND NOT CMAKE_CROSSCOMPILING)
  set(_stamp ${CMAKE_BINARY_DIR}/share/man/manual.stamp)
  add_custom_command(OUTPUT ${_stamp}
    COMMAND ${CMAKE_COMMAND} -D PERFLAB=$<TARGET_FILE:perflab> -D SHARE=${CMAKE_BINARY_DIR}/share
            -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${_stamp}
    DEPENDS perflab perflab_studies cmake/manual.cmake COMMENT "Manual pages and completion" VERBATIM)
  add_custom_target(perflab_manual ALL DEPENDS ${_stamp})
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/bash-completion ${CMAKE_BINARY_DIR}/share/zsh
    ${CMAKE_BINARY_DIR}/share/fish
    DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()

# The documents that users read. Links to the others become plain text.
set(_documents ${CMAKE_BINARY_DIR}/documents)
add_custom_target(perflab_documents ALL
  COMMAND ${CMAKE_COMMAND} -D FROM=${PROJECT_SOURCE_DIR} -D TO=${_documents}
          -P ${PROJECT_SOURCE_DIR}/cmake/documents.cmake
  COMMENT "" VERBATIM)
install(DIRECTORY ${_documents}/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright) # where Debian has it

# For schedulers and launchers: docs/cluster.md.
install(PROGRAMS scripts/slurm/sweep.sbatch scripts/slurm/merge.sbatch scripts/mpi-rank
  DESTINATION share/perflab/cluster)
install(FILES scripts/reframe/perflab_check.py DESTINATION share/perflab/cluster)

# The Python module: to be copied, or installed with pip from this folder.
install(FILES python/perflab.py python/perflab_build.py python/pyproject.toml DESTINATION share/perflab/python)

# Installs the source of the kernels, which `report --lines` shows.
install(DIRECTORY kernels DESTINATION share/perflab/source
  FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN "generated" EXCLUDE)

string(TOLOWER ${CMAKE_SYSTEM_NAME} _system)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME perflab)
set(CPACK_PACKAGE_VENDOR "the perflab authors")
set(CPACK_PACKAGE_FILE_NAME perflab-${PROJECT_VERSION}-${_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_CONTACT "the perflab authors <perflab@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "sqlite3, gnuplot-nox, python3")
# What the programs need of libc is what the libc of this machine gives them. dpkg-shlibdeps knows.
find_program(PERFLAB_SHLIBDEPS dpkg-shlibdeps)
if(PERFLAB_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libc6)
endif()
include(CPack)
