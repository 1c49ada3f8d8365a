/* The verdict of a trial, by the tables of rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/user_rules.h"
#include "metrics/analysis/verdict.h"
#include "metrics/analysis/verdict_rules.h"

#define MOST_ADVICE 2
#define HOT_SHARE 0.1 /* of the samples: a line that is named */

/* The share of a rule's roof that a verdict reports: for idle lanes, the share that was reached. */
static double reported_pct(const struct evidence *evidence, size_t rule)
{
	return limiter_rules[rule].bound == BOUND_COMPUTE ? evidence->compute_pct
							  : evidence->near_pct[rule];
}

/* The first rule that decides although a roof is near; LIMITER_RULE_COUNT: none. */
static enum limiter_rule rule_before_roof(double roof_pct, const struct evidence *evidence)
{
	enum limiter_rule rule = RULE_LAUNCH;

	while (rule < LIMITER_RULE_COUNT &&
	       !(evidence->holds[rule] && limiter_comes_before_roof(rule, roof_pct, evidence)))
		rule++;
	return rule;
}

/* Returns the rule of the limiter. */
static enum limiter_rule find_limiter(struct evidence *evidence)
{
	enum limiter_rule rule = RULE_LAUNCH, other;
	double nearest_pct = NAN;

	evidence->roof_pct = NAN;
	for (size_t i = 0; i < ROOF_RULE_COUNT; i++) {
		const double reported = reported_pct(evidence, i);

		nearest_pct = fmax(nearest_pct, evidence->busy_pct[i]);
		if (isfinite(reported) && !(reported <= evidence->roof_pct)) {
			evidence->roof_pct = reported;
			evidence->nearest = limiter_rules[i].bound;
		}
	}
	/* the order of the rules decides between roofs that are equally near */
	for (size_t i = ROOF_RULE_COUNT; i-- > 0;)
		if (evidence->busy_pct[i] >= fmax(nearest_pct - ROOF_TIE_PCT / evidence->running,
						  fmin(nearest_pct, NEAR_PCT - NEAR_LIMIT)))
			rule = (enum limiter_rule)i;
	if (nearest_pct >= NEAR_PCT)
		other = rule_before_roof(nearest_pct, evidence);
	else
		for (other = RULE_LAUNCH; !evidence->holds[other];)
			other++;
	if (other < LIMITER_RULE_COUNT)
		rule = other;
	else
		evidence->roof_pct = reported_pct(evidence, rule);
	evidence->bound = limiter_bound(rule, evidence);
	return rule;
}

static void append_verdict_note(struct verdict_note **notes, size_t *count, size_t *capacity,
				struct verdict_note note)
{
	*notes = xgrow(*notes, capacity, *count + 1, sizeof(**notes));
	(*notes)[(*count)++] = note;
}

static const char *remedy_of(const struct rule *rule, const struct evidence *evidence)
{
	return rule->remedy_of ? rule->remedy_of(evidence) : rule->remedy;
}

/*
 * How many times as fast the case is at most if a part of its time is saved. The time that launches
 * take anyway cannot be saved, and the next roof is the limit, but for the roofs of the limiters
 * `relieved`.
 *
 *	t        = the median time
 *	floor    = evidence_launch_floor_ns()
 *	at most  = t / max(t - saved (t - floor), t * nearest other roof)
 */
static double gain_of(double saved, unsigned relieved, double least_ns, const struct evidence *e)
{
	const double floor_ns = evidence_launch_floor_ns(e, e->launches);
	double left_ns = e->median_ns - saved * fmax(e->median_ns - floor_ns, 0);

	if (e->point->emulated || !isfinite(left_ns))
		return NAN;
	if (least_ns > 0)
		left_ns = least_ns;
	for (size_t i = 0; i < ROOF_RULE_COUNT; i++)
		if (!(relieved & LIMITER(limiter_rules[i].bound)))
			left_ns = fmax(left_ns, e->median_ns * e->near_pct[i] / 100);
	if (!(relieved & LIMITER(BOUND_DRAM)))
		left_ns = fmax(left_ns, e->median_ns * e->mix_pct / 100);
	return e->median_ns / left_ns;
}

