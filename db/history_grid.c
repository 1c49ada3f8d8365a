/*
 * Loads the history of all cases of a run. It reads the medians of rounds instead of samples, so
 * that a page of ten thousand cases takes one second.
 */
#include "db/statement.h"
#include "metrics/analysis/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEDIANS_SHOWN_MOST 200000
#define COUNTED_SHOWN_MOST 10000 /* trials of emulated runs, whose counters are read */

/* ---- runs ---- */

static const char runs_sql[] =
	"SELECT run.id, run.label, run.source_revision, run.started_ns, run.seed FROM run"
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
		run->label = take_text_copy(&select);
		run->source_revision = take_text_copy(&select);
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

/* A case of the run, and its index there. */
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

/* Sorted by name. A damaged file may lack a name; such a trial is left out. */
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

/* Reads the rows of medians_sql. All rows of a trial follow each other. */
struct grid_reader {
	struct history_grid *grid;
	const struct place *places;
	size_t place_count;
	size_t rounds, capacity; /* used and allocated elements of grid->round_ns */
	int64_t trial;
	struct history_rounds *cell; /* of the trial; NULL: not a case of the run */
};

/* A trial without stored rounds gives one row with a NULL round. */
static const char medians_sql[] =
	"SELECT trial.id, round.median_ns, trial.median_ns, kernel, variant, config, code_hash,"
	" launch_hash, status = 'unverified' FROM trial LEFT JOIN round ON round.trial_id = "
	"trial.id"
	" WHERE run_id = ? AND status IN ('ok', 'unverified') AND trial.median_ns > 0 AND "
	"sample_count > 0"
	" ORDER BY trial.id, round.round";

/* FNV-1a of both hashes; 0: one of them is unknown. */
static uint64_t code_take(struct statement *row)
{
	uint64_t code = UINT64_C(14695981039346656037);
	bool known = true;

	for (int i = 0; i < 2; i++) {
		const char *hash = take_text(row);

		known &= hash && *hash;
		for (; hash && *hash; hash++)
			code = (code ^ (unsigned char)*hash) * UINT64_C(1099511628211);
	}
	return known ? code : 0;
}

static struct history_rounds *cell_take(const struct grid_reader *reader, struct statement *row,
					size_t run)
{
	const struct history_grid *grid = reader->grid;
	double median_ns = take_real(row);
	struct place wanted = {0};
	const struct place *found = NULL;
	size_t cell;

	wanted.kernel = take_text(row);
	wanted.variant = take_text(row);
	wanted.config = take_text(row);
	if (wanted.kernel && wanted.variant && wanted.config)
		found = bsearch(&wanted, reader->places, reader->place_count,
				sizeof(*reader->places), compare_places);
	if (!found)
		return NULL;
	cell = found->at * grid->run_count + run;
	grid->median_ns[cell] = median_ns;
	grid->rounds[cell] = (struct history_rounds){.begin = reader->rounds};
	grid->code[cell] = code_take(row);
	grid->unverified[cell] = take_integer(row, 0) != 0;
	return &grid->rounds[cell];
}

static void row_take(struct grid_reader *reader, struct statement *row, size_t run)
{
	struct history_grid *grid = reader->grid;
	int64_t trial = take_integer(row, 0);
	double round_ns = take_real(row);

	if (trial != reader->trial) {
		reader->trial = trial;
		reader->cell = cell_take(reader, row, run);
	}
	if (!reader->cell || !(round_ns > 0))
		return;
	grid->round_ns = xgrow(grid->round_ns, &reader->capacity, reader->rounds + 1,
			       sizeof(*grid->round_ns));
	grid->round_ns[reader->rounds++] = round_ns;
	reader->cell->count++;
}

static int medians_load(struct db *db, struct history_grid *grid, const struct run *run,
			struct error *err)
{
	struct statement select;
	size_t count;
	struct place *places = places_of(run, &count);
	struct grid_reader reader = {.grid = grid, .places = places, .place_count = count};
	int rc = statement_prepare(&select, db, medians_sql, err);

	for (size_t i = 0; !rc && i < grid->run_count; i++) {
		bool row = true;

		reader.trial = 0;
		reader.cell = NULL;
		bind_integer(&select, grid->runs[i].id);
		for (rc = statement_step(&select, &row, err); !rc && row;
		     rc = statement_step(&select, &row, err))
			row_take(&reader, &select, i);
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
	if (!rc)
		rc = marks_load(db, &grid, err);
	if (!rc && grid.run_count > 1) {
		choose_shown(&grid, run->id, runs < fit ? runs : fit);
		grid.emulated = run->traits.emulated;
	}
	if (!rc && grid.run_count > 1 && !grid.emulated) {
		size_t cells = grid.case_count * grid.run_count;

		grid.median_ns = xcalloc(cells + 1, sizeof(*grid.median_ns));
		grid.unverified = xcalloc(cells + 1, sizeof(*grid.unverified));
		grid.rounds = xcalloc(cells + 1, sizeof(*grid.rounds));
		grid.code = xcalloc(cells + 1, sizeof(*grid.code));
		for (size_t i = 0; i < cells; i++)
			grid.median_ns[i] = NAN;
		rc = medians_load(db, &grid, run, err);
	}
	rc = db_end(db, rc, err);
	if (rc || grid.run_count < 2)
		history_grid_release(&grid); /* a run alone has no history */
	*out = grid;
	return rc;
}
