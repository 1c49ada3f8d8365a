/* What the results of a case are compared with, for each kind of check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/workers/case_buffers.h"
#include "harness/workers/expected.h"
#include "kernels/npy.h"
#include "metrics/settings.h"

#define N 4

/* A case of x -> y and z, whose check the tests set. */
struct bench {
	struct case_buffer buffers[3];
	struct launch_case work;
	float x[N], y[N], z[1];
	struct host_buffers inputs, expected;
};

static void bench_init(struct bench *bench, struct case_check check)
{
	*bench = (struct bench){
		.buffers = {{.name = "x", .type = ELEMENT_F32, .length = N, .role = BUFFER_IN},
			    {.name = "y", .type = ELEMENT_F32, .length = N, .role = BUFFER_OUT},
			    {.name = "z", .type = ELEMENT_F32, .length = 1, .role = BUFFER_OUT}},
		.x = {1, 2, 3, 4},
	};
	bench->work = (struct launch_case){
		.kernel = "mine",
		.variant = "fast",
		.image = "/tmp/k.cubin",
		.axes = {{"block", 64}, {"n", N}},
		.axis_count = 2,
		.buffers = bench->buffers,
		.buffer_count = 3,
		.check = check,
	};
	bench->inputs.data[0] = bench->x;
	bench->expected.data[1] = bench->y;
	bench->expected.data[2] = bench->z;
}

static int compute(struct bench *bench, struct error *err)
{
	return case_expected_compute(&bench->work, NULL, &bench->inputs, &bench->expected,
				     case_check_end_ns(measure_settings_default.timeout_ns), err);
}

static void must_compute(struct bench *bench)
{
	struct error err = {0};

	if (compute(bench, &err))
		fail_msg("%s", err.text);
}

static void refuses(struct bench *bench, int code, const char *says)
{
	struct error err = {0};
	int rc = compute(bench, &err);

	if (rc != code || !strstr(err.text, says))
		fail_msg("code %d, \"%s\"; expected \"%s\"", rc, err.text, says);
}

static void test_expressions(void **context)
{
	struct case_check_item items[] = {{1, "n * x + i", false}, {2, "sum(x)", false}};
	const float y[] = {4, 9, 14, 19};
	struct bench bench;

	(void)context;
	bench_init(&bench, (struct case_check){CHECK_EXPRESSION, .items = items, .item_count = 2});
	must_compute(&bench);
	assert_memory_equal(bench.y, y, sizeof(y));
	assert_true(bench.z[0] == 10);

	items[1].text = "sum(x";
	refuses(&bench, PL_EPARSE, "verify z = sum(x");
	items[1].text = "x[n]";
	refuses(&bench, PL_EUSAGE, "verify z = x[n]");
	/* results have no value before the launch */
	items[1].text = "y[0]";
	refuses(&bench, PL_EPARSE, "verify z = y[0]");
	items[1].text = "colour";
	refuses(&bench, PL_EPARSE, "colour");
}

/* Without this, a result that nothing computes would be compared with zeroes. */
static void test_a_result_that_nothing_describes(void **context)
{
	struct case_check_item items[] = {{1, "x", false}, {1, "x", false}};
	struct bench bench;

	(void)context;
	bench_init(&bench, (struct case_check){CHECK_EXPRESSION, .items = items, .item_count = 2});
	refuses(&bench, PL_EUSAGE, "nothing verifies the result 'z': add a line verify z");
	bench.work.check.item_count = 0;
	refuses(&bench, PL_EUSAGE, "nothing verifies the result 'y'");
	bench.work.check.kind = CHECK_FILE;
	refuses(&bench, PL_EUSAGE, "nothing verifies the result 'y'");
}

