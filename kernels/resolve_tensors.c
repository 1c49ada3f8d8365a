#include "kernels/resolve_tensors.h"

#include <inttypes.h>

static int resolve_number(struct resolution *r, uint64_t *out, const char *expression,
			  uint64_t absent, uint64_t most)
{
	int64_t value;
	int rc;

	*out = absent;
	if (!expression)
		return 0;
	rc = resolution_evaluate(r, &value, expression, "a number of a tensor map");
	if (rc)
		return rc;
	if (value < 0 || (uint64_t)value > most)
		return resolution_refuse(r, expression, "%s of a tensor map is %" PRId64,
					 expression, value);
	*out = (uint64_t)value;
	return 0;
}

static int resolve_small(struct resolution *r, uint32_t *out, const char *expression)
{
	uint64_t value;
	int rc = resolve_number(r, &value, expression, 1, UINT32_MAX);

	*out = (uint32_t)value;
	return rc;
}

static int resolve_corner(struct resolution *r, int32_t *out, const char *expression)
{
	int64_t value;
	int rc = resolution_evaluate_or(r, &value, expression, 0, "a corner of a tensor map");

	if (rc)
		return rc;
	if (value < INT32_MIN || value > INT32_MAX)
		return resolution_refuse(r, expression, "%s of a tensor map is %" PRId64,
					 expression, value);
	*out = (int32_t)value;
	return 0;
}

static int resolve_im2col(struct resolution *r, struct tensor_map *map,
			  const struct kernel_tensor *from)
{
	int rc = resolve_small(r, &map->channels, from->channels);

	if (!rc)
		rc = resolve_small(r, &map->pixels, from->pixels);
	for (unsigned i = 0; i < TENSOR_IMAGE_MOST_RANK && !rc; i++) {
		rc = resolve_corner(r, &map->lower[i], from->lower[i]);
		if (!rc)
			rc = resolve_corner(r, &map->upper[i], from->upper[i]);
	}
	return rc;
}

static int resolve_numbers(struct resolution *r, struct tensor_map *map,
			   const struct kernel_tensor *from)
{
	uint64_t packed = tensor_map_unit_bytes(map);
	int rc = 0;

	for (unsigned i = 0; i < map->rank && !rc; i++) {
		rc = resolve_number(r, &map->sizes[i], from->sizes[i], 0, INT64_MAX);
		if (!rc && i)
			rc = resolve_number(r, &map->strides[i], from->strides[i], packed,
					    INT64_MAX);
		if (!rc && !map->im2col)
			rc = resolve_small(r, &map->box[i], from->box[i]);
		if (!rc)
			rc = resolve_small(r, &map->steps[i], from->steps[i]);
		if (__builtin_mul_overflow(i ? map->strides[i] : packed, map->sizes[i], &packed))
			packed = UINT64_MAX;
	}
	if (!rc && map->im2col)
		rc = resolve_im2col(r, map, from);
	return rc;
}

int resolve_tensor(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	const struct case_buffer *buffer = &r->work->buffers[out->integer];
	const int64_t bytes = buffer->length * (int64_t)element_size_bytes(buffer->type);
	struct tensor_map *map = xcalloc(1, sizeof(*map));
	struct error cause;
	int rc;

	*map = arg->tensor->form;
	out->tensor = map;
	rc = resolve_numbers(r, map, arg->tensor);
	if (rc)
		return rc;
	if (tensor_map_check(map, &cause))
		return resolution_skip(r, "the map of %s: %s", arg->value, cause.text);
	if (tensor_map_extent(map) > (uint64_t)bytes)
		return resolution_skip(r,
				       "the tensor of %s has %" PRIu64
				       " bytes up to its last element, but the buffer has %" PRId64,
				       arg->value, tensor_map_extent(map), bytes);
	return 0;
}
