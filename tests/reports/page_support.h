/* The JSON of a page, written and read again. */
#ifndef TESTS_REPORTS_PAGE_SUPPORT_H
#define TESTS_REPORTS_PAGE_SUPPORT_H

#include <jansson.h>

#include "reports/page/page.h"

/* What would end a script, or a line of one, if it stood in it as it is. */
#define SCRIPT_END "</script><!--&\xe2\x80\xa8\xe2\x80\xa9"

/* What the page is given of the run; no text of it can end an element. The caller releases it. */
json_t *page_of(const struct run *run, const struct report_options *options);
/* root.a.b… by names; [i] by "#i". There must be one. */
json_t *at(json_t *value, const char *path);
/* The word of root's whose number stands there. */
const char *word_at(json_t *root, const char *path);

#endif
