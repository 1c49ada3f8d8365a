/* The views that answer without a join, and the stored limiters. */
#include "context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ceilings_fixture.h"

/* Asserts that a condition on the only row of `results` of a case holds. */
static void assert_result(const struct context *context, int64_t trial_id, const char *condition)
{
	char *sql = xasprintf("SELECT count(*) FROM results WHERE trial_id = %lld AND (%s)",
			      (long long)trial_id, condition);

	if (context_query(context, sql) != 1)
		fail_msg("not so: %s", condition);
	free(sql);
}

static int64_t store_run(struct context *context, struct run *run)
{
	assert_ok(context, fixture_store(context->db, run, &context->err));
	return run->trials[FIXTURE_OK].id;
}

static void set_counter(struct context *context, int64_t trial_id, const char *const *names,
			size_t count, double value)
{
	struct counter_list counters = {0};

	for (size_t i = 0; i < count; i++)
		counter_list_set(&counters, names[i], "", "test", value * (double)(i + 1));
	assert_ok(context, db_counters_set(context->db, trial_id, &counters, &context->err));
	counter_list_release(&counters);
}

static void a_result_has_everything(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("nightly");
	int64_t id;

	key_value_set(&run.environment, "gpu.persistence_mode", "on");
	id = store_run(context, &run);
	assert_result(context, id,
		      "label = 'nightly' AND kernel = 'reduce' AND variant = 'shuffle'"
		      " AND block = 256 AND n = 16777216 AND device = 'NVIDIA H200'");
	assert_result(context, id,
		      "json_extract(axes, '$.block') = 256"
		      " AND json_extract(axes, '$.n') = 16777216");
	assert_result(context, id, "status = 'ok' AND verified = 1 AND NOT failed AND is_newest");
	assert_result(
		context, id,
		"median_ns = 1504.5 AND session_low_ns < median_ns AND session_high_ns > median_ns"
		" AND sample_count = 20 AND mean_ns IS NULL");
	assert_result(context, id, "achieved_occupancy_pct = 93.5 AND dram_read_bytes = 67108864");
	/* a counter with a reason, and one that nobody asked for */
	assert_result(context, id, "branch_efficiency_pct IS NULL AND bank_conflict_pct IS NULL");
	assert_result(context, id,
		      "json_extract(counters, '$.dram_read_bytes') = 67108864"
		      " AND json_type(counters, '$.branch_efficiency_pct') IS NULL");
	assert_result(context, id,
		      "persistence_mode = 'on' AND driver = '580.159.04'"
		      " AND environment ->> 'hostname' = 'bench-01'");
	assert_result(context, id, "model_bytes = 67108868 AND model_bytes_per_s > 4.4e13");
	assert_result(context, id, "speedup = 1.255 AND base_variant = 'sequential'");
	assert_result(context, run.trials[FIXTURE_BARE].id,
		      "failed AND verified IS NULL AND reason = 'ran longer than 2 s'"
		      " AND sample_count > 0 AND median_ns IS NULL AND min_ns IS NULL");
	assert_result(context, run.trials[FIXTURE_SKIPPED].id, "NOT failed AND NOT is_newest");
	run_release(&run);
}

/* An imported result is ok if its program says so, which perflab did not check. */
static void an_imported_result_is_not_claimed_as_verified(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("imported");
	int64_t id;

	key_value_set(&run.environment, "imported_from", "nvbench.json");
	id = store_run(context, &run);
	assert_result(context, id, "status = 'ok' AND median_ns > 0 AND verified IS NULL");
	assert_int_equal(
		context_query(context, "SELECT count(*) FROM results WHERE verified IS NOT NULL"),
		0);
	run_release(&run);
}

/* Equal names would let a count of PTX pass for a measurement, and an absent counter for 0. */
static void counts_are_told_from_measurements(void **state)
{
	static const char *const hardware[] = {"shared_load_bank_conflicts",
					       "shared_store_bank_conflicts",
					       "shared_load_wavefronts", "shared_store_wavefronts"};
	static const char *const emulated[] = {
		"ptx_shared_bank_conflicts", "ptx_shared_load_wavefronts",
		"ptx_shared_store_wavefronts", "ptx_branch_efficiency_pct"};
	struct context *context = *state;
	struct run run = fixture_run("device"), other = fixture_run("laptop");
	int64_t id = store_run(context, &run), ptx;

	fixture_emulate(&other);
	ptx = store_run(context, &other);
	set_counter(context, id, hardware, ARRAY_SIZE(hardware), 1);
	set_counter(context, ptx, emulated, ARRAY_SIZE(emulated), 3);
	assert_result(context, id,
		      "bank_conflicts = 3 AND abs(bank_conflict_pct - 300.0 / 7) < 1e-9"
		      " AND ptx_bank_conflict_pct IS NULL");
	assert_result(context, ptx,
		      "bank_conflict_pct IS NULL AND branch_efficiency_pct IS NULL"
		      " AND ptx_bank_conflict_pct = 20"
		      " AND ptx_branch_efficiency_pct = 12");
	/* one of the four counters is missing; then there are no wavefronts */
	set_counter(context, id, hardware, 3, 1);
	assert_result(context, id, "bank_conflict_pct IS NULL");
	set_counter(context, id, hardware, ARRAY_SIZE(hardware), 0);
	assert_result(context, id, "bank_conflict_pct IS NULL AND bank_conflicts = 0");
	run_release(&run);
	run_release(&other);
}

