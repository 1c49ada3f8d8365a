/*
 * Compiles the sources of a user's kernels for the device of a session, and
 * binds the cases of the plan to the images. Cases that have the same source
 * and the same values of the compile-time axes share one image.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "harness/session/bind_launches.h"
#include "harness/session/session_parts.h"

/* The jobs of a plan, with a text for each that tells equal ones apart. */
struct compile_list {
	struct compile_job *jobs;
	char **keys;
	size_t count, capacity, key_capacity;
};

struct compile_context {
	struct sweep *sweep;
	struct plan *plan;
	bool cubin;
	char arch[16];
	struct compile_list list;
};

static void compile_list_release(struct compile_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		string_list_release(&list->jobs[i].request.defines);
		string_list_release(&list->jobs[i].request.flags);
		string_list_release(&list->jobs[i].request.entries);
		compile_job_release(&list->jobs[i]);
		free(list->keys[i]);
	}
	free(list->jobs);
	free(list->keys);
}

/* From 9.0 on, code for exactly this architecture ("sm_90a") may use all of its instructions. */
static void choose_arch(struct compile_context *context, const struct session_info *info)
{
	const struct device_info *device = &info->device;

	context->cubin = info->traits.timed;
	snprintf(context->arch, sizeof(context->arch), "sm_%d%d%s", device->cc_major,
		 device->cc_minor, context->cubin && device->cc_major >= 9 ? "a" : "");
}

/* ---- jobs ---- */

static enum compile_tool compile_tool_of(const struct kernel_source *source)
{
	if (!source->compiler)
		return COMPILE_AUTO;
	return strcmp(source->compiler, "nvcc") ? COMPILE_NVRTC : COMPILE_NVCC;
}

static void add_defines(struct string_list *out, const struct plan_case *planned)
{
	const struct kernel *kernel = planned->descriptor;
	const struct kernel_variant *variant = planned->descriptor_variant;

	for (size_t i = 0; i < variant_axis_count(kernel, variant); i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);
		int64_t value;
		char *define;

		if (!axis->define || !launch_case_axis(planned->launch, axis->name, &value))
			continue;
		define = xasprintf("%s=%" PRId64, axis->name, value);
		string_list_add(out, define);
		free(define);
	}
}

static void add_entries(struct string_list *out, const struct kernel_launch *launches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!string_list_has(out, launches[i].entry))
			string_list_add(out, launches[i].entry);
}

/* The entries that the cases of a variant take from a source: its launches, and its check if that
 * has no source of its own. */
static void add_wanted(struct string_list *out, const struct kernel_variant *variant, bool of_check)
{
	const struct kernel_check *check = variant->check;

	if (!of_check)
		add_entries(out, variant->launches, variant->launch_count);
	if (check && check->kind == CHECK_LAUNCHES && (of_check || !check->source))
		add_entries(out, check->launches, check->launch_count);
}

static char *job_key(const struct compile_request *request)
{
	const struct string_list *const lists[] = {&request->defines, &request->flags,
						   &request->entries};
	struct text key = TEXT_INIT;

	text_addf(&key, "%s\n%d\n%s\n", request->source, (int)request->tool,
		  request->standard ? request->standard : "");
	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; i < lists[l]->count; i++)
			text_addf(&key, "%zu:%s\n", l, lists[l]->items[i]);
	return text_detach(&key);
}

/* Returns the index of the job that compiles the source for a case. */
static size_t find_job(struct compile_context *context, const struct plan_case *planned,
		       bool of_check)
{
	struct compile_list *list = &context->list;
	const struct kernel_variant *variant = planned->descriptor_variant;
	const struct kernel_source *source = of_check ? variant->check->source : variant->source;
	struct compile_job job = {.request = {.source = source->path,
					      .arch = context->arch,
					      .cubin = context->cubin,
					      .tool = compile_tool_of(source),
					      .standard = source->standard}};
	char *key;

	add_defines(&job.request.defines, planned);
	for (size_t i = 0; i < source->flag_count; i++)
		string_list_add(&job.request.flags, source->flags[i]);
	add_wanted(&job.request.entries, variant, of_check);
	key = job_key(&job.request);
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->keys[i], key) != 0)
			continue;
		free(key);
		string_list_release(&job.request.defines);
		string_list_release(&job.request.flags);
		string_list_release(&job.request.entries);
		return i;
	}
	list->jobs = xgrow(list->jobs, &list->capacity, list->count + 1, sizeof(*list->jobs));
	list->keys = xgrow(list->keys, &list->key_capacity, list->count + 1, sizeof(*list->keys));
	list->jobs[list->count] = job;
	list->keys[list->count] = key;
	return list->count++;
}

