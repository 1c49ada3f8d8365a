#include "db/schema_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void schema_objects(struct key_value_list *out, const char *sql, const char *create)
{
	for (const char *at = sql; (at = strstr(at, create));) {
		const char *name = at + strlen(create), *end = strstr(name, ";\n\n");
		const size_t length = end ? (size_t)(end - at) : strlen(at) - strlen(";\n");
		char *key = xstrndup(name, strcspn(name, " "));
		char *stored = xstrndup(at + 1, length - 1);

		key_value_set(out, key, stored);
		free(key);
		free(stored);
		at += length;
	}
}

#define COMMENT "-- "

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static const char *line_after(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

char *schema_description(const char *sql)
{
	struct text out = TEXT_INIT;

	for (const char *line = line_after(sql); begins(line, "\t" COMMENT);
	     line = line_after(line)) {
		const char *words = line + strlen("\t" COMMENT);

		text_add_bytes(&out, words, strcspn(words, "\n"));
		text_add_char(&out, '\n');
	}
	return text_detach(&out);
}

/* ---- columns ---- */

/* A column whose lines are being read. */
struct reading {
	struct schema_columns *out;
	struct text sql, meaning;
	bool of_view, inside;
};

/* The first word of a definition, or the last one of an expression: "x AS name", "table.name". */
static char *column_name_of(const char *sql, bool of_view)
{
	const char *end = sql + strlen(sql), *begin;

	if (!of_view)
		return xstrndup(sql, strcspn(sql, " "));
	if (end > sql && end[-1] == '"')
		end--;
	for (begin = end; begin > sql && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_');)
		begin--;
	return xstrndup(begin, (size_t)(end - begin));
}

static void end_column(struct reading *reading)
{
	struct schema_columns *out = reading->out;
	struct schema_column *column;

	if (!reading->inside)
		return;
	reading->inside = false;
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	column = &out->items[out->count++];
	column->sql = text_detach(&reading->sql);
	if (has_suffix(column->sql, ","))
		column->sql[strlen(column->sql) - 1] = 0;
	column->meaning = text_detach(&reading->meaning);
	column->name = column_name_of(column->sql, reading->of_view);
}

static void add_meaning(struct reading *reading, const char *words, const char *end)
{
	if (*reading->meaning.data)
		text_add_char(&reading->meaning, ' ');
	text_add_bytes(&reading->meaning, words, (size_t)(end - words));
}

/* A comment counts if no more of the column follows. */
static void add_code(struct reading *reading, const char *code, const char *end)
{
	const char *comment = strstr(code, " " COMMENT);
	const bool commented = comment && comment < end;

	text_release(&reading->meaning);
	if (*reading->sql.data)
		text_add_char(&reading->sql, '\n');
	text_add_bytes(&reading->sql, code, (size_t)((commented ? comment : end) - code));
	if (commented)
		add_meaning(reading, comment + strlen(" " COMMENT), end);
}

static void read_line(struct reading *reading, const char *line, const char *end)
{
	const char *code = line + strspn(line, "\t");

	if (code == line + 1) {
		end_column(reading);
		/* a constraint of a table begins with a keyword in capitals */
		reading->inside = !begins(code, COMMENT) &&
				  (reading->of_view || islower((unsigned char)*code));
	}
	if (reading->inside && begins(code, COMMENT))
		add_meaning(reading, code + strlen(COMMENT), end);
	else if (reading->inside)
		add_code(reading, code, end);
}

/* The line after the last SELECT that is at the end of a line: those before it are within WITH. */
static const char *select_list(const char *sql)
{
	const char *begin = line_after(sql);

	for (const char *at = sql; (at = strstr(at, "SELECT\n"));)
		begin = at += strlen("SELECT\n");
	return begin;
}

void schema_columns_read(struct schema_columns *out, const char *sql)
{
	struct reading reading = {.out = out,
				  .sql = TEXT_INIT,
				  .meaning = TEXT_INIT,
				  .of_view = begins(sql, &CREATE_VIEW[1])};

	for (const char *line = reading.of_view ? select_list(sql) : line_after(sql); *line == '\t';
	     line = line_after(line))
		read_line(&reading, line, line + strcspn(line, "\n"));
	end_column(&reading);
}

const struct schema_column *schema_column_find(const struct schema_columns *columns,
					       const char *name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->items[i].name, name) == 0)
			return &columns->items[i];
	return NULL;
}

void schema_columns_release(struct schema_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		free(columns->items[i].name);
		free(columns->items[i].sql);
		free(columns->items[i].meaning);
	}
	free(columns->items);
	*columns = (struct schema_columns){0};
}
