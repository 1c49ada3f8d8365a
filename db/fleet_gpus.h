/* fleet_gpus: the GPUs of a fleet, a part of db_fleet_load(). Private to db/. */
#ifndef DB_FLEET_GPUS_H
#define DB_FLEET_GPUS_H

#include "db/statement.h"
#include "metrics/analysis/fleet.h"

/* Loads the GPUs of the runs, whose devices are device_ids, and sets the GPU of every run. Counts
 * the runs without a uuid. */
int fleet_gpus_load(struct db *db, struct fleet *fleet, const int64_t *device_ids,
		    struct error *err);

#endif
