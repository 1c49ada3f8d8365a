/* What a request has besides its case: settings, and ranges of shared data. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/protocol/protocol.h"
#include "metrics/settings.h"

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

static int settings_members_from_json(struct measure_settings *out, const json_t *json,
				      struct error *err)
{
	/* settings that an older perflab wrote lack the members of these */
	int64_t placements = 1, jobs = 0;
	const char *chip = NULL;
	int64_t device, rounds;
	const char *seed, *cache, *dump;

	if (member_int64(&device, json, "device", 0, PROTOCOL_MAX_DEVICES - 1, err) ||
	    member_int64(&out->min_samples, json, "min_samples", 1, PROTOCOL_MAX_SAMPLES, err) ||
	    member_int64(&out->max_time_ns, json, "max_time_ns", 1, INT64_MAX, err) ||
	    member_real(&out->precision, json, "precision", err))
		return PL_EPROTOCOL;
	if (!(out->precision > 0 && out->precision < 1))
		return error_set(err, PL_EPROTOCOL, "'precision' is not between 0 and 1");
	if (member_int64(&rounds, json, "rounds", 1, PROTOCOL_MAX_ROUNDS, err) ||
	    (json_object_get(json, "placements") &&
	     member_int64(&placements, json, "placements", 1, PROTOCOL_MAX_PLACEMENTS, err)) ||
	    member_int64(&out->timeout_ns, json, "timeout_ns", 1, INT64_MAX, err) ||
	    member_borrow(&seed, json, "seed", false, err))
		return PL_EPROTOCOL;
	if (parse_u64(&out->seed, seed, NULL))
		return error_set(err, PL_EPROTOCOL, "'seed' is not a string of decimal digits");
	if (member_borrow(&cache, json, "cache", false, err))
		return PL_EPROTOCOL;
	if (strcmp(cache, "cold") && strcmp(cache, "hot"))
		return error_set(err, PL_EPROTOCOL, "'cache' is neither 'cold' nor 'hot'");
	if (member_borrow(&dump, json, "counter_dump", true, err) ||
	    (json_object_get(json, "chip") && member_borrow(&chip, json, "chip", true, err)) ||
	    (json_object_get(json, "all_blocks") &&
	     member_bool(&out->all_blocks, json, "all_blocks", err)) ||
	    (json_object_get(json, "jobs") &&
	     member_int64(&jobs, json, "jobs", 0, INT32_MAX, err)) ||
	    member_strings(&out->metrics, json, "metrics", PROTOCOL_MAX_METRICS, err))
		return PL_EPROTOCOL;
	out->device = (int)device;
	out->rounds = (int)rounds;
	out->placements = (int)placements;
	out->jobs = (int)jobs;
	out->cache = strcmp(cache, "hot") ? CACHE_COLD : CACHE_HOT;
	out->counter_dump = dump ? xstrdup(dump) : NULL;
	out->chip = chip ? xstrdup(chip) : NULL;
	return 0;
}

int settings_from_json(struct measure_settings *out, const json_t *json, struct error *err)
{
	struct measure_settings settings = {0};
	int rc = settings_members_from_json(&settings, json, err);

	if (rc) {
		measure_settings_release(&settings);
		return error_context(err, rc, "settings");
	}
	*out = settings;
	return 0;
}

json_t *range_to_json(const struct data_range *range)
{
	return json_pack("{s:s, s:I, s:I, s:b}", "key", range->key, "offset",
			 (json_int_t)range->offset, "bytes", (json_int_t)range->bytes, "fill",
			 (int)range->fill);
}

static int range_from_json(struct data_range *out, const json_t *json, struct error *err)
{
	const int64_t page = sysconf(_SC_PAGESIZE);

	if (member_string(out->key, sizeof(out->key), json, "key", err))
		return PL_EPROTOCOL;
	if (strspn(out->key, "0123456789abcdef") != HASH_TEXT_BYTES - 1)
		return error_set(err, PL_EPROTOCOL, "'key' is not %d hexadecimal digits",
				 HASH_TEXT_BYTES - 1);
	if (member_int64(&out->offset, json, "offset", 0, INT64_MAX / 2, err))
		return PL_EPROTOCOL;
	if (out->offset % page)
		return error_set(err, PL_EPROTOCOL, "'offset' is no multiple of %lld",
				 (long long)page);
	if (member_int64(&out->bytes, json, "bytes", 1, INT64_MAX / 2, err))
		return PL_EPROTOCOL;
	return member_bool(&out->fill, json, "fill", err);
}

int ranges_from_json(struct data_range **out, size_t *count, const json_t *request,
		     struct error *err)
{
	const json_t *element;
	json_t *array;
	size_t i;

	*out = NULL;
	*count = 0;
	if (!json_object_get(request, "data"))
		return 0;
	if (member_array(&array, request, "data", PROTOCOL_MAX_RANGES, err))
		return PL_EPROTOCOL;
	*out = xcalloc(json_array_size(array) + 1, sizeof(**out));
	*count = json_array_size(array);
	json_array_foreach(array, i, element)
	{
		if (!range_from_json(&(*out)[i], element, err))
			continue;
		free(*out);
		*out = NULL;
		*count = 0;
		return error_context(err, PL_EPROTOCOL, "element %zu of 'data'", i);
	}
	return 0;
}
