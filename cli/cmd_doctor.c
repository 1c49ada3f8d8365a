/* perflab doctor: what this build and this machine can do, and why not. */
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"
#include "harness/harness.h"
#include "perflab_config.h"

struct doctor_options {
	const char *backend;
	int format;
};

static void add_check(struct table *table, const char *name, bool ok, const char *found,
		      const char *remedy)
{
	table_row(table, (const char *const[]){name, ok ? "ok" : "no", found, remedy});
}

static void visit_check(void *context, const struct worker_check *check)
{
	add_check(context, check->name, check->ok, check->found, check->ok ? "" : check->remedy);
}

static void visit_device(void *context, int ordinal, const struct device_info *device)
{
	size_t *count = context;

	(void)ordinal;
	(void)device;
	++*count;
}

static void add_build(struct table *table)
{
	char *version =
		xasprintf("%s%s%s, %s build", PERFLAB_VERSION, *PERFLAB_SOURCE_REVISION ? " " : "",
			  PERFLAB_SOURCE_REVISION, PERFLAB_BUILD_TYPE);
	bool debug = strcmp(PERFLAB_BUILD_TYPE, "Debug") == 0;

	add_check(table, "perflab", !debug, version,
		  debug ? "configure with -DCMAKE_BUILD_TYPE=RelWithDebInfo to measure" : "");
	free(version);
	if (PERFLAB_HAS_CUDA)
		add_check(table, "built with CUDA", true, "toolkit " PERFLAB_CUDA_TOOLKIT, "");
	else
		add_check(table, "built with CUDA", false, PERFLAB_CUDA_WHY_NOT,
			  "install the CUDA toolkit (nvcc, CUPTI, NVTX) and configure again, or "
			  "name it with -DPERFLAB_CUDA_ROOT=FOLDER");
}

/* Whether the worker is there and sees a device; every reason not to becomes a row. */
static bool add_worker(struct table *table, const char *backend)
{
	struct text path = TEXT_INIT;
	struct error err = {0};
	size_t devices = 0;
	bool found = worker_find(&path, backend, &err) == 0;

	if (!found) {
		add_check(table, "worker", false, err.text,
			  PERFLAB_HAS_CUDA ? "build the target all, or set PERFLAB_WORKER_CUDA"
					   : "build perflab where the CUDA toolkit is");
		return false;
	}
	add_check(table, "worker", true, path.data, "");
	text_release(&path);
	if (worker_doctor(backend, visit_check, table, &err))
		add_check(table, "worker answers", false, err.text,
			  "start it by hand to see what it says");
	if (worker_devices(backend, visit_device, &devices, &err)) {
		add_check(table, "devices", false, err.text, "see the checks above");
		return false;
	}
	return devices > 0;
}

static int run_doctor(struct invocation *call, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "check"}, {.name = "state"}, {.name = "found"}, {.name = "remedy"}};
	const struct doctor_options *options = call->options;
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	bool can_sweep;
	int rc;

	add_build(table);
	can_sweep = add_worker(table, options->backend);
	add_check(table, "sweep", can_sweep, can_sweep ? "can run" : "cannot run here",
		  can_sweep ? "" : "see the checks above");
	rc = table_to_stdout(call, table, (enum report_format)options->format, err);
	table_free(table);
	call->exit_code = can_sweep ? EXIT_FINE : EXIT_NOT_HERE;
	return rc;
}

static void doctor_defaults(void *context)
{
	struct doctor_options *options = context;

	options->backend = "cuda";
}

static const struct option_row rows[] = {
	{"backend", 0, OPTION_TEXT, offsetof(struct doctor_options, backend), "NAME",
	 "what executes", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct doctor_options, format), "FORMAT",
	 "the format", report_format_words, 0},
};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "say what this build and machine can do, and why not",
	.operands = "",
	.description =
		"Checks the build, the worker, driver, devices, CUPTI, the permission to read "
		"counters, whether Nsight is attached, NVML, and prints a remedy for what is "
		"missing. Not all of it is needed: without counters a sweep still times.",
	.exit_status = "0 when a sweep can run, 4 when it cannot.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct doctor_options),
	.defaults = doctor_defaults,
	.run = run_doctor,
};
