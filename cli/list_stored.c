/* perflab list devices and runs: from the database and, for devices, from this machine. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/list.h"
#include "db/db.h"
#include "harness/session/judge.h"
#include "harness/session/workers.h"
#include "metrics/metrics.h"

struct listing {
	struct db *db;
	struct table *table;
	const char *pattern;
};

static const char *path_of(const struct list_options *options)
{
	return options->db ? options->db : db_default_path();
}

/* ---- devices ---- */

/* A device of this machine, of the database, or of both. */
struct known_device {
	struct device_info info;
	int ordinal; /* -1: not in this machine */
	int64_t id;  /* in the database, from 1; -1: not in it */
	int64_t runs;
};

struct known_devices {
	struct known_device *items;
	size_t count, capacity;
};

static struct known_device *device_add(struct known_devices *devices,
				       const struct device_info *info)
{
	devices->items = xgrow(devices->items, &devices->capacity, devices->count + 1,
			       sizeof(*devices->items));
	devices->items[devices->count] = (struct known_device){*info, -1, -1, -1};
	return &devices->items[devices->count++];
}

static void visit_present(void *context, int ordinal, const struct device_info *info)
{
	device_add(context, info)->ordinal = ordinal;
}

/* Ignores the driver, which may have been updated. An emulated device has no uuid; its name
 * identifies it. */
static bool is_present(const struct known_device *known, const struct device_info *info)
{
	return known->id < 0 && strcmp(known->info.uuid, info->uuid) == 0 &&
	       strcmp(known->info.name, info->name) == 0;
}

static int visit_stored(void *context, int64_t id, const struct device_info *info, int64_t runs)
{
	struct known_devices *devices = context;
	struct known_device *known = NULL;

	for (size_t i = 0; i < devices->count && !known; i++)
		known = is_present(&devices->items[i], info) ? &devices->items[i] : NULL;
	if (!known)
		known = device_add(devices, info);
	known->id = id;
	known->runs = runs;
	return 0;
}

static void add_device(struct table *table, const struct known_device *known)
{
	const struct device_info *info = &known->info;
	char *ordinal = number_text(known->ordinal);
	char *id = number_text(known->id);
	char *runs = number_text(known->runs);
	char *capability = xasprintf("%d.%d", info->cc_major, info->cc_minor);
	char *multiprocessors = number_text(info->sm_count);
	char *memory = xasprintf("%.0f", (double)info->memory_bytes / (1 << 20));

	table_row(table,
		  (const char *const[]){
			  known->ordinal >= 0 ? ordinal : NULL, known->id >= 0 ? id : NULL,
			  info->name, info->chip[0] ? info->chip : NULL,
			  info->cc_major ? capability : NULL,
			  info->sm_count ? multiprocessors : NULL,
			  info->memory_bytes ? memory : NULL, info->driver[0] ? info->driver : NULL,
			  known->runs >= 0 ? runs : NULL, info->uuid[0] ? info->uuid : NULL});
	free(ordinal);
	free(id);
	free(runs);
	free(capability);
	free(multiprocessors);
	free(memory);
}

int list_devices(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {{.name = "device", .numeric = true},
						      {.name = "id", .numeric = true},
						      {.name = "name"},
						      {.name = "chip"},
						      {.name = "capability"},
						      {.name = "sms", .numeric = true},
						      {.name = "memory_mib", .numeric = true},
						      {.name = "driver", .drop = 2},
						      {.name = "runs", .numeric = true},
						      {.name = "uuid", .drop = 1}};
	const struct list_options *options = call->options;
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct known_devices devices = {0};
	struct error absent = {0};
	struct db *db = NULL;
	int rc = 0;

	/* without --db, the database need not exist */
	if (options->db || access(path_of(options), F_OK) == 0)
		rc = db_open(&db, path_of(options), DB_READ, err);
	if (!rc && worker_devices(options->backend, visit_present, &devices, &absent))
		say("the devices of this machine are not listed: %s", absent.text);
	if (db)
		rc = db_devices_visit(db, visit_stored, &devices, err);
	for (size_t i = 0; i < devices.count; i++) {
		if (!pattern || pattern_matches(pattern, devices.items[i].info.name))
			add_device(table, &devices.items[i]);
	}
	if (!rc)
		rc = list_to_stdout(call, table, pattern, err);
	db_close(db);
	free(devices.items);
	table_free(table);
	return rc;
}

/* ---- runs ---- */

/* The state: "finished" …. A run whose process was killed is "interrupted", which the database does
 * not know. Malloc'd or NULL. */
static char *state_of(struct db *db, const struct run *run)
{
	struct run whole = {0};
	char *state;

	if (!run->state || strcmp(run->state, "running") != 0 ||
	    run_load(db, run->id, false, &whole, NULL))
		return run->state ? xstrdup(run->state) : NULL;
	state = xstrdup(whole.state);
	run_release(&whole);
	return state;
}

static int visit_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct listing *listing = context;
	const int64_t numbers[] = {run->id,           tally->trials, tally->ok,     tally->sampled,
				   tally->unverified, tally->failed, tally->skipped};
	char *texts[ARRAY_SIZE(numbers)];
	char when[21];
	char *state;

	if (listing->pattern && !(run->label && pattern_matches(listing->pattern, run->label)) &&
	    !pattern_matches(listing->pattern, run->device.name))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		texts[i] = number_text(numbers[i]);
	format_utc(when, run->started_ns);
	state = state_of(listing->db, run);
	table_row(listing->table,
		  (const char *const[]){texts[0], run->uid, when, state, run->device.name,
					run->backend, texts[1], texts[2], texts[3], texts[4],
					texts[5], texts[6], run->label});
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		free(texts[i]);
	free(state);
	return 0;
}

int list_runs(const struct invocation *call, const char *pattern, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "run", .numeric = true},
		{.name = "uid", .drop = 3},
		{.name = "started"},
		{.name = "state"},
		{.name = "device", .drop = 2},
		{.name = "backend", .drop = 1},
		{.name = "cases", .numeric = true},
		{.name = "ok", .numeric = true},
		{.name = "sampled", .numeric = true, .drop = 4},
		{.name = "unverified", .numeric = true, .drop = 5},
		{.name = "failed", .numeric = true},
		{.name = "skipped", .numeric = true},
		{.name = "label"}};
	const struct list_options *options = call->options;
	struct listing listing = {.pattern = pattern};
	struct db *db = NULL;
	int rc = db_open(&db, path_of(options), DB_READ, err);

	if (rc)
		return rc;
	listing.db = db;
	listing.table = table_new(columns, ARRAY_SIZE(columns));
	rc = db_runs_visit(db, 0, visit_run, &listing, err);
	if (!rc)
		rc = list_to_stdout(call, listing.table, pattern, err);
	table_free(listing.table);
	db_close(db);
	return rc;
}
