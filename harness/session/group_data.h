/*
 * group_data: loads the runs of one sweep on several GPUs for a report of all.
 */
#ifndef HARNESS_SESSION_GROUP_DATA_H
#define HARNESS_SESSION_GROUP_DATA_H

#include "db/db.h"
#include "metrics/analysis/gpu_group.h"

/* Owned. */
struct group_data {
	struct gpu_group group;
	/* Roofs that hold for all GPUs: those of `roofs_of`, one of the runs. Empty if the models
	 * differ or none has roofs; roofs_of is NULL then. */
	struct ceiling_list ceilings;
	const struct run *roofs_of;
};
/* Loads the sweep that the run belongs to. *out is empty if it belongs to none. Also the errors of
 * db/db.h and regress_judge(). Release *out even after an error. */
int group_data_load(struct group_data *out, struct db *db, int64_t run_id, struct error *err);
void group_data_release(struct group_data *data);
/*
 * Whether a reference to a run means the whole sweep of it: "last", a label and a source revision
 * do, because all runs of the sweep have them. A number, a uid and "last-good" name one run. The
 * run is what db_run_resolve() finds; false if it is of no sweep on several GPUs.
 */
int group_is_meant(bool *out, struct db *db, const char *reference, int64_t run_id,
		   struct error *err);

#endif
