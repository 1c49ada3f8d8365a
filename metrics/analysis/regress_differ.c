/* What differs between two runs beside the code that was measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/regress.h"
#include "metrics/analysis/regress_parts.h"

/* NVML's reasons that hold a clock back for power or heat: software power cap, hardware slow-down,
 * software and hardware thermal slow-down, power brake. Idle and chosen clocks are none. */
#define THROTTLE_MASK 0xec
/* Clocks that differ by less are steps of the same state (15 MHz of 1980 on an H200). */
#define CLOCK_APART 0.02
#define THROTTLED_APART 0.5

struct round_clocks round_clocks_of(const struct round_summary *rounds, size_t count)
{
	struct round_clocks clocks = {0, 0, 0, 0};
	size_t sm = 0, memory = 0;

	for (size_t i = 0; i < count; i++) {
		const struct device_state *state = &rounds[i].state;

		if (state->sm_clock_hz > 0) {
			clocks.sm_hz += state->sm_clock_hz;
			sm++;
		}
		if (state->memory_clock_hz > 0) {
			clocks.memory_hz += state->memory_clock_hz;
			memory++;
		}
		if (state->throttle_reasons >= 0) {
			clocks.throttled += (state->throttle_reasons & THROTTLE_MASK) != 0;
			clocks.count++;
		}
	}
	clocks.sm_hz = sm ? clocks.sm_hz / (double)sm : NAN;
	clocks.memory_hz = memory ? clocks.memory_hz / (double)memory : NAN;
	return clocks;
}

static struct round_clocks clocks_of_run(const struct run *run)
{
	struct round_summary *rounds;
	struct round_clocks clocks;
	size_t count = 0, at = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		count += run->trials[i].round_count;
	rounds = xcalloc(count ? count : 1, sizeof(*rounds));
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		for (size_t k = 0; k < trial->round_count; k++)
			rounds[at++] = trial->rounds[k];
	}
	clocks = round_clocks_of(rounds, count);
	free(rounds);
	return clocks;
}

static struct regress_difference *add(struct regress_differences *out, const char *what, char *base,
				      char *head)
{
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count] =
		(struct regress_difference){.what = what, .base = base, .head = head};
	return &out->items[out->count++];
}

/* Known of one run only, they may be the same or not: that is said, and refuses nothing. */
static void differ_text(struct regress_differences *out, const char *what, const char *base,
			const char *head, bool refuses)
{
	const bool of_base = base && *base, of_head = head && *head;

	if (of_base && of_head ? strcmp(base, head) == 0 : of_base == of_head)
		return;
	add(out, what, xstrdup(of_base ? base : "not known"), xstrdup(of_head ? head : "not known"))
		->refuses = refuses && of_base && of_head;
}

static void differ_environment(struct regress_differences *out, const char *what, const char *key,
			       const struct run *base, const struct run *head, bool refuses)
{
	differ_text(out, what, key_value_get(&base->environment, key),
		    key_value_get(&head->environment, key), refuses);
}

/* What is stored only where there is one. */
static void differ_presence(struct regress_differences *out, const char *key,
			    const struct run *base, const struct run *head)
{
	const char *of_base = key_value_get(&base->environment, key);
	const char *of_head = key_value_get(&head->environment, key);

	differ_text(out, key, of_base ? of_base : "none", of_head ? of_head : "none", true);
}

/* Two of a name are one only if their uuids are, where both are known. */
static void differ_device(struct regress_differences *out, const struct device_info *base,
			  const struct device_info *head)
{
	const bool uuids = base->uuid[0] && head->uuid[0] && strcmp(base->uuid, head->uuid) != 0;

	if (!uuids && strcmp(base->name, head->name) == 0)
		return;
	add(out, "device",
	    xasprintf("%s%s%s", base->name, uuids ? " " : "", uuids ? base->uuid : ""),
	    xasprintf("%s%s%s", head->name, uuids ? " " : "", uuids ? head->uuid : ""))
		->refuses = true;
}

static void differ_clock(struct regress_differences *out, const char *what, double base,
			 double head)
{
	if (!(fabs(head / base - 1) > CLOCK_APART))
		return;
	add(out, what, xasprintf("%.0f MHz", base / 1e6), xasprintf("%.0f MHz", head / 1e6))
		->refuses = true;
}

static void differ_clocks(struct regress_differences *out, const struct run *base,
			  const struct run *head)
{
	struct round_clocks before = clocks_of_run(base), after = clocks_of_run(head);
	double throttled_before = (double)before.throttled / (double)before.count;
	double throttled_after = (double)after.throttled / (double)after.count;

	differ_clock(out, "SM clock", before.sm_hz, after.sm_hz);
	differ_clock(out, "memory clock", before.memory_hz, after.memory_hz);
	if (fabs(throttled_after - throttled_before) > THROTTLED_APART)
		add(out, "throttling", xasprintf("%.0f %% of rounds", 100 * throttled_before),
		    xasprintf("%.0f %% of rounds", 100 * throttled_after))
			->refuses = true;
}

/* NULL: not known, or the run has no times that it could affect. */
static const char *cache_mode_of(const struct run *run)
{
	if (!run->has_settings || !run->traits.timed)
		return NULL;
	return run->settings.cache == CACHE_COLD ? "cold" : "hot";
}

static bool has_times(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].round_count)
			return true;
	return false;
}

void regress_differ(struct regress_differences *out, const struct run *base, const struct run *head)
{
	/* counts of an emulator depend on nothing of the host's */
	const bool timed = has_times(base) && has_times(head);
	char seeds[2][24];

	if (base->backend && head->backend && strcmp(base->backend, head->backend) != 0) {
		struct regress_difference *backend =
			add(out, "backend", xstrdup(base->backend), xstrdup(head->backend));

		backend->refuses = backend->never = true;
	}
	differ_device(out, &base->device, &head->device);
	differ_text(out, "driver", base->device.driver, head->device.driver, true);
	differ_text(out, "toolkit", base->device.toolkit, head->device.toolkit, true);
	differ_environment(out, "build type", "build_type", base, head, timed);
	if (timed)
		differ_presence(out, "sanitizer", base, head);
	differ_text(out, "cache", cache_mode_of(base), cache_mode_of(head), true);
	differ_presence(out, "profiler", base, head);
	differ_environment(out, "power limit, W", "gpu.power_limit_w", base, head, true);
	differ_environment(out, "MIG", "gpu.mig", base, head, true);
	differ_environment(out, "ECC", "gpu.ecc", base, head, true);
	differ_clocks(out, base, head);
	differ_text(out, "CUPTI", base->device.cupti, head->device.cupti, false);
	differ_text(out, "perflab", base->version, head->version, false);
	differ_environment(out, "host", "host", base, head, false);
	snprintf(seeds[0], sizeof(seeds[0]), "%llu", (unsigned long long)base->seed);
	snprintf(seeds[1], sizeof(seeds[1]), "%llu", (unsigned long long)head->seed);
	differ_text(out, "seed of inputs", seeds[0], seeds[1], false);
}

void regress_differences_release(struct regress_differences *differences)
{
	for (size_t i = 0; i < differences->count; i++) {
		free(differences->items[i].base);
		free(differences->items[i].head);
	}
	free(differences->items);
	*differences = (struct regress_differences){0};
}
