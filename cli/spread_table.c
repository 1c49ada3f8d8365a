#include "cli/spread_table.h"

#include <math.h>
#include <stdlib.h>

#include "cli/output.h"
#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"

/* What the cases of a GPU differ by from those of the first one. */
struct differences {
	double log_sum; /* of the ratios */
	size_t count;
	const struct regress_case *largest; /* of the changes; NULL: there is none */
};

static struct differences sum_up(const struct regress *regress)
{
	struct differences sum = {0};

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const bool changed =
			item->time == CHANGE_REGRESSED || item->time == CHANGE_IMPROVED;

		if (!item->timed || isnan(item->effect.change))
			continue;
		sum.log_sum += log1p(item->effect.change);
		sum.count++;
		if (changed && (!sum.largest || fabs(log1p(item->effect.change)) >
							fabs(log1p(sum.largest->effect.change))))
			sum.largest = item;
	}
	return sum;
}

static void add_difference_row(struct table *table, int number, const struct regress *regress)
{
	const struct differences sum = sum_up(regress);
	char *gpu = xasprintf("%d", number), *compared = xasprintf("%zu", sum.count);
	char *slower = xasprintf("%zu", regress->tally[CHANGE_REGRESSED]);
	char *faster = xasprintf("%zu", regress->tally[CHANGE_IMPROVED]);
	char *mean =
		sum.count ? xasprintf("%+.2f", 100 * expm1(sum.log_sum / (double)sum.count)) : NULL;
	char *largest = sum.largest ? xasprintf("%+.2f", 100 * sum.largest->effect.change) : NULL;

	table_row(table, (const char *const[]){gpu, compared, mean, slower, faster, largest,
					       sum.largest ? sum.largest->name : NULL});
	free(gpu);
	free(compared);
	free(slower);
	free(faster);
	free(mean);
	free(largest);
}

static int compare_gpu(struct table *table, const struct run *first, const struct run *other,
		       int number, struct error *err)
{
	const struct regress_options options = {.limits = change_limits_default,
						.counters = REGRESS_COUNTERS_NONE,
						.judge_same_code = true};
	struct regress_pair *pairs;
	const size_t count = regress_pairs(&pairs, first, other);
	struct regress regress = {0};
	int rc = regress_judge(&regress, pairs, count, &options, err);

	if (!rc)
		add_difference_row(table, number, &regress);
	regress_release(&regress);
	free(pairs);
	return rc;
}

int spread_table_print(const struct invocation *call, const struct run *runs, const int *numbers,
		       size_t count, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "gpu", .numeric = true},
		{.name = "cases", .numeric = true},
		{.name = "mean_pct", .numeric = true, .head = "mean %"},
		{.name = "slower", .numeric = true},
		{.name = "faster", .numeric = true},
		{.name = "largest_pct", .numeric = true, .head = "largest %"},
		{.name = "case"}};
	struct table *table;
	int rc = 0;

	if (count < 2)
		return 0;
	printf("Time against GPU %d, judged as perflab regress does\n", numbers[0]);
	table = table_new(columns, ARRAY_SIZE(columns));
	for (size_t i = 1; i < count && !rc; i++)
		rc = compare_gpu(table, &runs[0], &runs[i], numbers[i], err);
	if (!rc)
		rc = table_to_stdout(call, table, REPORT_TEXT, err);
	table_free(table);
	printf("\n");
	return rc;
}
