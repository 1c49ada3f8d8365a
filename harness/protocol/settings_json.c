/* Settings as JSON for the wire. */
#include "metrics/settings.h"

#include "harness/protocol/protocol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const cache_names[] = {[CACHE_COLD] = "cold", [CACHE_HOT] = "hot"};

json_t *settings_to_json(const struct measure_settings *settings)
{
	char seed[24];
	json_t *json;

	/* A string, because many JSON readers keep only 53 bits of a number. */
	snprintf(seed, sizeof(seed), "%" PRIu64, settings->seed);
	json = json_pack("{s:i, s:s, s:s, s:I, s:I, s:f, s:i, s:I, s:o, s:o, s:b, s:i, s:o}",
			 "device", settings->device, "seed", seed, "cache",
			 cache_names[settings->cache], "min_samples",
			 (json_int_t)settings->min_samples, "max_time_ns",
			 (json_int_t)settings->max_time_ns, "precision", settings->precision,
			 "rounds", settings->rounds, "timeout_ns", (json_int_t)settings->timeout_ns,
			 "metrics", json_strings(&settings->metrics), "chip",
			 json_text(settings->chip), "all_blocks", (int)settings->all_blocks, "jobs",
			 settings->jobs, "counter_dump", json_text(settings->counter_dump));
	json_object_set_new(json, "placements", json_integer(settings->placements));
	/* Workers do not need the variant. It is here because shards of a sweep agree on their
	 * settings. */
	if (settings->base_variant)
		json_object_set_new(json, "base_variant", json_text(settings->base_variant));
	return json;
}

static int numbers_from_json(struct measure_settings *out, const json_t *json, struct error *err)
{
	int64_t device = 0;
	int64_t rounds = 0;
	int64_t placements = 1; /* settings that an older perflab wrote lack it */
	int rc;

	rc = member_int64(&device, json, "device", 0, PROTOCOL_MAX_DEVICES - 1, err);
	if (!rc)
		rc = member_int64(&out->min_samples, json, "min_samples", 1, PROTOCOL_MAX_SAMPLES,
				  err);
	if (!rc)
		rc = member_int64(&out->max_time_ns, json, "max_time_ns", 1, INT64_MAX, err);
	if (!rc)
		rc = member_real(&out->precision, json, "precision", err);
	if (!rc && !(out->precision > 0 && out->precision < 1))
		rc = error_set(err, PL_EPROTOCOL, "'precision' is not between 0 and 1");
	if (!rc)
		rc = member_int64(&rounds, json, "rounds", 1, PROTOCOL_MAX_ROUNDS, err);
	if (!rc)
		rc = json_object_get(json, "placements")
			     ? member_int64(&placements, json, "placements", 1,
					    PROTOCOL_MAX_PLACEMENTS, err)
			     : 0;
	if (!rc)
		rc = member_int64(&out->timeout_ns, json, "timeout_ns", 1, INT64_MAX, err);
	out->device = (int)device;
	out->rounds = (int)rounds;
	out->placements = (int)placements;
	return rc;
}

/* Optional members: settings that an older perflab wrote lack them. */
static int emulator_from_json(struct measure_settings *out, const char **chip, const json_t *json,
			      struct error *err)
{
	int64_t jobs = 0;
	int rc = 0;

	if (json_object_get(json, "chip"))
		rc = member_borrow(chip, json, "chip", true, err);
	if (!rc && json_object_get(json, "all_blocks"))
		rc = member_bool(&out->all_blocks, json, "all_blocks", err);
	if (!rc && json_object_get(json, "jobs"))
		rc = member_int64(&jobs, json, "jobs", 0, INT32_MAX, err);
	out->jobs = (int)jobs;
	return rc;
}

int settings_from_json(struct measure_settings *out, const json_t *json, struct error *err)
{
	struct measure_settings settings = {0};
	const char *seed = NULL;
	const char *cache = NULL;
	const char *dump = NULL;
	const char *chip = NULL;
	int rc;

	rc = numbers_from_json(&settings, json, err);
	if (!rc)
		rc = member_borrow(&seed, json, "seed", false, err);
	if (!rc && parse_u64(&settings.seed, seed, NULL))
		rc = error_set(err, PL_EPROTOCOL, "'seed' is not a string of decimal digits");
	if (!rc)
		rc = member_borrow(&cache, json, "cache", false, err);
	if (!rc && strcmp(cache, "cold") && strcmp(cache, "hot"))
		rc = error_set(err, PL_EPROTOCOL, "'cache' is neither 'cold' nor 'hot'");
	if (!rc)
		rc = member_borrow(&dump, json, "counter_dump", true, err);
	if (!rc)
		rc = emulator_from_json(&settings, &chip, json, err);
	if (!rc)
		rc = member_strings(&settings.metrics, json, "metrics", PROTOCOL_MAX_METRICS, err);
	if (rc) {
		measure_settings_release(&settings);
		return error_context(err, rc, "settings");
	}
	settings.cache = strcmp(cache, "hot") ? CACHE_COLD : CACHE_HOT;
	settings.counter_dump = dump ? xstrdup(dump) : NULL;
	settings.chip = chip ? xstrdup(chip) : NULL;
	*out = settings;
	return 0;
}