static void json_stays_json(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("quotes");
	static const char *const names[] = {"dram_bytes", "a\"quoted", "back\\slash"};
	int64_t id;

	key_value_set(&run.environment, "a \"key\"", "a \"value\" with \\ and\ttab\nand line");
	key_value_set(&run.environment, "bell", "rings \a");
	key_value_set(&run.environment, "unit", "µs");
	id = store_run(context, &run);
	set_counter(context, id, names, ARRAY_SIZE(names), 0.1);
	assert_result(context, id,
		      "json_valid(environment) AND json_valid(counters)"
		      " AND json_valid(axes)");
	assert_result(context, id,
		      "environment ->> '$.unit' = 'µs'"
		      " AND (SELECT value FROM json_each(environment) WHERE key = 'a \"key\"')"
		      " = 'a \"value\" with \\ and' || char(9) || 'tab' || char(10) || 'and line'");
	/* JSON has no such character; the table has it */
	assert_result(context, id, "json_type(environment, '$.bell') IS NULL");
	assert_result(context, id, "counters = '{\"dram_bytes\":0.1}'");
	run_release(&run);
}

static void a_detail_names_its_result(void **state)
{
	static const char *const views[] = {"result_counters", "result_rounds", "result_samples"};
	static const int rows[] = {3, 2, 20};
	struct context *context = *state;
	struct run run = fixture_run("nightly");

	store_run(context, &run);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		char *sql = xasprintf("SELECT count(*) FROM %s WHERE run_id = %lld AND kernel ="
				      " 'reduce' AND variant = 'shuffle' AND block = 256 AND label"
				      " = 'nightly' AND is_newest",
				      views[i], (long long)run.id);

		assert_int_equal(context_query(context, sql), rows[i]);
		free(sql);
	}
	assert_int_equal(context_query(context, "SELECT count(*) FROM result_counters WHERE name ="
						" 'branch_efficiency_pct' AND value IS NULL AND"
						" reason = 'the kernel has no branches'"),
			 1);
	run_release(&run);
}

/* What people guess. */
static void guessed_names_work(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("nightly");

	store_run(context, &run);
	assert_int_equal(context_query(context, "SELECT count(*) FROM counters AS c WHERE c.name ="
						" 'dram_read_bytes' AND c.metric = c.name"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM environment WHERE"
						" environment.name = 'hostname' AND key = name"),
			 1);
	run_release(&run);
}

/* ---- limiters ---- */

static void store_limiter(struct context *context, int64_t run_id, int64_t trial_id,
			  enum bound bound, int64_t roofs)
{
	struct verdict_note advice = {.rule = "dram", .text = (char *)"fuse"};
	struct verdict_note notes[] = {{.rule = "spills", .text = (char *)"8 bytes"},
				       {.rule = "sectors", .text = (char *)"32"}};
	struct trial_limiter item = {.trial_id = trial_id};
	struct trial trial = {0};

	roofline_point_of(&item.point, &trial, false, NULL);
	item.point.flop = 1000;
	item.point.compute_roof_pct = 7;
	item.point.level[LEVEL_DRAM].roof_pct = 61.5;
	item.verdict = (struct verdict){.bound = bound,
					.roof_pct = 61.5,
					.summary = (char *)"in a sentence",
					.notes = notes,
					.note_count = 2,
					.advice = &advice,
					.advice_count = 1};
	assert_ok(context, db_limiters_store(context->db, run_id, &item, 1, roofs, &context->err));
}

