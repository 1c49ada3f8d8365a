/*
 * compile_jobs: what the cases of a plan want compiled, and the fewest compilations that give it.
 * Internal to harness/session.
 *
 * Wants with the same source, flags, macros, standard, compiler and architecture share one
 * compilation, for all of their kernels. If it fails because of a kernel of one want, each want is
 * compiled apart, so that only the wants that are wrong fail.
 */
#ifndef HARNESS_SESSION_COMPILE_JOBS_H
#define HARNESS_SESSION_COMPILE_JOBS_H

#include "compile/compile.h"
#include "kernels/kernels.h"

/* Kernels that some cases take from one file. */
struct compile_want {
	struct string_list entries;
	size_t job;
	char *key;
};

struct compile_jobs {
	struct compile_want *wants;
	struct compile_job *jobs;
	char **keys; /* of each job: what its wants share */
	bool *apart; /* of each job: it failed, and its wants were compiled apart */
	size_t want_count, want_capacity;
	size_t job_count, job_capacity, key_capacity, apart_capacity;
};

/* The compiler that a source names. */
enum compile_tool compile_tool_of(const struct kernel_source *source);

void compile_jobs_release(struct compile_jobs *list);

/* Returns the index of the want. Takes over the lists of *request; the strings stay borrowed. */
size_t compile_jobs_want(struct compile_jobs *list, struct compile_request *request);

/* Compiles everything that is wanted; see compile_many(). Failures are in the jobs. */
void compile_jobs_run(struct compile_jobs *list, const volatile int *stop,
		      compile_progress *progress, void *context);

/* The compilation that decides over a want. */
const struct compile_job *compile_jobs_of(const struct compile_jobs *list, size_t want);

#endif
