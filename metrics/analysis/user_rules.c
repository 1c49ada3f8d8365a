/* Reads the metrics and rules of a file, and evaluates them. */
#include "metrics/analysis/user_rules.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/entries.h"
#include "metrics/analysis/statistics.h"
#include "metrics/analysis/verdict_rules.h"
#include "metrics/catalogue/catalogue.h"

#define MOST_METRICS 64
#define MOST_RULES 64
#define MOST_NAME 40

/* ---- quantities ---- */

enum quantity {
	QUANTITY_COUNTER, /* a metric of the catalogue, of the file, or a counter of CUPTI */
	QUANTITY_FACT,    /* `at` is an index into facts[] */
	QUANTITY_STALL,   /* `at` is an enum stall */
	QUANTITY_ROOF,    /* `at` is an enum limiter_rule */
	QUANTITY_SHAPE,   /* `at` is an index into shapes[] */
};

static double fact_or_nan(int64_t value)
{
	return value >= 0 ? (double)value : NAN;
}

static double registers_of(const struct launch_facts *facts)
{
	return fact_or_nan(facts->registers_per_thread);
}

static double local_bytes_of(const struct launch_facts *facts)
{
	return fact_or_nan(facts->local_bytes_per_thread);
}

static double shared_bytes_of(const struct launch_facts *facts)
{
	return fact_or_nan(facts->shared_static_bytes) + fact_or_nan(facts->shared_dynamic_bytes);
}

static const struct {
	const char *name;
	double (*value)(const struct launch_facts *facts);
} facts[] = {
	{"registers_per_thread", registers_of},
	{"local_bytes_per_thread", local_bytes_of},
	{"shared_bytes_per_block", shared_bytes_of},
};

static double busy_of(const struct evidence *e)
{
	return 100 * e->busy;
}

static double waves_in(const struct evidence *e)
{
	return e->waves;
}

/* Quantities that only verdicts know, besides stalls and roofs. */
static const struct {
	const char *name;
	double (*value)(const struct evidence *e);
} shapes[] = {
	{"busy_pct", busy_of},
	{"waves", waves_in},
};

/* The name of a stall or a roof: "stall_memory_pct", "roof_l2_pct". malloc'd. */
static char *quantity_name(enum quantity kind, size_t at)
{
	if (kind == QUANTITY_STALL)
		return xasprintf("stall_%s_pct", stall_name((enum stall)at));
	return xasprintf("roof_%s_pct", bound_name(limiter_rules[at].bound));
}

static void add_share_name(struct string_list *names, enum quantity kind, size_t at)
{
	char *name = quantity_name(kind, at);

	string_list_add(names, name);
	free(name);
}

static bool find_share(struct postfix_step *step, enum quantity kind, size_t count,
		       const char *name)
{
	for (size_t i = 0; i < count; i++) {
		char *other = quantity_name(kind, i);
		const bool found = strcmp(other, name) == 0;

		free(other);
		if (found) {
			step->kind = (int)kind;
			step->at = i;
			return true;
		}
	}
	return false;
}

static const struct user_metric *find_metric(const struct user_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->metric_count; i++)
		if (strcmp(rules->metrics[i].name, name) == 0)
			return &rules->metrics[i];
	return NULL;
}

/* What the names of a formula are looked up in. */
struct vocabulary {
	const struct user_rules *rules;
	struct string_list *counters; /* takes new names of CUPTI; NULL: none are taken */
	bool of_rule;                 /* stalls, roofs and shapes are known, too */
};

/* The stored name of a counter of CUPTI: "sm__inst_executed.sum". NULL: it is none. */
static const char *find_cupti(const struct vocabulary *vocabulary, const char *name)
{
	const struct string_list *known = &vocabulary->rules->counters;
	struct error ignored = {0};

	for (size_t i = 0; i < known->count; i++)
		if (strcmp(known->items[i], name) == 0)
			return known->items[i];
	if (!vocabulary->counters || !strstr(name, "__") || metric_unit_check(name, &ignored))
		return NULL;
	string_list_add(vocabulary->counters, name);
	return vocabulary->counters->items[vocabulary->counters->count - 1];
}

