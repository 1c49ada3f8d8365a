/* Which GPUs are outliers among their peers; see the header. */
#include "metrics/analysis/fleet.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/fleet_level.h"

#include <stdlib.h>
#include <string.h>

/* Quantities and single cases may each spend half of the false alarms. */
#define SHARE 0.5
#define NIGHT_NS (24 * INT64_C(3600000000000))

const struct fleet_limits fleet_limits_default = {
	.smallest = 0.005, .false_alarms = 0.05, .last = 14};

void fleet_release(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->gpu_count; i++) {
		free(fleet->gpus[i].name);
		free(fleet->gpus[i].uuid);
		free(fleet->gpus[i].host);
		for (size_t k = 0; k < FLEET_FACTS; k++)
			free(fleet->gpus[i].facts[k]);
	}
	for (size_t i = 0; i < fleet->ceiling_count; i++) {
		free(fleet->ceilings[i].name);
		free(fleet->ceilings[i].trials);
	}
	for (size_t i = 0; i < fleet->case_count; i++)
		free(fleet->cases[i]);
	free(fleet->cases);
	free(fleet->ceilings);
	free(fleet->gpus);
	free(fleet->runs);
	free(fleet->trials);
	*fleet = (struct fleet){0};
}

void fleet_judgement_release(struct fleet_judgement *judgement)
{
	free(judgement->levels);
	free(judgement->cases);
	free(judgement->model);
	free(judgement->models);
	free(judgement->why_not);
	free(judgement->order);
	*judgement = (struct fleet_judgement){0};
}

const char *fleet_quantity_name(const struct fleet *fleet, size_t quantity)
{
	static const char *const names[FLEET_MEASURES] = {"time", "sm_clock", "memory_clock",
							  "power"};

	return quantity < FLEET_MEASURES ? names[quantity]
					 : fleet->ceilings[quantity - FLEET_MEASURES].name;
}

const struct fleet_level *fleet_level_at(const struct fleet_judgement *judgement, size_t gpu,
					 size_t quantity)
{
	return &judgement->levels[gpu * judgement->quantity_count + quantity];
}

static const struct {
	const char *name, *key;
} facts[FLEET_FACTS] = {
	[FLEET_DRIVER] = {"driver", NULL},
	[FLEET_POWER_LIMIT] = {"power limit in W", "gpu.power_limit_w"},
	[FLEET_ECC] = {"ECC", "gpu.ecc"},
	[FLEET_MIG] = {"MIG", "gpu.mig"},
	[FLEET_PROFILER] = {"profiler", "profiler"},
};

const char *fleet_fact_name(enum fleet_fact fact)
{
	return facts[fact].name;
}

const char *fleet_fact_key(enum fleet_fact fact)
{
	return facts[fact].key;
}

/* ---- models ---- */

static bool same_model(const struct fleet_gpu *a, const struct fleet_gpu *b)
{
	return a->cc_major == b->cc_major && a->cc_minor == b->cc_minor &&
	       a->sm_count == b->sm_count && strcmp(a->name, b->name) == 0;
}

static void find_models(struct fleet_judgement *out, const struct fleet *fleet)
{
	size_t capacity = 0;

	for (size_t gpu = 0; gpu < fleet->gpu_count; gpu++) {
		size_t at = 0;

		while (at < out->model_count &&
		       !same_model(&fleet->gpus[out->models[at].first], &fleet->gpus[gpu]))
			at++;
		if (at == out->model_count) {
			out->models = xgrow(out->models, &capacity, at + 1, sizeof(*out->models));
			out->models[at] = (struct fleet_model){.first = gpu};
			out->model_count++;
		}
		out->model[gpu] = at;
		out->models[at].gpus++;
	}
}

