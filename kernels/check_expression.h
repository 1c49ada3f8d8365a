/*
 * Expressions that give the expected content of a buffer, or that of an input,
 * element by element:
 *
 *   2*x + y                                            each x[i], y[i]
 *   i == 0 ? x[0] : x[i - 1] + x[i]                    C's operators
 *   sum(j, 0, k, A[i / n * k + j] * B[j * n + i % n])  from 0 to k - 1
 *   x / sum(x)                                         over all elements of x
 *
 * Names: `i` is the index of the element. An axis is its value. A buffer
 * without an index is its element `i`, and must have the length of the result.
 * `x[index]` is any element; an index outside of x is an error. Buffers hold
 * what they held before the launch, an inout buffer too; outputs have no value.
 *
 * Operators: + - * / % ! == != < <= > >= && || ?: and parentheses; for integers
 * also & | ~ << >>. Only the operands that are needed are computed, as in C.
 * Functions: min(a, b), max(a, b), abs, sqrt, exp, exp2, log, log2, pow(a, b),
 * sin, cos, tan, asin, acos, atan, atan2(y, x), sinh, cosh, tanh, erf, floor,
 * ceil, and int(a), which cuts a to an integer;
 * for integers also those of expression_shared.c that have another name.
 * Reductions: sum, min and max, as sum(NAME, FROM, TO, BODY) with NAME from FROM
 * to TO - 1; or as sum(BODY), where `i` runs over the elements of the buffers in
 * BODY that have no index. argmin and argmax give the first index with the least
 * or greatest BODY. A reduction that does not depend on `i` is computed once. Only
 * sum has a value for no elements.
 *
 * In a fill: random(a, b), an integer from a to b. It depends on the seed, the
 * element and which random() of the text it is, so none can stand in a reduction.
 *
 * Arithmetic: as in C with 64 bits. Integer buffers, axes, indices and literals
 * without a point are integers, so 7 / 2 is 3; write 1.0 * a / b for a quotient. 0.1f is the float
 * that C has for it.
 * Their arithmetic is modulo 2^64 and exact for buffers of every integer type;
 * a U64 makes an operation unsigned, but as the number of bits of a shift.
 * Nothing is cut to 32 bits in between.
 * Everything else is a double. A sum of doubles is compensated (Neumaier): its
 * error is at most one rounding of the sum plus about n^2 * 2^-106 of the sum of
 * the absolute values of its n terms.
 *
 * Results: an integer stored in an integer buffer keeps its low bits; a double
 * is cut towards zero and to the range of the type. Results in floating-point
 * buffers are rounded to nearest.
 */
#ifndef KERNELS_CHECK_EXPRESSION_H
#define KERNELS_CHECK_EXPRESSION_H

#include "kernels/kernels.h"

struct check_buffer_name {
	const char *name;
	enum element_type type;
	enum buffer_role role; /* only inputs (IN, INOUT) have a content that can be read */
};

/* What an expression may name. A name `i` among them cannot be used. */
struct check_names {
	const struct check_buffer_name *buffers;
	size_t buffer_count;
	const char *const *axes;
	size_t axis_count;
	bool of_fill; /* random() is a function, and there are no buffers */
};

/* Whether a function, or a reduction over a range, has this name. */
bool check_expression_has_function(const char *name, size_t length);
bool check_expression_is_reduction(const char *name, size_t length);

/* Immutable, so threads can share it. Owns its names. */
struct check_expression;

/*
 * Returns 0 and sets *out, which the caller frees; or PL_EPARSE with the
 * character of the mistake, and leaves *out unchanged. The length of the text,
 * its nesting and the number of its parts are bounded.
 */
int check_expression_parse(struct check_expression **out, const char *text,
			   const struct check_names *names, struct error *err);
void check_expression_free(struct check_expression *expression); /* accepts NULL */

/*
 * Computes every element of work->buffers[buffer] into `out`. inputs->data has
 * the values before the launch, with the indices of work->buffers. Uses all
 * processors; the result does not depend on their number. Returns 0; PL_EUSAGE
 * if `work` lacks a name of the expression or the lengths do not agree, or if an
 * element cannot be computed (an index outside of a buffer, a division of
 * integers by zero, a shift by other than 0 to 63 bits), with the element and the character;
 * PL_ENOMEM. On failure the content of `out` is undefined.
 */
int check_expression_compute(const struct check_expression *expression,
			     const struct launch_case *work, const struct host_buffers *inputs,
			     size_t buffer, void *out, struct error *err);

/*
 * Computes every element of an input into `out`. The expression is one of a fill
 * without names of axes; random() depends on `key`. Threads and results are as in
 * check_expression_compute(), except that a value which the type does not hold
 * (element_hold_integer(), element_hold_real()) is an error. Returns 0; PL_EUSAGE
 * with the element and the character, also if an element cannot be computed;
 * PL_ENOMEM. On failure the content of `out` is undefined.
 */
int check_expression_fill(const struct check_expression *expression,
			  const struct case_buffer *buffer, uint64_t key, void *out,
			  struct error *err);

#endif
