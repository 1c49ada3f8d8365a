/* Executes the passes of a CUPTI session and replies the counters. */
#include "harness/workers/cuda/counting.h"
#include "harness/workers/expected.h"
#include "metrics/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct counting {
	struct cuda_resources *resources;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	struct worker_reply *reply;
	const struct cupti_plan *plan; /* of the step */
	struct cupti_session *session; /* of the step */
	int64_t passes;                /* of the steps so far */
};

/* A case and what was counted of it. */
struct counted_item {
	const struct count_item *item;
	struct counter_list *counters;
};

static int execute_in_range(struct counting *counting, struct operation *operation, int64_t id,
			    struct error *err)
{
	const struct device *device = counting->resources->device;
	char name[24];
	const bool cold = counting->settings->cache == CACHE_COLD;
	int rc = operation_restore(operation, err);

	if (rc == 0 && cold && operation_may_persist(operation))
		rc = cuda_reset_persisting_lines(counting->resources, err);
	if (rc == 0 && cold)
		rc = cuda_flush_l2(counting->resources, FLUSH_TO_COUNT, err);
	/* For a hot cache, an uncounted execution fills it. */
	else if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(device, err, "preparing a counted execution");
	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%" PRId64, id);
	rc = cupti_session_range_push(counting->session, name, err);
	if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(device, err, "executing the kernel under CUPTI");
	return rc ? rc : cupti_session_range_pop(counting->session, err);
}

static int count_case(struct counting *counting, const struct count_item *item, int64_t pass,
		      struct error *err)
{
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	int rc = worker_reply_phase(counting->reply, item->id, WORKER_PHASE_COUNT, pass);

	counting->resources->check_end_ns = case_check_end_ns(counting->settings->timeout_ns);
	if (rc == 0)
		rc = operation_load(&operation, counting->resources, item->work, &skip, err);
	if (rc == 0 && skip.length)
		rc = error_set(err, PL_EPROTOCOL,
			       "perflab requested counters of a case that cannot run: %s",
			       skip.data);
	if (rc == 0)
		rc = operation_prepare_inputs(&operation, err);
	if (rc == 0) {
		nvtx_enter_case(counting->ranges, item->work, item->id);
		nvtx_enter_phase(counting->ranges, "count");
		rc = execute_in_range(counting, &operation, item->id, err);
		nvtx_leave_phase(counting->ranges);
		nvtx_leave_case(counting->ranges, item->work);
	}
	operation_release(&operation);
	text_release(&skip);
	return rc;
}

static int collect_passes(struct counting *counting, const struct counted_item *items, size_t count,
			  struct error *err)
{
	for (;; counting->passes++) {
		bool more = false;
		int rc = cupti_session_pass_begin(counting->session, &more, err);

		if (rc || !more)
			return rc;
		for (size_t i = 0; i < count && rc == 0; i++)
			rc = count_case(counting, items[i].item, counting->passes, err);
		if (rc)
			return rc;
		rc = cupti_session_pass_end(counting->session, err);
		if (rc)
			return rc;
	}
}

/* Writes the image that CUPTI made, for tests that evaluate it without a GPU. */
static int dump_counter_image(const char *folder, const char *step, const uint8_t *image,
			      size_t image_bytes, struct error *err)
{
	char *path = xasprintf("%s/counters-%d%s.bin", folder, (int)getpid(), step);
	FILE *file = fopen(path, "wb");
	int rc = 0;

	if (!file || fwrite(image, 1, image_bytes, file) != image_bytes)
		rc = error_set(err, PL_EIO, "writing %s: %s", path, strerror(errno));
	if (file && fclose(file) != 0 && rc == 0)
		rc = error_set(err, PL_EIO, "writing %s: %s", path, strerror(errno));
	free(path);
	return rc;
}

