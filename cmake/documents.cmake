# cmake -D FROM=source-tree -D TO=folder -P documents.cmake
# Copies the documents that users read, and what they link to. Those about perflab's own code and
# results stay in the source tree; links to them become plain text.
set(developer "CONTRIBUTING|architecture|adding-a-kernel|recorder-events")
file(GLOB documents RELATIVE ${FROM} ${FROM}/README.md ${FROM}/docs/*.md)
list(FILTER documents EXCLUDE REGEX "(${developer})\\.md$")
file(REMOVE_RECURSE ${TO})
foreach(document ${documents})
  file(READ ${FROM}/${document} text)
  # whole lines: pictures, and the rows of the README that list such documents only
  string(REGEX REPLACE "!\\[[^]]*\\]\\([^)]*results/[^)]*\\)\n" "" text "${text}")
  string(REGEX REPLACE "\n\\| (Change|See results) \\|[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\([^)]*(results/|(${developer})\\.md)[^)]*\\)" "\\1" text "${text}")
  file(WRITE ${TO}/${document} "${text}")
endforeach()
file(COPY ${FROM}/docs/examples ${FROM}/docs/ci ${FROM}/docs/pictures DESTINATION ${TO}/docs)
file(COPY ${FROM}/studies DESTINATION ${TO} FILES_MATCHING PATTERN "*.study")
