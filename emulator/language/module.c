/* Freeing a parsed module, and looking things up in it. */
#include "emulator/language/module.h"

#include <string.h>

#include "emulator/language/arena.h"

void ptx_module_free(struct ptx_module *module)
{
	if (module)
		arena_destroy(module->arena);
}

const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name)
{
	for (size_t i = 0; i < module->function_count; i++) {
		if (strcmp(module->functions[i].name, name) == 0)
			return &module->functions[i];
	}
	return NULL;
}

const char *ptx_space_name(enum ptx_space space)
{
	static const char *const names[] = {
		[PTX_SPACE_GENERIC] = "",      [PTX_SPACE_GLOBAL] = "global",
		[PTX_SPACE_SHARED] = "shared", [PTX_SPACE_LOCAL] = "local",
		[PTX_SPACE_CONST] = "const",   [PTX_SPACE_PARAM] = "param",
	};

	return names[space];
}
