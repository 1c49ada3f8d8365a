/* perflab doctor: shows what this build and this machine can do, and how to fix the rest. */
#include "cli/output.h"
#include "harness/client/client.h"
#include "harness/doctor/doctor.h"

struct doctor_options {
	const char *backend;
	int format;
};

static void add_check_row(void *context, const struct worker_check *check)
{
	table_row(context, (const char *const[]){check->name, check->ok ? "ok" : "no", check->found,
						 check->remedy});
}

static int run_doctor(struct invocation *call, struct error *err)
{
	static const struct table_column columns[] = {{.name = "check"},
						      {.name = "state"},
						      {.name = "found", .whole = true},
						      {.name = "remedy"}};
	const struct doctor_options *options = call->options;
	const struct doctor_request request = {.backend = options->backend,
					       .page_why_not = report_format_why_not(REPORT_HTML)};
	struct table *table;
	bool runs;
	int rc = backend_check_name(options->backend, err);

	if (rc)
		return rc;
	table = table_new(columns, ARRAY_SIZE(columns));
	runs = doctor_examine(&request, add_check_row, table);
	rc = table_to_stdout(call, table, (enum report_format)options->format, err);
	table_free(table);
	call->exit_code = runs ? EXIT_FINE : EXIT_NOT_HERE;
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
