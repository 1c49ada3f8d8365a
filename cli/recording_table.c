/* The kernels of a recorded program, and its captures, as a table. */
#include "cli/recording_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "cli/output.h"

/* Characters of the columns beside the kernel. */
#define OTHER_COLUMNS 56
#define NAME_LEAST 24
#define NAME_UNLIMITED 4096

/* ---- cells ---- */

static void add_time_cell(struct cells *cells, int64_t ns)
{
	char text[32];

	format_duration(text, (double)ns);
	cell_text(cells, ns < 0 ? NULL : text);
}

static void add_size_cell(struct cells *cells, int64_t bytes)
{
	char text[32];

	format_bytes(text, (double)bytes);
	cell_text(cells, bytes < 0 ? NULL : text);
}

/* "256", "32x8", "8x8x4" */
static void add_dimensions_cell(struct cells *cells, const int64_t value[3])
{
	struct text text = TEXT_INIT;
	const int used = value[2] > 1 ? 3 : value[1] > 1 ? 2 : 1;

	for (int i = 0; i < used; i++)
		text_addf(&text, "%s%" PRId64, i ? "x" : "", value[i]);
	cell_take(cells, value[0] < 0 ? NULL : xstrdup(text.data));
	text_release(&text);
}

/* ---- kernels ---- */

static const struct table_column human_columns[] = {
	{.name = "share", .numeric = true},
	{.name = "total", .numeric = true},
	{.name = "launches", .numeric = true},
	{.name = "median", .numeric = true},
	{.name = "grid", .numeric = true, .drop = 2},
	{.name = "block", .numeric = true, .drop = 1},
	{.name = "kernel"},
};

/* These make the difference between two rows of a kernel, so no terminal is too narrow for them. */
static const struct table_column shape_columns[] = {
	{.name = "share", .numeric = true},
	{.name = "total", .numeric = true},
	{.name = "launches", .numeric = true, .drop = 2},
	{.name = "median", .numeric = true, .drop = 1},
	{.name = "grid", .numeric = true},
	{.name = "block", .numeric = true},
	{.name = "shared", .numeric = true},
	{.name = "kernel"},
};

static const struct table_column machine_columns[] = {
	{.name = "kernel"},
	{.name = "name"},
	{.name = "device"},
	{.name = "uuid"},
	{.name = "share", .numeric = true},
	{.name = "launches", .numeric = true},
	{.name = "graph_launches", .numeric = true},
	{.name = "total_ns", .numeric = true},
	{.name = "median_ns", .numeric = true},
	{.name = "min_ns", .numeric = true},
	{.name = "max_ns", .numeric = true},
	{.name = "grid_x", .numeric = true},
	{.name = "grid_y", .numeric = true},
	{.name = "grid_z", .numeric = true},
	{.name = "block_x", .numeric = true},
	{.name = "block_y", .numeric = true},
	{.name = "block_z", .numeric = true},
	{.name = "shared_bytes", .numeric = true},
	{.name = "registers", .numeric = true},
};

static size_t name_width(const struct invocation *call, const struct recording_view *view)
{
	const int width = call->terminal.out_width;

	if (view->long_names || view->format != REPORT_TEXT)
		return NAME_UNLIMITED;
	if (!width)
		return 80;
	return width > OTHER_COLUMNS + NAME_LEAST ? (size_t)(width - OTHER_COLUMNS) : NAME_LEAST;
}

static void add_human_row(struct table *table, const struct recorded_kernel *row, int64_t total_ns,
			  size_t width, const struct recording_view *view)
{
	const bool full = view->long_names || view->format != REPORT_TEXT;
	struct cells cells = {0};
	struct text name = TEXT_INIT;

	if (row->readable && full)
		text_add(&name, row->readable);
	else if (row->readable)
		readable_shorten(&name, row->readable, width);
	cell_take(&cells,
		  row->total_ns < 0 || total_ns <= 0
			  ? NULL
			  : xasprintf("%.1f%%", 100 * (double)row->total_ns / (double)total_ns));
	add_time_cell(&cells, row->total_ns);
	cell_number(&cells, row->launches);
	add_time_cell(&cells, row->median_ns);
	add_dimensions_cell(&cells, row->grid);
	add_dimensions_cell(&cells, row->block);
	if (view->shapes)
		cell_number(&cells, row->shared_bytes);
	cell_text(&cells, name.data);
	cells_end(&cells, table);
	text_release(&name);
}

static void add_machine_row(struct table *table, const struct recorded_kernel *row,
			    int64_t total_ns)
{
	struct cells cells = {0};

	cell_text(&cells, row->readable);
	cell_text(&cells, row->name);
	cell_text(&cells, row->device);
	cell_text(&cells, row->uuid);
	cell_take(&cells, row->total_ns < 0 || total_ns <= 0
				  ? NULL
				  : xasprintf("%.6f", (double)row->total_ns / (double)total_ns));
	cell_number(&cells, row->launches);
	cell_number(&cells, row->graph_launches);
	cell_number(&cells, row->total_ns);
	cell_number(&cells, row->median_ns);
	cell_number(&cells, row->min_ns);
	cell_number(&cells, row->max_ns);
	for (int i = 0; i < 3; i++)
		cell_number(&cells, row->grid[i]);
	for (int i = 0; i < 3; i++)
		cell_number(&cells, row->block[i]);
	cell_number(&cells, row->shared_bytes);
	cell_number(&cells, row->registers);
	cells_end(&cells, table);
}

