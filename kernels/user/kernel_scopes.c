/* What the scopes that a variant sees declare together. */
#include <inttypes.h>
#include <string.h>

#include "kernels/user/kernel_variant.h"

/* Without NULL and without the first file twice, the nearest first. */
struct scope_list {
	const struct annotation_scope *items[4];
	size_t count;
};

static struct scope_list list_scopes(const struct variant_scopes *scopes)
{
	struct scope_list list = {0};

	list.items[list.count++] = scopes->given;
	if (scopes->variant)
		list.items[list.count++] = scopes->variant;
	if (scopes->file != scopes->first)
		list.items[list.count++] = scopes->file;
	list.items[list.count++] = scopes->first;
	return list;
}

bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int scopes_axes(struct annotated_axes *out, const struct variant_scopes *scopes, struct error *err)
{
	const struct scope_list list = list_scopes(scopes);

	out->count = 0;
	for (size_t s = list.count; s-- > 0;)
		for (size_t i = 0; i < list.items[s]->axis_count; i++) {
			const struct annotated_axis *axis = &list.items[s]->axes[i];
			size_t place = 0;

			while (place < out->count &&
			       strcmp(out->items[place].axis.name, axis->axis.name) != 0)
				place++;
			if (place == KERNEL_MAX_CASE_AXES)
				return annotation_error(err, axis->place,
							"with those of the first file and of the "
							"variant there are more than %d axes",
							KERNEL_MAX_CASE_AXES);
			out->items[place] = *axis;
			out->count += place == out->count;
		}
	return 0;
}

/* Refuses to compare `annotated` otherwise than as it says, if that is known to be impossible. */
static int set_comparison(struct annotated_buffer *annotated,
			  const struct annotated_comparison *comparison, struct error *err)
{
	struct kernel_buffer *buffer = &annotated->buffer;
	const size_t size = element_size_bytes(comparison->type);
	int64_t length;

	if (buffer->role != BUFFER_OUT && buffer->role != BUFFER_INOUT)
		return annotation_error(err, comparison->place,
					"\"%.60s\" has the role %s, and only results (out, inout) "
					"are compared",
					buffer->name, buffer_role_name(buffer->role));
	if (!expression_evaluate(&length, buffer->length, NULL, 0, NULL) && length > 0 &&
	    length < INT64_MAX / 8 &&
	    length * (int64_t)element_size_bytes(buffer->type) % (int64_t)size)
		return annotation_error(err, comparison->place,
					"the %" PRId64 " bytes of \"%.60s\" are no multiple of the "
					"%zu of an element of type %s",
					length * (int64_t)element_size_bytes(buffer->type),
					buffer->name, size, element_type_name(comparison->type));
	buffer->has_compared = true;
	buffer->compared = comparison->type;
	return 0;
}

static struct annotated_buffer *find_buffer(struct annotated_buffers *buffers, const char *name)
{
	for (size_t i = 0; i < buffers->count; i++)
		if (!strcmp(buffers->items[i].buffer.name, name))
			return &buffers->items[i];
	return NULL;
}

static int set_comparisons(struct annotated_buffers *buffers, const struct annotation_scope *scope,
			   struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < scope->comparison_count && !rc; i++) {
		struct annotated_buffer *buffer =
			find_buffer(buffers, scope->comparisons[i].buffer);

		if (buffer)
			rc = set_comparison(buffer, &scope->comparisons[i], err);
	}
	return rc;
}

int scopes_check_comparisons(struct annotated_buffers *buffers, const struct variant_scopes *scopes,
			     struct error *err)
{
	const struct scope_list list = list_scopes(scopes);

	for (size_t s = 0; s < list.count; s++)
		for (size_t i = 0; i < list.items[s]->comparison_count; i++) {
			const struct annotated_comparison *comparison =
				&list.items[s]->comparisons[i];

			if (!find_buffer(buffers, comparison->buffer))
				return annotation_error(err, comparison->place,
							"no buffer is named \"%.60s\"",
							comparison->buffer);
		}
	return 0;
}

int scopes_buffers(struct annotated_buffers *out, const struct variant_scopes *scopes,
		   struct error *err)
{
	const struct scope_list list = list_scopes(scopes);
	int rc = 0;