/*
 * What following the advice of a rule wins at most, and why.
 *
 *	one launch in place of all: t / (t / launches - time of a launch + floor of one launch)
 */
static double at_most(struct text *why, const struct rule *rule, const struct evidence *e)
{
	/* fewer bytes relieve a roof that they have reached */
	const unsigned relieved =
		rule->relieves |
		(evidence_at_roof(e) && LIMITER(e->bound) & MEMORY_LIMITERS ? MEMORY_LIMITERS : 0);
	double saved = rule->saves ? rule->saves(why, e) : NAN, least_ns = 0;

	if (rule->half) {
		text_addf(why, "with half of the %s", rule->half);
		saved = 0.5;
	}
	if (rule == &limiter_rules[RULE_LAUNCH])
		least_ns = fmax(e->per_launch_ns - evidence_one_launch_ns(e), 0) +
			   evidence_launch_floor_ns(e, 1);
	return gain_of(saved, relieved, least_ns, e);
}

/* Whether following the advice changes the code, or the way it is launched. */
static bool is_about_code(const struct rule *rule)
{
	return rule != &limiter_rules[RULE_UNKNOWN] && rule != &limiter_rules[RULE_CLOCK] &&
	       rule != &note_rules[NOTE_ABOVE_ROOF];
}

static void add_advice(struct verdict *out, size_t *capacity, const struct rule *rule, double lost,
		       const struct evidence *evidence)
{
	struct text text = TEXT_INIT, why = TEXT_INIT;
	double times;

	if (evidence_is_of_library(evidence) && is_about_code(rule))
		return;
	times = at_most(&why, rule, evidence);
	if (rule->advise)
		rule->advise(&text, evidence);
	else
		text_add(&text, rule->words.advice);
	if (text.length && !(times < LEAST_GAIN)) {
		if (isfinite(times))
			text_addf(&text, ": at most %.1f times as fast (%s)", times, why.data);
		append_verdict_note(&out->advice, &out->advice_count, capacity,
				    (struct verdict_note){.rule = rule->words.name,
							  .text = text_detach(&text),
							  .remedy = remedy_of(rule, evidence),
							  .at_most = times,
							  .assumes = rule->assumes,
							  .lost = lost});
	}
	text_release(&text);
	text_release(&why);
}

/* What is known to be wasted comes first, if it is more than a little; then what is assumed. */
static int advice_rank(const struct verdict_note *advice)
{
	if (advice->assumes)
		return 1;
	return advice->at_most < KNOWN_GAIN ? 2 : 0;
}

/* In a rank, the larger gain first, and an estimate before none. */
static bool advice_precedes(const struct verdict_note *a, const struct verdict_note *b)
{
	if (advice_rank(a) != advice_rank(b))
		return advice_rank(a) < advice_rank(b);
	return a->at_most > b->at_most || (isfinite(a->at_most) && isnan(b->at_most));
}

/* Sorts all but the first `fixed`, and keeps MOST_ADVICE. */
static void sort_advice(struct verdict *out, size_t fixed)
{
	for (size_t i = fixed + 1; i < out->advice_count; i++) {
		const struct verdict_note moved = out->advice[i];
		size_t at = i;

		for (; at > fixed && advice_precedes(&moved, &out->advice[at - 1]); at--)
			out->advice[at] = out->advice[at - 1];
		out->advice[at] = moved;
	}
	while (out->advice_count > MOST_ADVICE)
		free(out->advice[--out->advice_count].text);
}

/* Finds the rules that hold, in the order of struct verdict, `notes`. Returns their number. */
static size_t find_notes(size_t found[NOTE_COUNT], const struct judged_note notes[NOTE_COUNT],
			 bool emulated)
{
	size_t count = 0;

	for (size_t i = 0; i < NOTE_COUNT; i++) {
		size_t at = count;

		if (!notes[i].holds)
			continue;
		for (; at > 0 && emulated; at--) {
			const double lost = notes[i].lost, before = notes[found[at - 1]].lost;

			if (!(lost > before || (isnan(before) && isfinite(lost))))
				break;
			found[at] = found[at - 1];
		}
		found[at] = i;
		count++;
	}
	return count;
}

