/* The cases of a run by kernel, so that a report of many kernels reads each case once. */
#include <stdlib.h>

#include "reports/derived/derived.h"

void run_kernels_init(struct run_kernels *out, const struct run *run)
{
	size_t *last = xcalloc(run->trial_count + 1, sizeof(*last));

	*out = (struct run_kernels){
		.run = run,
		.first = xcalloc(run->trial_count + 1, sizeof(*out->first)),
		.next = xcalloc(run->trial_count + 1, sizeof(*out->next)),
	};
	for (size_t i = 0; i < run->trial_count; i++) {
		const char *name = run->trials[i].kernel;
		size_t kernel = name_index_find(&out->index, name);

		out->next[i] = run->trial_count;
		if (kernel == NO_NAME) {
			kernel = out->count++;
			out->first[kernel] = i;
			name_index_add(&out->index, name, kernel);
		} else {
			out->next[last[kernel]] = i;
		}
		last[kernel] = i;
	}
	free(last);
}

size_t run_kernels_first(const struct run_kernels *kernels, const char *kernel)
{
	size_t at = name_index_find(&kernels->index, kernel);

	return at == NO_NAME ? kernels->run->trial_count : kernels->first[at];
}

void run_kernels_release(struct run_kernels *kernels)
{
	free(kernels->first);
	free(kernels->next);
	name_index_release(&kernels->index);
	*kernels = (struct run_kernels){0};
}
