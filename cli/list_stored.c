/* perflab list devices and runs: from the database and, for devices, from this machine. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/list.h"
#include "db/db.h"
#include "harness/doctor/doctor.h"
#include "harness/judge/judge.h"
#include "metrics/metrics.h"

struct listing {
	struct db *db;
	struct table *table;
	const char *pattern;
	int64_t limit; /* rows at most; 0: no limit */
	int64_t older; /* runs that are left out */
};

static const char *path_of(const struct list_options *options)
{
	return options->db ? options->db : db_default_path();
}

/* ---- devices ---- */

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
	/* without --db, the database need not exist */
	int rc = known_devices_load(&devices, path_of(options), options->db != NULL,
				    options->backend, &absent, err);

	if (absent.code)
		say("the devices of this machine are not listed: %s", absent.text);
	for (size_t i = 0; i < devices.count; i++) {
		if (!pattern || pattern_matches(pattern, devices.items[i].info.name))
			add_device(table, &devices.items[i]);
	}
	if (!rc)
		rc = list_to_stdout(call, table, pattern, err);
	known_devices_release(&devices);
	table_free(table);
	return rc;
}

/* ---- runs ---- */

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
	if (listing->limit && (int64_t)table_row_count(listing->table) >= listing->limit) {
		listing->older++;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		texts[i] = number_text(numbers[i]);
	format_utc(when, run->started_ns);
	state = run_state(listing->db, run);
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
	const enum report_format format = (enum report_format)options->format;
	const bool human = report_format_has(format, HUMAN_READABLE);
	struct listing listing = {.pattern = pattern};
	struct db *db = NULL;
	int64_t runs = 0;
	int rc = db_open(&db, path_of(options), DB_READ, err);

	if (rc)
		return rc;
	listing.db = db;
	listing.limit = human || option_given(call, "limit") ? options->limit : 0;
	listing.table = table_new(columns, ARRAY_SIZE(columns));
	/* a pattern may select runs of any age */
	rc = db_runs_visit(db, pattern ? 0 : listing.limit, visit_run, &listing, err);
	if (!rc && !pattern && listing.limit) {
		rc = db_runs_count(db, &runs, err);
		listing.older = runs - (int64_t)table_row_count(listing.table);
	}
	if (!rc)
		rc = list_to_stdout(call, listing.table, pattern, err);
	if (!rc && human && listing.older > 0)
		printf("%s(%lld older runs: --limit 0 shows all)\n",
		       format == REPORT_MARKDOWN ? "\n" : "", (long long)listing.older);
	table_free(listing.table);
	db_close(db);
	return rc;
}
