/* The cache of expected results. See expected_results.h. */
#include "harness/workers/ptx/expected_results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"
#include "harness/workers/expected.h"

static void result_release(struct expected_result *result)
{
	free(result->key);
	free(result->data);
}

void expected_cache_release(struct expected_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		result_release(&cache->items[i]);
	free(cache->items);
	*cache = (struct expected_cache){0};
}

static struct expected_result *find_key(struct expected_cache *cache, const char *key)
{
	for (size_t i = 0; i < cache->count; i++)
		if (!strcmp(cache->items[i].key, key))
			return &cache->items[i];
	return NULL;
}

/* Drops the oldest results, except those of this call, until the rest fits. */
static void evict(struct expected_cache *cache, uint64_t this_call)
{
	for (;;) {
		int64_t bytes = 0;
		size_t oldest = SIZE_MAX;

		for (size_t i = 0; i < cache->count; i++) {
			bytes += cache->items[i].bytes;
			if (cache->items[i].last_use < this_call &&
			    (oldest == SIZE_MAX ||
			     cache->items[i].last_use < cache->items[oldest].last_use))
				oldest = i;
		}
		if (bytes <= EXPECTED_MOST_BYTES || oldest == SIZE_MAX)
			return;
		result_release(&cache->items[oldest]);
		cache->items[oldest] = cache->items[--cache->count];
	}
}

static int allocate_results(const struct launch_case *work, struct host_buffers *out,
			    struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		size_t bytes = case_buffer_bytes(&work->buffers[b]);

		if (!case_buffer_is_result(&work->buffers[b]))
			continue;
		out->data[b] = calloc(1, bytes + 1);
		if (!out->data[b])
			rc = error_set(err, PL_ENOMEM,
				       "no memory for the %zu bytes of the expected '%s'", bytes,
				       work->buffers[b].name);
	}
	return rc;
}

static char *key_of_result(const struct launch_case *work, size_t buffer,
			   const struct case_capture *from, uint64_t seed)
{
	char *without = case_expected_key(work, buffer, seed);
	struct text key = TEXT_INIT;

	text_add(&key, without);
	free(without);
	case_capture_add_key(&key, from, buffer);
	return text_detach(&key);
}

/* Moves the results of a case into the cache. */
static void cache_results(struct expected_cache *cache, const struct launch_case *work,
			  const struct case_capture *from, uint64_t seed,
			  struct host_buffers *results)
{
	for (size_t b = 0; b < work->buffer_count; b++) {
		struct expected_result result = {.data = results->data[b],
						 .last_use = cache->clock};

		if (!result.data)
			continue;
		result.key = key_of_result(work, b, from, seed);
		result.bytes = (int64_t)case_buffer_bytes(&work->buffers[b]);
		if (find_key(cache,
			     result.key)) { /* in the cache already, but another result was not */
			result_release(&result);
			continue;
		}
		cache->items = xgrow(cache->items, &cache->capacity, cache->count + 1,
				     sizeof(*cache->items));
		cache->items[cache->count++] = result;
	}
	*results = (struct host_buffers){0};
}

/* Returns false if a result of the case is not in the cache. */
static bool look_up_results(struct expected_cache *cache, const struct launch_case *work,
			    const struct case_capture *from, uint64_t seed,
			    struct host_buffers *out)
{
	for (size_t b = 0; b < work->buffer_count; b++) {
		struct expected_result *found;
		char *key;

		if (!case_buffer_is_result(&work->buffers[b]))
			continue;
		key = key_of_result(work, b, from, seed);
		found = find_key(cache, key);
		free(key);
		if (!found)
			return false;
		found->last_use = cache->clock;
		out->data[b] = found->data;
	}
	return true;
}

/* Returns false if the request does not share every result of the case. */
static bool find_shared_results(struct shared_data *shared, const struct launch_case *work,
				const struct case_capture *from, uint64_t seed,
				struct host_buffers *out)
{
	for (size_t b = 0; b < work->buffer_count; b++) {
		char *key;

		if (!case_buffer_is_result(&work->buffers[b]))
			continue;
		key = key_of_result(work, b, from, seed);
		out->data[b] =
			(void *)shared_data_find(shared, key, case_buffer_bytes(&work->buffers[b]));
		free(key);
		if (!out->data[b])
			return false;
	}
	return true;
}

static int give_results(struct shared_data *shared, const struct launch_case *work,
			const struct case_capture *from, uint64_t seed,
			const struct host_buffers *results)
{
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		char *key;

		if (!results->data[b])
			continue;
		key = key_of_result(work, b, from, seed);
		rc = shared_data_give(shared, key, results->data[b],
				      case_buffer_bytes(&work->buffers[b]));
		free(key);
	}
	return rc;
}

static int run_reference(const struct reference_runner *reference, const struct launch_case *work,
			 const struct case_capture *from, const struct host_buffers *inputs,
			 struct host_buffers *expected, struct error *err)
{
	int rc = reference->run(reference->context, expected, err);

	return rc ? rc : case_expected_items(work, from, inputs, expected, err);
}

int expected_results_find(struct expected_cache *cache, const struct launch_case *work,
			  const struct case_capture *from, uint64_t seed,
			  struct shared_data *shared, const struct host_buffers *inputs,
			  const struct reference_runner *reference, int64_t command_end_ns,
			  struct host_buffers *expected, struct error *err)
{
	struct host_buffers found = {0};
	int rc = 0;

	if (find_shared_results(shared, work, from, seed, &found)) {
		*expected = found;
		return 0;
	}
	found = (struct host_buffers){0};
	cache->clock++;
	if (!look_up_results(cache, work, from, seed, &found)) {
		struct host_buffers fresh = {0};

		rc = allocate_results(work, &fresh, err);
		if (rc == 0 && case_has_reference(work))
			rc = run_reference(reference, work, from, inputs, &fresh, err);
		else if (rc == 0)
			rc = case_expected_compute(work, from, inputs, &fresh, command_end_ns, err);
		if (rc == 0)
			rc = give_results(shared, work, from, seed, &fresh);
		if (rc == 0)
			cache_results(cache, work, from, seed, &fresh);
		for (size_t b = 0; b < work->buffer_count; b++)
			free(fresh.data[b]);
		if (rc)
			return rc;
		found = (struct host_buffers){0};
		look_up_results(cache, work, from, seed, &found);
		evict(cache, cache->clock);
	}
	*expected = found;
	return 0;
}
