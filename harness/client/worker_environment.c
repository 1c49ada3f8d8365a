/* The variables that a worker inherits; see the header. */
#include "harness/client/worker_environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/record/record.h"

/* Whether the variables of `perflab record --env` are set. Another tool, such as a profiler, sets
 * the first of them, too, and stays. */
static bool recorder_is_attached(void)
{
	const char *tool = getenv(RECORD_INJECTION), *folder = getenv(RECORD_FOLDER_VARIABLE);
	const char *slash = tool ? strrchr(tool, '/') : NULL;
	struct text recorder = TEXT_INIT;
	bool attached;

	if (!tool || !folder || !*folder)
		return false;
	attached = strcmp(slash ? slash + 1 : tool, RECORDER_NAME) == 0 ||
		   (recorder_find(&recorder, NULL) == 0 && strcmp(recorder.data, tool) == 0);
	text_release(&recorder);
	return attached;
}

static bool is_variable(const char *entry, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* What else the loader preloads, if the recorder comes first, as record_preload() puts it; else all
 * that it preloads. "": nothing. */
static const char *preload_of_others(void)
{
	const char *all = getenv(RECORD_PRELOAD), *recorder = getenv(RECORD_INJECTION);
	const size_t length = strlen(recorder);

	if (!all)
		return "";
	if (strncmp(all, recorder, length) != 0 || (all[length] && all[length] != ':'))
		return all;
	return all + length + (all[length] == ':');
}

static bool attaches_recorder(const char *entry)
{
	return is_variable(entry, RECORD_INJECTION) || is_variable(entry, RECORD_FOLDER_VARIABLE) ||
	       is_variable(entry, RECORD_PRELOAD);
}

void worker_environment(struct string_list *out)
{
	const bool attached = recorder_is_attached();
	const char *preload = attached ? preload_of_others() : "";

	for (size_t i = 0; environ[i]; i++)
		if (!attached || !attaches_recorder(environ[i]))
			string_list_add(out, environ[i]);
	if (*preload) {
		char *entry = xasprintf(RECORD_PRELOAD "=%s", preload);

		string_list_add(out, entry);
		free(entry);
	}
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count] = NULL;
}
