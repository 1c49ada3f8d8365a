/*
 * expression: what the two languages of expressions share, that of descriptors (kernels.h) and that
 * of checks and fills (check_expression.h), and what is between them. Internal to kernels/.
 */
#ifndef KERNELS_EXPRESSION_H
#define KERNELS_EXPRESSION_H

#include "kernels/kernels.h"

/*
 * ---- functions of integers ----
 * min and max are in both languages too, but each has its own: in check expressions they also take
 * doubles, and reduce.
 */

#define EXPRESSION_FUNCTION_ARGUMENTS 2

struct expression_function {
	const char *name;
	int argument_count;
	/* Returns NULL and sets *out; or returns why these arguments have no value. */
	const char *(*call)(int64_t *out, const int64_t *arguments);
};

/* NULL: no function has this name. */
const struct expression_function *expression_function_find(const char *name, size_t length);

/* What `^` would mean is not what its users expect, so both languages refuse it with this. */
#define EXPRESSION_NO_CARET                                                             \
	"\"^\" is a power only in the values of an axis; write pow2(20) for 2^20, and " \
	"xor(a, b) for the bits"

/*
 * ---- how messages show an expression ----
 * Texts can be as long as ANNOTATION_MAX_BYTES, and messages cannot.
 */

/*
 * Adds `"TEXT", character N`. Of a long text only the surroundings of the
 * character, which counts from 1 in bytes, and `at "…"` after them, since the
 * reader cannot count.
 */
void expression_add_place(struct text *out, const char *text, size_t character);

/* Sets the PL_EPARSE error `KIND "TEXT", character N: CAUSE`, where N is that of `at`. */
int expression_refuse(struct error *err, const char *kind, const char *text, const char *at,
		      const char *cause);

/* The character of an error that expression_refuse() set. */
size_t expression_refused_character(const struct error *err);

/*
 * ---- floating-point numbers ----
 * A number that is computed from axes: "1.0 / n". The language is that of check_expression.h
 * without buffers, so a quotient of integers is an integer.
 */

/* Whether a text means one: it has a number with a point or an exponent, or a function that
 * expressions of integers lack. */
bool expression_is_real(const char *text);

/* PL_EPARSE: not of this language, with the character. PL_EUSAGE: it has no value. */
int real_expression_evaluate(double *out, const char *text,
			     const struct expression_variable *variables, size_t count,
			     struct error *err);

/* The text with values in place of names, for the caller to free. */
char *expression_with_values(const char *text, const struct expression_variable *variables,
			     size_t count);

#endif
