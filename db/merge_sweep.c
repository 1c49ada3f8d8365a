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
	struct statement update = statement_prepare(
		merge->into,
		"UPDATE run SET started_ns = min(started_ns, ?1),"
		" finished_ns = max(coalesce(finished_ns, 0), ?2),"
		" state = CASE WHEN ?3 AND CAST(?4 AS INTEGER) = (SELECT total(status <> 'pending')"
		"  FROM trial WHERE run_id = ?5) THEN 'finished' ELSE 'interrupted' END"
		" WHERE id = ?5",
		err);

	bind_integer(&update, moved->run.started_ns);
	bind_integer(&update, moved->run.finished_ns);
	bind_integer(&update, all);
	bind_text(&update, cases);
	bind_integer(&update, moved->id);
	return statement_finish(&update);
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
	if (rc)
		return rc;
	update = statement_prepare(merge->into, "UPDATE run SET device_id = ? WHERE id = ?", err);
	bind_integer(&update, device_id);
	bind_integer(&update, moved->id);
	return statement_finish(&update);
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
	/* Makes the triggers of `newest` run again, because the device and the start of the run
	 * changed. */
	if (!rc && !moved->made)
		rc = db_execute_on(merge->into, "UPDATE trial SET status = status WHERE run_id = ?",
				   moved->id, err);
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

/* ---- shards that are not joined, because they were not measured in the same way ---- */

/* A run of `into` with a sweep of the same name, other than the run of the shard; 0: there is none.
 */
static int find_namesake(int64_t *out, const struct merge *merge, const struct merge_run *moved,
			 struct error *err)
{
	struct statement find =
		statement_prepare(merge->into,
				  "SELECT run_id FROM environment WHERE key = '" SWEEP_KEY
				  "' AND value = ? AND run_id <> ? ORDER BY run_id DESC LIMIT 1",
				  err);

	*out = 0;
	bind_text(&find, key_value_get(&moved->run.environment, SWEEP_KEY));
	bind_integer(&find, moved->id);
	if (statement_next(&find))
		*out = take_integer(&find, 0);
	return statement_release(&find);
}

/* Adds the first fact that both runs do not have in common: "the driver is 1.1 in the shard and 1.2
 * in the run".
 */
static void add_fact_apart(struct text *out, const struct run *here, const struct run *there)
{
	const struct {
		const char *what, *here, *there;
	} facts[] = {
		{"perflab", here->version, there->version},
		{"the source revision", here->source_revision, there->source_revision},
		{"the backend", here->backend, there->backend},
		{"the device", here->device.name, there->device.name},
		{"the driver", here->device.driver, there->device.driver},
		{"CUDA of the driver", here->device.cuda_driver, there->device.cuda_driver},
		{"the toolkit", here->device.toolkit, there->device.toolkit},
		{"CUPTI", here->device.cupti, there->device.cupti},
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		const char *left = facts[i].here && *facts[i].here ? facts[i].here : "unknown";
		const char *right = facts[i].there && *facts[i].there ? facts[i].there : "unknown";

		if (strcmp(left, right) != 0) {
			text_addf(out, "%s is %s in the shard and %s in the run", facts[i].what,
				  left, right);
			return;
		}
	}
	text_add(out, "their cases, settings, source files or numbers of shards differ");
}

int merge_sweep_find_apart(char **line, const struct merge *merge, const struct merge_run *moved,
			   struct error *err)
{
	const struct key_value_list *environment = &moved->run.environment;
	struct text said = TEXT_INIT;
	struct run other = {0};
	int64_t id = 0;
	int rc;

	*line = NULL;
	if (!moved->made || !key_value_get(environment, SWEEP_KEY))
		return 0;
	rc = find_namesake(&id, merge, moved, err);
	if (rc || !id)
		return rc;
	rc = db_run_load(merge->into, id, false, &other, err);
	if (rc)
		return rc;
	text_addf(&said, "shard %s of sweep %s is not joined to run %lld: ",
		  key_value_get(environment, SHARDS_KEY), key_value_get(environment, SWEEP_KEY),
		  (long long)id);
	add_fact_apart(&said, &moved->run, &other);
	text_add(&said, "; measure all shards in the same way, or name each sweep by --sweep-id");
	*line = text_detach(&said);
	run_release(&other);
	return 0;
}
