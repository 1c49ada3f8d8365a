/* Writes manual pages (troff) from the table of verbs. */
#include <ctype.h>

#include "cli/help.h"

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

static void man_items(FILE *out, const struct help_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		man_item(out, items[i].name, items[i].meaning);
}

static void man_overview(FILE *out, const struct command_table *verbs)
{
	man_head(out, "perflab", HELP_SUMMARY);
	fputs("perflab VERB [OPTION ...] [OPERAND ...]\n.SH VERBS\n", out);
	for (size_t i = 0; i < verbs->count; i++)
		man_item(out, verbs->items[i]->name, verbs->items[i]->summary);
	fputs(".SH ENVIRONMENT\n", out);
	man_items(out, help_variables, help_variable_count);
	fputs(".SH EXIT STATUS\n", out);
	man_items(out, help_exit_codes, help_exit_code_count);
}

void help_man(FILE *out, const struct command_table *verbs, const struct command *command)
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
	for (size_t i = 0; i < command->option_count; i++)
		man_option(out, command, &command->options[i]);
	man_option(out, command, &option_row_help);
	if (help_has_formats(command)) {
		fputs(".SH FORMATS\n", out);
		help_formats(out, command, man_item);
	}
	fputs(".SH EXIT STATUS\n", out);
	if (command->exit_status) {
		man_text(out, command->exit_status);
		fputs("\n", out);
	}
	man_items(out, help_exit_codes, help_exit_code_count);
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
