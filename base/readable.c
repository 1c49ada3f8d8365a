/* Readable names of functions: shorter ones, and what they say of the parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define DEEPEST \
	8 /* template arguments in template arguments that are shown at most, if shortened */

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

/* Whether the '<' or '>' is no bracket: "operator<<", "operator->", "(3)<(N)". */
static bool is_operator(const char *name, size_t at)
{
	const bool compares = at && name[at] == '<' && name[at - 1] == ')' && name[at + 1] == '(' &&
			      !ends_at(name, at, "operator()");

	while (at && strchr("<>=-", name[at - 1]))
		at--;
	return compares || ends_at(name, at, "operator");
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

/* ---- parameters ---- */

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

/* Part of a name. */
struct piece {
	const char *at;
	size_t length;
};

static bool piece_is(struct piece piece, const char *text)
{
	return strlen(text) == piece.length && !memcmp(piece.at, text, piece.length);
}

static bool piece_cut(struct piece *piece, const char *end)
{
	if (!ends_at(piece->at, piece->length, end))
		return false;
	piece->length -= strlen(end);
	return true;
}

/* The index behind the bracket that closes the one at `at`; 0: none does. Among parentheses, a '>'
 * is an operator. */
static size_t after_group(const char *name, size_t at)
{
	const char *const kinds = "<>(){}[]";
	const char close = strchr(kinds, name[at])[1];

	for (at++; name[at] && (name[at] != close || is_operator(name, at));)
		if (!strchr("<({[", name[at]) || is_operator(name, at))
			at++;
		else if (!(at = after_group(name, at)))
			return 0;
	return name[at] ? at + 1 : 0;
}

/* The name of a function in its parts. */
struct function_text {
	struct piece arguments;  /* of the template, without brackets; length 0: none */
	struct piece parameters; /* without brackets */
	bool is_template;
};

/* False: the name is not that of a function, or its brackets do not match. */
static bool function_read(struct function_text *out, const char *name)
{
	size_t begin = 0, end = 0, template_begin = 0, template_end = 0, at = 0;

	while (name[at]) {
		const size_t from = at;

		if (!strchr("<({[", name[at]) || is_operator(name, at)) {
			at++;
			continue;
		}
		at = after_group(name, at);
		if (!at)
			return false;
		if (name[from] == '(') {
			begin = from + 1;
			end = at - 1;
		} else if (name[from] == '<') {
			template_begin = from + 1;
			template_end = at - 1;
		}
	}
	if (!end || strchr(name + end, ':'))
		return false; /* a variable */
	*out = (struct function_text){
		.parameters = {name + begin, end - begin},
		.is_template = template_end && template_end + 2 == begin,
	};
	if (out->is_template)
		out->arguments =
			(struct piece){name + template_begin, template_end - template_begin};
	return true;
}

/* Takes the next item off a list of types. */
static bool piece_next(struct piece *item, struct piece *list)
{
	size_t at = 0;

	if (!list->length)
		return false;
	while (at < list->length && list->at[at] != ',')
		at = strchr("<({[", list->at[at]) && !is_operator(list->at, at)
			     ? after_group(list->at, at)
			     : at + 1;
	*item = (struct piece){list->at, at};
	if (at < list->length)
		at += list->at[at + 1] == ' ' ? 2 : 1;
	*list = (struct piece){list->at + at, list->length - at};
	return true;
}

static struct piece without_qualifiers(struct piece type)
{
	while (piece_cut(&type, " const") || piece_cut(&type, " volatile"))
		;
	return type;
}

/* A type of the program can have no such name: they are words of the language. */
static const struct builtin_type *builtin_type_find(struct piece type)
{
	type = without_qualifiers(type);
	for (size_t i = 0; i < ARRAY_SIZE(builtin_types); i++)
		if (piece_is(type, builtin_types[i].name))
			return &builtin_types[i];
	return NULL;
}

/* What the pointer or the reference points to, of an array its element; length 0: it is neither. */
static struct piece pointee_of(struct piece type)
{
	static const char *const of_arrays[] = {" (*) [", " (&) [", " (&&) ["};

	if (piece_cut(&type, "*") || piece_cut(&type, "&&") || piece_cut(&type, "&"))
		return type;
	for (size_t i = 0; i < ARRAY_SIZE(of_arrays) && ends_at(type.at, type.length, "]"); i++) {
		const char *array =
			memmem(type.at, type.length, of_arrays[i], strlen(of_arrays[i]));

		if (array)
			return (struct piece){type.at, (size_t)(array - type.at)};
	}
	return (struct piece){0};
}

/* The name without its last component; length 0: it has one only. */
static struct piece scope_of(struct piece name)
{
	struct piece scope = {0};

	for (size_t at = 0; at < name.length;)
		if (strchr("<({[", name.at[at]) && !is_operator(name.at, at)) {
			at = after_group(name.at, at);
		} else {
			if (name.at[at] == ':' && name.at[at + 1] == ':')
				scope = (struct piece){name.at, at};
			at += name.at[at] == ':' ? 2 : 1;
		}
	return scope;
}

/* Whether a nested name in the parameters of a template may be an alias, as T::pointer and
 * traits<T>::pointer are: it is written in terms of an argument, and stands for any type. */
static bool may_be_alias(struct piece type, struct piece arguments)
{
	for (struct piece scope = scope_of(type); scope.length; scope = scope_of(scope)) {
		struct piece list = arguments, argument;

		if (ends_at(scope.at, scope.length, ">"))
			return true;
		while (piece_next(&argument, &list))
			if (argument.length == scope.length &&
			    !memcmp(argument.at, scope.at, scope.length))
				return true;
	}
	return false;
}

/* The program's own type, by value. The others of C++ that builtin_types lacks have several words,
 * an end that no name has, or one of these names. */
static bool is_class_type(struct piece type, const struct function_text *function)
{
	static const char *const others[] = {"void",     "auto",     "half",     "__int128",
					     "char8_t",  "char16_t", "char32_t", "__float128",
					     "_Float16", "_Float32", "_Float64", "_Float128"};
	const size_t scope = scope_of(type).length;
	const size_t last = scope ? scope + strlen("::") : 0;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (piece_is(type, others[i]))
			return false;
	if (!type.length || strchr(").", type.at[type.length - 1]) ||
	    (type.at[last] != '{' && memchr(type.at + last, ' ', strcspn(type.at + last, "<,)"))))
		return false;
	return !function->is_template || !may_be_alias(type, function->arguments);
}

static struct mangled_parameter parameter_of(struct piece type,
					     const struct function_text *function)
{
	const struct piece pointee = pointee_of(without_qualifiers(type));
	struct mangled_parameter parameter = {0};

	if (pointee.length)
		parameter.pointee = builtin_type_find(pointee);
	else
		parameter.builtin = builtin_type_find(type);
	parameter.is_class = !pointee.length && !parameter.builtin && is_class_type(type, function);
	return parameter;
}

int mangled_parameters(struct mangled_parameter *out, size_t most, const char *name)
{
	struct text readable = TEXT_INIT;
	struct function_text function;
	struct piece type;
	size_t count = 0;
	int rc = -1;

	mangled_readable(&readable, name);
	if (strcmp(readable.data, name) != 0 && function_read(&function, readable.data)) {
		while (piece_next(&type, &function.parameters)) {
			if (count < most)
				out[count] = parameter_of(type, &function);
			count++;
		}
		rc = count <= INT32_MAX ? (int)count : -1;
	}
	text_release(&readable);
	return rc;
}
