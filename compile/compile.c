/* Compiles files, or finds them in the cache. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compile_parts.h"

void compiled_free(struct compiled *compiled)
{
	struct entry_list entries;

	if (!compiled)
		return;
	entries = (struct entry_list){compiled->entries, compiled->entry_count, 0};
	entry_list_release(&entries);
	free(compiled->ptx);
	free(compiled->cubin);
	free(compiled->tool);
	free(compiled->messages);
	string_list_release(&compiled->variables);
	free(compiled);
}

/* ---- the request ---- */

static int arch_check(const char *arch, struct error *err)
{
	size_t digits;

	if (arch && !strncmp(arch, "sm_", 3)) {
		digits = strspn(arch + 3, "0123456789");
		arch += 3 + digits;
		if (digits >= 2 && digits <= 3 &&
		    (!*arch || !strcmp(arch, "a") || !strcmp(arch, "f")))
			return 0;
	}
	return error_set(err, PL_EUSAGE, "'%.40s' is no architecture: write sm_90 or sm_90a",
			 arch ? arch : "");
}

static int source_check(const char *source, struct error *err)
{
	int fd;

	if (!source || *source != '/' || strlen(source) > 4000)
		return error_set(err, PL_EUSAGE, "the path of a source must be absolute: '%.200s'",
				 source ? source : "");
	if (!has_suffix(source, ".cu") && !has_suffix(source, ".cuh") &&
	    !has_suffix(source, ".ptx") && !has_suffix(source, ".cubin") &&
	    !has_suffix(source, CAPTURE_SUFFIX))
		return error_set(err, PL_EUSAGE,
				 "'%s' is neither a .cu, a .cuh, a .ptx, a .cubin nor a .capture: "
				 "rename it",
				 source);
	/* what is in a capture gets a path of its own */
	if (!has_suffix(source, CAPTURE_SUFFIX) && strpbrk(source, "\"\\\n\r"))
		return error_set(err, PL_EUSAGE,
				 "the path '%s' contains a quote, a backslash or a line end, "
				 "which the compilers cannot read: rename it",
				 source);
	fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, errno == ENOENT || errno == ENOTDIR ? PL_ENOENT : PL_EIO,
				 "cannot read '%s': %s", source, strerror(errno));
	close(fd);
	return 0;
}

static int request_check(const struct compile_request *request, struct error *err)
{
	int rc = source_check(request->source, err);
	const bool is_text =
		!rc && (has_suffix(request->source, ".cu") || has_suffix(request->source, ".cuh"));

	if (!rc)
		rc = arch_check(request->arch, err);
	if (!rc)
		rc = compile_flags_check(request, COMPILE_NVCC, err);
	/* names of kernels become part of a text for the compiler; in a compiled file they are only
	 * looked for */
	for (size_t i = 0; !rc && is_text && i < request->entries.count; i++)
		rc = entry_wanted_check(request->entries.items[i], err);
	return rc;
}

/* ---- results ---- */

