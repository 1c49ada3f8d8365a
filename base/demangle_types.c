/* Reads types and template arguments: "PKf", "ILi4EfE". */
#include "base/demangle_types.h"

#include <ctype.h>
#include <string.h>

#include "base/demangle_names.h"

static const char *builtin_name(char letter)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{'v', "void"},        {'w', "wchar_t"},
		{'b', "bool"},        {'c', "char"},
		{'a', "signed char"}, {'h', "unsigned char"},
		{'s', "short"},       {'t', "unsigned short"},
		{'i', "int"},         {'j', "unsigned int"},
		{'l', "long"},        {'m', "unsigned long"},
		{'x', "long long"},   {'y', "unsigned long long"},
		{'n', "__int128"},    {'o', "unsigned __int128"},
		{'f', "float"},       {'d', "double"},
		{'e', "long double"}, {'g', "__float128"},
		{'z', "..."},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].letter == letter)
			return names[i].name;
	return NULL;
}

static const struct part *qualified(struct demangler *d, const struct part *type, const char *text)
{
	struct part *part = type ? part_new(d, PART_QUALIFIED, type, NULL) : NULL;

	if (part) {
		part->text = text;
		part->length = strlen(text);
	}
	return part;
}

/* "K", "VK": const binds tighter than volatile in the name, and is written first. */
static const struct part *read_qualified(struct demangler *d)
{
	const bool restrict_ = demangle_take(d, "r"), volatile_ = demangle_take(d, "V"),
		   const_ = demangle_take(d, "K");
	const struct part *type = d->readers->type(d);

	if (const_)
		type = qualified(d, type, " const");
	if (volatile_)
		type = qualified(d, type, " volatile");
	if (restrict_)
		type = qualified(d, type, " __restrict__");
	return part_remember(d, type);
}

/* What follows "F": a function, to its "E". */
static const struct part *read_function_type(struct demangler *d)
{
	const struct part *result, *parameters = NULL;
	struct part *tail = NULL, *type;
	const char *reference = "";

	(void)demangle_take(d, "Y"); /* extern "C" */
	result = d->readers->type(d);
	if (!result)
		return NULL;
	if (d->at[0] == 'v' && d->at[1] == 'E')
		d->at++;
	while (*d->at != 'E') {
		if (d->at[0] == 'R' && d->at[1] == 'E') {
			reference = " &";
			d->at++;
			break;
		}
		if (d->at[0] == 'O' && d->at[1] == 'E') {
			reference = " &&";
			d->at++;
			break;
		}
		if (!part_append(d, &parameters, &tail, d->readers->type(d)))
			return NULL;
	}
	type = demangle_take(d, "E") ? part_new(d, PART_FUNCTION, result, parameters) : NULL;
	if (type) {
		type->text = reference;
		type->length = strlen(reference);
	}
	return part_remember(d, type);
}

/* What follows "A": "4_f", "_f", or an expression for the size. */
static const struct part *read_array(struct demangler *d)
{
	const struct part *size = NULL, *element;
	const char *start = d->at;
	int64_t unused;

	if (isdigit((unsigned char)*d->at)) {
		struct part *number = part_text(d, "");

		if (!demangle_number(d, &unused) || !number)
			return NULL;
		number->text = start;
		number->length = (size_t)(d->at - start);
		size = number;
	} else if (*d->at != '_') {
		size = d->readers->expression(d);
		if (!size)
			return NULL;
	}
	element = demangle_take(d, "_") ? d->readers->type(d) : NULL;
	return element ? part_remember(d, part_new(d, PART_ARRAY, element, size)) : NULL;
}

static const struct part *read_indirect(struct demangler *d, enum part_kind kind)
{
	const struct part *target = d->readers->type(d);

	return target ? part_remember(d, part_new(d, kind, target, NULL)) : NULL;
}

/* "M3Foof": a pointer to a member. */
static const struct part *read_member_pointer(struct demangler *d)
{
	const struct part *owner = d->readers->type(d);
	const struct part *member = owner ? d->readers->type(d) : NULL;

	return member ? part_remember(d, part_new(d, PART_MEMBER_POINTER, owner, member)) : NULL;
}

static const struct part *read_decltype(struct demangler *d)
{
	const struct part *expression = d->readers->expression(d);
	struct part *part;

	if (!expression || !demangle_take(d, "E"))
		return NULL;
	part = part_new(d, PART_WRAPPED, expression, NULL);
	if (part)
		part->text = "decltype (", part->length = strlen(part->text);
	return part_remember(d, part);
}

/* What follows "Dv": "4_f" is a vector of four. */
static const struct part *read_vector(struct demangler *d)
{
	struct part *size = part_text(d, ""), *part;
	const struct part *element;
	const char *start = d->at;
	int64_t unused;

	if (!size || !demangle_number(d, &unused))
		return NULL;
	size->text = start;
	size->length = (size_t)(d->at - start);
	element = demangle_take(d, "_") ? d->readers->type(d) : NULL;
	part = element ? part_new(d, PART_ARRAY, element, size) : NULL;
	if (part)
		part->text = " __vector";
	return part_remember(d, part);
}

