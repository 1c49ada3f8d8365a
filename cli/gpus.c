/* Sweeps on several GPUs: measuring, and the one report of all runs. */
#include "cli/gpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/damaged_profiles.h"
#include "cli/measure_options.h"
#include "cli/output.h"
#include "harness/runs/runs.h"

int say_one_of_group(struct db *db, const char *reference, int64_t run_id, struct error *err)
{
	struct text others = TEXT_INIT;
	int64_t *ids = NULL;
	size_t count = 0;
	bool meant = false;
	int rc = group_is_meant(&meant, db, reference, run_id, err);

	if (!rc && meant)
		rc = db_runs_alike(db, run_id, GPUS_GROUP_KEY, &ids, &count, err);
	for (size_t i = 0; i < count; i++)
		if (ids[i] != run_id)
			text_addf(&others, "%s%lld", others.length ? ", " : "", (long long)ids[i]);
	if (!rc && others.length)
		say("\"%s\" is a sweep on several GPUs; this is its run %lld alone, and the others "
		    "are %s",
		    reference, (long long)run_id, others.data);
	text_release(&others);
	free(ids);
	return rc;
}

/* A picture of a spread would show each case once for each GPU, without saying which. */
static int check_group_format(const struct gpu_group *group, enum report_format format,
			      struct error *err)
{
	if (!group->spread || !report_format_has(format, BY_GNUPLOT))
		return 0;
	return error_set(err, PL_EUSAGE,
			 "%s does not show a spread over GPUs: draw the run of one GPU, such as "
			 "perflab report %lld --format %s, or use html",
			 report_format_name(format), (long long)group->runs[0].id,
			 report_format_name(format));
}

int group_report(struct invocation *call, const struct group_data *data, struct db *db,
		 const struct group_look *look, struct error *err)
{
	static const struct report_selection everything = {0};
	const struct report_selection *selection = look->selection ? look->selection : &everything;
	const struct gpu_group *group = &data->group;
	struct page_profiles page = {db, &group->all, 0};
	const struct report_profile_reader profiles = {
		.profile = page_profiles_read,
		.source = page_profiles_source,
		.context = &page,
	};
	struct report_selected selected = {0};
	struct report_options options = {
		.selection = selection,
		.whole = &group->all,
		.db = look->db,
		.all_metrics = look->all_metrics,
		/* roofs belong to one model, and the text of a spread shows no cases */
		.no_roofline = look->no_roofline || !group->one_model ||
			       (group->difference_count && !selection->all),
		.no_page = report_format_why_not(REPORT_HTML) != NULL,
		.ceilings = &data->ceilings,
		.gpus = group,
		.roofs_of = data->roofs_of,
		.samples = report_data_samples,
		.samples_context = db,
		.profiles = &profiles,
	};
	struct output output = {0};
	int rc = check_group_format(group, look->format, err);

	if (!rc)
		rc = report_select(&selected, &group->all, selection, &data->ceilings, err);
	if (!rc)
		rc = output_open(&output, look->output, err);
	if (rc) {
		report_selected_release(&selected);
		return rc;
	}
	if (!output.path) {
		options.colour = call->terminal.out_colour;
		options.width = call->terminal.out_width;
		options.ascii = call->terminal.out_ascii;
	}
	rc = report_draw(output.stream, report_selected_run(&selected, look->format), look->format,
			 &options, err);
	report_selected_release(&selected);
	if (page.damaged)
		call->exit_code = EXIT_FAILED;
	return output_end(&output, rc, err);
}

static void say_processors(const struct gpu_group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct run *run = &group->runs[i];
		const char *processors = key_value_get(&run->environment, GPUS_PROCESSORS_KEY);

		say("GPU %d, run %lld: processors %s", run->settings.device, (long long)run->id,
		    processors ? processors : "unknown");
	}
}

/* The report of all runs, and the exit code by the cases of all. */
static int report_runs(struct invocation *call, struct db *db, int64_t run_id,
		       const struct sweep_gpus_options *options, struct error *err)
{
	struct group_data data;
	int rc = group_data_load(&data, db, run_id, err);

	if (!rc)
		rc = group_report(call, &data, db, &options->look, err);
	if (!rc && options->verbose)
		say_processors(&data.group);
	if (!rc && data.group.all.trial_count)
		rc = run_conclude(call, &data.group.all, err);
	group_data_release(&data);
	return rc;
}

static int report_all(struct invocation *call, const struct sweep_request *request,
		      const struct gpus_result *result, const struct sweep_gpus_options *options,
		      struct error *err)
{
	size_t runs = 0;
	int64_t run_id = 0; /* the first run of the sweep; 0: none was begun */
	struct text path = TEXT_INIT;
	struct db *db = NULL;
	int rc = db_open(&db, request->db_path, DB_READ, err);
	char wall[32];

	for (size_t i = 0; i < result->count; i++) {
		runs += result->runs[i].run_id != 0;
		run_id = run_id ? run_id : result->runs[i].run_id;
	}
	if (!rc && run_id)
		rc = report_runs(call, db, run_id, options, err);
	db_close(db);
	format_duration(wall, (double)result->wall_ns);
	shell_word(&path, request->db_path);
	if (!rc && !options->quiet)
		say("%zu %s on %zu %s in %s; perflab report %lld --group --db %s prints them again",
		    result->cases, result->cases == 1 ? "case" : "cases", runs,
		    runs == 1 ? "run" : "runs", wall, (long long)run_id, path.data);
	text_release(&path);
	for (size_t i = 0; i < result->count; i++)
		if ((result->runs[i].code || result->runs[i].impossible) &&
		    call->exit_code == EXIT_FINE)
			call->exit_code = EXIT_FAILED;
	if (!rc && result->unmeasured)
		rc = error_set(err, PL_EDEVICE, "%zu %s not measured, because no GPU is left",
			       result->unmeasured,
			       result->unmeasured == 1 ? "case is" : "cases are");
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