/* Whatever value more than half of them have survives (Boyer and Moore's majority vote). */
static const char *usual_fact(const struct fleet_judgement *out, const struct fleet *fleet,
			      size_t model, size_t fact)
{
	const char *usual = NULL;
	size_t votes = 0, with = 0, all = 0;

	for (size_t gpu = 0; gpu < fleet->gpu_count; gpu++) {
		const char *value = fleet->gpus[gpu].facts[fact];

		if (out->model[gpu] != model || !value)
			continue;
		if (!votes)
			usual = value;
		votes += strcmp(usual, value) == 0 ? 1 : (size_t)-1;
	}
	for (size_t gpu = 0; usual && gpu < fleet->gpu_count; gpu++) {
		const char *value = fleet->gpus[gpu].facts[fact];

		if (out->model[gpu] != model || !value)
			continue;
		with += strcmp(usual, value) == 0;
		all++;
	}
	return 2 * with > all ? usual : NULL;
}

/* ---- the levels of a quantity ---- */

/* Trials by model, and of a model in the order that fleet_levels_init() needs. */
struct ordered_trial {
	const struct fleet_trial *trial;
	uint32_t model, key, gpu;
	int32_t night;
};

static int by_key_night_and_gpu(const void *left, const void *right)
{
	const struct ordered_trial *a = left, *b = right;

	if (a->model != b->model)
		return a->model < b->model ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->night != b->night)
		return a->night < b->night ? -1 : 1;
	return (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

/* malloc'd */
static struct ordered_trial *order_trials(const struct fleet_judgement *out,
					  const struct fleet *fleet,
					  const struct fleet_trial *trials, size_t count)
{
	struct ordered_trial *ordered = xcalloc(count + 1, sizeof(*ordered));

	for (size_t i = 0; i < count; i++) {
		const struct fleet_run *run = &fleet->runs[trials[i].run];

		ordered[i] = (struct ordered_trial){
			.trial = &trials[i],
			.model = (uint32_t)out->model[run->gpu],
			.key = trials[i].key,
			.gpu = (uint32_t)run->gpu,
			/* from noon to noon, so that runs before and after midnight are of the same
			 * night; does not overflow */
			.night = (int32_t)((run->started_ns / (NIGHT_NS / 2) - 1) / 2)};
	}
	qsort(ordered, count, sizeof(*ordered), by_key_night_and_gpu);
	return ordered;
}

struct quantity {
	const struct fleet *fleet;
	const struct fleet_limits *limits;
	struct fleet_judgement *out;
	size_t quantity, measure; /* the measure is the value of a trial that is meant */
	struct fleet_case_list cases;
	size_t *members; /* the GPUs of the model that is judged now */
	uint32_t *place; /* per GPU: its place among them */
};

/* Sets the levels of the GPUs of a model in a quantity. */
static void judge_model(struct quantity *quantity, const struct ordered_trial *trials, size_t count)
{
	const struct fleet *fleet = quantity->fleet;
	const size_t gpus = quantity->out->models[trials->model].gpus;
	struct fleet_point *points = xcalloc(count + 1, sizeof(*points));
	struct fleet_levels levels;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const double value = trials[i].trial->value[quantity->measure];

		if (!(value > 0) || !isfinite(value))
			continue;
		points[used++] = (struct fleet_point){.key = trials[i].key,
						      .gpu = quantity->place[trials[i].gpu],
						      .run = trials[i].trial->run,
						      .night = trials[i].night,
						      .value = log(value)};
	}
	fleet_levels_init(&levels, points, used, fleet->runs, fleet->run_count, gpus,
			  quantity->limits->last);
	if (quantity->quantity == FLEET_TIME)
		fleet_cases_add(&quantity->cases, fleet, points, used, quantity->members, gpus,
				quantity->limits);
	free(points);
	for (size_t place = 0; place < gpus; place++) {
		const size_t row = quantity->members[place] * quantity->out->quantity_count;

		fleet_levels_take(&quantity->out->levels[row + quantity->quantity], &levels, place,
				  quantity->limits);
	}
	fleet_levels_release(&levels);
}

/* Judges trials by quantities `first` to before `end`, whose measures count from 0. */
static void judge_trials(struct quantity *quantity, const struct fleet_trial *trials, size_t count,
			 size_t first, size_t end)
{
	struct ordered_trial *ordered = order_trials(quantity->out, quantity->fleet, trials, count);
	size_t next;

	for (size_t begin = 0; begin < count; begin = next) {
		const size_t model = ordered[begin].model;
		size_t members = 0;

		for (next = begin; next < count && ordered[next].model == model; next++)
			;
		if (quantity->out->models[model].gpus < FLEET_GPUS_LEAST)
			continue;
		for (size_t gpu = 0; gpu < quantity->fleet->gpu_count; gpu++) {
			if (quantity->out->model[gpu] != model)
				continue;
			quantity->place[gpu] = (uint32_t)members;
			quantity->members[members++] = gpu;
		}
		for (size_t i = first; i < end; i++) {
			quantity->quantity = i;
			quantity->measure = i - first;
			judge_model(quantity, ordered + begin, next - begin);
		}
	}
	free(ordered);
}

