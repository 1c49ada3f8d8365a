/*
 * Parses expressions and limits of studies. A recursive-descent parser writes
 * postfix steps, so errors in an expression show before anything is measured.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/study.h"
#include "metrics/analysis/study_expression.h"
#include "metrics/catalogue/catalogue.h"

/* Deeper than any sensible expression, and safe for the call stack. */
#define DEPTH_LIMIT 32

struct reading {
	const char *text, *at;
	const struct study *study;
	bool emulated;
	int depth;
	size_t stack; /* number of values that the steps so far leave on the stack */
	struct study_expression *out;
	struct error *err;
};

static int read_sum(struct reading *r);

static int fail_at_character(const struct reading *r, const char *at, const char *cause)
{
	return error_set(r->err, PL_EPARSE, "\"%.120s\", character %td: %s", r->text,
			 at - r->text + 1, cause);
}

static void skip_spaces(struct reading *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

static bool take(struct reading *r, char symbol)
{
	skip_spaces(r);
	if (*r->at != symbol)
		return false;
	r->at++;
	return true;
}

/* `change` is the growth of the stack. */
static int add_step(struct reading *r, struct study_step step, int change)
{
	struct study_expression *out = r->out;

	if (out->count == STUDY_MAX_STEPS)
		return fail_at_character(r, r->at, "the expression is too long");
	r->stack = (size_t)((int)r->stack + change);
	if (r->stack > STUDY_MAX_STACK)
		return fail_at_character(r, r->at, "nested too deep");
	out->steps[out->count++] = step;
	return 0;
}

/* Takes a word of letters, digits and underscores; malloc'd. */
static char *take_word(struct reading *r)
{
	const char *start = r->at;

	while (isalnum((unsigned char)*r->at) || *r->at == '_')
		r->at++;
	return xstrndup(start, (size_t)(r->at - start));
}

/* ---- functions of values ---- */

static const struct function {
	const char *name;
	enum study_operation operation;
	bool folds; /* takes one or more values, and combines two at a time; else takes one value */
} functions[] = {
	{"min", STEP_MIN, true},
	{"max", STEP_MAX, true},
	{"log10", STEP_LOG10, false},
};

/* After "name(". */
static int read_function_arguments(struct reading *r, const struct function *function)
{
	int rc = read_sum(r);

	if (!rc && !function->folds)
		rc = add_step(r, (struct study_step){.operation = function->operation}, 0);
	while (!rc && function->folds && take(r, ',')) {
		rc = read_sum(r);
		if (!rc)
			rc = add_step(r, (struct study_step){.operation = function->operation}, -1);
	}
	if (!rc && !take(r, ')'))
		rc = fail_at_character(r, r->at, "\")\" is missing after the arguments");
	return rc;
}

/* ---- quantities of cases ---- */

static const struct {
	const char *name;
	enum study_fact fact;
	bool timed;
	bool emulated_only; /* on a GPU it is a metric */
} facts[] = {
	{"verified", FACT_VERIFIED, false, false},
	{"time", FACT_TIME, true, false},
	{"flop", FACT_FLOP, false, false},
	{"bytes", FACT_BYTES, false, false},
	{"registers_per_thread", FACT_REGISTERS, false, false},
	{"local_bytes_per_thread", FACT_LOCAL_BYTES, false, false},
	{"shared_bytes_per_block", FACT_SHARED_BYTES, false, false},
	{"buffer_bytes", FACT_BUFFER_BYTES, false, false},
	{"scratch_bytes", FACT_SCRATCH_BYTES, false, false},
	{"launches", FACT_LAUNCHES, false, true},
};

static int unknown_quantity(struct reading *r, const char *at, const char *name)
{
	const char *names[512];
	struct text cause = TEXT_INIT, near = TEXT_INIT;
	size_t metrics, count = 0;
	const struct metric *all =
		r->emulated ? metric_all_emulated(&metrics) : metric_all(&metrics);
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		names[count++] = facts[i].name;
	for (size_t i = 0; i < metrics && count < ARRAY_SIZE(names); i++)
		names[count++] = all[i].name;
	text_addf(&cause, "no metric%s is called \"%.60s\"", r->emulated ? " of the emulator" : "",
		  name);
	if (nearest_names(&near, name, names, count))
		text_addf(&cause, "; did you mean %s?", near.data);
	rc = fail_at_character(r, at, cause.data);
	text_release(&cause);
	text_release(&near);
	return rc;
}

/* A study has to write a rate as a count divided by time(), because only then the interval is
 * known.
 */
static bool depends_on_time(const struct metric *metric)
{
	for (size_t i = 0; i < METRIC_MAX_INPUTS && metric->inputs[i]; i++) {
		const struct metric *input = metric_find(metric->inputs[i]);

		if (input && (input->from_samples || depends_on_time(input)))
			return true;
	}
	return metric->from_samples;
}

static int find_quantity(struct reading *r, struct study_step *step, const char *start,
			 const char *name)
{
	const struct metric *metric = metric_find(name);

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		if (strcmp(facts[i].name, name) || (facts[i].emulated_only && !r->emulated))
			continue;
		step->fact = facts[i].fact;
		return facts[i].timed && r->emulated
			       ? fail_at_character(r, start, "the emulator measures no time")
			       : 0;
	}
	if (!metric || metric->emulated != r->emulated)
		return unknown_quantity(r, start, name);
	if (depends_on_time(metric))
		return fail_at_character(r, start,
					 "a rate: divide by time() instead, which has an interval");
	step->metric = metric->name;
	return 0;
}

