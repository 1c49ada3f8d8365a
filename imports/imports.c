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

#define READABLE                                                                                   \
	"perflab import reads the JSON that nvbench writes with --json FILE and Google Benchmark " \
	"with --benchmark_out=FILE; docs/import.md says how results of other programs get into "   \
	"that form"

/* The length of a number at the place that JSON does not have; 0: none. */
static size_t nonfinite_length(const char *at)
{
	static const char *const words[] = {"Infinity", "inf", "NaN", "nan"};
	const size_t sign = *at == '-';

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strncmp(at + sign, words[i], strlen(words[i])) == 0)
			return sign + strlen(words[i]);
	return 0;
}

/* Copies the JSON, with null for NaN and Infinity, which programs print although JSON does not have
 * them. */
static char *copy_with_null(const char *bytes, size_t length, size_t *copied)
{
	char *copy = xcalloc(1, length / 3 * 4 + 4); /* "nan" grows by one */
	bool in_string = false;
	size_t to = 0;

	for (size_t i = 0; i < length; i++) {
		const size_t skipped = in_string ? 0 : nonfinite_length(bytes + i);

		if (skipped) {
			memcpy(copy + to, "null", 4);
			to += 4;
			i += skipped - 1;
			continue;
		}
		copy[to++] = bytes[i];
		if (bytes[i] == '"')
			in_string = !in_string;
		else if (in_string && bytes[i] == '\\' && i + 1 < length)
			copy[to++] = bytes[++i];
	}
	*copied = to;
	return copy;
}

/* A byte-order mark is no part of the JSON. */
static size_t mark_length(const struct import_source *source)
{
	return source->length >= 3 && memcmp(source->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static int json_read(json_t **out, const struct import_source *source, struct error *err)
{
	static const char database[] = "SQLite format 3";
	const size_t skipped = mark_length(source);
	const char *bracket = memchr(source->bytes, '{', source->length);
	json_error_t error;
	size_t length;
	char *bytes;
	bool text_before;
	int rc;

	if (!source->length)
		return error_set(err, PL_EPARSE, "the file is empty; %s", READABLE);
	if (source->length > sizeof(database) &&
	    memcmp(source->bytes, database, sizeof(database) - 1) == 0)
		return error_set(err, PL_EPARSE,
				 "a database, not JSON: perflab merge copies the runs of another "
				 "database of perflab");
	rc = check_depth(source, err);
	if (rc)
		return rc;
	bytes = copy_with_null(source->bytes + skipped, source->length - skipped, &length);
	*out = json_loadb(bytes, length, 0, &error);
	free(bytes);
	if (*out)
		return 0;
	/* output of a program that goes into the file beside the JSON */
	text_before = bracket && bracket > source->bytes && bracket[-1] == '\n' &&
		      memchr("{[", source->bytes[skipped], 2) == NULL;
	return error_set(err, PL_EPARSE, "line %d, column %d: not JSON: %s; %s", error.line,
			 error.column, error.text,
			 text_before
				 ? "there is other output before the JSON: remove it, or let the "
				   "program write the JSON to a file of its own "
				   "(--benchmark_out=FILE, --json FILE)"
				 : READABLE);
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

/* A file always gives the same uids, so that it is not imported twice. */
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
		rc = error_set(
			err, PL_EUSAGE, "%s",
			json_is_array(json_object_get(root, "benchmarks"))
				? "cannot detect the format: nvbench writes \"benchmarks\" "
				  "and \"devices\", Google Benchmark \"benchmarks\" and "
				  "\"context\"; name it with --format"
				: "not a format that perflab knows, because there is no list "
				  "\"benchmarks\": " READABLE);
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

		for (size_t j = 0; j < run->run.trial_count; j++) {
			for (size_t k = 0; k < run->trials[j].later_count; k++)
				free(run->trials[j].later[k].time_ns);
			free(run->trials[j].later);
			free(run->trials[j].time_ns);
		}
		free(run->trials);
		free(run->slots);
		run_release(&run->run);
	}
	free(import->runs);
	*import = (struct import){0};
}
