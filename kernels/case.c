/* Names of the enums, and queries on a resolved case. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernels/kernels.h"

/* Sets *out to the index of `name` in `names`. Returns false if it is not there. */
static bool parse_name(int *out, const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name)) {
			*out = (int)i;
			return true;
		}
	return false;
}

static const char *const role_names[] = {
	[BUFFER_IN] = "in",           [BUFFER_OUT] = "out",           [BUFFER_INOUT] = "inout",
	[BUFFER_SCRATCH] = "scratch", [BUFFER_PER_CALL] = "per_call",
};

const char *buffer_role_name(enum buffer_role role)
{
	return role_names[role];
}

bool buffer_role_parse(enum buffer_role *out, const char *name)
{
	int index;

	if (!parse_name(&index, name, role_names, ARRAY_SIZE(role_names)))
		return false;
	*out = (enum buffer_role)index;
	return true;
}

static const char *const fill_names[] = {
	[FILL_NONE] = "none",
	[FILL_UNIFORM] = "uniform",
	[FILL_INDEX] = "index",
	[FILL_CONSTANT] = "constant",
	[FILL_NORMAL] = "normal",
	[FILL_PERMUTATION] = "permutation",
	[FILL_FILE] = "file",
	[FILL_INTEGERS] = "integers",
	[FILL_EXPRESSION] = "expression",
	[FILL_CAPTURE] = "capture",
};

const char *buffer_fill_name(enum buffer_fill fill)
{
	return fill_names[fill];
}

bool buffer_fill_parse(enum buffer_fill *out, const char *name)
{
	int index;

	if (!parse_name(&index, name, fill_names, ARRAY_SIZE(fill_names)))
		return false;
	*out = (enum buffer_fill)index;
	return true;
}

bool buffer_fill_takes_bits(enum buffer_fill fill)
{
	return fill == FILL_UNIFORM || fill == FILL_NORMAL || fill == FILL_INTEGERS;
}

static const char *const check_names[] = {
	[CHECK_ORACLE] = "oracle", [CHECK_LAUNCHES] = "launches", [CHECK_EXPRESSION] = "expression",
	[CHECK_FILE] = "file",     [CHECK_COMMAND] = "command",   [CHECK_NONE] = "none",
};

const char *const *work_precision_names(void)
{
	static const char *const names[] = {
		"f64",         "f32",        "f16",         "bf16",      "tensor_f64",
		"tensor_tf32", "tensor_f16", "tensor_bf16", "tensor_f8", NULL};

	return names;
}

const char *check_kind_name(enum check_kind kind)
{
	return check_names[kind];
}

bool check_kind_parse(enum check_kind *out, const char *name)
{
	int index;

	if (!parse_name(&index, name, check_names, ARRAY_SIZE(check_names)))
		return false;
	*out = (enum check_kind)index;
	return true;
}

static void case_launches_free(struct case_launch *launches, size_t count)
{
	for (size_t l = 0; l < count; l++) {
		for (size_t a = 0; a < launches[l].arg_count; a++)
			case_arg_release(&launches[l].args[a]);
		free(launches[l].args);
		free(launches[l].entry);
	}
	free(launches);
}

static void case_check_release(struct case_check *check)
{
	case_launches_free(check->launches, check->launch_count);
	for (size_t i = 0; i < check->item_count; i++)
		free(check->items[i].text);
	free(check->items);
	free(check->image);
	free(check->command);
	free(check->folder);
}

void launch_case_free(struct launch_case *launch_case)
{
	if (!launch_case)
		return;
	for (size_t b = 0; b < launch_case->buffer_count; b++) {
		free(launch_case->buffers[b].fill_expression);
		free(launch_case->buffers[b].fill_file);
		free(launch_case->buffers[b].symbol);
		free(launch_case->buffers[b].variable);
		free(launch_case->buffers[b].check_variable);
	}
	free(launch_case->buffers);
	case_launches_free(launch_case->launches, launch_case->launch_count);
	case_check_release(&launch_case->check);
	free(launch_case->image);
	free(launch_case->code);
	free(launch_case);
}

bool case_check_item_is_file(const struct case_check *check, size_t item)
{
	return check->kind == CHECK_FILE || check->items[item].is_file;
}

