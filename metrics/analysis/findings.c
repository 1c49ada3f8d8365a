/* Ranks what a trial wastes: a few words for each rule for notes that can be ranked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/findings.h"
#include "metrics/analysis/verdict_rules.h"

enum rank { RANK_WASTE, RANK_SPILLS, RANK_OCCUPANCY };

static void tell_divergence(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f of %d lanes take part", e->threads, FULL_WARP);
}

static void tell_predication(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.1f of %.1f lanes predicated on", e->threads_on, e->threads);
}

static void tell_sectors(struct text *out, const struct evidence *e)
{
	if (evidence_stores_waste_more(e))
		text_addf(out, "%.1f sectors per store", e->store_sectors);
	else
		text_addf(out, "%.1f sectors per load", e->load_sectors);
}

static void tell_conflicts(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% bank conflicts", 100 * e->conflicts / e->wavefronts);
}

static void tell_dram(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.2f times the DRAM bytes", e->point->waste);
}

static void tell_spills(struct text *out, const struct evidence *e)
{
	text_addf(out, "%lld B of local memory", (long long)e->trial->facts.local_bytes_per_thread);
}

static void tell_limit(struct text *out, const struct evidence *e)
{
	text_addf(out, "%.0f %% occupancy allowed", e->allowed_pct);
}

static const char *remedy_of_limit(const struct evidence *e)
{
	const char *limiter = e->trial->facts.occupancy_limiter;

	if (strcmp(limiter, "registers") == 0)
		return "fewer registers";
	return strcmp(limiter, "shared memory") == 0 ? "less shared memory" : "another block size";
}

/* The rule must be one of note_rules. The remedy is the advice of the rule in a few words. */
static const struct {
	const char *rule;
	enum rank rank;
	void (*tell)(struct text *out, const struct evidence *evidence);
	const char *remedy;
	const char *(*remedy_of)(const struct evidence *evidence); /* used instead, if not NULL */
} kinds[] = {
	{"dram_waste", RANK_WASTE, tell_dram, "read each byte once", NULL},
	{"sectors", RANK_WASTE, tell_sectors, "coalesce accesses", NULL},
	{"divergence", RANK_WASTE, tell_divergence, "regroup by warp", NULL},
	{"predication", RANK_WASTE, tell_predication, "hoist conditions", NULL},
	{"bank_conflicts", RANK_WASTE, tell_conflicts, "pad or swizzle", NULL},
	{"spills", RANK_SPILLS, tell_spills, "fewer live values", NULL},
	{"occupancy_limit", RANK_OCCUPANCY, tell_limit, NULL, remedy_of_limit},
};

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
static double weight_of(enum rank rank, double lost, const struct evidence *e)
{
	if (rank == RANK_SPILLS)
		return (double)e->trial->facts.local_bytes_per_thread;
	if (rank == RANK_OCCUPANCY)
		return 1 - e->allowed_pct / 100;
	return isfinite(lost) ? lost : 0;
}

static void add_if_it_holds(struct trial_findings *out, const struct rule *rule,
			    const struct evidence *evidence)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct text text = TEXT_INIT;
		double lost;

		if (strcmp(kinds[i].rule, rule->words.name) != 0 || !rule->holds(evidence))
			continue;
		kinds[i].tell(&text, evidence);
		lost = rule->lost ? rule->lost(evidence) : NAN;
		out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
		out->items[out->count++] = (struct trial_finding){
			.rule = kinds[i].rule,
			.lost = isfinite(lost) ? lost : NAN,
			.rank = (int)kinds[i].rank,
			.weight = weight_of(kinds[i].rank, lost, evidence),
			.text = text_detach(&text),
			.remedy =
				kinds[i].remedy_of ? kinds[i].remedy_of(evidence) : kinds[i].remedy,
		};
	}
}

void trial_findings_of(struct trial_findings *out, const struct trial *trial,
		       const struct roofline_point *point, const struct verdict_context *context)
{
	struct evidence evidence;

	if (!trial_status_counted(trial->status))
		return;
	evidence_collect(&evidence, trial, point, context);
	for (size_t i = 0; i < note_rule_count; i++)
		add_if_it_holds(out, &note_rules[i], &evidence);
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
