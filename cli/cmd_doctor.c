/* perflab doctor and check: what this build, this machine and the emulator can run. */
#include "cli/output.h"
#include "emulator/emulator.h"
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

static const struct option_row doctor_rows[] = {
	TEXT_ROW("backend", 0, doctor_options, backend, "auto|cuda|ptx",
		 "the backend to check; auto checks all of them"),
	CHOICE_ROW("format", 'f', doctor_options, format, "FORMAT", table_format_words,
		   HELP_FORMAT),
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
	.options = doctor_rows,
	.option_count = ARRAY_SIZE(doctor_rows),
	.options_size = sizeof(struct doctor_options),
	.defaults = doctor_defaults,
	.run = run_doctor,
};

struct check_options {
	int format;
};

struct checking {
	struct table *table;
	const char *file;
	size_t entries; /* of that file */
	bool all_run;
};

static void visit_entry(void *context, const struct ptx_entry_check *check)
{
	struct checking *checking = context;

	checking->entries++;
	checking->all_run = checking->all_run && check->runnable;
	table_row(checking->table,
		  (const char *const[]){checking->file, check->name, check->runnable ? "yes" : "no",
					check->missing});
}

static int check_file(struct checking *checking, struct error *err)
{
	int rc;

	if (has_suffix(checking->file, ".cu") || has_suffix(checking->file, ".cuh") ||
	    has_suffix(checking->file, ".cubin"))
		return error_set(err, PL_EUSAGE,
				 "%s: perflab check reads PTX; perflab sweep %s --backend ptx "
				 "compiles and emulates a .cu file",
				 checking->file, checking->file);
	checking->entries = 0;
	rc = ptx_check_file(checking->file, visit_entry, checking, err);
	if (rc == 0 && checking->entries == 0)
		say("%s: valid PTX without an .entry: no kernel of it can be launched",
		    checking->file);
	return rc;
}

static int run_check(struct invocation *call, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "file"}, {.name = "entry"}, {.name = "runs"}, {.name = "missing"}};
	const struct check_options *options = call->options;
	struct checking checking = {.table = table_new(columns, ARRAY_SIZE(columns)),
				    .all_run = true};
	int rc = 0, written = 0;

	/* a file that is not PTX does not hide the results of the others */
	for (size_t i = 0; i < call->operands.count; i++) {
		struct error cause = {0};
		int one;

		checking.file = call->operands.items[i];
		one = check_file(&checking, &cause);
		if (one && rc)
			say("%s", cause.text);
		else if (one)
			rc = error_set(err, one, "%s", cause.text);
	}
	if (rc == 0 || table_row_count(checking.table))
		written = table_to_stdout(call, checking.table, (enum report_format)options->format,
					  rc ? NULL : err);
	if (rc == 0)
		rc = written;
	table_free(checking.table);
	call->exit_code = checking.all_run ? EXIT_FINE : EXIT_FINDING;
	return rc;
}

static const struct option_row check_rows[] = {
	CHOICE_ROW("format", 'f', check_options, format, "FORMAT", table_format_words, HELP_FORMAT),
};

static const struct example check_examples[] = {
	{"perflab check kernel.ptx", "show which entries the emulator can run"},
	{"perflab check --format json *.ptx", "check several files and print JSON"},
};

const struct command command_check = {
	.name = "check",
	.summary = "show which entries of a PTX file the emulator can run",
	.operands = "FILE.ptx ...",
	.description =
		"Reads PTX files, as nvcc -ptx writes them, for any target. For each entry, says "
		"whether the backend ptx, which needs no GPU, can run it. If it cannot, lists "
		"every opcode, register and directive that the emulator does not support, with the "
		"first line that uses it and the number of uses. check executes nothing.",
	.exit_status =
		"0 if every entry can run, or a file has none; 1 if one cannot; 3 if a file is "
		"not PTX.",
	OPTIONS_AND_EXAMPLES(check_options, check_rows, check_examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_check,
};
