/* Executes the passes of a CUPTI session and replies the counters. A thread evaluates the counters
 * of some cases while the next ones are counted. */
#include "harness/workers/cuda/backend.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/workers/expected.h"
#include "metrics/settings.h"

/* Cases that go through their passes together. CUPTI needs 0.4 MB of image for each, and about 1 ms
 * to begin a session for that many more: docs/results/log.md. */
#define CASES_TOGETHER 128

struct counted_item;

/* Counters to evaluate, of cases that went through their passes together. */
struct evaluation {
	const struct cupti_plan *plan;
	struct counted_item *const *items;
	size_t count; /* 0: there is none */
	const uint8_t *image;
	size_t image_bytes;
	pthread_t thread;
	bool running;
	int rc;
	struct error why;
};

struct counting {
	struct cuda_resources *resources;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	struct worker_reply *reply;
	const struct cupti_plan *plan; /* of the step */
	struct cupti_session *session; /* of the step */
	struct evaluation evaluation;  /* of the cases before those that are counted */
	int step;                      /* from 1 */
	int64_t passes;                /* of the steps so far */
};

/* A case and what was counted of it. */
struct counted_item {
	const struct count_item *item;
	struct counter_list counters;
	const struct cupti_plan *next; /* the step that it waits for; NULL: it has its counters */
};

