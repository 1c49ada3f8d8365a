/* Selects the cases of a run for every format; see reports.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/selection/columns.h"
#include "reports/selection/selection.h"

/* A borrowed view of a run with these trials, which the view owns. */
static struct run run_view_of(const struct run *run, size_t capacity)
{
	struct run view = *run;

	view.trials = xcalloc(capacity + 1, sizeof(*view.trials));
	view.trial_count = 0;
	return view;
}

static int nothing_matches(const struct run *run, const char *pattern, struct error *err)
{
	struct string_list kernels = {0}, variants = {0};
	struct text names = TEXT_INIT;
	char whose[32] = "this sweep";
	int rc;

	if (run->id)
		snprintf(whose, sizeof(whose), "run %lld", (long long)run->id);
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		char *variant = xasprintf("%s/%s", trial->kernel, trial->variant);

		if (!string_list_has(&kernels, trial->kernel))
			string_list_add(&kernels, trial->kernel);
		if (!string_list_has(&variants, variant))
			string_list_add(&variants, variant);
		free(variant);
	}
	if (nearest_names(&names, pattern, (const char *const *)kernels.items, kernels.count) ||
	    nearest_names(&names, pattern, (const char *const *)variants.items, variants.count)) {
		rc = error_set(err, PL_EUSAGE, "no case of %s matches \"%s\"; did you mean %s?",
			       whose, pattern, names.data);
	} else {
		for (size_t i = 0; i < kernels.count; i++)
			text_addf(&names, "%s%s", i ? ", " : "", kernels.items[i]);
		rc = error_set(err, PL_EUSAGE, "no case of %s matches \"%s\"; its kernels are: %s",
			       whose, pattern, kernels.count ? names.data : "none");
	}
	text_release(&names);
	string_list_release(&kernels);
	string_list_release(&variants);
	return rc;
}

/* Whether a path is the whole name of a case or the beginning of it: "reduce", "reduce/shuffle". */
static bool is_path_of(const char *path, const char *name)
{
	size_t length = strlen(path);

	return strncmp(path, name, length) == 0 && (name[length] == '/' || !name[length]);
}

/* Whether the pattern names a kernel, a variant or a case of the run. Then it means only that, and
 * not every name that contains it: `tail` is not reduce/syncwarp_tail. */
static bool names_a_path(const struct run *run, const char *pattern)
{
	bool found = false;

	for (size_t i = 0; i < run->trial_count && !found; i++) {
		char *name = trial_case_name(&run->trials[i]);

		found = is_path_of(pattern, name);
		free(name);
	}
	return found;
}

/* Keeps the trials that match any pattern. A pattern that matches none is an error, because it was
 * probably mistyped. */
static int match_patterns(struct run *out, const struct run *run,
			  const struct report_selection *selection, struct error *err)
{
	bool *used = xcalloc(selection->pattern_count + 1, sizeof(*used));
	bool *is_path = xcalloc(selection->pattern_count + 1, sizeof(*is_path));
	int rc = 0;

	*out = run_view_of(run, run->trial_count);
	for (size_t j = 0; j < selection->pattern_count; j++)
		is_path[j] = names_a_path(run, selection->patterns[j]);
	for (size_t i = 0; i < run->trial_count; i++) {
		char *name = trial_case_name(&run->trials[i]);
		bool matches = selection->pattern_count == 0;

		for (size_t j = 0; j < selection->pattern_count; j++) {
			const char *pattern = selection->patterns[j];
			bool here = is_path[j] ? is_path_of(pattern, name)
					       : pattern_matches(pattern, name);

			used[j] |= here;
			matches |= here;
		}
		if (matches)
			out->trials[out->trial_count++] = run->trials[i];
		free(name);
	}
	for (size_t j = 0; j < selection->pattern_count && !rc; j++) {
		if (!used[j])
			rc = nothing_matches(run, selection->patterns[j], err);
	}
	free(used);
	free(is_path);
	return rc;
}

/* The chosen rows as a run: those of --top, or all cases in the order of --sort. */
static int order_cases(struct run *out, const struct run *cases,
		       const struct report_selection *selection,
		       const struct ceiling_list *ceilings, struct error *err)
{
	struct report_selection rows = *selection;
	struct kernel_rows_list list;
	int rc;

	/* only text and Markdown show few rows unless told otherwise */
	rows.all = selection->top == 0;
	rc = kernel_rows_choose(&list, cases, &rows, ceilings, err);
	*out = run_view_of(cases, cases->trial_count);
	for (size_t i = 0; i < list.count; i++) {
		for (size_t j = 0; j < list.items[i].count; j++)
			out->trials[out->trial_count++] = *list.items[i].trials[j];
	}
	kernel_rows_release(&list);
	return rc;
}

int report_select(struct report_selected *out, const struct run *run,
		  const struct report_selection *selection, const struct ceiling_list *ceilings,
		  struct error *err)
{
	struct chosen_columns columns = {0};
	int rc = 0;

	*out = (struct report_selected){0};
	if (selection->all && selection->top)
		rc = error_set(err, PL_EUSAGE,
			       "--all shows every case and --top %lld only the best: give --top to "
			       "compare a few cases, --all to see everything",
			       (long long)selection->top);
	if (!rc && selection->columns)
		rc = error_context(err, columns_parse(&columns, run, selection->columns, err),
				   "--columns");
	columns_release(&columns);
	if (!rc)
		rc = match_patterns(&out->cases, run, selection, err);
	if (!rc && (selection->top || selection->sort))
		rc = order_cases(&out->shown, &out->cases, selection, ceilings, err);
	else if (!rc)
		out->shown = out->cases;
	return rc;
}

void report_selected_release(struct report_selected *selected)
{
	if (selected->shown.trials != selected->cases.trials)
		free(selected->shown.trials);
	free(selected->cases.trials);
	*selected = (struct report_selected){0};
}

const struct run *report_selected_run(const struct report_selected *selected,
				      enum report_format format)
{
	bool chooses_rows = format == REPORT_TEXT || format == REPORT_MARKDOWN;

	return chooses_rows ? &selected->cases : &selected->shown;
}

bool run_shows_all(const struct report_options *options)
{
	return options->selection && options->selection->all;
}

bool run_is_detailed(const struct run *run, const struct report_options *options)
{
	const struct report_selection *selection = options->selection;

	if (selection &&
	    (selection->all || selection->top || selection->sort || selection->columns))
		return true;
	return options->all_metrics || run_kernel_count(run) <= KERNELS_IN_DETAIL;
}
