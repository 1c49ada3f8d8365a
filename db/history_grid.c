/* Loads the history of all cases of a run: its runs, and which of them a page shows. */
#include "db/history_grid.h"

#include <math.h>

#define MEDIANS_SHOWN_MOST 200000
#define COUNTED_SHOWN_MOST 10000 /* trials of emulated runs, whose counters are read */

/* ---- runs ---- */

static const char runs_sql[] =
	"SELECT run.id, run.started_ns, run.seed FROM run"
	" WHERE run.device_id = (SELECT device_id FROM run WHERE id = ?1)"
	" AND run.backend = (SELECT backend FROM run WHERE id = ?1)"
	" AND run.origin IS (SELECT origin FROM run WHERE id = ?1)"
	" AND coalesce(run.cache = 'hot', 0) ="
	"  (SELECT coalesce(cache = 'hot', 0) FROM run WHERE id = ?1)"
	" AND EXISTS (SELECT * FROM trial WHERE trial.run_id = run.id AND trial.kernel IN"
	"  (SELECT kernel FROM trial WHERE run_id = ?1))"
	" ORDER BY run.started_ns, run.id";

static int runs_load(struct db *db, int64_t run_id, struct history_grid *grid, struct error *err)
{
	struct statement select;
	size_t capacity = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, runs_sql, err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		struct run *run;

		grid->runs = xgrow(grid->runs, &capacity, grid->run_count + 1, sizeof(*grid->runs));
		run = &grid->runs[grid->run_count++];
		*run = (struct run){.id = take_integer(&select, 0)};
		run->started_ns = take_integer(&select, 0);
		run->seed = (uint64_t)take_integer(&select, 0);
	}
	statement_release(&select);
	return rc;
}

/* Marks the run itself and the newest runs as shown. */
static void choose_shown(struct history_grid *grid, int64_t run_id, size_t most)
{
	size_t left = most;

	grid->shown = xcalloc(grid->run_count + 1, sizeof(*grid->shown));
	for (size_t i = 0; i < grid->run_count; i++) {
		if (grid->runs[i].id == run_id) {
			grid->shown[i] = true;
			left--;
		}
	}
	for (size_t i = grid->run_count; i-- > 0 && left > 0;) {
		left -= !grid->shown[i];
		grid->shown[i] = true;
	}
}

static int words_load(struct db *db, struct history_grid *grid, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db,
				   "SELECT label, source_revision,"
				   " (SELECT kind FROM mark WHERE run_id = run.id)"
				   " FROM run WHERE id = ?",
				   err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < grid->run_count; i++) {
		struct run *run = &grid->runs[i];

		if (!grid->shown[i])
			continue;
		bind_integer(&select, run->id);
		rc = statement_step(&select, &row, err);
		if (!rc && row) {
			run->label = take_text_copy(&select);
			run->source_revision = take_text_copy(&select);
			run->mark = take_text_copy(&select);
		}
		statement_restart(&select);
	}
	statement_release(&select);
	return rc;
}

int db_history_grid_load(struct db *db, const struct run *run, size_t runs,
			 struct history_grid *out, struct error *err)
{
	struct history_grid grid = {.case_count = run->trial_count};
	const size_t most = run->traits.emulated ? COUNTED_SHOWN_MOST : MEDIANS_SHOWN_MOST;
	size_t fit = run->trial_count ? most / run->trial_count : 0;
	int rc;

	*out = (struct history_grid){0};
	if (run->trial_count == 0)
		return 0;
	if (fit < 2)
		fit = 2;
	rc = db_begin_read(db, err);
	if (rc)
		return rc;
	rc = runs_load(db, run->id, &grid, err);
	if (!rc && grid.run_count > 1) {
		choose_shown(&grid, run->id, runs < fit ? runs : fit);
		grid.emulated = run->traits.emulated;
		rc = words_load(db, &grid, err);
	}
	if (!rc && grid.run_count > 1 && !grid.emulated) {
		size_t cells = grid.case_count * grid.run_count;

		grid.trial_id = xcalloc(cells + 1, sizeof(*grid.trial_id));
		grid.median_ns = xcalloc(cells + 1, sizeof(*grid.median_ns));
		grid.low_ns = xcalloc(cells + 1, sizeof(*grid.low_ns));
		grid.high_ns = xcalloc(cells + 1, sizeof(*grid.high_ns));
		grid.unverified = xcalloc(cells + 1, sizeof(*grid.unverified));
		grid.rounds = xcalloc(cells + 1, sizeof(*grid.rounds));
		for (size_t i = 0; i < cells; i++)
			grid.median_ns[i] = grid.low_ns[i] = grid.high_ns[i] = NAN;
		rc = history_cells_load(db, &grid, run, err);
	}
	rc = db_end(db, rc, err);
	if (rc || grid.run_count < 2)
		history_grid_release(&grid); /* a run alone has no history */
	*out = grid;
	return rc;
}

int db_history_grid_codes(struct db *db, struct history_grid *grid, struct error *err)
{
	static const char sql[] =
		"SELECT a.code_hash <> '' AND a.code_hash = b.code_hash AND a.launch_hash <> ''"
		" AND a.launch_hash = b.launch_hash FROM trial AS a, trial AS b"
		" WHERE a.id = ? AND b.id = ?";
	struct statement select;
	int rc = statement_prepare(&select, db, sql, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < grid->case_count; i++) {
		const int64_t *trial = grid->trial_id + i * grid->run_count;

		for (size_t k = grid->change_begin[i]; !rc && k < grid->change_begin[i + 1]; k++) {
			struct history_change *change = &grid->changes[k];
			bool row = false;

			bind_integer(&select, trial[change->last]);
			bind_integer(&select, trial[change->first]);
			rc = statement_step(&select, &row, err);
			change->same_code = !rc && row && take_integer(&select, 0) != 0;
			statement_restart(&select);
		}
	}
	statement_release(&select);
	return rc;
}
