/* The table behind every list, with what only this module may see: rows and their styles. */
#ifndef REPORTS_TABLE_TABLE_H
#define REPORTS_TABLE_TABLE_H

#include "reports/reports.h"

enum row_style { ROW_PLAIN, ROW_BEST, ROW_BAD, ROW_DIM };

struct table_row {
	char **cells; /* one per column; NULL: not known */
	enum row_style style;
};

struct table {
	struct table_column *columns;
	const char *const **parts; /* per column: the names given to table_parts(), or NULL */
	size_t column_count;
	bool cut_last; /* text: the last column is cut, not wrapped */
	/* text: if the table is too wide, so many of its last columns go below each row, each value
	 * on lines of its own. Less than all columns. */
	size_t below;
	struct table_row *rows;
	size_t row_count, row_capacity;
};

/* As table_row(), with a style for terminals that have colour. */
void table_row_styled(struct table *table, const char *const *cells, enum row_style style);
/* A row that is filled cell by cell. All zeroes has no cell. */
#define ROW_CELLS_MOST 40
struct row {
	struct text cells[ROW_CELLS_MOST];
	size_t count;
};
/* The next cell, which is empty. */
struct text *row_cell(struct row *row);
/* Fill the next cell. Text NULL leaves it empty. */
void row_add(struct row *row, const char *text);
void row_addf(struct row *row, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds the row to a table, and releases the cells. An empty cell is not known. */
void row_end(struct row *row, struct table *table, enum row_style style);
/* Values for rows_add(); "", NULL and what is not finite are not known. */
struct any_value value_of_text(const char *text);
struct any_value value_of_integer(int64_t value);
struct any_value value_of_real(double value);
/* Keeps the first `rows` rows. Returns how many were removed. */
size_t table_truncate(struct table *table, size_t rows);
/* Removes the columns in which no row has a value. */
void table_drop_empty(struct table *table);
/* Flags the columns that text of this width shows, beside or below their row; 0: unlimited. `shown`
 * has room for all columns. */
void table_shown(const struct table *table, int width, bool *shown);
/* These two write without checking the stream. */
void table_write_text(FILE *out, const struct table *table, const struct report_options *options);
void table_write_markdown(FILE *out, const struct table *table);

#endif
