/* The common options of the verbs that measure, as a request, and the end of these verbs. */
#include "cli/measure_options.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "harness/runs/runs.h"
#include "metrics/analysis/speedup.h"
#include "metrics/settings.h"

#define BLOCKS_ALL 1 /* of --blocks: the second word */

void measure_options_init(struct measure_options *options)
{
	*options = (struct measure_options){
		.seed = measure_settings_default.seed,
		.min_samples = measure_settings_default.min_samples,
		.max_time_ns = measure_settings_default.max_time_ns,
		.rounds = measure_settings_default.rounds,
		.placements = measure_settings_default.placements,
		.timeout_ns = measure_settings_default.timeout_ns,
		.device = measure_settings_default.device,
		.precision = measure_settings_default.precision,
	};
}

void measure_request(struct sweep_request *request, const struct invocation *call,
		     const struct measure_options *options)
{
	struct measure_settings *settings = &request->settings;

	sweep_request_init(request);
	settings->device = (int)options->device;
	settings->seed = options->seed;
	settings->min_samples = options->min_samples;
	settings->max_time_ns = options->max_time_ns;
	settings->precision = options->precision;
	settings->rounds = (int)options->rounds;
	settings->placements = (int)options->placements;
	settings->timeout_ns = options->timeout_ns;
	settings->jobs = (int)options->jobs;
	request->backend = options->backend;
	request->db_path = options->db ? options->db : db_default_path();
	request->command = call->command_line;
	for (size_t i = 0; i < call->command->option_count; i++) {
		const struct option_row *row = &call->command->options[i];

		if (!option_given(call, row->name))
			continue;
		string_list_add(&request->given, row->name);
		if (!row->resumes && !request->not_to_resume)
			request->not_to_resume = row->name;
	}
}

int measuring_option_refuse(const struct invocation *call, const char *instead,
			    const char *const *used, struct error *err)
{
	const char *name = option_given_beside(call, instead, used);

	return name ? error_set(err, PL_EUSAGE,
				"--%s measures nothing, so it does not go with --%s: leave one of "
				"them out",
				instead, name)
		    : 0;
}

/* ---- which cases ---- */

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

/* ---- the end ---- */

static void say_ends(const struct run_ends *ends)
{
	const bool findings = ends->mismatches || ends->faults;

	if (ends->mismatches)
		say("%zu %s a wrong result", ends->mismatches,
		    ends->mismatches == 1 ? "case has" : "cases have");
	if (ends->faults)
		say("%zu %s an error in the kernel", ends->faults,
		    ends->faults == 1 ? "case has" : "cases have");
	if (ends->unverified)
		say("%zu unverified: no check shows that %s right; the report says why",
		    ends->unverified,
		    ends->unverified == 1 ? "its result is" : "their results are");
	if (ends->sampled)
		say("%zu sampled: counted on some blocks, and %s result%s not verified, so %s may "
		    "be wrong; --blocks all runs and verifies every block",
		    ends->sampled, ends->sampled == 1 ? "its" : "their",
		    ends->sampled == 1 ? " was" : "s were", ends->sampled == 1 ? "it" : "they");
	if (ends->others)
		say("%zu %s failed%s; the reasons are in the report", ends->others,
		    ends->others == 1 ? "case" : "cases", findings ? " for another reason" : "");
}

int run_conclude(struct invocation *call, const struct run *run, struct error *err)
{
	const struct run_ends ends = run_ends_count(run);
	struct text speedups = TEXT_INIT;

	fflush(stdout);
	speedups_text(&speedups, run);
	if (speedups.length)
		say("beside the base variant: %s", speedups.data);
	text_release(&speedups);
	call->exit_code = ends.mismatches || ends.faults ? EXIT_FINDING
			  : ends.others                  ? EXIT_FAILED
							 : EXIT_FINE;
	say_ends(&ends);
	if (ends.nothing_ran)
		return error_set(err, PL_EUNSUPPORTED,
				 "nothing to run: every case was skipped, for the reasons above");
	return 0;
}
