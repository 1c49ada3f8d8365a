/* Roofs from the database: in C, and with the views for users. */
#include "ceilings_fixture.h"
#include "context.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t store(struct context *context, const struct roofs *roofs)
{
	int64_t run_id = 0;

	assert_ok(context, roofs_store(context->db, roofs, &run_id, &context->err));
	return run_id;
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value / expected - 1) < 1e-9))
		fail_msg("%g, not %g", value, expected);
}

static const struct ceiling *named(const struct ceiling_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}

/* The best configuration of each variant, with all its measurements. */
static void test_what_a_run_showed(void **state)
{
	struct context *context = *state;
	struct ceiling_list list = {0};
	const struct ceiling *copy;
	int64_t run =
		store(context, &(struct roofs){CEILINGS_LABEL, "here 1", NULL, NULL, 1000, 1});

	assert_ok(context, db_ceilings_load(context->db, run, &list, &context->err));
	assert_int_equal(list.count, 6);
	copy = named(&list, "dram_copy");
	assert_non_null(copy);
	assert_string_equal(copy->config, "block=512");
	assert_near(copy->per_s, 5e12);
	assert_true(copy->low_per_s < 5e12 && copy->high_per_s > 5e12);
	assert_true(copy->high_per_s / copy->low_per_s < 1.02);
	assert_near(copy->sm_clock_hz, 1.7e9);
	assert_int_equal(copy->run_id, run);
	assert_true(copy->trial_id > 0 && copy->time_ns > 0);
	assert_true(copy->peak_per_s > 4.8e12 && copy->peak_per_s < 5e12);
	assert_ptr_equal(ceiling_of_level(&list, LEVEL_DRAM), copy);
	assert_near(ceiling_of_precision(&list, PRECISION_TENSOR_F16)->per_s, 640e12);
	assert_null(ceiling_of_level(&list, LEVEL_L1));
	ceiling_list_release(&list);
}

/* Roofs of another device do not count. The roofs of a run's own session come first, then the
 * newest of the device; an older run supplies what a newer one lacks. */
static void test_which_roofs_are_taken(void **state)
{
	struct context *context = *state;
	struct ceiling_list list = {0};
	struct device_info device = {.name = "NVIDIA H200", .uuid = "GPU-0b1c"};
	int64_t old, newer, partial, exploring;

	old = store(context, &(struct roofs){CEILINGS_LABEL, "here 1", NULL, NULL, 1000, 1});
	newer = store(context, &(struct roofs){CEILINGS_LABEL, "here 2", NULL, NULL, 2000, 2});
	store(context, &(struct roofs){CEILINGS_LABEL, "here 3", "GPU-ffff", NULL, 3000, 4});
	assert_ok(context, db_ceilings_load(context->db, old, &list, &context->err));
	assert_near(named(&list, "dram_copy")->per_s, 5e12);
	assert_int_equal(named(&list, "dram_copy")->run_id, old);
	ceiling_list_release(&list);

	assert_ok(context, db_ceilings_load(context->db, newer, &list, &context->err));
	assert_near(named(&list, "dram_copy")->per_s, 2.5e12);
	ceiling_list_release(&list);

	partial = store(context, &(struct roofs){CEILINGS_LABEL, "here 4", NULL, "dram", 4000, 5});
	assert_ok(context, db_ceilings_of_device(context->db, &device, &list, &context->err));
	assert_near(named(&list, "dram_copy")->per_s, 1e12);
	assert_int_equal(named(&list, "dram_copy")->run_id, partial);
	assert_near(named(&list, "f32_fma")->per_s, 32e12);
	assert_int_equal(named(&list, "f32_fma")->run_id, newer);
	ceiling_list_release(&list);

	/* A sweep of that family with a user's own label makes no roofs. */
	exploring = store(context, &(struct roofs){"exploring", "here 5", NULL, NULL, 5000, 8});
	assert_ok(context, db_ceilings_of_device(context->db, &device, &list, &context->err));
	assert_int_equal(named(&list, "dram_copy")->run_id, partial);
	ceiling_list_release(&list);
	assert_ok(context, db_ceilings_load(context->db, newer, &list, &context->err));
	assert_int_equal(named(&list, "dram_copy")->run_id, newer);
	ceiling_list_release(&list);
	/* But its own run shows what it measured. */
	assert_ok(context, db_ceilings_load(context->db, exploring, &list, &context->err));
	assert_int_equal(named(&list, "dram_copy")->run_id, exploring);
	ceiling_list_release(&list);

	snprintf(device.uuid, sizeof(device.uuid), "GPU-none");
	assert_ok(context, db_ceilings_of_device(context->db, &device, &list, &context->err));
	assert_int_equal(list.count, 0);
	assert_ok(context, db_ceilings_load(context->db, 999, &list, &context->err));
	assert_int_equal(list.count, 0);
}