static int refuse_quantity(struct postfix_reading *r, const char *at, const char *name)
{
	const struct vocabulary *vocabulary = postfix_context(r);
	struct text cause = TEXT_INIT, near = TEXT_INIT;
	struct string_list names = {0};
	size_t count;
	const struct metric *all = metric_all(&count);
	int rc;

	for (size_t i = 0; i < count; i++)
		string_list_add(&names, all[i].name);
	for (size_t i = 0; i < vocabulary->rules->metric_count; i++)
		if (vocabulary->rules->metrics[i].formula.count)
			string_list_add(&names, vocabulary->rules->metrics[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		string_list_add(&names, facts[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(shapes) && vocabulary->of_rule; i++)
		string_list_add(&names, shapes[i].name);
	for (size_t i = 0; i < STALL_COUNT && vocabulary->of_rule; i++)
		add_share_name(&names, QUANTITY_STALL, i);
	for (size_t i = 0; i < ROOF_RULE_COUNT && vocabulary->of_rule; i++)
		add_share_name(&names, QUANTITY_ROOF, i);
	text_addf(&cause, "no metric of a device is called \"%.60s\"", name);
	if (nearest_names(&near, name, (const char *const *)names.items, names.count))
		text_addf(&cause, "; did you mean %s?", near.data);
	rc = postfix_fail(r, at, cause.data);
	string_list_release(&names);
	text_release(&cause);
	text_release(&near);
	return rc;
}

/* Sets *step to a counter. False: there is none with this name. */
static bool find_counter(struct postfix_step *step, const struct vocabulary *vocabulary,
			 const char *name)
{
	const struct user_metric *own = find_metric(vocabulary->rules, name);
	const struct metric *metric = metric_find(name);

	step->kind = QUANTITY_COUNTER;
	if (own && own->formula.count) /* not of itself */
		step->metric = own->name;
	else if (metric && !metric->emulated)
		step->metric = metric->name;
	else
		step->metric = find_cupti(vocabulary, name);
	return step->metric != NULL;
}

static int find_rule_quantity(struct postfix_reading *r, const char *start, const char *name,
			      struct postfix_step *step)
{
	const struct vocabulary *vocabulary = postfix_context(r);

	if (find_counter(step, vocabulary, name))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (strcmp(facts[i].name, name) == 0) {
			step->kind = QUANTITY_FACT;
			step->at = i;
			return 0;
		}
	if (!vocabulary->of_rule)
		return refuse_quantity(r, start, name);
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (strcmp(shapes[i].name, name) == 0) {
			step->kind = QUANTITY_SHAPE;
			step->at = i;
			return 0;
		}
	if (find_share(step, QUANTITY_STALL, STALL_COUNT, name) ||
	    find_share(step, QUANTITY_ROOF, ROOF_RULE_COUNT, name))
		return 0;
	return refuse_quantity(r, start, name);
}

/* ---- values ---- */

struct lookup {
	const struct trial *trial;
	const struct evidence *evidence; /* NULL: of a metric */
};

static double quantity_value(const void *context, const struct postfix_step *step)
{
	const struct lookup *lookup = context;

	switch ((enum quantity)step->kind) {
	case QUANTITY_COUNTER:
		if (strcmp(step->metric, "median_time_ns") == 0)
			return lookup->trial->summary.median_ns > 0
				       ? lookup->trial->summary.median_ns
				       : NAN;
		return counted_value(lookup->trial, step->metric);
	case QUANTITY_FACT:
		return facts[step->at].value(&lookup->trial->facts);
	case QUANTITY_STALL:
		return step->at == STALL_QUEUE ? lookup->evidence->queue_pct
					       : lookup->evidence->stall_pct[step->at];
	case QUANTITY_ROOF:
		return step->at == RULE_ISSUE ? lookup->evidence->issue_pct
					      : lookup->evidence->near_pct[step->at];
	case QUANTITY_SHAPE:
		return shapes[step->at].value(lookup->evidence);
	}
	return NAN;
}

static double rule_value(const struct postfix *formula, const struct evidence *evidence)
{
	const struct lookup lookup = {evidence->trial, evidence};

	return postfix_value(formula, quantity_value, &lookup);
}

bool user_rule_holds(const struct user_rule *rule, const struct evidence *evidence)
{
	const double value = rule_value(&rule->when, evidence);

	return isfinite(value) && value != 0;
}

double user_rule_saves(const struct user_rule *rule, const struct evidence *evidence)
{
	const double saved = rule->saves.count ? rule_value(&rule->saves, evidence) : NAN;

	return isfinite(saved) ? fmin(fmax(saved, 0), 1) : NAN;
}

/* Whether the trial lacks a quantity of a formula: adds why. */
static bool lacks(struct text *why, const struct postfix *formula, const struct lookup *lookup)
{
	for (size_t i = 0; i < formula->count; i++) {
		const struct postfix_step *step = &formula->steps[i];
		const struct counter_value *counter;

		if (step->operation != STEP_QUANTITY || isfinite(quantity_value(lookup, step)))
			continue;
		if (step->kind == QUANTITY_FACT) {
			text_addf(why, "needs %s, which is not known", facts[step->at].name);
			return true;
		}
		counter = counter_list_find(&lookup->trial->counters, step->metric);
		if (counter && counter->reason)
			text_addf(why, "needs %s: %s", step->metric, counter->reason);
		else
			text_addf(why, "needs %s, which was not collected", step->metric);
		return true;
	}
	return false;
}

static void derive(const struct user_metric *metric, struct trial *trial)
{
	const struct lookup lookup = {trial, NULL};
	const double value = postfix_value(&metric->formula, quantity_value, &lookup);
	struct text why = TEXT_INIT;

	if (isfinite(value)) {
		counter_list_set(&trial->counters, metric->name, metric->unit, metric->source,
				 value);
		return;
	}
	if (!lacks(&why, &metric->formula, &lookup))
		text_add(&why, "its formula has no value, such as a division by zero");
	counter_list_set_missing(&trial->counters, metric->name, metric->unit, metric->source,
				 why.data);
	text_release(&why);
}

void user_rules_derive(const struct user_rules *rules, struct run *run)
{
	for (size_t i = 0; i < run->trial_count && !run->traits.emulated; i++)
		for (size_t k = 0; k < rules->metric_count && run->trials[i].counted; k++)
			derive(&rules->metrics[k], &run->trials[i]);
}

static void add_needed_metrics(struct string_list *out, const struct user_rules *rules,
			       const struct postfix *formula)
{
	for (size_t i = 0; i < formula->count; i++) {
		const char *metric = formula->steps[i].metric;

		if (metric && !find_metric(rules, metric) && !string_list_has(out, metric))
			string_list_add(out, metric);
	}
}

/* ---- what a rule says ---- */

/* A text between the quantities that it names. */
struct part {
	const char *words;
	size_t length;
	struct postfix quantity; /* after them; no steps: there is none */
};

/*
 * Takes the next part of a text from *at: words, and then a "{QUANTITY}". False: it has none, or an
 * error, which sets *rc to PL_EPARSE.
 */
static bool next_part(const char **at, struct part *part, const struct vocabulary *vocabulary,
		      int *rc, struct error *err)
{
	const struct postfix_names names = {find_rule_quantity, vocabulary, true};
	const char *open, *close;
	char *inside;

	*rc = 0;
	*part = (struct part){.words = *at};
	if (!**at)
		return false;
	open = strchr(*at, '{');
	part->length = open ? (size_t)(open - *at) : strlen(*at);
	*at += part->length;
	if (!open)
		return true;
	close = strchr(open, '}');
	if (!close) {
		*rc = error_set(err, PL_EPARSE, "\"{\" without \"}\"");
		return false;
	}
	inside = xstrndup(open + 1, (size_t)(close - open - 1));
	*rc = postfix_parse(&part->quantity, inside, &names, err);
	free(inside);
	*at = close + 1;
	return *rc == 0;
}

void user_rule_say(struct text *out, const struct user_rule *rule, const struct evidence *evidence)
{
	const struct vocabulary vocabulary = {evidence->rules, NULL, true};
	const char *at = rule->says;
	struct error ignored = {0};
	struct part part;
	int rc;

	while (next_part(&at, &part, &vocabulary, &rc, &ignored)) {
		text_add_bytes(out, part.words, part.length);
		if (part.quantity.count) {
			const double value = rule_value(&part.quantity, evidence);

			if (isfinite(value))
				text_addf(out, "%.3g", value);
			else
				text_add_char(out, '?');
		}
		postfix_release(&part.quantity);
	}
}

static void add_needs_of_text(struct string_list *out, const struct user_rules *rules,
			      const char *at)
{
	const struct vocabulary vocabulary = {rules, NULL, true};
	struct error ignored = {0};
	struct part part;
	int rc;

	while (next_part(&at, &part, &vocabulary, &rc, &ignored)) {
		add_needed_metrics(out, rules, &part.quantity);
		postfix_release(&part.quantity);
	}
}

void user_rules_needs(struct string_list *out, const struct user_rules *rules)
{
	for (size_t i = 0; i < rules->metric_count; i++)
		add_needed_metrics(out, rules, &rules->metrics[i].formula);
	for (size_t i = 0; i < rules->rule_count; i++) {
		add_needed_metrics(out, rules, &rules->rules[i].when);
		add_needed_metrics(out, rules, &rules->rules[i].saves);
		add_needs_of_text(out, rules, rules->rules[i].says);
	}
}

/* ---- the file ---- */

struct rules_reader {
	struct user_rules *rules;
	bool in_rule; /* the last block is a rule; else a metric */
	struct entry_place place;
};

static struct user_metric *last_metric(const struct rules_reader *reader)
{
	const struct user_rules *rules = reader->rules;

	return !reader->in_rule && rules->metric_count ? &rules->metrics[rules->metric_count - 1]
						       : NULL;
}

static struct user_rule *last_rule(const struct rules_reader *reader)
{
	const struct user_rules *rules = reader->rules;

	return reader->in_rule ? &rules->rules[rules->rule_count - 1] : NULL;
}

/* The keys of a block: texts and formulas. */
static const struct block_key {
	const char *name;
	bool of_rule, formula;
	size_t offset;
} block_keys[] = {
	{"unit", false, false, offsetof(struct user_metric, unit)},
	{"meaning", false, false, offsetof(struct user_metric, meaning)},
	{"formula", false, true, offsetof(struct user_metric, formula)},
	{"when", true, true, offsetof(struct user_rule, when)},
	{"says", true, false, offsetof(struct user_rule, says)},
	{"advice", true, false, offsetof(struct user_rule, advice)},
	{"remedy", true, false, offsetof(struct user_rule, remedy)},
	{"saves", true, true, offsetof(struct user_rule, saves)},
	{"source", true, false, offsetof(struct user_rule, source)},
};

static bool rule_name_is_taken(const struct user_rules *rules, const char *name)
{
	struct verdict_rule known;

	for (size_t i = 0; verdict_rule_at(&known, i); i++)
		if (strcmp(known.name, name) == 0)
			return true;
	for (size_t i = 0; i < rules->rule_count; i++)
		if (strcmp(rules->rules[i].name, name) == 0)
			return true;
	return false;
}

/* Whether a formula would take the name for something else. */
static bool quantity_name_is_taken(const struct user_rules *rules, const char *name)
{
	const struct vocabulary vocabulary = {rules, NULL, true};
	const struct postfix_names names = {find_rule_quantity, &vocabulary, true};
	struct error ignored = {0};
	struct postfix quantity = {0};
	const bool taken = postfix_parse(&quantity, name, &names, &ignored) == 0;

	postfix_release(&quantity);
	return taken || metric_find(name) || find_metric(rules, name) || !strcmp(name, "and") ||
	       !strcmp(name, "or") || !strcmp(name, "min") || !strcmp(name, "max") ||
	       !strcmp(name, "log10");
}

static int begin_block(struct rules_reader *reader, const char *name, bool rule)
{
	struct user_rules *rules = reader->rules;
	const size_t length = strlen(name);

	if (length > MOST_NAME || !islower((unsigned char)name[0]) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length || strstr(name, "__"))
		return entry_fail(&reader->place,
				  "a name has up to %d lower-case letters, digits and single "
				  "underscores: \"%.60s\"",
				  MOST_NAME, name);
	if (rule ? rule_name_is_taken(rules, name) : quantity_name_is_taken(rules, name))
		return entry_fail(&reader->place, "there is already a %s \"%s\"",
				  rule ? "rule" : "metric", name);
	if (rule ? rules->rule_count == MOST_RULES : rules->metric_count == MOST_METRICS)
		return entry_fail(&reader->place, "more %s than the %d that a file may have",
				  rule ? "rules" : "metrics", rule ? MOST_RULES : MOST_METRICS);
	reader->in_rule = rule;
	if (rule)
		rules->rules[rules->rule_count++].name = xstrdup(name);
	else
		rules->metrics[rules->metric_count++].name = xstrdup(name);
	return 0;
}

static int set_limiters(const struct rules_reader *reader, const char *value)
{
	struct user_rule *rule = last_rule(reader);
	struct string_list words = {0};
	int rc = 0;

	if (rule->limiters)
		return entry_fail(&reader->place, "\"limiters\" appears twice");
	string_list_split(&words, value, ',');
	for (size_t i = 0; i < words.count && !rc; i++) {
		char *word = words.items[i] + strspn(words.items[i], " ");
		int bound = BOUND_UNKNOWN;

		word[strcspn(word, " ")] = '\0';
		while (bound < BOUND_COUNT && strcmp(bound_name((enum bound)bound), word) != 0)
			bound++;
		if (bound == BOUND_COUNT)
			rc = entry_fail(&reader->place,
					"no limiter is called \"%.60s\"; perflab list rules shows "
					"them",
					word);
		else
			rule->limiters |= LIMITER(bound);
	}
	string_list_release(&words);
	return rc;
}

static int set_block_key(const struct rules_reader *reader, const struct block_key *key,
			 const char *value)
{
	const struct vocabulary vocabulary = {reader->rules, &reader->rules->counters,
					      key->of_rule};
	const struct postfix_names names = {find_rule_quantity, &vocabulary, true};
	void *block = key->of_rule ? (void *)last_rule(reader) : (void *)last_metric(reader);
	struct error cause = {0};

	if (!block)
		return entry_fail(&reader->place,
				  "\"%s\" belongs to a %s: write \"%s: NAME\" first", key->name,
				  key->of_rule ? "rule" : "metric",
				  key->of_rule ? "rule" : "metric");
	if (key->formula) {
		struct postfix *at = (struct postfix *)((char *)block + key->offset);

		if (at->count)
			return entry_fail(&reader->place, "\"%s\" appears twice", key->name);
		return postfix_parse(at, value, &names, &cause)
			       ? entry_fail(&reader->place, "%s", cause.text)
			       : 0;
	}
	if (*(char **)((char *)block + key->offset))
		return entry_fail(&reader->place, "\"%s\" appears twice", key->name);
	*(char **)((char *)block + key->offset) = xstrdup(value);
	return 0;
}

static int refuse_key(const struct rules_reader *reader, const char *key)
{
	const char *names[ARRAY_SIZE(block_keys) + 3] = {"metric", "rule", "limiters"};
	struct text cause = TEXT_INIT, near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(block_keys); i++)
		names[3 + i] = block_keys[i].name;
	text_addf(&cause, "no key is called \"%.60s\"", key);
	if (nearest_names(&near, key, names, ARRAY_SIZE(names)))
		text_addf(&cause, "; did you mean %s?", near.data);
	rc = entry_fail(&reader->place, "%s", cause.data);
	text_release(&cause);
	text_release(&near);
	return rc;
}

/* Checks what the last block has, at its end. */
static int end_block(struct rules_reader *reader)
{
	struct user_metric *metric = last_metric(reader);
	const struct user_rule *rule = last_rule(reader);
	const struct vocabulary vocabulary = {reader->rules, &reader->rules->counters, true};
	const char *at = rule ? rule->says : NULL;
	struct error cause = {0};
	struct part part;
	int rc;

	if (metric && (!metric->formula.count || !metric->unit || !metric->meaning))
		return entry_fail(&reader->place, "metric \"%s\" ends without \"%s\"", metric->name,
				  !metric->formula.count ? "formula"
				  : !metric->unit        ? "unit"
							 : "meaning");
	if (metric)
		metric->source =
			xasprintf("derived: %s (%s)", metric->formula.text, reader->place.path);
	if (!rule)
		return 0;
	if (!rule->when.count || !rule->says)
		return entry_fail(&reader->place, "rule \"%s\" ends without \"%s\"", rule->name,
				  rule->when.count ? "says" : "when");
	if (!rule->advice != !rule->remedy || (rule->saves.count && !rule->advice))
		return entry_fail(&reader->place,
				  "rule \"%s\" ends without \"%s\": \"advice\" and \"remedy\", "
				  "which is the advice in two or three words, belong together, and "
				  "\"saves\" to both",
				  rule->name, rule->advice ? "remedy" : "advice");
	while (next_part(&at, &part, &vocabulary, &rc, &cause))
		postfix_release(&part.quantity);
	return rc ? entry_fail(&reader->place, "says: %s", cause.text) : 0;
}

static int take_entry(void *context, const char *key, const char *value)
{
	struct rules_reader *reader = context;

	if (strcmp(key, "metric") == 0 || strcmp(key, "rule") == 0) {
		const int rc = end_block(reader);

		return rc ? rc : begin_block(reader, value, *key == 'r');
	}
	if (strcmp(key, "limiters") == 0)
		return last_rule(reader)
			       ? set_limiters(reader, value)
			       : entry_fail(&reader->place, "\"limiters\" belongs to a rule: write "
							    "\"rule: NAME\" first");
	for (size_t i = 0; i < ARRAY_SIZE(block_keys); i++)
		if (strcmp(block_keys[i].name, key) == 0)
			return set_block_key(reader, &block_keys[i], value);
	return refuse_key(reader, key);
}

int user_rules_parse(struct user_rules *out, const char *path, const char *text, size_t length,
		     struct error *err)
{
	struct user_rules rules = {
		.metrics = xcalloc(MOST_METRICS, sizeof(*rules.metrics)),
		.rules = xcalloc(MOST_RULES, sizeof(*rules.rules)),
	};
	struct rules_reader reader = {&rules, false, {path, 1, err}};
	int rc = entries_read(&reader.place, text, length, take_entry, &reader);

	if (!rc)
		rc = end_block(&reader);
	if (!rc && !rules.metric_count && !rules.rule_count)
		rc = entry_fail(&reader.place, "the file has no metric and no rule");
	if (rc)
		user_rules_release(&rules);
	else
		*out = rules;
	return rc;
}

int user_rules_load(struct user_rules *out, const char *path, struct error *err)
{
	size_t length;
	char *text;
	int rc = read_file(&text, &length, path, USER_RULES_MAX_BYTES, err);

	if (rc)
		return rc;
	rc = user_rules_parse(out, path, text, length, err);
	free(text);
	return rc;
}

void user_rules_release(struct user_rules *rules)
{
	for (size_t i = 0; i < rules->metric_count; i++) {
		struct user_metric *metric = &rules->metrics[i];

		free(metric->name);
		free(metric->unit);
		free(metric->meaning);
		free(metric->source);
		postfix_release(&metric->formula);
	}
	for (size_t i = 0; i < rules->rule_count; i++) {
		struct user_rule *rule = &rules->rules[i];

		free(rule->name);
		free(rule->says);
		free(rule->advice);
		free(rule->remedy);
		free(rule->source);
		postfix_release(&rule->when);
		postfix_release(&rule->saves);
	}
	free(rules->metrics);
	free(rules->rules);
	string_list_release(&rules->counters);
	*rules = (struct user_rules){0};
}
