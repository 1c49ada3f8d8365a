/*
 * Help and manual pages, made from the command table.
 */
#include "cli/command.h"
#include "reports/reports.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HELP_WIDTH 80
#define OPTION_INDENT 28

static const struct {
	int code;
	const char *meaning;
} exit_codes[] = {
	{EXIT_FINE, "all went well"},
	{EXIT_FINDING, "a finding: a wrong result, a regression"},
	{EXIT_USAGE, "the request is malformed or names something unknown"},
	{EXIT_FAILED, "a failure: a file, the database, a worker, the device"},
	{EXIT_NOT_HERE, "this build or machine cannot do that; perflab doctor says why"},
};

static const struct {
	const char *name, *meaning;
} variables[] = {
	{"PERFLAB_DB", "the database when --db is not given (else perflab.db)"},
	{"PERFLAB_DB_TIMEOUT",
	 "how long to wait for a locked database: 500ms, 1min (default: 10s)"},
	{"SLURM_ARRAY_JOB_ID", "what sweep --sweep-id is when it is not given, after \"slurm-\""},
	{"PERFLAB_CEILINGS", "what sweep --ceilings is when it is not given (else auto)"},
	{"PERFLAB_WORKER_CUDA", "path of the CUDA worker (else beside perflab, else PATH)"},
	{"PERFLAB_WORKER_PTX", "path of the emulator, likewise"},
	{"PERFLAB_SOURCE_DIR",
	 "where report --lines looks for source text beside the working directory"},
	{"CUDA_HOME", "where nsight looks for ncu and nsys beside the usual places"},
	{"NO_COLOR", "no colour, whatever its value"},
};

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
		/* an empty line stays one, a single line break is a blank */
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

/* A duration as the parser takes it, in the largest unit that says it exactly. */
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
	else if (row->kind == OPTION_COUNT)
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

/* The help of an option, its choices, and the default that the command really sets. */
static void option_meaning(struct text *out, const struct command *command,
			   const struct option_row *row)
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

/* Whether the command takes every format of a run. */
static bool writes_runs(const struct command *command)
{
	for (size_t i = 0; i < command->option_count; i++) {
		if (command->options[i].choices == run_format_words)
			return true;
	}
	return false;
}

/* Prints the formats of a run with `print_item`, by name and meaning. */
static void print_formats(FILE *out,
			  void (*print_item)(FILE *out, const char *name, const char *meaning))
{
	for (int i = 0; i < REPORT_FORMAT_COUNT; i++) {
		enum report_format format = (enum report_format)i;

		if (report_format_applies(format, OF_RUN))
			print_item(out, report_format_name(format), report_format_meaning(format));
	}
}

void help_overview(FILE *out)
{
	fprintf(out, "perflab: a performance lab for CUDA kernels\n\n"
		     "usage: perflab VERB [OPTION ...] [OPERAND ...]\n\nverbs\n");
	for (size_t i = 0; i < command_count; i++)
		print_row(out, command_all[i]->name, command_all[i]->summary);
	fprintf(out, "\nexit status\n");
	for (size_t i = 0; i < ARRAY_SIZE(exit_codes); i++)
		print_row(out, (char[]){(char)('0' + exit_codes[i].code), '\0'},
			  exit_codes[i].meaning);
	fprintf(out, "\nenvironment\n");
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		print_row(out, variables[i].name, variables[i].meaning);
	fprintf(out,
		"\n\"perflab help VERB\" tells more; \"perflab doctor\" says what works here.\n");
}

void help_command(FILE *out, const struct command *command)
{
	fprintf(out, "usage: perflab %s%s%s%s\n\n", command->name,
		command->option_count ? " [OPTION ...]" : "", command->operands[0] ? " " : "",
		command->operands);
	print_wrapped(out, command->description, 0, 0);
	fprintf(out, "\noptions\n");
	for (size_t i = 0; i < command->option_count; i++)
		print_option(out, command, &command->options[i]);
	print_option(out, command, &option_row_help);
	if (writes_runs(command)) {
		fprintf(out, "\nformats\n");
		print_formats(out, print_row);
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

/* ---- manual pages ---- */

/* Text for troff: no request at a line's start, no escape of its own, hyphens that copy as such. */
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

static void man_option(FILE *out, const struct command *command, const struct option_row *row)
{
	struct text left = TEXT_INIT, right = TEXT_INIT;

	option_spelling(&left, row);
	option_meaning(&right, command, row);
	man_item(out, left.data, right.data);
	text_release(&left);
	text_release(&right);
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

static void man_exit_codes(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(exit_codes); i++)
		man_item(out, (char[]){(char)('0' + exit_codes[i].code), '\0'},
			 exit_codes[i].meaning);
}

static void man_overview(FILE *out)
{
	man_head(out, "perflab", "a performance lab for CUDA kernels");
	fputs("perflab VERB [OPTION ...] [OPERAND ...]\n.SH VERBS\n", out);
	for (size_t i = 0; i < command_count; i++)
		man_item(out, command_all[i]->name, command_all[i]->summary);
	fputs(".SH ENVIRONMENT\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		man_item(out, variables[i].name, variables[i].meaning);
	fputs(".SH EXIT STATUS\n", out);
	man_exit_codes(out);
}

void help_man(FILE *out, const struct command *command)
{
	char name[64];

	if (!command) {
		man_overview(out);
		return;
	}
	snprintf(name, sizeof(name), "perflab-%s", command->name);
	man_head(out, name, command->summary);
	fprintf(out, "perflab %s%s ", command->name, command->option_count ? " [OPTION ...]" : "");
	man_text(out, command->operands);
	fputs("\n.SH DESCRIPTION\n", out);
	man_text(out, command->description);
	fputs("\n.SH OPTIONS\n", out);
	for (size_t i = 0; i < command->option_count; i++)
		man_option(out, command, &command->options[i]);
	man_option(out, command, &option_row_help);
	if (writes_runs(command)) {
		fputs(".SH FORMATS\n", out);
		print_formats(out, man_item);
	}
	fputs(".SH EXIT STATUS\n", out);
	if (command->exit_status) {
		man_text(out, command->exit_status);
		fputs("\n", out);
	}
	man_exit_codes(out);
	if (command->example_count)
		fputs(".SH EXAMPLES\n", out);
	for (size_t i = 0; i < command->example_count; i++)
		man_item(out, command->examples[i].command, command->examples[i].meaning);
	fputs(".SH SEE ALSO\n", out);
	for (size_t i = 0; i < command_count; i++) {
		if (command_all[i] != command)
			fprintf(out, "perflab\\-%s(1)\n", command_all[i]->name);
	}
}
