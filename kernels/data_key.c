/* Names the data of cases. See data_key.h. */
#include "kernels/data_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *case_input_key(const struct case_buffer *buffer, uint64_t seed)
{
	return xasprintf("in %s %s %" PRId64 " %s %.17g %.17g %d %s %zu%s %" PRIu64, buffer->name,
			 element_type_name(buffer->type), buffer->length,
			 buffer_fill_name(buffer->fill), buffer->fill_low, buffer->fill_high,
			 buffer->has_fill_bits ? buffer->fill_bits : -1,
			 buffer->fill_file ? buffer->fill_file : "", buffer->fill_index,
			 buffer->fill_expression ? buffer->fill_expression : "", seed);
}

static bool is_axis_name(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* A name that is not an axis of the case says nothing. If an expression has no value, cases share
 * nothing. */
static void key_add_axes(struct text *key, const struct launch_case *work,
			 const struct kernel_oracle *oracle)
{
	struct expression_variable variables[KERNEL_MAX_CASE_AXES];
	struct string_list axes = {0};

	for (size_t a = 0; a < work->axis_count; a++)
		variables[a] =
			(struct expression_variable){work->axes[a].name, work->axes[a].value};
	string_list_split(&axes, oracle->axes, ',');
	for (size_t i = 0; i < axes.count; i++) {
		struct error err = {0};
		int64_t value;

		if (launch_case_axis(work, axes.items[i], &value) ||
		    (!is_axis_name(axes.items[i]) &&
		     expression_evaluate(&value, axes.items[i], variables, work->axis_count,
					 &err) == 0))
			text_addf(key, " %s=%" PRId64, axes.items[i], value);
		else if (!is_axis_name(axes.items[i]))
			axes_text(key, work->axes, work->axis_count);
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
		text_addf(key, " %zu%s%s", check->items[i].buffer,
			  case_check_item_is_file(check, i) ? " from " : "=", check->items[i].text);
	if (check->kind != CHECK_FILE && check->kind != CHECK_COMMAND)
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
