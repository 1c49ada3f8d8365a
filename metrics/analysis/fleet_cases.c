/* The time of each case on each GPU; see the header. */
#include "metrics/analysis/compare.h"
#include "metrics/analysis/fleet_level.h"

#include <math.h>
#include <stdlib.h>

static void add_gpus(struct fleet_case_list *list, const struct fleet_levels *levels, uint32_t key,
		     const size_t *members, const struct fleet_limits *limits)
{
	for (size_t place = 0; place < levels->gpu_count; place++) {
		struct fleet_case item = {.gpu = members[place], .key = key};

		item.level.change = item.level.low = item.level.high = item.level.p = NAN;
		item.level.least = NAN;
		fleet_levels_take(&item.level, levels, place, limits);
		if (!item.level.runs)
			continue;
		if (fabs(item.level.change) >= limits->smallest &&
		    item.level.p < limits->false_alarms) {
			const size_t at = list->item_count++;

			list->items = xgrow(list->items, &list->item_capacity, at + 1,
					    sizeof(*list->items));
			list->p_at = xgrow(list->p_at, &list->place_capacity, at + 1,
					   sizeof(*list->p_at));
			list->items[at] = item;
			list->p_at[at] = list->count;
		}
		list->p = xgrow(list->p, &list->capacity, list->count + 1, sizeof(*list->p));
		list->p[list->count++] = item.level.p;
	}
}

void fleet_cases_add(struct fleet_case_list *list, const struct fleet *fleet,
		     const struct fleet_point *points, size_t count, const size_t *members,
		     size_t gpu_count, const struct fleet_limits *limits)
{
	size_t end;

	for (size_t begin = 0; begin < count; begin = end) {
		struct fleet_levels levels;

		for (end = begin; end < count && points[end].key == points[begin].key; end++)
			;
		if (end - begin < FLEET_GPUS_LEAST)
			continue;
		fleet_levels_init(&levels, points + begin, end - begin, fleet->runs,
				  fleet->run_count, gpu_count, limits->last);
		add_gpus(list, &levels, points[begin].key, members, limits);
		fleet_levels_release(&levels);
	}
}

static int by_gpu_and_difference(const void *left, const void *right)
{
	const struct fleet_case *a = left, *b = right;
	const double most_a = fabs(a->level.change), most_b = fabs(b->level.change);

	if (a->gpu != b->gpu)
		return a->gpu < b->gpu ? -1 : 1;
	if (most_a != most_b)
		return most_a > most_b ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

size_t fleet_cases_judge(struct fleet_case **out, struct fleet_case_list *list, double share,
			 const struct fleet_limits *limits)
{
	const double level = limits->false_alarms * share / (double)list->count;
	size_t kept = 0;

	effects_adjust(list->p, list->count);
	for (size_t i = 0; i < list->item_count; i++) {
		struct fleet_case *item = &list->items[i];

		item->level.p = fmin(1, list->p[list->p_at[i]] / share);
		item->level.is_outlier = item->level.p < limits->false_alarms;
		item->level.least = fmax(limits->smallest, fleet_level_least(&item->level, level));
		if (item->level.is_outlier)
			list->items[kept++] = *item;
	}
	if (kept)
		qsort(list->items, kept, sizeof(*list->items), by_gpu_and_difference);
	*out = list->items;
	free(list->p);
	free(list->p_at);
	*list = (struct fleet_case_list){0};
	return kept;
}
