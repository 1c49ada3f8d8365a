/* The arguments of a launch: buffers, expressions, numbers with a type, structs. */
#include <ctype.h>
#include <string.h>

#include "kernels/user/annotation_lets.h"
#include "kernels/user/annotation_words.h"

/* Structs within structs, and the fields of all of them. */
#define STRUCT_MOST_DEPTH 8
#define STRUCT_MOST_FIELDS 8192
/* The largest alignment of a parameter in PTX. */
#define STRUCT_MOST_ALIGN 128

/* An argument that is being parsed, with what its structs have so far. */
struct argument_parse {
	struct annotation_scan *scan;
	size_t depth, fields, bytes;
};

/* A decimal number with a point or an exponent, and at the end an optional f: its length without
 * the f; 0 for anything else. */
static size_t real_literal_length(const char *text)
{
	size_t length = strspn(text, "+-");
	size_t digits = strspn(text + length, "0123456789.");
	bool real = memchr(text + length, '.', digits) != NULL;

	if (length > 1 || !digits)
		return 0;
	length += digits;
	if (text[length] == 'e' || text[length] == 'E') {
		real = true;
		length++;
		length += text[length] == '+' || text[length] == '-';
		length += strspn(text + length, "0123456789");
	}
	if (!real || strcmp(text + length + (text[length] == 'f' || text[length] == 'F'), ""))
		return 0;
	return length;
}

/* C allows ".5" and "2."; parse_double() needs digits on both sides of the point. */
static int parse_real(struct annotation_scan *scan, struct kernel_arg *out, const char *text)
{
	size_t length = real_literal_length(text);
	struct text number = TEXT_INIT;
	double value;

	for (size_t i = *text == '+'; i < length; i++) {
		if (text[i] == '.' && (i == 0 || !isdigit((unsigned char)text[i - 1])))
			text_add_char(&number, '0');
		text_add_char(&number, text[i]);
		if (text[i] == '.' && !isdigit((unsigned char)text[i + 1]))
			text_add_char(&number, '0');
	}
	out->value = pool_take(scan->pool, &number);
	return parse_double(&value, out->value, NULL)
		       ? scan_error(scan, "\"%.60s\" is not a finite decimal number", text)
		       : 0;
}

/* Counts bytes that are written out, so that a short text does not become a large one. */
static int count_struct_bytes(struct argument_parse *parse, const char *text, uint64_t count)
{
	if (count <= ARG_MOST_BYTES && (parse->bytes += count) <= ARG_MOST_BYTES)
		return 0;
	return scan_error(parse->scan,
			  "%.60s: more than %d bytes, and a kernel takes at most as many", text,
			  ARG_MOST_BYTES);
}

static int parse_bytes(struct argument_parse *parse, struct kernel_arg *out, const char *text)
{
	struct annotation_scan *scan = parse->scan;
	struct text digits = TEXT_INIT;
	int rc = 0;

	for (const char *c = text; *c && !rc; c++) {
		if (isxdigit((unsigned char)*c))
			text_add_char(&digits, (char)tolower((unsigned char)*c));
		else if (*c != ' ' && *c != '\t')
			rc = scan_error(scan,
					"bytes(%.60s): \"%.1s\" is not a hex digit; write two "
					"hex digits per byte",
					text, c);
	}
	if (!rc && (digits.length == 0 || digits.length % 2))
		rc = scan_error(scan, "bytes(%.60s) has %zu hex digits; write two per byte", text,
				digits.length);
	if (!rc)
		rc = count_struct_bytes(parse, "bytes(…)", digits.length / 2);
	*out = (struct kernel_arg){.kind = ARG_BYTES, .value = pool_take(scan->pool, &digits)};
	return rc;
}

/* Whether the whole text is NAME(INSIDE). Sets nothing if it is not. */
static bool is_call(struct annotation_scan *scan, char **name, char **inside, const char *text)
{
	struct annotation_scan ahead = *scan;
	size_t length = strcspn(text, "( \t");
	char *between;

	ahead.at = text + length;
	if (!scan_accept(&ahead, "(") || !scan_before(&ahead, ")", &between))
		return false;
	scan_blanks(&ahead);
	if (*ahead.at)
		return false;
	*name = pool_copy(scan->pool, text, length);
	*inside = between;
	return true;
}

