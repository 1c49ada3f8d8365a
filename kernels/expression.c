/*
 * Expressions of descriptors: a recursive-descent parser that evaluates as it
 * parses. Every operation is checked for overflow, because sizes come from the
 * user.
 */
#include <ctype.h>
#include <string.h>

#include "kernels/expression.h"
#include "kernels/kernels.h"

/* Deeper than any table needs, and shallow enough for the stack of a worker. */
#define DEPTH_LIMIT 64

struct evaluation {
	const char *text;
	const char *at;
	const struct expression_variable *variables;
	size_t variable_count;
	int depth;
	/* Above 0 inside the operand of && or || that is not needed. It is parsed, but its
	 * arithmetic cannot fail: "n == 0 || 8 % n == 0" is valid for n = 0. */
	int skipping;
	struct error *err;
};

static int evaluate_any(struct evaluation *e, int64_t *out);

static int expression_fail_at(struct evaluation *e, const char *at, const char *cause)
{
	return expression_refuse(e->err, "expression", e->text, at, cause);
}

/* Reports a failed operation. While skipping, sets *out = 0 and returns 0 instead. */
static int fail_value(struct evaluation *e, const char *at, const char *cause, int64_t *out)
{
	if (!e->skipping)
		return expression_fail_at(e, at, cause);
	*out = 0;
	return 0;
}

static void skip_expression_blanks(struct evaluation *e)
{
	while (*e->at == ' ' || *e->at == '\t')
		e->at++;
}

/* Consumes `symbol` if it comes next. */
static bool accept(struct evaluation *e, char symbol)
{
	skip_expression_blanks(e);
	if (*e->at != symbol)
		return false;
	e->at++;
	return true;
}

static int expect(struct evaluation *e, char symbol, const char *cause)
{
	return accept(e, symbol) ? 0 : expression_fail_at(e, e->at, cause);
}

static int evaluate_call(struct evaluation *e, const struct expression_function *function,
			 const char *start, int64_t *out)
{
	int64_t arguments[EXPRESSION_FUNCTION_ARGUMENTS] = {0};
	const char *cause;
	int rc;

	for (int i = 0; i < function->argument_count; i++) {
		if (i) {
			rc = expect(e, ',', "a second argument is missing: \",\" expected");
			if (rc)
				return rc;
		}
		rc = evaluate_any(e, &arguments[i]);
		if (rc)
			return rc;
	}
	rc = expect(e, ')', "\")\" expected after the arguments");
	if (rc)
		return rc;
	cause = function->call(out, arguments);
	return cause ? fail_value(e, start, cause, out) : 0;
}

static int evaluate_name(struct evaluation *e, int64_t *out)
{
	const struct expression_function *function;
	const char *start = e->at;
	size_t length;

	while (isalnum((unsigned char)*e->at) || *e->at == '_')
		e->at++;
	length = (size_t)(e->at - start);
	if (accept(e, '(')) {
		function = expression_function_find(start, length);
		return function ? evaluate_call(e, function, start, out)
				: expression_fail_at(e, start, "no function has this name");
	}
	for (size_t i = 0; i < e->variable_count; i++) {
		const struct expression_variable *variable = &e->variables[i];

		if (strlen(variable->name) == length && !memcmp(variable->name, start, length)) {
			*out = variable->value;
			return 0;
		}
	}
	return expression_fail_at(e, start, "no axis or device limit has this name");
}

static int evaluate_number(struct evaluation *e, int64_t *out)
{
	const char *start = e->at;
	int64_t value = 0;

	for (; isdigit((unsigned char)*e->at); e->at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *e->at - '0', &value))
			return expression_fail_at(e, start, "the number is over 2^63 - 1");
	if (isalpha((unsigned char)*e->at) || *e->at == '_')
		return expression_fail_at(e, e->at, "a number ends in a letter");
	*out = value;
	return 0;
}

static int evaluate_primary(struct evaluation *e, int64_t *out)
{
	int rc;

	skip_expression_blanks(e);
	if (isdigit((unsigned char)*e->at))
		return evaluate_number(e, out);
	if (isalpha((unsigned char)*e->at) || *e->at == '_')
		return evaluate_name(e, out);
	if (!accept(e, '('))
		return expression_fail_at(e, e->at, "a number, a name or \"(\" expected");
	rc = evaluate_any(e, out);
	return rc ? rc : expect(e, ')', "\")\" expected");
}

static int evaluate_unary(struct evaluation *e, int64_t *out)
{
	const char *start;
	int rc;

	skip_expression_blanks(e);
	start = e->at;
	if (!accept(e, '-') && !accept(e, '!') && !accept(e, '~'))
		return evaluate_primary(e, out);
	if (++e->depth > DEPTH_LIMIT)
		return expression_fail_at(e, start, "nested too deep");
	rc = evaluate_unary(e, out);
	e->depth--;
	if (rc)
		return rc;
	if (*start == '!')
		*out = !*out;
	else if (*start == '~')
		*out = ~*out;
	else if (__builtin_sub_overflow(0, *out, out))
		return fail_value(e, start, "the negation overflows", out);
	return 0;
}

/* ---- operators of two operands ---- */

enum operation {
	OPERATION_OR,
	OPERATION_AND,
	OPERATION_EQUAL,
	OPERATION_UNEQUAL,
	OPERATION_LESS_EQUAL,
	OPERATION_GREATER_EQUAL,
	OPERATION_SHIFT_LEFT,
	OPERATION_SHIFT_RIGHT,
	OPERATION_BIT_OR,
	OPERATION_BIT_AND,
	OPERATION_LESS,
	OPERATION_GREATER,
	OPERATION_ADD,
	OPERATION_SUBTRACT,
	OPERATION_MULTIPLY,
	OPERATION_DIVIDE,
	OPERATION_REMAINDER,
};

