/*
 * Stores what a worker sends about a trial. Each public function is one transaction, so a kill at
 * any instruction leaves only whole rounds.
 */
#include "db/write_trial.h"
#include "db/columns.h"
#include "metrics/analysis/speedup.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

const char *db_reason_to_store(enum trial_status status, const char *reason)
{
	if (status == TRIAL_OK || status == TRIAL_PENDING)
		return NULL;
	return reason && *reason ? reason : "no reason was given";
}

int db_trial_facts(struct db *db, int64_t trial_id, const struct launch_facts *facts,
		   struct error *err)
{
	const struct trial row = {.facts = *facts};
	struct text sql = TEXT_INIT;
	struct statement update;
	int rc;

	text_add(&sql, "UPDATE trial SET ");
	columns_add_assignments(&sql, &trial_columns, PART_FACTS);
	text_add(&sql, " WHERE id = ?");
	rc = columns_prepare(&update, db, &sql, err);
	if (rc)
		return rc;
	columns_bind(&update, &trial_columns, PART_FACTS, &row);
	bind_integer(&update, trial_id);
	rc = statement_run_on_one(&update, "trial", trial_id, err);
	statement_release(&update);
	return rc;
}

static int round_delete(struct db *db, int64_t trial_id, int round, struct error *err)
{
	struct statement delete;
	int rc = statement_prepare(&delete, db,
				   "DELETE FROM round WHERE trial_id = ? AND round = ?", err);

	if (rc)
		return rc;
	bind_integer(&delete, trial_id);
	bind_integer(&delete, round);
	rc = statement_run(&delete, err); /* the foreign key deletes its samples, too */
	statement_release(&delete);
	return rc;
}

/* `sql` takes the number of the first round, and an id. */
static int drop_rounds(struct db *db, const char *sql, int64_t id, int first, struct error *err)
{
	struct statement delete;
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = statement_prepare(&delete, db, sql, err);
	if (!rc) {
		bind_integer(&delete, first);
		bind_integer(&delete, id);
		rc = statement_run(&delete, err);
		statement_release(&delete);
	}
	return db_end(db, rc, err);
}

int db_rounds_drop(struct db *db, int64_t run_id, int first, struct error *err)
{
	return drop_rounds(db,
			   "DELETE FROM round WHERE round >= ? AND trial_id IN"
			   " (SELECT id FROM trial WHERE run_id = ?)",
			   run_id, first, err);
}

int db_trial_rounds_drop(struct db *db, int64_t trial_id, int first, struct error *err)
{
	return drop_rounds(db, "DELETE FROM round WHERE round >= ? AND trial_id = ?", trial_id,
			   first, err);
}

int db_trials_drop(struct db *db, const int64_t *ids, size_t count, struct error *err)
{
	struct statement delete;
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = statement_prepare(&delete, db, "DELETE FROM trial WHERE id = ?", err);
	if (!rc) {
		for (size_t i = 0; i < count && !rc; i++) {
			bind_integer(&delete, ids[i]);
			rc = statement_run(&delete, err);
		}
		statement_release(&delete);
	}
	return db_end(db, rc, err);
}

static int round_insert(struct db *db, int64_t trial_id, const struct round_result *round,
			struct error *err)
{
	struct statement insert;
	int rc = statement_prepare(&insert, db,
				   "INSERT INTO round (trial_id, round, stored_ns, sm_clock_hz,"
				   " memory_clock_hz, temperature_c, power_w, throttle_reasons,"
				   " median_ns, speedup, same_buffers, placements)"
				   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				   err);

	if (rc)
		return rc;
	bind_integer(&insert, trial_id);
	bind_integer(&insert, round->round);
	bind_integer(&insert, wall_time_ns());
	bind_real(&insert, round->state.sm_clock_hz);
	bind_real(&insert, round->state.memory_clock_hz);
	bind_real(&insert, round->state.temperature_c);
	bind_real(&insert, round->state.power_w);
	bind_known_integer(&insert, round->state.throttle_reasons, -1);
	bind_real(&insert, summarise(round->time_ns, round->count).median_ns);
	bind_real(&insert, round->base_ns
				   ? speedup_of_round(round->time_ns, round->base_ns, round->count)
				   : NAN);
	bind_known_integer(&insert, round->base_ns ? round->same_buffers : -1, -1);
	bind_known_integer(&insert, round->placements, 0);
	rc = statement_run(&insert, err);
	statement_release(&insert);
	return rc;
}

