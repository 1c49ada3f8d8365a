/* The sections of a run's report, in order: tables, each with a title and a note. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/gpus/gpus.h"
#include "reports/run/run.h"
#include "reports/selection/selection.h"
#include "reports/table/table.h"

/* ---- notes about columns ---- */

static const char model[] =
	"\"model\": bytes or operations of the work model over the median, not measured.";
static const char sectors[] = "sec/req: sectors per global load or store.";

/* By the head of the column. Columns with the same note follow each other. */
static const struct {
	const char *head, *note;
} column_notes[] = {
	{"roof %", "roof %: of the measured roof that the limiter names, else of the nearest one."},
	{"next", "next: the fastest other variant, then the fastest of a library, or of no library "
		 "if one is "
		 "fastest; x1.04: it takes 1.04 times as long."},
	{"at", "Axes with one value are left out."},
	{"model GB/s", model},
	{"model GFLOP/s", model},
	{"DRAM GB/s", "\"DRAM\": bytes that hardware counted at the memory, beyond the L2."},
	{"ptx warp %", "warp %: lanes that take part in an instruction, of 32."},
	{"ptx branch %", "branch %: branches on which the warp stayed together."},
	{"ptx ld sec/req", sectors},
	{"ptx st sec/req", sectors},
	{"ptx conflicts", "conflicts: in shared-memory banks."},
	{"ptx queue", "queue: lanes at one address per atomic."},
	{"ptx flop/B", "flop/B: operations per compulsory byte."},
	{"ptx occ %", "occ %: theoretical occupancy."},
};

/* Flags the rows of column_notes that a table shows. */
static void flag_notes(bool *flags, const struct table *table, int width)
{
	bool *shown = xcalloc(table->column_count + 1, sizeof(*shown));

	table_shown(table, width, shown);
	for (size_t j = 0; j < table->column_count; j++) {
		const struct table_column *column = &table->columns[j];
		const char *head = column->head ? column->head : column->name;

		for (size_t i = 0; i < ARRAY_SIZE(column_notes); i++)
			flags[i] |= shown[j] && strcmp(column_notes[i].head, head) == 0;
	}
	free(shown);
}

/* Explains the columns that these sections show at the width of the options. malloc'd; NULL:
 * nothing needs an explanation. */
static char *run_note_of_columns(const struct section *sections, size_t count, bool emulated,
				 const struct report_options *options)
{
	bool flags[ARRAY_SIZE(column_notes)] = {false};
	const char *before = NULL;
	struct text note = TEXT_INIT;

	for (size_t i = 0; i < count; i++)
		flag_notes(flags, sections[i].table, options->width);
	if (emulated)
		text_add(&note, "Emulated PTX: no times.");
	for (size_t i = 0; i < ARRAY_SIZE(column_notes); i++) {
		if (!flags[i] || column_notes[i].note == before)
			continue;
		before = column_notes[i].note;
		text_addf(&note, "%s%s", note.length ? " " : "", before);
	}
	if (emulated && !options->all_metrics)
		text_add(&note, " --all-metrics shows every count.");
	if (note.length)
		return text_detach(&note);
	text_release(&note);
	return NULL;
}

/* ---- the sections ---- */

/* Rows of a section unless everything is shown; the overview of many kernels leaves less room. */
#define ROWS_OF_SECTION 8
#define ROWS_OF_FINDINGS 20

#define ABOVE_NOTE                                                                          \
	"A finding: a roof is the highest rate that was measured on this device, so these " \
	"times or amounts cannot be right. Such a case is never the best of its problem."
#define FINDINGS_NOTE                                                                            \
	"lost %: of the sectors of global memory, of the lanes, or of the cycles of "            \
	"instructions, bank conflicts and queues at atomics, in the worst case of the variant. " \
	"The counts are of PTX, not of the machine code that a GPU executes; there are no "      \
	"times. docs/verdicts.md explains each finding."
