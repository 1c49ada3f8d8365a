/*
 * blind_check: what the check of a case cannot find, the same for every backend.
 * The expected content of each result is replaced by what a wrong kernel would
 * leave there: zeroes, one value everywhere, the content before the launch, or an
 * input. If the check accepts such a result, a wrong kernel passes, and the case
 * is `unverified` instead of `ok`. A replacement that equals the expected content
 * is not wrong, and says nothing.
 */
#ifndef HARNESS_WORKERS_BLIND_CHECK_H
#define HARNESS_WORKERS_BLIND_CHECK_H

#include "kernels/kernels.h"

/* What is known of one result. */
struct blind_result {
	const struct launch_case *work;
	size_t result;
	int64_t length; /* how many elements were looked at */
	bool zero_rejected, zero_different;
	/* The values that are right everywhere, and those that are expected. */
	double lowest_right, highest_right, lowest, highest;
	bool comparable[KERNEL_MAX_BUFFERS]; /* with the content of this buffer */
	bool rejected[KERNEL_MAX_BUFFERS];   /* that content differs too much */
	bool different[KERNEL_MAX_BUFFERS];  /* it is not the expected content */
};
void blind_result_begin(struct blind_result *out, const struct launch_case *work, size_t result);
/*
 * Looks at the next `count` elements of the result. inputs->data[] has the same
 * elements of each buffer that is comparable. Returns false if no later element
 * can change that the check finds every replacement.
 */
bool blind_result_look(struct blind_result *blind, int64_t count, const void *expected,
		       const struct host_buffers *inputs);

/* What is known of a case, whose results are added one after the other. */
struct blind_case {
	struct text accepted; /* "zeroes as 'y'" */
	size_t results;       /* those that shall change: not that of `verify x = x` */
	bool must_change;     /* some result is not accepted as it was before the launch */
};
void blind_case_add(struct blind_case *blind, const struct blind_result *result);
/* Adds to *reason what the check accepts; nothing if it finds every replacement. Releases *blind.
 */
void blind_case_finish(struct blind_case *blind, const struct launch_case *work,
		       struct text *reason);
/* All of it, for contents in host memory. */
void blind_case_find(struct text *reason, const struct launch_case *work,
		     const struct host_buffers *expected, const struct host_buffers *inputs);

/* What else the check may accept: the results of other inputs. Every result must be so, because a
 * kernel that keeps its results is wrong in all of them. */
struct blind_earlier {
	bool rejected, different;
};
/* Looks at the next `count` elements of a result. Returns false if no other can change that the
 * check finds such a kernel. */
bool blind_earlier_look(struct blind_earlier *blind, const struct launch_case *work, size_t result,
			int64_t count, const void *expected, const void *earlier);
/* As blind_case_finish(). */
void blind_earlier_finish(const struct blind_earlier *blind, const struct launch_case *work,
			  struct text *reason);
/* All of it, for contents in host memory. */
void blind_earlier_find(struct text *reason, const struct launch_case *work,
			const struct host_buffers *expected, const struct host_buffers *earlier);

#endif
