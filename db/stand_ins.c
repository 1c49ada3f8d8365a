/*
 * A file of an older schema that is only read is not changed. Temporary tables and views of the
 * connection stand in for what it lacks, so that queries need to know only the newest schema.
 */
#include "db/columns.h"

/* Empty tables that stand in for tables that an older file lacks. */
static const struct {
	int since;
	const char *sql;
} stand_in_tables[] = {
	{2,
	 "CREATE TEMP TABLE line (trial_id, file, line, instructions, lanes, branches, divergent,"
	 " requests, sectors, shared_requests, wavefronts, conflicts)"},
	{4, "CREATE TEMP TABLE mark (run_id INTEGER PRIMARY KEY, kind, why, marked_ns)"},
	{4, "CREATE TEMP TABLE comparison (trial_id INTEGER PRIMARY KEY, base_trial_id, verdict,"
	    " change, low, high, p, why)"},
	{9, "CREATE TEMP TABLE speedup (trial_id INTEGER PRIMARY KEY, base_variant, base_config,"
	    " verdict, speedup, low, high, p, base_median_ns, rounds, same_buffers, why)"},
	{14, "CREATE TEMP TABLE recording (id INTEGER PRIMARY KEY, uid, mode, command, started_ns,"
	     " wall_ns, bare_wall_ns, exit_code, label, host, version)"},
	{14, "CREATE TEMP TABLE recorded_kernel (recording_id, name)"},
	{15, "CREATE TEMP TABLE judgement (run_id INTEGER PRIMARY KEY, rules, roofs_run_id)"},
	{15,
	 "CREATE TEMP TABLE limiter (trial_id INTEGER PRIMARY KEY, limiter, roof_pct, from_model,"
	 " precision, flop, dram_pct, l2_pct, l1_pct, shared_pct, compute_pct,"
	 " model_precision, model_compute_pct, summary, advice, notes, above_roof)"},
	{17, "CREATE TEMP TABLE run_part (run_id, uid, part, wall_ns)"},
};
static const struct column_list *const grown_tables[] = {&run_columns, &trial_columns,
							 &round_columns, &sample_columns};

static bool has_column_since(const struct column_list *list, int64_t version)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].since > version)
			return true;
	return false;
}

/* Creates a view of the same name with the columns that an older file lacks. */
static int create_stand_in_view(struct db *db, const struct column_list *list, int64_t version,
				struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc;

	text_addf(&sql, "CREATE TEMP VIEW %s AS ", list->table);
	columns_add_select_older(&sql, list, version);
	rc = db_execute(db, sql.data, err);
	text_release(&sql);
	return rc;
}

int db_create_stand_ins(struct db *db, int64_t version, struct error *err)
{
	int rc;

	if (version == db_schema_version)
		return 0;
	rc = db_execute(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF", err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(stand_in_tables); i++)
		if (stand_in_tables[i].since > version)
			rc = db_execute(db, stand_in_tables[i].sql, err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(grown_tables); i++)
		if (has_column_since(grown_tables[i], version))
			rc = create_stand_in_view(db, grown_tables[i], version, err);
	if (!rc && version >= VERSION_FOR_RESULTS)
		rc = db_execute_list(db, db_result_views, err);
	return rc ? rc : db_execute(db, "PRAGMA query_only = ON", err);
}
