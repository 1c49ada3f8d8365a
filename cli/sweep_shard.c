/*
 * perflab sweep --shard I/N: one of several runs that make one sweep, on as
 * many machines. Each knows the uid of the run that all of them are merged
 * to: it is made of all that a shard must have in common with the others.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "cli/sweep.h"
#include "metrics/settings.h"
#include "metrics/shards.h"

#define SWEEP_ID_MAX 200

/* What the user calls the sweep; a scheduler's array has a name of its own. */
static char *sweep_id(const struct sweep_options *options)
{
	const char *array = getenv("SLURM_ARRAY_JOB_ID");

	if (options->sweep_id)
		return xstrdup(options->sweep_id);
	return array && *array ? xasprintf("slurm-%.64s", array) : NULL;
}

static int check_sweep_id(const struct sweep_options *options, struct error *err)
{
	const char *id = options->sweep_id;

	if (!id)
		return 0;
	if (!options->shard)
		return error_set(err, PL_EUSAGE, "--sweep-id is of shards: give --shard I/N, too");
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

int sweep_shard_request(struct sweep_plan *plan, const struct sweep_options *options,
			struct error *err)
{
	struct shard_set set = {0};
	int rc = check_sweep_id(options, err);

	if (rc || !options->shard)
		return rc;
	rc = shard_set_parse(&set, options->shard, err);
	if (!rc && shard_set_count(&set) != 1)
		rc = error_set(err, PL_EUSAGE, "%s: one shard at a time", options->shard);
	if (rc)
		goto out;
	for (size_t i = 0; i < set.total; i++)
		if (set.has[i])
			plan->shard.number = i + 1;
	plan->shard.total = set.total;
	plan->shard.sweep = sweep_id(options);
out:
	shard_set_release(&set);
	return error_context(err, rc, "--shard");
}

int sweep_shard_take(struct sweep_shard *shard, struct plan *plan, struct error *err)
{
	XXH64_hash_t hash = 0;

	if (!shard->total)
		return 0;
	if (shard->total > plan->count)
		return error_set(err, PL_EUSAGE,
				 "--shard: the plan has %zu %s, and that is the most shards there "
				 "can be",
				 plan->count, plan->count == 1 ? "case" : "cases");
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		hash = XXH64(planned->kernel, strlen(planned->kernel) + 1, hash);
		hash = XXH64(planned->variant, strlen(planned->variant) + 1, hash);
		hash = XXH64(planned->config, strlen(planned->config) + 1, hash);
	}
	shard->plan_hash = hash;
	shard->cases = plan->count;
	plan_take_shard(plan, shard->number, shard->total);
	return 0;
}

/* Settings but for what each shard may choose by where it runs. */
static char *common_settings(const char *json)
{
	struct measure_settings settings = {0};
	char *common;

	if (measure_settings_from_json(&settings, json, NULL))
		return xstrdup(json);
	settings.device = 0;
	settings.jobs = 0;
	settings.timeout_ns = measure_settings_default.timeout_ns;
	free(settings.counter_dump);
	settings.counter_dump = NULL;
	common = measure_settings_to_json(&settings);
	measure_settings_release(&settings);
	return common;
}

/* One line each, so that no two sets of facts give the same text. */
static void facts_text(struct text *out, const struct run *run, const struct sweep_shard *shard)
{
	const struct device_info *device = &run->device;
	char *settings = common_settings(run->settings_json);
	const char *const words[] = {
		shard->sweep,         run->backend,    device->name,  device->driver,
		device->cuda_driver,  device->toolkit, device->cupti, run->version,
		run->source_revision, settings,
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		text_addf(out, "%s\n", words[i] ? words[i] : "");
	text_addf(out, "%zu %zu %016llx\n", shard->total, shard->cases,
		  (unsigned long long)shard->plan_hash);
	free(settings);
}

void sweep_shard_describe(struct run *run, const struct sweep_shard *shard)
{
	struct text facts = TEXT_INIT;
	XXH128_canonical_t uid;
	char *text;

	if (!shard->total)
		return;
	facts_text(&facts, run, shard);
	XXH128_canonicalFromHash(&uid, XXH3_128bits(facts.data, facts.length));
	text_clear(&facts);
	for (size_t i = 0; i < sizeof(uid.digest); i++)
		text_addf(&facts, "%02x", uid.digest[i]);
	key_value_set(&run->environment, SWEEP_UID_KEY, facts.data);
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
