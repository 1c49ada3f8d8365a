/* Reads names, functions and whole mangled names: "N2ns5scaleIfEE". */
#include "base/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* No reader makes more parts than this of one character. */
#define PARTS_PER_CHARACTER 4

/* A part with the text of another. */
static struct part *with_text_of(struct demangler *d, enum part_kind kind, const struct part *other,
				 const struct part *left)
{
	struct part *part = part_new(d, kind, left, NULL);

	if (part) {
		part->text = other->text;
		part->length = other->length;
	}
	return part;
}

/* ---- unqualified names ---- */

static const struct part *demangle_name(struct demangler *d, bool tags);
static const struct part *demangle_encoding(struct demangler *d);

/* Types up to the end of a list of parameters; "v" alone is none. Sets *list to NULL for none. */
static bool read_parameter_types(struct demangler *d, const struct part **list)
{
	struct part *tail = NULL;

	*list = NULL;
	if (*d->at == 'v' && (!d->at[1] || d->at[1] == 'E' || d->at[1] == '.')) {
		d->at++;
		return true;
	}
	do {
		if (!part_append(d, list, &tail, demangle_type(d)))
			return false;
	} while (*d->at && *d->at != 'E' && *d->at != '.');
	return true;
}

/* What follows "U": "lvE_" is a lambda, "t_" an unnamed type. */
static const struct part *read_unnamed(struct demangler *d)
{
	const struct part *parameters;
	bool read;

	if (demangle_take(d, "t"))
		return part_numbered(d, PART_UNNAMED, NULL);
	if (!demangle_take(d, "l"))
		return NULL;
	d->lambda++;
	read = read_parameter_types(d, &parameters);
	d->lambda--;
	return read && demangle_take(d, "E") ? part_numbered(d, PART_LAMBDA, parameters) : NULL;
}

/* The class that a constructor belongs to, without its template arguments and namespaces. */
static const struct part *class_name(const struct part *scope)
{
	while (scope && (scope->kind == PART_TEMPLATE || scope->kind == PART_NESTED ||
			 scope->kind == PART_TAGGED))
		scope = scope->kind == PART_NESTED ? scope->right : scope->left;
	return scope;
}

static const struct part *read_constructor(struct demangler *d, const struct part *scope)
{
	const bool destroys = *d->at == 'D';
	const struct part *name = class_name(scope);

	/* the class of an abbreviation such as "Ss" is not among the parts */
	if (!name || memchr(name->text ? name->text : "", ':', name->length) || !d->at[1] ||
	    !strchr(destroys ? "01245" : "12345", d->at[1]))
		return NULL;
	d->at += 2;
	return part_new(d, destroys ? PART_DESTRUCTOR : PART_CONSTRUCTOR, name, NULL);
}

static const struct part *read_operator_name(struct demangler *d)
{
	const char *text;
	int operands;

	if (demangle_take(d, "cv"))
		return part_if_read(d, PART_CONVERSION, demangle_type(d), NULL);
	if (demangle_take(d, "li"))
		return part_with_text(d, PART_UNARY, "operator\"\" ", demangle_source_name(d));
	text = demangle_operator(d->at, &operands);
	if (!text)
		return NULL;
	d->at += 2;
	return part_with_text(d, PART_UNARY,
			      isalpha((unsigned char)*text) ? "operator " : "operator",
			      part_text(d, text));
}

static const struct part *read_base_name(struct demangler *d, const struct part *scope)
{
	(void)demangle_take(d, "L"); /* internal linkage */
	if (isdigit((unsigned char)*d->at))
		return demangle_source_name(d);
	if (*d->at == 'C' || (*d->at == 'D' && d->at[1] && strchr("01245", d->at[1])))
		return read_constructor(d, scope);
	if (demangle_take(d, "U"))
		return read_unnamed(d);
	return islower((unsigned char)*d->at) ? read_operator_name(d) : NULL;
}

static const struct part *demangle_unqualified(struct demangler *d, const struct part *scope)
{
	const struct part *part = read_base_name(d, scope);

	while (part && demangle_take(d, "B")) {
		const struct part *tag = demangle_source_name(d);

		part = tag ? with_text_of(d, PART_TAGGED, tag, part) : NULL;
	}
	return part;
}

/* ---- qualified names ---- */

static const struct part *scoped(struct demangler *d, const struct part *scope,
				 const struct part *name)
{
	return scope && name ? part_new(d, PART_NESTED, scope, name) : name;
}

