/* Two runs beside each other: which cases they share, how their environments differ, and how their
 * devices do. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/regress.h"
#include "metrics/analysis/statistics.h"

/* ---- pairs ---- */

static int by_case(const void *left, const void *right)
{
	const struct trial *a = *(const struct trial *const *)left;
	const struct trial *b = *(const struct trial *const *)right;
	int order = strcmp(a->kernel, b->kernel);

	if (!order)
		order = strcmp(a->variant, b->variant);
	return order ? order : strcmp(a->config, b->config);
}

/* A damaged database may lack names, and then the case cannot be paired. */
static bool has_name(const struct trial *trial)
{
	return trial->kernel && trial->variant && trial->config;
}

static const struct trial **sorted_trials(const struct run *run, size_t *count)
{
	const struct trial **sorted =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(const struct trial *));

	*count = 0;
	for (size_t i = 0; i < run->trial_count; i++)
		if (has_name(&run->trials[i]))
			sorted[(*count)++] = &run->trials[i];
	qsort(sorted, *count, sizeof(const struct trial *), by_case);
	return sorted;
}

/* Returns NULL if the case is not in the list. */
static const struct trial *find_case(const struct trial *trial, const struct trial *const *sorted,
				     size_t count)
{
	const struct trial *const *at =
		bsearch(&trial, sorted, count, sizeof(const struct trial *), by_case);

	return at ? *at : NULL;
}

static bool may_be_same(const char *base, const char *head)
{
	return !*base || !*head || strcmp(base, head) == 0;
}

void regress_pair_set_runs(struct regress_pair *pair, const struct run *base,
			   const struct run *head, const struct noise *noise)
{
	pair->base_seed = base->seed;
	pair->head_seed = head->seed;
	pair->base_test = sequential_test_of_run(base);
	pair->head_test = sequential_test_of_run(head);
	pair->noise = *noise;
	pair->same_toolchain = may_be_same(base->device.driver, head->device.driver) &&
			       may_be_same(base->device.toolkit, head->device.toolkit);
}

size_t regress_pairs(struct regress_pair **out, const struct run *base, const struct run *head)
{
	size_t base_count, head_count, count = 0;
	const struct trial **bases = sorted_trials(base, &base_count);
	const struct trial **heads = sorted_trials(head, &head_count);
	const struct noise noise = noise_of_runs((const struct run *const[]){base, head}, 2);
	struct regress_pair of_runs = {0};

	regress_pair_set_runs(&of_runs, base, head, &noise);
	*out = xcalloc(base_count + head_count + 1, sizeof(**out));
	for (size_t i = 0; i < head->trial_count; i++) {
		const struct trial *trial = &head->trials[i];

		if (!has_name(trial))
			continue;
		of_runs.base = find_case(trial, bases, base_count);
		of_runs.head = trial;
		(*out)[count++] = of_runs;
	}
	of_runs.head = NULL;
	for (size_t i = 0; i < base->trial_count; i++) {
		of_runs.base = &base->trials[i];
		if (has_name(of_runs.base) && !find_case(of_runs.base, heads, head_count))
			(*out)[count++] = of_runs;
	}
	free(bases);
	free(heads);
	return count;
}

/* ---- environments ---- */

/* Clocks with a smaller relative difference are steps of one state (15 MHz of 1980 on an H200). */
#define CLOCK_APART 0.02
#define THROTTLED_APART 0.5

static struct round_clocks clocks_of_run(const struct run *run)
{
	struct round_summary *rounds = NULL;
	struct round_clocks clocks;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		for (size_t k = 0; k < run->trials[i].round_count; k++) {
			rounds = xgrow(rounds, &capacity, count + 1, sizeof(*rounds));
			rounds[count++] = run->trials[i].rounds[k];
		}
	clocks = round_clocks_of(rounds, count);
	free(rounds);
	return clocks;
}

/* Takes ownership of both texts. */
static struct regress_difference *list_difference(struct regress_differences *out, const char *what,
						  char *base, char *head)
{
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count] =
		(struct regress_difference){.what = what, .base = base, .head = head};
	return &out->items[out->count++];
}

/* If only one run knows the value, the difference is reported but never refuses the comparison. */
static void compare_texts(struct regress_differences *out, const char *what, const char *base,
			  const char *head, bool refuses)
{
	const bool of_base = base && *base, of_head = head && *head;

	if (of_base && of_head ? strcmp(base, head) == 0 : of_base == of_head)
		return;
	list_difference(out, what, xstrdup(of_base ? base : "not known"),
			xstrdup(of_head ? head : "not known"))
		->refuses = refuses && of_base && of_head;
}

static void compare_environment(struct regress_differences *out, const char *what, const char *key,
				const struct run *base, const struct run *head, bool refuses)
{
	compare_texts(out, what, key_value_get(&base->environment, key),
		      key_value_get(&head->environment, key), refuses);
}

