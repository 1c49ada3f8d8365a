/*
 * Loads the history of all cases of a run. The search for change points needs the rounds of all
 * runs, which may be millions. So this first finds the trials in an index, and then reads trials
 * and rounds in the order of the file.
 */
#include "db/statement.h"
#include "metrics/analysis/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEDIANS_SHOWN_MOST 200000
#define COUNTED_SHOWN_MOST 10000 /* trials of emulated runs, whose counters are read */
/* To read so many rows more is faster than to begin another range. */
#define TRIALS_BETWEEN_MOST 16

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
	size_t capacity = 0;
	struct statement select = statement_prepare(db, runs_sql, err);

	bind_integer(&select, run_id);
	while (statement_next(&select)) {
		struct run *run;

		grid->runs = xgrow(grid->runs, &capacity, grid->run_count + 1, sizeof(*grid->runs));
		run = &grid->runs[grid->run_count++];
		*run = (struct run){.id = take_integer(&select, 0)};
		run->started_ns = take_integer(&select, 0);
		run->seed = (uint64_t)take_integer(&select, 0);
	}
	return statement_release(&select);
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

/* Reads what a page says of the shown runs. */
static int words_load(struct db *db, struct history_grid *grid, struct error *err)
{
	struct statement select = statement_prepare(db,
						    "SELECT label, source_revision,"
						    " (SELECT kind FROM mark WHERE run_id = run.id)"
						    " FROM run WHERE id = ?",
						    err);

	for (size_t i = 0; !select.rc && i < grid->run_count; i++) {
		struct run *run = &grid->runs[i];

		if (!grid->shown[i])
			continue;
		bind_integer(&select, run->id);
		if (statement_next(&select)) {
			run->label = take_text_copy(&select);
			run->source_revision = take_text_copy(&select);
			run->mark = take_text_copy(&select);
		}
		statement_restart(&select);
	}
	return statement_release(&select);
}

/* ---- which trials ---- */

/* A case of the run, and its index there. */
struct place {
	const char *kernel, *variant, *config;
	size_t at;
};

/* A run of the grid, and its index there. */
struct run_place {
	int64_t id;
	size_t at;
};

struct cells_reader {
	struct db *db;
	struct history_grid *grid;
	struct place *places; /* by name */
	size_t place_count;
	struct run_place *runs; /* by id */
	struct cell_trial {
		int64_t id;
		size_t cell;
	} * trials; /* by id */
	size_t trial_count;
	bool *corrected; /* per cell: the cost of the events was taken off its times */
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	if (!order)
		order = strcmp(a->variant, b->variant);
	return order ? order : strcmp(a->config, b->config);
}

/* A damaged file may lack a name; such a trial is left out. */
static void find_places(struct cells_reader *reader, const struct run *run)
{
	reader->places = xcalloc(run->trial_count + 1, sizeof(*reader->places));
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial->kernel && trial->variant && trial->config)
			reader->places[reader->place_count++] =
				(struct place){trial->kernel, trial->variant, trial->config, i};
	}
	qsort(reader->places, reader->place_count, sizeof(*reader->places), compare_places);
}