static struct table *kernel_table(const struct invocation *call, const struct recording *recording,
				  const struct recording_view *view)
{
	const bool human = report_format_has(view->format, HUMAN_READABLE);
	const int64_t total_ns = recording_gpu_ns(recording);
	struct table *table = !human ? table_new(machine_columns, ARRAY_SIZE(machine_columns))
			      : view->shapes ? table_new(shape_columns, ARRAY_SIZE(shape_columns))
					     : table_new(human_columns, ARRAY_SIZE(human_columns));
	struct recorded_kernel *rows;
	size_t count = recording_summarise(&rows, recording, view->shapes);

	if (view->top && count > (size_t)view->top)
		count = (size_t)view->top;
	for (size_t i = 0; i < count; i++) {
		if (human)
			add_human_row(table, &rows[i], total_ns, name_width(call, view), view);
		else
			add_machine_row(table, &rows[i], total_ns);
	}
	free(rows);
	return table;
}

/* ---- captures ---- */

static struct table *capture_table(const struct invocation *call, const struct recording *recording,
				   const struct recording_view *view)
{
	static const struct table_column columns[] = {
		{.name = "capture"},
		{.name = "launch", .numeric = true},
		{.name = "memory", .numeric = true},
		{.name = "file", .numeric = true},
		{.name = "seconds", .numeric = true, .drop = 1},
		{.name = "kernel"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < recording->capture_count; i++) {
		const struct recorded_capture *capture = &recording->captures[i];
		const bool human = report_format_has(view->format, HUMAN_READABLE);
		struct cells cells = {0};
		struct text name = TEXT_INIT;

		if (capture->readable && !view->long_names && human)
			readable_shorten(&name, capture->readable, name_width(call, view));
		else if (capture->readable)
			text_add(&name, capture->readable);
		cell_text(&cells, capture->path);
		cell_number(&cells, capture->launch);
		if (human) {
			add_size_cell(&cells, capture->bytes);
			add_size_cell(&cells, capture->file_bytes);
		} else {
			cell_number(&cells, capture->bytes);
			cell_number(&cells, capture->file_bytes);
		}
		cell_take(&cells,
			  isnan(capture->seconds) ? NULL : xasprintf("%.3f", capture->seconds));
		cell_text(&cells, name.data);
		cells_end(&cells, table);
		text_release(&name);
	}
	return table;
}

/* ---- the first line ---- */

static size_t count_names(const struct recording *recording)
{
	struct recorded_kernel *rows;
	const size_t count = recording_summarise(&rows, recording, false);

	free(rows);
	return count;
}

static void add_known_time(struct text *line, int64_t ns, const char *before)
{
	char text[32];

	if (ns < 0)
		return;
	format_duration(text, (double)ns);
	text_addf(line, "%s%s", before, text);
}

/* Whether the program launched more than the recording has: CUPTI dropped launches, or a process
 * ended without its last report. */
static bool lacks_launches(const struct recording *recording)
{
	for (size_t i = 0; i < recording->process_count; i++) {
		const struct recorded_process *process = &recording->processes[i];

		if (!process->why_not && (process->launches < 0 || process->dropped > 0))
			return true;
	}
	return false;
}

static void print_summary(FILE *out, const struct recording *recording)
{
	const int64_t launches = recording_launches(recording);
	const size_t kernels = count_names(recording);
	const char *least = lacks_launches(recording) ? "at least " : "";
	struct text line = TEXT_INIT;

	text_addf(&line, "%s%zu %s, %s%" PRId64 " %s", least, kernels,
		  kernels == 1 ? "kernel" : "kernels", least, launches < 0 ? 0 : launches,
		  launches == 1 ? "launch" : "launches");
	add_known_time(&line, recording_gpu_ns(recording),
		       *least ? "; GPU time at least " : "; GPU time ");
	add_known_time(&line, recording->wall_ns, "; wall time ");
	add_known_time(&line, recording_own_ns(recording), "; the recorder took ");
	fprintf(out, "%s\n", line.data);
	text_clear(&line);
	if (recording->bare_wall_ns > 0 && recording->wall_ns >= 0) {
		add_known_time(&line, recording->wall_ns, "overhead: ");
		add_known_time(&line, recording->bare_wall_ns, " with the recorder, ");
		fprintf(out, "%s without it: %+.1f%%\n", line.data,
			100 * ((double)recording->wall_ns / (double)recording->bare_wall_ns - 1));
	}
	fputc('\n', out);
	text_release(&line);
}

static int write_recording(FILE *out, const struct invocation *call,
			   const struct recording *recording, const struct recording_view *view,
			   struct error *err)
{
	const struct report_options options = {.colour = !view->output && call->terminal.out_colour,
					       .width =
						       view->output ? 0 : call->terminal.out_width};
	struct table *table = recording->lists ? kernel_table(call, recording, view)
					       : capture_table(call, recording, view);
	int rc;

	if (recording->lists && report_format_has(view->format, HUMAN_READABLE))
		print_summary(out, recording);
	rc = table_write(out, table, view->format, &options, err);
	table_free(table);
	return rc;
}

int recording_print(const struct invocation *call, const struct recording *recording,
		    const struct recording_view *view, struct error *err)
{
	struct output output;
	int rc = output_open(&output, view->output, err);

	if (rc)
		return rc;
	rc = write_recording(output.stream, call, recording, view, err);
	return output_end(&output, rc, err);
}