/* Finds the range of each case by name, because CUPTI decides the order of the ranges. */
static int evaluate_ranges(struct counting *counting, const struct counted_item *items,
			   size_t count, const uint8_t *image, size_t image_bytes,
			   struct error *err)
{
	struct string_list names = {0};
	int rc = cupti_image_ranges(counting->plan, image, image_bytes, &names, err);

	for (size_t i = 0; i < count && rc == 0; i++) {
		char name[24];
		size_t range = 0;

		snprintf(name, sizeof(name), "%" PRId64, items[i].item->id);
		while (range < names.count && strcmp(names.items[range], name) != 0)
			range++;
		if (range == names.count)
			rc = error_set(err, PL_EDEVICE, "CUPTI returned no range for case %s",
				       name);
		else
			rc = cupti_plan_evaluate(counting->plan, image, image_bytes, range,
						 items[i].counters, err);
	}
	string_list_release(&names);
	return rc;
}

/* One step of a plan: collects its passes over the items, and adds the counters. */
static int count_step(struct counting *counting, const struct cupti_plan *plan,
		      const struct counted_item *items, size_t count, const char *step,
		      struct error *err)
{
	const uint8_t *image = NULL;
	size_t image_bytes = 0;
	int rc = 0;

	counting->plan = plan;
	if (cupti_plan_counter_count(plan) == 0) { /* every counter is missing, with a reason */
		for (size_t i = 0; i < count && rc == 0; i++)
			rc = cupti_plan_evaluate(plan, NULL, 0, 0, items[i].counters, err);
		return rc;
	}
	rc = cupti_session_open(&counting->session, plan, counting->resources->device->context,
				count, err);
	if (rc == 0)
		rc = collect_passes(counting, items, count, err);
	if (rc == 0)
		rc = cupti_session_image(counting->session, &image, &image_bytes, err);
	if (rc == 0 && counting->settings->counter_dump)
		rc = dump_counter_image(counting->settings->counter_dump, step, image, image_bytes,
					err);
	if (rc == 0)
		rc = evaluate_ranges(counting, items, count, image, image_bytes, err);
	cupti_session_close(counting->session);
	counting->session = NULL;
	return rc;
}

/* A later step: only over the items to which it applies. */
static int count_where_needed(struct counting *counting, const struct cupti_plan *plan,
			      const struct counted_item *items, size_t count, const char *step,
			      struct error *err)
{
	struct counted_item *chosen = xcalloc(count + 1, sizeof(*chosen));
	size_t chosen_count = 0;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (cupti_plan_applies(plan, items[i].counters))
			chosen[chosen_count++] = items[i];
		else
			cupti_plan_add_zeroes(plan, items[i].counters);
	}
	if (chosen_count)
		rc = count_step(counting, plan, chosen, chosen_count, step, err);
	free(chosen);
	return rc;
}

int count_cases(struct cuda_resources *resources, struct nvtx_ranges *ranges,
		const struct cupti_plan *plan, const struct measure_settings *settings,
		const struct count_item *items, size_t count, struct worker_reply *reply,
		struct error *err)
{
	struct counting counting = {
		.resources = resources, .ranges = ranges, .settings = settings, .reply = reply};
	struct counter_list *counters = xcalloc(count + 1, sizeof(*counters));
	struct counted_item *counted = xcalloc(count + 1, sizeof(*counted));
	int rc;

	for (size_t i = 0; i < count; i++)
		counted[i] = (struct counted_item){&items[i], &counters[i]};
	rc = count_step(&counting, plan, counted, count, "", err);
	for (int step = 2; rc == 0 && (plan = cupti_plan_next(plan)) != NULL; step++) {
		char suffix[24];

		snprintf(suffix, sizeof(suffix), "-step%d", step);
		rc = count_where_needed(&counting, plan, counted, count, suffix, err);
	}
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = worker_reply_counters(reply, items[i].id, &counters[i]);
	for (size_t i = 0; i < count; i++)
		counter_list_release(&counters[i]);
	free(counted);
	free(counters);
	return rc;
}
