/* Keeps one sentence. See unknown_calls.h. */
#include "record/unknown_calls.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdio.h>

enum { EMPTY, BEING_WRITTEN, WRITTEN };

static atomic_int state = EMPTY;
static char sentence[384];

void unknown_call_note(const char *name, int cuda_version)
{
	int expected = EMPTY;
	char version[48] = "";

	if (!atomic_compare_exchange_strong(&state, &expected, BEING_WRITTEN))
		return;
	if (cuda_version)
		snprintf(version, sizeof(version), " of CUDA %d.%d", cuda_version / 1000,
			 cuda_version % 1000 / 10);
	snprintf(sentence, sizeof(sentence),
		 "the program uses %.60s%s, which is newer than the recorder: it was built for "
		 "CUDA %d.%d and does not see calls of this function; if a kernel is missing, "
		 "record with a newer perflab",
		 name, version, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
	atomic_store(&state, WRITTEN);
}

const char *unknown_call_noted(void)
{
	return atomic_load(&state) == WRITTEN ? sentence : NULL;
}
