/* Loads samples and rounds. */
#include "db/columns.h"

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
	columns_take(row, &sample_columns, PART_ALL, sample);
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
	struct text sql = TEXT_INIT;
	int rc;

	text_add(&sql, "SELECT ");
	columns_add_names(&sql, &sample_columns, PART_ALL, "");
	text_add(&sql, " FROM sample WHERE trial_id = ? ORDER BY round, sequence");
	rc = columns_prepare(&select, db, &sql, err);

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
		columns_take(select, &round_columns, PART_KEY | PART_RESULT, round);
	}
	return rc;
}

int db_rounds_load(struct db *db, struct run *run, struct error *err)
{
	struct statement rounds = {0};
	struct text sql = TEXT_INIT;
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	text_add(&sql, "SELECT ");
	columns_add_names(&sql, &round_columns, PART_KEY | PART_RESULT, "");
	text_add(&sql, " FROM round WHERE trial_id = ? ORDER BY round");
	rc = columns_prepare(&rounds, db, &sql, err);
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