#define SPEEDUP_NOTE                                                                         \
	"The time of the base case over the time of the case, measured in turn in the same " \
	"rounds, with its 95 % interval. \"base median\" is that of the samples beside the " \
	"case. same: the interval rules out a difference of 1 %. inconclusive: the samples " \
	"neither show a difference nor rule one out; more --rounds do."
#define UNVERIFIED_NOTE                                                                            \
	"unverified: measured like the others, but no check shows that the results are right, so " \
	"the kernel may be wrong."

#define CLOCKS_NOTE                                                                           \
	"time: of the samples, without what their events add. ncu: gpu__time_duration, if "   \
	"perflab import --run added it; on an H200 both agree within about 0.2 us. events: "  \
	"what two events "                                                                    \
	"around the case read in the first round. records: CUPTI's start and end of the "     \
	"kernels, as Nsight Systems shows them: 0.8 us less, and more with many blocks, to "  \
	"each of which CUPTI adds code. in a row, in a graph: one of up to 100 executions, "  \
	"with a hot cache; in a graph the next launch is prepared meanwhile. docs/clocks.md " \
	"says which to use."
#define MEAN_NOTE                                                                              \
	"mean: of the logarithms of the ratios of all cases, with the 95 % interval over the " \
	"rounds. slower, faster and inconclusive: cases, as perflab regress judges them."
#define INTERFERENCE_NOTE                                                                    \
	"The change of a case while all other GPUs are busy, against alone. found: perflab " \
	"regress would report such a change."

enum roofline_extent roofline_extent_of(const struct run *run, const struct report_options *options)
{
	size_t kernels = run_kernel_count(run);

	if (run_shows_all(options))
		return ROOFLINE_ALL;
	if (kernels > KERNELS_IN_DETAIL)
		return ROOFLINE_MISSING;
	return kernels == 1 ? ROOFLINE_PLOT : ROOFLINE_VERDICTS;
}

static void add_section(struct section_list *list, const char *title, const char *note,
			struct table *table)
{
	if (!table)
		return;
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct section){
		.title = xstrdup(title),
		.note = note ? xstrdup(note) : NULL,
		.table = table,
	};
}

/* Adds a section with its first rows only, unless everything is shown. */
static void add_first_rows(struct section_list *list, const char *title, const char *note,
			   struct table *table, size_t rows, const struct report_options *options)
{
	size_t hidden = table && !run_shows_all(options) ? table_truncate(table, rows) : 0;
	char *short_title = hidden ? xasprintf("%s: the first %zu of %zu; --all shows the others",
					       title, rows, rows + hidden)
				   : xstrdup(title);

	add_section(list, short_title, note, table);
	free(short_title);
}

static bool has_unverified(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		if (run->trials[i].status == TRIAL_UNVERIFIED)
			return true;
	}
	return false;
}

/* Explains the columns below the last table of a kernel. */
static int add_detail(struct section_list *list, const struct run *run,
		      const struct report_options *options, struct error *err)
{
	const struct report_selection *selection = options->selection;
	size_t before = list->count;
	int rc = run_add_kernels(list, run, options, err);

	if (!rc && list->count > before && !(selection && selection->columns))
		list->items[list->count - 1].note = run_note_of_columns(
			list->items + before, list->count - before, run->traits.emulated, options);
	return rc;
}

/* What went wrong, and what is missing. */
static void add_problems(struct section_list *list, const struct run *run,
			 const struct report_options *options)
{
	add_first_rows(list, "Not measured", has_unverified(run) ? UNVERIFIED_NOTE : NULL,
		       run_table_gaps(run, !run_shows_all(options)), ROWS_OF_SECTION, options);
}

