/* Reads the types of parameters from the mangled name of a function. */
#include <ctype.h>
#include <string.h>

#include "base/mangled.h"

#define NESTED_MOST 32
#define NAME_MOST 8192

static const struct builtin_type builtin_types[] = {
	{'b', "bool", 1, false, false},
	{'c', "char", 1, false, true},
	{'a', "signed char", 1, false, true},
	{'h', "unsigned char", 1, false, false},
	{'s', "short", 2, false, true},
	{'t', "unsigned short", 2, false, false},
	{'w', "wchar_t", 4, false, true},
	{'i', "int", 4, false, true},
	{'j', "unsigned int", 4, false, false},
	{'l', "long", 8, false, true},
	{'m', "unsigned long", 8, false, false},
	{'x', "long long", 8, false, true},
	{'y', "unsigned long long", 8, false, false},
	{'f', "float", 4, true, true},
	{'d', "double", 8, true, true},
};

/* The place in the name, and how deep the type there is nested. */
struct reader {
	const char *at;
	int depth;
};

static bool read_mangled_type(struct reader *r, struct mangled_parameter *out);

static const struct builtin_type *builtin_type_find(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(builtin_types); i++)
		if (builtin_types[i].letter == letter)
			return &builtin_types[i];
	return NULL;
}

static bool skip_char(struct reader *r, char c)
{
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

/* "5scale" */
static bool skip_source_name(struct reader *r)
{
	size_t length = 0;

	while (isdigit((unsigned char)*r->at)) {
		length = length * 10 + (size_t)(*r->at++ - '0');
		if (length > NAME_MOST)
			return false;
	}
	if (!length || strnlen(r->at, length) < length)
		return false;
	r->at += length;
	return true;
}

/* "S_", "S1_", "T_", "T0_", after their letter. */
static bool skip_index(struct reader *r)
{
	while (isdigit((unsigned char)*r->at) || isupper((unsigned char)*r->at))
		r->at++;
	return skip_char(r, '_');
}

/* A literal: "Li3E", "Lb1E", "Lin3E"; another one is not known. */
static bool skip_literal(struct reader *r)
{
	if (!builtin_type_find(*r->at))
		return false;
	r->at++;
	(void)skip_char(r, 'n');
	while (isalnum((unsigned char)*r->at) && *r->at != 'E')
		r->at++;
	return skip_char(r, 'E');
}

/* What follows "I" or "J". */
static bool skip_template_arguments(struct reader *r)
{
	struct mangled_parameter unused;

	while (!skip_char(r, 'E')) {
		if (skip_char(r, 'L')   ? !skip_literal(r)
		    : skip_char(r, 'J') ? (++r->depth > NESTED_MOST || !skip_template_arguments(r))
					: !read_mangled_type(r, &unused))
			return false;
	}
	return true;
}

/* "S_", "St6vector": what follows "S". */
static bool skip_substitution(struct reader *r)
{
	if (skip_char(r, 't'))
		return skip_source_name(r);
	if (strchr("absiod", *r->at) && *r->at) {
		r->at++;
		return true;
	}
	return skip_index(r);
}

/* What follows "N": a qualified name to its "E". *is_template: it ends with template arguments. */
static bool skip_nested_name(struct reader *r, bool *is_template)
{
	*is_template = false;
	while (!skip_char(r, 'E')) {
		*is_template = *r->at == 'I';
		if (skip_char(r, 'I')   ? !skip_template_arguments(r)
		    : skip_char(r, 'S') ? !skip_substitution(r)
					: ((void)skip_char(r, 'L'), !skip_source_name(r)))
			return false;
	}
	return true;
}

/* A class, an enumeration, or what an earlier part or a template argument stands for. */
static bool read_named_type(struct reader *r, struct mangled_parameter *out)
{
	bool is_template, known = true, read;

	if (skip_char(r, 'N')) {
		read = skip_nested_name(r, &is_template);
	} else if (skip_char(r, 'S')) {
		known = *r->at == 't';
		read = skip_substitution(r);
	} else if (skip_char(r, 'T')) {
		known = false;
		read = skip_index(r);
	} else {
		read = skip_source_name(r);
	}
	if (read && skip_char(r, 'I'))
		read = skip_template_arguments(r);
	out->is_class = known;
	return read;
}

static bool read_pointer(struct reader *r, struct mangled_parameter *out)
{
	struct mangled_parameter target;

	if (!read_mangled_type(r, &target))
		return false;
	out->pointee = target.builtin;
	return true;
}

static bool read_unqualified(struct reader *r, struct mangled_parameter *out)
{
	if (skip_char(r, 'P') || skip_char(r, 'R') || skip_char(r, 'O'))
		return read_pointer(r, out);
	if (skip_char(r, 'v'))
		return true;
	out->builtin = builtin_type_find(*r->at);
	if (out->builtin) {
		r->at++;
		return true;
	}
	return read_named_type(r, out);
}

/* A type behind its qualifiers. */
static bool read_mangled_type(struct reader *r, struct mangled_parameter *out)
{
	bool read;

	*out = (struct mangled_parameter){0};
	while (skip_char(r, 'r') || skip_char(r, 'V') || skip_char(r, 'K'))
		;
	read = ++r->depth <= NESTED_MOST && read_unqualified(r, out);
	r->depth--;
	return read;
}

/* The name of the function itself. The type of the result follows that of a template. */
static bool skip_function_name(struct reader *r)
{
	struct mangled_parameter result;
	bool is_template = false, read;

	if (skip_char(r, 'N')) {
		read = skip_nested_name(r, &is_template);
	} else {
		(void)skip_char(r, 'L'); /* static */
		read = skip_source_name(r);
		if (read && skip_char(r, 'I')) {
			is_template = true;
			read = skip_template_arguments(r);
		}
	}
	return read && (!is_template || read_mangled_type(r, &result));
}

int mangled_parameters(struct mangled_parameter *out, size_t most, const char *name)
{
	struct reader r = {.at = name + 2};
	size_t count = 0;

	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > NAME_MOST || !skip_function_name(&r))
		return -1;
	if (strcmp(r.at, "v") == 0)
		return 0;
	while (*r.at) {
		struct mangled_parameter parameter;

		if (!read_mangled_type(&r, &parameter))
			return -1;
		if (count < most)
			out[count] = parameter;
		count++;
	}
	return count ? (int)count : -1;
}
