#include "metrics/analysis/gpu_group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/regress.h"

#define ROUNDS_MOST 64 /* of a mean */

/* ---- facts of a run: interference ---- */

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

/* ---- facts of a run: GPUs without a run ---- */

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

/* ---- all cases ---- */

static int compare_group_runs(const void *left, const void *right)
{
	const struct run *a = left, *b = right;

	if (a->settings.device != b->settings.device)
		return a->settings.device < b->settings.device ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

struct placed_trial {
	const struct trial *trial;
	size_t run;
};

static int compare_group_places(const void *left, const void *right)
{
	const struct placed_trial *a = left, *b = right;

	if (a->trial->position != b->trial->position)
		return a->trial->position < b->trial->position ? -1 : 1;
	return a->run < b->run ? -1 : a->run > b->run;
}

static void join_trials(struct gpu_group *group)
{
	struct run *all = &group->all;
	struct placed_trial *placed;
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += group->runs[i].trial_count;
	placed = xcalloc(count + 1, sizeof(*placed));
	for (size_t i = 0; i < group->count; i++)
		for (size_t k = 0; k < group->runs[i].trial_count; k++)
			placed[all->trial_count++] =
				(struct placed_trial){&group->runs[i].trials[k], i};
	qsort(placed, all->trial_count, sizeof(*placed), compare_group_places);
	all->trials = xcalloc(count + 1, sizeof(*all->trials));
	for (size_t i = 0; i < count; i++)
		all->trials[i] = *placed[i].trial;
	free(placed);
}

static bool have_all(const struct gpu_group *group, const struct key_value *fact)
{
	for (size_t i = 0; i < group->count; i++) {
		const char *value = key_value_get(&group->runs[i].environment, fact->key);

		if (!value || strcmp(value, fact->value) != 0)
			return false;
	}
	return true;
}

/* A fact that a reader must know even if it is of one GPU only: "GPU 1: …". */
static void join_fact(struct gpu_group *group, const char *key)
{
	struct text value = TEXT_INIT;

	for (size_t i = 0; i < group->count; i++) {
		const char *own = key_value_get(&group->runs[i].environment, key);

		if (own && *own)
			text_addf(&value, "%sGPU %d: %s", value.length ? "; " : "",
				  group->runs[i].settings.device, own);
	}
	if (value.length)
		key_value_set(&group->all.environment, key, value.data);
	text_release(&value);
}

static void join_environment(struct gpu_group *group)
{
	static const char *const named[] = {"counters_off", "profiler",
					    GPUS_INTERFERENCE_FOUND_KEY};
	const struct key_value_list *first = &group->runs[0].environment;

	for (size_t i = 0; i < first->count; i++)
		if (have_all(group, &first->items[i]))
			key_value_set(&group->all.environment, first->items[i].key,
				      first->items[i].value);
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		join_fact(group, named[i]);
}

const char *gpu_group_failure(const struct gpu_group *group, size_t run)
{
	const struct run *own = &group->runs[run];

	return own->state == RUN_FINISHED ? NULL
					  : key_value_get(&own->environment, GPUS_FAILED_KEY);
}

/* Whether others took over what the run had not finished. */
static bool was_replaced(const struct gpu_group *group, size_t run)
{
	const struct run *own = &group->runs[run];

	if (group->spread || !gpu_group_failure(group, run))
		return false;
	for (size_t i = 0; i < own->trial_count; i++)
		if (own->trials[i].status == TRIAL_PENDING)
			return false;
	return true;
}

/* From the begin of the first to the end of the last. The whole sweep is as far as its runs are. */
static void join_times(struct gpu_group *group)
{
	struct run *all = &group->all;
	const struct run *last = NULL; /* whose state is that of all */

	for (size_t i = 0; i < group->count; i++) {
		const struct run *run = &group->runs[i];

		if (run->started_ns < all->started_ns)
			all->started_ns = run->started_ns;
		if (run->finished_ns > all->finished_ns)
			all->finished_ns = run->finished_ns;
		if (!was_replaced(group, i) && (!last || last->state == RUN_FINISHED))
			last = run;
	}
	if (last)
		all->state = last->state;
}

static void join_runs(struct gpu_group *group)
{
	struct run *all = &group->all;

	*all = group->runs[0];
	all->id = 0;
	all->uid[0] = '\0';
	all->settings_known &= ~(unsigned)SETTING_DEVICE;
	all->mark = all->mark_why = NULL;
	all->environment = (struct key_value_list){0};
	all->trials = NULL;
	all->trial_count = 0;
	group->one_model = true;
	group->of_all = xcalloc(group->count, sizeof(*group->of_all));
	for (size_t i = 0; i < group->count; i++) {
		const struct run *run = &group->runs[i];

		group->one_model &= !cards_differ(&group->runs[0], run);
		group->of_all[i] = (struct run_gpu){.number = run->settings.device,
						    .run_id = run->id,
						    .run_uid = run->uid,
						    .device = run->device.name,
						    .uuid = run->device.uuid};
	}
	if (!group->one_model)
		all->device = (struct device_info){0};
	all->device.uuid[0] = '\0';
	all->gpus = group->of_all;
	all->gpu_count = group->count;
	join_times(group);
	join_environment(group);
	join_trials(group);
}

/* ---- differences ---- */

static bool has_rounds(const struct trial *trial, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++)
		if (i >= trial->round_count || !(trial->rounds[i].median_ns > 0))
			return false;
	return true;
}

