/* write_trial: the rows of a trial, for the files that store trials. Private to db/. None of these
 * functions is a transaction of its own. */
#ifndef DB_WRITE_TRIAL_H
#define DB_WRITE_TRIAL_H

#include "db/statement.h"

/* The reason to store with a status. The schema demands one for every status but pending and ok. */
const char *db_reason_to_store(enum trial_status status, const char *reason);

/* rounds.c. PL_EPROTOCOL: a sample is no time. `trial_id` is for the message. */
int trial_round_check(int64_t trial_id, const struct round_result *round, struct error *err);
/* Adds a round that was checked, with its samples, to a trial that has no such round. */
int trial_round_insert(struct db *db, int64_t trial_id, const struct round_result *round,
		       struct error *err);
/* The ids of the metrics of the last trial's counters, in their order. Valid within one
 * transaction, and while the counters live. All zeroes is empty. */
struct metric_ids {
	struct metric_id {
		const char *name, *unit, *source; /* borrowed */
		int64_t id;
	} * items;
	size_t count, capacity;
};
void metric_ids_release(struct metric_ids *ids);
/* Adds the counters of a trial that has none. */
int trial_counters_insert(struct db *db, int64_t trial_id, const struct counter_list *counters,
			  struct metric_ids *ids, struct error *err);

#endif