static int samples_insert(struct db *db, int64_t trial_id, const struct round_result *round,
			  struct error *err)
{
	struct statement insert;
	int rc =
		statement_prepare(&insert, db,
				  "INSERT INTO sample (trial_id, round, sequence, time_ns, base_ns)"
				  " VALUES (?, ?, ?, ?, ?)",
				  err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < round->count; i++) {
		bind_integer(&insert, trial_id);
		bind_integer(&insert, round->round);
		bind_integer(&insert, (int64_t)i);
		bind_real(&insert, round->time_ns[i]);
		bind_real(&insert, round->base_ns ? round->base_ns[i] : NAN);
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	return rc;
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

int db_round_add(struct db *db, int64_t trial_id, const struct round_result *round,
		 struct error *err)
{
	int rc = trial_round_check(trial_id, round, err);

	if (!rc)
		rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = round_delete(db, trial_id, round->round, err);
	if (!rc)
		rc = trial_round_insert(db, trial_id, round, err);
	return db_end(db, rc, err);
}

int trial_details_delete(struct db *db, int64_t trial_id, const char *sql, struct error *err)
{
	struct statement delete;
	int rc = statement_prepare(&delete, db, sql, err);

	if (rc)
		return rc;
	bind_integer(&delete, trial_id);
	rc = statement_run(&delete, err);
	statement_release(&delete);
	return rc;
}

static int lines_insert(struct db *db, int64_t trial_id, const struct line_count_list *lines,
			struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement insert;
	int rc;

	columns_add_insert(&sql, &line_columns, PART_RESULT, "trial_id, file, line", 3);
	rc = columns_prepare(&insert, db, &sql, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < lines->count; i++) {
		const struct line_count *line = &lines->items[i];

		columns_bind(&insert, &line_columns, PART_RESULT, line);
		bind_integer(&insert, trial_id);
		bind_text(&insert, line->file ? line->file : "");
		bind_integer(&insert, line->line);
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	return rc;
}

int db_lines_set(struct db *db, int64_t trial_id, const struct line_count_list *lines,
		 struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = trial_details_delete(db, trial_id, "DELETE FROM line WHERE trial_id = ?", err);
	if (!rc)
		rc = lines_insert(db, trial_id, lines, err);
	return db_end(db, rc, err);
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

static int trial_end(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		     const struct summary *summary, int64_t finished_ns, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db,
				   "UPDATE trial SET status = ?, reason = ?, finished_ns = ?,"
				   " sample_count = ?, median_ns = ?, mad_ns = ?, low_ns = ?,"
				   " high_ns = ?, min_ns = ?, max_ns = ? WHERE id = ?",
				   err);

	if (rc)
		return rc;
	bind_text(&update, trial_status_name(status));
	bind_text(&update, db_reason_to_store(status, reason));
	bind_known_integer(&update, finished_ns, 0);
	bind_integer(&update, summary->count);
	bind_real(&update, summary->median_ns);
	bind_real(&update, summary->mad_ns);
	bind_real(&update, summary->low_ns);
	bind_real(&update, summary->high_ns);
	bind_real(&update, summary->min_ns);
	bind_real(&update, summary->max_ns);
	bind_integer(&update, trial_id);
	rc = statement_run_on_one(&update, "trial", trial_id, err);
	statement_release(&update);
	return rc;
}

int db_trial_finish(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		    const struct summary *summary, struct error *err)
{
	struct summary stored = {0};
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	if (!summary)
		rc = db_trial_summary(db, trial_id, &stored, err);
	if (!rc)
		rc = trial_end(db, trial_id, status, reason, summary ? summary : &stored,
			       status == TRIAL_PENDING ? 0 : wall_time_ns(), err);
	return db_end(db, rc, err);
}
