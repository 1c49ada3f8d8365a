/* Compiles several files at a time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compile_parts.h"

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
