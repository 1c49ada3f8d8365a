/* Finds verbs and options by their names, and guesses what a wrong word was meant to be: the words
 * of other programs, and typing errors. A guess is an empty text if there is no good one. */
#include "cli/command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct option_row option_row_help = {
	.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "print this help and exit"};

const struct option_row *option_row_find_part(const struct command *command, const char *name,
					      size_t length)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];

		if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
			return row;
	}
	return NULL;
}

const struct option_row *option_row_find(const struct command *command, const char *name)
{
	return option_row_find_part(command, name, strlen(name));
}

bool option_given(const struct invocation *call, const char *name)
{
	const struct option_row *row = option_row_find(call->command, name);

	return row && call->given & UINT64_C(1) << (row - call->command->options);
}

const char *option_given_beside(const struct invocation *call, const char *of,
				const char *const *useful)
{
	for (size_t i = 0; i < call->command->option_count; i++) {
		const char *name = call->command->options[i].name;
		bool fits = strcmp(name, of) == 0;

		for (size_t k = 0; useful[k]; k++)
			fits |= strcmp(name, useful[k]) == 0;
		if (!fits && option_given(call, name))
			return name;
	}
	return NULL;
}

#define OPTIONS_SHOWN 3

/* A verb or an option, and words of other programs for it. */
struct meant_word {
	const char *meant, *words;
};

static const struct meant_word verb_words[] = {
	{"sweep", "run bench benchmark measure time tune autotune test verify"},
	{"sweep --backend ptx", "emulate"},
	{"sweep NAME.capture", "replay"},
	{"regress, or report --compare RUN", "compare diff cmp"},
	{"report", "show view print results roofline"},
	{"report -o FILE.html", "html"},
	{"report -o FILE.png", "plot"},
	{"nsight, or record --list -- COMMAND", "profile"},
	{"nsight ncu", "ncu"},
	{"nsight nsys", "nsys"},
	{"record", "trace capture attach"},
	{"list", "ls"},
	{"list kernels", "kernels"},
	{"list metrics", "metrics"},
	{"list devices", "devices"},
	{"list runs", "runs"},
	{"query", "sql select db"},
	{"history", "log trend"},
	{"mark", "label tag"},
	{"merge", "join combine"},
	{"ceilings", "peak peaks roofs"},
	{"check", "validate"},
	{"doctor", "info env"},
	{"help --man", "man"},
	{"init", "new annotate"},
};

/* Only options that the verb has are suggested, the first ones first. */
static const struct meant_word option_words[] = {
	{"device", "gpu gpus dev"},
	{"db", "database file"},
	{"output", "out outfile"},
	{"min-samples", "iterations iters"},
	{"rounds", "repeat repeats repetitions reps"},
	{"block-sizes", "threads block"},
	{"size", "n"},
	{"jobs", "parallel workers"},
	{"chip", "arch sm"},
	{"compile-flag", "include define"},
	{"set", "axis param parameter define"},
	{"metrics", "counters events"},
	{"counters", "metrics"},
	{"label", "name tag"},
	{"note", "message comment"},
	{"base", "from against baseline old"},
	{"head", "new to"},
	{"compare", "diff vs with against"},
	{"limit", "count rows max"},
	{"thresholds", "tolerance"},
	{"resume", "continue"},
	{"dry-run", "preview"},
	{"quiet", "silent"},
	{"kernel", "filter pattern"},
};

/* Words that need more than an option. `operands`: only for verbs whose operands are of this kind.
 */
static const struct {
	const char *word;
	enum operand_kind operands;
	const char *meant;
} other_words[] = {
	{"kernel", OPERANDS_CASES, "an operand, KERNEL/VARIANT, without an option"},
	{"kernels", OPERANDS_CASES, "an operand, KERNEL/VARIANT, without an option"},
	{"filter", OPERANDS_CASES, "an operand, a pattern such as 'reduce/*', without an option"},
	{"color", OPERANDS_NONE, "the variable NO_COLOR"},
	{"colour", OPERANDS_NONE, "the variable NO_COLOR"},
	{"no-color", OPERANDS_NONE, "the variable NO_COLOR"},
	{"no-colour", OPERANDS_NONE, "the variable NO_COLOR"},
};

/* Other names of formats and of values. */
static const struct {
	const char *word, *choice;
} choice_words[] = {
	{"markdown", "md"}, {"table", "text"}, {"txt", "text"},  {"plain", "text"},
	{"htm", "html"},    {"page", "html"},  {"xml", "junit"}, {"jpg", "png"},
	{"jpeg", "png"},    {"image", "png"},  {"tsv", "csv"},   {"excel", "csv"},
	{"warm", "hot"},    {"yes", "always"}, {"on", "always"}, {"no", "never"},
	{"off", "never"},   {"none", "never"}, {"full", "all"},  {"gbench", "google-benchmark"},
};