/* One step of a nested name: `scope` is what was read before. *found: it is an earlier part. */
static const struct part *read_step(struct demangler *d, const struct part *scope, bool tags,
				    bool *found)
{
	*found = false;
	if (demangle_take(d, "St"))
		return scope ? NULL : scoped(d, part_text(d, "std"), demangle_unqualified(d, NULL));
	if (demangle_take(d, "S")) {
		*found = true;
		return scope ? NULL : demangle_substitution(d);
	}
	if (*d->at == 'T')
		return scope ? NULL : demangle_template_parameter(d);
	if (*d->at == 'D' && (d->at[1] == 't' || d->at[1] == 'T'))
		return scope ? NULL : demangle_type(d);
	if (*d->at == 'I')
		return demangle_with_arguments(d, scope, tags);
	return scoped(d, scope, demangle_unqualified(d, scope));
}

static const struct part *read_nested_steps(struct demangler *d, bool tags)
{
	const struct part *part = NULL;
	bool found;

	do {
		part = read_step(d, part, tags, &found);
		if (!part)
			return NULL;
		(void)demangle_take(d, "M"); /* the member whose initialiser has a lambda */
		if (*d->at != 'E' && !found)
			part_remember(d, part);
	} while (!demangle_take(d, "E"));
	return part;
}

/* The qualifiers of a member function follow its parameters. */
static const char *read_member_qualifiers(struct demangler *d)
{
	static const char *const texts[2][2][3] = {
		{{"", " &", " &&"}, {" const", " const &", " const &&"}},
		{{" volatile", " volatile &", " volatile &&"},
		 {" const volatile", " const volatile &", " const volatile &&"}},
	};
	bool is_volatile, is_const;
	int reference = 0;

	(void)demangle_take(d, "r");
	is_volatile = demangle_take(d, "V");
	is_const = demangle_take(d, "K");
	if (demangle_take(d, "R"))
		reference = 1;
	else if (demangle_take(d, "O"))
		reference = 2;
	return texts[is_volatile][is_const][reference];
}

/* What follows "N". */
static const struct part *read_nested_name(struct demangler *d, bool tags)
{
	const char *qualifiers = read_member_qualifiers(d);
	const struct part *part = read_nested_steps(d, tags);

	return *qualifiers ? part_with_text(d, PART_QUALIFIED, qualifiers, part) : part;
}

/* "_1" or "__12_": tells equal local names apart, and is not written. */
static void skip_discriminator(struct demangler *d)
{
	int64_t unused;

	if (demangle_take(d, "__")) {
		if (demangle_number(d, &unused))
			(void)demangle_take(d, "_");
	} else if (*d->at == '_' && isdigit((unsigned char)d->at[1])) {
		d->at += 2;
	}
}

/* A local name does not show the result of its function. */
static const struct part *without_result(struct demangler *d, const struct part *encoding)
{
	struct part *type;

	if (encoding->kind != PART_ENCODING || !encoding->right->left)
		return encoding;
	type = with_text_of(d, PART_FUNCTION, encoding->right, NULL);
	if (!type)
		return NULL;
	type->right = encoding->right->right;
	return part_new(d, PART_ENCODING, encoding->left, type);
}

/* What follows "Z": a name within a function. */
static const struct part *read_local_name(struct demangler *d, bool tags)
{
	const struct part *function = demangle_encoding(d), *name;

	if (!function || !demangle_take(d, "E"))
		return NULL;
	function = without_result(d, function);
	if (demangle_take(d, "s")) {
		skip_discriminator(d);
		return scoped(d, function, part_text(d, "string literal"));
	}
	if (demangle_take(d, "d")) {
		const struct part *argument = part_numbered(d, PART_DEFAULT, NULL);

		if (!argument)
			return NULL;
		function = scoped(d, function, argument);
	}
	name = demangle_name(d, tags);
	skip_discriminator(d);
	return scoped(d, function, name);
}

static const struct part *read_unscoped_name(struct demangler *d, bool tags)
{
	const struct part *part;
	bool found = false;

	if (demangle_take(d, "St"))
		part = scoped(d, part_text(d, "std"), demangle_unqualified(d, NULL));
	else if ((found = demangle_take(d, "S")))
		part = demangle_substitution(d);
	else
		part = demangle_unqualified(d, NULL);
	if (*d->at == 'I' && !found)
		part_remember(d, part);
	return demangle_with_arguments(d, part, tags);
}