static int execute_in_range(struct counting *counting, struct operation *operation, int64_t id,
			    struct error *err)
{
	const struct device *device = counting->resources->device;
	char name[24];
	int rc = operation_make_ready(operation, counting->settings->cache, FLUSH_TO_COUNT, err);

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
		rc = operation_prepare(&operation, false, err);
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

/* Executes the passes over the items. The first has the number `first`; *end is the one after the
 * last. */
static int collect_passes(struct counting *counting, struct counted_item *const *items,
			  size_t count, int64_t first, int64_t *end, struct error *err)
{
	for (*end = first;; ++*end) {
		bool more = false;
		int rc = cupti_session_pass_begin(counting->session, &more, err);

		if (rc || !more)
			return rc;
		for (size_t i = 0; i < count && rc == 0; i++)
			rc = count_case(counting, items[i]->item, *end, err);
		if (rc)
			return rc;
		rc = cupti_session_pass_end(counting->session, err);
		if (rc)
			return rc;
	}
}

/* Writes the image of a step that begins with the item `first`, for tests that evaluate it without
 * a GPU. */
static int dump_counter_image(const struct counting *counting, size_t first, const uint8_t *image,
			      size_t image_bytes, struct error *err)
{
	struct text path = TEXT_INIT;
	FILE *file;
	int rc = 0;

	text_addf(&path, "%s/counters-%d", counting->settings->counter_dump, (int)getpid());
	if (counting->step > 1)
		text_addf(&path, "-step%d", counting->step);
	if (first)
		text_addf(&path, "-from%zu", first);
	text_add(&path, ".bin");
	file = fopen(path.data, "wb");
	if (!file || fwrite(image, 1, image_bytes, file) != image_bytes)
		rc = error_set(err, PL_EIO, "writing %s: %s", path.data, strerror(errno));
	if (file && fclose(file) != 0 && rc == 0)
		rc = error_set(err, PL_EIO, "writing %s: %s", path.data, strerror(errno));
	text_release(&path);
	return rc;
}

/* Finds the range of each case by name, because CUPTI decides the order of the ranges. */
static int evaluate_ranges(const struct evaluation *evaluation, struct error *err)
{
	struct counted_item *const *items = evaluation->items;
	struct string_list names = {0};
	int rc = cupti_image_ranges(evaluation->plan, evaluation->image, evaluation->image_bytes,
				    &names, err);

	for (size_t i = 0; i < evaluation->count && rc == 0; i++) {
		char name[24];
		size_t range = 0;

		snprintf(name, sizeof(name), "%" PRId64, items[i]->item->id);
		while (range < names.count && strcmp(names.items[range], name) != 0)
			range++;
		if (range == names.count)
			rc = error_set(err, PL_EDEVICE, "CUPTI returned no range for case %s",
				       name);
		else
			rc = cupti_plan_evaluate(evaluation->plan, evaluation->image,
						 evaluation->image_bytes, range,
						 &items[i]->counters, err);
	}
	string_list_release(&names);
	return rc;
}

static void *evaluate_in_thread(void *context)
{
	struct evaluation *evaluation = context;

	evaluation->rc = evaluate_ranges(evaluation, &evaluation->why);
	return NULL;
}

/* Finds the next step that applies to an item, and replies its counters if there is none. perflab
 * stores them while other cases are counted. */
static int settle_item(const struct counting *counting, struct counted_item *item)
{
	item->next = cupti_plan_next(counting->plan);
	while (item->next && !cupti_plan_applies(item->next, &item->counters)) {
		cupti_plan_add_zeroes(item->next, &item->counters);
		item->next = cupti_plan_next(item->next);
	}
	return item->next ? 0
			  : worker_reply_counters(counting->reply, item->item->id, &item->counters);
}

/* Waits for the evaluation, if there is one, and settles its items, also if the cases after them
 * failed with `rc`. Returns `rc`, or its own failure if that is 0. */
static int evaluation_end(struct counting *counting, int rc, struct error *err)
{
	struct evaluation *evaluation = &counting->evaluation;
	int own;

	if (evaluation->running)
		pthread_join(evaluation->thread, NULL);
	own = evaluation->rc;
	for (size_t i = 0; i < evaluation->count && own == 0; i++)
		own = settle_item(counting, evaluation->items[i]);
	if (rc == 0 && evaluation->rc)
		error_set(err, evaluation->rc, "%s", evaluation->why.text);
	*evaluation = (struct evaluation){0};
	return rc ? rc : own;
}

/* Counts some items of a step in the open session. Settles those before them. */
static int count_together(struct counting *counting, struct counted_item *const *items,
			  size_t first, size_t count, int64_t *end, struct error *err)
{
	struct evaluation *evaluation = &counting->evaluation;
	const uint8_t *image = NULL;
	size_t image_bytes = 0;
	int rc = first ? cupti_session_begin_again(counting->session, err) : 0;

	if (rc == 0)
		rc = collect_passes(counting, items + first, count, counting->passes, end, err);
	rc = evaluation_end(counting, rc, err);
	if (rc == 0)
		rc = cupti_session_image(counting->session, &image, &image_bytes, err);
	if (rc == 0 && counting->settings->counter_dump)
		rc = dump_counter_image(counting, first, image, image_bytes, err);
	if (rc)
		return rc;
	*evaluation = (struct evaluation){.plan = counting->plan,
					  .items = items + first,
					  .count = count,
					  .image = image,
					  .image_bytes = image_bytes};
	evaluation->running =
		pthread_create(&evaluation->thread, NULL, evaluate_in_thread, evaluation) == 0;
	if (!evaluation->running)
		evaluate_in_thread(evaluation);
	return 0;
}

/* One step of a plan: collects its passes over the items, and adds the counters. */
static int count_step(struct counting *counting, struct counted_item *const *items, size_t count,
		      struct error *err)
{
	int64_t end = counting->passes;
	size_t together = count < CASES_TOGETHER ? count : CASES_TOGETHER;
	int rc = 0;

