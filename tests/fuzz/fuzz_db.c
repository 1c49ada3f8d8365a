/*
 * Takes any bytes as a database file. Opens it to read, lists and loads everything, as `perflab
 * report` does with an untrusted file, and merges it. Then opens it to write, which
 * converts a file of the version before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/history.h"
#include "metrics/analysis/line_costs.h"
#include "metrics/analysis/line_shares.h"
#include "metrics/analysis/speedup.h"

#define RUNS_LOADED 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	int64_t ids[RUNS_LOADED];
	size_t count;
};

static int note_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct seen *seen = context;

	(void)tally;
	seen->ids[seen->count++] = run->id;
	return seen->count == RUNS_LOADED;
}

static int note_device(void *context, int64_t id, const struct device_info *device, int64_t runs)
{
	(void)context, (void)id, (void)device, (void)runs;
	return 0;
}

static void load_samples(struct db *db, const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		struct sample *samples = NULL;
		size_t count = 0;

		if (db_samples_load(db, run->trials[i].id, &samples, &count, NULL) == 0)
			free(samples);
	}
}

static void find_changes(struct db *db, const struct run *run)
{
	struct history_grid grid;

	if (db_history_grid_load(db, run, 2, &grid, NULL) == 0 && grid.case_count)
		history_grid_find_changes(&grid);
	history_grid_release(&grid);
}

static int find_changes_of(void *context, const struct known_case *item)
{
	struct history history = {0};

	if (db_history_load(context, item, &history, NULL) == 0)
		history_find_changes(&history);
	history_release(&history);
	return 0;
}

static void read_file_of(struct db *db, int64_t run_id, const char *file)
{
	char *hash = NULL, *why = NULL, *bytes = NULL;
	size_t length;

	if (db_run_file_load(db, run_id, file, &hash, &why, NULL) == 0 && hash)
		db_content_load(db, hash, &bytes, &length, NULL);
	free(hash);
	free(why);
	free(bytes);
}

/* As `report --lines` does. */
static void read_profile(struct db *db, int64_t run_id, int64_t trial_id)
{
	struct profile *profile = NULL;
	struct line_cost_list lines;

	if (db_profile_load(db, trial_id, &profile, NULL) || !profile)
		return;
	line_costs_of(profile, &lines);
	line_cost_list_release(&lines);
	line_shares(profile);
	for (size_t i = 0; i < profile->frame_count; i++)
		read_file_of(db, run_id, profile->frames[i].file);
	for (size_t i = 0; i < profile->function_count; i++) {
		char *bytes = NULL;
		size_t length;

		db_content_load(db, profile->functions[i].code, &bytes, &length, NULL);
		free(bytes);
	}
	profile_free(profile);
}

static void read_profiles(struct db *db, int64_t run_id)
{
	int64_t *ids = NULL;
	size_t count = 0;

	if (db_profiled_trials(db, run_id, &ids, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++)
		read_profile(db, run_id, ids[i]);
	free(ids);
}

static void read_everything(struct db *db)
{
	struct seen seen = {0};
	int64_t id;

	db_devices_visit(db, note_device, NULL, NULL);
	db_runs_visit(db, 0, note_run, &seen, NULL);
	db_run_resolve(db, "last", &id, NULL);
	db_run_resolve(db, "nightly", &id, NULL);
	db_run_resolve(db, "last-good", &id, NULL);
	db_cases_visit(db, find_changes_of, db, NULL);
	for (size_t i = 0; i < seen.count; i++) {
		struct trial_comparison_list comparisons = {0};
		struct ceiling_list ceilings = {0};
		struct run run = {0}, base = {0};
		bool any_good;

		if (db_run_load(db, seen.ids[i], true, &run, NULL) == 0) {
			load_samples(db, &run);
			db_rounds_load(db, &run, NULL);
			speedups_judge(&run);
			find_changes(db, &run);
		}
		read_profiles(db, seen.ids[i]);
		if (db_baselines_load(db, seen.ids[i], &base, &any_good, NULL) == 0)
			db_rounds_load(db, &base, NULL);
		run_release(&base);
		db_comparisons_load(db, seen.ids[i], &comparisons, NULL);
		comparison_list_release(&comparisons);
		db_ceilings_load(db, seen.ids[i], &ceilings, NULL);
		db_ceilings_of_device(db, &run.device, &ceilings, NULL);
		ceiling_list_release(&ceilings);
		run_release(&run);
	}
}

static void remove_database(const char *folder, const char *name)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *path = xasprintf("%s/%s%s", folder, name, endings[i]);

		unlink(path);
		free(path);
	}
}

/* Merges its runs into another database, which must stay valid. */
static void merge_everything(struct db *db, const char *folder)
{
	const struct merge_watch watch = {0};
	struct merge_summary summary = {0};
	char *path = xasprintf("%s/into.db", folder);
	struct db *into = NULL;
	struct error err = {0};

	if (db_open(&into, path, DB_CREATE, &err))
		abort();
	if (db_merge(into, db, &watch, &summary, &err) && !err.text[0])
		abort();
	db_close(into);
	if (db_open(&into, path, DB_READ, &err))
		abort();
	read_everything(into);
	db_close(into);
	merge_summary_release(&summary);
	remove_database(folder, "into.db");
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/perflab-fuzz-db-XXXXXX";
	char path[sizeof(folder) + 16];
	static const enum db_mode modes[] = {DB_READ, DB_WRITE};
	struct error err = {0};
	struct db *db = NULL;
	int file;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/f.db", folder);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	close(file);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		db = NULL;
		if (db_open(&db, path, modes[i], &err) == 0) {
			read_everything(db);
			merge_everything(db, folder);
		} else if (!strstr(err.text, path))
			abort(); /* an error must name the file */
		db_close(db);
	}
	remove_database(folder, "f.db");
	rmdir(folder);
	return 0;
}
