/* Places in the source code, as messages name them. */
#include "emulator/language/module.h"

const char *source_file_name(const struct ptx_module *module, uint32_t file, uint32_t line)
{
	return line && file < module->file_count ? module->files[file] : NULL;
}

void source_place_text(struct text *out, const struct ptx_module *module,
		       const struct ptx_statement *statement)
{
	const char *file = source_file_name(module, statement->file, statement->source_line);
	const char *caller_file =
		source_file_name(module, statement->caller_file, statement->caller_line);

	if (caller_file)
		text_addf(out, "%s:%u", caller_file, statement->caller_line);
	else if (file)
		text_addf(out, "%s:%u", file, statement->source_line);
	else
		text_addf(out, "line %u of the PTX", statement->line);
}
