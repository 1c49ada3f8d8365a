# cmake -D PTX=file -D COPY=file -D ROOT=folder -P copy_ptx.cmake
# Copies a kernel's PTX to the folder where the emulator looks for it. Warns if the PTX was made
# from another source, because the emulator would run the old code of an edited kernel.
file(STRINGS ${PTX} lines REGEX "^// perflab: source [^ ]+ [0-9a-f]+$")
set(changed "")
foreach(line ${lines})
  string(REGEX MATCH "source ([^ ]+) ([0-9a-f]+)" _ "${line}")
  set(source ${CMAKE_MATCH_1})
  set(kept ${CMAKE_MATCH_2})
  set(hash "")
  if(EXISTS ${ROOT}/${source})
    file(SHA256 ${ROOT}/${source} hash)
  endif()
  if(NOT hash STREQUAL kept)
    string(APPEND changed " ${source}")
  endif()
endforeach()
if(changed)
  file(RELATIVE_PATH name ${ROOT} ${PTX})
  message("warning: ${name} was made of another${changed}: the emulator runs the old code until "
    "scripts/make-ptx makes it anew")
endif()
configure_file(${PTX} ${COPY} COPYONLY)
file(TOUCH ${COPY})
