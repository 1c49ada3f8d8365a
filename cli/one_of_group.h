/* one_of_group: a command that takes one run, where a sweep on several GPUs was meant. */
#ifndef CLI_ONE_OF_GROUP_H
#define CLI_ONE_OF_GROUP_H

#include "db/db.h"

/* Says which run was taken and which others there are, if the reference means a sweep on several
 * GPUs. `run_id` is what db_run_resolve() found for it. Errors of db/db.h. */
int say_one_of_group(struct db *db, const char *reference, int64_t run_id, struct error *err);

#endif
