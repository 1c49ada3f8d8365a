/*
 * Lays out a table for the terminal. Cells are escaped, and a column is as wide as its widest cell.
 * If the terminal is too narrow, this drops the least important columns (and names them below the
 * table), then wraps the last column at words or cuts it, then wraps the widest text columns: names
 * are not cut, because rows differ in how they end. A table may have its last columns on lines
 * below each row instead. A table that is still too wide becomes a list of records.
 */
#include "reports/table/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/readable.h"

#define GAP 2          /* blanks between columns */
#define CELL_LIMIT 128 /* characters of a cell, except in the last column */
#define LAST_COLUMN_LEAST 24
#define CUT_LEAST 12
#define NARROW_LEAST 10
#define LINES_OF_CELL 3 /* a longer name is cut, except in the last column */
#define BELOW_INDENT 4

static const char *const looks[] = {
	[ROW_PLAIN] = "", [ROW_BEST] = "\033[32m", [ROW_BAD] = "\033[31m", [ROW_DIM] = "\033[2m"};

struct layout {
	const struct table *table;
	char ***shown; /* [row][column]: escaped */
	size_t *widths;
	bool *dropped;
	size_t last;    /* the last column that is shown in the row */
	size_t columns; /* those from here on are below each row */
	size_t total;
};

static void layout_measure(struct layout *layout)
{
	layout->total = 0;
	for (size_t j = 0; j < layout->columns; j++) {
		if (layout->dropped[j])
			continue;
		layout->last = j;
		layout->total += layout->widths[j] + (layout->total ? GAP : 0);
	}
}

static char *head_of(const struct table_column *column)
{
	char *head = xstrdup(column->head ? column->head : column->name);

	for (char *c = head; *c; c++)
		*c = *c == '_' && !column->head ? ' ' : (char)toupper((unsigned char)*c);
	return head;
}

/* Cuts a cell to at most `limit` characters, the last one an ellipsis. */
static void cut_cell(char **cell, size_t limit)
{
	char *shorter;

	if (utf8_length(*cell) <= limit)
		return;
	shorter = xasprintf("%.*s…", (int)utf8_prefix(*cell, limit - 1), *cell);
	free(*cell);
	*cell = shorter;
}

/* Row 0 is the head; row i + 1 is row i of the table. */
static void layout_init(struct layout *layout, const struct table *table)
{
	size_t rows = table->row_count + 1;

	*layout = (struct layout){.table = table, .columns = table->column_count};
	layout->shown = xcalloc(rows, sizeof(*layout->shown));
	layout->widths = xcalloc(table->column_count, sizeof(*layout->widths));
	layout->dropped = xcalloc(table->column_count, sizeof(*layout->dropped));
	for (size_t i = 0; i < rows; i++) {
		layout->shown[i] = xcalloc(table->column_count, sizeof(char *));
		for (size_t j = 0; j < table->column_count; j++) {
			struct text cell = TEXT_INIT;
			size_t width;

			if (i == 0) {
				char *head = head_of(&table->columns[j]);

				text_add_escaped(&cell, head);
				free(head);
			} else {
				const char *raw = table->rows[i - 1].cells[j];

				text_add_escaped(&cell, raw ? raw : "-");
			}
			layout->shown[i][j] = text_detach(&cell);
			if (j + 1 < table->column_count && !table->columns[j].whole)
				cut_cell(&layout->shown[i][j], CELL_LIMIT);
			width = utf8_length(layout->shown[i][j]);
			if (width > layout->widths[j])
				layout->widths[j] = width;
		}
	}
	layout_measure(layout);
}

static void layout_release(struct layout *layout)
{
	for (size_t i = 0; i < layout->table->row_count + 1; i++) {
		for (size_t j = 0; j < layout->table->column_count; j++)
			free(layout->shown[i][j]);
		free(layout->shown[i]);
	}
	free(layout->shown);
	free(layout->widths);
	free(layout->dropped);
}

/* Drops the least important column. Returns false if every remaining column must stay. */
static bool drop_one(struct layout *layout)
{
	const struct table *table = layout->table;
	int most = 0;
	size_t which = 0;

	for (size_t j = 0; j < layout->columns; j++) {
		if (!layout->dropped[j] && table->columns[j].drop > most) {
			most = table->columns[j].drop;
			which = j;
		}
	}
	if (most == 0)
		return false;
	layout->dropped[which] = true;
	layout_measure(layout);
	return true;
}

