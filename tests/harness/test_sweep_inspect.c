/* A worker that inspects by launch is asked once about equal launches, and only then. */
#include "harness/sweep/sweep_parts.h"
#include "sweep_fixture.h"

#include <stdlib.h>
#include <string.h>

/* Makes the launches of the three variants equal: then only the block size tells the six cases
 * apart, which alternates. The names stay. */
static void launch_the_same(struct sweep_fixture *f)
{
	for (size_t i = 2; i < CASES; i++) {
		struct launch_case *work = f->record.plan->cases[i].launch;
		const struct launch_case *first = f->record.plan->cases[i % 2].launch;

		free(work->image);
		work->image = xstrdup(first->image);
		for (size_t launch = 0; launch < work->launch_count; launch++) {
			free(work->launches[launch].entry);
			work->launches[launch].entry = xstrdup(first->launches[launch].entry);
		}
	}
}

/* The caller closes the sweep. */
static void inspect_scripted(struct sweep *sweep, struct sweep_fixture *f, const char *script)
{
	set_variable("FAKE_WORKER_SCRIPT", script);
	launch_the_same(f);
	assert_int_equal(sweep_open(sweep, "fake", NULL, &f->err), 0);
	assert_int_equal(sweep_inspect(sweep, f->record.plan, &f->err), 0);
}

static void test_equal_launches_are_inspected_once(void **context)
{
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, NULL);

	inspect_scripted(&sweep, f, "inspects_by_launch");
	assert_int_equal(sweep_logged(f, "inspect", ""), 2);
	assert_int_equal(sweep_logged(f, "inspect", "alpha/one/"), 2);
	for (size_t i = 0; i < CASES; i++) {
		assert_true(sweep.cases[i].inspected);
		assert_string_equal(sweep.cases[i].facts.code_hash,
				    sweep.cases[i % 2].facts.code_hash);
		assert_int_equal(sweep.cases[i].facts.registers_per_thread,
				 sweep.cases[i % 2].facts.registers_per_thread);
	}
	assert_string_not_equal(sweep.cases[0].facts.code_hash, sweep.cases[1].facts.code_hash);
	sweep_close(&sweep, 0);
}

/* A worker that does not say it may look at anything. */
static void test_another_worker_is_asked_about_each(void **context)
{
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, NULL);

	inspect_scripted(&sweep, f, NULL);
	assert_int_equal(sweep_logged(f, "inspect", ""), CASES);
	sweep_close(&sweep, 0);
}

/* Cases with equal launches are inspected once, and each of them gets the findings. */
static void test_findings_are_shared(void **context)
{
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, NULL);

	inspect_scripted(&sweep, f,
			 "inspects_by_launch;inspect_skip:alpha/one/block=64;"
			 "inspect_unverified:alpha/one/block=128");
	assert_int_equal(sweep_logged(f, "inspect", ""), 2);
	for (size_t i = 0; i < CASES; i += 2) {
		assert_string_equal(f->record.plan->cases[i].skip_reason,
				    "its registers do not allow this block");
		assert_string_equal(sweep.cases[i + 1].unverified, "scripted: inspect_unverified");
	}
	assert_int_equal(f->record.plan->runnable, CASES / 2);
	sweep_close(&sweep, 0);
}

/* A worker that dies says nothing about another case. */
static void test_a_crash_is_of_one_case(void **context)
{
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, NULL);

	inspect_scripted(&sweep, f, "inspects_by_launch;inspect_crash:alpha/one/block=64");
	assert_int_equal(sweep.cases[0].early_status, TRIAL_CRASHED);
	assert_non_null(strstr(sweep.cases[0].early_reason, "the worker died in inspection"));
	for (size_t i = 1; i < CASES; i++)
		assert_int_equal(sweep.cases[i].early_status, TRIAL_OK);
	assert_int_equal(sweep_logged(f, "inspect", ""), 3); /* the third case for itself */
	assert_int_equal(sweep_logged(f, "inspect", "alpha/two/block=64"), 1);
	sweep_close(&sweep, 0);
}

/* ---- what makes launches equal ---- */

static void make_nothing(struct launch_case *work)
{
	(void)work;
}