bool case_check_has_file(const struct case_check *check)
{
	for (size_t i = 0; i < check->item_count; i++)
		if (case_check_item_is_file(check, i))
			return true;
	return check->kind == CHECK_FILE;
}

bool launch_case_axis(const struct launch_case *launch_case, const char *name, int64_t *out)
{
	for (size_t i = 0; i < launch_case->axis_count; i++)
		if (!strcmp(launch_case->axes[i].name, name)) {
			*out = launch_case->axes[i].value;
			return true;
		}
	return false;
}

static int compare_axis_pointers(const void *left, const void *right)
{
	const struct axis_value *const *a = left;
	const struct axis_value *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

int64_t launch_case_buffer_bytes(const struct launch_case *launch_case, bool scratch_only)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < launch_case->buffer_count; i++) {
		const struct case_buffer *buffer = &launch_case->buffers[i];

		if (!scratch_only || buffer->role == BUFFER_SCRATCH ||
		    buffer->role == BUFFER_PER_CALL)
			bytes += buffer->length * (int64_t)element_size_bytes(buffer->type);
	}
	return bytes;
}

enum element_type case_buffer_compared(const struct case_buffer *buffer)
{
	return buffer->has_compared ? buffer->compared : buffer->type;
}

size_t case_buffer_bytes(const struct case_buffer *buffer)
{
	return (size_t)buffer->length * element_size_bytes(buffer->type);
}

bool case_buffer_is_input(const struct case_buffer *buffer)
{
	return buffer->role == BUFFER_IN || buffer->role == BUFFER_INOUT;
}

bool case_buffer_is_result(const struct case_buffer *buffer)
{
	return buffer->role == BUFFER_OUT || buffer->role == BUFFER_INOUT;
}

const char *launch_case_library(const struct launch_case *launch_case)
{
	for (size_t i = 0; i < launch_case->launch_count; i++)
		if (launch_case->launches[i].library[0])
			return launch_case->launches[i].library;
	return NULL;
}

void axes_text(struct text *out, const struct axis_value *axes, size_t count)
{
	const struct axis_value **sorted =
		xcalloc(count ? count : 1, sizeof(const struct axis_value *));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &axes[i];
	qsort(sorted, count, sizeof(const struct axis_value *), compare_axis_pointers);
	for (size_t i = 0; i < count; i++)
		text_addf(out, "%s%s=%" PRId64, i ? "," : "", sorted[i]->name, sorted[i]->value);
	free(sorted);
}

/* ---- how a variant is verified ---- */

void kernel_check_describe(struct text *out, const struct kernel *kernel,
			   const struct kernel_variant *variant)
{
	const struct kernel_oracle *oracle = variant->oracle ? variant->oracle : kernel->oracle;
	const struct kernel_check *check = variant->check;
	const size_t begin = out->length;

	if (!check || check->kind == CHECK_ORACLE) {
		text_addf(out, "CPU oracle %s", oracle ? oracle->name : "");
		return;
	}
	if (check->kind == CHECK_NONE)
		text_add(out, "none");
	else if (check->kind == CHECK_COMMAND)
		text_addf(out, "by %s", check->command);
	for (size_t i = 0; i < check->item_count; i++) {
		const struct kernel_check_item *item = &check->items[i];

		text_addf(out, "%s%s %s %s", out->length > begin ? "; " : "", item->buffer,
			  check->kind == CHECK_FILE || item->is_file ? "from" : "=",
			  item->written ? item->written : item->text);
	}
	for (size_t i = 0; i < check->launch_count; i++)
		text_addf(out, "%skernel %s", out->length > begin ? "; " : "",
			  check->launches[i].entry);
	if (check->source)
		text_addf(out, " from %s", check->source->path);
}

void variant_name_at(char out[KERNEL_NAME_BYTES], const char *variant, const char *mark)
{
	char hash[HASH_TEXT_BYTES];
	const int room = KERNEL_NAME_BYTES - 2 - (int)strlen(mark);

	hash_of(hash, variant, strlen(variant));
	if (strlen(variant) <= (size_t)room)
		snprintf(out, KERNEL_NAME_BYTES, "%s@%s", variant, mark);
	else
		snprintf(out, KERNEL_NAME_BYTES, "%.*s-%.8s@%s", room - 9, variant, hash, mark);
}
