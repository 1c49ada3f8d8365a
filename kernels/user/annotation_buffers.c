/* Axes, buffers and symbols, with their fills. */
#include <string.h>

#include "base/mangled.h"
#include "kernels/element.h"
#include "kernels/user/annotation_words.h"

static int check_axis_name(struct annotation_scan *scan, const struct annotation_scope *scope,
			   const char *name)
{
	if (is_device_limit(name))
		return scan_error(
			scan, "\"%s\" is a limit of the device; give the axis another name", name);
	if (!strcmp(name, "i"))
		return scan_error(scan, "\"i\" is the index of a repeated launch; give the axis "
					"another name");
	for (size_t i = 0; i < scope->axis_count; i++)
		if (!strcmp(scope->axes[i].axis.name, name))
			return scan_twice(scan, pool_format(scan->pool, "the axis \"%s\"", name),
					  scope->axes[i].place);
	if (scope->axis_count == KERNEL_MAX_CASE_AXES)
		return scan_error(scan, "more than %d axes; replace some by numbers",
				  KERNEL_MAX_CASE_AXES);
	return scan_check_length(scan, "the axis", name, AXIS_NAME_BYTES);
}

/* The grammar of values belongs to the plan. This finds text that follows them by mistake. */
static int check_axis_values(struct annotation_scan *scan, const char *values)
{
	size_t valid = strspn(values, "0123456789.,^*+: \tkKMGTi");

	if (strchr("0123456789", values[0]) && values[0] && !values[valid])
		return 0;
	return scan_error(scan,
			  "\"%.60s\" is not a list of values; write 64..1024 or 2^20, 2^24 or "
			  "1..8:+1, and the meaning in double quotes after it",
			  values);
}

static int parse_axis_line(struct annotation_scan *scan, struct annotation_scope *scope,
			   bool define)
{
	struct kernel_axis axis = {.define = define, .meaning = ""};
	char *values;
	int rc = scan_identifier(scan, &axis.name, "the axis");

	if (!rc)
		rc = check_axis_name(scan, scope, axis.name);
	if (rc)
		return rc;
	if (!scan_accept(scan, "="))
		return scan_error(scan, "\"=\" and values expected after the axis \"%s\"",
				  axis.name);
	if (scan_before(scan, "\"", &values)) {
		scan->at--; /* the quote belongs to the meaning */
		rc = scan_quoted(scan, &axis.meaning, "the meaning of the axis");
		if (!rc)
			rc = scan_end(scan);
	} else {
		values = scan_rest(scan);
	}
	if (!rc)
		rc = check_axis_values(scan, values);
	if (rc)
		return rc;
	axis.values = values;
	pool_append(scan->pool, scope->axes, scope->axis_count,
		    ((struct annotated_axis){scan->place, axis}));
	return 0;
}

int axis_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	return parse_axis_line(scan, scope, false);
}

int define_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	return parse_axis_line(scan, scope, true);
}

/* ---- fills ---- */

static void default_fill(struct kernel_buffer *buffer)
{
	buffer->fill = FILL_UNIFORM;
	if (element_is_integer(buffer->type)) {
		element_integer_range(buffer->type, &buffer->fill_low, &buffer->fill_high);
	} else {
		buffer->fill_low = -1;
		buffer->fill_high = 1;
	}
}

static int whole_fill(struct kernel_buffer *buffer, enum buffer_fill fill)
{
	buffer->fill = fill;
	buffer->fill_low = buffer->fill_high = 0;
	return 0;
}

/* The numbers of a fill: each is a decimal number or an expression over the axes. What they may be
 * is known once the axes are: fill_resolve(). */
static int numbers_fill(struct annotation_scan *scan, struct kernel_buffer *buffer,
			enum buffer_fill fill, size_t count)
{
	const char *word = buffer_fill_name(fill), *plural = count == 1 ? "" : "s";
	double *numbers[] = {&buffer->fill_low, &buffer->fill_high};
	struct annotation_list list;
	char *inside;
	int rc;

