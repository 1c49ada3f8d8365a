/* Compiles the PTX of built-in kernels for the device of a sweep. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "harness/sweep/sweep_parts.h"

/* The largest PTX file of the tree has 1 MiB. */
#define PTX_LIMIT_BYTES ((size_t)64 << 20)

struct built_in_image {
	char *name; /* "reduce/shuffle" */
	char *path; /* of its PTX */
	char arch[8];
};

struct built_in_code {
	struct built_in_image *images;
	struct compile_job *jobs; /* of the same number */
	size_t count, image_capacity, job_capacity;
};

void built_in_free(struct built_in_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->count; i++) {
		compile_job_release(&code->jobs[i]);
		free(code->images[i].name);
		free(code->images[i].path);
	}
	free(code->images);
	free(code->jobs);
	free(code);
}

/* ---- what is to be compiled ---- */

/* The architecture that the PTX is compiled for: the device's, or "sm_90a" for PTX that is for such
 * devices only. Returns false for PTX that is for others only. */
static bool image_arch(char arch[8], const char *path, const struct device_info *device)
{
	static const char directive[] = "\n.target sm_";
	const int own = 10 * device->cc_major + device->cc_minor;
	char *text = NULL, *suffix = NULL;
	const char *target;
	size_t length;
	bool runs = !read_file(&text, &length, path, PTX_LIMIT_BYTES, NULL);

	target = runs ? strstr(text, directive) : NULL;
	snprintf(arch, 8, "sm_%d", own);
	if (target && strtol(target + strlen(directive), &suffix, 10) != own)
		runs = *suffix != 'a';
	else if (target && *suffix == 'a')
		snprintf(arch, 8, "sm_%da", own);
	free(text);
	return runs;
}

/* Operations of libraries have no image. */
static void want_image(struct built_in_code *code, const char *name,
		       const struct device_info *device)
{
	struct built_in_image image = {0};
	struct text path = TEXT_INIT;
	char *relative;

	for (size_t i = 0; i < code->count; i++)
		if (!strcmp(code->images[i].name, name))
			return;
	relative = xasprintf("share/perflab/ptx/%s.ptx", name);
	if (!install_path(&path, relative, NULL) && image_arch(image.arch, path.data, device)) {
		code->images = xgrow(code->images, &code->image_capacity, code->count + 1,
				     sizeof(*code->images));
		code->jobs = xgrow(code->jobs, &code->job_capacity, code->count + 1,
				   sizeof(*code->jobs));
		image.name = xstrdup(name);
		image.path = text_detach(&path);
		code->jobs[code->count] = (struct compile_job){0};
		code->images[code->count++] = image;
	}
	text_release(&path);
	free(relative);
}

/* A preview has resolved no built-in case yet, and asks the worker about all of them. */
static void want_images(struct built_in_code *code, const struct sweep *sweep,
			const struct plan *plan)
{
	const struct kernel_variant *before = NULL;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		const struct kernel_variant *variant = planned->descriptor_variant;
		char *name;

		if (variant->source || variant == before || (!planned->launch && !sweep->preview))
			continue;
		before = variant;
		name = variant_image(planned->descriptor, variant);
		want_image(code, name, &sweep->info.device);
		free(name);
	}
}

/* ---- compiling ---- */

/* All images have the same reason, as a rule. */
static void note_driver(struct sweep *sweep, const struct built_in_code *code)
{
	struct text what = TEXT_INIT;
	const char *reason = NULL;
	size_t count = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct compile_job *job = &code->jobs[i];

		if (job->compiled && job->compiled->cubin)
			continue;
		if (!count++) {
			reason = !job->compiled             ? job->error.text
				 : *job->compiled->messages ? job->compiled->messages
							    : "there is no ptxas";
			text_addf(&what, "PTX of %s", code->images[i].name);
		}
	}
	if (count > 1)
		text_addf(&what, " and %zu more", count - 1);
	if (count) {
		char *line = xstrndup(reason, strcspn(reason, "\n"));

		sweep_note_driver(sweep, what.data, line);
		free(line);
	}
	text_release(&what);
}

int built_in_compile(struct built_in_code **out, struct sweep *sweep, const struct plan *plan,
		     struct error *err)
{
	struct built_in_code *code;
	int rc = 0;

	if (!sweep->info.loads_code)
		return 0;
	code = xcalloc(1, sizeof(*code));
	want_images(code, sweep, plan);
	if (code->count)
		rc = sweep_enter_cache(sweep, err);
	for (size_t i = 0; i < code->count && !rc; i++)
		code->jobs[i].request =
			(struct compile_request){.source = code->images[i].path,
						 .arch = code->images[i].arch,
						 .cubin = true,
						 .built_in = true,
						 .cache = compile_cache_folder(sweep->images)};
	if (!rc && code->count)
		compile_many(code->jobs, code->count, 0, sweep->stop, sweep_show_compiled, sweep,
			     NULL);
	if (!rc && sweep->stop && *sweep->stop)
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	if (!rc)
		note_driver(sweep, code);
	if (!rc && code->count)
		*out = code;
	else
		built_in_free(code);
	return rc;
}

void built_in_bind(const struct built_in_code *code, struct launch_case *launch)
{
	for (size_t i = 0; code && i < code->count; i++) {
		const struct compiled *compiled = code->jobs[i].compiled;

		if (strcmp(code->images[i].name, launch->image) != 0 || !compiled)
			continue;
		free(launch->code);
		launch->code = xstrdup(compiled->cubin ? compiled->cubin : compiled->ptx);
		snprintf(launch->code_arch, sizeof(launch->code_arch), "%s",
			 compiled->cubin ? code->images[i].arch : "");
	}
}
