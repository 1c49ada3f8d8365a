/* Runs, their trials, and the lists and settings that they hold. */
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_INTEGER -1
#define UNKNOWN_REAL NAN
#define UNKNOWN_TEXT(bytes) ""
#define UNKNOWN(kind, name, unit, meaning) .name = UNKNOWN_##kind,
const struct launch_facts launch_facts_unknown = {LAUNCH_FIELDS(UNKNOWN)};
const struct device_state device_state_unknown = {STATE_FIELDS(UNKNOWN)};

const struct trial_speedup trial_speedup_none = {
	.speedup = NAN,
	.low = NAN,
	.high = NAN,
	.p = NAN,
	.base_median_ns = NAN,
	.same_buffers = -1,
};

const struct measure_settings measure_settings_default = {
	.device = 0,
	.seed = 1,
	.cache = CACHE_COLD,
	.min_samples = 30,
	.max_time_ns = 500 * INT64_C(1000000),
	.precision = 0.01,
	.rounds = 5,
	.placements = 4,
	.timeout_ns = 60 * INT64_C(1000000000),
};

void measure_settings_release(struct measure_settings *settings)
{
	string_list_release(&settings->metrics);
	free(settings->chip);
	free(settings->counter_dump);
	free(settings->base_variant);
	*settings = (struct measure_settings){0};
}

void key_value_set(struct key_value_list *list, const char *key, const char *value)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].key, key) == 0) {
			free(list->items[i].value);
			list->items[i].value = xstrdup(value);
			return;
		}
	}
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct key_value){xstrdup(key), xstrdup(value)};
}

const char *key_value_get(const struct key_value_list *list, const char *key)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].key, key) == 0)
			return list->items[i].value;
	}
	return NULL;
}

void key_value_add_all(struct key_value_list *list, const struct key_value_list *from)
{
	for (size_t i = 0; i < from->count; i++)
		key_value_set(list, from->items[i].key, from->items[i].value);
}

void key_value_list_release(struct key_value_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].key);
		free(list->items[i].value);
	}
	free(list->items);
	*list = (struct key_value_list){0};
}

void trial_speedup_release(struct trial_speedup *speedup)
{
	free(speedup->base_variant);
	free(speedup->base_config);
	free(speedup->why);
	*speedup = trial_speedup_none;
}

void comparison_list_add(struct trial_comparison_list *list,
			 const struct trial_comparison *comparison)
{
	struct trial_comparison *added;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	added = &list->items[list->count++];
	*added = *comparison;
	if (comparison->why)
		added->why = xstrdup(comparison->why);
}

void comparison_list_release(struct trial_comparison_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].why);
	free(list->items);
	*list = (struct trial_comparison_list){0};
}

void run_take_comparisons(struct run *run, const struct trial_comparison_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct trial_comparison *found = &list->items[i];
		struct trial *trial = NULL;

		for (size_t k = 0; k < run->trial_count && !trial; k++)
			if (run->trials[(i + k) % run->trial_count].id == found->trial_id)
				trial = &run->trials[(i + k) % run->trial_count];
		if (!trial)
			continue;
		trial->slower = found->verdict == CHANGE_REGRESSED;
		trial->faster = found->verdict == CHANGE_IMPROVED;
		trial->times_before = 1 + found->change;
	}
}

const char *stall_name(enum stall stall)
{
	static const char *const names[STALL_COUNT] = {
#define X(symbol, name, first, second, third) [symbol] = name,
		STALL_LIST(X)
#undef X
	};

	return names[stall];
}

enum stall stall_of_reason(const char *reason)
{
	static const char *const reasons[STALL_COUNT][3] = {
#define X(symbol, name, first, second, third) [symbol] = {first, second, third},
		STALL_LIST(X)
#undef X
	};

	for (int i = 0; i < STALL_OTHER; i++)
		for (size_t k = 0; k < ARRAY_SIZE(reasons[i]); k++)
			if (reasons[i][k][0] && strcmp(reasons[i][k], reason) == 0)
				return (enum stall)i;
	return STALL_OTHER;
}

bool function_is_of_library(const char *name)
{
	/* Namespaces at, c10, cub and thrust; cuBLAS and cuDNN; FlashAttention in PyTorch. Those
	 * with which people write kernels of their own, such as CUTLASS, are missing. */
	static const char *const patterns[] = {
		"_ZN2at*",     "_ZN14at_cuda*",   "_ZN3c10*", "_ZN3cub*",
		"_ZN6thrust*", "*pytorch_flash*", "nvjet_*",  "*_xmma_*",
		"cublas*",     "_ZN8cublasLt*",   "cudnn*",   "_ZN5cudnn*",
	};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (pattern_matches(patterns[i], name))
			return true;
	return false;
}

bool trial_is_of_library(const struct trial *trial)
{
	return (trial->facts.code_kind[0] && trial->facts.registers_per_thread < 0) ||
	       (trial->functions && trial->library_functions == trial->functions);
}

void trial_release(struct trial *trial)
{
	free(trial->kernel);
	free(trial->variant);
	free(trial->config);
	free(trial->axes);
	free(trial->reason);
	free(trial->hot_file);
	counter_list_release(&trial->counters);
	line_count_list_release(&trial->lines);
	free(trial->rounds);
	trial_speedup_release(&trial->speedup);
	*trial = (struct trial){0};
}

char *trial_case_name(const struct trial *trial)
{
	return xasprintf("%s/%s/%s", trial->kernel, trial->variant, trial->config);
}

bool trial_is_unchanged(const struct trial *trial)
{
	return trial->status == TRIAL_SKIPPED && trial->facts.code_hash[0] &&
	       trial->launch_hash[0] && trial->reason &&
	       !strncmp(trial->reason, UNCHANGED_REASON, strlen(UNCHANGED_REASON));
}

bool trials_have_same_code(const struct trial *a, const struct trial *b)
{
	return a->facts.code_hash[0] && !strcmp(a->facts.code_hash, b->facts.code_hash) &&
	       !strcmp(a->facts.code_kind, b->facts.code_kind);
}

bool trials_have_same_launch(const struct trial *a, const struct trial *b)
{
	return a->launch_hash[0] && !strcmp(a->launch_hash, b->launch_hash);
}

void run_release(struct run *run)
{
	free(run->label);
	free(run->note);
	free(run->command);
	free(run->backend);
	free(run->version);
	free(run->source_revision);
	free(run->origin);
	measure_settings_release(&run->settings);
	free(run->settings_json);
	free(run->mark);
	free(run->mark_why);
	key_value_list_release(&run->environment);
	for (size_t i = 0; i < run->trial_count; i++)
		trial_release(&run->trials[i]);
	free(run->trials);
	*run = (struct run){0};
}

const struct run_gpu *trial_gpu(const struct run *run, const struct trial *trial)
{
	for (size_t i = 0; i < run->gpu_count; i++)
		if (run->gpus[i].run_id == trial->run_id)
			return &run->gpus[i];
	return NULL;
}

const struct trial *run_trial(const struct run *run, int64_t id)
{
	/* ids and positions of a run nearly always ascend together */
	const size_t guess =
		run->trial_count && id > run->trials[0].id ? (size_t)(id - run->trials[0].id) : 0;

	for (size_t i = 0; id && i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[(guess + i) % run->trial_count];

		if (trial->id == id)
			return trial;
	}
	return NULL;
}
