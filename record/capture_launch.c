/* Records one launch. See capture_launch.h. */
#include "record/capture_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perflab_config.h"
#include "record/device_words.h"
#include "record/idle.h"

/* Longer than any step of a program that makes progress. */
#define IDLE_LIMIT_NS INT64_C(60000000000)

/* ---- what the capture says of the launch ---- */

static void describe_device(struct capture_info *info, const struct record_driver *driver,
			    CUdevice *device)
{
	struct device_words words;
	int version = 0;

	*device = 0;
	driver->cuCtxGetDevice(device);
	record_device_words(&words, driver, *device);
	driver->cuDriverGetVersion(&version);
	info->device = xstrdup(words.name);
	info->uuid = xstrdup(words.uuid);
	info->cc_major = words.cc_major;
	info->cc_minor = words.cc_minor;
	info->driver_version = version;
}

static void describe_launch(struct capture_info *info, const struct capture_launch_request *request)
{
	char created[21];

	format_utc(created, wall_time_ns());
	info->kernel = xstrdup(request->kernel);
	info->number = request->number;
	info->api = xstrdup(request->call->api);
	info->program = xstrdup(request->program);
	info->created = xstrdup(created);
	info->version = xstrdup(PERFLAB_VERSION);
	info->launch = request->call->launch;
	for (size_t i = 0; i < request->call->lost.count; i++)
		string_list_add(&info->lost, request->call->lost.items[i]);
}

/* A kernel can have its cluster size from the compiler. */
static void describe_function(struct capture_info *info, const struct record_driver *driver,
			      CUfunction function)
{
	static const CUfunction_attribute sizes[] = {
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
		CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
	};
	int carveout = -1;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int size = 0;

		if (driver->cuFuncGetAttribute(&size, sizes[i], function) == CUDA_SUCCESS &&
		    size > 1)
			info->launch.cluster[i] = size;
	}
	if (info->launch.carveout < 0 &&
	    driver->cuFuncGetAttribute(&carveout,
				       CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
				       function) == CUDA_SUCCESS)
		info->launch.carveout = carveout;
}

/* ---- images ---- */

static int write_images(struct launch_capture *capture,
			const struct capture_launch_request *request,
			const struct launched_function *function, const struct cubin *cubin,
			struct error *err)
{
	const int cc = (int)(capture->info.cc_major * 10 + capture->info.cc_minor);
	struct loaded_ptx ptx;
	int rc =
		capture_write_image(capture->writer, CAPTURE_CUBIN, cubin->bytes, cubin->size, err);

	if (!rc && images_find_ptx(request->images, function->module, function->library, cubin,
				   request->kernel, cc, &ptx)) {
		capture->info.ptx_origin = xstrdup(ptx.origin);
		rc = capture_write_image(capture->writer, CAPTURE_PTX, ptx.text, ptx.bytes, err);
		free(ptx.text);
	}
	return rc;
}

static int find_cubin(const struct cubin **out, struct launch_capture *capture,
		      const struct capture_launch_request *request,
		      const struct launched_function *function, struct error *err)
{
	bool ambiguous;
	int rc = request->reloader ? reload_code(request->reloader, function, request->kernel, err)
				   : 0;

	if (rc)
		return rc;
	*out = images_find(request->images, function->module, function->library, request->kernel,
			   &ambiguous);
	if (!*out)
		return error_set(err, PL_ENOENT,
				 "the machine code of the kernel was loaded before the recorder, "
				 "CUPTI did not show it, or there was no memory for a copy");
	if (ambiguous)
		string_list_add(&capture->info.lost,
				"several images of the program have a kernel of this name; the "
				"newest was taken");
	return 0;
}

/* ---- events ---- */

static json_t *launch_members(const struct launch_capture *capture)
{
	return json_pack("{s:o, s:I}", "kernel", event_json(capture->info.kernel), "launch",
			 (json_int_t)capture->info.number);
}

static void send_begun(const struct launch_capture *capture)
{
	json_t *members = launch_members(capture);

	json_object_set_new(members, "bytes",
			    json_integer((json_int_t)capture->memories.total_bytes));
	json_object_set_new(members, "memory",
			    json_integer((json_int_t)capture->info.memory_count));
	events_send(capture->events, "begun", members);
}

