/* Checks that cannot fail. See kernel_variant.h. */
#include "kernels/user/kernel_variant.h"

#include <string.h>

static bool same_shape(const char *const a[3], const char *const b[3])
{
	for (int d = 0; d < 3; d++)
		if (!same_text(a[d] ? a[d] : "1", b[d] ? b[d] : "1"))
			return false;
	return true;
}

static bool same_texture(const struct kernel_texture *a, const struct kernel_texture *b)
{
	if (!a || !b)
		return a == b;
	for (size_t i = 0; i < TEXTURE_DIMENSIONS; i++)
		if (!same_text(a->sizes[i], b->sizes[i]) ||
		    a->reading.address[i] != b->reading.address[i])
			return false;
	return a->reading.surface == b->reading.surface && a->reading.fetch == b->reading.fetch &&
	       a->reading.layered == b->reading.layered && a->reading.cube == b->reading.cube &&
	       a->reading.linear == b->reading.linear &&
	       a->reading.normalized == b->reading.normalized &&
	       a->reading.normalized_float == b->reading.normalized_float &&
	       a->reading.channels == b->reading.channels;
}

static bool same_tensor(const struct kernel_tensor *a, const struct kernel_tensor *b)
{
	if (!a || !b)
		return a == b;
	for (unsigned i = 0; i < TENSOR_MOST_RANK; i++)
		if (!same_text(a->sizes[i], b->sizes[i]) ||
		    !same_text(a->strides[i], b->strides[i]) || !same_text(a->box[i], b->box[i]) ||
		    !same_text(a->steps[i], b->steps[i]))
			return false;
	for (unsigned i = 0; i < TENSOR_IMAGE_MOST_RANK; i++)
		if (!same_text(a->lower[i], b->lower[i]) || !same_text(a->upper[i], b->upper[i]))
			return false;
	return same_text(a->channels, b->channels) && same_text(a->pixels, b->pixels) &&
	       a->form.im2col == b->form.im2col && a->form.type == b->form.type &&
	       a->form.rank == b->form.rank && a->form.swizzle == b->form.swizzle &&
	       a->form.interleave == b->form.interleave && a->form.promotion == b->form.promotion &&
	       a->form.fills_nan == b->form.fills_nan;
}

/* The text of a struct is all that it was written as. */
static bool same_launch(const struct kernel_launch *a, const struct kernel_launch *b)
{
	if (strcmp(a->entry, b->entry) != 0 || a->arg_count != b->arg_count ||
	    !same_shape(a->grid, b->grid) || !same_shape(a->block, b->block) ||
	    !same_text(a->repeat, b->repeat))
		return false;
	for (size_t i = 0; i < a->arg_count; i++)
		if (a->args[i].kind != b->args[i].kind ||
		    !same_text(a->args[i].value, b->args[i].value) ||
		    !same_text(a->args[i].addend, b->args[i].addend) ||
		    !same_texture(a->args[i].texture, b->args[i].texture) ||
		    !same_tensor(a->args[i].tensor, b->args[i].tensor))
			return false;
	return true;
}

bool variant_checks_itself(const struct kernel_variant *variant)
{
	const struct kernel_check *check = variant->check;

	if (check->kind != CHECK_LAUNCHES || check->launch_count != variant->launch_count ||
	    (check->source && strcmp(check->source->path, variant->source->path) != 0))
		return false;
	for (size_t i = 0; i < check->launch_count; i++)
		if (!same_launch(&check->launches[i], &variant->launches[i]))
			return false;
	return true;
}

/* Recursion is as deep as the structs, which annotation_arguments.c limits. */
static bool passes_buffer(const struct kernel_arg *args, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (args[i].kind == ARG_STRUCT
			    ? passes_buffer(args[i].fields, args[i].field_count, name)
			    : (args[i].kind == ARG_BUFFER || args[i].kind == ARG_TENSOR_MAP ||
			       (args[i].kind == ARG_TEXTURE && args[i].texture->reading.surface)) &&
				      !strcmp(args[i].value, name))
			return true;
	return false;
}

static bool launches_pass_buffer(const struct kernel_launch *launches, size_t count,
				 const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (passes_buffer(launches[i].args, launches[i].arg_count, name))
			return true;
	return false;
}

static bool check_names_buffer(const struct kernel_check *check, const char *name)
{
	for (size_t i = 0; i < check->item_count; i++)
		if (!strcmp(check->items[i].buffer, name))
			return true;
	return launches_pass_buffer(check->launches, check->launch_count, name);
}

static bool scope_has_buffer(const struct annotation_scope *scope, const char *name)
{
	for (size_t i = 0; scope && i < scope->buffer_count; i++)
		if (!strcmp(scope->buffers[i].buffer.name, name))
			return true;
	return false;
}

const struct annotated_buffer *variant_untouched_result(const struct kernel_variant *variant,
							const struct variant_scopes *scopes,
							const struct annotated_buffers *buffers)
{
	for (size_t i = 0; i < buffers->count; i++) {
		const struct kernel_buffer *buffer = &buffers->items[i].buffer;

		/* A kernel may find the memory of a capture by an address in other memory. */
		if ((buffer->role == BUFFER_OUT || buffer->role == BUFFER_INOUT) &&
		    !buffer->symbol && buffer->fill != FILL_CAPTURE &&
		    !launches_pass_buffer(variant->launches, variant->launch_count, buffer->name) &&
		    (check_names_buffer(variant->check, buffer->name) ||
		     scope_has_buffer(scopes->variant, buffer->name)))
			return &buffers->items[i];
	}
	return NULL;
}