static const struct part *demangle_name(struct demangler *d, bool tags)
{
	const struct part *part = NULL;

	if (demangle_enter(d)) {
		if (demangle_take(d, "N"))
			part = read_nested_name(d, tags);
		else if (demangle_take(d, "Z"))
			part = read_local_name(d, tags);
		else
			part = read_unscoped_name(d, tags);
	}
	d->depth--;
	return part;
}

/* ---- functions ---- */

/* Only templates say what they return, and of these not what has no result. */
static bool shows_result(const struct part *name)
{
	name = part_last_component(name);
	if (name->kind != PART_TEMPLATE)
		return false;
	name = part_last_component(name->left);
	return name->kind != PART_CONSTRUCTOR && name->kind != PART_DESTRUCTOR &&
	       name->kind != PART_CONVERSION;
}

/* The qualifiers of a member function, which are written behind its parameters; NULL: it has none.
 * *name becomes the name without them. */
static const struct part *split_qualifiers(struct demangler *d, const struct part **name)
{
	const struct part *last = (*name)->kind == PART_NESTED ? (*name)->right : *name;

	if (last->kind != PART_QUALIFIED)
		return NULL;
	*name = last == *name ? last->left : part_new(d, PART_NESTED, (*name)->left, last->left);
	return last;
}

static const struct part *read_function_name(struct demangler *d)
{
	const struct part *name = demangle_name(d, true), *result = NULL, *parameters, *qualifiers;
	struct part *type;

	if (!name || !*d->at || *d->at == 'E' || *d->at == '.')
		return name; /* a variable */
	if (shows_result(name)) {
		result = demangle_type(d);
		if (!result)
			return NULL;
	}
	if (!read_parameter_types(d, &parameters))
		return NULL;
	type = part_new(d, PART_FUNCTION, result, parameters);
	qualifiers = split_qualifiers(d, &name);
	if (type && qualifiers) {
		type->text = qualifiers->text;
		type->length = qualifiers->length;
	}
	return type && name ? part_new(d, PART_ENCODING, name, type) : NULL;
}

/* The template arguments and lambdas outside of a function mean nothing inside it. */
static const struct part *demangle_encoding(struct demangler *d)
{
	const struct part **outer = d->arguments, *part;
	const size_t count = d->argument_count, capacity = d->argument_capacity;
	const int lambda = d->lambda;

	d->arguments = NULL;
	d->argument_count = d->argument_capacity = 0;
	d->lambda = 0;
	part = demangle_enter(d) ? read_function_name(d) : NULL;
	d->depth--;
	free(d->arguments);
	d->arguments = outer;
	d->argument_count = count;
	d->argument_capacity = capacity;
	d->lambda = lambda;
	return part;
}

/* ---- whole names ---- */

/* With -rdc=true, nvcc writes "__nv_static_23__15cf2119_5_st_cu__Z1fv_" before a static function:
 * the number of the characters between it and the last '_'. */
const char *mangled_start(const char *name)
{
	static const char prefix[] = "__nv_static_";
	const char *c = name;
	size_t length = 0;

	if (strncmp(c, prefix, sizeof(prefix) - 1) != 0)
		return name;
	for (c += sizeof(prefix) - 1; isdigit((unsigned char)*c) && length <= MANGLED_MOST; c++)
		length = length * 10 + (size_t)(*c - '0');
	if (*c != '_' || strnlen(c, length + 2) < length + 2 || c[length + 1] != '_')
		return name;
	return c + length + 2;
}

const struct part *demangle_read(struct demangler *d, const char *name)
{
	const size_t length = strlen(name);
	const struct part *part;

	*d = (struct demangler){.at = mangled_start(name),
				.name = demangle_name,
				.unqualified = demangle_unqualified,
				.encoding = demangle_encoding};
	if (!demangle_take(d, "_Z") || length > MANGLED_MOST)
		return NULL;
	d->part_capacity = length * PARTS_PER_CHARACTER;
	d->parts = malloc(d->part_capacity * sizeof(*d->parts));
	part = d->parts ? demangle_encoding(d) : NULL;
	/* compilers add ".part.0" and the like to copies of a function */
	return !*d->at || *d->at == '.' ? part : NULL;
}

void demangle_release(struct demangler *d)
{
	free(d->parts);
	free(d->substitutions);
}
