#include "kernels/parallel.h"

#include "base/base.h"

#include <pthread.h>

/* More threads than this do not raise the memory bandwidth. */
enum { MAX_THREADS = 16 };

struct share {
	void (*body)(void *context, int64_t begin, int64_t end);
	void *context;
	int64_t begin, end;
	pthread_t thread;
	int started;
};

static void *run_share(void *argument)
{
	struct share *share = argument;

	share->body(share->context, share->begin, share->end);
	return NULL;
}

static int limit; /* see parallel_limit() */

void parallel_limit(int threads)
{
	limit = threads;
}

void parallel_for(int64_t count, int64_t grain,
		  void (*body)(void *context, int64_t begin, int64_t end), void *context)
{
	struct share shares[MAX_THREADS];
	int64_t grains = (count + grain - 1) / grain;
	int64_t threads = usable_processors();
	int64_t begin = 0;

	if (limit && threads > limit)
		threads = limit;
	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	if (threads > grains)
		threads = grains;
	for (int64_t i = 0; i < threads; i++) {
		int64_t end = i + 1 == threads ? count : (i + 1) * grains / threads * grain;

		shares[i] = (struct share){body, context, begin, end, 0, 0};
		begin = end;
	}
	for (int64_t i = 1; i < threads; i++)
		shares[i].started =
			pthread_create(&shares[i].thread, NULL, run_share, &shares[i]) == 0;
	for (int64_t i = 0; i < threads; i++) {
		if (!shares[i].started)
			run_share(&shares[i]);
	}
	for (int64_t i = 1; i < threads; i++) {
		if (shares[i].started)
			pthread_join(shares[i].thread, NULL);
	}
}
