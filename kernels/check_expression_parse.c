/* Check expressions: a recursive-descent parser that builds the typed tree. */
#include "kernels/check_expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check_expression_tree.h"
#include "kernels/expression.h"

/* Nesting of parentheses, brackets and signs. Each costs about ten frames of the stack. */
#define NESTING_LIMIT 64
#define TEXT_LIMIT 65536

static int parse_check_any(struct check_parse *p, int *out);

static int parse_check_number(struct check_parse *p, int *out)
{
	struct tree_node node = {.type = TREE_SIGNED, .operands = {-1, -1, -1}};
	const char *start = p->at;
	bool real = false, is_float;
	char *digits, *end;
	int rc;

	while (isdigit((unsigned char)*p->at))
		p->at++;
	if (*p->at == '.') {
		real = true;
		p->at++;
		while (isdigit((unsigned char)*p->at))
			p->at++;
	}
	if (*p->at == 'e' || *p->at == 'E') {
		real = true;
		p->at++;
		if (*p->at == '+' || *p->at == '-')
			p->at++;
		while (isdigit((unsigned char)*p->at))
			p->at++;
	}
	digits = xstrndup(start, (size_t)(p->at - start));
	is_float = real && (*p->at == 'f' || *p->at == 'F');
	p->at += is_float;
	if (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.') {
		free(digits);
		return check_parse_fail(p, p->at, "a number ends in a letter or a point");
	}
	if (real) {
		node.operation = TREE_DOUBLE;
		node.type = TREE_REAL;
		/* Unlike parse_double(), this takes "2." and ".5", as C does. */
		node.literal.real = strtod(digits, &end);
		if (is_float)
			node.literal.real = (double)(float)node.literal.real;
		rc = *end || !isfinite(node.literal.real);
	} else {
		node.operation = TREE_INTEGER;
		rc = parse_i64(&node.literal.integer, digits, NULL);
	}
	free(digits);
	if (rc)
		return check_parse_fail(p, start,
					real ? "this is no decimal number in the range of doubles"
					     : "the integer is over 2^63 - 1; write a point for a "
					       "double");
	return check_add(p, out, node, start);
}

static int parse_check_primary(struct check_parse *p, int *out)
{
	const char *start = check_next(p);
	int rc;

	if (isdigit((unsigned char)*start) || *start == '.')
		return parse_check_number(p, out);
	if (isalpha((unsigned char)*start) || *start == '_')
		return check_parse_name(p, out);
	if (!check_accept(p, "("))
		return check_parse_fail(p, start, "a number, a name or \"(\" expected");
	rc = parse_check_any(p, out);
	return rc ? rc : check_expect(p, ")", "\")\" expected");
}

static int parse_check_unary(struct check_parse *p, int *out)
{
	const char *start = check_next(p);
	enum tree_operation operation;
	int operand, rc;

	if (check_accept(p, "-"))
		operation = TREE_NEGATE;
	else if (check_accept(p, "!"))
		operation = TREE_NOT;
	else if (check_accept(p, "~"))
		operation = TREE_BIT_NOT;
	else
		return parse_check_primary(p, out);
	if (++p->nesting > NESTING_LIMIT)
		return check_parse_fail(p, start, "nested too deep");
	rc = parse_check_unary(p, &operand);
	p->nesting--;
	if (rc)
		return rc;
	if (operation == TREE_BIT_NOT && check_type_of(p, operand) == TREE_REAL)
		return check_parse_fail(p, start,
					"\"~\" takes an integer: int(...) makes one of a double");
	return check_add_operation(p, out, operation,
				   operation == TREE_NOT ? TREE_SIGNED : check_type_of(p, operand),
				   operand, -1, start);
}

/* ---- operators of two operands ---- */

struct check_symbol {
	const char *text;
	enum tree_operation operation;
	bool swapped; /* the operands change places */
};

/* Operators of one precedence. */
struct check_level {
	const struct check_symbol *symbols;
	size_t count;
	bool comparison; /* one at most: "a < b < c" is an error */
	bool of_integers;
	bool logic; /* the operands may have different types */
};

static const struct check_symbol ors[] = {{"||", TREE_OR, false}};
static const struct check_symbol ands[] = {{"&&", TREE_AND, false}};
static const struct check_symbol bit_ors[] = {{"|", TREE_BIT_OR, false}};
static const struct check_symbol bit_ands[] = {{"&", TREE_BIT_AND, false}};
static const struct check_symbol comparisons[] = {
	{"==", TREE_EQUAL, false},     {"!=", TREE_UNEQUAL, false}, {"<=", TREE_LESS_EQUAL, false},
	{">=", TREE_LESS_EQUAL, true}, {"<", TREE_LESS, false},     {">", TREE_LESS, true},
};
static const struct check_symbol shifts[] = {
	{"<<", TREE_SHIFT_LEFT, false},
	{">>", TREE_SHIFT_RIGHT, false},
};
static const struct check_symbol terms[] = {{"+", TREE_ADD, false}, {"-", TREE_SUBTRACT, false}};
static const struct check_symbol products[] = {
	{"*", TREE_MULTIPLY, false},
	{"/", TREE_DIVIDE, false},
	{"%", TREE_REMAINDER, false},
};