/* After "name(": the name of a case. */
static int read_quantity(struct reading *r, const char *start, const char *name)
{
	const struct study *study = r->study;
	struct study_step step = {.operation = STEP_QUANTITY};
	const char *at;
	char *word;
	int rc = find_quantity(r, &step, start, name);

	if (rc)
		return rc;
	skip_spaces(r);
	at = r->at;
	word = take_word(r);
	for (step.at = 0; step.at < study->case_count; step.at++)
		if (strcmp(study->cases[step.at].name, word) == 0)
			break;
	if (step.at == study->case_count)
		rc = fail_at_character(r, at,
				       *word ? "no case of the study has this name"
					     : "the name of a case is missing");
	else if (r->emulated && study->cases[step.at].best)
		rc = fail_at_character(
			r, at,
			"the emulator measures no time, so it has no fastest case: name one case");
	else if (!take(r, ')'))
		rc = fail_at_character(r, r->at, "\")\" is missing after the name of the case");
	else
		rc = add_step(r, step, 1);
	free(word);
	return rc;
}

/* ---- the grammar ---- */

static int read_name(struct reading *r)
{
	const char *start = r->at;
	char *name = take_word(r);
	const struct function *function = NULL;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			function = &functions[i];
	if (!take(r, '('))
		rc = fail_at_character(r, start, "\"(\" expected after a name, such as time(CASE)");
	else if (function)
		rc = read_function_arguments(r, function);
	else
		rc = read_quantity(r, start, name);
	free(name);
	return rc;
}

static int read_literal(struct reading *r)
{
	struct study_step step = {.operation = STEP_NUMBER};
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
	return rc ? fail_at_character(r, start, "not a number") : add_step(r, step, 1);
}

static int read_primary(struct reading *r)
{
	int rc;

	skip_spaces(r);
	if (isdigit((unsigned char)*r->at) || *r->at == '.')
		return read_literal(r);
	if (isalpha((unsigned char)*r->at) || *r->at == '_')
		return read_name(r);
	if (!take(r, '('))
		return fail_at_character(r, r->at, "a number, a name or \"(\" expected");
	rc = read_sum(r);
	if (!rc && !take(r, ')'))
		rc = fail_at_character(r, r->at, "\")\" is missing");
	return rc;
}

static int read_unary(struct reading *r)
{
	int rc;

	if (!take(r, '-'))
		return read_primary(r);
	if (++r->depth > DEPTH_LIMIT)
		return fail_at_character(r, r->at, "nested too deep");
	rc = read_unary(r);
	r->depth--;
	return rc ? rc : add_step(r, (struct study_step){.operation = STEP_NEGATE}, 0);
}

static int read_product(struct reading *r)
{
	int rc = read_unary(r);

	while (!rc) {
		bool times = take(r, '*');

		if (!times && !take(r, '/'))
			break;
		rc = read_unary(r);
		if (!rc)
			rc = add_step(r,
				      (struct study_step){.operation = times ? STEP_MULTIPLY
									     : STEP_DIVIDE},
				      -1);
	}
	return rc;
}

