#include "record/request.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"

#define REQUEST_MOST_BYTES ((size_t)1 << 20)

static char *copy_text(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text ? xstrdup(text) : NULL;
}

static int64_t number_of(const json_t *json, const char *name, int64_t otherwise)
{
	const json_t *value = json_object_get(json, name);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static void take_chosen(struct record_request *out, const json_t *array)
{
	out->chosen_launches = xcalloc(json_array_size(array) + 1, sizeof(*out->chosen_launches));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *item = json_array_get(array, i);
		const char *kernel = json_string_value(json_object_get(item, "kernel"));

		if (!kernel)
			continue;
		out->chosen_launches[out->chosen.count] = number_of(item, "launch", 1);
		string_list_add(&out->chosen, kernel);
	}
}

static int read_members(struct record_request *out, const json_t *json, struct error *err)
{
	const char *mode = json_string_value(json_object_get(json, "mode"));
	const json_t *patterns = json_object_get(json, "patterns");

	if (!mode || (strcmp(mode, "list") != 0 && strcmp(mode, "record") != 0))
		return error_set(err, PL_EPARSE, "the mode is neither list nor record");
	out->list = !strcmp(mode, "list");
	for (size_t i = 0; i < json_array_size(patterns); i++) {
		const char *pattern = json_string_value(json_array_get(patterns, i));

		if (pattern)
			string_list_add(&out->patterns, pattern);
	}
	take_chosen(out, json_object_get(json, "chosen"));
	out->launch = number_of(json, "launch", 1);
	out->every = number_of(json, "every", 0);
	out->most = number_of(json, "most", 16);
	out->limit_bytes = number_of(json, "limit_bytes", INT64_C(4) << 30);
	out->announce = json_is_true(json_object_get(json, "announce"));
	out->output = copy_text(json, "output");
	out->cupti = copy_text(json, "cupti");
	if (!out->list && (!out->output || !out->patterns.count))
		return error_set(err, PL_EPARSE, "it names no kernels or no output");
	return 0;
}

int record_request_read(struct record_request *out, const char *folder, struct error *err)
{
	char *path = xasprintf("%s/request.json", folder);
	char *text = NULL;
	size_t length = 0;
	json_t *json = NULL;
	json_error_t problem;
	int rc;

	*out = (struct record_request){.folder = xstrdup(folder)};
	rc = read_file(&text, &length, path, REQUEST_MOST_BYTES, err);
	if (!rc)
		json = json_loadb(text, length, 0, &problem);
	if (!rc && !json)
		rc = error_set(err, PL_EPARSE, "line %d: %s", problem.line, problem.text);
	if (!rc)
		rc = read_members(out, json, err);
	error_context(err, rc, "%s", path);
	json_decref(json);
	free(text);
	free(path);
	return rc;
}

void record_request_release(struct record_request *request)
{
	free(request->folder);
	free(request->output);
	free(request->cupti);
	string_list_release(&request->patterns);
	string_list_release(&request->chosen);
	free(request->chosen_launches);
	*request = (struct record_request){0};
}

bool record_request_wants(const struct record_request *request, const char *kernel)
{
	if (request->chosen.count)
		return string_list_has(&request->chosen, kernel);
	for (size_t i = 0; i < request->patterns.count; i++)
		if (mangled_matches(request->patterns.items[i], kernel))
			return true;
	return false;
}

bool record_request_due(const struct record_request *request, const char *kernel, int64_t number)
{
	for (size_t i = 0; i < request->chosen.count; i++)
		if (strcmp(request->chosen.items[i], kernel) == 0)
			return number == request->chosen_launches[i];
	return request->every ? number % request->every == 0 : number == request->launch;
}