static void judge_quantities(struct fleet_judgement *out, const struct fleet *fleet,
			     const struct fleet_limits *limits)
{
	struct quantity quantity = {
		.fleet = fleet,
		.limits = limits,
		.out = out,
		.members = xcalloc(fleet->gpu_count + 1, sizeof(*quantity.members)),
		.place = xcalloc(fleet->gpu_count + 1, sizeof(*quantity.place))};

	judge_trials(&quantity, fleet->trials, fleet->trial_count, FLEET_TIME, FLEET_MEASURES);
	for (size_t i = 0; i < fleet->ceiling_count; i++)
		judge_trials(&quantity, fleet->ceilings[i].trials, fleet->ceilings[i].count,
			     FLEET_MEASURES + i, FLEET_MEASURES + i + 1);
	out->case_count = fleet_cases_judge(&out->cases, &quantity.cases, SHARE, limits);
	free(quantity.members);
	free(quantity.place);
}

/* ---- verdicts ---- */

static void judge_levels(struct fleet_judgement *out, const struct fleet_limits *limits,
			 size_t count)
{
	double *p = xcalloc(count + 1, sizeof(*p));
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		p[i] = out->levels[i].p;
		known += !isnan(p[i]);
	}
	effects_adjust(p, count);
	for (size_t i = 0; i < count; i++) {
		struct fleet_level *level = &out->levels[i];

		level->p = isnan(p[i]) ? NAN : fmin(1, p[i] / SHARE);
		level->least = fmax(
			limits->smallest,
			fleet_level_least(level, limits->false_alarms * SHARE / (double)known));
		level->is_outlier =
			level->p < limits->false_alarms && fabs(level->change) >= limits->smallest;
		if (!level->is_outlier)
			level->since_run = level->since_ns = level->since_change = 0;
	}
	free(p);
}

const struct fleet_case *fleet_cases_of(const struct fleet_judgement *judgement, size_t gpu,
					size_t *count)
{
	size_t low = 0, high = judgement->case_count, end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (judgement->cases[middle].gpu < gpu)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < judgement->case_count && judgement->cases[end].gpu == gpu; end++)
		;
	*count = end - low;
	return *count ? &judgement->cases[low] : NULL;
}

bool fleet_gpu_is_outlier(const struct fleet_judgement *judgement, size_t gpu)
{
	size_t cases;

	if (fleet_cases_of(judgement, gpu, &cases))
		return true;
	for (size_t quantity = 0; quantity < judgement->quantity_count; quantity++)
		if (fleet_level_at(judgement, gpu, quantity)->is_outlier)
			return true;
	return false;
}

static const char *why_not_compared(const struct fleet_judgement *out, const struct fleet *fleet,
				    size_t gpu, bool has_trials)
{
	for (size_t quantity = 0; quantity < out->quantity_count; quantity++)
		if (fleet_level_at(out, gpu, quantity)->runs)
			return NULL;
	if (!*fleet->gpus[gpu].uuid)
		return "it has no uuid, so it cannot be told from another GPU";
	if (out->models[out->model[gpu]].gpus < FLEET_GPUS_LEAST)
		return "fewer than 3 GPUs of its model are in the database";
	if (!has_trials)
		return "no finished run has timed a case of known code on it";
	return "fewer than 3 GPUs of its model have timed the same case with the same code";
}

