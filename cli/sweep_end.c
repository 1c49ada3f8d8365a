/* What perflab sweep says at its end: where its time went, and what it did not measure. */
#include "cli/sweep_end.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "harness/judge/judge.h"
#include "metrics/against.h"
#include "reports/reports.h"

/* ---- times ---- */

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
	struct cells cells = {0};

	cell_text(&cells, part);
	cell_format(&cells, "%.3f", (double)ns / 1e9);
	cell_format(&cells, "%.1f", 100 * (double)ns / (double)sum_ns);
	cell_text(&cells, meaning);
	cells_end(&cells, table);
}

void say_run_parts(const struct invocation *call, const struct meter *meter)
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

/* ---- cases of the same code ---- */

void say_same_code(const struct run *run)
{
	const size_t same = against_same_count(run);
	size_t now = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		now += !against_is_of_then(run, &run->trials[i]);
	if (same)
		say("%zu of %zu %s the same code as then and %s not measured", same, now,
		    now == 1 ? "case has" : "cases have", same == 1 ? "was" : "were");
}

/* How the time of a sentinel changed; NAN: it has none, or not in both runs. */
static double sentinel_change(const char *name, const struct run *run, const struct run *since)
{
	const struct run *const both[] = {since, run};
	double median_ns[] = {NAN, NAN};

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < both[side]->trial_count; i++) {
			char *own = trial_case_name(&both[side]->trials[i]);

			if (!strcmp(own, name))
				median_ns[side] = both[side]->trials[i].summary.median_ns;
			free(own);
		}
	return median_ns[1] / median_ns[0] - 1;
}

/* "+0.3 %, -0.1 %". Empty: no sentinel has a time. */
static void add_sentinels(struct text *out, const struct run *run, const struct run *since)
{
	const struct key_value_list *facts = &run->environment;

	for (size_t i = 0; i < facts->count; i++) {
		const double change =
			strncmp(facts->items[i].key, SENTINEL_PREFIX, strlen(SENTINEL_PREFIX))
				? NAN
				: sentinel_change(facts->items[i].value, run, since);

		if (isfinite(change))
			text_addf(out, "%s%+.1f %%", out->length ? ", " : "", 100 * change);
	}
}

int say_unchanged(struct db *db, const struct run *run, struct error *err)
{
	const char *uid = key_value_get(&run->environment, CHANGED_SINCE_KEY);
	struct run since = {0};
	struct text sentinels = TEXT_INIT;
	size_t unchanged = 0, measured_then = 0;
	char saved[32] = "an unknown time";
	int64_t id = 0, wall_ns = 0;
	int rc = uid ? db_run_resolve(db, uid, &id, err) : 0;

	if (!rc && id)
		rc = run_load(db, id, true, &since, err);
	for (size_t i = 0; i < run->trial_count; i++)
		unchanged += trial_is_unchanged(&run->trials[i]);
	for (size_t i = 0; i < since.trial_count; i++)
		measured_then += since.trials[i].status != TRIAL_SKIPPED;
	if (!rc && id)
		rc = db_run_parts_sum(db, id, &wall_ns, err);
	if (wall_ns && measured_then)
		format_duration(saved, (double)wall_ns * (double)unchanged / (double)measured_then);
	if (!rc && id && unchanged)
		say("%zu of %zu %s as in run %lld and %s not measured; that run took about %s for "
		    "as many",
		    unchanged, run->trial_count, run->trial_count == 1 ? "case is" : "cases are",
		    (long long)id, unchanged == 1 ? "was" : "were", saved);
	if (!rc && id)
		add_sentinels(&sentinels, run, &since);
	if (sentinels.length)
		say("the times of the unchanged cases that were measured differ by %s, which is "
		    "the "
		    "state of the session",
		    sentinels.data);
	text_release(&sentinels);
	run_release(&since);
	return rc;
}
