/* The verdict of a trial, by the tables of rules. */
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "metrics/analysis/verdict_rules.h"

#define MOST_ADVICE 2

static const struct {
	const char *name, *meaning, *modelled;
} bounds[BOUND_COUNT] = {
#define X(symbol, bound_name, bound_meaning) \
	[symbol] = {bound_name, bound_meaning, bound_name " (model)"},
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

const char *verdict_limiter_name(const struct verdict *verdict)
{
	return verdict->from_model ? bounds[verdict->bound].modelled : bounds[verdict->bound].name;
}

const struct verdict_rule *verdict_rule_at(size_t index)
{
	if (index < limiter_rule_count)
		return &limiter_rules[index].words;
	index -= limiter_rule_count;
	return index < note_rule_count ? &note_rules[index].words : NULL;
}

/* The share of the roof that decides about the limiter. */
static double deciding_pct(const struct rule *rule, const struct evidence *evidence)
{
	return rule->near_pct(evidence);
}

/* The share of the roof that the verdict reports: for idle lanes, the share that was reached. */
static double reported_pct(const struct rule *rule, const struct evidence *evidence)
{
	return rule->bound == BOUND_COMPUTE ? evidence->compute_pct : rule->near_pct(evidence);
}

/* Returns the rule of the nearest roof, or NULL if none is known. */
static const struct rule *
nearest_roof(const struct evidence *evidence,
	     double (*pct_of)(const struct rule *, const struct evidence *), double *nearest_pct)
{
	const struct rule *nearest = NULL;

	*nearest_pct = NAN;
	for (size_t i = 0; i < limiter_rule_count; i++) {
		const struct rule *rule = &limiter_rules[i];
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

/* Returns the rule of the limiter. The last rule always holds. */
static const struct rule *find_limiter(struct evidence *evidence)
{
	double pct;
	const struct rule *rule = nearest_roof(evidence, deciding_pct, &pct);

	if (pct >= NEAR_PCT) {
		evidence->roof_pct = reported_pct(rule, evidence);
	} else {
		rule = nearest_roof(evidence, reported_pct, &evidence->roof_pct);
		evidence->nearest = rule ? rule->bound : BOUND_UNKNOWN;
		rule = limiter_rules;
		while (!rule->holds || !rule->holds(evidence))
			rule++;
	}
	evidence->bound = rule->bound;
	return rule;
}

static void append_verdict_note(struct verdict_note **notes, size_t *count, size_t *capacity,
				const struct rule *rule, struct text *text, double lost)
{
	*notes = xgrow(*notes, capacity, *count + 1, sizeof(**notes));
	(*notes)[(*count)++] = (struct verdict_note){
		.rule = rule->words.name, .text = text_detach(text), .lost = lost};
}

static double rule_lost(const struct rule *rule, const struct evidence *evidence)
{
	double lost = rule->lost ? rule->lost(evidence) : NAN;

	return lost > 0 ? lost : NAN;
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
		append_verdict_note(&out->advice, &out->advice_count, capacity, rule, &text,
				    rule_lost(rule, evidence));
	text_release(&text);
}

/* Finds the rules that hold, in the order of struct verdict, `notes`. Returns their number. */
static size_t find_notes(const struct rule **found, const struct evidence *evidence)
{
	size_t count = 0;

	for (size_t i = 0; i < note_rule_count; i++) {
		double lost = rule_lost(&note_rules[i], evidence);
		size_t at = count;

		if (!note_rules[i].holds(evidence))
			continue;
		for (; at > 0 && evidence->point->emulated; at--) {
			double before = rule_lost(found[at - 1], evidence);

			if (!(lost > before || (isnan(before) && isfinite(lost))))
				break;
			found[at] = found[at - 1];
		}
		found[at] = &note_rules[i];
		count++;
	}
	return count;
}

static void add_notes_and_advice(struct verdict *out, size_t *advice_capacity,
				 const struct evidence *evidence)
{
	const struct rule **found = xcalloc(note_rule_count, sizeof(*found));
	size_t capacity = 0, count = find_notes(found, evidence);

	for (size_t i = 0; i < count; i++) {
		struct text text = TEXT_INIT;

		found[i]->say(&text, evidence);
		append_verdict_note(&out->notes, &out->note_count, &capacity, found[i], &text,
				    rule_lost(found[i], evidence));
		if (found[i]->advises & LIMITER(evidence->bound) &&
		    !(found[i]->advises & HIDES_LATENCY && evidence_at_roof(evidence)))
			add_advice(out, advice_capacity, found[i], evidence);
	}
	free(found);
}

struct verdict_context verdict_context_of(const struct run *run,
					  const struct ceiling_list *ceilings)
{
	return (struct verdict_context){
		.ceilings = ceilings,
		.device = &run->device,
		.flushed = run->settings_known & SETTING_CACHE && run->settings.cache == CACHE_COLD,
	};
}

/* Whether the limiter would not be known without the work model. */
static bool relies_on_model(const struct evidence *evidence)
{
	switch (evidence->bound) {
	case BOUND_COMPUTE:
	case BOUND_ISSUE:
	case BOUND_LATENCY:
		return evidence_compute_is_modelled(evidence);
	case BOUND_DRAM:
		return isfinite(evidence->needed_dram_pct);
	default:
		return false;
	}
}

void verdict_of(struct verdict *out, const struct trial *trial, const struct roofline_point *point,
		const struct verdict_context *context)
{
	struct text summary = TEXT_INIT, above = TEXT_INIT;
	const struct rule *limiter;
	struct evidence evidence;
	size_t advice_capacity = 0;

	*out = (struct verdict){.bound = BOUND_UNKNOWN, .roof_pct = NAN};
	if (!trial_status_counted(trial->status)) {
		out->summary =
			xasprintf("not judged: the case is %s", trial_status_name(trial->status));
		return;
	}
	evidence_collect(&evidence, trial, point, context);
	limiter = find_limiter(&evidence);
	out->bound = limiter->bound;
	/* the rate of instructions is known without measured roofs, but is rarely the nearest */
	if (limiter->near_pct || (context->ceilings && context->ceilings->count))
		out->roof_pct = evidence.roof_pct;
	out->from_model = relies_on_model(&evidence);
	if (trial->status == TRIAL_UNVERIFIED)
		text_add(&summary, "unverified; ");
	limiter->say(&summary, &evidence);
	out->summary = text_detach(&summary);
	/* the advice to measure what is missing comes first */
	if (out->bound == BOUND_UNKNOWN)
		add_advice(out, &advice_capacity, limiter, &evidence);
	add_notes_and_advice(out, &advice_capacity, &evidence);
	if (out->bound != BOUND_UNKNOWN)
		add_advice(out, &advice_capacity, limiter, &evidence);
	if (evidence_above_roof(&above, &evidence))
		out->above_roof = text_detach(&above);
	text_release(&above);
}

bool verdict_is_above_roof(const struct trial *trial, const struct roofline_point *point,
			   const struct verdict_context *context)
{
	struct evidence evidence;

	if (!trial_status_counted(trial->status))
		return false;
	evidence_collect(&evidence, trial, point, context);
	return evidence_above_roof(NULL, &evidence);
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

/* ---- findings ---- */

int trial_finding_compare(const struct trial_finding *a, const struct trial_finding *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->weight > b->weight ? -1 : a->weight < b->weight;
}

static int compare_items(const void *a, const void *b)
{
	return trial_finding_compare(a, b);
}

/* How bad a finding is among those of its rank; 0 if that is not known. */
static double weight_of(enum finding_rank rank, double lost, const struct evidence *e)
{
	if (rank == RANK_SPILLS)
		return (double)e->trial->facts.local_bytes_per_thread;
	if (rank == RANK_OCCUPANCY)
		return 1 - e->allowed_pct / 100;
	return isfinite(lost) ? lost : 0;
}

void trial_findings_of(struct trial_findings *out, const struct trial *trial,
		       const struct roofline_point *point, const struct verdict_context *context)
{
	struct evidence evidence;

	if (!trial_status_counted(trial->status))
		return;
	evidence_collect(&evidence, trial, point, context);
	for (size_t i = 0; i < note_rule_count; i++) {
		const struct rule *rule = &note_rules[i];
		struct text text = TEXT_INIT;
		double lost;

		if (!rule->tell || !rule->holds(&evidence))
			continue;
		rule->tell(&text, &evidence);
		lost = rule->lost ? rule->lost(&evidence) : NAN;
		out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
		out->items[out->count++] = (struct trial_finding){
			.rule = rule->words.name,
			.lost = isfinite(lost) ? lost : NAN,
			.rank = (int)rule->rank,
			.weight = weight_of(rule->rank, lost, &evidence),
			.text = text_detach(&text),
			.remedy = rule->remedy_of ? rule->remedy_of(&evidence) : rule->remedy,
		};
	}
	if (out->count > 1)
		qsort(out->items, out->count, sizeof(*out->items), compare_items);
}

void trial_findings_release(struct trial_findings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].text);
	free(list->items);
	*list = (struct trial_findings){0};
}
