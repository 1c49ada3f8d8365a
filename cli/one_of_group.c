#include "cli/one_of_group.h"

#include <stdlib.h>

#include "cli/command.h"
#include "harness/runs/runs.h"

int say_one_of_group(struct db *db, const char *reference, int64_t run_id, struct error *err)
{
	struct text others = TEXT_INIT;
	int64_t *ids = NULL;
	size_t count = 0;
	bool meant = false;
	int rc = group_is_meant(&meant, db, reference, run_id, err);

	if (!rc && meant)
		rc = db_runs_alike(db, run_id, GPUS_GROUP_KEY, &ids, &count, err);
	for (size_t i = 0; i < count; i++)
		if (ids[i] != run_id)
			text_addf(&others, "%s%lld", others.length ? ", " : "", (long long)ids[i]);
	if (!rc && others.length)
		say("\"%s\" is a sweep on several GPUs; this is its run %lld alone, and the others "
		    "are %s",
		    reference, (long long)run_id, others.data);
	text_release(&others);
	free(ids);
	return rc;
}
