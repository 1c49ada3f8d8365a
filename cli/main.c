/*
 * The only main(): finds the verb, parses its options and runs it. Prints an error as one line and
 * returns its exit code. getopt_long() does not serve, because it prints messages itself, keeps its
 * state in globals, and cannot suggest the nearest name.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/output.h"

/* ---- options ---- */

static const struct option_row *find_option_letter(const struct command *command, char letter)
{
	for (size_t i = 0; i < command->option_count; i++) {
		if (command->options[i].letter == letter)
			return &command->options[i];
	}
	return NULL;
}

static int unknown_option(const struct command *command, const char *word, size_t length,
			  struct error *err)
{
	char *name = xstrndup(word, length);
	struct text meant = TEXT_INIT;
	int rc;

	did_you_mean_option(&meant, command, name);
	if (meant.length)
		rc = error_set(err, PL_EUSAGE, "%s: unknown option --%s; did you mean %s?",
			       command->name, name, meant.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "%s: unknown option --%s; \"perflab help %s\" lists the options",
			       command->name, name, command->name);
	text_release(&meant);
	free(name);
	return rc;
}

static int parse_choice(int *out, const struct option_row *row, const char *value,
			struct error *err)
{
	struct text all = TEXT_INIT, meant = TEXT_INIT;
	int rc;

	for (int i = 0; row->choices[i]; i++) {
		if (*value && strcmp(row->choices[i], value) == 0) {
			*out = i;
			return 0;
		}
	}
	add_choices(&all, row->choices);
	did_you_mean_choice(&meant, row->choices, value);
	rc = error_set(err, PL_EUSAGE, "unknown value \"%s\"; one of: %s%s%s%s", value, all.data,
		       meant.length ? "; did you mean " : "", meant.data, meant.length ? "?" : "");
	text_release(&all);
	text_release(&meant);
	return rc;
}

static int parse_count(int64_t *out, const struct option_row *row, const char *value,
		       struct error *err)
{
	int64_t count;

	/* all forms of a size: "1e6" and "4Ki" are whole numbers, too */
	if (parse_size(&count, value, NULL) || count < row->least || count > INT32_MAX)
		return error_set(err, PL_EUSAGE,
				 "'%.40s' is not a whole number between %lld and %d", value,
				 (long long)row->least, INT32_MAX);
	*out = count;
	return 0;
}

static int parse_positive_duration(int64_t *out, const char *value, struct error *err)
{
	int64_t duration_ns;
	int rc = parse_duration_ns(&duration_ns, value, err);

	if (rc)
		return rc;
	if (duration_ns < 1)
		return error_set(err, PL_EUSAGE, "the time %s is too short: give more than 0",
				 value);
	*out = duration_ns;
	return 0;
}

static int store_value(struct invocation *call, const struct option_row *row, const char *value,
		       struct error *err)
{
	char *field = (char *)call->options + row->offset;
	size_t index = (size_t)(row - call->command->options);
	int rc = 0;

	if (row->kind != OPTION_LIST && (call->given & UINT64_C(1) << index))
		rc = error_set(err, PL_EUSAGE, "the option was given twice");
	else if (row->kind == OPTION_FLAG)
		*(bool *)field = true;
	else if (row->kind == OPTION_TEXT)
		*(const char **)field = value;
	else if (row->kind == OPTION_LIST)
		string_list_add((struct string_list *)field, value);
	else if (row->kind == OPTION_COUNT)
		rc = parse_count((int64_t *)field, row, value, err);
	else if (row->kind == OPTION_SEED)
		/* any form of a size, or a number that is too large for a size */
		rc = parse_size((int64_t *)field, value, NULL)
			     ? parse_u64((uint64_t *)field, value, err)
			     : 0;
	else if (row->kind == OPTION_DURATION)
		rc = parse_positive_duration((int64_t *)field, value, err);
	else if (row->kind == OPTION_RATIO)
		rc = parse_ratio((double *)field, value, err);
	else
		rc = parse_choice((int *)field, row, value, err);
	call->given |= UINT64_C(1) << index;
	return error_context(err, rc, "--%s", row->name);
}

