/* See recorder_support.h. */
#include "tests/record/recorder_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"

#define LIMIT_NS (INT64_C(100) * 1000000000)

bool record_by_hooks(void)
{
	return getenv("RECORD_BY_HOOKS") != NULL;
}

json_t *record_request(const char *pattern)
{
	return json_pack("{s:s, s:[s], s:i, s:i, s:i, s:I, s:s, s:b}", "mode", "record", "patterns",
			 pattern, "launch", 1, "every", 0, "most", 16, "limit_bytes",
			 (json_int_t)1 << 30, "cupti", RECORD_CUPTI, "announce", 0);
}

json_t *list_request(void)
{
	return json_pack("{s:s, s:s}", "mode", "list", "cupti", RECORD_CUPTI);
}

static void add_variable(struct string_list *variables, const char *name, const char *value)
{
	char *variable = xasprintf("%s=%s", name, value);

	string_list_add(variables, variable);
	free(variable);
}

static void write_request(const struct recording *recording, json_t *request)
{
	char *path = xasprintf("%s/request.json", recording->folder);
	char *output = xasprintf("%s/out", recording->folder);

	json_object_set_new(request, "output", json_string(output));
	assert_int_equal(json_dump_file(request, path, 0), 0);
	json_decref(request);
	free(output);
	free(path);
}

static void read_events(struct recording *recording, const char *name)
{
	char *path = xasprintf("%s/%s", recording->folder, name);
	FILE *file = fopen(path, "r");
	char line[65536];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		json_t *event = json_loads(line, 0, NULL);

		if (!event)
			fail_msg("%s is no JSON", line);
		json_array_append_new(recording->events, event);
	}
	fclose(file);
	free(path);
}

static void run_program(struct recording *recording, const char *scene,
			const struct string_list *variables)
{
	char *argv[] = {(char *)RECORD_PROGRAM, (char *)(uintptr_t)scene, NULL};
	const struct limited_program program = {.argv = argv,
						.variables = variables,
						.end_ns = monotonic_ns() + LIMIT_NS,
						.output_limit = 65536};

	assert_int_equal(process_limited(&recording->output, &recording->status, &program),
			 PROGRAM_EXITED);
}

/* In the order in which the loader takes them. The recorder is one of them if it is `hooked`. */
static void add_preloads(struct string_list *variables, const struct preloads *others, bool hooked)
{
	const char *const paths[] = {others->before, hooked ? RECORD_LIBRARY : NULL, others->after};
	struct text list = TEXT_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (paths[i])
			text_addf(&list, "%s%s", list.length ? ":" : "", paths[i]);
	if (list.length)
		add_variable(variables, "LD_PRELOAD", list.data);
	text_release(&list);
}

void record_scene(struct recording *out, const char *scene, json_t *request, const char *variable)
{
	record_scene_among(out, scene, request, variable, &(struct preloads){0});
}

void record_scene_among(struct recording *out, const char *scene, json_t *request,
			const char *variable, const struct preloads *others)
{
	struct string_list variables = {0};
	struct dirent **files;
	struct error err = {0};
	int count;

	*out = (struct recording){.output = TEXT_INIT, .events = json_array()};
	if (temporary_folder_make(&out->folder, "perflab-recorder", &err))
		fail_msg("%s", err.text);
	add_variable(&variables, "FAKE_CUDA_IMAGE", RECORD_IMAGE);
	/* the driver never frees its handles */
	/* ASan reports the end of a cancelled thread as an overflow of its signal stack */
	add_variable(&variables, "ASAN_OPTIONS",
		     "detect_leaks=0:verify_asan_link_order=0:use_sigaltstack=0");
	add_preloads(&variables, others, request && record_by_hooks());
	if (request) {
		write_request(out, request);
		add_variable(&variables, "CUDA_INJECTION64_PATH", RECORD_LIBRARY);
		add_variable(&variables, "PERFLAB_RECORD", out->folder);
	}
	if (variable)
		string_list_add(&variables, variable);
	run_program(out, scene, &variables);
	string_list_release(&variables);
	count = scandir(out->folder, &files, NULL, alphasort);
	assert_true(count >= 0);
	for (int i = 0; i < count; i++) {
		if (has_suffix(files[i]->d_name, ".events"))
			read_events(out, files[i]->d_name);
		free(files[i]);
	}
	free(files);
}

