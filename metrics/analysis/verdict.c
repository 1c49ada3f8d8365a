/* A verdict: the tables of rules, asked for one trial. */
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict_rules.h"

#define MOST_ADVICE 2

static const struct {
	const char *name, *meaning;
} bounds[BOUND_COUNT] = {
#define X(symbol, bound_name, bound_meaning) [symbol] = {bound_name, bound_meaning},
	BOUND_LIST(X)
#undef X
};

const char *bound_name(enum bound bound)
{
	return bounds[bound].name;
}

const char *bound_meaning(enum bound bound)
{
	return bounds[bound].meaning;
}

const struct verdict_rule *verdict_rule_at(size_t index)
{
	if (index < binding_rule_count)
		return &binding_rules[index].words;
	index -= binding_rule_count;
	return index < note_rule_count ? &note_rules[index].words : NULL;
}

/* What a rule goes by. */
static double near_pct(const struct rule *rule, const struct evidence *evidence)
{
	return rule->near_pct(evidence);
}

/* What a rule reports as the percent of its roof: of idle lanes, that without them. */
static double reported_pct(const struct rule *rule, const struct evidence *evidence)
{
	return rule->bound == BOUND_COMPUTE ? evidence->point->compute_roof_pct
					    : rule->near_pct(evidence);
}

/* The roof that is nearest, NULL where none is known. */
static const struct rule *
nearest_roof(const struct evidence *evidence,
	     double (*pct_of)(const struct rule *, const struct evidence *), double *nearest_pct)
{
	const struct rule *nearest = NULL;

	*nearest_pct = NAN;
	for (size_t i = 0; i < binding_rule_count; i++) {
		const struct rule *rule = &binding_rules[i];
		double pct;

		if (!rule->near_pct)
			continue;
		pct = pct_of(rule, evidence);
		if (isfinite(pct) && !(pct <= *nearest_pct)) {
			*nearest_pct = pct;
			nearest = rule;
		}
	}
	return nearest;
}

/* The rule that says what binds; there is always one. */
static const struct rule *decide(struct evidence *evidence)
{
	double pct;
	const struct rule *rule = nearest_roof(evidence, near_pct, &pct);

	if (pct >= NEAR_PCT) {
		evidence->roof_pct = reported_pct(rule, evidence);
	} else {
		rule = nearest_roof(evidence, reported_pct, &evidence->roof_pct);
		evidence->nearest = rule ? rule->bound : BOUND_UNKNOWN;
		rule = binding_rules;
		while (!rule->holds || !rule->holds(evidence))
			rule++;
	}
	evidence->bound = rule->bound;
	return rule;
}

static void add_note(struct verdict_note **notes, size_t *count, size_t *capacity,
		     const struct rule *rule, struct text *text)
{
	*notes = xgrow(*notes, capacity, *count + 1, sizeof(**notes));
	(*notes)[(*count)++] =
		(struct verdict_note){.rule = rule->words.name, .text = text_detach(text)};
}

static void add_advice(struct verdict *out, size_t *capacity, const struct rule *rule,
		       const struct evidence *evidence)
{
	struct text text = TEXT_INIT;

	if (out->advice_count == MOST_ADVICE)
		return;
	if (rule->advise)
		rule->advise(&text, evidence);
	else
		text_add(&text, rule->words.advice);
	if (text.length)
		add_note(&out->advice, &out->advice_count, capacity, rule, &text);
	text_release(&text);
}

static bool advises_here(const struct rule *rule, const struct evidence *evidence)
{
	return rule->advises & BIND(evidence->bound) &&
	       !(rule->advises & HIDES_LATENCY && evidence_at_roof(evidence));
}

static void add_notes(struct verdict *out, size_t *advice_capacity, const struct evidence *evidence)
{
	size_t capacity = 0;

	for (size_t i = 0; i < note_rule_count; i++) {
		const struct rule *rule = &note_rules[i];
		struct text text = TEXT_INIT;

		if (!rule->holds(evidence))
			continue;
		rule->say(&text, evidence);
		add_note(&out->notes, &out->note_count, &capacity, rule, &text);
		if (advises_here(rule, evidence))
			add_advice(out, advice_capacity, rule, evidence);
	}
}

static bool is_judged(const struct trial *trial)
{
	return trial->status == TRIAL_OK || trial->status == TRIAL_SAMPLED;
}

void verdict_of(struct verdict *out, const struct trial *trial, const struct roofline_point *point,
		const struct ceiling_list *ceilings, const struct device_info *device)
{
	struct text summary = TEXT_INIT, above = TEXT_INIT;
	const struct rule *binding;
	struct evidence evidence;
	size_t advice_capacity = 0;

	*out = (struct verdict){.bound = BOUND_UNKNOWN, .roof_pct = NAN};
	if (!is_judged(trial)) {
		out->summary =
			xasprintf("not judged: the case is %s", trial_status_name(trial->status));
		return;
	}
	evidence_take(&evidence, trial, point, ceilings, device);
	binding = decide(&evidence);
	out->bound = binding->bound;
	out->roof_pct = evidence.roof_pct;
	binding->say(&summary, &evidence);
	out->summary = text_detach(&summary);
	/* what is missing goes before what might help */
	if (out->bound == BOUND_UNKNOWN)
		add_advice(out, &advice_capacity, binding, &evidence);
	add_notes(out, &advice_capacity, &evidence);
	if (out->bound != BOUND_UNKNOWN)
		add_advice(out, &advice_capacity, binding, &evidence);
	if (evidence_above_roof(&above, &evidence))
		out->above_roof = text_detach(&above);
	text_release(&above);
}

void verdict_release(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->note_count; i++)
		free(verdict->notes[i].text);
	for (size_t i = 0; i < verdict->advice_count; i++)
		free(verdict->advice[i].text);
	free(verdict->notes);
	free(verdict->advice);
	free(verdict->summary);
	free(verdict->above_roof);
	*verdict = (struct verdict){0};
}
