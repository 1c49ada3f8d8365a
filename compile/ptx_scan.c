/* The tokens of a PTX text, and the bounds of its declarations. */
#include <ctype.h>
#include <stdlib.h>
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

/* ---- bounds ---- */

/* PTX of a few bytes for which ptxas or the driver would take gigabytes is refused. */
#define MOST_NAMES (1 << 20)
#define MOST_ALIGNMENT (1 << 20)
#define MOST_CONSTANTS (1 << 20) /* no GPU has so much constant memory */
#define MOST_INITIAL (1 << 26)

/* A declaration as far as it is read. */
struct declaration {
	bool constant;
	uint64_t elements; /* of its array; 0: it is none yet */
};

static bool number_read(uint64_t *number, const struct ptx_scan *scan)
{
	if (!isdigit((unsigned char)*scan->token))
		return false;
	*number = strtoull(scan->token, NULL, 0);
	return true;
}

static int bound_check(const struct ptx_scan *scan, uint64_t number, uint64_t most,
		       const char *what, struct error *err)
{
	if (number <= most)
		return 0;
	return error_set(err, PL_EPARSE, "line %zu: %llu %s, but at most %llu can be compiled",
			 scan->line, (unsigned long long)number, what, (unsigned long long)most);
}

/* Behind "[": one more dimension of an array, or an address. */
static void dimension_add(struct declaration *in, const struct ptx_scan *scan)
{
	uint64_t number;

	if (!number_read(&number, scan))
		return;
	if (!in->elements)
		in->elements = 1;
	if (__builtin_mul_overflow(in->elements, number, &in->elements))
		in->elements = UINT64_MAX;
}

static int token_check(struct declaration *in, struct ptx_scan *scan, struct error *err)
{
	uint64_t number;

	if (ptx_scan_is(scan, ";")) {
		*in = (struct declaration){0};
	} else if (ptx_scan_is(scan, ".const")) {
		in->constant = true;
	} else if (ptx_scan_is(scan, ".align")) {
		ptx_scan_next(scan);
		if (number_read(&number, scan))
			return bound_check(scan, number, MOST_ALIGNMENT, "bytes of alignment", err);
	} else if (ptx_scan_is(scan, "<")) { /* .reg .b32 %r<100>; */
		ptx_scan_next(scan);
		if (number_read(&number, scan))
			return bound_check(scan, number, MOST_NAMES, "names in a declaration", err);
	} else if (ptx_scan_is(scan, "[")) {
		ptx_scan_next(scan);
		dimension_add(in, scan);
		if (in->constant)
			return bound_check(scan, in->elements, MOST_CONSTANTS,
					   "elements in constant memory", err);
	} else if (ptx_scan_is(scan, "=")) {
		return bound_check(scan, in->elements, MOST_INITIAL,
				   "elements of an array with initial values", err);
	}
	return 0;
}

int ptx_bounds_check(const char *text, struct error *err)
{
	struct ptx_scan scan = {.next = text, .line = 1};
	struct declaration in = {0};
	int rc = 0;

	for (ptx_scan_next(&scan); scan.length && !rc; ptx_scan_next(&scan))
		rc = token_check(&in, &scan, err);
	return rc;
}
