/* Rows of typed values: streamed as CSV and JSON, collected into a table for text and Markdown. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/table.h"

#define EXACT_INTEGERS 9007199254740992.0 /* 2^53 */
#define BYTES_SHOWN 32

struct row_writer {
	FILE *stream;
	enum report_format format;
	const struct report_options *options;
	size_t count;                 /* of columns */
	struct string_list keys;      /* json: `"name": ` of each column */
	struct table *table;          /* text and md */
	bool *has_number, *has_other; /* text and md: the kinds of values in each column */
	bool begun;                   /* json: at least one row was written */
	struct text line;
};

struct any_value value_of_text(const char *text)
{
	if (!text || !*text)
		return (struct any_value){.kind = VALUE_NONE};
	return (struct any_value){.kind = VALUE_TEXT, .bytes = text, .length = strlen(text)};
}

struct any_value value_of_integer(int64_t value)
{
	return (struct any_value){.kind = VALUE_INTEGER, .integer = value};
}

struct any_value value_of_real(double value)
{
	return (struct any_value){.kind = isfinite(value) ? VALUE_REAL : VALUE_NONE, .real = value};
}

/* ---- values as text ---- */

/* Appends the value as a C string: NUL bytes become U+FFFD. */
static void add_text_value(struct text *out, const struct any_value *value)
{
	const char *bytes = value->bytes;
	const char *end = bytes + value->length;

	while (bytes < end) {
		size_t length = strnlen(bytes, (size_t)(end - bytes));

		text_add_bytes(out, bytes, length);
		bytes += length;
		if (bytes < end) {
			text_add(out, "\xef\xbf\xbd");
			bytes++;
		}
	}
}

static void add_bytes_value(struct text *out, const struct any_value *value, size_t most)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = value->bytes;

	text_add(out, "x'");
	for (size_t i = 0; i < value->length && i < most; i++) {
		text_add_char(out, digits[bytes[i] >> 4]);
		text_add_char(out, digits[bytes[i] & 15]);
	}
	text_add(out, value->length > most ? "…'" : "'");
}

/* The fewest digits that give the same double again. For a reader: nine digits, and whole numbers
 * exactly. */
static void add_real_value(struct text *out, double value, bool for_reader)
{
	char shown[32];

	if (!isfinite(value)) {
		text_add(out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
		return;
	}
	if (for_reader && (fabs(value) > EXACT_INTEGERS || value != floor(value))) {
		text_addf(out, "%.9g", value);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(shown, sizeof(shown), "%.*g", digits, value);
		if (strtod(shown, NULL) == value)
			break;
	}
	text_add(out, shown);
}

static void add_value(struct text *out, const struct any_value *value, bool for_reader)
{
	switch (value->kind) {
	case VALUE_NONE:
		break;
	case VALUE_INTEGER:
		text_addf(out, "%lld", (long long)value->integer);
		break;
	case VALUE_REAL:
		add_real_value(out, value->real, for_reader);
		break;
	case VALUE_TEXT:
		add_text_value(out, value);
		break;
	case VALUE_BYTES:
		add_bytes_value(out, value, for_reader ? BYTES_SHOWN : SIZE_MAX);
		break;
	}
}

/* ---- CSV ---- */

/* Control bytes must not reach a terminal, so there the cell is escaped first. */
static void add_csv_cell(struct row_writer *writer, const char *cell)
{
	struct text shown = TEXT_INIT;

	if (writer->options && writer->options->width > 0) {
		text_add_escaped(&shown, cell);
		cell = shown.data;
	}
	escape_csv(&writer->line, cell);
	text_release(&shown);
}

static void write_csv_row(struct row_writer *writer, const struct any_value *values)
{
	struct text cell = TEXT_INIT;

	for (size_t i = 0; i < writer->count; i++) {
		text_clear(&cell);
		add_value(&cell, &values[i], false);
		if (i > 0)
			text_add_char(&writer->line, ',');
		/* an empty text is "", a missing value is nothing */
		if (values[i].kind == VALUE_TEXT && cell.length == 0)
			text_add(&writer->line, "\"\"");
		else
			add_csv_cell(writer, cell.data);
	}
	text_add_char(&writer->line, '\n');
	text_release(&cell);
}

/* ---- JSON ---- */

/* Writes C0, DEL, C1 and hidden characters as \uXXXX, so that they are safe on a terminal too. */
static void add_json_text(struct text *out, const char *text)
{
	struct text clean = TEXT_INIT, quoted = TEXT_INIT;

	escape_utf8(&clean, text);
	text_add_char(&quoted, '"');
	for (const char *c = clean.data; *c; c++) {
		unsigned char byte = (unsigned char)*c, next = (unsigned char)c[1];

		if (byte < 0x20 || byte == 0x7f) {
			text_addf(&quoted, "\\u%04x", byte);
		} else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
			text_addf(&quoted, "\\u%04x", next);
			c++;
		} else {
			if (byte == '"' || byte == '\\')
				text_add_char(&quoted, '\\');
			text_add_char(&quoted, *c);
		}
	}
	text_add_char(&quoted, '"');
	escape_json(out, quoted.data, quoted.length);
	text_release(&quoted);
	text_release(&clean);
}