/* A second comparison does not follow the first: "a < b < c" is an error. */
enum { LEVEL_OF_COMPARISONS = 4, TIGHTEST_LEVEL = 7 };

/* By enum operation: the symbol, and how tightly it binds. Longer symbols come first. */
static const struct {
	char symbol[3];
	int level;
} operators[] = {
	{"||", 0}, {"&&", 1}, {"==", 4}, {"!=", 4}, {"<=", 4}, {">=", 4},
	{"<<", 5}, {">>", 5}, {"|", 2},  {"&", 3},  {"<", 4},  {">", 4},
	{"+", 6},  {"-", 6},  {"*", 7},  {"/", 7},  {"%", 7},
};

/* The operation whose symbol is at `at`; -1: none. */
static int operation_at(const char *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (*at == operators[i].symbol[0] &&
		    (!operators[i].symbol[1] || at[1] == operators[i].symbol[1]))
			return (int)i;
	return -1;
}

/* Combines *left with the operand on its right; or returns why this has no value. A shift to the
 * left is a product, so a bit that it would lose, or a sign that it would change, is an overflow.
 */
static const char *combine(int64_t *left, enum operation operation, int64_t right)
{
	const int64_t a = *left;

	switch (operation) {
	case OPERATION_OR:
		*left = a || right;
		break;
	case OPERATION_AND:
		*left = a && right;
		break;
	case OPERATION_EQUAL:
		*left = a == right;
		break;
	case OPERATION_UNEQUAL:
		*left = a != right;
		break;
	case OPERATION_LESS_EQUAL:
		*left = a <= right;
		break;
	case OPERATION_GREATER_EQUAL:
		*left = a >= right;
		break;
	case OPERATION_SHIFT_LEFT:
	case OPERATION_SHIFT_RIGHT:
		if (right < 0 || right > 63)
			return "a shift is by 0 to 63 bits";
		if (operation == OPERATION_SHIFT_RIGHT) {
			*left = a >> right;
			break;
		}
		*left = (int64_t)((uint64_t)a << right);
		return *left >> right != a ? "the shift overflows 64 bits" : NULL;
	case OPERATION_BIT_OR:
		*left = a | right;
		break;
	case OPERATION_BIT_AND:
		*left = a & right;
		break;
	case OPERATION_LESS:
		*left = a < right;
		break;
	case OPERATION_GREATER:
		*left = a > right;
		break;
	case OPERATION_ADD:
		return __builtin_add_overflow(a, right, left) ? "the sum overflows 64 bits" : NULL;
	case OPERATION_SUBTRACT:
		return __builtin_sub_overflow(a, right, left) ? "the sum overflows 64 bits" : NULL;
	case OPERATION_MULTIPLY:
		return __builtin_mul_overflow(a, right, left) ? "the product overflows 64 bits"
							      : NULL;
	case OPERATION_DIVIDE:
	case OPERATION_REMAINDER:
		if (!right)
			return "division by zero";
		if (a == INT64_MIN && right == -1)
			return "the quotient overflows 64 bits";
		*left = operation == OPERATION_DIVIDE ? a / right : a % right;
		break;
	}
	return NULL;
}

/* Evaluates operands and the operators between them that bind at least as tightly as `level`. */
static int evaluate_level(struct evaluation *e, int level, int64_t *out)
{
	int rc = evaluate_unary(e, out);
	int tightest = TIGHTEST_LEVEL;

	while (!rc) {
		const char *start, *cause;
		bool unneeded;
		int64_t right;
		int found;

		skip_expression_blanks(e);
		start = e->at;
		if (*start == '^')
			return expression_fail_at(e, start, EXPRESSION_NO_CARET);
		found = operation_at(start);
		if (found < 0 || operators[found].level < level ||
		    operators[found].level > tightest)
			return 0;
		tightest =
			operators[found].level - (operators[found].level == LEVEL_OF_COMPARISONS);
		unneeded = found == OPERATION_OR ? *out != 0 : found == OPERATION_AND && !*out;
		e->at += strlen(operators[found].symbol);
		e->skipping += unneeded;
		rc = evaluate_level(e, operators[found].level + 1, &right);
		e->skipping -= unneeded;
		if (rc)
			return rc;
		cause = combine(out, (enum operation)found, right);
		if (cause)
			rc = fail_value(e, start, cause, out);
	}
	return rc;
}

static int evaluate_any(struct evaluation *e, int64_t *out)
{
	int rc;

	if (++e->depth > DEPTH_LIMIT)
		return expression_fail_at(e, e->at, "nested too deep");
	rc = evaluate_level(e, 0, out);
	e->depth--;
	return rc;
}

int expression_evaluate(int64_t *out, const char *expression,
			const struct expression_variable *variables, size_t count,
			struct error *err)
{
	struct evaluation e = {
		.text = expression,
		.at = expression,
		.variables = variables,
		.variable_count = count,
		.err = err,
	};
	int64_t value;
	int rc = evaluate_any(&e, &value);

	if (rc)
		return rc;
	skip_expression_blanks(&e);
	if (*e.at)
		return expression_fail_at(&e, e.at, "an operator or the end expected");
	*out = value;
	return 0;
}
