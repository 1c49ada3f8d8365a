/* Reads files of thresholds, and finds the threshold of a case. */
#include "metrics/analysis/regress.h"
#include "metrics/catalogue/catalogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_SHOWN 60
/* A higher limit is a typing error. */
#define LIMIT_MOST 1000.0
/* The user who writes "time=2" means 2 %; as a ratio it would accept everything. */
#define LIMIT_MOST_PLAIN 1.0

/* The place that a message names. */
struct place {
	const char *file;
	size_t line;
};

/* Quotes the beginning of the word. Control characters become '?', because the file is untrusted
 * input. */
static int fail_at_word(const struct place *place, struct error *err, const char *what,
			const char *word)
{
	char shown[WORD_SHOWN + 1];
	size_t length = 0;

	for (; word[length] && length < WORD_SHOWN; length++)
		shown[length] = word[length] > ' ' && word[length] < 127 ? word[length] : '?';
	shown[length] = '\0';
	return error_set(err, PL_EPARSE, "%s:%zu: %s: \"%s\"", place->file, place->line, what,
			 shown);
}

static void rule_release(struct threshold_rule *rule)
{
	for (size_t i = 0; i < rule->count; i++)
		free(rule->items[i].name);
	free(rule->items);
	free(rule->pattern);
}

void thresholds_release(struct thresholds *thresholds)
{
	for (size_t i = 0; i < thresholds->count; i++)
		rule_release(&thresholds->rules[i]);
	free(thresholds->rules);
	*thresholds = (struct thresholds){0};
}

static void rule_add(struct threshold_rule *rule, const char *name, bool ignore, double limit,
		     enum worse worse)
{
	rule->items = xgrow(rule->items, &rule->capacity, rule->count + 1, sizeof(*rule->items));
	rule->items[rule->count++] = (struct threshold){
		.name = name ? xstrdup(name) : NULL,
		.ignore = ignore,
		.limit = limit,
		.worse = worse,
	};
}

/* Names of CUPTI are not in the catalogue; they contain "__". */
static bool is_metric(const char *name)
{
	return metric_find(name) || strstr(name, "__");
}

/* Parses "2%" or "0.02". 0 is a limit too. */
static bool parse_limit(double *out, const char *text)
{
	size_t length = strlen(text);
	bool percent = length > 0 && text[length - 1] == '%';
	char *number = xstrndup(text, length - percent);
	double value;
	bool ok = parse_double(&value, number, NULL) == 0 && value >= 0;

	free(number);
	if (!ok)
		return false;
	*out = percent ? value / 100 : value;
	return percent ? *out <= LIMIT_MOST : *out < LIMIT_MOST_PLAIN;
}

static int add_limit(struct threshold_rule *rule, const struct place *place, const char *name,
		     const char *text, const char *word, struct error *err)
{
	const struct metric *metric = metric_find(name);
	const bool time = strcmp(name, THRESHOLDS_TIME) == 0;
	enum worse worse = metric ? metric->worse : WORSE_NEITHER;
	double limit;

	if (!time && !is_metric(name))
		return fail_at_word(place, err,
				    "neither time nor a metric (`perflab list metrics`)", name);
	if (!time && (*text == '+' || *text == '-'))
		worse = *text++ == '+' ? WORSE_MORE : WORSE_LESS;
	if (!parse_limit(&limit, text))
		return fail_at_word(place, err, "not a limit such as 2% or 0.02", word);
	if (!time && worse == WORSE_NEITHER)
		return fail_at_word(
			place, err,
			"the catalogue does not define which direction is worse: write +2% or -2%",
			word);
	rule_add(rule, name, false, limit, worse);
	return 0;
}

static int parse_word(struct threshold_rule *rule, const struct place *place, char *word,
		      struct error *err)
{
	char *equals = strchr(word, '=');
	char *name;
	int rc;

	if (!equals && strcmp(word, "ignore") == 0) {
		rule_add(rule, NULL, true, NAN, WORSE_NEITHER);
		return 0;
	}
	if (!equals)
		return fail_at_word(place, err, "neither NAME=LIMIT nor ignore", word);
	name = xstrndup(word, (size_t)(equals - word));
	if (strcmp(name, "ignore") != 0) {
		rc = add_limit(rule, place, name, equals + 1, word, err);
	} else if (strcmp(equals + 1, THRESHOLDS_TIME) == 0 || is_metric(equals + 1)) {
		rule_add(rule, equals + 1, true, NAN, WORSE_NEITHER);
		rc = 0;
	} else {
		rc = fail_at_word(place, err, "neither time nor a metric (`perflab list metrics`)",
				  equals + 1);
	}
	free(name);
	return rc;
}

/* Parses the words of a line, and modifies the line. A word that begins with '#' begins a comment.
 */
static int parse_line(struct thresholds *out, const struct place *place, char *line,
		      struct error *err)
{
	struct threshold_rule rule = {0};
	char *rest = line;
	char *word;
	int rc = 0;

	while (!rc && (word = strtok_r(NULL, " \t\r\v\f", &rest)) && *word != '#') {
		if (!rule.pattern)
			rule.pattern = xstrdup(word);
		else
			rc = parse_word(&rule, place, word, err);
	}
	if (!rc && rule.pattern && !rule.count)
		rc = fail_at_word(place, err, "a pattern without a limit", rule.pattern);
	if (rc || !rule.pattern) {
		rule_release(&rule);
		return rc;
	}
	out->rules = xgrow(out->rules, &out->capacity, out->count + 1, sizeof(*out->rules));
	rule.line = place->line;
	out->rules[out->count++] = rule;
	return 0;
}

int thresholds_parse(struct thresholds *out, const char *name, const char *bytes, size_t length,
		     struct error *err)
{
	struct thresholds found = {0};
	struct place place = {name, 0};
	const char *end = bytes + length;
	int rc = 0;

	while (bytes < end && !rc) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t size = (size_t)((newline ? newline : end) - bytes);
		char *line = xstrndup(bytes, size);

		place.line++;
		if (strlen(line) != size)
			rc = error_set(err, PL_EPARSE, "%s:%zu: a NUL byte: not a text file", name,
				       place.line);
		else
			rc = parse_line(&found, &place, line, err);
		free(line);
		bytes += size + 1;
	}
	if (rc)
		thresholds_release(&found);
	else
		*out = found;
	return rc;
}

bool thresholds_ignore(const struct thresholds *thresholds, const char *case_name)
{
	for (size_t i = thresholds->count; i-- > 0;) {
		const struct threshold_rule *rule = &thresholds->rules[i];
		bool limited = false;

		if (!pattern_matches(rule->pattern, case_name))
			continue;
		for (size_t k = 0; k < rule->count; k++) {
			if (!rule->items[k].name)
				return true;
			limited |= !rule->items[k].ignore;
		}
		if (limited)
			return false;
	}
	return false;
}

const struct threshold *thresholds_find(const struct thresholds *thresholds, const char *case_name,
					const char *name)
{
	for (size_t i = thresholds->count; i-- > 0;) {
		const struct threshold_rule *rule = &thresholds->rules[i];

		for (size_t k = rule->count; k-- > 0;) {
			const struct threshold *said = &rule->items[k];

			if (said->name && strcmp(said->name, name) == 0 &&
			    pattern_matches(rule->pattern, case_name))
				return said;
		}
	}
	return NULL;
}
