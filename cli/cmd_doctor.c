/* perflab doctor: shows what this build and this machine can do, and how to fix the rest. */
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/output.h"
#include "harness/protocol/messages.h"
#include "harness/session/backends.h"
#include "harness/session/host.h"
#include "harness/session/workers.h"
#include "metrics/metrics.h"
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

struct worker_visit {
	struct table *table;
	size_t failed; /* number of failed checks */
};

static void visit_check(void *context, const struct worker_check *check)
{
	struct worker_visit *visit = context;

	add_check(visit->table, check->name, check->ok, check->found,
		  check->ok ? "" : check->remedy);
	visit->failed += !check->ok;
}

static void visit_device(void *context, int ordinal, const struct device_info *device)
{
	size_t *count = context;

	(void)ordinal;
	(void)device;
	++*count;
}

static void add_build(struct table *table, bool with_cuda)
{
	char *version =
		xasprintf("%s%s%s, %s build", PERFLAB_VERSION, host_build_revision() ? " " : "",
			  host_build_revision() ? host_build_revision() : "", PERFLAB_BUILD_TYPE);
	bool debug = strcmp(PERFLAB_BUILD_TYPE, "Debug") == 0;

	add_check(table, "perflab", !debug, version,
		  debug ? "configure with -DCMAKE_BUILD_TYPE=RelWithDebInfo to measure" : "");
	free(version);
	if (!with_cuda)
		return;
	if (PERFLAB_HAS_CUDA)
		add_check(table, "built with CUDA", true, "toolkit " PERFLAB_CUDA_TOOLKIT, "");
	else
		add_check(table, "built with CUDA", false, PERFLAB_CUDA_WHY_NOT,
			  "install the CUDA toolkit (nvcc, CUPTI, NVTX) and configure again, or "
			  "give its folder with -DPERFLAB_CUDA_ROOT=FOLDER");
}

/* Returns whether the worker starts and finds a device. Every problem becomes a row. */
static bool add_worker(struct table *table, const char *backend)
{
	const struct backend *known = backend_find(backend);
	struct worker_visit visit = {.table = table};
	const bool needs_toolkit = known && known->needs_toolkit && !PERFLAB_HAS_CUDA;
	char *name = xasprintf("worker %s", backend);
	struct text path = TEXT_INIT;
	struct error err = {0};
	size_t devices = 0;

	if (worker_find(&path, backend, &err)) {
		add_check(table, name, false, err.text,
			  needs_toolkit ? "build perflab where the CUDA toolkit is"
					: "build the target all, or set the variable that the "
					  "message names");
		free(name);
		return false;
	}
	add_check(table, name, true, path.data, "");
	text_release(&path);
	free(name);
	if (worker_doctor(backend, visit_check, &visit, &err))
		add_check(table, "worker answers", false, err.text,
			  "start the worker by hand and read its messages");
	if (worker_devices(backend, visit_device, &devices, &err)) {
		add_check(table, "devices", false, err.text, "see the checks above");
		return false;
	}
	/* the worker of a GPU can measure although some of these checks fail */
	return devices > 0 && !(visit.failed && known && known->needs_all_checks);
}

/* Adds the report formats that not every build or machine supports. */
static void add_formats(struct table *table)
{
	static char *const gnuplot[] = {"gnuplot", "--version", NULL};
	const char *why_not = report_format_why_not(REPORT_HTML);
	struct text version = TEXT_INIT;
	bool draws = process_capture(&version, 200, gnuplot, NULL) == 0;

	add_check(table, "page", !why_not, why_not ? why_not : "report --format html",
		  why_not ? "the other formats work" : "");
	/* the output of gnuplot ends in a line feed */
	while (version.length && version.data[version.length - 1] == '\n')
		version.data[--version.length] = '\0';
	add_check(table, "pictures", draws, draws ? version.data : "gnuplot is not installed",
		  draws ? ""
			: "install gnuplot-nox for report --format svg, png and pdf, or use html");
	text_release(&version);
}

static int run_doctor(struct invocation *call, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "check"}, {.name = "state"}, {.name = "found"}, {.name = "remedy"}};
	const struct doctor_options *options = call->options;
	const bool all = strcmp(options->backend, BACKEND_AUTO) == 0;
	const bool only_emulator = backend_traits_of(options->backend).emulated;
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	const char *found = "cannot run here";
	bool emulates = false, measures = false;
	int rc;

	add_build(table, !only_emulator);
	if (all)
		add_formats(table);
	if (!only_emulator)
		measures = add_worker(table, all ? BACKEND_CUDA : options->backend);
	if (all || only_emulator)
		emulates = add_worker(table, BACKEND_PTX);
	if (measures)
		found = "can run";
	else if (emulates)
		found = "can run without a GPU: results and counts of PTX, no times";
	add_check(table, "sweep", measures || emulates, found,
		  measures || emulates ? "" : "see the checks above");
	rc = table_to_stdout(call, table, (enum report_format)options->format, err);
	table_free(table);
	call->exit_code = measures || emulates ? EXIT_FINE : EXIT_NOT_HERE;
	return rc;
}

static void doctor_defaults(void *context)
{
	struct doctor_options *options = context;

	options->backend = BACKEND_AUTO;
}

static const struct option_row rows[] = {
	{"backend", 0, OPTION_TEXT, offsetof(struct doctor_options, backend), "auto|cuda|ptx",
	 "the backend to check; auto checks all of them", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct doctor_options, format), "FORMAT",
	 HELP_FORMAT, table_format_words, 0},
};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "check what this build and machine can do",
	.operands = "",
	.description =
		"Checks the build, the workers, the driver, the devices, CUPTI, the permission to "
		"read counters, NVML, and whether Nsight is attached. Prints a remedy for each "
		"check that fails.\n\n"
		"A sweep does not need all of it: without counters it still measures time, and "
		"without a GPU the backend ptx emulates.",
	.exit_status = "0 if a sweep can run, 4 if it cannot.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct doctor_options),
	.defaults = doctor_defaults,
	.run = run_doctor,
};
