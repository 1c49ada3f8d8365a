/* perflab completion: prints completion scripts for shells, from the table of verbs. */
#include <string.h>

#include "cli/command.h"
#include "harness/session/studies.h"
#include "kernels/kernels.h"

struct shell {
	const char *name;
	void (*write)(FILE *out, const struct command_table *verbs);
};

/* Adds the operands that a verb accepts, separated by blanks. */
static void operand_words(struct text *out, const struct command_table *verbs,
			  const struct command *command)
{
	size_t count;
	const struct kernel *const *kernels = kernel_all(&count);
	struct string_list names = {0};

	switch (command->operand_kind) {
	case OPERANDS_WORDS:
		for (size_t i = 0; command->operand_words[i]; i++)
			text_addf(out, "%s%s", i ? " " : "", command->operand_words[i]);
		break;
	case OPERANDS_VERBS:
		for (size_t i = 0; i < verbs->count; i++)
			text_addf(out, "%s%s", i ? " " : "", verbs->items[i]->name);
		break;
	case OPERANDS_CASES:
		for (size_t i = 0; i < count; i++) {
			text_addf(out, "%s%s", i ? " " : "", kernels[i]->name);
			for (size_t j = 0; j < kernels[i]->variant_count; j++)
				text_addf(out, " %s/%s", kernels[i]->name,
					  kernels[i]->variants[j].name);
		}
		break;
	case OPERANDS_STUDIES:
		study_names(&names);
		for (size_t i = 0; i < names.count; i++)
			text_addf(out, "%s%s", i ? " " : "", names.items[i]);
		break;
	case OPERANDS_NONE:
	case OPERANDS_FREE:
		break;
	}
	string_list_release(&names);
}

static void choice_words(struct text *out, const struct option_row *row)
{
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		if (*row->choices[i])
			text_addf(out, "%s%s", out->length ? " " : "", row->choices[i]);
}

static bool is_path(const struct option_row *row)
{
	return row->argument &&
	       (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "FOLDER") == 0);
}

/* ---- bash ---- */

