/* perflab merge, import and export: runs from other databases and programs, and for other programs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/gpus.h"
#include "cli/output.h"
#include "db/db.h"
#include "harness/judge/judge.h"
#include "harness/runs/runs.h"
#include "imports/imports.h"
#include "reports/exports.h"

struct merge_options {
	const char *db, *output;
	bool quiet;
};

static void show_merge_notice(void *context, const char *line)
{
	progress_say(context, "%s", line);
}

static void show_merge_progress(void *context, size_t done, size_t total, const char *source)
{
	progress_line(context, "%zu/%zu  %s", done, total, source);
}

static void show_judging(void *context, size_t done, size_t total)
{
	if (done == 0)
		progress_end(context);
	progress_line(context, "%zu/%zu  verdicts", done, total);
}

static void add_count(struct text *line, int64_t count, const char *one, const char *several)
{
	if (count)
		text_addf(line, "%s%lld %s", line->length ? ", " : "", (long long)count,
			  count == 1 ? one : several);
}

static void say_summary(const char *output, const struct merge_summary *summary)
{
	struct text line = TEXT_INIT;

	add_count(&line, summary->added, "run added", "runs added");
	add_count(&line, summary->completed, "run completed", "runs completed");
	add_count(&line, summary->shards, "shard merged", "shards merged");
	add_count(&line, summary->known, "was there already", "were there already");
	add_count(&line, summary->recordings, "recording added", "recordings added");
	say("%s: %s; %lld %s stored", output, line.length ? line.data : "no runs to merge",
	    (long long)summary->trials, summary->trials == 1 ? "case" : "cases");
	text_release(&line);
}

/* `all`: what the message has named, so that all of it needs only a pronoun; NULL: nothing yet. */
static void add_shards(struct text *line, const struct shard_numbers *numbers,
		       const struct shard_numbers *all)
{
	const bool one = numbers->count == 1;

	if (all && numbers->count == all->count)
		text_add(line, one ? "it" : "them");
	else
		text_addf(line, "%s %s", one ? "shard" : "shards", numbers->text);
}

static void say_missing_shards(const struct missing_shards *lacks)
{
	struct text line = TEXT_INIT;

	text_addf(&line, "run %lld%s%s lacks ", (long long)lacks->run_id,
		  lacks->sweep ? " of sweep " : "", lacks->sweep ? lacks->sweep : "");
	add_shards(&line, &lacks->all, NULL);
	text_addf(&line, " of %zu: ", lacks->total);
	for (size_t i = 0; i < lacks->elsewhere_count; i++) {
		const struct shard_numbers *numbers = &lacks->elsewhere[i].numbers;

		text_addf(&line, "%srun %lld has ", i ? "; " : "",
			  (long long)lacks->elsewhere[i].run_id);
		add_shards(&line, numbers, &lacks->all);
		text_addf(&line,
			  ", but was not measured in the same way: measure %s again like run %lld",
			  numbers->count == 1 ? "it" : "them", (long long)lacks->run_id);
	}
	if (lacks->nowhere.count) {
		text_add(&line, lacks->elsewhere_count ? "; merge " : "merge ");
		add_shards(&line, &lacks->nowhere, &lacks->all);
		text_add(&line, ", too");
	}
	say("%s", line.data);
	text_release(&line);
}

static int run_merge_verb(struct invocation *call, struct error *err)
{
	const struct merge_options *options = call->options;
	const char *path = options->db ? options->db : options->output;
	struct progress progress;
	const struct merge_observer observer = {&progress, show_merge_notice, show_merge_progress,
						show_judging};
	struct merge_result result = {0};
	int rc;

	/* no default: the first of `merge a.db b.db` is easily meant to be it */
	if (!path)
		return error_set(err, PL_EUSAGE,
				 "merge: name the database to merge into with --db FILE");
	if (options->db && options->output)
		return error_set(err, PL_EUSAGE,
				 "merge: --db and --output are the same option; give one of them");
	progress_init(&progress, &call->terminal, options->quiet);
	progress.last_ns = monotonic_ns(); /* a short merge prints no progress */
	rc = merge_databases(&result, path, &call->operands, &observer, err);
	progress_end(&progress);
	if (!rc && !options->quiet)
		say_summary(path, &result.summary);
	for (size_t i = 0; i < result.missing_count && !rc; i++)
		say_missing_shards(&result.missing[i]);
	call->exit_code = result.missing_count ? EXIT_FINDING : EXIT_FINE;
	merge_result_release(&result);
	return rc;
}

