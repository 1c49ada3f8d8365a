/*
 * perflab merge: runs of several databases into one. The sources are looked
 * at before anything is written, so that a word that names no database costs
 * nothing.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/progress.h"
#include "db/db.h"
#include "harness/session/judge.h"
#include "metrics/shards.h"

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

/* ---- before ---- */

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
				"%s is what is merged into, and cannot be a source as well",
				output);
		rc = db_open_given(&source, call->operands.items[i], DB_READ, "", err);
		db_close(source);
	}
	return rc;
}

/* ---- afterwards ---- */

/* Says what a run of shards lacks; *missing is set if it does. */
static int tell_missing(struct db *db, int64_t id, bool *missing, struct error *err)
{
	struct run run = {0};
	struct shard_set set = {0};
	struct text numbers = TEXT_INIT;
	const char *shards, *sweep;
	int rc = db_run_load(db, id, false, &run, err);

	if (rc)
		return rc;
	shards = key_value_get(&run.environment, SHARDS_KEY);
	sweep = key_value_get(&run.environment, SWEEP_KEY);
	if (shards && shard_set_parse(&set, shards, NULL) == 0 &&
	    shard_set_count(&set) < set.total) {
		*missing = true;
		shard_set_missing(&numbers, &set);
		say("run %lld%s%s lacks %s %s of %zu: merge %s, too", (long long)id,
		    sweep ? " of sweep " : "", sweep ? sweep : "",
		    set.total - shard_set_count(&set) == 1 ? "shard" : "shards", numbers.data,
		    set.total, set.total - shard_set_count(&set) == 1 ? "it" : "them");
	}
	text_release(&numbers);
	shard_set_release(&set);
	run_release(&run);
	return 0;
}

static void count_add(struct text *line, int64_t count, const char *one, const char *several)
{
	if (count)
		text_addf(line, "%s%lld %s", line->length ? ", " : "", (long long)count,
			  count == 1 ? one : several);
}

static void tell_summary(const char *output, const struct merge_summary *summary)
{
	struct text line = TEXT_INIT;

	count_add(&line, summary->added, "run added", "runs added");
	count_add(&line, summary->completed, "run completed", "runs completed");
	count_add(&line, summary->shards, "shard joined", "shards joined");
	count_add(&line, summary->known, "was there already", "were there already");
	say("%s: %s; %lld %s stored", output, line.length ? line.data : "no runs to merge",
	    (long long)summary->trials, summary->trials == 1 ? "case" : "cases");
	text_release(&line);
}

/* A run among others has other baselines; one whose merge was cut short has no verdicts yet. */
static int judge_touched(struct db *db, const struct merge_summary *summary,
			 struct merging *merging, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < summary->touched_count && !rc; i++) {
		struct trial_comparison_list before = {0};
		char *line = xasprintf("%zu/%zu  verdicts", i, summary->touched_count);

		progress_line(&merging->progress, line);
		free(line);
		if (!summary->touched[i].changed)
			rc = db_comparisons_load(db, summary->touched[i].run_id, &before, err);
		if (!rc && !before.count)
			rc = judge_stored_run(db, summary->touched[i].run_id, err);
		comparison_list_release(&before);
	}
	progress_end(&merging->progress);
	return rc;
}

static int conclude(struct invocation *call, struct db *db, const struct merging *merging,
		    const struct merge_summary *summary, struct error *err)
{
	bool missing = false;
	int rc = 0;

	if (!merging->options->quiet)
		tell_summary(merging->options->output, summary);
	for (size_t i = 0; i < summary->touched_count && !rc; i++)
		if (summary->touched[i].sweep)
			rc = tell_missing(db, summary->touched[i].run_id, &missing, err);
	call->exit_code = missing ? EXIT_FINDING : EXIT_FINE;
	return rc;
}

/* ---- the verb ---- */

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

static int run_merge(struct invocation *call, struct error *err)
{
	const struct merge_options *options = call->options;
	struct merging merging = {.options = options};
	struct merge_summary summary = {0};
	struct db *db = NULL;
	int rc;

	if (!options->output)
		return error_set(err, PL_EUSAGE,
				 "merge: into which database? name it with -o FILE");
	progress_init(&merging.progress, &call->terminal, options->quiet);
	merging.progress.last_ns = monotonic_ns(); /* what is done in a moment needs none */
	rc = check_sources(call, options->output, err);
	if (!rc)
		rc = db_open_given(&db, options->output, DB_CREATE, " with -o", err);
	if (!rc)
		rc = merge_sources(call, db, &merging, &summary, err);
	if (!rc)
		rc = judge_touched(db, &summary, &merging, err);
	if (!rc)
		rc = conclude(call, db, &merging, &summary, err);
	merge_summary_release(&summary);
	db_close(db);
	return rc;
}

#define FIELD(name) offsetof(struct merge_options, name)

static const struct option_row rows[] = {
	{"output", 'o', OPTION_TEXT, FIELD(output), "FILE",
	 "the database to merge into; made if it is not there", NULL, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "only what is wrong", NULL, 0},
};

static const struct example examples[] = {
	{"perflab merge node1.db node2.db -o all.db", "runs of two machines in one database"},
	{"perflab merge shard-*.db -o nightly.db",
	 "what sweep --shard measured becomes one run, as of one sweep"},
};

const struct command command_merge = {
	.name = "merge",
	.summary = "bring runs of several databases together in one",
	.operands = "FILE.db ...",
	.description =
		"Every run of every FILE comes into the database that -o names, with its cases, "
		"samples, counters, environment and mark; runs that are there stay. The files are "
		"only read, and may be of an older schema.\n\n"
		"A run that is there already, by its uid, is not doubled: of each case that is "
		"kept which has come further. Where both have finished a case with different "
		"results, this is said and what is there stays.\n\n"
		"Runs of sweep --shard become one run, as if one sweep had measured all: those of "
		"one --sweep-id (without one, those that are alike in all but the shard) on "
		"devices of one name with one driver. The run is finished once no shard is "
		"missing. A case that two shards measured with different results is an error, and "
		"nothing of that shard is stored.\n\n"
		"Each run is stored whole or not at all, so an interrupted merge can be repeated.",
	.exit_status = "1 when a sweep lacks shards; what is there is merged.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct merge_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_merge,
};
