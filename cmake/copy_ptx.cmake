# cmake -D FROM=folder -D TO=folder -D ROOT=folder -P copy_ptx.cmake
# Copies the PTX of kernels to the folder where perflab looks for it. Warns of a file that was made
# from another source, because perflab would run the old code of an edited kernel.
file(GLOB_RECURSE all RELATIVE ${FROM} ${FROM}/*.ptx)
foreach(name ${all})
  # these lines are the first ones of the file
  file(STRINGS ${FROM}/${name} lines LIMIT_INPUT 8192 REGEX "^// perflab: source [^ ]+ [0-9a-f]+$")
  set(changed "")
  foreach(line ${lines})
    string(REGEX MATCH "source ([^ ]+) ([0-9a-f]+)" _ "${line}")
    set(source ${CMAKE_MATCH_1})
    set(kept ${CMAKE_MATCH_2})
    if(NOT DEFINED hash_of_${source})
      set(hash_of_${source} "")
      if(EXISTS ${ROOT}/${source})
        file(SHA256 ${ROOT}/${source} hash_of_${source})
      endif()
    endif()
    if(NOT hash_of_${source} STREQUAL kept)
      string(APPEND changed " ${source}")
    endif()
  endforeach()
  if(changed)
    message("warning: ${name} was made of another${changed}: perflab runs the old code until "
      "scripts/make-ptx makes it anew")
  endif()
  configure_file(${FROM}/${name} ${TO}/${name} COPYONLY)
endforeach()
