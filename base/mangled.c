/* What perflab asks of the mangled names of functions and variables. See mangled.h. */
#include "base/mangled.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

#define ELLIPSIS "\xe2\x80\xa6"
/* Template arguments in template arguments that are shown at most, if a name is shortened. */
#define DEEPEST 8

/* ---- without the demangler ---- */

/* The length of the name at `c`, and *digits, the length of that number; 0: there is none. */
static size_t source_name_length(const char *c, size_t *digits)
{
	size_t length = 0;

	for (*digits = 0; isdigit((unsigned char)c[*digits]); ++*digits)
		if (length <= MANGLED_MOST)
			length = length * 10 + (size_t)(c[*digits] - '0');
	return strnlen(c + *digits, length) < length ? 0 : length;
}

/* Adds the "4name" at *c to a name, after "::" if the name is not empty, and moves behind it. */
static bool source_name_add(struct text *out, const char **c)
{
	size_t digits, length = source_name_length(*c, &digits);

	if (!length || length > 4096)
		return false;
	*c += digits;
	/* an unnamed namespace, and the one into which nvcc puts what is static, have no name to
	 * write */
	if (strncmp(*c, "_GLOBAL__N", 10) != 0 && strncmp(*c, "_INTERNAL_", 10) != 0) {
		if (out->length)
			text_add(out, "::");
		text_add_bytes(out, *c, length);
	}
	*c += length;
	return true;
}

/* A kernel is no member of a class, so template arguments are always last. */
void mangled_plain_name(struct text *out, const char *name)
{
	const char *c = mangled_start(name);
	bool read;

	text_clear(out);
	if (strncmp(c, "_Z", 2) != 0) {
		text_add(out, name);
		return;
	}
	c += 2;
	if (*c == 'N') {
		c++;
		do
			read = source_name_add(out, &c);
		while (read && isdigit((unsigned char)*c));
	} else {
		c += *c == 'L'; /* static */
		read = source_name_add(out, &c);
	}
	if (!read || !out->length) {
		text_clear(out);
		text_add(out, name);
	}
}

void mangled_portable(struct text *out, const char *name)
{
	static const char *const marks[][2] = {{"_GLOBAL__N", "12_GLOBAL__N_1"},
					       {"_INTERNAL_", "10_INTERNAL_"}};
	const char *c = mangled_start(name);

	text_clear(out);
	while (*c) {
		size_t digits, length = source_name_length(c, &digits), mark = 0;

		while (mark < ARRAY_SIZE(marks) &&
		       (!length || strncmp(c + digits, marks[mark][0], 10) != 0))
			mark++;
		if (mark < ARRAY_SIZE(marks)) {
			text_add(out, marks[mark][1]);
			c += digits + length;
		} else {
			text_add_bytes(out, c, digits ? digits : 1);
			c += digits ? digits : 1;
		}
	}
}

/* ---- readable names ---- */

void mangled_readable(struct text *out, const char *name)
{
	struct demangler d;
	const struct part *part = demangle_read(&d, name);

	text_clear(out);
	if (!part || !demangle_print(out, part)) {
		text_clear(out);
		text_add(out, name);
	} else if (*d.at) {
		text_addf(out, " [clone %s]", d.at);
	}
	demangle_release(&d);
}

static bool pattern_selects(const char *pattern, const char *name)
{
	return strpbrk(pattern, "*?") ? glob_matches(pattern, name, false)
				      : strstr(name, pattern) != NULL;
}

bool mangled_matches(const char *pattern, const char *name)
{
	struct text readable = TEXT_INIT;
	bool matches = pattern_selects(pattern, name);

	if (!matches) {
		mangled_readable(&readable, name);
		matches = pattern_selects(pattern, readable.data);
	}
	text_release(&readable);
	return matches;
}

/* ---- parameters ---- */

/* A type without qualifiers. `index`: which item a pack stands for; -1: none. */
static const struct part *unqualified_type(const struct part *part, int64_t index)
{
	while (part && (part->kind == PART_QUALIFIED || (part->kind == PART_PACK && index >= 0)))
		part = part->kind == PART_QUALIFIED ? part->left : part_item(part->left, index);
	return part;
}

/* Whether a nested name in the parameters of a template may be an alias, as T::pointer and
 * traits<T>::pointer are: it is written in terms of an argument, and stands for any type. */
static bool may_be_alias(const struct part *part, const struct part *arguments)
{
	const struct part *scope = part->kind == PART_TEMPLATE ? part->left : part;

	while (scope->kind == PART_NESTED) {
		scope = scope->left;
		if (scope->kind == PART_TEMPLATE)
			return true;
		for (const struct part *link = arguments; link; link = link->right)
			if (link->left == scope)
				return true;
	}
	return false;
}

/* The program's own type, by value. */
static bool is_class_type(const struct part *part, const struct part *arguments)
{
	switch (part->kind) {
	case PART_TEXT:
		return part->number == 1;
	case PART_NESTED:
	case PART_TEMPLATE:
		return !arguments || !may_be_alias(part, arguments);
	case PART_TAGGED:
	case PART_LAMBDA:
	case PART_UNNAMED:
		return true;
	default:
		return false;
	}
}