static void test_files(void **context)
{
	char folder[] = "/tmp/perflab-test-expected-XXXXXX";
	const float y[] = {0.5F, 1, -2, 1e30F}, z = 7;
	struct case_check_item items[2] = {{1, NULL, false}, {2, NULL, false}};
	struct error err = {0};
	struct bench bench;

	(void)context;
	assert_non_null(mkdtemp(folder));
	items[0].text = xasprintf("%s/y.npy", folder);
	items[1].text = xasprintf("%s/z.npy", folder);
	assert_int_equal(npy_write(items[0].text, ELEMENT_F32, y, N, &err), 0);
	assert_int_equal(npy_write(items[1].text, ELEMENT_F32, &z, 1, &err), 0);
	bench_init(&bench, (struct case_check){CHECK_FILE, .items = items, .item_count = 2});
	must_compute(&bench);
	assert_memory_equal(bench.y, y, sizeof(y));
	assert_true(bench.z[0] == z);
	/* beside an expression, and in place of what a command writes */
	bench.z[0] = 0;
	bench.work.check =
		(struct case_check){CHECK_EXPRESSION,
				    .items = (struct case_check_item[]){{1, (char *)"5", false},
									{2, items[1].text, true}},
				    .item_count = 2};
	must_compute(&bench);
	assert_true(bench.y[0] == 5 && bench.z[0] == z);
	assert_false(case_check_follows_inputs(&bench.work));
	bench.z[0] = 0;
	bench.work.check.kind = CHECK_COMMAND;
	bench.work.check.command = (char *)"true";
	must_compute(&bench);
	assert_true(bench.y[0] == 5 && bench.z[0] == z);
	bench.work.check = (struct case_check){CHECK_FILE, .items = items, .item_count = 2};

	assert_int_equal(npy_write(items[1].text, ELEMENT_F32, y, N, &err), 0);
	refuses(&bench, PL_EUSAGE, "z.npy");
	unlink(items[1].text);
	refuses(&bench, PL_ENOENT, "z.npy");
	unlink(items[0].text);
	free(items[0].text);
	free(items[1].text);
	assert_int_equal(rmdir(folder), 0);
}

static void test_command(void **context)
{
	struct bench bench;

	(void)context;
	bench_init(&bench,
		   (struct case_check){CHECK_COMMAND, .command = "cp \"$PERFLAB_INPUTS/x.npy\" "
								 "\"$PERFLAB_RESULTS/y.npy\""});
	bench.work.buffer_count = 2;
	must_compute(&bench);
	assert_memory_equal(bench.x, bench.y, sizeof(bench.x));
	bench.work.check.command = "echo broken; exit 3";
	refuses(&bench, PL_EUSAGE, "verify by echo broken; exit 3: it ended with 3: broken");
}

static void test_oracle(void **context)
{
	struct bench bench;

	(void)context;
	bench_init(&bench, (struct case_check){CHECK_ORACLE, .command = NULL});
	strcpy(bench.work.oracle, "mine/none");
	refuses(&bench, PL_ENOENT, "no oracle 'mine/none'");
	strcpy(bench.work.oracle, "fault/zeroes");
	strcpy(bench.buffers[1].name, "out");
	memset(bench.y, 1, sizeof(bench.y));
	must_compute(&bench);
	for (size_t i = 0; i < N; i++)
		assert_true(bench.y[i] == 0);
}

/* A backend executes these: they are a case of the same buffers that is not checked itself. */
static void test_reference_launches(void **context)
{
	struct case_launch fast = {.entry = "fast"}, slow[] = {{.entry = "slow"}, {.entry = "end"}};
	struct launch_case reference;
	struct bench bench;

	(void)context;
	bench_init(&bench,
		   (struct case_check){CHECK_LAUNCHES, .launches = slow, .launch_count = 2});
	bench.work.launches = &fast;
	bench.work.launch_count = 1;
	assert_true(case_has_reference(&bench.work));
	assert_true(case_is_checked(&bench.work));
	reference = case_reference(&bench.work);
	assert_int_equal(reference.launch_count, 2);
	assert_string_equal(reference.launches[0].entry, "slow");
	assert_string_equal(reference.image, "/tmp/k.cubin");
	assert_ptr_equal(reference.buffers, bench.work.buffers);
	assert_false(case_is_checked(&reference));
	assert_false(case_has_reference(&reference));
	bench.work.check.image = "/tmp/slow.cubin";
	assert_string_equal(case_reference(&bench.work).image, "/tmp/slow.cubin");
	refuses(&bench, PL_EUSAGE, "not computed on the host");
	bench_init(&bench, (struct case_check){CHECK_NONE, .command = NULL});
	assert_false(case_is_checked(&bench.work));
	refuses(&bench, PL_EUSAGE, "not computed on the host");
}