static int read_sum(struct reading *r)
{
	int rc;

	if (++r->depth > DEPTH_LIMIT)
		return fail_at_character(r, r->at, "nested too deep");
	rc = read_product(r);
	while (!rc) {
		bool plus = take(r, '+');

		if (!plus && !take(r, '-'))
			break;
		rc = read_product(r);
		if (!rc)
			rc = add_step(
				r,
				(struct study_step){.operation = plus ? STEP_ADD : STEP_SUBTRACT},
				-1);
	}
	r->depth--;
	return rc;
}

int study_expression_parse(struct study_expression *out, const char *text,
			   const struct study *study, bool emulated, struct error *err)
{
	struct study_expression parsed = {0};
	struct reading r = {.text = text,
			    .at = text,
			    .study = study,
			    .emulated = emulated,
			    .out = &parsed,
			    .err = err};
	int rc;

	parsed.steps = xcalloc(STUDY_MAX_STEPS, sizeof(*parsed.steps));
	rc = read_sum(&r);
	skip_spaces(&r);
	if (!rc && *r.at)
		rc = fail_at_character(&r, r.at, "an operator or the end expected");
	if (rc) {
		study_expression_release(&parsed);
		return rc;
	}
	parsed.text = xstrdup(text);
	*out = parsed;
	return 0;
}

void study_expression_release(struct study_expression *expression)
{
	free(expression->text);
	free(expression->steps);
	*expression = (struct study_expression){0};
}

bool study_expression_uses(const struct study_expression *expression, size_t at)
{
	for (size_t i = 0; i < expression->count; i++)
		if (expression->steps[i].operation == STEP_QUANTITY &&
		    expression->steps[i].at == at)
			return true;
	return false;
}

/* ---- limits ---- */

/* Reads the "5%" of "equal 2 within 5%". */
static int read_tolerance(double *out, const char *word)
{
	size_t length = strlen(word);
	char *digits;
	int rc;

	if (length < 2 || word[length - 1] != '%')
		return PL_EPARSE;
	digits = xstrndup(word, length - 1);
	rc = parse_double(out, digits, NULL);
	free(digits);
	*out /= 100;
	return !rc && *out >= 0 ? 0 : PL_EPARSE;
}

static int read_limits(struct study_limits *limits, const struct string_list *words)
{
	char *const *word = words->items;
	double value = 0, other = 0;

	if (words->count == 3 && strcmp(word[0], "at") == 0 &&
	    parse_double(&value, word[2], NULL) == 0) {
		bool least = strcmp(word[1], "least") == 0;

		limits->low = least ? value : -INFINITY;
		limits->high = least ? INFINITY : value;
		return least || strcmp(word[1], "most") == 0 ? 0 : PL_EPARSE;
	}
	if (words->count == 4 && strcmp(word[0], "between") == 0 && strcmp(word[2], "and") == 0 &&
	    parse_double(&value, word[1], NULL) == 0 && parse_double(&other, word[3], NULL) == 0) {
		limits->low = value;
		limits->high = other;
		return value < other ? 0 : PL_EPARSE;
	}
	if ((words->count != 2 && words->count != 4) || strcmp(word[0], "equal") ||
	    parse_double(&value, word[1], NULL) ||
	    (words->count == 4 && (strcmp(word[2], "within") || read_tolerance(&other, word[3]))))
		return PL_EPARSE;
	limits->low = value - fabs(value) * other;
	limits->high = value + fabs(value) * other;
	return 0;
}

int study_limits_parse(struct study_limits *out, const char *text, struct error *err)
{
	struct study_limits limits = {0};
	struct string_list words = {0};
	int rc;

	string_list_split(&words, text, ' ');
	rc = read_limits(&limits, &words);
	string_list_release(&words);
	if (rc)
		return error_set(err, rc,
				 "\"%.80s\" is not a limit: write \"at least 2\", \"at most 2\", "
				 "\"between 1 and 2\", \"equal 2\" or \"equal 2 within 5%%\"",
				 text);
	limits.text = xstrdup(text);
	*out = limits;
	return 0;
}