	if (!scan_accept(scan, "("))
		return scan_error(scan, "\"(\" and %zu number%s expected after %s", count, plural,
				  word);
	rc = scan_items(scan, ')', &list, &inside);
	if (rc)
		return rc;
	if (list.count != count)
		return scan_error(scan, "%s takes %zu number%s, not \"%.60s\"", word, count, plural,
				  inside);
	whole_fill(buffer, fill);
	for (size_t i = 0; i < count && !rc; i++) {
		const char *number = list.items[i];

		rc = scan_expand(scan, &number);
		if (!rc && parse_double(numbers[i], number, NULL))
			buffer->fill_numbers[i] = number;
	}
	return rc;
}

/* What follows "=" is the rest of the line. */
static int expression_fill(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	whole_fill(buffer, FILL_EXPRESSION);
	buffer->fill_expression = scan_rest(scan);
	if (*buffer->fill_expression)
		return scan_expand(scan, &buffer->fill_expression);
	return scan_error(scan,
			  "\"%s\" has no expression after \"=\"; write the value of element i, as "
			  "in = 8 * i",
			  buffer->name);
}

/* "PATH" INDEX */
static int capture_fill(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	uint64_t index;
	size_t length;
	int rc;

	whole_fill(buffer, FILL_CAPTURE);
	rc = scan_path(scan, &buffer->fill_file, "the path of the capture", true);
	if (rc)
		return rc;
	scan_blanks(scan);
	length = strspn(scan->at, "0123456789");
	if (parse_u64(&index, pool_copy(scan->pool, scan->at, length), NULL) || index > UINT32_MAX)
		return scan_error(scan,
				  "the number of a memory in the capture expected after its path, "
				  "found \"%.60s\"",
				  scan->at);
	buffer->fill_index = (size_t)index;
	scan->at += length;
	return 0;
}

static int parse_named_fill(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	static const struct {
		enum buffer_fill fill;
		size_t numbers;
	} plain[] = {
		{FILL_UNIFORM, 2},  {FILL_NORMAL, 2}, {FILL_CONSTANT, 1},
		{FILL_INTEGERS, 2}, {FILL_INDEX, 0},  {FILL_PERMUTATION, 0},
	};
	static const char *const fills[] = {"uniform", "normal",   "constant",
					    "index",   "integers", "permutation",
					    "file",    "bits",     "capture"};
	struct text near = TEXT_INIT;
	const char *word;
	int rc;

	if (scan_accept(scan, "="))
		return expression_fill(scan, buffer);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (scan_accept_word(scan, buffer_fill_name(plain[i].fill)))
			return plain[i].numbers
				       ? numbers_fill(scan, buffer, plain[i].fill, plain[i].numbers)
				       : whole_fill(buffer, plain[i].fill);
	if (scan_accept_word(scan, "file")) {
		whole_fill(buffer, FILL_FILE);
		return scan_path(scan, &buffer->fill_file, "the path of the fill", true);
	}
	if (scan_accept_word(scan, "capture"))
		return capture_fill(scan, buffer);
	rc = scan_identifier(scan, &word, "a fill");
	if (rc)
		return rc;
	rc = nearest_names(&near, word, fills, ARRAY_SIZE(fills))
		     ? scan_error(scan, "unknown fill \"%.60s\"; did you mean %s?", word, near.data)
		     : scan_error(scan,
				  "unknown fill \"%.60s\"; a fill is uniform(a, b), normal(mean, "
				  "sd), constant(v), index, integers(a, b), permutation, file "
				  "\"PATH\", capture \"PATH\" INDEX or = EXPRESSION",
				  word);
	text_release(&near);
	return rc;
}

