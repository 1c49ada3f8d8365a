/* perflab completion: prints completion scripts for shells, from the table of verbs. */
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "db/db.h"
#include "harness/study/study.h"
#include "kernels/kernels.h"
#include "metrics/catalogue/catalogue.h"
#include "reports/reports.h"

#define RUNS_READ 1000 /* the newest; a key press must not wait for more */

static void add_word(struct text *out, const char *word)
{
	text_addf(out, "%s%s", out->length ? " " : "", word);
}

/* ---- operands ---- */

static void add_case_words(struct text *out)
{
	size_t count;
	const struct kernel *const *kernels = kernel_all(&count);

	for (size_t i = 0; i < count; i++) {
		add_word(out, kernels[i]->name);
		for (size_t j = 0; j < kernels[i]->variant_count; j++)
			text_addf(out, " %s/%s", kernels[i]->name, kernels[i]->variants[j].name);
	}
}

/* Adds the operands that a verb accepts, separated by blanks; not the names of runs. */
static void operand_words(struct text *out, const struct command_table *verbs,
			  const struct command *command)
{
	struct string_list names = {0};

	for (size_t i = 0; command->operand_words && command->operand_words[i]; i++)
		add_word(out, command->operand_words[i]);
	for (size_t i = 0; command->operand_kind == OPERANDS_VERBS && i < verbs->count; i++)
		add_word(out, verbs->items[i]->name);
	if (command->operand_kind == OPERANDS_CASES)
		add_case_words(out);
	if (command->operand_kind == OPERANDS_STUDIES)
		study_names(&names);
	for (size_t i = 0; i < names.count; i++)
		add_word(out, names.items[i]);
	string_list_release(&names);
}

static bool operands_are_files(const struct command *command)
{
	return strstr(command->operands, "FILE") != NULL;
}

/* ---- values of options ---- */

/* "auto|cuda|ptx" names all values, "I/N" and "NAME" none. */
static void add_words_of_argument(struct text *out, const char *argument)
{
	struct string_list pieces = {0};

	string_list_split(&pieces, argument, '|');
	for (size_t i = 0; i < pieces.count; i++)
		if (*pieces.items[i] &&
		    !pieces.items[i][strspn(pieces.items[i], "abcdefghijklmnopqrstuvwxyz-")])
			add_word(out, pieces.items[i]);
	string_list_release(&pieces);
}

static void add_metric_words(struct text *out)
{
	const struct metric *(*const tables[])(size_t *) = {metric_all, metric_all_emulated};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		size_t count;
		const struct metric *metrics = tables[t](&count);

		for (size_t i = 0; i < count; i++)
			add_word(out, metrics[i].name);
	}
}

/* Columns of reports; every kernel has the axes block and n. */
static void add_column_words(struct text *out)
{
	struct string_list names = {0};

	report_column_names(&names);
	for (size_t i = 0; i < names.count; i++)
		add_word(out, names.items[i]);
	add_word(out, "block");
	add_word(out, "n");
	string_list_release(&names);
}

/* Adds the values of an option, separated by blanks. *list: a value is a list of them, separated by
 * commas. */
static void option_words(struct text *out, bool *list, const struct option_row *row)
{
	*list = false;
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		if (*row->choices[i])
			add_word(out, row->choices[i]);
	if (row->choices || !row->argument)
		return;
	if (strcmp(row->name, "metrics") == 0) {
		add_word(out, "none");
		for (int i = 0; i < METRIC_SET_COUNT; i++)
			add_word(out, metric_set_name((enum metric_set)i));
	} else if (strcmp(row->name, "counters") == 0) {
		add_word(out, "exact none");
	} else if (strcmp(row->argument, "COLUMN") == 0 || strcmp(row->name, "columns") == 0) {
		add_column_words(out);
	} else {
		add_words_of_argument(out, row->argument);
		return;
	}
	*list = strcmp(row->argument, "COLUMN") != 0;
	add_metric_words(out);
}

static bool option_is_run(const struct option_row *row)
{
	return row->argument && strcmp(row->argument, "RUN") == 0;
}

static bool option_is_path(const struct option_row *row)
{
	return row->argument &&
	       (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "FOLDER") == 0);
}

/* ---- runs ---- */

