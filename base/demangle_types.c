/* Reads types, template arguments and expressions: "PKf", "ILi4EfE", "XgtT_Li4EE". */
#include "base/demangle.h"

#include <ctype.h>
#include <string.h>

static const struct part *demangle_expression(struct demangler *d);

/* ---- types ---- */

/* Without a size: types that kernels do not have as parameters. */
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
	{'v', "void", 0, false, false},
	{'n', "__int128", 0, false, true},
	{'o', "unsigned __int128", 0, false, false},
	{'e', "long double", 0, true, true},
	{'g', "__float128", 0, true, true},
	{'z', "...", 0, false, false},
};

/* A type of the program can have no such name: they are words of the language. */
const struct builtin_type *demangled_builtin(const struct part *part)
{
	for (size_t i = 0; part && part->kind == PART_TEXT && i < ARRAY_SIZE(builtin_types); i++)
		if (builtin_types[i].bytes && strlen(builtin_types[i].name) == part->length &&
		    !memcmp(builtin_types[i].name, part->text, part->length))
			return &builtin_types[i];
	return NULL;
}

/* "K", "VK": const binds tighter than volatile in the name, and is written first. */
static const struct part *read_qualified(struct demangler *d)
{
	const bool restrict_ = demangle_take(d, "r"), volatile_ = demangle_take(d, "V"),
		   const_ = demangle_take(d, "K");
	const struct part *type = demangle_type(d);

	if (const_)
		type = part_with_text(d, PART_QUALIFIED, " const", type);
	if (volatile_)
		type = part_with_text(d, PART_QUALIFIED, " volatile", type);
	if (restrict_)
		type = part_with_text(d, PART_QUALIFIED, " __restrict__", type);
	return part_remember(d, type);
}

/* What follows "F": a function, to its "E". */
static const struct part *read_function_type(struct demangler *d)
{
	const struct part *result, *parameters = NULL;
	struct part *tail = NULL, *type;
	const char *reference = "";

	(void)demangle_take(d, "Y"); /* extern "C" */
	result = demangle_type(d);
	if (!result)
		return NULL;
	if (d->at[0] == 'v' && d->at[1] == 'E')
		d->at++;
	while (*d->at != 'E') {
		if ((d->at[0] == 'R' || d->at[0] == 'O') && d->at[1] == 'E') {
			reference = *d->at++ == 'R' ? " &" : " &&";
			break;
		}
		if (!part_append(d, &parameters, &tail, demangle_type(d)))
			return NULL;
	}
	d->at++;
	type = part_with_text(d, PART_FUNCTION, reference, result);
	if (type)
		type->right = parameters;
	return part_remember(d, type);
}

/* What follows "A": "4_f", "_f", or an expression for the size. */
static const struct part *read_array(struct demangler *d)
{
	const struct part *size = NULL, *element;

	if (*d->at != '_') {
		size = isdigit((unsigned char)*d->at) ? part_digits(d) : demangle_expression(d);
		if (!size)
			return NULL;
	}
	element = demangle_take(d, "_") ? demangle_type(d) : NULL;
	return part_remember(d, part_if_read(d, PART_ARRAY, element, size));
}

static const struct part *read_indirect(struct demangler *d, enum part_kind kind)
{
	d->at++;
	return part_remember(d, part_if_read(d, kind, demangle_type(d), NULL));
}

/* "M3Foof": a pointer to a member. */
static const struct part *read_member_pointer(struct demangler *d)
{
	const struct part *owner = demangle_type(d);
	const struct part *member = owner ? demangle_type(d) : NULL;

	return member ? part_remember(d, part_new(d, PART_MEMBER_POINTER, owner, member)) : NULL;
}

static const struct part *read_decltype(struct demangler *d)
{
	const struct part *expression = demangle_expression(d);

	if (!expression || !demangle_take(d, "E"))
		return NULL;
	return part_remember(d, part_with_text(d, PART_WRAPPED, "decltype (", expression));
}

