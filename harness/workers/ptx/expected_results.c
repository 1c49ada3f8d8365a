/*
 * The expected results of cases: a cache of them, for cases with equal ones, in front of the data
 * that a request shares. Reference launches run on the emulator.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/expected.h"
#include "harness/workers/ptx/emulated_case.h"

#define EXPECTED_MOST_BYTES (INT64_C(256) << 20)

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

/* ---- reference launches ---- */

/* A reference that goes wrong is no fault of the kernel that it verifies. */
static int refuse_wrong_reference(const struct emulated_case *emulated,
				  const struct launch_case *verified, struct error *err)
{
	struct text who = TEXT_INIT, found = TEXT_INIT;
	int rc = 0;

	case_describe_reference(&who, verified);
	if (finding_list_has(&emulated->findings, FINDING_ENDLESS))
		rc = error_set(err, PL_EUNSUPPORTED,
			       "%s, which computes the expected results, did not end within %.3g "
			       "warp instructions, the emulator's limit for a launch: choose a "
			       "smaller size, another check or --blocks all",
			       who.data, (double)emulated_case_limit(emulated));
	else if (emulated_case_ended(emulated))
		finding_text(&found, &emulated->findings.items[0]);
	else
		rc = emulated_case_check_inputs(emulated, who.data, &found, err);
	if (rc == 0 && found.length)
		rc = emulated_case_ended(emulated)
			     ? error_set(err, PL_EUSAGE, "%s goes wrong: %s", who.data, found.data)
			     : error_set(err, PL_EUSAGE, "%s", found.data);
	text_release(&who);
	text_release(&found);
	return rc;
}

static int emulate_reference(struct emulated_case *emulated, const struct launch_case *verified,
			     struct host_buffers *results, struct error *err)
{
	const struct launch_case *work = emulated->work;
	const struct launch_part all = {.instructions = emulated_case_limit(emulated)};
	struct host_buffers data = {0};
	int rc = emulated_case_restore(emulated, err);

	for (size_t i = 0; i < work->launch_count && rc == 0; i++)
		rc = emulated_case_launch(emulated, i, &all, err);
	if (rc == 0)
		rc = refuse_wrong_reference(emulated, verified, err);
	emulated_case_results(emulated, &data);
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++)
		if (results->data[b])
			memcpy(results->data[b], data.data[b],
			       case_buffer_bytes(&work->buffers[b]));
	return rc;
}

/* Executes the reference launches of a case in memory of their own. */
static int compute_reference(const struct emulated_case *verified, struct host_buffers *results,
			     struct error *err)
{
	const struct launch_case reference = case_reference(verified->work);
	const struct ptx_program *program = NULL;
	const struct ptx_image *image = NULL;
	const char *gaps = NULL;
	struct emulated_case emulated = {0};
	int rc = ptx_image_program(&verified->runner->images, &reference, &image, &program, &gaps,
				   err);

	if (rc == 0 && !program)
		rc = error_set(
			err, PL_EUNSUPPORTED,
			"the kernel that computes the expected results: %s; choose another check",
			gaps);
	if (rc == 0)
		rc = emulated_case_open(&emulated, verified->runner, &reference, image, program,
					err);
	emulated.mixed = verified->mixed;
	emulated.reference = true;
	if (rc == 0)
		rc = emulate_reference(&emulated, verified->work, results, err);
	emulated_case_close(&emulated);
	return error_context(err, rc, "verify");
}

/* ---- results, each under its key; keys[b] is NULL if buffer b is no result ---- */

static int compute_results(const struct emulated_case *emulated, char *const *keys,
			   const struct host_buffers *inputs, struct host_buffers *out,
			   struct error *err)
{
	const struct launch_case *work = emulated->work;
	int rc;

