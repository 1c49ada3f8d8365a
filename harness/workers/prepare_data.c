#include "harness/workers/shared_data.h"

#include <stdlib.h>

#include "harness/workers/case_buffers.h"
#include "harness/workers/case_capture.h"
#include "harness/workers/expected.h"

/* The data of a case, in the shared file or in memory of this process. */
struct preparation {
	const struct launch_case *work;
	uint64_t seed; /* of the sweep */
	bool mixed;    /* the inputs of case_fill_mixed() */
	struct shared_data *shared;
	struct host_buffers inputs, expected;
	void *own[2 * KERNEL_MAX_BUFFERS];
	size_t own_count;
};

static char *key_of(const struct preparation *p, size_t b, bool expected)
{
	return case_content_key(p->work, b, expected, NULL, data_seed(p->seed, p->mixed));
}

static bool any_expected_wanted(const struct preparation *p)
{
	bool wanted = false;

	for (size_t b = 0; b < p->work->buffer_count && !wanted; b++) {
		char *key = case_buffer_is_result(&p->work->buffers[b]) ? key_of(p, b, true) : NULL;

		wanted = key && shared_data_is_wanted(p->shared, key);
		free(key);
	}
	return wanted;
}

static int own_memory(struct preparation *p, size_t b, void **out, struct error *err)
{
	const size_t bytes = case_buffer_bytes(&p->work->buffers[b]);

	*out = calloc(1, bytes + 1);
	if (!*out)
		return error_set(err, PL_ENOMEM, "no memory for the %zu bytes of '%s'", bytes,
				 p->work->buffers[b].name);
	p->own[p->own_count++] = *out;
	return 0;
}

static int prepare_input(struct preparation *p, size_t b, bool needed, struct error *err)
{
	const size_t bytes = case_buffer_bytes(&p->work->buffers[b]);
	char *key = key_of(p, b, false);
	void *target = shared_data_target(p->shared, key, bytes);
	/* who reads it does not change it */
	void *there = target ? NULL : (void *)shared_data_find(p->shared, key, bytes);
	int rc = 0;

	p->inputs.data[b] = target ? target : there;
	if (!p->inputs.data[b] && needed)
		rc = own_memory(p, b, &p->inputs.data[b], err);
	if (rc == 0 && p->inputs.data[b] && !there)
		rc = case_fill(p->inputs.data[b], p->work, b, NULL, p->seed, p->mixed, err);
	if (rc == 0 && target)
		rc = shared_data_announce(p->shared, key);
	free(key);
	return rc;
}

static int prepare_expected(struct preparation *p, int64_t command_end_ns, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < p->work->buffer_count && rc == 0; b++) {
		const size_t bytes = case_buffer_bytes(&p->work->buffers[b]);
		char *key;

		if (!case_buffer_is_result(&p->work->buffers[b]))
			continue;
		key = key_of(p, b, true);
		p->expected.data[b] = shared_data_target(p->shared, key, bytes);
		free(key);
		if (!p->expected.data[b])
			rc = own_memory(p, b, &p->expected.data[b], err);
	}
	if (rc == 0)
		rc = case_expected_compute(p->work, NULL, &p->inputs, &p->expected, command_end_ns,
					   err);
	for (size_t b = 0; b < p->work->buffer_count && rc == 0; b++) {
		char *key = case_buffer_is_result(&p->work->buffers[b]) ? key_of(p, b, true) : NULL;

		rc = key ? shared_data_announce(p->shared, key) : 0;
		free(key);
	}
	return rc;
}

static int prepare_one(const struct launch_case *work, uint64_t seed, bool mixed,
		       struct shared_data *shared, int64_t command_end_ns, struct error *err)
{
	struct preparation p = {.work = work, .seed = seed, .mixed = mixed, .shared = shared};
	const bool needed = any_expected_wanted(&p);
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++)
		if (case_buffer_is_input(&work->buffers[b]))
			rc = prepare_input(&p, b, needed, err);
	if (rc == 0 && needed)
		rc = prepare_expected(&p, command_end_ns, err);
	for (size_t i = 0; i < p.own_count; i++)
		free(p.own[i]);
	return rc;
}

int prepare_data(const struct launch_case *work, uint64_t seed, struct shared_data *shared,
		 int64_t command_end_ns, struct error *err)
{
	int rc = prepare_one(work, seed, false, shared, command_end_ns, err);

	return rc ? rc : prepare_one(work, seed, true, shared, command_end_ns, err);
}
