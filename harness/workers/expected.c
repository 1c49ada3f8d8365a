/* What the results of a case are compared with. See expected.h. */
#include "harness/workers/expected.h"

#include <inttypes.h>
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
	return case_is_checked(work) && work->check.kind != CHECK_FILE;
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

/* ---- keys ---- */

static void key_add_axes(struct text *key, const struct launch_case *work,
			 const struct kernel_oracle *oracle)
{
	struct string_list axes = {0};

	string_list_split(&axes, oracle->axes, ',');
	for (size_t i = 0; i < axes.count; i++) {
		int64_t value;

		if (launch_case_axis(work, axes.items[i], &value))
			text_addf(key, " %s=%" PRId64, axes.items[i], value);
	}
	string_list_release(&axes);
}

static void key_add_launch(struct text *key, const struct case_launch *launch)
{
	text_addf(key, " %s", launch->entry);
	for (int d = 0; d < 3; d++)
		text_addf(key, " %" PRId64 " %" PRId64 " %" PRId64, launch->grid[d],
			  launch->block[d], launch->cluster[d]);
	text_addf(key, " %" PRId64, launch->shared_bytes);
	for (size_t a = 0; a < launch->arg_count; a++) {
		const struct case_arg *arg = &launch->args[a];

		text_addf(key, " %d:%" PRId64 ":%.17g", (int)arg->kind, arg->integer, arg->real);
		case_arg_describe(key, arg);
	}
}

/* Cases that differ only in other axes, such as the block size, share the expected results. */
static void key_add_axes_of_items(struct text *key, const struct launch_case *work)
{
	for (size_t a = 0; a < work->axis_count; a++) {
		bool used = false;

		for (size_t i = 0; i < work->check.item_count && !used; i++)
			/* a variable of a reduction may hide the axis: one axis too many */
			used = has_whole_word(work->check.items[i].text, work->axes[a].name);
		if (used)
			text_addf(key, " %s=%" PRId64, work->axes[a].name, work->axes[a].value);
	}
}

static void key_add_check(struct text *key, const struct launch_case *work)
{
	const struct case_check *check = &work->check;

	text_addf(key, " %s %s", check_kind_name(check->kind),
		  check->command ? check->command : "");
	/* The program is told which variant it verifies. */
	if (check->kind == CHECK_COMMAND)
		text_addf(key, " %s/%s in %s", work->kernel, work->variant,
			  check->folder ? check->folder : "");
	if (check->kind == CHECK_LAUNCHES)
		text_addf(key, " %s", check->image ? check->image : work->image);
	for (size_t l = 0; l < check->launch_count; l++)
		key_add_launch(key, &check->launches[l]);
	for (size_t i = 0; i < check->item_count; i++)
		text_addf(key, " %zu=%s", check->items[i].buffer, check->items[i].text);
	if (check->kind == CHECK_EXPRESSION)
		key_add_axes_of_items(key, work);
	/* A program may read every axis. */
	if (check->kind == CHECK_COMMAND)
		axes_text(key, work->axes, work->axis_count);
}

char *case_expected_key(const struct launch_case *work, size_t buffer, uint64_t seed)
{
	const struct kernel_oracle *oracle = kernel_find_oracle(work->oracle);
	struct text key = TEXT_INIT;

	text_addf(&key, "expected %s %s %" PRIu64, work->oracle, work->buffers[buffer].name, seed);
	if (work->check.kind != CHECK_ORACLE)
		key_add_check(&key, work);
	else if (oracle)
		key_add_axes(&key, work, oracle);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (case_buffer_is_input(&work->buffers[b]) ||
		    case_buffer_is_result(&work->buffers[b])) {
			char *input = case_input_key(&work->buffers[b], seed);

			text_addf(&key, " | %s", input);
			free(input);
		}
	}
	return text_detach(&key);
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
	return oracle->compute(work, inputs, expected, err);
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

static int compute_by_items(const struct launch_case *work, const struct case_capture *from,
			    const struct host_buffers *inputs, struct host_buffers *expected,
			    struct error *err)
{
	int rc = check_all_described(work, err);

	for (size_t i = 0; i < work->check.item_count && rc == 0; i++) {
		const struct case_check_item *item = &work->check.items[i];

		if (work->check.kind == CHECK_EXPRESSION)
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
	switch (work->check.kind) {
	case CHECK_ORACLE:
		return compute_by_oracle(work, inputs, expected, err);
	case CHECK_EXPRESSION:
	case CHECK_FILE:
		return compute_by_items(work, from, inputs, expected, err);
	case CHECK_COMMAND:
		return check_command_run(work, inputs, expected, command_end_ns, err);
	case CHECK_LAUNCHES:
	case CHECK_NONE:
		break;
	}
	return error_set(err, PL_EUSAGE, "this check is not computed on the host");
}