/* The element of an array of any dimensions, or the type itself. */
static const struct part *element_of_array(const struct part *part, int64_t index)
{
	part = unqualified_type(part, index);
	while (part && part->kind == PART_ARRAY && !part->text)
		part = unqualified_type(part->left, index);
	return part;
}

static struct mangled_parameter parameter_of_type(const struct part *part, int64_t index,
						  const struct part *arguments)
{
	struct mangled_parameter parameter = {0};

	part = unqualified_type(part, index);
	if (!part)
		return parameter;
	if (part->kind == PART_POINTER || part->kind == PART_REFERENCE || part->kind == PART_RVALUE)
		parameter.pointee = demangled_builtin(element_of_array(part->left, index));
	else
		parameter.builtin = demangled_builtin(part);
	parameter.is_class = !parameter.builtin && is_class_type(part, arguments);
	return parameter;
}

static int parameters_of(struct mangled_parameter *out, size_t most, const struct part *function)
{
	const struct part *name = part_last_component(function->left);
	const struct part *arguments = name->kind == PART_TEMPLATE ? name->right : NULL;
	size_t count = 0;

	for (const struct part *link = function->right->right; link; link = link->right) {
		const bool expands = link->left->kind == PART_EXPANSION;
		const struct part *pattern = expands ? link->left->left : link->left;
		const struct part *pack = expands ? part_pack(pattern) : NULL;
		const int64_t items = pack ? part_pack_length(pack) : 1;

		if (expands && !pack)
			return -1;
		for (int64_t i = 0; i < items; i++, count++)
			if (count < most)
				out[count] =
					parameter_of_type(pattern, expands ? i : -1, arguments);
	}
	return count <= INT32_MAX ? (int)count : -1;
}

int mangled_parameters(struct mangled_parameter *out, size_t most, const char *name)
{
	struct demangler d;
	const struct part *part = demangle_read(&d, name);
	const int count = part && part->kind == PART_ENCODING ? parameters_of(out, most, part) : -1;

	demangle_release(&d);
	return count;
}

/* ---- shortened names ---- */

static size_t character_count(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static bool ends_at(const char *text, size_t length, const char *suffix)
{
	const size_t size = strlen(suffix);

	return length >= size && !memcmp(text + length - size, suffix, size);
}

/* The length without "(float*, int) const [clone .part.0]". */
static size_t without_parameters(const char *name)
{
	const char *clone = strstr(name, " [clone ");
	size_t length = clone ? (size_t)(clone - name) : strlen(name), at;
	int depth = 0;

	at = ends_at(name, length, " const") ? length - strlen(" const") : length;
	if (!at || name[at - 1] != ')')
		return length;
	while (at--) {
		depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
		if (!depth)
			return at ? at : length;
	}
	return length;
}

/* Whether the '<' or '>' is part of an operator's name, as in "operator<<" and "operator->". */
static bool is_operator(const char *name, size_t at)
{
	while (at && strchr("<>=-", name[at - 1]))
		at--;
	return ends_at(name, at, "operator");
}

/* Adds the name with "…" for template arguments that are deeper than `shown`. */
static void add_to_depth(struct text *out, const char *name, size_t length, int shown)
{
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		const bool bracket = (name[i] == '<' || name[i] == '>') && !is_operator(name, i);

		if (bracket && name[i] == '>' && depth)
			depth--;
		if (depth <= shown)
			text_add_char(out, name[i]);
		if (bracket && name[i] == '<' && ++depth == shown + 1 && name[i + 1] != '>')
			text_add(out, ELLIPSIS);
	}
}

/* Where the last component begins that is not in brackets of any kind. */
static size_t last_component_begin(const char *name)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; name[i]; i++) {
		if (strchr("<({", name[i]) && !is_operator(name, i))
			depth++;
		else if (strchr(">)}", name[i]) && !is_operator(name, i))
			depth--;
		else if (!depth && name[i] == ':' && name[i + 1] == ':')
			begin = i + 2;
	}
	return begin;
}

static void cut(struct text *name, size_t most)
{
	size_t length = 0;

	for (size_t count = 0; name->data[length] && count + 1 < most; count++)
		do
			length++;
		while (((unsigned char)name->data[length] & 0xc0) == 0x80);
	name->length = length;
	name->data[length] = '\0';
	text_add(name, ELLIPSIS);
}

void readable_shorten(struct text *out, const char *readable, size_t most)
{
	static const char result[] = "void ";
	const char *name =
		readable + (strncmp(readable, result, strlen(result)) == 0 ? strlen(result) : 0);
	const size_t length = without_parameters(name);
	struct text shorter = TEXT_INIT;
	int shown = DEEPEST;

	text_add_bytes(&shorter, name, length);
	while (character_count(shorter.data) > most && shown--) {
		text_clear(&shorter);
		add_to_depth(&shorter, name, length, shown);
	}
	if (character_count(shorter.data) > most) {
		char *last = xstrdup(shorter.data + last_component_begin(shorter.data));

		text_clear(&shorter);
		text_add(&shorter, last);
		free(last);
	}
	if (character_count(shorter.data) > most)
		cut(&shorter, most);
	text_add(out, shorter.data);
	text_release(&shorter);
}