/* A message names what a wrong result was compared with. */
#define EIGHTY "x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + "

static void test_a_difference_names_the_check(void **context)
{
	struct case_check_item items[] = {{2, "7", false}, {1, "2 * x", false}},
			       file = {1, "/data/y.npy", false};
	struct case_check_item longer = {1, EIGHTY "2 * x", false};
	struct case_launch slow[] = {{.entry = "slow"}, {.entry = "_ZN2ns3endIfEEvPT_"}};
	const struct {
		struct case_check check;
		const char *compared_with;
	} rows[] = {
		{{CHECK_EXPRESSION, .items = &longer, .item_count = 1},
		 "the expression " EIGHTY "…"},
		{{CHECK_COMMAND, .command = EIGHTY "x"}, "the results of the command " EIGHTY "…"},
		{{CHECK_COMMAND, .command = EIGHTY}, "the results of the command " EIGHTY},
		{{CHECK_ORACLE, .command = NULL}, "the CPU oracle"},
		{{CHECK_EXPRESSION, .items = items, .item_count = 2}, "the expression 2 * x"},
		{{CHECK_FILE, .items = &file, .item_count = 1}, "the file /data/y.npy"},
		{{CHECK_COMMAND, .command = "./check.py"}, "the results of the command ./check.py"},
		{{CHECK_LAUNCHES, .launches = slow, .launch_count = 1},
		 "the results of the kernel slow"},
		{{CHECK_LAUNCHES, .launches = slow, .launch_count = 2},
		 "the results of the kernels slow, ns::end"},
	};
	const float right[] = {1, 2, 3, 4}, wrong[] = {1, 2, 5, 4};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct case_difference difference;
		struct text said = TEXT_INIT;
		struct bench bench;
		char *wanted;

		bench_init(&bench, rows[i].check);
		difference = case_compare(&bench.work, 1, wrong, right);
		case_describe_difference(&said, &bench.work, 1, &difference);
		wanted = xasprintf("1 of 4 elements of 'y' differ from %s; the first, [2], is 5, "
				   "expected 3",
				   rows[i].compared_with);
		assert_string_equal(said.data, wanted);
		free(wanted);
		text_release(&said);
	}
}

/* A double holds neither of these integers. */
static void test_mismatches_of_integers(void **context)
{
	static const struct {
		enum element_type type;
		uint64_t got, expected;
		const char *says;
	} rows[] = {
		{ELEMENT_U64, UINT64_MAX - 1, UINT64_MAX,
		 "is 18446744073709551614, expected 18446744073709551615"},
		{ELEMENT_I64, UINT64_C(5368326398130339842), UINT64_C(5368326398130339841),
		 "is 5368326398130339842, expected 5368326398130339841"},
		{ELEMENT_I64, UINT64_C(1) << 63, 0, "is -9223372036854775808, expected 0"},
		{ELEMENT_U8, 255, 0, "is 255, expected 0"},
	};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct case_difference difference;
		struct text said = TEXT_INIT;
		struct bench bench;

		bench_init(&bench, (struct case_check){CHECK_ORACLE, .command = NULL});
		bench.buffers[1].type = rows[i].type;
		bench.buffers[1].length = 1;
		difference = case_compare(&bench.work, 1, &rows[i].got, &rows[i].expected);
		assert_int_equal(difference.mismatches, 1);
		case_describe_difference(&said, &bench.work, 1, &difference);
		if (!strstr(said.data, rows[i].says))
			fail_msg("%s", said.data);
		text_release(&said);
	}
}