struct rows {
	const struct ceiling_list *list;
	const struct ceiling *of_device;
	int seen;
};

static int compare_row(void *user, int columns, char **values, char **names)
{
	struct rows *rows = user;
	const struct ceiling *ceiling = named(rows->list, values[0]);

	(void)names;
	assert_int_equal(columns, 11);
	assert_non_null(ceiling);
	assert_string_equal(values[1], ceiling->kind == CEILING_BANDWIDTH ? "bandwidth" : "rate");
	assert_string_equal(values[2], ceiling_of_name(ceiling));
	assert_near(atof(values[3]), ceiling->per_s);
	assert_near(atof(values[4]), ceiling->low_per_s);
	assert_near(atof(values[5]), ceiling->high_per_s);
	assert_string_equal(values[6], ceiling_unit(ceiling));
	assert_near(atof(values[7]), ceiling->sm_clock_hz);
	assert_string_equal(values[8], ceiling->config);
	assert_int_equal(atoll(values[9]), ceiling->run_id);
	assert_int_equal(atoll(values[10]), ceiling->trial_id);
	rows->seen++;
	return 0;
}

/* The view and the C code agree. */
static void test_the_view_is_of_the_same_opinion(void **state)
{
	struct context *context = *state;
	struct ceiling_list list = {0};
	struct device_info device = {.name = "NVIDIA H200", .uuid = "GPU-0b1c"};
	struct rows rows = {.list = &list};
	sqlite3 *handle;

	store(context, &(struct roofs){CEILINGS_LABEL, "here 1", NULL, NULL, 1000, 1});
	store(context, &(struct roofs){CEILINGS_LABEL, "here 2", NULL, "dram", 2000, 2});
	store(context, &(struct roofs){CEILINGS_LABEL, "here 3", "GPU-ffff", NULL, 3000, 4});
	store(context, &(struct roofs){"exploring", "here 4", NULL, NULL, 4000, 8});
	assert_ok(context, db_ceilings_of_device(context->db, &device, &list, &context->err));
	assert_int_equal(sqlite3_open(context->path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle,
				      "SELECT name, kind, \"of\", per_s, low_per_s, high_per_s,"
				      " unit, sm_clock_hz, config, run_id, trial_id FROM ceilings"
				      " WHERE device_id = (SELECT id FROM device"
				      " WHERE uuid = 'GPU-0b1c')",
				      compare_row, &rows, NULL),
			 SQLITE_OK);
	sqlite3_close(handle);
	assert_int_equal(rows.seen, list.count);
	assert_int_equal(rows.seen, 6);
	ceiling_list_release(&list);
}

