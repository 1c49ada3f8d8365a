/* The quantities in expressions of studies, and their limits. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/study.h"
#include "metrics/analysis/study_expression.h"
#include "metrics/catalogue/catalogue.h"

/* What the names of an expression are looked up in. */
struct vocabulary {
	const struct study *study;
	bool emulated;
};

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

static int unknown_quantity(struct postfix_reading *r, const char *at, const char *name,
			    bool emulated)
{
	const char *names[512];
	struct text cause = TEXT_INIT, near = TEXT_INIT;
	size_t metrics, count = 0;
	const struct metric *all = emulated ? metric_all_emulated(&metrics) : metric_all(&metrics);
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		names[count++] = facts[i].name;
	for (size_t i = 0; i < metrics && count < ARRAY_SIZE(names); i++)
		names[count++] = all[i].name;
	text_addf(&cause, "no metric%s is called \"%.60s\"", emulated ? " of the emulator" : "",
		  name);
	if (nearest_names(&near, name, names, count))
		text_addf(&cause, "; did you mean %s?", near.data);
	rc = postfix_fail(r, at, cause.data);
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

static int find_quantity(struct postfix_reading *r, struct postfix_step *step, const char *start,
			 const char *name)
{
	const bool emulated = ((const struct vocabulary *)postfix_context(r))->emulated;
	const struct metric *metric = metric_find(name);

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		if (strcmp(facts[i].name, name) || (facts[i].emulated_only && !emulated))
			continue;
		step->kind = facts[i].fact;
		return facts[i].timed && emulated
			       ? postfix_fail(r, start, "the emulator measures no time")
			       : 0;
	}
	if (!metric || metric->emulated != emulated)
		return unknown_quantity(r, start, name, emulated);
	if (depends_on_time(metric))
		return postfix_fail(r, start,
				    "a rate: divide by time() instead, which has an interval");
	step->metric = metric->name;
	return 0;
}

/* Behind the name: the case in parentheses. */
static int read_quantity(struct postfix_reading *r, const char *start, const char *name,
			 struct postfix_step *step)
{
	const struct vocabulary *vocabulary = postfix_context(r);
	const struct study *study = vocabulary->study;
	const char *at;
	char *word;
	int rc;

	if (!postfix_take(r, '('))
		return postfix_fail(r, start, "\"(\" expected after a name, such as time(CASE)");
	rc = find_quantity(r, step, start, name);
	if (rc)
		return rc;
	word = postfix_word(r, &at);
	for (step->at = 0; step->at < study->case_count; step->at++)
		if (strcmp(study->cases[step->at].name, word) == 0)
			break;
	if (step->at == study->case_count)
		rc = postfix_fail(r, at,
				  *word ? "no case of the study has this name"
					: "the name of a case is missing");
	else if (vocabulary->emulated && study->cases[step->at].best)
		rc = postfix_fail(
			r, at,
			"the emulator measures no time, so it has no fastest case: name one case");
	else if (!postfix_take(r, ')'))
		rc = postfix_fail(r, NULL, "\")\" is missing after the name of the case");
	free(word);
	return rc;
}

int study_expression_parse(struct postfix *out, const char *text, const struct study *study,
			   bool emulated, struct error *err)
{
	const struct vocabulary vocabulary = {study, emulated};

	return postfix_parse(
		out, text,
		&(const struct postfix_names){.find = read_quantity, .context = &vocabulary}, err);
}

bool study_expression_uses(const struct postfix *expression, size_t at)
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