static char *key_of(const struct bench *bench)
{
	return case_expected_key(&bench->work, 1, 7);
}

/* Whatever changes the expected result changes its key. */
static void test_keys(void **context)
{
	struct case_check_item items[] = {{1, "x", false}, {2, "1", false}},
			       other[] = {{1, "2 * x", false}, {2, "1", false}};
	struct case_check_item of_axis[] = {{1, "x + n2 * (n)", false}, {2, "1", false}};
	struct case_arg args[] = {{.kind = ARG_F64, .real = 1}};
	struct case_launch slow = {.entry = "slow", .args = args, .arg_count = 1};
	char *keys[18];
	size_t count = 0;
	struct bench bench;

	(void)context;
	bench_init(&bench, (struct case_check){CHECK_EXPRESSION, .items = items, .item_count = 2});
	keys[count++] = key_of(&bench);
	bench.work.check.items = other;
	keys[count++] = key_of(&bench);
	bench.work.check.items = of_axis;
	keys[count++] = key_of(&bench);
	bench.work.axes[1].value++;
	keys[count++] = key_of(&bench);
	bench.work.check.items = other;
	bench.buffers[0].fill = FILL_FILE;
	bench.buffers[0].fill_file = "/data/a.npy";
	keys[count++] = key_of(&bench);
	bench.buffers[0].fill_file = "/data/b.npy";
	keys[count++] = key_of(&bench);
	bench.buffers[0].fill = FILL_EXPRESSION;
	bench.buffers[0].fill_file = NULL;
	bench.buffers[0].fill_expression = "8 * i";
	keys[count++] = key_of(&bench);
	bench.buffers[0].fill_expression = "9 * i";
	keys[count++] = key_of(&bench);
	bench.buffers[0].has_fill_bits = true;
	keys[count++] = key_of(&bench);
	bench.buffers[0].fill_bits = 8;
	keys[count++] = key_of(&bench);
	bench.work.check.kind = CHECK_FILE;
	keys[count++] = key_of(&bench);
	bench.work.check = (struct case_check){CHECK_COMMAND, .command = "a"};
	keys[count++] = key_of(&bench);
	bench.work.check.command = "b";
	keys[count++] = key_of(&bench);
	bench.work.check.folder = "/elsewhere";
	keys[count++] = key_of(&bench);
	bench.work.check =
		(struct case_check){CHECK_LAUNCHES, .launches = &slow, .launch_count = 1};
	keys[count++] = key_of(&bench);
	args[0].real = 2;
	keys[count++] = key_of(&bench);
	slow.shared_bytes = 64;
	keys[count++] = key_of(&bench);
	bench.work.check.image = "/tmp/slow.cubin";
	keys[count++] = key_of(&bench);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(keys[i], keys[k]))
				fail_msg("keys %zu and %zu are equal: %s", k, i, keys[i]);
	for (size_t i = 0; i < count; i++)
		free(keys[i]);
}

/* Cases that differ in an axis that no expression names share their expected results. */
static void test_shared_keys(void **context)
{
	struct case_check_item items[] = {{1, "x + n", false}, {2, "block2 * 1", false}};
	struct bench bench;
	char *before, *after;

	(void)context;
	bench_init(&bench, (struct case_check){CHECK_EXPRESSION, .items = items, .item_count = 2});
	before = key_of(&bench);
	bench.work.axes[0].value = 128;
	after = key_of(&bench);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_a_result_that_nothing_describes),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_oracle),
		cmocka_unit_test(test_reference_launches),
		cmocka_unit_test(test_a_difference_names_the_check),
		cmocka_unit_test(test_mismatches_of_integers),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_shared_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
