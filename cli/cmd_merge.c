/*
 * perflab merge: copies the runs of several databases into one. It opens all
 * sources before it writes, so that a wrong file name changes nothing.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/progress.h"
#include "db/db.h"
#include "harness/session/merged_runs.h"

struct merge_options {
	const char *output;
	bool quiet;
};

struct merging {
	const struct merge_options *options;
	struct progress progress;
	const char *source; /* the file that is being merged */
};

static void merge_notice(void *context, const char *line)
{
	struct merging *merging = context;

	progress_say(&merging->progress, line);
}

static void merge_progress(void *context, size_t done, size_t total)
{
	struct merging *merging = context;
	char *line = xasprintf("%zu/%zu  %s", done, total, merging->source);

	progress_line(&merging->progress, line);
	free(line);
}

static bool same_file(const char *a, const char *b)
{
	struct stat left, right;

	return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
	       left.st_ino == right.st_ino;
}

static int check_sources(const struct invocation *call, const char *output, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < call->operands.count && !rc; i++) {
		struct db *source = NULL;

		if (same_file(call->operands.items[i], output))
			return error_set(
				err, PL_EUSAGE,
				"%s is the output of the merge and cannot be a source as well",
				output);
		rc = db_open_given(&source, call->operands.items[i], DB_READ, "", err);
		db_close(source);
	}
	return rc;
}

/* Tells the user which shards a run lacks, and sets *missing if there are any. */
static int say_missing_shards(struct db *db, int64_t id, bool *missing, struct error *err)
{
	struct missing_shards lacks = {0};
	int rc = missing_shards_load(&lacks, db, id, err);

	if (!rc && lacks.count) {
		*missing = true;
		say("run %lld%s%s lacks %s %s of %zu: merge %s, too", (long long)id,
		    lacks.sweep ? " of sweep " : "", lacks.sweep ? lacks.sweep : "",
		    lacks.count == 1 ? "shard" : "shards", lacks.numbers, lacks.total,
		    lacks.count == 1 ? "it" : "them");
	}
	missing_shards_release(&lacks);
	return rc;
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
	add_count(&line, summary->shards, "shard joined", "shards joined");
	add_count(&line, summary->known, "was there already", "were there already");
	say("%s: %s; %lld %s stored", output, line.length ? line.data : "no runs to merge",
	    (long long)summary->trials, summary->trials == 1 ? "case" : "cases");
	text_release(&line);
}

static void judge_progress(void *context, size_t done, size_t total)
{
	struct merging *merging = context;
	char *line = xasprintf("%zu/%zu  verdicts", done, total);

	progress_line(&merging->progress, line);
	free(line);
}

static int judge_merged(struct db *db, const struct merge_summary *summary, struct merging *merging,
			struct error *err)
{
	const struct merged_runs_watch watch = {merging, judge_progress};
	int rc = merged_runs_judge(db, summary, &watch, err);

	progress_end(&merging->progress);
	return rc;
}

static int say_result(struct invocation *call, struct db *db, const struct merging *merging,
		      const struct merge_summary *summary, struct error *err)
{
	bool missing = false;
	int rc = 0;

	if (!merging->options->quiet)
		say_summary(merging->options->output, summary);
	for (size_t i = 0; i < summary->touched_count && !rc; i++)
		if (summary->touched[i].sweep)
			rc = say_missing_shards(db, summary->touched[i].run_id, &missing, err);
	call->exit_code = missing ? EXIT_FINDING : EXIT_FINE;
	return rc;
}

static int merge_sources(const struct invocation *call, struct db *db, struct merging *merging,
			 struct merge_summary *summary, struct error *err)
{
	const struct merge_watch watch = {merging, merge_notice, merge_progress};
	int rc;

	merging->source = merging->options->output;
	rc = db_merge_shards(db, &watch, summary, err);
	for (size_t i = 0; i < call->operands.count && !rc; i++) {
		struct db *source = NULL;

		merging->source = call->operands.items[i];
		rc = db_open_given(&source, merging->source, DB_READ, "", err);
		if (!rc)
			rc = db_merge(db, source, &watch, summary, err);
		db_close(source);
	}
	progress_end(&merging->progress);
	return rc;
}

static int run_merge_verb(struct invocation *call, struct error *err)
{
	const struct merge_options *options = call->options;
	struct merging merging = {.options = options};
	struct merge_summary summary = {0};
	struct db *db = NULL;
	int rc;

	if (!options->output)
		return error_set(err, PL_EUSAGE, "merge: no output database; name it with -o FILE");
	progress_init(&merging.progress, &call->terminal, options->quiet);
	merging.progress.last_ns = monotonic_ns(); /* a short merge prints no progress */
	rc = check_sources(call, options->output, err);
	if (!rc)
		rc = db_open_given(&db, options->output, DB_CREATE, " with -o", err);
	if (!rc)
		rc = merge_sources(call, db, &merging, &summary, err);
	if (!rc)
		rc = judge_merged(db, &summary, &merging, err);
	if (!rc)
		rc = say_result(call, db, &merging, &summary, err);
	merge_summary_release(&summary);
	db_close(db);
	return rc;
}

#define FIELD(name) offsetof(struct merge_options, name)

static const struct option_row rows[] = {
	{"output", 'o', OPTION_TEXT, FIELD(output), "FILE",
	 "the database to merge into; created if it does not exist", NULL, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "print only warnings and errors", NULL, 0},
};

static const struct example examples[] = {
	{"perflab merge node1.db node2.db -o all.db",
	 "collect the runs of two machines in one database"},
	{"perflab merge shard-*.db -o nightly.db", "join the shards of a sweep into one run"},
};

const struct command command_merge = {
	.name = "merge",
	.summary = "merge the runs of several databases into one",
	.operands = "FILE.db ...",
	.description =
		"Copies every run of every FILE into the database that -o names, with its cases, "
		"samples, counters, environment and mark. Runs that are already in that database "
		"stay. merge only reads the files; they may have an older schema.\n\n"
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