/* A letter that the command lacks may be meant for the compiler: -Iinclude. */
static int unknown_letter(const struct command *command, const char *word, struct error *err)
{
	static const char flag[] = "compile-flag";

	if (option_row_find_part(command, flag, strlen(flag)) && strchr("DIOUWXfgm", word[1]))
		return error_set(err, PL_EUSAGE,
				 "%s: unknown option -%c; a flag of the compiler is given as "
				 "--%s %s%s, and \"perflab help %s\" lists the options",
				 command->name, word[1], flag, word, word[2] ? "" : "…",
				 command->name);
	return error_set(err, PL_EUSAGE,
			 "%s: unknown option -%c; \"perflab help %s\" lists the options",
			 command->name, word[1], command->name);
}

/* Refuses what is probably not meant as "-n" with its value: "-size", "-n=4096", "-qb". */
static int check_letter(const struct command *command, const struct option_row *row,
			const char *word, struct error *err)
{
	const size_t length = strcspn(word + 1, "=");

	if (length > 1 && option_row_find_part(command, word + 1, length))
		return error_set(err, PL_EUSAGE, "%s: unknown option %.*s; did you mean -%.*s?",
				 command->name, (int)length + 1, word, (int)length + 1, word);
	if (row && word[2] == '=')
		return error_set(err, PL_EUSAGE, "%s: write -%c %s or --%s=%s", command->name,
				 row->letter, word + 3, row->name, word + 3);
	if (row && row->kind == OPTION_FLAG && word[2])
		return error_set(err, PL_EUSAGE,
				 "%s: -%c takes no value; options of one letter are not joined: "
				 "write -%c -%s",
				 command->name, row->letter, row->letter, word + 2);
	return 0;
}

/* The next word is the value, unless it is an option of the verb: then the value was forgotten. */
static int take_following(const char **value, const struct command *command,
			  const struct option_row *row, const char *following, struct error *err)
{
	if (!following)
		return error_set(err, PL_EUSAGE, "--%s needs a value: %s", row->name,
				 row->argument);
	/* a flag of a compiler may have the name of an option */
	if (strncmp(following, "--", 2) == 0 && strcmp(row->argument, "FLAG") != 0 &&
	    option_row_find_part(command, following + 2, strcspn(following + 2, "=")))
		return error_set(err, PL_EUSAGE,
				 "--%s needs a value: %s, but the option %s follows; write "
				 "--%s=%s if it is the value",
				 row->name, row->argument, following, row->name, following);
	*value = following;
	return 0;
}

/* Parses "--name", "--name=value" or "-n" with its value. Sets *took_following if the value is the
 * following word. */
static int parse_option(struct invocation *call, const char *word, const char *following,
			bool *took_following, struct error *err)
{
	const struct command *command = call->command;
	const struct option_row *row;
	const char *value = NULL;
	int rc;

	*took_following = false;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");

		row = option_row_find_part(command, word + 2, length);
		if (!row && length == strlen(option_row_help.name) &&
		    strncmp(word + 2, option_row_help.name, length) == 0)
			row = &option_row_help; /* alone it never comes here */
		if (!row)
			return unknown_option(command, word + 2, length, err);
		if (word[2 + length] == '=')
			value = word + 3 + length;
	} else {
		row = word[1] == option_row_help.letter ? &option_row_help
							: find_option_letter(command, word[1]);
		rc = check_letter(command, row, word, err);
		if (rc)
			return rc;
		if (!row)
			return unknown_letter(command, word, err);
		if (word[2])
			value = word + 2;
	}
	if (row->kind == OPTION_FLAG && value)
		return error_set(err, PL_EUSAGE, "--%s takes no value", row->name);
	if (row->kind != OPTION_FLAG && !value) {
		rc = take_following(&value, command, row, following, err);
		if (rc)
			return rc;
		*took_following = true;
	}
	return store_value(call, row, value, err);
}

static int check_operands(const struct invocation *call, struct error *err)
{
	const struct command *command = call->command;

	if (call->operands.count && !command->operands_most)
		return error_set(err, PL_EUSAGE, "%s: unexpected operand \"%s\"; %s%s%s",
				 command->name, call->operands.items[0],
				 command->operands_instead ? command->operands_instead : "perflab ",
				 command->operands_instead ? "" : command->name,
				 command->operands_instead ? "" : " takes none");
	if (call->operands.count > command->operands_most)
		return error_set(err, PL_EUSAGE,
				 "%s: unexpected operand \"%s\"; usage: perflab %s %s",
				 command->name, call->operands.items[command->operands_most],
				 command->name, command->operands);
	if (call->operands.count < command->operands_least)
		return error_set(err, PL_EUSAGE, "%s: an operand is missing; usage: perflab %s %s",
				 command->name, command->name, command->operands);
	return 0;
}

