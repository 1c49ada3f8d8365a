/* What a capture says of its launch, in memory. */
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"

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
