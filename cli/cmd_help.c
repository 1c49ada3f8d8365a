/* perflab help and version: help from the table of verbs, as text and as manual pages (troff). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "harness/origin/origin.h"
#include "perflab_config.h"
#include "reports/exports.h"
#include "reports/reports.h"

/* A word and its meaning: an exit code, an environment variable. */
struct help_item {
	const char *name, *meaning;
};

#define HELP_SUMMARY "a performance lab for CUDA kernels"

#define HELP_WIDTH 80
#define OPTION_INDENT 28

static const struct help_item exit_codes[] = {
	{"0", "success"},
	{"1", "perflab found a problem: a wrong result or a regression"},
	{"2", "the command line is malformed or names something unknown"},
	{"3", "an error: a file, the database, a worker or the device failed"},
	{"4", "this build or machine cannot do this; perflab doctor gives the reason"},
};

static const struct help_item variables[] = {
	{"PERFLAB_DB", "the database to use without --db (default: perflab.db)"},
	{"PERFLAB_DB_TIMEOUT",
	 "how long to wait for a locked database, such as 500ms or 1min (default: 10s)"},
	{"SLURM_ARRAY_JOB_ID", "the default of sweep --sweep-id is \"slurm-\" plus this number"},
	{"PERFLAB_CEILINGS", "the value of sweep --ceilings if it is not given (default: auto)"},
	{"PERFLAB_SHARED_MEMORY",
	 "how much memory the workers of a sweep may share for inputs and expected results, such "
	 "as 4Gi; 0 shares none (default: a quarter of the memory that is available)"},
	{"PERFLAB_WORKER_CUDA",
	 "path of the CUDA worker (default: the one beside perflab, else the one in PATH)"},
	{"PERFLAB_WORKER_PTX",
	 "path of the emulator (default: the one beside perflab, else the one in PATH)"},
	{"PERFLAB_RECORDER",
	 "the library that perflab record loads into programs (default: that of the installation)"},
	{"PERFLAB_CUPTI",
	 "path of the CUPTI that the recorder uses (default: that of a CUDA toolkit)"},
	{"PERFLAB_SOURCE_DIR",
	 "a folder in which report --lines looks for source files, besides the working directory"},
	{"PERFLAB_CACHE",
	 "the folder of compiled files (default: $XDG_CACHE_HOME/perflab, else ~/.cache/perflab)"},
	{"PERFLAB_CACHE_LIMIT", "how many bytes this folder may have, such as 512Mi (default: "
				"1Gi); the next sweep removes "
				"what was not used for the longest time"},
	{"PERFLAB_COMPILE_MEMORY",
	 "how much memory each process of a compiler may have, such as 16Gi (default: half of the "
	 "machine's, but 2 to 8 GiB)"},
	{"PERFLAB_CUDA_ROOT",
	 "a folder of the CUDA toolkit, in which sweep and init look for nvcc and NVRTC first"},
	{"PERFLAB_NVCC", "path of nvcc; if there is none, perflab compiles without nvcc"},
	{"PERFLAB_NVRTC_PROGRAM",
	 "path of perflab-nvrtc (default: the one beside perflab, else the one in PATH)"},
	{"CUDA_HOME",
	 "another folder of the CUDA toolkit; nsight looks for ncu and nsys there, too"},
	{"NO_COLOR", "if set and not empty, perflab prints no colours"},
};

/* Adds "--name VALUE" or "-n, --name VALUE". */
static void option_spelling(struct text *out, const struct option_row *row)
{
	if (row->letter)
		text_addf(out, "-%c, ", row->letter);
	text_addf(out, "--%s", row->name);
	if (row->argument)
		text_addf(out, " %s", row->argument);
}

void print_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t length = strcspn(text, " \n");

		if (!first && column + 1 + length > HELP_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)length, text);
		column += length;
		text += length;
		first = false;
		/* an empty line is kept, a single line break becomes a blank */
		if (text[0] == '\n' && text[1] == '\n') {
			fprintf(out, "\n\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		text += strspn(text, " \n");
	}
	fputc('\n', out);
}

static void print_row(FILE *out, const char *left, const char *right)
{
	size_t length = strlen(left) + 2;

	fprintf(out, "  %s", left);
	if (length + 2 > OPTION_INDENT) {
		fputc('\n', out);
		length = 0;
	}
	fprintf(out, "%*s", (int)(OPTION_INDENT - length), "");
	print_wrapped(out, right, OPTION_INDENT, OPTION_INDENT);
}

/* Adds a duration in the largest unit that gives a whole number. The parser accepts it. */
static void add_duration(struct text *out, int64_t duration_ns)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (duration_ns % units[i].ns == 0) {
			text_addf(out, "%lld%s", (long long)(duration_ns / units[i].ns),
				  units[i].unit);
			return;
		}
	}
	text_addf(out, "%lldns", (long long)duration_ns);
}