static void store_modelled_limiter(struct context *context, int64_t run_id, int64_t trial_id)
{
	struct trial_limiter item = {.trial_id = trial_id};
	struct trial trial = {0};

	roofline_point_of(&item.point, &trial, false, NULL);
	item.point.flop = 3;
	item.point.compute_roof_pct = 0.1;
	item.point.model.used = item.point.model.has_precision = true;
	item.point.model.precision = PRECISION_BF16;
	item.point.model.compute_roof_pct = 65;
	item.verdict = (struct verdict){.bound = BOUND_COMPUTE,
					.roof_pct = 65,
					.from_model = true,
					.summary = (char *)"by the work model"};
	assert_ok(context, db_limiters_store(context->db, run_id, &item, 1, 0, &context->err));
}

static void a_limiter_is_stored_and_replaced(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("nightly");
	int64_t id = store_run(context, &run);

	assert_result(context, id,
		      "limiter IS NULL AND dram_pct IS NULL AND rules IS NULL"
		      " AND summary LIKE 'not judged yet%'");
	store_limiter(context, run.id, id, BOUND_DRAM, 0);
	assert_result(context, id,
		      "limiter = 'dram' AND limiter_pct = 61.5 AND dram_pct = 61.5"
		      " AND l2_pct IS NULL AND summary = 'in a sentence' AND advice ="
		      " 'fuse' AND notes = 'spills: 8 bytes' || char(10) ||"
		      " 'sectors: 32' AND nearest_roof = 'dram' AND counted_flop = 1000");
	assert_result(context, id,
		      "model_limiter IS NULL AND model_limiter_pct IS NULL AND"
		      " model_compute_pct IS NULL AND compute_pct = 7");
	store_limiter(context, run.id, id, BOUND_UNKNOWN, 0);
	assert_result(context, id, "limiter IS NULL AND limiter_pct = 61.5");
	/* what follows from the work model has names of its own */
	store_modelled_limiter(context, run.id, id);
	assert_result(context, id,
		      "limiter IS NULL AND limiter_pct IS NULL AND compute_pct IS NULL"
		      " AND model_limiter = 'compute' AND model_limiter_pct = 65"
		      " AND model_compute_pct = 65 AND model_precision = 'bf16'");
	/* a trial of another run */
	assert_int_not_equal(
		db_limiters_store(
			context->db, run.id + 1,
			&(struct trial_limiter){.trial_id = id, .verdict.summary = (char *)""}, 1,
			0, &context->err),
		0);
	run_release(&run);
}

static bool note_unjudged(void *context, int64_t run_id)
{
	struct text *runs = context;

	text_addf(runs, "%lld ", (long long)run_id);
	return true;
}

static void assert_unjudged(struct context *context, const char *expected)
{
	struct text runs = TEXT_INIT;

	text_add(&runs, "");
	assert_ok(context, db_unjudged_visit(context->db, note_unjudged, &runs, &context->err));
	assert_string_equal(runs.data ? runs.data : "", expected);
	text_release(&runs);
}

static void a_run_is_judged_again_when_it_has_roofs(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("nightly"), laptop = fixture_run("laptop");
	int64_t id = store_run(context, &run), ptx, roofs;

	fixture_emulate(&laptop);
	laptop.started_ns--;
	ptx = store_run(context, &laptop);
	assert_unjudged(context, "1 2 ");
	store_limiter(context, run.id, id, BOUND_UNKNOWN, 0);
	store_limiter(context, laptop.id, ptx, BOUND_UNKNOWN, 0);
	assert_unjudged(context, "");
	/* an emulated run needs none */
	assert_ok(context,
		  roofs_store(context->db, &(struct roofs){"ceilings", "here 1", NULL, NULL, 1, 1},
			      &roofs, &context->err));
	assert_unjudged(context, "1 3 ");
	store_limiter(context, run.id, id, BOUND_DRAM, roofs);
	assert_unjudged(context, "3 ");
	sql_execute(context->path, "UPDATE judgement SET rules = rules - 1");
	assert_unjudged(context, "1 2 3 ");
	run_release(&run);
	run_release(&laptop);
}

/* ---- older files ---- */

int main(void)
{
#define OPEN(name) cmocka_unit_test_setup_teardown(name, context_setup_open, context_teardown)
	const struct CMUnitTest tests[] = {
		OPEN(a_result_has_everything),
		OPEN(an_imported_result_is_not_claimed_as_verified),
		OPEN(counts_are_told_from_measurements),
		OPEN(json_stays_json),
		OPEN(a_detail_names_its_result),
		OPEN(guessed_names_work),
		OPEN(a_limiter_is_stored_and_replaced),
		OPEN(a_run_is_judged_again_when_it_has_roofs),
	};

	return cmocka_run_group_tests_name("db_results", tests, NULL, NULL);
}