static void narrow_column(struct layout *layout, size_t column, size_t least, size_t excess)
{
	size_t width = layout->widths[column];

	layout->widths[column] = width >= least + excess ? width - excess
				 : width < least         ? width
							 : least;
	layout_measure(layout);
}

static void cut_column(struct layout *layout, size_t column, size_t limit)
{
	for (size_t i = 0; i < layout->table->row_count + 1; i++)
		cut_cell(&layout->shown[i][column], limit);
}

/* Narrows the widest text column by one character. Returns false if none can be narrower. */
static bool narrow_widest(struct layout *layout)
{
	const struct table *table = layout->table;
	size_t widest = table->column_count;

	for (size_t j = 0; j < layout->columns; j++) {
		if (layout->dropped[j] || table->columns[j].numeric ||
		    layout->widths[j] <= NARROW_LEAST || (j == layout->last && table->cut_last))
			continue;
		if (widest == table->column_count || layout->widths[j] > layout->widths[widest])
			widest = j;
	}
	if (widest == table->column_count)
		return false;
	narrow_column(layout, widest, NARROW_LEAST, 1);
	return true;
}

static void layout_fit(struct layout *layout, size_t width)
{
	const struct table *table = layout->table;
	size_t room = width;

	if (layout->total > width && table->below) {
		layout->columns -= table->below;
		layout_measure(layout);
	}
	/* a last column that may be cut is cut before a whole column is dropped */
	if (table->cut_last && layout->widths[layout->last] > CUT_LEAST)
		room += layout->widths[layout->last] - CUT_LEAST;
	while (layout->total > room && drop_one(layout))
		;
	if (layout->total > width && table->cut_last) {
		narrow_column(layout, layout->last, CUT_LEAST, layout->total - width);
		cut_column(layout, layout->last, layout->widths[layout->last]);
	} else if (layout->total > width && !table->columns[layout->last].numeric) {
		narrow_column(layout, layout->last, LAST_COLUMN_LEAST, layout->total - width);
	}
	while (layout->total > width && narrow_widest(layout))
		;
	for (size_t j = 0; j < layout->last; j++) {
		if (!table->columns[j].whole)
			cut_column(layout, j, LINES_OF_CELL * layout->widths[j]);
	}
}

/* Returns how many bytes of `text` fit on a line of `width` characters: whole words, else parts of
 * names; *skip is 1 for the blank at the break. */
static size_t wrap_at(const char *text, size_t width, size_t *skip)
{
	size_t bytes = utf8_prefix(text, width);
	size_t at = bytes;

	*skip = 0;
	if (!text[bytes])
		return bytes;
	while (at > 0 && text[at] != ' ')
		at--;
	*skip = at > 0;
	if (at > 0)
		return at;
	for (at = bytes; at > bytes / 2; at--) {
		if (strchr("/,_=", text[at - 1]))
			return at;
	}
	return bytes;
}

static void add_padded(struct text *out, const char *cell, size_t bytes, size_t width, bool right)
{
	size_t length = 0;

	for (size_t i = 0; i < bytes; i++)
		length += ((unsigned char)cell[i] & 0xc0) != 0x80;
	for (size_t i = length; right && i < width; i++)
		text_add_char(out, ' ');
	text_add_bytes(out, cell, bytes);
	for (size_t i = length; !right && i < width; i++)
		text_add_char(out, ' ');
}

static void trim_blanks(struct text *line)
{
	while (line->length > 0 && line->data[line->length - 1] == ' ')
		line->data[--line->length] = '\0';
}

/* Adds the next line of a cell and returns what is left of it. */
static const char *add_line_of_cell(struct text *line, const struct layout *layout, size_t column,
				    const char *rest)
{
	const size_t width = layout->widths[column];
	size_t skip, bytes = wrap_at(rest, width, &skip);

	add_padded(line, rest, bytes, width, layout->table->columns[column].numeric);
	return rest + bytes + skip;
}

