#include "record/capture_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perflab_config.h"
#include "record/events.h"
#include "record/memories.h"

/* What is being recorded. */
static struct {
	char *path;
	char *reservation;                /* a file that keeps other processes from the same name */
	CUstreamCaptureMode capture_mode; /* of the thread before the recording */
	struct capture_info info;
	struct memories memories;
	struct capture_writer *writer;
	int64_t began_ns;
} capture;

/* ---- the name of a capture: PREFIX.capture, PREFIX-2.capture, … ----
 *
 * Several processes may want one at once. A capture gets its name at the end, so until then another
 * process would find the name free. Therefore the number is reserved by a file in the folder of the
 * request. What is left of a process that was killed costs a number.
 */

/* Without a folder to write to there are no reservations, and the name is taken all the same. */
static bool reserve(void)
{
	int fd = open(capture.reservation, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return false;
	if (fd >= 0)
		close(fd);
	/* After the reservation: before it, another process may still write that file. */
	if (access(capture.path, F_OK) != 0)
		return true;
	if (fd >= 0)
		unlink(capture.reservation);
	return false;
}

/* Takes the first name that no file has and no process wants. */
static void reserve_name(const struct record_request *request)
{
	for (int64_t number = 1;; number++) {
		capture.path = number == 1 ? xasprintf("%s" CAPTURE_SUFFIX, request->output)
					   : xasprintf("%s-%" PRId64 CAPTURE_SUFFIX,
						       request->output, number);
		capture.reservation = xasprintf("%s/reserved-%" PRId64, request->folder, number);
		if (reserve())
			return;
		free(capture.path);
		free(capture.reservation);
	}
}

/* ---- waiting for the GPU ----
 *
 * Not for ever: a kernel may wait for another one that the recorder holds back. The driver's wait
 * has no time limit, so it happens in a thread of its own.
 */

/* Longer than any step of a program that makes progress. */
#define IDLE_LIMIT_S 60

/* Shared by the thread that waits and the one that waits for it; freed by the last of the two. */
struct waiting {
	CUcontext context;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done, abandoned;
	CUresult result;
};

static void free_waiting(struct waiting *waiting)
{
	pthread_cond_destroy(&waiting->changed);
	pthread_mutex_destroy(&waiting->lock);
	free(waiting);
}

static void *wait_for_context(void *argument)
{
	struct waiting *waiting = argument;
	CUresult result = driver.cuCtxSetCurrent(waiting->context);
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	bool abandoned;

	driver.cuThreadExchangeStreamCaptureMode(&mode);
	if (result == CUDA_SUCCESS)
		result = driver.cuCtxSynchronize();
	pthread_mutex_lock(&waiting->lock);
	waiting->result = result;
	waiting->done = true;
	abandoned = waiting->abandoned;
	pthread_cond_signal(&waiting->changed);
	pthread_mutex_unlock(&waiting->lock);
	if (abandoned)
		free_waiting(waiting);
	return NULL;
}

/* Returns whether it was done in time. */
static bool await_done(struct waiting *waiting, CUresult *result)
{
	struct timespec end;
	bool done;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += IDLE_LIMIT_S;
	pthread_mutex_lock(&waiting->lock);
	while (!waiting->done &&
	       pthread_cond_timedwait(&waiting->changed, &waiting->lock, &end) != ETIMEDOUT)
		;
	done = waiting->done;
	waiting->abandoned = !done;
	*result = waiting->result;
	pthread_mutex_unlock(&waiting->lock);
	return done;
}

/* Waits until the current context has no work. PL_EUNSUPPORTED: it still has after the limit.
 * PL_EDEVICE: the work failed. */
static int await_idle(struct error *err)
{
	struct waiting *waiting = xcalloc(1, sizeof(*waiting));
	pthread_condattr_t clock;
	pthread_t thread;
	sigset_t signals, all_signals;
	CUresult result;
	int failed;

	driver.cuCtxGetCurrent(&waiting->context);
	pthread_mutex_init(&waiting->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&waiting->changed, &clock);
	pthread_condattr_destroy(&clock);
	/* The thread inherits the mask: handlers of the program are made for its own threads. */
	sigfillset(&all_signals);
	pthread_sigmask(SIG_SETMASK, &all_signals, &signals);
	failed = pthread_create(&thread, NULL, wait_for_context, waiting);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	if (failed) {
		free_waiting(waiting);
		return error_set(err, PL_EIO, "the program can have no more threads");
	}
	pthread_detach(thread);
	if (!await_done(waiting, &result))
		return error_set(err, PL_EUNSUPPORTED,
				 "the GPU was not idle after %d s: a kernel may wait for another "
				 "one; record another launch",
				 IDLE_LIMIT_S);
	free_waiting(waiting);
	return record_driver_check(result, err, "waiting for the GPU");
}

/* ---- what the capture says of the launch ---- */

static void describe_device(CUdevice *device)
{
	struct device_words words;
	int version = 0;

	*device = 0;
	driver.cuCtxGetDevice(device);
	record_device_words(&words, *device);
	driver.cuDriverGetVersion(&version);
	capture.info.device = xstrdup(words.name);
	capture.info.uuid = xstrdup(words.uuid);
	capture.info.cc_major = words.cc_major;
	capture.info.cc_minor = words.cc_minor;
	capture.info.driver_version = version;
}

static void describe_launch(const struct launch_call *call, const char *kernel, int64_t number,
			    const char *program)
{
	struct capture_info *info = &capture.info;
	char created[21];

	format_utc(created, wall_time_ns());
	info->kernel = xstrdup(kernel);
	info->number = number;
	info->api = xstrdup(call->api);
	info->program = xstrdup(program);
	info->created = xstrdup(created);
	info->version = xstrdup(PERFLAB_VERSION);
	info->launch = call->launch;
	for (size_t i = 0; i < call->lost.count; i++)
		string_list_add(&info->lost, call->lost.items[i]);
}

/* A kernel can have its cluster size from the compiler. */
static void describe_function(CUfunction function)
{
	static const CUfunction_attribute sizes[] = {
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
	};
	int carveout = -1;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int size = 0;

		if (driver.cuFuncGetAttribute(&size, sizes[i], function) == CUDA_SUCCESS &&
		    size > 1)
			capture.info.launch.cluster[i] = size;
	}
	if (capture.info.launch.carveout < 0 &&
	    driver.cuFuncGetAttribute(&carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
				      function) == CUDA_SUCCESS)
		capture.info.launch.carveout = carveout;
}

