/* What a capture says of its launch: its memory and its limits. */
#include "capture/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
#define X(symbol, name) [symbol] = name,
	CAPTURE_MEMORY_KIND_LIST(X)
#undef X
};

const char *capture_memory_kind_name(enum capture_memory_kind kind)
{
	return kind_names[kind];
}

bool capture_memory_kind_parse(enum capture_memory_kind *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind_names); i++)
		if (!strcmp(kind_names[i], name)) {
			*out = (enum capture_memory_kind)i;
			return true;
		}
	return false;
}

void capture_info_release(struct capture_info *info)
{
	char *const texts[] = {info->kernel,  info->api,    info->program, info->created,
			       info->version, info->device, info->uuid,    info->ptx_origin};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	free(info->parameter_data);
	free(info->parameters);
	free(info->parameter_pointers.items);
	for (size_t i = 0; i < info->memory_count; i++) {
		free(info->memory[i].variable);
		free(info->memory[i].before.items);
		free(info->memory[i].after.items);
	}
	free(info->memory);
	string_list_release(&info->lost);
	*info = (struct capture_info){0};
}

/* No address space of a GPU or a processor is larger. */
#define MOST_ADDRESS ((uint64_t)1 << 62)

static int name_check(const char *text, const char *name, int code, struct error *err)
{
	const size_t length = text ? strlen(text) : 0;

	if (!length || length > CAPTURE_MOST_TEXT)
		return error_set(err, code, "'%s' has %zu bytes, not 1 to %d", name, length,
				 CAPTURE_MOST_TEXT);
	return 0;
}

static int range_check(int64_t value, int64_t low, int64_t high, const char *name, int code,
		       struct error *err)
{
	if (value >= low && value <= high)
		return 0;
	return error_set(err, code, "'%s' is %" PRId64 ", not %" PRId64 " to %" PRId64, name, value,
			 low, high);
}

static int launch_check(const struct capture_launch *launch, int code, struct error *err)
{
	if (range_check(launch->shared_bytes, 0, INT32_MAX, "shared_bytes", code, err) ||
	    range_check(launch->carveout, -1, 100, "carveout", code, err))
		return code;
	for (size_t i = 0; i < 3; i++)
		if (range_check(launch->grid[i], 1, INT32_MAX, "grid", code, err) ||
		    range_check(launch->block[i], 1, 1024, "block", code, err) ||
		    range_check(launch->cluster[i], 1, 1024, "cluster", code, err))
			return code;
	return 0;
}

static int parameters_check(const struct capture_info *info, int code, struct error *err)
{
	uint64_t end = 0;

	if (info->parameter_bytes > CAPTURE_MOST_PARAMETER_BYTES)
		return error_set(err, code, "the parameters have %zu bytes, more than %d",
				 info->parameter_bytes, CAPTURE_MOST_PARAMETER_BYTES);
	for (size_t i = 0; i < info->parameter_count; i++) {
		const struct capture_parameter *parameter = &info->parameters[i];

		if (parameter->offset < end || parameter->offset > info->parameter_bytes ||
		    !parameter->bytes ||
		    parameter->bytes > info->parameter_bytes - parameter->offset)
			return error_set(err, code,
					 "parameter %zu, %" PRIu64 " bytes at offset %" PRIu64
					 ", overlaps another or ends after byte %zu",
					 i, parameter->bytes, parameter->offset,
					 info->parameter_bytes);
		end = parameter->offset + parameter->bytes;
	}
	return 0;
}

static int memory_check(const struct capture_memory *memory, size_t index, int code,
			struct error *err)
{
	int rc = 0;

	if (!memory->bytes || memory->bytes > MOST_PART_BYTES)
		rc = error_set(err, code, "its size is %" PRIu64 " bytes", memory->bytes);
	else if (!memory->address || memory->address > MOST_ADDRESS)
		rc = error_set(err, code, "its address is %#" PRIx64, memory->address);
	else if ((memory->kind == CAPTURE_VARIABLE) != (memory->variable != NULL))
		rc = error_set(err, code, "only a variable has a name");
	else if (memory->variable)
		rc = name_check(memory->variable, "variable", code, err);
	return error_context(err, rc, "memory %zu", index);
}

