/* What the oracles of all families share. */
#include <string.h>

#include "kernels/table.h"
#include "kernels/vectors.h"

int kernel_oracle_compute(const struct kernel_oracle *oracle, const struct launch_case *work,
			  const struct host_buffers *inputs, struct host_buffers *expected,
			  struct error *err)
{
	struct error cause = {0};
	const int rc =
		oracle->compute(&(struct oracle_run){oracle, work, inputs, expected, &cause});

	return rc ? error_set(err, rc, "%s", cause.text) : 0;
}

static void *find_data(const struct oracle_run *run, const struct host_buffers *buffers,
		       const char *name, int64_t *length)
{
	const struct launch_case *work = run->work;

	for (size_t i = 0; i < work->buffer_count; i++)
		if (!strcmp(work->buffers[i].name, name) && buffers->data[i]) {
			*length = work->buffers[i].length;
			return buffers->data[i];
		}
	/* the first that is missing: others may be, too */
	if (!run->err->text[0])
		error_set(run->err, PL_EUSAGE, "oracle %s: the case %s/%s has no buffer \"%s\"",
			  work->oracle, work->kernel, work->variant, name);
	return NULL;
}

const void *oracle_input(const struct oracle_run *run, const char *name, int64_t *length)
{
	return find_data(run, run->inputs, name, length);
}

void *oracle_result(const struct oracle_run *run, const char *name, int64_t *length)
{
	return find_data(run, run->expected, name, length);
}

int64_t oracle_axis(const struct oracle_run *run, const char *name, int64_t absent)
{
	launch_case_axis(run->work, name, &absent);
	return absent;
}

#define WORDS 16 /* at a time, in vectors */

WIDE_VECTORS static void add_words_at_once(uint32_t *restrict sums, const uint32_t *restrict words,
					   int64_t count)
{
	int64_t i = 0;

	for (; i + WORDS <= count; i += WORDS)
		for (int w = 0; w < WORDS; w++)
			sums[i + w] += words[i + w];
	for (; i < count; i++)
		sums[i] += words[i];
}

void oracle_add_words(uint32_t *restrict sums, const uint32_t *restrict words, int64_t count)
{
	add_words_at_once(sums, words, count);
}
