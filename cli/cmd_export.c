/* perflab export: writes the times of a run in a format of another program. */
#include <stdlib.h>
#include <string.h>

#include "cli/one_of_group.h"
#include "cli/output.h"
#include "harness/runs/runs.h"
#include "reports/exports.h"

struct export_options {
	const char *db, *output;
	struct string_list metrics;
	int format;
};

static void say_left_out(const struct export_choice *choice)
{
	if (choice->left_out)
		say("left out %zu of %zu cases: %s; only verified and measured cases are exported",
		    choice->left_out, choice->left_out + choice->count, choice->why.data);
	if (choice->missing.length)
		say("without %s; what was not measured is missing, never 0", choice->missing.data);
}

static int write_export(const struct invocation *call, struct report_data *data,
			const struct export_request *request, const struct export_choice *choice,
			struct error *err)
{
	const struct export_options *options = call->options;
	struct output output = {0};
	int rc = output_open(&output, options->output, err);

	if (!rc)
		rc = export_run(output.stream, request, choice, report_data_samples, data->db, err);
	return output_end(&output, rc, err);
}

static int export_cases(const struct invocation *call, struct report_data *data, struct error *err)
{
	const struct export_options *options = call->options;
	const struct export_request request = {
		.run = &data->run,
		.format = (enum export_format)options->format,
		.metrics = &options->metrics,
		.ceilings = &data->ceilings,
	};
	/* the first operand is the run */
	const size_t patterns = call->operands.count > 1 ? call->operands.count - 1 : 0;
	const struct report_selection selection = {
		.patterns = patterns ? call->operands.items + 1 : NULL, .pattern_count = patterns};
	struct report_selected selected;
	const struct trial **trials;
	struct export_choice choice = {0};
	int rc = report_select(&selected, &data->run, &selection, &data->ceilings, err);

	trials = xcalloc(selected.cases.trial_count + 1, sizeof(const struct trial *));
	for (size_t i = 0; i < selected.cases.trial_count; i++)
		trials[i] = &selected.cases.trials[i];
	if (!rc)
		rc = export_metrics_check(&request, err);
	if (!rc) {
		export_choose(&choice, &request, trials, selected.cases.trial_count);
		rc = write_export(call, data, &request, &choice, err);
	}
	if (!rc)
		say_left_out(&choice);
	export_choice_release(&choice);
	free(trials);
	report_selected_release(&selected);
	return rc;
}

static int run_export(struct invocation *call, struct error *err)
{
	const struct export_options *options = call->options;
	const struct report_data_request request = {
		.db_path = options->db ? options->db : db_default_path(),
		.run = call->operands.count ? call->operands.items[0] : "last",
		.rounds = true,
	};
	struct report_data data = {0};
	int rc;

	if (options->format == EXPORT_FORMAT_COUNT)
		return error_set(err, PL_EUSAGE,
				 "export: no format; name it with --format, such as --format %s",
				 export_format_words[0]);
	rc = report_data_load(&data, &request, err);
	if (!rc)
		rc = say_one_of_group(data.db, request.run, data.run.id, err);
	if (!rc && strcmp(data.run.state, "finished") != 0)
		say("run %lld is %s: these are its cases so far", (long long)data.run.id,
		    data.run.state);
	if (!rc && key_value_get(&data.run.environment, "imported_from"))
		say("run %lld was imported, so perflab verified none of its results",
		    (long long)data.run.id);
	if (!rc)
		rc = export_cases(call, &data, err);
	report_data_release(&data);
	return rc;
}

static void export_defaults(void *context)
{
	struct export_options *options = context;

	options->format = EXPORT_FORMAT_COUNT;
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct export_options, db), "FILE", HELP_DB, NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct export_options, format), "FORMAT",
	 HELP_FORMAT ", which has no default", export_format_words, 0},
	{"metric", 'm', OPTION_LIST, offsetof(struct export_options, metrics), "NAME",
	 "also write this counter, such as dram_bytes; may be repeated", NULL, 0},
	{"output", 'o', OPTION_TEXT, offsetof(struct export_options, output), "FILE", HELP_OUTPUT,
	 NULL, 0},
};

static const struct example examples[] = {
	{"perflab export --format bmf -o results.json",
	 "write the newest run for `bencher run --adapter json --file results.json`"},
	{"perflab export --format github-action-benchmark nightly -o results.json",
	 "write the newest run with that label for a workflow on GitHub"},
	{"perflab export --format lnt -o report.json", "write a report for `lnt submit`"},
	{"perflab export --format t4 last 'reduce/*' -o reduce.json",
	 "write the cases of one kernel with all samples, as an autotuner does"},
	{"perflab export --format bmf --metric ptx_warp_instructions -o results.json",
	 "write what the emulator counted, for a CI without a GPU"},
	{"perflab export --format openmetrics -o perflab.prom",
	 "write a file for the textfile collector of node exporter"},
};

const struct command command_export = {
	.name = "export",
	.summary = "write a run in a format of another program",
	.operands = "[RUN [CASE ...]]",
	.description =
		"Writes the results of a run for a program that keeps, plots or watches results. "
		"docs/export.md says what each format holds.\n\n"
		"Only cases that were verified and timed are exported. The others are left out, "
		"and "
		"a message says how many and why. perflab verified no case of an imported run, "
		"and says so. A run of the emulator has no times: name its "
		"counts with --metric.\n\n"
		"RUN is as in `perflab report`; the default is \"last\". A CASE is a pattern with "
		"* "
		"and ?, or any part of the name; without one, all cases are exported.",
	.exit_status = "3 if no case can be exported; nothing is written then.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct export_options),
	.defaults = export_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_RUNS,
	.operands_most = SIZE_MAX,
	.run = run_export,
};