static int parse_fill_bits(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	char *bits;
	int rc;

	if (!scan_accept(scan, "("))
		return scan_error(scan, "\"(\" and a number of bits expected after bits");
	rc = scan_until(scan, ')', &bits);
	if (rc)
		return rc;
	if (!*bits)
		return scan_error(scan, "bits() of \"%s\" has no number; write bits(8)",
				  buffer->name);
	if (!buffer_fill_takes_bits(buffer->fill))
		return scan_error(scan,
				  "bits(%.60s) limits random values, and the fill of \"%s\" is not "
				  "random; use uniform(a, b), integers(a, b) or normal(mean, sd)",
				  bits, buffer->name);
	buffer->fill_bits = bits;
	return scan_expand(scan, &buffer->fill_bits);
}

/* FILL, FILL bits(N), bits(N) or nothing. */
static int parse_buffer_fill(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	struct annotation_scan ahead = *scan;
	int rc = 0;

	default_fill(buffer);
	scan_blanks(scan);
	if (*scan->at && !scan_accept_word(&ahead, "bits"))
		rc = parse_named_fill(scan, buffer);
	if (!rc && scan_accept_word(scan, "bits"))
		return parse_fill_bits(scan, buffer);
	if (!rc && buffer->fill == FILL_UNIFORM && !element_is_integer(buffer->type))
		buffer->fill_bits =
			pool_format(scan->pool, "%d", element_significant_bits(buffer->type));
	return rc;
}

/* ---- buffers ---- */

