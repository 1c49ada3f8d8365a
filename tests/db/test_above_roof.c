/* The view above_roof finds the trials that verdict_is_above_roof() finds, and `best` has none. */
#include "ceilings_fixture.h"
#include "context.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS 400
#define MEDIAN_NS 100000.0

static double draw(uint64_t *seed, double low, double high)
{
	/* Knuth's MMIX constants; the upper bits */
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

static void count_at_random(struct context *context, int64_t trial_id, uint64_t *seed)
{
	/* what the roofs of the fixture allow in 100 us; there is none of the L1 */
	static const struct {
		const char *metric;
		double most;
	} counted[] = {{"dram_bytes", 500e6},     {"l2_from_l1_bytes", 800e6}, {"l1_bytes", 1e9},
		       {"shared_bytes", 3200e6},  {"flop_f32", 6.4e9},         {"flop_f64", 6.4e9},
		       {"flop_tensor_f16", 64e9}, {"model_flop_f32", 1}};
	struct counter_list list = {0};

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		if (draw(seed, 0, 1) < 0.4)
			counter_list_set(&list, counted[i].metric, "", "test",
					 counted[i].most * draw(seed, 0, 1.14));
		else if (draw(seed, 0, 1) < 0.5)
			counter_list_set_missing(&list, counted[i].metric, "", "test", "none");
	}
	assert_ok(context, db_counters_set(context->db, trial_id, &list, &context->err));
	counter_list_release(&list);
}

static void finish_at_random(struct context *context, int64_t trial_id, uint64_t *seed)
{
	const double half = draw(seed, 0, 0.01);
	const bool known = draw(seed, 0, 1) < 0.8, verified = draw(seed, 0, 1) < 0.8;
	const struct summary summary = {
		.count = known ? 20 : 3,
		.median_ns = MEDIAN_NS,
		.mad_ns = 1,
		.session_low_ns = known ? MEDIAN_NS * (1 - half) : NAN,
		.session_high_ns = known ? MEDIAN_NS * (1 + half) : NAN,
		.min_ns = 0.9 * MEDIAN_NS,
		.max_ns = 1.1 * MEDIAN_NS,
	};

	assert_ok(context,
		  db_trial_finish(context->db, trial_id, verified ? TRIAL_OK : TRIAL_UNVERIFIED,
				  verified ? NULL : "verify none", &summary, &context->err));
}

static void draw_work(struct trial *trial, uint64_t *seed)
{
	double share = draw(seed, 0, 1), bytes = draw(seed, 0, 700e6);

	if (draw(seed, 0, 1) < 0.2)
		return;
	trial->has_work = true;
	trial->bytes_read = (int64_t)(bytes * share);
	trial->bytes_written = (int64_t)(bytes * (1 - share));
	trial->flop = (int64_t)draw(seed, 0, 70e9);
}

static int64_t store_random_run(struct context *context, unsigned settings_known,
				enum cache_mode cache, uint64_t *seed)
{
	struct run run = fixture_run(NULL);
	int64_t id;

	for (size_t i = 0; i < run.trial_count; i++)
		trial_release(&run.trials[i]);
	free(run.trials);
	run.trials = xcalloc(TRIALS, sizeof(*run.trials));
	run.trial_count = TRIALS;
	run.settings_known = settings_known;
	run.settings.cache = cache;
	for (size_t i = 0; i < TRIALS; i++) {
		run.trials[i] = (struct trial){
			.position = (int64_t)i,
			.kernel = xstrdup(i % 20 ? "random" : CEILINGS_KERNEL),
			.variant = xasprintf("cache_%d_%u", cache, settings_known),
			.config = xasprintf("n=%zu", i),
			.speedup = trial_speedup_none,
		};
		draw_work(&run.trials[i], seed);
	}
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	for (size_t i = 0; i < TRIALS; i++) {
		count_at_random(context, run.trials[i].id, seed);
		finish_at_random(context, run.trials[i].id, seed);
	}
	assert_ok(context, db_run_finish(context->db, run.id, RUN_FINISHED, &context->err));
	id = run.id;
	run_release(&run);
	return id;
}

