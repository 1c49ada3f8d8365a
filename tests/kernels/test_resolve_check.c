/* How the results of a user's kernel are verified, resolved for a case. */
#include "tests/kernels/resolve_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* y of x, with a buffer that only a check reads. */
static const struct kernel_buffer buffers[] = {
	{.name = "x", .type = ELEMENT_F32, .length = "n", .role = BUFFER_IN, .fill = FILL_INDEX},
	{.name = "table",
	 .type = ELEMENT_F32,
	 .length = "n",
	 .role = BUFFER_IN,
	 .fill = FILL_INDEX},
	{.name = "rest", .type = ELEMENT_F32, .length = "n", .role = BUFFER_SCRATCH},
	{.name = "y", .type = ELEMENT_F32, .length = "n", .role = BUFFER_OUT},
	{.name = "z", .type = ELEMENT_F32, .length = "1", .role = BUFFER_OUT},
};
static const struct kernel_arg args_of_y[] = {{.kind = ARG_BUFFER, .value = "x"},
					      {.kind = ARG_BUFFER, .value = "y"}};
static const struct kernel_launch fast = {
	.entry = "fast", .args = args_of_y, .arg_count = ARRAY_SIZE(args_of_y)};

static struct kernel_variant variant_with(const struct kernel_check *check)
{
	return (struct kernel_variant){.name = "own",
				       .launches = &fast,
				       .launch_count = 1,
				       .buffers = buffers,
				       .buffer_count = ARRAY_SIZE(buffers),
				       .check = check};
}

static struct launch_case *case_with(const struct kernel_check *check)
{
	const struct kernel_variant variant = variant_with(check);

	return must_resolve_own(&variant);
}

static void refuses_check(const struct kernel_check *check, const char *says)
{
	const struct kernel_variant variant = variant_with(check);

	must_refuse_own(&variant, says);
}

static const char *buffer_name_of(const struct launch_case *work, size_t index)
{
	assert_true(index < work->buffer_count);
	return work->buffers[index].name;
}

static void test_the_oracle_is_the_default(void **state)
{
	struct launch_case *work = case_with(NULL);

	(void)state;
	assert_int_equal(work->check.kind, CHECK_ORACLE);
	assert_true(work->oracle[0]);
	assert_int_equal(work->check.launch_count, 0);
	assert_int_equal(work->check.item_count, 0);
	/* x, y and z: nothing reads the others */
	assert_int_equal(work->buffer_count, 3);
	launch_case_free(work);
}

/* The launches of a check repeat, and may read buffers that the kernel does not. */
static void test_launches(void **state)
{
	const struct kernel_arg args[] = {{.kind = ARG_BUFFER, .value = "table"},
					  {.kind = ARG_BUFFER, .value = "y"},
					  {.kind = ARG_I32, .value = "n + i"}};
	const struct kernel_launch slow[] = {
		{.entry = "slow", .repeat = "3", .grid = {"i + 1"}, .args = args, .arg_count = 3},
		{.entry = "finish"},
	};
	const struct kernel_check check = {
		.kind = CHECK_LAUNCHES, .launches = slow, .launch_count = 2};
	struct launch_case *work = case_with(&check);

	(void)state;
	assert_int_equal(work->check.kind, CHECK_LAUNCHES);
	assert_string_equal(work->oracle, "");
	assert_null(work->check.image);
	assert_int_equal(work->check.launch_count, 4);
	for (int64_t i = 0; i < 3; i++) {
		const struct case_launch *launch = &work->check.launches[i];

		assert_string_equal(launch->entry, "slow");
		assert_int_equal(launch->grid[0], i + 1);
		assert_int_equal(launch->args[2].integer, 1000 + i);
		assert_string_equal(buffer_name_of(work, (size_t)launch->args[0].integer), "table");
		assert_string_equal(buffer_name_of(work, (size_t)launch->args[1].integer), "y");
	}
	assert_string_equal(work->check.launches[3].entry, "finish");
	/* The launches that are measured are the variant's. */
	assert_int_equal(work->launch_count, 1);
	assert_string_equal(work->launches[0].entry, "fast");
	/* all but `rest` */
	assert_int_equal(work->buffer_count, 4);
	launch_case_free(work);
}

