/*
 * Samples, as they were taken, and rounds.
 */
#include "db/statement.h"

#include <stdlib.h>

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
	sample->round = take_int(row);
	sample->sequence = take_int(row);
	sample->time_ns = take_real(row);
	return 0;
}

int db_samples_load(struct db *db, int64_t trial_id, struct sample **out, size_t *count,
		    struct error *err)
{
	struct statement select;
	struct sample *samples = NULL;
	size_t taken = 0;
	size_t capacity = 0;
	bool row = true;
	int rc = statement_prepare(&select, db,
				   "SELECT round, sequence, time_ns FROM sample WHERE trial_id = ?"
				   " ORDER BY round, sequence",
				   err);

	if (rc)
		return rc;
	bind_integer(&select, trial_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = rc ? rc : statement_step(&select, &row, err))
		rc = sample_append(&samples, &taken, &capacity, &select, db, err);
	statement_release(&select);
	if (rc) {
		free(samples);
		return rc;
	}
	*out = samples;
	*count = taken;
	return 0;
}

/* ---- rounds ---- */

#define ROUNDS_SQL(median)                                                    \
	"SELECT round, sm_clock_hz, memory_clock_hz, temperature_c, power_w," \
	" throttle_reasons, " median " FROM round WHERE trial_id = ? ORDER BY round"

static int rounds_take(struct statement *select, struct trial *trial, struct error *err)
{
	size_t capacity = 0;
	bool row = true;
	int rc;

	bind_integer(select, trial->id);
	for (rc = statement_step(select, &row, err); !rc && row;
	     rc = statement_step(select, &row, err)) {
		struct round_summary *round;

		trial->rounds = xgrow(trial->rounds, &capacity, trial->round_count + 1,
				      sizeof(*trial->rounds));
		round = &trial->rounds[trial->round_count++];
		*round = (struct round_summary){.round = take_int(select)};
		round->state.sm_clock_hz = take_real(select);
		round->state.memory_clock_hz = take_real(select);
		round->state.temperature_c = take_real(select);
		round->state.power_w = take_real(select);
		round->state.throttle_reasons = take_integer(select, -1);
		round->median_ns = take_real(select);
	}
	return rc;
}

int db_rounds_load(struct db *db, struct run *run, struct error *err)
{
	struct statement rounds = {0};
	int64_t version = 0;
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	rc = db_select_integer(&version, db, "PRAGMA user_version", err);
	if (!rc)
		rc = statement_prepare(&rounds, db,
				       version < VERSION_WITH_ROUND_MEDIANS
					       ? ROUNDS_SQL(ROUND_MEDIAN_OF_SAMPLES)
					       : ROUNDS_SQL("median_ns"),
				       err);
	for (size_t i = 0; !rc && i < run->trial_count; i++) {
		struct trial *trial = &run->trials[i];

		free(trial->rounds);
		trial->rounds = NULL;
		trial->round_count = 0;
		rc = rounds_take(&rounds, trial, err);
		statement_restart(&rounds);
	}
	statement_release(&rounds);
	return db_end(db, rc, err);
}
