/* Reads names and functions: "N2ns5scaleIfEE". */
#include "base/demangle_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle_expressions.h"

/* ---- unqualified names ---- */

static const struct part *with_number(struct demangler *d, enum part_kind kind,
				      const struct part *left)
{
	struct part *part;
	int64_t number;

	if (!demangle_sequence(d, 10, &number))
		return NULL;
	part = part_new(d, kind, left, NULL);
	if (part)
		part->number = number + 1;
	return part;
}

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
		if (!part_append(d, list, &tail, d->readers->type(d)))
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
		return with_number(d, PART_UNNAMED, NULL);
	if (!demangle_take(d, "l"))
		return NULL;
	d->lambda++;
	read = read_parameter_types(d, &parameters);
	d->lambda--;
	return read && demangle_take(d, "E") ? with_number(d, PART_LAMBDA, parameters) : NULL;
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
	const struct operator_row *row;
	const struct part *type;
	struct part *part;

	if (demangle_take(d, "cv")) {
		type = d->readers->type(d);
		return type ? part_new(d, PART_CONVERSION, type, NULL) : NULL;
	}
	if (demangle_take(d, "li")) {
		part = part_new(d, PART_UNARY, demangle_source_name(d), NULL);
		if (part && part->left)
			part->text = "operator\"\" ", part->length = strlen(part->text);
		return part && part->left ? part : NULL;
	}
	row = demangle_operator(d->at);
	if (!row)
		return NULL;
	d->at += 2;
	part = part_new(d, PART_UNARY, part_text(d, row->text), NULL);
	if (part) {
		part->text = isalpha((unsigned char)*row->text) ? "operator " : "operator";
		part->length = strlen(part->text);
	}
	return part;
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

const struct part *demangle_unqualified(struct demangler *d, const struct part *scope)
{
	const struct part *part = read_base_name(d, scope);

	while (part && demangle_take(d, "B")) {
		const struct part *tag = demangle_source_name(d);
		struct part *tagged = tag ? part_new(d, PART_TAGGED, part, NULL) : NULL;

		if (tagged) {
			tagged->text = tag->text;
			tagged->length = tag->length;
		}
		part = tagged;
	}
	return part;
}

/* ---- qualified names ---- */

const struct part *demangle_substitution(struct demangler *d)
{
	static const struct {
		char letter;
		const char *text;
	} abbreviations[] = {
		{'a', "std::allocator"}, {'b', "std::basic_string"}, {'s', "std::string"},
		{'i', "std::istream"},   {'o', "std::ostream"},      {'d', "std::iostream"},
	};
	int64_t index;

	for (size_t i = 0; i < ARRAY_SIZE(abbreviations); i++)
		if (*d->at == abbreviations[i].letter) {
			d->at++;
			return part_text(d, abbreviations[i].text);
		}
	if (!demangle_sequence(d, 36, &index) || index >= (int64_t)d->substitution_count)
		return NULL;
	/* an earlier "T_" means what it means here, not what it meant in a lambda */
	if (d->substitutions[index]->kind == PART_AUTO && !d->lambda)
		return demangle_template_argument(d, d->substitutions[index]->number - 1);
	return d->substitutions[index];
}

static const struct part *scoped(struct demangler *d, const struct part *scope,
				 const struct part *name)
{
	return scope && name ? part_new(d, PART_NESTED, scope, name) : name;
}