/* For keys that a run stores only if they apply: a missing key means "none". */
static void compare_presence(struct regress_differences *out, const char *what, const char *key,
			     const struct run *base, const struct run *head)
{
	const char *of_base = key_value_get(&base->environment, key);
	const char *of_head = key_value_get(&head->environment, key);

	compare_texts(out, what, of_base ? of_base : "none", of_head ? of_head : "none", true);
}

/* Two devices of the same name differ if both uuids are known and differ. */
static void compare_devices(struct regress_differences *out, const struct device_info *base,
			    const struct device_info *head)
{
	const bool uuids = base->uuid[0] && head->uuid[0] && strcmp(base->uuid, head->uuid) != 0;

	if (!uuids && strcmp(base->name, head->name) == 0)
		return;
	list_difference(out, "device",
			xasprintf("%s%s%s", base->name, uuids ? " " : "", uuids ? base->uuid : ""),
			xasprintf("%s%s%s", head->name, uuids ? " " : "", uuids ? head->uuid : ""))
		->refuses = true;
}

static void compare_clock(struct regress_differences *out, const char *what, double base,
			  double head)
{
	if (!(fabs(head / base - 1) > CLOCK_APART))
		return;
	list_difference(out, what, xasprintf("%.0f MHz", base / 1e6),
			xasprintf("%.0f MHz", head / 1e6))
		->refuses = true;
}

static void compare_clocks(struct regress_differences *out, const struct run *base,
			   const struct run *head)
{
	struct round_clocks before = clocks_of_run(base), after = clocks_of_run(head);
	double throttled_before = (double)before.throttled / (double)before.count;
	double throttled_after = (double)after.throttled / (double)after.count;

	compare_clock(out, "SM clock", before.sm_hz, after.sm_hz);
	compare_clock(out, "memory clock", before.memory_hz, after.memory_hz);
	if (fabs(throttled_after - throttled_before) > THROTTLED_APART)
		list_difference(out, "throttling",
				xasprintf("%.0f %% of rounds", 100 * throttled_before),
				xasprintf("%.0f %% of rounds", 100 * throttled_after))
			->refuses = true;
}

/* Lists it only if another process used the GPU during one of the runs: older runs do not know. */
static void compare_sharing(struct regress_differences *out, const struct run *base,
			    const struct run *head)
{
	static const char key[] = "gpu.other_processes";
	const char *of_base = key_value_get(&base->environment, key);
	const char *of_head = key_value_get(&head->environment, key);

	if ((of_base && strcmp(of_base, "0") != 0) || (of_head && strcmp(of_head, "0") != 0))
		compare_texts(out, "other processes on the GPU", of_base, of_head, false);
}

/* Another check or tolerance may accept another result. */
static void compare_checks(struct regress_differences *out, const struct run *base,
			   const struct run *head)
{
	static const char prefix[] = SOURCE_CHECK_PREFIX;

	for (size_t i = 0; i < base->environment.count; i++) {
		const struct key_value *of_base = &base->environment.items[i];
		const char *variant = of_base->key + strlen(prefix), *of_head;

		if (strncmp(of_base->key, prefix, strlen(prefix)) != 0)
			continue;
		of_head = key_value_get(&head->environment, of_base->key);
		if (of_head && strcmp(of_base->value, of_head) != 0)
			list_difference(out, "check", xasprintf("%s: %s", variant, of_base->value),
					xstrdup(of_head));
	}
}

/* The cache mode as `--cache` names it. NULL: not known, or the backend measures no times. */
static const char *cache_mode_of(const struct run *run)
{
	if (!run->has_settings || !run->traits.timed)
		return NULL;
	return run->settings.cache == CACHE_HOT ? "hot" : "cold";
}

/* Whether the cost of the events was taken off the times. NULL: not known, because there are none,
 * or another program measured them. */
