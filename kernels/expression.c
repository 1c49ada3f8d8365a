/*
 * Expressions of descriptors: a recursive-descent parser that evaluates as it
 * parses. Every operation is checked for overflow, because sizes come from the
 * user.
 */
#include <ctype.h>
#include <string.h>

#include "kernels/expression_functions.h"
#include "kernels/expression_text.h"
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

static int evaluate_or(struct evaluation *e, int64_t *out);

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

/* Consumes `symbol` if it comes next. Calls nothing: a large plan evaluates millions of operands,
 * each of which tries every operator. */
static bool accept(struct evaluation *e, const char *symbol)
{
	const char *at;

	skip_expression_blanks(e);
	at = e->at;
	while (*symbol && *at == *symbol) {
		at++;
		symbol++;
	}
	if (*symbol)
		return false;
	e->at = at;
	return true;
}

static int expect(struct evaluation *e, const char *symbol, const char *cause)
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
			rc = expect(e, ",", "a second argument is missing: \",\" expected");
			if (rc)
				return rc;
		}
		rc = evaluate_or(e, &arguments[i]);
		if (rc)
			return rc;
	}
	rc = expect(e, ")", "\")\" expected after the arguments");
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
	if (accept(e, "(")) {
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
	if (!accept(e, "("))
		return expression_fail_at(e, e->at, "a number, a name or \"(\" expected");
	rc = evaluate_or(e, out);
	return rc ? rc : expect(e, ")", "\")\" expected");
}

static int evaluate_unary(struct evaluation *e, int64_t *out)
{
	const char *start;
	int rc;

	skip_expression_blanks(e);
	start = e->at;
	if (!accept(e, "-") && !accept(e, "!") && !accept(e, "~"))
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

static int evaluate_product(struct evaluation *e, int64_t *out)
{
	int rc = evaluate_unary(e, out);

	while (!rc) {
		const char *start;
		int64_t right;
		char symbol;

		skip_expression_blanks(e);
		start = e->at;
		symbol = *start;
		if (symbol == '^')
			return expression_fail_at(e, start, EXPRESSION_NO_CARET);
		if (symbol != '*' && symbol != '/' && symbol != '%')
			return 0;
		e->at++;
		rc = evaluate_unary(e, &right);
		if (rc)
			break;
		if (symbol == '*') {
			if (__builtin_mul_overflow(*out, right, out))
				rc = fail_value(e, start, "the product overflows 64 bits", out);
		} else if (right == 0) {
			rc = fail_value(e, start, "division by zero", out);
		} else if (*out == INT64_MIN && right == -1) {
			rc = fail_value(e, start, "the quotient overflows 64 bits", out);
		} else {
			*out = symbol == '/' ? *out / right : *out % right;
		}
	}
	return rc;
}

static int evaluate_sum(struct evaluation *e, int64_t *out)
{
	int rc = evaluate_product(e, out);

	while (!rc) {
		const char *start;
		int64_t right;
		bool overflow;

		skip_expression_blanks(e);
		start = e->at;
		if (*start != '+' && *start != '-')
			return 0;
		e->at++;
		rc = evaluate_product(e, &right);
		if (rc)
			break;
		overflow = *start == '+' ? __builtin_add_overflow(*out, right, out)
					 : __builtin_sub_overflow(*out, right, out);
		if (overflow)
			rc = fail_value(e, start, "the sum overflows 64 bits", out);
	}
	return rc;
}

/* Sets *value; or returns why the shift has none. A shift to the left is a product, so a bit that
 * it would lose, or a sign that it would change, is an overflow. */
static const char *shift_integer(int64_t *value, bool to_left, int64_t count)
{
	int64_t left = *value;

	if (count < 0 || count > 63)
		return "a shift is by 0 to 63 bits";
	*value = to_left ? (int64_t)((uint64_t)left << count) : left >> count;
	return to_left && *value >> count != left ? "the shift overflows 64 bits" : NULL;
}

static int evaluate_shift(struct evaluation *e, int64_t *out)
{
	int rc = evaluate_sum(e, out);

	while (!rc) {
		const char *start, *cause;
		int64_t right;

		skip_expression_blanks(e);
		start = e->at;
		if (!accept(e, "<<") && !accept(e, ">>"))
			return 0;
		rc = evaluate_sum(e, &right);
		if (rc)
			break;
		cause = shift_integer(out, *start == '<', right);
		if (cause)
			rc = fail_value(e, start, cause, out);
	}
	return rc;
}

/* Evaluates one comparison per level: "a < b < c" is an error. */
static int evaluate_comparison(struct evaluation *e, int64_t *out)
{
	static const char *const symbols[] = {"==", "!=", "<=", ">=", "<", ">"};
	int64_t left, right;
	int rc = evaluate_shift(e, out);

	if (rc)
		return rc;
	left = *out;
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (!accept(e, symbols[i]))
			continue;
		rc = evaluate_shift(e, &right);
		if (rc)
			return rc;
		*out = i == 0   ? left == right
		       : i == 1 ? left != right
		       : i == 2 ? left <= right
		       : i == 3 ? left >= right
		       : i == 4 ? left < right
				: left > right;
		break;
	}
	return 0;
}

/* Consumes `symbol`, which is one character, unless it is the first of && or ||. */
static bool accept_single(struct evaluation *e, char symbol)
{
	skip_expression_blanks(e);
	if (*e->at != symbol || e->at[1] == symbol)
		return false;
	e->at++;
	return true;
}

static int evaluate_bit_and(struct evaluation *e, int64_t *out)
{
	int rc = evaluate_comparison(e, out);

	while (!rc && accept_single(e, '&')) {
		int64_t right;

		rc = evaluate_comparison(e, &right);
		if (!rc)
			*out &= right;
	}
	return rc;
}

static int evaluate_bit_or(struct evaluation *e, int64_t *out)
{
	int rc = evaluate_bit_and(e, out);

	while (!rc && accept_single(e, '|')) {
		int64_t right;

		rc = evaluate_bit_and(e, &right);
		if (!rc)
			*out |= right;
	}
	return rc;
}

static int evaluate_and(struct evaluation *e, int64_t *out)
{
	int rc = evaluate_bit_or(e, out);

	while (!rc && accept(e, "&&")) {
		bool unneeded = !*out;
		int64_t right;

		e->skipping += unneeded;
		rc = evaluate_bit_or(e, &right);
		e->skipping -= unneeded;
		if (!rc)
			*out = !unneeded && right;
	}
	return rc;
}

static int evaluate_or(struct evaluation *e, int64_t *out)
{
	const char *start = e->at;
	int rc;

	if (++e->depth > DEPTH_LIMIT)
		return expression_fail_at(e, start, "nested too deep");
	rc = evaluate_and(e, out);
	while (!rc && accept(e, "||")) {
		bool unneeded = *out;
		int64_t right;

		e->skipping += unneeded;
		rc = evaluate_and(e, &right);
		e->skipping -= unneeded;
		if (!rc)
			*out = unneeded || right;
	}
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
	int rc = evaluate_or(&e, &value);

	if (rc)
		return rc;
	skip_expression_blanks(&e);
	if (*e.at)
		return expression_fail_at(&e, e.at, "an operator or the end expected");
	*out = value;
	return 0;
}
