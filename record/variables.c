/* Finds the variables of a module. See variables.h. */
#include "record/variables.h"

#include <stdlib.h>
#include <string.h>

#include "record/elf.h"

/* Variables of a module that are larger are tables that a library brings along. */
#define VARIABLES_MOST_BYTES ((uint64_t)64 << 20)

struct variable_search {
	struct memories *memories;
	CUmodule module;
	uint64_t total_bytes;
	struct error *err;
	int rc;
};

static void note_lost_variable(struct memories *memories, const char *name, const char *why)
{
	char *text = xasprintf("the variable %s %s", name, why);

	memories_note_lost(memories, text);
	free(text);
}

static bool is_initial(const unsigned char *content, const struct elf_variable *variable)
{
	if (variable->initial)
		return !memcmp(content, variable->initial, variable->bytes);
	for (size_t i = 0; i < variable->bytes; i++)
		if (content[i])
			return false;
	return true;
}

void memories_add_variable(struct memories *memories, const char *name, CUdeviceptr address,
			   size_t bytes)
{
	const struct capture_memory memory = {.kind = CAPTURE_VARIABLE,
					      .address = address,
					      .bytes = bytes,
					      .variable = xstrdup(name)};

	memories_add(memories, &memory);
}

static void add_untouched(struct memories *memories, const char *name, CUdeviceptr address,
			  size_t bytes, unsigned char *content)
{
	memories->untouched = xgrow(memories->untouched, &memories->untouched_capacity,
				    memories->untouched_count + 1, sizeof(*memories->untouched));
	memories->untouched[memories->untouched_count++] =
		(struct untouched_variable){xstrdup(name), address, bytes, content};
}

static void look_at_variable(void *context, const struct elf_variable *variable)
{
	struct variable_search *search = context;
	struct memories *memories = search->memories;
	CUdeviceptr address = 0;
	unsigned char *content;
	size_t bytes = 0;

	if (search->rc)
		return;
	if (memories->driver->cuModuleGetGlobal(&address, &bytes, search->module, variable->name) !=
		    CUDA_SUCCESS ||
	    bytes != variable->bytes) {
		note_lost_variable(memories, variable->name,
				   "has no address that the driver tells");
		return;
	}
	if (bytes > VARIABLES_MOST_BYTES - search->total_bytes) {
		note_lost_variable(memories, variable->name, "is too large");
		return;
	}
	search->total_bytes += bytes;
	content = xmalloc(bytes);
	search->rc = record_driver_check(memories->driver,
					 memories->driver->cuMemcpyDtoH(content, address, bytes),
					 search->err, "reading a variable of the program");
	if (!search->rc && is_initial(content, variable) && !variable->constant) {
		add_untouched(memories, variable->name, address, bytes, content);
		return;
	}
	if (!search->rc && !is_initial(content, variable))
		memories_add_variable(memories, variable->name, address, bytes);
	free(content);
}

int memories_add_variables(struct memories *memories, CUmodule module, const struct cubin *cubin,
			   struct error *err)
{
	struct variable_search search = {.memories = memories, .module = module, .err = err};

	elf_each_variable(cubin->bytes, cubin->size, look_at_variable, &search);
	return search.rc;
}
