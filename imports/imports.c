/* Parses the JSON of a file, and detects which program wrote it. */
#include "imports/import_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/hash.h"

const char *const import_format_words[] = {"detect", "nvbench", "google-benchmark", NULL};

/* Limits the nesting of brackets, because the JSON parser recurses once per level. */
static int check_depth(const struct import_source *source, struct error *err)
{
	size_t depth = 0, line = 1;
	bool in_string = false;

	for (size_t i = 0; i < source->length; i++) {
		const char c = source->bytes[i];

		line += c == '\n';
		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == '[' || c == '{') && ++depth > IMPORT_MAX_DEPTH)
			return error_set(err, PL_EPARSE,
					 "line %zu: brackets are nested more than %d deep", line,
					 IMPORT_MAX_DEPTH);
		else if (!in_string && (c == ']' || c == '}') && depth)
			depth--;
	}
	return 0;
}

static int json_read(json_t **out, const struct import_source *source, struct error *err)
{
	static const char database[] = "SQLite format 3";
	json_error_t error;
	int rc;

	if (source->length > sizeof(database) &&
	    memcmp(source->bytes, database, sizeof(database) - 1) == 0)
		return error_set(err, PL_EPARSE,
				 "a database, not JSON: perflab merge copies the runs of another "
				 "database of perflab");
	rc = check_depth(source, err);
	if (rc)
		return rc;
	*out = json_loadb(source->bytes, source->length, 0, &error);
	if (*out)
		return 0;
	return error_set(err, PL_EPARSE, "line %d, column %d: not JSON: %s", error.line,
			 error.column, error.text);
}

static enum import_format detect(const json_t *root)
{
	if (!json_is_array(json_object_get(root, "benchmarks")))
		return IMPORT_DETECT;
	if (json_is_object(json_object_get(root, "context")))
		return IMPORT_GOOGLE_BENCHMARK;
	if (json_is_array(json_object_get(root, "devices")) ||
	    json_is_object(json_object_get(root, "meta")))
		return IMPORT_NVBENCH;
	return IMPORT_DETECT;
}

/* The same file gives the same uids, so that it is not imported twice. */
static void imported_uids_make(struct import_run *run, const struct import_source *source,
			       size_t index)
{
	const uint64_t number = index;
	XXH128_canonical_t earlier;
	char digits[HASH_TEXT_BYTES];
	struct hash hash;

	hash_begin(&hash);
	hash_add(&hash, &number, sizeof(number));
	hash_add(&hash, source->bytes, source->length);
	hash_end(digits, &hash);
	memcpy(run->run.uid, digits, sizeof(run->run.uid) - 1);
	XXH128_canonicalFromHash(&earlier,
				 XXH3_128bits_withSeed(source->bytes, source->length, index));
	for (size_t i = 0; i < sizeof(earlier.digest); i++)
		snprintf(run->earlier_uid + 2 * i, 3, "%02x", earlier.digest[i]);
}

static void run_finish(struct import_run *run, const struct import_source *source, size_t index,
		       enum import_format format)
{
	run->run.backend = xstrdup(import_format_words[format]);
	imported_uids_make(run, source, index);
	if (!run->run.started_ns) {
		run->run.started_ns = source->modified_ns;
		key_value_set(&run->run.environment, "started", "when the file was last changed");
	}
	for (size_t i = 0; i < run->run.trial_count; i++) {
		if (trial_status_measured(run->run.trials[i].status) && !run->trials[i].count &&
		    !run->trials[i].given.count) {
			run->without_median++;
			run->with_mean += run->run.trials[i].mean_ns > 0;
		}
	}
}

int import_read(struct import *out, const struct import_source *source, enum import_format format,
		struct error *err)
{
	struct import import = {0};
	json_t *root = NULL;
	int rc = json_read(&root, source, err);

	if (rc)
		return rc;
	if (format == IMPORT_DETECT)
		format = detect(root);
	if (format == IMPORT_DETECT)
		rc = error_set(err, PL_EUSAGE,
			       "cannot detect the format: nvbench writes \"benchmarks\" and "
			       "\"devices\", Google Benchmark \"benchmarks\" and "
			       "\"context\"; name it with --format");
	else if (format == IMPORT_NVBENCH)
		rc = import_nvbench(&import, root, source, err);
	else
		rc = import_google_benchmark(&import, root, source, err);
	json_decref(root);
	if (!rc && !import.count)
		rc = error_set(err, PL_EPARSE, "the file holds no results");
	for (size_t i = 0; i < import.count && !rc; i++)
		run_finish(&import.runs[i], source, i, format);
	if (rc)
		import_release(&import);
	else
		*out = import;
	return rc;
}

void import_release(struct import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		struct import_run *run = &import->runs[i];

		for (size_t j = 0; j < run->run.trial_count; j++)
			free(run->trials[j].time_ns);
		free(run->trials);
		free(run->slots);
		run_release(&run->run);
	}
	free(import->runs);
	*import = (struct import){0};
}
