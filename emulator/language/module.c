/* Freeing a parsed module, looking things up in it, and places in the source code as messages name
 * them. */
#include <string.h>

#include "emulator/language/parser.h"

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

const char *source_file_name(const struct ptx_module *module, uint32_t file, uint32_t line)
{
	return line && file < module->file_count ? module->files[file] : NULL;
}

bool source_line_text(struct text *out, const char *file, uint32_t line, const char *caller_file,
		      uint32_t caller_line)
{
	if (caller_file)
		text_addf(out, "%s:%u", caller_file, caller_line);
	if (file)
		text_addf(out, caller_file ? " (%s:%u)" : "%s:%u", file, line);
	return file || caller_file;
}

void source_place_text(struct text *out, const struct ptx_module *module,
		       const struct ptx_statement *statement)
{
	if (!source_line_text(
		    out, source_file_name(module, statement->file, statement->source_line),
		    statement->source_line,
		    source_file_name(module, statement->caller_file, statement->caller_line),
		    statement->caller_line))
		text_addf(out, "line %u of the PTX", statement->line);
}