/* What follows "D", except functions. */
static const struct part *read_d_type(struct demangler *d)
{
	static const struct {
		const char *letters, *name;
	} builtins[] = {
		{"i", "char32_t"},    {"s", "char16_t"},           {"u", "char8_t"},
		{"a", "auto"},        {"c", "decltype(auto)"},     {"n", "decltype(nullptr)"},
		{"h", "half"},        {"d", "decimal64"},          {"e", "decimal128"},
		{"f", "decimal32"},   {"F16_", "_Float16"},        {"F32_", "_Float32"},
		{"F64_", "_Float64"}, {"F16b", "std::bfloat16_t"},
	};
	const struct part *pattern;

	if (demangle_take(d, "p")) {
		pattern = d->readers->type(d);
		return pattern ? part_remember(d, part_new(d, PART_EXPANSION, pattern, NULL))
			       : NULL;
	}
	if (demangle_take(d, "t") || demangle_take(d, "T"))
		return read_decltype(d);
	if (demangle_take(d, "v"))
		return read_vector(d);
	if (demangle_take(d, "oF"))
		return read_function_type(d); /* noexcept is not written */
	for (size_t i = 0; i < ARRAY_SIZE(builtins); i++)
		if (demangle_take(d, builtins[i].letters))
			return part_text(d, builtins[i].name);
	return NULL;
}

/* A type with arguments of a template that is itself an argument or was read before. */
static const struct part *with_arguments(struct demangler *d, const struct part *template_)
{
	const struct part *arguments = d->readers->arguments(d, false);

	return arguments ? part_remember(d, part_new(d, PART_TEMPLATE, template_, arguments->left))
			 : NULL;
}

static const struct part *read_template_parameter_type(struct demangler *d)
{
	const struct part *part = part_remember(d, demangle_template_parameter(d));

	return part && demangle_take(d, "I") ? with_arguments(d, part) : part;
}

/* An earlier part; with arguments it is a new one. */
static const struct part *read_substituted_type(struct demangler *d)
{
	const struct part *part;

	if (d->at[1] == 't')
		return part_remember(d, d->readers->name(d, false));
	d->at++;
	part = demangle_substitution(d);
	return part && demangle_take(d, "I") ? with_arguments(d, part) : part;
}

/* "U8__vectorf" */
static const struct part *read_vendor_qualified(struct demangler *d)
{
	const struct part *name = demangle_source_name(d), *type;
	struct part *part;

	if (name && demangle_take(d, "I") && !d->readers->arguments(d, false))
		return NULL;
	type = name ? d->readers->type(d) : NULL;
	part = type ? part_new(d, PART_QUALIFIED, type, NULL) : NULL;
	if (!part)
		return NULL;
	part->text = name->text;
	part->length = name->length;
	part->number = 1; /* after a blank */
	return part_remember(d, part);
}

static const struct part *read_unqualified_type(struct demangler *d)
{
	const char *builtin = builtin_name(*d->at);

	if (builtin) {
		d->at++;
		return part_text(d, builtin);
	}
	switch (*d->at) {
	case 'P':
		d->at++;
		return read_indirect(d, PART_POINTER);
	case 'R':
		d->at++;
		return read_indirect(d, PART_REFERENCE);
	case 'O':
		d->at++;
		return read_indirect(d, PART_RVALUE);
	case 'F':
		d->at++;
		return read_function_type(d);
	case 'A':
		d->at++;
		return read_array(d);
	case 'M':
		d->at++;
		return read_member_pointer(d);
	case 'D':
		d->at++;
		return read_d_type(d);
	case 'u':
		d->at++;
		return part_remember(d, demangle_source_name(d));
	case 'S':
		return read_substituted_type(d);
	case 'T':
		if (d->at[1] && strchr("sue", d->at[1])) { /* "struct", not written */
			d->at += 2;
			return part_remember(d, d->readers->name(d, false));
		}
		return read_template_parameter_type(d);
	case 'U':
		if (!isdigit((unsigned char)d->at[1]))
			break;
		d->at++;
		return read_vendor_qualified(d);
	default:
		break;
	}
	return part_remember(d, d->readers->name(d, false));
}

const struct part *demangle_type(struct demangler *d)
{
	const struct part *part = NULL;

	if (demangle_enter(d))
		part = *d->at && strchr("rVK", *d->at) ? read_qualified(d)
						       : read_unqualified_type(d);
	demangle_leave(d);
	return part;
}

/* ---- template arguments ---- */

static const struct part *read_argument(struct demangler *d)
{
	const struct part *arguments, *expression;

	if (demangle_take(d, "L"))
		return d->readers->literal(d);
	if (demangle_take(d, "J")) {
		arguments = d->readers->arguments(d, false);
		return arguments;
	}
	if (demangle_take(d, "X")) {
		expression = d->readers->expression(d);
		return expression && demangle_take(d, "E") ? expression : NULL;
	}
	return d->readers->type(d);
}

/* What follows "I" or "J", to its "E", as a pack. */
const struct part *demangle_arguments(struct demangler *d, bool tags)
{
	struct part *pack = part_new(d, PART_PACK, NULL, NULL), *tail = NULL;
	const int lambda = d->lambda;
	bool read = pack && demangle_enter(d);

	if (tags)
		d->argument_count = 0;
	d->lambda = 0;
	while (read && !demangle_take(d, "E")) {
		const struct part *argument = read_argument(d);

		read = part_append(d, &pack->left, &tail, argument);
		if (read && tags) {
			d->arguments = xgrow(d->arguments, &d->argument_capacity,
					     d->argument_count + 1, sizeof(*d->arguments));
			d->arguments[d->argument_count++] = argument;
		}
	}
	demangle_leave(d);
	d->lambda = lambda;
	return read ? pack : NULL;
}