/* The path of an image in the cache; NULL if there is none with this ending. */
static char *image_path(const char *stem, const char *ending)
{
	char *path = xasprintf("%s%s", stem, ending);

	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

/* PTX says more of a parameter than machine code. */
static int entries_of_image(struct entry_list *out, const char *stem, struct error *err)
{
	char *ptx = image_path(stem, ".ptx"), *bytes = NULL;
	char *path = ptx ? ptx : xasprintf("%s.cubin", stem);
	size_t length;
	int rc = read_file(&bytes, &length, path, COMPILE_IMAGE_LIMIT, err);

	if (!rc)
		rc = ptx ? ptx_entries_read(out, bytes, err)
			 : cubin_entries_read(out, bytes, length, err);
	free(bytes);
	free(path);
	return rc;
}

static void add_paths(struct string_list *out, const struct string_list *paths)
{
	for (size_t i = 0; out && i < paths->count; i++)
		if (paths->items[i][0] == '/')
			string_list_add(out, paths->items[i]);
}

/* ---- the answer ---- */

/*
 * What a request is answered with. The image depends on the wanted instances of templates, and not
 * on the other wanted kernels: these are in it anyway. So requests for some kernels of a file share
 * its image.
 */
struct compile_answer {
	const struct compile_request *wanted;
	struct compile_request image; /* the same, with the instances only */
	const struct compile_tools *tools;
	const volatile int *stop;
	struct compiled *compiled;
	struct text *messages;     /* NULL: nobody asks */
	struct string_list *files; /* NULL: nobody asks */
	bool by_nvrtc;             /* NVRTC made the image */
};

/* `stem` is the path of the images without ending. `lowered` are the names of the instances. */
static int answer_choose(struct compile_answer *answer, const char *stem, const char *tool,
			 const char *messages, const struct string_list *lowered, struct error *err)
{
	struct entry_list all = {0}, entries = {0};
	int rc = entries_of_image(&all, stem, err);

	answer->by_nvrtc = !strcmp(tool, "nvrtc");
	if (rc)
		return error_context(err, rc, "'%s'", answer->wanted->source);
	rc = entries_choose(&entries, &all, answer->wanted, lowered, err);
	if (rc)
		return rc;
	answer->compiled = xcalloc(1, sizeof(*answer->compiled));
	*answer->compiled = (struct compiled){.ptx = image_path(stem, ".ptx"),
					      .cubin = image_path(stem, ".cubin"),
					      .tool = xstrdup(tool),
					      .messages = xstrdup(messages),
					      .entries = entries.items,
					      .entry_count = entries.count};
	return 0;
}

/* Returns whether the image is in the cache. If so, *rc is what became of it. */
static bool answer_from_cache(struct compile_answer *answer, const char *folder, int *rc,
			      struct error *err)
{
	struct cache_record record = {0};
	struct text stem = TEXT_INIT;
	const bool found = cache_find(&record, &stem, folder);

	if (found) {
		*rc = answer_choose(answer, stem.data, record.tool, record.messages,
				    &record.lowered, err);
		if (!*rc)
			answer->compiled->from_cache = true;
		for (size_t i = 0; answer->files && i < record.file_count; i++)
			string_list_add(answer->files, record.files[i].path);
		cache_record_release(&record);
	}
	text_release(&stem);
	return found;
}

static int answer_anew(struct compile_answer *answer, const char *root, const char *folder,
		       struct error *err)
{
	const struct compile_request *request = &answer->image;
	/* beside the images, so that they can be moved; CACHE_STEM_LENGTH */
	char *works = xasprintf("%s/work", root), *work = xasprintf("%s/XXXXXX", works);
	char *sources = xasprintf("%s/sources", root);
	struct translation translation = {.request = request,
					  .tools = answer->tools,
					  .stop = answer->stop,
					  .work = work,
					  .sources = sources,
					  .messages = TEXT_INIT};
	struct text stem = TEXT_INIT;
	struct timespec started;
	int rc = cache_folder_make(works, err);

	if (!rc && !mkdtemp(work))
		rc = cache_write_error(work, err);
	if (rc)
		goto out;
	clock_gettime(CLOCK_REALTIME_COARSE, &started);
	rc = translate(&translation, err);
	if (rc && answer->messages)
		text_add_bytes(answer->messages, translation.messages.data,
			       translation.messages.length);
	if (!rc && !request->cubin && !has_suffix(request->source, ".cubin"))
		rc = entry_resources_append(&translation, err);
	if (!rc)
		rc = cache_store(&stem, folder, &translation, &started, err);
	if (!rc)
		rc = answer_choose(answer, stem.data, translation.tool, translation.messages.data,
				   &translation.lowered, err);
	add_paths(answer->files, &translation.read);
	add_paths(answer->files, &translation.absent);
	folder_remove(work);
out:
	translation_release(&translation);
	free(sources);
	free(work);
	free(works);
	text_release(&stem);
	return rc;
}

static int answer_find(struct compile_answer *answer, struct error *err)
{
	struct text root = TEXT_INIT, folder = TEXT_INIT;
	int rc = cache_folder(&root, &folder, &answer->image, answer->tools, err);

	if (!rc)
		rc = cache_open(root.data, err);
	if (!rc && !answer_from_cache(answer, folder.data, &rc, err))
		rc = answer_anew(answer, root.data, folder.data, err);
	text_release(&root);
	text_release(&folder);
	return rc;
}

/* NVRTC may lack a kernel that nvcc has: the file can tell them apart, and an old NVRTC drops
 * kernels that nobody can call from another file. */
static int answer_find_with_any(struct compile_answer *answer, struct error *err)
{
	struct error missing = {0};
	int rc = answer_find(answer, &missing);

	if (rc == PL_EUSAGE && answer->by_nvrtc && answer->image.tool == COMPILE_AUTO &&
	    answer->tools->nvcc.length) {
		answer->image.tool = COMPILE_NVCC;
		return answer_find(answer, err);
	}
	return rc ? error_set(err, rc, "%s", missing.text) : 0;
}

/* compile_one() with tools that were found before. */
static int compile_with(struct compiled **out, struct text *messages, struct string_list *files,
			const struct compile_request *request, const struct compile_tools *tools,
			const volatile int *stop, struct error *err)
{
	struct compile_answer answer = {.wanted = request,
					.image = *request,
					.tools = tools,
					.stop = stop,
					.messages = messages,
					.files = files};
	int rc;

	*out = NULL;
	rc = request_check(request, err);
	if (!rc)
		rc = compile_memory_limit(&(int64_t){0}, err);
	if (rc)
		return rc;
	answer.image.entries = (struct string_list){0};
	for (size_t i = 0; i < request->entries.count; i++)
		if (entry_is_instance(request->entries.items[i]))
			string_list_add(&answer.image.entries, request->entries.items[i]);
	rc = answer_find_with_any(&answer, err);
	*out = answer.compiled;
	string_list_release(&answer.image.entries);
	return rc;
}

int compile_one(struct compiled **out, struct text *messages, struct string_list *files,
		const struct compile_request *request, const volatile int *stop, struct error *err)
{
	struct compile_tools tools;
	int rc;

	compile_tools_find(&tools);
	rc = compile_with(out, messages, files, request, &tools, stop, err);
	compile_tools_release(&tools);
	return rc;
}

/* ---- several files at a time ---- */

/* What the threads share. `lock` guards everything but the jobs, each of which one thread has. */
struct compile_pool {
	struct compile_job *jobs;
	size_t count, next;
	size_t *ended; /* the jobs in the order in which they ended */
	size_t ended_count;
	struct compile_tools tools;
	const volatile int *stop;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static void job_compile(struct compile_job *job, const struct compile_tools *tools,
			const volatile int *stop)
{
	int64_t began_ns = monotonic_ns();

	if (!job->messages.data)
		job->messages = (struct text)TEXT_INIT;
	if (stop && *stop)
		error_set(&job->error, PL_EINTERRUPTED, "interrupted");
	else
		compile_with(&job->compiled, &job->messages, &job->files, &job->request, tools,
			     stop, &job->error);
	job->took_ns = monotonic_ns() - began_ns;
}

static void *pool_thread(void *context)
{
	struct compile_pool *pool = context;

	pthread_mutex_lock(&pool->lock);
	while (pool->next < pool->count) {
		size_t index = pool->next++;

		pthread_mutex_unlock(&pool->lock);
		job_compile(&pool->jobs[index], &pool->tools, pool->stop);
		pthread_mutex_lock(&pool->lock);
		pool->ended[pool->ended_count++] = index;
		pthread_cond_signal(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Reports the jobs as they end, until all have. */
static void pool_watch(struct compile_pool *pool, compile_progress *progress, void *context)
{
	for (size_t told = 0; told < pool->count; told++) {
		size_t index;

		pthread_mutex_lock(&pool->lock);
		while (pool->ended_count <= told)
			pthread_cond_wait(&pool->changed, &pool->lock);
		index = pool->ended[told];
		pthread_mutex_unlock(&pool->lock);
		if (progress)
			progress(context, &pool->jobs[index], told + 1, pool->count);
	}
}

int compile_many(struct compile_job *jobs, size_t count, size_t parallel, const volatile int *stop,
		 compile_progress *progress, void *context, struct error *err)
{
	struct compile_pool pool = {.jobs = jobs, .count = count, .stop = stop};
	pthread_t *threads;
	size_t started = 0;

	if (!count)
		return 0;
	if (!parallel)
		parallel = (size_t)usable_processors();
	if (parallel > count)
		parallel = count;
	compile_tools_find(&pool.tools);
	pool.ended = xcalloc(count, sizeof(*pool.ended));
	threads = xcalloc(parallel, sizeof(*threads));
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.changed, NULL);
	while (started < parallel && !pthread_create(&threads[started], NULL, pool_thread, &pool))
		started++;
	if (!started)
		pool_thread(&pool); /* no thread can be had: one after the other */
	pool_watch(&pool, progress, context);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_cond_destroy(&pool.changed);
	pthread_mutex_destroy(&pool.lock);
	free(threads);
	free(pool.ended);
	compile_tools_release(&pool.tools);
	for (size_t i = 0; i < count; i++) {
		if (jobs[i].error.code)
			return error_set(err, jobs[i].error.code, "%s", jobs[i].error.text);
	}
	return 0;
}

void compile_job_release(struct compile_job *job)
{
	compiled_free(job->compiled);
	if (job->messages.data)
		text_release(&job->messages);
	string_list_release(&job->files);
	job->compiled = NULL;
}
