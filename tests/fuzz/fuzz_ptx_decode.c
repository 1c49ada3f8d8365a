/* Fuzz target: any bytes as PTX. A parsed module is decoded or rejected, by entry and as a whole.
 */
#include <stddef.h>
#include <stdint.h>

#include "emulator/program/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const struct ptx_module *module, const char *name)
{
	struct ptx_program *program = NULL;
	struct unsupported_features unsupported = {0};
	struct text words = TEXT_INIT;
	struct error err = {0};

	if (ptx_program_decode(&program, module, name, &unsupported, &err) == 0 && name) {
		program_shared_static_bytes(program, name);
		program_dependence(program, name);
	}
	unsupported_features_text(&words, &unsupported);
	text_release(&words);
	unsupported_features_release(&unsupported);
	ptx_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_module *module = NULL;
	struct error err = {0};

	if (ptx_module_parse(&module, (const char *)data, size, &err))
		return 0;
	decode(module, NULL);
	for (size_t i = 0; i < module->function_count && i < 16; i++)
		decode(module, module->functions[i].name);
	ptx_module_free(module);
	return 0;
}
