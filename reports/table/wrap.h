/* Prose below and between tables. */
#ifndef REPORTS_TABLE_WRAP_H
#define REPORTS_TABLE_WRAP_H

#include "base/base.h"

#define PROSE_WIDTH 100 /* if the stream is not a terminal */

/* Appends `indent` blanks, `head` and the words of `text`, wrapped at `width` characters. Further
 * lines start below the first word. `width` 0: PROSE_WIDTH. The text must be escaped. */
void wrap_text(struct text *out, size_t indent, const char *head, const char *text, size_t width);

#endif
