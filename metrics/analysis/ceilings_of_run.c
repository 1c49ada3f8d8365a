/*
 * Computes ceilings from the trials of the kernel `ceilings`. The name of a variant
 * begins with the level or precision that it measures: "dram_copy",
 * "tensor_f16_wgmma". The view `ceilings` of the database does the same in SQL.
 */
#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* True for "tensor_f16" and "tensor_f16_wgmma" with the word "tensor_f16", false for "tensor_f16x".
 */
static bool begins_with_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	return strncmp(name, word, length) == 0 && (name[length] == '_' || !name[length]);
}

static bool parse_ceiling_name(struct ceiling *out, const char *name)
{
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		if (begins_with_word(name, memory_level_name((enum memory_level)i))) {
			out->kind = CEILING_BANDWIDTH;
			out->of.level = (enum memory_level)i;
			return true;
		}
	for (int i = 0; i < PRECISION_COUNT; i++)
		if (begins_with_word(name, precision_name((enum precision)i))) {
			out->kind = CEILING_RATE;
			out->of.precision = (enum precision)i;
			return true;
		}
	return false;
}

const char *ceiling_of_name(const struct ceiling *ceiling)
{
	return ceiling->kind == CEILING_BANDWIDTH ? memory_level_name(ceiling->of.level)
						  : precision_name(ceiling->of.precision);
}

const char *ceiling_unit(const struct ceiling *ceiling)
{
	return ceiling->kind == CEILING_BANDWIDTH ? "byte/s" : "flop/s";
}

bool ceiling_of_trial(struct ceiling *out, const struct trial *trial,
		      const struct device_info *device)
{
	const struct summary *time = &trial->summary;
	struct ceiling found = {.trial_id = trial->id, .sm_clock_hz = NAN};
	double work;

	if (!trial->kernel || strcmp(trial->kernel, CEILINGS_KERNEL) != 0 || !trial->variant ||
	    trial->status != TRIAL_OK || !trial->has_work || !(time->median_ns > 0) ||
	    !parse_ceiling_name(&found, trial->variant))
		return false;
	work = found.kind == CEILING_BANDWIDTH
		       ? (double)trial->bytes_read + (double)trial->bytes_written
		       : (double)trial->flop;
	if (!(work > 0))
		return false;
	if (found.kind == CEILING_BANDWIDTH) {
		found.read_bytes = (double)trial->bytes_read;
		found.written_bytes = (double)trial->bytes_written;
	}
	found.per_s = 1e9 * work / time->median_ns;
	found.low_per_s = time->high_ns > 0 ? 1e9 * work / time->high_ns : NAN;
	found.high_per_s = time->low_ns > 0 ? 1e9 * work / time->low_ns : NAN;
	found.peak_per_s = found.kind == CEILING_BANDWIDTH
				   ? device_peak_bandwidth(device, found.of.level)
				   : device_peak_rate(device, found.of.precision);
	snprintf(found.name, sizeof(found.name), "%s", trial->variant);
	snprintf(found.config, sizeof(found.config), "%s", trial->config ? trial->config : "");
	*out = found;
	return true;
}

void ceiling_list_offer(struct ceiling_list *list, const struct ceiling *offered)
{
	for (size_t i = 0; i < list->count; i++) {
		struct ceiling *there = &list->items[i];

		if (strcmp(there->name, offered->name) != 0)
			continue;
		if (there->run_id == offered->run_id && offered->per_s > there->per_s)
			*there = *offered;
		return;
	}
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = *offered;
}

void ceilings_of_run(struct ceiling_list *out, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		struct ceiling found;

		if (!ceiling_of_trial(&found, &run->trials[i], &run->device))
			continue;
		found.run_id = run->id;
		found.time_ns = run->started_ns;
		ceiling_list_offer(out, &found);
	}
}
