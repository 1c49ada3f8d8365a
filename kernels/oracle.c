/* What the oracles of all families share. */
#include <string.h>

#include "kernels/table.h"
#include "kernels/vectors.h"

int oracle_buffer(void **out, const struct launch_case *work, const struct host_buffers *buffers,
		  const char *name, int64_t *length, struct error *err)
{
	for (size_t i = 0; i < work->buffer_count; i++) {
		if (strcmp(work->buffers[i].name, name))
			continue;
		if (!buffers->data[i])
			break;
		*out = buffers->data[i];
		*length = work->buffers[i].length;
		return 0;
	}
	return error_set(err, PL_EUSAGE, "oracle %s: the case %s/%s has no buffer \"%s\"",
			 work->oracle, work->kernel, work->variant, name);
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