/* From the loosest. */
static const struct check_level levels[] = {
	{ors, ARRAY_SIZE(ors), .logic = true},
	{ands, ARRAY_SIZE(ands), .logic = true},
	{bit_ors, ARRAY_SIZE(bit_ors), .of_integers = true},
	{bit_ands, ARRAY_SIZE(bit_ands), .of_integers = true},
	{comparisons, ARRAY_SIZE(comparisons), .comparison = true},
	{shifts, ARRAY_SIZE(shifts), .of_integers = true},
	{.symbols = terms, .count = ARRAY_SIZE(terms)},
	{.symbols = products, .count = ARRAY_SIZE(products)},
};

/* The operator of this level that comes next, which is consumed; NULL: another symbol. */
static const struct check_symbol *accept_symbol(struct check_parse *p,
						const struct check_level *level)
{
	const char *at = check_next(p);

	/* && and || begin with operators of bits */
	if (!level->logic && (*at == '&' || *at == '|') && at[1] == *at)
		return NULL;
	for (size_t i = 0; i < level->count; i++)
		if (check_accept(p, level->symbols[i].text))
			return &level->symbols[i];
	return NULL;
}

/* Combines *out with the operand on its right. */
static int check_combine(struct check_parse *p, int *out, int right,
			 const struct check_symbol *symbol, const struct check_level *level,
			 const char *at)
{
	enum tree_type type = check_type_of(p, *out);
	bool shift = level->symbols == shifts;
	int left = *out, rc = 0;

	if (level->of_integers && (type == TREE_REAL || check_type_of(p, right) == TREE_REAL))
		return check_parse_fail(p, at,
					"bits are those of integers: int(...) makes one of a "
					"double");
	/* The number of bits does not decide the type of what is shifted. */
	if (!shift && !level->logic)
		rc = check_unify(p, &left, &right, at);
	if (!shift)
		type = level->comparison || level->logic ? TREE_SIGNED : check_type_of(p, left);
	return rc ? rc
		  : check_add_operation(p, out, symbol->operation, type,
					symbol->swapped ? right : left,
					symbol->swapped ? left : right, at);
}

static int parse_check_level(struct check_parse *p, size_t index, int *out)
{
	const struct check_level *level = &levels[index];
	int rc;

	if (index == ARRAY_SIZE(levels))
		return parse_check_unary(p, out);
	rc = parse_check_level(p, index + 1, out);
	while (!rc) {
		const char *at = check_next(p);
		const struct check_symbol *symbol = accept_symbol(p, level);
		int right;

		if (!symbol && *at == '^')
			return check_parse_fail(p, at, EXPRESSION_NO_CARET);
		if (!symbol)
			break;
		rc = parse_check_level(p, index + 1, &right);
		if (!rc)
			rc = check_combine(p, out, right, symbol, level, at);
		if (level->comparison)
			break;
	}
	return rc;
}

static int parse_check_any(struct check_parse *p, int *out)
{
	struct tree_node node = {.operation = TREE_CHOOSE, .operands = {-1, -1, -1}};
	const char *at = check_next(p);
	int rc;

	if (++p->nesting > NESTING_LIMIT)
		return check_parse_fail(p, at, "nested too deep");
	rc = parse_check_level(p, 0, out);
	at = check_next(p);
	if (!rc && check_accept(p, "?")) {
		node.operands[0] = *out;
		rc = parse_check_any(p, &node.operands[1]);
		if (!rc)
			rc = check_expect(p, ":", "\":\" expected after the value for true");
		if (!rc)
			rc = parse_check_any(p, &node.operands[2]);
		if (!rc)
			rc = check_unify(p, &node.operands[1], &node.operands[2], at);
		if (!rc) {
			node.type = check_type_of(p, node.operands[1]);
			rc = check_add(p, out, node, at);
		}
	}
	p->nesting--;
	return rc;
}

int check_expression_parse(struct check_expression **out, const char *text,
			   const struct check_names *names, struct error *err)
{
	struct check_parse p = {
		.names = names,
		.text = text,
		.at = text,
		.parse_any = parse_check_any,
		.scopes = {{"i", 1, true, LIKE_RESULT}},
		.scope_count = 1,
		.err = err,
	};
	const char *kind = names->of_fill ? "fill" : "check";
	int rc;

	if (strlen(text) > TEXT_LIMIT)
		return error_set(err, PL_EPARSE,
				 "the %s expression \"%.40s...\" has %zu characters; the limit "
				 "is %d; use another kind of %s",
				 kind, text, strlen(text), TEXT_LIMIT, kind);
	p.tree = xcalloc(1, sizeof(*p.tree));
	p.tree->text = xstrdup(text);
	p.tree->of_fill = names->of_fill;
	rc = parse_check_any(&p, &p.tree->root);
	if (!rc && *check_next(&p))
		rc = check_parse_fail(&p, p.at, "an operator or the end expected");
	if (rc)
		check_expression_free(p.tree);
	else
		*out = p.tree;
	return rc;
}

void check_expression_free(struct check_expression *expression)
{
	if (!expression)
		return;
	for (size_t i = 0; i < expression->buffer_count; i++)
		free(expression->buffers[i].name);
	free(expression->buffers);
	free(expression->nodes);
	string_list_release(&expression->axes);
	free(expression->text);
	free(expression);
}
