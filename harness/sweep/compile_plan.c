/*
 * Compiles the sources of a user's kernels for the device of a session, and
 * binds the cases of the plan to the images. Cases that have the same source,
 * flags and values of the compile-time axes share one image.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "harness/sources/sources.h"
#include "harness/sweep/sweep_parts.h"

/* Each compiler may take so long, whatever --timeout says. */
#define COMPILE_LEAST_NS (20 * INT64_C(1000000000))

struct compile_context {
	struct sweep *sweep;
	struct plan *plan;
	bool cubin;
	char arch[16];
	int64_t limit_ns; /* of each compiler */
	struct compile_jobs list;
};

/* ---- jobs ---- */

static void add_entries(struct string_list *out, const struct kernel_launch *launches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!string_list_has(out, launches[i].entry))
			string_list_add(out, launches[i].entry);
}

/* Returns the index of what a case wants of its source, or of the source of its check. */
static size_t want_of_case(struct compile_context *context, const struct plan_case *planned,
			   bool of_check)
{
	const struct kernel_variant *variant = planned->descriptor_variant;
	const struct kernel_check *check = variant->check;
	const struct kernel_source *source = of_check ? check->source : variant->source;
	struct compile_request request = {.source = source->path,
					  .arch = context->arch,
					  .cubin = context->cubin,
					  .tool = compile_tool_of(source),
					  .standard = source->standard,
					  .limit_ns = context->limit_ns,
					  .cache = compile_cache_folder(context->sweep->images)};

	for (size_t i = 0; i < variant_axis_count(planned->descriptor, variant); i++) {
		const struct kernel_axis *axis = variant_axis(planned->descriptor, variant, i);
		int64_t value;
		char *define;

		if (!axis->define || !launch_case_axis(planned->launch, axis->name, &value))
			continue;
		define = xasprintf("%s=%" PRId64, axis->name, value);
		string_list_add(&request.defines, define);
		free(define);
	}
	for (size_t i = 0; i < source->flag_count; i++)
		string_list_add(&request.flags, source->flags[i]);
	/* its launches, and its check if that has no source of its own */
	if (!of_check)
		add_entries(&request.entries, variant->launches, variant->launch_count);
	if (check && check->kind == CHECK_LAUNCHES && (of_check || !check->source))
		add_entries(&request.entries, check->launches, check->launch_count);
	return compile_jobs_want(&context->list, &request);
}

/* A case that has ended in a resumed run, too: its template instances are part of the image of the
 * others. */
static bool has_source(const struct plan_case *planned)
{
	return planned->launch && planned->descriptor_variant->source;
}

/* ---- results ---- */

/* Keeps the files that decide what the cases measure: those of the compilers, and data. */
static void keep_files(struct compile_context *context)
{
	struct string_list *files = &context->sweep->files;

	for (size_t i = 0; i < context->list.job_count; i++)
		for (size_t k = 0; k < context->list.jobs[i].files.count; k++)
			string_list_add(files, context->list.jobs[i].files.items[k]);
	for (size_t i = 0; i < context->plan->count; i++) {
		const struct launch_case *launch = context->plan->cases[i].launch;

		for (size_t b = 0; launch && b < launch->buffer_count; b++)
			if (launch->buffers[b].fill_file)
				string_list_add(files, launch->buffers[b].fill_file);
		for (size_t c = 0; launch && c < launch->check.item_count; c++)
			if (case_check_item_is_file(&launch->check, c))
				string_list_add(files, launch->check.items[c].text);
	}
}

void sweep_show_compiled(void *context, const struct compile_job *job, size_t done, size_t count)
{
	const struct sweep *sweep = context;
	const struct sweep_observer *observer = sweep->observer;
	const struct sweep_progress progress = {
		.done = done, .total = count, .phase = "compile", .left_ns = -1};

	(void)job;
	if (observer && observer->progress && done < count)
		observer->progress(observer->context, &progress);
}

/* The error and the compiler's own words, without the line that the error has. */
static char *describe_failure(const struct compile_job *job)
{
	struct string_list lines = {0};
	struct text out = TEXT_INIT;
	bool found = false;

	text_add(&out, job->error.text);
	if (job->messages.length)
		string_list_split(&lines, job->messages.data, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		struct error shown = {0};

		error_set(&shown, job->error.code, ": %s", lines.items[i]); /* as it was shown */
		if (!found && *lines.items[i] && strstr(job->error.text, shown.text))
			found = true;
		else
			text_addf(&out, "\n%s", lines.items[i]);
	}
	string_list_release(&lines);
	return text_detach(&out);
}

/* Each text is shown once: many cases may end by it, and wants that were compiled apart may fail
 * alike. */
static void report_failures(const struct compile_context *context)
{
	struct string_list shown = {0};

	for (size_t i = 0; i < context->list.job_count; i++) {
		const struct compile_job *job = &context->list.jobs[i];
		char *text;

		if (context->list.apart[i])
			continue;
		text = job->compiled ? xstrdup(job->compiled->messages) : describe_failure(job);
		if (*text && !string_list_has(&shown, text)) {
			string_list_add(&shown, text);
			tell_observer_lines(context->sweep->observer,
					    job->compiled ? NOTICE_REMARK : NOTICE_WARNING, text);
		}
		free(text);
	}
	string_list_release(&shown);
}

void sweep_note_driver(struct sweep *sweep, const char *what, const char *reason)
{
	char *value = xasprintf("the driver, because %s", reason);

	key_value_set(&sweep->info.environment, "ptx_compiler", value);
	tell_observer(sweep->observer, NOTICE_REMARK, "%s: the driver compiles it, because %s",
		      what, reason);
	free(value);
}

