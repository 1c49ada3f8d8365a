/*
 * real_expression: a floating-point number that is computed from axes: "1.0 / n". The language is
 * that of check_expression.h without buffers, so a quotient of integers is an integer.
 */
#ifndef KERNELS_REAL_EXPRESSION_H
#define KERNELS_REAL_EXPRESSION_H

#include "kernels/kernels.h"

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
