/* Stores and loads the rounds and samples of trials. Each public function is one transaction, so a
 * kill at any instruction leaves only whole rounds. */
#include "db/columns.h"
#include "db/write_trial.h"
#include "metrics/analysis/speedup.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ---- storing ---- */

static double round_median_ns(const struct round_result *round)
{
	if (!round->count && round->given_median_ns > 0)
		return round->given_median_ns;
	return summarise(round->time_ns, round->count).median_ns;
}

static int round_insert(struct db *db, int64_t trial_id, const struct round_result *round,
			struct error *err)
{
	const struct round_summary row = {
		.round = round->round,
		.state = round->state,
		.median_ns = round_median_ns(round),
		.speedup = round->base_ns
				   ? speedup_of_round(round->time_ns, round->base_ns, round->count)
				   : NAN,
		.same_buffers = round->base_ns ? round->same_buffers : -1,
		.placements = round->placements,
	};
	struct statement insert = columns_insert(db, &round_columns, PART_KEY | PART_RESULT,
						 "trial_id, stored_ns", 2, err);

	columns_bind(&insert, &round_columns, PART_KEY | PART_RESULT, &row);
	bind_integer(&insert, trial_id);
	bind_integer(&insert, wall_time_ns());
	return statement_finish(&insert);
}

static int samples_insert(struct db *db, int64_t trial_id, const struct round_result *round,
			  struct error *err)
{
	struct statement insert = columns_insert(db, &sample_columns, PART_ALL, "trial_id", 1, err);

	for (size_t i = 0; !insert.rc && i < round->count; i++) {
		const struct sample row = {
			.round = round->round,
			.sequence = (int)i,
			.time_ns = round->time_ns[i],
			.base_ns = round->base_ns ? round->base_ns[i] : NAN,
		};

		columns_bind(&insert, &sample_columns, PART_ALL, &row);
		bind_integer(&insert, trial_id);
		statement_run(&insert);
	}
	return statement_release(&insert);
}

/* A worker sent this round: one bad sample makes all of it untrustworthy. */
int trial_round_check(int64_t trial_id, const struct round_result *round, struct error *err)
{
	for (size_t i = 0; i < round->count; i++) {
		const double base_ns = round->base_ns ? round->base_ns[i] : 0;
		const bool good = isfinite(round->time_ns[i]) && round->time_ns[i] >= 0;

		if (!good || !isfinite(base_ns) || base_ns < 0)
			return error_set(
				err, PL_EPROTOCOL,
				"sample %zu of round %d of trial %lld is no time: %g ns; the "
				"round is not stored",
				i, round->round, (long long)trial_id,
				good ? base_ns : round->time_ns[i]);
	}
	return 0;
}

int trial_round_insert(struct db *db, int64_t trial_id, const struct round_result *round,
		       struct error *err)
{
	int rc = round_insert(db, trial_id, round, err);

	return rc ? rc : samples_insert(db, trial_id, round, err);
}

/* Deletes rounds, and by the foreign key their samples. `sql` takes the number of a round, and an
 * id.
 */
static int rounds_delete(struct db *db, const char *sql, int round, int64_t id, struct error *err)
{
	struct statement delete = statement_prepare(db, sql, err);

	bind_integer(&delete, round);
	bind_integer(&delete, id);
	return statement_finish(&delete);
}

int db_round_add(struct db *db, int64_t trial_id, const struct round_result *round,
		 struct error *err)
{
	int rc = trial_round_check(trial_id, round, err);

	if (!rc)
		rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = rounds_delete(db, "DELETE FROM round WHERE round = ? AND trial_id = ?", round->round,
			   trial_id, err);
	if (!rc)
		rc = trial_round_insert(db, trial_id, round, err);
	return db_end(db, rc, err);
}

int db_rounds_drop(struct db *db, int64_t run_id, int first, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = rounds_delete(db,
			   "DELETE FROM round WHERE round >= ? AND trial_id IN"
			   " (SELECT id FROM trial WHERE run_id = ?)",
			   first, run_id, err);
	return db_end(db, rc, err);
}

int db_trial_rounds_drop(struct db *db, int64_t trial_id, int first, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = rounds_delete(db, "DELETE FROM round WHERE round >= ? AND trial_id = ?", first,
			   trial_id, err);
	return db_end(db, rc, err);
}

/* ---- loading ---- */

static int sample_append(struct sample **samples, size_t *count, size_t *capacity,
			 struct statement *row, const struct db *db, struct error *err)
{
	struct sample *sample;

	if (*count == *capacity) {
		size_t larger = *capacity ? 2 * *capacity : 256;
		struct sample *grown = reallocarray(*samples, larger, sizeof(**samples));

		if (!grown)
			return error_set(err, PL_ENOMEM, "%s: no memory for %zu samples", db->path,
					 larger);
		*samples = grown;
		*capacity = larger;
	}
	sample = &(*samples)[(*count)++];
	columns_take(row, &sample_columns, PART_ALL, sample);
	return 0;
}

int db_samples_load(struct db *db, int64_t trial_id, struct sample **out, size_t *count,
		    struct error *err)
{
	struct statement select = columns_select(
		db, &sample_columns, PART_ALL, "WHERE trial_id = ? ORDER BY round, sequence", err);
	struct sample *samples = NULL;
	size_t taken = 0;
	size_t capacity = 0;
	int rc = 0;

	bind_integer(&select, trial_id);
	while (!rc && statement_next(&select))
		rc = sample_append(&samples, &taken, &capacity, &select, db, err);
	rc = rc ? rc : select.rc;
	statement_release(&select);
	if (rc) {
		free(samples);
		return rc;
	}
	*out = samples;
	*count = taken;
	return 0;
}

int db_trial_summary(struct db *db, int64_t trial_id, struct summary *out, struct error *err)
{
	struct sample *samples = NULL;
	double *time_ns;
	size_t count = 0;
	int rc = db_samples_load(db, trial_id, &samples, &count, err);

	if (rc)
		return rc;
	time_ns = xcalloc(count + 1, sizeof(*time_ns));
	for (size_t i = 0; i < count; i++)
		time_ns[i] = samples[i].time_ns;
	*out = summarise(time_ns, count);
	free(time_ns);
	free(samples);
	return 0;
}

static void rounds_take(struct statement *select, struct trial *trial)
{
	size_t capacity = 0;

	bind_integer(select, trial->id);
	while (statement_next(select)) {
		struct round_summary *round;

		trial->rounds = xgrow(trial->rounds, &capacity, trial->round_count + 1,
				      sizeof(*trial->rounds));
		round = &trial->rounds[trial->round_count++];
		columns_take(select, &round_columns, PART_KEY | PART_RESULT, round);
	}
}

int db_rounds_load(struct db *db, struct run *run, struct error *err)
{
	struct statement rounds;
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	rounds = columns_select(db, &round_columns, PART_KEY | PART_RESULT,
				"WHERE trial_id = ? ORDER BY round", err);
	for (size_t i = 0; !rounds.rc && i < run->trial_count; i++) {
		struct trial *trial = &run->trials[i];

		free(trial->rounds);
		trial->rounds = NULL;
		trial->round_count = 0;
		rounds_take(&rounds, trial);
		statement_restart(&rounds);
	}
	return db_end(db, statement_release(&rounds), err);
}