/* bash expands the words that it is given: a label such as $(command) must not reach it. */
static bool is_plain_word(const char *label)
{
	return *label && *label != '-' &&
	       !label[strspn(
		       label,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+:@/-")];
}

static int collect_label(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct string_list *labels = context;

	(void)tally;
	if (run->label && is_plain_word(run->label) && !string_list_has(labels, run->label))
		string_list_add(labels, run->label);
	return 0;
}

/* Prints the names of runs of a database, one a line: last, last-good and labels. Leaves out labels
 * with characters that a shell interprets. Without a database, prints nothing. */
static void print_run_words(FILE *out, const char *db_path)
{
	struct string_list labels = {0};
	struct db *db = NULL;

	if (!db_open(&db, db_path, DB_READ, NULL) &&
	    !db_runs_visit(db, RUNS_READ, collect_label, &labels, NULL)) {
		fputs("last\nlast-good\n", out);
		for (size_t i = 0; i < labels.count; i++)
			fprintf(out, "%s\n", labels.items[i]);
	}
	db_close(db);
	string_list_release(&labels);
}

struct completion_options {
	const char *db;
};

struct shell {
	const char *name;
	void (*write)(FILE *out, const struct command_table *verbs);
};

/* ---- bash ---- */

static void bash_option_values(FILE *out, const struct option_row *row)
{
	struct text words = TEXT_INIT;
	bool list;

	if (row->kind == OPTION_FLAG)
		return;
	option_words(&words, &list, row);
	fprintf(out, "\t\t--%s", row->name);
	if (row->letter)
		fprintf(out, "|-%c", row->letter);
	if (list)
		fprintf(out,
			") COMPREPLY=($(compgen -P \"${cur%%\"${cur##*,}\"}\" -W \"%s\" -- "
			"\"${cur##*,}\")); return ;;\n",
			words.data);
	else if (words.length)
		fprintf(out, ") COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n",
			words.data);
	else if (option_is_run(row))
		fprintf(out, ") COMPREPLY=($(compgen -W \"$(_perflab_runs)\" -- \"$cur\")); "
			     "return ;;\n");
	else if (option_is_path(row))
		fprintf(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
	else
		fprintf(out, ") return ;;\n");
	text_release(&words);
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
	fprintf(out, "\"\n\t\toperands=\"%s%s\"\n", operands.data,
		command->operand_kind == OPERANDS_RUNS ? " $(_perflab_runs)" : "");
	if (operands_are_files(command))
		fputs("\t\tfiles=1\n", out);
	fputs("\t\t;;\n", out);
	text_release(&operands);
}

static void write_bash(FILE *out, const struct command_table *verbs)
{
	fputs("# bash completion of perflab; written by: perflab completion bash\n"
	      "_perflab_runs()\n{\n"
	      "\tlocal i db=\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\t[ \"${COMP_WORDS[i]}\" = --db ] || continue\n"
	      "\t\tdb=${COMP_WORDS[i + 1]}\n"
	      "\t\t[ \"$db\" = = ] && db=${COMP_WORDS[i + 2]}\n"
	      "\tdone\n"
	      "\t\"${COMP_WORDS[0]}\" completion runs ${db:+--db \"$db\"} 2>/dev/null\n}\n"
	      "_perflab()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal options= operands= files=\n\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"",
	      out);
	for (size_t i = 0; i < verbs->count; i++)
		fprintf(out, "%s%s", i ? " " : "", verbs->items[i]->name);
	fputs("\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (size_t i = 0; i < verbs->count; i++)
		bash_verb(out, verbs, verbs->items[i]);
	fputs("\tesac\n\tcase $cur in\n"
	      "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
	      "\t*) COMPREPLY=($(compgen -W \"$operands\" -- \"$cur\"))\n"
	      "\t\t[ -z \"$files\" ] || compopt -o default 2>/dev/null ;;\n"
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
	struct text words = TEXT_INIT;
	bool list;

	option_words(&words, &list, row);
	fprintf(out, " \\\n\t\t\t'%s--%s%s[", row->kind == OPTION_LIST ? "*" : "", row->name,
		row->argument ? "=" : "");
	zsh_text(out, row->help);
	fputc(']', out);
	if (row->argument) {
		fputc(':', out);
		zsh_text(out, row->argument);
		if (list)
			fprintf(out, ": _values -s , value %s", words.data);
		else if (words.length)
			fprintf(out, ":(%s)", words.data);
		else if (option_is_run(row))
			fputs(":_perflab_runs", out);
		else
			fputs(option_is_path(row) ? ":_files" : ": ", out);
	}
	fputc('\'', out);
	text_release(&words);
}

static void zsh_operands(FILE *out, const struct command_table *verbs,
			 const struct command *command)
{
	struct text words = TEXT_INIT;
	const bool runs = command->operand_kind == OPERANDS_RUNS,
		   files = operands_are_files(command);

	operand_words(&words, verbs, command);
	if (words.length && !runs && !files)
		fprintf(out, " \\\n\t\t\t'*:operand:(%s)'", words.data);
	else if (words.length || runs || files)
		fprintf(out, " \\\n\t\t\t'*:operand: _alternative %s%s%s%s%s'",
			words.length ? "\"words:word:(" : "", words.data, words.length ? ")\"" : "",
			runs ? " runs:run:_perflab_runs" : "", files ? " files:file:_files" : "");
	text_release(&words);
}

static void write_zsh(FILE *out, const struct command_table *verbs)
{
	fputs("#compdef perflab\n# zsh completion of perflab; written by: perflab completion zsh\n"
	      "_perflab_runs()\n{\n"
	      "\tlocal -a db\n"
	      "\tlocal i=${words[(I)--db]}\n"
	      "\t(( i )) && db=(--db ${words[i + 1]})\n"
	      "\tcompadd -- ${(f)\"$(perflab completion runs $db 2>/dev/null)\"}\n}\n"
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

		fprintf(out, "\t%s)\n\t\t_arguments", command->name);
		for (size_t j = 0; j < command->option_count; j++)
			zsh_option(out, &command->options[j]);
		zsh_option(out, &option_row_help);
		zsh_operands(out, verbs, command);
		fputs("\n\t\t;;\n", out);
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
	struct text words = TEXT_INIT;
	bool list;

	option_words(&words, &list, row);
	fprintf(out, "complete -c perflab -n '__fish_seen_subcommand_from %s' -l %s", command->name,
		row->name);
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	if (row->argument)
		fputs(option_is_path(row) ? " -r -F" : " -x", out);
	if (list)
		fprintf(out, " -a '(__fish_complete_list , \"string split \\\" \\\" \\\"%s\\\"\")'",
			words.data);
	else if (words.length)
		fprintf(out, " -a '%s'", words.data);
	else if (option_is_run(row))
		fputs(" -a '(perflab completion runs 2>/dev/null)'", out);
	fputs(" -d ", out);
	fish_text(out, row->help);
	fputc('\n', out);
	text_release(&words);
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
		if (command->operand_kind == OPERANDS_RUNS)
			fprintf(out,
				"complete -c perflab -n '__fish_seen_subcommand_from %s' -a "
				"'(perflab completion runs 2>/dev/null)'\n",
				command->name);
		if (operands_are_files(command))
			fprintf(out, "complete -c perflab -n '__fish_seen_subcommand_from %s' -F\n",
				command->name);
		for (size_t j = 0; j < command->option_count; j++)
			fish_option(out, command, &command->options[j]);
		fish_option(out, command, &option_row_help);
		text_release(&operands);
	}
}

/* ---- the verb ---- */

static const char *const operands[] = {"bash", "zsh", "fish", "runs", NULL};
static const struct shell shells[] = {
	{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static int run_completion(struct invocation *call, struct error *err)
{
	const struct completion_options *options = call->options;

	if (strcmp(call->operands.items[0], "runs") == 0) {
		print_run_words(stdout, options->db ? options->db : db_default_path());
		return stdout_printed(err);
	}
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

static const struct option_row completion_rows[] = {
	TEXT_ROW("db", 0, completion_options, db, "FILE", "runs: " HELP_DB),
};

static const struct example completion_examples[] = {
	{"source <(perflab completion bash)", "complete in this shell"},
	{"perflab completion fish > ~/.config/fish/completions/perflab.fish",
	 "complete in every fish shell"},
};

const struct command command_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.operands = "bash|zsh|fish|runs",
	.description = "Prints a script that completes verbs, options, their values and the names "
		       "of kernels, variants, metrics and studies. The scripts call `perflab "
		       "completion runs`, which prints the names of runs of the database that "
		       "a command line names.",
	OPTIONS_AND_EXAMPLES(completion_options, completion_rows, completion_examples),
	.operand_kind = OPERANDS_WORDS,
	.operand_words = operands,
	.operands_least = 1,
	.operands_most = 1,
	.run = run_completion,
};