int scan_element_type(struct annotation_scan *scan, enum element_type *out, const char *of)
{
	static const char *const names[] = {
#define X(symbol, name, bytes, integer) name,
		ELEMENT_TYPE_LIST(X)
#undef X
	};
	struct text known = TEXT_INIT;
	const char *name;
	int rc = scan_identifier(scan, &name, "an element type");

	if (rc)
		return rc;
	if (element_type_parse(out, strcmp(name, "bytes") ? name : "u8"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		text_addf(&known, "%s, ", names[i]);
	rc = scan_error(scan, "unknown type \"%.60s\" of \"%s\"; a type is one of %sbytes", name,
			of, known.data);
	text_release(&known);
	return rc;
}

/* The name of a variable, with or without namespaces, or mangled. The buffer gets the last part. */
static int parse_symbol_name(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	struct text written = TEXT_INIT, plain = TEXT_INIT;
	struct annotation_scan ahead = *scan;
	const char *part, *last;
	int rc;

	ahead.err = NULL;
	/* NAME "VARIABLE": the name in the image, which may have any characters */
	if (!scan_identifier(&ahead, &part, "the symbol") && scan_accept(&ahead, "\"")) {
		rc = scan_identifier(scan, &buffer->name, "the symbol");
		return rc ? rc : scan_quoted(scan, &buffer->symbol, "the name of the variable");
	}
	do {
		text_add(&written, written.length ? "::" : "");
		rc = scan_identifier(scan, &part, "the symbol");
		text_add(&written, rc ? "" : part);
	} while (!rc && scan_accept(scan, "::"));
	buffer->symbol = pool_text(scan->pool, written.data);
	text_release(&written);
	if (rc)
		return rc;
	if (*scan->at == '<')
		return scan_error(
			scan,
			"\"%.60s%.40s\": write the symbol without template arguments; the "
			"variable is found if the file has one instance, and else by its "
			"mangled name, which the error lists",
			buffer->symbol, scan->at);
	mangled_plain_name(&plain, buffer->symbol);
	last = plain.data;
	for (const char *next = strstr(last, "::"); next; next = strstr(last, "::"))
		last = next + 2;
	buffer->name = pool_text(scan->pool, last);
	text_release(&plain);
	return 0;
}

static int parse_buffer_name(struct annotation_scan *scan, const struct annotation_scope *scope,
			     struct kernel_buffer *buffer, bool is_symbol)
{
	const char *what = is_symbol ? "the symbol" : "the buffer";
	int rc = is_symbol ? parse_symbol_name(scan, buffer)
			   : scan_identifier(scan, &buffer->name, what);

	if (!rc)
		rc = scan_check_length(scan, what, buffer->name, AXIS_NAME_BYTES);
	if (rc)
		return rc;
	for (size_t i = 0; i < scope->buffer_count; i++)
		if (!strcmp(scope->buffers[i].buffer.name, buffer->name))
			return scan_twice(scan,
					  pool_format(scan->pool, "%s \"%s\"", what, buffer->name),
					  scope->buffers[i].place);
	if (scope->buffer_count == KERNEL_MAX_BUFFERS)
		return scan_error(scan, "more than %d buffers", KERNEL_MAX_BUFFERS);
	return 0;
}

/* NAME: TYPE[LENGTH] */
static int parse_buffer_shape(struct annotation_scan *scan, const struct annotation_scope *scope,
			      struct kernel_buffer *buffer, bool is_symbol)
{
	char *length;
	int rc = parse_buffer_name(scan, scope, buffer, is_symbol);

	if (rc)
		return rc;
	if (!scan_accept(scan, ":"))
		return scan_error(scan, "\":\" and a type expected after \"%s\": \"%s: f32[n] in\"",
				  buffer->name, buffer->name);
	rc = scan_element_type(scan, &buffer->type, buffer->name);
	if (rc)
		return rc;
	if (!scan_accept(scan, "["))
		return scan_error(scan, "the buffer \"%s\" has no length; write \"%s: %s[n]\"",
				  buffer->name, buffer->name, element_type_name(buffer->type));
	rc = scan_until(scan, ']', &length);
	if (!rc && !*length)
		rc = scan_error(scan, "the length of the buffer \"%s\" is empty", buffer->name);
	buffer->length = length;
	return rc ? rc : scan_expand(scan, &buffer->length);
}

static int parse_buffer_role(struct annotation_scan *scan, struct kernel_buffer *buffer)
{
	const char *word;
	int rc;

	scan_blanks(scan);
	if (!*scan->at)
		return scan_error(scan,
				  "the buffer \"%s\" has no role; add in, out, inout or "
				  "scratch",
				  buffer->name);
	rc = scan_identifier(scan, &word, "a role");
	if (rc)
		return rc;
	if (!buffer_role_parse(&buffer->role, word) || buffer->role == BUFFER_PER_CALL)
		return scan_error(scan,
				  "\"%.60s\" is not a role of the buffer \"%s\"; a role is in, "
				  "out, inout or scratch",
				  word, buffer->name);
	return 0;
}

int buffer_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct kernel_buffer buffer = {0};
	int rc = parse_buffer_shape(scan, scope, &buffer, false);

	if (!rc)
		rc = parse_buffer_role(scan, &buffer);
	if (rc)
		return rc;
	if (buffer.role == BUFFER_IN || buffer.role == BUFFER_INOUT) {
		rc = parse_buffer_fill(scan, &buffer);
	} else {
		scan_blanks(scan);
		if (*scan->at)
			rc = scan_error(scan,
					"\"%s\" has the role %s, which takes no fill; declare it "
					"inout if its content matters before the launch",
					buffer.name, buffer_role_name(buffer.role));
	}
	if (!rc)
		rc = scan_end(scan);
	if (!rc)
		pool_append(scan->pool, scope->buffers, scope->buffer_count,
			    ((struct annotated_buffer){scan->place, buffer}));
	return rc;
}

int symbol_annotation(struct annotation_scan *scan, struct annotation_scope *scope)
{
	struct kernel_buffer buffer = {.role = BUFFER_IN};
	int rc = parse_buffer_shape(scan, scope, &buffer, true);

	if (!rc && scan_accept_word(scan, "inout"))
		buffer.role = BUFFER_INOUT;
	else if (!rc)
		scan_accept_word(scan, "in");
	if (!rc)
		rc = parse_buffer_fill(scan, &buffer);
	if (!rc)
		rc = scan_end(scan);
	if (!rc)
		pool_append(scan->pool, scope->buffers, scope->buffer_count,
			    ((struct annotated_buffer){scan->place, buffer}));
	return rc;
}
