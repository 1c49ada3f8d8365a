/*
 * Times the fills and the oracles of built-in kernels on the host, one line for
 * each distinct input and each distinct result of the cases of a sweep:
 *
 *   oracle_times [--repeat N] [--seed N] [SELECTOR | AXIS=VALUES]…
 *
 * The cases are those of an H200. Lines are separated by tabs:
 *   input   NUMBER  FILL    BYTES  WALL_NS  PROCESSOR_NS  HASH  KEY
 *   result  NUMBER  ORACLE  BYTES  WALL_NS  PROCESSOR_NS  HASH  KEY
 *   case    RESULT  KERNEL/VARIANT/CONFIG
 * Times are the least of N repetitions, so memory is in place. PROCESSOR_NS adds
 * up the time of all threads. Equal hashes mean equal bytes. scripts/bench-oracles
 * runs this program and makes tables of its lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xxhash.h>

#include "harness/plan/plan.h"
#include "harness/workers/case_buffers.h"
#include "harness/workers/expected.h"

#define MOST_OVERRIDES 16

struct options {
	int repeat;
	uint64_t seed;
	const char *selectors[64];
	size_t selector_count;
	struct axis_override overrides[MOST_OVERRIDES];
	size_t override_count;
};

struct times {
	int64_t wall_ns, processor_ns;
};

static int64_t processor_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void fail(const char *doing, const struct error *err)
{
	fprintf(stderr, "oracle_times: %s: %s\n", doing, err->text);
	exit(3);
}

/* What is timed: an oracle, or the fill of one buffer of the case. */
struct job {
	const struct launch_case *work;
	const struct kernel_oracle *oracle; /* NULL: a fill */
	const struct case_buffer *buffer;
	uint64_t seed;
	struct host_buffers *inputs, *expected;
	void *data;
};

static void run_job(const struct job *job)
{
	struct error err = {0};
	int rc = job->oracle ? kernel_oracle_compute(job->oracle, job->work, job->inputs,
						     job->expected, &err)
			     : kernel_fill(job->data, job->buffer, job->seed, &err);

	if (rc)
		fail(job->oracle ? job->oracle->name : job->buffer->name, &err);
}

static struct times least_times(const struct job *job, int repeat)
{
	struct times least = {INT64_MAX, INT64_MAX};

	for (int r = 0; r < repeat; r++) {
		int64_t wall = monotonic_ns(), processor = processor_ns();

		run_job(job);
		wall = monotonic_ns() - wall;
		processor = processor_ns() - processor;
		least.wall_ns = wall < least.wall_ns ? wall : least.wall_ns;
		least.processor_ns =
			processor < least.processor_ns ? processor : least.processor_ns;
	}
	return least;
}

/* The index of `key`, which is added if the list lacks it; *is_new says so. */
static size_t number_of(struct string_list *keys, const char *key, bool *is_new)
{
	*is_new = false;
	for (size_t i = 0; i < keys->count; i++)
		if (!strcmp(keys->items[i], key))
			return i;
	*is_new = true;
	string_list_add(keys, key);
	return keys->count - 1;
}

static void print_line(const char *kind, size_t number, const char *name, size_t bytes,
		       struct times times, uint64_t hash, const char *key)
{
	printf("%s\t%zu\t%s\t%zu\t%" PRId64 "\t%" PRId64 "\t%016" PRIx64 "\t%s\n", kind, number,
	       name, bytes, times.wall_ns, times.processor_ns, hash, key);
}

static void *allocate(const struct case_buffer *buffer)
{
	size_t bytes = case_buffer_bytes(buffer);
	void *data = malloc(bytes + 1);

	if (!data)
		fail(buffer->name, &(struct error){.text = "no memory"});
	return memset(data, 0xff, bytes);
}

static void time_input(struct job *job, const struct case_buffer *buffer, void *data,
		       const struct options *options, struct string_list *inputs)
{
	char *key = case_input_key(buffer, options->seed);
	char *name =
		xasprintf("%s %s", buffer_fill_name(buffer->fill), element_type_name(buffer->type));
	bool is_new;
	size_t number = number_of(inputs, key, &is_new);
	size_t bytes = case_buffer_bytes(buffer);
	struct times times;

	job->oracle = NULL;
	job->buffer = buffer;
	job->data = data;
	times = least_times(job, is_new ? options->repeat : 1);
	if (is_new)
		print_line("input", number, name, bytes, times, XXH64(data, bytes, 0), key);
	free(name);
	free(key);
}

