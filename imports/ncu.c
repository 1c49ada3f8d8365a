/* Reads Nsight Compute's CSV of a sweep that ran under it: the time of each case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imports/imports.h"

#define DOMAIN "perflab:"
#define PHASE "profile" /* the range in which a case runs for a profiler */
#define DURATION "gpu__time_duration.sum"

/* ---- lines and cells ---- */

struct csv {
	const char *at, *end;
	size_t line;
};

/* Takes a cell, without its quotation marks. Returns whether another one follows in its row. */
static bool csv_cell(struct csv *csv, struct text *out)
{
	bool quoted = false;

	text_clear(out);
	for (; csv->at < csv->end; csv->at++) {
		const char c = *csv->at;

		if (c == '"' && quoted && csv->at + 1 < csv->end && csv->at[1] == '"')
			csv->at++; /* a pair of them stands for one */
		else if (c == '"') {
			quoted = !quoted;
			continue;
		}
		csv->line += c == '\n';
		if (!quoted && (c == ',' || c == '\n')) {
			csv->at++;
			return c == ',';
		}
		if (c && c != '\r')
			text_add_char(out, c);
	}
	return false;
}

/* ncu writes its messages between the rows: "==PROF== Connected". */
static void csv_skip_messages(struct csv *csv)
{
	while (csv->end - csv->at >= 2 && (!memcmp(csv->at, "==", 2) || *csv->at == '\n')) {
		const char *end = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));

		csv->at = end ? end + 1 : csv->end;
		csv->line++;
	}
}

/* ---- the columns ---- */

enum column { PROCESS, RANGES, METRIC, UNIT, VALUE, COLUMNS };
static const char *const column_names[COLUMNS] = {
	"Process ID", "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
	"Metric Name", "Metric Unit", "Metric Value"};

static int read_head(size_t places[COLUMNS], struct csv *csv, struct error *err)
{
	struct text cell = TEXT_INIT;
	bool more = true;
	int rc = 0;

	for (int i = 0; i < COLUMNS; i++)
		places[i] = SIZE_MAX;
	csv_skip_messages(csv);
	for (size_t at = 0; more; at++) {
		more = csv_cell(csv, &cell);
		for (int i = 0; i < COLUMNS; i++)
			if (cell.length && !strcmp(cell.data, column_names[i]))
				places[i] = at;
	}
	for (int i = 0; i < COLUMNS && !rc; i++)
		if (places[i] == SIZE_MAX)
			rc = error_set(err, PL_EPARSE,
				       "it has no column '%s': run ncu with --csv --nvtx and "
				       "--metrics " DURATION " (docs/clocks.md)",
				       column_names[i]);
	text_release(&cell);
	return rc;
}

/* ---- the rows ---- */

static const char *words_of(const struct text *cell)
{
	return cell->data ? cell->data : "";
}

/* Sets *name to "KERNEL/VARIANT/CONFIG"; empty: the ranges are not those of a case in its phase
 * `profile`. A cell is `1083  "perflab:reduce:none:…" "perflab:shuffle:…" "perflab:n=4:…"
 * "perflab:profile:…"`. */
static void name_of_ranges(struct text *name, const char *ranges)
{
	struct text part = TEXT_INIT;
	size_t parts = 0;

	text_clear(name);
	for (const char *at = strstr(ranges, DOMAIN); at; at = strstr(at, DOMAIN)) {
		if (parts)
			text_addf(name, "%s%s",
				  parts == 1  ? ""
				  : parts < 4 ? "/"
					      : ",",
				  words_of(&part));
		at += strlen(DOMAIN);
		text_clear(&part);
		text_add_bytes(&part, at, strcspn(at, ":"));
		parts++;
	}
	/* the last one is the phase; a case has at least a kernel, a variant and an axis */
	if (parts < 4 || !part.length || strcmp(part.data, PHASE) != 0)
		text_clear(name);
	text_release(&part);
}

static double unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1},   {"nsecond", 1},   {"us", 1e3}, {"usecond", 1e3},
		     {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9},  {"second", 1e9}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return NAN;
}

/* "6,272": ncu separates thousands. NAN: not a number above 0. */
static double ncu_number(const char *value)
{
	struct text digits = TEXT_INIT;
	double number = NAN;
	char *end = NULL;

	for (; *value; value++)
		if (*value != ',')
			text_add_char(&digits, *value);
	if (digits.length && strspn(digits.data, "0123456789.") == digits.length)
		number = strtod(digits.data, &end);
	if (!end || *end || !(number > 0) || !isfinite(number))
		number = NAN;
	text_release(&digits);
	return number;
}

/* A case launches its kernels one after the other: rows of one process that follow each other. */
static void add_execution(struct ncu_times *out, const char *name, int64_t process, double time_ns)
{
	struct ncu_time *last = out->count ? &out->items[out->count - 1] : NULL;

	if (last && last->process == process && !strcmp(last->name, name)) {
		last->time_ns += time_ns;
		return;
	}
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count++] = (struct ncu_time){xstrdup(name), process, time_ns};
}

static int take_ncu_row(struct ncu_times *out, struct text cells[COLUMNS], size_t line,
			struct error *err)
{
	struct text name = TEXT_INIT;
	double time_ns;
	int rc = 0;

	if (strcmp(words_of(&cells[METRIC]), DURATION) != 0)
		return 0;
	name_of_ranges(&name, words_of(&cells[RANGES]));
	time_ns = ncu_number(words_of(&cells[VALUE])) * unit_ns(words_of(&cells[UNIT]));
	if (name.length && !(time_ns > 0 && isfinite(time_ns)))
		rc = error_set(err, PL_EPARSE, "line %zu: '%.40s %.40s' is no duration", line,
			       words_of(&cells[VALUE]), words_of(&cells[UNIT]));
	else if (name.length)
		add_execution(out, name.data, strtoll(words_of(&cells[PROCESS]), NULL, 10),
			      time_ns);
	text_release(&name);
	return rc;
}

int import_ncu_read(struct ncu_times *out, const char *bytes, size_t length, struct error *err)
{
	struct csv csv = {bytes, bytes + length, 1};
	struct text cells[COLUMNS], other = TEXT_INIT;
	size_t places[COLUMNS];
	int rc = read_head(places, &csv, err);

	*out = (struct ncu_times){0};
	for (int i = 0; i < COLUMNS; i++)
		cells[i] = (struct text)TEXT_INIT;
	for (csv_skip_messages(&csv); !rc && csv.at < csv.end; csv_skip_messages(&csv)) {
		const size_t line = csv.line;
		bool more = true;

		for (int i = 0; i < COLUMNS; i++)
			text_clear(&cells[i]);
		for (size_t at = 0; more; at++) {
			struct text *cell = &other;

			for (int i = 0; i < COLUMNS; i++)
				cell = places[i] == at ? &cells[i] : cell;
			more = csv_cell(&csv, cell);
		}
		rc = take_ncu_row(out, cells, line, err);
	}
	if (!rc && !out->count)
		rc = error_set(err, PL_EPARSE,
			       "no row is of a case of perflab in its phase " PHASE
			       ": run ncu with --nvtx --nvtx-include perflab@" PHASE "/");
	for (int i = 0; i < COLUMNS; i++)
		text_release(&cells[i]);
	text_release(&other);
	if (rc)
		ncu_times_release(out);
	return rc;
}

void ncu_times_release(struct ncu_times *times)
{
	for (size_t i = 0; i < times->count; i++)
		free(times->items[i].name);
	free(times->items);
	*times = (struct ncu_times){0};
}
