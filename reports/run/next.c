/* The commands that show more of a run, at the end of its report. */
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/selection/columns.h"
#include "reports/selection/selection.h"
#include "reports/table/escape.h"

struct next_item {
	struct text command;
	const char *meaning;
};

struct next {
	struct next_item *items;
	size_t count, capacity;
};

/* Begins a command; the caller adds its words before it begins the next one. */
static struct text *next_command(struct next *next, const char *meaning)
{
	struct next_item *item;

	next->items = xgrow(next->items, &next->capacity, next->count + 1, sizeof(*next->items));
	item = &next->items[next->count++];
	*item = (struct next_item){.command = TEXT_INIT, .meaning = meaning};
	text_add(&item->command, "perflab ");
	return &item->command;
}

/* Names the run, or the sweep on several GPUs. */
static void add_report(struct text *command, const struct run *run)
{
	text_addf(command, "report %lld%s", (long long)(run->gpus ? run->gpus[0].run_id : run->id),
		  run->gpus ? " --group" : "");
}

static void add_pattern(struct text *command, const char *kernel, const char *variant)
{
	char *pattern = variant ? xasprintf("%s/%s", kernel, variant) : xasprintf("%s/*", kernel);

	text_add_char(command, ' ');
	shell_word(command, pattern);
	free(pattern);
}

/* The case with the worst finding; NULL: there is none. */
static const struct trial *worst_case(const struct run *run)
{
	const struct report_selection first = {.top = 1};
	const struct trial *worst = NULL;
	struct trial_findings kept = {0};
	struct kernel_rows_list rows;

	if (kernel_rows_choose(&rows, run, &first, NULL, NULL))
		return NULL;
	for (size_t i = 0; i < rows.count; i++) {
		struct case_facts facts;

		if (!rows.items[i].count)
			continue;
		case_facts_init(&facts, run, rows.items[i].trials[0], NULL);
		if (facts.findings.count &&
		    (!kept.count ||
		     trial_finding_compare(&facts.findings.items[0], &kept.items[0]) < 0)) {
			trial_findings_release(&kept);
			kept = facts.findings;
			facts.findings = (struct trial_findings){0};
			worst = rows.items[i].trials[0];
		}
		case_facts_release(&facts);
	}
	trial_findings_release(&kept);
	kernel_rows_release(&rows);
	return worst;
}

static const char *kernel_to_look_at(const struct run *run, const struct trial *worst)
{
	return worst ? worst->kernel : run->trial_count ? run->trials[0].kernel : NULL;
}

/* Whether perflab sweep --resume can measure what is left of a run. */
static bool run_can_go_on(const struct run *run)
{
	if (run->origin || run->state != RUN_INTERRUPTED)
		return false;
	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].status == TRIAL_PENDING)
			return true;
	return false;
}

static void next_resume(struct next *next, const struct run *run)
{
	if (run_can_go_on(run))
		text_addf(next_command(next, "continue"), "sweep --resume %lld",
			  (long long)run->id);
}

static void next_fill(struct next *next, const struct run *run,
		      const struct report_options *options)
{
	const struct trial *worst = run->traits.emulated ? worst_case(run) : NULL;
	const char *kernel = kernel_to_look_at(run, worst);
	struct text *command;

	if (!options->gpus)
		next_resume(next, options->whole ? options->whole : run);
	for (size_t i = 0; options->gpus && i < options->gpus->count; i++)
		next_resume(next, &options->gpus->runs[i]);
	if (kernel && !run_is_detailed(run, options)) {
		command = next_command(next, "one kernel");
		add_report(command, run);
		add_pattern(command, kernel, NULL);
	}
	if (worst && worst->lines.count) {
		command = next_command(next, "its source lines");
		text_addf(command, "report %lld --lines", (long long)run->id);
		add_pattern(command, worst->kernel, worst->variant);
	}
	if (!run_shows_all(options) && kernel) {
		command = next_command(next, "every case");
		add_report(command, run);
		text_add(command, " --all");
	}
	if (!options->no_page) {
		command = next_command(next, "a page");
		add_report(command, run);
		text_add(command, " --format html -o report.html");
	}
	if (run->gpus)
		text_addf(next_command(next, "one GPU"), "report %lld",
			  (long long)run->gpus[0].run_id);
	else if (key_value_get(&run->environment, GPUS_GROUP_KEY))
		text_addf(next_command(next, "all GPUs"), "report %lld --group",
			  (long long)run->id);
}

void run_next_commands(struct text *out, const struct run *run,
		       const struct report_options *options)
{
	struct next next = {0};
	size_t widest = 0;

	next_fill(&next, run, options);
	for (size_t i = 0; i < next.count; i++) {
		if (strlen(next.items[i].meaning) > widest)
			widest = strlen(next.items[i].meaning);
	}
	for (size_t i = 0; i < next.count; i++) {
		struct text *command = &next.items[i].command, shown = TEXT_INIT;

		if (options->db) {
			text_add(command, " --db ");
			shell_word(command, options->db);
		}
		text_add_escaped(&shown, command->data);
		text_addf(out, "  %-*s  %s\n", (int)widest, next.items[i].meaning, shown.data);
		text_release(&shown);
		text_release(command);
	}
	free(next.items);
}