static void time_result(const struct launch_case *work, const struct options *options,
			struct string_list *inputs, size_t number, const char *key)
{
	struct host_buffers of_inputs = {0}, expected = {0};
	struct job job = {
		.work = work, .seed = options->seed, .inputs = &of_inputs, .expected = &expected};
	XXH64_state_t *hash = XXH64_createState();
	struct times times;
	size_t bytes = 0;

	XXH64_reset(hash, 0);
	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *buffer = &work->buffers[b];

		if (case_buffer_is_input(buffer)) {
			of_inputs.data[b] = allocate(buffer);
			time_input(&job, buffer, of_inputs.data[b], options, inputs);
		}
		if (case_buffer_is_result(buffer))
			expected.data[b] = allocate(buffer);
	}
	job.oracle = kernel_find_oracle(work->oracle);
	times = least_times(&job, options->repeat);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (expected.data[b]) {
			bytes += case_buffer_bytes(&work->buffers[b]);
			XXH64_update(hash, expected.data[b], case_buffer_bytes(&work->buffers[b]));
		}
		free(of_inputs.data[b]);
		free(expected.data[b]);
	}
	print_line("result", number, work->oracle, bytes, times, XXH64_digest(hash), key);
	XXH64_freeState(hash);
	fflush(stdout);
}

/* The key of all results of a case together. */
static char *results_key(const struct launch_case *work, uint64_t seed)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (case_buffer_is_result(&work->buffers[b]))
			return case_expected_key(work, b, seed);
	return NULL;
}

static void time_plan(const struct plan *plan, const struct options *options)
{
	struct string_list inputs = {0}, results = {0};

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		bool is_new;
		size_t number;
		char *key;

		if (!planned->launch)
			continue;
		key = results_key(planned->launch, options->seed);
		number = number_of(&results, key, &is_new);
		if (is_new)
			time_result(planned->launch, options, &inputs, number, key);
		printf("case\t%zu\t%s/%s/%s\n", number, planned->kernel, planned->variant,
		       planned->config);
		free(key);
	}
	string_list_release(&inputs);
	string_list_release(&results);
}

static int parse_arguments(struct options *out, int count, char **arguments)
{
	for (int a = 1; a < count; a++) {
		char *equals = strchr(arguments[a], '=');

		if (!strcmp(arguments[a], "--repeat") && a + 1 < count) {
			out->repeat = atoi(arguments[++a]);
		} else if (!strcmp(arguments[a], "--seed") && a + 1 < count) {
			out->seed = strtoull(arguments[++a], NULL, 10);
		} else if (arguments[a][0] == '-') {
			return -1;
		} else if (equals && !strchr(arguments[a], '/')) {
			if (out->override_count == MOST_OVERRIDES)
				return -1;
			*equals = '\0';
			out->overrides[out->override_count++] =
				(struct axis_override){arguments[a], equals + 1};
		} else if (out->selector_count < ARRAY_SIZE(out->selectors)) {
			out->selectors[out->selector_count++] = arguments[a];
		}
	}
	return out->repeat > 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	/* An H200. */
	const struct device_limits limits = {
		.compute_capability = 90,
		.max_threads_per_block = 1024,
		.max_grid_x = INT64_C(2147483647),
		.max_shared_bytes_per_block = 232448,
		.max_threads_per_sm = 2048,
		.sm_count = 132,
		.global_memory_bytes = INT64_C(150000000000),
		.l2_bytes = 62914560,
	};
	struct options options = {.repeat = 3, .seed = 1};
	struct plan_request request;
	struct plan *plan = NULL;
	struct error err = {0};

	if (parse_arguments(&options, argc, argv)) {
		fputs("usage: oracle_times [--repeat N] [--seed N] [SELECTOR | AXIS=VALUES]...\n",
		      stderr);
		return 2;
	}
	request = (struct plan_request){.selectors = options.selectors,
					.selector_count = options.selector_count,
					.overrides = options.overrides,
					.override_count = options.override_count};
	if (plan_build(&plan, &request, &limits, &err))
		fail("planning", &err);
	time_plan(plan, &options);
	plan_free(plan);
	return 0;
}
