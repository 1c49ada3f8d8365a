/* What a check accepts instead of the expected results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/workers/blind_check.h"

enum { LENGTH = 4 };

/* A case with the input x and the result y. */
struct fixture {
	struct case_buffer buffers[2];
	struct launch_case work;
	struct host_buffers expected, inputs;
	float x[LENGTH], y[LENGTH];
};

static void fixture_set(struct fixture *f, enum buffer_role role, double abs, double rel,
			const float *x, const float *y)
{
	*f = (struct fixture){0};
	for (size_t b = 0; b < 2; b++)
		f->buffers[b] = (struct case_buffer){.type = ELEMENT_F32, .length = LENGTH};
	strcpy(f->buffers[0].name, "x");
	strcpy(f->buffers[1].name, "y");
	f->buffers[0].role = BUFFER_IN;
	f->buffers[1].role = role;
	f->work = (struct launch_case){.buffers = f->buffers,
				       .buffer_count = 2,
				       .check = {.kind = CHECK_LAUNCHES},
				       .tolerance_abs = abs,
				       .tolerance_rel = rel};
	memcpy(f->x, x, sizeof(f->x));
	memcpy(f->y, y, sizeof(f->y));
	f->inputs.data[0] = f->x;
	f->expected.data[1] = f->y;
}

/* `before`: of an inout y; NULL: y is out. `part`: what the reason says; NULL: the check is good.
 */
static void expect_reason(double abs, double rel, const float *x, const float *y,
			  const float *before, const char *part)
{
	struct text reason = TEXT_INIT;
	struct fixture f;
	float own[LENGTH];

	fixture_set(&f, before ? BUFFER_INOUT : BUFFER_OUT, abs, rel, x, y);
	if (before) {
		memcpy(own, before, sizeof(own));
		f.inputs.data[1] = own;
	}
	blind_case_find(&reason, &f.work, &f.expected, &f.inputs);
	if (part)
		assert_non_null(strstr(reason.data, part));
	else
		assert_int_equal(reason.length, 0);
	text_release(&reason);
}

static const float x[] = {1, 2, 3, 4}, twice[] = {2, 4, 6, 8}, none[] = {0, 0, 0, 0},
		   five[] = {5, 5, 5, 5}, near[] = {1.001f, 2.001f, 3.001f, 4.001f},
		   narrow[] = {10, 10.1f, 10.2f, 10.1f};

static void good_checks_are_not_blamed(void **state)
{
	(void)state;
	expect_reason(0, 1e-5, x, twice, NULL, NULL);
	expect_reason(0, 1e-5, x, twice, x, NULL);
	/* a result that shall be zero, constant, an input, or partly zero */
	expect_reason(0, 1e-5, x, none, NULL, NULL);
	expect_reason(1e-3, 1e-3, x, five, NULL, NULL);
	expect_reason(0, 1e-5, x, x, NULL, NULL);
	expect_reason(0, 1e-5, x, (const float[]){0, 0, 0, 1}, NULL, NULL);
}

static void wrong_results_that_pass_are_named(void **state)
{
	(void)state;
	expect_reason(1e30, 1e-5, x, twice, NULL, "zeroes as 'y'");
	expect_reason(0, 1, x, twice, NULL, "zeroes as 'y'");
	expect_reason(0, 0.5, x, twice, NULL, "the content of 'x' as 'y'");
	expect_reason(0, 1e-2, x, near, NULL, "the content of 'x' as 'y'");
	expect_reason(0, 1e-2, x, narrow, NULL, "in every element as 'y'");
	expect_reason(0, 1e-2, five, near, x, "a kernel that does nothing passes");
	expect_reason(0, 1e-5, five, x, x, "a kernel that does nothing passes");
}

/* `verify y = y` says that a kernel that does nothing is right; an expression that gives the same
 * values does not say so. */
static void a_result_that_shall_stay_is_not_blamed(void **state)
{
	struct case_check_item item = {.buffer = 1};
	const char *const texts[] = {"y", "y + 0 * x"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text reason = TEXT_INIT;
		struct fixture f;

		fixture_set(&f, BUFFER_INOUT, 0, 1e-5, five, x);
		item.text = (char *)texts[i];
		f.work.check = (struct case_check){
			.kind = CHECK_EXPRESSION, .items = &item, .item_count = 1};
		f.inputs.data[1] = f.y;
		blind_case_find(&reason, &f.work, &f.expected, &f.inputs);
		assert_int_equal(reason.length > 0, i);
		text_release(&reason);
	}
}

/* `more`: the second result. */
static void expect_earlier(double abs, const float *y, const float *earlier, const float *more,
			   const float *more_earlier, bool blamed)
{
	struct text reason = TEXT_INIT;
	struct host_buffers old = {0};
	struct fixture f;

	fixture_set(&f, BUFFER_OUT, abs, 0, more, y);
	f.buffers[0].role = BUFFER_OUT;
	f.expected.data[0] = (void *)more;
	old.data[0] = (void *)more_earlier;
	old.data[1] = (void *)earlier;
	blind_earlier_find(&reason, &f.work, &f.expected, &old);
	assert_int_equal(!reason.length, !blamed);
	if (blamed)
		assert_non_null(strstr(reason.data, "accepts the results of other inputs"));
	text_release(&reason);
}

static void results_of_other_inputs(void **state)
{
	(void)state;
	expect_earlier(1e-3, x, near, five, five, false);
	expect_earlier(1e-2, x, near, five, five, true);
	/* another result finds it; no result depends on the inputs */
	expect_earlier(1e-2, x, near, x, twice, false);
	expect_earlier(1e-2, x, x, five, five, false);
}

/* What is accepted in one part may be rejected in the next. */
static void parts_are_looked_at_together(void **state)
{
	struct blind_result result;
	struct fixture f;

	(void)state;
	fixture_set(&f, BUFFER_OUT, 0, 1e-5, (const float[]){9, 9, 9, 9},
		    (const float[]){0, 0, 0, 7});
	blind_result_begin(&result, &f.work, 1);
	assert_true(blind_result_look(&result, 2, f.y, &f.inputs));
	assert_false(blind_result_look(&result, 2, f.y + 2, &f.inputs));
	assert_int_equal(result.length, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_checks_are_not_blamed),
		cmocka_unit_test(wrong_results_that_pass_are_named),
		cmocka_unit_test(a_result_that_shall_stay_is_not_blamed),
		cmocka_unit_test(results_of_other_inputs),
		cmocka_unit_test(parts_are_looked_at_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