static void make_other_sizes(struct launch_case *work)
{
	work->axes[1].value = 8;
	work->buffers[0].length = 8;
	work->buffers[0].fill_high = 2;
	work->bytes_read = 32;
	work->has_flop = false;
	work->tolerance_abs = 1;
	for (size_t i = 0; i < work->launch_count; i++) {
		work->launches[i].args[1].integer = 3;
		work->launches[i].grid[0] = 1;
	}
}

static void make_other_image(struct launch_case *work)
{
	work->image[0] = 'b';
}

static void make_other_entry(struct launch_case *work)
{
	work->launches[1].entry[0] = 'b';
}

static void make_other_block(struct launch_case *work)
{
	work->launches[1].block[2] = 2;
	work->launches[1].grid[0] = 1;
}

static void make_more_shared(struct launch_case *work)
{
	work->launches[0].shared_bytes++;
}

static void make_cluster(struct launch_case *work)
{
	work->launches[0].cluster[0] = 2;
}

static void make_carveout(struct launch_case *work)
{
	work->launches[0].has_carveout = true;
}

static void make_second_largest(struct launch_case *work)
{
	work->launches[1].grid[0]++;
}

static void make_unchecked(struct launch_case *work)
{
	work->check.kind = CHECK_NONE;
}

static void make_capture(struct launch_case *work)
{
	work->buffers[0].fill = FILL_CAPTURE;
}

static void make_replacement(struct launch_case *work)
{
	work->is_replacement = true;
}

static void make_library(struct launch_case *work)
{
	strcpy(work->launches[0].library, "cub");
}

static void make_cooperative(struct launch_case *work)
{
	work->launches[0].cooperative = true;
}

static void make_cooperative_larger(struct launch_case *work)
{
	work->launches[0].cooperative = true;
	work->launches[0].grid[0]++;
}

static void test_which_launches_are_equal(void **context)
{
	static const struct {
		void (*first)(struct launch_case *work), (*second)(struct launch_case *work);
		bool equal;
	} rows[] = {
		{make_nothing, make_nothing, true},
		{make_nothing, make_other_sizes, true},
		{make_cooperative, make_cooperative, true},
		{make_cooperative, make_cooperative_larger, false},
		{make_nothing, make_other_image, false},
		{make_nothing, make_other_entry, false},
		{make_nothing, make_other_block, false},
		{make_nothing, make_more_shared, false},
		{make_nothing, make_cluster, false},
		{make_nothing, make_carveout, false},
		{make_nothing, make_second_largest, false},
		{make_nothing, make_unchecked, false},
		{make_nothing, make_capture, false},
		{make_nothing, make_replacement, false},
		{make_nothing, make_cooperative, false},
		{make_library, make_library, false}, /* its memory depends on the arguments */
	};
	const struct inspection answer = {.status = TRIAL_OK};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct launch_case *first = make_case("alpha", "one", 64);
		struct launch_case *second = make_case("alpha", "one", 64);
		struct inspections known = INSPECTIONS_INIT;

		rows[i].first(first);
		rows[i].second(second);
		assert_null(inspections_find(&known, first));
		inspections_add(&known, &answer);
		if (rows[i].equal != (inspections_find(&known, second) != NULL))
			fail_msg("row %zu", i);
		inspections_release(&known);
		launch_case_free(first);
		launch_case_free(second);
	}
}

/* More than the table begins with. */
static void test_many_launches(void **context)
{
	struct launch_case *work = make_case("alpha", "one", 64);
	struct inspections known = INSPECTIONS_INIT;

	(void)context;
	for (int64_t bytes = 0; bytes < 1000; bytes++) {
		work->launches[0].shared_bytes = bytes;
		assert_null(inspections_find(&known, work));
		inspections_add(&known,
				&(struct inspection){.status = TRIAL_OK,
						     .facts = {.shared_dynamic_bytes = bytes}});
	}
	for (int64_t bytes = 0; bytes < 1000; bytes++) {
		const struct inspection *found;

		work->launches[0].shared_bytes = bytes;
		found = inspections_find(&known, work);
		assert_non_null(found);
		assert_int_equal(found->facts.shared_dynamic_bytes, bytes);
	}
	inspections_release(&known);
	launch_case_free(work);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_equal_launches_are_inspected_once),
		SWEEP_TEST(test_another_worker_is_asked_about_each),
		SWEEP_TEST(test_findings_are_shared),
		SWEEP_TEST(test_a_crash_is_of_one_case),
		cmocka_unit_test(test_which_launches_are_equal),
		cmocka_unit_test(test_many_launches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