static double ask(const struct context *context, const char *column)
{
	char *sql = xasprintf("SELECT %s FROM roofline WHERE variant = 'triad'", column);
	sqlite3 *handle;
	sqlite3_stmt *statement;
	double value = NAN;

	assert_int_equal(sqlite3_open(context->path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	if (sqlite3_column_type(statement, 0) != SQLITE_NULL)
		value = sqlite3_column_double(statement, 0);
	assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	free(sql);
	return value;
}

/* The view gives the same values for a trial as metrics/analysis/roofline.c. */
static void test_roofline(void **state)
{
	static const char *const levels[] = {"dram", "l2", "l1", "shared"};
	struct context *context = *state;
	struct ceiling_list list = {0};
	struct roofline_point point;
	struct run run = {0};
	int64_t id = store(context, &(struct roofs){CEILINGS_LABEL, "here 1", NULL, NULL, 1000, 1});

	assert_ok(context, db_run_load(context->db, id, true, &run, &context->err));
	assert_ok(context, db_ceilings_load(context->db, id, &list, &context->err));
	roofline_point_of(&point, &run.trials[7], false, &list);
	/* by hand: 4000 operations and 2000 bytes in a microsecond, below 5 TB/s and 64 TFLOP/s */
	assert_near(ask(context, "dram_intensity"), 2);
	assert_near(ask(context, "flop_per_s"), 4e9);
	assert_near(ask(context, "dram_bytes_per_s"), 2e9);
	assert_near(ask(context, "dram_pct"), 0.04);
	assert_near(ask(context, "flop_pct"), 100 * 4e9 / 64e12);
	assert_near(ask(context, "waste"), 2);
	assert_near(ask(context, "nearest_roof = 'dram' AND precision = 'f32'"), 1);
	assert_near(ask(context, "roof_flop_per_s"), 64e12);

	assert_near(ask(context, "flop"), point.flop);
	assert_near(ask(context, "flop_pct"), point.compute_roof_pct);
	assert_near(ask(context, "waste"), point.waste);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		static const struct {
			const char *suffix;
			size_t offset;
		} columns[] = {
			{"bytes", offsetof(struct roofline_level, bytes)},
			{"bytes_per_s", offsetof(struct roofline_level, bytes_per_s)},
			{"intensity", offsetof(struct roofline_level, intensity)},
			{"pct", offsetof(struct roofline_level, roof_pct)},
		};

		for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
			char *column = xasprintf("%s_%s", levels[i], columns[c].suffix);
			double of_view = ask(context, column), of_c;

			memcpy(&of_c, (char *)&point.level[i] + columns[c].offset, sizeof(of_c));
			if (!(of_view == of_c || (isnan(of_view) && isnan(of_c)) ||
			      fabs(of_view / of_c - 1) < 1e-9))
				fail_msg("%s: %g, and %g in C", column, of_view, of_c);
			free(column);
		}
	}
	ceiling_list_release(&list);
	run_release(&run);
}

/* The operations of tensor cores have roofs of their own. */
static void test_roofline_of_tensor_cores(void **state)
{
	static const struct {
		const char *metric;
		double value;
	} counted[] = {{"flop_f32", 4000}, {"flop_f64", 0}, {"flop_tensor_f16", 32000}};
	struct context *context = *state;
	struct counter_list counters = {0};
	struct ceiling_list list = {0};
	struct roofline_point point;
	struct run run = {0};
	int64_t id = store(context, &(struct roofs){CEILINGS_LABEL, "here 1", NULL, NULL, 1000, 1});

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		counter_list_set(&counters, counted[i].metric, "flop", "test", counted[i].value);
	assert_ok(context, db_run_load(context->db, id, true, &run, &context->err));
	assert_ok(context,
		  db_counters_set(context->db, run.trials[7].id, &counters, &context->err));
	counter_list_release(&counters);
	run_release(&run);
	assert_ok(context, db_run_load(context->db, id, true, &run, &context->err));
	assert_ok(context, db_ceilings_load(context->db, id, &list, &context->err));
	roofline_point_of(&point, &run.trials[7], false, &list);
	assert_int_equal(point.precision, PRECISION_TENSOR_F16);
	/* by hand: 32000 operations in a microsecond, below 640 TFLOP/s */
	assert_near(ask(context, "flop_pct"), 100 * 32e9 / 640e12);
	assert_near(ask(context, "flop_pct"), point.compute_roof_pct);
	assert_near(ask(context, "precision = 'tensor_f16' AND flop = 32000"), 1);
	ceiling_list_release(&list);
	run_release(&run);
}

/* Only the newest trial of a case counts, and failed trials do not. */
static void test_roofline_shows_the_newest(void **state)
{
	struct context *context = *state;

	store(context, &(struct roofs){CEILINGS_LABEL, "here 1", NULL, NULL, 1000, 1});
	store(context, &(struct roofs){CEILINGS_LABEL, "here 2", NULL, NULL, 2000, 2});
	assert_near(ask(context, "median_ns"), 2000);
	assert_near(ask(context, "dram_roof_bytes_per_s"), 2.5e12);
	assert_int_equal(
		context_query(context, "SELECT count(*) FROM roofline WHERE variant = 'broken'"),
		0);
}

#define ceilings_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ceilings_test(test_what_a_run_showed),
		ceilings_test(test_which_roofs_are_taken),
		ceilings_test(test_the_view_is_of_the_same_opinion),
		ceilings_test(test_roofline),
		ceilings_test(test_roofline_of_tensor_cores),
		ceilings_test(test_roofline_shows_the_newest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