static int by_address(const void *left, const void *right)
{
	const struct capture_memory *const *a = left;
	const struct capture_memory *const *b = right;

	return ((*a)->address > (*b)->address) - ((*a)->address < (*b)->address);
}

/* Variables may overlap: two names may stand for the same bytes. */
static int overlap_check(const struct capture_info *info, int code, struct error *err)
{
	const struct capture_memory **sorted = xcalloc(info->memory_count + 1, sizeof(*sorted));
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < info->memory_count; i++)
		if (info->memory[i].kind != CAPTURE_VARIABLE)
			sorted[count++] = &info->memory[i];
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 1; i < count && !rc; i++)
		if (sorted[i]->address - sorted[i - 1]->address < sorted[i - 1]->bytes)
			rc = error_set(err, code, "memory %td and memory %td overlap",
				       sorted[i - 1] - info->memory, sorted[i] - info->memory);
	free(sorted);
	return rc;
}

int info_check(const struct capture_info *info, int code, struct error *err)
{
	if (name_check(info->kernel, "kernel", code, err))
		return code;
#define X(field)          \
	if (!info->field) \
		return error_set(err, code, "'" #field "' is missing");
	INDEX_TEXT_LIST(X)
#undef X
	if (range_check(info->number, 1, INT64_MAX, "number", code, err) ||
	    range_check(info->cc_major, 1, 99, "cc_major", code, err) ||
	    range_check(info->cc_minor, 0, 99, "cc_minor", code, err) ||
	    range_check(info->driver_version, 0, INT32_MAX, "driver_version", code, err) ||
	    launch_check(&info->launch, code, err) || parameters_check(info, code, err))
		return code;
	if (info->memory_count > CAPTURE_MOST_MEMORY)
		return error_set(err, code, "there are %zu memories, more than %d",
				 info->memory_count, CAPTURE_MOST_MEMORY);
	for (size_t i = 0; i < info->memory_count; i++)
		if (memory_check(&info->memory[i], i, code, err))
			return code;
	return overlap_check(info, code, err);
}

bool pointer_list_at(struct pointer_list *out, const struct capture_info *info, size_t index)
{
	const size_t memory = (index - 1) / 2;

	if (!index) {
		*out = (struct pointer_list){
			(struct capture_pointers *)(uintptr_t)&info->parameter_pointers,
			info->parameter_bytes};
		return true;
	}
	if (memory >= info->memory_count)
		return false;
	*out = (struct pointer_list){index % 2 ? &info->memory[memory].before
					       : &info->memory[memory].after,
				     info->memory[memory].bytes};
	return true;
}

int pointers_count(size_t *out, const struct capture_info *info, int code, struct error *err)
{
	struct pointer_list list;
	size_t count = 0;

	for (size_t i = 0; pointer_list_at(&list, info, i); i++) {
		if (list.pointers->count > CAPTURE_MOST_POINTERS - count)
			return error_set(err, code, "there are more than %d pointers",
					 CAPTURE_MOST_POINTERS);
		count += list.pointers->count;
	}
	*out = count;
	return 0;
}

int pointers_check(const struct capture_info *info, int code, struct error *err)
{
	struct pointer_list list;

	for (size_t i = 0; pointer_list_at(&list, info, i); i++)
		for (size_t k = 0; k < list.pointers->count; k++) {
			const struct capture_pointer *pointer = &list.pointers->items[k];

			if (k && pointer->offset <= pointer[-1].offset)
				return error_set(err, code,
						 "the pointers of list %zu do not ascend at offset "
						 "%" PRIu64,
						 i, pointer->offset);
			if (pointer->offset % 8 || pointer->offset > list.bytes ||
			    list.bytes - pointer->offset < 8 ||
			    pointer->memory >= info->memory_count ||
			    pointer->addend > info->memory[pointer->memory].bytes)
				return error_set(
					err, code,
					"pointer %zu of list %zu, at offset %" PRIu64
					" to byte %" PRIu64 " of memory %zu, is impossible",
					k, i, pointer->offset, pointer->addend, pointer->memory);
		}
	return 0;
}
