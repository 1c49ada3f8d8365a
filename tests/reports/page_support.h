/* Writes the JSON of a page and reads it back. */
#ifndef TESTS_REPORTS_PAGE_SUPPORT_H
#define TESTS_REPORTS_PAGE_SUPPORT_H

#include <jansson.h>

#include "reports/page/page.h"

/* Text that would end a script, or a line of a script, if it were not escaped. */
#define SCRIPT_END "</script><!--&\xe2\x80\xa8\xe2\x80\xa9"

/* The data of the page. Checks that no text in it can end an element. The caller releases it. */
json_t *page_of(const struct run *run, const struct report_options *options);
/* The value at a path of member names and "#i" for index i. It must exist. */
json_t *at(json_t *value, const char *path);
/* The word whose index is at the path. */
const char *word_at(json_t *root, const char *path);

#endif
