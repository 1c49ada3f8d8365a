/* The options that choose cases, as parts of a request. */
#include "cli/case_options.h"

#include <stdlib.h>

#define BLOCKS_ALL 1 /* of --blocks: the second word */

const char *const case_cache_words[] = {"cold", "hot", NULL};
const char *const case_block_words[] = {"auto", "all", NULL};

void case_options_init(struct case_options *options)
{
	*options = (struct case_options){.cache = (int)measure_settings_default.cache};
	ceilings_when_default(&options->ceilings, NULL); /* sweep_run() refuses another word */
}

static void add_source_options(struct sweep_request *request, const struct case_options *options)
{
	for (size_t i = 0; i < options->launches.count; i++) {
		char *line = xasprintf("launch %s", options->launches.items[i]);

		string_list_add(&request->annotations, line);
		free(line);
	}
	for (size_t i = 0; i < options->annotations.count; i++)
		string_list_add(&request->annotations, options->annotations.items[i]);
	for (size_t i = 0; i < options->compile_flags.count; i++)
		string_list_add(&request->compile_flags, options->compile_flags.items[i]);
	request->standard = options->standard;
	request->compiler = options->compiler;
}

int case_options_apply(struct sweep_request *request, const struct invocation *call,
		       const struct case_options *options, struct error *err)
{
	int rc = 0;

	request->settings.cache = (enum cache_mode)options->cache;
	request->settings.all_blocks = options->blocks == BLOCKS_ALL;
	request->settings.chip = options->chip ? xstrdup(options->chip) : NULL;
	request->ceilings = (enum ceilings_when)options->ceilings;
	for (size_t i = 0; i < options->metrics.count; i++)
		string_list_add(&request->metrics, options->metrics.items[i]);
	for (size_t i = 0; i < call->operands.count && !rc; i++)
		rc = sweep_request_add_operand(request, call->operands.items[i], err);
	for (size_t i = 0; i < options->replacements.count && !rc; i++)
		rc = sweep_request_add_replacement(request, options->replacements.items[i], err);
	add_source_options(request, options);
	if (options->block_sizes)
		sweep_request_set_axis(request, "block", options->block_sizes);
	if (options->size)
		sweep_request_set_axis(request, "n", options->size);
	for (size_t i = 0; i < options->sets.count && !rc; i++)
		rc = sweep_request_set(request, options->sets.items[i], err);
	return rc;
}
