/*
 * postfix: arithmetic over named quantities, parsed into postfix steps, so that errors in an
 * expression show before anything is measured. Studies and the rules of users share the grammar;
 * each says which names it knows, and evaluates the steps. Internal to metrics/analysis/.
 *
 *	+ - * / ( ) min(a, …) max(a, …) log10(a), numbers, quantities
 *	with conditions: < <= > >= == and or
 */
#ifndef METRICS_ANALYSIS_POSTFIX_H
#define METRICS_ANALYSIS_POSTFIX_H

#include "base/base.h"

#define POSTFIX_MAX_STEPS 96
#define POSTFIX_MAX_STACK 16

enum postfix_operation {
	STEP_NUMBER,
	STEP_QUANTITY,
	STEP_ADD,
	STEP_SUBTRACT,
	STEP_MULTIPLY,
	STEP_DIVIDE,
	STEP_NEGATE,
	STEP_MIN, /* of the two values on top of the stack */
	STEP_MAX,
	STEP_LOG10,
	STEP_LESS, /* 1 or 0, as those that follow */
	STEP_AT_MOST,
	STEP_MORE,
	STEP_AT_LEAST,
	STEP_EQUAL,
	STEP_AND,
	STEP_OR,
};

/* One step. The stack is never deeper than POSTFIX_MAX_STACK. */
struct postfix_step {
	enum postfix_operation operation;
	double number;
	/* What a quantity is: a number of the caller's, the name of its metric (borrowed) or NULL,
	 * and an index for the caller. */
	int kind;
	const char *metric;
	size_t at;
};

/* No steps: there is no expression. */
struct postfix {
	char *text;
	struct postfix_step *steps;
	size_t count;
};

struct postfix_reading;

/* Which quantities an expression may have. */
struct postfix_names {
	/* Sets a step from its name, and reads what belongs to it behind the name. `start` is where
	 * the name begins, for errors. Returns 0 or the result of postfix_fail(). step->metric is
	 * borrowed and outlives the expression; `name` does not. */
	int (*find)(struct postfix_reading *reading, const char *start, const char *name,
		    struct postfix_step *step);
	const void *context;
	bool conditions; /* comparisons, `and` and `or` are known, and points in names */
};

/* Returns 0, or PL_EPARSE with the text, the character and the cause. */
int postfix_parse(struct postfix *out, const char *text, const struct postfix_names *names,
		  struct error *err);
void postfix_release(struct postfix *postfix);

/*
 * The value of an expression; NAN if a quantity that decides it is NAN: 0 and NAN is 0. `value_of`
 * gives the values of quantities.
 */
double postfix_value(const struct postfix *postfix,
		     double (*value_of)(const void *context, const struct postfix_step *step),
		     const void *context);

/* ---- for find() ---- */

const void *postfix_context(const struct postfix_reading *reading);
/* Sets the error and returns PL_EPARSE. `at` NULL: where the reading is. */
int postfix_fail(const struct postfix_reading *reading, const char *at, const char *cause);
/* Takes blanks, and then the symbol if it follows. */
bool postfix_take(struct postfix_reading *reading, char symbol);
/* Takes blanks and a word, which may be empty, and sets *at to its beginning; malloc'd. */
char *postfix_word(struct postfix_reading *reading, const char **at);

#endif