static int parse_argument(struct argument_parse *parse, struct kernel_arg *out, const char *text);

/* N bytes of 0. */
static int parse_pad(struct argument_parse *parse, struct kernel_arg *out, const char *text,
		     const char *number)
{
	uint64_t count = 0;
	char *digits;
	int rc;

	if (parse_u64(&count, number, NULL) || !count)
		return scan_error(parse->scan, "%.60s: a number of bytes from 1 expected: pad(4)",
				  text);
	rc = count_struct_bytes(parse, text, count);
	if (rc)
		return rc;
	digits = pool_new(parse->scan->pool, 2 * (size_t)count + 1);
	memset(digits, '0', 2 * (size_t)count);
	*out = (struct kernel_arg){.kind = ARG_BYTES, .value = digits};
	return 0;
}

/* The alignment of a struct, before its fields. */
static int parse_align(struct argument_parse *parse, struct kernel_arg *out, const char *text,
		       const char *number)
{
	uint64_t align = 0;

	if (parse_u64(&align, number, NULL) || !align || align > STRUCT_MOST_ALIGN ||
	    (align & (align - 1)))
		return scan_error(parse->scan, "%.60s: an alignment is a power of two, at most %d",
				  text, STRUCT_MOST_ALIGN);
	out->align = (size_t)align;
	return 0;
}

static int parse_field(struct argument_parse *parse, struct kernel_arg *out, const char *text)
{
	char *name, *inside;
	int rc;

	if (parse->fields++ == STRUCT_MOST_FIELDS)
		return scan_error(parse->scan,
				  "a struct of more than %d fields; join some as bytes(…)",
				  STRUCT_MOST_FIELDS);
	if (is_call(parse->scan, &name, &inside, text)) {
		if (!strcmp(name, "pad"))
			return parse_pad(parse, out, text, inside);
		if (!strcmp(name, "align"))
			return scan_error(parse->scan,
					  "%.60s: it belongs before the first field of its struct",
					  text);
	}
	rc = parse_argument(parse, out, text);
	if (!rc && out->kind == ARG_TEXTURE)
		return scan_error(parse->scan,
				  "%.60s: a texture or surface in a struct is not supported; pass "
				  "it as an argument of its own",
				  text);
	if (!rc && out->kind == ARG_REAL)
		return scan_error(
			parse->scan,
			"the field %.60s of a struct needs a type: f32(%.60s) or f64(%.60s)", text,
			text, text);
	return rc;
}

/* `packed`: its fields follow each other without padding. */
static int parse_struct(struct argument_parse *parse, struct kernel_arg *out, const char *text,
			const char *inside, bool packed)
{
	struct annotation_list list;
	struct kernel_arg *fields;
	char *name, *number;
	size_t first = 0;
	int rc;

	if (parse->depth++ == STRUCT_MOST_DEPTH)
		return scan_error(parse->scan,
				  "structs within more than %d structs; write the inner "
				  "fields into the outer struct",
				  STRUCT_MOST_DEPTH);
	rc = scan_split(parse->scan, &list, inside);
	if (rc)
		return rc;
	*out = (struct kernel_arg){.kind = ARG_STRUCT, .value = text, .packed = packed};
	if (is_call(parse->scan, &name, &number, list.items[0]) && !strcmp(name, "align")) {
		rc = parse_align(parse, out, list.items[0], number);
		first = 1;
	}
	if (!rc && packed && first)
		rc = scan_error(parse->scan, "%.60s: a packed struct has no alignment", text);
	if (!rc && first == list.count)
		rc = scan_error(parse->scan, "%.60s has no field", text);
	fields = pool_new(parse->scan->pool, list.count * sizeof(*fields));
	for (size_t i = first; i < list.count && !rc; i++)
		rc = parse_field(parse, &fields[out->field_count++], list.items[i]);
	out->fields = fields;
	parse->depth--;
	return rc;
}

static bool is_texture(const char *name)
{
	return !strcmp(name, "texture") || !strcmp(name, "surface");
}

