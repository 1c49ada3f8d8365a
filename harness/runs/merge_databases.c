/* Merges databases: all sources, then the verdicts, then the missing shards. */
#include "harness/runs/runs.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "harness/judge/judge.h"
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

static int check_sources(const struct string_list *sources, const char *output, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < sources->count && !rc; i++) {
		struct db *source = NULL;
		struct stat own, other;

		if (stat(sources->items[i], &own) == 0 && stat(output, &other) == 0 &&
		    own.st_dev == other.st_dev && own.st_ino == other.st_ino)
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

/* ---- the missing shards ---- */

/* What of `total` shards is in `has`. */
static struct shard_numbers numbers_of(const bool *has, size_t total)
{
	struct shard_set others = {total, xcalloc(total, sizeof(bool))};
	struct shard_numbers numbers = {0};
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < total; i++) {
		others.has[i] = !has[i];
		numbers.count += has[i];
	}
	shard_set_missing(&text, &others);
	numbers.text = text_detach(&text);
	shard_set_release(&others);
	return numbers;
}

/* The shards of a run, and the name of its sweep; NULL: it has none. An empty set: it has no
 * shards.
 */
static int load_shards(struct shard_set *out, char **sweep, struct db *db, int64_t run_id,
		       struct error *err)
{
	struct run run = {0};
	const char *shards, *name;
	int rc = db_run_load(db, run_id, false, &run, err);

	*sweep = NULL;
	if (rc)
		return rc;
	shards = key_value_get(&run.environment, SHARDS_KEY);
	name = key_value_get(&run.environment, SWEEP_KEY);
	if (shards)
		shard_set_parse(out, shards, NULL);
	if (name)
		*sweep = xstrdup(name);
	run_release(&run);
	return 0;
}

/* Moves the shards that another run has from `lacking` to those that are elsewhere. */
static int add_elsewhere(struct missing_shards *missing, struct shard_set *lacking, struct db *db,
			 int64_t other, struct error *err)
{
	struct shard_set has = {0};
	char *sweep;
	size_t common = 0;
	int rc = load_shards(&has, &sweep, db, other, err);

	for (size_t i = 0; has.total == lacking->total && i < has.total; i++) {
		has.has[i] &= lacking->has[i];
		lacking->has[i] &= !has.has[i];
		common += has.has[i];
	}
	if (common)
		missing->elsewhere[missing->elsewhere_count++] =
			(struct shards_elsewhere){other, numbers_of(has.has, has.total)};
	shard_set_release(&has);
	free(sweep);
	return rc;
}

/* Adds the shards that a run lacks to the result, if there are any. */
static int add_missing_shards(struct merge_result *result, struct db *db, int64_t run_id,
			      struct error *err)
{
	struct missing_shards *missing = &result->missing[result->missing_count];
	struct shard_set set = {0};
	int64_t *ids = NULL;
	size_t count = 0;
	char *sweep;
	int rc = load_shards(&set, &sweep, db, run_id, err);

	if (rc || shard_set_count(&set) == set.total) {
		shard_set_release(&set);
		free(sweep);
		return rc;
	}
	for (size_t i = 0; i < set.total; i++)
		set.has[i] = !set.has[i];
	result->missing_count++;
	*missing = (struct missing_shards){.run_id = run_id,
					   .total = set.total,
					   .all = numbers_of(set.has, set.total),
					   .sweep = sweep};
	/* the shards that are in other runs, and the rest */
	rc = db_runs_alike(db, run_id, SWEEP_KEY, &ids, &count, err);
	missing->elsewhere = xcalloc(count + 1, sizeof(*missing->elsewhere));
	for (size_t i = 0; i < count && !rc; i++)
		if (ids[i] != run_id)
			rc = add_elsewhere(missing, &set, db, ids[i], err);
	missing->nowhere = numbers_of(set.has, set.total);
	free(ids);
	shard_set_release(&set);
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
	out->missing = xcalloc(out->summary.touched_count + 1, sizeof(*out->missing));
	for (size_t i = 0; i < out->summary.touched_count && !rc; i++)
		if (out->summary.touched[i].sweep)
			rc = add_missing_shards(out, db, out->summary.touched[i].run_id, err);
	db_close(db);
	return rc;
}

void merge_result_release(struct merge_result *result)
{
	for (size_t i = 0; i < result->missing_count; i++) {
		struct missing_shards *missing = &result->missing[i];

		for (size_t k = 0; k < missing->elsewhere_count; k++)
			free(missing->elsewhere[k].numbers.text);
		free(missing->elsewhere);
		free(missing->all.text);
		free(missing->nowhere.text);
		free(missing->sweep);
	}
	free(result->missing);
	merge_summary_release(&result->summary);
	*result = (struct merge_result){0};
}