static size_t fewest_rounds(const struct regress *regress)
{
	size_t fewest = ROUNDS_MOST;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];

		if (item->timed && item->base_rounds < fewest)
			fewest = item->base_rounds;
		if (item->timed && item->head_rounds < fewest)
			fewest = item->head_rounds;
	}
	return fewest;
}

static struct gpu_mean mean_of_rounds(const double *logs, size_t rounds, size_t cases)
{
	struct gpu_mean mean = {NAN, NAN, NAN, cases};
	double middle = 0, squares = 0, half;

	for (size_t i = 0; i < rounds; i++)
		middle += logs[i] / (double)rounds;
	for (size_t i = 0; i < rounds; i++)
		squares += (logs[i] - middle) * (logs[i] - middle);
	if (!rounds || !cases)
		return mean;
	mean.change = expm1(middle);
	if (rounds < 2)
		return mean;
	half = student_quantile(EFFECT_LEVEL, (double)rounds - 1) *
	       sqrt(squares / (double)(rounds - 1) / (double)rounds);
	mean.low = expm1(middle - half);
	mean.high = expm1(middle + half);
	return mean;
}

static void judge_mean(struct gpu_difference *out)
{
	const struct regress *regress = &out->regress;
	const size_t rounds = fewest_rounds(regress);
	double logs[ROUNDS_MOST] = {0};
	size_t cases = 0;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];

		if (!item->timed || !has_rounds(item->base, rounds) ||
		    !has_rounds(item->head, rounds))
			continue;
		cases++;
		for (size_t k = 0; k < rounds; k++)
			logs[k] += log(item->head->rounds[k].median_ns /
				       item->base->rounds[k].median_ns);
	}
	for (size_t k = 0; k < rounds && cases; k++)
		logs[k] /= (double)cases;
	out->mean = mean_of_rounds(logs, rounds, cases);
}

static int judge_difference(struct gpu_difference *out, const struct run *first,
			    const struct run *other, struct error *err)
{
	const size_t count = regress_pairs(&out->pairs, first, other);
	int rc;

	out->run = other;
	out->options = (struct regress_options){.limits = change_limits_default,
						.counters = REGRESS_COUNTERS_NONE,
						.judge_same_code = true};
	rc = regress_judge(&out->regress, out->pairs, count, &out->options, err);
	if (rc)
		return rc;
	judge_mean(out);
	for (size_t i = 0; i < out->regress.count; i++) {
		const struct regress_case *item = &out->regress.cases[i];
		const bool changed =
			item->time == CHANGE_REGRESSED || item->time == CHANGE_IMPROVED;

		if (item->timed && changed && isfinite(item->effect.change) &&
		    (!out->largest ||
		     fabs(log1p(item->effect.change)) > fabs(log1p(out->largest->effect.change))))
			out->largest = item;
	}
	return 0;
}

int gpu_group_complete(struct gpu_group *group, struct error *err)
{
	const struct key_value_list *facts;
	const char *mode, *gpus;
	int64_t here = 0;
	int rc = 0;

	if (!group->count)
		return 0;
	qsort(group->runs, group->count, sizeof(*group->runs), compare_group_runs);
	facts = &group->runs[0].environment;
	mode = key_value_get(facts, GPUS_MODE_KEY);
	gpus = key_value_get(facts, GPUS_COUNT_KEY);
	group->spread = mode && strcmp(mode, GPUS_SPREAD) == 0;
	group->gpus = gpus ? atoll(gpus) : 0;
	join_runs(group);
	for (size_t i = 0; i < group->count; i++)
		here += !gpu_group_took_over(group, i);
	/* whatever a file says */
	if (group->gpus < here)
		group->gpus = here;
	if (!group->spread)
		return 0;
	/* the first GPU that finished; of a sweep in which none did, the first one */
	while (group->base < group->count && group->runs[group->base].state != RUN_FINISHED)
		group->base++;
	if (group->base == group->count)
		group->base = 0;
	group->differences = xcalloc(group->count, sizeof(*group->differences));
	for (size_t i = 0; i < group->count && !rc; i++)
		if (i != group->base)
			rc = judge_difference(&group->differences[group->difference_count++],
					      &group->runs[group->base], &group->runs[i], err);
	return rc;
}

void gpu_group_release(struct gpu_group *group)
{
	for (size_t i = 0; i < group->difference_count; i++) {
		regress_release(&group->differences[i].regress);
		free(group->differences[i].pairs);
	}
	free(group->differences);
	key_value_list_release(&group->all.environment);
	free(group->all.trials);
	free(group->of_all);
	for (size_t i = 0; i < group->count; i++)
		run_release(&group->runs[i]);
	free(group->runs);
	*group = (struct gpu_group){0};
}

bool gpu_group_took_over(const struct gpu_group *group, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (strcmp(group->runs[i].device.uuid, group->runs[run].device.uuid) == 0)
			return true;
	return false;
}
