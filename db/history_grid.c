/*
 * All cases of a run over the newest runs of its device, by medians: for a page
 * of ten thousand cases in a second.
 */
#include "db/statement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEDIANS_MOST 200000

/* ---- runs ---- */

/* The run itself first, then the newest. */
static const char runs_sql[] =
	"SELECT run.id, run.label, run.source_revision, run.started_ns FROM run"
	" WHERE run.device_id = (SELECT device_id FROM run WHERE id = ?1)"
	" AND run.backend = (SELECT backend FROM run WHERE id = ?1)"
	" AND coalesce(instr(run.settings, '\"cache\":\"hot\"') > 0, 0) ="
	"  (SELECT coalesce(instr(settings, '\"cache\":\"hot\"') > 0, 0) FROM run WHERE id = ?1)"
	" AND EXISTS (SELECT * FROM trial WHERE trial.run_id = run.id AND trial.kernel IN"
	"  (SELECT kernel FROM trial WHERE run_id = ?1))"
	" ORDER BY run.id <> ?1, run.started_ns DESC, run.id DESC LIMIT ?2";

static int compare_runs(const void *left, const void *right)
{
	const struct run *a = left, *b = right;

	if (a->started_ns != b->started_ns)
		return a->started_ns < b->started_ns ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int runs_load(struct db *db, int64_t run_id, size_t most, struct history_grid *grid,
		     struct error *err)
{
	struct statement select;
	size_t capacity = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, runs_sql, err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	bind_integer(&select, (int64_t)most);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		struct run *run;

		grid->runs = xgrow(grid->runs, &capacity, grid->run_count + 1, sizeof(*grid->runs));
		run = &grid->runs[grid->run_count++];
		*run = (struct run){.id = take_integer(&select, 0)};
		run->label = take_text_copy(&select);
		run->source_revision = take_text_copy(&select);
		run->started_ns = take_integer(&select, 0);
	}
	statement_release(&select);
	if (grid->run_count)
		qsort(grid->runs, grid->run_count, sizeof(*grid->runs), compare_runs);
	return rc;
}

static int marks_load(struct db *db, struct history_grid *grid, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db, "SELECT kind FROM mark WHERE run_id = ?", err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < grid->run_count; i++) {
		bind_integer(&select, grid->runs[i].id);
		rc = statement_step(&select, &row, err);
		if (!rc && row)
			grid->runs[i].mark = take_text_copy(&select);
		statement_restart(&select);
	}
	statement_release(&select);
	return rc;
}

/* ---- medians ---- */

/* A case of the run and its place there. */
struct place {
	const char *kernel, *variant, *config;
	size_t at;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	if (!order)
		order = strcmp(a->variant, b->variant);
	return order ? order : strcmp(a->config, b->config);
}

/* By name; a damaged file may lack one, and then there is nothing to find it by. */
static struct place *places_of(const struct run *run, size_t *count)
{
	struct place *places = xcalloc(run->trial_count + 1, sizeof(*places));

	*count = 0;
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial->kernel && trial->variant && trial->config)
			places[(*count)++] =
				(struct place){trial->kernel, trial->variant, trial->config, i};
	}
	qsort(places, *count, sizeof(*places), compare_places);
	return places;
}

static int medians_load(struct db *db, struct history_grid *grid, const struct run *run,
			struct error *err)
{
	struct statement select;
	size_t count;
	struct place *places = places_of(run, &count);
	bool row = true;
	int rc = statement_prepare(&select, db,
				   "SELECT kernel, variant, config, median_ns FROM trial"
				   " WHERE run_id = ? AND status = 'ok' AND median_ns > 0",
				   err);

	for (size_t i = 0; !rc && i < grid->run_count; i++) {
		bind_integer(&select, grid->runs[i].id);
		for (rc = statement_step(&select, &row, err); !rc && row;
		     rc = statement_step(&select, &row, err)) {
			struct place wanted = {0};
			const struct place *found = NULL;

			wanted.kernel = take_text(&select);
			wanted.variant = take_text(&select);
			wanted.config = take_text(&select);
			if (wanted.kernel && wanted.variant && wanted.config)
				found = bsearch(&wanted, places, count, sizeof(*places),
						compare_places);
			if (found)
				grid->median_ns[found->at * grid->run_count + i] =
					take_real(&select);
		}
		statement_restart(&select);
	}
	statement_release(&select);
	free(places);
	return rc;
}

int db_history_grid_load(struct db *db, const struct run *run, size_t runs,
			 struct history_grid *out, struct error *err)
{
	struct history_grid grid = {.case_count = run->trial_count};
	size_t room = run->trial_count ? MEDIANS_MOST / run->trial_count : 0;
	int64_t version = 0;
	int rc;

	*out = (struct history_grid){0};
	if (run->trial_count == 0 || (run->backend && strcmp(run->backend, "ptx") == 0))
		return 0;
	if (room < 2)
		room = 2;
	rc = db_begin_read(db, err);
	if (rc)
		return rc;
	rc = db_select_integer(&version, db, "PRAGMA user_version", err);
	if (!rc)
		rc = runs_load(db, run->id, runs < room ? runs : room, &grid, err);
	if (!rc && version >= VERSION_WITH_MARKS)
		rc = marks_load(db, &grid, err);
	if (!rc) {
		size_t cells = grid.case_count * grid.run_count;

		grid.median_ns = xcalloc(cells + 1, sizeof(*grid.median_ns));
		for (size_t i = 0; i < cells; i++)
			grid.median_ns[i] = NAN;
		rc = medians_load(db, &grid, run, err);
	}
	rc = db_end(db, rc, err);
	if (rc)
		history_grid_release(&grid);
	else
		*out = grid;
	return rc;
}