/* One step of a nested name: `scope` is what was read before. *found: it is an earlier part. */
static const struct part *read_step(struct demangler *d, const struct part *scope, bool tags,
				    bool *found)
{
	const struct part *arguments;

	*found = false;
	if (demangle_take(d, "St"))
		return scope ? NULL
			     : scoped(d, part_text(d, "std"), d->readers->unqualified(d, NULL));
	if (demangle_take(d, "S")) {
		*found = true;
		return scope ? NULL : demangle_substitution(d);
	}
	if (*d->at == 'T')
		return scope ? NULL : demangle_template_parameter(d);
	if (*d->at == 'D' && (d->at[1] == 't' || d->at[1] == 'T'))
		return scope ? NULL : d->readers->type(d);
	if (demangle_take(d, "I")) {
		if (!scope)
			return NULL;
		arguments = d->readers->arguments(d, tags);
		return arguments ? part_new(d, PART_TEMPLATE, scope, arguments->left) : NULL;
	}
	return scoped(d, scope, d->readers->unqualified(d, scope));
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
	struct part *qualified;

	if (!part || !*qualifiers)
		return part;
	qualified = part_new(d, PART_QUALIFIED, part, NULL);
	if (qualified) {
		qualified->text = qualifiers;
		qualified->length = strlen(qualifiers);
	}
	return qualified;
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
	struct part *type, *copy;

	if (encoding->kind != PART_ENCODING || !encoding->right->left)
		return encoding;
	type = part_new(d, PART_FUNCTION, NULL, encoding->right->right);
	copy = type ? part_new(d, PART_ENCODING, encoding->left, type) : NULL;
	if (!copy)
		return NULL;
	type->text = encoding->right->text;
	type->length = encoding->right->length;
	return copy;
}

/* What follows "Z": a name within a function. */
static const struct part *read_local_name(struct demangler *d, bool tags)
{
	const struct part *function = d->readers->encoding(d), *name;

	if (!function || !demangle_take(d, "E"))
		return NULL;
	function = without_result(d, function);
	if (demangle_take(d, "s")) {
		skip_discriminator(d);
		return scoped(d, function, part_text(d, "string literal"));
	}
	if (demangle_take(d, "d")) {
		int64_t number = 0;
		struct part *argument;

		if (!demangle_sequence(d, 10, &number))
			return NULL;
		argument = part_new(d, PART_DEFAULT, NULL, NULL);
		if (!argument)
			return NULL;
		argument->number = number + 1;
		function = scoped(d, function, argument);
	}
	name = d->readers->name(d, tags);
	skip_discriminator(d);
	return scoped(d, function, name);
}

static const struct part *read_unscoped_name(struct demangler *d, bool tags)
{
	const struct part *part, *arguments;
	bool found = false;

	if (demangle_take(d, "St"))
		part = scoped(d, part_text(d, "std"), d->readers->unqualified(d, NULL));
	else if ((found = demangle_take(d, "S")))
		part = demangle_substitution(d);
	else
		part = d->readers->unqualified(d, NULL);
	if (!part || !demangle_take(d, "I"))
		return part;
	if (!found)
		part_remember(d, part);
	arguments = d->readers->arguments(d, tags);
	return arguments ? part_new(d, PART_TEMPLATE, part, arguments->left) : NULL;
}

const struct part *demangle_name(struct demangler *d, bool tags)
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
	demangle_leave(d);
	return part;
}

/* ---- functions ---- */

/* The last component of a name. */
static const struct part *last_component(const struct part *name)
{
	while (name->kind == PART_NESTED || name->kind == PART_QUALIFIED)
		name = name->kind == PART_NESTED ? name->right : name->left;
	return name;
}

/* Only templates say what they return, and of these not what has no result. */
static bool shows_result(const struct part *name)
{
	name = last_component(name);
	if (name->kind != PART_TEMPLATE)
		return false;
	name = last_component(name->left);
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
	const struct part *name = d->readers->name(d, true), *result = NULL, *parameters,
			  *qualifiers;
	struct part *type;

	if (!name || !*d->at || *d->at == 'E' || *d->at == '.')
		return name; /* a variable */
	if (shows_result(name)) {
		result = d->readers->type(d);
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
const struct part *demangle_encoding(struct demangler *d)
{
	const struct part **outer = d->arguments, *part;
	const size_t count = d->argument_count, capacity = d->argument_capacity;
	const int lambda = d->lambda;

	d->arguments = NULL;
	d->argument_count = d->argument_capacity = 0;
	d->lambda = 0;
	part = demangle_enter(d) ? read_function_name(d) : NULL;
	demangle_leave(d);
	free(d->arguments);
	d->arguments = outer;
	d->argument_count = count;
	d->argument_capacity = capacity;
	d->lambda = lambda;
	return part;
}
