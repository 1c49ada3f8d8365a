/*
 * The variables of an image: those that PTX or a cubin declares in global and constant memory, and
 * which of them a name means.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "compile/compile_parts.h"

#define VARIABLES_SHOWN 20

/* Takes the name of a declaration such as ".const .align 4 .b8 table[64] = {…};". The scan is at
 * ".const", and behind the name afterwards. */
static void ptx_variable_take(struct string_list *out, struct ptx_scan *scan)
{
	bool number = false; /* the next token is one */

	do {
		number = ptx_scan_is(scan, ".align");
		ptx_scan_next(scan);
		if (ptx_scan_is(scan, "(")) /* .attribute(.managed) */
			while (scan->length && !ptx_scan_is(scan, ")"))
				ptx_scan_next(scan);
	} while (scan->length && (number || *scan->token == '.' || *scan->token == ')'));
	/* "$str" is a text of the compiler */
	if (!scan->length || (!isalpha((unsigned char)*scan->token) && *scan->token != '_'))
		return;
	string_list_add_bytes(out, scan->token, scan->length);
	ptx_scan_next(scan);
}

void ptx_variables_read(struct string_list *out, const char *text)
{
	struct ptx_scan scan = {.next = text, .line = 1};
	size_t depth = 0; /* of braces and parentheses: bodies, initial values and parameters */

	for (ptx_scan_next(&scan); scan.length;) {
		if (ptx_scan_is(&scan, "{") || ptx_scan_is(&scan, "("))
			depth++;
		else if (depth && (ptx_scan_is(&scan, "}") || ptx_scan_is(&scan, ")")))
			depth--;
		else if (!depth &&
			 (ptx_scan_is(&scan, ".global") || ptx_scan_is(&scan, ".const"))) {
			ptx_variable_take(out, &scan);
			continue;
		}
		ptx_scan_next(&scan);
	}
}

int compiled_variables_read(struct compiled *compiled, struct error *err)
{
	const char *path = compiled->ptx ? compiled->ptx : compiled->cubin;
	char *bytes = NULL;
	size_t length;
	int rc;

	if (compiled->variables_read)
		return 0;
	rc = read_file(&bytes, &length, path, COMPILE_IMAGE_LIMIT, err);
	if (!rc && compiled->ptx)
		ptx_variables_read(&compiled->variables, bytes);
	else if (!rc)
		rc = cubin_variables_read(&compiled->variables, bytes, length, err);
	free(bytes);
	compiled->variables_read = !rc;
	return rc;
}

/* Lists the variables that match `wanted` as well as that, with their names in the image; or for 0
 * all, without. */
static void variables_list(struct text *out, const struct string_list *variables,
			   const char *wanted, int match)
{
	struct text plain = TEXT_INIT;
	size_t shown = 0;

	for (size_t i = 0; i < variables->count && shown <= VARIABLES_SHOWN; i++) {
		const char *name = variables->items[i];

		if (match && image_name_match(name, wanted) < match)
			continue;
		if (shown++ == VARIABLES_SHOWN) {
			text_add(out, ", …");
			break;
		}
		mangled_plain_name(&plain, name);
		text_addf(out, "%s%.200s", shown > 1 ? ", " : "", plain.data);
		if (match && strcmp(plain.data, name) != 0)
			text_addf(out, " (%.200s)", name);
	}
	text_release(&plain);
}

int compiled_variable_find(const char **name, const struct compiled *compiled, const char *wanted,
			   struct error *err)
{
	const struct string_list *variables = &compiled->variables;
	struct text list = TEXT_INIT;
	struct name_choice choice = {0};
	int rc = 0;

	for (size_t i = 0; i < variables->count; i++)
		name_choice_take(&choice, i, variables->items[i], wanted);
	if (choice.found)
		*name = variables->items[choice.index];
	if (choice.found == 1)
		return 0;
	variables_list(&list, variables, wanted, choice.match);
	if (choice.found)
		rc = error_set(err, PL_EUSAGE,
			       "'%.200s' may be any of %zu variables: write the whole name, or the "
			       "one in parentheses, of the one that you want: %s",
			       wanted, choice.found, list.data);
	else
		rc = error_set(
			err, PL_ENOENT, "there is no variable '%.200s' in the image%s%s", wanted,
			list.length ? "; it has: "
				    : ", and no other: the compiler leaves out those that no "
				      "kernel uses",
			list.data);
	text_release(&list);
	return rc;
}