/* The GPUs of a sweep on several of them, and what they did to each other. */
static void add_gpu_sections(struct section_list *list, const struct run *run,
			     const struct report_options *options)
{
	const struct gpu_group *group = options->gpus;
	size_t here = 0;
	char *title;

	if (!group)
		return;
	for (size_t i = 0; i < group->count; i++)
		here += !gpu_group_took_over(group, i);
	title = here >= (size_t)group->gpus ? xstrdup("GPUs")
					    : xasprintf("GPUs: %zu of %lld have a run here", here,
							(long long)group->gpus);
	add_section(list, title, NULL, gpus_table(group));
	free(title);
	add_section(list, "Interference", INTERFERENCE_NOTE, gpus_interference_table(group));
	title = xasprintf("Time against GPU %d, judged as perflab regress does",
			  group->runs[group->base].settings.device);
	add_section(list, title, MEAN_NOTE, gpus_differences_table(group));
	free(title);
	add_first_rows(list, "Cases that differ", NULL, gpus_changes_table(group, run),
		       ROWS_OF_FINDINGS, options);
}

/* Rows or columns that someone asked for come before everything else. */
static bool asks_for_rows(const struct report_options *options)
{
	const struct report_selection *selection = options->selection;

	return selection && (selection->top || selection->sort || selection->columns);
}

/* An emulated run has no times, so no case is the best and no roof applies. */
static int emulated_sections(struct section_list *list, const struct run *run,
			     const struct report_options *options, struct error *err)
{
	const bool detailed = run_is_detailed(run, options), first = asks_for_rows(options);
	int rc = first ? add_detail(list, run, options, err) : 0;

	add_first_rows(list, "Failures", NULL, run_table_failures(run), ROWS_OF_SECTION, options);
	if (!options->no_roofline)
		add_first_rows(list, "Findings, worst first", FINDINGS_NOTE,
			       run_table_findings(run, run_shows_all(options)),
			       detailed ? ROWS_OF_SECTION : ROWS_OF_FINDINGS, options);
	if (detailed && !first)
		rc = add_detail(list, run, options, err);
	list->roofline = list->count;
	add_problems(list, run, options);
	return rc;
}

static void add_fastest(struct section_list *list, const struct run *run,
			const struct report_options *options)
{
	struct section *added;

	add_section(list, "Fastest case of each kernel, on its largest problem", NULL,
		    run_table_fastest(run, options));
	added = &list->items[list->count - 1];
	added->note = run_note_of_columns(added, 1, false, options);
}

static int measured_sections(struct section_list *list, const struct run *run,
			     const struct report_options *options, struct error *err)
{
	const bool first = asks_for_rows(options);
	/* a spread compares the GPUs; which of them was fastest is mostly chance */
	const bool compares =
		options->gpus && options->gpus->difference_count && !run_shows_all(options);
	int rc = first ? add_detail(list, run, options, err) : 0;

	add_gpu_sections(list, run, options);
	add_first_rows(list, "Speed-up over the base variant", SPEEDUP_NOTE,
		       run_table_speedups(run, options), ROWS_OF_FINDINGS, options);
	if (run_kernel_count(run) > 1 && !compares)
		add_fastest(list, run, options);
	if (run_is_detailed(run, options) && !first && !compares)
		rc = add_detail(list, run, options, err);
	add_first_rows(list, "The same cases by other clocks", CLOCKS_NOTE, run_table_clocks(run),
		       ROWS_OF_FINDINGS, options);
	add_first_rows(list, "Above a measured roof", ABOVE_NOTE,
		       run_table_above(run, options->ceilings), ROWS_OF_SECTION, options);
	add_first_rows(list, "Failures", NULL, run_table_failures(run), ROWS_OF_SECTION, options);
	list->roofline = list->count;
	add_problems(list, run, options);
	return rc;
}

int run_sections(struct section_list *out, const struct run *run,
		 const struct report_options *options, struct error *err)
{
	return run->traits.emulated ? emulated_sections(out, run, options, err)
				    : measured_sections(out, run, options, err);
}

void section_list_release(struct section_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].title);
		free(list->items[i].note);
		table_free(list->items[i].table);
	}
	free(list->items);
	*list = (struct section_list){0};
}