/* NULL: the file is machine code, and the backend needs PTX. */
static const char *image_of(const struct compile_context *context, const struct compiled *compiled)
{
	return context->cubin && compiled->cubin ? compiled->cubin : compiled->ptx;
}

/* `job` compiled its source, `other` that of its check. */
static int bind_case(const struct compile_context *context, struct plan_case *planned,
		     const struct compile_job *job, const struct compile_job *other,
		     struct error *err)
{
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
	rc = bind_launches(launch->launches, launch->launch_count, launch->buffers, job->compiled,
			   err);
	if (!rc)
		rc = bind_launches(launch->check.launches, launch->check.launch_count,
				   launch->buffers, other->compiled, err);
	if (!rc)
		rc = bind_symbols(launch, job->compiled,
				  launch->check.image ? other->compiled : NULL, err);
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

/* The first launch of a case or of its check with textures; see launches_with_textures(). */
static const char *case_with_textures(const struct launch_case *launch,
				      const struct compile_job *job,
				      const struct compile_job *other, bool passed)
{
	const char *entry = NULL;

	if (job->compiled)
		entry = launches_with_textures(launch->launches, launch->launch_count,
					       job->compiled, passed);
	if (!entry && other->compiled)
		entry = launches_with_textures(launch->check.launches, launch->check.launch_count,
					       other->compiled, passed);
	return entry;
}

/* Skips a case that would run on a handle of a texture that nobody made, or on a backend that makes
 * none. */
static bool skip_textures(const struct compile_context *context, size_t index,
			  const struct compile_job *job, const struct compile_job *other)
{
	const struct launch_case *launch = context->plan->cases[index].launch;
	const char *entry = case_with_textures(launch, job, other, false);
	char *reason;

	if (entry) {
		reason = xasprintf("%s uses textures or surfaces, but its launch passes none; "
				   "write texture(BUFFER[W, H]) or surface(BUFFER[W, H])",
				   entry);
	} else {
		if (!context->sweep->info.traits.emulated)
			entry = case_with_textures(launch, job, other, true);
		if (!entry)
			return false;
		reason = xasprintf("%s gets a texture or surface, which perflab passes only on "
				   "the emulator (--backend ptx)",
				   entry);
	}
	plan_skip(context->plan, index, reason);
	free(reason);
	return true;
}

int sweep_enter_cache(struct sweep *sweep, struct error *err)
{
	int rc;

	if (sweep->images)
		return 0;
	rc = compile_cache_enter(&sweep->images, NULL, sweep->stop, err);
	if (compile_cache_folder(sweep->images))
		tell_observer(sweep->observer, NOTICE_WARNING,
			      "the cache of compiled files stays locked by another program, so "
			      "this sweep goes on without it");
	return rc;
}

int sweep_compile(struct sweep *sweep, struct plan *plan, const struct sweep_request *request,
		  struct error *err)
{
	const struct device_info *device = &sweep->info.device;
	struct compile_context context = {.sweep = sweep,
					  .plan = plan,
					  .cubin = sweep->info.traits.timed,
					  .limit_ns = COMPILE_LIMIT_NS};
	size_t *own = xcalloc(plan->count + 1, sizeof(*own));
	size_t *of_check = xcalloc(plan->count + 1, sizeof(*of_check));
	int rc = 0;

	/* the default of --timeout, and a short one, are meant for cases */
	if (string_list_has(&request->given, "timeout"))
		context.limit_ns = request->settings.timeout_ns > COMPILE_LEAST_NS
					   ? request->settings.timeout_ns
					   : COMPILE_LEAST_NS;
	/* from 9.0 on, code for exactly this architecture ("sm_90a") may use all of its
	 * instructions */
	snprintf(context.arch, sizeof(context.arch), "sm_%d%d%s", device->cc_major,
		 device->cc_minor, device->cc_major >= 9 ? "a" : "");
	for (size_t i = 0; i < plan->count && !rc; i++) {
		const struct plan_case *planned = &plan->cases[i];

		if (!has_source(planned))
			continue;
		rc = sweep_enter_cache(sweep, err);
		own[i] = of_check[i] = want_of_case(&context, planned, false);
		if (planned->launch->check.image)
			of_check[i] = want_of_case(&context, planned, true);
	}
	if (!rc)
		compile_jobs_run(&context.list, sweep->stop, sweep_show_compiled, sweep);
	if (!rc && sweep->stop && *sweep->stop)
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	if (!rc) {
		report_failures(&context);
		for (size_t i = 0; i < context.list.job_count; i++) {
			const struct compile_job *job = &context.list.jobs[i];

			if (context.cubin && job->compiled && !job->compiled->cubin)
				sweep_note_driver(sweep, job->request.source, "there is no ptxas");
		}
	}
	keep_files(&context);
	for (size_t i = 0; i < plan->count && !rc; i++) {
		struct plan_case *planned = &plan->cases[i];
		const struct compile_job *job, *other;
		struct error cause = {0};

		if (!has_source(planned) || planned->finished)
			continue;
		job = compile_jobs_of(&context.list, own[i]);
		other = compile_jobs_of(&context.list, of_check[i]);
		if (!skip_textures(&context, i, job, other) &&
		    bind_case(&context, planned, job, other, &cause))
			planned->failure = xstrdup(cause.text);
	}
	compile_jobs_release(&context.list);
	free(own);
	free(of_check);
	return rc;
}
