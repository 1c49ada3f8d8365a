/* perflab list recordings: the recordings of programs in the database. */
#include <stdlib.h>

#include "cli/list.h"
#include "db/db.h"

struct recording_listing {
	struct table *table;
	const char *pattern;
};

static int visit_recording(void *context, const struct recording *recording, int64_t kernels)
{
	struct recording_listing *listing = context;
	char *id, *kernel_count, *captures, when[21];

	if (listing->pattern &&
	    !(recording->label && pattern_matches(listing->pattern, recording->label)) &&
	    !(recording->command && pattern_matches(listing->pattern, recording->command)))
		return 0;
	id = number_text(recording->id);
	kernel_count = number_text(kernels);
	captures = number_text((int64_t)recording->capture_count);
	format_utc(when, recording->started_ns);
	table_row(listing->table,
		  (const char *const[]){id, recording->uid, when,
					recording->lists ? "list" : "record", kernel_count,
					captures, recording->label, recording->command});
	free(id);
	free(kernel_count);
	free(captures);
	return 0;
}

int list_recordings(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "recording", .numeric = true},
		{.name = "uid", .drop = 3},
		{.name = "started"},
		{.name = "mode", .drop = 1},
		{.name = "kernels", .numeric = true, .drop = 2},
		{.name = "captures", .numeric = true, .drop = 2},
		{.name = "label"},
		{.name = "command"}};
	const struct list_options *options = call->options;
	struct recording_listing listing = {.pattern = pattern};
	struct db *db = NULL;
	int rc = db_open(&db, options->db ? options->db : db_default_path(), DB_READ, err);

	if (rc)
		return rc;
	listing.table = table_new(columns, ARRAY_SIZE(columns));
	rc = db_recordings_visit(db, visit_recording, &listing, err);
	if (!rc)
		rc = list_to_stdout(call, listing.table, pattern, err);
	table_free(listing.table);
	db_close(db);
	return rc;
}
