/*
 * Fuzz target: any bytes as results of another benchmark program, in each format and in the
 * detected format, and as Nsight Compute's CSV. The import returns runs with unique cases that have
 * times, or an error with a message. So does a join with a second file of nearly the same bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imports/imports.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_trial(const struct trial *trial, const struct import_trial *measured)
{
	if (!*trial->kernel || !*trial->variant || !*trial->config || strchr(trial->kernel, '/') ||
	    strchr(trial->variant, '/') || strchr(trial->config, '/'))
		abort();
	if ((trial->status == TRIAL_OK) != (trial->reason == NULL))
		abort();
	if (measured->given.count < 0 ||
	    (measured->given.count && !(measured->given.median_ns > 0)))
		abort();
	for (size_t i = 0; i < measured->count; i++)
		if (!isfinite(measured->time_ns[i]) || measured->time_ns[i] <= 0)
			abort();
}

static void check_run(const struct import_run *imported)
{
	const struct run *run = &imported->run;

	if (strlen(run->uid) != 32 || !run->backend || !run->device.name[0])
		abort();
	for (size_t i = 0; i < run->trial_count; i++) {
		check_trial(&run->trials[i], &imported->trials[i]);
		for (size_t j = 0; j < i && i < 64; j++)
			if (!strcmp(run->trials[i].kernel, run->trials[j].kernel) &&
			    !strcmp(run->trials[i].variant, run->trials[j].variant) &&
			    !strcmp(run->trials[i].config, run->trials[j].config))
				abort();
	}
}

static void check_join(struct import *first, const char *bytes, size_t size,
		       enum import_format format)
{
	char *other = xstrndup("", 0);
	struct import files[2] = {{0}, *first}, joined = {0};
	struct string_list names = {0};
	struct error err = {0};

	other = xrealloc(other, size + 1);
	for (size_t i = 0; i <= size; i++)
		other[i] = bytes[i] == '1' ? '2' : bytes[i];
	if (!import_read(&files[0], &(struct import_source){.bytes = other, .length = size}, format,
			 &err)) {
		string_list_add(&names, "a");
		string_list_add(&names, "b");
		if (import_join(&joined, files, &names, size % 2 ? "device" : NULL, &err) &&
		    (!err.text[0] || joined.count))
			abort();
		for (size_t i = 0; i < joined.count; i++)
			check_run(&joined.runs[i]);
		import_release(&joined);
		import_release(&files[0]);
		string_list_release(&names);
	}
	*first = files[1];
	free(other);
}

static void check_ncu(const char *bytes, size_t size)
{
	struct ncu_times times;
	struct error err = {0};

	if (import_ncu_read(&times, bytes, size, &err)) {
		if (!err.text[0] || times.count)
			abort();
		return;
	}
	for (size_t i = 0; i < times.count; i++)
		if (!strchr(times.items[i].name, '/') || !(times.items[i].time_ns > 0))
			abort();
	ncu_times_release(&times);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = xstrndup("", 0);

	bytes = xrealloc(bytes, size + 1);
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	check_ncu(bytes, size);
	for (int format = IMPORT_DETECT; format <= IMPORT_GOOGLE_BENCHMARK; format++) {
		const struct import_source source = {.bytes = bytes, .length = size};
		struct import import = {0};
		struct error err = {0};

		if (import_read(&import, &source, (enum import_format)format, &err)) {
			if (!err.text[0] || import.count)
				abort();
			continue;
		}
		for (size_t i = 0; i < import.count; i++)
			check_run(&import.runs[i]);
		check_join(&import, bytes, size, (enum import_format)format);
		import_release(&import);
	}
	free(bytes);
	return 0;
}
