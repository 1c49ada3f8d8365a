/* Explains the columns of tables. */
#include <stdlib.h>
#include <string.h>

#include "reports/run/run.h"
#include "reports/table/table.h"

static const char model[] =
	"\"model\": bytes or operations of the work model over the median, not measured.";
static const char sectors[] = "sec/req: sectors per global load or store.";

/* By the head of the column. Columns with the same note follow each other. */
static const struct {
	const char *head, *note;
} column_notes[] = {
	{"roof %", "roof %: of the measured roof that the limiter names, else of the nearest one."},
	{"at", "Axes with one value are left out."},
	{"model GB/s", model},
	{"model GFLOP/s", model},
	{"DRAM GB/s", "\"DRAM\": bytes that hardware counted at the memory, beyond the L2."},
	{"ptx warp %", "warp %: lanes with a true guard, of 32."},
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

char *run_note_of_columns(const struct section *sections, size_t count, bool emulated,
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
