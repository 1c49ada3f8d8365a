/* Updates the run of a sweep from one of its shards: shards, devices, environment, start and end.
 */
#include "db/merge.h"
#include "metrics/shards.h"

#include <stdlib.h>
#include <string.h>

/* The sweep began with its first shard and ended with its last. It is finished when all shards are
 * merged and every case has ended. */
static int sweep_complete(const struct merge *merge, const struct merge_run *moved, bool all,
			  struct error *err)
{
	const char *cases = key_value_get(&moved->run.environment, SWEEP_CASES_KEY);
	struct statement update;
	int rc = statement_prepare(
		&update, merge->into,
		"UPDATE run SET started_ns = min(started_ns, ?1),"
		" finished_ns = max(coalesce(finished_ns, 0), ?2),"
		" state = CASE WHEN ?3 AND CAST(?4 AS INTEGER) = (SELECT total(status <> 'pending')"
		"  FROM trial WHERE run_id = ?5) THEN 'finished' ELSE 'interrupted' END"
		" WHERE id = ?5",
		err);

	if (rc)
		return rc;
	bind_integer(&update, moved->run.started_ns);
	bind_integer(&update, moved->run.finished_ns);
	bind_integer(&update, all);
	bind_text(&update, cases);
	bind_integer(&update, moved->id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* Shards of several devices of one kind: the run refers to a device without a uuid. */
static int device_join(const struct merge *merge, const struct merge_run *moved,
		       const struct run *own, struct error *err)
{
	struct device_info device = moved->run.device;
	struct statement update;
	int64_t device_id = 0;
	int rc;

	if (strcmp(own->device.uuid, device.uuid) == 0)
		return 0;
	device.uuid[0] = '\0';
	rc = db_device_store(merge->into, &device, &device_id, err);
	if (!rc)
		rc = statement_prepare(&update, merge->into,
				       "UPDATE run SET device_id = ? WHERE id = ?", err);
	if (rc)
		return rc;
	bind_integer(&update, device_id);
	bind_integer(&update, moved->id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* Makes the triggers of `newest` run again, because the device and the start of the run changed. */
static int trials_touch(struct db *db, int64_t run_id, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db, "UPDATE trial SET status = status WHERE run_id = ?",
				   err);

	if (rc)
		return rc;
	bind_integer(&update, run_id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* Joins the values of both texts, each once: "node1; node2". */
static char *values_join(const char *own, const char *other)
{
	struct string_list values = {0}, more = {0};
	struct text joined = TEXT_INIT;

	string_list_split(&values, own, ';');
	string_list_split(&more, other, ';');
	for (size_t i = 0; i < values.count + more.count; i++) {
		const char *value =
			i < values.count ? values.items[i] : more.items[i - values.count];

		value += strspn(value, " ");
		if (i >= values.count && string_list_has(&values, value))
			continue;
		text_addf(&joined, "%s%s", i ? "; " : "", value);
	}
	string_list_release(&values);
	string_list_release(&more);
	return text_detach(&joined);
}

static int environment_join(const struct merge *merge, const struct merge_run *moved,
			    const struct run *own, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < moved->run.environment.count && !rc; i++) {
		const struct key_value *pair = &moved->run.environment.items[i];
		const char *before = key_value_get(&own->environment, pair->key);
		char *value;

		if (strcmp(pair->key, "process") == 0 || strcmp(pair->key, SHARDS_KEY) == 0 ||
		    (before && strcmp(before, pair->value) == 0))
			continue;
		value = before ? values_join(before, pair->value) : xstrdup(pair->value);
		rc = db_environment_set(merge->into, moved->id, pair->key, value, err);
		free(value);
	}
	return rc;
}

/* Stores which shards the run has now. *all: none is missing. */
static int shards_join(const struct merge *merge, const struct merge_run *moved,
		       const struct run *own, bool *all, struct error *err)
{
	const char *own_text = key_value_get(&own->environment, SHARDS_KEY);
	const char *more_text = key_value_get(&moved->run.environment, SHARDS_KEY);
	struct shard_set set = {0}, more = {0};
	struct text joined = TEXT_INIT;
	int rc = shard_set_parse(&set, own_text ? own_text : "", err);

	if (!rc)
		rc = shard_set_parse(&more, more_text ? more_text : "", err);
	if (!rc && !shard_set_join(&set, &more))
		rc = error_set(err, PL_EUSAGE, "shards %s and %s do not belong to one sweep",
			       own_text, more_text);
	if (!rc) {
		shard_set_text(&joined, &set);
		rc = db_environment_set(merge->into, moved->id, SHARDS_KEY, joined.data, err);
		*all = shard_set_count(&set) == set.total;
	}
	text_release(&joined);
	shard_set_release(&set);
	shard_set_release(&more);
	return rc;
}

int merge_sweep_join(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct run own = {0};
	bool all = false;
	int rc = db_run_load(merge->into, moved->id, false, &own, err);

	if (!rc)
		rc = device_join(merge, moved, &own, err);
	if (!rc)
		rc = environment_join(merge, moved, &own, err);
	if (!rc)
		rc = shards_join(merge, moved, &own, &all, err);
	if (!rc)
		rc = sweep_complete(merge, moved, all, err);
	if (!rc && !moved->made)
		rc = trials_touch(merge->into, moved->id, err);
	run_release(&own);
	return rc;
}

int merge_fail_overlap(const struct merge_run *moved, struct error *err)
{
	const char *shards = key_value_get(&moved->run.environment, SHARDS_KEY);
	const char *sweep = key_value_get(&moved->run.environment, SWEEP_KEY);

	return error_set(err, PL_EEXIST,
			 "shard %s of sweep %s overlaps with another shard: %lld %s measured twice "
			 "with different results, such as %s: give each sweep its own --sweep-id, "
			 "and merge each shard once",
			 shards, sweep ? sweep : moved->uid, (long long)moved->at_odds,
			 moved->at_odds == 1 ? "case was" : "cases were", moved->case_at_odds);
}
