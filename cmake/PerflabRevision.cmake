# Writes the revision of the source tree to a header, "-dirty" behind it if tracked files differ from
# it, and "" where the tree is none of git's. The file is left alone when that is in it already, so
# that a commit compiles one file anew.
#   cmake -DGIT=… -DSOURCE=… -DHEADER=… -P PerflabRevision.cmake
set(_revision "")
set(ENV{GIT_OPTIONAL_LOCKS} 0) # a build must not block a concurrent commit
if(GIT)
  # an unpacked archive may lie in a tree of somebody else's
  execute_process(COMMAND ${GIT} ls-files --error-unmatch CMakeLists.txt
    WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE _foreign OUTPUT_QUIET ERROR_QUIET)
  if(_foreign EQUAL 0)
    execute_process(COMMAND ${GIT} rev-parse --verify --quiet HEAD WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE _revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} status --porcelain --untracked-files=no
      WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE _changes ERROR_QUIET)
    if(_revision AND _changes)
      string(APPEND _revision "-dirty")
    endif()
  endif()
endif()
set(_text "/* Written by cmake/PerflabRevision.cmake. */\n#define PERFLAB_SOURCE_REVISION \"${_revision}\"\n")
set(_before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} _before)
endif()
if(NOT _before STREQUAL _text)
  file(WRITE ${HEADER} "${_text}")
endif()
