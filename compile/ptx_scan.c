/* The tokens of a PTX text. */
#include <ctype.h>
#include <string.h>

#include "compile/compile_parts.h"

bool ptx_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static const char *skip_comment(struct ptx_scan *scan, const char *c)
{
	if (c[1] == '/')
		return c + strcspn(c, "\n");
	for (c += 2; *c && (c[0] != '*' || c[1] != '/'); c++) {
		if (*c == '\n')
			scan->line++;
	}
	return *c ? c + 2 : c;
}

static const char *skip_quoted(struct ptx_scan *scan, const char *c)
{
	for (c++; *c && *c != '"'; c++) {
		if (*c == '\n')
			scan->line++;
		if (*c == '\\' && c[1])
			c++;
	}
	return *c ? c + 1 : c;
}

void ptx_scan_next(struct ptx_scan *scan)
{
	const char *c = scan->next;

	for (;;) {
		while (isspace((unsigned char)*c)) {
			if (*c == '\n')
				scan->line++;
			c++;
		}
		if (c[0] != '/' || (c[1] != '/' && c[1] != '*'))
			break;
		c = skip_comment(scan, c);
	}
	scan->token = c;
	if (*c == '"')
		c = skip_quoted(scan, c);
	else if (ptx_word_byte(*c))
		while (ptx_word_byte(*c))
			c++;
	else if (*c)
		c++;
	scan->length = (size_t)(c - scan->token);
	scan->next = c;
}

bool ptx_scan_is(const struct ptx_scan *scan, const char *token)
{
	return scan->length == strlen(token) && !memcmp(scan->token, token, scan->length);
}