static bool has_choice(const char *const *choices, const char *word)
{
	for (size_t i = 0; choices && choices[i]; i++)
		if (*word && strcmp(choices[i], word) == 0)
			return true;
	return false;
}

void add_choices(struct text *out, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		if (*choices[i])
			text_addf(out, "%s%s", out->length ? ", " : "", choices[i]);
}

/* "sweep", or "regress, or report --compare RUN". */
static void did_you_mean_verb(struct text *out, const struct command_table *verbs, const char *word)
{
	const char **names = xcalloc(verbs->count + 1, sizeof(*names));
	char *lower = xstrdup(word);

	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < ARRAY_SIZE(verb_words) && !out->length; i++)
		if (has_whole_word(verb_words[i].words, lower))
			text_add(out, verb_words[i].meant);
	for (size_t i = 0; i < verbs->count; i++)
		names[i] = verbs->items[i]->name;
	if (!out->length)
		nearest_names(out, word, names, verbs->count);
	free(lower);
	free(names);
}

/* Whether the word is a whole part of the name, "samples" of "min-samples", or its beginning. */
static bool is_part_of_name(const char *word, const char *name)
{
	const char *found = strstr(name, word);
	const size_t length = strlen(word);

	if (length < 2 || !found)
		return false;
	return found == name || (found[-1] == '-' && (!found[length] || found[length] == '-'));
}

/* "json" is meant to be "--format json". */
static bool did_you_mean_value(struct text *out, const struct command *command, const char *word)
{
	const struct option_row *format = option_row_find(command, "format");
	const char *value = word;

	for (size_t i = 0; i < ARRAY_SIZE(choice_words); i++)
		if (strcmp(choice_words[i].word, word) == 0)
			value = choice_words[i].choice;
	if (!format || !has_choice(format->choices, value))
		return false;
	text_addf(out, "--format %s", value);
	return true;
}

static void add_option_name(struct text *out, size_t *count, const char *name)
{
	if ((*count)++ < OPTIONS_SHOWN)
		text_addf(out, "%s--%s", *count > 1 ? " or " : "", name);
}

void did_you_mean_option(struct text *out, const struct command *command, const char *word)
{
	const char **names;
	size_t count = 0;

	if (did_you_mean_value(out, command, word))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(other_words) && !out->length; i++)
		if (strcmp(other_words[i].word, word) == 0 &&
		    (other_words[i].operands == OPERANDS_NONE ||
		     other_words[i].operands == command->operand_kind))
			text_add(out, other_words[i].meant);
	if (out->length)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(option_words) && !count; i++)
		if (has_whole_word(option_words[i].words, word) &&
		    option_row_find(command, option_words[i].meant))
			add_option_name(out, &count, option_words[i].meant);
	if (count)
		return;
	for (size_t i = 0; i < command->option_count; i++)
		if (is_part_of_name(word, command->options[i].name))
			add_option_name(out, &count, command->options[i].name);
	if (count)
		return;
	names = xcalloc(command->option_count + 1, sizeof(*names));
	for (size_t i = 0; i < command->option_count; i++)
		names[i] = command->options[i].name;
	names[command->option_count] = option_row_help.name;
	text_add(out, "--");
	if (!nearest_names(out, word, names, command->option_count + 1))
		text_clear(out);
	free(names);
}

void did_you_mean_choice(struct text *out, const char *const *choices, const char *word)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(choice_words); i++) {
		if (strcasecmp(choice_words[i].word, word) == 0 &&
		    has_choice(choices, choice_words[i].choice)) {
			text_add(out, choice_words[i].choice);
			return;
		}
	}
	while (choices[count])
		count++;
	nearest_names(out, word, choices, count);
}

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
	struct text meant = TEXT_INIT, all = TEXT_INIT;
	int rc;

	if (strncmp(name, "--help=", 7) == 0 || strncmp(name, "--version=", 10) == 0)
		return error_set(err, PL_EUSAGE, "%.*s takes no value", (int)strcspn(name, "="),
				 name);
	if (*name == '-')
		return error_set(
			err, PL_EUSAGE,
			"unknown option %s before a verb; the options of a verb follow it: "
			"perflab VERB %s",
			name, name);
	did_you_mean_verb(&meant, verbs, name);
	for (size_t i = 0; i < verbs->count; i++)
		text_addf(&all, "%s%s", i ? ", " : "", verbs->items[i]->name);
	if (meant.length)
		rc = error_set(err, PL_EUSAGE, "unknown verb \"%s\"; did you mean %s?", name,
			       meant.data);
	else
		rc = error_set(
			err, PL_EUSAGE,
			"unknown verb \"%s\"; the verbs are %s; \"perflab help\" explains them",
			name, all.data);
	text_release(&meant);
	text_release(&all);
	return rc;
}
