#include "cli/sweep_gpus.h"

#include <stdlib.h>
#include <string.h>

#include "cli/interruption.h"
#include "cli/measure_options.h"
#include "cli/output.h"
#include "cli/spread_table.h"
#include "harness/session/judge.h"

/* ---- one run ---- */

static int print_report(struct invocation *call, struct db *db, const struct run *run,
			const struct sweep_gpus_options *options, struct error *err)
{
	struct ceiling_list ceilings = {0};
	const struct report_options look = {.colour = call->terminal.out_colour,
					    .width = call->terminal.out_width,
					    .ascii = call->terminal.out_ascii,
					    .all_metrics = options->all_metrics,
					    .no_page = report_format_why_not(REPORT_HTML) != NULL,
					    .db = options->db,
					    .ceilings = &ceilings};
	int rc = db_ceilings_load(db, run->id, &ceilings, err);

	if (!rc)
		rc = report_run(stdout, run, REPORT_TEXT, &look, err);
	printf("\n");
	ceiling_list_release(&ceilings);
	return rc;
}

/* A run of a spread has the cases of the others: the table of their differences says more. */
static int report_one(struct invocation *call, struct db *db, const struct run *run,
		      const struct sweep_gpus_options *options, struct error *err)
{
	const int worst = call->exit_code;
	int rc = 0;

	if (!run->trial_count)
		return 0;
	if (options->format == REPORT_TEXT && !options->gpus.spread)
		rc = print_report(call, db, run, options, err);
	if (options->verbose)
		say("GPU %d, run %lld: processors %s", run->settings.device, (long long)run->id,
		    key_value_get(&run->environment, "gpus.processors"));
	if (!rc)
		rc = run_conclude(call, run, err);
	/* a wrong result weighs more than a failure */
	if (worst == EXIT_FINDING || (worst && call->exit_code == EXIT_FINE))
		call->exit_code = worst;
	return rc;
}

/* ---- all runs ---- */

static char *remark_on(const struct gpus_run *run)
{
	if (run->error)
		return xasprintf("failed: %s", run->error);
	return xstrdup(run->took_over ? "took over cases" : "");
}

static int print_gpus(struct invocation *call, const struct gpus_result *result,
		      enum report_format format, struct error *err)
{
	static const struct table_column columns[] = {{.name = "gpu", .numeric = true},
						      {.name = "device"},
						      {.name = "uuid"},
						      {.name = "run", .numeric = true},
						      {.name = "cases", .numeric = true},
						      {.name = "seconds", .numeric = true},
						      {.name = "remark"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc;

	for (size_t i = 0; i < result->count; i++) {
		const struct gpus_run *run = &result->runs[i];
		char *number = xasprintf("%d", run->number), *state = remark_on(run);
		char *id = run->run_id ? xasprintf("%lld", (long long)run->run_id) : NULL;
		char *cases = xasprintf("%zu", run->cases);
		char *seconds = xasprintf("%.1f", (double)run->wall_ns / 1e9);

		table_row(table, (const char *const[]){number, run->name, run->uuid, id, cases,
						       seconds, state});
		free(number);
		free(state);
		free(id);
		free(cases);
		free(seconds);
	}
	rc = table_to_stdout(call, table, format, err);
	table_free(table);
	return rc;
}

/* Loads and reports the runs that ended well. */
static int report_runs(struct invocation *call, struct db *db, const struct gpus_result *result,
		       const struct sweep_gpus_options *options, struct error *err)
{
	struct run *runs = xcalloc(result->count + 1, sizeof(*runs));
	int *numbers = xcalloc(result->count + 1, sizeof(*numbers));
	struct error nothing = {0};
	size_t count = 0, empty = 0;
	int rc = 0;

	for (size_t i = 0; i < result->count && !rc; i++) {
		if (!result->runs[i].run_id || result->runs[i].code)
			continue;
		numbers[count] = result->runs[i].number;
		rc = run_load_measured(db, result->runs[i].run_id, true, &runs[count], err);
		if (!rc)
			rc = report_one(call, db, &runs[count++], options, &nothing);
		/* the others may have measured: that nothing ran concerns all runs together */
		empty += rc == PL_EUNSUPPORTED;
		if (rc == PL_EUNSUPPORTED)
			rc = 0;
		else if (rc)
			error_set(err, rc, "%s", nothing.text);
	}
	for (size_t i = 0; i < count; i++)
		empty += !runs[i].trial_count;
	if (!rc && count && empty == count)
		rc = error_set(err, PL_EUNSUPPORTED, "%s", nothing.text);
	if (!rc && options->gpus.spread && options->format == REPORT_TEXT)
		rc = spread_table_print(call, runs, numbers, count, err);
	for (size_t i = 0; i < count; i++)
		run_release(&runs[i]);
	free(runs);
	free(numbers);
	return rc;
}

static int report_all(struct invocation *call, const struct sweep_request *request,
		      const struct gpus_result *result, const struct sweep_gpus_options *options,
		      struct error *err)
{
	struct db *db = NULL;
	int rc = db_open(&db, request->db_path, DB_READ, err);
	char wall[32];

	if (!rc)
		rc = report_runs(call, db, result, options, err);
	db_close(db);
	if (!rc)
		rc = print_gpus(call, result, options->format, err);
	format_duration(wall, (double)result->wall_ns);
	if (!rc && !options->quiet)
		say("%zu cases on %zu runs in %s; perflab report RUN --db %s prints a run again",
		    result->cases, result->count, wall, request->db_path);
	for (size_t i = 0; i < result->count; i++)
		if ((result->runs[i].code || result->runs[i].impossible) &&
		    call->exit_code == EXIT_FINE)
			call->exit_code = EXIT_FAILED;
	if (!rc && result->unmeasured)
		rc = error_set(err, PL_EDEVICE,
			       "%zu cases are not measured, because no GPU is left for them",
			       result->unmeasured);
	return rc;
}

int sweep_gpus(struct invocation *call, const struct sweep_request *request,
	       const struct sweep_gpus_options *options, struct progress *progress,
	       struct error *err)
{
	const struct sweep_observer observer = progress_observer(progress);
	struct gpus_result result;
	int rc = gpus_run(request, &options->gpus, &observer, interruption_catch(), &result, err);

	progress_end(progress);
	if (!rc)
		rc = report_all(call, request, &result, options, err);
	gpus_result_release(&result);
	return rc;
}