/* Makes the member names unique: SQL may give two columns the same name. */
static void name_json_members(struct row_writer *writer, const char *const *columns)
{
	struct string_list used = {0};

	for (size_t i = 0; i < writer->count; i++) {
		struct text key = TEXT_INIT;
		char *name = xstrdup(columns[i]);

		for (int number = 2; string_list_has(&used, name); number++) {
			free(name);
			name = xasprintf("%s_%d", columns[i], number);
		}
		string_list_add(&used, name);
		add_json_text(&key, name);
		text_add(&key, ": ");
		string_list_add(&writer->keys, key.data);
		text_release(&key);
		free(name);
	}
	string_list_release(&used);
}

static bool is_json_number(const struct any_value *value)
{
	return value->kind == VALUE_INTEGER || (value->kind == VALUE_REAL && isfinite(value->real));
}

static void write_json_row(struct row_writer *writer, const struct any_value *values)
{
	struct text *line = &writer->line, cell = TEXT_INIT;

	text_add(line, writer->begun ? ",\n    {" : "\n    {");
	writer->begun = true;
	for (size_t i = 0; i < writer->count; i++) {
		text_clear(&cell);
		add_value(&cell, &values[i], false);
		text_add(line, i ? ", " : "");
		text_add(line, writer->keys.items[i]);
		if (values[i].kind == VALUE_NONE)
			text_add(line, "null");
		else if (is_json_number(&values[i]))
			text_add(line, cell.data);
		else
			add_json_text(line, cell.data);
	}
	text_add_char(line, '}');
	text_release(&cell);
}

/* ---- text and Markdown ---- */

static void begin_table(struct row_writer *writer, const char *const *columns)
{
	struct table_column *heads = xcalloc(writer->count, sizeof(*heads));

	for (size_t i = 0; i < writer->count; i++)
		heads[i].name = columns[i];
	writer->table = table_new(heads, writer->count);
	writer->has_number = xcalloc(writer->count, sizeof(*writer->has_number));
	writer->has_other = xcalloc(writer->count, sizeof(*writer->has_other));
	free(heads);
}

static void table_row_of_values(struct row_writer *writer, const struct any_value *values)
{
	struct text *cells = xcalloc(writer->count, sizeof(*cells));
	const char **shown = xcalloc(writer->count, sizeof(*shown));

	for (size_t i = 0; i < writer->count; i++) {
		cells[i] = (struct text)TEXT_INIT;
		add_value(&cells[i], &values[i], true);
		if (values[i].kind == VALUE_NONE)
			continue;
		shown[i] = cells[i].data;
		if (values[i].kind == VALUE_INTEGER || values[i].kind == VALUE_REAL)
			writer->has_number[i] = true;
		else
			writer->has_other[i] = true;
	}
	table_row(writer->table, shown);
	for (size_t i = 0; i < writer->count; i++)
		text_release(&cells[i]);
	free(cells);
	free(shown);
}

/* ---- the writer ---- */

int rows_begin(struct row_writer **out, FILE *stream, enum report_format format,
	       const struct report_options *options, const char *const *columns, size_t count,
	       struct error *err)
{
	struct row_writer *writer;

	if (!report_format_applies(format, OF_TABLE))
		return error_set(err, PL_EUSAGE, "a table cannot be written as %s",
				 report_format_name(format));
	writer = xcalloc(1, sizeof(*writer));
	*writer = (struct row_writer){.stream = stream,
				      .format = format,
				      .options = options,
				      .count = count,
				      .line = TEXT_INIT};
	if (format == REPORT_CSV) {
		for (size_t i = 0; i < count; i++) {
			text_add(&writer->line, i ? "," : "");
			add_csv_cell(writer, columns[i]);
		}
		text_add_char(&writer->line, '\n');
	} else if (format == REPORT_JSON) {
		name_json_members(writer, columns);
		text_add(&writer->line, "{\n  \"format\": 1,\n  \"rows\": [");
	} else {
		begin_table(writer, columns);
	}
	*out = writer;
	return 0;
}

static void flush_line(struct row_writer *writer)
{
	fwrite(writer->line.data, 1, writer->line.length, writer->stream);
	text_clear(&writer->line);
}

int rows_add(struct row_writer *writer, const struct any_value *values)
{
	if (writer->format == REPORT_CSV)
		write_csv_row(writer, values);
	else if (writer->format == REPORT_JSON)
		write_json_row(writer, values);
	else
		table_row_of_values(writer, values);
	flush_line(writer);
	return ferror(writer->stream);
}

static int rows_finish(struct row_writer *writer, struct error *err)
{
	struct table *table = writer->table;

	if (writer->format == REPORT_JSON)
		text_add(&writer->line, writer->begun ? "\n  ]\n}\n" : "]\n}\n");
	errno = 0;
	flush_line(writer);
	if (!table)
		return stream_check(writer->stream, err);
	for (size_t i = 0; i < writer->count; i++)
		table->columns[i].numeric = writer->has_number[i] && !writer->has_other[i];
	return table_write(writer->stream, table, writer->format, writer->options, err);
}

int rows_end(struct row_writer *writer, int rc, struct error *err)
{
	if (!writer)
		return rc;
	if (!rc)
		rc = rows_finish(writer, err);
	table_free(writer->table);
	string_list_release(&writer->keys);
	text_release(&writer->line);
	free(writer->has_number);
	free(writer->has_other);
	free(writer);
	return rc;
}
