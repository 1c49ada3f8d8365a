/*
 * The tables of a run made from verdicts on all cases, not only the best: notes on an emulator's
 * counts, one per variant and rule, and the cases above a measured roof.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/table/table.h"

struct group {
	const struct trial *trial; /* the first trial with this note */
	const char *rule;
	char *text, *advice; /* for that trial; advice NULL: none */
	size_t cases;
};

struct groups {
	struct group *items;
	size_t count, capacity;
	size_t begin; /* first group of the current variant */
};

static bool trials_share_variant(const struct trial *a, const struct trial *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0;
}

static const char *advice_of(const struct verdict *verdict, const char *rule)
{
	for (size_t i = 0; i < verdict->advice_count; i++) {
		if (strcmp(verdict->advice[i].rule, rule) == 0)
			return verdict->advice[i].text;
	}
	return NULL;
}

static void group_note(struct groups *groups, const struct trial *trial,
		       const struct verdict *verdict, const struct verdict_note *note)
{
	const char *advice = advice_of(verdict, note->rule);

	for (size_t i = groups->begin; i < groups->count; i++) {
		if (strcmp(groups->items[i].rule, note->rule) == 0) {
			groups->items[i].cases++;
			return;
		}
	}
	groups->items =
		xgrow(groups->items, &groups->capacity, groups->count + 1, sizeof(*groups->items));
	groups->items[groups->count++] = (struct group){
		.trial = trial,
		.rule = note->rule,
		.text = xstrdup(note->text),
		.advice = advice ? xstrdup(advice) : NULL,
		.cases = 1,
	};
}

static void group_notes_of_trial(struct groups *groups, const struct run *run,
				 const struct trial *trial)
{
	struct trial_roofline roofline;

	trial_roofline_init(&roofline, run, trial, NULL);
	for (size_t i = 0; i < roofline.verdict.note_count; i++)
		group_note(groups, trial, &roofline.verdict, &roofline.verdict.notes[i]);
	trial_roofline_release(&roofline);
}

struct table *run_table_notes(const struct run *run)
{
	static const struct table_column columns[] = {
		{.name = "kernel"},
		{.name = "variant"},
		{.name = "cases", .numeric = true},
		{.name = "first", .drop = 2},
		{.name = "note"},
		{.name = "try", .drop = 1},
	};
	struct groups groups = {0};
	struct table *table = NULL;

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (i > 0 && !trials_share_variant(trial, trial - 1))
			groups.begin = groups.count;
		if (trial_status_counted(trial->status))
			group_notes_of_trial(&groups, run, trial);
	}
	for (size_t i = 0; i < groups.count; i++) {
		const struct group *group = &groups.items[i];
		char *cases = xasprintf("%zu", group->cases);

		if (!table)
			table = table_new(columns, ARRAY_SIZE(columns));
		table_row(table,
			  (const char *const[]){group->trial->kernel, group->trial->variant, cases,
						group->trial->config, group->text, group->advice});
		free(cases);
		free(group->text);
		free(group->advice);
	}
	free(groups.items);
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
