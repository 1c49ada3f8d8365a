/* Collects what is to be compiled, and compiles it. See sources.h. */
#include "harness/sources/sources.h"

#include <stdlib.h>
#include <string.h>

enum compile_tool compile_tool_of(const struct kernel_source *source)
{
	if (!source->compiler)
		return COMPILE_AUTO;
	return strcmp(source->compiler, "nvcc") ? COMPILE_NVRTC : COMPILE_NVCC;
}

static void compile_request_release(struct compile_request *request)
{
	string_list_release(&request->defines);
	string_list_release(&request->flags);
	string_list_release(&request->entries);
}

void compile_jobs_release(struct compile_jobs *list)
{
	for (size_t i = 0; i < list->job_count; i++) {
		compile_request_release(&list->jobs[i].request);
		compile_job_release(&list->jobs[i]);
		free(list->keys[i]);
	}
	for (size_t i = 0; i < list->want_count; i++) {
		string_list_release(&list->wants[i].entries);
		free(list->wants[i].key);
	}
	free(list->jobs);
	free(list->keys);
	free(list->apart);
	free(list->wants);
	*list = (struct compile_jobs){0};
}

/* ---- wants ---- */

static void key_add_strings(struct text *key, char kind, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		text_addf(key, "%c:%s\n", kind, list->items[i]);
}

/* What wants must have in common to share a compilation. */
static char *job_key(const struct compile_request *request)
{
	struct text key = TEXT_INIT;

	text_addf(&key, "%s\n%s\n%d\n%d\n%s\n", request->source, request->arch, request->cubin,
		  (int)request->tool, request->standard ? request->standard : "");
	key_add_strings(&key, 'd', &request->defines);
	key_add_strings(&key, 'f', &request->flags);
	return text_detach(&key);
}

static char *want_key(const char *job_key, const struct string_list *entries)
{
	struct text key = TEXT_INIT;

	text_add(&key, job_key);
	key_add_strings(&key, 'e', entries);
	return text_detach(&key);
}

static void copy_strings(struct string_list *out, const struct string_list *from)
{
	for (size_t i = 0; i < from->count; i++)
		if (!string_list_has(out, from->items[i]))
			string_list_add(out, from->items[i]);
}

/* Adds a job; takes over the lists of the request and the key. */
static size_t job_add(struct compile_jobs *list, const struct compile_request *request, char *key)
{
	list->jobs =
		xgrow(list->jobs, &list->job_capacity, list->job_count + 1, sizeof(*list->jobs));
	list->keys =
		xgrow(list->keys, &list->key_capacity, list->job_count + 1, sizeof(*list->keys));
	list->apart = xgrow(list->apart, &list->apart_capacity, list->job_count + 1,
			    sizeof(*list->apart));
	list->jobs[list->job_count] = (struct compile_job){.request = *request};
	list->keys[list->job_count] = key;
	list->apart[list->job_count] = false;
	return list->job_count++;
}

/* Adds a want; takes over its entries. */
static size_t want_add(struct compile_jobs *list, struct compile_request *request, char *key)
{
	struct compile_want want = {.entries = request->entries};
	size_t job = 0;

	request->entries = (struct string_list){0};
	want.key = want_key(key, &want.entries);
	while (job < list->job_count && strcmp(list->keys[job], key) != 0)
		job++;
	if (job == list->job_count) {
		want.job = job_add(list, request, key);
	} else {
		want.job = job;
		compile_request_release(request);
		free(key);
	}
	copy_strings(&list->jobs[job].request.entries, &want.entries);
	list->wants = xgrow(list->wants, &list->want_capacity, list->want_count + 1,
			    sizeof(*list->wants));
	list->wants[list->want_count] = want;
	return list->want_count++;
}

size_t compile_jobs_want(struct compile_jobs *list, struct compile_request *request)
{
	char *key = job_key(request), *whole = want_key(key, &request->entries);
	size_t index = 0;

	while (index < list->want_count && strcmp(list->wants[index].key, whole) != 0)
		index++;
	if (index < list->want_count) {
		compile_request_release(request);
		free(key);
	} else {
		index = want_add(list, request, key);
	}
	free(whole);
	return index;
}

/* ---- compiling ---- */

/* Gives each want of the job a job of its own. */
static void job_take_apart(struct compile_jobs *list, size_t job)
{
	list->apart[job] = true;
	for (size_t i = 0; i < list->want_count; i++) {
		struct compile_want *want = &list->wants[i];
		struct compile_request request = list->jobs[job].request;

		if (want->job != job)
			continue;
		request.defines = request.flags = request.entries = (struct string_list){0};
		copy_strings(&request.defines, &list->jobs[job].request.defines);
		for (size_t k = 0; k < list->jobs[job].request.flags.count; k++)
			string_list_add(&request.flags, list->jobs[job].request.flags.items[k]);
		copy_strings(&request.entries, &want->entries);
		want->job = job_add(list, &request, xstrdup(want->key));
	}
}

void compile_jobs_run(struct compile_jobs *list, const volatile int *stop,
		      compile_progress *progress, void *context)
{
	const size_t together = list->job_count;

	if (!together)
		return;
	compile_many(list->jobs, together, 0, stop, progress, context, NULL);
	for (size_t i = 0; i < together; i++) {
		const struct compile_job *job = &list->jobs[i];
		bool instances = false;
		size_t wants = 0;

		/* The names of template instances are compiled with the file, so the compiler may
		 * refuse them. Another name is only looked for in the image. */
		for (size_t k = 0; k < job->request.entries.count; k++)
			instances |= strchr(job->request.entries.items[k], '<') != NULL;
		for (size_t k = 0; k < list->want_count; k++)
			wants += list->wants[k].job == i;
		if (wants > 1 &&
		    (job->error.code == PL_EUSAGE || (job->error.code == PL_EPARSE && instances)))
			job_take_apart(list, i);
	}
	if (list->job_count > together)
		compile_many(list->jobs + together, list->job_count - together, 0, stop, progress,
			     context, NULL);
}

const struct compile_job *compile_jobs_of(const struct compile_jobs *list, size_t want)
{
	return &list->jobs[list->wants[want].job];
}
