/* Copies recordings of programs from one database to another. */
#include "db/merge.h"

#include "metrics/recording.h"

#include <stdlib.h>

static int has_recording(struct db *db, const char *uid, bool *found, struct error *err)
{
	struct statement select;
	int rc = statement_prepare(&select, db, "SELECT 1 FROM recording WHERE uid = ?", err);

	if (rc)
		return rc;
	bind_text(&select, uid);
	rc = statement_step(&select, found, err);
	statement_release(&select);
	return rc;
}

static int merge_recording(struct db *into, struct db *from, int64_t id,
			   struct merge_summary *summary, struct error *err)
{
	struct recording recording;
	bool found = true;
	int rc = db_recording_load(from, id, &recording, err);

	if (rc)
		return rc;
	rc = has_recording(into, recording.uid, &found, err);
	if (!rc && !found) {
		rc = db_recording_store(into, &recording, err);
		summary->recordings += !rc;
	}
	recording_release(&recording);
	return rc;
}

int merge_recordings(struct db *into, struct db *from, struct merge_summary *summary,
		     struct error *err)
{
	struct id_list ids = {0};
	/* the oldest first: they keep their order */
	int rc = db_select_ids(&ids, from, "SELECT id FROM recording ORDER BY started_ns, id", err);

	for (size_t i = 0; i < ids.count && !rc; i++)
		rc = error_context(err, merge_recording(into, from, ids.items[i], summary, err),
				   "recording %lld of %s", (long long)ids.items[i], from->path);
	free(ids.items);
	return rc;
}