static int compare_run_places(const void *left, const void *right)
{
	const struct run_place *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static void find_runs(struct cells_reader *reader)
{
	const struct history_grid *grid = reader->grid;

	reader->runs = xcalloc(grid->run_count + 1, sizeof(*reader->runs));
	for (size_t i = 0; i < grid->run_count; i++)
		reader->runs[i] = (struct run_place){grid->runs[i].id, i};
	qsort(reader->runs, grid->run_count, sizeof(*reader->runs), compare_run_places);
}

/* Finds the trials of a case in all runs: fast if the grid has most runs of the case. */
static void find_trials_of_case(struct cells_reader *reader, const struct place *place,
				struct statement *select)
{
	const struct history_grid *grid = reader->grid;
	size_t at = 0;

	bind_text(select, place->kernel);
	bind_text(select, place->variant);
	bind_text(select, place->config);
	while (statement_next(select)) {
		const int64_t id = take_integer(select, 0), run_id = take_integer(select, 0);

		while (at < grid->run_count && reader->runs[at].id < run_id)
			at++;
		if (at < grid->run_count && reader->runs[at].id == run_id)
			grid->trial_id[place->at * grid->run_count + reader->runs[at].at] = id;
	}
	statement_restart(select);
}

/* Finds the trials of a run that are cases of the grid. */
static void find_trials_of_run(struct cells_reader *reader, size_t run, struct statement *select)
{
	const struct history_grid *grid = reader->grid;

	bind_integer(select, grid->runs[run].id);
	while (statement_next(select)) {
		const int64_t id = take_integer(select, 0);
		struct place wanted = {0};
		const struct place *found = NULL;

		wanted.kernel = take_text(select);
		wanted.variant = take_text(select);
		wanted.config = take_text(select);
		if (wanted.kernel && wanted.variant && wanted.config)
			found = bsearch(&wanted, reader->places, reader->place_count,
					sizeof(*reader->places), compare_places);
		if (found)
			grid->trial_id[found->at * grid->run_count + run] = id;
	}
	statement_restart(select);
}

/* Both statements are answered by an index alone. */
static int find_trials(struct cells_reader *reader, struct error *err)
{
	const struct history_grid *grid = reader->grid;
	struct statement select;
	int64_t all_runs = 0;
	int rc = db_select_integer(&all_runs, reader->db, "SELECT count(*) FROM run", err);
	const bool by_case = (int64_t)grid->run_count * 2 >= all_runs;

	if (rc)
		return rc;
	select = statement_prepare(reader->db,
				   by_case ? "SELECT id, run_id FROM trial WHERE kernel = ?"
					     " AND variant = ? AND config = ? ORDER BY run_id"
					   : "SELECT id, kernel, variant, config FROM trial"
					     " WHERE run_id = ?",
				   err);
	for (size_t i = 0; !select.rc && by_case && i < reader->place_count; i++)
		find_trials_of_case(reader, &reader->places[i], &select);
	for (size_t i = 0; !select.rc && !by_case && i < grid->run_count; i++)
		find_trials_of_run(reader, i, &select);
	return statement_release(&select);
}

static int compare_cell_trials(const void *left, const void *right)
{
	const struct cell_trial *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Trials are mostly stored in this order: run by run, and in each in the order of its cases. */
static void sort_trials(struct cells_reader *reader)
{
	const struct history_grid *grid = reader->grid;
	bool sorted = true;

	reader->trials = xcalloc(grid->case_count * grid->run_count + 1, sizeof(*reader->trials));
	for (size_t i = 0; i < grid->run_count; i++) {
		for (size_t k = 0; k < grid->case_count; k++) {
			size_t cell = k * grid->run_count + reader->runs[i].at;
			struct cell_trial *trial = &reader->trials[reader->trial_count];

			if (!grid->trial_id[cell])
				continue;
			*trial = (struct cell_trial){grid->trial_id[cell], cell};
			sorted &= reader->trial_count == 0 || trial[-1].id < trial->id;
			reader->trial_count++;
		}
	}
	if (!sorted)
		qsort(reader->trials, reader->trial_count, sizeof(*reader->trials),
		      compare_cell_trials);
}

/* ---- their times ---- */

/* The first of the trials from `at` on whose id is not below this one. */
static size_t trial_at(const struct cells_reader *reader, size_t at, size_t end, int64_t id)
{
	while (at < end && reader->trials[at].id < id)
		at++;
	return at;
}

static void trials_take(struct cells_reader *reader, struct statement *select, size_t at,
			size_t end)
{
	struct history_grid *grid = reader->grid;

	while (statement_next(select)) {
		const int64_t id = take_integer(select, 0);

		at = trial_at(reader, at, end, id);
		if (at < end && reader->trials[at].id == id) {
			const size_t cell = reader->trials[at].cell;

			grid->median_ns[cell] = take_real(select);
			grid->session_low_ns[cell] = take_real(select);
			grid->session_high_ns[cell] = take_real(select);
			grid->unverified[cell] = take_integer(select, 0) != 0;
		}
	}
}

/* `used` and `capacity` are those of grid->round_ns. */
static void cell_rounds_take(struct cells_reader *reader, struct statement *select, size_t at,
			     size_t end, size_t *used, size_t *capacity)
{
	struct history_grid *grid = reader->grid;

	while (statement_next(select)) {
		const int64_t id = take_integer(select, 0);
		const double median_ns = take_real(select);
		const bool corrected = take_integer(select, 0) != 0;
		struct history_rounds *rounds;

		at = trial_at(reader, at, end, id);
		if (at == end || reader->trials[at].id != id || !(median_ns > 0) ||
		    !isfinite(median_ns) || !(grid->median_ns[reader->trials[at].cell] > 0))
			continue;
		reader->corrected[reader->trials[at].cell] |= corrected;
		rounds = &grid->rounds[reader->trials[at].cell];
		if (!rounds->count)
			rounds->begin = *used;
		rounds->count++;
		grid->round_ns =
			xgrow(grid->round_ns, capacity, *used + 1, sizeof(*grid->round_ns));
		grid->round_ns[(*used)++] = median_ns;
	}
}

static void bind_range(struct statement *select, const struct cells_reader *reader, size_t begin,
		       size_t end)
{
	statement_restart(select);
	bind_integer(select, reader->trials[begin].id);
	bind_integer(select, reader->trials[end - 1].id);
}

static int load_times(struct cells_reader *reader, struct error *err)
{
	struct statement rounds = {0};
	struct statement trials = statement_prepare(
		reader->db,
		"SELECT id, median_ns, session_low_ns, session_high_ns, status = 'unverified'"
		" FROM trial"
		" WHERE id BETWEEN ? AND ? AND status IN ('ok', 'unverified')"
		" AND median_ns > 0 AND median_ns < 9e999 AND sample_count > 0 ORDER BY id",
		err);
	size_t used = 0, capacity = 0, end;

	if (!trials.rc)
		rounds = statement_prepare(
			reader->db,
			"SELECT trial_id, median_ns, event_ns IS NOT NULL FROM round"
			" WHERE trial_id BETWEEN ? AND ? ORDER BY trial_id, round",
			err);
	for (size_t begin = 0; !trials.rc && !rounds.rc && begin < reader->trial_count;
	     begin = end) {
		for (end = begin + 1; end < reader->trial_count; end++)
			if (reader->trials[end].id - reader->trials[end - 1].id >
			    TRIALS_BETWEEN_MOST)
				break;
		bind_range(&trials, reader, begin, end);
		trials_take(reader, &trials, begin, end);
		if (trials.rc)
			break;
		bind_range(&rounds, reader, begin, end);
		cell_rounds_take(reader, &rounds, begin, end, &used, &capacity);
	}
	return statements_release(&trials, &rounds);
}

/* Removes the times with the cost of the events of cases that have times without it, as the history
 * of a case does. */
static void choose_clocks(const struct cells_reader *reader)
{
	struct history_grid *grid = reader->grid;

	for (size_t at = 0; at < grid->case_count; at++) {
		const size_t begin = at * grid->run_count, end = begin + grid->run_count;
		bool any = false;

		for (size_t cell = begin; cell < end; cell++)
			any |= reader->corrected[cell];
		for (size_t cell = begin; any && cell < end; cell++) {
			if (reader->corrected[cell])
				continue;
			grid->median_ns[cell] = NAN;
			grid->session_low_ns[cell] = grid->session_high_ns[cell] = NAN;
			grid->rounds[cell].count = 0;
			grid->unverified[cell] = false;
		}
	}
}

/* Sets trial_id, median_ns, session_low_ns, session_high_ns, unverified and rounds of all cells,
 * which are empty, and round_ns. `run` has the cases of the grid. */
static int cells_load(struct db *db, struct history_grid *grid, const struct run *run,
		      struct error *err)
{
	struct cells_reader reader = {.db = db, .grid = grid};
	int rc;

	reader.corrected = xcalloc(grid->case_count * grid->run_count + 1, sizeof(bool));
	find_places(&reader, run);
	find_runs(&reader);
	rc = find_trials(&reader, err);
	if (!rc) {
		sort_trials(&reader);
		rc = load_times(&reader, err);
	}
	if (!rc)
		choose_clocks(&reader);
	free(reader.corrected);
	free(reader.trials);
	free(reader.runs);
	free(reader.places);
	return rc;
}

/* ---- the grid ---- */

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
		grid.session_low_ns = xcalloc(cells + 1, sizeof(*grid.session_low_ns));
		grid.session_high_ns = xcalloc(cells + 1, sizeof(*grid.session_high_ns));
		grid.unverified = xcalloc(cells + 1, sizeof(*grid.unverified));
		grid.rounds = xcalloc(cells + 1, sizeof(*grid.rounds));
		for (size_t i = 0; i < cells; i++)
			grid.median_ns[i] = grid.session_low_ns[i] = grid.session_high_ns[i] = NAN;
		rc = cells_load(db, &grid, run, err);
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
	struct statement select = statement_prepare(db, sql, err);

	for (size_t i = 0; i < grid->case_count; i++) {
		const int64_t *trial = grid->trial_id + i * grid->run_count;

		for (size_t k = grid->change_begin[i]; !select.rc && k < grid->change_begin[i + 1];
		     k++) {
			struct history_change *change = &grid->changes[k];

			bind_integer(&select, trial[change->last]);
			bind_integer(&select, trial[change->first]);
			change->same_code = statement_next(&select) && take_integer(&select, 0);
			statement_restart(&select);
		}
	}
	return statement_release(&select);
}