/* What the times of the GPUs of a model can show. */
static void set_least(struct fleet_judgement *out, const struct fleet *fleet, size_t at)
{
	struct fleet_model *model = &out->models[at];

	model->least = model->least_worst = NAN;
	for (size_t gpu = 0; gpu < fleet->gpu_count; gpu++) {
		const struct fleet_level *time = fleet_level_at(out, gpu, FLEET_TIME);

		if (out->model[gpu] != at || !time->runs || isnan(time->least))
			continue;
		if (isnan(model->least) || time->runs < model->fewest_runs)
			model->fewest_runs = time->runs;
		if (time->runs > model->most_runs)
			model->most_runs = time->runs;
		model->least = fmin(model->least, time->least); /* ignores NAN */
		model->least_worst = fmax(model->least_worst, time->least);
	}
}

/* Sets why_not and the counts of the models. */
static void count_gpus(struct fleet_judgement *out, const struct fleet *fleet)
{
	bool *has_trials = xcalloc(fleet->gpu_count + 1, sizeof(*has_trials));

	for (size_t i = 0; i < fleet->trial_count; i++)
		has_trials[fleet->runs[fleet->trials[i].run].gpu] = true;
	for (size_t gpu = 0; gpu < fleet->gpu_count; gpu++) {
		struct fleet_model *model = &out->models[out->model[gpu]];
		const bool is_outlier = fleet_gpu_is_outlier(out, gpu);

		out->why_not[gpu] = why_not_compared(out, fleet, gpu, has_trials[gpu]);
		model->compared += !out->why_not[gpu];
		model->outliers += is_outlier;
		out->outliers += is_outlier;
	}
	for (size_t model = 0; model < out->model_count; model++)
		set_least(out, fleet, model);
	free(has_trials);
}

/* ---- the order ---- */

struct placed {
	size_t gpu;
	bool is_outlier;
	double most; /* the largest difference of an outlier, else of the time */
};

static int by_difference(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->is_outlier != b->is_outlier)
		return a->is_outlier ? -1 : 1;
	if (a->most != b->most)
		return a->most > b->most ? -1 : 1;
	return (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

static void order_gpus(struct fleet_judgement *out, size_t count)
{
	struct placed *placed = xcalloc(count + 1, sizeof(*placed));
	size_t cases;

	for (size_t gpu = 0; gpu < count; gpu++) {
		struct placed *place = &placed[gpu];
		const double time = fabs(fleet_level_at(out, gpu, FLEET_TIME)->change);

		*place = (struct placed){.gpu = gpu, .is_outlier = fleet_gpu_is_outlier(out, gpu)};
		if (!place->is_outlier)
			place->most = isnan(time) ? -1 : time;
		if (fleet_cases_of(out, gpu, &cases))
			place->most = fabs(fleet_cases_of(out, gpu, &cases)->level.change);
		for (size_t quantity = 0; quantity < out->quantity_count; quantity++) {
			const struct fleet_level *level = fleet_level_at(out, gpu, quantity);

			if (level->is_outlier)
				place->most = fmax(place->most, fabs(level->change));
		}
	}
	qsort(placed, count, sizeof(*placed), by_difference);
	for (size_t i = 0; i < count; i++)
		out->order[i] = placed[i].gpu;
	free(placed);
}

void fleet_judge(struct fleet_judgement *out, const struct fleet *fleet,
		 const struct fleet_limits *limits)
{
	const size_t gpus = fleet->gpu_count;
	size_t count;

	*out = (struct fleet_judgement){.quantity_count = FLEET_MEASURES + fleet->ceiling_count};
	count = gpus * out->quantity_count;
	out->levels = xcalloc(count + 1, sizeof(*out->levels));
	for (size_t i = 0; i < count; i++)
		out->levels[i] = (struct fleet_level){
			.change = NAN, .low = NAN, .high = NAN, .p = NAN, .least = NAN};
	out->model = xcalloc(gpus + 1, sizeof(*out->model));
	out->why_not = xcalloc(gpus + 1, sizeof(*out->why_not));
	out->order = xcalloc(gpus + 1, sizeof(*out->order));
	find_models(out, fleet);
	for (size_t model = 0; model < out->model_count; model++)
		for (size_t fact = 0; fact < FLEET_FACTS; fact++)
			out->models[model].usual[fact] = usual_fact(out, fleet, model, fact);
	judge_quantities(out, fleet, limits);
	judge_levels(out, limits, count);
	count_gpus(out, fleet);
	order_gpus(out, gpus);
}
