/*
 * Reads the header of each kernel in a PTX text: its name and its parameters. Of a body it looks
 * for textures and surfaces only. The reader is strict: a header that it does not understand is an
 * error, because a wrong parameter size would be a wrong launch.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define PARAMETER_BYTES_LIMIT ((uint64_t)1 << 20)
#define PARAMETERS_LIMIT ((size_t)4096)

static int scan_error(const struct ptx_scan *scan, const char *wanted, struct error *err)
{
	return error_set(err, PL_EPARSE, "line %zu of the PTX: '%.*s' where %s is expected",
			 scan->line, scan->length > 40 ? 40 : (int)scan->length, scan->token,
			 wanted);
}

static int scan_number(uint64_t *out, struct ptx_scan *scan, struct error *err)
{
	char digits[16];

	if (!scan->length || scan->length >= sizeof(digits))
		return scan_error(scan, "a number", err);
	memcpy(digits, scan->token, scan->length);
	digits[scan->length] = '\0';
	if (parse_u64(out, digits, NULL))
		return scan_error(scan, "a number", err);
	ptx_scan_next(scan);
	return 0;
}

static int scan_name(char **out, struct ptx_scan *scan, struct error *err)
{
	if (!scan->length || !ptx_word_byte(*scan->token) || *scan->token == '.' ||
	    isdigit((unsigned char)*scan->token))
		return scan_error(scan, "a name", err);
	*out = xstrndup(scan->token, scan->length);
	ptx_scan_next(scan);
	return 0;
}

/* Reads a type such as ".u32". */
static bool type_read(struct compiled_parameter *out, const struct ptx_scan *scan)
{
	static const struct {
		const char *name;
		struct compiled_parameter is;
	} types[] = {
		{".u8", {PARAMETER_INTEGER, 1, 1}},   {".u16", {PARAMETER_INTEGER, 2, 2}},
		{".u32", {PARAMETER_INTEGER, 4, 4}},  {".u64", {PARAMETER_INTEGER, 8, 8}},
		{".s8", {PARAMETER_INTEGER, 1, 1}},   {".s16", {PARAMETER_INTEGER, 2, 2}},
		{".s32", {PARAMETER_INTEGER, 4, 4}},  {".s64", {PARAMETER_INTEGER, 8, 8}},
		{".f16", {PARAMETER_REAL, 2, 2}},     {".bf16", {PARAMETER_REAL, 2, 2}},
		{".f32", {PARAMETER_REAL, 4, 4}},     {".f64", {PARAMETER_REAL, 8, 8}},
		{".b8", {PARAMETER_BYTES, 1, 1}},     {".b16", {PARAMETER_BYTES, 2, 2}},
		{".b32", {PARAMETER_BYTES, 4, 4}},    {".b64", {PARAMETER_BYTES, 8, 8}},
		{".b128", {PARAMETER_BYTES, 16, 16}}, {".f16x2", {PARAMETER_BYTES, 4, 4}},
		{".bf16x2", {PARAMETER_BYTES, 4, 4}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (ptx_scan_is(scan, types[i].name)) {
			*out = types[i].is;
			return true;
		}
	}
	return false;
}

static int align_read(uint64_t *out, struct ptx_scan *scan, struct error *err)
{
	ptx_scan_next(scan);
	if (scan_number(out, scan, err))
		return PL_EPARSE;
	if (!*out || *out > 128 || (*out & (*out - 1)))
		return error_set(err, PL_EPARSE,
				 "line %zu of the PTX: an alignment is a power of two, at most 128",
				 scan->line);
	return 0;
}

/* ".ptr", a state space and ".align" behind the type describe what a pointer points to. */
static int pointee_skip(struct ptx_scan *scan, struct error *err)
{
	uint64_t ignored;

	if (!ptx_scan_is(scan, ".ptr"))
		return 0;
	ptx_scan_next(scan);
	if (ptx_scan_is(scan, ".global") || ptx_scan_is(scan, ".const") ||
	    ptx_scan_is(scan, ".shared") || ptx_scan_is(scan, ".local") ||
	    ptx_scan_is(scan, ".generic"))
		ptx_scan_next(scan);
	return ptx_scan_is(scan, ".align") ? align_read(&ignored, scan, err) : 0;
}

/* Reads ".param .align 4 .b8 name[24]"; the scan is behind it afterwards. */
static int parameter_read(struct compiled_parameter *out, struct ptx_scan *scan, struct error *err)
{
	uint64_t align = 0, count = 0;
	char *name = NULL;

	if (!ptx_scan_is(scan, ".param"))
		return scan_error(scan, ".param", err);
	ptx_scan_next(scan);
	if (ptx_scan_is(scan, ".align") && align_read(&align, scan, err))
		return PL_EPARSE;
	if (!type_read(out, scan))
		return scan_error(scan, "the type of a parameter", err);
	ptx_scan_next(scan);
	if (pointee_skip(scan, err) || scan_name(&name, scan, err))
		return PL_EPARSE;
	free(name);
	if (align)
		out->align = (size_t)align;
	if (!ptx_scan_is(scan, "["))
		return 0;
	ptx_scan_next(scan);
	if (scan_number(&count, scan, err))
		return PL_EPARSE;
	if (!ptx_scan_is(scan, "]"))
		return scan_error(scan, "']'", err);
	ptx_scan_next(scan);
	if (count > PARAMETER_BYTES_LIMIT)
		return error_set(err, PL_EPARSE,
				 "line %zu of the PTX: a parameter of more than %llu elements",
				 scan->line, (unsigned long long)PARAMETER_BYTES_LIMIT);
	out->class = PARAMETER_BYTES;
	out->bytes *= (size_t)count;
	return 0;
}

static int parameters_read(struct compiled_entry *entry, struct ptx_scan *scan, struct error *err)
{
	size_t capacity = 0;

	ptx_scan_next(scan); /* the '(' */
	if (ptx_scan_is(scan, ")")) {
		ptx_scan_next(scan);
		return 0;
	}
	for (;;) {
		if (entry->parameter_count == PARAMETERS_LIMIT)
			return error_set(
				err, PL_EPARSE,
				"line %zu of the PTX: a kernel of more than %zu parameters",
				scan->line, PARAMETERS_LIMIT);
		entry->parameters = xgrow(entry->parameters, &capacity, entry->parameter_count + 1,
					  sizeof(*entry->parameters));
		if (parameter_read(&entry->parameters[entry->parameter_count], scan, err))
			return PL_EPARSE;
		entry->parameter_count++;
		if (ptx_scan_is(scan, ")"))
			break;
		if (!ptx_scan_is(scan, ","))
			return scan_error(scan, "',' or ')'", err);
		ptx_scan_next(scan);
	}
	ptx_scan_next(scan);
	return 0;
}

/* Reads from behind ".entry" to the '{' of its body, or to the ';' of a declaration. */
static int entry_read(struct entry_list *list, struct ptx_scan *scan, struct error *err)
{
	struct compiled_entry entry = {0};
	int rc;

	rc = scan_name(&entry.name, scan, err);
	if (!rc && ptx_scan_is(scan, "("))
		rc = parameters_read(&entry, scan, err);
	while (!rc && scan->length && !ptx_scan_is(scan, "{") && !ptx_scan_is(scan, ";"))
		ptx_scan_next(scan); /* .maxntid 256, 1, 1 */
	if (!rc && !scan->length)
		rc = error_set(err, PL_EPARSE, "the PTX ends in the header of kernel '%.200s'",
			       entry.name);
	if (rc || ptx_scan_is(scan, ";")) {
		compiled_entry_release(&entry);
		return rc;
	}
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = entry;
	return 0;
}

/* ---- textures ---- */

/* The functions of a file as far as the use of textures goes. */
struct texture_uses {
	bool *calls; /* whether each entry calls a function */
	size_t capacity;
	bool in_entry;  /* the scan is in a kernel, the last of the list */
	bool functions; /* a function that is no kernel uses textures */
};

static bool scan_is_texture_opcode(const struct ptx_scan *scan)
{
	static const char *const opcodes[] = {"tex.",  "tld4.",  "txq.", "suld.",
					      "sust.", "sured.", "suq."};

	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++)
		if (!strncmp(scan->token, opcodes[i], strlen(opcodes[i])))
			return true;
	return false;
}

