/* perflab import: what other benchmark programs measured becomes runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/shared.h"
#include "db/db.h"
#include "harness/session/judge.h"
#include "imports/imports.h"
#include "perflab_config.h"

struct import_options {
	const char *db, *label, *note, *revision, *device;
	int format;
	bool quiet;
};

/* ---- one file ---- */

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
}

static int import_file(struct import *out, const char *path, enum import_format format,
		       struct error *err)
{
	struct import_source source = {0};
	struct stat status;
	char *bytes = NULL, *folder;
	int rc;

	if (stat(path, &status))
		return error_set(err, errno == ENOENT ? PL_ENOENT : PL_EIO, "%s: %s", path,
				 strerror(errno));
	rc = read_file(&bytes, &source.length, path, IMPORT_MAX_BYTES, err);
	if (rc)
		return rc;
	folder = folder_of(path);
	source.bytes = bytes;
	source.folder = folder;
	source.modified_ns =
		(int64_t)status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
	rc = import_read(out, &source, format, err);
	free(folder);
	free(bytes);
	return error_context(err, rc, "%s", path);
}

/* What the words of the command add to what the file says. */
static void describe(struct run *run, const struct import_options *options, const char *path)
{
	const char *slash = strrchr(path, '/');

	run->version = xstrdup(PERFLAB_VERSION);
	run->label = options->label ? xstrdup(options->label) : NULL;
	run->note = options->note ? xstrdup(options->note) : NULL;
	run->source_revision = options->revision ? xstrdup(options->revision) : NULL;
	if (options->device)
		snprintf(run->device.name, sizeof(run->device.name), "%s", options->device);
	key_value_set(&run->environment, "imported_from", slash ? slash + 1 : path);
}

/* ---- into the database ---- */

static int store_trial(struct db *db, const struct trial *trial,
		       const struct import_trial *measured, struct error *err)
{
	const struct round_result round = {
		.state = {.sm_clock_hz = measured->sm_clock_hz,
			  .memory_clock_hz = NAN,
			  .temperature_c = NAN,
			  .power_w = NAN,
			  .throttle_reasons = -1},
		.time_ns = measured->time_ns,
		.count = measured->count,
	};
	int rc = 0;

	if (round.count && trial->status == TRIAL_OK)
		rc = db_round_add(db, trial->id, &round, err);
	if (!rc && trial->counters.count)
		rc = db_counters_set(db, trial->id, &trial->counters, err);
	return rc ? rc
		  : db_trial_adopt(db, trial->id, trial->status, trial->reason, &measured->given,
				   err);
}

static int store_run(struct db *db, struct import_run *imported, struct error *err)
{
	struct run *run = &imported->run;
	enum trial_status *ends = xcalloc(run->trial_count + 1, sizeof(*ends));
	int rc = db_together_begin(db, err);

	if (rc)
		goto out;
	/* a run begins with what is pending */
	for (size_t i = 0; i < run->trial_count; i++) {
		ends[i] = run->trials[i].status;
		run->trials[i].status = TRIAL_PENDING;
	}
	rc = db_run_begin(db, run, err);
	for (size_t i = 0; i < run->trial_count; i++)
		run->trials[i].status = ends[i];
	for (size_t i = 0; i < run->trial_count && !rc; i++)
		rc = store_trial(db, &run->trials[i], &imported->trials[i], err);
	rc = db_together_end(db, rc, err);
out:
	free(ends);
	return rc;
}

static void tell_run(const struct import_run *imported, const char *path)
{
	const struct run *run = &imported->run;

	say("%s: run %lld, %s on %s, %zu %s", path, (long long)run->id, run->backend,
	    run->device.name, run->trial_count, run->trial_count == 1 ? "case" : "cases");
	if (imported->without_median)
		say("%s: %zu %s no time, for the file has neither samples nor a median of %s", path,
		    imported->without_median,
		    imported->without_median == 1 ? "case has" : "cases have",
		    imported->without_median == 1 ? "it" : "them");
}

static int import_into(struct db *db, struct import *import, const char *path,
		       const struct import_options *options, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < import->count && !rc; i++) {
		struct import_run *imported = &import->runs[i];
		int64_t id = 0;

		if (db_run_resolve(db, imported->run.uid, &id, NULL) == 0) {
			say("%s is in %s already, as run %lld", path, options->db, (long long)id);
			continue;
		}
		describe(&imported->run, options, path);
		rc = store_run(db, imported, err);
		if (!rc)
			rc = judge_stored_run(db, imported->run.id, err);
		if (!rc && !options->quiet)
			tell_run(imported, path);
	}
	return error_context(err, rc, "%s", path);
}

/* ---- the verb ---- */

/* All files are read before one is stored: of several the last may be none. */
static int run_import(struct invocation *call, struct error *err)
{
	struct import_options *options = call->options;
	const size_t count = call->operands.count;
	struct import *imports = xcalloc(count, sizeof(*imports));
	struct db *db = NULL;
	int rc = 0;

	if (!options->db)
		options->db = db_default_path();
	for (size_t i = 0; i < count && !rc; i++)
		rc = import_file(&imports[i], call->operands.items[i],
				 (enum import_format)options->format, err);
	if (!rc)
		rc = db_open(&db, options->db, DB_CREATE, err);
	for (size_t i = 0; i < count && !rc; i++)
		rc = import_into(db, &imports[i], call->operands.items[i], options, err);
	db_close(db);
	for (size_t i = 0; i < count; i++)
		import_release(&imports[i]);
	free(imports);
	return rc;
}

#define FIELD(name) offsetof(struct import_options, name)

static const struct option_row rows[] = {
	{"format", 'f', OPTION_CHOICE, FIELD(format), "FORMAT",
	 "which program wrote the files (default: as they look)", import_format_words, 0},
	{"label", 'l', OPTION_TEXT, FIELD(label), "TEXT", "a name for the runs", NULL, 0},
	{"note", 0, OPTION_TEXT, FIELD(note), "TEXT", "a remark that is kept with them", NULL, 0},
	{"revision", 0, OPTION_TEXT, FIELD(revision), "REVISION",
	 "revision of the source that was measured; the files do not say", NULL, 0},
	{"device", 'd', OPTION_TEXT, FIELD(device), "NAME",
	 "the device, where the file does not name it or names the host", NULL, 0},
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "only what is wrong", NULL, 0},
};

static const struct example examples[] = {
	{"perflab import bench.json --label nightly --revision 1a2b3c4",
	 "one file, whoever wrote it"},
	{"perflab import *.json --db history.db", "many of them"},
};

const struct command command_import = {
	.name = "import",
	.summary = "store what nvbench or Google Benchmark measured",
	.operands = "FILE.json ...",
	.description =
		"Reads the JSON of nvbench (--json, --jsonbin) and of Google Benchmark "
		"(--benchmark_format=json), and stores it as runs whose backend is the program, "
		"so that its times are never compared with those that perflab measured. One file "
		"is one run, or one of each device in it.\n\n"
		"Repetitions of Google Benchmark are samples; samples of nvbench are read from the "
		"files beside the JSON that --jsonbin wrote. Without samples the median is stored "
		"as the file gives it; a mean is no median, and stays a counter. What a file does "
		"not say is not known. A file that is stored already is not stored again.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct import_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_import,
};