static const char *event_cost_of(const struct run *run)
{
	const char *included = NULL;

	if (!run->has_settings || !run->traits.timed)
		return NULL;
	for (size_t i = 0; i < run->trial_count; i++)
		for (size_t r = 0; r < run->trials[i].round_count; r++) {
			if (run->trials[i].rounds[r].state.event_ns > 0)
				return "taken off";
			included = "included";
		}
	return included;
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
	static const char built_in[] = "built-in kernels";
	/* the host's build type does not affect counts */
	const bool timed = has_times(base) && has_times(head);
	const struct device_info *from = &base->device, *to = &head->device;
	const int placements[] = {base->settings.placements, head->settings.placements};
	char seeds[2][24];

	if (base->backend && head->backend && strcmp(base->backend, head->backend) != 0) {
		struct regress_difference *backend = list_difference(
			out, "backend", xstrdup(base->backend), xstrdup(head->backend));

		backend->refuses = backend->never = true;
	}
	/* kernels of one name and of different files are different kernels */
	compare_texts(out, "origin of the kernels", base->origin ? base->origin : built_in,
		      head->origin ? head->origin : built_in, true);
	compare_checks(out, base, head);
	compare_devices(out, from, to);
	compare_texts(out, "driver", from->driver, to->driver, true);
	compare_texts(out, "toolkit", from->toolkit, to->toolkit, true);
	compare_environment(out, "build type", "build_type", base, head, timed);
	if (timed) {
		compare_presence(out, "sanitizer", "sanitizer", base, head);
		/* times that were measured while other GPUs changed them do not compare */
		compare_presence(out, "interference of other GPUs", GPUS_INTERFERENCE_FOUND_KEY,
				 base, head);
	}
	compare_texts(out, "cache", cache_mode_of(base), cache_mode_of(head), true);
	/* an imported run does not say where its data was */
	if (timed && base->has_settings && head->has_settings && placements[0] != placements[1])
		list_difference(out, "placements", xasprintf("%d", placements[0]),
				xasprintf("%d", placements[1]));
	if (event_cost_of(base) && event_cost_of(head))
		compare_texts(out, "cost of events", event_cost_of(base), event_cost_of(head),
			      true);
	compare_presence(out, "profiler", "profiler", base, head);
	compare_environment(out, "power limit, W", "gpu.power_limit_w", base, head, true);
	compare_environment(out, "MIG", "gpu.mig", base, head, true);
	compare_environment(out, "ECC", "gpu.ecc", base, head, true);
	compare_clocks(out, base, head);
	compare_sharing(out, base, head);
	/* these change times at most, and rarely by much */
	if (timed) {
		compare_environment(out, "persistence mode", "gpu.persistence_mode", base, head,
				    false);
		compare_environment(out, "processor", "processor", base, head, false);
		compare_environment(out, "operating system", "kernel", base, head, false);
	}
	compare_environment(out, "compiler", "ptx_compiler", base, head, false);
	compare_texts(out, "CUPTI", from->cupti, to->cupti, false);
	compare_texts(out, "perflab", base->version, head->version, false);
	compare_environment(out, "commit of perflab", "perflab_revision", base, head, false);
	compare_environment(out, "host", "host", base, head, false);
	snprintf(seeds[0], sizeof(seeds[0]), "%llu", (unsigned long long)base->seed);
	snprintf(seeds[1], sizeof(seeds[1]), "%llu", (unsigned long long)head->seed);
	compare_texts(out, "seed of inputs", seeds[0], seeds[1], false);
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

/* ---- devices ---- */

bool cards_differ(const struct run *a, const struct run *b)
{
	const struct device_info *x = &a->device, *y = &b->device;

	return strcmp(x->name, y->name) != 0 || strcmp(x->chip, y->chip) != 0 ||
	       x->sm_count != y->sm_count || x->memory_bytes != y->memory_bytes;
}

static bool card_has_time(const struct trial *trial)
{
	return trial && trial_status_measured(trial->status) && trial->summary.median_ns > 0;
}

static struct card_pair pair_of(const struct trial *here, const struct trial *there,
				const struct noise *noise)
{
	double *of_here, *of_there;
	struct process_medians base = trial_medians(here, INT_MAX, &of_here),
			       head = trial_medians(there, INT_MAX, &of_there);
	struct effect effect =
		effect_of(base, head, &(struct effect_context){.noise = *noise, .share = 1});
	struct card_pair pair = {
		.here = here,
		.there = there,
		.ratio = finite_quotient(there->summary.median_ns, here->summary.median_ns),
		.low = finite_or_nan(1 + effect.low),
		.high = finite_or_nan(1 + effect.high)};

	/* one process does not show how far two differ */
	if (base.count < 2 || head.count < 2)
		pair.low = pair.high = NAN;
	/* the interval is that of the geometric means of the rounds */
	if (isfinite(effect.change))
		pair.ratio = 1 + effect.change;
	free(of_here);
	free(of_there);
	return pair;
}

void card_pairs_of(struct card_pairs *out, const struct run *here, const struct run *there)
{
	struct regress_pair *named;
	size_t count = regress_pairs(&named, here, there);

	*out = (struct card_pairs){.items = xcalloc(count + 1, sizeof(*out->items))};
	for (size_t i = 0; i < count; i++) {
		const struct trial *a = named[i].base, *b = named[i].head;

		if (!card_has_time(a) || !card_has_time(b)) {
			out->only_here += card_has_time(a);
			out->only_there += card_has_time(b);
		} else if (a->has_work != b->has_work || a->flop != b->flop ||
			   a->bytes_read != b->bytes_read || a->bytes_written != b->bytes_written) {
			out->other_work++;
		} else {
			out->items[out->count++] = pair_of(a, b, &named[i].noise);
		}
	}
	free(named);
}

void card_pairs_release(struct card_pairs *pairs)
{
	free(pairs->items);
	*pairs = (struct card_pairs){0};
}
