/*
 * Finds a verb in the table and parses its options by their rows.
 * getopt_long() does not serve, because it prints messages itself, keeps its
 * state in globals, and cannot suggest the nearest name.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

const struct option_row option_row_help = {
	"help", 'h', OPTION_FLAG, 0, NULL, "print this help and exit", NULL, 0};

const struct command *command_find(const struct command_table *verbs, const char *name)
{
	for (size_t i = 0; i < verbs->count; i++) {
		if (strcmp(verbs->items[i]->name, name) == 0)
			return verbs->items[i];
	}
	return NULL;
}

int command_unknown(const struct command_table *verbs, const char *name, struct error *err)
{
	const char **names = xcalloc(verbs->count + 1, sizeof(*names));
	struct text near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < verbs->count; i++)
		names[i] = verbs->items[i]->name;
	if (nearest_names(&near, name, names, verbs->count))
		rc = error_set(err, PL_EUSAGE, "unknown verb \"%s\"; did you mean %s?", name,
			       near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "unknown verb \"%s\"; \"perflab help\" lists the verbs", name);
	text_release(&near);
	free(names);
	return rc;
}

static const struct option_row *find_long_option(const struct command *command, const char *name,
						 size_t length)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];

		if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
			return row;
	}
	return NULL;
}

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
	const char **names = xcalloc(command->option_count + 1, sizeof(*names));
	char *name = xstrndup(word, length);
	struct text near = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < command->option_count; i++)
		names[i] = command->options[i].name;
	names[command->option_count] = option_row_help.name;
	if (nearest_names(&near, name, names, command->option_count + 1))
		rc = error_set(err, PL_EUSAGE, "%s: unknown option --%s; did you mean --%s?",
			       command->name, name, near.data);
	else
		rc = error_set(err, PL_EUSAGE,
			       "%s: unknown option --%s; \"perflab help %s\" lists the options",
			       command->name, name, command->name);
	text_release(&near);
	free(name);
	free(names);
	return rc;
}

static int parse_choice(int *out, const struct option_row *row, const char *value,
			struct error *err)
{
	struct text all = TEXT_INIT;
	int rc;

	for (int i = 0; row->choices[i]; i++) {
		if (*value && strcmp(row->choices[i], value) == 0) {
			*out = i;
			return 0;
		}
	}
	for (int i = 0; row->choices[i]; i++)
		if (*row->choices[i])
			text_addf(&all, "%s%s", all.length ? ", " : "", row->choices[i]);
	rc = error_set(err, PL_EUSAGE, "unknown value \"%s\"; one of: %s", value, all.data);
	text_release(&all);
	return rc;
}

static int parse_count(int64_t *out, const struct option_row *row, const char *value,
		       struct error *err)
{
	int64_t count;

	if (parse_i64(&count, value, NULL) || count < row->least || count > INT32_MAX)
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
		rc = parse_u64((uint64_t *)field, value, err);
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

	if (find_long_option(command, flag, strlen(flag)))
		return error_set(err, PL_EUSAGE,
				 "%s: unknown option -%c; a flag of the compiler is given as "
				 "--%s %s%s, and \"perflab help %s\" lists the options",
				 command->name, word[1], flag, word, word[2] ? "" : "…",
				 command->name);
	return error_set(err, PL_EUSAGE,
			 "%s: unknown option -%c; \"perflab help %s\" lists the options",
			 command->name, word[1], command->name);
}

/* Parses "--name", "--name=value" or "-n" with its value. Sets *took_following if the value is the
 * following word. */
static int parse_option(struct invocation *call, const char *word, const char *following,
			bool *took_following, struct error *err)
{
	const struct command *command = call->command;
	const struct option_row *row;
	const char *value = NULL;

	*took_following = false;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");

		row = find_long_option(command, word + 2, length);
		if (!row)
			return unknown_option(command, word + 2, length, err);
		if (word[2 + length] == '=')
			value = word + 3 + length;
	} else {
		row = find_option_letter(command, word[1]);
		if (!row)
			return unknown_letter(command, word, err);
		if (word[2])
			value = word + 2;
	}
	if (row->kind == OPTION_FLAG && value)
		return error_set(err, PL_EUSAGE, "--%s takes no value", row->name);
	if (row->kind != OPTION_FLAG && !value) {
		if (!following)
			return error_set(err, PL_EUSAGE, "--%s needs a value: %s", row->name,
					 row->argument);
		value = following;
		*took_following = true;
	}
	return store_value(call, row, value, err);
}

static int check_operands(const struct invocation *call, struct error *err)
{
	const struct command *command = call->command;

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

int options_parse(struct invocation *call, int argc, char *const *argv, bool *help,
		  struct error *err)
{
	const struct command *command = call->command;
	bool options_ended = false;

	call->options = xcalloc(1, command->options_size ? command->options_size : 1);
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

void invocation_release(struct invocation *call)
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
}

bool option_given(const struct invocation *call, const char *name)
{
	for (size_t i = 0; i < call->command->option_count; i++) {
		if (strcmp(call->command->options[i].name, name) == 0)
			return call->given & UINT64_C(1) << i;
	}
	return false;
}