static void add_default(struct text *out, const struct option_row *row, const void *options)
{
	const char *field = (const char *)options + row->offset;
	struct text value = TEXT_INIT;

	if (row->kind == OPTION_TEXT && *(const char *const *)field)
		text_add(&value, *(const char *const *)field);
	else if (row->kind == OPTION_COUNT && *(const int64_t *)field >= row->least)
		text_addf(&value, "%lld", (long long)*(const int64_t *)field);
	else if (row->kind == OPTION_SEED)
		text_addf(&value, "%llu", (unsigned long long)*(const uint64_t *)field);
	else if (row->kind == OPTION_DURATION)
		add_duration(&value, *(const int64_t *)field);
	else if (row->kind == OPTION_RATIO)
		text_addf(&value, "%g%%", 100 * *(const double *)field);
	else if (row->kind == OPTION_CHOICE)
		text_add(&value, row->choices[*(const int *)field]);
	if (value.length)
		text_addf(out, " (default: %s)", value.data);
	text_release(&value);
}

/* Adds the help of an option, its choices, and the default that the verb sets. */
static void option_meaning(struct text *out, const struct command *command,
			   const struct option_row *row)
{
	void *options = xcalloc(1, command->options_size);
	struct text choices = TEXT_INIT;

	if (command->defaults)
		command->defaults(options);
	text_add(out, row->help);
	if (row->choices)
		add_choices(&choices, row->choices);
	if (choices.length)
		text_addf(out, ": %s", choices.data);
	text_release(&choices);
	if (row != &option_row_help)
		add_default(out, row, options);
	free(options);
}

/* How an item of a list is written: as text or in a manual page. */
typedef void item_writer(FILE *out, const char *name, const char *meaning);

static void write_option(FILE *out, item_writer *write_item, const struct command *command,
			 const struct option_row *row)
{
	struct text left = TEXT_INIT, right = TEXT_INIT;

	option_spelling(&left, row);
	option_meaning(&right, command, row);
	write_item(out, left.data, right.data);
	text_release(&left);
	text_release(&right);
}

static void write_options(FILE *out, item_writer *write_item, const struct command *command)
{
	for (size_t i = 0; i < command->option_count; i++)
		write_option(out, write_item, command, &command->options[i]);
	write_option(out, write_item, command, &option_row_help);
}

static void write_help_items(FILE *out, item_writer *write_item, const struct help_item *items,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_item(out, items[i].name, items[i].meaning);
}

static void write_help_verbs(FILE *out, item_writer *write_item, const struct command_table *verbs)
{
	for (size_t i = 0; i < verbs->count; i++)
		write_item(out, verbs->items[i]->name, verbs->items[i]->summary);
}

/* Whether an option of the verb takes one of these words. */
static bool takes_words(const struct command *command, const char *const *words)
{
	for (size_t i = 0; i < command->option_count; i++) {
		if (command->options[i].choices == words)
			return true;
	}
	return false;
}

/* Whether an option of the verb takes the formats of a run or of an export. */
static bool help_has_formats(const struct command *command)
{
	return takes_words(command, run_format_words) || takes_words(command, export_format_words);
}

/* Calls write_item() for each format that the verb takes. */
static void help_formats(FILE *out, const struct command *command, item_writer *write_item)
{
	for (int i = 0; i < REPORT_FORMAT_COUNT && takes_words(command, run_format_words); i++) {
		enum report_format format = (enum report_format)i;

		if (report_format_applies(format, OF_RUN))
			write_item(out, report_format_name(format), report_format_meaning(format));
	}
	for (int i = 0; i < EXPORT_FORMAT_COUNT && takes_words(command, export_format_words); i++)
		write_item(out, export_format_words[i],
			   export_format_meaning((enum export_format)i));
}

void help_overview(FILE *out, const struct command_table *verbs)
{
	fprintf(out, "perflab: " HELP_SUMMARY "\n\n"
		     "usage: perflab VERB [OPTION ...] [OPERAND ...]\n\nverbs\n");
	write_help_verbs(out, print_row, verbs);
	fprintf(out, "\nexit status\n");
	write_help_items(out, print_row, exit_codes, ARRAY_SIZE(exit_codes));
	fprintf(out, "\nenvironment\n");
	write_help_items(out, print_row, variables, ARRAY_SIZE(variables));
	fprintf(out, "\n\"perflab help VERB\" describes a verb and its options.\n"
		     "\"perflab doctor\" shows what works on this machine.\n");
}

void help_command(FILE *out, const struct command *command)
{
	fprintf(out, "perflab %s: %s\n\n", command->name, command->summary);
	fprintf(out, "usage: perflab %s%s%s%s\n\n", command->name,
		command->option_count ? " [OPTION ...]" : "", command->operands[0] ? " " : "",
		command->operands);
	print_wrapped(out, command->description, 0, 0);
	fprintf(out, "\noptions\n");
	write_options(out, print_row, command);
	if (help_has_formats(command)) {
		fprintf(out, "\nformats\n");
		help_formats(out, command, print_row);
	}
	if (command->exit_status) {
		fprintf(out, "\nexit status\n  ");
		print_wrapped(out, command->exit_status, 2, 2);
	}
	if (command->example_count)
		fprintf(out, "\nexamples\n");
	for (size_t i = 0; i < command->example_count; i++)
		fprintf(out, "  %s\n      %s\n", command->examples[i].command,
			command->examples[i].meaning);
}