	for (size_t b = 0; b < work->buffer_count; b++) {
		const size_t bytes = case_buffer_bytes(&work->buffers[b]);

		out->data[b] = keys[b] ? calloc(1, bytes + 1) : NULL;
		if (keys[b] && !out->data[b])
			return error_set(err, PL_ENOMEM,
					 "no memory for the %zu bytes of the expected '%s'", bytes,
					 work->buffers[b].name);
	}
	if (!case_has_reference(work))
		return case_expected_compute(work, emulated->capture, inputs, out,
					     emulated->runner->check_end_ns, err);
	rc = compute_reference(emulated, out, err);
	return rc ? rc : case_expected_items(work, emulated->capture, inputs, out, err);
}

/* Moves the results of a case into the cache, and gives those to the request that it wants. */
static int cache_results(const struct emulated_case *emulated, char **keys,
			 struct host_buffers *results)
{
	struct expected_cache *cache = &emulated->runner->expected;
	int rc = 0;

	for (size_t b = 0; b < emulated->work->buffer_count && rc == 0; b++)
		if (keys[b])
			rc = shared_data_give(emulated->runner->shared, keys[b], results->data[b],
					      case_buffer_bytes(&emulated->work->buffers[b]));
	for (size_t b = 0; b < emulated->work->buffer_count && rc == 0; b++) {
		/* one may be in the cache already, when another was not */
		if (!keys[b] || find_key(cache, keys[b]))
			continue;
		cache->items = xgrow(cache->items, &cache->capacity, cache->count + 1,
				     sizeof(*cache->items));
		cache->items[cache->count++] = (struct expected_result){
			.key = xstrdup(keys[b]),
			.data = results->data[b],
			.bytes = (int64_t)case_buffer_bytes(&emulated->work->buffers[b]),
			.last_use = cache->clock,
		};
		results->data[b] = NULL;
	}
	return rc;
}

/* Returns false if a result of the case is not in the cache. */
static bool look_up_results(struct expected_cache *cache, char *const *keys, size_t count,
			    struct host_buffers *out)
{
	for (size_t b = 0; b < count; b++) {
		struct expected_result *found = keys[b] ? find_key(cache, keys[b]) : NULL;

		if (keys[b] && !found)
			return false;
		out->data[b] = found ? found->data : NULL;
		if (found)
			found->last_use = cache->clock;
	}
	return true;
}

/* Returns false if the request does not share every result of the case. */
static bool find_shared_results(const struct emulated_case *emulated, char *const *keys,
				struct host_buffers *out)
{
	for (size_t b = 0; b < emulated->work->buffer_count; b++) {
		const size_t bytes = case_buffer_bytes(&emulated->work->buffers[b]);

		out->data[b] =
			keys[b] ? (void *)shared_data_find(emulated->runner->shared, keys[b], bytes)
				: NULL;
		if (keys[b] && !out->data[b])
			return false;
	}
	return true;
}

int expected_results_find(const struct emulated_case *emulated, const struct host_buffers *inputs,
			  struct host_buffers *expected, struct error *err)
{
	struct expected_cache *cache = &emulated->runner->expected;
	const size_t count = emulated->work->buffer_count;
	char *keys[KERNEL_MAX_BUFFERS] = {NULL};
	struct host_buffers fresh = {0};
	int rc = 0;

	for (size_t b = 0; b < count; b++)
		if (case_buffer_is_result(&emulated->work->buffers[b]))
			keys[b] = case_content_key(
				emulated->work, b, true, emulated->capture,
				data_seed(emulated->runner->seed, emulated->mixed));
	if (!find_shared_results(emulated, keys, expected)) {
		cache->clock++;
		if (!look_up_results(cache, keys, count, expected)) {
			rc = compute_results(emulated, keys, inputs, &fresh, err);
			if (rc == 0)
				rc = cache_results(emulated, keys, &fresh);
			if (rc == 0) {
				look_up_results(cache, keys, count, expected);
				evict(cache, cache->clock);
			}
		}
	}
	for (size_t b = 0; b < count; b++) {
		free(fresh.data[b]);
		free(keys[b]);
	}
	return rc;
}