/* What follows "Dv": "4_f" is a vector of four. */
static const struct part *read_vector(struct demangler *d)
{
	const struct part *size = part_digits(d);
	struct part *part = size && demangle_take(d, "_")
				    ? part_if_read(d, PART_ARRAY, demangle_type(d), size)
				    : NULL;

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

	if (demangle_take(d, "p"))
		return part_remember(d, part_if_read(d, PART_EXPANSION, demangle_type(d), NULL));
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

/* A template that is itself an argument, or was read before, is a new part with its arguments. */
static const struct part *read_own_arguments(struct demangler *d, const struct part *part)
{
	return part && *d->at == 'I' ? part_remember(d, demangle_with_arguments(d, part, false))
				     : part;
}

/* "U8__vectorf" */
static const struct part *read_vendor_qualified(struct demangler *d)
{
	const struct part *name;
	struct part *part;

	d->at++;
	name = demangle_source_name(d);
	if (!name || (demangle_take(d, "I") && !demangle_arguments(d, false)))
		return NULL;
	part = part_if_read(d, PART_QUALIFIED, demangle_type(d), NULL);
	if (!part)
		return NULL;
	part->text = name->text;
	part->length = name->length;
	part->number = 1; /* after a blank */
	return part_remember(d, part);
}

static const struct part *read_unqualified_type(struct demangler *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(builtin_types); i++)
		if (builtin_types[i].letter == *d->at) {
			d->at++;
			return part_text(d, builtin_types[i].name);
		}
	switch (*d->at) {
	case 'P':
		return read_indirect(d, PART_POINTER);
	case 'R':
		return read_indirect(d, PART_REFERENCE);
	case 'O':
		return read_indirect(d, PART_RVALUE);
	case 'S':
		if (d->at[1] == 't')
			break;
		d->at++;
		return read_own_arguments(d, demangle_substitution(d));
	case 'T':
		if (!d->at[1] || !strchr("sue", d->at[1]))
			return read_own_arguments(d,
						  part_remember(d, demangle_template_parameter(d)));
		d->at += 2; /* "struct", not written */
		break;
	case 'U':
		if (isdigit((unsigned char)d->at[1]))
			return read_vendor_qualified(d);
		break;
	default:
		break;
	}
	if (demangle_take(d, "F"))
		return read_function_type(d);
	if (demangle_take(d, "A"))
		return read_array(d);
	if (demangle_take(d, "M"))
		return read_member_pointer(d);
	if (demangle_take(d, "D"))
		return read_d_type(d);
	if (demangle_take(d, "u"))
		return part_remember(d, demangle_source_name(d));
	return part_remember(d, d->name(d, false));
}

const struct part *demangle_type(struct demangler *d)
{
	const struct part *part = NULL;

	if (demangle_enter(d))
		part = *d->at && strchr("rVK", *d->at) ? read_qualified(d)
						       : read_unqualified_type(d);
	d->depth--;
	return part;
}

/* ---- template arguments ---- */

/* What follows "L". */
static const struct part *demangle_literal(struct demangler *d)
{
	const struct part *type;
	struct part *part;

	if (demangle_take(d, "_Z")) {
		type = d->encoding(d);
		return type && demangle_take(d, "E") ? type : NULL;
	}
	part = part_with_text(d, PART_LITERAL, "", demangle_type(d));
	if (!part)
		return NULL;
	part->number = demangle_take(d, "n");
	part->text = d->at;
	while (isalnum((unsigned char)*d->at) && *d->at != 'E')
		d->at++;
	part->length = (size_t)(d->at - part->text);
	return demangle_take(d, "E") ? part : NULL;
}

static const struct part *read_argument(struct demangler *d)
{
	const struct part *expression;

	if (demangle_take(d, "L"))
		return demangle_literal(d);
	if (demangle_take(d, "J"))
		return demangle_arguments(d, false);
	if (demangle_take(d, "X")) {
		expression = demangle_expression(d);
		return expression && demangle_take(d, "E") ? expression : NULL;
	}
	return demangle_type(d);
}

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
	d->depth--;
	d->lambda = lambda;
	return read ? pack : NULL;
}

const struct part *demangle_with_arguments(struct demangler *d, const struct part *name, bool tags)
{
	const struct part *arguments;

	if (!name || !demangle_take(d, "I"))
		return name;
	arguments = demangle_arguments(d, tags);
	return arguments ? part_new(d, PART_TEMPLATE, name, arguments->left) : NULL;
}

/* ---- operands ---- */

/* Expressions up to "E", as a pack. */
static const struct part *read_expressions(struct demangler *d)
{
	struct part *pack = part_new(d, PART_PACK, NULL, NULL), *tail = NULL;

	if (!pack)
		return NULL;
	while (!demangle_take(d, "E"))
		if (!part_append(d, &pack->left, &tail, demangle_expression(d)))
			return NULL;
	return pack;
}

/* What follows "fp" or "fL": a parameter of the function whose type this is in. */
static const struct part *read_own_parameter(struct demangler *d, bool outer)
{
	int64_t level;

	if (outer && (!demangle_number(d, &level) || !demangle_take(d, "p")))
		return NULL;
	(void)demangle_take(d, "r");
	(void)demangle_take(d, "V");
	(void)demangle_take(d, "K");
	return part_numbered(d, PART_PARAMETER, NULL);
}

/* A simple name behind "sr" or "dn"; "on" comes before an operator. */
static const struct part *read_unresolved(struct demangler *d)
{
	(void)demangle_take(d, "on");
	return demangle_with_arguments(d, d->unqualified(d, NULL), false);
}

