/*
 * The table of verbs. A verb is one struct command in cmd_NAME.c, or in a file of verbs that belong
 * together, and one row of COMMAND_LIST below. Each of its options is one struct option_row. The
 * parser, --help, the manual pages and shell completion all read these rows, so they always agree.
 *
 * Only cli prints and exits. stdout carries data, stderr carries messages.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "base/base.h"

/* The verbs, in the order in which help lists them. X(NAME) stands for command_NAME. */
#define COMMAND_LIST(X) \
	X(sweep)        \
	X(watch)        \
	X(init)         \
	X(report)       \
	X(regress)      \
	X(fleet)        \
	X(ceilings)     \
	X(study)        \
	X(list)         \
	X(query)        \
	X(export)       \
	X(history)      \
	X(mark)         \
	X(merge)        \
	X(import)       \
	X(nsight)       \
	X(record)       \
	X(check)        \
	X(doctor)       \
	X(help)         \
	X(completion)   \
	X(version)

/* The exit codes of the program. error_exit_code() in base.h maps errors to them. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_FINDING = 1, /* a wrong result, a regression */
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_NOT_HERE = 4,
};

/* The type of an option's value, and the C type at its offset. */
enum option_kind {
	OPTION_FLAG,     /* bool, no value */
	OPTION_TEXT,     /* const char * */
	OPTION_LIST,     /* struct string_list; the option may be repeated */
	OPTION_COUNT,    /* int64_t, from `least` (0 by default) to INT32_MAX */
	OPTION_SEED,     /* uint64_t */
	OPTION_DURATION, /* int64_t, nanoseconds, more than 0 */
	OPTION_RATIO,    /* double in (0, 1) */
	OPTION_CHOICE,   /* int: index into choices; "" is a gap that no word selects */
};

struct option_row {
	const char *name; /* long name without dashes */
	char letter;      /* 0: none */
	enum option_kind kind;
	size_t offset;              /* in the options struct of the verb */
	const char *argument;       /* placeholder: "VALUES"; NULL for a flag */
	const char *help;           /* one sentence, no full stop */
	const char *const *choices; /* NULL-terminated; NULL: any value */
	int64_t least;              /* OPTION_COUNT */
	bool resumes; /* sweep: may be given beside --resume, which takes the others from the run */
};

/* Rows of options. The value goes to a member of a struct `type`. The last parameter is the help;
 * members of the row may follow it: `.resumes = true`. */
#define VALUE_ROW(word, short_word, of_kind, type, member, placeholder, ...)      \
	{                                                                         \
		.name = word, .letter = short_word, .kind = of_kind,              \
		.offset = offsetof(struct type, member), .argument = placeholder, \
		.help = __VA_ARGS__                                               \
	}
#define FLAG_ROW(word, short_word, type, member, ...) \
	VALUE_ROW(word, short_word, OPTION_FLAG, type, member, NULL, __VA_ARGS__)
#define TEXT_ROW(word, short_word, type, member, placeholder, ...) \
	VALUE_ROW(word, short_word, OPTION_TEXT, type, member, placeholder, __VA_ARGS__)
#define LIST_ROW(word, short_word, type, member, placeholder, ...) \
	VALUE_ROW(word, short_word, OPTION_LIST, type, member, placeholder, __VA_ARGS__)
#define COUNT_ROW(word, short_word, type, member, placeholder, minimum, ...)              \
	VALUE_ROW(word, short_word, OPTION_COUNT, type, member, placeholder, __VA_ARGS__, \
		  .least = minimum)
#define CHOICE_ROW(word, short_word, type, member, placeholder, words, ...)                \
	VALUE_ROW(word, short_word, OPTION_CHOICE, type, member, placeholder, __VA_ARGS__, \
		  .choices = words)

/* The help of options that many verbs share. */
#define HELP_RULES "a file with metrics and rules of your own (docs/rules.md)"
#define HELP_DB "the database (default: $PERFLAB_DB, else perflab.db)"
#define HELP_FORMAT "the output format"
#define HELP_FORMAT_OF_OUTPUT \
	"the output format; without it, the ending of --output decides, as in report.html"
#define HELP_OUTPUT                                                                         \
	"write to this file, which is replaced only when the report is complete (default: " \
	"standard output)"

struct example {
	const char *command, *meaning;
};

/* What the operands of a verb are, for completion. */
enum operand_kind {
	OPERANDS_NONE,
	OPERANDS_WORDS,
	OPERANDS_CASES,
	OPERANDS_VERBS,
	OPERANDS_STUDIES,
	OPERANDS_RUNS, /* the first; completion offers the words of operand_words, too */
	OPERANDS_FREE
};

/* What stdout and stderr can show. */
struct terminal {
	bool out_colour;          /* stdout shows colours */
	bool err_rewrites;        /* stderr can rewrite its last line */
	bool out_ascii;           /* stdout is a terminal whose locale has no UTF-8 */
	int out_width, err_width; /* in columns; 0: not a terminal */
};

struct command_table {
	const struct command *const *items;
	size_t count;
};