static void send_captured(const struct launch_capture *capture, uint64_t raw_bytes,
			  uint64_t file_bytes)
{
	json_t *members = launch_members(capture);
	json_t *lost = json_array();

	for (size_t i = 0; i < capture->info.lost.count; i++)
		json_array_append_new(lost, event_json(capture->info.lost.items[i]));
	json_object_set_new(members, "path", event_json(capture->path));
	json_object_set_new(members, "bytes", json_integer((json_int_t)raw_bytes));
	json_object_set_new(members, "file_bytes", json_integer((json_int_t)file_bytes));
	json_object_set_new(members, "seconds",
			    json_real((double)(monotonic_ns() - capture->began_ns) / 1e9));
	json_object_set_new(members, "lost", lost);
	events_send(capture->events, "captured", members);
}

static void send_failed(const struct launch_capture *capture, const struct error *err)
{
	json_t *members = launch_members(capture);

	json_object_set_new(members, "why", event_json(err->text));
	events_send(capture->events, "failed", members);
}

/* ---- the two halves ---- */

static void capture_release(struct launch_capture *capture)
{
	capture_writer_abandon(capture->writer);
	memories_release(&capture->memories);
	capture_info_release(&capture->info);
	free(capture->path);
	*capture = (struct launch_capture){0};
}

static int copy_before(struct launch_capture *capture, const struct capture_launch_request *request,
		       struct error *err)
{
	struct launched_function function;
	const struct cubin *cubin = NULL;
	int rc = launched_function_find(&function, capture->driver, request->call->function, err);

	if (!rc)
		rc = find_cubin(&cubin, capture, request, &function, err);
	if (rc)
		return rc;
	describe_function(&capture->info, capture->driver, function.function);
	rc = launch_parameters_read(&capture->info, capture->driver, &function, request->call, err);
	if (rc)
		return rc;
	rc = device_wait_idle(capture->driver, IDLE_LIMIT_NS, err);
	if (!rc)
		rc = memories_add_variables(&capture->memories, function.module, cubin, err);
	if (!rc)
		rc = memories_find(&capture->memories, err);
	if (rc)
		return rc;
	send_begun(capture);
	rc = capture_writer_open(&capture->writer, capture->path, err);
	if (!rc)
		rc = write_images(capture, request, &function, cubin, err);
	return rc ? rc : memories_write_before(&capture->memories, capture->writer, err);
}

int capture_launch_begin(struct launch_capture *out, const struct capture_launch_request *request,
			 struct error *err)
{
	CUdevice ordinal;
	int rc;

	*out = (struct launch_capture){.driver = request->driver,
				       .events = request->events,
				       .path = xstrdup(request->path),
				       .began_ns = monotonic_ns()};
	describe_launch(&out->info, request);
	describe_device(&out->info, request->driver, &ordinal);
	memories_init(&out->memories, request->driver, ordinal, request->limit_bytes, &out->info);
	rc = copy_before(out, request, err);
	if (rc) {
		send_failed(out, err);
		capture_release(out);
	}
	return rc;
}

/* Without a change, a kernel that does nothing would pass as a replay. */
static void note_no_change(struct capture_info *info)
{
	for (size_t i = 0; i < info->memory_count; i++)
		if (info->memory[i].changed)
			return;
	string_list_add(&info->lost,
			"a result: the launch changed no memory, so a replay cannot be verified; "
			"record another launch");
}

/* Completes the capture and reports it. */
static int commit(struct launch_capture *capture, struct error *err)
{
	struct capture_writer *writer = capture->writer;
	const uint64_t bytes = capture->memories.total_bytes;
	struct capture *written = NULL;
	int rc;

	note_no_change(&capture->info);
	capture->writer = NULL; /* freed in any case */
	rc = capture_writer_commit(writer, &capture->info, err);
	if (!rc)
		rc = capture_open(&written, capture->path, err);
	if (!rc)
		send_captured(capture, bytes, capture_file_bytes(written));
	capture_close(written);
	return rc;
}

int capture_launch_end(struct launch_capture *capture, bool failed, struct error *err)
{
	int rc = failed ? error_set(err, PL_EDEVICE, "the driver refused the launch")
			: device_wait_idle(capture->driver, IDLE_LIMIT_NS, err);

	if (!rc)
		rc = memories_write_changes(&capture->memories, capture->writer, err);
	if (!rc)
		rc = commit(capture, err);
	if (rc)
		send_failed(capture, err);
	capture_release(capture);
	return rc;
}
