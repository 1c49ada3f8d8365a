/* The views and tables of a database, their columns, and what they mean. */
#include "db/schema.h"
#include "db/statement.h"
#include "metrics/fields.h"

#include <stdlib.h>
#include <string.h>

/* The statements of db/schema/, by name. */
struct own_schema {
	struct key_value_list tables, views;
};

static void own_schema_read(struct own_schema *out)
{
	*out = (struct own_schema){0};
	schema_objects(&out->tables, db_schema_tables, CREATE_TABLE);
	schema_objects(&out->views, db_schema_views, CREATE_VIEW);
}

static void own_schema_release(struct own_schema *schema)
{
	key_value_list_release(&schema->tables);
	key_value_list_release(&schema->views);
}

static const char *own_sql(const struct own_schema *schema, const char *name)
{
	const char *sql = key_value_get(&schema->views, name);

	return sql ? sql : key_value_get(&schema->tables, name);
}

/* ---- names ---- */

/* The first line of the description, without the full stop. NULL: the object is not perflab's. */
static char *summary_of_object(const struct own_schema *schema, const char *name)
{
	const char *sql = own_sql(schema, name);
	char *description;

	if (!sql)
		return NULL;
	description = schema_description(sql);
	description[strcspn(description, "\n")] = 0;
	if (has_suffix(description, "."))
		description[strlen(description) - 1] = 0;
	return description;
}

/* The views of the connection, too; its stand-ins for tables are no views. */
#define NAMES                                                                          \
	"SELECT name, is_view FROM"                                                    \
	" (SELECT name, type = 'view' AS is_view FROM main.sqlite_schema"              \
	"  WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'" \
	" UNION SELECT name, type = 'view' FROM temp.sqlite_schema"                    \
	"  WHERE type IN ('view', 'table') AND name NOT IN"                            \
	"   (SELECT name FROM main.sqlite_schema WHERE type = 'table'))"               \
	" ORDER BY is_view DESC, name NOT GLOB 'result*', name"

int db_names_visit(struct db *db,
		   int (*visit)(void *context, const char *name, bool is_view, const char *meaning),
		   void *context, struct error *err)
{
	struct own_schema schema;
	struct statement select;
	int stop = 0;
	int rc = db_own_views_use(db, err);

	if (rc)
		return rc;
	select = statement_prepare(db, NAMES, err);
	own_schema_read(&schema);
	while (!stop && statement_next(&select)) {
		const char *name = take_text(&select);
		bool is_view = take_integer(&select, 0) != 0;
		char *meaning = name ? summary_of_object(&schema, name) : NULL;

		/* a damaged file may have an object without a name */
		stop = name ? visit(context, name, is_view, meaning) : 0;
		free(meaning);
	}
	own_schema_release(&schema);
	return statement_release(&select);
}

static int add_name(void *context, const char *name, bool is_view, const char *meaning)
{
	(void)is_view, (void)meaning;
	string_list_add(context, name);
	return 0;
}

static int fail_unknown_name(struct db *db, const char *name, const struct string_list *known,
			     struct error *err)
{
	struct text near = TEXT_INIT;
	int rc;

	if (nearest_names(&near, name, (const char *const *)known->items, known->count))
		rc = error_set(err, PL_EUSAGE, "%s has no view or table '%.80s'; did you mean %s?",
			       db->path, name, near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "%s has no view or table '%.80s'; `perflab query` lists them, and "
			       "SQL goes in quotes as one word",
			       db->path, name);
	text_release(&near);
	return rc;
}

int db_name_check(struct db *db, const char *name, struct error *err)
{
	struct string_list known = {0};
	int rc = db_names_visit(db, add_name, &known, err);

	if (!rc && !string_list_has(&known, name))
		rc = fail_unknown_name(db, name, &known, err);
	string_list_release(&known);
	return rc;
}

/* ---- columns ---- */

/* The lists of metrics/fields.h that are columns of tables. */
static const struct {
	const char *table;
	const struct field_list *fields;
} described[] = {
	{"device", &device_fields},   {"run", &device_fields},
	{"trial", &launch_fields},    {"trial", &summary_fields},
	{"round", &state_fields},     {"line", &line_count_fields},
	{"profile", &profile_fields}, {"instruction", &instruction_fields},
};

static char *meaning_of_field(const char *table, const char *column)
{
	for (size_t i = 0; i < ARRAY_SIZE(described); i++) {
		const struct field_list *list = described[i].fields;

		for (size_t f = 0; f < list->count && strcmp(described[i].table, table) == 0; f++)
			if (strcmp(list->items[f].name, column) == 0)
				return xstrdup(list->items[f].meaning);
	}
	return NULL;
}

static char *meaning_of(const struct own_schema *schema, const char *object, const char *column);

/* A column of a view that is "table.column" or "table.column AS name". */
static char *meaning_of_source(const struct own_schema *schema, const char *expression)
{
	const size_t dot = strcspn(expression, ". (");
	char *table = xstrndup(expression, dot), *meaning = NULL, *column;

	if (expression[dot] == '.' && key_value_get(&schema->tables, table)) {
		column = xstrndup(expression + dot + 1, strcspn(expression + dot + 1, " "));
		meaning = meaning_of(schema, table, column);
		free(column);
	}
	free(table);
	return meaning;
}

/* From its comment, from the list of facts that it belongs to, or from where a view takes it. */
static char *meaning_of(const struct own_schema *schema, const char *object, const char *column)
{
	const char *sql = own_sql(schema, object);
	const struct schema_column *own;
	struct schema_columns columns = {0};
	char *meaning = NULL;

	if (!sql)
		return NULL;
	schema_columns_read(&columns, sql);
	own = schema_column_find(&columns, column);
	if (own && *own->meaning)
		meaning = xstrdup(own->meaning);
	if (own && !meaning)
		meaning = meaning_of_field(object, column);
	if (own && !meaning)
		meaning = meaning_of_source(schema, own->sql);
	schema_columns_release(&columns);
	return meaning;
}

int db_columns_visit(struct db *db, const char *object,
		     int (*visit)(void *context, const char *column, const char *type,
				  const char *meaning),
		     void *context, struct error *err)
{
	struct own_schema schema;
	struct statement select;
	int stop = 0;
	int rc = db_name_check(db, object, err);

	if (rc)
		return rc;
	select = statement_prepare(db, "SELECT name, type FROM pragma_table_xinfo(?)", err);
	bind_text(&select, object);
	own_schema_read(&schema);
	while (!stop && statement_next(&select)) {
		const char *name = take_text(&select), *type = take_text(&select);
		char *meaning = name ? meaning_of(&schema, object, name) : NULL;

		if (name && !meaning && own_sql(&schema, object))
			meaning = meaning_of(&schema, "results", name);
		stop = name ? visit(context, name, type ? type : "", meaning) : 0;
		free(meaning);
	}
	own_schema_release(&schema);
	return statement_release(&select);
}

char *db_description(const char *object)
{
	struct own_schema schema;
	const char *sql;
	char *description = NULL;

	own_schema_read(&schema);
	sql = own_sql(&schema, object);
	if (sql)
		description = schema_description(sql);
	own_schema_release(&schema);
	return description;
}
