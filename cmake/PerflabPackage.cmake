# Install rules and the relocatable archive. `cpack -G TGZ` in the build folder makes
# perflab-VERSION-linux-MACHINE.tar.gz. Its programs run from any folder and need only libc
# (tests/scripts/package.sh).
set(_programs)
foreach(_program perflab perflab-worker-cuda perflab-worker-ptx perflab-nvrtc)
  if(TARGET ${_program})
    list(APPEND _programs ${_program})
  endif()
endforeach()
if(_programs)
  install(TARGETS ${_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Kernel images: programs look for them in ../share/perflab beside bin/.
if(PERFLAB_CUDA)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/perflab/kernels DESTINATION share/perflab
    FILES_MATCHING PATTERN "*.cubin" PATTERN "*.ptx")
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/perflab/libraries DESTINATION share/perflab OPTIONAL
    FILES_MATCHING PATTERN "*.so")
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

# Installs the documents with everything that they link to, so that no link is dead.
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY studies DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.study")

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
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME perflab)
set(CPACK_PACKAGE_VENDOR "the perflab authors")
set(CPACK_PACKAGE_FILE_NAME perflab-${PROJECT_VERSION}-${_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