static const struct option_row merge_rows[] = {
	TEXT_ROW("db", 0, merge_options, db, "FILE",
		 "the database to merge into; created if it does not exist"),
	TEXT_ROW("output", 'o', merge_options, output, "FILE", "the same as --db"),
	FLAG_ROW("quiet", 'q', merge_options, quiet, "print only warnings and errors"),
};

static const struct example merge_examples[] = {
	{"perflab merge node1.db node2.db --db all.db",
	 "collect the runs of two machines in one database"},
	{"perflab merge shard-*.db --db nightly.db", "join the shards of a sweep into one run"},
};

const struct command command_merge = {
	.name = "merge",
	.summary = "merge the runs of several databases into one",
	.operands = "FILE.db ...",
	.description =
		"Copies every run of every FILE into the database that --db names, with its cases, "
		"samples, counters, environment and mark. Runs that are already in that database "
		"stay. merge only reads the files.\n\n"
		"A run that is in both, by its uid, is merged case by case: the case that has come "
		"further is kept. If both have finished a case with different results, merge "
		"prints a message and keeps the results that are already there.\n\n"
		"The runs of sweep --shard become one run, as if one sweep had measured all cases. "
		"Shards belong together if they have the same --sweep-id, device name and driver. "
		"Without a --sweep-id, they must be equal in everything but the shard. The run is "
		"finished once no shard is missing. If two shards measured a case with different "
		"results, merge reports an error and stores nothing of that shard.\n\n"
		"Each run is stored as a whole or not at all, so you can repeat an interrupted "
		"merge.",
	.exit_status = "1 if a sweep lacks shards; the rest is merged.",
	OPTIONS_AND_EXAMPLES(merge_options, merge_rows, merge_examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_merge_verb,
};

struct import_options {
	const char *db, *label, *note, *revision, *device, *run;
	int format;
	bool rounds, quiet;
};

static void say_imported(const struct import_run *imported, const char *path)
{
	const struct run *run = &imported->run;

	say("%s: run %lld, %s on %s, %zu %s, %d %s", path, (long long)run->id, run->backend,
	    run->device.name, run->trial_count, run->trial_count == 1 ? "case" : "cases",
	    run->rounds, run->rounds == 1 ? "round" : "rounds");
	if (imported->fewer_rounds)
		say("%s: %zu %s not in all files, and so %s fewer rounds", path,
		    imported->fewer_rounds, imported->fewer_rounds == 1 ? "case is" : "cases are",
		    imported->fewer_rounds == 1 ? "has" : "have");
	if (imported->without_median)
		say("%s: %zu %s no median, because the file has neither samples nor a median of "
		    "%s%s",
		    path, imported->without_median,
		    imported->without_median == 1 ? "case has" : "cases have",
		    imported->without_median == 1 ? "it" : "them",
		    imported->with_mean ? "; the mean is shown as a mean" : "");
	if (imported->repeated)
		say("%s: %zu %s the name of an earlier one and %s a case of its own, named by "
		    "occurrence=2 and so on",
		    path, imported->repeated,
		    imported->repeated == 1 ? "result has" : "results have",
		    imported->repeated == 1 ? "is" : "are each");
	if (imported->without_samples)
		say("%s: the samples of %zu %s are not stored, because the files that --jsonbin "
		    "wrote are not beside it",
		    path, imported->without_samples,
		    imported->without_samples == 1 ? "case" : "cases");
}

static const char *name_without_folders(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int import_into(struct db *db, struct import *import, const char *path,
		       const struct import_options *options, struct error *err)
{
	const struct import_words words = {.label = options->label,
					   .note = options->note,
					   .revision = options->revision,
					   .device = options->device,
					   .several = import->count > 1,
					   .file = name_without_folders(path)};
	int rc = 0;

	for (size_t i = 0; i < import->count && !rc; i++) {
		struct import_run *imported = &import->runs[i];
		int64_t id = 0;

		if (import_is_stored(db, imported, &id)) {
			say("%s is in %s already, as run %lld", path, options->db, (long long)id);
			continue;
		}
		rc = import_store(db, imported, &words, err);
		if (!rc && !options->quiet)
			say_imported(imported, path);
	}
	return error_context(err, rc, "%s", path);
}

/* Makes the files the rounds of one import, the first, which is all that is left of them. */
static int join_rounds(struct import *imports, const struct string_list *paths,
		       struct string_list *names, const char *device, struct error *err)
{
	struct text together = TEXT_INIT;
	struct import joined;
	int rc = import_join(&joined, imports, paths, device, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < paths->count; i++) {
		text_addf(&together, "%s%s", i ? ", " : "", name_without_folders(paths->items[i]));
		import_release(&imports[i]);
	}
	imports[0] = joined;
	string_list_add(names, together.data);
	text_release(&together);
	return 0;
}

/* Reads all files, so that a malformed one leaves the database as it was. */
static int read_imports(struct import *imports, struct string_list *names,
			const struct string_list *paths, const struct import_options *options,
			struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < paths->count && !rc; i++)
		rc = import_read_file(&imports[i], paths->items[i],
				      (enum import_format)options->format, err);
	if (!rc && options->rounds)
		return join_rounds(imports, paths, names, options->device, err);
	for (size_t i = 0; i < paths->count; i++)
		string_list_add(names, paths->items[i]);
	return rc;
}

/* The options that describe a new run mean nothing to one that is stored. */
static int import_ncu(const struct invocation *call, const struct import_options *options,
		      struct error *err)
{
	struct ncu_added added;
	struct db *db = NULL;
	int rc;

	if (options->label || options->note || options->revision || options->device ||
	    options->rounds || option_given(call, "format"))
		return error_set(err, PL_EUSAGE,
				 "--run adds times of Nsight Compute to a stored run, which keeps "
				 "its words: give no other option but --db and --quiet");
	rc = db_open(&db, options->db, DB_WRITE, err);
	if (!rc)
		rc = import_ncu_store(&added, db, options->run, &call->operands, err);
	db_close(db);
	if (!rc && !options->quiet)
		say("run %lld: %zu %s a time of Nsight Compute; perflab report %lld shows it "
		    "beside "
		    "the others",
		    (long long)added.run_id, added.cases,
		    added.cases == 1 ? "case has" : "cases have", (long long)added.run_id);
	if (!rc && added.unknown)
		say("%zu %s of cases that the run does not have", added.unknown,
		    added.unknown == 1 ? "execution is" : "executions are");
	return rc;
}

static int run_import(struct invocation *call, struct error *err)
{
	struct import_options *options = call->options;
	const size_t count = call->operands.count;
	struct import *imports = xcalloc(count, sizeof(*imports));
	struct string_list names = {0};
	struct db *db = NULL;
	int rc;

	if (!options->db)
		options->db = db_default_path();
	if (options->run) {
		free(imports);
		return import_ncu(call, options, err);
	}
	rc = read_imports(imports, &names, &call->operands, options, err);
	if (!rc)
		rc = db_open(&db, options->db, DB_CREATE, err);
	for (size_t i = 0; i < names.count && !rc; i++)
		rc = import_into(db, &imports[i], names.items[i], options, err);
	db_close(db);
	for (size_t i = 0; i < count; i++)
		import_release(&imports[i]);
	free(imports);
	string_list_release(&names);
	return rc;
}

static const struct option_row import_rows[] = {
	CHOICE_ROW("format", 'f', import_options, format, "FORMAT", import_format_words,
		   "the program that wrote the files; detect looks at each file"),
	TEXT_ROW("label", 'l', import_options, label, "TEXT", "a label for the runs"),
	TEXT_ROW("note", 0, import_options, note, "TEXT", "a note to store with the runs"),
	TEXT_ROW("revision", 0, import_options, revision, "REVISION",
		 "the source revision that was measured, which the files do not contain"),
	TEXT_ROW("device", 'd', import_options, device, "NAME",
		 "the name of the device, if the file has none or gives the host instead"),
	FLAG_ROW("rounds", 0, import_options, rounds,
		 "the files are rounds of one run: each comes from a process of its own"),
	TEXT_ROW("run", 'r', import_options, run, "RUN",
		 "the files are CSV of Nsight Compute: add its time to the cases of this run"),
	TEXT_ROW("db", 0, import_options, db, "FILE", HELP_DB),
	FLAG_ROW("quiet", 'q', import_options, quiet, "print only warnings and errors"),
};

static const struct example import_examples[] = {
	{"perflab import bench.json --label nightly --revision 1a2b3c4",
	 "store one file with a label and the revision that was measured"},
	{"perflab import *.json --db history.db", "store several files as runs of their own"},
	{"perflab import a.json b.json c.json --rounds --label main",
	 "store what three processes measured as the rounds of one run, which regress can judge"},
	{"perflab import ncu.csv --run last",
	 "add what Nsight Compute measured to the newest run; docs/clocks.md has its command"},
};

const struct command command_import = {
	.name = "import",
	.summary = "store what nvbench, Google Benchmark or Nsight Compute measured",
	.operands = "FILE ...",
	.description =
		"Reads the JSON of nvbench (--json, --jsonbin) and of Google Benchmark "
		"(--benchmark_format=json) and stores it as runs. The backend of a run is the "
		"program that wrote the file, so perflab never compares these times with its own. "
		"A file becomes one run per device in it. With --rounds, all files together do: "
		"each is a round, measured by a process of its own. Two rounds in each run are the "
		"least with which `perflab regress` can find a change, because one process does "
		"not show how far two differ.\n\n"
		"Repetitions of Google Benchmark become samples. Samples of nvbench come from the "
		"files that --jsonbin wrote beside the JSON. Without samples, perflab stores the "
		"median that the file gives. A mean does not replace a median and becomes a "
		"counter. Whatever a file does not contain stays unknown. A file that the database "
		"already has is not stored again.\n\n"
		"With --run, the files are what `ncu --csv --nvtx` wrote about the same cases. "
		"Each gets the median of gpu__time_duration as the counter clock_ncu_ns.",
	OPTIONS_AND_EXAMPLES(import_options, import_rows, import_examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_import,
};

struct export_options {
	const char *db, *output;
	struct string_list metrics;
	int format;
};

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
	struct output output = {0};
	int rc = report_select(&selected, &data->run, &selection, &data->ceilings, err);

	trials = xcalloc(selected.cases.trial_count + 1, sizeof(const struct trial *));
	for (size_t i = 0; i < selected.cases.trial_count; i++)
		trials[i] = &selected.cases.trials[i];
	if (!rc)
		rc = export_metrics_check(&request, err);
	if (!rc) {
		export_choose(&choice, &request, trials, selected.cases.trial_count);
		rc = output_open(&output, options->output, err);
	}
	if (!rc)
		rc = export_run(output.stream, &request, &choice, report_data_samples, data->db,
				err);
	rc = output_end(&output, rc, err);
	if (!rc && choice.left_out)
		say("left out %zu of %zu cases: %s; only verified and measured cases are exported",
		    choice.left_out, choice.left_out + choice.count, choice.why.data);
	if (!rc && choice.missing.length)
		say("without %s; what was not measured is missing, never 0", choice.missing.data);
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
	};
	struct report_data data = {0};
	size_t widened = 0;
	int rc;

	if (options->format == EXPORT_FORMAT_COUNT)
		return error_set(err, PL_EUSAGE,
				 "export: no format; name it with --format, such as --format %s",
				 export_format_words[0]);
	rc = report_data_load(&data, &request, err);
	if (!rc)
		rc = say_one_of_group(data.db, request.run, data.run.id, err);
	if (!rc)
		rc = run_widen_intervals(&widened, &data.run, data.db, err);
	if (!rc && widened)
		say("earlier sessions of this card widened the intervals of %zu cases", widened);
	if (!rc && data.run.state != RUN_FINISHED)
		say("run %lld is %s: these are its cases so far", (long long)data.run.id,
		    run_state_name(data.run.state));
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

static const struct option_row export_rows[] = {
	TEXT_ROW("db", 0, export_options, db, "FILE", HELP_DB),
	CHOICE_ROW("format", 'f', export_options, format, "FORMAT", export_format_words,
		   HELP_FORMAT ", which has no default"),
	LIST_ROW("metric", 'm', export_options, metrics, "NAME",
		 "also write this counter, such as dram_bytes; may be repeated"),
	TEXT_ROW("output", 'o', export_options, output, "FILE", HELP_OUTPUT),
};

static const struct example export_examples[] = {
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
		"and a message says how many and why. perflab verified no case of an imported run, "
		"and says so. A run of the emulator has no times: name its counts with "
		"--metric.\n\n"
		"RUN is as in `perflab report`; the default is \"last\". A CASE is a pattern with "
		"* and ?, or any part of the name; without one, all cases are exported.",
	.exit_status = "3 if no case can be exported; nothing is written then.",
	OPTIONS_AND_EXAMPLES(export_options, export_rows, export_examples),
	.defaults = export_defaults,
	.operand_kind = OPERANDS_RUNS,
	.operands_most = SIZE_MAX,
	.run = run_export,
};