/* Another source has an image of its own, once it is compiled. */
static void test_launches_of_another_source(void **state)
{
	const struct kernel_launch slow = {.entry = "slow"};
	const struct kernel_source source = {.path = "/home/me/slow.cu"};
	const struct kernel_check check = {
		.kind = CHECK_LAUNCHES, .launches = &slow, .launch_count = 1, .source = &source};
	struct launch_case *work = case_with(&check);

	(void)state;
	assert_string_equal(work->check.image, "");
	launch_case_free(work);
}

/* An expression, a file or a program may read every buffer, so that the case has them all. */
static void test_items(void **state)
{
	static const enum check_kind kinds[] = {CHECK_EXPRESSION, CHECK_FILE};
	const struct kernel_check_item items[] = {{.buffer = "z", .text = "sum(x)"},
						  {.buffer = "y", .text = "2 * table"}};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const struct kernel_check check = {
			.kind = kinds[k], .items = items, .item_count = 2};
		struct launch_case *work = case_with(&check);

		assert_int_equal(work->check.kind, kinds[k]);
		assert_int_equal(work->buffer_count, 5);
		assert_int_equal(work->check.item_count, 2);
		for (size_t i = 0; i < 2; i++) {
			assert_string_equal(buffer_name_of(work, work->check.items[i].buffer),
					    items[i].buffer);
			assert_string_equal(work->check.items[i].text, items[i].text);
		}
		launch_case_free(work);
	}
}

static void test_command_and_none(void **state)
{
	const struct kernel_check command = {.kind = CHECK_COMMAND, .command = "python3 check.py"};
	const struct kernel_check none = {.kind = CHECK_NONE};
	struct launch_case *work = case_with(&command);

	(void)state;
	assert_int_equal(work->check.kind, CHECK_COMMAND);
	assert_string_equal(work->check.command, "python3 check.py");
	assert_string_equal(work->oracle, "");
	launch_case_free(work);
	work = case_with(&none);
	assert_int_equal(work->check.kind, CHECK_NONE);
	assert_null(work->check.command);
	launch_case_free(work);
}

static void test_bad_checks(void **state)
{
	const struct kernel_check_item nowhere = {.buffer = "nowhere", .text = "x"};
	const struct kernel_arg lost = {.kind = ARG_BUFFER, .value = "lost"};
	const struct kernel_launch of_lost = {.entry = "slow", .args = &lost, .arg_count = 1};
	const struct kernel_launch empty = {.entry = "slow", .grid = {"n - n"}};

	(void)state;
	refuses_check(&(struct kernel_check){.kind = CHECK_EXPRESSION,
					     .items = &nowhere,
					     .item_count = 1},
		      "verify: no buffer is called \"nowhere\"");
	refuses_check(&(struct kernel_check){.kind = CHECK_LAUNCHES,
					     .launches = &of_lost,
					     .launch_count = 1},
		      "verify: launch of slow: no buffer is called \"lost\"");
	refuses_check(&(struct kernel_check){.kind = CHECK_LAUNCHES,
					     .launches = &empty,
					     .launch_count = 1},
		      "verify: launch of slow: grid is 0");
	refuses_check(&(struct kernel_check){.kind = CHECK_LAUNCHES},
		      "verify: there is nothing to launch");
}

/* A check that the device cannot launch skips the case, like the kernel itself. */
static void test_a_check_that_is_too_large(void **state)
{
	const struct kernel_launch wide = {.entry = "slow", .block = {"2048"}};
	const struct kernel_check check = {
		.kind = CHECK_LAUNCHES, .launches = &wide, .launch_count = 1};
	const struct kernel_variant variant = variant_with(&check);
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	(void)state;
	assert_int_equal(resolve_own(&work, &skip, &variant, &err), 0);
	assert_null(work);
	assert_non_null(strstr(skip.data, "2048 x 1 x 1"));
	text_release(&skip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_oracle_is_the_default),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_launches_of_another_source),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_command_and_none),
		cmocka_unit_test(test_bad_checks),
		cmocka_unit_test(test_a_check_that_is_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
