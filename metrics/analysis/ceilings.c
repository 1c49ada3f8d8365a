#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *memory_level_name(enum memory_level level)
{
	static const char *const names[] = {
#define X(symbol, name, metric, meaning) [symbol] = name,
		MEMORY_LEVEL_LIST(X)
#undef X
	};

	return names[level];
}

const char *precision_name(enum precision precision)
{
	static const char *const names[] = {
#define X(symbol, name, metric, meaning) [symbol] = name,
		PRECISION_LIST(X)
#undef X
	};

	return names[precision];
}

static const struct ceiling *highest(const struct ceiling_list *list, enum ceiling_kind kind,
				     int of)
{
	const struct ceiling *found = NULL;

	for (size_t i = 0; list && i < list->count; i++) {
		const struct ceiling *item = &list->items[i];
		bool matches = item->kind == kind &&
			       (kind == CEILING_BANDWIDTH ? (int)item->of.level == of
							  : (int)item->of.precision == of);

		if (matches && isnormal(item->per_s) && item->per_s > 0 &&
		    (!found || item->per_s > found->per_s))
			found = item;
	}
	return found;
}

const struct ceiling *ceiling_of_level(const struct ceiling_list *list, enum memory_level level)
{
	return highest(list, CEILING_BANDWIDTH, (int)level);
}

const struct ceiling *ceiling_of_precision(const struct ceiling_list *list,
					   enum precision precision)
{
	return highest(list, CEILING_RATE, (int)precision);
}

const struct ceiling *ceiling_of_mix(const struct ceiling_list *list, enum memory_level level,
				     double read_share)
{
	const struct ceiling *found = NULL;
	double least = INFINITY;

	for (size_t i = 0; list && i < list->count; i++) {
		const struct ceiling *item = &list->items[i];
		double bytes = item->read_bytes + item->written_bytes, apart;

		if (item->kind != CEILING_BANDWIDTH || item->of.level != level || !(bytes > 0) ||
		    !isnormal(item->per_s) || item->per_s < 0)
			continue;
		apart = fabs(item->read_bytes / bytes - read_share);
		if (apart < least || (apart == least && item->per_s > found->per_s)) {
			least = apart;
			found = item;
		}
	}
	return found;
}

void rate_text(struct text *out, double per_s, enum ceiling_kind kind)
{
	static const struct {
		double size;
		const char *prefix;
	} scales[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0, ""}};
	size_t i = 0;
	double value;

	while (per_s < scales[i].size)
		i++;
	value = scales[i].size > 0 ? per_s / scales[i].size : per_s;
	if (value < 1e6)
		text_addf(out, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
	else
		text_addf(out, "%.3g", value);
	text_addf(out, " %s%s", scales[i].prefix, kind == CEILING_BANDWIDTH ? "B/s" : "FLOP/s");
}

void ceiling_list_release(struct ceiling_list *list)
{
	free(list->items);
	*list = (struct ceiling_list){0};
}

/* ---- theoretical peaks ---- */

/*
 * Theoretical peaks, computed as in datasheets: the work of a multiprocessor per
 * clock, times the number of multiprocessors, times the highest clock that the
 * device reports. No device keeps that clock under every load, so measured
 * ceilings are lower.
 *
 * There is no peak if NVIDIA states no number, or if products of one compute
 * capability differ (tensor cores of GeForce and workstation cards).
 */

/*
 * Dense fused multiply-adds per clock and multiprocessor; tensor cores sum in f32.
 * 0: none, or not stated. Sources: the CUDA C++ Programming Guide, "Throughput of
 * Native Arithmetic Instructions", and the peak rates in NVIDIA's white papers,
 * divided by SMs and boost clock: Tesla V100 (WP-08608), T4 (WP-09183), A100
 * (NVIDIA A100 Tensor Core GPU Architecture), GA102, Ada AD102, H100 (NVIDIA H100
 * Tensor Core GPU Architecture, SXM5), and the datasheets of B200 and RTX 5090.
 */
