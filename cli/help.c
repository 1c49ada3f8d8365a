/* Prints help from the table of verbs. */
#include "cli/help.h"
#include "reports/exports.h"
#include "reports/reports.h"

#include <stdlib.h>
#include <string.h>

#define HELP_WIDTH 80
#define OPTION_INDENT 28

const struct help_item help_exit_codes[] = {
	{"0", "success"},
	{"1", "perflab found a problem: a wrong result or a regression"},
	{"2", "the command line is malformed or names something unknown"},
	{"3", "an error: a file, the database, a worker or the device failed"},
	{"4", "this build or machine cannot do this; perflab doctor gives the reason"},
};
const size_t help_exit_code_count = ARRAY_SIZE(help_exit_codes);

const struct help_item help_variables[] = {
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
	 "the library that perflab record loads into programs (default: that of the "
	 "installation)"},
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
const size_t help_variable_count = ARRAY_SIZE(help_variables);

void option_spelling(struct text *out, const struct option_row *row)
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

void option_meaning(struct text *out, const struct command *command, const struct option_row *row)
{
	void *options = xcalloc(1, command->options_size ? command->options_size : 1);
	const char *separator = ": ";

	if (command->defaults)
		command->defaults(options);
	text_add(out, row->help);
	for (size_t i = 0; row->choices && row->choices[i]; i++) {
		if (!*row->choices[i])
			continue;
		text_addf(out, "%s%s", separator, row->choices[i]);
		separator = ", ";
	}
	if (row != &option_row_help)
		add_default(out, row, options);
	free(options);
}

static void print_option(FILE *out, const struct command *command, const struct option_row *row)
{
	struct text left = TEXT_INIT, right = TEXT_INIT;

	option_spelling(&left, row);
	option_meaning(&right, command, row);
	print_row(out, left.data, right.data);
	text_release(&left);
	text_release(&right);
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

bool help_has_formats(const struct command *command)
{
	return takes_words(command, run_format_words) || takes_words(command, export_format_words);
}

void help_formats(FILE *out, const struct command *command,
		  void (*print_item)(FILE *out, const char *name, const char *meaning))
{
	for (int i = 0; i < REPORT_FORMAT_COUNT && takes_words(command, run_format_words); i++) {
		enum report_format format = (enum report_format)i;

		if (report_format_applies(format, OF_RUN))
			print_item(out, report_format_name(format), report_format_meaning(format));
	}
	for (int i = 0; i < EXPORT_FORMAT_COUNT && takes_words(command, export_format_words); i++)
		print_item(out, export_format_words[i],
			   export_format_meaning((enum export_format)i));
}

void help_overview(FILE *out, const struct command_table *verbs)
{
	fprintf(out, "perflab: " HELP_SUMMARY "\n\n"
		     "usage: perflab VERB [OPTION ...] [OPERAND ...]\n\nverbs\n");
	for (size_t i = 0; i < verbs->count; i++)
		print_row(out, verbs->items[i]->name, verbs->items[i]->summary);
	fprintf(out, "\nexit status\n");
	for (size_t i = 0; i < help_exit_code_count; i++)
		print_row(out, help_exit_codes[i].name, help_exit_codes[i].meaning);
	fprintf(out, "\nenvironment\n");
	for (size_t i = 0; i < help_variable_count; i++)
		print_row(out, help_variables[i].name, help_variables[i].meaning);
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
	for (size_t i = 0; i < command->option_count; i++)
		print_option(out, command, &command->options[i]);
	print_option(out, command, &option_row_help);
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
