/*
 * schema: what perflab's own SQL in db/schema/ says about the tables and views, and about
 * their columns. It relies on the form of these files: an empty line ends a statement; the comment
 * after the first line describes the object, and its first line sums it up; a column begins a line
 * with one tab, and the comment after it describes it. Private to db/.
 */
#ifndef DB_SCHEMA_H
#define DB_SCHEMA_H

#include "metrics/metrics.h"

/* The three files, which are part of the program. */
extern const char db_schema_tables[], db_schema_triggers[], db_schema_views[];

#define CREATE_TABLE "\nCREATE TABLE "
#define CREATE_INDEX "\nCREATE INDEX "
#define CREATE_UNIQUE_INDEX "\nCREATE UNIQUE INDEX "
#define CREATE_VIEW "\nCREATE VIEW "
#define CREATE_TRIGGER "\nCREATE TRIGGER "

/* Sets the statements of a file that begin so by the names of their objects, as SQLite stores them:
 * without the semicolon. */
void schema_objects(struct key_value_list *out, const char *sql, const char *create);

/* The comment that describes an object, one line of the comment a line. The caller frees it. */
char *schema_description(const char *sql);

struct schema_column {
	char *name;
	char *sql;     /* the definition, or the expression, without the comma after it */
	char *meaning; /* "": it has no comment */
};
struct schema_columns {
	struct schema_column *items;
	size_t count, capacity;
};
/* The columns of a CREATE TABLE or CREATE VIEW. */
void schema_columns_read(struct schema_columns *out, const char *sql);
const struct schema_column *schema_column_find(const struct schema_columns *columns,
					       const char *name);
void schema_columns_release(struct schema_columns *columns);

#endif