/* Writes text for troff: escapes "." and "'" at the start of a line, backslashes, and hyphens, so
 * that options can be copied from the page. */
static void man_text(FILE *out, const char *text)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		line_start = *text == '\n';
		if (text[0] == '\n' && text[1] == '\n') {
			fputs("\n.PP", out);
			continue;
		}
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
}

static void man_item(FILE *out, const char *term, const char *meaning)
{
	fputs(".TP\n\\fB", out);
	man_text(out, term);
	fputs("\\fR\n", out);
	man_text(out, meaning);
	fputc('\n', out);
}

static void man_head(FILE *out, const char *name, const char *summary)
{
	fputs(".TH ", out);
	for (const char *c = name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fprintf(out, " 1 \"\" perflab\n.SH NAME\n");
	man_text(out, name);
	fputs(" \\- ", out);
	man_text(out, summary);
	fputs("\n.SH SYNOPSIS\n", out);
}

static void man_overview(FILE *out, const struct command_table *verbs)
{
	man_head(out, "perflab", HELP_SUMMARY);
	fputs("perflab VERB [OPTION ...] [OPERAND ...]\n.SH VERBS\n", out);
	write_help_verbs(out, man_item, verbs);
	fputs(".SH ENVIRONMENT\n", out);
	write_help_items(out, man_item, variables, ARRAY_SIZE(variables));
	fputs(".SH EXIT STATUS\n", out);
	write_help_items(out, man_item, exit_codes, ARRAY_SIZE(exit_codes));
}

/* Writes troff. command NULL: the page perflab(1). */
static void help_man(FILE *out, const struct command_table *verbs, const struct command *command)
{
	char name[64];

	if (!command) {
		man_overview(out, verbs);
		return;
	}
	snprintf(name, sizeof(name), "perflab-%s", command->name);
	man_head(out, name, command->summary);
	fprintf(out, "perflab %s%s ", command->name, command->option_count ? " [OPTION ...]" : "");
	man_text(out, command->operands);
	fputs("\n.SH DESCRIPTION\n", out);
	man_text(out, command->description);
	fputs("\n.SH OPTIONS\n", out);
	write_options(out, man_item, command);
	if (help_has_formats(command)) {
		fputs(".SH FORMATS\n", out);
		help_formats(out, command, man_item);
	}
	fputs(".SH EXIT STATUS\n", out);
	if (command->exit_status) {
		man_text(out, command->exit_status);
		fputs("\n", out);
	}
	write_help_items(out, man_item, exit_codes, ARRAY_SIZE(exit_codes));
	if (command->example_count)
		fputs(".SH EXAMPLES\n", out);
	for (size_t i = 0; i < command->example_count; i++)
		man_item(out, command->examples[i].command, command->examples[i].meaning);
	fputs(".SH SEE ALSO\n", out);
	for (size_t i = 0; i < verbs->count; i++) {
		if (verbs->items[i] != command)
			fprintf(out, "perflab\\-%s(1)\n", verbs->items[i]->name);
	}
}

struct help_options {
	bool man;
};

static int run_help(struct invocation *call, struct error *err)
{
	const struct help_options *options = call->options;
	const struct command *command = NULL;

	if (call->operands.count > 0) {
		command = command_find(call->verbs, call->operands.items[0]);
		if (!command)
			return command_unknown(call->verbs, call->operands.items[0], err);
	}
	if (options->man)
		help_man(stdout, call->verbs, command);
	else if (command)
		help_command(stdout, command);
	else
		help_overview(stdout, call->verbs);
	return stdout_printed(err);
}

static const struct option_row help_rows[] = {
	FLAG_ROW("man", 0, help_options, man, "print a manual page (troff) instead of text"),
};

static const struct example help_examples[] = {
	{"perflab help sweep", "describe one verb and its options"},
	{"perflab help --man sweep | man -l -", "read the manual page of a verb"},
};

const struct command command_help = {
	.name = "help",
	.summary = "list the verbs, or describe one",
	.operands = "[VERB]",
	.description =
		"Prints help to standard output: the list of verbs, exit codes and environment "
		"variables, or the description, options and examples of VERB.",
	OPTIONS_AND_EXAMPLES(help_options, help_rows, help_examples),
	.operand_kind = OPERANDS_VERBS,
	.operands_most = 1,
	.run = run_help,
};

static int run_version(struct invocation *call, struct error *err)
{
	(void)call;
	(void)err;
	printf("perflab %s%s%s (%s)\n", PERFLAB_VERSION, host_build_revision() ? " " : "",
	       host_build_revision() ? host_build_revision() : "", PERFLAB_BUILD_TYPE);
	return 0;
}

const struct command command_version = {
	.name = "version",
	.summary = "print the version of perflab",
	.operands = "",
	.description = "Prints the version, the source revision and the build type.",
	.run = run_version,
};