void recording_release(struct recording *recording)
{
	folder_remove(recording->folder);
	free(recording->folder);
	text_release(&recording->output);
	json_decref(recording->events);
}

void expect_undisturbed(const struct recording *recording, const char *scene)
{
	expect_undisturbed_among(recording, scene, &(struct preloads){0});
}

void expect_undisturbed_among(const struct recording *recording, const char *scene,
			      const struct preloads *others)
{
	struct recording alone;

	record_scene_among(&alone, scene, NULL, NULL, others);
	assert_string_equal(recording->output.data, alone.output.data);
	assert_int_equal(recording->status, alone.status);
	assert_int_equal(json_array_size(alone.events), 0);
	recording_release(&alone);
}

void expect_why(const struct recording *recording, const char *event, const char *part)
{
	const char *why;

	if (!event_at(recording, event, 0))
		fail_msg("no event %s", event);
	why = event_text(event_at(recording, event, 0), "why");
	if (!strstr(why, part))
		fail_msg("'%s' does not contain '%s'", why, part);
}

/* ---- events ---- */

const json_t *event_at(const struct recording *recording, const char *name, size_t index)
{
	for (size_t i = 0; i < json_array_size(recording->events); i++) {
		const json_t *event = json_array_get(recording->events, i);

		if (!strcmp(event_text(event, "event"), name) && !index--)
			return event;
	}
	return NULL;
}

size_t event_count(const struct recording *recording, const char *name)
{
	size_t count = 0;

	while (event_at(recording, name, count))
		count++;
	return count;
}

const char *event_text(const json_t *event, const char *member)
{
	const char *text = json_string_value(json_object_get(event, member));

	if (!text)
		fail_msg("an event has no text %s", member);
	return text;
}

int64_t event_integer(const json_t *event, const char *member)
{
	const json_t *value = json_object_get(event, member);

	if (!json_is_integer(value))
		fail_msg("an event has no integer %s", member);
	return json_integer_value(value);
}

/* ---- captures ---- */

size_t file_count(const struct recording *recording, const char *suffix)
{
	DIR *folder = opendir(recording->folder);
	size_t count = 0;

	assert_non_null(folder);
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
		count += has_suffix(entry->d_name, suffix);
	closedir(folder);
	return count;
}

struct capture *capture_number(const struct recording *recording, int number)
{
	char *path = number == 1 ? xasprintf("%s/out.capture", recording->folder)
				 : xasprintf("%s/out-%d.capture", recording->folder, number);
	struct capture *capture;
	struct error err = {0};

	if (capture_open(&capture, path, &err))
		fail_msg("%s", err.text);
	free(path);
	return capture;
}

float *capture_floats(const struct capture *capture, size_t memory, enum capture_state state)
{
	float *data = malloc(capture_info(capture)->memory[memory].bytes);
	struct error err = {0};

	assert_non_null(data);
	if (capture_read_memory(capture, memory, state, data, &err))
		fail_msg("%s", err.text);
	return data;
}

size_t parameter_memory(const struct capture_info *info, uint64_t offset)
{
	for (size_t i = 0; i < info->parameter_pointers.count; i++)
		if (info->parameter_pointers.items[i].offset == offset)
			return info->parameter_pointers.items[i].memory;
	fail_msg("the parameters have no pointer at offset %llu", (unsigned long long)offset);
	return SIZE_MAX;
}

void expect_float(const struct capture *capture, size_t memory, enum capture_state state,
		  size_t index, float expected)
{
	float *data = capture_floats(capture, memory, state);

	assert_true(data[index] == expected);
	free(data);
}

void expect_lost(const struct capture_info *info, const char *part)
{
	for (size_t i = 0; i < info->lost.count; i++)
		if (strstr(info->lost.items[i], part))
			return;
	fail_msg("nothing that is lost contains '%s'", part);
}

void expect_nothing_lost(const struct capture_info *info)
{
	for (size_t i = 0; i < info->lost.count; i++)
		fail_msg("%s", info->lost.items[i]);
}
