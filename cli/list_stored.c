/* perflab list devices and runs: what the database holds, and what is plugged in. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/list.h"
#include "db/db.h"
#include "harness/harness.h"

struct listing {
	struct table *table;
	const char *pattern;
};

static const char *path_of(const struct list_options *options)
{
	return options->db ? options->db : db_default_path();
}

/* ---- devices ---- */

static void add_device(struct listing *listing, const char *here, const struct device_info *device,
		       const char *runs)
{
	char *capability = xasprintf("%d.%d", device->cc_major, device->cc_minor);
	char *multiprocessors = number_text(device->sm_count);
	char *memory = xasprintf("%.0f", (double)device->memory_bytes / (1 << 20));

	if (!listing->pattern || pattern_matches(listing->pattern, device->name))
		table_row(listing->table,
			  (const char *const[]){here, device->name,
						device->chip[0] ? device->chip : NULL,
						device->cc_major ? capability : NULL,
						device->sm_count ? multiprocessors : NULL,
						device->memory_bytes ? memory : NULL,
						device->driver[0] ? device->driver : NULL, runs,
						device->uuid[0] ? device->uuid : NULL});
	free(capability);
	free(multiprocessors);
	free(memory);
}

static void visit_present(void *context, int ordinal, const struct device_info *device)
{
	struct listing *listing = context;
	char *number = number_text(ordinal);

	add_device(listing, number, device, NULL);
	free(number);
}

static int visit_stored(void *context, const struct device_info *device, int64_t runs)
{
	struct listing *listing = context;
	char *count = number_text(runs);

	add_device(listing, NULL, device, count);
	free(count);
	return 0;
}

int list_devices(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {{.name = "device", .numeric = true},
						      {.name = "name"},
						      {.name = "chip"},
						      {.name = "capability"},
						      {.name = "sms", .numeric = true},
						      {.name = "memory_mib", .numeric = true},
						      {.name = "driver", .drop = 2},
						      {.name = "runs", .numeric = true},
						      {.name = "uuid", .drop = 1}};
	const struct list_options *options = call->options;
	struct listing listing = {.table = table_new(columns, ARRAY_SIZE(columns)),
				  .pattern = pattern};
	struct error absent = {0};
	struct db *db = NULL;
	int rc = 0;

	if (worker_devices(options->backend, visit_present, &listing, &absent))
		say("no device of this machine is listed: %s", absent.text);
	/* a database that nobody named may well not be there */
	if (options->db || access(path_of(options), F_OK) == 0)
		rc = db_open(&db, path_of(options), DB_READ, err);
	if (db)
		rc = db_devices_visit(db, visit_stored, &listing, err);
	if (!rc)
		rc = table_to_stdout(call, listing.table, (enum report_format)options->format, err);
	db_close(db);
	table_free(listing.table);
	return rc;
}

/* ---- runs ---- */

static int visit_run(void *context, const struct run *run, int64_t trials, int64_t ok,
		     int64_t failed, int64_t skipped)
{
	struct listing *listing = context;
	const int64_t numbers[] = {run->id, trials, ok, failed, skipped};
	char *texts[ARRAY_SIZE(numbers)];
	char when[21];

	if (listing->pattern && !(run->label && pattern_matches(listing->pattern, run->label)) &&
	    !pattern_matches(listing->pattern, run->device.name))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		texts[i] = number_text(numbers[i]);
	format_utc(when, run->started_ns);
	table_row(listing->table, (const char *const[]){texts[0], run->uid, when, run->state,
							run->device.name, run->backend, texts[1],
							texts[2], texts[3], texts[4], run->label});
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		free(texts[i]);
	return 0;
}

int list_runs(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {{.name = "run", .numeric = true},
						      {.name = "uid", .drop = 3},
						      {.name = "started"},
						      {.name = "state"},
						      {.name = "device", .drop = 1},
						      {.name = "backend", .drop = 2},
						      {.name = "cases", .numeric = true},
						      {.name = "ok", .numeric = true},
						      {.name = "failed", .numeric = true},
						      {.name = "skipped", .numeric = true},
						      {.name = "label"}};
	const struct list_options *options = call->options;
	struct listing listing = {.pattern = pattern};
	struct db *db = NULL;
	int rc = db_open(&db, path_of(options), DB_READ, err);

	if (rc)
		return rc;
	listing.table = table_new(columns, ARRAY_SIZE(columns));
	rc = db_runs_visit(db, 0, visit_run, &listing, err);
	if (!rc)
		rc = table_to_stdout(call, listing.table, (enum report_format)options->format, err);
	table_free(listing.table);
	db_close(db);
	return rc;
}