/* KIND(VALUE). Sets *found to false, and nothing else, if the text has another form. */
static int parse_explicit(struct argument_parse *parse, struct kernel_arg *out, const char *text,
			  bool *found)
{
	struct annotation_scan *scan = parse->scan;
	char *name, *between;
	enum arg_kind kind;

	*found = is_call(scan, &name, &between, text);
	if (*found && !strcmp(name, "packed"))
		return parse_struct(parse, out, text, between, true);
	if (*found && is_texture(name))
		return scan_texture(scan, out, text, between, *name == 's');
	if (*found && !strcmp(name, "tensormap"))
		return scan_tensor_map(scan, out, text, between);
	*found = *found && arg_kind_parse(&kind, name) && kind != ARG_BUFFER &&
		 kind != ARG_INTEGER && kind != ARG_REAL;
	if (!*found)
		return 0;
	if (!*between)
		return scan_error(scan, "the argument %.60s has no value", text);
	if (kind == ARG_BYTES)
		return parse_bytes(parse, out, between);
	if (kind == ARG_STRUCT)
		return parse_struct(parse, out, text, between, false);
	*out = (struct kernel_arg){.kind = kind, .value = between};
	if (!arg_kind_is_real(kind) && real_literal_length(between))
		return scan_error(scan, "%.60s: an integer expected", text);
	return arg_kind_is_real(kind) && real_literal_length(between)
		       ? parse_real(scan, out, between)
		       : 0;
}

/* Expands the lets of a value. The fields of a struct are values of their own, as are the sizes of
 * a texture or a tensor map, and the hex digits of bytes(…) only look like names. */
static int expand_value(struct argument_parse *parse, const char **text)
{
	char *name, *inside;
	enum arg_kind kind;

	if (is_call(parse->scan, &name, &inside, *text) &&
	    (!strcmp(name, "packed") || !strcmp(name, "tensormap") || is_texture(name) ||
	     (arg_kind_parse(&kind, name) && (kind == ARG_BYTES || kind == ARG_STRUCT))))
		return 0;
	return scan_expand(parse->scan, text);
}

/* Recursion ends at STRUCT_MOST_DEPTH. */
static int parse_argument(struct argument_parse *parse, struct kernel_arg *out, const char *text)
{
	bool found;
	int rc = expand_value(parse, &text);

	if (rc)
		return rc;
	if (real_literal_length(text)) {
		out->kind = ARG_REAL;
		return parse_real(parse->scan, out, text);
	}
	if (!strcmp(text, "nullptr") || !strcmp(text, "NULL")) {
		*out = (struct kernel_arg){.kind = ARG_U64, .value = "0"};
		return 0;
	}
	rc = parse_explicit(parse, out, text, &found);
	if (!rc && !found)
		*out = (struct kernel_arg){.kind = ARG_INTEGER, .value = text};
	return rc;
}

/* What a launch without a list passes: the arguments of a recorded launch. False: there is none. */
static bool recorded_list(const struct annotation_scan *scan, struct annotation_list *out)
{
	for (size_t i = 0; scan->lets && i < ARRAY_SIZE(scan->lets->scopes); i++) {
		const struct annotation_scope *scope = scan->lets->scopes[i];

		if (scope && scope->has_arguments) {
			*out = (struct annotation_list){scope->arguments, scope->argument_count};
			return true;
		}
	}
	return false;
}

static int scan_argument_list(struct annotation_scan *scan, struct annotation_list *out,
			      const char *entry)
{
	char *inside;

	if (!scan_accept(scan, "(")) {
		if (recorded_list(scan, out))
			return 0;
		return scan_error(scan, "the arguments of \"%.60s\" in ( ) expected after \">>>\"",
				  entry);
	}
	return scan_items(scan, ')', out, &inside);
}

int scan_arguments(struct annotation_scan *scan, struct kernel_launch *out)
{
	struct annotation_list list;
	struct kernel_arg *args;
	int rc = scan_argument_list(scan, &list, out->entry);

	if (rc)
		return rc;
	args = pool_new(scan->pool, (list.count + 1) * sizeof(*args));
	for (size_t i = 0; i < list.count && !rc; i++) {
		struct argument_parse parse = {.scan = scan};

		rc = parse_argument(&parse, &args[i], list.items[i]);
	}
	out->args = args;
	out->arg_count = list.count;
	return rc;
}