static void bash_option_values(FILE *out, const struct option_row *row)
{
	struct text choices = TEXT_INIT;

	if (row->kind == OPTION_FLAG)
		return;
	choice_words(&choices, row);
	fprintf(out, "\t\t--%s", row->name);
	if (row->letter)
		fprintf(out, "|-%c", row->letter);
	if (choices.length)
		fprintf(out, ") COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n",
			choices.data);
	else if (is_path(row))
		fprintf(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
	else
		fprintf(out, ") return ;;\n");
	text_release(&choices);
}

static void bash_verb(FILE *out, const struct command_table *verbs, const struct command *command)
{
	struct text operands = TEXT_INIT;

	operand_words(&operands, verbs, command);
	fprintf(out, "\t%s)\n\t\tcase $prev in\n", command->name);
	for (size_t i = 0; i < command->option_count; i++)
		bash_option_values(out, &command->options[i]);
	fprintf(out, "\t\tesac\n\t\toptions=\"--%s", option_row_help.name);
	for (size_t i = 0; i < command->option_count; i++)
		fprintf(out, " --%s", command->options[i].name);
	fprintf(out, "\"\n\t\toperands=\"%s\"\n\t\t;;\n", operands.data);
	text_release(&operands);
}

static void write_bash(FILE *out, const struct command_table *verbs)
{
	fputs("# bash completion of perflab; written by: perflab completion bash\n"
	      "_perflab()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal options= operands=\n\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"",
	      out);
	for (size_t i = 0; i < verbs->count; i++)
		fprintf(out, "%s%s", i ? " " : "", verbs->items[i]->name);
	fputs("\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (size_t i = 0; i < verbs->count; i++)
		bash_verb(out, verbs, verbs->items[i]);
	fputs("\tesac\n\tcase $cur in\n"
	      "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
	      "\t*) COMPREPLY=($(compgen -W \"$operands\" -- \"$cur\")) ;;\n"
	      "\tesac\n}\ncomplete -F _perflab perflab\n",
	      out);
}

/* ---- zsh ---- */

/* Quotes text for '…[…]…:…' of _arguments. */
static void zsh_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void zsh_option(FILE *out, const struct option_row *row)
{
	struct text choices = TEXT_INIT;

	choice_words(&choices, row);
	fprintf(out, " \\\n\t\t\t'%s--%s%s[", row->kind == OPTION_LIST ? "*" : "", row->name,
		row->argument ? "=" : "");
	zsh_text(out, row->help);
	fputc(']', out);
	if (row->argument) {
		fputc(':', out);
		zsh_text(out, row->argument);
		if (choices.length)
			fprintf(out, ":(%s)", choices.data);
		else
			fputs(is_path(row) ? ":_files" : ": ", out);
	}
	fputc('\'', out);
	text_release(&choices);
}

static void write_zsh(FILE *out, const struct command_table *verbs)
{
	fputs("#compdef perflab\n# zsh completion of perflab; written by: perflab completion zsh\n"
	      "_perflab()\n{\n\tlocal -a verbs\n\tverbs=(\n",
	      out);
	for (size_t i = 0; i < verbs->count; i++) {
		fprintf(out, "\t\t'%s:", verbs->items[i]->name);
		zsh_text(out, verbs->items[i]->summary);
		fputs("'\n", out);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
	      "\tlocal verb=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $verb in\n",
	      out);
	for (size_t i = 0; i < verbs->count; i++) {
		const struct command *command = verbs->items[i];
		struct text operands = TEXT_INIT;

		operand_words(&operands, verbs, command);
		fprintf(out, "\t%s)\n\t\t_arguments", command->name);
		for (size_t j = 0; j < command->option_count; j++)
			zsh_option(out, &command->options[j]);
		zsh_option(out, &option_row_help);
		if (operands.length)
			fprintf(out, " \\\n\t\t\t'*:operand:(%s)'", operands.data);
		fputs("\n\t\t;;\n", out);
		text_release(&operands);
	}
	/* a sourced script registers the function; an autoloaded one (fpath) is its body */
	fputs("\tesac\n}\n"
	      "if [ \"$funcstack[1]\" = _perflab ]; then\n\t_perflab \"$@\"\n"
	      "else\n\tcompdef _perflab perflab\nfi\n",
	      out);
}

/* ---- fish ---- */

static void fish_text(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

static void fish_option(FILE *out, const struct command *command, const struct option_row *row)
{
	struct text choices = TEXT_INIT;

	choice_words(&choices, row);
	fprintf(out, "complete -c perflab -n '__fish_seen_subcommand_from %s' -l %s", command->name,
		row->name);
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	if (row->argument)
		fputs(is_path(row) ? " -r -F" : " -x", out);
	if (choices.length)
		fprintf(out, " -a '%s'", choices.data);
	fputs(" -d ", out);
	fish_text(out, row->help);
	fputc('\n', out);
	text_release(&choices);
}

static void write_fish(FILE *out, const struct command_table *verbs)
{
	fputs("# fish completion of perflab; written by: perflab completion fish\n"
	      "complete -c perflab -f\n",
	      out);
	for (size_t i = 0; i < verbs->count; i++) {
		const struct command *command = verbs->items[i];
		struct text operands = TEXT_INIT;

		fprintf(out, "complete -c perflab -n __fish_use_subcommand -a %s -d ",
			command->name);
		fish_text(out, command->summary);
		fputc('\n', out);
		operand_words(&operands, verbs, command);
		if (operands.length)
			fprintf(out,
				"complete -c perflab -n '__fish_seen_subcommand_from %s' -a '%s'\n",
				command->name, operands.data);
		for (size_t j = 0; j < command->option_count; j++)
			fish_option(out, command, &command->options[j]);
		fish_option(out, command, &option_row_help);
		text_release(&operands);
	}
}

/* ---- the verb ---- */

static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};
static const struct shell shells[] = {
	{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static int run_completion(struct invocation *call, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		if (strcmp(shells[i].name, call->operands.items[0]) == 0) {
			shells[i].write(stdout, call->verbs);
			return stdout_printed(err);
		}
	}
	return error_set(
		err, PL_EUSAGE,
		"there is no completion for the shell \"%s\"; give one of: bash, zsh, fish",
		call->operands.items[0]);
}

static const struct example examples[] = {
	{"source <(perflab completion bash)", "complete in this shell"},
	{"perflab completion fish > ~/.config/fish/completions/perflab.fish",
	 "complete in every fish shell"},
};

const struct command command_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.operands = "bash|zsh|fish",
	.description = "Prints a script that completes verbs, options, their values and the names "
		       "of kernels, variants and studies.",
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_WORDS,
	.operand_words = shell_words,
	.operands_least = 1,
	.operands_most = 1,
	.run = run_completion,
};