/* One call of a verb. */
struct invocation {
	const struct command *command;
	const struct command_table *verbs; /* all of them */
	void *options;                     /* the parsed options struct of the verb */
	struct string_list operands;       /* in order */
	struct string_list rest;           /* the words after "--" if the verb takes_rest */
	uint64_t given;                    /* bit i: option row i was given */
	struct terminal terminal;
	char *command_line; /* as typed; stored with a run */
	char *note;         /* what main() says after run() has succeeded; NULL: nothing */
	int exit_code;      /* set by run() when it returns 0: EXIT_FINE, EXIT_FINDING … */
};

struct command {
	const char *name, *summary;
	const char *operands;    /* as the usage line shows them: "[RUN [CASE ...]]"; "": none */
	const char *description; /* paragraphs, separated by an empty line */
	const char *exit_status; /* what the exit codes mean for this verb; NULL: the usual */
	const struct option_row *options;
	size_t option_count;             /* at most 64 */
	size_t options_size;             /* of the options struct, in bytes */
	void (*defaults)(void *options); /* NULL: all zeroes */
	const struct example *examples;
	size_t example_count;
	enum operand_kind operand_kind;
	const char *const *operand_words; /* NULL-terminated; NULL: none */
	size_t operands_least, operands_most;
	const char
		*operands_instead; /* without operands: what to write instead of one; NULL: none */
	bool takes_rest;
	/* Returns 0, or PL_E* with *err set. main() prints the error and sets the exit code. */
	int (*run)(struct invocation *call, struct error *err);
};

/* Fields of a command: the rows of its options, which are a struct `type`, and its examples. */
#define OPTIONS_AND_EXAMPLES(type, rows, more)                                                  \
	.options = rows, .option_count = ARRAY_SIZE(rows), .options_size = sizeof(struct type), \
	.examples = more, .example_count = ARRAY_SIZE(more)

#define X(name) extern const struct command command_##name;
COMMAND_LIST(X)
#undef X

/* NULL: no verb has this name. */
const struct command *command_find(const struct command_table *verbs, const char *name);
/* Returns PL_EUSAGE and suggests the nearest name. */
int command_unknown(const struct command_table *verbs, const char *name, struct error *err);

/* NULL: the verb has no such option. */
const struct option_row *option_row_find(const struct command *command, const char *name);
/* Finds the option whose name is the first `length` bytes of a word. NULL: there is none. */
const struct option_row *option_row_find_part(const struct command *command, const char *word,
					      size_t length);
bool option_given(const struct invocation *call, const char *name);
/* An option that was given, but is neither `of` nor one of those that have an effect beside it
 * (ended by NULL). NULL: there is none. */
const char *option_given_beside(const struct invocation *call, const char *of,
				const char *const *useful);
/* Adds the words of an option, separated by commas. */
void add_choices(struct text *out, const char *const *choices);
/* The row of --help, which every verb has. */
extern const struct option_row option_row_help;

/* Options of the verb that a long name without dashes was probably meant to be: "--dry-run". Adds
 * nothing if there is no good guess. */
void did_you_mean_option(struct text *out, const struct command *command, const char *word);
/* Values of an option: `choices` ends with NULL, "" is a gap. */
void did_you_mean_choice(struct text *out, const char *const *choices, const char *word);

/* ---- help: cmd_help.c ---- */

void help_overview(FILE *out, const struct command_table *verbs);
void help_command(FILE *out, const struct command *command);
/* Prints `text` from `column` on, wrapped; further lines start at `indent`. */
void print_wrapped(FILE *out, const char *text, size_t column, size_t indent);

/* ---- the terminal: terminal.c ---- */

/* Prints one line to stderr: "perflab: …". Whatever it holds of files and workers is shown by
 * text_add_escaped(), and cut at 16 KiB. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);
/* Calls say() for each line of a text that is not empty. */
void say_lines(const char *text);
void terminal_look(struct terminal *terminal);
/* If stdout is a terminal, lets only text and perflab's colours through. */
void terminal_filter_begin(const struct terminal *terminal);
/* Called at the end of verbs that only print. Returns 0, or PL_EIO with the cause. */
int stdout_printed(struct error *err);
/* Closes stdout at the end of the program. Returns 0, or PL_EIO if some of the output could not
 * be written. */
int stdout_check(struct error *err);

/* The option row of a verb whose output may go to a pager, as that of git does. */
#define ROW_NO_PAGER(type) \
	FLAG_ROW("no-pager", 0, type, no_pager, "never start a pager on a terminal")
/*
 * Starts the pager, if stdout is a terminal and the call has not declined it. stdout, and stderr if
 * it is a terminal, then go to the pager. The pager is $PERFLAB_PAGER, else $PAGER, else less; ""
 * and "cat" mean none. Without the program, the output goes to the terminal. A user who leaves the
 * pager early ends only the output: the verb goes on, so the exit code is that of its result.
 */
void pager_start(const struct invocation *call);
/* Waits until the user has left the pager. Call it after everything was printed; both streams are
 * closed then. Does nothing without a pager. */
void pager_finish(void);

#endif
