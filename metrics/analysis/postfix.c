/* Parses expressions by recursive descent, and evaluates them. */
#include "metrics/analysis/postfix.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Deeper than any sensible expression, and safe for the call stack. */
#define DEPTH_LIMIT 32

struct postfix_reading {
	const char *text, *at;
	const struct postfix_names *names;
	int depth;
	size_t stack; /* number of values that the steps so far leave on the stack */
	struct postfix *out;
	struct error *err;
};

static int read_or(struct postfix_reading *r);

const void *postfix_context(const struct postfix_reading *reading)
{
	return reading->names->context;
}

int postfix_fail(const struct postfix_reading *r, const char *at, const char *cause)
{
	return error_set(r->err, PL_EPARSE, "\"%.120s\", character %td: %s", r->text,
			 (at ? at : r->at) - r->text + 1, cause);
}

static void skip_spaces(struct postfix_reading *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

bool postfix_take(struct postfix_reading *r, char symbol)
{
	skip_spaces(r);
	if (*r->at != symbol)
		return false;
	r->at++;
	return true;
}

/* Takes a word of letters, digits and underscores; malloc'd. With conditions, counters of CUPTI are
 * words, too: "sm__inst_executed.sum". */
char *postfix_word(struct postfix_reading *r, const char **at)
{
	const char *start;

	skip_spaces(r);
	start = r->at;
	*at = start;
	while (isalnum((unsigned char)*r->at) || *r->at == '_' ||
	       (*r->at == '.' && r->names->conditions && r->at > start))
		r->at++;
	return xstrndup(start, (size_t)(r->at - start));
}

/* `change` is the growth of the stack. */
static int add_step(struct postfix_reading *r, struct postfix_step step, int change)
{
	struct postfix *out = r->out;

	if (out->count == POSTFIX_MAX_STEPS)
		return postfix_fail(r, NULL, "the expression is too long");
	r->stack = (size_t)((int)r->stack + change);
	if (r->stack > POSTFIX_MAX_STACK)
		return postfix_fail(r, NULL, "nested too deep");
	out->steps[out->count++] = step;
	return 0;
}

static int add_operation(struct postfix_reading *r, enum postfix_operation operation, int change)
{
	return add_step(r, (struct postfix_step){.operation = operation}, change);
}

/* ---- functions of values ---- */

static const struct function {
	const char *name;
	enum postfix_operation operation;
	bool folds; /* takes one or more values, and combines two at a time; else takes one value */
} functions[] = {
	{"min", STEP_MIN, true},
	{"max", STEP_MAX, true},
	{"log10", STEP_LOG10, false},
};

/* After "name(". */
static int read_function_arguments(struct postfix_reading *r, const struct function *function)
{
	int rc = read_or(r);

	if (!rc && !function->folds)
		rc = add_operation(r, function->operation, 0);
	while (!rc && function->folds && postfix_take(r, ',')) {
		rc = read_or(r);
		if (!rc)
			rc = add_operation(r, function->operation, -1);
	}
	if (!rc && !postfix_take(r, ')'))
		rc = postfix_fail(r, NULL, "\")\" is missing after the arguments");
	return rc;
}

/* ---- the grammar ---- */

static int read_name(struct postfix_reading *r)
{
	struct postfix_step step = {.operation = STEP_QUANTITY};
	const struct function *function = NULL;
	const char *start;
	char *name = postfix_word(r, &start);
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			function = &functions[i];
	if (!function) {
		rc = r->names->find(r, start, name, &step);
		if (!rc)
			rc = add_step(r, step, 1);
	} else if (postfix_take(r, '(')) {
		rc = read_function_arguments(r, function);
	} else {
		rc = postfix_fail(r, start, "\"(\" expected after the name of a function");
	}
	free(name);
	return rc;
}

static int read_literal(struct postfix_reading *r)
{
	struct postfix_step step = {.operation = STEP_NUMBER};
	const char *start = r->at;
	char *digits;
	int rc;

	while (isdigit((unsigned char)*r->at) || *r->at == '.' ||
	       ((*r->at == 'e' || *r->at == 'E') && r->at > start) ||
	       ((*r->at == '-' || *r->at == '+') && r->at > start &&
		(r->at[-1] == 'e' || r->at[-1] == 'E')))
		r->at++;
	digits = xstrndup(start, (size_t)(r->at - start));
	rc = parse_double(&step.number, digits, NULL);
	free(digits);
	return rc ? postfix_fail(r, start, "not a number") : add_step(r, step, 1);
}

static int read_primary(struct postfix_reading *r)
{
	int rc;

	skip_spaces(r);
	if (isdigit((unsigned char)*r->at) || *r->at == '.')
		return read_literal(r);
	if (isalpha((unsigned char)*r->at) || *r->at == '_')
		return read_name(r);
	if (!postfix_take(r, '('))
		return postfix_fail(r, NULL, "a number, a name or \"(\" expected");
	rc = read_or(r);
	if (!rc && !postfix_take(r, ')'))
		rc = postfix_fail(r, NULL, "\")\" is missing");
	return rc;
}

static int read_unary(struct postfix_reading *r)
{
	int rc;

	if (!postfix_take(r, '-'))
		return read_primary(r);
	if (++r->depth > DEPTH_LIMIT)
		return postfix_fail(r, NULL, "nested too deep");
	rc = read_unary(r);
	r->depth--;
	return rc ? rc : add_operation(r, STEP_NEGATE, 0);
}

static int read_product(struct postfix_reading *r)
{
	int rc = read_unary(r);

	while (!rc) {
		bool times = postfix_take(r, '*');

		if (!times && !postfix_take(r, '/'))
			break;
		rc = read_unary(r);
		if (!rc)
			rc = add_operation(r, times ? STEP_MULTIPLY : STEP_DIVIDE, -1);
	}
	return rc;
}

static int read_sum(struct postfix_reading *r)
{
	int rc = read_product(r);

	while (!rc) {
		bool plus = postfix_take(r, '+');

		if (!plus && !postfix_take(r, '-'))
			break;
		rc = read_product(r);
		if (!rc)
			rc = add_operation(r, plus ? STEP_ADD : STEP_SUBTRACT, -1);
	}
	return rc;
}

/* Takes an operator that compares. */
static bool take_comparison(struct postfix_reading *r, enum postfix_operation *operation)
{
	const bool less = postfix_take(r, '<');

	if (less || postfix_take(r, '>')) {
		const bool equal = *r->at == '=';

		r->at += equal;
		*operation = less    ? equal ? STEP_AT_MOST : STEP_LESS
			     : equal ? STEP_AT_LEAST
				     : STEP_MORE;
		return true;
	}
	if (strncmp(r->at, "==", 2) != 0)
		return false;
	r->at += 2;
	*operation = STEP_EQUAL;
	return true;
}

static int read_comparison(struct postfix_reading *r)
{
	enum postfix_operation operation;
	int rc = read_sum(r);

	if (rc || !r->names->conditions || !take_comparison(r, &operation))
		return rc;
	rc = read_sum(r);
	return rc ? rc : add_operation(r, operation, -1);
}

/* Takes a word if it follows. */
static bool take_keyword(struct postfix_reading *r, const char *keyword)
{
	const char *before = r->at, *start;
	char *word;
	bool found;

	if (!r->names->conditions)
		return false;
	word = postfix_word(r, &start);
	found = strcmp(word, keyword) == 0;
	free(word);
	if (!found)
		r->at = before;
	return found;
}

static int read_and(struct postfix_reading *r)
{
	int rc = read_comparison(r);

	while (!rc && take_keyword(r, "and")) {
		rc = read_comparison(r);
		if (!rc)
			rc = add_operation(r, STEP_AND, -1);
	}
	return rc;
}

static int read_or(struct postfix_reading *r)
{
	int rc;

	if (++r->depth > DEPTH_LIMIT)
		return postfix_fail(r, NULL, "nested too deep");
	rc = read_and(r);
	while (!rc && take_keyword(r, "or")) {
		rc = read_and(r);
		if (!rc)
			rc = add_operation(r, STEP_OR, -1);
	}
	r->depth--;
	return rc;
}

int postfix_parse(struct postfix *out, const char *text, const struct postfix_names *names,
		  struct error *err)
{
	struct postfix parsed = {0};
	struct postfix_reading r = {
		.text = text, .at = text, .names = names, .out = &parsed, .err = err};
	int rc;

	parsed.steps = xcalloc(POSTFIX_MAX_STEPS, sizeof(*parsed.steps));
	rc = read_or(&r);
	skip_spaces(&r);
	if (!rc && *r.at)
		rc = postfix_fail(&r, NULL, "an operator or the end expected");
	if (rc) {
		postfix_release(&parsed);
		return rc;
	}
	parsed.text = xstrdup(text);
	*out = parsed;
	return 0;
}

void postfix_release(struct postfix *postfix)
{
	free(postfix->text);
	free(postfix->steps);
	*postfix = (struct postfix){0};
}

/* ---- values ---- */

static double either_or_nan(double a, double b, bool result)
{
	return isnan(a) || isnan(b) ? NAN : result;
}

static double apply(enum postfix_operation operation, double a, double b)
{
	switch (operation) {
	case STEP_ADD:
		return a + b;
	case STEP_SUBTRACT:
		return a - b;
	case STEP_MULTIPLY:
		return a * b;
	case STEP_DIVIDE:
		return b == 0 ? NAN : a / b;
	case STEP_MIN:
		return isnan(a) || isnan(b) ? NAN : fmin(a, b);
	case STEP_MAX:
		return isnan(a) || isnan(b) ? NAN : fmax(a, b);
	case STEP_LESS:
		return either_or_nan(a, b, a < b);
	case STEP_AT_MOST:
		return either_or_nan(a, b, a <= b);
	case STEP_MORE:
		return either_or_nan(a, b, a > b);
	case STEP_AT_LEAST:
		return either_or_nan(a, b, a >= b);
	case STEP_EQUAL:
		return either_or_nan(a, b, a == b);
	case STEP_AND:
		return a == 0 || b == 0 ? 0 : either_or_nan(a, b, true);
	case STEP_OR:
		return (!isnan(a) && a != 0) || (!isnan(b) && b != 0) ? 1 : either_or_nan(a, b, 0);
	default:
		return NAN;
	}
}

double postfix_value(const struct postfix *postfix,
		     double (*value_of)(const void *context, const struct postfix_step *step),
		     const void *context)
{
	double stack[POSTFIX_MAX_STACK + 1] = {NAN};
	size_t top = 0;

	for (size_t i = 0; i < postfix->count; i++) {
		const struct postfix_step *step = &postfix->steps[i];

		switch (step->operation) {
		case STEP_NUMBER:
			stack[top++] = step->number;
			break;
		case STEP_QUANTITY:
			stack[top++] = value_of(context, step);
			break;
		case STEP_NEGATE:
			stack[top - 1] = -stack[top - 1];
			break;
		case STEP_LOG10:
			stack[top - 1] = log10(stack[top - 1]);
			break;
		default:
			top--;
			stack[top - 1] = apply(step->operation, stack[top - 1], stack[top]);
		}
	}
	return stack[0];
}