	if (cupti_plan_counter_count(counting->plan) == 0) {
		/* every counter is missing, with a reason */
		for (size_t i = 0; i < count && rc == 0; i++) {
			rc = cupti_plan_evaluate(counting->plan, NULL, 0, 0, &items[i]->counters,
						 err);
			if (rc == 0)
				rc = settle_item(counting, items[i]);
		}
		return rc;
	}
	rc = cupti_session_open(&counting->session, counting->plan,
				counting->resources->device->context, together, err);
	for (size_t first = 0; first < count && rc == 0; first += together) {
		if (together > count - first)
			together = count - first;
		rc = count_together(counting, items, first, together, &end, err);
	}
	rc = evaluation_end(counting, rc, err);
	cupti_session_close(counting->session);
	counting->session = NULL;
	counting->passes = end;
	return rc;
}

int count_cases(struct cuda_resources *resources, struct nvtx_ranges *ranges,
		const struct cupti_plan *plan, const struct measure_settings *settings,
		const struct count_item *items, size_t count, struct worker_reply *reply,
		struct error *err)
{
	struct counting counting = {
		.resources = resources, .ranges = ranges, .settings = settings, .reply = reply};
	struct counted_item *counted = xcalloc(count + 1, sizeof(*counted));
	struct counted_item **chosen = xcalloc(count + 1, sizeof(struct counted_item *));
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		counted[i] = (struct counted_item){.item = &items[i], .next = plan};
	for (counting.plan = plan; counting.plan && rc == 0;
	     counting.plan = cupti_plan_next(counting.plan)) {
		size_t chosen_count = 0;

		counting.step++;
		for (size_t i = 0; i < count; i++)
			if (counted[i].next == counting.plan)
				chosen[chosen_count++] = &counted[i];
		if (chosen_count)
			rc = count_step(&counting, chosen, chosen_count, err);
	}
	for (size_t i = 0; i < count; i++)
		counter_list_release(&counted[i].counters);
	free(chosen);
	free(counted);
	return rc;
}

/* ---- access to the counters ---- */

static void wait_for_thread(struct counter_access *access)
{
	if (access->running)
		pthread_join(access->thread, NULL);
	access->running = false;
}

/* A failure comes again, and is reported then. */
static void *hook_in_thread(void *context)
{
	struct error ignored = {0};

	(void)context;
	cupti_hook(&ignored);
	return NULL;
}

void counter_access_hook(struct counter_access *access)
{
	access->running = pthread_create(&access->thread, NULL, hook_in_thread, NULL) == 0;
}

static void plan_counters_of_device(struct counter_access *access)
{
	uint8_t *availability = NULL;

	access->why = (struct error){0};
	access->rc = cupti_load(access->cupti, &access->why);
	if (access->rc == 0)
		access->rc = cupti_device_check(access->device->context, access->device->handle,
						access->chip, &availability, &access->why);
	if (access->rc == 0)
		access->rc = cupti_plan_create(&access->plan, access->chip, &access->metrics,
					       availability, &access->why);
	free(availability);
}

static void *plan_in_thread(void *context)
{
	struct counter_access *access = context;

	access->device->driver.cuCtxSetCurrent(access->device->context);
	plan_counters_of_device(access);
	return NULL;
}

static void metrics_take(struct counter_access *access, const struct string_list *metrics)
{
	string_list_release(&access->metrics);
	for (size_t i = 0; i < metrics->count; i++)
		string_list_add(&access->metrics, metrics->items[i]);
}

void counter_access_begin(struct counter_access *access, const struct device *device,
			  const struct string_list *metrics)
{
	wait_for_thread(access);
	access->device = device;
	metrics_take(access, metrics);
	if (pthread_create(&access->thread, NULL, plan_in_thread, access) == 0)
		access->running = true;
	else
		plan_counters_of_device(access);
}

static bool is_planned(const struct counter_access *access, const struct string_list *metrics)
{
	bool same = access->metrics.count == metrics->count;

	for (size_t i = 0; i < metrics->count && same; i++)
		same = !strcmp(access->metrics.items[i], metrics->items[i]);
	return same;
}

int counter_access_open(struct counter_access *access, const struct device *device,
			const struct string_list *metrics, struct error *err)
{
	bool tried = access->running;

	wait_for_thread(access);
	if (access->plan && !is_planned(access, metrics)) {
		cupti_plan_free(access->plan);
		access->plan = NULL;
		tried = false;
	}
	if (!access->plan && !tried) {
		access->device = device;
		metrics_take(access, metrics);
		plan_counters_of_device(access);
	}
	return access->rc ? error_set(err, access->rc, "%s", access->why.text) : 0;
}

void counter_access_close(struct counter_access *access)
{
	wait_for_thread(access);
	cupti_plan_free(access->plan);
	string_list_release(&access->metrics);
	*access = (struct counter_access){0};
}
