/* A plain table, written as CSV, JSON or Markdown. layout.c writes it as text. */
#include "reports/table/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/json.h"

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *table = xcalloc(1, sizeof(*table));

	table->columns = xcalloc(count, sizeof(*columns));
	table->parts = xcalloc(count, sizeof(*table->parts));
	memcpy(table->columns, columns, count * sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		table->columns[i].name = xstrdup(columns[i].name);
		if (columns[i].head)
			table->columns[i].head = xstrdup(columns[i].head);
	}
	table->column_count = count;
	return table;
}

void table_row_styled(struct table *table, const char *const *cells, enum row_style style)
{
	struct table_row *row;

	table->rows = xgrow(table->rows, &table->row_capacity, table->row_count + 1,
			    sizeof(*table->rows));
	row = &table->rows[table->row_count++];
	row->style = style;
	row->cells = xcalloc(table->column_count, sizeof(*row->cells));
	for (size_t i = 0; i < table->column_count; i++)
		row->cells[i] = cells[i] ? xstrdup(cells[i]) : NULL;
}

void table_row(struct table *table, const char *const *cells)
{
	table_row_styled(table, cells, ROW_PLAIN);
}

struct text *row_cell(struct row *row)
{
	struct text *cell = &row->cells[row->count++];

	*cell = (struct text)TEXT_INIT;
	return cell;
}

void row_add(struct row *row, const char *text)
{
	text_add(row_cell(row), text ? text : "");
}

void row_addf(struct row *row, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	row_add(row, text);
	free(text);
}

void row_end(struct row *row, struct table *table, enum row_style style)
{
	const char *shown[ROW_CELLS_MOST];

	for (size_t i = 0; i < row->count; i++)
		shown[i] = row->cells[i].length ? row->cells[i].data : NULL;
	table_row_styled(table, shown, style);
	for (size_t i = 0; i < row->count; i++)
		text_release(&row->cells[i]);
	row->count = 0;
}

size_t table_row_count(const struct table *table)
{
	return table->row_count;
}

void table_parts(struct table *table, size_t column, const char *const *names)
{
	table->parts[column] = names;
}

size_t table_truncate(struct table *table, size_t rows)
{
	size_t removed = 0;

	for (; table->row_count > rows; removed++) {
		struct table_row *last = &table->rows[--table->row_count];

		for (size_t j = 0; j < table->column_count; j++)
			free(last->cells[j]);
		free(last->cells);
	}
	return removed;
}

static bool column_is_empty(const struct table *table, size_t column)
{
	for (size_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].cells[column])
			return false;
	}
	return true;
}

void table_drop_empty(struct table *table)
{
	size_t kept = 0;

	for (size_t j = 0; j < table->column_count; j++) {
		if (column_is_empty(table, j)) {
			free((char *)table->columns[j].name);
			free((char *)table->columns[j].head);
			continue;
		}
		table->columns[kept] = table->columns[j];
		table->parts[kept] = table->parts[j];
		for (size_t i = 0; i < table->row_count; i++)
			table->rows[i].cells[kept] = table->rows[i].cells[j];
		kept++;
	}
	table->column_count = kept;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	table_truncate(table, 0);
	for (size_t i = 0; i < table->column_count; i++) {
		free((char *)table->columns[i].name);
		free((char *)table->columns[i].head);
	}
	free(table->rows);
	free(table->columns);
	free(table->parts);
	free(table);
}

static void table_write_csv(FILE *out, const struct table *table)
{
	struct text line = TEXT_INIT;

	for (size_t j = 0; j < table->column_count; j++) {
		if (j > 0)
			text_add_char(&line, ',');
		escape_csv(&line, table->columns[j].name);
	}
	text_add_char(&line, '\n');
	for (size_t i = 0; i < table->row_count; i++) {
		for (size_t j = 0; j < table->column_count; j++) {
			if (j > 0)
				text_add_char(&line, ',');
			escape_csv(&line, table->rows[i].cells[j]);
		}
		text_add_char(&line, '\n');
	}
	fwrite(line.data, 1, line.length, out);
	text_release(&line);
}

/* A numeric cell that is not a number ("n/a") stays a string. */
static json_t *cell_json(const char *cell, bool numeric)
{
	int64_t integer;
	double real;

	if (!cell)
		return json_null();
	if (numeric && parse_i64(&integer, cell, NULL) == 0)
		return json_integer(integer);
	if (numeric && parse_double(&real, cell, NULL) == 0)
		return json_real(real);
	return report_json_text(cell);
}

/* Parts that an entry lacks become "". Parts beyond the names are dropped. */
static json_t *entry_json(const char *entry, const char *const *names)
{
	json_t *object = json_object();

	for (; *names; names++) {
		size_t length = strcspn(entry, "\t");
		char *part = xstrndup(entry, length);

		json_object_set_new(object, *names, report_json_text(part));
		free(part);
		entry += length + (entry[length] != '\0');
	}
	return object;
}

static json_t *entries_json(const char *cell, const char *const *names)
{
	json_t *list = json_array();

	while (cell && *cell) {
		size_t length = strcspn(cell, "\n");
		char *entry = xstrndup(cell, length);

		json_array_append_new(list, entry_json(entry, names));
		free(entry);
		cell += length + (cell[length] != '\0');
	}
	return list;
}

static int table_write_json(FILE *out, const struct table *table, struct error *err)
{
	json_t *root = json_object();
	json_t *rows = json_array();

	json_set_integer(root, "format", 1);
	json_object_set_new(root, "rows", rows);
	for (size_t i = 0; i < table->row_count; i++) {
		json_t *row = json_object();

		for (size_t j = 0; j < table->column_count; j++) {
			const struct table_column *column = &table->columns[j];
			const char *cell = table->rows[i].cells[j];

			json_object_set_new(row, column->name,
					    table->parts[j] ? entries_json(cell, table->parts[j])
							    : cell_json(cell, column->numeric));
		}
		json_array_append_new(rows, row);
	}
	return report_json_write(out, root, err);
}

void table_write_markdown(FILE *out, const struct table *table)
{
	struct text line = TEXT_INIT;

	for (size_t j = 0; j < table->column_count; j++) {
		const struct table_column *column = &table->columns[j];

		text_add(&line, j ? " | " : "| ");
		escape_markdown(&line, column->head ? column->head : column->name);
	}
	text_add(&line, " |\n");
	for (size_t j = 0; j < table->column_count; j++)
		text_add(&line, table->columns[j].numeric ? "|---:" : "|---");
	text_add(&line, "|\n");
	for (size_t i = 0; i < table->row_count; i++) {
		for (size_t j = 0; j < table->column_count; j++) {
			const char *cell = table->rows[i].cells[j];

			text_add(&line, j ? " | " : "| ");
			escape_markdown(&line, cell ? cell : "-");
		}
		text_add(&line, " |\n");
	}
	fwrite(line.data, 1, line.length, out);
	text_release(&line);
}

int table_write(FILE *out, const struct table *table, enum report_format format,
		const struct report_options *options, struct error *err)
{
	int rc = 0;

	errno = 0;
	if (format == REPORT_TEXT)
		table_write_text(out, table, options);
	else if (format == REPORT_CSV)
		table_write_csv(out, table);
	else if (format == REPORT_JSON)
		rc = table_write_json(out, table, err);
	else if (format == REPORT_MARKDOWN)
		table_write_markdown(out, table);
	else
		rc = error_set(err, PL_EUSAGE, "a table cannot be written as %s",
			       report_format_name(format));
	return rc ? rc : stream_check(out, err);
}