/* ---- images ---- */

static int write_images(const struct launched_function *function, const struct cubin *cubin,
			struct error *err)
{
	const int cc = (int)(capture.info.cc_major * 10 + capture.info.cc_minor);
	struct loaded_ptx ptx;
	int rc = capture_write_image(capture.writer, CAPTURE_CUBIN, cubin->bytes, cubin->size, err);

	if (!rc && images_find_ptx(function, cubin, capture.info.kernel, cc, &ptx)) {
		capture.info.ptx_origin = xstrdup(ptx.origin);
		rc = capture_write_image(capture.writer, CAPTURE_PTX, ptx.text, ptx.bytes, err);
		free(ptx.text);
	}
	return rc;
}

static int find_cubin(const struct cubin **out, const struct launched_function *function,
		      struct error *err)
{
	bool ambiguous;
	int rc = images_find(out, function, capture.info.kernel, &ambiguous, err);

	if (ambiguous)
		string_list_add(&capture.info.lost,
				"several images of the program have a kernel of this name; the "
				"newest was taken");
	return rc;
}

/* ---- events ---- */

static json_t *launch_members(void)
{
	return json_pack("{s:o, s:I}", "kernel", event_json(capture.info.kernel), "launch",
			 (json_int_t)capture.info.number);
}

static void send_begun(void)
{
	json_t *members = launch_members();

	json_object_set_new(members, "bytes",
			    json_integer((json_int_t)capture.memories.total_bytes));
	json_object_set_new(members, "memory", json_integer((json_int_t)capture.info.memory_count));
	events_send("begun", members);
}

