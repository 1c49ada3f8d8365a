/* Merges databases: all sources, then the verdicts, then the missing shards. */
#include "harness/session/merge_databases.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "harness/session/judge.h"
#include "metrics/shards.h"

struct merging {
	const struct merge_observer *observer;
	const char *source; /* the file that is being merged */
};

static void pass_notice(void *context, const char *line)
{
	const struct merge_observer *observer = ((struct merging *)context)->observer;

	if (observer->notice)
		observer->notice(observer->context, line);
}

static void pass_progress(void *context, size_t done, size_t total)
{
	const struct merging *merging = context;
	const struct merge_observer *observer = merging->observer;

	if (observer->progress)
		observer->progress(observer->context, done, total, merging->source);
}

/* ---- the sources ---- */

static bool same_file(const char *a, const char *b)
{
	struct stat left, right;

	return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
	       left.st_ino == right.st_ino;
}

static int check_sources(const struct string_list *sources, const char *output, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < sources->count && !rc; i++) {
		struct db *source = NULL;

		if (same_file(sources->items[i], output))
			return error_set(
				err, PL_EUSAGE,
				"%s is the output of the merge and cannot be a source as well",
				output);
		rc = db_open_given(&source, sources->items[i], DB_READ, "", err);
		db_close(source);
	}
	return rc;
}

static int merge_sources(struct db *db, const char *output, const struct string_list *sources,
			 const struct merge_observer *observer, struct merge_summary *summary,
			 struct error *err)
{
	struct merging merging = {observer, output};
	const struct merge_watch watch = {&merging, pass_notice, pass_progress};
	int rc = db_merge_shards(db, &watch, summary, err);

	for (size_t i = 0; i < sources->count && !rc; i++) {
		struct db *source = NULL;

		merging.source = sources->items[i];
		rc = db_open_given(&source, merging.source, DB_READ, "", err);
		if (!rc)
			rc = db_merge(db, source, &watch, summary, err);
		db_close(source);
	}
	return rc;
}

/* ---- the merged runs ---- */

static int judge_merged(struct db *db, const struct merge_summary *summary,
			const struct merge_observer *observer, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < summary->touched_count && !rc; i++) {
		const struct merge_touched *touched = &summary->touched[i];
		struct trial_comparison_list before = {0};

		if (observer->judging)
			observer->judging(observer->context, i, summary->touched_count);
		if (!touched->changed)
			rc = db_comparisons_load(db, touched->run_id, &before, err);
		if (!rc && !before.count)
			rc = judge_stored_run(db, touched->run_id, err);
		comparison_list_release(&before);
	}
	return rc;
}

/* Adds the shards that a run lacks to the result, if there are any. */
static int add_missing_shards(struct merge_result *result, struct db *db, int64_t run_id,
			      struct error *err)
{
	struct run run = {0};
	struct shard_set set = {0};
	struct text numbers = TEXT_INIT;
	const char *shards, *sweep;
	int rc = db_run_load(db, run_id, false, &run, err);

	if (rc)
		return rc;
	shards = key_value_get(&run.environment, SHARDS_KEY);
	sweep = key_value_get(&run.environment, SWEEP_KEY);
	if (shards && shard_set_parse(&set, shards, NULL) == 0 &&
	    shard_set_count(&set) < set.total) {
		shard_set_missing(&numbers, &set);
		result->missing[result->missing_count++] = (struct missing_shards){
			.run_id = run_id,
			.count = set.total - shard_set_count(&set),
			.total = set.total,
			.numbers = text_detach(&numbers),
			.sweep = sweep ? xstrdup(sweep) : NULL,
		};
	}
	shard_set_release(&set);
	run_release(&run);
	return 0;
}

static int find_missing_shards(struct merge_result *result, struct db *db, struct error *err)
{
	const struct merge_summary *summary = &result->summary;
	int rc = 0;

	result->missing = xcalloc(summary->touched_count + 1, sizeof(*result->missing));
	for (size_t i = 0; i < summary->touched_count && !rc; i++)
		if (summary->touched[i].sweep)
			rc = add_missing_shards(result, db, summary->touched[i].run_id, err);
	return rc;
}

int merge_databases(struct merge_result *out, const char *output, const struct string_list *sources,
		    const struct merge_observer *observer, struct error *err)
{
	struct db *db = NULL;
	int rc = check_sources(sources, output, err);

	if (!rc)
		rc = db_open_given(&db, output, DB_CREATE, " with --db", err);
	if (!rc)
		rc = merge_sources(db, output, sources, observer, &out->summary, err);
	if (!rc)
		rc = judge_merged(db, &out->summary, observer, err);
	if (!rc)
		rc = judge_unjudged(db, JUDGE_UNJUDGED_NS, err);
	if (!rc)
		rc = find_missing_shards(out, db, err);
	db_close(db);
	return rc;
}

void merge_result_release(struct merge_result *result)
{
	for (size_t i = 0; i < result->missing_count; i++) {
		free(result->missing[i].numbers);
		free(result->missing[i].sweep);
	}
	free(result->missing);
	merge_summary_release(&result->summary);
	*result = (struct merge_result){0};
}
