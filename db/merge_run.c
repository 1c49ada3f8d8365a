/* Copies the row of a run, its environment and its mark; merge_trial.c copies the trials. */
#include "db/columns.h"
#include "db/merge.h"

#include <string.h>

/* Two copies of a run were measured the same way when these columns are equal. */
#define RUN_IDENTITY ((unsigned)(PART_IDENTITY | PART_VERSIONS | PART_SETTINGS))
#define RUN_COPIED (RUN_IDENTITY | PART_STATE)

/* Keys in the environment: of metrics/analysis/regress.h, and what --decide came to. */
#define DECIDE_FACTS "decide."

int merge_run_find(struct db *db, const char *uid, int64_t *id, bool *found, struct error *err)
{
	struct statement find = statement_prepare(db, "SELECT id FROM run WHERE uid = ?", err);

	bind_text(&find, uid);
	*found = statement_next(&find);
	if (*found)
		*id = take_integer(&find, 0);
	return statement_release(&find);
}

static int run_row_copy(const struct merge *merge, struct merge_run *moved, int64_t device_id,
			struct error *err)
{
	struct statement read =
		columns_select(merge->from, &run_columns, RUN_COPIED, "WHERE id = ?", err);
	struct statement write = {0};

	bind_integer(&read, moved->run.id);
	if (statement_next(&read)) {
		write = columns_insert(merge->into, &run_columns, RUN_COPIED, "uid, device_id", 2,
				       err);
		bind_columns(&write, &read, 0, columns_count(&run_columns, RUN_COPIED));
		bind_text(&write, moved->uid);
		bind_integer(&write, device_id);
		if (!statement_run(&write))
			moved->id = sqlite3_last_insert_rowid(merge->into->handle);
	} else if (!read.rc) {
		read.rc = error_set(err, PL_ENOENT, "%s has no run %lld any more",
				    merge->from->path, (long long)moved->run.id);
	}
	return statements_release(&read, &write);
}

/* Tables whose rows are copied as they are, and what becomes of a row that both files have. */
static const struct {
	const struct column_list *columns;
	const char *both;
} copied_tables[] = {
	/* the later of two marks wins */
	{&mark_columns, "kind = excluded.kind, why = excluded.why, marked_ns = excluded.marked_ns"
			" WHERE excluded.marked_ns > marked_ns"},
	/* the time of a part only grows, so the larger one is the later one */
	{&run_part_columns, "wall_ns = max(wall_ns, excluded.wall_ns)"},
	/* one shard may have kept what another did not find */
	{&run_file_columns, "hash = excluded.hash, why = excluded.why WHERE hash IS NULL"},
};

static int table_copy(const struct merge *merge, const struct merge_run *moved, size_t index,
		      struct error *err)
{
	const struct column_list *columns = copied_tables[index].columns;
	struct statement read =
		columns_select(merge->from, columns, PART_ALL, "WHERE run_id = ?", err);
	struct statement write = {0};
	struct text sql = TEXT_INIT;

	columns_add_insert(&sql, columns, PART_ALL, "run_id", 1);
	text_addf(&sql, " ON CONFLICT DO UPDATE SET %s", copied_tables[index].both);
	if (!read.rc)
		write = statement_prepare(merge->into, sql.data, err);
	text_release(&sql);
	bind_integer(&read, moved->run.id);
	while (!write.rc && statement_next(&read)) {
		bind_columns(&write, &read, 0, columns_count(columns, PART_ALL));
		bind_integer(&write, moved->id);
		statement_run(&write);
	}
	return statements_release(&read, &write);
}

int merge_tables_copy(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(copied_tables) && !rc; i++)
		rc = table_copy(merge, moved, i, err);
	return rc ? rc : db_contents_copy(merge->from, moved->run.id, merge->into, err);
}

int merge_run_make(const struct merge *merge, struct merge_run *moved, struct error *err)
{
	int64_t device_id = 0;
	int rc = db_device_store(merge->into, &moved->run.device, &device_id, err);

	if (!rc)
		rc = run_row_copy(merge, moved, device_id, err);
	for (size_t i = 0; i < moved->run.environment.count && !rc; i++) {
		const struct key_value *pair = &moved->run.environment.items[i];

		/* a sweep of several shards has no process of its own */
		if (!moved->shard || strcmp(pair->key, "process"))
			rc = db_environment_set(merge->into, moved->id, pair->key, pair->value,
						err);
	}
	moved->made = true;
	return rc;
}

/* Shards always agree, because the uid of their sweep is a hash of the settings. */
int merge_run_check(const struct merge *merge, struct merge_run *moved, struct error *err)
{
	struct statement left, right = {0};
	bool equal;

	if (moved->shard)
		return 0;
	left = columns_select(merge->from, &run_columns, RUN_IDENTITY, "WHERE id = ?", err);
	if (!left.rc)
		right = columns_select(merge->into, &run_columns, RUN_IDENTITY, "WHERE id = ?",
				       err);
	bind_integer(&left, moved->run.id);
	bind_integer(&right, moved->id);
	equal = rows_equal(&left, &right, columns_count(&run_columns, RUN_IDENTITY));
	moved->is_another = !equal;
	return statements_release(&left, &right);
}

/* The facts of --decide belong to the rounds that were taken over. */
static int looks_copy(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < moved->run.environment.count && !rc && moved->replaced; i++) {
		const struct key_value *pair = &moved->run.environment.items[i];

		if (strncmp(pair->key, DECIDE_FACTS, strlen(DECIDE_FACTS)) == 0)
			rc = db_environment_set(merge->into, moved->id, pair->key, pair->value,
						err);
	}
	return rc;
}

int merge_run_complete(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct statement update = statement_prepare(
		merge->into,
		"UPDATE run SET label = coalesce(label, ?1), note = coalesce(note, ?2),"
		" finished_ns = CASE WHEN state = 'finished' OR ?3 = 'running'"
		"  THEN finished_ns ELSE ?4 END,"
		" state = CASE WHEN state = 'finished' OR ?3 = 'running' THEN state ELSE ?3 END"
		" WHERE id = ?5",
		err);
	int rc;

	bind_text(&update, moved->run.label);
	bind_text(&update, moved->run.note);
	bind_text(&update, run_state_name(moved->run.state));
	bind_known_integer(&update, moved->run.finished_ns, 0);
	bind_integer(&update, moved->id);
	rc = statement_finish(&update);
	return rc ? rc : looks_copy(merge, moved, err);
}
