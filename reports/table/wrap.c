/* Wraps prose at words. */
#include "reports/table/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"

void wrap_text(struct text *out, size_t indent, const char *head, const char *text, size_t width)
{
	size_t begin = indent + utf8_length(head), column = begin;
	bool first = true;

	if (width == 0)
		width = PROSE_WIDTH;
	text_addf(out, "%*s%s", (int)indent, "", head);
	while (*text) {
		size_t bytes = strcspn(text, " \n");
		char *word = xstrndup(text, bytes);
		size_t length = utf8_length(word);

		if (!first && (column + 1 + length > width || text[-1] == '\n')) {
			text_addf(out, "\n%*s", (int)begin, "");
			column = begin;
		} else if (!first) {
			text_add_char(out, ' ');
			column++;
		}
		text_add(out, word);
		free(word);
		column += length;
		first = false;
		text += bytes;
		text += *text != '\0';
	}
	text_add_char(out, '\n');
}