/* What follows "sr": "T_5value", or with levels "N…E5value". */
static const struct part *read_scope(struct demangler *d)
{
	const bool levels = demangle_take(d, "N");
	const struct part *scope = demangle_type(d), *name;

	while (levels && scope && !demangle_take(d, "E")) {
		name = demangle_with_arguments(d, demangle_source_name(d), false);
		scope = name ? part_new(d, PART_NESTED, scope, name) : NULL;
	}
	name = scope ? read_unresolved(d) : NULL;
	return name ? part_new(d, PART_NESTED, scope, name) : NULL;
}

/* ---- compound expressions ---- */

static const struct part *read_call(struct demangler *d)
{
	const struct part *function = demangle_expression(d);
	const struct part *arguments = function ? read_expressions(d) : NULL;

	return arguments ? part_new(d, PART_CALL, function, arguments->left) : NULL;
}

/* What follows "cv": "T_" and one operand, or "_" and several. */
static const struct part *read_cast(struct demangler *d)
{
	const struct part *type = demangle_type(d), *operands;

	if (!type)
		return NULL;
	operands = demangle_take(d, "_") ? read_expressions(d) : demangle_expression(d);
	return operands ? part_new(d, PART_CAST, type, operands) : NULL;
}

static const struct part *read_braces(struct demangler *d, bool typed)
{
	const struct part *type = typed ? demangle_type(d) : NULL, *items;

	if (typed && !type)
		return NULL;
	items = read_expressions(d);
	return items ? part_new(d, PART_BRACES, type, items->left) : NULL;
}

static const struct part *read_condition(struct demangler *d)
{
	const struct part *condition = demangle_expression(d);
	const struct part *yes = condition ? demangle_expression(d) : NULL;
	const struct part *no = yes ? demangle_expression(d) : NULL;
	const struct part *either = no ? part_new(d, PART_LIST, yes, no) : NULL;

	return either ? part_new(d, PART_CONDITION, condition, either) : NULL;
}

static const struct part *read_operator(struct demangler *d)
{
	int operands = 0;
	const char *text = demangle_operator(d->at, &operands);
	struct part *part;

	if (!operands)
		return NULL;
	d->at += 2;
	/* "pp_" and "mm_" are written before the operand, "pp" behind it */
	(void)(operands == 1 && demangle_take(d, "_"));
	part = part_with_text(d, operands == 2 ? PART_BINARY : PART_UNARY, text,
			      demangle_expression(d));
	if (part && operands == 2) {
		part->right = demangle_expression(d);
		if (!part->right)
			return NULL;
	}
	return part;
}

static const struct part *read_member(struct demangler *d)
{
	struct part *part = part_with_text(d, PART_BINARY, ".", demangle_expression(d));

	if (!part)
		return NULL;
	part->right = read_unresolved(d);
	return part->right ? part : NULL;
}

static const struct part *read_expression(struct demangler *d)
{
	if (demangle_take(d, "L"))
		return demangle_literal(d);
	if (*d->at == 'T')
		return demangle_template_parameter(d);
	if (demangle_take(d, "fp"))
		return read_own_parameter(d, false);
	if (demangle_take(d, "fL"))
		return read_own_parameter(d, true);
	if (demangle_take(d, "sr"))
		return read_scope(d);
	if (demangle_take(d, "sp"))
		return part_if_read(d, PART_EXPANSION, demangle_expression(d), NULL);
	if (demangle_take(d, "st"))
		return part_with_text(d, PART_WRAPPED, "sizeof (", demangle_type(d));
	if (demangle_take(d, "sz"))
		return part_with_text(d, PART_WRAPPED, "sizeof (", demangle_expression(d));
	if (demangle_take(d, "at"))
		return part_with_text(d, PART_WRAPPED, "alignof (", demangle_type(d));
	if (demangle_take(d, "az"))
		return part_with_text(d, PART_WRAPPED, "alignof (", demangle_expression(d));
	if (demangle_take(d, "nx"))
		return part_with_text(d, PART_WRAPPED, "noexcept (", demangle_expression(d));
	if (demangle_take(d, "sZ"))
		return part_if_read(d, PART_PACK_SIZE, demangle_expression(d), NULL);
	if (demangle_take(d, "cl"))
		return read_call(d);
	if (demangle_take(d, "cv"))
		return read_cast(d);
	if (demangle_take(d, "tl"))
		return read_braces(d, true);
	if (demangle_take(d, "il"))
		return read_braces(d, false);
	if (demangle_take(d, "qu"))
		return read_condition(d);
	if (demangle_take(d, "dt"))
		return read_member(d);
	if (isdigit((unsigned char)*d->at) || !strncmp(d->at, "on", 2))
		return read_unresolved(d);
	return read_operator(d);
}

static const struct part *demangle_expression(struct demangler *d)
{
	const struct part *part = demangle_enter(d) ? read_expression(d) : NULL;

	d->depth--;
	return part;
}
