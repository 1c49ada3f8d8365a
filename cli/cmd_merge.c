/* perflab merge: copies the runs of several databases into one. */
#include <stdlib.h>

#include "cli/progress.h"
#include "harness/runs/runs.h"

struct merge_options {
	const char *db, *output;
	bool quiet;
};

static void show_merge_notice(void *context, const char *line)
{
	progress_say(context, line);
}

static void show_merge_progress(void *context, size_t done, size_t total, const char *source)
{
	char *line = xasprintf("%zu/%zu  %s", done, total, source);

	progress_line(context, line);
	free(line);
}

static void show_judging(void *context, size_t done, size_t total)
{
	char *line = xasprintf("%zu/%zu  verdicts", done, total);

	if (done == 0)
		progress_end(context);
	progress_line(context, line);
	free(line);
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

#define FIELD(name) offsetof(struct merge_options, name)

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE",
	 "the database to merge into; created if it does not exist", NULL, 0},
	{"output", 'o', OPTION_TEXT, FIELD(output), "FILE", "the same as --db", NULL, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "print only warnings and errors", NULL, 0},
};

static const struct example examples[] = {
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
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct merge_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_merge_verb,
};