static void add_notes_and_advice(struct verdict *out, size_t *advice_capacity,
				 const struct evidence *evidence)
{
	struct judged_note notes[NOTE_COUNT];
	size_t found[NOTE_COUNT], capacity = 0, count;

	notes_judge(notes, evidence);
	for (size_t i = 0; i < NOTE_COUNT; i++)
		if (!(notes[i].lost > 0))
			notes[i].lost = NAN;
	count = find_notes(found, notes, evidence->point->emulated);
	for (size_t i = 0; i < count; i++) {
		const struct rule *rule = &note_rules[found[i]];
		const double lost = notes[found[i]].lost;
		struct text text = TEXT_INIT;

		rule->say(&text, evidence);
		append_verdict_note(&out->notes, &out->note_count, &capacity,
				    (struct verdict_note){.rule = rule->words.name,
							  .text = text_detach(&text),
							  .at_most = NAN,
							  .lost = lost});
		if (rule->advises & LIMITER(evidence->bound) &&
		    !(rule->advises & HIDES_LATENCY &&
		      (evidence_at_roof(evidence) || evidence_latency_is_hidden(evidence))) &&
		    (!rule->matters || rule->matters(evidence)))
			add_advice(out, advice_capacity, rule, lost, evidence);
	}
}

/* The notes and the advice of the user's rules. */
static void add_users_rules(struct verdict *out, size_t *advice_capacity,
			    const struct evidence *evidence)
{
	const struct user_rules *rules = evidence->rules;
	size_t capacity = out->note_count;

	for (size_t i = 0; rules && i < rules->rule_count && !evidence->point->emulated; i++) {
		const struct user_rule *rule = &rules->rules[i];
		const double times = gain_of(user_rule_saves(rule, evidence),
					     LIMITER(evidence->bound), 0, evidence);
		struct text text = TEXT_INIT;

		if (!user_rule_holds(rule, evidence))
			continue;
		user_rule_say(&text, rule, evidence);
		append_verdict_note(&out->notes, &out->note_count, &capacity,
				    (struct verdict_note){.rule = rule->name,
							  .text = text_detach(&text),
							  .at_most = NAN,
							  .lost = NAN});
		if (!rule->advice || times < LEAST_GAIN || evidence_is_of_library(evidence) ||
		    (rule->limiters && !(rule->limiters & LIMITER(evidence->bound))))
			continue;
		text_add(&text, rule->advice);
		if (isfinite(times))
			text_addf(&text, ": at most %.1f times as fast (saves %s)", times,
				  rule->saves.text);
		append_verdict_note(&out->advice, &out->advice_count, advice_capacity,
				    (struct verdict_note){.rule = rule->name,
							  .text = text_detach(&text),
							  .remedy = rule->remedy,
							  .at_most = times,
							  .lost = NAN});
	}
}

struct verdict_context verdict_context_of(const struct run *run,
					  const struct ceiling_list *ceilings)
{
	return (struct verdict_context){
		.ceilings = ceilings,
		.device = &run->device,
		.flushed = run->settings_known & SETTING_CACHE && run->settings.cache == CACHE_COLD,
		.rules = run->rules,
	};
}

/* Whether the limiter would not be known without the work model. */
static bool relies_on_model(enum limiter_rule limiter, const struct evidence *evidence)
{
	switch (limiter) {
	case RULE_COMPUTE:
	case RULE_IDLE_LANES:
	case RULE_ISSUE:
	case RULE_LATENCY:
		return evidence_compute_is_modelled(evidence);
	case RULE_DRAM:
		return isfinite(evidence->needed_dram_pct);
	default:
		return false;
	}
}