	out->count = 0;
	for (size_t s = list.count; s-- > 0;)
		for (size_t i = 0; i < list.items[s]->buffer_count; i++) {
			const struct annotated_buffer *buffer = &list.items[s]->buffers[i];
			size_t place = 0;

			while (place < out->count &&
			       strcmp(out->items[place].buffer.name, buffer->buffer.name) != 0)
				place++;
			if (place == KERNEL_MAX_BUFFERS)
				return annotation_error(err, buffer->place,
							"with those of the first file and of the "
							"variant there are more than %d buffers",
							KERNEL_MAX_BUFFERS);
			out->items[place] = *buffer;
			out->count += place == out->count;
		}
	for (size_t s = list.count; s-- > 0 && !rc;)
		rc = set_comparisons(out, list.items[s], err);
	return rc;
}

static bool same_buffer(const struct kernel_buffer *a, const struct kernel_buffer *b)
{
	return same_text(a->name, b->name) && a->type == b->type &&
	       same_text(a->length, b->length) && a->role == b->role && a->fill == b->fill &&
	       a->fill_low == b->fill_low && a->fill_high == b->fill_high &&
	       same_text(a->fill_numbers[0], b->fill_numbers[0]) &&
	       same_text(a->fill_numbers[1], b->fill_numbers[1]) &&
	       same_text(a->fill_expression, b->fill_expression) &&
	       same_text(a->fill_bits, b->fill_bits) && same_text(a->fill_file, b->fill_file) &&
	       a->fill_index == b->fill_index && a->has_compared == b->has_compared &&
	       a->compared == b->compared && same_text(a->symbol, b->symbol) &&
	       a->optional == b->optional;
}

bool same_buffers(const struct annotated_buffers *a, const struct annotated_buffers *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same_buffer(&a->items[i].buffer, &b->items[i].buffer))
			return false;
	return true;
}

const struct annotation_scope *scopes_with_checks(const struct variant_scopes *scopes)
{
	const struct scope_list list = list_scopes(scopes);

	for (size_t s = 0; s < list.count; s++)
		if (list.items[s]->check_count)
			return list.items[s];
	return NULL;
}

const struct annotated_work *scopes_work(const struct variant_scopes *scopes)
{
	const struct scope_list list = list_scopes(scopes);

	for (size_t s = 0; s < list.count; s++)
		if (list.items[s]->work.place.file)
			return &list.items[s]->work;
	return NULL;
}

static double relative_tolerance(const struct annotated_buffers *buffers)
{
	double rel = 0;

	for (size_t i = 0; i < buffers->count; i++) {
		const struct kernel_buffer *buffer = &buffers->items[i].buffer;
		enum element_type type = buffer->has_compared ? buffer->compared : buffer->type;
		double needed =
			element_is_integer(type) ? 0
			: type == ELEMENT_F16 || type == ELEMENT_BF16 || type == ELEMENT_TF32
				? 1e-2
				: 1e-5;

		if ((buffer->role == BUFFER_OUT || buffer->role == BUFFER_INOUT) && needed > rel)
			rel = needed;
	}
	return rel;
}

struct kernel_tolerance scopes_tolerance(const struct variant_scopes *scopes,
					 const struct annotated_buffers *buffers)
{
	const struct scope_list list = list_scopes(scopes);
	struct kernel_tolerance tolerance = {0, relative_tolerance(buffers)};

	for (size_t s = 0; s < list.count; s++)
		if (list.items[s]->tolerance.place.file) {
			tolerance.abs = list.items[s]->tolerance.abs;
			if (list.items[s]->tolerance.has_rel)
				tolerance.rel = list.items[s]->tolerance.rel;
			break;
		}
	return tolerance;
}

struct kernel_source *scopes_source(const struct variant_scopes *scopes,
				    struct annotation_pool *pool, const char *path)
{
	const struct scope_list list = list_scopes(scopes);
	const struct annotation_scope *with_flags[] = {
		scopes->file->flag_count ? scopes->file : scopes->first,
		scopes->variant,
		scopes->given,
	};
	struct kernel_source *source = pool_new(pool, sizeof(*source));
	const char **flags = NULL;

	source->path = path;
	for (size_t s = 0; s < list.count; s++) {
		source->standard = source->standard ? source->standard : list.items[s]->standard;
		source->compiler = source->compiler ? source->compiler : list.items[s]->compiler;
	}
	for (size_t s = 0; s < ARRAY_SIZE(with_flags); s++)
		for (size_t i = 0; with_flags[s] && i < with_flags[s]->flag_count; i++) {
			pool_append(pool, flags, source->flag_count, with_flags[s]->flags[i]);
		}
	source->flags = flags;
	return source;
}
