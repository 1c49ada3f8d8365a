/* perflab import: stores what other benchmark programs measured as runs. */
#include <stdlib.h>

#include "cli/command.h"
#include "db/db.h"
#include "harness/runs/runs.h"
#include "imports/imports.h"

struct import_options {
	const char *db, *label, *note, *revision, *device;
	int format;
	bool quiet;
};

static void say_imported(const struct import_run *imported, const char *path)
{
	const struct run *run = &imported->run;

	say("%s: run %lld, %s on %s, %zu %s", path, (long long)run->id, run->backend,
	    run->device.name, run->trial_count, run->trial_count == 1 ? "case" : "cases");
	if (imported->without_median)
		say("%s: %zu %s no median, because the file has neither samples nor a median of "
		    "%s%s",
		    path, imported->without_median,
		    imported->without_median == 1 ? "case has" : "cases have",
		    imported->without_median == 1 ? "it" : "them",
		    imported->with_mean ? "; the mean is shown as a mean" : "");
	if (imported->repeated)
		say("%s: %zu %s the name of an earlier one and %s a case of its own, named by "
		    "occurrence=2 and so on",
		    path, imported->repeated,
		    imported->repeated == 1 ? "result has" : "results have",
		    imported->repeated == 1 ? "is" : "are each");
	if (imported->without_samples)
		say("%s: the samples of %zu %s are not stored, because the files that --jsonbin "
		    "wrote are not beside it",
		    path, imported->without_samples,
		    imported->without_samples == 1 ? "case" : "cases");
}

static int import_into(struct db *db, struct import *import, const char *path,
		       const struct import_options *options, struct error *err)
{
	const struct import_words words = {.label = options->label,
					   .note = options->note,
					   .revision = options->revision,
					   .device = options->device,
					   .several = import->count > 1,
					   .file = path};
	int rc = 0;

	for (size_t i = 0; i < import->count && !rc; i++) {
		struct import_run *imported = &import->runs[i];
		int64_t id = 0;

		if (import_is_stored(db, imported, &id)) {
			say("%s is in %s already, as run %lld", path, options->db, (long long)id);
			continue;
		}
		rc = import_store(db, imported, &words, err);
		if (!rc && !options->quiet)
			say_imported(imported, path);
	}
	return error_context(err, rc, "%s", path);
}

/* Reads all files before it stores the first, so that a malformed file leaves the database as it
 * was. */
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
		rc = import_read_file(&imports[i], call->operands.items[i],
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
	 "the program that wrote the files; detect looks at each file", import_format_words, 0},
	{"label", 'l', OPTION_TEXT, FIELD(label), "TEXT", "a label for the runs", NULL, 0},
	{"note", 0, OPTION_TEXT, FIELD(note), "TEXT", "a note to store with the runs", NULL, 0},
	{"revision", 0, OPTION_TEXT, FIELD(revision), "REVISION",
	 "the source revision that was measured, which the files do not contain", NULL, 0},
	{"device", 'd', OPTION_TEXT, FIELD(device), "NAME",
	 "the name of the device, if the file has none or gives the host instead", NULL, 0},
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE", HELP_DB, NULL, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "print only warnings and errors", NULL, 0},
};

static const struct example examples[] = {
	{"perflab import bench.json --label nightly --revision 1a2b3c4",
	 "store one file with a label and the revision that was measured"},
	{"perflab import *.json --db history.db", "store several files"},
};

const struct command command_import = {
	.name = "import",
	.summary = "store what nvbench or Google Benchmark measured",
	.operands = "FILE.json ...",
	.description =
		"Reads the JSON of nvbench (--json, --jsonbin) and of Google Benchmark "
		"(--benchmark_format=json) and stores it as runs. The backend of a run is the "
		"program that wrote the file, so perflab never compares these times with its own. "
		"A file becomes one run per device in it.\n\n"
		"Repetitions of Google Benchmark become samples. Samples of nvbench come from the "
		"files that --jsonbin wrote beside the JSON. Without samples, perflab stores the "
		"median that the file gives. A mean does not replace a median and becomes a "
		"counter. Whatever a file does not contain stays unknown. A file that the database "
		"already has is not stored again.",
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
