/*
 * Shards: runs that together make one sweep, measured perhaps on several
 * machines. Each stores the uid of the run that all of them are merged to. The
 * uid is a hash of everything that the shards of a sweep have in common.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "harness/protocol/protocol.h"
#include "harness/request/request.h"
#include "harness/sources/sources.h"
#include "metrics/settings.h"
#include "metrics/shards.h"

#define SWEEP_ID_MAX 200

static int check_sweep_id(const struct sweep_request *request, struct error *err)
{
	const char *id = request->sweep_id;

	if (!id)
		return 0;
	if (!request->shard)
		return error_set(err, PL_EUSAGE,
				 "--sweep-id names the sweep of a shard: give --shard I/N as well");
	for (const char *c = id; *c; c++)
		if ((unsigned char)*c < ' ')
			id = "";
	if (!*id || strlen(id) > SWEEP_ID_MAX)
		return error_set(err, PL_EUSAGE,
				 "--sweep-id is a word of 1 to %d printable characters, the same "
				 "for all shards of a sweep",
				 SWEEP_ID_MAX);
	return 0;
}

int shard_from_request(struct sweep_shard *out, const struct sweep_request *request,
		       struct error *err)
{
	const char *array = getenv("SLURM_ARRAY_JOB_ID");
	struct shard_set set = {0};
	int rc = check_sweep_id(request, err);

	if (rc || !request->shard)
		return rc;
	rc = shard_set_parse(&set, request->shard, err);
	if (!rc && shard_set_count(&set) != 1)
		rc = error_set(err, PL_EUSAGE, "%s: one shard at a time", request->shard);
	if (rc)
		goto out;
	for (size_t i = 0; i < set.total; i++)
		if (set.has[i])
			out->number = i + 1;
	out->total = set.total;
	/* the name of the sweep: --sweep-id, or the job array of the scheduler */
	if (request->sweep_id)
		out->sweep = xstrdup(request->sweep_id);
	else if (array && *array)
		out->sweep = xasprintf("slurm-%.64s", array);
out:
	shard_set_release(&set);
	return error_context(err, rc, "--shard");
}

int shard_take(struct sweep_shard *shard, struct plan *plan, struct error *err)
{
	struct hash hash;

	if (!shard->total)
		return 0;
	if (shard->total > plan->count)
		return error_set(err, PL_EUSAGE,
				 "--shard: the plan has %zu %s, so there can be no more shards",
				 plan->count, plan->count == 1 ? "case" : "cases");
	hash_begin(&hash);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		hash_add(&hash, planned->kernel, strlen(planned->kernel) + 1);
		hash_add(&hash, planned->variant, strlen(planned->variant) + 1);
		hash_add(&hash, planned->config, strlen(planned->config) + 1);
	}
	hash_end(shard->plan_hash, &hash);
	shard->cases = plan->count;
	plan_take_shard(plan, shard->number, shard->total);
	/* cases go with their base cases, of which there may be few */
	if (!plan->count)
		return error_set(err, PL_EUSAGE,
				 "--shard: no case is left for shard %zu of %zu: the base variant "
				 "has fewer cases than there are shards, and the others go with "
				 "them",
				 shard->number, shard->total);
	return 0;
}

/* One line per fact, so that different facts never give the same text. */
static void facts_text(struct text *out, const struct run *run, const struct sweep_shard *shard)
{
	const struct device_info *device = &run->device;
	struct measure_settings common = run->settings;
	json_t *json;
	char *settings;

	/* without those that each shard may choose by where it runs */
	common.device = 0;
	common.jobs = 0;
	common.timeout_ns = measure_settings_default.timeout_ns;
	common.counter_dump = NULL;
	json = settings_to_json(&common);
	settings = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	const char *const words[] = {
		shard->sweep,         run->backend,    device->name,  device->driver,
		device->cuda_driver,  device->toolkit, device->cupti, run->version,
		run->source_revision, settings,
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		text_addf(out, "%s\n", words[i] ? words[i] : "");
	for (size_t i = 0; i < run->environment.count; i++) {
		const struct key_value *fact = &run->environment.items[i];

		if (source_fact_is_hash(fact->key) || source_word_is_same_everywhere(fact->key))
			text_addf(out, "%s %s\n", fact->key, fact->value);
	}
	text_addf(out, "%zu %zu %s\n", shard->total, shard->cases, shard->plan_hash);
	free(settings);
}

void shard_describe(struct run *run, const struct sweep_shard *shard)
{
	struct text facts = TEXT_INIT;
	char uid[HASH_TEXT_BYTES], *text;

	if (!shard->total)
		return;
	facts_text(&facts, run, shard);
	hash_of(uid, facts.data, facts.length);
	uid[sizeof(run->uid) - 1] = '\0';
	key_value_set(&run->environment, SWEEP_UID_KEY, uid);
	if (shard->sweep)
		key_value_set(&run->environment, SWEEP_KEY, shard->sweep);
	text = xasprintf("%zu/%zu", shard->number, shard->total);
	key_value_set(&run->environment, SHARDS_KEY, text);
	free(text);
	text = xasprintf("%zu", shard->cases);
	key_value_set(&run->environment, SWEEP_CASES_KEY, text);
	free(text);
	text_release(&facts);
}
