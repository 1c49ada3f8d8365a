/* Records one launch. See take.h. */
#include "record/take.h"

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

static void describe_launch(struct capture_info *info, const struct take_request *request)
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

static int write_images(struct take *take, const struct take_request *request,
			const struct launched_function *function, const struct cubin *cubin,
			struct error *err)
{
	const int cc = (int)(take->info.cc_major * 10 + take->info.cc_minor);
	struct loaded_ptx ptx;
	int rc = capture_write_image(take->writer, CAPTURE_CUBIN, cubin->bytes, cubin->size, err);

	if (!rc && images_find_ptx(request->images, function->module, function->library, cubin,
				   request->kernel, cc, &ptx)) {
		take->info.ptx_origin = xstrdup(ptx.origin);
		rc = capture_write_image(take->writer, CAPTURE_PTX, ptx.text, ptx.bytes, err);
		free(ptx.text);
	}
	return rc;
}

static int find_cubin(const struct cubin **out, struct take *take,
		      const struct take_request *request, const struct launched_function *function,
		      struct error *err)
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
		string_list_add(&take->info.lost,
				"several images of the program have a kernel of this name; the "
				"newest was taken");
	return 0;
}

/* ---- events ---- */

static json_t *launch_members(const struct take *take)
{
	return json_pack("{s:o, s:I}", "kernel", event_json(take->info.kernel), "launch",
			 (json_int_t)take->info.number);
}

static void send_begun(const struct take *take)
{
	json_t *members = launch_members(take);

	json_object_set_new(members, "bytes", json_integer((json_int_t)take->memories.total_bytes));
	json_object_set_new(members, "memory", json_integer((json_int_t)take->info.memory_count));
	events_send(take->events, "begun", members);
}

static void send_captured(const struct take *take, uint64_t raw_bytes, uint64_t file_bytes)
{
	json_t *members = launch_members(take);
	json_t *lost = json_array();

	for (size_t i = 0; i < take->info.lost.count; i++)
		json_array_append_new(lost, event_json(take->info.lost.items[i]));
	json_object_set_new(members, "path", event_json(take->path));
	json_object_set_new(members, "bytes", json_integer((json_int_t)raw_bytes));
	json_object_set_new(members, "file_bytes", json_integer((json_int_t)file_bytes));
	json_object_set_new(members, "seconds",
			    json_real((double)(monotonic_ns() - take->began_ns) / 1e9));
	json_object_set_new(members, "lost", lost);
	events_send(take->events, "captured", members);
}

static void send_failed(const struct take *take, const struct error *err)
{
	json_t *members = launch_members(take);

	json_object_set_new(members, "why", event_json(err->text));
	events_send(take->events, "failed", members);
}

/* ---- the two halves ---- */

static void take_release(struct take *take)
{
	capture_writer_abandon(take->writer);
	memories_release(&take->memories);
	capture_info_release(&take->info);
	free(take->path);
	*take = (struct take){0};
}

static int copy_before(struct take *take, const struct take_request *request, struct error *err)
{
	struct launched_function function;
	const struct cubin *cubin = NULL;
	int rc = launched_function_find(&function, take->driver, request->call->function, err);

	if (!rc)
		rc = find_cubin(&cubin, take, request, &function, err);
	if (rc)
		return rc;
	describe_function(&take->info, take->driver, function.function);
	rc = launch_parameters_read(&take->info, take->driver, &function, request->call, err);
	if (rc)
		return rc;
	rc = device_wait_idle(take->driver, IDLE_LIMIT_NS, err);
	if (!rc)
		rc = memories_add_variables(&take->memories, function.module, cubin, err);
	if (!rc)
		rc = memories_find(&take->memories, err);
	if (rc)
		return rc;
	send_begun(take);
	rc = capture_writer_open(&take->writer, take->path, err);
	if (!rc)
		rc = write_images(take, request, &function, cubin, err);
	return rc ? rc : memories_write_before(&take->memories, take->writer, err);
}

int take_begin(struct take *out, const struct take_request *request, struct error *err)
{
	CUdevice ordinal;
	int rc;

	*out = (struct take){.driver = request->driver,
			     .events = request->events,
			     .path = xstrdup(request->path),
			     .began_ns = monotonic_ns()};
	describe_launch(&out->info, request);
	describe_device(&out->info, request->driver, &ordinal);
	memories_init(&out->memories, request->driver, ordinal, request->limit_bytes, &out->info);
	rc = copy_before(out, request, err);
	if (rc) {
		send_failed(out, err);
		take_release(out);
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
static int commit(struct take *take, struct error *err)
{
	struct capture_writer *writer = take->writer;
	const uint64_t bytes = take->memories.total_bytes;
	struct capture *written = NULL;
	int rc;

	note_no_change(&take->info);
	take->writer = NULL; /* freed in any case */
	rc = capture_writer_commit(writer, &take->info, err);
	if (!rc)
		rc = capture_open(&written, take->path, err);
	if (!rc)
		send_captured(take, bytes, capture_file_bytes(written));
	capture_close(written);
	return rc;
}

int take_end(struct take *take, bool failed, struct error *err)
{
	int rc = failed ? error_set(err, PL_EDEVICE, "the driver refused the launch")
			: device_wait_idle(take->driver, IDLE_LIMIT_NS, err);

	if (!rc)
		rc = memories_write_changes(&take->memories, take->writer, err);
	if (!rc)
		rc = commit(take, err);
	if (rc)
		send_failed(take, err);
	take_release(take);
	return rc;
}