static void send_captured(uint64_t raw_bytes, uint64_t file_bytes)
{
	json_t *members = launch_members();
	json_t *lost = json_array();

	for (size_t i = 0; i < capture.info.lost.count; i++)
		json_array_append_new(lost, event_json(capture.info.lost.items[i]));
	json_object_set_new(members, "path", event_json(capture.path));
	json_object_set_new(members, "bytes", json_integer((json_int_t)raw_bytes));
	json_object_set_new(members, "file_bytes", json_integer((json_int_t)file_bytes));
	json_object_set_new(members, "seconds",
			    json_real((double)(monotonic_ns() - capture.began_ns) / 1e9));
	json_object_set_new(members, "lost", lost);
	events_send("captured", members);
}

static void send_failed(const struct error *err)
{
	json_t *members = launch_members();

	json_object_set_new(members, "why", event_json(err->text));
	events_send("failed", members);
}

/* ---- the two halves ---- */

static void capture_release(void)
{
	capture_writer_abandon(capture.writer);
	memories_release(&capture.memories);
	capture_info_release(&capture.info);
	driver.cuThreadExchangeStreamCaptureMode(&capture.capture_mode);
	unlink(capture.reservation);
	free(capture.reservation);
	free(capture.path);
	memset(&capture, 0, sizeof(capture));
}

static int copy_before(const struct launch_call *call, struct error *err)
{
	struct launched_function function;
	const struct cubin *cubin = NULL;
	int rc = launched_function_find(&function, call->function, err);

	if (!rc)
		rc = find_cubin(&cubin, &function, err);
	if (rc)
		return rc;
	describe_function(function.function);
	rc = launch_parameters_read(&capture.info, &function, call, err);
	if (rc)
		return rc;
	rc = await_idle(err);
	if (!rc)
		rc = memories_add_variables(&capture.memories, function.module, cubin, err);
	if (!rc)
		rc = memories_find(&capture.memories, err);
	if (rc)
		return rc;
	send_begun();
	rc = capture_writer_open(&capture.writer, capture.path, err);
	if (!rc)
		rc = write_images(&function, cubin, err);
	return rc ? rc : memories_write_before(&capture.memories, capture.writer, err);
}

bool capture_launch_begin(const struct record_request *request, const struct launch_call *call,
			  const char *kernel, int64_t number, const char *program)
{
	struct error err = {0};
	CUdevice ordinal;

	reserve_name(request);
	/* Another stream of the program may be recorded into a graph, which forbids copies. */
	capture.capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	driver.cuThreadExchangeStreamCaptureMode(&capture.capture_mode);
	capture.began_ns = monotonic_ns();
	describe_launch(call, kernel, number, program);
	describe_device(&ordinal);
	memories_init(&capture.memories, ordinal, (uint64_t)request->limit_bytes, &capture.info);
	if (copy_before(call, &err)) {
		send_failed(&err);
		capture_release();
		return false;
	}
	return true;
}

/* Completes the capture and reports it. */
static int commit(struct error *err)
{
	struct capture_writer *writer = capture.writer;
	const uint64_t bytes = capture.memories.total_bytes;
	struct capture *written = NULL;
	bool changed = false;
	int rc;

	for (size_t i = 0; i < capture.info.memory_count; i++)
		changed |= capture.info.memory[i].changed;
	/* Without a change, a kernel that does nothing would pass as a replay. */
	if (!changed)
		string_list_add(&capture.info.lost,
				"a result: the launch changed no memory, so a replay cannot be "
				"verified; record another launch");
	capture.writer = NULL; /* freed in any case */
	rc = capture_writer_commit(writer, &capture.info, err);
	if (!rc)
		rc = capture_open(&written, capture.path, err);
	if (!rc)
		send_captured(bytes, capture_file_bytes(written));
	capture_close(written);
	return rc;
}

void capture_launch_end(bool failed)
{
	struct error err = {0};
	int rc = failed ? error_set(&err, PL_EDEVICE, "the driver refused the launch")
			: await_idle(&err);

	if (!rc)
		rc = memories_write_changes(&capture.memories, capture.writer, &err);
	if (!rc)
		rc = commit(&err);
	if (rc)
		send_failed(&err);
	capture_release();
}
