/* Copies recordings of programs from one database to another. */
#include "db/merge.h"

#include "metrics/recording.h"

#include <stdlib.h>

/* The ids of the recordings of `from`, the oldest first: they keep their order. */
struct recording_ids {
	int64_t *items;
	size_t count, capacity;
};

static int recording_ids_load(struct recording_ids *out, struct db *from, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, from,
				   "SELECT id FROM recording ORDER BY started_ns, id", err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
		out->items[out->count++] = take_integer(&select, 0);
	}
	statement_release(&select);
	return rc;
}

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
	struct recording_ids ids = {0};
	int rc = recording_ids_load(&ids, from, err);

	for (size_t i = 0; i < ids.count && !rc; i++)
		rc = error_context(err, merge_recording(into, from, ids.items[i], summary, err),
				   "recording %lld of %s", (long long)ids.items[i], from->path);
	free(ids.items);
	return rc;
}
