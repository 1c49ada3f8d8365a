# cmake -D PERFLAB=program -D SHARE=folder -P manual.cmake
# Writes man/man1/perflab.1, one page per verb that it lists, and completion for three shells.
function(print_to file)
  execute_process(COMMAND ${PERFLAB} ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE said
    RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR text STREQUAL "")
    message(FATAL_ERROR "perflab ${ARGN} printed nothing (exit ${code}): ${said}")
  endif()
  file(WRITE ${file} "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

print_to(${SHARE}/man/man1/perflab.1 help --man)
string(REGEX REPLACE ".*\n\\.SH VERBS\n(.*)\n\\.SH ENVIRONMENT.*" "\\1" verbs "${text}")
string(REGEX MATCHALL "\\.TP\n\\\\fB[a-z]+" verbs "${verbs}")
foreach(verb ${verbs})
  string(REGEX REPLACE ".*fB" "" verb "${verb}")
  print_to(${SHARE}/man/man1/perflab-${verb}.1 help --man ${verb})
endforeach()
print_to(${SHARE}/bash-completion/completions/perflab completion bash)
print_to(${SHARE}/zsh/site-functions/_perflab completion zsh)
print_to(${SHARE}/fish/vendor_completions.d/perflab.fish completion fish)
