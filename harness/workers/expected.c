/* What the results of a case are compared with. See expected.h. */
#include "harness/workers/expected.h"

#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"
#include "harness/workers/check_command.h"
#include "kernels/check_expression.h"
#include "kernels/npy.h"

/* The longest that a program that verifies may run. */
#define PROGRAM_MOST_NS INT64_C(50000000000)

bool case_is_checked(const struct launch_case *work)
{
	return work->check.kind != CHECK_NONE;
}

bool case_check_follows_inputs(const struct launch_case *work)
{
	return case_is_checked(work) && !case_check_has_file(&work->check);
}

const char *case_wrong_again(const struct launch_case *work)
{
	return case_check_follows_inputs(work) ? "right for the first inputs, but wrong for others"
					       : "right in the first execution, but wrong in the "
						 "second with the same inputs";
}

static bool is_capture(const struct launch_case *work)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (work->buffers[b].fill == FILL_CAPTURE)
			return true;
	return false;
}

enum trial_status case_unverified(const struct launch_case *work, struct text *reason)
{
	text_add(reason, is_capture(work)
				 ? "the recorded launch changed no memory, so nothing shows that "
				   "the replay is right: record another launch (perflab record "
				   "--launch)"
				 : "verify none: the result was not compared with anything");
	return TRIAL_UNVERIFIED;
}

bool case_has_reference(const struct launch_case *work)
{
	return work->check.kind == CHECK_LAUNCHES;
}

struct launch_case case_reference(const struct launch_case *work)
{
	struct launch_case reference = *work;

	reference.launches = work->check.launches;
	reference.launch_count = work->check.launch_count;
	if (work->check.image)
		reference.image = work->check.image;
	reference.check = (struct case_check){.kind = CHECK_NONE};
	return reference;
}

/* ---- computing ---- */

static int compute_by_oracle(const struct launch_case *work, const struct host_buffers *inputs,
			     struct host_buffers *expected, struct error *err)
{
	const struct kernel_oracle *oracle = kernel_find_oracle(work->oracle);

	if (!oracle)
		return error_set(err, PL_ENOENT,
				 "this worker has no oracle '%s': use perflab and the worker of "
				 "one installation",
				 work->oracle);
	return kernel_oracle_compute(oracle, work, inputs, expected, err);
}

/* Parses an expression over the buffers and axes of a case. */
static int parse_expression(struct check_expression **out, const struct launch_case *work,
			    const char *text, struct error *err)
{
	struct check_buffer_name buffers[KERNEL_MAX_BUFFERS];
	const char *axes[KERNEL_MAX_CASE_AXES];
	const struct check_names names = {buffers, work->buffer_count, axes, work->axis_count,
					  false};

	for (size_t b = 0; b < work->buffer_count; b++)
		buffers[b] = (struct check_buffer_name){
			work->buffers[b].name, work->buffers[b].type, work->buffers[b].role};
	for (size_t a = 0; a < work->axis_count; a++)
		axes[a] = work->axes[a].name;
	return check_expression_parse(out, text, &names, err);
}

static int compute_by_expression(const struct launch_case *work, const struct case_check_item *item,
				 const struct host_buffers *inputs, struct host_buffers *expected,
				 struct error *err)
{
	struct check_expression *expression = NULL;
	struct text shown = TEXT_INIT;
	int rc = parse_expression(&expression, work, item->text, err);

	if (rc == 0)
		rc = check_expression_compute(expression, work, inputs, item->buffer,
					      expected->data[item->buffer], err);
	check_expression_free(expression);
	case_add_beginning(&shown, item->text);
	error_context(err, rc, "verify %s = %s", work->buffers[item->buffer].name, shown.data);
	text_release(&shown);
	return rc;
}

/* A result that no item describes cannot be compared. */
static int check_all_described(const struct launch_case *work, struct error *err)
{
	for (size_t b = 0; b < work->buffer_count; b++) {
		bool described = !case_buffer_is_result(&work->buffers[b]);

		for (size_t i = 0; i < work->check.item_count && !described; i++)
			described = work->check.items[i].buffer == b;
		if (!described)
			return error_set(
				err, PL_EUSAGE,
				"nothing verifies the result '%s': add a line verify %s = …",
				work->buffers[b].name, work->buffers[b].name);
	}
	return 0;
}

int case_expected_items(const struct launch_case *work, const struct case_capture *from,
			const struct host_buffers *inputs, struct host_buffers *expected,
			struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < work->check.item_count && rc == 0; i++) {
		const struct case_check_item *item = &work->check.items[i];

		if (!case_check_item_is_file(&work->check, i))
			rc = compute_by_expression(work, item, inputs, expected, err);
		else if (case_result_is_recorded(work, item->buffer))
			rc = case_capture_read(from, item->buffer, CAPTURE_AFTER,
					       expected->data[item->buffer], err);
		else
			rc = npy_load(expected->data[item->buffer],
				      work->buffers[item->buffer].type,
				      work->buffers[item->buffer].length, item->text, err);
	}
	return rc;
}

int64_t case_check_end_ns(int64_t timeout_ns)
{
	const int64_t share_ns = timeout_ns - timeout_ns / 6;

	return monotonic_ns() + (share_ns < PROGRAM_MOST_NS ? share_ns : PROGRAM_MOST_NS);
}

int case_expected_compute(const struct launch_case *work, const struct case_capture *from,
			  const struct host_buffers *inputs, struct host_buffers *expected,
			  int64_t command_end_ns, struct error *err)
{
	int rc;

	switch (work->check.kind) {
	case CHECK_ORACLE:
		return compute_by_oracle(work, inputs, expected, err);
	case CHECK_EXPRESSION:
	case CHECK_FILE:
		rc = check_all_described(work, err);
		return rc ? rc : case_expected_items(work, from, inputs, expected, err);
	case CHECK_COMMAND:
		rc = check_command_run(work, inputs, expected, command_end_ns, err);
		return rc ? rc : case_expected_items(work, from, inputs, expected, err);
	case CHECK_LAUNCHES:
	case CHECK_NONE:
		break;
	}
	return error_set(err, PL_EUSAGE, "this check is not computed on the host");
}
