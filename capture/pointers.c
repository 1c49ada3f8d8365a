/* Pointers in the parameters and in memory. */
#include <inttypes.h>

#include "capture/index.h"

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

static bool pointer_valid(const struct capture_pointer *pointer, const struct capture_info *info,
			  const struct pointer_list *list)
{
	return pointer->offset % 8 == 0 && pointer->offset <= list->bytes &&
	       list->bytes - pointer->offset >= 8 && pointer->memory < info->memory_count &&
	       pointer->addend <= info->memory[pointer->memory].bytes;
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
			if (!pointer_valid(pointer, info, &list))
				return error_set(
					err, code,
					"pointer %zu of list %zu, at offset %" PRIu64
					" to byte %" PRIu64 " of memory %zu, is impossible",
					k, i, pointer->offset, pointer->addend, pointer->memory);
		}
	return 0;
}