/* Takes a token within the body of a function. */
static void uses_take(struct texture_uses *uses, struct entry_list *list,
		      const struct ptx_scan *scan)
{
	if (scan_is_texture_opcode(scan)) {
		if (uses->in_entry && list->count)
			list->items[list->count - 1].textures = true;
		uses->functions |= !uses->in_entry;
	} else if (uses->in_entry && list->count &&
		   (ptx_scan_is(scan, "call") || !strncmp(scan->token, "call.", 5))) {
		uses->calls[list->count - 1] = true;
	}
}

/* ---- the text ---- */

int ptx_entries_read(struct entry_list *out, const char *text, struct error *err)
{
	struct ptx_scan scan = {.next = text, .line = 1};
	struct texture_uses uses = {0};
	struct entry_list list = {0};
	bool versioned = false;
	size_t depth = 0;
	int rc = 0;

	*out = list;
	for (ptx_scan_next(&scan); scan.length && !rc;) {
		if (ptx_scan_is(&scan, "{"))
			depth++;
		else if (ptx_scan_is(&scan, "}") && depth)
			depth--;
		else if (!depth && ptx_scan_is(&scan, ".version"))
			versioned = true;
		else if (!depth && ptx_scan_is(&scan, ".func"))
			uses.in_entry = false;
		else if (depth)
			uses_take(&uses, &list, &scan);
		else if (ptx_scan_is(&scan, ".entry")) {
			uses.in_entry = true;
			uses.calls = xgrow(uses.calls, &uses.capacity, list.count + 1,
					   sizeof(*uses.calls));
			uses.calls[list.count] = false;
			ptx_scan_next(&scan);
			rc = entry_read(&list, &scan, err);
			continue; /* at the '{' or ';' */
		}
		ptx_scan_next(&scan);
	}
	for (size_t i = 0; i < list.count; i++)
		list.items[i].textures |= uses.functions && uses.calls[i];
	free(uses.calls);
	if (!rc && !versioned)
		rc = error_set(err, PL_EPARSE, "there is no .version: this is no PTX");
	if (!rc && depth)
		rc = error_set(err, PL_EPARSE, "the PTX ends in the body of a function");
	if (rc)
		entry_list_release(&list);
	else
		*out = list;
	return rc;
}
