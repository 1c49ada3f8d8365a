/* Finds out which entries of a PTX file the emulator can run, for `perflab check`. */
#include "emulator/emulator.h"

#include <stdlib.h>

#include "emulator/program/program.h"

/* Decodes one entry and reports it. An entry that cannot run is a result, not an error. */
static int check_entry(const struct ptx_module *module, const char *name,
		       void (*visit)(void *context, const struct ptx_entry_check *check),
		       void *context, struct error *err)
{
	struct unsupported_features unsupported = {0};
	struct ptx_program *program = NULL;
	struct text missing = TEXT_INIT;
	struct error why = {0};
	int rc = ptx_program_decode(&program, module, name, &unsupported, &why);

	if (rc == PL_EUNSUPPORTED && unsupported.count)
		unsupported_features_text(&missing, &unsupported);
	else if (rc == PL_EUNSUPPORTED || rc == PL_EPARSE)
		text_add(&missing, why.text);
	else if (rc)
		error_set(err, rc, "%s", why.text);
	if (rc == 0 || missing.length) {
		visit(context, &(struct ptx_entry_check){
				       .name = name, .runnable = rc == 0, .missing = missing.data});
		rc = 0;
	}
	ptx_program_free(program);
	unsupported_features_release(&unsupported);
	text_release(&missing);
	return rc;
}

static int check_entries(const struct ptx_module *module,
			 void (*visit)(void *context, const struct ptx_entry_check *check),
			 void *context, struct error *err)
{
	struct unsupported_features unsupported = {0};
	struct ptx_program *whole = NULL;
	struct error why = {0};
	/* If the whole module can run, one decoding suffices, and shared functions are decoded
	 * once. */
	bool all_run = ptx_program_decode(&whole, module, NULL, &unsupported, &why) == 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < module->function_count; i++) {
		const struct ptx_function *function = &module->functions[i];

		if (!function->entry || !function->defined)
			continue;
		if (all_run)
			visit(context, &(struct ptx_entry_check){.name = function->name,
								 .runnable = true,
								 .missing = ""});
		else
			rc = check_entry(module, function->name, visit, context, err);
	}
	ptx_program_free(whole);
	unsupported_features_release(&unsupported);
	return rc;
}

int ptx_check_file(const char *path,
		   void (*visit)(void *context, const struct ptx_entry_check *check), void *context,
		   struct error *err)
{
	struct ptx_module *module = NULL;
	size_t length = 0;
	char *text = NULL;
	int rc;

	rc = read_file(&text, &length, path, PTX_MAX_TEXT_BYTES, err);
	if (rc)
		goto out;
	rc = ptx_module_parse(&module, text, length, err);
	if (rc == PL_EUNSUPPORTED) {
		visit(context,
		      &(struct ptx_entry_check){.name = PTX_CHECK_ALL, .missing = err->text});
		*err = (struct error){0};
		rc = 0;
	} else if (rc == 0) {
		rc = check_entries(module, visit, context, err);
	}
	rc = error_context(err, rc, "%s", path);
out:
	ptx_module_free(module);
	free(text);
	return rc;
}
