/* What a fake worker does with shared data. See fake_data.h. */
#include "fake_data.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_script.h"
#include "harness/protocol/messages.h"
#include "harness/workers/case_capture.h"
#include "harness/workers/expected.h"
#include "harness/workers/shared_data.h"

#define REFERENCE_BYTE 0x11

static struct shared_data *lent;

void fake_share(void *backend, struct shared_data *shared)
{
	(void)backend;
	lent = shared;
}

static void note_blocks(void)
{
	struct stat file;
	char bytes[32];

	if (fstat(WORKER_DATA_FD, &file))
		return;
	snprintf(bytes, sizeof(bytes), "%" PRId64, (int64_t)file.st_blocks * 512);
	note("blocks", bytes);
}

/* ---- the worker of a case ---- */

struct taking {
	const struct launch_case *work;
	uint64_t seed;
	bool mixed, made, wrong;
};

/* Compares what is shared with what it must be, or gives it. */
static void take(struct taking *taking, char *key, const void *data, size_t bytes)
{
	const void *shared = shared_data_find(lent, key, bytes);

	taking->made |= !shared;
	taking->wrong |= shared && memcmp(shared, data, bytes);
	if (!shared)
		shared_data_give(lent, key, data, bytes);
	free(key);
}

static void take_one(struct taking *taking, bool results)
{
	const struct launch_case *work = taking->work;
	const uint64_t seed = taking->seed + (taking->mixed ? MIXED_SEED_STEP : 0);
	struct host_buffers inputs = {0}, expected = {0};

	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		const size_t bytes = case_buffer_bytes(buffer);

		inputs.data[b] = xcalloc(1, bytes + 1);
		expected.data[b] = xcalloc(1, bytes + 1);
		if (!case_buffer_is_input(buffer))
			continue;
		case_fill(inputs.data[b], work, b, NULL, taking->seed, taking->mixed, NULL);
		take(taking, case_input_key(buffer, seed), inputs.data[b], bytes);
	}
	if (results && !case_has_reference(work))
		case_expected_compute(work, NULL, &inputs, &expected, INT64_MAX, NULL);
	for (size_t b = 0; b < work->buffer_count; b++) {
		const size_t bytes = case_buffer_bytes(&work->buffers[b]);

		if (results && case_has_reference(work))
			memset(expected.data[b], REFERENCE_BYTE, bytes);
		if (results && case_buffer_is_result(&work->buffers[b]))
			take(taking, case_expected_key(work, b, seed), expected.data[b], bytes);
		free(inputs.data[b]);
		free(expected.data[b]);
	}
}

static volatile sig_atomic_t end_asked;

static void ask_for_end(int signal_number)
{
	(void)signal_number;
	end_asked = 1;
}

/* Until perflab ends this worker: what it gives then is too late. */
static void await_end(void)
{
	signal(SIGTERM, ask_for_end);
	while (!end_asked)
		poll(NULL, 0, 1);
}

void fake_take_data(const char *when, const struct launch_case *work, uint64_t seed, bool results,
		    bool again)
{
	struct taking taking = {.work = work, .seed = seed};
	char *name = case_name(work), *what;

	if (scripted("data", NULL) &&
	    (work->check.kind == CHECK_EXPRESSION || work->check.kind == CHECK_LAUNCHES)) {
		if (scripted("give_late", name))
			await_end();
		take_one(&taking, results);
		taking.mixed = true;
		if (again)
			take_one(&taking, results);
		what = xasprintf("%s-%s",
				 taking.wrong  ? "wrong"
				 : taking.made ? "made"
					       : "shared",
				 when);
		note(what, name);
		note_blocks();
		free(what);
	}
	free(name);
}

/* ---- a worker that prepares ---- */

/* The linker puts these before the functions of the same name (--wrap). */
int __real_prepare_data(const struct launch_case *work, uint64_t seed, struct shared_data *shared,
			int64_t command_end_ns, struct error *err);
int __real_shared_data_announce(struct shared_data *shared, const char *key);
int __wrap_prepare_data(const struct launch_case *work, uint64_t seed, struct shared_data *shared,
			int64_t command_end_ns, struct error *err);
int __wrap_shared_data_announce(struct shared_data *shared, const char *key);

int __wrap_shared_data_announce(struct shared_data *shared, const char *key)
{
	char hash[HASH_TEXT_BYTES];

	hash_of(hash, key, strlen(key));
	if (shared_data_is_wanted(shared, key))
		note("filled", hash);
	return __real_shared_data_announce(shared, key);
}

/* Writes `bytes` of the first input; NULL: it is not wanted. */
static unsigned char *write_first(const struct launch_case *work, uint64_t seed,
				  struct shared_data *shared, size_t bytes, bool announced)
{
	char *key = case_input_key(&work->buffers[0], seed);
	unsigned char *target =
		shared_data_target(shared, key, case_buffer_bytes(&work->buffers[0]));

	if (target)
		memset(target, 0xab, bytes);
	if (target && announced)
		shared_data_announce(shared, key);
	free(key);
	return target;
}

static void pause_with_input(const struct launch_case *work, const char *name, uint64_t seed,
			     struct shared_data *shared)
{
	const size_t bytes = case_buffer_bytes(&work->buffers[0]);
	const unsigned char *data = write_first(work, seed, shared, bytes, true);
	size_t same = 0;

	note("paused", name);
	while (!scripted("go", NULL))
		poll(NULL, 0, 1);
	while (data && same < bytes && data[same] == 0xab)
		same++;
	note(same == bytes ? "kept" : "lost", name);
}

int __wrap_prepare_data(const struct launch_case *work, uint64_t seed, struct shared_data *shared,
			int64_t command_end_ns, struct error *err)
{
	char *name = case_name(work);
	int rc = 0;

	note("prepare", name);
	if (scripted("prepare_exit", name))
		_exit(3);
	if (scripted("prepare_die", name)) {
		write_first(work, seed, shared, case_buffer_bytes(&work->buffers[0]) / 2, false);
		killed();
	}
	if (scripted("prepare_hang", name))
		hang();
	if (scripted("prepare_stop", name))
		raise(SIGSTOP);
	if (scripted("prepare_lie_key", name))
		say("{\"reply\": \"filled\", \"key\": \"00000000000000000000000000000000\"}\n");
	if (scripted("prepare_lie_reply", name))
		say("{\"reply\": \"phase\", \"id\": 0, \"phase\": \"prepare\"}\n");
	if (scripted("prepare_fail", name))
		rc = error_set(err, PL_EUSAGE, "scripted: prepare_fail");
	else if (scripted("prepare_pause", name))
		pause_with_input(work, name, seed, shared);
	else if (!scripted("prepare_nothing", name))
		rc = __real_prepare_data(work, seed, shared, command_end_ns, err);
	note_blocks();
	free(name);
	return rc;
}