static bool needs_source(const struct plan_case *planned)
{
	return planned->launch && !planned->finished && planned->descriptor_variant->source;
}

static bool check_needs_source(const struct plan_case *planned)
{
	return planned->launch->check.image != NULL;
}

/* ---- results ---- */

static void show_compiled(void *context, const struct compile_job *job, size_t done, size_t count)
{
	const struct compile_context *compiling = context;
	const struct sweep_observer *observer = compiling->sweep->observer;
	const struct sweep_progress progress = {
		.done = done, .total = count, .phase = "compile", .left_ns = -1};

	(void)job;
	if (observer && observer->progress && done < count)
		observer->progress(observer->context, &progress);
}

/* The compiler's own words, where there are some. */
static char *describe_failure(const struct compile_job *job)
{
	if (job->messages.length)
		return xasprintf("%s\n%s", job->error.text, job->messages.data);
	return xstrdup(job->error.text);
}

/* Each failure is shown once, although many cases may end by it. */
static void report_failures(const struct compile_context *context)
{
	for (size_t i = 0; i < context->list.count; i++) {
		const struct compile_job *job = &context->list.jobs[i];
		char *text;

		if (job->compiled) {
			if (job->compiled->messages && job->compiled->messages[0])
				tell_observer(context->sweep->observer, NOTICE_REMARK, "%s",
					      job->compiled->messages);
			continue;
		}
		text = describe_failure(job);
		tell_observer(context->sweep->observer, NOTICE_WARNING, "%s", text);
		free(text);
	}
}

/* NULL: the file is machine code, and the backend needs PTX. */
static const char *image_of(const struct compile_context *context, const struct compiled *compiled)
{
	return context->cubin && compiled->cubin ? compiled->cubin : compiled->ptx;
}

static int bind_case(const struct compile_context *context, struct plan_case *planned, size_t own,
		     size_t of_check, struct error *err)
{
	const struct compile_job *job = &context->list.jobs[own];
	const struct compile_job *other = &context->list.jobs[of_check];
	struct launch_case *launch = planned->launch;
	int rc = 0;

	if (!job->compiled)
		return error_set(err, PL_EPARSE, "%s", job->error.text);
	if (!other->compiled)
		return error_set(err, PL_EPARSE, "verify: %s", other->error.text);
	if (!image_of(context, job->compiled) || !image_of(context, other->compiled))
		return error_set(err, PL_EUNSUPPORTED,
				 "a .cubin holds machine code, which the emulator cannot execute: "
				 "give the .ptx or the .cu");
	rc = bind_launches(launch->launches, launch->launch_count, job->compiled, err);
	if (!rc)
		rc = bind_launches(launch->check.launches, launch->check.launch_count,
				   other->compiled, err);
	if (rc)
		return rc;
	free(launch->image);
	launch->image = xstrdup(image_of(context, job->compiled));
	if (launch->check.image) {
		free(launch->check.image);
		launch->check.image = xstrdup(image_of(context, other->compiled));
	}
	return 0;
}

int sweep_compile(struct sweep *sweep, struct plan *plan, struct error *err)
{
	struct compile_context context = {.sweep = sweep, .plan = plan};
	size_t *own = xcalloc(plan->count + 1, sizeof(*own));
	size_t *of_check = xcalloc(plan->count + 1, sizeof(*of_check));
	int rc = 0;

	choose_arch(&context, &sweep->info);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		if (!needs_source(planned))
			continue;
		own[i] = of_check[i] = find_job(&context, planned, false);
		if (check_needs_source(planned))
			of_check[i] = find_job(&context, planned, true);
	}
	if (context.list.count)
		compile_many(context.list.jobs, context.list.count, 0, sweep->stop, show_compiled,
			     &context, NULL);
	if (sweep->stop && *sweep->stop)
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	if (!rc)
		report_failures(&context);
	for (size_t i = 0; i < plan->count && !rc; i++) {
		struct plan_case *planned = &plan->cases[i];
		struct error cause = {0};

		if (needs_source(planned) &&
		    bind_case(&context, planned, own[i], of_check[i], &cause))
			planned->failure = xstrdup(cause.text);
	}
	compile_list_release(&context.list);
	free(own);
	free(of_check);
	return rc;
}
