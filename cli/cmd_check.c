/* perflab check: which entries of a PTX file the emulator can run, and what the others lack. */
#include "cli/shared.h"
#include "emulator/emulator.h"

struct check_options {
	int format;
};

struct checking {
	struct table *table;
	const char *file;
	bool all_run;
};

static void visit_entry(void *context, const struct ptx_entry_check *check)
{
	struct checking *checking = context;

	checking->all_run = checking->all_run && check->runnable;
	table_row(checking->table,
		  (const char *const[]){checking->file, check->name, check->runnable ? "yes" : "no",
					check->missing});
}

static int run_check(struct invocation *call, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "file"}, {.name = "entry"}, {.name = "runs"}, {.name = "missing"}};
	const struct check_options *options = call->options;
	struct checking checking = {.table = table_new(columns, ARRAY_SIZE(columns)),
				    .all_run = true};
	int rc = 0, written = 0;

	/* one that is no PTX does not keep the others from being told */
	for (size_t i = 0; i < call->operands.count; i++) {
		struct error cause = {0};
		int one;

		checking.file = call->operands.items[i];
		one = ptx_check_file(checking.file, visit_entry, &checking, &cause);
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

static const struct option_row rows[] = {
	{"format", 'f', OPTION_CHOICE, offsetof(struct check_options, format), "FORMAT",
	 "the format", table_format_words, 0},
};

static const struct example examples[] = {
	{"perflab check kernel.ptx", "what of it the backend ptx can run"},
	{"perflab check --format json *.ptx", "the same of several files, for a program"},
};

const struct command command_check = {
	.name = "check",
	.summary = "say which entries of a PTX file the emulator can run",
	.operands = "FILE.ptx ...",
	.description =
		"Reads what nvcc -ptx wrote, whatever its target, and says of each entry whether "
		"the backend ptx, which needs no GPU, can run it. Of an entry that it cannot run "
		"every opcode, register and directive that is missing is listed, with its first "
		"line and how often it is there. Nothing is executed.",
	.exit_status = "0 when every entry can run, 1 when some cannot, 3 when a file is not PTX.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct check_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_check,
};
