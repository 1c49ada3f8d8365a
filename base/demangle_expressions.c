/* Reads expressions in template arguments and types: "XgtT_Li4EE". */
#include "base/demangle_expressions.h"

#include <ctype.h>
#include <string.h>

const struct operator_row *demangle_operator(const char *at)
{
	static const struct operator_row rows[] = {
		{"nw", "new", 0},      {"na", "new[]", 0}, {"dl", "delete", 0},
		{"da", "delete[]", 0}, {"ps", "+", 1},     {"ng", "-", 1},
		{"ad", "&", 1},        {"de", "*", 1},     {"co", "~", 1},
		{"pl", "+", 2},        {"mi", "-", 2},     {"ml", "*", 2},
		{"dv", "/", 2},        {"rm", "%", 2},     {"an", "&", 2},
		{"or", "|", 2},        {"eo", "^", 2},     {"aS", "=", 2},
		{"pL", "+=", 2},       {"mI", "-=", 2},    {"mL", "*=", 2},
		{"dV", "/=", 2},       {"rM", "%=", 2},    {"aN", "&=", 2},
		{"oR", "|=", 2},       {"eO", "^=", 2},    {"ls", "<<", 2},
		{"rs", ">>", 2},       {"lS", "<<=", 2},   {"rS", ">>=", 2},
		{"eq", "==", 2},       {"ne", "!=", 2},    {"lt", "<", 2},
		{"gt", ">", 2},        {"le", "<=", 2},    {"ge", ">=", 2},
		{"ss", "<=>", 2},      {"nt", "!", 1},     {"aa", "&&", 2},
		{"oo", "||", 2},       {"pp", "++", 1},    {"mm", "--", 1},
		{"cm", ",", 2},        {"pm", "->*", 2},   {"pt", "->", 2},
		{"cl", "()", 0},       {"ix", "[]", 0},    {"qu", "?", 0},
		{"aw", "co_await", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strncmp(at, rows[i].letters, 2))
			return &rows[i];
	return NULL;
}

/* ---- literals ---- */

const struct part *demangle_literal(struct demangler *d)
{
	const struct part *type;
	struct part *part;

	if (demangle_take(d, "_Z")) {
		type = d->readers->encoding(d);
		return type && demangle_take(d, "E") ? type : NULL;
	}
	type = d->readers->type(d);
	part = type ? part_new(d, PART_LITERAL, type, NULL) : NULL;
	if (!part)
		return NULL;
	part->number = demangle_take(d, "n");
	part->text = d->at;
	while (isalnum((unsigned char)*d->at) && *d->at != 'E')
		d->at++;
	part->length = (size_t)(d->at - part->text);
	return demangle_take(d, "E") ? part : NULL;
}

/* ---- operands ---- */

static const struct part *part_wrapped(struct demangler *d, const char *text, const struct part *of)
{
	struct part *part = of ? part_new(d, PART_WRAPPED, of, NULL) : NULL;

	if (part) {
		part->text = text;
		part->length = strlen(text);
	}
	return part;
}

/* Expressions up to "E", as a pack. */
static const struct part *read_expressions(struct demangler *d)
{
	struct part *pack = part_new(d, PART_PACK, NULL, NULL), *tail = NULL;

	if (!pack)
		return NULL;
	while (!demangle_take(d, "E"))
		if (!part_append(d, &pack->left, &tail, d->readers->expression(d)))
			return NULL;
	return pack;
}

/* What follows "fp" or "fL": a parameter of the function whose type this is in. */
static const struct part *read_own_parameter(struct demangler *d, bool outer)
{
	struct part *part;
	int64_t level, number;

	if (outer && (!demangle_number(d, &level) || !demangle_take(d, "p")))
		return NULL;
	(void)demangle_take(d, "r");
	(void)demangle_take(d, "V");
	(void)demangle_take(d, "K");
	if (!demangle_sequence(d, 10, &number))
		return NULL;
	part = part_new(d, PART_PARAMETER, NULL, NULL);
	if (part)
		part->number = number + 1;
	return part;
}

static const struct part *with_template_arguments(struct demangler *d, const struct part *name)
{
	const struct part *arguments;

	if (!name || !demangle_take(d, "I"))
		return name;
	arguments = d->readers->arguments(d, false);
	return arguments ? part_new(d, PART_TEMPLATE, name, arguments->left) : NULL;
}

/* A simple name behind "sr" or "dn"; "on" comes before an operator. */
static const struct part *read_unresolved(struct demangler *d)
{
	(void)demangle_take(d, "on");
	return with_template_arguments(d, d->readers->unqualified(d, NULL));
}

/* What follows "sr": "T_5value", or with levels "N…E5value". */
static const struct part *read_scope(struct demangler *d)
{
	const bool levels = demangle_take(d, "N");
	const struct part *scope = d->readers->type(d), *name;

	while (levels && scope && !demangle_take(d, "E")) {
		name = with_template_arguments(d, demangle_source_name(d));
		scope = name ? part_new(d, PART_NESTED, scope, name) : NULL;
	}
	name = scope ? read_unresolved(d) : NULL;
	return name ? part_new(d, PART_NESTED, scope, name) : NULL;
}

/* ---- compound expressions ---- */

static const struct part *read_call(struct demangler *d)
{
	const struct part *function = d->readers->expression(d);
	const struct part *arguments = function ? read_expressions(d) : NULL;

	return arguments ? part_new(d, PART_CALL, function, arguments->left) : NULL;
}

/* What follows "cv": "T_" and one operand, or "_" and several. */
static const struct part *read_cast(struct demangler *d)
{
	const struct part *type = d->readers->type(d), *operands;

	if (!type)
		return NULL;
	operands = demangle_take(d, "_") ? read_expressions(d) : d->readers->expression(d);
	return operands ? part_new(d, PART_CAST, type, operands) : NULL;
}

static const struct part *read_braces(struct demangler *d, bool typed)
{
	const struct part *type = typed ? d->readers->type(d) : NULL, *items;

	if (typed && !type)
		return NULL;
	items = read_expressions(d);
	return items ? part_new(d, PART_BRACES, type, items->left) : NULL;
}

static const struct part *read_condition(struct demangler *d)
{
	const struct part *condition = d->readers->expression(d);
	const struct part *yes = condition ? d->readers->expression(d) : NULL;
	const struct part *no = yes ? d->readers->expression(d) : NULL;
	const struct part *either = no ? part_new(d, PART_LIST, yes, no) : NULL;

	return either ? part_new(d, PART_CONDITION, condition, either) : NULL;
}

static const struct part *read_operator(struct demangler *d)
{
	const struct operator_row *row = demangle_operator(d->at);
	const struct part *left, *right = NULL;
	struct part *part;

	if (!row || !row->operands)
		return NULL;
	d->at += 2;
	/* "pp_" and "mm_" are written before the operand, "pp" behind it */
	(void)(row->operands == 1 && demangle_take(d, "_"));
	left = d->readers->expression(d);
	if (!left)
		return NULL;
	if (row->operands == 2) {
		right = d->readers->expression(d);
		if (!right)
			return NULL;
	}
	part = part_new(d, right ? PART_BINARY : PART_UNARY, left, right);
	if (part) {
		part->text = row->text;
		part->length = strlen(row->text);
	}
	return part;
}

/* "sZT_" and "sZfp_" */
static const struct part *read_pack_size(struct demangler *d)
{
	const struct part *pack =
		*d->at == 'T' ? demangle_template_parameter(d) : d->readers->expression(d);

	return pack ? part_new(d, PART_PACK_SIZE, pack, NULL) : NULL;
}

static const struct part *read_member(struct demangler *d)
{
	const struct part *object = d->readers->expression(d);
	const struct part *member = object ? read_unresolved(d) : NULL;
	struct part *part = member ? part_new(d, PART_BINARY, object, member) : NULL;

	if (part)
		part->text = ".", part->length = 1;
	return part;
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
	if (demangle_take(d, "sp")) {
		const struct part *pattern = d->readers->expression(d);

		return pattern ? part_new(d, PART_EXPANSION, pattern, NULL) : NULL;
	}
	if (demangle_take(d, "st"))
		return part_wrapped(d, "sizeof (", d->readers->type(d));
	if (demangle_take(d, "sz"))
		return part_wrapped(d, "sizeof (", d->readers->expression(d));
	if (demangle_take(d, "at"))
		return part_wrapped(d, "alignof (", d->readers->type(d));
	if (demangle_take(d, "az"))
		return part_wrapped(d, "alignof (", d->readers->expression(d));
	if (demangle_take(d, "nx"))
		return part_wrapped(d, "noexcept (", d->readers->expression(d));
	if (demangle_take(d, "sZ"))
		return read_pack_size(d);
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

const struct part *demangle_expression(struct demangler *d)
{
	const struct part *part = demangle_enter(d) ? read_expression(d) : NULL;

	demangle_leave(d);
	return part;
}