/* "; 41 % of the samples are at saxpy.cu:12": where to follow the first advice. */
static void add_hot_line(struct verdict *out, const struct trial *trial)
{
	const char *slash = trial->hot_file ? strrchr(trial->hot_file, '/') : NULL;
	struct text text = TEXT_INIT;
	struct verdict_note *first = out->advice;

	if (!out->advice_count || !trial->hot_file || !(trial->hot_share >= HOT_SHARE))
		return;
	text_addf(&text, "%s; %.0f %% of the samples are at %s:%lld", first->text,
		  100 * trial->hot_share, slash ? slash + 1 : trial->hot_file,
		  (long long)trial->hot_line);
	free(first->text);
	first->text = text_detach(&text);
}

void verdict_of(struct verdict *out, const struct trial *trial, const struct roofline_point *point,
		const struct verdict_context *context)
{
	struct text summary = TEXT_INIT, above = TEXT_INIT;
	enum limiter_rule limiter;
	struct evidence evidence;
	size_t advice_capacity = 0, fixed = 0;
	bool measure_first;

	*out = (struct verdict){.bound = BOUND_UNKNOWN, .roof_pct = NAN};
	if (!trial_status_counted(trial->status)) {
		out->summary =
			xasprintf("not judged: the case is %s", trial_status_name(trial->status));
		return;
	}
	evidence_collect(&evidence, trial, point, context);
	limiters_judge(&evidence);
	limiter = find_limiter(&evidence);
	out->bound = evidence.bound;
	/* the rate of instructions is known without measured roofs, but is rarely the nearest */
	if (limiter < ROOF_RULE_COUNT || (context->ceilings && context->ceilings->count))
		out->roof_pct = evidence.roof_pct;
	out->from_model = relies_on_model(limiter, &evidence);
	if (trial->status == TRIAL_UNVERIFIED)
		text_add(&summary, "unverified; ");
	limiter_say(&summary, limiter, &evidence);
	out->summary = text_detach(&summary);
	/* the advice to measure what is missing comes first */
	measure_first = out->bound == BOUND_UNKNOWN && !evidence_latency_is_hidden(&evidence);
	if (measure_first)
		add_advice(out, &advice_capacity, &limiter_rules[limiter], NAN, &evidence);
	fixed = out->advice_count;
	add_notes_and_advice(out, &advice_capacity, &evidence);
	add_users_rules(out, &advice_capacity, &evidence);
	/* to look further is no advice beside one that says what to do */
	if (!measure_first && !(out->advice_count && limiter_looks_further(limiter, &evidence)))
		add_advice(out, &advice_capacity, &limiter_rules[limiter], NAN, &evidence);
	/* a rate that cannot be right comes before advice that follows from it */
	if (out->advice_count > fixed &&
	    out->advice[fixed].rule == note_rules[NOTE_ABOVE_ROOF].words.name)
		fixed++;
	sort_advice(out, fixed);
	if (!measure_first && !point->emulated && !evidence_is_of_library(&evidence))
		add_hot_line(out, trial);
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
		return (double)e->trial->facts.local_bytes_per_thread *
		       (isfinite(e->local_share) ? e->local_share : 1);
	if (rank == RANK_OCCUPANCY)
		return 1 - e->allowed_pct / 100;
	return isfinite(lost) ? lost : 0;
}

void trial_findings_of(struct trial_findings *out, const struct trial *trial,
		       const struct roofline_point *point, const struct verdict_context *context)
{
	struct judged_note notes[NOTE_COUNT];
	struct evidence evidence;

	if (!trial_status_counted(trial->status))
		return;
	evidence_collect(&evidence, trial, point, context);
	notes_judge(notes, &evidence);
	for (size_t i = 0; i < NOTE_COUNT; i++) {
		const struct rule *rule = &note_rules[i];
		const double lost = notes[i].lost;
		struct text text = TEXT_INIT;

		if (!rule->tell || !notes[i].holds || lost < LEAST_LOST)
			continue;
		rule->tell(&text, &evidence);
		out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
		out->items[out->count++] = (struct trial_finding){
			.rule = rule->words.name,
			.lost = isfinite(lost) ? lost : NAN,
			.rank = (int)rule->rank,
			.weight = weight_of(rule->rank, lost, &evidence),
			.text = text_detach(&text),
			.remedy = remedy_of(rule, &evidence),
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
