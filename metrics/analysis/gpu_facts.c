/* The facts of a run in a sweep on several GPUs: how the database stores them as text. */
#include "metrics/analysis/gpu_group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- interference ---- */

/* "+0.9 % for reduce/x/block=64 (95 % interval -0.0 to +1.8 %)" */
static const char before[] = " % for ", within[] = " (95 % interval ";

static char *sentinel_key(size_t i)
{
	return xasprintf(GPUS_INTERFERENCE_KEY ".%zu", i);
}

const char *gpu_sentinel_fact_add(struct key_value_list *facts, size_t i, const char *name,
				  const struct effect *effect)
{
	char *key = sentinel_key(i);
	char *text = xasprintf("%+.1f%s%s%s%+.1f to %+.1f %%)", 100 * effect->change, before, name,
			       within, 100 * effect->low, 100 * effect->high);
	const char *stored;

	key_value_set(facts, key, text);
	stored = key_value_get(facts, key);
	free(text);
	free(key);
	return stored;
}

bool gpu_sentinel_fact_of(struct gpu_sentinel_fact *out, const struct run *run, size_t i)
{
	char *key = sentinel_key(i);
	const char *text = key_value_get(&run->environment, key);
	const char *name = text ? strstr(text, before) : NULL, *end = NULL;
	double low, high;

	free(key);
	*out = (struct gpu_sentinel_fact){.text = text, .change = NAN, .low = NAN, .high = NAN};
	if (!text)
		return false;
	if (name)
		name += strlen(before);
	for (const char *next = name; next && (next = strstr(next, within)); next++)
		end = next;
	if (!end || sscanf(end + strlen(within), "%lf to %lf %%)", &low, &high) != 2)
		return true;
	*out = (struct gpu_sentinel_fact){.text = text,
					  .change = strtod(text, NULL) / 100,
					  .low = low / 100,
					  .high = high / 100,
					  .name = name,
					  .name_length = (size_t)(end - name)};
	return true;
}

/* ---- GPUs without a run ---- */

/* The key has the number of the GPU, the value its UUID and the reason. */
static const char between[] = ": ";

void gpu_absence_add(struct key_value_list *facts, int64_t number, const char *uuid,
		     const char *reason)
{
	char *key = xasprintf(GPUS_ABSENT_PREFIX "%lld", (long long)number);
	char *value = xasprintf("%s%s%s", uuid, between, reason);

	key_value_set(facts, key, value);
	free(value);
	free(key);
}

bool gpu_absence_next(struct gpu_absence *out, const struct run *run, size_t *at)
{
	const struct key_value_list *facts = &run->environment;

	while (*at < facts->count) {
		const struct key_value *fact = &facts->items[(*at)++];
		const size_t prefix = strlen(GPUS_ABSENT_PREFIX);
		const char *end;

		if (strncmp(fact->key, GPUS_ABSENT_PREFIX, prefix) != 0 ||
		    parse_i64(&out->number, fact->key + prefix, NULL) || out->number < 0)
			continue;
		end = strstr(fact->value, between);
		out->uuid = fact->value;
		out->uuid_length = end ? (size_t)(end - fact->value) : 0;
		out->reason = end ? end + strlen(between) : fact->value;
		return true;
	}
	return false;
}
