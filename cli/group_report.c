#include "cli/group_report.h"

#include "cli/output.h"
#include "harness/runs/runs.h"

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

int group_report(const struct invocation *call, const struct group_data *data, struct db *db,
		 const struct group_look *look, struct error *err)
{
	static const struct report_selection everything = {0};
	const struct report_selection *selection = look->selection ? look->selection : &everything;
	const struct gpu_group *group = &data->group;
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
	return output_end(&output, rc, err);
}