static const struct {
	int cc_major, cc_minor;
	int per_clock[PRECISION_COUNT]; /* in the order of PRECISION_LIST */
} rates[] = {
	/*        f64  f32  f16 bf16 | f64 tf32  f16  bf16   f8 on tensor cores */
	{7, 0, {32, 64, 128, 0, 0, 0, 512, 0, 0}},
	{7, 5, {2, 64, 128, 0, 0, 0, 0, 0, 0}},
	{8, 0, {32, 64, 256, 128, 64, 512, 1024, 1024, 0}},
	{8, 6, {2, 128, 128, 128, 0, 0, 0, 0, 0}},
	{8, 9, {2, 128, 128, 128, 0, 0, 0, 0, 0}},
	{9, 0, {64, 128, 256, 256, 128, 1024, 2048, 2048, 4096}},
	{10, 0, {64, 128, 0, 0, 0, 0, 0, 0, 0}},
	{12, 0, {2, 128, 128, 128, 0, 0, 0, 0, 0}},
};

/*
 * Bytes per clock: of the L2 for the whole device (the white paper of A100 states
 * 5120, and 2048 for V100), of L1 per multiprocessor (white papers of V100,
 * Turing, A100, GA102). Shared memory has 32 banks of 4 bytes on all devices
 * (Programming Guide).
 */
static const struct {
	int cc_major, cc_minor;
	int l2, l1;
} bytes_per_clock[] = {
	{7, 0, 2048, 128}, {7, 5, 0, 64},  {8, 0, 5120, 128},
	{8, 6, 0, 128},    {8, 9, 0, 128}, {9, 0, 0, 128},
};
#define SHARED_BYTES_PER_CLOCK 128
#define DATA_PER_MEMORY_CLOCK 2 /* the memories of these devices transfer data on both edges */

static double positive_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

double device_peak_rate(const struct device_info *device, enum precision precision)
{
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].cc_major == device->cc_major && rates[i].cc_minor == device->cc_minor)
			return positive_or_nan(2.0 * rates[i].per_clock[precision] *
					       (double)device->sm_count *
					       (double)device->sm_clock_max_hz);
	return NAN;
}

static double cache_bandwidth(const struct device_info *device, enum memory_level level)
{
	double clock_hz = (double)device->sm_clock_max_hz, sm_count = (double)device->sm_count;

	for (size_t i = 0; i < ARRAY_SIZE(bytes_per_clock); i++)
		if (bytes_per_clock[i].cc_major == device->cc_major &&
		    bytes_per_clock[i].cc_minor == device->cc_minor)
			return positive_or_nan(level == LEVEL_L2 ? bytes_per_clock[i].l2 * clock_hz
								 : bytes_per_clock[i].l1 *
									   sm_count * clock_hz);
	return NAN;
}

double device_peak_bandwidth(const struct device_info *device, enum memory_level level)
{
	switch (level) {
	case LEVEL_DRAM:
		return positive_or_nan(DATA_PER_MEMORY_CLOCK * (double)device->memory_clock_max_hz *
				       (double)device->memory_bus_bits / 8);
	case LEVEL_SHARED:
		return positive_or_nan(SHARED_BYTES_PER_CLOCK * (double)device->sm_count *
				       (double)device->sm_clock_max_hz);
	case LEVEL_L2:
	case LEVEL_L1:
		return cache_bandwidth(device, level);
	case MEMORY_LEVEL_COUNT:
		break;
	}
	return NAN;
}

/* ---- ceilings of a run ---- */

/*
 * Computes ceilings from the trials of the kernel `ceilings`. The name of a variant
 * begins with the level or precision that it measures: "dram_copy",
 * "tensor_f16_wgmma". The view `ceilings` of the database does the same in SQL.
 */

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
	found.low_per_s = time->session_high_ns > 0 ? 1e9 * work / time->session_high_ns : NAN;
	found.high_per_s = time->session_low_ns > 0 ? 1e9 * work / time->session_low_ns : NAN;
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