/* The trials of a run that verdict_of() finds above a roof, as a list for SQL; their number. */
static size_t find_above(struct text *ids, struct context *context, int64_t run_id)
{
	struct ceiling_list ceilings = {0};
	struct run run = {0};
	size_t above = 0;

	assert_ok(context, db_run_load(context->db, run_id, true, &run, &context->err));
	assert_ok(context, db_ceilings_load(context->db, run_id, &ceilings, &context->err));
	for (size_t i = 0; i < run.trial_count; i++) {
		const struct verdict_context judged = verdict_context_of(&run, &ceilings);
		struct roofline_point point;

		roofline_point_of(&point, &run.trials[i], false, &ceilings);
		if (verdict_is_above_roof(&run.trials[i], &point, &judged))
			text_addf(ids, "%s%lld", above++ ? ", " : "", (long long)run.trials[i].id);
	}
	ceiling_list_release(&ceilings);
	run_release(&run);
	return above;
}

/* Returns how many trials are above a roof; each must be in the view, and no other. */
static size_t compare_view(struct context *context, int64_t run_id)
{
	static const char trials[] = "SELECT count(DISTINCT trial_id) FROM above_roof";
	struct text ids = TEXT_INIT;
	size_t above = find_above(&ids, context, run_id);
	char *all = xasprintf("%s WHERE run_id = %lld", trials, (long long)run_id);
	char *common = xasprintf("%s WHERE trial_id IN (%s)", trials, ids.data ? ids.data : "");

	assert_int_equal(context_query(context, common), above);
	assert_int_equal(context_query(context, all), above);
	free(all);
	free(common);
	text_release(&ids);
	return above;
}

static void test_the_view_has_the_rule_of_reports(void **state)
{
	static const struct {
		unsigned known;
		enum cache_mode cache;
		const char *device;
	} runs[] = {
		{SETTINGS_ALL, CACHE_COLD, "cc_major = 8, cc_minor = 0"},
		{SETTINGS_ALL, CACHE_HOT, "cc_major = 9, cc_minor = 0"},
		{SETTING_PRECISION, CACHE_COLD, "l2_bytes = 1000000"},
		{SETTINGS_ALL, CACHE_COLD, "l2_bytes = NULL"},
		{SETTINGS_ALL, CACHE_HOT, "l2_bytes = NULL"},
	};
	struct context *context = *state;
	uint64_t seed = 1;

	assert_ok(context, roofs_store(context->db,
				       &(struct roofs){CEILINGS_LABEL, "here", NULL, NULL, 1000, 1},
				       NULL, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		int64_t id = store_random_run(context, runs[i].known, runs[i].cache, &seed);
		char *sql = xasprintf("UPDATE device SET %s", runs[i].device);
		size_t above;

		sql_execute(context->path, sql);
		free(sql);
		above = compare_view(context, id);
		assert_true(above > TRIALS / 10 && above < TRIALS * 9 / 10);
	}
}

static void test_the_best_is_below_its_roofs(void **state)
{
	struct context *context = *state;
	uint64_t seed = 2;

	assert_ok(context, roofs_store(context->db,
				       &(struct roofs){CEILINGS_LABEL, "here", NULL, NULL, 1000, 1},
				       NULL, &context->err));
	store_random_run(context, SETTINGS_ALL, CACHE_COLD, &seed);
	assert_true(context_query(context, "SELECT count(*) FROM best WHERE kernel = 'random'") >
		    10);
	assert_int_equal(context_query(context, "SELECT count(*) FROM best WHERE trial_id IN "
						"(SELECT trial_id FROM above_roof)"),
			 0);
	/* of the others, each is the best of its problem here */
	assert_int_equal(
		context_query(context, "SELECT (SELECT count(*) FROM best)"
				       " + (SELECT count(DISTINCT trial_id) FROM above_roof)"
				       " - (SELECT count(*) FROM newest WHERE timed_trial_id)"),
		context_query(context, "SELECT -1")); /* two copies of the fixture's ceilings */
	/* without ceilings, nothing is above one */
	sql_execute(context->path, "UPDATE run SET label = 'other' WHERE label = 'ceilings'");
	assert_int_equal(context_query(context, "SELECT count(*) FROM above_roof"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_view_has_the_rule_of_reports,
						context_setup_open, context_teardown),
		cmocka_unit_test_setup_teardown(test_the_best_is_below_its_roofs,
						context_setup_open, context_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
