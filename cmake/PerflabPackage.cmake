# Install rules and the relocatable archive: `cpack -G TGZ` in the build folder
# makes perflab-VERSION-linux-MACHINE.tar.gz, whose programs run from wherever it
# is unpacked and need nothing but libc there (tests/scripts/package.sh).
set(_programs)
foreach(_program perflab perflab-worker-cuda perflab-worker-ptx)
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
endif()

# The manual page and the completion are printed by the program, from its own tables.
if(TARGET perflab AND NOT CMAKE_CROSSCOMPILING)
  set(_manual ${CMAKE_BINARY_DIR}/share/man/man1/perflab.1)
  set(_completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/perflab)
  foreach(_file ${_manual} ${_completion})
    get_filename_component(_folder ${_file} DIRECTORY)
    file(MAKE_DIRECTORY ${_folder})
  endforeach()
  add_custom_command(OUTPUT ${_manual} ${_completion}
    COMMAND perflab help --man > ${_manual}
    COMMAND perflab help --completion bash > ${_completion}
    DEPENDS perflab COMMENT "Manual page and completion" VERBATIM)
  add_custom_target(perflab_manual ALL DEPENDS ${_manual} ${_completion})
  install(FILES ${_manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")

string(TOLOWER ${CMAKE_SYSTEM_NAME} _system)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME perflab)
set(CPACK_PACKAGE_VENDOR "the perflab authors")
set(CPACK_PACKAGE_FILE_NAME perflab-${PROJECT_VERSION}-${_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
