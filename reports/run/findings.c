/*
 * The tables of a run made from verdicts on all cases, not only the best: the findings of an
 * emulator, one row per variant and rule, and the cases above a measured roof.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/selection/columns.h"
#include "reports/table/table.h"

/* A rule that holds for cases of a variant. */
struct found {
	const struct trial *worst;
	struct trial_finding finding; /* of the worst case; the text is owned */
	char *sentence, *advice;      /* of the worst case; NULL: none */
	size_t cases;
};

struct found_list {
	struct found *items;
	size_t count, capacity;
	size_t begin; /* the first of the current variant */
};

static bool trials_share_variant(const struct trial *a, const struct trial *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0;
}

static const char *text_of_rule(const struct verdict_note *notes, size_t count, const char *rule)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(notes[i].rule, rule) == 0)
			return notes[i].text;
	}
	return NULL;
}

static char *copy_or_null(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void found_release(struct found *found)
{
	free(found->finding.text);
	free(found->sentence);
	free(found->advice);
}

/* Replaces what `out` says by a worse case. */
static void found_set(struct found *out, const struct case_facts *facts,
		      const struct trial_finding *finding)
{
	const struct verdict *verdict = &facts->roofline.verdict;

	found_release(out);
	out->worst = facts->trial;
	out->finding = *finding;
	out->finding.text = xstrdup(finding->text);
	out->sentence =
		copy_or_null(text_of_rule(verdict->notes, verdict->note_count, finding->rule));
	out->advice =
		copy_or_null(text_of_rule(verdict->advice, verdict->advice_count, finding->rule));
}

static void found_add(struct found_list *list, const struct case_facts *facts,
		      const struct trial_finding *finding)
{
	size_t at = list->begin;

	while (at < list->count && strcmp(list->items[at].finding.rule, finding->rule) != 0)
		at++;
	if (at == list->count) {
		list->items =
			xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
		list->items[list->count++] = (struct found){0};
	}
	if (list->items[at].cases++ == 0 ||
	    trial_finding_compare(finding, &list->items[at].finding) < 0)
		found_set(&list->items[at], facts, finding);
}

static int compare_found(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	int order = trial_finding_compare(&a->finding, &b->finding);

	return order ? order : a->worst < b->worst ? -1 : a->worst > b->worst;
}

static void find_all(struct found_list *list, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		struct case_facts facts;

		if (i > 0 && !trials_share_variant(trial, trial - 1))
			list->begin = list->count;
		case_facts_init(&facts, run, trial, NULL);
		for (size_t j = 0; j < facts.findings.count; j++)
			found_add(list, &facts, &facts.findings.items[j]);
		case_facts_release(&facts);
	}
	if (list->count > 1)
		qsort(list->items, list->count, sizeof(*list->items), compare_found);
}

struct table *run_table_findings(const struct run *run, bool in_full)
{
	static const struct table_column columns[] = {
		{.name = "lost", .numeric = true, .head = "lost %"}, {.name = "variant"},
		{.name = "cases", .numeric = true, .drop = 2},       {.name = "finding"},
		{.name = "worst_at", .head = "worst at", .drop = 3}, {.name = "try"},
	};
	struct found_list list = {0};
	struct table *table = NULL;

	find_all(&list, run);
	if (list.count)
		table = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < list.count; i++) {
		struct found *found = &list.items[i];
		const struct trial_finding *finding = &found->finding;
		struct row row = {0};
		struct text *lost = row_cell(&row);

		if (isfinite(finding->lost))
			text_addf(lost, "%.1f", 100 * finding->lost);
		row_addf(&row, "%s/%s", found->worst->kernel, found->worst->variant);
		row_addf(&row, "%zu", found->cases);
		row_add(&row, in_full && found->sentence ? found->sentence : finding->text);
		row_add(&row, found->worst->config);
		row_add(&row, in_full && found->advice ? found->advice : finding->remedy);
		row_end(&row, table, ROW_PLAIN);
		found_release(found);
	}
	free(list.items);
	return table;
}

struct table *run_table_above(const struct run *run, const struct ceiling_list *ceilings)
{
	static const struct table_column columns[] = {{.name = "case"}, {.name = "finding"}};
	struct table *table = NULL;

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		struct trial_roofline roofline;
		char *name;

		if (!trial_status_counted(trial->status))
			continue;
		trial_roofline_init(&roofline, run, trial, ceilings);
		if (roofline.verdict.above_roof) {
			if (!table)
				table = table_new(columns, ARRAY_SIZE(columns));
			name = trial_case_name(trial);
			table_row_styled(table,
					 (const char *const[]){name, roofline.verdict.above_roof},
					 ROW_BAD);
			free(name);
		}
		trial_roofline_release(&roofline);
	}
	return table;
}
