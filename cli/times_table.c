/* Where the wall time of a sweep went, as a table. */
#include "cli/times_table.h"

#include <stdlib.h>

#include "reports/reports.h"

/* Takes the largest of the parts that are left. */
static int take_largest(const struct meter *meter, bool *left)
{
	int largest = -1;

	for (int part = 0; part < RUN_PART_COUNT; part++)
		if (left[part] && (largest < 0 || meter->ns[part] > meter->ns[largest]))
			largest = part;
	left[largest] = false;
	return largest;
}

static void add_part_row(struct table *table, const char *part, int64_t ns, int64_t sum_ns,
			 const char *meaning)
{
	char *seconds = xasprintf("%.3f", (double)ns / 1e9);
	char *percent = xasprintf("%.1f", 100 * (double)ns / (double)sum_ns);

	table_row(table, (const char *const[]){part, seconds, percent, meaning});
	free(seconds);
	free(percent);
}

void times_table_print(const struct invocation *call, const struct meter *meter)
{
	static const struct table_column columns[] = {
		{.name = "part"},
		{.name = "seconds", .numeric = true},
		{.name = "percent", .numeric = true, .head = "%"},
		{.name = "meaning"}};
	const struct report_options look = {.width = call->terminal.err_width};
	struct table *table;
	bool left[RUN_PART_COUNT];
	int64_t sum_ns = 0;

	for (int part = 0; part < RUN_PART_COUNT; part++) {
		left[part] = true;
		sum_ns += meter->ns[part];
	}
	if (!sum_ns)
		return;
	table = table_new(columns, ARRAY_SIZE(columns));
	for (int i = 0; i < RUN_PART_COUNT; i++) {
		const int part = take_largest(meter, left);

		if (meter->ns[part])
			add_part_row(table, run_part_name((enum run_part)part), meter->ns[part],
				     sum_ns, run_part_meaning((enum run_part)part));
	}
	add_part_row(table, "all", sum_ns, sum_ns, "wall time of the sweep");
	/* like every message, it is lost if standard error is closed */
	(void)table_write(stderr, table, REPORT_TEXT, &look, NULL);
	table_free(table);
}