static void layout_add_row(struct text *out, const struct layout *layout, size_t row,
			   const char *before)
{
	const char **rest = xcalloc(layout->columns, sizeof(*rest));
	struct text line = TEXT_INIT;
	bool more = true;

	for (size_t j = 0; j < layout->columns; j++)
		rest[j] = layout->shown[row][j];
	while (more) {
		more = false;
		for (size_t j = 0; j <= layout->last; j++) {
			if (layout->dropped[j])
				continue;
			rest[j] = add_line_of_cell(&line, layout, j, rest[j]);
			more |= *rest[j] != '\0';
			if (j < layout->last)
				text_add(&line, "  ");
		}
		trim_blanks(&line);
		text_addf(out, "%s%s%s\n", before, line.data, *before ? "\033[0m" : "");
		text_clear(&line);
	}
	text_release(&line);
	free(rest);
}

/* The values of a row that do not stand beside the others. */
static void layout_add_below(struct text *out, const struct layout *layout, size_t row,
			     size_t width, const char *before)
{
	const struct table *table = layout->table;

	for (size_t j = layout->columns; j < table->column_count; j++) {
		struct text lines = TEXT_INIT;

		if (!table->rows[row].cells[j])
			continue;
		wrap_text(&lines, BELOW_INDENT, "", layout->shown[row + 1][j], width);
		lines.data[--lines.length] = '\0'; /* the end of the line comes after the colour */
		text_addf(out, "%s%s%s\n", before, lines.data, *before ? "\033[0m" : "");
		text_release(&lines);
	}
}

static void add_dropped(struct text *out, const struct layout *layout, size_t width)
{
	struct text names = TEXT_INIT;

	for (size_t j = 0; j < layout->table->column_count; j++) {
		if (!layout->dropped[j])
			continue;
		text_addf(&names, "%s%s",
			  names.length ? ", " : "(too narrow for: ", layout->shown[0][j]);
	}
	if (names.length) {
		text_add_char(&names, ')');
		wrap_text(out, 0, "", names.data, width);
	}
	text_release(&names);
}

/* Each row as lines of a name and a value. Values that are not known are left out. */
static void add_records(struct text *out, const struct layout *layout, size_t width, bool colour)
{
	const struct table *table = layout->table;
	size_t names = 0;

	for (size_t j = 0; j < table->column_count; j++) {
		size_t length = utf8_length(layout->shown[0][j]);

		names = length > names ? length : names;
	}
	for (size_t i = 0; i < table->row_count; i++) {
		const char *look = colour ? looks[table->rows[i].style] : "";

		text_add(out, i ? "\n" : "");
		for (size_t j = 0; j < table->column_count; j++) {
			const char *name = layout->shown[0][j];
			char *head;

			if (!table->rows[i].cells[j])
				continue;
			head = xasprintf("%s%*s", name, (int)(names - utf8_length(name)) + GAP, "");
			text_add(out, look);
			wrap_text(out, 0, head, layout->shown[i + 1][j], width);
			out->data[--out->length] = '\0'; /* the end of the line comes last */
			text_addf(out, "%s\n", *look ? "\033[0m" : "");
			free(head);
		}
	}
}

void table_shown(const struct table *table, int width, bool *shown)
{
	struct layout layout;

	layout_init(&layout, table);
	if (width > 0)
		layout_fit(&layout, (size_t)width);
	for (size_t j = 0; j < table->column_count; j++)
		shown[j] = !layout.dropped[j];
	layout_release(&layout);
}

static void add_columns(struct text *out, const struct layout *layout, size_t width, bool colour)
{
	const struct table *table = layout->table;

	layout_add_row(out, layout, 0, colour ? "\033[1m" : "");
	for (size_t i = 0; i < table->row_count; i++) {
		const char *look = colour ? looks[table->rows[i].style] : "";

		layout_add_row(out, layout, i + 1, look);
		layout_add_below(out, layout, i, width, look);
	}
	add_dropped(out, layout, width);
}

void table_write_text(FILE *out, const struct table *table, const struct report_options *options)
{
	const size_t width = options && options->width > 0 ? (size_t)options->width : 0;
	const bool colour = options && options->colour;
	struct text lines = TEXT_INIT;
	struct layout layout;

	layout_init(&layout, table);
	if (width)
		layout_fit(&layout, width);
	if (width && layout.total > width && table->row_count) {
		layout_release(&layout);
		layout_init(&layout, table); /* nothing is cut */
		add_records(&lines, &layout, width, colour);
	} else {
		add_columns(&lines, &layout, width, colour);
	}
	fwrite(lines.data, 1, lines.length, out);
	text_release(&lines);
	layout_release(&layout);
}
