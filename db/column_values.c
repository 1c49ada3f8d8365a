/* Builds SQL from the lists of columns, and moves values between rows and structs. */
#include "db/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const cache_names[] = {[CACHE_COLD] = "cold", [CACHE_HOT] = "hot"};

/* ---- SQL ---- */

size_t columns_count(const struct column_list *list, unsigned parts)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += (list->items[i].part & parts) != 0;
	return count;
}

void columns_add_names(struct text *sql, const struct column_list *list, unsigned parts,
		       const char *prefix)
{
	const char *separator = "";

	for (size_t i = 0; i < list->count; i++) {
		if (!(list->items[i].part & parts))
			continue;
		text_addf(sql, "%s%s%s", separator, prefix, list->items[i].name);
		separator = ", ";
	}
}

void columns_add_insert(struct text *sql, const struct column_list *list, unsigned parts,
			const char *more, size_t more_count)
{
	size_t count = columns_count(list, parts) + more_count;

	text_addf(sql, "INSERT INTO %s (", list->table);
	columns_add_names(sql, list, parts, "");
	text_addf(sql, "%s%s) VALUES (", more_count ? ", " : "", more_count ? more : "");
	for (size_t i = 0; i < count; i++)
		text_add(sql, i ? ", ?" : "?");
	text_add_char(sql, ')');
}

struct statement statement_prepare_text(struct db *db, struct text *sql, struct error *err)
{
	struct statement statement = statement_prepare(db, sql->data, err);

	text_release(sql);
	return statement;
}

struct statement columns_insert(struct db *db, const struct column_list *list, unsigned parts,
				const char *more, size_t more_count, struct error *err)
{
	struct text sql = TEXT_INIT;

	columns_add_insert(&sql, list, parts, more, more_count);
	return statement_prepare_text(db, &sql, err);
}

struct statement columns_update(struct db *db, const struct column_list *list, unsigned parts,
				const char *which, struct error *err)
{
	struct text sql = TEXT_INIT;
	const char *separator = " SET ";

	text_addf(&sql, "UPDATE %s", list->table);
	for (size_t i = 0; i < list->count; i++) {
		if (!(list->items[i].part & parts))
			continue;
		text_addf(&sql, "%s%s = ?", separator, list->items[i].name);
		separator = ", ";
	}
	text_addf(&sql, " WHERE %s", which);
	return statement_prepare_text(db, &sql, err);
}

struct statement columns_select(struct db *db, const struct column_list *list, unsigned parts,
				const char *rest, struct error *err)
{
	struct text sql = TEXT_INIT;

	text_add(&sql, "SELECT ");
	columns_add_names(&sql, list, parts, "");
	text_addf(&sql, " FROM %s %s", list->table, rest);
	return statement_prepare_text(db, &sql, err);
}

/* ---- values ---- */

static void bind_names(struct statement *statement, const struct string_list *names)
{
	struct text joined = TEXT_INIT;

	for (size_t i = 0; i < names->count; i++)
		text_addf(&joined, "%s%s", i ? "," : "", names->items[i]);
	bind_text(statement, joined.length ? joined.data : "");
	text_release(&joined);
}

static void bind_member(struct statement *statement, const struct column *column,
			const void *member)
{
	enum speedup_verdict verdict;

	switch (column->type) {
	case COLUMN_TEXT:
		bind_text(statement, *(char *const *)member);
		break;
	case COLUMN_CHARACTERS:
		bind_known_text(statement, member);
		break;
	case COLUMN_INTEGER:
		bind_known_integer(statement, *(const int64_t *)member, column->unknown);
		break;
	case COLUMN_BITS:
		bind_integer(statement, (int64_t) * (const uint64_t *)member);
		break;
	case COLUMN_INT:
		bind_known_integer(statement, *(const int *)member, column->unknown);
		break;
	case COLUMN_BOOL:
		bind_integer(statement, *(const bool *)member);
		break;
	case COLUMN_REAL:
		bind_real(statement, *(const double *)member);
		break;
	case COLUMN_POSITIVE:
		bind_real(statement, *(const double *)member > 0 ? *(const double *)member : NAN);
		break;
	case COLUMN_NAMES:
		bind_names(statement, member);
		break;
	case COLUMN_CACHE:
		bind_text(statement, cache_names[*(const enum cache_mode *)member]);
		break;
	case COLUMN_STATUS:
		bind_text(statement, trial_status_name(*(const enum trial_status *)member));
		break;
	case COLUMN_RUN_STATE:
		bind_text(statement, run_state_name(*(const enum run_state *)member));
		break;
	case COLUMN_SPEEDUP:
		verdict = *(const enum speedup_verdict *)member;
		bind_text(statement,
			  verdict == SPEEDUP_NOT_MEASURED ? NULL : speedup_verdict_name(verdict));
		break;
	case COLUMN_NO_MEMBER:
		bind_text(statement, NULL);
		break;
	}
}

void columns_bind(struct statement *statement, const struct column_list *list, unsigned parts,
		  const void *row)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].part & parts)
			bind_member(statement, &list->items[i],
				    (const char *)row + list->items[i].offset);
}

enum trial_status take_status(struct statement *row)
{
	const char *name = take_text(row);
	enum trial_status status = TRIAL_FAILED;

	/* A newer perflab, or a damaged file, may have a status that this one does not know. */
	if (!name || !trial_status_parse(&status, name))
		return TRIAL_FAILED;
	return status;
}

static void take_member(struct statement *row, const struct column *column, void *member)
{
	const char *text;
	double real;

	switch (column->type) {
	case COLUMN_TEXT:
		*(char **)member = take_text_copy(row);
		break;
	case COLUMN_CHARACTERS:
		take_text_into(row, member, column->size);
		break;
	case COLUMN_INTEGER:
		*(int64_t *)member =
			take_integer(row, column->unknown == NEVER_UNKNOWN ? 0 : column->unknown);
		break;
	case COLUMN_BITS:
		*(uint64_t *)member = (uint64_t)take_integer(row, 0);
		break;
	case COLUMN_INT:
		*(int *)member = take_int(row);
		break;
	case COLUMN_BOOL:
		*(bool *)member = take_integer(row, 0) != 0;
		break;
	case COLUMN_REAL:
		*(double *)member = take_real(row);
		break;
	case COLUMN_POSITIVE:
		real = take_real(row);
		*(double *)member = real > 0 ? real : 0;
		break;
	case COLUMN_NAMES:
		text = take_text(row);
		if (text && *text)
			string_list_split(member, text, ',');
		break;
	case COLUMN_CACHE:
		text = take_text(row);
		*(enum cache_mode *)member =
			text && strcmp(text, cache_names[CACHE_HOT]) == 0 ? CACHE_HOT : CACHE_COLD;
		break;
	case COLUMN_STATUS:
		*(enum trial_status *)member = take_status(row);
		break;
	case COLUMN_RUN_STATE:
		*(enum run_state *)member = RUN_STATE_UNKNOWN;
		run_state_parse(member, take_known_text(row));
		break;
	case COLUMN_SPEEDUP:
		text = take_text(row);
		/* a newer perflab, or a damaged file, may have other verdicts */
		if (text)
			speedup_verdict_parse(member, text);
		break;
	case COLUMN_NO_MEMBER:
		take_text(row);
		break;
	}
}

void columns_take(struct statement *row, const struct column_list *list, unsigned parts, void *out)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].part & parts)
			take_member(row, &list->items[i], (char *)out + list->items[i].offset);
}
