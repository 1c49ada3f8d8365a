/* perflab list devices, runs and recordings: from the database and, for devices, from this machine.
 * Also prints the table of every topic. */
#include "cli/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "db/db.h"
#include "harness/doctor/doctor.h"
#include "harness/judge/judge.h"
#include "kernels/kernels.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

/* The names that a pattern may have meant: not those of files, nor of databases. */
static void add_listed_names(struct string_list *out, const char *topic)
{
	const struct metric *(*const metrics[])(size_t *) = {metric_all, metric_all_emulated};
	const bool of_metrics = strcmp(topic, "metrics") == 0;
	size_t count = 0;
	const struct kernel *const *kernels =
		strcmp(topic, "kernels") == 0 ? kernel_all(&count) : NULL;

	for (size_t i = 0; i < count; i++)
		string_list_add(out, kernels[i]->name);
	for (size_t t = 0; t < ARRAY_SIZE(metrics) && of_metrics; t++) {
		const struct metric *items = metrics[t](&count);

		for (size_t i = 0; i < count; i++)
			string_list_add(out, items[i].name);
	}
}

static void say_nothing_matches(const struct invocation *call, const char *pattern)
{
	const char *topic = call->operands.items[0];
	struct string_list names = {0};
	struct text near = TEXT_INIT;

	if (call->operands.count <= 2) /* else there are files */
		add_listed_names(&names, topic);
	if (nearest_names(&near, pattern, (const char *const *)names.items, names.count))
		say("no name of the %s matches \"%s\": did you mean %s? `perflab list %s` shows "
		    "all",
		    topic, pattern, near.data, topic);
	else
		say("no name of the %s matches \"%s\"; `perflab list %s` shows all", topic, pattern,
		    topic);
	text_release(&near);
	string_list_release(&names);
}

int list_to_stdout(const struct invocation *call, const struct table *table, const char *pattern,
		   struct error *err)
{
	const struct list_options *options = call->options;
	const bool matched = !pattern || table_row_count(table);
	int rc = 0;

	/* a program that reads the output needs the head in any case */
	if (matched || options->format != REPORT_TEXT)
		rc = table_to_stdout(call, table, (enum report_format)options->format, err);
	if (!rc && !matched)
		say_nothing_matches(call, pattern);
	return rc;
}

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
	struct cells cells = {0};

	cell_number(&cells, known->ordinal);
	cell_number(&cells, known->id);
	cell_text(&cells, info->name);
	cell_text(&cells, info->chip[0] ? info->chip : NULL);
	cell_take(&cells,
		  info->cc_major ? xasprintf("%d.%d", info->cc_major, info->cc_minor) : NULL);
	cell_number(&cells, info->sm_count ? info->sm_count : -1);
	cell_take(&cells, info->memory_bytes
				  ? xasprintf("%.0f", (double)info->memory_bytes / (1 << 20))
				  : NULL);
	cell_text(&cells, info->driver[0] ? info->driver : NULL);
	cell_number(&cells, known->runs);
	cell_text(&cells, info->uuid[0] ? info->uuid : NULL);
	cells_end(&cells, table);
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
	const int64_t numbers[] = {tally->trials,     tally->ok,     tally->sampled,
				   tally->unverified, tally->failed, tally->skipped};
	struct cells cells = {0};
	char when[21];

	if (listing->pattern && !(run->label && pattern_matches(listing->pattern, run->label)) &&
	    !pattern_matches(listing->pattern, run->device.name))
		return 0;
	if (listing->limit && (int64_t)table_row_count(listing->table) >= listing->limit) {
		listing->older++;
		return 0;
	}
	format_utc(when, run->started_ns);
	cell_number(&cells, run->id);
	cell_text(&cells, run->uid);
	cell_text(&cells, when);
	cell_text(&cells, run_state_name(run_state_now(listing->db, run)));
	cell_text(&cells, run->device.name);
	cell_text(&cells, run->backend);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		cell_number(&cells, numbers[i]);
	cell_text(&cells, run->label);
	cells_end(&cells, listing->table);
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

static int visit_recording(void *context, const struct recording *recording, int64_t kernels)
{
	struct listing *listing = context;
	struct cells cells = {0};
	char when[21];

	if (listing->pattern &&
	    !(recording->label && pattern_matches(listing->pattern, recording->label)) &&
	    !(recording->command && pattern_matches(listing->pattern, recording->command)))
		return 0;
	format_utc(when, recording->started_ns);
	cell_number(&cells, recording->id);
	cell_text(&cells, recording->uid);
	cell_text(&cells, when);
	cell_text(&cells, recording->lists ? "list" : "record");
	cell_number(&cells, kernels);
	cell_number(&cells, (int64_t)recording->capture_count);
	cell_text(&cells, recording->label);
	cell_text(&cells, recording->command);
	cells_end(&cells, listing->table);
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
	struct listing listing = {.pattern = pattern};
	struct db *db = NULL;
	int rc = db_open(&db, path_of(options), DB_READ, err);

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