/*
 * Parses argv (the words after the verb) by the option rows of call->command into call->options,
 * operands and rest. Options and operands may mix; "--" ends the options. If --help or -h is among
 * the words, sets *help and checks nothing else.
 */
static int options_parse(struct invocation *call, int argc, char *const *argv, bool *help,
			 struct error *err)
{
	const struct command *command = call->command;
	bool options_ended = false;

	call->options = xcalloc(1, command->options_size);
	if (command->defaults)
		command->defaults(call->options);
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			*help = true;
			return 0;
		}
	}
	for (int i = 0; i < argc; i++) {
		bool took_following;
		int rc;

		if (options_ended && command->takes_rest) {
			string_list_add(&call->rest, argv[i]);
		} else if (!options_ended && strcmp(argv[i], "--") == 0) {
			options_ended = true;
		} else if (!options_ended && argv[i][0] == '-' && argv[i][1]) {
			rc = parse_option(call, argv[i], i + 1 < argc ? argv[i + 1] : NULL,
					  &took_following, err);
			if (rc)
				return rc;
			i += took_following;
		} else {
			string_list_add(&call->operands, argv[i]);
		}
	}
	return check_operands(call, err);
}

static void invocation_release(struct invocation *call)
{
	for (size_t i = 0; call->options && i < call->command->option_count; i++) {
		const struct option_row *row = &call->command->options[i];

		if (row->kind == OPTION_LIST)
			string_list_release(
				(struct string_list *)((char *)call->options + row->offset));
	}
	string_list_release(&call->operands);
	string_list_release(&call->rest);
	free(call->options);
	free(call->command_line);
	free(call->note);
}

/* ---- the verbs ---- */

static const struct command *const commands[] = {
#define X(name) &command_##name,
	COMMAND_LIST(X)
#undef X
};
static const struct command_table all_verbs = {commands, ARRAY_SIZE(commands)};

static char *command_line_text(int argc, char *const *argv)
{
	struct text line = TEXT_INIT;

	text_add(&line, "perflab");
	for (int i = 1; i < argc; i++) {
		text_add_char(&line, ' ');
		shell_word(&line, argv[i]);
	}
	return text_detach(&line);
}

static int run_command(struct invocation *call, int argc, char *const *argv, struct error *err)
{
	bool help = false;
	int rc = options_parse(call, argc, argv, &help, err);

	if (rc)
		return rc;
	if (help) {
		help_command(stdout, call->command);
		return stdout_printed(err);
	}
	rc = output_settle(call, err);
	if (!rc) {
		pager_start(call);
		rc = call->command->run(call, err);
	}
	if (!rc && call->note)
		say("%s", call->note);
	return rc;
}

/* Maps "perflab --help" and "perflab --version" to their verbs. */
static const char *verb_of(const char *word)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return "help";
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return "version";
	return word;
}

int main(int argc, char **argv)
{
	struct invocation call = {.verbs = &all_verbs};
	struct error err = {0}, write_err = {0};
	int rc;

	if (!standard_streams_open())
		return EXIT_FAILED;
	/* a write beyond the file-size limit then fails with an error, like a write to a full disk
	 */
	signal(SIGXFSZ, SIG_IGN);
	/* a parent that ignores it would hide how workers and compilers end */
	signal(SIGCHLD, SIG_DFL);
	terminal_look(&call.terminal);
	terminal_filter_begin(&call.terminal);
	if (argc < 2) {
		help_overview(stderr, &all_verbs);
		return EXIT_USAGE;
	}
	call.command = command_find(&all_verbs, verb_of(argv[1]));
	if (call.command) {
		call.command_line = command_line_text(argc, argv);
		rc = run_command(&call, argc - 2, argv + 2, &err);
		invocation_release(&call);
	} else {
		rc = command_unknown(&all_verbs, argv[1], &err);
	}
	if (rc) {
		say("%s", err.text);
		call.exit_code = error_exit_code(rc);
	}
	/* a truncated report must not look like a complete one */
	if (stdout_check(&write_err) && rc == 0) {
		say("%s", write_err.text);
		call.exit_code = EXIT_FAILED;
	}
	pager_finish();
	return call.exit_code;
}
